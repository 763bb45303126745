"""Properties of dialogues and questions that several stages use: the event asked about, copies of dialogues.

Three relations, from the narrowest to the widest; docs/checks.md explains them:

    is_copy, copied    one dialogue is a copy of another: the only definition of leakage between splits
    alike              too similar for one to be a shot of the other: copies, and dialogues with less text in common
    sources            dialogues that share a passage, whose scores are therefore correlated: clusters of statistics
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise


def asked_event(question: str) -> str | None:
    """The event that a question quotes, between its first “ and its last ” (events contain quotes); None if it has none.

    >>> asked_event("事件“梅西赢得“人球合一”的美誉”的原因是什么？")
    '梅西赢得“人球合一”的美誉'
    """
    start, end = question.find("“"), question.rfind("”")
    return question[start + 1 : end] if 0 <= start < end else None


Dialogue = Sequence[str]

# The share of the shorter dialogue's text that two copies have in common. In the official data, copies share 0.74 and more,
# most of them over 0.9; dialogues written to one pattern, or with the same opening, share up to 0.69.
_COPIED = 0.7
# The least text that identifies a dialogue, in letters: greetings and farewells are shorter. English needs three letters
# or more for the content of one Chinese character.
_WINDOW, _LETTERS_WINDOW = 24, 90
_CHINESE = re.compile("[\u4e00-\u9fff]")
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
_TEXT_END = re.compile(r"(?<=[.?!])\s+|(?<=[。！？])|\n")  # ends of sentences in a text that is no speaker's turn
_SPEAKER = re.compile(r"^[\s*]*[^\W\d_]{1,2}\s*[:：]")
_MARKS = re.compile(r"[\W_]+")
_MASK = "[MASK]"


def is_copy(a: Dialogue, b: Dialogue) -> bool:
    """Whether two dialogues are the same but for small changes: punctuation, a phrase masked or replaced, a cut.

    They are equal, or the turns that they share have at least 70 % of the letters and digits of the shorter dialogue, and at
    least 24 of them (90 in English). Two dialogues share equal turns at any position, a turn with [MASK] and the turn without,
    and the last turn of the shorter dialogue and a turn that begins with it. Speakers, case, blanks and punctuation do not
    count. In a context of a single turn, as in CIDER, or a text, as in C3, sentences take the place of turns.

    >>> whole = ["A: 今天怎么回来得这么晚？", "B: 别提了，地铁坏在半路上，等了足足四十分钟。", "A: 快来吃饭吧，菜都凉了。"]
    >>> is_copy(whole, ["B: 别提了！地铁坏在半路上，等了足足四十分钟", "A: 快来[MASK]吧，菜都凉了。"])
    True
    >>> is_copy(whole, [whole[0], "B: 公司今天开会，大家都没走成。", "A: 辛苦了，早点休息吧。"])
    False
    """
    return _are_copies(_DialogueText.of(tuple(a)), _DialogueText.of(tuple(b)))


def copied(known: Iterable[Dialogue], dialogues: Sequence[Dialogue]) -> list[bool]:
    """Whether each of `dialogues` is a copy (`is_copy`) of a known one.

    Only dialogues with a turn that begins or ends alike are compared: equal turns do, and so do a masked or clipped turn and the
    turn that it was.
    """
    texts = [_DialogueText.of(dialogue) for dialogue in dict.fromkeys(tuple(d) for d in known)]
    equal = {text.turns for text in texts}
    holders: dict[str, list[int]] = defaultdict(list)  # turn -> the known dialogues that have it
    by_end: dict[str, set[int]] = defaultdict(set)  # beginning or end of a turn -> the known dialogues that have it
    for n, text in enumerate(texts):
        for turn in set(text.turns):
            if len(turn) >= _LOOKED_UP:
                holders[turn].append(n)
                for end in _ends(turn):
                    by_end[end].add(n)

    def leaked(text: _DialogueText) -> bool:
        if text.turns in equal:
            return True
        shared_letters = Counter({n: 0 for turn in text.turns for end in _ends(turn) for n in by_end.get(end, ())})
        for turn, times in Counter(text.turns).items():
            for n in holders.get(turn, ()):
                shared_letters[n] += times * len(turn)
        # Turns that cannot be looked up (short, masked, clipped) may be shared, too.
        unsure = sum(len(turn) for turn in text.turns if len(turn) < _LOOKED_UP) + text.unsure
        for n, letters in shared_letters.items():
            other = texts[n]
            most = letters + unsure + other.unsure  # the most letters that the two can share
            if most >= _COPIED * min(text.letters, other.letters) and _are_copies(text, other):
                return True
        return False

    seen: dict[tuple[str, ...], bool] = {}
    for dialogue in map(tuple, dialogues):
        if dialogue not in seen:
            seen[dialogue] = leaked(_DialogueText.of(dialogue))
    return [seen[tuple(dialogue)] for dialogue in dialogues]


_LOOKED_UP = 4  # letters: shorter turns, such as 你好, stand in too many dialogues to be looked up


def _ends(turn: str) -> tuple[str, str]:
    """The first and the last letters of a turn. A masked turn has the first or the last of the whole one, a clipped one the
    first."""
    return f"{turn[:_LOOKED_UP]}…", f"…{turn[-_LOOKED_UP:]}"


@dataclass(frozen=True, slots=True)
class _DialogueText:
    """The letters and digits of a dialogue's turns, without speakers; turns without any are left out."""

    turns: tuple[str, ...]  # a mask is a blank
    letters: int  # number of letters and digits
    least: int  # the least number of letters that identify a dialogue in its language
    unsure: int  # letters of the turns that may be shared without being equal: masked ones, and the last

    @classmethod
    @lru_cache(8192)  # a pool of shots is compared with item after item
    def of(cls, dialogue: tuple[str, ...]) -> _DialogueText:
        turns = tuple(filter(str.strip, map(_letters, _units(dialogue))))
        chinese = any(map(_CHINESE.search, turns))
        letters = sum(len(turn.replace(" ", "")) for turn in turns)
        unsure = sum(len(turn) for turn in turns if " " in turn) + len(turns[-1] if turns else "")
        return cls(turns, letters, _WINDOW if chinese else _LETTERS_WINDOW, unsure)


