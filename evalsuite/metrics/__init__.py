"""Metrics of answers, with their sources in docs/metrics.md.

    exact_match, char_f1     one answer against its references; plain Python
    accuracy                 choices against gold indices
    score_texts              all text metrics of a corpus, for items and corpus, under a profile (PROFILES)
    TextScores               the result of `score_texts`, an `Additive` for statistics.bootstrap

Importing this package loads neither numpy nor jieba: scoring loads numpy, and jieba if the profile uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evalsuite.metrics.accuracy import accuracy, correct
from evalsuite.metrics.exact import char_f1, exact_match, normalise
from evalsuite.metrics.profiles import PROFILES, Profile
from evalsuite.metrics.tokens import TOKENISERS, tokenise

if TYPE_CHECKING:
    from evalsuite.metrics.semsim import Encoder
    from evalsuite.metrics.texts import TextCorpus, TextScores

__all__ = [
    "PROFILES",
    "TOKENISERS",
    "Profile",
    "TextCorpus",
    "TextScores",
    "accuracy",
    "char_f1",
    "correct",
    "exact_match",
    "normalise",
    "score_texts",
    "tokenise",
]


def score_texts(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    profile: str = "default",
    encoder: Encoder | None = None,
) -> TextScores:
    """All text metrics of N answers, each with one or more references, under a profile.

    encoder: from `semsim.load_encoder`; adds the semantic similarity. Raises ValueError for an unknown profile, no answers
    or an item without references. To score under several profiles, use `TextCorpus`, which keeps its counts.

    >>> round(score_texts(["很好看", "x哭了"], [["好看"], ["x哭了"]], "char").corpus["f1_token"], 3)
    0.9
    """
    from evalsuite.metrics.texts import TextCorpus

    return TextCorpus(hypotheses, references).score(profile, encoder)


def __getattr__(name: str) -> Any:
    if name in ("TextCorpus", "TextScores"):
        from evalsuite.metrics import texts

        return getattr(texts, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
