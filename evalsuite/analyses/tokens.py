"""The sheet of generated tokens and the headline metric, and the column of tokens in the main results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalsuite.analyses.value_columns import by_model, cell_names
from evalsuite.benchmarks.registry import TASKS, metric_named
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.analysis import Analysis, Results
from evalsuite.results.schema.cell import CellResult, TokenCounts
from evalsuite.results.words import estimate_flags

_LEGEND = Text(
    "均值、中位数、p90（第 90 百分位）：每条回复生成的词元，含思考。思考：其中推理模型自身思考所占的比例。提示词：提示词的平均词元。合计：全部回复生成的词元。",
    "mean, median, p90 (90th percentile): generated tokens of a reply, thinking included. thinking: the share of them that is a "
    "reasoning model's own. prompt: mean tokens of a prompt. total: tokens generated in all replies.",
)
BY_CHARACTERS = Text(
    "*：接口未统计思考的词元，按思考与答案的字符数划分。",
    "*: nobody counted the tokens of thinking: they are split by the characters of thought and answer.",
)
UNCOUNTED = Text(
    "+：有的回复没有词元计数，未计入合计与费用，实际更多。",
    "+: some replies came without token counts; total and cost leave them out, and are more in fact.",
)
# The main results have a column of tokens if the largest mean of a row is _FACTOR times the smallest or more, and _MORE above it.
_FACTOR, _MORE = 2, 20


def sheets(results: Results) -> Iterator[Sheet]:
    """A row for each cell whose tokens were counted; no sheet without one."""
    counted = [cell for cell in results.cells if cell.tokens]
    if not counted:
        return
    name = cell_names(counted)
    counts = [cell.tokens for cell in counted if cell.tokens]
    costs = any(spent.cost is not None for spent in counts)
    rows = [_row(name(cell), cell, cell.tokens, costs) for cell in by_model(counted) if cell.tokens]
    columns = (
        Column(""),
        Column(Text("得分", "score"), "%", "percent"),
        Column(Text("均值", "mean"), kind="number", digits=0),
        Column(Text("中位数", "median"), kind="number", digits=0),
        Column("p90", kind="number", digits=0),
        Column(Text("思考", "thinking"), "%", "percent", digits=0),
        Column(Text("提示词", "prompt"), kind="number", digits=0),
        Column(Text("合计", "total"), kind="count"),
        *((Column(Text("费用", "cost"), kind="number", digits=4),) if costs else ()),
    )
    title = Text("得分与所用词元", "Scores and tokens")
    yield Sheet("tokens", title, columns, tuple(rows), (_LEGEND, *notes(counts)))


def notes(counted: Sequence[TokenCounts]) -> Iterator[Text]:
    """Notes that explain the marks behind figures; none without marks."""
    if any(spent.by_characters for spent in counted):
        yield BY_CHARACTERS
    if any(spent.uncounted for spent in counted):
        yield UNCOUNTED


def _row(name: Text, cell: CellResult, spent: TokenCounts, costs: bool) -> Row:
    score = cell.headline.value if metric_named(TASKS[cell.task].metrics[0]).percent else None
    thinking = Value(spent.thinking, asides=("*",) if spent.by_characters else ())
    plus = (" +",) if spent.uncounted else ()
    counts = (spent.mean, spent.median, spent.p90, thinking, spent.prompt, Value(spent.total, asides=plus))
    cost = (Value(spent.cost, asides=plus if spent.cost is not None else ()),) if costs else ()
    flags = (*lost_flags(cell), *estimate_flags(cell))
    return Row((name, Value(score, flags=flags), *counts, *cost), about=cell.coordinates())


def lost_flags(*cells: CellResult) -> list[str]:
    """The mark of cells with requests that failed or are still to be made: "!3"; [] without such requests."""
    lost = sum(cell.failed + (0 if cell.is_estimate else cell.missing) for cell in cells)
    return [f"!{lost}"] if lost else []


def tokens_column(rows: Sequence[Sequence[CellResult]]) -> tuple[list[Column], list[list[Value]]]:
    """A column of mean tokens, and its value in each row of the main results. There is none where it would say little: no model
    thought, and all replies are short or about equally long. `rows`: the cells of each row."""
    means = [mean_tokens(cells) for cells in rows]
    known = [mean for mean in means if mean]
    thought = any(cell.tokens.thinking for cells in rows for cell in cells if cell.tokens)
    if not known or not (thought or max(known) >= max(_FACTOR * min(known), min(known) + _MORE)):
        return [], [[] for _ in rows]
    column = Column(Text("词元", "tokens"), Text("每回复", "a reply"), "number", digits=0)
    return [column], [[Value(mean)] for mean in means]


def mean_tokens(cells: Sequence[CellResult]) -> float | None:
    """The mean number of generated tokens over all replies of some cells; None where none were counted."""
    spent = [cell.tokens for cell in cells if cell.tokens]
    return sum(t.total for t in spent) / sum(t.replies for t in spent) if spent else None


ANALYSIS: Analysis[None] = Analysis(
    "tokens",
    sheets,
    help="Generated tokens beside the scores.",
    only_named=Text("每个单元格一行", "a row for every cell"),
    drawn=True,
)