def _units(turns: Dialogue) -> Dialogue:
    """The turns; of a single turn, its sentences. A speaker's Chinese turn stays whole: it may be all that a clipped dialogue has
    left, and is compared with whole turns."""
    if len(turns) != 1:
        return turns
    ends = _SENTENCE_END if _SPEAKER.match(turns[0]) else _TEXT_END
    return [part for part in ends.split(turns[0]) if part.strip()]


@lru_cache(8192)  # dialogues share turns, and one is asked about in several ways
def _letters(turn: str) -> str:
    """Letters and digits, with a blank for a mask."""
    plain = unicodedata.normalize("NFKC", _SPEAKER.sub("", turn)).casefold()
    return " ".join(_MARKS.sub("", part) for part in plain.split(_MASK.casefold()))


def _are_copies(a: _DialogueText, b: _DialogueText) -> bool:
    if a.turns == b.turns:
        return True
    short, whole = sorted((a, b), key=lambda text: text.letters)
    shared = _shared(short.turns, whole.turns)
    return shared >= short.least and shared >= _COPIED * short.letters


def _shared(short: Sequence[str], whole: Sequence[str]) -> int:
    """The letters of the turns of `short` that `whole` has, too; each turn of `whole` counts once."""
    left = Counter(whole)
    masked = [turn for turn in left if " " in turn]
    shared = 0
    for n, turn in enumerate(short):
        if left[turn]:
            partner = turn
        else:
            last = n == len(short) - 1
            others = left if last or " " in turn else masked  # a whole turn fits no other whole one
            partner = next((t for t in others if left[t] and _fits(turn, t, last)), "")
        if partner:
            left[partner] -= 1
            shared += len(turn.replace(" ", ""))
    return shared


def _fits(turn: str, other: str, last: bool) -> bool:
    """Whether two turns are equal but for a mask in one of them. With `last`, `turn` ends a dialogue that may be clipped: then it
    also fits if `other` begins with it."""
    for masked, full in ((turn, other), (other, turn)):
        if " " in masked and " " not in full:
            before, _, after = masked.partition(" ")
            if len(full) >= len(before + after) > 0 and full.startswith(before) and full.endswith(after):
                return True
    return last and other.startswith(turn)


def alike(first: Dialogue, second: Dialogue) -> bool:
    """Whether two dialogues are too similar for one to be a shot of the other.

    They are too similar if one is a copy of the other (`is_copy`), if one begins with the other, however short, or if at least
    half of the turns of the shorter one are equal to those at the same positions of the other.
    """
    a, b = "\n".join(first), "\n".join(second)
    if a.startswith(b) or b.startswith(a):
        return True
    shared = sum(x == y for x, y in zip(first, second, strict=False))
    return 2 * shared >= min(len(first), len(second)) or is_copy(first, second)


def sources(dialogues: Sequence[Sequence[str]]) -> list[int]:
    """The source of each dialogue as a number: the clusters of intervals and tests, since scores on one text are correlated.

    Masked, altered and clipped versions of one dialogue get the same number, and so do others with a passage in common. This
    relation is wider than `is_copy`, which alone decides on leakage. Dialogues have one source if they share two neighbouring
    turns with 24 characters or more in total (90 in English), or if they are equal. In a context of a single turn, as in CIDER,
    or a text, as in C3, sentences take the place of turns. The time is linear in the text.

    >>> whole = ["A: 今天怎么回来得这么晚？", "B: 别提了，地铁坏在半路上，等了足足四十分钟。", "A: 快吃饭吧。"]
    >>> sources([whole, ["A: 你好。"], [*whole[:2], "A: 快[MASK]吧。"]])
    [0, 1, 0]
    """
    return [*_sources(tuple(map(tuple, dialogues)))]


@lru_cache(64)  # scoring, analyses and most perturbations ask about the same contexts
def _sources(dialogues: tuple[tuple[str, ...], ...]) -> tuple[int, ...]:
    parent = list(range(len(dialogues)))

    def find(n: int) -> int:
        while parent[n] != n:
            parent[n] = parent[parent[n]]
            n = parent[n]
        return n

    seen: dict[object, int] = {}
    for n, dialogue in enumerate(dialogues):
        turns = [turn.strip("*") for turn in dialogue]  # GLUCOSE marks the sentence it asks about with asterisks
        least = _WINDOW if any(map(_CHINESE.search, turns)) else _LETTERS_WINDOW
        windows: list[object] = [pair for pair in pairwise(_units(turns)) if len(pair[0]) + len(pair[1]) >= least]
        for window in (*windows, tuple(turns)):
            roots = find(seen.setdefault(window, n)), find(n)
            parent[max(roots)] = min(roots)
    return tuple(find(n) for n in range(len(dialogues)))
