"""`evalsuite parse` and `evalsuite metrics` on files, and comparing two models of a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of
from run_files import write_jsonl

import evalsuite
from evalsuite.benchmarks.corecode.loader import path_of
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.evaluation.plan import prepare
from evalsuite.exchange.batch import metric_lines, parse_rows, read_rows
from evalsuite.metrics.statistics import FEWEST, holm
from evalsuite.results.compare import compare
from evalsuite.results.store import Store
from evalsuite.types import Cell, Item, Place, Request, Response, Trial


def test_parse_adds_what_was_read(tmp_path: Path) -> None:
    options = {"(a)": "科幻片", "(b)": "恐怖片"}
    rows = [
        {"id": 1, "task": "ckf", "options": options, "output": "我选（b）。"},
        {"id": 2, "task": "ckf", "options": options, "output": "都不对"},
        {"id": 3, "task": "eci", "output": "答案是：摔倒了。", "question": "原因是什么？"},
    ]
    one, two, three = parse_rows(read_rows(write_jsonl(tmp_path / "f.jsonl", *rows)))
    assert (one["choice"], one["status"], one["id"]) == ("(b)", "parsed", 1)
    assert "b" in one["output"][one["start"] : one["end"]]
    assert (two["choice"], two["status"]) == (None, "unparsed")
    assert (three["text"], three["output"][three["start"] : three["end"]]) == ("摔倒了", "摔倒了")


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"options": {}}, "output"),
        ({"output": 3}, "output"),
        ({"output": "a", "options": ["x"]}, "options"),
        ({"output": "a", "finish": 3}, "finish"),
        ({"output": "a", "dialogue": "A: 好。"}, "dialogue"),
        ({"output": "a", "dialogue": ["A: 好。", 3]}, "dialogue"),
        ({"output": "a", "question": ["为什么？"]}, "question"),
    ],
)
def test_lines_that_cannot_be_parsed_are_named(tmp_path: Path, row: object, field: str) -> None:
    with pytest.raises(DataError) as error:
        list(parse_rows(read_rows(write_jsonl(tmp_path / "f.jsonl", {"output": "a"}, row))))
    assert (error.value.line, error.value.field) == (2, field)


def test_metrics_of_a_file(tmp_path: Path) -> None:
    found = metric_lines(
        write_jsonl(tmp_path / "m.jsonl", {"hyp": "很好看", "ref": "好看"}, {"hyp": "x", "refs": ["x", "y"]})
    )
    assert found["items"] == 2
    assert found["profiles"]["default"]["em"]["value"] == 0.5
    assert found["profiles"]["paper"]["bleu1"]["signature"].startswith("bleu1|nrefs:var|")
    for bad, field in (({"ref": "a"}, "hyp"), ({"hyp": "a"}, "ref"), ({"hyp": "a", "refs": []}, "ref")):
        with pytest.raises(DataError) as error:
            metric_lines(write_jsonl(tmp_path / "m.jsonl", bad))
        assert error.value.field == field


UNITS = [
    # --tokens, BLEU-1 of 很好 看 against 好 看: by characters 2 of 3, by words as blanks part them 1 of 2
    ("char", 2 / 3),
    ("none", 1 / 2),
    ("13a", 1 / 2),
    ("zh", 2 / 3),
]


@pytest.mark.parametrize(("tokens", "bleu1"), UNITS)
def test_metrics_on_any_units(tmp_path: Path, cli: Callable[..., Any], tokens: str, bleu1: float) -> None:
    file = write_jsonl(tmp_path / "m.jsonl", {"hyp": "很好 看", "ref": "好 看"})
    content = json.loads(cli("metrics", file, "--tokens", tokens).stdout)["profiles"]
    assert list(content) == [f"tokens:{tokens}"] and content[f"tokens:{tokens}"]["bleu1"]["value"] == pytest.approx(
        bleu1
    )
    both = json.loads(cli("metrics", file, "--tokens", tokens, "--profile", "rouge_chinese").stdout)["profiles"]
    assert list(both) == ["rouge_chinese", f"tokens:{tokens}"]


def test_unknown_units_are_named(tmp_path: Path, cli: Callable[..., Any]) -> None:
    file = write_jsonl(tmp_path / "m.jsonl", {"hyp": "a", "ref": "a"})
    assert "Did you mean 'jieba'" in cli("metrics", file, "--tokens", "jeiba", expect=2).stderr


@pytest.mark.slow
def test_two_models_of_a_run_are_compared(tmp_path: Path) -> None:
    models = tmp_path / "models.yaml"
    models.write_text(
        "models:\n" + "".join(f"  - {{name: {n}, backend: baseline, path: {p}}}\n" for n, p in
                              (("gold", "oracle"), ("same", "oracle"), ("chance", "random")))
    )  # fmt: skip
    evalsuite.run(models, tasks=["knowledge_filling", "event_cause"], set="hard", out=tmp_path / "run")
    better = compare(tmp_path / "run", "gold", "chance")
    assert [(r.task, r.test) for r in better] == [("event_cause", "permutation"), ("knowledge_filling", "permutation")]
    for row in better:
        assert row.a == 1.0 and row.low > 0 and row.p_holm < 0.05
        assert row.difference == pytest.approx(row.a - row.b)
        assert row.low <= row.difference <= row.high
        assert row.flips and all(f.a_score > f.b_score for f in row.flips)
        assert row.dialogues == 16
    for row in compare(tmp_path / "run", "gold", "same"):
        assert (row.difference, row.p, row.flips) == (0.0, 1.0, ())
    with pytest.raises(ConfigError, match="Known: chance, gold, same"):
        compare(tmp_path / "run", "gold", "nobody")


def test_comparing_on_items_that_stand_alone(tmp_path: Path) -> None:
    talks = [
        "今天怎么回来得这么晚？",
        "地铁坏在半路上了。",
        "这部电影你看过没有？",
        "明天要考试，我还没复习。",
        "冰箱里什么吃的都没有。",
        "周末去爬山好不好？",
        "老板又让我加班到半夜。",
        "我的手机掉进水里了。",
    ]
    items = [
        Item(f"i/{n}", "knowledge_filling", "easy", "test", (f"A: {talk}",), "请选择。", ("科幻片", "恐怖片"), ("(a)", "(b)"), 1, ("恐怖片",))
        for n, talk in enumerate(talks)
    ]  # fmt: skip
    with Store(tmp_path / "store.sqlite") as store:
        for model, replies in (("good", "abbbbbbb"), ("poor", "baabaaba")):
            trials = [(f"{model}{n}", Trial(i, Request(i.id, "", (), 8, labels=i.labels, options=i.options), "paper")) for n, i in enumerate(items)]  # fmt: skip
            store.plan(Cell(Place(model, "knowledge_filling", "easy", "test", "paper", 0), {}), trials)
            store.put((key, Response(reply, "stop")) for (key, _), reply in zip(trials, replies, strict=True))
    (row,) = compare(tmp_path, "good", "poor")
    assert (row.test, row.items, row.dialogues, row.a, row.b, row.difference) == ("McNemar", 8, 8, 7 / 8, 3 / 8, 0.5)
    assert row.p == row.p_holm == pytest.approx(2 * (1 + 6) / 2**6)  # five against one
    won = [(f"i/{n}", "b", "a") for n in (1, 2, 4, 5, 7)]
    assert [(f.item.id, f.a, f.b) for f in row.flips] == [*won, ("i/0", "a", "b")]


def test_perturbed_cells_do_not_take_the_plain_ones_significance(tmp_path: Path) -> None:
    """Rows that are asked in one way are corrected together, whatever else was asked."""
    evalsuite.run(model=["lexical", "random"], tasks=["knowledge_filling", "event_cause"], perturb=["none", "shuffle"], limit=8, out=tmp_path / "run")  # fmt: skip
    rows = compare(tmp_path / "run", "lexical", "random")
    assert {row.perturb for row in rows} == {"none", "shuffle"}
    for perturb in ("none", "shuffle"):
        family = {row.task + row.set: row for row in rows if row.perturb == perturb}
        assert {name: row.p_holm for name, row in family.items()} == holm({n: row.p for n, row in family.items()})
    for row in rows:
        assert row.low < row.high and (row.low < 0 < row.high or row.p < 0.05 or 0 in (row.low, row.high))
        assert row.p >= 0.05 or row.differ >= FEWEST


def test_few_items_are_said_to_be_too_few(tmp_path: Path, cli: Callable[..., Any]) -> None:
    evalsuite.run(model=["lexical", "random"], tasks=["knowledge_filling"], set="easy", limit=4, out=tmp_path / "run")
    stdout = cli("compare", tmp_path / "run", "--models", "lexical,random", COLUMNS="200").stdout
    assert "1.000?" in stdout and "too few to tell" in stdout and "p Holm of no row can be below 1.000" in stdout


def test_leaked_items_are_counted_among_those_asked_for(tmp_path: Path) -> None:
    dialogue = [f"A: 第{n}段的第一句，说的是一件事情。" for n in range(5)]
    dialogues = [[turn, f"{turn}别的人也听见了，", f"{turn}后来大家都知道了。"] for turn in dialogue]
    for split, some in (("train", dialogues[::2]), ("test", dialogues)):
        path = path_of(tmp_path / "data", TASKS["event_cause"], "easy", split)
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = (
            {"id": n, "dialogue": d, "question": "事件“x笑”的原因是什么？", "answer": "x高兴"}
            for n, d in enumerate(some)
        )
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    for settings, left, leaked in (({}, 5, 3), ({"limit": 2}, 2, 1), ({"drop_leaked": True}, 2, 3), ({"drop_leaked": True, "limit": 1}, 1, 1)):  # fmt: skip
        _, _, _, (found,) = prepare("bundled:models.yaml", model=["random"], data=tmp_path, tasks=["event_cause"], out=tmp_path / "run", **settings)  # fmt: skip
        assert (len(found.items), found.leaked) == (left, leaked), settings
    ids = tmp_path / "ids.txt"
    ids.write_text("corecode/easy/test/event_cause/0\ncorecode/easy/test/event_cause/1\n")
    for drop_leaked, left in ((False, 2), (True, 1)):
        _, _, _, (found,) = prepare("bundled:models.yaml", model=["random"], data=tmp_path, tasks=["event_cause"], out=tmp_path / "run", items=ids, drop_leaked=drop_leaked)  # fmt: skip
        assert (len(found.items), found.leaked) == (left, 1)


@pytest.mark.slow
def test_leaked_items_are_counted_and_dropped(real_data: Path, tmp_path: Path) -> None:
    settings = {"tasks": ["subsequent_event"], "set": "easy", "model": ["random"], "data": real_data / "corecode"}
    (cell,) = cells_of(evalsuite.run(**settings, out=tmp_path / "all"))
    (fewer,) = cells_of(evalsuite.run(**settings, drop_leaked=True, out=tmp_path / "dropped"))
    # 61 of 153 dialogues stand in train word for word (the snapshot's README); near-copies come on top.
    assert cell["items"] == 163 and cell["facts"]["leaked"] >= 61
    assert fewer["items"] == 163 - cell["facts"]["leaked"]
    assert "leaked:dropped" in fewer["metrics"]["f1"]["signature"]
