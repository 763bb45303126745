"""SQuAD's metrics against the documented behaviour of its official script, and CIDER's own sorting of replies."""

from __future__ import annotations

import pytest

from evalsuite.metrics import squad

# The script: lower case, then punctuation (string.punctuation), then articles, then blanks.
NORMALISED = [
    ("The Cat", "cat"),
    ("a  an\tthe\nend", "end"),
    ("theatre and another", "theatre and another"),  # articles are whole words
    ("U.S.A.", "usa"),
    ("the a.m. train", "am train"),  # punctuation goes first: "a.m." is no article
    ("well-known", "wellknown"),  # a hyphen goes without leaving a blank
    ("don't", "dont"),
    ("“quoted”", "“quoted”"),  # only ASCII punctuation
    ("a-the", "athe"),
    ("…", "…"),
    ("A, an!", ""),
    ("Ünïcode  ÉCOLE", "ünïcode école"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "wanted"), NORMALISED)
def test_normalise(text: str, wanted: str) -> None:
    assert squad.normalise(text) == wanted


SCORED = [
    # said, references, exact match, F1
    ("The bus!", ["bus"], 1, 1),  # articles and punctuation
    ("BUS", ["bus"], 1, 1),
    ("  missed \n the   bus ", ["missed bus"], 1, 1),  # whitespace
    ("the old red bus", ["red bus"], 0, 4 / 5),
    ("bus bus", ["bus"], 0, 2 / 3),  # bags of words, not sets
    ("bus red", ["red bus"], 0, 1),  # order does not count
    ("train", ["bus"], 0, 0),
    ("red train", ["red bus", "train"], 0, 2 / 3),  # the best reference
    ("", ["bus"], 0, 0),
    ("the", ["bus"], 0, 0),  # the answer is an article alone: nothing is left of it
    ("", [], 1, 1),  # no answer is right where there is none
    ("", [""], 1, 1),
    ("the", ["!"], 1, 1),  # a reference of which nothing is left is no answer
    ("bus", [""], 0, 0),
    ("bus", ["", "bus"], 1, 1),  # and it is no way out where there is another
    ("", ["", "bus"], 0, 0),
    ("", ["!", "bus"], 0, 0),
]


@pytest.mark.parametrize(("said", "references", "exact", "f1"), SCORED)
def test_scores(said: str, references: list[str], exact: float, f1: float) -> None:
    assert squad.exact_match(said, references) == exact
    assert squad.f1(said, references) == pytest.approx(f1)


MATCHED = [
    # said, reference, match, the F1 that goes with it in CIDER's Table 5
    ("missed the bus", "missed the bus", "exact", 1),
    (" missed the bus ", "missed the bus", "exact", 1),
    ("the bus", "missed the bus", "partial", 2 / 3),
    ("missed the bus again", "the bus", "partial", 1 / 2),
    ("ate", "late", "partial", 0),  # characters, not words, and then no word is shared
    ("Missed the bus", "missed the bus", "none", 0),  # case counts, though SQuAD's exact match is 1
    ("missed a bus", "missed the bus", "none", 0),
    ("the bus was missed", "missed the bus", "none", 0),  # all words shared, but neither contains the other
    ("", "missed the bus", "none", 0),
    ("  ", "missed the bus", "none", 0),
]


@pytest.mark.parametrize(("said", "reference", "match", "f1"), MATCHED)
def test_ciders_own_sorting(said: str, reference: str, match: str, f1: float) -> None:
    assert squad.match_level(said, [reference]) == match
    values = squad.span_values(said, [reference])
    assert values["paper.f1"] == pytest.approx(f1) and values["paper.f1"] <= values["f1"]
    assert (values["no_match"], values["paper.em"]) == (match == "none", match == "exact")
