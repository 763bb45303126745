"""Wordings that ask for reasoning first, from the template to the tables: every part takes the answer, not the reasoning."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from run_files import read_jsonl, results_json
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, Corpora
from evalsuite.common.errors import ConfigError, PromptError
from evalsuite.common.resources import bundled
from evalsuite.evaluation.second_reader import prompt as second_prompt
from evalsuite.prompt import Prompt, Shots
from evalsuite.results.scoring import read_answer
from evalsuite.review.judge.judging import judged_text
from evalsuite.types import Item, Reading, Request, Response, Task

PROMPTS = bundled("prompts")
AFTER = {"cot": "答案：", "cot-en": "Answer: "}
# All benchmarks whose tasks are answered in writing and have no other reasoning.
OURS = "corecode", "cicero", "cider", "glucose"
WRITTEN = [task for task in TASKS.values() if task.benchmark in OURS]
CHOICE, TEXT = "knowledge_filling", "event_cause"
REASONS = "先看(a)，再看(b)。题目要求以“答案：”开头。\n1. (a)讲的是另一件事。\n2. (c)说不通。\n\n"


def sample_of(task: Task) -> tuple[Corpora, str]:
    benchmark = BENCHMARKS[task.benchmark]
    corpus = Corpora(benchmark.sample or bundled("sample"))
    return corpus, next(s for s in benchmark.sets if corpus.has(task, s, "test") and corpus.has(task, s, "train"))


@pytest.mark.parametrize("wording", AFTER)
@pytest.mark.parametrize("task", WRITTEN, ids=lambda task: task.name)
def test_every_written_task_has_both_wordings(task: Task, wording: str) -> None:
    prompt = Prompt(PROMPTS, task, wording)
    corpus, item_set = sample_of(task)
    item = corpus.file(task, item_set, "test").items[0]
    shown = prompt.render(item)
    plain = Prompt(PROMPTS, task, "plain").render(item)
    assert prompt.answer_after == AFTER[wording] and prompt.tokens == 1024
    # the prompt states the words that the answer follows
    assert f"“{AFTER[wording]}”" in shown or f'"{AFTER[wording]}"' in shown
    assert shown.endswith("\n") and ("一步一步" in shown if wording == "cot" else "step by step" in shown)
    # The question is the one that the wording `plain` shows, and nothing forbids the reasoning.
    for turn in item.dialogue:
        assert (turn.strip() in shown) == (turn.strip() in plain)
    for label, option in zip(item.labels, item.options, strict=True):
        assert f"{label} {option}\n" in shown
    assert not any(
        words in shown for words in ("不要重述问题或解释原因", "尽可能简短", "直接写出答案即可", "and nothing else")
    )


def test_probes_write_nothing_and_have_none() -> None:
    for task in BENCHMARKS["cedar"].tasks:
        with pytest.raises(PromptError, match="unknown prompt"):
            Prompt(PROMPTS, task, "cot")


@pytest.mark.parametrize("wording", AFTER)
@pytest.mark.parametrize(
    "task", ["knowledge_filling", "conflict_detection", "cicero_all_answers", "glucose_general_rule"]
)
def test_shots_show_the_words_and_the_right_answer(task: str, wording: str) -> None:
    corpus, item_set = sample_of(TASKS[task])
    item = corpus.file(TASKS[task], item_set, "test").items[0]
    shots = Shots(corpus.training(TASKS[task], item_set) or (), 0).draw(item, 2)
    prompt = Prompt(PROMPTS, TASKS[task], wording)
    request = prompt.request(item, shots)
    answers = [AFTER[wording] + shot.target for shot in shots]
    assert [m.content for m in request.messages if m.role == "assistant"] == answers
    for answer in answers:  # answers of a base model, on a line of their own
        assert f"\n{answer}\n\n" in request.prompt
    assert request.prompt.endswith(prompt.render(item)) and request.answer_after == AFTER[wording]


def golds() -> dict[str, Item]:
    corpus = Corpora(bundled("sample"))
    return {i.id: i for name in (CHOICE, TEXT) for i in corpus.file(TASKS[name], "easy", "test").items}


def reply(request: Request) -> str | Response:
    """Reasons, and then answers right; the second item of each task is cut off while it reasons."""
    if request.id.endswith("/1"):
        return Response(REASONS + "3. 所以", "length")
    return f"<think>答案：(c)</think>{REASONS}答案：{golds()[request.id].target}\n\n希望对你有帮助！"


@shared_folder
def reasoned_run(folder: Path) -> Path:
    """Four items of a choice and of a text, in both wordings."""
    evalsuite.run({"m": reply}, tasks=[CHOICE, TEXT], set="easy", limit=4, prompt=("plain", "cot"), out=folder / "run")
    return folder / "run"


def cells(run: Path, key: str = "cells") -> dict[tuple[str, str], dict[str, Any]]:
    found = results_json(run)[key]
    return {(cell["task"], cell["variant"]): cell for cell in found}


@pytest.mark.slow
def test_metrics_are_of_the_answer(reasoned_run: Path) -> None:
    found = cells(reasoned_run)
    assert found[CHOICE, "cot"]["metrics"]["accuracy"]["value"] == 0.75
    text = found[TEXT, "cot"]["metrics"]
    assert text["f1"]["value"] == text["em"]["value"] == 0.75
    assert found[TEXT, "cot"]["status"] == {"parsed": 3, "truncated": 1}
    # Metrics of whole replies leave the reasoning out; "希望对你有帮助" stays, as it would without reasoning.
    assert text["paper.f1"]["value"] > 0.4 > 0.2 > found[TEXT, "plain"]["metrics"]["paper.f1"]["value"]


def test_the_record_has_the_whole_reply_and_the_place_of_the_answer(reasoned_run: Path) -> None:
    records = read_jsonl(reasoned_run / cells(reasoned_run)[TEXT, "cot"]["records"])
    assert [record["answer"]["status"] for record in records].count("parsed") == 3
    for record in records:
        answer = record["answer"]
        assert record["answer_after"] == "答案：" and REASONS in record["reply"]
        if answer["status"] == "parsed":
            assert record["reply"][answer["start"] : answer["end"]] == answer["text"] == record["references"][0]


def test_scoring_again_and_showing(reasoned_run: Path, cli: Callable[..., Any]) -> None:
    before = (reasoned_run / "results.json").read_bytes()
    evalsuite.score(reasoned_run)
    assert (reasoned_run / "results.json").read_bytes() == before
    stdout = cli("show", reasoned_run, "--item", f"easy/test/{TEXT}/0").stdout
    assert "以“答案：”开头" in stdout and "parsed" in stdout
    assert "让我们一步一步来思考" in cli("preview", "--tasks", CHOICE, "--prompt", "cot", "--model", "random").stdout


def test_a_judge_sees_the_answer_alone(reasoned_run: Path) -> None:
    asked: list[str] = []

    def judge(request: Request) -> str:
        asked.append(request.prompt)
        return "4"

    evalsuite.judge(reasoned_run, "j", {"j": judge}, tasks=[TEXT])
    plain = [p for p in asked if "1. (a)讲的是另一件事" in p]
    cot = [p for p in asked if "1. (a)讲的是另一件事" not in p]
    assert (len(plain), len(cot)) == (4, 3)  # the reply that was cut off has nothing to judge
    assert all("希望对你有帮助" in p and "答案：" not in p for p in cot)
    judged = results_json(reasoned_run)["judged"]["cells"]
    assert {(c["variant"], c["status"].get("empty", 0)) for c in judged} == {("plain", 0), ("cot", 1)}
    assert judged_text(Response("因为下雨。", "stop")) == "因为下雨。"


def test_a_second_reader_sees_the_whole_reply() -> None:
    """The second reader checks the whole reading, including where the reasoning ends."""
    from evalsuite.common.templates import TemplateFile

    item = next(iter(golds().values()))
    shown = second_prompt(TemplateFile(PROMPTS / "second" / "zh.j2"), item, Response(f"{REASONS}答案：b", "stop"))
    assert REASONS.strip() in shown and "答案：b" in shown


@pytest.mark.slow
def test_nothing_is_finetuned_to_answer_without_the_reasoning_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("peft")
    with pytest.raises(ConfigError, match=r"--prompt cot: asks to reason before the answer.*such as plain"):
        evalsuite.finetune(model=["tiny-zh"], tasks=[CHOICE], sizes=[2], prompt="cot", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_likelihoods_are_not_asked_where_a_reply_reasons(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="do not ask to reason first"):
        evalsuite.run(
            model=["tiny-zh"], tasks=[CHOICE], limit=1, prompt=("cot",), scoring=("labels",), out=tmp_path / "out"
        )


@pytest.mark.slow
def test_baselines_answer_it(tmp_path: Path) -> None:
    models = tmp_path / "models.yaml"
    models.write_text("models:\n  - {name: oracle, backend: baseline, path: oracle}\n", encoding="utf-8")
    evalsuite.run(models, tasks=[CHOICE, TEXT], set="easy", prompt=("cot",), out=tmp_path / "out")
    found = cells(tmp_path / "out")
    assert found[CHOICE, "cot"]["metrics"]["accuracy"]["value"] == 1.0
    assert found[TEXT, "cot"]["metrics"]["em"]["value"] == 1.0


def test_a_papers_program_gets_the_whole_reply() -> None:
    """From the answering part alone, the program would read an answer that it does not find in the whole reply."""
    task = TASKS[CHOICE]
    corpus, item_set = sample_of(task)
    item = corpus.file(task, item_set, "test").items[0]
    paper = Reading("paper")
    assert read_answer(item, Response("(b)", "stop"), paper, "答案：").choice == 1
    reply = Response("(a)不对。\n答案：(b)", "stop")
    assert read_answer(item, reply, paper, "答案：") == read_answer(item, reply, paper)
    assert read_answer(item, reply, paper, "答案：").choice is None
    assert read_answer(item, reply, Reading(), "答案：").choice == 1
