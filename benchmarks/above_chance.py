"""The share of models without knowledge that are called above chance: python benchmarks/above_chance.py [FOLDER…]

Models without information answer each file of choices: uniform guesses; one letter for a whole dialogue; letters drawn by a
preference (Dirichlet, 3 per letter); the same letter throughout, each letter in turn. Prints the shares of models with p < 0.05
by the test that the suite uses (`better_than_shuffled`), and in brackets by a binomial test against uniform guesses. 5 % is
right; with 400 models, up to 7.2 % is compatible with 5 % (one-sided level 0.02). The folders hold official data; the default is
EVALSUITE_DATA. Without it a file is made up: dialogues of one to eight items, two thirds of which share their right option."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import binom

from evalsuite.benchmarks.registry import BENCHMARKS
from evalsuite.common.dialogue import sources
from evalsuite.common.errors import DataError
from evalsuite.metrics.chance import better_than_shuffled

LEVEL = 0.05
TOGETHER = 20  # models that are tested by the same shuffles


@dataclass(frozen=True)
class AnswerFile:
    """The right option, the number of options and the dialogue of each of N items."""

    name: str
    golds: list[int]
    options: list[int]
    dialogues: list[int]


GuessingModel = Callable[[np.random.Generator, AnswerFile, int], list[int]]


def uniform(rng: np.random.Generator, file: AnswerFile, _: int) -> list[int]:
    return [int(rng.integers(n)) for n in file.options]


def one_a_dialogue(rng: np.random.Generator, file: AnswerFile, _: int) -> list[int]:
    drawn = rng.random(max(file.dialogues) + 1)
    return [int(drawn[d] * n) for d, n in zip(file.dialogues, file.options, strict=True)]


def by_preference(rng: np.random.Generator, file: AnswerFile, _: int) -> list[int]:
    liking = rng.dirichlet([3.0] * max(file.options))
    return [int(rng.choice(n, p=liking[:n] / liking[:n].sum())) for n in file.options]


def always_one_letter(_: np.random.Generator, file: AnswerFile, number: int) -> list[int]:
    return [number % max(file.options)] * len(file.golds)


GUESSERS: dict[str, GuessingModel] = {
    "uniform": uniform, "one a dialogue": one_a_dialogue, "preference": by_preference, "constant": always_one_letter,
}  # fmt: skip


def files(folder: Path) -> Iterator[AnswerFile]:
    """The test files in a folder, of all benchmarks, whose items have one right option."""
    for benchmark in BENCHMARKS.values():
        try:
            corpus = benchmark.loader(benchmark, folder)
            there = [
                (task, item_set) for task, item_set in corpus.files("test") if task.kind.single and task.kind.written
            ]
        except DataError:
            continue
        for task, item_set in there:
            items = corpus.load(task, item_set, "test").items
            numbers = sources([item.context for item in items])
            golds, options = [item.golds[0] for item in items], [len(item.options) for item in items]
            yield AnswerFile(f"{benchmark.name} {task.short} {item_set}", golds, options, [*numbers])


def made_up(rng: np.random.Generator) -> AnswerFile:
    dialogues = np.repeat(np.arange(60), rng.integers(1, 9, 60))
    of_items, of_dialogues = (rng.choice(4, n, p=[0.1, 0.5, 0.1, 0.3]) for n in (len(dialogues), 60))
    golds = np.where(rng.random(len(dialogues)) < 2 / 3, of_dialogues[dialogues], of_items)
    return AnswerFile("made up", golds.tolist(), [4] * len(golds), dialogues.tolist())


def alarms(file: AnswerFile, guess: GuessingModel, count: int, rng: np.random.Generator) -> tuple[float, float]:
    """The shares of `count` models above chance, in percent: by the suite's test, and by the binomial test."""
    models = [guess(rng, file, n) for n in range(count)]
    alarm_count = 0
    for start in range(0, count, TOGETHER):
        chosen = [[[choice] for choice in model] for model in models[start : start + TOGETHER]]
        tests = better_than_shuffled(chosen, [[g] for g in file.golds], file.options, file.dialogues, rng, 1)
        alarm_count += sum(test.p < LEVEL for test in tests)
    right = np.array([sum(c == g for c, g in zip(model, file.golds, strict=True)) for model in models])
    guessed = binom.sf(right - 1, len(file.golds), np.mean([1 / n for n in file.options]))
    return 100 * alarm_count / count, 100 * float(np.mean(guessed < LEVEL))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "folders", nargs="*", type=Path, default=[Path(f) for f in (os.environ.get("EVALSUITE_DATA"),) if f]
    )
    parser.add_argument("--models", type=int, default=400, help="of each kind")
    parser.add_argument("--only", default="", help="files whose name has this")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    print(f"{'file':42s} items dialogues" + "".join(f"{name:>18s}" for name in GUESSERS))
    rates: dict[str, list[float]] = {name: [] for name in GUESSERS}
    for file in [file for folder in given.folders for file in files(folder)] or [made_up(rng)]:
        if given.only not in file.name:
            continue
        shown = []
        for name, guess in GUESSERS.items():
            now, before = alarms(file, guess, max(file.options) if guess is always_one_letter else given.models, rng)
            rates[name].append(now)
            shown.append(f"{now:10.1f} ({before:4.1f})")
        print(
            f"{file.name:42s} {len(file.golds):5d} {len({*file.dialogues}):9d}" + "".join(f"{x:>18s}" for x in shown),
            flush=True,
        )
    print(f"{'mean':58s}" + "".join(f"{np.mean(values):10.1f}        " for values in rates.values()))


if __name__ == "__main__":
    main()
