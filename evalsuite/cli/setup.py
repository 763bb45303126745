"""`evalsuite init` and `evalsuite doctor`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalsuite.cli.options import AsJson, Data, emit_json, hint_at_models
from evalsuite.common.errors import ConfigError
from evalsuite.common.language import translated
from evalsuite.common.terminal import console, emit, say

if TYPE_CHECKING:
    from evalsuite.setup.checks import Check
    from evalsuite.setup.entries import Choice

_WHICH = "Which model? A number, the address of a server, a folder, or a hub id such as Qwen/Qwen3-8B"


def init(
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write; must be new.")] = Path("models.yaml"),
    model: Annotated[
        str,
        typer.Option(
            help="The model, without being asked: the address of a server, a folder, a hub id, or a name of "
            "bundled:models/chinese-2026.yaml."
        ),
    ] = "",
    served: Annotated[
        str, typer.Option(help="With an address: the model's name there; default: the first that it lists.")
    ] = "",
    key_env: Annotated[str, typer.Option(help="With an address: the environment variable with its key.")] = "",
    chat: Annotated[
        bool | None,
        typer.Option(
            "--chat/--base",
            help="With a folder or hub id: whether it is a chat model or a base model; default: as its files or name say.",
        ),
    ] = None,
    hub: Annotated[
        str, typer.Option(help="With a hub id: the hub to fetch from, huggingface (the default) or modelscope.")
    ] = "",
    name: Annotated[str, typer.Option(help="The model's name in tables; default: from its path.")] = "",
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Ask nothing: take the first that is found, and the defaults.")
    ] = False,
    benchmark: Annotated[
        Path | None,
        typer.Option(
            metavar="DATA",
            help="Write a benchmark file for this file of questions instead (JSONL, JSON, CSV, TSV, Parquet), from the columns "
            "that it has; it stands beside the data.",
        ),
    ] = None,
) -> None:
    if benchmark is not None:
        _init_benchmark(benchmark, None if out == Path("models.yaml") else out)
        return
    from evalsuite.setup.entries import checked_yaml, entry_lines, from_hub, write_models

    if out.exists() and not model:
        raise ConfigError(f"{out}: exists already and is left as it is; name another file with --out")
    ask = not yes and not model
    entry = _chosen_entry(out, model, served, key_env, chat, ask)
    if hub:
        entry = from_hub(entry, hub)
    if name:
        entry = {**entry, "name": name}
    if out.exists():
        checked_yaml([entry], out)
        emit(entry_lines(entry))
        raise ConfigError(
            f"{out}: exists already and is left as it is; the lines above add the model to its list, or name another "
            "file with --out"
        )
    write_models([entry], out)
    say(f"{out}: written, with the model {entry['name']} (backend {entry['backend']})")
    _say_what_is_missing(out)
    say(f"then: evalsuite run --models {out} --limit 5 --out runs/first")


def _init_benchmark(data: Path, out: Path | None) -> None:
    from evalsuite.setup.benchmark import write_benchmark

    written = write_benchmark(data, out)
    emit(written.read_text(encoding="utf-8"))
    say(f"{written}: written; look at it, and mend what was guessed wrong")
    say(f"then: evalsuite data check {written}")


def _chosen_entry(out: Path, model: str, served: str, key_env: str, chat: bool | None, ask: bool) -> dict[str, Any]:
    """The model's entry: from the flags, or from the answers of a person, who is asked until an answer names a model."""
    from evalsuite.setup.entries import SHOWN, choices
    from evalsuite.setup.machine import local_servers

    servers = [] if model else local_servers()
    offered = [] if model else choices(servers)
    if not ask:
        if not model and not offered:
            raise ConfigError("no server and no key found here: name a model with --model ADDRESS, FOLDER or HUB-ID")
        return _entry(model or "1", offered, out, served, key_env, chat, ask)
    for n, choice in enumerate(offered, 1):
        say(f"{n:3}  {choice.words}")
    for server in servers:
        if more := server.models[SHOWN:]:
            say(f"     {len(more)} more at {server.address}: --model {server.address} --served {more[0]}, say")
    while True:
        try:
            answer = typer.prompt(translated(_WHICH), default="1" if offered else None, err=False)
        except typer.Abort as stop:
            if sys.stdin.isatty():
                raise
            raise ConfigError(
                "nobody is here to answer: name a model with --model, or take what is found with --yes"
            ) from stop
        try:
            return _entry(answer.strip(), offered, out, served, key_env, chat, ask)
        except ConfigError as error:
            say(f"{error}", err=True)


