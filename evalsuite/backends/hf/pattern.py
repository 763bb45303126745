"""Constrained decoding on transformers: llguidance computes the tokens that can still lead to a match of a regular expression.

Patterns follow Rust's `regex` crate, without look-around and word boundaries. vLLM uses llguidance, too (vllm/engine.py).
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
    """Patterns for one tokenizer. Needs llguidance (extra `[hf]`) once a request has a pattern."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint
        self._errors: dict[str, str | None] = {}  # pattern -> the reason why it cannot be used; None if it can

    @cached_property
    def _vocabulary(self) -> Any:
        """The tokenizer in llguidance's form; takes about a second for a large vocabulary."""
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
        """The reason why a constrained request cannot be answered; None if it has options, or a pattern that can be used."""
        pattern = request.pattern
        if not pattern:
            return None if request.options else "scoring constrained: the request has neither options nor a pattern"
        if pattern not in self._errors:
            try:
                vocabulary = self._vocabulary
            except BackendError as error:  # requests without a pattern still work
                return str(error)
            from llguidance import LLMatcher

            problem = LLMatcher.validate_grammar(LLMatcher.grammar_from_regex(pattern), vocabulary)
            self._errors[pattern] = f"pattern {pattern!r}: {problem.strip()}" if problem else None
        return self._errors[pattern]

    def processor(self, requests: Sequence[Request], width: int) -> Callable[[Any, Any], Any]:
        """A logits processor for `generate` that keeps each row on the way to a match of its request's pattern.

        `width`: number of ids in each row before the reply begins. An end-of-text token is allowed once the reply is a whole
        match.
        """
        vocabulary = self._vocabulary
        import numpy as np
        import torch
        from llguidance import LLMatcher

        matchers = [LLMatcher(vocabulary, LLMatcher.grammar_from_regex(_pattern(r))) for r in requests]
        stop = self._checkpoint.stop_ids
        ended = [False] * len(matchers)

        def masked(ids: Any, scores: Any) -> Any:
            allowed = np.zeros(scores.shape, dtype=bool)
            last = ids[:, -1].tolist() if ids.shape[1] > width else [None] * len(matchers)
            for row, (matcher, token) in enumerate(zip(matchers, last, strict=True)):
                ended[row] = ended[row] or token in stop
                if not ended[row]:
                    if token is not None:
                        matcher.consume_token(token)
                    bits = np.unpackbits(np.frombuffer(matcher.compute_bitmask(), np.uint8), bitorder="little")
                    known = min(len(bits), scores.shape[1])  # the network's output may be larger than the vocabulary
                    allowed[row, :known] = bits[:known]
                    allowed[row, stop] = matcher.is_accepting()
                if not allowed[row].any():  # the reply has ended, or no token continues it
                    allowed[row, stop] = True
            return scores.masked_fill(~torch.from_numpy(allowed).to(scores.device), float("-inf"))

        return masked


def _pattern(request: Request) -> str:
    """The request's pattern, or the pattern of its labels."""
    return request.pattern or "|".join(re.escape(form) for label in label_forms(request.labels) for form in label)
