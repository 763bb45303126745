"""What judges said of a run and what the controls say of them, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from evalsuite.benchmarks.registry import TASKS, set_order, task_order

_BESIDE = ("f1",)  # metrics whose correlation with the judge is shown; the page has all


def judge_tables(found: dict[str, Any]) -> Iterator[Table | Text]:
    """A table a judge, rubric and scale, then a line a control. Nothing without judgings."""
    if not found:
        return
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for cell in found["cells"]:
        if cell["control"] == "plain":
            for scale in cell["scales"]:
                groups.setdefault((cell["judge"], cell["rubric"], scale), []).append(cell)
    for (judge, rubric, scale), cells in groups.items():
        yield _table(judge, rubric, scale, cells)
    yield from _systems(found.get("systems", []))
    yield Text("mean [95 %]; histogram from the lowest score up; bad: could not be read; ρ: Spearman", style="dim")
    lines = list(_controls(found["controls"]))
    if lines:
        table = _grid("controls", "control", "judge", "n", "says")
        for line in lines:
            table.add_row(*map(Text, line))
        yield table


def _table(judge: str, rubric: str, scale: str, cells: list[dict[str, Any]]) -> Table:
    metrics = [m for m in _BESIDE if any(m in c["scales"][scale]["metrics"] for c in cells)]
    name = rubric if len(cells[0]["scales"]) == 1 else f"{rubric}, {scale}"
    heads = ("mean", "n", "bad", "histogram", *(f"ρ {m}" for m in metrics), "ρ len.")
    table = _grid(f"{judge} judges: {name}", "", *heads)
    several = len({_way(c) for c in cells}) > 1
    for c in sorted(cells, key=lambda c: (c["model"], set_order(c["set"]), task_order(c["task"]), _way(c))):
        x = c["scales"][scale]
        label = f"{c['model']} {c['set']} {TASKS[c['task']].short}{f' {_way(c)}' if several else ''}"
        value = "–" if x["value"] is None else f"{x['value']:.2f} [{x['low']:.1f} {x['high']:.1f}]"
        rhos = [_signed(x["metrics"].get(m, {}).get("spearman")) for m in metrics]
        lost = c["status"].get("failed", 0) + c["status"].get("missing", 0)
        bad = f"{c['status'].get('invalid', 0)}{f' !{lost}' if lost else ''}"
        row = (label, value, str(x["n"]), bad, " ".join(map(str, x["histogram"].values())), *rhos,
               _signed(x["length"]["spearman"]))  # fmt: skip
        table.add_row(*map(Text, row))
    return table


def _systems(rows: list[dict[str, Any]]) -> Iterator[Table]:
    """How the metrics go with the judge over all cells of a benchmark: the headlines of its short texts, and F1."""
    if not rows:
        return
    table = _grid("metrics beside judges, a point a model on a task and set", "judge", "metric", "n", "ρ", "r", "τ")
    for row in rows:
        texts = [t for t in TASKS.values() if t.benchmark == row["benchmark"] and t.kind.rated]
        named = dict.fromkeys([*(m for t in texts for m in t.metrics), "f1"])
        who = f"{row['judge']} {row['rubric']} {row['scale']}"
        for metric in (m for m in named if m in row["metrics"]):
            found = row["metrics"][metric]
            numbers = (_signed(found[name]) for name in ("spearman", "pearson", "kendall"))
            table.add_row(*map(Text, (who, metric, str(row["points"]), *numbers)))
    yield table


def _way(cell: dict[str, Any]) -> str:
    rest = "" if cell["perturb"] == "none" else f" {cell['perturb']}"
    return f"{cell['variant']} {cell['shots']}-shot{rest}"


def _controls(found: dict[str, list[dict[str, Any]]]) -> Iterator[tuple[str, str, str, str]]:
    def who(row: dict[str, Any]) -> str:
        return f"{row['judge']} {row['rubric']} {row['scale']}"

    for r in found["anchors"]:
        yield ("anchors", who(r), str(r["n"]), f"gold answers {_number(r['gold'])}, answers far from them {_number(r['far'])}; "
               f"{100 * r['share']:.1f} % of all scores are {r['most']}")  # fmt: skip
    for r in found["repeats"]:
        yield ("repeats", who(r), str(r["n"]), f"{r['repeats']} by {r['by']}: all the same {_percent(r['same'])}, "
               f"mean range {r['range']:.2f}, κ {_number(r['kappa'])}")  # fmt: skip
    for r in found["blind"]:
        yield ("blind", who(r), str(r["n"]), f"{r['mean']:.2f} with the gold answer, {r['blind']:.2f} without "
               f"[{r['low']:+.2f} {r['high']:+.2f}], κ {_number(r['kappa'])}")  # fmt: skip
    for r in found["panel"]:
        if r["n"]:
            yield ("panel", f"{' · '.join(r['judges'])} {r['rubric']} {r['scale']}", str(r["n"]),
                   f"mean pairwise κ {_number(r['kappa'])}, within 1 {_percent(r['within_1'])}")  # fmt: skip
    for r in found["length"]:
        if r["spearman"] is not None:
            yield ("length", who(r), str(r["n"]), f"ρ {_signed(r['spearman'])}, F1 held fixed {_signed(r['partial'])}")
    for r in found["families"]:
        against = f"preference {_signed(r['preference'])} beside {', '.join(r['peers'])}" if r["preference"] is not None else "no judge of another family to compare"  # fmt: skip
        yield (
            "own family",
            who(r),
            str(r["n_own"]),
            f"{r['family']}: own {_number(r['own'])}, others {_number(r['other'])}; {against}",
        )
    for r in found["attacks"]:
        if r["n"]:
            calm = "" if r["raised_without"] is None else f" (a repeat without: {_percent(r['raised_without'])})"
            yield ("attacks", who(r), str(r["n"]), f"raised {_percent(r['raised'] / r['n'])}{calm}, to the maximum "
                   f"{_percent(r['to_most'] / r['n'])}, mean {_signed(r['change'])}")  # fmt: skip
        else:
            yield ("attacks", who(r), "0", "nothing to raise: all compared had the maximum, or none could be read")


def _grid(title: str, *heads: str) -> Table:
    table = Table(title=Text(title), title_justify="left", box=SIMPLE_HEAD, collapse_padding=True)
    for n, head in enumerate(heads):
        table.add_column(head, overflow="fold", justify="right" if n and heads[-1] != "says" else "left")
    return table


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"
