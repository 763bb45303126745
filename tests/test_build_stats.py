"""`evalsuite build stats`: Table 1, spreads, and artefact checks that find what is planted and nothing else."""

from __future__ import annotations

import json
import random
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from run_files import read_jsonl, write_jsonl
from typer.testing import CliRunner

from evalsuite.authoring import artefacts
from evalsuite.authoring.classifier import hashed_features, nearest_texts
from evalsuite.authoring.stats import DIMENSIONS, KnowledgeCounts, Stats, compute_stats
from evalsuite.authoring.stats_page import summary, table1_heads, table1_rows, write_stats_page
from evalsuite.benchmarks.check import Table1
from evalsuite.benchmarks.corecode import BENCHMARK
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE as TASKS
from evalsuite.cli.build import build
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.resources import bundled
from evalsuite.metrics.statistics import effective_size, few_dialogues, wilson

_FILLING = "multiple_choice/{}/Commonsense_Knowledge_Filling.jsonl"
_CAUSE = "generation/{}/Event_Causal_Inference--Event_Cause_Inference.jsonl"
_HAN = (
    "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳云腾致雨露结为霜金生丽水玉出昆冈剑号巨阙珠称夜光"
)


def _word(rng: random.Random, size: int = 4) -> str:
    return "".join(rng.sample(_HAN, size))


def _write(root: Path, name: str, split: str, rows: list[dict[str, Any]]) -> None:
    path = root / "data/easy" / name.format(split)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"id": n, **row}, ensure_ascii=False) + "\n" for n, row in enumerate(rows)]
    path.write_text("".join(lines), encoding="utf-8")


def _choices(root: Path, plant: str, n: int = 240) -> None:
    """Knowledge filling of random words; `plant` gives the right option away, or nothing does."""
    for split in ("train", "test"):
        rng = random.Random(f"{plant}:{split}")
        rows = []
        for _ in range(n):
            options = [_word(rng) for _ in range(3)]
            gold = 0 if plant == "position" and rng.random() < 0.6 else rng.randrange(3)
            if plant == "length" and rng.random() < 0.6:
                options[gold] += _word(rng, 3)
            if plant == "options" and rng.random() < 0.6:
                options[gold] = "非" + options[gold][1:]
            if plant == "label" and rng.random() < 0.6:
                options[gold] = "盛夏"
            if plant == "alike" and rng.random() < 0.6:
                stem = _word(rng, 6)
                wrong = [k for k in range(3) if k != gold]
                options[gold] = stem[1:5]
                options[wrong[0]], options[wrong[1]] = stem[:3] + "乙丙", "丁" + stem[3:]
            turn = (
                f"{options[gold]}的[MASK]"
                if plant == "dialogue overlap" and rng.random() < 0.6
                else f"{_word(rng, 6)}[MASK]"
            )
            labelled = {f"({c})": o for c, o in zip("abc", options, strict=True)}
            answer = [f"({'abc'[gold]})", options[gold]]
            dialogue = [f"A: {_word(rng, 16)}{turn}。", f"B: {_word(rng, 20)}。"]
            rows.append({"dialogue": dialogue, "question": "选择[MASK]处应填入的选项。", **labelled, "answer": answer})
        _write(root, _FILLING, split, rows)


def _checks_above_chance(root: Path) -> set[str]:
    return {f.check for f in artefacts.run_checks(CorecodeCorpus(BENCHMARK, root)) if f.above}


@pytest.mark.parametrize(
    ("plant", "found"),
    [
        ("nothing", set()),
        ("position", {"position"}),
        ("length", {"length"}),
        ("options", {"options"}),
        ("label", {"label", "majority", "options"}),
        ("alike", {"alike"}),
        ("dialogue overlap", {"dialogue overlap"}),
    ],
)
def test_a_planted_artefact_is_found(plant: str, found: set[str], tmp_path: Path) -> None:
    _choices(tmp_path, plant)
    above = _checks_above_chance(tmp_path)
    assert found <= above
    assert found or not above, "a benchmark of random words gives nothing away"


