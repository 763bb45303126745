"""The embedded model, trained on a test file of the sample on purpose, is caught; the same model untrained is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import evalsuite
from evalsuite.backends.hf.backend import HuggingFace
from evalsuite.backends.model import Model
from evalsuite.benchmarks.registry import TASKS, Corpora
from evalsuite.common.resources import bundled
from evalsuite.exposure.arrangements import exact_test, order_of_items
from evalsuite.exposure.likelihoods import measure
from evalsuite.exposure.planting import Planting, chunks, plant
from evalsuite.exposure.texts import Entries, FileEntry, read_entries

TASK, SET = "xcopa_cause_effect", "zh"
MODELS = """models:
  - {{name: untrained, backend: hf, path: bundled:models/tiny-zh, dtype: float32, device: cpu}}
  - {{name: all-weights, backend: hf, path: {0}/all-weights, dtype: float32, device: cpu}}
  - {{name: lora, backend: hf, path: bundled:models/tiny-zh, adapter: {0}/lora, dtype: float32, device: cpu}}
"""
WAYS = {
    "all-weights": Planting((10,), tokens=256, rank=0, learning_rate=2e-3),
    "lora": Planting((10,), tokens=256, rank=16, learning_rate=4e-3),
}


def planted(tiny: Path, text: str, how: Planting) -> Any:
    """The embedded model after seven or ten epochs on a text."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny)
    net = transformers.AutoModelForCausalLM.from_pretrained(tiny, dtype=torch.float32)
    ids = tokenizer(text, verbose=False)["input_ids"]
    return plant(net, chunks(ids, how.tokens), how, lambda epoch, net, loss: None)


@pytest.mark.thorough
def test_items_of_a_file(tiny: Path, tmp_path: Path) -> None:
    """The command itself, on the untrained model and after training with all weights or adapters."""
    import transformers

    file = Corpora(bundled("sample")).file(TASKS[TASK], SET, "test")
    entries = read_entries(file)
    for name, how in WAYS.items():
        planted(tiny, entries.join(entries.entries), how).save_pretrained(tmp_path / name)
        transformers.AutoTokenizer.from_pretrained(tiny).save_pretrained(tmp_path / name)
    (tmp_path / "models.yaml").write_text(MODELS.format(tmp_path))
    settings: dict[str, Any] = {"tasks": [TASK], "tests": ["mink"], "out": tmp_path / "run", "data": "bundled:sample"}
    found = evalsuite.contamination(["untrained", *WAYS], tmp_path / "models.yaml", **settings)
    assert not found.problems
    rows = {row.model: row for row in found.rows}
    assert all(rows[name].p <= 0.01 and rows[name].p_holm <= 0.05 for name in WAYS), rows
    assert rows["untrained"].p > 0.05 and not rows["untrained"].why


@pytest.fixture(scope="module")
def lines() -> Entries:
    """Turns of the sample's dialogues as a file of short entries, in an order left to chance."""
    items = Corpora(bundled("sample")).file(TASKS["event_cause"], "easy", "test").items
    turns = sorted({turn[3:] for item in items for turn in item.context if 15 <= len(turn) <= 35})
    some = Random(1).sample(turns, 28)
    return Entries(tuple(FileEntry(turn, "", "", turn) for turn in some), "\n", False)


def order_p(tiny: Path, lines: Entries, net: Any) -> float:
    """The p-value of the order of the lines; `net`: instead of the embedded model."""
    backend = HuggingFace(Model(name="m", backend="hf", path=str(tiny), dtype="float32", device="cpu"))
    made = order_of_items(
        lines, lambda text: len(backend.checkpoint.tokenizer(text, verbose=False)["input_ids"]), 128, 5, 0
    )
    backend.net = net or backend.net
    return exact_test(made, [scores.logprob for scores in measure(backend, made.pairs)], Random(0)).p


@pytest.mark.thorough
def test_order_of_a_file(tiny: Path, lines: Entries) -> None:
    """A model that learnt the lines in another order has seen them, too, but not their order: the test finds only the order."""
    shuffled: Sequence[FileEntry] = Random(2).sample(lines.entries, len(lines.entries))
    how = replace(WAYS["all-weights"], after=(7,))
    assert order_p(tiny, lines, None) > 0.05
    assert order_p(tiny, lines, planted(tiny, lines.join(lines.entries), how)) <= 0.01
    assert order_p(tiny, lines, planted(tiny, lines.between.join(e.text for e in shuffled), how)) > 0.05
