"""The batch API: runs through a server with files and batches that misbehave, killed and changed in between."""

from __future__ import annotations

import importlib.util
import json
import logging
import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import kill_points
import pytest
from needs import needs
from pydantic import ValidationError
from run_files import compared_files, results_json

import evalsuite
from evalsuite.backends.base import Limits, UnsavedJournal
from evalsuite.backends.model import API, BatchAPI, Model, Price
from evalsuite.backends.openai import batches as module
from evalsuite.backends.openai import provider
from evalsuite.backends.openai.backend import OpenAI
from evalsuite.backends.openai.batch_faults import BATCHES, CALLS, LINES, BatchServer
from evalsuite.backends.openai.batch_states import Begun, Ended, ended
from evalsuite.backends.openai.faults import PromptOutcomes, reply_to
from evalsuite.backends.openai.lines import LineError, in_files, read_batch_line
from evalsuite.backends.openai.provider import NotFoundError, Provider, Seen
from evalsuite.backends.openai.replies import EndpointError, TransientError
from evalsuite.common.errors import BackendError
from evalsuite.exchange.requests import _stored
from evalsuite.results.store import Store
from evalsuite.types import Message, Request, Response

needs("openai", "openai", "tenacity", "aiolimiter")

KEY = "sk-marker-5b4a9f8e7d6c"
PRICE = Price(input=1, output=2)
QUICK = {"poll": 0.05}
ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARKER_KEY", KEY)
    monkeypatch.setattr(module, "_SHORT", 0.05)


@dataclass
class Journal(UnsavedJournal):
    """A journal that keeps a copy of every note, as a store does. Writing number `dies` raises Killed."""

    stakes: dict[str, float] = field(default_factory=dict)
    spent: float = 0.0
    dies: int = -1

    def put_batch(self, name: str, note: dict[str, Any], stake: float, cost: float = 0.0) -> None:
        self._count()
        self[name] = json.loads(json.dumps(note))
        self.stakes[name] = stake
        self.spent += cost

    def end_batch(self, name: str, cost: float = 0.0) -> None:
        self._count()
        del self[name], self.stakes[name]
        self.spent += cost

    def lend(self, amount: float) -> None:
        self._count()
        self.spent += amount

    def _count(self) -> None:
        self.dies -= 1
        if self.dies == 0:
            raise Killed


class Killed(BaseException):
    """An exception in place of SIGKILL."""


def request(n: int) -> Request:
    return Request(f"i/{n}", f"提示{n}", (Message("user", f"提示{n}"),), 32)


def model(server: BatchServer, batch: dict[str, Any] | None = None, **api: Any) -> Model:
    settings = {"key_env": "MARKER_KEY", "backoff": 0.01, "attempts": 12, "price": PRICE, **api}
    return Model(
        name="m",
        backend="openai",
        path="x",
        chat=True,
        api=API(base_url=server.url, batch=BatchAPI(**{**QUICK, **(batch or {})}), **settings),
    )


def ask(
    server: BatchServer,
    count: int,
    limits: Limits | None = None,
    first: int = 0,
    done: set[int] | None = None,
    **more: Any,
) -> dict[int, Response]:
    """The replies to requests with these numbers."""
    asked = [request(n) for n in range(first, first + count)]
    mask = [n in (done or ()) for n in range(first, first + count)]
    rows = list(chain.from_iterable(OpenAI(model(server, **more), limits or Limits()).generate(asked, mask)))
    found = {n + first: reply for n, reply in rows}
    assert len(found) == len(rows)  # none answered twice
    return found


def all_right(found: dict[int, Response], count: int) -> bool:
    return {n: reply.text for n, reply in found.items()} == {n: reply_to(f"提示{n}") for n in range(count)}


def charged_cost(server: BatchServer) -> float:
    return 0.5 * (server.prompt_tokens + 2 * server.new_tokens) / 1e6


def booked_cost(found: dict[int, Response]) -> float:
    return sum(reply.cost for reply in found.values())


# --- faults that go away -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CALLS)
def test_every_fault_of_a_call(kind: str) -> None:
    with BatchServer(calls={kind: 0.35}, seconds=0.1) as server:
        found = ask(server, 40, batch={"requests": 8})
        account = server.account()
    assert all_right(found, 40) and account["twice"] == 0
    assert account["requests"] == 40 and account["calls"][kind] > 3
    assert sum(account["batches"].values()) == 5  # no batch was begun twice


@pytest.mark.parametrize("kind", BATCHES)
def test_every_fault_of_a_batch(kind: str) -> None:
    with BatchServer(fates={kind: 0.4}, seconds=0.1, mix={"500": 0.1}) as server:
        found = ask(server, 40, batch={"requests": 8})
        account = server.account()
    assert all_right(found, 40) and account["twice"] == 0 and account["calls"][kind] > 0


