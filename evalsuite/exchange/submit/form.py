"""submission.yaml, the form that submitters fill in. `submit make` writes it, `submit check` reads it strictly."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, ValidationError, field_validator
from yaml.nodes import Node

from evalsuite.common.errors import DataError
from evalsuite.common.plainfile import read_plain
from evalsuite.common.yamltext import line_and_problem, parse_yaml, position
from evalsuite.results.schema.base import Strict

FORMAT = 1
UNFILLED = "?"
_MOST = 2**18  # the most bytes of submission.yaml
_LISTED = 200  # the most problems that are listed: finding the line of each takes time

FormValues = Mapping[str, str | int | list[str] | None]  # the fields whose values are known
ShortText = Annotated[str, Field(min_length=1, max_length=2000)]


class Details(Strict):
    """Facts of one model. The form shows the descriptions as comments."""

    hub: ShortText | None = Field(description="its id on a hub, e.g. org/name; null: on none")
    revision: ShortText | None = Field(description="its commit there; null: none")
    parameters: Annotated[int, Field(ge=0)] | None = Field(description="how many, e.g. 7600000000; null: not known")
    tags: list[str] = Field(description="as the leaderboard filters")
    trained_on: Literal["unknown"] | list[Literal["train", "dev", "test"]] = Field(
        description="splits of the benchmarks asked that it was trained on, e.g. [train]; []: on none; or unknown"
    )
    statement: ShortText = Field(description="on contamination, in a sentence: how you know")


class SubmissionForm(Strict):
    """submission.yaml."""

    format: Literal[1] = Field(description="of this folder")
    name: ShortText = Field(description="what the leaderboard calls the submission")
    who: ShortText = Field(description="the submitters")
    contact: ShortText = Field(description="an e-mail address or a url")
    date: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$", description="YYYY-MM-DD")
    licence: ShortText = Field(description="under which the records may be passed on, e.g. CC-BY-4.0")
    notes: str = Field(max_length=20000, description='anything else; "" for nothing')
    models: dict[str, Details] = Field(min_length=1)

    @field_validator("date", mode="before")
    @classmethod
    def _written(cls, value: Any) -> Any:
        """YAML parses an unquoted date as a date, not a string."""
        return value.isoformat() if isinstance(value, datetime.date) else value


def form_text(head: FormValues, models: Mapping[str, FormValues]) -> str:
    """The text of submission.yaml, with "?" for each value that is not known."""
    lines = [f'# Fill in every "{UNFILLED}", then: evalsuite submit check FOLDER']
    lines += _lines(SubmissionForm, {"format": FORMAT} | dict(head), "")
    lines.append("models:")
    for name, known in models.items():
        lines.append(f"  {_yaml(name)}:")
        lines += _lines(Details, known, "    ")
    return "\n".join(lines) + "\n"


def _lines(model: type[Strict], known: FormValues, indent: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        if field.description:
            yield f"{indent}{name}: {_yaml(known.get(name, UNFILLED))}  # {field.description}"


def _yaml(value: Any) -> str:
    text: str = yaml.safe_dump(value, allow_unicode=True, default_flow_style=True, width=10**6)
    return text.removesuffix("\n").removesuffix("\n...")


def read_form(path: Path) -> tuple[SubmissionForm | None, list[str]]:
    """Read submission.yaml. Returns the form (None if it is invalid) and its problems: line, field, message."""
    try:
        tree, node = parse_yaml(read_plain(path.parent, path.name, _MOST).decode("utf-8"), aliases=False)
    except DataError as error:
        return None, [error.message]
    except UnicodeDecodeError as error:
        return None, [f"not UTF-8 at byte {error.start}"]
    except yaml.YAMLError as error:
        line, problem = line_and_problem(error)
        return None, [f"{line}: not YAML: {problem}"]
    unfilled = list(islice(_unfilled(tree), _LISTED))
    problems = [_problem(node, at, "still to be filled in") for at in unfilled]
    try:
        form = SubmissionForm.model_validate(tree)
    except ValidationError as error:
        for e in error.errors()[:_LISTED]:
            at = tuple(step for step in e["loc"] if not str(step).startswith(("literal[", "list[")))
            if not any(at[: len(u)] == u for u in unfilled):
                problems.append(_problem(node, at, e["msg"]))
        return None, problems
    return form, problems


def _unfilled(tree: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of each value that is still UNFILLED."""
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for step, value in pairs:
        yield from _unfilled(value, (*at, step))
    if tree == UNFILLED:
        yield at


def _problem(node: Node | None, at: Sequence[str | int], what: str) -> str:
    line, field = position(node, at)
    return f"{line}: {field or 'file'}: {what}"
