"""The store: keys, all-or-none groups, failures that are asked again, plans that are read back as they were."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from evalsuite.common.errors import ConfigError
from evalsuite.results.store import Store, _pack, _unpack, key
from evalsuite.types import Cell, Item, Likelihood, Message, Place, Request, Response

ITEM = Item(
    "i/0", "event_cause", "easy", "test", ("A: 你好\u200b。", "B:"), "事件“x笑”的原因是什么？", references=("x高兴",)
)
REQUEST = Request(ITEM, "paper", "提示", (Message("user", "提示"),), (), 0, 96)
CELL = Cell(Place("m", "event_cause", "easy", "test", "paper", 0), {"seed": 0})


@pytest.mark.parametrize(
    "other",
    [
        key("n", REQUEST, False, {}),
        key("m", REQUEST, True, {}),
        key("m", REQUEST, False, {"stop": ["\n"]}),
        key("m", replace(REQUEST, prompt="提示 "), False, {}),
        key("m", replace(REQUEST, max_new_tokens=97), False, {}),
    ],
    ids=["model", "form", "settings", "prompt", "length"],
)
def test_a_key_changes_with_all_that_changes_a_reply(other: str) -> None:
    assert key("m", REQUEST, False, {}) != other


def test_a_key_does_not_change_with_what_does_not() -> None:
    """An exact duplicate of an item is the same question."""
    twin = replace(REQUEST, item=replace(ITEM, id="i/1"), variant="other name")
    assert key("m", REQUEST, False, {}) == key("m", twin, False, {})


def test_keys_are_those_that_runs_begun_before_have() -> None:
    """As computed before requests had pairs and patterns: runs go on."""
    labels = replace(REQUEST, scoring="labels", item=replace(ITEM, labels=("(a)", "(b)"), options=("x", "y")))
    assert [key("m", REQUEST, False, {}), key("m", REQUEST, True, {"stop": []}), key("m", labels, False, {})] == [
        "1b3a67805ea3bfa701dfe8d853fd171abc02b63343ac5dd8b2e14b929fe2dfe6",
        "c9085ee00384ca853fef4a267593dc4bcda8525f685c22e87d4097484fbd36f0",
        "32d21e31587f1bb24eb096845b23a3ef306442e104ec7eec7ade0bfbfa3fc1e3",
    ]


def test_pairs_and_patterns_tell_requests_apart_and_are_read_back(tmp_path: Path) -> None:
    probe = replace(REQUEST, scoring="nll", pairs=(("甲", "乙"), ("甲", "丙")))
    held = replace(REQUEST, scoring="constrained", pattern="[^。]+。")
    asked = [
        REQUEST, probe, replace(probe, pairs=probe.pairs[::-1]), replace(probe, pairs=(("甲乙", ""), ("甲", "丙"))), held,
        replace(held, pattern="是|否"), replace(held, pattern=""),
    ]  # fmt: skip
    keys = [key("m", r, False, {}) for r in asked]
    assert len(set(keys)) == len(keys)
    scored = Response("", "nll", 5, likelihoods=(Likelihood(-0.5, 1), Likelihood(-2.25, 3)))
    with Store(tmp_path / "s") as store:
        store.plan(CELL, list(zip(keys, asked, strict=True)))
        store.put([(keys[1], scored)])
    with Store(tmp_path / "s") as store:
        read = list(store.read(CELL))
    assert [r for _, r, _ in read] == asked and all(hash(r.pairs) is not None for _, r, _ in read)
    assert [r for _, _, r in read] == [None, scored, *[None] * 5]


def test_a_plan_of_before_is_read(tmp_path: Path) -> None:
    """Whose requests have neither pairs nor a pattern."""
    with Store(tmp_path / "s") as store:
        store.plan(CELL, [("k", REQUEST)])
        (packed,) = store._db.execute("SELECT request FROM requests").fetchone()
        old = {name: value for name, value in _unpack(packed).items() if name not in ("pairs", "pattern")}
        store._db.execute("UPDATE requests SET request = ?", (_pack(old),))
        assert [r for _, r, _ in store.read(CELL)] == [REQUEST]


def test_what_is_planned_is_read_back(tmp_path: Path) -> None:
    shot = replace(REQUEST, shots=("i/9",), asked_shots=3, messages=(Message("user", "甲"), Message("assistant", "乙")))
    with Store(tmp_path / "s") as store:
        store.plan(CELL, [("k0", REQUEST), ("k1", shot)])
        store.put([("k0", Response("好", "stop", 5, 2))])
    with Store(tmp_path / "s") as store:
        assert store.cells() == [CELL]
        assert list(store.read(CELL)) == [("k0", REQUEST, Response("好", "stop", 5, 2)), ("k1", shot, None)]
        store.plan(CELL, [("k1", shot)])
        assert [k for k, _, _ in store.read(CELL)] == ["k1"]
        assert store.done(["k0", "k1"]) == {"k0"}


def test_a_failure_is_no_reply_and_is_asked_again(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        store.plan(CELL, [("k", REQUEST)])
        store.put([("k", Response("", "error", error="out of memory"))])
        assert store.done(["k"]) == set()
        ((_, _, response),) = store.read(CELL)
        assert response == Response("", "error", error="out of memory")
        store.put([("k", Response("", "stop"))])  # an empty reply is a reply
        ((_, _, response),) = store.read(CELL)
        assert response == Response("", "stop")
        assert store.done(["k"]) == {"k"}


def test_a_group_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    def group():  # type: ignore[no-untyped-def]
        yield "k0", Response("好", "stop")
        raise RuntimeError

    with Store(tmp_path / "s") as store:
        with pytest.raises(RuntimeError):
            store.put(group())
        assert store.done(["k0"]) == set()


def test_the_same_id_with_other_content_is_another_item(tmp_path: Path) -> None:
    """A run folder may see two versions of a data file; the cells of the first keep what they asked."""
    other = replace(CELL, place=replace(CELL.place, model="n"))
    changed = replace(REQUEST, item=replace(ITEM, question="换了"))
    with Store(tmp_path / "s") as store:
        store.plan(CELL, [("k0", REQUEST)])
        store.plan(other, [("k1", changed)])
        assert [r.item.question for _, r, _ in store.read(CELL)] == [ITEM.question]
        assert [r.item.question for _, r, _ in store.read(other)] == ["换了"]


def test_thoughts_likelihoods_and_costs_are_kept(tmp_path: Path) -> None:
    scored = Response("", "labels", 5, likelihoods=(Likelihood(-0.5, 1), Likelihood(-2.25, 3, -4.0)))
    with Store(tmp_path / "s") as store:
        store.plan(CELL, [("k0", REQUEST), ("k1", REQUEST), ("k2", REQUEST)])
        store.put([("k0", Response("好", "stop", 5, 2, reasoning="想\ud800", cost=0.25)), ("k1", scored)])
        store.put([("k2", Response("", "error", error="timed out", cost=0.5))])
        store.put([("k2", Response("", "error", error="timed out", cost=0.5))])
        kept = {k: r for k, _, r in store.read(CELL)}
        assert kept["k0"] is not None and (kept["k0"].text, kept["k0"].reasoning) == ("好", "想\\ud800")
        assert kept["k1"] == scored
        assert store.spent() == 1.25


def test_a_store_of_another_version_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "s") as old:
        old.execute("CREATE TABLE cells (model TEXT)")
    with pytest.raises(ConfigError, match="another version of evalsuite; start a new run with another --out"):
        Store(tmp_path / "s")


def test_scoring_tells_requests_apart() -> None:
    labels = replace(REQUEST, scoring="labels")
    other = replace(labels, item=replace(ITEM, labels=("(1)", "(2)")))
    names = {key("m", r, False, {}) for r in (REQUEST, labels, replace(REQUEST, scoring="texts"), other)}
    assert len(names) == 4
