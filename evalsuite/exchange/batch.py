"""`evalsuite parse` and `evalsuite metrics`: parse or score JSON lines that did not come from a run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from evalsuite.common.errors import ConfigError, DataError, unknown
from evalsuite.common.jsonl import JsonObject, read_objects
from evalsuite.exchange.explain import Walkthrough, explain, explain_span
from evalsuite.metrics.profiles import PROFILES, Profile, on_units
from evalsuite.metrics.tokens import TOKENISERS
from evalsuite.parse import Choices, parse_option, parse_options, parse_span, stated_confidence
from evalsuite.types import PARSERS, Answer

ReplyRow = JsonObject  # a reply with the fields that `parse_rows` takes


def parse_rows(rows: Iterable[ReplyRow], parser: str = "full", several: bool = False) -> Iterator[ReplyRow]:
    """Parse the reply of each row. Yield the row with `choice`, `text`, `status`, `rule`, `start` and `end` added, and with
    `confidence` if the reply states its confidence in its choice.

    A row holds `output`, the reply. For a choice it also holds `options` (label -> text, in order), and `choice` is the
    chosen label or None. For a span it may hold `dialogue` and `question`. `finish` is "stop" if it is left out.
    several: more than one option may be right; `choices` lists the chosen labels, in place of `choice`.
    Raises ConfigError for an unknown parser.
    """
    if parser not in PARSERS:
        raise ConfigError(unknown("parser", parser, PARSERS))
    if several and parser != "full":
        raise ConfigError("--several needs the parser “full”")
    for row in rows:
        yield {**row, **_reading(row, parser, several)}


def read_rows(path: Path, line: int | None = None) -> Iterator[ReplyRow]:
    """Read and check the lines of a JSONL file, or only the line with the number `line`.

    Raises DataError with line and field for a bad line, or if `line` is missing or blank.
    """
    seen = False
    for number, row in read_objects(path, surrogates=True):
        if line not in (None, number):
            continue
        seen = True
        options = row.get("options")
        if not isinstance(row.get("output"), str):
            raise DataError("expected a string", path, number, "output")
        if options is not None and not _is_options(options):
            raise DataError("expected an object with two or more options, label -> text", path, number, "options")
        if not isinstance(row.get("finish") or "stop", str):
            raise DataError('expected "stop", "length" or another text', path, number, "finish")
        for name, is_right, expected in _CONTEXT:
            if row.get(name) is not None and not is_right(row[name]):
                raise DataError(f"expected {expected}", path, number, name)
        yield row
    if line is not None and not seen:
        raise DataError("no such line, or a blank one", path, line)


def reply_row(reply: str, options: str = "", question: str = "") -> ReplyRow:
    """The row of one reply. `options`: texts separated by "|", labelled (a), (b), …; or JSON, label -> text; "": a span.

    >>> reply_row("b", "雨|雪")["options"]
    {'(a)': '雨', '(b)': '雪'}
    """
    if not options:
        return {"output": reply, "question": question}
    labelled: Any = {
        f"({label})": text.strip() for label, text in zip(ascii_lowercase, options.split("|"), strict=False)
    }
    if options.lstrip().startswith("{"):
        try:
            labelled = json.loads(options)
        except ValueError:
            labelled = None
    elif options.count("|") >= len(ascii_lowercase) or "" in labelled.values():
        labelled = None
    if not _is_options(labelled):
        raise ConfigError(
            f"--options {options!r}: expected two to 26 texts such as 雨|雪|雾, "
            'or JSON such as {"A": "雨", "B": "雪"}'
        )
    return {"output": reply, "options": labelled} | ({"question": question} if question else {})


def _reading(row: ReplyRow, parser: str, several: bool) -> ReplyRow:
    options, finish, question = row.get("options"), row.get("finish") or "stop", row.get("question") or ""
    labels = list(options or ())
    if not options:
        span = parse_span(row["output"], dialogue=row.get("dialogue"), question=row.get("question"), finish=finish)
        return {"choice": None, **_fields(span)}
    if several:
        choices = parse_options(row["output"], options, question=question, finish=finish, dialogue=row.get("dialogue"))
        return {"choices": [labels[n] for n in choices.choices], **_fields(choices), **_stated(row, choices)}
    answer = parse_option(
        row["output"], options, question=question, finish=finish, mode=parser, dialogue=row.get("dialogue")
    )
    choice = None if answer.choice is None else labels[answer.choice]
    return {"choice": choice, **_fields(answer), **_stated(row, answer)}


def _stated(row: ReplyRow, answer: Answer | Choices) -> dict[str, float]:
    """The field `confidence` of a reply that states its confidence in its choice; {} for any other reply."""
    chosen = answer.chosen if isinstance(answer, Answer) else answer.choices
    stated = stated_confidence(row["output"], answer.start or 0, answer.end or 0) if chosen else None
    return {} if stated is None else {"confidence": stated}


def explain_row(row: ReplyRow, several: bool = False) -> Walkthrough:
    """Explain the reading of a row's reply."""
    options, finish = row.get("options"), row.get("finish") or "stop"
    if not options:
        return explain_span(row["output"], row.get("dialogue") or (), row.get("question") or "", finish)
    return explain(row["output"], options, finish, row.get("dialogue"), several, row.get("question") or "")


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


