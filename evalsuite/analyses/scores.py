"""Sheets of the main results: headline metrics by task and set, and accuracy by scoring; and the notes below all tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from evalsuite.analyses import chance, means, second_reader
from evalsuite.analyses.average_ranks import ranked_value
from evalsuite.analyses.chance import Chance
from evalsuite.analyses.means import Mean
from evalsuite.analyses.tokens import lost_flags, tokens_column
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, benchmark_of, metric_named, set_order, task_order
from evalsuite.common.grouping import by_key
from evalsuite.common.numbers import fixed
from evalsuite.common.sheet import About, Column, Row, Sheet, Text, Value
from evalsuite.results.analysis import Analysis, Results
from evalsuite.results.order import mean_ranks
from evalsuite.results.schema.cell import CellResult, MetricValue
from evalsuite.results.words import (
    WAY,
    estimate_flags,
    metric_heading,
    set_name,
    set_title,
    split_order,
    split_words,
    task_and_set,
    task_heading,
    titled,
)
from evalsuite.types import WRITTEN, Coordinates, Status, Task

# Mark in the tables of results -> its meaning.
LEGEND = {
    "(": Text(
        "(n)：没有答案的回复占 n%，按不正确计", "(n): percent of replies without an answer, counted as not right"
    ),
    "!": Text("!n：n 个请求失败或尚未提问，不计入", "!n: requests failed or not asked, left out"),
    "±": Text("±：该列各模型中最宽的 95% 置信区间的一半", "±: half of the widest 95 % interval of the column's models"),
    "–": Text("95% 一行的 –：对话太少，没有区间", "– for 95 %: no interval, from too few dialogues"),
}
ESTIMATED = Text(
    "≈k/n：只问了 n 题中的 k 题，不参与排名。附区间者为全部题目得分的估计（提前停止，或来自锚题）；无区间者只是这 k 题的得分；带 ? 者超出选题所用模型的得分范围，或提问方式不同",
    "≈k/n: only k of n items were asked; not ranked. With an interval, an estimate of the score on all (stopped "
    "early, or from anchor items); without one, the score on these k alone. ?: outside the scores of the models that "
    "chose them, or asked in another way",
)
_PARTIAL = Text(
    "k/m：只是 m 个题集中 k 个的平均，不与其他行相比",
    "k/m: the mean of only k of m sets, which does not compare with the others",
)
SAMPLED = Text("±n：各样本得分的标准差", "±n: standard deviation between the samples' scores")


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet per set and split: a row per model, a column per task, with the headline metric and the share of replies without an
    answer. For a benchmark whose paper averages over sets, a sheet per task and split with a column per set.

    Then a sheet of accuracy by scoring for each model whose choices were asked in other ways than by generating.
    """
    groups: dict[tuple[str, str, str], list[CellResult]] = {}
    for cell in results.cells:
        benchmark = benchmark_of(cell.task)
        part = cell.task if benchmark.averaged else cell.set
        groups.setdefault((benchmark.name, cell.split, part), []).append(cell)
    ranks = _ranks(results.cells)
    several = len({name for name, *_ in groups}) > 1
    for (name, _, part), group in sorted(groups.items(), key=lambda group: _sheet_order(*group[0])):
        if BENCHMARKS[name].averaged:
            yield _by_set(TASKS[part], group, ranks, results.of(means.ANALYSIS) or [])
        else:
            tested = results.of(chance.ANALYSIS) or []
            yield _by_task(part, group, ranks, f"{BENCHMARKS[name].title} " if several else "", tested)
    yield from by_scoring(results.cells)


def legend(results: Results) -> list[Text]:
    """A line that explains the marks in tables of results; [] without marks."""
    numbers = [(cell, TASKS[cell.task].metrics[0]) for cell in results.cells]
    marks = {flag[0] for cell, metric in numbers for flag in _number(cell, metric).flags}
    marks.discard("±")  # SAMPLED explains the "±" of samples
    columns = by_key(
        ((cell.task, cell.set, cell.split), _half(cell.figure(metric)) is not None) for cell, metric in numbers
    )
    with_interval = [any(column) for column in columns.values()]
    if any(with_interval):
        marks |= {"±"} if all(with_interval) else {"±", "–"}
    shown = [text for mark, text in LEGEND.items() if mark in marks]
    return [Text("   ".join(x.zh for x in shown), "   ".join(x.en for x in shown))] if shown else []


