"""CEDAR's six corruptions of an explanation (section 4.1, Figure 4): three change its logic, three destroy its word order.

Pure functions of an instance and the index of an explanation; random draws come from
`Random(f"{SEED}:{corruption}:{instance.id}:{number}")`. The result is None if the explanation cannot be corrupted: there
is no invalid explanation, it has one word, or its words read the same backwards.

Words are separated by whitespace; Chinese is segmented by jieba. Characters do not serve as units: shuffled characters are
more obviously wrong than the shuffled words of the paper. Punctuation belongs to the word before it, as in English, so that 30 %
of the words are comparable in both languages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from evalsuite.benchmarks.cedar.explanation import NEGATED, Explanation, Instance
from evalsuite.benchmarks.languages import LANGUAGES
from evalsuite.metrics.tokens import jieba_tokenizer
from evalsuite.types import Item

SEED = 0


@dataclass(frozen=True, slots=True)
class Corruption:
    """A row of CORRUPTIONS."""

    name: str
    group: str  # "logical" | "complete"
    zh: str
    en: str
    function: Callable[[Instance, Explanation, Random], str | None]

    def text(self, instance: Instance, number: int) -> str | None:
        """The corrupted explanation; None if it cannot be corrupted. `number` is the explanation's index."""
        rng = Random(f"{SEED}:{self.name}:{instance.id}:{number}")
        return self.function(instance, instance.explanations[number], rng)


def swapped(instance: Instance, explanation: Explanation, rng: Random) -> str | None:
    """Swap antecedent and consequent."""
    other = replace(explanation, antecedent=explanation.consequent, consequent=explanation.antecedent).text
    return None if other == explanation.text else other


def negation(instance: Instance, explanation: Explanation, rng: Random) -> str | None:
    """Negate the connective (`explanation.NEGATED`)."""
    return replace(explanation, connective=NEGATED[explanation.language][explanation.connective]).text


def invalid(instance: Instance, explanation: Explanation, rng: Random) -> str | None:
    """Replace the explanation by an invalid one of the same response."""
    wrong = [other.text for other in instance.explanations if not other.valid and other.text != explanation.text]
    return rng.choice(wrong) if wrong else None


def shuffled(instance: Instance, explanation: Explanation, rng: Random) -> str | None:
    """Shuffle the words into another order."""
    in_order = words(explanation)
    if len(set(in_order)) < 2:
        return None
    order = list(in_order)
    while order == in_order:
        rng.shuffle(order)
    return _joined(order, explanation)


def dropped(instance: Instance, explanation: Explanation, rng: Random) -> str | None:
    """Drop 30 % of the words at random: round(0.3 n) of n, at least one. (Figure 4 drops 4 of 12.)"""
    in_order = words(explanation)
    if len(in_order) < 2:
        return None
    dropped_indices = set(rng.sample(range(len(in_order)), max(1, (3 * len(in_order) + 5) // 10)))
    return _joined([word for n, word in enumerate(in_order) if n not in dropped_indices], explanation)


def reversed_words(instance: Instance, explanation: Explanation, rng: Random) -> str | None:
    """Reverse the order of the words."""
    in_order = words(explanation)
    return None if in_order == in_order[::-1] else _joined(in_order[::-1], explanation)


CORRUPTIONS: dict[str, Corruption] = {
    row.name: row
    for row in (
        Corruption("swapped", "logical", "前后件互换", "antecedent and consequent swapped", swapped),
        Corruption("negation", "logical", "否定连接词", "connective negated", negation),
        Corruption("invalid", "logical", "换成错误的解释", "an explanation rated wrong", invalid),
        Corruption("shuffled", "complete", "打乱词序", "words shuffled", shuffled),
        Corruption("dropped", "complete", "删去三成的词", "30 % of the words dropped", dropped),
        Corruption("reversed", "complete", "词序颠倒", "words reversed", reversed_words),
    )
}


def corruption_of(item: Item) -> str:
    """The name of a probe's corruption, from its id."""
    return item.id.rpartition(".")[2]


def words(explanation: Explanation) -> list[str]:
    """The words of an explanation. Its parts are segmented separately, so that the connective is a word of its own.

    >>> words(Explanation("event", "天黑了，雨大", "导致", "A没出门", language="zh"))
    ['天黑', '了，', '雨大', '导致', 'A', '没', '出门']
    """
    parts = (explanation.antecedent, explanation.connective, explanation.consequent)
    if gap := LANGUAGES[explanation.language].gap:
        return gap.join(parts).split()
    segmented: list[str] = []
    for part in parts:
        for word in jieba_tokenizer().lcut(part):
            if segmented and not any(char.isalnum() for char in word):
                segmented[-1] += word
            else:
                segmented.append(word)
    return segmented


def _joined(texts: list[str], explanation: Explanation) -> str:
    return LANGUAGES[explanation.language].gap.join(texts)
