"""Perturbations of the dialogue that preserve the answer: swapped speakers, dropped turns, other scripts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from random import Random

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.dialogue import asked_event
from evalsuite.common.script import converter
from evalsuite.perturb.choice import label_names
from evalsuite.perturb.question import label_mentions
from evalsuite.types import Item

_MARK = re.compile(r"\s*[A-Za-z]\s*[:：]\s*")
_SWAP = str.maketrans("AB", "BA")

# Function characters, which unrelated texts share, too.
_COMMON = frozenset(
    "的了是我你他她它们在有和就不也都很啊吧吗呢呀哦嗯嘛哈啦哎么这那个一要说去来到会能好看想还没上下多大小人什怎样时候得着过给让"
    "把被对为以因所可但如果然后而且或与及从向于之其自己真太最更又再才只比较觉感喜欢应该可能知道现今天年月日点里中家事西东些几"
    "两三出起回做用开头面前内外ab"
)


def _mark_end(turn: str) -> int:
    """The length of the turn's speaker mark, such as "A: "; 0 without one."""
    mark = _MARK.match(turn)
    return mark.end() if mark else 0


def _body(turn: str) -> str:
    return turn[_mark_end(turn) :]


def _label_spans(item: Item) -> list[tuple[int, int]]:
    """(start, end) of the option labels that the question mentions."""
    return [(start, end) for start, end, _ in label_mentions(item.question, label_names(item))]


# --- swap_speakers

_ALONE_IN_FRONT = r"(?<![A-Za-z0-9_+&\-])[AB]"
_ALONE = re.compile(_ALONE_IN_FRONT + r"(?![A-Za-z0-9_+#&'’]|-[A-Za-z0-9])")
# Characters after a letter that make it a name, with exceptions (A股 and B站, but A站起来; B超单, but B超喜欢), and words before it.
_NAMES = re.compile(
    r"[股货型级席栋]|座(?!位)|站(?![在起到着了出住得])|轮(?![到流])|区(?![分别])|队(?![友员长])|组(?![织装建成合])"
    r"|超(?=检查|单|室|显示|结果|报告)|罩杯|大调|小调"
)
_NAMED = re.compile(r"(?:维生素|维他命|甲|计划|方案|血型|类型|型号|单元|plan|vitamin)\s*$", re.IGNORECASE)


def _swapped(text: str, spoken: str, stay: Iterable[tuple[int, int]] = ()) -> str:
    """Swap A and B where the letter stands alone and names a speaker.

    Speakers do not call each other A and B, so a letter that the utterances (`spoken`) have before the same character is a name
    (B站) and stays. `stay`: (start, end) of labels, which stay, too.
    """
    starts = set()
    for match in _ALONE.finditer(text):
        start, end = match.span()
        after = text[end : end + 1]
        is_spoken_name = after.isalpha() and after not in _COMMON and re.search(_ALONE_IN_FRONT + after, spoken)
        is_label = any(left <= start < right for left, right in stay)
        if not (is_spoken_name or is_label or _NAMES.match(text, end) or _NAMED.search(text, 0, start)):
            starts.add(start)
    return "".join(char.translate(_SWAP) if n in starts else char for n, char in enumerate(text))


def swap_speakers(item: Item, seed: int = 0) -> Item:
    """Swap the speakers A and B in the speaker marks and in question, references and options.

    Unchanged: the utterances; letters in words and names (NBA, A股, B站, AB型); labels; references and options that quote
    the dialogue (spans, [MASK]). Applied twice, it gives the original.
    """
    dialogue = tuple(turn[: _mark_end(turn)].translate(_SWAP) + _body(turn) for turn in item.dialogue)
    spoken = "\n".join(map(_body, item.dialogue))
    question = _swapped(item.question, spoken, _label_spans(item))
    if TASKS[item.task].kind.quoted or "[MASK]" in spoken:
        return replace(item, dialogue=dialogue, question=question)
    options = tuple(_swapped(option, spoken) for option in item.options)
    references = tuple(_swapped(reference, spoken) for reference in item.references)
    return replace(item, dialogue=dialogue, question=question, options=options, references=references)


# --- drop_turns

_CHARACTER = re.compile(r"[^\W_]")


def _words(text: str) -> set[str]:
    return set(_CHARACTER.findall(text.lower())) - _COMMON