@pytest.mark.parametrize("kind", ["429", "408", "500", "no-choices", "no-message", "duplicate", *LINES])
def test_every_fault_of_a_line(kind: str) -> None:
    with BatchServer(mix={kind: 0.3}, seconds=0.05) as server:
        limits = Limits(journal=(journal := Journal()))
        found = ask(server, 40, limits)
        account = server.account()
    assert all_right(found, 40) and account["twice"] == 0 and account["kinds"][kind] > 3
    assert not journal and booked_cost(found) + journal.spent >= charged_cost(server) - 1e-12
    if kind in ("429", "500", "duplicate", "twice"):  # all that was charged has arrived
        assert booked_cost(found) == pytest.approx(charged_cost(server)) and journal.spent == 0


def test_what_fails_for_good_is_recorded_as_when_asked_directly() -> None:
    mix = {
        "400": 0.2,
        "400-filter": 0.1,
        "filtered": 0.1,
        "length": 0.1,
        "reasoning": 0.1,
        "no-usage": 0.1,
        "surrogate": 0.1,
    }
    with BatchServer(mix=mix) as server:
        asked = [request(n) for n in range(80)]
        direct = OpenAI(model(server).model_copy(update={"api": API(base_url=server.url, key_env=None)}), Limits())
        expected = dict(chain.from_iterable(direct.generate(asked, [False] * 80)))
        for entry in server.asked.values():
            entry.times = 0
        found = ask(server, 80)
    strip = {
        n: (r.text, r.finish, r.reasoning, r.prompt_tokens, r.new_tokens, r.thinking_tokens) for n, r in found.items()
    }
    assert strip == {
        n: (r.text, r.finish, r.reasoning, r.prompt_tokens, r.new_tokens, r.thinking_tokens)
        for n, r in expected.items()
    }
    assert any(r.bound for r in found.values())
    assert all(r.bound == (0 if r.prompt_tokens else r.cost) for r in found.values())
    failed = {n: r.error for n, r in found.items() if r.error}
    assert failed and all(e and e.startswith("400: This model's maximum context length") for e in failed.values())


def test_a_line_is_asked_as_often_as_directly() -> None:
    with BatchServer(mix={"500": 1}, seconds=0.02) as server:
        found = ask(server, 3, attempts=4)
        assert all(asked.times == 4 for asked in server.asked.values())
    assert {r.error for r in found.values()} == {"500: The server had an error (Bearer ***) (asked 4 times)"}


def test_the_other_name_of_the_limit() -> None:
    with BatchServer(mix={"400-max_tokens": 1}, seconds=0.02) as server:
        assert all_right(ask(server, 5), 5)
        assert sum(server.account()["batches"].values()) == 2


class RefusesBothNames(BatchServer):
    """A server that refuses every line with words about max_completion_tokens, whichever name of the limit it has."""

    def _outcome(self, asked: Mapping[str, Any]) -> tuple[PromptOutcomes, str]:
        return BatchServer._outcome(self, asked)[0], "400-max_tokens"


def test_an_endpoint_that_refuses_both_names_of_the_limit_is_not_asked_again() -> None:
    with RefusesBothNames(seconds=0.02) as server:
        with pytest.raises(BackendError, match="does not take max_completion_tokens"):
            ask(server, 5, attempts=12)
        assert {asked.times for asked in server.asked.values()} == {2}


@pytest.mark.parametrize(("kind", "words"), [("401", "refuses the key"), ("429-quota", "wants to be paid")])
def test_a_line_that_tells_of_all(kind: str, words: str) -> None:
    with BatchServer(mix={kind: 1}, seconds=0.02) as server, pytest.raises(BackendError, match=words):
        ask(server, 5)


def test_a_model_without_requests_leaves_the_batches_of_others() -> None:
    with BatchServer() as server:
        limits = Limits(journal=(journal := Journal()))
        journal.put_batch(
            "other",
            {
                "address": server.url,
                "began": 0.0,
                "file": "f",
                "taken": False,
                "batch": "b",
                "lines": ["a"],
                "costs": [0.1],
            },
            0.1,
        )
        assert list(OpenAI(model(server), limits).generate([], [])) == []
    assert [*journal] == ["other"]


# --- limits --------------------------------------------------------------------------------------------------------


def test_files_are_split_by_lines_and_size() -> None:
    with BatchServer() as server:
        assert all_right(ask(server, 30, batch={"requests": 7}), 30)
        assert [len(b.lines) for b in server.batches.values()] == [7, 7, 7, 7, 2]
        server.batches.clear()
        assert all_right(ask(server, 30, batch={"megabytes": 0.002}), 30)
        assert len(server.batches) > 2 and all(
            len(server.files[b.row["input_file_id"]]) <= 2000 for b in server.batches.values()
        )
    assert [len(x) for x in in_files([b"12345", b"6", b"7"], 2, 1)] == [2, 1]
    assert [len(x) for x in in_files([b"12345" * 100_000, b"6" * 600_000, b"7"], 9, 1)] == [1, 2]
    assert [len(x) for x in in_files([b"1" * 2_000_000], 9, 1)] == [1]  # the endpoint will say what it thinks of it


