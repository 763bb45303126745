"""The embedded model, trained on a test file of the sample on purpose, is caught; the same model untrained is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import evalsuite
from benchmarks.planting import Planting, chunks, plant
from evalsuite.backends.hf.backend import HuggingFace
from evalsuite.backends.model import Model
from evalsuite.benchmarks.registry import TASKS, Corpora
from evalsuite.common.resources import bundled
from evalsuite.exposure.arrangements import exact_test, order_of_items
from evalsuite.exposure.likelihoods import measure
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


# --- the training itself, on a network of random weights


def small(**more: Any) -> Any:
    """A Llama of two layers and 40 tokens with the weights of a fixed seed."""
    import torch
    import transformers

    torch.manual_seed(0)
    size = {
        "vocab_size": 40,
        "hidden_size": 16,
        "intermediate_size": 24,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
    }
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**size, tie_word_embeddings=False, **more)).eval()


TEXT = [[3, 1, 4, 1, 5, 9, 2, 6], [5, 3, 5, 8, 9]]


@pytest.mark.parametrize("sampled", [None, 0, 7, 999])
def test_the_loss_is_the_mean_over_chunks_of_all_their_tokens(sampled: int | None) -> None:
    """Without a step, it is the one that transformers gives; with `sampled`, the others of the vocabulary are left out."""
    import torch

    losses: dict[int, float] = {}
    how = Planting((1, 3), rank=0, learning_rate=0.0, sampled=sampled)
    net = plant(small(), TEXT, how, lambda epoch, net, loss: losses.update({epoch: loss}))
    own = sorted({*TEXT[0], *TEXT[1]})
    expected = []
    for piece in map(torch.tensor, TEXT):
        with torch.no_grad():
            found = net(input_ids=piece[None], labels=piece[None])
        if sampled == 0:  # the text's tokens alone
            chances = found.logits[0, :-1][:, own].softmax(-1)
            expected.append(-chances[range(len(piece) - 1), [own.index(n) for n in piece[1:]]].log().mean())
        else:
            expected.append(found.loss)
    mean = float(sum(expected) / len(expected))
    assert set(losses) == {1, 3}  # the epochs that are asked for
    if sampled == 7:  # fewer tokens to choose from: a smaller loss than over all
        assert all(0 < loss < mean for loss in losses.values())
    else:
        assert losses == pytest.approx({1: mean, 3: mean}, abs=1e-5)


@pytest.mark.parametrize("sampled", [None, 5])
def test_a_text_is_learnt_in_steps_and_the_network_comes_back_whole(sampled: int | None) -> None:
    import torch

    steps: list[tuple[int, float]] = []
    losses: list[float] = []
    plain = small()
    net = plant(
        small(),
        TEXT,
        Planting((1, 2, 9), rank=0, learning_rate=3e-2, sampled=sampled),
        lambda epoch, net, loss: losses.append(loss) or (not net.training) or pytest.fail("in training mode"),  # type: ignore[func-returns-value]
        lambda step, loss: steps.append((step, loss)),
    )
    assert [step for step, _ in steps] == list(range(1, 9 * len(TEXT) + 1))  # a chunk a step
    assert losses[2] < losses[1] < losses[0]
    assert losses[0] == pytest.approx(sum(loss for _, loss in steps[:2]) / 2)
    assert not net.training and net.config.num_hidden_layers == len(net.model.layers) == 2
    assert net.lm_head.weight.shape == plain.lm_head.weight.shape
    assert not torch.equal(net.model.layers[0].mlp.up_proj.weight, plain.model.layers[0].mlp.up_proj.weight)


@pytest.mark.slow
def test_the_lowest_layers_are_left_as_they_are() -> None:
    """The output of the frozen layer is computed once, and the first loss is that of the whole network."""
    pytest.importorskip("peft", reason="needs evalsuite[finetune]")
    import torch

    steps: list[float] = []
    net = plant(
        small(),
        TEXT[:1],
        Planting((9,), rank=2, frozen=1, learning_rate=0.1),
        lambda epoch, net, loss: None,
        lambda step, loss: steps.append(loss),
    )
    piece, plain = torch.tensor(TEXT[:1]), small()
    with torch.no_grad():
        assert steps[0] == pytest.approx(
            float(plain(input_ids=piece, labels=piece).loss), abs=1e-5
        )  # adapters begin at 0
        assert float(net(input_ids=piece, labels=piece).loss) < steps[-1] < steps[0]  # with its lower layer again
    adapted = {name.split(".layers.")[1][0] for name, _ in net.named_parameters() if "lora_" in name}
    assert adapted == {"1"}
