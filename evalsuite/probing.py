"""Probing a model with CEDAR's items: what it is asked about each (context, target), and what its answers are worth.

Inference probing: the response after the history and an explanation, P(R | H, E). Attribution probing: an explanation
after history, response and "why", P(E | H, R). What stands between is the template's: prompts/cedar/<task>/<name>.j2
sees `dialogue` (for inference without the response) and `question` (the explanation; for attribution "Why?").
An encoder-decoder model encodes the context and decodes the target: the pairs are the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from evalsuite.data.cedar import corruption_of
from evalsuite.metrics.probing import Probed, per_token
from evalsuite.perturb.explanation import CORRUPTIONS
from evalsuite.prompt import Prompt
from evalsuite.types import Item

Pair = tuple[str, str]

_MARK = re.compile(r"[A-Za-z]\s*[:：]")


def pairs(prompt: Prompt, item: Item) -> tuple[Pair, Pair]:
    """(context, target) with the valid explanation, and with the corrupted one."""
    valid, corrupted = (_pair(prompt, item, explanation) for explanation in item.options)
    return valid, corrupted


def _pair(prompt: Prompt, item: Item, explanation: str) -> Pair:
    if item.task == "attribution_probing":
        return prompt.render(item), explanation
    *history, response = item.dialogue
    context = prompt.render(replace(item, dialogue=tuple(history), question=explanation))
    # Who speaks is given, not predicted: the mark's tokens would dilute the loss of what is said.
    mark = _MARK.match(response)
    return (context + mark.group(), response[mark.end() :]) if mark else (context, response)


def probed(items: Sequence[Item], nll: Sequence[Sequence[float]]) -> list[Probed]:
    """The probes' losses from `backend.nll` of all their `pairs`, flat and in order: two targets an item."""
    if len(nll) != 2 * len(items):
        raise ValueError(f"{len(nll)} targets for {len(items)} items: expected two each")
    found = []
    for n, item in enumerate(items):
        name = corruption_of(item)
        losses = (per_token(nll[2 * n]), per_token(nll[2 * n + 1]))
        found.append(Probed(item.set, CORRUPTIONS[name].group, name, *losses))
    return found
