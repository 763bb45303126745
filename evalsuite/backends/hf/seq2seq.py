"""Encoder-decoder networks (T5, BART, BlenderBot) on transformers, where they differ from causal ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Ids = Sequence[int]


def decoder_start(net: Any) -> dict[str, int | None]:
    """The checkpoint's settings for how a decoder's text begins, which greedy decoding must keep."""
    found: dict[str, int | None] = {}
    for name in ("decoder_start_token_id", "forced_bos_token_id"):  # older checkpoints have them only in config.json
        own = getattr(net.generation_config, name, None)
        found[name] = getattr(net.config, name, None) if own is None else own
    return found


def targets(net: Any, pairs: Sequence[tuple[Ids, Ids]], opening: Ids = ()) -> list[list[float]]:
    """Log-probability of every token of each target given its context, in one forward pass: pair -> token.

    Natural logarithms, computed in float32. Targets have at least one token. `opening`: token ids at the start of every
    decoder text, after the start token; given to the network, not scored. The network shifts the labels itself.
    """
    import torch

    wide, long = max(len(c) for c, _ in pairs), max(len(opening) + len(t) for _, t in pairs)

    def rows(values: Sequence[Ids], width: int, pad: int) -> Any:
        return torch.tensor([[*v, *[pad] * (width - len(v))] for v in values], device=net.device)

    labels = rows([[*opening, *target] for _, target in pairs], long, -100)
    with torch.inference_mode():
        logits = net(
            input_ids=rows([context for context, _ in pairs], wide, 0),
            attention_mask=rows([[1] * len(context) for context, _ in pairs], wide, 0),
            labels=labels,
        ).logits
        scores = logits.float().log_softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0].tolist()
    return [row[len(opening) : len(opening) + len(target)] for row, (_, target) in zip(scores, pairs, strict=True)]
