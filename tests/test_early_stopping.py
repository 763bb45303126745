"""`--until`: the guarantee of its intervals, the order of items, and runs that stop early."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from as_json import a_cell, a_run, cells_of, content_of, rated_cells_of, scored_cell

import evalsuite
from evalsuite.analyses.contamination import ExposureTest
from evalsuite.analyses.judged.summary import _points
from evalsuite.analyses.judged.values import JudgedCell, JudgingFacts, ScaleSummary
from evalsuite.analyses.means import means
from evalsuite.analyses.ranked_pairs import pairs, verdict
from evalsuite.analyses.scores import notes
from evalsuite.analyses.significance import task_comparisons
from evalsuite.analyses.table import sheets
from evalsuite.common.errors import ConfigError, EvalsuiteError
from evalsuite.evaluation import early_stopping
from evalsuite.evaluation.early_stopping import Ranking
from evalsuite.evaluation.settings import points
from evalsuite.exchange.submit.submission import make_submission
from evalsuite.metrics.sequences import Order, bounds, difference, order_of, products
from evalsuite.results.analysis import Analysis
from evalsuite.results.estimates import item_range
from evalsuite.results.schema.cell import TokenCounts
from evalsuite.results.store import Store

# --- the sequences


def _orders(order: Order, values: np.ndarray):
    """The values in every order that is as likely as `order`: any within each stratum."""
    strata = [np.flatnonzero(order.strata == s) for s in np.unique(order.strata)]
    for drawn in product(*(permutations(values[members]) for members in strata)):
        made = np.empty(len(values))
        for members, own in zip(strata, drawn, strict=True):
            made[members] = own
        yield made


@pytest.mark.parametrize("sizes", [(6,), (3, 3), (2, 4), (2, 2, 3), (1, 5)])
@pytest.mark.parametrize("margin", [0.02, 0.2])
def test_the_products_are_supermartingales(sizes, margin):
    """Over all orders, exactly: the mean product is at most 1 after every block, and no miss is likelier than allowed."""
    rng = np.random.default_rng(len(sizes))
    order = order_of([str(n) for n in range(sum(sizes))], [s for s, size in enumerate(sizes) for _ in range(size)], "0")
    for kind in range(12):
        values = [rng.random(sum(sizes)), rng.integers(0, 2, sum(sizes)), rng.beta(0.2, 1, sum(sizes))][
            kind % 3
        ].astype(float)
        mean = values.mean()
        found, missed = [], []
        for drawn in _orders(order, values):
            evidence, slope = products(drawn, order, margin)
            found.append(np.exp(evidence - mean * slope))
            missed.append(((evidence + math.log(0.2)) / slope > mean + 1e-9).any())
        assert (np.mean(found, axis=0) <= 1 + 1e-9).all()
        assert np.mean(found, axis=0)[0] > 0.5  # a product of 0 would satisfy the line above
        assert np.mean(missed) <= 0.2


@pytest.mark.parametrize("shape", ["binary", "scores", "biased"])
def test_coverage_at_every_look(shape):
    rng = np.random.default_rng(7)
    strata = np.arange(240) % 3
    values = {
        "binary": rng.random(240) < 0.4,
        "scores": rng.beta(0.5, 1.5, 240),
        "biased": rng.random(240) < np.array([0.9, 0.3, 0.1])[strata],
    }[shape].astype(float)
    order = order_of([str(n) for n in range(240)], strata.tolist(), "0")
    members = [np.flatnonzero(order.strata == s) for s in range(3)]
    ordered, missed, asked = values[order.items], 0, []
    for _ in range(400):
        drawn = ordered.copy()
        for own in members:
            drawn[own] = rng.permutation(ordered[own])
        low, high = bounds(drawn, drawn, order, 0.08)
        missed += bool(((low > values.mean() + 1e-9) | (high < values.mean() - 1e-9)).any())
        asked.append(order.ends[np.argmax(high - low <= 0.16)])
    assert missed <= 20 + 2 * 4.4  # 5 % of 400, and two standard deviations
    assert np.mean(asked) < 220


def test_all_items_leave_no_doubt():
    order = order_of([str(n) for n in range(30)], [0] * 30, "0")
    values = np.random.default_rng(0).random(30)
    low, high = bounds(values, values, order, 0.02)
    assert low[-1] == pytest.approx(values.mean()) == high[-1]


def test_unknown_values_widen_the_interval():
    order = order_of([str(n) for n in range(200)], [0] * 200, "0")
    values = np.random.default_rng(1).integers(0, 2, 100).astype(float)
    failed = np.arange(100) % 10 == 0
    low, high = bounds(values, values, order, 0.05)
    worse_low, worse_high = bounds(np.where(failed, 0, values), np.where(failed, 1, values), order, 0.05)
    assert worse_low[-1] < low[-1] - 0.02 and worse_high[-1] > high[-1] + 0.02


def test_the_order_takes_from_strata_in_proportion():
    names = [str(n) for n in range(100)]
    order = order_of(names, [n % 4 > 0 for n in range(100)], "0")
    for end in order.ends:
        assert abs(np.mean(order.strata[:end] == order.strata[0]) - np.mean(order.strata == order.strata[0])) <= 1 / end
    assert order.items.tolist() == order_of(names, [n % 4 > 0 for n in range(100)], "0").items.tolist()
    assert order.items.tolist() != order_of(names, [n % 4 > 0 for n in range(100)], "1").items.tolist()
    assert sorted(order.items) == list(range(100))


@pytest.mark.parametrize("rare", [1, 3, 20])
def test_rare_strata_are_one(rare):
    """Rare strata are merged: each block draws from every stratum, so one with few items would allow only a few, large blocks."""
    order = order_of([str(n) for n in range(100)], [n if n < rare else -1 for n in range(100)], "0")
    assert sorted(order.items) == list(range(100)) and len(order.ends) >= 12


def test_failed_requests_may_be_right_or_wrong():
    assert item_range([(0, 1.0), (0, 0.5), (0, None)]) == (0.0, 0.5)
    assert item_range([(0, 0.0), (0, None)]) == (0.0, 0.0)


# --- runs


@pytest.mark.parametrize("text", ["±2", "2", "+-2", "2.0", "+/-2", " ±2 "])
def test_a_number_of_points_is_a_width(text):
    assert points(text, "--until") == 0.02


@pytest.mark.parametrize("text", ["", "two", "0", "-2", "50", "nan", "±"])
def test_other_values_of_until_are_refused(text):
    with pytest.raises(ConfigError, match=r"--until .*expected points"):
        points(text, "--until")


@pytest.fixture
def short_xcopa(real_data, tmp_path_factory):
    """The first 160 items of XCOPA's test file, where the whole one would only take longer."""
    test = "xcopa/data/zh/test.zh.jsonl"
    lines = (real_data / test).read_text(encoding="utf-8").splitlines(keepends=True)
    file = tmp_path_factory.mktemp("some") / test
    file.parent.mkdir(parents=True)
    file.write_text("".join(lines[:160]), encoding="utf-8")
    return file.parents[3]


