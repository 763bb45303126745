"""What a run's models wrote, a value an output: what an audit draws from, and what its figures are about."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from evalsuite import records
from evalsuite.errors import ConfigError
from evalsuite.tasks import TASKS, task
from evalsuite.types import Status

_UNWRITTEN = (Status.FAILED, Status.FILTERED)  # no reply came, or the endpoint kept it: there is nothing to read


@dataclass(frozen=True, slots=True)
class Output:
    """One reply to one item, and what the suite made of it."""

    id: str  # as `output_id` has it: the same output keeps it when it is read anew
    model: str
    task: str
    set: str
    item: str
    way: str  # "paper 0-shot generate none", and the rotation where there are some
    dialogue: tuple[str, ...]
    question: str
    labels: tuple[str, ...]
    options: tuple[str, ...]
    references: tuple[str, ...]
    gold: int | None
    reply: str
    status: str
    choice: int | None  # what the parser read; an index into options
    text: str | None
    headline: float  # accuracy, or exact match
    f1: float | None  # spans and short texts only

    @property
    def kind(self) -> str:
        return TASKS[self.task].kind

    @property
    def right(self) -> bool:
        """Counted as correct by the suite: "filtered correct" in the paper's Table 4."""
        return self.headline == 1.0

    @property
    def raw_right(self) -> bool:
        """Counted as correct as it stands. The paper, Appendix D: for "(a) premise" a, (a), (a)premise, premise."""
        said = self.reply.strip()
        if self.gold is None:
            return said in self.references
        label, option = self.labels[self.gold], self.options[self.gold]
        return said in (label.strip("()（）"), label, f"{label}{option}", option)

    @property
    def outcome(self) -> str:
        """right, wrong or partial; the status of a reply in which no answer was read."""
        if self.status != Status.PARSED:
            return self.status
        return "right" if self.right else "partial" if self.f1 else "wrong"


def population(run: Path) -> tuple[Output, ...]:
    """Every reply that the models of a run wrote: not those that failed or were withheld, nor likelihoods."""
    path = run / "results.json"
    if not path.is_file():
        raise ConfigError(f"{run}: no results.json; `evalsuite score {run}` writes it")
    return tuple(
        output for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] for output in _outputs(run, cell)
    )


def _outputs(run: Path, cell: dict[str, Any]) -> Iterator[Output]:
    task(cell["task"])
    for record in records.read(run, cell["records"]):
        if not record["likelihoods"] and record["answer"]["status"] not in _UNWRITTEN:
            yield _output(record, way_of(cell, record["rotation"]))


def _output(record: dict[str, Any], way: str) -> Output:
    answer, scores, labels = record["answer"], record["scores"], tuple(record["labels"])
    lists = {name: tuple(record[name]) for name in ("dialogue", "options", "references")}
    values: dict[str, Any] = {
        **lists,
        **{name: record[name] for name in ("model", "task", "set", "item", "question", "reply")},
        **{name: answer[name] for name in ("status", "choice", "text")},
        "labels": labels,
        "gold": labels.index(record["gold"]) if record["gold"] is not None else None,
        "headline": scores["accuracy"] if labels else scores["em"],
    }
    of = output_id(record["model"], record["item"], record["split"], way, record["reply"])
    return Output(id=of, way=way, f1=scores.get("f1"), **values)


def way_of(cell: Mapping[str, Any], rotation: int) -> str:
    """How an item was asked: all that tells its cell from others of the same model, task and set."""
    way = f"{cell['variant']} {cell['shots']}-shot {cell['scoring']} {cell['perturb']}"
    return f"{way} rotation {rotation}" if rotation else way


def output_id(model: str, item: str, split: str, way: str, reply: str) -> str:
    """A hash of what an output is a reply to and of the reply: asked anew with another reply, it is another output."""
    return hashlib.sha256(json.dumps([model, item, split, way, reply]).encode()).hexdigest()[:12]


def from_json(found: dict[str, Any]) -> Output:
    """What `asdict` and JSON made of an output -> the output."""
    values: dict[str, Any] = {f.name: tuple(v) if isinstance(v := found[f.name], list) else v for f in fields(Output)}
    return Output(**values)
