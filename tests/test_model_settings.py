"""Settings of single models: their own chat format and their own wording."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of

import evalsuite
from evalsuite.backends.checkpoint import Checkpoint
from evalsuite.backends.model import Model
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.common.errors import BackendError, PromptError
from evalsuite.finetuning.settings import Sweep
from evalsuite.finetuning.sweep import Pool, make_jobs
from evalsuite.types import Message, Request

REQUEST = Request("i/0", "甲", (Message("user", "甲"),), 4)
OWN = "{% for m in messages %}{{ '问：' + m.content + '\n答：' }}{% endfor %}"


def model_of(folder: Path, **more: Any) -> Model:
    return Model(**{"name": "m", "backend": "hf", "path": str(folder), "device": "cpu"} | more)


@pytest.mark.slow
def test_a_chat_template_of_the_model_replaces_the_checkpoints(tiny: Path, tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="needs evalsuite[hf]")
    theirs, ours = Checkpoint(model_of(tiny, chat=True)), Checkpoint(model_of(tiny, chat=True, chat_template=OWN))
    assert ours.text(REQUEST) == "问：甲\n答：" != theirs.text(REQUEST)
    assert (
        len({c.fingerprint() for c in (theirs, ours, Checkpoint(model_of(tiny, chat=True, chat_template=OWN + " ")))})
        == 3
    )
    for name in ("tokenizer.json", "tokenizer_config.json", "config.json"):
        (tmp_path / name).write_bytes((tiny / name).read_bytes())
    assert Checkpoint(model_of(tmp_path, chat=True, chat_template=OWN)).text(REQUEST) == "问：甲\n答："
    with pytest.raises(BackendError, match=r"model m: chat: true, but .* has no chat template; give it one"):
        Checkpoint(model_of(tmp_path, chat=True))


def test_models_that_differ_in_prompts_and_decoding_share_an_engine() -> None:
    others: list[dict[str, Any]] = [
        {"chat": True},
        {"chat": True, "chat_template": OWN},
        {"prompt": "plain"},
        {"system": "请用中文回答。"},
        {"shots": [5]},
        {"tasks": ["event_cause"]},
        {"generation": {"temperature": 0.7}},
        {"adapter": "lora"},
        {"name": "another", "tags": ["8B"]},
    ]
    assert {model_of(Path("m"), **more).engine_key for more in others} == {model_of(Path("m")).engine_key}


def test_models_that_differ_in_weights_or_their_engines_settings_share_none() -> None:
    others: list[dict[str, Any]] = [
        {"path": "another"},
        {"hub": "modelscope"},
        {"revision": "v2"},
        {"trust_remote_code": True},
        {"dtype": "float16"},
        {"device": "cuda"},
        {"vllm": {"max_model_len": 512}},
        {"vllm": {"engine": {"seed": 1}}},
    ]
    assert len({model_of(Path("m"), **more).engine_key for more in ({}, *others)}) == 1 + len(others)


def test_a_wording_of_the_model_overrides_the_runs(tmp_path: Path) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(
        "models:\n  - {name: lexical, backend: baseline, path: lexical, prompt: plain}\n"
        "  - {name: random, backend: baseline, path: random}\n"
    )
    asked: dict[str, Any] = {"tasks": ["event_cause"], "set": "easy", "limit": 1, "out": tmp_path / "out"}
    done = evalsuite.run(path, **asked)
    assert [(c["model"], c["variant"]) for c in cells_of(done)] == [("lexical", "plain"), ("random", "paper")]
    path.write_text(path.read_text().replace("plain", "plane"))
    with pytest.raises(PromptError, match=r"model lexical: prompt: unknown prompt of event_cause 'plane'.*'plain'"):
        evalsuite.run(path, **asked)


def test_a_wording_of_the_model_that_a_task_lacks(tmp_path: Path) -> None:
    """It is an error before any model is loaded, though other models have wordings of that task; a model that is not asked the
    task may have any."""
    own = tmp_path / "prompts" / "corecode" / "event_cause" / "mine.j2"
    own.parent.mkdir(parents=True)
    own.write_text("{{ question }}", encoding="utf-8")
    path = tmp_path / "models.yaml"
    entry = "  - {{name: lexical, backend: baseline, path: lexical, prompt: mine{0}}}\n"
    other = "  - {name: random, backend: baseline, path: random}\n"
    path.write_text("models:\n" + entry.format("") + other)
    asked: dict[str, Any] = {
        "tasks": ["event_cause", "slot_identification"], "set": "easy", "limit": 1, "prompts": tmp_path / "prompts", "out": tmp_path,
    }  # fmt: skip
    with pytest.raises(PromptError, match=r"model lexical: prompt: unknown prompt of slot_identification 'mine'"):
        evalsuite.run(path, **asked)
    path.write_text("models:\n" + entry.format(", tasks: [event_cause]"))
    done = evalsuite.run(path, **asked)
    assert [(cell["task"], cell["variant"]) for cell in cells_of(done)] == [("event_cause", "mine")]


def test_finetune_trains_on_the_models_wording(tiny: Path, sample: CorecodeCorpus, tmp_path: Path) -> None:
    pytest.importorskip("accelerate", reason="needs evalsuite[finetune]")
    tasks = ("event_cause",)
    pools = [Pool(tasks, tasks, tuple(sample.train("event_cause", "easy"))[:2], 0, {})]
    s = Sweep(model=["m"], tasks=["event_cause"], sizes=[2], out=tmp_path)
    rows = {}
    for name in (None, "plain"):
        (job,) = make_jobs(model_of(tiny, prompt=name), pools, s)
        assert job.made_by["prompt"] == (name or "paper") and job.model.prompt == name
        rows[name] = job.made_by["rows"]
    assert rows[None] != rows["plain"]
