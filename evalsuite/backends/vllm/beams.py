"""Beam search over an engine that only gives the likeliest next tokens.

The search is that of transformers with its default settings (length_penalty 1, early_stopping False), for one request, so that
hf and vllm give the same replies. vLLM's own search divides by the length of prompt and reply together, ends by another rule,
and cannot run beside other requests.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence

_Tokens = tuple[int, ...]
# Yields the running beams, receives for each the log-probabilities of its `candidates` likeliest next tokens.
Search = Generator[list[_Tokens], Sequence[Mapping[int, float]], list[int]]


def candidates(beams: int, stop: Collection[int]) -> int:
    """The number of next tokens that a step considers: enough to continue `beams` beams beside all end-of-text tokens."""
    return beams * max(2, 1 + len(stop))


def beam_search(beams: int, limit: int, stop: Collection[int]) -> Search:
    """Search for a reply: returns the token ids of the finished beam with the highest mean log-probability.

    limit: the most tokens of a reply; stop: ids of the end-of-text tokens.
    """
    keep = candidates(beams, stop)
    running: list[tuple[float, _Tokens]] = [(0.0, ())]  # (sum of log-probabilities, tokens), best first
    finished: list[tuple[float, _Tokens]] = []  # (mean log-probability, tokens), best first
    for length in range(1, limit + 1):
        rows = yield [tokens for _, tokens in running]
        grown = [
            (total + logprob, (*tokens, token))
            for (total, tokens), row in zip(running, rows, strict=True)
            for token, logprob in row.items()
        ]
        best = sorted(grown, key=_score, reverse=True)[:keep]
        ended = [length == limit or tokens[-1] in stop for _, tokens in best]
        running = [beam for beam, end in zip(best, ended, strict=True) if not end][:beams]
        # Only the `beams` best candidates may finish a beam; the further ones can be continued only.
        done = [(total / length, tokens) for (total, tokens), end in zip(best[:beams], ended, strict=False) if end]
        finished = sorted([*finished, *done], key=_score, reverse=True)[:beams]
        if len(finished) == beams and running and running[0][0] / length <= finished[-1][0]:
            break
    return list(finished[0][1])


def _score(beam: tuple[float, _Tokens]) -> float:
    return beam[0]
