"""Findings of the page: who is above chance, what a baseline gets alone, who is ahead, what the harder set costs."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from as_json import a_cell

import evalsuite
from evalsuite.analyses.chance import ANALYSIS as CHANCE
from evalsuite.analyses.chance import Chance
from evalsuite.analyses.findings.benchmarks import over_benchmarks
from evalsuite.analyses.findings.cells import page_cells
from evalsuite.analyses.findings.journey import findings, of_run
from evalsuite.analyses.findings.obstacles import obstacles
from evalsuite.analyses.findings.words import Finding
from evalsuite.analyses.gaps import Gap
from evalsuite.analyses.overview import overview
from evalsuite.analyses.saved import load_results
from evalsuite.analyses.significance import ItemScores, ModelScores, TaskComparisons
from evalsuite.benchmarks import registry
from evalsuite.benchmarks.groups import groups
from evalsuite.page.report import _load, page_data
from evalsuite.results.analysis import Results
from evalsuite.results.schema.cell import CellResult
from evalsuite.types import Reading


def cell(model: str, task: str, right: int, of: int, chance: float = 1 / 3, **more: Any) -> CellResult:
    backend = "baseline" if model in ("lexical", "oracle") else "hf"
    usual: dict[str, Any] = {
        "set": "hard", "model": model, "task": task, "metrics": {"accuracy": {"value": right / of, "n": of}}, "status": {"parsed": of},
        "chance": chance, "items": of, "facts": {"backend": backend, "fingerprint": f"{backend}:{model}:1"},
    }  # fmt: skip
    return a_cell(**usual | more)


WAY = {"set": "hard", "split": "test", "variant": "paper", "shots": 0, "scoring": "generate", "perturb": "none"}


def group(**given: Any) -> TaskComparisons:
    usual = {"metric": "accuracy", "items": 50, "dialogues": 50, "test": "permutation", "left_out": {}}
    return TaskComparisons.model_validate(WAY | usual | given)


def gap(task: str, **given: Any) -> dict[str, Any]:
    usual = {
        "sets": ["easy", "hard"], "values": [0.5, 0.3], "items": [50, 50], "dialogues": [50, 50], "low": None, "high": None,
        "p": 0.01, "least_p": 0.0, "metric": "accuracy",
    }  # fmt: skip
    return {k: v for k, v in WAY.items() if k != "set"} | {"model": "a", "task": task} | usual | given


def findings_of(
    cells: Sequence[CellResult],
    groups: Sequence[TaskComparisons] = (),
    dialogues: int = 50,
    constant: float = 0.2,
    gaps: Sequence[dict[str, Any]] = (),
    earlier: bool = False,
    runs: int = 1,
) -> list[Finding]:
    """The findings of made-up cells, which are dealt to the runs of a page. A row of "chance" has the p-value of its right answers
    against uniform guesses; `earlier`: results of a version that had no such rows."""
    rated: list[ModelScores] = []
    tested: list[list[Chance]] = [[] for _ in range(runs)]
    for number, c in enumerate(cells):
        if c.facts.backend != "baseline":
            right = round((c.headline.value or 0) * c.items)
            values = tuple(ItemScores(n, n % dialogues, (float(n < right),)) for n in range(c.items))
            rated.append(ModelScores(replace(c.place, model=f"{number % runs}\t{c.model}"), values, True))
            row = {
                "items": c.items,
                "dialogues": len({v.dialogue for v in values}),
                "accuracy": right / c.items,
                "chance": c.chance,
                "constant": constant,
                "shuffled": c.chance,
                "label": "(b)",
                "p": upper_tail(right, c.items, c.chance or 0),
            }
            tested[number % runs].append(Chance.model_validate(c.coordinates() | row))
    shared = {"gaps": [Gap.model_validate(row) for row in gaps]}
    page = [
        Results(Path(), "", Reading(), tuple(cells[n::runs]), {"chance": [] if earlier else rows, **shared})
        for n, rows in enumerate(tested)
    ]
    return findings(page, rated, groups)


def findings_about(found: Sequence[Finding], topic: str) -> list[Finding]:
    return [one for one in found if one.about == topic]


def upper_tail(right: int, of: int, chance: float) -> float:
    """P(right or more of `of` | chance), by its definition."""
    return sum(math.comb(of, k) * chance**k * (1 - chance) ** (of - k) for k in range(right, of + 1))


def test_nobody_is_above_chance() -> None:
    found = findings_of([cell("a", "knowledge_filling", 20, 50), cell("b", "knowledge_filling", 18, 50)])
    least = 2 * upper_tail(20, 50, 1 / 3)  # Holm: the smallest of two p-values twice
    (one,) = findings_about(found, "chance")
    assert one.en == (
        "No model is significantly above chance on Knowledge filling of CORECODE HARD; a comes nearest: "
        "40.0\u00a0% of 50 items, where guessing gets 33.3\u00a0%."
    )
    assert one.test_en == f"Permutation of a model's own choices, Holm over 2 tests: p ≥ {least:.2g}"
    assert "没有模型显著高于随机水平；最接近的是 a：40.0%（50 题）" in one.zh and one.cell == 0


def test_the_reference_is_the_best_constant_answer_where_that_is_better() -> None:
    found = findings_of([cell("a", "knowledge_filling", 20, 50)], constant=0.38)
    (one,) = findings_about(found, "chance")
    assert one.en.endswith(
        "above chance on Knowledge filling of CORECODE HARD: 40.0\u00a0% of 50 items, where always (b) gets 38.0\u00a0%."
    )
    assert one.zh.endswith("40.0%（50 题），全选 (b) 可得 38.0%。")


def test_runs_of_earlier_versions_say_nothing_of_chance() -> None:
    assert findings_about(findings_of([cell("a", "knowledge_filling", 20, 50)], earlier=True), "chance") == []


def test_a_model_tagged_as_a_baseline_is_one() -> None:
    tagged = cell("small", "knowledge_filling", 45, 50, facts={"tags": ["baseline"]})
    results = Results(Path(), "", Reading(), (cell("a", "knowledge_filling", 20, 50), tagged), {})
    assert findings([results], [], []) == []  # only a baseline is there: no model is ranked
    rated = [ModelScores(replace(results.cells[0].place, model="0\ta"), (ItemScores(0, 0, (1.0,)),), True)]
    (one,) = findings_about(findings([results], rated, []), "baselines")
    assert one.en == (
        "a's score is not above all baselines on Knowledge filling of CORECODE HARD; the baseline small alone gets "
        "90.0\u00a0%, a 40.0\u00a0%."
    )


def test_holm_decides_who_is_above_chance() -> None:
    # 24 of 50 alone: p = 0.023; among three tests it is not enough, among one it is.
    alone = findings_of([cell("a", "knowledge_filling", 24, 50)])
    assert upper_tail(24, 50, 1 / 3) < 0.05 < 3 * upper_tail(24, 50, 1 / 3)
    assert findings_about(alone, "chance")[0].en.startswith(
        "a is significantly above chance on Knowledge filling of CORECODE HARD: 48.0"
    )
    many = findings_of(
        [cell(name, "knowledge_filling", right, 50) for name, right in (("a", 24), ("b", 10), ("c", 11))]
    )
    assert findings_about(many, "chance")[0].en.startswith(
        "No model is significantly above chance on Knowledge filling"
    )


def test_a_page_with_more_tests_than_its_runs_drew_permutations_for_says_so() -> None:
    """Each run has two tests, and draws 9999 permutations: corrected over 600 tests, no p can be below 0.05."""
    cells = [cell(f"m{n}", "knowledge_filling", 50, 50) for n in range(600)]
    (one,) = findings_about(findings_of(cells[:400], runs=200), "chance")
    assert "significantly above chance on Knowledge filling" in one.en
    (one,) = findings_about(findings_of(cells, runs=300), "chance")
    assert one.en.startswith("Who is above chance on CORECODE HARD cannot be told: corrected over 600 tests")


def test_tasks_on_which_nobody_is_above_chance_are_named() -> None:
    cells = [cell("a", "knowledge_filling", 45, 50), cell("a", "domain_identification", 12, 50, 0.25)]
    found = findings_of(
        [*cells, cell("b", "knowledge_filling", 20, 50), cell("b", "domain_identification", 13, 50, 0.25)]
    )
    (one,) = findings_about(found, "chance")
    assert one.en.startswith(
        "a is significantly above chance on 1 of 2 choice tasks of CORECODE HARD, nobody on Domain identification; b comes nearest there: 26"
    )
    assert one.cell == 3 and one.test_en.endswith(" there")
    single = findings_about(findings_of(cells), "chance")[0]
    assert "1 of 2 choice tasks of CORECODE HARD, not on Domain identification; it comes nearest there: 24" in single.en
    assert "，领域识别上未做到；其中：24.0%（50 题）" in single.zh
    better = findings_of(
        [*cells[:1], cell("a", "domain_identification", 40, 50, 0.25), cell("b", "knowledge_filling", 20, 50)]
    )
    assert findings_about(better, "chance")[0].en.startswith(
        "a is significantly above chance on all 2 choice tasks of CORECODE HARD; a is furthest above on Knowledge filling: 90"
    )


def test_a_baseline_that_is_ahead_is_told_but_not_the_oracle() -> None:
    cells = [cell("a", "knowledge_filling", 20, 50), cell("oracle", "knowledge_filling", 50, 50)]
    assert findings_about(findings_of(cells), "baselines") == []
    (found,) = findings_about(findings_of([*cells, cell("lexical", "knowledge_filling", 25, 50)]), "baselines")
    assert found.en == (
        "a's score is not above all baselines on Knowledge filling of CORECODE HARD; lexical overlap alone gets "
        "50.0\u00a0%, a 40.0\u00a0%."
    )
    assert "仅靠词面重合即得 50.0%" in found.zh and found.cell == 2
    (tied,) = findings_about(findings_of([*cells, cell("lexical", "knowledge_filling", 20, 50)]), "baselines")
    assert tied.en == "a's score is not above all baselines on Knowledge filling of CORECODE HARD."
    assert tied.test_en == "Scores are compared, not tested; 50 items"
    # The baseline of another run, asked fewer items, says nothing of these.
    assert findings_about(findings_of([*cells, cell("lexical", "knowledge_filling", 9, 10)]), "baselines") == []
    both = [cell(name, "domain_identification", 1, 2) for name in ("a", "lexical")]
    (found,) = findings_about(findings_of([*cells, cell("lexical", "knowledge_filling", 20, 50), *both]), "baselines")
    assert found.en == "a's score is above all baselines on none of 2 tasks of CORECODE HARD."
    assert found.zh == "CORECODE 困难（HARD）：a 的得分在 2 项任务上都没有高于所有基线。"
    assert found.test_en == "Scores are compared, not tested; 2–50 items a task"


def over_benchmarks_of(cells: Sequence[CellResult]) -> str:
    """The finding over the benchmarks of one run; "" without one."""
    results = Results(Path(), "", Reading(), tuple(cells), {"groups": overview(cells, [], groups().values())})
    return "".join(one.en for one in over_benchmarks(page_cells([results]), [results]))


def test_means_of_runs_over_other_parts_or_items_are_not_compared() -> None:
    """A run that asked one task of a benchmark has no mean beside those of runs that asked two, nor one of 50 items beside 100."""

    def of_runs(*runs: Sequence[CellResult]) -> str:
        each = [
            Results(Path(), "", Reading(), tuple(cells), {"groups": overview(cells, [], groups().values())})
            for cells in runs
        ]
        return "".join(one.en for one in over_benchmarks(page_cells(each), each))

    one, other = two_benchmarks(a=30, b=20), two_benchmarks(c=40)
    assert of_runs(one, other).startswith("c has the highest mean of 3 models on all 2 benchmarks; ")
    more = [*one, *(cell(model, "domain_identification", 10, 50) for model in "ab")]
    assert of_runs(more, other) == "a and c each have the highest mean of 3 models on 1 of 2 benchmarks."
    fewer = [cell("c", c.task, 20, 25, set=c.set) for c in other]
    assert of_runs(one, fewer).startswith("a has the highest mean of 2 models on all 2 benchmarks; ")


def two_benchmarks(**right: int) -> list[CellResult]:
    """A cell of 50 items of two benchmarks for each model, by its right answers."""
    tasks = {"knowledge_filling": "hard", "c3_reading": "d"}
    return [cell(model, task, n, 50, set=of_set) for model, n in right.items() for task, of_set in tasks.items()]


def test_the_oracle_is_no_baseline_that_the_best_model_is_below() -> None:
    models = two_benchmarks(a=40, b=20)
    best = "a has the highest mean of 2 models on all 2 benchmarks"
    assert over_benchmarks_of(models).startswith(f"{best}; ")
    assert over_benchmarks_of([*models, *two_benchmarks(oracle=50)]).startswith(f"{best}; ")
    assert over_benchmarks_of([*models, *two_benchmarks(lexical=45)]).startswith(f"{best}, below a baseline on 2; ")


def test_means_of_a_group_are_not_said_to_be_of_all_benchmarks() -> None:
    """A run asked a benchmark that the group lacks, on which another model is the best."""
    more = [cell(model, "cicero_single_answer", n, 50, set="v1") for model, n in (("a", 5), ("b", 45))]
    found = over_benchmarks_of([*two_benchmarks(a=40, b=20), *more])
    assert found.startswith("a has the highest mean of 2 models on all 2 benchmarks compared (CORECODE, C3); "), found


def test_few_items_are_said_to_be_of_one_benchmark_among_several() -> None:
    results = Results(Path(), "", Reading(), tuple(two_benchmarks(a=40, b=20)), {})
    ranked: Any = True
    cells = [replace(c, scores=ranked) for c in page_cells([results])]
    here = [c for c in cells if c.task.benchmark == "corecode"]
    said = [one.en for asked in (here, cells) for one in obstacles(asked, here, [results])]
    assert said == [
        f"In the way: the items of a task{of} are of too few dialogues: no intervals." for of in ("", " of CORECODE")
    ]


def test_the_means_of_benchmarks_name_their_own_split() -> None:
    """No request of one benchmark's test split was answered, so that the means of several benchmarks are of the dev split."""
    test, dev = two_benchmarks(a=40, b=20), two_benchmarks(a=10, b=20)
    lost = [
        c.model_copy(update={"metrics": {"accuracy": c.headline.model_copy(update={"value": None})}})
        if c.task == "c3_reading"
        else c
        for c in test
    ]
    dev = [c.model_copy(update={"split": "dev"}) for c in dev]
    assert over_benchmarks_of([*test, *dev]).startswith(
        "a has the highest mean of 2 models on all 2 benchmarks (test); "
    )
    assert over_benchmarks_of([*lost, *dev]).startswith(
        "b has the highest mean of 2 models on all 2 benchmarks (dev); "
    )


