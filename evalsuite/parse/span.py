"""Spans: the stretch of a reply that a person would cut out as the answer, verbatim (rules 12 - 15).

First the stretch is chosen (`shapes`: a box, a JSON value, a list; `choose`: the concluding or first sentence), then
its head (`leads`) and its tail (`tails`) are cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from evalsuite.parse.chars import SENTINELS, WORD, key, lower
from evalsuite.parse.choose import choose, quotes_turn
from evalsuite.parse.question import Asked, parse_question
from evalsuite.parse.refusal import REFUSES, SMALL_TALK
from evalsuite.parse.segment import SPEAKER, Block, blocks, lines
from evalsuite.parse.shapes import boxed
from evalsuite.parse.strip import Clean, strip, strip_tokens
from evalsuite.parse.trim import trim
from evalsuite.types import Answer, Status


def parse_span(
    output: str,
    *,
    dialogue: Sequence[str] | None = None,
    question: str | None = None,
    finish: str = "stop",
    extract: bool = True,
) -> Answer:
    """The span that a reply answers with; its `text` is `output[start:end]`, None if there is none.

    With `dialogue`, a reply that continues the dialogue is told apart from one that quotes a turn; with `question`, the
    restated question is cut. `extract=False` takes the whole reply without blanks, thinking and special tokens.
    """
    cut = finish == "length"
    if not extract:
        start, end = strip_tokens(output)
        if start >= end:
            return Answer(Status.TRUNCATED if cut else Status.EMPTY, rule="nothing")
        return Answer(Status.PARSED, None, output[start:end], "whole-reply", start, end)
    clean = strip(output)
    if clean.thinking and not WORD.search(clean.text):
        return Answer(Status.TRUNCATED if cut else Status.UNPARSED, rule="unclosed-thought")
    if not clean.text.strip(SENTINELS + " \n"):
        return Answer(Status.EMPTY, rule="nothing")
    return _read_blocks(output, clean, dialogue, parse_question(question), question or "", cut)


def _read_blocks(
    output: str, clean: Clean, dialogue: Sequence[str] | None, ask: Asked, question: str, cut: bool
) -> Answer:
    text = clean.text
    low = lower(text)
    nothing = Answer(Status.TRUNCATED if cut else Status.UNPARSED, rule="cut-off" if cut else "no-span")
    asked_key = key(question)
    for block in blocks(text):
        place = trim(text, (block.start, block.end))
        if place[0] >= place[1]:
            continue
        if block.echo or (asked_key and _echoes(key(low[place[0] : place[1]]), asked_key)):
            nothing = replace(nothing, rule="echo")
            continue
        if _talks_on(text, block, dialogue):
            return Answer(nothing.status, rule="continued-dialogue")
        refusal = (
            None if _quotes(text, place, dialogue) else REFUSES.match(low, *place)
        )  # a quoted turn may say 我不知道
        if refusal:
            start, end = clean.raw_span(refusal.start(), refusal.end())
            return Answer(Status.REFUSED, rule="declines", start=start, end=end)
        found = boxed(text, low, (block.start, block.end), ask) or choose(text, low, block.start, place, ask, dialogue)
        if found is None:
            continue
        (start, end), rule = found
        if rule == "none-found":
            return Answer(
                Status.UNPARSED, rule=rule, start=clean.raw_span(start, end)[0], end=clean.raw_span(start, end)[1]
            )
        if ask.kind != "conflict" and _only_event(low[start:end], ask.event):
            nothing = replace(nothing, rule="echo")
            continue
        if start < end and WORD.search(text, start, end):
            raw_start, raw_end = clean.raw_span(start, end)
            return Answer(Status.PARSED, None, output[raw_start:raw_end], rule, raw_start, raw_end)
    return nothing


def _echoes(reply: str, question: str) -> bool:
    """Whether a reply is nothing but the question or a piece of it (rule 15)."""
    return len(reply) >= 6 and reply.rstrip("是为") in question


_JOINTS = re.compile("是?因为|是?由于|所以|因此|^事件|的(?:原因|后续事件|结果|后果)是?$")


def _only_event(span: str, event: str) -> bool:
    """Whether a span only says again the event that the question is about (rule 15)."""
    return bool(event) and _JOINTS.sub("", key(span)) == _JOINTS.sub("", event)


def _quotes(text: str, place: tuple[int, int], dialogue: Sequence[str] | None) -> bool:
    speaker = SPEAKER.match(text, *place)
    return quotes_turn(text[speaker.end() if speaker else place[0] : place[1]], dialogue)


_INLINE = re.compile(r"(?<=[。!?~… ])[ ]?[AB][ ]?:")


def _talks_on(text: str, block: Block, dialogue: Sequence[str] | None) -> bool:
    """Whether a block continues the dialogue: two turns or more, or a turn that is not in the dialogue."""
    rows = lines(text, block.start, block.end)
    if len(_INLINE.findall(text, block.start, block.end)) > 2:
        return True
    turns = sum(1 for start, end in rows if SPEAKER.match(text, start, end))
    if not rows or not SPEAKER.match(text, *rows[0]):
        return False
    turns += len(_INLINE.findall(text, block.start, block.end))
    if turns > 1:
        return True
    if _quotes(text, rows[0], dialogue):
        return False
    speaker = SPEAKER.match(text, *rows[0])
    said = key(text[speaker.end() if speaker else rows[0][0] : rows[0][1]])
    return bool(dialogue) and not any(said in key(turn) for turn in dialogue or ()) and bool(SMALL_TALK.search(said))
