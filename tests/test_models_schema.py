"""The JSON Schema of models.yaml, with which editors help: it refuses what the suite refuses, as far as a schema can say it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from evalsuite.backends.model import Model, StrictSettings
from evalsuite.backends.models import ModelsFile, load_models
from evalsuite.backends.registry import BACKENDS
from tools.generated.schemas import json_schema

jsonschema = pytest.importorskip("jsonschema", reason="needs evalsuite[dev]")
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return json_schema("models")


@pytest.fixture(scope="module")
def validator(schema: dict[str, Any]) -> Any:
    return jsonschema.Draft202012Validator(schema)


FILES = [ROOT / "models.yaml", *sorted((ROOT / "models").glob("*.yaml"))]
_FENCED = re.compile(r"```yaml\n(models:\n.*?)```", re.DOTALL)
SHOWN = [
    (page.name, text)
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    for text in _FENCED.findall(page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_shipped_files_are_valid(validator: Any, path: Path) -> None:
    assert load_models(path)
    assert list(validator.iter_errors(yaml.safe_load(path.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(("page", "text"), SHOWN, ids=[page for page, _ in SHOWN])
def test_files_in_the_documentation_are_valid(validator: Any, page: str, text: str) -> None:
    tree = yaml.safe_load(text)
    ModelsFile.model_validate(tree)
    assert list(validator.iter_errors(tree)) == [], page


def test_there_are_files_in_the_documentation() -> None:
    assert len(SHOWN) > 3


RIGHT = [
    "{}",
    "chat: true, chat_template: x",
    "chat_template: null",
    "finetune: {learning_rate: 2e-4}",  # a text in YAML 1.1
    "finetune: {learning_rate: 0.0002, target_modules: [q_proj]}",
    "generation: {temperature: null, seed: null}",
    "shots: [0, 5], tasks: [SI]",
    "api: {base_url: 'http://localhost:8000/v1', key_env: null, price: {input: 1, output: 2.5}, parameters: {enable_thinking: false}}",
    "api: {temperature: 0.5}",
    "backend: of-another-package",
    "backend: baseline, path: oracle",
]
WRONG = [
    "nam: x",
    "backend: 3",
    "dtype: float8",
    "hub: github",
    "chat: 'yes'",
    "chat_template: x",
    "chat: false, chat_template: x",
    "generation: {max_new_tokens: 0}",
    "generation: {temperatur: 0}",
    "generation: {top_p: 0}",
    "generation: {seed: -1}",
    "generation: 3",
    "hf: {threads: 0}",
    "vllm: {gpu_memory_utilization: 1.5}",
    "vllm: {tensor_parallel_size: '2'}",
    "finetune: {learning_rate: fast}",
    "finetune: {schedule: linea}",
    "finetune: {warmup: 1}",
    "api: {base_url: localhost:8000}",
    "api: {base_url: 'https://key@host/v1'}",
    "api: {key: sk-1}",
    "api: {price: {input: -1, output: 0}}",
    "api: {price: {input: 1}}",
    "api: {parameters: {max_tokens: 3}}",
    "shots: []",
    "shots: [-1]",
    "prompt: ''",
    "tags: 8B",
    "name: ''",
]


def _entry(text: str) -> dict[str, Any]:
    more = yaml.safe_load("{" + text.strip("{}") + "}" if text == "{}" else "{" + text + "}")
    return {"models": [{"name": "m", "backend": "hf", "path": "org/model", **more}]}


@pytest.mark.parametrize("text", RIGHT)
def test_valid_entries_pass_suite_and_schema(validator: Any, text: str) -> None:
    ModelsFile.model_validate(_entry(text))
    assert list(validator.iter_errors(_entry(text))) == []


@pytest.mark.parametrize("text", WRONG)
def test_wrong_entries_fail_suite_and_schema(validator: Any, text: str) -> None:
    with pytest.raises(ValidationError):
        ModelsFile.model_validate(_entry(text))
    assert not validator.is_valid(_entry(text))


@pytest.mark.parametrize("tree", [{}, {"models": []}, {"models": [{}]}, {"modles": [], "models": [{"name": "m"}]}, []])
def test_wrong_files_fail_suite_and_schema(validator: Any, tree: Any) -> None:
    with pytest.raises(ValidationError):
        ModelsFile.model_validate(tree)
    assert not validator.is_valid(tree)


def test_baselines_are_named(validator: Any) -> None:
    """Pydantic leaves a wrong one to the backend, which is asked later; an editor says it while one types."""
    assert not validator.is_valid(_entry("backend: baseline, path: randon"))


def _classes(of: type[StrictSettings]) -> set[type[StrictSettings]]:
    inner = {c for f in of.model_fields.values() for c in (f.annotation, *getattr(f.annotation, "__args__", ()))}
    found = {c for c in inner if isinstance(c, type) and issubclass(c, StrictSettings)}
    return {of}.union(*map(_classes, found))


def test_every_field_has_help(schema: dict[str, Any]) -> None:
    """Editors show the help of a key under the pointer; a section's help is the docstring of its class."""
    assert {c.__name__ for c in _classes(ModelsFile)} == {*schema["$defs"], "ModelsFile"}
    for name, part in {**schema["$defs"], "the file": schema}.items():
        assert part["description"], name
        for key, field in part["properties"].items():
            assert field.get("description") or "$ref" in field, f"{name}.{key}"


def test_backends_are_suggested(schema: dict[str, Any]) -> None:
    (listed, _) = schema["$defs"]["Model"]["properties"]["backend"]["anyOf"]
    assert {*listed["enum"]} == {*BACKENDS}
    assert Model.model_fields["backend"].annotation is str
