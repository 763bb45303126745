"""Last stage, decide: run all stages on a raw reply and return one answer (rules 3, 4, 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evalsuite.parse.catalog import Catalog, catalog
from evalsuite.parse.chars import SENTINELS, TURN, WORD, lower
from evalsuite.parse.commit import Reader
from evalsuite.parse.cues import cues
from evalsuite.parse.filled import filled, only_named, repeated, spoken, written_out
from evalsuite.parse.groups import Group, grouped
from evalsuite.parse.inference import inferred
from evalsuite.parse.mentions import masked, mentions
from evalsuite.parse.near import spelled, with_near
from evalsuite.parse.refusal import declines
from evalsuite.parse.scale import probabilities, ranking
from evalsuite.parse.segment import Block, blocks, quotations
from evalsuite.parse.strict import paper, strict
from evalsuite.parse.strip import Clean, strip
from evalsuite.parse.weigh import Verdict, eliminated, weigh
from evalsuite.types import Answer, Status


@dataclass(frozen=True, slots=True)
class Choices:
    """The options that a reply chooses where several may be right; `output[start:end]` is `text`.

    `choices` are indices into the item's options, ascending; empty unless `status` is PARSED.
    """

    status: Status
    choices: tuple[int, ...] = ()
    text: str | None = None
    rule: str = ""
    start: int | None = None
    end: int | None = None


def parse_option(
    output: str,
    options: Mapping[str, str],
    *,
    finish: str = "stop",
    mode: str = "full",
    dialogue: Sequence[str] | None = None,
) -> Answer:
    """The option that a reply commits to.

    `options` maps labels to texts in order; the answer's `choice` is an index into them, None unless exactly one option
    is chosen. `finish` is the reply's finish reason ("length": cut off). With `dialogue`, a reply that repeats the
    [MASK] turn with an option filled in is recognised (rule 9).

    `mode`: "paper" accepts only the forms that the paper lists, "strict" only a reply that is nothing but the answer,
    "full" reads everything. Raises ValueError for any other mode.
    """
    if mode not in ("full", "strict", "paper"):
        raise ValueError(f"mode is {mode!r}, not 'full', 'strict' or 'paper'")
    if mode == "paper":
        return paper(output, options)
    whole = None if mode == "strict" or finish == "length" else _verbatim(output, options)
    if whole is not None:
        return whole
    clean = strip(output)
    if mode == "strict":
        return strict(output, clean, catalog(options))
    verdict = decide(clean, catalog(options), finish, dialogue)
    return _answer(output, clean, verdict)


def _verbatim(output: str, options: Mapping[str, str]) -> Answer | None:
    """Parse a reply that is exactly the text of one option, even if that text contains labels, refusals or markup."""
    said = output.strip()
    found = [n for n, text in enumerate(options.values()) if text.strip() == said]
    if not said or len(found) != 1 or said.lower() in {label.strip("()（）").lower() for label in options}:
        return None
    start = len(output) - len(output.lstrip())
    return Answer(Status.PARSED, found[0], said, "whole-reply", start, start + len(said))


def parse_several(output: str, options: Mapping[str, str], *, finish: str = "stop") -> Choices:
    """The options that a reply chooses, found by the stages of `parse_option` instead of runs of names."""
    clean = strip(output)
    verdict = decide(clean, catalog(options), finish, None, several=True)
    answer = _answer(output, clean, verdict)
    chosen = tuple(sorted(verdict.options)) if verdict.status in (Status.PARSED, Status.SEVERAL) else ()
    status = Status.PARSED if chosen else verdict.status
    return Choices(status, chosen, answer.text, answer.rule, answer.start, answer.end)


def _answer(output: str, clean: Clean, verdict: Verdict) -> Answer:
    choice = verdict.options[0] if verdict.status is Status.PARSED else None
    if verdict.end <= verdict.start:
        return Answer(verdict.status, choice, None, verdict.rule)
    start, end = clean.raw_span(verdict.start, verdict.end)
    return Answer(verdict.status, choice, output[start:end], verdict.rule, start, end)


def decide(
    clean: Clean, options: Catalog, finish: str, dialogue: Sequence[str] | None, several: bool = False
) -> Verdict:
    """Run all stages on a clean text. The first block with an answer is the reply; the rest is run-on (rule 4).

    `several`: more than one option may be right.
    """
    text = clean.text
    cut = finish == "length"
    nothing = Verdict(Status.TRUNCATED if cut else Status.UNPARSED, rule="cut-off" if cut else "undecided")
    if clean.thinking and not WORD.search(text):
        return Verdict(nothing.status, rule="unclosed-thought")
    if not text.strip(SENTINELS + " \n"):
        return Verdict(Status.EMPTY, rule="nothing")
    low = lower(text)
    named = mentions(text, options)
    hints = cues(masked(low, named))
    groups = with_near(spelled(grouped(named, low), low, options), low, hints, options)
    parts = blocks(text)
    count = 0 if several else len(options.keys)  # a set may hold every option, so naming all is no echo
    reader = Reader(low, groups, hints, count, quotations(text))
    for block in parts:
        said = WORD.search(text, block.start)
        ended = said is not None and TURN in text[said.start() :]  # a finished turn was not cut off
        verdict = _block(block, reader, groups, low, options, cut and not ended, several)
        if verdict is not None:
            return verdict
        place = None if block.echo else declines(low, block.start, block.end)
        if place is not None:
            return filled(low, options, dialogue) or Verdict(Status.REFUSED, (), "declines", *place)
    unspoken = filled(low, options, dialogue) or (None if cut else spoken(parts, groups, low))
    return unspoken or repeated(low, options) or (None if cut or several else inferred(low, options)) or nothing


def _block(
    block: Block, reader: Reader, groups: Sequence[Group], low: str, options: Catalog, cut: bool, several: bool
) -> Verdict | None:
    """The verdict of one block; None if it has no answer."""
    inside = [g for g in groups if block.start <= g.start and g.end <= block.end]
    if not several:
        scaled = (None if block.echo else probabilities(low, inside, block.end)) or ranking(low, inside, block)
        if scaled is not None:
            option, start, end, rule = scaled
            status = Status.SEVERAL if option is None else Status.PARSED
            return Verdict(status, () if option is None else (option,), rule, start, end)
    found = reader.read(block)
    verdict = weigh(found, cut) or eliminated(found, options, cut)
    if verdict is None and several and any(c.what == "all" for c in found):
        everything = next(c for c in found if c.what == "all")
        return Verdict(
            Status.SEVERAL, tuple(range(len(options.keys))), everything.rule, everything.start, everything.end
        )
    if verdict is None and not cut and not block.echo and not declines(low, block.start, block.end):
        verdict = written_out(inside, block, low) or only_named(found, block, low)
    return verdict
