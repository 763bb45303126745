"""`evalsuite parse` and `evalsuite metrics`: parse or score JSON lines that did not come from a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.options import Parser, parts
from evalsuite.common.terminal import emit, json_mark


def parse(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.jsonl", help="Lines with output, and options (choices) or dialogue and question (spans)."
        ),
    ],
    out: Annotated[Path | None, typer.Option("--out", help="Write to this file instead of the terminal.")] = None,
    parser: Parser = "full",
) -> None:
    from evalsuite.common.files import replacing
    from evalsuite.exchange.batch import parse_lines

    lines = (json.dumps(row, ensure_ascii=False) for row in parse_lines(file, parser))
    if out:  # a lone surrogate cannot be encoded: write its JSON escape
        with replacing(out) as target:
            target.writelines(f"{line}\n".encode(errors="backslashreplace") for line in lines)
    else:
        for line in lines:
            emit(line, json_mark)


def metrics(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.jsonl", help="Lines with hyp and ref, or refs for several references.")
    ],
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            help="Profiles, comma-separated: default, paper, english, cicero, char, jieba, rouge_chinese; "
            "without --tokens: default,paper.",
        ),
    ] = None,
    tokens: Annotated[
        str,
        typer.Option(
            "--tokens",
            help="Every metric on the same units, comma-separated: char, jieba, rjieba, mixed, 13a, zh, none (what whitespace "
            "parts) or blank (what single blanks part).",
        ),
    ] = "",
    semsim: Annotated[
        str,
        typer.Option(
            "--semsim",
            help="Add semantic similarity by this encoder: use, or the path of a sentence-transformers model or of a checkpoint such as SimCSE.",
        ),
    ] = "",
) -> None:
    from evalsuite.exchange.batch import metric_lines

    profiles = parts(profile if profile is not None else "" if tokens else "default,paper")
    found = metric_lines(file, profiles, semsim, parts(tokens))
    emit(json.dumps(found, ensure_ascii=False, indent=1), json_mark)
