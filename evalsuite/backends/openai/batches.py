"""Asks the requests of one model through its endpoint's batch API: uploads them, waits, collects replies, and asks failed
requests again.

A batch goes through the states of batch_states.py. Each state is written to the journal (the run's store) before the next step,
so that a killed run resumes there. A line's name is a hash of its request, so that another command on the same folder finds the
line's reply.
"""

from __future__ import annotations

import hashlib
import json
import logging
import random
import re
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from evalsuite.backends.base import Journal, Limits
from evalsuite.backends.model import BatchAPI, Model
from evalsuite.backends.openai.asking import Endpoint, parameters_of
from evalsuite.backends.openai.batch_queue import Clock, Queue
from evalsuite.backends.openai.batch_states import (
    Begun,
    Collected,
    Ended,
    LineOutcome,
    Planned,
    State,
    ended,
    is_answered,
    note_of,
    read_note,
    with_file,
    without,
)
from evalsuite.backends.openai.lines import request_line
from evalsuite.backends.openai.provider import NotFoundError, Problem, Provider, Seen
from evalsuite.backends.openai.replies import (
    LIMIT_NAMES,
    EndpointError,
    LimitNameError,
    RequestError,
    TransientError,
    endpoint_stopped,
    failed_response,
)
from evalsuite.backends.openai.spending import budget_spent, cost_of
from evalsuite.types import Request, Response

log = logging.getLogger(__name__)

_GROUP = 500  # the most replies that are yielded in one group
_SEARCHES = 4  # the most searches of the list for a batch that may have been begun
_READS = 3  # the most times that a batch's files are read again for lines that failed
_SHORT = 1.0  # the least seconds between the first two searches, since a list may lag behind
_WARN_AT = 8  # the number of failures in a row at which one of them is logged as a warning
_LATE_POLLS = 10  # the most polls for which a missing batch, or a missing reply, is awaited
_REMEMBERED = 30 * 86400  # seconds for which endpoints remember a batch
_REPORT_EVERY = 60  # seconds between two lines of the log on progress
NumberedResponses = list[tuple[int, Response]]


@dataclass(slots=True)
class _Streak:
    """The number of steps in a row that failed."""

    times: int = 0
    since: float = 0.0  # the time of the first of these steps, by the monotonic clock

    def add(self, now: float) -> None:
        self.since = self.since if self.times else now
        self.times += 1


@dataclass(slots=True)
class _Turn:
    """The time at which a batch's next step is due, by the monotonic clock."""

    due: float = 0.0
    wait: float = 0.0  # seconds before the next look
    failed: _Streak = field(default_factory=_Streak)  # failed calls
    absent: _Streak = field(default_factory=_Streak)  # looks that did not find the batch, or all lines of its files


