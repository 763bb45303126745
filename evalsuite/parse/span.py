"""Spans: the stretch of a reply that a person would cut out as the answer, verbatim (rules 12 - 15).

`spanrules` has the table of the forms of replies; this module does what the acts of its rows say. A stretch of the reply is
chosen first, and then cut at both ends. Every step takes a span of the clean text and returns a smaller one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from evalsuite.parse import spanrules as acts
from evalsuite.parse.chars import WORD, bare, key, lower
from evalsuite.parse.spanrules import CAUSE, CONFLICT, EFFECT, FACT, KIND, SpanRule, rules
from evalsuite.parse.strip import SPEAKER, Clean, blocks, lines, strip, strip_tokens
from evalsuite.types import Answer, Status

Span = tuple[int, int]  # start and end in the clean text
SpanResult = tuple[Status, str, Span]  # the rule is "" if nothing was found
Used = tuple[SpanRule, Span]  # a row that matched, and where
Turns = Sequence[str] | None
# In a question: the words that ask, with their copula; an event in quotation marks.
_WHAT = re.compile(
    r"(?P<be>(?:是|属于)?一(?:个或一种|种|个)|是|为(?=_))?(?:什么|哪[里儿]?|谁|多(?:[久少]|长时间?|[大远高])|几|怎么?样|如何|__)_*"
)
_EVENT = re.compile(r"[“\"「『']([^”\"」』']{1,80})[”\"」』']")
# An event without quotation marks: 他为什么没来？ 他没来的原因是____。
_CLAIM = re.compile(r"([^,，。:：]*?)(?:(?:为什么|为何)([^,，。:：?？_]*)|的(?:主要|直接)?(?:原因|目的))")
# The end of a clause before one with a copula: 不对, 那是结果，应该是…
_CLAUSE = re.compile(r"[,…][ ]?(?=[^,。“”\n]{0,10}?(?:是|为|:))")
# The pieces of a sentence between which a quotation of the dialogue may begin and end.
_TOKEN = re.compile(r"[是为在这与和跟不应说到的改ab]|[^\W_是为在这与和跟不应说到的改ab]+")
# Words that join an event to its question, in keys: without them an event that is said again is recognised.
_JOINTS = re.compile("是?因为|是?由于|所以|因此|^事件|的(?:原因|后续事件|结果|后果)是?$")
_QUOTE = re.compile(r"“[^“”\n]{2,300}”|「[^「」\n]{2,300}」|『[^『』\n]{2,300}』")
_BOLD = re.compile(r"\*\*([^*\n]{1,80}?)(?<![:：])\*\*(?![:：])")
_FEELINGS = ("感受", "感觉", "心情", "情绪", "反应")
_SMALL = re.compile(
    "综上(?:所述)?|因此|所以|[是为的了在到于就会要从把被]"
)  # words of a sentence that need not be in its question
_PAIRS = dict(zip("“「『‘《【[(\"'{<\ue001", "”」』’》】])\"'}>\ue002", strict=True))
_OPENERS = {shut: opener for opener, shut in _PAIRS.items() if opener not in "[{<"}
_EDGE = set(" \n\t,，。.、;；:：!！?？~～…·\ue000\ue001\ue002*`#|=-—√×→")


def parse_span(
    output: str, *, dialogue: Turns = None, question: str | None = None, finish: str = "stop", extract: bool = True
) -> Answer:
    """The span that a reply answers with; its `text` is `output[start:end]`, None if there is none.

    With `dialogue`, a reply that continues the dialogue is told apart from one that quotes a turn; with `question`, the
    restated question is cut. `extract=False` takes the whole reply without blanks, thinking and special tokens.
    `finish` is the reply's finish reason ("length": cut off).

    >>> answer = parse_span("答案是“排了很久的队”。")
    >>> answer.status.value, answer.text
    ('parsed', '排了很久的队')
    """
    if extract:
        return read_span(output, dialogue or (), question or "", finish == "length", rules())[0]
    start, end = strip_tokens(output)
    if start >= end:
        return Answer(Status.TRUNCATED if finish == "length" else Status.EMPTY, rule="nothing")
    return Answer(Status.PARSED, None, output[start:end], "whole-reply", start, end)


def read_span(
    output: str, dialogue: Sequence[str], question: str, cut: bool, table: Sequence[SpanRule]
) -> tuple[Answer, list[tuple[SpanRule, str]]]:
    """`parse_span` by a given table, and the rows that matched with the words, in order. `cut`: the reply was cut off."""
    clean = strip(output)
    if not WORD.search(clean.text):
        thought = Answer(Status.TRUNCATED if cut else Status.UNPARSED, rule="unclosed-thought")
        empty = Answer(Status.TRUNCATED, rule="cut-off") if cut else Answer(Status.EMPTY, rule="nothing")
        return thought if clean.thinking else empty, []
    reader = _Reader(clean.text, question, dialogue, table, cut, _bold(output, clean) if "**" in output else [])
    status, rule, span = reader.read()
    start, end = clean.raw_span(*span)
    if output.count("**", start, end) % 2 and output.startswith("**", end):
        end += 2  # bold words at the end
    text = output[start:end] if status is Status.PARSED else None
    answer = Answer(status, None, text, rule, start, end) if end else Answer(status, rule=rule)
    return answer, [(row, clean.text[slice(*span)]) for row, span in reader.used]


def _bold(output: str, clean: Clean) -> list[Span]:
    """The stretches in bold of the clean text, without labels."""
    begins, found = [begin for _, begin, _ in clean.pieces], []
    for bold in _BOLD.finditer(output):
        at, begin, stop = clean.pieces[max(bisect_right(begins, bold.start(1)) - 1, 0)]
        if begin <= bold.start(1) and bold.end(1) <= stop:
            found.append((at + bold.start(1) - begin, at + bold.end(1) - begin))
    return found


class SpanQuestion(NamedTuple):
    """The facts about a question that cutting a span needs."""

    kind: str = CONFLICT
    event: str = ""  # the event that the question names, as a key
    # Forms in which replies restate the question: 事件“x”的频率是, or only 频率是.
    restated: re.Pattern[str] = re.compile("(?!)")
    tail: str = ""  # the words behind 什么: 制成
    clause: str = ""  # the clause that asks, as a key


@lru_cache(maxsize=4096)
def parse_question(question: str) -> SpanQuestion:
    """Parse a question. Knows the official wording but does not depend on it; "" is taken for conflict detection."""
    if not question or re.search("抽取|不符|矛盾|冲突|不一致|违背了?常|常识性?错误|对不上", question):
        return SpanQuestion()
    asks = re.split(r"[:：]", question)[-1]
    cause = re.search("原因|为什么|导致事件|前提|目的|为何", asks)
    kind = CAUSE if cause else EFFECT if re.search("导致的|后续|结果|后果|影响|反应", asks) else FACT
    events = list(_EVENT.finditer(asks))
    named = _CLAIM.search(asks) if cause and not events else None
    event = key(events[-1][1] if events else "".join(named.groups("")) if named else "")
    begin = max(asks.rfind(mark, 0, events[0].start() if events else None) for mark in ",，") + 1
    what = _WHAT.search(asks, events[-1].end() if events else begin)  # the event may itself contain 什么
    clause = key(next((part for part in re.split("[,，。?？]", asks)[::-1] if _WHAT.search(part) or "_" in part), asks))
    stem = key(asks[begin : what.start()]) if what else ""
    if not what or not (stem or clause):  # English: The gym is | a hall
        words = "|".join({"is", "are", "that", "because", "near", *re.findall("[a-z]{3,}", asks.lower())} - {"the"})
        known = rf"(?:{words})[a-z]{{0,3}}\W+"
        return SpanQuestion(kind, event, re.compile(rf"(?:(?:the|an?|to|by)\W+|{known})+{known}"), "", clause)
    tail = key(asks[what.end() :])
    tail = tail[1:] if tail.startswith("的") and len(tail) > 2 else tail
    restated = _restated(stem, tail, clause, key(asks), bool(what["be"]), kind == EFFECT, kind == FACT and not events)
    return SpanQuestion(
        KIND if "一" in (what["be"] or "") else kind, event, re.compile(restated), tail if len(tail) > 1 else "", clause
    )


def _restated(stem: str, tail: str, clause: str, asked: str, be: bool, effect: bool, unquoted: bool) -> str:
    """The pattern of the forms in which replies restate a question, from its keys: the words before 什么 and behind it, the clause
    that asks, and all that is asked. `be`: 是什么; `effect`: it asks for one; `unquoted`: for a fact, without an event in quotes."""
    words, noun = rf"[\W{re.escape(stem)}]", stem.rpartition("的")[2] if "的" in stem else ""
    if be:
        head = rf"{words}{{0,80}}?{re.escape(noun)}" if noun else r"\W{0,5}".join(map(re.escape, ["", *stem]))
        if not stem:  # 是谁帮忙的: 帮忙的人是
            head = rf"(?:[\W{re.escape(clause)}的人]{{2,80}}|[^,。:“”]{{1,20}}的人)"
        because = "(?!因为|由于)" if effect else "(?:因为|由于)?"
        copula = rf"(?:[”」\" ]{{0,3}}(?:应该|可能|就)?(?:是{because}|为|有)[ ]?[:,]?|:)"
        pattern = rf"(?:{head}{copula}|{words}{{3,80}}?发生在)[ ]*"
    else:  # 包含什么, not 是什么
        last = r"\W{0,3}".join(map(re.escape, stem.rstrip("做干")[-2:])) or "(?!)"
        pattern = words + r"{0,80}?" + last + "[了有]?[ ]?[:,]?"
        if tail in _FEELINGS or stem.endswith(_FEELINGS):
            pattern = (
                rf"[\W{re.escape(asked)}]{{2,80}}?(?:感到|觉得)|[^,。:“”]{{0,12}}(?:{'|'.join(_FEELINGS)})是|{pattern}"
            )
    if unquoted and not be:  # 以后做什么: 以后的打算是
        pattern = rf"[\W{re.escape(clause)}]{{2,80}}?(?:的[^\W]{{0,4}}?)?(?:是(?:为了?)?|在于)[ ]?[:,]?|" + pattern
    return pattern


def restates(text: str, event: str) -> bool:
    """Whether a text repeats an event, in full or in part (离婚 for x离婚了), not its subject alone."""
    words = key(text)
    shared = sum(c in words for c in event) / len(event) if event else 0.0
    return shared >= (0.4 if len(words) > 1 and set(words) <= set(event) else 0.6)


@lru_cache(8192)  # many replies are about one dialogue
def _turn(turn: str) -> str:
    """A turn without its speaker, in the form in which texts are compared."""
    return key(SPEAKER.sub("", lower(turn), count=1))


@lru_cache(4096)
def _asked(question: str) -> str:
    """A question in the form in which texts are compared."""
    return key(question)


def by_act(table: Sequence[SpanRule], kind: str) -> dict[str, list[SpanRule]]:
    """Act -> the rows for a kind of question, in the order of the table."""
    rows: dict[str, list[SpanRule]] = defaultdict(list)
    for rule in table:
        if kind in rule.kinds:
            rows[rule.act].append(rule)
    return dict(rows)


@lru_cache(maxsize=8)
def _rows(kind: str) -> dict[str, list[SpanRule]]:
    return by_act(rules(), kind)


class _Reader:
    """Reads one clean reply by a table of rules."""

    def __init__(
        self,
        text: str,
        question: str,
        dialogue: Sequence[str],
        table: Sequence[SpanRule],
        cut_off: bool,
        bold: Sequence[Span],
    ) -> None:
        self.text, self.low, self.cut_off, self.bold = text, lower(text), cut_off, bold
        self.ask, self.asked = parse_question(question), _asked(question)
        self.turns = [_turn(turn) for turn in dialogue]
        self.dialogue = "\n".join(self.turns)
        self.conflict = self.ask.kind == CONFLICT
        self.rows = _rows(self.ask.kind) if table is rules() else by_act(table, self.ask.kind)
        self.used: list[Used] = []
        self.keys: dict[Span, str] = {}  # spans -> their words, which several steps ask for

    def match(self, act: str, span: Span, search: bool = False) -> re.Match[str] | None:
        """The match of the first row of an act that matches in a span of the text; the row is added to `used`."""
        low, (start, end) = self.low, span
        for rule in self.rows.get(act, ()):
            pattern = rule.pattern
            if found := pattern.search(low, start, end) if search else pattern.match(low, start, end):
                self.used.append((rule, found.span()))
                return found
        return None

    def every(self, act: str, span: Span, text: str) -> Iterator[tuple[SpanRule, re.Match[str]]]:
        """The matches of all rows of an act in a span of the text."""
        return ((rule, found) for rule in self.rows.get(act, ()) for found in rule.pattern.finditer(text, *span))

    def key(self, span: Span) -> str:
        if span not in self.keys:
            self.keys[span] = bare(self.low[slice(*span)])
        return self.keys[span]

    def said(self, span: Span) -> bool:
        """Whether the dialogue contains the words of a span."""
        words = self.key(span)
        return bool(words) and words in self.dialogue

    def only_event(self, span: Span) -> bool:
        """Whether a span only says again the event that the question is about (rule 15)."""
        event = _JOINTS.sub("", self.ask.event)
        return "事件" in self.asked and event != "" and not _JOINTS.sub("", self.key(span)).replace(event, "")

    def echoes(self, span: Span, least: int = 6) -> bool:
        """Whether the words of a span are a piece of the question, or the question with a few words before it."""
        said = self.key(span)
        whole = len(self.asked) > 3 and said.endswith(self.asked) and len(said) < len(self.asked) + 6
        return whole or (len(said) >= least and said.rstrip("是为") in self.asked)

    def asked_at(self, head: Span) -> int:
        """The position in the question of the words of the head of a table's row; its end for 答案, -2 for other words."""
        at = self.asked.rfind(self.key(head))
        return len(self.asked) if self.match(acts.LABEL, (head[0], head[1] + 1)) else at if at >= 0 else -2

    def read(self) -> SpanResult:
        """The answer of the first block that has one, or the reason why none has."""
        every, start, why = blocks(self.low), -1, "no-span"
        for n, block in enumerate(every):
            start = block.start if start < 0 else start
            if self.text[start : block.end].rstrip()[-1:] == ":" and n + 1 < len(every) and not every[n + 1].echo:
                continue  # a block that ends with a colon belongs to the next one
            whole, start = (start, block.end), -1
            value, span, words = self.value(whole), trim(self.text, whole), self.before(whole, acts.MARK)
            if (block.echo and not value) or self.echoes(span):
                why = "echo"
            elif self.match(acts.CHAT, whole) and not self.said(words):
                why = "continued-dialogue"
                break
            elif (
                not self.said(words) and (refusal := self.match(acts.REFUSE, span)) and not self.quotes(refusal.span())
            ):
                return Status.REFUSED, "declines", refusal.span()
            else:
                found = self.choose(whole, value)
                if found[1] and not (found[0] is Status.PARSED and self.only_event(found[2])):
                    return found
                why = "echo" if found[1] else why
        return Status.TRUNCATED if self.cut_off else Status.UNPARSED, why, (0, 0)

    def quotes(self, refusal: Span) -> bool:
        """Whether the words of a refusal are the dialogue's, on a line or in a quotation: 【原文】A: 对不起，我…"""
        used, (start, end) = len(self.used), refusal
        places = [self.before((start, f"{self.low}\n".find("\n", start)))]
        places += [quote.span() for quote in _QUOTE.finditer(self.low, start) if quote.start() < end < quote.end()]
        del self.used[used:]
        return any(self.said(place) for place in places)

    def value(self, span: Span) -> tuple[Span, str] | None:
        """The value of a structure's field, except one that says the question or the event again, and the row's name."""
        best: tuple[Span, Used] | None = None
        latest = -2
        for rule, found in self.every(acts.FIELD, span, self.low):
            value = found.span(found.lastgroup or 0)
            at = self.asked_at(found.span("head")) if "head" in rule.pattern.groupindex else len(self.asked)
            if at > latest and not self.echoes(value, 10) and not self.only_event(value):
                best, latest = (value, (rule, found.span())), at
        if not best:
            return None
        self.used.append(best[1])
        return best[0], best[1][0].name

    def choose(self, span: Span, value: tuple[Span, str] | None) -> SpanResult:
        """The span of a block: a quotation of the dialogue, the value of a structure, a list, or part of a sentence."""
        words = self.before(span, acts.MARK) if self.conflict else self.before(span)
        known = self.said(words) and len(self.key(words)) > 2 if self.conflict else self.key(words) in self.turns
        if known and not self.match(acts.NOTHING if self.conflict else acts.OPEN, words):
            return Status.PARSED, "verbatim", words  # 因为大雾: a quoted span keeps its 因为
        start, end = value[0] if value else (span[0], trim(self.text, span)[1])
        if value and value[1] != "box":
            inner = trim(self.text, (start, end))
            if inner[0] >= inner[1] or self.match(acts.NOTHING, inner):
                return Status.UNPARSED, "nothing", (start, max(end, start + 1))
            return Status.PARSED, value[1], inner
        first = self.explained((start, end))
        end = end if first is None else first
        if found := self.match(acts.LIST, (start, end)):
            return Status.PARSED, "list", (found.start("span"), trim(self.text, found.span("span"))[1])
        rows = self.sentences((start, end))
        return self.concluding(rows) or self.first(rows)

    def explained(self, span: Span) -> int | None:
        """The start of the explanation behind the answer; None if there is none, or the answer's label stands below it."""
        rows = [(first, min(last + 1, span[1])) for first, last in lines(self.text, *span)]
        begins = next((row[0] for row in rows[1:] if self.match(acts.BREAK, row)), None)
        label = next((row[0] for row in rows if self.match(acts.LABEL, row)), -1) if begins is not None else -1
        return None if begins is not None and label > begins else begins

    def sentences(self, span: Span) -> list[Span]:
        """The sentences of a span, at most 200; quotations are not split, and a lead-in belongs to the sentence it announces."""
        masked = _QUOTE.sub(lambda quote: quote[0][0] + "x" * (len(quote[0]) - 3) + quote[0][-2:], self.low)
        cuts = [(rule, found.span()) for rule, found in self.every(acts.PART, (span[0] + 1, span[1]), masked)]
        self.used += {rule: (rule, cut) for rule, cut in cuts}.values()
        found: list[Span] = []
        start = span[0]
        for begin, stop in [*sorted(cut for _, cut in cuts), (span[1], span[1])]:
            if WORD.search(self.text, start, begin):
                start = found.pop()[0] if found and self.match(acts.JOIN, found[-1]) else start
                found.append((start, begin))
                if len(found) > 200:
                    break
            start = max(start, stop)
        return found[:200]

    def concluding(self, rows: list[Span]) -> SpanResult | None:
        """The answer of the last sentence that corrects or concludes, if the first sentence does not answer."""
        best: SpanResult | None = None
        if len(rows) < 2:
            return best
        strength, turned, reasons = 0, False, self.reasons(rows[0])
        answers = self.conflict and self.said(self.before(rows[0], acts.MARK))
        cites = self.conflict and self.said(self.before(rows[0]))
        states = not self.conflict and not reasons and self.weight(rows[0]) > 1
        for row in rows[1:]:
            turned = bool(self.match(acts.TURN, row)) or (turned and bool(self.match(acts.INSTEAD, row)))
            if turned:
                row = max((m.end() for m in _CLAUSE.finditer(self.low, *row)), default=row[0]), row[1]
            elif reasons and not best and self.match(acts.NOTHING, self.before(row)):
                best = Status.UNPARSED, "nothing", row
                continue
            weight = 2 if turned else self.weight(row, (reasons or cites) and not self.cut_off and row == rows[-1])
            if weight >= max(strength, 1 if reasons or best else 3 if states and not turned else 2):
                name = self.used[-1][0].name if self.used else "conclusion"
                # Behind a quotation that may be the answer, another must be a piece of it: 原句：… 片段：…
                narrows = answers or (cites and bool(self.used) and self.used[-1][0].act == acts.LAST)
                span = self.cut(row)[0]
                if not span or (narrows and not turned and not best and self.key(span) not in self.key(rows[0])):
                    continue
                if reasons or turned or best or weight == 3 or self.said(span):
                    best, strength = (Status.PARSED, name, self.cited(span)), weight
        return best

    def weight(self, row: Span, last: bool = False) -> int:
        """The strength of a sentence's conclusion: 3 with a label, 2 if it names the answer, 1 if it sounds so, else 0."""
        for act, weight in ((acts.SKIP, 0), (acts.LABEL, 3), (acts.LAST if last else "", 2), (acts.CONCLUDE, 2)):
            if self.match(act, row, search=act == acts.CONCLUDE):
                return weight
        if not self.text.isascii() and self.ask.restated.search(self.low, *row):
            return 2
        cites = self.conflict and not self.cut_off and self.said(row) and len(self.key(row)) > 1
        concludes = self.match(acts.FINAL, row, search=self.conflict) or (not self.conflict and self.marked(row))
        return int(cites or bool(concludes))

    def reasons(self, row: Span) -> bool:
        """Whether a first sentence is reasoning, not the answer: long, or about the dialogue, or cites nothing of it."""
        talks = bool(self.match(acts.REASON, row, search=True))
        if self.conflict and self.turns:
            span = self.cut(row)[0]
            return not self.said(row) and (not span or not self.said(span) or (talks and not self.weight(row)))
        return row[1] - row[0] > 24 or talks

    def first(self, rows: list[Span]) -> SpanResult:
        """The answer of the first sentence that is not empty talk."""
        narrates = False
        for row in rows[:4]:
            start, last = self.before(row), row == rows[-1]
            if not last and (self.echoes(row) or self.only_event(row)):
                continue
            if not self.said(row) and (
                self.match(acts.NOTHING, start) or self.match(acts.NOTHING, trim(self.text, row))
            ):
                return Status.UNPARSED, "nothing", row
            talks = bool(self.match(acts.REASON, start if self.cut_off else row, search=True))
            if self.match(acts.SKIP, row) and not (last and self.said(row)):
                narrates |= self.used[-1][0].name in ("preamble", "question to oneself")
            elif self.match(acts.JOIN, row) or (
                self.cut_off and (narrates or self.reasons(row) if self.conflict else talks)
            ):
                break
            elif not (narrates and talks):
                span, name = self.cut(row)
                if span:
                    return Status.PARSED, name or "first-sentence", self.cited(span)
        return Status.UNPARSED, "", (0, 0)

    def cut(self, span: Span) -> tuple[Span | None, str]:
        """Cut a sentence to its span, None if nothing is left; with the name of the highest-ranked row that was used."""
        before = len(self.used)
        span = self.inside(trim(self.text, span))
        name = min(((rule.rank, rule.name) for rule, _ in self.used[before:]), default=(0, ""))[1]
        return (span if WORD.search(self.text, *span) else None), name

    def inside(self, span: Span) -> Span:
        used = len(self.used)
        quoted = self.before(self.behind(acts.GLOSS, span))
        if self.conflict and self.said(quoted):
            return quoted
        if marked := self.marked(span):
            return trim(self.text, marked)
        if taken := self.match(acts.TAKE, span, search=True):
            del self.used[used:-1]
            return trim(self.text, taken.span("span"))
        span = self.before(self.half(quoted), acts.MARK, acts.BEFORE, acts.OPEN)
        start = span[0] - (span[0] > 0 and self.text[span[0] - 1] in _PAIRS)
        if quote := self.match(acts.QUOTE, (start, span[1] + 1)):
            span = trim(self.text, quote.span("span"))
        start, end = self.behind(acts.AFTER, span)
        tail = self.ask.tail if self.low[start:end].endswith(self.ask.tail) and not self.said((start, end)) else ""
        return start, end - len(tail)

    def marked(self, span: Span) -> Span | None:
        """The only stretch in bold, or else in quotes, of a sentence that otherwise restates the question, or is English:
        两人在**少年宫门口**见面。"""
        found = [bold for bold in self.bold if span[0] <= bold[0] and bold[1] <= span[1]]
        if not found and self.ask.kind in (FACT, KIND):
            found = [quote.span() for quote in _QUOTE.finditer(self.low, *span)]
        if len(found) != 1 or (self.conflict and not self.said(found[0])):
            return None
        (start, end), low = found[0], self.low
        head = low[span[0] : start].rpartition("\n")[2].rstrip(" “「『")
        tail = re.split("[\n,;(—-]", low[end : span[1]])[0]
        if head[-1:] in (*"他她它我你们",) or self.echoes(found[0], 1):
            return None
        if bare(head + tail).isascii():
            return None if low[start:end].isascii() or not WORD.search(head + tail) else found[0]
        words = _SMALL.sub("", bare(head + tail))
        clause = self.asked if self.ask.kind in (CONFLICT, FACT) else self.ask.clause
        least = 1 if head.endswith("是") else 3
        restated = sum(c in clause for c in words) >= max(least, 0.75 * len(words))
        cited = (
            not self.cut_off and self.said(found[0]) and not WORD.search(tail) and re.fullmatch("[^,(:]{1,12}", head)
        )
        return found[0] if restated or cited else None

    def cited(self, span: Span) -> Span:
        """The longest piece of a long span that the dialogue contains, if it is no mere word or two."""
        if not self.conflict or self.said(span) or {*self.text[max(span[0] - 1, 0) : span[0] + 1]} & _PAIRS.keys():
            return span
        tokens = [token.span() for token in _TOKEN.finditer(self.low, *span)][:300]
        best, size, n = span, 0, 0
        while n < len(tokens):
            last = n
            while last < len(tokens) and self.said((tokens[n][0], tokens[last][1])):
                last += 1
            piece = tokens[n][0], tokens[max(last - 1, n)][1]
            if last > n and len(self.key(piece)) > size:
                best, size = piece, len(self.key(piece))
            n = max(last, n + 1)
        return best if 7 < size < len(self.key(span)) / 2 else span

    def before(self, span: Span, *what: str) -> Span:
        """Cut the restated question and what rows match at the start: lead-ins, the speaker, the marker of a single item."""
        start, end = trim(self.text, span)
        for _ in range(12):
            found = self.ask.restated.match(self.low, start, end)
            for act in what or (acts.MARK, acts.BEFORE):
                found = found or self.match(act, (start, min(end, start + 160)))
            if not found or not start < found.end() < end:
                break
            start, end = trim(self.text, (found.end(), end))
        return start, end

    def behind(self, act: str, span: Span) -> Span:
        """A span up to the first match of a row behind its first character."""
        found = self.match(act, (span[0] + 1, span[1]), search=True)
        return trim(self.text, (span[0], found.start())) if found else span

    def half(self, span: Span) -> Span:
        """The cause or the effect in a sentence that states both, if the other half restates the event (rule 12)."""
        body, event = self.low[span[0] : min(span[1], span[0] + 200)], self.ask.event
        for rule, found in self.every(acts.HALF, (0, len(body)), body):
            halves = (0, found.start()), (found.end(), len(body))
            if "cause" in rule.pattern.groupindex:
                halves = found.span("cause"), found.span("effect")
            want, other = halves if (self.ask.kind == CAUSE) != (rule.name == "because") else halves[::-1]
            both = "事件" not in self.asked and found[0].endswith("所以") and self.match(acts.OPEN, span)
            stated = "之所以" in (said := body[slice(*other)]) or restates(said, event)
            if (both or stated) and key(body[slice(*want)]):
                self.used.append((rule, found.span()))
                return trim(self.text, (span[0] + want[0], span[0] + want[1]))
        return span


def trim(text: str, span: Span) -> Span:
    """Cut blanks and punctuation at both ends, and quotes or brackets around the whole or without their other half (rule 12)."""
    start, end = span
    while start < end:
        first, last, before = text[start], text[end - 1], (start, end)
        if first in _EDGE and not (first == "-" and text[start + 1 : start + 2].isdigit()):
            start += 1
        elif last in _EDGE:
            end -= 1
        elif (close := _PAIRS.get(first, "")) == last and first != "《" and _one_pair(text, start, end):
            start, end = start + 1, end - 1
        elif close and first not in "([<{" and text.find(close, start + 1, end) < 0:
            start += 1
        elif (opener := _OPENERS.get(last, "")) and text.find(opener, start, end - (opener == last)) < 0:
            end -= 1
        if (start, end) == before:
            break
    return start, max(start, end)


def _one_pair(text: str, start: int, end: int) -> bool:
    """Whether the first and the last character of a span are one pair: not in “a”和“b”."""
    shut = text.find(text[end - 1], start + 1, end)
    return shut == end - 1 or (text[start] != text[end - 1] and text.find(text[start], start + 1, shut) >= 0)
