"""Significance groups, average ranks and metric correlations on the page, in a real browser."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from as_json import rated_cells_of
from run_files import results_json
from shared_fixtures import shared_folder
from stand_ins import stand_in_models

import evalsuite
from evalsuite.analyses import significance
from evalsuite.analyses.average_ranks import ranks_of
from evalsuite.analyses.saved import load_results
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE as TASKS

HOSTILE = "<img src=x onerror=alert(1)>"
PATHS = {"random": "random", "majority": "majority", "lexical": "lexical", "oracle": "oracle", HOSTILE: "random"}  # fmt: skip


@shared_folder
def run(folder: Path) -> Path:
    """Baselines that pass for models, one by a hostile name, and one that stays one."""
    entries = stand_in_models(folder, PATHS, list(TASKS))
    entries.append({"name": "chance", "backend": "baseline", "path": "random", "tags": ["baseline"]})
    (folder / "models.yaml").write_text(json.dumps({"models": entries}))
    evalsuite.run(models=folder / "models.yaml", limit=12, out=folder / "run")
    return folder / "run"


WIDE, NARROW = ("en", 1280), ("zh", 390)


@pytest.fixture
def page(browse: Any, run: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    lang, width = getattr(request, "param", WIDE)
    size = {"width": width, "height": 900}
    with browse(run / "page/index.html", "#correlations", query=f"?lang={lang}", viewport=size) as tab:
        yield tab


def row(page: Any, item_set: str, model: str) -> Any:
    return page.locator(f"table[data-set={item_set}].overview tbody.own tr", has_text=model).first


def abbreviated(letters: str) -> str:
    """Letters as the page writes them: three or more that follow each other in the alphabet as "a–c"."""
    return letters if len(letters) < 3 or letters not in "abcdefghij" else f"{letters[0]}–{letters[-1]}"


# The letters of each cell of a row, and their description.
LETTERS = "all => all.map((x) => [x.querySelector('.letters')?.innerText, x.querySelector('button.cell')?.ariaLabel])"


@pytest.mark.thorough
def test_groups_and_ranks_are_those_of_python(page: Any, run: Path) -> None:
    fits_the_window(page)
    average_ranks(page, run)
    letters(page, run, "f1")


@pytest.mark.thorough
@pytest.mark.parametrize("page", [NARROW], indirect=True, ids=str)
def test_groups_and_correlations_in_chinese(page: Any, run: Path) -> None:
    fits_the_window(page)
    correlations(page, run)
    letters(page, run, "em")


def letters(page: Any, run: Path, *metrics: str) -> None:
    found = {(g.set, g.task, g.metric): g for g in significance.task_comparisons(rated_cells_of(run))}
    for metric in metrics:
        page.select_option("[data-keep=metric] select", metric)
        told = {(s, m): row(page, s, m).locator("td").evaluate_all(LETTERS) for s in ("easy", "hard") for m in PATHS}
        for (item_set, task, of), entry in found.items():
            if of not in (metric, "accuracy"):
                continue
            for model, group in entry.letters.items():
                written, label = told[item_set, model][list(TASKS).index(task)]
                assert written == abbreviated(group)
                assert label.endswith(f"group {group}") or label.endswith(f"分组 {group}")
    page.select_option("[data-keep=metric] select", "bleu2")  # a metric without known groups
    assert row(page, "easy", "oracle").locator("td").nth(1).locator(".letters").count() == 0
    assert page.locator("table.overview tbody:not(.own) .letters").count() == 0
    assert "0.05" in page.inner_text("#letters-note")
    page.click("[data-keep=letters] input")
    assert page.locator("table.overview .letters, #letters-note").count() == 0


def average_ranks(page: Any, run: Path) -> None:
    for _, coordinates, ranks, *_ in ranks_of(load_results(run).cells):
        place = dict(coordinates)
        panel = page.locator(f"#rank-plots [data-set={place['set']}]")
        text = panel.locator("figcaption").inner_text()
        assert f"χ² = {ranks.statistic:.2f}" in text
        assert ("p < 0.001" if ranks.p < 0.001 else f"p = {ranks.p:.3f}") in text
        assert (f"CD {ranks.critical_difference:.2f}" in text) == (ranks.p < 0.05)
        table = page.locator(f"table.ranks[data-set={place['set']}]")
        table.locator("xpath=ancestor::details/summary").click()
        for model, mean in ranks.mean.items():
            low, high = ranks.range[model]
            line = table.locator("tbody tr", has_text=model).first
            assert float(line.locator("td").nth(0).inner_text()) == pytest.approx(mean, abs=0.0051)
            assert line.locator("td").nth(1).inner_text() == f"{low:g}–{high:g}"
        assert panel.locator("circle.dot").count() == len(ranks.mean) == 5
    assert page.locator("#ranks .caution").count() == 1
    with page.expect_download() as download:
        page.click("[data-save='rank-plots.svg']")
    assert HOSTILE.replace("<", "&lt;").replace(">", "&gt;") in Path(download.value.path()).read_text()


def correlations(page: Any, run: Path) -> None:
    results = results_json(run)
    names = {"f1": "F1", "em": "EM", "chrf": "chrF", "cider": "CIDEr"}
    for basis in ("items", "models"):
        page.select_option("[data-keep=correlations-basis] select", basis)
        page.select_option("[data-keep=correlations-task] select", "event_cause")
        page.select_option("[data-keep=correlations-set] select", "easy")
        if page.locator("[data-unfold=tables-correlations]:not([open])").count():
            page.click("[data-unfold=tables-correlations] > summary")
        entry = next(e for e in results["metric_correlations"] if (e["basis"], e["task"], e["set"]) == (basis, "event_cause", "easy"))  # fmt: skip
        assert f"n {entry['n']}" in page.inner_text("#correlations-charts")
        heads = page.locator("#sheet-correlation_matrix thead th").all_inner_texts()[1:]
        shown = [x.locator("td").all_inner_texts() for x in page.locator("#sheet-correlation_matrix tbody tr").all()]
        of = dict(
            zip(combinations(entry["metrics"], 2), zip(entry["spearman"], entry["kendall"], strict=True), strict=True)
        )
        for a, b in combinations(names, 2):
            i, j = sorted((heads.index(names[a]), heads.index(names[b])))
            for text, value in zip((shown[i][j], shown[j][i]), of.get((a, b)) or of[b, a], strict=True):
                assert float(text.replace("−", "-")) == pytest.approx(value, abs=0.0051)
        assert page.locator("svg.heat text.value").count() == len(heads) * (len(heads) - 1)
        assert any("(paper)" in x or "（论文）" in x for x in heads) == any(
            name.startswith("paper.") for name in entry["metrics"]
        )


def fits_the_window(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#main img").count() == 0


@pytest.mark.thorough
def test_models_of_two_runs_are_compared(browse: Any, run: Path, tmp_path: Path) -> None:
    second = tmp_path / "second"
    shutil.copytree(run, second)
    results = results_json(second)
    failed = next(c for c in results["cells"] if c["model"] == "lexical" and c["task"] == "event_cause")
    failed["status"] = {"failed": 1, "parsed": failed["items"] - 1}
    (second / "results.json").write_text(json.dumps(results))
    with browse(evalsuite.report([run, second], tmp_path / "page"), "#letters-note", query="?lang=en") as page:
        note = page.inner_text("#letters-note")
        assert "Models of all runs are compared together" in note
        assert "lexical (second) (failed or missing items: EASY Event cause)" in note
        assert page.locator("#rank-plots [data-set=easy] circle.dot").count() == 9
        assert "lexical (second)" in page.locator("#rank-plots [data-set=easy] .note:not(.readout)").inner_text()
        assert page.locator("[data-keep=correlations-run] option").count() == 2
