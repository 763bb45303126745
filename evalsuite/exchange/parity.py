"""Do two backends say the same? The same items of the same model on each, compared request by request.

Token ids must be the same: if they are not, we are at fault. Replies and probabilities may part where sums are taken in
another order; the report says where, and by how much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalsuite.backends.base import LocalModel
from evalsuite.backends.checkpoint import Checkpoint
from evalsuite.backends.model import Model
from evalsuite.backends.registry import load_backend
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.evaluation.plan import cells, prepare
from evalsuite.types import Request, Response, Trial

LOCAL = ("hf", "vllm")


@dataclass(frozen=True, slots=True)
class Difference:
    """A request on which two backends part."""

    item: str
    what: str  # "ids" | "reply" | "choice" (another option is the likeliest) | "error"
    a: str
    b: str
    character: int | None = None  # the first at which the replies part
    token: int | None = None  # the first at which the prompts or the replies part


@dataclass(frozen=True, slots=True)
class Row:
    """A cell on two backends. Numbers are absolute differences of natural logarithms; None: none were taken."""

    task: str
    set: str
    variant: str
    shots: int
    scoring: str  # "generate" | "labels"
    items: int
    same_ids: int
    same: int  # of `generate` the same replies, of `labels` the same likeliest option
    largest: float | None  # of `generate` over the tokens of the gold answers, of `labels` over the labels
    mean: float | None
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Parity:
    """Backend `b` beside backend `a`."""

    model: str
    a: str
    b: str
    rows: tuple[Row, ...]

    @property
    def same_ids(self) -> bool:
        return all(row.same_ids == row.items for row in self.rows)


@dataclass(frozen=True, slots=True)
class _Said:
    """What one backend made of one trial."""

    ids: list[int]
    response: Response
    nll: list[float]  # of the gold answer's tokens


_Key = tuple[str, str, str, int, str]  # task, set, variant, shots, scoring
_Sheet = dict[_Key, list[tuple[Trial, _Said]]]


def parity(
    models: str | Path = "bundled:models.yaml", model: str = "tiny-zh", on: Sequence[str] = LOCAL, **settings: Any
) -> list[Parity]:
    """Ask a model the same on each backend of `on`, and compare each with the first. One is in memory at a time.

    `settings` are fields of evalsuite.Settings: tasks, set, split, limit, data, shots, prompt …
    """
    for name in on:
        if name not in LOCAL:
            raise ConfigError(unknown("backend", name, LOCAL))
    if len(on) < 2:
        raise ConfigError("--backends: expected two or more, e.g. hf,vllm")
    sheets = [_ask(name, models, model, settings) for name in on]
    (spec,) = prepare(models, model=[model], **settings)[1]
    checkpoint = Checkpoint(spec)
    return [
        Parity(model, on[0], name, tuple(_row(key, sheets[0][key], sheet[key], checkpoint) for key in sheets[0]))
        for name, sheet in zip(on[1:], sheets[1:], strict=True)
    ]


def _ask(name: str, models: str | Path, model: str, settings: dict[str, Any]) -> _Sheet:
    s, (spec,), corpus, sources = prepare(models, model=[model], scoring=("generate", "labels"), **settings)
    spec = Model.model_validate({**spec.model_dump(), "backend": name})
    backend = load_backend(spec)
    assert isinstance(backend, LocalModel)
    try:
        planned = list(cells(s, spec, backend, corpus, sources))
        trials = [trial for _, asked in planned for trial in asked]
        requests = [trial.request for trial in trials]
        found = dict(pair for group in backend.generate(requests, [False] * len(requests)) for pair in group)
        gold = [
            (t.request.prompt, t.item.target) if _scored(t.request, found[n]) else None for n, t in enumerate(trials)
        ]
        nll = iter(backend.nll([pair for pair in gold if pair]))
        said = iter([_Said(backend.ids(r), found[n], next(nll) if gold[n] else []) for n, r in enumerate(requests)])
        return {
            (c.place.task, c.place.set, c.place.variant, c.place.shots, c.place.scoring): [
                (t, next(said)) for t in asked
            ]
            for c, asked in planned
        }
    finally:
        backend.close()


def _scored(request: Request, response: Response) -> bool:
    """Gold answers are scored where there was room for the prompt."""
    return request.scoring == "generate" and response.error is None


def _row(key: _Key, a: Sequence[tuple[Trial, _Said]], b: Sequence[tuple[Trial, _Said]], checkpoint: Checkpoint) -> Row:
    gaps: list[float] = []
    found: list[Difference] = []
    same_ids = same = 0
    for (trial, left), (_, right) in zip(a, b, strict=True):
        request, item = trial.request, trial.item.id
        same_ids += left.ids == right.ids
        if left.ids != right.ids:
            found.append(Difference(item, "ids", str(left.ids), str(right.ids), token=_parting(left.ids, right.ids)))
        x, y = left.response, right.response
        if x.error or y.error:
            same += x.error == y.error
            if x.error != y.error:
                found.append(Difference(item, "error", x.error or x.text, y.error or y.text))
            continue
        if request.scoring == "generate":
            gaps += [abs(p - q) for p, q in zip(left.nll, right.nll, strict=False)]
            same += x.text == y.text
            if x.text != y.text:
                tokens = [checkpoint.tokenizer(r.text, add_special_tokens=False)["input_ids"] for r in (x, y)]
                where = _parting(x.text, y.text), _parting(*tokens)
                found.append(Difference(item, "reply", x.text, y.text, *where))
        else:
            scores = [[o.logprob for o in r.likelihoods] for r in (x, y)]
            gaps += [abs(p - q) for p, q in zip(*scores, strict=True)]
            choices = [row.index(max(row)) for row in scores]
            same += choices[0] == choices[1]
            if choices[0] != choices[1]:
                shown = [f"{request.labels[c]} of {row}" for c, row in zip(choices, scores, strict=True)]
                found.append(Difference(item, "choice", shown[0], shown[1]))
    mean = sum(gaps) / len(gaps) if gaps else None
    return Row(*key, len(a), same_ids, same, max(gaps, default=None), mean, tuple(found))


def _parting(a: Sequence[Any], b: Sequence[Any]) -> int:
    """The first place at which two sequences differ; the shorter one's length if it begins the longer."""
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
