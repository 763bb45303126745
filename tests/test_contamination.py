"""Tests for whether a model has read a benchmark: the statistics, the texts, and the likelihoods they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from evalsuite.backends.hf.backend import HuggingFace
from evalsuite.backends.model import Model
from evalsuite.exposure.exact import greater_p, positive_p, stratified_p
from evalsuite.exposure.likelihoods import measure
from evalsuite.results.store import Store

TEXTS = ["你好，今天天气怎么样？", "A: 我想去看电影。\nB: 好啊，什么时候去？", "猫" * 40, "一"]


@pytest.fixture(scope="module")
def base(tiny: Path) -> HuggingFace:
    return HuggingFace(Model(name="t", backend="hf", path=str(tiny), dtype="float32"))


def reference(backend: HuggingFace, text: str, share: float) -> tuple[float, float, float]:
    """Mean log-probability, Min-K % and Min-K %++ as the authors' script computes them, on plain transformers."""
    import torch

    tokenizer, net = backend.checkpoint.tokenizer, backend.net
    start = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else backend.checkpoint.stop_ids[0]
    own = tokenizer(text)["input_ids"]
    ids = torch.tensor([own if own[0] == start else [start, *own]])
    with torch.no_grad():
        logits = net(ids).logits.double()
    targets = ids[0][1:].unsqueeze(-1)
    probs, log_probs = logits[0, :-1].softmax(-1), logits[0, :-1].log_softmax(-1)
    token = log_probs.gather(dim=-1, index=targets).squeeze(-1)
    mu = (probs * log_probs).sum(-1)
    sigma = (probs * log_probs.square()).sum(-1) - mu.square()
    plus = (token - mu) / sigma.sqrt()
    count = max(1, int(len(token) * share))
    return float(token.mean()), float(np.sort(token)[:count].mean()), float(np.sort(plus)[:count].mean())


def test_scores_are_the_authors(base: HuggingFace) -> None:
    found = measure(base, [("", text) for text in TEXTS])
    for text, scores in zip(TEXTS, found, strict=True):
        mean, mink, minkpp = reference(base, text, 0.2)
        assert scores.mean == pytest.approx(mean, abs=1e-4)
        assert scores.mink == pytest.approx(mink, abs=1e-3)
        assert scores.minkpp == pytest.approx(minkpp, abs=1e-3)


def test_scores_equal_nll(base: HuggingFace) -> None:
    pairs = [("问：你好吗？\n", "我很好。"), ("", TEXTS[1])]
    for scores, nll in zip(measure(base, pairs), base.nll(pairs), strict=True):
        assert (scores.logprob, scores.tokens) == (pytest.approx(-sum(nll), abs=1e-3), len(nll))


def test_nothing_is_computed_twice(base: HuggingFace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    whole = type(base).surprisal

    def counted(self: HuggingFace, pairs: Sequence[tuple[str, str]]) -> Any:
        asked.append(len(pairs))
        return whole(self, pairs)

    monkeypatch.setattr(type(base), "surprisal", counted)
    pairs = [("", text) for text in (*TEXTS, TEXTS[0])]
    with Store(tmp_path / "s.sqlite") as store:
        first = measure(base, pairs[:2], store)
        second = measure(base, pairs, store)
        again = measure(base, pairs, store)
    assert asked == [2, 2] and second[:2] == first and second == again and second[4] == second[0]


def test_stratified_p_is_uniform_without_contamination() -> None:
    """Also for strata of different sizes, ties and scales, none of which the test may assume away."""
    rng = np.random.default_rng(0)
    p = []
    for n in range(400):
        strata = [
            rng.normal(scale=10.0**scale, size=size).round(1).tolist()
            for size, scale in zip((2, 3, 6, 6, 24), (0, 1, 0, 1, 0), strict=True)
        ]
        p.append(stratified_p(strata, Random(n), 999))
    for level in (0.01, 0.05, 0.2, 0.5):
        share = np.mean(np.array(p) <= level)
        assert share <= level + 3 * (level * (1 - level) / 400) ** 0.5
    assert np.mean(p) == pytest.approx(0.5, abs=0.06)


def test_stratified_p_against_all_choices() -> None:
    from itertools import product

    strata = [[3.0, 1.0, 2.0], [0.5, 0.9], [2.0, 2.0, -1.0, 0.0]]
    sums = [sum(row) for row in product(*strata)]
    exact = np.mean([total >= sum(row[0] for row in strata) - 1e-12 for total in sums])
    assert stratified_p(strata, Random(1)) == pytest.approx(exact, abs=0.005)


def test_greater_p_is_one_sided_and_uniform() -> None:
    rng = np.random.default_rng(1)
    assert greater_p([0.0] * 10 + [-1.0], [1.0] * 10, Random(0)) > 0.99
    p = np.array(
        [greater_p(rng.normal(size=12).tolist(), rng.normal(size=9).tolist(), Random(n), 499) for n in range(300)]
    )
    assert np.mean(p <= 0.05) <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5 and p.mean() == pytest.approx(0.5, abs=0.06)


def test_positive_p_counts_flips() -> None:
    assert positive_p([1.0] * 4, Random(0)) == pytest.approx(1 / 16, abs=0.003)
    assert positive_p([-1.0] * 8, Random(0)) > 0.99
