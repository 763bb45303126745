"""Knowledge of models against their conclusions: rows by hand, verdicts of judges, sheets, and the measures of CHARM's
authors by their
own script."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from as_json import content_of, scored_outcomes, sheets_of
from needs import needs
from shared_fixtures import shared_folder

from evalsuite.analyses.journey import score_run
from evalsuite.analyses.judged.summary import Verdicts
from evalsuite.analyses.memory import ANALYSIS, memory
from evalsuite.benchmarks.charm import BENCHMARK
from evalsuite.benchmarks.corpus import Corpus
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.sheet import english, spell
from evalsuite.metrics.independence import Solved, frmm, mib
from evalsuite.metrics.statistics import few_dialogues
from evalsuite.results.outcomes import CellOutcomes, Outcome
from evalsuite.results.store import StoredQuestions
from evalsuite.types import Answer, Cell, Item, Place, Reading, Request, Response, Score, Status, Trial

# Tasks stand in for others: what is computed depends on `rests_on` alone.
ASKS, OTHER, FACTS = "domain_identification", "slot_identification", "event_cause"


def cell(task: str, values: Mapping[str, float | list[float]], rests_on: Mapping[str, Iterable[str]] | None = None,
         model: str = "m", **more: Any) -> CellOutcomes:  # fmt: skip
    """The outcomes of a cell. `values`: item -> its value, or a list of its samples' values. Items of one name, of any task, have
    one dialogue."""
    place = replace(Place(model, task, "easy", "test", "paper", 0), **more)
    outcomes = [
        Outcome(
            Item(item, task, "easy", "test", (f"A: {item}",), "", rests_on=tuple((rests_on or {}).get(item, ()))), 0, sample, n, value,
            Answer(Status.PARSED), Score(),
        )
        for n, (item, found) in enumerate(values.items())
        for sample, value in enumerate(found if isinstance(found, list) else [found])
    ]  # fmt: skip
    return CellOutcomes(Cell(place, {}), (), tuple(outcomes))


def content(*cells: CellOutcomes, **more: Any) -> dict[str, Any]:
    found = memory([scored_outcomes(c) for c in cells], **more)
    return found.written() if found else {}


KNOWS = {"f1": 1.0, "f2": 1.0, "f3": 0.0, "f4": 0.5}
RESTS = {"a": ["f1"], "b": ["f1", "f2"], "c": ["f2", "f3"], "d": ["f4"], "e": [], "f": ["f1", "nowhere"], "g": ["f3", "nowhere"]}  # fmt: skip
RIGHT = {"a": 1.0, "b": 0.0, "c": 0.0, "d": 1.0, "e": 1.0, "f": 1.0, "g": 0.0}


def test_a_row_by_hand() -> None:
    (row,) = content(cell(FACTS, KNOWS), cell(ASKS, RIGHT, RESTS))["tasks"]
    assert (row["model"], row["task"], row["metric"]) == ("m", ASKS, "accuracy")
    assert row["knowledge"] == [{"facts_of": FACTS, "wording": "paper", "metric": "f1", "judge": None}]
    # 0.5 is no more than half: not known. f rests on a fact that nobody asked for; g on a lacking one, which decides.
    assert [(row[name]["n"], row[name]["value"]) for name in ("facts", "all", "known", "rest")] == [
        (4, 0.5),
        (7, 0.571429),
        (2, 0.5),
        (3, 0.333333),
    ]
    assert (row["free"], row["unclear"]) == (1, 1)
    interval = few_dialogues([1, 0], "ab")
    assert row["known"]["interval"] == [round(interval.low, 6), round(interval.high, 6)]


def test_samples_are_means_and_decide_by_most_of_them() -> None:
    facts = cell(FACTS, {"f1": [1.0, 1.0, 0.0], "f2": [1.0, 0.0, 0.0]})
    asks = cell(ASKS, {"a": [1.0, 0.0, 0.0], "b": [1.0, 1.0, 0.0]}, {"a": ["f1"], "b": ["f2"]})
    found = content(facts, asks)
    assert (found["tasks"][0]["known"]["value"], found["tasks"][0]["rest"]["value"]) == (0.333333, 0.666667)
    (model,) = found["independent"][0]["models"]
    assert (model["accuracy"], model["retained"], model["frmm"]) == (0.5, 1, 0.0)


def test_which_cells_tell_what_is_known() -> None:
    asks = cell(ASKS, {"a": 1.0}, {"a": ["f1"]})
    wrong = {"variant": "zh"}, {"variant": "direct"}
    others = [cell(FACTS, {"f1": 0.0}, shots=3), cell(FACTS, {"f1": 0.0}, perturb="shuffle"),
              cell(FACTS, {"f1": 0.0}, scoring="nll"), cell(FACTS, {"f1": 0.0}, model="n")]  # fmt: skip
    assert content(asks, *others) == {}
    first, second = (cell(FACTS, {"f1": 0.0}, **more) for more in wrong)
    (row,) = content(asks, *others, first, second)["tasks"]
    assert (row["knowledge"][0]["wording"], row["known"]) == ("direct", None)
    (row,) = content(asks, *others, first, second, cell(FACTS, {"f1": 1.0}))["tasks"]
    assert (row["knowledge"][0]["wording"], row["known"]["n"]) == ("paper", 1)
    assert content(cell(ASKS, {"a": 1.0}), first) == {}


def test_tasks_are_pooled_with_their_own_dialogues() -> None:
    one, two = cell(OTHER, {"x": 1.0, "y": 0.0}, {"x": ["f1"], "y": ["f1"]}), cell(ASKS, {"a": 1.0}, {"a": ["f2"]})
    found = content(cell(FACTS, KNOWS), one, two, cell(ASKS, {"a": 0.0}, {"a": ["f2"]}, variant="cot"))
    (row,) = found["pooled"]
    assert (row["model"], row["variant"], row["tasks"], row["sets"]) == ("m", "paper", [ASKS, OTHER], ["easy"])
    assert (row["all"]["n"], row["all"]["dialogues"], row["facts"]["n"]) == (3, 3, 2)
    assert [(i["variant"], i["tasks"]) for i in found["independent"]] == [("paper", [ASKS, OTHER]), ("cot", [ASKS])]


def test_a_dialogue_that_two_tasks_ask_about_counts_once() -> None:
    one, two = (cell(task, {"x": 1.0, "y": 0.0}, {"x": ["f1"], "y": ["f1"]}) for task in (OTHER, ASKS))
    (row,) = content(cell(FACTS, KNOWS), one, two)["pooled"]
    assert (row["all"]["n"], row["all"]["dialogues"]) == (4, 2)


TRAINED = {"base": "whole", "task": ASKS, "size": 1, "seed": 0, "set": "both", "allow_leak": False, "labels": {}}


def test_only_whole_cells_of_models_are_ranked() -> None:
    names = ("whole", "failed", "random", "adapter", "short")
    cells = [c for m in names for c in (cell(FACTS, KNOWS, model=m), cell(ASKS, RIGHT, RESTS, model=m))]
    unusual = {
        "failed": {"status": {"failed": 1}},
        "random": {"facts": {"backend": "baseline"}},
        "adapter": {"facts": {"trained": TRAINED}},
        "short": {"missing": 2},
    }
    made = memory([scored_outcomes(c, **unusual.get(c.place.model, {})) for c in cells])
    assert made
    found = made.written()
    assert {row["model"] for row in found["tasks"]} == {*names}
    (group,) = found["independent"]
    assert ([m["model"] for m in group["models"]], group["left_out"]) == (["whole"], ["failed", "short"])
    assert (group["models"][0]["mib"], group["models"][0]["battles"]) == (None, [])


# --- judges


def have_facts_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the official scoring of the facts' task be a judge's."""
    tasks = {**TASKS, FACTS: replace(TASKS[FACTS], judged_by="charm")}
    monkeypatch.setattr("evalsuite.analyses.memory.TASKS", tasks)


