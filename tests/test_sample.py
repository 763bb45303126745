"""The bundled sample and the ontology: what they must hold, and that the sample is what its annotations give."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from evalsuite.authoring import read_annotations, write_task_files
from evalsuite.benchmarks.check import check_data
from evalsuite.benchmarks.corecode import BENCHMARK as CORECODE
from evalsuite.benchmarks.corecode.loader import Corpus
from evalsuite.benchmarks.corecode.ontology import find_slot, slots
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE as TASKS
from evalsuite.benchmarks.registry import SPLITS, Corpora
from evalsuite.common.errors import DataError
from evalsuite.common.resources import bundled

ANNOTATIONS = bundled("sample/annotations.jsonl")


def test_the_ontology_is_table_5() -> None:
    assert len(slots()) == 37
    assert len({(s.dimension, s.domain) for s in slots()}) == 9
    assert Counter(s.dimension for s in slots()) == {"Entity": 15, "Event": 15, "Social interaction": 7}
    for slot in slots():
        assert slot.question.count("{}") == 1
        assert find_slot(slot.dimension_zh, slot.domain_zh, slot.zh) == slot


def test_the_sample_is_built_from_its_annotations(tmp_path: Path) -> None:
    write_task_files(read_annotations(ANNOTATIONS), tmp_path)
    built = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*.jsonl")}
    shipped = {p.relative_to(bundled("sample")): p.read_bytes() for p in bundled("sample/data").rglob("*.jsonl")}
    assert built == shipped


def test_what_the_sample_covers(sample: Corpus) -> None:
    dialogues = [json.loads(line) for line in ANNOTATIONS.read_text(encoding="utf-8").splitlines()]
    assert len(dialogues) >= 40
    assert all(14 <= len(d["dialogue"]) <= 26 for d in dialogues)
    annotations = read_annotations(ANNOTATIONS)
    for item_set in CORECODE.sets:
        mine = [a.slot for a in annotations if a.set == item_set]
        assert len({(s.dimension, s.domain) for s in mine}) == 9
        assert len(set(mine)) >= 30
        for task in TASKS.values():
            assert len(sample.file(task, item_set, "test").items) >= 25


def test_no_two_splits_share_a_dialogue(sample: Corpus) -> None:
    assert not check_data(Corpora(bundled("sample"))).leaks
    for item_set in CORECODE.sets:
        whole = [{i.dialogue[0] for i in sample.file(TASKS["event_cause"], item_set, s).items} for s in SPLITS]
        assert not (whole[0] & whole[1] or whole[0] & whole[2] or whole[1] & whole[2])


def test_gold_is_not_tied_to_a_place(sample: Corpus) -> None:
    for item_set in CORECODE.sets:
        golds = Counter(i.gold for i in sample.file(TASKS["knowledge_filling"], item_set, "test").items)
        assert max(golds.values()) - min(golds.values()) <= 1


def test_conflicts_and_clips_are_what_they_say(sample: Corpus) -> None:
    for item_set in CORECODE.sets:
        for item in sample.file(TASKS["conflict_detection"], item_set, "test").items:
            assert "\n".join(item.dialogue).count(item.references[0]) == 1
        for item in sample.file(TASKS["knowledge_filling"], item_set, "test").items:
            assert "\n".join(item.dialogue).count("[MASK]") == 1
        full = {i.question.partition("“")[2]: i for i in sample.file(TASKS["subsequent_event"], item_set, "test").items}
        for item in sample.file(TASKS["clipped_subsequent_event"], item_set, "test").items:
            whole = "\n".join(full[item.question.partition("“")[2]].dialogue)
            assert whole.startswith("\n".join(item.dialogue)) and whole != "\n".join(item.dialogue)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"slot": "颜色"}, "no slot of “原因”"), ({"phrase": "不在这里"}, "does not stand"), ({"phrase": "，"}, "times")],
)
def test_annotations_that_do_not_fit(tmp_path: Path, change: dict[str, str], message: str) -> None:
    row = json.loads(ANNOTATIONS.read_text(encoding="utf-8").splitlines()[0])
    row["annotations"][0].update(change)
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    with pytest.raises(DataError, match=message) as error:
        read_annotations(path)
    assert error.value.line == 1
