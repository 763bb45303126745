"""Sheets: a new analysis is one function and one line, and is seen in the terminal, in files and on the page."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from as_json import a_cell, cells_of, sheets_of
from rich.cells import cell_len
from rich.console import Console
from run_files import results_json

import evalsuite
from evalsuite.analyses import abstention, breakdown, gaps, overview, token_details
from evalsuite.analyses import table as registry
from evalsuite.analyses.saved import load_results
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE
from evalsuite.cli.tables.export import export
from evalsuite.cli.tables.terminal import draw
from evalsuite.common.errors import ConfigError
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value, as_json, spell
from evalsuite.results.analysis import Analysis, Results
from evalsuite.results.words import task_heading

SPELLED: list[tuple[Any, Column, str]] = [
    # cell, column, words
    ("a", Column(""), "a"),
    (Text("甲", "a"), Column(""), "a"),
    (None, Column("", kind="percent"), ""),
    (0.5, Column("", kind="percent"), "50.0"),
    (0.5, Column("", kind="percent", digits=0, signed=True), "+50"),
    (0.5, Column("", kind="number"), "0.50"),
    (1000, Column("", kind="count"), "1000"),
    (1.5, Column("", kind="count"), "1.5"),
    ("≠", Column("", kind="percent"), "≠"),
    (Value(None), Column("", kind="percent"), "–"),
    (Value(0.5, 0.4, 0.6), Column("", kind="percent"), "50.0 40–60"),
    (Value(1.0, 0.2065, 1.0), Column("", kind="percent", digits=0), "100 21–100"),
    (Value(None, 0.4, 0.6), Column("", kind="percent", interval="alone"), "40.0–60.0"),
    (Value(None, -0.4, 0.6), Column("", kind="percent", interval="alone", signed=True), "-40.0 … +60.0"),
    (Value(2.5, 2, 3), Column("", kind="number"), "2.50 2.0–3.0"),
    (Value(0.5, asides=(" -1.0*", "f3"), flags=("(4)", "!5")), Column("", kind="percent"), "50.0 -1.0*f3 (4) !5"),
    ({"1": 3, "2": 0}, Column("", kind="histogram"), "3 0"),
    (0.5, Column("", kind="bar"), "█" * 12),
]


@pytest.mark.parametrize(("cell", "column", "words"), SPELLED)
def test_cells_become_words(cell: Any, column: Column, words: str) -> None:
    assert "".join(part for part, _ in spell(cell, column)) == words


def printed_lines(sheet: Sheet, width: int = 80) -> list[str]:
    console = Console(width=width)
    with console.capture() as capture:
        console.print(*draw([sheet]))
    return [" ".join(line.split()) for line in capture.get().splitlines() if line.strip()]


@pytest.mark.parametrize("count", [1, 4, 9, 25])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_wide_sheets_become_several_tables(count: int, width: int) -> None:
    """Every value is printed once, whole, beside the columns that name its row."""
    columns = [Column("model", key=True), Column("base", kind="percent", key=True)]
    columns += [Column(f"a_long_name_{n}", kind="percent") for n in range(count)]
    rows = [
        Row((f"model {m}", 0.5, *(Value(n / 1000, asides=(f" +{m}.0*f100",)) for n in range(count)))) for m in (1, 2)
    ]
    lines = printed_lines(Sheet("wide", "Wide", tuple(columns), tuple(rows)), width)
    assert max(map(cell_len, lines)) <= width
    for m in (1, 2):
        mine = [line for line in lines if line.startswith(f"model {m} 50.0 ")]
        assert sum(line.count("*f100") for line in mine) == count
        assert all(sum(f"{n / 10:.1f} +{m}.0*f100" in f" {line}" for line in mine) >= 1 for n in range(count))
        assert len(mine) == lines.count("Wide")


@pytest.mark.parametrize("width", [60, 80, 200])
def test_tasks_have_their_short_names_where_the_chinese_ones_do_not_fit(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The results of the eight tasks are one table in Chinese, too; what a heading says is whole."""
    monkeypatch.setenv("EVALSUITE_LANG", "zh")
    tasks = [*TASKS_CORECODE.values()]
    columns = [Column(task_heading(t), "F1 %", "percent", about={"task": t.name}) for t in tasks]
    sheet = Sheet("results", "", (Column("模型"), *columns), (Row(("模型甲", *[0.5] * len(tasks))),))
    lines = printed_lines(sheet, width)
    assert max(map(cell_len, lines)) <= width
    heads = " ".join(lines).split()
    assert all((t.zh if width == 200 else t.short) in heads for t in tasks)
    assert len([line for line in lines if line.startswith("模型甲")]) == 1


