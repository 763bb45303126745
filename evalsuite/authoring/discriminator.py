"""Discriminator features from a frozen network: mean last hidden states of any encoder or causal model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from evalsuite.backends.checkpoint import locate
from evalsuite.backends.hf.backend import plan_batches
from evalsuite.backends.hf.prefill import padded_row
from evalsuite.backends.model import Model
from evalsuite.common.errors import BackendError, ConfigError
from evalsuite.common.weights import load_network


class NetworkFeatures:
    """Maps N pairs (utterance with [MASK], option) to (N, hidden) float64: the utterance with the option filled in.

    Columns are standardized to mean 0, and scaled so that rows have length about 1. The network is loaded at the first
    call. Raises ConfigError for a model of another backend than hf, BackendError if it cannot be loaded.
    """

    def __init__(self, model: Model) -> None:
        if model.backend != "hf":
            raise ConfigError(
                f"discriminator {model.name}: backend {model.backend}; expected a model on the backend hf, or ngrams"
            )
        self.model = model

    def __call__(self, filled: Sequence[tuple[str, str]]) -> Any:
        pooled = self._pooled([text.replace("[MASK]", option) for text, option in filled])
        spread = pooled.std(axis=0)
        return (pooled - pooled.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0) / np.sqrt(pooled.shape[1])

    @cached_property
    def _loaded(self) -> tuple[Any, Any, str]:
        """Tokenizer, network, device."""
        model = self.model
        try:
            import torch
            import transformers
        except ImportError as error:
            raise BackendError(
                f"discriminator {model.name}: needs `pip install 'evalsuite[hf]'` ({error}), or take ngrams"
            ) from None
        source: dict[str, Any] = {"revision": model.revision, "trust_remote_code": model.trust_remote_code}
        path = locate(model)
        transformers.utils.logging.disable_progress_bar()
        try:
            tokenizer: Any = transformers.AutoTokenizer.from_pretrained(path, **source)
        except (OSError, ValueError, ImportError) as error:
            raise BackendError(f"discriminator {model.name}: cannot load {path}: {error}") from None
        owner = f"discriminator {model.name}"
        net = load_network(transformers.AutoModel, path, owner, encoder=True, dtype=torch.float32, **source)
        device = ("cuda" if torch.cuda.is_available() else "cpu") if model.device == "auto" else model.device
        if net.config.is_encoder_decoder:
            net = net.get_encoder()
        return tokenizer, net.to(device).eval(), device

    def _pooled(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        tokenizer, net, device = self._loaded
        import torch

        limit = getattr(net.config, "max_position_embeddings", None) or 512
        ids = [tokenizer(text)["input_ids"][:limit] or [0] for text in texts]
        rows: list[Any] = [None] * len(texts)
        with torch.inference_mode():
            for batch in plan_batches({n: len(i) for n, i in enumerate(ids)}, self.model.generation.batch_tokens):
                width = max(len(ids[n]) for n in batch)
                # Right padding is masked and does not shift positions.
                filled = torch.tensor([padded_row(ids[n], width) for n in batch], device=device)
                mask = torch.tensor([padded_row([1] * len(ids[n]), width) for n in batch], device=device)
                states = net(input_ids=filled, attention_mask=mask).last_hidden_state
                means = (states * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
                for n, row in zip(batch, means.double().cpu().numpy(), strict=True):
                    rows[n] = row
        return np.stack(rows)
