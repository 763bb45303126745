"""Sampling and beam search on vLLM, beside transformers, on the bundled model at float32."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import pytest

from evalsuite.backends.model import Generation, Model
from evalsuite.backends.registry import load_backend
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE as TASKS
from evalsuite.common.errors import BackendError
from evalsuite.common.resources import bundled
from evalsuite.prompt import Prompt
from evalsuite.types import Request


@pytest.fixture(scope="module")
def asked(sample: CorecodeCorpus) -> list[Request]:
    task = TASKS["event_cause"]
    prompt = Prompt(bundled("prompts"), task, "paper")
    return [replace(prompt.request(item), max_new_tokens=16) for item in sample.file(task, "easy", "test").items[:6]]


@pytest.fixture(scope="module")
def plain(spec: Model) -> Model:
    return spec.model_copy(update={"adapter": None})


def replies(backend: Any, asked: list[Request]) -> list[str]:
    pairs = chain.from_iterable(backend.generate(asked, [False] * len(asked)))
    return [response.text for _, response in sorted(pairs, key=lambda pair: pair[0])]


def vllm(first: Any, plain: Model, **generation: Any) -> Any:
    return first.share(plain.model_copy(update={"generation": Generation(**generation)}))


@pytest.fixture
def hf(plain: Model) -> Iterator[Any]:
    loaded: list[Any] = []

    def load(**generation: Any) -> Any:
        made = {"backend": "hf", "device": "cpu", "generation": Generation(**generation)}
        loaded.append(load_backend(plain.model_copy(update=made)))
        return loaded[-1]

    yield load
    for backend in loaded:
        backend.close()


def test_sampling_is_seeded_whatever_is_asked_beside_it(first: Any, plain: Model, asked: list[Request]) -> None:
    backend = vllm(first, plain, temperature=1.0, top_p=0.95, top_k=50, repetition_penalty=1.1, seed=3)
    samples = [replace(request, sample=n) for request in asked for n in (0, 1)]
    found = replies(backend, samples)
    assert replies(backend, samples) == found
    assert [replies(backend, [request])[0] for request in samples[:4]] == found[:4]
    assert replies(vllm(first, plain, temperature=1.0, seed=4), samples) != found
    assert all(a != b for a, b in zip(found[::2], found[1::2], strict=True))


def test_sampling_at_a_low_temperature_is_greedy(first: Any, plain: Model, asked: list[Request]) -> None:
    greedy = replies(vllm(first, plain), asked)
    cold = replies(vllm(first, plain, temperature=1e-3), asked)
    # vLLM takes at least 0.01, where two tokens that are nearly as likely are still drawn.
    assert sum(a != b for a, b in zip(cold, greedy, strict=True)) <= 1


def test_sampling_has_the_frequencies_of_hf(first: Any, plain: Model, hf: Any, asked: list[Request]) -> None:
    """The first token of 200 samples: the engines draw differently, from one distribution."""
    request = replace(asked[0], max_new_tokens=1)
    samples = [replace(request, sample=n) for n in range(200)]
    settings = {"temperature": 0.8, "top_k": 4, "repetition_penalty": 1.2}
    ours, theirs = (replies(made, samples) for made in (vllm(first, plain, **settings), hf(**settings)))
    shares = [{text: found.count(text) / len(found) for text in {*ours, *theirs}} for found in (ours, theirs)]
    assert len(shares[0]) <= 4
    assert all(abs(shares[0][text] - shares[1][text]) < 0.15 for text in shares[0])


@pytest.mark.parametrize("beams", [2, 5])
def test_sampling_apart_beams_are_those_of_hf(
    first: Any, plain: Model, hf: Any, asked: list[Request], beams: int
) -> None:
    found = replies(vllm(first, plain, beams=beams), asked)
    assert found == replies(hf(beams=beams), asked)
    assert found != replies(vllm(first, plain), asked)


def test_sampling_a_penalty_alone_is_that_of_hf(first: Any, plain: Model, hf: Any, asked: list[Request]) -> None:
    settings = {"repetition_penalty": 1.3}
    assert replies(vllm(first, plain, **settings), asked) == replies(hf(**settings), asked)


def test_sampling_what_beams_do_not_do(first: Any, plain: Model, asked: list[Request]) -> None:
    with pytest.raises(BackendError, match="beam search takes no"):
        vllm(first, plain, beams=2, repetition_penalty=1.1)
    with pytest.raises(BackendError, match="at most"):
        vllm(first, plain, beams=100)
    held = replace(asked[0], scoring="constrained", pattern="[ab]")
    ((_, response),) = chain.from_iterable(vllm(first, plain, beams=2).generate([held], [False]))
    assert response.error == "scoring constrained: not with beam search; leave out generation.beams"
