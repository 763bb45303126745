"""Breakdowns and confusions: figures worked out by hand, then real runs counted again from their records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from as_json import sheets_of
from rich.console import Console
from run_files import read_jsonl, results_json
from scipy.stats import norm, t
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.analyses import breakdown as breakdowns
from evalsuite.analyses import confusion as of_names
from evalsuite.analyses.breakdown import DISTANCES, TURNS, breakdown, distance
from evalsuite.analyses.confusion import Confusion, confusion, confusions
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.benchmarks.corecode.ontology import slots
from evalsuite.benchmarks.registry import TASKS
from evalsuite.cli.tables.terminal import draw
from evalsuite.metrics.statistics import Means, bootstrap, wilson
from evalsuite.results.outcomes import ScoredReply, outcomes_of
from evalsuite.types import PLACE, Answer, Cell, Item, Place, Request, Response, Score, Status, Trial

FILLING, DOMAINS, SLOTS, TEXT = "knowledge_filling", "domain_identification", "slot_identification", "event_cause"


def item(task: str, n: int, turns: Sequence[str], question: str = "请选择。", options: Sequence[str] = (), gold: int | None = None, answer: str = "对") -> Item:  # fmt: skip
    labels = tuple(f"({'abcdefghijklmno'[i]})" for i in range(len(options)))
    place = (f"corecode/easy/test/{task}/{n}", task, "easy", "test", tuple(turns), question)
    return Item(*place, tuple(options), labels, gold, (answer,) if gold is None else (options[gold],))


def dialogue(n: int, turns: int) -> list[str]:
    return [f"{'AB'[i % 2]}: 第{n}段对话里说的第{i}句话，与别的都不同。" for i in range(turns)]


def cell(task: str, perturb: str = "none") -> Cell:
    return Cell(Place("m", task, "easy", "test", "paper", 0, "generate", perturb), {"seed": 0, "data": "d"})


def row(asked: Item, choice: int | None = None, value: float | None = None, rotation: int = 0) -> ScoredReply:  # fmt: skip
    trial = Trial(asked, Request(asked.id, "", (), 8), "paper", rotation=rotation)
    answer = Answer(Status.UNPARSED if choice is None and value is None else Status.PARSED, choice)
    scores = {"accuracy": float(choice == asked.gold)} if asked.options else {"f1": value or 0.0, "em": 0.0}
    return trial, Response("", "stop"), answer, Score(scores)


def breakdown_entry(of: Cell, rows: Sequence[ScoredReply]) -> dict[str, Any]:
    entry = breakdown(outcomes_of(of, rows), {})
    assert entry is not None
    return entry.written()


def bins(entry: dict[str, Any], by: str) -> list[tuple[Any, ...]]:
    return [(b["low"], b["high"], b["n"], b["dialogues"], b["value"]) for b in entry[by]]


# --- bins


def test_by_turns_and_options_worked_out_by_hand() -> None:
    asked = [
        (3, "甲乙", 0, 0), (5, "甲乙", 1, 1),  # right, right; each of its own dialogue
        (16, "甲乙丙", 0, 1), (16, "甲乙丙", 2, 2), (17, "甲乙", 0, None),  # wrong, right, no answer
        (30, "甲乙丙", 0, 0),
    ]  # fmt: skip
    rows = [
        row(item(FILLING, n, dialogue(n, turns), options=options, gold=gold), choice)
        for n, (turns, options, gold, choice) in enumerate(asked)
    ]
    entry = breakdown_entry(cell(FILLING), rows)
    assert bins(entry, "turns") == [(1, 5, 2, 2, 1.0), (16, 17, 3, 3, 0.333333), (26, None, 1, 1, 1.0)]
    assert bins(entry, "options") == [(2, 2, 3, 3, 0.666667), (3, 3, 3, 3, 0.666667)]
    assert bins(entry, "distance") == [(None, None, 6, 6, 0.666667)]
    assert (
        breakdown_entry(cell(FILLING), rows[::-1])["turns"] == entry["turns"]
    )  # in ascending order, whatever that of the items
    assert {name: entry[name] for name in PLACE} == cell(FILLING).place.as_dict() and entry["metric"] == "accuracy"


def test_a_property_that_does_not_divide_a_task_is_not_shown() -> None:
    """Three options everywhere: scores by the number of options are the task's. Dialogues of two lengths are two columns."""
    filling = [
        row(item(FILLING, n, dialogue(n, 3 + 5 * (n % 2)), options=("甲", "乙", "丙"), gold=0), 0) for n in range(4)
    ]
    domains = [row(item(DOMAINS, n, dialogue(n, 12), options=("甲", "乙"), gold=0), 0) for n in range(4)]
    entries = [breakdown(outcomes_of(cell(task), rows), {}) for task, rows in ((FILLING, filling), (DOMAINS, domains))]
    (turns,) = sheets_of(breakdowns.ANALYSIS, entries)
    assert "by turns" in turns.title.en and [c.heading for c in turns.columns] == ["", "1-5", "6-10"]
    assert {r.about["task"] for r in turns.rows if r.kind == ""} == {FILLING}


