"""CMMLU, FewCLUE and ToMBench: prompts are those of the official code and of OpenCompass, votes over replies those of the
official script, and loading loses nothing of the official files."""

from __future__ import annotations

import ast
import csv
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from statistics import fmean

import pytest
from as_json import cells_of
from run_files import read_jsonl

import evalsuite
from evalsuite.benchmarks.check import check_data
from evalsuite.benchmarks.published import published_figures
from evalsuite.benchmarks.registry import BENCHMARKS, Corpora, open_corpus
from evalsuite.common.resources import bundled
from evalsuite.parse import parse_option
from evalsuite.perturb import PERTURBATIONS
from evalsuite.prompt import Prompt, wordings
from evalsuite.results.scoring import FULL, per_item, score_cell
from evalsuite.types import Item, Response

SUBJECTS = {  # the seven subjects: the name in prompts, and the number of test questions
    "elementary_commonsense": ("小学常识", 198),
    "chinese_food_culture": ("中国饮食文化", 136),
    "chinese_driving_rule": ("中国驾驶规则", 131),
    "ethnology": ("民族学", 135),
    "global_facts": ("全球事实", 149),
    "legal_and_moral_basis": ("法律与道德基础", 214),
    "traditional_chinese_medicine": ("中医中药", 185),
}


def exam(row: dict[str, str], end: str) -> str:
    """A question as the official format_example writes it."""
    options = "".join(f"\n{name}. {row[name]}" for name in "ABCD")
    return f"题目：{row['Question']}{options}\n{end}"


def assert_official_exam(root: Path, subject: str) -> None:
    task = BENCHMARKS["cmmlu"].task("exam")
    corpus = open_corpus("cmmlu", root)
    rows = {}
    for split in ("dev", "test"):
        with corpus.path(task, subject, split).open(encoding="utf-8-sig", newline="") as file:
            rows[split] = list(csv.DictReader(file))
    name = SUBJECTS[subject][0]
    head = f"以下是关于{name}的单项选择题，请直接给出正确答案的选项。\n\n"
    shown = "".join(exam(row, f"答案是：{row['Answer']}\n\n") for row in rows["dev"][:5])
    cot = f"以下是关于{name}的单项选择题，请分析并选出正确答案。\n\n"
    for wording, before, end in (
        ("paper", head, "答案是："),
        ("five-shot", head + shown, "答案是："),
        ("paper-cot", cot, "逐步分析并给出答案选项。"),
    ):
        prompt = Prompt(bundled("prompts"), task, wording, corpus.given(task, subject, wording))
        items = corpus.reworded(task, subject, "test", wording).items
        assert [prompt.render(item) for item in items] == [before + exam(row, end) for row in rows["test"]]
        assert [item.target for item in items] == [row["Answer"] for row in rows["test"]]


@pytest.mark.parametrize("subject", SUBJECTS)
def test_exams_are_asked_as_the_official_code_does(subject: str) -> None:
    assert_official_exam(bundled("sample"), subject)


def test_examples_are_part_of_the_prompts_hash() -> None:
    task, corpus = BENCHMARKS["cmmlu"].task("exam"), open_corpus("cmmlu", bundled("sample"))
    hashes = {
        Prompt(bundled("prompts"), task, "five-shot", corpus.given(task, subject, "five-shot")).sha256
        for subject in SUBJECTS
    }
    assert len(hashes) == len(SUBJECTS)
    assert {*wordings(bundled("prompts"), task)} >= {"paper", "paper-cot", "five-shot", "plain", "cot"}


def opencompass(task: str, row: dict[str, object]) -> str:
    """A row as OpenCompass's FewCLUE_cluewsc_gen and FewCLUE_chid_gen ask it."""
    if task == "cluewsc":
        target = row["target"]
        assert isinstance(target, dict)
        asked = f"此处，“{target['span2_text']}”是否指代“{target['span1_text']}“？"
        return f"{row['text']}\n{asked}\nA. 是\nB. 否\n请从”A“，”B“中进行选择。\n答："
    candidates = row["candidates"]
    assert isinstance(candidates, list)
    options = "".join(f"{name}. {idiom}\n" for name, idiom in zip("ABCDEFG", candidates, strict=True))
    content = str(row["content"]).replace("#idiom#", "______")
    return f"{content}\n请选择______处所填的词\n{options}请从”A“，”B“，”C“，”D“，”E“，”F“，”G“中进行选择。答："


def assert_as_opencompass(root: Path, local: str) -> None:
    task, corpus = BENCHMARKS["fewclue"].task(local), open_corpus("fewclue", root)
    rows = read_jsonl(corpus.path(task, "public", "test"))
    items = corpus.file(task, "public", "test").items
    prompt = Prompt(bundled("prompts"), task, "paper")
    assert [prompt.render(item) for item in items] == [opencompass(local, row) for row in rows]
    gold = ["AB"[row["label"] == "false"] if local == "cluewsc" else "ABCDEFG"[row["answer"]] for row in rows]
    assert [item.target for item in items] == gold
    (reverse,) = PERTURBATIONS["reverse"].items(items[0])
    assert "请从”A“，”B“" in prompt.render(reverse) and reverse.options[-1] == items[0].options[0]


