"""Prompts: official texts byte for byte, the paper's form, shots, and what gives way when space runs out."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from as_json import cells_of
from run_files import read_jsonl

import evalsuite
from evalsuite.benchmarks.corecode import BENCHMARK as CORECODE
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE as TASKS
from evalsuite.common.dialogue import alike
from evalsuite.common.errors import ConfigError, PromptError
from evalsuite.common.resources import bundled
from evalsuite.prompt import VARIABLES, Prompt, Shots, fit_shots, wordings
from evalsuite.types import Item, Request

PROMPTS = bundled("prompts")
DIALOGUE = ("A: 你好。", "B: 我很少看{{ x }}<b>[MASK]</b>。")


def choice(task: str, question: str = "请从a、b选项中选择。") -> Item:
    return Item("i", task, "easy", "test", DIALOGUE, question, ("科幻片", "恐怖片"), ("(a)", "(b)"), 1, ("恐怖片",))


def text(task: str) -> Item:
    return Item("i", task, "easy", "test", DIALOGUE, "事件“x笑”的原因是什么？", references=("x高兴",))


PAPER = [
    # Section 4 and Figures 4 and 5: the order of the parts, and the words the answer is to follow.
    (choice("knowledge_filling"),
     "请从a、b选项中选择。\n对话内容：A: 你好。 B: 我很少看{{ x }}<b>[MASK]</b>。\n候选选项：(a)科幻片 (b)恐怖片\n答：正确的选项是"),
    (choice("domain_identification", "选择领域。\n短语1: 甲  短语2: 乙"),
     "选择领域。\n短语1: 甲  短语2: 乙\n对话内容：A: 你好。 B: 我很少看{{ x }}<b>[MASK]</b>。\n候选选项：(a)科幻片 (b)恐怖片\n答：正确的领域是"),
    (choice("slot_identification", "选择关系。\n短语1：甲  短语2：乙"),
     "选择关系。\n短语1：甲  短语2：乙\n对话内容：A: 你好。 B: 我很少看{{ x }}<b>[MASK]</b>。\n候选选项：(a)科幻片 (b)恐怖片\n答：正确的选项是"),
    *[(text(name), "对话内容：A: 你好。 B: 我很少看{{ x }}<b>[MASK]</b>。\n事件“x笑”的原因是什么？\n答：")
      for name in ("knowledge_generation", "conflict_detection", "event_cause", "subsequent_event", "clipped_subsequent_event")],
]  # fmt: skip


@pytest.mark.parametrize(("item", "expected"), PAPER, ids=[item.task for item, _ in PAPER])
def test_prompts_have_the_papers_form(item: Item, expected: str) -> None:
    assert Prompt(PROMPTS, TASKS[item.task], "paper").render(item) == expected


@pytest.mark.parametrize("variant", ["paper", "plain"])
@pytest.mark.parametrize("task", TASKS)
def test_official_texts_stand_in_every_prompt_as_they_are(sample: CorecodeCorpus, task: str, variant: str) -> None:
    prompt = Prompt(PROMPTS, TASKS[task], variant)
    for item_set in CORECODE.sets:
        for item in sample.file(TASKS[task], item_set, "test").items:
            shown = prompt.render(item)
            assert item.question in shown
            assert all(turn in shown for turn in item.dialogue)
            for label, option in zip(item.labels, item.options, strict=True):
                assert f"{label}{option}" in shown or f"{label} {option}" in shown
            assert shown == shown.rstrip()


@pytest.mark.parametrize("variant", ["paper", "plain"])
@pytest.mark.parametrize("task", TASKS)
def test_official_examples_stand_in_prompts_byte_for_byte(real_data: Path, task: str, variant: str) -> None:
    """The official README's examples: question, turns and options byte for byte from the file, not through our loader."""
    path = real_data / "corecode" / "README_examples" / f"{TASKS[task].file}.jsonl"
    prompt = Prompt(PROMPTS, TASKS[task], variant)
    rows = read_jsonl(path)
    assert rows
    for row in rows:
        labels = tuple(key for key in row if key.startswith("("))
        options = tuple(row[key] for key in labels)
        gold = labels.index(row["answer"][0]) if labels else None
        item = Item("i", task, "easy", "test", tuple(row["dialogue"]), row["question"], options, labels, gold, ("x",))
        shown = prompt.render(item)
        for part in (row["question"], *row["dialogue"], *options, *labels):
            assert part.encode() in shown.encode()


def test_an_options_label_has_one_name_in_our_wordings() -> None:
    ours = [path for path in PROMPTS.rglob("*.j2") if path.stem != "paper" and "选项" in path.read_text("utf-8")]
    assert len(ours) > 20
    assert [str(path) for path in ours if any(name in path.read_text("utf-8") for name in ("编号", "标签"))] == []