@pytest.mark.parametrize(("perturb", "shown"), [("none", True), ("circular", False)])
def test_chance_by_options_is_that_of_one_asking(perturb: str, shown: bool) -> None:
    """An item asked in all rotations is right if all are: guesses are so more seldom than in 1 of 2 or 3 cases."""
    rows = [
        row(item(FILLING, n, dialogue(n, 3), options=options, gold=0), 0, rotation=rotation)
        for n, options in enumerate([("甲", "乙"), ("甲", "乙", "丙")])
        for rotation in range(1 if shown else len(options))
    ]
    sheets = sheets_of(breakdowns.ANALYSIS, [breakdown(outcomes_of(cell(FILLING, perturb), rows), {})])
    (by_options,) = [sheet for sheet in sheets if "by number of options" in sheet.title.en]
    assert any(line.kind == "apart" for line in by_options.rows) == shown


def test_items_of_one_dialogue_count_as_a_dialogue() -> None:
    same, other = dialogue(0, 20), dialogue(1, 20)
    rows = [
        row(item(FILLING, n, same if n < 3 else other, options="甲乙", gold=0), 0 if n < 3 else 1) for n in range(6)
    ]
    ((low, high, n, dialogues, value),) = bins(breakdown_entry(cell(FILLING), rows), "turns")
    assert (low, high, n, dialogues, value) == (20, 21, 6, 2, 0.5)
    # One dialogue all right, the other all wrong: the effective sample size is 2/3 of an item, and at least 1 is taken, times
    # (1.96 / 12.706)² because two dialogues estimated it.
    (only,) = breakdown_entry(cell(FILLING), rows)["turns"]
    size = (1.959964 / 12.706205) ** 2
    by_hand = wilson(0.5 * size, size)
    assert only["interval"] == pytest.approx([by_hand.low, by_hand.high], abs=1e-6)


def test_a_bin_of_one_dialogue_has_no_interval() -> None:
    rows = [row(item(FILLING, n, dialogue(0, 20), options="甲乙", gold=0), n % 2) for n in range(4)]
    (only,) = breakdown_entry(cell(FILLING), rows)["turns"]
    assert (only["n"], only["dialogues"], only["value"], only["interval"]) == (4, 1, 0.5, None)


@pytest.mark.parametrize(("right", "n"), [(0, 3), (3, 3), (12, 12), (5, 12), (30, 100)])
def test_the_interval_of_independent_items_is_wilsons_for_few_dialogues(right: int, n: int) -> None:
    rows = [row(item(FILLING, k, dialogue(k, 20), options="甲乙", gold=0), 0 if k < right else 1) for k in range(n)]
    low, high = breakdown_entry(cell(FILLING), rows)["turns"][0]["interval"]
    # n - 1 in place of n where there is any variance: a sample's is the smaller.
    size = (n - (0 < right < n)) * (norm.ppf(0.975) / t.ppf(0.975, n - 1)) ** 2
    by_hand = wilson(right / n * size, size)
    assert (low, high) == pytest.approx((by_hand.low, by_hand.high), abs=1e-6)


def test_items_are_binned_by_their_right_answers_as_in_ciceros_table_3() -> None:
    golds = [(0,), (1, 2), (0, 3), (0, 1, 2), (0, 1, 2, 3)]
    items = [
        replace(
            item("cicero_all_answers", k, dialogue(k, 20), options="甲乙丙丁", gold=0),
            gold=None,
            references=tuple("甲乙丙丁"[n] for n in many),
        )
        for k, many in enumerate(golds)
    ]
    rows = [
        (
            Trial(one, Request(one.id, "", (), 8), "paper"),
            Response("", "stop"),
            Answer(Status.PARSED, choices=(0,)),
            Score({"set_accuracy": 0.0}),
        )
        for one in items
    ]
    assert [(b["low"], b["high"], b["n"]) for b in breakdown_entry(cell("cicero_all_answers"), rows)["answers"]] == [
        (1, 1, 1),
        (2, 2, 2),
        (3, None, 2),
    ]


