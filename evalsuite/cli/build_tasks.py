"""`evalsuite build tasks`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalsuite.cli.options import ModelsOption, parts
from evalsuite.common.terminal import print_all, safe, say

if TYPE_CHECKING:
    from rich.table import Table

    from evalsuite.authoring.benchmark import BuiltBenchmark


def tasks(
    files: Annotated[
        list[Path], typer.Argument(metavar="ANNOTATIONS…", help="Files of annotations, JSONL (docs/build_annotate.md).")
    ],
    out: Annotated[Path, typer.Option(help="The benchmark's folder.")],
    annotator: Annotated[str, typer.Option(help="Only annotations of this annotator; default: all, merged.")] = "",
    distractors: Annotated[
        str, typer.Option(help="Wrong options of knowledge filling: annotated or adversarial.")
    ] = "annotated",
    discriminator: Annotated[
        str, typer.Option(help="Discriminator for adversarial distractors: ngrams, or an hf model of --models.")
    ] = "ngrams",
    models: ModelsOption = "bundled:models.yaml",
    shares: Annotated[
        str,
        typer.Option(
            help="Shares of the dialogues for train and dev, such as 0.36,0.14 (the default); the rest is test."
        ),
    ] = "",
    seed: Annotated[int, typer.Option(help="Seed of splits, option order and conflict phrases.")] = 0,
) -> None:
    """Build the eight tasks from annotations, in the official layout (the paper's section 4)."""
    from evalsuite.authoring.benchmark import build_benchmark
    from evalsuite.authoring.task_files import SHARES
    from evalsuite.common.resources import resolve

    try:
        train, dev = map(float, parts(shares)) if shares else SHARES
    except ValueError:
        raise typer.BadParameter(f"{shares!r}: expected two numbers such as 0.36,0.14", param_hint="--shares") from None
    paths = [resolve(file) for file in files]
    built = build_benchmark(paths, out, annotator, distractors, discriminator, models, seed, (train, dev))
    print_all(overview(built))
    for note in notes(built):
        say(safe(note, lines=False))
    say(f"{built.data}: evalsuite build stats {out} checks it; evalsuite run --data {out} evaluates on it")


def overview(built: BuiltBenchmark) -> Table:
    """Table of the items by task and split, with the number of dialogues and the positions of right options."""
    from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE
    from evalsuite.cli.tables.terminal import listing

    files = list(built.dialogues)
    rows = [["dialogues", *(f"{built.dialogues[p]:,}" for p in files)]]
    rows += [[t.en, *(f"{built.counts[f'{p}/{t.name}']:,}" for p in files)] for t in TASKS_CORECODE.values()]
    rows.append(["right option at a/b/c", *("/".join(map(str, built.gold[p].values())) or "–" for p in files)])
    return listing("The benchmark", ["items", *(p.replace("/", " ") for p in files)], rows)


def notes(built: BuiltBenchmark) -> list[str]:
    """Lines on how many annotations were read, and which were left out and why."""
    merged = built.merged
    read = sum(merged.annotators.values())
    who = ", ".join(f"{name} {n}" for name, n in merged.annotators.items() if name)
    taken = sum(len(d.annotations) for d in merged.dialogues)
    lines = [f"{taken} of {read} annotations" + (f" ({who})" if who else "") + f", {len(merged.dialogues)} dialogues"]
    if merged.shared or merged.repeated:
        lines.append(
            f"{merged.shared} dialogues annotated by several: {merged.repeated} annotations of theirs are the same"
        )
    if merged.disputed:
        disputed = "; ".join(f"{d}: {instance} / {value}" for d, instance, value in merged.disputed[:5])
        more = f" and {len(merged.disputed) - 5} more in build.json" if len(merged.disputed) > 5 else ""
        lines.append(
            f"left out, as annotators chose other slots (evalsuite build agree lists them): {disputed}{more}; "
            "settle them in one file, or choose --annotator"
        )
    if merged.returned:
        lines.append(f"{merged.returned} annotations left out that an inspector returned and nobody has revised")
    if merged.empty:
        lines.append(f"{merged.empty} dialogues left out, without annotations to take")
    lines += [f"how the distractors were filtered: {path}" for path in built.distractors[:1]]
    empty = sorted(
        {c.rpartition("/")[0] for c, n in built.counts.items() if not n and c.endswith("/knowledge_filling")}
    )
    if empty:
        lines.append(f"nothing in {', '.join(empty)}: too few dialogues for these shares (--shares)")
    return lines
