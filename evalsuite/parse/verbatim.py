"""Spans in languages with blanks between words (English): a reply found word for word in the dialogue is the span.

`parse_span` follows the habits of Chinese replies: it drops "so" or "sorry" as a lead-in and ends an answer after its
first sentence, while spans of English dialogues may contain both.
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
    """The whole reply or its first line if the dialogue contains it; else the result of `parse_span`.

    Ignores case, a lead-in ("Answer:"), quotes and outer punctuation. Matches whole words: "rain" is not in "train".

    >>> parse_verbatim('Answer: "So sorry".', dialogue=["A: I am so sorry . I missed the bus ."]).text
    'So sorry'
    """
    if extract and finish != "length":
        clean = strip(output)
        low = lower(clean.text)
        # Spans have no line breaks, and data files have more blanks between sentences than models repeat.
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
    """The reply and its first line, each as it is, without lead-in, and without quotes and punctuation around it."""
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    line = text.find("\n", start)
    for stop in dict.fromkeys((end, len(text[:line].rstrip()) if start < line < end else end)):
        yield start, stop
        lead = _LEAD.match(low, start, stop)
        begin = lead.end() if lead else start
        yield begin, stop
        yield trim(text, (begin, stop))
