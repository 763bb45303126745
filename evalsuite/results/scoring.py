"""Replies -> answers -> scores: for single items (records, live display), and for cells with intervals.

The kind of the task says how a reply is read and what it scores (benchmarks/kinds.py). Every number of a cell has a 95 %
interval, from resampled dialogues, and a signature.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from statistics import stdev
from typing import TYPE_CHECKING, Any

from evalsuite.benchmarks.registry import TASKS, benchmark_of, metric_named
from evalsuite.common.dialogue import sources
from evalsuite.common.grouping import by_key
from evalsuite.perturb import PERTURBATIONS, Perturbation
from evalsuite.results.schema.cell import MetricValue
from evalsuite.results.similarity import similarity_part
from evalsuite.results.votes import votes_part
from evalsuite.types import Answer, Answered, Item, Part, Reading, Response, Score, Status

if TYPE_CHECKING:
    from evalsuite.metrics.counts import Floats
    from evalsuite.metrics.semsim import Encoder

RESAMPLES = 1000

FULL = Reading()
NO_REPLY = Answer(Status.FAILED, rule="no reply")  # the answer of a failed request


def read_answer(item: Item, response: Response, reading: Reading = FULL, answer_after: str = "") -> Answer:
    """Read the answer to an item out of a reply, and, if it chooses options, the confidence that it states.

    answer_after: the words that announce the answer of a reply that reasons first (`Request.answer_after`). Then the text behind
    them is read alone: if it is no option, an option that the reasoning names is no answer either. A choice that nothing
    announces is read from the whole reply; a paper's own program always reads the whole reply.
    """
    answer = _answer(item, response, reading, answer_after)
    if not answer.chosen or response.likelihoods:
        return answer
    from evalsuite.parse import stated_confidence

    stated = stated_confidence(response.text, answer.start or 0, answer.end or 0)
    return answer if stated is None else replace(answer, confidence=stated)


def _answer(item: Item, response: Response, reading: Reading, answer_after: str) -> Answer:
    task, language = TASKS[item.task], benchmark_of(item.task).language
    choice, cut = task.kind.options, response.finish == "length"
    if not answer_after or response.error is not None or response.likelihoods or (choice and reading.parser == "paper"):
        return task.answer(item, response, reading, language)
    from evalsuite.parse import answer_part

    part = answer_part(response.text, answer_after, cut)
    text = response.text[part.start : part.end] if part else ""
    if not text.strip() and cut and not choice:
        return Answer(Status.TRUNCATED, rule="cut off in its reasoning", reasoned=len(response.text))
    if part is None or (choice and not part.stated):
        return task.answer(item, response, reading, language)
    finish = "stop" if cut and part.end < len(response.text) else response.finish
    answer = task.answer(item, replace(response, text=text, finish=finish), reading, language)
    position = answer.status is Status.UNPARSED and _is_position(text, item)
    if choice and (answer.status is Status.EMPTY or position):  # the whole reply may say which option is meant
        return task.answer(item, response, reading, language)
    start, end = (None if at is None else at + part.start for at in (answer.start, answer.end))
    return replace(answer, start=start, end=end, reasoned=part.start)


def _is_position(text: str, item: Item) -> bool:
    """Whether an answer is the number of an option, counted from 1, in place of its label: 答案：2 for (b)."""
    number = text.strip(" \n.。()（）*")
    return number.isdecimal() and 1 <= int(number) <= len(item.options)


def score_answer(item: Item, answer: Answer, response: Response | None = None) -> Score:
    """The metrics of a single item. A reply without an answer scores 0; a failed request has no score.

    Probes are scored by the likelihoods of `response`; other kinds do not need it.
    """
    if answer.status is Status.FAILED:
        return Score()
    return TASKS[item.task].kind.score(item, answer, response, benchmark_of(item.task).language)


def score_reply(
    item: Item, response: Response, reading: Reading = FULL, answer_after: str = ""
) -> tuple[Answer, Score]:
    """`read_answer`, then `score_answer`."""
    answer = read_answer(item, response, reading, answer_after)
    return answer, score_answer(item, answer, response)


@dataclass(frozen=True, slots=True)
class ScoredItems:
    """The answered items of a cell, N in number, and their metrics as sums over items, for resampling."""

    items: tuple[Item, ...]
    clusters: tuple[int, ...]  # (N,) number of the dialogue that each item comes from
    parts: tuple[Part, ...]  # a metric is in one part only
    # Metric -> standard deviation of its values between samples; None if only one sample was answered. Empty without samples.
    spread: Mapping[str, float | None] = field(default_factory=dict)

    def part(self, name: str) -> Part:
        """The part that has a metric, by its name in results.json. Raises StopIteration if there is none."""
        return next(part for part in self.parts if name in part.names)

    def value(self, name: str) -> float:
        """A metric over all items."""
        part = self.part(name)
        return float(part.sums.finish(part.sums.statistics.sum(axis=0))[part.names[name]])


def score_cell(
    items: Sequence[Item],
    responses: Sequence[Response],
    reading: Reading,
    answers: Sequence[Answer] | None = None,
    perturb: str = "none",
    facts: Mapping[str, object] | None = None,
    samples: Sequence[int] | None = None,
    variant: str = "",
    encoder: Encoder | None = None,
) -> ScoredItems:
    """Score the answered items of a cell; the caller leaves failed requests out.

    items, responses, answers: (N,). Answers are read by `reading` if not given.
    perturb: the perturbation; under some an item occurs several times, with its options in other orders.
    facts: the cell's facts, which a benchmark's own metrics may need.
    samples: (N,) index of each reply among the samples of its item; None if requests have one reply.
    variant: the name of the prompt template.
    encoder: for the similarity of short texts, which is left out without one.
    """
    if answers is None:
        answers = [read_answer(i, r, reading) for i, r in zip(items, responses, strict=True)]
    task = TASKS[items[0].task]
    language = benchmark_of(task.name).language
    answered = Answered(task, language, tuple(items), tuple(responses), tuple(answers), reading, facts or {}, variant)
    parts: Sequence[Part] = task.kind.parts(answered)
    if PERTURBATIONS[perturb].several:
        items, samples, parts = _fold_rotations(answered, PERTURBATIONS[perturb], samples or [0] * len(items), parts)
    elif task.own_part is not None:
        parts = (task.own_part(answered), *parts)
    if encoder is not None and task.kind.rated:
        parts = (*parts, similarity_part(answered, encoder))
    spread: dict[str, float | None] = {}
    if samples and any(samples):
        spread = {name: deviation for part in parts for name, deviation in _spread_of_samples(part, samples).items()}
        items, parts = _fold_samples(items, parts)
    return ScoredItems(tuple(items), tuple(sources([item.context for item in items])), tuple(parts), spread)


def _spread_of_samples(part: Part, samples: Sequence[int]) -> dict[str, float | None]:
    """Metric -> standard deviation between its value over the first samples of all items, over the second samples, …"""
    import numpy as np

    numbers = np.asarray(samples)
    each = [part.sums.finish(part.sums.statistics[numbers == n].sum(axis=0)) for n in sorted(set(samples))]
    if len(each) < 2:
        return dict.fromkeys(part.names)
    return {name: stdev(float(values[key]) for values in each) for name, key in part.names.items()}


@dataclass(frozen=True, slots=True)
class _SampleMeans:
    """An Additive with the mean row of each item's samples."""

    statistics: Any
    finish: Callable[[Any], dict[str, Floats]]