def verdict(judge: str, right: dict[str, bool], model: str = "m") -> Verdicts:
    return Verdicts(Place(model, FACTS, "easy", "test", "paper", 0), judge, "correct", right)


def test_a_judge_takes_the_place_of_the_rule_where_scoring_is_a_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = cell(FACTS, KNOWS), cell(ASKS, RIGHT, RESTS)
    asked: list[Mapping[str, str]] = []

    def verdicts(rubrics: Mapping[str, str]) -> list[Verdicts]:
        asked.append(rubrics)
        return [verdict("b", {"f1": False, "f2": True}), verdict("a", {"f1": True, "f2": False, "f3": True})]

    (row,) = content(*cells, judged=verdicts)["tasks"]
    assert (row["knowledge"][0]["judge"], asked) == (None, [])
    have_facts_judged(monkeypatch)
    (row,) = content(*cells, judged=verdicts)["tasks"]
    assert asked == [{FACTS: "charm"}]
    assert row["knowledge"] == [{"facts_of": FACTS, "wording": "paper", "metric": "correct", "judge": "a"}]
    # known: a; lacking: b and c, by f2; f4 has no verdict, so d is unclear, as is f; g: f3 is known, the other never asked.
    assert (row["known"]["n"], row["rest"]["n"], row["free"], row["unclear"]) == (1, 2, 1, 3)
    (group,) = content(*cells, judged=verdicts)["independent"]
    assert (group["models"][0]["retained"], group["models"][0]["unclear"]) == (2, 3)
    for nobody in ([], [verdict("a", {})]):
        (row,) = content(*cells, judged=lambda rubrics, nobody=nobody: nobody)["tasks"]
        assert row["knowledge"][0]["judge"] is None


