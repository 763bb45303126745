"""Exported tasks, really run by OpenCompass with scripted replies: its metrics are ours.

OpenCompass pins numpy 1.26, scikit-learn 1.5 and httpx 0.27 and brings half a gigabyte beside torch, so that no venv of `make`
has it (docs/export.md says how it was tried).
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of

import evalsuite
from evalsuite.types import Request

if find_spec("opencompass") is None:
    pytest.skip("opencompass is not installed (docs/export.md)", allow_module_level=True)

ASKED: dict[str, Any] = {
    "data": "bundled:sample", "tasks": ["knowledge_filling", "event_cause"], "set": "easy", "limit": 20,
}  # fmt: skip
MODEL = """
from opencompass.models.base_api import BaseAPIModel


class Scripted(BaseAPIModel):
    def __init__(self, path="", **rest):
        super().__init__(path=path, max_seq_len=4096, meta_template=rest.get("meta_template"), query_per_second=1000)

    def get_token_len(self, prompt):
        return len(str(prompt))

    def generate(self, inputs, max_out_len=8, **rest):
        texts = [x if isinstance(x, str) else x[-1]["prompt"] for x in inputs]
        return [f"答案是({'abc'[len(text) % 3]})。" for text in texts]
"""
CONFIG = """
from mmengine.config import read_base

with read_base():
    from .evalsuite_datasets import datasets
turns = dict(round=[dict(role="HUMAN", api_role="HUMAN"), dict(role="BOT", api_role="BOT", generate=True)])
models = [dict(type="scripted_model.Scripted", abbr="m", path="m", max_out_len=8, batch_size=4, run_cfg=dict(num_gpus=0), meta_template=turns)]
"""
START = (
    "import sys; sys.argv = ['opencompass', 'my_config.py', '--debug']; from opencompass.cli.main import main; main()"
)


def scripted(request: Request) -> str:
    return f"答案是({'abc'[len(request.messages[-1].content) % 3]})。"


def test_metrics_are_ours(tmp_path: Path) -> None:
    folder = evalsuite.export("opencompass", tmp_path / "exported", shots=1, **ASKED)
    (folder / "scripted_model.py").write_text(MODEL, encoding="utf-8")
    (folder / "my_config.py").write_text(CONFIG, encoding="utf-8")
    path = {"PYTHONPATH": ":".join([str(folder), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", START], cwd=folder, env={**path, "HOME": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    theirs = {file.stem: json.loads(file.read_text()) for file in folder.glob("outputs/default/*/results/m/*.json")}
    ours = evalsuite.run({"m": scripted}, shots=[1], out=tmp_path / "run", **ASKED)
    compared = 0
    for cell in (cell for cell in cells_of(ours) if cell["model"] == "m"):
        for name, value in theirs[f"corecode_easy_{cell['task']}_paper"].items():
            if name in cell["metrics"]:
                assert value == pytest.approx(100 * cell["metrics"][name]["value"]), (cell["task"], name)
                compared += 1
    assert compared == 5  # accuracy and the paper's two; f1 and em
