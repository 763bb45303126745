"""Any text at all: nothing raises, places are right, and 10 kB of it take no longer than 20 ms."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalsuite.parse import parse_option, parse_options, parse_span
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


UNITS = [
    "(a", "a,", "a\n", "不是", "是", "<think>", "科幻片", "空间上包含", "(", "{", "[[", "<b>", "<a", "&lt;", "**",
    "```", "~~", "\\boxed{", "\\", "“", "“a”", "a和", "选a。", "A:b\n", "A：", "如果选a，", "由", "1.a\n",
    "a:10%,", "the", "①", "答案是", "答：后\n", "没有", "{\"answer\":", "\"a\":[", "1", "12", "，", "\ue000",
    "答案：a。不对，", "因为", "所以", "因为a，所以b。", "“a”应改为", "把“", "的", "文本是", "事件“x”", "第一个",
    "x", "abc\n", "?",
]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_ten_kilobytes_take_no_time(unit: str) -> None:
    text = unit * (10_000 // len(unit.encode()) + 1)
    parse_option("b", RELATION)  # tables are loaded once
    parse_span("b", question=QUESTIONS[2])
    option, span = [], []
    for _ in range(3):
        start = time.process_time()
        parse_option(text, RELATION)
        middle = time.process_time()
        parse_span(text, question=QUESTIONS[2])
        option.append(middle - start)
        span.append(time.process_time() - middle)
    assert max(min(option), min(span)) < 0.04  # 20 ms on a quiet machine
