"""Difficulty and discrimination of items: figures against scipy, numpy and Cronbach's theorem, planted items, sheets,
audits, the page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
from as_json import a_run, scored_outcomes, sheets_of
from run_files import results_json
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.analyses import difficulty as of_items
from evalsuite.analyses.difficulty import LISTED, Difficulty
from evalsuite.benchmarks.registry import TASKS, Corpora
from evalsuite.common.errors import ConfigError
from evalsuite.common.resources import bundled
from evalsuite.metrics.classical import alpha, discriminations, negative_p, orders_of
from evalsuite.results.analysis import Results, ScoredCell
from evalsuite.results.outcomes import CellOutcomes, Outcome
from evalsuite.review import audit
from evalsuite.review.audit.sample import load_sample
from evalsuite.types import Answer, Cell, Item, Place, Reading, Request, Score, Status

TASK = "knowledge_filling"


def table(takers: int, items: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """Right and wrong answers of takers of several abilities."""
    rng = np.random.default_rng(seed)
    ability, hard = rng.normal(size=(takers, 1)), rng.normal(size=(1, items))
    return (rng.random((takers, items)) < 1 / (1 + np.exp(hard - 2 * ability))).astype(float)


@pytest.mark.parametrize(("takers", "items", "graded"), [(9, 30, False), (5, 12, False), (7, 20, True)])
def test_discrimination_is_scipys_correlation_with_the_sum_of_the_others(takers: int, items: int, graded: bool) -> None:
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(2).random((takers, items)) if graded else table(takers, items)
    found = discriminations(values)
    assert len(found) == values.shape[1] and any(r is not None for r in found)
    for n, r in enumerate(found):
        item, others = values[:, n], np.delete(values, n, axis=1).sum(axis=1)
        if len({*item}) == 1:
            assert r is None
        else:
            assert r == pytest.approx(stats.pearsonr(item, others).statistic, abs=1e-6)
            if {*item} == {0.0, 1.0}:
                assert r == pytest.approx(stats.pointbiserialr(item, others).statistic, abs=1e-6)


def test_takers_with_equal_sums_discriminate_nothing() -> None:
    """An item and the sum of the others add up to a constant: their correlation is -1, whatever the item."""
    assert discriminations(np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0]])) == [None, None, None]


@pytest.mark.parametrize("graded", [False, True])
def test_alpha_is_the_mean_of_all_split_halves(graded: bool) -> None:
    """Cronbach (1951): α is the mean of the coefficients 2(1 - (s_a² + s_b²) / s²) of all splits of the items into halves."""
    values = np.random.default_rng(2).random((7, 8)) if graded else table(9, 8)
    halves = []
    for one in combinations(range(1, 8), 3):
        a = values[:, [0, *one]].sum(axis=1)
        b = values.sum(axis=1) - a
        halves.append(2 * (1 - (a.var(ddof=1) + b.var(ddof=1)) / (a + b).var(ddof=1)))
    assert alpha(values) == pytest.approx(np.mean(halves), abs=1e-6)


def test_alpha_of_right_and_wrong_is_kr20() -> None:
    values = table(11, 25)
    share = values.mean(axis=0)
    sums = values.sum(axis=1)
    kr20 = 25 / 24 * (1 - sum(p * (1 - p) for p in share) / np.var(sums))
    assert alpha(values) == pytest.approx(kr20, abs=1e-6)
    assert alpha(np.ones((4, 3))) is None and alpha(np.ones((4, 1))) is None
    assert alpha(np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0.5]])) < 0  # items that contradict each other


def test_p_is_that_of_scipys_permutation_test() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(3)
    for takers, near in ((6, 1e-9), (7, 1e-9), (8, 0.02)):
        for _ in range(3):
            item, others = rng.permutation([1.0] * 3 + [0.0] * (takers - 3)), rng.integers(0, 20, takers).astype(float)
            theirs = stats.permutation_test(
                (item,), lambda x, axis, y=others: stats.pearsonr(x, y, axis=axis).statistic, permutation_type="pairings",
                alternative="less", n_resamples=np.inf, vectorized=True,
            )  # fmt: skip
            assert negative_p(item, others, orders_of(takers)) == pytest.approx(theirs.pvalue, abs=near)


def test_p_is_seldom_small_by_chance() -> None:
    """At the level 0.05, at most 5 % of the items that do not depend on a model's strength are called negative."""
    rng, orders, found = np.random.default_rng(5), orders_of(12), 0
    for _ in range(600):
        found += negative_p((rng.random(12) < 0.5).astype(float), rng.normal(size=12), orders) <= 0.05
    assert 10 <= found <= 48  # 30 expected; within 4 standard deviations


# --- rows by hand


