"""Records -> shards, which the page loads when a reader opens an item, and a letter for each reply, for the lists of items.

A column is a place without its model. A shard holds some items of a column with the replies of all models, so that one shard
is enough to show an item. A text that several records of a shard have, such as a prompt, is stored once.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from typing_extensions import TypedDict

from evalsuite.analyses.significance import (
    ModelScores,
    RecordScores,
    TaskComparisons,
    comparisons_of_column,
    model_scores,
)
from evalsuite.benchmarks.registry import add_run
from evalsuite.common.finite import without_nan
from evalsuite.common.garbage import rare_collections
from evalsuite.common.grouping import by_key
from evalsuite.common.processes import cores, map_in_processes
from evalsuite.results.outcomes import FLIP, outcome_of
from evalsuite.results.records import context, entry_name, read_records, reply_name
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.schema.record import RecordFields
from evalsuite.results.tokens import reply_tokens
from evalsuite.types import Coordinates, Place

SIZE = 1_500_000  # approximate characters of a shard before compression; the replies to an item are never split
WORTH = 25_000  # replies for each process: fewer are packed before another process has started

# Outcome of a reply -> its letter: lists of items are filtered and counted without loading a shard.
OUTCOMES = {
    "right": "r",
    "partial": "p",
    "wrong": "w",
    "unparsed": "u",
    "refused": "d",
    "truncated": "t",
    "several": "s",
    "conflict": "c",
    "empty": "e",
    "filtered": "b",
    "failed": "x",
}
ABSENT, UNKNOWN = ".", "?"  # no record; a status of a later version
OUTCOME_NAMES = {letter: name for name, letter in OUTCOMES.items()} | {UNKNOWN: "otherStatus"}  # for the page's scripts


class ShownOpinions(TypedDict):
    """The opinions of a judge, or of a second reader, on a cell."""

    judge: str
    rubric: str
    control: str
    rows: dict[str, list[Any]]  # entry -> [status, scores, texts …]


@dataclass(frozen=True, slots=True)
class PageCell:
    """A cell of one of the page's runs. `number`: its index among all cells of the page."""

    number: int
    run: int
    folder: Path  # the folder of its run
    cell: CellResult
    opinions: Sequence[ShownOpinions]

    @property
    def column(self) -> Place:
        """The cell's place without its model."""
        return replace(self.cell.place, model="")


class PackedReply(NamedTuple):
    """A record on the page. Its item and its long texts are indices. The scripts have the same tuple (evidence/shards.ts)."""

    item: int
    prompt: int
    reply: int
    status: str
    choice: int | None
    text: str | None
    rule: str | None
    start: int | None
    end: int | None
    scores: dict[str, float]
    finish: str
    error: str | None
    shots: int
    asked: int
    reasoning: int | None
    likelihoods: list[list[float | None]] | None
    rotation: int
    choices: list[int] | None
    pairs: list[list[int]] | None
    sample: int
    tokens: list[int] | None

    @property
    def texts(self) -> list[int]:
        """Indices of the record's texts."""
        long = (self.prompt, self.reply, self.reasoning, *(x for pair in self.pairs or () for x in pair))
        return [i for i in long if i is not None]

    def shard_row(self, item: Callable[[int], int], text: Callable[[int], int]) -> list[Any]:
        """The row in a shard. `item`, `text`: index in the column -> index in the shard. `sample` and `tokens`, at the end of the
        row, are left out if they are empty."""
        row = self._replace(
            item=item(self.item),
            prompt=text(self.prompt),
            reply=text(self.reply),
            reasoning=None if self.reasoning is None else text(self.reasoning),
            pairs=self.pairs and [[text(x) for x in pair] for pair in self.pairs],
        )
        return [*row][: len(row) if row.tokens else -1 if row.sample else -2]


