"""The cells of results.json: the figures of one model on one task and set, asked in one way, and the facts they depend on."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, model_validator

from evalsuite import types
from evalsuite.benchmarks.registry import TASKS
from evalsuite.results.schema.base import (
    CellFields,
    Count,
    Hash,
    IntervalFields,
    Number,
    Rows,
    SettingsFields,
    Share,
    StatusName,
    Strict,
)
from evalsuite.types import Status, is_baseline


class ReadingFields(Strict):
    """The settings by which replies were read."""

    parser: Literal["full", "strict", "paper"] = Field(description="For choices: the forms that count as an answer.")
    extract: bool = Field(description="For spans and texts: lead-ins, quotes and reasons were cut off.")


class MetricValue(IntervalFields):
    """One figure of a cell. Shares and scores are in 0 … 1; CIDEr in 0 … 10; delta_nll in nats, which may be negative."""

    value: Number = Field(description="Null where no request was answered.")
    low: Number = Field(
        description="95 % interval by dialogues: resampled if there are 30 or more; of fewer, for means, Wilson's for so few. "
        "Of an estimate, the estimate's own."
    )
    n: Count = Field(description="Items that it is computed from; failed requests are left out.")
    spread: Number = Field(
        default=None,
        description="Standard deviation between the samples' values, where every prompt has several replies.",
    )
    signature: str = Field(description="Everything that it depends on, in sacreBLEU's style: key:value|…")
    wilson: Annotated[Rows[Share], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="Wilson's 95 % interval, for accuracies."
    )

    @model_validator(mode="before")
    @classmethod
    def _older(cls, values: Any) -> Any:
        """Fill in the interval of a cell without answers, which older versions left out."""
        return {"low": None, "high": None, **values} if isinstance(values, dict) else values


NO_FIGURE = MetricValue(value=None, low=None, high=None, n=0, signature="")


class AdapterTraining(Strict):
    """The training of an adapter by `evalsuite finetune`."""

    # Later versions add figures of the training items.
    model_config = ConfigDict(extra="allow")

    base: str = Field(description="The model that the adapter was trained on.")
    task: str = Field(description="The task of the training items; + joins several.")
    groups: Rows[str] = Field(default=[], description="The only groups of items that it was trained on; empty: all.")
    size: Count = Field(description="Training items.")
    seed: int
    set: str = Field(description="One set, or both or all of them.")
    allow_leak: bool = Field(description="Whether dialogues of test items were trained on.")
    settings: SettingsFields = Field(
        default={}, description="Settings of the training that are not the default ones, and its wording if not paper."
    )
    labels: dict[str, Count] = Field(description="How often each option label was the answer; empty for texts.")


class Recorded(Strict):
    """The source of recorded replies: nothing was asked in this run."""

    model: str = Field(description="Name of the model, as its publisher calls it.")
    revision: str | None = Field(description="Commit or file of the model.")
    date: str = Field(description="When most of the replies were recorded: YYYY-MM-DD.")
    versions: dict[str, str] = Field(description="Versions of engine and evalsuite at that time, by name.")


class TokenPrice(Strict):
    """Prices of a million tokens, in any one currency."""

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)]


class AnchorChoice(Strict):
    """A cell's entry in a file of anchor items (docs/anchors.md)."""

    weights: Rows[float] = Field(description="Weights of the items, in their order; they sum to 1.")
    method: str = Field(description="The method that chose the items.")
    error: Annotated[float, Field(ge=0)] = Field(description="Mean absolute error on models left out.")
    half: Annotated[float, Field(ge=0)] = Field(description="Half width of a 95 % interval.")
    models: Count = Field(description="Models by whose outcomes the items were chosen.")
    seen: Annotated[Rows[float], Field(min_length=2, max_length=2)] = Field(
        description="Lowest and highest score of these models."
    )


class ItemsFile(Strict):
    """The items that a file names."""

    sha256: Hash = Field(description="Hash of the file.")
    of: Annotated[int, Field(ge=1)] = Field(description="Items that would be asked without it.")
    anchors: AnchorChoice | None = Field(default=None, description="Entry of anchor items; absent for a list of ids.")
    otherwise: Rows[str] = Field(
        default=[], description="What differs from the way in which the models were asked that chose the items."
    )


class StopRule(Strict):
    """The condition that ends the asking of a cell."""

    margin: Annotated[float, Field(gt=0, lt=0.5)] = Field(
        description="The half width of the interval that is waited for."
    )
    ranked: Literal[True] | None = Field(
        default=None,
        description="True: `margin` is for the interval of two models' difference, if they are not told apart before.",
    )


