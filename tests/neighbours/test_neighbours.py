"""Exported tasks, really run by lm-eval and inspect_ai on the embedded model: their prompts, replies and numbers are ours.

`make test-neighbours` sets up a venv that has them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import evalsuite
from evalsuite.results.saved import Results

WHY = "is not installed: make test-neighbours sets up a venv that has it"
TASKS = ("knowledge_filling", "conflict_detection", "event_cause")
LIMIT = 3  # a file
COMMON: dict[str, Any] = {"data": "bundled:sample", "tasks": TASKS, "limit": LIMIT}


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory, tiny: Path) -> Results:
    """A chat model with a shot, and the same as a base model without."""
    folder = tmp_path_factory.mktemp("ours")
    rows = [
        f"  - {{name: {name}, backend: hf, path: {tiny}, chat: {chat}, shots: [{shots}], dtype: float32, device: cpu}}"
        for name, chat, shots in (("chat", "true", 1), ("base", "false", 0))
    ]
    (folder / "models.yaml").write_text("\n".join(["models:", *rows]))
    scoring = ["generate", "labels", "texts"]
    done = evalsuite.run(folder / "models.yaml", scoring=scoring, out=folder / "run", **COMMON)
    assert not done.problems
    return done


def cells(ours: Results, model: str, scoring: str) -> dict[str, tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Name of the exported task -> its cell and records in our run."""
    found = {}
    for cell in ours.cells:
        if (cell["model"], cell["scoring"]) == (model, scoring):
            lines = (ours.out / cell["records"]).read_text(encoding="utf-8").split("\n")
            name = f"corecode_{cell['set']}_{cell['task']}_paper"
            found[name] = (cell, [json.loads(line) for line in lines if line])
    return found


@pytest.fixture(scope="module")
def lm_eval_says(tmp_path_factory: pytest.TempPathFactory, tiny: Path) -> dict[str, dict[str, Any]]:
    """Model -> what lm-eval found."""
    pytest.importorskip("lm_eval", reason=f"lm-eval {WHY}")
    from lm_eval import simple_evaluate
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    folder = evalsuite.export("lm-eval", tmp_path_factory.mktemp("out") / "lm-eval", shots=1, **COMMON)
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    model = HFLM(pretrained=str(tiny), dtype="float32", device="cpu", batch_size=8)
    return {
        name: simple_evaluate(
            model,
            tasks=["corecode_paper", "corecode_paper_labels", "corecode_paper_texts"],
            task_manager=manager,
            num_fewshot=shots,
            apply_chat_template=chat,
            fewshot_as_multiturn=chat,
            bootstrap_iters=0,
        )
        for name, chat, shots in (("chat", True, None), ("base", False, 0))  # None: as exported
    }


@pytest.mark.parametrize(
    ("scoring", "metrics"),
    [
        ("generate", {"accuracy": "accuracy", "paper.accuracy": "paper.accuracy", "f1": "f1", "em": "em"}),
        ("labels", {"accuracy": "accuracy"}),
        ("texts", {"accuracy_sum": "acc", "accuracy_char": "acc_norm"}),
    ],
)
@pytest.mark.parametrize("model", ["chat", "base"])
def test_lm_eval(
    ours: Results,
    lm_eval_says: dict[str, dict[str, Any]],
    tiny: Path,
    model: str,
    scoring: str,
    metrics: dict[str, str],
) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(tiny))
    end = "" if scoring == "generate" else f"_{scoring}"
    mine = cells(ours, model, scoring)
    assert len(mine) == 2 * (3 if scoring == "generate" else 1)
    for name, (cell, records) in mine.items():
        theirs = lm_eval_says[model]["results"][name + end]
        compared = {own: other for own, other in metrics.items() if own in cell["metrics"]}
        assert compared
        for own, other in compared.items():
            assert theirs[f"{other},none"] == pytest.approx(cell["metrics"][own]["value"], abs=1e-9), (name, own)
        samples = sorted(lm_eval_says[model]["samples"][name + end], key=lambda s: s["doc_id"])
        for sample, record in zip(samples, records, strict=True):
            asked = record["prompt"]
            if model == "chat":
                asked = tokenizer.apply_chat_template(record["messages"], tokenize=False, add_generation_prompt=True)
            assert {arguments[0] for arguments in sample["arguments"]} == {asked}
            if scoring == "generate":
                assert sample["resps"][0][0] == record["reply"]


def test_inspect(ours: Results, tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inspect_ai = pytest.importorskip("inspect_ai", reason=f"inspect-ai {WHY}")
    folder = evalsuite.export("inspect", tmp_path / "inspect", shots=1, **COMMON)
    monkeypatch.chdir(folder)  # it looks for tasks below the working directory
    logs = inspect_ai.eval(
        "corecode.py",
        model="hf/tiny-zh",
        model_args={"model_path": str(tiny), "do_sample": False, "dtype": "float32", "device": "cpu"},
        display="none",
        log_dir=str(tmp_path / "logs"),
        max_tasks=6,
    )
    found = {log.eval.task.rpartition("/")[2]: log for log in logs}
    mine = cells(ours, "chat", "generate")
    assert set(found) == set(mine)
    for name, (cell, records) in mine.items():
        log = found[name]
        assert log.status == "success", log.error
        theirs = {score.name: score.metrics["mean"].value for score in log.results.scores}
        assert "answered" in theirs
        for own in ("accuracy", "paper.accuracy", "f1", "em"):
            assert (own in theirs) == (own in cell["metrics"])
            if own in theirs:
                assert theirs[own] == pytest.approx(cell["metrics"][own]["value"], abs=1e-9), (name, own)
        samples = {sample.id: sample for sample in log.samples}
        for record in records:
            sample = samples[record["item"]]
            assert [(m.role, m.text) for m in sample.input] == [(m["role"], m["content"]) for m in record["messages"]]
            assert sample.output.completion == record["reply"]


@pytest.mark.parametrize(
    ("to", "module", "needs"), [("lm-eval", "utils", "lm_eval"), ("inspect", "corecode", "inspect_ai")]
)
def test_says_that_evalsuite_is_missing(tmp_path: Path, to: str, module: str, needs: str) -> None:
    pytest.importorskip(needs, reason=f"{to} {WHY}")
    folder = evalsuite.export(to, tmp_path / "out", data="bundled:sample", tasks=["event_cause"], limit=1)
    code = f"import sys; sys.modules['evalsuite'] = None; import {module}"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=dict(os.environ), capture_output=True, text=True
    )
    assert "ImportError: these tasks read replies with evalsuite" in done.stderr
    assert "During handling" not in done.stderr
