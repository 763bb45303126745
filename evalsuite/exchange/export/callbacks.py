"""What exported tasks call in other harnesses: replies and likelihoods are read and scored as a run of ours does.

A row is a line of the exported data: the fields of an Item, and its prompt, target and shots as rendered at export.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from evalsuite.backends.checkpoint import labels_response
from evalsuite.benchmarks.registry import TASKS, benchmark_of
from evalsuite.results.scoring import read_answer, score_answer, score_reply
from evalsuite.types import Answer, Item, Reading, Response, Status, label_begins


def item_of(row: Mapping[str, Any]) -> Item:
    """The item of a row: JSON has lists where an Item has tuples."""
    found = {field.name: row[field.name] for field in fields(Item) if field.name in row}
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}
    return Item(**values)


def metrics(task: str) -> tuple[str, ...]:
    """What `read` gives for a task's replies, the headline first."""
    return (*TASKS[task].metrics, *(("paper.accuracy",) if _by_paper(task) else ()), "answered")


def _by_paper(task: str) -> bool:
    """Whether replies are read by the paper's forms, too."""
    return TASKS[task].kind.single and benchmark_of(task).language.paper_forms


def read(row: Mapping[str, Any], reply: str, finish: str = "stop") -> tuple[Answer, dict[str, float]]:
    """What a reply says, and its metrics in [0, 1]; `answered` is 1 if an answer could be read.

    `finish`: "stop", "length" or "content_filter". A harness that does not tell must say "stop".
    """
    item, response = item_of(row), Response(reply, finish)
    answer, score = score_reply(item, response)
    found = {**score.values, "answered": float(answer.status is Status.PARSED)}
    if _by_paper(item.task):
        found["paper.accuracy"] = score_answer(item, read_answer(item, response, Reading("paper"))).values["accuracy"]
    return answer, found


def label_forms(row: Mapping[str, Any]) -> list[str]:
    """The continuations whose log-probabilities `read_labels` wants: every option's "a", " a" and "(a" in turn."""
    return [form for option in label_begins(item_of(row).labels) for form in option]


def read_labels(row: Mapping[str, Any], logprobs: Sequence[float]) -> dict[str, float]:
    """Accuracy by the most likely label, its forms' probabilities added up, as our `--scoring labels` has it.

    `logprobs`: natural logarithms, one for each of `label_forms`.
    """
    item = item_of(row)
    # A harness scores texts, not tokens: each form stands for a token of its own.
    ids = iter(range(len(logprobs)))
    forms = [[[next(ids)] for _ in option] for option in label_begins(item.labels)]
    response = labels_response(forms, [[value] for value in logprobs], 0)
    return dict(score_reply(item, response)[1].values)
