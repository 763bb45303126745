"""Statistics over marks: how many outputs are correct (the paper's Table 4), and how well the parser reads.

Two kinds of figures are reported: counts in the sample, as in the paper, and weighted estimates for the whole run. The
sample over-represents rare outcomes, so only the estimates describe the run.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, median

from evalsuite.benchmarks.kinds import KINDS
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.grouping import by_key
from evalsuite.metrics.statistics import Interval, wilson
from evalsuite.review.audit.marks import Mark, MarkedAnswer
from evalsuite.review.audit.outputs import Output
from evalsuite.review.audit.rubrics import rubric_named
from evalsuite.review.audit.sample import RunTotals, Sample
from evalsuite.types import Kind

_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Consensus:
    """The annotators' consensus on one output. On answers it is the majority vote, where the first vote wins a tie; on scores
    the median, or with a unanimous rubric the lowest score."""

    output: Output
    stratum: str
    size: int  # outputs of the stratum in the run
    weight: float  # the number of the run's outputs that this one represents
    right: bool
    said: MarkedAnswer | None
    scores: Mapping[str, float]


def consensus(sample: Sample, marks: Sequence[Mark]) -> tuple[Consensus, ...]:
    """The consensus on each marked output. Weights count marked outputs only, so a half-marked sample still sums up."""
    by_output = by_key((mark.output, mark) for mark in marks)
    marked = [d for d in sample.drawn if d.output.id in by_output]
    counts = Counter((d.output.model, d.stratum) for d in marked)
    rubric = rubric_named(sample.rubric)
    middle = min if rubric.unanimous else median
    rows = []
    for d in marked:
        output_marks = by_output[d.output.id]
        votes = Counter((m.right, m.said) for m in output_marks)
        right, option = max(votes, key=votes.__getitem__)  # the first of equals
        names = dict.fromkeys(name for m in output_marks for name in m.scores)
        scores = {name: float(middle(m.scores[name] for m in output_marks if name in m.scores)) for name in names}
        if rubric.unanimous and len(scores) == len(rubric.scales):
            scores["valid"] = min(scores.values())
        weight = d.size / counts[d.output.model, d.stratum]
        rows.append(Consensus(d.output, d.stratum, d.size, weight, right, option, scores))
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class Correct:
    """A row of Table 4 for one model and kind of task: counts in the sample, and for the run."""

    model: str
    kind: str
    n: int
    raw: int  # correct without parsing
    filtered: int  # correct once parsed
    actual: int  # correct by the annotators' consensus
    whole: RunTotals
    estimate: Interval  # share of actually correct outputs in the run
    covered: float  # share of the run's outputs that are in strata with marks


def correct_rows(sample: Sample, consensuses: Sequence[Consensus]) -> tuple[Correct, ...]:
    rows, order = [], list(KINDS)
    for whole in sorted(sample.whole, key=lambda w: order.index(w.kind)):
        group = [v for v in consensuses if (v.output.model, v.output.kind.name) == (whole.model, whole.kind)]
        if not group:
            continue
        counts = (
            sum(v.output.raw_right for v in group),
            sum(v.output.right for v in group),
            sum(v.right for v in group),
        )
        covered = sum({v.stratum: v.size for v in group}.values()) / whole.outputs
        rows.append(Correct(whole.model, whole.kind, len(group), *counts, whole, correct_share(group), covered))
    return tuple(rows)


def correct_share(consensuses: Sequence[Consensus]) -> Interval:
    """Estimate the share of right outputs in the run from a stratified sample.

    The interval is the normal approximation for a stratified mean with finite population correction. Strata are too
    small for their own variance (two of two right would give zero), so the variance is pooled over two classes, outputs
    that the suite counts as right and the rest, with half a right and half a wrong output added to each class.
    """
    total = math.fsum(v.weight for v in consensuses)
    value = math.fsum(v.weight for v in consensuses if v.right) / total
    spread = {}
    for auto in (True, False):
        group = [v for v in consensuses if v.output.right == auto]
        n, weights = len(group), math.fsum(v.weight for v in group)
        hits = n * math.fsum(v.weight for v in group if v.right) / weights if group else 0.0
        p = (hits + 0.5) / (n + 1)
        spread[auto] = p * (1 - p)
    variance = 0.0
    for stratum in dict.fromkeys(v.stratum for v in consensuses):
        group = [v for v in consensuses if v.stratum == stratum]
        n, size = len(group), group[0].size
        # A coarse stratum may hold both classes.
        inner = sum(spread[v.output.right] for v in group) / n
        variance += (size / total) ** 2 * (1 - n / size) * inner / n
    half = _Z * math.sqrt(variance)
    return Interval(value, max(0.0, value - half), min(1.0, value + half))


@dataclass(frozen=True, slots=True)
class Ratio:
    """A weighted share of `n` outputs, with Wilson's interval at the effective sample size."""

    hits: int
    n: int
    interval: Interval | None  # None if n is 0


