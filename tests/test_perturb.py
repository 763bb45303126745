"""Changes by perturbations, and parts that they must not change: tables for the forms, properties for the rest, every real
file."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tiers import thorough_but

from evalsuite.benchmarks.corecode import BENCHMARK
from evalsuite.benchmarks.corecode import BENCHMARK as CORECODE
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE as TASKS
from evalsuite.benchmarks.kinds import KINDS
from evalsuite.benchmarks.registry import SPLITS
from evalsuite.common.errors import ConfigError
from evalsuite.parse import parse_option
from evalsuite.perturb import (
    PERTURBATIONS,
    perturbation_named,
    perturbation_of,
    reindicate,
    swap_speakers,
    traditional,
)
from evalsuite.perturb.choice import STYLES, deranged_order, label_names, shuffled_order, shuffled_orders
from evalsuite.perturb.question import label_mentions, rename_labels
from evalsuite.perturb.text import drop_turns, droppable
from evalsuite.types import Item, Status

CHOICES = [name for name, task in TASKS.items() if task.kind.name == "choice"]
FREE = [name for name, task in TASKS.items() if task.kind.name != "choice"]
ABC = ("a", "b", "c", "d", "e")


# --- questions

QUESTIONS = [  # question, with labels a … e -> with 1 … 5
    # The official ones.
    ("请根据对话内容，从a、b、c选项中选择对话中的[MASK]处应填入的选项。", "请根据对话内容，从1、2、3选项中选择对话中的[MASK]处应填入的选项。"),
    ("从a、b、c等候选领域中选择下面两个短语之间的关系所属的领域。\n短语1: 维生素a、b  短语2: 从a、b选项",
     "从1、2、3等候选领域中选择下面两个短语之间的关系所属的领域。\n短语1: 维生素a、b  短语2: 从a、b选项"),
    ("从a、b、c等选项中选择下面两个短语之间的关系。\n短语1：从a、b中选  短语2：选项a",
     "从1、2、3等选项中选择下面两个短语之间的关系。\n短语1：从a、b中选  短语2：选项a"),
    # Questions with other separators, ranges, cases, brackets.
    ("请从A、B、C、D、E中选择一个", "请从1、2、3、4、5中选择一个"),
    ("从a，b，c选项中选择", "从1，2，3选项中选择"),
    ("从a/b/c三个选项中选择", "从1/2/3三个选项中选择"),
    ("从a, b or c选项中选择", "从1, 2 or 3选项中选择"),
    ("从(a)、(b)、(c)中选择", "从(1)、(2)、(3)中选择"),
    ("从（a）到（e）中选择", "从（1）到（5）中选择"),
    ("从a-e选项中选择", "从1-5选项中选择"),
    ("从a~e中选", "从1~5中选"),
    ("从a至e中选", "从1至5中选"),
    ("从a、b……e选项中选", "从1、2……5选项中选"),
    ("从选项a、b和c中选择", "从选项1、2和3中选择"),
    ("从a b c d e中选择", "从1 2 3 4 5中选择"),
    ("从abcde选项中选择", "从12345选项中选择"),
    ("只回答字母A、B或C。", "只回答字母1、2或3。"),
    ("如果都不对，请选择选项e。", "如果都不对，请选择选项5。"),
    ("Choose one of a, b, c, d and e.", "Choose one of 1, 2, 3, 4 and 5."),
    ("Select from the options (a) to (e).", "Select from the options (1) to (5)."),
    ("从c、b、a选项中选择", "从3、2、1选项中选择"),
    ("從a、b、c選項中選擇", "從1、2、3選項中選擇"),
    # Letters that name no label.
    ("a和b两个人在聊“从a、b、c选项中选”的“a、b”是什么？", None),
    ("他在B站看abc新闻，e-mail和b超都没有。", None),
    ("请从对话中抽取文本，例如c、a、b。", None),
    ("答案不超过3个字。", None),
    ("请选bed选项。", None),
]  # fmt: skip


@pytest.mark.parametrize(("question", "wanted"), QUESTIONS, ids=range(len(QUESTIONS)))
def test_labels_in_questions_are_renamed(question: str, wanted: str | None) -> None:
    assert rename_labels(question, ABC, ("1", "2", "3", "4", "5")) == (wanted or question)


@pytest.mark.parametrize(
    "question", ["短语1和2之间是什么关系？", "请写出1、2句话。", "第1、2、3个人是谁？", "10、20选项"]
)
def test_numbers_are_no_labels(question: str) -> None:
    assert rename_labels(question, ("1", "2", "3"), ABC[:3]) == question


# --- strategies that draw items, for tests of properties

CHARS = "天很好我你他喜欢看电影NBACABxy0129。，？：“”、 ①甲[]"
texts = st.text(CHARS, min_size=1, max_size=12)


@st.composite
def items(draw: st.DrawFn, tasks: Sequence[str] = tuple(TASKS)) -> Item:
    """Any task's item, with 2 to 30 options for choices."""
    task = draw(st.sampled_from(tasks))
    turns = draw(st.lists(st.text(CHARS + "发头后里", max_size=20), min_size=1, max_size=14))
    dialogue = tuple(f"{'AB'[n % 2]}: {turn}" for n, turn in enumerate(turns))
    number = draw(st.integers(0, 10**6))
    identity = (f"corecode/easy/test/{task}/{number}", task, draw(st.sampled_from(CORECODE.sets)), "test", dialogue)
    if TASKS[task].kind.name != "choice":
        question = f"请回答：事件“{draw(texts)}”的原因是什么？"
        reference = draw(st.sampled_from([turn for turn in turns if turn] or ["x"]) | texts)
        return Item(*identity, question, references=(reference,))
    count = draw(st.integers(2, 30))
    options = tuple(draw(st.lists(texts, min_size=count, max_size=count, unique=draw(st.booleans()))))
    shown = STYLES["lower"](count)
    form = draw(st.sampled_from(["({})", "（{}）", "{}", "{}.", "【{}】", "[{}]"]))
    question = f"请从{'、'.join(shown[:3])}等选项中选择关系。\n短语1：{draw(texts)}  短语2：{draw(texts)}"
    gold = draw(st.integers(0, count - 1))
    return Item(*identity, question, options, tuple(map(form.format, shown)), gold, (options[gold],))


