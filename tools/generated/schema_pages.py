"""Pages about the files that evalsuite reads and writes, made from their JSON Schemas: docs/reference/*.md."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evalsuite.common.flags import flags
from evalsuite.common.resources import bundled
from evalsuite.evaluation.settings import Settings
from tools.generated.markdown import anchor, code, head, row, with_links

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """The title of a schema's page, and the introduction above its table of keys."""

    title: str
    about: str


# Name of the schema, and of the page -> the page.
PAGES = {
    "models": Page(
        "Keys of models.yaml",
        "The file of models, which `evalsuite init` writes. [models.yaml](../models.md) has examples; an unknown key "
        "is an error.",
    ),
    "benchmark": Page(
        "Keys of a benchmark file",
        "The YAML of a benchmark of yours, which `evalsuite init --benchmark` writes. [A benchmark as a "
        "file](../benchmark_file.md) has examples; an unknown key is an error.",
    ),
    "results": Page(
        "Keys of results.json",
        "All figures of a run, in `runs/NAME/results.json`. As data frames: [Results as data frames](../frames.md).",
    ),
    "manifest": Page("Keys of manifest.json", "What a run was made with, in `runs/NAME/manifest.json`."),
    "record": Page(
        "Keys of records",
        "A line for each item, in `runs/NAME/records/*.jsonl`: prompt, reply, answer, scores. As data frames: "
        "[Results as data frames](../frames.md).",
    ),
    "judged-record": Page(
        "Keys of judged records",
        "A line for each text that a judge scored, in `runs/NAME/judged/*.jsonl` ([Judge](../judge.md)).",
    ),
    "second-record": Page(
        "Keys of second readings",
        "A line for each reply that a second reader read, in `runs/NAME/second/*.jsonl` ([A second "
        "reader](../second_reader.md)).",
    ),
    "anchors": Page(
        "Keys of sets of anchor items",
        "What `evalsuite anchors` writes and `evalsuite run --items` reads ([Anchor items](../anchors.md)).",
    ),
    "annotation": Page(
        "Keys of annotations",
        "A line for each dialogue, which `evalsuite build tasks` reads ([Annotate](../build_annotate.md)).",
    ),
}
_MOST = 12  # a longer list of allowed values is counted, not written


def schema_page(name: str) -> str:
    """The page of one schema: a table of the file's keys, then one for each of its models, in the order of their first use."""
    schema = json.loads(bundled(f"schema/{name}.schema.json").read_text(encoding="utf-8"))
    page = PAGES[name]
    source = f"Made from [schema/{name}.schema.json](../../schema/{name}.schema.json) by `make generated`."
    kinds = schema.get("$defs", {})
    lines = [f"# {page.title}", "", page.about, source, "", *_description(schema), *_table(schema, kinds)]
    for kind in _in_order(schema):
        flags = _settings() if kind == "RunSettings" else {}
        lines += ["", f"## {kind}", "", *_description(kinds[kind]), *_table(kinds[kind], kinds, flags)]
    return "\n".join(lines) + "\n"


def _description(schema: Schema) -> list[str]:
    return [with_links(schema["description"], "../"), ""] if schema.get("description") else []


def _settings() -> dict[str, str]:
    """The help of the flags of `evalsuite run`, for keys of the same name."""
    return {name: flag.help for name, flag in flags(Settings).items()}


def _table(schema: Schema, kinds: Schema, meanings: Mapping[str, str] | None = None) -> Iterator[str]:
    if not schema.get("properties"):
        yield f"Its value: {_kind(schema)}."
        return
    yield from head("key", "value", "default", "meaning")
    for name, value in schema["properties"].items():
        default = code(json.dumps(value["default"], ensure_ascii=False)) if "default" in value else ""
        meaning = value.get("description") or (meanings or {}).get(name) or _of_its_kind(value, kinds)
        required = name in schema.get("required", ())
        yield row(code(name), _kind(value), "required" if required else default, with_links(meaning, "../"))


def _of_its_kind(schema: Schema, kinds: Schema) -> str:
    """The description of the model that a key's value refers to, alone or in a list; "" if it refers to several or none."""
    parts = [schema, *schema.get("anyOf", ())]
    references = [part["$ref"] for part in (*parts, *(part.get("items", {}) for part in parts)) if "$ref" in part]
    return str(kinds[references[0].rpartition("/")[2]].get("description", "")) if len(references) == 1 else ""


def _in_order(schema: Schema) -> list[str]:
    """The names of a schema's models, in the order in which its keys refer to them."""
    order: list[str] = []
    queue: list[Any] = [schema.get("properties", {})]
    while queue:
        part = queue.pop(0)
        if isinstance(part, Mapping):
            if "$ref" in part and (name := part["$ref"].rpartition("/")[2]) not in order:
                order.append(name)
                queue.append(schema["$defs"][name])
            queue += [value for key, value in part.items() if key not in ("$defs", "default", "enum", "const")]
        elif isinstance(part, list):
            queue += part
    return order


def _kind(schema: Schema) -> str:
    """The allowed values, in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{anchor(name)})"
    if "const" in schema:
        return code(json.dumps(schema["const"], ensure_ascii=False))
    if "enum" in schema:
        values = [code(str(value)) for value in schema["enum"]]
        return ", ".join(values) if len(values) <= _MOST else f"one of {len(values)} names"
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(_kind(part) for part in schema[several]))
    return _plain(schema)


def _plain(schema: Schema) -> str:
    match schema.get("type"):
        case "array" if "prefixItems" in schema:
            return f"list: {', '.join(_kind(part) for part in schema['prefixItems'])}"
        case "array":
            return f"list of {_kind(schema.get('items', {}))}"
        case "object" if isinstance(inner := schema.get("additionalProperties"), Mapping):
            return f"mapping of names to {_kind(inner)}"
        case "object":
            return "mapping"
        case "string":
            return "text"
        case "boolean":
            return "`true` or `false`"
        case "null":
            return "`null`"
        case "integer" | "number" as number:
            return " ".join([number, *_bounds(schema)])
        case _:
            return "any value"


def _bounds(schema: Schema) -> Iterator[str]:
    # The bound of a share is 1 and a rounding error.
    words = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    bounds = [f"{sign} {round(schema[key], 6)}" for key, sign in words.items() if key in schema]
    if bounds:
        yield " and ".join(bounds)
