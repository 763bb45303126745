"""Stage 4, tape: a reply with one character for each token, over which the table of `rules` is matched.

    因此，正确的选项是(b)。  ->  F,S=M.

TOKENS says what each stands for: a mention, a class of cue words (lexicon.CUES), a mark, or other words by their length.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from string import ascii_lowercase
from typing import NamedTuple

from evalsuite.parse.chars import BOX_CLOSE, BOX_OPEN, WORD, ends
from evalsuite.parse.lexicon import CUES, expand
from evalsuite.parse.mentions import MentionGroup
from evalsuite.parse.strip import SPEAKER, Block

Span = tuple[int, int]
LIMIT = 600  # cue words kept of a text

# The meaning of each token of a tape.
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
_MARKS = {
    **dict.fromkeys((",", "、", "—", "——", "--"), ","),
    **dict.fromkeys("。!;", "."),
    **dict.fromkeys(":=→", ":"),
    "|": "|",
    "(": "(",
    ")": ")",
    "?": "?",
    "\n": "/",
    BOX_OPEN: "[",
    BOX_CLOSE: "]",
}
_LEAD = re.compile(r"[ ]*(?:[-*•·●>#]+[ ]?|[(]?\d{1,2}[.、):][ ]?(?!\d)|[(][一二三四五][)]|[一二三四五六][、.])+")
_NUMBERS = re.compile(r"\d{1,2}[ ]?[.、)][ ]{0,2}[(\[“\"'*]*")
_HEADING = re.compile(r"\d{1,2}[ ]?[.、][ ]?[^\W\d][^,.。:;\n]{0,14}:?[ ]*\n")
_POINT = re.compile(r"\.(?=\w)")  # b.恐怖片
_TRAIL = re.compile(
    r"[ \"”'’)\]】」』》]*(?:号?的?选项|的?(?:关系|领域)|类型?|这个选项|这一项|才对|无疑|[吧号哦呢啊呀了项的喔嘛哈])(?![^\W_])"
)


class Tape(NamedTuple):
    """`tokens` of a block; `places` holds the start and end of each in the clean text, `groups` the mentions by position."""

    tokens: str
    places: tuple[tuple[int, int], ...]
    groups: dict[int, MentionGroup]


def _trie(words: Iterable[str]) -> str:
    """One pattern for many words with shared prefixes factored out: far fewer alternatives to try at each position."""
    tails: dict[str, list[str]] = {}
    for word in words:
        tails.setdefault(word[:1], []).append(word[1:])
    optional = "?" if tails.pop("", None) and tails else ""
    parts = [re.escape(head) + _trie(tails[head]) for head in sorted(tails)]
    return f"(?:{'|'.join(parts)}){optional}" if parts else ""


@lru_cache(maxsize=1)
def scanner() -> tuple[re.Pattern[str], dict[str, str]]:
    return make_scanner(CUES)


def make_scanner(words: Mapping[str, str]) -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern of all cue words and marks, and what each is. Each alternative begins with a character, so that `re` passes
    quickly over those that begin none; English words are matched whole, so that none is looked for inside another."""
    kinds = dict(_MARKS)
    for kind, listed in words.items():
        for word in expand(listed):
            kinds.setdefault(word, kind)
    heads = [head for head in dict.fromkeys(word[0] for word in kinds) if head not in ascii_lowercase]
    parts = [re.escape(head) + _trie(word[1:] for word in kinds if word[0] == head) for head in heads]
    parts += [r"\.(?=\s|$)", r"对(?=[ ]*(?:[,。;!?\n\ue000]|$))", r"无(?<=答案[:是为]无)(?=[。;!\s\ue000]|$)"]
    parts += [r"否(?<![是能可与]否)(?=[ ]?(?:[|,。;.(\n]|$))"]
    for head in ascii_lowercase:
        rest = _trie(word[1:] for word in kinds if word[0] == head)
        parts.append(f"{head}(?:{rest}(?![a-z])|[a-z]*)" if rest else f"{head}[a-z]*")
    return re.compile("|".join(parts)), {word: kind for word, kind in kinds.items() if kind != "~"} | {
        ".": ".",
        "对": "+",
        "无": "0",
        "否": "Z",
    }


