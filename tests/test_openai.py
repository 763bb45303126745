"""Endpoints: the backend against a real server that misbehaves on purpose, alone and through whole runs."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path
from typing import Any

import kill_points
import processes
import pytest
from as_json import cells_of
from needs import needs
from pydantic import ValidationError
from run_files import read_jsonl

import evalsuite
from evalsuite.backends.base import Limits
from evalsuite.backends.model import API, Generation, Model, Price
from evalsuite.backends.openai.asking import GenerateCall
from evalsuite.backends.openai.backend import OpenAI
from evalsuite.backends.openai.faults import MIX, Server, prompt_id, reply_to
from evalsuite.backends.openai.replies import (
    EndpointError,
    LimitNameError,
    RequestError,
    TransientError,
    read_error,
    read_reply,
)
from evalsuite.common.errors import BackendError
from evalsuite.evaluation.ask import RequestGroup, limits_of
from evalsuite.evaluation.ask import ask as ask_stored
from evalsuite.evaluation.display import Display, ProgressLine
from evalsuite.results.records import read_records
from evalsuite.results.store import Store
from evalsuite.types import Message, Request, Response

needs("openai", "openai", "tenacity", "aiolimiter")

KEY = "sk-marker-9f8e7d6c5b4a"
PATIENT = 600.0  # seconds: no reply is late on a busy machine
STALLS = ("stall", "stall-middle")
CALM = {kind: share for kind, share in MIX.items() if kind not in STALLS}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARKER_KEY", KEY)


def request(n: int, text: str = "提示") -> Request:
    prompt = f"{text}{n}"
    turns = (Message("user", "甲"), Message("assistant", "乙"), Message("user", prompt))
    return Request(f"i/{n}", prompt, turns, 32)


def model(server: Server, chat: bool = True, generation: Generation | None = None, **api: Any) -> Model:
    settings = {"key_env": "MARKER_KEY", "backoff": 0.02, "timeout": PATIENT, "attempts": 12, **api}
    return Model(name="m", backend="openai", path="x", chat=chat, generation=generation or Generation(),
                 api=API(base_url=server.url, **settings))  # fmt: skip


def ask(server: Server, count: int, limits: Limits | None = None, **more: Any) -> dict[int, Response]:
    asked = [request(n) for n in range(count)]
    groups = OpenAI(model(server, **more), limits or Limits()).generate(asked, [False] * count)
    rows = list(chain.from_iterable(groups))
    found = dict(rows)
    assert len(found) == len(rows)  # none answered twice
    return found


def right_reply(n: int) -> str:
    return reply_to("\n".join(m.content for m in request(n).messages))


# --- faults that go away -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kind", CALM)
def test_every_fault_alone_ends_with_the_reply(kind: str) -> None:
    share = {"429-date": 0.04, "429-seconds": 0.08}.get(kind, 0.25)
    with Server(mix={kind: share}, retry_after=1 if kind == "429-date" else 0.4) as server:
        found = ask(server, 60)
    assert {n: r.text for n, r in found.items()} == {n: right_reply(n) for n in range(60)}
    account = server.account()
    assert account["kinds"][kind] > 0
    if kind != "duplicate":  # a duplicate is a reply, no fault
        assert all(a.whole == 1 for a in server.asked.values())
        assert account["requests"] == 60 + account["kinds"][kind]


@pytest.mark.parametrize("kind", STALLS)
def test_a_stalled_request_is_asked_again(kind: str) -> None:
    """The stalled request never gets a reply. On a busy machine others may be late and asked again, too."""
    with Server(mix={kind: 0.1}, stall=PATIENT) as server:
        found = ask(server, 40, timeout=1.0, attempts=100)
    assert {n: r.text for n, r in found.items()} == {n: right_reply(n) for n in range(40)}
    account = server.account()
    assert account["kinds"][kind] > 0 and account["requests"] >= 40 + account["kinds"][kind]


@pytest.mark.slow
def test_all_faults_together_lose_nothing() -> None:
    with Server(mix=CALM, retry_after=0.3) as server:
        found = ask(server, 200)
    assert {n: r.text for n, r in found.items()} == {n: right_reply(n) for n in range(200)}
    assert all(a.whole == 1 for a in server.asked.values())


def test_nothing_is_sent_before_retry_after_is_over() -> None:
    """Neither the refused request nor another one is sent. Requests go one at a time, so none is under way when the server
    asks for the pause."""
    with Server(mix={"429-seconds": 0.15}, retry_after=0.8, seed=1) as server:
        found = ask(server, 20, max_concurrency=1)
    assert len(found) == 20 and server.account()["kinds"]["429-seconds"] > 1
    assert server.early == 0


def test_a_server_that_never_answers_ends_as_recorded_failures() -> None:
    with Server(mix={"500": 1.0}) as server:
        found = ask(server, 5, attempts=2)
        assert {r.error for r in found.values()} == {"500: The server had an error (Bearer ***) (asked 2 times)"}
        assert server.account()["requests"] == 10
        with pytest.raises(BackendError, match="the last 20 requests were all tried 2 times in vain"):
            ask(server, 200, attempts=2)
        assert server.account()["requests"] < 10 + 2 * 70


def test_an_endpoint_that_refuses_requests_between_failures_is_not_down() -> None:
    class Alternating(Server):
        def _kind(self, name: str, times: int) -> str:
            return "400" if len(self.asked) % 2 else "500"

    with Alternating() as server:
        found = ask(server, 44, attempts=1, max_concurrency=1)
    assert len(found) == 44 and sum(str(r.error).startswith("500") for r in found.values()) == 22


def test_no_server_at_all() -> None:
    with Server() as server:
        pass
    found = ask(server, 2, attempts=1, timeout=1.0)
    assert len(found) == 2 and all(r.error and "onnection" in r.error for r in found.values())


# --- replies -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind, text, finish, reasoning",
    [
        ("duplicate", right_reply(0), "stop", None),
        ("surrogate", right_reply(0) + "\\ud83d", "stop", None),
        ("echo", right_reply(0) + "Bearer ***", "stop", None),
        ("reasoning", right_reply(0), "stop", "想：" + prompt_id("甲\n乙\n提示0")),
        ("length", right_reply(0), "length", None),
        ("filtered", "", "content_filter", None),
        ("400-filter", "", "content_filter", None),
        ("400-max_tokens", right_reply(0), "stop", None),
    ],
)
def test_each_kind_of_reply_is_stored_as_it_is(kind: str, text: str, finish: str, reasoning: str | None) -> None:
    with Server(mix={kind: 1.0}) as server:
        reply = ask(server, 1)[0]
    assert (reply.text, reply.finish, reply.reasoning, reply.error) == (text, finish, reasoning, None)
    assert server.account()["requests"] == (2 if kind == "400-max_tokens" else 1)


def test_the_limits_other_name_is_learnt_once() -> None:
    with Server(mix={"400-max_tokens": 1.0}) as server:
        assert len(ask(server, 40, max_concurrency=2)) == 40
        assert 40 < server.account()["requests"] <= 42


def test_a_base_model_is_asked_for_completions() -> None:
    with Server(mix={"500": 0.2}) as server:
        found = ask(server, 20, chat=False)
    assert {n: r.text for n, r in found.items()} == {n: reply_to(f"提示{n}") for n in range(20)}


def test_half_a_character_in_a_prompt() -> None:
    asked = request(0, "\ud83d提示")
    with Server(mix={}) as server:
        ((_, reply),) = chain.from_iterable(OpenAI(model(server), Limits()).generate([asked], [False]))
    assert reply.text.startswith("答：")


_JSON = {"content-type": "application/json"}


def chat(**choice: Any) -> bytes:
    return json.dumps({"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": None}}).encode()


@pytest.mark.parametrize(
    "body, expected",
    [
        (chat(message={"content": None, "reasoning": "想"}, finish_reason="length"), ("", "length", "想")),
        (chat(message={"content": None, "refusal": "我不能"}, finish_reason="stop"), ("我不能", "stop", None)),
        (chat(message={"content": [{"type": "text", "text": "a"}]}, finish_reason=None), ("a", "stop", None)),
        (chat(message={"content": "<think>b</think>a"}), ("<think>b</think>a", "stop", None)),
        (chat(message={"content": "a"}, finish_reason="sensitive"), ("", "content_filter", None)),
        (chat(message={"content": "a"}, finish_reason="model_length"), ("a", "length", None)),  # Mistral
        (chat(message={"content": "a"}, finish_reason="model_context_window_exceeded"), ("a", "length", None)),  # Zhipu
        (chat(text="a", finish_reason="stop"), ("a", "stop", None)),
        (b'{"choices": [{"message": {"content": "\\ud83d\\ude00\\ud83d"}}]}', ("😀\\ud83d", "stop", None)),
    ],
)
def test_messages_are_read(body: bytes, expected: tuple[str, str, str | None]) -> None:
    reply = read_reply(_JSON, body)
    assert (reply.text, reply.finish, reply.reasoning) == expected


@pytest.mark.usefixtures("no_finalizers")
@pytest.mark.parametrize(
    "body",
    [
        b"", b"[]", b"null", b"{}", b'{"choices": {}}', b'{"choices": [null]}', b'{"choices": [{"message": null}]}',
        b'{"error": {"code": 502}}', b'"\xff"', b"[" * 100_000,
        chat(message={"content": "a"}, finish_reason="insufficient_system_resource"),
        chat(message={"content": "a"}, finish_reason="network_error"),
        chat(message={"content": "a"}, finish_reason="abort"),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_read_may_have_been_charged(body: bytes) -> None:
    with pytest.raises(TransientError) as caught:
        read_reply(_JSON, body)
    assert caught.value.lost


@pytest.mark.parametrize(
    "kind, expected",
    [
        (
            "text/event-stream; charset=utf-8",
            "the endpoint streams its reply, which was not asked for: turn that off there",
        ),
        ("text/html", 'the reply is text/html, not JSON: data: {"n": 1} data: [DONE]'),
    ],
)
def test_an_error_about_a_body_that_is_no_json_is_one_line(kind: str, expected: str) -> None:
    with pytest.raises(TransientError) as caught:
        read_reply({"content-type": kind}, b'data: {"n": 1}\n\ndata: [DONE]\n\n')
    assert str(caught.value) == expected and caught.value.lost


@pytest.mark.parametrize(
    "status, error",
    [
        (400, {"code": "content_filter", "innererror": {"code": "ResponsibleAIPolicyViolation"}}),  # Azure
        (400, {"message": "m", "innererror": {"code": "ResponsibleAIPolicyViolation"}}),
        (
            400,
            {"code": "data_inspection_failed", "message": "Input data may contain inappropriate content."},
        ),  # DashScope
        (400, {"message": "Content Exists Risk", "type": "invalid_request_error"}),  # DeepSeek
        (400, {"code": "1301", "message": "系统检测到输入或生成内容可能包含不安全或敏感内容，请您避免输入。"}),  # Zhipu
        (400, {"code": "InputTextRiskDetection", "message": "The request could not be processed"}),  # Volcengine
        (422, {"message": "input new_sensitive (1026)"}),  # MiniMax
        (400, {"code": "sensitive_words_detected", "message": "input contains sensitive words"}),  # gateways
    ],
)
def test_content_filters_by_their_errors(status: int, error: dict[str, Any]) -> None:
    assert read_error(status, {}, json.dumps({"error": error}).encode(), {}).finish == "content_filter"


_ASKED = {"temperature": None, "stop": None, "max_tokens": None, "enable_thinking": None}


@pytest.mark.parametrize(
    "status, error, kind, says",
    [
        (401, "no", EndpointError, "refuses the key"),
        (403, {"message": "no"}, EndpointError, "refuses the key"),
        (404, {"message": "no such model"}, EndpointError, "does not know this model"),
        (402, {"message": "Insufficient Balance"}, EndpointError, "paid"),
        (429, {"code": "insufficient_quota"}, EndpointError, "paid"),
        (400, {"code": "Arrearage", "message": "Access denied"}, EndpointError, "paid"),
        (400, {"message": "Unsupported value: 'temperature' does not support 0", "param": "temperature"}, EndpointError,
         r"generation: \{temperature: null\}"),
        (400, {"message": "parameter.enable_thinking must be set to false for non-streaming calls"}, EndpointError, "parameters"),
        (400, {"message": "This model only support stream mode, please enable the stream parameter"}, EndpointError, "a stream only"),
        (400, {"message": "Too many 'stop' sequences"}, EndpointError, "generation: stop"),
        (400, {"message": "we must stop here"}, RequestError, "400"),
        (400, {"message": "maximum context length is 8 tokens", "param": "max_tokens"}, RequestError, "context"),
        (400, {"message": "Use 'max_completion_tokens' instead", "param": "max_tokens"}, LimitNameError, "400"),
        (413, "too large", RequestError, "413"),
        (429, "slow", TransientError, "429"),
        (503, "busy", TransientError, "503"),
        (529, "busy", TransientError, "529"),
    ],
)  # fmt: skip
def test_errors_are_told_apart(status: int, error: Any, kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says):
        read_error(status, {}, json.dumps({"error": error}).encode(), _ASKED)


@pytest.mark.parametrize(
    "body", [{"error": None, "message": "Insufficient Balance"}, {"errors": [{"message": "Insufficient Balance"}]}]
)
def test_an_error_beside_the_usual_field_is_read(body: dict[str, Any]) -> None:
    with pytest.raises(EndpointError, match=r"wants to be paid first \(403: .*Insufficient Balance"):
        read_error(403, {}, json.dumps(body).encode(), _ASKED)


@pytest.mark.parametrize(
    "headers, seconds",
    [
        ({}, None),
        ({"retry-after": "3"}, 3),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:07 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 7),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
    ],
)
def test_retry_after_is_read(headers: dict[str, str], seconds: float | None) -> None:
    with pytest.raises(TransientError) as caught:
        read_error(429, headers, b"", {})
    assert caught.value.after == seconds


def test_a_wait_of_hours_stops_the_model_instead() -> None:
    with pytest.raises(EndpointError, match="asks to wait for 7200 s"):
        read_error(429, {"retry-after": "7200"}, b"", {})


# --- what stops everything ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind, says",
    [
        ("401", "refuses the key"),
        ("404", "does not know this model"),
        ("429-quota", "paid"),
        ("400-temperature", "temperature: null"),
    ],
)
def test_fatal_errors_stop_early_and_keep_what_is_there(kind: str, says: str) -> None:
    with Server(mix={kind: 0.05}, seed=3) as server:
        groups = OpenAI(model(server), Limits()).generate([request(n) for n in range(300)], [False] * 300)
        found: dict[int, Response] = {}
        with pytest.raises(BackendError, match=says) as caught:
            for group in groups:
                found.update(group)
    assert KEY not in str(caught.value)
    requests = server.account()["requests"]
    assert 1 < requests < 250 and len(found) == requests
    assert all(r.error or r.text == right_reply(n) for n, r in found.items())


def test_one_long_prompt_fails_alone() -> None:
    with Server(mix={"400": 0.2}) as server:
        found = ask(server, 30)
    failed = [r.error for r in found.values() if r.error]
    assert len(found) == 30 and 0 < len(failed) == server.account()["kinds"]["400"] < 30
    assert "maximum context length" in str(failed[0])


def test_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with Server() as server:
        with pytest.raises(BackendError, match=r"--budget.*price: \{input"):
            OpenAI(model(server), Limits(budget=1))
        with pytest.raises(BackendError, match="environment variable NO_SUCH_KEY is not set"):
            OpenAI(model(server, key_env="NO_SUCH_KEY"), Limits())
        monkeypatch.setenv("MARKER_KEY", "sk-\n-1")
        with pytest.raises(BackendError, match="characters that no key has") as caught:
            OpenAI(model(server), Limits())
        assert "sk-" not in str(caught.value)
        OpenAI(model(server, key_env=None), Limits())
        monkeypatch.setitem(sys.modules, "tenacity", None)
        with pytest.raises(BackendError, match=r"pip install 'evalsuite\[openai\]'"):
            OpenAI(model(server, key_env=None), Limits())
    assert not server.asked


@pytest.mark.parametrize(
    "settings",
    [
        {"base_url": "ftp://x"},
        {"base_url": "https://u:p@x/v1"},
        {"parameters": {"n": 2}},
        {"parameters": {"stream": True}},
    ],
)
def test_settings_that_cannot_be(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        API(**settings)


def test_the_fingerprint_and_settings_tell_what_changes_a_reply() -> None:
    with Server() as server:
        base = OpenAI(model(server), Limits())
        others = [
            OpenAI(model(server, chat=False), Limits()),
            OpenAI(model(server, parameters={"enable_thinking": False}), Limits()),
            OpenAI(model(server, temperature=None), Limits()),
            OpenAI(model(server, reasoning_tokens=9), Limits()),
            OpenAI(model(server, generation=Generation(stop=["\n"])), Limits()),
        ]
        same = OpenAI(model(server, timeout=9.0, max_concurrency=2), Limits())
    assert (same.fingerprint, same.settings) == (base.fingerprint, base.settings)
    assert all((o.fingerprint, o.settings) != (base.fingerprint, base.settings) for o in others)
    assert KEY not in repr((base, vars(base)["settings"], base.fingerprint))


class Holding(Server):
    """A server that replies to ten requests, and to no more."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.left, self.held = 10, threading.Event()

    async def _reply(self, *given: Any) -> bool:
        if not self.left:
            self.held.set()
            await asyncio.sleep(PATIENT)
        self.left -= 1
        return await super()._reply(*given)


