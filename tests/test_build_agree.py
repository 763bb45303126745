"""Agreement between annotators, beside scikit-learn's kappa."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from run_files import write_jsonl
from typer.testing import CliRunner

from evalsuite.authoring.agree import annotator_agreement, match_annotations
from evalsuite.authoring.inspection import annotation_quality
from evalsuite.cli.build import build
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.results.schema.annotation import AnnotatedDialogue

TURNS = ["A: 我的充电宝充不进电了。", "B: 是摔过还是进过水？", "A: 昨天掉进洗脸池里了。", "B: 我给您寄一个新的。"]
CAUSE = {
    "dimension": "事件", "instance": "A的充电宝充不进电", "domain": "原因", "slot": "事件原因", "value": "A的充电宝进了水",
    "evidence": ["昨天掉进洗脸池里了"], "phrase": "掉进洗脸池", "conflict1": "掉进被窝", "conflict2": "一直锁在抽屉没动过",
}  # fmt: skip
THING = {
    "dimension": "实体", "instance": "洗脸池", "domain": "属性", "slot": "用途", "value": "洗脸", "phrase": "洗脸池",
    "conflict1": "洗衣机", "conflict2": "火山口下的岩浆",
}  # fmt: skip
NEXT = CAUSE | {"domain": "后果", "slot": "后续事件", "value": "B给A寄新充电宝", "evidence": [], "phrase": "寄一个新的", "conflict1": "寄一个旧的"}  # fmt: skip


def row(name: str, annotations: list[dict[str, Any]], annotator: str = "", **more: Any) -> dict[str, Any]:
    return {"id": name, "set": "easy", "dialogue": TURNS, "annotations": annotations, "annotator": annotator, **more}


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Four dialogues, annotated by two people: alike; with other domains and words; by one of them only; with one more by one."""
    one = [row("1", [CAUSE, THING]), row("2", [CAUSE]), row("3", [THING]), row("4", [CAUSE, NEXT]), row("9", [CAUSE])]
    other = [
        row("1", [THING, CAUSE]),
        row("2", [CAUSE | {"domain": "前提", "slot": "前提条件", "value": "充电宝进水"}]),
        row("3", [], nothing=True),
        row("4", [CAUSE | {"phrase": "洗脸池", "conflict1": "洗衣机"}]),
    ]
    return [write_jsonl(tmp_path / "甲.jsonl", *one), write_jsonl(tmp_path / "乙.jsonl", *other)]


def test_each_step_has_its_agreement(files: list[Path]) -> None:
    sklearn = pytest.importorskip("sklearn.metrics", reason="needs evalsuite[dev]")
    found = annotator_agreement(files)
    assert found.annotators == {"甲": 5, "乙": 4}
    steps = {s.step: s for s in found.steps}
    assert (steps["knowledge"].n, steps["knowledge"].same) == (4, 0.75)
    assert (steps["dimension"].n, steps["dimension"].kappa, steps["domain"].same) == (4, 1.0, 0.75)
    ours, theirs = [0, 0, 1, 0] * 3 + [0, 0, 1, 1], [0, 0, 1, 0] * 2 + [0] * 4 + [0, 0, 1, 0]
    assert steps["turn"].kappa == pytest.approx(sklearn.cohen_kappa_score(ours, theirs))
    slots = ["cause", "use", "cause", "cause"], ["cause", "use", "prerequisite", "cause"]
    assert steps["slot"].kappa == pytest.approx(sklearn.cohen_kappa_score(*slots))
    long = sum(map(len, TURNS))
    marks = [[1] * n + [0] * (long - n) for n in (5, 3)]  # 掉进洗脸池, 洗脸池: which characters does not matter
    ours, theirs = marks[0] * 3 + marks[1], marks[0] * 2 + marks[1] * 2
    assert steps["phrase"].kappa == pytest.approx(sklearn.cohen_kappa_score(ours, theirs))
    assert (steps["value"].same, steps["conflict1"].n) == (0.75, 3) and 0.75 < (steps["value"].f1 or 0) < 1
    kappas = [s.kappa for s in found.steps if s.kappa is not None]
    assert found.means == (("甲", "乙", pytest.approx(sum(kappas) / len(kappas))),)


