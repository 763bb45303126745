"""A submission's records as a Source (results/store.py), so that the code that scores a run's store scores them, too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.results import records
from evalsuite.results.store import Judging
from evalsuite.types import PLACE, Cell, Item, Likelihood, Message, Place, Request, Response, Trial

JUDGED_PLACE = ("judge", "rubric", "control", *PLACE)
_TEXTS = ("dialogue", "options", "labels", "references")


def cell_of(entry: dict[str, Any]) -> Cell:
    """Build the cell of an entry of results.json."""
    return Cell(Place.of(entry), entry["facts"])


def item_of(record: dict[str, Any]) -> Item:
    """Build the item of a record."""
    gold = (
        record["gold"] if not TASKS[record["task"]].kind.several else None
    )  # sets of choices: the references say which options are right
    texts: dict[str, Any] = {name: tuple(record[name]) for name in _TEXTS}
    return Item(
        id=record["item"],
        task=record["task"],
        set=record["set"],
        split=record["split"],
        question=record["question"],
        gold=None if gold is None else record["labels"].index(gold),
        group=record.get("group") or "",
        rests_on=tuple(record.get("rests_on") or ()),
        **texts,
    )


def trial_of(record: dict[str, Any]) -> Trial:
    """Build the trial of a record, with its request."""
    item = item_of(record)
    request = Request(
        id=item.id,
        prompt=record["prompt"],
        messages=tuple(Message(**m) for m in record["messages"] or ()),
        max_new_tokens=record["max_new_tokens"],
        scoring=record["scoring"],
        labels=item.labels,
        options=item.options,
        pairs=tuple((context, target) for context, target in record.get("pairs") or ()),
        pattern=record.get("pattern") or "",
        answer_after=record.get("answer_after") or "",
        sample=record.get("sample") or 0,
    )
    shots = tuple(record["shots"])
    return Trial.of(
        item, request, record["variant"], shots, record["asked_shots"], record["perturb"], record["rotation"]
    )


def response_of(record: dict[str, Any]) -> Response:
    """Build the response of a record, or of one attempt in a judge's record."""
    return Response(
        record["reply"] or "",
        record["finish"],
        record["prompt_tokens"],
        record["new_tokens"],
        record["error"],
        record.get("reasoning"),
        likelihoods=tuple(Likelihood(**x) for x in record.get("likelihoods") or ()),
        thinking_tokens=record.get("thinking_tokens"),
    )


class Submitted:
    """The Source of a submission: reads its records a cell at a time, without keeping prompts.

    The records must have passed record_checks.py; other records raise whatever they raise.
    """

    def __init__(self, folder: Path, results: dict[str, Any]) -> None:
        self._folder, self._results = folder, results
        self._places = {Place.of(entry): entry["records"] for entry in results["cells"]}
        self._replies: dict[str, Response] = {}  # of the judging being read: key -> reply

    def cells(self) -> list[Cell]:
        found = [cell_of(entry) for entry in self._results["cells"]]
        return sorted(found, key=lambda cell: cell.place)

    def read(self, cell: Cell) -> Iterator[tuple[str, Trial, Response | None]]:
        dialogues: dict[tuple[str, ...], tuple[str, ...]] = {}  # items of one dialogue share the tuple
        for record in records.read_records(self._folder, self._places[cell.place]):
            turns = tuple(record["dialogue"])
            slim = record | {"prompt": "", "messages": None, "dialogue": dialogues.setdefault(turns, turns)}
            yield record["key"], trial_of(slim), response_of(record)

    def judgings(self) -> Iterator[Judging]:
        entries = (self._results.get("judged") or {}).get("cells", [])
        for entry in sorted(entries, key=lambda e: tuple(e[name] for name in JUDGED_PLACE)):
            self._replies = {}
            rows = [self._row(record) for record in records.read_records(self._folder, entry["records"])]
            yield Judging({name: entry[name] for name in JUDGED_PLACE}, entry["facts"], rows)

    def second_readings(self) -> Iterator[Judging]:
        """None: a submission holds the first reader's figures only."""
        yield from ()

    def _row(self, record: dict[str, Any]) -> dict[str, Any]:
        keys = []
        for attempt in record["attempts"]:
            self._replies[attempt["key"]] = response_of(attempt)
            keys.append(attempt["key"])
        if record["status"] == "missing":
            keys.append("")  # an attempt without a reply
        return {
            "item": record["item"],
            "rotation": record["rotation"],
            "key": record["candidate_key"],
            "attack": record["attack"] or "",
            "prompt": record["prompt"],
            "keys": keys,
        }

    def response(self, key: str) -> Response | None:
        return self._replies.get(key)
