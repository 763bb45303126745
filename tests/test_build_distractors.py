"""Adversarial filtering: it takes from a discriminator what it goes by, keeps right phrases out, and is deterministic."""

from __future__ import annotations

import json
import random
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from run_files import read_jsonl

from evalsuite.authoring import read_annotations, write_task_files
from evalsuite.authoring.classifier import ConditionalLogit
from evalsuite.authoring.distractors import (
    FillingQuestion,
    filter_distractors,
    make_distractors,
    make_questions,
    ngram_features,
)
from evalsuite.authoring.task_files import Annotation, annotated_distractors
from evalsuite.common.errors import ConfigError
from evalsuite.common.resources import bundled


def _questions_with_trait(n: int = 60) -> list[FillingQuestion]:
    """Questions whose wrong options all end in 吗, which gives the right one away; half of the candidates do not."""
    rng = random.Random("planted")

    def word() -> str:
        return "".join(rng.sample("天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏", 4))

    return [
        FillingQuestion(k % 6, "A: [MASK]。", word(), (word() + "吗", word() + "吗"), tuple(word() + "吗" * (i % 2) for i in range(10)))
        for k in range(n)
    ]  # fmt: skip


def test_a_trait_of_style_is_filtered_out() -> None:
    planted = _questions_with_trait()
    found = filter_distractors(planted, ngram_features)
    assert found.accuracy[0] > 0.9, "the trait gives the right phrase away"
    assert min(found.accuracy) < 0.5 and found.converged
    assert found.accuracy[found.kept] == min(found.accuracy)
    before = sum(w.endswith("吗") for q in planted for w in q.wrong)
    assert sum(w.endswith("吗") for wrong in found.wrong for w in wrong) < 0.75 * before
    for question, wrong in zip(planted, found.wrong, strict=True):
        assert len({question.right, *wrong}) == 3
        assert {*wrong} <= {*question.wrong, *question.candidates}
    assert sum(found.replaced) >= sum(
        w not in q.wrong for q, row in zip(planted, found.wrong, strict=True) for w in row
    )
    assert len(found.accuracy) == len(found.loss) == len(found.replaced)


def test_filtering_is_seeded_and_deterministic() -> None:
    planted = _questions_with_trait(30)
    once = filter_distractors(planted, ngram_features, "1")
    assert filter_distractors(planted, ngram_features, "1") == once
    assert filter_distractors(planted, ngram_features, "2").accuracy != once.accuracy, "folds are drawn by the seed"


def test_nothing_to_learn_changes_nothing() -> None:
    blind = filter_distractors(_questions_with_trait(30), lambda texts: np.zeros((len(texts), 1)))
    assert blind.accuracy == (pytest.approx(1 / 3, abs=1e-6),) and blind.replaced == (0,) and blind.converged
    assert list(blind.wrong) == [q.wrong for q in _questions_with_trait(30)]


def test_heads_have_not_seen_what_they_score() -> None:
    """Features that name each text: a head knows only what it was fitted on, so that held-out accuracy is chance."""

    def names(texts: object) -> np.ndarray:  # type: ignore[type-arg]
        return np.eye(len(list(texts)))  # type: ignore[call-overload]

    assert filter_distractors(_questions_with_trait(30), names).accuracy == (pytest.approx(1 / 3, abs=1e-6),)


def test_one_group_is_refused() -> None:
    with pytest.raises(ConfigError, match="two dialogues or more"):
        filter_distractors([FillingQuestion(0, "[MASK]", "a", ("b",), ())], ngram_features)


@pytest.mark.slow
def test_candidates_come_from_elsewhere_and_are_not_the_right_phrase() -> None:
    annotations = [a for a in read_annotations(bundled("sample") / "annotations.jsonl") if a.set == "easy"]
    made = make_questions(annotations)
    group_of = {a.dialogue_id: q.group for a, q in zip(annotations, made, strict=True)}
    for a, q in zip(annotations, made, strict=True):
        assert q.text.replace("[MASK]", a.phrase) in a.dialogue and q.right == a.phrase and q.wrong == a.conflicts
        assert 2 <= len(q.candidates) <= 30
        for candidate in q.candidates:
            assert candidate not in "".join(a.dialogue) and a.phrase not in candidate
            sources = [o for o in annotations if candidate in (o.phrase, *o.conflicts)]
            assert any(o.dialogue_id != a.dialogue_id and group_of[o.dialogue_id] == q.group for o in sources)


