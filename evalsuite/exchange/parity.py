"""`evalsuite parity`: run the same requests of one model on several backends, and compare them one by one.

Token ids must be equal: a difference is a bug of ours. Replies and log-probabilities may differ, as floating-point sums depend
on their order. The comparison says where they differ, and by how much.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalsuite.backends.base import LocalModel
from evalsuite.backends.checkpoint import Checkpoint
from evalsuite.backends.model import Model
from evalsuite.backends.model_paths import require_present
from evalsuite.backends.models import load_models
from evalsuite.backends.registry import BACKENDS, backend_named, load_backend, loaded
from evalsuite.common.errors import ConfigError
from evalsuite.common.resources import resolve
from evalsuite.evaluation.plan import plan_cells, prepare, warn_of_skipped
from evalsuite.types import Place, Request, Response, Trial

LOCAL = tuple(name for name, row in BACKENDS.items() if row.local)


@dataclass(frozen=True, slots=True)
class ReplyDifference:
    """One request on which two backends differ."""

    item: str
    what: str  # "ids" | "reply" | "choice" (another option is the likeliest) | "error"
    a: str
    b: str
    character: int | None = None  # the first at which the replies differ
    token: int | None = None  # the first at which the prompts (for "ids") or the replies differ


@dataclass(frozen=True, slots=True)
class CellParity:
    """One cell on two backends: counts of its items, and differences."""

    task: str
    set: str
    variant: str
    shots: int
    scoring: str  # "generate" | "labels"
    perturb: str
    items: int
    same_ids: int  # prompts with the same token ids
    same: int  # equal replies (`generate`), or equal most likely options (`labels`)
    # Absolute differences of log-probabilities in nats, over the tokens of the gold answers (`generate`) or over the labels
    # (`labels`); None if there are none.
    largest: float | None
    mean: float | None
    differences: tuple[ReplyDifference, ...]


@dataclass(frozen=True, slots=True)
class Parity:
    """The comparison of backend `b` with backend `a`, a row per cell."""

    model: str
    a: str
    b: str
    rows: tuple[CellParity, ...]

    @property
    def same_ids(self) -> bool:
        return all(row.same_ids == row.items for row in self.rows)


@dataclass(frozen=True, slots=True)
class _BackendResponse:
    """One backend's response to one trial."""

    ids: list[int]
    response: Response
    nll: list[float]  # a value per token of the gold answer, in nats


_ResponsesByCell = dict[Place, list[tuple[Trial, _BackendResponse]]]


def parity(
    models: str | Path = "bundled:models.yaml", model: str = "tiny-zh", on: Sequence[str] = LOCAL, **settings: Any
) -> list[Parity]:
    """Run a model on each backend of `on`, and compare each with the first. One backend is in memory at a time.

    `settings` are fields of evalsuite.Settings: tasks, set, split, limit, data, shots, prompt …
    Raises ConfigError for a backend that is unknown or not local, or fewer than two, BackendError if a backend cannot load the
    model.
    """
    (spec,) = load_models(resolve(models), [model])
    for name in (*on, spec.backend):  # a path of another backend names no weights
        if not backend_named(name).local:
            raise ConfigError(f"backend {name} loads no model on this machine; these do: {', '.join(LOCAL)}")
    if len(on) < 2:
        raise ConfigError("--backends: expected two or more, e.g. hf,vllm")
    if spec.generation.temperature:
        raise ConfigError(f"model {model}: engines draw other samples from one seed; set its temperature to 0")
    require_present([spec])
    results = [_ask(name, models, model, settings) for name in on]
    *_, eval_sets = prepare(models, model=[model], **settings)
    warn_of_skipped(eval_sets)
    checkpoint = Checkpoint(spec)
    return [
        Parity(
            model, on[0], name, tuple(_row(place, rows, other[place], checkpoint) for place, rows in results[0].items())
        )
        for name, other in zip(on[1:], results[1:], strict=True)
    ]


def _ask(name: str, models: str | Path, model: str, settings: Mapping[str, object]) -> _ResponsesByCell:
    s, (spec,), corpus, sources = prepare(models, model=[model], scoring=("generate", "labels"), **settings)
    spec = Model.model_validate({**spec.model_dump(), "backend": name})
    with loaded(spec, load_backend) as backend:
        assert isinstance(backend, LocalModel)
        planned = list(plan_cells(s, spec, backend, corpus, sources))
        trials = [trial for _, cell_trials in planned for trial in cell_trials]
        requests = [trial.request for trial in trials]
        responses = dict(pair for group in backend.generate(requests, [False] * len(requests)) for pair in group)
        gold = [
            (t.request.prompt, t.item.target) if _is_scored(t.request, responses[n]) else None
            for n, t in enumerate(trials)
        ]
        nll = iter(backend.nll([pair for pair in gold if pair]))
        results = (
            _BackendResponse(backend.ids(r), responses[n], next(nll) if gold[n] else []) for n, r in enumerate(requests)
        )
        return {cell.place: [(t, next(results)) for t in cell_trials] for cell, cell_trials in planned}


def _is_scored(request: Request, response: Response) -> bool:
    """Whether to score the gold answer: after a written reply that did not fail, since its prompt fits the context."""
    return request.scoring == "generate" and response.error is None


def _row(
    place: Place,
    a: Sequence[tuple[Trial, _BackendResponse]],
    b: Sequence[tuple[Trial, _BackendResponse]],
    checkpoint: Checkpoint,
) -> CellParity:
    gaps: list[float] = []
    differences: list[ReplyDifference] = []
    for (trial, left), (_, right) in zip(a, b, strict=True):
        request, item = trial.request, trial.item.id
        if left.ids != right.ids:
            token = _first_difference(left.ids, right.ids)
            differences.append(ReplyDifference(item, "ids", str(left.ids), str(right.ids), token=token))
        x, y = left.response, right.response
        if x.error or y.error:
            if x.error != y.error:
                differences.append(ReplyDifference(item, "error", x.error or x.text, y.error or y.text))
        elif request.scoring == "generate":
            gaps += [abs(p - q) for p, q in zip(left.nll, right.nll, strict=False)]
            if x.text != y.text:
                tokens = [checkpoint.tokenizer(r.text, add_special_tokens=False)["input_ids"] for r in (x, y)]
                where = _first_difference(x.text, y.text), _first_difference(*tokens)
                differences.append(ReplyDifference(item, "reply", x.text, y.text, *where))
        else:
            scores = [[o.logprob for o in r.likelihoods] for r in (x, y)]
            gaps += [abs(p - q) for p, q in zip(*scores, strict=True)]
            choices = [row.index(max(row)) for row in scores]
            if choices[0] != choices[1]:
                shown = [f"{request.labels[c]} of {row}" for c, row in zip(choices, scores, strict=True)]
                differences.append(ReplyDifference(item, "choice", shown[0], shown[1]))
    mean = math.fsum(gaps) / len(gaps) if gaps else None
    coordinates = (place.task, place.set, place.variant, place.shots, place.scoring, place.perturb)
    differing_ids = sum(difference.what == "ids" for difference in differences)
    differing = len(differences) - differing_ids  # beside its ids, an item has one difference at most
    return CellParity(
        *coordinates,
        len(a),
        len(a) - differing_ids,
        len(a) - differing,
        max(gaps, default=None),
        mean,
        tuple(differences),
    )


def _first_difference(a: Sequence[Any], b: Sequence[Any]) -> int:
    """The first index at which two sequences differ; the shorter length if one is a prefix of the other.

    >>> _first_difference("abc", "abd"), _first_difference("ab", "abc")
    (2, 2)
    """
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
