"""Sets of options: what a careful reader takes a reply to choose. The options are CICERO's kind: English sentences."""

from __future__ import annotations

import pytest

from evalsuite.parse import Choices, parse_options
from evalsuite.types import Status

TEXTS = (
    "The speaker wants to buy a new phone.",
    "The speaker does not want a phone.",
    "The speaker's old phone was stolen.",
    "The listener sells cars.",
    "The speaker is hungry.",
)
DIGITS = dict(zip(("(0)", "(1)", "(2)", "(3)", "(4)"), TEXTS, strict=True))  # as the official input has them
LETTERS = dict(zip(("(a)", "(b)", "(c)", "(d)", "(e)"), TEXTS, strict=True))

BY_DIGITS = [
    ("0 and 2", (0, 2)),
    ("(0) and (2)", (0, 2)),
    ("(0), (2)", (0, 2)),
    ("(0) (2)", (0, 2)),
    ("0, 2, 4", (0, 2, 4)),
    ("[0, 2]", (0, 2)),
    ('["0", "2"]', (0, 2)),
    ('{"answers": [0, 2]}', (0, 2)),
    ('```json\n{"answer": ["(0)", "(2)"]}\n```', (0, 2)),
    ("1 and 3", (1, 3)),
    ("The correct options are 0 and 2.", (0, 2)),
    ("The correct answers are (0), (2) and (4).", (0, 2, 4)),
    ("Options 0 and 2 are correct.", (0, 2)),
    ("Answer: 0,2", (0, 2)),
    ("Answer: (0)\n(2)", (0, 2)),
    ("(0) The speaker wants to buy a new phone.\n(2) The speaker's old phone was stolen.", (0, 2)),
    ("The speaker wants to buy a new phone. \\n The speaker's old phone was stolen.", (0, 2)),
    ("The speaker wants to buy a new phone. n The speaker's old phone was stolen.", (0, 2)),
    ("The speaker wants to buy a new phone.", (0,)),
    ("- (0)\n- (2)", (0, 2)),
    ("1. (0)\n2. (2)", (0, 2)),
    ("* The speaker wants to buy a new phone.\n* The speaker's old phone was stolen.", (0, 2)),
    ("(0): correct\n(1): incorrect\n(2): correct\n(3): incorrect\n(4): incorrect", (0, 2)),
    ("(0) Yes\n(1) No\n(2) Yes\n(3) No\n(4) No", (0, 2)),
    ("0: true, 1: false, 2: true, 3: false, 4: false", (0, 2)),
    ("(0) ✓ (1) ✗ (2) ✓ (3) ✗ (4) ✗", (0, 2)),
    ('{"0": true, "1": false, "2": true, "3": false, "4": false}', (0, 2)),
    ("All of the above.", (0, 1, 2, 3, 4)),
    ("All options are correct.", (0, 1, 2, 3, 4)),
    ("None of the options is correct.", ()),
    ("I cannot answer that.", ()),
    ("", ()),
    ("2", (2,)),
    ("(2)", (2,)),
    ("Only (2).", (2,)),
    ("There are two right options: 0 and 2.", (0, 2)),
    ("Both 0 and 2 are plausible.", (0, 2)),
    ("0 & 2", (0, 2)),
    ("0/2", (0, 2)),
    ("0;2", (0, 2)),
    ("0 2", (0, 2)),
    ("\\boxed{0, 2}", (0, 2)),
    ("**0** and **2**", (0, 2)),
    ("Everything except 1 and 3.", (0, 2, 4)),
    ("All but (3)", (0, 1, 2, 4)),
    ("0 and 2, but not 3", (0, 2)),
    ("0 is correct because the speaker asks for a phone. 2 is also correct since the phone was stolen.", (0, 2)),
    ("(1) is wrong and (3) is wrong. The right ones are (0) and (2).", (0, 2)),
    ("At first I thought 1, but the correct answers are 0 and 2.", (0, 2)),
    ("7", ()),
    ("0 and 9", ()),
    ("Based on the dialogue, the plausible motivations are (0) and (2) because she says her phone is old. (1) contradicts this.", (0, 2)),
    ("The most likely answer is (2).", (2,)),
    ("(0) The speaker wants to buy a new phone. This is plausible.\n(1) The speaker does not want a phone. This contradicts the dialogue.\n(2) The speaker's old phone was stolen. This is plausible.", (0, 2)),
    ("Yes: 0, 2\nNo: 1, 3, 4", (0, 2)),
    ("Correct: (0), (2)\nIncorrect: (1), (3), (4)", (0, 2)),
    ("Incorrect: 1, 3, 4. Correct: 0, 2.", (0, 2)),
    ("I believe the right options would be 0, 2 and 4.", (0, 2, 4)),
    ("<answer>0, 2</answer>", (0, 2)),
    ("Answer: [0,2]<|im_end|>", (0, 2)),
    ("0,2\n\nExplanation: The speaker says that 1 week ago her phone got lost.", (0, 2)),
    ("The right options are 0 and 2; options 1, 3 and 4 are wrong.", (0, 2)),
    ("The speaker wants to buy a new phone, The speaker's old phone was stolen.", (0, 2)),
    ("“The speaker is hungry.”", (4,)),
    ("(4) The speaker is hungry. (0) The speaker wants to buy a new phone.", (0, 4)),
    ("None of the above.", ()),
    ("All of the options except (1) are plausible.", (0, 2, 3, 4)),
    ("Not (1). The correct ones: (0), (2).", (0, 2)),
    ("0-2", (0, 1, 2)),
    ("zero and two", ()),
    ("3 options are correct: 0, 2, 4", (0, 2, 4)),
    ("The answer is 0 and 2, since 2 phones were stolen.", (0, 2)),
    ("The speaker is angry about the phone.", ()),
    ("I'm sorry, but I can't help with that.", ()),
    ('{"correct": [0, 2], "incorrect": [1, 3, 4]}', (0, 2)),
    ('{"correct_options": ["(0)", "(2)"], "reason": "she needs 1 phone"}', (0, 2)),
    ("Option 0 is right. Option 1 is wrong. Option 2 is right. Option 3 is wrong. Option 4 is wrong.", (0, 2)),
    ("选项0和2正确。", (0, 2)),
    ("(0)和(2)", (0, 2)),
]  # fmt: skip

