"""The two narrow modes of `parse_option`: the paper's listed forms, and a reply that is nothing but the answer."""

from __future__ import annotations

from collections.abc import Mapping

from evalsuite.parse.mentions import Options
from evalsuite.parse.chars import SENTINELS, WORD, lower, squeeze
from evalsuite.parse.strip import Clean
from evalsuite.types import Answer, Status


def paper(output: str, options: Mapping[str, str]) -> Answer:
    """Accept only the forms that the paper lists.

    For "(a) premise": a, A, (a), (A), a), A), (a)premise, (a) premise, premise.
    """
    reply = output.strip()
    start = len(output) - len(output.lstrip())
    if not reply:
        return Answer(Status.EMPTY, rule="nothing")
    for index, (label, text) in enumerate(options.items()):
        core = label.strip("()")
        forms = [form for c in {core, core.lower(), core.upper()} for form in (c, f"({c})", f"{c})")]
        if reply in (*forms, f"({core}){text}", f"({core}) {text}", text):
            return Answer(Status.PARSED, index, reply, "paper", start, start + len(reply))
    return Answer(Status.UNPARSED, rule="not-a-listed-form")


def strict(output: str, clean: Clean, options: Options) -> Answer:
    """Accept a reply that is a label, an option text, or both, once markup and outer punctuation are removed."""
    if not clean.text.strip(SENTINELS + " \n"):
        return Answer(Status.EMPTY, rule="nothing")
    words, here, there = squeeze(lower(clean.text))
    found = options.exact(words)
    for index, label in enumerate(options.labels):
        if words in (label, label + options.keys[index]) and label:
            found = index
    if found is None or not WORD.search(clean.text):
        return Answer(Status.UNPARSED, rule="more-than-the-answer")
    first, last = there[0], there[-1] + len(words) - here[-1]
    start, end = clean.raw_span(first, last)
    return Answer(Status.PARSED, found, output[start:end], "whole-reply", start, end)
