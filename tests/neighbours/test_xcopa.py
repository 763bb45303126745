"""XCOPA by lm-eval's own task code, on the embedded model: its likelihoods and its accuracy are ours."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from as_json import cells_of
from run_files import read_jsonl

import evalsuite

# Items that are compared: the 500 official ones are alike.
LIMIT = 100
WHY = "is not installed: make test-neighbours sets up a venv that has it"


@pytest.fixture(params=["sample", "official"])
def data(request: pytest.FixtureRequest) -> Path:
    if request.param == "sample":
        return Path(evalsuite.__file__).parent.parent / "sample" / "xcopa"
    found = Path(request.getfixturevalue("real_data")) / "xcopa"
    if not found.is_dir():
        pytest.skip("needs xcopa/, the official files, in EVALSUITE_DATA")
    return found


def test_lm_eval_gives_our_likelihoods_and_accuracy(data: Path, tiny: Path, tmp_path: Path) -> None:
    lm_eval_tasks = pytest.importorskip("lm_eval.tasks.xcopa", reason=f"lm-eval {WHY}")
    from lm_eval import simple_evaluate
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    theirs = Path(next(iter(lm_eval_tasks.__path__)))
    # The tool's task, but for where its data are.
    (tmp_path / "task").mkdir()
    (tmp_path / "task" / "utils.py").write_bytes((theirs / "utils.py").read_bytes())
    row = {"dataset_path": "json", "output_type": "multiple_choice", "test_split": "test", "doc_to_target": "label"}
    functions = "doc_to_text: !function utils.doc_to_text_zh\ndoc_to_choice: !function utils.doc_to_choice\n"
    files = {"data_files": {"test": str(data / "data" / "zh" / "test.zh.jsonl")}}
    metrics = [{"metric": "acc"}, {"metric": "acc_norm"}]
    task = {"task": "xcopa_zh_here", **row, "dataset_kwargs": files, "metric_list": metrics}
    (tmp_path / "task" / "task.yaml").write_text(functions + yaml.safe_dump(task), encoding="utf-8")
    found = simple_evaluate(
        HFLM(pretrained=str(tiny), dtype="float32", device="cpu", batch_size=8),
        tasks=["xcopa_zh_here"],
        task_manager=TaskManager(include_path=str(tmp_path / "task"), include_defaults=False),
        num_fewshot=0,
        limit=LIMIT,
        bootstrap_iters=0,
    )
    samples = sorted(found["samples"]["xcopa_zh_here"], key=lambda sample: sample["doc_id"])

    models = tmp_path / "models.yaml"
    models.write_text(
        f"models: [{{name: tiny, backend: hf, path: {tiny}, chat: false, dtype: float32, device: cpu}}]\n"
    )
    done = evalsuite.run(
        models,
        tasks=["xcopa"],
        prompt=["lm-eval"],
        scoring=["texts"],
        data=data,
        limit=LIMIT,
        out=tmp_path / "run",
    )
    (cell,) = cells_of(done)
    records = read_jsonl(done.out / cell["records"])
    assert 0 < len(records) <= LIMIT
    for sample, record in zip(samples, records, strict=True):
        assert {arguments[0] for arguments in sample["arguments"]} == {record["prompt"]}
        assert [arguments[1] for arguments in sample["arguments"]] == [f" {option}" for option in record["options"]]
        said = [answer[0][0] for answer in sample["resps"]]
        assert [x["logprob"] for x in record["likelihoods"]] == pytest.approx(said, abs=1e-3)
    for ours, their in (("accuracy_sum", "acc"), ("accuracy_char", "acc_norm")):
        assert cell["metrics"][ours]["value"] == found["results"]["xcopa_zh_here"][f"{their},none"]