def test_models_are_compared_on_facts_decided_in_one_way(monkeypatch: pytest.MonkeyPatch) -> None:
    have_facts_judged(monkeypatch)
    cells = [c for m in ("m", "n", "o") for c in (cell(FACTS, KNOWS, model=m), cell(ASKS, RIGHT, RESTS, model=m))]
    opinions = [verdict("judge", {"f1": True}, model) for model in ("m", "n")]
    found = content(*cells, judged=lambda rubrics: opinions)["independent"]
    assert [([m["model"] for m in g["models"]], g["knowledge"][0]["judge"]) for g in found] == [
        (["m", "n"], "judge"),
        (["o"], None),
    ]


@dataclass
class Replies:
    """A source of replies made by hand: (task, item, rests_on, reply), and a judge's."""

    trials: dict[Place, list[tuple[str, Trial, Response]]]
    opinions: list[StoredQuestions]
    said: dict[str, str]

    def cells(self) -> list[Cell]:
        facts = {"data": "0" * 64, "template": "0" * 64, "fingerprint": "f", "backend": "hf", "chat": False, "sampling": {}, "seed": 0,
                 "limit": None, "skipped_lines": 0, "leaked": None, "drop_leaked": False, "tags": []}  # fmt: skip
        return [Cell(place, facts) for place in sorted(self.trials)]

    def read(self, cell: Cell) -> Iterator[tuple[str, Trial, Response | None]]:
        yield from self.trials[cell.place]

    def questions(self, by: str) -> list[StoredQuestions]:
        return self.opinions if by == "judge" else []

    def response(self, key: str) -> Response | None:
        return Response(self.said[key], "stop") if key in self.said else None


def judge_key(item: str) -> str:
    """The key of the judge's reply on an item."""
    return sha256(f"judged {item}".encode()).hexdigest()


