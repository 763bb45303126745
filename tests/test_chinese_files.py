"""CMMLU, FewCLUE and ToMBench: prompts are those of the official code and of OpenCompass, and the official files lose nothing on the way."""

from __future__ import annotations

import ast
import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from evalsuite.benchmarks.check import check_data
from evalsuite.benchmarks.registry import BENCHMARKS, Corpora, open_corpus
from evalsuite.common.resources import bundled
from evalsuite.parse import parse_option
from evalsuite.perturb.choice import reverse
from evalsuite.prompt import Prompt, wordings
from evalsuite.types import Response

SUBJECTS = {  # of the seven subjects: the name in prompts, and the number of test questions
    "elementary_commonsense": ("小学常识", 198),
    "chinese_food_culture": ("中国饮食文化", 136),
    "chinese_driving_rule": ("中国驾驶规则", 131),
    "ethnology": ("民族学", 135),
    "global_facts": ("全球事实", 149),
    "legal_and_moral_basis": ("法律与道德基础", 214),
    "traditional_chinese_medicine": ("中医中药", 185),
}


def exam(row: dict[str, str], answer: str) -> str:
    """A question as the official format_example writes it."""
    options = "".join(f"\n{name}. {row[name]}" for name in "ABCD")
    return f"题目：{row['Question']}{options}\n答案是：{answer}"


def assert_official_exam(root: Path, subject: str) -> None:
    task = BENCHMARKS["cmmlu"].task("exam")
    corpus = open_corpus("cmmlu", root)
    rows = {}
    for split in ("dev", "test"):
        with corpus.path(task, subject, split).open(encoding="utf-8-sig", newline="") as file:
            rows[split] = list(csv.DictReader(file))
    head = f"以下是关于{SUBJECTS[subject][0]}的单项选择题，请直接给出正确答案的选项。\n\n"
    shown = "".join(exam(row, row["Answer"]) + "\n\n" for row in rows["dev"][:5])
    for wording, before in (("paper", head), ("five-shot", head + shown)):
        prompt = Prompt(bundled("prompts"), task, wording, corpus.given(task, subject, wording))
        items = corpus.reworded(task, subject, "test", wording).items
        assert [prompt.render(item) for item in items] == [before + exam(row, "") for row in rows["test"]]
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
    assert {*wordings(bundled("prompts"), task)} == {"paper", "five-shot", "plain", "cot"}


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
    rows = [json.loads(line) for line in corpus.path(task, "public", "test").read_text("utf-8").splitlines()]
    items = corpus.file(task, "public", "test").items
    prompt = Prompt(bundled("prompts"), task, "paper")
    assert [prompt.render(item) for item in items] == [opencompass(local, row) for row in rows]
    gold = ["AB"[row["label"] == "false"] if local == "cluewsc" else "ABCDEFG"[row["answer"]] for row in rows]
    assert [item.target for item in items] == gold
    assert "请从”A“，”B“" in prompt.render(reverse(items[0])) and reverse(items[0]).options[-1] == items[0].options[0]


@pytest.mark.parametrize("local", ["cluewsc", "chid"])
def test_pronouns_and_idioms_are_asked_as_opencompass_does(local: str) -> None:
    assert_as_opencompass(bundled("sample"), local)


@pytest.fixture
def official(real_data: Path) -> Path:
    if not (real_data / "cmmlu").is_dir() or not (real_data / "fewclue").is_dir():
        pytest.skip("needs cmmlu/ and fewclue/, the official files, in EVALSUITE_DATA")
    return real_data


def test_official_files(official: Path) -> None:
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


def test_stories_are_asked_with_the_official_prompts(real_data: Path) -> None:
    """Of every official item, in Chinese and English: the system message and the question as prompts.py and run_api.py make them."""
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
    task = BENCHMARKS["tombench"].task("hinting")
    (item,) = open_corpus("tombench", bundled("sample")).file(task, "stories", "test").items
    assert task.official and task.official(item, Response(reply, "stop")).choice == choice
    assert (item.gold, item.group, len(item.options)) == (2, "intention", 4)
