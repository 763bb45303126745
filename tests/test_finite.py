"""NaN and infinity: no setting takes them, no file of a run has them, and a page lives with a stranger's."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from run_files import data_in_page

import evalsuite
from evalsuite.backends.models import load_models
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.finite import finite_json, not_finite, without_nan

ENTRY = "models: [{name: m, backend: openai, path: p, %s}]"
SETTINGS = [
    "api: {price: {input: .nan, output: 1}}",
    "api: {price: {input: 1, output: .inf}}",
    "api: {temperature: .nan}",
    "api: {timeout: .inf}",
    "api: {backoff: .inf}",
    "api: {requests_per_minute: .inf}",
    "api: {parameters: {top: {p: [1, .nan]}}}",
    "vllm: {gpu_memory_utilization: .nan}",
    "vllm: {engine: {swap_space: -.inf}}",
    "finetune: {learning_rate: .inf}",
    "finetune: {learning_rate: nan}",
    "finetune: {alpha: .inf}",
    "chat_template_kwargs: {x: .nan}",
]


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_setting_that_is_no_finite_number_is_refused(setting: str, tmp_path: Path) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(ENTRY % setting)
    with pytest.raises(ConfigError, match=r"finite|greater|less") as error:
        load_models(path)
    assert setting.partition(":")[0] in str(error.value)


def test_a_file_of_a_run_has_no_nan_and_the_error_names_the_field() -> None:
    with pytest.raises(DataError, match=r"results\.json: field 'cells\[1\]\.metrics\.f1\.low': not a finite number"):
        finite_json({"cells": [{}, {"metrics": {"f1": {"value": 0.5, "low": math.nan}}}]}, Path("results.json"))
    assert json.loads(finite_json({"甲": [1.5, None]}, Path("x"))) == {"甲": [1.5, None]}
    assert not_finite([1, {"a": math.inf}]) == "[1].a" and not_finite({"a": [0.0, "nan"]}) == ""
    assert without_nan({"a": [math.nan, (1.0, -math.inf)]}) == {"a": [None, [1.0, None]]}


def test_a_page_of_several_runs_lives_with_a_nan_and_says_where(tmp_path: Path, cli: Callable[..., Any]) -> None:
    for name in ("one", "two"):
        evalsuite.run(model=["random"], tasks=["domain_identification"], set="easy", limit=3, out=tmp_path / name)
    path = tmp_path / "two" / "results.json"
    results = json.loads(path.read_text())
    results["cells"][0]["metrics"]["accuracy"]["low"] = math.nan
    path.write_text(json.dumps(results))
    cli("report", tmp_path / "one", tmp_path / "two", "--out", tmp_path / "site")
    data = data_in_page(tmp_path / "site" / "index.html", parse_constant=pytest.fail)
    assert [cell.get("not_finite") for cell in data["cells"]] == [None, "metrics.accuracy.low"]
    assert data["cells"][1]["metrics"]["accuracy"]["low"] is None
