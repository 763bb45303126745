"""The findings of a page, of a run, and of the end of a run on the terminal, all by the function `findings`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from evalsuite.analyses.findings.above import above_baselines, above_chance
from evalsuite.analyses.findings.benchmarks import over_benchmarks
from evalsuite.analyses.findings.best import best
from evalsuite.analyses.findings.cells import FindingCell, cells_of_findings, is_plain, page_cells, ranked_cells
from evalsuite.analyses.findings.levels import harder_set
from evalsuite.analyses.findings.obstacles import obstacles
from evalsuite.analyses.findings.words import Finding
from evalsuite.analyses.significance import ModelScores, TaskComparisons, read_model_scores, task_comparisons
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS
from evalsuite.common.sheet import Column, Row, Sheet, Text
from evalsuite.results.analysis import Analysis, Results
from evalsuite.types import Benchmark


def findings(
    runs: Sequence[Results], scores: Sequence[ModelScores], compared: Sequence[TaskComparisons]
) -> list[Finding]:
    """The findings of a page of some runs: over all benchmarks, on the first benchmark, on obstacles, then on the other
    benchmarks, one of each in turn. `scores`: the models' scores by item; `compared`: the comparisons of the page's columns."""
    cells = page_cells(runs)
    if not any(not c.cell.is_baseline for c in cells):
        return (
            [Finding("best", "本次只评测了基线，没有模型。", "Only baselines were asked, no model.")] if cells else []
        )
    chosen = [(benchmark, *cells_of_findings(benchmark, some, scores)) for benchmark, some in _by_benchmark(cells)]
    ranked = [(benchmark, here, title) for benchmark, here, title in chosen if ranked_cells(here)]
    if not ranked:
        some = [c for c in cells if is_plain(c) and not c.cell.is_baseline]
        return [*_not_ranked(some), *obstacles(cells, [], runs)]
    first, *others = [_of_benchmark(benchmark, here, title, runs, compared) for benchmark, here, title in ranked]
    _, first_cells, _ = ranked[0]
    return [
        *over_benchmarks(cells, runs),
        *first,
        *obstacles(cells, first_cells, runs),
        *(finding for turn in zip_longest(*others) for finding in turn if finding),
    ]


def _not_ranked(of_models: Sequence[FindingCell]) -> list[Finding]:
    """The reason why no model is ranked, from the complete, unperturbed cells of models.

    [] if there are some that are not of adapters: there are no findings on benchmarks that are averaged over their sets, nor on
    the easier set alone.
    """
    if not of_models:
        zh = "没有一个模型有完整、未扰动的结果，因此不作排名。"
        return [Finding("best", zh, "No cell of a model is whole and unperturbed: nobody is ranked.")]
    if all(c.cell.is_adapter for c in of_models):
        zh = "只评测了微调得到的适配器，它们不参与排名。"
        return [Finding("best", zh, "Only adapters of a fine-tuning were asked whole, which are not ranked.")]
    return []


def _by_benchmark(cells: Sequence[FindingCell]) -> Iterator[tuple[Benchmark, list[FindingCell]]]:
    """The benchmarks that have cells, without those that are averaged over their sets, in the order of the registry."""
    for benchmark in BENCHMARKS.values():
        of_benchmark = [c for c in cells if TASKS[c.cell.task].benchmark == benchmark.name]
        if of_benchmark and not benchmark.averaged:
            yield benchmark, of_benchmark


def _of_benchmark(
    benchmark: Benchmark,
    here: Sequence[FindingCell],
    title: Text,
    runs: Sequence[Results],
    compared: Sequence[TaskComparisons],
) -> list[Finding]:
    return [
        *best(here, compared, title),
        *above_chance(here, runs, title),
        *above_baselines(here, title),
        *harder_set(here, runs, benchmark),
    ]


def of_run(results: Results, all_benchmarks: bool = True) -> list[Finding]:
    """The findings of a run, as its page has them; without `all_benchmarks`, no findings on benchmarks after the first that has a
    ranked model. Reads the records of the cells that the findings are about."""
    scores: list[ModelScores] = []
    for benchmark, of_benchmark in _by_benchmark(page_cells([results])):
        here, _ = cells_of_findings(benchmark, of_benchmark, ())
        models_here = list(read_model_scores(results.out, [c.cell for c in here], "0\t"))
        scores += models_here
        if not all_benchmarks and any(model.whole and not model.adapter for model in models_here):
            break
    return findings([results], scores, task_comparisons(scores))


def end_of_run(results: Results) -> list[Finding]:
    """The findings that the terminal shows at the end of a run: those on its first benchmark, without the cost of the harder set
    if there are obstacles."""
    sentences = of_run(results, all_benchmarks=False)
    hindered = any(finding.about == "obstacles" for finding in sentences)
    return [finding for finding in sentences if not (hindered and finding.about == "levels")]


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet of all findings of the whole run, in both languages, with their tests."""
    rows = [
        Row((Text(finding.zh, finding.en), Text(finding.test_zh, finding.test_en)), about={"about": finding.about})
        for finding in of_run(results.whole)
    ]
    if rows:
        columns = (Column(Text("主要发现", "what was found")), Column(Text("检验", "test")))
        yield Sheet("findings", Text("主要发现", "What was found"), columns, tuple(rows))


ANALYSIS: Analysis[None] = Analysis(
    "findings",
    sheets,
    help="The results in sentences, with their tests.",
    only_named=Text("要读记录", "reads records"),
    drawn=True,
)
