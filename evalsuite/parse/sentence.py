"""Short free answers in English: the first sentence that answers, whole.

Unlike `span`, which cuts an answer to its core, this keeps "because …" and "do not …". It cuts only what announces the
answer ("Sure! The cause is that …", bullets, quotes, a speaker mark) and what follows it: further paragraphs, an
invented question, an explanation under its own heading.
"""

from __future__ import annotations

import re

from evalsuite.parse.chars import BOX_CLOSE, BOX_OPEN, SENTINELS, WORD, lower
from evalsuite.parse.segment import Block, blocks, lines
from evalsuite.parse.strip import strip
from evalsuite.types import Answer, Status

_THING = (
    r"(?:(?:final|correct|possible|likely|most[ ]likely|plausible|subsequent|emotional|direct)[ ])*"
    r"(?:answer|response|cause|event|prerequisite|motivation|reaction|inference)"
    r"(?:[ ](?:of|for|to|following|behind)[ ](?:the[ ])?(?:target|listener|speaker|question)(?:[ ]utterance)?)*"
)
# Announcements of an answer. They include "is that", since a whole sentence follows it.
_LEAD = re.compile(
    rf"(?:(?:sure|certainly|of[ ]course|okay|ok)[,!.:][ ]?|here(?:'s|[ ]is)[ ](?:the|my)[ ]answer[:.][ ]?"
    rf"|(?:based[ ]on|according[ ]to)[ ]the[ ](?:dialogue|conversation|context)[^,.\n]{{0,30}},[ ]?(?=\S)"
    rf"|(?:\*{{1,2}})?(?:the[ ]|a[ ]|one[ ]|my[ ])?{_THING}(?:\*{{1,2}})?[ ]?"
    r"(?::(?:\*{1,2})?|(?:is|was|could[ ]be|would[ ]be|might[ ]be|may[ ]be)(?:[ ]that(?=[ ])|:))[ ]?)"
)
_MARK = re.compile(rf"(?:[\s{SENTINELS}#>]|[-•][ ]|\*[ ]|\d{{1,2}}[.)][ ]|[\"“‘'*`](?=\S))*+")
_SPEAKER = re.compile(r"[ab]:[ ]?")
_TAIL = re.compile(rf"[\s{SENTINELS}*`]+$")
_QUOTE = re.compile('["“”]')
_REFUSES = re.compile(
    r"(?:i(?:'m|’m|[ ]am)[ ](?:sorry|unable|an[ ]ai|not[ ]able)|i[ ](?:cannot|can't|can’t|do[ ]not[ ]know|don't[ ]know|don’t[ ]know)"
    r"|as[ ]an[ ]ai|sorry,[ ](?:but[ ])?i|(?:it[ ])?cannot[ ]be[ ]determined|there[ ]is[ ]not[ ]enough[ ]information)"
)


def parse_sentence(output: str, *, finish: str = "stop") -> Answer:
    """The sentence that a reply answers with; its `text` is `output[start:end]`, None if there is none.

    >>> parse_sentence("Sure! The cause is that the train was late.\\n\\nLet me know if …").text
    'the train was late.'
    """
    cut = finish == "length"
    clean = strip(output)
    nothing = Answer(Status.TRUNCATED if cut else Status.UNPARSED, rule="cut-off" if cut else "no-sentence")
    if clean.thinking and not WORD.search(clean.text):
        return Answer(nothing.status, rule="unclosed-thought")
    if not clean.text.strip(SENTINELS + " \n"):
        return Answer(Status.EMPTY, rule="nothing")
    low = lower(clean.text)
    for block in blocks(clean.text):
        place = None if block.echo else _answer(low, block)
        if place is None:
            continue
        start, end = clean.raw_span(*place)
        if _REFUSES.match(low, place[0]):
            return Answer(Status.REFUSED, rule="declines", start=start, end=end)
        return Answer(Status.PARSED, None, output[start:end], "sentence", start, end)
    return nothing


def _answer(low: str, block: Block) -> tuple[int, int] | None:
    """The first line with an answer, from its first word to its last mark; None if there is none."""
    box = low.find(BOX_OPEN, block.start, block.end)
    start = block.start if box < 0 else box + 1
    shut = low.find(BOX_CLOSE, start, block.end)
    for first, last in lines(low, start, block.end if shut < 0 else shut):
        begin = _begins(low, first, last)
        end = begin + len(_TAIL.sub("", low[begin:last]))
        if _QUOTE.match(low, max(end - 1, begin), end) and len(_QUOTE.findall(low, begin, end)) % 2:
            end -= 1  # the opening quote was cut with the marks before the answer
        if begin < end and WORD.search(low, begin, end) and low[end - 1] != ":":
            return begin, end
    return None


def _begins(low: str, start: int, end: int) -> int:
    """Where a line's answer begins: after marks and announcements. The line's end if it has nothing else."""
    while True:
        mark = _MARK.match(low, start, end)
        begin = mark.end() if mark else start
        found = _SPEAKER.match(low, begin, end) or _LEAD.match(low, begin, end)
        begin = found.end() if found else begin
        if begin == start:
            return begin
        start = begin
