"""Spans: the stretch of a reply that a person would cut out as the answer, verbatim (rules 12 - 15).

The stretch is chosen first: a field of a structure, words of the dialogue, a list, the sentence that concludes or the first that
answers. Then rows of `spanrules` cut it at both ends. Every step takes a place in the clean text and returns a smaller one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from evalsuite.parse import spanrules as acts
from evalsuite.parse.chars import WORD, key, lower
from evalsuite.parse.segment import SPEAKER, Block, blocks, lines
from evalsuite.parse.spanrules import CAUSE, CONFLICT, EFFECT, FACT, Rule, rules
from evalsuite.parse.strip import strip, strip_tokens
from evalsuite.types import Answer, Status

Place = tuple[int, int]  # start and end in the clean text


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
    restated question is cut. `extract=False` takes the whole reply without blanks, thinking and special tokens. `rule` is the highest
    row of the table that was used.
    """
    return read_span(output, dialogue or (), question or "", finish == "length", extract, rules())


def read_span(
    output: str, dialogue: Sequence[str], question: str, cut: bool, extract: bool, table: Sequence[Rule]
) -> Answer:
    """`parse_span` by a given table of rules. `cut`: the reply was cut off."""
    if not extract:
        start, end = strip_tokens(output)
        if start >= end:
            return Answer(Status.TRUNCATED if cut else Status.EMPTY, rule="nothing")
        return Answer(Status.PARSED, None, output[start:end], "whole-reply", start, end)
    clean = strip(output)
    if clean.thinking and not WORD.search(clean.text):
        return Answer(Status.TRUNCATED if cut else Status.UNPARSED, rule="unclosed-thought")
    if not WORD.search(clean.text):
        return Answer(Status.EMPTY, rule="nothing")
    answer = _Reader(clean.text, parse_question(question), question, tuple(map(_spoken, dialogue)), table, cut).read()
    if cut and answer.status is Status.UNPARSED and answer.rule in _OPEN_ENDED:
        answer = replace(answer, status=Status.TRUNCATED)
    if answer.start is None or answer.end is None:
        return answer
    start, end = clean.raw_span(answer.start, answer.end)
    return replace(answer, text=output[start:end] if answer.status is Status.PARSED else None, start=start, end=end)


_OPEN_ENDED = ("no-span", "echo", "continued-dialogue")  # more of the reply might have answered


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for, as far as cutting a span needs it."""

    kind: str = CONFLICT
    stem: str = ""  # the question before its 什么, squeezed, which replies restate
    event: str = ""  # the event that the question names, squeezed
    noun: str = ""  # the attribute it asks for: 频率, 发生位置
    verbal: bool = False  # asks 包含什么, not 是什么
    a_kind: bool = False  # asks 是一个或一种什么
    tail: str = ""  # what follows 什么: 制成


_WHAT = re.compile(
    r"(?P<kind>(?:是|属于)?(?:一个或一种|一种|一个))?(?P<is>是)?(?:什么|哪里|哪儿|谁|多久|多少|几|怎么样|怎样|如何|哪)"
)
_EVENT = re.compile(r"[“\"「『']([^”\"」』']{1,80})[”\"」』']")


@lru_cache(maxsize=1024)
def parse_question(question: str) -> Asked:
    """Parse a question. Knows the official wording but does not depend on it; "" is taken for conflict detection."""
    asks = re.split(r"[:：]", question)[-1]
    if not question or re.search("抽取|不符|矛盾|冲突|不一致", question):
        return Asked()
    kind = FACT
    if re.search("原因|为什么|导致事件|前提|目的|为何", asks):
        kind = CAUSE
    elif re.search("导致的|后续|结果|后果|影响|反应", asks):
        kind = EFFECT
    events = list(_EVENT.finditer(asks))
    begin = max(asks.rfind(mark, 0, events[0].start() if events else None) for mark in ",，") + 1
    # Search behind the event, which may itself contain 什么 or 谁.
    what = _WHAT.search(asks, events[-1].end() if events else begin)
    noun = re.search(r"的([^的“”\"]{2,8}?)是?什么", asks)
    return Asked(
        kind,
        key(asks[begin : what.start()]) if what else "",
        key(events[-1][1]) if events else "",
        key(noun[1]) if noun else "",
        what is not None and not what["is"] and not what["kind"],
        what is not None and bool(what["kind"]),
        key(asks[what.end() :]) if what else "",
    )


def likeness(text: str, event: str) -> float:
    """The share of an event's characters that occur in a text, 0 to 1."""
    letters = set(key(text))
    return sum(c in letters for c in event) / len(event) if event else 0.0


