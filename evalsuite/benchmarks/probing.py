"""The request for an item: the rendered template, or for a probe two (context, target) pairs to score by likelihood.

Inference probing scores the response given history and explanation, P(R | H, E); attribution probing scores the explanation
given history and response, P(E | H, R). The template prompts/cedar/<task>/<name>.j2 renders the context from `dialogue`
(for inference without the response) and `question` (for inference the explanation, for attribution "Why?").
An encoder-decoder model encodes the context and decodes the target; the pairs are the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from evalsuite.benchmarks.cedar.corruptions import CORRUPTIONS
from evalsuite.prompt import Prompt
from evalsuite.types import Item, Request

_ContextAndTarget = tuple[str, str]

_MARK = re.compile(r"[A-Za-z]\s*[:：]")


def pairs(prompt: Prompt, item: Item) -> tuple[_ContextAndTarget, _ContextAndTarget]:
    """(context, target) with the valid explanation and with the corrupted one."""
    valid, corrupted = (_pair(prompt, item, explanation) for explanation in item.options)
    return valid, corrupted


def _pair(prompt: Prompt, item: Item, explanation: str) -> _ContextAndTarget:
    if item.task == "cedar_attribution_probing":
        return prompt.render(item), explanation
    *history, response = item.dialogue
    context = prompt.render(replace(item, dialogue=tuple(history), question=explanation))
    # The speaker mark goes to the context: in the target its tokens would dilute the loss of the utterance.
    mark = _MARK.match(response)
    return (context + mark.group(), response[mark.end() :]) if mark else (context, response)


def request_of(prompt: Prompt, item: Item, shots: Sequence[Item] = (), limit: int | None = None) -> Request:
    """The request for an item. A probe's has no shots, scoring nll, and the first pair as its prompt."""
    if prompt.task.kind.written:
        return prompt.request(item, shots, limit)
    probe_pairs = pairs(prompt, item)
    return replace(prompt.request(item), prompt="".join(probe_pairs[0]), messages=(), scoring="nll", pairs=probe_pairs)


# The page takes CORRUPTIONS from here, since no module outside benchmarks/ imports a single benchmark.
__all__ = ["CORRUPTIONS", "pairs", "request_of"]