@pytest.mark.parametrize(
    ("kind", "discriminator", "message"),
    [("adverserial", "ngrams", "adversarial"), ("adversarial", "tiny-hz", "tiny-zh"), ("adversarial", "random", "backend")],
)  # fmt: skip
def test_wrong_names_are_refused(kind: str, discriminator: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_distractors(kind, discriminator, "bundled:models.yaml")


def test_annotated_distractors_give_the_bundled_files(tmp_path: Path) -> None:
    assert make_distractors("annotated", "ngrams", "bundled:models.yaml") is None
    write_task_files(read_annotations(bundled("sample") / "annotations.jsonl"), tmp_path)
    name = "data/easy/multiple_choice/test/Commonsense_Knowledge_Filling.jsonl"
    assert (tmp_path / name).read_bytes() == (bundled("sample") / name).read_bytes()


@pytest.mark.thorough
def test_a_build_with_the_embedded_model(tmp_path: Path) -> None:
    annotations = [a for a in read_annotations(bundled("sample") / "annotations.jsonl") if a.set == "hard"]
    choose = make_distractors("adversarial", "tiny-zh", "bundled:models.yaml")
    assert choose is not None

    def of_test_only(annotations: Sequence[Annotation], purpose: str) -> Sequence[Sequence[str]]:
        """Filter the test split only: the model would take long over the others."""
        return choose(annotations, purpose) if purpose == "0:hard:test" else annotated_distractors(annotations, purpose)

    write_task_files(annotations, tmp_path, distractors=of_test_only)
    went = choose.results["0:hard:test"]
    assert went.accuracy[0] > went.chance and min(went.accuracy) < went.accuracy[0]
    filling = "hard/multiple_choice/test/Commonsense_Knowledge_Filling.jsonl"
    rows, before = (read_jsonl(folder / "data" / filling) for folder in (tmp_path, bundled("sample")))
    assert [r["answer"] for r in rows] == [r["answer"] for r in before], "the right option and its place stay"
    assert sum(r != b for r, b in zip(rows, before, strict=True)) == sum(
        {*w} != {b[label] for label in ("(a)", "(b)", "(c)")} - {b["answer"][1]}
        for w, b in zip(went.wrong, before, strict=True)
    )
    detection = "data/hard/span_extraction/test/Commonsense_Conflict_Phrase_Detection.jsonl"
    assert (tmp_path / detection).read_bytes() == (bundled("sample") / detection).read_bytes()
    written = choose.write(tmp_path)
    assert json.loads(written[0].read_text())["filtered"]["0:hard:test"]["accuracy"] == list(went.accuracy)
    circles = [e for e in ET.fromstring(written[-1].read_text()).iter() if e.tag.endswith("circle")]
    assert len(circles) == len(choose.results[list(choose.results)[-1]].accuracy)


def test_two_options_are_logistic_regression_on_their_difference() -> None:
    linear = pytest.importorskip("sklearn.linear_model", reason="needs evalsuite[dev]")
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 80, 5))
    gold = (rng.random(80) < 1 / (1 + np.exp((first - second) @ [1, -2, 0, 0.5, 0]))).astype(int)
    rows = np.stack([first, second], axis=1).reshape(160, 5)
    ours = ConditionalLogit.fit(rows, [2] * 80, gold.tolist(), penalty=0.5)
    theirs = linear.LogisticRegression(C=2, fit_intercept=False, tol=1e-10).fit(second - first, gold)
    assert ours.weights == pytest.approx(theirs.coef_[0], abs=1e-4)
    assert ours.chances(rows, [2] * 80)[1::2] == pytest.approx(theirs.predict_proba(second - first)[:, 1], abs=1e-4)