@pytest.mark.parametrize("local", ["cluewsc", "chid"])
def test_pronouns_and_idioms_are_asked_as_opencompass_does(local: str) -> None:
    assert_as_opencompass(bundled("sample"), local)


@pytest.fixture
def official(real_data: Path) -> Path:
    if not (real_data / "cmmlu").is_dir() or not (real_data / "fewclue").is_dir():
        pytest.skip("needs cmmlu/ and fewclue/, the official files, in EVALSUITE_DATA")
    return real_data


@pytest.mark.thorough
def test_official_files_load_whole(official: Path) -> None:
    for subject in SUBJECTS:
        assert_official_exam(official, subject)
    for local in ("cluewsc", "chid"):
        assert_as_opencompass(official, local)
    counts = {(c.set, c.task, c.split): c.items for c in check_data(Corpora(official), ["cmmlu", "fewclue"]).counts}
    assert {subject: counts[subject, "cmmlu_exam", "test"] for subject in SUBJECTS} == {
        subject: count for subject, (_, count) in SUBJECTS.items()
    }
    assert all(counts[subject, "cmmlu_exam", "dev"] == 5 for subject in SUBJECTS)
    assert (counts["public", "fewclue_cluewsc", "test"], counts["public", "fewclue_chid", "test"]) == (976, 2002)
    corpus = open_corpus("fewclue", official)
    for local, gold in (("cluewsc", {0: 488, 1: 488}), ("chid", dict.fromkeys(range(7), 286))):
        items = corpus.file(BENCHMARKS["fewclue"].task(local), "public", "test").items
        assert Counter(item.gold for item in items) == gold
        assert all(parse_option(i.target, dict(zip(i.labels, i.options, strict=True))).choice == i.gold for i in items)


STORIES = {"paper": ("zh", ""), "paper-cot": ("zh", "_cot"), "paper-en": ("en", ""), "paper-en-cot": ("en", "_cot")}


@pytest.mark.thorough
def test_stories_are_asked_with_the_official_prompts(real_data: Path) -> None:
    """For every official item, in Chinese and English, the prompt is the official one: the system message and the question
    as prompts.py and run_api.py make them."""
    if not (real_data / "tombench").is_dir():
        pytest.skip("needs tombench/, the official files, in EVALSUITE_DATA")
    tree = ast.parse((real_data / "tombench" / "prompts.py").read_text("utf-8"))
    texts = {
        ast.unparse(node.targets[0]): ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign)
    }
    corpus, count = open_corpus("tombench", real_data), 0
    for task in BENCHMARKS["tombench"].tasks:
        lines = corpus.path(task, "stories", "test").read_text("utf-8").splitlines()
        for wording, (language, cot) in STORIES.items():
            prompt = Prompt(bundled("prompts"), task, wording, corpus.given(task, "stories", wording))
            items = corpus.reworded(task, "stories", "test", wording).items
            for row, item in zip(map(json.loads, lines), items, strict=True):
                messages = prompt.request(item).messages
                assert messages[0].content == texts[f"SystemEvaluatePrompt_{language}{cot}"].strip()
                assert messages[1].content == story(row, language, texts)
                count += 1
    assert count == 4 * 2860


def story(row: dict[str, str], language: str, texts: dict[str, str]) -> str:
    names = ("故事", "问题", "选项") if language == "zh" else ("STORY", "QUESTION", "OPTION-")
    known = [name for name in "ABCD" if isinstance(row[names[2] + name], str)]
    options = {f"choice_{name.lower()}": row[names[2] + name].replace(f"{name}. ", "") for name in known}
    return texts[f"UserEvaluatePrompt{len(known)}Choices_{language}"].format(
        story=row[names[0]], question=row[names[1]], **options
    )


@pytest.mark.parametrize(
    ("reply", "choice"), [("[[B]]", 1), ("先排除[[D]]，选[[B]]", 1), ("[C]", 2), ("选B，不是A", 0), ("不知道", 0)]
)
def test_tombench_is_read_as_the_official_script_does(reply: str, choice: int) -> None:
    (item,) = stories("hinting")
    official = BENCHMARKS["tombench"].task("hinting").official
    assert official and official(item, Response(reply, "stop")).choice == choice
    assert (item.gold, item.group, len(item.options)) == (2, "intention", 4)


def stories(local: str, root: Path | None = None) -> tuple[Item, ...]:
    found: tuple[Item, ...] = (
        open_corpus("tombench", root or bundled("sample"))
        .file(BENCHMARKS["tombench"].task(local), "stories", "test")
        .items
    )
    return found


def test_a_letter_that_is_no_option_of_two_is_none() -> None:
    (item, _) = stories("false_belief")
    official = BENCHMARKS["tombench"].task("false_belief").official
    assert official and len(item.options) == 2
    assert official(item, Response("[[C]]，不是B", "stop")).choice is None


def test_the_sample_has_all_tasks() -> None:
    groups = {item.group for task in BENCHMARKS["tombench"].tasks for item in stories(task.local)}
    assert groups == {*BENCHMARKS["tombench"].groups}


