"""The unit of an export: one task, set and wording, with its requests as rows of data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import cast

from evalsuite.benchmarks.registry import BENCHMARKS, TASKS
from evalsuite.common.files import name_hash
from evalsuite.common.jsonl import JsonObject
from evalsuite.exchange.export.callbacks import ExportedRow, cell_values, mean_names, read
from evalsuite.metrics.signatures import package_version
from evalsuite.parse import PARSER_VERSION
from evalsuite.prompt import Prompt
from evalsuite.results.words import set_name
from evalsuite.types import Benchmark, Cell, Message, Task, Trial

SHIPPED = Path(__file__).parent / "shipped"


def foreign_name(*parts: str) -> str:
    """The name of a task or group in the other harness, valid in Python and as a file name. A name that would be too long, or has
    characters other than letters and digits, ends with a hash of its parts.

    >>> foreign_name("corecode", "easy", "event_cause", "cot-en")
    'corecode_easy_event_cause_cot_en'
    """
    name = "_".join(parts).replace("-", "_")
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    return plain if plain == name and len(name) <= 150 else f"{plain[:150]}_{name_hash(*parts)}"


@dataclass(frozen=True, slots=True)
class ExportedTask:
    """One exported task: a planned cell with its trials, which no model has answered."""

    cell: Cell
    trials: tuple[Trial, ...]
    scorings: tuple[str, ...]  # all by which the task can be asked in this wording
    prompt: Prompt

    @property
    def task(self) -> Task:
        return TASKS[self.cell.place.task]

    @property
    def benchmark(self) -> Benchmark:
        return BENCHMARKS[self.task.benchmark]

    @property
    def name(self) -> str:
        """The task's name in the other harness."""
        return foreign_name(self.task.benchmark, self.cell.place.set, self.task.local, self.cell.place.variant)

    @property
    def group(self) -> str:
        """The name of the group of all tasks with its benchmark and wording."""
        return foreign_name(self.task.benchmark, self.cell.place.variant)

    @property
    def title(self) -> str:
        place, benchmark = self.cell.place, self.benchmark
        task = f"{self.task.en} ({self.task.zh})"
        return f"{benchmark.title} {set_name(benchmark, place.set).en}, {task}, {place.split}, wording {place.variant}"

    @property
    def file(self) -> str:
        """The path of the task's data in the exported folder."""
        return f"data/{self.name}.jsonl"

    @property
    def max_new_tokens(self) -> int:
        return self.trials[0].request.max_new_tokens

    @property
    def option_after(self) -> str:
        """The text that a run puts before an option whose likelihood it asks."""
        trial = self.trials[0]
        return trial.request.options[0].removesuffix(trial.item.options[0]) if trial.item.options else ""

    @property
    def pooled(self) -> list[str]:
        """The task's headline metrics that pool all replies instead of averaging items."""
        item, variant = self.trials[0].item, self.cell.place.variant
        # Some metrics need more than the replies, such as a judge or the whole official file; no harness has these.
        row = cast(ExportedRow, {**asdict(item), "variant": variant})
        known = cell_values((read(row, item.target),))
        return [name for name in self.task.metrics if name in known and name not in mean_names(self.task.name)]

    @property
    def facts(self) -> JsonObject:
        """The facts on which the task's numbers depend, as in our signatures."""
        return {
            "version": PARSER_VERSION,  # the parser's; lm-eval prints it beside every number
            "evalsuite": package_version(),
            "data": self.cell.facts["data"],
            "template": self.cell.facts["template"],
            "shots": self.cell.place.shots,
            "seed": self.cell.facts["seed"],
        }

    @property
    def rows(self) -> Iterator[JsonObject]:
        """A row of data for each trial: the rendered prompt, the shots before it, and the fields of the item."""
        variant, pooled = self.cell.place.variant, self.pooled
        for trial in self.trials:
            *turns, last = _without_system(trial.request.messages)
            shown = zip(turns[::2], turns[1::2], strict=True)
            yield {
                "prompt": last.content,
                "target": self.prompt.target(trial.item),
                "shots": [{"prompt": question.content, "target": reply.content} for question, reply in shown],
                "variant": variant,
                "answer_after": trial.request.answer_after,
                "pooled": pooled,
                **asdict(trial.item),
            }


def _without_system(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages; a system message becomes the beginning of the first turn, as in the prompt of a base model."""
    first, *turns = messages
    if first.role != "system":
        return messages
    return (replace(turns[0], content=f"{first.content}\n\n{turns[0].content}"), *turns[1:])


def listed(cells: Sequence[ExportedTask]) -> str:
    """The exported tasks and the licences of their data, for a README."""
    tasks = "\n".join(f"- `{cell.name}`: {cell.title}, {len(cell.trials)} items" for cell in cells)
    benchmarks = {cell.benchmark.name: cell.benchmark for cell in cells}
    licences = "\n".join(
        f"- {b.title}: {b.licence or 'no licence is stated, so do not pass them on'}" for b in benchmarks.values()
    )
    return f"""{tasks}

The data keep the licence of their source. Samples that evalsuite brings are Apache-2.0. The official files:

{licences}
"""