@pytest.mark.slow
@pytest.mark.parametrize(("queue", "count"), [(60, 40), (15, 12)])
def test_the_queue_of_tokens(queue: int, count: int) -> None:
    """A batch that exceeds the endpoint's queue of tokens waits for others to end; if there are none, it becomes smaller."""
    with BatchServer(queue=queue, seconds=0.05) as server:
        assert all_right(ask(server, count, batch={"requests": 10}), count)
        account = server.account()
    assert account["twice"] == 0 and account["batches"]["failed"] > 0


def test_a_file_that_is_too_large_is_halved() -> None:
    with BatchServer(most=10) as server:
        assert all_right(ask(server, 40), 40)


def test_as_many_at_once_as_allowed() -> None:
    with BatchServer(seconds=0.1) as server:
        under_way: list[int] = []
        create = BatchServer._create

        def counted(self: BatchServer, asked: Any) -> Any:
            under_way.append(sum(b.row["status"] not in ("completed", "failed") for b in self.batches.values()))
            return create(self, asked)

        BatchServer._create = counted  # type: ignore[method-assign]
        try:
            assert all_right(ask(server, 30, batch={"requests": 3, "at_once": 2}), 30)
        finally:
            BatchServer._create = create  # type: ignore[method-assign]
    assert max(under_way) == 1


# --- killed --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("calls", [{}, {"drop-after": 0.3, "500": 0.1, "half": 0.1}])
def test_killed_at_every_writing(calls: dict[str, float]) -> None:
    """The next start goes on from the content of the store alone."""
    with BatchServer(calls=calls, seconds=0.05, mix={"500": 0.1}, lag=0.02) as server:
        journal, found = Journal(), dict[int, Response]()
        for dies in chain(range(1, 14), [-1]):
            journal.dies = dies
            asked = [request(n) for n in range(30)]
            try:
                groups = OpenAI(model(server, batch={"requests": 10}), Limits(journal=journal)).generate(
                    asked, [n in found for n in range(30)]
                )
                for group in groups:
                    assert not found.keys() & {n for n, _ in group}
                    found |= dict(group)
            except Killed:
                continue
        account = server.account()
    assert all_right(found, 30) and account["twice"] == 0 and not journal
    assert booked_cost(found) == pytest.approx(charged_cost(server))


def test_killed_when_all_is_stored() -> None:
    """The last replies are stored, and the note on their batch is still there: its stake must not stay spent."""
    with BatchServer(seconds=0.05) as server:
        # the journal dies after four writings: a batch is noted, uploaded, begun, handed over
        limits = Limits(journal=(journal := Journal(dies=5)))
        groups = OpenAI(model(server), limits).generate([request(n) for n in range(5)], [False] * 5)
        assert len(next(iter(groups))) == 5
        with pytest.raises(Killed):
            next(iter(groups))
        assert len(journal) == 1
        assert not ask(server, 5, limits, done={*range(5)}) and not journal and journal.spent == 0


def test_killed_before_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The endpoint has begun the batch, and we do not know of it."""
    create = Provider.create

    def killed(*words: Any) -> Any:
        create(*words)
        raise Killed

    with BatchServer(seconds=0.05, page=1) as server:
        limits = Limits(journal=(journal := Journal()))
        with monkeypatch.context() as patched:
            patched.setattr(Provider, "create", killed)
            with pytest.raises(Killed):
                ask(server, 5, limits)
        (note,) = journal.values()
        assert note["file"] and note["batch"] is None
        for n in range(3):  # batches of others of the account
            server.batches[f"other{n}"] = server.batches["batch_0"].__class__(
                {"id": f"other{n}", "status": "completed", "input_file_id": "f", "metadata": {}}, [], 0, "ok"
            )
        assert all_right(ask(server, 5, limits), 5)
        assert server.account()["twice"] == 0 and len(server.batches) == 4 and not journal


def test_an_endpoint_that_lists_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """Whether the lost batch was begun cannot be known, and a message says so; the batch stays paid."""
    with BatchServer(calls={"drop-after": 0.7}, seconds=0.05, lists=False) as server:
        limits = Limits(journal=(journal := Journal()))
        with caplog.at_level(logging.WARNING, "evalsuite"):
            assert all_right(ask(server, 4, limits, batch={"requests": 1}), 4)
        twice = server.account()["twice"]
    assert twice and "may be paid twice" in caplog.text
    assert journal.spent > 0


def test_a_changed_plan_takes_what_serves() -> None:
    """A smaller plan takes the replies to its own requests. The others are kept for later plans, and their cost counts."""
    with BatchServer(seconds=0.3) as server:
        # the journal dies after three writings: a batch is noted, uploaded, begun
        limits = Limits(journal=(journal := Journal(dies=4)))
        with pytest.raises(Killed):
            ask(server, 20, limits)
        assert [note["batch"] for note in journal.values()] == ["batch_0"]
        small = ask(server, 5, limits)
        assert all_right(small, 5)
        (note,) = journal.values()
        assert note["taken"] and len(note["lines"]) == 15
        other = ask(server, 5, limits, first=100)  # wants none of them, and adds none
        assert len(other) == 5 and len(journal) == 1
        whole = ask(server, 20, limits, done=set(range(5)))
        assert all_right(small | whole, 20) and not journal
        account = server.account()
    assert account["twice"] == 0 and len(server.batches) == 2
    assert booked_cost(small | whole | other) == pytest.approx(charged_cost(server))


def test_another_key_does_not_pay_twice() -> None:
    with BatchServer(seconds=0.3) as server:
        limits = Limits(journal=(journal := Journal(dies=4)))
        with pytest.raises(Killed):
            ask(server, 5, limits)
        kept = dict(server.batches)
        server.batches.clear()
        with pytest.raises(BackendError, match="key of another project"):
            ask(server, 5, limits)
        server.batches.update(kept)
        assert all_right(ask(server, 5, limits), 5) and not journal


def test_a_refused_search_does_not_pay_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The endpoint has begun a batch whose id did not come; the next start has a key that is refused."""
    create = Provider.create

    def killed(*words: Any) -> Any:
        create(*words)
        raise Killed

    def refused(*words: Any) -> Any:
        raise EndpointError("the endpoint refuses the key (401)")

    with BatchServer(seconds=0.05) as server:
        limits = Limits(journal=(journal := Journal()))
        for name, instead in (("create", killed), ("find", refused)):
            with monkeypatch.context() as patched:
                patched.setattr(Provider, name, instead)
                with pytest.raises((Killed, BackendError)):
                    ask(server, 5, limits)
        assert len(journal) == 1
        assert all_right(ask(server, 5, limits), 5)
        assert server.account()["twice"] == 0 and len(server.batches) == 1 and not journal