_CONTEXT = (
    ("dialogue", _is_texts, "a list of turns, each a string"),
    ("question", lambda value: isinstance(value, str), "a string"),
)


def _is_options(options: Any) -> bool:
    return isinstance(options, dict) and len(options) > 1 and all(isinstance(text, str) for text in options.values())


def _fields(answer: Answer | Choices) -> ReplyRow:
    fields = {"text": answer.text, "status": answer.status.value, "rule": answer.rule}
    return {**fields, "start": answer.start, "end": answer.end}


def metric_lines(
    path: Path,
    profiles: Iterable[str] = ("default", "paper"),
    encoder: str = "",
    tokens: Iterable[str] = (),
) -> JsonObject:
    """Score a JSONL file of `hyp` and `ref` (or a list `refs`) with every text metric.

    Returns {"items": n, "profiles": {profile: {metric: {"value", "signature"}}}}. `encoder` names the model of `semsim`.
    Each of `tokens`, units such as "char" or "none", adds a profile, "tokens:char", with every metric on these units.
    Raises ConfigError for an unknown profile, unit or encoder, DataError for a bad line or an empty file.
    """
    from evalsuite.metrics.semsim import open_encoder
    from evalsuite.metrics.texts import TextCorpus

    chosen: list[Profile] = []
    for name in profiles:
        if name not in PROFILES:
            raise ConfigError(unknown("profile", name, PROFILES))
        chosen.append(PROFILES[name])
    for name in tokens:
        if name != "none" and name not in TOKENISERS:
            raise ConfigError(unknown("tokenisation", name, (*TOKENISERS, "none")))
        chosen.append(on_units(name))
    hypotheses: list[str] = []
    references: list[list[str]] = []
    for number, row in read_objects(path, surrogates=True):
        refs = row.get("refs", [row["ref"]] if "ref" in row else None)
        if not isinstance(row.get("hyp"), str):
            raise DataError("expected a string", path, number, "hyp")
        if not isinstance(refs, list) or not refs or not all(isinstance(ref, str) for ref in refs):
            raise DataError("expected `ref`, a string, or `refs`, a list of one or more", path, number, "ref")
        hypotheses.append(row["hyp"])
        references.append(refs)
    if not hypotheses:
        raise DataError("holds no lines: expected JSON Lines, an object a line", path)
    corpus = TextCorpus(hypotheses, references)
    loaded = open_encoder(encoder) if encoder else None
    try:
        scores = {profile.name: corpus.score(profile, loaded) for profile in chosen}
    except ModuleNotFoundError as error:  # a tokeniser that is not installed
        raise ConfigError(f"--tokens: {error}: pip install {error.name}") from None
    return {
        "items": len(hypotheses),
        "profiles": {
            name: {m: {"value": s.corpus[m], "signature": s.signatures[m]} for m in s.corpus}
            for name, s in scores.items()
        },
    }