def test_a_narrow_terminal_has_fewer_blanks_rather_than_two_tables() -> None:
    columns = [Column(f"{'acc' if t.kind.options else 'f1'} %", kind="percent") for t in TASKS_CORECODE.values()]
    row = Row(("always one", *(Value(0.4333, asides=(" (b)",)) for _ in columns)))
    sheet = Sheet("results", "HARD", (Column("model"), *columns), (row,))
    lines = printed_lines(sheet, 60)
    assert lines.count("HARD") == 1
    assert lines[1] == "model " + " ".join(str(column.heading) for column in columns)
    assert "".join(lines[3:]).count("43.3") == "".join(lines[3:]).count("(b)") == len(columns)


def test_groups_and_rows_apart() -> None:
    columns = (Column("model"), Column("acc", "%", "percent", better="more"))
    rows = (Row(("first", None), "group"), Row(("a", 0.5)), Row(("second", None), "group"), Row(("b", 0.25)), Row(("chance", 0.9), "apart"))  # fmt: skip
    sheet = Sheet("x", "Title", columns, rows, (Text("注", "a note"),))
    assert printed_lines(sheet)[4:] == ["first", "a 50.0", "second", "b 25.0", "chance 90.0", "a note"]
    text = export([sheet], "latex")
    assert text.count(r"\midrule") == 3 and r"\textbf{50.0}" in text and r"\underline{25.0}" in text
    assert "90.0}" not in text and "% a note" in text
    assert "**Title**" in export([sheet], "markdown") and "a note" in export([sheet], "markdown")
    assert [*csv.reader(io.StringIO(export([sheet], "csv"), newline=""))][:3] == [["Title"], ["model", "acc %"], ["first", ""]]  # fmt: skip


def test_sheets_are_json() -> None:
    sheet = Sheet("x", Text("甲", "a"), (Column("n", kind="count"),), (Row((Value(1, 0.5, 2),), about={"task": "t"}),))
    told = as_json(sheet)
    assert json.loads(json.dumps(told)) == {
        "name": "x",
        "title": {"zh": "甲", "en": "a"},
        "columns": [{"heading": "n", "kind": "count"}],
        "rows": [{"cells": [{"value": 1, "low": 0.5, "high": 2}], "about": {"task": "t"}}],
    }


def test_numbers_that_are_none(run: Path, tmp_path: Path) -> None:
    """The error names the file and the field, if somebody has edited results.json."""
    content = results_json(run)
    content["cells"][1]["metrics"]["accuracy"]["value"] = [1]
    (tmp_path / "results.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(
        ConfigError, match=r"results\.json: field 'cells\[1\]\.metrics\.accuracy\.value': .*found \[1\]"
    ):
        load_results(tmp_path)


