"""Intervals and tests: against published or exact values, and by their own logic."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, count, product
from random import Random

import numpy as np
import pytest

from evalsuite.metrics import statistics as stats
from evalsuite.metrics.statistics import Means
from evalsuite.metrics.texts import TextCorpus, TextScores

# (right, total, low, high, source)
WILSON = [
    (0, 10, 0.0, 0.2775327998628892, "scipy binomtest(0, 10).proportion_ci(method='wilson')"),
    (10, 10, 0.7224672001371107, 1.0, "its mirror"),
    (5, 10, 0.236593090512564, 0.7634069094874361, "scipy"),
    (81, 263, 0.2553, 0.3662, "Newcombe (1998), table I, to four decimals"),
]


@pytest.mark.parametrize(("right", "total", "low", "high", "source"), WILSON)
def test_wilson_equals_published_intervals(right: int, total: int, low: float, high: float, source: str) -> None:
    interval = stats.wilson(right, total)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5 if total == 263 else 1e-9), source
    scipy = pytest.importorskip("scipy.stats", reason="needs evalsuite[dev]")
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
def test_mcnemar_equals_published_p_values(a: int, b: int, both: int, p: float, source: str) -> None:
    pytest.importorskip("scipy", reason="needs evalsuite[dev]")
    left = [True] * a + [False] * b + [True] * both
    right = [False] * a + [True] * b + [True] * both
    assert stats.mcnemar(left, right) == pytest.approx(p), source
    assert stats.mcnemar(right, left) == pytest.approx(p)


def test_holm_by_hand() -> None:
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
    by_hand = [scores.finish(scores.statistics[index].sum(axis=0)) for index in drawn]
    for name, interval in intervals.items():
        assert interval.value == pytest.approx(scores.corpus[name])
        low, high = np.quantile([draw[name] for draw in by_hand], [0.025, 0.975])
        assert (interval.low, interval.high) == pytest.approx((low, high)), name


def test_flips_agree_with_the_exact_sign_test() -> None:
    # Ten items, A right on nine alone and B on one: exact two-sided p is 22/1024.
    assert stats.sign_flips([1.0] * 9 + [-1.0], Random(2), 1) == pytest.approx(22 / 1024, abs=1e-12)


# (only A right, only B right, neither or both, low, high), from the formula of Bonett and Price (2012), by hand: with
# n + 2 pairs of which b + 1 and c + 1 differ, d ± 1.96 √((b + c + 2 - (b - c)²/(n + 2)) / (n + 2)²).
PAIRED = [(6, 0, 2), (2, 1, 5), (0, 0, 8), (9, 1, 30), (30, 22, 300), (1, 0, 0), (12, 0, 0)]


@pytest.mark.parametrize(("a", "b", "same"), PAIRED)
def test_interval_of_a_paired_difference(a: int, b: int, same: int) -> None:
    n = a + b + same
    d, half = (a - b) / (n + 2), 1.959964 * math.sqrt(a + b + 2 - (a - b) ** 2 / (n + 2)) / (n + 2)
    found = stats.paired_interval(np.array([1.0] * a + [-1.0] * b + [0.0] * same), np.ones(n))
    assert found == pytest.approx((max(-1, d - half), min(1, d + half)), abs=1e-6)


def test_an_interval_has_a_width_and_covers_what_it_says() -> None:
    """About 95 % of many samples of two models that differ by 0.1 have it in their interval, small samples, too."""
    rng = np.random.default_rng(0)
    for n in (10, 40, 200):
        inside = 0
        for _ in range(400):
            moves = rng.choice([1.0, -1.0, 0.0], n, p=[0.25, 0.15, 0.6])
            low, high = stats.paired_interval(moves, np.ones(n))
            assert high > low
            inside += low <= 0.1 <= high
        assert 0.92 <= inside / 400 <= 0.995


@pytest.mark.parametrize("seed", range(40))
def test_interval_and_test_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60))
    a, b = ((rng.random(n) < share).astype(float) for share in rng.random(2))
    if seed % 2:  # graded scores, several items per dialogue
        a, b = a * rng.random(n), b * rng.random(n)
    clusters = range(n) if seed % 4 < 2 else [i // 3 for i in range(n)]
    found = stats.paired_test(a, b, list(clusters), Random(seed), 1, binary=seed % 2 == 0)
    assert found.low <= found.value <= found.high or len(set(clusters)) < n
    assert (found.low <= 0 <= found.high) == (found.p >= 0.05) or 0.0 in (found.low, found.high)
    assert not found.low < 0 < found.high or found.p >= 0.05
    if found.differ < stats.FEWEST:
        assert found.p >= 0.05


def test_sign_flips_are_those_of_scipy() -> None:
    scipy = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(3)
    for n in (3, 5, 8, 11):
        moves = rng.normal(0.5, 1, n).round(1)
        theirs = scipy.permutation_test(
            (moves, np.zeros(n)), lambda x, y, axis: (x - y).sum(axis), permutation_type="samples", vectorized=True, n_resamples=np.inf,
        )  # fmt: skip
        assert stats.sign_flips([*moves, 0.0, 0.0], Random(0), 1) == pytest.approx(theirs.pvalue)
    assert stats.sign_flips([0.0] * 4, Random(0), 1) == 1.0
    many = rng.normal(0.2, 1, 60)
    theirs = scipy.permutation_test(
        (many, np.zeros(60)), lambda x, y, axis: (x - y).sum(axis), permutation_type="samples", vectorized=True
    )
    assert stats.sign_flips(many, Random(0), 1) == pytest.approx(theirs.pvalue, abs=0.03)


def test_five_dialogues_are_too_few_and_six_are_enough() -> None:
    for d, p in ((5, 0.0625), (stats.FEWEST, 0.03125)):
        assert (
            stats.mcnemar([True] * d, [False] * d) == p == stats.sign_flips([0.4] * d, Random(0), 1) == 2.0 ** (1 - d)
        )


@pytest.mark.parametrize("seed", range(6))
def test_flips_of_whole_numbers_are_counted(seed: int) -> None:
    """p of right and wrong answers is that of all 2^d flips, and of McNemar's where each dialogue has one item."""
    rng = np.random.default_rng(seed)
    moves = rng.integers(-3, 4, 12).astype(float)
    signs = 1 - 2 * (np.arange(2**12)[:, None] >> np.arange(12) & 1)
    by_hand = np.mean(np.abs(signs @ moves) >= abs(moves.sum()))
    assert stats.sign_flips(moves, Random(0), 1) == pytest.approx(by_hand, abs=1e-12)
    single = np.array([1.0] * 300 + [-1.0] * (230 + 10 * seed))
    mcnemar = stats.mcnemar((single > 0).tolist(), (single < 0).tolist())
    assert stats.sign_flips(single, Random(0), 1) == pytest.approx(mcnemar, rel=1e-9)