def _sheet_order(benchmark: str, split: str, part: str) -> tuple[int, int, tuple[int, str]]:
    part_order = (task_order(part), "") if part in TASKS else set_order(part)
    return list(BENCHMARKS).index(benchmark), split_order(split), part_order


# (benchmark, split, model) -> the index of its first way of asking, and its mean rank in that way.
_Ranks = Mapping[tuple[str, str, str], tuple[int, float]]


def _ranks(cells: Sequence[CellResult]) -> _Ranks:
    """The mean ranks of models over the columns of each benchmark and split, which order all its tables, as on the page. The
    columns are those of its last set, the hardest; of all sets if the benchmark is averaged over them."""
    ranks: dict[tuple[str, str, str], tuple[int, float]] = {}
    baselines = {cell.model for cell in cells if cell.is_baseline}
    tables = by_key(((TASKS[cell.task].benchmark, cell.split), cell) for cell in cells)
    for (name, split), cells_of_table in tables.items():
        last = max((cell.set for cell in cells_of_table), key=set_order)
        shown = [cell for cell in cells_of_table if BENCHMARKS[name].averaged or cell.set == last]
        for n, way in enumerate(
            by_key((cell.without("model", "task", "set", "split"), cell) for cell in shown).values()
        ):
            columns = [
                {c.model: ranked_value(c) for c in column}
                for column in by_key(((c.task, c.set), c) for c in way).values()
            ]
            for is_baseline in (False, True):
                models = [m for m in dict.fromkeys(c.model for c in way) if (m in baselines) is is_baseline]
                mean = mean_ranks([[column.get(model) for model in models] for column in columns])
                for model, rank in zip(models, mean, strict=True):
                    ranks.setdefault((name, split, model), (n, rank))
    return ranks


def _by_model(
    cells: Sequence[CellResult], by: str, ranks: _Ranks
) -> list[tuple[str | Text, About, dict[str, CellResult]]]:
    """A row for each model and way of asking, by mean rank, baselines last: (label, parts of its place, cells by task or set).

    cells: those of one benchmark and split, and of one set or task. by: "task" or "set", the part in which a row's cells differ.
    """
    rows: dict[Coordinates, dict[str, CellResult]] = {}
    for cell in cells:
        rows.setdefault(cell.without("task", "set", "split"), {})[getattr(cell, by)] = cell
    varying = [name for name in WAY if len({dict(place)[name] for place in rows}) > 1]

    recorded = {cell.model for cell in cells if cell.facts.recorded}
    baselines = {cell.model for cell in cells if cell.is_baseline}

    def label(place: About) -> str | Text:
        words = (f"{place[name]}-shot" if name == "shots" else str(place[name]) for name in varying)
        words = (word for word in words if word != "none")  # "none": the items are not perturbed
        shown = " ".join([place["model"], *words])
        return Text(f"{shown}（存档回复）", f"{shown} (recorded)") if place["model"] in recorded else shown

    benchmark, split = benchmark_of(cells[0].task).name, cells[0].split

    def rank(place: Coordinates) -> tuple[bool, tuple[int, float]]:
        model = dict(place)["model"]
        return model in baselines, ranks.get((benchmark, split, model), (0, 0.0))

    order = sorted(rows, key=rank)
    return [(label(dict(place)), dict(place), rows[place]) for place in order]


def _headed(rows: Sequence[Row], cells: Sequence[CellResult]) -> list[Row]:
    """The rows of models, then the rows of baselines under a heading."""
    baselines = {cell.model for cell in cells if cell.is_baseline}
    start = next((n for n, row in enumerate(rows) if row.about["model"] in baselines), 0)
    if not start:  # only models, or only baselines
        return [*rows]
    heading = Row((Text("基线", "baselines"), *[None] * (len(rows[0].cells) - 1)), "group")
    return [*rows[:start], heading, *rows[start:]]


