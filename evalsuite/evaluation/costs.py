"""Requests, tokens and cost of a run before it is started, for each model and task, each with a range.

Prompts are counted or estimated (prompt_tokens.py). Stored replies predict the further ones (stored_samples.py,
token_forecast.py); without any, the range goes from the shortest right answer to the limit. docs/endpoints.md explains the
ranges, design/cost.md has their coverage.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evalsuite.backends.keys import missing_key
from evalsuite.backends.model import Model, Price
from evalsuite.backends.models import Models
from evalsuite.backends.openai.backend import OpenAI, without_key
from evalsuite.backends.openai.spending import cost_of
from evalsuite.common.errors import BackendError
from evalsuite.common.grouping import by_key
from evalsuite.evaluation.plan import plan_cells, prepare, warn_of_skipped
from evalsuite.evaluation.preview import tokenizer_named
from evalsuite.evaluation.prompt_tokens import PromptTokens, TokenCounter, counter_of
from evalsuite.evaluation.settings import Settings
from evalsuite.evaluation.stored_samples import CellSample, CountedReply, Kinship, closest, read_samples
from evalsuite.evaluation.token_forecast import ContextSample, Total, forecast
from evalsuite.results.store import find_store, open_store, request_key
from evalsuite.types import WRITTEN, Cell, Request, Trial

log = logging.getLogger(__name__)

_Planned = Iterator[tuple[Model, Cell, list[Trial]]]
_WITHOUT_TOKENS = ("baseline", "scripted")
_NEAR = 0.2  # half width of the range of prompt tokens that prompts of other cells correct, as a share of the mean


@dataclass(frozen=True, slots=True)
class Range:
    """A forecast with its range; `mean` is None if only the ends are known."""

    low: float
    mean: float | None
    high: float


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Requests, tokens and cost of a model on a task. `task` None: on all its tasks; `model` None, too: of all models."""

    model: str | None
    task: str | None
    requests: int  # number of requests in all
    left: int  # number of requests without a stored reply, which the fields below are about
    prompt_tokens: Range | None  # None: the model counts no tokens, such as a baseline
    reply_tokens: Range | None
    cost: Range | None  # in the currency of the model's price; None: the model has no price
    most: float | None  # the highest possible cost: the sum of what --budget reserves for each request
    prompts: str  # "counted" with a tokenizer, by the "replies" so far, or "estimated"
    replies: int  # number of stored replies that the range comes from; 0: it extends to the limit of replies
    kinships: tuple[Kinship, ...]  # kinships of the cells with these replies


@dataclass(frozen=True, slots=True)
class CellCost:
    """The estimate of one cell, which `_sum` adds up by task, model and run."""

    model: str
    task: str
    price: Price | None
    requests: int
    left: int
    prompt: Total | None
    reply: Total | None
    most: float | None
    prompts: str
    replies: int
    kinship: Kinship | None


def planned_cells(models: Models, settings: dict[str, Any]) -> tuple[Settings, _Planned]:
    """The settings, and (model, cell, trials) of every cell that `run` would ask. No model is loaded."""
    s, chosen, corpus, eval_sets = prepare(models, **settings)
    warn_of_skipped(eval_sets)
    for problem in filter(None, map(missing_key, chosen)):
        log.warning("%s", problem)
    return s, ((m, cell, trials) for m in chosen for cell, trials in plan_cells(s, m, None, corpus, eval_sets))


def estimate_cost(
    models: Models = "bundled:models.yaml", samples: Sequence[str | Path] = (), tokenizer: str = "", **settings: Any
) -> list[CostEstimate]:
    """Estimate `run` with the same keywords: a row for each model and task, for each model, and for all.

    Requests with a reply in the run's folder `out` are not asked again. These replies, and those of the runs in `samples`,
    predict the further ones. `tokenizer` counts the prompts of models whose own tokenizer is not here. No model is loaded, and
    nothing is sent.

    >>> for row in estimate_cost(model=["tiny-zh"], tasks=["event_cause"], limit=20):  # doctest: +SKIP
    ...     print(row.model, row.task, row.left, row.reply_tokens)
    """
    s, planned = planned_cells(models, settings)
    costs = Costs(s, samples, tokenizer_named(tokenizer, models))
    for _ in costs.passing(planned):
        pass
    return costs.rows()