def test_a_model_without_a_right_answer_is_told_once() -> None:
    cells = [cell("a", task, 0, 50) for task in ("knowledge_filling", "domain_identification")]
    found = findings_of(cells)
    assert findings_about(found, "best")[0].en == (
        "a gets 0.0\u00a0% on each of Knowledge filling and Domain identification of CORECODE HARD."
    )
    assert findings_about(found, "best")[0].zh == "CORECODE 困难（HARD）：a 在常识知识填充、领域识别上都得 0.0%。"
    assert findings_about(found, "chance")[0].test_en.endswith(": p = 1")


def test_what_is_not_whole_is_not_told() -> None:
    failed = cell("a", "knowledge_filling", 45, 50, status={"parsed": 49, "failed": 1})
    for left in (
        failed,
        cell("a", "knowledge_filling", 45, 50, missing=3),
        cell("a", "knowledge_filling", 45, 50, perturb="shuffle"),
    ):
        assert findings_of([left])[0].en.endswith("nobody is ranked.") and not findings_about(
            findings_of([left]), "chance"
        )


def test_whole_cells_that_are_not_ranked_are_not_called_incomplete() -> None:
    """Folds of CIDER, which are averaged, and adapters."""
    folds = [cell("a", "cider_span_selection", 20, 50, set=f"fold-{n}") for n in (1, 2)]
    assert not any("nobody is ranked" in one.en for one in findings_of(folds))
    facts = {
        "trained": {"base": "a", "size": 9, "seed": 0, "method": "lora", "epochs": 1.0, "steps": 3, "data": "0" * 64}
    }
    tuned = cell("lora", "knowledge_filling", 20, 50)
    tuned = tuned.model_copy(update={"facts": tuned.facts.model_copy(update={"trained": facts["trained"]})})
    assert [one.en for one in findings([Results(Path(), "", Reading(), (tuned,), {})], [], [])] == [
        "Only adapters of a fine-tuning were asked whole, which are not ranked."
    ]


