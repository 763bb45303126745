"""Errors in models.yaml: each is reported with file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalsuite.backends.models import load_models
from evalsuite.common.errors import ConfigError
from evalsuite.common.resources import bundled

GOOD = "models:\n  - name: a\n    backend: hf\n    path: somewhere/model\n"

WRONG = [
    # text after GOOD, or the whole file; parts of the message
    ("    dtpye: float32\n", ["models.yaml:5: models[0].dtpye", "Did you mean 'dtype'"]),
    ("    dtype: float64\n", ["models.yaml:5: models[0].dtype", "'float64'"]),
    ("    chat: maybe\n", ["models.yaml:5: models[0].chat", "bool"]),
    ("    shots: [0, -1]\n", ["models.yaml:5: models[0].shots", "none negative"]),
    ("    generation: {max_tokens: 3}\n", ["models.yaml:5: models[0].generation.max_tokens", "max_new_tokens"]),
    ("    generation:\n      max_new_tokens: 0\n", ["models.yaml:6:", "greater than or equal to 1"]),
    (
        "  - {name: b, backend: vlm, path: x}\n",
        [
            "models.yaml:5: models[1].backend",
            "unknown backend 'vlm'. Did you mean 'vllm'? Known: baseline, scripted, hf, vllm, openai.",
        ],
    ),
    ("  - {name: b, backend: hf}\n", ["models[1].path", "required"]),
    ("  - {name: a, backend: hf, path: x}\n", ["two models are called 'a'"]),
    ("other: 1\n", ["models.yaml:5: other", "Known: models"]),
    (
        "    chat_template: '{{ messages }}'\n",
        ["models.yaml:5: models[0].chat_template", "no effect without chat: true"],
    ),
    (
        "    chat: true\n    chat_template: |\n      {% for m in messages %}\n      {% endif %}\n",
        ["models.yaml:6: models[0].chat_template: line 2: ", "endif"],
    ),
    (
        "    chat: true\n    chat_template: belle.jinja\n",
        ["models.yaml:6: models[0].chat_template: ", "belle.jinja: no such file"],
    ),
    (
        "  - {name: b, backend: openai, path: x, chat: true, chat_template: '{{ messages }}'}\n",
        ["models.yaml:5: models[1].chat_template: backend openai does not render chats"],
    ),
    ("    prompt: ''\n", ["models.yaml:5: models[0].prompt", "at least 1 character"]),
    ("    generation: {stop: ['']}\n", ["models.yaml:5: models[0].generation.stop[0]", "at least 1 character"]),
    ("  : :\n - [", ["models.yaml:5: not YAML"]),
]


@pytest.mark.parametrize(("more", "parts"), WRONG)
def test_a_mistake_is_named(tmp_path: Path, more: str, parts: list[str]) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(GOOD + more, encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        load_models(path)
    for part in parts:
        assert part in str(error.value)


@pytest.mark.parametrize("text", ["", "[]", "models: []", "models: 3"])
def test_files_without_models_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"models\.yaml"):
        load_models(path)


def test_paths_are_meant_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "somewhere" / "model").mkdir(parents=True)
    path = tmp_path / "models.yaml"
    path.write_text(GOOD + "  - {name: hub, backend: hf, path: org/model}\n", encoding="utf-8")
    local, hub = load_models(path)
    assert local.path == str(tmp_path / "somewhere" / "model")
    assert hub.path == "org/model"
    assert not local.trust_remote_code


def test_tasks_of_a_model_are_tasks(tmp_path: Path) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(GOOD + "    tasks: [SI, event_cause]\n", encoding="utf-8")
    assert load_models(path)[0].tasks == ["slot_identification", "event_cause"]
    path.write_text(GOOD + "    tasks: [event_couse]\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"models\.yaml:5: models\[0\]\.tasks: .*Did you mean 'event_cause'"):
        load_models(path)


def test_models_are_chosen_by_name(tmp_path: Path) -> None:
    assert [m.name for m in load_models(bundled("models.yaml"), ["lexical"])] == ["lexical"]
    with pytest.raises(ConfigError, match=r"unknown model 'tiny'.*Did you mean 'tiny-zh'"):
        load_models(bundled("models.yaml"), ["tiny"])
    with pytest.raises(ConfigError, match="no such file"):
        load_models(tmp_path / "nowhere.yaml")


def test_a_chat_template_is_a_text_or_a_file_beside_models_yaml(tmp_path: Path) -> None:
    text = "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% break %}{% endfor %}"
    (tmp_path / "turns.jinja").write_text(text, encoding="utf-8")
    path = tmp_path / "models.yaml"
    path.write_text(GOOD + "    chat: true\n    chat_template: turns.jinja\n", encoding="utf-8")
    (model,) = load_models(path)
    assert model.chat_template == text
    (tmp_path / "turns.jinja").write_text("{% for %}", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"models\.yaml:6: models\[0\]\.chat_template: .*turns\.jinja:1: "):
        load_models(path)