BY_LETTERS = [
    ("a and c", (0, 2)),
    ("A, C and D", (0, 2, 3)),
    ("(a) (c)", (0, 2)),
    ("(a)(c)", (0, 2)),
    ("A,C", (0, 2)),
    ("AC", (0, 2)),
    ("ACD", (0, 2, 3)),
    ("A & C", (0, 2)),
    ("Answers: A, C, and D.", (0, 2, 3)),
    ('["a", "c"]', (0, 2)),
    ('["A","C"]', (0, 2)),
    ("Options A and C", (0, 2)),
    ("The answer is both A and C.", (0, 2)),
    ("A. The speaker wants to buy a new phone.\nC. The speaker's old phone was stolen.", (0, 2)),
    ("a) and c)", (0, 2)),
    ("A and C are correct, while B, D and E are not.", (0, 2)),
    ("B is incorrect. A and C are both plausible.", (0, 2)),
    ("I would choose A, C.", (0, 2)),
    ("1 and 3", (0, 2)),
    ("The first and the third option.", (0, 2)),
    ("Options 1 and 3", (0, 2)),
    ("a; c; e", (0, 2, 4)),
    ("A: Yes\nB: No\nC: Yes\nD: No\nE: No", (0, 2)),
    ("<think>Maybe b? No.</think>\na, c", (0, 2)),
    ("A or C", (0, 2)),
    ("The speaker wants to buy a new phone and the speaker's old phone was stolen.", (0, 2)),
    ("a, c\n\nQuestion: What is next?\nAnswer: b", (0, 2)),
    ("Option (a) fits since she asks for a phone. Option (b) contradicts the dialogue. Option (c) is possible. Options (d) and (e) have nothing to do with it.\nFinal answer: (a), (c)", (0, 2)),
    ("A: I would like a phone.\nB: Sure.", ()),
    ("c", (2,)),
    ("C.", (2,)),
    ("e, a", (0, 4)),
    ("The correct answers are:\n\n**(a)** The speaker wants to buy a new phone.\n\n**(c)** The speaker's old phone was stolen.", (0, 2)),
    ("The correct answers are:\n1. (a) The speaker wants to buy a new phone.\n2. (c) The speaker's old phone was stolen.", (0, 2)),
    ("Final answer: a & c", (0, 2)),
    ("a, b, c, d, e", (0, 1, 2, 3, 4)),
    ("A through C", (0, 1, 2)),
    ("(a), (b) and (c) are all possible, but (d) and (e) are not.", (0, 1, 2)),
    ("It could be A or C, but I would go with C.", (2,)),
    ("I'd say A. Actually, A and D.", (0, 3)),
    ("Answer: A\nAnswer: C", (0, 2)),
    ("a. yes\nb. no\nc. yes\nd. no\ne. no", (0, 2)),
    ("The second and fifth options are correct.", (1, 4)),
    ("f", ()),
    ("选A和C", (0, 2)),
    ("答案：A、C、D", (0, 2, 3)),
    ("A and B are incorrect.", ()),
    ("Only a is correct.", (0,)),
    ("c is the only correct answer.", (2,)),
    ("A man would buy a phone.", ()),
    ("The answers are A (the speaker wants to buy a new phone) and C (the old phone was stolen).", (0, 2)),
    ("Therefore, the correct options are:\n- A\n- C\n\nLet me know if you need more!", (0, 2)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "output", "chosen"),
    [(DIGITS, *row) for row in BY_DIGITS] + [(LETTERS, *row) for row in BY_LETTERS],
)
def test_reads_the_options_chosen(options: dict[str, str], output: str, chosen: tuple[int, ...]) -> None:
    answer = parse_options(output, options)
    assert isinstance(answer, Choices)
    assert answer.choices == chosen
    assert (answer.status is Status.PARSED) == bool(chosen)
    if answer.start is not None and answer.end is not None and answer.text is not None:
        assert output[answer.start : answer.end] == answer.text


