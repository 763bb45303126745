"""The command line in writing, made from what it is made from: `python -m evalsuite.cli.reference`, in a checkout.

It writes the table of flags in README.md, between its two markers, and docs/commands.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from evalsuite.cli.app import COMMANDS, load
from evalsuite.common.flags import flags
from evalsuite.evaluation.settings import Settings

BEGIN = "<!-- flags of `evalsuite run`, made by `python -m evalsuite.cli.reference` -->\n"
END = "<!-- end of flags -->\n"


def readme(text: str) -> str:
    """The README with the table of run's flags as it should be. Raises ValueError if there are no markers."""
    before, found, rest = text.partition(BEGIN)
    _, also, after = rest.partition(END)
    if not (found and also):
        raise ValueError(f"README.md: no lines {BEGIN.strip()} and {END.strip()}")
    return before + BEGIN + "\n".join(_flags()) + "\n" + END + after


def _flags() -> Iterator[str]:
    yield from _head("flag", "meaning", "default")
    for field, flag in zip(fields(Settings), flags(Settings).values(), strict=True):
        names = ", ".join([flag.short] * bool(flag.short) + [f"--{field.name.replace('_', '-')}"])
        yield _row(_code(f"{names} {flag.example}".strip()), flag.help, _code(_default(field.default)))


def commands() -> str:
    """docs/commands.md: every command with its arguments and flags."""
    about = "Every command with its flags, as `--help` says it; made by `python -m evalsuite.cli.reference`."
    exits = "Exit codes: 0 done, 1 some requests failed (or what a command says), 2 usage or input is wrong, 130 stopped (Ctrl-C)."
    lines = ["# Commands", "", about, exits]
    for name in COMMANDS:
        command = load(name)
        lines += ["", f"## evalsuite {name}", "", command.help]
        if hasattr(command, "commands"):
            for part, inner in command.commands.items():
                lines += ["", f"### evalsuite {name} {part}", "", inner.help, *_parameters(f"{name} {part}", inner)]
        else:
            lines += _parameters(name, command)
    return "\n".join(lines) + "\n"


def _parameters(name: str, command: Any) -> Iterator[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option"]
    words = " ".join(p.metavar or p.name.upper() for p in arguments)
    yield from ("", "```", f"evalsuite {name} {words} [OPTIONS]".replace("  ", " "), "```")
    if command.params:
        yield from ("", *_head("argument or flag", "meaning", "default"))
    for p in (*arguments, *options):
        names = ", ".join([*p.opts, *p.secondary_opts]) if p in options else p.metavar or p.name.upper()
        yield _row(
            _code(names), p.help or "", "required" if p in options and p.required else _code(_default(p.default))
        )


def _head(*columns: str) -> Iterator[str]:
    yield _row(*columns)
    yield "|" + "---|" * len(columns)


def _row(*cells: str) -> str:
    """A row of a Markdown table. The bar parts the cells of a table even inside of code."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _default(value: Any) -> str:
    """What stands in the column of defaults; nothing for what is only unset."""
    if value is None or value is False or value == ():
        return ""
    if value is True:
        return "on"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def main() -> None:
    root = Path(__file__).parents[2]
    page = root / "README.md"
    page.write_text(readme(page.read_text(encoding="utf-8")), encoding="utf-8")
    (root / "docs" / "commands.md").write_text(commands(), encoding="utf-8")


if __name__ == "__main__":
    main()
