"""Anchor items: what the methods promise, that promised errors are kept on models that nobody has seen, and --items."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from itertools import combinations, count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from as_json import a_cell, cells_of
from run_files import read_jsonl, results_json

import evalsuite
from benchmarks.anchors import one_seed, simulate_outcomes
from evalsuite.analyses.anchor_sheets import anchor_sheets
from evalsuite.analyses.anchors import ChosenAnchors, TaskOutcomes, anchors, file_of
from evalsuite.analyses.table import sheets
from evalsuite.benchmarks.registry import TASKS, open_corpus
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.resources import bundled
from evalsuite.common.sheet import Text, Value, english
from evalsuite.evaluation.items import read_selection
from evalsuite.metrics.anchors import (
    METHODS,
    MOST_WEIGHT,
    SIGNED,
    Anchors,
    KnownModels,
    SizeError,
    choose,
    curve,
    errors,
    medoids,
    random_folds,
)
from evalsuite.types import Place, Request
from tools.generated.schemas import SCHEMAS

Table = np.ndarray[Any, np.dtype[np.float64]]


def _clustered(models: int, items: int, seed: int, kinds: int = 6) -> Table:
    """Items of a few kinds; a model knows all of a kind, or none, but for a few mistakes."""
    rng = np.random.default_rng(seed)
    of = np.repeat(np.arange(kinds), math.ceil(items / kinds))[:items]
    skill = rng.random((models, kinds)) < rng.random((models, 1))
    return np.asarray(skill[:, of] ^ (rng.random((models, items)) < 0.03), dtype=float)


def _noise(models: int, items: int, seed: int) -> Table:
    """Outcomes in which no item says more about a model than another."""
    rng = np.random.default_rng(seed)
    return np.asarray(rng.random((models, items)) < rng.uniform(0.2, 0.8, (models, 1)), dtype=float)


# --- methods


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [1, 7, 60])
def test_weights_sum_to_one_and_items_are_distinct(method: str, size: int) -> None:
    table = _clustered(9, 60, 1)
    found = choose(method, table, np.arange(60) % 4, size, seed=3)
    assert len({*found.items.tolist()}) == size == len(found.weights)
    assert found.weights.sum() == pytest.approx(1)
    assert (np.diff(found.items) > 0).all()


@pytest.mark.parametrize("method", METHODS)
def test_all_items_give_the_score(method: str) -> None:
    table, new = _clustered(9, 60, 1), _noise(5, 60, 2)
    found = choose(method, table, np.arange(60) % 4, 60, seed=0)
    assert found.estimate(new) == pytest.approx(new.mean(axis=1))


def test_strata_hold_each_answer_as_often_as_it_is_there() -> None:
    answers = np.array([0] * 40 + [1] * 20)
    found = choose("answers", _noise(8, 60, 1), answers, 6, seed=0)
    assert np.bincount(answers[found.items]).tolist() == [4, 2]


def test_medoids_are_nearly_as_near_as_the_best_of_all_sets() -> None:
    """The best set by trying all of them."""
    table = _clustered(12, 16, 4, kinds=3)
    seen = KnownModels(table)

    def cost(items: Any) -> float:
        return float(seen.distances[:, list(items)].min(axis=1).sum())

    least = min(map(cost, combinations(range(16), 3)))
    found = [cost(medoids(seen, 3, np.random.default_rng(n)).items) for n in range(20)]
    assert min(found) == pytest.approx(least)
    assert float(np.median(found)) < 1.5 * least


def test_medoids_share_the_weight_of_items_that_all_models_answer_alike() -> None:
    table = np.repeat(np.eye(4)[:, :2], 50, axis=1)  # two different columns only, fifty times each
    found = choose("medoids", table, None, 10, seed=0)
    assert found.weights.max() < 0.3  # 0.5 if one item stood for all that are like it


def test_anchors_come_in_the_order_of_the_items() -> None:
    found = Anchors.of(np.array([5, 2]), np.array([0.7, 0.3]))
    assert found.items.tolist() == [2, 5] and found.weights.tolist() == [0.3, 0.7]


# --- errors


@pytest.mark.slow
def test_better_than_random_where_items_repeat_each_other() -> None:
    table = _clustered(60, 300, 5)
    point = curve(table[:20], None, [30], seed=1)[0]
    assert point.error < 0.7 * point.methods["random"]
    found = choose(point.method, table[:20], None, 30, seed=1)
    off = np.abs(found.estimate(table[20:]) - table[20:].mean(axis=1)).mean()
    assert off < 0.8 * point.methods["random"]


@pytest.mark.thorough
def test_the_promised_error_is_kept_on_pure_noise() -> None:
    """The test can fail: the error of the best-fitting method on the models that chose the items is far too small."""
    promised, kept, naive = [], [], []
    for seed in range(3):
        table = _noise(60, 200, seed)
        seen, new = table[:15], table[15:]
        point = curve(seen, None, [20], seed)[0]
        off = choose(point.method, seen, None, 20, seed).estimate(new) - new.mean(axis=1)
        promised.append(point.error)
        kept.append(float(np.abs(off).mean()))
        fits = [choose(m, seen, None, 20, seed).estimate(seen) - seen.mean(axis=1) for m in METHODS if m != "answers"]
        naive.append(min(float(np.abs(x).mean()) for x in fits))
        assert point.error > 0.8 * point.methods["random"]  # no method can be much better than random items
    assert np.mean(promised) > 0.85 * np.mean(kept)
    assert np.mean(naive) < 0.5 * np.mean(kept)


@pytest.mark.thorough
def test_the_interval_holds_new_models() -> None:
    inside = []
    for seed in range(3):
        table = _clustered(80, 200, seed)
        point = curve(table[:12], None, [25], seed)[0]
        off = choose(point.method, table[:12], None, 25, seed).estimate(table[12:]) - table[12:].mean(axis=1)
        inside.append(float((np.abs(off) <= point.half).mean()))
    assert np.mean(inside) > 0.9


def test_models_left_out_have_no_part_in_the_choice() -> None:
    """Answers of a left-out model to other items do not change its estimate."""
    table = _clustered(8, 60, 1)
    folds = random_folds(8, 4, 0)
    assert sorted(np.concatenate(folds).tolist()) == list(range(8))
    before = errors(table, None, [10], [folds[0]], ["stratified", "medoids", "regression"], 0)
    changed = table.copy()
    changed[folds[0]] = 1 - changed[folds[0]]  # every error changes its sign
    after = errors(changed, None, [10], [folds[0]], ["stratified", "medoids", "regression"], 0)
    for place, found in before.items():
        assert found.absolute == pytest.approx(after[place].absolute)


def test_too_few_models_are_refused() -> None:
    with pytest.raises(ValueError, match="4 models"):
        curve(_noise(4, 30, 0), None, [5])


@pytest.mark.slow
def test_the_same_seed_gives_the_same_items() -> None:
    table = _clustered(8, 60, 1)
    assert curve(table, None, [10], 4) == curve(table, None, [10], 4)
    assert choose("medoids", table, None, 10, 4).items.tolist() != choose("medoids", table, None, 10, 5).items.tolist()


# --- runs

TASK = "knowledge_filling"
XCOPA = TASKS["xcopa_cause_effect"]


def _model(name: str, skill: float) -> Callable[[Request], str]:
    """A scripted model that is right on the easier items. An item's difficulty depends on its id, and a little on the model."""

    def share(text: str) -> float:
        return int(hashlib.sha256(text.encode()).hexdigest()[:12], 16) / 16**12

    def reply(request: Request) -> str:
        right = 0.8 * share(request.id) + 0.2 * share(name + request.id) < skill
        return gold()[request.id] if right else "不知道"

    return reply


