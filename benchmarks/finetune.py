"""Training throughput of `evalsuite finetune` against a bare loop of transformers' Trainer on the same batches.

    python benchmarks/finetune.py [--steps 24] [--rounds 3]

Both train a LoRA adapter on the embedded model with prompts of the bundled sample: the suite as in a sweep, with its batches,
collation and progress; the bare loop with its own adapter, tensors made beforehand and no callback. They take turns in one
process, so that other work of the machine slows both alike. Prints tokens a second of each, and the ratio of the totals, by the
clock and by processor time (which a busy machine disturbs less). Loading and saving are not measured: their time does not grow
with the training.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import peft
import torch
import transformers

from evalsuite.backends.checkpoint import Checkpoint
from evalsuite.backends.model import Finetune, Model
from evalsuite.benchmarks.corecode import BENCHMARK
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.resources import bundled
from evalsuite.finetuning import training
from evalsuite.prompt import Prompt

SETTINGS = Finetune(epochs=1, batch=4, gradient_accumulation=1, gradient_checkpointing=False)


def bare_training(model: Model, batches: list[list[training.TrainingRow]], folder: Path) -> Any:
    net = transformers.AutoModelForCausalLM.from_pretrained(model.path, dtype=torch.float32)
    config = peft.LoraConfig(r=16, lora_alpha=32, lora_dropout=0.05, target_modules="all-linear", task_type="CAUSAL_LM")
    tensors = [training.collate(batch, 0) for batch in batches]  # made before the clock starts
    arguments = transformers.TrainingArguments(
        output_dir=str(folder),
        per_device_train_batch_size=1,
        train_sampling_strategy="sequential",
        num_train_epochs=1,
        learning_rate=SETTINGS.learning_rate,
        use_cpu=not torch.cuda.is_available(),
        bf16=torch.cuda.is_available(),
        save_strategy="no",
        logging_strategy="no",
        report_to=[],
        disable_tqdm=True,
        remove_unused_columns=False,
    )
    trainer = transformers.Trainer(
        model=peft.get_peft_model(net, config),
        args=arguments,
        train_dataset=tensors,
        data_collator=lambda one_batch: one_batch[0],
    )
    trainer.remove_callback(transformers.trainer_callback.PrinterCallback)
    return trainer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", category=FutureWarning)
    transformers.utils.logging.disable_progress_bar()
    model = Model(name="tiny-zh", backend="hf", path=str(bundled("models/tiny-zh")), chat=True, finetune=SETTINGS)
    checkpoint = Checkpoint(model)
    prompt = Prompt(bundled("prompts"), TASKS["knowledge_filling"], "paper")
    items = CorecodeCorpus(BENCHMARK, bundled("sample")).train("knowledge_filling", "easy")[: 4 * arguments.steps]
    rows = [training.training_row(checkpoint, prompt.request(item), item.target) for item in items]
    planned = [[rows[n] for n in batch] for batch in training.batches([len(r.ids) for r in rows], SETTINGS, 1)]
    tokens = sum(len(r.ids) for r in rows)
    clock, cpu = dict.fromkeys(("evalsuite", "bare"), 0.0), dict.fromkeys(("evalsuite", "bare"), 0.0)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.rounds + 1):  # the first round warms up
            for name in clock if number % 2 else reversed(clock):
                output = Path(folder) / f"{name}{number}"
                output.mkdir()
                if name == "bare":
                    trainer = bare_training(model, planned, output)
                else:
                    trainer = training.make_trainer(model, checkpoint, rows, 1, output)
                began, worked = time.perf_counter(), time.process_time()
                trainer.train()
                seconds, work = time.perf_counter() - began, time.process_time() - worked
                if number:
                    clock[name] += seconds
                    cpu[name] += work
                    print(f"{name:10} {tokens / seconds:,.0f} tokens/s, {tokens / work:,.0f} a CPU second", flush=True)
    print(f"{arguments.rounds} x {len(planned)} batches of {tokens:,} tokens in all")
    for what, spent in (("by the clock", clock), ("by processor time", cpu)):
        ours, theirs = (arguments.rounds * tokens / spent[name] for name in ("evalsuite", "bare"))
        print(f"{what}: {ours:,.0f} against {theirs:,.0f} tokens/s, ratio {ours / theirs:.3f}")


if __name__ == "__main__":
    main()
