"""Intervals and tests: against published or exact values, and by their own logic."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest

from evalsuite.metrics import TextCorpus, TextScores
from evalsuite.metrics import statistics as stats
from evalsuite.metrics.statistics import Means

# (right, total, low, high, source)
WILSON = [
    (0, 10, 0.0, 0.2775327998628892, "scipy binomtest(0, 10).proportion_ci(method='wilson')"),
    (10, 10, 0.7224672001371107, 1.0, "its mirror"),
    (5, 10, 0.236593090512564, 0.7634069094874361, "scipy"),
    (81, 263, 0.2553, 0.3662, "Newcombe (1998), table I, to four decimals"),
]


@pytest.mark.parametrize(("right", "total", "low", "high", "source"), WILSON)
def test_wilson(right: int, total: int, low: float, high: float, source: str) -> None:
    interval = stats.wilson(right, total)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5 if total == 263 else 1e-9), source
    scipy = pytest.importorskip("scipy.stats")
    theirs = scipy.binomtest(right, total).proportion_ci(method="wilson")
    assert (interval.low, interval.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_wilson_of_nothing_is_an_error() -> None:
    for right, total in ((0, 0), (3, 2), (-1, 2)):
        with pytest.raises(ValueError, match="of"):
            stats.wilson(right, total)


# (only A right, only B right, both, p, source)
MCNEMAR = [
    (0, 0, 5, 1.0, "no discordant pair"),
    (6, 0, 3, 2 / 2**6, "two-sided binomial"),
    (5, 5, 0, 1.0, "balanced"),
    (9, 1, 2, 2 * 11 / 2**10, "1 + 10 outcomes a side"),
]


@pytest.mark.parametrize(("a", "b", "both", "p", "source"), MCNEMAR)
def test_mcnemar(a: int, b: int, both: int, p: float, source: str) -> None:
    pytest.importorskip("scipy")
    left = [True] * a + [False] * b + [True] * both
    right = [False] * a + [True] * b + [True] * both
    assert stats.mcnemar(left, right) == pytest.approx(p), source
    assert stats.mcnemar(right, left) == pytest.approx(p)


def test_holm() -> None:
    # Holm (1979): 4·0.005, 3·0.01, then 2·0.03 and 1·0.04, which may not fall below.
    adjusted = stats.holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
    assert adjusted == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02})
    assert list(adjusted) == ["a", "b", "c", "d"]
    assert stats.holm({}) == {}
    assert stats.holm({"a": 0.7, "b": 0.9}) == {"a": 1.0, "b": 1.0}


def accuracy_of(right: int, total: int) -> Means:
    return Means.of({"accuracy": [1.0] * right + [0.0] * (total - right)})


def test_bootstrap_of_a_share_is_near_the_binomials() -> None:
    interval = stats.bootstrap(accuracy_of(300, 1000), None, Random(1), resamples=4000)["accuracy"]
    half = 1.96 * math.sqrt(0.3 * 0.7 / 1000)
    assert interval.value == pytest.approx(0.3)
    assert (interval.low, interval.high) == pytest.approx((0.3 - half, 0.3 + half), abs=0.003)


def test_items_of_a_dialogue_hang_together() -> None:
    # Ten copies of each item in a dialogue hold no more than one: the interval is that of 100 items.
    right = [1.0] * 300 + [0.0] * 700
    clusters = [i // 10 for i in range(1000)]
    wide = stats.bootstrap(Means.of({"a": right}), clusters, Random(1), resamples=4000)["a"]
    narrow = stats.bootstrap(Means.of({"a": right}), None, Random(1), resamples=4000)["a"]
    assert (wide.high - wide.low) / (narrow.high - narrow.low) == pytest.approx(math.sqrt(10), rel=0.1)


def test_dialogues_of_different_size_are_weighted_by_items() -> None:
    interval = stats.bootstrap(Means.of({"a": [1.0, 0.0, 0.0, 0.0]}), ["x", "y", "y", "y"], Random(0))["a"]
    assert interval.value == 0.25
    assert (interval.low, interval.high) == (0.0, 1.0)


def test_the_same_seed_gives_the_same_interval_and_both_kinds_of_generator_do() -> None:
    scores = text_scores(0.7, "seeds")
    first = stats.bootstrap(scores, None, Random("7:bootstrap"))
    assert first == stats.bootstrap(scores, None, Random("7:bootstrap"))
    assert first != stats.bootstrap(scores, None, Random("8:bootstrap"))
    numpy = stats.bootstrap(scores, None, np.random.default_rng(7))
    assert numpy == stats.bootstrap(scores, None, np.random.default_rng(7))


def test_blocks_do_not_change_the_result_of_a_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = stats.bootstrap(accuracy_of(30, 100), None, Random(3), resamples=50)
    monkeypatch.setattr(stats, "_BLOCK", 700)
    assert stats.bootstrap(accuracy_of(30, 100), None, Random(3), resamples=50) == whole


def text_scores(rate: float, seed: str, n: int = 120) -> TextScores:
    rng = Random(seed)
    refs = [["".join(rng.choices("他喜欢看电影天气很好", k=8))] for _ in range(n)]
    noise = Random(f"{seed}:{rate}")
    hyps = ["".join(c if noise.random() < rate else "不" for c in ref[0]) for ref in refs]
    return TextCorpus(hyps, refs).score("char")


def test_bootstrap_of_text_metrics_is_resample_by_resample_what_resample_gives() -> None:
    scores = text_scores(0.7, "a")
    intervals = stats.bootstrap(scores, None, np.random.default_rng(5), resamples=40)
    drawn = np.random.default_rng(5).integers(0, 120, (40, 120))
    by_hand = [scores.resample(index) for index in drawn]
    for name, interval in intervals.items():
        assert interval.value == pytest.approx(scores.corpus[name])
        low, high = np.quantile([draw[name] for draw in by_hand], [0.025, 0.975])
        assert (interval.low, interval.high) == pytest.approx((low, high)), name


def test_paired_tests_see_a_difference_and_none() -> None:
    good, bad = text_scores(0.8, "a"), text_scores(0.6, "a")
    clusters = [i // 3 for i in range(120)]
    for test in (stats.paired_bootstrap, stats.paired_permutation):
        found = test(good, bad, clusters, Random(1))
        assert found["bleu4"].p < 0.01 and found["chrf"].p < 0.01
        assert found["bleu4"].value == pytest.approx(good.corpus["bleu4"] - bad.corpus["bleu4"])
        assert all(difference.p == 1.0 for difference in test(good, good, clusters, Random(1)).values())
    interval = stats.paired_bootstrap(good, bad, clusters, Random(1))["rouge_l"]
    assert 0 < interval.low < interval.value < interval.high


def test_permutation_agrees_with_the_exact_sign_test() -> None:
    # Ten items, A right on nine alone and B on one: exact two-sided p is 22/1024.
    a, b = Means.of({"x": [1.0] * 9 + [0.0]}), Means.of({"x": [0.0] * 9 + [1.0]})
    p = stats.paired_permutation(a, b, None, Random(2), permutations=20000)["x"].p
    assert p == pytest.approx(22 / 1024, abs=0.004)


def test_wrong_input_is_named() -> None:
    with pytest.raises(ValueError, match="3 clusters for 10"):
        stats.bootstrap(accuracy_of(3, 10), [1, 2, 3], Random(0))
    with pytest.raises(ValueError, match="no pairs"):
        stats.paired_bootstrap(accuracy_of(3, 10), accuracy_of(3, 9), None, Random(0))
    with pytest.raises(ValueError, match="one model only"):
        stats.paired_bootstrap(accuracy_of(3, 9), Means.of({"f1": [1.0] * 9}), None, Random(0))
    with pytest.raises(ValueError, match="0 resamples"):
        stats.bootstrap(accuracy_of(3, 9), None, Random(0), resamples=0)
    with pytest.raises(ValueError, match="a value for each item"):
        Means.of({"a": [1.0], "b": [1.0, 0.0]})
    with pytest.raises(ValueError, match="no items"):
        stats.bootstrap(Means.of({"a": []}), None, Random(0))


def test_mcnemar_is_for_items_that_stand_alone() -> None:
    # A is right on six of ten items, B on none.
    a, b = [1.0] * 6 + [0.0] * 4, [0.0] * 10
    one, two = Means.of({"accuracy": a}), Means.of({"accuracy": b})
    alone = stats.paired_test(one, two, "accuracy", range(10), Random(1), (a, b))
    assert (alone.value, alone.test, alone.clusters) == (0.6, "McNemar", 10)
    assert alone.p == pytest.approx(2 / 2**6)
    # Two items a dialogue: three dialogues differ, all for A, and 2 of the 2³ swaps are as far: p is 1/4.
    pairs = stats.paired_test(one, two, "accuracy", [n // 2 for n in range(10)], Random(1), (a, b))
    assert (pairs.value, pairs.test, pairs.clusters) == (0.6, "permutation", 5)
    assert pairs.p == pytest.approx(1 / 4, abs=0.05)
    assert stats.paired_test(one, two, "accuracy", range(10), Random(1)).test == "permutation"  # no binary scores given
    drawn = stats.paired_bootstrap(one, two, range(10), Random(1))["accuracy"]
    assert (alone.low, alone.high) == (drawn.low, drawn.high)


def test_p_is_never_above_one() -> None:
    # One item for each model alone: the two tails of the binomial overlap, 2 · 3/4.
    p, name = stats.pairwise(np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]), range(3), Random(0))
    assert name == "McNemar" and p.tolist() == [[1.0, 1.0], [1.0, 1.0]]
