"""Results and checks as tables that fit a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from evalsuite.benchmarks.corecode import BENCHMARK as CORECODE
from evalsuite.benchmarks.registry import BENCHMARKS, SPLITS, TASKS, benchmark_of, set_order, task_order
from evalsuite.common.terminal import line
from evalsuite.types import Status, Task

if TYPE_CHECKING:  # numpy stands behind them, which a list of names does not need
    from evalsuite.benchmarks.check import Check
    from evalsuite.results.compare import Comparison
    from evalsuite.results.journey import Results


def results(done: Results) -> Iterator[Table]:
    """A table a set: models by tasks, headline metric in percent, and the share of replies without an answer. Where the
    paper tells the mean over the sets, a table a task: models by sets.

    Then, where choices were asked in other ways than by generating, a table of accuracy by scoring.
    """
    of: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for cell in done.cells:
        benchmark = benchmark_of(cell["task"])
        of.setdefault((benchmark.name, cell["task" if benchmark.averaged else "set"]), []).append(cell)
    for (name, part), mine in sorted(of.items(), key=lambda x: (_BENCHMARKS.index(x[0][0]), _part_order(x[0][1]))):
        if BENCHMARKS[name].averaged:
            yield _by_set(TASKS[part], mine, done.means)
        else:
            yield _by_task(part, mine)
    yield from by_scoring(done.cells)


_BENCHMARKS = list(BENCHMARKS)


def _part_order(part: str) -> tuple[int, str]:
    return (task_order(part), "") if part in TASKS else set_order(part)


def _rows(cells: Sequence[dict[str, Any]], by: str) -> list[tuple[tuple[Any, ...], str, dict[str, dict[str, Any]]]]:
    """Each model asked in one way: its place, what it is called, its cells by task or set."""
    rows: dict[tuple[Any, ...], dict[str, dict[str, Any]]] = {}
    for cell in cells:
        rows.setdefault(tuple(cell[key] for key in ("model", *_WAY)), {})[cell[by]] = cell
    # Only what tells rows apart is said of them.
    told = [n for n in range(len(_WAY)) if len({key[1 + n] for key in rows}) > 1]

    def label(model: str, *way: Any) -> str:
        return " ".join([model, *(f"{way[n]}-shot" if _WAY[n] == "shots" else str(way[n]) for n in told)])

    return [(key, label(*key), mine) for key, mine in rows.items()]


def _by_task(item_set: str, mine: Sequence[dict[str, Any]]) -> Table:
    names = [t for t in TASKS.values() if any(c["task"] == t.name for c in mine)]
    title = f"{item_set.upper() if item_set in CORECODE.sets else item_set}, {mine[0]['split']}"
    headings = {_heading(t.metrics[0]) for t in names}
    if len(headings) == 1 and len(names) > 1:
        title += f": {headings.pop()}"
    table = _table(title, "model", *(f"{t.short}\n{_heading(t.metrics[0])}" if headings else t.short for t in names))
    for _, label, by_task in _rows(mine, "task"):
        table.add_row(Text(label), *(_number(by_task.get(t.name), t.metrics[0]) for t in names))
    chance = {c["task"]: c["chance"] for c in mine if "chance" in c}
    if chance:
        cells = (f"{100 * chance[t.name]:.1f}" if t.name in chance else "" for t in names)
        table.add_section()
        table.add_row(Text("chance", style="dim"), *(Text(c, style="dim") for c in cells))
    return table


def _by_set(task: Task, mine: Sequence[dict[str, Any]], means: Sequence[dict[str, Any]]) -> Table:
    sets = sorted({c["set"] for c in mine}, key=set_order)
    metric = task.metrics[0]
    title = f"{task.en}, {mine[0]['split']}: {_heading(metric)}"
    table = _table(title, "model", *sets, *(["mean"] if len(sets) > 1 else []))
    averaged = {tuple(m[key] for key in ("model", *_WAY)): m for m in means if m["task"] == task.name}
    for place, label, by_set in _rows(mine, "set"):
        found = averaged.get(place, {"metrics": {}})["metrics"].get(metric, {}).get("value")
        mean = [Text("–" if found is None else f"{100 * found:.1f}")] if len(sets) > 1 else []
        table.add_row(Text(label), *(_number(by_set.get(name), metric) for name in sets), *mean)
    return table


def _heading(metric: str) -> str:
    """A metric's name in narrow columns."""
    return {"sacrebleu": "BLEU", "set_accuracy": "set acc %", "accuracy_logical": "logical %"}.get(
        metric, f"{metric[:3]} %"
    )


