"""The lists of models that ship: every field is valid, and they say what docs and wheel promise of them."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from evalsuite.backends.model import Generation
from evalsuite.backends.models import load_models
from evalsuite.common.resources import bundled, packaged

ROOT = Path(__file__).parents[1]
LISTS = ["models.yaml", "models/paper.yaml", "models/chinese-2026.yaml"]


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_models(name: str) -> None:
    models = load_models(bundled(name))
    text = bundled(name).read_text(encoding="utf-8")
    assert not re.search(r"sk-|Bearer|api_key\b", text)  # a key belongs into the environment
    for model in models:
        if model.backend in ("hf", "vllm") and not Path(model.path).is_dir():
            assert re.fullmatch(r"[\w.-]+/[\w.-]+", model.path), "an id of the hub"
            assert f"- name: {model.name} " in text and re.search(
                rf"- name: {re.escape(model.name)} +# .*(GB|engine)", text
            )
        if model.backend == "openai":
            assert model.chat and (model.api.key_env or model.api.base_url.startswith("http://localhost:"))
        if "thinks" in model.tags:  # the limit leaves room for thoughts
            assert model.api.reasoning_tokens >= 4096 or (model.generation.max_new_tokens or 0) >= 2048
        if "experts" in model.tags:  # peft has no dropout for experts
            assert model.finetune.dropout == 0


def test_the_papers_fourteen_models() -> None:
    """models/paper.yaml has the paper's models under the names of the published figures, so that the rows of a run and of the
    paper are those of one model."""
    with packaged("benchmarks/corecode/published.csv").open(encoding="utf-8") as file:
        published = {row["model"] for row in csv.DictReader(file) if "LoRA" not in row["model"]}
    ours = {model.name: model for model in load_models(bundled("models/paper.yaml"))}
    assert len(ours) == 14 and set(ours) == published - {"Average"}
    for name in ("BELLE-7B-2M", "Chinese-Alpaca-Plus-7B"):  # a format of their own, and the settings of their cards
        assert ours[name].chat_template and ours[name].generation.temperature and ours[name].generation.top_k
    assert not ours["BLOOM-7.1B"].chat and ours["BLOOM-7.1B"].generation == Generation()


def test_models_of_2026_are_of_all_families() -> None:
    ours = load_models(bundled("models/chinese-2026.yaml"))
    assert len(ours) >= 20
    families = " ".join(model.path.lower() for model in ours)
    for family in (
        "qwen",
        "deepseek",
        "glm",
        "internlm",
        "yi-",
        "hunyuan",
        "minicpm",
        "llama",
        "gemma",
        "kimi",
        "doubao",
        "gpt",
    ):
        assert family in families


def test_lists_and_their_formats_are_in_the_wheel() -> None:
    shipped = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for path in [*LISTS, *(f"models/{p.name}" for p in (ROOT / "models").glob("*.jinja"))]:
        assert f'"{path}" = "evalsuite/bundle/{path}"' in shipped
