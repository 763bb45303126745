"""The `evalsuite` command: a group of the commands in commands.json, each of which is loaded when it is called."""

from __future__ import annotations

import gc
import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from evalsuite.cli.chinese_help import HEADINGS, USAGE, help_of, typer_in_chinese
from evalsuite.common.language import chinese, translated
from evalsuite.common.resources import packaged
from evalsuite.common.terminal import print_all, safe, safe_trace, say, warnings_on_screen

# Name -> (the file in cli/ with a function or group of that name, help). The help is not taken from these files, so that
# `evalsuite --help` loads none of them.
COMMANDS: dict[str, tuple[str, str]] = {
    name: (row["file"], row["help"])
    for name, row in json.loads(packaged("cli/commands.json").read_text(encoding="utf-8")).items()
}


def load_command(name: str) -> Any:
    """Import a command or group of COMMANDS, and build it with its flags."""
    file, help = COMMANDS[name]
    command = getattr(import_module(f"evalsuite.cli.{file}"), name)
    parent = typer.Typer()
    if isinstance(command, typer.Typer):
        parent.add_typer(command, name=name, help=help)
    else:
        parent.command(name, help=help)(command)
    return typer.main.get_group(parent).commands[name]


class Commands(TyperGroup):
    """The commands of COMMANDS. Each has only its name and help until it is called; then its flags are loaded.

    Usage errors quote arguments, which may be file names from a shell's wildcard, so control characters are escaped.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name, help=help) for name, (_, help) in COMMANDS.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] in COMMANDS:
            self.commands[args[0]] = load_command(args[0])
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the list of commands in typer's look. typer's own function first loads Markdown and a code highlighter, which
        would take a third of the time of `evalsuite --help`."""
        from rich.padding import Padding
        from rich.panel import Panel
        from rich.table import Table
        from rich.text import Text

        options = [("  ".join(option.opts), help_of(getattr(option, "help", ""))) for option in self.get_params(ctx)]
        commands = [(name, help_of(help)) for name, (_, help) in COMMANDS.items()]
        panels = []
        for title, rows in (("OPTIONS_PANEL_TITLE", options), ("COMMANDS_PANEL_TITLE", commands)):
            table = Table.grid(padding=(0, 1), expand=True)
            table.add_column(style="bold cyan", no_wrap=True)
            table.add_column(ratio=1)
            for name, help in rows:
                table.add_row(name, help)
            heading = HEADINGS[title] if chinese() else title.partition("_")[0].title()
            panels.append(Panel(table, title=heading, title_align="left", border_style="dim"))
        usage = Text(self.get_usage(ctx), "bold")
        usage.highlight_words([USAGE if chinese() else "Usage: "], "yellow")
        about = Padding(help_of(self.help), (0, 1, 1, 1))
        print_all(Padding(usage, 1), about, *panels, Padding(help_of(self.epilog), 1))

    def make_context(self, *args: Any, **more: Any) -> Any:
        with _safe_message():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        with _safe_message():
            return super().invoke(ctx)


@contextmanager
def _safe_message() -> Iterator[None]:
    """Escape control characters in the message of a usage error, and translate it."""
    try:
        yield
    except Exception as error:
        if isinstance(message := getattr(error, "message", None), str):
            error.message = safe(message)  # type: ignore[attr-defined]
        if chinese() and hasattr(error, "format_message"):
            text = translated(error.format_message())
            error.format_message = lambda: text
        raise


FAILED, WRONG, DEFECT, STOPPED = 1, 2, 70, 130  # exit codes; 70: EX_SOFTWARE of sysexits.h
EXIT_CODES = (
    "Exit codes: 0 all done; 1 done, but some requests or models failed, or a check found something; 2 the command, its input "
    "or its environment is wrong (files, data, disk); 70 a defect of evalsuite; 130 stopped by Ctrl-C."
)
# The pages of the documentation are not in the wheel, since they are as large as its code.
PAGES = (
    "docs/NAME.md in help and messages: a page of the documentation, in the repository and in the source distribution."
)

app = typer.Typer(
    cls=Commands,
    help="Evaluate LLMs on commonsense reasoning over dialogues: CORECODE and its sister benchmarks, from prompts to a "
    "leaderboard.",
    epilog=f"{EXIT_CODES} {PAGES}",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _version(is_asked: bool) -> None:
    if is_asked:
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
    """The `evalsuite` command. Its exit codes are in EXIT_CODES."""
    import sqlite3

    from evalsuite.common.errors import BackendError, EvalsuiteError

    # Imported modules are never garbage: a collection every 700 objects takes a tenth of the time of `--help`.
    gc.set_threshold(50_000)
    # A character that the stream's encoding lacks (Chinese in an ASCII locale, ✓ in GBK) is written as an escape.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with warnings_on_screen(), typer_in_chinese() if chinese() else nullcontext():
            app()
    except BackendError as error:
        _end(FAILED, "error: ", str(error))
    except EvalsuiteError as error:
        _end(WRONG, "error: ", str(error))
    except (KeyboardInterrupt, SystemExit) as stop:
        if isinstance(stop, SystemExit) and stop.code != STOPPED:  # typer turns Ctrl-C into SystemExit(130)
            raise
        _end(STOPPED, "stopped; all replies so far are stored, and the same command resumes from here")
    except BrokenPipeError:  # the reader of the pipe, such as `head`, has closed it
        # Otherwise Python would flush into the closed pipe at exit, and fail again.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        known = isinstance(error, FileExistsError)
        what = "is a file where a folder is to be; name another" if known else str(error.strerror or error)
        stored = () if known else ("; ", "what was stored is kept, and the same command resumes")
        _end(WRONG, "error: ", f"{error.filename}: {what}" if error.filename else what, *stored)
    except sqlite3.Error as error:
        _end(
            WRONG,
            "error: ",
            f"store.sqlite: {error}; is the disk full, or the file damaged? What was stored is kept, and the same"
            " command resumes",
        )
    except MemoryError:
        _end(
            WRONG, "error: ", "out of memory; ask fewer at once (batch_tokens in models.yaml), or take a smaller model"
        )
    except Exception as error:
        trace = _keep_trace(error)
        _end(DEFECT, "error: ", "a defect of evalsuite: ", f"{type(error).__name__}: {error}", "\n", *trace)


def _end(code: int, *message: str) -> NoReturn:
    say(*message, err=True)
    sys.exit(code)


def _keep_trace(error: Exception) -> tuple[str, ...]:
    """Write the trace of a defect to a file; returns the parts of a message that says what to do with it."""
    import tempfile

    trace = safe_trace(error)
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", prefix="evalsuite-", suffix=".trace", delete=False
        ) as file:
            file.write(trace)
    except OSError:
        return trace, "Please report it with the trace above and the command."
    return (f"The trace is in {file.name}. Please report it with that file and the command.",)
