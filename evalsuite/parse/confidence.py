"""Reads the confidence that a reply states in its answer: 置信度：85%, 我有九成把握, Confidence: 0.8 (verbalised confidence,
Tian et al. 2023, "Just Ask for Calibration").

A statement is a name of confidence with a number: NAMED before it, or KNOWN behind it. NUMBERS has the forms of numbers, a row
each. One that is denied (不到九成把握) or has no number (很有把握, 置信度：高) states none. Of several statements those behind the
answer count; where these differ, or there are none and those before it differ, the reply states none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from evalsuite.parse.chars import lower
from evalsuite.parse.reasoned import RUN_ON, without_thinking

_DIGITS = {digit: n for n, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_ZH = "".join(_DIGITS)


def _numeral(words: str) -> float:
    """A Chinese number up to a hundred: 八十五, 九十九点五, 百."""
    whole, _, rest = words.partition("点")
    if "百" in whole:
        return 100.0
    tens, ten, ones = whole.rpartition("十")
    value = 10 * (_DIGITS[tens] if tens else 1) * bool(ten) + (_DIGITS[ones] if ones else 0)
    return float(f"{value}.{''.join(str(_DIGITS[digit]) for digit in rest) or 0}")


def _tenths(words: str) -> float:
    """九成, 九成五, 9成, 八九成 (the mean), 八成半."""
    tens, _, ones = words.partition("成")
    values = [10.0] if tens == "十" else [float(_DIGITS.get(digit, digit)) for digit in tens]
    return (10 * sum(values) / len(values) + (5 if ones == "半" else _DIGITS.get(ones, 0))) / 100


class NumberForm(NamedTuple):
    """A form of numbers: its pattern, and the confidence from 0 to 1 that a match states."""

    name: str
    pattern: str
    share: Callable[[str], float]
    example: str
    plain: bool = False  # a bare number: a confidence only behind a name of confidence


_FIGURE = r"\d{1,3}(?:\.\d{1,4})?"
_PERCENT = r"[ ]?(?:\\?%|percent|per cent)"
_TO = r"[ ]?(?:-|~|–|—|到|至|to)[ ]?"


def _figures(words: str) -> list[float]:
    return [float(figure) for figure in re.findall(r"\d*\.?\d+", words)]


def _mean_percent(words: str) -> float:
    figures = _figures(words)
    return sum(figures) / len(figures) / 100


NUMBERS = (
    NumberForm("range", rf"{_FIGURE}(?:{_PERCENT})?{_TO}{_FIGURE}{_PERCENT}", _mean_percent, "80%-90%"),
    NumberForm("percent", rf"{_FIGURE}{_PERCENT}", _mean_percent, "85%"),
    NumberForm("hundredths", rf"百分之{_FIGURE}", _mean_percent, "百分之85"),
    NumberForm(
        "numeral",
        rf"百分之(?:百|一百|[{_ZH}]?十?[{_ZH}]?(?:点[{_ZH}]{{1,2}})?)(?<!之)",
        lambda words: _numeral(words.removeprefix("百分之")) / 100,
        "百分之八十五",
    ),
    NumberForm("all", r"百分百", lambda _: 1.0, "百分百"),
    NumberForm("tenths", rf"(?:十|[{_ZH}]{{1,2}}|\d)成(?:[{_ZH}半](?!分))?", _tenths, "九成五"),
    NumberForm(
        "fraction",
        rf"{_FIGURE}[ ]?(?:/|out of)[ ]?(?:100|10|5|1)",
        lambda words: _figures(words)[0] / _figures(words)[1],
        "8.5/10",
    ),
    NumberForm("share", r"(?:0?\.\d{1,4}|1\.0{1,4}|[01])(?![\d.]*\d)", float, "0.85", plain=True),
    NumberForm("points", r"(?:[1-9]\d|100)(?:\.\d{1,2})?[ ]?分?(?!\d|\.\d)", _mean_percent, "85", plain=True),
)
_ANY = "|".join(number.pattern for number in NUMBERS)
_MARKED = "|".join(number.pattern for number in NUMBERS if not number.plain)
_FORMS = tuple((re.compile(number.pattern), number.share) for number in NUMBERS)

_NAMES = (
    r"(?<!不)(?:(?:置信|信心|把握)(?:程度|水平|指数|分数|度|值)?|(?:可信|确信|确定|自信|肯定)(?:程度|度|性))"
    r"|(?:答案)?正确的?(?:概率|可能性)"
    r"|(?<![a-z])(?:confidence|certainty)(?:[ ](?:level|score|rating))?"
    r"|(?<![a-z])(?:probability|likelihood)[ ](?:of[ ]being[ ]|that[ ](?:it|this|(?:the|my)[ ]answer)[ ]is[ ])(?:correct|right)"
)
_SCALE = r"(?:[ ]?[(\[](?P<scale>[^()\[\]\n]{1,30})[)\]])?"
_LINK = (
    r"(?:[ \t\n\"“”'*_`:=|]|为|是|约|大约|大概|有|在|达到?|高达|~|≈|-[ ]|(?<![a-z])(?:in|this|my|answer|is|of|at|about|around|"
    r"approximately)(?![a-z])){0,10}?"
)
# A number behind a word for confidence; any number if the word states a scale: 信心(1-10): 8.
NAMED = re.compile(
    rf"(?:{_NAMES}){_SCALE}{_LINK}(?<![\d.-])(?:(?P<number>{_ANY})|(?P<scaled>{_FIGURE}))(?![\d/]|\.\d|{_TO}\d)"
)
# A number before a word for confidence: 85%的把握, 九成把握, 90% sure.
KNOWN = re.compile(
    rf"(?<![\d.])(?P<number>{_MARKED})(?:[ ]?(?:以上|左右|上下))?[ ]?的?"
    r"(?:(?:把握|信心|置信度?|可信度|确信|确定|肯定)(?!不)|(?:sure|certain|confident|confidence|certainty)(?![a-z]))"
)
_TOP = re.compile(rf"{_TO}(100|10|5|1)(?!\d)")
_DENIED = re.compile(r"(?:没有?|没什么|不到|不足|不是|低于|未到|无|n't|not|less than|below|under|without)[ ]?$")
# A quick check of the raw reply, since each statement holds one of these.
_CUES = re.compile(
    "置信|把握|信心|自信|可信|确信|確信|确定|確定|肯定|正确|正確|confiden|certain|sure|probab|likelih", re.IGNORECASE
)


class Statement(NamedTuple):
    """A statement of confidence, from 0 to 1, at start:end of the raw reply."""

    confidence: float
    start: int
    end: int


def statements(raw: str) -> list[Statement]:
    """Every statement of confidence in a reply, outside of its thinking, in order.

    >>> statements("(a)。我有九成把握")
    [Statement(confidence=0.9, start=6, end=10)]
    """
    if not _CUES.search(raw):
        return []
    text = lower(without_thinking(raw))
    found = [*_statements(text, KNOWN), *_statements(text, NAMED)]
    kept: list[Statement] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        # An overlapping statement would take the first one's name for another number: 把握: 90% in 85%的把握: 90%.
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _statements(text: str, pattern: re.Pattern[str]) -> Iterator[Statement]:
    for match in pattern.finditer(text):
        share = _share(match)
        if (
            share is not None
            and 0 <= share <= 1
            and not _DENIED.search(text, max(0, match.start() - 12), match.start())
        ):
            yield Statement(share, match.start(), match.end())


def _share(match: re.Match[str]) -> float | None:
    """The confidence from 0 to 1 that a match states; None for a number whose scale is unknown."""
    groups = match.groupdict()
    number = groups["number"] or groups["scaled"]
    top = _TOP.search(groups.get("scale") or "")
    if top and re.fullmatch(_FIGURE, number):
        return float(number) / float(top[1])
    return next((share(number) for form, share in _FORMS if form.fullmatch(number)), None)


def stated_confidence(raw: str, start: int = 0, end: int = 0) -> float | None:
    """The confidence that a reply states in its answer, which stands at start:end of it; None if it states none.

    >>> stated_confidence("(a)\\n置信度：85%", 0, 3), stated_confidence("(a)：置信度80%，(b)：置信度20%", 0, 3)
    (0.85, None)
    """
    found = statements(raw)
    if not found:
        return None
    stop = RUN_ON.search(raw, end)
    within = [one for one in found if not stop or one.start < stop.start()]
    behind = [one.confidence for one in within if one.end > start]
    counted = {*(behind or (one.confidence for one in within))}
    return counted.pop() if len(counted) == 1 else None
