"""Tokens of a cell's replies: how many were generated, how many of them are thinking, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evalsuite.parse.strip import thinking_share
from evalsuite.results.schema.cell import TokenCounts, TokenPrice
from evalsuite.results.schema.record import RecordFields
from evalsuite.types import WRITTEN, Response


def tokens_of(scoring: str, responses: Sequence[Response], price: TokenPrice | None = None) -> TokenCounts | None:
    """The tokens of a cell's replies, and their cost; None where nothing was written, or no tokens were counted.

    responses: the replies to the answered requests, one for each sample and rotation. Replies without a count of tokens are left
    out: a content filter withheld them, or the endpoint sent no usage. An empty reply has no token, but its prompt costs.
    """
    import numpy as np

    counted = [response for response in responses if response.prompt_tokens or response.new_tokens]
    if scoring not in WRITTEN or not any(response.new_tokens for response in counted):
        return None
    new = [response.new_tokens for response in counted]
    total = sum(new)
    prompts = sum(response.prompt_tokens for response in counted)
    thinking = [thinking_tokens(response) for response in counted]
    median, p90 = np.percentile(new, [50, 90])
    return TokenCounts(
        replies=len(counted),
        mean=total / len(new),
        median=float(median),
        p90=float(p90),
        total=total,
        thinking=sum(thinking) / total,
        by_characters=sum(1 for n, r in zip(thinking, counted, strict=True) if n and not r.thinking_tokens),
        prompt=prompts / len(new),
        cost=(prompts * price.input + total * price.output) / 1e6 if price else None,
        uncounted=sum(not (r.prompt_tokens or r.new_tokens or r.finish == "content_filter") for r in responses),
    )


def thinking_tokens(response: Response) -> float:
    """The tokens of a reply that are a reasoning model's own thinking.

    They are as many as the endpoint counted. If it counted none, the reply's tokens are split by characters between the rest and
    the thinking: the reasoning that the engine returned, and the text between the tags of a thought.
    """
    if response.thinking_tokens:
        return min(response.thinking_tokens, response.new_tokens)
    return response.new_tokens * thinking_share(response.text, response.reasoning or "")


class ReplyTokens(NamedTuple):
    """Tokens of a prompt, of its reply and of the reply's thinking; `guessed`: the last is estimated from characters."""

    prompt: int
    new: int
    thinking: int
    guessed: bool


def reply_tokens(record: RecordFields) -> ReplyTokens:
    """The tokens of one record; older ones may lack reasoning."""
    prompt, new, counted = record["prompt_tokens"], record["new_tokens"], record.get("thinking_tokens")
    reply = Response(record["reply"] or "", "", prompt, new, None, record.get("reasoning"), thinking_tokens=counted)
    thinking = round(thinking_tokens(reply))
    return ReplyTokens(prompt, new, thinking, bool(thinking and not counted))