seeds = st.integers(0, 10**6)
many = settings(max_examples=60)


def fields_besides(item: Item, *free: str) -> tuple[object, ...]:
    """Everything of an item but the fields that a perturbation may change."""
    fields = ("id", "task", "set", "split", "dialogue", "question", "options", "labels", "gold", "references")
    return tuple(getattr(item, field) for field in fields if field not in free)


# --- all of them


def test_every_perturbation_has_a_whole_row() -> None:
    assert all(name == row.name and row.short and row.zh and row.en for name, row in PERTURBATIONS.items())
    assert {name for name, row in PERTURBATIONS.items() if row.several} == {"circular", "shuffle5"}
    assert PERTURBATIONS["circular"].kinds == ("choice",)  # every rotation right: one right option
    dialogue = {"swap_speakers", "drop_turns", "traditional", "taiwan"}
    assert {name for name, row in PERTURBATIONS.items() if "en" not in row.languages} == dialogue
    assert all("zh" in row.languages for row in PERTURBATIONS.values())
    unwritten = {name for name, kind in KINDS.items() if not kind.written}
    assert {name for name, row in PERTURBATIONS.items() if unwritten & {*row.kinds}} == {"none"}
    for task in TASKS:
        applied = {name for name, row in PERTURBATIONS.items() if row.applies(task)}
        assert {"none", "swap_speakers", "traditional"} <= applied
        # other tasks' options are names of a fixed set
        assert ("none_of_above" in applied) == (task == "knowledge_filling")
        assert ("shuffle" in applied) == (task in CHOICES) == ("drop_turns" not in applied)


def test_a_typo_is_told_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match=r"'shufle'.*'shuffle'.*Known: none, reindicate"):
        perturbation_named("shufle")
    with pytest.raises(ConfigError, match=r"label style 'romen'"):
        reindicate(Item("i", "t", "easy", "test", (), "q"), style="romen")


