"""A note where the parser finds no choice in many of a model's replies."""

from __future__ import annotations

from pathlib import Path

import pytest
from as_json import a_cell

from evalsuite.analyses.scores import unread
from evalsuite.analyses.second_reader import ANALYSIS as SECOND
from evalsuite.analyses.second_reader import SecondReaders
from evalsuite.results.analysis import Results
from evalsuite.types import Reading


def results(second: bool = False, **status: int) -> Results:
    cells = (a_cell(status=status), a_cell(task="conflict_detection", status={"unparsed": 90}))
    contents = {SECOND.key: SecondReaders(tasks=[], cells=[])} if second else {}
    return Results(Path(), "0", Reading(), cells, contents)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ({"parsed": 94, "unparsed": 6}, "6 of 100 replies to choices"),
        ({"parsed": 95, "unparsed": 5}, ""),
        ({"parsed": 80, "unparsed": 2, "several": 18}, ""),
        ({"parsed": 2, "unparsed": 2}, ""),  # too few to say
        ({"parsed": 94, "unparsed": 6, "failed": 100}, "6 of 100 replies to choices"),
    ],
)
def test_replies_without_a_choice_are_noted(status: dict[str, int], said: str) -> None:
    told = unread(results(**status))
    assert [said in note.en for note in told] == [True] * bool(said)
    assert all("--second-reader" in note.en and "--second-reader" in note.zh for note in told)


def test_likelihoods_are_no_replies_that_are_parsed() -> None:
    cells = [a_cell(scoring=scoring, status={"parsed": 94, **more}) for scoring, more in (("generate", {"unparsed": 6}), ("labels", {}))]  # fmt: skip
    (note,) = unread(Results(Path(), "0", Reading(), tuple(cells), {}))
    assert "6 of 100 replies to choices" in note.en


def test_not_where_a_second_reader_was_asked() -> None:
    assert unread(results(second=True, parsed=10, unparsed=90)) == []
