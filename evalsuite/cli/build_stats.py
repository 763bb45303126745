"""`evalsuite build stats`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.options import SkipBad, SplitOption
from evalsuite.common.terminal import emit, json_mark, print_all, say


def stats(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of data in the official layout.")],
    annotations: Annotated[
        Path | None, typer.Option(help="Annotations that the data were made from, for the whole of Table 1.")
    ] = None,
    split: SplitOption = "test",
    out: Annotated[Path | None, typer.Option(help="Write stats.json and stats.html into this folder.")] = None,
    skip_bad: SkipBad = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print the paper's Table 1 for these data, the frequencies of slots and domains, and the scores of guessers that
    ignore the dialogue."""
    from evalsuite.authoring.sheets import stats_sheets
    from evalsuite.authoring.stats import compute_stats
    from evalsuite.benchmarks.registry import SPLITS
    from evalsuite.cli.tables.terminal import draw
    from evalsuite.common.errors import ConfigError
    from evalsuite.common.resources import resolve

    if split not in SPLITS:
        raise ConfigError(f"--split {split}: expected train, dev or test")
    computed = compute_stats(resolve(folder), resolve(annotations) if annotations else None, split, skip_bad)
    if as_json:
        emit(json.dumps(computed.to_json(), ensure_ascii=False, indent=1), json_mark)
    else:
        print_all(*draw(stats_sheets(computed)))
    if out:
        from evalsuite.authoring.stats_page import write_stats_page

        _, page = write_stats_page(computed, out)
        say(f"{page}: open it in a browser; stats.json beside it has the same figures")
