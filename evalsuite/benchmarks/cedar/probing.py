"""Probing a model with CEDAR's items: of which target it is asked the likelihood, after which context.

Inference probing: the response after the history and an explanation, P(R | H, E). Attribution probing: an explanation
after history, response and "why", P(E | H, R). What stands between is the template's: prompts/cedar/<task>/<name>.j2
sees `dialogue` (for inference without the response) and `question` (the explanation; for attribution "Why?").
An encoder-decoder model encodes the context and decodes the target: the pairs are the same.
"""

from __future__ import annotations

import re
from dataclasses import replace

from evalsuite.prompt import Prompt
from evalsuite.types import Item, Request

Pair = tuple[str, str]

_MARK = re.compile(r"[A-Za-z]\s*[:：]")


def pairs(prompt: Prompt, item: Item) -> tuple[Pair, Pair]:
    """(context, target) with the valid explanation, and with the corrupted one."""
    valid, corrupted = (_pair(prompt, item, explanation) for explanation in item.options)
    return valid, corrupted


def _pair(prompt: Prompt, item: Item, explanation: str) -> Pair:
    if item.task == "cedar_attribution_probing":
        return prompt.render(item), explanation
    *history, response = item.dialogue
    context = prompt.render(replace(item, dialogue=tuple(history), question=explanation))
    # Who speaks is given, not predicted: the mark's tokens would dilute the loss of what is said.
    mark = _MARK.match(response)
    return (context + mark.group(), response[mark.end() :]) if mark else (context, response)


def probe(prompt: Prompt, item: Item) -> Request:
    """The request about an item; its prompt shows the first pair."""
    asked = pairs(prompt, item)
    return replace(prompt.request(item), prompt="".join(asked[0]), messages=(), scoring="nll", pairs=asked)
