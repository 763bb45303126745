"""Rounds of requests until each cell's interval is narrow enough (`--until`), or models differ clearly (`--until-ranked`).

A round asks all open cells together, so that an engine stays busy. Its number of items is guessed from the replies so far alone,
so that an interrupted run repeats the same rounds, and asks only what is missing. The guarantee does not depend on the guess.

With `--until-ranked` the models are loaded one at a time, in several passes. Each pass asks the models that are not told apart
yet a larger share of the items.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from statistics import fmean, pvariance

from evalsuite.analyses.ranked_pairs import ScoredRequest, asked_items, columns, pairs, takes_part
from evalsuite.backends.base import Backend
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.grouping import by_key
from evalsuite.common.numbers import fixed
from evalsuite.evaluation.ask import KeyedCells, RequestGroup, ask, first_metric, generate_of, line_of, score_of
from evalsuite.evaluation.display import Display
from evalsuite.results.estimates import LEVEL, Asking, asking_of, estimate_of, estimated_metric, margin_of
from evalsuite.results.schema.cell import Estimate
from evalsuite.results.store import Store
from evalsuite.types import Cell, Place, Trial

log = logging.getLogger(__name__)

_FIRST = 64  # items of the first round
_SHARE, _GROWTH = 1 / 16, 1.5  # share of all items in the first pass over the models, and its growth from pass to pass
_STEP = 1 / 16  # the least number of items in a round, as a share of the items before it


@dataclass(slots=True)
class _OpenCell:
    """A cell that is being asked."""

    number: int  # the number of its line on the display
    cell: Cell
    trials: Sequence[Trial]
    keys: Sequence[str]
    asking: Asking
    margin: float
    asked: int = 0  # number of items asked
    values: dict[int, float | None] = field(default_factory=dict)  # index of an asked trial -> its value; None: failed
    estimate: Estimate | None = None

    def advance(self) -> list[int]:
        """Choose the items of the next round; returns the indices of their trials."""
        before, ends = self.asked, self.asking.order.ends
        self.asked = int(ends[ends >= min(self._wanted(), len(self.asking.trials))][0])
        return [n for indices in self.asking.trials[before : self.asked] for n in indices]

    def catch_up(self, stored: Set[str]) -> list[int]:
        """Add later blocks, as far as the store has a reply or a failure for all of their requests; returns the indices of
        their trials. An earlier command may have asked more, because requests failed that are answered now."""
        before, ends = self.asked, self.asking.order.ends
        whole = next(
            (n for n, indices in enumerate(self.asking.trials) if not all(self.keys[i] in stored for i in indices)),
            len(self.asking.trials),
        )
        self.asked = max(before, int(ends[ends <= whole].max(initial=0)))
        return [n for indices in self.asking.trials[before : self.asked] for n in indices]

    def _wanted(self) -> int:
        """The number of items, of all rounds together, after which the interval is likely to be narrow enough."""
        total = len(self.asking.trials)
        if self.estimate is None:
            return _FIRST
        low, high = self.estimate.interval
        alone = 2 * math.log(2 / (1 - LEVEL)) * self._spread() / self.margin**2  # items needed if the list were endless
        # If nothing varies, the width shrinks as 1 / n.
        need = max(alone * total / (total + alone), self.asked * min(2.0, (high - low) / (2 * self.margin)) ** 0.5)
        step = max(8, math.ceil(self.asked * _STEP))
        wanted = max(self.asked + step, math.floor(0.9 * need))
        return total if wanted > 0.97 * total else wanted

    def _spread(self) -> float:
        """The variance of the items' values within strata, so far."""
        strata = by_key(
            (stratum, fmean(self.values[n] or 0.0 for n in indices))
            for stratum, indices in zip(
                self.asking.order.strata[: self.asked].tolist(), self.asking.trials, strict=False
            )
        )
        return math.fsum(len(values) * pvariance(values) for values in strata.values()) / self.asked

    def take(self, indices: Sequence[int], store: Store) -> None:
        """Score the stored replies of a round, and estimate the cell's value anew."""
        metric = estimated_metric(TASKS[self.cell.place.task])
        for n in indices:
            score = score_of(self.trials[n], store.response(self.keys[n]))
            self.values[n] = score.values.get(metric, 0.0) if score else None
        self.estimate = estimate_of(self.cell, self.asking, self.trials, self.values)

    @property
    def closed(self) -> bool:
        return self.asked == len(self.asking.trials) or bool(self.estimate and self.estimate.reached)


def ask_until(backend: Backend, planned: KeyedCells, store: Store, display: Display) -> None:
    """Ask as `ask_trials` does, but each cell only until its estimate is narrow enough. Requests that failed in an earlier
    command are asked again, also beyond that point."""
    cells = [
        _OpenCell(n, cell, trials, keys, asking_of(cell, trials), margin_of(cell) or 0.0)
        for n, (cell, trials, keys) in enumerate(planned)
    ]
    stored = {key for cell, *_ in planned for key, _, response in store.read(cell) if response}
    lines = [line_of(c.cell) for c in cells]
    progress = display.model([(line, len(c.trials)) for line, c in zip(lines, cells, strict=True)])
    _say_metrics(cells)

    def ask_round(rounds: Mapping[int, Sequence[int]]) -> None:
        groups = []
        for c in cells:
            indices = rounds.get(c.number, [])
            groups.append(RequestGroup(lines[c.number], [c.trials[n] for n in indices], [c.keys[n] for n in indices]))
        ask(groups, generate_of(backend), store, display, first_metric, progress)
        for c in cells:
            if c.number in rounds:
                c.take(rounds[c.number], store)

    try:
        while left := [c for c in cells if not c.closed]:
            ask_round({c.number: c.advance() for c in left})
            if again := {c.number: more for c in left if c.closed and (more := c.catch_up(stored))}:
                ask_round(again)
            for c in left:
                if c.closed and c.estimate and c.asked < len(c.asking.trials):
                    low, high = (fixed(100 * end, 1) for end in c.estimate.interval)
                    progress.stop(c.number, f"enough: {c.estimate.asked} of {c.estimate.of} items, {low} … {high} %")
    finally:
        progress.finish()


