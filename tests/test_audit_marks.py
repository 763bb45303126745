"""Files of marks: from the page and from spreadsheets; what is broken or foreign is named."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_audit import choice, line, sample_of, text

from evalsuite.common.errors import ConfigError, DataError
from evalsuite.review import audit
from evalsuite.review.audit.audit_report import _find_sample
from evalsuite.review.audit.folder import _write_sample
from evalsuite.review.audit.marks import read_marks
from evalsuite.review.audit.sample import Sample, load_sample, save_sample


@pytest.fixture
def folder_and_sample(tmp_path: Path) -> tuple[Path, Sample]:
    """A folder with a sample of a choice, a text and a span, where marks can be written."""
    span = text(2, id="s2", task="conflict_detection")
    sample = sample_of((choice(0), "s", 1, 1), (text(1), "t", 1, 1), (span, "u", 1, 1))
    save_sample(sample, tmp_path / "sample.json")
    return tmp_path, sample


@pytest.mark.parametrize(
    ("output", "fields", "field"),
    [
        ("c0", {"said": "(z)"}, "said"),
        ("c0", {"said": 0}, "said"),
        ("c0", {"said": "(a)", "sample": "0123"}, "sample"),
        ("c0", {"said": "(a)", "annotator": " "}, "annotator"),
        ("zz", {"said": "(a)"}, "output"),
        ("t1", {"right": "maybe"}, "right"),
        ("t1", {"score": 3}, "right"),
        ("t1", {"right": True, "score": 6}, "score"),
        ("t1", {"right": True, "score": 2.5}, "score"),
        ("t1", {"right": True, "score": 10**400}, "score"),
        ("t1", {"right": True, "score": True}, "score"),
    ],
)
def test_broken_marks_are_named(
    folder_and_sample: tuple[Path, Sample], output: str, fields: dict[str, Any], field: str
) -> None:
    folder, sample = folder_and_sample
    file = folder / "m.jsonl"
    file.write_text(line(sample, "s2", right=True) + "\n" + line(sample, output, **fields) + "\n", encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_marks([file], sample)
    assert (error.value.file, error.value.line, error.value.field) == (file, 2, field)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("m.jsonl", b'{"output": ', "not JSON"),
        ("m.jsonl", b"[]", "expected an object"),
        ("m.jsonl", "对".encode("gb18030"), "not UTF-8"),
        ("m.csv", "对".encode("gb18030"), "not UTF-8"),
    ],
)
def test_files_that_are_no_marks(folder_and_sample: tuple[Path, Sample], name: str, content: bytes, says: str) -> None:
    file = folder_and_sample[0] / name
    file.write_bytes(content)
    with pytest.raises(DataError, match=says):
        read_marks([file], folder_and_sample[1])
    with pytest.raises(DataError, match="cannot read"):
        read_marks([folder_and_sample[0] / "none.jsonl"], folder_and_sample[1])


def test_last_of_double_marks_counts(folder_and_sample: tuple[Path, Sample]) -> None:
    folder, sample = folder_and_sample
    file = folder / "m.jsonl"
    rows = (("c0", {"said": "(a)"}), ("c0", {"said": "b"}), ("t1", {"right": False, "score": 2, "blind": False}))
    file.write_text("".join(line(sample, o, **f) + "\n" for o, f in rows), encoding="utf-8")
    found = audit.summarize_marks([file])
    assert (found.correct[0].kind, found.correct[0].actual) == ("choice", 0)
    assert any("1 outputs marked more than once" in note for note in found.notes)
    assert any("1 of 2 marks were made with the reference in view" in note for note in found.notes)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_spreadsheet_of_marks(folder_and_sample: tuple[Path, Sample], separator: str) -> None:
    folder, sample = folder_and_sample
    file = folder / "m.csv"
    with file.open("w", encoding="utf-8-sig", newline="") as out:
        writer = csv.writer(out, delimiter=separator)
        writer.writerow(["sample", "output", "annotator", "said", "right", "score", "note"])
        writer.writerow([sample.hash, "c0", "p", "A", "", "", ""])
        writer.writerow([sample.hash, "t1", "p", "", "对", "4.0", "两行\n备注"])
        writer.writerow([sample.hash, "s2", "p", "", "", "", ""])
    marks = read_marks([file], sample)
    assert [(m.output, m.said, m.right, m.scores) for m in marks.marks] == [
        ("c0", 0, True, {}),
        ("t1", None, True, {"score": 4.0}),
    ]
    assert marks.notes == (f"{file}: 1 outputs not marked",)


def test_a_row_with_more_cells_than_columns_is_an_error(folder_and_sample: tuple[Path, Sample]) -> None:
    """A comma without quotes shifts the cells behind it; blank cells at the end, as spreadsheets leave them, do no harm."""
    folder, sample = folder_and_sample
    file = folder / "m.csv"
    for note, cells in (("好，但是,,", None), ("好,但是", 5)):
        file.write_text(f"sample,output,annotator,said,note\n{sample.hash},c0,p,A,{note}\n", encoding="utf-8")
        if cells is None:
            assert len(read_marks([file], sample).marks) == 1
            continue
        with pytest.raises(DataError, match=r"m.csv:2: the row has 6 cells, and the header 5"):
            read_marks([file], sample)


def test_an_id_like_a_number_stays_a_text(tmp_path: Path) -> None:
    """A spreadsheet would make 1.23457E+11 of 123456789012, and the mark would be lost."""
    sample = sample_of((choice(0, id="123456789012"), "s", 1, 1), (choice(1, id="0a1b2c3d4e5f"), "s", 1, 1))
    _write_sample(sample, tmp_path)
    with (tmp_path / "to-mark.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["output"] for row in rows] == ["'123456789012", "0a1b2c3d4e5f"]
    lines = [f"{row['sample']},{row['output']},p,(a)" for row in rows]
    (tmp_path / "m.csv").write_text("\n".join(["sample,output,annotator,said", *lines]), encoding="utf-8")
    assert [mark.output for mark in read_marks([tmp_path / "m.csv"], sample).marks] == ["123456789012", "0a1b2c3d4e5f"]


@pytest.mark.parametrize("other", ['{"format": 0, "sample": "0123"}', "[]", '{"format": 1, "sam'])
def test_another_sample_that_cannot_be_read_does_not_matter(
    folder_and_sample: tuple[Path, Sample], tmp_path: Path, other: str
) -> None:
    """The run holds a sample of another version, or a broken one, which comes first; the marks are of the second."""
    _, sample = folder_and_sample
    for name in ("a", "b"):
        (tmp_path / "run/audit" / name).mkdir(parents=True)
    (tmp_path / "run/audit/a/sample.json").write_text(other, encoding="utf-8")
    save_sample(sample, tmp_path / "run/audit/b/sample.json")
    file = tmp_path / "m.jsonl"
    file.write_text(line(sample, "c0", said="(a)") + "\n", encoding="utf-8")
    assert _find_sample([file], tmp_path / "run") == (sample, tmp_path / "run/audit/b")


def test_a_broken_sample_is_not_called_missing(folder_and_sample: tuple[Path, Sample], tmp_path: Path) -> None:
    file = tmp_path / "m.jsonl"
    file.write_text(line(folder_and_sample[1], "c0", said="(a)") + "\n", encoding="utf-8")
    (tmp_path / "sample.json").write_text('{"format": 1, "sam', encoding="utf-8")
    with pytest.raises(DataError, match="not JSON, or not whole"):
        _find_sample([file], None)


def test_marks_of_another_sample_are_refused(folder_and_sample: tuple[Path, Sample]) -> None:
    folder, sample = folder_and_sample
    file = folder / "m.jsonl"
    other = replace(sample, rubric="cicero")
    file.write_text(line(other, "c0", said="(a)") + "\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="not beside them"):
        audit.summarize_marks([file])
    file.write_text(line(other, "c0", said="(a)") + "\n" + line(sample, "c0", said="(a)") + "\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="marks of 2 samples"):
        audit.summarize_marks([file])
    changed = json.loads((folder / "sample.json").read_text())
    changed["drawn"].pop()
    (folder / "sample.json").write_text(json.dumps(changed))
    with pytest.raises(ConfigError, match="changed by hand"):
        load_sample(folder / "sample.json")
