"""Small models that choose among texts without understanding them: what artefact checks and adversarial filtering rest on.

A conditional logit (McFadden 1974): each option of a question gets a score, linear in its features, and the softmax over the
question's options says how likely it is the right one. With two options it is logistic regression on the difference of their
features. It is convex and fitted from zero, so the same data give the same weights.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_BITS = 18  # features are hashed into 2**18 columns: a few thousand short texts seldom collide


@dataclass(frozen=True, slots=True)
class ConditionalLogit:
    """Fitted weights; `options` of each question stand below each other in the rows of a feature matrix."""

    weights: Floats

    @classmethod
    def fit(cls, features: Any, options: Sequence[int], gold: Sequence[int], penalty: float = 1.0) -> ConditionalLogit:
        """features: (M, F), dense or scipy.sparse; options: how many rows each of the N questions has; gold: the right
        one of them. `penalty` / 2 · |weights|² is added to the sum of the negative log-likelihoods, as scikit-learn's
        C = 1 / penalty."""
        sizes = np.asarray(options)
        starts = _starts(sizes)
        right = starts + np.asarray(gold)
        # Of hashed features most never occur, and their weights stay 0.
        used = np.unique(features.indices) if hasattr(features, "indices") else np.arange(features.shape[1])
        width, features = features.shape[1], features[:, used]

        def loss(weights: Floats) -> tuple[float, Floats]:
            chances = _softmax(features @ weights, starts, sizes)
            value = -np.log(np.maximum(chances[right], 1e-300)).sum() + penalty / 2 * weights @ weights
            chances[right] -= 1
            return float(value), features.T @ chances + penalty * weights

        found = import_module("scipy.optimize").minimize(
            loss, np.zeros(len(used)), jac=True, method="L-BFGS-B", options={"maxiter": 200}
        )
        weights = np.zeros(width)
        weights[used] = found.x
        return cls(weights)

    def chances(self, features: Any, options: Sequence[int]) -> Floats:
        """(M,) how likely each option is the right one of its question."""
        sizes = np.asarray(options)
        return _softmax(features @ self.weights, _starts(sizes), sizes)


def _starts(sizes: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)


def _softmax(scores: Floats, starts: NDArray[Any], sizes: NDArray[Any]) -> Floats:
    raised = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
    chances: Floats = raised / np.repeat(np.add.reduceat(raised, starts), sizes)
    return chances


def pieces(text: str, most: int = 3) -> Iterator[str]:
    """Character n-grams up to `most`, ends marked.

    >>> list(pieces("好看", 2))
    ['^', '好', '看', '$', '^好', '好看', '看$']
    """
    marked = f"^{text}$"
    for size in range(1, most + 1):
        yield from (marked[i : i + size] for i in range(len(marked) - size + 1))


def bags(rows: Iterable[Iterable[str]]) -> Any:
    """(M, 2**18) sparse rows of unit length with a 1 for each feature there is, by a hash that is the same everywhere."""
    columns: list[int] = []
    ends = [0]
    for row in rows:
        columns += sorted({zlib.crc32(feature.encode("utf-8", "surrogatepass")) & (2**_BITS - 1) for feature in row})
        ends.append(len(columns))
    lengths = np.diff(ends)
    values = np.repeat(1 / np.sqrt(np.maximum(lengths, 1)), lengths)
    return import_module("scipy.sparse").csr_matrix((values, columns, ends), shape=(len(lengths), 2**_BITS))


class Nearest:
    """The most similar of known texts: cosine of character n-gram counts weighted by inverse document frequency."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Raises ValueError without texts: there is nothing to be near to."""
        if not texts:
            raise ValueError("no texts")
        counted = [Counter(pieces(text)) for text in texts]
        seen = Counter(piece for counts in counted for piece in counts)
        self._columns = {piece: n for n, piece in enumerate(seen)}
        self._idf = np.log((1 + len(texts)) / (1 + np.array(list(seen.values())))) + 1
        self._known = self._matrix(counted)

    def __call__(self, texts: Sequence[str]) -> list[int]:
        """The index of the nearest known text for each; of several the first."""
        asked = self._matrix([Counter(pieces(text)) for text in texts])
        found: list[int] = []
        for start in range(0, len(texts), 512):  # 512 rows against all that is known: 100 MB for 25,000 texts
            similar = (asked[start : start + 512] @ self._known.T).toarray()
            found += [int(n) for n in similar.argmax(axis=1)]
        return found

    def _matrix(self, counted: Sequence[Mapping[str, int]]) -> Any:
        columns: list[int] = []
        values: list[float] = []
        ends = [0]
        for counts in counted:
            row = {self._columns[p]: n for p, n in counts.items() if p in self._columns}
            weights = np.array([n * self._idf[c] for c, n in row.items()])
            columns += row
            values += list(weights / (np.sqrt(weights @ weights) or 1.0)) if len(weights) else []
            ends.append(len(columns))
        shape = (len(ends) - 1, len(self._columns))
        return import_module("scipy.sparse").csr_matrix((values, columns, ends), shape=shape)