def test_from_replies_to_the_section(monkeypatch: pytest.MonkeyPatch) -> None:
    have_facts_judged(monkeypatch)
    facts, asks = (Place("m", task, "easy", "test", "paper", 0) for task in (FACTS, ASKS))

    def trial(item: Item, reply: str) -> tuple[str, Trial, Response]:
        request = Request(item.id, item.question, (), 8, labels=item.labels, options=item.options)
        return sha256(item.id.encode()).hexdigest(), Trial(item, request, "paper", (), 0), Response(reply, "stop")

    def fact(n: int, reply: str) -> tuple[str, Trial, Response]:
        return trial(Item(f"f{n}", FACTS, "easy", "test", (f"A: {n}",), "哪一年？", references=("1881",)), reply)

    def ask(n: int, reply: str, *rests_on: str) -> tuple[str, Trial, Response]:
        more: dict[str, Any] = {"options": ("对", "错"), "labels": ("(a)", "(b)"), "gold": 0, "references": ("对",)}
        return trial(Item(f"r{n}", ASKS, "easy", "test", (f"B: {n}",), "对吗？", rests_on=rests_on, **more), reply)

    known = [fact(0, "一八八一年"), fact(1, "1881"), fact(2, "1881"), fact(3, ""), fact(4, "1881")]
    asked = [ask(n, "(a)" if n % 2 else "(b)", f"f{n}") for n in range(5)]
    said = {judge_key("f0"): "1", judge_key("f1"): "0", judge_key("f2"): "也许", judge_key("f4"): "1"}
    rows = [
        {"item": t.item.id, "rotation": 0, "key": key, "attack": "", "prompt": "", "keys": [judge_key(t.item.id)] if r.text else []}
        for key, t, r in known
    ]  # fmt: skip
    rows[4]["key"] = "0" * 64  # the key of a reply that was replaced
    how = {"template": "1" * 64, "scales": [["correct", 0, 1, "正确"]], "reminder": "", "attempts": 1, "limit": None, "seed": 0,
           "fingerprint": "g", "backend": "hf", "chat": False, "sampling": {}, "max_new_tokens": 8, "repeats_by": "sampling",
           "family": "", "of_family": ""}  # fmt: skip
    judgings = [
        StoredQuestions({**facts.as_dict(), "judge": judge, "rubric": rubric, "control": control}, how, rows)
        for judge, rubric, control in (
            ("judge", "charm", "plain"),
            ("judge", "charm", "blind"),
            ("zz", "cider", "plain"),
        )
    ]
    source = Replies({facts: known, asks: asked}, judgings, said)
    made = score_run(source, Reading(), lambda path: nullcontext(lambda record: None))
    (row,) = content_of(made, "memory")["tasks"]
    assert row["knowledge"] == [{"facts_of": FACTS, "wording": "paper", "metric": "correct", "judge": "judge"}]
    # f0 is known though its characters are not the reference's; f1 is not; an empty reply is not; the others have no verdict.
    assert (row["known"]["n"], row["known"]["value"]) == (1, 0.0)
    assert (row["rest"]["n"], row["rest"]["value"], row["unclear"]) == (2, 1.0, 2)


# --- sheets


def test_sheets_show_known_and_lacking_facts() -> None:
    cells = [
        c
        for model, right in (("m", 1.0), ("n", 0.0))
        for c in (
            cell(FACTS, KNOWS, model=model),
            cell(ASKS, RIGHT | {"b": right}, RESTS, model=model),
            cell(OTHER, {"x": right}, {"x": ["f1"]}, model=model),
        )
    ]
    against, measures, battles = sheets_of(ANALYSIS, content(*cells))
    words = [["".join(w for w, _ in spell(c, column)) for c, column in zip(row.cells, against.columns, strict=True)] for row in against.rows]  # fmt: skip
    assert [line[0] for line in words] == ["EASY DI", "m", "n", "EASY SI", "m", "n", "CORECODE all tasks", "m", "n"]
    assert [len(row.cells) for row in against.rows] == [8] * 9
    assert [word.split(" ")[0] for word in words[7]] == ["m", "75.0", "8", "50.0", "100.0", "3", "33.3", "3"]
    assert "EC by rule" in english(against.notes[0])
    assert measures.rows[0].cells[:4] == ("m", 0.75, 1, 4)
    assert measures.rows[1].cells[5] == 2
    assert [row.cells[0] for row in battles.rows] == ["m", "n"] and battles.rows[0].cells[1] is None


# --- the authors' measures


