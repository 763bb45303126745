"""Settings of a run: the keywords of `evalsuite.run` and the flags of `evalsuite run`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.registry import SPLITS, add_files, tasks_named, whole_name
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.flags import (
    benchmark_flag,
    check_budget,
    check_folder,
    check_least,
    data_flag,
    flag,
    folders,
    max_concurrency_flag,
    prompts_flag,
    verbose_flag,
)
from evalsuite.perturb import perturbation_named
from evalsuite.types import SCORINGS

EXECUTORS = ("local", "ray")


def points(text: str | float, name: str) -> float:
    """A half width in points, such as ±2, +-2 or 2, as a share: 0.02. Raises ConfigError unless the points are above 0, below 50.

    >>> points("±2.5", "--until")
    0.025
    """
    try:
        share = float(str(text).strip().removeprefix("±").removeprefix("+-").removeprefix("+/-")) / 100
    except ValueError:
        share = 0.0
    if not 0 < share < 0.5:
        raise ConfigError(f"{name} {text}: expected points above 0 and below 50, such as ±2")
    return share


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of an evaluation. Each field is a flag of the command line; sequences may be tuples or lists.

    Raises ConfigError for invalid values. `plan.prepare` checks what depends on the models or the data.
    """

    models: str | Path = flag("bundled:models.yaml", "The models.yaml that lists models.", "FILE")
    model: Sequence[str] = flag((), "Only this model of the file; may be given more than once.", "NAME", repeated=True)
    baselines: Sequence[str] = flag(
        ("random", "majority", "lexical"),
        "Baselines to evaluate beside the models, comma-separated: random, majority, lexical, oracle, or none. If "
        "--model names baselines, only those are evaluated.",
        "none",
    )
    tasks: Sequence[str] = flag(
        (),
        "Tasks by name or short name, such as event_cause or EC, benchmarks, or groups such as chinese, "
        "comma-separated; default: all tasks of CORECODE that the data have.",
        "A,B",
    )
    benchmark: Sequence[str | Path] = benchmark_flag()
    set: str = flag(
        "all", "Sets, comma-separated: easy, hard, those of another benchmark such as fold1, or all.", "easy"
    )
    split: str = flag("test", "Split: train, dev or test.", "dev")
    shots: Sequence[int] = flag(
        (0,),
        "Numbers of shots, comma-separated. Shots are drawn from train for each item, never from its own dialogue.",
        "0,1,3,5",
    )
    prompt: Sequence[str] = flag(
        ("paper",),
        "Prompt wordings, comma-separated: paper, plain, cot (which reasons first), or the name of your template.",
        "paper,plain",
    )
    scoring: Sequence[str] = flag(
        ("generate",),
        "Scorings of choices, comma-separated: generate (write a reply, parse it), constrained (write only a label), "
        "labels or texts (compare likelihoods).",
        "generate,labels",
    )
    perturb: Sequence[str] = flag(
        ("none",),
        "Perturbations of the items, comma-separated: none, reindicate, shuffle, both … (docs/robustness.md).",
        "none,shuffle",
    )
    limit: int | None = flag(None, "Only the first N items of each file.", "N")
    items: str | Path | None = flag(
        None, "Only the items in this file: one of `evalsuite anchors`, or ids, one a line.", "FILE"
    )
    until: str | None = flag(
        None,
        "Ask items in a random order until the score of each cell is known within so many points, with 95 % confidence, "
        "then stop (docs/early_stopping.md).",
        "±2",
    )
    until_ranked: str | None = flag(
        None,
        "Ask items in a random order until each pair of models is told apart, or surely differs by less than so many "
        "points, then stop (docs/early_stopping.md).",
        "±1",
    )
    again: str | None = flag(
        None,
        "Also ask again, with --max-new-tokens, each request whose reply was cut off before it answered. The first reply "
        "is kept.",
        "truncated",
    )
    max_new_tokens: int | None = flag(None, "With --again: the limit of the second reply, in tokens.", "N")
    data: Sequence[str | Path] = data_flag()
    out: str | Path = flag("runs/default", "The run's folder. The same command resumes in it.", "DIR")
    seed: int = flag(0, "Seed of shots and perturbations.", "N")
    skip_bad: bool = flag(False, "Skip and count broken lines of the data, instead of stopping at the first.")
    drop_leaked: bool = flag(
        False, "Leave out items whose dialogue is also in the training split; default: only count them."
    )
    prompts: str | Path = prompts_flag()
    semsim: str | Path | None = flag(
        None,
        "Also compute Sem-Sim of short texts with the encoder in this folder (sentence-transformers, or a checkpoint "
        "such as SimCSE), or with use.",
        "DIR",
    )
    budget: float | None = flag(
        None,
        "Limit on the total cost of the run's folder, in the currency of the models' prices; never exceeded.",
        "COST",
    )
    max_concurrency: int | None = max_concurrency_flag()
    executor: str = flag("local", "local, or ray: run hf and vllm models as replicas on a Ray cluster.", "ray")
    ray_address: str | None = flag(
        None, "Address of the Ray cluster; default: RAY_ADDRESS, else this machine alone.", "HOST:PORT"
    )
    replicas: int | None = flag(None, "Replicas of a model on the cluster; default: as many as fit.", "N")
    verbose: bool = verbose_flag()

    def __post_init__(self) -> None:
        # Imported here, since every command loads this module, and few need the settings of models.
        from evalsuite.backends.model import BASELINES

        if self.split not in SPLITS:
            raise ConfigError(f"--split {self.split}: expected train, dev or test")
        if not self.shots or min(self.shots) < 0:
            raise ConfigError("--shots: expected one number or more, none negative, such as 0,5")
        check_least(1, limit=self.limit, max_new_tokens=self.max_new_tokens)
        check_least(1, max_concurrency=self.max_concurrency, replicas=self.replicas)
        if self.limit and self.items:
            raise ConfigError("--limit and --items: name one, since each says which items are asked")
        check_budget(self.budget)
        check_folder(prompts=self.prompts)
        if self.until is not None:
            points(self.until, "--until")
        if self.until_ranked is not None:
            points(self.until_ranked, "--until-ranked")
            if self.until is not None:
                raise ConfigError("--until and --until-ranked: each says when to stop; give one")
        if self.items and (self.until or self.until_ranked):
            raise ConfigError("--items: --until and --until-ranked draw the items themselves; give one")
        if self.again not in (None, "truncated"):
            raise ConfigError(unknown("--again", self.again, ["truncated"]))
        if self.again and self.max_new_tokens is None:
            raise ConfigError("--again: name the longer limit of a reply, too, such as --max-new-tokens 1024")
        if self.max_new_tokens is not None and not self.again:
            raise ConfigError(
                "--max-new-tokens: goes with --again truncated; for all replies set max_new_tokens under generation in "
                "the model's entry of models.yaml"
            )
        if self.again and (self.until or self.until_ranked):
            raise ConfigError("--again: --until and --until-ranked stop by the first replies; give one")
        if self.executor not in EXECUTORS:
            raise ConfigError(unknown("executor", self.executor, EXECUTORS))
        for name in self.scoring:
            if name not in SCORINGS:
                raise ConfigError(unknown("scoring", name, SCORINGS))
        object.__setattr__(self, "baselines", tuple(name for name in self.baselines if name != "none"))
        for name in self.baselines:
            if name not in BASELINES:
                raise ConfigError(unknown("baseline", name, [*BASELINES, "none"]))
        object.__setattr__(self, "data", folders(self.data))
        object.__setattr__(self, "benchmark", tuple(map(str, folders(self.benchmark))))
        tasks_of_files = add_files(self.benchmark)
        object.__setattr__(self, "tasks", tuple(map(whole_name, self.tasks or tasks_of_files)))
        tasks_named(self.tasks)
        for name in self.perturb:
            perturbation_named(name)

    @property
    def stops(self) -> dict[str, Any] | None:
        """The condition that ends the asking of a cell early, as a fact of the cell; None: every item is asked."""
        if self.until_ranked is not None:
            return {"margin": points(self.until_ranked, "--until-ranked"), "ranked": True}
        return None if self.until is None else {"margin": points(self.until, "--until")}
