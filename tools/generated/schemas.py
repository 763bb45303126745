"""schema/*.schema.json: the formats of a run's files, of annotations and of models.yaml, which `make generated` writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from evalsuite.analyses.judged.values import JudgedRecord
from evalsuite.analyses.saved import results_file
from evalsuite.analyses.second_reader import SecondRecord
from evalsuite.backends.models import ModelsFile
from evalsuite.benchmarks.file.format import BenchmarkFile
from evalsuite.results.schema.anchors import AnchorFile
from evalsuite.results.schema.annotation import AnnotatedDialogue
from evalsuite.results.schema.manifest import Manifest
from evalsuite.results.schema.record import Record

SCHEMAS: dict[str, type[BaseModel]] = {
    "results": results_file(),
    "manifest": Manifest,
    "record": Record,
    "judged-record": JudgedRecord,
    "second-record": SecondRecord,
    "annotation": AnnotatedDialogue,
    "models": ModelsFile,
    "anchors": AnchorFile,
    "benchmark": BenchmarkFile,
}


def json_schema(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one of `SCHEMAS`."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:evalsuite:schema:{name}:1"}
    return head | SCHEMAS[name].model_json_schema() | {"title": f"evalsuite {name}, format 1"}


def schema_files() -> Iterator[tuple[str, str]]:
    """(file name, content) of every file in schema/."""
    for name in SCHEMAS:
        yield f"{name}.schema.json", json.dumps(json_schema(name), ensure_ascii=False, indent=1) + "\n"