def test_a_defect_of_an_analysis_is_a_defect(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect is never reported as a broken file of the user's."""

    def broken(done: Results) -> Iterator[Sheet]:
        raise IndexError("of ours")
        yield

    monkeypatch.setitem(registry.TABLES, "broken", Analysis("broken", broken))
    with pytest.raises(IndexError, match="of ours"):
        list(registry.sheets(load_results(run), ["broken"]))
    with pytest.raises(IndexError, match="of ours"):
        evalsuite.report([run])


# ---------------------------------------------------------------- a new analysis

HOSTILE = "<img src=x onerror=alert(1)> | $x$ \\input{x} \u202e"
PLACE = ("model", "task", "set", "split", "variant", "shots", "scoring", "perturb")


def longest_first(done: Results) -> Iterator[Sheet]:
    """A made-up analysis: the cells of a run, with a value of each."""
    columns = (
        Column(Text("格", "cell")),
        Column(Text("题数", "items"), kind="count"),
        Column(Text("准确率", "accuracy"), "%", "percent", better="more", range=(0, 1)),
        Column(Text("所占", "share"), kind="bar"),
    )
    rows = [
        Row(
            (f"{cell['model']} {cell['set']} {HOSTILE}", cell["items"], Value(n / 10, 0.1, 0.9), 0.5),
            about={name: cell[name] for name in PLACE},
        )
        for n, cell in enumerate(cells_of(done))
    ]
    rows.append(Row((Text("随机", "chance"), None, 0.05, None), "apart"))
    title = Text("长度分析", "By length")
    yield Sheet("lengths", title, columns, tuple(rows), (Text("编造的数字", "made-up numbers"),))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sheets") / "run"
    evalsuite.run(model=["random", "lexical"], tasks=["domain_identification"], limit=3, out=out)
    return out


@pytest.fixture
def page(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The page of the run, where there is one analysis more."""
    monkeypatch.setitem(registry.TABLES, "lengths", Analysis("lengths", longest_first))
    return evalsuite.report([run], tmp_path / "page")


def test_a_new_analysis_is_printed_and_exported(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.TABLES, "lengths", Analysis("lengths", longest_first))
    shown = list(registry.sheets(load_results(run), ["lengths"]))
    console = Console(width=80)
    with console.capture() as capture:
        console.print(*draw(shown))
    text = capture.get()
    assert "By length" in text and "30.0 10–90" in text and "made-up numbers" in text and "\u202e" not in text
    assert {"By length", "lexical"} <= {word for sheet in registry.sheets(load_results(run)) for word in (sheet.title.en if isinstance(sheet.title, Text) else "", "lexical")}  # fmt: skip
    for form in ("csv", "latex", "markdown"):
        file = export(shown, form)
        assert "By length" in file and "30.0" in file and "\u202e" not in file and "█" not in file
    assert r"\input" not in export(shown, "latex") and r"\textbf{30.0}" in export(shown, "latex")
    assert "<img" not in export(shown, "markdown")


def test_a_new_analysis_is_on_the_page(page: Path, browse: Any) -> None:
    with browse(page) as tab:
        tab.wait_for_selector("#sheets table")
        section = tab.locator("#sheets")
        assert "By length" in section.inner_text() and "made-up numbers" in section.inner_text()
        assert "U+202E" in section.inner_text() and section.locator("img").count() == 0
        assert section.locator("tbody").first.locator("tr").count() == 4
        values = section.locator("tbody").first.locator("button.cell")
        assert values.all_inner_texts() == ["0.0", "10.0", "20.0", "30.0"] and section.locator("td.inplot svg").count() == 5  # fmt: skip
        # Sorted by a click: numbers begin with the largest, and what stands apart stays below.
        section.locator("button.sort", has_text="accuracy").click()
        assert values.all_inner_texts() == ["30.0", "20.0", "10.0", "0.0"]
        assert section.locator("th[aria-sort=descending]").count() == 1
        assert tab.evaluate("document.activeElement.dataset.column") == "2"
        assert "chance" in section.locator("tbody").last.inner_text()
        section.locator("details.menu summary").click()
        with tab.expect_download() as download:
            section.locator("[data-table$='.csv']").click()
        rows = [*csv.reader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8-sig"), newline=""))]
        assert any("30.0" in row for row in rows) and any("chance" in row for row in rows)
        values.first.click()  # the click opens that cell's evidence
        tab.wait_for_selector("#panes")
        assert "model=lexical" in tab.url or "model=random" in tab.url


def test_the_page_says_it_in_chinese_and_follows_filters(page: Path, browse: Any) -> None:
    with browse(page, locale="zh-CN") as tab:
        tab.wait_for_selector("#sheets table")
        section = tab.locator("#sheets")
        assert "长度分析" in section.inner_text() and "编造的数字" in section.inner_text() and "题数" in section.inner_text()  # fmt: skip
        assert section.locator("tbody").first.locator("tr").count() == 4
        tab.select_option("[data-keep=only-set] select", "easy")
        tab.wait_for_function("() => document.querySelector('#sheets tbody').rows.length === 2")
        assert "hard" not in section.inner_text()


# --- sets of two benchmarks that have one name

# The set "easy" of both: CORECODE shows it as 简单 and EASY, CHARM has no name for it.
CORECODE, CHARM = ("knowledge_filling", "domain_identification"), ("charm_time", "charm_nli")
WAY = {"model": "m", "split": "test", "variant": "paper", "shots": 0, "scoring": "generate", "perturb": "none"}
MEAN = {"value": 0.5, "low": 0.2, "high": 0.8}
BIN = {"low": 1, "high": 5, "n": 4, "dialogues": 4, "value": 0.5, "interval": [0.2, 0.8]}
TOLD_APART = [
    (breakdown.ANALYSIS, {"set": "easy", "metric": "accuracy", "turns": [BIN, BIN | {"low": 6, "high": 10}], "distance": []}),
    (abstention.ANALYSIS, {
        "set": "easy", "metric": "accuracy", "replies": 4, "dialogues": 4, "answered": 3, "abstained": 1, "silent": 0,
        "coverage": MEAN, "right": 0.5, "wrong": 0.25, "right_variance": 0.1, "wrong_variance": 0.1, "covariance": 0.0,
    }),
    (gaps.ANALYSIS, {
        "sets": ["easy", "hard"], "metric": "accuracy", "values": [0.5, 0.4], "items": [4, 4], "dialogues": [4, 4],
        "gap": 0.1, "low": None, "high": None, "p": 1.0, "least_p": 0.1, "p_holm": 1.0,
    }),
]  # fmt: skip


def titles(sheets: list[Sheet]) -> list[str]:
    return [sheet.title.zh for sheet in sheets if isinstance(sheet.title, Text)]


@pytest.mark.parametrize(("analysis", "row"), TOLD_APART, ids=lambda x: x.name if isinstance(x, Analysis) else "")
def test_a_set_is_not_shown_under_another_benchmarks_name(analysis: Analysis[Any], row: dict[str, Any]) -> None:
    ours, theirs = titles(sheets_of(analysis, [{**WAY, "task": task, **row} for task in (CORECODE[0], CHARM[0])]))
    assert "简单（EASY）" in ours and "easy" in theirs and "简单" not in theirs


def test_a_mean_over_tasks_is_of_one_benchmark() -> None:
    tokens = {"replies": 4, "mean": 9.0, "median": 9.0, "p90": 9.0, "total": 36, "thinking": 0.0, "by_characters": 0,
              "prompt": 5.0}  # fmt: skip
    cells = [
        a_cell(task=task, model=model, tokens=tokens, metrics={"accuracy": MEAN})
        for task in (*CORECODE, *CHARM)
        for model in ("m", "n")
    ]
    made = sheets_of(token_details.DETAILS, None, cells)
    means = titles([sheet for sheet in made if sheet.about["task"] == token_details.MEAN])
    assert [title.split(" · ")[1:] for title in means] == [
        ["2 项任务的平均", name] for name in ("简单（EASY）", "easy")
    ]


def test_sets_of_an_ability_have_the_names_of_their_own_benchmarks() -> None:
    parts = [f"{task}/easy" for task in (CORECODE[0], CHARM[0])]
    columns = [
        {"kind": kind, "name": kind, "zh": "列", "en": "Column", "parts": parts, "absent": []}
        for kind in ("benchmark", "ability")
    ]
    scores = [
        {"kind": c["kind"], "name": c["name"], "items": 4, "missing": [], "chance": None, **MEAN} for c in columns
    ]
    row = {**WAY, "parts": [], "changes": [], "scores": scores}
    group = {"name": "g", "zh": "组", "en": "Group", "split": "test", "columns": columns, "left_out": [], "rows": [row]}
    notes = [sheet.notes[0] for sheet in sheets_of(overview.ANALYSIS, [group])]
    assert [note.en for note in notes if isinstance(note, Text)] == ["Column: CKF (EASY); TU (easy)"] * 2