def test_the_way_is_that_of_most_models_whatever_baselines_were_asked() -> None:
    few = [cell("a", "knowledge_filling", 45, 50, shots=5)]
    others = [cell(name, "knowledge_filling", 10, 50, facts={"tags": ["baseline"]}) for name in ("x", "y", "z")]
    assert (
        findings_about(findings_of([*others, *few]), "best")[0].en
        == "a: 90.0\u00a0% (50 items) on Knowledge filling of CORECODE HARD (paper 5-shot)."
    )


def test_who_is_best_and_the_cost_of_the_harder_set() -> None:
    cells = [
        cell(m, t, right, 50)
        for t in ("knowledge_filling", "domain_identification")
        for m, right in (("a", 20), ("b", 19))
    ]
    both = {"letters": {"0\ta": "a", "0\tb": "a"}, "best": "0\ta"}
    groups = [
        group(**both, task="knowledge_filling", not_worse=[]),
        group(**both, task="domain_identification", not_worse=["0\tb"]),
    ]
    gaps = [gap("knowledge_filling", gap=0.2, p_holm=0.01), gap("domain_identification", gap=0.1, p_holm=0.6)]
    found = findings_of(cells, groups, gaps=gaps)
    (one,) = findings_about(found, "best")
    assert one.en == (
        "a is best of 2 models on all 2 tasks of CORECODE HARD, significantly ahead of all others on 1 of them; "
        "Knowledge filling: 40.0\u00a0% (50 items), next b, 38.0\u00a0%."
    )
    assert one.test_en == "Paired permutation test over dialogues"
    assert findings_about(found, "levels")[0].en == (
        "From EASY to HARD, a loses 15.0 points on average over 2 choice tasks; the change is significant on 1."
    )
    level = findings_about(findings_of(cells, groups, gaps=[gap("knowledge_filling", gap=0.0, p_holm=1.0)]), "levels")[
        0
    ]
    assert level.en.startswith("From EASY to HARD, a scores the same on average over 1 choice task; ")
    failed = cell("a", "knowledge_filling", 20, 49, set="easy", items=50, status={"parsed": 49, "failed": 1})
    (level,) = findings_about(findings_of([*cells, failed], groups, gaps=gaps), "levels")
    assert level.en.startswith("From EASY to HARD, a loses 10.0 points on average over 1 choice task; ")


