"""False triplets: how they are made, and that none of them is true."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from tiers import thorough_but

from evalsuite.benchmarks.cider import BENCHMARK
from evalsuite.benchmarks.cider.dnli import STRATEGIES, Triplet, negatives
from evalsuite.benchmarks.cider.loader import CiderCorpus
from evalsuite.benchmarks.cider.relations import RELATIONS, official_triplet
from evalsuite.benchmarks.cider.tasks import FOLDS, SPLITS, TASKS_CIDER
from evalsuite.common.resources import bundled

# Paper, section 3.3, under the official files' names.
SYMMETRIC = {"antonym", "distinct from", "similar to", "synonym", "located near", "happens simultaneously"}

LATE = Triplet("missed the bus", "causes", "late", 0)
WALLET = Triplet("lost my wallet", "causes", "missed the bus", 1)
NEAR = Triplet("station", "located near", "bus", 2)
VALID = (LATE, WALLET, NEAR)


def test_symmetric_relations_are_those_of_the_paper() -> None:
    assert {name for name, relation in RELATIONS.items() if relation.symmetric} == SYMMETRIC


def test_each_strategy_does_what_it_says() -> None:
    spans = {span for t in VALID for span in (t.head, t.tail)}
    seen: Counter[str] = Counter()
    for seed in range(300):
        for name, make in STRATEGIES.items():
            made = make(LATE, VALID, Random(f"{seed}:{name}"))
            if made is None:
                continue
            changed = (made.head != LATE.head) + (made.tail != LATE.tail), made.relation != LATE.relation
            seen[f"{name} {changed}"] += 1
            assert {made.head, made.tail} <= spans and made.origin == LATE.origin
            if name == "reverse":
                assert made == Triplet(LATE.tail, "causes", LATE.head)
            elif name == "relation":
                assert changed == (0, True)
            elif name == "span":
                assert changed == (1, False)
            else:  # two or three changes at once
                assert changed in ((0, True), (1, True), (2, True), (2, False))
                assert changed != (0, True) or made.relation in SYMMETRIC  # turned only by its own relation's leave
    assert len(seen) >= 6  # every kind of change was seen


def test_symmetric_relations_are_not_turned_around() -> None:
    for seed in range(300):
        assert STRATEGIES["reverse"](NEAR, VALID, Random(seed)) is None
        made = STRATEGIES["combination"](NEAR, VALID, Random(seed))
        # The relation or a span may have changed, but neither span of the triplet went to the other side.
        assert made is None or (made.head != NEAR.tail and made.tail != NEAR.head)
        made = STRATEGIES["combination"](LATE, VALID, Random(seed))
        if made and made.relation in SYMMETRIC:
            assert made.head != LATE.tail and made.tail != LATE.head


NOT_MADE = [  # a triplet, what is true beside it, what must never be made of it
    (LATE, (LATE, Triplet("Late", "causes", "missed  the bus")), Triplet("late", "causes", "missed the bus")),
    (LATE, (LATE, Triplet("late", "similar to", "missed the bus")), Triplet("missed the bus", "similar to", "late")),
    (LATE, (LATE, Triplet("LATE", "implies", "no bus")), Triplet("late", "causes", "late")),
]


@pytest.mark.parametrize(("true", "valid", "never"), NOT_MADE)
def test_what_is_true_is_never_made(true: Triplet, valid: tuple[Triplet, ...], never: Triplet) -> None:
    for seed in range(200):
        made = {triplet.meaning for _, triplet in negatives(true, valid, 8, Random(seed))}
        assert len(made) == 8 and never.meaning not in made


def test_strategies_take_turns_and_leave_their_place() -> None:
    counts = Counter(name for name, _ in negatives(LATE, VALID, 8, Random(0)))
    assert counts["reverse"] == 1 and set(counts) == set(STRATEGIES) and max(counts.values()) <= 3
    alone = negatives(NEAR, (NEAR,), 8, Random(0))  # no other span, not to be turned around: other relations are left
    assert {name for name, _ in alone} == {"relation"} and len(alone) == 8
    assert len(negatives(NEAR, (NEAR,), 99, Random(0))) == len(RELATIONS) - 1


def test_the_draw_hangs_on_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = []
    for seed in (0, 0, 1):
        monkeypatch.setattr("evalsuite.benchmarks.cider.loader.SEED", seed)
        sets.append(CiderCorpus(BENCHMARK, bundled("sample/cider")).file(TASKS_CIDER["dnli"], "fold1", "test"))
    assert sets[0] == sets[1] and sets[0].items != sets[2].items and sets[0].sha256 != sets[2].sha256
    assert [i for i in sets[0].items if i.gold == 0] == [i for i in sets[2].items if i.gold == 0]


@pytest.mark.slow
@pytest.mark.parametrize("where", thorough_but(1, ["sample", "real"]))
def test_no_false_triplet_of_a_fold_is_true(where: str, request: pytest.FixtureRequest) -> None:
    """Checked against the annotations as they are, not against what the loader makes of them."""
    root = bundled("sample/cider") if where == "sample" else Path(request.getfixturevalue("real_data")) / "cider"
    if not root.is_dir():
        pytest.skip("needs cider/, the official files, in EVALSUITE_DATA")
    rows = json.loads((root / "data" / "cider_main.json").read_text(encoding="utf-8"))
    true: dict[str, set[tuple[str, str, str]]] = {}
    spans: dict[str, set[str]] = {}
    for row in rows:
        known = [t for x in row["triplets"] if (t := official_triplet(x["head"], x["relation"], x["tail"]))]
        turned = [(t, r, h) for h, r, t in known if r in SYMMETRIC]
        true[row["id"]] = {*known, *turned}
        spans[row["id"]] = {span for h, _, t in known for span in (h, t)}
    corpus = CiderCorpus(BENCHMARK, root)
    for split in SPLITS:
        for fold in FOLDS:
            made: set[tuple[str, str]] = set()
            for item in corpus.file(TASKS_CIDER["dnli"], fold, split).items:
                dialogue = item.id.split("/")[-1].partition("-triplet-")[0]
                head, relation, tail = item.question.split("\t")
                assert ((head, relation, tail) in true[dialogue]) == (item.gold == 0)
                assert {head, tail} <= spans[dialogue] and relation in RELATIONS and (head != tail or item.gold == 0)
                assert (dialogue, item.question) not in made
                made.add((dialogue, item.question))
