"""results.json: every figure of a run, cell by cell, and the sections computed over several cells."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from evalsuite.results.schema.base import (
    Cell,
    Count,
    Hash,
    Interval,
    Number,
    Perturb,
    Place,
    Rows,
    Scoring,
    Set,
    Settings,
    Share,
    Split,
    Strict,
    Task,
)
from evalsuite.results.schema.breakdowns import Aspects, Breakdown, Confusion, MetricCorrelation
from evalsuite.results.schema.contamination import Tested
from evalsuite.results.schema.difficulty import Difficulty
from evalsuite.results.schema.judged import Judged
from evalsuite.results.schema.memory import Memory
from evalsuite.results.schema.second import Second


class Reading(Strict):
    """How replies were read."""

    parser: Literal["full", "strict", "paper"] = Field(description="For choices: the forms that count as an answer.")
    extract: bool = Field(description="For spans and texts: lead-ins, quotes and reasons were cut off.")


class Metric(Strict):
    """One figure of a cell. Shares and scores are in 0 … 1; CIDEr in 0 … 10; delta_nll in nats, which may be negative."""

    value: Number = Field(description="Null where no request was answered.")
    low: Number = Field(default=None, description="95 % interval, from dialogues resampled.")
    high: Number = Field(default=None, description="Its upper end.")
    n: Count = Field(description="Items that it is computed from; failed requests are left out.")
    spread: Number = Field(
        default=None,
        description="Standard deviation between the samples' values, where every prompt has several replies.",
    )
    signature: str = Field(description="Everything that it depends on, in sacreBLEU's style: key:value|…")
    wilson: Annotated[Rows[Share], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="Wilson's 95 % interval, for accuracies."
    )


class Trained(Strict):
    """The training of an adapter by `evalsuite finetune`."""

    # Later versions add figures of the training items.
    model_config = ConfigDict(extra="allow")

    base: str = Field(description="The model that the adapter was trained on.")
    task: str = Field(description="The task of the training items; + joins several.")
    groups: Rows[str] = Field(default=[], description="The only groups of items that it was trained on; empty: all.")
    size: Count = Field(description="Training items.")
    seed: int
    set: str = Field(description="One set, or both or all of them.")
    allow_leak: bool = Field(description="Dialogues of test items were among them.")
    labels: dict[str, Count] = Field(description="How often each option label was the answer; empty for texts.")


class Recorded(Strict):
    """Where recorded replies come from: nothing was asked in this run."""

    model: str = Field(description="As its publisher calls it.")
    revision: str | None = Field(description="Which of its files or commits.")
    date: str = Field(description="When most of the replies were recorded: YYYY-MM-DD.")
    versions: dict[str, str] = Field(description="Of engine and evalsuite at that time, by name.")


class Price(Strict):
    """Of a million tokens, in any one currency."""

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)]


class Chosen(Strict):
    """What a file of anchor items says of those of a cell (docs/anchors.md)."""

    weights: Rows[float] = Field(description="Of the items, in their order; they sum to 1.")
    method: str = Field(description="The method that chose them.")
    error: Annotated[float, Field(ge=0)] = Field(description="Mean absolute error on models left out.")
    half: Annotated[float, Field(ge=0)] = Field(description="Half width of a 95 % interval.")
    models: Count = Field(description="Models by whose outcomes they were chosen.")
    seen: Annotated[Rows[float], Field(min_length=2, max_length=2)] = Field(
        description="The lowest and the highest score of these."
    )


class Picked(Strict):
    """The items that a file names."""

    sha256: Hash = Field(description="Of the file.")
    of: Annotated[int, Field(ge=1)] = Field(description="Items that would be asked without it.")
    anchors: Chosen | None = Field(default=None, description="Absent for a list of ids.")
    otherwise: Rows[str] = Field(
        default=[], description="What differs from the way in which the models were asked that chose the items."
    )


class Until(Strict):
    """When the asking of a cell stops."""

    margin: Annotated[float, Field(gt=0, lt=0.5)] = Field(
        description="The half width of the interval that is waited for."
    )
    ranked: Literal[True] | None = Field(
        default=None, description="Of the interval of two models' difference, if they are not told apart before."
    )


class Facts(Strict):
    """The hashes and settings that a cell's figures depend on."""

    data: Hash = Field(description="Of the official file that the items come from.")
    template: Hash = Field(description="Of the prompt template.")
    fingerprint: str = Field(
        description="Of the model: weights, tokenizer, chat template, dtype, kind of device, adapter."
    )
    backend: str = Field(
        description="As models.yaml names it: baseline, scripted, hf, vllm, openai, or another package's."
    )
    chat: bool = Field(description="Asked through the model's chat template.")
    sampling: Settings = Field(description="The backend's sampling settings.")
    samples: Annotated[int, Field(ge=2)] | None = Field(
        default=None, description="Replies to each prompt; absent if there is one."
    )
    seed: int = Field(description="For drawing shots and perturbing.")
    limit: Annotated[int, Field(ge=1)] | None = Field(description="Only the first so many items of the file.")
    items: Picked | None = Field(default=None, description="Only the items of a file (--items); absent without one.")
    skipped_lines: Count = Field(description="Broken lines of the file, left out.")
    leaked: Count | None = Field(
        description="Items asked for whose dialogue the training split has, too; null: no such split there."
    )
    drop_leaked: bool = Field(description="Those were left out.")
    tags: Rows[str] = Field(description="The model's, from its models.yaml.")
    answered: Count | None = Field(
        default=None, description="GLUCOSE: rows of the file that have an answer to the task."
    )
    escaped: Count | None = Field(default=None, description="GLUCOSE: rows that say there is none.")
    perturb_version: Literal[2] | None = Field(
        default=None, description="Of the perturbation, where it is not the first: with 2, `shuffle` may keep an order."
    )
    parameters: Count | None = Field(
        default=None, description="Of the model's checkpoint; absent where they are not known."
    )
    recorded: Recorded | None = Field(default=None, description="Absent where the model itself was asked.")
    trained: Trained | None = None
    until: Until | None = None
    price: Price | None = Field(
        default=None,
        description="Of the model's models.yaml, less the discount of a batch API; absent if there is none.",
    )