def _by_task(
    item_set: str, cells: Sequence[CellResult], ranks: _Ranks, benchmark: str, tested: Sequence[Chance]
) -> Sheet:
    tasks = [t for t in TASKS.values() if any(c.task == t.name for c in cells)]
    split, headings = cells[0].split, {metric_heading(metric_named(t.metrics[0])) for t in tasks}
    named = set_title(benchmark_of(tasks[0].name), item_set)
    where = Text(f"{benchmark}{named.zh}", f"{benchmark}{named.en}")
    title = titled(where, f"，{split_words(split).zh}", f", {split}")
    if one_metric := len(headings) == 1 and len(tasks) > 1:
        heading = headings.pop()
        title = Text(f"{title.zh}：{heading.zh}", f"{title.en}: {heading.en}")
    columns = [
        Column(
            task_heading(t),
            "" if one_metric else metric_heading(metric_named(t.metrics[0])),
            "percent",
            better=_better([c for c in cells if c.task == t.name]),
            about={"task": t.name},
        )
        for t in tasks
    ]
    models = _by_model(cells, "task", ranks)
    token_columns, token_values = tokens_column([list(by_task.values()) for *_, by_task in models])
    rows = [
        Row((label, *(_number(by_task.get(t.name), t.metrics[0]) for t in tasks), *tokens), about=about)
        for (label, about, by_task), tokens in zip(models, token_values, strict=True)
    ]
    rows = _headed(rows, cells)
    guessed = by_key((c.task, Value(c.chance)) for c in cells if c.chance is not None)
    if guessed:
        blank = [None] * len(token_columns)
        rows.append(Row((Text("随机水平", "chance"), *(_level(guessed.get(t.name)) for t in tasks), *blank), "apart"))
        better = [row for row in tested if (row.set, row.split) == (item_set, split) and row.constant_beats_guesses]
        always = by_key(
            (row.task, Value(row.constant, asides=(f" {row.label}",))) for row in better if row.task in guessed
        )
        if always:
            rows.append(
                Row((Text("全选一项", "always one"), *(_level(always.get(t.name)) for t in tasks), *blank), "apart")
            )
    rows += _size([([by_task.get(t.name) for *_, by_task in models], t.metrics[0]) for t in tasks], len(token_columns))
    model = Column(Text("模型", "model"))
    notes = _data_notes((task_heading(t), [c for c in cells if c.task == t.name]) for t in tasks)
    about = {"set": item_set, "split": split}
    return Sheet("results", title, (model, *columns, *token_columns), tuple(rows), notes, about)


def _better(cells: Sequence[CellResult]) -> Literal["more", ""]:
    """Whether exports mark the best value of a column: not if complete cells have other data, or other numbers of items, as by
    other limits."""
    other = _of_other_data(cells) or len({cell.headline.n for cell in cells if cell.is_complete}) > 1
    return "" if other else "more"


def _of_other_data(cells: Iterable[CellResult]) -> bool:
    """Whether cells of one task, set and split have different data, though they ask in one wording, which may have its own."""
    return any(len({*data}) > 1 for data in by_key((cell.variant, cell.facts.data) for cell in cells).values())


def _data_notes(tasks: Iterable[tuple[Text, Sequence[CellResult]]]) -> tuple[Text, ...]:
    """A note that names the columns whose rows have different data; tasks: (heading, cells) of each."""
    other = [heading for heading, cells in tasks if _of_other_data(cells)]
    if not other:
        return ()
    zh, en = "、".join(name.zh for name in other), ", ".join(name.en for name in other)
    return (Text(f"{zh}：各行所用的数据不同，不可相比", f"{en}: asked on different data, which do not compare"),)


def _level(values: Sequence[Value] | None) -> Value | None:
    """The reference level of a column: a value, or the lowest and the highest where the column's cells are on other items."""
    if not values:
        return None
    levels = [value.value for value in values if isinstance(value.value, float)]
    low, high = min(levels), max(levels)
    return Value(None, low, high) if high > low + 1e-12 else values[0]


