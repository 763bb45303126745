"""The cells that findings are about: the complete, unperturbed ones of a benchmark's last set, which is its harder one if it has
levels, of the most frequent split and way of asking.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from evalsuite.analyses.significance import ModelScores
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.sheet import Text
from evalsuite.results.analysis import Results
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.words import set_title, split_order, split_words
from evalsuite.types import Benchmark, Task


@dataclass(frozen=True, slots=True)
class FindingCell:
    """A cell of a page of one or more runs."""

    number: int  # index among the page's cells
    id: str  # identifies the model: index of its run, tab, name
    name: str  # the model's name, with its run where several have one of this name
    run: int  # index among the page's runs
    cell: CellResult
    scores: ModelScores | None  # the scores by item; None for baselines, and for models that are not ranked

    @property
    def task(self) -> Task:
        return TASKS[self.cell.task]

    @property
    def score(self) -> float:
        return self.cell.headline.value or 0.0


def page_cells(runs: Sequence[Results]) -> list[FindingCell]:
    """All cells of a page, in the page's order."""
    cells = [(run, cell) for run, results in enumerate(runs) for cell in results.cells]
    runs_with = Counter(model for _, model in {(run, cell.model) for run, cell in cells})
    finding_cells = []
    for n, (run, cell) in enumerate(cells):
        name = cell.model if runs_with[cell.model] == 1 else f"{cell.model} ({runs[run].out.name})"
        finding_cells.append(FindingCell(n, f"{run}\t{cell.model}", name, run, cell, None))
    return finding_cells


def cells_of_findings(
    benchmark: Benchmark, cells: Sequence[FindingCell], models: Iterable[ModelScores]
) -> tuple[list[FindingCell], Text]:
    """The cells of a benchmark that findings are about, and their title: the benchmark, and of set, split and way of asking those
    that differ between its cells.

    cells: all cells of the benchmark. models: scores by item.
    """
    item_set = max(
        {c.cell.set for c in cells}, key=lambda name: (name in benchmark.sets and benchmark.sets.index(name), name)
    )
    named = set_title(benchmark, item_set)
    title = Text(benchmark.title, benchmark.title)
    if benchmark.sets != (item_set,):
        title = Text(f"{title.zh} {named.zh}", f"{title.en} {named.en}")
    usual = _usual([c for c in cells if c.cell.set == item_set])
    if usual and len({c.cell.split for c in cells}) > 1:
        split = split_words(usual[0].cell.split)
        title = Text(f"{title.zh} {split.zh}", f"{title.en} {split.en}")
    if usual and len({replace(c.cell.place, perturb="none").way for c in cells}) > 1:
        way = usual[0].cell.place.way
        title = Text(f"{title.zh}（{way}）", f"{title.en} ({way})")
    ranked = {cell.place: cell for cell in models if cell.whole and not cell.adapter}
    return [replace(c, scores=ranked.get(replace(c.cell.place, model=c.id))) for c in usual], title


def _usual(cells: Sequence[FindingCell]) -> list[FindingCell]:
    """The complete, unperturbed cells of the most frequent split and way; of equally frequent ones, those of the test split."""

    def way(cell: CellResult) -> tuple[str, str, int, str]:
        scoring = cell.scoring.replace("nll", "generate")  # nll is the only scoring of probes
        return cell.split, cell.variant, cell.shots, scoring

    plain = [c for c in cells if is_plain(c) and not c.cell.is_adapter]
    if not plain:
        return []
    of_models = [c for c in plain if not c.cell.is_baseline] or plain
    counts = Counter(way(c.cell) for c in of_models)
    most = max(counts, key=lambda asked: (counts[asked], -split_order(asked[0])))
    return [c for c in plain if way(c.cell) == most]


def is_plain(cell: FindingCell) -> bool:
    """Whether a cell is complete and unperturbed, and has a headline figure."""
    return cell.cell.perturb == "none" and cell.cell.is_complete and cell.cell.headline.value is not None


def ranked_cells(cells: Sequence[FindingCell]) -> list[FindingCell]:
    """The cells of models that are ranked."""
    return [c for c in cells if c.scores is not None and not c.cell.is_baseline]


def baseline_kind(cell: FindingCell) -> str:
    """The kind of a baseline: random, majority, lexical or oracle, as its fingerprint has it."""
    return cell.cell.facts.fingerprint.removeprefix("baseline:").split(":")[0]


def baseline_cells(cells: Sequence[FindingCell]) -> list[FindingCell]:
    """The cells of baselines that models are compared with: all but the oracle's, which knows the right answers."""
    return [c for c in cells if c.cell.is_baseline and baseline_kind(c) != "oracle"]


def best_of_tasks(cells: Sequence[FindingCell]) -> dict[str, FindingCell]:
    """Task -> the cell with the highest score; the first of equal ones."""
    best: dict[str, FindingCell] = {}
    for cell in cells:
        name = cell.task.name
        if name not in best or cell.score > best[name].score:
            best[name] = cell
    return best


def best_baselines(cells: Sequence[FindingCell], models: Mapping[str, FindingCell]) -> dict[str, FindingCell]:
    """Task -> the best baseline among those that were asked the same items as the task's model in `models`: other runs of a page
    may have another limit."""

    def asked(cell: FindingCell) -> tuple[str, int]:
        return cell.cell.facts.data, cell.cell.headline.n  # complete cells of a file differ in their number of items

    known = [c for c in baseline_cells(cells) if c.task.name in models]
    return best_of_tasks([c for c in known if asked(c) == asked(models[c.task.name])])
