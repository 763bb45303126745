"""`evalsuite build screen`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.options import parts
from evalsuite.common.terminal import clean, print_all, say


def screen(
    dialogues: Annotated[list[Path], typer.Argument(metavar="DIALOGUES…", help="Files of dialogues, or folders.")],
    knowledge: Annotated[
        Path,
        typer.Option("--knowledge", help="ConceptNet's assertions file (.csv, .csv.gz); bundled:sample/knowledge/…."),
    ],
    out: Annotated[Path, typer.Option("--out", help="Where to write; the same command goes on there.")] = Path(
        "screened"
    ),
    more_than: Annotated[int, typer.Option("--more-than", help="Keep dialogues with more matches than this.")] = 3,
    counts: Annotated[str, typer.Option("--counts", help="Count dialogues with more matches than these.")] = "1,2,3",
    jobs: Annotated[int | None, typer.Option("--jobs", help="Processes; as many as there are cores.")] = None,
    tagger: Annotated[str, typer.Option("--tagger", help="jieba, or module:function, text -> concepts.")] = "jieba",
    either_way: Annotated[
        bool, typer.Option("--either-way", help="Count triples from the later utterance to the earlier one, too.")
    ] = False,
    without: Annotated[str, typer.Option("--without", help="Relations to leave out: RelatedTo,Synonym.")] = "",
    index: Annotated[
        Path | None, typer.Option("--index", help="The knowledge file's index; FILE.sqlite beside it if not given.")
    ] = None,
) -> None:
    """Keep the dialogues that are rich in commonsense (the paper's section 3), and count them as its Table 8 does."""
    from evalsuite.authoring.screen import screen_dialogues
    from evalsuite.cli.tables.terminal import listing
    from evalsuite.common.resources import resolve
    from evalsuite.evaluation.display import Display

    try:
        thresholds = sorted({*map(int, parts(counts)), more_than})
    except ValueError:
        raise typer.BadParameter(f"{counts!r}: expected numbers such as 1,2,3", param_hint="--counts") from None
    with Display() as display:
        done = screen_dialogues(
            [*map(resolve, dialogues)], resolve(knowledge), out, more_than=more_than, jobs=jobs or os.cpu_count() or 1,
            tagger=tagger, either_way=either_way, without=parts(without), index=index, progress=display.work,
        )  # fmt: skip
    rows = [*done.counts, done.total] if len(done.counts) > 1 else [*done.counts]
    print_all(
        listing(
            f"More than {more_than} matches are kept",
            ["source", "dialogues", *(f"> {k}" for k in thresholds)],
            [[clean(row.source), f"{row.dialogues:,}", *(f"{row.more_than(k):,}" for k in thresholds)] for row in rows],
        )
    )
    kept = done.total.more_than(more_than)
    say(
        f"{kept:,} of {done.total.dialogues:,} dialogues: {out / 'kept.jsonl'}   their matches: {out / 'matches.jsonl'}"
    )