def gold() -> dict[str, str]:
    from evalsuite.benchmarks.registry import TASKS, Corpora
    from evalsuite.common.resources import resolve

    if not _GOLD:
        corpus = Corpora(resolve("bundled:sample"))
        for item_set in ("easy", "hard"):
            _GOLD.update({item.id: item.target for item in corpus.file(TASKS[TASK], item_set, "test").items})
    return _GOLD


_GOLD: dict[str, str] = {}
SKILLS = {f"m{n}": 0.2 + 0.1 * n for n in range(7)}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("anchors") / "run"
    evalsuite.run({name: _model(name, skill) for name, skill in SKILLS.items()}, tasks=[TASK], out=out)
    return out


@pytest.fixture(scope="module")
def file(run: Path) -> Path:
    found, _ = anchors([run], [10])
    path = run.parent / "anchors.json"
    path.write_text(json.dumps(file_of(found, 0).written()), encoding="utf-8")
    return path


def test_sheets_have_the_error_of_each_size_beside_that_of_random_items() -> None:
    place = Place("", TASK, "easy", "test", "paper", 0)
    by_method: list[dict[str, float]] = [{"random": 0.08, "medoids": 0.04}, {"random": 0.05, "medoids": 0.02}]
    small = SizeError(5, "medoids", 0.04, 0.05, 0.1, 0.2, by_method[0], (0.02, 0.16), (0.03, 0.06))
    large = SizeError(10, "medoids", 0.02, 0.03, 0.05, 0.1, by_method[1], (0.01, 0.1), None)
    column = TaskOutcomes(place, {}, ("a", "b"), ("x", "y", "z"), np.zeros((2, 3)), None)
    curve, methods = anchor_sheets([ChosenAnchors(column, large, (small, large), ())])
    assert [row.cells[0] for row in curve.rows] == ["5", "", "10", ""]
    assert [row.cells[2] for row in curve.rows] == [0.04, Value(0.08, 0.02, 0.16), 0.02, Value(0.05, 0.01, 0.1)]
    assert [row.cells[3:] for row in curve.rows] == [(0.1, 0.5), (None, 1.0), (0.05, 0.25), (None, 0.625)]
    assert english(curve.notes[0]) == "3 items, 2 models: a, b"
    assert isinstance(curve.title, Text) and curve.title.zh.endswith(
        "：简单 常识知识填充，测试集，提示词 paper，零样本"
    )
    assert [row.cells for row in methods.rows] == [
        (5, 0.08, 0.04, Value(0.03), Value(0.06)),
        (10, 0.05, 0.02, Value(None), Value(None)),
    ]