@pytest.mark.parametrize("values", ["right and wrong", "between"])
def test_large_bins_get_what_resampling_gives(values: str) -> None:
    random = Random(1)
    task = FILLING if values == "right and wrong" else TEXT
    rows, numbers, of = [], [], []
    for k in range(120):
        ease = random.random()
        for n in range(random.randint(1, 6)):
            value = float(random.random() < ease) if task == FILLING else round(0.4 * random.random() + 0.2 * ease, 3)
            options = "甲乙" if task == FILLING else ""
            asked = item(task, 10 * k + n, dialogue(k, 20), options=options, gold=0 if options else None)
            rows.append(row(asked, 0 if value == 1.0 else 1) if options else row(asked, value=value))
            numbers.append(value)
            of.append(k)
    (only,) = breakdown_entry(cell(task), rows)["turns"]
    drawn = bootstrap(Means.of({"m": numbers}), of, Random(2))["m"]
    assert only["dialogues"] == 120 and only["value"] == pytest.approx(drawn.value, abs=1e-6)
    assert only["interval"] == pytest.approx([drawn.low, drawn.high], abs=0.1 * (drawn.high - drawn.low))


def test_rotations_are_one_item_and_lost_ones_none() -> None:
    def rotations(n: int, choices: Sequence[int | None]) -> list[ScoredReply]:
        asked = item(FILLING, n, dialogue(n, 20), options="甲乙丙", gold=0)
        return [row(asked, choice, rotation=r) for r, choice in enumerate(choices)]

    rows = [*rotations(0, (0, 0, 0)), *rotations(1, (0, 1, 0)), *rotations(2, (0, 0))]
    assert bins(breakdown_entry(cell(FILLING, "circular"), rows), "turns") == [(20, 21, 2, 2, 0.5)]
    assert breakdown(outcomes_of(cell(FILLING, "circular"), rows[-2:]), {}) is None
    assert breakdown(outcomes_of(cell(TEXT), []), {}) is None


def test_bins_leave_nothing_out() -> None:
    for every in (TURNS, DISTANCES):
        for (_, high), (low, _) in pairwise(every):
            assert high is not None and low == high + 1
        assert every[-1][1] is None
    assert TURNS[0][0] == 1 and DISTANCES[0] == (0, 0)  # no dialogue is shorter, and no distance


# --- distance

TALK = (
    "A: 你去哪儿？",
    "B: 地铁坏了，我走路来。",
    "A: 那你累坏了吧。",
    "B: 累坏了。A也累。",
    "A: 我去买[MASK]。",
    "B: 冰水就行。",
)
ASKED = "事件“{}”的原因是什么？"
TWO = "选择下面两个短语之间的关系。\n短语{0}{2} {3}  短语{1}{2} {4}"


@pytest.mark.parametrize(
    ("question", "answer", "wanted"),
    [
        (ASKED.format("我走路来"), "地铁坏了", 0),
        (ASKED.format("那你累坏了吧"), "地铁坏了", 1),
        (ASKED.format("地铁坏了"), "累坏了", 1),  # the answer stands twice: the nearer one counts
        (ASKED.format("冰水"), "你去哪儿", 5),
        (ASKED.format(" 冰水 "), "你去哪儿", 5),  # some official events have blanks around them
        (ASKED.format("B走路来"), "地铁坏了", None),  # the event is in the annotators' words, which stand in no turn
        (ASKED.format("地铁坏了"), "B累", None),
        (ASKED.format("A"), "地铁坏了", 2),  # the turn in which A is named, not one in which A speaks
        (ASKED.format(""), "地铁坏了", None),
        ("选择对话中的[MASK]处应填入的选项。", "冰水", 1),
        ("选择对话中的[MASK]处应填入的选项。", "雪糕", None),
        ("抽取出与对话上下文不符的文本。", "冰水", None),  # the question is about the whole dialogue
        (TWO.format(1, 2, "：", "地铁坏了", "冰水"), "原因", 4),
        (TWO.format(1, 2, ":", "地铁坏了", "天黑了"), "原因", None),
        (TWO.format(1, 2, ":", "“你去哪儿”", "冰水"), "原因", None),
    ],
)
def test_distance_is_from_the_question_to_the_answer(question: str, answer: str, wanted: int | None) -> None:
    assert distance(item(TEXT, 0, TALK, question, answer=answer)) == wanted


