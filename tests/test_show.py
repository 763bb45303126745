"""`evalsuite show`: a run's tables again, elsewhere, and the evidence of an item; from results.json and records alone."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of, content_of
from everything import two_baselines
from rich.console import Console
from run_files import results_json
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.analyses.items import find_item, list_records, outcome
from evalsuite.analyses.saved import load_results, narrow
from evalsuite.analyses.table import at_end, sheets
from evalsuite.cli.tables import items
from evalsuite.cli.tables.export import export, heads, latex, ranked, words
from evalsuite.common.errors import ConfigError, EvalsuiteError
from evalsuite.common.sheet import Column, Row, Sheet, Value, english

ITEM = "corecode/easy/test/slot_identification/0"


run = shared_folder(two_baselines, "run")


# ---------------------------------------------------------------- show


def test_show_says_what_score_says(run: Path) -> None:
    loaded, scored = load_results(run), evalsuite.score(run)
    assert loaded == scored
    assert [words(sheet) for sheet in sheets(loaded)]


@shared_folder
def rated_run(run: Path, folder: Path) -> Path:
    """The same, but its baselines pass for models; one of them was not asked everything."""
    out = Path(shutil.copytree(run, folder / "run"))
    results = results_json(out)
    for cell in results["cells"]:
        cell["facts"] |= {"backend": "hf", "tags": []}
        cell["missing"] = int(cell["task"] == "event_cause" and cell["model"] == "random" and cell["set"] == "hard")
    (out / "results.json").write_text(json.dumps(results))
    return out


def first_lines(run: Path, *names: str, **wanted: list[str]) -> list[str]:
    found = sheets(narrow(load_results(run), wanted), names)
    lines = [english(text) for sheet in found for text in (sheet.title, *sheet.notes)]
    return [line.split(":")[0] for line in lines]


def test_a_run_s_end_is_short_and_show_prints_all(run: Path) -> None:
    end, every = (first_lines(run, *names) for names in (at_end(), ()))
    assert [line for line in every if line in end] == end
    more = set(every) - set(end)
    assert {"SI EASY, test paper 0-shot", "SI HARD, test paper 0-shot shuffle", "of"} <= more
    assert more >= set(first_lines(run, "breakdowns", "confusions"))
    assert first_lines(run, "groups", "ranks", "correlations") == []  # baselines are left out
    mine = sheets(narrow(load_results(run), {"task": ["EC"]}))
    assert not any("SI" in " ".join((english(sheet.title), *heads(sheet))) for sheet in mine)


def test_a_table_without_rows_is_named(run: Path) -> None:
    """Nothing stands below the message: notes speak of tables."""
    (line,) = show_output(run, "--tables", "judge_details").splitlines()
    assert line.startswith("judge_details: nothing to show")
    assert line in show_output(run, "--tables", "judge_details", "--as", "latex").splitlines()


@pytest.mark.parametrize("which", [("--item", ITEM), ("--list",), ("--status", "wrong")])
@pytest.mark.parametrize("form", [("--as", "csv"), ("--tables", "results")])
def test_items_are_no_tables(run: Path, which: tuple[str, ...], form: tuple[str, ...]) -> None:
    """A file of `--item … --as csv` was no CSV."""
    assert "leave them out with --item" in show_output(run, *which, *form)


def test_filters_keep_letters_and_ranks(rated_run: Path) -> None:
    def rows(name: str, **wanted: list[str]) -> list[list[str]]:
        return [row for sheet in sheets(narrow(load_results(rated_run), wanted), [name]) for row in words(sheet)]

    assert not set(first_lines(rated_run, "groups")) & set(
        first_lines(rated_run, "results", "robustness", "breakdowns")
    )
    groups, ranks = rows("groups"), rows("ranks")
    assert {row[0] for row in groups} == {row[0] for row in ranks} == {"random", "lexical"}
    assert all(set(cell) <= set("ab") or cell in ("incomplete", "–") for row in groups for cell in row[1:])
    assert {mean for _, mean, _ in ranks} <= {"1.00", "1.50", "2.00"}
    # Filters take rows and columns out: letters and ranks stay those of the whole run.
    for name, every in (("groups", groups), ("ranks", ranks)):
        assert rows(name, model=["random"]) == [row for row in every if row[0] == "random"]
    assert rows("ranks", task=["EC"]) == ranks and rows("ranks", set=["hard"]) == []  # one model alone is complete
    assert first_lines(rated_run, "ranks", perturb=["none"], set=["easy"])[0] == "EASY, test, paper 0-shot"


def test_a_row_that_compares_sets_goes_where_none_of_them_is_wanted(run: Path) -> None:
    done = load_results(run)
    assert content_of(done, "gaps")
    assert content_of(narrow(done, {"set": ["hard"]}), "gaps") == content_of(done, "gaps")
    elsewhere = [row.model_copy(update={"sets": ["global", "chinese"]}) for row in done.contents["gaps"]]
    other = replace(done, contents={**done.contents, "gaps": elsewhere})
    assert content_of(narrow(other, {"set": ["hard"]}), "gaps") == []


def test_a_long_turn_without_blanks_begins_beside_its_speaker() -> None:
    (turn,) = items._chat(["A: " + "很长的话" * 40], [], True)
    text = io.StringIO()
    Console(file=text, width=80).print(turn)
    assert text.getvalue().startswith("A ▏ 很长的话很长的话")


@pytest.mark.parametrize(
    ("wanted", "cells"),
    [
        ({}, 12),
        ({"model": ["random"]}, 6),
        ({"task": ["SI"], "set": ["easy"]}, 4),
        ({"task": ["slot_identification", "EC"], "perturb": ["shuffle"]}, 4),
        ({"shots": ["0"], "variant": ["paper"], "split": ["test"], "scoring": ["generate"]}, 12),
    ],
)
def test_filters_narrow_the_cells(run: Path, wanted: dict[str, list[str]], cells: int) -> None:
    done = narrow(load_results(run), wanted)
    assert len(cells_of(done)) == cells
    models = {row["model"] for row in content_of(done, "robustness")["drops"]}
    assert models <= set(wanted.get("model", ["random", "lexical"]))


WRONG = [
    ({"model": ["randm"]}, "Did you mean 'random'? Known: lexical, random"),
    ({"task": ["x"]}, "unknown task of this run 'x'. Known: event_cause, slot_identification"),
    ({"task": ["EC"], "perturb": ["shuffle"]}, "no cell is event_cause and shuffle"),
]


@pytest.mark.parametrize(("wanted", "says"), WRONG)
def test_filters_that_nothing_passes(run: Path, wanted: dict[str, list[str]], says: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(says)):
        narrow(load_results(run), wanted)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (ITEM, ITEM),
        ("…/easy/test/slot_identification/0", ITEM),
        ("easy/test/slot_identification/0", ITEM),
        ("sy/test/slot_identification/3", "corecode/easy/test/slot_identification/3"),
        (f"{ITEM}~1", ITEM),  # as --list names a rotation, a sample, and a sample of a rotation
        (f"{ITEM}~sample2", ITEM),
        ("easy/test/slot_identification/0~1~sample2", ITEM),
    ],
)
def test_ids_are_found_by_a_part(run: Path, wanted: str, found: str) -> None:
    assert find_item(load_results(run), wanted) == found


@pytest.mark.parametrize(("wanted", "says"), [("…/0", ITEM), ("cause", "event_cause/3"), ("nothing/0", "--list")])
def test_ids_that_are_none_or_several(run: Path, wanted: str, says: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(says)):
        find_item(load_results(run), wanted)


def show_output(run: Path, *args: str) -> str:
    from typer.testing import CliRunner

    from evalsuite.cli.app import app

    done = CliRunner(env={"COLUMNS": "100"}).invoke(app, ["show", str(run), *args])
    if isinstance(done.exception, EvalsuiteError):
        return f"error: {done.exception}"
    assert done.exit_code == 0, done.output
    return done.output


def test_the_evidence_of_an_item(run: Path) -> None:
    text = show_output(run, "--item", ITEM, "--perturb", "none")
    record = json.loads(
        (run / "records" / "lexical.easy.test.slot_identification.paper.0-shot.jsonl").read_text().split("\n")[0]
    )
    squeezed = re.sub(r"[\s│]", "", text)
    for turn in record["dialogue"]:
        assert re.sub(r"\s", "", turn.partition(":")[2]) in squeezed
    assert f"⟦{record['reply']}⟧" in text and record["answer"]["rule"] in text
    assert re.search(rf"{re.escape(record['gold'])}  .*✓ gold", text)
    assert len(re.findall("● (?:random|lexical)", text)) in (1, 2)  # the models that chose an option stand behind it
    assert ("✓ parsed, right" if record["scores"]["accuracy"] else "✗ parsed, wrong") in text
    whole = show_output(run, "--item", ITEM, "--model", "lexical", "--whole-prompt", "--perturb", "none")
    assert re.sub(r"\s", "", record["prompt"]) in re.sub(r"[\s│]", "", whole)


def test_items_are_listed_by_what_came_of_them(run: Path) -> None:
    done = load_results(run)
    every = [(c.model, r["item"], outcome(r)) for c, r in list_records(done, "")]
    assert len(every) == 48 and {o for *_, o in every} <= {"right", "partial", "wrong"}
    for status in ("right", "partial", "wrong"):
        assert [x[2] for x in every].count(status) == sum(1 for _ in list_records(done, status))
    assert sum(1 for _ in list_records(done, "parsed")) == 48
    text = show_output(run, "--status", "wrong", "--tasks", "SI")
    assert text.count("✗ wrong") == sum(o == "wrong" and "slot" in i for _, i, o in every)
    assert "error: unknown status 'rong'" in show_output(run, "--status", "rong")
    # A benchmark is all its tasks; short names go in small letters, too.
    assert show_output(run, "--status", "wrong", "--tasks", "corecode") == show_output(run, "--status", "wrong")
    assert show_output(run, "--status", "wrong", "--tasks", "si") == text
    assert "error: unknown task of this run 'cider'" in show_output(run, "--status", "wrong", "--tasks", "cider")
    assert "error: unknown prompt of this run 'plain'" in show_output(run, "--prompt", "plain")


BROKEN: list[tuple[str, Any, str]] = [
    # content put into results.json, words of the message
    ("no JSON", "{", "not JSON"),
    ("a list", [], "expected an object"),
    ("no cells", {"format": 1}, "field 'evalsuite': missing"),
    ("a cell of nothing", {"cells": [{}]}, "field 'format': missing"),
    ("records elsewhere", "../../../etc/passwd", r"cells\[0\]\.records"),
    ("records that are not there", "records/x.jsonl", "no such file"),
]


@pytest.mark.parametrize(("content", "says"), [r[1:] for r in BROKEN], ids=[r[0] for r in BROKEN])
def test_folders_that_are_no_runs(run: Path, tmp_path: Path, content: Any, says: str) -> None:
    if isinstance(content, str) and content != "{":
        results = results_json(run)
        content = results | {"cells": [{**results["cells"][0], "records": content}]}
    (tmp_path / "results.json").write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(EvalsuiteError, match=says):
        list(list_records(load_results(tmp_path), ""))


def test_records_that_are_none(run: Path, tmp_path: Path) -> None:
    results = results_json(run)
    (tmp_path / "results.json").write_text(
        json.dumps(results | {"cells": [{**results["cells"][0], "records": "r.jsonl"}]})
    )
    bare = {name: [] for name in ("dialogue", "options", "labels", "references")} | {"item": "x", "question": ""}
    no_dicts = [
        bare | {"answer": 5, "scores": {}},
        bare | {"answer": {}, "scores": {}},
        bare | {"answer": {"status": ""}, "scores": 5},
    ]
    for text in ("not JSON", "[1]", '{"item": 5}', '{"item": "x"}', "\x00", *map(json.dumps, no_dicts)):
        (tmp_path / "r.jsonl").write_text(text + "\n")
        with pytest.raises(EvalsuiteError):
            list(list_records(load_results(tmp_path), ""))


# ---------------------------------------------------------------- tables elsewhere

RANKED = [
    # values, marks
    ("best and second", ["10.0", "30.0", "20.0"], ["", "textbf", "underline"]),
    ("equal share", ["30.0", "30.0 (5)", "20.0", "–"], ["textbf", "textbf", "underline", ""]),
    ("failed requests do not compete", ["30.0 !2", "20.0", "10.0"], ["", "textbf", "underline"]),
    ("alone", ["30.0", "–"], ["", ""]),
    ("negative", ["-3.0", "-1.0"], ["underline", "textbf"]),
]


@pytest.mark.parametrize(("values", "marks"), [r[1:] for r in RANKED], ids=[r[0] for r in RANKED])
def test_best_and_second_are_marked(values: list[str], marks: list[str]) -> None:
    columns = (
        Column("model"),
        Column("acc", "%", better="more"),
        Column("mean rank", better="less"),
        Column("n"),
    )
    rows = [Row(("a", *[Value(value, compares="!" not in value)] * 2, value)) for value in values]
    found = Sheet("x", "", columns, (*rows, Row(("chance", "99.0", "0.0", "1"), "apart")))
    given = ranked(found)
    assert [given.get((n, 1), "") for n in range(len(values) + 1)] == [*marks, ""]
    assert not any(column == 3 for _, column in given)
    if "!" not in "".join(values) and len(set(values)) == len(values) == 3:
        assert [given.get((n, 2), "") for n in range(3)] == ["textbf", "", "underline"]  # a low rank is a good one
    assert (r"\textbf{" in export([found], "latex")) == ("textbf" in marks)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [("100%", r"100\%"), ("a_b", r"a\_b"), ("-1.5 –", r"$-$1.5 \textendash{}"), ("tiny-zh", "tiny-zh"), ("|Δ|", r"$|\Delta|$"), ("[x]*", "{[}x{]}{*}")],
)  # fmt: skip
def test_latex_is_escaped(text: str, escaped: str) -> None:
    assert latex(text) == escaped


@pytest.mark.parametrize(("name", "says"), [("模型", "ctex"), ("model", "booktabs}\n")])
def test_latex_says_what_it_needs(name: str, says: str) -> None:
    assert says in export([Sheet("x", name, (Column("a"),), ())], "latex").partition("\\begin")[0]


def test_show_fits_a_screen_and_names_the_rest(run: Path) -> None:
    """With two models, the tables of scores come last, and a line names the tables that are not shown."""
    text = show_output(run, "--perturb", "none")
    lines = text.splitlines()
    assert len(lines) <= 60
    assert "HARD, test" in text and "by turns" not in text
    more = " ".join(lines[lines.index(next(x for x in lines if x.startswith("more tables"))) :])
    assert all(name in more for name in ("gaps", "confusions", "suspicious"))
    assert "Votes over orders" not in text and "Votes over orders" in show_output(run, "--tables", "all")


@pytest.mark.slow
def test_csv_has_a_number_a_field(tmp_path: Path, run: Path) -> None:
    """Values beside a number have columns of their own; a file begins with the mark that spreadsheets look for."""
    column = Column("acc %", kind="percent")
    rows = (Row(("a", Value(0.9125, 0.72, 0.98, flags=("(2)",)))), Row(("b", Value(None))), Row(("c", 0.5)))
    sheet = Sheet("x", "", (Column("model"), column, Column("rank", kind="count", interval="alone")), tuple(
        Row((*row.cells, Value(None, 1, n))) for n, row in enumerate(rows, 2)
    ))  # fmt: skip
    lines = [*csv.DictReader(io.StringIO(export([sheet], "csv"), newline=""))]
    assert [*lines[0]] == ["model", "acc %", "acc % low", "acc % high", "acc % remarks", "rank low", "rank high"]
    assert [*lines[0].values()] == ["a", "91.3", "72.0", "98.0", "(2)", "1", "2"]
    assert [line["acc %"] for line in lines] == ["91.3", "–", "50.0"] and lines[1]["acc % low"] == ""
    made = tmp_path / "table.csv"
    with made.open("wb") as file:
        subprocess.run([sys.executable, "-m", "evalsuite.cli", "show", run, "--as", "csv"], stdout=file, check=True)
    assert made.read_bytes().startswith(b"\xef\xbb\xbf")
    assert "\ufeff" not in show_output(run, "--as", "csv")


def drawn_text(table: Any) -> str:
    """A table or panel as a terminal of 100 columns shows it."""
    out = io.StringIO()
    Console(file=out, width=100).print(table)
    return out.getvalue()


def test_a_probe_shows_the_loss_of_each_target() -> None:
    scores = [{"logprob": -3.0, "tokens": 2}, {"logprob": -8.0, "tokens": 4}]
    record: Any = {
        "item": "cedar/dialogue/1.swap",
        "pairs": [["上文", "目标"], ["上文", "另一个"]],
        "likelihoods": scores,
    }
    record |= {"answer": {"choice": 0}}
    valid, corrupted = (
        line.split()
        for line in drawn_text(items._losses(record, False)).splitlines()
        if "⟶ " in line[3:] and "上文" in line
    )
    assert valid == ["上文", "⟶", "目标", "2", "1.50", "✓", "valid"]
    assert corrupted == ["上文", "⟶", "另一个", "4", "2.00", "corrupted:", "swap"]


def test_options_show_their_shares_and_what_was_chosen() -> None:
    scores = [
        {"logprob": math.log(0.6), "tokens": 2, "prior": -1.5},
        {"logprob": math.log(0.2), "tokens": 1, "prior": None},
    ]
    record: Any = {"finish": "texts", "likelihoods": scores, "labels": ["(a)", "(b)"], "options": ["甲", "乙"]}
    record |= {"gold": "(b)", "answer": {"choice": 0}}
    first, second = (line.split() for line in drawn_text(items._likelihoods(record, False)).splitlines() if "(" in line)
    assert first == ["(a)", "甲", "75.0", "%", "-0.51", "2", "-0.26", "-1.50", "●", "chosen"]
    assert second == ["(b)", "乙", "25.0", "%", "-1.61", "1", "-1.61", "–", "✓", "gold"]


def test_a_second_reading_names_its_reader_and_its_verdict() -> None:
    reading: Any = {
        "reader": "judge",
        "verdict": "option",
        "relation": "agrees",
        "reply": "(a)",
        "error": None,
        "prompt": "哪个？",
    }
    text = drawn_text(items._second(reading, False))
    assert "second reader judge: option" in text and all(word in text for word in ("agrees", "(a)", "哪个？"))
    failed = drawn_text(items._second(reading | {"relation": None, "reply": "", "error": "down"}, False))
    assert "down" in failed and failed.count("option") == 2
