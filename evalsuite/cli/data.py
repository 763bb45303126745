"""`evalsuite tasks`, `models`, `data check` and `data pull`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalsuite.cli.options import (
    AsJson,
    BenchmarkOption,
    Data,
    ModelsOption,
    SkipBad,
    emit_json,
    hint_at_models,
    split_paths,
)
from evalsuite.common.terminal import emit, print_all, say

if TYPE_CHECKING:
    from evalsuite.benchmarks.corpus import Corpus
    from evalsuite.benchmarks.registry import Corpora
    from evalsuite.types import Benchmark, Task

data = typer.Typer(no_args_is_help=True)


def tasks(data: Data = None, benchmark: BenchmarkOption = None) -> None:
    from evalsuite.benchmarks.groups import groups
    from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, Corpora, add_files
    from evalsuite.cli.tables.terminal import in_terminal_language, listing
    from evalsuite.common.errors import DataError
    from evalsuite.common.sheet import Text
    from evalsuite.evaluation.plan import folders_of
    from evalsuite.evaluation.settings import Settings

    add_files(benchmark or ())
    corpora = Corpora(folders_of(Settings(data=data or ())))
    for name, known in BENCHMARKS.items():
        rows = [[t.name, t.short, t.zh, in_terminal_language(Text(t.kind.zh, t.kind.name))] for t in known.tasks]
        try:
            roots = ", ".join(str(corpus.root) for corpus in corpora.all(name))
            title = f"{known.title} (--tasks {name}), test items in {roots}"
            rows = [[*row, _items(corpora.of(TASKS[row[0]]), TASKS[row[0]])] for row in rows]
        except DataError as error:
            title = f"{known.title}: {error}"
        print_all(listing(title, ["name", "short", "中文", "kind", "items"][: len(rows[0])], rows))
    wholes = [[name, group.zh, ", ".join(group.benchmarks)] for name, group in groups().items()]
    print_all(listing("Groups of benchmarks (--tasks NAME)", ["name", "中文", "benchmarks"], wholes))


def _items(corpus: Corpus, t: Task) -> str:
    """The number of test items of each set, "easy 175, hard 175"; of more than three sets their sum and the number of sets."""
    from evalsuite.cli.tables.terminal import in_terminal_language
    from evalsuite.common.sheet import Text

    counts = {s: len(corpus.file(t, s, "test").items) for s in corpus.sets if corpus.has(t, s, "test")}
    if len(counts) > 3:
        of, every = corpus.benchmark, f"{sum(counts.values()):,}"
        return in_terminal_language(
            Text(f"{every}（{of.sets_zh}数 {len(counts)}）", f"{every} in {len(counts)} {of.sets_en}s")
        )
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "–"


def models(models: ModelsOption = "bundled:models.yaml") -> None:
    from evalsuite.backends.models import load_models
    from evalsuite.cli.tables.terminal import listing
    from evalsuite.common.resources import resolve

    hint_at_models(models)
    path = resolve(models)
    rows = [
        [m.name, m.backend, m.path, "chat" if m.chat else "base", m.dtype, m.device, ", ".join(m.tags)]
        for m in load_models(path)
    ]
    print_all(listing(f"Models of {path}", ["name", "backend", "path", "form", "dtype", "device", "tags"], rows))


@data.command("check")
def data_check(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="Folder of data in the official layout, or a benchmark file, whose prompts are shown, too.",
        ),
    ],
    data: Annotated[
        list[Path] | None,
        typer.Option(
            help="A further folder of data, or the one with the data of a benchmark file; may be given more than once.",
            callback=split_paths,
        ),
    ] = None,
    skip_bad: SkipBad = False,
    as_json: AsJson = False,
) -> None:
    """Count the items of every benchmark in the folder, and in those of --data; report repeats, leakage between splits, and
    what options give away."""
    from evalsuite.benchmarks.check import check_data
    from evalsuite.benchmarks.check_sheets import data_sheets
    from evalsuite.benchmarks.registry import BENCHMARKS, Corpora, add_files
    from evalsuite.cli.tables.terminal import draw
    from evalsuite.common.errors import ConfigError
    from evalsuite.common.resources import resolve

    path = resolve(folder)
    benchmark = BENCHMARKS[add_files([path])[0]] if path.is_file() else None
    if benchmark is None and not path.is_dir():
        raise ConfigError(f"{folder}: no such file or folder")
    # The data of a benchmark file may be in --data alone. A folder of data is read besides those of --data.
    folders = [] if benchmark and data else [path.parent if benchmark else path]
    corpora = Corpora([*folders, *map(resolve, data or ())], skip_bad=skip_bad)
    report = check_data(corpora, [benchmark.name] if benchmark else None)
    if as_json:
        emit_json(asdict(report))
    else:
        print_all(*draw(data_sheets(report)))
        for line in _examples(benchmark, corpora) if benchmark else ():
            emit(line)


def _examples(benchmark: Benchmark, corpora: Corpora) -> Iterator[str]:
    """Three prompts of each task in its usual wording, with the right reply and the right answer."""
    from evalsuite.common.resources import bundled
    from evalsuite.prompt import Prompt, usual_wording

    for task in benchmark.tasks:
        wording = usual_wording(bundled("prompts"), task, "paper")
        files = [
            (s, split) for split in ("test", "dev", "train") for s in benchmark.sets if corpora.has(task, s, split)
        ]
        for item_set, split in files[:1]:
            prompt = Prompt(bundled("prompts"), task, wording, corpora.given(task, item_set, wording))
            for item in corpora.file(task, item_set, split).items[:3]:
                yield f"━━ {item.id}  {wording}"
                yield prompt.render(item)
                others = "；".join(text for text in item.references if text != item.target)
                yield f"── gold: {item.target}{'  ' * bool(others)}{others}\n"


@data.command("pull")
def data_pull(
    benchmark: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A benchmark, such as corecode or cicero; `evalsuite tasks` lists them. Or a benchmark file.",
        ),
    ] = "corecode",
    folder: Annotated[Path | None, typer.Argument(metavar="DIR", help="Target folder; default: data/NAME.")] = None,
    address: Annotated[str, typer.Option("--from", help="Fetch from this address instead of the official one.")] = "",
) -> None:
    """Fetch a benchmark's official data, or update what was fetched before. Each benchmark has a licence of its own."""
    from evalsuite.benchmarks.pull import pull
    from evalsuite.benchmarks.registry import add_files

    if benchmark.endswith((".yaml", ".yml")):
        (benchmark,) = add_files([benchmark])
    shown = folder or Path("data") / benchmark
    pulled = pull(benchmark, shown, address)
    corpus = pulled.corpus
    for source, version in pulled.versions.items():
        say(f"{source}: {version}")
    if not pulled.changes:
        say(f"{shown}: was these data already")
    if pulled.kept:
        some = ", ".join(pulled.changes[:3])
        say(f"{shown}: {len(pulled.changes)} files differed, such as {some}; the earlier folder is now {pulled.kept}")
    if licence := corpus.benchmark.licence:
        say(f"licence of the data: {licence}")
    say(f"{corpus.root}: use it with --data {shown}; see `evalsuite data check {shown}`")