def test_random_flips_are_drawn_evenly() -> None:
    """Sums of random signs have mean 0 and the variance of the squares' sum; a rest that fills no byte counts, too."""
    moves = np.random.default_rng(1).normal(0, 1, 21)
    sums = stats._random_flips(moves, 200_000, np.random.default_rng(2))
    spread = math.sqrt(float(moves @ moves))
    assert abs(sums.mean()) < 4 * spread / math.sqrt(200_000) and sums.std() == pytest.approx(spread, rel=0.01)


@pytest.mark.parametrize("rows", [1, 51, 122, 500])
@pytest.mark.parametrize("step", [1.0, 0.7])
def test_what_differs_everywhere_is_significant_however_many_rows_there_are(rows: int, step: float) -> None:
    p = stats.sign_flips([step] * 60, Random(0), rows)
    found = stats.within_families([("all", p, 2.0**-59)] * rows)
    assert found[0].p <= 0.01 and (found[0].family, found[0].least) == (rows, rows * 2.0**-59)


def test_a_gap_everywhere_is_significant_however_many_rows_there_are() -> None:
    p = stats.unpaired_test([0.9, 0.8] * 20, [0.2, 0.1] * 20, range(40), range(40, 80), Random(0), 500).p
    assert stats.within_families([("all", p, 0.0)] * 500)[0].p <= 0.01


def test_a_family_says_what_its_dialogues_can_give() -> None:
    """None of ten tests with six differing dialogues can be significant: 10 / 2^5. Beside clear ones the last one can."""
    six = 2.0**-5
    assert {c.least for c in stats.within_families([("f", 0.5, six)] * 10)} == {10 * six}
    assert stats.within_families([("f", 0.001, 0.001)] * 9 + [("f", six, six), ("g", six, six)])[9].least == six