def test_disagreements_are_listed(files: list[Path]) -> None:
    found = [(d.dialogue, d.step, d.said) for d in annotator_agreement(files).disagreements]
    assert found == [
        ("2", "domain", ("事件/原因", "事件/前提")),
        ("3", "knowledge", ("some", "none")),
        ("4", "phrase", ("掉进洗脸池", "洗脸池")),
        ("4", "annotation", ("事件/后果/后续事件", "")),
    ]


def test_what_is_of_the_same_thing() -> None:
    """Texts match annotations, not their order or their slots; proposals are nobody's."""
    a = AnnotatedDialogue.model_validate(row("1", [CAUSE, NEXT, THING]))
    b = AnnotatedDialogue.model_validate(row("1", [NEXT, THING | {"proposed": True}, CAUSE | {"slot": "时间原因"}]))
    assert [(x.value, y.value) for x, y in match_annotations(a, b)] == [(CAUSE["value"],) * 2, (NEXT["value"],) * 2]
    assert match_annotations(a, AnnotatedDialogue.model_validate(row("1", []))) == []


def test_of_equal_texts_those_of_the_same_span_match() -> None:
    elsewhere = CAUSE | {"evidence": ["是摔过还是进过水"], "phrase": "进过水", "slot": "时间原因"}
    a = AnnotatedDialogue.model_validate(row("1", [CAUSE]))
    b = AnnotatedDialogue.model_validate(row("1", [elsewhere, CAUSE]))
    ((mine, theirs),) = match_annotations(a, b)
    assert (mine.slot, theirs.slot) == (CAUSE["slot"], CAUSE["slot"])


def test_one_file_of_three(tmp_path: Path) -> None:
    """People are told apart by the annotator's name where there is one; all pairs are compared."""
    file = write_jsonl(
        tmp_path / "all.jsonl", *(row("1", [CAUSE], name) for name in "甲乙丙"), row("5", [], "丁", nothing=True)
    )
    found = annotator_agreement([file])
    assert {s.who for s in found.steps} == {("甲", "乙"), ("甲", "丙"), ("乙", "丙")}
    assert any("甲 and 丁 have no dialogue in common" in note for note in found.notes)


def test_a_dialogue_of_easy_and_of_hard_is_two(tmp_path: Path) -> None:
    """One is compared with that of the same set alone, whichever file it is in, and with its own gold."""
    easy, hard = row("1", [CAUSE]), row("1", [THING]) | {"set": "hard"}
    files = [write_jsonl(tmp_path / f"{name}.jsonl", *rows) for name, rows in (("甲", [easy, hard]), ("乙", [hard]))]
    found = annotator_agreement(files)
    assert found.annotators == {"甲": 2, "乙": 1} and not found.disagreements
    assert all(step.same == 1 for step in found.steps)
    with pytest.raises(DataError, match=r"is in .*甲\.jsonl, too"):
        annotator_agreement([*files, write_jsonl(tmp_path / "甲2.jsonl", hard | {"annotator": "甲"})])
    gold = write_jsonl(tmp_path / "gold.jsonl", row("1", [THING]) | {"set": "hard"})
    (qualified, _) = annotation_quality([files[0], files[1]], gold).qualified
    assert (qualified.items, qualified.right) == (1, 1)


def test_what_cannot_be_compared(tmp_path: Path, files: list[Path]) -> None:
    with pytest.raises(ConfigError, match="one annotator only"):
        annotator_agreement(files[:1])
    other = write_jsonl(tmp_path / "丙.jsonl", row("1", []) | {"dialogue": ["A: 别的。"]})
    with pytest.raises(DataError, match="have other turns"):
        annotator_agreement([files[0], other])


def test_the_command_writes_agreement_and_disagreements(files: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "agree.json"
    result = CliRunner().invoke(build, ["agree", *map(str, files), "--out", str(out), "--most", "1"], catch_exceptions=False)  # fmt: skip
    assert result.exit_code == 0 and "4 disagreements, the first 1" in result.output and "mean kappa" in result.output
    assert len(json.loads(out.read_text(encoding="utf-8"))["disagreements"]) == 4