class RepeatedRequests(Strict):
    """Requests that were sent again with a longer limit, since their replies were cut off before they answered."""

    status: Literal["truncated"]
    max_new_tokens: Annotated[int, Field(ge=1)] = Field(description="The longer limit, in tokens.")
    replies: Annotated[int, Field(ge=1)] = Field(description="Replies that count in place of the first ones.")


class Facts(Strict):
    """The hashes and settings that a cell's figures depend on."""

    data: Hash = Field(description="Hash of the official file that the items come from.")
    template: Hash = Field(description="Hash of the prompt template.")
    fingerprint: str = Field(
        description="Identifies the model: weights, tokenizer, chat template, dtype, kind of device, adapter."
    )
    backend: str = Field(
        description="As models.yaml names it: baseline, scripted, hf, vllm, openai, or another package's."
    )
    chat: bool = Field(description="Asked through the model's chat template.")
    sampling: SettingsFields = Field(description="The backend's sampling settings.")
    samples: Annotated[int, Field(ge=2)] | None = Field(
        default=None, description="Replies to each prompt; absent if there is one."
    )
    seed: int = Field(description="Seed of shots and perturbations.")
    limit: Annotated[int, Field(ge=1)] | None = Field(description="Only the first so many items of the file.")
    items: ItemsFile | None = Field(default=None, description="Only the items of a file (--items); absent without one.")
    skipped_lines: Count = Field(
        description="Broken lines of the file, left out, and items that the file of the wording lacks."
    )
    leaked: Count | None = Field(
        description="Items asked for whose dialogue the training split has, too; null: no such split there."
    )
    drop_leaked: bool = Field(description="Whether leaked items were left out.")
    tags: Rows[str] = Field(description="Tags of the model, from its models.yaml.")
    answered: Count | None = Field(
        default=None, description="GLUCOSE: rows of the file that have an answer to the task."
    )
    escaped: Count | None = Field(default=None, description="GLUCOSE: rows that say there is none.")
    perturb_version: Literal[2] | None = Field(
        default=None,
        description="Version of the perturbation, if it is not the first: with 2, `shuffle` may keep an order.",
    )
    parameters: Count | None = Field(
        default=None, description="Number of parameters of the model's checkpoint; absent if not known."
    )
    recorded: Recorded | None = Field(default=None, description="Absent where the model itself was asked.")
    trained: AdapterTraining | None = None
    until: StopRule | None = None
    again: RepeatedRequests | None = Field(default=None, description="Absent where no reply was asked again.")
    price: TokenPrice | None = Field(
        default=None,
        description="Price in the model's models.yaml, less the discount of a batch API; absent if there is none.",
    )


class TokenCounts(Strict):
    """The tokens of a cell's replies: every sample and rotation is one, failed requests are none."""

    replies: Annotated[int, Field(ge=1)] = Field(description="Replies whose tokens were counted.")
    mean: Annotated[float, Field(ge=0)] = Field(description="Generated tokens of a reply, thinking included.")
    median: Annotated[float, Field(ge=0)]
    p90: Annotated[float, Field(ge=0)] = Field(description="90th percentile, interpolated linearly.")
    total: Count = Field(description="Generated tokens of all these replies.")
    thinking: Share = Field(description="Share of the total that is a reasoning model's own thinking.")
    by_characters: Count = Field(
        description="Replies whose thinking nobody counted: their tokens are split by the characters of thought and answer."
    )
    prompt: Annotated[float, Field(ge=0)] = Field(description="Mean tokens of a prompt.")
    cost: Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="Cost of all these replies at the model's prices; absent without prices."
    )
    uncounted: Count = Field(
        default=0,
        description="Replies that came without token counts: all figures leave them out, so that total and cost are too low.",
    )


class Estimate(Strict):
    """An estimate of all items from those that were asked. Which keys are there depends on the method."""

    method: Literal["confidence sequence", "anchors", "subset"] = Field(
        description="The asking stopped early (--until), or a file named the items (--items): anchor items with weights, or a "
        "list, which says nothing of the other items."
    )
    asked: Count = Field(description="Items asked.")
    of: Count = Field(description="All items.")
    metric: str | None = Field(
        default=None, description="What is estimated: the headline; with --until, if it is a mean over items."
    )
    value: Number = Field(default=None, description="anchors: the weighted mean; null where a reply is lacking.")
    low: Share | None = Field(
        default=None,
        description="95 % interval of the mean over all items: the confidence sequence, or from errors on models left out.",
    )
    high: Share | None = Field(default=None, description="Upper end of the interval.")
    level: float | None = Field(default=None, description="Confidence level of the confidence sequence.")
    margin: Annotated[float, Field(gt=0, lt=0.5)] | None = Field(
        default=None,
        description="The half width that was waited for; null if models were asked until they are told apart.",
    )
    reached: bool | None = None
    chosen: str | None = Field(default=None, description="anchors: the method that chose the items.")
    error: Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="anchors: the mean absolute error that is expected."
    )
    models: Count | None = Field(default=None, description="anchors: models by whose outcomes the items were chosen.")
    otherwise: Rows[str] = Field(
        default=[], description="anchors: what differs from the way in which these models were asked."
    )
    beyond: bool | None = Field(
        default=None,
        description="anchors: the value is outside the scores of these models, where the error may be larger.",
    )

    @property
    def interval(self) -> tuple[float, float]:
        """(low, high); (0, 1) without an interval."""
        return 0.0 if self.low is None else self.low, 1.0 if self.high is None else self.high


