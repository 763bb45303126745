"""The command line: the table of commands. What a command does stands in evalsuite's function of the same name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from evalsuite.common.terminal import safe, say, show_trace

# name: (file in cli/ that has a function or a group of that name, help). A command's file is loaded when the command is
# called; the help stands here so that `evalsuite --help` need not load them all.
COMMANDS = {
    "run": ("run", "Evaluate models: ask, read, score, and write the page. Exit code 1 if some requests failed."),
    "score": ("run", "Parse and score a run's replies again from its store, without a model."),
    "compare": ("compare", "Say what differs between two models on the same items, by how much, and with what certainty."),
    "parse": ("batch", "Read answers out of any replies: adds choice, text, status, rule, start and end to each line."),
    "metrics": ("batch", "Score any texts with every metric: JSON with values and signatures."),
    "report": ("run", "Write the leaderboard page of one or more runs."),
    "preview": ("run", "Show the exact prompts, what is compared where nothing is written, and how many requests a run would make. Loads no model."),
    "tasks": ("data", "List the tasks of every benchmark, and how many test items the data have of each set."),
    "models": ("data", "List the models of a file."),
    "parity": ("parity", "Run the same items on several backends and say where they part. Exit code 1 if token ids do."),
    "finetune": ("finetune", "Train LoRA adapters on more and more items, and evaluate them beside the base model: learning curves."),
    "judge": ("judge", "Let a model score a run's generations, and check how far it can be trusted. The same command goes on where it stopped."),
    "show": ("show", "Print a run's tables again, or all that is known of one item, from its results and records."),
    "export": ("export", "Write CORECODE's tasks for lm-evaluation-harness or inspect_ai: our prompts, our reading of replies."),
    "cite": ("submit", "Print the BibTeX of what to cite: CORECODE, evalsuite, and the metrics."),
    "data": ("data", "Look at data, or fetch the official files."),
    "audit": ("audit", "People check a run: mark a sample of its replies, and see what holds."),
    "build": ("build", "Make a benchmark like CORECODE of your own dialogues, from screening to statistics."),
    "submit": ("submit", "Put a run into a folder for a shared leaderboard, or verify one."),
}  # fmt: skip


def load(name: str) -> Any:
    """The command or group of that name, with its flags."""
    file, help = COMMANDS[name]
    found = getattr(import_module(f"evalsuite.cli.{file}"), name)
    parent = typer.Typer()
    if isinstance(found, typer.Typer):
        parent.add_typer(found, name=name, help=help)
    else:
        parent.command(name, help=help)(found)
    return typer.main.get_group(parent).commands[name]


class Commands(TyperGroup):
    """The commands of the table: names and help at first, the rest when one is called.

    Messages about usage quote what was given, which a shell may have taken from the names of files: they are made safe.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name, help=help) for name, (_, help) in COMMANDS.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] in COMMANDS:
            self.commands[args[0]] = load(args[0])
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


def main() -> None:
    """The `evalsuite` command. Exit codes: 0 done, 1 some requests failed, 2 usage or input is wrong, 130 stopped."""
    from evalsuite.common.errors import EvalsuiteError

    sys.excepthook = show_trace
    try:
        app()
    except EvalsuiteError as error:
        say(f"error: {error}", err=True)
        sys.exit(2)
    except (KeyboardInterrupt, SystemExit) as stop:
        if isinstance(stop, SystemExit) and stop.code != 130:  # what typer makes of Ctrl-C
            raise
        print("stopped; every reply so far is kept, and the same command goes on from here", file=sys.stderr)
        sys.exit(130)