def test_distances_of_the_sample(sample: CorecodeCorpus) -> None:
    """Spans of the sample that are known to stand there, and that traditional script changes nothing."""
    counts = {
        task: Counter(distance(i) for i in sample.file(TASKS[task], "easy", "test").items)
        for task in (SLOTS, "knowledge_generation", FILLING, "conflict_detection")
    }
    assert counts[SLOTS] == {None: 151, 0: 14, 1: 8, 5: 1, 13: 1}
    # An alternative stands nearer than the value of one item.
    assert counts["knowledge_generation"] == {None: 151, 0: 15, 1: 7, 5: 1, 13: 1}
    assert set(counts[FILLING]) == set(counts["conflict_detection"]) == {None}
    pytest.importorskip("opencc", reason="needs evalsuite[dev]")
    from evalsuite.perturb import PERTURBATIONS

    for one in sample.file(TASKS[SLOTS], "easy", "test").items:
        (other,) = PERTURBATIONS["traditional"].items(one)
        assert distance(other) == distance(one)


# --- confusions

ENTITY = ("属性", "比较", "空间")
EVENT = ("前提", "原因", "后果", "时间", "空间")


def test_confusions_worked_out_by_hand() -> None:
    asked = [
        (ENTITY, 0, 0), (ENTITY, 0, 2), (ENTITY, 0, None),  # 属性: right, taken for space, nothing
        (EVENT, 4, 1), (EVENT, 4, 1), (EVENT, 1, 1), (("原因", "天气"), 0, 1),
    ]  # fmt: skip
    rows = [row(item(DOMAINS, n, TALK, options=o, gold=g), choice) for n, (o, g, choice) in enumerate(asked)]
    made = confusion(outcomes_of(cell(DOMAINS), rows))
    assert made is not None
    entry = made.written()
    assert {name: entry[name] for name in PLACE} == cell(DOMAINS).place.as_dict()
    assert entry["names"] == [
        ["属性", "Attribution"], ["比较", "Comparison"], ["空间（实体）", "Space (entity)"], ["前提", "Prerequisite"], ["原因", "Cause"],
        ["后果", "Consequence"], ["时间", "Time"], ["空间（事件）", "Space (event)"], ["天气", "天气"],
    ]  # fmt: skip
    assert entry["pairs"] == [[0, 0, 1], [0, 2, 1], [4, 4, 1], [4, 8, 1], [7, 4, 2]]
    assert entry["silent"] == [[0, 1]]
    assert sorted(entry["offers"], key=str) == sorted(
        [{"options": [0, 1, 2], "gold": [[0, 3]]}, {"options": [3, 4, 5, 6, 7], "gold": [[4, 1], [7, 2]]}, {"options": [4, 8], "gold": [[4, 1]]}],
        key=str,
    )  # fmt: skip
    assert confusions(made) == [(7, 4, 2, 2), (0, 2, 1, 3), (4, 8, 1, 1)]
    assert confusion(outcomes_of(cell(FILLING), rows)) is None and confusion(outcomes_of(cell(DOMAINS), [])) is None


NAMES = [
    (SLOTS, ("是", "Is A", "由...制成", "由…製成", "後續事件", " 频率 "), ("是", "是一个", "由…制成", "由…制成", "后续事件", "频率")),
    (SLOTS, ("没有这个",), ("没有这个",)),
    (DOMAINS, ("属性", "比较", "空间"), ("属性", "比较", "空间（实体）")),
    (DOMAINS, ("前提", "原因", "后果", "时间", "空间"), ("前提", "原因", "后果", "时间", "空间（事件）")),
    (DOMAINS, ("屬性", "空間"), ("属性", "空间（实体）")),
    (DOMAINS, ("Cause", "space"), ("原因", "空间（事件）")),
    (DOMAINS, ("空间", "社会规范"), ("空间", "社会规范")),  # the dimension cannot be told from these names
    (DOMAINS, ("空间",), ("空间",)),
]  # fmt: skip


@pytest.mark.parametrize(("task", "options", "wanted"), NAMES)
def test_names_of_the_ontology(task: str, options: tuple[str, ...], wanted: tuple[str, ...]) -> None:
    names = TASKS[task].option_names
    assert names and names.of(options) == wanted


def test_every_slot_has_a_name_of_its_own() -> None:
    both = (*(s.zh for s in slots()), *(s.en for s in slots()))
    names = TASKS[SLOTS].option_names
    assert names and names.of(both) == 2 * tuple(s.zh for s in slots())


# --- a run, counted again from its records


@shared_folder
def run(folder: Path) -> Path:
    out = folder / "run"
    evalsuite.run(model=["random", "lexical"], limit=12, perturb=["none", "circular", "traditional"], out=out)
    return out