# --- how fast -------------------------------------------------------------------------------------------------------


class Crowded(Server):
    """A server that replies only when as many wait as one more than it has replied to, four at first, twelve at last."""

    async def _reply(self, *given: Any) -> bool:
        while self._at_once < min(12, 4 + self.replied, 120 - self.replied):
            await asyncio.sleep(0.001)
        self.replied += 1
        return await super()._reply(*given)

    replied = 0


def test_concurrency_grows_to_its_bound_and_no_further() -> None:
    with Crowded(mix={}) as server:
        assert len(ask(server, 120, max_concurrency=12)) == 120
        assert server.most_at_once == 12
        server.most_at_once = 0
        ask(server, 20, limits=Limits(max_concurrency=2))
        assert server.most_at_once <= 2


@pytest.mark.parametrize("rate", [{"requests_per_minute": 600.0}, {"tokens_per_minute": 600.0 * 63}])
def test_rates_are_kept(rate: dict[str, float]) -> None:
    """A lower bound, which no slow machine breaks: ten a second, the first ten at once."""
    with Server(mix={}) as server:
        began = time.monotonic()
        ask(server, 25, **rate)
        assert time.monotonic() - began > 1.3


# --- what it costs --------------------------------------------------------------------------------------------------

PRICE = Price(input=2000, output=8000)


