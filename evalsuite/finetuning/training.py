"""Train one LoRA adapter with transformers' Trainer: rows of token ids -> a folder in peft's format, with a card.

All randomness (batches, initial adapter weights, dropout) depends on the seed only: the same rows, settings and seed give
the same bytes on a CPU, even if the training was interrupted and resumed. Needs the extra `[finetune]`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import random
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import yaml

from evalsuite.backends.checkpoint import Checkpoint
from evalsuite.backends.hf import seq2seq
from evalsuite.backends.hf.prefill import padded_row
from evalsuite.backends.model import Finetune, Model
from evalsuite.common.errors import BackendError, ConfigError
from evalsuite.common.files import remove, replace_file
from evalsuite.common.weights import is_out_of_memory, load_adapter_weights
from evalsuite.common.yamltext import parse_yaml
from evalsuite.evaluation.display import TrainingStep
from evalsuite.types import Request

log = logging.getLogger(__name__)
CARD = "README.md"  # the hub's name for a model card; not part of the adapter's fingerprint, unlike .json files
_ADAPTER = ("adapter_config.json", "adapter_model.safetensors")
_WHOLE = "whole.json"  # written once a checkpoint is complete: kill -9 may leave a partial one
_IGNORED = -100  # label of tokens without loss
_MEGABATCH = 50  # batches within which rows are sorted by length, as in transformers' sampler


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """A training item as token ids."""

    ids: tuple[int, ...]  # prompt, answer, end of text
    answer: int  # number of tokens of answer and end of text

    @property
    def parts(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(the prompt, which the encoder reads; the answer with the end of text, which the decoder learns)."""
        return self.ids[: -self.answer], self.ids[-self.answer :]

    @property
    def labels(self) -> list[int]:
        """Labels, as long as `ids`: the prompt is ignored, the answer and the end of text carry loss."""
        prompt = len(self.ids) - self.answer
        return [_IGNORED] * prompt + list(self.ids[prompt:])


def require_packages(model: Model) -> None:
    """Raise BackendError if the extra `[finetune]` is not installed."""
    try:
        for name in ("torch", "transformers", "peft", "accelerate"):
            import_module(name)
    except ImportError as error:
        raise BackendError(
            f"model {model.name}: finetune needs `pip install 'evalsuite[finetune]'` ({error})"
        ) from None


def training_row(checkpoint: Checkpoint, request: Request, target: str) -> TrainingRow:
    """The token ids that a backend would send for the request, followed by those of the right answer.

    For a probe (scoring nll), the ids are those of its first pair of context and target, whose explanation is the valid one. An
    encoder-decoder's answer begins with the special tokens that open its decoder's texts.
    """
    if request.scoring == "nll":
        prompt, answer = checkpoint.pair(*request.pairs[0])
    else:
        prompt, answer = checkpoint.ids(request), checkpoint.after(checkpoint.text(request), [target])[0]
    answer = [*checkpoint.opening, *answer, checkpoint.end]
    return TrainingRow((*prompt, *answer), len(answer))


def batches(lengths: Sequence[int], settings: Finetune, seed: int) -> list[list[int]]:
    """Row indices of each batch, of all epochs in sequence. Each epoch is shuffled, with rows of similar length in one batch.

    >>> batches([5, 9, 5, 9], Finetune(batch=2, epochs=1), 1)
    [[2, 0], [1, 3]]
    """
    planned = []
    for epoch in range(settings.epochs):
        rng = random.Random(f"{seed}:batches:{epoch}")
        order = list(range(len(lengths)))
        rng.shuffle(order)
        mega = settings.batch * _MEGABATCH
        grouped = [
            n for i in range(0, len(order), mega) for n in sorted(order[i : i + mega], key=lambda n: -lengths[n])
        ]
        epoch_batches = [grouped[i : i + settings.batch] for i in range(0, len(grouped), settings.batch)]
        rng.shuffle(epoch_batches)
        planned += epoch_batches
    return planned


def collate(rows: Sequence[TrainingRow], pad: int) -> dict[str, Any]:
    """input_ids, attention_mask and labels, each (B, longest row), padded on the right."""
    return {
        "input_ids": _padded([r.ids for r in rows], pad),
        "attention_mask": _padded([[1] * len(r.ids) for r in rows], 0),
        "labels": _padded([r.labels for r in rows], _IGNORED),
    }


