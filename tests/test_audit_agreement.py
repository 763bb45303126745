"""Agreement, against published tables and figures reckoned by hand."""

from __future__ import annotations

from typing import Any

import pytest

from evalsuite.metrics.agreement import cohen_kappa, fleiss_kappa, spearman, weighted_kappa
from evalsuite.review.audit.audit_report import agreements
from evalsuite.review.audit.judges import judge_agreement
from evalsuite.review.audit.marks import Mark

# Fleiss (1971), Table 1: how many of six psychiatrists gave each of 30 patients each of five diagnoses.
FLEISS = (
    "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 "
    "00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"
)


def test_kappas_are_the_published_ones() -> None:
    rows = [[category for category, count in enumerate(map(int, row)) for _ in range(count)] for row in FLEISS.split()]
    assert fleiss_kappa(rows) == pytest.approx(0.430, abs=0.0005)
    # The textbook's two readers of 50 grant proposals: both yes 20, both no 15, 5 and 10 apart.
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert cohen_kappa(*zip(*pairs, strict=True)) == pytest.approx(0.4)  # type: ignore[arg-type]


def test_weighted_kappa_is_that_of_the_table() -> None:
    """The expected value is from the definition: the table of weights, observed and expected counts."""
    a, b = [0, 1, 2, 3, 4, 5, 5, 2, 3, 0], [0, 2, 2, 3, 5, 5, 3, 1, 3, 1]
    observed = expected = 0.0
    for i in range(6):
        for j in range(6):
            weight = (i - j) ** 2 / 25
            observed += weight * sum((x, y) == (i, j) for x, y in zip(a, b, strict=True)) / 10
            expected += weight * a.count(i) / 10 * b.count(j) / 10
    assert weighted_kappa(a, b) == pytest.approx(1 - observed / expected)
    assert weighted_kappa([1, 2, 3, 4], [1, 2, 4, 3]) == pytest.approx(0.8)  # 1 - 0.5 / 2.5


@pytest.mark.parametrize("function", [cohen_kappa, weighted_kappa])
def test_kappas_that_are_not_defined(function: Any) -> None:
    assert function([], []) is None
    assert function([1, 1], [1, 1]) is None
    assert fleiss_kappa([]) is None and fleiss_kappa([[1, 1], [1, 1]]) is None and spearman([1, 1], [1, 2]) is None


def test_human_against_a_judge() -> None:
    human = {("m", n): float(score) for n, score in enumerate((1, 2, 3, 4))}
    judge = {("m", n): float(score) for n, score in enumerate((1, 2, 4, 3))} | {("m", 9): 5.0}
    found = judge_agreement(judge, human)
    assert (found.n, found.same, found.difference, found.bias) == (4, 0.5, 0.5, 0.0)
    assert found.kappa == pytest.approx(0.8) and found.spearman == pytest.approx(0.8)
    assert judge_agreement({}, human) is None


def test_agreement_of_two_and_of_three() -> None:
    said = {"p": (0, 1, "none"), "q": (0, 1, "none"), "r": (0, 2, "none")}
    marks = [Mark(f"c{n}", who, s == 0, s) for who, all_ in said.items() for n, s in enumerate(all_)]
    found = list(agreements(marks, list(said), ["score"]))
    assert [(a.who, a.which, a.n) for a in found] == [
        (("p", "q"), "Cohen", 3), (("p", "r"), "Cohen", 3), (("q", "r"), "Cohen", 3), (("p", "q", "r"), "Fleiss", 3),
    ]  # fmt: skip
    assert found[0].kappa == 1.0 and found[1].same == pytest.approx(2 / 3)
    # Fleiss by hand: items agree 1, 1/3, 1; shares 3/9, 2/9, 1/9, 3/9.
    same, chance = (1 + 1 / 3 + 1) / 3, (9 + 4 + 1 + 9) / 81
    assert found[3].kappa == pytest.approx((same - chance) / (1 - chance))