@pytest.mark.parametrize("dialogues", [2, 3, 5, 8, 13, 29])
@pytest.mark.parametrize("alike", [0.0, 0.2])
def test_an_interval_of_few_dialogues_covers_what_it_says(dialogues: int, alike: float) -> None:
    """About 95 % or more of many samples of a model that is right in 0.7 of items have that in their interval, and more than with
    resampled dialogues. `alike`: the correlation of the items of a dialogue (beta-binomial)."""
    rng = np.random.default_rng(dialogues)
    inside = resampled = 0
    for _ in range(200):
        shares = rng.beta(0.7 * (1 / alike - 1), 0.3 * (1 / alike - 1), dialogues) if alike else [0.7] * dialogues
        items = [(float(rng.random() < share), d) for d, share in enumerate(shares) for _ in range(rng.integers(5, 12))]
        values, clusters = zip(*items, strict=True)
        found = stats.few_dialogues(values, clusters)
        assert found.low < found.value < found.high or found.value in (0, 1)
        inside += found.low <= 0.7 <= found.high
        drawn = stats.bootstrap(Means.of({"a": values}), clusters, rng, 200)["a"]
        resampled += drawn.low <= 0.7 <= drawn.high
    assert inside / 200 >= 0.915 and inside > resampled


def test_two_equal_dialogues_have_an_interval() -> None:
    found = stats.few_dialogues([1, 0, 0, 0, 0] * 4, [0] * 10 + [1] * 10)
    assert found.value == pytest.approx(0.2) and found.high - found.low > 0.8
    with pytest.raises(ValueError, match="two dialogues"):
        stats.few_dialogues([1, 0], ["a", "a"])


@pytest.mark.parametrize("dialogues", [2, 3, 5, 10, 40])
def test_means_of_scores_and_of_differences_cover_what_they_say(dialogues: int) -> None:
    """Scores from 1 to 5, and changes by -1, 0 or 1, of a judge that is kinder in some dialogues than in others."""
    rng = np.random.default_rng(dialogues)
    clusters = [d for d in range(dialogues) for _ in range(6)]
    scores = changes = claimed = 0
    for _ in range(200):
        kind = np.repeat(rng.normal(0, 0.5, dialogues), 6)
        noise = rng.normal(0, 0.8, len(clusters))
        low, high = stats.scale_mean(np.clip(np.rint(3 + kind + noise), 1, 5).tolist(), clusters, rng, (1, 5))
        scores += low is not None and high is not None and 1 <= low <= 3 <= high <= 5
        low, high = stats.mean_difference(np.clip(np.rint(kind + noise), -1, 1).tolist(), clusters, rng)
        if low is not None and high is not None:  # None: the dialogues' sums are equal, as whole numbers of two may be
            claimed, changes = claimed + 1, changes + (low <= 0 <= high)
    assert scores / 200 >= 0.915 and claimed > 150 and changes / claimed >= 0.915


def test_a_mean_of_scores_is_the_cells_interval_on_another_scale() -> None:
    values, clusters = [1.0, 0.0, 1.0, 1.0, 0.5, 0.0], [0, 0, 1, 1, 2, 2]
    cell = stats.few_dialogues(values, clusters)
    assert stats.scale_mean(values, clusters, Random(0)) == pytest.approx((cell.low, cell.high))
    scaled = stats.scale_mean([1 + 4 * value for value in values], clusters, Random(0), (1, 5))
    assert scaled == pytest.approx((1 + 4 * cell.low, 1 + 4 * cell.high))
    assert stats.scale_mean([5.0] * 40, range(40), Random(0), (1, 5)) != (5.0, 5.0)  # all resamples are equal
    many = [1.0] * 30 + [0.0] * 20
    drawn = stats.bootstrap(Means.of({"a": many}), None, Random(0))["a"]
    assert stats.scale_mean(many, range(50), Random(0)) == (drawn.low, drawn.high)