class Tokens(Strict):
    """The tokens of a cell's replies: every sample and rotation is one, failed requests are none."""

    replies: Annotated[int, Field(ge=1)] = Field(description="Replies whose tokens were counted.")
    mean: Annotated[float, Field(ge=0)] = Field(description="Generated tokens of a reply, thinking included.")
    median: Annotated[float, Field(ge=0)]
    p90: Annotated[float, Field(ge=0)] = Field(description="90th percentile, interpolated linearly.")
    total: Count = Field(description="Generated tokens of all of them.")
    thinking: Share = Field(description="Share of the total that is a reasoning model's own thinking.")
    by_characters: Count = Field(
        description="Replies whose thinking nobody counted: their tokens are split by the characters of thought and answer."
    )
    prompt: Annotated[float, Field(ge=0)] = Field(description="Mean tokens of a prompt.")
    cost: Annotated[float, Field(ge=0)] | None = Field(
        default=None, description="Of all of them at the model's prices; absent without prices."
    )


class Estimate(Strict):
    """What the items that were asked say of all of them. Which keys are there depends on the method."""

    method: Literal["confidence sequence", "anchors", "subset"] = Field(
        description="The asking stopped early (--until), or a file named the items (--items): anchor items with weights, or a list, "
        "which says nothing of the other items."
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
    high: Share | None = Field(default=None, description="Its upper end.")
    level: float | None = Field(default=None, description="Of the confidence sequence.")
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


class CellResult(Cell):
    """The results of one model on one task and set, asked in one way."""

    items: Count = Field(description="Requests: as many as items, or several an item (perturb: circular; samples).")
    missing: Count = Field(description="Requests not asked yet.")
    status: dict[
        Literal["parsed", "unparsed", "refused", "truncated", "several", "conflict", "empty", "filtered", "failed"],
        Count,
    ] = Field(description="The statuses of the others.")
    metrics: dict[str, Metric] = Field(description="The first of the task's metrics is its headline.")
    shots_dropped: Count = Field(description="Examples left out for want of room in the model's context, in all.")
    errors: dict[str, Count] = Field(description="The most frequent errors of failed requests, and how often each.")
    records: str = Field(
        pattern=r"^records/[^/\\]+\.jsonl$", description="Its evidence (in a submission .gz may follow)."
    )
    facts: Facts
    tokens: Tokens | None = Field(
        default=None, description="Absent where nothing was written, or the backend counts no tokens."
    )
    estimate: Estimate | None = Field(
        default=None,
        description="Where only a part of the items was asked: every figure of the cell is an estimate, or of that part alone; low "
        "and high of the estimate's metric are those of its interval. Absent where all were asked.",
    )
    chance: Share | None = Field(default=None, description="Accuracy of guessing; choices only.")
    accuracy_of_parsed: Share | None = Field(default=None, description="Accuracy over readable replies; choices only.")


class RankedPair(Strict):
    """Two models on the items that both were asked."""

    a: str
    b: str
    asked: Annotated[int, Field(ge=1)] = Field(description="Items that both were asked, in their random order.")
    of: Count
    difference: float = Field(description="a less b on these items.")
    low: float = Field(description="Of the difference over all items: the confidence sequence.")
    high: float
    verdict: Literal["a", "b", "alike", "open"] = Field(description="The better one; alike: surely within the margin.")


class Ranked(Place):
    """Models that were asked until they are told apart."""

    metric: str
    margin: Annotated[float, Field(gt=0, lt=0.5)]
    level: Share = Field(description="Of each interval: 95 % over all pairs, by Bonferroni.")
    pairs: Annotated[Rows[RankedPair], Field(min_length=1)]


_LEAST_P_HOLM = "The smallest p_holm that the family's dialogues can give: at 0.05 or more, too few to tell."
_FAMILY = "Number of tests that p_holm is corrected over."


class Drop(Cell):
    """A perturbed cell compared with its unperturbed one, over the items answered in both."""

    metric: str
    items: Count
    dialogues: Count
    base: Number = Field(description="The metric without perturbation.")
    value: Number
    drop: Number = Field(description="value less base: negative where it got worse.")
    low: Number
    high: Number
    test: str = Field(description="Where p comes from.")
    p: Share | None
    differ: Count | None = Field(
        default=None, description="Dialogues whose scores differ: with fewer than 6, p cannot be below 0.05."
    )
    least_p: Share | None = Field(default=None, description="The smallest p that so few dialogues can give.")
    p_holm: Share | None = Field(description="p, corrected by Holm over the model's rows.")
    least_p_holm: Share | None = Field(default=None, description=_LEAST_P_HOLM)
    family: Count | None = Field(default=None, description=_FAMILY)
    flip_rate: Share
    right_to_wrong: Count
    wrong_to_right: Count
    same_choice: Share | None = Field(default=None, description="How often the same option was chosen.")
    parsed_in_both: Count | None = None
    consistency: Share | None = Field(default=None, description="How often all rotations got the same option.")


class Positions(Cell):
    """Counts by option position: gold, right choices, all choices."""

    labels: Rows[str]
    gold: Rows[Count]
    right: Rows[Count]
    chosen: Rows[Count]
    silent: Count = Field(description="Answered without choosing.")
    bias: Share | None = Field(description="Total variation distance between chosen and gold places.")


class Wording(Strict):
    """One task in several wordings."""

    model: str
    task: Task
    set: Set
    split: Split
    shots: Count
    scoring: Scoring
    perturb: Perturb
    metric: str
    values: dict[str, float] = Field(description="By the template's name.")
    mean: float
    spread: float = Field(description="Best less worst.")
    worst: str


class ShotValues(Strict):
    """One task with several numbers of shots."""

    model: str
    task: Task
    set: Set
    split: Split
    variant: str
    scoring: Scoring
    perturb: Perturb
    metric: str
    values: dict[str, float] = Field(description="By the number of shots.")


class Robustness(Strict):
    """Drops under perturbation, choices by option position, wordings, shots (docs/robustness.md)."""

    drops: Rows[Drop]
    positions: Rows[Positions]
    wordings: Rows[Wording]
    shots: Rows[ShotValues]


class Average(Interval):
    """A metric's mean over sets; `sd` is between them. The interval takes sets as independent, and as wide as each one's own:
    with sets of few items (docs/glucose.md) that of BLEU is too narrow, that of F1 too wide."""

    sd: Number = Field(description="Sample standard deviation.")


class Mean(Strict):
    """A task's mean over the sets of a benchmark that is averaged: folds, dimensions. Every set weighs the same."""

    model: str = Field(min_length=1)
    task: Task
    split: Split
    variant: str
    shots: Count
    scoring: Scoring
    perturb: Perturb
    sets: Annotated[Rows[Set], Field(min_length=2)]
    items: Count = Field(description="Of all sets.")
    estimates: Annotated[int, Field(ge=1)] | None = Field(
        default=None,
        description="Sets whose asking stopped early: then the mean has no interval. Absent if there are none.",
    )
    metrics: dict[str, Average] = Field(description="Those that every set has.")


class Extraction(Cell):
    """What extraction adds to the scores of a cell of spans or texts."""

    items: Count = Field(description="Answered items.")
    cut: Share = Field(description="Replies from which an answer was read that is not the whole reply.")
    f1: Share = Field(description="F1 of the answers.")
    f1_reply: Share = Field(description="The same measure on the whole replies, less special tokens and thinking.")
    em: Share
    em_reply: Share
    gain: Number = Field(description="f1 less f1_reply.")
    low: Number = Field(description="95 % interval, from dialogues resampled; null where no item differs.")
    high: Number


class Gap(Strict):
    """The scores of a model on two sets of a task that differ in difficulty."""

    model: str = Field(min_length=1)
    task: Task
    split: Split
    variant: str
    shots: Count
    scoring: Scoring
    perturb: Perturb
    metric: str
    sets: Annotated[Rows[Set], Field(min_length=2, max_length=2)] = Field(description="The easier one first.")
    values: Annotated[Rows[Number], Field(min_length=2, max_length=2)]
    items: Annotated[Rows[Count], Field(min_length=2, max_length=2)]
    dialogues: Annotated[Rows[Count], Field(min_length=2, max_length=2)]
    gap: Number = Field(description="The first value less the second.")
    low: Number
    high: Number
    p: Share = Field(
        description="Of an unpaired permutation of dialogues between the sets: exact for few dialogues, else of random permutations, as many as the family needs."
    )
    least_p: Share = Field(description="The smallest p that so few dialogues can give.")
    p_holm: Share = Field(description="p, corrected by Holm over the model's tasks asked in one way.")
    least_p_holm: Share | None = Field(default=None, description=_LEAST_P_HOLM)
    family: Count | None = Field(default=None, description=_FAMILY)


class Chance(Cell):
    """Whether a model's choices are more often right than its own choices in a random order (docs/numbers.md, Chance)."""

    items: Annotated[int, Field(ge=1)]
    dialogues: Annotated[int, Field(ge=1)]
    accuracy: Share
    chance: Share = Field(description="Of uniform guesses.")
    constant: Share = Field(description="Of the best answer that is the same for all items.")
    label: str = Field(description="That answer.")
    shuffled: Share = Field(
        description="Of the model's own choices in a random order, among items with equally many options."
    )
    p: Share = Field(description="One-sided, of shuffled choices; not corrected.")


class Before(Interval):
    """The base model's figure."""

    items: Count


class Seed(Interval):
    """One adapter."""

    seed: int
    model: str


class LabelCheck(Strict):
    """Counts by option position: answers in training, choices of the adapter, gold."""

    labels: Rows[str]
    trained: Rows[Count]
    chosen: Rows[Count]
    gold: Rows[Count]
    silent: Count
    distance: Share | None = Field(description="Total variation distance between chosen and training.")
    bias: Share | None = Field(description="Total variation distance between chosen and gold.")
    most: Count = Field(description="The position of the most frequent label in training.")
    share: Share | None = Field(description="Share of the choices at that position.")
    gold_share: Share | None


class Point(Interval):
    """The adapters of one size."""

    size: Count = Field(description="Training items.")
    interval: Literal["seeds", "items"] = Field(description="Lowest and highest seed, or the cell's own interval.")
    items: Count = Field(description="Test items.")
    seeds: Rows[Seed]
    labels: LabelCheck | None


class Curve(Place):
    """A learning curve: one base model, one pool of training items, one place."""

    base: str
    trained_on: str
    allow_leak: bool | None
    metric: str
    before: Before | None
    chance: Share | None
    points: Rows[Point]


class GroupPart(Strict):
    """The headline metric of a task on one set."""

    task: Task
    set: Set
    shots: Count
    scoring: Scoring
    metric: str
    value: Number = Field(description="In 0 … 1: of its metric's highest value. So are low and high.")
    low: Number
    high: Number
    items: Count
    lost: Count = Field(description="Requests that failed or were not asked yet, left out.")
    estimated: Literal[True] | None = Field(default=None, description="The asking stopped early; absent otherwise.")
    chance: Share | None = Field(description="Of guessing; null where it has no level.")


class GroupChangePart(Strict):
    """The change of a task's metric on one set."""

    task: Task
    set: Set
    shots: Count
    scoring: Scoring
    metric: str
    value: Number = Field(description="Negative where it got worse.")
    low: Number
    high: Number
    items: Count


class GroupScore(Interval):
    """A mean over parts: of a benchmark, or of what measures an ability."""

    kind: Literal["benchmark", "ability"]
    name: str
    items: Count
    missing: Rows[str] = Field(description="Parts that the model has no figure of: then it has no mean.")
    chance: Share | None


class GroupChange(Interval):
    """The mean change of a benchmark's parts under a perturbation."""

    perturb: Perturb
    benchmark: str
    items: Count
    missing: Rows[str]
    parts: Rows[GroupChangePart]


class GroupRow(Strict):
    """A model asked in one way. Tasks that know no such scoring or shots stand as they can be asked."""

    model: str = Field(min_length=1)
    split: Split
    variant: str
    shots: Count
    scoring: Scoring
    perturb: Perturb
    parts: Rows[GroupPart]
    scores: Rows[GroupScore] = Field(description="One a column.")
    changes: Rows[GroupChange]


class GroupColumn(Strict):
    """A benchmark or an ability, and the parts of its mean."""

    kind: Literal["benchmark", "ability"]
    name: str
    zh: str
    en: str
    parts: Rows[str] = Field(description="task/set: those that some model has a figure of.")
    absent: Rows[str] = Field(description="Tasks, or task/set, that none has a figure of.")


class BenchmarkGroup(Strict):
    """One row a model over the benchmarks of a group: means, each with its parts (docs/benchmarks.md, Groups)."""

    name: str
    zh: str
    en: str
    split: Split
    columns: Rows[GroupColumn]
    left_out: Rows[Task] = Field(description="Their headline metric is no score between 0 and a highest value.")
    rows: Rows[GroupRow]


class Results(Strict):
    """results.json: all figures of a run. It holds no time and no path: the same settings give the same bytes."""

    format: Literal[1]
    evalsuite: str = Field(description="The version that wrote it.")
    reading: Reading
    cells: Rows[CellResult]
    robustness: Robustness
    means: Rows[Mean]
    extraction: Rows[Extraction] = Field(default_factory=list, description="Absent in older runs.")
    gaps: Rows[Gap] = Field(default_factory=list, description="Absent in older runs.")
    chance: Rows[Chance] = Field(default_factory=list, description="Absent in older runs.")
    learning: Rows[Curve]
    breakdowns: Rows[Breakdown]
    aspects: Rows[Aspects] = Field(default_factory=list, description="Accuracy by group over the tasks of a benchmark.")
    ranked: Rows[Ranked] = Field(default_factory=list, description="Only with --until-ranked.")
    difficulty: Rows[Difficulty] = Field(default_factory=list, description="Absent in older runs.")
    confusions: Rows[Confusion]
    metric_correlations: Rows[MetricCorrelation]
    groups: Rows[BenchmarkGroup] = Field(default_factory=list, description="Absent in older runs.")
    judged: Judged | None = None
    second: Second | None = None
    memory: Memory | None = None
    contamination: Rows[Tested] = Field(default_factory=list, description="Absent where no model was tested for it.")