def cell(
    model: str, values: Sequence[float | list[float]], chosen: Sequence[int] = (), task: str = TASK, **more: Any
) -> CellOutcomes:
    """A cell: the values of items 0, 1, …; gold is option 0."""
    place = replace(Place(model, task, "easy", "test", "paper", 0), **more)
    chosen = chosen or [-1] * len(values)
    outcomes = [
        Outcome(
            Item(f"i{n}", task, "easy", "test", (), "", ("甲", "乙", "丙", "丁"), gold=0), 0, sample, n, value,
            Answer(Status.PARSED, None if choice < 0 else choice), Score(),
        )
        for n, (found, choice) in enumerate(zip(values, chosen, strict=True))
        for sample, value in enumerate(found if isinstance(found, list) else [found])
    ]  # fmt: skip
    return CellOutcomes(Cell(place, {}), (), tuple(outcomes))


def difficulty(cells: Sequence[CellOutcomes]) -> dict[str, Any] | None:
    place = dict(Place("", TASK, "easy", "test", "paper", 0).without("model"))
    row = of_items.difficulty(place, cells)
    return row and row.written()


def test_a_row_has_difficulty_and_discrimination() -> None:
    cells = [
        cell("weak", [0, 0, 0, 1, 0], [1, 2, 1, 0, 1]),
        cell("middle", [0, 1, 0, 1, 0], [1, 0, 1, 0, 2]),
        cell("strong", [0, 1, [1, 0, 1], 1, 0], [1, 0, 0, 0, 3]),
    ]
    row = difficulty(cells)
    assert row is not None
    assert row["n"] == 5 and row["right"] == [2, 0 + 1, 1, 1] and row["models"] == ["weak", "middle", "strong"]
    assert row["value"] == pytest.approx((0 + 2 / 3 + 2 / 9 + 1 + 0) / 5, abs=1e-6)
    assert (row["all_wrong"], row["negative"]) == (2, 0)
    first, second = row["suspicious"]
    assert (first["item"], first["agree"], second["item"], second["agree"]) == ("i0", 3, "i4", 1)
    assert first["p"] == pytest.approx(4 / 5 * 3 / 5 * 2 / 5) and first["reply_of"] == "strong"
    assert first["discrimination"] is None and row["discrimination"]["n"] == 2
    assert difficulty(cells[:2]) is None
    assert difficulty([*cells[:2], cell("none", [])]) is None


def test_values_that_are_no_right_or_wrong_count_as_they_are() -> None:
    cells = [cell(f"m{n}", [0.1 * n, 0, 0.9, 0.2], task="event_cause") for n in range(1, 5)]
    row = difficulty(cells)
    assert row is not None and row["metric"] == "f1"
    assert row["all_wrong"] == 1 and row["suspicious"][0]["item"] == "i1"  # not i3, of which all have a little
    assert row["right"] == [3, 0, 0, 0, 1]
    assert row["value"] == pytest.approx((0.25 + 0 + 0.9 + 0.2) / 4)


def test_the_list_is_short_and_begins_with_the_least_probable() -> None:
    strong = [[float(n % 100 != 0) for n in range(6000)] for _ in range(6)]  # 60 items that all miss: p 1e-12
    for model in range(3):
        strong[model][1:5000] = [0.0 if n % 7 == model else x for n, x in enumerate(strong[model][1:5000])]
    for model, values in enumerate(strong):
        values[1] = float(model < 3)  # the weaker three alone are right: p 1/20
    row = difficulty([cell(f"m{n}", values) for n, values in enumerate(strong)])
    assert row is not None
    assert (row["all_wrong"], row["negative"], len(row["suspicious"])) == (60, 1, LISTED)
    assert [x["p"] for x in row["suspicious"]] == sorted(x["p"] for x in row["suspicious"])
    assert {x["why"] for x in row["suspicious"]} == {"all_wrong"}


def rows_of(*cells: ScoredCell) -> list[dict[str, Any]]:
    return [row.written() for row in of_items.compute(a_run(*cells))]


TRAINED = {"base": "m0", "task": TASK, "size": 1, "seed": 1, "set": "both", "allow_leak": False, "labels": {}}


def test_only_ranked_models_count() -> None:
    three = [scored_outcomes(cell(f"m{n}", [0, n % 2, 1])) for n in range(3)]
    (row,) = rows_of(
        *three,
        scored_outcomes(cell("chance", [1, 1, 1]), facts={"backend": "baseline", "tags": []}),
        scored_outcomes(cell("adapter", [1, 1, 1]), facts={"trained": TRAINED}),
        scored_outcomes(cell("half", [1, 1, 1]), missing=1),
        scored_outcomes(cell("broken", [1, 1, 1]), status={"failed": 1}),
        *(scored_outcomes(cell(f"m{n}", [1, 1, 1], perturb="shuffle")) for n in range(3)),
        *(scored_outcomes(cell(f"m{n}", [1, 1, 1], shots=2)) for n in range(2)),
    )
    assert row["models"] == ["m0", "m1", "m2"] and row["left_out"] == ["half", "broken"] and row["shots"] == 0
    (sheet,) = sheets_of(of_items.ANALYSIS, [row])
    assert any("half, broken" in getattr(note, "en", "") for note in sheet.notes)
    assert not rows_of(*three[:2])
    assert not list(
        of_items.suspicious_sheets(
            Results(Path(), "", Reading(), (), {"difficulty": [Difficulty.model_validate({**row, "suspicious": []})]})
        )
    )


