"""Learning curves in detail: sets beside each other, perturbations beside each other, each seed, and labels by position."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from evalsuite.analyses.item_mean import value_or_dash
from evalsuite.analyses.learning import ANALYSIS as CURVES
from evalsuite.analyses.learning import Curve, CurvePoint, LabelCheck
from evalsuite.analyses.robustness import fraction
from evalsuite.benchmarks.registry import TASKS, benchmark_of, metric_named, set_order
from evalsuite.common.grouping import by_key
from evalsuite.common.numbers import fixed
from evalsuite.common.sheet import About, Chart, Column, Row, Sheet, Text, Value
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.analysis import Analysis, Results
from evalsuite.results.words import set_title, with_distinct_titles
from evalsuite.types import Coordinates

_SIZE = Column(Text("训练题数", "training items"), kind="count", align="right")
_COMPARES = ("model", "perturb")  # adapters and perturbations are shown whatever the page's settings are
_LABEL_CHECKS = ("shuffle", "both")  # perturbations under which a preference for labels shows come first
_BEFORE = Text("0：未微调的基座模型", "0: the base model, not fine-tuned")
_SEEDS = Text(
    "有多个种子处取平均，区间为得分最低与最高的种子", "of several seeds: their mean, and the lowest and highest of them"
)


def sheets(results: Results) -> Iterator[Sheet]:
    """Sheets of learning curves by set, then by perturbation, by seed and by label: each for every pool of training items."""
    yield from with_distinct_titles(_sheets(results.of(CURVES) or []))


def _sheets(rows: Sequence[Curve]) -> Iterator[Sheet]:
    pools = by_key((_pool(row, rows), row) for row in rows)
    for pool, curves in pools.items():
        yield from _by_set(pool, curves)
    for pool, curves in pools.items():
        yield from _by_perturbation(pool, curves)
    for pool, curves in pools.items():
        yield from _seeds(pool, curves)
    for pool, curves in pools.items():
        yield from _labels(pool, curves)


def _pool(row: Curve, rows: Iterable[Curve]) -> str:
    """The base model, and the training items where curves differ in them."""
    several = len({other.trained_on for other in rows}) > 1
    shown = (row.trained_on if several or row.trained_on != "both" else "", "leak allowed" if row.allow_leak else "")
    return " · ".join((row.base, *filter(None, shown)))


def _groups(curves: Iterable[Curve], *names: str) -> Iterator[list[Curve]]:
    """Curves that differ only in `names`."""
    yield from by_key(((row.base, row.trained_on, row.allow_leak, row.without(*names)), row) for row in curves).values()


def _by_set(pool: str, curves: Sequence[Curve]) -> Iterator[Sheet]:
    kinds = dict.fromkeys(row.perturb for row in curves)
    kind = "none" if "none" in kinds else next(iter(kinds))
    for group in _groups((row for row in curves if row.perturb == kind), "set"):
        group.sort(key=lambda row: set_order(row.set))
        columns = [Column(row.set, kind="percent", about={"set": row.set}) for row in group]
        yield _curves("curves_by_set", group, columns, pool, ("run", "pool"), {"perturb": kind})


def _by_perturbation(pool: str, curves: Sequence[Curve]) -> Iterator[Sheet]:
    if len({row.perturb for row in curves}) > 1:
        for group in _groups(curves, "perturb"):
            about = {"set": group[0].set}
            columns = [Column(_kind(row.perturb), kind="percent", about={"perturb": row.perturb}) for row in group]
            yield _curves("curves_by_perturbation", group, columns, pool, ("run", "pool", "set"), about)


def _curves(
    name: str, group: Sequence[Curve], columns: Sequence[Column], pool: str, pick: tuple[str, ...], about: About
) -> Sheet:
    """A row per size, the base model first; a column per curve."""
    rows = []
    if any(row.before for row in group):
        rows.append(Row((0, *(value_or_dash(row.before) for row in group)), about={"model": group[0].base}))
    for size, points in _sizes(group).items():
        adapters = {seed.model for point in points for seed in (point.seeds if point else ())}
        about_row = {"model": adapters.pop()} if len(adapters) == 1 else {}
        rows.append(Row((size, *map(value_or_dash, points)), about=about_row))
    if any(row.chance is not None for row in group):
        rows.append(Row((Text("随机水平", "chance"), *(Value(row.chance) for row in group)), "apart"))
    task = _task(group[0])
    where = Text("，" + about["set"], ", " + about["set"]) if "set" in about else Text("，各题集", ", by set")
    title = Text(f"{pool}，{task.zh}{where.zh}", f"{pool}: {task.en}{where.en}")
    chart = Chart("lines", across=0, up=tuple(range(1, len(columns) + 1)), pick=pick, title=task, before=True)
    shared = {**dict(group[0].without("set", "perturb")), **about, "pool": pool}
    notes = (_BEFORE, _SEEDS) if any(len(p.seeds) > 1 for row in group for p in row.points) else (_BEFORE,)
    return Sheet(name, title, (_SIZE, *columns), tuple(rows), notes, shared, chart, _COMPARES)


def _sizes(group: Sequence[Curve]) -> dict[int, list[CurvePoint | None]]:
    """Size -> the point of each curve."""
    sizes = sorted({point.size for row in group for point in row.points})
    return {size: [next((p for p in row.points if p.size == size), None) for row in group] for size in sizes}


def _task(row: Curve) -> Text:
    task, metric = TASKS[row.task], metric_named(row.metric)
    return Text(f"{task.zh}，{metric.zh} %", f"{task.en}, {metric.en or metric.zh} %")


def _kind(perturb: str) -> Text:
    """A perturbation's name, as it stands in headings of the page."""
    row = PERTURBATIONS[perturb]
    return Text("不扰动", "as they are") if perturb == "none" else Text(f"{row.zh}（{perturb}）", perturb)


