"""Shapes that hold a whole span: boxes, JSON values, lists; and the split into sentences (rules 12 and 14)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evalsuite.parse.chars import WORD
from evalsuite.parse.leads import MARKER, cut_lead
from evalsuite.parse.question import Asked
from evalsuite.parse.refusal import NONE_FOUND
from evalsuite.parse.segment import lines
from evalsuite.parse.trim import Place, trim

_VALUE = re.compile(
    r"[\"'](?P<key>[^\"'\n:]{1,20})[\"'][ ]?:[ ]?(?:\"(?P<text>[^\"\n]*)\"|'(?P<single>[^'\n]*)'"
    r"|\[(?P<list>[^\]]*)\]|(?P<quote>“[^”\n]*”))"
)
_KEYS = (
    "answer",
    "答案",
    "span",
    "text",
    "文本",
    "result",
    "extracted",
    "output",
    "response",
    "回答",
    "结果",
    "原因",
    "cause",
    "effect",
    "content",
    "抽取",
)


def boxed(text: str, low: str, place: Place, ask: Asked) -> tuple[Place, str] | None:
    """The contents of \\boxed{} or <answer>, or the answer value of a JSON object; with the rule that found it."""
    close = text.rfind("\ue002", *place)
    start = text.rfind("\ue001", place[0], close if close >= 0 else place[1])
    if start >= 0:
        inner = (start + 1, close if close >= 0 else place[1])
        if WORD.search(text, *inner):
            if NONE_FOUND.match(low, *trim(text, inner)):
                return inner, "none-found"
            return cut_lead(text, low, inner, ask), "boxed"
    if "{" not in text[place[0] : place[1]] and not text[place[0] : place[1]].lstrip().startswith("["):
        return None
    values = list(_VALUE.finditer(text, *place))[:40]
    for match in sorted(values, key=lambda m: not any(word in m["key"].lower() for word in _KEYS)):
        name = next(name for name in ("text", "single", "list", "quote") if match[name] is not None)
        inner = trim(text, match.span(name))
        if inner[0] >= inner[1] or NONE_FOUND.match(low, *inner):
            return match.span(name), "none-found"
        return inner, "json"
    return None


def sentences(text: str, place: Place) -> Iterator[Place]:
    """The sentences of a place; quotations are not split."""
    start, depth = place[0], 0
    for match in re.compile(r"[“「『]|[”」』]|[。!?;]+[”」』\"]?|\n+|(?<!\d)\.(?=\s|$)").finditer(text, *place):
        mark = match.group()
        if mark in "“「『":
            depth += 1
        elif mark in "”」』":
            depth = max(depth - 1, 0)
        elif "\n" in mark or depth == 0 or mark[-1] in "”」』":
            depth = 0
            if WORD.search(text, start, match.start()):
                yield start, match.end() if mark[-1] in '”」』"' else match.start()
            start = match.end()
    if WORD.search(text, start, place[1]):
        yield start, place[1]


EXPLAINS = re.compile(
    r"[ ]*[(【\[]?(?:解释|理由|分析|解析|说明|原因(?=[:\n])|依据|注|备注|修改|改正|修改后|改为|建议|应改为"
    r"|正确(?:的)?(?:文本|说法|表述)?|explanation|reason|note|because|analysis|rationale|corrected)[】\])]?[ ]?[:：\n]"
)


def after_marker(text: str, start: int, end: int) -> int:
    """Where a line begins after its list marker."""
    marker = MARKER.match(text, start, end)
    return marker.end() if marker else start


def listed(text: str, low: str, place: Place) -> Place | None:
    """A list of at least two items, from its first marker to the end of its last item (rule 14)."""
    rows = lines(text, *place)
    marked = [bool(MARKER.match(text, start, end)) for start, end in rows]
    first = next((i for i, mark in enumerate(marked) if mark), None)
    if first is None:
        return _inline_list(text, low, place)
    last = first
    while last + 1 < len(rows) and marked[last + 1]:
        last += 1
    items = rows[first : last + 1]
    if len(items) < 2:
        return _inline_list(text, low, place)
    head = low[place[0] : rows[first][0]]
    if first > 1 or (first == 1 and not re.search(r"[:]\s*$|如下|以下|有", head)):
        return None
    if any(EXPLAINS.match(low, after_marker(text, start, end), end) for start, end in items):
        return None
    if any(_STEP.search(low, start, end) or end - start > 60 for start, end in items):
        return None
    if any(CONCLUDES.search(low, *row) for row in rows[last + 1 :]):
        return None
    marker = re.compile(r"[ ]*").match(text, items[0][0])
    start = marker.end() if marker else items[0][0]
    end = items[-1][1]
    while end > start and text[end - 1] in " 。.,;;!?":
        end -= 1
    return start, end


CONCLUDES = re.compile(
    r"(?:不符(?:合[^,。“”\n的]{0,8})?|不正常|不合情理|说不通|反常|违背[^,。“”\n的]{1,8}|有问题|矛盾|冲突|不一致|不合理|不合常识|错误|不当|不恰当|有误|不正确|不对)的?(?:文本段?|地方|内容"
    r"|部分|词语?|是|为|句子|表述|说法|描述|片段|话|处|短语)|(?:文本|答案|片段|回答|结论)(?:就?应?该?是|为"
    r"|:)|(?:最终|正确)?答案?[ ]?:|answer[ ]?(?:is|:)|(?:text|span|phrase|part|word|cause|reason"
    r"|event)[^.\n]{0,60}(?:is|are)[ ]?:?[ ]?[“\"「']"
)
_STEP = re.compile(r"首先|步骤|第[一二三]步|通读|分析|我们|对话中|可以看出|因此|根据")
_INLINE = re.compile(r"(?:^|(?<=[:。\s]))[ ]?(?P<first>[(]?1[.、)])[ ]?\S.{0,80}?[;,、\s。][ ]?[(]?2[.、)][ ]?\S")


def _inline_list(text: str, low: str, place: Place) -> Place | None:
    """A numbered list within one line: 1. x；2. y."""
    found = _INLINE.search(low, *place)
    if not found or "\n" in text[found.start() : found.end()] or _STEP.search(low, *place):
        return None
    end = text.find("\n", found.end())
    start = found.start("first")
    stop = end if 0 <= end < place[1] else place[1]
    while stop > start and text[stop - 1] in " 。.,;!?":
        stop -= 1
    return start, stop
