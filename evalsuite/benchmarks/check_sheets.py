"""The tables of `evalsuite data check`."""

from __future__ import annotations

from collections.abc import Iterator

from evalsuite.benchmarks.check import DataCheck, FileCount, Prior
from evalsuite.benchmarks.registry import SPLITS
from evalsuite.common.sheet import Column, Row, Sheet, Text

_FILE = Column("file")
_POSITIONS = 6  # the most positions of the right option that are shown


def data_sheets(check: DataCheck) -> Iterator[Sheet]:
    """Items and dialogues of every file, the paper's Table 1, repeated items and options, leakage, and clues in the options."""
    counts: dict[tuple[str, str], dict[str, str]] = {}
    for c in check.counts:
        counts.setdefault((c.set, c.task), {})[c.split] = f"{c.items:,} ({c.dialogues:,})"
    rows = tuple(
        Row((f"{item_set} {task}", *(cells.get(split, "–") for split in SPLITS)))
        for (item_set, task), cells in counts.items()
    )
    columns = (_FILE, *_numbers(*(Text(split, split) for split in SPLITS)))  # splits have the same names in Chinese
    yield Sheet("items", "Items (dialogues)", columns, rows)
    if t := check.table1:
        lines = {
            "dialogues": [f"{r.dialogues:,}" for r in t],
            "turns a dialogue: max, min, mean": [f"{r.turns[0]}, {r.turns[1]}, {r.turns[2]:.2f}" for r in t],
            "characters a dialogue: max, min, mean": [f"{r.tokens[0]:,}, {r.tokens[1]}, {r.tokens[2]:.2f}" for r in t],
            "characters a turn": [f"{r.tokens_per_turn:.2f}" for r in t],
        }
        table1 = tuple(Row((name, *values)) for name, values in lines.items())
        first = Column("over the dialogues shown whole")
        title = "As in the paper's Table 1"
        yield Sheet("table1", title, (first, *_numbers(*(r.set.upper() for r in t))), table1)
    yield from _oddities(check)


def _oddities(check: DataCheck) -> Iterator[Sheet]:
    if odd := [c for c in check.counts if c.repeats or c.alternatives or c.skipped]:
        rows = tuple(Row((_name(c), c.repeats, c.alternatives, c.skipped)) for c in odd)
        heads = ("same answer", "other answer", "broken")
        title = "Asked more than once in a file, and broken lines"
        yield Sheet("oddities", title, (_FILE, *_numbers(*heads)), rows)
    if twins := [c for c in check.counts if c.twins]:
        rows = tuple(Row((_name(c), c.twins, c.unclear)) for c in twins)
        title = "Items with two options of the same text"
        yield Sheet("twins", title, (_FILE, *_numbers("items", "one of them right")), rows)
    if check.leaks:
        rows = tuple(
            Row((f"{x.set} {x.task}: {x.splits[1]} in {x.splits[0]}", f"{x.dialogues:,} of {x.of:,}", x.equal, x.items))
            for x in check.leaks
        )
        columns = (Column("files"), *_numbers("shared dialogues", "word for word", "same item"))
        yield Sheet("leaks", "Leakage between splits", columns, rows)
    if check.between_sets:
        row = Row(("dialogues that EASY and HARD share", f"{check.between_sets:,}"))
        yield Sheet("sets", "Between the sets", (Column(""), *_numbers("")), (row,))
    if check.shared:
        rows = tuple(Row((f"test {x.task}", ", ".join(x.sets), f"{x.items:,}")) for x in check.shared)
        yield Sheet("shared", "Items in more than one set", (_FILE, Column("sets"), *_numbers("items")), rows)
    if check.priors:
        yield _priors(check.priors)


def _priors(priors: tuple[Prior, ...]) -> Sheet:
    """Clues to the right option of every task and set, in the last of its splits: test, if there is one."""
    last = {(x.set, x.task): x for x in priors}
    rows = tuple(Row((_name(x), _positions(x), x.p, x.longest, x.chance)) for x in last.values())
    columns = (
        _FILE,
        Column("1st, 2nd …"),
        Column("p", kind="p"),
        Column("longest", kind="percent"),
        Column("chance", kind="percent"),
    )
    title = "The place of the right option (chi-square p), and accuracy by taking the longest option or any"
    return Sheet("priors", title, columns, rows)


def _positions(prior: Prior) -> str:
    shown = " ".join(map(str, prior.positions[:_POSITIONS]))
    return f"{shown} …" if len(prior.positions) > _POSITIONS else shown


def _name(x: FileCount | Prior) -> str:
    return f"{x.set} {x.split} {x.task}"


def _numbers(*headings: str | Text) -> tuple[Column, ...]:
    return tuple(Column(heading, kind="count") for heading in headings)
