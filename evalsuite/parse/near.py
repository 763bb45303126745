"""Groups that `mentions` does not find: letters in a row ("bd"), and near texts of options (rules 2, 8, 11)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evalsuite.parse.catalog import Catalog
from evalsuite.parse.chars import key, squeeze
from evalsuite.parse.tape import Group

from evalsuite.parse.mention import Mention

_LETTERS = re.compile(r"(?<![a-z0-9])[a-z]{2,30}(?![a-z0-9])")


def spelled(groups: list[Group], low: str, options: Catalog) -> list[Group]:
    """Add lines of nothing but labels as groups: "bd", "bbbb" (rule 8)."""
    if options.digits or not options.labels:
        pattern = re.compile(r"(?<![a-z0-9])([0-9])\1{2,29}(?![a-z0-9])") if options.digits else None
    else:
        pattern = _LETTERS
    if pattern is None:
        return groups
    found: list[Group] = []
    for match in pattern.finditer(low):
        start, end = match.span()
        line_start, line_end = low.rfind("\n", 0, start) + 1, low.find("\n", end)
        line = low[line_start : line_end if line_end >= 0 else len(low)]
        cued = re.search(r"(?:选|答案(?:是|为|:)?|answer(?: is|:)?)[ ]?$", low[max(start - 12, 0) : start])
        if len(line) > 200 and not cued:  # not labels alone; squeezing it for every match would be quadratic
            continue
        members = [(i, options.label(char)) for i, char in enumerate(match.group())]
        if any(option is None or option < 0 for _, option in members) or (
            len(squeeze(line)[0]) > end - start and not cued
        ):
            continue
        if len(set(match.group())) > 1 and len(set(match.group())) < len(match.group()) and not _repeats(match.group()):
            continue
        found.append(Group(start, end, tuple(Mention(start + i, start + i + 1, o or 0, "label") for i, o in members)))
        if len(found) > 50:
            break
    found = [f for f in found if not any(g.start <= f.start and f.end <= g.end and len(g.members) == 1 for g in groups)]
    taken = [(g.start, g.end) for g in found]
    return sorted(
        [g for g in groups if not any(s < g.end and g.start < e for s, e in taken)] + found, key=lambda g: g.start
    )


def _repeats(word: str) -> bool:
    """Whether a word repeats a shorter one: abcdeabcde."""
    return word in (word + word)[1:-1]


_SPOT = re.compile(r"[ ]?[:]?[ ]?[“\"「『【*(\ue001]?[ ]?([^\n,。;:!?“”\"「」『』【】()\ue000-\ue002]{2,40})")


def with_near(groups: list[Group], low: str, hints: Sequence[tuple[str, int, int]], options: Catalog) -> list[Group]:
    """Add texts within a slip of an option, and synonyms, where an answer is due and no option stands (rules 2, 11)."""
    spots: list[tuple[int, int]] = []
    for match in re.compile(r"[^\n\ue000]+").finditer(low):
        if len(spots) < 40:
            text = match.group().strip(" \"“”'‘’()[]【】「」『』《》:,、。.!?*-—…~\ue001\ue002")
            if 2 <= len(text) <= 60:
                start = low.index(text, match.start())
                spots.append((start, start + len(text)))
    for kind, _, after in hints:
        if kind in "SspC=l+Fo" and len(spots) < 120:
            spot = _SPOT.match(low, after)
            if spot:
                spots.append(spot.span(1))
    found: list[Group] = []
    for start, end in spots:
        if any(g.start < end and start < g.end for g in groups) or any(g.start < end and start < g.end for g in found):
            continue
        words = key(low[start:end])
        option = options.near(words)
        trimmed = words
        if option is None:
            for tail in ("吧", "了", "的", "这个选项", "这一项", "选项", "关系", "这个", "领域", "才对"):
                if trimmed.endswith(tail) and len(trimmed) > len(tail) + 1:
                    option = options.near(trimmed[: -len(tail)])
                    if option is not None:
                        break
        if option is not None:
            found.append(Group(start, end, (Mention(start, end, option, "text"),)))
    return sorted(groups + found, key=lambda g: g.start) if found else groups
