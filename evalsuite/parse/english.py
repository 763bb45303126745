"""Parses spans and short texts in English.

`parse_span` drops "so" and "sorry" as lead-ins and ends an answer after its first sentence; English spans may contain both. So
words that the dialogue contains are taken as they are, and a short text is the whole sentence that answers, with "because …".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evalsuite.parse.chars import BOX_CLOSE, BOX_OPEN, SENTINELS, WORD, fold, lower
from evalsuite.parse.span import parse_span, trim
from evalsuite.parse.spanrules import REFUSE, rules
from evalsuite.parse.strip import Block, blocks, lines, strip
from evalsuite.types import Answer, Status

# Marks, a speaker, and announcements of an answer. They include "is that", since a whole sentence follows it.
_LEAD = re.compile(
    rf"(?:[\s{SENTINELS}#>]|[-•*][ ]|\d{{1,2}}[.)][ ]|[\"“‘'*`](?=\S)|(?<![a-z])[ab]:[ ]?|(?:sure|certainly|of course|ok|okay)[,!.:][ ]?"
    r"|here(?:'s| is) (?:the|my) answer[:.][ ]?|(?:based on|according to) the (?:dialogue|conversation|context)[^,.\n]{0,30},[ ]?(?=\S)"
    r"|(?:(?:the|an?|one|my|final|correct|possible|most|likely|plausible|subsequent|emotional|direct) )*"
    r"(?:answer|response|cause|event|prerequisite|motivation|reaction|inference)"
    r"(?: (?:of|for|to|following|behind) (?:the )?(?:target|listener|speaker|question)(?: utterance)?)*"
    r"[ ]?(?::|(?:is|was|[cw]ould be|may be|might be)(?: that(?= )|:))[ ]?)*+"
)
_FINAL = re.compile(rf"[\s{SENTINELS}#>*]*(?:the |my )?(?:final |correct )?answer ?(?:is ?)?:")
_QUOTED = re.compile(r"(?<!\w)[\"“'‘]([^\"“”'‘’\n]{2,100})[\"”'’](?!\w)")
_LIST = re.compile(r"[-*•\d][^\n]*\n\s*[-*•\d]")
_ANSWER = re.compile(r"\s*(?:(?:the )?answer(?: is)?\s*:|answer is\b)\s*")
_BOX = re.compile(f"{BOX_OPEN}([^{BOX_CLOSE}]*)")


def parse_verbatim(
    output: str, *, dialogue: Sequence[str], question: str | None = None, finish: str = "stop", extract: bool = True
) -> Answer:
    """Parse an answer that is a span of the dialogue: the whole reply, its first line, or a quotation in its last line. Without
    such a span, read the reply as `parse_span` does.

    Ignores case, a lead-in ("Answer:"), quotes and outer punctuation. Matches whole words: "rain" is not in "train".

    >>> parse_verbatim('Answer: "So sorry".', dialogue=["A: I am so sorry . I missed the bus ."]).text
    'So sorry'
    """
    answer = parse_span(output, dialogue=dialogue, question=question or "?", finish=finish, extract=extract)
    clean = strip(output)
    if not extract or finish == "length" or not WORD.search(clean.text):
        return answer
    # Spans have no line breaks, and data files have more blanks between sentences than models repeat.
    low, said = lower(clean.text), _key(lower(fold(" ".join(dialogue))))
    spans = [*_heads(clean.text, low)]
    if answer.text and answer.rule != "list" and _key(lower(answer.text)) not in said:
        spans += _last_quoted(clean.text, low, lower(question or ""))
    for span in spans:
        words = _key(low[slice(*span)])
        if words and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", said):
            start, end = clean.raw_span(*span)
            return Answer(Status.PARSED, None, output[start:end], "verbatim", start, end)
    return answer


def _key(text: str) -> str:
    return " ".join(text.split())


def _heads(text: str, low: str) -> Iterator[tuple[int, int]]:
    """The reply and, unless it is a list, its first line: as it is, without lead-in, and without quotes and punctuation."""
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    line = -1 if _LIST.match(text, start) else text.find("\n", start, end)
    for stop in (end, len(text[:line].rstrip())) if line >= 0 else (end,):
        lead = _ANSWER.match(low, start, stop)
        yield from ((start, stop), trim(text, (lead.end() if lead else start, stop)))


def _last_quoted(text: str, low: str, question: str) -> Iterator[tuple[int, int]]:
    """Spans of the quotations in the last line of an explanation, last first, without words of the question."""
    for quote in reversed(list(_QUOTED.finditer(text, *lines(text, 0, blocks(low)[0].end)[-1]))):
        span = trim(text, quote.span(1))
        if low[slice(*span)] not in question:
            yield span


def parse_sentence(output: str, *, finish: str = "stop") -> Answer:
    """The sentence that a reply answers with; its `text` is `output[start:end]`, None if there is none.

    >>> parse_sentence("Sure! The cause is that the train was late.\\n\\nLet me know if …").text
    'the train was late.'
    """
    clean, cut = strip(output), finish == "length"
    if not WORD.search(clean.text):
        return parse_span(output, finish=finish)
    low = lower(clean.text)
    for block in blocks(low):
        if not block.echo and (span := _answer(low, block)):
            start, end = clean.raw_span(*span)
            if any(rule.act == REFUSE and rule.pattern.match(low, span[0]) for rule in rules()):
                return Answer(Status.REFUSED, rule="declines", start=start, end=end)
            return Answer(Status.PARSED, None, output[start:end], "sentence", start, end)
    return Answer(Status.TRUNCATED if cut else Status.UNPARSED, rule="cut-off" if cut else "no-sentence")


def _answer(low: str, block: Block) -> tuple[int, int] | None:
    """The line named as the final answer, else the first with an answer, from its first word to its last mark."""
    box = _BOX.search(low, block.start, block.end)
    rows = lines(low, *(box.span(1) if box else (block.start, block.end)))
    final = next((n for n, row in enumerate(rows) if _FINAL.match(low, *row)), 0)
    for first, last in rows[final:] + rows[:final]:
        lead = _LEAD.match(low, first, last)
        begin = lead.end() if lead else first
        end = begin + len(low[begin:last].rstrip(SENTINELS + "*` \n"))
        if low[end - 1 : end] in set('"“”') and sum(map(low[begin:end].count, '"“”')) % 2:
            end -= 1  # the opening quote was cut with the marks before the answer
        if WORD.search(low, begin, end) and low[end - 1] != ":":
            return begin, end
    return None
