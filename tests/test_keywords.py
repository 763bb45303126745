"""The keywords of `evalsuite.run` and the like: what stands for what, and what is told of a wrong one."""

from __future__ import annotations

from typing import Any

import pytest

import evalsuite
from evalsuite.common.errors import ConfigError, nearest
from evalsuite.common.flags import from_keywords
from evalsuite.evaluation.settings import Settings
from evalsuite.types import Request


def test_one_value_stands_for_a_sequence() -> None:
    settings = from_keywords(Settings, {"tasks": "SI", "model": "lexical", "shots": 5, "perturb": "none", "data": None})
    assert (settings.tasks, settings.model, settings.shots, settings.data) == (
        ("slot_identification",),
        ("lexical",),
        (5,),
        (),
    )
    assert from_keywords(Settings, {"set": ["easy", "hard"]}).set == "easy,hard"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"limt": 3}, "unknown keyword 'limt'. Did you mean 'limit'?"),
        ({"limit": "x"}, "keyword limit='x': input should be a valid integer"),
        ({"model": len}, "keyword model=<built-in function len>: input should be an instance of Sequence"),
        ({"out": 3}, "keyword out=3: input should be a valid string"),
        ({"tasks": "EVENT"}, "Did you mean 'event_cause'?"),
    ],
)
def test_a_wrong_keyword_is_told(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as told:
        evalsuite.run(**given)
    assert said in str(told.value)


@pytest.mark.parametrize(("typed", "meant"), [("EVENT", "event_cause"), ("lexcal", "Lexical"), ("qq", None)])
def test_the_name_that_was_meant(typed: str, meant: str | None) -> None:
    assert nearest(typed, ["Lexical", "subsequent_event", "event_cause"]) == meant


def test_a_function_that_returns_no_text_or_raises_fails_its_requests() -> None:
    replies = iter([None, ValueError("odd"), "(a)"])

    def reply(request: Request) -> Any:
        said = next(replies)
        if isinstance(said, Exception):
            raise said
        return said

    done = evalsuite.run({"f": reply}, tasks="SI", set="hard", limit=3, out="run")
    (problem,) = done.problems
    assert "2 of 3 requests failed" in problem
    assert "the function returned NoneType: expected the reply as a text" in problem
    assert "the function raised ValueError: odd" in problem
