"""`evalsuite build check`, `annotate` and `agree`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.options import ModelsOption
from evalsuite.common.terminal import print_all, safe, say


def check(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="Files of annotations, JSONL (docs/build_annotate.md).")
    ],
) -> None:
    """List all problems of annotations with file, line and field. Exit code 2 if there are any."""
    from evalsuite.authoring.annotations import check_dialogues
    from evalsuite.common.resources import resolve

    bad = 0
    for file in map(resolve, files):
        dialogues, wrong = check_dialogues(file)
        for error in wrong:
            say(safe(str(error), lines=False))
        count = sum(len(d.annotations) for d in dialogues)
        returned = count - sum(len(d.standing) for d in dialogues)
        returned_note = f", {returned} returned by an inspector" if returned else ""
        say(f"{file}: {len(dialogues)} dialogues, {count} annotations, {len(wrong)} problems{returned_note}")
        bad += len(wrong)
    if bad:
        raise typer.Exit(2)


def annotate(
    dialogues: Annotated[
        Path, typer.Argument(help='JSONL of {"id", "dialogue": [turns]}, or annotations to continue.')
    ],
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("annotate.html"),
    annotator: Annotated[str, typer.Option(help="The annotator's (or inspector's) name; default: the page asks.")] = "",
    inspect: Annotated[
        bool,
        typer.Option("--inspect", help="A page for inspectors: accept, return or revise each annotation of the file."),
    ] = False,
    set: Annotated[
        str, typer.Option(help="Set of dialogues that name none: easy (events name A and B) or hard (x and y).")
    ] = "easy",
    suggest: Annotated[
        str, typer.Option(help="A model of --models that proposes annotations, for people to accept or reject.")
    ] = "",
    models: ModelsOption = "bundled:models.yaml",
    budget: Annotated[float | None, typer.Option(help="Limit on the total cost of the proposals.")] = None,
) -> None:
    """Write the annotation page: one offline HTML file that keeps annotations in the browser and exports JSONL."""
    from evalsuite.authoring import annotation_page
    from evalsuite.common.errors import ConfigError, unknown
    from evalsuite.common.flags import check_budget
    from evalsuite.common.resources import resolve

    if set not in ("easy", "hard"):
        raise ConfigError(unknown("set", set, ("easy", "hard")))
    check_budget(budget)
    rows = annotation_page.load_dialogues(resolve(dialogues), set)
    if inspect and not any(row.annotations for row in rows):
        raise ConfigError(f"--inspect: {dialogues} has no annotations; give the file that an annotator exported")
    if suggest:
        from evalsuite.authoring.suggest import propose_annotations

        proposals = propose_annotations(rows, suggest, out.with_suffix(""), models, budget)
        rows = list(proposals.dialogues)
        say(safe(f"{proposals.summary}; kept in {proposals.file}", lines=False))
    say(f"{len(rows)} dialogues: {annotation_page.write_annotation_page(rows, out, annotator, inspect)}")


def agree(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…", help="Annotations of two or more annotators, or of one with verdicts or --gold."
        ),
    ],
    gold: Annotated[Path | None, typer.Option(help="Annotations that are right, to measure each annotator by.")] = None,
    qualify: Annotated[
        float, typer.Option(help="Share of the gold items that an annotator must have right to qualify.")
    ] = 0.9,
    out: Annotated[Path | None, typer.Option(help="Write figures and every disagreement here, as JSON.")] = None,
    most: Annotated[int, typer.Option(help="Number of disagreements to print; --out has all.")] = 20,
) -> None:
    """Measure the agreement of annotators step by step (Cohen's kappa), list disagreements, and count inspectors' verdicts."""
    import json

    from evalsuite.authoring.inspection import annotation_quality
    from evalsuite.authoring.sheets import quality_sheets
    from evalsuite.cli.tables.terminal import draw
    from evalsuite.common.files import replace_file
    from evalsuite.common.resources import resolve

    quality = annotation_quality([*map(resolve, files)], resolve(gold) if gold else None, qualify)
    print_all(*draw(quality_sheets(quality, most)))
    if out:
        replace_file(out, json.dumps(quality.to_json(), ensure_ascii=False, indent=1) + "\n")
        say(f"all of it: {out}")
