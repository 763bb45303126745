"""The sheet of `evalsuite compare`, and the items on which two models differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.metrics.statistics import FEWEST
from evalsuite.results.compare import Comparison
from evalsuite.results.sheets.words import way
from evalsuite.types import PLACE


def comparison_sheets(rows: Sequence[Comparison], a: str, b: str, flips: int) -> Iterator[Sheet | str]:
    """The sheet of differences, then, as text, up to `flips` items of each row on which the two models differ."""
    yield _differences(rows, a, b)
    for r in rows:
        if not flips or not r.flips:
            continue
        better = sum(f.a_score > f.b_score for f in r.flips)
        yield ""
        yield f"{r.set} {r.task}: {len(r.flips)} items differ, {better} for A, {len(r.flips) - better} for B"
        half = max(1, flips // 2)
        shown = r.flips if len(r.flips) <= flips else (*r.flips[: flips - half], *r.flips[-half:])
        for f in shown:
            yield f"  {f.item.id}  gold {f.item.target}"
            yield f"    A {f.a_score:.2f} {_short(f.a)}"
            yield f"    B {f.b_score:.2f} {_short(f.b)}"


def _short(reply: str) -> str:
    """The beginning of a reply in one line, with control characters escaped."""
    return repr(reply[:100] + ("…" if len(reply) > 100 else ""))


def _differences(rows: Sequence[Comparison], a: str, b: str) -> Sheet:
    """A row a comparison: scores of A and B, A minus B with its interval, and p-values."""
    plain = len({(r.variant, r.shots, r.scoring, r.perturb) for r in rows}) == 1
    lines = []
    for r in rows:
        place = {name: getattr(r, name) for name in PLACE if name != "model"}
        end = "" if plain else f" {way(place)}"
        task = TASKS[r.task]
        name = f"{r.set} {task.short}{end}"
        holm = f"{r.p_holm:.3f}{'*' if r.p_holm < 0.05 else ' few' if r.differ < FEWEST else ''}"
        numbers = (r.items, r.a, r.b, r.difference, Value(None, r.low, r.high), r.p, holm)
        lines.append(Row((name, *numbers), about=place))
    columns = (
        Column("task"),
        Column("n", kind="count"),
        Column("A %", kind="percent"),
        Column("B %", kind="percent"),
        Column("A-B", kind="percent", signed=True),
        Column("95 %", kind="percent", signed=True, interval="alone"),
        Column("p", kind="number", digits=3),
        Column("p Holm", kind="number", digits=3),
    )
    family = "rows" if plain else "rows asked in the same way (one wording, number of shots, scoring, perturbation)"
    notes = (
        "95 %: dialogues are the units; 0 is inside if p is 0.05 or more. p: McNemar where each item has its own dialogue, "
        "else permutation of dialogues.",
        f"p Holm: corrected over the {family}; * below 0.05. few: too few to tell; on fewer than {FEWEST} dialogues that differ, "
        "p cannot be below 0.05.",
    )
    return Sheet("comparison", Text(f"{a} 减 {b}", f"{a} less {b}"), columns, tuple(lines), notes)