# Its columns: scoring, metric, heading. What texts are compared by makes columns of their own.
_WAYS = (
    ("generate", "accuracy", "gen."),
    ("constrained", "accuracy", "constr."),
    ("labels", "accuracy", "labels"),
    ("texts", "accuracy_token", "texts\n/token"),
    ("texts", "accuracy_sum", "texts\nsum"),
    ("texts", "accuracy_char", "texts\n/char"),
    ("texts", "accuracy_prior", "texts\n-prior"),
)


def by_scoring(cells: Sequence[dict[str, Any]]) -> Iterator[Table]:
    """Accuracy of each model at each choice task by how it was asked: format failure apart from ignorance."""
    choices = [c for c in cells if TASKS[c["task"]].kind == "choice"]
    asked = {c["scoring"] for c in choices}
    if asked <= {"generate"} or asked in ({"labels"}, {"constrained"}):
        return
    ways = [way for way in _WAYS if way[0] in asked]
    models: dict[tuple[str, ...], dict[tuple[str, str], dict[str, dict[str, Any]]]] = {}
    for c in choices:
        of = models.setdefault((c["model"], _way(c["variant"], c["shots"], "generate", c["perturb"]), c["split"]), {})
        of.setdefault((c["set"], c["task"]), {})[c["scoring"]] = c
    plain = len({place[1:] for place in models}) == 1
    for place, rows in models.items():
        if {scoring for found in rows.values() for scoring in found} <= {"generate"}:  # a baseline, say
            continue
        label = place[0] if plain else " ".join(place)
        table = _table("", "", *(heading for _, _, heading in ways), "chance")
        table.title = Text(f"{label}: accuracy % by scoring")
        table.collapse_padding = True
        for (item_set, task), found in sorted(
            rows.items(), key=lambda row: (set_order(row[0][0]), task_order(row[0][1]))
        ):
            chance = Text(f"{100 * next(c['chance'] for c in found.values()):.1f}", style="dim")
            numbers = (_number(found.get(way), metric) for way, metric, _ in ways)
            table.add_row(f"{item_set} {TASKS[task].short}", *numbers, chance)
        yield table


_WAY = ("variant", "shots", "scoring", "perturb")


def _way(variant: Any, shots: Any, scoring: Any, perturb: Any) -> str:
    rest = (scoring if scoring != "generate" else "", perturb if perturb != "none" else "")
    return " ".join([str(variant), f"{shots}-shot", *filter(None, rest)])


def leaks(done: Results) -> list[str]:
    """A line for each file some of whose items share their dialogue with the training split."""
    found = {}
    for cell in done.cells:
        count, dropped = cell["facts"]["leaked"], cell["facts"]["drop_leaked"]
        if count:
            what = "left out" if dropped else "kept; --drop-leaked leaves them out"
            found[cell["set"], cell["task"]] = f"{count} test items share a dialogue with the training split ({what})"
    return [f"{item_set} {task}: {text}" for (item_set, task), text in found.items()]


def _number(cell: dict[str, Any] | None, metric: str) -> Text:
    """ "34.5" and, behind it in brackets, the percentage of replies without an answer; "n failed" if any request was."""
    if cell is None:
        return Text("–", style="dim")
    value = cell["metrics"].get(metric, {}).get("value")  # if nothing was answered, there is the first metric alone
    text = Text("–" if value is None else f"{100 * value:.1f}")
    status = cell["status"]
    failed = status.get(Status.FAILED, 0)
    answered = sum(status.values()) - failed
    silent = answered - status.get(Status.PARSED, 0)
    if silent:
        text.append(f" ({100 * silent / answered:.0f})", style="yellow")
    if failed or cell["missing"]:
        text.append(f" !{failed + cell['missing']}", style="red")
    return text


