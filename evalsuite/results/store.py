"""Every request planned and every reply, kept the moment it arrives: one SQLite file (WAL) a run folder.

A reply's key is a hash of the model's fingerprint, the exact prompt and the sampling settings: the same question is never
asked twice, and one model's reply never taken for another's. The file is complete evidence: parsing, scoring and reports
run again from it without a model, without the data files and without the templates.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any, Protocol

from evalsuite.common.errors import ConfigError
from evalsuite.common.text import escape_surrogates
from evalsuite.types import Cell, Item, Likelihood, Message, Place, Request, Response, Trial

_SCHEMA = """
CREATE TABLE IF NOT EXISTS items (hash TEXT PRIMARY KEY, item BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS cells (id INTEGER PRIMARY KEY, place TEXT NOT NULL UNIQUE, facts TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS requests (cell INTEGER, position INTEGER, key TEXT NOT NULL, item TEXT NOT NULL,
    request BLOB NOT NULL, PRIMARY KEY (cell, position));
CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, text TEXT NOT NULL, finish TEXT NOT NULL,
    prompt_tokens INTEGER, new_tokens INTEGER, reasoning TEXT, likelihoods TEXT, asked INTEGER NOT NULL DEFAULT 1);
CREATE TABLE IF NOT EXISTS failures (key TEXT PRIMARY KEY, error TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS spent (key TEXT NOT NULL, cost REAL NOT NULL);
CREATE TABLE IF NOT EXISTS judgings (id INTEGER PRIMARY KEY, place TEXT NOT NULL UNIQUE, facts TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS judged (judging INTEGER, position INTEGER, row BLOB NOT NULL, PRIMARY KEY (judging, position));
"""
_VERSION = 3  # of the tables


def key(fingerprint: str, request: Request, chat: bool, settings: dict[str, Any]) -> str:
    """The store's key for a request to a model; `settings` are the backend's sampling settings."""
    asked: Any = [[m.role, m.content] for m in request.messages] if chat else request.prompt
    parts = [fingerprint, asked, request.max_new_tokens, settings]
    if request.scoring != "generate":
        parts += [request.scoring, request.labels, request.options]
    # Only where they are set: the keys of other requests are those that runs begun before have.
    if request.pairs or request.pattern:
        parts += [request.pairs, request.pattern]
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


class Source(Protocol):
    """What results are computed from: a run's store, or the records of a submission."""

    def cells(self) -> list[Cell]: ...
    def read(self, cell: Cell) -> Iterator[tuple[str, Trial, Response | None]]: ...
    def judgings(self) -> Iterable[tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]]: ...
    def response(self, key: str) -> Response | None: ...


# The path of a file of records within a run -> what takes its records, one by one.
Keep = Callable[[str], AbstractContextManager[Callable[[dict[str, Any]], None]]]


class Store:
    """`with Store(path) as store:`. One writer at a time: who writes holds the folder's lock (evalsuite/common/lock.py)."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None, timeout=30)
        # WAL with synchronous=NORMAL survives kill -9 of the process whole; a power cut may lose the last transactions.
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        (tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and version != _VERSION:
            self._db.close()
            raise ConfigError(f"{path}: written by another version of evalsuite; start a new run with another --out")
        # Without the number, nothing is written into a store that is whole: it may be opened to read beside a writer.
        mark = f"PRAGMA user_version={_VERSION};" if version != _VERSION else ""
        self._db.executescript(
            f"PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; BEGIN IMMEDIATE; {_SCHEMA} {mark} COMMIT"
        )

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def plan(self, cell: Cell, trials: Sequence[tuple[str, Trial]]) -> None:
        """Set down what the cell asks, as (key, trial) in order; replaces an earlier plan of the same cell."""
        with _transaction(self._db):
            (number,) = self._db.execute(
                "INSERT INTO cells (place, facts) VALUES (?, ?) ON CONFLICT DO UPDATE SET facts = excluded.facts RETURNING id",
                (_place(cell), json.dumps(cell.facts, sort_keys=True)),
            ).fetchone()
            self._db.execute("DELETE FROM requests WHERE cell = ?", (number,))
            for position, (name, trial) in enumerate(trials):
                item, row = _pack(asdict(trial.item)), _pack(_row(trial))
                digest = hashlib.sha256(item).hexdigest()
                self._db.execute("INSERT OR IGNORE INTO items VALUES (?, ?)", (digest, item))
                self._db.execute("INSERT INTO requests VALUES (?, ?, ?, ?, ?)", (number, position, name, digest, row))

    def plan_judging(self, place: dict[str, Any], facts: dict[str, Any], rows: Iterable[dict[str, Any]]) -> None:
        """Set down what a judge is asked (evalsuite/review/judge); replaces an earlier plan of the same place."""
        with _transaction(self._db):
            (number,) = self._db.execute(
                "INSERT INTO judgings (place, facts) VALUES (?, ?) ON CONFLICT DO UPDATE SET facts = excluded.facts RETURNING id",
                (json.dumps(place, ensure_ascii=False), json.dumps(facts, ensure_ascii=False, sort_keys=True)),
            ).fetchone()
            self._db.execute("DELETE FROM judged WHERE judging = ?", (number,))
            for position, row in enumerate(rows):
                self._db.execute("INSERT INTO judged VALUES (?, ?, ?)", (number, position, _pack(row)))

    def judgings(self) -> list[tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]]:
        """(place, facts, rows) of all that judges are asked, sorted by place."""
        found = []
        for number, place, facts in self._db.execute("SELECT id, place, facts FROM judgings").fetchall():
            rows = self._db.execute("SELECT row FROM judged WHERE judging = ? ORDER BY position", (number,))
            found.append((json.loads(place), json.loads(facts), [_unpack(row) for (row,) in rows]))
        return sorted(found, key=lambda judging: tuple(judging[0].values()))

    def response(self, key: str) -> Response | None:
        """The reply that a key has, else its failure, else None."""
        row = self._db.execute(
            "SELECT text, finish, prompt_tokens, new_tokens, reasoning FROM replies WHERE key = ?", (key,)
        ).fetchone()
        if row:
            text, finish, prompt_tokens, new_tokens, reasoning = row
            return Response(text, finish, prompt_tokens, new_tokens, reasoning=reasoning)
        failure = self._db.execute("SELECT error FROM failures WHERE key = ?", (key,)).fetchone()
        return Response("", "error", error=failure[0]) if failure else None

    def done(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys that have a reply. A failure is no reply: it is asked again."""
        known = set()
        for name in keys:
            if self._db.execute("SELECT 1 FROM replies WHERE key = ?", (name,)).fetchone():
                known.add(name)
        return known

    def put(self, responses: Iterable[tuple[str, Response]]) -> None:
        """Keep responses that arrived together, all or none. `asked` counts how often a key was answered: it stays 1."""
        with _transaction(self._db):
            for name, r in responses:
                if r.cost:
                    self._db.execute("INSERT INTO spent VALUES (?, ?)", (name, r.cost))
                if r.error is not None:
                    self._db.execute("INSERT OR REPLACE INTO failures VALUES (?, ?)", (name, r.error))
                    continue
                text, reasoning = (
                    escape_surrogates(r.text),
                    None if r.reasoning is None else escape_surrogates(r.reasoning),
                )
                scores = json.dumps([astuple(x) for x in r.likelihoods]) if r.likelihoods else None
                self._db.execute(
                    "INSERT INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET asked = asked + 1",
                    (name, text, r.finish, r.prompt_tokens, r.new_tokens, reasoning, scores),
                )
                self._db.execute("DELETE FROM failures WHERE key = ?", (name,))

    def lend(self, amount: float) -> None:
        """Count what requests under way may cost as spent, before they are sent; less than 0 gives it back.

        What a killed process had lent stays spent: its endpoint may have charged it.
        """
        self._db.execute("INSERT INTO spent VALUES ('', ?)", (amount,))

    def spent(self) -> float:
        """What all replies, failures that may have been charged, and requests under way have cost so far."""
        (total,) = self._db.execute("SELECT coalesce(sum(cost), 0) FROM spent").fetchone()
        return float(total)

    def cells(self) -> list[Cell]:
        """All cells planned, sorted by what they are, not by when they came."""
        rows = self._db.execute("SELECT place, facts FROM cells").fetchall()
        cells = (Cell(Place(**json.loads(place)), json.loads(facts)) for place, facts in rows)
        return sorted(cells, key=lambda cell: cell.place)

    def read(self, cell: Cell) -> Iterator[tuple[str, Trial, Response | None]]:
        """(key, trial, response) of a cell in order; None where neither reply nor failure is there yet."""
        rows = self._db.execute(
            "SELECT r.key, i.item, r.request, p.text, p.finish, p.prompt_tokens, p.new_tokens, p.reasoning, p.likelihoods,"
            " f.error"
            " FROM requests r JOIN cells c ON c.id = r.cell JOIN items i ON i.hash = r.item"
            " LEFT JOIN replies p ON p.key = r.key LEFT JOIN failures f ON f.key = r.key"
            " WHERE c.place = ? ORDER BY r.position",
            (_place(cell),),
        )
        for name, item, request, text, finish, prompt_tokens, new_tokens, reasoning, scores, error in rows:
            response = None
            if text is not None:
                likelihoods = tuple(Likelihood(*x) for x in json.loads(scores or "[]"))
                response = Response(
                    text, finish, prompt_tokens, new_tokens, reasoning=reasoning, likelihoods=likelihoods
                )
            elif error is not None:
                response = Response("", "error", error=error)
            yield name, _trial(_unpack(item), _unpack(request)), response


def _place(cell: Cell) -> str:
    return json.dumps(cell.place.as_dict(), ensure_ascii=False)


class _transaction:
    """BEGIN … COMMIT, or ROLLBACK if the block raises."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        self._db.execute("COMMIT" if kind is None else "ROLLBACK")


def _pack(value: dict[str, Any]) -> bytes:
    """Compressed: prompts repeat their dialogue, and stand here both as text and as chat turns."""
    return zlib.compress(json.dumps(value, ensure_ascii=False).encode(), 1)


def _unpack(packed: bytes) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(zlib.decompress(packed))
    return value


_ASKED = ("prompt", "messages", "max_new_tokens", "scoring", "pairs", "pattern")  # of the request
_WAY = ("variant", "shots", "asked_shots", "perturb", "rotation")  # of the trial


def _row(trial: Trial) -> dict[str, Any]:
    """A trial but for its item. What else its request holds follows from the two: see `_trial`."""
    asked = {name: getattr(trial.request, name) for name in _ASKED}
    asked["messages"] = [asdict(message) for message in trial.request.messages]
    return asked | {name: getattr(trial, name) for name in _WAY}


def _trial(item: dict[str, Any], row: dict[str, Any]) -> Trial:
    whole: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in item.items()}
    made = Item(**whole)
    request = Request(
        id=made.id,
        prompt=row["prompt"],
        messages=tuple(Message(**m) for m in row["messages"]),
        max_new_tokens=row["max_new_tokens"],
        scoring=row.get("scoring", "generate"),  # older versions wrote fewer names
        labels=made.labels,
        options=made.options,
        pairs=tuple((context, target) for context, target in row.get("pairs", ())),
        pattern=row.get("pattern", ""),
    )
    return Trial.of(
        made,
        request,
        row["variant"],
        tuple(row["shots"]),
        row["asked_shots"],
        row.get("perturb", "none"),
        row.get("rotation", 0),
    )