def test_the_authors_measures_by_hand() -> None:
    items = [str(n) for n in range(8)]
    good, bad = (Solved({i: int(i) < n for i in items}, {*items[: n - 1]}) for n in (6, 3))
    none = Solved(dict.fromkeys(items, True), set())
    found = frmm({"good": good, "bad": bad, "none": none})
    assert (found["good"].accuracy, found["good"].retained, found["good"].retained_accuracy) == (75.0, 5, 100.0)
    assert [found[m].rank for m in ("good", "bad", "none")] == [2, 3, 1]
    assert [found[m].retained_rank for m in ("good", "bad", "none")] == [1, 1, None]
    fought = mib({"good": good, "bad": replace(bad, retained={"2", "3"}), "none": none})
    assert (fought["good"].against["bad"].items, fought["good"].against["bad"].margin) == (2, 50.0)
    assert fought["good"].against["none"].margin is None
    # 50 and the model's own 0; the pair without questions is skipped.
    assert [fought[m].mean for m in ("good", "bad", "none")] == [25.0, -25.0, 0.0]
    assert [fought[m].rank for m in ("good", "bad", "none")] == [1, 3, 2]


NAMES = {  # as the authors' script knows them -> as it prints them
    "qwen-7b-chat-hf": "Qwen-7B",
    "yi-6b-chat-hf": "Yi-6B",
    "llama-3-8b-instruct-lmdeploy": "LLaMA-3-8B",
    "GPT-4-1106-preview": "GPT-4-1106",
    "internlm2-chat-7b-turbomind": "InternLM2-7B",
}
LISTED = ("Anachronisms_Judgment", "Time_Understanding", "Movie_and_Music_Recommendation", "Sport_Understanding")

# The script's imports. It reads JSON by mmengine; its Excel files and plots are not looked at, and not made.
STUBS = {
    "mmengine.py": """
import json, pandas
def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)
class Nothing:
    def __init__(self, *args, **more): pass
    def __call__(self, *args, **more): return self
    def __getattr__(self, name): return self
    def __getitem__(self, name): return self
pandas.DataFrame.to_excel = pandas.Series.to_excel = Nothing()
pandas.ExcelWriter = Nothing
""",
    "seaborn.py": "heatmap = lambda *args, **more: None\n",
    "matplotlib/__init__.py": "",
    "matplotlib/pyplot.py": "def __getattr__(name): return lambda *args, **more: None\n",
}

Answers = dict[str, dict[str, bool]]  # model -> item -> right


@dataclass(frozen=True)
class Charm:
    """The official files: task -> examples, and the script."""

    folder: Path
    script: Path
    reasoning: dict[str, list[dict[str, Any]]]
    facts: dict[str, list[dict[str, Any]]]
    corpus: Corpus  # the same files, read by our loader


@pytest.fixture(scope="module")
def charm(real_data: Path) -> Charm:
    needs("dev", "pandas")
    script, folder = real_data / "charm/tools/analyze_mem_indep_rea.py", real_data / "charm/data/CHARM"
    if not script.is_file():
        pytest.skip(f"needs the authors' scripts: {script}")
    tasks = [f"Chinese_{name}" for name in LISTED]
    read = {
        kind: {t: json.loads((folder / kind / f"{t}.json").read_text(encoding="utf-8"))["examples"] for t in tasks}
        for kind in ("reasoning", "memorization")
    }
    return Charm(folder, script, read["reasoning"], read["memorization"], BENCHMARK.loader(BENCHMARK, folder))


def random_outcomes(charm: Charm, seed: int, right: float = 0.7, known: float = 0.93) -> tuple[Answers, Answers]:
    """Random outcomes of all models; better ones know more, too."""
    rng = Random(f"{seed}:memory")
    answers: tuple[Answers, Answers] = {}, {}
    for n, model in enumerate(NAMES):
        for found, tasks, share in (
            (answers[0], charm.reasoning, right + n / 20),
            (answers[1], charm.facts, known + n / 80),
        ):
            found[model] = {x["id"]: rng.random() < share for examples in tasks.values() for x in examples}
    return answers