@dataclass(slots=True)
class Ranking:
    """Passes over models until each compared pair is told apart, or known to be alike. `passes` yields the names of a pass's
    models, and the caller asks each of them by `ask`."""

    store: Store
    display: Display
    share: float = _SHARE
    asked: dict[Place, int] = field(default_factory=dict)  # number of items asked of each cell
    closed: set[Place] = field(default_factory=set)
    alone: set[Place] = field(default_factory=set)  # places with one model only, which are asked in full
    answered: set[str] = field(default_factory=set)  # models that had no problem in this pass
    named: frozenset[str] = frozenset()  # models of the first pass
    tried: set[str] = field(default_factory=set)  # keys of the requests that this command has asked

    def passes(self, names: Sequence[str]) -> Iterator[list[str]]:
        """The models of each pass."""
        left = [*names]
        self.named = frozenset(names)
        while left:
            self.answered = set()
            yield left
            still = {place.model for place in self._open()}
            left = [name for name in left if name in still]
            self.share *= _GROWTH

    def plan(self, model: str) -> list[tuple[Cell, list[Trial], list[str]]]:
        """The open cells of a model as an earlier pass stored them; [] in the first pass."""
        planned = []
        for cell in self.store.cells():
            if cell.place.model == model and cell.place in self.asked and cell.place not in self.closed:
                rows = [(trial, key) for key, trial, _ in self.store.read(cell)]
                planned.append((cell, [trial for trial, _ in rows], [key for _, key in rows]))
        return planned

    def ask(self, backend: Backend, planned: KeyedCells) -> None:
        """Ask a model its open cells' share of the items. Requests that failed in an earlier command are asked once more, also
        beyond that share."""
        groups, reached = [], {}
        for cell, trials, keys in planned:
            if cell.place not in self.closed:
                asking = asking_of(cell, trials)
                reached[cell.place] = count = self._count(cell, asking)
                indices_to_ask = [n for indices in asking.trials[:count] for n in indices]
                indices_to_ask += [n for indices in asking.trials[count:] for n in indices if self._failed(keys[n])]
                indices_to_ask = [n for n in indices_to_ask if keys[n] not in self.tried]
                groups.append(
                    RequestGroup(line_of(cell), [trials[n] for n in indices_to_ask], [keys[n] for n in indices_to_ask])
                )
        ask(groups, generate_of(backend), self.store, self.display, first_metric)
        self.asked |= reached
        self.tried.update(key for group in groups for key in group.keys)
        self.answered |= {cell.place.model for cell, *_ in planned}

    def _failed(self, key: str) -> bool:
        response = self.store.response(key)
        return response is not None and response.error is not None

    def _count(self, cell: Cell, asking: Asking) -> int:
        total = len(asking.trials)
        if not total or cell.place in self.alone or cell.is_baseline:
            return total
        ends = asking.order.ends
        return int(ends[ends >= min(total, max(_FIRST, math.ceil(self.share * total)))][0])

    def _scored(self, cell: Cell) -> Iterator[ScoredRequest]:
        """The requests of a cell, with their replies and scores."""
        for _, trial, response in self.store.read(cell):
            yield trial, response, score_of(trial, response)

    def _open(self) -> set[Place]:
        """The places to ask further: those of undecided pairs whose models both answered in this pass.

        Pairs include models of earlier commands, as in results.json, which are not asked.
        """
        cells = [
            asked_items(cell, self._scored(cell), self.asked.get(cell.place))
            for cell in self.store.cells()
            if takes_part(cell) and (cell.place in self.asked or cell.place.model not in self.named)
        ]
        left, paired = set(), set()
        for place, column in columns(cells).items():
            for pair in pairs(column):
                both = {Place(model=name, **dict(place)) for name in (pair.a, pair.b)}
                paired |= both
                if pair.verdict == "open" and pair.asked < pair.of and {pair.a, pair.b} <= self.answered:
                    left |= both
        self.alone = {c.cell.place for c in cells} - paired
        left |= {
            c.cell.place
            for c in cells
            if c.cell.place in self.alone and len(c.ranges) < len(c.items) and c.cell.place.model in self.answered
        }
        self.closed = {*self.asked} - left
        return left


def _say_metrics(cells: Sequence[_OpenCell]) -> None:
    """Warn of each headline metric that is no mean over items, and name the metric that decides in its place."""
    for task in dict.fromkeys(c.cell.place.task for c in cells):
        headline, other = TASKS[task].metrics[0], estimated_metric(TASKS[task])
        if headline != other:
            log.warning("--until: %s of %s is no mean over items, so %s decides when to stop", headline, task, other)
