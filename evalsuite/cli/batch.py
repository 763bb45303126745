"""`evalsuite parse` and `evalsuite metrics`: replies and texts from anywhere, a JSON line each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.options import Parser, parts
from evalsuite.common.terminal import emit, json_mark


def parse(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.jsonl", help="Lines of output, and options, or dialogue and question.")
    ],
    out: Annotated[Path | None, typer.Option("--out", help="Write here instead of to the terminal.")] = None,
    parser: Parser = "full",
) -> None:
    from evalsuite.exchange.batch import parse_lines

    lines = (json.dumps(row, ensure_ascii=False) for row in parse_lines(file, parser))
    if out:  # half a character (a lone surrogate) goes out as the JSON escape that it came in as
        with out.open("w", encoding="utf-8", errors="backslashreplace") as target:
            target.writelines(line + "\n" for line in lines)
    else:
        for line in lines:
            emit(line, json_mark)


def metrics(
    file: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="Lines of hyp and ref (or refs).")],
    profile: Annotated[
        str, typer.Option("--profile", help="default, paper, char, jieba; comma-separated.")
    ] = "default,paper",
    semsim: Annotated[
        str, typer.Option("--semsim", help="Add semantic similarity: use, or a sentence-transformers path.")
    ] = "",
) -> None:
    from evalsuite.exchange.batch import metric_lines

    emit(json.dumps(metric_lines(file, parts(profile), semsim), ensure_ascii=False, indent=1), json_mark)