def equal_models(charm: Charm) -> tuple[Answers, Answers]:
    """Three models: two with equal replies stand first and last; the third is as often right, on other questions."""
    reasons, knows = random_outcomes(charm, 4)
    first, *_, other, last = NAMES
    reasons[last], knows[last] = reasons[first], knows[first]
    values = list(reasons[first].values())
    reasons[other] = dict(zip(reasons[first], Random("memory").sample(values, len(values)), strict=True))
    knows[other] = knows[first]
    return reasons, knows


def extreme_knowledge(charm: Charm) -> tuple[Answers, Answers]:
    reasons, knows = random_outcomes(charm, 5, 0.4, 0.7)
    knows["yi-6b-chat-hf"] = dict.fromkeys(knows["yi-6b-chat-hf"], False)
    knows["GPT-4-1106-preview"] = dict.fromkeys(knows["GPT-4-1106-preview"], True)
    return reasons, knows


def two_pairs(charm: Charm) -> tuple[Answers, Answers]:
    """Accuracies of 1, 2, 1, 3, 2: two pairs tie, and some processors' sort changes their order."""
    reasons, knows = random_outcomes(charm, 0)
    ordered = sorted(reasons.values(), key=lambda answers: sum(answers.values()))
    return {model: ordered[n] for model, n in zip(reasons, (0, 1, 0, 2, 1), strict=True)}, knows


CASES = {
    "seed 0": lambda charm: random_outcomes(charm, 0),
    "equal accuracies": equal_models,
    "equal accuracies, two pairs": two_pairs,
    "one knows nothing, one everything": extreme_knowledge,
}


# A process for each line of arguments, forked from one that has loaded pandas; what it says on stderr goes to a file, with its
# exit code on the last line.
EACH = """
import json, os, sys, traceback
from runpy import run_path
import numpy, pandas
for *arguments, told in json.loads(sys.argv[1]):
    if not (child := os.fork()):
        sys.argv = arguments
        sys.path.insert(0, os.path.dirname(arguments[0]))
        os.chdir(os.path.dirname(told))
        try:
            run_path(arguments[0], run_name="__main__")
        except BaseException:
            traceback.print_exc(file=open(told, "w"))
            os._exit(1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(code, file=open(told, "a"))
"""


@shared_folder
def scripts(folder: Path, charm: Charm) -> Path:
    """The output of the authors' script for all cases, each in a folder."""
    stubs = folder / "stubs"
    for name, text in STUBS.items():
        (stubs / name).parent.mkdir(parents=True, exist_ok=True)
        (stubs / name).write_text(text, encoding="utf-8")
    each = []
    for case, answers in CASES.items():
        write_outcomes(charm, folder / case, *answers(charm))
        given = [charm.script, charm.folder, "reasons", ".", "sum.csv", "--dst_root_dir", "made", "told"]
        each.append([str(folder / case / x) if isinstance(x, str) and x[0] != "-" else str(x) for x in given])
    paths = [str(stubs), *(path for path in sys.path if path)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
    call = [sys.executable, "-W", "ignore", "-c", EACH, json.dumps(each)]
    subprocess.run(call, env=env, cwd=folder, check=True, capture_output=True)
    return folder


def write_outcomes(charm: Charm, out: Path, reasons: Answers, knows: Answers) -> None:
    """Write outcomes as OpenCompass does."""

    def write(path: Path, answers: Mapping[str, bool], examples: list[dict[str, Any]], prompt: str) -> None:
        details = {str(n): {prompt: "", "correct": answers[x["id"]]} for n, x in enumerate(examples)}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"score": 0, "details": details}), encoding="utf-8")

    for model in reasons:
        wording = "XLT" if model[0] in "lG" else "ZH-CoT"  # for models of other countries, and of China
        for task, examples in charm.reasoning.items():
            write(out / "reasons" / model / f"charm-reason-{task}_{wording}.json", reasons[model], examples, "prompt")
        for task, examples in charm.facts.items():
            write(out / f"sum-charm-memory-{task}" / f"{model}.json", knows[model], examples, "judging_prompt")
    lines = [["dataset", *reasons], *([f"charm-memory-{task}", *("0" for _ in reasons)] for task in charm.facts)]
    (out / "sum.csv").write_text("".join(",".join(line) + "\n" for line in lines), encoding="utf-8")