@dataclass(frozen=True, slots=True)
class ParserRow:
    """Precision and recall of the parser, for one model and task ("" for all tasks of a kind).

    `option`: precision is the share of parsed options that the reply really names; recall is the share of replies naming
    an option whose option was parsed (for multi-answer choices, the whole set). `right`: the same for outputs counted as
    right; spans and texts count by exact match.
    """

    model: str
    kind: str
    task: str
    n: int
    option: tuple[Ratio, Ratio] | None
    right: tuple[Ratio, Ratio]


def parser_rows(consensuses: Sequence[Consensus]) -> tuple[ParserRow, ...]:
    rows = []
    for model in dict.fromkeys(v.output.model for v in consensuses):
        for kind in KINDS.values():
            group = [v for v in consensuses if (v.output.model, v.output.kind) == (model, kind)]
            names = [name for name in TASKS if any(v.output.task == name for v in group)]
            rows += [_parser_row(model, kind, name, [v for v in group if v.output.task == name]) for name in names]
            if len(names) > 1:
                rows.append(_parser_row(model, kind, "", group))
    return tuple(rows)


def _parser_row(model: str, kind: Kind, task: str, group: Sequence[Consensus]) -> ParserRow:
    option = None
    if kind.options:
        option = (
            weighted_ratio([(v, v.output.read == v.said) for v in group if v.output.read is not None]),
            weighted_ratio([(v, v.output.read == v.said) for v in group if isinstance(v.said, (int, tuple))]),
        )
    right = (
        weighted_ratio([(v, v.right) for v in group if v.output.right]),
        weighted_ratio([(v, v.output.right) for v in group if v.right]),
    )
    return ParserRow(model, kind.name, task, len(group), option, right)


def weighted_ratio(outputs: Sequence[tuple[Consensus, bool]]) -> Ratio:
    hits = sum(hit for _, hit in outputs)
    if not outputs:
        return Ratio(0, 0, None)
    total = math.fsum(v.weight for v, _ in outputs)
    size = total**2 / math.fsum(v.weight**2 for v, _ in outputs)  # Kish's effective size
    share = min(1.0, math.fsum(v.weight for v, hit in outputs if hit) / total)
    return Ratio(hits, len(outputs), wilson(share * size, size))


# A person's reading: the parser's option, another option, or a NO_OPTION value.
HUMAN = "same", "other", "none", "several", "refused"


def confusion(consensuses: Sequence[Consensus]) -> dict[str, dict[str, int]]:
    """Choice questions: parser status -> human reading (HUMAN) -> outputs of the sample."""
    table: dict[str, Counter[str]] = {}
    for v in consensuses:
        if not v.output.labels:
            continue
        human = v.said if isinstance(v.said, str) else "same" if v.said == v.output.read else "other"
        table.setdefault(v.output.status, Counter())[human] += 1
    return {status: {name: counts[name] for name in HUMAN if counts[name]} for status, counts in table.items()}


@dataclass(frozen=True, slots=True)
class HumanScores:
    """Human scores on one scale of the rubric, for one model and task ("" for all)."""

    model: str
    task: str
    scale: str
    n: int
    mean: Interval  # estimate for the run
    histogram: dict[int, int]  # counts in the sample, medians rounded half up


def score_rows(sample: Sample, consensuses: Sequence[Consensus]) -> tuple[HumanScores, ...]:
    rows = []
    for model in dict.fromkeys(v.output.model for v in consensuses):
        for scale in rubric_named(sample.rubric).reported:
            scored = [v for v in consensuses if v.output.model == model and scale.name in v.scores]
            names = [name for name in TASKS if any(v.output.task == name for v in scored)]
            for name in [*names, ""] if len(names) > 1 else names:
                group = [v for v in scored if name in ("", v.output.task)]
                values = [(v.scores[scale.name], v.weight) for v in group]
                counts = Counter(math.floor(value + 0.5) for value, _ in values)
                histogram = {i: counts[i] for i in range(scale.low, scale.high + 1)}
                rows.append(
                    HumanScores(model, name, scale.name, len(group), _mean(values, scale.low, scale.high), histogram)
                )
    return tuple(rows)


def _mean(values: Sequence[tuple[float, float]], low: float, high: float) -> Interval:
    """Weighted mean with a normal interval at the effective sample size, clipped to the scale."""
    total = math.fsum(w for _, w in values)
    mean = math.fsum(v * w for v, w in values) / total
    size = total**2 / math.fsum(w * w for _, w in values)
    if size <= 1:
        return Interval(mean, low, high)
    variance = math.fsum(w * (v - mean) ** 2 for v, w in values) / total * size / (size - 1)
    half = _Z * math.sqrt(variance / size)
    return Interval(mean, max(low, mean - half), min(high, mean + half))
