"""Parse YAML with limits, and refuse repeated keys, of which YAML's parsers silently keep the last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from evalsuite.common.errors import unknown
from evalsuite.common.resources import packaged

if TYPE_CHECKING:
    from pydantic import BaseModel

DEPTH = 50  # the most levels; the parser's time grows with the product of depth and length


def parse_yaml(text: str, *, aliases: bool = True) -> tuple[Any, Node | None]:
    """(value, node): the first document of a text, and its node, which has the line numbers.

    `aliases`: allow *name. A stranger's few aliases can expand to gigabytes.
    Raises yaml.YAMLError, with line and column, also for a repeated key, more than DEPTH levels, and values that Python
    refuses, such as the date 2024-13-99.
    """
    loader = _StrictLoader(text)
    loader.aliases = aliases
    try:
        node = loader.get_single_node()
        return (None if node is None else loader.construct_document(node)), node
    except (ValueError, OverflowError, RecursionError, AttributeError, TypeError) as error:
        mark = loader.get_mark()
        raise yaml.MarkedYAMLError(problem=f"{type(error).__name__}: {error}", problem_mark=mark) from None
    finally:
        loader.dispose()


def packaged_yaml(name: str) -> Any:
    """The content of a YAML file inside the package: `packaged_yaml("benchmarks/groups.yaml")`."""
    return parse_yaml(packaged(name).read_text(encoding="utf-8"))[0]


def line_and_problem(error: yaml.YAMLError) -> tuple[int, str]:
    """(line from 1, what is wrong) of an error, on one line."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark:
        return error.problem_mark.line + 1, ", ".join(filter(None, (error.context, error.problem)))
    return 1, " ".join(str(error).split())


def position(node: Node | None, loc: Sequence[int | str]) -> tuple[int, str]:
    """(line from 1, field) of a pydantic location in a document: (3, "tasks.reading.gold").

    Steps that the document lacks, such as the names of a union's types, are left out. The last step stays: a missing key.
    """
    line, field = 1, ""
    for n, step in enumerate(loc):
        inner, at = None, None
        if isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
            inner = at = node.value[step]
        elif isinstance(node, MappingNode):
            at, inner = next(((k, v) for k, v in node.value if k.value == str(step)), (None, None))
        if inner is not None and at is not None:
            node, line = inner, at.start_mark.line + 1
        elif not (n == len(loc) - 1 and isinstance(node, MappingNode)):
            continue
        field += f"[{step}]" if isinstance(step, int) else f"{'.' if field else ''}{step}"
    return line, field


def explained(
    error: Any,
    where: tuple[Path, Node | None],
    whole: type[BaseModel],
    sections: Mapping[str, type[BaseModel]],
    secret: str = "",
) -> str:
    """One of pydantic's errors as one line: file:line: field: what is wrong.

    where: the file and its node. whole: the model of the file. sections: models of its sections by name, whose keys an unknown
    key is compared with. secret: the name of a section whose values are not quoted, since it may hold an API key.
    """
    path, node = where
    line, field = position(node, error["loc"])
    message: str = error["msg"].removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        owner = whole
        for step in error["loc"][:-1]:
            owner = sections.get(str(step), owner)
        message = unknown("key", str(error["loc"][-1]), owner.model_fields)
    elif error["type"] not in ("missing", "value_error") and secret not in error["loc"]:
        message += f", found {error['input']!r}"[:80]
    return f"{path}:{line}: {f'{field}: ' if field else ''}{message}"


class _StrictLoader(yaml.SafeLoader):
    aliases = True
    _depth = 0

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        if not self.aliases and self.check_event(yaml.AliasEvent):
            raise yaml.MarkedYAMLError(problem="holds an alias (*name): write it out", problem_mark=self.get_mark())
        if self._depth > DEPTH:
            raise yaml.MarkedYAMLError(problem=f"is nested more than {DEPTH} deep", problem_mark=self.get_mark())
        self._depth += 1
        node: Node | None = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def compose_mapping_node(self, anchor: Any) -> MappingNode:
        node: MappingNode = super().compose_mapping_node(anchor)
        seen = set()
        for key, _ in node.value:
            if isinstance(key, ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if (key.tag, key.value) in seen:
                    raise yaml.MarkedYAMLError(
                        problem=f"the key {key.value!a} stands here twice", problem_mark=key.start_mark
                    )
                seen.add((key.tag, key.value))
        return node
