"""Parsers of choices that equal other programs', by their names in benchmark files (`reader`)."""

from __future__ import annotations

from evalsuite.types import Answer, Item, Response, Status


def _first_capital(item: Item, response: Response) -> Answer:
    """Read a reply as OpenCompass does: its first capital letter names the option. If a perturbation renamed the labels, the
    first character that is a label does."""
    names = item.indicators
    capitals = all(name.isupper() for name in names)
    candidates = ((n, t) for n, t in enumerate(response.text) if (t.isupper() if capitals else t in names))
    index, letter = next(candidates, (None, ""))
    if index is None or letter not in names:
        return Answer(Status.UNPARSED, rule="first capital letter")
    choice = names.index(letter)
    return Answer(Status.PARSED, choice, letter, "first capital letter", index, index + 1)


def _tombench(item: Item, response: Response) -> Answer:
    """Read a reply as ToMBench's get_results.py does: by the first of [[A]], [[B]] …, [A], [B] … that the reply contains, else by
    its last capital letter, else as A. A to D are looked for in items of two options, too; C then chooses nothing."""
    names, reply = item.indicators, response.text
    letters = [*names, *(letter for letter in "ABCD" if names[0] == "A" and letter not in names)]
    forms = [*(f"[[{letter}]]" for letter in letters), *(f"[{letter}]" for letter in letters)]
    written = next((form for form in forms if form in reply), "")
    last = max(letters, key=reply.rfind)
    letter = written.strip("[]") or (last if last in reply else letters[0])
    rule = "[[X]] or the last capital letter"
    if letter not in names:
        return Answer(Status.UNPARSED, rule=rule)
    return Answer(Status.PARSED, names.index(letter), letter, rule)


def _halluqa(item: Item, response: Response) -> Answer:
    """Read a reply as HalluQA's calculate_metrics_mc.py does: "Answer: " and a letter, or a letter, and nothing else."""
    names, reply = item.indicators, response.text.strip()
    letter = reply.removeprefix("Answer: ")
    if letter not in names:
        return Answer(Status.UNPARSED, rule="Answer: X alone")
    return Answer(Status.PARSED, names.index(letter), letter, "Answer: X alone")


READERS = {"first-capital": _first_capital, "tombench": _tombench, "halluqa": _halluqa}
