"""LoRA sweeps: training items -> nested subsets -> adapters -> an ordinary run of base models and adapters.

A finished adapter has a card and is not trained again; an interrupted one resumes from its last checkpoint. So the same
command continues a sweep.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from evalsuite.analyses.saved import require_own
from evalsuite.backends.model import Model
from evalsuite.backends.model_paths import require_present
from evalsuite.backends.models import load_models
from evalsuite.backends.registry import BACKENDS, backend_named
from evalsuite.benchmarks.probing import request_of
from evalsuite.benchmarks.registry import Corpora, benchmark_of, task_named
from evalsuite.common.dialogue import copied
from evalsuite.common.errors import ConfigError, DataError, unknown
from evalsuite.common.files import make_folder, replace_file, safe_name
from evalsuite.common.flags import from_keywords
from evalsuite.common.lock import locked
from evalsuite.common.resources import resolve
from evalsuite.evaluation.display import Display, log_to
from evalsuite.evaluation.journey import evaluate
from evalsuite.evaluation.plan import folders_of, prepare
from evalsuite.evaluation.settings import Settings
from evalsuite.finetuning.jobs import Job, finished
from evalsuite.finetuning.settings import Sweep
from evalsuite.prompt import Prompt, usual_wording
from evalsuite.results.analysis import Results
from evalsuite.types import Item, Task

# The settings that a sweep and its evaluation share.
_EVALUATION_SETTINGS = (
    *("tasks", "benchmark", "set", "perturb", "prompts", "data", "skip_bad", "out", "verbose"),
    *("executor", "ray_address", "replicas"),
)
_HEAD = "# Written by `evalsuite finetune`: the base models and every adapter trained here.\n"


@dataclass(frozen=True, slots=True)
class Pool:
    """The training items of an adapter, from which its subsets are drawn."""

    train: tuple[str, ...]  # the tasks of the items
    test: tuple[str, ...]  # the tasks that the adapter is tested on
    items: tuple[Item, ...]  # the items of all requested sets, easy first
    left_out: int  # number of items left out, since they share a dialogue with a test item
    data: dict[str, str]  # set, or "task set" if tasks are pooled -> SHA-256 of its training file
    corpora: Corpora | None = None  # the data that give templates their variables

    @property
    def name(self) -> str:
        return "+".join(self.train)

    def subset(self, size: int, seed: int) -> list[Item]:
        """The first `size` items in a seeded order, so larger subsets contain the smaller ones of the same seed."""
        order = list(self.items)
        random.Random(f"{seed}:finetune:{self.name}").shuffle(order)
        return order[:size]


def finetune(models: str | Path = "bundled:models.yaml", **settings: Any) -> Results:
    """Train adapters on growing numbers of items and evaluate them (docs/finetune.md); the keywords are the flags of the command.

    Returns the results of all of them, with their learning curves. The same call resumes.
    Raises ConfigError for invalid settings, before anything is trained, and BackendError if a training fails.

    >>> finetune("models.yaml", model=["tiny-zh"], tasks=["slot_identification"], sizes=[125, 250])  # doctest: +SKIP
    """
    s = from_keywords(Sweep, {"models": models} | settings)
    chosen = [_trainable(m) for m in load_models(resolve(s.models), list(s.model))]
    if s.executor == "local":
        require_present(chosen)
    evaluation: dict[str, Any] = {name: getattr(s, name) for name in _EVALUATION_SETTINGS}
    evaluation |= {"limit": s.test_size, "prompt": (s.prompt,)}
    # Invalid settings raise before anything is trained.
    _training_pairs(Corpora(folders_of(Settings(data=s.data))), (*s.tasks, *s.train_tasks), s)
    *_, corpus, eval_sets = prepare(s.models, model=s.model, **evaluation)
    pools = make_pools(corpus, s)
    for model, pool in product(chosen, pools):
        row_prompts(model, pool, s)
    out = Path(s.out)
    make_folder(out)
    adapters: list[Model] = []

    def unfinished(display: Display) -> Iterator[Job]:
        for model in chosen:
            for job in make_jobs(model, pools, s):
                adapters.append(job.model)
                if not finished(job, display):
                    yield job

    with locked(out):
        require_own(out)
        listed = out / "models.yaml"
        if listed.exists() and not listed.read_bytes().startswith(_HEAD.encode()):
            raise ConfigError(f"{listed}: was not written by evalsuite finetune; name another --out")
        with log_to(out / "finetune.log", s.verbose), Display() as display:
            if few := [f"{x.task.name} {x.set} {len(x.items)}" for x in eval_sets if len(x.items) < (s.test_size or 0)]:
                display.say(f"fewer test items than --test-size {s.test_size}, so all are used: {', '.join(few)}")
            if s.executor == "local":
                train_locally(unfinished(display), display)
            else:
                from evalsuite.finetuning.ray import train_on_ray

                train_on_ray(unfinished(display), display, chosen[0].name, s.ray_address, s.replicas)
        _write_models(listed, [*chosen, *adapters])
        return evaluate(*prepare(listed, model=[m.name for m in (*chosen, *adapters)], **evaluation))


def make_pools(corpus: Corpora, s: Sweep) -> list[Pool]:
    """A pool for each task, or a single one of `train_tasks` for all of them."""
    tasks = tuple(dict.fromkeys(s.tasks))
    if s.train_tasks:
        return [make_pool(corpus, tuple(dict.fromkeys(s.train_tasks)), tasks, s)]
    return [make_pool(corpus, (name,), (name,), s) for name in tasks]


def make_pool(corpus: Corpora, train: tuple[str, ...], test: tuple[str, ...], s: Sweep) -> Pool:
    """The training items of the tasks `train`; those whose dialogue is a copy of a test item's of the tasks `test` are left
    out, unless `allow_leak`.

    Raises ConfigError for a group that no item has, or if fewer items remain than the largest size.
    """
    files = {
        (t.name, item_set): corpus.file(t, item_set, benchmark_of(t.name).training)
        for t, item_set in _training_pairs(corpus, train, s)
    }
    items = [item for (name, _), file in files.items() for item in _distinct(task_named(name), file.items)]
    if s.train_groups:
        groups = dict.fromkeys(item.group for item in items)
        for group in s.train_groups:
            if group not in groups:
                raise ConfigError(f"--train-groups: {unknown('group', group, filter(None, groups))}")
        items = [item for item in items if item.group in s.train_groups]
    tests = [item for t, item_set in _pairs(corpus, test, "test", s) for item in corpus.file(t, item_set, "test").items]
    leaked = copied((i.context for i in tests), [i.context for i in items])
    clean = [item for item, leaks in zip(items, leaked, strict=True) if not leaks]
    training_items = items if s.allow_leak else clean
    left_out = len(items) - len(training_items)
    data = {item_set if len(train) == 1 else f"{t} {item_set}": file.sha256 for (t, item_set), file in files.items()}
    pool = Pool(train, test, tuple(training_items), left_out, data, corpus)
    if len(training_items) < max(s.sizes):
        hint = f", {left_out} more share a dialogue with a test item; --allow-leak includes them" if left_out else ""
        if count := len(training_items):
            hint += f"; name sizes up to {count}, such as --sizes {max(1, count // 2)},{count}"
        raise ConfigError(
            f"--sizes {max(s.sizes)}: {pool.name} ({s.set}) in {corpus.root} has {count} training items{hint}"
        )
    return pool


def _training_pairs(corpus: Corpora, tasks: Iterable[str], s: Sweep) -> list[tuple[Task, str]]:
    """The (task, set) pairs to train on. Raises ConfigError for a task whose benchmark has no training split."""
    pairs = []
    for name in tasks:
        benchmark = benchmark_of(task_named(name).name)
        if not benchmark.training:
            raise ConfigError(f"{name}: {benchmark.title} has no training split, so nothing can be tuned on it")
        pairs += _pairs(corpus, [name], benchmark.training, s)
    return pairs


def _pairs(corpus: Corpora, tasks: Iterable[str], split: str, s: Sweep) -> list[tuple[Task, str]]:
    return [(t, item_set) for t in map(task_named, tasks) for item_set in s.sets(corpus, t, split)]


def _distinct(t: Task, items: Sequence[Item]) -> Sequence[Item]:
    """The items; of probes that pair one valid explanation with different corrupted ones, only the first."""
    if t.kind.written:
        return items
    first: dict[tuple[object, ...], Item] = {}
    for item in items:
        first.setdefault((item.dialogue, item.options[0]), item)
    return list(first.values())


def row_prompts(model: Model, pool: Pool, s: Sweep) -> dict[tuple[str, str], Prompt]:
    """(task, set) -> the template of its training rows.

    Raises ConfigError for a wording whose replies reason first: a training row would teach the model to leave out the reasoning
    that the prompt asks for.
    """
    folder, wording = resolve(s.prompts), model.prompt or s.prompt
    prompts = dict[tuple[str, str], Prompt]()
    for name, item_set in dict.fromkeys((item.task, item.set) for item in pool.items):
        task = task_named(name)
        used = usual_wording(folder, task, wording)
        given = pool.corpora.given(task, item_set, used) if pool.corpora else {}
        prompts[name, item_set] = Prompt(folder, task, used, given, model.system or "")
        if prompts[name, item_set].answer_after:
            raise ConfigError(
                f"--prompt {wording}: asks to reason before the answer, but the training items of {name} have no reasoning to "
                "learn from; name a wording that asks for the answer alone, such as plain"
            )
    return prompts


def as_asked(pool: Pool, prompts: Mapping[tuple[str, str], Prompt], items: Sequence[Item]) -> list[Item]:
    """The items as their wordings ask them: a wording may have a file or columns of its own (`Corpus.reworded`). Raises DataError
    if such a file lacks some of the items."""
    if pool.corpora is None:
        return [*items]
    asked: dict[str, Item] = {}
    for (name, item_set), prompt in prompts.items():
        task, wording = task_named(name), prompt.variant
        file = pool.corpora.reworded(task, item_set, benchmark_of(name).training, wording)
        asked |= {item.id: item for item in file.items}
        if lacking := [i.id for i in items if (i.task, i.set) == (name, item_set) and i.id not in asked]:
            raise DataError(
                f"lacks {len(lacking)} of the items that wording {wording} asks, first: {lacking[0]}", file.path
            )
    return [asked[item.id] for item in items]


def _template_hashes(prompts: Mapping[tuple[str, str], Prompt]) -> Any:
    """The hash of the template; for several tasks, task -> hash. Different hashes of a task's sets are joined."""
    hashes_of: dict[str, dict[str, None]] = {}
    for (name, _), prompt in prompts.items():
        hashes_of.setdefault(name, {})[prompt.sha256] = None
    hashes = {name: " ".join(each) for name, each in hashes_of.items()}
    return hashes if len(hashes) > 1 else next(iter(hashes.values()), "")


