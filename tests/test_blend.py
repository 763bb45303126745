"""BLEnD: items by the official filter, prompts and both scores as the release has them."""

from __future__ import annotations

import csv
import json
import re
import string
import types
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of

import evalsuite
from evalsuite.benchmarks.blend.metric import vote_score
from evalsuite.benchmarks.registry import TASKS, open_corpus
from evalsuite.common.resources import bundled
from evalsuite.prompt import Prompt
from evalsuite.types import Item

TASK = TASKS["blend_everyday"]


def items(folder: Path, wording: str = "paper") -> tuple[Item, ...]:
    found: tuple[Item, ...] = open_corpus("blend", folder).reworded(TASK, "china", "test", wording).items
    return found


def test_the_sample_by_the_official_filter() -> None:
    found = items(bundled("sample"))
    # 04 is not applicable.
    assert [item.id.split("/")[-1] for item in found] == [f"Al-zh-0{n}" for n in (1, 2, 3, 5, 6)]
    first = found[0]
    assert (first.references[:3], first.votes[:3], first.group) == (("火锅", "面条", "汤面"), (3, 2, 2), "Food")
    assert dict(zip(first.references, first.votes, strict=True))["noodle soup"] == 2
    assert items(bundled("sample"), "paper-en")[0].question.startswith("What dish")


def test_a_run_has_both_scores(tmp_path: Path) -> None:
    replies = {
        "Al-zh-01": "面条",
        "Al-zh-02": "踢毽子",
        "Al-zh-03": "在家",
        "Al-zh-05": "a red packet",
        "Al-zh-06": "两个小时。",
    }
    done = evalsuite.run(
        {"m": lambda request: replies[request.id.split("/")[-1]]}, tasks=["blend"], model=["m"], baselines=[],
        data="bundled:sample", out=tmp_path,
    )  # fmt: skip
    (cell,) = cells_of(done)
    assert cell["metrics"]["blend"]["value"] == pytest.approx(4 / 5)
    assert cell["metrics"]["blend_weighted"]["value"] == pytest.approx((2 / 3 + 1 + 0 + 1 + 2 / 3) / 5)
    before = (tmp_path / "results.json").read_bytes()
    evalsuite.score(tmp_path)
    assert (tmp_path / "results.json").read_bytes() == before


@pytest.mark.slow
def test_prompts_are_the_official_ones(official: Path) -> None:
    with (official / "data" / "prompts" / "China_prompts.csv").open(encoding="utf-8", newline="") as file:
        words = {row["id"]: row for row in csv.DictReader(file)}
    for wording, number, column in (
        ("paper", "inst-4", "Translation"), ("persona", "pers-3", "Translation"),
        ("paper-en", "inst-4", "English"), ("persona-en", "pers-3", "English"),
    ):  # fmt: skip
        prompt = Prompt(bundled("prompts"), TASK, wording)
        asked = items(official, wording)
        assert len(asked) == 473
        assert all(prompt.render(item) == words[number][column].replace("{q}", item.question) for item in asked), (
            wording
        )


@pytest.fixture
def official(real_data: Path) -> Path:
    if not (real_data / "blend").is_dir():
        pytest.skip("needs blend/, the official files, in EVALSUITE_DATA")
    return real_data / "blend"


def official_script(folder: Path) -> Any:
    """The release's exact_match module; modules that it imports, but that the Chinese part does not need, are empty. English
    words stand for their lemmas, as spaCy's model is not installed."""
    import jieba
    import pandas

    source = (folder / "evaluation" / "exact_match.py").read_text(encoding="utf-8")
    body = source[source.index("def lemma_check") :]
    utils = (folder / "evaluation" / "evaluation_utils.py").read_text(encoding="utf-8")
    parts = [utils[utils.index("def delete_prompt_from_answer") : utils.index("def get_nested_json_str")], body]
    module: dict[str, Any] = {
        "re": re, "jieba": jieba, "ud": unicodedata, "punctuation": string.punctuation,
        "spacy": types.SimpleNamespace(load=lambda name: _lemmas), "tqdm": lambda values, total: _Bar(values), "pd": pandas,
        "print": lambda *said: None,
    }  # fmt: skip
    exec("\n".join(parts), module)
    return module


def _lemmas(text: str) -> list[types.SimpleNamespace]:
    return [types.SimpleNamespace(lemma_=word) for word in re.findall(r"\w+|[^\w\s]", text)]


class _Bar:
    """tqdm's bar, which shows nothing."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __iter__(self) -> Any:
        return iter(self.values)

    def set_description(self, text: str) -> None: ...

    def set_postfix(self, values: Any) -> None: ...


@pytest.mark.thorough
def test_scores_are_those_of_the_official_script(official: Path) -> None:
    pandas = pytest.importorskip("pandas")
    script = official_script(official)
    annotations = json.loads((official / "data" / "annotations" / "China_data.json").read_text(encoding="utf-8"))
    asked = items(official)
    del annotations["New-en-04"]  # the annotation's question is blank
    styles = (
        lambda n, item: item.references[n % len(item.references)],
        lambda n, item: f"答案： 人们常说{item.references[-1]}，也有{item.references[0][:-1]}。",
        lambda n, item: asked[n - 1].references[0].upper(),
        lambda n, item: " ".join(reversed(item.references[n % len(item.references)].split())) + "s",
        lambda n, item: "" if n % 2 else "不知道",
    )
    for style in styles:
        replies = {item.id.split("/")[-1]: style(n, item) for n, item in enumerate(asked)}
        table = pandas.DataFrame({"ID": list(replies), "response": list(replies.values()), "prompt": "问题：\n答案："})
        binary, weighted, _ = script["soft_exact_match"](
            "China", "Chinese", annotations, table, "ID", "response", "annotations"
        )
        scores = [vote_score(item, replies[item.id.split("/")[-1]]) for item in asked]
        assert [100 * sum(column) / len(asked) for column in zip(*scores, strict=True)] == pytest.approx(
            [binary, weighted]
        )
