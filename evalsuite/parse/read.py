"""Last stage: the rules that fired -> one answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evalsuite.parse.chars import SENTINELS, TURN, WORD, key, lower
from evalsuite.parse.filled import filled, repeated, spoken
from evalsuite.parse.inference import inferred
from evalsuite.parse.mentions import Group, Options, grouped, masked, mentions, prepare, spelled, with_near
from evalsuite.parse.refusal import declines
from evalsuite.parse.rules import AHEAD, BACK, Rule, fired
from evalsuite.parse.scale import probabilities, ranking
from evalsuite.parse.segment import Block, blocks, quotations
from evalsuite.parse.strict import paper, strict
from evalsuite.parse.strip import Clean, strip
from evalsuite.parse.tape import Tape, cues, make_tape
from evalsuite.parse.verdict import Verdict
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


EXPLICIT, STANDING, STATED, NAMED = 3, 2, 1, 0
STRENGTH = {"pick": 3, "line": 2, "head": 2, "state": 1, "ask": 1, "not": 3, "none": 3, "those": 3, "all": 1, "cancel": 3}


@dataclass(frozen=True, slots=True)
class Hit:
    """A rule that fired at a place of the clean text."""

    verdict: str
    rule: str
    options: tuple[int, ...]
    start: int
    end: int
    adds: bool = False
    firm: bool = False
    conflict: bool = False
    before: str = ""

    @property
    def picks(self) -> bool:
        return self.verdict in ("pick", "line", "head", "state")

    @property
    def strength(self) -> int:
        return STRENGTH.get(self.verdict, 0)


_ADDS = re.compile(r"[aA][^MTQGW./,]*\Z")
_ADDED = re.compile(r"['_]?[a]")
_ITEM = re.compile(r"[!/][b,.:(|\[]*\Z")
_BUT = re.compile(r"V[^./,MTQG]*\Z")
_FIRM = re.compile(r"[FK][^./]*\Z")


def hits(tape: Tape, count: int, echo: bool, several: bool = False) -> list[Hit]:
    found: list[Hit] = []
    items: set[tuple[int, ...]] = set()
    for at, token in enumerate(tape.tokens):
        before, behind = tape.tokens[max(at - BACK, 0) : at], tape.tokens[at + 1 : at + 1 + AHEAD]
        rule = fired(token, before, behind, several)
        group = tape.groups.get(at)
        if rule is None and group is None:
            continue
        verdict, name = (rule.verdict, rule.name) if rule else ("name", "named")
        options = group.options if group else ()
        if group and (group.ranked or name == "ranking") and verdict in ("pick", "name", "line", "head", "state"):
            verdict, name, options = "pick", "ranking", options[:1]
        if verdict in ("line", "head", "state", "ask") and echo:
            verdict, name = "name", "echo"
        if not several and verdict in ("pick", "line", "head", "state", "ask") and len(options) == count > 2 and (echo or verdict in ("line", "head")):
            verdict, name = "name", "echo"
        if options == (-1,) and (verdict == "state" or name == "is"):
            verdict, name = "name", "outside"
        if group and verdict != "line" and _ITEM.search(before):
            items.add(options)
        adds = bool(group and (_ADDS.search(before) or _ADDED.match(behind)))
        found.append(Hit(verdict, name, options, *tape.places[at], adds, bool(_FIRM.search(before)), bool(group and group.conflict), before))
    if len(items) > 1 and not several:
        found = [h if h.verdict != "head" else Hit("name", "discussed", h.options, h.start, h.end) for h in found]
    return found


def weigh(found: Sequence[Hit], cut: bool, count: int) -> Verdict | None:
    """The last explicit commitment, else the only stated one; None if nothing is chosen (rules 3, 8, 18)."""
    current = _explicit(found, count) or ([] if cut else _stated(found))
    if not current:
        return None
    first, last = current[0], current[-1]
    if last.verdict == "none":
        return Verdict(Status.UNPARSED, rule=last.rule, start=last.start, end=last.end)
    if any(c.conflict for c in current):
        return Verdict(Status.CONFLICT, rule="label-against-text", start=last.start, end=last.end)
    options = _union(current)
    if len(options) > 1:
        return Verdict(Status.SEVERAL, tuple(o for o in options if o >= 0), "several", first.start, last.end)
    if options[0] < 0:
        return Verdict(Status.UNPARSED, rule="outside", start=last.start, end=last.end)
    return Verdict(Status.PARSED, options, last.rule, last.start, last.end)


def _union(found: Sequence[Hit]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(option for c in found for option in c.options))


def _explicit(found: Sequence[Hit], count: int) -> list[Hit]:
    current: list[Hit] = []
    last_end = -99
    for index, new in enumerate(found):
        strength = current[-1].strength if current else NAMED
        if new.verdict == "not":
            if current and strength <= STANDING and set(_union(current)) <= set(new.options):
                current = []
        elif new.verdict == "cancel":
            current = []
        elif new.verdict == "none" and strength < EXPLICIT:
            current = [new]
        elif new.verdict == "all" and len(_union(found)) > 1:
            current = [c for c in found[:index] if (c.picks or c.verdict == "name") and c.options] or current
        elif new.picks and new.strength >= STANDING:
            marked = strength > STANDING >= new.strength and new.start - last_end <= 6
            ranked = bool(current) and current[-1].rule == "ranking" and new.verdict != "pick"
            if not marked and not ranked:
                current = _taken(current, new, found[index - 1] if index else None)
        last_end = new.end
    return current


def _taken(current: list[Hit], new: Hit, before: Hit | None) -> list[Hit]:
    if current and current[-1].verdict == "none":
        current = []
    if new.adds and not current and before is not None and before.verdict == "except":
        current = [before]
    return [*current, new] if (new.adds or _listed(current, new)) and not new.firm else [new]


def _listed(current: Sequence[Hit], new: Hit) -> bool:
    alone = ("line", "head")
    if not current or new.verdict not in alone or current[-1].verdict not in alone:
        return False
    return new.start - current[-1].end <= 12


def _stated(found: Sequence[Hit]) -> list[Hit]:
    gone = {option for c in found if c.verdict == "not" for option in c.options}
    for kind in ("state", "ask"):
        kept = [c for c in found if c.verdict == kind and not set(c.options) <= gone]
        if kept and (kind == "state" or len(_union([c for c in found if c.verdict in ("ask", "name")])) == 1):
            return kept
    return []


def eliminated(found: Sequence[Hit], options: Options, cut: bool) -> Verdict | None:
    """The only option that is left when all others are rejected (rule 6)."""
    gone = [c for c in found if c.verdict == "not"]
    left = set(range(len(options.keys))) - {o for c in gone for o in c.options}
    pair = next((c for c in reversed(found) if c.rule in ("among", "listed") and len(c.options) > 1), None)
    if pair is not None and not cut:  # 在a和c之间。a可以排除
        later = {o for c in gone if c.start > pair.end for o in c.options}
        kept = [o for o in pair.options if o not in later]
        if len(kept) == 1 and kept[0] >= 0:
            return Verdict(Status.PARSED, tuple(kept), "elimination", pair.start, pair.end)
    if cut or len(left) != 1 or (len(options.keys) < 3 and not gone):
        return None
    return Verdict(Status.PARSED, tuple(left), "elimination", gone[0].start, gone[-1].end)


def parse_option(
    output: str,
    options: Mapping[str, str],
    *,
    finish: str = "stop",
    mode: str = "full",
    dialogue: Sequence[str] | None = None,
) -> Answer:
    if mode not in ("full", "strict", "paper"):
        raise ValueError(f"mode is {mode!r}, not 'full', 'strict' or 'paper'")
    if mode == "paper":
        return paper(output, options)
    whole = None if mode == "strict" or finish == "length" else _verbatim(output, options)
    if whole is not None:
        return whole
    clean = strip(output)
    if mode == "strict":
        return strict(output, clean, prepare(options))
    return _answer(output, clean, decide(clean, prepare(options), finish, dialogue))


def parse_options(output: str, options: Mapping[str, str], *, finish: str = "stop") -> Choices:
    clean, known = strip(output), prepare(_apart(options))
    if not known.digits and not mentions(clean.text, lower(clean.text), known):
        numbered = prepare({str(n): text for n, text in enumerate(_apart(options).values(), 1)})
        known = numbered if mentions(clean.text, lower(clean.text), numbered) else known
    verdict = decide(clean, known, finish, None, several=True)
    answer = _answer(output, clean, verdict)
    chosen = tuple(sorted(verdict.options)) if verdict.status in (Status.PARSED, Status.SEVERAL) else ()
    status = Status.PARSED if chosen else verdict.status
    return Choices(status, chosen, answer.text, answer.rule, answer.start, answer.end)


def _apart(options: Mapping[str, str]) -> dict[str, str]:
    """The options, with the text of a duplicate emptied: a shared text would name neither option."""
    keys = [key(text) for text in options.values()]
    return {label: "" if keys[n] in keys[:n] else text for n, (label, text) in enumerate(options.items())}


def _verbatim(output: str, options: Mapping[str, str]) -> Answer | None:
    """Parse a reply that is exactly the text of one option, even if that text contains labels, refusals or markup."""
    said = output.strip()
    found = [n for n, text in enumerate(options.values()) if text.strip() == said]
    if not said or len(found) != 1 or said.lower() in {label.strip("()（）").lower() for label in options}:
        return None
    start = len(output) - len(output.lstrip())
    return Answer(Status.PARSED, found[0], said, "whole-reply", start, start + len(said))


def _answer(output: str, clean: Clean, verdict: Verdict) -> Answer:
    choice = verdict.options[0] if verdict.status is Status.PARSED else None
    if verdict.end <= verdict.start:
        return Answer(verdict.status, choice, None, verdict.rule)
    start, end = clean.raw_span(verdict.start, verdict.end)
    return Answer(verdict.status, choice, output[start:end], verdict.rule, start, end)


def decide(clean: Clean, options: Options, finish: str, dialogue: Sequence[str] | None, several: bool = False) -> Verdict:
    text = clean.text
    cut = finish == "length"
    nothing = Verdict(Status.TRUNCATED if cut else Status.UNPARSED, rule="cut-off" if cut else "undecided")
    if clean.thinking and not WORD.search(text):
        return Verdict(nothing.status, rule="unclosed-thought")
    if not text.strip(SENTINELS + " \n"):
        return Verdict(Status.EMPTY, rule="nothing")
    low = lower(text)
    groups, hints, quoted = found_in(low, text, options)
    for block in blocks(text):
        said = WORD.search(text, block.start)
        ended = said is not None and TURN in text[said.start() :]
        verdict = _block(block, groups, hints, quoted, low, options, cut and not ended, several)
        if verdict is not None:
            return verdict
        place = None if block.echo else declines(low, block.start, block.end)
        if place is not None:
            return filled(low, options, dialogue) or Verdict(Status.REFUSED, (), "declines", *place)
    unspoken = filled(low, options, dialogue) or (None if cut else spoken(blocks(text), groups, low))
    return unspoken or repeated(low, options) or (None if cut or several else inferred(low, options)) or nothing


def found_in(low: str, text: str, options: Options):
    named = mentions(text, low, options)
    hints = cues(masked(low, named))
    spots = [end for kind, _, end in hints if kind in "SspC=l+Fo"]
    groups = with_near(spelled(grouped(named, low), low, options), low, spots, options)
    return groups, hints, quotations(text)


def _block(block: Block, groups, hints, quoted, low: str, options: Options, cut: bool, several: bool) -> Verdict | None:
    inside = [g for g in groups if block.start <= g.start and g.end <= block.end]
    if not several:
        scaled = (None if block.echo else probabilities(low, inside, block.end)) or ranking(low, inside, block)
        if scaled is not None:
            option, start, end, rule = scaled
            return Verdict(Status.SEVERAL if option is None else Status.PARSED, () if option is None else (option,), rule, start, end)
    tape = make_tape(low, block, inside, hints, quoted)
    if several:
        return weigh_set(hits(tape, len(options.keys), block.echo, True), tape, options, cut, low, block)
    found = hits(tape, len(options.keys), block.echo)
    return weigh(found, cut, len(options.keys)) or eliminated(found, options, cut) or (None if cut else only_named(tape, found, low))


_SHORT = re.compile(r"![@_'~=#,.A]*T[_'~=,.]*")


def only_named(tape: Tape, found: Sequence[Hit], low: str) -> Verdict | None:
    """The only option that a reply names, by a label in brackets or by its text in a short sentence (rule 9)."""
    if not found or any(h.verdict != "name" or h.rule not in ("named", "spoken") or h.conflict for h in found):
        return None
    last = found[-1]
    if len({h.options for h in found}) > 1 or len(last.options) > 1 or last.options[0] < 0:
        return None
    if low[last.start] in "([【" and low[last.end - 1] in ")]】":
        return Verdict(Status.PARSED, last.options, "only-named", last.start, last.end)
    if last.end - last.start >= 3 and _SHORT.fullmatch(tape.tokens) and 4 <= tape.places[-1][1] - (last.end-last.start):
        return Verdict(Status.PARSED, last.options, "only-named", last.start, last.end)
    return None


def weigh_set(found: list[Hit], tape: Tape, options: Options, cut: bool, low: str, block: Block) -> Verdict | None:
    everything = tuple(range(len(options.keys)))
    chosen: list[Hit] = []
    wrong: set[int] = set()
    verdict = None
    for hit in found:
        stated = hit.verdict in ("line", "head", "state", "pick") and hit.rule not in ("asked",)
        if hit.verdict == "not":
            wrong |= set(hit.options)
        elif hit.verdict == "none" and not chosen:
            verdict = Verdict(Status.UNPARSED, rule="none", start=hit.start, end=hit.end)
        elif hit.verdict == "all" or hit.verdict == "but":
            left = tuple(o for o in everything if o not in hit.options)
            chosen = [Hit("pick", hit.rule, left, hit.start, hit.end)]
        elif stated:
            last = chosen[-1] if chosen else None
            judged = ("judged-right", "item-right", "right", "weak", "only")
            if last is None:
                chosen = [hit]
            elif (hit.firm or _BUT.search(hit.before)) and hit.verdict == "pick" and not last.firm:
                chosen = [hit]
            elif hit.rule in judged and last.rule in judged or hit.adds or hit.strength == last.strength or (hit.verdict in ("line", "head") and last.verdict == "pick"):
                chosen.append(hit)
            elif hit.strength > last.strength:
                chosen = [hit]
    chosen = [h for h in chosen if not set(h.options) <= wrong]
    if wrong >= {*everything}:
        return Verdict(Status.UNPARSED, (), "none", found[0].start, found[-1].end)
    if not chosen:
        return verdict
    options_ = tuple(o for o in _union(chosen) if o not in wrong)
    start, end = chosen[0].start, chosen[-1].end
    if -1 in options_:
        return Verdict(Status.UNPARSED, (), "outside", start, end)
    if cut and not WORD.search(low, end, block.end):
        return Verdict(Status.TRUNCATED, (), "cut-off", start, end)
    return Verdict(Status.SEVERAL, options_, chosen[-1].rule, start, end)


def show(output: str, options: Mapping[str, str], several: bool = False) -> str:
    clean = strip(output); low = lower(clean.text); known = prepare(options)
    groups, hints, quoted = found_in(low, clean.text, known)
    out = []
    for block in blocks(clean.text):
        tape = make_tape(low, block, groups, hints, quoted)
        out.append(tape.tokens + ("  ECHO" if block.echo else ""))
        for h in hits(tape, len(known.keys), block.echo, several):
            out.append(f"    {h.verdict:7}{h.rule:14}{h.options} {low[h.start:h.end]!r}{' adds' if h.adds else ''}{' firm' if h.firm else ''}")
    return "\n".join(out)
