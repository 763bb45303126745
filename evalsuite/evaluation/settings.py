"""What a run evaluates, and how: the keywords of `evalsuite.run` and the flags of `evalsuite run`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evalsuite.benchmarks.registry import SPLITS, tasks_named
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.flags import check_budget, check_least, flag
from evalsuite.perturb import perturbation_named
from evalsuite.types import SCORINGS

EXECUTORS = ("local", "ray")


@dataclass(frozen=True, slots=True)
class Settings:
    """What to run. Each field is a flag of the command line; sequences may be tuples or lists.

    Raises ConfigError for values that make no sense. What needs the models or the data is checked by `prepare`.
    """

    models: str | Path = flag("bundled:models.yaml", "The file that lists models.", "FILE")
    model: Sequence[str] = flag(
        (), "Only these models of the file; may be given more than once.", "NAME", repeated=True
    )
    tasks: Sequence[str] = flag(
        (), "Names of tasks or benchmarks, comma-separated; all of CORECODE that is there if not given.", "A,B"
    )
    set: str = flag(
        "all", "easy or hard; of other benchmarks theirs, such as fold1; several, comma-separated; or all.", "easy"
    )
    split: str = flag("test", "train, dev or test.", "dev")
    shots: Sequence[int] = flag(
        (0,),
        "Examples before the question, one number or more; drawn from train for each item, never of its own dialogue.",
        "0,1,3,5",
    )
    prompt: Sequence[str] = flag(
        ("paper",), "Wordings, comma-separated: paper, plain, or a template of yours.", "paper,plain"
    )
    scoring: Sequence[str] = flag(
        ("generate",),
        "How choices are asked, comma-separated: generate (written and parsed), labels or texts (the likelihood of each), constrained (only a label can be written).",
        "generate,labels",
    )
    perturb: Sequence[str] = flag(
        ("none",), "How items are changed first, comma-separated: none, reindicate, shuffle, both …", "none,shuffle"
    )
    limit: int | None = flag(None, "Only the first N items of each file.", "N")
    data: str | Path | None = flag(
        None, "Official data; else EVALSUITE_DATA, else the bundled sample (bundled:sample).", "DIR"
    )
    out: str | Path = flag("runs/default", "The run's folder. The same command goes on in it where it stopped.", "DIR")
    seed: int = flag(0, "For drawing shots and for perturbations.", "N")
    skip_bad: bool = flag(False, "Leave broken lines out, and count them, instead of stopping.")
    drop_leaked: bool = flag(
        False, "Leave out items whose dialogue is in the training split, too; if not given, they are only counted."
    )
    prompts: str | Path = flag("bundled:prompts", "The folder of prompt templates.", "DIR")
    budget: float | None = flag(
        None, "What the run may cost in all, in the currency of the models' prices; it is never passed.", "COST"
    )
    max_concurrency: int | None = flag(None, "Requests at an endpoint at once, instead of the models' own.", "N")
    executor: str = flag("local", "local, or ray: hf and vllm models as replicas on a Ray cluster.", "ray")
    ray_address: str | None = flag(None, "The cluster; else RAY_ADDRESS, else this machine alone.", "HOST:PORT")
    replicas: int | None = flag(None, "Copies of a model on the cluster; as many as fit if not given.", "N")
    verbose: bool = flag(False, "Show the log.", short="-v")

    def __post_init__(self) -> None:
        if self.split not in SPLITS:
            raise ConfigError(f"--split {self.split}: expected train, dev or test")
        if not self.shots or min(self.shots) < 0:
            raise ConfigError("--shots: expected one number or more, none negative")
        check_least(1, limit=self.limit, max_concurrency=self.max_concurrency, replicas=self.replicas)
        check_budget(self.budget)
        if self.executor not in EXECUTORS:
            raise ConfigError(unknown("executor", self.executor, EXECUTORS))
        for name in self.scoring:
            if name not in SCORINGS:
                raise ConfigError(unknown("scoring", name, SCORINGS))
        tasks_named(self.tasks)
        for name in self.perturb:
            perturbation_named(name)
