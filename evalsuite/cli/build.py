"""`evalsuite build screen`, `annotate`, `check`, `agree`, `tasks` and `stats`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalsuite.cli.options import AsJson, ModelsOption, SkipBad, SplitOption, emit_json, numbers, parts
from evalsuite.common.terminal import print_all, safe, say

if TYPE_CHECKING:
    from rich.table import Table

    from evalsuite.authoring.benchmark import BuiltBenchmark

build = typer.Typer(no_args_is_help=True)


@build.command()
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


@build.command()
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


@build.command()
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


@build.command()
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


@build.command()
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


@build.command()
def stats(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of data in the official layout.")],
    annotations: Annotated[
        Path | None, typer.Option(help="Annotations that the data were made from, for the whole of Table 1.")
    ] = None,
    split: SplitOption = "test",
    out: Annotated[Path | None, typer.Option(help="Write stats.json and stats.html into this folder.")] = None,
    skip_bad: SkipBad = False,
    as_json: AsJson = False,
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
        emit_json(computed.to_json())
    else:
        print_all(*draw(stats_sheets(computed)))
    if out:
        from evalsuite.authoring.stats_page import write_stats_page

        _, page = write_stats_page(computed, out)
        # With --json, standard output holds the JSON alone.
        say(f"{page}: open it in a browser; stats.json beside it has the same figures", err=as_json)
