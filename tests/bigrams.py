"""A tagger of concepts for `build screen` that loads nothing: every two characters that stand together."""


def bigrams_of(text: str) -> list[str]:
    return [text[n : n + 2] for n in range(len(text) - 1)]