def _fold_samples(items: Sequence[Item], parts: Sequence[Part]) -> tuple[list[Item], list[Part]]:
    """Fold the answered samples of each item into one row: their mean. Items weigh the same, however many samples failed."""
    import numpy as np

    groups = by_key((item.id, n) for n, item in enumerate(items))

    def folded(rows: Any) -> Any:
        return np.stack([np.asarray(rows)[group].mean(axis=0) for group in groups.values()])

    return [items[group[0]] for group in groups.values()], [
        Part(
            part.name,
            _SampleMeans(folded(part.sums.statistics), part.sums.finish),
            part.names,
            part.signatures,
            {name: folded(values) for name, values in _item_values(part).items()},
            means=part.means,
        )
        for part in parts
    ]


def _fold_rotations(
    answered: Answered, change: Perturbation, samples: Sequence[int], parts: Sequence[Part]
) -> tuple[list[Item], list[int], list[Part]]:
    """Fold the rotations of each item and sample into one row: their minimum, so that an item is right if every rotation is.

    `rotation.<metric>` is the mean over rotations. Items with a failed rotation are left out.
    """
    from evalsuite.metrics.statistics import Means

    items = answered.items
    groups = by_key(((item.id, sample), n) for n, (item, sample) in enumerate(zip(items, samples, strict=True)))
    whole = [rows for rows in groups.values() if len(rows) == change.count(items[rows[0]])]
    folded = []
    for part in parts:
        columns = {name: values.tolist() for name, values in _item_values(part).items()}
        rows_of = {name: [min(values[n] for n in rows) for rows in whole] for name, values in columns.items()}
        signatures = {name: f"{part.signatures[name]}|all-rotations" for name in columns}
        names = {name: name for name in rows_of}
        folded.append(Part(part.name, Means.of(rows_of), names, signatures, means=part.means))
        means = {
            f"rotation.{name}": [math.fsum(values[n] for n in rows) / len(rows) for rows in whole]
            for name, values in columns.items()
        }
        signatures = {f"rotation.{name}": f"{part.signatures[name]}|mean-of-rotations" for name in columns}
        names = {name: name for name in means}
        averaged = frozenset(f"rotation.{name}" for name in part.means)
        folded.append(Part(part.name, Means.of(means), names, signatures, over_rotations=True, means=averaged))
    if change.votes:
        folded.append(votes_part(answered, whole))
    return [items[rows[0]] for rows in whole], [samples[rows[0]] for rows in whole], folded