@many
@given(items(), seeds)
def test_pure_and_seeded_and_the_id_stays(item: Item, seed: int) -> None:
    for row in PERTURBATIONS.values():
        if not row.applies(item.task) or (row.name == "reindicate_stems" and len(item.options) > 22):
            continue
        made = row.items(item, seed)
        assert made == row.items(item, seed)
        assert row.items(item) == row.items(item, 0)  # seed 0 where none is named
        assert len(made) == row.count(item) == (5 if row.votes else len(item.options) if row.several else 1)
        assert all(fields_besides(x)[:4] == fields_besides(item)[:4] for x in made)
    assert PERTURBATIONS["none"].items(item, seed) == (item,)


@pytest.mark.slow
@many
@given(items(CHOICES), seeds)
def test_a_choice_goes_back_to_the_original_option(item: Item, seed: int) -> None:
    for row in PERTURBATIONS.values():
        if not row.applies(item.task) or (row.name == "reindicate_stems" and len(item.options) > 22):
            continue
        assert row.original_choice(item, None, seed) is None
        for variant, made in enumerate(row.items(item, seed)):
            back = [row.original_choice(item, choice, seed, variant) for choice in range(len(made.options))]
            assert sorted(back) == list(range(len(item.options)))
            assert back[made.gold] == item.gold
            if row.name not in ("swap_speakers", "traditional", "taiwan", "none_of_above"):
                assert tuple(item.options[old] for old in back) == made.options


# --- labels