# --- a run


@shared_folder
def run(folder: Path) -> Path:
    """Seven models, each right on more items than the one before; all miss the first item, and only the weaker three solve the
    second."""
    items = {item.id: item for item in Corpora(bundled("sample")).file(TASKS[TASK], "easy", "test").items}
    number = {name: n for n, name in enumerate(items)}

    def model(strength: int) -> Callable[[Request], str]:
        def reply(request: Request) -> str:
            item, n = items[request.id], number[request.id]
            right = strength < 3 if n == 1 else n > 1 and 25 * strength + 25 > n - 2
            assert item.gold is not None
            return item.labels[item.gold if right else (item.gold + 1) % len(item.labels)]

        return reply

    evalsuite.run({f"m{n}": model(n) for n in range(7)}, tasks=[TASK], set="easy", out=folder / "run")
    return folder / "run"


def content(run: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = results_json(run)
    return found


def suspicious_items(run: Path) -> dict[str, Any]:
    (row,) = content(run)["difficulty"]
    Difficulty.model_validate(row)
    return {x["item"].rpartition("/")[2]: x for x in row["suspicious"]}


@pytest.mark.slow
def test_planted_items_are_found(run: Path) -> None:
    found = suspicious_items(run)
    assert {name: x["why"] for name, x in found.items()} == {"0": "all_wrong", "1": "negative"}
    assert [x["right"] for x in found.values()] == [0, 3]
    negative = found["1"]
    assert negative["p"] == pytest.approx(1 / 35, abs=1e-5) and negative["discrimination"] < -0.7
    assert {x["reply_of"] for x in found.values()} == {"m6"}


def test_sheets_list_suspicious_items(run: Path, cli: Any) -> None:
    stdout = cli("show", run, "--tables", "difficulty,suspicious", COLUMNS="80").stdout
    assert max(len(line) for line in stdout.split("\n") if not line.startswith(("(n): ", "±: "))) <= 80
    lines = [line.split() for line in stdout.split("\n")]
    assert ["0", "missed", "0.0"] in [line[:3] for line in lines]
    assert ["1", "reversed", "42.9"] in [line[:3] for line in lines]
    (row,) = content(run)["difficulty"]
    (told,) = (line for line in lines if line[:3] == ["EASY", "CKF", "175"])
    none, one, two, three, four, five, six, every = row["right"]
    assert told[5:11] == [*map(str, (none, one, two + three, four + five, six, every))]
    assert told[11:] == [f"{row['alpha']:.2f}", f"{row['discrimination']['mean']:.2f}", "1"]


@pytest.mark.slow
def test_people_look_at_suspicious_items(run: Path, cli: Any) -> None:
    stdout = cli("audit", "make", run, "--suspicious", "--n", "2").stdout
    assert "14 of 14 outputs to suspicious items" in stdout
    page = run / "audit" / "corecode-2-seed0-suspicious" / "index.html"
    sample = load_sample(page.parent / "sample.json")
    assert sample.suspicious and {d.output.item for d in sample.drawn} == {
        x["item"] for x in suspicious_items(run).values()
    }
    assert sum(w.outputs for w in sample.whole) == 14
    plain = audit.make_sample(run, n=100)[1]
    assert not plain.suspicious and len(plain.drawn) > 14
    marks = page.parent / "m.jsonl"
    mark = {"sample": sample.hash, "output": sample.drawn[0].output.id, "annotator": "p", "said": "none"}
    marks.write_text(json.dumps(mark), encoding="utf-8")
    for of in (None, run):
        found = audit.summarize_marks([marks], of)
        assert len([note for note in found.notes if "suspicious items only" in note]) == 1
        assert found.sample.whole == sample.whole and found.as_json()["sample"]["suspicious"]


def test_an_audit_without_suspicious_items(tmp_path: Path) -> None:
    evalsuite.run(model=["lexical"], tasks=[TASK], limit=2, out=tmp_path)
    with pytest.raises(ConfigError, match="no reply to an item that looks suspicious"):
        audit.make_sample(tmp_path, suspicious=True)
    assert not (tmp_path / "audit").exists()


def test_the_page_opens_the_evidence(run: Path, browse: Any) -> None:
    with browse(run / "page/index.html") as page:
        assert page.locator('[data-sheet="difficulty"] tbody tr').count() >= 1
        item = suspicious_items(run)["1"]["item"]
        page.locator('[data-sheet="suspicious"] tbody tr', has_text=re.compile("reversed|反向")).locator(
            "th button"
        ).click()
        page.locator("#detail").filter(has_text=item).wait_for()
        assert unquote(page.url).endswith(f"item={item}") and "model=m6" in page.url
