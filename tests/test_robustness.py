"""Robustness from outcomes made by hand, with numbers worked out by hand; then real runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from as_json import a_cell, a_run, scored_cell, sheets_of
from rich.console import Console
from run_files import results_json
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.analyses.robustness import ANALYSIS, Robustness, compute, perturbation_effects, positions
from evalsuite.analyses.robustness_details import sheets as details
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE as TASKS
from evalsuite.cli.tables.terminal import draw
from evalsuite.common.sheet import Sheet, Value, english
from evalsuite.evaluation.journey import score
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.analysis import Results, ScoredCell
from evalsuite.results.outcomes import CellOutcomes, outcomes_of
from evalsuite.results.schema.cell import CellResult
from evalsuite.types import Answer, Cell, Item, Place, Reading, Request, Response, Score, Status, Trial

CHOICE, TEXT = "knowledge_filling", "event_cause"
GOLD = (1, 1, 0, 2)


def item(n: int, gold: int | None) -> Item:
    task = TEXT if gold is None else CHOICE
    options = () if gold is None else (f"甲{n}", f"乙{n}", f"丙{n}")
    labels = () if gold is None else ("(a)", "(b)", "(c)")
    place = (f"corecode/easy/test/{task}/{n}", task, "easy", "test", (f"A: 这是第{n}段对话。",))
    return Item(*place, "请选择。", options, labels, gold, ("对",) if gold is None else (options[gold],))


def cell(task: str = CHOICE, perturb: str = "none", model: str = "m", **facts: Any) -> Cell:
    return Cell(
        Place(model, task, "easy", "test", "paper", 0, "generate", perturb),
        {"seed": 0, "data": "d", "perturb_version": PERTURBATIONS[perturb].version} | facts,
    )


Reply = Callable[[Item], int | None]


def cell_outcomes(
    items: Sequence[Item], perturb: str, replies: Reply | Sequence[int | None], **more: Any
) -> CellOutcomes:
    """A cell of choices: what is chosen of each (perturbed) item."""
    rows = []
    for n, original in enumerate(items):
        for rotation, made in enumerate(PERTURBATIONS[perturb].items(original)):
            choice = replies(made) if callable(replies) else replies[n]
            answer = Answer(Status.UNPARSED if choice is None else Status.PARSED, choice)
            trial = Trial(made, Request(made.id, "", (), 8), "paper", perturb=perturb, rotation=rotation)
            rows.append((trial, Response("", "stop"), answer, Score({"accuracy": float(choice == made.gold)})))
    return outcomes_of(cell(perturb=perturb, **more), rows)


ITEMS = [item(n, gold) for n, gold in enumerate(GOLD)]
BASE = cell_outcomes(ITEMS, "none", (1, 1, 0, 0))  # right, right, right, wrong


def first_drop(*cells: CellOutcomes) -> dict[str, Any]:
    (row,) = perturbation_effects(cells)
    return row.written()


def test_a_drop_worked_out_by_hand() -> None:
    # Reversed, gold stands at 1, 1, 2, 0. Chosen: gold still; (c) for (b); nothing; gold, which was wrong before.
    row = first_drop(BASE, cell_outcomes(ITEMS, "reverse", (1, 0, None, 0)))
    assert (row["base"], row["value"], row["drop"], row["items"], row["dialogues"]) == (0.75, 0.5, -0.25, 4, 4)
    assert (row["flip_rate"], row["right_to_wrong"], row["wrong_to_right"]) == (0.75, 2, 1)
    # An option was read in both of items 0, 1 and 3; the same one in item 0 alone.
    assert (row["parsed_in_both"], row["same_choice"]) == (3, pytest.approx(1 / 3))
    assert (row["test"], row["p"], row["p_holm"]) == ("McNemar", 1.0, 1.0)  # one item against two
    assert row["low"] <= row["drop"] <= row["high"] and row["low"] >= -1


MODELS: list[tuple[str, str, Reply, dict[str, Any]]] = [
    # model, perturbation, its choice of an item, the figures that follow
    ("gold", "shuffle", lambda i: i.gold, {"value": 1.0, "same_choice": 1.0, "drop": 0.0, "flip_rate": 0.0}),
    ("gold", "circular", lambda i: i.gold, {"value": 1.0, "consistency": 1.0, "drop": 0.0}),
    ("b", "reindicate", lambda i: 1, {"value": 0.5, "same_choice": 1.0, "drop": 0.0}),
    # the middle one of three options keeps its position
    ("b", "reverse", lambda i: 1, {"value": 0.5, "same_choice": 1.0, "drop": 0.0}),
    ("b", "circular", lambda i: 1, {"value": 0.0, "consistency": 0.0, "drop": -0.5, "right_to_wrong": 2}),
    ("gold", "shuffle5", lambda i: i.gold, {"value": 1.0, "consistency": 1.0, "drop": 0.0}),
    ("the same text", "both", lambda i: [o[0] for o in i.options].index("乙"), {"value": 0.5, "same_choice": 1.0, "drop": 0.0}),
    ("the same text", "circular", lambda i: [o[0] for o in i.options].index("乙"), {"value": 0.5, "consistency": 1.0}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("perturb", "reply", "wanted"), [m[1:] for m in MODELS], ids=[f"{m[0]} {m[1]}" for m in MODELS]
)
def test_models_that_are_known_through_and_through(perturb: str, reply: Reply, wanted: dict[str, Any]) -> None:
    row = first_drop(cell_outcomes(ITEMS, "none", reply), cell_outcomes(ITEMS, perturb, reply))
    assert {name: row[name] for name in wanted} == wanted


def test_a_change_without_an_interval_has_none_beside_the_value_after() -> None:
    """Runs of earlier versions have changes without an interval."""
    row = first_drop(BASE, cell_outcomes(ITEMS, "reverse", (1, 0, None, 0))) | {"low": None, "high": None}
    content = {"drops": [row], "positions": [], "wordings": [], "shots": []}
    results = Results(Path(), "0", Reading(), (), {ANALYSIS.key: Robustness.model_validate(content)})
    (sheet,) = (sheet for sheet in details(results) if sheet.name == "drops")
    assert sheet.rows[1].cells[2] == Value(0.5)


def test_bases_on_other_items_are_no_common_base() -> None:
    """Three of four items were answered reversed: right, right, wrong before, but three of four over all."""
    lost = cell_outcomes([ITEMS[n] for n in (0, 1, 3)], "reverse", (1, 1, 0))
    drops = [row.written() for row in perturbation_effects([BASE, cell_outcomes(ITEMS, "shuffle", (1, 1, 0, 0)), lost])]
    assert [row["base"] for row in drops] == [0.75, pytest.approx(2 / 3)]
    content = {"drops": drops, "positions": [], "wordings": [], "shots": []}
    results = Results(Path(), "0", Reading(), (), {ANALYSIS.key: Robustness.model_validate(content)})
    for name, row in (("changes", 0), ("robustness", 0)):
        sheets = [*details(results), *sheets_of(ANALYSIS, content)]
        (sheet,) = (sheet for sheet in sheets if sheet.name == name)
        assert sheet.rows[row].cells[1] == "≠"


def test_runs_whose_shuffle_changed_every_order_are_read_as_such() -> None:
    """Gold is chosen throughout, so the same option in every item; of 60 items the new shuffle leaves some as they are."""
    items = [item(n, n % 3) for n in range(60)]
    assert any(PERTURBATIONS["shuffle"].items(i) != PERTURBATIONS["derange"].items(i) for i in items)
    for old, now in (("shuffle", "derange"), ("both", "derange_both")):
        deranged = cell_outcomes(items, now, lambda i: i.gold)
        cell_of_old = replace(
            deranged.cell, place=replace(deranged.cell.place, perturb=old), facts={"seed": 0, "data": "d"}
        )
        row = first_drop(cell_outcomes(items, "none", lambda i: i.gold), replace(deranged, cell=cell_of_old))
        assert row["same_choice"] == 1.0


def test_only_what_was_answered_in_both_is_compared() -> None:
    assert first_drop(BASE, cell_outcomes(ITEMS[1:3], "reverse", (1, 2)))["items"] == 2
    assert (
        perturbation_effects([cell_outcomes(ITEMS[:1], "none", (1,)), cell_outcomes(ITEMS[1:], "reverse", (1, 2, 0))])
        == []
    )
    assert perturbation_effects([BASE, cell_outcomes(ITEMS, "reverse", (1, 1, 1, 1), data="another file")]) == []
    assert perturbation_effects([BASE, cell_outcomes(ITEMS, "reverse", (1, 1, 1, 1), model="another")]) == []
    lost = cell_outcomes(ITEMS, "circular", lambda i: i.gold)
    lost = CellOutcomes(lost.cell, lost.labels, lost.outcomes[:-1])  # the last rotation of the last item failed
    assert first_drop(BASE, lost)["items"] == 3


def test_samples_of_an_item_are_averaged() -> None:
    """Item 0 is right in one of two samples before and in none after; of item 1 one sample was lost after."""

    def cell_with_samples(perturb: str, choices: Sequence[Sequence[int | None]]) -> CellOutcomes:
        cells = [cell_outcomes(ITEMS[:2], perturb, column) for column in choices]
        rows = [replace(o, sample=n) for n, each in enumerate(cells) for o in each.outcomes]
        return CellOutcomes(cells[0].cell, cells[0].labels, tuple(rows))

    after = cell_with_samples("reverse", [(0, 1), (0, None)])
    after = CellOutcomes(after.cell, after.labels, after.outcomes[:-1])
    row = first_drop(cell_with_samples("none", [(1, 1), (0, 1)]), after)
    assert (row["items"], row["dialogues"], row["base"], row["value"]) == (2, 2, 0.75, 0.5)
    assert (row["right_to_wrong"], row["wrong_to_right"], row["flip_rate"], row["test"]) == (1, 0, 0.5, "permutation")


def test_guesses_have_no_level_where_all_rotations_must_be_right(tmp_path: Path) -> None:
    """1 / number of options is the level of one asking; a guess is hardly ever right in every rotation."""
    evalsuite.run(
        model="random", tasks="domain_identification", set="easy", limit=8, perturb=["none", "circular"], out=tmp_path
    )
    chances = {cell["perturb"]: cell.get("chance") for cell in results_json(tmp_path)["cells"]}
    assert 0 < chances["none"] < 0.5 and chances["circular"] is None


def test_spans_flip_at_half() -> None:
    def texts(perturb: str, values: Sequence[float]) -> CellOutcomes:
        rows = [
            (Trial(item(n, None), Request("", "", (), 8), "paper", perturb=perturb), Response("x", "stop"), Answer(Status.PARSED, text="x"), Score({"f1": v, "em": 0.0}))
            for n, v in enumerate(values)
        ]  # fmt: skip
        return outcomes_of(cell(TEXT, perturb), rows)

    row = first_drop(texts("none", (0.2, 0.9, 1.0, 0.5)), texts("traditional", (0.8, 0.5, 0.5, 0.5)))
    assert (row["flip_rate"], row["right_to_wrong"], row["wrong_to_right"]) == (0.5, 1, 1)
    assert (row["metric"], row["test"], "same_choice" in row) == ("f1", "permutation", False)
    assert row["drop"] == pytest.approx(-0.075)


def test_the_same_choice_is_explained_where_there_are_choices() -> None:
    """The column and its note stand below choices, and are absent of texts, which have no options."""
    same = [cell_outcomes(ITEMS, name, (1, 1, 1, 1)) for name in ("none", "reverse")]
    rows = [row.written() for row in perturbation_effects(same)]
    texts = [{name: value for name, value in row.items() if name != "same_choice"} for row in rows]
    for found, there in ((rows, True), (texts, False)):
        content = {"drops": found, "positions": [], "wordings": [], "shots": []}
        results = Results(Path(), "0", Reading(), (), {ANALYSIS.key: ANALYSIS.model.model_validate(content)})
        (sheet,) = (sheet for sheet in details(results) if sheet.name == "drops")
        assert any(english(note).startswith("Same choice: ") for note in sheet.notes) is there
        assert ("same choice" in [english(column.heading) for column in sheet.columns]) is there
        assert any("after Holm's correction" in english(note) for note in sheet.notes)


def test_p_values_are_corrected_over_a_models_rows() -> None:
    many = [item(n, 0) for n in range(8)]
    cells = [cell_outcomes(many, name, (0,) * 8, model=model) for model in "ab" for name in ("none", "shuffle")]
    cells += [cell_outcomes(many, "reindicate", (1,) * 8, model=model) for model in "ab"]
    rows = [row.written() for row in perturbation_effects(cells) if row.perturb == "reindicate"]
    # all eight items differ in one direction
    assert len(rows) == 2 and all(row["p"] == pytest.approx(2 / 2**8) for row in rows)
    assert all(row["p_holm"] == pytest.approx(2 * row["p"]) for row in rows)


def test_a_change_of_every_item_is_significant_among_many_rows() -> None:
    """Thirteen dialogues of two items, 55 rows: 1,000 random flips would give a p of 1/1001 at least, and 0.055 after Holm."""
    pairs = [replace(item(n, 1), dialogue=item(n // 2, 1).dialogue) for n in range(26)]
    cells = [cell_outcomes(pairs, "none", lambda i: i.gold)]
    for name in ("shuffle", "reindicate", "both", "derange", "derange_both"):
        cells.append(cell_outcomes(pairs, name, lambda i: (i.gold + 1) % len(i.options)))
    of = lambda c, shots: replace(c.cell, place=replace(c.cell.place, shots=shots))  # noqa: E731
    rows = [
        row.written()
        for row in perturbation_effects([replace(c, cell=of(c, shots)) for c in cells for shots in range(11)])
    ]
    assert len(rows) == 55 and {row["test"] for row in rows} == {"permutation"}
    assert {(row["drop"], row["family"], row["least_p"]) for row in rows} == {(-1.0, 55, 2.0**-12)}
    assert all(row["p_holm"] <= 0.05 and row["least_p_holm"] == pytest.approx(55 * 2.0**-12) for row in rows)


def test_a_model_that_says_b_is_seen_by_position() -> None:
    found = positions(cell_outcomes(ITEMS, "none", (1, 1, 1, 1))).written()
    assert (found["labels"], found["gold"], found["right"]) == (["(a)", "(b)", "(c)"], [1, 2, 1], [0, 2, 0])
    assert (found["chosen"], found["silent"], found["bias"]) == ([0, 4, 0], 0, 0.5)
    found = positions(cell_outcomes(ITEMS, "reindicate", (1, None, 0, None))).written()
    assert (found["labels"][1], found["chosen"], found["silent"], found["bias"]) == ("(2)", [1, 1, 0], 2, 0.25)
    assert positions(cell_outcomes(ITEMS, "none", (None,) * 4)).bias is None
    assert positions(cell_outcomes(ITEMS, "circular", lambda i: i.gold)).gold == [4, 4, 4]


def test_wordings_have_a_spread_and_shots_their_values() -> None:
    def entry(variant: str, shots: int, value: float | None) -> CellResult:
        return a_cell(variant=variant, shots=shots, metrics={"accuracy": {"value": value}})

    values = [("plain", 0, 0.25), ("paper", 0, 0.75), ("paper", 5, 0.5), ("terse", 0, 0.5), ("plain", 5, None)]
    found = compute(a_run(*(scored_cell(entry(*x)) for x in values)))
    (wording,) = found.wordings
    assert wording.values == {"paper": 0.75, "plain": 0.25, "terse": 0.5}
    assert (wording.mean, wording.spread, wording.worst, wording.shots) == (0.5, 0.5, "plain", 0)
    (shots,) = found.shots
    assert (shots.values, shots.variant) == ({"0": 0.75, "5": 0.5}, "paper")


def test_wordings_and_shots_are_compared_over_the_items_that_all_answered() -> None:
    """One wording lost the item that is right in the other: both are equally good on the rest."""

    def scored(items: Sequence[Item], variant: str, shots: int, right: int) -> ScoredCell:
        outcomes = cell_outcomes(items, "none", lambda i: i.gold if i.id == ITEMS[right].id else None)
        place = replace(outcomes.place, variant=variant, shots=shots)
        value = sum(o.value for o in outcomes.outcomes) / len(items)
        result = a_cell(**place.as_dict(), metrics={"accuracy": {"value": value}})
        return scored_cell(result, replace(outcomes, cell=replace(outcomes.cell, place=place)))

    found = compute(
        a_run(scored(ITEMS, "paper", 0, 0), scored(ITEMS[1:], "plain", 0, 1), scored(ITEMS[:1], "paper", 5, 0))
    )
    (wording,), (shots,) = found.wordings, found.shots
    assert wording.values == {"paper": 0, "plain": pytest.approx(1 / 3)} and wording.worst == "paper"
    assert shots.values == {"0": 1, "5": 1}


# --- runs


@pytest.mark.slow
def test_the_oracle_is_right_under_every_perturbation(tmp_path: Path) -> None:
    """Gold follows through items, prompts, parser and metrics: nothing is lost anywhere."""
    (tmp_path / "models.yaml").write_text("models:\n  - {name: oracle, backend: baseline, path: oracle}\n")
    evalsuite.run(tmp_path / "models.yaml", perturb=list(PERTURBATIONS), limit=4, out=tmp_path / "run")
    results = results_json(tmp_path / "run")
    there = {(c["task"], c["perturb"]) for c in results["cells"]}
    assert there == {(task, name) for task in TASKS for name, row in PERTURBATIONS.items() if row.applies(task)}
    rows = results["robustness"]["drops"]
    assert len(rows) == len(results["cells"]) - 2 * len(TASKS)
    for row in rows:
        told = {name: row[name] for name in ("base", "value", "drop", "differ", "flip_rate", "p")}
        assert told == {"base": 1, "value": 1, "drop": 0, "differ": 0, "flip_rate": 0, "p": 1}, row
        assert row["low"] == -row["high"] < 0, row  # no change in four items is not a change of 0 for certain
        assert row.get("same_choice", row.get("consistency", 1)) == 1, row
    assert all(row["bias"] == 0 for row in results["robustness"]["positions"])


@shared_folder
def perturbed_run(folder: Path) -> Path:
    run = folder / "run"
    names = ["none", "reindicate", "shuffle", "both", "circular"]
    choices = [name for name, task in TASKS.items() if task.kind.name == "choice"]
    evalsuite.run(model=["lexical", "random"], tasks=choices, limit=2, perturb=names, out=run)
    return run


@pytest.mark.thorough
def test_rows_of_a_real_run_agree_with_its_cells(perturbed_run: Path) -> None:
    results = results_json(perturbed_run)
    by_place = {(c["model"], c["set"], c["task"], c["perturb"]): c for c in results["cells"]}
    rows = results["robustness"]["drops"]
    assert len(rows) == 2 * 2 * 3 * 4  # models, sets, choice tasks, perturbations
    for row in rows:
        values = []
        for name in ("none", row["perturb"]):
            entry = by_place[row["model"], row["set"], row["task"], name]
            values.append(entry["metrics"]["accuracy"]["value"])
        assert [row["base"], row["value"]] == pytest.approx(values)
        assert row["drop"] == pytest.approx(values[1] - values[0])
        assert row["low"] <= row["drop"] + 1e-9 and row["drop"] <= row["high"] + 1e-9 and row["p"] <= row["p_holm"]
        assert row["drop"] * row["items"] == pytest.approx(row["wrong_to_right"] - row["right_to_wrong"])
    for row in results["robustness"]["positions"]:
        entry = by_place[row["model"], row["set"], row["task"], row["perturb"]]
        assert sum(row["chosen"]) + row["silent"] == sum(row["gold"]) == entry["items"]
    before = (perturbed_run / "results.json").read_bytes()
    score(perturbed_run)
    assert (perturbed_run / "results.json").read_bytes() == before


def sheets_of_drops(drops: list[dict[str, Any]]) -> list[Sheet]:
    return sheets_of(ANALYSIS, {"drops": drops, "positions": [], "wordings": [], "shots": []})


@pytest.mark.slow
def test_the_tables_fit_80(perturbed_run: Path) -> None:
    rows = results_json(perturbed_run)["robustness"]["drops"]
    wide = [row | {"perturb": name, "base": 1.0, "value": 0.0, "drop": -1.0, "flip_rate": 1.0, "p_holm": 0.0}
            for row in rows for name in PERTURBATIONS]  # fmt: skip
    for drop_rows in (rows, wide):
        console = Console(width=80)
        with console.capture() as capture:
            console.print(*draw(sheets_of_drops(drop_rows)))
        lines = capture.get().splitlines()
        assert max(map(len, lines)) <= 80 and "…" not in "".join(lines)
    assert sum("100.0 0.0 -100.0*f100 0.0 -100.0*f100" in " ".join(line.split()) for line in lines) >= 24
    assert sheets_of_drops([]) == []


def test_the_table_says_what_shuffling_alone_does(perturbed_run: Path) -> None:
    rows = results_json(perturbed_run)["robustness"]["drops"]
    shuffled, others = ([r for r in rows if (r["perturb"] in ("shuffle", "both")) == yes] for yes in (True, False))
    assert shuffled and others
    told = [[note.en for sheet in sheets_of_drops(x) for note in sheet.notes] for x in (shuffled, others)]
    assert [sum("preference of a position" in note for note in notes) for notes in told] == [1, 0]


@pytest.mark.slow
def test_a_model_of_one_label_moves_to_chance_when_options_are_shuffled(tmp_path: Path) -> None:
    """The drop or gain comes from the positions of right options in the file, not from harder items (docs/robustness.md)."""
    evalsuite.run({"b": lambda request: "(b)"}, tasks=["slot_identification"], set="easy", perturb=["none", "shuffle"], out=tmp_path)  # fmt: skip
    found = {row["perturb"]: row for row in results_json(tmp_path)["robustness"]["drops"]}
    assert (
        found["shuffle"]["base"] > 0.19 and found["shuffle"]["value"] < 0.11
    )  # files have items of 7 and of 15 options