def _entry(
    what: str, offered: list[Choice], out: Path, served: str, key_env: str, chat: bool | None, ask: bool
) -> dict[str, Any]:
    """The entry that `what` names: a number of `offered`, an address, a name of the shipped list, a folder or a hub id."""
    from evalsuite.setup.entries import listed, local_model, looks_like_chat
    from evalsuite.setup.machine import gpus

    if what.isdigit():
        if not 1 <= int(what) <= len(offered):
            raise ConfigError(
                f"{what}: expected a number from 1 to {len(offered)}"
                if offered
                else f"{what}: nothing was found to choose from"
            )
        entry = offered[int(what) - 1].entry
        return entry if entry["path"] else _of_server(entry["api"]["base_url"], served, entry["api"]["key_env"], ask)
    if what.startswith(("http://", "https://")):
        return _of_server(what, served, key_env, ask)
    if what in listed():
        return listed()[what]
    entry = local_model(what, chat, gpus(), out.parent)
    if ask and chat is None:
        entry["chat"] = typer.confirm(
            translated("A chat model (with a chat template)?"), default=looks_like_chat(Path(what)) or entry["chat"]
        )
    return entry


def _of_server(address: str, served: str, key_env: str | None, ask: bool) -> dict[str, Any]:
    """An entry for a server at an address: asks for the model, and for the variable of the key if the server wants one."""
    import os

    from evalsuite.setup.entries import endpoint, require_endpoint
    from evalsuite.setup.machine import ask_server

    require_endpoint(address, key_env)
    server = ask_server(address, os.environ.get(key_env or "", "").strip())
    if not server.models and not address.rstrip("/").endswith("/v1"):  # addresses are often given without it
        longer = ask_server(f"{address.rstrip('/')}/v1", os.environ.get(key_env or "", "").strip())
        server = longer if longer.answers else server
    if not served and server.models and not ask:
        served = server.models[0]
    if not served and ask:
        models_there = f"has {', '.join(server.models[:10])}" if server.models else server.problem
        say(f"{server.address}: ", models_there)
        served = typer.prompt(translated("Which of its models"), default=server.models[0] if server.models else None)
    if not served:
        raise ConfigError(
            f"{server.address}: {server.problem or 'lists no model'}; name the model there with --served NAME"
        )
    if server.wants_key and not key_env and ask:
        key_env = typer.prompt(translated("Environment variable with the key"), default="OPENAI_API_KEY")
    if server.wants_key and not key_env:
        raise ConfigError(
            f"{server.address} wants a key: name the environment variable that holds it with --key-env NAME"
        )
    return endpoint(server.address, served, key_env or None)


def _say_what_is_missing(out: Path) -> None:
    from evalsuite.backends.models import load_models
    from evalsuite.setup.checks import of_model
    from evalsuite.setup.machine import gpus

    for model in load_models(out):
        row = of_model(model, gpus())
        if row.state != "ok":
            say("first: ", row.found, ": ", row.mend)


def _lines(rows: Sequence[Check], columns: int) -> Iterator[str]:
    """Rows as lines in columns, folded at the terminal's width; a command stands on a line of its own, whole, to be copied."""
    from rich.cells import cell_len

    width = min(max(cell_len(translated(row.name)) for row in rows), 28)
    for row in rows:
        needed = translated("; for ") + translated(row.needed_for) if row.needed_for and row.state != "ok" else ""
        name = translated(row.name)
        first = f"  {_MARKS[row.state]} {name}{' ' * (width - cell_len(name))}  "
        further = " " * (width + 6)
        yield fill(
            f"{translated(row.found)}{needed}",
            max(columns, width + 46),
            initial_indent=first,
            subsequent_indent=further,
            break_long_words=False,
            break_on_hyphens=False,
        )
        if row.mend:
            yield f"    {'':{width}}  → {translated(row.mend)}"


_MARKS = {"ok": "✓", "absent": "–", "wrong": "✗"}


def doctor(
    models: Annotated[str, typer.Option(metavar="FILE", help="Also check every model of this models.yaml.")] = "",
    data: Data = None,
    online: Annotated[
        bool,
        typer.Option(
            "--online",
            help="Also ask the hub and the endpoints of --models whether they answer. Sends each endpoint its own key.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    from evalsuite.setup.checks import checks

    if not models:
        hint_at_models("bundled:models.yaml")
    rows = list(checks(models or None, data, online))
    if as_json:
        emit_json([asdict(row) for row in rows])
    else:
        columns = console().width
        for group, members in groupby(rows, lambda row: row.group):
            say(group)
            for line in _lines(list(members), columns):
                say(line)
        wrong = [row.name for row in rows if row.state == "wrong"]
        if wrong:
            say("✗ to mend: ", ", ".join(map(translated, wrong)))
        else:
            say("nothing is broken; – marks what is not here, and what it is needed for")
    raise typer.Exit(1 if any(row.state == "wrong" for row in rows) else 0)
