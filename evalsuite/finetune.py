"""LoRA sweeps on one page: training items -> nested subsets -> adapters -> the ordinary run, the base model beside them.

Every adapter that is finished has a card, and is not trained again; one that was interrupted goes on from its last
checkpoint. So the same command goes on where it was.
"""

from __future__ import annotations

import logging
import os
import random
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from evalsuite.config import Model, load_models
from evalsuite.data.corecode import Corpus
from evalsuite.dialogue import sources
from evalsuite.display import Display, log_to
from evalsuite.errors import ConfigError
from evalsuite.perturb import perturbation
from evalsuite.prompt import Prompt
from evalsuite.resources import resolve
from evalsuite.results import Results
from evalsuite.run import prepare, run
from evalsuite.tasks import SETS, Task, task
from evalsuite.types import Item

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sweep:
    """What to train. The command line's flags have the same names; sequences may be given as tuples or lists."""

    models: str | Path = "bundled:models.yaml"
    model: Sequence[str] = ()  # names of models on hf or vllm
    tasks: Sequence[str] = ()
    set: str = "both"  # trained and tested on easy, hard, or both together
    sizes: Sequence[int] = (2000, 4000, 6000, 8000, 10000)  # training items; each subset holds the smaller ones
    test_size: int | None = None  # the first N test items of each file
    seeds: Sequence[int] = (1,)
    perturb: Sequence[str] = ("none",)
    prompt: str = "paper"
    prompts: str | Path = "bundled:prompts"
    allow_leak: bool = False  # train on dialogues of test items, too
    data: str | Path | None = None
    out: str | Path = "runs/finetune"
    skip_bad: bool = False
    verbose: bool = False

    def __post_init__(self) -> None:
        if not self.model:
            raise ConfigError("--model: expected the name of a model to train")
        if not self.tasks:
            raise ConfigError("--tasks: expected one or more")
        if self.set not in (*SETS, "both"):
            raise ConfigError(f"--set {self.set}: expected easy, hard or both")
        if not self.sizes or min(self.sizes) < 1:
            raise ConfigError("--sizes: expected one number of training items or more, such as 2000,4000")
        if not self.seeds:
            raise ConfigError("--seeds: expected one number or more, such as 1,2,3")
        for name in self.tasks:
            task(name)
        for name in self.perturb:
            perturbation(name)

    @property
    def sets(self) -> list[str]:
        return [name for name in SETS if self.set in (name, "both")]


@dataclass(frozen=True, slots=True)
class Pool:
    """What a task's subsets are drawn from."""

    items: tuple[Item, ...]  # of all sets asked for, easy first
    left_out: int  # items whose dialogue a test item has, too
    data: dict[str, str]  # set -> hash of its training file

    def subset(self, size: int, seed: int) -> list[Item]:
        """The first `size` of a seeded order: each subset holds the smaller ones of the same seed."""
        order = list(self.items)
        random.Random(f"{seed}:finetune:{order[0].task}").shuffle(order)
        return order[:size]


def finetune(models: str | Path = "bundled:models.yaml", **settings: Any) -> Results:
    """Train adapters and evaluate them; the keywords are the fields of `Sweep`, which are the command line's flags.

    >>> finetune("models.yaml", model=["tiny-zh"], tasks=["slot_identification"], sizes=[125, 250])  # doctest: +SKIP
    """
    s = Sweep(models=models, **settings)
    chosen = [_trainable(m) for m in load_models(resolve(s.models), list(s.model))]
    evaluation: dict[str, Any] = {
        "tasks": s.tasks, "set": s.set, "limit": s.test_size, "perturb": s.perturb, "prompt": (s.prompt,),
        "prompts": s.prompts, "data": s.data, "skip_bad": s.skip_bad, "out": s.out, "verbose": s.verbose,
    }  # fmt: skip
    *_, corpus, _ = prepare(s.models, model=s.model, **evaluation)  # all that is wrong, before anything is trained
    pools = {name: pool(corpus, task(name), s) for name in s.tasks}
    out = Path(s.out)
    out.mkdir(parents=True, exist_ok=True)
    adapters = []
    with log_to(out / "finetune.log", s.verbose), Display() as display:
        for model in chosen:
            adapters += train_all(model, pools, s, display)
    listed = out / "models.yaml"
    _list(listed, [*chosen, *adapters])
    return run(listed, model=[m.name for m in (*chosen, *adapters)], **evaluation)


