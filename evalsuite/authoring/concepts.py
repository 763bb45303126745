"""Candidate concepts of an utterance: its nouns, verbs and adjectives (paper, section 3), from a part-of-speech tagger.

A tagger is a function from a text in simplified Chinese to its candidate concepts, in any order, with or without
repeats. Its name is a key of TAGGERS; that of a tagger of yours is `module:function`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import version

from evalsuite.common.errors import ConfigError, unknown
from evalsuite.metrics.tokens import jieba_tokenizer

Tagger = Callable[[str], Iterable[str]]


def jieba_concepts(text: str) -> list[str]:
    """Words whose jieba.posseg tag begins with n (names included), v or a.

    >>> jieba_concepts("厨房里怎么一股糊味儿")
    ['厨房', '糊', '味儿']
    """
    return [word for word, tag in _jieba()(text) if tag[0] in "nva"]


@cache
def _jieba() -> Callable[[str], Iterable[tuple[str, str]]]:
    library = import_module("jieba.posseg")
    tagger = object.__new__(library.POSTokenizer)  # shares the library's tags: reading them again takes half a second
    vars(tagger).update(vars(library.dt), tokenizer=jieba_tokenizer())
    cut: Callable[[str], Iterable[tuple[str, str]]] = tagger.lcut
    return cut


TAGGERS: dict[str, Tagger] = {"jieba": jieba_concepts}


def tagger_named(name: str) -> Tagger:
    """The tagger of that name. Raises ConfigError if there is none."""
    if name in TAGGERS:
        return TAGGERS[name]
    module, _, function = name.partition(":")
    if not function:
        raise ConfigError(f"{unknown('tagger', name, TAGGERS)} Yours is module:function.")
    try:
        tagger: Tagger = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"--tagger {name}: {error}") from None
    if not callable(tagger):
        raise ConfigError(f"--tagger {name}: expected a function from a text to its concepts")
    return tagger


def tagger_signature(name: str) -> str:
    """The name with its library's version, since versions tag differently."""
    return f"{name}-{version(name)}" if name in TAGGERS else name
