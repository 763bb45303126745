"""Command-line flags: those made from settings classes, and those that several commands share."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import Field, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from evalsuite.cli.completion import completer
from evalsuite.common.flags import Flag, dashed, flags
from evalsuite.common.resources import bundled
from evalsuite.common.terminal import emit, json_mark, say
from evalsuite.evaluation.settings import Settings


def parts(text: str) -> list[str]:
    """The parts of a comma-separated list.

    >>> parts("easy, hard,")
    ['easy', 'hard']
    """
    return [part.strip() for part in text.split(",") if part.strip()]


def numbers(text: str, flag: str, example: str) -> list[int]:
    """The integers of a comma-separated list. Raises typer.BadParameter with the flag and the example."""
    try:
        return [int(part) for part in parts(text)]
    except ValueError:
        raise typer.BadParameter(f"{text!r}: expected numbers such as {example}", param_hint=flag) from None


def emit_json(value: Any) -> None:
    """Print a value as JSON, for `--json`."""
    emit(json.dumps(value, ensure_ascii=False, indent=1), json_mark)


def split_paths(values: list[Path] | None) -> list[Path]:
    """The files or folders of a flag that may be repeated. A comma separates two of them, unless it belongs to a file's name."""
    paths: list[Path] = []
    for path in values or ():
        paths += [path] if path.exists() else map(Path, parts(str(path)))
    return paths


def option(settings: type, name: str) -> Any:
    """The typer option of one field, for a command without the others: `Annotated[str, option(Settings, "split")]`."""
    flag = flags(settings)[name]
    return typer.Option(
        *[flag.short] * bool(flag.short),
        f"--{dashed(name)}",
        help=flag.help,
        autocompletion=completer(name),
        callback=split_paths if flag.repeated and Path in _parts_of(get_type_hints(settings)[name]) else None,
    )


def takes(settings: type, only: Collection[str] = (), without: Collection[str] = ()) -> Callable[[Any], Any]:
    """Decorator: add the fields of a settings class to a command as flags.

        @takes(Settings, without=["out"])
        def preview(item: Annotated[str, typer.Option("--item")] = "", **settings: Any) -> None: ...

    The command gets the fields' values as keywords: `--shots 0,1` becomes `shots=[0, 1]`.
    """
    hints = get_type_hints(settings)
    chosen = [f for f in fields(settings) if f.name not in without and (not only or f.name in only)]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def called(**given: Any) -> None:
            command(**given | {f.name: _value(f, hints[f.name], given[f.name]) for f in chosen})

        of_command = inspect.signature(command, eval_str=True).parameters.values()
        parameters = [p.replace(kind=p.KEYWORD_ONLY) for p in of_command if p.kind is not p.VAR_KEYWORD]
        # In the help, flags follow the command's required parameters.
        index = sum(p.default is p.empty for p in parameters)
        parameters[index:index] = [_parameter(settings, f, hints[f.name]) for f in chosen]
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # typer reads it
        called.__annotations__ = {p.name: p.annotation for p in parameters}
        return called

    return decorate


def _parameter(settings: type, field: Field[Any], hint: Any) -> inspect.Parameter:
    """The typer parameter of a field.

    A sequence is one comma-separated text, or, if the flag may be repeated, a list of texts.
    """
    flag: Flag = field.metadata["flag"]
    kind: Any = hint
    default: Any = field.default
    if get_origin(hint) is Sequence:
        several = list[Path] if Path in _parts_of(hint) else list[str]
        kind, default = (several | None, None) if flag.repeated else (str, ",".join(map(str, default)))
    elif Path in get_args(hint):
        kind = Path | None if default is None else Path
        default = None if default is None else Path(default)
    if flag.required:
        kind, default = list[str] if flag.repeated else kind, inspect.Parameter.empty
    return inspect.Parameter(
        field.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, option(settings, field.name)],
    )


def _value(field: Field[Any], hint: Any, given: Any) -> Any:
    """Convert the value from the command line to the value of the field."""
    if get_origin(hint) is not Sequence:
        return given
    flag: Flag = field.metadata["flag"]
    if Path in _parts_of(hint):
        return given or []
    texts = given or [] if flag.repeated else [given]
    if get_args(hint) == (int,):
        return [n for text in texts for n in numbers(text, f"--{dashed(field.name)}", flag.example)]
    return [part for text in texts for part in parts(text)]


def _parts_of(hint: Any) -> tuple[Any, ...]:
    """The types that an element of a sequence may have."""
    (element,) = get_args(hint)
    return get_args(element) or (element,)


def hint_at_models(models: str | Path) -> None:
    """Say on stderr that the models.yaml of this folder is not read, if `models` are those that ship."""
    here = Path("models.yaml")
    if str(models) == "bundled:models.yaml" and here.is_file() and not here.samefile(bundled("models.yaml")):
        say("models.yaml here is not used; add --models models.yaml", err=True)


# Fields of Settings that only matter when models are asked; commands that ask no model lack these flags.
OF_ASKING = (
    *("baselines", "semsim", "again", "max_new_tokens"),
    *("max_concurrency", "executor", "ray_address", "replicas", "verbose"),
)
ModelsOption = Annotated[str, option(Settings, "models")]
SplitOption = Annotated[str, option(Settings, "split")]
BenchmarkOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--benchmark",
        help="A benchmark of yours, a YAML file (docs/benchmark_file.md); may be given more than once.",
        callback=split_paths,
    ),
]
Data = Annotated[list[Path] | None, option(Settings, "data")]
RunArgument = Annotated[Path, typer.Argument(help="A run's folder.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
SkipBad = Annotated[bool, option(Settings, "skip_bad")]
Parser = Annotated[
    str,
    typer.Option("--parser", help="Parser of choices: full, strict, or paper (only the forms that the paper lists)."),
]
