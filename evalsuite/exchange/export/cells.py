"""What is exported: one task, set and wording, with its requests as rows of data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.files import name_hash
from evalsuite.metrics.signatures import package_version
from evalsuite.parse import PARSER_VERSION
from evalsuite.types import Cell, Task, Trial

SHIPPED = Path(__file__).parent / "shipped"


def foreign_name(*parts: str) -> str:
    """The name of a task or group in the other harness: a Python name and a file name, another one for other parts.

    >>> foreign_name("easy", "event_cause", "paper")
    'corecode_easy_event_cause_paper'
    """
    name = "_".join(("corecode", *parts))
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    return plain if plain == name and len(name) <= 150 else f"{plain[:150]}_{name_hash(*parts)}"


@dataclass(frozen=True, slots=True)
class Exported:
    """One exported task: a planned cell with its trials, which no model has answered."""

    name: str  # of the task in the other harness
    cell: Cell
    trials: tuple[Trial, ...]

    @property
    def task(self) -> Task:
        return TASKS[self.cell.place.task]

    @property
    def title(self) -> str:
        cell = self.cell
        return f"CORECODE {cell.place.set.upper()}, {self.task.en} ({self.task.zh}), {cell.place.split}, wording {cell.place.variant}"

    @property
    def file(self) -> str:
        """Path of its data, relative to the exported folder."""
        return f"data/{self.name}.jsonl"

    @property
    def max_new_tokens(self) -> int:
        return self.trials[0].request.max_new_tokens

    @property
    def facts(self) -> dict[str, Any]:
        """What its numbers depend on, as in our signatures."""
        return {
            "version": PARSER_VERSION,  # of the parser; lm-eval prints it beside every number
            "evalsuite": package_version(),
            "data": self.cell.facts["data"],
            "template": self.cell.facts["template"],
            "shots": self.cell.place.shots,
            "seed": self.cell.facts["seed"],
        }

    @property
    def rows(self) -> Iterator[dict[str, Any]]:
        """A row of data for each trial: the rendered prompt, the shots before it, and the fields of the item."""
        for trial in self.trials:
            *turns, last = trial.request.messages
            shown = zip(turns[::2], turns[1::2], strict=True)
            yield {
                "prompt": last.content,
                "target": trial.item.target,
                "shots": [{"prompt": asked.content, "target": answered.content} for asked, answered in shown],
                **asdict(trial.item),
            }
