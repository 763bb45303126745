"""A run prints what its page says and what its exports have, on forty runs of made-up replies; and no sentence names a model
that it must not name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
from tiers import thorough_but

import evalsuite
from evalsuite.analyses.findings.words import Finding
from evalsuite.analyses.journey import write_results
from evalsuite.analyses.table import sheets
from evalsuite.cli.show import print_findings
from evalsuite.cli.tables.terminal import draw
from evalsuite.common.sheet import Text
from evalsuite.common.terminal import print_all
from evalsuite.page.report import _load, page_data
from evalsuite.results.analysis import Results
from evalsuite.results.store import Store
from evalsuite.types import Cell, Reading, Response, Trial

Reply = Callable[[Trial, Random], Response]
Planned = tuple[Cell, Sequence[Trial]]


def response_with(text: str) -> Response:
    return Response(text, "stop", 1, 1)


def partly_right(share: float) -> Reply:
    """Replies with the right option at this probability, else with any option."""

    def reply(trial: Trial, rng: Random) -> Response:
        item = trial.item
        return response_with(item.labels[item.golds[0]] if rng.random() < share else rng.choice(item.labels))

    return reply


def first_label(trial: Trial, rng: Random) -> Response:
    return response_with(trial.item.labels[0])


def mostly_first_label(trial: Trial, rng: Random) -> Response:
    return response_with(trial.item.labels[0 if rng.random() < 0.8 else 1])


def failing_in_part(trial: Trial, rng: Random) -> Response:
    return Response("", "error", error="down") if rng.random() < 0.2 else partly_right(0.5)(trial, rng)


def partly_empty(trial: Trial, rng: Random) -> Response:
    return response_with("") if rng.random() < 0.5 else partly_right(0.9)(trial, rng)


BASELINE = {"backend": "baseline", "fingerprint": "baseline:lexical:1"}
TAGGED = {"tags": ["baseline"]}
# name -> its models: what they reply, and their facts
RUNS: dict[str, dict[str, tuple[Reply, dict[str, object]]]] = {
    "skills": {"a": (partly_right(0.9), {}), "b": (partly_right(0.2), {}), "c": (partly_right(0.5), {})},
    "constant": {"same": (first_label, {}), "mostly": (mostly_first_label, {}), "b": (partly_right(0.8), {})},
    "alone": {"same": (first_label, {})},
    "ties": {"a": (partly_right(1), {}), "b": (partly_right(1), {}), "same": (first_label, {})},
    "failures": {"a": (failing_in_part, {}), "b": (partly_empty, {}), "c": (partly_right(0.7), {})},
    "estimates": {"a": (partly_right(0.9), {"items": {"sha256": "0" * 64, "of": 142}}), "b": (partly_right(0.5), {})},
    "baselines ahead": {
        "lexical": (partly_right(1), BASELINE),
        "a": (partly_right(0.4), {}),
        "b": (partly_right(0.3), {}),
    },
    "tagged": {"old": (partly_right(1), TAGGED), "a": (partly_right(0.6), {}), "same": (first_label, {})},
}


@pytest.fixture(scope="module")
def plan() -> dict[str, list[Planned]]:
    """A plan of cells, by model: two tasks with items of many dialogues, or of one."""
    cells = list(evalsuite.preview(dict.fromkeys(("m",), lambda request: ""), tasks=["CKF", "SI"]))
    return {
        "many": [(cell, trials[::7]) for cell, trials in cells],
        "one": [(cell, trials[:7]) for cell, trials in cells],
    }


def made_up_run(
    out: Path, planned: Sequence[Planned], models: dict[str, tuple[Reply, dict[str, object]]], seed: int
) -> Results:
    """A run of made-up replies."""
    out.mkdir()
    with Store(out / "store.sqlite") as store:
        for name, (reply, facts) in models.items():
            for cell, trials in planned:
                own = Cell(
                    cell.place.__class__(**cell.place.as_dict() | {"model": name}),
                    {**cell.facts, "fingerprint": name, "sampling": {}, **facts},
                )
                rng = Random(f"{seed}:{name}:{cell.place.name}")
                keyed = [(f"{own.place.name}/{n}", trial) for n, trial in enumerate(trials)]
                store.plan(own, keyed)
                store.put([(key, reply(trial, rng)) for key, trial in keyed])
    return write_results(out, Reading())


@pytest.mark.slow
@pytest.mark.parametrize("seed", thorough_but(1, range(5)))
@pytest.mark.parametrize("name", RUNS)
def test_terminal_page_and_exports_say_the_same(
    name: str,
    seed: int,
    plan: dict[str, list[Planned]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planned = plan["one" if seed == 4 else "many"]
    if seed % 2:
        planned = [one for one in planned if one[0].place.set == "hard"]
    done = made_up_run(tmp_path / "run", planned, RUNS[name], seed)
    capsys.readouterr()
    monkeypatch.setenv("COLUMNS", "5000")
    print_findings(done)
    printed = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    page = [Finding(**one) for one in page_data([_load(tmp_path / "run")], lambda shard: "x")["findings"]]
    hindered = any(one.about == "obstacles" for one in page)
    assert printed == [one.line.en for one in page if not (hindered and one.about == "levels")]
    (sheet,) = sheets(done, ["findings"])
    print_all(*draw([sheet]))
    drawn = " ".join(capsys.readouterr().out.split())
    assert all(" ".join(one.en.split()) in drawn for one in page)  # also sentences that name no test
    assert [row.cells for row in sheet.rows] == [(Text(one.zh, one.en), Text(one.test_zh, one.test_en)) for one in page]
    check_statements(done, page)


def check_statements(done: Results, page: Sequence[Finding]) -> None:
    """The statements of the sentences about these cells, computed by other code."""
    topics = {one.about: one for one in page}
    assert len(topics) == len(page) and all(one.zh and one.en for one in page)
    hard = [c for c in done.cells if c.set == "hard" and not c.is_baseline]
    ranked = [c for c in hard if not c.missing and not c.failed and c.estimate is None]
    for one in page:
        assert ("significant" in one.en) <= bool(one.test_en), one
        if one.about in ("best", "chance"):
            assert not one.en.startswith(("old", "lexical"))
    if chance := topics.get("chance"):
        above = chance.en.partition(" significantly above")[0]
        assert not above.startswith(("same", "mostly")) or above.endswith("not")
        more = int(found[1]) if (found := re.search(r" and (\d+) more are$", above)) else 0
        assert (
            "not significantly" in chance.en
            or "No model" in chance.en
            or "Too few" in chance.en
            or more < len({c.model for c in ranked} - {"same", "mostly"})
        )
    best = topics.get("best")
    if best and " is best of " in best.en:
        leader = best.en.partition(" is best of ")[0]
        at = re.search(r"(?:; | on )(Knowledge filling|Slot identification)(?::| of)", best.en)
        task = {"Knowledge filling": "knowledge_filling", "Slot identification": "slot_identification"}[
            at[1] if at else ""
        ]
        scores = {c.model: c.headline.value or 0 for c in ranked if c.task == task}
        assert scores[leader] == max(scores.values()) and list(scores.values()).count(scores[leader]) == 1
    if done.cells and not ranked:
        assert best and best.en.endswith("nobody is ranked.")
    failed = sum(c.failed for c in done.cells)
    assert (f"{failed} of " in topics["obstacles"].en) if failed else ("failed" not in str(page))
