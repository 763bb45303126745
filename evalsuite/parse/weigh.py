"""Stage 5, weigh: which of a block's commitments decides (rules 3, 6, 8, 16 and 18)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalsuite.parse.catalog import Catalog
from evalsuite.parse.commit import Commitment
from evalsuite.parse.evidence import EXPLICIT, NAMED, STANDING, STATED
from evalsuite.types import Status


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision on one block; `start:end` is a place in the clean text."""

    status: Status
    options: tuple[int, ...] = ()
    rule: str = ""
    start: int = 0
    end: int = 0


def weigh(found: Sequence[Commitment], cut: bool) -> Verdict | None:
    """The last explicit commitment, else the only stated one; None if nothing is chosen (rules 3, 8, 18).

    `cut`: the reply was cut off, so a plain statement may be mid-reasoning and decides nothing.
    """
    current = _explicit(found) or ([] if cut else _stated(found))
    if not current:
        return None
    first, last = current[0], current[-1]
    if last.what == "none":
        return Verdict(Status.UNPARSED, rule=last.rule, start=last.start, end=last.end)
    if any(c.conflict for c in current):
        return Verdict(Status.CONFLICT, rule="label-against-text", start=last.start, end=last.end)
    options = _union(current)
    if len(options) > 1:
        return Verdict(Status.SEVERAL, tuple(o for o in options if o >= 0), "several", first.start, last.end)
    if options[0] < 0:
        return Verdict(Status.UNPARSED, rule="outside", start=last.start, end=last.end)
    return Verdict(Status.PARSED, options, last.rule, last.start, last.end)


def _union(commitments: Sequence[Commitment]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(option for c in commitments for option in c.options))


def _explicit(found: Sequence[Commitment]) -> list[Commitment]:
    """The last explicit commitment and those added to it."""
    current: list[Commitment] = []
    last_end = -99
    for index, new in enumerate(found):
        strength = current[-1].strength if current else NAMED
        if new.what == "reject":
            if current and strength <= STANDING and set(_union(current)) <= set(new.options):
                current = []
        elif new.what == "cancel":
            current = []
        elif new.what == "none" and strength < EXPLICIT:
            current = [new]
        elif new.what == "all" and len(_union(found)) > 1:
            current = [c for c in found[:index] if c.what in ("pick", "name") and c.options] or current
        elif new.what == "pick" and new.strength >= STANDING:
            marked = strength > STANDING >= new.strength and new.start - last_end <= 6
            if not marked:  # a list in which one line is marked right: its other lines do not count
                before = found[index - 1] if index else None
                current = _taken(current, new, before)
        last_end = new.end
    return current


def _taken(current: list[Commitment], new: Commitment, before: Commitment | None) -> list[Commitment]:
    """The commitments in force after a new one: it alone, or added to the current ones (也)."""
    if current and current[-1].what == "none":
        current = []
    if new.adds and not current and before is not None and before.rule == "except":
        current = [before]  # 除了a，b也对
    return [*current, new] if (new.adds or _listed(current, new)) and not new.firm else [new]


def _stated(found: Sequence[Commitment]) -> list[Commitment]:
    """Commitments stated without an explicit word and not rejected elsewhere; without any, those in a question."""
    gone = {option for c in found if c.what == "reject" for option in c.options}
    for kind in ("pick", "question"):
        kept = [c for c in found if c.what == kind and c.strength == STATED and not set(c.options) <= gone]
        if kept and (kind == "pick" or len(_union([c for c in found if c.what in ("question", "name")])) == 1):
            return kept
    return []


def _listed(current: Sequence[Commitment], new: Commitment) -> bool:
    """Whether an answer that stands alone continues a list of such answers."""
    if not current or not new.rule.startswith("standing") or not current[-1].rule.startswith("standing"):
        return False
    return new.start - current[-1].end <= 12


def eliminated(found: Sequence[Commitment], options: Catalog, cut: bool) -> Verdict | None:
    """The only option that is left when all others are rejected (rule 6)."""
    gone = [c for c in found if c.what == "reject"]
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
