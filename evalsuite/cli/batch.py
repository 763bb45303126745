"""`evalsuite parse` and `evalsuite metrics`: parse or score JSON lines that did not come from a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.options import Parser, emit_json, parts
from evalsuite.common.errors import ConfigError
from evalsuite.common.terminal import emit, json_mark, print_all


def parse(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE.jsonl",
            help="JSON lines with the keys output, and options (choices) or dialogue and question (spans).",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write to this file instead of the terminal.")] = None,
    parser: Parser = "full",
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Show how each reply is read: its tape, the rule that fired at each mention, what decided.",
        ),
    ] = False,
    line: Annotated[int | None, typer.Option(help="Only this line of the file, from 1.", min=1)] = None,
    reply: Annotated[str | None, typer.Option(help="Parse this reply instead of a file.")] = None,
    options: Annotated[
        str,
        typer.Option(
            help="With --reply: its options as “科幻片|恐怖片|喜剧片”, labelled (a), (b), …, or as JSON, label -> text; default: a span."
        ),
    ] = "",
    question: Annotated[str, typer.Option(help="With --reply: the question that a span answers.")] = "",
    several: Annotated[bool, typer.Option("--several", help="More than one option may be right.")] = False,
) -> None:
    from evalsuite.common.files import replacing
    from evalsuite.exchange.batch import explain_row, parse_rows, read_rows, reply_row

    if (file is None) == (reply is None):
        raise ConfigError("parse: name a FILE.jsonl or give --reply TEXT, one of them.")
    if file and (options or question):
        raise ConfigError(
            "--options and --question describe --reply: leave them out, as each line of a file has its own."
        )
    if reply is not None and line is not None:
        raise ConfigError("--line is a line of a file: leave it out with --reply.")
    if explain and (out or parser != "full"):
        raise ConfigError("--explain shows on the terminal how the parser “full” reads: leave out --out and --parser.")
    rows = [reply_row(reply or "", options, question)] if file is None else read_rows(file, line)
    if explain:
        from evalsuite.cli.tables.explained import draw_explanation

        for row in rows:
            print_all(*draw_explanation(explain_row(row, several)), "")
        return
    lines = (json.dumps(row, ensure_ascii=False) for row in parse_rows(rows, parser, several))
    if out:  # a lone surrogate cannot be encoded: write its JSON escape
        with replacing(out) as target:
            target.writelines(f"{text}\n".encode(errors="backslashreplace") for text in lines)
    else:
        for text in lines:
            emit(text, json_mark)


def metrics(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.jsonl", help="JSON lines with the keys hyp and ref, or refs for several references."
        ),
    ],
    profile: Annotated[
        str | None,
        typer.Option(
            help="Profiles, comma-separated: default, paper, english, cicero, char, jieba, rouge_chinese; "
            "without --tokens: default,paper."
        ),
    ] = None,
    tokens: Annotated[
        str,
        typer.Option(
            help="Tokenisations, comma-separated, each for all metrics: char, jieba, rjieba, mixed, 13a, zh, none (split at "
            "whitespace) or blank (split at single blanks)."
        ),
    ] = "",
    semsim: Annotated[
        str,
        typer.Option(
            help="Add semantic similarity by this encoder: use, or the path of a sentence-transformers model or of a "
            "checkpoint such as SimCSE."
        ),
    ] = "",
) -> None:
    from evalsuite.exchange.batch import metric_lines

    profiles = parts(profile if profile is not None else "" if tokens else "default,paper")
    scores = metric_lines(file, profiles, semsim, parts(tokens))
    emit_json(scores)
