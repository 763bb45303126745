"""The `evalsuite` command: the table of commands, loaded when they are called."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from evalsuite.common.terminal import safe, say, show_trace

# name: (file in cli/ with a function or group of that name, help). The help stands here, so that `evalsuite --help` loads
# none of the files.
COMMANDS = {
    "run": ("run", "Evaluate models: ask them, parse and score their replies, write the page. Exit code 1 if some requests failed."),
    "score": ("run", "Parse and score a run's stored replies again, without a model."),
    "compare": ("compare", "Test the difference between two models of a run on the same items."),
    "parse": ("batch", "Parse the answers of any replies: adds choice, text, status, rule, start and end to each line."),
    "metrics": ("batch", "Score any texts with every text metric: JSON with values and signatures."),
    "report": ("run", "Write the leaderboard page of one or more runs."),
    "preview": ("run", "Show the exact prompts of a run, the texts whose likelihoods it compares, and its number of requests. Loads no model."),
    "tasks": ("data", "List the tasks of every benchmark, and the number of test items of each set."),
    "models": ("data", "List the models of a models.yaml."),
    "parity": ("parity", "Run the same items on several backends and list the differences. Exit code 1 if token ids differ."),
    "finetune": ("finetune", "Train LoRA adapters on growing numbers of items, and evaluate them beside the base model: learning curves."),
    "judge": ("judge", "Let a model score the texts that a run's models wrote, and measure how reliable it is. The same command resumes."),
    "show": ("show", "Print a run's tables, or everything known about one item, from its results.json and records."),
    "export": ("export", "Write CORECODE's tasks for lm-evaluation-harness or inspect_ai, with our prompts and parsers."),
    "cite": ("submit", "Print BibTeX entries to cite: CORECODE, evalsuite and the metrics."),
    "data": ("data", "Check data, or fetch the official files."),
    "audit": ("audit", "Let people mark a sample of a run's replies, and compare their marks with its scores."),
    "build": ("build", "Build a benchmark like CORECODE from your own dialogues, from screening to statistics."),
    "submit": ("submit", "Write a run as a submission to a shared leaderboard, or verify a submission."),
}  # fmt: skip


def load_command(name: str) -> Any:
    """Import a command or group of COMMANDS, and build it with its flags."""
    file, help = COMMANDS[name]
    found = getattr(import_module(f"evalsuite.cli.{file}"), name)
    parent = typer.Typer()
    if isinstance(found, typer.Typer):
        parent.add_typer(found, name=name, help=help)
    else:
        parent.command(name, help=help)(found)
    return typer.main.get_group(parent).commands[name]


class Commands(TyperGroup):
    """The commands of COMMANDS: name and help at first, and the flags when the command is called.

    Usage errors quote arguments, which may be file names from a shell's wildcard, so control characters are escaped.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name, help=help) for name, (_, help) in COMMANDS.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] in COMMANDS:
            self.commands[args[0]] = load_command(args[0])
        return super().resolve_command(ctx, args)

    def make_context(self, *args: Any, **more: Any) -> Any:
        with _safe_message():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        with _safe_message():
            return super().invoke(ctx)


@contextmanager
def _safe_message() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if isinstance(message := getattr(error, "message", None), str):
            error.message = safe(message)  # type: ignore[attr-defined]
        raise


app = typer.Typer(
    cls=Commands,
    help="Evaluate LLMs on commonsense reasoning over dialogues: CORECODE and its sister benchmarks, from prompts to a leaderboard.",
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


def main() -> None:
    """The `evalsuite` command. Exit codes: 0 done, 1 some requests failed, 2 usage or input is wrong, 130 stopped."""
    import sqlite3

    from evalsuite.common.errors import EvalsuiteError

    sys.excepthook = show_trace
    try:
        app()
    except EvalsuiteError as error:
        say(f"error: {error}", err=True)
        sys.exit(2)
    except (OSError, sqlite3.Error) as error:  # such as a full disk
        advice = "see that the disk has room and can be written; what was stored is kept, and the same command resumes"
        say(f"error: {error}: {advice}", err=True)
        sys.exit(2)
    except (KeyboardInterrupt, SystemExit) as stop:
        if isinstance(stop, SystemExit) and stop.code != 130:  # typer turns Ctrl-C into SystemExit(130)
            raise
        print("stopped; all replies so far are stored, and the same command resumes from here", file=sys.stderr)
        sys.exit(130)
