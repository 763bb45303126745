"""Votes, stability and abstention: figures from outcomes made by hand, beside enumeration, numpy and simulation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from as_json import a_cell, a_run, scored_cell

from evalsuite.analyses import abstention, stability, votes
from evalsuite.common.sheet import Text
from evalsuite.metrics.statistics import few_dialogues
from evalsuite.metrics.votes import disagreement, majority, right_always, right_once
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.analysis import Analysis, Results, ScoredCell
from evalsuite.results.outcomes import CellOutcomes, Outcome
from evalsuite.types import SCORINGS, Answer, Cell, Item, Reading, Score, Status

TASK = "knowledge_filling"
OPTIONS = ("箱子", "背包", "书包")
LABELS = ("(a)", "(b)", "(c)")


def item(n: int, gold: int = 0) -> Item:
    name = f"corecode/easy/test/{TASK}/{n}"
    return Item(name, TASK, "easy", "test", (f"A: {n}。",), "哪个？", OPTIONS, LABELS, gold, (OPTIONS[gold],))


def outcome(
    asked: Item, choice: int | None, dialogue: int, sample: int = 0, rotation: int = 0, status: Status | None = None
) -> Outcome:
    value = float(choice is not None and choice == asked.gold)
    answer = Answer(status or (Status.UNPARSED if choice is None else Status.PARSED), choice)
    return Outcome(asked, rotation, sample, dialogue, value, answer, Score({"accuracy": value}))


def cell(outcomes: Sequence[Outcome], **place: object) -> ScoredCell:
    result = a_cell(**place)
    return scored_cell(result, CellOutcomes(Cell(result.place, result.facts.written()), LABELS, tuple(outcomes)))


def content(analysis: Analysis, *cells: ScoredCell) -> list:
    return a_run(*cells).of(analysis) or []


def results(analysis: Analysis, rows: list) -> Results:
    return Results(Path(), "0", Reading(), (), {analysis.key: rows})


# --- figures of one item, beside an enumeration of all draws


def draws(answers: Sequence[int | None], k: int) -> tuple[float, float, float, float]:
    """cons@k, the share of ties, pass@k and pass^k for answers of which option 0 is right, averaged over all sets of
    k answers."""
    credit, tied, once, always = [], [], [], []
    for drawn in combinations(answers, k):
        counts = Counter(a for a in drawn if a is not None)
        most = max(counts.values(), default=0)
        first = [a for a, count in counts.items() if count == most]
        credit.append(1 / len(first) if 0 in first else 0.0)
        tied.append(0 in first and len(first) > 1)
        once.append(0 in drawn)
        always.append(all(a == 0 for a in drawn))
    return tuple(float(np.mean(x)) for x in (credit, tied, once, always))  # type: ignore[return-value]


@pytest.mark.parametrize("seed", range(12))
def test_votes_are_those_over_all_draws(seed: int) -> None:
    rng = Random(seed)
    n = rng.randint(1, 8)
    answers = [rng.choice([0, 0, 1, 2, 3, None]) for _ in range(n)]
    wrong = tuple(Counter(a for a in answers if a).values())
    right = answers.count(0)
    for k in range(1, n + 1):
        vote = majority(n, right, wrong, k)
        expected = draws(answers, k)
        assert (*vote, right_once(n, right, k), right_always(n, right, k)) == pytest.approx(expected, abs=1e-12)


def test_pass_at_k_is_unbiased() -> None:
    p, n, k = 0.3, 8, 4
    right = np.random.default_rng(5).binomial(n, p, 20_000)
    once = np.mean([right_once(n, int(c), k) for c in right])
    always = np.mean([right_always(n, int(c), k) for c in right])
    assert once == pytest.approx(1 - (1 - p) ** k, abs=0.01) and always == pytest.approx(p**k, abs=0.005)


@pytest.mark.parametrize("n, right, k", [(3, 4, 1), (3, 1, 4), (3, 1, 0)])
def test_impossible_counts_are_refused(n: int, right: int, k: int) -> None:
    for function in (right_once, right_always, lambda *x: majority(x[0], x[1], (), x[2])):
        with pytest.raises(ValueError, match="askings"):
            function(n, right, k)


# --- votes


def test_samples_vote_on_an_item() -> None:
    said = {0: [0, 0, 1, 2], 1: [1, 1, 0, None], 2: [0, 1, 0, 1], 3: [0, 0, 0]}  # item 3 has lost a sample
    rows = [outcome(item(n), choice, n, sample) for n, own in said.items() for sample, choice in enumerate(own)]
    (row,) = content(votes.ANALYSIS, cell(rows))
    assert (row.over, row.items, row.left_out, row.askings) == ("samples", 3, 1, ["0", "1", "2", "3"])
    assert [point.k for point in row.points] == [1, 2, 4]
    for point in row.points:
        each = np.array([draws(said[n], point.k) for n in range(3)])
        figures = (point.vote.value, point.tied, point.once.value, point.always.value)
        assert figures == pytest.approx(each.mean(axis=0))
    assert row.points[-1].vote.value == pytest.approx((1 + 0 + 0.5) / 3)


def test_votes_over_orders_count_options_by_their_text() -> None:
    cells = []
    for name in ("none", "shuffle", "reverse"):
        asked = PERTURBATIONS[name].items(item(1), 3)[0]
        cells.append(cell([outcome(asked, asked.options.index("背包"), 0)], perturb=name))  # always the same wrong text
    (row,) = content(votes.ANALYSIS, *cells)
    assert row.over == "orders" and row.perturb is None and row.points[-1].vote.value == 0
    cells[0] = cell([outcome(item(1), 0, 0)])
    (row,) = content(votes.ANALYSIS, *cells)
    assert row.points[-1].vote.value == 0 and row.points[0].vote.value == pytest.approx(1 / 3)


def test_votes_over_rotations_and_wordings() -> None:
    rotated = [outcome(asked, 0, 0, rotation=n) for n, asked in enumerate(PERTURBATIONS["circular"].items(item(1)))]
    (row,) = content(votes.ANALYSIS, cell(rotated, perturb="circular"))
    assert row.over == "rotations" and row.points[-1].k == 3
    assert row.points[-1].tied == 1 and row.points[-1].vote.value == pytest.approx(1 / 3)  # a different text each time
    cells = [
        cell([outcome(item(1), choice, 0)], variant=name) for name, choice in (("paper", 0), ("plain", 0), ("x", 1))
    ]
    (row,) = content(votes.ANALYSIS, *cells)
    assert (row.over, row.variant, row.points[-1].vote.value) == ("wordings", None, 1)
    (sheet,) = votes.sheets(results(votes.ANALYSIS, [row]))
    assert sheet.title == Text("投票：各种措辞，测试集，零样本", "Votes over wordings: test 0-shot")


def test_other_questions_are_no_askings_of_the_same() -> None:
    cells = [cell([outcome(item(1), 0, 0)], perturb=name) for name in ("none", "no_dialogue", "none_of_above")]
    assert content(votes.ANALYSIS, *cells) == content(stability.ANALYSIS, *cells) == []


def test_one_asking_has_no_row() -> None:
    one = cell([outcome(item(1), 0, 0)])
    assert all(content(a, one) == [] for a in (votes.ANALYSIS, stability.ANALYSIS, abstention.ANALYSIS))


# --- right under all


def test_right_under_every_wording() -> None:
    rng = np.random.default_rng(1)
    values = rng.integers(0, 2, (4, 30))  # wordings, items
    dialogues = np.arange(30) // 2
    names = ["w0", "w1", "w2", "w3"]
    cells = [
        cell([outcome(item(n), 0 if right else 1, int(dialogues[n])) for n, right in enumerate(own)], variant=name)
        for name, own in zip(names, values, strict=True)
    ]
    row = next(row for row in content(stability.ANALYSIS, *cells) if row.over == "wordings")
    assert row.all.value == pytest.approx(values.min(axis=0).mean())
    assert row.any.value == pytest.approx(values.max(axis=0).mean())
    assert row.mean.value == pytest.approx(values.mean())
    assert row.worst == names[int(values.mean(axis=1).argmin())] and row.all.value <= min(
        asking.value for asking in row.askings
    )
    differences = [np.abs(values[i] - values[j]).mean() for i, j in combinations(range(4), 2)]
    assert row.sensitivity.value == pytest.approx(np.mean(differences))
    assert row.quantiles == pytest.approx(np.percentile(values.mean(axis=1), [5, 50, 95]))
    assert row.dialogues == 15 and row.all.low < row.all.value < row.all.high


def test_items_that_some_askings_lack_are_left_out() -> None:
    cells = [
        cell([outcome(item(0), 0, 0), outcome(item(1), 0, 1)]),
        cell([outcome(item(0), 1, 0)], perturb="reindicate"),
    ]
    (row,) = content(stability.ANALYSIS, *cells)
    assert (row.items, row.left_out, row.all.value, row.any.value) == (1, 1, 0, 1)
    assert [(asking.name, asking.value) for asking in row.askings] == [("none", 1), ("reindicate", 0)]
    cells[1] = cell([outcome(item(0), 1, 0)], perturb="reindicate", facts={"data": "9"})  # the data of another file
    assert content(stability.ANALYSIS, *cells) == []


def test_rotations_of_items_with_fewer_options_count() -> None:
    two = replace(item(2), options=OPTIONS[:2], labels=LABELS[:2])
    rows = [
        outcome(asked, asked.gold, 0, rotation=n) for n, asked in enumerate(PERTURBATIONS["circular"].items(item(1)))
    ]
    rows += [outcome(asked, 0, 1, rotation=n) for n, asked in enumerate(PERTURBATIONS["circular"].items(two))]
    rows += [outcome(PERTURBATIONS["circular"].items(item(3))[0], 0, 2)]  # the other two rotations failed
    row = next(row for row in content(stability.ANALYSIS, cell(rows, perturb="circular")) if row.over == "rotations")
    assert (row.items, row.left_out, row.all.value) == (2, 1, 0.5)
    assert row.sensitivity.value == pytest.approx((0 + disagreement([1, 0])) / 2)
    # The third rotation is asked of the item with three options only: wrong there, it is not the worst of both items.
    rows[2] = outcome(rows[2].item, rows[2].item.gold - 1, 0, rotation=2)
    row = next(row for row in content(stability.ANALYSIS, cell(rows, perturb="circular")) if row.over == "rotations")
    assert [(asking.name, asking.value) for asking in row.askings] == [("0", 1), ("1", 0.5), ("2", 0)]
    assert row.worst == "1" and row.quantiles[0] == pytest.approx(0.525)


def test_the_best_model_under_each_wording() -> None:
    def scored_wording(model: str, wording: str, right: int, **facts: object) -> ScoredCell:
        rows = [outcome(item(n), int(n >= right), n) for n in range(10)]
        return cell(rows, model=model, variant=wording, facts=facts)

    figures = {"one": (7, 4, 6), "two": (5, 8, 6)}
    cells = [
        scored_wording(model, name, n) for model, own in figures.items() for name, n in zip("pqr", own, strict=True)
    ]
    cells += [scored_wording("random", name, 9, backend="baseline") for name in "pqr"]  # a baseline wins nothing
    found = replace(
        results(stability.ANALYSIS, content(stability.ANALYSIS, *cells)), cells=tuple(one.result for one in cells)
    )
    sheet, *_ = stability.sheets(found)
    assert [column.heading for column in sheet.columns[4:-1]] == ["p", "q", "r"]
    (row,) = sheet.rows
    shown = [(one.value, one.asides) for one in row.cells[4:-1]]  # type: ignore[union-attr]
    assert shown == [("one", (" 70.0",)), ("two", (" 80.0",)), ("one, two", (" 60.0",))]
    assert row.cells[2:4] == (2, 10) and row.cells[-1].en == "yes" and sheet.finding  # type: ignore[union-attr]
    assert "in 1 of 1: EASY CKF" in sheet.finding.en and "1 处中 1 处" in sheet.finding.zh
    steady = [scored_wording("one", name, 8) for name in "pq"] + [
        scored_wording("two", name, n) for name, n in zip("pq", (8, 7), strict=True)
    ]
    found = replace(
        results(stability.ANALYSIS, content(stability.ANALYSIS, *steady)), cells=tuple(one.result for one in steady)
    )
    sheet, *_ = stability.sheets(found)
    assert sheet.rows[0].cells[-1].en == "no"  # type: ignore[union-attr]
    # A model that lacks the reply to an item is not compared: its mean is of other items.
    lacking = [scored_wording("three", name, 9) for name in "pq"]
    lacking = [replace(one, outcomes=replace(one.outcomes, outcomes=one.outcomes.outcomes[:-1])) for one in lacking]
    rows = content(stability.ANALYSIS, *steady, *lacking)
    sheet, *_ = stability.sheets(results(stability.ANALYSIS, rows))
    assert [one.value for one in sheet.rows[0].cells[4:-1]] == ["one, two", "one"]  # type: ignore[union-attr]
    assert sheet.rows[0].cells[2:4] == (2, 10)
    # Nor are two that lack one each, as these may be different ones.
    apart = [*steady]
    for n, kept in ((0, slice(1, None)), (3, slice(-1))):
        apart[n] = replace(apart[n], outcomes=replace(apart[n].outcomes, outcomes=apart[n].outcomes.outcomes[kept]))
    rows = content(stability.ANALYSIS, *apart)
    assert [row.items for row in rows] == [9, 9]
    assert not any(sheet.finding for sheet in stability.sheets(results(stability.ANALYSIS, rows)))
    # Results of one model make one sheet.
    assert len([*stability.sheets(results(stability.ANALYSIS, content(stability.ANALYSIS, *steady[:2])))]) == 1


def test_rotations_and_random_orders_are_told_apart() -> None:
    cells = [
        cell([outcome(item(0), 0, 0, rotation=n) for n in range(count)], perturb=perturb)
        for perturb, count in (("circular", 3), ("shuffle5", 5))
    ]
    rotated = content(stability.ANALYSIS, cell([outcome(item(0), 0, 0)]), *cells)
    assert {row.over for row in rotated} == {"rotations"}  # all rotations are no asking beside the unperturbed one
    (sheet,) = stability.sheets(results(stability.ANALYSIS, rotated))
    assert [row.cells[2] for row in sheet.rows] == ["paper 0-shot circular", "paper 0-shot shuffle5"]


# --- abstention


def an_abstention(values: Sequence[float | None], dialogues: Sequence[int]) -> abstention.Abstention:
    """The row of a cell; None abstains."""
    rows = [
        outcome(
            item(n),
            None if value is None else int(1 - value),
            dialogue,
            status=Status.REFUSED if value is None else None,
        )
        for n, (value, dialogue) in enumerate(zip(values, dialogues, strict=True))
    ]
    return abstention.abstention(cell(rows).outcomes)


def test_abstention_is_apart_from_wrong_and_from_silence() -> None:
    statuses = [Status.REFUSED, Status.SEVERAL, Status.TRUNCATED, None, None, None]
    choices = [None, None, None, 0, 0, 1]
    rows = [outcome(item(n), c, n, status=s) for n, (c, s) in enumerate(zip(choices, statuses, strict=True))]
    (row,) = content(abstention.ANALYSIS, cell(rows))
    assert (row.answered, row.abstained, row.silent) == (4, 1, 1)
    assert row.coverage.value == pytest.approx(4 / 6) and row.accuracy and row.accuracy.value == pytest.approx(2 / 4)
    assert [row.score(p).value for p in (0, 1, 3)] == pytest.approx([2 / 6, 0, (2 - 6) / 6])
    (sheet,) = abstention.sheets(replace(results(abstention.ANALYSIS, [row]), penalty=3))
    assert sheet.rows[0].cells[-1].value == pytest.approx(-4 / 6) and "-3" in sheet.notes[-1].en


def test_models_that_answer_stand_beside_those_that_abstain() -> None:
    refuses = cell([outcome(item(0), None, 0, status=Status.REFUSED)], model="a")
    answers = cell([outcome(item(0), 0, 0)], model="b")
    elsewhere = cell([outcome(item(0), 0, 0)], model="b", shots=5)
    assert [(r.model, r.shots) for r in content(abstention.ANALYSIS, refuses, answers, elsewhere)] == [
        ("a", 0),
        ("b", 0),
    ]


def test_abstention_is_of_written_replies() -> None:
    """A choice by likelihoods is no reply in which a model could decline to answer."""
    refuses = [outcome(item(0), None, 0, status=Status.REFUSED), outcome(item(1), 0, 1)]
    cells = [cell(refuses, scoring=scoring) for scoring in SCORINGS]
    assert [row.scoring for row in content(abstention.ANALYSIS, *cells)] == ["generate", "constrained"]


def test_interval_of_the_score_is_that_of_means_over_dialogues() -> None:
    """The interval for equally large dialogues is Student's, of the dialogues' means."""
    from scipy.stats import t

    rng = np.random.default_rng(2)
    drawn = rng.choice([0.0, 1.0, math.nan], (12, 4))
    row = an_abstention([None if math.isnan(x) else float(x) for x in drawn.ravel()], np.repeat(range(12), 4).tolist())
    each = np.where(np.isnan(drawn), 0, np.where(drawn == 1, 1, -2)).mean(axis=1)
    low, high = t.interval(0.95, 11, each.mean(), each.std(ddof=1) / math.sqrt(12))
    found = row.score(2)
    assert (found.value, found.low, found.high) == pytest.approx((each.mean(), low, high))


def test_a_score_that_all_dialogues_share_has_an_interval() -> None:
    """All right in five dialogues: Student's t of equal scores would say 1 to 1."""
    row = an_abstention([1.0] * 10, [n for n in range(5) for _ in range(2)])
    found, few = row.score(2), few_dialogues([1.0] * 5, range(5))
    assert found.value == 1 and (found.low, found.high) == pytest.approx((3 * few.low - 2, 1.0))
    assert found.low is not None and found.low < 0.5
    silent = an_abstention([None] * 10, [n for n in range(5) for _ in range(2)]).score(2)
    assert silent.value == 0 and silent.low is not None and -2 < silent.low < 0 < silent.high < 1


def test_coverage_of_the_score() -> None:
    """Dialogues of one to five items that differ in how hard they are; the truth is the ratio of expectations."""
    rng = np.random.default_rng(7)
    held, runs, penalty = 0, 300, 1.0
    for _ in range(runs):
        sizes = rng.integers(1, 6, 40)
        p = np.repeat(rng.beta(3, 2, 40), sizes)
        kind = rng.random(len(p))
        values = [None if u < 0.2 else float(r) for u, r in zip(kind, rng.random(len(p)) < p, strict=True)]
        found = an_abstention(values, np.repeat(range(40), sizes).tolist()).score(penalty)
        held += found.low <= 0.8 * (0.6 - 0.4) <= found.high
    assert held / runs > 0.92
