"""Encoder-decoder networks (T5, BART, BlenderBot) on transformers, where they differ from causal ones.

The encoder reads a prompt. The decoder is given its start token, the special tokens that open each of its texts (`opening`:
BART's <s>, a language; T5 has none), and then the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalsuite.backends.hf.prefill import Ids, OptionIds, padded_row
from evalsuite.common.errors import BackendError


def decoder_start(net: Any) -> dict[str, int | None]:
    """The checkpoint's settings for the beginning of a decoder's text, which decoding must keep."""
    settings: dict[str, int | None] = {}
    for name in ("decoder_start_token_id", "forced_bos_token_id"):  # older checkpoints have them only in config.json
        value = getattr(net.generation_config, name, None)
        settings[name] = getattr(net.config, name, None) if value is None else value
    return settings


def start_id(net: Any) -> int:
    """The decoder's start token. Raises BackendError if the checkpoint names none."""
    start = decoder_start(net)["decoder_start_token_id"]
    if start is None:
        raise BackendError(
            f"{net.config.name_or_path}: an encoder-decoder without decoder_start_token_id in config.json"
        )
    return start


def continuations(
    net: Any, contexts: Sequence[Ids], options: Sequence[OptionIds], opening: Ids = ()
) -> list[list[list[float]]]:
    """Log-probability of every token of every option, decoded from its row's encoded context: row -> option -> token.

    Natural logarithms, computed in float32. Each context, of at least one token, is encoded once; all options are decoded in one
    pass. The `opening` is not scored.
    """
    import torch
    from transformers.modeling_outputs import BaseModelOutput

    def rows(values: Sequence[Ids]) -> Any:
        width = max(map(len, values))
        return torch.tensor([padded_row(row, width) for row in values], device=net.device)

    flat = [option for row in options for option in row]
    row_of = torch.tensor([n for n, row in enumerate(options) for _ in row], device=net.device)
    before = [start_id(net), *opening]
    mask = rows([[1] * len(context) for context in contexts])
    with torch.inference_mode():
        encoded = net.get_encoder()(input_ids=rows(contexts), attention_mask=mask)[0]
        logits = net(
            encoder_outputs=BaseModelOutput(last_hidden_state=encoded[row_of]),
            attention_mask=mask[row_of],
            decoder_input_ids=rows([[*before, *option[:-1]] for option in flat]),
        ).logits
        after = logits[:, len(before) - 1 :].float().log_softmax(-1)
        wanted = rows([[*option, 0] for option in flat])[:, : after.shape[1]]  # an empty text has no tokens
        logprobs = iter(after.gather(-1, wanted[..., None])[..., 0].tolist())
    return [[next(logprobs)[: len(option)] for option in row] for row in options]


def targets(net: Any, pairs: Sequence[tuple[Ids, Ids]], opening: Ids = ()) -> list[list[float]]:
    """Log-probability of every token of each target given its context: pair -> token. See `continuations`."""
    rows = continuations(net, [context for context, _ in pairs], [[target] for _, target in pairs], opening)
    return [row[0] for row in rows]
