"""Likelihoods of texts under a model, which a store keeps, so that none is computed twice."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from evalsuite.backends.base import Surprisal, TextPair, TokenScores
from evalsuite.results.store import Store
from evalsuite.types import Likelihood, Response

SHARE = 0.2  # the share of tokens that Min-K % takes, k = 20, as in both papers' main tables


@dataclass(frozen=True, slots=True)
class LikelihoodScores:
    """A model's scores of a text. Higher is likelier; natural logarithms."""

    logprob: float  # the sum over its tokens
    tokens: int
    mink: float  # mean of the SHARE of least likely tokens (Shi et al. 2023)
    # Mean of the SHARE of lowest standardised scores (Zhang et al. 2024); None: the engine gives no such scores.
    minkpp: float | None = None

    @property
    def mean(self) -> float:
        """The mean log-probability of a token."""
        return self.logprob / self.tokens if self.tokens else 0.0


def summarise(scores: TokenScores) -> LikelihoodScores:
    """The scores of a text from the scores of its tokens.

    >>> summarise(TokenScores([-1.0, -2.0, -3.0, -4.0, -5.0], [0.0, -1.0, 0.0, 0.0, 0.0]))
    LikelihoodScores(logprob=-15.0, tokens=5, mink=-5.0, minkpp=-1.0)
    """
    plain, standard = scores.logprobs, scores.standard
    return LikelihoodScores(sum(plain), len(plain), lowest(plain), None if standard is None else lowest(standard))


def lowest(values: Sequence[float]) -> float:
    """The mean of the lowest values: a SHARE of them, at least one; 0 if there are none."""
    return fmean(sorted(values)[: max(1, int(len(values) * SHARE))]) if values else 0.0


def measure(
    backend: Surprisal,
    pairs: Sequence[TextPair],
    store: Store | None = None,
    advance: Callable[[int], None] = lambda n: None,
) -> list[LikelihoodScores]:
    """The scores of each pair's text; stored scores are not computed again. `advance` is called with numbers of texts scored.

    Raises FloatingPointError for a likelihood that is not finite, with which no p-value is valid.
    """
    keys = [_key(backend.fingerprint, pair) for pair in pairs]
    known: dict[str, LikelihoodScores] = {}
    if store:
        for key in store.done(keys):
            known[key] = _unpacked(store.response(key))
    every = dict(zip(keys, pairs, strict=True))  # equal pairs are scored once
    names = list(every)
    done = [key in known for key in names]
    for group in () if all(done) else backend.surprisal(list(every.values()), done):
        scored = [(names[n], summarise(token_scores)) for n, token_scores in group]
        if not all(
            math.isfinite(x) for _, scores in scored for x in (scores.logprob, scores.mink, scores.minkpp or 0.0)
        ):
            raise FloatingPointError(
                "a text has no finite likelihood: does the network overflow in its dtype (float16)?"
            )
        if store:
            store.put((key, _packed(scores)) for key, scores in scored)
        known.update(scored)
        advance(len(scored))
    return [known[key] for key in keys]


def missing(backend: Surprisal, pairs: Sequence[TextPair], store: Store) -> list[TextPair]:
    """The pairs that `measure` has yet to compute, each once."""
    keys = [_key(backend.fingerprint, pair) for pair in pairs]
    done = store.done(keys)
    return list({key: pair for key, pair in zip(keys, pairs, strict=True) if key not in done}.values())


def _key(fingerprint: str, pair: TextPair) -> str:
    return hashlib.sha256(json.dumps([fingerprint, "surprisal", *pair], ensure_ascii=False).encode()).hexdigest()


def _packed(scores: LikelihoodScores) -> Response:
    values = (scores.mink, *(() if scores.minkpp is None else (scores.minkpp,)))
    likelihoods = (Likelihood(scores.logprob, scores.tokens), *(Likelihood(value, 0) for value in values))
    return Response("", "nll", scores.tokens, likelihoods=likelihoods)


def _unpacked(response: Response | None) -> LikelihoodScores:
    whole, mink, *standardised = response.likelihoods if response else ()
    return LikelihoodScores(
        whole.logprob, whole.tokens, mink.logprob, standardised[0].logprob if standardised else None
    )
