"""Settings of `evalsuite contamination`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evalsuite.benchmarks.registry import SPLITS, add_files, tasks_named
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.flags import (
    benchmark_flag,
    check_budget,
    check_least,
    data_flag,
    flag,
    max_concurrency_flag,
    prompts_flag,
    verbose_flag,
)

# Names of tests, in the order of tables. By likelihood: order to names. By generated text: completion (hf, vllm), guided.
TESTS = ("order", "options", "mink", "names", "completion", "guided")
FORMS = ("raw", "prompt")


@dataclass(frozen=True, slots=True)
class ContaminationSettings:
    """Settings of a test of contamination: keywords of `evalsuite.contamination`, and flags of the command.

    Raises ConfigError for invalid values.
    """

    models: str | Path = flag("bundled:models.yaml", "The models.yaml that lists models.", "FILE")
    reference: str | None = flag(
        None,
        "A model of the file that surely has not seen the data, such as the base of an adapter: what is tested is "
        "then the difference from it.",
        "NAME",
    )
    tasks: Sequence[str] = flag(
        (), "Tasks, benchmarks or groups, comma-separated; default: all tasks of CORECODE that the data have.", "A,B"
    )
    benchmark: Sequence[str | Path] = benchmark_flag()
    set: str = flag("all", "Sets, comma-separated, or all.", "easy")
    split: str = flag("test", "The split that the model may have seen: train, dev or test.", "test")
    data: Sequence[str | Path] = data_flag()
    out: str | Path = flag(
        "runs/default",
        "The run's folder, whose page shows the results beside its scores. The same command resumes in it.",
        "DIR",
    )
    tests: Sequence[str] = flag(
        (), f"Tests, comma-separated: {', '.join(TESTS)}; default: all that the model's backend can take.", "order,mink"
    )
    form: Sequence[str] = flag(
        FORMS,
        "How the model may have read single items: raw (the file's own lines), prompt (our prompt and the right reply), or both.",
        "raw,prompt",
    )
    control: str = flag(
        "dev",
        "Control items: another split of the same data, a folder with data of the same layout that nobody has "
        "published, or none.",
        "DIR",
    )
    prompt: str = flag("paper", "The wording of prompts.", "plain")
    shuffles: int = flag(
        5, "Number of other orders in which each shard of a file, and the options of each item, are read.", "N"
    )
    shards: int = flag(64, "Shards of each file, drawn at random.", "N")
    window: int = flag(2048, "Tokens of a shard; the model's context is the upper limit.", "N")
    items: int = flag(
        300, "Items of each file in the tests of single items, drawn at random, and as many control items.", "N"
    )
    completions: int = flag(50, "Items of each file that the model is to continue, and as many control items.", "N")
    limit: int | None = flag(None, "Only the first N entries of each file.", "N")
    seed: int = flag(0, "Seed of all random draws.", "N")
    skip_bad: bool = flag(False, "Skip and count broken lines of the data, instead of stopping at the first.")
    prompts: str | Path = prompts_flag()
    budget: float | None = flag(
        None, "Limit on the total cost at endpoints, in the currency of the model's prices; never exceeded.", "COST"
    )
    max_concurrency: int | None = max_concurrency_flag()
    verbose: bool = verbose_flag()

    def __post_init__(self) -> None:
        if self.split not in SPLITS:
            raise ConfigError(f"--split {self.split}: expected train, dev or test")
        for name in self.tests:
            if name not in TESTS:
                raise ConfigError(unknown("test", name, TESTS))
        if not self.form:
            raise ConfigError("--form: expected raw, prompt or both")
        for name in self.form:
            if name not in FORMS:
                raise ConfigError(unknown("form", name, FORMS))
        if self.control == self.split:
            raise ConfigError(f"--control {self.control}: is the split that is tested; name another")
        check_least(1, shuffles=self.shuffles, shards=self.shards, items=self.items, completions=self.completions)
        check_least(1, limit=self.limit, max_concurrency=self.max_concurrency)
        check_least(64, window=self.window)
        check_budget(self.budget)
        tasks_of_files = add_files(self.benchmark)
        object.__setattr__(self, "tasks", tuple(self.tasks or tasks_of_files))
        tasks_named(self.tasks)