def test_the_example_is_a_significant_win_where_there_is_one() -> None:
    """The example is a significant win also where a baseline is ahead on its task, as long as it is not ahead elsewhere."""
    cells = [cell("a", "knowledge_filling", 40, 50), cell("b", "knowledge_filling", 20, 50)]
    cells += [cell("a", "domain_identification", 20, 50), cell("b", "domain_identification", 15, 50)]
    cells += [cell("lexical", "domain_identification", 25, 50)]
    both = {"letters": {"0\ta": "a", "0\tb": "a"}, "best": "0\ta"}
    groups = [
        group(**both, task="knowledge_filling", not_worse=["0\tb"]),
        group(**both, task="domain_identification", not_worse=[]),
    ]
    (one,) = findings_about(findings_of(cells, groups), "best")
    assert (
        "significantly ahead of all others on 1 of them, below a baseline on 1; Domain identification: 40.0\u00a0%"
        in one.en
    )
    assert "其中 1 项显著领先于所有其他模型，有 1 项低于某个基线；领域识别" in one.zh


def test_ties_are_no_wins() -> None:
    rights = {"knowledge_filling": (20, 19), "domain_identification": (20, 20), "slot_identification": (9, 9)}
    cells = [cell(m, task, n, 50) for task, both in rights.items() for m, n in zip("ab", both, strict=True)]
    alike = {"best": "0\ta", "not_worse": ["0\tb"], "letters": {"0\ta": "a", "0\tb": "a"}}
    groups = [group(**alike, task=task) for task in rights]
    assert findings_about(findings_of(cells, groups), "best")[0].en.startswith(
        "a is best of 2 models on 1 of 3 tasks of CORECODE HARD,"
    )
    cells[-1] = cell("b", "slot_identification", 10, 50)
    (several,) = findings_about(findings_of(cells, groups), "best")
    assert several.line.en == (
        "a and b are each best on 1 of 3 tasks of CORECODE HARD, significantly ahead of all others on none of them. (Paired "
        "permutation test over dialogues)"
    )
    few = [comparison.model_copy(update={"dialogues": 2}) for comparison in groups]
    (several,) = findings_about(findings_of(cells, few), "best")
    assert several.line.en.endswith("tasks of CORECODE HARD, from too few dialogues to tell them apart.")
    assert not any("best on" in found.en for found in findings_of(cells[2:4], groups))


