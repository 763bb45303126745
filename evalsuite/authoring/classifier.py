"""Shallow classifiers over character n-grams, used by the artefact checks and by adversarial filtering.

A conditional logit (McFadden 1974) scores each option of a question linearly in its features; the softmax over the
question's options gives the probability that it is the right one. With two options it is logistic regression on the
difference of their features. The loss is convex and the fit starts from zero, so the same data give the same weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalsuite.common.errors import ConfigError
from evalsuite.metrics.counts import Floats

_BITS = 18  # features are hashed into 2**18 columns: a few thousand short texts seldom collide


@dataclass(frozen=True, slots=True)
class ConditionalLogit:
    """A fitted conditional logit, `weights` of shape (F,). Rows of a feature matrix are options, grouped by question."""

    weights: Floats

    @classmethod
    def fit(cls, features: Any, options: Sequence[int], gold: Sequence[int], penalty: float = 1.0) -> ConditionalLogit:
        """Fit by maximum likelihood with an L2 penalty of `penalty` / 2 · |weights|² (scikit-learn's C = 1 / penalty).

        features: (M, F), dense or scipy.sparse. options: (N,) rows of each question. gold: (N,) index of its right row.
        """
        sizes = np.asarray(options)
        starts = _starts(sizes)
        right = starts + np.asarray(gold)
        # Most hashed columns are empty; their weights stay 0.
        used = np.unique(features.indices) if hasattr(features, "indices") else np.arange(features.shape[1])
        width, features = features.shape[1], features[:, used]

        def loss(weights: Floats) -> tuple[float, Floats]:
            chances = _softmax(features @ weights, starts, sizes)
            value = -np.log(np.maximum(chances[right], 1e-300)).sum() + penalty / 2 * weights @ weights
            chances[right] -= 1
            return float(value), features.T @ chances + penalty * weights

        optimum = import_module("scipy.optimize").minimize(
            loss, np.zeros(len(used)), jac=True, method="L-BFGS-B", options={"maxiter": 200}
        )
        weights = np.zeros(width)
        weights[used] = optimum.x
        return cls(weights)

    def chances(self, features: Any, options: Sequence[int]) -> Floats:
        """(M,) probability of each option being the right one of its question."""
        sizes = np.asarray(options)
        return _softmax(features @ self.weights, _starts(sizes), sizes)


def _starts(sizes: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)


def _softmax(scores: Floats, starts: NDArray[Any], sizes: NDArray[Any]) -> Floats:
    raised = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
    chances: Floats = raised / np.repeat(np.add.reduceat(raised, starts), sizes)
    return chances


def char_ngrams(text: str, most: int = 3) -> Iterator[str]:
    """Character n-grams of length 1 to `most`; ^ and $ mark the ends.

    >>> list(char_ngrams("好看", 2))
    ['^', '好', '看', '$', '^好', '好看', '看$']
    """
    marked = f"^{text}$"
    for size in range(1, most + 1):
        yield from (marked[i : i + size] for i in range(len(marked) - size + 1))


def hashed_features(rows: Iterable[Iterable[str]]) -> Any:
    """Hash each row's set of features into a sparse (M, 2**18) matrix with rows of unit length.

    The hash is the same on every machine. Raises ConfigError without scikit-learn.
    """
    text = _sklearn("sklearn.feature_extraction.text")
    hashing = text.HashingVectorizer(analyzer=_encoded, n_features=2**_BITS, binary=True, alternate_sign=False)
    return hashing.transform(rows)


def nearest_texts(candidates: Sequence[str], texts: Sequence[str]) -> list[int]:
    """For each of `texts` the index of the most similar candidate; the first one wins a tie.

    Similarity is the cosine of character n-gram counts weighted by inverse document frequency. Raises ConfigError without
    scikit-learn, ValueError without candidates.
    """
    vectors = _sklearn("sklearn.feature_extraction.text").TfidfVectorizer(analyzer=char_ngrams)
    rows = vectors.fit_transform(candidates)
    closest = _sklearn("sklearn.metrics").pairwise_distances_argmin(vectors.transform(texts), rows, metric="cosine")
    return [int(n) for n in closest]


def _encoded(row: Iterable[str]) -> list[bytes]:
    return [feature.encode("utf-8", "surrogatepass") for feature in row]


def _sklearn(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise ConfigError(
            f"artefact checks and adversarial distractors need `pip install 'evalsuite[authoring]'` ({error})"
        ) from None
