"""LoRA sweeps on the embedded model: what is trained on, what the loss sees, that nothing hangs on luck or on a kill."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import kill_points
import pytest
from as_json import content_of
from needs import needs
from run_files import read_jsonl, reply_counts, results_json
from sweeps import LARGE, SMALL, WHAT, models_file, produce

import evalsuite
from evalsuite.analyses import learning
from evalsuite.backends.checkpoint import Checkpoint
from evalsuite.backends.model import Finetune, Model
from evalsuite.backends.models import load_models
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus, path_of
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE as TASKS
from evalsuite.benchmarks.registry import Corpora
from evalsuite.cli.tables.export import heads, words
from evalsuite.common.dialogue import is_copy
from evalsuite.common.errors import BackendError, ConfigError
from evalsuite.common.resources import bundled
from evalsuite.finetuning import training
from evalsuite.finetuning.sweep import Pool, Sweep, make_pools
from evalsuite.prompt import Prompt

needs("finetune", "peft", "accelerate")


@pytest.fixture(scope="module")
def checkpoint(tiny: Path) -> Checkpoint:
    return Checkpoint(Model(name="tiny", backend="hf", path=str(tiny), chat=True))


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("task", TASKS)
def test_subsets_are_nested_and_seeded(sample: CorecodeCorpus, task: str, seed: int) -> None:
    items = tuple(item for s in ("easy", "hard") for item in sample.train(task, s))
    whole = Pool((task,), (task,), items, 0, {})
    sizes = [1, 5, 20, len(items)]
    subsets = [[item.id for item in whole.subset(size, seed)] for size in sizes]
    for size, smaller, larger in zip(sizes, subsets, subsets[1:], strict=False):
        assert len(smaller) == size and larger[:size] == smaller
    assert sorted(subsets[-1]) == sorted(item.id for item in items)
    assert [item.id for item in whole.subset(20, seed + 1)] != subsets[2]


def test_no_dialogue_of_a_test_item_is_trained_on(tmp_path: Path) -> None:
    task = TASKS["knowledge_filling"]
    shutil.copytree(bundled("sample") / "data", tmp_path / "data")
    # A test item of the easy set stands in the training file of the hard one, under another number.
    line = json.loads(path_of(tmp_path / "data", task, "easy", "test").read_text(encoding="utf-8").splitlines()[0])
    train = path_of(tmp_path / "data", task, "hard", "train")
    train.write_text(train.read_text(encoding="utf-8").rstrip("\n") + "\n" + json.dumps({**line, "id": 9999}) + "\n")
    corpus = Corpora(tmp_path / "data")
    asked = Sweep(model=["tiny"], tasks=[task.name], sizes=[4], set="both")
    (kept,), (all_of_them,) = make_pools(corpus, asked), make_pools(corpus, replace(asked, allow_leak=True))
    leaked = "corecode/hard/train/knowledge_filling/9999"
    assert kept.left_out >= 1 and leaked not in {item.id for item in kept.items}
    assert all_of_them.left_out == 0 and leaked in {item.id for item in all_of_them.items}
    assert len(all_of_them.items) == len(kept.items) + kept.left_out
    tests = [item for s in ("easy", "hard") for item in corpus.file(task, s, "test").items]
    assert not any(is_copy(item.dialogue, test.dialogue) for item in kept.items for test in tests[:10])
    with pytest.raises(ConfigError, match=rf"knowledge_filling \(both\) in .* has {len(kept.items)} .*--allow-leak"):
        make_pools(corpus, replace(asked, sizes=[100_000]))


@pytest.mark.parametrize("chat", [True, False])
@pytest.mark.parametrize("task", TASKS)
def test_the_loss_is_on_the_answer_and_its_end(sample: CorecodeCorpus, tiny: Path, task: str, chat: bool) -> None:
    checkpoint = Checkpoint(Model(name="tiny", backend="hf", path=str(tiny), chat=chat))
    item = (sample.train(task, "easy") or sample.labelled(task, "easy"))[0]
    request = Prompt(bundled("prompts"), TASKS[task], "paper").request(item)
    row = training.training_row(checkpoint, request, item.target)
    prompt = checkpoint.ids(request)
    assert list(row.ids[: len(prompt)]) == prompt and row.labels[: len(prompt)] == [-100] * len(prompt)
    *answer, end = row.labels[len(prompt) :]
    assert checkpoint.tokenizer.decode(answer).strip() == item.target
    assert end in checkpoint.stop_ids and end == checkpoint.tokenizer.eos_token_id
    if item.gold is not None:
        assert item.target in "abcdefghijklmno" and len(row.labels) == len(row.ids)


def test_a_batch_is_as_wide_as_its_longest_row() -> None:
    made = training.collate([training.TrainingRow((5, 6, 7, 8), 2), training.TrainingRow((5, 9), 1)], pad=0)
    assert made["input_ids"].tolist() == [[5, 6, 7, 8], [5, 9, 0, 0]]
    assert made["attention_mask"].tolist() == [[1, 1, 1, 1], [1, 1, 0, 0]]
    assert made["labels"].tolist() == [[-100, -100, 7, 8], [-100, 9, -100, -100]]


def test_an_epoch_has_every_row_once_and_rows_of_like_length_meet() -> None:
    lengths = [10 + (7 * n) % 100 for n in range(103)]
    settings = Finetune(batch=4, epochs=3)
    made = training.batches(lengths, settings, 1)
    each = len(made) // 3
    for epoch in range(3):
        assert sorted(n for batch in made[epoch * each : (epoch + 1) * each] for n in batch) == list(range(103))
    assert made[:each] != made[each : 2 * each]
    assert made == training.batches(lengths, settings, 1) != training.batches(lengths, settings, 2)
    padded = sum(len(batch) * max(lengths[n] for n in batch) for batch in made)
    assert padded < 1.1 * 3 * sum(lengths)


@pytest.mark.slow
def test_what_a_sweep_leaves(sweep: Path) -> None:
    names = [SMALL, LARGE]
    assert [m.name for m in load_models(sweep / "models.yaml")] == ["tiny", *names]
    for name, size in zip(names, (2, 6), strict=True):
        folder = sweep / "adapters" / name
        assert sorted(p.name for p in folder.iterdir()) == [
            "README.md",
            "adapter_config.json",
            "adapter_model.safetensors",
        ]
        card = training.read_card(folder)
        assert card is not None
        by = card["made_by"]
        assert (by["size"], by["seed"], by["task"], by["too_long"]) == (size, 1, "knowledge_filling", 0)
        assert (
            sum(by["labels"].values()) == size and by["settings"]["rank"] == 8 and set(by["data"]) == {"easy", "hard"}
        )
        assert card["steps"] == size // 2 and card["loss"] and card["versions"]["peft"]
    assert str(sweep) not in (folder / "adapter_config.json").read_text()
    cells = results_json(sweep)["cells"]
    assert len(cells) == 3 * 2 * 2  # models, sets, perturbations
    trained = {c["model"]: c["facts"].get("trained") for c in cells}
    assert trained["tiny"] is None and trained[LARGE]["size"] == 6 and trained[LARGE]["settings"]["rank"] == 8
    done = evalsuite.score(sweep)
    assert [(r["set"], r["perturb"], [p["size"] for p in r["points"]]) for r in content_of(done, "learning")] == [
        (item_set, kind, [2, 6]) for item_set in ("easy", "hard") for kind in ("none", "shuffle")
    ]
    assert all(r["before"] and p["labels"] for r in content_of(done, "learning") for p in r["points"])
    sheet = next(iter(learning.sheets(done)))
    assert [row[0] for row in words(sheet)] == ["0 (base)", "2", "6", "chance"]
    assert heads(sheet) == ["training items", "none", "shuffle"]


@pytest.mark.slow
def test_the_adapter_changes_what_the_model_says(sweep: Path) -> None:
    """Through the ordinary run: models.yaml, the hf backend, the store."""
    said: dict[str, list[str]] = {}
    for path in sorted((sweep / "records").iterdir()):
        for record in read_jsonl(path):
            said.setdefault(record["model"], []).append(record["reply"])
    assert len({len(replies) for replies in said.values()}) == 1
    assert said["tiny"] != said[LARGE]


@pytest.mark.thorough
def test_finished_adapters_are_skipped_and_changed_ones_trained_anew(
    sweep: Path, tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "again"
    shutil.copytree(sweep, out)
    what = {**WHAT, "sizes": [2]}
    evalsuite.finetune(models_file(tmp_path, tiny), **what, out=out)
    assert f"{SMALL}  trained already" in capsys.readouterr().err
    assert produce(out) == produce(sweep)  # the larger one stands in models.yaml still
    evalsuite.finetune(models_file(tmp_path, tiny, ", weight_decay: 0.1"), **what, out=out)
    assert "trained again, because its settings changed" in (out / "finetune.log").read_text()
    changed = f"adapters/{SMALL}/adapter_model.safetensors"
    assert produce(out)[changed] != produce(sweep)[changed]


@pytest.mark.thorough
def test_a_killed_sweep_ends_with_the_same_bytes(sweep: Path, tiny: Path, tmp_path: Path, cli: Any) -> None:
    """Killed in a training, and amid the replies of a real model. What was kept is of another process: strings hash otherwise
    there."""
    out = tmp_path / "out"
    words = ["finetune", "--models", models_file(tmp_path, tiny), "--model", "tiny", "--tasks", "knowledge_filling"]
    words += ["--set", "both", "--sizes", "2,6", "--test-size", "2", "--perturb", "none,shuffle", "--out", out]
    work, first = out / "adapters" / LARGE / "checkpoints", out / "adapters" / SMALL / "README.md"
    with kill_points.commands("peft", "accelerate") as kill:
        kill(2, words)  # the larger one's second step of three
        assert (work / "checkpoint-1" / "whole.json").exists() and not (work / "checkpoint-2").exists()
        card = first.read_bytes()
        # Half a checkpoint, as a kill within its writing leaves it, is not gone on from.
        (work / "checkpoint-99").mkdir()
        kill(2 + 20, words)  # the last two steps; of 24 replies, eight to each model
        assert not work.exists() and not (out / "results.json").exists()
    assert 16 <= reply_counts(out)[0] < 24
    done = cli(*words)
    assert first.read_bytes() == card and "trained already" in done.stderr
    assert produce(out) == produce(sweep)
    assert reply_counts(out) == reply_counts(sweep) == (24, 1)


@pytest.mark.slow
def test_seeds_decide_the_adapter(checkpoint: Checkpoint, tmp_path: Path) -> None:
    model = checkpoint.model.model_copy(
        update={"finetune": Finetune(rank=2, epochs=1, batch=2, gradient_accumulation=1), "device": "cpu"}
    )
    rows = [training.TrainingRow(tuple(range(10, 30 + n)), 3) for n in range(4)]
    made_by = {"base": "tiny", "task": "none", "size": 4, "seed": 1}
    cards = [
        training.train(model, checkpoint, rows, seed, tmp_path / str(n), made_by) for n, seed in enumerate([1, 1, 2])
    ]
    one, same, other = (card["adapter_sha256"] for card in cards)
    assert one == same != other


def test_out_of_memory_gives_advice(checkpoint: Checkpoint) -> None:
    import torch

    with (
        pytest.raises(BackendError, match=r"batch: 2 with gradient_accumulation: 8 .*max_length"),
        training._memory_advice(checkpoint.model),
    ):
        raise torch.OutOfMemoryError("CUDA out of memory")
    odd = checkpoint.model.model_copy(update={"finetune": Finetune(batch=5, gradient_accumulation=2)})
    with (
        pytest.raises(BackendError, match=r"batch: 1 with gradient_accumulation: 10 \(steps of the same size\)"),
        training._memory_advice(odd),
    ):
        raise torch.OutOfMemoryError("CUDA out of memory")
    with pytest.raises(RuntimeError, match="shapes"), training._memory_advice(checkpoint.model):
        raise RuntimeError("shapes do not match")


@pytest.mark.parametrize(
    ("entry", "settings", "message"),
    [
        ("backend: baseline, path: random", {}, "backend baseline has no weights to train"),
        ("backend: hf, path: TINY, adapter: TINY", {}, "has an adapter already"),
        ("backend: vllm, path: TINY, finetune: {rank: 128}", {}, "rank 128 is more than vllm: max_lora_rank 64"),
        (
            "backend: hf, path: TINY",
            {"sizes": [10**6]},
            r"--sizes 1000000: knowledge_filling \(hard\) in .* has (\d+) training .*sizes up to \1, such as --sizes \d+,\1",
        ),
        ("backend: hf, path: TINY", {"sizes": [0]}, "--sizes: expected"),
        ("backend: hf, path: TINY", {"tasks": ["slots"]}, "unknown task, .* 'slots'"),
        ("backend: hf, path: TINY", {"perturb": ["schuffle"]}, "Did you mean 'shuffle'"),
        ("backend: hf, path: TINY, finetune: {rang: 8}", {}, "unknown key 'rang'. Did you mean 'rank'"),
        ("backend: hf, path: TINY, finetune: {learning_rate: fast}", {}, "valid number"),
        ("backend: hf, path: TINY, finetune: {max_length: 3}", {}, "max_length 3: all items"),
        ("backend: hf, path: TINY, finetune: {target_modules: [nope]}", {}, r"target_modules \['nope'\]"),
    ],
)
def test_wrong_settings_are_named(
    tiny: Path, tmp_path: Path, entry: str, settings: dict[str, Any], message: str
) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(f"models:\n  - {{name: m, {entry.replace('TINY', str(tiny))}}}\n", encoding="utf-8")
    what = {"model": ["m"], "tasks": ["knowledge_filling"], "sizes": [2], "out": tmp_path / "out", **settings}
    with pytest.raises((ConfigError, BackendError), match=message):
        evalsuite.finetune(path, **what)


def test_yaml_takes_2e4_for_a_string_and_we_do_not() -> None:
    assert Finetune.model_validate({"learning_rate": "2e-4"}).learning_rate == pytest.approx(2e-4)
