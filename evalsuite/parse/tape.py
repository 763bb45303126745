"""Stage 3, tape: a reply with one character for each token. The patterns of `rules` are matched against it.

    因此，正确的选项是(b)。  ->  F,S=M.

TOKENS says what each character stands for: a mention, a class of cue words (lexicon.CUES), a mark, or other words by their
length.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from string import ascii_lowercase
from typing import NamedTuple

from evalsuite.parse.chars import BOX_CLOSE, BOX_OPEN, WORD, ends
from evalsuite.parse.lexicon import CUES, expand
from evalsuite.parse.mentions import MentionGroup
from evalsuite.parse.strip import SPEAKER, Block

Span = tuple[int, int]
Cue = tuple[str, int, int]  # a cue word: its class (lexicon.CUES), start and end
LIMIT = 600  # the most cue words that are kept of a text

# The meaning of each token of a tape.
# fmt: off
TOKENS = {
    "M": "an option by its label", "T": "an option by its text", "Q": "an option by its position", "G": "several options by label",
    "W": "several options by text", "m": "an option inside a longer quotation",
    "S": "the answer", "s": "the answer, if a copula follows", "p": "the word option", "C": "a verb of choosing", "o": "a verb of opinion",
    "=": "a copula", "J": "an object marker: 将", "+": "right", "w": "right, weakly", "y": "possible", "-": "wrong", "N": "negates the word behind",
    "X": "rejects what is behind", "x": "rejects what is beside", "n": "rejects what is behind, as a contrast", "U": "rejects what is before: 不如",
    "V": "but", "l": "leaves what is behind", "F": "concludes", "f": "concludes from what is supposed", "K": "corrects what was said", "R": "begins a reason", "I": "if", "H": "although",
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
    **dict(zip("|()?\n" + BOX_OPEN + BOX_CLOSE, "|()?/[]", strict=True)),
}
_LEAD = re.compile(r"[ ]*(?:[-*•·●>#]+[ ]?|[(]?\d{1,2}[.、):][ ]?(?!\d)|[(][一二三四五][)]|[一二三四五六][、.])+")
_NUMBERS = re.compile(r"\d{1,2}[ ]?[.、)][ ]{0,2}[(\[“\"'*]*")
_HEADING = re.compile(r"\d{1,2}[ ]?[.、][ ]?[^\W\d][^,.。:;\n]{0,14}:?[ ]*\n")
# The token of other words, indexed by their number of letters and digits; longer words are "#".
_SIZES = " '" + 3 * "_" + 10 * "~"
_SAYS = re.compile(  # an option that says yes or no, and words behind it
    r"(?:[(\[]?[a-z0-9][)\].:、]?[ ]?)?(?:[是否](?=[ ]?[,。;(][ ]?\w)|(?:yes|no)(?=[ ]?[.;(][ ]?\w))"
)
_SUBJECTS = frozenset(("这句话", "该句", "该说法", "这个说法", "这种说法"))
_CANDIDATES = frozenset(("候选", "candidate"))
_OTHERS = re.compile(r"[ ]?的(?:人|同学|考生|学生|朋友)")  # 选(a)的人
_POINT = re.compile(r"\.(?=\w)")  # b.恐怖片
_SAID_OF = re.compile(r"[MTQG][,:]N?=\Z")  # A: 属于
_TRAIL = re.compile(
    r"[ \"”'’)\]】」』》]*(?:号?的?选项|的?(?:关系|领域)|类型?|这个选项|这一项|才对|无疑|本人|自己|[吧号哦呢啊呀了项的喔嘛哈])(?![^\W_])"
)


class Tape(NamedTuple):
    """The tape of a block. `spans`: the start and end of each token in the clean text. `groups`: index of a token -> the mentions
    that it stands for."""

    tokens: str
    spans: tuple[tuple[int, int], ...]
    groups: dict[int, MentionGroup]


def _trie(words: Iterable[str]) -> str:
    """One pattern for many words. Words with the same beginning share an alternative, so that `re` tries far fewer of them."""
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
    """A pattern of all cue words and marks, and the class of each. Every alternative begins with a literal character, not with
    a set of them: only then does `re` pass quickly over characters that begin none. English words are matched whole: none is
    found inside another word."""
    kinds = dict(_MARKS)
    for kind, listed in words.items():
        for word in expand(listed):
            kinds.setdefault(word, kind)
    tails: dict[str, list[str]] = {}
    for word in kinds:
        tails.setdefault(word[0], []).append(word[1:])
    # `re` tries one alternative after another: marks, then letters, then Chinese characters.
    parts = [re.escape(head) + _trie(tails[head]) for head in tails if head in _MARKS]
    for head in ascii_lowercase:
        parts.append(f"{head}(?:{_trie(tails[head])}(?![a-z])|[a-z]*)" if head in tails else f"{head}[a-z]*")
    heads = [head for head in tails if head not in _MARKS and head not in ascii_lowercase]
    parts += [re.escape(head) + _trie(tails[head]) for head in heads]
    parts += [r"\.(?=\s|$)", *(rf"{word}(?=[ ]*(?:[,。;!?)\n\ue000]|$))" for word in "对行")]
    parts += [r"无(?<=答案[:是为]无)(?=[。;!\s\ue000]|$)"]
    parts += [r"有(?<=[的法述项]有)(?=:?[ ]?[(\[]?[a-i1-9甲乙丙丁][^\w:])"]
    parts += [r"×(?![ ]?\d)", r"真(?<![一-鿿]真)(?=[ ]?:)", r"假(?<![一-鿿]假)(?=[ ]?:)"]
    parts += [r"否(?<![是能可与]否)(?=[ ]?(?:[|,。;.(\n]|$))"]
    parts += [r"算(?<=[都也不才就]算)(?=[ ]*(?:[,。;!?)\n\ue000]|$))"]
    # Cue words only where the patterns above match them.
    placed = {
        ".": ".",
        "对": "+",
        "行": "y",
        "无": "0",
        "算": "w",
        "否": "Z",
        "×": "-",
        "有": "=",
        "真": "+",
        "假": "-",
    }
    return re.compile("|".join(parts)), {word: kind for word, kind in kinds.items() if kind != "~"} | placed


def cues(low: str) -> list[Cue]:
    """All cue words and marks of a folded lower-case text, in order; of overlapping words the longest."""
    pattern, kinds = scanner()
    # The head and the tail of a text decide. Some matches are no cue words: other English words, class "~".
    matches = ends(pattern.finditer(low), 2 * LIMIT)
    return ends([(kind, *found.span()) for found in matches if (kind := kinds.get(found[0]))], LIMIT)


def make_tape(
    low: str,
    block: Block,
    groups: Sequence[MentionGroup],
    hints: Sequence[Cue],
    quoted: Sequence[Span],
) -> Tape:
    """The tape of one block. `groups`, `hints`: the mentions and the cue words that begin in it, in order. `quoted`: the
    quotations of the text, inside which a word is no cue."""
    tokens, spans = ["!"], [(block.start, block.start)]
    named: dict[int, MentionGroup] = {}
    position, fresh = block.start, True  # the end of what is on the tape; whether a line begins there
    starts = [*[group.start for group in groups], block.end]
    coming, count = 0, len(groups)  # index of the next mention, and how many there are

    def fill(end: int) -> None:
        """Put the words before `end`, which name no option and are no cue; before them a line's bullet and its speaker."""
        nonlocal position, fresh
        if fresh:
            fresh, stop = False, starts[coming]
            for pattern, token in ((_LEAD, "b"), (SPEAKER, "@")) if position < stop else ():
                if lead := pattern.match(low, position, stop):
                    tokens.append(token)
                    spans.append(lead.span())
                    position = lead.end()
        words = low[position:end]
        if size := len(words) if words.isalnum() else sum(map(str.isalnum, words)):
            tokens.append(_SIZES[size] if size < len(_SIZES) else "#")
            spans.append((position, end))

    def mention(group: MentionGroup, following: int) -> int:
        """Put a mention; returns its end. `following`: where the next one begins."""
        start, end = group.start, group.end
        if tokens[-1] in "pL_":  # 选项a, 候选a, 这句话可信
            before = low[slice(*spans[-1])]
            candidate = before in _CANDIDATES and len(group.options) == 1 and start <= position + 1
            if before in _SUBJECTS if tokens[-1] == "_" else tokens[-1] == "p" or candidate:
                tokens.pop(), spans.pop()
        leads = tokens[-1] in "!/b:^"
        heading = leads and end - start < 3 and _HEADING.match(low, start)
        if heading or (leads and following < block.end and _NUMBERS.fullmatch(low, start, following)):
            tokens.append("b")
            spans.append((start, end))
            return end
        if low[start] in "是由" and end - start > 2:
            tokens.append("k")  # 是…的一部分
            spans.append((start, start))
        if low[start] == BOX_OPEN:
            tokens.append("[")
            spans.append((start, start))
        named[len(tokens)] = group
        tokens.append("m" if quoted and _within(low, quoted, start, end) else _token(group))
        spans.append((start, end))
        if (leads or tokens[-2] == ":") and (says := _SAYS.match(low, start)) and says.end() == end:
            tokens.append("R")  # the rest is its reason: 否。没有提到
            spans.append((end, end))
            return end
        if tokens[-2] == "C" and (others := _OTHERS.match(low, end)):
            tokens.append("f")  # 选(a)的人 speaks of those who choose it, as 选(a)的话 supposes it
            spans.append(others.span())
            return others.end()
        if leads and tokens[-1] == "M" and _POINT.match(low, end):
            tokens.append(":")
            spans.append((end, end + 1))
            return end + 1
        trail = _TRAIL.match(low, end, block.end)
        return trail.end() if trail else end

    for kind, start, end in (*hints, ("", block.end, block.end)):
        while starts[coming] <= start and coming < count:
            if fresh or starts[coming] > position:
                fill(starts[coming])
            coming += 1
            position = mention(groups[coming - 1], starts[coming])
        if start < position or end > starts[coming] or (quoted and kind.isalnum() and _within(low, quoted, start, end)):
            continue
        if fresh or start > position:
            fill(start)
        if kind and start >= position:  # otherwise it belongs to the line's bullet or speaker
            if kind == "/" and tokens[-1] in ":SC=^" and not _SAID_OF.search("".join(tokens[-4:])):
                kind = "^"  # the answer is on the next line: 答案是\n
            tokens.append(kind)
            spans.append((start, end))
            position, fresh = end, kind in "/^"
    return Tape("".join(tokens), tuple(spans), named)


_KINDS = {"label": "M", "text": "T", "place": "Q"}


def _token(group: MentionGroup) -> str:
    """A group's character on the tape."""
    if len(group.members) == 1:
        return _KINDS[group.members[0].kind]
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
