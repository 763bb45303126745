"""The lines that end a run: true of every kind of run, and the same in both languages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from as_json import cells_of
from rich.console import Console
from scipy import stats

import evalsuite
from evalsuite.analyses.chance import ANALYSIS as CHANCE
from evalsuite.analyses.findings.journey import end_of_run
from evalsuite.analyses.saved import load_results
from evalsuite.analyses.table import sheets
from evalsuite.cli.tables.terminal import draw
from evalsuite.common.sheet import Column, Row, Sheet
from evalsuite.types import Request

Reply = Callable[[Request], str]


def mostly_right(share: float) -> Reply:
    """Replies that are right with this probability, drawn for each item; the right label is the oracle's."""

    def reply(request: Request) -> str:
        at = RIGHT[request.id]
        if Random(f"{share}{request.id}").random() < share:
            return at
        return next(label for label in request.labels if at not in label)

    return reply


RIGHT: dict[str, str] = {}


@pytest.fixture(scope="module", autouse=True)
def golds(tmp_path_factory: pytest.TempPathFactory) -> None:
    out = tmp_path_factory.mktemp("told") / "oracle"
    for cell in cells_of(evalsuite.run(model=["oracle"], tasks=["CKF", "SI", "C3"], perturb=["none"], out=out)):
        for line in (out / cell["records"]).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            RIGHT[record["item"]] = record["gold"]


def lines(out: Path, models: dict[str, Reply] | str = "bundled:models.yaml", **settings: Any) -> list[str]:
    done = evalsuite.run(models, out=out, **{"tasks": ["CKF", "SI"], **settings})
    found = [one.line for one in end_of_run(done)]
    assert len(found) <= 4 and all(text.zh and text.en for text in found)
    return [text.en.replace("\u00a0", " ") for text in found]


@pytest.mark.slow
def test_who_leads_with_items_interval_and_test(tmp_path: Path) -> None:
    first, second, *_ = lines(tmp_path / "run", {"a": mostly_right(0.9), "b": mostly_right(0.4)})
    cells = {(c["model"], c["set"], c["task"]): c for c in cells_in_file(tmp_path / "run")}
    assert first.startswith(
        "a is best of 2 models on all 2 tasks of CORECODE HARD, significantly ahead of all others on 2 of them"
    )
    assert "175 items" in first and " b, " in first
    best = cells["a", "hard", "slot_identification"]["metrics"]["accuracy"]
    other = cells["a", "hard", "knowledge_filling"]["metrics"]["accuracy"]
    assert any(f"{100 * m['value']:.1f} %" in first for m in (best, other))
    tested = {m: [] for m in "ab"}
    for (model, item_set, _), cell in cells.items():
        if item_set == "hard" and model in tested:
            value = cell["metrics"]["accuracy"]["value"]
            tested[model].append(stats.binomtest(round(value * 175), 175, cell["chance"], alternative="greater").pvalue)
    assert max(tested["a"]) < 0.01 and "a" in second and "significantly above chance on all 2 choice tasks" in second


def cells_in_file(run: Path) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads((run / "results.json").read_bytes())["cells"]
    return cells


@pytest.mark.slow
def test_equal_models_do_not_lead(tmp_path: Path) -> None:
    found = lines(tmp_path / "run", {"a": mostly_right(0.5), "b": mostly_right(0.5)}, tasks=["CKF"])
    assert found and not any("best on" in line for line in found)


@pytest.mark.slow
def test_models_that_are_not_told_apart_are_said_so(tmp_path: Path) -> None:
    first, *_ = lines(tmp_path / "run", {"a": mostly_right(0.5), "b": mostly_right(0.501)}, tasks=["CKF"])
    assert (
        "best of 2 models on Knowledge filling of CORECODE HARD" in first
        and "not significantly ahead of every other model" in first
    )


def test_one_model_at_chance_with_few_items_that_says_one_thing(tmp_path: Path) -> None:
    first, second, third = lines(tmp_path / "run", {"b": lambda request: "b"}, limit=100, tasks=["CKF"], set="hard")
    assert first.startswith("b: ") and "100 items" in first and "best" not in first
    assert second.startswith("b is not significantly above chance on Knowledge filling of CORECODE HARD")
    assert (
        "b chose (b) on all 100 items of Knowledge filling" in third
        and "100 items a task, intervals of up to ±" in third
    )


def test_one_option_is_counted_by_choices_where_items_have_none(tmp_path: Path) -> None:
    def one_in_five(request: Request) -> str:
        return "b" if int(request.id.rsplit("/", 1)[1]) % 5 == 0 else "说不好。"

    found = lines(tmp_path / "run", {"b": one_in_five}, limit=100, tasks=["CKF"], set="hard")
    assert "b chose (b) in all 20 choices on Knowledge filling" in "".join(found)


def test_few_dialogues_do_not_tell_who_is_above_chance(tmp_path: Path) -> None:
    _, second, *_ = lines(tmp_path / "run", {"a": mostly_right(1)}, limit=3, tasks=["CKF"], set="hard")
    assert second.startswith("Too few dialogues to tell who is above chance")


