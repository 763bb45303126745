"""All planned requests and all replies of a run, in one SQLite file (store.sqlite, WAL mode).

While a process writes, the newest replies are in store.sqlite-wal, so that a copy needs both files. A process that ends as it
should leaves store.sqlite alone.

A reply is stored the moment it arrives, under a key: the hash of the model's fingerprint, the exact prompt and the sampling
settings. So no question is asked twice, and no model gets another's reply. The file is complete: parsing, scoring and
reports run again from it without a model, data files or templates.

Each reply and each plan of a cell has a digest, by which a byte that the disk has changed is noticed. A damaged reply counts as
a failure, which is asked again; a damaged plan is an error.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import astuple
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from typing_extensions import TypedDict

from evalsuite.benchmarks.registry import add_run
from evalsuite.common.errors import ConfigError
from evalsuite.common.jsonl import JsonObject
from evalsuite.common.secrets import hide
from evalsuite.common.text import escape_surrogates
from evalsuite.results.records import require_folder
from evalsuite.results.schema.base import Strict
from evalsuite.types import Cell, Item, Likelihood, Message, Place, Request, Response, Trial

_SCHEMA = """
CREATE TABLE IF NOT EXISTS items (hash TEXT PRIMARY KEY, item BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS cells (id INTEGER PRIMARY KEY, place TEXT NOT NULL UNIQUE, facts TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS requests (cell INTEGER, position INTEGER, key TEXT NOT NULL, item TEXT NOT NULL,
    request BLOB NOT NULL, PRIMARY KEY (cell, position));
CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, text TEXT NOT NULL, finish TEXT NOT NULL,
    prompt_tokens INTEGER, new_tokens INTEGER, reasoning TEXT, likelihoods TEXT, asked INTEGER NOT NULL DEFAULT 1);
CREATE TABLE IF NOT EXISTS thinking (key TEXT PRIMARY KEY, tokens INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS digests (name TEXT PRIMARY KEY, digest BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS failures (key TEXT PRIMARY KEY, error TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS spent (key TEXT NOT NULL, cost REAL NOT NULL);
CREATE TABLE IF NOT EXISTS batches (name TEXT PRIMARY KEY, note BLOB NOT NULL, stake REAL NOT NULL);
CREATE TABLE IF NOT EXISTS judgings (id INTEGER PRIMARY KEY, place TEXT NOT NULL UNIQUE, facts TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS judged (judging INTEGER, position INTEGER, row BLOB NOT NULL, PRIMARY KEY (judging, position));
CREATE TABLE IF NOT EXISTS writing (mark TEXT PRIMARY KEY);
"""
_VERSION = 3  # the version of the schema above
_CHECKPOINT = 2000  # changed rows after which store.sqlite-wal, some MB, is copied into the file
_TRIALS = 2048  # the most trials kept in memory while reading: cells of several models have the same trials
_DAMAGED = "the stored reply is not as it was stored: its digest differs; the same run asks it again"
_REPAIR = "if it is damaged, put back a copy with its -wal file, or start a new run with another --out"


def request_key(fingerprint: str, request: Request, chat: bool, settings: JsonObject) -> str:
    """The store's key for a request to a model: a SHA-256 in hexadecimal. `settings` are the backend's sampling settings;
    {"by": "item"} tells requests with the same prompt apart by their ids."""
    prompt: Any = [[m.role, m.content] for m in request.messages] if chat else request.prompt
    parts = [fingerprint, prompt, request.max_new_tokens, settings]
    if request.scoring != "generate":
        parts += [request.scoring, request.labels, request.options]
    # Added only where they are set, so that stores of older versions keep their keys.
    if request.pairs or request.pattern:
        parts += [request.pairs, request.pattern]
    if request.sample:
        parts.append({"sample": request.sample})
    if settings.get("by") == "item":
        parts.append({"item": request.id})
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


class JudgingRow(TypedDict):
    """A candidate that a judge is asked about. `keys` is empty for an empty candidate, about which no judge is asked."""

    item: str
    rotation: int
    key: str  # the key of the candidate's reply
    attack: str
    prompt: str
    keys: list[str]  # keys of the judge's replies, by attempt


class ReaderRow(TypedDict):
    """A reply that a second reader is asked about."""

    item: str
    rotation: int
    sample: int
    key: str  # the key of the reply
    why: str
    prompt: str
    asked: str  # the key of the second reader's reply


class StoredQuestions(NamedTuple):
    """The planned questions to a judge or a second reader about one cell: the place, the settings, and a row for each."""

    place: JsonObject
    facts: JsonObject
    rows: list[Any]  # `JudgingRow` for a judge, `ReaderRow` for a second reader


Asker = Literal["judge", "reader"]  # the key of a place that names who is asked: a judge or a second reader


class Source(Protocol):
    """The source of the replies that results are computed from: a run's store, or the records of a submission."""

    def cells(self) -> list[Cell]: ...
    def read(self, cell: Cell) -> Iterator[tuple[str, Trial, Response | None]]: ...
    def questions(self, by: Asker) -> Iterable[StoredQuestions]: ...
    def response(self, key: str) -> Response | None: ...


# Opens a file of records by its path within a run ("records/….jsonl"), and gives a function that writes one record.
RecordWriter = Callable[[str], AbstractContextManager[Callable[[Strict], None]]]


class Store:
    """An open store: `with Store(path) as store:`. The writer must hold the folder's lock (evalsuite/common/lock.py).

    What a method stored is on the disk when it returns: a kill or a power cut does not lose it.
    Opening raises ConfigError if the file was written by another version, is no store, or was copied without its
    store.sqlite-wal. Later, sqlite3.Error is raised for a damaged store or a full disk.
    """

    def __init__(self, path: Path) -> None:
        self._wal = path.with_name(f"{path.name}-wal")
        self._items: dict[str, Item] = {}  # hash -> item, filled while reading
        self._trial = lru_cache(_TRIALS)(_trial)  # models that are asked the same question have equal rows
        self._damaged: set[str] = set()  # keys of replies with a wrong digest, filled while reading
        whole = self._wal.exists() or not path.exists()  # before it is opened: SQLite creates both files
        try:
            self._open(path, whole)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            # SQLite's message about a damaged schema need not be UTF-8
            raise ConfigError(f"{path}: cannot be opened as a store: {error}; {_REPAIR}") from None

    def _open(self, path: Path, whole: bool) -> None:
        # SQLite writes beside a store that it reads; what cannot be written is read into a temporary database. Replies in a
        # store.sqlite-wal would be lost there.
        fixed = not (whole or all(map(_is_writable, (path, path.parent))))
        self._db = sqlite3.connect("" if fixed else path, isolation_level=None, timeout=30)
        if fixed:
            with closing(sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True)) as file:
                file.backup(self._db)
        self._db.text_factory = partial(str, encoding="utf-8", errors="replace")  # a changed byte changes the digest
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        (tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and version != _VERSION:
            self._db.close()
            raise ConfigError(f"{path}: written by another version of evalsuite; start a new run with another --out")
        # The version is set only once, so that opening an existing store for reading writes nothing.
        mark = f"PRAGMA user_version={_VERSION};" if version != _VERSION else ""
        self._db.executescript(
            f"PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; BEGIN IMMEDIATE; {_SCHEMA} {mark} COMMIT"
        )
        self._open_mark = ("open",) in self._db.execute("SELECT mark FROM writing").fetchall()
        self._marked_at: int | None = None  # changes at the last mark; None: nothing was written
        if self._open_mark and not whole:
            self._db.close()
            raise ConfigError(
                f"{path}: was copied without {self._wal.name}, or has lost it: replies are missing. Copy both files again; to "
                f"go on with the replies that are left, make an empty file {self._wal}"
            )

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(sqlite3.Error):  # a full disk: the replies are stored all the same
            if self._marked_at is not None:
                self._db.execute("DELETE FROM writing")
                self._open_mark = False
                self._db.execute("PRAGMA wal_checkpoint")
        self._db.close()
        # SQLite removes an empty store.sqlite-wal. Without it, a file with an open mark would seem to have lost replies.
        if self._open_mark:
            with suppress(OSError):
                self._wal.touch()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """BEGIN … COMMIT, or ROLLBACK if the block raises."""
        if self._db.in_transaction:  # Ctrl-C came between BEGIN and the block
            self._db.execute("ROLLBACK")
        if self._marked_at is None or self._db.total_changes - self._marked_at > _CHECKPOINT:
            self._mark()
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:  # SQLite ends the transaction itself if the disk is full
                self._db.execute("ROLLBACK")
            raise

    def _mark(self) -> None:
        """Copy store.sqlite-wal into store.sqlite, and mark in store.sqlite that replies will follow in store.sqlite-wal.

        The mark is "open" in store.sqlite and "whole" in store.sqlite-wal. Copying one into the other, as SQLite does when the
        last program closes the store, makes it "whole". So an "open" store.sqlite without a store.sqlite-wal lacks replies.
        """
        self._open_mark = True
        if self._marked_at is None:
            self._db.execute("PRAGMA wal_autocheckpoint=0")  # SQLite would copy "whole" while more replies follow
        self._db.execute("INSERT INTO writing VALUES ('open') ON CONFLICT DO NOTHING")
        self._db.execute("DELETE FROM writing WHERE mark <> 'open'")
        self._db.execute("PRAGMA wal_checkpoint")
        self._db.execute("UPDATE writing SET mark = 'whole'")
        self._open_mark = False
        self._marked_at = self._db.total_changes

    def plan(self, cell: Cell, trials: Sequence[tuple[str, Trial]]) -> None:
        """Store the trials of a cell, as (key, trial) in order. Replaces an earlier plan of the same cell."""
        with self._transaction():
            (number,) = self._db.execute(
                "INSERT INTO cells (place, facts) VALUES (?, ?) ON CONFLICT DO UPDATE SET facts = excluded.facts RETURNING id",
                (_place(cell), hide(json.dumps(cell.facts, sort_keys=True))),
            ).fetchone()
            self._db.execute("DELETE FROM requests WHERE cell = ?", (number,))
            for position, (key, trial) in enumerate(trials):
                item, row = _pack(_item_fields(trial.item)), _pack(_trial_row(trial))
                digest = hashlib.sha256(item).hexdigest()
                self._db.execute("INSERT OR IGNORE INTO items VALUES (?, ?)", (digest, item))
                self._db.execute("INSERT INTO requests VALUES (?, ?, ?, ?, ?)", (number, position, key, digest, row))
            self._db.execute(
                "INSERT OR REPLACE INTO digests VALUES (?, ?)", (_plan_name(number), self._plan_digest(number))
            )

    def _plan_digest(self, number: int) -> bytes:
        """The digest of a cell's place, facts, and its requests' keys and items."""
        cell = self._db.execute("SELECT place, facts FROM cells WHERE id = ?", (number,)).fetchone()
        rows = self._db.execute("SELECT key, item FROM requests WHERE cell = ? ORDER BY position", (number,))
        return _digest(*cell, *(value for row in rows for value in row))

    def _require_plan(self, number: int) -> None:
        """Raise sqlite3.DatabaseError if a cell's plan is not as it was stored. Older versions wrote no digests."""
        stored = self._db.execute("SELECT digest FROM digests WHERE name = ?", (_plan_name(number),)).fetchone()
        if stored and stored[0] != self._plan_digest(number):
            raise sqlite3.DatabaseError("the plan of a cell is not as it was stored: its digest differs")

    def plan_judging(self, place: JsonObject, facts: JsonObject, rows: Iterable[JudgingRow | ReaderRow]) -> None:
        """Store what a judge (review/judge) or a second reader (evaluation/second_reader.py) is to be asked. `place` names either
        by the key "judge" or "reader"; an earlier plan of the same place is replaced."""
        with self._transaction():
            (number,) = self._db.execute(
                "INSERT INTO judgings (place, facts) VALUES (?, ?) ON CONFLICT DO UPDATE SET facts = excluded.facts RETURNING id",
                (json.dumps(place, ensure_ascii=False), hide(json.dumps(facts, ensure_ascii=False, sort_keys=True))),
            ).fetchone()
            self._db.execute("DELETE FROM judged WHERE judging = ?", (number,))
            for position, row in enumerate(rows):
                self._db.execute("INSERT INTO judged VALUES (?, ?, ?)", (number, position, _pack(row)))

    def questions(self, by: Asker) -> list[StoredQuestions]:
        """The questions to all judges, or to all second readers, about each cell, sorted by place."""
        judgings = []
        for number, text, facts in self._db.execute("SELECT id, place, facts FROM judgings").fetchall():
            if by in (place := _parsed(text)):
                rows = self._db.execute("SELECT row FROM judged WHERE judging = ? ORDER BY position", (number,))
                judgings.append(StoredQuestions(place, _parsed(facts), [_unpack(row) for (row,) in rows]))
        return sorted(judgings, key=lambda judging: tuple(judging.place.values()))

    def response(self, key: str) -> Response | None:
        """The reply stored under a key, else its failure, else None."""
        row = self._db.execute(
            "SELECT digest, text, finish, prompt_tokens, new_tokens, reasoning, tokens, likelihoods FROM replies"
            " LEFT JOIN thinking USING (key) LEFT JOIN digests ON name = key WHERE key = ?",
            (key,),
        ).fetchone()
        if row:
            return self._response(key, *row)
        failure = self._db.execute("SELECT error FROM failures WHERE key = ?", (key,)).fetchone()
        return Response("", "error", error=failure[0]) if failure else None

    def _response(self, key: str, digest: bytes | None, *columns: Any) -> Response:
        """A reply as it was stored; a failure if its digest does not fit. Older versions wrote no digests."""
        if digest is not None and digest != _digest(key, *columns):
            self._damaged.add(key)
            return Response("", "error", error=_DAMAGED)
        return _response(*columns)

    @property
    def damaged(self) -> int:
        """The number of replies read so far whose digest does not fit, without those that a new reply has replaced."""
        return len(self._damaged)

    def done(self, keys: Iterable[str]) -> set[str]:
        """The keys that have a reply. A failure does not count as one: it is asked again."""
        return {key for key in keys if (response := self.response(key)) is not None and response.error is None}

    def put(self, responses: Iterable[tuple[str, Response]]) -> None:
        """Store (key, response) pairs in one transaction, with API keys masked.

        The column `asked` counts the replies of a key; it should stay 1.
        """
        with self._transaction():
            for key, r in responses:
                if counted := r.cost - r.bound:
                    self._db.execute("INSERT INTO spent VALUES (?, ?)", (key, counted))
                self._add_bound(r.bound)
                if r.error is not None:
                    self._db.execute(
                        "INSERT OR REPLACE INTO failures VALUES (?, ?)",
                        (key, hide(escape_surrogates(r.error), cut=True)),
                    )
                    continue
                if key in self._damaged:
                    self._forget(key)
                text = hide(escape_surrogates(r.text))
                reasoning = None if r.reasoning is None else hide(escape_surrogates(r.reasoning))
                likelihoods = json.dumps([astuple(x) for x in r.likelihoods]) if r.likelihoods else None
                (asked,) = self._db.execute(
                    "INSERT INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, 1) "
                    "ON CONFLICT DO UPDATE SET asked = asked + 1 RETURNING asked",
                    (key, text, r.finish, r.prompt_tokens, r.new_tokens, reasoning, likelihoods),
                ).fetchone()
                if asked == 1:
                    self._db.execute("DELETE FROM thinking WHERE key = ?", (key,))
                    if r.thinking_tokens is not None:
                        self._db.execute("INSERT INTO thinking VALUES (?, ?)", (key, r.thinking_tokens))
                    columns = (text, r.finish, r.prompt_tokens, r.new_tokens, reasoning, r.thinking_tokens, likelihoods)
                    self._db.execute("INSERT OR REPLACE INTO digests VALUES (?, ?)", (key, _digest(key, *columns)))
                self._db.execute("DELETE FROM failures WHERE key = ?", (key,))

    def _forget(self, key: str) -> None:
        """Drop a damaged reply, so that another can be stored."""
        for table in ("replies", "thinking"):
            self._db.execute(f"DELETE FROM {table} WHERE key = ?", (key,))
        self._db.execute("DELETE FROM digests WHERE name = ?", (key,))
        self._damaged.discard(key)

    def lend(self, amount: float) -> None:
        """Count the highest cost of requests as spent before they are sent; a negative amount gives it back.

        The amount of a killed process stays spent, since its endpoint may have charged it.
        """
        with self._transaction():
            self._add_bound(amount)

    def batches(self) -> dict[str, JsonObject]:
        """Notes on batches at endpoints (backends/openai/batches.py), by name, in order of their writing."""
        rows = self._db.execute("SELECT name, note FROM batches ORDER BY rowid").fetchall()
        return {name: _unpack(note) for name, note in rows}

    def put_batch(self, name: str, note: JsonObject, stake: float, cost: float = 0.0) -> None:
        """Keep a note on a batch. Its highest cost, `stake`, is spent until `end_batch`, also if the process is killed;
        `cost` stays spent for good, as in `end_batch`."""
        with self._transaction():
            self._db.execute(
                "INSERT INTO batches VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET note = excluded.note, stake = excluded.stake",
                (name, _pack(note), stake),
            )
            self._add_bound(cost)

    def end_batch(self, name: str, cost: float = 0.0) -> None:
        """Drop the note on a batch and its stake. `cost`, that of its lines without a stored reply, stays spent."""
        with self._transaction():
            self._db.execute("DELETE FROM batches WHERE name = ?", (name,))
            self._add_bound(cost)

    def _add_bound(self, cost: float) -> None:
        """Count a cost as spent that is an upper bound, since no tokens were counted."""
        if cost:
            self._db.execute("INSERT INTO spent VALUES ('', ?)", (cost,))

    def spent(self) -> float:
        """Cost of all replies, of failures that may have been charged, and of requests and batches under way."""
        return self._costs("1")

    def bound(self) -> float:
        """The part of `spent` that is an upper bound, since no tokens were counted."""
        return self._costs("key = ''")

    def _costs(self, where: str) -> float:
        """The cost of some rows of `spent`, and the stakes of batches."""
        (total,) = self._db.execute(
            f"SELECT (SELECT coalesce(sum(cost), 0) FROM spent WHERE {where}) + (SELECT coalesce(sum(stake), 0) FROM batches)"
        ).fetchone()
        return float(total)

    @property
    def requests(self) -> int:
        """The number of planned requests."""
        (count,) = self._db.execute("SELECT count(*) FROM requests").fetchone()
        return int(count)

    def cells(self) -> list[Cell]:
        """All planned cells, sorted by place."""
        rows = self._db.execute("SELECT id, place, facts FROM cells").fetchall()
        for number, _, _ in rows:
            self._require_plan(number)
        try:
            cells = [Cell(Place(**_parsed(place)), _parsed(facts)) for _, place, facts in rows]
        except TypeError as error:
            raise sqlite3.DatabaseError(f"the place of a cell cannot be read: {error}") from None
        return sorted(cells, key=lambda cell: cell.place)

    def read(self, cell: Cell) -> Iterator[tuple[str, Trial, Response | None]]:
        """(key, trial, response) of a cell in order; the response is None if it was not asked yet."""
        rows = self._db.execute(
            "SELECT r.key, r.item, r.request, f.error, d.digest, p.text, p.finish, p.prompt_tokens, p.new_tokens, p.reasoning,"
            " t.tokens, p.likelihoods FROM requests r JOIN cells c ON c.id = r.cell"
            " LEFT JOIN replies p ON p.key = r.key LEFT JOIN thinking t ON t.key = r.key LEFT JOIN digests d ON d.name = r.key"
            " LEFT JOIN failures f ON f.key = r.key WHERE c.place = ? ORDER BY r.position",
            (_place(cell),),
        )
        for key, item, request, error, digest, text, *reply in rows:
            response = None
            if text is not None:
                response = self._response(key, digest, text, *reply)
            elif error is not None:
                response = Response("", "error", error=error)
            yield key, self._trial(self._item(item), request), response

    def _item(self, digest: str) -> Item:
        """An item by its hash. It is parsed once, and shared by all models and wordings that are asked about it."""
        if digest not in self._items:
            row = self._db.execute("SELECT item FROM items WHERE hash = ?", (digest,)).fetchone()
            if row is None:
                raise sqlite3.DatabaseError(f"the item {digest} is missing")
            self._items[digest] = Item.of(_unpack(row[0]))
        return self._items[digest]


def find_store(run: Path) -> Path:
    """The path of a run's store. Adds the run's own benchmark files to the registry. Raises ConfigError if there is no store."""
    require_folder(run)
    path = run / "store.sqlite"
    if not path.is_file():
        raise ConfigError(f"{run}: no run here (no store.sqlite); `evalsuite run --out {run}` makes one")
    add_run(run)
    return path


def without_cells(run: Path) -> ConfigError:
    """The error of a run whose store has no cells."""
    return ConfigError(
        f"{run}: store.sqlite has no cells: nothing was asked, or it was emptied or copied without store.sqlite-wal"
    )


def open_store(run: Path) -> Store:
    """Open the store of a run's folder. Raises ConfigError if there is none."""
    return Store(find_store(run))


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _place(cell: Cell) -> str:
    return json.dumps(cell.place.as_dict(), ensure_ascii=False)


def _item_fields(item: Item) -> dict[str, object]:
    """The fields of an item; `votes` only where it has some, so that items of earlier runs keep their digests."""
    # Not by `asdict`, which copies each text of each tuple: that took as long as the rest of a plan.
    return {name: getattr(item, name) for name in item.__slots__ if name != "votes" or item.votes}


def _pack(value: object) -> bytes:
    """A value as compressed JSON: prompts repeat their dialogue, and are stored both as text and as chat turns."""
    return zlib.compress(json.dumps(value, ensure_ascii=False).encode(), 1)


def _unpack(packed: bytes) -> Any:
    try:
        return _parsed(zlib.decompress(packed))
    except (zlib.error, TypeError) as error:
        raise sqlite3.DatabaseError(f"a row cannot be read: {error}") from None


def _plan_name(number: int) -> str:
    """The name by which the digest of a cell's plan is stored."""
    return f"plan {number}"


def _digest(*values: str | int | None) -> bytes:
    return hashlib.blake2b("\x1f".join(map(str, values)).encode(), digest_size=8).digest()


def _response(
    text: str,
    finish: str,
    prompt: int,
    new: int,
    reasoning: str | None,
    thinking: int | None,
    likelihoods: str | None = None,
) -> Response:
    options = tuple(Likelihood(*x) for x in _parsed(likelihoods)) if likelihoods else ()
    if finish == "texts" and not all(option.tokens for option in options):
        # Older versions stored it as a reply, in which such an option had a probability of 1.
        empty = [option.tokens for option in options].index(0)
        return Response("", "error", prompt, error=f"option {empty}: its text has no tokens")
    return Response(text, finish, prompt, new, reasoning=reasoning, likelihoods=options, thinking_tokens=thinking)


def _parsed(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise sqlite3.DatabaseError(f"a row cannot be read: {error}") from None


_REQUEST_FIELDS = "prompt", "messages", "max_new_tokens", "scoring", "pairs", "pattern", "answer_after", "sample"
_TRIAL_FIELDS = ("variant", "shots", "asked_shots", "perturb", "rotation")


def _trial_row(trial: Trial) -> JsonObject:
    """A trial without its item. `_trial` restores the rest of its request from the item."""
    fields = {name: getattr(trial.request, name) for name in _REQUEST_FIELDS}
    fields["messages"] = [{"role": message.role, "content": message.content} for message in trial.request.messages]
    if trial.request.options != trial.item.options:  # the template puts words before each option
        fields["options"] = trial.request.options
    return fields | {name: getattr(trial, name) for name in _TRIAL_FIELDS}


def _trial(item: Item, packed: bytes) -> Trial:
    row = _unpack(packed)
    row["messages"] = tuple(Message(**message) for message in row["messages"])
    row["pairs"] = tuple((context, target) for context, target in row.get("pairs", ()))
    row["shots"] = tuple(row["shots"])
    # Older versions wrote fewer fields: the others have their defaults.
    request, trial = ({name: row[name] for name in names if name in row} for names in (_REQUEST_FIELDS, _TRIAL_FIELDS))
    options = tuple(row.get("options", item.options))
    return Trial(item, Request(id=item.id, labels=item.labels, options=options, **request), **trial)