def pack_json(data: Any) -> str:
    """Data as gzip'd JSON in base64."""
    compact = partial(json.dumps, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        raw = compact(data)
    except ValueError:
        raw = compact(without_nan(data))
    # mtime=0: the same runs give the same bytes. Lone surrogates are kept: the page shows them as replacement characters.
    return base64.b64encode(gzip.compress(raw.encode("utf-8", "surrogatepass"), 6, mtime=0)).decode()


class PageShard(TypedDict):
    """Some items of a column with the replies of all models."""

    rows: dict[int, list[list[Any] | None]]
    judged: dict[int, list[ShownOpinions]]
    items: list[Any]
    strings: list[str]


class CellMarks(NamedTuple):
    """Marks of the replies of a cell, for the page's lists of items."""

    outcomes: str  # one letter for each entry of the column
    flips: (
        list[int] | None
    )  # entries that the perturbation changed; None if there is no unperturbed cell to compare with


@dataclass(frozen=True, slots=True)
class PackedColumn:
    """A column with its shards."""

    place: Place
    ids: list[str]  # names of its entries (`entry_name`): an item, or one of its rotations or samples
    shards: list[tuple[str, int]]  # (packed JSON, index of the first entry in it)
    marks: dict[int, CellMarks]  # number of a cell -> its marks
    models: list[ModelScores]  # without scores by item: `comparisons` are made from them
    comparisons: list[TaskComparisons]
    replies: int
    items: frozenset[str]  # ids of its items, without rotations and samples


_ITEM = ("item", "dialogue", "question", "labels", "options", "references", "gold", "group")


@dataclass(slots=True)
class _UnpackedColumn:
    """One column while it is read: every text once, rows by cell and entry."""

    strings: dict[str, int] = field(default_factory=dict)
    items: dict[str, list[int]] = field(default_factory=dict)  # item's id -> indices in `shown`: one for each rotation
    shown: list[dict[str, Any]] = field(default_factory=list)
    entries: dict[str, int] = field(default_factory=dict)  # `entry_name` -> index of the entry
    unrotated: dict[str, str] = field(default_factory=dict)  # `entry_name` -> that of the item's first rotation
    rows: dict[int, dict[int, PackedReply]] = field(default_factory=dict)  # cell -> entry -> row
    judged: dict[int, list[ShownOpinions]] = field(default_factory=dict)

    def index(self, text: str) -> int:
        return self.strings.setdefault(text, len(self.strings))

    def item(self, record: Mapping[str, Any]) -> int:
        """The index in `shown` of a record's item, which is added if it is not there."""
        item = {name: record[name] for name in _ITEM if name in record}
        known = self.items.setdefault(item["item"], [])
        for index in known:
            if self.shown[index] == item:
                return index
        known.append(len(self.shown))
        self.shown.append(item)
        return known[-1]


def pack_columns(cells: Sequence[PageCell]) -> list[PackedColumn]:
    """The columns of some cells, those of unperturbed items first. Reads the cells' records, a column at a time.

    Several processes read them if each has WORTH replies or more. A process takes a column with its perturbations.
    """
    replies = sum(page_cell.cell.items - page_cell.cell.missing for page_cell in cells)
    pieces = by_key((replace(page_cell.column, perturb="none"), page_cell) for page_cell in cells)
    processes = max(1, min(cores(), len(pieces), replies // WORTH))
    # Worker processes do not know the runs' benchmark files yet; this process does.
    folders = dict.fromkeys(page_cell.folder for page_cell in cells) if processes > 1 else ()
    prepare = partial(_packer, tuple(folders))
    largest_first = sorted(pieces.values(), key=len, reverse=True)  # so that no process begins a large one last
    with closing(map_in_processes(prepare, largest_first, processes)) as packed:
        columns = {column.place: column for piece in packed for column in piece}
    places = dict.fromkeys(page_cell.column for page_cell in cells)
    return [columns[place] for place in sorted(places, key=_is_perturbed)]


def _is_perturbed(place: Place) -> bool:
    return place.perturb != "none"


def _packer(folders: Sequence[Path]) -> Callable[[Sequence[PageCell]], list[PackedColumn]]:
    """The function that a process runs: it packs a column and its perturbations. `folders`: runs whose benchmark files are added
    to the registry first."""
    for folder in folders:
        add_run(folder)

    @rare_collections()
    def pack(cells: Sequence[PageCell]) -> list[PackedColumn]:
        plain: dict[tuple[int, Coordinates], dict[str, float]] = {}
        columns = by_key((page_cell.column, page_cell) for page_cell in cells)
        return [_packed(place, columns[place], plain) for place in sorted(columns, key=_is_perturbed)]

    return pack


def _packed(
    place: Place, cells: Sequence[PageCell], plain: dict[tuple[int, Coordinates], dict[str, float]]
) -> PackedColumn:
    """Pack a column. `plain`: (run, place without perturbation) -> first scores of the unperturbed cell, by entry. An unperturbed
    column adds its scores; a perturbed column is compared with them."""
    column, replies, models = _UnpackedColumn(), 0, list[ModelScores]()
    flips: dict[int, list[int]] = {}
    for page_cell in cells:
        values, of_records = _read(column, page_cell.number, read_records(page_cell.folder, page_cell.cell.records))
        replies += len(values)
        name = f"{page_cell.run}\t{page_cell.cell.model}"  # identifies the model on the page
        if scores := model_scores(page_cell.cell, of_records, name):
            models.append(scores)
        base = (page_cell.run, page_cell.cell.without("perturb"))
        if not _is_perturbed(place):
            plain[base] = values
        elif base in plain:
            flips[page_cell.number] = _flips(column, values, plain[base])
        if page_cell.opinions:
            column.judged[page_cell.number] = list(page_cell.opinions)
    marks = {
        page_cell.number: CellMarks(_outcomes(column, page_cell.number), flips.get(page_cell.number))
        for page_cell in cells
    }
    shards = [(pack_json(_shard(column, part)), part[0]) for part in _shard_ranges(column)]
    comparisons = comparisons_of_column(place, models)
    return PackedColumn(
        place,
        [*column.entries],
        shards,
        marks,
        [replace(c, values=()) for c in models],
        comparisons,
        replies,
        frozenset(column.items),
    )


def _outcomes(column: _UnpackedColumn, number: int) -> str:
    """One letter for each entry of a cell."""
    rows = column.rows[number]
    return "".join(
        OUTCOMES.get(outcome_of(rows[e].status, rows[e].scores or {}), UNKNOWN) if e in rows else ABSENT
        for e in range(len(column.entries))
    )


def _read(
    column: _UnpackedColumn, number: int, records: Iterator[RecordFields]
) -> tuple[dict[str, float], list[RecordScores]]:
    """Add a cell's records to the column. Returns (entry -> its first score, NaN if the request failed; all scores)."""
    rows = column.rows[number] = {}
    values: dict[str, float] = {}
    of_records: list[RecordScores] = []
    for record in records:
        item = column.item(record)
        rotation, sample = record.get("rotation", 0), record.get("sample", 0)
        name = entry_name(record)
        entry = column.entries.setdefault(name, len(column.entries))
        column.unrotated[name] = reply_name(record["item"], 0, sample)
        prompt = record["prompt"]
        if record["messages"] is not None:
            prompt = "\n\n".join(f"[{m['role']}]\n{m['content']}" for m in record["messages"])
        answer, thoughts = record["answer"], record.get("reasoning")
        rows[entry] = PackedReply(
            item=item,
            prompt=column.index(prompt),
            reply=column.index(record["reply"] or ""),
            status=answer["status"],
            choice=answer["choice"],
            text=answer["text"],
            rule=answer["rule"],
            start=answer["start"],
            end=answer["end"],
            scores=record["scores"],
            finish=record["finish"],
            error=record["error"],
            shots=len(record["shots"]),
            asked=record["asked_shots"],
            reasoning=None if thoughts is None else column.index(thoughts),
            likelihoods=_likelihoods(record),
            rotation=rotation,
            choices=answer.get("choices") or None,
            pairs=[[column.index(x) for x in pair] for pair in record.get("pairs", ())] or None,
            sample=sample,
            tokens=_tokens(record) if record.get("new_tokens") else None,
        )
        values[name] = next(iter(record["scores"].values()), math.nan)
        of_records.append(RecordScores(record["item"], item, context(record), record["scores"], sample))
    return values, of_records


def _tokens(record: RecordFields) -> list[int]:
    """[tokens of the prompt, generated tokens, thinking tokens], and a 1 at the end if the last is estimated from characters."""
    prompt, new, thinking, guessed = reply_tokens(record)
    return [prompt, new, thinking, *([1] if guessed else [])]


def _flips(column: _UnpackedColumn, values: Mapping[str, float], before: Mapping[str, float]) -> list[int]:
    """Entries whose first score differs by FLIP or more from that of the unperturbed item, which all its rotations share."""
    return [
        column.entries[name]
        for name, value in values.items()
        if abs(value - before.get(column.unrotated[name], math.nan)) >= FLIP
    ]


def _shard_ranges(column: _UnpackedColumn) -> Iterator[range]:
    """Ranges of entries, one for each shard of about SIZE characters."""
    sizes = [len(text) for text in column.strings]
    items = [len(json.dumps(shown, ensure_ascii=False)) for shown in column.shown]
    first, size = 0, 0
    for entry in range(len(column.entries)):
        rows = [rows[entry] for rows in column.rows.values() if entry in rows]
        texts = {i for row in rows for i in row.texts}
        more = sum(sizes[i] for i in texts) + sum(items[i] for i in {row.item for row in rows}) + 200 * len(rows)
        if size and size + more > SIZE:
            yield range(first, entry)
            first, size = entry, 0
        size += more
    if len(column.entries) > first:
        yield range(first, len(column.entries))


def _shard(column: _UnpackedColumn, part: range) -> PageShard:
    texts = list(column.strings)
    strings: dict[str, int] = {}
    new_index: dict[int, int] = {}  # index of an item in the column -> its index in the shard

    def index(text: str) -> int:
        return strings.setdefault(text, len(strings))

    def item(old: int) -> int:
        return new_index.setdefault(old, len(new_index))

    rows = {
        number: [rows[entry].shard_row(item, lambda i: index(texts[i])) if entry in rows else None for entry in part]
        for number, rows in column.rows.items()
    }
    names = {name for name, entry in column.entries.items() if entry in part}

    def kept(opinions_of_one: ShownOpinions) -> ShownOpinions:
        shown = {name: [*x[:2], *map(index, x[2:])] for name, x in opinions_of_one["rows"].items() if name in names}
        return {**opinions_of_one, "rows": shown}

    judged = {number: [*map(kept, opinions)] for number, opinions in column.judged.items()}
    return {"rows": rows, "judged": judged, "items": [column.shown[i] for i in new_index], "strings": list(strings)}


def _likelihoods(record: RecordFields) -> list[list[float | None]] | None:
    """[log-probability, tokens, prior] of each option; None for values that are not finite, which JSON cannot express."""
    likelihoods = record.get("likelihoods")  # absent in older runs
    if likelihoods is None:
        return None
    return [
        [v if v is None or math.isfinite(v) else None for v in (x["logprob"], x["tokens"], x["prior"])]
        for x in likelihoods
    ]
