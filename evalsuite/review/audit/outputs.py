"""The outputs of a run: the population that an audit samples and estimates. Read from results.json and the records."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from evalsuite.analyses import difficulty
from evalsuite.analyses.saved import load_results
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.jsonl import JsonObject
from evalsuite.results import records
from evalsuite.results.outputs import output_id, way_of
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.schema.record import Record
from evalsuite.types import Kind, Status

# Statuses of requests without a reply to mark: the request failed, or the endpoint's content filter withheld its reply.
_WITHOUT_REPLY = (Status.FAILED, Status.FILTERED)


@dataclass(frozen=True, slots=True)
class Output:
    """One reply to one item, with the parser's reading and the scores."""

    id: str  # from `output_id`; unchanged when the reply is parsed again
    model: str
    task: str
    set: str
    item: str
    way: str  # from `way_of`: "paper 0-shot generate none"
    dialogue: tuple[str, ...]
    question: str
    labels: tuple[str, ...]
    options: tuple[str, ...]
    references: tuple[str, ...]
    gold: int | None  # index into options, for single-choice tasks
    reply: str
    status: str
    choice: int | None  # the option that the parser read: index into options
    text: str | None
    headline: float  # accuracy, or exact match
    f1: float | None  # for spans, short texts and multi-answer choices
    golds: tuple[int, ...] = ()  # right options of a multi-answer choice
    choices: tuple[int, ...] = ()  # options read from the reply to it
    reasoned: int = 0  # characters of the reply that reason before the answer, where the prompt asked for it

    @property
    def kind(self) -> Kind:
        return TASKS[self.task].kind

    @property
    def right_options(self) -> tuple[int, ...]:
        """Indices of the right options; empty for spans and texts."""
        return self.golds or (() if self.gold is None else (self.gold,))

    @property
    def read_options(self) -> tuple[int, ...]:
        """Indices of the options that the parser read."""
        return self.choices or (() if self.choice is None else (self.choice,))

    @property
    def read(self) -> int | tuple[int, ...] | None:
        """The option index that the parser read (a tuple of them for multi-answer choices); None for no answer."""
        return (self.choices or None) if self.kind.several else self.choice

    @property
    def right(self) -> bool:
        """Whether the suite counts the reply as correct: "filtered correct" in the paper's Table 4."""
        return self.headline == 1.0

    @property
    def raw_right(self) -> bool:
        """Whether the unparsed reply is correct. Appendix D of the paper accepts a, (a), (a)premise and premise for
        "(a) premise"."""
        reply = self.reply.strip()
        if not self.right_options:
            return reply in self.references
        labels, options = ([x[n] for n in self.right_options] for x in (self.labels, self.options))
        names = [label.strip("()（）") for label in labels]
        whole = [label + option for label, option in zip(labels, options, strict=True)]
        return reply in {", ".join(form) for form in (names, labels, whole, options)}

    @property
    def outcome(self) -> str:
        """right, wrong or partial; the parser's status if it read no answer."""
        if self.status != Status.PARSED:
            return self.status
        return "right" if self.right else "partial" if self.f1 else "wrong"


def population(run: Path) -> tuple[Output, ...]:
    """All written replies of a run: without failed or filtered requests, likelihood scoring and probes."""
    return tuple(output for cell in load_results(run).cells for output in _outputs(run, cell))


def baselines_beside(run: Path) -> list[str]:
    """The run's baselines if it has models too; else none."""
    cells = load_results(run).cells
    names = list(dict.fromkeys(cell.model for cell in cells if cell.is_baseline))
    return names if len(names) < len({cell.model for cell in cells}) else []


def suspicious_ids(run: Path) -> set[str]:
    """Ids of the written replies to items that results.json lists as suspicious, in the ways for which it lists them."""
    results = load_results(run)
    listed = {row.without(): {x.item for x in row.suspicious} for row in results.of(difficulty.ANALYSIS) or []}
    return {o.id for cell in results.cells for o in _outputs(run, cell, listed.get(cell.without("model"), ()))}


def _outputs(run: Path, cell: CellResult, items: Collection[str] | None = None) -> Iterator[Output]:
    """The written replies of a cell, or those to some of its items."""
    # A probe has no reply to mark, even where a person chose its option in writing.
    if not TASKS[cell.task].kind.written or (items is not None and not items):
        return
    for record in records.rows_of(Record, run, cell.records):
        wanted = items is None or record.item in items
        if wanted and not record.likelihoods and record.answer.status not in _WITHOUT_REPLY:
            yield _output(record, way_of(cell.place, record.rotation, record.sample))


def _output(record: Record, way: str) -> Output:
    answer, scores, kind = record.answer, record.scores, TASKS[record.task].kind
    golds = tuple(record.labels.index(gold) for gold in record.gold.split(", ")) if record.gold is not None else ()
    reply = record.reply or ""
    same: JsonObject = {name: getattr(record, name) for name in ("model", "task", "set", "item", "question")}
    same |= {name: tuple(getattr(record, name)) for name in ("dialogue", "labels", "options", "references")}
    headline = scores.get("em", scores.get(TASKS[record.task].item_metrics[0], 0.0))
    return Output(
        **same,
        id=output_id(record.model, record.item, record.split, way, reply),
        way=way,
        gold=None if kind.several or not golds else golds[0],
        reply=reply,
        status=answer.status,
        choice=answer.choice,
        text=answer.text,
        headline=float(headline),  # type: ignore[arg-type]
        f1=scores.get("f1", scores.get("answer_f1")),
        golds=golds if kind.several else (),
        choices=tuple(answer.choices) if kind.several else (),
        reasoned=answer.reasoned,
    )