def comparison(rows: Sequence[Comparison], a: str, b: str, flips: int) -> Iterator[Table | Text]:
    """What `evalsuite compare` shows: a line a task and set, then some of the items on which the two differ."""
    table = _table(f"{a} less {b}", "task", "n", "A %", "B %", "A-B", "95 %", "p", "p Holm")
    plain = len({(r.variant, r.shots, r.scoring, r.perturb) for r in rows}) == 1
    for r in rows:
        place = f"{r.set} {TASKS[r.task].short}" + (
            "" if plain else f" {_way(r.variant, r.shots, r.scoring, r.perturb)}"
        )
        mark = "*" if r.p_holm < 0.05 else ""
        span = f"{100 * r.low:+.1f} … {100 * r.high:+.1f}"
        numbers = (
            f"{100 * r.a:.1f}",
            f"{100 * r.b:.1f}",
            f"{100 * r.difference:+.1f}",
            span,
            f"{r.p:.3f}",
            f"{r.p_holm:.3f}{mark}",
        )
        table.add_row(Text(place), str(r.items), *numbers)
    yield table
    yield Text(
        "95 %: paired bootstrap over dialogues. p: McNemar where each item has its own dialogue, else permutation."
    )
    for r in rows:
        better = sum(f.a_score > f.b_score for f in r.flips)
        if not flips or not r.flips:
            continue
        yield Text(f"\n{r.set} {r.task}: {len(r.flips)} items differ, {better} for A, {len(r.flips) - better} for B")
        half = max(1, flips // 2)
        shown = r.flips if len(r.flips) <= flips else (*r.flips[: flips - half], *r.flips[-half:])
        for f in shown:
            yield Text(
                f"  {f.item.id}  gold {f.item.target}\n    A {f.a_score:.2f} {_short(f.a)}\n    B {f.b_score:.2f} {_short(f.b)}"
            )


def _short(reply: str) -> str:
    """One line of a reply, control characters made visible."""
    return repr(reply[:100] + ("…" if len(reply) > 100 else ""))


def counts(found: Check) -> Iterator[Table]:
    """What `evalsuite data check` shows."""
    table = _table("Items (dialogues)", "file", *SPLITS)
    places: dict[tuple[str, str], dict[str, str]] = {}
    for c in found.counts:
        places.setdefault((c.set, c.task), {})[c.split] = f"{c.items:,} ({c.dialogues:,})"
    for (item_set, task), cells in places.items():
        table.add_row(f"{item_set} {task}", *(cells.get(split, "–") for split in SPLITS))
    yield table
    if found.table1:
        table = _table(
            "As in the paper's Table 1", "over the dialogues shown whole", *(r.set.upper() for r in found.table1)
        )
        for name, values in (
            ("dialogues", [f"{r.dialogues:,}" for r in found.table1]),
            (
                "turns a dialogue: max, min, mean",
                [f"{r.turns[0]}, {r.turns[1]}, {r.turns[2]:.2f}" for r in found.table1],
            ),
            (
                "characters a dialogue: max, min, mean",
                [f"{r.tokens[0]:,}, {r.tokens[1]}, {r.tokens[2]:.2f}" for r in found.table1],
            ),
            ("characters a turn", [f"{r.tokens_per_turn:.2f}" for r in found.table1]),
        ):
            table.add_row(name, *values)
        yield table
    yield from _oddities(found)


def _oddities(found: Check) -> Iterator[Table]:
    odd = [c for c in found.counts if c.repeats or c.alternatives or c.skipped]
    if odd:
        table = _table(
            "Asked more than once in a file, and broken lines", "file", "same answer", "other answer", "broken"
        )
        for c in odd:
            table.add_row(f"{c.set} {c.split} {c.task}", str(c.repeats), str(c.alternatives), str(c.skipped))
        yield table
    if found.leaks:
        table = _table("Leakage between splits", "files", "shared dialogues", "same item")
        for leak in found.leaks:
            place = f"{leak.set} {leak.task}: {leak.splits[1]} in {leak.splits[0]}"
            table.add_row(place, f"{leak.dialogues:,} of {leak.of:,}", str(leak.items))
        yield table
    if found.between_sets:
        table = _table("Between the sets", "", "")
        table.add_row("dialogues that EASY and HARD share", f"{found.between_sets:,}")
        yield table


def _table(title: str, first: str, *others: str) -> Table:
    """Names in the first column, numbers in the others."""
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, collapse_padding=len(others) > 8)
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right", overflow="fold")
    return table


def listing(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """A plain list of names; cells are data, never markup."""
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for n, name in enumerate(columns):
        table.add_column(name, no_wrap=n == 0, overflow="fold")
    for row in rows:
        table.add_row(*(Text(line(cell)) for cell in row))
    return table
