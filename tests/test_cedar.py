"""CEDAR: the format, the six corruptions in English and Chinese, the probes and their two figures."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalsuite.benchmarks.cedar import BENCHMARK as CEDAR
from evalsuite.benchmarks.cedar import chinese as cedar_chinese
from evalsuite.benchmarks.cedar import loader as cedar
from evalsuite.benchmarks.cedar.corruptions import CORRUPTIONS, corruption_of, words
from evalsuite.benchmarks.cedar.explanation import DIMENSIONS, NEGATED, Explanation, Instance
from evalsuite.benchmarks.cedar.metric import Probes, probe_part
from evalsuite.benchmarks.cedar.tasks import TASKS_CEDAR
from evalsuite.benchmarks.corecode import BENCHMARK
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus, path_of
from evalsuite.benchmarks.languages import LANGUAGES
from evalsuite.benchmarks.probing import pairs
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import DataError
from evalsuite.common.resources import bundled, packaged
from evalsuite.prompt import Prompt
from evalsuite.results.scoring import score_reply
from evalsuite.types import Answer, Answered, Item, Likelihood, Reading, Response, Status

INFERENCE, ATTRIBUTION = TASKS_CEDAR

# The paper's Figures 1 and 4.
HOUSE = Instance(
    "cedar/paper/test/0",
    "paper",
    "test",
    ("A: Today is your lucky day Casey.", "B: What? What do you mean?", "A: I found a buyer for the house."),
    "B: Oh Boy! I'm so happy. I knew hiring a real estate agent was a good idea.",
    (
        Explanation("event", "I found a buyer for the house", "causes", "I am so happy"),
        Explanation("location", "I am in a house", "causes", "I am so happy", valid=False),
    ),
)
FIGURE_4 = [
    ("swapped", "I am so happy causes I found a buyer for the house"),
    ("invalid", "I am in a house causes I am so happy"),
    ("negation", "I found a buyer for the house does not cause I am so happy"),
    ("reversed", "happy so am I causes house the for buyer a found I"),
]


def chinese_explanation(antecedent: str, consequent: str, connective: str = "导致", valid: bool = True) -> Explanation:
    return Explanation("event", antecedent, connective, consequent, valid, "zh")


def instance_of(*explanations: Explanation) -> Instance:
    return Instance("cedar/x/test/0", "x", "test", ("A: 好",), "B: 好", explanations)


@pytest.mark.parametrize(("name", "text"), FIGURE_4)
def test_corruptions_are_those_of_figure_4(name: str, text: str) -> None:
    assert CORRUPTIONS[name].text(HOUSE, 0) == text


@pytest.mark.parametrize("seed", range(5))
def test_shuffled_and_dropped_are_drawn_as_in_figure_4(seed: int) -> None:
    """Figure 4 shuffles all 12 words, and drops four of them, leaving the others in their order."""
    whole = HOUSE.explanations[0].text.split()
    shuffled, dropped = (
        str(CORRUPTIONS[name].text(replace(HOUSE, id=f"{HOUSE.id}{seed}"), 0)).split()
        for name in ("shuffled", "dropped")
    )
    assert sorted(shuffled) == sorted(whole) and shuffled != whole
    assert len(dropped) == 8
    rest = iter(whole)
    assert all(word in rest for word in dropped)


def test_draws_hang_on_the_explanation_alone() -> None:
    houses = [replace(HOUSE, id=f"{HOUSE.id}{n}") for n in range(6)]
    for name in ("shuffled", "dropped"):
        texts = [CORRUPTIONS[name].text(house, 0) for house in houses]
        assert len(set(texts)) > 3 and texts == [CORRUPTIONS[name].text(house, 0) for house in houses]


CHINESE = [
    ("swapped", chinese_explanation("雨下得很大", "A没去爬山"), "A没去爬山导致雨下得很大"),
    ("negation", chinese_explanation("雨下得很大", "A没去爬山"), "雨下得很大没有导致A没去爬山"),
    ("negation", chinese_explanation("天气好", "A去爬山", "促使"), "天气好没有促使A去爬山"),
    ("reversed", chinese_explanation("雨下得很大", "A没去爬山"), "爬山没去A导致很大得雨下"),
    ("reversed", chinese_explanation("天黑了，下雨", "A没出门"), "出门没A导致下雨了，天黑"),
]


@pytest.mark.parametrize(("name", "explanation", "text"), CHINESE)
def test_chinese_corruptions_move_whole_words(name: str, explanation: Explanation, text: str) -> None:
    assert CORRUPTIONS[name].text(instance_of(explanation), 0) == text


@pytest.mark.parametrize(("size", "left"), [(2, 1), (4, 3), (5, 3), (10, 7), (12, 8), (20, 14)])
def test_thirty_percent_are_dropped(size: int, left: int) -> None:
    explanation = Explanation("event", " ".join("abcdefghijklmnopqrst"[: size - 2]), "causes", "z")
    if size == 2:
        explanation = Explanation("event", "a", "causes", "")
    text = CORRUPTIONS["dropped"].text(instance_of(explanation), 0)
    assert text is not None and len(text.split()) == left


NOTHING = [
    ("invalid", Explanation("event", "a", "causes", "b")),
    ("swapped", Explanation("event", "a", "causes", "a")),
    ("reversed", Explanation("event", "a b", "causes", "b a")),
]


@pytest.mark.parametrize(("name", "explanation"), NOTHING)
def test_nothing_to_corrupt_gives_none(name: str, explanation: Explanation) -> None:
    assert CORRUPTIONS[name].text(instance_of(explanation), 0) is None


def test_every_connective_can_be_negated_and_is_one_chinese_word() -> None:
    assert all(negated != plain for table in NEGATED.values() for plain, negated in table.items())
    for connective in NEGATED["zh"]:
        assert connective in words(chinese_explanation("雨大", "路滑", connective))


LINE: dict[str, Any] = {
    "id": 0, "source": "sample", "history": ["A: Hi."], "response": "B: Hi!",
    "explanations": [{"dimension": "event", "antecedent": "a", "connective": "causes", "consequent": "b", "valid": True}],
}  # fmt: skip
BROKEN = [
    ({"id": -1}, "id", "0 or more"),
    ({"id": True}, "id", "whole number"),
    ({"source": "a/b"}, "source", "without a slash"),
    ({"history": []}, "history", "at least 1"),
    ({"response": " "}, "response", "blank"),
    ({"language": "de"}, "language", "en, zh"),
    ({"explanations": []}, "explanations", "at least 1"),
    ({"explanations": ["a causes b"]}, "explanations[0]", "expected an object"),
    ({"explanations": [{**LINE["explanations"][0], "dimension": "time"}]}, "explanations[0].dimension", "event, emotion"),
    ({"explanations": [{**LINE["explanations"][0], "connective": "因此"}]}, "explanations[0].connective", "causes, enables"),
    ({"explanations": [{**LINE["explanations"][0], "consequent": ""}]}, "explanations[0].consequent", "blank"),
    ({"explanations": [{**LINE["explanations"][0], "valid": 1}]}, "explanations[0].valid", "true or false"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "field", "message"), BROKEN)
def test_broken_lines_are_named(tmp_path: Path, change: dict[str, Any], field: str, message: str) -> None:
    path = tmp_path / "test.jsonl"
    good = {**LINE, "id": 1}
    path.write_text(f"{json.dumps(good)}\n{json.dumps({**LINE, **change})}\n", encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        cedar.read_instances(path, "test", False)
    assert (caught.value.line, caught.value.field) == (2, field)
    file = cedar.CedarCorpus(CEDAR, tmp_path, skip_bad=True).file(INFERENCE, "sample", "test")
    assert len(file.skipped) == 1 and {item.id.split(".")[0] for item in file.items} == {
        "cedar/sample/test/inference_probing/1"
    }


def test_an_id_is_taken_once_a_source(tmp_path: Path) -> None:
    path = tmp_path / "test.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in (LINE, {**LINE, "source": "other"})), encoding="utf-8")
    assert len(cedar.read_instances(path, "test", False)[0]) == 2
    path.write_text("\n".join(json.dumps(row) for row in (LINE, LINE)), encoding="utf-8")
    with pytest.raises(DataError, match="taken"):
        cedar.read_instances(path, "test", False)


@pytest.fixture(scope="module")
def bundled_instances() -> tuple[Instance, ...]:
    return cedar.read_instances(bundled("sample") / "cedar/test.jsonl", "test", False)[0]


def stems(text: str) -> set[str]:
    said = "".join(char.lower() if char.isalpha() else " " for char in text)
    return {word[:4] for word in said.split() if len(word) > 3}


def test_the_sample_is_large_enough_and_meets_what_a_program_can_see(bundled_instances: tuple[Instance, ...]) -> None:
    valid = [(i, e) for i in bundled_instances for e in i.explanations if e.valid]
    assert len(bundled_instances) >= 20 and len(valid) >= 60 and {e.dimension for _, e in valid} == set(DIMENSIONS)
    assert min(Counter(e.dimension for _, e in valid).values()) >= 5
    assert all(any(not e.valid for e in i.explanations) for i in bundled_instances)
    for instance, explanation in valid:  # relevant: about the response; not trivial: parrots no turn
        assert stems(explanation.consequent) & stems(instance.response), explanation.text
        assert all(stems(explanation.antecedent) != stems(turn) for turn in instance.history), explanation.text


def test_every_valid_explanation_of_the_sample_undergoes_every_corruption(
    bundled_instances: tuple[Instance, ...],
) -> None:
    items = cedar.probe_items(bundled_instances, INFERENCE)
    count = sum(e.valid for i in bundled_instances for e in i.explanations)
    assert Counter(map(corruption_of, items)) == dict.fromkeys(CORRUPTIONS, count)
    assert all(item.options[0] != item.options[1] and item.gold == 0 for item in items)
    assert len({item.id for item in items}) == len(items)


def test_what_a_model_is_asked() -> None:
    (inference, *_), (attribution, *_) = (cedar.probe_items([HOUSE], task) for task in TASKS_CEDAR)
    (context, target), (other, same) = pairs(Prompt(bundled("prompts"), INFERENCE, "paper"), inference)
    assert context == "\n".join([*HOUSE.history, HOUSE.explanations[0].text, "B:"])
    assert target == same == " " + HOUSE.response.removeprefix("B: ")
    assert other == context.replace(HOUSE.explanations[0].text, FIGURE_4[0][1])
    (context, target), (same, other) = pairs(Prompt(bundled("prompts"), ATTRIBUTION, "paper"), attribution)
    assert context == same == "\n".join([*HOUSE.history, HOUSE.response, "Why?", ""])
    assert (target, other) == (HOUSE.explanations[0].text, FIGURE_4[0][1])


@pytest.mark.parametrize("task", TASKS_CEDAR, ids=lambda task: task.name)
@pytest.mark.parametrize("variant", ["paper", "plain", "zh"])
def test_every_template_renders(task: Any, variant: str) -> None:
    items = cedar.probe_items([HOUSE], task)
    assert items
    for item in items:
        for context, target in pairs(Prompt(bundled("prompts"), task, variant), item):
            assert context.startswith(("A: Today", "A dialogue:", "一段对话：")) and target.strip()


def test_figures_by_hand() -> None:
    """Losses whose accuracy and difference are plain to see; a tie is not right; types weigh the same in a group."""
    rows = [
        ("swapped", 1.0),
        ("swapped", -1.0),
        ("swapped", 0.0),
        ("swapped", 2.0),
        ("negation", 0.5),
        ("reversed", 3.0),
    ]
    probes = Probes.of(
        [name for name, _ in rows], {c.name: c.group for c in CORRUPTIONS.values()}, [d for _, d in rows]
    )
    assert probes.finish(probes.statistics.sum(axis=0)) == {
        "accuracy_logical": 0.75, "delta_nll_logical": 0.5, "accuracy_complete": 1.0, "delta_nll_complete": 3.0,
        "accuracy_swapped": 0.5, "delta_nll_swapped": 0.5, "accuracy_negation": 1.0, "delta_nll_negation": 0.5,
        "accuracy_reversed": 1.0, "delta_nll_reversed": 3.0,
    }  # fmt: skip
    nothing = probes.finish(0 * probes.statistics.sum(axis=0))
    assert nothing["accuracy_negation"] == 0.5 and nothing["delta_nll_negation"] == 0  # no such probe: as by guessing


def test_a_probe_is_scored_by_the_loss_of_its_targets_tokens() -> None:
    item = cedar.probe_items([HOUSE], ATTRIBUTION)[0]
    for valid, corrupted, expected in (((-4.0, 2), (-4.0, 1), (1.0, 2.0)), ((-1.0, 1), (-1.5, 3), (0.0, -0.5)),
                                       ((-2.0, 2), (-3.0, 3), (0.0, 0.0))):  # fmt: skip
        reply = Response("", "nll", likelihoods=(Likelihood(*valid), Likelihood(*corrupted)))
        answer, score = score_reply(item, reply)
        assert (score.values["accuracy"], score.values["delta_nll"]) == expected, (valid, corrupted)
        assert answer.status is Status.PARSED and answer.choice == 1 - expected[0]


def test_explanations_that_a_person_chose_have_accuracies_alone() -> None:
    """Two probes of one corruption, one of them chosen rightly, and a right one of another: 1/2, 1, and their mean."""
    items = cedar.probe_items([HOUSE], ATTRIBUTION)
    swapped, negation = (next(i for i in items if corruption_of(i) == name) for name in ("swapped", "negation"))
    answers = tuple(Answer(Status.PARSED, choice) for choice in (0, 1, 0))
    replies = (Response("(a)", "stop"), Response("(b)", "stop"), Response("(a)", "stop"))
    asked = (swapped, swapped, negation)
    part = probe_part(Answered(ATTRIBUTION, LANGUAGES["en"], asked, replies, answers, Reading(), {}))
    found = part.sums.finish(part.sums.statistics.sum(axis=0))
    assert {name: found[name] for name in part.names} == {
        "accuracy_logical": 0.75, "accuracy_swapped": 0.5, "accuracy_negation": 1.0,
    }  # fmt: skip


def test_sets_of_both_sources_come_from_their_own_files(tmp_path: Path) -> None:
    """A folder with CEDAR's file and CORECODE's: each set's path is its own source's."""
    (tmp_path / "cedar").mkdir()
    (tmp_path / "cedar" / "test.jsonl").write_text(json.dumps(LINE), encoding="utf-8")
    source = path_of(tmp_path / "data", TASKS["event_cause"], "easy", "test")
    source.parent.mkdir(parents=True)
    source.write_text("", encoding="utf-8")
    corpus = cedar.CedarCorpus(CEDAR, tmp_path)
    assert corpus.path(INFERENCE, "sample", "test") == tmp_path / "cedar" / "test.jsonl"
    assert corpus.path(INFERENCE, "corecode-easy", "test") == source
    assert len({item.id.rpartition(".")[0] for item in corpus.file(INFERENCE, "sample", "test").items}) == 1


# --- Chinese CEDAR

TALK = (
    "A: 外面雨下得好大。",
    "B: 那我们还去爬山吗？",
    "A: 不去了，山路太滑，我怕摔跤。",
    "B: 那就在家看电影，我买了爆米花。",
)


def cause_item(task: str, event: str, answer: str, number: int = 0, item_set: str = "easy") -> Item:
    question = f"事件“{event}”的原因是什么？"
    return Item(f"c/{number}", task, item_set, "test", TALK, question, references=(answer,))


def test_a_cause_becomes_an_explanation_of_the_turn_that_tells_its_consequent() -> None:
    found = cedar_chinese.chinese_instances(
        [
            cause_item("event_cause", "A怕山路太滑会摔跤", "雨下得好大"),
            cause_item("subsequent_event", "A和B不去爬山了", "B在家看电影", 1),
            cause_item("clipped_subsequent_event", "A和B不去爬山了", "B在家看电影", 2),
            cause_item("event_cause", "股票涨了", "雨下得好大", 3),
        ]
    )
    assert [(i.response, i.history) for i in found] == [(TALK[2], TALK[:2]), (TALK[3], TALK[:3])]
    first, second = (i.explanations for i in found)
    assert first == (
        chinese_explanation("雨下得好大", "A怕山路太滑会摔跤"),
        chinese_explanation("A和B不去爬山了", "A怕山路太滑会摔跤", valid=False),
    )
    assert second[1:] == (chinese_explanation("雨下得好大", "B在家看电影", valid=False),)
    assert found[0].id == "cedar/corecode-easy/test/0"


RESPONSES = [
    ("B在家看电影", 3),
    ("在家看电影", 3),
    ("A在家看电影", None),  # A never says so
    ("外面雨下得好大", None),  # the first turn has no history
    ("去月球", None),
]


@pytest.mark.parametrize(("consequent", "turn"), RESPONSES)
def test_the_response_is_the_turn_that_tells_the_consequent(consequent: str, turn: int | None) -> None:
    assert cedar_chinese.response_turn(TALK, consequent) == turn


def test_what_led_to_the_cause_is_no_wrong_cause() -> None:
    chain = [
        cause_item("event_cause", "山路太滑", "雨下得好大"),
        cause_item("event_cause", "A不去爬山怕摔跤", "山路太滑", 1),
    ]
    (instance,) = cedar_chinese.chinese_instances(chain)  # both consequents are told in the third turn
    assert [(e.antecedent, e.valid) for e in instance.explanations] == [("雨下得好大", True), ("山路太滑", True)]


def test_sets_are_not_mixed() -> None:
    with pytest.raises(ValueError, match="corecode-hard"):
        cedar_chinese.chinese_instances(
            [cause_item("event_cause", "山路太滑", "雨大", n, s) for n, s in enumerate(("easy", "hard"))]
        )


def annotated(corpus: CorecodeCorpus, item_set: str = "easy") -> list[Item]:
    return [i for t in ("event_cause", "subsequent_event") for i in corpus.file(TASKS[t], item_set, "test").items]


def test_the_bundled_corecode_gives_chinese_probes(sample: CorecodeCorpus) -> None:
    items = cedar.probe_items(cedar_chinese.chinese_instances(annotated(sample)), ATTRIBUTION)
    assert {corruption_of(item) for item in items} >= set(CORRUPTIONS) - {"invalid"}
    assert all(item.question == "为什么？" and "导致" in item.options[0] for item in items)


@pytest.mark.slow
def test_the_real_corecode_gives_chinese_probes(real_data: Path) -> None:
    if not (real_data / "corecode").is_dir():
        pytest.skip("needs corecode/, the official files, in EVALSUITE_DATA")
    found = cedar_chinese.chinese_instances(annotated(CorecodeCorpus(BENCHMARK, real_data / "corecode")))
    items = cedar.probe_items(found, ATTRIBUTION)
    counts = Counter(map(corruption_of, items))
    assert (len(found), counts["negation"], counts["invalid"]) == (1118, 1168, 360)
    assert min(counts[name] for name in CORRUPTIONS if name != "invalid") == 1168
    assert all(item.options[0] != item.options[1] for item in items)


# --- the paper's figures

SPOTS = [
    # table, data set, task, model, metric, value; each as the paper's text quotes or prints it
    ("Table 1", "DailyDialog", "inference_probing", "DialoGPT", "accuracy_logical", 0.57),
    ("Table 1", "SocialIQA", "inference_probing", "DialoGPT", "delta_nll_complete", 0.40),
    ("Table 1", "DailyDialog", "inference_probing", "BART-base", "delta_nll_complete", -0.38),
    ("Table 1", "MuTual", "inference_probing", "Human", "accuracy_logical", 0.9),
    ("Table 2", "EmpatheticDialogues", "attribution_probing", "TopicalChat-GPT2", "delta_nll_complete", 3.08),
    ("Table 2", "SocialIQA", "attribution_probing", "BART-large-ft", "accuracy_complete", 0.63),
]


def test_the_published_figures_are_whole() -> None:
    with packaged("benchmarks/cedar/published.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    table = {(r["source"], r["set"], r["task"], r["model"], r["metric"]): float(r["value"]) for r in rows}
    assert len(table) == len(rows) == 2 * (8 * 4 * 4 + 8)  # people have no NLL
    assert all(table[spot[:5]] == spot[5] for spot in SPOTS)
    metrics = {f"{what}_{group}" for what in ("accuracy", "delta_nll") for group in ("logical", "complete")}
    assert {r["metric"] for r in rows} == metrics == set(INFERENCE.metrics)
    # Section 5.2: but for BART, models know a valid explanation from a completely corrupted one, most near 1.
    known = [
        v for (s, _, _, m, k), v in table.items() if s == "Table 2" and k == "accuracy_complete" and "BART" not in m
    ]
    assert min(known) > 0.8
