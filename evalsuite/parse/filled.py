"""Replies without any word of choosing: the [MASK] sentence filled in, or a single option named (rule 9)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evalsuite.parse.catalog import Catalog
from evalsuite.parse.chars import key, squeeze
from evalsuite.parse.commit import Commitment
from evalsuite.parse.groups import Group
from evalsuite.parse.segment import SPEAKER, Block
from evalsuite.parse.weigh import Verdict
from evalsuite.types import Status


def only_named(found: Sequence[Commitment], block: Block, low: str) -> Verdict | None:
    """The only option that a reply names, by a label in brackets or by its text in a short sentence (rule 9)."""
    named = [c for c in found if c.what == "name" and c.rule in ("named", "defined")]
    if not named or len(named) != len([c for c in found if c.what != "cancel"]):
        return None
    options = {o for c in named for o in c.options}
    last = named[-1]
    if len(options) != 1 or -1 in options or any(c.conflict for c in named):
        return None
    if not (low[last.start] in "([【" and low[last.end - 1] in ")]】"):
        words = low[block.start : block.end].strip()
        size = len(key(low[last.start : last.end]))
        plain = size >= 3 and size + 4 <= len(words) <= 60 and not _ABOUT.search(words)
        if not plain or low.find(words[:2], block.start) == last.start or low[max(last.start - 1, 0)] in _NEGATES:
            return None
    return Verdict(Status.PARSED, (next(iter(options)),), "only-one-named", last.start, last.end)


_NEGATES = "不没未非无"
_ABOUT = re.compile(
    r"[?]|吗|对话|选项|答案|题|根据|提到|[a-z]说|是一[种个部]|什么|讨论|关于|概念|定义|是否|如果|because|the "
)


_WHOLE = re.compile(
    r"(?:填法|填法应该|填入后|填充后|补全后|完整的?(?:句子|对话|话)|合理的?(?:说法|句子|表达|回答)|填好的?(?:句子|话))[^。,;“”「」\n]{0,10}?"
    r"(?:是|为|:)[ ]?:?[ ]?[“\"「](?P<whole>[^“”\"「」\n]{4,120})[”\"」]"
)


def written_out(groups: Sequence[Group], block: Block, low: str) -> Verdict | None:
    """The option in the [MASK] sentence that a reply writes out: 完整的句子是“…” (rule 9)."""
    for match in reversed(list(_WHOLE.finditer(low, block.start, block.end))):
        head = low[max(low.rfind("。", 0, match.start()), low.rfind("\n", 0, match.start()), 0) : match.start("whole")]
        held = [g for g in groups if match.start("whole") <= g.start and g.end <= match.end("whole")]
        if (
            len(held) != 1
            or len(held[0].options) != 1
            or held[0].options[0] < 0
            or re.search("不|错|原来|如果|吗", head)
        ):
            continue
        return Verdict(Status.PARSED, held[0].options, "written-out", held[0].start, held[0].end)
    return None


def spoken(parts: Sequence[Block], groups: Sequence[Group], low: str) -> Verdict | None:
    """The option in a reply that is the [MASK] turn filled in: one option text inside a long sentence (rule 9)."""
    texts = [g for g in groups if all(m.kind == "text" for m in g.members)]
    options = {o for g in texts for o in g.options}
    if len(options) != 1 or len(texts) != len(groups) or not SPEAKER.match(low, parts[0].start if parts else 0):
        return None
    group = texts[0]
    start = max((low.rfind(mark, 0, group.start) for mark in "\n。!?"), default=-1) + 1
    end = min((at for at in (low.find(mark, group.end) for mark in "\n。!?") if at >= 0), default=len(low))
    asks = re.match(r"[^,。!\n]{0,12}?[?吗]", low[group.end : end + 1])
    if low[max(group.start - 1, 0)] in _NEGATES or asks:
        return None
    around = len(key(low[start:end])) - (group.end - group.start)
    if group.end - group.start < 2 or around < 8:
        return None
    return Verdict(Status.PARSED, group.options, "filled-in", group.start, group.end)


def filled(low: str, options: Catalog, dialogue: Sequence[str] | None) -> Verdict | None:
    """The option with which a reply fills in the [MASK] turn of the dialogue."""
    if not dialogue:
        return None
    squeezed, here, there = squeeze(low)
    for turn in dialogue:
        before, mark, after = turn.partition("[MASK]")
        if not mark:
            continue
        head, tail = key(before)[-6:], key(after.split("[MASK]")[0])[:6]
        if len(head) + len(tail) < 3:
            continue
        fits = [index for index, text in enumerate(options.keys) if text and head + text + tail in squeezed]
        if len(fits) == 1:
            at = squeezed.index(head + options.keys[fits[0]] + tail) + len(head)
            run = max(i for i, start in enumerate(here) if start <= at)
            start = there[run] + at - here[run]
            return Verdict(Status.PARSED, (fits[0],), "filled-in", start, start + len(options.keys[fits[0]]))
    return None


def repeated(low: str, options: Catalog) -> Verdict | None:
    """The option whose text the reply repeats over and over, cut off in the last repetition or not (rule 8)."""
    said = squeeze(low)[0]
    for option, text in enumerate(options.keys):
        if len(text) > 1 and len(said) > 2 * len(text) and said == (text * (len(said) // len(text) + 1))[: len(said)]:
            return Verdict(Status.PARSED, (option,), "repeated", 0, len(low.rstrip()))
    return None
