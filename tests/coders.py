"""Tiny encoder-decoders with random weights, saved with any tokenizer."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def save_t5(folder: Path, words: Any) -> None:
    import torch
    import transformers

    torch.manual_seed(0)
    config = transformers.T5Config(
        vocab_size=len(words) + 5, d_model=16, d_kv=4, d_ff=32, num_layers=2, num_heads=4, decoder_start_token_id=0,
        initializer_factor=3.0, pad_token_id=words.pad_token_id, eos_token_id=words.eos_token_id,
    )  # fmt: skip
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)
    words.save_pretrained(folder)


def save_bart(folder: Path, words: Any) -> None:
    """Save a tiny BART, whose decoder begins with the end-of-text token, and, if the tokenizer puts it there, <s>."""
    import torch
    import transformers

    torch.manual_seed(0)
    config = transformers.BartConfig(
        vocab_size=len(words), d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=1024,
        pad_token_id=words.pad_token_id, bos_token_id=words.bos_token_id, eos_token_id=words.eos_token_id,
        decoder_start_token_id=words.eos_token_id, init_std=0.5,
    )  # fmt: skip
    net = transformers.BartForConditionalGeneration(config)
    net.generation_config.forced_bos_token_id = (
        words.bos_token_id if words("")["input_ids"][:1] == [words.bos_token_id] else None
    )
    net.generation_config.num_beams = 4  # as real ones have it: decoding is greedy all the same
    net.save_pretrained(folder)
    words.save_pretrained(folder)