def test_five_askings_vote(tmp_path: Path) -> None:
    """Three of five askings of a story are right: a majority, but not all. Ties go to the answer given first, or are shared."""
    (moral,), (hint,) = stories("moral_emotions"), stories("hinting")
    # By the item: the option of each asking, in the file's order.
    said = {moral.id: [0, 1, 0, 2, 0], hint.id: [3, 2, 2, 3, 0]}
    left = {
        (item.id, asked.options): [
            n for n, each in enumerate(PERTURBATIONS["shuffle5"].items(item)) if each.options == asked.options
        ]
        for item in (moral, hint)
        for asked in PERTURBATIONS["shuffle5"].items(item)
    }
    # Five different orders, since a file of replies answers each prompt once.
    assert all(len(askings) == 1 for askings in left.values())
    texts = {item.id: item.options for item in (moral, hint)}

    def reply(request: evalsuite.types.Request) -> str:
        (asking,) = left[request.id, request.options]
        return f"[[{'ABCD'[request.options.index(texts[request.id][said[request.id][asking]])]}]]"

    done = evalsuite.run(
        {"m": reply}, tasks=["tombench_moral_emotions", "tombench_hinting"], model=["m"], baselines=[], perturb=["shuffle5"],
        data="bundled:sample", out=tmp_path,
    )  # fmt: skip
    figures = {
        cell["task"]: {name: figure["value"] for name, figure in cell["metrics"].items()} for cell in cells_of(done)
    }
    moral_figures, hint_figures = figures["tombench_moral_emotions"], figures["tombench_hinting"]
    assert (moral_figures["accuracy"], moral_figures["rotation.accuracy"]) == (0, pytest.approx(3 / 5))
    assert moral_figures["vote"] == moral_figures["paper.vote"] == 1
    assert (hint_figures["vote"], hint_figures["paper.vote"]) == (0.5, 0)  # 3 and 2 tie, and 3 is given first
    before = (tmp_path / "results.json").read_bytes()
    evalsuite.score(tmp_path)
    assert (tmp_path / "results.json").read_bytes() == before


FORMS = ("[[{}]]", "答案是[{}]", "我选{}", "{}，不是B", "先看[[A]]，再看[[{}]]", "都不对", "[[D]]", "")


@pytest.mark.thorough
def test_votes_are_those_of_the_official_script(real_data: Path, tmp_path: Path) -> None:
    """Replies of many forms to 40 official items of each task go through get_results.py, and through the suite."""
    if not (real_data / "tombench").is_dir():
        pytest.skip("needs tombench/, the official files, in EVALSUITE_DATA")
    rng, ours = Random(1), dict[str, float]()
    (tmp_path / "results").mkdir()
    for task in BENCHMARKS["tombench"].tasks:
        path = open_corpus("tombench", real_data).path(task, "stories", "test")
        lines = read_jsonl(path)
        asked, replies, written = [], [], list[str]()
        for n, (item, row) in enumerate(zip(stories(task.local, real_data)[:40], lines[:40], strict=True)):
            row["答案\nANSWER"] = "ABCD"[item.gold or 0]  # one row has "A. ", which the script never finds right
            for made in PERTURBATIONS["shuffle5"].items(item):
                asked.append(made)
                said = rng.choice(FORMS).format(rng.choice("ABCD"[: len(made.options)]))
                replies.append(Response(said, "stop"))
                originals = ["ABCD"[item.options.index(option)] for option in made.options]
                letters = dict(zip("ABCD", [*originals, "", ""][:4], strict=True))
                fields = {"idx": n, "map": letters, "output": said, "answer": row["答案\nANSWER"], "data": row}
                written.append(json.dumps(fields, ensure_ascii=False))
        (tmp_path / "results" / f"{path.stem}_m_results.jsonl").write_text("\n".join(written), "utf-8")
        values = per_item(score_cell(asked, replies, FULL, perturb="shuffle5"))["paper.vote"]
        ours[path.stem] = sum(values) / len(values)
    subprocess.run([sys.executable, real_data / "tombench" / "get_results.py"], cwd=tmp_path, check=True)
    theirs = json.loads((tmp_path / "results.json").read_text("utf-8"))["tasks"]
    assert ours == pytest.approx({name: theirs.get(name, 0.0) for name in ours}) and len(ours) == 20


def test_published_figures_have_the_readmes_means() -> None:
    """The figures of ten models, direct and with reasoning, have the README's LLM Grand Mean of each task, so that no figure is
    mistyped."""
    rows = published_figures(BENCHMARKS["tombench"])
    for wording, means in (
        ("paper", [64.6, 36.4, 50.2, 59.3, 62.1, 53.5, 63.5, 65.4]),
        ("paper-cot", [63.0, 33.2, 44.5, 58.9, 60.5, 49.8, 62.6, 66.0]),
    ):
        chosen = [row for row in rows if row["model"] != "Human" and row["wording"] == wording]
        tasks = dict.fromkeys(row["task"] for row in chosen)
        found = [100 * fmean(row["value"] for row in chosen if row["task"] == task) for task in tasks]
        assert found == pytest.approx(means, abs=0.051) and len(chosen) == 80