def test_guessers_fitted_on_the_file_are_corrected_for_their_choices(tmp_path: Path) -> None:
    """Two texts are right, three positions may be: p is multiplied by two and by three."""
    rng = random.Random("corrected")
    rows = []
    for n in range(30):
        options = [_word(rng) for _ in range(3)]
        options[n % 5 // 3] = right = "盛夏" if n % 3 else "寒冬"
        labelled = {f"({c})": o for c, o in zip("abc", options, strict=True)}
        dialogue = [f"A: {_word(rng, 16)}[MASK]。", f"B: {_word(rng, 20)}。"]
        rows.append({"dialogue": dialogue, "question": "?", **labelled, "answer": [f"({'abc'[n % 5 // 3]})", right]})
    _write(tmp_path, _FILLING, "test", rows)
    corpus = CorecodeCorpus(BENCHMARK, tmp_path)
    found = {f.check: f for f in artefacts._check_file(corpus, TASKS["knowledge_filling"], "easy", "test")}
    for check, share, choices in (("label", 20 / 30, 2), ("position", 18 / 30, 3)):
        values = [1.0] * round(30 * share) + [0.0] * round(30 * (1 - share))
        n = effective_size(values, range(30))
        assert found[check].value == pytest.approx(share, abs=1e-6)
        assert found[check].p == pytest.approx(choices * artefacts._at_least(share * n, n, 1 / 3))


def test_the_interval_of_few_dialogues_is_as_wide_as_elsewhere(tmp_path: Path) -> None:
    """Sixteen items of four dialogues, the same option right in ten of them."""
    rng = random.Random("few")
    dialogues = [[f"A: {_word(rng, 30)}[MASK]。", f"B: {_word(rng, 30)}。"] for _ in range(4)]
    rows, values = [], []
    for n in range(16):
        gold = n % 4 if n < 4 or n > 11 else 0
        options = {f"({c})": _word(rng) for c in "abcd"}
        answer = f"({'abcd'[gold]})"
        rows.append({"dialogue": dialogues[n // 4], "question": "?", **options, "answer": [answer, options[answer]]})
        values.append(float(gold == 0))
    _write(tmp_path, _FILLING, "test", rows)
    corpus = CorecodeCorpus(BENCHMARK, tmp_path)
    found = {f.check: f for f in artefacts._check_file(corpus, TASKS["knowledge_filling"], "easy", "test")}
    few = few_dialogues(values, [n // 4 for n in range(16)])
    assert found["position"].value == few.value
    assert (found["position"].low, found["position"].high) == pytest.approx((few.low, few.high), abs=1e-6)


def test_the_order_of_checks_does_not_depend_on_the_run(tmp_path: Path) -> None:
    _choices(tmp_path, "options", 60)
    assert artefacts.run_checks(CorecodeCorpus(BENCHMARK, tmp_path)) == artefacts.run_checks(
        CorecodeCorpus(BENCHMARK, tmp_path)
    )


def _cause(n: int, event: str, answer: str, dialogue: str = "") -> dict[str, Any]:
    told = [f"A: {dialogue or _word(random.Random(f'cause:{n}'), 30)}。", "B: 好。"]
    return {"dialogue": told, "question": f"导致事件“{event}”的原因是什么？", "answer": answer}


def test_texts_by_question_echo_and_lookup(tmp_path: Path) -> None:
    """The answer is that of the same event in training; half of it stands in the event; two tests have training's dialogue."""
    rng = random.Random("texts")
    pairs = [(a := _word(rng, 8), a[:4] + _word(rng, 4)) for _ in range(60)]
    leaked = "".join(rng.sample(_HAN, 40))
    train = [_cause(n, event, answer) for n, (event, answer) in enumerate(pairs)]
    test = [_cause(1000 + n, event + "了", answer) for n, (event, answer) in enumerate(pairs)]
    extra = [_cause(2000 + n, f"甲乙丙{n}", f"丁戊己{n}", leaked) for n in range(2)]
    _write(tmp_path, _CAUSE, "train", [*train, *extra])
    _write(tmp_path, _CAUSE, "test", [*test, *extra])
    found = {(f.check, f.measure): f for f in artefacts.run_checks(CorecodeCorpus(BENCHMARK, tmp_path))}
    assert found["nearest question", "exact"].value == pytest.approx(60 / 62, abs=1e-6)
    assert found["nearest question", "exact"].verdict == "can be solved without reading the dialogue"
    assert 0.4 < found["echo", "f1"].value < 0.6 and found["echo", "f1"].above
    assert found["lookup", "exact"].value == pytest.approx(2 / 62, abs=1e-6)
    assert "looked up" in found["lookup", "exact"].verdict
    assert not found["majority", "f1"].above


@pytest.mark.parametrize(
    ("check", "value", "p", "verdict"),
    [
        ("options", 0.4, 0.05, "no better than chance"),
        ("options", 0.4, 0.01, "20 % of what guessing misses is had without reading the dialogue"),
        ("dialogue overlap", 0.4, 0.01, "20 % of what guessing misses is had without understanding the dialogue"),
        ("options", 0.625, 0.01, "can be solved without reading the dialogue"),
        ("lookup", 0.4, 0.01, "can be looked up in what is given for training"),
    ],
)
def test_a_verdict_tells_the_gain_over_chance(check: str, value: float, p: float, verdict: str) -> None:
    score = artefacts.GuesserScore("t", "easy", "test", check, "accuracy", 9, value, 0.0, 1.0, 0.25, p, "")
    assert artefacts._with_verdict(score).verdict == verdict


def test_a_summary_names_the_best_check_and_its_measure() -> None:
    def score(task: str, check: str, measure: str, value: float, p: float) -> artefacts.GuesserScore:
        return artefacts.GuesserScore(task, "easy", "test", check, measure, 9, value, 0.0, 1.0, 0.25, p, "told")

    found = (
        score("event_cause", "echo", "f1", 0.5, 0.01),
        score("event_cause", "majority", "f1", 0.4, 0.01),
        score("event_cause", "lookup", "exact", 0.1, 0.01),
        score("knowledge_filling", "options", "accuracy", 0.5, 0.01),
        score("conflict_detection", "majority", "f1", 0.5, 0.5),
    )
    stats: Any = SimpleNamespace(findings=found)
    assert [(above, line.partition(": ")[2]) for above, line in summary(stats)] == [
        (True, "F1 50.0 % by “echo” (chance 25.0 %): told; 10.0 % told"),
        (True, "accuracy 50.0 % by “options” (chance 25.0 %): told"),
        (False, "nothing above chance without reading the dialogue"),
    ]


def test_without_training_files_only_what_needs_none(tmp_path: Path) -> None:
    _choices(tmp_path, "position", 60)
    (tmp_path / "data/easy" / _FILLING.format("train")).unlink()
    assert {f.check for f in artefacts.run_checks(CorecodeCorpus(BENCHMARK, tmp_path))} == {
        "label",
        "position",
        "alike",
        "dialogue overlap",
    }


def test_the_positions_are_those_of_the_longest_list_of_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The p-value of the most frequent position is multiplied by the number of positions. The first item may have few of them."""
    _choices(tmp_path, "position", 60)
    file = tmp_path / "data/easy" / _FILLING.format("test")
    *rows, last = map(json.loads, file.read_text("utf-8").splitlines())
    answer = last.pop("answer")
    write_jsonl(file, *rows, {**last, "(d)": "甲乙丙", "answer": answer})
    monkeypatch.setattr(artefacts, "_at_least", lambda right, n, chance: 0.01)
    corpus = CorecodeCorpus(BENCHMARK, tmp_path)
    found = {f.check: f.p for f in artefacts._check_file(corpus, TASKS["knowledge_filling"], "easy", "test")}
    assert found["position"] == pytest.approx(0.04) and found["alike"] == pytest.approx(0.01)


def test_intervals_count_dialogues() -> None:
    """Ten copies of an item in one dialogue count no more than the item alone."""
    rng = random.Random("clusters")
    values = [float(rng.random() < 0.4) for _ in range(50)]
    n = effective_size([v for v in values for _ in range(10)], [k for k in range(50) for _ in range(10)])
    assert n == pytest.approx(effective_size(values, range(50))) and 45 < n <= 50
    assert wilson(sum(values), 50).low == pytest.approx(wilson(n * sum(values) / 50, n).low, abs=0.01)


def test_the_nearest_text_is_the_first_of_those_most_alike() -> None:
    assert nearest_texts(["他去北京", "我爱北京", "我爱北京", "天气好"], ["我爱北京吗", "天气"]) == [1, 3]
    with pytest.raises(ValueError, match="empty"):
        nearest_texts([], ["天气"])


def test_bags_have_a_place_for_each_feature() -> None:
    rows = hashed_features([["a", "b", "b"], ["b"], [], ["\ud83d"]])  # half a character is a feature, too
    assert rows.shape == (4, 2**18) and [r.nnz for r in rows] == [2, 1, 0, 1]
    assert rows.multiply(rows).sum(axis=1).ravel().tolist()[0] == pytest.approx([1, 1, 0, 1])
    assert (rows @ rows.T).toarray()[0, 1] == pytest.approx(0.5**0.5)


def test_without_scikit_learn_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction.text", None)
    with pytest.raises(ConfigError, match=r"need `pip install 'evalsuite\[authoring\]'`"):
        hashed_features([["a"]])


@pytest.mark.slow
def test_the_sample_is_told_as_its_annotations_say(tmp_path: Path) -> None:
    source = bundled("sample") / "annotations.jsonl"
    rows = read_jsonl(source)
    mine = [a for r in rows if r["set"] == "easy" for a in r["annotations"]]
    with_annotations, files = compute_stats(bundled("sample"), source), compute_stats(bundled("sample"))
    easy = with_annotations.knowledge["easy"]
    assert easy.annotations == len(mine) and easy.conflict_phrases == 2 * len(mine)
    lengths = [sum(len(a[k]) for a in mine) / len(mine) for k in ("conflict1", "conflict2")]
    assert easy.characters == pytest.approx(tuple(lengths))
    # The files tell the same, but not which conflict phrase is which.
    assert files.spread == with_annotations.spread
    assert files.knowledge["easy"].characters == pytest.approx(sum(lengths) / 2)
    assert sum(s.count for s in files.spread if s.set == "easy" and s.slot_zh == "事件原因") == sum(
        a["slot"] == "事件原因" for a in mine
    )
    assert files.table1[0].dialogues == sum(r["set"] == "easy" for r in rows)
    told, page = write_stats_page(files, tmp_path)
    assert json.loads(told.read_text(encoding="utf-8"))["findings"][0]["task"] == "knowledge_filling"
    html = page.read_text(encoding="utf-8")
    assert "<script" not in html and "http://www.w3.org/2000/svg" in html and "事件原因 Event Cause" in html


def number(text: str) -> float:
    return float(text.replace(",", ""))


def test_the_total_is_made_as_in_the_paper() -> None:
    """Table 1's columns HARD and EASY give its column Total."""
    tables = (
        Table1("hard", 10_000, (26, 14, 18.69), (1_002, 194, 464.18), 24.83),
        Table1("easy", 9_700, (26, 16, 20.10), (953, 231, 538.98), 26.81),
    )
    counts = {
        "hard": KnowledgeCounts(37_777, dict(zip(DIMENSIONS, (21_320, 16_439, 18), strict=True)), 75_554, (4.81, 4.74)),
        "easy": KnowledgeCounts(39_010, dict(zip(DIMENSIONS, (23_541, 15_461, 8), strict=True)), 78_020, (5.31, 4.91)),
    }
    found = Stats("", tables, counts, (), "test", ())
    heads, rows = table1_heads(found), table1_rows(found)
    total, paper = ([values[heads.index(name)] for _, values in rows] for name in ("Total", "paper TOTAL"))
    assert [*map(number, paper)] == [*map(number, total)]
    assert total == [
        "19,700", "26", "15", "19.40", "977.5", "212.5", "501.58", "25.82", "76,787", "44,861", "31,900", "26",
        "153,574", "5.06", "4.83",
    ]  # fmt: skip
    assert Stats("", tables[:1], counts, (), "test", ()).total is None
    assert replace(found, knowledge={"easy": counts["easy"]}).total == (*(found.total or ())[:1], None)


def test_annotations_of_other_dialogues_are_refused(tmp_path: Path) -> None:
    rows = (bundled("sample") / "annotations.jsonl").read_text(encoding="utf-8").splitlines()
    other = json.loads(rows[1])
    other["dialogue"][0] += "啊"
    file = tmp_path / "mine.jsonl"
    file.write_text(f"{rows[0]}\n\n{json.dumps(other)}\n", encoding="utf-8")
    with pytest.raises(DataError, match=f"'{other['id']}' is no dialogue of the {other['set']} set") as refused:
        compute_stats(bundled("sample"), file)
    assert (refused.value.file, refused.value.line, refused.value.field) == (file, 3, "id")


def test_the_command_shows_and_writes(tmp_path: Path) -> None:
    _choices(tmp_path, "options", 60)
    runner = CliRunner()
    shown = runner.invoke(build, ["stats", str(tmp_path), "--out", str(tmp_path / "out")])
    assert shown.exit_code == 0, shown.output
    assert "What can be had without reading the dialogue" in shown.output
    assert (tmp_path / "out/stats.html").is_file()
    as_json = json.loads(runner.invoke(build, ["stats", str(tmp_path), "--json"]).output)
    assert {f["check"] for f in as_json["findings"]} <= {*as_json["checks"]}
    both = runner.invoke(build, ["stats", str(tmp_path), "--json", "--out", str(tmp_path / "out")])
    assert json.loads(both.stdout) == as_json and "open it in a browser" in both.stderr


def test_names_from_data_are_text_on_the_page(tmp_path: Path) -> None:
    slot = "multiple_choice/{}/Slot_Identification.jsonl"
    bad = "<script>alert(1)</script>"
    options = {"(a)": bad, "(b)": "事件原因"}
    row = {"dialogue": ["A: 你好。"], "question": "关系\n短语1：甲  短语2：乙", **options, "answer": ["(a)", bad]}
    _write(tmp_path, slot, "test", [row])
    _, page = write_stats_page(compute_stats(tmp_path), tmp_path / "out")
    assert bad not in page.read_text(encoding="utf-8") and "&lt;script&gt;" in page.read_text(encoding="utf-8")


# --- the real files

# The most frequent label of the tested file, as those who derived it counted: 61 % and 40 %.
_DERIVED = {("slot_identification", "easy"): 0.61, ("slot_identification", "hard"): 0.40}


def _corpus_of_task(root: Path, name: str, folder: Path) -> CorecodeCorpus:
    """A data set's files of one task: checks of all of them take long."""
    for path in root.glob(f"data/*/*/*/*{name}.jsonl"):
        link = folder / path.relative_to(root)
        link.parent.mkdir(parents=True)
        link.symlink_to(path)
    return CorecodeCorpus(BENCHMARK, folder)


@pytest.mark.thorough
def test_derived_files_have_the_label_prior_that_is_known(real_data: Path, tmp_path: Path) -> None:
    if not (real_data / "corecode-derived").is_dir():
        pytest.skip("needs corecode-derived/ in EVALSUITE_DATA")
    checks = artefacts.run_checks(_corpus_of_task(real_data / "corecode-derived", "Slot_Identification", tmp_path))
    found = {(f.task, f.set, f.check): f for f in checks}
    for (task, item_set), share in _DERIVED.items():
        assert found[task, item_set, "label"].value == pytest.approx(share, abs=0.005)
        assert found[task, item_set, "label"].above
        assert found[task, item_set, "lookup"].value == 0, "its splits share no dialogue"


@pytest.mark.thorough
def test_official_files_leak_and_can_be_echoed(real_data: Path, tmp_path: Path) -> None:
    if not (real_data / "corecode").is_dir():
        pytest.skip("needs corecode/, the official files, in EVALSUITE_DATA")
    checks = artefacts.run_checks(_corpus_of_task(real_data / "corecode", "Event_Cause_Inference", tmp_path))
    found = {(f.task, f.set, f.check, f.measure): f for f in checks}
    # 53 items of the easy cause file (one of them twice) are in dev too, which stands in for the missing training file.
    assert round(found["event_cause", "easy", "lookup", "exact"].value * 1526) == 54
    assert found["event_cause", "hard", "lookup", "exact"].value == 0
    assert found["event_cause", "easy", "echo", "f1"].value == pytest.approx(0.333, abs=0.001)
