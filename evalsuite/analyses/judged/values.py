"""The values of judges' scores: the key "judged" of results.json, and the lines of judged/*.jsonl (docs/judge.md)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evalsuite.analyses.judged.scale import JudgeScale, JudgeStatus
from evalsuite.analyses.stored_reply import StoredReply
from evalsuite.results.schema.base import (
    CellFields,
    Count,
    Hash,
    IntervalFields,
    ItemText,
    Located,
    Name,
    Number,
    Perturb,
    PlainName,
    Rows,
    Scoring,
    SettingsFields,
    Share,
    SharedPlaceFields,
    ShotCount,
    Split,
    Strict,
    Variant,
)

_ScaleEnd = Annotated[int, Field(ge=-1000, le=1000)]
ScaleColumns = Annotated[
    tuple[str, _ScaleEnd, _ScaleEnd, str],
    Field(strict=False, description="Name, lowest and highest score, name in Chinese."),
]
_Tenths = Annotated[str, Field(pattern=r"^\d+( \d+){9}$", description="Ten counts: 0 … 0.1, 0.1 … 0.2, …")]
_CONTROL = r"^(plain|blind|attack|repeat/[2-9]\d*|repeat/1\d+)$"


class JudgingFields(CellFields):
    """One judge on one cell under one control."""

    judge: Name
    rubric: PlainName
    control: str = Field(pattern=_CONTROL, description="plain, blind (without the gold answer), repeat/N, attack.")


class Correlations(Strict):
    """Correlation coefficients; null for fewer than three pairs, or if a side is constant."""

    pearson: Number
    spearman: Number
    kendall: Number


class PerItem(Correlations):
    """Correlations over items, with the 95 % interval of Spearman's ρ (sample size: dialogues); null if undefined."""

    spearman_low: Number
    spearman_high: Number


class Length(Strict):
    """Spearman's ρ of score with length, and the partial ρ with the candidates' F1 held fixed."""

    spearman: Number
    partial: Number


class ScaleSummary(IntervalFields):
    """One scale on one cell, in the scale's own unit."""

    n: Count
    histogram: dict[str, Count] = Field(description="How often each score was given.")
    length: Length | None = None
    metrics: dict[str, PerItem] | None = Field(
        default=None, description="Correlation with every automatic metric, item by item."
    )
    joint: dict[str, dict[str, _Tenths]] | None = Field(
        default=None, description="Metric -> score -> number of items in each tenth of the metric's range."
    )


class JudgingFacts(Strict):
    """The hashes and settings that a judging's figures depend on."""

    template: Hash
    scales: Rows[ScaleColumns]
    words: dict[str, dict[str, int]] | None = Field(
        default=None, description="Scale -> the words that judges write for its scores."
    )
    reminder: str = Field(description="The text added to the prompt when a judge is asked again.")
    attempts: Count
    limit: Annotated[int, Field(ge=1)] | None
    seed: int
    fingerprint: str
    backend: str
    chat: bool
    sampling: SettingsFields
    max_new_tokens: Count = Field(description="The longest reply, in tokens.")
    repeats_by: Literal["sampling", "wording"]
    family: str
    of_family: str

    @property
    def rubric_scales(self) -> list[JudgeScale]:
        """The scales of the rubric, with the words that judges write for their scores."""
        words = self.words or {}
        return [JudgeScale(*row, words=words.get(row[0], {})) for row in self.scales]


class JudgedCell(JudgingFields):
    """The scores of one judge on one cell."""

    items: Count
    status: dict[JudgeStatus, Count]
    asked_again: Count = Field(description="Candidates for which the judge was asked more than once.")
    errors: dict[str, Count]
    scales: dict[str, ScaleSummary] | None = Field(
        default=None, description="Figures of scales by name; none under attack."
    )
    signature: str
    records: str = Field(pattern=r"^judged/[^/\\]+\.jsonl$")
    facts: JudgingFacts


class ScaleFields(Strict):
    """A figure of one judge by one rubric on one scale."""

    judge: str
    rubric: str
    scale: str


class OverModels(ScaleFields, SharedPlaceFields):
    """Correlations over models of a judge's mean scores with the metrics."""

    models: Count
    metrics: dict[str, Correlations]


class OverSystems(Located, ScaleFields):
    """Correlations of a judge with metrics over the short texts of a benchmark; a point is a model on a task and set."""

    benchmark: str
    split: Split
    variant: Variant
    shots: ShotCount
    scoring: Scoring
    perturb: Perturb
    models: Count
    points: Count
    metrics: dict[str, Correlations]


