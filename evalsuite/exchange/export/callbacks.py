"""Functions that exported tasks call inside other harnesses, so that replies are parsed and scored as in `evalsuite run`.

A row is a line of the exported data: the fields of an Item, and `prompt`, `target` and `shots` as rendered at export.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from evalsuite.backends.checkpoint import labels_response
from evalsuite.benchmarks.registry import TASKS
from evalsuite.results.scoring import read_answer, score_answer, score_reply
from evalsuite.types import Answer, Item, Reading, Response, Status, label_begins


def item_of(row: Mapping[str, Any]) -> Item:
    """Build the item of a row. Lists become tuples, as an Item is frozen."""
    known = {field.name: row[field.name] for field in fields(Item) if field.name in row}
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in known.items()}
    return Item(**values)


def metric_names(task: str) -> tuple[str, ...]:
    """Names of the metrics that `read_reply` returns for a task, the headline first."""
    return (*TASKS[task].metrics, *(("paper.accuracy",) if _by_paper(task) else ()), "answered")


def _by_paper(task: str) -> bool:
    """True if replies are also parsed by the paper's listed forms alone."""
    return TASKS[task].official is not None


def read_reply(row: Mapping[str, Any], reply: str, finish: str = "stop") -> tuple[Answer, dict[str, float]]:
    """Parse and score a reply. Metrics are in [0, 1]; `answered` is 1 if an answer could be read.

    `finish` is "stop", "length" or "content_filter"; a harness that does not know why a reply ended passes "stop".
    """
    item, response = item_of(row), Response(reply, finish)
    answer, score = score_reply(item, response)
    values = {**score.values, "answered": float(answer.status is Status.PARSED)}
    if _by_paper(item.task):
        values["paper.accuracy"] = score_answer(item, read_answer(item, response, Reading("paper"))).values["accuracy"]
    return answer, values


def label_forms(row: Mapping[str, Any]) -> list[str]:
    """Continuations to compute log-probabilities of, for `read_labels`: "a", " a" and "(a" of each option in turn."""
    return [form for option in label_begins(item_of(row).labels) for form in option]


def read_labels(row: Mapping[str, Any], logprobs: Sequence[float]) -> dict[str, float]:
    """Accuracy of the most likely label, as with `--scoring labels`: the probabilities of a label's forms are summed.

    `logprobs` are natural logarithms, one for each of `label_forms`, in that order.
    """
    item = item_of(row)
    # A harness scores texts, not tokens, so each form is treated as one token with an id of its own.
    ids = iter(range(len(logprobs)))
    forms = [[[next(ids)] for _ in option] for option in label_begins(item.labels)]
    response = labels_response(forms, [[value] for value in logprobs], 0)
    return dict(score_reply(item, response)[1].values)
