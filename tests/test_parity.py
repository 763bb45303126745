"""The comparison of two backends, on results that are written here; tests/vllm/ compares real ones."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

import evalsuite
from evalsuite.common.errors import ConfigError
from evalsuite.exchange import parity as comparing
from evalsuite.exchange.parity import ReplyDifference, _ask, _BackendResponse, _row, parity
from evalsuite.exchange.parity_sheets import parity_sheets
from evalsuite.types import Likelihood, Place, Response, Trial

PLACE = Place("tiny-zh", "domain_identification", "easy", "test", "paper", 0)
WORDS: Any = SimpleNamespace(tokenizer=lambda text, **_: {"input_ids": text.split(" ")})


def trials(scoring: str, count: int) -> Sequence[Trial]:
    """Trials of one cell."""
    asked = {"tasks": ["domain_identification"], "set": "easy", "limit": count, "scoring": [scoring]}
    ((_, found),) = evalsuite.preview(model=["tiny-zh"], **asked)
    return found


def row(asked: Sequence[Trial], a: Sequence[_BackendResponse], b: Sequence[_BackendResponse]) -> Any:
    return _row(PLACE, list(zip(asked, a, strict=True)), list(zip(asked, b, strict=True)), WORDS)


def result_of(text: str, *nll: float, ids: Sequence[int] = (1, 2)) -> _BackendResponse:
    return _BackendResponse(list(ids), Response(text, "stop"), list(nll))


FAILED = _BackendResponse([1, 2], Response("", "error", error="too long"), [])


def test_differing_written_replies_are_found() -> None:
    asked = trials("generate", 5)
    found = row(
        asked,
        [result_of("a b c", 1.0, 2.0), result_of("x", 0.5), result_of("x", ids=[1, 2, 3]), FAILED, FAILED],
        [result_of("a b d", 1.5, 2.0), result_of("x", 0.25), result_of("x", ids=[1, 9, 3]), FAILED, result_of("x")],
    )
    names = [trial.item.id for trial in asked]
    assert (found.items, found.same_ids, found.same) == (5, 4, 3)
    assert (found.largest, found.mean) == (0.5, 0.25)
    assert found.differences == (
        ReplyDifference(names[0], "reply", "a b c", "a b d", character=4, token=2),
        ReplyDifference(names[2], "ids", "[1, 2, 3]", "[1, 9, 3]", token=1),
        ReplyDifference(names[4], "error", "too long", "x"),
    )


def test_differing_likelihoods_are_found() -> None:
    asked = trials("labels", 2)

    def likely(*logprobs: float) -> _BackendResponse:
        return _BackendResponse([1], Response("", "labels", likelihoods=tuple(Likelihood(x, 1) for x in logprobs)), [])

    found = row(asked, [likely(-1, -2), likely(-1, -2)], [likely(-1.5, -2.25), likely(-2, -1)])
    assert (found.same, found.largest, found.mean) == (1, 1.0, 0.6875)
    (one,) = found.differences
    labels = asked[1].request.labels
    assert (one.item, one.what) == (asked[1].item.id, "choice")
    assert (one.a, one.b) == (f"{labels[0]} of [-1, -2]", f"{labels[1]} of [-2, -1]")


def test_each_backend_is_compared_with_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A backend stands for its name; the cells are those of the first."""
    asked = trials("generate", 1)

    def ask(name: str, *_: Any) -> Any:
        return {PLACE: [(asked[0], result_of(name))]}

    monkeypatch.setattr(comparing, "_ask", ask)
    monkeypatch.setattr(comparing, "Checkpoint", lambda spec: WORDS)
    (found,) = parity(model="tiny-zh", on=["hf", "vllm"], tasks=["domain_identification"], set="easy", limit=1)
    assert (found.a, found.b, found.same_ids) == ("hf", "vllm", True)
    assert [(one.a, one.b) for one in found.rows[0].differences] == [("hf", "vllm")]


@pytest.mark.slow
def test_perturbed_items_are_cells_of_their_own() -> None:
    settings = {"tasks": ["domain_identification"], "set": "easy", "limit": 1, "perturb": ["none", "shuffle"]}
    found = _ask("hf", "bundled:models.yaml", "tiny-zh", settings)
    assert {(place.scoring, place.perturb) for place in found} == {
        (scoring, perturb) for scoring in ("generate", "labels") for perturb in ("none", "shuffle")
    }


def test_the_lines_show_where_token_ids_differ() -> None:
    """Two prompts whose first twenty ids are the same differ in what is printed."""
    a, b = ([*range(100, 120), last, 7] for last in (1, 2))
    found = row(trials("generate", 1), [result_of("x", ids=a)], [result_of("x", ids=b)])
    lines = [
        line for line in parity_sheets(comparing.Parity("tiny-zh", "hf", "vllm", (found,))) if isinstance(line, str)
    ]
    assert lines[-2:] == ["    hf    '118, 119, 1, 7'", "    vllm  '118, 119, 2, 7'"]


def test_a_model_without_weights_is_refused() -> None:
    """The path of a baseline or of an endpoint's model was looked for on the hub."""
    with pytest.raises(ConfigError, match="backend baseline loads no model on this machine"):
        parity(model="random", on=["hf", "hf"])
