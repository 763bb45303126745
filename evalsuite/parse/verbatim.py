"""Spans of a dialogue in a language that puts blanks between words: a reply that stands in it word for word is the span.

`parse_span` looks for the answer in what a model says about it, by the habits of Chinese replies: it takes "so" or "sorry"
for a beginning that says nothing, and ends an answer with its first sentence. Spans of English dialogues are both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evalsuite.parse.chars import fold, lower
from evalsuite.parse.span import parse_span
from evalsuite.parse.strip import strip
from evalsuite.parse.trim import trim
from evalsuite.types import Answer, Status

_LEAD = re.compile(r"\s*(?:(?:the )?answer(?: is)?\s*:|answer is\b)\s*")


def parse_verbatim(
    output: str, *, dialogue: Sequence[str], question: str | None = None, finish: str = "stop", extract: bool = True
) -> Answer:
    """The whole reply, or its first line, if the dialogue says it so; else what `parse_span` reads.

    Case aside, and less what surrounds it: "Answer:", quotes, punctuation. Words are not cut: "rain" is not in "train".

    >>> parse_verbatim('Answer: "So sorry".', dialogue=["A: I am so sorry . I missed the bus ."]).text
    'So sorry'
    """
    if extract and finish != "length":
        clean = strip(output)
        low = lower(clean.text)
        # A span holds no line break, and files put more blanks between sentences than a model repeats.
        said = _key(lower(fold(" ".join(dialogue))))
        for start, end in _places(clean.text, low):
            words = _key(low[start:end])
            if words and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", said):
                first, last = clean.raw_span(start, end)
                return Answer(Status.PARSED, None, output[first:last], "verbatim", first, last)
    return parse_span(output, dialogue=dialogue, question=question, finish=finish, extract=extract)


def _key(text: str) -> str:
    return " ".join(text.split())


def _places(text: str, low: str) -> Iterator[tuple[int, int]]:
    """The reply and its first line: as they are, without lead-in, without quotes and punctuation around."""
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    line = text.find("\n", start)
    for stop in dict.fromkeys((end, len(text[:line].rstrip()) if start < line < end else end)):
        yield start, stop
        lead = _LEAD.match(low, start, stop)
        begin = lead.end() if lead else start
        yield begin, stop
        yield trim(text, (begin, stop))
