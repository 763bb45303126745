"""XCOPA and C3 as benchmark files ask what loaders in Python asked, whose hashes of items and prompts are in
fixtures/benchmarks/recorded.json. The wordings plain and cot are left out: they have other words than at that time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from evalsuite.benchmarks.registry import BENCHMARKS, Corpora
from evalsuite.common.resources import bundled
from evalsuite.prompt import Prompt, wordings
from evalsuite.types import Item

RECORDED: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "fixtures" / "benchmarks" / "recorded.json").read_text(encoding="utf-8")
)


def digest(values: Iterable[Any]) -> str:
    lines = (json.dumps(value, ensure_ascii=False, sort_keys=True) + "\n" for value in values)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def fields_of(item: Item) -> dict[str, Any]:
    """The fields that items had when they were recorded."""
    return {name: value for name, value in asdict(item).items() if name != "votes"}


def assert_as_recorded(corpora: Corpora, place: str, recorded: Any) -> None:
    benchmark, item_set, split, local = place.split("/")
    task = BENCHMARKS[benchmark].task(local)
    file = corpora.file(task, item_set, split)
    assert (file.sha256, len(file.items)) == (recorded["file"], recorded["count"])
    assert digest(fields_of(item) for item in file.items) == recorded["items"]
    assert {*wordings(bundled("prompts"), task)} >= {*recorded["prompts"]}  # later wordings are no change
    for wording, known in recorded["prompts"].items():
        prompt = Prompt(bundled("prompts"), task, wording, corpora.given(task, item_set, wording))
        items = corpora.reworded(task, item_set, split, wording).items
        assert digest([prompt.render(item), prompt.target(item)] for item in items) == known, wording


@pytest.mark.parametrize("place", RECORDED["sample"])
def test_the_sample_is_asked_as_before(place: str) -> None:
    assert_as_recorded(Corpora(bundled("sample")), place, RECORDED["sample"][place])


@pytest.mark.thorough
@pytest.mark.parametrize("place", RECORDED["official"])
def test_the_official_files_are_asked_as_before(place: str, real_data: Path) -> None:
    if not (real_data / place.split("/")[0]).is_dir():
        pytest.skip("needs the official files in EVALSUITE_DATA")
    assert_as_recorded(Corpora(real_data), place, RECORDED["official"][place])