@dataclass(slots=True)
class Costs:
    """The costs of the cells that go through `passing`."""

    settings: Settings
    samples: Sequence[str | Path] = ()
    tokenizer: str = ""
    parts: list[CellCost] = field(default_factory=list)

    @property
    def _folder(self) -> Path | None:
        """The run's folder; None if there is no run yet."""
        folder = Path(self.settings.out)
        return folder if (folder / "store.sqlite").is_file() else None

    @property
    def spent(self) -> float:
        """The cost of the run so far."""
        if self._folder is None:
            return 0.0
        with open_store(self._folder) as store:
            return store.spent()

    def passing(self, planned: _Planned) -> Iterator[tuple[Cell, list[Trial]]]:
        """Yield the cells unchanged, and estimate the cost of each."""
        folder = self._folder
        for run in self.samples:
            find_store(Path(run))
        counted: _CountedRequests | None = None
        known: list[CellSample] | None = None
        for model, cell, trials in planned:
            if counted is None or counted.model is not model:
                counted = _CountedRequests(model, self.tokenizer, folder)
            if known is None and counted.tokens:
                runs = dict.fromkeys([*([folder] if folder else []), *map(Path, self.samples)])
                known = [sample for run in runs for sample in read_samples(run)]
            self.parts.append(counted.part(cell, trials, known or []))
            yield cell, trials

    def rows(self) -> list[CostEstimate]:
        """Rows for the tasks of each model and for the model; at the end one for all models, if there are several."""
        estimates = []
        models = dict.fromkeys(part.model for part in self.parts)
        for model in models:
            parts = [part for part in self.parts if part.model == model]
            tasks = dict.fromkeys(part.task for part in parts)
            estimates += [_sum(model, task, [part for part in parts if part.task == task]) for task in tasks]
            estimates.append(_sum(model, None, parts))
        if len(models) > 1:
            estimates.append(_sum(None, None, self.parts))
        return estimates