def _by_set(task: Task, cells: Sequence[CellResult], ranks: _Ranks, averages: Sequence[Mean]) -> Sheet:
    sets = sorted({c.set for c in cells}, key=set_order)
    metric, split = task.metrics[0], cells[0].split
    averaged = {m.without("task", "split"): m for m in averages if (m.task, m.split) == (task.name, split)}
    several = len(sets) > 1
    models = _by_model(cells, "set", ranks)
    token_columns, token_values = tokens_column([list(by_set.values()) for *_, by_set in models])
    rows, notes = list[Row](), dict[Text, None]()
    for (label, about, by_set), tokens in zip(models, token_values, strict=True):
        average = averaged.get(tuple(about.items()))
        value = average.metrics[metric].value if average and metric in average.metrics else None
        flags = ["≈"] if average and average.estimates else []
        partial = average is not None and len(average.sets) < len(sets)
        flags += [f"{len(average.sets)}/{len(sets)}"] if average and partial else []
        notes |= {_PARTIAL: None} if partial else {}
        whole = not flags and all(cell.is_complete for cell in by_set.values())
        mean = [Value(value, flags=tuple(flags), compares=whole)] if several else []
        rows.append(Row((label, *(_number(by_set.get(name), metric) for name in sets), *mean, *tokens), about=about))
    rows = _headed(rows, cells)
    rows += _size(
        [([by_set.get(name) for *_, by_set in models], metric) for name in sets], len(token_columns) + several
    )
    columns = [
        Column(
            set_name(benchmark_of(task.name), name),
            kind="percent",
            better=_better([c for c in cells if c.set == name]),
            about={"set": name},
        )
        for name in sets
    ]
    if several:
        better = columns[0].better if len({column.better for column in columns}) == 1 else ""
        columns.append(Column(Text("平均", "mean"), kind="percent", better=better))
    heading = metric_heading(metric_named(metric))
    title = Text(f"{task.zh}，{split_words(split).zh}：{heading.zh}", f"{task.en}, {split}: {heading.en}")
    about = {"task": task.name, "split": split}
    heads = (Column(Text("模型", "model")), *columns, *token_columns)
    of_sets = ((set_title(benchmark_of(task.name), name), [c for c in cells if c.set == name]) for name in sets)
    return Sheet("results", title, heads, tuple(rows), (*notes, *_data_notes(of_sets)), about)


def _size(columns: Sequence[tuple[Sequence[CellResult | None], str]], blank: int) -> list[Row]:
    """Two rows: the items of each column, and the largest half width of its models' 95 % intervals (of the baselines' where
    there are no models). columns: (cells, metric) of each; blank: the number of empty cells behind them."""
    counts, halves = list[str | None](), list[str | None]()
    for cells, metric in columns:
        figures = [cell.figure(metric) for cell in cells if cell]
        n = sorted({row.n for row in figures if row.n})
        counts.append(str(n[0]) if len(n) == 1 else f"{n[0]}–{n[-1]}" if n else None)
        models = [cell.figure(metric) for cell in cells if cell and not cell.is_baseline] or figures
        wide = max((half for row in models if (half := _half(row)) is not None), default=None)
        scale = 100 if metric_named(metric).percent else 1
        halves.append("–" if wide is None else f"±{scale * wide:.{0 if scale == 100 else 2}f}")
    rows = ((Text("题数", "n"), counts), (Text("95% 置信区间", "95 %"), halves))
    return [Row((name, *cells, *[None] * blank), "apart") for name, cells in rows if {*cells} - {None, "–"}]


def _half(figure: MetricValue) -> float | None:
    """Half the width of a metric's interval."""
    return None if figure.low is None or figure.high is None else (figure.high - figure.low) / 2


_TEXTS = Text("文本概率", "texts")
# Columns: scoring, metric, heading and its second line. Texts have a column for each normalisation of their likelihood.
_WAYS = (
    ("generate", "accuracy", Text("生成", "gen."), ""),
    ("constrained", "accuracy", Text("约束解码", "constr."), ""),
    ("labels", "accuracy", Text("标号概率", "labels"), ""),
    ("texts", "accuracy_token", _TEXTS, Text("/词元", "/token")),
    ("texts", "accuracy_sum", _TEXTS, Text("总和", "sum")),
    ("texts", "accuracy_char", _TEXTS, Text("/字符", "/char")),
    ("texts", "accuracy_prior", _TEXTS, Text("-先验", "-prior")),
)