def test_few_dialogues_do_not_tell_who_is_above_chance() -> None:
    cells = [cell("a", "knowledge_filling", 50, 50)]
    assert (
        findings_about(findings_of(cells, dialogues=5), "chance")[0].en
        == "Too few dialogues to tell who is above chance on CORECODE HARD."
    )
    assert findings_about(findings_of(cells, dialogues=6), "chance")[0].en.startswith("a is significantly above chance")
    # a cell of three dialogues, too few for any test
    mixed = findings_of([*cells, cell("a", "domain_identification", 3, 3, 0.25)])
    (one,) = findings_about(mixed, "chance")
    assert "above chance on Knowledge filling of" in one.en and "over 1 test" in one.test_en


def test_the_random_baseline_is_not_called_guessing() -> None:
    random = cell(
        "random", "knowledge_filling", 34, 50, facts={"backend": "baseline", "fingerprint": "baseline:random:1"}
    )
    (found,) = findings_about(findings_of([cell("a", "knowledge_filling", 20, 50), random]), "baselines")
    assert "the random baseline alone gets 68.0" in found.en and "随机基线" in found.zh


@pytest.fixture
def _forget_files() -> Iterator[None]:
    yield
    registry.forget_files()


@pytest.mark.usefixtures("_forget_files")
def test_a_benchmark_of_one_task_and_one_set_is_named_once(tmp_path: Path) -> None:
    """A file of questions whose task has no title of its own; its only set has the file's name."""
    (tmp_path / "foods.csv").write_text(
        "question,answer\n" + "".join(f"吃什么{n}？,{'对错'[n % 2]}\n" for n in range(8))
    )
    (tmp_path / "foods.yaml").write_text(
        "name: foods\ntitle: Foods\nlanguage: zh\ndata: foods.csv\n"
        "tasks: {ask: {kind: choice, question: question, options: {对: 对, 错: 错}, gold: answer}}\n"
    )
    asked: dict[str, Any] = {"benchmark": [tmp_path / "foods.yaml"], "out": tmp_path / "run"}
    done = evalsuite.run({"m": lambda request: request.labels[0]}, **asked)
    assert [one.en for one in of_run(done)][:2] == [
        "m: 50.0\u00a0% (17–83, 8 items) on Foods.",
        "m is not significantly above chance on Foods: 50.0\u00a0% of 8 items, where guessing gets 50.0\u00a0%.",
    ]
    evalsuite.run(model=["majority"], **asked)
    done = evalsuite.run({"m": lambda request: request.labels[0], "n": lambda request: request.labels[1]}, **asked)
    assert {one.en.count("Foods") for one in of_run(done) if one.about != "obstacles"} == {1}