def section_of(charm: Charm, reasons: Answers, knows: Answers) -> dict[str, Any]:
    """The section, from cells of the same outcomes, in the order in which the script has the models."""
    cells = []
    for task in ("anachronisms", "time", "recommendation", "sport"):
        for name, answers in ((f"charm_{task}", reasons), (f"charm_memory_{task}", knows)):
            items = charm.corpus.file(TASKS[name], "chinese", "test").items
            rests_on = {item.id: item.rests_on for item in items}
            for model, right in answers.items():
                values = {item.id: float(right[item.id.rpartition("/")[2]]) for item in items}
                cells.append(cell(name, values, rests_on, model=model, set="chinese"))
    (group,) = content(*cells)["independent"]
    assert len(group["tasks"]) == len(group["knowledge"]) == 4
    return {NAMES[m["model"]]: m for m in group["models"]}


def table(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row[""] if "" in row else row["model"]: row for row in csv.DictReader(file)}


def is_sorted_by(listed: list[str], ranks: Mapping[str, int]) -> bool:
    """Whether a list of models has our ranks. Which of those that tie comes first is left to the sort."""
    return all(
        ranks[model] <= place < ranks[model] + sum(other == ranks[model] for other in ranks.values())
        for place, model in enumerate(listed, 1)
    )


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES)
def test_the_measures_are_those_of_the_authors_script(case: str, charm: Charm, scripts: Path) -> None:
    found = section_of(charm, *CASES[case](charm))
    made, told = scripts / case / "made", (scripts / case / "told").read_text(encoding="utf-8")
    # The last step may stop if accuracies tie: it compares two lists of models that two kinds of sort have made.
    tie = case.startswith("equal")
    assert told == "0\n" or (tie and "in merge_two_rank" in told), told[-3000:]

    table12 = table(made / "FRMM/_ranking/Table12.csv")
    assert table12.keys() == found.keys() == {*NAMES.values()}
    for name, row in table12.items():
        model = found[name]
        assert (model["items"], model["retained"]) == (int(row["# Original"]), int(row["# Retained"]))
        assert model["accuracy"] == pytest.approx(float(row["Original Acc."]) / 100, abs=1e-9)
        assert model["frmm"] == pytest.approx(float(row["Retained Acc."]) / 100, abs=1e-9)
    table7 = table(made / "FRMM/_ranking/Table7_FRMM.csv")
    assert is_sorted_by(
        [row["Integrated Reasoning"] for row in table7.values()], {m: x["rank"] for m, x in found.items()}
    )
    by_frmm = [row["Memorization-independent Reasoning (FRMM)"].split(" ")[0] for row in table7.values()]
    assert is_sorted_by(by_frmm, {m: x["frmm_rank"] for m, x in found.items()})

    figure11 = table(made / "MIB/_combat_mat/Figure11.csv")
    assert is_sorted_by(list(figure11), {m: x["mib_rank"] for m, x in found.items()})
    for name, row in figure11.items():
        assert found[name]["mib"] == pytest.approx(float(row["mean"]) / 100, abs=1e-9)
        assert len(found[name]["battles"]) == len(NAMES) - 1
        for battle in found[name]["battles"]:
            assert battle["margin"] == pytest.approx(float(row[NAMES[battle["against"]]]) / 100, abs=1e-9)
    for pair in (path for path in (made / "MIB").iterdir() if "_vs_" in path.name):
        account = json.loads((pair / "account.json").read_text(encoding="utf-8"))
        one, two = account
        (battle,) = [b for b in found[NAMES[one]]["battles"] if b["against"] == two]
        assert battle["items"] == account[one]["selected_num"] == account[two]["selected_num"]
    if tie:  # the case has models that tie
        assert len({x["rank"] for x in found.values()}) < len(NAMES)
    if case == "one knows nothing, one everything":
        # Four questions of the official files rest on no fact.
        assert (found["Yi-6B"]["retained"], found["GPT-4-1106"]["retained"]) == (4, 500)