def test_the_two_wordings_differ() -> None:
    for task in TASKS.values():
        item = choice(task.name) if task.kind.name == "choice" else text(task.name)
        assert Prompt(PROMPTS, task, "paper").render(item) != Prompt(PROMPTS, task, "plain").render(item)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{{ dialouge }}", "dialouge"),  # a misspelt name is an error, not an empty text
        ("{% for %}", "unknown|expected|Expected|tag"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),  # a template from someone else cannot reach the interpreter
    ],
)
def test_templates_that_cannot_be(tmp_path: Path, source: str, message: str) -> None:
    place = tmp_path / "corecode" / "event_cause"
    place.mkdir(parents=True)
    (place / "mine.j2").write_text(source, encoding="utf-8")
    with pytest.raises(PromptError, match=message):
        Prompt(tmp_path, TASKS["event_cause"], "mine").render(text("event_cause"))


def test_a_missing_wording_is_named_with_those_there_are() -> None:
    with pytest.raises(PromptError, match=r"'papper'.*Did you mean 'paper'.*plain"):
        Prompt(PROMPTS, TASKS["event_cause"], "papper")


def test_shots_as_text_and_as_turns(sample: CorecodeCorpus) -> None:
    task = TASKS["knowledge_filling"]
    item = sample.file(task, "easy", "test").items[0]
    shots = Shots(sample.train(task.name, "easy"), 0).draw(item, 2)
    prompt = Prompt(PROMPTS, task, "paper")
    request = prompt.request(item, shots)
    assert request.prompt == "\n\n".join([*(prompt.render(s) + s.target for s in shots), prompt.render(item)])
    assert [m.role for m in request.messages] == ["user", "assistant"] * 2 + ["user"]
    assert request.messages[1].content == shots[0].target
    assert request.messages[-1].content == prompt.render(item)


@pytest.mark.parametrize("task", TASKS)
def test_shots_are_nested_balanced_and_of_other_dialogues(sample: CorecodeCorpus, task: str) -> None:
    """Shots depend on the item alone; fewer are a part of more; none is of the item's own dialogue; labels are balanced."""
    train, items = sample.train(task, "hard"), sample.file(TASKS[task], "hard", "test").items[:20]
    shots = Shots(train, 0)
    drawn = {item.id: shots.draw(item, 5) for item in items}
    assert {i.id: Shots(train, 0).draw(i, 5) for i in reversed(items)} == drawn
    assert any(Shots(train, 1).draw(i, 5) != drawn[i.id] for i in items)
    for item in items:
        five = drawn[item.id]
        assert shots.draw(item, 3) == five[:3]
        assert len({s.dialogue for s in five}) == 5
        assert not any(alike(s.dialogue, item.dialogue) for s in five)
    if task == "knowledge_filling":
        for five in drawn.values():
            counts = Counter(s.target for s in five)
            assert max(counts.values()) - min(counts.get(x, 0) for x in "abc") <= 1


def test_an_items_own_dialogue_is_never_a_shot(sample: CorecodeCorpus) -> None:
    """No shot is of the item's dialogue, also where the item is of the training split itself, with a mask in another turn."""
    for task in ("knowledge_filling", "conflict_detection", "clipped_subsequent_event"):
        train = sample.train(task, "easy")
        assert len(train) > 20
        for item in train[:30]:
            for shot in Shots(train, 0).draw(item, 5):
                assert shot.dialogue[0] != item.dialogue[0] or (
                    len(shot.dialogue) > 1 and shot.dialogue[1] != item.dialogue[1]
                )


def test_items_with_the_same_options_are_shots_of_each_other() -> None:
    """Without a dialogue, the options of true or false questions are most of an item's lines."""
    items = [replace(choice("t", f"第{n}题对吗？"), id=f"{n}", dialogue=(), gold=n % 2) for n in range(6)]
    drawn = Shots(items[1:], 0).draw(items[0], 5)
    assert {*drawn} == {*items[1:]}
    with pytest.raises(PromptError, match="only 1 of other dialogues"):
        Shots([items[1], replace(items[1], id="again")], 0).draw(items[0], 2)


def test_too_few_dialogues_for_the_shots(sample: CorecodeCorpus) -> None:
    train = sample.train("event_cause", "easy")
    item = sample.file(TASKS["event_cause"], "easy", "test").items[0]
    with pytest.raises(PromptError, match="only 1 of other dialogues"):
        Shots([train[0], replace(train[0], id="again")], 0).draw(item, 2)


@pytest.mark.parametrize(("context", "kept"), [(10_000, 3), (2_900, 2), (1_900, 1), (1_200, 0), (10, 0), (None, 3)])
def test_space_takes_shots_and_never_the_question(sample: CorecodeCorpus, context: int | None, kept: int) -> None:
    task = TASKS["event_cause"]
    item = sample.file(task, "easy", "test").items[0]
    turn = "A: " + "字" * 700
    # the last shots are dropped first
    shots = [replace(item, id=f"s{n}", dialogue=(f"{turn[:-1]}{n}",)) for n in range(3)]
    bare = replace(item, dialogue=(turn,))
    prompt = Prompt(PROMPTS, task, "paper")

    def characters(request: Request) -> int:
        return len(request.prompt)

    assert fit_shots(prompt, bare, shots, characters, context) == (prompt.request(bare, shots[:kept]), kept)


