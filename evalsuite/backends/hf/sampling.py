"""Sampling on transformers: each row of a batch draws from a random generator of its own.

`generate(do_sample=True)` draws all rows from one generator, so that a reply would depend on its batch. Here `generate`
decodes greedily, and a logits processor adds the noise that makes the likeliest token a random draw.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from evalsuite.backends.base import sample_seed
from evalsuite.backends.model import Generation
from evalsuite.types import Request

Processor = Callable[[Any, Any], Any]  # as in transformers: (ids (rows, tokens), logits (rows, vocabulary)) -> logits


def processors(generation: Generation, requests: Sequence[Request], padding: Any) -> list[Processor]:
    """The logits processors of a model's settings, in transformers' and vLLM's order; none for greedy decoding.

    padding: (rows, width) booleans, true where prompts are padded; None if the network is an encoder-decoder.
    """
    from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

    chain: list[Processor] = []
    if generation.repetition_penalty != 1:
        chain.append(_penalty(generation.repetition_penalty, padding))
    if generation.temperature:
        chain.append(TemperatureLogitsWarper(generation.temperature))
        if generation.top_k:
            chain.append(TopKLogitsWarper(generation.top_k))
        if generation.top_p < 1:
            chain.append(TopPLogitsWarper(generation.top_p))
        chain.append(_draw([sample_seed(generation.seed or 0, request) for request in requests]))
    return chain


def _penalty(penalty: float, padding: Any) -> Processor:
    """transformers' repetition penalty without padding, on which it would depend on the batch."""

    def penalised(ids: Any, scores: Any) -> Any:
        import torch

        if padding is not None:  # in beam search a request has several rows
            blank = padding.repeat_interleave(len(ids) // len(padding), dim=0)
            prompts = torch.where(blank, ids[:, -1:], ids[:, : blank.shape[1]])
            ids = torch.cat([prompts, ids[:, blank.shape[1] :]], dim=1)
        seen = scores.gather(1, ids)
        return scores.scatter(1, ids, torch.where(seen < 0, seen * penalty, seen / penalty))

    return penalised


def _draw(seeds: Sequence[int]) -> Processor:
    """Add Gumbel noise to the logits: the likeliest token is then a draw from their softmax (Gumbel 1954).

    Rounding errors, which differ between batches, change a draw only where two tokens all but tie. The inverse of the
    cumulative distribution would add up the errors of the whole vocabulary.
    """
    generators: list[Any] = []

    def drawn(ids: Any, scores: Any) -> Any:
        import torch

        if not generators:
            generators.extend(torch.Generator(scores.device).manual_seed(seed) for seed in seeds)
        noise = torch.empty_like(scores, dtype=torch.float32)
        for row, generator in zip(noise, generators, strict=True):
            row.exponential_(generator=generator)
        return scores.float() - noise.clamp(min=1e-30).log()

    return drawn