def pool(corpus: Corpus, t: Task, s: Sweep) -> Pool:
    """A task's training items, without those whose dialogue a test item has. ConfigError: fewer than the largest size."""
    files = {item_set: corpus.file(t, item_set, "train") for item_set in s.sets}
    items = [item for file in files.values() for item in file.items]
    tests = [item for item_set in s.sets for item in corpus.file(t, item_set, "test").items]
    of = sources([i.dialogue for i in (*tests, *items)])
    tested = set(of[: len(tests)])
    clean = [item for item, source in zip(items, of[len(tests) :], strict=True) if source not in tested]
    kept = items if s.allow_leak else clean
    left_out = len(items) - len(kept)
    if len(kept) < max(s.sizes):
        hint = f", {left_out} more share a dialogue with a test item; --allow-leak takes those, too" if left_out else ""
        raise ConfigError(
            f"--sizes {max(s.sizes)}: {t.name} ({s.set}) has {len(kept)} training items in {corpus.root}{hint}"
        )
    return Pool(tuple(kept), left_out, {item_set: file.sha256 for item_set, file in files.items()})


def train_all(model: Model, pools: dict[str, Pool], s: Sweep, display: Display) -> list[Model]:
    """The model with each of its adapters, those trained that have no card yet."""
    from evalsuite import training
    from evalsuite.backends.checkpoint import Checkpoint

    training.require(model)
    checkpoint = Checkpoint(model)
    found = []
    for name, size, seed in product(s.tasks, sorted(set(s.sizes)), s.seeds):
        prompt = Prompt(resolve(s.prompts), task(name), s.prompt)
        subset = pools[name].subset(size, seed)
        rows = [training.row(checkpoint, prompt.request(item)) for item in subset]
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
            "labels": dict(sorted(Counter(item.target for item in subset if item.gold is not None).items())),
        }
        made_by = {
            **trained,
            "prompt": s.prompt,
            "template": prompt.sha256,
            "settings": model.finetune.model_dump(exclude={"checkpoint_steps"}),
            "base_fingerprint": checkpoint.fingerprint(),
            "data": pools[name].data,
            "items": training.hash_of([item.id for item in subset]),
            "rows": training.hash_of([[r.ids, r.answer] for r in fitting]),
        }
        label = f"{model.name}+{name}-{size}-s{seed}"
        folder = Path(s.out) / "adapters" / label
        known = training.card(folder)
        if known is not None and known["made_by"] == made_by:
            shutil.rmtree(folder / "checkpoints", ignore_errors=True)  # killed just before it would have gone
            display.console.print(f"✓ {label}  trained already", highlight=False, markup=False)
        else:
            if known is not None:
                changed = [key for key, value in made_by.items() if known["made_by"].get(key) != value]
                log.warning("%s: trained anew, for its %s changed", label, ", ".join(changed))
            with display.training(label) as progress:
                facts = training.train(model, checkpoint, fitting, seed, folder, made_by, progress.step)
                progress.done(facts)
        found.append(
            model.model_copy(
                update={"name": label, "adapter": str(folder), "trained": trained, "tasks": [name], "shots": None}
            )
        )
    return found


def _trainable(model: Model) -> Model:
    if model.backend not in ("hf", "vllm"):
        raise ConfigError(f"model {model.name}: backend {model.backend} has no weights to train; hf and vllm have")
    if model.adapter:
        raise ConfigError(f"model {model.name}: has an adapter already; name its base model")
    if model.backend == "vllm" and model.finetune.rank > model.vllm.max_lora_rank:
        raise ConfigError(
            f"model {model.name}: finetune: rank {model.finetune.rank} is more than vllm: max_lora_rank "
            f"{model.vllm.max_lora_rank}; raise that"
        )
    return model


def _list(path: Path, models: Sequence[Model]) -> None:
    """Write models as a models.yaml, beside those that stand there from earlier sweeps; adapters as seen from the file."""
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
    head = "# Written by `evalsuite finetune`: the base models and every adapter trained here.\n"
    draft = path.with_name(path.name + ".part")
    draft.write_text(head + yaml.safe_dump({"models": entries}, allow_unicode=True, sort_keys=False), encoding="utf-8")
    draft.replace(path)
