"""Messages of the command line to mistakes of users, whole, in both languages: tests/fixtures/tables/messages.json.

Each says what is wrong, where, and what to do. <here> is the test's folder, <suite> that of evalsuite, <server> an endpoint that
refuses every key; <tables> and <benchmarks> are the names of all, so that a new one needs no change here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.analyses.table import TABLES
from evalsuite.backends.openai.faults import Server
from evalsuite.benchmarks.registry import BENCHMARKS
from evalsuite.common.resources import bundled

TABLE = Path(__file__).parent / "fixtures/tables/messages.json"
_EC = "corecode/data/easy/multiple_choice/test/Slot_Identification.jsonl"
_RUN = "run --model lexical --tasks SI --limit 1 --shots 0 --out new"
_HF = "models:\n  - {name: mine, backend: hf, path: ./weights}\n"
_API = "models:\n  - name: api\n    backend: openai\n    path: some-model\n    api: {base_url: http://127.0.0.1:9/v1, key_env: %s, attempts: 1}\n"

# name: (files to write, the command). `run` is a small run, `data` a copy of the sample.
MISTAKES: dict[str, tuple[dict[str, str], str]] = {
    "unknown command": ({}, "rnu"),
    "unknown flag": ({}, "run --limt 2"),
    "no number": ({}, "run --limit two"),
    "flag without a value": ({}, "run --limit"),
    "missing argument": ({}, "compare"),
    "one argument too many": ({}, "show run other"),
    "unknown model": ({}, "run --model lexicl"),
    "unknown task": ({}, "run --tasks event_cuase"),
    "unknown task without a near one": ({}, "run --tasks XYZ"),
    "unknown set": ({}, "run --model lexical --tasks SI --set medium --out new"),
    "unknown split": ({}, "run --model lexical --split validation --out new"),
    "unknown prompt": ({}, "run --model lexical --tasks SI --prompt plian --out new"),
    "unknown perturbation": ({}, "run --model lexical --tasks SI --perturb shufle --out new"),
    "unknown scoring": ({}, "run --model lexical --tasks SI --scoring label --out new"),
    "perturbation that makes no sense": ({}, "run --model lexical --tasks CKG --perturb shuffle --out new"),
    "shots that are no numbers": ({}, "run --model lexical --tasks SI --shots a,b --out new"),
    "negative shots": ({}, "run --model lexical --tasks SI --shots=-1 --out new"),
    "limit of nothing": ({}, "run --model lexical --tasks SI --limit 0 --out new"),
    "limit and items": ({"ids": "a"}, "run --model lexical --tasks SI --limit 1 --items ids --out new"),
    "until beyond sense": ({}, "run --model lexical --tasks SI --until 60 --out new"),
    "no models.yaml": ({}, "run --models mine.yaml"),
    "name of a benchmark in place of its file": ({}, "run --benchmark xcopa"),
    "an empty models.yaml": ({"mine.yaml": ""}, "models --models mine.yaml"),
    "models.yaml with a tab": ({"mine.yaml": "models:\n\t- name: a\n"}, "models --models mine.yaml"),
    "models.yaml with a wrong key": ({"mine.yaml": _HF.replace("path", "pth")}, "models --models mine.yaml"),
    "models.yaml with a wrong type": ({"mine.yaml": _HF.replace("}", ", chat: maybe}")}, "models --models mine.yaml"),
    "models.yaml with a wrong backend": ({"mine.yaml": _HF.replace("hf", "vlm")}, "models --models mine.yaml"),
    "models.yaml without a path": ({"mine.yaml": "models:\n  - {name: a, backend: hf}\n"}, "models --models mine.yaml"),
    "two models of one name": ({"mine.yaml": _HF + _HF.removeprefix("models:\n")}, "models --models mine.yaml"),
    "no folder of a model": ({"mine.yaml": _HF}, "run --models mine.yaml --tasks SI --limit 1 --out new"),
    "a hub id that is no folder": ({"mine.yaml": _HF.replace("./weights", "/nowhere/Qwen3")}, "run --models mine.yaml --tasks SI --limit 1 --out new"),
    "no key": ({"mine.yaml": _API % "NO_SUCH_KEY"}, "run --models mine.yaml --tasks SI --limit 1 --shots 0 --out new"),
    "a key that is refused": ({"mine.yaml": (_API % "null").replace("http://127.0.0.1:9/v1", "<server>")}, "run --models mine.yaml --tasks SI --set easy --limit 1 --shots 0 --out new"),
    "no server": ({"mine.yaml": _API % "null"}, "run --models mine.yaml --tasks SI --set easy --limit 1 --shots 0 --out new"),
    "budget without a price": ({"mine.yaml": _API % "null"}, "run --models mine.yaml --tasks SI --limit 1 --shots 0 --out new --budget 1"),
    "negative budget": ({}, "run --model lexical --tasks SI --budget=-1 --out new"),
    "no data folder": ({}, "run --model lexical --data nowhere --out new"),
    "data of another benchmark": ({"empty/x": ""}, "run --model lexical --tasks SI --data empty --out new"),
    "a line that is no JSON": ({f"data/{_EC}": '{"id": 1,\n'}, f"{_RUN} --data data"),
    "a line without a field": ({f"data/{_EC}": '{"id": "1"}\n'}, f"{_RUN} --data data"),
    "a list where a file holds objects": ({f"data/{_EC}": "[]\n"}, f"{_RUN} --data data"),
    "no folder of prompts": ({}, "run --model lexical --tasks SI --prompts nowhere --out new"),
    "a prompt with an unknown variable": ({"prompts/corecode/slot_identification/mine.j2": "{{ qestion }}"}, f"{_RUN} --prompt mine --prompts prompts"),
    "a prompt that does not end": ({"prompts/corecode/slot_identification/mine.j2": "{% if a %}"}, f"{_RUN} --prompt mine --prompts prompts"),
    "no run": ({"nowhere/x": ""}, "show nowhere"),
    "no run to score": ({"nowhere/x": ""}, "score nowhere"),
    "no folder, and one of a similar name": ({"runs/official/x": ""}, "show runs/oficial"),
    "a file as --out": ({"new": "x"}, _RUN),
    "results of another version": ({"run/results.json": '{"cells": 5}'}, "show run"),
    "results cut off": ({"run/results.json": '{"cells": ['}, "show run"),
    "a table that there is not": ({}, "show run --tables scroes"),
    "a model that the run has not": ({}, "compare run --models lexical,randm"),
    "an item that the run has not": ({}, "show run --item 12345"),
    "one model to compare": ({}, "compare run --models lexical"),
    "two models in two runs": ({}, "compare run run --models a,b"),
    "two settings at once": ({}, "compare run --shots 0,5 --prompt paper,plain"),
    "a file in place of a run": ({"mine": ""}, "show mine"),
    "a damaged store": ({"run/store.sqlite": "no database"}, "score run"),
    "a report without a file": ({"run/records": ""}, "report run"),
    "replies to parse without options": ({"p.jsonl": '{"output": "a", "options": ["x"]}\n'}, "parse p.jsonl"),
    "nothing to parse": ({}, "parse"),
    "nothing to score": ({"p.jsonl": ""}, "metrics p.jsonl"),
    "a text to score that is a number": ({"p.jsonl": '{"hyp": 5, "ref": "x"}\n'}, "metrics p.jsonl"),
    "an unknown tool": ({}, "export run --to parqet"),
    "a judge that is a baseline": ({}, "judge run --judge lexical"),
    "no judge": ({}, "judge run"),
    "training without the model": ({}, "finetune --model lexcal --tasks SI --sizes 10"),
    "marks that are none": ({"m.jsonl": "{}\n"}, "audit read m.jsonl --run run"),
    "a submission that is none": ({"sub/x": ""}, "submit check nowhere"),
    "annotations with a wrong key": ({"a.jsonl": '{"id": "1", "set": "easy", "dialouge": []}\n'}, "build tasks a.jsonl --out made"),
    "init over a file": ({"models.yaml": "x"}, "init --yes"),
    "data that cannot be fetched": ({}, "data pull nothing"),
    "requests over a folder": ({"req/x": ""}, "requests --model lexical --out req"),
    "no requests to read replies of": ({"req/x": ""}, "replies req run"),
}  # fmt: skip


@shared_folder
def run(folder: Path) -> Path:
    evalsuite.run(model=["lexical"], tasks=["slot_identification"], limit=2, shots=[0], out=folder / "run")
    return folder / "run"


@pytest.fixture(scope="module")
def refusing_server() -> Iterator[str]:
    with Server(mix={"401": 1.0}) as server:
        yield server.url


def error_output(cli: Any, language: str, words: str, expect: int | None = None) -> tuple[int, str]:
    """(exit code, what a command tells on stderr), without the frame of usage errors."""
    from unittest.mock import patch

    with patch.dict(os.environ, {"EVALSUITE_LANG": language, "COLUMNS": "400", "TERMINAL_WIDTH": "400"}):
        for name in ("EVALSUITE_DATA", "NO_SUCH_KEY"):
            os.environ.pop(name, None)
        for code in (2, 1, 0, 70) if expect is None else (expect,):
            try:
                stderr = cli(*words.split(), expect=code).stderr
            except AssertionError:
                if expect is not None:
                    raise
                continue
            framed = re.findall(r"│ (.*?) *│", stderr)
            # Progress has times.
            return code, "\n".join(framed) if framed else re.sub(r"(?m)^✓ .*\n?", "", stderr).strip()
    raise AssertionError(words)


def prepare_folder(folder: Path, made: Path, files: dict[str, str], server: str) -> None:
    shutil.copytree(made, folder / "run")
    if any(name.startswith("data/") for name in files):
        shutil.copytree(bundled("sample/data"), folder / "data/corecode/data")
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.rmtree(path)
        path.write_text(content.replace("<server>", server), "utf-8")


@pytest.mark.parametrize("name", MISTAKES)
def test_the_message_in_both_languages(
    name: str, run: Path, refusing_server: str, tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    files, words = MISTAKES[name]
    code, english, chinese = json.loads(TABLE.read_text("utf-8"))[name]
    for language, expected in (("en", english), ("zh", chinese)):
        folder = tmp_path / language
        folder.mkdir()
        prepare_folder(folder, run, files, refusing_server)
        monkeypatch.chdir(folder)
        assert error_output(cli, language, words, code) == (
            code,
            expected.replace("<here>", str(folder))
            .replace("<server>", refusing_server)
            .replace("<suite>", str(bundled("models.yaml").parent))
            .replace("<tables>", ", ".join(TABLES))
            .replace("<benchmarks>", ", ".join(BENCHMARKS)),
        )


def test_the_table_holds_these_mistakes() -> None:
    assert list(json.loads(TABLE.read_text("utf-8"))) == list(MISTAKES)


def test_every_chinese_message_is_in_chinese() -> None:
    """No sentence is left in English: three words in a row that are no names, paths or flags."""
    for name, (_, _, chinese) in json.loads(TABLE.read_text("utf-8")).items():
        plain = re.sub(r"（\w+Error: .*?）|`.*?`|'.*?'|\"[^\"]*\"", "", chinese)
        assert not re.search(r"\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b", plain), name
