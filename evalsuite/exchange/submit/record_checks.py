"""Checks of single records of a submission: the schema, and that the fields agree with each other and with the cell."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from evalsuite.analyses.judged.scale import again
from evalsuite.analyses.judged.values import JudgedCell, JudgedRecord
from evalsuite.benchmarks.kinds import HEADLINE
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common import jsonl
from evalsuite.common.errors import DataError
from evalsuite.common.jsonl import PydanticModel
from evalsuite.exchange.submit.source import JUDGED_PLACE
from evalsuite.results import records
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.schema.record import Record
from evalsuite.results.store import request_key
from evalsuite.types import PLACE, Message, Request, Response, Trial

MOST = 20  # problems of one file after which the rest of the file is skipped

Faults = Iterable[tuple[str, str]]  # (field, problem)
Compare = Callable[[Record, Trial], Faults]  # compares a record with the official data: OfficialCell.compare


class Broken(Exception):
    """Results cannot be computed from a file of records."""


def cell_lines(
    folder: Path,
    cell: CellResult,
    compare: Compare = lambda record, trial: (),
    missing: Callable[[], Iterable[str]] = tuple,
) -> Iterator[str]:
    """Yield the problems of a cell's records. Raises Broken at the end if the records cannot be scored.

    missing: called after the last record, for the problems of items without a record.
    """
    lines: dict[tuple[str, int, int], int] = {}
    replies: dict[str, bytes] = {}

    def faults_of(record: Record, number: int) -> Faults:
        several = TASKS[record.task].kind.several
        if record.gold is not None and not several and record.gold not in record.labels:
            raise Unscorable("gold", f"{record.gold!a} is none of the labels")
        trial = record.trial()
        name = record.item, record.rotation, record.sample
        if name in lines:
            yield "item", f"{record.item} was asked on line {lines[name]} already"
        lines.setdefault(name, number)
        # Requests with the same key are sent once, so they have the same reply.
        reply = repr([record.reply, record.finish, record.error, record.likelihoods])
        digest = hashlib.blake2b(reply.encode()).digest()
        if replies.setdefault(record.key, digest) != digest:
            yield "reply", "another line with the same key has another reply"
        yield from _record_faults(cell, record, trial)
        yield from compare(record, trial)

    is_whole = yield from _file_problems(folder, cell.records, Record, faults_of)
    if is_whole:
        yield from (f"{cell.records}: {problem}" for problem in missing())


def judged_lines(folder: Path, cell: JudgedCell) -> Iterator[str]:
    """Yield the problems of a judge's records. Raises Broken like `cell_lines`."""
    lines: dict[tuple[str, int, str | None], int] = {}

    def faults_of(record: JudgedRecord, number: int) -> Faults:
        name = record.item, record.rotation, record.attack
        if name in lines:
            yield "item", f"{record.item} was judged on line {lines[name]} already"
        lines.setdefault(name, number)
        yield from _judged_faults(cell, record)

    yield from _file_problems(folder, cell.records, JudgedRecord, faults_of)


def _file_problems(
    folder: Path, file: str, model: type[PydanticModel], faults_of: Callable[[PydanticModel, int], Faults]
) -> Generator[str, None, bool]:
    """Yield the problems of a file. Returns whether all of it was looked at; raises Broken at the end."""
    count, broken, name = 0, False, file
    try:
        path = records.records_file(folder, file)
        name = path.relative_to(folder).as_posix()
        for number, text in records.numbered_lines(folder, path):
            faults: list[tuple[str, str]] = []
            try:
                faults.extend(faults_of(model.model_validate(jsonl.parse_object(text, path, number)), number))
            except ValidationError as error:
                broken = True
                faults = [(jsonl.field_path(e["loc"]) or "file", e["msg"]) for e in error.errors(include_url=False)[:5]]
            except Unscorable as error:
                broken = True
                field, problem = error.args
                faults.append((field, problem))
            for field, what in faults:
                yield f"{name}:{number}: {field}: {what}"
            count += len(faults)
            if count >= MOST:
                yield f"{name}: the rest of the file was not looked at"
                break
    except DataError as error:
        yield f"{name}{f':{error.line}' if error.line else ''}: {error.message}"
        broken = True
    if broken:
        raise Broken
    return count < MOST


