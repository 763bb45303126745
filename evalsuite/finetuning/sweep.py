"""LoRA sweeps on one page: training items -> nested subsets -> adapters -> an ordinary run of base models and adapters.

A finished adapter has a card and is not trained again; an interrupted one resumes from its last checkpoint. So the same
command continues a sweep.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from evalsuite.backends.model import Model
from evalsuite.backends.models import load_models
from evalsuite.backends.registry import BACKENDS, backend_named
from evalsuite.benchmarks.registry import Corpora, task_named
from evalsuite.common.dialogue import copied
from evalsuite.common.errors import ConfigError
from evalsuite.common.files import make_folder, replace_file, safe_name
from evalsuite.common.lock import locked
from evalsuite.common.resources import resolve
from evalsuite.evaluation.display import Display, log_to
from evalsuite.evaluation.journey import evaluate
from evalsuite.evaluation.plan import prepare
from evalsuite.finetuning.jobs import Job, finished
from evalsuite.finetuning.settings import Sweep
from evalsuite.prompt import Prompt
from evalsuite.results.saved import Results, require_own
from evalsuite.types import Item, Task

_HEAD = "# Written by `evalsuite finetune`: the base models and every adapter trained here.\n"


@dataclass(frozen=True, slots=True)
class Pool:
    """The training items of a task, from which its subsets are drawn."""

    items: tuple[Item, ...]  # of all requested sets, easy first
    left_out: int  # items that share a dialogue with a test item
    data: dict[str, str]  # set -> hash of its training file

    def subset(self, size: int, seed: int) -> list[Item]:
        """The first `size` items in a seeded order, so larger subsets contain the smaller ones of the same seed."""
        order = list(self.items)
        random.Random(f"{seed}:finetune:{order[0].task}").shuffle(order)
        return order[:size]


def finetune(models: str | Path = "bundled:models.yaml", **settings: Any) -> Results:
    """Train adapters and evaluate them; the keywords are the fields of `Sweep`.

    Raises ConfigError for invalid settings, before anything is trained, and BackendError if a training fails.

    >>> finetune("models.yaml", model=["tiny-zh"], tasks=["slot_identification"], sizes=[125, 250])  # doctest: +SKIP
    """
    s = Sweep(models=models, **settings)
    chosen = [_trainable(m) for m in load_models(resolve(s.models), list(s.model))]
    evaluation: dict[str, Any] = {
        "tasks": s.tasks, "set": s.set, "limit": s.test_size, "perturb": s.perturb, "prompt": (s.prompt,),
        "prompts": s.prompts, "data": s.data, "skip_bad": s.skip_bad, "out": s.out, "verbose": s.verbose,
        "executor": s.executor, "ray_address": s.ray_address, "replicas": s.replicas,
    }  # fmt: skip
    *_, corpus, _ = prepare(
        s.models, model=s.model, **evaluation
    )  # raises for invalid settings before anything is trained
    pools = {name: make_pool(corpus, task_named(name), s) for name in s.tasks}
    out = Path(s.out)
    make_folder(out)
    adapters: list[Model] = []

    def unfinished(display: Display) -> Iterator[Job]:
        for model in chosen:
            for job in make_jobs(model, pools, s):
                adapters.append(job.model)
                if not finished(job, display):
                    yield job

    with locked(out), nullcontext(train_locally) if s.executor == "local" else _ray_trainer(chosen[0], s) as trained:
        require_own(out)
        listed = out / "models.yaml"
        if listed.exists() and not listed.read_bytes().startswith(_HEAD.encode()):
            raise ConfigError(f"{listed}: was not written by evalsuite finetune; name another --out")
        with log_to(out / "finetune.log", s.verbose), Display() as display:
            trained(unfinished(display), display)
        _write_models(listed, [*chosen, *adapters])
        return evaluate(*prepare(listed, model=[m.name for m in (*chosen, *adapters)], **evaluation))


def make_pool(corpus: Corpora, t: Task, s: Sweep) -> Pool:
    """A task's training items; those whose dialogue is a copy of a test item's are left out, unless `allow_leak`.

    Raises ConfigError if fewer remain than the largest size.
    """
    files = {item_set: corpus.file(t, item_set, "train") for item_set in s.sets(corpus, t)}
    items = [item for file in files.values() for item in file.items]
    tests = [item for item_set in s.sets(corpus, t) for item in corpus.file(t, item_set, "test").items]
    leaked = copied((i.dialogue for i in tests), [i.dialogue for i in items])
    clean = [item for item, leaks in zip(items, leaked, strict=True) if not leaks]
    kept = items if s.allow_leak else clean
    left_out = len(items) - len(kept)
    if len(kept) < max(s.sizes):
        hint = f", {left_out} more share a dialogue with a test item; --allow-leak includes them" if left_out else ""
        raise ConfigError(
            f"--sizes {max(s.sizes)}: {t.name} ({s.set}) has {len(kept)} training items in {corpus.root}{hint}"
        )
    return Pool(tuple(kept), left_out, {item_set: file.sha256 for item_set, file in files.items()})


def make_jobs(model: Model, pools: dict[str, Pool], s: Sweep) -> Iterator[Job]:
    """All jobs of a model, finished or not; lazily, so that one job's rows are in memory at a time.

    Raises ConfigError if all items of a task exceed max_length.
    """
    from evalsuite.backends.checkpoint import Checkpoint
    from evalsuite.finetuning import training

    training.require_packages(model)
    checkpoint = Checkpoint(model)
    for name, size, seed in product(dict.fromkeys(s.tasks), sorted(set(s.sizes)), dict.fromkeys(s.seeds)):
        prompt = Prompt(resolve(s.prompts), task_named(name), model.prompt or s.prompt)
        subset = pools[name].subset(size, seed)
        rows = [training.training_row(checkpoint, prompt.request(item), prompt.target(item)) for item in subset]
        limit = min(filter(None, (model.finetune.max_length, checkpoint.context)), default=None)
        fitting = [r for r in rows if limit is None or len(r.ids) <= limit]
        if not fitting:
            raise ConfigError(f"model {model.name}: finetune: max_length {limit}: all items of {name} are longer")
        trained = {
            "base": model.name,
            "task": name,
            "size": size,
            "seed": seed,
            "set": s.set,
            "left_out": pools[name].left_out,
            "allow_leak": s.allow_leak,
            "too_long": len(rows) - len(fitting),
            "labels": dict(sorted(Counter(item.indicators[gold] for item in subset for gold in item.golds).items())),
        }
        made_by = {
            **trained,
            "prompt": prompt.variant,
            "template": prompt.sha256,
            "settings": model.finetune.model_dump(exclude={"checkpoint_steps"}),
            "base_fingerprint": checkpoint.fingerprint(),
            "data": pools[name].data,
            "items": training.hash_of([item.id for item in subset]),
            "rows": training.hash_of([[r.ids, r.answer] for r in fitting]),
        }
        label = f"{model.name}+{name}-{size}-s{seed}"
        folder = Path(s.out) / "adapters" / safe_name(label)
        entry = {"name": label, "adapter": str(folder), "trained": trained, "tasks": [name], "shots": None}
        yield Job(model.model_copy(update=entry), model, checkpoint, fitting, made_by)


def train_locally(todo: Iterable[Job], display: Display) -> None:
    """Train the jobs one after the other in this process."""
    from evalsuite.finetuning import training

    for job in todo:
        with display.training(job.name) as progress:
            facts = training.train(job.base, job.checkpoint, job.rows, job.seed, job.folder, job.made_by, progress.step)
            progress.done(facts)


def _ray_trainer(model: Model, s: Sweep) -> AbstractContextManager[Callable[[Iterable[Job], Display], None]]:
    from evalsuite.finetuning.ray import cluster_trainer

    return cluster_trainer(model.name, s.ray_address, s.replicas)


def _trainable(model: Model) -> Model:
    if not backend_named(model.backend).local:
        local = " and ".join(name for name, row in BACKENDS.items() if row.local)
        raise ConfigError(f"model {model.name}: backend {model.backend} has no weights to train; {local} have")
    if model.adapter:
        raise ConfigError(f"model {model.name}: has an adapter already; name its base model")
    if model.backend == "vllm" and model.finetune.rank > model.vllm.max_lora_rank:
        raise ConfigError(
            f"model {model.name}: finetune: rank {model.finetune.rank} is more than vllm: max_lora_rank "
            f"{model.vllm.max_lora_rank}; raise that"
        )
    return model


def _write_models(path: Path, models: Sequence[Model]) -> None:
    """Write models.yaml: these models and those it already lists; adapter paths are relative to the file."""
    found = {m.name: m for m in load_models(path)} if path.is_file() else {}
    found |= {m.name: m for m in models}
    entries = []
    for model in found.values():
        entry = model.model_dump(exclude_defaults=True)
        if Path(model.path).is_dir():
            entry["path"] = str(Path(model.path).resolve())
        if model.adapter:
            entry["adapter"] = os.path.relpath(model.adapter, path.parent)
            entry.pop("finetune", None)  # its card says how it was trained
        entries.append(entry)
    replace_file(path, _HEAD + yaml.safe_dump({"models": entries}, allow_unicode=True, sort_keys=False))
