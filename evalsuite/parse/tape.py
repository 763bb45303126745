"""Stage 4, tape: a reply with one character for each token, over which the table of `rules` is matched.

    因此，正确的选项是(b)。  ->  F,S=M.

TOKENS says what each stands for: a mention, a class of cue words (lexicon.CUES), a mark, or other words by their length.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from evalsuite.parse.chars import BOX_CLOSE, BOX_OPEN, WORD, ends
from evalsuite.parse.lexicon import CUES, expand
from evalsuite.parse.mentions import Group
from evalsuite.parse.strip import SPEAKER, Block

LIMIT = 600  # cue words kept of a text

# What each token of a tape stands for.
# fmt: off
TOKENS = {
    "M": "an option by its label", "T": "an option by its text", "Q": "an option by its position", "G": "several options by label",
    "W": "several options by text", "m": "an option inside a longer quotation",
    "S": "the answer", "s": "the answer, if a copula follows", "p": "the word option", "C": "a verb of choosing", "o": "a verb of opinion",
    "=": "a copula", "J": "an object marker: 将", "+": "right", "w": "right, weakly", "y": "possible", "-": "wrong", "N": "negates the word behind",
    "X": "rejects what is behind", "x": "rejects what is beside", "n": "rejects what is behind, as a contrast", "U": "rejects what is before: 不如",
    "V": "but", "l": "leaves what is behind", "F": "concludes", "K": "corrects what was said", "R": "begins a reason", "I": "if", "H": "although",
    "h": "a hedge", "a": "also", "A": "and", "u": "only", "c": "compares: 比", "L": "begins a list of the options", "i": "begins some of the options",
    "P": "begins a ranking", "D": "a second choice", "E": "except", "O": "the others", "0": "none", "z": "none of those named", "B": "all",
    "1": "chooses what is spoken of: 选它", "e": "the sentence filled in", "Y": "yes", "Z": "no", "?": "asks",
    "!": "the block's start", ",": "a comma or dash", ".": "the end of a sentence", ":": "a colon or arrow", "|": "a bar", "(": "a bracket",
    ")": "a bracket's end", "[": "a box", "]": "a box's end", "/": "the end of a line", "^": "the end of a line that announces",
    "@": "a speaker", "b": "a bullet or number", "k": "a text that holds its copula", "'": "another word of 1 character", "_": "words of 2 - 4 characters",
    "~": "words of 5 - 14 characters", "#": "longer words",
}
# fmt: on


@dataclass(frozen=True, slots=True)
class Tape:
    """`tokens` of a block; `places` holds the start and end of each in the clean text, `groups` the mentions by position."""

    tokens: str
    places: tuple[tuple[int, int], ...]
    groups: dict[int, Group]


def _trie(words: list[str]) -> str:
    """One pattern for many words with shared prefixes factored out: far fewer alternatives to try at each position."""
    heads: dict[str, list[str]] = {}
    for word in words:
        heads.setdefault(word[:1], []).append(word[1:])
    optional = "" in heads
    parts = []
    for head in sorted(heads):
        if head:
            tails = heads[head]
            parts.append(re.escape(head) + (_trie(tails) if tails != [""] else ""))
    body = parts[0] if len(parts) == 1 and not optional else f"(?:{'|'.join(parts)})"
    return body + "?" if optional and parts else body


@lru_cache(maxsize=1)
def scanner() -> tuple[re.Pattern[str], dict[str, str]]:
    return make_scanner(CUES)


def make_scanner(words: Mapping[str, str]) -> tuple[re.Pattern[str], dict[str, str]]:
    kinds: dict[str, str] = {}
    for kind, listed in words.items():
        for word in expand(listed):
            kinds.setdefault(word, kind)
    han = [word for word in kinds if not word[0].isascii() or not word[0].isalpha()]
    latin = [word for word in kinds if word[0].isascii() and word[0].isalpha()]
    heads = "".join(sorted({re.escape(word[0]) for word in kinds}))
    marks = rf"[,;。!?\n:=→()|{BOX_OPEN}{BOX_CLOSE}、]|\.(?=\s|$)|--+|——?"
    both = rf"(?P<han>{_trie(han)})|(?<![a-z])(?P<latin>{_trie(latin)})(?![a-z])"
    first = (
        rf"(?=[{heads}对,;。!?\n:=→()|{BOX_OPEN}{BOX_CLOSE}、.—-])"  # most characters begin no cue: one look is enough
    )
    return re.compile(rf"{first}(?:(?P<mark>{marks})|{both}|(?P<yes>对)(?=[,。;!?\s\ue000]|$))"), kinds


_MARKS = {
    ",": ",", "、": ",", "-": ",", "—": ",", "|": "|", ":": ":", "=": ":", "→": ":", "(": "(", ")": ")", "?": "?", "\n": "/",
    BOX_OPEN: "[", BOX_CLOSE: "]",
}  # fmt: skip


def cues(low: str) -> list[tuple[str, int, int]]:
    """All cue words and marks of a folded lower-case text, in order: class, start, end; of overlapping words the longest."""
    pattern, kinds = scanner()
    found: list[tuple[str, int, int]] = []
    for match in ends(pattern, low, LIMIT):
        group = match.lastgroup
        kind = _MARKS.get(match.group()[0], ".") if group == "mark" else "+" if group == "yes" else kinds[match.group()]
        if kind != "~":
            found.append((kind, *match.span()))
    return found


_WORDS = re.compile(r"[^\W_]+")
_LEAD = re.compile(r"[ ]*(?:[-*•·●>#]+[ ]?|[(]?\d{1,2}[.、):][ ]?(?!\d)|[(（][一二三四五][)）]|[一二三四五六][、.])+")


_NUMBERS = re.compile(r"\d{1,2}[ ]?[.、)][ ]{0,2}[(\[“\"'*]*")
_HEADING = re.compile(r"\d{1,2}[ ]?[.、][ ]?[^\W\d][^,.。:;\n]{0,14}:?[ ]*\n")


def make_tape(
    low: str,
    block: Block,
    groups: Sequence[Group],
    hints: Sequence[tuple[str, int, int]],
    quoted: Sequence[tuple[int, int]],
) -> Tape:
    """The tape of one block."""
    writer = _Writer(low, block, [group.start for group in groups])
    waiting = [*reversed(groups)]

    def mention(group: Group) -> None:
        writer.mention(group, "m" if _within(low, quoted, group.start, group.end) else _token(group))

    for kind, start, end in hints:
        if start < block.start or end > block.end:
            continue
        while waiting and waiting[-1].start <= start:
            mention(waiting.pop())
        overlaps = start < writer.position or (waiting and waiting[-1].start < end)
        if not overlaps and not (kind.isalnum() and _within(low, quoted, start, end)):
            writer.cue(kind, start, end)
    while waiting:
        mention(waiting.pop())
    writer.fill(block.end)
    return Tape("".join(writer.tokens), tuple(writer.places), writer.groups)


_TRAIL = re.compile(
    r"[ \"”'’)\]】」』》]*(?:吧|号?的?选项|的?关系|的?领域|类型?|号|这个选项|这一项|哦|呢|啊|呀|了|项|才对|的|无疑|喔|嘛|哈)(?![^\W_])"
)


class _Writer:
    """A tape that is being written."""

    def __init__(self, low: str, block: Block, starts: list[int]) -> None:
        self.low, self.block, self.position = low, block, block.start
        self.tokens, self.fresh, self.starts = ["!"], True, starts
        self.places = [(block.start, block.start)]
        self.groups: dict[int, Group] = {}

    def put(self, token: str, start: int, end: int) -> None:
        self.tokens.append(token)
        self.places.append((start, end))
        self.position = max(self.position, end)

    def _next(self, position: int) -> int:
        at = bisect_right(self.starts, position - 1)
        return self.starts[at] if at < len(self.starts) else self.block.end

    def fill(self, end: int) -> None:
        """The words up to the next event, and at the head of a line its bullet and its speaker."""
        low = self.low
        if self.fresh:
            self.fresh = False
            limit = self._next(self.position)
            for pattern, token in ((_LEAD, "b"), (SPEAKER, "@")):
                lead = pattern.match(low, self.position, limit)
                if lead:
                    self.put(token, self.position, lead.end())
        size = sum(map(len, _WORDS.findall(low, self.position, end)))
        if size:
            self.put("'" if size == 1 else "_" if size <= 4 else "~" if size <= 14 else "#", self.position, end)

    def cue(self, kind: str, start: int, end: int) -> None:
        self.fill(start)
        if start < self.position:
            return
        if kind == "/" and self.tokens[-1] in ":SC=^":
            kind = "^"  # the answer is on the next line: 答案是\n
        self.put(kind, start, end)
        self.fresh = kind in "/^"

    def mention(self, group: Group, token: str) -> None:
        self.fill(group.start)
        if self.tokens[-1] == "p":  # 选项a
            self.tokens.pop(), self.places.pop()
        label = group.members[0].kind == "label"
        if (
            label
            and self.tokens[-1] in "!/b:^"
            and (
                (group.end - group.start < 3 and _HEADING.match(self.low, group.start))
                or (self.starts[-1] > group.start and _NUMBERS.fullmatch(self.low, group.start, self._next(group.end)))
            )
        ):
            self.put("b", group.start, group.end)
            return
        if self.low[group.start] in "是由" and group.end - group.start > 2:
            self.put("k", group.start, group.start)  # the option text 是…的一部分 contains its copula
        if self.low[group.start] == BOX_OPEN:
            self.put("[", group.start, group.start)
        self.groups[len(self.tokens)] = group
        self.put(token, group.start, group.end)
        trail = _TRAIL.match(self.low, group.end, self.block.end)
        if trail:
            self.position = trail.end()


def _token(group: Group) -> str:
    """A group's character on the tape."""
    by_text = any(m.kind == "text" for m in group.members)
    if len(group.options) > 1:
        return "W" if by_text else "G"
    return "T" if by_text else "Q" if group.members[0].kind == "place" else "M"


def _within(low: str, quoted: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a place is part of a longer quotation."""
    at = bisect_right(quoted, (start, len(low))) - 1
    if at < 0 or quoted[at][1] < end:
        return False
    return bool(WORD.search(low[quoted[at][0] : start] + low[end : quoted[at][1]]))
