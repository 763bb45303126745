"""Settings of a sweep: the keywords of `evalsuite.finetune` and the flags of `evalsuite finetune`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evalsuite.benchmarks.registry import BENCHMARKS, task_named
from evalsuite.common.errors import ConfigError
from evalsuite.common.flags import flag
from evalsuite.perturb import perturbation_named

if TYPE_CHECKING:
    from evalsuite.benchmarks.registry import Corpora
    from evalsuite.types import Task


@dataclass(frozen=True, slots=True)
class Sweep:
    """What to train. Each field is a flag of the command line; sequences may be tuples or lists.

    Raises ConfigError for invalid values.
    """

    models: str | Path = flag("bundled:models.yaml", "The models.yaml that lists models.", "FILE")
    model: Sequence[str] = flag(
        (), "A model to train (hf or vllm); may be given more than once.", "NAME", repeated=True, required=True
    )
    tasks: Sequence[str] = flag((), "Tasks, comma-separated; an adapter is trained for each.", "A,B", required=True)
    set: str = flag(
        "both",
        "Sets to train and test on: easy, hard, or both pooled; of other benchmarks sets such as fold1, comma-separated, or all, pooled.",
        "easy",
    )
    sizes: Sequence[int] = flag(
        (2000, 4000, 6000, 8000, 10000),
        "Numbers of training items, comma-separated; larger subsets contain the smaller ones.",
        "1,2,3",
    )
    test_size: int | None = flag(None, "Test on the first N items of each file only.", "N")
    seeds: Sequence[int] = flag((1,), "Seeds, comma-separated; an adapter is trained for each.", "1,2,3")
    perturb: Sequence[str] = flag(
        ("none",),
        "Perturbations of the test items, comma-separated: none, reindicate, shuffle, both … (docs/robustness.md).",
        "none,shuffle",
    )
    prompt: str = flag("paper", "Prompt wording: paper, plain, or the name of your template.", "plain")
    prompts: str | Path = flag("bundled:prompts", "The folder of prompt templates.", "DIR")
    allow_leak: bool = flag(False, "Also train on dialogues of test items, instead of leaving them out.")
    data: str | Path | None = flag(
        None, "Folder of official data; default: EVALSUITE_DATA, else the bundled sample (bundled:sample).", "DIR"
    )
    out: str | Path = flag("runs/finetune", "The sweep's folder. The same command resumes in it.", "DIR")
    skip_bad: bool = flag(False, "Skip and count broken lines of the data, instead of stopping at the first.")
    executor: str = flag("local", "local, or ray: train several adapters at a time on a Ray cluster.", "ray")
    ray_address: str | None = flag(
        None, "Address of the Ray cluster; default: RAY_ADDRESS, else this machine alone.", "HOST:PORT"
    )
    replicas: int | None = flag(
        None, "Adapters trained at a time, and replicas of a model when testing; default: as many as fit.", "N"
    )
    verbose: bool = flag(False, "Print the log.", short="-v")

    def __post_init__(self) -> None:
        if not self.model:
            raise ConfigError("--model: expected the name of a model to train")
        if not self.tasks:
            raise ConfigError("--tasks: expected one or more")
        if not self.sizes or min(self.sizes) < 1:
            raise ConfigError("--sizes: expected one number of training items or more, such as 2000,4000")
        if not self.seeds:
            raise ConfigError("--seeds: expected one number or more, such as 1,2,3")
        for name in self.tasks:
            if not task_named(name).kind.written:
                raise ConfigError(f"--tasks {name}: a probe has no written answer to train on")
        for name in self.perturb:
            perturbation_named(name)

    def sets(self, corpus: Corpora, t: Task) -> list[str]:
        """The sets that a task is trained and tested on.

        Raises ConfigError if `both` would pool sets that must be named, such as folds, where the training items of one
        are the test items of another.
        """
        named, there = {name.strip() for name in self.set.split(",")}, corpus.of(t).sets
        of = BENCHMARKS[t.benchmark]
        if "both" in named and (of.averaged or len(of.sets) != 2):
            raise ConfigError(
                f"--set {self.set}: {t.name}: name one {of.sets_en} or more of {', '.join(there)}, or all"
            )
        return [name for name in there if name in named or named & {"both", "all"}]
