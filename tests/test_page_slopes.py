"""Robustness drawn: changes at a glance, slopes, shots and wordings, with few models and with many."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from page_checks import no_sideways_scrolling, percent_text
from run_files import results_json
from shared_fixtures import shared_folder

import evalsuite

KINDS = ["none", "reindicate", "shuffle", "circular", "swap_speakers"]
TASK, SET = "domain_identification", "hard"


@shared_folder
def run(folder: Path) -> Path:
    """Three baselines under perturbations; one change is given a tiny p-value, and one model a hostile name."""
    folder = folder / "run"
    # The most last, for each command scores the whole folder.
    what: list[dict[str, Any]] = [{"prompt": ["plain"]}, {"shots": [1, 3]}, {"perturb": KINDS}]
    for more in what:
        evalsuite.run(
            model=["random", "majority", "lexical"], tasks=[TASK, "event_cause"], limit=10, out=folder, **more
        )
    results = results_json(folder)
    for row in results["robustness"]["drops"]:
        row["p_holm"] = (
            0.01 if (row["model"], row["perturb"]) == ("majority", "reindicate") else max(row["p_holm"], 0.2)
        )
    for rows in (results["cells"], *results["robustness"].values()):
        for row in rows:
            row["model"] = row["model"].replace("random", "<b onclick=alert(1)>\u202e")
    (folder / "results.json").write_text(json.dumps(results))
    evalsuite.report([folder])
    return folder


@shared_folder
def run_of_twenty(run: Path, folder: Path) -> Path:
    """The run with twenty models: copies of one, each with changes of its own."""
    folder = folder / "run"
    results = results_json(run)
    there = [results["cells"], *results["robustness"].values()]
    for rows in there:
        rows[:] = [
            {**copy.deepcopy(row), "model": f"Model-{n:02}-with-a-long-name-{'Chat' if n % 2 else 'Instruct'}"}
            for row in rows
            if row["model"] == "lexical"
            for n in range(20)
        ]
    for row in results["robustness"]["drops"]:
        n = int(row["model"][6:8])
        row |= {
            "base": 0.3 + 0.01 * n,
            "drop": -0.01 * n,
            "value": 0.3,
            "low": -0.01 * n - 0.05,
            "high": 0.05 - 0.01 * n,
        }
        row["p_holm"] = 0.01 if n and n % 3 == 0 else 0.5
    for cell in results["cells"]:
        path = folder / cell["records"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((run / cell["records"]).read_text())
    (folder / "results.json").write_text(json.dumps(results))
    evalsuite.report([folder])
    return folder


def open_page(folder: Path, browse: Any) -> Iterator[Any]:
    with browse(folder / "page" / "index.html") as tab:
        tab.select_option("[data-keep=robustness-task] select", TASK)
        tab.select_option("[data-keep=robustness-set] select", SET)
        yield tab


@pytest.fixture
def page(run: Path, browse: Any) -> Iterator[Any]:
    yield from open_page(run, browse)


@pytest.fixture
def many_page(run_of_twenty: Path, browse: Any) -> Iterator[Any]:
    yield from open_page(run_of_twenty, browse)


def rows_of(folder: Path, name: str, **more: Any) -> list[dict[str, Any]]:
    """Rows of robustness at the settings that the page shows first."""
    wanted = {"task": TASK, "set": SET, "variant": "paper", "shots": 0, "scoring": "generate", **more}
    found = results_json(folder)["robustness"][name]
    return [row for row in found if all(row.get(k, v) == v for k, v in wanted.items())]


def label(model: str) -> str:
    return model.replace("\u202e", "U+202E")


def panel_of(page: Any, kind: str, box: str = "#drops-charts") -> Any:
    """The panel of a perturbation, or of a set."""
    if box == "#drops-charts":
        return page.locator(f"{box} [data-panel^='{kind} · ']")
    return page.locator(f"{box} figure").filter(has=page.locator(f"figcaption:has-text('{kind.upper()}')"))


def line(page: Any, panel: str, model: str, box: str = "#drops-charts") -> Any:
    return panel_of(page, panel, box).locator(f".series[data-series='{label(model)}']")


def signed_text(value: float) -> str:
    return f"{'−' if value < 0 else '+'}{abs(100 * value):.1f}"


def height(page: Any, panel: str, value: float, box: str = "#drops-charts") -> float:
    """The height of a value on a panel's axis, by its printed ticks."""
    ticks = (
        panel_of(page, panel, box)
        .locator("svg > text[text-anchor=end]")
        .evaluate_all(
            "all => all.filter(x => x.getAttribute('x') < 30).map(x => [Number(x.textContent), Number(x.getAttribute('y')) - 4])"
        )
    )
    (low, bottom), (high, top) = ticks[0], ticks[-1]
    return float(bottom + (100 * value - low) / (high - low) * (top - bottom))


def test_changes_are_drawn_saved_and_told_at_a_glance(page: Any, run: Path) -> None:
    slopes_have_the_heights_of_their_values(page, run)
    for box in ("drops-charts", "shots-charts", "wordings-charts"):
        save_chart(page, box)
    changes_at_a_glance(page, run)


