"""Learning curves on the page: lines, their values, the evidence behind them, and files to keep."""

from __future__ import annotations

import json
import shutil
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from page_checks import no_sideways_scrolling, percent_text
from run_files import results_json
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.analyses.learning import learning
from evalsuite.analyses.robustness import PositionCounts
from evalsuite.results.schema.cell import CellResult

KINDS = ["none", "reindicate", "shuffle"]
SIZES = {"majority": (4, 1), "lexical": (12, 1), "oracle": (12, 2)}  # the sweep: which baseline plays which adapter
SVG = "{http://www.w3.org/2000/svg}"


@shared_folder
def sweep(folder: Path) -> Path:
    """A sweep whose replies come from baselines: the base and three adapters for each task; the size of 12 items has
    two seeds."""
    models = [f"  - {{name: {name}, backend: baseline, path: {name}}}\n" for name in ("random", *SIZES)]
    (folder / "models.yaml").write_text("models:\n" + "".join(models))
    run = folder / "run"
    tasks = ["domain_identification", "event_cause"]
    evalsuite.run(models=folder / "models.yaml", tasks=tasks, limit=7, perturb=KINDS, out=run)
    results = results_json(run)
    for entry in (*results["cells"], *results["robustness"]["drops"], *results["robustness"]["positions"]):
        size, seed = SIZES.get(entry["model"], (0, 0))
        entry["model"] = f"m+{entry['task']}-{size}-s{seed}" if size else "m"
        if "facts" in entry:
            entry["facts"]["backend"] = "hf"
        if size and "facts" in entry:
            entry["facts"]["trained"] = {"base": "m", "task": entry["task"], "size": size, "seed": seed, "set": "both", "allow_leak": False, "labels": {}} | (
                {"labels": {"a": 1, "b": size - 1}} if "chance" in entry else {}
            )  # fmt: skip
    cells = [CellResult.model_validate(cell) for cell in results["cells"]]
    places = [PositionCounts.model_validate(row) for row in results["robustness"]["positions"]]
    results["learning"] = [curve.written() for curve in learning(cells, places)]
    (run / "results.json").write_text(json.dumps(results))
    evalsuite.report([run])
    return run