def by_scoring(cells: Sequence[CellResult]) -> Iterator[Sheet]:
    """Accuracy of each model on each choice task by scoring: it shows failures of format apart from lack of knowledge."""
    choices = [c for c in cells if "labels" in TASKS[c.task].kind.scorings]
    asked = {c.scoring for c in choices}
    if asked <= {"generate"} or asked in ({"labels"}, {"constrained"}):
        return
    ways = [way for way in _WAYS if way[0] in asked]
    models: dict[tuple[str, ...], dict[tuple[str, str], dict[str, CellResult]]] = {}
    for c in choices:
        rows = models.setdefault((c.model, replace(c.place, scoring="generate").way, c.split), {})
        rows.setdefault((c.set, c.task), {})[c.scoring] = c
    plain = len({place[1:] for place in models}) == 1
    columns = [
        Column(""),
        *(Column(heading, below, "percent", about={"scoring": scoring}) for scoring, _, heading, below in ways),
        Column(Text("随机水平", "chance"), kind="percent"),
    ]
    for place, by_place in models.items():
        # Baselines, for instance, are asked by generating alone.
        if {scoring for by in by_place.values() for scoring in by} <= {"generate"}:
            continue
        lines = []
        for (item_set, task), by in sorted(by_place.items(), key=lambda x: (set_order(x[0][0]), task_order(x[0][1]))):
            cell = next(iter(by.values()))
            numbers = (_number(by.get(scoring), metric) for scoring, metric, *_ in ways)
            chance = Value(cell.chance, tone="quiet")
            lines.append(
                Row((task_and_set(TASKS[task], item_set), *numbers, chance), about=dict(cell.without("scoring")))
            )
        label = place[0] if plain else " ".join(place)
        title = titled(label, "：按作答方式的准确率 %", ": accuracy % by scoring")
        yield Sheet("scorings", title, tuple(columns), tuple(lines))


def _number(cell: CellResult | None, metric: str) -> Value:
    """The value of a metric, with the spread of several samples, the percentage of replies without an answer in brackets, and
    "!n" for n requests without a reply."""
    if cell is None:
        return Value(None)
    replies = reply_count(cell)
    silent = replies - cell.status.get(Status.PARSED.value, 0)
    lost = lost_flags(cell)
    flags = [f"({100 * silent / replies:.0f})"] if silent else []
    flags += lost + estimate_flags(cell)
    figure = cell.figure(metric)
    if figure.spread is not None:
        flags.insert(0, f"±{fixed(100 * figure.spread, 1)}")
    if cell.estimate and cell.estimate.metric == metric:
        return Value(figure.value, figure.low, figure.high, flags=tuple(flags), compares=False)
    return Value(figure.value, flags=tuple(flags), compares=not lost and not cell.is_estimate)


def reply_count(cell: CellResult) -> int:
    """The number of a cell's replies. Failed requests have none."""
    return sum(cell.status.values()) - cell.failed


NAMED = 12  # the most tasks whose short names a line spells out


def short_names(results: Results) -> list[Text]:
    """The tasks' short names, as in headings and progress lines, with the whole names."""
    asked = {cell.task for cell in results.cells}
    tasks = [task for task in TASKS.values() if task.name in asked and task.short != task.en]
    if len(tasks) > NAMED:
        return [Text("各任务的简称：evalsuite tasks", "short names of tasks: evalsuite tasks")]
    zh = "   ".join(f"{task.short}\N{NO-BREAK SPACE}{task.zh}" for task in tasks)
    en = "   ".join(f"{task.short}: {task.en}" for task in tasks)
    return [Text(zh, en)] if tasks else []


# A model has a note if the parser finds no option in more than this share of its written replies to choices.
UNREAD = 0.05


def notes(results: Results) -> list[Text]:
    """Notes below all tables of a run: marks, tasks' short names, replies without a choice, replies cut off, recordings, and
    leakage between splits."""
    marks = legend(results)
    if any(cell.is_estimate for cell in results.cells):
        marks.append(ESTIMATED)
    if any(cell.facts.samples for cell in results.cells):
        marks.append(SAMPLED)
    parts = (short_names, unread, cut, recordings, leaks)
    return [*marks, *(line for part in parts for line in part(results))]