def restates(text: str, event: str) -> bool:
    """Whether a text repeats the question's event, in full or in part (离婚 for x离婚了), not its subject alone."""
    short = len(key(text)) >= 2 and likeness(event, key(text)) == 1
    return likeness(text, event) >= (0.4 if short else 0.6)


@lru_cache(maxsize=2**14)  # more turns than one task and set has; every variant asks about the same ones
def _spoken(turn: str) -> str:
    """A turn without its speaker, squeezed, for comparison with the sentences of a reply."""
    return key(SPEAKER.sub("", turn, count=1))


@dataclass(slots=True)
class _Reader:
    """Reads one clean reply by a table of rules."""

    text: str
    ask: Asked
    question: str
    turns: tuple[str, ...]
    table: Sequence[Rule]
    cut_off: bool = False
    low: str = ""
    used: list[Rule] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.low = lower(self.text)

    # --- the table

    def rows(self, act: str) -> Iterator[Rule]:
        kind = "kind" if self.ask.a_kind else self.ask.kind
        return (rule for rule in self.table if rule.act == act and (self.ask.kind in rule.kinds or kind in rule.kinds))

    def match(self, act: str, place: Place, search: bool = False) -> re.Match[str] | None:
        """The match of the first row of an act in a place; the row is noted."""
        for rule in self.rows(act):
            found = (rule.pattern.search if search else rule.pattern.match)(self.low, *place)
            if found:
                self.used.append(rule)
                return found
        return None

    # --- the dialogue

    def said(self, place: Place) -> bool:
        """Whether the dialogue contains these words."""
        words = key(self.low[slice(*place)])
        return bool(words) and any(words in turn for turn in self.turns)

    def length(self, place: Place) -> int:
        return len(key(self.low[slice(*place)]))

    def is_turn(self, place: Place, near: bool = True) -> bool:
        """Whether words repeat a whole turn of the dialogue, which is never cut; `near` allows small copying errors."""
        said = key(self.low[slice(*place)])
        for turn in self.turns:
            if said == turn and said:
                return True
            if near and len(said) >= 8 and abs(len(said) - len(turn)) <= 0.2 * len(turn):
                # A copy begins like the turn: a lead-in before a long turn would pass the count below.
                begins = len(set(said[:5]) & set(turn[:12])) >= 3
                if begins and 2 * (Counter(said) & Counter(turn)).total() >= 0.85 * (len(said) + len(turn)):
                    return True
        return False

    def spoken(self, place: Place) -> Place:
        """A place after its speaker's mark."""
        found = SPEAKER.match(self.text, *place)
        return (found.end(), place[1]) if found and found.end() < place[1] else place

    def talks_on(self, block: Block) -> bool:
        """Whether a block continues the dialogue: two turns or more, or a turn of small talk that is not in the dialogue."""
        rows = lines(self.text, block.start, block.end)
        inline = len(_INLINE.findall(self.text, block.start, block.end))
        if not rows or not SPEAKER.match(self.text, *rows[0]):
            return inline > 2
        if inline + sum(1 for row in rows if SPEAKER.match(self.text, *row)) > 1:
            return True
        words = self.spoken(rows[0])
        return (
            bool(self.turns)
            and not self.is_turn(words)
            and not self.said(words)
            and bool(_SMALL_TALK.match(self.low, *words))
        )

    # --- the whole reply

    def read(self) -> Answer:
        nothing = Answer(Status.UNPARSED, rule="no-span")
        asked = key(self.question)
        for block in blocks(self.text):
            place = trim(self.text, (block.start, block.end))
            said = key(self.low[slice(*place)])
            if block.echo and (value := self.value((block.start, block.end))):
                return Answer(Status.PARSED, rule=self.used[-1].name, start=value[0], end=value[1])
            if block.echo or (len(said) >= 6 and said.rstrip("是为") in asked):
                nothing = replace(nothing, rule="echo")
                continue
            if self.talks_on(block):
                return replace(nothing, rule="continued-dialogue")
            refusal = None if self.is_turn(self.spoken(place)) else self.match(acts.REFUSE, place)
            if refusal:
                return Answer(Status.REFUSED, rule="declines", start=refusal.start(), end=refusal.end())
            status, rule, place = self.choose(block, place)
            if status is Status.PARSED and self.ask.kind != CONFLICT and self.only_event(place):
                nothing = replace(nothing, rule="echo")
            elif rule:
                return Answer(status, rule=rule, start=place[0], end=place[1])
        return nothing

    def only_event(self, place: Place) -> bool:
        """Whether a span only says again the event that the question is about (rule 15)."""
        event = _JOINTS.sub("", self.ask.event)
        return bool(event) and not _JOINTS.sub("", key(self.low[slice(*place)])).replace(event, "")

    def choose(self, block: Block, place: Place) -> Found:
        """The span of a block: of a structure, of the dialogue, of a list, or of a sentence."""
        words = self.spoken(place)
        if (
            self.ask.kind == CONFLICT
            and self.said(words)
            and self.length(words) >= 3
            and WORD.match(self.text, place[0])
        ):
            if not self.match(acts.NOTHING, words):
                return Status.PARSED, "in the dialogue", words  # 因为大雾: a quoted span keeps its 因为
        value = self.value((block.start, block.end))
        if value:
            inner = trim(self.text, value)
            if inner[0] >= inner[1] or self.match(acts.NOTHING, inner):
                return Status.UNPARSED, "nothing", (value[0], max(value[1], value[0] + 1))
            name = self.used[-1].name
            return (Status.PARSED, name, inner) if name != "box" else self.chosen(value)
        return self.chosen((block.start, place[1]))

    def chosen(self, place: Place) -> Found:
        place = self.unexplained(place)
        items = self.listed(place)
        if items:
            return Status.PARSED, "list", items
        rows = self.sentences(place)[:200]
        if self.ask.kind == CONFLICT and 1 < len(rows) <= 6 and all(self.said(row) for row in rows):
            return Status.PARSED, "several", trim(self.text, (rows[0][0], rows[-1][1]))
        return self.concluding(rows) or self.first(rows)

    def value(self, place: Place) -> Place | None:
        """The value of a structure's field: of one named as an answer, else of the first that is not about something else."""
        other = None
        for rule in self.rows(acts.FIELD):
            for found in rule.pattern.finditer(self.low, *place):
                groups = found.groupdict()
                group = "list" if groups.get("list") else "span"
                said, name = key(found[group] or ""), groups.get("key")
                if rule.name == "cell" and not self.said(found.span("span")):
                    continue
                if said and (self.only_event(found.span(group)) or said in key(self.question)):
                    continue
                if name is None or (not _ASIDE.search(name) and (_NAMED.search(name) or not other)):
                    if name is None or _NAMED.search(name):
                        self.used.append(rule)
                        return found.span(group)
                    other = rule, found.span(group)
        if other:
            self.used.append(other[0])
        return other[1] if other else None

    def unexplained(self, place: Place) -> Place:
        """Cut at the line that begins an explanation, if an answer stands before it."""
        for start, end in lines(self.text, *place)[1:]:
            if self.match(acts.BREAK, (start, min(end + 1, place[1]))):
                return place[0], trim(self.text, (place[0], start))[1]
        return place

    def sentences(self, place: Place) -> list[Place]:
        """The sentences of a place; quotations are not split, and what announces the next sentence goes with it."""
        found: list[Place] = []
        start, depth = place[0], 0

        def close(end: int) -> None:
            nonlocal start
            if WORD.search(self.text, start, end):
                if found and self.match(acts.JOIN, found[-1]):
                    start = found.pop()[0]
                found.append((start, end))

        for mark in _ENDS.finditer(self.low, *place):
            ends = mark.group()
            if ends in "“「『":
                depth += 1
            elif ends in "”」』":
                depth = max(depth - 1, 0)
            elif "\n" in ends or depth == 0 or ends[-1] in "”」』":
                depth = 0
                close(mark.end() if ends[-1] in '”」』"' else mark.start())
                start = mark.end()
        close(place[1])
        return [part for row in found for part in self.parts(row)]

    def parts(self, row: Place) -> Iterator[Place]:
        """A sentence, parted before words that correct or conclude outside of quotations."""
        start = row[0]
        for rule in self.rows(acts.PART):
            for found in rule.pattern.finditer(self.low, start + 1, row[1]):
                if self.low.count("“", start, found.start()) == self.low.count("”", start, found.start()):
                    self.used.append(rule)
                    yield start, found.start()
                    start = found.end()
        yield start, row[1]

    def listed(self, place: Place) -> Place | None:
        """A list of at least two items, from its first marker to the end of its last item (rule 14)."""
        rows = lines(self.text, *place)
        marked = [bool(MARKER.match(self.text, *row)) for row in rows]
        first = marked.index(True) if True in marked else 0
        last = first
        while last + 1 < len(rows) and marked[last + 1]:
            last += 1
        items = rows[first : last + 1]
        if len(items) < 2:
            found = _INLINE_LIST.search(self.low, *place)
            items = [(found.start(1), place[1])] if found else []
        elif first > 1 or (first == 1 and not _ANNOUNCES.search(self.low, *rows[0])):
            return None
        if not items or any(
            _STEP.search(self.low, *row) or row[1] - row[0] > 60 for row in items[: None if first else 1] + items
        ):
            return None
        if any(self.match(acts.CONCLUDE, row, search=True) for row in rows[last + 1 :]):
            return None
        start = items[0][0]
        while self.text[start] == " ":
            start += 1
        tail = self.match(acts.AFTER, (items[-1][0] + 4, items[-1][1]), search=True)
        return start, start + len(self.text[start : tail.start() if tail else items[-1][1]].rstrip(" 。.,;!?"))

    # --- the sentence that answers

    def concluding(self, rows: list[Place]) -> Found | None:
        """What the last sentence that corrects or concludes says, if the first sentence does not answer."""
        best: Found | None = None
        strength, turned, reasons = 0, False, bool(rows) and self.reasons(rows[0])
        for row in rows[1:]:
            turned = bool(self.match(acts.TURN, row)) or (turned and bool(self.match(acts.INSTEAD, row)))
            if turned:
                row = max((m.end() for m in _CLAUSE.finditer(self.low, *row)), default=row[0]), row[1]
            elif not (reasons or best) and self.weight(row) < 2:
                continue
            elif not best and not self.said(row) and self.match(acts.NOTHING, self.before(row)):
                best = Status.UNPARSED, "nothing", row
                continue
            weight = 2 if turned else self.weight(row, row == rows[-1])
            if weight and weight >= strength:
                name = self.used[-1].name if self.used else "conclusion"
                span, _ = self.cut(row)
                if span and (reasons or turned or best or weight == 3 or self.said(span)):
                    best, strength = (Status.PARSED, name, span), weight
        return best

    def weight(self, row: Place, last: bool = False) -> int:
        """How firmly a sentence concludes: 3 if it begins with a label, 2 if it names the answer as such, 1 if it only sounds like a conclusion, else 0."""
        if self.match(acts.SKIP, row):
            return 0
        if self.match(acts.LABEL, row):
            return 3
        if last and (
            self.match(acts.LAST, row)
            or (not self.cut_off and self.ask.kind == CONFLICT and self.said(row) and self.length(row) > 1)
        ):
            return 2
        noun = self.ask.noun and re.search(re.escape(self.ask.noun) + r".{0,4}(?:是|为|:)", self.low[slice(*row)])
        if self.match(acts.CONCLUDE, row, search=True) or noun:
            return 2
        return int(bool(self.match(acts.JUDGE if self.ask.kind == CONFLICT else acts.FINAL, row)))

    def reasons(self, row: Place) -> bool:
        """Whether a first sentence is reasoning, not the answer: long, or about the dialogue, or cites nothing of it."""
        if self.said(row) or (self.text[row[0]] in '“「『"' and row[1] - row[0] < 30):
            return False
        if self.ask.kind == CONFLICT and self.turns:
            span, _ = self.cut(row)
            if not span or not self.said(span):
                return True
            return bool(self.match(acts.REASON, row, search=True)) and not self.weight(row)
        return row[1] - row[0] > 24 or bool(self.match(acts.REASON, row, search=True))

    def first(self, rows: list[Place]) -> Found:
        """What the first sentence says that is not empty talk."""
        narrates = False
        for row in rows[:4]:
            if (
                len(rows) > 1
                and len(said := key(self.low[slice(*row)])) >= 6
                and said in key(self.question)
                or len(rows) > 1
                and self.only_event(row)
            ):
                continue
            bare = self.before(row)
            if not self.said(row) and (
                self.match(acts.NOTHING, bare) or self.match(acts.NOTHING, trim(self.text, row))
            ):
                return Status.UNPARSED, "nothing", row
            if self.match(acts.SKIP, row):
                narrates |= self.used[-1].name == "preamble"
                continue
            if narrates and self.match(acts.REASON, row, search=True):
                continue
            if self.match(acts.JOIN, row):
                break
            span, name = self.cut(row)
            if (
                span
                and self.cut_off
                and (self.reasons(row) if self.ask.kind == CONFLICT else self.match(acts.REASON, bare, search=True))
            ):
                return Status.UNPARSED, "", (0, 0)
            if span and not (row != rows[-1] and self.ask.kind != CONFLICT and self.only_event(span)):
                return Status.PARSED, name or "first sentence", span
        return Status.UNPARSED, "", (0, 0)

    # --- the span in its sentence

    def cut(self, place: Place) -> tuple[Place | None, str]:
        """Cut a sentence to its span, None if nothing is left; with the highest row that was used."""
        before = len(self.used)
        place = self.inside(trim(self.text, place))
        name = min(self.used[before:], key=lambda rule: rule.rank).name if self.used[before:] else ""
        return (place if WORD.search(self.text, *place) else None), name

    def inside(self, place: Place) -> Place:
        conflict = self.ask.kind == CONFLICT
        words = self.spoken(self.unmarked(place))
        if self.is_turn(words, near=conflict) and (
            conflict or not any(rule.pattern.match(self.low, *words) for rule in self.rows(acts.OPEN))
        ):
            return trim(self.text, words)
        taken = self.match(acts.TAKE, place, search=True)
        if taken:
            return trim(self.text, taken.span("span"))
        start, place = place[0], self.before(self.unglossed(place))
        if conflict and self.is_turn(place):
            return place
        announced = self.ask.kind == EFFECT and re.search(
            "(?:事件|结果|影响|反应)”?(?:是|为|:)", self.low[start : place[0]]
        )
        place = place if announced else self.half(place)
        place = self.quoted(self.before(place, (acts.BEFORE, acts.OPEN)))
        found = self.match(acts.AFTER, (place[0] + 1, place[1]), search=True)
        place = self.unglossed(trim(self.text, (place[0], found.start()) if found else place))
        if self.ask.tail and self.low[slice(*place)].endswith(self.ask.tail):
            place = place[0], place[1] - len(self.ask.tail)
        comma = self.low.find(",", *place)
        if conflict and comma - place[0] >= 2 and self.low.find(self.low[place[0] : comma], comma, place[1]) >= 0:
            return place[0], comma  # 晒太阳，下雨天不会晒太阳
        return place

    def before(self, place: Place, kinds: tuple[str, ...] = (acts.BEFORE,)) -> Place:
        """Cut lead-ins, the restated question, the speaker and the marker of a single item."""
        place = trim(self.text, place)
        for _ in range(12):
            start, end = place
            begin = self.restated(start, end)
            if begin == start:
                begin = self.spoken(place)[0]
            if begin == start:
                found = next(filter(None, (self.match(act, (start, min(end, start + 160))) for act in kinds)), None)
                begin = found.end() if found and found.end() < end else start
            if begin == start:
                begin = self.unmarked(place)[0]
            if begin == start:
                break
            place = trim(self.text, (begin, end))
        return place

    def unmarked(self, place: Place) -> Place:
        """A place after its list marker."""
        found = MARKER.match(self.text, *place)
        return (found.end(), place[1]) if found else place

    def restated(self, start: int, end: int) -> int:
        """Where the part of the question ends that the reply restates: 事件“x”的频率是, or only 频率是."""
        stem = self.ask.stem
        for size in range(len(stem), 1, -1):
            if not (size == len(stem) or size >= 4 or self.ask.verbal or stem[-size:] == self.ask.noun):
                continue
            at = self.follows(stem[-size:], start, end)
            if at < 0:
                continue
            copula = _COPULA.match(self.low, at, end)
            if copula and (copula.group().strip('”」" ') or self.ask.verbal or size == len(stem)):
                return copula.end()
        return start

    def follows(self, words: str, start: int, end: int) -> int:
        """Where squeezed words end that a place begins with, blanks and punctuation aside; -1 if it does not."""
        at = 0
        for position in range(start, min(end, start + 200)):
            if WORD.match(self.low[position]):
                if self.low[position] != words[at]:
                    return -1
                at += 1
                if at == len(words):
                    return position + 1
        return -1

    def half(self, place: Place) -> Place:
        """The cause or the effect in a sentence that states both, if the other half restates the event (rule 12)."""
        body, event = self.low[place[0] : min(place[1], place[0] + 400)], self.ask.event
        for rule in self.rows(acts.HALF):
            for found in rule.pattern.finditer(body):
                if "cause" in rule.pattern.groupindex:
                    cause, effect = found.span("cause"), found.span("effect")
                else:
                    cause, effect = (0, found.start()), (found.end(), len(body))
                    cause, effect = (effect, cause) if rule.name == "because" else (cause, effect)
                want, other = (cause, effect) if self.ask.kind == CAUSE else (effect, cause)
                if (
                    restates(body[slice(*other)], event)
                    and key(body[slice(*want)])
                    and likeness(body[slice(*want)], event) < 0.9
                ):
                    self.used.append(rule)
                    return trim(self.text, (place[0] + want[0], place[0] + want[1]))
        return place

    def unglossed(self, place: Place) -> Place:
        """Cut a bracket at the end."""
        found = _GLOSS.search(self.low, *place)
        return trim(
            self.text, (place[0], found.start()) if found and WORD.search(self.low, place[0], found.start()) else place
        )

    def quoted(self, place: Place) -> Place:
        """The quotation that a sentence begins with, or the one that it calls wrong."""
        start, end = place
        start -= start > 0 and self.text[start - 1] in '“「『"‘'
        found = _QUOTED.match(self.text, start, min(end + 1, len(self.text)))
        conflict = self.ask.kind == CONFLICT
        if found:
            again = _QUOTED.search(self.text, found.end(), end)
            if again and _AND.fullmatch(self.text, found.end(), again.start()):
                return start, end
            tail = self.low[found.end() : end]
            return (
                found.span(found.lastindex or 0)
                if conflict or not WORD.search(tail) or tail[:1] in ",。(;—-→"
                else place
            )
        if conflict:
            quotes = list(_QUOTED.finditer(self.text, start, end))
            if not self.said(place) and len(said := [quote for quote in quotes if self.said(quote.span())]) == 1:
                return said[0].span(said[0].lastindex or 0)
            wrong = [quote for quote in quotes if self.match(acts.JUDGE, (quote.start(), end))]
            if quotes and (wrong or re.search("但是?$|却是?$|可是$|而$", self.low[start : quotes[0].start()])):
                quote = (wrong or quotes)[0]
                return quote.span(quote.lastindex or 0)
        return place


