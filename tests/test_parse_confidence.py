"""The confidence that a reply states: the forms of names and numbers, what states none, and which of several counts."""

from __future__ import annotations

import json

import pytest

from evalsuite.exchange.batch import parse_rows, reply_row
from evalsuite.parse.confidence import NUMBERS, stated_confidence, statements
from evalsuite.parse.read import parse_option

STATED = {
    "置信度：85%": 0.85, "置信度：８５％": 0.85, "**置信度**：**85%**": 0.85, "置信度为85\\%": 0.85, "信心度：約為 80 %": 0.8,
    "把握 0.9": 0.9, "把握０．９": 0.9, "置信度：.9": 0.9, "置信度 = 0.95。": 0.95, "置信度：1": 1.0, "置信度：0": 0.0, "置信度：1.0": 1.0,
    "置信度：85": 0.85, "信心指数：90分": 0.9, "置信度：85/100": 0.85, "信心：8.5/10": 0.85, "Confidence: 9 out of 10": 0.9,
    "信心（1-10）：8": 0.8, "置信度(0-100): 5": 0.05, "Confidence (0-1): 0.7": 0.7, "置信度（0% 到 100%）：70%": 0.7,
    "置信度：百分之八十五": 0.85, "百分之九十九点五的把握": 0.995, "百分之九十的把握": 0.9, "百分之85的把握": 0.85, "百分百确定": 1.0,
    "我有九成把握": 0.9, "9成把握": 0.9, "八九成的把握": 0.85, "九成五以上的把握": 0.95, "把握有八成半": 0.85, "十成把握": 1.0,
    "置信度：80%-90%": 0.85, "置信度：80到90%": 0.85, "我90%确定": 0.9, "有 85% 左右的把握": 0.85, "我有八成的確信": 0.8,
    "正确的概率：70%": 0.7, "确定程度：七成": 0.7, "可信度 4/5": 0.8,
    "Confidence: 80%": 0.8, "confidence level: 0.75": 0.75, "My confidence in this answer is 75 percent.": 0.75, "I'm 90% sure.": 0.9,
    "I am about 95% certain": 0.95, "## Confidence\n70": 0.7, "The probability that my answer is correct is 0.7": 0.7,
    '{"answer": "a", "confidence": 0.85}': 0.85, "| 置信度 | 85% |": 0.85,
}  # fmt: skip
SILENT = [
    "置信度：高", "我很有把握。", "信心满满", "置信度：5", "置信度：120%", "置信度：-5%", "置信度：0.8-0.9", "没有九成把握", "不到八成把握",
    "低于80%的把握", "置信度低于80%", "I am not 90% sure", "uncertainty: 20%", "不确定度：15%", "我确定100个人都来了", "我肯定是85号楼", "85%不确定",
    "下雨的概率是80%", "(a) 85%", "最后另起一行写“置信度：”，后面是一个 0% 到 100% 的概率", "百分之的把握", "",
]  # fmt: skip


@pytest.mark.parametrize("reply", STATED)
def test_each_form_of_confidence_is_read(reply: str) -> None:
    assert [one.confidence for one in statements(reply)] == [pytest.approx(STATED[reply], abs=1e-12)]
    assert stated_confidence(f"(a)\n{reply}", 0, 3) == pytest.approx(STATED[reply])


@pytest.mark.parametrize("reply", SILENT)
def test_other_numbers_state_no_confidence(reply: str) -> None:
    assert statements(reply) == []


def test_every_form_of_numbers_reads_its_example() -> None:
    for number in NUMBERS:
        (found,) = statements(f"置信度：{number.example}")
        assert found.confidence == pytest.approx(number.share(number.example)), number.name


@pytest.mark.parametrize(
    ("reply", "confidence"),
    [
        ("置信度：85%\n答案：(a)", 0.85),
        # A statement behind the answer outranks one ahead of it.
        ("我有六成把握选(b)，再想想……\n答案：(a)\n置信度：85%", 0.85),
        ("(a)\n置信度：85%。也就是说，我有85%的把握。", 0.85),
        ("(a) 置信度：80%\n(b) 置信度：15%\n(c) 置信度：5%", None),  # a list of options
        ("<think>也许八成把握是雨</think>(a)", None),
        ("<think>也许八成把握是雨</think>(a)，九成把握", 0.9),
        (
            "(a)\n置信度：85%\n\n下面是A和B两个人的一段对话。\n\nA: 下雪了。\n\n天气如何？\n(a) 雨\n(b) 雪\n答案：(b)\n置信度：60%",
            0.85,
        ),  # the reply runs on with another question
    ],
)
def test_the_statement_about_the_answer_counts(reply: str, confidence: float | None) -> None:
    answer = parse_option(reply, {"(a)": "雨", "(b)": "雪", "(c)": "雾"})
    assert answer.choice == 0
    assert stated_confidence(reply, answer.start or 0, answer.end or 0) == confidence


def test_rows_of_parse_have_it_where_it_is_stated() -> None:
    sure, silent, none = parse_rows(reply_row(x, "雨|雪") for x in ("(b)，九成把握", "(b)", "不知道，五成把握"))
    assert sure["choice"] == "(b)" and sure["confidence"] == 0.9 and json.dumps(sure)
    assert "confidence" not in silent and "confidence" not in none


@pytest.mark.parametrize(
    "text", ["置信度" + "是 " * 50_000, "9" * 100_000, "把握" * 50_000, "一成" * 50_000, "90%的" * 25_000]
)
def test_no_reply_costs_much(text: str) -> None:
    assert len(statements(f"置信{text}")) <= 1  # the call ends at all: with a quadratic pattern it would take minutes
