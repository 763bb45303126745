"""Replies without any word of choosing: the [MASK] sentence filled in, or a single option named (rule 9)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evalsuite.parse.mentions import Options
from evalsuite.parse.chars import key, squeeze
from evalsuite.parse.mentions import Group
from evalsuite.parse.segment import SPEAKER, Block
from evalsuite.parse.verdict import Verdict
from evalsuite.types import Status


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


def filled(low: str, options: Options, dialogue: Sequence[str] | None) -> Verdict | None:
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


def repeated(low: str, options: Options) -> Verdict | None:
    """The option whose text the reply repeats over and over, cut off in the last repetition or not (rule 8)."""
    said = squeeze(low)[0]
    for option, text in enumerate(options.keys):
        if len(text) > 1 and len(said) > 2 * len(text) and said == (text * (len(said) // len(text) + 1))[: len(said)]:
            return Verdict(Status.PARSED, (option,), "repeated", 0, len(low.rstrip()))
    return None
_NEGATES = "不没未无非"