@pytest.mark.parametrize(
    ("output", "status", "rule"),
    [
        ("I'm sorry, but I can't help with that.", Status.REFUSED, "declines"),
        ("None of the above.", Status.UNPARSED, "none"),
        ("0 and 9", Status.UNPARSED, "outside"),  # it cannot be right, and leaving 9 out would make it so
        ("", Status.EMPTY, "nothing"),
    ],
)
def test_why_there_is_no_answer(output: str, status: Status, rule: str) -> None:
    answer = parse_options(output, DIGITS)
    assert (answer.choices, answer.status, answer.rule) == ((), status, rule)


@pytest.mark.parametrize(
    ("output", "chosen"),
    [
        ("The answers are 0, 2", ()),  # a third may have been to come
        ("The answers are 0 and 2, because the speaker", (0, 2)),
    ],
)
def test_a_list_that_was_cut_off_is_no_answer(output: str, chosen: tuple[int, ...]) -> None:
    answer = parse_options(output, DIGITS, finish="length")
    assert answer.choices == chosen
    assert chosen or answer.status is Status.TRUNCATED


def test_of_two_options_with_one_text_the_first_is_read() -> None:
    twins = {"(0)": "It rains.", "(1)": "It snows.", "(2)": "It rains."}
    assert parse_options("It rains. It snows.", twins).choices == (0, 1)
    assert parse_options("(2)", twins).choices == (2,)
