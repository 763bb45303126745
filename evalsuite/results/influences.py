"""Dialogues' influences on a cell's metrics, for means over cells whose items may share dialogues."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalsuite.common.dialogue import sources
from evalsuite.common.grouping import by_key
from evalsuite.results.outcomes import CellOutcomes, item_values
from evalsuite.results.scoring import ScoredItems

if TYPE_CHECKING:
    from evalsuite.metrics.counts import Floats

Context = tuple[str, ...]
DialogueNumbers = Mapping[Context, int]  # context -> number of its dialogue among the contexts of several cells


@dataclass(frozen=True, slots=True)
class Influences:
    """The influences of a cell's dialogues, C in number, on its metrics."""

    contexts: tuple[tuple[Context, ...], ...]  # (C,) the contexts of each dialogue's items, without repetition
    shares: Floats  # (C,) each dialogue's share of the items
    moves: Mapping[str, Floats]  # metric -> (C,) its value minus its value without the dialogue


def by_dialogue(cell: Influences | None, metric: str, numbers: DialogueNumbers) -> dict[Hashable, tuple[float, float]]:
    """Number of a dialogue -> (influence on a metric, share of the items); empty if influences are not known. If two dialogues of
    the cell have one number, their influences and shares add up."""
    influences: dict[Hashable, tuple[float, float]] = {}
    if cell and metric in cell.moves:
        for contexts, move, share in zip(cell.contexts, cell.moves[metric], cell.shares, strict=True):
            moved, had = influences.get(numbers[contexts[0]], (0.0, 0.0))
            influences[numbers[contexts[0]]] = moved + float(move), had + float(share)
    return influences


def influences_of(scored: ScoredItems, metrics: Collection[str]) -> Influences:
    """The influences of a cell's dialogues on `metrics`; if none is named, on all metrics of the cell."""
    from evalsuite.metrics.statistics import influences

    moves: dict[str, Floats] = {}
    for part in scored.parts:
        wanted = [name for name in part.names if not metrics or name in metrics]
        if wanted:
            of_part = influences(part.sums, scored.clusters)
            moves |= {name: of_part[part.names[name]] for name in wanted}
    return _of([item.context for item in scored.items], scored.clusters, moves)


def influences_on_change(base: CellOutcomes, other: CellOutcomes, metric: str) -> Influences:
    """The influences of dialogues on the mean change of a metric from one cell to another, over the items that both have."""
    from evalsuite.metrics.statistics import Means, influences

    before, after = item_values(base), item_values(other)
    both = [name for name in before if name in after]
    clusters = [before[name].first.cluster for name in both]
    changes = Means.of({metric: [after[name].value - before[name].value for name in both]})
    contexts = [before[name].first.item.context for name in both]
    return _of(contexts, clusters, influences(changes, clusters))


def _of(contexts: Iterable[Context], clusters: Collection[int], moves: Mapping[str, Floats]) -> Influences:
    import numpy as np

    groups = by_key(zip(clusters, contexts, strict=True))
    shares = np.array([len(group) for group in groups.values()]) / len(clusters)
    return Influences(tuple(tuple(dict.fromkeys(group)) for group in groups.values()), shares, moves)


def numbered(cells: Iterable[Influences]) -> DialogueNumbers:
    """Number the dialogues of several cells. Contexts that are one dialogue, masked or clipped by a task, get one number."""
    contexts = [*dict.fromkeys(context for cell in cells for group in cell.contexts for context in group)]
    return dict(zip(contexts, sources(contexts), strict=True))