def collate_encoded(rows: Sequence[TrainingRow], pad: int, start: int) -> dict[str, Any]:
    """Batch the rows of an encoder-decoder: input_ids and attention_mask (B, longest prompt), decoder_input_ids and labels (B,
    longest answer). The decoder is given its `start` token and the answer without its last token."""
    prompts, answers = zip(*(r.parts for r in rows), strict=True)
    return {
        "input_ids": _padded(prompts, pad),
        "attention_mask": _padded([[1] * len(p) for p in prompts], 0),
        "decoder_input_ids": _padded([(start, *a[:-1]) for a in answers], pad),
        "labels": _padded(answers, _IGNORED),
    }


def _padded(rows: Sequence[Sequence[int]], filler: int) -> Any:
    """A tensor (B, longest row) of rows that are padded on the right."""
    import torch

    width = max(map(len, rows))
    return torch.tensor([padded_row(row, width, filler) for row in rows])


def read_card(folder: Path) -> dict[str, Any] | None:
    """The front matter of a finished adapter's card; None if there is no card."""
    try:
        text = (folder / CARD).read_text(encoding="utf-8")
        card = parse_yaml(text.split("---\n")[1])[0]
    except (OSError, UnicodeDecodeError, IndexError, yaml.YAMLError):
        return None
    return card if isinstance(card, dict) and "made_by" in card else None


