"""What the cue words before and after a group say of it (rules 3, 6, 8 and 10).

Cues before it are read from the nearest back, cues after it forwards; the first decisive cue counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from evalsuite.parse.chars import BOX_OPEN
from evalsuite.parse.cues import Cue
from evalsuite.parse.groups import Group

EXPLICIT, STANDING, STATED, NAMED = 3, 2, 1, 0  # strengths: 答案是b; a line "b"; 是b; b only named
QUOTES = " \"“”'‘’()[]【】「」『』《》:,、。.*-—…\n\ue001\ue002="


class Evidence(NamedTuple):
    """`what`: "pick", "reject", "name", "listed" (among the choices) or "except" (除了). `rule` names the cue."""

    what: str
    strength: int
    rule: str


ANSWER = Evidence("pick", EXPLICIT, "cue-answer")
CHOOSE = Evidence("pick", EXPLICIT, "cue-choose")
NOT = Evidence("reject", EXPLICIT, "cue-not")
WRONG = Evidence("reject", EXPLICIT, "cue-wrong")
LISTED = Evidence("listed", NAMED, "listed")
SECOND = Evidence("name", NAMED, "second")
EXCEPT = Evidence("except", NAMED, "except")
STATEMENT = Evidence("pick", STATED, "statement")

RATHER = Evidence("pick", EXPLICIT, "cue-rather")

_LESS = re.compile(
    r"[\"”」)]?[ ]?(?:选项|这个)?(?:那么|那样|这么|来得)[^,。;!\n人]{1,6}(?=[,。;!\n]|$)"
)  # 没有a那么准确
_LABEL_BEFORE = re.compile(r"[a-z0-9)\]】]")
_OPEN = re.compile(r"[)\]”]?[ ]?(?:没|未|还|需|要|不)")  # 只剩下b没看
_LEFT = ("只剩", "只剩下")
_AMIDST = (
    "从",
    "在",
    "包括",
    "包含",
    "from",
    "between",
    "among",
    "out of",
)  # introduce a list only if several options follow
_CONTRAST = ("not", "rather than", "instead of", "没有", "而不是", "而非", "not the")
_MAYBE = ("可能", "有可能", "likely", "possible", "可以")
_PREFIXES = ("选项", "option", "choice")


def distance(low: str, start: int, end: int) -> int:
    """Number of characters between two places, without surrounding punctuation."""
    return len(low[start:end].strip(QUOTES)) if start < end else 0


class Before:
    """Reads the cue words before one group."""

    def __init__(self, low: str, group: Group, left: Sequence[Cue], subject: bool, turned: bool, named: bool) -> None:
        self.low, self.group, self.left = low, group, left
        self.subject = subject  # the sentence mentions the answer
        self.turned = turned  # the group before was rejected
        self.named = named  # an earlier group in the clause

    def read(self) -> Evidence:
        """The evidence of the nearest decisive cue; without one, a box or a plain statement."""
        copula: Cue | None = None
        for position in range(len(self.left) - 1, -1, -1):
            cue = self.left[position]
            if cue.kind in ":,(":
                continue
            previous = self.left[position - 1] if position else None
            gap = distance(self.low, cue.end, self.group.start)
            if copula is not None:
                found = self._beyond(cue, copula)
                if cue.kind == "H":
                    break
            elif cue.kind == "=":
                if self._negated(cue, previous):
                    return NOT
                copula = cue if gap <= (14 if self.group.by_text else 8) else None
                continue
            elif cue.kind == "R":
                break
            else:
                found = self._near(cue, previous, gap)
            if found is not None:
                return found
        return self._without(copula)

    def _negated(self, cue: Cue, previous: Cue | None) -> bool:
        return previous is not None and previous.kind == "N" and cue.start - previous.end <= 4

    def _beyond(self, cue: Cue, copula: Cue) -> Evidence | None:
        """The evidence of a cue before a copula: a subject, 正确的, or a negation."""
        if cue.kind == "s" and self.named and _LABEL_BEFORE.match(self.low, cue.start - 1):
            return None  # C选项说的是喜剧
        if cue.kind in "Ss+":
            return ANSWER
        if cue.kind == "C":
            return CHOOSE
        if cue.kind == "-":
            return WRONG
        if cue.kind in "XN" and copula.start - cue.end <= 4:
            return NOT
        if cue.kind == "D":
            return SECOND
        return LISTED if self._lists(cue) else None

    def _lists(self, cue: Cue) -> bool:
        return cue.kind == "L" and (len(self.group.options) > 1 or self.low[cue.start : cue.end] not in _AMIDST)

    def _near(self, cue: Cue, previous: Cue | None, gap: int) -> Evidence | None:
        """The evidence of a cue with no copula between it and the group."""
        kind, label = cue.kind, not self.group.by_text
        negated = self._negated(cue, previous)
        if kind in "Xx":
            if self.low[cue.start : cue.end] == "没有" and gap == 0 and _LESS.match(self.low, self.group.end):
                return RATHER
            return NOT if gap <= (16 if kind == "X" and not label else 10) else None
        if kind in "Co" and negated:
            return NOT
        if kind == "C" and gap <= 14:
            return CHOOSE if gap <= (14 if label else 3) else Evidence("pick", STATED, "cue-choose")
        if kind == "o" and gap <= 1:
            return Evidence("pick", EXPLICIT if label else STATED, "cue-opinion")
        if kind in "Ss":
            return self._answer(cue, previous, gap)
        if kind == "+" and gap <= 4:
            right = gap <= 1 or ":" in self.low[cue.end : self.group.start]
            return WRONG if negated else Evidence("pick", EXPLICIT, "cue-right") if right else None
        if kind == "-" and gap <= 3 and ":" in self.low[cue.end : self.group.start]:
            return WRONG
        if kind == "N":
            return NOT if gap == 0 and cue.end >= self.group.start - 1 else None
        if self._lists(cue):
            return LISTED if gap <= 12 else None
        if kind == "w" and gap == 0 and self.low[cue.start : cue.end] in _MAYBE:
            return Evidence("pick", STATED, "cue-hedge")
        for kinds, reach, evidence in _NEAR:
            if kind in kinds and gap <= reach and (kind != "V" or self.turned):
                return evidence
        return None

    def _answer(self, cue: Cue, previous: Cue | None, gap: int) -> Evidence | None:
        """The evidence of a noun for the answer: before a colon or a box, or close to a label."""
        if previous is not None and previous.kind == "-" and distance(self.low, previous.end, cue.start) <= 1:
            return WRONG
        between = self.low[cue.end - 1 : self.group.start]
        mark = next((at for at, char in enumerate(between) if char in ":="), -1)
        announced = (mark >= 0 and len(between[1:mark].strip(QUOTES)) <= 1) or BOX_OPEN in between
        if announced and gap <= 8:
            return ANSWER
        if cue.kind == "S" and gap <= (1 if self.group.by_text else 12):
            return ANSWER
        plain = self.low[cue.start : cue.end] not in _PREFIXES and not self.group.by_text and not self.named
        return ANSWER if cue.kind == "s" and gap == 0 and plain else None

    def _without(self, copula: Cue | None) -> Evidence:
        start = self.group.start
        if BOX_OPEN in self.low[max(start - 2, 0) : start + 1]:
            return Evidence("pick", EXPLICIT, "boxed")
        if copula is not None:
            if self.named:
                return Evidence("name", NAMED, "defined")
            if (
                self.low[copula.start : copula.end] in _LEFT
                and len(self.group.options) == 1
                and not _OPEN.match(self.low, self.group.end)
            ):
                return Evidence("pick", EXPLICIT, "cue-left")
            return ANSWER if self.subject else STATEMENT
        opinion = any(cue.kind == "o" for cue in self.left)
        if self.group.by_text and self.low[start] in "是由" and self.group.end - start > 2 and not opinion:
            return STATEMENT  # the option text 是…的一部分 contains its copula
        return Evidence("name", NAMED, "named")


_NEAR = (  # kinds of cue, their reach in characters, their evidence
    ("U", 2, RATHER),
    ("V", 0, Evidence("pick", EXPLICIT, "cue-but")),
    ("h", 2, Evidence("pick", STATED, "cue-hedge")),
    ("FK", 0, Evidence("pick", EXPLICIT, "cue-conclusion")),
    ("P", 6, Evidence("pick", EXPLICIT, "ranking")),
    ("D", 4, SECOND),
    ("E", 6, EXCEPT),
)


def after(low: str, group: Group, right: Sequence[Cue], following: Sequence[Cue], more: bool) -> str:
    """The verdict of the words after a group: "pick", "weak", "reject", "second", "ask" or "" (none).

    `more`: another group follows in the clause. `following`: cues of the next clause if it names no option.
    """
    previous: Cue | None = None
    for cue in right:
        if cue.kind in "R.O":
            return "" if cue.kind == "O" else _afterwards(low, following)
        if cue.kind == "?" and previous is None:
            return "ask" if low[cue.start] in "吗?" else ""
        if cue.start - group.end > 24:
            break
        negated = previous is not None and previous.kind in "NX" and cue.start - previous.end <= 5
        if cue.kind == "X" and cue is right[-1] and distance(low, group.end, cue.start) == 0:
            return "weak" if more or low[cue.start : cue.end] in _CONTRAST else "reject"
        verdict = _verdict(cue, previous, negated)
        if verdict is not None:
            return verdict
        previous = cue
    return _afterwards(low, following)


def _verdict(cue: Cue, previous: Cue | None, negated: bool) -> str | None:
    if cue.kind in "-0":
        return "pick" if negated else "reject"
    if cue.kind == "x":
        return "" if negated else "reject"
    if cue.kind in "+w":
        return "reject" if negated else "pick" if cue.kind == "+" else "weak"
    if cue.kind == "S" and previous is not None and (negated or previous.kind in "X="):
        return "pick" if previous.kind == "=" else "reject"
    if (cue.kind in "C=" and negated) or cue.kind == "U":
        return "reject"
    return "second" if cue.kind == "D" else None


def _afterwards(low: str, following: Sequence[Cue]) -> str:
    """The verdict at the head of the next clause: 选项a，不符合对话."""
    previous: Cue | None = None
    for cue in following[:3]:
        if previous is None and not _heads_clause(low, cue):
            break
        negated = previous is not None and previous.kind in "NX" and cue.start - previous.end <= 4
        if cue.kind in "-0x" and not negated:
            return "reject"
        if cue.kind in "+w":
            return "reject" if negated else "weak"
        if cue.kind not in "NXB=A":
            break
        previous = cue
    return ""


def _heads_clause(low: str, cue: Cue) -> bool:
    """Whether a cue heads its clause; 显然 or 与“…” (as in 与“害怕”不符) may stand before it."""
    head = re.split(r"[,;(]", low[max(cue.start - 14, 0) : cue.start])[-1]
    return len(head) <= 4 or (head.lstrip()[:1] in ("与", "和", "跟") and len(head) <= 12)
