"""Means over cells whose items share dialogues: their intervals hold the truth, against resampled dialogues and drawn answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from as_json import a_cell, content_of
from run_files import read_jsonl

import evalsuite
from evalsuite.analyses.means import means
from evalsuite.common.dialogue import sources
from evalsuite.metrics.statistics import (
    Interval,
    Means,
    Summand,
    bootstrap,
    cluster_sums,
    few_dialogues,
    influences,
    weighted_sum,
)
from evalsuite.results.influences import Influences

Values = Any  # (tasks, dialogues, items of a task in a dialogue)


def simulated_answers(rng: np.random.Generator, tasks: int, dialogues: int, shared: float) -> Values:
    """Right and wrong answers to two items of each task in each dialogue. `shared`: the correlation of two items of one
    dialogue, of the same task or of two; the share of right answers is 0.5."""
    alike = rng.random((1, dialogues, 1)) < 0.5
    own = rng.random((tasks, dialogues, 2)) < 0.5
    return np.where(rng.random((tasks, dialogues, 2)) < shared**0.5, alike, own).astype(float)


def means_over_tasks(values: Values, rng: np.random.Generator) -> dict[bool, Interval]:
    """The mean over the tasks, each with its own interval, by whether it is known which dialogues they share."""
    parts = []
    for task in values:
        dialogues = [n for n in range(len(task)) for _ in range(2)]
        own = few_dialogues(task.ravel(), dialogues) if len(task) < 30 else None
        own = own or bootstrap(Means.of({"": task.ravel()}), dialogues, rng, 300)[""]
        moves = influences(Means.of({"": task.ravel()}), dialogues)[""]
        of = {n: (move, 1 / len(task)) for n, move in enumerate(moves.tolist())}
        parts.append(Summand(1 / len(values), own.value, own.low, own.high, of))
    return {True: weighted_sum(parts), False: weighted_sum([replace(part, dialogues={}) for part in parts])}


@pytest.mark.slow
@pytest.mark.parametrize(("dialogues", "shared"), [(8, 0.3), (40, 0.3), (40, 0.0)])
def test_the_interval_of_a_mean_over_tasks_holds_the_truth(dialogues: int, shared: float) -> None:
    """300 means over six tasks on the same dialogues. Taken as independent they hold the truth too rarely, where dialogues
    have much to do with it."""
    rng = np.random.default_rng(1)
    held = {True: 0, False: 0}
    for _ in range(300):
        for known, found in means_over_tasks(simulated_answers(rng, 6, dialogues, shared), rng).items():
            held[known] += found.low <= 0.5 <= found.high
    assert held[True] >= 0.92 * 300
    assert (held[False] < 0.85 * 300) == (shared > 0)
    if dialogues >= 30:
        assert held[True] <= 0.98 * 300


def test_the_interval_is_that_of_resampled_dialogues() -> None:
    """Percentiles of the mean over three tasks, whose dialogues are resampled together: the first two share all dialogues, the
    third has half of them, and others."""
    rng = np.random.default_rng(2)
    values = simulated_answers(rng, 3, 300, 0.4)
    names = [range(300), range(300), range(150, 450)]
    parts, sums = [], np.zeros((450, 6))
    for n, (task, dialogues) in enumerate(zip(values, names, strict=True)):
        clusters = [d for d in dialogues for _ in range(2)]
        own = bootstrap(Means.of({"": task.ravel()}), clusters, rng, 4000)[""]
        moves = influences(Means.of({"": task.ravel()}), clusters)[""]
        of = dict(zip(dialogues, ((move, 1 / 300) for move in moves.tolist()), strict=True))
        parts.append(Summand(1 / 3, own.value, own.low, own.high, of))
        rows = np.stack([task.ravel(), np.ones(600)], axis=1)
        sums[[*dialogues], 2 * n : 2 * n + 2] = cluster_sums(rows, clusters)
    drawn = rng.multinomial(450, np.full(450, 1 / 450), 4000) @ sums
    whole = np.mean([drawn[:, 2 * n] / drawn[:, 2 * n + 1] for n in range(3)], axis=0)
    found = weighted_sum(parts)
    assert (found.low, found.high) == pytest.approx(np.quantile(whole, [0.025, 0.975]), abs=0.006)
    alone = weighted_sum([Summand(p.weight, p.value, p.low, p.high, {}) for p in parts])
    assert found.high - found.low > 1.15 * (alone.high - alone.low)


def test_with_one_standard_error_an_interval_is_the_cluster_robust_one() -> None:
    """By hand: the root of the sum over dialogues of (the sum of the weighted influences)², with two tasks of unlike size."""
    one, other = {"a": 0.3, "b": -0.1, "c": -0.2}, {"b": 0.2, "c": -0.4, "d": 0.2}
    sizes = {of: sum(move**2 for move in moves.values()) ** 0.5 for of, moves in (("x", one), ("y", other))}
    # Thirty more dialogues without influence, so that the rule for few dialogues does not speak.
    rest = {str(n): (0.0, 0.0) for n in range(30)}
    parts = [
        Summand(weight, 0.0, -size, size, {name: (move, 0.1) for name, move in moves.items()} | rest)
        for weight, moves, size in ((0.75, one, sizes["x"]), (0.25, other, sizes["y"]))
    ]
    by_hand = [0.75 * one.get(d, 0) + 0.25 * other.get(d, 0) for d in "abcd"]
    assert weighted_sum(parts).high == pytest.approx(sum(move**2 for move in by_hand) ** 0.5)


def test_few_dialogues_that_seem_to_make_up_for_each_other_do_not_narrow_it() -> None:
    """Two dialogues, of which one task has one right and the other task the other: all means are equal."""
    parts = [Summand(0.5, 0.5, 0.1, 0.9, {"a": (sign, 0.5), "b": (-sign, 0.5)}) for sign in (0.5, -0.5)]
    assert weighted_sum(parts).high == pytest.approx(0.5 + 0.4 / 2**0.5)


def test_tasks_that_are_all_right_on_the_same_dialogues_are_no_more_evidence_than_one() -> None:
    all_right = [Summand(0.25, 1.0, 0.8, 1.0, {n: (0.0, 0.1) for n in range(10)})] * 4
    found = weighted_sum(all_right)
    assert (found.low, found.high) == (pytest.approx(0.8), 1.0)
    others = [Summand(0.25, 1.0, 0.8, 1.0, {(k, n): (0.0, 0.1) for n in range(10)}) for k in range(4)]
    assert weighted_sum(others).low == pytest.approx(0.9)


def test_a_task_that_is_all_right_says_nothing_of_one_that_is_not() -> None:
    """The other task is wrong on the dialogues of the first, and right on as many more: its influences tell its own dialogues
    apart, and are no reason to take the two as opposed."""
    all_right = Summand(0.5, 1.0, 0.8, 1.0, {n: (0.0, 0.05) for n in range(20)})
    half_right = Summand(0.5, 0.5, 0.4, 0.6, {n: (-0.01 if n < 20 else 0.01, 0.025) for n in range(40)})
    found = weighted_sum([all_right, half_right])
    assert found.low == pytest.approx(0.75 - (0.1**2 + 0.05**2) ** 0.5)


def test_influences_are_those_of_leaving_a_dialogue_out() -> None:
    rng = Random(3)
    values, dialogues = [rng.random() for _ in range(20)], [rng.randrange(6) for _ in range(20)]
    found = influences(Means.of({"x": values}), dialogues)["x"]
    for name, move in zip(dict.fromkeys(dialogues), found, strict=True):
        left = [value for value, of in zip(values, dialogues, strict=True) if of != name]
        assert move == pytest.approx(sum(values) / 20 - sum(left) / len(left))
    assert influences(Means.of({"x": values}), [0] * 20)["x"].tolist() == [0.0]


# --- of runs


def test_sets_that_share_dialogues_are_no_independent_ones() -> None:
    """Two folds on the same 40 dialogues, whose influences are equal: their mean is as uncertain as each."""
    moves = np.array([0.01, -0.01] * 20)
    one = Influences(tuple(((f"A: {n}",),) for n in range(40)), np.full(40, 1 / 40), {"accuracy": moves})
    other = Influences(tuple(((f"B: {n}",),) for n in range(40)), np.full(40, 1 / 40), {"accuracy": moves})
    value = {"value": 0.5, "low": 0.4, "high": 0.7}
    cells = [a_cell(task="cider_dnli", set=f"fold{n}", items=40, metrics={"accuracy": value}) for n in (1, 2)]

    def interval_of_mean(*influences: Influences) -> tuple[float | None, float | None]:
        of = dict(zip((cell.place for cell in cells), influences, strict=False))
        found = means(cells, of)[0].metrics["accuracy"]
        return found.low, found.high

    assert interval_of_mean(one, one) == pytest.approx((0.4, 0.7))
    assert interval_of_mean(one, other) == interval_of_mean() == pytest.approx((0.5 - 0.1 / 2**0.5, 0.5 + 0.2 / 2**0.5))


@pytest.mark.slow
def test_the_mean_of_a_benchmark_counts_each_dialogue_once(tmp_path: Path) -> None:
    """The interval of CORECODE's mean, by our own sums over the records: its tasks ask about the same dialogues."""
    tasks = ["knowledge_filling", "domain_identification", "slot_identification", "xcopa_cause_effect"]
    done = evalsuite.run(model=["random"], tasks=tasks, perturb=["none", "shuffle"], limit=16, out=tmp_path / "run")
    group = next(group for group in content_of(done, "groups") if group["name"] == "chinese")
    (row,) = group["rows"]
    told = next(score for score in row["scores"] if score["name"] == "corecode")
    (change,) = [change for change in row["changes"] if change["benchmark"] == "corecode"]
    parts = [part for part in row["parts"] if part["task"] != tasks[-1]]
    records = [record for path in (done.out / "records").iterdir() for record in read_jsonl(path)]
    plain, after = (
        {(r["task"], r["set"], r["item"]): r for r in records if r["perturb"] == how} for how in ("none", "shuffle")
    )
    mine = sorted(name for name in plain if name[0] != tasks[-1])
    dialogue = dict(zip(mine, sources([plain[name]["dialogue"] for name in mine]), strict=True))
    right = {name: plain[name]["scores"]["accuracy"] for name in mine}
    moved = {name: after[name]["scores"]["accuracy"] - right[name] for name in mine}
    for found, its_parts, values in ((told, parts, right), (change, change["parts"], moved)):
        rows = []
        for part in its_parts:
            own = [name for name in mine if name[:2] == (part["task"], part["set"])]
            mean = sum(values[name] for name in own) / len(own)
            assert part["value"] == pytest.approx(mean)
            influence = dict.fromkeys(dialogue.values(), 0.0)
            size = dict.fromkeys(dialogue.values(), 0)
            for name in own:
                influence[dialogue[name]] += values[name] - mean
                size[dialogue[name]] += 1
            moves = [influence[d] / (len(own) - size[d]) for d in influence]
            # Equal items: dialogues' sizes in place of influences, uncorrelated with those.
            none = [0] * len(moves)
            rows.append([*moves, *none] if any(moves) else [*none, *size.values()])
        alike = np.array(rows) @ np.array(rows).T
        length = np.sqrt(np.diag(alike))
        low = np.array([part["value"] - part["low"] for part in its_parts])
        below = low / len(its_parts) / length
        square, independent = below @ alike @ below, (low / len(its_parts)) @ (low / len(its_parts))
        assert len({*dialogue.values()}) < 30  # so that the interval is at least that of independent parts
        assert found["value"] - found["low"] == pytest.approx(max(square, independent) ** 0.5)
    assert told["value"] - told["low"] > 1.02 * sum((p["value"] - p["low"]) ** 2 for p in parts) ** 0.5 / len(parts)
