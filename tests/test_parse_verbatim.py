"""Spans of English dialogues: a reply that stands in the dialogue is the answer, whatever it looks like."""

from __future__ import annotations

import pytest

from evalsuite.parse.english import parse_verbatim
from evalsuite.types import Status

DIALOGUE = (
    "I'm so sorry , it 's late . I work in an office. I write letters and reports. It was so  sunny . We take the train .",
)

READ = [
    # reply, the span
    ("so sorry", "so sorry"),
    ("Sorry!", "Sorry"),
    ('"so sunny"', "so sunny"),
    ("Answer: the train.", "the train"),
    ("The answer is: the train", "the train"),
    ("**the train**", "the train"),
    ("the train\n\nExplanation: they have no car.", "the train"),
    ("work in an office. I write letters and reports", "work in an office. I write letters and reports"),
    ("work in an office.", "work in an office."),
    ("train", "train"),
    ("<think>The bus? No, the train.</think>the train", "the train"),
]


@pytest.mark.parametrize(("reply", "span"), READ)
def test_what_the_dialogue_says_is_the_span(reply: str, span: str) -> None:
    answer = parse_verbatim(reply, dialogue=DIALOGUE, question="What is 'x' used for?")
    assert (answer.status, answer.text, answer.rule) == (Status.PARSED, span, "verbatim")
    assert answer.start is not None and reply[answer.start : answer.end] == span


OTHERWISE = [
    # reply, status: read as all spans are
    ("rain", Status.PARSED),  # in the dialogue, but within a word
    ("They went by bus.", Status.PARSED),
    ("I don't know", Status.REFUSED),
    ("", Status.EMPTY),
    ("<think>the train", Status.UNPARSED),
]


@pytest.mark.parametrize(("reply", "status"), OTHERWISE)
def test_what_it_does_not_say_is_read_as_all_spans_are(reply: str, status: Status) -> None:
    answer = parse_verbatim(reply, dialogue=DIALOGUE)
    assert answer.status is status and answer.rule != "verbatim"


def test_what_was_cut_off_is_not_taken_for_whole() -> None:
    assert parse_verbatim("the train", dialogue=DIALOGUE, finish="length").rule != "verbatim"