class CellResult(CellFields):
    """The results of one model on one task and set, asked in one way."""

    items: Count = Field(
        description="Number of requests: as many as items, or several an item (perturb: circular; samples). The number of items "
        "is n of a metric."
    )
    missing: Count = Field(description="Requests not asked yet.")
    status: dict[StatusName, Count] = Field(description="Status -> number of the other requests.")
    metrics: dict[str, MetricValue] = Field(description="The first of the task's metrics is its headline.")
    shots_dropped: Count = Field(description="Examples left out for want of room in the model's context, in all.")
    errors: dict[str, Count] = Field(description="The most frequent errors of failed requests, and how often each.")
    records: str = Field(
        pattern=r"^records/[^/\\]+\.jsonl$", description="File of the cell's records (in a submission .gz may follow)."
    )
    facts: Facts
    tokens: TokenCounts | None = Field(
        default=None, description="Absent where nothing was written, or the backend counts no tokens."
    )
    estimate: Estimate | None = Field(
        default=None,
        description="Where only a part of the items was asked: every figure of the cell is an estimate, or of that part "
        "alone; low and high of the estimate's metric are those of its interval. Absent where all were asked.",
    )
    chance: Share | None = Field(
        default=None,
        description="Mean over items of 1 / number of options. Of choices of one option only, and not where an item is right "
        "only if all its rotations are.",
    )
    accuracy_of_parsed: Share | None = Field(
        default=None,
        description="Share of the readable replies that are right, each rotation and sample apart; choices only.",
    )

    def __repr__(self) -> str:
        """One line; its fields would fill a page."""
        metric, figure = TASKS[self.task].metrics[0], self.headline
        return f"CellResult({self.place.name}): {metric} {figure.value} of {figure.n} items"

    __str__ = __repr__

    @property
    def cell(self) -> types.Cell:
        """The cell that was asked."""
        return types.Cell(self.place, self.facts.written())

    @property
    def headline(self) -> MetricValue:
        """The figure of the task's first metric."""
        return self.figure(TASKS[self.task].metrics[0])

    def figure(self, metric: str) -> MetricValue:
        """The figure of a metric; NO_FIGURE if the cell lacks it. A cell without answers has those of `Task.metrics` only."""
        return self.metrics.get(metric, NO_FIGURE)

    @property
    def failed(self) -> int:
        """Requests that failed."""
        return self.status.get(Status.FAILED.value, 0)

    @property
    def is_complete(self) -> bool:
        """Whether every item was asked, and every request got a reply."""
        return not self.missing and not self.failed and not self.is_estimate

    @property
    def why_partial(self) -> str:
        """The reasons why the figures do not cover all items; "" if they do. A model's card leaves out such a cell."""
        facts = self.facts
        reasons = (
            (self.missing, f"{self.missing} of {self.items} requests not asked yet"),
            (self.failed, f"{self.failed} of {self.items} requests failed"),
            (facts.limit, f"only the first {facts.limit} items (--limit)"),
            (facts.skipped_lines, f"{facts.skipped_lines} broken lines of the data skipped"),
            (self.is_estimate, "an estimate"),
        )
        return "; ".join(reason for holds, reason in reasons if holds)

    @property
    def asked_items(self) -> tuple[Hashable, ...]:
        """The facts by which items are chosen: equal for two cells of one task, set and split that were asked the same items."""
        facts = self.facts
        picked = facts.items and facts.items.sha256
        return facts.data, facts.limit, picked, facts.seed, facts.drop_leaked, self.perturb, facts.perturb_version

    @property
    def is_estimate(self) -> bool:
        """Whether only a part of the items was asked."""
        return self.estimate is not None

    @property
    def is_subset(self) -> bool:
        """Whether only the items of a list were asked (`--items`), which say nothing of the others."""
        return self.estimate is not None and self.estimate.method == "subset"

    @property
    def is_baseline(self) -> bool:
        """Whether the cell's model is a baseline, by `types.is_baseline`."""
        return is_baseline(self.facts.backend, self.facts.tags)

    @property
    def is_adapter(self) -> bool:
        """Whether the model was trained by `evalsuite finetune`."""
        return self.facts.trained is not None