def test_sheets_of_models_with_the_same_outcomes_have_empty_bars() -> None:
    """All models have every item wrong, so that no choice of items errs."""
    table = np.zeros((5, 60))
    (point,) = curve(table, None, [10], 0)
    column = TaskOutcomes(Place("", TASK, "easy", "test", "paper", 0), {}, tuple("abcde"), tuple("xyz"), table, None)
    drawn, _ = anchor_sheets([ChosenAnchors(column, point, (point,), ())])
    assert [row.cells[4] for row in drawn.rows] == [0.0, 0.0]


def test_the_file_has_every_size_of_the_curve() -> None:
    """The figures of a size stand in the file as they were found; the two models' scores are 0 and 2 of 3."""
    place = Place("a", TASK, "easy", "test", "paper", 0)
    small = SizeError(2, "medoids", 0.04, 0.05, 0.1, 0.2, {"random": 0.08, "medoids": 0.04}, (0.02, 0.16), (0.03, 0.06))
    large = SizeError(3, "medoids", 0.02, 0.03, 0.06, 0.1, {"random": 0.05, "medoids": 0.02}, (0.01, 0.1), None)
    table = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0]])
    column = TaskOutcomes(place, a_cell().facts, ("a", "b"), ("x", "y", "z"), table, None)
    chosen = ChosenAnchors(column, large, (small, large), (("x", 0.5), ("y", 0.2), ("z", 0.3)))
    (one,) = file_of([chosen], 7).written()["sets"]
    assert [(item["id"], item["weight"]) for item in one["items"]] == [("x", 0.5), ("y", 0.2), ("z", 0.3)]
    assert one["seen"] == [0, pytest.approx(2 / 3)] and (one["of"], one["models"]) == (3, ["a", "b"])
    assert one["error"] == one["curve"][1]["error"] == {"mean": 0.02, "rms": 0.03, "half": 0.06, "worst": 0.1}
    shown = [(row["size"], row["methods"]["random"], row["random"], row.get("stronger")) for row in one["curve"]]
    assert shown == [(2, 0.08, [0.02, 0.16], [0.03, 0.06]), (3, 0.05, [0.01, 0.1], None)]


@pytest.mark.parametrize(
    ("sizes", "said"), [([], "--size"), ([1], "--size"), ([10, 1], "--size"), ([2], "no-such-run")]
)
def test_two_items_are_the_fewest(sizes: list[int], said: str) -> None:
    with pytest.raises((ConfigError, DataError), match=said):
        anchors(["no-such-run"], sizes)


