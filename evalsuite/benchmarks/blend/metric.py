"""BLEnD's two scores of a reply (the release's evaluation/exact_match.py, soft_exact_match).

The binary score is 1 if the reply contains an answer that people gave. The score by votes is the answer's votes divided by those
of the most frequent answer.

A reply contains an answer if it contains the answer's text, or all its words as jieba segments them. The release compares spaCy's
lemmas of English answers, so that "a chip" contains "chips"; this module does not.
"""

from __future__ import annotations

import unicodedata
from string import punctuation

from evalsuite.benchmarks.languages import means_part, parser_of
from evalsuite.metrics.tokens import jieba
from evalsuite.types import Answered, Item, Metric, Part

METRICS = (
    Metric("blend", "命中率", "Answers that people gave", "held %", is_share=True),
    Metric("blend_weighted", "按票数命中率", "The same by votes", "votes %"),
)
_MARKS = str.maketrans({"：": ":", "、": ",", "，": ",", "。": "."})
_ACUTE = {ord("\N{COMBINING ACUTE ACCENT}"): None}  # deletes the accent


def vote_score(item: Item, text: str) -> tuple[float, float]:
    """(binary score, score by votes) of a reply's text.

    >>> item = Item("i", "t", "s", "test", (), "？", references=("月饼", "picnic in park"), votes=(4, 2))
    >>> vote_score(item, "吃月饼。"), vote_score(item, "in the park: a picnic"), vote_score(item, "粽子")
    ((1.0, 1.0), (1.0, 0.5), (0.0, 0.0))
    """
    reply = text.translate(_MARKS).strip().strip(".").lower()
    words = _words(reply)
    pairs = zip(item.references, item.votes, strict=True)
    most = max((votes for answer, votes in pairs if reply and _contains(reply, words, answer)), default=0)
    return float(most > 0), most / max(item.votes)


def _contains(reply: str, words: set[str], answer: str) -> bool:
    """Whether a reply, whose words are `words`, contains an answer."""
    if any(form in reply for form in (answer, answer.replace("-", " "), answer.replace(" ", "-"))):
        return True
    blank = {" "} if answer.isascii() else set()  # in English a blank separates words and is none
    return _words(answer) - blank <= words


def _words(text: str) -> set[str]:
    words = jieba(text) + [" "] * (" " in text)  # the release's jieba returns blanks as words, our function does not
    return {unicodedata.normalize("NFD", word).translate(_ACUTE).lower() for word in words if word not in punctuation}


def votes_part(answered: Answered) -> Part:
    """Both scores of a cell."""
    scores = [vote_score(item, answer.text or "") for item, answer in answered.pairs]
    columns = {metric.name: [score[n] for score in scores] for n, metric in enumerate(METRICS)}
    signatures = {name: f"{name}|def:blend.1|tok:jieba|parser:{parser_of(answered.reading)}" for name in columns}
    return means_part("blend", columns, signatures)