@pytest.mark.thorough
def test_a_real_run_counted_again(run: Path) -> None:
    """The counts use no object of ours, only the lines of records/ and what the paper says of the ontology."""
    results = results_json(run)
    slices = {tuple(e[k] for k in PLACE): e for e in results["breakdowns"]}
    mixed = {tuple(e[k] for k in PLACE): e for e in results["confusions"]}
    assert len(slices) == len(results["cells"])
    assert len(mixed) == sum(c["task"] in (SLOTS, DOMAINS) for c in results["cells"])
    for entry in results["cells"]:
        place = tuple(entry[k] for k in PLACE)
        records = read_jsonl(run / entry["records"])
        metric = slices[place]["metric"]
        items: dict[str, list[dict[str, Any]]] = {}
        for record in records:
            items.setdefault(record["item"], []).append(record)
        of = {name: (same[0], min(r["scores"][metric] for r in same)) for name, same in items.items()}
        for by, size in (("turns", lambda r: len(r["dialogue"])), ("options", lambda r: len(r["options"]))):
            for b in slices[place].get(by, []):
                mine = [v for r, v in of.values() if b["low"] <= size(r) <= (b["high"] or 99)]
                assert (b["n"], b["value"]) == (len(mine), pytest.approx(sum(mine) / len(mine), abs=1e-6))
                assert 1 <= b["dialogues"] <= b["n"] and (b["interval"] is None) == (b["dialogues"] == 1)
                low, high = b["interval"] or (b["value"], b["value"])
                assert low <= b["value"] <= high
        for by in ("turns", "distance", *(["options"] if "chance" in entry else [])):
            parts = slices[place][by]
            assert sum(b["n"] for b in parts) == len(of)
            whole = sum(b["n"] * b["value"] for b in parts) / len(of)
            assert whole == pytest.approx(entry["metrics"][metric]["value"], abs=1e-5)
        if place in mixed:
            check_confusion(mixed[place], records)


def check_confusion(entry: dict[str, Any], records: Sequence[dict[str, Any]]) -> None:
    chosen = Counter((r["references"][0], r["options"][r["answer"]["choice"]]) for r in records)
    assert sum(n for *_, n in entry["pairs"]) + sum(n for _, n in entry["silent"]) == len(records)
    # The sample asks in Chinese: but for 空间 and traditional script, names are the options' own words.
    if entry["perturb"] != "traditional":
        plain = [name.partition("（")[0] for name, _ in entry["names"]]
        again: Counter[tuple[str, str]] = Counter()
        for gold, name, count in entry["pairs"]:
            again[plain[gold], plain[name]] += count
        assert again == chosen
    right = sum(n for gold, name, n in entry["pairs"] if gold == name)
    assert right == sum(r["scores"]["accuracy"] == 1.0 for r in records)
    for gold, name, count, offered in confusions(Confusion.model_validate(entry)):
        assert gold != name and 0 < count <= offered


@pytest.mark.slow
def test_confusions_of_both_scripts_have_the_same_names(run: Path) -> None:
    found = results_json(run)["confusions"]
    names = {e["perturb"]: [n for n, _ in e["names"]] for e in found if (e["model"], e["set"], e["task"]) == ("random", "easy", SLOTS)}  # fmt: skip
    assert names["traditional"] == names["none"] == names["circular"]


def test_tables_fit_the_terminal(run: Path) -> None:
    results = results_json(run)
    console = Console(width=100, record=True, file=None, legacy_windows=False, force_terminal=False, quiet=False)
    with console.capture() as capture:
        for table in draw(
            (
                *sheets_of(breakdowns.ANALYSIS, results["breakdowns"]),
                *sheets_of(of_names.ANALYSIS, results["confusions"]),
            )
        ):
            console.print(table)
    text = capture.get()
    assert "…" not in text.replace("由…制成", "").replace("是…的一部分", "")
    assert "HARD, test paper 0-shot: by turns of the dialogue" in text and "18-19" in text
    assert "SI EASY, test paper 0-shot circular: taken for another" in text
    entry = next(e for e in results["confusions"] if e["task"] == SLOTS)
    gold, name, count, offered = confusions(Confusion.model_validate(entry))[0]
    line = next(line for line in text.splitlines() if entry["names"][gold][1] in line and entry["names"][name][1] in line)  # fmt: skip
    assert str(count) in line and str(offered) in line
    assert sheets_of(breakdowns.ANALYSIS, []) == sheets_of(of_names.ANALYSIS, []) == []
