"""Exports of the page, read by the programs that they are for: tables by csv, TeX and a Markdown parser; a run's files;
filtered views."""

from __future__ import annotations

import csv
import importlib
import io
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_checks import no_sideways_scrolling, percent_text
from run_files import results_json
from shared_fixtures import shared_folder

import evalsuite

# Model names that would run, break or hide something in a program that reads a table.
NAMES = [
    r"\input{/etc/passwd}\end{document}$x^2$ 100% & #1 _a_ {b} ~c~ ^^41 |",
    '=HYPERLINK("x"),`code` **b** [l](javascript:alert(1)) <script>alert(2)</script> | www.x.io http://y.z a@b.c &lt; \\| --',
    "模型\u202e甲\n% \\write18{id} 。，“引”",
]


@shared_folder
def run(folder: Path) -> Path:
    """Three models that do not all score the same, of several sizes, with hostile names; and a baseline."""
    folder = folder / "run"
    models = folder.parent / "models.yaml"
    kinds = ("random", "majority", "lexical", "oracle")
    models.write_text(f"models: [{', '.join(f'{{name: {kind}, backend: baseline, path: {kind}}}' for kind in kinds)}]")
    evalsuite.run(models, perturb=["none", "shuffle"], limit=12, out=folder)
    results = results_json(folder)
    names = dict(zip(("majority", "lexical", "oracle"), NAMES, strict=True))
    sizes = dict(zip(NAMES, (500_000_000, 7_000_000_000, None), strict=True))
    for entry in [*results["cells"], *(row for rows in results["robustness"].values() for row in rows)]:
        entry["model"] = names.get(entry["model"], entry["model"])
    for cell in results["cells"]:
        if cell["model"] in sizes:
            cell["facts"] |= {"backend": "hf", "tags": ["chat"] if sizes[cell["model"]] else ["base"]}
            cell["facts"] |= {"parameters": sizes[cell["model"]]} if sizes[cell["model"]] else {}
    (folder / "results.json").write_text(json.dumps(results))
    evalsuite.report([folder])
    return folder


# Tables are drawn at the event that is waited for.
UNFOLD = """() => Promise.all([...document.querySelectorAll(".unfold")].map((x) => new Promise((done) => {
    x.addEventListener("toggle", () => setTimeout(done), { once: true });
    x.open = true;
})))"""


@pytest.fixture
def page(run: Path, browse: Any) -> Iterator[Any]:
    with browse(run / "page" / "index.html") as tab:
        tab.evaluate(UNFOLD)
        yield tab


def exported_text(page: Any, name: str) -> str:
    """A table as the menu saves it, by real clicks."""
    saver = page.locator(f"[data-table='{name}']")
    saver.locator("xpath=ancestor::details[1]/summary").click()
    with page.expect_download() as download:
        saver.click()
    assert download.value.suggested_filename == f"corecode-{name}"
    page.keyboard.press("Escape")
    return Path(download.value.path()).read_text(encoding="utf-8")


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def visible(name: str) -> str:
    """A text as pages show it: hidden characters as their numbers, blanks as one."""
    return " ".join(name.replace("\u202e", "U+202E").split())


def value(results: dict[str, Any], model: str, item_set: str, task: str) -> float | None:
    wanted = {"model": model, "set": item_set, "task": task, "perturb": "none"}
    (cell,) = [c for c in results["cells"] if all(c[k] == v for k, v in wanted.items())]
    metric = "accuracy" if "accuracy" in cell["metrics"] else "f1"
    found: float | None = cell["metrics"][metric]["value"]
    return found


TASKS = {
    "Knowledge filling": "knowledge_filling",
    "Event cause": "event_cause",
    "Slot identification": "slot_identification",
}


def test_tables_and_files_of_a_run_are_saved(run: Path, page: Any) -> None:
    harmless_csv(run, page)
    harmless_markdown(run, page)
    copies_are_the_files(page)
    files_of_a_run(run, page)
    no_sideways_scrolling_of_menus(page)
    metrics_of_a_cell(page)


def harmless_csv(run: Path, page: Any) -> None:
    """Values stand alone, as numbers; intervals beside them; no name is a formula."""
    results = results_json(run)
    rows = rows_of(exported_text(page, "hard.csv"))
    assert {row["Group"] for row in rows} >= {"", "Models", "Baselines"}
    for name in NAMES:
        guarded = "'" * name.startswith("=") + visible(name)
        (row,) = [row for row in rows if row["Model"] == guarded]
        for heading, task in TASKS.items():
            column = next(key for key in row if key.startswith(heading) and not key.endswith("notes"))
            assert row[column] == percent_text(value(results, name, "hard", task))
            assert re.fullmatch(r"\(\d+–\d+.*\)", row[f"{column}: interval, notes"])
    drops = rows_of(exported_text(page, "drops.csv"))
    shuffled = [row for row in drops if row["Group"].startswith("shuffle")]
    column = next(key for key in shuffled[0] if key.startswith("change"))
    assert len(shuffled) == 4 and all(abs(float(row[column])) <= 100 for row in shuffled)
    assert any("?" in row[f"{column}: interval, notes"] for row in shuffled), (
        "no change of too few items: the test tells less"
    )


