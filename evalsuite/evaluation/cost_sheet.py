"""The table of a run's forecast requests, tokens and cost, at the end of `evalsuite preview`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from math import floor, log10

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.sheet import Column, Row, Sheet, Text
from evalsuite.evaluation.costs import CostEstimate, Range
from evalsuite.evaluation.stored_samples import Kinship
from evalsuite.evaluation.token_forecast import LEVEL

# Kinship of the replies that a number comes from -> the number's mark, and the words of a note about these replies.
_MARKS = {
    Kinship.SAME: ("", f"replies to the same cell; the range is a {LEVEL:.0%} prediction interval of the total."),
    Kinship.ITEMS: ("¹", "replies to other items, sets or perturbations, asked alike."),
    Kinship.WAY: ("²", "replies to another wording, number of shots or limit."),
    Kinship.TASK: ("³", "replies to other tasks."),
    Kinship.MODEL: ("⁴", "replies of another model, or with other settings."),
}
_LIMIT = (
    "limit: no replies to go by yet. The range is from the shortest right answers to the longest replies that the limits "
    "allow."
)
_MARKED = "A number with a mark: the replies tell the mean only; the range is as wide as without any."


def cost_sheet(rows: Sequence[CostEstimate], budget: float | None = None, spent: float = 0.0) -> Sheet:
    """Rows under their model, with notes on the ranges. `spent`: the part of the budget that the run has spent so far."""
    priced = any(row.cost for row in rows)
    columns = (
        Column(""),
        Column("requests", align="right"),
        Column("prompt", "tokens", align="right"),
        Column("reply tokens", "and range", align="right"),
        *((Column("cost", "and range", align="right"),) if priced else ()),
        Column("by replies"),
    )
    return Sheet("costs", "Left to ask", columns, tuple(_rows(rows, priced)), tuple(_notes(rows, budget, spent)))


def _rows(rows: Sequence[CostEstimate], priced: bool) -> Iterator[Row]:
    for model, group in groupby(rows, key=lambda row: row.model):
        *tasks, last = group
        if model is None:
            yield _row(Text("全部模型", "all models"), last, priced)
        elif last.reply_tokens is None:  # a baseline
            yield _row(model, last, priced)
        else:
            yield Row((model, *[None] * (5 if priced else 4)), "group")
            yield from (_row(TASKS[row.task].short, row, priced) for row in tasks if row.task)
            if len(tasks) > 1:
                yield _row(Text("全部任务", "all tasks"), last, priced)


def _row(name: str | Text, row: CostEstimate, priced: bool) -> Row:
    requests: str | Text = f"{row.left:,}"
    if row.left < row.requests:
        requests = Text(f"{row.left:,}/{row.requests:,}", f"{row.left:,} of {row.requests:,}")
    prompts = "–"
    if row.prompt_tokens and row.prompt_tokens.mean is not None:
        prompts = ("~" if row.prompts == "estimated" and row.left else "") + _short(row.prompt_tokens.mean)
    cost = (_range(row.cost, money),) if priced else ()
    return Row((name, requests, prompts, _range(row.reply_tokens, _short), *cost, _basis(row)))


def _basis(row: CostEstimate) -> Text:
    """The basis of the range of reply tokens: the number of stored replies, or "limit" for a range up to the limit, or both."""
    if not row.left or row.reply_tokens is None or not row.reply_tokens.high:
        return Text("", "")
    marks = "".join(_MARKS[kinship][0] for kinship in row.kinships)
    replies = [f"{row.replies:,}{marks}"] if row.replies else []
    limit = row.reply_tokens.mean is None
    return Text("，".join([*replies, *["上限"] * limit]), ", ".join([*replies, *["limit"] * limit]))


def _range(estimate: Range | None, spell: Callable[[float], str]) -> str:
    """A range as text: its mean, if there is one, and both ends; one number if the ends are equal."""
    if estimate is None:
        return "–"
    low, high = spell(estimate.low), spell(estimate.high)
    if low == high:
        return low
    between = f"{low}–{high}"
    return between if estimate.mean is None else f"{spell(estimate.mean)} {between}"


def _short(tokens: float) -> str:
    """A number of tokens in few characters.

    >>> _short(1_234_567), _short(12_345), _short(12)
    ('1.2M', '12k', '12')
    """
    rounded = _rounded(tokens)
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rounded >= unit:
            return f"{rounded / unit:.3g}{letter}"
    return f"{rounded:g}"


def money(cost: float) -> str:
    return f"{_rounded(cost):,.10g}"


def _rounded(value: float) -> float:
    """The value rounded to two significant digits."""
    return round(value, 1 - floor(log10(value))) if value > 0 else 0.0


def _notes(rows: Sequence[CostEstimate], budget: float | None, spent: float) -> Iterator[str]:
    forecast = [row for row in rows if row.left and row.reply_tokens and row.reply_tokens.high]
    for kinship in sorted({kinship for row in forecast for kinship in row.kinships}):
        mark, meaning = _MARKS[kinship]
        yield f"{mark or 'A number alone'}: {meaning}"
    if any(row.reply_tokens and row.reply_tokens.mean is None for row in forecast):
        yield _LIMIT
    if any(_MARKS[kinship][0] for row in forecast for kinship in row.kinships):
        yield _MARKED
    last = rows[-1] if rows else None
    if last and last.prompt_tokens and last.prompts == "estimated" and last.left:
        low, high = _short(last.prompt_tokens.low), _short(last.prompt_tokens.high)
        yield f"~: estimated by kinds of characters, between {low} and {high} in all; replies so far, or --tokenizer, tell more."
    if last and last.cost:
        yield "Cost: in the currency of the price, without retries and lost replies."
        if last.most is not None and last.left:
            yield (
                f"At the very most {money(last.most)}, if every byte of the prompts were a token: so much does --budget set "
                "aside, request by request."
            )
        if budget is not None:
            yield _budget(last.cost, budget, spent)


def _budget(cost: Range, budget: float, spent: float) -> str:
    left = max(0.0, budget - spent)
    enough = (
        "covers the range"
        if left >= cost.high
        else "lies within the range"
        if left >= cost.low
        else "is below the range"
    )
    return f"--budget {budget:g}: {money(left)} is left of it, which {enough}."
