"""Profiles: the tokenisation and definition of each text metric."""

from __future__ import annotations

from dataclasses import dataclass

from evalsuite.metrics.tokens import tokeniser


@dataclass(frozen=True, slots=True)
class Profile:
    """A named set of tokenisations (names in `tokens.TOKENISERS`) and definitions. EM, character F1 and chrF use characters
    in every profile."""

    name: str
    note: str
    f1: str
    bleu: str
    rouge: str
    meteor: str
    cider: str
    # "lin": Lin's F1 with the best reference; "coco": the same, but pycocoevalcap's ROUGE-L (F with beta 1.2); "rouge-chinese":
    # the library of that name, which counts a repeated n-gram once
    rouge_by: str = "lin"
    meteor15: str | None = None  # tokenisation of METEOR 1.5; None: not in this profile
    sacre: str | None = None  # tokenisation of sacreBLEU's BLEU; None: not in this profile


PROFILES: dict[str, Profile] = {
    "default": Profile(
        "default",
        "characters where n-grams of characters are customary, words where a unit should mean something",
        f1="jieba",
        bleu="char",
        rouge="char",
        meteor="jieba",
        cider="jieba",
        sacre="zh",
    ),
    "paper": Profile(
        "paper",
        "what the CORECODE paper must have done: pycocoevalcap on unsegmented text; F1 and METEOR on small units",
        f1="char",
        bleu="whitespace",
        rouge="blank",
        meteor="char",
        cider="whitespace",
        rouge_by="coco",
        meteor15="mixed",
    ),
    "english": Profile(
        "english",
        "for English: words and punctuation as mteval parts them; F1 and METEOR on words without punctuation",
        f1="mixed",
        bleu="13a",
        rouge="13a",
        meteor="mixed",
        cider="13a",
    ),
    "cicero": Profile(
        "cicero",
        "what CICERO's official code does: pycocoevalcap on raw English text, words as blanks part them, case kept",
        f1="mixed",
        bleu="whitespace",
        rouge="blank",
        meteor="mixed",
        cider="whitespace",
        rouge_by="coco",
        meteor15="mixed",
    ),
    "char": Profile("char", "characters only; needs no dictionary", "char", "char", "char", "char", "char"),
    "jieba": Profile("jieba", "jieba's words only", "jieba", "jieba", "jieba", "jieba", "jieba"),
    "rouge_chinese": Profile(
        "rouge_chinese",
        "ROUGE by the library rouge-chinese on jieba's words, for papers that used it",
        *("jieba", "jieba", "jieba", "jieba", "jieba"),
        rouge_by="rouge-chinese",
    ),
}


def on_units(tokenisation: str) -> Profile:
    """The profile with one tokenisation for all metrics: a name in `tokens.TOKENISERS`, or "none" for words separated by
    whitespace. Raises ValueError, which lists the names.

    >>> on_units("13a").bleu, on_units("none").bleu
    ('13a', 'whitespace')
    """
    name = "whitespace" if tokenisation == "none" else tokenisation
    tokeniser(name)
    note = "every metric on the same units"
    return Profile(f"tokens:{tokenisation}", note, name, name, name, name, name, meteor15=name)


def profile_named(name: str) -> Profile:
    """The profile of that name. Raises ValueError, which lists the names."""
    if name not in PROFILES:
        raise ValueError(f"no profile {name!r}; there are {', '.join(PROFILES)}")
    return PROFILES[name]