def harmless_markdown(run: Path, page: Any) -> None:
    """Check that the Markdown is one table with nothing but text and emphasis, whether or not HTML and links are allowed."""
    markdown = pytest.importorskip("markdown_it", reason="needs evalsuite[dev]")
    results, text = results_json(run), exported_text(page, "hard.md")
    for html in (True, False):
        parser = markdown.MarkdownIt("commonmark", {"html": html}).enable("table")
        tokens = parser.parse(text)
        assert sum(token.type == "table_open" for token in tokens) == 1
        inline = [child for token in tokens for child in token.children or ()]
        kinds = {child.type for child in inline} - {"text", "text_special", "softbreak", "hardbreak"}
        assert kinds <= {"strong_open", "strong_close", "em_open", "em_close"}, kinds
        rendered = parser.render(text)
        assert "<script" not in rendered and "<a " not in rendered and "<code" not in rendered
        cells = ["".join(c.content for c in t.children) for t in tokens if t.type == "inline"]
        width = len([t for t in tokens if t.type == "th_open"])
        body = cells[1 + width :]
        for name in NAMES:
            at = body.index(visible(name))  # the name comes out as it went in
            column = next(n for n, cell in enumerate(cells[1 : 1 + width]) if cell.startswith("Knowledge filling"))
            assert body[at + column].startswith(percent_text(value(results, name, "hard", "knowledge_filling")))
    assert "| :--- | ---: |" in text and "**" in text.split("\n", 2)[2]  # the best value is bold


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("xelatex") is None, reason="needs xelatex (TeX Live) on the PATH")
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_latex_compiles_and_runs_no_command(page: Any, tmp_path: Path, lang: str) -> None:
    """The LaTeX compiles; commands in names are printed, not run."""
    if lang == "zh":
        page.click("#lang")
    tables = [exported_text(page, f"{name}.tex") for name in ("easy", "hard", "drops", "positions", "status-table")]
    assert all(table.startswith("% ") and "\\toprule" in table and "\\bottomrule" in table for table in tables)
    assert "\\textbf{" in tables[1] and "\\underline{" in tables[1]
    assert not any(re.search(r"\\(input|write|end\{document)", table.replace("textbackslash", "")) for table in tables)
    packages = sorted({p for table in tables for p in re.findall(r"^% \\usepackage\{(\w+)\}", table, re.M)})
    assert packages == ["booktabs", "ctex", "graphicx"]  # a Chinese name needs ctex
    stdout = subprocess.run(["kpsewhich", "ctex.sty"], capture_output=True, text=True, check=False).stdout.strip()
    uses = "".join(f"\\usepackage{{{p}}}" for p in packages if p != "ctex" or stdout)
    source = f"\\documentclass{{article}}{uses}\\begin{{document}}" + "\n".join(tables) + "THE END\\end{document}"
    (tmp_path / "page.tex").write_text(source, encoding="utf-8")
    command = ["xelatex", "-halt-on-error", "-interaction=nonstopmode", "-shell-escape", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "/etc/passwd" not in done.stdout and "runsystem" not in done.stdout
    assert (tmp_path / "page.pdf").is_file()


def copies_are_the_files(page: Any) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for kind in ("csv", "tex", "md"):
        row = page.locator(f"[data-table='easy.{kind}']")
        row.locator("xpath=ancestor::details[1]/summary").focus()
        page.keyboard.press("Enter")
        row.focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.activeElement.textContent === 'Copied'")
        copied = page.evaluate("navigator.clipboard.readText()")
        page.keyboard.press("Escape")
        assert page.locator("details.menu[open]").count() == 0
        assert copied.strip("\ufeff").replace("\r", "") == exported_text(page, f"easy.{kind}").strip("\ufeff").replace(
            "\r", ""
        )


def metrics_of_a_cell(page: Any) -> None:
    page.locator("table.overview[data-set=hard] tbody.base button.cell").first.click()
    page.wait_for_selector("#panes")
    page.click("#metrics summary")
    rows = rows_of(exported_text(page, "metrics-table.csv"))
    assert rows[0]["Metric"] == "Accuracy" and rows[0]["Signature"].startswith("accuracy|parser")


def files_of_a_run(run: Path, page: Any) -> None:
    """manifest.json and results.json come out of the page as they are in the run."""
    page.click("#manifest-0 summary")
    for name in ("manifest", "results"):
        with page.expect_download() as download:
            page.click(f"[data-save={name}-0]")
        saved = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
        there = json.loads((run / f"{name}.json").read_text(encoding="utf-8"))
        assert saved == there and list(saved) == list(there)
    assert "bundled:sample" in page.inner_text("#manifest-0 .settings >> nth=0")
    page.click("#signatures summary")
    rows = rows_of(exported_text(page, "signature-table.csv"))
    assert len(rows) == 4 * 8 and all("|data:" in row["Signature"] for row in rows)


@pytest.mark.thorough
def test_a_citation_is_shown_and_saved(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browse: Any) -> None:
    entry = "@misc{x, title={<b>&</b>}}\n"
    monkeypatch.setattr(importlib.import_module("evalsuite.page.report"), "citations", lambda *_: entry)
    with browse(evalsuite.report([run], tmp_path)) as tab:
        tab.click("#cite summary")
        assert tab.inner_text("#cite pre").strip() == entry.strip()
        with tab.expect_download() as download:
            tab.click("[data-save=bib]")
        assert Path(download.value.path()).read_text() == entry


def names_in(page: Any, item_set: str = "hard") -> list[str]:
    rows = page.locator(
        f"table.overview[data-set={item_set}] tbody.own tr:not(.group), table.overview[data-set={item_set}] tbody.base tr:not(.group)"
    )
    return [name.split("\n")[0].strip() for name in rows.locator("th").all_inner_texts()]


def columns_in(page: Any) -> int:
    return int(page.locator("table.overview[data-set=hard] thead th").count()) - 1


@pytest.mark.thorough
def test_filters_stand_in_the_address(page: Any) -> None:
    filters_and_their_address(page)
    addresses_of_nothing_here(page)


def filters_and_their_address(page: Any) -> None:
    """Each filter leaves the models that it names, stands in the address, and is restored from it."""
    assert len(names_in(page)) == 4 and columns_in(page) == 8
    start = page.url
    page.fill("#find", "hyperlink, RANDOM")
    page.wait_for_function("() => location.hash.includes('find=')")
    assert {name[:6] for name in names_in(page)} == {"=HYPER", "random"}
    assert page.evaluate("document.activeElement.id") == "find"
    assert "2 of 4" in page.inner_text(".filters")
    page.click("[data-keep=clear] button")
    assert len(names_in(page)) == 4 and page.url.rstrip("#") == start
    page.select_option("[data-keep=size] select", "3–8B")
    assert {name[:6] for name in names_in(page)} == {"=HYPER", "random"}  # a baseline has no size, and stays
    page.select_option("[data-keep=size] select", "")
    page.click("#choose-tags summary")
    page.click("[data-keep=tags-base] input")
    assert len(names_in(page)) == 1 and "甲" in names_in(page)[0]
    page.click("[data-keep=tags-chat] input")  # the menu is still open
    assert len(names_in(page)) == 3
    page.keyboard.press("Escape")
    page.click("#choose-tasks summary")
    for task in ("event_cause", "slot_identification"):
        page.click(f"[data-keep=tasks-{task}] input")
    assert columns_in(page) == 2
    page.select_option("[data-keep=only-set] select", "hard")
    page.select_option("[data-keep=perturb] select", "shuffle")
    page.click("[data-keep=intervals] input")
    page.click("table.overview[data-set=hard] button[data-sort=event_cause]")
    assert page.locator("table.overview").count() == 1
    link, names = page.url, names_in(page)
    assert {"tags=", "tasks=", "set=hard", "perturb=shuffle", "ci=0", "sort=-event_cause"} <= set(
        re.findall(r"tags=|tasks=|set=hard|perturb=shuffle|ci=0|sort=-event_cause", link)
    )
    for go in (lambda: page.reload(), lambda: (page.goto("about:blank"), page.goto(link))):
        go()
        page.wait_for_selector("table.overview")
        assert names_in(page) == names and columns_in(page) == 2 and page.locator("table.overview").count() == 1
        assert (
            page.input_value("[data-keep=perturb] select") == "shuffle" and page.locator(".overview .ci").count() == 0
        )
        assert page.locator("[aria-sort=descending]").inner_text().startswith("Event cause")
    page.locator("table.overview button.cell").first.click()
    page.wait_for_selector("#panes")
    page.keyboard.press("Escape")
    page.wait_for_selector("table.overview")
    assert page.url == link and names_in(page) == names


def addresses_of_nothing_here(page: Any) -> None:
    nonsense = (
        "sort=constructor&shots=x&prompt=no&set=<b>&tasks=a,%25,b&tags=__proto__&size=9&metric=__proto__&by=toString"
    )
    for address in (nonsense, "main"):
        start = page.url.partition("#")[0]
        page.goto("about:blank")
        page.goto(f"{start}#{address}")
        page.wait_for_selector("table.overview")
        assert len(names_in(page)) == 4 and columns_in(page) == 8


def no_sideways_scrolling_of_menus(page: Any) -> None:
    for name in ("#manifest-0", "#signatures", "#choose-tasks", "#choose-tags"):
        page.locator(f"{name} > summary").click()
        assert no_sideways_scrolling(page), name
    page.locator("table.overview").first.locator("xpath=../preceding-sibling::*[1]").locator("summary").click()
    assert no_sideways_scrolling(page)