class _Model:
    """A scripted model that is right on about three items in four. It counts its requests, and may fail at one of them."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.asked: list[str] = []
        self.fails_at = fails_at

    def reply(self, request):
        if len(self.asked) == self.fails_at:
            raise KeyboardInterrupt
        self.asked.append(request.prompt)
        return "A" if hash_of(request.prompt) % 4 else "B"


def hash_of(text: str) -> int:
    return sum(text.encode())


def _run(out: Path, data: Path, model: _Model, **settings):
    # One function for all, as its source is part of the fingerprint.
    return evalsuite.run({"mine": model.reply}, tasks=["xcopa"], data=data, out=out, **settings)


@pytest.mark.slow
def test_a_run_stops_early_and_goes_on(real_data, tmp_path):
    whole, early = _Model(), _Model()
    full = cells_of(_run(tmp_path / "full", real_data, whole))[0]
    done = _run(tmp_path / "early", real_data, early, until="±6")
    cell, again = cells_of(done)[0], _Model()
    estimate, metric = cell["estimate"], cell["metrics"]["accuracy"]
    assert done.exit_code == 0 and estimate["reached"] and estimate["of"] == 500
    assert estimate["asked"] == len(early.asked) == metric["n"] == 500 - cell["missing"] < 350
    assert (metric["low"], metric["high"]) == (estimate["low"], estimate["high"])
    assert metric["low"] <= full["metrics"]["accuracy"]["value"] <= metric["high"]
    assert 0 < metric["high"] - metric["low"] <= 0.12 and "wilson" not in metric
    # Figures of other items have another signature.
    assert f"|asked:{estimate['asked']}/500|" in metric["signature"] != full["metrics"]["accuracy"]["signature"]

    _run(tmp_path / "early", real_data, again, until="±6")
    assert again.asked == []
    narrower = cells_of(_run(tmp_path / "early", real_data, again, until="±4"))[0]["estimate"]
    assert narrower["asked"] == len(early.asked) + len(again.asked) < 500

    rest = cells_of(_run(tmp_path / "early", real_data, again))[0]
    assert len(early.asked) + len(again.asked) == 500
    assert rest == full  # no trace that it was stopped


@pytest.mark.thorough
def test_a_killed_run_asks_the_same_items(real_data, tmp_path):
    whole = _Model()
    cell = cells_of(_run(tmp_path / "whole", real_data, whole, until="±6"))[0]
    killed, after = _Model(fails_at=100), _Model()
    with pytest.raises(KeyboardInterrupt):
        _run(tmp_path / "killed", real_data, killed, until="±6")
    halfway = evalsuite.score(tmp_path / "killed")
    assert halfway.exit_code == 1 and "not reached after" in halfway.problems[0]
    assert cells_of(halfway)[0]["estimate"]["asked"] <= 100
    assert cells_of(_run(tmp_path / "killed", real_data, after, until="±6"))[0] == cell
    assert killed.asked + after.asked == whole.asked


@pytest.mark.slow
def test_replies_out_of_order_do_not_count(real_data, tmp_path):
    """The first items of the file are no random draw."""
    fresh = cells_of(_run(tmp_path / "fresh", real_data, _Model(), until="±6"))[0]
    _run(tmp_path / "limited", real_data, _Model(), limit=60)
    assert cells_of(_run(tmp_path / "limited", real_data, _Model(), until="±6"))[0] == fresh


@pytest.mark.slow
@pytest.mark.parametrize("still", [0, 3])
def test_what_failed_behind_the_point_of_stopping_is_asked_again(tmp_path, capsys, still):
    """The first command fails on a third of its items, so that all are asked; the second one would know enough sooner."""
    asked = []

    def run(fails):
        def reply(request):
            asked.append(request.id)
            return None if fails(request.id) else "(b)"

        # One function for all, as its source is part of the fingerprint.
        return evalsuite.run(
            {"m": reply}, tasks=["CKF"], set="hard", until="±15", baselines=[], out=tmp_path / "run"
        ).cells[0]

    first = run(lambda name: hash_of(name) % 3 == 0)
    assert len(asked) == first.items and first.failed > 30 and not first.is_estimate
    capsys.readouterr()
    last = sorted(name for name in asked if hash_of(name) % 3 == 0)[-3:]
    asked.clear()
    second = run(lambda name: still and name in last)
    assert len(asked) == first.failed and not second.is_estimate
    assert second.failed == still and "enough" not in capsys.readouterr().err


def test_a_difference_within_the_margin_is_alike_also_when_all_is_asked():
    intervals = ((0.002, 0.002), (0.002, 0.02), (-0.03, -0.001), (-0.02, 0.02))
    assert [verdict(low, high, 0.01) for low, high in intervals] == ["alike", "a", "b", "open"]


_TOKENS = {
    "replies": 9,
    "mean": 5.0,
    "median": 5,
    "p90": 9,
    "total": 45,
    "thinking": 0.0,
    "by_characters": 0,
    "prompt": 50.0,
}


def _contamination_row(model: str) -> dict[str, object]:
    place = {
        "model": model,
        "task": "xcopa_cause_effect",
        "set": "zh",
        "split": "test",
        "test": "order",
        "form": "raw",
        "fingerprint": "f",
    }
    return {
        **place,
        "left_out": 0,
        "units": 9,
        "tokens": 90,
        "n": 9,
        "value": 0.5,
        "expected": 0.5,
        "p": 0.5,
        "p_holm": 1.0,
        "why": "",
        "figures": {},
        "reference": None,
        "listed": [],
        "checks": {},
    }


@pytest.mark.slow
def test_estimates_are_marked_and_not_tested(real_data, tmp_path, caplog):
    first = _Model()
    out = tmp_path / "two"
    done = evalsuite.run(
        {"one": first.reply, "two": lambda request: "A"}, tasks=["xcopa"], data=real_data, out=out, until="±6"
    )
    asked = {cell["model"]: cell["estimate"]["asked"] for cell in cells_of(done)}
    (table,) = (sheet for sheet in sheets(done, ["results"]))
    shown = {row.cells[0]: row.cells[1] for row in table.rows if row.cells[0] in asked}
    assert shown.keys() == asked.keys()
    assert all(f"≈{asked[model]}/500" in value.flags and not value.compares for model, value in shown.items())
    assert any(str(getattr(note, "en", note)).startswith("≈k/n: only k of n items") for note in notes(done))
    tested = replace(
        done, contents={**done.contents, "contamination": [ExposureTest.model_validate(_contamination_row("one"))]}
    )
    (seen,) = sheets(tested, ["contamination"])
    assert f"≈{asked['one']}/500" in seen.rows[1].cells[7]
    tokens = TokenCounts.model_validate(_TOKENS)
    counted = replace(done, cells=tuple(cell.model_copy(update={"tokens": tokens}) for cell in done.cells))
    (spent,) = sheets(counted, ["tokens"])
    assert {row.cells[1].flags for row in spent.rows} == {(f"≈{n}/500",) for n in asked.values()}
    assert task_comparisons(rated_cells_of(out)) == []
    assert content_of(done, "difficulty") == [] and content_of(done, "breakdowns") == []
    with pytest.raises(ConfigError, match=r"share no answered item"):
        evalsuite.compare(out, "one", "two")
    assert "are estimates and are left out" in caplog.text
    with pytest.raises(ConfigError, match="without --until"):
        make_submission(out, tmp_path / "submission", {}, {})
    results = json.loads((out / "results.json").read_bytes())
    assert all("until" in cell["facts"] for cell in results["cells"])


# --- models told apart


def test_intervals_cover_differences():
    rng = np.random.default_rng(3)
    one = rng.integers(0, 2, 150).astype(float)
    two = np.where(rng.random(150) < 0.7, one, rng.random(150))
    order = order_of([str(n) for n in range(150)], [0] * 150, "0")
    mean, missed, found = float((one - two).mean()), 0, []
    for _ in range(300):
        drawn = rng.permutation(150)
        both = (np.stack([values[drawn]] * 2, axis=1) for values in (one, two))
        low, high = difference(*both, order, 0.05)
        missed += bool(((low > mean + 1e-9) | (high < mean - 1e-9)).any())
        found.append(high[-1] - low[-1])
    assert missed <= 15 + 2 * 3.8
    assert max(found) < 1e-9  # once all items are asked, the interval has no width


def test_differences_of_failed_items_may_be_anything():
    order = order_of([str(n) for n in range(40)], [0] * 40, "0")
    right, failed = np.ones((40, 2)), np.tile([0.0, 1.0], (40, 1))
    low, high = difference(right, failed, order, 0.05)
    assert (low[-1], high[-1]) == pytest.approx((0, 1))


@pytest.mark.thorough
def test_models_are_told_apart(short_xcopa, tmp_path):
    strong, weak = "A", "B"
    replies = {
        "always": lambda request: strong,
        "again": lambda request: strong,
        "never": lambda request: f"{weak}。" if len(request.prompt) % 2 else strong,
    }
    done = evalsuite.run(replies, tasks=["xcopa"], data=short_xcopa, out=tmp_path, until_ranked="±5")
    (row,) = content_of(done, "ranked")
    pairs = {(pair["a"], pair["b"]): pair for pair in row["pairs"]}
    assert done.exit_code == 0 and row["level"] == pytest.approx(1 - 0.05 / 3)
    assert pairs["again", "always"]["verdict"] == "alike"
    assert pairs["again", "always"]["difference"] == 0
    assert pairs["always", "never"]["verdict"] in ("a", "b", "alike")
    for pair in row["pairs"]:
        assert pair["low"] - 1e-9 <= pair["difference"] <= pair["high"] + 1e-9
    (sheet,) = sheets(done, ["ranked"])
    assert [row.cells[:2] for row in sheet.rows] == sorted(pairs)

    asked = {cell["model"]: cell["status"]["parsed"] for cell in cells_of(done)}
    again = evalsuite.run(replies, tasks=["xcopa"], data=short_xcopa, out=tmp_path, until_ranked="±5")
    assert {cell["model"]: cell["status"]["parsed"] for cell in cells_of(again)} == asked

    whole = evalsuite.run(replies, tasks=["xcopa"], data=short_xcopa, out=tmp_path)
    values = {cell["model"]: cell["metrics"]["accuracy"]["value"] for cell in cells_of(whole)}
    assert content_of(whole, "ranked") == [] and not any("estimate" in cell for cell in cells_of(whole))
    for (a, b), pair in pairs.items():
        assert pair["low"] - 1e-9 <= values[a] - values[b] <= pair["high"] + 1e-9
        if pair["verdict"] == "alike":
            assert abs(values[a] - values[b]) <= 0.05
        else:
            assert (values[a] > values[b]) == (pair["verdict"] == "a")


@pytest.mark.thorough
def test_equal_models_need_few_items(real_data, tmp_path):
    replies = {"one": lambda request: "A", "two": lambda request: "A"}
    (pair,) = content_of(
        evalsuite.run(replies, tasks=["xcopa"], data=real_data, out=tmp_path, until_ranked="±5"), "ranked"
    )[0]["pairs"]
    assert pair["verdict"] == "alike" and pair["asked"] < 350


@pytest.mark.slow
def test_clear_differences_need_few_items(real_data, tmp_path):
    """The oracle against a model that never answers."""
    listed = tmp_path / "models.yaml"
    listed.write_text(
        "models:\n  - {name: lexical, backend: baseline, path: lexical}\n"
        "  - {name: one, backend: scripted, path: one.jsonl}\n  - {name: two, backend: scripted, path: two.jsonl}\n"
    )
    items = [f"xcopa/zh/test/cause_effect/{n}" for n in range(500)]
    for name, reply in (("one", "A"), ("two", "?")):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps({"item": i, "text": reply}) + "\n" for i in items))
    done = evalsuite.run(listed, tasks=["xcopa"], data=real_data, out=tmp_path / "run", until_ranked="±1")
    (pair,) = content_of(done, "ranked")[0]["pairs"]
    assert pair["verdict"] == "a" and pair["asked"] <= 96
    (baseline,) = (cell for cell in cells_of(done) if cell["model"] == "lexical")
    assert baseline["missing"] == 0


def test_a_model_that_fails_ends_the_passes(short_xcopa, tmp_path, monkeypatch):
    """The rest of a failed model's pair cannot be told apart: the other model is asked no more, and no pass is made for it."""
    calls, passes, look = [], [], Ranking._open

    def gone_after_80_requests(request):
        calls.append(request)
        if len(calls) > 80:
            raise EvalsuiteError("gone")
        return "A"

    def counted(self):
        passes.append(self.share)
        assert len(passes) < 20
        return look(self)

    monkeypatch.setattr(Ranking, "_open", counted)
    replies = {"gone": gone_after_80_requests, "other": lambda request: "AB"[len(request.prompt) % 2]}
    done = evalsuite.run(replies, tasks=["xcopa"], data=short_xcopa, out=tmp_path, until_ranked="±0.5")
    (pair,) = content_of(done, "ranked")[0]["pairs"]
    assert pair["verdict"] == "open" and done.exit_code == 1
    assert {cell["model"]: cell["missing"] for cell in cells_of(done) if cell["model"] == "other"}["other"] > 30


