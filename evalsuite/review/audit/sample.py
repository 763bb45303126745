"""A stratified sample of a run's outputs, and the design that lets it speak for all of them.

A stratum is a task, a set and an outcome (right, wrong, partial, or a status without an answer), so that rare outcomes are
seen; its share of the sample goes with the root of its size. Every output carries its weight, how many of the run's it
stands for: the inverse of its probability to be drawn.
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

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import ConfigError
from evalsuite.common.files import replace_file
from evalsuite.review.audit.outputs import Output, from_json

SAMPLE = "sample.json"  # the sample with what the parser read: not for the eyes of who marks it
_FORMAT = 1

# From fine to coarse. Taken is the finest that leaves two draws a stratum: with less, nothing is known of its spread.
_LEVELS: tuple[Callable[[Output], str], ...] = (
    lambda o: f"{o.task} {o.set} {o.outcome}",
    lambda o: f"{o.task} {o.outcome}",
    lambda o: f"{o.kind.name} {o.outcome}",
    lambda o: o.kind.name,
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """An output of the sample. `size`: how many outputs its stratum has in the run; `drawn`: how many were taken."""

    output: Output
    stratum: str
    size: int
    drawn: int

    @property
    def weight(self) -> float:
        return self.size / self.drawn


@dataclass(frozen=True, slots=True)
class Whole:
    """All outputs of one kind that one model wrote in the run; what the suite counts of them needs no estimate."""

    model: str
    kind: str  # its name
    outputs: int
    raw: int  # correct as they stand
    filtered: int  # correct once parsed


@dataclass(frozen=True, slots=True)
class Sample:
    name: str
    seed: int
    rubric: str
    tasks: tuple[str, ...]  # that it speaks of; where strata are coarse, one may have no output in it
    drawn: tuple[Drawn, ...]  # in the order in which they are to be marked
    whole: tuple[Whole, ...]

    @property
    def hash(self) -> str:
        """Stored with every mark, so that marks of another sample are rejected. Covers the outputs, not how they were read."""
        parts = [_FORMAT, self.rubric, [d.output.id for d in self.drawn]]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def whole(outputs: Sequence[Output]) -> tuple[Whole, ...]:
    groups: dict[tuple[str, str], list[Output]] = {}
    for output in outputs:
        groups.setdefault((output.model, output.kind.name), []).append(output)
    return tuple(
        Whole(*place, len(mine), sum(o.raw_right for o in mine), sum(o.right for o in mine))
        for place, mine in groups.items()
    )


def draw(outputs: Sequence[Output], name: str, n: int, seed: int, rubric: str) -> Sample:
    """`n` outputs of each model (all, if it has fewer). By task, as a person changes tasks slowly; within a task in an
    order that tells nothing of model or outcome."""
    models: dict[str, list[Output]] = {}
    for output in outputs:
        models.setdefault(output.model, []).append(output)
    found = [d for model, mine in models.items() for d in _draw(mine, n, f"{seed}:audit:{model}")]
    Random(f"{seed}:audit:order").shuffle(found)
    found.sort(key=lambda d: list(TASKS).index(d.output.task))
    tasks = tuple(name for name in TASKS if any(o.task == name for o in outputs))
    return Sample(name, seed, rubric, tasks, tuple(found), whole(outputs))


def _draw(outputs: Sequence[Output], n: int, purpose: str) -> list[Drawn]:
    n = min(n, len(outputs))
    counts = [Counter(map(level, outputs)) for level in _LEVELS]
    fine = next((i for i, c in enumerate(counts) if n == len(outputs) or 2 * len(c) <= n), len(_LEVELS) - 1)
    level, sizes = _LEVELS[fine], counts[fine]
    if n < len(sizes):
        raise ConfigError(f"{n} outputs are too few for {len(sizes)} kinds of task ({', '.join(sizes)}): raise --n")
    taken = allocate(sizes, n)
    found = []
    for stratum in sorted(sizes):
        rng = Random(f"{purpose}:{stratum}")
        mine = [o for o in outputs if level(o) == stratum]
        rng.shuffle(mine)
        # Tasks and sets side by side, then every so-manieth from a random start: all have the same chance, and a
        # stratum of several tasks is drawn from all of them.
        mine.sort(key=lambda o: (o.task, o.set))
        step, start = len(mine) / taken[stratum], rng.random()
        chosen = [mine[min(len(mine) - 1, math.floor((start + i) * step))] for i in range(taken[stratum])]
        found += [Drawn(o, stratum, len(mine), taken[stratum]) for o in chosen]
    return found


def allocate(sizes: Counter[str], n: int) -> dict[str, int]:
    """How many of each stratum: one or two of each, the rest by the root of its size.

    >>> allocate(Counter(right=100, wrong=16, refused=1), 13)
    {'refused': 1, 'right': 8, 'wrong': 4}
    """
    least = 2 if n >= sum(min(2, size) for size in sizes.values()) else 1
    taken = {name: min(least, sizes[name]) for name in sorted(sizes)}
    for _ in range(n - sum(taken.values())):
        open_ = [name for name in taken if taken[name] < sizes[name]]
        taken[max(open_, key=lambda name: math.sqrt(sizes[name]) / (taken[name] + 0.5))] += 1
    return taken


def save(sample: Sample, path: Path) -> None:
    content = {"format": _FORMAT, "sample": sample.hash, **asdict(sample)}
    replace_file(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def load(path: Path) -> Sample:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        drawn = tuple(Drawn(**{**d, "output": from_json(d["output"])}) for d in found["drawn"])
        sample = Sample(
            **{name: found[name] for name in ("name", "seed", "rubric")},
            tasks=tuple(found["tasks"]),
            drawn=drawn,
            whole=tuple(Whole(**w) for w in found["whole"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: no sample of `evalsuite audit make` ({error!r})") from None
    if found.get("format") != _FORMAT or found.get("sample") != sample.hash:
        raise ConfigError(f"{path}: changed by hand, or of another version of evalsuite; make the sample again")
    return sample