def charged_cost(server: Server) -> float:
    return (server.prompt_tokens * PRICE.input + server.new_tokens * PRICE.output) / 1e6


@pytest.mark.parametrize("budget", [0.001, 0.7, 3.0, 11.0])
@pytest.mark.parametrize("worst", [False, True])
@pytest.mark.parametrize(
    "mix", [{}, {"drop-middle": 0.2, "truncated": 0.2, "no-usage": 0.1, "500": 0.1}], ids=["good", "bad"]
)
def test_a_budget_is_never_passed(budget: float, worst: bool, mix: dict[str, float]) -> None:
    """The budget holds whatever the endpoint charges; the rest of a run's budget is there for the next one."""
    spent = 0.0
    done = [False] * 80
    asked = [request(n) for n in range(80)]
    with Server(mix=mix, worst=worst) as server:
        for _ in range(3):
            stakes: list[float] = []
            backend = OpenAI(model(server, price=PRICE, attempts=3), Limits(budget, spent, lend=stakes.append))
            with pytest.raises(BackendError, match=f"budget of {budget:g} spent: .* raise --budget"):
                for n, reply in chain.from_iterable(backend.generate(asked, done)):
                    spent += reply.cost
                    done[n] = reply.error is None
            assert charged_cost(server) <= spent + 1e-9 <= budget + 2e-9
            assert abs(sum(stakes)) < 1e-9  # all that was at stake was given back
    assert budget - spent < 0.6  # the worst case of one request: it stops only when none fits


