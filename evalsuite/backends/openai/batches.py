"""Asks the requests of one model through its endpoint's batch API: uploads them, waits, takes what came, asks again what failed.

A batch goes through these steps, and the journal (the run's store) knows of each before the next is taken:

    noted      its lines, and its highest cost, which counts as spent from here on; nothing is sent yet
    uploaded   the file's id. From here on a batch may exist: whoever finds no batch's id here searches the endpoint's list
    begun      the batch's id
    ended      its replies are handed over and stored, then the note goes

So it is begun once and taken once, whenever the process is killed. Lines are named by what they ask, so that another run of the
same folder takes them, whatever else it plans.
"""

from __future__ import annotations

import hashlib
import json
import logging
import random
import re
import time
import uuid
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evalsuite.backends.base import Journal, Limits
from evalsuite.backends.model import Batch, Model
from evalsuite.backends.openai.asking import Endpoint
from evalsuite.backends.openai.lines import Unreadable, read_batch_line, request_line
from evalsuite.backends.openai.provider import Gone, Problem, Provider, Seen, json_of
from evalsuite.backends.openai.replies import Again, Failed, OtherLimit, Stop
from evalsuite.backends.openai.spending import Spending
from evalsuite.common.errors import BackendError
from evalsuite.common.secrets import hide
from evalsuite.types import Request, Response

log = logging.getLogger(__name__)

_TOGETHER = 500  # replies in one group
_LOOKS = 4  # searches for a batch that may have been begun, and reads of files that lack lines
_SHORT = 1.0  # seconds before the first search of a list, which may lag behind
_MANY = 8  # failures in a row of which a person is told
_LAG = 10  # polls for which what is not there may still come
_KEPT = 30 * 86400  # seconds for which endpoints remember a batch
_TELL = 60  # seconds between two lines of the log on progress
_SENT = ("model", "messages", "prompt")
# Words of a refusal, lower case: there is no room now; the file is too large.
_CROWDED = (
    "token_limit_exceeded",
    "enqueued",
    "rate_limit",
    "rate limit",
    "too many batches",
    "concurrent",
    "queue is full",
)
_LARGE = ("too_many", "too many", "too large", "too_large", "file size", "413", "maximum number", "exceeds the maximum")

Group = list[tuple[int, Response]]
Outcome = Response | Exception  # of a line; Unreadable stands for none


class Forgetful(dict[str, dict[str, Any]]):
    """A journal for who keeps none."""

    def batches(self) -> dict[str, dict[str, Any]]:
        return dict(self)

    def put_batch(self, name: str, note: dict[str, Any], stake: float) -> None:
        self[name] = note

    def end_batch(self, name: str, cost: float = 0.0) -> None:
        del self[name]


@dataclass(slots=True)
class _Batch:
    name: str
    lines: list[str]  # their names, in order
    stake: float
    began: float = field(default_factory=time.time)
    file: str | None = None
    id: str | None = None
    taken: bool = False  # once; the lines left are those that no plan had then
    owed: float | None = None  # since its replies were handed over: what of its cost none of them has
    ours: bool = True  # begun by this process
    unsure: bool = False  # it may have been begun, but its id did not come
    seen: Seen | None = None  # by this process
    found: dict[str, Outcome] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)  # files
    looks: int = 0  # in vain: at the list, at itself, at its files
    due: float = 0.0  # when the next step is taken, by the monotonic clock
    wait: float = 0.0  # seconds before the next look
    absent: float | None = None  # since when the endpoint says that it, or its file, is not there
    fails: int = 0  # of the step, in a row
    failing: float | None = None  # since when

    def note(self, address: str) -> dict[str, Any]:
        return {"address": address, "began": self.began, "file": self.file, "batch": self.id, "taken": self.taken,
                "lines": self.lines, "stake": self.stake, "owed": self.owed}  # fmt: skip