@pytest.mark.slow
def test_always_the_same_option_is_not_above_chance(tmp_path: Path) -> None:
    """The most frequent right slot is right in more items than guessing among the options of each; so is a model that says it
    to four of five items, whatever they are."""
    always = Counter(at for item, at in RIGHT.items() if "/slot_identification/" in item and "/hard/" in item)
    label, right = always.most_common(1)[0]
    assert stats.binomtest(right, always.total(), 0.08, alternative="greater").pvalue < 0.01
    found = lines(tmp_path / "run", {"same": lambda _: label}, tasks=["SI"])
    assert "not significantly above chance" in found[1] and f"chose {label} on all 175" in found[2]
    other = always.most_common(2)[1][0]

    def preferred(request: Request) -> str:
        return label if Random(f"preferred:{request.id}").random() < 0.8 else other

    found = lines(tmp_path / "other", {"mostly": preferred}, tasks=["SI"])
    (row,) = (row for row in load_results(tmp_path / "other").of(CHANCE) or () if row.set == "hard")
    assert stats.binomtest(round(row.accuracy * 175), 175, row.chance, alternative="greater").pvalue < 0.01
    assert "not significantly above chance" in found[1] and row.p > 0.05


def test_baselines_alone_are_no_models(tmp_path: Path) -> None:
    assert lines(tmp_path / "run", model=["lexical", "random"], limit=5) == ["Only baselines were asked, no model."]


def test_a_run_whose_requests_all_failed_says_so(tmp_path: Path) -> None:
    def fail(request: Request) -> str:
        raise OSError("down")

    found = lines(tmp_path / "run", {"m": fail}, limit=5)
    assert found[0] == "No cell of a model is whole and unperturbed: nobody is ranked."
    assert "20 of 20 requests failed (m)" in found[1] and len(found) == 2
    done = load_results(tmp_path / "run")
    left = tuple(cell.model_copy(update={"missing": cell.items, "status": {}}) for cell in done.cells)
    assert "20 of 20 requests are not asked yet" in end_of_run(replace(done, cells=left))[1].en


def test_perturbed_cells_alone_rank_nobody(tmp_path: Path) -> None:
    found = lines(tmp_path / "run", {"a": mostly_right(0.9), "b": mostly_right(0.1)}, perturb=["shuffle"], limit=5)
    assert found[0].endswith("nobody is ranked.") and not any("best" in line or "chance on" in line for line in found)


def test_tasks_without_options_have_no_chance(tmp_path: Path) -> None:
    evalsuite.run(model=["lexical"], tasks=["EC"], limit=5, out=tmp_path / "run")
    found = lines(tmp_path / "run", {"m": lambda request: "x摔倒了"}, tasks=["EC"], limit=5)
    assert not any("chance" in line for line in found) and "F1" in found[0]
    assert "above all baselines on" in found[1]


def test_replies_without_an_answer_are_told(tmp_path: Path) -> None:
    found = lines(tmp_path / "run", {"m": lambda request: ""}, tasks=["CKF"], limit=5)
    assert "100 % of m's replies have no answer (mostly empty)" in found[-1]


@pytest.mark.slow
def test_estimates_rank_nobody(tmp_path: Path) -> None:
    found = lines(tmp_path / "run", {"a": mostly_right(0.9), "b": mostly_right(0.1)}, tasks=["CKF"], until="±15")
    assert found[0].endswith("nobody is ranked.") and "cells are estimates" in found[-1]


def test_run_ends_with_them_and_show_has_them_for_the_whole_run(tmp_path: Path, cli: Callable[..., Any]) -> None:
    stdout = cli("run", "--model", "lexical", "--limit", "3", "--tasks", "CKF", "--out", tmp_path / "run").stdout
    assert stdout.rstrip().endswith("Only baselines were asked, no model.")
    assert "Only baselines" in cli("show", tmp_path / "run").stdout
    for part in (("--set", "hard"), ("--tables", "results"), ("--as", "csv")):
        assert "Only baselines" not in cli("show", tmp_path / "run", *part).stdout


def test_baselines_stand_last_under_a_heading_and_short_names_are_spelled_out(tmp_path: Path, cli: Any) -> None:
    out = tmp_path / "run"
    evalsuite.run(
        model=["random", "qwen-coder-0.5b", "lexical"],
        tasks=["CKF", "SI"],
        set="hard",
        limit=2,
        out=out,
    )
    stdout = cli("show", out, COLUMNS="100").stdout
    first = [line.split()[0] for line in stdout.splitlines() if line.strip()]
    rows = first[first.index("model") + 2 : first.index("chance")]
    assert rows[:2] == ["qwen-coder-0.5b", "baselines"] and {*rows[2:]} == {"lexical", "random"}
    assert "CKF: Knowledge filling   SI: Slot identification" in stdout.splitlines()