Found = tuple[Status, str, Place]  # the rule is "" if nothing was found

MARKER = re.compile(
    r"[ ]*(?:[-*•·●○▪]|[(]?\d{1,2}[.、):](?!\d)|[(][一二三四五六七八九十a-e][)]|[a-eA-E][.、)]|[一二三四五六七八九十][、.]|第[一二三四五][,:、])[ ]*(?=\S)"
)
_ENDS = re.compile(r"[“「『]|[”」』]|[。!?;]+[”」』\"]?|\n+|(?<!\d)\.(?=\s|$)")
_CLAUSE = re.compile(r"[,…][ ]?(?=[^,。“”\n]{0,10}?(?:是|为|:))")
_COPULA = re.compile(r"[”」\" ]*(?:(?:应该|可能|就)?是(?:因为|由于)?|为|了|有)?[ ]?[:,]?[ ]*")
_INLINE = re.compile(r"(?<=[。!?~… ])[ ]?[AB][ ]?:")
_INLINE_LIST = re.compile(r"(?:^|(?<=[:。\s]))[ ]?([(]?1[.、)][ ]?\S.{0,80}?[;,、\s。][ ]?[(]?2[.、)][ ]?\S)")
_ANNOUNCES = re.compile(r":\s*$|如下|以下|有")
_STEP = re.compile(r"首先|步骤|第[一二三]步|通读|分析|我们|对话中|可以看出|因此|根据")
_SMALL_TALK = re.compile(
    r"(?:好的|嗯|哈|是的|是啊|对啊|对的|哦|嗨|你好|您好|拜拜|再见|谢谢|没事|那|你|我(?:也|们)|真的|可以)"
)
_NAMED = re.compile("answer|答案|span|text|文本|result|结果|原因|cause|output|不符|冲突|conflict")
_ASIDE = re.compile(
    "task|question|dialogue|reason|evidence|expla|confidence|speaker|correct|note|题|问|理由|依据|解释|说明|分析|改|话轮|置信|项目"
)
_JOINTS = re.compile("是?因为|是?由于|所以|因此|^事件|的(?:原因|后续事件|结果|后果)是?$")
_GLOSS = re.compile(r"[ ]?[(（\[【][^()（）]*[)）\]】]?$")
_QUOTED = re.compile(
    r"“([^“”\n]{1,80})”|「([^「」\n]{1,80})」|『([^『』\n]{1,80})』|\"([^\"\n]{1,80})\"|‘([^‘’\n]{1,80})’"
)
_AND = re.compile(r"[ ]?(?:[、,和与及]|以及|;|还有)?[ ]?")