@pytest.mark.slow
def test_the_command_writes_the_file_of_the_last_size(tmp_path: Path, cli: Callable[..., Any]) -> None:
    """Five models, of which each is right on one item more: a row a size, and a file of as many items as the last."""
    known = {item.id: item for item in open_corpus("xcopa", bundled("sample")).file(XCOPA, "zh", "test").items}
    order = list(known)

    def model(n: int) -> Callable[[Request], str]:
        return lambda request: known[request.id].target if order.index(request.id) <= n else "不知道"

    names = [f"m{n}" for n in range(1, 6)]
    evalsuite.run({name: model(n) for n, name in enumerate(names, 1)}, tasks=[XCOPA.name], out=tmp_path / "run")
    out = tmp_path / "a.json"
    stdout = cli("anchors", tmp_path / "run", "--size", "2,3", "--out", out, COLUMNS="100").stdout
    (one,) = json.loads(out.read_text(encoding="utf-8"))["sets"]
    assert (one["of"], one["models"], [row["size"] for row in one["curve"]]) == (len(known), names, [2, 3])
    assert len(one["items"]) == 3 and math.fsum(item["weight"] for item in one["items"]) == pytest.approx(1)
    assert one["seen"] == [pytest.approx(2 / len(known)), pytest.approx(6 / len(known))]
    lines = [line.split() for line in stdout.split("\n")]
    assert [line[0] for line in lines if line and line[0] in ("2", "3")][:2] == ["2", "3"]
    assert "chosen by 5 models: too few" in stdout and f"evalsuite run --items {out}" in " ".join(stdout.split())


def _ask(tmp_path: Path, items: Path, **settings: Any) -> evalsuite.Results:
    return evalsuite.run({"new": _model("new", 0.55)}, tasks=[TASK], out=tmp_path / "out", items=items, **settings)


@pytest.mark.slow
def test_a_file_has_what_is_needed_and_no_text(file: Path) -> None:
    content = json.loads(file.read_text(encoding="utf-8"))
    SCHEMAS["anchors"].model_validate_json(file.read_bytes())
    assert {one["set"] for one in content["sets"]} == {"easy", "hard"}
    for one in content["sets"]:
        assert len(one["items"]) == 10 and math.fsum(item["weight"] for item in one["items"]) == pytest.approx(1)
        assert one["models"] == sorted(SKILLS) and one["seen"][0] < one["seen"][1]
        assert one["of"] == sum(f"/{one['set']}/" in name for name in gold())
    assert not any("\u4e00" <= sign <= "\u9fff" for sign in json.dumps(content, ensure_ascii=False))


def test_a_run_asks_only_the_items_of_a_file(tmp_path: Path, file: Path) -> None:
    done = _ask(tmp_path, file)
    chosen = {one["set"]: one for one in json.loads(file.read_text(encoding="utf-8"))["sets"]}
    assert len(cells_of(done)) == 2 and not done.problems
    for cell in cells_of(done):
        weights = {item["id"]: item["weight"] for item in chosen[cell["set"]]["items"]}
        lines = read_jsonl(done.out / cell["records"])
        assert {line["item"] for line in lines} == weights.keys()
        value = math.fsum(weights[line["item"]] * line["scores"]["accuracy"] for line in lines)
        told, metric = cell["estimate"], cell["metrics"]["accuracy"]
        assert told["value"] == metric["value"] == pytest.approx(value)
        assert (told["asked"], told["of"], told["models"]) == (10, chosen[cell["set"]]["of"], len(SKILLS))
        assert metric["low"] == pytest.approx(max(0, value - chosen[cell["set"]]["error"]["half"]))
        assert "accuracy_of_parsed" not in cell
        assert "wilson" not in metric and "|items:" in metric["signature"]
    SCHEMAS["results"].model_validate_json((done.out / "results.json").read_bytes())
    shown = [cell for sheet in sheets(done, ["results"]) for row in sheet.rows for cell in row.cells]
    assert any("≈10/" in str(getattr(cell, "flags", "")) for cell in shown)


def test_estimates_take_part_in_no_comparison(tmp_path: Path, file: Path) -> None:
    models = {name: _model(name, skill) for name, skill in SKILLS.items()}
    done = evalsuite.run(models, tasks=[TASK], out=tmp_path / "out", items=file)
    assert len(cells_of(done)) == 2 * len(SKILLS)
    content = results_json(done.out)
    assert content["difficulty"] == content["gaps"] == content["means"] == content["groups"] == []
    assert not list(sheets(done, ["groups", "ranks"]))
    with pytest.raises(ConfigError, match="estimates from a part of the items"):
        from evalsuite.exchange.submit.submission import make_submission

        make_submission(done.out, tmp_path / "submission", {}, {})
    with pytest.raises(ConfigError, match="only a part of the items was asked"):
        anchors([done.out], [5])


