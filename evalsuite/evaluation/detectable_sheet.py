"""The table of differences that a run could detect, at the end of `evalsuite preview`, before any model is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.dialogue import sources
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.words import task_and_set
from evalsuite.types import Cell, Trial


class PlannedContexts:
    """The contexts of the items of each task and set, from the cells that go through `passing`."""

    def __init__(self) -> None:
        self._contexts: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}

    def passing(self, cells: Iterable[tuple[Cell, list[Trial]]]) -> Iterator[tuple[Cell, list[Trial]]]:
        """Yield the cells unchanged; keep the contexts of the first cell of each task and set."""
        for cell, trials in cells:
            place = cell.place
            if (place.task, place.set) not in self._contexts and TASKS[place.task].item_metrics[0] == "accuracy":
                self._contexts[place.task, place.set] = {trial.item.id: trial.item.context for trial in trials}
            yield cell, trials

    def sheet(self) -> Sheet | None:
        """A row for each task and set whose first metric is accuracy; None if there are none."""
        from evalsuite.metrics.power import CORRELATION, DISAGREE, detectable_ahead

        rows = []
        for (task, item_set), contexts in self._contexts.items():
            sizes = [*Counter(sources([*contexts.values()])).values()]
            rows.append(
                Row((task_and_set(TASKS[task], item_set), len(contexts), len(sizes), Value(detectable_ahead(sizes))))
            )
        if not rows:
            return None
        columns = (
            Column(""),
            Column(Text("题", "items"), kind="count"),
            Column(Text("对话", "dialogues"), kind="count"),
            Column(Text("差异", "difference"), "%", "percent"),
        )
        note = Text(
            f"两个模型的正确率真实相差这么多百分点时，compare 有 80% 的机会检出（p < 0.05）；假定二者在 {100 * DISAGREE:.0f}% 的题上一对一错，"
            f"同一对话内的相关为 {CORRELATION:g}。–：再大也检不出。",
            "A true difference of two models' accuracies of so many points has an 80 % chance to be found by "
            f"compare (p < 0.05), if exactly one of them is right on {100 * DISAGREE:.0f} % of the items, and "
            f"differences within a dialogue correlate by {CORRELATION:g}. –: none is large enough.",
        )
        return Sheet("detectable", Text("能检出的差异", "Differences that can be found"), columns, tuple(rows), (note,))
