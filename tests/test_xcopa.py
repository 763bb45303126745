"""XCOPA: files, wordings, shots; the sample and the official files lose nothing on the way."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of, content_of
from run_files import read_jsonl

import evalsuite
from evalsuite.analyses.scores import leaks
from evalsuite.backends.checkpoint import Checkpoint
from evalsuite.backends.model import Model
from evalsuite.benchmarks.check import check_data
from evalsuite.benchmarks.corpus import Corpus, File
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, Corpora, open_corpus
from evalsuite.common.dialogue import alike, sources
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.resources import bundled
from evalsuite.parse import parse_option
from evalsuite.perturb import PERTURBATIONS
from evalsuite.prompt import Prompt, Shots, wordings

BENCHMARK = BENCHMARKS["xcopa"]
TASK = BENCHMARK.task("cause_effect")
TRANSLATED = "translate-test"
LINE = {
    "premise": "我的盆栽枯死了。", "choice1": "我忘了浇水。", "choice2": "我换了新窗帘。", "question": "cause", "label": 0,
    "idx": 7, "changed": False,
}  # fmt: skip
EFFECT = {**LINE, "question": "effect", "choice1": "我买了窗帘。", "choice2": "我把它扔了。", "label": 1, "idx": 8}


def write(root: Path, *lines: dict[str, Any], split: str = "test", translated: bool = False) -> Path:
    path = path_of(root, "zh", split, translated=translated)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def path_of(root: Path, item_set: str, split: str, *, translated: bool = False) -> Path:
    name = {"dev": "val"}.get(split, split)
    return root / ("data-gmt" if translated else "data") / item_set / f"{name}.{item_set}.jsonl"


def load_file(root: Path, skip_bad: bool = False) -> File:
    return open_corpus("xcopa", root, skip_bad=skip_bad).file(TASK, "zh", "test")


def test_a_line_is_an_item(tmp_path: Path) -> None:
    write(tmp_path, LINE, EFFECT)
    cause, effect = load_file(tmp_path).items
    assert (cause.id, cause.dialogue, cause.group) == ("xcopa/zh/test/cause_effect/7", ("我的盆栽枯死了。",), "cause")
    assert cause.options == ("我忘了浇水。", "我换了新窗帘。") and cause.references == ("我忘了浇水。",)
    assert (cause.gold, cause.target, effect.gold, effect.target) == (0, "A", 1, "B")
    assert "原因" in cause.question and "结果" in effect.question


BROKEN = [
    ({**LINE, "label": 2, "idx": 9}, "label", "'2' is no option"),
    ({**LINE, "label": "A", "idx": 9}, "label", "'A' is no option"),
    ({**LINE, "question": "why", "idx": 9}, "question", "has no attribute 'why'"),
    ({**LINE, "premise": " ", "idx": 9}, "premise", "blank"),
    ({**LINE, "idx": None}, "idx", "without blanks"),
    (LINE, "idx", "also the id of line 1"),
    ({key: value for key, value in {**LINE, "idx": 9}.items() if key != "choice2"}, "choice2", "unknown column"),
]


@pytest.mark.parametrize(("line", "field", "message"), BROKEN)
def test_a_broken_line_is_named(tmp_path: Path, line: dict[str, Any], field: str, message: str) -> None:
    write(tmp_path, LINE, line)
    with pytest.raises(DataError) as error:
        load_file(tmp_path)
    assert (error.value.line, error.value.field) == (2, field) and message in error.value.message
    kept = load_file(tmp_path, skip_bad=True)
    assert (len(kept.items), len(kept.skipped)) == (1, 1)


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no XCOPA data here"):
        open_corpus("xcopa", tmp_path)
    write(tmp_path, LINE)
    corpus = open_corpus("xcopa", tmp_path)
    with pytest.raises(DataError, match=r"no such XCOPA file.*the wording asks"):
        corpus.reworded(TASK, "zh", "test", TRANSLATED)
    with pytest.raises(DataError, match="XCOPA has no train data"):
        corpus.file(TASK, "zh", "train")


# Wordings ---------------------------------------------------------------------------------------------------------

# The prompts that other tools make of LINE and EFFECT: OpenCompass's of COPA (SuperGLUE_COPA_gen_91ca53), and lm-eval's xcopa_zh.
OFFICIAL = {
    (
        "paper",
        "cause",
    ): "我的盆栽枯死了。\nQuestion: Which may be the cause?\nA. 我忘了浇水。\nB. 我换了新窗帘。\nAnswer:",
    (
        "paper",
        "effect",
    ): "我的盆栽枯死了。\nQuestion: Which may be the effect?\nA. 我买了窗帘。\nB. 我把它扔了。\nAnswer:",
    ("lm-eval", "cause"): "我的盆栽枯死了 因为",
    ("lm-eval", "effect"): "我的盆栽枯死了 所以",
}


@pytest.mark.parametrize(("wording", "asked"), OFFICIAL)
def test_prompts_are_those_of_the_other_tools(tmp_path: Path, wording: str, asked: str) -> None:
    write(tmp_path, LINE, EFFECT)
    items = {item.group: item for item in load_file(tmp_path).items}
    assert Prompt(bundled("prompts"), TASK, wording).render(items[asked]) == OFFICIAL[wording, asked]


def test_options_that_go_on_the_text(tmp_path: Path) -> None:
    """The options are those of lm-eval: a blank before each, also before the right one of a shot."""
    write(tmp_path, LINE, EFFECT)
    cause, effect = load_file(tmp_path).items
    request = Prompt(bundled("prompts"), TASK, "lm-eval").request(effect, [cause])
    assert request.options == (" 我买了窗帘。", " 我把它扔了。")
    assert request.prompt == "我的盆栽枯死了 因为 我忘了浇水。\n\n我的盆栽枯死了 所以"


def test_the_prior_of_a_text_of_one_line_is_that_without_a_text(tiny: Path, tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="needs evalsuite[hf]")
    write(tmp_path, LINE)
    (item,) = load_file(tmp_path).items
    checkpoint = Checkpoint(Model(name="tiny", backend="hf", path=str(tiny)))
    for wording, line in (("lm-eval", ""), ("plain", "答案：")):
        for context, option in checkpoint.prior_pairs(Prompt(bundled("prompts"), TASK, wording).request(item)):
            assert checkpoint.tokenizer.decode(context, skip_special_tokens=True) == line
            assert context and option


def test_every_wording_asks_the_same_items() -> None:
    corpus = open_corpus("xcopa", bundled("sample"))
    assert {*wordings(bundled("prompts"), TASK)} == {
        "paper",
        "plain",
        "cot",
        "cot-en",
        "lm-eval",
        "confidence",
        TRANSLATED,
    }
    for wording in wordings(bundled("prompts"), TASK):
        file = corpus.reworded(TASK, "zh", "test", wording)
        assert [(i.id, i.gold, i.group) for i in file.items] == [
            (i.id, i.gold, i.group) for i in corpus.file(TASK, "zh", "test").items
        ]
        for item in file.items:
            prompt = Prompt(bundled("prompts"), TASK, wording).render(item)
            assert item.dialogue[0].rstrip("。") in prompt
            assert all(option in prompt for option in item.options) is (wording != "lm-eval")
    english = corpus.reworded(TASK, "zh", "test", TRANSLATED).items
    assert all(item.dialogue[0].isascii() and item.question.isascii() for item in english)


def test_a_wording_has_its_scoring(tmp_path: Path) -> None:
    asked = {"model": ["tiny-zh"], "tasks": ["xcopa"], "limit": 1, "out": tmp_path}
    ways = {"prompt": ["plain", "cot", "lm-eval"], "scoring": ["generate", "labels", "texts"]}
    cells = evalsuite.preview(**{k: v for k, v in asked.items() if k != "out"}, **ways)
    assert Counter((cell.place.variant, cell.place.scoring) for cell, _ in cells) == Counter(
        [("plain", "generate"), ("plain", "labels"), ("plain", "texts"), ("cot", "generate"), ("lm-eval", "texts")]
    )
    with pytest.raises(ConfigError, match=r"--scoring generate: .*for texts only"):
        evalsuite.run(**asked, prompt=["lm-eval"])


# The whole way ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_baselines_on_the_sample(oracle_and_majority: Path, tmp_path: Path) -> None:
    """The right option is read as right in every wording and under every perturbation."""
    every = [name for name, row in PERTURBATIONS.items() if row.applies(TASK.name)]
    done = evalsuite.run(
        oracle_and_majority, model=["oracle"], tasks=["xcopa"], prompt=["paper", "plain", "cot", "cot-en", TRANSLATED], perturb=every,
        out=tmp_path / "run",
    )  # fmt: skip
    assert not done.problems and {cell["variant"] for cell in cells_of(done)} >= {"cot", TRANSLATED}
    assert {cell["metrics"]["accuracy"]["value"] for cell in cells_of(done)} == {1}
    plain = next(b for b in content_of(done, "breakdowns") if b["variant"] == "plain" and b["perturb"] == "none")
    assert [(g["name"], g["zh"], g["en"]) for g in plain["groups"]] == [
        ("cause", "原因", "Cause"),
        ("effect", "结果", "Effect"),
    ]


def no_item_is_its_own_shot(corpus: Corpus) -> None:
    pool = corpus.train(TASK.name, "zh")
    assert len(pool) > 3 and pool == corpus.file(TASK, "zh", "dev").items
    for split in ("dev", "test"):
        for item in corpus.file(TASK, "zh", split).items:
            drawn = Shots(pool, 0).draw(item, 3)
            assert len(drawn) == 3 and item.id not in {shot.id for shot in drawn}
            assert not any(alike(shot.dialogue, item.dialogue) for shot in drawn)


def test_shots_are_other_items_of_the_validation_file() -> None:
    no_item_is_its_own_shot(open_corpus("xcopa", bundled("sample")))


# Official files ---------------------------------------------------------------------------------------------------


@pytest.fixture
def official(real_data: Path) -> Corpus:
    if not (real_data / "xcopa").is_dir():
        pytest.skip("needs xcopa/, the official files, in EVALSUITE_DATA")
    return open_corpus("xcopa", real_data)


def test_official_files_load_whole(official: Corpus) -> None:
    for split, count in (("dev", 100), ("test", 500)):
        items = official.file(TASK, "zh", split).items
        translated = official.reworded(TASK, "zh", split, TRANSLATED).items
        assert len(items) == count and [i.id for i in items] == [
            f"xcopa/zh/{split}/cause_effect/{n}" for n in range(count)
        ]
        assert [(i.id, i.gold, i.group) for i in translated] == [(i.id, i.gold, i.group) for i in items]
        for item in (*items, *translated):
            assert parse_option(item.target, dict(zip(item.labels, item.options, strict=True))).choice == item.gold
            assert (
                parse_option(item.references[0], dict(zip(item.labels, item.options, strict=True))).choice == item.gold
            )
    # One premise stands twice in the test file.
    assert len(set(sources([item.dialogue for item in items]))) == 499
    no_item_is_its_own_shot(official)


def test_official_files_are_checked(official: Corpus) -> None:
    found = check_data(Corpora(official.root))
    assert {(c.split, c.items, c.dialogues, c.repeats) for c in found.counts} == {
        ("dev", 100, 100, 0),
        ("test", 500, 499, 0),
    }
    assert not found.leaks


@pytest.mark.slow
def test_official_baselines_have_the_counted_accuracy(
    official: Corpus, oracle_and_majority: Path, tmp_path: Path
) -> None:
    """The majority of the validation file, and chance, as counted from the file itself."""
    done = evalsuite.run(oracle_and_majority, tasks=["xcopa"], data=official.root, out=tmp_path / "run")
    lines = read_jsonl(official.path(TASK, "zh", "test"))
    got = {cell["model"]: cell["metrics"]["accuracy"]["value"] for cell in cells_of(done)}
    assert got == {"majority": sum(line["label"] == 0 for line in lines) / 500, "oracle": 1}
    assert TASKS[TASK.name].benchmark == "xcopa"


def test_the_split_of_the_shots_asked_itself(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"tasks": ["xcopa"], "split": "dev", "model": ["random"], "out": tmp_path / "run"}
    assert leaks(evalsuite.run(**asked, limit=2)) == []
    with pytest.raises(ConfigError, match="nothing would be left"):
        evalsuite.run(**asked, drop_leaked=True)
