"""`evalsuite build check`, `annotate` and `agree`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.options import Models
from evalsuite.common.terminal import clean, print_all, say


def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Annotations, JSONL (docs/build_annotate.md).")],
) -> None:
    """Say all that is wrong with annotations: file, line, field, and what to do. Exit code 2 if anything is."""
    from evalsuite.authoring.annotations import check_dialogues
    from evalsuite.common.resources import resolve

    bad = 0
    for file in map(resolve, files):
        dialogues, wrong = check_dialogues(file)
        for error in wrong:
            say(clean(str(error)))
        found = sum(len(d.annotations) for d in dialogues)
        say(f"{file}: {len(dialogues)} dialogues, {found} annotations, {len(wrong)} problems")
        bad += len(wrong)
    if bad:
        raise typer.Exit(2)


def annotate(
    dialogues: Annotated[
        Path, typer.Argument(help='JSONL of {"id", "dialogue": [turns]}, or annotations to go on with.')
    ],
    out: Annotated[Path, typer.Option("--out", help="The annotation_page.")] = Path("annotate.html"),
    annotator: Annotated[str, typer.Option("--annotator", help="Who annotates; else the page asks.")] = "",
    set: Annotated[
        str, typer.Option("--set", help="easy (events say A and B) or hard (x and y), where a dialogue names none.")
    ] = "easy",
    suggest: Annotated[
        str, typer.Option("--suggest", help="A model of --models that proposes annotations; people accept them.")
    ] = "",
    models: Models = "bundled:models.yaml",
    budget: Annotated[float | None, typer.Option("--budget", help="What the proposals may cost in all.")] = None,
) -> None:
    """Write the page on which dialogues are annotated: one file, offline, kept in the browser, exported as JSONL."""
    from evalsuite.authoring import annotation_page
    from evalsuite.common.errors import ConfigError, unknown
    from evalsuite.common.flags import check_budget
    from evalsuite.common.resources import resolve

    if set not in ("easy", "hard"):
        raise ConfigError(unknown("set", set, ("easy", "hard")))
    check_budget(budget)
    rows = annotation_page.load_dialogues(resolve(dialogues), set)
    if suggest:
        from evalsuite.authoring.suggest import propose_annotations

        found = propose_annotations(rows, suggest, out.with_suffix(""), models, budget)
        rows = list(found.dialogues)
        say(clean(f"{found.summary}; kept in {found.file}"))
    say(f"{len(rows)} dialogues: {annotation_page.write_annotation_page(rows, out, annotator)}")


def agree(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="What two or more annotators exported.")],
    out: Annotated[Path | None, typer.Option("--out", help="Figures and every disagreement, as JSON.")] = None,
    most: Annotated[int, typer.Option("--most", help="Disagreements shown; --out has all.")] = 20,
) -> None:
    """Say how far annotators agree, step by step (Cohen's kappa), and where they do not."""
    import json
    from dataclasses import asdict

    from evalsuite.authoring.agree import annotator_agreement
    from evalsuite.authoring.sheets import agreement_sheets
    from evalsuite.cli.tables.terminal import draw
    from evalsuite.common.resources import resolve

    found = annotator_agreement([*map(resolve, files)])
    print_all(*draw(agreement_sheets(found, most)))
    if out:
        out.write_text(json.dumps(asdict(found), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        say(f"all of it: {out}")