class Unscorable(Exception):
    """A record cannot be scored. The arguments are the field and the problem."""


def _record_faults(cell: CellResult, record: Record, trial: Trial) -> Faults:
    facts, item, request = cell.facts, trial.item, trial.request
    task = TASKS[item.task]
    kind = task.kind
    for field in PLACE:
        stated, expected = getattr(record, "asked_shots" if field == "shots" else field), getattr(cell, field)
        if stated != expected:
            raise Unscorable(field, f"is {stated!a}, but the cell's is {expected!a}")
    if kind.options != bool(item.options) or len(item.labels) != len(item.options):
        raise Unscorable(
            "options", f"{len(item.options)} with {len(item.labels)} labels for a task of kind {kind.name}"
        )
    if kind.single and (item.gold is None or len(set(item.labels)) < len(item.labels)):
        raise Unscorable("gold", "a choice has one right label, and no label twice")
    if item.gold is not None and item.references != (item.options[item.gold],):
        yield "gold", f"is {record.gold!a}, but that option is not the reference"
    if kind.several and not set(item.references) <= set(item.options):
        raise Unscorable("references", "are not all among the options")
    if kind.several and record.gold != ", ".join(item.labels[gold] for gold in item.golds):
        yield "gold", f"is {record.gold!a}, but those are not the references"
    if kind.written == (len(request.pairs) == len(item.options) and bool(request.pairs)):
        raise Unscorable("pairs", f"{len(request.pairs)} for a task of kind {kind.name}")
    if request.pairs and "".join(request.pairs[0]) != request.prompt:
        yield "pairs", "the first is not the prompt"
    parts = item.id.split("/")
    if parts[:4] != [task.benchmark, item.set, item.split, task.local]:
        yield "item", f"{item.id!a} is no item of {item.set} {item.split} {item.task}"
    if len(set(trial.shots)) < len(trial.shots) or len(trial.shots) > trial.asked_shots:
        yield "shots", f"{len(trial.shots)} of {trial.asked_shots}, some twice or too many"
    if (record.error is None) != (record.reply is not None) or (record.error is None) == (record.finish == "error"):
        raise Unscorable("error", "a request has either a reply or an error")
    if request.sample >= (facts.samples or 1):
        yield "sample", f"is {request.sample}, but the cell has {facts.samples or 1} an item, counted from 0"
    likelihoods = record.likelihoods
    compared = request.scoring in HEADLINE and record.error is None
    if request.scoring == "nll" and record.finish not in HEADLINE:
        compared = False  # a person chose the explanation, without likelihoods
    expected = request.scoring if compared else None
    if expected != (record.finish if record.finish in HEADLINE else None) or compared != bool(likelihoods):
        raise Unscorable("likelihoods", f"do not fit scoring {request.scoring} and finish {record.finish}")
    if likelihoods and len(likelihoods) != len(item.options):
        raise Unscorable("likelihoods", f"{len(likelihoods)} for {len(item.options)} options")
    if (record.messages is not None) != facts.chat:
        yield "messages", "chat turns are there for chat models only"
    elif request_key(facts.fingerprint, request, facts.chat, facts.sampling) != record.key:
        yield "key", "is not the hash of the cell's model and settings and of this prompt"


def _judged_faults(cell: JudgedCell, record: JudgedRecord) -> Faults:
    from evalsuite.review.judge.judging import text_after_thinking

    facts = cell.facts
    for field in JUDGED_PLACE:
        stated, expected = getattr(record, field), getattr(cell, field)
        if stated != expected:
            raise Unscorable(field, f"is {stated!a}, but the cell's is {expected!a}")
    nothing = not text_after_thinking(Response(record.candidate, "stop"))
    if nothing != (not record.attempts and record.status != "missing"):
        yield "attempts", "a judge is asked about every candidate that says something"
    settings = dict(facts.sampling)
    if record.control.startswith("repeat") and facts.repeats_by == "sampling":
        settings["repeat"] = record.control
    for n, attempt in enumerate(record.attempts, 1):
        prompt = again(record.prompt, facts.reminder, n)
        request = Request(record.item, prompt, (Message("user", prompt),), facts.max_new_tokens)
        if request_key(facts.fingerprint, request, facts.chat, settings) != attempt.key:
            yield f"attempts[{n - 1}].key", "is not the hash of the judge, its settings and this prompt"
