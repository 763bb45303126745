"""States of a batch, as frozen values; the journal's notes of them; and the lines that are missing after the batch's end.

    Planned    its lines are noted with their highest costs, which count as spent from here on. Once its file is uploaded, the
               batch may exist: a process that finds no id in the note searches the endpoint's list before it begins the batch
    Begun      the batch has an id
    Ended      the endpoint has ended it; its files are read until they hold all lines that the endpoint counts as answered
    Collected  its replies are handed over. Lines left in the note are answered and paid: this run does not ask them, or the
               endpoint does not give their replies yet

The note is written before each step (batches.py), so that a batch is begun once and collected once, whenever the process is
killed. Ended has no note of its own, since the endpoint shows it again.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from evalsuite.backends.openai.lines import LineError, read_batch_line
from evalsuite.backends.openai.provider import Seen, json_of
from evalsuite.backends.openai.replies import EndpointError, LimitNameError, RequestError, TransientError
from evalsuite.types import Response

Note = dict[str, Any]
AnyKnown = TypeVar("AnyKnown", bound="_Known")
LineOutcome = Response | Exception  # the outcome of a line; LineError: the line has none


@dataclass(frozen=True, slots=True)
class _Noted:
    """The fields of every state."""

    name: str
    lines: Mapping[str, float]  # name of each line, in order -> its highest cost, or its cost once that is known
    began: float  # by the wall clock, in seconds

    @property
    def stake(self) -> float:
        return sum(self.lines.values())


@dataclass(frozen=True, slots=True)
class Planned(_Noted):
    file: str | None = None
    doubt: bool = False  # the batch may have been begun: the answer was lost, or its process was killed
    listed: bool = False  # the endpoint's list was read, and does not have the batch


@dataclass(frozen=True, slots=True)
class _Known(_Noted):
    """The fields of a batch that the endpoint has begun."""

    file: str
    id: str

    def become(self, state: type[AnyKnown], **changes: Any) -> AnyKnown:
        """The batch in another state. `changes`: new values of its fields, and values of the fields that only that state has."""
        return state(**{part.name: getattr(self, part.name) for part in fields(_Known)} | changes)


@dataclass(frozen=True, slots=True)
class Begun(_Known):
    seen: Seen | None = None


@dataclass(frozen=True, slots=True)
class Ended(_Known):
    seen: Seen
    # Name of a line -> its outcome, also for lines that are no longer in the note.
    outcomes: Mapping[str, LineOutcome] = field(default_factory=dict)
    read: frozenset[str] = frozenset()  # ids of the files that were read

    def missing(self) -> list[str]:
        """Names of the lines that the files do not mention."""
        return [line for line in self.lines if isinstance(self.outcomes.get(line, LineError()), LineError)]

    def awaited(self) -> tuple[int, int]:
        """The number of missing lines that the endpoint has answered: at least, and at most."""
        answered_lines = sum(is_answered(outcome) for outcome in self.outcomes.values())
        most = len(self.missing())
        least, highest = self._answered()
        return min(most, max(0, least - answered_lines)), min(most, max(0, highest - answered_lines))

    def cut_off(self) -> bool:
        """Whether the files lack lines that have failed by the endpoint's counts, and with them the reasons."""
        failed = sum(not is_answered(outcome) for outcome in self.outcomes.values())
        return min(len(self.missing()), self.seen.failed - failed) > 0

    def _answered(self) -> tuple[int, int]:
        """The number of lines that the endpoint has answered, at least and at most.

        Some endpoints count failed lines among `completed`. A completed batch has answered all lines that have not failed; lower
        counts may lag behind. A batch that ended otherwise, without counts, may have answered any number.
        """
        seen, size = self.seen, max(self.seen.total or 0, len(self.lines.keys() | self.outcomes.keys()))
        not_failed = max(0, size - seen.failed)
        counted = None if seen.completed is None else min(seen.completed, not_failed)
        if seen.status == "completed":
            return (not_failed if counted is None else counted), not_failed
        if counted is None:
            return 0, 0 if seen.status == "failed" and not seen.files else not_failed
        return counted, counted


@dataclass(frozen=True, slots=True)
class Collected(_Known):
    pass


State = Planned | Begun | Ended | Collected


def note_of(batch: State, address: str) -> Note:
    """The journal's note of a state, which `read_note` reads."""
    return {
        "address": address,
        "began": batch.began,
        "file": batch.file,
        "taken": isinstance(batch, Collected),
        "batch": None if isinstance(batch, Planned) else batch.id,
        "lines": list(batch.lines),
        "costs": list(batch.lines.values()),
    }


def read_note(name: str, note: Note) -> tuple[Planned | Begun | Collected, float]:
    """The state that an earlier process has noted, and a cost that counts as spent for good with the next note.

    This cost is 0 except for notes of earlier versions, which have one `stake` for all lines and, while replies were being
    stored, the part of it that belongs to no reply (`owed`).
    """
    names = note["lines"]
    costs = note.get("costs") or [note["stake"] / max(1, len(names))] * len(names)
    lines, began, file, owed = dict(zip(names, costs, strict=True)), note["began"], note["file"], note.get("owed")
    if note["batch"] is None:
        return Planned(name, lines, began, file, doubt=True), 0.0
    if note["taken"] or owed is not None:
        return Collected(name, lines, began, file, note["batch"]), owed or 0.0
    return Begun(name, lines, began, file, note["batch"]), 0.0


def ended(batch: Begun | Ended, seen: Seen) -> Ended:
    """The batch as ended, with the outcomes that were read so far."""
    if isinstance(batch, Ended):
        return replace(batch, seen=seen)
    return batch.become(Ended, seen=seen)


def with_file(batch: Ended, file: str, content: bytes, sent: Mapping[str, Any]) -> Ended:
    """The batch with the outcomes in a file. `sent`: the parameters of its requests."""
    outcomes = dict(batch.outcomes)
    for text in content.splitlines():
        try:
            row = json_of(text) if text.strip() else None
        except TransientError:
            continue  # cut off; the line is missing
        name = row.get("custom_id") if isinstance(row, dict) else None
        if isinstance(name, str) and not isinstance(outcomes.get(name), Response):
            outcomes[name] = _outcome(row, sent)
    return replace(batch, outcomes=outcomes, read=batch.read | {file})


def _outcome(row: Any, sent: Mapping[str, Any]) -> LineOutcome:
    try:
        return read_batch_line(row, sent) or LineError("a request")
    except (LineError, TransientError, RequestError, EndpointError, LimitNameError) as error:
        return error


def is_answered(outcome: LineOutcome | None) -> bool:
    """Whether the endpoint has answered the line, and may have charged for it, although the answer may hold no reply."""
    return isinstance(outcome, Response) or (isinstance(outcome, TransientError) and outcome.lost)


def without(batch: Collected, stored: Container[str]) -> Collected:
    """The batch without the lines whose replies are stored."""
    return replace(batch, lines={line: cost for line, cost in batch.lines.items() if line not in stored})