def test_a_metrics_name_and_a_benchmarks_only_task_read_as_words_of_the_sentence(tmp_path: Path) -> None:
    for name in ("asia", "europe"):
        (tmp_path / f"{name}.csv").write_text("question,answer\n首都是哪里？,东京\n")
    (tmp_path / "capitals.yaml").write_text(
        "name: capitals\ntitle: Capitals\nlanguage: zh\nsets: [asia, europe]\ndata: '{set}.csv'\n"
        "tasks: {ask: {kind: answer, title: {zh: 首都, en: Capitals}, question: question, gold: answer}}\n"
    )
    done = evalsuite.run({"m": lambda request: "东京"}, benchmark=[tmp_path / "capitals.yaml"], out=tmp_path / "run")
    assert of_run(done)[0].en == "m: 100.0\u00a0% holds the reference (1 item) on Capitals europe."


@pytest.fixture(autouse=True)
def _no_benchmark_files() -> Iterator[None]:
    """Forget the benchmark files that a test reads: tests that follow in this process have no data for them."""
    yield
    registry.forget_files()


@pytest.fixture(scope="module")
def sample_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("findings") / "run"
    evalsuite.run(model=["qwen-coder-0.5b", "lexical", "random"], tasks=["knowledge_filling"], out=run)
    return run