def slopes_have_the_heights_of_their_values(page: Any, run: Path) -> None:
    for row in rows_of(run, "drops"):
        found = line(page, row["perturb"], row["model"])
        drawn = [float(pair.split(",")[1]) for pair in found.locator(".path").get_attribute("points").split()]
        assert drawn == pytest.approx([height(page, row["perturb"], row[k]) for k in ("base", "value")], abs=0.2)
        sure = row["p_holm"] < 0.05
        assert ("faint" in found.get_attribute("class")) != sure
        assert bool(found.locator(".path").get_attribute("stroke-dasharray")) != sure
        assert found.locator(".end").text_content().endswith(signed_text(row["drop"]) + (" *" if sure else " ?"))
        before, after = (found.locator(".spot").nth(n).get_attribute("aria-label") for n in (0, 1))
        assert (
            f", as they are: {percent_text(row['base'])} %" in before
            and f", perturbed: {percent_text(row['value'])} %" in after
        )
        assert f", change {signed_text(row['drop'])} ({signed_text(row['low'])}" in after and "Holm p " in after
    drawn = page.locator("#drops-charts")
    assert drawn.locator(".panel").count() == drawn.locator(".chance.dotted").count() == 4


def changes_at_a_glance(page: Any, run: Path) -> None:
    rows = rows_of(run, "drops")
    table = page.locator("[data-sheet=changes]")
    assert table.locator("td.heat").count() == len(rows) == 3 * 4
    kinds = list(dict.fromkeys(row["perturb"] for row in rows))
    for row in rows:
        mine = table.locator("tbody tr").filter(has_text=row["model"][:8])
        text = mine.locator("td.heat").nth(kinds.index(row["perturb"])).inner_text()
        assert text == signed_text(row["drop"]) + (" *" if row["p_holm"] < 0.05 else "")
    means = [table.locator("tbody tr").nth(n).locator("td.heat").all_inner_texts() for n in range(3)]
    sums = [sum(float(x.strip(" *").replace("−", "-")) for x in texts) for texts in means]
    assert sums == sorted(sums)  # models with the largest losses come first
    majority = table.locator("tbody tr").filter(has_text="majority")
    majority.locator("td.heat button").nth(kinds.index("shuffle")).click()
    page.wait_for_selector("#panes")
    assert "perturb=shuffle" in page.url and "model=majority" in page.url


@pytest.mark.thorough
def test_a_slope_opens_its_evidence_by_keyboard(page: Any) -> None:
    """The tab key stops once at a panel; arrows go on from there, to either end of a line."""
    for end in ("perturbed", "base"):
        panel = panel_of(page, "shuffle")
        assert panel.locator("[tabindex='0']").count() == 1
        panel.locator(".spot").first.focus()
        page.keyboard.press("ArrowLeft")  # from the first to the last: the perturbed end of the last line
        if end == "base":
            page.keyboard.press("ArrowLeft")
        assert panel.locator("[tabindex='0']").count() == 1
        told = page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert panel.locator(".readout").inner_text() == told and (", change " in told) == (end == "perturbed")
        page.keyboard.press("Enter")
        page.wait_for_selector("#panes")
        assert ("perturb=shuffle" in page.url) == (end == "perturbed")
        page.keyboard.press("Escape")
        page.wait_for_selector("#drops-charts")


@pytest.mark.thorough
def test_of_twenty_models_the_largest_changes_are_named(many_page: Any) -> None:
    largest_changes_are_named(many_page)
    an_unnamed_line_is_named_under_the_pointer(many_page)
    looks_are_the_models_own(many_page)
    largest_changes_are_named(many_page, "Model-02-with-a-long-name-Instruct", "Model-05-with-a-long-name-Chat")
    assert no_sideways_scrolling(many_page)
    many_page.click("#lang")
    assert no_sideways_scrolling(many_page)


def largest_changes_are_named(many_page: Any, *picks: str) -> None:
    """The largest changes are named, or those picked; no two names touch, none leaves the panel."""
    for name in picks:
        many_page.locator("#robustness .modelkeys button[title]", has_text=name[:8]).click()
        assert name in many_page.evaluate("document.activeElement.title")  # the pressed button keeps the focus
    panel = panel_of(many_page, "shuffle")
    named = panel.locator(".end:not(.quiet)")
    assert panel.locator(".series").count() == 20 and panel.locator(".series.dim").count() == (18 if picks else 0)
    texts = named.all_text_contents()
    if picks:
        assert {x.removesuffix(" ?").split()[-1] for x in texts} == {"−2.0", "−5.0"}
    else:  # significant changes are named first, then the largest
        largest = {3, 6, 9, 12, 15, 18, 16, 17, 19}
        assert {n for n in range(20) if any(f"−{n}.0" in x for x in texts)} == largest and len(texts) == 9
    lines = sorted(float(x.get_attribute("y")) for x in named.locator("text").all())
    assert all(b - a > 12.9 for a, b in pairwise(lines)) and lines[-1] < 250  # letters have 11 px
    edges = named.locator("text").evaluate_all("all => all.map(x => x.getBBox().x + x.getBBox().width)")
    assert max(edges) <= 380
    if picks:
        many_page.click("#robustness .modelkeys .link")
        assert many_page.locator("#drops-charts .dim").count() == 0


