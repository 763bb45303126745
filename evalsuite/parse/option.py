"""Stage 5, decide: from what a reply says of the options to one answer (rules 3, 4, 6 - 8, 16 - 18)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..types import Answer, Status
from .catalog import Catalog, catalog
from .chars import SENTINELS, WORD, key, lower, squeeze
from .commit import Commitment, Reader
from .cues import Cue, cues
from .evidence import EXPLICIT, STANDING, STATED
from .groups import Group, grouped
from .mentions import Mention, masked, mentions
from .refusal import declines
from .scale import probabilities, ranking
from .segment import SPEAKER, Block, blocks, quotations
from .strict import paper, strict
from .strip import Clean, strip


@dataclass(frozen=True, slots=True)
class Choices:
    """The options that a reply chooses where several may be right. `start:end` is where in the raw reply they stand."""

    status: Status
    choices: tuple[int, ...] = ()
    text: str | None = None
    rule: str = ""
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one block decides, in places of the clean text."""

    status: Status
    options: tuple[int, ...] = ()
    rule: str = ""
    start: int = 0
    end: int = 0


def parse_option(
    output: str,
    options: Mapping[str, str],
    *,
    finish: str = "stop",
    mode: str = "full",
    dialogue: Sequence[str] | None = None,
) -> Answer:
    """The option that a reply commits to, if it commits to exactly one.

    `options` maps labels to texts in order; the answer's `choice` is an index into them. `finish` is why the model stopped.
    `mode` "paper" counts only the forms that the paper lists, "strict" only a reply that is nothing but the answer, "full"
    reads everything. With `dialogue` a reply that repeats the [MASK] turn filled in is recognised for certain (rule 9).
    """
    if mode not in ("full", "strict", "paper"):
        raise ValueError(f"mode is {mode!r}, not 'full', 'strict' or 'paper'")
    if mode == "paper":
        return paper(output, options)
    clean = strip(output)
    if mode == "strict":
        return strict(output, clean, catalog(options))
    verdict = read(clean, catalog(options), finish, dialogue)
    return _answer(output, clean, verdict)


def parse_options(output: str, options: Mapping[str, str], *, finish: str = "stop") -> Choices:
    """All options that a reply chooses, by the same reader; for items where several may be right."""
    clean = strip(output)
    verdict = read(clean, catalog(options), finish, None, several=True)
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


def read(clean: Clean, options: Catalog, finish: str, dialogue: Sequence[str] | None, several: bool = False) -> Verdict:
    """All stages on a clean text: the first block that decides is the reply (rule 4)."""
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
    groups = _with_near(_spelled(grouped(named, low), low, options), low, hints, options)
    parts = blocks(text)
    reader = Reader(low, groups, hints, len(options.keys), quotations(text))
    refused: Verdict | None = None
    fallback: Verdict | None = None
    for block in parts:
        verdict = _block(block, reader, groups, low, options, cut, several)
        if verdict is not None and verdict.status is not Status.UNPARSED:
            return verdict
        fallback = fallback or verdict
        if refused is None and not block.echo:
            place = declines(low, block.start, block.end)
            if place:
                refused = Verdict(Status.REFUSED, rule="declines", start=place[0], end=place[1])
    filled = _filled(low, options, dialogue) or (None if cut or refused else _spoken(parts, groups, low))
    return filled or refused or fallback or nothing


def _block(
    block: Block, reader: Reader, groups: Sequence[Group], low: str, options: Catalog, cut: bool, several: bool
) -> Verdict | None:
    """What one block decides; None if nothing."""
    inside = [g for g in groups if block.start <= g.start and g.end <= block.end]
    scaled = None if several or block.echo else probabilities(low, inside, block.end)
    if scaled is None:
        scaled = None if several else ranking(low, inside, block)
    if scaled is not None:
        option, start, end, rule = scaled
        if option is None:
            return Verdict(Status.SEVERAL, rule=rule, start=start, end=end)
        return Verdict(Status.PARSED, (option,), rule, start, end)
    found = reader.read(block)
    verdict = weigh(found, cut)
    if verdict is None:
        verdict = _eliminated(found, options, cut)
    if verdict is None and not cut and not block.echo and not declines(low, block.start, block.end):
        verdict = _only_named(found, block, low)
    return verdict