@pytest.mark.slow
def test_a_baseline_has_one_line_of_progress(tmp_path: Path, cli: Any) -> None:
    models = ["--model", "random", "--model", "qwen-coder-0.5b"]
    stderr = cli("run", *models, "--tasks", "CKF", "--limit", "2", "--out", tmp_path / "run").stderr
    done = [line for line in stderr.splitlines() if line.startswith("✓")]
    assert [line.split("  ")[0] for line in done[:1]] == ["✓ random"] and "2 cells, 4 asked" in done[0]
    assert [line.split()[1] for line in done[1:]] == ["qwen-coder-0.5b"] * 2
    one = ["--model", "random", "--tasks", "CKF", "--set", "easy", "--limit", "1", "--out", tmp_path / "one"]
    assert "  1 cell, 1 asked" in cli("run", *one).stderr


@pytest.mark.slow
def test_models_go_by_mean_rank_and_a_run_of_several_benchmarks_begins_with_all_of_them(tmp_path: Path) -> None:
    """The rows of a second way of asking stand below those of their model."""
    out = tmp_path / "run"
    models = {"a": mostly_right(0.2), "b": mostly_right(0.9), "c": mostly_right(0.5)}
    evalsuite.run(models, out=out, tasks=["CKF", "C3"], set="all", perturb=["none", "reverse"], limit=40)
    done = load_results(out)
    over, *_ = sheets(done, ["overview"])
    assert [row.about["model"] for row in over.rows if row.kind == ""] == ["b", "c", "a"]
    hard = next(sheet for sheet in sheets(done, ["results"]) if sheet.about["set"] == "hard")
    rows = [(row.about["model"], row.cells[0]) for row in hard.rows if row.kind == ""]
    assert rows == [(model, f"{model}{way}") for model in "bca" for way in ("", " reverse")]
    first, second, *_ = (one.line.en.replace("\u00a0", " ") for one in end_of_run(done))
    assert first.startswith("b has the highest mean of 3 models on all 2 benchmarks; ") and ", next c, " in first
    means = {
        row["model"]: row["scores"] for row in json.loads((out / "results.json").read_bytes())["groups"][0]["rows"]
    }
    assert any(f"{100 * score['value']:.1f} %" in first for score in means["b"]) and "of CORECODE HARD" in second


def test_a_blank_line_parts_notes_from_the_next_table() -> None:
    console = Console(width=60, file=StringIO())
    sheets = [Sheet(name, name, (Column(""), Column("x")), (Row(("row", "1")),), (f"note {name}",)) for name in "ab"]
    console.print(*draw(sheets))
    printed = [line.strip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]
    assert printed[printed.index("note a") + 1 :][:2] == ["", "b"]


def test_the_table_of_results_has_items_and_intervals_in_80_columns(tmp_path: Path, cli: Callable[..., Any]) -> None:
    done = evalsuite.run(model=["random"], tasks=["CKF"], set="easy", limit=9, out=tmp_path / "run")
    stdout = cli("show", tmp_path / "run", "--tables", "results", COLUMNS="80").stdout
    metric = cells_of(done)[0]["metrics"]["accuracy"]
    half = (metric["high"] - metric["low"]) / 2 if metric["low"] is not None else None
    assert ["n", "9"] in [line.split() for line in stdout.splitlines()]
    shown = [line.split() for line in stdout.splitlines() if line.split()[:2] == ["95", "%"]]
    assert shown == ([["95", "%", f"±{100 * half:.0f}"]] if half is not None else [])
    assert ("±: half of" in stdout) == (half is not None)


def test_the_legend_explains_the_marks_that_stand_in_the_table(tmp_path: Path, cli: Callable[..., Any]) -> None:
    def silent(request: Request) -> str:
        return "?" if request.id.endswith("/1") else RIGHT[request.id]

    evalsuite.run({"m": silent}, tasks=["CKF"], set="hard", limit=3, baselines=[], out=tmp_path / "one")
    stdout = cli("show", tmp_path / "one", "--tables", "results").stdout
    assert "(33)" in stdout and "(n): percent" in stdout
    # three items of one dialogue have no interval
    assert "!n:" not in stdout and "±" not in stdout and "95 %" not in stdout
    evalsuite.run(
        {"m": lambda r: RIGHT[r.id]}, tasks=["CKF"], set="hard", limit=60, baselines=[], out=tmp_path / "many"
    )
    stdout = cli("show", tmp_path / "many", "--tables", "results").stdout
    assert "±: half of" in stdout and "95 %" in stdout and "(n)" not in stdout


def test_models_stand_before_baselines_in_lists_and_items(tmp_path: Path, cli: Callable[..., Any]) -> None:
    run = tmp_path / "run"
    evalsuite.run(model=["random"], tasks=["CKF"], set="hard", limit=2, out=run)
    evalsuite.run({"z": lambda r: RIGHT[r.id]}, tasks=["CKF"], set="hard", limit=2, out=run)
    listed = [line for line in cli("show", run, "--list").stdout.splitlines() if "knowledge_filling" in line]
    assert [" z " in line for line in listed] == [True, True, False, False]
    stdout = cli("show", run, "--item", "hard/test/knowledge_filling/0").stdout
    assert stdout.index("z · paper") < stdout.index("random · paper")
    assert "asked in one way, of 2 models" in stdout and " 1 lines" not in stdout