def test_weights_of_models_are_doubtful_for_a_baseline(tmp_path: Path, file: Path) -> None:
    done = evalsuite.run("bundled:models.yaml", model=["random"], tasks=[TASK], out=tmp_path / "out", items=file)
    assert cells_of(done) and all(cell["estimate"]["otherwise"] == ["baseline"] for cell in cells_of(done))


def test_a_list_of_ids_is_a_subset_and_no_estimate(tmp_path: Path) -> None:
    ids = [name for name in gold() if "/easy/" in name][:3]
    (tmp_path / "ids.txt").write_text("\n".join([*ids, ""]), encoding="utf-8")
    (cell,) = cells_of(_ask(tmp_path, tmp_path / "ids.txt"))
    assert cell["estimate"]["method"] == "subset" and cell["estimate"]["asked"] == 3 == cell["items"]
    assert "value" not in cell["estimate"]


def test_an_estimate_counts_items_whose_requests_failed_but_none_that_were_not_asked(
    tmp_path: Path, file: Path
) -> None:
    """One of three named items fails; two of ten anchor items are asked before the run ends."""
    ids = [name for name in gold() if "/easy/" in name][:3]
    (tmp_path / "ids.txt").write_text("\n".join([*ids, ""]), encoding="utf-8")

    def failing(request: Request) -> str:
        if request.id == ids[0]:
            raise ValueError("no reply")
        return "(a)"

    (cell,) = cells_of(
        evalsuite.run({"new": failing}, tasks=[TASK], out=tmp_path / "out", items=tmp_path / "ids.txt", set="easy")
    )
    assert cell["status"]["failed"] == 1 and cell["estimate"]["asked"] == 3
    calls = count()

    def ending(request: Request) -> str:
        if next(calls) == 2:
            raise KeyboardInterrupt
        return "(a)"

    with pytest.raises(KeyboardInterrupt):
        evalsuite.run({"new": ending}, tasks=[TASK], out=tmp_path / "ended", items=file, set="easy")
    (cell,) = cells_of(evalsuite.score(tmp_path / "ended"))
    assert (cell["items"], cell["missing"], cell["estimate"]["asked"]) == (10, 8, 2)
    assert "value" not in cell["estimate"]


def test_other_ways_of_asking_are_told(tmp_path: Path, file: Path) -> None:
    easy, hard = cells_of(_ask(tmp_path, file, prompt=["plain"], shots=[1]))
    assert easy["estimate"]["otherwise"] == hard["estimate"]["otherwise"] == ["variant", "template", "shots"]


