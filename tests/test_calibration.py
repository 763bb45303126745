"""Calibration of option probabilities: figures beside scikit-learn and plain numpy, and coverage of intervals by simulation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from as_json import NoSource, a_cell, a_run, scored_cell, sheets_of

import evalsuite
from evalsuite.analyses import calibration
from evalsuite.analyses.journey import ReadReplies
from evalsuite.benchmarks.registry import TASKS, Corpora
from evalsuite.common.resources import bundled
from evalsuite.common.sheet import Value
from evalsuite.metrics.calibration import BINS, Sums, bin_of, selective, softmax
from evalsuite.metrics.calibration import calibration as errors
from evalsuite.parse.confidence import statements
from evalsuite.prompt import Prompt
from evalsuite.results.outcomes import outcomes_of
from evalsuite.results.scoring import read_answer, score_answer
from evalsuite.types import Cell, Item, Likelihood, Request, Response, Trial

TASK = "knowledge_filling"


class Replies(NoSource):
    """A source with replies to one cell."""

    def __init__(self, replies: list[tuple[Trial, Response]]) -> None:
        self.replies = replies

    def read(self, cell: Cell) -> Iterator[Any]:
        return ((str(n), *reply) for n, reply in enumerate(self.replies))


def row(
    logprobs: np.ndarray, golds: np.ndarray, dialogues: np.ndarray, scoring: str = "labels", tokens: int = 1
) -> calibration.Calibration:
    """The row of a cell with these (N, K) log-probabilities, read and scored as in a run."""
    replies = []
    for n, (values, gold, dialogue) in enumerate(zip(logprobs, golds, dialogues, strict=True)):
        options = tuple(f"选项{k}" for k in range(len(values)))
        labels = tuple("(abcdefg"[0] + "abcdefg"[k] + ")" for k in range(len(values)))
        name = f"corecode/easy/test/{TASK}/{n}"
        item = Item(
            name, TASK, "easy", "test", (f"A: {dialogue}。",), "哪个？", options, labels, int(gold), (options[gold],)
        )
        trial = Trial(item, Request(name, "", (), 8, scoring, labels, options), "paper")
        replies.append((trial, Response("", scoring, likelihoods=tuple(Likelihood(float(x), tokens) for x in values))))
    result = a_cell(scoring=scoring)
    cell = Cell(result.place, result.facts.written())
    read = [(t, r, a := read_answer(t.item, r), score_answer(t.item, a, r)) for t, r in replies]
    own = scored_cell(result, outcomes_of(cell, read))
    run = replace(a_run(own), replies=ReadReplies(Replies(replies), {result.place: own}))  # type: ignore[arg-type]
    (found,) = run.of(calibration.ANALYSIS) or []
    return found


@pytest.fixture(scope="module")
def logprobs_and_golds() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    logprobs = rng.normal(0, 1.5, (240, 3))
    # gold is drawn by flatter probabilities: the model is too sure
    p = np.exp(0.5 * logprobs) / np.exp(0.5 * logprobs).sum(axis=1, keepdims=True)
    golds = np.array([rng.choice(3, p=own) for own in p])
    return logprobs, golds, np.arange(240) // 4


def test_figures_are_those_of_scikit_learn(logprobs_and_golds: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    from scipy.special import softmax as theirs
    from sklearn.calibration import calibration_curve
    from sklearn.metrics import brier_score_loss

    logprobs, golds, _ = logprobs_and_golds
    p = theirs(logprobs, axis=1)
    confidence, right = p.max(axis=1), (p.argmax(axis=1) == golds).astype(float)
    found = row(*logprobs_and_golds)
    assert found.brier.value == pytest.approx(brier_score_loss(golds, p, labels=[0, 1, 2], scale_by_half=False))
    shares, means = calibration_curve(right, confidence, n_bins=BINS, strategy="uniform")
    assert [b.confidence for b in found.bins] == pytest.approx(means.tolist())
    assert [b.accuracy.value for b in found.bins] == pytest.approx(shares.tolist())
    counts = np.array([b.n for b in found.bins])
    assert found.ece.value == pytest.approx((counts * np.abs(shares - means)).sum() / 240)
    assert (found.items, found.dialogues, found.brier_uniform) == (240, 60, pytest.approx(2 / 3))
    assert found.ece.low < found.ece.value < found.ece.high and found.brier.low < found.brier.value < found.brier.high


def test_the_surest_items_alone(logprobs_and_golds: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    logprobs, golds, _ = logprobs_and_golds
    p = np.exp(logprobs) / np.exp(logprobs).sum(axis=1, keepdims=True)
    order = np.argsort(-p.max(axis=1))
    right = (p.argmax(axis=1) == golds)[order].astype(float)
    found = row(*logprobs_and_golds)
    for point in found.curve:
        count = round(point.coverage * 240)
        assert point.accuracy.value == pytest.approx(right[:count].mean())
    risks = [1 - right[: n + 1].mean() for n in range(240)]
    assert found.aurc == pytest.approx(np.mean(risks))
    assert [point.coverage for point in found.curve] == pytest.approx([n / 10 for n in range(1, 11)])


def test_items_of_equal_confidence_are_answered_together() -> None:
    found = selective(np.array([0.5, 0.9, 0.5, 0.5]), np.array([1.0, 1.0, 0.0, 0.0]))
    assert found == [(0.25, 1.0), (1.0, 0.5)]


def test_texts_are_compared_by_token() -> None:
    logprobs = np.array([[-4.0, -8.0], [-6.0, -2.0]])
    found = row(logprobs, np.array([0, 0]), np.array([0, 1]), "texts", tokens=4)
    expected = 1 / (1 + np.exp(-1.0))  # the difference is 4 nats in 4 tokens
    assert found.by == "token" and found.confidence.value == pytest.approx(expected)
    assert found.accuracy.value == 0.5
    assert found.ece.value == pytest.approx(abs(expected - 0.5)) and found.ece.low is None  # two dialogues: no interval
    assert found.brier.low is not None and found.brier.low >= 0


def test_bins_and_extreme_probabilities() -> None:
    assert bin_of(np.array([0.0, 0.1, 0.35, 1.0])).tolist() == [0, 1, 3, 9]
    assert softmax([-1000, -1001]) == pytest.approx([1 / (1 + np.exp(-1)), 1 / (1 + np.exp(1))])
    assert softmax([float("-inf"), float("-inf")]).tolist() == [0.5, 0.5]
    assert softmax([float("-inf"), 0.0]).tolist() == [0, 1]


def test_sheets_and_diagrams_show_the_figures(logprobs_and_golds: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    found = row(*logprobs_and_golds)
    (sheet,) = sheets_of(calibration.ANALYSIS, [found.written()])
    sure, right = (f"{100 * (x.value or 0):.1f}" for x in (found.confidence, found.accuracy))
    assert sheet.finding and sheet.finding.en == f"Furthest apart: m is {sure} % sure and {right} % right (EASY CKF)."
    ece = sheet.rows[0].cells[5]
    assert isinstance(ece, Value) and ece.value == found.ece.value
    (diagram,) = calibration.diagrams(type("R", (), {"of": lambda self, a: [found]})())  # type: ignore[arg-type]
    assert len(diagram.rows) == len(found.bins) and sum(r.cells[3] for r in diagram.rows) == 240  # type: ignore[misc]


@pytest.mark.parametrize("over", [0.0, 0.2, 0.6])
def test_coverage_of_the_interval_of_ece(over: float) -> None:
    """Dialogues of one to four items, correlated; the truth from 200,000 dialogues."""

    def draw(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        dialogues = np.repeat(np.arange(count), rng.integers(1, 5, count))
        shared = rng.normal(0, 0.6, count)[dialogues]
        confidence = 0.34 + 0.64 / (1 + np.exp(-1.2 * (shared + rng.normal(0, 0.8, len(dialogues)))))
        return confidence, np.clip(confidence - over * (confidence - 0.3), 0, 1), dialogues

    confidence, p, _ = draw(np.random.default_rng(1), 200_000)
    truth = sum(abs((confidence - p)[bin_of(confidence) == b].sum()) for b in range(BINS)) / len(p)
    rng = np.random.default_rng(11)
    held, runs = 0, 100
    for _ in range(runs):
        confidence, p, dialogues = draw(rng, 60)
        sums = Sums.of(confidence, (rng.random(len(p)) < p).astype(float), np.zeros(len(p)))
        found = errors(sums, dialogues.tolist(), np.random.default_rng(rng.integers(1 << 30)))["ece"]
        held += found.low <= truth <= found.high
    assert held / runs >= 0.94


# --- stated confidence


def stated_row(replies: list[str], golds: list[int], dialogues: list[int]) -> calibration.Calibration | None:
    """The row of a cell with these replies to questions of three options, read and scored as in a run."""
    read = []
    options, labels = ("雨", "雪", "雾"), ("(a)", "(b)", "(c)")
    for n, (reply, gold, dialogue) in enumerate(zip(replies, golds, dialogues, strict=True)):
        name = f"corecode/easy/test/{TASK}/{n}"
        item = Item(
            name, TASK, "easy", "test", (f"A: {dialogue}。",), "哪个？", options, labels, gold, (options[gold],)
        )
        trial = Trial(item, Request(name, "", (), 64, "generate", labels, options), "confidence")
        response = Response(reply, "stop")
        answer = read_answer(item, response)
        read.append((trial, response, answer, score_answer(item, answer, response)))
    result = a_cell(variant="confidence")
    own = scored_cell(result, outcomes_of(Cell(result.place, result.facts.written()), read))
    (found,) = a_run(own).of(calibration.ANALYSIS) or [None]
    return found


@pytest.fixture(scope="module")
def confidence_replies() -> tuple[list[str], list[int], np.ndarray, np.ndarray]:
    """200 replies, of which every tenth states no confidence; their gold answers; the stated confidence of the
    others, and whether they are right."""
    rng = np.random.default_rng(7)
    confidence = rng.choice([0.35, 0.5, 0.62, 0.77, 0.83, 0.95, 1.0], 200)
    golds = np.where(rng.random(200) < 0.3 + 0.5 * confidence, 0, 1)
    forms = (
        "(a)\n置信度：{:.0f}%",
        "(a)。我有{:.0f}%的把握",
        "Confidence: {:.0f} percent\n答案：(a)",
        "(a)\n信心（0-100）：{:.0f}",
    )
    replies = [forms[n % 4].format(100 * x) for n, x in enumerate(confidence)]
    replies[::10] = ["(a)"] * 20
    kept = np.arange(200) % 10 != 0
    return replies, golds.tolist(), confidence[kept], (golds == 0)[kept].astype(float)


def test_stated_confidence_beside_scikit_learn(
    confidence_replies: tuple[list[str], list[int], np.ndarray, np.ndarray],
) -> None:
    from sklearn.calibration import calibration_curve
    from sklearn.metrics import brier_score_loss

    replies, golds, confidence, right = confidence_replies
    found = stated_row(replies, golds, [n // 4 for n in range(200)])
    assert found and found.by == "stated" and found.refused is None
    assert (found.items, found.answered, found.dialogues) == (180, 200, 50)
    (sheet,) = sheets_of(calibration.ANALYSIS, [found.written()])
    assert sheet.rows[0].cells[2] == Value(180, asides=(" 90 %",))
    assert found.confidence.value == pytest.approx(confidence.mean()) and found.accuracy.value == right.mean()
    assert found.brier.value == pytest.approx(brier_score_loss(right, confidence))
    # Bins with their lower ends.
    shares, means = calibration_curve(right, np.nextafter(confidence, 2).clip(0, 1), n_bins=BINS)
    assert [b.accuracy.value for b in found.bins] == pytest.approx(shares.tolist())
    assert [b.confidence for b in found.bins] == pytest.approx(means.tolist())
    counts = np.array([b.n for b in found.bins])
    assert found.ece.value == pytest.approx((counts * np.abs(shares - means)).sum() / 180)
    for figure in (found.ece, found.brier, found.accuracy, found.confidence):
        assert figure.low < figure.value < figure.high
    order = np.argsort(-confidence, kind="stable")
    surest = confidence >= confidence[order][35]  # a fifth of 180, with all that are as sure
    assert found.curve[1].accuracy.value == pytest.approx(right[surest].mean())
    assert found.curve[1].coverage == surest.mean()


def test_few_statements_are_refused() -> None:
    replies = ["(a)"] * 40 + ["(a)\n置信度：80%"] * 29
    found = stated_row(replies, [0] * 69, list(range(69)))
    assert found and (found.refused, found.items, found.answered) == ("few", 29, 69)
    assert found.ece.value is None and not found.bins
    (sheet,) = sheets_of(calibration.ANALYSIS, [found.written()])
    assert sheet.rows[0].cells[2] == Value(29, asides=(" 42 %",))
    assert sheet.rows[0].cells[3] == Value(None) and "fewer than 30" in sheet.notes[-1].en  # type: ignore[union-attr]
    assert sheet.finding and "Fewer than 30" in sheet.finding.en
    assert not [*calibration.diagrams(type("R", (), {"of": lambda self, a: [found]})())]  # type: ignore[arg-type]
    enough = stated_row([*replies, "(a) 八成把握"], [0] * 70, list(range(70)))
    assert enough and enough.refused is None and enough.confidence.value == pytest.approx(0.8)
    # a reply without an answer is left out
    assert stated_row(["(a)", "不知道。置信度：50%"] * 40, [0] * 80, list(range(80))) is None


def test_the_wording_that_asks_for_it(tmp_path: Path) -> None:
    corpus = Corpora(bundled("sample"))
    for name in ("knowledge_filling", "event_cause", "conflict_detection"):
        shown = Prompt(bundled("prompts"), TASKS[name], "confidence").render(
            corpus.file(TASKS[name], "easy", "test").items[0]
        )
        assert ("置信度" in shown) == TASKS[name].kind.options and shown.endswith("答案："), shown

    def reply(request: Request) -> str:
        assert "置信度" in request.prompt and not statements(request.prompt)  # the prompt suggests no number
        return f"{request.labels[0]}\n置信度：{60 + 10 * (len(request.prompt) % 4)}%"

    done = evalsuite.run({"m": reply}, tasks=[TASK], set="easy", limit=40, prompt=("confidence",), out=tmp_path / "run")
    record = json.loads(next((tmp_path / "run" / "records").glob("m.*")).read_text("utf-8").splitlines()[0])
    assert record["answer"]["confidence"] == int(record["reply"][-3:-1]) / 100
    (row,) = done.of(calibration.ANALYSIS) or []
    assert (row.by, row.variant, row.items, row.answered) == ("stated", "confidence", 40, 40)