def cues(low: str) -> list[tuple[str, int, int]]:
    """All cue words and marks of a folded lower-case text, in order: class, start, end; of overlapping words the longest."""
    pattern, kinds = scanner()
    matches = [*pattern.finditer(low)]
    if len(matches) > 2 * LIMIT:  # the ends of a text decide
        matches = ends(matches, 2 * LIMIT)
    return ends([(kind, *match.span()) for match in matches if (kind := kinds.get(match[0]))], LIMIT)


def make_tape(
    low: str,
    block: Block,
    groups: Sequence[MentionGroup],
    hints: Sequence[tuple[str, int, int]],
    quoted: Sequence[Span],
) -> Tape:
    """The tape of one block."""
    writer = _Writer(low, block, groups)
    for kind, start, end in hints:
        if start < block.start or end > block.end:
            continue
        while writer.waiting and writer.waiting[-1].start <= start:
            writer.mention(quoted)
        overlaps = start < writer.position or end > writer.limit
        if not overlaps and not (quoted and kind.isalnum() and _within(low, quoted, start, end)):
            writer.cue(kind, start, end)
    while writer.waiting:
        writer.mention(quoted)
    writer.fill(block.end)
    return Tape("".join(writer.tokens), tuple(writer.places), writer.groups)


class _Writer:
    """A tape that is being written."""

    def __init__(self, low: str, block: Block, groups: Sequence[MentionGroup]) -> None:
        self.low, self.position, self.end, self.waiting = low, block.start, block.end, [*reversed(groups)]
        self.limit = groups[0].start if groups else block.end  # start of the next mention
        self.tokens, self.places, self.fresh = ["!"], [(block.start, block.start)], True
        self.groups: dict[int, MentionGroup] = {}

    def put(self, token: str, start: int, end: int) -> None:
        self.tokens.append(token)
        self.places.append((start, end))
        self.position = end

    def fill(self, end: int) -> None:
        """The words up to the next event, and at the head of a line its bullet and its speaker."""
        if self.fresh:
            self.fresh = False
            for pattern, token in ((_LEAD, "b"), (SPEAKER, "@")):
                if lead := pattern.match(self.low, self.position, self.limit):
                    self.put(token, self.position, lead.end())
        words = self.low[self.position : end]
        if size := len(words) if words.isalnum() else sum(map(str.isalnum, words)):
            self.put("'_~#"[bisect_left((1, 4, 14), size)], self.position, end)

    def cue(self, kind: str, start: int, end: int) -> None:
        if self.fresh or start > self.position:
            self.fill(start)
        if start >= self.position:
            if kind == "/" and self.tokens[-1] in ":SC=^":
                kind = "^"  # the answer is on the next line: 答案是\n
            self.put(kind, start, end)
            self.fresh = kind in "/^"

    def mention(self, quoted: Sequence[Span]) -> None:
        group, low = self.waiting.pop(), self.low
        start, end = group.start, group.end
        self.fill(start)
        self.limit = self.waiting[-1].start if self.waiting else self.end
        if self.tokens[-1] == "p":  # 选项a
            self.tokens.pop(), self.places.pop()
        leads = self.tokens[-1] in "!/b:^"
        heading = leads and end - start < 3 and _HEADING.match(low, start)
        if heading or (leads and self.waiting and _NUMBERS.fullmatch(low, start, self.limit)):
            self.put("b", start, end)
            return
        if low[start] in "是由" and end - start > 2:
            self.put("k", start, start)  # 是…的一部分
        if low[start] == BOX_OPEN:
            self.put("[", start, start)
        self.groups[len(self.tokens)] = group
        self.put("m" if quoted and _within(low, quoted, start, end) else _token(group), start, end)
        if leads and self.tokens[-1] == "M" and _POINT.match(low, end):
            self.put(":", end, end + 1)
        elif trail := _TRAIL.match(low, end, self.end):
            self.position = trail.end()


def _token(group: MentionGroup) -> str:
    """A group's character on the tape."""
    by_text = "text" in [mention.kind for mention in group.members]
    if len(group.options) > 1:
        return "W" if by_text else "G"
    return "T" if by_text else "M" if group.members[0].kind == "label" else "Q"


def _within(low: str, quoted: Sequence[Span], start: int, end: int) -> bool:
    """Whether a span is part of a longer quotation."""
    at = bisect_right(quoted, (start, len(low))) - 1
    if at < 0 or quoted[at][1] < end:
        return False
    return bool(WORD.search(low[quoted[at][0] : start] + low[end : quoted[at][1]]))