def weigh(one: dict[str, Any], *weights: float) -> None:
    """Give a set these weights, its other items 0."""
    one["method"] = "regression"
    for n, item in enumerate(one["items"]):
        item["weight"] = weights[n] if n < len(weights) else 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda one: one.update(data="0" * 64), "hash 000000000000"),
        (
            lambda one: one["items"][0].update(id="corecode/easy/test/knowledge_filling/99999"),
            "knowledge_filling/99999",
        ),
        (lambda one: one.update(of=one["of"] + 1), "stand for"),
        (lambda one: one["items"].append(one["items"][0]), "twice"),
        (lambda one: one.update(task="nothing"), "unknown task"),
        (
            lambda one: [item.update(weight=5.0) for item in one["items"]],
            r"items': the sizes of the weights sum to 50, expected 3 or less",
        ),
        (lambda one: weigh(one, 1e308, 1e308, -1e308, 1), "sizes of the weights sum to inf"),
        (lambda one: weigh(one, 0.9), "the weights sum to 0.9, expected 1"),
        (lambda one: weigh(one, 0), "the weights sum to 0"),
        (lambda one: weigh(one, 2.5, -1.5), "sizes of the weights sum to 4, expected 3 or less"),
        (lambda one: [weigh(one, 1.5, -0.5), one.update(method="stratified")], "stratified gives none below 0"),
        (lambda one: one["error"].update(half=0), r"error\.half': is smaller than 1.96 times"),
        (lambda one: one["error"].update(rms=0), r"error\.rms': is smaller"),
        (lambda one: one["error"].update(worst=0), r"error\.worst': is smaller"),
        (lambda one: one.update(error=dict.fromkeys(one["error"], 0.0)), r"error': is not that of 10 items in `curve`"),
        (lambda one: one.update(seen=[0.9, 0.2]), "lowest and the highest score"),
        (lambda one: one.update(seen=[0.0, 2.0]), "lowest and the highest score"),
        (lambda one: one.update(metric="macro_f1"), "expected accuracy, the headline"),
        (lambda one: one.update(of=9), "are 10, more than the 9"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(
    tmp_path: Path, file: Path, change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    content = json.loads(file.read_text(encoding="utf-8"))
    change(content["sets"][0])
    (tmp_path / "changed.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(DataError, match=message):
        _ask(tmp_path, tmp_path / "changed.json")
    assert not (tmp_path / "out").exists()


def test_a_place_has_one_set(tmp_path: Path, file: Path) -> None:
    """A file with two sets for one place is refused; else the second would silently replace the first."""
    content = json.loads(file.read_text(encoding="utf-8"))
    content["sets"].append(content["sets"][0])
    (tmp_path / "changed.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(DataError, match=r"sets\[2\]': has a second set for knowledge_filling"):
        _ask(tmp_path, tmp_path / "changed.json")


@pytest.mark.parametrize("method", SIGNED)
def test_no_few_items_decide_an_estimate(method: str) -> None:
    """Items that hardly vary go along with one that does: a regression alone would weigh them by thousands."""
    rng = np.random.default_rng(0)
    skill = np.linspace(0, 1, 8)[:, None]
    table = np.hstack([0.5 + 1e-6 * skill * rng.normal(size=(1, 39)), skill])
    found = choose(method, table, None, 3, 0)
    assert np.abs(found.weights).sum() <= MOST_WEIGHT and found.weights.sum() == pytest.approx(1)


def test_a_list_of_ids_is_a_text(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_bytes("一\n".encode() + "二".encode("utf-16"))
    with pytest.raises(DataError, match="not UTF-8 at byte 4"):
        read_selection(tmp_path / "ids.txt")
    (tmp_path / "ids.txt").write_text("\n \n", encoding="utf-8")
    with pytest.raises(DataError, match="names no items"):
        read_selection(tmp_path / "ids.txt")


def test_unknown_ids_of_a_list_are_named(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text(f"{next(iter(gold()))}\nnobody\n", encoding="utf-8")
    with pytest.raises(DataError, match="lack 1 of its ids: nobody"):
        _ask(tmp_path, tmp_path / "ids.txt")


def test_items_and_limit_contradict_each_other(tmp_path: Path, file: Path) -> None:
    with pytest.raises(ConfigError, match="name one"):
        _ask(tmp_path, file, limit=3)


@pytest.mark.thorough
def test_models_that_were_asked_otherwise_are_left_out_by_name(tmp_path: Path, run: Path) -> None:
    evalsuite.run({"other": _model("other", 0.5)}, tasks=[TASK], prompt=["plain"], out=tmp_path / "plain")
    evalsuite.run({"short": _model("short", 0.5)}, tasks=[TASK], limit=5, out=tmp_path / "short")
    found, remarks = anchors([run, tmp_path / "plain", tmp_path / "short"], [10])
    assert {one.column.models for one in found} == {tuple(sorted(SKILLS))}
    assert any("other" in line and "other wording, template" in line for line in remarks)
    assert any("short" in line and "only a part" in line for line in remarks)


@pytest.mark.slow
def test_few_models_are_refused_or_warned_of(run: Path) -> None:
    with pytest.raises(ConfigError, match=r"3 models \(m0, m1, m2\)"):
        anchors([run], [10], ["m0", "m1", "m2"])
    assert any("by 7 models" in line for line in anchors([run], [10])[1])


def test_a_size_that_saves_nothing_is_refused(run: Path) -> None:
    with pytest.raises(ConfigError, match="saves none"):
        anchors([run], [100_000])


@pytest.mark.slow
def test_the_rest_is_asked_by_the_same_run_without_items(tmp_path: Path, file: Path) -> None:
    asked: list[str] = []
    model = _model("new", 0.55)

    def counting(request: Request) -> str:
        asked.append(request.id)
        return model(request)

    for items in (file, None):
        done = evalsuite.run({"new": counting}, tasks=[TASK], out=tmp_path / "out", items=items)
    assert sorted(asked) == sorted(gold())  # every item is asked once
    assert not any("estimate" in cell for cell in cells_of(done))


def test_the_script_compares_chosen_items_with_random_ones() -> None:
    (row,) = one_seed(simulate_outcomes(16, 60, 0), 6, [20], 0, stronger=False)
    size, method, promised, error, by_chance, covered = row
    assert size == 20 and method in METHODS
    assert all(0 < x < 0.5 for x in (promised, error, by_chance)) and 0 <= covered <= 1
