"""Exported tasks, really run by lm-eval and inspect_ai on the embedded model: their prompts, replies and numbers are ours.

`make test-neighbours` sets up a venv that has them.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of

import evalsuite
from evalsuite.benchmarks import registry
from evalsuite.results.analysis import Results

WHY = "is not installed: make test-neighbours sets up a venv that has it"
TASKS = (
    "knowledge_filling", "conflict_detection", "event_cause",
    "cicero_single_answer", "cicero_all_answers", "cicero_cause", "cider_dnli", "cider_span_extraction",
    "glucose_specific_statement",
)  # fmt: skip
SETS = (
    "easy",
    "v1",
    "fold1",
    "d1",
)  # networks answer these; scripted replies cost less, and are those of both sets of CORECODE
LIMIT = 2  # items of each file
METRICS = (
    "accuracy", "paper.accuracy", "paper.parts", "f1", "em", "set_accuracy", "answer_f1", "answer_precision", "answer_recall", "bleu2",
    "meteor", "rouge_l", "cider", "macro_f1", "weighted_f1", "precision", "recall", "no_match", "sacrebleu", "contains",
)  # fmt: skip
GROUPS = {
    "corecode": ("", "_labels", "_texts"), "cicero": ("", "_labels", "_texts"), "cider": ("", "_labels", "_texts"),
    "glucose": ("",),
}  # fmt: skip
COMMON: dict[str, Any] = {"data": "bundled:sample", "tasks": TASKS, "set": ",".join(SETS), "limit": LIMIT}


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
    for cell in cells_of(ours):
        if (cell["model"], cell["scoring"]) == (model, scoring):
            lines = (ours.out / cell["records"]).read_text(encoding="utf-8").split("\n")
            task = registry.TASKS[cell["task"]]
            name = f"{task.benchmark}_{cell['set']}_{task.local}_{cell['variant'].replace('-', '_')}"
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
            tasks=[f"{name}_paper{end}" for name, ends in GROUPS.items() for end in ends],
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
        ("generate", {name: name for name in METRICS}),
        ("labels", {"accuracy": "accuracy"}),
        ("texts", {"accuracy_sum": "acc", "accuracy_char": "acc_norm"}),
    ],
)
@pytest.mark.parametrize("model", ["chat", "base"])
def test_lm_eval_gives_our_prompts_replies_and_numbers(
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
    assert len(mine) == (3 + 6 if scoring == "generate" else 1 + 2)
    for name, (cell, records) in mine.items():
        theirs = lm_eval_says[model]["results"][name + end]
        compared = {
            own: other for own, other in metrics.items() if own in cell["metrics"] and f"{other},none" in theirs
        }
        if model == "chat":
            # lm-eval adds the template's last line break to every option, but not to the lengths (docs/export.md).
            compared.pop("accuracy_char", None)
        assert set(compared) >= (headlines(cell) if scoring == "generate" else {"accuracy_sum"} & {*metrics})
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
            if scoring == "texts" and model == "chat":
                pairs = zip(sample["filtered_resps"], record["likelihoods"], strict=True)
                added = [said - own["logprob"] for (said, _), own in pairs]
                assert max(added) - min(added) < 1e-3


def headlines(cell: dict[str, Any]) -> set[str]:
    """The metrics of a cell that both must have. GLUCOSE's notebook counts rows that are no items."""
    return ({*registry.TASKS[cell["task"]].metrics} & {*cell["metrics"]}) - {"sacrebleu_notebook"}


def compare(log: Any, cell: dict[str, Any]) -> None:
    """Compare inspect_ai's numbers of a task with the numbers of our cell. Each headline has to be there, and no
    other number under our names."""
    means = {score.name: score.metrics["mean"].value for score in log.results.scores if "mean" in score.metrics}
    pooled = {
        n: m.value for score in log.results.scores if "mean" not in score.metrics for n, m in score.metrics.items()
    }
    assert "answered" in means and not {*means} & {*pooled}
    theirs = means | pooled
    assert set(theirs) >= headlines(cell)
    for name, value in theirs.items():
        if name != "answered":
            assert value == pytest.approx(cell["metrics"][name]["value"], abs=1e-9), (cell["task"], name)


