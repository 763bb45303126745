"""Functions that exported tasks call inside other harnesses, so that replies are parsed and scored as in `evalsuite run`.

A row is a line of the exported data: the fields of an Item; `prompt`, `target` and `shots` as rendered at export; `variant` and
`answer_after`, which the reading of replies depends on; and `pooled`, the exported metrics that are no means over items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypedDict, cast

from evalsuite.backends.checkpoint import labels_response
from evalsuite.benchmarks.registry import TASKS, metric_named
from evalsuite.common.jsonl import read_objects
from evalsuite.results.scoring import FULL, read_answer, score_answer, score_cell, score_reply
from evalsuite.types import Answer, Item, Reading, Response, Status, label_begins


class ExportedShot(TypedDict):
    """A shot of an exported row."""

    prompt: str
    target: str


class ExportedRow(TypedDict, total=False):
    """A line of the exported data, with the fields of its Item beside these."""

    id: str
    prompt: str
    target: str
    shots: list[ExportedShot]
    variant: str
    answer_after: str
    pooled: list[str]
    labels: list[str]
    options: list[str]
    gold: int | None


@dataclass(frozen=True, slots=True)
class AnsweredReply:
    """A reply with its answer."""

    item: Item
    response: Response
    answer: Answer
    variant: str  # the prompt template's name

    def __str__(self) -> str:  # lm-eval writes this text into its log of samples, in place of a number
        return f"{self.answer.status}: {self.answer.text or ''}"


def read_rows(file: Path) -> list[ExportedRow]:
    """The rows of a file of exported data."""
    return [cast(ExportedRow, row) for _, row in read_objects(file, surrogates=True)]


def read(row: ExportedRow, reply: str, finish: str = "stop") -> AnsweredReply:
    """Parse a reply. `finish` is "stop", "length" or "content_filter"; a harness that does not know why a reply ended passes
    "stop"."""
    item, response = Item.of(row), Response(reply, finish)
    answer = read_answer(item, response, answer_after=row.get("answer_after", ""))
    return AnsweredReply(item, response, answer, row.get("variant", ""))


def mean_names(task: str) -> tuple[str, ...]:
    """The names of a task's metrics whose value is the mean over the items."""
    exported = TASKS[task]
    means = [name for name in exported.item_metrics if metric_named(name).is_mean]
    return (*means, *(("paper.accuracy", "paper.parts") if exported.official else ()), "answered")


def read_reply(row: ExportedRow, reply: str, finish: str = "stop") -> tuple[Answer, dict[str, float]]:
    """Parse and score a reply. Metrics are in [0, 1]; `answered` is 1 if an answer could be read."""
    answered = read(row, reply, finish)
    return answered.answer, reply_values(answered)


def reply_values(reply: AnsweredReply) -> dict[str, float]:
    """The metrics of a single reply."""
    item, answer = reply.item, reply.answer
    values = {**score_answer(item, answer).values, "answered": float(answer.status is Status.PARSED)}
    if TASKS[item.task].official:
        by_paper = read_answer(item, reply.response, Reading("paper"))
        values["paper.accuracy"] = score_answer(item, by_paper).values["accuracy"]
        values["paper.parts"] = float(answer.choice != by_paper.choice)
    return values


@lru_cache(maxsize=1)  # lm-eval asks for one metric after the other
def cell_values(replies: tuple[AnsweredReply, ...]) -> dict[str, float]:
    """All metrics of the replies to a task, set and wording, as in results.json, also those that are no means, such as BLEU."""
    items, responses = [r.item for r in replies], [r.response for r in replies]
    scored = score_cell(items, responses, FULL, [r.answer for r in replies], variant=replies[0].variant)
    return {name: scored.value(name) for part in scored.parts for name in part.names}


@dataclass(frozen=True, slots=True)
class MetricShare:
    """A reply as input of one metric over all replies: lm-eval calls `of_all` once for each such metric."""

    name: str  # the metric's
    reply: AnsweredReply

    def __str__(self) -> str:
        return str(self.reply)


def shares(row: ExportedRow, reply: str) -> dict[str, float | MetricShare]:
    """A reply's contribution to each exported metric: its value if the metric is a mean, else the input of `of_all`."""
    answered = read(row, reply)
    values = reply_values(answered)
    means = {name: values[name] for name in mean_names(answered.item.task)}
    return {**means, **{name: MetricShare(name, answered) for name in row["pooled"]}}


def of_all(values: Sequence[MetricShare]) -> float:
    """The metric that `values` name, over all replies; NaN if it is undefined for the items that were asked."""
    return cell_values(tuple(share.reply for share in values)).get(values[0].name, float("nan"))


def label_forms(row: ExportedRow) -> list[str]:
    """The continuations whose log-probabilities `read_labels` takes: "a", " a" and "(a" of each option in turn."""
    return [form for option in label_begins(Item.of(row).labels) for form in option]


def read_labels(row: ExportedRow, logprobs: Sequence[float]) -> dict[str, float]:
    """Accuracy of the most likely label, as with `--scoring labels`: the probabilities of a label's forms are summed.

    `logprobs` are natural logarithms, one for each of `label_forms`, in that order.
    """
    item = Item.of(row)
    # A harness scores texts, not tokens, so each form is treated as one token with an id of its own.
    ids = iter(range(len(logprobs)))
    forms = [[[next(ids)] for _ in option] for option in label_begins(item.labels)]
    response = labels_response(forms, [[value] for value in logprobs], 0)
    return dict(score_reply(item, response)[1].values)