class Batching:
    """The requests of one call of `generate`, asked in batches."""

    def __init__(
        self,
        backend: Endpoint,
        requests: Sequence[Request],
        done: Sequence[bool],
        settings: BatchAPI,
        limits: Limits,
        clock: Clock = time,
    ) -> None:
        self.backend, self.model, self.api, self.settings = backend, backend.model, backend.model.api, settings
        self.requests, self.limits, self.journal, self.clock = requests, limits, limits.journal, clock
        self.names = line_names(backend, requests)
        self.indices = {name: n for n, name in enumerate(self.names)}
        # The indices of requests without a reply and without a final failure.
        self.open = {n for n, is_done in enumerate(done) if not is_done}
        self.total = len(self.open)
        self.limit_name = "max_tokens"
        self.endpoint = settings.endpoint or endpoint_of(self.model)
        self.parameters = parameters_of((*backend.body(requests[0]), *backend.extra))  # without the token limit
        self.limit_names = dict[str, str]()  # name of a batch that this command uploaded -> name of its token limit
        self.batches: dict[str, State] = {batch.name: batch for batch in self._resumed()}
        self.turns = {name: _Turn() for name in self.batches}
        self.left = limits.left()
        under_way = {line for batch in self.batches.values() for line in batch.lines}
        waiting = (n for n in sorted(self.open) if self.names[n] not in under_way)
        self.queue = Queue(waiting, settings, self.api, clock)
        self.halted: EndpointError | None = None
        self.first: tuple[float, int] | None = None  # (time, number of answered requests) at the first report
        self.reported = 0.0  # time of the last report in the log

    def all(self, provider: Provider | None = None) -> Iterator[NumberedResponses]:
        """Ask everything; yields replies as batches end. Raises BackendError if some were not asked."""
        if not self.open:
            return
        self.provider = provider or Provider(self.api, self.backend.key)
        try:
            while True:
                self._plan_some()
                if not self.batches and (self.queue.unaffordable or not self.queue):
                    break
                for name in [name for name in self.batches if self.turns[name].due <= self.clock.monotonic()]:
                    yield from self._step(self.batches[name])
                self._report_progress()
                self._sleep()
        except EndpointError as stop:
            raise endpoint_stopped(self.model, stop, len(self.open)) from None
        finally:
            self.provider.close()
            if under_way := [batch.id for batch in self.batches.values() if isinstance(batch, Begun | Ended)]:
                log.warning(
                    "model %s: batches that go on at its endpoint: %d (%s); the same command takes their replies, and asks "
                    "none twice",
                    self.model.name,
                    len(under_way),
                    ", ".join(under_way[:3]),
                )
        if self.halted:
            raise endpoint_stopped(self.model, self.halted, len(self.open))
        if unaffordable := self.queue.unaffordable:
            raise budget_spent(self.model, self.limits.budget, unaffordable)

    # --- the journal ------------------------------------------------------------------------------------------------

    def _resumed(self) -> Iterator[Planned | Begun]:
        """The noted batches of earlier commands with lines of open requests. Removes notes without a file, whose batches were not
        begun."""
        wanted = {self.names[n] for n in self.open}
        for name, note in self.journal.batches().items():
            if note["address"] != self.api.base_url:
                continue
            batch, cost = read_note(name, note)
            if isinstance(batch, Collected):  # a killed process has stored all or some of its replies
                left = without(batch, self.indices.keys() - wanted)
                if not left.lines:
                    self.journal.end_batch(name, cost)
                elif cost or len(left.lines) < len(batch.lines):
                    self.journal.put_batch(name, note_of(left, self.api.base_url), left.stake, cost)
                batch = left.become(Begun)
            if batch.file is None:
                self.journal.end_batch(name)
            elif not wanted.isdisjoint(batch.lines):
                yield batch
                log.info("model %s: takes up batch %s, of %d lines", self.model.name, _known(batch), len(batch.lines))

    def _enter(self, batch: State, cost: float = 0.0) -> None:
        """Note that a batch enters a state; `cost` is spent for good."""
        self.journal.put_batch(batch.name, note_of(batch, self.api.base_url), batch.stake, cost)
        if self.left is not None:
            before = self.batches.get(batch.name)
            self.left += (before.stake if before else 0.0) - batch.stake - cost
        self.batches[batch.name] = batch

    def _remove(self, batch: State, cost: float = 0.0) -> None:
        """Remove a batch and its note; `cost` is spent for good."""
        self.journal.end_batch(batch.name, cost)
        if self.left is not None:
            self.left += batch.stake - cost
        self._leave_to_later_starts(batch)

    def _give_up(self, batch: State, cost: float = 0.0) -> None:
        """Give a batch up: its open requests wait for another one. `cost` is spent for good."""
        self._remove(batch, cost)
        self.queue.put_first(self._wanted(batch.lines))

    def _leave_to_later_starts(self, batch: State) -> None:
        """Forget a batch in this command. Later ones go on with it if its note is still in the journal."""
        del self.batches[batch.name]
        self.queue.crowded = False

    def _wanted(self, lines: Iterable[str]) -> list[int]:
        """The indices of the open requests among the lines of these names."""
        indices = (self.indices.get(line) for line in lines)
        return [n for n in indices if n is not None and n in self.open]

    def _halt(self, stop: EndpointError) -> None:
        """Begin no further batch; running batches are still collected."""
        self.halted = self.halted or stop

    # --- plan -------------------------------------------------------------------------------------------------------

    def _plan_some(self) -> None:
        """Note new batches, as many as may run at once and as the budget allows."""
        if self.halted:
            self.queue.clear()
        while self.queue.may_begin(len(self.batches)) and self.clock.monotonic() >= self.queue.pause:
            chosen = self.queue.take(self._worst, lambda n: len(self._line(n)), self.left, len(self.batches))
            if not chosen:
                return
            name = f"evalsuite-{uuid.uuid4().hex[:24]}"
            self.turns[name] = _Turn()
            self._enter(Planned(name, {self.names[n]: self._worst(n) for n in chosen}, self.clock.time()))

    def _worst(self, n: int) -> float:
        return self.backend.worst(self.requests[n])

    def _line(self, n: int) -> bytes:
        return request_line(self.names[n], self.endpoint, self.backend.whole_body(self.requests[n], self.limit_name))

    # --- steps ------------------------------------------------------------------------------------------------------

    def _step(self, batch: State) -> Iterator[NumberedResponses]:
        """Take a batch one step further. A failed step is tried again later, for `patience` seconds."""
        turn = self.turns[batch.name]
        try:
            match batch:
                case Planned(file=None):
                    group = self._upload(batch)
                case Planned(doubt=True):
                    group = self._search(batch, turn)
                case Planned():
                    group = self._begin(batch)
                case Begun() | Ended():
                    group = self._look(batch, turn)
            turn.failed = _Streak()
        except TransientError as error:
            self._later(batch, turn, error)
            return
        self.open -= {n for n, _ in group}
        for start in range(0, len(group), _GROUP):
            yield group[start : start + _GROUP]
        if isinstance(collected := self.batches.get(batch.name), Collected):
            self._close(collected, {self.names[n] for n, _ in group})

    def _later(self, batch: State, turn: _Turn, error: TransientError) -> None:
        now = self.clock.monotonic()
        turn.failed.add(now)
        if now - turn.failed.since > self.settings.patience:
            raise EndpointError(
                f"no useful answer for {self.settings.patience / 3600:.1f} h, the last: {error}; run again when it is well"
            )
        self._wait(batch, turn, turn.failed, error, error.after or 0.0)

    def _is_awaited(self, batch: State, turn: _Turn, error: Exception) -> bool:
        """Whether to look again for a missing batch or line. It may still appear, and asking anew would be paid twice."""
        now = self.clock.monotonic()
        turn.absent.add(now)
        if turn.absent.times > _LATE_POLLS and now - turn.absent.since >= _LATE_POLLS * self.settings.poll:
            return False
        self._wait(batch, turn, turn.absent, error)
        return True

    def _wait(self, batch: State, turn: _Turn, streak: _Streak, error: Exception, least: float = 0.0) -> None:
        wait = min(self.settings.poll, self.api.backoff * 2 ** min(streak.times - 1, 20)) * random.uniform(1, 1.25)
        turn.due = self.clock.monotonic() + max(wait, least)
        log.log(
            logging.WARNING if streak.times == _WARN_AT else logging.INFO,
            "model %s: batch %s: %s; again in %.1f s",
            self.model.name,
            _known(batch),
            error,
            max(wait, least),
        )

    def _upload(self, batch: Planned) -> NumberedResponses:
        data = b"".join(self._line(self.indices[line]) for line in batch.lines)
        self.limit_names[batch.name] = self.limit_name
        try:
            self._enter(replace(batch, file=self.provider.upload(batch.name, data)))
        except (NotFoundError, RequestError, EndpointError) as error:
            return self._refused(batch, error)
        return []

    def _begin(self, batch: Planned) -> NumberedResponses:
        assert batch.file is not None
        try:
            seen = self.provider.create(batch.name, batch.file, self.endpoint, self.settings.window)
        except TransientError as error:
            self.batches[batch.name] = replace(batch, doubt=error.lost)
            raise
        except (NotFoundError, RequestError, EndpointError) as error:
            return self._refused(batch, error)
        self._begun(batch, seen)
        return []

    def _begun(self, batch: Planned, seen: Seen) -> None:
        assert batch.file is not None
        self._enter(Begun(batch.name, batch.lines, batch.began, batch.file, seen.id, seen))
        wait = self.settings.poll / 10
        self.turns[batch.name] = _Turn(self.clock.monotonic() + wait, wait)
        log.info("model %s: batch %s begun, %d lines", self.model.name, seen.id, len(batch.lines))

    def _search(self, batch: Planned, turn: _Turn) -> NumberedResponses:
        """Search the endpoint's list for a batch that may have been begun, since the answer to `create` was lost."""
        assert batch.file is not None
        try:
            seen = self.provider.find(batch.name, batch.file)
        except EndpointError as stop:  # the next command searches; asked anew, the batch might be paid twice
            self._halt(stop)
            self._leave_to_later_starts(batch)
            return []
        except (NotFoundError, RequestError) as error:
            log.warning(
                "model %s: whether batch %s was begun is not known, and the endpoint lists no batches (%s): its %d lines "
                "are asked again, and may be paid twice",
                self.model.name,
                batch.name,
                error,
                len(batch.lines),
            )
            self._give_up(batch, batch.stake)
            return []
        if seen is not None:
            self._begun(batch, seen)
            return []
        turn.absent.add(self.clock.monotonic())
        if turn.absent.times < _SEARCHES:
            turn.due = self.clock.monotonic() + max(_SHORT, self.api.backoff) * 2 ** (turn.absent.times - 1)
        elif len(self._wanted(batch.lines)) == len(batch.lines):
            self.batches[batch.name] = replace(batch, doubt=False, listed=True)
            turn.absent = _Streak()
        else:
            self._give_up(batch)
        return []

    def _look(self, batch: Begun | Ended, turn: _Turn) -> NumberedResponses:
        """Look at a batch, and read its files if it has ended."""
        try:
            seen = self.provider.look(batch.id)
        except NotFoundError as error:
            return self._gone(batch, turn, error)
        except RequestError as error:
            raise TransientError("look", str(error)) from None
        if batch.id != seen.id and batch.file != seen.input:
            raise TransientError("look", f"the endpoint shows another batch: {seen.id}")
        if not (seen.ended and isinstance(batch, Ended)):
            turn.absent = _Streak()
        if seen.ended:
            return self._read(ended(batch, seen), turn)
        self.batches[batch.name] = batch.become(Begun, seen=seen)
        turn.wait = min(self.settings.poll, turn.wait * 1.5 or self.settings.poll / 10)
        turn.due = self.clock.monotonic() + turn.wait
        return []

    def _gone(self, batch: Begun | Ended, turn: _Turn, error: NotFoundError) -> NumberedResponses:
        """Handle a batch that the endpoint does not know. To the key of another project it knows none, so a young batch stops the
        run instead of being asked twice."""
        if self._is_awaited(batch, turn, error):
            return []
        if self._is_young(batch):
            self._halt(
                EndpointError(
                    f"it does not know batch {batch.id}, which this run began ({error}): is the key of another project? With "
                    "another --out all is asked anew"
                )
            )
            self._leave_to_later_starts(batch)
            return []
        return self._collect(ended(batch, Seen(batch.id, "gone")))

    def _read(self, batch: Ended, turn: _Turn) -> NumberedResponses:
        """Read the files of a batch that has ended, and collect its replies unless some may still come."""
        self.batches[batch.name] = batch
        total = None if batch.seen.total is None else max(batch.seen.total, len(batch.lines))
        # The lines of an earlier command may have either name of the token limit.
        limit_names = [self.limit_names[batch.name]] if batch.name in self.limit_names else LIMIT_NAMES
        sent = self.parameters | dict.fromkeys(limit_names)
        for file in batch.seen.files:
            if file in batch.read:
                continue
            try:
                content = self.provider.content(file, total)
            except (NotFoundError, RequestError) as error:
                log.info("model %s: file %s of batch %s: %s", self.model.name, file, batch.id, error)
                content = b""
            self.batches[batch.name] = batch = with_file(batch, file, content, sent)
            turn.failed = _Streak()
        missing = batch.missing()
        _, most = batch.awaited()
        if self._wanted(missing) and (most or (batch.cut_off() and turn.absent.times < _READS)):
            late = TransientError("lines", f"{len(missing)} of {len(batch.lines)} lines are missing in its files")
            if self._is_awaited(batch, turn, late):
                self.batches[batch.name] = replace(batch, read=frozenset())
                return []
        if batch.seen.status == "failed" and not batch.outcomes and not most:
            return self._invalid(batch, batch.seen.problems)
        return self._collect(batch)

    def _is_young(self, batch: State) -> bool:
        """Whether the batch is so recent that endpoints still know it."""
        return self.clock.time() - batch.began < _REMEMBERED

    def _collect(self, batch: Ended) -> NumberedResponses:
        """Give every line its reply, its failure or another attempt. Lines that are answered but missing stay in the note, for
        later commands."""
        least, most = batch.awaited()
        missing = set(batch.missing())
        stays = self._lines_to_keep(batch, missing, least, most)
        group, to_retry, kept_lines, lost = NumberedResponses(), list[int](), dict[str, float](), 0.0
        unsure = list[float]()  # highest costs of lines that may have been answered
        twice = 0  # number of lines that were answered and are asked again
        for line, worst in batch.lines.items():
            n, outcome = self.indices.get(line), batch.outcomes.get(line)
            is_open = n is not None and n in self.open
            if line in stays:
                kept_lines[line] = worst
                continue
            if line in missing:
                unsure.append(worst)
                outcome = TransientError("missing", f"batch {batch.seen.status}, without a line for it")
            cost = self._cost(outcome, worst)
            if isinstance(outcome, Response) and (n is None or is_open):
                kept_lines[line] = cost
            else:
                lost += cost
            if n is None or not is_open:
                continue
            self.queue.tries[n] += 1
            if isinstance(outcome, Response):
                group.append((n, replace(outcome, cost=cost, bound=0.0 if outcome.prompt_tokens else cost)))
            elif isinstance(outcome, TransientError | LimitNameError) and self.queue.tries[n] < self.api.attempts:
                to_retry.append(n)
                twice += is_answered(outcome)
            else:
                group.append((n, self._failure(n, str(outcome))))
            if isinstance(outcome, EndpointError):
                self._halt(outcome)
            elif isinstance(outcome, LimitNameError):
                self.limit_name = "max_completion_tokens"
        lost += sum(sorted(unsure, reverse=True)[:most])
        twice += min(most, sum(self.names[n] in missing for n in to_retry))
        self._warn(batch, len(self._wanted(stays)), twice)
        self.queue.put_last(to_retry)
        self.queue.accept()
        if kept_lines:
            self._enter(batch.become(Collected, lines=kept_lines), lost)
        else:
            self._remove(batch, lost)
        return group

    def _lines_to_keep(self, batch: Ended, missing: set[str], least: int, most: int) -> set[str]:
        """The missing lines that stay in the note: those of this plan if the endpoint has surely answered some (`least`); those
        of other plans, which have not waited for them, also if it may have answered some (`most`)."""
        if not self._is_young(batch):
            return set()

        def stays(line: str) -> bool:
            n = self.indices.get(line)
            return most > 0 if n is None else least > 0 and n in self.open

        return set(filter(stays, missing))

    def _warn(self, batch: Ended, stays: int, twice: int) -> None:
        """Warn of lines that a collected batch lacks. `stays`: number of those in this plan; `twice`: number of those asked again
        although they may be answered."""
        if batch.seen.status in ("expired", "cancelled"):
            log.warning(
                "model %s: batch %s %s; what it has not answered is asked again",
                self.model.name,
                batch.id,
                batch.seen.status,
            )
        if twice:
            log.warning(
                "model %s: batch %s %s: %d lines that it has answered, or may have, are asked again, and may be paid twice",
                self.model.name,
                batch.id,
                batch.seen.status,
                twice,
            )
        if stays:
            stop = EndpointError(
                f"batch {batch.id} has ended, and its files lack {stays} lines, though by its counts they are answered and paid: "
                "the same command looks for them again; with another --out all is asked anew"
            )
            log.warning("model %s: %s", self.model.name, stop)
            self._halt(stop)

    def _close(self, batch: Collected, stored: set[str]) -> None:
        """Remove the lines whose replies are stored from a batch's note, and the note if no line is left."""
        remaining = without(batch, stored)
        if remaining.lines:
            self.journal.put_batch(batch.name, note_of(remaining, self.api.base_url), remaining.stake)
        else:
            self.journal.end_batch(batch.name)
        self._leave_to_later_starts(batch)

    # --- batches that were not begun -----------------------------------------------------------------------------------------

    def _refused(self, batch: Planned, error: Exception) -> NumberedResponses:
        """Handle the refusal of a file or a batch. Returns the lines that fail for good."""
        if isinstance(error, NotFoundError) and not batch.listed:
            error = EndpointError(f"it has no such address: is there a batch API? ({error})")
        if not isinstance(error, EndpointError):
            return self._invalid(batch, [Problem("", str(error), None)])
        self._halt(error)
        self._give_up(batch)
        return []

    def _invalid(self, batch: State, problems: Sequence[Problem]) -> NumberedResponses:
        """Handle a batch whose file was refused, so that nothing was asked. Returns the lines that fail for good."""
        reasons = "; ".join(str(problem) for problem in problems[:3]) or "no reason given"
        log.warning("model %s: a batch of %d lines was refused: %s", self.model.name, len(batch.lines), reasons)
        wanted, alone = self._wanted(batch.lines), len(self.batches) == 1
        self._remove(batch)
        if self.queue.is_too_much(reasons, wanted, len(batch.lines), alone):
            return []
        lines = list(batch.lines)
        named = {lines[p.line - 1] for p in problems if p.line and 0 < p.line <= len(lines)}
        failed = self.queue.divide(wanted, [n for n in wanted if self.names[n] in named])
        if self.queue.refused > self.api.attempts:
            self._halt(EndpointError(f"it refused {self.queue.refused} batches in a row, the last: {reasons}"))
        return [(n, self._failure(n, f"batch failed: {reasons}")) for n in failed]

    def _failure(self, n: int, text: str) -> Response:
        return failed_response(text, self.queue.tries[n])

    def _cost(self, outcome: LineOutcome | None, worst: float) -> float:
        """The cost of an outcome: `worst` for a reply without usage, 0 for a refusal of the content filter."""
        if not isinstance(outcome, Response):
            return worst if is_answered(outcome) else 0.0
        if outcome.prompt_tokens:
            return cost_of(self.api.charged, outcome.prompt_tokens, outcome.new_tokens)
        return 0.0 if outcome.finish == "content_filter" else worst

    # --- waiting ----------------------------------------------------------------------------------------------------

    def _sleep(self) -> None:
        times = [self.turns[name].due for name in self.batches]
        if self.queue.may_begin(len(self.batches)):
            times.append(self.queue.pause)
        if times and (left := min(times) - self.clock.monotonic()) > 0:
            self.clock.sleep(left)

    def _report_progress(self) -> None:
        """Show how many requests the endpoint has answered, how fast, and how long it will take."""
        now = self.clock.monotonic()
        looked = [batch.seen for batch in self.batches.values() if isinstance(batch, Begun | Ended) and batch.seen]
        answered = self.total - len(self.open) + sum((seen.completed or 0) + seen.failed for seen in looked)
        self.first = self.first or (now, answered)
        rate = (answered - self.first[1]) / max(now - self.first[0], 1e-9)
        left = f", {_duration((self.total - answered) / rate)} left" if rate and answered < self.total else ""
        text = f"batches: {len(self.batches)}, {answered:,}/{self.total:,} {rate:.1f}/s{left}"
        self.limits.tell(text)
        if now - self.reported > _REPORT_EVERY:
            self.reported = now
            log.info("model %s: %s", self.model.name, text)