def test_asked_directly_while_a_batch_is_under_way(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    with BatchServer(seconds=0.3) as server:
        limits = Limits(journal=Journal(dies=4))
        with pytest.raises(Killed):
            ask(server, 5, limits)
        direct = OpenAI(model(server).model_copy(update={"api": API(base_url=server.url, key_env=None)}), limits)
        with caplog.at_level(logging.WARNING, "evalsuite"):
            list(direct.generate([request(n) for n in range(5)], [False] * 5))
        assert "5 requests are under way in batches" in caplog.text
        elsewhere = model(server).model_copy(update={"api": API(base_url="http://localhost:1/v1", key_env=None)})
        assert module.under_way(OpenAI(elsewhere, limits), [request(0)], limits.journal) == 0
        asked = {str(n): request(n) for n in range(6)}
        with Store(tmp_path / "store.sqlite") as store:
            for name, note in limits.journal.batches().items():
                store.put_batch(name, note | {"batch": None}, 1.0)  # the batch may have been begun
        with caplog.at_level(logging.WARNING, "evalsuite"):
            assert _stored(tmp_path, direct, asked) == set()
    assert "5 of these requests are under way" in caplog.text


def test_left_early_says_what_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    with BatchServer(seconds=0.2) as server:
        groups = OpenAI(model(server, batch={"requests": 5}), Limits()).generate(
            [request(n) for n in range(10)], [False] * 10
        )
        next(iter(groups))
        with caplog.at_level(logging.WARNING, "evalsuite"):
            groups.close()  # type: ignore[attr-defined]
    # either of the two may have ended first
    assert re.search(r"batches that go on at its endpoint: 1 \(batch_[01]\)", caplog.text)


def test_what_comes_late_is_not_paid_twice() -> None:
    """A batch, and then its file, that the endpoint denies at first."""

    class Late(BatchServer):
        def _carry_out(self, method: str, steps: list[str], *words: Any) -> Any:
            what = steps[-1] if steps[0] == "batches" and len(steps) > 1 else steps[1] if steps[-1] == "content" else ""
            self.counted[what] += 1
            if what and self.counted[what] < 5:
                return 404, {"error": {"message": "Not Found"}}
            return BatchServer._carry_out(self, method, steps, *words)

    with Late(seconds=0.05) as server:
        assert all_right(ask(server, 5, batch={"poll": 0.3}), 5)
        assert len(server.batches) == 1


class Losing(BatchServer):
    """A server that does not know addresses with `lost` in them."""

    lost = "content"

    def _carry_out(self, method: str, steps: list[str], *words: Any) -> Any:
        if method == "GET" and self.lost and self.lost in "/".join(steps):
            return 404, {"error": {"message": "Not Found"}}
        return BatchServer._carry_out(self, method, steps, *words)


def test_a_file_that_is_gone_is_not_paid_twice() -> None:
    with Losing(seconds=0.02) as server:
        limits = Limits(journal=(journal := Journal()))
        with pytest.raises(BackendError, match="batch batch_0 has ended, and its files lack 5 lines"):
            ask(server, 5, limits)
        server.lost = ""
        assert all_right(ask(server, 5, limits), 5) and len(server.batches) == 1 and not journal


@pytest.mark.parametrize("lost", ["batch_0", "file-1/content"])
def test_what_is_gone_for_good_is_asked_again_at_its_cost(lost: str, caplog: pytest.LogCaptureFixture) -> None:
    """A run that goes on a month later: endpoints have deleted its batches by then."""
    with Losing(seconds=0.02) as server:
        server.lost = lost
        limits = Limits(journal=(journal := Journal()))
        with pytest.raises(BackendError, match="batch_0"):
            ask(server, 5, limits)
        (note,) = journal.values()
        note["began"] -= 31 * 86400
        with caplog.at_level(logging.WARNING, "evalsuite"):
            found = ask(server, 5, limits)
        server.account()  # all has been answered, looked at or not
    assert all_right(found, 5) and len(server.batches) == 2 and not journal
    assert "5 lines that it has answered, or may have, are asked again, and may be paid twice" in caplog.text
    assert booked_cost(found) + journal.spent > charged_cost(server)


# --- late ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["late", "late-half", "expired-late"])
def test_what_is_answered_is_waited_for(kind: str) -> None:
    """Files that appear late: after more looks than a file is given that breaks off, before the tenth poll."""
    with BatchServer(fates={kind: 1}, late=0.3, seconds=0.02) as server:
        limits = Limits(journal=(journal := Journal()))
        found = ask(server, 30, limits)
        account = server.account()
    assert all_right(found, 30) and account["twice"] == 0 and not journal
    assert booked_cost(found) == pytest.approx(charged_cost(server)) and journal.spent == 0
    assert len(server.batches) == 1 or kind == "expired-late"


@pytest.mark.parametrize(("kind", "there"), [("late", 0), ("late-half", 3)])
def test_what_never_comes_stops_the_model_and_is_looked_for_again(
    kind: str, there: int, caplog: pytest.LogCaptureFixture
) -> None:
    with BatchServer(fates={kind: 1}, late=1e9, seconds=0.02) as server:
        limits = Limits(journal=(journal := Journal()))
        asked, found = [request(n) for n in range(6)], dict[int, Response]()
        groups = OpenAI(model(server), limits).generate(asked, [False] * 6)
        with (
            pytest.raises(BackendError, match="batch batch_0 has ended"),
            caplog.at_level(logging.WARNING, "evalsuite"),
        ):
            for group in groups:
                found |= dict(group)
        assert len(found) == there and f"its files lack {6 - there} lines" in caplog.text
        (note,) = journal.values()
        assert len(note["lines"]) == 6 - there
        assert booked_cost(found) + journal.spent + sum(journal.stakes.values()) >= charged_cost(server)
        server.batches["batch_0"].whole = 0  # the file appears at last
        found |= ask(server, 6, limits, done={*found})
    assert all_right(found, 6) and len(server.batches) == 1 and not journal
    assert booked_cost(found) == pytest.approx(charged_cost(server)) and journal.spent == 0


def test_answered_lines_that_are_asked_again_are_told(caplog: pytest.LogCaptureFixture) -> None:
    with BatchServer(mix={"no-choices": 0.3}, seconds=0.02) as server:
        with caplog.at_level(logging.WARNING, "evalsuite"):
            assert all_right(ask(server, 20), 20)
        told = [
            int(n) for n in re.findall(r"(\d+) lines that it has answered, or may have, are asked again", caplog.text)
        ]
        assert sum(told) == server.account()["kinds"]["no-choices"] > 0


def test_another_batch_that_the_endpoint_shows_is_not_taken() -> None:
    class Mixing(BatchServer):
        def _carry_out(self, method: str, steps: list[str], *words: Any) -> Any:
            status, told = BatchServer._carry_out(self, method, steps, *words)
            self.counted["looks"] += (is_look := method == "GET" and steps[0] == "batches" and len(steps) > 1)
            if is_look and self.counted["looks"] < 30:
                self._advance(self.batches["batch_0"])
                told = self.batches["batch_0"].row
            return status, told

    with Mixing(seconds=0.02) as server:
        assert all_right(ask(server, 30, batch={"requests": 10}), 30)
        assert server.account()["twice"] == 0 and len(server.batches) == 3


@pytest.mark.slow
def test_books_are_never_below_what_was_charged() -> None:
    """Killed at any writing while a part of a batch is kept, of whose lines some were answered without a reply."""
    for dies in range(1, 6):
        with BatchServer(mix={"no-choices": 0.4}, seconds=0.02) as server:
            journal, found = Journal(dies=4), dict[int, Response]()
            limits = Limits(journal=journal, lend=journal.lend)
            with pytest.raises(Killed):
                ask(server, 12, limits)
            server.account()
            server.mix, journal.dies = {}, dies
            try:
                for group in OpenAI(model(server), limits).generate([request(n) for n in range(4)], [False] * 4):
                    found |= dict(group)
            except Killed:
                assert (
                    booked_cost(found) + journal.spent + sum(journal.stakes.values()) >= charged_cost(server) - 1e-12
                ), dies


def test_a_kept_note_ends_when_its_lines_are_stored() -> None:
    """Killed between storing and closing; then another plan keeps what it does not know."""
    with BatchServer(seconds=0.02) as server:
        limits = Limits(journal=(journal := Journal(dies=4)))
        with pytest.raises(Killed):
            ask(server, 10, limits)
        groups = iter(OpenAI(model(server), limits).generate([request(n) for n in range(5)], [False] * 5))
        journal.dies = 2  # the note has the replies handed over; after they are stored, it would shrink
        found = dict(next(groups))
        with pytest.raises(Killed):
            next(groups)
        found |= ask(server, 7, limits, first=3, done={3, 4})
        assert len(journal) == 1  # this plan does not know that the first three are stored
        assert not ask(server, 10, limits, done={*found})
    assert all_right(found, 10) and len(server.batches) == 1 and not journal
    assert booked_cost(found) == pytest.approx(charged_cost(server)) and journal.spent == 0


@pytest.mark.parametrize("dies", [3, 4, 5])
def test_journals_of_earlier_versions(dies: int) -> None:
    """Earlier versions noted the cost at stake of a batch, not of its lines, and the part that no reply carries."""
    with BatchServer(seconds=0.02) as server:
        limits = Limits(journal=(journal := Journal(dies=dies)))
        groups = iter(OpenAI(model(server), limits).generate([request(n) for n in range(6)], [False] * 6))
        found = dict[int, Response]()
        with pytest.raises(Killed):
            for group in groups:
                found |= dict(group)
        (note,) = journal.values()
        note |= {"stake": sum(note.pop("costs")), "owed": 0.0 if note["taken"] else None, "taken": False}
        assert (note["file"], note["batch"]) == ("file-0", None if dies == 3 else "batch_0")
        found |= ask(server, 6, limits, done={*found})
    assert all_right(found, 6) and len(server.batches) == 1 and not journal
    assert booked_cost(found) == pytest.approx(charged_cost(server)) and journal.spent == 0


@pytest.mark.thorough
def test_no_interleaving_of_faults_loses_or_pays_twice() -> None:
    """All interleavings of one fault, and some of several; `benchmarks/batch_states.py` makes the others."""
    spec = importlib.util.spec_from_file_location("batch_states", ROOT / "benchmarks" / "batch_states.py")
    assert spec and spec.loader
    states = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(states)
    runs = [*states.explore(1), *states.sample(300, 0)]
    assert [(wrong, choices) for wrong, choices in runs if wrong] == []
    _, options, _ = states.run({}, 5.0)
    assert len(runs) == 301 + sum(n - 1 for n in options)


def test_an_endpoint_without_batches() -> None:
    class Bare(BatchServer):
        def _carry_out(self, *words: Any) -> Any:
            return 404, {"error": {"message": "Not Found"}}

    with Bare() as server, pytest.raises(BackendError, match="is there a batch API"):
        ask(server, 3)


def test_a_batch_without_a_useful_answer_stops_the_model() -> None:
    with BatchServer(calls={"500": 1}) as server, pytest.raises(BackendError, match="no useful answer for"):
        ask(server, 3, batch={"patience": 0.2})


# --- money ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [0.0015, 0.0006])
def test_the_budget_is_never_exceeded(budget: float) -> None:
    """The budget holds also where every line costs the most that it may; requests that do not fit are not asked."""
    asked_in_part = pytest.raises(BackendError, match=r"budget of .* spent: \d+ requests not asked")
    with BatchServer(worst=True, seconds=0.02) as server, asked_in_part:
        ask(server, 60, Limits(budget=budget, journal=Journal()))
    assert 0.5 * budget < charged_cost(server) <= budget


def test_work_is_split_where_the_budget_does_not_suffice_for_all() -> None:
    with BatchServer(seconds=0.02) as server:
        found = ask(server, 60, Limits(budget=0.003, journal=Journal()))
        assert all_right(found, 60) and len(server.batches) > 1
    assert booked_cost(found) < 0.003


def test_a_batch_costs_the_discounted_price() -> None:
    assert API(price=PRICE).charged == PRICE
    assert API(price=PRICE, batch=True).charged == Price(input=0.5, output=1)  # type: ignore[arg-type]
    assert API(price=PRICE, batch=BatchAPI(discount=0.25)).charged == Price(input=0.75, output=1.5)
    assert API(batch=False).batch is None  # type: ignore[arg-type]
    with pytest.raises(ValidationError):
        API(batch={"discount": 1})  # type: ignore[arg-type]


# --- answers that differ between providers ---------------------------------------------------------------------------


@dataclass(slots=True)
class Strange(BatchServer):
    """A server that writes states, counts and metadata as another provider does."""

    def _carry_out(self, *words: Any) -> Any:
        status, told = BatchServer._carry_out(self, *words)
        if isinstance(told, dict) and "request_counts" in told:
            told = {**told, "status": told["status"].upper().replace("IN_PROGRESS", "PROGRESS"), "request_counts": 3}
            del told["metadata"]
            told = {"job": told}
        elif isinstance(told, dict) and "has_more" in told:
            del told["has_more"]
            told["data"] = [self.batches[name].row for name in self.batches]  # all batches, whatever `after` says
        return status, told


def test_states_and_counts_of_other_providers_are_read() -> None:
    with Strange(calls={"drop-after": 0.2}, seconds=0.05) as server:
        assert all_right(ask(server, 20, batch={"requests": 5}), 20)
        assert server.account()["twice"] == 0


def test_zhipu_has_another_version() -> None:
    api = {"base_url": "https://open.bigmodel.cn/api/paas/v4"}
    one = Model(name="m", backend="openai", path="x", chat=True, api=API(**api))  # type: ignore[arg-type]
    assert module.endpoint_of(one) == "/v4/chat/completions"
    assert module.endpoint_of(one.model_copy(update={"chat": False, "api": API()})) == "/v1/completions"


# --- whole runs ----------------------------------------------------------------------------------------------------

ASKED: dict[str, Any] = {"tasks": ["event_cause", "slot_identification"], "limit": 8, "shots": [0, 1]}


class Same(BatchServer):
    """A server whose faults depend on the prompt alone: the samples of one prompt arrive in any order, so faults by
    order would differ."""

    def _kind(self, name: str, times: int) -> str:
        return BatchServer._kind(self, name, 0)


@pytest.fixture
def server() -> Iterator[BatchServer]:
    mix = {"reasoning": 0.1, "length": 0.1, "filtered": 0.05, "400-filter": 0.05, "400": 0.1}
    with Same(mix=mix, seed=5, seconds=0.05) as server:
        yield server


def write_models(server: BatchServer, path: Path, batch: str = "") -> Path:
    api = f"base_url: '{server.url}', key_env: MARKER_KEY, backoff: 0.02, price: {{input: 1, output: 2}}{batch}"
    path.write_text(
        f"models:\n  - {{name: m, backend: openai, path: x, chat: true, api: {{{api}}}}}\n"
        f"  - {{name: base, backend: openai, path: y, api: {{{api}}}, generation: {{temperature: 0.7, samples: 2, seed: null}}}}\n"
    )
    return path


def costs(run: Path) -> list[float]:
    return [cell["tokens"]["cost"] for cell in results_json(run)["cells"]]


@pytest.mark.thorough
def test_a_run_has_the_same_bytes(server: BatchServer, tmp_path: Path) -> None:
    """The bytes are those of a run that asks directly, but for the price."""
    direct = write_models(server, tmp_path / "direct.yaml")
    batch = write_models(server, tmp_path / "batch.yaml", ", batch: {poll: 0.05, requests: 20, discount: 0}")
    evalsuite.run(direct, out=tmp_path / "a", **ASKED)
    server.calls = {"drop-after": 0.1, "half": 0.1, "429": 0.1}
    evalsuite.run(batch, out=tmp_path / "b", **ASKED)
    assert compared_files(tmp_path / "a") == compared_files(tmp_path / "b")
    with Store(tmp_path / "a" / "store.sqlite") as a, Store(tmp_path / "b" / "store.sqlite") as b:
        assert a.spent() == pytest.approx(b.spent()) and not b.batches()
    half = write_models(server, tmp_path / "half.yaml", ", batch: {poll: 0.05}")
    evalsuite.run(half, out=tmp_path / "b", **ASKED)  # every reply is there, and only prices change
    assert [x / 2 for x in costs(tmp_path / "a")] == pytest.approx(costs(tmp_path / "b"))


@pytest.mark.thorough
def test_kill_9_while_replies_are_stored(tmp_path: Path, cli: Any) -> None:
    calls = {"drop-after": 0.1, "half": 0.1}
    with BatchServer(mix={"500": 0.1}, calls=calls, seconds=0.1) as server:
        models = write_models(server, tmp_path / "models.yaml", ", batch: {poll: 0.1, requests: 15}")
        words = [
            "run",
            "--models",
            models,
            "--model",
            "m",
            "--tasks",
            "event_cause,slot_identification",
            "--limit",
            "12",
        ]
        with kill_points.commands("openai") as kill:
            for goal in (1, 20):
                kill(goal, [*words, "--out", tmp_path / "run"])
        cli(*words, "--out", tmp_path / "run")
        assert server.account()["twice"] == 0
    with sqlite3.connect(tmp_path / "run" / "store.sqlite") as db:
        assert db.execute("SELECT count(*), max(asked) FROM replies").fetchone() == (48, 1)
        assert db.execute("SELECT count(*) FROM batches").fetchone() == (0,)
        (spent,) = db.execute("SELECT sum(cost) FROM spent").fetchone()
    assert spent == pytest.approx(charged_cost(server))


@pytest.mark.slow
def test_judges_and_the_second_reader_ask_in_batches(server: BatchServer, tmp_path: Path) -> None:
    server.mix = {}
    models = write_models(server, tmp_path / "models.yaml", ", batch: {poll: 0.05}")
    out = tmp_path / "run"
    evalsuite.run(models, model=["m"], tasks=["event_cause", "knowledge_generation"], limit=4, out=out)
    before = len(server.batches)
    results = evalsuite.judge(out, "base", models=models, limit=3)
    assert len(server.batches) > before and not [p for p in results.problems if "m:" in p]
    before = len(server.batches)
    evalsuite.score(out, second_reader="m", models=models, second_sample=3)
    assert len(server.batches) > before
    assert not server.counted.keys() & {"POST chat"} and all(
        "batch" in k or "files" in k for k in server.counted if "/" in k
    )


def test_contamination_keeps_notes_of_its_batches(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.mix = {}
    models = write_models(server, tmp_path / "models.yaml", ", batch: {poll: 0.05}")
    monkeypatch.setattr(UnsavedJournal, "put_batch", None)  # a kill would lose what it holds
    found = evalsuite.contamination(
        "m",
        models,
        tasks=["event_cause"],
        set="easy",
        data="bundled:sample",
        control="none",
        completions=3,
        out=tmp_path / "run",
    )
    assert not found.problems and found.rows and server.batches


def test_the_store_counts_a_batch_under_way_as_spent(tmp_path: Path) -> None:
    with Store(tmp_path / "store.sqlite") as store:
        store.put_batch("a", {"lines": ["x"]}, 3.0)
        store.put_batch("b", {"lines": ["y"]}, 2.0)
        store.put_batch("a", {"lines": ["x"], "file": "f"}, 3.0)
        assert store.spent() == 5 and store.batches()["a"] == {"lines": ["x"], "file": "f"}
        store.end_batch("a", 0.5)
        assert store.spent() == 2.5 and list(store.batches()) == ["b"]
    with sqlite3.connect(tmp_path / "store.sqlite") as db:
        db.execute("DROP TABLE batches")  # as older versions wrote it
    with Store(tmp_path / "store.sqlite") as store:
        assert store.batches() == {} and store.spent() == 0.5


def test_hostile_values_of_a_batch_are_refused() -> None:
    """Every value of a batch's state is checked: ids go into addresses and the store, messages into the store, counts into
    figures."""
    for value in ("../files", "a\n", "a b", "x?y", "\ud800", "", "a" * 501, 7):
        with pytest.raises(TransientError, match="no id"):
            provider._batch_state({"id": value})
    assert provider._batch_state({"id": "batches/a-1"}).id == "batches/a-1"
    counts = {"completed": 10**400, "failed": -1}
    seen = provider._batch_state(
        {"id": "b", "output_file_id": "../x", "error_file_id": {"a": 1}, "request_counts": counts}
    )
    assert (seen.files, seen.completed, seen.failed) == ((), None, 0)
    (problem,) = provider._problems([{"code": "c", "message": "\ud800"}])
    assert str(problem).encode()
    with pytest.raises(LineError, match="status_code"):
        read_batch_line({"response": {"status_code": "9" * 5000, "body": {}}}, {})


def test_calls_of_the_provider() -> None:
    with BatchServer(seconds=0) as server:
        provider = Provider(API(base_url=server.url, key_env=None), "")
        with pytest.raises(NotFoundError):
            provider.look("nothing")
        with pytest.raises(NotFoundError):
            provider.content("nothing")
        assert provider.find("name", "file") is None
        server.calls = {"429": 1}
        with pytest.raises(TransientError) as raised:
            provider.look("x")
        assert not raised.value.lost
        provider.close()


@pytest.fixture
def lister() -> Iterator[tuple[BatchServer, Provider]]:
    """A server with four batches on two pages, and an endpoint that asks again at once."""
    with BatchServer(seconds=0) as server:
        provider = Provider(API(base_url=server.url, key_env=None, backoff=0.001), "")
        for name in "abcd":
            provider.create(name, provider.upload(name, b""), "/v1/completions", "24h")
        server.counted.clear()
        yield server, provider
        provider.close()


def test_a_page_of_the_list_is_fetched_again_after_a_fault(lister: tuple[BatchServer, Provider]) -> None:
    """Only that page: the batch on the second one is found after six faults among eight calls."""
    server, provider = lister
    server.calls, server.seed = {"500": 0.3, "malformed": 0.3, "drop": 0.2}, 13
    found = provider.find("a", "")
    assert found and found.id == "batch_0"
    assert server.counted["GET batches"] == 8
    assert sum(server.counted[kind] for kind in server.calls) == 6


def test_a_list_that_never_comes_is_given_up(
    lister: tuple[BatchServer, Provider], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After eight calls; after one if the endpoint says how long to wait."""
    server, provider = lister
    server.calls = {"500": 1}
    with pytest.raises(TransientError, match="500"):
        provider.find("a", "")
    assert server.counted["GET batches"] == 8
    calls: list[object] = []

    def busy(*call: object, **fields: object) -> bytes:
        calls.append(call)
        raise TransientError("429", "busy", 5.0)

    monkeypatch.setattr(provider, "_call", busy)
    with pytest.raises(TransientError, match="busy"):
        provider.find("a", "")
    assert len(calls) == 1
    monkeypatch.setattr(provider, "_call", lambda *call, **fields: calls.append(call) or b'{"data": null}')
    with pytest.raises(TransientError, match="has no data"):
        provider.find("a", "")
    assert len(calls) == 9


def test_replies_that_were_read_stay_when_the_endpoint_forgets_the_batch() -> None:
    begun = Begun("name", {"a": 1.0, "b": 1.0}, 0.0, "file", "id")
    read = Ended("name", begun.lines, 0.0, "file", "id", Seen("id", "completed"), {"a": Response("答", "stop")})
    gone = Seen("id", "gone")
    assert ended(read, gone).outcomes == read.outcomes and ended(read, gone).missing() == ["b"]
    assert ended(begun, gone).missing() == ["a", "b"]