def make_jobs(model: Model, pools: Sequence[Pool], s: Sweep) -> Iterator[Job]:
    """Yield all jobs of a model, finished or not. They are made one by one, so that only one job's rows are in memory.

    Raises ConfigError if all items of a pool exceed max_length, or the backend does not run such networks.
    """
    from evalsuite.backends.checkpoint import Checkpoint
    from evalsuite.finetuning import training

    training.require_packages(model)
    checkpoint = Checkpoint(model)
    if checkpoint.seq2seq and model.backend != "hf":
        raise ConfigError(f"model {model.name}: backend {model.backend} runs no encoder-decoders; hf does")
    wording = model.prompt or s.prompt
    limit = min(filter(None, (model.finetune.max_length, checkpoint.context)), default=None)
    for pool, size, seed in product(pools, sorted(set(s.sizes)), dict.fromkeys(s.seeds)):
        prompts = row_prompts(model, pool, s)
        subset = pool.subset(size, seed)
        prompted = [(prompts[item.task, item.set], item) for item in as_asked(pool, prompts, subset)]
        rows = [
            training.training_row(checkpoint, request_of(prompt, item), prompt.target(item))
            for prompt, item in prompted
        ]
        fitting = [r for r in rows if limit is None or checkpoint.room(*map(len, r.parts)) <= limit]
        if not fitting:
            raise ConfigError(f"model {model.name}: finetune: max_length {limit}: all items of {pool.name} are longer")
        written = [item for item in subset if task_named(item.task).kind.written]
        trained = {
            "base": model.name,
            "task": pool.name,
            "size": size,
            "seed": seed,
            "set": s.set,
            "left_out": pool.left_out,
            "allow_leak": s.allow_leak,
            "too_long": len(rows) - len(fitting),
            "labels": dict(sorted(Counter(item.indicators[gold] for item in written for gold in item.golds).items())),
            **({"groups": list(s.train_groups)} if s.train_groups else {}),
        }
        made_by = {
            **trained,
            "prompt": wording,
            "template": _template_hashes(prompts),
            "settings": model.finetune.model_dump(exclude={"checkpoint_steps"}),
            "base_fingerprint": checkpoint.fingerprint(),
            "data": pool.data,
            "items": training.hash_of([item.id for item in subset]),
            "rows": training.hash_of([[r.ids, r.answer] for r in fitting]),
        }
        settings = model.finetune.model_dump(exclude={"checkpoint_steps"}, exclude_defaults=True)
        trained["settings"] = settings | ({"prompt": wording} if wording != "paper" else {})
        label = "-".join((f"{model.name}+{pool.name}", *s.train_groups, str(size), f"s{seed}"))
        folder = Path(s.out) / "adapters" / safe_name(label)
        entry = {"name": label, "adapter": str(folder), "trained": trained, "tasks": list(pool.test), "shots": None}
        yield Job(model.model_copy(update=entry), model, checkpoint, fitting, made_by)


def train_locally(todo: Iterable[Job], display: Display) -> None:
    """Train the jobs one after the other in this process."""
    from evalsuite.finetuning import training

    for job in todo:
        with display.training(job.name) as progress:
            facts = training.train(job.base, job.checkpoint, job.rows, job.seed, job.folder, job.made_by, progress.step)
            progress.done(facts)


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
    listed = {m.name: m for m in load_models(path)} if path.is_file() else {}
    listed |= {m.name: m for m in models}
    entries = []
    for model in listed.values():
        entry = model.model_dump(exclude_defaults=True)
        if Path(model.path).is_dir():
            entry["path"] = str(Path(model.path).resolve())
        if model.adapter:
            entry["adapter"] = os.path.relpath(model.adapter, path.parent)
            entry.pop("finetune", None)  # the adapter's card has the settings of its training
        entries.append(entry)
    replace_file(path, _HEAD + yaml.safe_dump({"models": entries}, allow_unicode=True, sort_keys=False))
