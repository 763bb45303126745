"""Commonsense explanations of a response, and the dialogues that they explain: CEDAR's values (Zhou et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass

from evalsuite.benchmarks.languages import LANGUAGES

DIMENSIONS = ("event", "emotion", "location", "possession", "attribute")

# Connective -> negated. English as in Figure 4 ("causes", "does not cause"). Chinese has no auxiliary to put "not" on: a
# verb is negated by 不 (a rule or a wish) or 没有 (something that did not come about). Explanations tell what did come
# about in a dialogue, so it is 没有. Conjunctions (因此, 所以) cannot be negated at all and are no connectives here.
NEGATED = {
    "en": {
        "causes": "does not cause",
        "enables": "does not enable",
        "causes/enables": "does not cause/enable",
        "motivates": "does not motivate",
        "results in": "does not result in",
    },
    "zh": {"导致": "没有导致", "使得": "没有使得", "促使": "没有促使", "引起": "没有引起"},
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """Antecedent, connective, consequent: the antecedent is why the consequent, the gist of the response, is said.

    >>> Explanation("event", "I found a buyer", "causes", "I am so happy").text
    'I found a buyer causes I am so happy'
    """

    dimension: str  # one of DIMENSIONS
    antecedent: str
    connective: str  # a key of NEGATED
    consequent: str
    valid: bool = True  # relevant, not trivial and plausible, as all its raters agreed
    language: str = "en"

    @property
    def text(self) -> str:
        gap = LANGUAGES[self.language].gap
        return gap.join((self.antecedent, self.connective, self.consequent))


@dataclass(frozen=True, slots=True)
class Instance:
    """A dialogue's history, its last turn, and explanations of that turn, right and wrong."""

    id: str  # cedar/<source>/<split>/<number>
    source: str
    split: str
    history: tuple[str, ...]
    response: str
    explanations: tuple[Explanation, ...]
