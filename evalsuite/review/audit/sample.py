"""Stratified sampling of a run's outputs, with the weights that estimates for the whole run need.

A stratum is a task, a set and an outcome (right, wrong, partial, or a status without an answer), so that rare outcomes
are sampled. Its share of the sample is proportional to the square root of its size. The weight of a sampled output is
its inverse inclusion probability: how many of the run's outputs it represents.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from pydantic import TypeAdapter, ValidationError

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.files import read_json, replace_file
from evalsuite.common.grouping import by_key
from evalsuite.common.jsonl import first_fault
from evalsuite.review.audit.outputs import Output

SAMPLE = "sample.json"  # holds the parser's answers: annotators should not open it
_FORMAT = 1

# From fine to coarse. The finest level with two draws per stratum is used: one draw gives no variance.
_LEVELS: tuple[Callable[[Output], str], ...] = (
    lambda o: f"{o.task} {o.set} {o.outcome}",
    lambda o: f"{o.task} {o.outcome}",
    lambda o: f"{o.kind.name} {o.outcome}",
    lambda o: o.kind.name,
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A sampled output. `size`: outputs of its stratum in the run; `drawn`: how many of them were sampled."""

    output: Output
    stratum: str
    size: int
    drawn: int

    @property
    def weight(self) -> float:
        return self.size / self.drawn


@dataclass(frozen=True, slots=True)
class RunTotals:
    """Exact counts over all outputs of one model and one kind of task in the run."""

    model: str
    kind: str  # Kind.name
    outputs: int
    raw: int  # correct without parsing (`Output.raw_right`)
    filtered: int  # correct once parsed


@dataclass(frozen=True, slots=True)
class Sample:
    """A drawn sample, as sample.json keeps it."""

    name: str
    seed: int
    rubric: str
    tasks: tuple[str, ...]  # the tasks of the outputs; with coarse strata some may have no output in the sample
    drawn: tuple[Drawn, ...]  # in marking order
    whole: tuple[RunTotals, ...]
    suspicious: bool = False  # drawn from replies to suspicious items only; `whole` counts these, too

    @property
    def hash(self) -> str:
        """A hash that every mark names, so that marks of another sample are rejected. It does not cover the parser's readings."""
        parts = [_FORMAT, self.rubric, [d.output.id for d in self.drawn]]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def run_totals(outputs: Sequence[Output]) -> tuple[RunTotals, ...]:
    """Counts per model and kind."""
    groups = by_key(((output.model, output.kind.name), output) for output in outputs)
    return tuple(
        RunTotals(*group, len(members), sum(o.raw_right for o in members), sum(o.right for o in members))
        for group, members in groups.items()
    )


def draw_sample(outputs: Sequence[Output], name: str, n: int, seed: int, rubric: str) -> Sample:
    """Draw `n` outputs per model (all, if a model has fewer).

    They are ordered by task, so that annotators seldom switch, and shuffled within a task, so that the order reveals
    neither model nor outcome. Raises ConfigError if `n` is smaller than the number of kinds.
    """
    models = by_key((output.model, output) for output in outputs)
    drawn = [d for model, of_model in models.items() for d in _draw(of_model, n, f"{seed}:audit:{model}")]
    Random(f"{seed}:audit:order").shuffle(drawn)
    drawn.sort(key=lambda d: list(TASKS).index(d.output.task))
    tasks = tuple(name for name in TASKS if any(o.task == name for o in outputs))
    return Sample(name, seed, rubric, tasks, tuple(drawn), run_totals(outputs))


def _draw(outputs: Sequence[Output], n: int, purpose: str) -> list[Drawn]:
    n = min(n, len(outputs))
    counts = [Counter(map(level, outputs)) for level in _LEVELS]
    chosen = next((i for i, c in enumerate(counts) if n == len(outputs) or 2 * len(c) <= n), len(_LEVELS) - 1)
    level, sizes = _LEVELS[chosen], counts[chosen]
    if n < len(sizes):
        raise ConfigError(f"{n} outputs are too few for {len(sizes)} kinds of task ({', '.join(sizes)}): raise --n")
    taken = allocate(sizes, n)
    drawn = []
    for stratum in sorted(sizes):
        rng = Random(f"{purpose}:{stratum}")
        members = [o for o in outputs if level(o) == stratum]
        rng.shuffle(members)
        # Systematic sampling from a random start, sorted by task and set: equal probabilities, and a stratum of
        # several tasks is sampled from all of them.
        members.sort(key=lambda o: (o.task, o.set))
        step, start = len(members) / taken[stratum], rng.random()
        indices = (min(len(members) - 1, math.floor((start + i) * step)) for i in range(taken[stratum]))
        drawn += [Drawn(members[i], stratum, len(members), taken[stratum]) for i in indices]
    return drawn


def allocate(sizes: Counter[str], n: int) -> dict[str, int]:
    """Sample size per stratum: one or two each, the rest in proportion to the square root of its size.

    >>> allocate(Counter(right=100, wrong=16, refused=1), 13)
    {'refused': 1, 'right': 9, 'wrong': 3}
    """
    least = 2 if n >= sum(min(2, size) for size in sizes.values()) else 1
    taken = {name: min(least, sizes[name]) for name in sorted(sizes)}
    for _ in range(n - sum(taken.values())):
        incomplete = [name for name in taken if taken[name] < sizes[name]]
        taken[max(incomplete, key=lambda name: math.sqrt(sizes[name]) / (taken[name] + 0.5))] += 1
    return taken


def save_sample(sample: Sample, path: Path) -> None:
    """Write sample.json."""
    content = {"format": _FORMAT, "sample": sample.hash, **asdict(sample)}
    replace_file(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def stated_hash(path: Path) -> str | None:
    """The hash of the sample that sample.json states, also where the rest of the file is malformed; None without a hash."""
    try:
        content = read_json(path)
    except DataError:
        return None
    stated = content.get("sample") if isinstance(content, dict) else None
    return stated if isinstance(stated, str) else None


def load_sample(path: Path) -> Sample:
    """Read sample.json. Raises ConfigError if it is malformed, edited, or of another format version."""
    content = read_json(path)
    try:
        sample = TypeAdapter(Sample).validate_python(content)
    except ValidationError as error:
        raise ConfigError(f"{first_fault(error, path)}: not a sample of `evalsuite audit make`") from None
    if content.get("format") != _FORMAT or content.get("sample") != sample.hash:
        raise ConfigError(f"{path}: changed by hand, or of another version of evalsuite; make the sample again")
    return sample
