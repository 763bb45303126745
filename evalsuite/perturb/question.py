"""Find and rename the option labels that a question mentions: "从a、b、c选项中", "从(1)到(5)中", "选项A".

A list mentions labels if it contains at least two of the item's labels, each once, next to words that introduce or follow
options: "短语1和2之间" does not. Quoted events (“…”) and phrases ("短语1：…") are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_CONTENT = re.compile(r"“.*”|「.*?」|《.*?》|短[语語]\s*[1１一]\s*[:：][^\n]*", re.DOTALL)
_BEFORE = re.compile(
    r"(?:[从從在选選]|[选選][择取擇]|[选選][项項]|候[选選]|答案|[标標][号號]|序号|字母|回答|填写?|from|among|of|options?|choose|select|answer)"
    r"[是为:：]?\s*[“\"'（(【\[]?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s*[”\"'）)】\]]?\s*(?:[一二两三四五六七八九十百\d]+[个個]?)?(?:等|中|里|裡|之中|候?[选選]|[项項](?!目)|答案|[标標][号號]|字母"
    r"|options?|choices?|letters?|numbers?|labels?)",
    re.IGNORECASE,
)
_SEPARATOR = r"(?:[、,，/／;；|｜\-–—~～－.…⋯·]|以?及|和|或者?|与|跟|还是|到|至|and|or|to|\s)*"


@lru_cache(maxsize=256)
def _patterns(names: tuple[str, ...]) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """Pairs of patterns (mention, label within it): separated labels, joined labels ("abc"), one label with a noun ("选项a")."""
    name = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    # A label must not be part of a Latin word or a number. For Han labels among Han characters the cue words decide.
    single = rf"(?<![A-Za-z0-9])(?<!\d\.)(?:{name})(?![A-Za-z0-9])(?!\.\d)"
    dressed = rf"[（(]?{single}[)）]?"
    apart = rf"{dressed}(?:{_SEPARATOR}{dressed})+"
    first = "|".join(re.escape("".join(names[:count])) for count in range(len(names), 1, -1))  # abc, ab
    together = rf"(?<![A-Za-z0-9])(?:{first})(?![A-Za-z0-9])" if all(len(n) == 1 for n in names) and first else "(?!)"
    alone = rf"(?:(?<=[选選][项項])\s*|(?<=option)\s+){dressed}|{dressed}(?=\s*[选選][项項])"
    pairs = ((apart, single), (together, name), (alone, single))
    return tuple((re.compile(run, re.IGNORECASE), re.compile(label, re.IGNORECASE)) for run, label in pairs)


def label_mentions(question: str, names: Sequence[str]) -> list[tuple[int, int, int]]:
    """The labels that the question mentions, as (start, end, index of the label). `names` are the labels without brackets.

    >>> label_mentions("请从a、b选项中选择“a、b选项”的原因。", ("a", "b"))
    [(2, 3, 0), (4, 5, 1)]
    """
    if not names:
        return []
    index = {name.lower(): n for n, name in enumerate(names)}
    content = [match.span() for match in _CONTENT.finditer(question)]
    mentions: dict[tuple[int, int], int] = {}
    for pattern, inside in _patterns(tuple(names)):
        for run in pattern.finditer(question):
            start, end = run.span()
            if any(start < right and left < end for left, right in content):
                continue
            labels = {m.span(): index[m.group().lower()] for m in inside.finditer(question, start, end)}
            several = len(labels) > 1
            cued = _BEFORE.search(question, 0, start) or _AFTER.match(question, end)
            if not several or (cued and len(set(labels.values())) == len(labels)):
                mentions |= labels
    return [(start, end, label) for (start, end), label in sorted(mentions.items())]


def rename_labels(question: str, old: Sequence[str], new: Sequence[str]) -> str:
    """The question with each mentioned label renamed, and no other character changed."""
    for start, end, label in reversed(label_mentions(question, old)):
        question = question[:start] + new[label] + question[end:]
    return question