def test_the_level_stated_is_that_of_the_intervals(short_xcopa, tmp_path):
    """One of three models never answers: the pair of the other two has its interval at the level of three pairs."""

    def gone(request):
        raise EvalsuiteError("gone")

    replies = {"gone": gone, "one": lambda request: "A", "two": lambda request: "A"}
    done = evalsuite.run(replies, tasks=["xcopa"], data=short_xcopa, out=tmp_path, until_ranked="±20", baselines=[])
    (row,) = content_of(done, "ranked")
    assert [(pair["a"], pair["b"]) for pair in row["pairs"]] == [("one", "two")]
    assert row["level"] == pytest.approx(1 - 0.05 / 3)


@pytest.mark.slow
def test_what_failed_is_asked_again_once_in_the_next_command(short_xcopa, tmp_path, monkeypatch):
    """The first command fails on a third of the items, so that all are asked and the pair stays open or is told from the rest."""
    asked, planned, stored = [], [], Store.plan
    monkeypatch.setattr(Store, "plan", lambda self, cell, trials: planned.append(cell) or stored(self, cell, trials))

    def run(still):
        def better(request):
            asked.append(request.id)
            return None if hash_of(request.id) % 3 == 0 and not still else "A"

        # One function for all, as its source is part of the fingerprint.
        replies = {"one": better, "two": lambda request: "AB"[len(request.prompt) % 2]}
        return evalsuite.run(
            replies, tasks=["xcopa"], data=short_xcopa, out=tmp_path, until_ranked="±0.5", baselines=[]
        )

    def failed(done):
        return sum(cell.failed for cell in done.cells)

    first = run(False)
    assert failed(first) > 30 and len(asked) == len({*asked}), "in one command nothing is asked twice"
    assert len(planned) == 2, "one cell of each model, in however many passes"
    asked.clear()
    second = run(True)
    assert len(asked) == failed(first) and failed(second) == 0
    (pair,) = content_of(second, "ranked")[0]["pairs"]
    assert pair["verdict"] in "ab" and second.exit_code == 0


