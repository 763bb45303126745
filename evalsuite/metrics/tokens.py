"""The tokenisations of text metrics, by name. A metric's value depends on its tokenisation: see docs/metrics.md.

    whitespace  str.split(): an unsegmented Chinese answer is one token (what the CORECODE paper must have used)
    blank       str.split(" "): only blanks separate, no line breaks, as in pycocoevalcap's ROUGE-L
    char        every character that is not whitespace
    mixed       characters, but a Latin word or a number is one token ("iPhone11", "1.15")
    jieba       jieba.lcut, default dictionary, HMM on; tokens of whitespace are dropped
    rjieba      jieba in Rust, ten times as fast; it must be installed. 40 of 30,000 sentences of CORECODE differ: rjieba
                keeps scores and names such as "3-2" and "joy-con" whole
    13a, zh     sacreBLEU's tokenisers of Western text (mteval-v13a) and of Chinese; sacreBLEU must be installed

Libraries and dictionaries are loaded on first use, once in a process.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

from evalsuite.common.files import cache_folder

Tokens = list[str]
_MIXED = re.compile(r"[A-Za-z0-9\u00c0-\u024f]+(?:[.,][0-9]+)*|\S")


def whitespace(text: str) -> Tokens:
    """Words separated by whitespace."""
    return text.split()


def blank(text: str) -> Tokens:
    """Split at each blank, so that two blanks in a row enclose an empty token. An empty text has no tokens.

    >>> blank("好看\\n因为 他")
    ['好看\\n因为', '他']
    """
    return text.split(" ") if text else []


def char(text: str) -> Tokens:
    """Characters without whitespace.

    >>> char("x很 开心")
    ['x', '很', '开', '心']
    """
    return [c for c in text if not c.isspace()]


def mixed(text: str) -> Tokens:
    """Characters, but Latin words and numbers whole, like METEOR 1.5's normaliser on unsegmented Chinese.

    >>> mixed("x买了iPhone11")
    ['x', '买', '了', 'iPhone11']
    """
    return _MIXED.findall(text)


def jieba(text: str) -> Tokens:
    """Words segmented by jieba."""
    return [word for word in _jieba_cut()(text) if not word.isspace()]


def rjieba(text: str) -> Tokens:
    """Words segmented by jieba-rs."""
    return [word for word in _rjieba_cut()(text) if not word.isspace()]


def mteval(text: str) -> Tokens:
    """mteval-v13a's tokens, sacreBLEU's default."""
    return _sacrebleu("13a")(text)


def zh(text: str) -> Tokens:
    """sacreBLEU's tokens for Chinese: single ideographs and full-width signs, the rest as 13a; Latin words stay whole."""
    return _sacrebleu("zh")(text)


TOKENISERS: dict[str, Callable[[str], Tokens]] = {
    "whitespace": whitespace,
    "blank": blank,
    "char": char,
    "mixed": mixed,
    "jieba": jieba,
    "rjieba": rjieba,
    "13a": mteval,
    "zh": zh,
}


def tokenise(texts: Sequence[str], name: str) -> list[Tokens]:
    """The tokens of each text, in order. A repeated text, as references often are, is tokenised once.

    >>> tokenise(["你好 世界"], "whitespace")
    [['你好', '世界']]
    """
    cut = tokeniser(name)
    seen: dict[str, Tokens] = {}
    return [seen[text] if text in seen else seen.setdefault(text, cut(text)) for text in texts]


def tokeniser(name: str) -> Callable[[str], Tokens]:
    """The tokeniser of that name. Raises ValueError, which lists the names."""
    if name not in TOKENISERS:
        raise ValueError(f"no tokenisation {name!r}; there are {', '.join(TOKENISERS)}")
    return TOKENISERS[name]


@cache
def token_signature(name: str) -> str:
    """A tokeniser's name and version for signatures. Our tokenisers have a number, others the version of their library.

    >>> token_signature("char")
    'char.1'
    """
    tokeniser(name)
    library = {"jieba": "jieba", "rjieba": "rjieba", "13a": "sacrebleu", "zh": "sacrebleu"}.get(name)
    if library is None:
        return f"{name}.1"
    return f"{name}-{version(library)}" if name == library else f"{name}-{library}-{version(library)}"


@cache
def _jieba_cut() -> Callable[[str], Tokens]:
    cut: Callable[[str], Tokens] = jieba_tokenizer().lcut
    return cut


@cache
def jieba_tokenizer() -> Any:
    """A `jieba.Tokenizer` with the default dictionary.

    Its cache is in the user's cache folder. jieba's own default, /tmp/jieba.cache, may have been written by another user of
    the machine, with other words.
    """
    with warnings.catch_warnings():  # jieba's regular expressions warn on Python 3.12 and later
        warnings.simplefilter("ignore", SyntaxWarning)
        library = import_module("jieba")
    # jieba would log the dictionary that it loads, and harmless failures to write its cache.
    library.setLogLevel(50)
    tokenizer = library.Tokenizer()
    if folder := cache_folder():
        tokenizer.tmp_dir, tokenizer.cache_file = str(folder), f"jieba-{version('jieba')}.cache"
        tokenizer.initialize()
    else:
        tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
        tokenizer.initialized = True
    return tokenizer


@cache
def _rjieba_cut() -> Callable[[str], Tokens]:
    cut: Callable[[str], Tokens] = import_module("rjieba").cut
    return cut


@cache
def _sacrebleu(name: str) -> Callable[[str], Tokens]:
    try:
        if name == "zh":
            line = import_module("sacrebleu.tokenizers.tokenizer_zh").TokenizerZh()
        else:
            line = import_module("sacrebleu.tokenizers.tokenizer_13a").Tokenizer13a()
    except ImportError as error:
        raise ImportError(f"tokenisation {name!r} is sacreBLEU's: pip install sacrebleu") from error
    # sacreBLEU strips the end of the line before it tokenises (BLEU._preprocess_segment).
    return lambda text: str(line(text.rstrip())).split()
