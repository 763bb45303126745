"""The store: keys, all-or-none groups, failures that are asked again, plans that are read back as they were."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evalsuite.store import Cell, Store, key
from evalsuite.types import Item, Message, Request, Response

ITEM = Item(
    "i/0", "event_cause", "easy", "test", ("A: 你好\u200b。", "B:"), "事件“x笑”的原因是什么？", references=("x高兴",)
)
REQUEST = Request(ITEM, "paper", "提示", (Message("user", "提示"),), (), 0, 96)
CELL = Cell("m", "event_cause", "easy", "test", "paper", 0, "generate", {"seed": 0})


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
    other = replace(CELL, model="n")
    changed = replace(REQUEST, item=replace(ITEM, question="换了"))
    with Store(tmp_path / "s") as store:
        store.plan(CELL, [("k0", REQUEST)])
        store.plan(other, [("k1", changed)])
        assert [r.item.question for _, r, _ in store.read(CELL)] == [ITEM.question]
        assert [r.item.question for _, r, _ in store.read(other)] == ["换了"]
