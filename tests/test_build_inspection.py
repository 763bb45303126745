"""Inspectors' verdicts and annotators' qualification: counts, task files without what was returned, the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from run_files import write_jsonl
from test_build_agree import CAUSE, NEXT, THING, TURNS, row

from evalsuite.authoring.annotations import check_dialogues
from evalsuite.authoring.inspection import Inspected, annotation_quality
from evalsuite.authoring.merging import merge
from evalsuite.authoring.task_files import read_annotations
from evalsuite.common.errors import ConfigError, DataError

ACCEPTED = {"verdict": "accepted", "inspector": "丙"}
RETURNED = {"verdict": "returned", "reason": "slot", "note": "是前提", "inspector": "丙"}
REVISED = {"verdict": "revised", "inspector": "丙"}


@pytest.fixture
def annotations_file(tmp_path: Path) -> Path:
    """A file of annotations: three with verdicts (one is on a text that the annotator has revised since), one
    without, and one by the inspector."""
    one = row(
        "1", [CAUSE | ACCEPTED, THING | RETURNED, NEXT | RETURNED | {"verdict": "revised", "inspector": ""}], "甲"
    )
    other = row("2", [CAUSE, THING | REVISED | {"annotator": "丙"}], "甲")
    return write_jsonl(tmp_path / "甲.jsonl", one, other)


def test_verdicts_are_counted_by_annotator(annotations_file: Path) -> None:
    found = annotation_quality([annotations_file])
    assert found.agreement is None and found.qualified == ()
    assert found.inspected == (Inspected("甲", 4, accepted=1, returned=1, revised=1, reasons={"slot": 2}),)
    assert found.inspected[0].inspected == 3


def test_what_was_returned_is_in_no_task(annotations_file: Path, tmp_path: Path) -> None:
    """Neither a returned annotation nor its copy in the file before the inspection is in a task; its revision is."""
    before = write_jsonl(tmp_path / "before.jsonl", row("1", [CAUSE, THING, NEXT], "甲"), row("2", [CAUSE], "甲"))
    for files in ([annotations_file], [annotations_file, before], [before, annotations_file]):
        merged = merge(files)
        kept = {d.id: [k.value for k in d.annotations] for d in merged.dialogues}
        assert sorted(kept["1"]) == sorted([CAUSE["value"], NEXT["value"]]) and merged.returned == 1
    assert len(read_annotations(annotations_file)) == 4


def test_the_same_by_another_stands(annotations_file: Path, tmp_path: Path) -> None:
    other = write_jsonl(tmp_path / "乙.jsonl", row("1", [THING], "乙"))
    (one, *_) = merge([annotations_file, other]).dialogues
    assert THING["value"] in [k.value for k in one.annotations]


def test_what_one_inspector_returned_and_another_accepted_is_not_left_out(tmp_path: Path) -> None:
    files = [
        write_jsonl(tmp_path / f"{name}.jsonl", row("1", [CAUSE | ACCEPTED, THING | verdict], "甲"))
        for name, verdict in (("丙", RETURNED), ("丁", ACCEPTED))
    ]
    merged = merge(files)
    assert len(merged.dialogues[0].annotations) == 2 and merged.returned == 0


def test_verdicts_of_two_inspectors_on_the_same_annotations_are_not_counted_together(tmp_path: Path) -> None:
    """The verdicts of the last file would count alone."""
    files = [
        write_jsonl(tmp_path / f"{name}.jsonl", row("1", [CAUSE | verdict], "甲"))
        for name, verdict in (("丙", RETURNED), ("丁", ACCEPTED))
    ]
    with pytest.raises(DataError, match=r"dialogue 1 of 甲 is in .*丙\.jsonl, too"):
        annotation_quality(files)


def test_only_the_chosen_annotators_returned_annotations_are_counted(annotations_file: Path, tmp_path: Path) -> None:
    other = write_jsonl(tmp_path / "乙.jsonl", row("1", [CAUSE, THING | RETURNED, NEXT | RETURNED], "乙"))
    files = [annotations_file, other]
    assert [merge(files, annotator).returned for annotator in ("", "甲", "乙")] == [3, 1, 2]


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"verdict": "returned"}, "annotations[0].reason", "is empty"),
        ({"verdict": "bad"}, "annotations[0].verdict", "accepted"),
        ({"verdict": "returned", "reason": "ugly"}, "annotations[0].reason", "knowledge"),
    ],
)
def test_verdicts_that_are_none(change: dict[str, str], field: str, said: str, tmp_path: Path) -> None:
    _, (wrong,) = check_dialogues(write_jsonl(tmp_path / "x.jsonl", row("1", [CAUSE | change])))
    assert wrong.field == field and said in str(wrong)


def test_who_qualifies_on_gold(tmp_path: Path) -> None:
    """An annotator is right with the slot of a gold annotation, and with nothing where the gold has nothing; what is missing
    counts as wrong."""
    gold = write_jsonl(tmp_path / "gold.jsonl", row("1", [CAUSE, THING]), row("2", [CAUSE]), row("3", [], nothing=True))
    good = write_jsonl(
        tmp_path / "甲.jsonl", row("1", [THING, CAUSE, NEXT]), row("2", [CAUSE | {"value": "A的充电宝湿了"}]), row("3", [], nothing=True)
    )  # fmt: skip
    bad = write_jsonl(
        tmp_path / "乙.jsonl", row("1", [CAUSE | {"slot": "时间原因"}]), row("3", [THING]), row("7", [CAUSE])
    )
    found = annotation_quality([good, bad], gold, qualify=0.75)
    assert [(q.annotator, q.items, q.right, q.more, q.qualifies) for q in found.qualified] == [
        ("甲", 4, 4, 1, True),
        ("乙", 4, 0, 1, False),
    ]
    assert found.agreement is not None and found.to_json()["qualified"][0]["share"] == 1.0
    three_of_four = write_jsonl(tmp_path / "丁.jsonl", row("1", [CAUSE, THING]), row("2", [CAUSE]))
    for share, qualifies in ((0.75, True), (0.9, False)):
        (one,) = annotation_quality([three_of_four], gold, share).qualified
        assert (one.share, one.qualifies) == (0.75, qualifies)
    with pytest.raises(ConfigError, match=r"--qualify 90.0: expected a share from 0 to 1"):
        annotation_quality([good], gold, 90.0)
    other = write_jsonl(tmp_path / "戊.jsonl", row("1", [CAUSE]) | {"dialogue": [*TURNS, "A: 别的。"]})
    with pytest.raises(DataError, match="戊 has other turns"):
        annotation_quality([other], gold)


def test_the_commands_count_verdicts_and_qualification(annotations_file: Path, tmp_path: Path, cli: Any) -> None:
    gold = write_jsonl(tmp_path / "gold.jsonl", row("1", [CAUSE, THING, NEXT]), row("2", [CAUSE, NEXT]))
    done = cli("build", "agree", annotations_file, "--gold", gold, "--out", tmp_path / "q.json")
    lines = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line.split()}
    assert "does not qualify" in done.stdout and lines["甲"][1:5] == ["5", "4", "1", "80.0"]
    assert "slot 2" in done.stdout and "33.3" in done.stdout
    assert json.loads((tmp_path / "q.json").read_text(encoding="utf-8"))["inspected"][0]["reasons"] == {"slot": 2}
    assert ", 0 problems, 1 returned by an inspector" in cli("build", "check", annotations_file).stdout
    made = cli("build", "tasks", annotations_file, "--out", tmp_path / "service", "--shares", "0,0")
    assert "1 annotations left out that an inspector returned" in made.stdout
    assert json.loads((tmp_path / "service/build.json").read_text(encoding="utf-8"))["merged"]["returned"] == 1
    empty = write_jsonl(tmp_path / "empty.jsonl", row("1", []))
    assert (
        "has no annotations"
        in cli("build", "annotate", empty, "--inspect", "--out", tmp_path / "p.html", expect=2).stderr
    )
