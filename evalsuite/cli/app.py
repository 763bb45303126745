"""The command line: flags only. What a command does stands in the function of the same name in evalsuite."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from evalsuite.common.terminal import Commands, emit, json_mark, print_all, say, show_trace

_print, _say = print_all, say  # what a command says: texts of models and data are shown, never obeyed

app = typer.Typer(
    cls=Commands,
    help="How well do LLMs do commonsense reasoning over Chinese dialogues? CORECODE and its sisters, from prompts to a leaderboard.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"evalsuite {version('evalsuite')}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


Models = Annotated[str, typer.Option("--models", help="The file that lists models.")]
Model = Annotated[list[str] | None, typer.Option("--model", help="Only this one; may be given more than once.")]
Tasks = Annotated[
    str,
    typer.Option(
        "--tasks", help="Names of tasks or benchmarks, comma-separated; all of CORECODE that is there if not given."
    ),
]
Set = Annotated[
    str, typer.Option("--set", help="easy or hard; of other benchmarks theirs, such as fold1; all if not given.")
]
Split = Annotated[str, typer.Option("--split", help="train, dev or test.")]
ShotCounts = Annotated[
    str, typer.Option("--shots", help="Examples before the question: one or more numbers, e.g. 0,1,3,5.")
]
Variants = Annotated[
    str, typer.Option("--prompt", help="Wordings, comma-separated: paper, plain, or a template of yours.")
]
Scorings = Annotated[
    str,
    typer.Option(
        "--scoring",
        help="How choices are asked, comma-separated: generate, labels, texts, constrained (hf and vllm can all).",
    ),
]
Perturbs = Annotated[
    str,
    typer.Option("--perturb", help="What items go through first, comma-separated: none, reindicate, shuffle, both …"),
]
Limit = Annotated[int | None, typer.Option("--limit", help="Only the first N items of each file.")]
Data = Annotated[
    Path | None,
    typer.Option("--data", help="Official data; else EVALSUITE_DATA, else the bundled sample (bundled:sample)."),
]
Seed = Annotated[int, typer.Option("--seed", help="For drawing shots.")]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Leave broken lines out, and count them, instead of stopping.")
]
DropLeaked = Annotated[
    bool, typer.Option("--drop-leaked", help="Leave out items whose dialogue stands in the training split, too.")
]
Parser = Annotated[str, typer.Option("--parser", help="How choices are read: full, strict, or paper (its forms only).")]
Prompts = Annotated[str, typer.Option("--prompts", help="The folder of prompt templates.")]


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in _split(text)]
    except ValueError:
        raise typer.BadParameter(f"{text!r}: expected numbers such as 0,1,3,5", param_hint="--shots") from None


def _settings(values: dict[str, Any]) -> dict[str, Any]:
    """Flags as a command gets them -> the fields of evalsuite.Settings."""
    return {
        **values,
        "model": [name for text in values["model"] or () for name in _split(text)],
        "tasks": _split(values["tasks"]),
        "prompt": _split(values["prompt"]),
        "shots": _numbers(values["shots"]),
        "scoring": _split(values["scoring"]),
        "perturb": _split(values["perturb"]),
    }


@app.command()
def run(
    models: Models = "bundled:models.yaml",
    model: Model = None,
    tasks: Tasks = "",
    set: Set = "all",
    split: Split = "test",
    shots: ShotCounts = "0",
    prompt: Variants = "paper",
    scoring: Scorings = "generate",
    perturb: Perturbs = "none",
    limit: Limit = None,
    data: Data = None,
    out: Annotated[
        Path, typer.Option("--out", help="The run's folder. The same command goes on in it where it stopped.")
    ] = Path("runs/default"),
    seed: Seed = 0,
    skip_bad: SkipBad = False,
    drop_leaked: DropLeaked = False,
    prompts: Prompts = "bundled:prompts",
    budget: Annotated[
        float | None,
        typer.Option("--budget", help="What the run may cost in all, in the currency of the models' prices."),
    ] = None,
    max_concurrency: Annotated[
        int | None,
        typer.Option("--max-concurrency", help="Requests at an endpoint at once, instead of the models' own."),
    ] = None,
    executor: Annotated[
        str, typer.Option("--executor", help="local, or ray: hf and vllm models as replicas on a Ray cluster.")
    ] = "local",
    ray_address: Annotated[
        str | None, typer.Option("--ray-address", help="The cluster; else RAY_ADDRESS, else this machine alone.")
    ] = None,
    replicas: Annotated[
        int | None, typer.Option("--replicas", help="Copies of a model on the cluster; as many as fit if not given.")
    ] = None,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show the log.")] = False,
) -> None:
    """Evaluate models: ask, read, score, and write the page. Exit code 1 if some requests failed."""
    settings = _settings(dict(locals()))
    import evalsuite

    done = evalsuite.run(**settings)
    _show(done)
    _say(f"page: {done.out / 'page' / 'index.html'}   results: {done.out / 'results.json'}")
    raise typer.Exit(done.exit_code)


@app.command()
def score(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    parser: Parser = "full",
    extract: Annotated[bool, typer.Option(help="Cut lead-ins and reasons off spans and short answers.")] = True,
    signature: Annotated[bool, typer.Option("--signature", help="Print every number with its signature.")] = False,
) -> None:
    """Parse and score a run's replies again from its store, without a model."""
    import evalsuite

    done = evalsuite.score(run, parser, extract)
    if signature:
        for cell in done.cells:
            for name, metric in cell["metrics"].items():
                _say(f"{cell['model']} {cell['set']} {cell['task']} {name} {metric['value']} {metric['signature']}")
    else:
        _show(done)
    raise typer.Exit(done.exit_code)