def test_a_budget_is_never_passed_by_calls_of_one_backend() -> None:
    """The calls are those of --until: round after round, with the backend that was loaded at the beginning."""
    spent = 0.0
    with Server(mix={}) as server:
        backend = OpenAI(model(server, price=PRICE), Limits(0.7, lambda: spent))
        with pytest.raises(BackendError, match=r"budget of 0\.7 spent"):
            for n in range(0, 2000, 20):
                for _, reply in chain.from_iterable(
                    backend.generate([request(k) for k in range(n, n + 20)], [False] * 20)
                ):
                    spent += reply.cost
        assert 0.1 < charged_cost(server) <= 0.7


def test_costs_are_what_the_endpoint_charged() -> None:
    with Server(mix={"500": 0.2}) as server:
        found = ask(server, 30, price=PRICE)
    assert sum(r.cost for r in found.values()) == pytest.approx(charged_cost(server))
    assert all(r.prompt_tokens and r.new_tokens for r in found.values())


def test_a_run_that_is_broken_off_keeps_what_may_have_been_charged() -> None:
    stakes: list[float] = []
    with Holding(mix={}, worst=True) as server:
        groups = OpenAI(model(server, price=PRICE), Limits(lend=stakes.append)).generate(
            [request(n) for n in range(100)], [False] * 100
        )
        told = sum(r.cost for _, r in next(iter(groups)))
        groups.close()  # type: ignore[attr-defined]
        assert not any(t.name.startswith("endpoint of") for t in threading.enumerate()), "it goes on asking"
    assert server.account()["requests"] < 100
    assert told + sum(stakes) >= charged_cost(server) - 1e-9


