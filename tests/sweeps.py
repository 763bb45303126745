"""The LoRA sweep that the tests of sweeps share: its settings and its files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shared_fixtures import shared_folder

import evalsuite

ENTRY = """\
models:
  - name: tiny
    backend: hf
    path: {path}
    chat: true
    dtype: float32
    device: cpu
    hf: {{threads: 1}}  # sums of floats hang on their order
    finetune: {{rank: 8, learning_rate: 2e-2, warmup: 0, epochs: 1, batch: 1, gradient_accumulation: 2, checkpoint_steps: 1{more}}}
"""
WHAT: dict[str, Any] = {
    "model": ["tiny"], "tasks": ["knowledge_filling"], "set": "both", "sizes": [2, 6], "test_size": 2, "perturb": ["none", "shuffle"],
}  # fmt: skip
SMALL, LARGE = "tiny+knowledge_filling-2-s1", "tiny+knowledge_filling-6-s1"  # adapters after one step and after three


def models_file(folder: Path, path: Path, more: str = "") -> Path:
    file = folder / "given.yaml"
    file.write_text(ENTRY.format(path=path, more=more), encoding="utf-8")
    return file


def weights(run: Path) -> dict[str, bytes]:
    return {str(p.relative_to(run)): p.read_bytes() for p in sorted(run.glob("adapters/*/adapter_*"))}


def produce(run: Path) -> dict[str, bytes]:
    """The files of a sweep that are the same whether or not it was killed. A card is not: it states how long the training
    took."""
    files = [run / "results.json", run / "models.yaml", *sorted(run.glob("records/*"))]
    return {**{str(p.relative_to(run)): p.read_bytes() for p in files}, **weights(run)}


@shared_folder
def sweep(tiny: Path, folder: Path) -> Path:
    """A whole sweep in one process, which all others must equal."""
    assert evalsuite.finetune(models_file(folder, tiny), **WHAT, out=folder).exit_code == 0
    return folder
