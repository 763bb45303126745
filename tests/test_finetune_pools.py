"""Training items of adapters: pooled tasks, groups of items, valid explanations; and encoder-decoders."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of, content_of
from coders import save_bart, save_t5
from needs import needs

import evalsuite
from evalsuite.backends.checkpoint import Checkpoint
from evalsuite.backends.hf.backend import HuggingFace
from evalsuite.backends.model import HF, Finetune, Model
from evalsuite.benchmarks.registry import TASKS, Corpora
from evalsuite.common.errors import BackendError, ConfigError
from evalsuite.common.resources import bundled
from evalsuite.finetuning import training
from evalsuite.finetuning.settings import Sweep
from evalsuite.finetuning.sweep import Pool, make_pools
from evalsuite.types import Request

needs("finetune", "peft", "accelerate")

ONCE = Finetune(rank=2, dropout=0, learning_rate=0.05, epochs=1, batch=1, gradient_accumulation=1)


def pools(**settings: Any) -> list[Pool]:
    return make_pools(Corpora(bundled("sample")), Sweep(model=["m"], sizes=[1], **settings))


def test_an_adapter_for_each_task_or_one_of_pooled_tasks() -> None:
    tasks = ["knowledge_filling", "event_cause"]
    one, _ = pools(tasks=tasks)
    (both,) = pools(tasks=["slot_identification"], train_tasks=tasks)
    assert (one.train, one.test, set(one.data)) == (("knowledge_filling",), ("knowledge_filling",), {"hard"})
    assert (both.name, both.test) == ("knowledge_filling+event_cause", ("slot_identification",))
    assert set(both.data) == {"knowledge_filling hard", "event_cause hard"}
    whole = pools(tasks=tasks, allow_leak=True)
    (leaky,) = pools(tasks=["slot_identification"], train_tasks=tasks, allow_leak=True)
    assert leaky.items == tuple(item for pool in whole for item in pool.items)
    # Dialogues of slot_identification's test items are left out.
    assert len(both.items) + both.left_out == len(leaky.items)
    assert {item.task for item in both.subset(20, 1)} == set(tasks)


def test_only_items_of_named_groups() -> None:
    """Table 15 of CICERO: trained on causes, prerequisites and reactions alone."""
    task = {"tasks": ["cicero_single_answer"], "set": "v1", "allow_leak": True}
    (every,), (some,) = pools(**task), pools(**task, train_groups=["cause", "reaction"])
    assert some.items == tuple(item for item in every.items if item.group in ("cause", "reaction")) != every.items
    with pytest.raises(ConfigError, match=r"--train-groups: unknown group 'cuase'\. Did you mean 'cause'"):
        pools(**task, train_groups=["cuase"])


def test_a_probe_is_trained_on_each_valid_explanation_once() -> None:
    (pool,) = pools(tasks=["cedar_attribution_probing"], set="corecode-hard", allow_leak=True)
    shown = [(item.dialogue, item.options[0]) for item in pool.items]
    assert shown and len(set(shown)) == len(shown)
    every = Corpora(bundled("sample")).file(TASKS["cedar_attribution_probing"], "corecode-hard", "train").items
    assert set(shown) == {(item.dialogue, item.options[0]) for item in every} and len(every) > 3 * len(shown)


def test_all_sets_are_those_that_the_data_have() -> None:
    (pool,) = pools(tasks=["cedar_inference_probing"], set="all", allow_leak=True)
    assert set(pool.data) == {"corecode-easy", "corecode-hard"}  # the sample has no train.jsonl


Save = Callable[[Path, Any], None]


@pytest.fixture(scope="module", params=[save_t5, save_bart])
def coder(request: pytest.FixtureRequest, tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    """A random encoder-decoder with tiny-zh's tokenizer."""
    import transformers

    folder = tmp_path_factory.mktemp("coder")
    request.param(folder, transformers.AutoTokenizer.from_pretrained(tiny))
    model = Model(
        name="m", backend="hf", path=str(folder), dtype="float32", device="cpu", hf=HF(threads=1), finetune=ONCE
    )
    return Checkpoint(model)


PAIR = ("A: 今天下雨了。\nB: 我要带伞。\n为什么？", "下雨导致B要带伞")


def row(checkpoint: Checkpoint) -> training.TrainingRow:
    return training.training_row(checkpoint, Request("p/0", "", (), 8, scoring="nll", pairs=(PAIR, PAIR)), "")


def test_an_encoder_reads_the_prompt_and_its_decoder_learns_the_answer(coder: Checkpoint) -> None:
    words = coder.tokenizer
    prompt, answer = row(coder).parts
    assert words.decode(prompt) == PAIR[0] and words.decode(answer[:-1]) == PAIR[1]
    assert answer[-1] == words.eos_token_id
    made = training.collate_encoded(
        [training.TrainingRow((5, 6, 7, 8, 2), 2), training.TrainingRow((5, 9, 3, 2), 3)], pad=0, start=1
    )
    assert made["input_ids"].tolist() == [[5, 6, 7], [5, 0, 0]]
    assert made["attention_mask"].tolist() == [[1, 1, 1], [1, 0, 0]]
    assert made["labels"].tolist() == [[8, 2, -100], [9, 3, 2]]
    assert made["decoder_input_ids"].tolist() == [[1, 8, 0], [1, 9, 3]]