def hash_of(value: Any) -> str:
    """SHA-256 of a value's JSON form, in hex."""
    return hashlib.sha256(json.dumps(value, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def start_checkpoints(folder: Path, made_by: dict[str, Any]) -> Path:
    """The folder of a training's checkpoints. Files of a training with another `made_by` are removed first.

    Raises ConfigError if the adapter's folder holds files that no training wrote.
    """
    work = folder / "checkpoints"
    if _read_json(work / "made_by.json") != made_by:
        if not _is_own(folder):
            raise ConfigError(
                f"{folder}: holds files that no training of evalsuite wrote; move them, or name another --out"
            )
        remove(folder, (*_ADAPTER, CARD, work.name))
        work.mkdir(parents=True)
        _write_json(work / "made_by.json", made_by)
    return work


def _is_own(folder: Path) -> bool:
    """Whether a training wrote the folder: it has a card or checkpoints/made_by.json, or no file at all."""
    if read_card(folder) or (folder / "checkpoints" / "made_by.json").is_file():
        return True
    return not any(path.is_file() for path in folder.rglob("*"))


def train(
    model: Model,
    checkpoint: Checkpoint,
    rows: Sequence[TrainingRow],
    seed: int,
    folder: Path,
    made_by: dict[str, Any],
    on_step: Callable[[TrainingStep], None] = lambda step: None,
) -> dict[str, Any]:
    """Train an adapter into `folder` and return its card; resumes from a checkpoint with the same `made_by`.

    Raises BackendError if the model or the checkpoint cannot be loaded, or memory is too small.
    """
    import torch

    work = start_checkpoints(folder, made_by)
    began = time.perf_counter()
    with _memory_advice(model):
        trainer = make_trainer(model, checkpoint, rows, seed, work, on_step)
        start, before = _last_checkpoint(work)
        if start:  # Trainer loads the checkpoint again, but ignores missing weights
            load_adapter_weights(trainer.model, str(start), f"model {model.name}", is_trainable=True)
        trainer.train(resume_from_checkpoint=str(start) if start else None)
        trainer.model.save_pretrained(str(folder))
    _tidy_config(folder / "adapter_config.json", model)
    history = trainer.state.log_history
    facts = {
        "library_name": "peft",
        "base_model": _base_name(model),
        "made_by": made_by,
        "loss": {entry["step"]: round(entry["loss"], 5) for entry in history if "loss" in entry},
        "steps": trainer.state.global_step,
        "adapter_sha256": hashlib.sha256((folder / "adapter_model.safetensors").read_bytes()).hexdigest(),
        "seconds": round(before + time.perf_counter() - began, 1),
        "device": (device := str(trainer.args.device)),
        "threads": torch.get_num_threads() if device == "cpu" else None,  # the order of float sums depends on it
        "versions": {name: metadata.version(name) for name in ("evalsuite", "torch", "transformers", "peft")},
    }
    _write_card(folder / CARD, facts)
    remove(folder, [work.name])
    return facts


def make_trainer(
    model: Model,
    checkpoint: Checkpoint,
    rows: Sequence[TrainingRow],
    seed: int,
    work: Path,
    on_step: Callable[[TrainingStep], None] = lambda step: None,
) -> Any:
    """A transformers.Trainer, ready to train."""
    import torch
    import transformers

    settings = model.finetune
    planned = [[rows[n] for n in batch] for batch in batches([len(r.ids) for r in rows], settings, seed)]
    steps = math.ceil(len(planned) / settings.gradient_accumulation)
    cuda = torch.cuda.is_available() and model.device != "cpu"
    bf16 = settings.bf16 if settings.bf16 is not None else cuda and torch.cuda.is_bf16_supported()
    transformers.set_seed(seed)  # initial adapter weights
    net = _network(model, checkpoint, bf16 and cuda)
    arguments = transformers.TrainingArguments(
        output_dir=str(work),
        # One dataset row is a whole batch, in an order fixed by the seed, so that a resumed training repeats it.
        per_device_train_batch_size=1,
        train_sampling_strategy="sequential",
        num_train_epochs=1,
        gradient_accumulation_steps=settings.gradient_accumulation,
        **(
            {"gradient_checkpointing": True, "gradient_checkpointing_kwargs": {"use_reentrant": False}}
            if settings.gradient_checkpointing
            else {}
        ),
        learning_rate=settings.learning_rate,
        lr_scheduler_type=settings.schedule,
        # Rounded down: the first step of a warmup has rate 0, and must not be the only step.
        warmup_steps=math.floor(settings.warmup * steps),
        weight_decay=settings.weight_decay,
        max_grad_norm=settings.max_grad_norm,
        optim="adamw_torch",
        bf16=bf16,
        use_cpu=not cuda,
        seed=seed,
        save_steps=settings.checkpoint_steps,
        save_total_limit=2,
        # A divisor of the checkpoint steps, so that a resumed training averages the same losses.
        logging_steps=math.gcd(settings.checkpoint_steps, max(1, steps // 50)),
        report_to=[],
        disable_tqdm=True,
        remove_unused_columns=False,
        dataloader_pin_memory=cuda,
    )
    pad = checkpoint.tokenizer.pad_token_id or 0
    start = seq2seq.start_id(net) if checkpoint.seq2seq else None
    arguments._n_gpu = min(arguments.n_gpu, 1)  # DataParallel would change the batches
    trainer = transformers.Trainer(
        model=net,
        args=arguments,
        train_dataset=planned,  # type: ignore[arg-type, unused-ignore]
        data_collator=lambda single: (
            collate(single[0], pad) if start is None else collate_encoded(single[0], pad, start)
        ),
        callbacks=[_step_callback(planned, settings.gradient_accumulation, steps, _last_checkpoint(work)[1], on_step)],
    )
    trainer.remove_callback(transformers.trainer_callback.PrinterCallback)
    return trainer


def _network(model: Model, checkpoint: Checkpoint, bf16: bool) -> Any:
    """The base model with a new adapter; adapter weights are float32 whatever the base's dtype."""
    import peft
    import torch
    import transformers

    from evalsuite.backends.hf.backend import network

    transformers.utils.logging.disable_progress_bar()
    net = network(model, checkpoint, torch.bfloat16 if bf16 else torch.float32)
    net.config.use_cache = False
    s = model.finetune
    config = peft.LoraConfig(
        r=s.rank,
        lora_alpha=s.alpha,  # type: ignore[arg-type, unused-ignore]  # peft accepts a float
        lora_dropout=s.dropout,
        target_modules=s.target_modules,
        task_type="SEQ_2_SEQ_LM" if checkpoint.seq2seq else "CAUSAL_LM",
    )
    try:
        return peft.get_peft_model(net, config)
    except ValueError as error:  # target modules that the model does not have
        raise BackendError(f"model {model.name}: finetune: target_modules {s.target_modules}: {error}") from None


def _step_callback(
    planned: Sequence[Sequence[TrainingRow]],
    accumulation: int,
    steps: int,
    before: float,
    on_step: Callable[[TrainingStep], None],
) -> Any:
    """A TrainerCallback that reports every step and marks complete checkpoints."""
    import transformers

    class StepReporter(transformers.TrainerCallback):  # type: ignore[misc, unused-ignore]
        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self.began = time.perf_counter()
            self.tokens = 0
            self.loss: float | None = None

        def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:
            self.loss = (logs or {}).get("loss", self.loss)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            batches_done = planned[(state.global_step - 1) * accumulation : state.global_step * accumulation]
            self.tokens += sum(len(r.ids) for batch in batches_done for r in batch)
            on_step(TrainingStep(state.global_step, steps, self.loss, self.tokens, time.perf_counter() - self.began))

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            checkpoint = Path(args.output_dir) / f"checkpoint-{state.global_step}"
            _write_json(checkpoint / _WHOLE, {"seconds": before + time.perf_counter() - self.began})

    return StepReporter()


def _last_checkpoint(work: Path) -> tuple[Path | None, float]:
    """The last complete checkpoint (None if there is none) and the seconds of training before it."""
    complete = sorted(work.glob(f"checkpoint-*/{_WHOLE}"), key=lambda p: int(p.parent.name.rpartition("-")[2]))
    if not complete:
        return None, 0.0
    return complete[-1].parent, float(_read_json(complete[-1])["seconds"])


@contextmanager
def _memory_advice(model: Model) -> Iterator[None]:
    """Turn an out-of-memory error into a BackendError that names settings to lower."""
    with warnings.catch_warnings():
        # Some versions of transformers 5 rename gradient_checkpointing; the old name works in all of them.
        warnings.filterwarnings("ignore", ".*gradient_checkpointing", FutureWarning)
        try:
            yield
        except (MemoryError, RuntimeError) as error:
            if not is_out_of_memory(error):
                raise
            s = model.finetune
            ways = [f"a smaller max_length, or a rank below {s.rank}"]
            if not s.gradient_checkpointing:
                ways.insert(0, "gradient_checkpointing: true")
            if s.batch > 1:
                smaller = next(size for size in range(s.batch // 2, 0, -1) if s.batch % size == 0)
                accumulation = s.batch // smaller * s.gradient_accumulation
                ways.insert(0, f"batch: {smaller} with gradient_accumulation: {accumulation} (steps of the same size)")
            raise BackendError(
                f"model {model.name}: out of memory in training; under `finetune:` try {', '.join(ways)}"
            ) from None


def _tidy_config(path: Path, model: Model) -> None:
    """Make adapter_config.json reproducible: no local path, sorted lists."""
    config = json.loads(path.read_text(encoding="utf-8"))
    config["base_model_name_or_path"] = _base_name(model)
    for name, value in config.items():
        if isinstance(value, list):
            config[name] = sorted(value)
    replace_file(path, json.dumps(config, indent=1, sort_keys=True) + "\n")


def _base_name(model: Model) -> str:
    """The hub id, or the name of a local folder."""
    return Path(model.path).name if Path(model.path).is_dir() else model.path


def _write_card(path: Path, facts: dict[str, Any]) -> None:
    by, losses = facts["made_by"], list(facts["loss"].values())
    curve = f"The loss went from {losses[0]:.3f} to {losses[-1]:.3f}." if losses else ""
    text = (
        f"---\n{yaml.safe_dump(facts, allow_unicode=True, sort_keys=False)}---\n"
        f"# {by['base']} on {by['task']}: {by['size']} items, seed {by['seed']}\n\n"
        f"A LoRA adapter (peft) of {facts['base_model']}, made by `evalsuite finetune` in {facts['steps']} steps. {curve}\n"
        f"Its loss was on the answer and the end of text alone. Everything that made it stands above this text.\n"
    )
    replace_file(path, text)


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # not UTF-8, or no JSON
        return None


def _write_json(path: Path, value: Any) -> None:
    replace_file(path, json.dumps(value, ensure_ascii=False))