class GoldAndFar(ScaleFields):
    """Mean scores of gold answers, and of replies that share no character with them."""

    n: Count
    most: int
    share: Share
    n_gold: Count
    gold: Number
    n_far: Count
    far: Number


class ScoringAgreement(Strict):
    """The agreement of several scorings of the same items."""

    kappa: Number = Field(description="Cohen's kappa, with quadratic weights.")
    within_1: Share
    same: Share
    spread: float = Field(description="Standard deviation within an item, in the scale's unit.")
    range: float


class Repeat(ScaleFields, ScoringAgreement):
    """A judge's own scores of the same candidates."""

    by: Literal["sampling", "wording"]
    repeats: Count
    n: Count
    means: Rows[float]


class ScoringPair(Strict):
    """The agreement of two scorings of the same items."""

    kappa: Number
    same: Share
    within_1: Share
    difference: float = Field(description="The second less the first, in the scale's unit.")
    spearman: Number


class Blind(ScaleFields, ScoringPair):
    """The agreement of a judge's scores with and without the gold answer."""

    n: Count
    mean: float
    blind: float
    low: Number
    high: Number


class PanelPair(ScoringPair):
    """The agreement of two judges."""

    judges: Rows[str]
    n: Count


class MedianCell(CellFields, IntervalFields):
    """The median judge's mean on a cell."""

    n: Count


class Panel(Strict):
    """Several judges with one rubric. The figures of agreement stand here if the judges share any item."""

    rubric: str
    scale: str
    judges: Rows[str]
    n: Count
    kappa: Number = None
    within_1: Share | None = None
    same: Share | None = None
    spread: Number = None
    range: Number = None
    pairs: Rows[PanelPair]
    cells: Rows[MedianCell]


class LengthBias(ScaleFields, Length):
    """Whether longer candidates score higher, over all cells."""

    n: Count
    cells: Count


class Family(ScaleFields):
    """Whether a judge prefers models of its own family, compared with judges of other families."""

    family: str
    own_models: Rows[str]
    peers: Rows[str]
    n_own: Count
    n_other: Count
    own: Number
    other: Number
    peers_own: Number
    peers_other: Number
    preference: Number


class Raised(Strict):
    """The effect of attacks of one kind."""

    n: Count
    raised: Count


class AttackEffect(ScaleFields):
    """The effect of injected instructions on scores."""

    attacks: Count
    asked: Count
    invalid: Count
    compared: Count
    n: Count
    raised: Count
    to_most: Count
    lowered: Count
    raised_without: Share | None
    change: Number
    by_kind: dict[str, Raised]
    fell_for: Rows[str]


class Controls(Strict):
    """Controls of the judges, which show how far their scores can be trusted."""

    anchors: Rows[GoldAndFar]
    repeats: Rows[Repeat]
    blind: Rows[Blind]
    panel: Rows[Panel]
    length: Rows[LengthBias]
    families: Rows[Family]
    attacks: Rows[AttackEffect]


class Judged(Strict):
    """Judges' scores of the run's generations, and the controls of the judges."""

    cells: Rows[JudgedCell]
    models: Rows[OverModels]
    systems: Rows[OverSystems] = Field(default_factory=list)
    controls: Controls


class _Added(Strict):
    added: str = Field(description="The text added after the prompt.")


class JudgeAttempt(StoredReply, _Added):  # the fields of the last base come first
    """One reply of a judge."""


class RecordedSettings(Strict):
    """The settings of the judge."""

    fingerprint: str
    sampling: SettingsFields
    max_new_tokens: Count
    attempts: Count


class JudgedRecord(JudgingFields):
    """A line of judged/*.jsonl: one candidate, the judge's prompt and replies, and the verdict."""

    item: str
    rotation: Count
    candidate_key: Hash = Field(description="The key of the candidate's own record.")
    candidate: Annotated[str, Field(max_length=2_000_000)]
    attack: str | None
    question: ItemText
    references: Annotated[Rows[Annotated[str, Field(max_length=2_000)]], Field(max_length=100)]
    template: Hash
    settings: RecordedSettings
    prompt: str
    attempts: Annotated[Rows[JudgeAttempt], Field(max_length=100)]
    status: JudgeStatus
    scores: dict[str, int]
    rule: str
    reasons: str
    start: Count | None
    end: Count | None
