"""CEDAR's values (Zhou et al. 2021): explanations of a response, and the dialogues that they explain."""

from __future__ import annotations

from dataclasses import dataclass

from evalsuite.benchmarks.languages import LANGUAGES

DIMENSIONS = ("event", "emotion", "location", "possession", "attribute")

# Language -> connective -> its negation. English is as in Figure 4 ("causes", "does not cause"). Chinese negates verbs by 不
# (rules and wishes) or 没有 (events that did not happen); explanations are about events of a dialogue, hence 没有. Conjunctions
# (因此, 所以) cannot be negated and are no connectives here.
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
    """An explanation of a response: the antecedent is the reason for the consequent, which summarises the response.

    >>> Explanation("event", "I found a buyer", "causes", "I am so happy").text
    'I found a buyer causes I am so happy'
    """

    dimension: str  # a name in DIMENSIONS
    antecedent: str
    connective: str  # a key of NEGATED
    consequent: str
    valid: bool = True  # whether all raters found it relevant, non-trivial and plausible
    language: str = "en"

    @property
    def text(self) -> str:
        gap = LANGUAGES[self.language].gap
        return gap.join((self.antecedent, self.connective, self.consequent))


@dataclass(frozen=True, slots=True)
class Instance:
    """A dialogue: its history, its last turn (the response), and valid and invalid explanations of that turn."""

    id: str  # cedar/<source>/<split>/<number>
    source: str
    split: str
    history: tuple[str, ...]
    response: str
    explanations: tuple[Explanation, ...]