@pytest.mark.thorough
def test_models_of_earlier_commands_count_among_the_pairs(short_xcopa, tmp_path, monkeypatch):
    """The level is that of results.json, or a pair would be open there that the run takes as decided."""
    replies = {name: (lambda request: "A") for name in ("one", "two", "three")}
    settings = {"tasks": ["xcopa"], "data": short_xcopa, "out": tmp_path, "until_ranked": "±5"}
    evalsuite.run({name: replies[name] for name in ("one", "two")}, **settings)
    models = []
    monkeypatch.setattr(early_stopping, "pairs", lambda column: models.append(len(column)) or pairs(column))
    done = evalsuite.run({name: replies[name] for name in ("one", "three")}, **settings)
    assert len(content_of(done, "ranked")[0]["pairs"]) == 3 and {*models} == {3}


def test_one_model_is_not_told_apart(tmp_path):
    with pytest.raises(ConfigError, match="fewer than two"):
        evalsuite.run({"one": lambda request: "A"}, out=tmp_path, until_ranked="±1")
    with pytest.raises(ConfigError, match="give one"):
        evalsuite.run({"one": lambda request: "A"}, out=tmp_path, until="2", until_ranked="±1")


# --- other tables


def test_estimates_and_baselines_are_no_points_of_a_judge_s_correlations():
    """The items of an estimate are others than those of whole cells; an oracle agrees with every judge and metric."""
    facts = {
        "template": "0" * 64, "scales": [["s", 0, 5, "分"]], "reminder": "", "attempts": 1, "limit": None, "seed": 0,
        "fingerprint": "f", "backend": "hf", "chat": True, "sampling": {}, "max_new_tokens": 8, "repeats_by": "wording",
        "family": "", "of_family": "",
    }  # fmt: skip
    estimate = {"method": "anchors", "asked": 3, "of": 10}
    cells = [
        a_cell(model=name, task="event_cause", metrics={"f1": {"value": 0.5}}, **more)
        for name, more in (
            ("whole", {}), ("stopped", {"estimate": estimate}), ("oracle", {"facts": {"backend": "baseline"}})
        )
    ]  # fmt: skip
    judged = [
        JudgedCell(
            **cell.coordinates(), judge="j", rubric="r", control="plain", items=10, status={}, asked_again=0, errors={},
            scales={"s": ScaleSummary(value=3.0, low=None, high=None, n=10, histogram={})}, signature="",
            records="judged/x.jsonl", facts=JudgingFacts.model_validate(facts),
        )
        for cell in cells
    ]  # fmt: skip
    (points,) = _points(judged, cells, lambda cell: cell.place.without("model")).values()
    assert [model for model, *_ in points] == ["whole"]


def test_an_analysis_takes_estimates_whichever_analysis_asks_for_it_first():
    whole, stopped = a_cell(), a_cell(set="hard", estimate={"method": "anchors", "asked": 3, "of": 10})

    def ours(name, compute, **settings):
        return Analysis(name, None, list, compute, **settings)

    with_estimates = ours("with", lambda run: [cell.is_estimate for cell in run.results], estimates=True)
    without = ours("without", lambda run: [[cell.is_estimate for cell in run.results], run.of(with_estimates)])
    run = a_run(scored_cell(whole), scored_cell(stopped))
    assert run.of(without) == [[False], [False, True]]
    assert run.of(with_estimates) == [False, True]


def test_means_have_no_figure_of_anchor_items_alone():
    estimate = {"method": "anchors", "metric": "f1", "asked": 3, "of": 9}
    cells = [
        a_cell(
            task="cider_span_extraction", set=item_set, items=9, estimate=estimate,
            metrics={name: {"value": 0.5, "low": None, "high": None} for name in ("f1", "em")},
        )
        for item_set in ("fold1", "fold2")
    ]  # fmt: skip
    (row,) = means(cells)
    assert row.estimates == 2 and row.metrics.keys() == {"f1"}