def droppable(item: Item) -> tuple[int, ...]:
    """Indices of the turns on which neither question nor answer depends, estimated by shared characters.

    The evidence is the question's event, the references and, for a span, its whole turn. A turn can be dropped if neither
    it nor a neighbour (a "对啊" refers to the turn before) shares a character with the evidence, apart from function characters.
    The last turn stays, since a clipped dialogue ends with its event. If no turn shares a character with the evidence, all
    turns stay.
    """
    evidence = [asked_event(item.question) or "", *item.references]
    bodies = [_body(turn) for turn in item.dialogue]
    if TASKS[item.task].kind.quoted:
        evidence += [body for body in bodies if any(reference in body for reference in item.references)]
    words = _words(" ".join(evidence))
    relevant = [bool(words & _words(body)) for body in bodies]
    if not any(relevant):
        return ()
    last = len(bodies) - 1
    return tuple(n for n in range(last) if not any(relevant[max(n - 1, 0) : n + 2]))


def drop_turns(item: Item, seed: int = 0, count: int = 2) -> Item:
    """Drop up to `count` of the `droppable` turns at random, always a turn with its reply, so that speakers still alternate.
    Without such a pair the item is not changed.

    Unchanged: the other turns and their order, the question, the references.
    """
    free = set(droppable(item))
    pairs = [n for n in sorted(free) if n + 1 in free and item.dialogue[n][:1] != item.dialogue[n + 1][:1]]
    Random(f"{seed}:drop_turns:{item.id}").shuffle(pairs)
    gone: set[int] = set()
    for n in pairs:
        if len(gone) + 2 <= count and not gone & {n, n + 1}:
            gone |= {n, n + 1}
    return replace(item, dialogue=tuple(turn for n, turn in enumerate(item.dialogue) if n not in gone))


# --- scripts


@lru_cache(maxsize=32768)  # items share dialogues, questions and options
def _converted(text: str, script: str) -> str:
    converted: str = converter(script).convert(text)
    return converted


def _converted_except(text: str, stay: Iterable[tuple[int, int]], script: str) -> str:
    """The text converted by the OpenCC configuration `script`, except for the (start, end) spans in `stay`."""
    parts, end = [], 0
    for left, right in stay:
        parts += [_converted(text[end:left], script), text[left:right]]
        end = right
    return "".join((*parts, _converted(text[end:], script)))


def _in_script(item: Item, script: str) -> Item:
    """The item with dialogue, question, options and references converted; speaker marks and labels stay."""
    return replace(
        item,
        dialogue=tuple(_converted_except(turn, [(0, _mark_end(turn))], script) for turn in item.dialogue),
        question=_converted_except(item.question, _label_spans(item), script),
        options=tuple(_converted(option, script) for option in item.options),
        references=tuple(_converted(reference, script) for reference in item.references),
    )


def traditional(item: Item, seed: int = 0) -> Item:
    """Convert dialogue, question, options and references to traditional characters (OpenCC s2t, same vocabulary).

    Unchanged: labels, also in the question, speaker marks, [MASK], non-Chinese text, the length of each text, and the gold
    index. A span is converted as in its dialogue (发 in 头发 becomes 髮). Metrics do not convert scripts, so that answers in
    simplified characters score lower.
    """
    converted = _in_script(item, "s2t")
    if not TASKS[item.task].kind.quoted:
        return converted
    spans = zip(item.references, converted.references, strict=True)
    return replace(converted, references=tuple(_as_quoted(*span, item.dialogue, converted.dialogue) for span in spans))


def _as_quoted(span: str, alone: str, before: Iterable[str], after: Iterable[str]) -> str:
    """A span as it stands in the converted dialogue (`after`), or `alone`, the span converted by itself, if its turn has another
    length than before."""
    for old, new in zip(before, after, strict=True):
        if span in old and len(old) == len(new):
            start = old.index(span)
            return new[start : start + len(span)]
    return alone


_TAIWAN = "s2twp"


def taiwan(item: Item, seed: int = 0) -> Item:
    """Convert dialogue, question, options and references to the characters and words of Taiwan (OpenCC s2twp: 鼠标 is 滑鼠).

    Unchanged: labels, also in the question, speaker marks, [MASK], non-Chinese text, and the gold index. A span is converted
    separately from the text around it, so that it remains a span of the dialogue.
    """
    converted = _in_script(item, _TAIWAN)
    if not TASKS[item.task].kind.quoted:
        return converted
    return replace(converted, dialogue=tuple(_with_span_apart(turn, item.references) for turn in item.dialogue))


def _with_span_apart(turn: str, spans: Iterable[str]) -> str:
    """The turn in Taiwan's script. The first of the spans that it contains is converted separately."""
    mark, body = turn[: _mark_end(turn)], _body(turn)
    span = next((span for span in spans if span and span in body), "")
    parts = body.partition(span) if span else (body,)
    return mark + "".join(_converted(part, _TAIWAN) for part in parts)
