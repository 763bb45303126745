"""Settings of a judging: the keywords of `evalsuite.judge` and the flags of `evalsuite judge`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, task_named, whole_name
from evalsuite.common.errors import ConfigError
from evalsuite.common.flags import check_budget, check_folder, check_least, flag, max_concurrency_flag, verbose_flag
from evalsuite.perturb import perturbation_named


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """The cells to judge, and the judges. Each field is a flag of the command line; sequences may be tuples or lists.

    Raises ConfigError for invalid values.
    """

    models: str | Path = flag("bundled:models.yaml", "The models.yaml that lists models.", "FILE")
    judge: Sequence[str] = flag(
        (), "A model of the file that scores; several make a panel.", "NAME", repeated=True, required=True
    )
    rubric: str = flag(
        "",
        "Rubric: corecode, cicero, glucose, cicero_en, glucose_en, charm, or your prompts/judge/NAME.j2; "
        "default: each benchmark's own.",
        "NAME",
    )
    tasks: Sequence[str] = flag((), "Tasks or benchmarks, comma-separated; default: all tasks of short texts.", "A,B")
    model: Sequence[str] = flag((), "Only replies of this model; may be given more than once.", "NAME", repeated=True)
    perturb: Sequence[str] = flag(("none",), "Only replies under these perturbations, comma-separated.", "none,shuffle")
    limit: int | None = flag(None, "Only the first N items of each cell.", "N")
    repeats: int = flag(1, "Judge each reply N times, to measure the judge's own spread.", "N")
    blind: bool = flag(False, "Judge each reply once more without the gold answer.")
    attacks: int = flag(0, "Inject each of 50 instructions into N replies.", "N")
    attempts: int = flag(3, "Ask a judge up to N times if its reply cannot be parsed.", "N")
    seed: int = flag(0, "Seed of the replies drawn for attacks.", "N")
    prompts: str | Path = flag(
        "bundled:prompts", "A folder with rubrics of yours, judge/NAME.j2, beside those that ship.", "DIR"
    )
    budget: float | None = flag(
        None,
        "Limit on the total cost of run and judging, in the currency of the models' prices; never exceeded.",
        "COST",
    )
    max_concurrency: int | None = max_concurrency_flag()
    verbose: bool = verbose_flag()

    def __post_init__(self) -> None:
        if not self.judge:
            raise ConfigError("--judge: expected the name of a model")
        check_least(
            1, limit=self.limit, repeats=self.repeats, attempts=self.attempts, max_concurrency=self.max_concurrency
        )
        check_least(0, attacks=self.attacks)
        check_budget(self.budget)
        check_folder(prompts=self.prompts)
        object.__setattr__(self, "tasks", tuple(map(whole_name, self.tasks)))
        for name in self.perturb:
            perturbation_named(name)
        for name in self.tasks:
            if name not in BENCHMARKS and (why := task_named(name).kind.unjudged):
                raise ConfigError(f"--tasks {name}: is no generation; {why}")

    def wants(self, name: str) -> bool:
        """Whether to judge the replies to a task: one that is named, or one of short texts that is of a named benchmark. If
        nothing is named, those to all tasks of short texts."""
        every = not self.tasks or TASKS[name].benchmark in self.tasks
        return name in self.tasks or (every and TASKS[name].kind.rated)
