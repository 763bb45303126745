"""Answers on a scale (rule 8): the unique maximum of probabilities, the first of a ranking."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from evalsuite.parse.chars import WORD
from evalsuite.parse.mentions import Group
from evalsuite.parse.segment import Block

_NUMBER = re.compile(
    r"(?P<number>\d{1,3}(?:\.\d{1,6})?)[ ]?(?P<percent>%|％|‰|个百分点|分(?!钟|析|别|之))?"
    r"|(?P<tenths>[一二三四五六七八九])成(?P<half>半)?"
)
_HALF = {word: number for number, word in enumerate("一二三四五六七八九", 1)}
_LEVELS = (
    ("非常低", 0.0),
    ("极低", 0.0),
    ("很低", 0.5),
    ("较低", 1.0),
    ("低", 1.0),
    ("中等", 2.0),
    ("中", 2.0),
    ("较高", 3.0),
    ("很高", 4.0),
    ("极高", 5.0),
    ("最高", 5.0),
    ("高", 3.5),
)
_LEVELS_EN = (("very low", 0.0), ("low", 1.0), ("medium", 2.0), ("moderate", 2.0), ("very high", 4.0), ("high", 3.0))
_SCORE = re.compile(
    r"[ ]?[\"”'’)]?[ ]?(?:[:=,(\-—→|]|的?(?:概率|可能性|置信度|得分|分数|几率|比例|评分)?[ ]?(?:大?约?为"
    r"|是|占|有|大约|约|:|=)?)[ ]?[\"“'(]?(?:约|大约|大概|概率|可能性|置信度|得分|几率|probability|score"
    r"|confidence|p)?(?:大?约?为|是|占|有|大约|约|:|=)?[ ]?"
)
_OF = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,6})?)[ ]?[%％][ ]?(?=\w|:)[^%。;,\n]{1,14}\Z")

Scaled = tuple[int | None, int, int, str]


def probabilities(low: str, groups: Sequence[Group], end: int) -> Scaled | None:
    """The option with the greatest number after it (or before: 60%是a), if at least two options have numbers."""
    scores: dict[int, tuple[float, Group]] = {}
    percents = 0
    for position, group in enumerate(groups[:60]):
        option = group.members[-1].option
        if len(group.options) != 1 or option < 0:
            continue
        limit = min(groups[position + 1].start if position + 1 < len(groups) else end, group.end + 40, end)
        before = low[max(group.start - 24, groups[position - 1].end if position else 0) : group.start]
        match = _OF.search(before)
        found = (float(match["number"]), True) if match else _score(low[group.end : limit])
        if found is not None:
            percents += found[1]
            if option not in scores or found[0] > scores[option][0]:
                scores[option] = (found[0], group)
    if len(scores) < 2 or (not percents and not _plain_scale(scores)):
        return None
    best = max(score for score, _ in scores.values())
    top = [(option, group) for option, (score, group) in scores.items() if score == best]
    if len(top) > 1:
        return None, top[0][1].start, top[-1][1].end, "probability-tie"
    option, group = top[0]
    return option, group.start, group.end, "probability"


def _plain_scale(scores: dict[int, tuple[float, Group]]) -> bool:
    """Whether numbers without a percent sign are a scale: they add up to 1 or 100, or none exceeds 1."""
    total = sum(score for score, _ in scores.values())
    return (
        0.97 <= total <= 1.03 or 97 <= total <= 103 or (all(score <= 1 for score, _ in scores.values()) and total > 0)
    )


def _score(after: str) -> tuple[float, bool] | None:
    lead = _SCORE.match(after)
    rest = after[lead.end() :] if lead else after
    gap = lead is not None and not lead.group().strip()
    match = _NUMBER.match(rest)
    if match is None:
        sure = re.search(r"(?<![\w.])(\d{1,3}(?:\.\d{1,6})?)[ ]?[%％]", after)
        if sure and not re.search(r"[。;\n]", after[: sure.start()]):
            return float(sure[1]), True
        words = rest.lstrip(" \"“'(")
        for word, value in (*_LEVELS, *_LEVELS_EN):
            if words.startswith(word) and not WORD.match(words[len(word) : len(word) + 1] or " "):
                return value, not gap
        stars = re.match(r"[ ]?[★⭐]+", after)
        return (float(len(stars.group().strip())), True) if stars else None
    if match["tenths"]:
        return 10.0 * _HALF[match["tenths"]] + (5 if match["half"] else 0), True
    number = float(match["number"])
    if not match["percent"] and ((number > 1 and not lead) or re.match(r"\w", rest[match.end() : match.end() + 1])):
        return None
    if (
        not match["percent"]
        and "." not in match["number"]
        and number > 1
        and not re.search("[:=]", lead.group() if lead else "")
    ):
        return None
    return number, bool(match["percent"])


_HINT = re.compile(r"可能|排序|排名|优先|依次|从高到低|概率|rank|likely|best|possib|首选|推荐度|top")
_ITEM = re.compile(
    r"[ ]*(?:[(\[]?(?P<n>[123])[)\].、:][ ]?|第[ ]?(?P<c>[一二三])(?:名|位|,|:|选择"
    r"|可能)?[ ]?[:,是为]?[ ]?|top[ ]?(?P<t>[123])[ ]?[:.]?[ ]?|no\.?[ ]?(?P<o>[123])[ ]?[:.]?[ ]?)"
)


def ranking(low: str, groups: Sequence[Group], block: Block) -> Scaled | None:
    """The first option of a numbered list that is announced as a ranking."""
    items: list[tuple[int, Group]] = []
    for group in groups[:30]:
        line = max(low.rfind("\n", block.start, group.start) + 1, block.start)
        match = _ITEM.match(low, line, group.start)
        if match and low[match.end() : group.start].strip(' *(“"选项[') == "" and len(group.options) == 1:
            words = match["n"] or match["t"] or match["o"]
            items.append((int(words) if words else "一二三".index(match["c"]) + 1, group))
    ordered = items and items[0][0] == 1 and all(later[0] == earlier[0] + 1 for earlier, later in pairwise(items[:3]))
    if len(items) < 2 or not ordered or len({g.options for _, g in items}) < 2:
        return None
    if not _HINT.search(low, block.start, min(items[-1][1].end + 12, block.end)):
        return None
    last = items[-1][1]
    if any(g.start > last.end for g in groups):
        return None
    first = items[0][1]
    return first.members[0].option, first.start, first.end, "ranking"
