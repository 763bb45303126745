"""The page of several benchmarks opens with one row per model; every mean unfolds the parts that it is made of."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from page_checks import violations
from run_files import results_json
from test_overview import GROUP, run  # noqa: F401 - a fixture
from test_page_first_screen import nothing_scrolls_sideways, outermost_edge

import evalsuite
from evalsuite.analyses.overview import overview
from evalsuite.analyses.robustness import PerturbationEffect
from evalsuite.results.schema.cell import CellResult

needs("dev", "axe_playwright_python")


@pytest.fixture(scope="module")
def grouped_run(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: F811
    """The run with a group of the test's own, and its page."""
    copy = tmp_path_factory.mktemp("shown") / "run"
    shutil.copytree(run, copy)
    results = results_json(copy)
    cells, drops = results["cells"], results["robustness"]["drops"]
    made = overview(
        [CellResult.model_validate(x) for x in cells], [PerturbationEffect.model_validate(x) for x in drops], [GROUP]
    )
    results["groups"] = [group.written() for group in made]
    (copy / "results.json").write_text(json.dumps(results), encoding="utf-8")
    evalsuite.report([copy])
    return copy


@pytest.fixture
def page(browse: Any, grouped_run: Path) -> Iterator[Any]:
    with browse(
        grouped_run / "page/index.html", "#wholes", query="?lang=en", viewport={"width": 1300, "height": 900}
    ) as tab:
        yield tab


def mean(page: Any, model: str, column: str) -> Any:
    return page.locator(f"#wholes [data-parts='some:{column}:0:{model}']")


def number(text: str) -> float:
    return float(text.replace("−", "-").split()[0]) / 100


def a_row_a_model_first(page: Any, shown: Path) -> None:
    (group,) = results_json(shown)["groups"]
    parts = page.locator("main > .part").evaluate_all("all => all.filter((x) => x.textContent).map((x) => x.id)")
    assert parts[:2] == ["part-intro", "part-whole"]
    assert (
        page.locator("#findings").count() == page.locator("#part-intro #findings").count()
    )  # first on every kind of run
    rows = [r for r in group["rows"] if (r["variant"], r["scoring"]) == ("paper", "generate")]
    # the models and the row of chance
    assert page.locator("[data-sheet=whole] tbody tr:not(.group)").count() == len(rows) + 1
    ends = page.locator("#wholes table, #wholes h2 ~ .note, #wholes > .note").evaluate_all(
        "all => all.map((x) => x.localName)"
    )
    assert ends[0] == "table"  # notes are below what they are about
    for row in rows:
        for score in row["scores"]:
            node = mean(page, row["model"], f"{score['kind']}:{score['name']}")
            text = node.inner_text()
            assert text == "–" if score["value"] is None else number(text) == pytest.approx(score["value"], abs=5.1e-4)
        for change in row["changes"]:
            text = mean(page, row["model"], f"{change['perturb']}:{change['benchmark']}").inner_text()
            assert number(text) == pytest.approx(change["value"], abs=5.1e-4)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#wholes .panel[data-ability]").count() == 2


def test_means_unfold_into_their_parts(page: Any, grouped_run: Path) -> None:
    a_change_a_chart_an_order_and_a_file(page)
    parts_unfold_by_keys_and_lead_to_evidence(page, grouped_run)


def parts_unfold_by_keys_and_lead_to_evidence(page: Any, shown: Path) -> None:
    node = mean(page, "first", "ability:choosing")
    assert node.get_attribute("aria-expanded") == "false"
    node.focus()
    page.keyboard.press("Enter")
    assert node.get_attribute("aria-expanded") == "true"
    head = page.locator("#parts-some h3")
    assert head.inner_text().startswith("first · Choosing")
    assert page.evaluate("document.activeElement.tagName") == "H3"
    table = [[x.split("\n")[0] for x in r.locator("td:not(.inplot)").all_inner_texts()] for r in page.locator("#parts-some tbody tr").all()]  # fmt: skip
    assert [row[0] for row in table] == ["EASY", "HARD", "fold 2"]
    weights = [number(row[-1]) for row in table]
    assert weights == [0.25, 0.25, 0.5]
    assert sum(number(row[2]) * w for row, w in zip(table, weights, strict=True)) == pytest.approx(number(node.inner_text()), abs=1e-3)  # fmt: skip
    assert "parts=some" in page.url  # the address leads back to it
    page.keyboard.press("Escape")
    assert head.count() == 0 and node.get_attribute("aria-expanded") == "false"
    assert page.evaluate("document.activeElement.dataset.parts") == "some:ability:choosing:0:first"
    mean(page, "third", "benchmark:corecode").click()
    assert page.locator("#parts-some .bad").count() == 2 and "2 of 4" in page.inner_text("#parts-some .note")
    page.locator("#parts-some button.cell").first.click()
    page.wait_for_selector("#cellname")
    assert "model=third" in page.url and "task=knowledge_filling" in page.url


