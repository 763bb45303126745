"""Settings of a sweep: the keywords of `evalsuite.finetune` and the flags of `evalsuite finetune`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evalsuite.benchmarks.registry import BENCHMARKS, add_files, benchmark_of, tasks_named
from evalsuite.common.errors import ConfigError
from evalsuite.common.flags import (
    benchmark_flag,
    check_folder,
    check_least,
    data_flag,
    flag,
    prompts_flag,
    verbose_flag,
)
from evalsuite.perturb import perturbation_named

if TYPE_CHECKING:
    from evalsuite.benchmarks.registry import Corpora
    from evalsuite.types import Task


@dataclass(frozen=True, slots=True)
class Sweep:
    """Settings of training. Each field is a flag of the command line; sequences may be tuples or lists.

    Raises ConfigError for invalid values.
    """

    models: str | Path = flag("bundled:models.yaml", "The models.yaml that lists models.", "FILE")
    model: Sequence[str] = flag(
        (), "A model to train (hf or vllm); may be given more than once.", "NAME", repeated=True, required=True
    )
    tasks: Sequence[str] = flag(
        (), "Tasks or benchmarks to test on, comma-separated; an adapter is trained for each task.", "A,B"
    )
    benchmark: Sequence[str | Path] = benchmark_flag()
    train_tasks: Sequence[str] = flag(
        (), "Train one adapter for all --tasks on the pooled items of these tasks, instead of one for each.", "A,B"
    )
    train_groups: Sequence[str] = flag(
        (), "Train only on items of these groups, comma-separated, such as CICERO's cause,reaction.", "A,B"
    )
    set: str = flag(
        "hard",
        "Sets to train and test on: easy, hard, or both pooled; of other benchmarks sets such as fold1, "
        "comma-separated, or all, pooled. A benchmark of one set needs none.",
        "easy",
    )
    sizes: Sequence[int] = flag(
        (2000, 4000, 6000, 8000, 10000),
        "Numbers of training items, comma-separated; larger subsets contain the smaller ones.",
        "1,2,3",
    )
    test_size: int | None = flag(2000, "Test on the first N items of each file, or on all if there are fewer.", "N")
    seeds: Sequence[int] = flag((1,), "Seeds, comma-separated; an adapter is trained for each.", "1,2,3")
    perturb: Sequence[str] = flag(
        ("none",),
        "Perturbations of the test items, comma-separated: none, reindicate, shuffle, both … (docs/robustness.md).",
        "none,shuffle",
    )
    prompt: str = flag("paper", "Prompt wording: paper, plain, or the name of your template.", "plain")
    prompts: str | Path = prompts_flag()
    allow_leak: bool = flag(False, "Also train on dialogues of test items, instead of leaving them out.")
    data: Sequence[str | Path] = data_flag()
    out: str | Path = flag("runs/finetune", "The sweep's folder. The same command resumes in it.", "DIR")
    skip_bad: bool = flag(False, "Skip and count broken lines of the data, instead of stopping at the first.")
    executor: str = flag("local", "local, or ray: train several adapters at a time on a Ray cluster.", "ray")
    ray_address: str | None = flag(
        None, "Address of the Ray cluster; default: RAY_ADDRESS, else this machine alone.", "HOST:PORT"
    )
    replicas: int | None = flag(
        None, "Adapters trained at a time, and replicas of a model when testing; default: as many as fit.", "N"
    )
    verbose: bool = verbose_flag()

    def __post_init__(self) -> None:
        if not self.model:
            raise ConfigError("--model: expected the name of a model to train")
        tasks_of_files = add_files(self.benchmark)
        object.__setattr__(self, "tasks", tuple(self.tasks or tasks_of_files))
        if not self.tasks:
            raise ConfigError("--tasks: expected one or more, or --benchmark; `evalsuite tasks` lists them")
        if not self.sizes or min(self.sizes) < 1:
            raise ConfigError("--sizes: expected one number of training items or more, such as 2000,4000")
        if not self.seeds:
            raise ConfigError("--seeds: expected one number or more, such as 1,2,3")
        check_least(1, test_size=self.test_size)
        check_folder(prompts=self.prompts)
        for field in ("tasks", "train_tasks"):  # short names of tasks become their names
            object.__setattr__(self, field, tuple(t.name for t in tasks_named(getattr(self, field))))
        named = [*self.tasks, *self.train_tasks]
        if self.set == "hard" and all(len(benchmark_of(name).sets) == 1 for name in named):
            object.__setattr__(self, "set", "all")  # the default is one of CORECODE's sets
        for name in self.perturb:
            perturbation_named(name)

    def sets(self, corpus: Corpora, t: Task, split: str) -> list[str]:
        """The sets whose `split` a task is trained or tested on; of `both` and `all`, those that the data have.

        Raises ConfigError if there is none, or if `both` would pool sets that must be named, such as folds, where the
        training items of one are the test items of another.
        """
        named, there = {name.strip() for name in self.set.split(",")}, corpus.of(t).sets
        benchmark = BENCHMARKS[t.benchmark]
        every = bool(named & {"both", "all"})
        chosen = [name for name in there if name in named or every]
        if not chosen or ("both" in named and (benchmark.averaged or len(benchmark.sets) != 2)):
            raise ConfigError(
                f"--set {self.set}: {t.name}: name one {benchmark.sets_en} or more of {', '.join(there)}, or all"
            )
        present = [name for name in chosen if name in named or corpus.has(t, name, split)]
        return present or chosen  # if no file is present, reading one raises the error
