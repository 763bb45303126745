"""Stored replies that predict those of a planned cell: the replies of the closest stored cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

from evalsuite.results.store import open_store
from evalsuite.types import WRITTEN, Place, Request


class Kinship(IntEnum):
    """The kinship of a stored cell to a planned one; the first is the closest."""

    SAME = 0  # the same cell
    ITEMS = 1  # the same model, task and way; another set, split or perturbation
    WAY = 2  # the same model and task; another wording or number of shots
    TASK = 3  # the same model and way; another task
    MODEL = 4  # another model, or other settings of this one; the same task


@dataclass(frozen=True, slots=True)
class CountedReply:
    """A stored reply whose tokens were counted."""

    request: Request
    context: tuple[str, ...]  # `Item.context`: replies about one context are not independent
    prompt_tokens: int
    new_tokens: int


@dataclass(frozen=True, slots=True)
class CellSample:
    """The counted replies of one stored cell."""

    place: Place
    fingerprint: str | None
    sampling: Any
    replies: tuple[CountedReply, ...]

    def kinship(self, place: Place, fingerprint: str | None, sampling: Any) -> Kinship | None:
        """The kinship of this cell to a planned one; None if they are not comparable. Without a fingerprint, the model's
        name decides."""
        same_task, same_way = self.place.task == place.task, _way(self.place) == _way(place)
        changed = fingerprint is not None and (fingerprint, sampling) != (self.fingerprint, self.sampling)
        if changed or self.place.model != place.model:
            return Kinship.MODEL if same_task and same_way else None
        if self.place == place:
            return Kinship.SAME
        if same_task:
            return Kinship.ITEMS if same_way else Kinship.WAY
        return Kinship.TASK if same_way else None


def _way(place: Place) -> tuple[Any, ...]:
    return place.variant, place.shots, place.scoring


def read_samples(run: Path) -> Iterator[CellSample]:
    """The cells of a run that hold counted replies. Raises ConfigError if there is no run."""
    with open_store(run) as store:
        for cell in store.cells():
            if cell.place.scoring not in WRITTEN:
                continue
            replies = tuple(
                CountedReply(trial.request, trial.item.context, response.prompt_tokens, response.new_tokens)
                for _, trial, response in store.read(cell)
                if response is not None and response.error is None and response.new_tokens
            )
            if replies:
                yield CellSample(cell.place, cell.facts.get("fingerprint"), cell.facts.get("sampling"), replies)


def closest(
    samples: Sequence[CellSample], place: Place, fingerprint: str | None, sampling: Any
) -> tuple[Kinship, list[CountedReply]] | None:
    """The kinship and the replies of the cells closest to a planned one; None if no cell is comparable."""
    by_kinship: dict[Kinship, list[CountedReply]] = {}
    for sample in samples:
        kinship = sample.kinship(place, fingerprint, sampling)
        if kinship is not None:
            by_kinship.setdefault(kinship, []).extend(sample.replies)
    return min(by_kinship.items()) if by_kinship else None
