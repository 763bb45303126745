"""Tokens of a prompt: counted by the model's tokenizer if that is here, else estimated with a range (design/cost.md)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evalsuite.backends.model import Model
from evalsuite.backends.registry import backend_named
from evalsuite.common.resources import resolve
from evalsuite.evaluation.preview import token_counter
from evalsuite.types import Request

_HAN = re.compile(r"[\u2e80-\u2fff\u3040-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class PromptTokens:
    """The number of a prompt's tokens, with the ends of its range."""

    low: float
    mean: float
    high: float


TokenCounter = Callable[[Request], PromptTokens]


@dataclass(frozen=True, slots=True)
class TokenRule:
    """The number of tokens for each Chinese character, each other letter, and each other sign (digits, punctuation of any width);
    and those that a chat template adds to each turn and to each prompt. Blanks are parts of the tokens behind them."""

    han: float
    sign: float
    letter: float
    turn: float
    prompt: float

    def tokens(self, han: int, signs: int, letters: int, turns: int) -> float:
        chat = turns * self.turn + self.prompt if turns else 0.0
        return self.han * han + self.sign * signs + self.letter * letters + chat


# Among six tokenizers from 2022 to 2026, LOW fits the one with the fewest tokens and HIGH the one with the most; MEAN is near
# those since 2024.
LOW = TokenRule(0.60, 0.70, 0.20, turn=3, prompt=0)
MEAN = TokenRule(0.75, 0.95, 0.25, turn=5, prompt=8)
HIGH = TokenRule(1.45, 1.20, 0.29, turn=8, prompt=32)


def by_rule(model: Model) -> TokenCounter:
    """A counter that estimates the tokens by LOW, MEAN and HIGH."""

    def count(request: Request) -> PromptTokens:
        texts = _texts(request, model.chat)
        turns = len(texts) if model.chat and not request.pairs else 0
        parts = _parts("\n".join(texts))
        low, mean, high = (rule.tokens(*parts, turns) for rule in (LOW, MEAN, HIGH))
        return PromptTokens(low, mean, high)

    return count


def _texts(request: Request, chat: bool) -> list[str]:
    if request.pairs:
        return [context + target for context, target in request.pairs]
    return [m.content for m in request.messages] if chat else [request.prompt]


def _parts(text: str) -> tuple[int, int, int]:
    """The number of Chinese characters, of other signs and of other letters."""
    without_blanks = _BLANKS.sub("", text)
    without_han = _HAN.sub("", without_blanks)
    signs = _LETTERS.sub("", without_han)
    return len(without_blanks) - len(without_han), len(signs), len(without_han) - len(signs)


def counter_of(model: Model, tokenizer: str) -> tuple[TokenCounter, bool]:
    """(counter of a model's prompts, whether it has a tokenizer): the model's own if its files are here, else `tokenizer`, else
    `by_rule`."""
    number_of = _own_tokenizer(model) or (_named_tokenizer(model, tokenizer) if tokenizer else None)
    if number_of is None:
        return by_rule(model), False

    def count(request: Request) -> PromptTokens:
        number = number_of(request)
        return PromptTokens(number, number, number)

    return count, True


def _named_tokenizer(model: Model, tokenizer: str) -> Callable[[Request], int]:
    """Request -> number of prompt tokens by another model's tokenizer, for a chat in its template if it has one."""
    count = token_counter(tokenizer)

    def number_of(request: Request) -> int:
        counts = count(request)
        return int(counts["chat_tokens"] if model.chat and "chat_tokens" in counts else counts["prompt_tokens"])

    return number_of


def _own_tokenizer(model: Model) -> Callable[[Request], int] | None:
    """Request -> number of prompt tokens by the model's own tokenizer; None unless its files are in a folder here."""
    from evalsuite.backends.checkpoint import Checkpoint

    if not (backend_named(model.backend).local and Path(resolve(model.path)).is_dir()):
        return None
    try:
        checkpoint = Checkpoint(model)
    except Exception:  # the tokenizer is missing or broken; the run will report it
        return None

    def number_of(request: Request) -> int:
        texts = _texts(request, chat=False) if request.pairs else [checkpoint.text(request)]
        return sum(len(checkpoint.encode(text)) for text in texts)

    return number_of