@pytest.mark.parametrize("count", range(2, 31))
@pytest.mark.parametrize("task", CHOICES)
def test_shuffled_and_reindicated_goes_round(task: str, count: int) -> None:
    options = tuple(f"选项文字{n}" for n in range(count))
    labels = tuple(f"({name})" for name in STYLES["lower"](count))
    question = f"请从{labels[0][1:-1]}、{labels[1][1:-1]}选项中选择。"
    item = Item("i", task, "easy", "test", ("A: 好。",), question, options, labels, count // 2, (options[count // 2],))
    made = PERTURBATIONS["both"].items(item, 7)[0]
    assert made.options != item.options and made.question == "请从1、2选项中选择。"
    assert made.labels == tuple(f"({n})" for n in range(1, count + 1))
    back = [PERTURBATIONS["both"].original_choice(item, choice, 7) for choice in range(count)]
    ordered = replace(
        made,
        options=tuple(made.options[back.index(n)] for n in range(count)),
        gold=back[made.gold],
    )
    assert reindicate(ordered, style="lower") == item
    # and a reply that names the gold label, or its text, is read as gold
    for reply in (made.target, f"({made.target}){made.references[0]}", made.references[0]):
        answer = parse_option(reply, dict(zip(made.labels, made.options, strict=True)))
        assert answer.choice == made.gold, reply


@many
@given(items(CHOICES), st.sampled_from([s for s in STYLES if s != "stems"]))
def test_reindicating_leaves_all_but_names(item: Item, style: str) -> None:
    made = reindicate(item, 0, style)
    assert fields_besides(made, "labels", "question") == fields_besides(item, "labels", "question")
    new = STYLES[style](len(item.options))
    assert [label.replace(name, "@", 1) for label, name in zip(made.labels, new, strict=True)] == [
        label.replace(name, "@", 1) for label, name in zip(item.labels, label_names(item), strict=True)
    ]
    assert made.question.partition("短语1")[1:] == item.question.partition("短语1")[1:]
    assert made.question.startswith(f"请从{'、'.join(new[:3])}等选项中")
    assert reindicate(made, 0, "lower") == item


STYLE_LABELS = [
    ("digits", ["(1)", "(2)", "(27)"]),
    ("upper", ["(A)", "(B)", "(AA)"]),
    ("circled", ["(①)", "(②)", "(㉗)"]),
    ("lower", ["(a)", "(b)", "(aa)"]),
]


@pytest.mark.parametrize(("style", "wanted"), STYLE_LABELS)
def test_names_go_on_beyond_letters(style: str, wanted: list[str]) -> None:
    options = tuple(f"第{n}项" for n in range(27))
    labels = tuple(f"({name})" for name in STYLES["lower"](27))
    made = reindicate(Item("i", CHOICES[0], "easy", "test", (), "q", options, labels, 0), style=style)
    assert [made.labels[n] for n in (0, 1, 26)] == wanted
    answer = parse_option(made.indicators[26], dict(zip(made.labels, options, strict=True)))
    assert answer.choice == 26


@pytest.mark.parametrize(("style", "most"), [("stems", 22), ("circled", 50)])
def test_too_many_options_for_a_style(style: str, most: int) -> None:
    def item(count: int) -> Item:
        labels = tuple(f"({n})" for n in range(count))
        return Item("some/id", CHOICES[0], "easy", "test", (), "q", labels, labels, 0)

    assert len(set(reindicate(item(most), style=style).labels)) == most
    with pytest.raises(ConfigError, match=rf"some/id has {most + 1} options, .*only {most} labels .*use digits"):
        reindicate(item(most + 1), style=style)


# --- orders

ORDERS = ("shuffle", "derange", "reverse", "circular", "shuffle5")


@many
@given(items(CHOICES), seeds)
def test_orders_leave_labels_and_question(item: Item, seed: int) -> None:
    changed = {name: PERTURBATIONS[name].items(item, seed) for name in ORDERS}
    for made in (each for several in changed.values() for each in several):
        assert fields_besides(made, "options", "gold") == fields_besides(item, "options", "gold")
        assert Counter(made.options) == Counter(item.options)
        assert made.options[made.gold] == item.options[item.gold]
    (shuffled,), (deranged,), (reversed_once,) = (changed[name] for name in ("shuffle", "derange", "reverse"))
    assert (deranged.options == item.options) == (len(set(item.options)) == 1)
    assert shuffled == deranged or shuffled.options == item.options  # the two differ only where they must
    assert PERTURBATIONS["reverse"].items(reversed_once) == (item,)
    assert PERTURBATIONS["derange_both"].items(item, seed) == (reindicate(deranged),)
    assert PERTURBATIONS["both"].items(item, seed) == (reindicate(shuffled),)


def test_circular_shows_each_option_in_each_place() -> None:
    item = Item("i", CHOICES[0], "easy", "test", (), "q", ("甲", "乙", "丙"), ("(a)", "(b)", "(c)"), 1, ("乙",))
    made = PERTURBATIONS["circular"].items(item)
    assert made[0] == item
    assert [x.options for x in made] == [("甲", "乙", "丙"), ("乙", "丙", "甲"), ("丙", "甲", "乙")]
    assert [x.gold for x in made] == [1, 0, 2]


def test_orders_are_drawn_alike() -> None:
    """A shuffle leaves 1 of 3! orders as it was; a derangement none."""
    item = Item("i", CHOICES[0], "easy", "test", (), "q", ("甲", "乙", "丙"), ("(a)", "(b)", "(c)"), 1, ("乙",))
    drawn = Counter(shuffled_order(replace(item, id=str(n)))[0] for n in range(3000))
    assert len(drawn) == 6 and all(430 <= count <= 570 for count in drawn.values())
    five = [shuffled_orders(replace(item, id=str(n))) for n in range(600)]
    drawn = Counter(order for orders in five for order in orders)
    assert len(drawn) == 6 and all(430 <= count <= 570 for count in drawn.values())
    assert any(len({*orders}) < len(orders) for orders in five)  # orders are drawn independently: some repeat
    drawn = Counter(deranged_order(replace(item, id=str(n)))[0] for n in range(3000))
    assert len(drawn) == 5 and (0, 1, 2) not in drawn
    assert all(500 <= count <= 700 for count in drawn.values())


def test_the_first_shuffle_changed_every_order() -> None:
    """Cells of older runs have no version; in theirs, no order stayed."""
    assert perturbation_of("shuffle", None) is PERTURBATIONS["derange"]
    assert perturbation_of("both", None) is PERTURBATIONS["derange_both"]
    assert perturbation_of("shuffle", 2) is PERTURBATIONS["shuffle"]
    for name in ("none", "reindicate", "derange", "circular"):
        assert perturbation_of(name, None) is PERTURBATIONS[name]
    assert {name for name, row in PERTURBATIONS.items() if row.version > 1} == {"shuffle", "both"}


def test_an_order_hangs_on_seed_and_id_alone() -> None:
    options = tuple(f"{n}" for n in range(15))
    item = Item("i", CHOICES[0], "easy", "test", (), "q", options, options, 0, ("0",))
    assert shuffled_order(item, 1) != shuffled_order(item, 2) != shuffled_order(replace(item, id="j"), 2)
    assert shuffled_order(item, 1) == shuffled_order(replace(item, question="r", dialogue=("A: 别的",)), 1)


# --- speakers

SWAPS = [  # question or reference -> swapped; the dialogue speaks of B站 and A系列
    ("A觉得B胆子很大", "B觉得A胆子很大"),
    ("A的队友炸死A然后舔A的装备", "B的队友炸死B然后舔B的装备"),
    ("告诉B", "告诉A"),
    (" B最佩服的就是常汉卿", " A最佩服的就是常汉卿"),
    ("B超喜欢足球", "A超喜欢足球"),
    ("A组织B和A照顾A", "B组织A和B照顾B"),
    ("B计划周末去看NBA", "A计划周末去看NBA"),
    *[(word, word) for word in ("AB型血", "A货", "NBA", "A股大跌", "WCBA", "甲A联赛", "维生素B", "B超检查", "A4纸", "A+", "iPhone-B", "x觉得y好")],
    ("A用B站看动漫", "B用B站看动漫"),
    ("A系列芯片很好，A买了", "A系列芯片很好，B买了"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), SWAPS)
def test_speakers_swap_and_names_stay(text: str, wanted: str) -> None:
    said = ("A: 你在B站看的？", "B：嗯，NBA，A系列", "A:")
    item = Item("i", "event_cause", "easy", "test", said, f"“{text}”的原因？", references=(text,))
    made = swap_speakers(item)
    assert made.dialogue == ("B: 你在B站看的？", "A：嗯，NBA，A系列", "B:")
    assert made.references == (wanted,)
    assert made.question == f"“{wanted}”的原因？"
    assert swap_speakers(replace(item, set="hard")) == replace(
        made, set="hard"
    )  # a benchmark of one's own may have such a set


def test_the_people_x_and_y_are_no_speakers() -> None:
    item = Item(
        "i",
        "event_cause",
        "hard",
        "test",
        ("A: 走吗？", "B: 走。"),
        "导致“x告诉y”的原因是什么？",
        references=("x想走",),
    )
    assert swap_speakers(item) == replace(item, dialogue=("B: 走吗？", "A: 走。"))


def test_labels_are_no_speakers() -> None:
    item = Item("i", "slot_identification", "easy", "test", ("A: 好。",), "从A、B选项中选择关系。\n短语1：A笑  短语2：B哭",
                ("原因", "A的反应"), ("(A)", "(B)"), 1, ("A的反应",))  # fmt: skip
    made = swap_speakers(item)
    assert made.question == "从A、B选项中选择关系。\n短语1：B笑  短语2：A哭"
    assert (made.options, made.labels, made.references) == (("原因", "B的反应"), ("(A)", "(B)"), ("B的反应",))


@many
@given(items())
def test_swapping_leaves_words_and_undoes_itself(item: Item) -> None:
    made = swap_speakers(item)
    assert swap_speakers(made) == item
    assert fields_besides(made, "dialogue", "question", "options", "references") == fields_besides(
        item, "dialogue", "question", "options", "references"
    )
    assert [turn[1:] for turn in made.dialogue] == [turn[1:] for turn in item.dialogue]  # all but the speaker's letter
    blank = str.maketrans("AB", "@@")
    assert [t.translate(blank) for t in texts_of(made)] == [t.translate(blank) for t in texts_of(item)]
    if item.gold is not None:
        assert made.references == (made.options[made.gold],)
    if TASKS[item.task].kind.name == "span":
        assert made.references == item.references


def texts_of(item: Item) -> list[str]:
    return [*item.dialogue, item.question, *item.options, *item.references]


# --- turns


@many
@given(items(FREE), seeds, st.integers(0, 6))
def test_dropping_leaves_the_rest(item: Item, seed: int, count: int) -> None:
    made = drop_turns(item, seed, count)
    assert fields_besides(made, "dialogue") == fields_besides(item, "dialogue")
    rest = iter(item.dialogue)
    assert all(turn in rest for turn in made.dialogue)  # in their order
    gone = len(item.dialogue) - len(made.dialogue)
    assert gone <= count and gone % 2 == 0
    assert made.dialogue[-1] == item.dialogue[-1]
    assert all(one[0] != other[0] for one, other in zip(made.dialogue, made.dialogue[1:], strict=False))


def test_what_the_answer_rests_on_stays() -> None:
    said = (
        "A: 你好。",
        "B: 你好呀。",
        "A: 最近忙吗？",
        "B: 还行。",
        "A: 你的猫呢？",
        "B: 生病了。",
        "A: 怎么回事？",
        "B: 吃坏了。",
        "A: 再见。",
    )
    item = Item("i", "event_cause", "easy", "test", said, "事件“B的猫生病了”的原因是什么？", references=("猫吃坏了",))
    assert droppable(item) == (0, 1, 2)  # 3 stands before the cat, 6 between it and the answer
    seen = {drop_turns(item, seed).dialogue for seed in range(20)}
    assert seen == {said[2:], (said[0], *said[3:])}
    assert drop_turns(replace(item, references=("最近没有照顾好",)), 0) == replace(item, references=("最近没有照顾好",))
    assert drop_turns(replace(item, dialogue=said[4:])) == replace(item, dialogue=said[4:])
    assert droppable(replace(item, dialogue=said[:3])) == ()  # nothing to be seen of the event


def test_a_spans_turn_stays() -> None:
    said = (
        "A: 你好。",
        "B: 你好呀。",
        "A: 在吗？",
        "B: 嗯。",
        "A: 我坐地铁去了海南岛。",
        "B: 真的？",
        "A: 哈哈。",
        "B: 飞机才行。",
        "A: 是。",
    )
    item = Item("i", "conflict_detection", "easy", "test", said, "请抽取文本。", references=("坐地铁",))
    assert droppable(item) == (0, 1, 2, 6, 7)


# --- script


def test_traditional_script_changes_chinese_alone() -> None:
    item = Item("i", "slot_identification", "easy", "test", ("A: 理发师给我剪头发。", "B: [MASK]后来发财了。"), "从丑、寅选项中选择。\n短语1：头发",
                ("后续事件", "发生时间"), ("(丑)", "(寅)"), 1, ("发生时间",))  # fmt: skip
    made = traditional(item)
    assert made.dialogue == ("A: 理髮師給我剪頭髮。", "B: [MASK]後來發財了。")
    assert made.question == "從丑、寅選項中選擇。\n短語1：頭髮"
    assert (made.options, made.labels, made.gold) == (("後續事件", "發生時間"), ("(丑)", "(寅)"), 1)
    span = replace(item, task="conflict_detection", options=(), labels=(), gold=None, references=("发",))
    assert traditional(span).references == ("髮",)  # as it stands in its turn


@many
@given(items())
def test_traditional_leaves_all_that_is_not_chinese(item: Item) -> None:
    made = traditional(item)
    free = ("dialogue", "question", "options", "references")
    assert fields_besides(made, *free) == fields_besides(item, *free)
    han = re.compile("[\u4e00-\u9fff]")
    for old, new in zip(texts_of(item), texts_of(made), strict=True):
        assert len(old) == len(new)
        assert han.sub("", old) == han.sub("", new)
    if item.gold is not None:
        assert made.references == (made.options[made.gold],)
    if TASKS[item.task].kind.name == "span" and any(item.references[0] in turn for turn in item.dialogue):
        assume("A:" not in item.references[0])
        assert any(made.references[0] in turn for turn in made.dialogue)


# --- the files


def check_items(items: tuple[Item, ...]) -> None:
    """Assert that each perturbation keeps the right option of each item, and that its label and text name it."""
    assert items
    for item in items:
        for row in PERTURBATIONS.values():
            if not row.applies(item.task):
                continue
            for variant, made in enumerate(row.items(item, 3)):
                assert made.id == item.id and (made.gold is None) == (item.gold is None)
                if made.gold is None:
                    continue
                assert row.original_choice(item, made.gold, 3, variant) == item.gold
                assert made.references == (made.options[made.gold],)
                assert [label for _, _, label in label_mentions(made.question, label_names(made))] == [0, 1, 2]
                if made.labels != item.labels:
                    assert not re.search(r"[a-z]、", made.question.partition("短语1")[0])
                    assert reindicate(made, style="lower") == replace(item, options=made.options, gold=made.gold)
                if row.name not in ("traditional", "taiwan"):
                    options = dict(zip(made.labels, made.options, strict=True))
                    assert parse_option(made.target, options, dialogue=made.dialogue).choice == made.gold


@pytest.mark.slow
@pytest.mark.parametrize("task", thorough_but(3, TASKS))
def test_perturbed_items_of_the_sample_keep_their_answer(sample: CorecodeCorpus, task: str) -> None:
    for item_set in CORECODE.sets:
        for split in SPLITS:
            check_items(sample.file(TASKS[task], item_set, split).items[:60])


@pytest.mark.thorough
@pytest.mark.parametrize("folder", ["corecode", "corecode-derived"])
def test_perturbed_items_of_real_files_keep_their_answer(real_data: Path, folder: str) -> None:
    corpus = CorecodeCorpus(BENCHMARK, real_data / folder)
    for task, item_set in corpus.files("test"):
        check_items(corpus.file(task, item_set, "test").items[:40])


@pytest.mark.parametrize("task", TASKS)
def test_perturbed_official_examples_keep_their_answer(real_data: Path, task: str) -> None:
    path = real_data / "corecode" / "README_examples" / f"{TASKS[task].file}.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        labels = tuple(key for key in row if key.startswith("("))
        options = tuple(row[key] for key in labels)
        gold = labels.index(row["answer"][0]) if labels else None
        references = (options[gold],) if gold is not None else (row["answer"],)
        check_items((Item("i", task, "easy", "test", tuple(row["dialogue"]), row["question"], options, labels, gold, references),))  # fmt: skip


def test_the_examples_of_the_docs(sample: CorecodeCorpus) -> None:
    told = (Path(__file__).parents[1] / "docs" / "robustness.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in told or f"`_{name.partition('_')[2]}`" in told for name in PERTURBATIONS)
    item = sample.file(TASKS["knowledge_filling"], "easy", "test").items[1]
    for row in PERTURBATIONS.values():
        if row.kinds == ("choice",):
            for made in row.items(item, 0):
                options = " ".join(label + text for label, text in zip(made.labels, made.options, strict=True))
                assert f"{options} | {made.target} |" in told
                assert made.question[9:19] in told
    item = next(item for item in sample.file(TASKS["event_cause"], "easy", "test").items if "“B没有坐" in item.question)
    for row in (swap_speakers(item), traditional(item)):
        assert row.question[row.question.index("“") - 4 :] in told


# --- what can be known


@many
@given(items(CHOICES), seeds)
def test_none_of_above_takes_the_place_of_one_option(item: Item, seed: int) -> None:
    item = replace(item, task="knowledge_filling")
    row = PERTURBATIONS["none_of_above"]
    (made,) = row.items(item, seed)
    assert made.options[-1] == "以上都不对" and len(made.options) == len(item.options)
    (order,) = row.orders(item, seed)
    assert [made.options[n] for n in range(len(order) - 1)] == [item.options[old] for old in order[:-1]]
    assert (made.gold == len(order) - 1) == (order[-1] == item.gold)
    assert made.references == (made.options[made.gold],)
    assert fields_besides(made, "options", "gold", "references") == fields_besides(
        item, "options", "gold", "references"
    )
    assert row.items(made, seed) == (made,)  # an option speaks of the others already


def test_none_of_above_is_right_in_one_of_n_items() -> None:
    row, right = PERTURBATIONS["none_of_above"], 0
    for n in range(900):
        item = Item(
            f"{n}",
            "knowledge_filling",
            "easy",
            "test",
            (),
            "q",
            ("甲", "乙", "丙"),
            ("(a)", "(b)", "(c)"),
            n % 3,
            ("",),
        )
        right += row.items(item)[0].gold == 2 and row.orders(item)[0][-1] == item.gold
    assert 250 < right < 350


def test_none_of_above_is_read_as_that_option(sample: CorecodeCorpus) -> None:
    for item in sample.file(TASKS["knowledge_filling"], "easy", "test").items[:20]:
        (made,) = PERTURBATIONS["none_of_above"].items(item, 0)
        options = dict(zip(made.labels, made.options, strict=True))
        for reply in ("以上都不对", "答案是以上都不对。", made.labels[-1]):
            read = parse_option(reply, options, question=made.question, dialogue=made.dialogue)
            assert (read.status, read.choice) == (Status.PARSED, len(made.options) - 1)


@many
@given(items(CHOICES))
def test_no_dialogue_leaves_all_else(item: Item) -> None:
    (made,) = PERTURBATIONS["no_dialogue"].items(item)
    assert made.dialogue == () and fields_besides(made, "dialogue") == fields_besides(item, "dialogue")


# --- taiwan

TAIWAN = [
    ("鼠标坏了", "滑鼠壞了"),
    ("打印机的软件", "印表機的軟體"),
    ("视频在网络上", "影片在網路上"),
    ("NBA [MASK]", "NBA [MASK]"),
]


@pytest.mark.parametrize("text, expected", TAIWAN)
def test_words_become_those_of_taiwan(text: str, expected: str) -> None:
    item = Item("1", "event_cause", "easy", "test", (f"A: {text}",), f"事件“{text}”", references=(text,))
    made = PERTURBATIONS["taiwan"].items(item)[0]
    assert (made.dialogue, made.question, made.references) == ((f"A: {expected}",), f"事件“{expected}”", (expected,))


def test_a_span_of_taiwan_is_a_span_and_labels_stay(sample: CorecodeCorpus) -> None:
    for task in ("conflict_detection", "knowledge_filling"):
        for item in sample.file(TASKS[task], "easy", "test").items:
            made = PERTURBATIONS["taiwan"].items(item)[0]
            assert (made.labels, made.gold, len(made.dialogue)) == (item.labels, item.gold, len(item.dialogue))
            assert [turn[:2] for turn in made.dialogue] == [turn[:2] for turn in item.dialogue]
            assert sum("[MASK]" in turn for turn in made.dialogue) == sum("[MASK]" in turn for turn in item.dialogue)
            if task == "conflict_detection":
                assert any(made.references[0] in turn for turn in made.dialogue)


def test_each_turn_keeps_the_span_that_it_contains_apart() -> None:
    """网 by itself is 網, 网络 is 網路: of 好网 + 络, the word stays in halves where the span ends."""
    turns = ("A: 电脑坏了。", "B: 网络也坏了。")
    item = Item("1", "conflict_detection", "easy", "test", turns, "哪里矛盾？", references=("电脑坏了", "络也坏了"))
    made = PERTURBATIONS["taiwan"].items(item)[0]
    assert made.references == ("電腦壞了", "絡也壞了")
    assert made.dialogue == ("A: 電腦壞了。", "B: 網絡也壞了。")  # not 網路, which the span 絡也壞了 would not stand in


@pytest.mark.parametrize(("name", "languages"), [("shuffle", {"zh", "en"}), ("drop_turns", {"zh"})])
def test_only_what_changes_the_dialogue_needs_a_language_of_its_own(name: str, languages: set[str]) -> None:
    assert {*PERTURBATIONS[name].languages} == languages