def per_item(scored: ScoredItems) -> dict[str, list[float]]:
    """Metric -> (N,) values of the items. A corpus metric gives the value of each item alone, as sentence BLEU for BLEU."""
    columns: dict[str, list[float]] = {}
    for part in scored.parts:
        columns |= {name: [float(v) for v in values] for name, values in _item_values(part).items()}
    return columns


def _item_values(part: Part) -> dict[str, Floats]:
    """Metric -> (N,) values."""
    if part.of_items is not None:
        return {name: part.of_items[name] for name in part.names if name in part.of_items}
    rows = part.sums.finish(part.sums.statistics)
    return {name: rows[key] for name, key in part.names.items()}


def intervals(scored: ScoredItems, purpose: str, signed: str = "") -> dict[str, MetricValue]:
    """Metric -> its figure with a 95 % interval, from a cluster bootstrap over dialogues.

    With one dialogue there is no interval. With fewer than `RESAMPLED`, means have the interval of `few_dialogues`, and corpus
    metrics none. If all items are right, or all wrong, the interval is Wilson's with dialogues as units. `wilson`, of shares of
    right items, takes items as independent.

    purpose: the seed of the bootstrap. signed: the end of every signature.
    """
    from evalsuite.metrics.statistics import RESAMPLED, bootstrap, few_dialogues, wilson

    count, dialogues = len(scored.items), len(set(scored.clusters))
    figures: dict[str, MetricValue] = {}
    for part in scored.parts:
        drawn = bootstrap(part.sums, scored.clusters, Random(f"{purpose}:{part.name}"), RESAMPLES)
        of_items = _item_values(part) if 1 < dialogues < RESAMPLED else {}
        for name, key in part.names.items():
            interval, binomial, metric = drawn[key], None, metric_named(name)
            # Percentiles of few dialogues are too narrow, and with one dialogue every resample is identical.
            low, high = (interval.low, interval.high) if dialogues >= RESAMPLED else (None, None)
            if dialogues > 1 and metric.maximum == 1:
                if (metric.is_mean or name in part.means) and name in of_items:
                    few = few_dialogues(of_items[name], scored.clusters)
                    low, high = few.low, few.high
                elif interval.low == interval.high and interval.value in (0, 1):
                    # Resamples of items that are all right, or all wrong, are equal, but the interval's width is not 0.
                    few = wilson(interval.value * dialogues, dialogues)
                    low, high = few.low, few.high
            # Means of rotations and of samples are no counts.
            if metric.is_share and dialogues > 1 and name not in scored.spread and not part.over_rotations:
                share = wilson(round(interval.value * count), count)
                binomial = [share.low, share.high]
            figures[name] = MetricValue(
                value=interval.value,
                low=low,
                high=high,
                n=count,
                spread=scored.spread.get(name),
                signature=f"{part.signatures[name]}{signed}",
                wilson=binomial,
            )
    return figures
