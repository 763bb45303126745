"""Any text at all: nothing raises, places are right, and no text costs much more to read than prose."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import thorough_but

from evalsuite.analyses.judged.replies import read_verdict
from evalsuite.analyses.judged.scale import JudgeScale
from evalsuite.parse import answer_part, parse_option, parse_options, parse_sentence, parse_span, parse_verbatim
from evalsuite.types import Status

FILM = {"(a)": "科幻片", "(b)": "恐怖片", "(c)": "喜剧片"}
RELATION = {
    "(a)": "是",
    "(b)": "是一个",
    "(c)": "有",
    "(d)": "由…制成",
    "(e)": "是…的一部分",
    "(f)": "空间上包含",
    "(g)": "空间上包含于",
}
NUMBERS = {"1": "火箭队", "2": "湖人队", "3": "勇士队"}
SETS = [FILM, RELATION, NUMBERS, {"甲": "C罗", "乙": "梅西"}, {"①": "", "②": "有"}, {}]
QUESTIONS = [
    None,
    "请从对话中抽取出在常识上与对话上下文不符的文本。",
    "导致事件“x开心”的原因是什么？",
    "“乒乓球”是一个或一种什么？",
]

PIECES = [
    "a", "b", "c", "A", "B", "(a)", "（b）", "[c]", "1", "2", "①", "2️⃣", "科幻片", "恐怖片", "喜剧片", "是",
    "有", "是一个", "的一部分", "由", "制成", "空间上包含", "于", "答案", "选项", "选", "不", "不是", "而是",
    "排除", "所以", "因为", "如果", "也", "和", "或", "还是", "正确", "错误", "更正", "等等", "以上都不对",
    "第二个", "最后一个", "前者", "后者", "：", "，", "。", "？", "!", "\n", "\n\n", "“", "”", "「", "」", "(",
    ")", "{", "}", "[", "]", "\"", "'", "**", "*", "`", "#", ">", "<think>", "</think>", "<b>", "</b>",
    "<answer>", "</s>", "<|im_end|>", "\\boxed{", "}", "$", "&", "&lt;", "10%", "0.5", "A:", "B：", "短语1:",
    "问题：", "解释：", "1.", "2.", "-", "抱歉", "无法", "无", "没有", "应改为", "→", "事件", "原因是", "the",
    "answer", "is", "not", "and", "or", "I", "[MASK]", "😊", "✅", "❌", "é", "\u200b", "\x00",
]  # fmt: skip
FRAGMENTS = st.lists(st.sampled_from([*PIECES, " "]), max_size=60).map("".join)
TEXTS = st.one_of(st.text(max_size=200), FRAGMENTS, st.text(alphabet='ab(（)是不选，。\n"“”<>{}\\*', max_size=120))


@pytest.mark.slow
@settings(max_examples=300)
@given(output=TEXTS, options=st.sampled_from(SETS), finish=st.sampled_from(["stop", "length"]))
def test_options_never_raise(output: str, options: dict[str, str], finish: str) -> None:
    for mode in ("full", "strict", "paper"):
        answer = parse_option(output, options, finish=finish, mode=mode)
        assert (answer.choice is not None) == (answer.status is Status.PARSED)
        if answer.choice is not None:
            assert 0 <= answer.choice < len(options)
        if answer.text is not None:
            assert answer.start is not None and answer.end is not None
            assert 0 <= answer.start < answer.end <= len(output)
            assert output[answer.start : answer.end] == answer.text
    chosen = parse_options(output, options, finish=finish).choices
    assert all(0 <= choice < len(options) for choice in chosen)


@settings(max_examples=300)
@given(output=TEXTS, question=st.sampled_from(QUESTIONS), finish=st.sampled_from(["stop", "length"]))
def test_spans_never_raise(output: str, question: str | None, finish: str) -> None:
    for extract in (True, False):
        answer = parse_span(
            output, question=question, finish=finish, extract=extract, dialogue=["A: 恐怖片。", "B: 是。"]
        )
        assert (answer.text is not None) == (
            answer.status in (Status.PARSED, Status.REFUSED)
        ) or answer.status is Status.REFUSED
        if answer.text is not None:
            assert answer.text and output[answer.start : answer.end] == answer.text


@settings(max_examples=300)
@given(output=TEXTS, after=st.sampled_from(["答案：", "Answer: ", "####", " "]), cut=st.booleans())
def test_parts_never_raise(output: str, after: str, cut: bool) -> None:
    part = answer_part(output, after, cut)
    assert part is None or 0 <= part.start <= part.end <= len(output)


UNITS = [
    "(a", "a,", "a\n", "不是", "是", "<think>", "科幻片", "空间上包含", "(", "{", "[[", "<b>", "<a", "&lt;", "**",
    "```", "~~", "\\boxed{", "\\", "“", "“a”", "a和", "选a。", "A:b\n", "A：", "如果选a，", "由", "1.a\n",
    "a:10%,", "the", "①", "答案是", "答：后\n", "没有", "{\"answer\":", "\"a\":[", "1", "12", "，", "\ue000",
    "答案：a。不对，", "因为", "所以", "因为a，所以b。", "“a”应改为", "把“", "的", "文本是", "事件“x”", "第一个",
    "x", "abc\n", "?", " ", "\t", "a ", " \n", "\u3000", "\ud800", "\ue001", "\\(", "- ", "5 ", "评分 ", "the ",
    "and ", "——", "…", "· ", "用来", "“ ", "\"", "' ", "(0) ", "0 and ", "all but ", "0.\n", "is ", "1. ", "both ",
    "correct: ", "yes: 1 no: 2 ", "(x", "| a |\n", "“a”、", "a: b\n", "B说“a”，", "原因是", "\n**答案：** ", "答案：\n", "如果答案是",
    "if answer: ", "因此，", "题：\n", "<|im_end|>", "> ", "。 - ", "1. ** ", "】", "\n下面是", "the final answer ",
]  # fmt: skip
PROSE = "今天天气很好，我们去公园散步吧。"
FACT = "“红烧肉”的用途是什么？"
SENTENCES = {"(0)": "It rains today.", "(1)": "It snows.", "(2)": "It is cold."}
READERS: dict[str, Callable[[str], object]] = {
    "option": lambda reply: parse_option(reply, RELATION),
    "options": lambda reply: parse_options(reply, SENTENCES),
    "event": lambda reply: parse_span(reply, question=QUESTIONS[2]),
    "conflict": lambda reply: parse_span(reply, question=QUESTIONS[1], dialogue=["A: 恐怖片。"]),
    "fact": lambda reply: parse_span(reply, question=FACT),
    "verbatim": lambda reply: parse_verbatim(reply, dialogue=["A: So sorry ."], question="Why?"),
    "sentence": parse_sentence,
    "reasoned": lambda reply: answer_part(reply, "答案："),
    "score": lambda reply: read_verdict(reply, [JudgeScale("score", 0, 5)]),
}


def cost(read: Callable[[str], object], reply: str) -> float:
    start = time.thread_time()  # a server that another test left behind has threads of its own
    read(reply)
    return time.thread_time() - start


@lru_cache(maxsize=len(READERS) + 2)
def cost_of_prose(reader: str, size: int) -> float:
    """The least cost of reading `size` characters of plain prose, in seconds of this machine."""
    READERS[reader]("b")  # the first call loads the tables
    return min(cost(READERS[reader], (PROSE * size)[:size]) for _ in range(5))


# A regular expression counts no steps, so the unit of cost is what plain prose of the same length costs on this machine
# at this time. Readers are within 11 times that; one quadratic pattern over 4,000 characters takes 60 times and more.
@pytest.mark.parametrize("unit", thorough_but(5, UNITS))
def test_no_reply_costs_much_more_than_prose(unit: str) -> None:
    # Only `strip` reads everything of a reply longer than 4,000 characters.
    for name, size in [*((name, 4_000) for name in READERS), ("option", 500), ("option", 100_000)]:
        reply = (unit * size)[: size - 1] + "x"
        if cost(READERS[name], reply) < 25 * cost_of_prose(name, size):
            continue
        # Prose may have been read in a quieter minute than the reply: both are read again.
        cost_of_prose.cache_clear()
        bound = 25 * cost_of_prose(name, size)
        assert any(cost(READERS[name], reply) < bound for _ in range(4)), f"{name}, {size} characters"
