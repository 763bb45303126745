"""The store: keys, all-or-none groups, failures that are asked again, plans that are read back as they were."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from dataclasses import asdict, fields, replace
from pathlib import Path

import pytest

from evalsuite.backends.checkpoint import texts_response
from evalsuite.common.errors import ConfigError
from evalsuite.results.store import Store, _item_fields, _pack, _unpack, find_store, open_store, request_key
from evalsuite.types import Cell, Item, Likelihood, Message, Place, Request, Response, Trial

ITEM = Item(
    "i/0", "event_cause", "easy", "test", ("A: 你好\u200b。", "B:"), "事件“x笑”的原因是什么？", references=("x高兴",)
)
REQUEST = Request("i/0", "提示", (Message("user", "提示"),), 96)
CHOICE = replace(REQUEST, labels=("(a)", "(b)"), options=("x", "y"))
PROBE = replace(REQUEST, scoring="nll", pairs=(("甲", "乙"), ("甲", "丙")))
HELD = replace(REQUEST, scoring="constrained", pattern="[^。]+。")
TRIAL = Trial(ITEM, REQUEST, "paper")
CELL = Cell(Place("m", "event_cause", "easy", "test", "paper", 0), {"seed": 0})


@pytest.mark.parametrize(
    "other",
    [
        request_key("n", REQUEST, False, {}),
        request_key("m", REQUEST, True, {}),
        request_key("m", REQUEST, False, {"stop": ["\n"]}),
        request_key("m", replace(REQUEST, prompt="提示 "), False, {}),
        request_key("m", replace(REQUEST, max_new_tokens=97), False, {}),
    ],
    ids=["model", "form", "settings", "prompt", "length"],
)
def test_a_key_changes_with_all_that_changes_a_reply(other: str) -> None:
    assert request_key("m", REQUEST, False, {}) != other


def test_a_key_does_not_change_with_what_does_not() -> None:
    """An exact duplicate of an item is the same question."""
    twin = replace(REQUEST, id="i/1", batch=("another", "cell"), labels=("(a)",), options=("x",))
    assert request_key("m", REQUEST, False, {}) == request_key("m", twin, False, {})


@pytest.mark.parametrize(
    ("request_", "chat", "settings", "want"),
    [
        (REQUEST, False, {}, "1b3a67805ea3bfa701dfe8d853fd171abc02b63343ac5dd8b2e14b929fe2dfe6"),
        (REQUEST, True, {"stop": []}, "c9085ee00384ca853fef4a267593dc4bcda8525f685c22e87d4097484fbd36f0"),
        (CHOICE, False, {}, "1b3a67805ea3bfa701dfe8d853fd171abc02b63343ac5dd8b2e14b929fe2dfe6"),
        (replace(CHOICE, scoring="labels"), False, {}, "32d21e31587f1bb24eb096845b23a3ef306442e104ec7eec7ade0bfbfa3fc1e3"),
        (replace(CHOICE, scoring="texts"), False, {}, "59c64f0f83817a575e8a34c1b32a663024bcaa6c96023e401bf0db468062d480"),
        (replace(CHOICE, scoring="constrained"), False, {}, "4eced15c2d1bf4eb130fccb5932f1992b5485312ab795b216fb5357cc006b119"),
        (HELD, False, {}, "0663d186e453c2a2470eecb0fb59f56324bcba38fd6e287401e2e68f285471b4"),
        (replace(CHOICE, scoring="nll", pairs=PROBE.pairs), False, {}, "1ca0525f3aba0c81dcc9c4dbe39e09643c92d6a85b8dd9f148716d3ca05b6f46"),
    ],
    ids=["generate", "chat", "choice", "labels", "texts", "constrained", "pattern", "probe"],
)  # fmt: skip
def test_keys_are_those_of_earlier_versions(
    request_: Request, chat: bool, settings: dict[str, object], want: str
) -> None:
    """The keys were computed by a version whose requests held their items: runs that it began can be continued."""
    assert request_key("m", request_, chat, settings) == want


def test_pairs_and_patterns_tell_requests_apart_and_are_read_back(tmp_path: Path) -> None:
    requests = [
        REQUEST, PROBE, replace(PROBE, pairs=PROBE.pairs[::-1]), replace(PROBE, pairs=(("甲乙", ""), ("甲", "丙"))), HELD,
        replace(HELD, pattern="是|否"), replace(HELD, pattern=""),
    ]  # fmt: skip
    asked = [Trial(ITEM, r, "paper") for r in requests]
    keys = [request_key("m", r, False, {}) for r in requests]
    assert len(set(keys)) == len(keys)
    scored = Response("", "nll", 5, likelihoods=(Likelihood(-0.5, 1), Likelihood(-2.25, 3)))
    with Store(tmp_path / "s") as store:
        store.plan(CELL, list(zip(keys, asked, strict=True)))
        store.put([(keys[1], scored)])
    with Store(tmp_path / "s") as store:
        read = list(store.read(CELL))
    assert [t for _, t, _ in read] == asked and all(hash(t.request.pairs) is not None for _, t, _ in read)
    assert [r for _, _, r in read] == [None, scored, *[None] * 5]


# A row as version 3 writes it; earlier ones had no answer_after, then no sample, then neither pairs nor a pattern.
OLD = {
    "variant": "paper", "prompt": "提示", "messages": [{"role": "user", "content": "提示"}], "shots": [], "asked_shots": 0,
    "max_new_tokens": 96, "scoring": "generate", "perturb": "none", "rotation": 0, "pairs": [], "pattern": "",
    "answer_after": "", "sample": 0,
}  # fmt: skip


@pytest.mark.parametrize(
    "left_out",
    [
        (),
        ("answer_after",),
        ("answer_after", "sample"),
        ("answer_after", "sample", "pairs", "pattern"),
        ("answer_after", "sample", "pairs", "pattern", "scoring", "perturb", "rotation"),
    ],
)
def test_plans_of_earlier_versions_are_read(tmp_path: Path, left_out: tuple[str, ...]) -> None:
    with Store(tmp_path / "s") as store:
        store.plan(CELL, [("k", TRIAL)])
        (packed,) = store._db.execute("SELECT request FROM requests").fetchone()
        assert _unpack(packed) == OLD
        row = {name: value for name, value in OLD.items() if name not in left_out}
        store._db.execute("UPDATE requests SET request = ?", (_pack(row),))
        assert [t for _, t, _ in store.read(CELL)] == [TRIAL]


def test_what_is_planned_is_read_back(tmp_path: Path) -> None:
    turns = replace(CHOICE, messages=(Message("user", "甲"), Message("assistant", "乙")), scoring="labels")
    item = replace(ITEM, labels=CHOICE.labels, options=CHOICE.options, gold=0)
    shot = Trial(item, turns, "plain", ("i/9",), 3, "circular", 1)
    assert shot.request.batch == ("event_cause", "easy", "test", "plain", 3, "labels", "circular", 0)
    with Store(tmp_path / "s") as store:
        store.plan(CELL, [("k0", TRIAL), ("k1", shot)])
        store.put([("k0", Response("好", "stop", 5, 2))])
    with Store(tmp_path / "s") as store:
        assert store.cells() == [CELL]
        assert list(store.read(CELL)) == [("k0", TRIAL, Response("好", "stop", 5, 2)), ("k1", shot, None)]
        store.plan(CELL, [("k1", shot)])
        assert [k for k, _, _ in store.read(CELL)] == ["k1"]
        assert store.done(["k0", "k1"]) == {"k0"}


def test_a_failure_is_no_reply_and_is_asked_again(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        store.plan(CELL, [("k", TRIAL)])
        store.put([("k", Response("", "error", error="half a character: \ud83d"))])
        assert store.done(["k"]) == set()
        store.put([("k", Response("", "error", error="out of memory"))])
        ((_, _, response),) = store.read(CELL)
        assert response == Response("", "error", error="out of memory")
        store.put([("k", Response("", "stop"))])  # an empty reply is a reply
        ((_, _, response),) = store.read(CELL)
        assert response == Response("", "stop")
        assert store.done(["k"]) == {"k"}


def test_ctrl_c_between_begin_and_its_block(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        store.put([("k0", Response("好", "stop"))])
        store._db.execute("BEGIN IMMEDIATE")  # the interrupt comes here; then what had arrived is stored
        store.put([("k1", Response("好", "stop"))])
        assert store.done(["k0", "k1"]) == {"k0", "k1"}
    with Store(tmp_path / "s") as store:
        assert store.done(["k0", "k1"]) == {"k0", "k1"}


def test_a_group_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    def failing_group():  # type: ignore[no-untyped-def]
        yield "k0", Response("好", "stop")
        raise RuntimeError

    with Store(tmp_path / "s") as store:
        with pytest.raises(RuntimeError):
            store.put(failing_group())
        assert store.done(["k0"]) == set()


def test_the_same_id_with_other_content_is_another_item(tmp_path: Path) -> None:
    """A run folder may see two versions of a data file; the cells of the first keep what they asked."""
    other = replace(CELL, place=replace(CELL.place, model="n"))
    changed = replace(TRIAL, item=replace(ITEM, question="换了"))
    with Store(tmp_path / "s") as store:
        store.plan(CELL, [("k0", TRIAL)])
        store.plan(other, [("k1", changed)])
        assert [t.item.question for _, t, _ in store.read(CELL)] == [ITEM.question]
        assert [t.item.question for _, t, _ in store.read(other)] == ["换了"]


def test_thoughts_likelihoods_and_costs_are_kept(tmp_path: Path) -> None:
    scored = Response("", "labels", 5, likelihoods=(Likelihood(-0.5, 1), Likelihood(-2.25, 3, -4.0)))
    with Store(tmp_path / "s") as store:
        store.plan(CELL, [("k0", TRIAL), ("k1", TRIAL), ("k2", TRIAL)])
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
    other = replace(labels, labels=("(1)", "(2)"))
    names = {request_key("m", r, False, {}) for r in (REQUEST, labels, replace(REQUEST, scoring="texts"), other)}
    assert len(names) == 4


def test_a_key_does_not_depend_on_the_order_of_settings() -> None:
    one, other = {"stop": ["。"], "seed": 1}, {"seed": 1, "stop": ["。"]}
    assert request_key("m", REQUEST, False, one) == request_key("m", REQUEST, False, other)


def test_the_version_is_that_of_runs_begun_before(tmp_path: Path) -> None:
    with Store(tmp_path / "s"):
        pass
    with sqlite3.connect(tmp_path / "s") as db:
        assert db.execute("PRAGMA user_version").fetchone() == (3,)


def test_a_reply_or_its_failure_is_found_by_its_key(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        said = Response("好", "stop", 5, 2, reasoning="想")
        store.put([("k0", said), ("k1", Response("", "error", error="timed out"))])
        assert store.response("k0") == said
        assert store.response("k1") == Response("", "error", error="timed out")
        assert store.response("k2") is None


def test_judgings_are_read_back_by_place(tmp_path: Path) -> None:
    rows = [{"item": "i/1", "key": "k1"}, {"item": "i/0", "key": "k0"}]
    with Store(tmp_path / "s") as store:
        store.plan_judging({"judge": "z"}, {"seed": 0}, rows)
        store.plan_judging({"judge": "a"}, {"seed": 1}, rows[:1])
    with Store(tmp_path / "s") as store:
        assert store.questions("judge") == [
            ({"judge": "a"}, {"seed": 1}, rows[:1]),
            ({"judge": "z"}, {"seed": 0}, rows),
        ]
        store.plan_judging({"judge": "z"}, {"seed": 2}, rows[1:])  # planned again: replaced, not added
        assert store.questions("judge")[1] == ({"judge": "z"}, {"seed": 2}, rows[1:])


def test_a_folder_without_a_run_is_named(tmp_path: Path) -> None:
    for find in (find_store, open_store):
        with pytest.raises(ConfigError, match="no run here"):
            find(tmp_path)
    assert not list(tmp_path.iterdir())  # a look writes no file
    with Store(tmp_path / "store.sqlite") as store:
        store.plan(CELL, [("k", TRIAL)])
    assert find_store(tmp_path) == tmp_path / "store.sqlite"
    with open_store(tmp_path) as store:
        assert store.cells() == [CELL]


def _store_replies(path: Path) -> None:
    with Store(path) as store:
        store.plan(CELL, [("k", TRIAL), ("l", TRIAL)])
        store.put(
            [("k", Response("x高兴", "stop", 7, 3, reasoning="想", thinking_tokens=2)), ("l", Response("y", "stop"))]
        )


@pytest.mark.parametrize("change", ["text = 'x高興'", "text = CAST(x'78FF' AS TEXT)", "finish = 'length'", "new_tokens = 4",
                                    "reasoning = NULL", "key = 'z'"])  # fmt: skip
def test_a_changed_byte_of_a_reply_is_a_failure_that_is_asked_again(tmp_path: Path, change: str) -> None:
    path = tmp_path / "s"
    _store_replies(path)
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE replies SET {change} WHERE key = 'k'")
    with Store(path) as store:
        assert store.done("kl") == {"l"}
        read = [response for _, _, response in store.read(CELL)]
        if not change.startswith("key"):  # under another key it is no reply to the question
            assert read[0] and read[0].error and "digest" in read[0].error and store.damaged == 1
        again = Response("x高兴", "stop", 7, 3)
        store.put([("k", again)])
        assert store.response("k") == again and store.done("kl") == {"k", "l"} and store.damaged == 0


@pytest.mark.parametrize("change", ["cells SET place = replace(place, '\"m\"', '\"n\"')", "cells SET facts = '{\"seed\": 1}'",
                                    "requests SET key = 'l'", "cells SET place = '{\"x\": 1}'"])  # fmt: skip
def test_a_changed_byte_of_a_plan_is_an_error(tmp_path: Path, change: str) -> None:
    path = tmp_path / "s"
    _store_replies(path)
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE {change}")
    with Store(path) as store, pytest.raises(sqlite3.DatabaseError, match="digest"):
        store.cells()
    with Store(path) as store:  # as an older version left it
        store._db.execute("DELETE FROM digests")
        if "x" in change.partition("place")[2][:12]:
            with pytest.raises(sqlite3.DatabaseError, match="place of a cell"):
                store.cells()
        else:
            assert len(store.cells()) == 1


def test_replies_of_earlier_versions_have_no_digest(tmp_path: Path) -> None:
    path = tmp_path / "s"
    _store_replies(path)
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE digests")
    with Store(path) as store:
        store.put([("k", Response("other", "stop"))])  # the first one stays, and its digest is not that of the second
        assert store.done("kl") == {"k", "l"} and store.cells() == [CELL]
        assert (found := store.response("k")) and (found.text, found.thinking_tokens) == ("x高兴", 2)


def test_an_option_without_tokens_that_an_earlier_version_stored_is_a_failure(tmp_path: Path) -> None:
    """Its score by token would divide by 0. The same of a text to test for contamination is none: it has no options."""
    scored = Response("", "texts", 5, likelihoods=(Likelihood(-0.5, 1, -1.0), Likelihood(0.0, 0, 0.0)))
    of_text = Response("", "nll", 0, likelihoods=(Likelihood(0.0, 0), Likelihood(0.0, 0)))
    failed = texts_response([[-0.5], []], [-1.0, 0.0], 5)
    with Store(tmp_path / "s") as store:
        store.plan(CELL, [("k", TRIAL)])
        store.put([("k", scored), ("l", of_text)])
    with Store(tmp_path / "s") as store:
        assert store.response("k") == failed and store.done("kl") == {"l"} and store.response("l") == of_text
        store.put([("k", failed)])
        assert [response for _, _, response in store.read(CELL)] == [failed]


def test_a_store_in_a_read_only_folder_is_read() -> None:
    """A store of an earlier version lacks a table. The folder stays as it is."""
    with tempfile.TemporaryDirectory() as name:  # pytest's own is closed to others
        path = Path(name, "s")
        _store_replies(path)
        with sqlite3.connect(path) as db:
            db.execute("DROP TABLE digests")
        db.close()
        was = path.read_bytes()
        path.chmod(0o444)
        path.parent.chmod(0o555)
        user = os.geteuid()
        try:
            os.seteuid(user or 65534)  # root may write anywhere
            with Store(path) as store:
                assert store.cells() == [CELL] and store.done("klm") == {"k", "l"}
        finally:
            os.seteuid(user)
            path.parent.chmod(0o755)
        assert [*path.parent.iterdir()] == [path] and path.read_bytes() == was


def test_a_schema_that_is_no_text_is_a_broken_store(tmp_path: Path) -> None:
    path = tmp_path / "s"
    _store_replies(path)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"CREATE TABLE judged", b"CREATE T\xffBLE judged"))
    with pytest.raises(ConfigError, match="cannot be opened as a store"):
        Store(path)


def test_all_fields_of_an_item_are_stored_in_their_order() -> None:
    """The digest of an item depends on this order."""
    item = Item(
        "i",
        "t",
        "easy",
        "test",
        ("A: 一",),
        "问？",
        ("甲", "乙"),
        ("(a)", "(b)"),
        0,
        ("甲",),
        "g",
        ("(",),
        ("f",),
        (3,),
    )
    assert all(getattr(item, field.name) != field.default for field in fields(Item))
    assert list(_item_fields(item).items()) == list(asdict(item).items())
    assert [*_item_fields(replace(item, votes=()))] == [field.name for field in fields(Item) if field.name != "votes"]