class _CountedRequests:
    """Counts the requests of a model. Equal requests to an endpoint, in whatever cells, count once."""

    def __init__(self, model: Model, tokenizer: str, run: Path | None) -> None:
        self.model, self.run = model, run
        self.tokens = model.backend not in _WITHOUT_TOKENS
        self.backend = _endpoint(model) if model.backend == "openai" else None
        self.seen: set[str] = set()
        if self.tokens:
            self.count, self.exact = counter_of(model, tokenizer)

    def part(self, cell: Cell, trials: Sequence[Trial], samples: Sequence[CellSample]) -> CellCost:
        left = self._unanswered(cell, trials)
        place, price = cell.place, self.model.api.charged if self.model.backend == "openai" else None
        if not self.tokens:
            return CellCost(place.model, place.task, None, len(trials), len(left), None, None, None, "", 0, None)
        requests = [trial.request for trial in left]
        counted = [self.count(request) for request in requests]
        written = place.scoring in WRITTEN
        fingerprint, sampling = (self.backend.fingerprint, self.backend.settings) if self.backend else (None, None)
        near = closest(samples, place, fingerprint, sampling) if written and left else None
        near = _with_same_limit(near, max((r.max_new_tokens for r in requests), default=0))
        prompt, by = self._prompts(counted, near, place.name)
        reply = self._replies(left, near, place.name) if written else Total.exact(0.0)
        most = sum(map(self.backend.worst, requests)) if self.backend and price else None
        kinship, replies = (near[0], len(near[1])) if near else (None, 0)
        return CellCost(
            place.model, place.task, price, len(trials), len(left), prompt, reply, most, by, replies, kinship
        )

    def _unanswered(self, cell: Cell, trials: Sequence[Trial]) -> list[Trial]:
        """The trials without a stored reply. Trials with the same request to an endpoint count once."""
        if self.backend is None:
            stored = _stored(self.run, cell) if self.run else set()
            return [trial for trial in trials if _request_fields(trial) not in stored]
        sampling, chat = self.backend.settings, self.model.chat
        keyed = {request_key(self.backend.fingerprint, t.request, chat, sampling): t for t in trials}
        new = {key: trial for key, trial in keyed.items() if key not in self.seen}
        self.seen |= new.keys()
        if self.run:
            with open_store(self.run) as store:
                done = store.done(new)
            new = {key: trial for key, trial in new.items() if key not in done}
        return list(new.values())

    def _prompts(self, counted: Sequence[PromptTokens], near: _Near | None, seed: str) -> tuple[Total, str]:
        """(tokens of the prompts, how they were found). Prompts of near cells whose tokens the endpoint has counted correct the
        estimates by rule."""
        low, mean, high = (sum(getattr(c, name) for c in counted) for name in ("low", "mean", "high"))
        if self.exact or not counted:
            return Total(low, mean, high), "counted" if self.exact else "estimated"
        known = [r for r in near[1] if r.prompt_tokens] if near and near[0] is not Kinship.MODEL else []
        if near is None or not known:
            return Total(low, mean, high), "estimated"
        if near[0] is Kinship.SAME:
            return foresee_prompts(known, counted, self.count, seed), "replies"
        pairs = [(reply, self.count(reply.request)) for reply in known]
        mean *= sum(r.prompt_tokens for r, _ in pairs) / sum(c.mean for _, c in pairs)
        return Total(mean * (1 - _NEAR), mean, mean * (1 + _NEAR)), "replies"

    def _replies(self, left: Sequence[Trial], near: _Near | None, seed: str) -> Total:
        rooms = [self._room(trial.request) for trial in left]
        if near is not None and near[0] is Kinship.SAME and left:
            return foresee_replies(near[1], rooms, seed)
        low = sum(min(room, self._shortest(trial)) for trial, room in zip(left, rooms, strict=True))
        if near is None or not left:
            return Total(low, None if left else 0.0, sum(rooms))
        usual = sum(r.new_tokens for r in near[1]) / len(near[1])
        mean = sum(min(room, usual) for room in rooms)
        return Total(min(low, mean), mean, sum(rooms))

    def _room(self, request: Request) -> int:
        return request.max_new_tokens + (self.model.api.reasoning_tokens if self.model.backend == "openai" else 0)

    def _shortest(self, trial: Trial) -> float:
        """The least tokens of a right reply: 1 for a choice, else one for every two characters of the shortest reference."""
        return 1.0 if trial.item.options else max(1.0, min(map(len, trial.item.references), default=1) / 2)


_Near = tuple[Kinship, list[CountedReply]]


def _with_same_limit(near: _Near | None, limit: int) -> _Near | None:
    """The closest replies. Replies of the same cell count as those of another wording if they had another limit."""
    if near and near[0] is Kinship.SAME and any(reply.request.max_new_tokens != limit for reply in near[1]):
        return Kinship.WAY, near[1]
    return near


def _endpoint(model: Model) -> OpenAI | None:
    """The endpoint's backend, which computes the keys of stored replies; None if its packages are missing."""
    try:
        return without_key(model)
    except BackendError:
        return None


def _stored(run: Path, cell: Cell) -> set[Any]:
    with open_store(run) as store:
        return {
            _request_fields(trial) for _, trial, reply in store.read(cell) if reply is not None and reply.error is None
        }


def _request_fields(trial: Trial) -> Any:
    """The fields that identify a request within a cell."""
    r = trial.request
    return trial.item.id, trial.rotation, r.sample, r.prompt, r.messages, r.max_new_tokens, r.pairs, r.pattern