def weigh(found: Sequence[Commitment], cut: bool) -> Verdict | None:
    """The last explicit commitment, or failing that the only stated one (rules 3, 8, 18)."""
    turned_down: set[int] = set()
    current: list[Commitment] = []
    last_end = -99
    for index, commitment in enumerate(found):
        if commitment.what == "reject":
            turned_down = set(commitment.options)
            if current and {o for c in current for o in c.options} <= turned_down and current[-1].strength <= STANDING:
                current = []
        elif commitment.what == "cancel":
            current = []
        elif commitment.what == "none" and (not current or current[-1].strength < EXPLICIT):
            current = [commitment]
        elif commitment.what == "all" and len({o for c in found for o in c.options}) > 1:
            current = [
                c for c in found if c.what in ("pick", "name") and c.start < commitment.start and c.options
            ] or current
        elif commitment.what == "pick" and commitment.strength >= STANDING:
            if current and current[-1].strength > STANDING >= commitment.strength and commitment.start - last_end <= 6:
                last_end = commitment.end
                continue  # a line of a list one line of which has been marked right
            adds = commitment.adds or _listed(current, commitment)
            if current and current[-1].what == "none":
                current = []
            if adds and not current and index and found[index - 1].rule == "except":
                current = [found[index - 1]]
            if adds and current and not commitment.firm:
                current.append(commitment)
            else:
                current = [commitment]
        last_end = commitment.end
    if not current and not cut:
        stated = [c for c in found if c.what == "pick" and c.strength == STATED]
        gone: set[int] = set()
        for commitment in found:
            if commitment.what == "reject":
                gone |= set(commitment.options)
        stated = [c for c in stated if not set(c.options) <= gone]
        if not stated:
            stated = [c for c in found if c.what == "question" and not set(c.options) <= gone]
        current = stated
    if not current:
        return None
    first, last = current[0], current[-1]
    if last.what == "none":
        return Verdict(Status.UNPARSED, rule=last.rule, start=last.start, end=last.end)
    if any(c.conflict for c in current):
        return Verdict(Status.CONFLICT, rule="label-against-text", start=last.start, end=last.end)
    options = tuple(dict.fromkeys(o for c in current for o in c.options))
    if len(options) > 1:
        return Verdict(Status.SEVERAL, tuple(o for o in options if o >= 0), "several", first.start, last.end)
    if options[0] < 0:
        return Verdict(Status.UNPARSED, rule="outside", start=last.start, end=last.end)
    return Verdict(Status.PARSED, options, last.rule, last.start, last.end)


def _listed(current: Sequence[Commitment], new: Commitment) -> bool:
    """Whether an answer that stands alone continues a list of such answers."""
    if not current or not new.rule.startswith("standing") or not current[-1].rule.startswith("standing"):
        return False
    return new.start - current[-1].end <= 12


def _eliminated(found: Sequence[Commitment], options: Catalog, cut: bool) -> Verdict | None:
    """All options but one turned down: the one is left (rule 6)."""
    gone = [c for c in found if c.what == "reject"]
    left = set(range(len(options.keys))) - {o for c in gone for o in c.options}
    if cut or len(left) != 1 or (len(options.keys) < 3 and not gone):
        return None
    return Verdict(Status.PARSED, tuple(left), "elimination", gone[0].start, gone[-1].end)


def _only_named(found: Sequence[Commitment], block: Block, low: str) -> Verdict | None:
    """The only option that a reply names, by a label in brackets or by its text in a short sentence (rule 9)."""
    named = [c for c in found if c.what == "name" and c.rule in ("named", "defined")]
    if not named or len(named) != len([c for c in found if c.what != "cancel"]):
        return None
    options = {o for c in named for o in c.options}
    last = named[-1]
    if len(options) != 1 or -1 in options or any(c.conflict for c in named):
        return None
    if not (low[last.start] in "([【" and low[last.end - 1] in ")]】"):
        words = low[block.start : block.end].strip()
        size = len(key(low[last.start : last.end]))
        plain = size >= 3 and size + 4 <= len(words) <= 60 and not _ABOUT.search(words)
        if not plain or low.find(words[:2], block.start) == last.start or low[max(last.start - 1, 0)] in _NEGATES:
            return None
    return Verdict(Status.PARSED, (next(iter(options)),), "only-one-named", last.start, last.end)


_NEGATES = "不没未非无"
_ABOUT = re.compile(
    r"[?]|吗|对话|选项|答案|题|根据|提到|[a-z]说|是一[种个部]|什么|讨论|关于|概念|定义|是否|如果|because|the "
)


def _spoken(parts: Sequence[Block], groups: Sequence[Group], low: str) -> Verdict | None:
    """A reply that is the dialogue's [MASK] sentence filled in: one option's text inside a long sentence (rule 9)."""
    texts = [g for g in groups if all(m.kind == "text" for m in g.members)]
    options = {o for g in texts for o in g.options}
    if len(options) != 1 or len(texts) != len(groups) or not SPEAKER.match(low, parts[0].start if parts else 0):
        return None
    group = texts[0]
    start = max((low.rfind(mark, 0, group.start) for mark in "\n。!?"), default=-1) + 1
    end = min((at for at in (low.find(mark, group.end) for mark in "\n。!?") if at >= 0), default=len(low))
    asks = re.match(r"[^,。!\n]{0,12}?[?吗]", low[group.end : end + 1])
    if low[max(group.start - 1, 0)] in _NEGATES or asks:
        return None
    around = len(key(low[start:end])) - (group.end - group.start)
    if group.end - group.start < 2 or around < 8:
        return None
    return Verdict(Status.PARSED, group.options, "filled-in", group.start, group.end)