# --- whole runs, as a user makes them -------------------------------------------------------------------------------


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[tuple[Server, Path]]:
    """A bad endpoint, and the models.yaml that names it."""
    with Server(retry_after=0.2, mix={**CALM, "echo": 0.05, "filtered": 0.02, "400": 0.02}) as server:
        yield server, models_yaml(server, tmp_path)


def models_yaml(server: Server, folder: Path) -> Path:
    """A models.yaml with the server as its only model."""
    path = folder / "models.yaml"
    path.write_text(
        f"models: [{{name: m, backend: openai, path: x, chat: true, api: {{base_url: '{server.url}', key_env: MARKER_KEY, "
        f"timeout: {PATIENT}, backoff: 0.02, attempts: 12, max_concurrency: 8, price: {{input: 1, output: 2}}}}}}]"
    )
    return path


FEW = ["--tasks", "knowledge_filling,conflict_detection", "--set", "easy", "--limit", "60"]


def command(models: Path, out: Path, *more: str) -> list[str]:
    return ["run", "--models", str(models), "--out", str(out), *more]


def start(*words: str, **more: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "evalsuite.cli", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def stored_prompts(out: Path) -> set[str]:
    """The prompts that have replies in a run's store."""
    with sqlite3.connect(out / "store.sqlite") as db:
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'replies'").fetchone():
            return set()
        rows = db.execute("SELECT r.request FROM requests r JOIN replies p ON p.key = r.key").fetchall()
    import zlib

    turns = [json.loads(zlib.decompress(row))["messages"] for (row,) in rows]
    return {prompt_id("\n".join(m["content"] for m in messages)) for messages in turns}


@pytest.mark.thorough
def test_a_killed_run_loses_and_repeats_nothing(endpoint: tuple[Server, Path], tmp_path: Path, cli: Any) -> None:
    """Killed twice: none lost, none mixed up, none asked again that was stored, all charges known."""
    server, models = endpoint
    out = tmp_path / "run"
    asked: dict[str, int] = {}
    with kill_points.commands("openai") as kill:
        for goal in (20, 50):
            kill(goal, command(models, out, *FEW))
            asked |= {name: server.asked[name].times for name in stored_prompts(out) - asked.keys()}
    assert asked
    cli(*command(models, out, *FEW), expect=1)  # the prompts that are too long
    with sqlite3.connect(out / "store.sqlite") as db:
        assert db.execute("SELECT max(asked) FROM replies").fetchone() == (1,)
        replies = db.execute("SELECT count(*) FROM replies").fetchone()[0]
        failures = db.execute("SELECT count(*) FROM failures").fetchone()[0]
        keys = db.execute("SELECT count(DISTINCT key) FROM requests").fetchone()[0]
        spent = db.execute("SELECT sum(cost) FROM spent").fetchone()[0]
    assert replies + failures == keys and failures > 0
    assert {name: server.asked[name].times for name in asked} == asked
    assert spent >= (server.prompt_tokens + 2 * server.new_tokens) / 1e6 - 1e-12
    for file in out.glob("records/*"):
        for record in read_jsonl(file):
            prompt = "\n".join(m["content"] for m in record["messages"])
            assert (record["reply"] or reply_to(prompt)).startswith(reply_to(prompt))


@pytest.mark.thorough
def test_the_key_is_shown_nowhere(endpoint: tuple[Server, Path], tmp_path: Path) -> None:
    server, models = endpoint
    out = tmp_path / "run"
    said = []
    with processes.commands("openai", OPENAI_LOG="debug") as run:  # the variable is read at import
        for mix, task in (({**server.mix, "echo": 0.3}, "knowledge_filling"), ({"401": 1.0}, "conflict_detection")):
            server.mix = mix
            said.append(
                run(tmp_path, *command(models, out, "-v", "--tasks", task, "--set", "easy", "--limit", "20"))[1]
            )
    assert "refuses the key (401: Incorrect API key provided (Bearer ***))" in said[-1]
    assert KEY not in "".join(said) and "Bearer ***" in "".join(said)
    assert server.account()["kinds"]["echo"] > 0
    for file in out.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file


def test_replies_that_came_before_ctrl_c_are_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C comes while the first replies are stored and scored, and all others have come."""
    calls = list[GenerateCall]()

    def call(*parts: Any) -> GenerateCall:
        calls.append(GenerateCall(*parts))
        return calls[-1]

    def stop(asked: Request, response: Response) -> float:
        while calls[0].left:
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr("evalsuite.backends.openai.backend.GenerateCall", call)
    requests = [request(n) for n in range(40)]
    keys = [r.id for r in requests]
    with Server(mix={}) as server, Store(tmp_path / "store.sqlite") as store, Display() as display:
        backend = OpenAI(model(server), limits_of(store, display, None))
        group = RequestGroup(ProgressLine("m", "t", "w"), requests, keys)
        with pytest.raises(KeyboardInterrupt):
            ask_stored([group], backend.generate, store, display, stop)
        assert store.done(keys) == {*keys}


def test_a_group_is_stored_if_ctrl_c_comes_while_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stops = iter([KeyboardInterrupt()])

    def interrupted(self: Store, amount: float) -> None:
        for stop in stops:
            raise stop

    monkeypatch.setattr(Store, "_add_bound", interrupted)
    with Store(tmp_path / "store.sqlite") as store, Display() as display:
        group = RequestGroup(ProgressLine("m", "t", "w"), [request(0)], ["a"])
        with pytest.raises(KeyboardInterrupt):
            ask_stored([group], lambda asked, done: iter([[(0, Response("好", "stop"))]]), store, display)
        assert store.done(["a"]) == {"a"}


@pytest.mark.thorough
def test_ctrl_c_ends_with_130_and_keeps_replies(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with Holding(mix={}) as server:
        process = start(*command(models_yaml(server, tmp_path), out))
        while not server.held.wait(1):
            assert process.poll() is None, process.communicate()[1]
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert errors.splitlines()[-1].startswith("stopped; all replies so far are stored") and "Traceback" not in errors
    assert len(stored_prompts(out)) <= 10


@pytest.mark.slow
def test_a_budget_over_several_runs(endpoint: tuple[Server, Path], tmp_path: Path) -> None:
    server, models = endpoint
    server.mix = {"drop-middle": 0.1}
    out = tmp_path / "run"
    missing = []
    for budget in (0.02, 0.02, 0.05):
        done = evalsuite.run(models, tasks=["SI", "DI"], set="easy", budget=budget, out=out)
        assert any(f"budget of {budget:g} spent" in problem for problem in done.problems) and done.exit_code == 1
        assert (server.prompt_tokens + 2 * server.new_tokens) / 1e6 <= budget
        missing.append(sum(cell["missing"] for cell in cells_of(done)))
    assert missing[0] >= missing[1] > missing[2] > 0


class Thinking(Server):
    """A server whose model thinks of (b) and answers (a): beside the reply, in it, and until its tokens are spent."""

    thought = "先看(a)，不太像。答案应该是(b)。"
    turn = count()

    def _charged_reply(self, kind: str, prompt: str, *given: Any) -> dict[str, Any]:
        reply = super()._charged_reply(kind, prompt, *given)
        said = [
            {"content": "(a)", "reasoning_content": self.thought},
            {"content": f"<think>{self.thought}</think>\n\n(a)"},
            {"content": "", "reasoning_content": self.thought},
            {"content": None, "reasoning": self.thought},
        ][(n := next(self.turn) % 4)]
        reply["choices"][0] |= {"finish_reason": "length" if n > 1 else "stop", "message": said}
        return reply


def test_thinking_is_stored_beside_the_reply_and_never_read(tmp_path: Path) -> None:
    """Thinking goes from the endpoint's reasoning_content to the record, and no parser reads it."""
    with Thinking(mix={}) as server:
        done = evalsuite.run(
            models_yaml(server, tmp_path), tasks=["knowledge_filling"], set="easy", limit=8, out=tmp_path / "run"
        )
    (cell,) = cells_of(done)
    rows = list(read_records(tmp_path / "run", cell["records"]))
    assert len(rows) == 8
    for row in rows:
        answered = bool(row["reply"])
        read = row["answer"]["status"], row["answer"]["choice"]
        assert read == (("parsed", 0) if answered else ("truncated", None)), row["answer"]
        assert row["reasoning"] == (None if "<think>" in row["reply"] else Thinking.thought)
    assert sum(bool(row["reply"]) for row in rows) == 4


def test_a_key_that_is_not_set_is_told_of_before_any_model_is_asked(
    tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message comes before any model is asked; `preview`, which sends nothing, warns."""
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    models = tmp_path / "models.yaml"
    models.write_text(
        "models:\n  - {name: first, backend: baseline, path: random}\n"
        "  - {name: far, backend: openai, path: x, api: {base_url: 'http://127.0.0.1:9/v1', key_env: NO_SUCH_KEY}}\n"
    )
    words = ["--models", models, "--tasks", "SI", "--limit", "1", "--out", tmp_path / "run"]
    said = "model far: the environment variable NO_SUCH_KEY is not set"
    assert said in cli("preview", *words, "--cost", COLUMNS="200").stderr
    assert said in cli("run", *words, expect=2).stderr and not (tmp_path / "run").exists()
    cli("run", *words, "--model", "first")  # the other model still runs