def test_a_mean_difference_of_few_dialogues_is_a_t_interval() -> None:
    ttest = pytest.importorskip("scipy.stats", reason="needs evalsuite[dev]").ttest_1samp
    changes = [0.5, -0.25, 0.0, 1.0, 0.25]
    expected = ttest(changes, 0).confidence_interval()
    assert stats.mean_difference(changes, range(5), Random(0)) == pytest.approx((expected.low, expected.high))
    twice = stats.mean_difference([x for x in changes for _ in "ab"], [n // 2 for n in range(10)], Random(0))
    assert twice == pytest.approx(
        (expected.low, expected.high)
    )  # dialogues are the units, however many items they have


def test_one_dialogue_gives_no_interval() -> None:
    assert stats.scale_mean([1.0, 0.0, 1.0], ["a"] * 3, Random(0)) == (None, None)
    assert stats.mean_difference([1.0, 0.0, 1.0], ["a"] * 3, Random(0)) == (None, None)
    assert stats.mean_difference([0.0, 0.0, 0.0], "abc", Random(0)) == (None, None)


def test_wrong_input_is_named() -> None:
    with pytest.raises(ValueError, match="3 clusters for 10"):
        stats.bootstrap(accuracy_of(3, 10), [1, 2, 3], Random(0))
    with pytest.raises(ValueError, match="0 resamples"):
        stats.bootstrap(accuracy_of(3, 9), None, Random(0), resamples=0)
    with pytest.raises(ValueError, match="a value for each item"):
        Means.of({"a": [1.0], "b": [1.0, 0.0]})
    with pytest.raises(ValueError, match="no items"):
        stats.bootstrap(Means.of({"a": []}), None, Random(0))


def test_mcnemar_is_for_items_that_stand_alone() -> None:
    # A is right on six of ten items, B on none.
    a, b = [1.0] * 6 + [0.0] * 4, [0.0] * 10
    alone = stats.paired_test(a, b, range(10), Random(1), 1, binary=True)
    assert (alone.value, alone.test, alone.clusters, alone.differ) == (0.6, "McNemar", 10, 6)
    assert alone.p == pytest.approx(2 / 2**6)
    # Two items per dialogue: three dialogues differ, all for A, and 2 of the 2³ swaps are as far: p is 1/4.
    pairs = stats.paired_test(a, b, [n // 2 for n in range(10)], Random(1), 1, binary=True)
    assert (pairs.value, pairs.test, pairs.clusters, pairs.differ, pairs.p) == (0.6, "permutation", 5, 3, 1 / 4)
    assert pairs.low <= 0 < alone.low
    # the caller did not say that the values are binary
    assert stats.paired_test(a, b, range(10), Random(1), 1).test == "permutation"


def test_p_is_never_above_one() -> None:
    # One item for each model alone: the two tails of the binomial overlap, 2 · 3/4.
    p, name = stats.pairwise(np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]), range(3), Random(0))
    assert name == "McNemar" and p.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_an_unpaired_test_by_hand() -> None:
    """Two dialogues against two, all right against all wrong: of six ways to divide them two are as far apart."""
    test = stats.unpaired_test([1, 1, 1], [0, 0], ["a", "a", "b"], ["c", "d"], Random(0), 1)
    assert (test.value, test.clusters, test.least, test.p) == (1.0, (2, 2), 2 / 6, 2 / 6)
    same = stats.unpaired_test([1, 1], [1, 1], ["a", "b"], ["c", "d"], Random(0), 1)
    assert (same.value, same.p) == (0.0, 1.0)
    assert test.agreeing(0.1, 0.9) == (0.0, 0.9)


@pytest.mark.slow
def test_an_unpaired_test_keeps_its_level_and_sees_a_gap() -> None:
    """Dialogues of one set have more items, and vary more, than those of the other: the means are equal all the same."""
    rng = np.random.default_rng(1)

    names = count()  # no dialogue is in two sets

    def sample(dialogues: int, most: int, of: Callable[[], float]) -> tuple[list[float], list[int]]:
        shares = [(of(), next(names), some) for some in rng.integers(1, most, dialogues)]
        return (
            [float(rng.random() < p) for p, _, some in shares for _ in range(some)],
            [n for _, n, some in shares for _ in range(some)],
        )

    found = 0
    for seed in range(200):
        a, of_a = sample(25, 6, lambda: float(rng.random()))
        b, of_b = sample(50, 3, lambda: 0.5)
        found += stats.unpaired_test(a, b, of_a, of_b, Random(seed), 1).p < 0.05
    assert 2 <= found <= 20  # 10 expected
    a, of_a = sample(60, 3, lambda: 0.8)
    b, of_b = sample(60, 3, lambda: 0.4)
    assert stats.unpaired_test(a, b, of_a, of_b, Random(0), 1).p < 0.01


def test_dialogues_of_both_sets_are_exchanged_within_themselves() -> None:
    """p by our own enumeration: of all ways to divide the dialogues of one set alone, times all ways to exchange those of both."""
    a, of_a = [1.0, 1.0, 0.0, 1.0, 1.0, 0.5], ["a", "a", "b", "s", "t", "t"]
    b, of_b = [0.0, 1.0, 0.0, 0.25, 0.0, 0.0], ["c", "d", "d", "s", "s", "t"]
    sums = [
        {d: (sum(v for v, x in zip(values, of, strict=True) if x == d), of.count(d)) for d in dict.fromkeys(of)}
        for values, of in ((a, of_a), (b, of_b))
    ]

    def t(one: dict[str, tuple[float, int]], other: dict[str, tuple[float, int]]) -> float:
        """The difference over its standard error: of each dialogue the sum of its influences on both means."""
        items, items_other = (sum(n for _, n in side.values()) for side in (one, other))
        mean, mean_other = sum(x for x, _ in one.values()) / items, sum(x for x, _ in other.values()) / items_other
        size, size_other = (len(side) / (len(side) - 1) for side in (one, other))
        moves = {d: (x - mean * n) / items * size**0.5 for d, (x, n) in one.items()}
        moves_other = {d: (x - mean_other * n) / items_other * size_other**0.5 for d, (x, n) in other.items()}
        spread = sum((moves.get(d, 0.0) - moves_other.get(d, 0.0)) ** 2 for d in {*one, *other})
        return abs(mean - mean_other) / spread**0.5

    alone = {d: row for side in sums for d, row in side.items() if d not in "st"}
    found = []
    for first in combinations(alone, 2):
        for s, u in product((0, 1), repeat=2):
            one, other = ({"s": sums[i ^ s]["s"], "t": sums[i ^ u]["t"]} for i in (0, 1))
            one |= {d: alone[d] for d in first}
            other |= {d: row for d, row in alone.items() if d not in first}
            found.append(t(one, other))
    test = stats.unpaired_test(a, b, of_a, of_b, Random(0), 1)
    assert test.p == pytest.approx(np.mean(np.array(found) >= t(*sums) - 1e-9)) and test.least == 2 / 24
    assert stats.unpaired_test([1] * 3, [0] * 3, "xyz", "xyz", Random(0), 1).p == 2 / 8


@pytest.mark.slow
def test_shared_dialogues_keep_the_level_of_an_unpaired_test_and_add_power() -> None:
    """30 dialogues with an item in each set, and 10 of one set alone; a dialogue's answers rise and fall together. Taken as
    unrelated, the test finds next to nothing where there is nothing, and less where there is something."""
    rng = np.random.default_rng(3)
    level = power = unrelated = 0
    for seed in range(60):
        ease = rng.random(50)
        easy, same, less = (
            (rng.random(40) < chance).astype(float) for chance in (ease[:40], ease[10:], 0.75 * ease[10:])
        )
        of_a, of_b = range(40), range(10, 50)
        level += stats.unpaired_test(easy, same, of_a, of_b, Random(seed), 1).p < 0.05
        easy = np.minimum(1.0, easy + (rng.random(40) < 0.15))
        power += stats.unpaired_test(easy, less, of_a, of_b, Random(seed), 1).p < 0.05
        unrelated += stats.unpaired_test(easy, less, of_a, range(50, 90), Random(seed), 1).p < 0.05
    assert level <= 8  # 3 expected
    assert power > unrelated


def test_one_dialogue_that_is_not_right_makes_no_gap() -> None:
    """150 dialogues with 1 to 3 items, all right, and 370 with one of them wrong: the one is in the smaller set by chance in 150 of
    520 permutations. Studentized differences are all near 1, and rank by numbers of items alone."""
    rng = np.random.default_rng(4)
    of_a, of_b = np.repeat(np.arange(150), rng.integers(1, 4, 150)), np.repeat(np.arange(370), rng.integers(1, 4, 370))
    for side in (0, 1):
        a, b = np.ones(len(of_a)), np.ones(len(of_b))
        (a, b)[side][0] = 0.0
        test = stats.unpaired_test(a, b, of_a.tolist(), (1000 + of_b).tolist(), Random(0), 1)
        assert test.p >= test.least == 150 / 520
    # A dialogue of both sets that is right in one: each of two ways to exchange its items.
    assert stats.unpaired_test([1, 1, 0], [1, 1, 1], "abc", "abc", Random(0), 1).least == 1 / 2


def test_unpaired_p_of_thousands_of_dialogues() -> None:
    """1,100 dialogues a set, half of them wrong: there are more ways to choose those than a float can count."""
    right = [0.0, 1.0] * 550
    test = stats.unpaired_test(right, right, range(1100), range(1100, 2200), Random(0), 1)
    assert test.least < 1e-9 < 0.9 < test.p


def test_unpaired_p_is_near_welchs() -> None:
    scipy = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.5, 0.1, 80), rng.normal(0.53, 0.2, 120)
    ours = stats.unpaired_test(a.tolist(), b.tolist(), range(80), range(80, 200), Random(0), 1).p
    assert ours == pytest.approx(scipy.ttest_ind(a, b, equal_var=False).pvalue, abs=0.02)


@pytest.mark.parametrize("right", [0, 1, 2, 5, 9, 10])
def test_wilsons_interval_is_that_of_scipy(right: int) -> None:
    from scipy.stats import binomtest

    found, reference = stats.wilson(right, 10), binomtest(right, 10).proportion_ci(0.95, method="wilson")
    assert (found.low, found.high) == pytest.approx((reference.low, reference.high), abs=1e-12)
