"""Replies on transformers that must match a regular expression: llguidance tells which tokens can still lead to a match.

The patterns are those of Rust's `regex` without look-around and word boundaries. vLLM is told to use the same library.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalsuite.common.errors import BackendError
from evalsuite.types import Request, label_forms

if TYPE_CHECKING:
    from evalsuite.backends.checkpoint import Checkpoint


class Patterns:
    """For one tokenizer. Needs llguidance, which comes with the extra `[hf]`, as soon as a request has a pattern."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint
        self._errors: dict[str, str | None] = {}  # pattern -> why it cannot be used

    @cached_property
    def _vocabulary(self) -> Any:
        """The tokenizer as llguidance has it. Takes about a second for a large vocabulary."""
        name = self._checkpoint.model.name
        try:
            from llguidance.hf import from_tokenizer
        except ImportError as error:
            raise BackendError(
                f"model {name}: replies held to a pattern need `pip install 'evalsuite[hf]'` ({error})"
            ) from None
        try:
            return from_tokenizer(self._checkpoint.tokenizer)
        except (ValueError, RuntimeError) as error:
            raise BackendError(
                f"model {name}: its tokenizer cannot be held to a pattern ({error}); leave out scoring constrained"
            ) from None

    def refusal(self, request: Request) -> str | None:
        """Why the request's pattern cannot be used; None if it can, or if there are labels instead."""
        pattern = request.pattern
        if not pattern:
            return None if request.options else "scoring constrained: the request has neither options nor a pattern"
        if pattern not in self._errors:
            try:
                vocabulary = self._vocabulary
            except BackendError as error:  # requests of other cells have no need of it
                return str(error)
            from llguidance import LLMatcher

            problem = LLMatcher.validate_grammar(LLMatcher.grammar_from_regex(pattern), vocabulary)
            self._errors[pattern] = f"pattern {pattern!r}: {problem.strip()}" if problem else None
        return self._errors[pattern]

    def processor(self, requests: Sequence[Request], width: int) -> Callable[[Any, Any], Any]:
        """For `generate`: each row, a prompt of `width` tokens, says only what can become a match of its pattern.

        An end-of-text token may stand where what is said matches as a whole.
        """
        vocabulary = self._vocabulary
        import numpy as np
        import torch
        from llguidance import LLMatcher

        matchers = [LLMatcher(vocabulary, LLMatcher.grammar_from_regex(_pattern(r))) for r in requests]
        stop = self._checkpoint.stop_ids
        ended = [False] * len(matchers)

        def held(ids: Any, scores: Any) -> Any:
            allowed = np.zeros(scores.shape, dtype=bool)
            said = ids[:, -1].tolist() if ids.shape[1] > width else [None] * len(matchers)
            for row, (matcher, token) in enumerate(zip(matchers, said, strict=True)):
                ended[row] = ended[row] or token in stop
                if not ended[row]:
                    if token is not None:
                        matcher.consume_token(token)
                    bits = np.unpackbits(np.frombuffer(matcher.compute_bitmask(), np.uint8), bitorder="little")
                    known = min(len(bits), scores.shape[1])  # a network may have more rows than there are tokens
                    allowed[row, :known] = bits[:known]
                    allowed[row, stop] = matcher.is_accepting()
                if not allowed[row].any():  # at its end, or what is missing cannot be spelt with this vocabulary
                    allowed[row, stop] = True
            return scores.masked_fill(~torch.from_numpy(allowed).to(scores.device), float("-inf"))

        return held


def _pattern(request: Request) -> str:
    """Its own, or that of its labels."""
    return request.pattern or "|".join(re.escape(form) for label in label_forms(request.labels) for form in label)