class Batching:
    """One call of `generate`."""

    def __init__(
        self, backend: Endpoint, requests: Sequence[Request], done: Sequence[bool], settings: Batch, limits: Limits
    ) -> None:
        self.backend, self.model, self.api, self.settings = backend, backend.model, backend.model.api, settings
        self.requests, self.limits = requests, limits
        self.journal: Journal = Forgetful() if limits.journal is None else limits.journal
        self.names = line_names(backend, requests)
        self.places = {name: n for n, name in enumerate(self.names)}
        self.open = {n for n, is_done in enumerate(done) if not is_done}  # without a reply or a failure
        self.total = len(self.open)
        self.price = Spending(self.api.charged, None)
        self.limit_name = "max_tokens"
        self.endpoint = settings.endpoint or endpoint_of(self.model)
        self.sent = dict.fromkeys((*backend.body(requests[0]), *backend.extra, "max_tokens", "max_completion_tokens"))
        for name in _SENT:
            self.sent.pop(name, None)
        self.batches = self._resumed()
        self.left = limits.left()
        under_way = {line for batch in self.batches for line in batch.lines}
        self.waiting = deque(n for n in sorted(self.open) if self.names[n] not in under_way)
        self.apart = deque[list[int]]()  # lines to be sent in a file of their own
        self.tries = Counter[int]()
        self.most = settings.requests
        self.crowded = False  # until a batch ends
        self.pause = 0.0  # no batch is begun before
        self.refused = 0  # batches in a row that the endpoint would not begin
        self.halted: Stop | None = None
        self.unaffordable = 0
        self.first: tuple[float, int] | None = None  # when progress was told first, and how far it was
        self.told = 0.0  # when it was logged

    def all(self) -> Iterator[Group]:
        """Ask everything; yields replies as batches end. Raises BackendError if some were not asked."""
        if not self.open:
            return
        self.provider = Provider(self.api, self.backend.key)
        try:
            while True:
                self._begin_some()
                if not self.batches and not (self.waiting or self.apart):
                    break
                if not self.batches and self.unaffordable:
                    break
                for batch in [batch for batch in self.batches if batch.due <= time.monotonic()]:
                    yield from self._step(batch)
                self._tell()
                self._sleep()
        except Stop as stop:
            raise BackendError(self._said(stop)) from None
        finally:
            self.provider.close()
            if under_way := [batch.id for batch in self.batches if batch.id and not batch.taken]:
                log.warning(
                    "model %s: batches that go on at its endpoint: %d (%s); the same command takes their replies, and asks "
                    "none twice", self.model.name, len(under_way), ", ".join(under_way[:3]),
                )  # fmt: skip
        if self.halted:
            raise BackendError(self._said(self.halted))
        if self.unaffordable:
            raise BackendError(
                f"model {self.model.name}: budget of {self.limits.budget:g} spent: {self.unaffordable} requests not asked; "
                "raise --budget and run again"
            )

    def _said(self, stop: Stop) -> str:
        message = f"model {self.model.name} at {self.api.base_url}: {stop}; {len(self.open)} requests have no reply"
        return hide(message)

    # --- begin ------------------------------------------------------------------------------------------------------

    def _resumed(self) -> list[_Batch]:
        """The batches of earlier starts that have lines which this one wants. Where no file is noted, nothing was begun."""
        wanted = {self.names[n] for n in self.open}
        batches = []
        for name, note in self.journal.batches().items():
            if note["address"] != self.api.base_url:
                continue
            if wanted.isdisjoint(note["lines"]):
                if note.get("owed") is not None and self.places.keys() >= {*note["lines"]}:
                    self.journal.end_batch(name, note["owed"])  # all its replies were stored, then we were killed
                continue
            if note["file"] is None:
                self.journal.end_batch(name)
                continue
            batch = _Batch(
                name, note["lines"], note["stake"], note["began"], note["file"], note["batch"], note["taken"]
            )
            batch.ours, batch.unsure = False, True
            batches.append(batch)
            log.info("model %s: takes up batch %s, of %d lines", self.model.name, batch.id or name, len(batch.lines))
        return batches

    def _begin_some(self) -> None:
        """Note as many new batches as there may be at once, and as the budget allows."""
        if self.halted:
            self.waiting.clear()
            self.apart.clear()
        while self._may_begin() and time.monotonic() >= self.pause:
            chosen, stake = self._chosen()
            if not chosen:
                return
            batch = _Batch(f"evalsuite-{uuid.uuid4().hex[:24]}", [self.names[n] for n in chosen], stake)
            batch.wait = self.settings.poll / 10
            self._keep(batch)
            self.batches.append(batch)
            if self.left is not None:
                self.left -= stake

    def _may_begin(self) -> bool:
        some = bool(self.waiting or self.apart)
        return some and not self.crowded and len(self.batches) < self.settings.at_once

    def _chosen(self) -> tuple[list[int], float]:
        """Lines for a file, and their highest cost; none while the budget has to wait for batches under way."""
        source = deque(self.apart.popleft()) if self.apart else self.waiting
        chosen, size, stake, rest = list[int](), 0, 0.0, list[int]()
        while source and len(chosen) < self.most:
            n = source.popleft()
            worst, length = self._worst(n), len(self._line(n))
            if self.left is not None and stake + worst > self.left:
                rest.append(n)
            elif chosen and size + length > self.settings.megabytes * 1e6:
                source.appendleft(n)
                break
            else:
                chosen.append(n)
                size, stake = size + length, stake + worst
        if source is not self.waiting:
            self.waiting.extendleft(reversed(source))
        if rest and self.batches:  # a batch that ends frees most of what it might have cost
            self.waiting.extendleft(reversed([*chosen, *rest]))
            self.crowded = True
            return [], 0.0
        self.waiting.extendleft(reversed(rest))
        self.unaffordable = 0 if chosen else len(rest)
        return chosen, stake

    def _worst(self, n: int) -> float:
        request = self.requests[n]
        return self.price.cost(self.backend.most_tokens(request), self.backend.room(request))

    def _line(self, n: int) -> bytes:
        return request_line(self.names[n], self.endpoint, self.backend.whole_body(self.requests[n], self.limit_name))

    def _keep(self, batch: _Batch) -> None:
        self.journal.put_batch(batch.name, batch.note(self.api.base_url), batch.stake)

    # --- steps ------------------------------------------------------------------------------------------------------

    def _step(self, batch: _Batch) -> Iterator[Group]:
        """The next step of a batch. What fails is tried again later, for as long as the endpoint is given."""
        try:
            if batch.id is None:
                yield from self._settled(self._send(batch))
            elif self._look(batch):
                yield from self._take(batch)
            batch.fails, batch.failing = 0, None
        except Again as error:
            self._later(batch, error)

    def _later(self, batch: _Batch, error: Again) -> None:
        now = time.monotonic()
        batch.failing = now if batch.failing is None else batch.failing
        batch.fails += 1
        if now - batch.failing > self.settings.patience:
            raise Stop(
                f"no useful answer for {self.settings.patience / 3600:.1f} h, the last: {error}; run again when it is well"
            )
        wait = min(self.settings.poll, self.api.backoff * 2 ** min(batch.fails - 1, 20)) * random.uniform(1, 1.25)
        batch.due = now + max(wait, error.after or 0.0)
        log.log(
            logging.WARNING if batch.fails == _MANY else logging.INFO,
            "model %s: batch %s: %s; again in %.1f s", self.model.name, batch.id or batch.name, error, batch.due - now,
        )  # fmt: skip

    def _send(self, batch: _Batch) -> Group:
        """Upload and begin a batch. Returns the lines that fail for good, if it is refused."""
        try:
            if batch.file is None:
                data = b"".join(self._line(self.places[line]) for line in batch.lines)
                batch.file = self.provider.upload(batch.name, data)
                self._keep(batch)
            seen = self._searched(batch) if batch.unsure else self._begin(batch)
        except (Gone, Failed, Stop) as error:
            return self._not_begun(batch, error)
        if seen is not None:
            batch.id, batch.seen, batch.looks = seen.id, seen, 0
            self._keep(batch)
            batch.wait = self.settings.poll / 10
            batch.due = time.monotonic() + batch.wait
            log.info("model %s: batch %s begun, %d lines", self.model.name, batch.id, len(batch.lines))
        return []

    def _begin(self, batch: _Batch) -> Seen:
        assert batch.file is not None
        batch.unsure = True
        try:
            return self.provider.create(batch.name, batch.file, self.endpoint, self.settings.window)
        except (Again, Gone, Failed, Stop) as error:
            batch.unsure = isinstance(error, Again) and error.lost
            raise

    def _searched(self, batch: _Batch) -> Seen | None:
        """The batch that was begun without our reading so; None: not yet known."""
        assert batch.file is not None
        try:
            seen = self.provider.find(batch.name, batch.file)
        except (Gone, Failed) as error:
            log.warning(
                "model %s: whether batch %s was begun is not known, and the endpoint lists no batches (%s): its %d lines "
                "are asked again, and may be paid twice", self.model.name, batch.name, error, len(batch.lines),
            )  # fmt: skip
            self._drop(batch, batch.stake)
            return None
        if seen is not None:
            return seen
        batch.looks += 1
        if batch.looks < _LOOKS:  # lists may lag behind
            batch.due = time.monotonic() + max(_SHORT, self.api.backoff) * 2 ** (batch.looks - 1)
        elif len(self._wanted(batch)) == len(batch.lines):
            batch.unsure, batch.looks = False, 0
        else:
            self._drop(batch, 0.0)
        return None

    def _look(self, batch: _Batch) -> bool:
        """Look at a batch; whether it has ended."""
        assert batch.id is not None
        try:
            batch.seen = self.provider.look(batch.id)
        except Gone as error:
            return self._is_lost(batch, error)
        except Failed as error:
            raise Again("look", str(error)) from None
        if batch.seen.ended:
            return True
        batch.looks, batch.absent = 0, None
        batch.wait = min(self.settings.poll, batch.wait * 1.5 or self.settings.poll / 10)
        batch.due = time.monotonic() + batch.wait
        return False

    def _is_lost(self, batch: _Batch, error: Gone) -> bool:
        """Whether a batch that the endpoint does not know is to be given up. Another key must not make us ask twice."""
        if not batch.taken:
            self._may_come(batch, error)
        if batch.seen is None and not batch.taken and time.time() - batch.began < _KEPT:
            raise Stop(
                f"it does not know batch {batch.id}, which this run began ({error}): is the key of another project? With "
                "another --out all is asked anew"
            )
        log.warning("model %s: batch %s is gone; its lines are asked again", self.model.name, batch.id)
        batch.seen = Seen(batch.id or "", "gone", (), None, 0, ())
        return True

    def _may_come(self, batch: _Batch, error: Exception) -> None:
        """Raise Again for what is not there, or not yet: lists and files may lag behind, and what we give up is paid twice."""
        now = time.monotonic()
        batch.absent = now if batch.absent is None else batch.absent
        if now - batch.absent < _LAG * self.settings.poll:
            raise Again("absent", str(error))

    # --- what was not begun -----------------------------------------------------------------------------------------

    def _not_begun(self, batch: _Batch, error: Exception) -> Group:
        """The endpoint refused file or batch. Returns the lines that fail for good."""
        if isinstance(error, Gone) and batch.ours:
            error = Stop(f"it has no such address: is there a batch API? ({error})")
        if not isinstance(error, Stop):
            return self._invalid(batch, [Problem("", str(error), None)])
        self.halted = self.halted or error
        if batch.unsure:  # the search for it was refused: its note stays for the next start, or it would be paid twice
            self.batches.remove(batch)
        else:
            self._drop(batch, 0.0)
        return []

    def _drop(self, batch: _Batch, cost: float) -> None:
        """Give a batch up; its lines wait to be asked in another. `cost` of it stays spent."""
        self._end(batch, cost)
        self.waiting.extendleft(reversed(self._wanted(batch)))

    def _end(self, batch: _Batch, cost: float, kept: Sequence[str] = (), kept_cost: float = 0.0) -> None:
        """Drop a batch's note; or keep it for the lines whose replies were paid for and that no plan wants now."""
        self.batches.remove(batch)
        if self.left is not None:
            self.left += batch.stake - cost - kept_cost
        if kept:
            batch.lines, batch.stake, batch.taken = list(kept), kept_cost, True
            self._keep(batch)
            self.limits.lend(cost)
        else:
            self.journal.end_batch(batch.name, cost)
        self.crowded = False

    def _wanted(self, batch: _Batch) -> list[int]:
        places = (self.places.get(line) for line in batch.lines)
        return [n for n in places if n is not None and n in self.open]

    def _invalid(self, batch: _Batch, problems: Sequence[Problem]) -> Group:
        """A batch whose file was refused. Nothing was asked. Returns the lines that fail for good."""
        said = "; ".join(str(problem) for problem in problems[:3]) or "no reason given"
        words = said.lower()
        log.warning("model %s: a batch of %d lines was refused: %s", self.model.name, len(batch.lines), said)
        wanted, alone = self._wanted(batch), len(self.batches) == 1
        if any(word in words for word in _CROWDED):
            self._drop(batch, 0.0)
            self.crowded = not alone
            if alone:  # others of the account fill the queue, or the batch is larger than it
                self.most = max(1, len(batch.lines) // 2)
                self.refused += 1
                self.pause = time.monotonic() + min(
                    10 * self.settings.poll, self.api.backoff * 2 ** min(self.refused, 20)
                )
            return []
        if any(word in words for word in _LARGE) and len(batch.lines) > 1:
            self._drop(batch, 0.0)
            self.most = max(1, len(batch.lines) // 2)
            return []
        self._end(batch, 0.0)
        self.refused += 1
        if self.refused > self.api.attempts:
            self.halted = self.halted or Stop(f"it refused {self.refused} batches in a row, the last: {said}")
        named = {batch.lines[p.line - 1] for p in problems if p.line and 0 < p.line <= len(batch.lines)}
        bad = [n for n in wanted if self.names[n] in named]
        failed = Group()
        for n in wanted:
            self.tries[n] += not bad or n in bad
            if self.tries[n] >= self.api.attempts:
                failed.append((n, self._failure(n, f"batch failed: {said}")))
        gone = {n for n, _ in failed}
        rest = [n for n in wanted if n not in gone]
        part = set(rest)  # once more as it is; then in halves, or without the lines that the endpoint names
        if bad and len(bad) < len(wanted):
            part = set(bad) - gone
        elif any(self.tries[n] > 1 for n in rest):
            part = set(rest[: (len(rest) + 1) // 2])
        parts = ([n for n in rest if n in part], [n for n in rest if n not in part])
        self.apart.extend(part for part in parts if part)
        self.pause = time.monotonic() + min(10 * self.settings.poll, self.api.backoff * 2 ** min(self.refused, 20))
        return failed

    def _failure(self, n: int, said: str) -> Response:
        times = "" if self.tries[n] <= 1 else f" (asked {self.tries[n]} times)"
        return Response("", "error", error=said + times)

    # --- what came --------------------------------------------------------------------------------------------------

    def _take(self, batch: _Batch) -> Iterator[Group]:
        """Read the files of a batch that has ended; yield its replies, then drop its note."""
        assert batch.seen is not None
        for file in batch.seen.files:
            if file in batch.read:
                continue
            try:
                self._read(batch, self.provider.content(file))
            except (Gone, Failed) as error:
                self._may_come(batch, error)
                log.warning("model %s: file %s of batch %s: %s", self.model.name, file, batch.id, error)
            batch.read.add(file)
            batch.fails = min(batch.fails, batch.looks)
        missing = sum(not _whole(batch.found.get(line)) for line in batch.lines)
        batch.looks += 1
        may_come = batch.seen.files or batch.seen.status != "failed"
        if missing and may_come and batch.looks < _LOOKS and batch.seen.status != "gone":
            batch.read.clear()  # it may have been cut off
            raise Again("lines", f"{missing} of {len(batch.lines)} lines are missing in its files")
        if batch.seen.status == "failed" and not batch.found:
            yield from self._settled(self._invalid(batch, batch.seen.problems))
            return
        if batch.seen.status in ("expired", "cancelled"):
            log.warning("model %s: batch %s %s; what it has not answered is asked again", self.model.name, batch.id,
                        batch.seen.status)  # fmt: skip
        yield from self._shared_out(batch)

    def _read(self, batch: _Batch, content: bytes) -> None:
        for line in content.splitlines():
            if not line.strip():
                continue
            try:
                row = json_of(line)
                name = row.get("custom_id") if isinstance(row, dict) else None
            except Again:
                continue  # cut off; the line is missing
            if not isinstance(name, str):
                continue
            outcome: Outcome
            try:
                found = read_batch_line(row, self.sent)
                outcome = Unreadable("a request") if found is None else found
            except (Unreadable, Again, Failed, Stop, OtherLimit) as error:
                outcome = error
            if not isinstance(batch.found.get(name), Response):
                batch.found[name] = outcome

    def _shared_out(self, batch: _Batch) -> Iterator[Group]:
        """Give every line its reply, its failure, or another try."""
        assert batch.seen is not None
        group, again, kept = Group(), list[int](), list[str]()
        lost = kept_cost = 0.0  # of lines without a reply; of replies that no plan wants now
        unread, share = self._unread(batch), batch.stake / len(batch.lines)
        for line in batch.lines:
            n, outcome = self.places.get(line), batch.found.get(line)
            if n is None and isinstance(outcome, Response):
                kept.append(line)
                kept_cost += self._cost(outcome, share)
                continue
            if outcome is None or isinstance(outcome, Unreadable):
                outcome = Again("missing", f"batch {batch.seen.status}, without a line for it", lost=unread > 0)
                unread -= 1
            worst = share if n is None else self._worst(n)
            if isinstance(outcome, Again) and outcome.lost:
                lost += worst
            if n not in self.open:
                continue
            assert n is not None
            self.tries[n] += 1
            if isinstance(outcome, Response):
                group.append((n, replace(outcome, cost=self._cost(outcome, worst))))
            elif isinstance(outcome, Again | OtherLimit) and self.tries[n] < self.api.attempts:
                again.append(n)
            else:
                group.append((n, self._failure(n, str(outcome))))
            if isinstance(outcome, Stop):
                self.halted = self.halted or outcome
            elif isinstance(outcome, OtherLimit):
                self.limit_name = "max_completion_tokens"
        if batch.seen.status == "gone":
            lost = batch.stake
        batch.owed = lost
        self._keep(batch)
        yield from self._settled(group)
        batch.owed = None
        self._end(batch, lost, kept, kept_cost)
        if self.left is not None:
            self.left -= sum(response.cost for _, response in group)
        self.waiting.extend(again)
        self.refused, self.most = 0, min(self.settings.requests, 2 * self.most)

    def _settled(self, group: Group) -> Iterator[Group]:
        self.open -= {n for n, _ in group}
        for start in range(0, len(group), _TOGETHER):
            yield group[start : start + _TOGETHER]

    def _unread(self, batch: _Batch) -> int:
        """How many lines without a reply may have been charged: all, unless the endpoint counts those that it answered."""
        assert batch.seen is not None
        replies = sum(isinstance(outcome, Response) for outcome in batch.found.values())
        if batch.seen.completed is None or batch.seen.status in ("completed", "gone"):
            return len(batch.lines)
        return max(0, batch.seen.completed - replies)

    def _cost(self, response: Response, worst: float) -> float:
        """Without usage in the reply, the worst case counts; a refusal of the content filter costs nothing."""
        if response.prompt_tokens:
            return self.price.cost(response.prompt_tokens, response.new_tokens)
        return 0.0 if response.finish == "content_filter" else worst

    # --- waiting ----------------------------------------------------------------------------------------------------

    def _sleep(self) -> None:
        times = [batch.due for batch in self.batches]
        if self._may_begin():
            times.append(self.pause)
        if times and (left := min(times) - time.monotonic()) > 0:
            time.sleep(left)

    def _tell(self) -> None:
        """Show how many requests the endpoint has answered, how fast, and how long it will take."""
        now = time.monotonic()
        looked = [batch.seen for batch in self.batches if batch.seen]
        answered = self.total - len(self.open) + sum((seen.completed or 0) + seen.failed for seen in looked)
        self.first = self.first or (now, answered)
        rate = (answered - self.first[1]) / max(now - self.first[0], 1e-9)
        left = f", {_duration((self.total - answered) / rate)} left" if rate and answered < self.total else ""
        text = f"batches: {len(self.batches)}, {answered:,}/{self.total:,} {rate:.1f}/s{left}"
        self.limits.tell(text)
        if now - self.told > _TELL:
            self.told = now
            log.info("model %s: %s", self.model.name, text)


def endpoint_of(model: Model) -> str:
    """The address of a line's request: /v1/…, or /v4/… where the endpoint's own ends with that (Zhipu)."""
    version = re.search(r"/v\d+$", model.api.base_url)
    return f"{version[0] if version else '/v1'}/{'chat/' if model.chat else ''}completions"


def line_names(backend: Endpoint, requests: Sequence[Request]) -> list[str]:
    """A name for the line of each request: a hash of what it asks, and its number among those that ask the same."""
    names, met = list[str](), Counter[str]()
    for request in requests:
        asked = json.dumps([backend.whole_body(request), request.sample], sort_keys=True, ensure_ascii=False)
        name = hashlib.sha256(asked.encode()).hexdigest()[:32]
        met[name] += 1
        names.append(name if met[name] == 1 else f"{name}-{met[name]}")
    return names


def _whole(outcome: Outcome | None) -> bool:
    return outcome is not None and not isinstance(outcome, Unreadable)


def _duration(seconds: float) -> str:
    return (
        f"{seconds / 3600:.1f} h"
        if seconds > 5400
        else f"{seconds / 60:.0f} min"
        if seconds > 90
        else f"{seconds:.0f} s"
    )