def endpoint_of(model: Model) -> str:
    """The `url` of a line: /v1/…, or with the version at the end of the endpoint's own address, such as /v4/… (Zhipu)."""
    version = re.search(r"/v\d+$", model.api.base_url)
    return f"{version[0] if version else '/v1'}/{'chat/' if model.chat else ''}completions"


def line_names(backend: Endpoint, requests: Sequence[Request]) -> list[str]:
    """The name of each request's line: a hash of its content, and its number among requests of the same content."""
    names, met = list[str](), Counter[str]()
    for request in requests:
        content = json.dumps([backend.whole_body(request), request.sample], sort_keys=True, ensure_ascii=False)
        name = hashlib.sha256(content.encode()).hexdigest()[:32]
        met[name] += 1
        names.append(name if met[name] == 1 else f"{name}-{met[name]}")
    return names


def under_way(backend: Endpoint, requests: Sequence[Request], journal: Journal) -> int:
    """The number of requests that are lines of batches which the model's endpoint has begun, or may have begun."""
    address = backend.model.api.base_url
    notes = [note for note in journal.batches().values() if note["file"] and note["address"] == address]
    lines = {line for note in notes for line in note["lines"]}
    return sum(name in lines for name in line_names(backend, requests)) if lines else 0


def _known(batch: State) -> str:
    """The id of a batch at its endpoint, or the name that we gave it."""
    return batch.name if isinstance(batch, Planned) else batch.id


def _duration(seconds: float) -> str:
    if seconds > 5400:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 60:.0f} min" if seconds > 90 else f"{seconds:.0f} s"