_PAIRS = dict(zip("“「『‘《【[(\"'{<\ue001", "”」』’》】])\"'}>\ue002", strict=True))
_OPENERS = {shut: opener for opener, shut in _PAIRS.items() if opener not in "[{<"}
_EDGE = " \n\t,，。.、;；:：!！?？~～…·\ue000\ue001\ue002*`#|=-—"


def trim(text: str, place: Place) -> Place:
    """Cut blanks and punctuation at both ends, and quotes or brackets around the whole or without their other half (rule 12)."""
    start, end = place
    while start < end:
        first, last, before = text[start], text[end - 1], (start, end)
        close, opener = _PAIRS.get(first, ""), _OPENERS.get(last, "")
        if first in _EDGE and not (first == "-" and text[start + 1 : start + 2].isdigit()):
            start += 1
        elif last in _EDGE:
            end -= 1
        elif close == last and _one_pair(text, start, end):
            start, end = start + 1, end - 1
        elif close and first not in "([<{" and text.find(close, start + 1, end) < 0:
            start += 1
        elif opener and text.find(opener, start, end - (opener == last)) < 0:
            end -= 1
        if (start, end) == before:
            break
    return start, max(start, end)


def _one_pair(text: str, start: int, end: int) -> bool:
    """Whether the first and the last character of a place are one pair: not in “a”和“b”."""
    opener, closer = text[start], text[end - 1]
    if opener == closer:
        return end - start > 1 and text.count(opener, start, end) == 2
    depth = 0
    for position in range(start, end):
        depth += (text[position] == opener) - (text[position] == closer)
        if depth == 0:
            return position == end - 1
    return False
