"""Paths of models: a mistyped folder is reported at once, before any model is loaded and before a hub is asked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from evalsuite.backends.model_paths import is_hub_id, missing, require_present
from evalsuite.backends.models import load_models
from evalsuite.common.errors import ConfigError
from evalsuite.evaluation.preview import tokenizer_named


def _models(folder: Path, *entries: str) -> Path:
    file = folder / "models.yaml"
    file.write_text("models:\n" + "".join(f"  - {{{entry}}}\n" for entry in entries), encoding="utf-8")
    return file


PATHS = ["/nowhere/qwen", "./qwen", "../qwen", "qwen", "a/b/c", "models/qwn", "~nobody/x"]


@pytest.mark.parametrize("path", PATHS)
def test_what_looks_like_a_path_is_no_hub_id(tmp_path: Path, path: str) -> None:
    (tmp_path / "models" / "qwen").mkdir(parents=True)
    (model,) = load_models(_models(tmp_path, f'name: m, backend: hf, path: "{path}"'))
    with pytest.raises(ConfigError, match="model m: path: no such folder: "):
        require_present([model])


def test_the_nearest_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "models" / "qwen3-8b").mkdir(parents=True)
    (model,) = load_models(_models(tmp_path, "name: m, backend: vllm, path: models/qwen3_8b"))
    assert f"Did you mean {tmp_path / 'models' / 'qwen3-8b'}?" in str(missing(model))


@pytest.mark.parametrize(
    "entry",
    [
        "backend: hf, path: Qwen/Qwen3-8B",
        "backend: vllm, path: THUDM/chatglm-6b",
        "backend: hf, path: gpt2, revision: main",
        "backend: hf, path: models/of-an-owner, revision: main",
        "backend: hf, path: here",
        "backend: hf, path: bundled:models/tiny-zh",
        "backend: openai, path: gpt-5",
        "backend: baseline, path: random",
        "backend: hf, path: here, adapter: owner/lora",
    ],
)
def test_hub_ids_and_what_is_there_pass(tmp_path: Path, entry: str) -> None:
    for name in ("models", "here"):
        (tmp_path / name).mkdir()
    require_present(load_models(_models(tmp_path, f"name: m, {entry}")))


def test_adapters_and_reply_files_too(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    file = _models(
        tmp_path, "name: a, backend: hf, path: here, adapter: ./lora", "name: b, backend: scripted, path: replies.jsonl"
    )
    with pytest.raises(ConfigError) as error:
        require_present(load_models(file))
    assert "model a: adapter: no such folder: " in str(error.value)
    assert "model b: path: no such file: " in str(error.value) and "hub" not in str(error.value).splitlines()[1]


def test_the_revision_of_the_base_makes_no_adapter_a_hub_id(tmp_path: Path) -> None:
    (tmp_path / "adapters").mkdir()
    for adapter in ("adapters/mistyped", "mistyped"):
        entry = f"name: m, backend: hf, path: gpt2, revision: main, adapter: {adapter}"
        (model,) = load_models(_models(tmp_path, entry))
        wrong = missing(model)
        assert wrong == f"adapter: no such folder: {tmp_path / adapter}. A hub id is OWNER/NAME."


def test_from_the_folder_in_which_one_stands(tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _models(tmp_path, "name: m, backend: hf, path: ./qwen")
    done = cli("run", "--models", "models.yaml", expect=2)
    assert f"no such folder: {tmp_path / 'qwen'}" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("path", ["./mistyped", "/mistyped", "mistyped", "models/mistyped"])
def test_a_run_says_it_before_anything_else(tmp_path: Path, cli: Any, path: str) -> None:
    """The run ends before it writes anything or loads a model of the file. It does not ask the hub: that would fail with another
    error."""
    (tmp_path / "models").mkdir()
    models = _models(tmp_path, "name: fine, backend: baseline, path: random", f"name: gone, backend: hf, path: {path}")
    run = tmp_path / "run"
    done = cli("run", "--models", models, "--limit", "1", "--out", run, expect=2)
    assert "error: model gone: path: no such folder: " in done.stderr and not run.exists()
    cli("run", "--models", models, "--model", "fine", "--tasks", "EC", "--limit", "1", "--out", run)


@pytest.mark.slow
def test_a_tokenizer_may_be_named_as_its_model(cli: Any) -> None:
    pytest.importorskip("transformers", reason="needs evalsuite[hf]")
    assert tokenizer_named("tiny-zh", "bundled:models.yaml").endswith(os.path.join("models", "tiny-zh"))
    assert tokenizer_named("random", "bundled:models.yaml") == "random"  # has no tokenizer
    words = ["preview", "--model", "tiny-zh", "--tasks", "event_cause", "--set", "easy", "--limit", "1", "--tokenizer"]
    assert "prompt tokens" in cli(*words, "tiny-zh").stdout
    done = cli(*words, "tiny-zz", expect=2)
    assert "--tokenizer tiny-zz: no model of --models on hf or vllm has this name, and no such folder" in done.stderr


def test_ids_of_hubs_are_told_from_paths() -> None:
    here = Path("/nowhere")
    assert is_hub_id("org/model", here) and is_hub_id("01-ai/Yi-1.5-9B", here)
    assert not any(is_hub_id(path, here) for path in ("org/", "/org/model", "-x/y", "a b/c", "C:\\models\\x"))