def a_change_a_chart_an_order_and_a_file(page: Any) -> None:
    mean(page, "second", "shuffle:cider").click()
    assert page.locator("#parts-some h3").inner_text().startswith("second · CIDER · shuffle")
    page.locator("#parts-some button.cell").first.focus()
    page.locator("#wholes .panel[data-ability=texts] .spot").first.focus()
    page.keyboard.press("Enter")
    leader = page.locator("[data-sheet=whole] tbody.own th .name").first.inner_text()  # charts have the table's order
    assert page.locator("#parts-some h3").inner_text().startswith(f"{leader} · Texts")
    head = page.locator("[data-sheet=whole] thead th", has_text="CIDER").first
    head.locator("button").click()
    with page.expect_download() as download:
        page.locator("#sheet-whole-some").locator("xpath=preceding-sibling::*[1]").locator("summary").click()
        page.click("[data-table='whole-some.csv']")
    lines = [*csv.reader(Path(download.value.path()).read_text(encoding="utf-8-sig").splitlines())]
    values = {line[1]: line[2:] for line in lines if line[1] in ("first", "second")}
    for model, told in values.items():
        assert told[0] == mean(page, model, "benchmark:corecode").inner_text()
    shown_order = page.locator("[data-sheet=whole] tbody.own th .name").all_inner_texts()
    assert shown_order == sorted(values, key=lambda m: -number(mean(page, m, "benchmark:cider").inner_text()))


def test_no_table_of_changes_where_nothing_was_perturbed(browse: Any, grouped_run: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(grouped_run, tmp_path / "run")
    results = results_json(copy)
    for group in results["groups"]:
        for row in group["rows"]:
            row["changes"] = []
    (copy / "results.json").write_text(json.dumps(results), encoding="utf-8")
    with browse(evalsuite.report([copy]), "#wholes", query="?lang=en") as tab:
        assert tab.locator("[data-sheet=whole]").count() == 1
        assert "Change under perturbation" not in tab.locator("#wholes").inner_text()


@pytest.mark.thorough
def test_the_first_mean_stands_on_the_first_screen(browse: Any, grouped_run: Path) -> None:
    """The page is drawn as in a reader's browser: the first mean stands high, whole tables fit; changes have a table of their
    own."""
    where = {"query": "?lang=en", "laid_out": False, "folded": True}
    with browse(
        grouped_run / "page/index.html", "html[data-drawn=all]", "", viewport={"width": 1280, "height": 800}, **where
    ) as tab:
        first = "[data-sheet=whole] tbody.own td .num"
        assert tab.locator(first).first.bounding_box()["y"] < 500
        assert outermost_edge(tab, "[data-sheet=whole] thead th", "right") <= 1280
        assert tab.locator("[data-sheet=whole] [data-perturb]").count() == 0
        assert tab.locator("[data-sheet=whole_changes] [data-perturb]").count() > 0
        nothing_scrolls_sideways(tab)
        tab.set_viewport_size({"width": 390, "height": 800})
        assert tab.locator(first).first.bounding_box()["y"] < 700
        assert tab.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.thorough
@pytest.mark.parametrize(("lang", "theme", "width"), [("en", "light", 1280), ("zh", "dark", 390)])
def test_axe_finds_no_fault(browse: Any, grouped_run: Path, lang: str, theme: str, width: int) -> None:
    """The table has every mean. With its parts unfolded, axe finds no fault, and no text has too little contrast."""
    at = f"?lang={lang}&theme={theme}"
    size = {"width": width, "height": 900}
    with browse(grouped_run / "page/index.html", "#wholes", query=at, viewport=size, bypass_csp=True) as tab:
        a_row_a_model_first(tab, grouped_run)
        mean(tab, "third", "benchmark:corecode").click()
        assert tab.evaluate(Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")) == []
        assert violations(tab, within="#part-whole", drawn=theme == "dark") == []
