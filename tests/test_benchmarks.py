"""Several benchmarks in one run: what is right counts as right in each, and numbers equal those of other code."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest
from as_json import a_cell, cells_of, content_of
from glucose_notebook import cells_bleu
from run_files import read_jsonl

import evalsuite
from evalsuite.analyses.means import means
from evalsuite.benchmarks.glucose.loader import FILES
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, Corpora, task_named, tasks_named, whole_name
from evalsuite.common.dialogue import sources
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.resources import bundled
from evalsuite.parse import whole_reply
from evalsuite.results.analysis import Results

SISTERS = ["cicero", "cider", "glucose"]
MODELS = """models:
  - {name: oracle, backend: baseline, path: oracle}
  - {name: random, backend: baseline, path: random}
"""


@pytest.fixture(scope="module")
def sisters_results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("sisters")
    (folder / "models.yaml").write_text(MODELS)
    return evalsuite.run(folder / "models.yaml", tasks=SISTERS, out=folder / "run")


def records(sisters_results: Results, cell: dict[str, Any]) -> list[dict[str, Any]]:
    return read_jsonl(sisters_results.out / cell["records"])


@pytest.mark.slow
def test_gold_answers_lose_nothing(sisters_results: Results) -> None:
    cells = [cell for cell in cells_of(sisters_results) if cell["model"] == "oracle"]
    assert {cell["task"] for cell in cells} == {t.name for t in tasks_named(SISTERS)}
    for cell in cells:
        assert cell["status"] == {"parsed": cell["items"]}, cell
        for name in TASKS[cell["task"]].metrics:
            # CIDEr has no upper end to speak of where a set has one item or two; of no_match less is better.
            if name not in ("cider", "meteor"):
                assert cell["metrics"][name]["value"] == pytest.approx(float(name != "no_match")), (cell["task"], name)


@pytest.mark.slow
def test_classes_are_scikit_learns(sisters_results: Results) -> None:
    from sklearn.metrics import f1_score, precision_score

    cells = [cell for cell in cells_of(sisters_results) if (cell["task"], cell["model"]) == ("cider_dnli", "random")]
    assert [cell["set"] for cell in cells] == [f"fold{n}" for n in range(1, 6)]
    for cell in cells:
        rows = records(sisters_results, cell)
        gold = [row["references"][0] for row in rows]
        said = [row["options"][row["answer"]["choice"]] for row in rows]
        assert cell["metrics"]["macro_f1"]["value"] == pytest.approx(f1_score(gold, said, average="macro"))
        assert cell["metrics"]["precision"]["value"] == pytest.approx(
            precision_score(gold, said, pos_label="entailment")
        )


def test_a_cells_bleu_is_the_notebooks(sisters_results: Results) -> None:
    """sacreBLEU itself gives the same: over the whole file, answered cells with the whole reply and the others with the word
    escaped; and over the answers that were read."""
    with (bundled("sample") / "glucose" / FILES["test"]).open(encoding="utf-8", newline="") as file:
        key = list(csv.DictReader(file))
    found = [cell for cell in cells_of(sisters_results) if cell["task"] == "glucose_specific_statement"]
    assert len(found) == 20
    for cell in found:
        column = f"{cell['set'].removeprefix('d')}_specificNL"
        rows = {int(row["item"].rpartition("/")[2]): row for row in records(sisters_results, cell)}
        said = {n: row["answer"]["text"] or "" for n, row in rows.items()}
        replies = {n: whole_reply(row["reply"]) for n, row in rows.items()}
        whole = cells_bleu([replies.get(n, "escaped") for n in range(len(key))], [row[column] for row in key])
        answered = cells_bleu([said[n] for n in sorted(said)], [key[n][column] for n in sorted(said)])
        assert 100 * cell["metrics"]["sacrebleu_notebook"]["value"] == pytest.approx(whole), cell["set"]
        assert 100 * cell["metrics"]["sacrebleu"]["value"] == pytest.approx(answered), cell["set"]


def test_of_a_part_of_the_rows_there_is_no_notebooks_figure(tmp_path: Path) -> None:
    (cell,) = cells_of(
        evalsuite.run(model=["random"], tasks=["glucose_general_rule"], set="d1", limit=1, out=tmp_path / "run")
    )
    assert cell["facts"]["answered"] == 2 and "sacrebleu_notebook" not in cell["metrics"]


def test_the_mean_of_folds_weighs_each_the_same(sisters_results: Results) -> None:
    (found,) = [
        m for m in content_of(sisters_results, "means") if (m["task"], m["model"]) == ("cider_span_selection", "random")
    ]
    folds = [c for c in cells_of(sisters_results) if (c["task"], c["model"]) == ("cider_span_selection", "random")]
    assert found["sets"] == list(BENCHMARKS["cider"].sets)
    assert found["metrics"]["accuracy"]["value"] == pytest.approx(
        mean(c["metrics"]["accuracy"]["value"] for c in folds)
    )
    # V1 and v2 are not parts of a whole.
    assert not [m for m in content_of(sisters_results, "means") if TASKS[m["task"]].benchmark == "cicero"]


def test_the_intervals_of_folds_give_that_of_their_mean(sisters_results: Results) -> None:
    """Independent sets: half widths of 3 and 4 points make one of 5 for the sum, 2.5 for the mean (and 0.6, 0.8: 0.5)."""
    folds = [c for c in cells_of(sisters_results) if (c["task"], c["model"]) == ("cider_span_selection", "random")][:2]
    ends = ({"value": 0.4, "low": 0.37, "high": 0.406}, {"value": 0.6, "low": 0.56, "high": 0.608})
    (made,) = means(a_cell(**{**c, "metrics": {"accuracy": e}}) for c, e in zip(folds, ends, strict=True))
    accuracy = made.written()["metrics"]["accuracy"]
    assert (accuracy["value"], accuracy["low"], accuracy["high"]) == pytest.approx((0.5, 0.475, 0.505))
    assert accuracy["sd"] == pytest.approx(0.02**0.5)


def test_of_one_dialogue_there_is_no_interval(tmp_path: Path) -> None:
    """Resampling it would give 25–25 for eight items of it."""
    done = evalsuite.run(model=["random"], tasks=["cider_span_selection"], limit=3, out=tmp_path / "run")
    assert {(c["metrics"]["accuracy"]["low"], c["metrics"]["accuracy"]["high"]) for c in cells_of(done)} == {
        (None, None)
    }
    assert not any("wilson" in c["metrics"]["accuracy"] for c in cells_of(done))
    assert content_of(done, "means")[0]["metrics"]["accuracy"]["low"] is None


def test_the_means_interval_is_what_resampling_every_fold_gives() -> None:
    rng = np.random.default_rng(0)
    folds = [rng.random(200) < share for share in (0.3, 0.5, 0.6, 0.45, 0.7)]
    cells = []
    for n, right in enumerate(folds):
        draws = rng.choice(right, (4000, len(right))).mean(axis=1)
        value = {
            "value": float(right.mean()),
            **dict(zip(("low", "high"), np.quantile(draws, [0.025, 0.975]).tolist(), strict=True)),
        }
        cells.append(a_cell(task="cider_dnli", set=f"fold{n + 1}", items=200, metrics={"accuracy": value}))
    told = means(cells)[0].written()["metrics"]["accuracy"]
    whole = np.mean([rng.choice(right, (4000, len(right))).mean(axis=1) for right in folds], axis=0)
    assert (told["low"], told["high"]) == pytest.approx(np.quantile(whole, [0.025, 0.975]), abs=0.004)


WRONG = [
    ({"tasks": ["cidre"]}, ConfigError, "Did you mean 'cider'"),
    ({"tasks": ["cider"], "set": "fold6"}, ConfigError, "unknown set 'fold6'"),
    ({"tasks": ["cider"], "set": "easy"}, ConfigError, "unknown set 'easy'"),
    ({"tasks": ["cicero_single_answer"], "set": "v2"}, DataError, "no test items of cicero_single_answer for --set v2"),
    ({"tasks": ["cider_dnli"], "split": "dev"}, DataError, "CIDER has no dev data"),
    ({"tasks": ["cedar"]}, ConfigError, "probes have a scoring of their own"),  # a baseline has no likelihoods
]


@pytest.mark.parametrize(("settings", "kind", "message"), WRONG)
def test_what_is_not_there_is_said_before_anything_is_asked(
    tmp_path: Path, settings: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        evalsuite.run(model=["random"], out=tmp_path / "run", **settings)
    assert not (tmp_path / "run").exists()


def test_of_a_benchmark_as_a_whole_what_is_there_will_do(tmp_path: Path) -> None:
    done = evalsuite.run(model=["random"], tasks=["cicero"], set="v2", limit=1, out=tmp_path / "run")
    assert {"cicero_motivation", "cicero_all_answers"} <= {cell["task"] for cell in cells_of(done)}
    assert "cicero_single_answer" not in {cell["task"] for cell in cells_of(done)}


def test_a_folder_without_a_benchmark_says_what_it_expected(tmp_path: Path) -> None:
    for name in BENCHMARKS:
        with pytest.raises(DataError, match=f"no {BENCHMARKS[name].title} data here: expected"):
            Corpora(tmp_path).all(name)


def test_what_a_group_lacks_is_named_with_the_rest(tmp_path: Path) -> None:
    (tmp_path / "xcopa").symlink_to(bundled("sample/xcopa"))
    (tmp_path / "c3").symlink_to(bundled("sample/c3"))
    lacking = (
        "no data of corecode, charm, cmmlu, .*, halluqa here, of the group chinese; .* without them: --tasks xcopa,c3$"
    )
    with pytest.raises(DataError, match=lacking):
        evalsuite.run(model=["random"], tasks=["chinese"], data=tmp_path, out=tmp_path / "run")


def test_greetings_do_not_make_one_dialogue_of_two_in_english() -> None:
    thanks = ("A: Thank you very much.", "B: You're welcome, have a nice day.")
    long = ("A: I missed the bus again this morning and had to walk.", "B: You should get up at half past six, then.")
    rain, sea = ("A: It rains.",), ("A: The sea is calm.",)
    assert sources([(*rain, *thanks), (*sea, *thanks)]) == [0, 1]
    assert sources([(*rain, *long), (*sea, *long)]) == [0, 0]
    context = " ".join(turn[3:] for turn in long)  # the whole dialogue as one turn
    assert sources([(f"{context} late",), ("Hello.",), (f"{context} the weather",)]) == [0, 1, 0]


def test_real_dialogues_are_told_apart(real_data: Path) -> None:
    """The suite tells apart as many dialogues as the official files name."""
    if not (real_data / "cider").is_dir():
        pytest.skip("needs cider/, the official files, in EVALSUITE_DATA")
    items = Corpora(real_data).file(TASKS["cider_span_extraction"], "fold1", "test").items
    named = {item.id.split("/")[-1].rpartition("-triplet-")[0] for item in items}
    assert len(set(sources([item.dialogue for item in items]))) == pytest.approx(len(named), abs=1)


def test_short_names_of_tasks() -> None:
    """Short names count in small and capital letters. One that several benchmarks have means CORECODE's task. A whole name is no
    short one."""
    for task in BENCHMARKS["corecode"].tasks:
        assert task_named(task.short) is task_named(task.short.lower()) is task
    assert {t.name for t in tasks_named(["SI", "cider", "AAS", "slot_identification"])} == {
        "slot_identification",
        "cicero_all_answers",
        *(t.name for t in BENCHMARKS["cider"].tasks),
    }
    assert whole_name("xcopa") == "xcopa" and whole_name("nothing") == "nothing"
    assert tuple(evalsuite.Settings(tasks=["SI", "c3"]).tasks) == ("slot_identification", "c3")
    with pytest.raises(ConfigError, match="unknown task, benchmark or group 'XX'"):
        tasks_named(["XX"])
