"""Short free answers in English: what announces and explains an answer goes, the sentence stays whole."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalsuite.parse.english import parse_sentence
from evalsuite.types import Status

HAPPY = "The speaker is happy."

READ = [
    (HAPPY, HAPPY),
    ("  The speaker is happy.  \n", HAPPY),
    ("Answer: The speaker is happy.", HAPPY),
    ("**Answer:** The speaker is happy.", HAPPY),
    ("Sure! The speaker is happy.", HAPPY),
    ('The answer is:\n\n"The speaker is happy."\n\nExplanation: she smiles.', HAPPY),
    ("- The speaker is happy.", HAPPY),
    ("1. The speaker is happy.\n2. The listener sleeps.", HAPPY),
    ("B: The speaker is happy.", HAPPY),
    ("<think>Is she sad?</think>\nThe speaker is happy.", HAPPY),
    ("The speaker is happy.<|im_end|>", HAPPY),
    ("The speaker is happy.\nQuestion: Why?\nAnswer: She sings.", HAPPY),
    ("The cause is that the train was late.", "the train was late."),
    ("Based on the dialogue, the possible emotional reaction of the listener is that they are glad.", "they are glad."),
    ("Here is the answer: It rained.", "It rained."),
    # The text behind stays, though a Chinese span would be cut there.
    ("The speaker stays at home because it rains.", "The speaker stays at home because it rains."),
    ("The door is not oiled.", "The door is not oiled."),
    ("Mr. Brown asks about the price.", "Mr. Brown asks about the price."),
    ("The pilot is unable to land.", "The pilot is unable to land."),
    ("The cause of the fire is a candle.", "The cause of the fire is a candle."),
    ('He adds, "I am not rich."', 'He adds, "I am not rich."'),
    ("Due to the storm, the flight is late.", "Due to the storm, the flight is late."),
]


@pytest.mark.parametrize(("output", "text"), READ)
def test_the_sentence_is_read(output: str, text: str) -> None:
    answer = parse_sentence(output)
    assert (answer.status, answer.text) == (Status.PARSED, text)
    assert output[answer.start : answer.end] == text


@pytest.mark.parametrize(
    ("output", "finish", "status"),
    [
        ("", "stop", Status.EMPTY),
        ("<|im_end|>", "stop", Status.EMPTY),
        ("I'm sorry, but I can't answer that.", "stop", Status.REFUSED),
        ("<think>Let me see", "length", Status.TRUNCATED),
        ("The answer is:", "stop", Status.UNPARSED),
        ("The answer is:", "length", Status.TRUNCATED),
    ],
)
def test_replies_without_a_sentence_have_a_status(output: str, finish: str, status: Status) -> None:
    answer = parse_sentence(output, finish=finish)
    assert (answer.status, answer.text) == (status, None)


@settings(max_examples=300)
@given(st.text(alphabet="aA:B.\n\"'*-1 <think>/“”`\ue001\ue002。answer is", max_size=120))
def test_any_text_can_be_read(output: str) -> None:
    answer = parse_sentence(output)
    if answer.text is not None:
        assert answer.text and output[answer.start : answer.end] == answer.text