def _seeds(pool: str, curves: Sequence[Curve]) -> Iterator[Sheet]:
    """The figures of every adapter, if adapters of several seeds were trained on one size."""
    for group in _groups(curves, "perturb"):
        if all(len(point.seeds) < 2 for row in group for point in row.points):
            continue
        figures = {
            (point.size, seed.seed, seed.model, row.perturb): seed
            for row in group
            for point in row.points
            for seed in point.seeds
        }
        adapters = dict.fromkeys((size, seed, model) for size, seed, model, _ in figures)
        rows = (
            Row(
                (size, seed, *(value_or_dash(figures.get((size, seed, model, c.perturb))) for c in group)),
                about={"model": model},
            )
            for size, seed, model in sorted(adapters)
        )
        columns = (Column(_kind(row.perturb), kind="percent", about={"perturb": row.perturb}) for row in group)
        seed = Column(Text("种子", "seed"), kind="count", key=True)
        task, where = _task(group[0]), set_title(benchmark_of(group[0].task), group[0].set)
        title = Text(f"{pool}，{task.zh}，{where.zh}，各种子", f"{pool}: {task.en}, {where.en}, each seed")
        about = {**dict(group[0].without("perturb")), "pool": pool}
        yield Sheet("seeds", title, (_SIZE, seed, *columns), tuple(rows), about=about, compares=_COMPARES)


def _labels(pool: str, curves: Sequence[Curve]) -> Iterator[Sheet]:
    """A sheet for each size, set, split and way: a block of rows per task, with the shares of every label."""
    checks: dict[tuple[int, Coordinates], list[tuple[Curve, LabelCheck]]] = {}
    checked = [(row, point, point.labels) for row in curves for point in row.points if point.labels]
    kinds = [*_LABEL_CHECKS, *PERTURBATIONS]
    for row, point, check in sorted(checked, key=lambda entry: kinds.index(entry[0].perturb)):
        checks.setdefault((point.size, row.without("task")), []).append((row, check))
    columns = (
        Column(Text("标号", "label")),
        Column(Text("训练中", "in training"), kind="percent"),
        Column(Text("所选", "chosen"), kind="percent"),
        Column(Text("正确", "gold"), kind="percent"),
    )
    chart = Chart("bars", up=(2, 1), pick=("run", "pool", "set", "perturb", "size"))
    for (size, asked), pairs in checks.items():
        rows = []
        for row, check in pairs:
            rows += [Row((_verdict(row, check), None, None, None), "group"), *_label_rows(check)]
        about = {**dict(asked), "pool": pool, "size": size}
        item_set, kind = about["set"], about["perturb"]
        title = Text(
            f"标号捷径：{pool}，{item_set}，{kind}，{size} 题",
            f"Label shortcut: {pool}, {item_set}, {kind}, {size} items",
        )
        yield Sheet("label_shares", title, columns, tuple(rows), about=about, chart=chart, compares=_COMPARES)


def _label_rows(check: LabelCheck) -> Iterator[Row]:
    for n, label in enumerate(check.labels):
        shares = (fraction(counts[n], counts) for counts in (check.trained, check.chosen, check.gold))
        yield Row((label, *(Value(share, tone="strong" if n == check.most else "") for share in shares)))


def _verdict(row: Curve, check: LabelCheck) -> Value:
    """The task's name, with the most frequent label in training, its shares in training, answers and gold, and the distances of
    the answers to training and gold."""
    task, most = TASKS[row.task], check.labels[check.most]
    share = _percent(check.trained[check.most] / sum(check.trained))
    answers, gold = _percent(check.share), _percent(check.gold_share)
    asides = [
        Text(
            f" 训练中最多的是 {most}（{share}）：回答中占 {answers}，正确答案中占 {gold}。所选与训练的距离 {_percent(check.distance)}，"
            f"与正确答案的距离 {_percent(check.bias)}。",
            f" Most frequent in training: {most} ({share}). It is {answers} of the answers, and {gold} of gold. Distance of the "
            f"answers to training {_percent(check.distance)}, to gold {_percent(check.bias)}.",
        )
    ]
    if check.silent:
        asides.append(Text(f" {check.silent} 条没有可用的答案。", f" {check.silent} without an answer that counts."))
    return Value(Text(task.zh, task.en), asides=tuple(asides))


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{fixed(100 * share, 1)} %"


DETAILS: Analysis[None] = Analysis(
    "learning_details", sheets, only_named=Text("每个题集、扰动、种子与标号", "each set, perturbation, seed and label")
)
