"""The reader of CHARM's release for replies to reasoning questions (OpenCompass, `charm_reason_postprocess`)."""

from __future__ import annotations

import re

from evalsuite.types import Answer, Item, Response, Status


def first_letter(item: Item, response: Response) -> Answer:
    """Read the first letter in brackets, else the first capital letter, after the first "answer is ", or in the whole reply
    without these words. A reply that discusses (A) before it concludes 所以答案是(B) is read as A. If a perturbation renamed the
    labels, these are looked for in place of letters.

    >>> first_letter(Item("", "", "", "", (), "", ("是", "否"), ("(A)", "(B)")), Response("不选(A)，答案是(B)", "stop")).choice
    0
    """
    text = response.text
    parts = text.split("answer is ")
    start = len(parts[0]) + len("answer is ") if len(parts) > 1 else 0
    searched = parts[1] if len(parts) > 1 else text
    names = item.indicators
    label = "[A-Z]" if all("A" <= name <= "Z" for name in names) else "|".join(map(re.escape, names))
    letter = re.search(rf"\(({label})", searched) or re.search(f"({label})", searched)
    if letter is None:
        return Answer(Status.UNPARSED if text.strip() else Status.EMPTY, rule="no letter")
    if letter[1] not in names:
        return Answer(Status.UNPARSED, rule="outside")
    return Answer(
        Status.PARSED, names.index(letter[1]), letter[1], "first letter", start + letter.start(1), start + letter.end(1)
    )