def unread(results: Results) -> list[Text]:
    """A line for each model with many replies to choices in which the parser finds no option (status unparsed).

    The model does not answer, or the parser reads its way of writing badly. No line where a second reader was asked.
    """
    if results.of(second_reader.ANALYSIS):
        return []
    replies: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for cell in results.cells:
        if TASKS[cell.task].kind.options and cell.scoring in WRITTEN:  # likelihoods are not parsed
            replies[cell.model] += reply_count(cell)
            missed[cell.model] += cell.status.get("unparsed", 0)
    return [
        Text(
            f"{model}：{replies[model]} 条选择题回复中有 {count} 条未能解析出选项；可用 evalsuite show --status unparsed 查看，"
            "或用 evalsuite score --second-reader 让模型复核",
            f"{model}: the parser finds no choice in {count} of {replies[model]} replies to choices; look at them with "
            "evalsuite show --status unparsed, or let a model read them: evalsuite score --second-reader",
        )
        for model, count in missed.items()
        if count > max(2, UNREAD * replies[model])
    ]


# A model has a note if more than this share of some cell's replies was cut off before an answer.
CUT = 0.02


def cut_share(cell: CellResult) -> float:
    """The share of a cell's replies that were cut off at their limit before they answered."""
    replies = reply_count(cell)
    return cell.status.get("truncated", 0) / replies if replies else 0.0


def cut_cells(results: Results) -> list[CellResult]:
    """The cells of models in which more than CUT of the replies are truncated."""
    models = (cell for cell in results.cells if not cell.is_baseline and not cell.facts.recorded)
    return [cell for cell in models if cut_share(cell) > CUT]


def cut(results: Results) -> list[Text]:
    """A line for each model that has `cut_cells`."""
    cells = by_key((cell.model, cell) for cell in cut_cells(results))
    lines = []
    for model, of_model in cells.items():
        count = sum(cell.status["truncated"] for cell in of_model)
        worst = max(of_model, key=cut_share)
        task = task_and_set(TASKS[worst.task], worst.set)
        share = f"{100 * cut_share(worst):.0f}"
        lines.append(
            Text(
                f"{model}：{count} 条回复在给出答案前被长度上限截断，计为不正确（最多的是 {task.zh}，{share}%）；"
                "evalsuite run … --again truncated --max-new-tokens N 以更长的上限只重新询问这些",
                f"{model}: replies cut at their limit before they answered, counted as not right: {count} (most in "
                f"{task.en}, {share} %); evalsuite run … --again truncated --max-new-tokens N asks only those again, with "
                "a longer limit",
            )
        )
    return lines


def recordings(results: Results) -> list[Text]:
    """A line for each model whose replies were recorded: it was not asked in this run."""
    recorded = {cell.model: cell.facts.recorded for cell in results.cells if cell.facts.recorded}
    return [
        Text(
            f"{model}（存档回复）：由 {by.model} 于 {by.date} 生成并存档，本次运行没有调用该模型",
            f"{model} (recorded): replies that {by.model} gave on {by.date}; this run did not ask the model",
        )
        for model, by in recorded.items()
    ]


def leaks(results: Results) -> list[Text]:
    """A line for each task, set and split with items whose dialogue is also in the training split; several lines where models
    were asked different numbers of such items."""
    lines = dict[Text, None]()
    for cell in results.cells:
        count, dropped = cell.facts.leaked, cell.facts.drop_leaked
        if count:
            what = "left out" if dropped else "kept; --drop-leaked leaves them out"
            zh = "已剔除" if dropped else "未剔除；--drop-leaked 可剔除"
            place, split = task_and_set(TASKS[cell.task], cell.set), split_words(cell.split)
            items = f"1 {split.en} item shares" if count == 1 else f"{count} {split.en} items share"
            line = Text(
                f"{place.zh}：{split.zh}中 {count} 道题的对话也在训练集中（{zh}）",
                f"{place.en}: {items} a dialogue with the training split ({what})",
            )
            lines[line] = None
    return [*lines]


ANALYSIS: Analysis[None] = Analysis(
    "results", sheets, help="Headline metrics by task and set.", at_end=True, drawn=True
)