def _filled(low: str, options: Catalog, dialogue: Sequence[str] | None) -> Verdict | None:
    """The [MASK] turn of the dialogue with an option in its place."""
    if not dialogue:
        return None
    squeezed, here, there = squeeze(low)
    for turn in dialogue:
        before, mark, after = turn.partition("[MASK]")
        if not mark:
            continue
        head, tail = key(before)[-6:], key(after.split("[MASK]")[0])[:6]
        if len(head) + len(tail) < 3:
            continue
        fits = [index for index, text in enumerate(options.keys) if text and head + text + tail in squeezed]
        if len(fits) == 1:
            at = squeezed.index(head + options.keys[fits[0]] + tail) + len(head)
            run = max(i for i, start in enumerate(here) if start <= at)
            start = there[run] + at - here[run]
            return Verdict(Status.PARSED, (fits[0],), "filled-in", start, start + len(options.keys[fits[0]]))
    return None


_LETTERS = re.compile(r"(?<![a-z0-9])[a-z]{2,30}(?![a-z0-9])")


def _spelled(groups: list[Group], low: str, options: Catalog) -> list[Group]:
    """A line of nothing but labels, "bd" or "bbbb", is a group (rule 8)."""
    if options.digits or not options.labels:
        pattern = re.compile(r"(?<![a-z0-9])([0-9])\1{2,29}(?![a-z0-9])") if options.digits else None
    else:
        pattern = _LETTERS
    if pattern is None:
        return groups
    found: list[Group] = []
    for match in pattern.finditer(low):
        start, end = match.span()
        line_start, line_end = low.rfind("\n", 0, start) + 1, low.find("\n", end)
        line = low[line_start : line_end if line_end >= 0 else len(low)]
        cued = re.search(r"(?:选|答案(?:是|为|:)?|answer(?: is|:)?)[ ]?$", low[max(start - 12, 0) : start])
        members = [(i, options.label(char)) for i, char in enumerate(match.group())]
        if any(option is None or option < 0 for _, option in members) or (
            len(squeeze(line)[0]) > end - start and not cued
        ):
            continue
        if len(set(match.group())) > 1 and len(set(match.group())) < len(match.group()) and not _repeats(match.group()):
            continue
        found.append(Group(start, end, tuple(Mention(start + i, start + i + 1, o or 0, "label") for i, o in members)))
        if len(found) > 50:
            break
    found = [f for f in found if not any(g.start <= f.start and f.end <= g.end and len(g.members) == 1 for g in groups)]
    taken = [(g.start, g.end) for g in found]
    return sorted(
        [g for g in groups if not any(s < g.end and g.start < e for s, e in taken)] + found, key=lambda g: g.start
    )


def _repeats(word: str) -> bool:
    """Whether a word is a shorter one over and over: abcdeabcde."""
    return word in (word + word)[1:-1]


_SPOT = re.compile(r"[ ]?[:]?[ ]?[“\"「『【*(\ue001]?[ ]?([^\n,。;:!?“”\"「」『』【】()\ue000-\ue002]{2,40})")


def _with_near(groups: list[Group], low: str, hints: Sequence[Cue], options: Catalog) -> list[Group]:
    """Where an answer is due and no option stands, a text within a slip of one option, or a synonym of one, is it (2, 11)."""
    spots: list[tuple[int, int]] = []
    for match in re.compile(r"[^\n\ue000]+").finditer(low):
        if len(spots) < 40:
            text = match.group().strip(" \"“”'‘’()[]【】「」『』《》:,、。.!?*-—…~\ue001\ue002")
            if 2 <= len(text) <= 60:
                start = low.index(text, match.start())
                spots.append((start, start + len(text)))
    for cue in hints:
        if cue.kind in "SC=+Fo" and len(spots) < 120:
            spot = _SPOT.match(low, cue.end)
            if spot:
                spots.append(spot.span(1))
    found: list[Group] = []
    for start, end in spots:
        if any(g.start < end and start < g.end for g in groups) or any(g.start < end and start < g.end for g in found):
            continue
        words = key(low[start:end])
        option = options.near(words)
        trimmed = words
        if option is None:
            for tail in ("吧", "了", "的", "这个选项", "这一项", "选项", "关系", "这个", "领域", "才对"):
                if trimmed.endswith(tail) and len(trimmed) > len(tail) + 1:
                    option = options.near(trimmed[: -len(tail)])
                    if option is not None:
                        break
        if option is not None:
            found.append(Group(start, end, (Mention(start, end, option, "text"),)))
    return sorted(groups + found, key=lambda g: g.start) if found else groups
