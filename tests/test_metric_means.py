"""A metric's row says whether a cell's value is the mean of its items' values, and the interval follows the row."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import pytest

from evalsuite.benchmarks.registry import TASKS, Corpora, benchmark_of, metric_named
from evalsuite.common.resources import bundled
from evalsuite.metrics.rows import TEXT_METRICS
from evalsuite.metrics.statistics import bootstrap
from evalsuite.results.scoring import FULL, RESAMPLES, intervals, per_item, score_cell
from evalsuite.types import Item, Response

CORPORA = Corpora(bundled("sample"))


def sets_of(task: str) -> list[str]:
    """The sets of the sample that have the task."""
    corpus = CORPORA.of(TASKS[task])
    return [s for s in benchmark_of(task).sets if corpus.has(TASKS[task], s, "test")]


ASKED = [name for name, task in TASKS.items() if task.kind.written and sets_of(name)]


def items_of(task: str) -> list[Item]:
    """The first items of the first set."""
    return list(CORPORA.of(TASKS[task]).file(TASKS[task], sets_of(task)[0], "test").items)[:12]


def reply(item: Item, n: int) -> str:
    """A reply that is right, half right or wrong, in turn."""
    if item.options:
        return item.labels[item.golds[0] if n % 3 else 0]
    return item.target if n % 3 == 0 else item.target[: 1 + len(item.target) // 2] if n % 3 == 1 else "不知道"


@pytest.mark.parametrize("task", ASKED)
def test_rows_say_which_metrics_are_means(task: str) -> None:
    items = items_of(task)
    scored = score_cell(items, [Response(reply(item, n), "stop") for n, item in enumerate(items)], FULL)
    found = per_item(scored)
    assert {*TASKS[task].item_metrics} <= found.keys()
    for name, values in found.items():
        if metric_named(name).is_mean or name in scored.part(name).means:
            assert math.fsum(values) / len(items) == pytest.approx(scored.value(name), abs=1e-9), name


def test_metrics_of_texts_that_pool_counts_are_no_means() -> None:
    assert {row.name for row in TEXT_METRICS.values() if not row.is_mean} == {
        row.name for row in TEXT_METRICS.values() if row.counts
    }


def test_rates_of_a_class_are_no_means() -> None:
    """Four items of which one of three positive ones is found, and four that are all called positive: of both, 2 of 5 that are
    called positive are, and 2 of 4 that are positive are found. The mean over the two halves is another number."""
    like = items_of("cider_dnli")[0]

    def scored(golds: str, answers: str) -> dict[str, float]:
        of = ["+-".index(gold) for gold in golds]
        items = [replace(like, id=str(n), gold=gold, references=(like.options[gold],)) for n, gold in enumerate(of)]
        cell = score_cell(items, [Response(like.labels["+-".index(answer)], "stop") for answer in answers], FULL)
        return {name: cell.value(name) for name in ("precision", "recall", "macro_f1", "weighted_f1")}

    # Macro F1 of the whole is the mean of 4/9 for the positive class and 2/7 for the other; each has four items.
    whole = scored("+++-+---", "+---++++")
    assert whole == pytest.approx({"precision": 2 / 5, "recall": 2 / 4, "macro_f1": 23 / 63, "weighted_f1": 23 / 63})
    one, other = scored("+++-", "+---"), scored("+---", "++++")
    assert one == pytest.approx({"precision": 1, "recall": 1 / 3, "macro_f1": 1 / 2, "weighted_f1": 1 / 2})
    assert other == pytest.approx({"precision": 1 / 4, "recall": 1, "macro_f1": 1 / 5, "weighted_f1": 1 / 10})
    assert not metric_named("macro_precision").is_mean and not metric_named("macro_recall").is_mean
    for name, value in whole.items():
        assert abs(value - (one[name] + other[name]) / 2) > 0.01 and not metric_named(name).is_mean, name


def test_the_interval_of_a_pooled_metric_is_the_bootstraps_where_its_value_happens_to_be_the_mean() -> None:
    """One answer of several named for each item: precision is the share of right answers, pooled or averaged. Of fewer than 30
    dialogues, percentiles are too narrow to be shown."""
    several = items_of("cicero_all_answers")[0]
    asked = [replace(several, id=str(n), dialogue=(f"A: {n} 号对话。",)) for n in range(30)]
    wrong = next(label for n, label in enumerate(several.labels) if n not in several.golds)
    right = several.labels[several.golds[0]]
    scored = score_cell(asked, [Response(right if n % 2 else wrong, "stop") for n in range(30)], FULL)
    found, part = intervals(scored, "p")["answer_precision"], scored.part("answer_precision")
    drawn = bootstrap(part.sums, scored.clusters, Random(f"p:{part.name}"), RESAMPLES)["answer_precision"]
    assert found.value == 0.5 and (found.low, found.high) == (drawn.low, drawn.high)
    fewer = intervals(
        score_cell(asked[:28], [Response(right if n % 2 else wrong, "stop") for n in range(28)], FULL), "p"
    )
    assert (
        fewer["answer_precision"].value == 0.5
        and fewer["answer_precision"].low is fewer["answer_precision"].high is None
    )


def test_precision_of_items_is_a_mean_where_that_of_classes_is_not() -> None:
    """Metrics of one name: CICERO's are means over items, with an interval for few dialogues; CIDER's are over classes."""
    several, relation = items_of("cicero_all_answers"), items_of("cider_relation_prediction")
    found = {}
    for items in (several, relation):
        replies = [Response(reply(item, n), "stop") for n, item in enumerate(items)]
        found[items[0].task] = intervals(score_cell(items, replies, FULL), "p")["macro_precision"]
    assert found["cicero_all_answers"].low is not None
    assert found["cider_relation_prediction"].value and found["cider_relation_prediction"].low is None
