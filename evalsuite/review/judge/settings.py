"""Settings of a judging: the keywords of `evalsuite.judge` and the flags of `evalsuite judge`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, task_named
from evalsuite.common.errors import ConfigError
from evalsuite.common.flags import check_budget, check_least, flag


@dataclass(frozen=True, slots=True)
class Settings:
    """What to judge, by which models. Each field is a flag of the command line; sequences may be tuples or lists.

    Raises ConfigError for invalid values.
    """

    models: str | Path = flag("bundled:models.yaml", "The file that lists models.", "FILE")
    judge: Sequence[str] = flag(
        (),
        "The model of the file that scores; several, each apart, make a panel.",
        "NAME",
        repeated=True,
        required=True,
    )
    rubric: str = flag(
        "",
        "corecode, cicero, glucose (or cicero_en, glucose_en), or yours: prompts/judge/NAME.j2; each benchmark's own if not given.",
        "NAME",
    )
    tasks: Sequence[str] = flag(
        (), "Names of tasks or benchmarks, comma-separated; all short texts if not given.", "A,B"
    )
    model: Sequence[str] = flag(
        (), "Only these models' generations; may be given more than once.", "NAME", repeated=True
    )
    perturb: Sequence[str] = flag(("none",), "Generations under which perturbations, comma-separated.", "none,shuffle")
    limit: int | None = flag(None, "Only the first N items of each cell.", "N")
    repeats: int = flag(1, "Judge each N times: the spread within a judge.", "N")
    blind: bool = flag(False, "Judge once more without the gold answer.")
    attacks: int = flag(0, "Put each of 50 injected instructions into N candidates.", "N")
    attempts: int = flag(3, "Ask up to N times in all where a reply cannot be read.", "N")
    seed: int = flag(0, "For drawing the candidates of attacks.", "N")
    prompts: str | Path = flag("bundled:prompts", "The folder of prompt templates.", "DIR")
    budget: float | None = flag(
        None, "What run and judging may cost in all, in the currency of the models' prices.", "COST"
    )
    max_concurrency: int | None = flag(None, "Requests at an endpoint at once, instead of the model's own.", "N")
    verbose: bool = flag(False, "Show the log.", short="-v")

    def __post_init__(self) -> None:
        if not self.judge:
            raise ConfigError("--judge: expected the name of a model")
        check_least(
            1,
            limit=self.limit,
            repeats=self.repeats,
            attempts=self.attempts,
            max_concurrency=self.max_concurrency,
        )
        check_least(0, attacks=self.attacks)
        check_budget(self.budget)
        for name in self.tasks:
            if name not in BENCHMARKS and (why := task_named(name).kind.unjudged):
                raise ConfigError(f"--tasks {name}: is no generation; {why}")

    def wants(self, name: str) -> bool:
        """Whether to judge the task's replies: it or its benchmark is named; short texts only, unless the task is named."""
        every = not self.tasks or TASKS[name].benchmark in self.tasks
        return name in self.tasks or (every and TASKS[name].kind.rated)