def an_unnamed_line_is_named_under_the_pointer(many_page: Any) -> None:
    found = line(many_page, "shuffle", "Model-01-with-a-long-name-Chat")
    end = found.locator(".end")
    assert end.evaluate("x => getComputedStyle(x).opacity") == "0"
    found.locator(".spot").nth(0).focus()
    assert end.evaluate("x => getComputedStyle(x).opacity") == "1"


def looks_are_the_models_own(many_page: Any) -> None:
    """Twenty models, twenty looks by colour and marker; a model has the same one in legend, slopes and shots."""
    look = """x => { const m = x.querySelector('.mark'), c = getComputedStyle(m);
                     const corners = m.localName === 'circle' ? 'circle' : m.getAttribute('points').split(' ').map(p => p.split(',').map(Number));
                     const shape = corners === 'circle' ? corners : corners.length === 3 ? 'triangle' : corners[0][1] === corners[1][1] ? 'square' : 'diamond';
                     return [c.stroke, shape, m.classList.contains('hollow')].join(); }"""
    keys = [x.evaluate(look) for x in many_page.locator("#robustness .modelkeys button svg").all()]
    assert len(set(keys)) == len(keys) == 20
    names = [f"Model-{n:02}-with-a-long-name-{'Chat' if n % 2 else 'Instruct'}" for n in range(20)]
    for box, panel in (("#drops-charts", "circular"), ("#shots-charts", SET)):
        assert [line(many_page, panel, name, box).evaluate(look) for name in names] == keys


@pytest.mark.thorough
def test_shots_have_the_heights_of_their_values(page: Any, run: Path) -> None:
    found = rows_of(run, "shots", perturb="none", shots=None)
    for row in (r for r in found if r["set"] == SET):
        drawn = line(page, SET, row["model"], "#shots-charts")
        points = [float(pair.split(",")[1]) for pair in drawn.locator(".path").get_attribute("points").split()]
        values = [row["values"][n] for n in ("0", "1", "3")]
        assert points == pytest.approx([height(page, SET, v, "#shots-charts") for v in values], abs=0.2)
        assert drawn.locator(".whisker").count() == 3
        assert drawn.locator(".end").text_content().endswith(signed_text(values[2] - values[0]))
    line(page, SET, "majority", "#shots-charts").locator(".spot").nth(2).press("Enter")
    page.wait_for_selector("#panes")
    assert "shots=3" in page.url and f"set={SET}" in page.url


@pytest.mark.thorough
def test_wordings_have_a_spot_each_and_their_mean(page: Any, run: Path) -> None:
    rows = rows_of(run, "wordings", perturb="none")
    panel = page.locator(f"#wordings-charts [data-panel={SET}]")
    for row in rows:
        mine = panel.locator(f".spreadrow[data-model='{label(row['model'])}']")
        words = [x.get_attribute("aria-label") for x in mine.locator(".spot").all()]
        assert words == [f"{label(row['model'])}, {k}: {percent_text(v)} %" + w.partition(" %")[2] for (k, v), w in zip(row["values"].items(), words, strict=True)]  # fmt: skip
        places = [float(mine.locator(".meanmark").get_attribute("x1")[:-1])]
        places += [float(mine.locator(".spread").get_attribute(x)[:-1]) for x in ("x1", "x2")]
        assert places[0] == pytest.approx((places[1] + places[2]) / 2, abs=0.02)  # the mean of two
    panel.locator(".spreadrow[data-model=majority] .spot").nth(1).press("Enter")
    page.wait_for_selector("#panes")
    assert "prompt=plain" in page.url


def save_chart(page: Any, box: str) -> None:
    """A saved chart has every marker once and the models' names, and needs none of the page's styles."""
    with page.expect_download() as download:
        page.click(f"[data-save='{box}.svg']")
    image = ElementTree.fromstring(Path(download.value.path()).read_text(encoding="utf-8"))
    marks = page.locator(f"#{box} .mark").count()
    drawn = [x for x in image.iter() if x.tag.endswith(("}circle", "}polygon")) and x.get("stroke", "none") != "none"]
    assert len(drawn) == marks > 0
    assert "class=" not in ElementTree.tostring(image, encoding="unicode")
    assert any("majority" in (x.text or "") for x in image.iter() if x.tag.endswith("}text"))


@pytest.mark.thorough
def test_tables_are_drawn_when_opened_and_stay_open(page: Any) -> None:
    fold = page.locator("[data-unfold=tables-drops]")
    assert fold.locator("table").count() == 0
    fold.locator("summary").click()
    page.wait_for_selector("[data-unfold=tables-drops] table")
    page.select_option("[data-keep=robustness-set] select", "easy")
    page.wait_for_selector("[data-unfold=tables-drops][open] table")
    assert fold.locator("tbody tr:not(.group)").count() == 4 * 3  # a row for each perturbation of each model
