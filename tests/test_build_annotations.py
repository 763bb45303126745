"""Annotations files: what `evalsuite build check` says of each mistake; a model's proposals; the schema."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from run_files import read_jsonl, write_jsonl
from typer.testing import CliRunner

from evalsuite.authoring import annotation_page, read_annotations
from evalsuite.authoring.annotations import check_dialogues, edit_distance, load_rules
from evalsuite.authoring.suggest import _objects
from evalsuite.benchmarks.corecode.ontology import ontology, slots
from evalsuite.cli.build import build
from evalsuite.common.dialogue import asked_event
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.resources import bundled
from tools.generated.schemas import json_schema

# fmt: skip.
ROW: dict[str, Any] = {
    "id": "1",
    "set": "easy",
    "dialogue": ["A: 我的充电宝充不进电了。", "B: 是摔过还是进过水？", "A: 昨天掉进洗脸池里了。"],
}
ONE: dict[str, Any] = {
    "dimension": "事件", "instance": "A的充电宝充不进电", "domain": "原因", "slot": "事件原因", "value": "A的充电宝进了水",
    "evidence": ["昨天掉进洗脸池里了"], "phrase": "掉进洗脸池", "conflict1": "掉进被窝", "conflict2": "一直锁在抽屉没动过",
}  # fmt: skip


def annotated_row(**change: Any) -> dict[str, Any]:
    return {**ROW, "annotations": [ONE | change]}


# change of one annotation, the field that is named, words of the message
WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"dimension": "物体"}, "dimension", "no dimension; choose one of 实体, 事件, 社会交往"),
    ({"domain": "属性"}, "domain", "no domain of “事件”"),
    ({"slot": "频率"}, "slot", "no slot of “原因”; choose one of 事件原因"),
    ({"instance": ""}, "instance", "is empty"),
    ({"value": "进了水 "}, "value", "blanks"),
    ({"value": "x的充电宝进了水"}, "value", "the EASY set says A and B"),
    ({"value": "A的充电宝充不进电"}, "value", "the same as the instance"),
    ({"value": "开心"}, "value", "not an event"),
    ({"value": "昨天晚上八点"}, "value", "not an event"),
    ({"value": "抽屉里"}, "value", "not an event"),
    ({"evidence": ["昨天掉到"]}, "evidence[0]", "does not stand in the dialogue"),
    ({"evidence": ["昨天掉进洗脸池里了", "过"]}, "evidence[1]", "stands 2 times"),
    ({"phrase": "掉进水池"}, "phrase", "does not stand in the dialogue"),
    ({"phrase": "了", "evidence": []}, "phrase", "stands 2 times"),
    ({"phrase": "了", "evidence": ["充不进电了", "洗脸池里了"]}, "phrase", "stands 2 times"),
    ({"phrase": "我", "evidence": ["他和我"]}, "evidence[0]", "does not stand"),
    ({"evidence": ["进过水"]}, "phrase", "in none of the evidence spans"),
    ({"conflict1": "掉进洗脸池"}, "conflict1", "the phrase itself"),
    ({"conflict1": "飞到天花板"}, "conflict1", "changes 5 characters"),
    ({"conflict2": "掉进洗脸池"}, "conflict2", "the phrase itself"),
    ({"conflict2": "掉进被窝"}, "conflict2", "conflict phrase 1 again"),
    ({"conflict2": "掉进脸盆"}, "conflict2", "as much as it can"),
    ({"proposed": True, "proposer": "gpt"}, "proposed", "a proposal of gpt that no person has accepted"),
    ({"colour": "red"}, "colour", "unknown key"),
    ({"phrase": 5}, "phrase", "string"),
]


@pytest.mark.parametrize(("change", "field", "message"), WRONG, ids=[f"{w[1]}-{w[2][:20]}" for w in WRONG])
def test_mistakes_are_named(tmp_path: Path, change: dict[str, Any], field: str, message: str) -> None:
    file = write_jsonl(tmp_path / "a.jsonl", {**ROW, "id": "0", "annotations": []}, annotated_row(**change))
    found = [e for e in check_dialogues(file)[1] if e.field == f"annotations[0].{field}"]
    assert found and found[0].line == 2 and message in found[0].message
    with pytest.raises(DataError, match=re.escape(f"{file}:2")):
        read_annotations(file)


RIGHT: list[dict[str, Any]] = [
    {}, {"evidence": []}, {"value": "桥塌了"}, {"value": "手机掉进鱼缸里"}, {"value": "B累"}, {"slot": "时间原因", "value": "昨天晚上"},
    {"evidence": ["充不进电了"], "phrase": "了", "conflict1": "呢", "conflict2": "那可不"},  # once in its evidence, twice in all
    {"conflict1": "跳出洗脸池"}, {"phrase": "昨天", "conflict1": "明年", "conflict2": "恐龙还在的时候"},
]  # fmt: skip


@pytest.mark.parametrize("change", RIGHT)
def test_right_annotations_have_no_problem(tmp_path: Path, change: dict[str, Any]) -> None:
    assert check_dialogues(write_jsonl(tmp_path / "a.jsonl", annotated_row(**change)))[1] == []


def test_lines_as_a_whole(tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "a.jsonl", annotated_row(), {**ROW, "annotations": [ONE, ONE], "nothing": True}, {**ROW, "set": "medium", "annotations": []})  # fmt: skip
    assert [(e.line, e.field) for e in check_dialogues(file)[1]] == [
        (2, "id"),
        (2, "nothing"),
        (2, "annotations[1]"),
        (3, "set"),
    ]
    result = CliRunner().invoke(build, ["check", str(file)])
    assert result.exit_code == 2 and f"{file}:2: field 'id': dialogue “1” stands in line 1 already" in result.output
    assert "2 dialogues, 3 annotations, 4 problems" in result.output


def test_the_sample_keeps_to_the_rules_and_the_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="needs evalsuite[dev]")
    file = bundled("sample") / "annotations.jsonl"
    dialogues, wrong = check_dialogues(file)
    assert not wrong and sum(len(d.annotations) for d in dialogues) == len(read_annotations(file)) > 500
    validator = jsonschema.Draft202012Validator(json_schema("annotation"))
    rows = read_jsonl(file)
    assert all(map(validator.is_valid, rows)) and validator.is_valid(annotated_row(proposed=True))
    assert not validator.is_valid(annotated_row(colour="red")) and not validator.is_valid(
        annotated_row(evidence="text")
    )


def test_official_answers_are_events(real_data: Path) -> None:
    """People wrote these: the rule may refuse bare feelings and times (the data's README counts them as slips), no more."""
    answers, refused, speakers = 0, [], 0
    for item_set in ("easy", "hard"):
        for file in sorted((real_data / "corecode" / "data" / item_set).rglob("*.jsonl")):
            for line in file.read_text(encoding="utf-8").splitlines() if "Clipped" not in file.name else ():
                row = json.loads(line)
                answers += 1
                refused += [row["answer"] for p in load_rules()["no_events"] if re.search(p, row["answer"])]
                texts = row["answer"], asked_event(row["question"]) or ""
                speakers += any(re.search(load_rules()["speakers"][item_set], text) for text in texts)
    assert answers > 9000 and len(refused) / answers < 0.0025 and speakers == 0
    assert max(map(len, refused)) <= 4


@pytest.mark.parametrize(
    "pair", [("", ""), ("", "ab"), ("kitten", "sitting"), ("用热水泡着", "用冷风吹着"), ("abcdef", "azced")]
)
def test_edit_distance_is_nltks(pair: tuple[str, str]) -> None:
    nltk = pytest.importorskip("nltk", reason="needs evalsuite[dev]")
    assert edit_distance(*pair) == nltk.edit_distance(*pair)


def test_the_ontology_is_described_in_both_languages() -> None:
    entries = [
        x for b in ontology() for x in (b["dimension"], *(y for d in b["domains"] for y in (d["name"], *d["slots"])))
    ]
    assert len(entries) == 3 + 9 + 37 and len(slots()) == 37
    assert all(re.search("[一-鿿]", x["description_zh"]) and x["description"].isascii() for x in entries)


# content of the page's input, words of the error
UNREADABLE = [
    ([{"id": "1", "dialogue": "A: 你好。"}], "list of turns"),
    ([{"id": "1", "dialogue": []}], "list of turns"),
    ([ROW, ROW], "stands in the file already"),
    ([{**ROW, "set": "medium"}], "easy"),
    ([], "no dialogues"),
]


@pytest.mark.parametrize(("rows", "message"), UNREADABLE)
def test_dialogues_that_cannot_be_annotated(tmp_path: Path, rows: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        annotation_page.load_dialogues(write_jsonl(tmp_path / "d.jsonl", *rows))


def test_dialogues_of_other_tools(tmp_path: Path) -> None:
    """Keys that are not ours are left out; what was annotated before stays."""
    file = write_jsonl(tmp_path / "d.jsonl", {"id": 7, "dialogue": ["A: 你好。"], "matches": [1]}, annotated_row())
    one, two = annotation_page.load_dialogues(file, "hard")
    assert (one.id, one.set, one.annotations) == ("7", "hard", []) and (two.set, len(two.annotations)) == ("easy", 1)


def test_a_dialogue_whose_id_is_null_gets_its_lines_number(tmp_path: Path) -> None:
    rows = [
        {"id": None, "dialogue": ["A: 你好。"]},
        {"id": None, "dialogue": ["A: 再见。"]},
        {"id": 0, "dialogue": ["A: 嗯。"]},
    ]
    loaded = annotation_page.load_dialogues(write_jsonl(tmp_path / "d.jsonl", *rows))
    assert [dialogue.id for dialogue in loaded] == ["1", "2", "0"]


def test_a_reply_nested_too_deeply_holds_no_object() -> None:
    assert list(_objects('{"a": 1}' + '{"a": ' * 10_000)) == [{"a": 1}]


def test_unusable_proposals_are_left_out(tmp_path: Path) -> None:
    """An endpoint writes prose, a fence, an unknown slot and a cut object. Only a whole annotation becomes a proposal, and the
    check refuses it until a person has accepted it."""
    for package in ("openai", "tenacity", "aiolimiter"):
        pytest.importorskip(package, reason="needs evalsuite[openai]")
    from evalsuite.backends.openai.faults import Server

    objects = [ONE | {"evidence": ["昨天掉进洗脸池里了", "没有的话"]}, ONE | {"slot": "颜色"}, ONE | {"value": " "}]
    said = f'好的，标注如下：\n```json\n{json.dumps(objects, ensure_ascii=False)[:-1]}, {{"dimension": '
    file = write_jsonl(tmp_path / "d.jsonl", ROW, {**annotated_row(), "id": "2"})
    models = tmp_path / "models.yaml"
    with Server(latency=0, reply=lambda body: said) as server:
        api = f"base_url: '{server.url}', key_env: null, backoff: 0.02"
        models.write_text(f"models:\n  - {{name: m, backend: openai, path: m, chat: true, api: {{{api}}}}}\n")
        args = ["annotate", str(file), "--out", str(tmp_path / "p.html"), "--suggest", "m", "--models", str(models)]
        result = CliRunner().invoke(build, args, catch_exceptions=False)
    assert result.exit_code == 0 and "1 proposals of m for 1 dialogues, 2 left out" in result.output
    assert CliRunner().invoke(build, args).exit_code == 0  # from the store: the endpoint is gone
    (one, two), wrong = check_dialogues(tmp_path / "p.proposals.jsonl")
    assert one.annotations[0].proposed and one.annotations[0].evidence == ["昨天掉进洗脸池里了"] and not two.annotations[0].proposed  # fmt: skip
    assert [e.field for e in wrong] == ["annotations[0].proposed"]


def test_baselines_propose_nothing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a baseline cannot write"):
        args = [
            "annotate",
            str(write_jsonl(tmp_path / "d.jsonl", ROW)),
            "--out",
            str(tmp_path / "p.html"),
            "--suggest",
            "random",
        ]
        CliRunner().invoke(build, args, catch_exceptions=False)