def test_inspect_gives_our_prompts_replies_and_numbers(
    ours: Results, tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspect_ai = pytest.importorskip("inspect_ai", reason=f"inspect-ai {WHY}")
    folder = evalsuite.export("inspect", tmp_path / "inspect", shots=1, **COMMON)
    monkeypatch.chdir(folder)  # it looks for tasks below the working directory
    logs = inspect_ai.eval(
        [f"{name}.py" for name in GROUPS],
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
        compare(log, cell)
        samples = {sample.id: sample for sample in log.samples}
        for record in records:
            sample = samples[record["item"]]
            assert [(m.role, m.text) for m in sample.input] == [(m["role"], m["content"]) for m in record["messages"]]
            assert sample.output.completion == record["reply"]


SAID: dict[str, Any] = {
    **COMMON, "tasks": (*TASKS, "charm_sport", "charm_memory_sport", "xcopa", "c3_reading"), "set": f"hard,{COMMON['set']},chinese,zh,d",
    "limit": 12, "prompt": ["paper", "cot-en"],  # "cot-en" reasons first
}  # fmt: skip


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, dict[str, str]]:
    """A run with replies of all kinds, as tiny-zh hardly answers in English and does not reason. Prompt -> reply."""
    replies: dict[str, str] = {}
    for path in sorted((evalsuite.export("inspect", tmp_path_factory.mktemp("x") / "out", **SAID) / "data").iterdir()):
        lines = path.read_text(encoding="utf-8").split("\n")
        for n, row in enumerate(json.loads(line) for line in lines if line):
            target, wrong = (
                row["target"],
                row["options"][0] if row["options"] else (row["dialogue"] or [row["question"]])[0][:20],
            )
            # The paper's program does not know the fourth form.
            answers = (target, wrong, f"{target} and more", f"我觉得应该选{row['references'][0]}，这样更合适", "")
            reasoning = f"{wrong}.\n" if row["answer_after"] else ""
            replies[row["prompt"]] = reasoning + answers[n % len(answers)]
    run = evalsuite.run(
        {"said": lambda request: replies[request.prompt]}, out=tmp_path_factory.mktemp("r") / "run", **SAID
    )
    assert not run.problems
    return run, replies


def test_lm_eval_on_scripted_replies(said: tuple[Results, dict[str, str]], tmp_path: Path) -> None:
    pytest.importorskip("lm_eval", reason=f"lm-eval {WHY}")
    from lm_eval import simple_evaluate
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    run, replies = said

    class Scripted(LM):
        def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
            return [replies[request.args[0]] for request in requests]

        def loglikelihood(self, requests: list[Any], disable_tqdm: bool = False) -> Any:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    folder = evalsuite.export("lm-eval", tmp_path / "out", **SAID)
    mine = cells(run, "said", "generate")
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    found = simple_evaluate(Scripted(), tasks=list(mine), task_manager=manager, bootstrap_iters=0)["results"]
    between = set()
    for name, (cell, _) in mine.items():
        theirs = {key.removesuffix(",none"): value for key, value in found[name].items() if key.endswith(",none")}
        numbers = {own: value for own, value in theirs.items() if own in cell["metrics"]}
        assert set(numbers) >= headlines(cell)
        for own, value in numbers.items():
            assert value == pytest.approx(cell["metrics"][own]["value"], abs=1e-9), (name, own)
        between |= {own for own, value in numbers.items() if 0 < value < 1}
    assert between >= {*METRICS} - {"no_match", "cider"}


def test_inspect_on_scripted_replies(
    said: tuple[Results, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspect_ai = pytest.importorskip("inspect_ai", reason=f"inspect-ai {WHY}")
    from inspect_ai.model import ModelOutput, ModelUsage

    def reply(turns: list[Any], *_: Any) -> ModelOutput:
        output = ModelOutput.from_content("said", replies[turns[-1].text])
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # without it, a tokenizer is fetched
        return output

    run, replies = said
    folder = evalsuite.export("inspect", tmp_path / "out", **SAID)
    monkeypatch.chdir(folder)
    logs = inspect_ai.eval(
        [f"{name}.py" for name in (*GROUPS, "charm", "xcopa", "c3")],
        model="mockllm/said",
        model_args={"custom_outputs": reply},
        display="none",
        log_dir=str(tmp_path / "logs"),
    )
    mine = cells(run, "said", "generate")
    assert {log.eval.task.rpartition("/")[2] for log in logs} == set(mine)
    for log in logs:
        assert log.status == "success", log.error
        compare(log, mine[log.eval.task.rpartition("/")[2]][0])


def test_lm_eval_leaves_texts_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A column of dates would become one of times, if `datasets` read the file."""
    pytest.importorskip("lm_eval", reason=f"lm-eval {WHY}")
    folder = evalsuite.export("lm-eval", tmp_path / "out", data="bundled:sample", tasks=["event_cause"], limit=1)
    rows = [{"references": ["2008-08-08"], "gold": None, "layout": [], "target": f"2008-08-0{n}"} for n in (1, 2)]
    (folder / "data" / "dates.jsonl").write_text("\n".join(map(json.dumps, rows)))
    monkeypatch.syspath_prepend(str(folder))
    assert list(importlib.import_module("utils").data("data/dates.jsonl")["test"]) == rows


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