def foresee_replies(replies: Sequence[CountedReply], rooms: Sequence[int], seed: str) -> Total:
    """The tokens of further replies of the same cell. `rooms`: the limit of each, in tokens."""
    contexts = _contexts((r.context, r.new_tokens, 1) for r in replies)
    return forecast(contexts, len(rooms), 1, max(rooms), f"{seed}:reply")


def foresee_prompts(
    replies: Sequence[CountedReply], counted: Sequence[PromptTokens], count: TokenCounter, seed: str
) -> Total:
    """The tokens of further prompts of the same cell. `counted`: their estimates by the rule `count`; `replies`: those whose
    prompts the endpoint has counted."""
    known = [count(reply.request) for reply in replies]
    contexts = _contexts((r.context, r.prompt_tokens, c.mean) for r, c in zip(replies, known, strict=True))
    low, mean, high = (sum(getattr(c, name) for c in known) for name in ("low", "mean", "high"))
    return forecast(contexts, sum(c.mean for c in counted), low / mean, high / mean, f"{seed}:prompt")


def _contexts(rows: Iterable[tuple[tuple[str, ...], float, float]]) -> list[ContextSample]:
    """Add up (context, tokens, size) by context."""
    sums: dict[tuple[str, ...], tuple[float, float]] = {}
    for context, tokens, size in rows:
        before = sums.get(context, (0.0, 0.0))
        sums[context] = before[0] + tokens, before[1] + size
    return [ContextSample(*pair) for pair in sums.values()]


def _sum(model: str | None, task: str | None, parts: Sequence[CellCost]) -> CostEstimate:
    prompts, replies = ([getattr(part, name) for part in parts] for name in ("prompt", "reply"))
    by_price = by_key(((part.price.input, part.price.output), part) for part in parts if part.price)
    costs = [_cost(group) for group in by_price.values()]
    return CostEstimate(
        model,
        task,
        sum(p.requests for p in parts),
        sum(p.left for p in parts),
        _range(prompts),
        _range(replies),
        _range(costs),
        sum(p.most or 0.0 for p in parts) if any(p.most is not None for p in parts) else None,
        min((p.prompts for p in parts if p.prompts), key=_PROMPTS.index, default=""),
        sum(p.replies for p in parts),
        tuple(sorted({p.kinship for p in parts if p.kinship is not None})),
    )


_PROMPTS = ("estimated", "replies", "counted")  # the least exact first


def _range(totals: Sequence[Total | None]) -> Range | None:
    known = [total for total in totals if total is not None]
    if not known:
        return None
    total = sum(known, Total.exact(0.0))
    low, high = total.ends
    return Range(low, total.mean, high)


def _cost(parts: Sequence[CellCost]) -> Total:
    """The cost of cells with one price."""
    prompt, reply = (_range([getattr(part, name) for part in parts]) for name in ("prompt", "reply"))
    assert prompt and reply  # only endpoints have a price, and their tokens are counted
    price = parts[0].price
    mean = None if prompt.mean is None or reply.mean is None else cost_of(price, prompt.mean, reply.mean)
    return Total(cost_of(price, prompt.low, reply.low), mean, cost_of(price, prompt.high, reply.high))


def as_row(row: CostEstimate) -> dict[str, Any]:
    """A line of `preview --cost --json`, with whole tokens, and costs to six digits."""

    def ends(estimate: Range | None, spell: Callable[[float], float]) -> dict[str, float | None] | None:
        return {name: x if x is None else spell(x) for name, x in asdict(estimate).items()} if estimate else None

    return asdict(row) | {
        "prompt_tokens": ends(row.prompt_tokens, round),
        "reply_tokens": ends(row.reply_tokens, round),
        "cost": ends(row.cost, lambda cost: float(f"{cost:.6g}")),
        "kinships": [kinship.name.lower() for kinship in row.kinships],
    }
