"""The bundled sample and the ontology: what they must hold, and that the sample is what its annotations give."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from run_files import read_jsonl

from evalsuite.authoring import read_annotations
from evalsuite.benchmarks.check import check_data
from evalsuite.benchmarks.corecode import BENCHMARK as CORECODE
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
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


def test_knowledge_and_conflict_phrases_stand_once() -> None:
    annotations = read_annotations(ANNOTATIONS)
    for a in annotations:
        for conflict in a.conflicts:
            assert "\n".join(a.replaced(conflict)).count(conflict) == 1, (a.dialogue_id, conflict)
    known = Counter((a.slot.zh, a.instance, a.value) for a in annotations)
    assert [knowledge for knowledge, count in known.items() if count > 1] == []


def test_what_the_sample_covers(sample: CorecodeCorpus) -> None:
    dialogues = read_jsonl(ANNOTATIONS)
    assert len(dialogues) >= 40
    assert all(14 <= len(d["dialogue"]) <= 26 for d in dialogues)
    annotations = read_annotations(ANNOTATIONS)
    for item_set in CORECODE.sets:
        mine = [a.slot for a in annotations if a.set == item_set]
        assert len({(s.dimension, s.domain) for s in mine}) == 9
        assert len(set(mine)) >= 30
        for task in TASKS.values():
            assert len(sample.file(task, item_set, "test").items) >= 25


@pytest.mark.slow
def test_no_two_splits_share_a_dialogue(sample: CorecodeCorpus) -> None:
    assert not check_data(Corpora(bundled("sample"))).leaks
    for item_set in CORECODE.sets:
        whole = [{i.dialogue[0] for i in sample.file(TASKS["event_cause"], item_set, s).items} for s in SPLITS]
        assert not (whole[0] & whole[1] or whole[0] & whole[2] or whole[1] & whole[2])


def test_gold_is_not_tied_to_a_place(sample: CorecodeCorpus) -> None:
    for item_set in CORECODE.sets:
        golds = Counter(i.gold for i in sample.file(TASKS["knowledge_filling"], item_set, "test").items)
        assert max(golds.values()) - min(golds.values()) <= 1


def test_conflicts_and_clips_are_what_they_say(sample: CorecodeCorpus) -> None:
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


CHARM = bundled("sample/charm/data/CHARM")


def rows(folder: str) -> dict[str, list[dict[str, Any]]]:
    """File name -> the items of a folder of the CHARM sample."""
    return {p.stem: json.loads(p.read_text(encoding="utf-8"))["examples"] for p in (CHARM / folder).glob("*.json")}


def test_charm_names_facts_in_both_directions() -> None:
    items = {row["id"]: row.get("mids", []) for file in rows("reasoning").values() for row in file}
    facts = {row["id"]: row["rids"] for file in rows("memorization").values() for row in file}
    links = {(item, fact) for item, mids in items.items() for fact in mids}
    assert links == {(item, fact) for fact, rids in facts.items() for item in rids}
    assert {item for item, _ in links} <= {*items} and {fact for _, fact in links} == {*facts}


@pytest.mark.parametrize("folder", ["reasoning", "memorization"])
def test_charm_in_english_has_the_same_items(folder: str) -> None:
    links = ("id", "mids", "rids") if folder == "memorization" else ("id", "target", "mids")
    keep = {name: [[row.get(key) for key in links] for row in file] for name, file in rows(folder).items()}
    assert keep == {
        name: [[row.get(key) for key in links] for row in file] for name, file in rows(f"{folder}_Translate-EN").items()
    }


def test_charm_examples_are_no_test_items_and_answer_alike() -> None:
    """The five files of a task's examples state the same answers, and ask none of its items."""
    assert len(rows("reasoning")) == 14
    for name in rows("reasoning"):
        items = {row["input"] for folder in ("reasoning", "reasoning_Translate-EN") for row in rows(folder)[name]}
        files = sorted(CHARM.glob(f"few-shot-examples*/{name}_*.txt"))
        assert len(files) == 5
        texts = [p.read_text(encoding="utf-8") for p in files]
        answers = [re.findall(r"(?:^A：|answer is |答案是)\(([A-F])\)", text, re.MULTILINE) for text in texts]
        assert len(answers[0]) == 2 and answers.count(answers[0]) == 5, name
        assert not [item for item in items for text in texts if item in text]


def test_xcopa_and_c3_are_whole() -> None:
    for split, size in (("val", 6), ("test", 8)):
        zh, en = (
            read_jsonl(p)
            for p in (bundled(f"sample/xcopa/{folder}/zh/{split}.zh.jsonl") for folder in ("data", "data-gmt"))
        )
        assert [(r["idx"], r["question"], r["label"]) for r in zh] == [
            (r["idx"], r["question"], r["label"]) for r in en
        ]
        assert Counter(r["question"] for r in zh) == dict.fromkeys(("cause", "effect"), size // 2)
        assert sum(r["label"] for r in zh) == size // 2
    names: set[str] = set()
    for kind in "dm":
        for split in ("train", "dev", "test"):
            path = bundled(f"sample/c3/data/c3-{kind}-{split}.json")
            documents = json.loads(path.read_text(encoding="utf-8"))
            questions = {(name, n): q for _, asked, name in documents for n, q in enumerate(asked, 1)}
            assert not names & {name for *_, name in documents}
            names |= {name for *_, name in documents}
            for q in questions.values():
                assert q["choice"].count(q["answer"]) == 1 and len({*q["choice"]}) == len(q["choice"]) in (2, 3, 4)
            if split != "train":
                lines = bundled(f"sample/c3/annotation/c3-{kind}-{split}.txt").read_text(encoding="utf-8").splitlines()
                for name, number, _ in (line.split("\t") for line in lines[1:]):
                    assert (name, int(number)) in questions