@pytest.mark.slow
def test_sentences_follow_from_the_results_of_a_run(sample_run: Path) -> None:
    data = page_data([_load(sample_run)], lambda shard: "shard")
    by = {found["about"]: found for found in data["findings"]}
    first, rest = by["chance"], data["findings"]
    shown = data["cells"][first["cell"]]
    tested = load_results(sample_run).of(CHANCE) or []
    (p,) = (row.p for row in tested if (row.model, row.set) == ("qwen-coder-0.5b", "hard"))
    assert shown["model"] == "qwen-coder-0.5b" and shown["set"] == "hard"
    assert ("is not significantly above" in first["en"]) == (p >= 0.05)
    easy, hard = (
        c["metrics"]["accuracy"]["value"]
        for c in sorted(data["cells"], key=lambda c: c["set"])
        if c["model"] == "qwen-coder-0.5b"
    )
    moved = f"{'loses' if easy >= hard else 'gains'} {abs(100 * (easy - hard)):.1f} points"
    assert moved in by["levels"]["en"]
    assert f"{100 * shown['metrics']['accuracy']['value']:.1f}\u00a0%" in first["en"]
    assert all(found["zh"] and found["en"] for found in rest)


def test_the_page_begins_with_them_and_opens_their_evidence(sample_run: Path, browse: Any) -> None:
    with browse(sample_run / "page" / "index.html") as tab:
        sentence = tab.locator("#findings p").first
        assert "qwen-coder-0.5b: " in sentence.inner_text() and "of CORECODE HARD" in sentence.inner_text()
        box, table = sentence.bounding_box(), tab.locator("table.overview").first.bounding_box()
        assert box["y"] < table["y"] and box["y"] < 400
        tab.click("#lang")
        assert "CORECODE 困难（HARD）：" in sentence.inner_text()
        sentence.locator("button").click()
        tab.wait_for_selector("#panes")
        assert "qwen-coder-0.5b" in tab.inner_text(".cellhead .lead")