def _write_wording(folder: Path, place: str, text: str) -> Path:
    path = folder / "corecode" / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return folder


def test_own_wordings_stand_beside_those_that_ship(tmp_path: Path) -> None:
    own = _write_wording(tmp_path, "slot_identification/mine.j2", "{{ question }} {{ kind }}")
    assert {*wordings(own, TASKS["slot_identification"])} == {*wordings(PROMPTS, TASKS["slot_identification"]), "mine"}
    assert wordings(own, TASKS["event_cause"]) == wordings(PROMPTS, TASKS["event_cause"])
    assert Prompt(own, TASKS["slot_identification"], "mine").render(choice("slot_identification", "问")) == "问 choice"
    _write_wording(tmp_path, "paper.j2", "of all tasks")  # takes the place of all that ship
    _write_wording(tmp_path, "event_cause/paper.j2", "mine instead")
    assert wordings(own, TASKS["slot_identification"])["paper"] == tmp_path / "corecode" / "paper.j2"
    assert Prompt(own, TASKS["event_cause"], "paper").render(text("event_cause")) == "mine instead"


def test_an_unknown_wording_lists_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(PromptError) as error:
        Prompt(tmp_path, TASKS["event_cause"], "mine")
    assert "Known: " in str(error.value) and "cot, cot-en" in str(error.value) and "paper, plain" in str(error.value)
    assert str(tmp_path / "corecode" / "event_cause" / "mine.j2") in str(error.value)


def test_a_wording_for_one_task_runs_beside_the_paper_s(tmp_path: Path) -> None:
    own = _write_wording(
        tmp_path / "my", "slot_identification/mine.j2", "{{ dialogue | join }}{{ question }}{{ options }}"
    )
    done = evalsuite.run(
        model=["lexical"], tasks=["SI", "EC"], set="easy", limit=2, prompt=["paper", "mine"], prompts=own, out=tmp_path / "run"
    )  # fmt: skip
    asked = {(c["task"], c["variant"]) for c in cells_of(done)}
    assert asked == {
        ("event_cause", "paper"),
        ("slot_identification", "paper"),
        ("slot_identification", "mine"),
    }
    with pytest.raises(ConfigError, match=r"--prompts .*: no such folder"):
        evalsuite.Settings(prompts=tmp_path / "nowhere")


def test_the_documented_variables_are_those_that_a_template_has() -> None:
    """The table has the variables of a template's context, without Jinja's own globals, and no others."""
    shown = Prompt(PROMPTS, TASKS["event_cause"], "paper")
    seen: dict[str, object] = {}
    shown._template.render = lambda variables, about: seen.update(variables) or ""  # type: ignore[method-assign,func-returns-value]
    shown.render(text("event_cause"))
    assert list(seen) == list(VARIABLES)


# System messages --------------------------------------------------------------------------------------------------


def test_a_wording_and_a_model_may_have_a_system_message(tmp_path: Path) -> None:
    folder = tmp_path / "corecode" / "event_cause"
    folder.mkdir(parents=True)
    (folder / "mine.j2").write_text(
        "{#- system: |\n      只输出[[A]]。\n      不要解释。 -#}\n{{ question }}", encoding="utf-8"
    )
    item, shot = text("event_cause"), replace(text("event_cause"), question="为什么？", references=("因为",))
    task = TASKS["event_cause"]
    bare, own = Prompt(PROMPTS, task, "plain"), Prompt(tmp_path, task, "mine")
    both = Prompt(tmp_path, task, "mine", system="你是助手。")
    assert [m.role for m in bare.request(item).messages] == ["user"]
    request = own.request(item, [shot])
    assert [(m.role, m.content) for m in request.messages] == [
        ("system", "只输出[[A]]。\n不要解释。"), ("user", "为什么？"), ("assistant", "因为"), ("user", item.question),
    ]  # fmt: skip
    assert request.prompt == f"只输出[[A]]。\n不要解释。\n\n为什么？因为\n\n{item.question}"
    assert both.request(item).messages[0].content == "你是助手。\n\n只输出[[A]]。\n不要解释。"
    assert len({bare.sha256, own.sha256, both.sha256, Prompt(tmp_path, task, "mine").sha256}) == 3
    assert Prompt(PROMPTS, task, "plain", system="你是助手。").sha256 != bare.sha256


def test_the_system_message_of_a_model_is_asked_and_kept(tmp_path: Path) -> None:
    models = tmp_path / "models.yaml"
    models.write_text(
        "models:\n- {name: plain, backend: hf, path: 'bundled:models/tiny-zh', chat: true}\n"
        "- {name: told, backend: hf, path: 'bundled:models/tiny-zh', chat: true, system: 你是助手。}\n",
        encoding="utf-8",
    )
    planned = list(evalsuite.preview(models, tasks=["event_cause"], set="easy", limit=1))
    roles = {cell.place.model: [m.role for m in trials[0].request.messages] for cell, trials in planned}
    assert roles == {"plain": ["user"], "told": ["system", "user"]}
    assert len({cell.facts["template"] for cell, _ in planned}) == 2