def test_a_single_step_changes_the_weights_of_encoder_and_decoder(coder: Checkpoint, tmp_path: Path) -> None:
    """A single step: one row, one epoch."""
    from safetensors.torch import load_file

    made_by = {"base": "m", "task": "none", "size": 1, "seed": 1}
    card = training.train(coder.model, coder, [row(coder)], 1, tmp_path, made_by)
    assert card["steps"] == 1
    assert json.loads((tmp_path / "adapter_config.json").read_text())["task_type"] == "SEQ_2_SEQ_LM"
    weights = load_file(tmp_path / "adapter_model.safetensors")
    for part in ("encoder", "decoder"):
        changed = [w for name, w in weights.items() if "lora_B" in name and f".{part}." in name]
        assert changed and all(w.abs().max() > 0 for w in changed)


@pytest.mark.slow
def test_an_adapter_of_an_encoder_decoder_is_evaluated(coder: Checkpoint, tmp_path: Path) -> None:
    settings = ONCE.model_copy(update={"epochs": 12})
    model = coder.model.model_copy(update={"finetune": settings})
    made_by = {"base": "m", "task": "none", "size": 1, "seed": 1}
    card = training.train(model, coder, [row(coder)], 1, tmp_path, made_by)
    losses = list(card["loss"].values())
    assert losses[-1] < losses[0]
    base, tuned = HuggingFace(model), HuggingFace(model.model_copy(update={"adapter": str(tmp_path)}))
    (before,), (after,) = base.nll([PAIR]), tuned.nll([PAIR])
    assert sum(after) < sum(before)
    assert tuned.net.get_base_model().generation_config.num_beams != 4  # as BART's own settings have it
    # An adapter of the decoder alone, as a causal network's would be, is refused.
    from safetensors.torch import load_file, save_file

    weights = load_file(tmp_path / "adapter_model.safetensors")
    save_file({n: w for n, w in weights.items() if ".decoder." in n}, tmp_path / "adapter_model.safetensors")
    with pytest.raises(BackendError, match="missing in it"):
        HuggingFace(model.model_copy(update={"adapter": str(tmp_path)}))


def test_a_single_step_changes_a_causal_networks_weights(tiny: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file

    model = Model(name="m", backend="hf", path=str(tiny), device="cpu", hf=HF(threads=1), finetune=ONCE)
    checkpoint = Checkpoint(model)
    made_by = {"base": "m", "task": "none", "size": 1, "seed": 1}
    assert training.train(model, checkpoint, [row(checkpoint)], 1, tmp_path, made_by)["steps"] == 1
    weights = load_file(tmp_path / "adapter_model.safetensors")
    changed = [w.abs().max() > 0 for name, w in weights.items() if "lora_B" in name]
    assert changed and all(changed)


def test_vllm_runs_no_encoder_decoders(coder: Checkpoint, tmp_path: Path) -> None:
    (tmp_path / "models.yaml").write_text(f"models: [{{name: m, backend: vllm, path: {coder.model.path}}}]\n")
    with pytest.raises(ConfigError, match="backend vllm runs no encoder-decoders; hf does"):
        evalsuite.finetune(
            tmp_path / "models.yaml", model=["m"], tasks=["event_cause"], sizes=[1], out=tmp_path / "out"
        )


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("coder", "what"),
    [
        (save_t5, {"tasks": ["cedar_attribution_probing"], "train_tasks": ["cedar_attribution_probing", "cedar_inference_probing"], "set": "corecode-hard"}),
        (save_bart, {"tasks": ["cicero_single_answer"], "set": "v1", "train_groups": ["cause", "reaction"], "allow_leak": True, "perturb": ["none", "derange"]}),
    ],
    indirect=["coder"], ids=["t5", "bart"],
)  # fmt: skip
def test_sweeps(coder: Checkpoint, tmp_path: Path, what: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """A sweep of encoder-decoders goes from training items to learning curves."""
    settings = "{rank: 2, epochs: 1, batch: 1, gradient_accumulation: 1, learning_rate: 0.05}"
    entry = f"{{name: m, backend: hf, path: {coder.model.path}, dtype: float32, device: cpu, finetune: {settings}}}"
    (tmp_path / "models.yaml").write_text(f"models: [{entry}]\n", encoding="utf-8")
    done = evalsuite.finetune(
        tmp_path / "models.yaml", model=["m"], sizes=[2], test_size=13, out=tmp_path / "out", **what
    )
    fewer = "fewer test items than --test-size 13, so all are used: cicero_single_answer v1 12"
    assert (fewer in capsys.readouterr().err) == ("train_groups" in what)
    assert done.exit_code == 0 and not done.problems
    (curve, *_) = content_of(done, "learning")
    groups = f" only {','.join(what['train_groups'])}" if "train_groups" in what else ""
    pooled = f" {'+'.join(what['train_tasks'])}" if "train_tasks" in what else ""
    assert curve["trained_on"] == what.get("set", "hard") + pooled + groups
    assert curve["before"] and [p["size"] for p in curve["points"]] == [2]
    trained = [c["facts"]["trained"] for c in cells_of(done) if "trained" in c["facts"]]
    assert all(t["task"] == "+".join(what.get("train_tasks", what["tasks"])) for t in trained)
    assert all(t.get("groups", []) == what.get("train_groups", []) for t in trained)
    again = evalsuite.score(tmp_path / "out")
    assert content_of(again, "learning") == content_of(done, "learning")
