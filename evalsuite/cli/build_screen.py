"""`evalsuite build screen`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.options import numbers, parts
from evalsuite.common.terminal import print_all, say


def screen(
    dialogues: Annotated[list[Path], typer.Argument(metavar="DIALOGUES…", help="Files or folders of dialogues.")],
    knowledge: Annotated[
        Path,
        typer.Option(
            help="ConceptNet's assertions, .csv or .csv.gz; bundled:sample/knowledge/assertions.csv is a small sample."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The output folder. The same command resumes in it.")] = Path("screened"),
    more_than: Annotated[int, typer.Option(help="Keep dialogues with more matches than this.")] = 3,
    counts: Annotated[
        str, typer.Option(help="Numbers, comma-separated: count dialogues with more matches than each.")
    ] = "1,2,3",
    jobs: Annotated[int | None, typer.Option(help="Number of processes; default: the number of cores.")] = None,
    tagger: Annotated[
        str, typer.Option(help="jieba, or your module:function that maps a text to its concepts.")
    ] = "jieba",
    either_way: Annotated[
        bool, typer.Option("--either-way", help="Also match triples from the later utterance to the earlier one.")
    ] = False,
    without: Annotated[str, typer.Option(help="Relations to ignore, comma-separated, such as RelatedTo,Synonym.")] = "",
    index: Annotated[
        Path | None, typer.Option(help="Index of the knowledge file; default: FILE.sqlite beside it.")
    ] = None,
) -> None:
    """Keep dialogues with many commonsense matches (the paper's section 3), and count them as in its Table 8."""
    from evalsuite.authoring.screen import screen_dialogues
    from evalsuite.benchmarks.corecode.reference import table8
    from evalsuite.cli.tables.terminal import listing
    from evalsuite.common.processes import cores
    from evalsuite.common.resources import resolve
    from evalsuite.evaluation.display import Display

    thresholds = sorted({*numbers(counts, "--counts", "1,2,3"), more_than})
    with Display() as display:
        done = screen_dialogues(
            [*map(resolve, dialogues)],
            resolve(knowledge),
            out,
            more_than=more_than,
            jobs=cores() if jobs is None else jobs,
            tagger=tagger,
            either_way=either_way,
            without=parts(without),
            index=index,
            progress=display.work,
        )
    rows = [*done.counts, done.total] if len(done.counts) > 1 else [*done.counts]
    counted = [[row.source, f"{row.dialogues:,}", *(f"{row.more_than(k):,}" for k in thresholds)] for row in rows]
    for paper in table8():
        figures = (paper["dialogues"], *(paper.get(f"more than {k}", "") for k in thresholds))
        counted.append([f"paper: {paper['source']}", *(f"{int(n):,}" if n else "–" for n in figures)])
    heads = ["source", "dialogues", *(f"> {k}" for k in thresholds)]
    print_all(listing(f"More than {more_than} matches are kept; the paper's Table 8 below", heads, counted))
    if done.total.tags:
        say(f"persona tags removed from {done.total.tags:,} turns")
    kept_count = done.total.more_than(more_than)
    say(
        f"{kept_count:,} of {done.total.dialogues:,} dialogues: {out / 'kept.jsonl'}   their matches: {out / 'matches.jsonl'}"
    )
