"""Compare two models, two settings or two runs on the same items: difference, interval, significance test, and the items that
flipped.

A row pairs two cells that differ in one part of their place: the model, the shots, the wording, the scoring or the perturbation;
or one place in two runs. Items are paired by id, as long as both cells asked the same item: perturbed items keep the id of their
original. The samples of an item count as one value, their mean; its rotations as their lowest.

The test is McNemar's exact test for accuracy where every item has a dialogue of its own; otherwise a paired permutation test
over dialogues, since McNemar assumes independent items. The interval agrees with the test. p-values are corrected by Holm
within a family: all rows that differ in task and set alone. More rows of another wording, another number of shots or another
model do not change them.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.dialogue import sources
from evalsuite.common.errors import ConfigError
from evalsuite.common.sheet import About
from evalsuite.common.terminal import safe
from evalsuite.metrics.power import detectable
from evalsuite.metrics.statistics import paired_test, within_families
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.estimates import may_stop
from evalsuite.results.outcomes import FLIP
from evalsuite.results.places import known_values
from evalsuite.results.records import reading_of
from evalsuite.results.scoring import per_item, read_answer, score_answer, score_cell
from evalsuite.results.store import Store, open_store, without_cells
from evalsuite.types import PLACE, Answer, Cell, Item, Place, Reading, Response

log = logging.getLogger(__name__)

# Keyword (and flag) -> the part of a place that it compares, or by which it chooses cells.
COMPARED = {"models": "model", "shots": "shots", "prompt": "variant", "scoring": "scoring", "perturb": "perturb"}
_EXAMPLES = "--models A,B, --shots 0,5, --prompt paper,plain, --scoring generate,labels or --perturb none,shuffle"


@dataclass(frozen=True, slots=True)
class Flip:
    """An item on which the scores of A and B differ by FLIP or more. Samples are averaged; of rotations the lowest counts."""

    item: Item  # the item in the form that A was asked
    a: str  # A's reply: of its first sample, the rotation with the lowest score
    b: str
    a_score: float
    b_score: float
    b_item: Item | None = None  # the form that B was asked, if it differs: perturbed, or in another language


@dataclass(frozen=True, slots=True)
class Comparison:
    """A minus B in `metric`, on the items of one task and set that both answered. The compared part of the place is None."""

    by: str  # the keyword in which A and B differ: models, shots, prompt, scoring, perturb, or run
    a_name: str
    b_name: str
    model: str | None
    task: str
    set: str
    split: str
    variant: str | None
    shots: int | None
    scoring: str | None
    perturb: str | None
    metric: str
    items: int  # pairs
    left_out: int  # planned items of A or B without a pair: unanswered in one of the two, or not planned there
    dialogues: int
    a: float
    b: float
    difference: float
    low: float
    high: float
    p: float
    test: str
    differ: int  # dialogues on which A and B differ; with fewer than 6, p cannot be below 0.05
    least_p: float  # the smallest p that so few differing dialogues can give
    p_holm: float  # within the row's family: all tasks and sets asked in the same way
    least_p_holm: float  # the smallest p_holm that the family's dialogues can give; at 0.05 or more, too few to tell
    family: int  # number of rows of the family
    a_higher: int  # items on which A has the higher score, by however little
    b_higher: int
    # The smallest true difference that would be significant in 80 % of such samples; None: too few dialogues.
    detectable: float | None
    flips: tuple[Flip, ...]

    @property
    def place(self) -> About:
        """The parts of the place that A and B share."""
        return {name: value for name in PLACE if (value := getattr(self, name)) is not None}


def compare(
    run: str | Path,
    a: str | None = None,
    b: str | None = None,
    *,
    other: str | Path | None = None,
    models: Sequence[str] = (),
    shots: Sequence[int] = (),
    prompt: Sequence[str] = (),
    scoring: Sequence[str] = (),
    perturb: Sequence[str] = (),
    tasks: Sequence[str] = (),
    set: Sequence[str] = (),
) -> tuple[Comparison, ...]:
    """Compare pairs of cells that are equal but for one part of their place, by the task's first metric of items: a row a pair.

    One of `models`, `shots`, `prompt`, `scoring` and `perturb` has two values, A and B; those with one value, `tasks` and `set`
    choose the cells. With `other`, a second run, none has two values: the same cells of both runs are compared. Without
    `models`, baselines are left out. `compare(run, "A", "B")` is short for `models=["A", "B"]`.

    Raises ConfigError unless exactly one thing is compared, if a run lacks a value, and if no item was answered by both.

    >>> compare("runs/mine", shots=[0, 5], prompt=["paper"])  # doctest: +SKIP
    """
    if a is not None:
        models = (a, b) if b is not None else (a,)
    given = {"models": models, "shots": shots, "prompt": prompt, "scoring": scoring, "perturb": perturb}
    values = {name: _listed(wanted) for name, wanted in given.items()}
    by = _compared(values, other is not None)
    narrowing = {"task": _listed(tasks), "set": _listed(set)} | {
        COMPARED[name]: wanted for name, wanted in values.items() if name != by
    }
    with ExitStack() as stack:
        folders = [Path(folder) for folder in (run, other) if folder is not None]
        runs = [_ComparedRun.of(stack.enter_context(open_store(folder)), folder) for folder in folders]
        names = (str(run), str(other)) if by == "run" else _two(runs[0], by, values[by])
        cells = [[(run_, cell) for cell in run_.chosen(narrowing)] for run_ in runs]
        part = COMPARED.get(by, "")
        if part:
            cells = [[pair for pair in cells[0] if str(getattr(pair[1].place, part)) == name] for name in names]
        pairs = list(_paired(cells[0], cells[1], part))
        families = [_family(by, cell.place) for (_, cell), _ in pairs]
        sizes = Counter(families)
        compared = [
            (family, _row(by, names, *pair, sizes[family])) for pair, family in zip(pairs, families, strict=True)
        ]
    rows = [(family, row) for family, row in compared if row]
    if not rows:
        raise _nothing_shared(Path(run), by, names, cells, bool(pairs))
    tests = within_families([(family, row.p, row.least_p) for family, row in rows])
    return tuple(
        replace(row, p_holm=test.p, least_p_holm=test.least, family=test.family)
        for (_, row), test in zip(rows, tests, strict=True)
    )


def _nothing_shared(
    folder: Path, by: str, names: tuple[str, str], cells: Sequence[Sequence[_CellOfRun]], paired: bool
) -> ConfigError:
    """An error that says why there is nothing to compare, and which command would add it."""
    a, b = names
    out = safe(str(folder), lines=False)
    flag = " --model ".join(("", *names)).strip() if by == "models" else f"--{by} {a},{b}"
    empty = [name for name, side in zip(names, cells, strict=True) if not side]
    if by != "run" and len(empty) == 1:
        lacking = empty[0]
        return ConfigError(
            f"{a} and {b} share no answered item in {out}: none of the cells chosen is of {lacking}; "
            f"`evalsuite run … {flag} --out {out}`, with the settings of the others, adds them"
        )
    if by != "run" and not empty and not paired:
        return ConfigError(
            f"{a} and {b} share no answered item in {out}: no cell of the one is equal to one of the other in all else; "
            f"`evalsuite run … {flag} --out {out}`, with one setting of all else, adds them"
        )
    return ConfigError(
        f"{a} and {b} share no answered item; ask the same items for both, in settings that are otherwise equal"
    )


def _listed(values: Any) -> list[str]:
    """Values as text; a single one may stand alone."""
    return [str(value) for value in ((values,) if isinstance(values, str | int) else values)]


def _compared(values: Mapping[str, Sequence[str]], runs: bool) -> str:
    """The keyword with two values; "run" if two `runs` are compared. Raises ConfigError unless exactly one thing is compared."""
    for name, flag_values in values.items():
        if len(flag_values) > 2 or len(flag_values) != len({*flag_values}):
            raise ConfigError(f"--{name} {','.join(flag_values)}: expected two different values to compare, or one")
    two = [name for name, flag_values in values.items() if len(flag_values) == 2]
    if runs:
        if two:
            raise ConfigError(f"--{two[0]} {','.join(values[two[0]])}: two runs are compared, so expected one value")
        return "run"
    if len(two) != 1:
        flags = ", ".join(f"--{name}" for name in two)
        what = (
            f"{flags} have two values each: one thing is compared, the others are equal"
            if two
            else "nothing to compare"
        )
        raise ConfigError(f"{what}; give two values of one of them: {_EXAMPLES}")
    return two[0]


@dataclass(frozen=True, slots=True)
class _ComparedRun:
    """One of the runs that are compared."""

    folder: Path
    store: Store
    reading: Reading
    cells: tuple[Cell, ...]

    @classmethod
    def of(cls, store: Store, folder: Path) -> _ComparedRun:
        if not (cells := tuple(store.cells())):
            raise without_cells(folder)
        return cls(folder, store, reading_of(folder), cells)

    def known(self, part: str, values: Iterable[str]) -> set[Any]:
        """The values of a part of a place, as the cells have them. Raises ConfigError for one that no cell has."""
        try:
            return known_values([cell.place for cell in self.cells], part, values)
        except ConfigError as error:
            raise ConfigError(f"{self.folder}: {error}") from None

    def chosen(self, narrowing: Mapping[str, Sequence[str]]) -> list[Cell]:
        """The cells with these values, without estimates. Baselines are left out if no model is named and others are left."""
        wanted = {part: self.known(part, values) for part, values in narrowing.items() if values}
        cells = [c for c in self.cells if all(getattr(c.place, part) in allowed for part, allowed in wanted.items())]
        if "model" in narrowing and "model" not in wanted:
            cells = [c for c in cells if not c.is_baseline] or cells
        stopped = [cell for cell in cells if _stopped(self.store, cell)]
        if stopped:
            log.warning(
                "%s: %d cells are estimates and are left out: tests on them would not hold", self.folder, len(stopped)
            )
        return [cell for cell in cells if cell not in stopped]


def _stopped(store: Store, cell: Cell) -> bool:
    """Whether a cell is an estimate, from anchor items or because its asking stopped early: tests for a fixed number of items do
    not hold for it."""
    if "anchors" in (cell.facts.get("items") or {}):
        return True
    return may_stop(cell) and any(response is None for _, _, response in store.read(cell))


def _two(run: _ComparedRun, by: str, values: Sequence[str]) -> tuple[str, str]:
    """The two compared values, in the notation of cells."""
    a, b = (str(next(iter(run.known(COMPARED[by], [value])))) for value in values)
    return a, b


_CellOfRun = tuple[_ComparedRun, Cell]


def _paired(a: Sequence[_CellOfRun], b: Sequence[_CellOfRun], part: str) -> Iterator[tuple[_CellOfRun, _CellOfRun]]:
    """The cells of A and B whose places are equal but for `part`, in the order of A."""
    of_b = {cell.place.without(part): (run, cell) for run, cell in b}
    for run, cell in a:
        if partner := of_b.get(cell.place.without(part)):
            yield (run, cell), partner


def _family(by: str, place: Place) -> tuple[tuple[str, Any], ...]:
    """The parts of a place that the rows of a family share."""
    return place.without("task", "set", *([] if by == "run" else [COMPARED[by]]))


# --- one comparison


class _ReadReply(NamedTuple):
    item: Item
    response: Response
    answer: Answer
    rotation: int
    sample: int


@dataclass(frozen=True, slots=True)
class _ReadCell:
    """The replies of one cell, with their answers."""

    place: Place
    data: str | None  # the hash of its file
    reading: Reading
    planned: frozenset[str]  # ids of all items that were to be asked
    answered: dict[str, list[_ReadReply]]  # id -> the requests that did not fail

    @classmethod
    def of(cls, run: _ComparedRun, cell: Cell) -> _ReadCell:
        planned, answered = set[str](), dict[str, list[_ReadReply]]()
        for _, trial, response in run.store.read(cell):
            planned.add(trial.item.id)
            if response is not None and response.error is None:
                answer = read_answer(trial.item, response, run.reading, trial.request.answer_after)
                reply = _ReadReply(trial.item, response, answer, trial.rotation, trial.request.sample)
                answered.setdefault(trial.item.id, []).append(reply)
        return cls(cell.place, cell.facts.get("data"), run.reading, frozenset(planned), answered)

    @property
    def several(self) -> bool:
        return PERTURBATIONS[self.place.perturb].several

    def values(self, metric: str, names: Iterable[str]) -> tuple[dict[str, float], bool]:
        """(item's id -> its value, whether some values are means of samples). An item of which a rotation failed has no value."""
        rows = [row for name in names for row in self.answered[name]]
        items, responses, answers, _, samples = zip(*rows, strict=True)
        scored = score_cell(items, responses, self.reading, answers, self.place.perturb, samples=samples)
        values = zip((item.id for item in scored.items), per_item(scored)[metric], strict=True)
        return dict(values), bool(scored.spread)

    def shown(self, metric: str, name: str) -> tuple[Item, str]:
        """The item as it was asked, and the reply: of the first sample, the rotation with the lowest score."""
        first = min(reply.sample for reply in self.answered[name])
        replies = [reply for reply in self.answered[name] if reply.sample == first]
        lowest = min(replies, key=lambda reply: score_answer(reply.item, reply.answer, reply.response).values[metric])
        return lowest.item, lowest.response.text


def _row(by: str, names: tuple[str, str], cell_a: _CellOfRun, cell_b: _CellOfRun, family: int) -> Comparison | None:
    """The comparison of two cells; None if no item is a pair. `family`: number of rows that are corrected together."""
    sides = _ReadCell.of(*cell_a), _ReadCell.of(*cell_b)
    metric = TASKS[sides[0].place.task].item_metrics[0]
    shared = [name for name in sides[0].answered if name in sides[1].answered and _same(by, *sides, name)]
    if not shared:
        return None
    (a, a_sampled), (b, b_sampled) = (side.values(metric, shared) for side in sides)
    ids = [name for name in a if name in b]
    if not ids:
        return None
    plain = sides[1] if by == "perturb" and sides[1].place.perturb == "none" else sides[0]
    clusters = sources([plain.answered[name][0].item.context for name in ids])
    test = paired_test(
        [a[name] for name in ids],
        [b[name] for name in ids],
        clusters,
        Random(f"compare:{sides[0].place.name}:{names[1]}"),
        family,
        binary=metric == "accuracy" and not any((*(side.several for side in sides), a_sampled, b_sampled)),
    )
    flips = [_flip(metric, *sides, name, a[name], b[name]) for name in ids if abs(a[name] - b[name]) >= FLIP]
    place = sides[0].place.as_dict() | ({} if by == "run" else {COMPARED[by]: None})
    return Comparison(
        by,
        *names,
        **place,
        metric=metric,
        items=len(ids),
        left_out=len((sides[0].planned | sides[1].planned) - {*ids}),
        dialogues=test.clusters,
        a=fmean(a[name] for name in ids),
        b=fmean(b[name] for name in ids),
        difference=test.value,
        low=test.low,
        high=test.high,
        p=test.p,
        test=test.test,
        differ=test.differ,
        least_p=test.least,
        p_holm=test.p,
        least_p_holm=test.least,
        family=family,
        a_higher=sum(a[name] - b[name] > 1e-12 for name in ids),
        b_higher=sum(b[name] - a[name] > 1e-12 for name in ids),
        detectable=detectable([a[name] - b[name] for name in ids], clusters),
        flips=tuple(sorted(flips, key=lambda flip: flip.b_score - flip.a_score)),
    )


def _same(by: str, side_a: _ReadCell, side_b: _ReadCell, name: str) -> bool:
    """Whether both cells asked the same item under an id.

    A perturbed item is the same as its original if both are of one file. A wording in another language has a file of its own:
    there the item needs as many options, and the same right ones.
    """
    if by == "perturb":
        return side_a.data == side_b.data
    forms = [{reply.rotation: reply.item for reply in side.answered[name]} for side in (side_a, side_b)]
    if all(forms[1].get(rotation, item) == item for rotation, item in forms[0].items()):
        return True
    first, second = (next(iter(items.values())) for items in forms)
    translated = by == "prompt" and side_a.data != side_b.data and bool(first.options)
    return translated and (first.golds, len(first.options)) == (second.golds, len(second.options))


def _flip(metric: str, side_a: _ReadCell, side_b: _ReadCell, name: str, a_score: float, b_score: float) -> Flip:
    (item, a), (b_item, b) = (side.shown(metric, name) for side in (side_a, side_b))
    return Flip(item, a, b, a_score, b_score, None if b_item == item else b_item)