@app.command()
def compare(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    models: Annotated[str, typer.Option("--models", help="Two of its models: A,B.")],
    flips: Annotated[int, typer.Option("--flips", help="Show so many items a row on which they differ.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, with all items on which they differ.")] = False,
) -> None:
    """Say what differs between two models on the same items, by how much, and with what certainty."""
    from evalsuite.cli.tables.terminal import draw
    from evalsuite.results.compare import compare as compared
    from evalsuite.results.sheets.compare import comparison_sheets

    names = _split(models)
    if len(names) != 2:
        raise typer.BadParameter(f"{models!r}: expected two names, A,B", param_hint="--models")
    rows = compared(run, *names)
    if as_json:
        emit(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=1), json_mark)
    else:
        _print(*draw(comparison_sheets(rows, names[0], names[1], flips)))


@app.command()
def parse(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.jsonl", help="Lines of output, and options, or dialogue and question.")
    ],
    out: Annotated[Path | None, typer.Option("--out", help="Write here instead of to the terminal.")] = None,
    parser: Parser = "full",
) -> None:
    """Read answers out of any replies: adds choice, text, status, rule, start and end to each line."""
    from evalsuite.exchange.batch import parse_lines

    lines = (json.dumps(row, ensure_ascii=False) for row in parse_lines(file, parser))
    if out:  # half a character (a lone surrogate) goes out as the JSON escape that it came in as
        with out.open("w", encoding="utf-8", errors="backslashreplace") as target:
            target.writelines(line + "\n" for line in lines)
    else:
        for line in lines:
            emit(line, json_mark)


@app.command()
def metrics(
    file: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="Lines of hyp and ref (or refs).")],
    profile: Annotated[
        str, typer.Option("--profile", help="default, paper, char, jieba; comma-separated.")
    ] = "default,paper",
    semsim: Annotated[
        str, typer.Option("--semsim", help="Add semantic similarity: use, or a sentence-transformers path.")
    ] = "",
) -> None:
    """Score any texts with every metric: JSON with values and signatures."""
    from evalsuite.exchange.batch import metric_lines

    emit(json.dumps(metric_lines(file, _split(profile), semsim), ensure_ascii=False, indent=1), json_mark)


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Folders of runs, shown together.")],
    out: Annotated[Path | None, typer.Option("--out", help="The page's folder; else page/ in the first run.")] = None,
) -> None:
    """Write the leaderboard page of one or more runs."""
    import evalsuite

    _say(str(evalsuite.report(runs, out)))


@app.command()
def preview(
    models: Models = "bundled:models.yaml",
    model: Model = None,
    tasks: Tasks = "",
    set: Set = "all",
    split: Split = "test",
    shots: ShotCounts = "0",
    prompt: Variants = "paper",
    scoring: Scorings = "generate",
    perturb: Perturbs = "none",
    limit: Limit = None,
    data: Data = None,
    seed: Seed = 0,
    skip_bad: SkipBad = False,
    drop_leaked: DropLeaked = False,
    prompts: Prompts = "bundled:prompts",
    item: Annotated[str, typer.Option("--item", help="Only items whose id holds this.")] = "",
    tokenizer: Annotated[str, typer.Option("--tokenizer", help="Count tokens with this model's tokenizer.")] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Every request, a JSON line each, instead of one of each kind.")
    ] = False,
) -> None:
    """Show the exact prompts, what is compared where nothing is written, and how many requests a run would make. Loads no model."""
    values = dict(locals())
    for name in ("item", "tokenizer", "as_json"):
        values.pop(name)
    from evalsuite import preview as asked
    from evalsuite.evaluation.preview import as_lines, as_text

    cells = asked(**_settings(values))
    try:
        for line in (as_lines if as_json else as_text)(cells, item, tokenizer):
            emit(line, json_mark) if as_json else emit(line)
    except BrokenPipeError:  # `… | head` has seen enough
        sys.stderr.close()


def _show(done: Any) -> None:
    from evalsuite.cli.tables.terminal import draw
    from evalsuite.results.sheets import END, notes, sheets

    _print(*draw(sheets(done, END)))
    for text in notes(done):
        _say(text)
    for problem in done.problems:
        _say(f"problem: {problem}", err=True)


def _more() -> None:
    """Commands that stand in files of their own."""
    from evalsuite.cli.audit import audit_app
    from evalsuite.cli.build import build_app
    from evalsuite.cli.data import data_app, models, tasks
    from evalsuite.cli.export import export
    from evalsuite.cli.finetune import finetune
    from evalsuite.cli.judge import judge
    from evalsuite.cli.parity import parity
    from evalsuite.cli.show import show
    from evalsuite.cli.submit import cite, submit_app

    for command in (tasks, models, parity, finetune, judge, show, export, cite):
        app.command()(command)
    app.add_typer(data_app, name="data")
    app.add_typer(audit_app, name="audit")
    app.add_typer(build_app, name="build")
    app.add_typer(submit_app, name="submit")


def main() -> None:
    """The `evalsuite` command: 0 done, 1 some requests failed, 2 usage or input is wrong."""
    from evalsuite.common.errors import EvalsuiteError

    _more()
    sys.excepthook = show_trace
    try:
        app()
    except EvalsuiteError as error:
        _say(f"error: {error}", err=True)
        sys.exit(2)
    except (KeyboardInterrupt, SystemExit) as stop:
        if isinstance(stop, SystemExit) and stop.code != 130:  # what typer makes of Ctrl-C
            raise
        print("stopped; every reply so far is kept, and the same command goes on from here", file=sys.stderr)
        sys.exit(130)