@pytest.fixture(scope="module")
def rows(sweep: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = results_json(sweep)["learning"]
    return found


@pytest.fixture
def page(sweep: Path, browse: Any) -> Iterator[Any]:
    with browse(sweep / "page" / "index.html") as tab:
        yield tab


NAMES = {"domain_identification": "Domain identification, Acc. %", "event_cause": "Event cause, F1 %"}
LINES = {"none": "as they are"}  # perturbation -> the name of its line, if that is another


def test_lines_and_tables_have_the_values_of_results_json(page: Any, rows: list[dict[str, Any]]) -> None:
    lines_have_their_values(page, rows)
    tables_have_their_values(page, rows)
    label_check_has_its_values(page, rows)
    adapters_stand_in_other_sections_only_when_asked_for(page)


def lines_have_their_values(page: Any, rows: list[dict[str, Any]]) -> None:
    """A panel per task; a line per set above, a line per perturbation below; heights as the values are."""
    for item_set in ("easy", "hard"):
        page.select_option("[data-keep=learning-set] select", item_set)
        for row in rows:
            panel = f"[data-panel='{NAMES[row['task']]}']"
            if row["perturb"] == "none":
                check_line(page.locator(f"#curves_by_set-charts {panel} [data-series={row['set'].upper()}]"), row)
            if row["set"] == item_set:
                name = LINES.get(row["perturb"], row["perturb"])
                check_line(page.locator(f"#curves_by_perturbation-charts {panel} [data-series='{name}']"), row)
    assert page.locator("#curves_by_set-charts .panel").count() == 2
    looks = [
        (line.get_attribute("stroke-dasharray"), mark.evaluate("x => x.localName"), line.evaluate("x => getComputedStyle(x).stroke"))
        for line, mark in ((s.locator(".path"), s.locator(".mark").first) for s in page.locator("#curves_by_perturbation-charts .panel >> nth=0 >> [data-series]").all())
    ]  # fmt: skip
    assert len(looks) == 3 and all(len(set(kind)) == 3 for kind in zip(*looks, strict=True) if kind[0] != "circle")


def check_line(series: Any, row: dict[str, Any]) -> None:
    """The line's heights are its values, on an axis that ends at 100 %, since the interval of some value does."""
    assert series.count() == 1
    drawn = [float(pair.split(",")[1]) for pair in series.locator(".path").get_attribute("points").split()]
    assert drawn == pytest.approx([208 - 198 * p["value"] for p in row["points"]], abs=0.06)
    assert float(series.locator(".baseline").get_attribute("y1")) == pytest.approx(208 - 198 * row["before"]["value"])
    spots = [x.get_attribute("aria-label") for x in series.locator(".spot").all()]
    values = [row["before"], *row["points"]]
    assert all(f": {percent_text(m['value'])} %" in words for words, m in zip(spots, values, strict=True))


def tables_have_their_values(page: Any, rows: list[dict[str, Any]]) -> None:
    """A row per size, a column per set; and below another fold each seed."""
    page.click("[data-unfold=tables-curves_by_set] summary")
    page.click("[data-unfold=tables-seeds] summary")
    by_set, seeds = page.locator("[data-sheet=curves_by_set]"), page.locator("[data-sheet=seeds]")
    for tables in (by_set, seeds):
        tables.nth(1).wait_for()  # a table is drawn when its fold opens
        assert tables.count() == 2
    (row,) = [r for r in rows if (r["task"], r["set"], r["perturb"]) == ("domain_identification", "hard", "none")]
    lines = [x.split("\t") for x in by_set.first.locator("tbody tr").all_inner_texts()]
    small, several = row["points"]
    sizes = [(x[0], x[2].split()[0]) for x in lines]
    assert sizes == [
        ("0", percent_text(row["before"]["value"])),
        ("4", percent_text(small["value"])),
        ("12", percent_text(several["value"])),
        ("chance", percent_text(row["chance"])),
    ]
    lines = [x.split("\t") for x in seeds.first.locator("tbody tr").all_inner_texts()]
    wanted = [("4", "1", small["seeds"][0]), *(("12", str(x["seed"]), x) for x in several["seeds"])]
    assert [(x[0], x[1], x[2].split()[0]) for x in lines] == [(a, b, percent_text(x["value"])) for a, b, x in wanted]


def label_check_has_its_values(page: Any, rows: list[dict[str, Any]]) -> None:
    for kind in ("shuffle", "none"):
        page.select_option("[data-keep=learning-perturb] select", kind)
        page.select_option("[data-keep=learning-size] select", "4")
        row = next(r for r in rows if (r["task"], r["set"], r["perturb"]) == ("domain_identification", "hard", kind))
        check = row["points"][0]["labels"]
        panel = page.locator("#label_shares-charts [data-block='Domain identification']")
        text = panel.locator("figcaption small").inner_text()
        assert text.startswith(
            f"Most frequent in training: (b) (75.0 %). It is {percent_text(check['share'])} % of the answers"
        )
        assert f"to training {percent_text(check['distance'])} %, to gold {percent_text(check['bias'])} %" in text
        lines = [x.split() for x in panel.locator("tbody tr").all_inner_texts()]
        counts = (check["trained"], check["chosen"], check["gold"])
        assert [x[1:] for x in lines] == [
            [percent_text(c[n] / sum(c)) for c in counts] for n in range(len(check["labels"]))
        ]


def adapters_stand_in_other_sections_only_when_asked_for(page: Any) -> None:
    sections = "table.overview tbody.own", "#robustness", "table.status"
    assert all("-s1" not in page.locator(x).first.inner_text() for x in sections)
    page.check("[data-keep=adapters] input")
    assert all("m+domain_identification-4-s1" in page.locator(x).first.inner_text() for x in sections)


@pytest.mark.parametrize("way", ["point", "key", "table"])
def test_values_open_their_evidence(page: Any, way: str) -> None:
    spot = page.locator("#curves_by_perturbation-charts [data-series=shuffle] .spot[role=button]").nth(1)
    if way == "point":
        spot.hover()
        readout = page.locator("#curves_by_perturbation-charts .readout").first.inner_text()
        assert readout.startswith("shuffle, training items 4: ")
        spot.click()
    elif way == "key":
        spot.focus()
        page.keyboard.press("Enter")
    else:
        page.click("[data-unfold=tables-seeds] summary")
        page.locator("[data-sheet=seeds]").first.locator("tbody tr").first.locator("button").nth(2).click()
    page.wait_for_selector("#panes")
    assert page.inner_text("#cellname").startswith("Domain identification") and "perturb=shuffle" in page.url
    assert "m+domain_identification-4-s1" in page.inner_text(".cellhead .lead")


def downloaded_bytes(page: Any, button: str) -> bytes:
    with page.expect_download() as download:
        page.click(button)
    return Path(download.value.path()).read_bytes()


def test_charts_are_saved_as_pictures(page: Any) -> None:
    for theme in ("light", "dark"):
        page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        for figure in (
            "curves_by_set-charts",
            "curves_by_perturbation-charts",
            "label_shares-charts",
            "charts",
            "positions-charts",
        ):
            check_pictures(page, figure, theme)


def check_pictures(page: Any, figure: str, theme: str) -> None:
    raw = downloaded_bytes(page, f"[data-save='{figure}.svg']")
    tree = ElementTree.fromstring(raw)
    assert tree.tag == SVG + "svg" and b"href" not in raw and b"var(" not in raw and b"class=" not in raw
    background = tree.find(SVG + "rect")
    assert background is not None
    assert background.get("fill") == {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 23, 26)"}[theme]
    words = ["".join(x.itertext()) for x in tree.iter(SVG + "text")]
    assert any("Domain identification" in x for x in words)
    shapes = [
        x for x in tree.iter() if x.tag.removeprefix(SVG) in ("circle", "polyline", "line", "rect", "polygon", "path")
    ]
    assert len(shapes) > 5 and all(x.get("fill") for x in shapes)
    if figure == "curves_by_perturbation-charts":
        assert {"as they are", "reindicate", "shuffle", "training items"} <= set(words)
        assert len({x.get("stroke") for x in tree.iter(SVG + "polyline")}) == 3
    png = downloaded_bytes(page, f"[data-save='{figure}.png']")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", png[16:24]) == (2 * int(tree.get("width", 0)), 2 * int(tree.get("height", 0)))
    assert len(set(pixels(png))) > 20  # the picture has more than one colour


def pixels(png: bytes) -> bytes:
    """The bytes of a PNG's picture, as they were filtered."""
    at, packed = 8, b""
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            packed += png[at + 8 : at + 8 + length]
        at += length + 12
    return zlib.decompress(packed)


@pytest.mark.thorough
def test_nothing_scrolls_sideways(page: Any) -> None:
    page.click("[data-unfold=tables-seeds] summary")
    for _ in range(2):
        assert no_sideways_scrolling(page)
        page.click("#lang")
    assert "Learning curves" in page.inner_text("#learning h2")


def test_a_run_without_learning_curves_is_drawn(sweep: Path, tmp_path: Path, browse: Any) -> None:
    """No "learning" in results.json: a page all the same, with the adapters among the models when asked for."""
    results = results_json(sweep)
    del results["learning"]
    (tmp_path / "results.json").write_text(json.dumps(results))
    shutil.copytree(sweep / "records", tmp_path / "records")
    with browse(evalsuite.report([tmp_path])) as tab:
        assert tab.locator("#learning").count() == 0
        assert tab.locator("[data-keep=adapters]").count() == 1
