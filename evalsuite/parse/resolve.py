"""Stage 5, resolve: decides which hits of a block are its answer (rules 3, 6, 8, 16 and 18)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from evalsuite.parse.chars import WORD, bare
from evalsuite.parse.inturn import judged_by_two_values, judged_in_turn, sorted_by_verdict
from evalsuite.parse.question import TAIL, QuestionText
from evalsuite.parse.rules import ALL, ANSWER, ASK, BUT, CANCEL, HEAD, LINE, NAME, NONE, NOT, PICK, STATE, Hit
from evalsuite.parse.tape import Tape
from evalsuite.types import Status

# Patterns over the tokens of a tape (tape.TOKENS), before or behind a hit.
_ITEM = re.compile(r"[!/^]b[(\[|+]*\Z")  # at the head of a line with a bullet
_BESIDE = re.compile(r"[MTQGW][^./]*\Z")  # in one sentence with the choice before: 可能是b，也可能是c
_SHORT = re.compile(r"![@_'~=#,.Ac]*(?:[+]?['_~]*R)?T(?:[_'~,.]|=(?!['_~#]))*")
_ENDS_FIRST = re.compile(r"![_'~#=yi]*T\.")  # the first sentence ends with an option's text
_ITEMS = frozenset(("judged-right", "item-right", "right", "weak", "only"))  # rules that judge one option of several
_ANSWERS = frozenset(("answers", "answer-is", "answer"))
_ANEW = re.compile(r"(?<!R):\^[b(]*\Z")  # the first line of a list that a colon announces
_ENDS = re.compile(r"[./]*")  # the reply ends with an option's text
_DOUBTS = re.compile(r"[-NXnx][^.,/]*\Z|[IH?][^./]*\Z")
_REMARK = re.compile(r"\([^()]*\Z")
_DOUBTED = re.compile(r"[^./MTQGW]*[-NXnxZz?]")
_LETTERS = re.compile(r"![M.,:/|()b]+")  # nothing but labels
_SUPPOSED = re.compile(r"I[^./]*\Z")  # 如果放宽标准，四个选项都说得通
_LEFT = re.compile(r"l['_]*\Z")  # 剩下的全选
_EVERY = re.compile(r"(?:[四五六七]个?|所有|以上)选?项\Z")
_SAID = re.compile(r"[^./]*\Z")  # the sentence so far
_BEST = re.compile(r"[^./MTQGW]*[+]")
_REASONS = re.compile(r"R:[/^](?:b[^/]*/)*[b(]*\Z")  # 解析: and a line, or a list
_EXPLAINS = re.compile(r"[^/]*/+R:")  # 解析: at the head of the next line
_EQUALS = re.compile(r"= *\Z")
_RULED_OUT = re.compile(r"(?![^./]*[N?])[^./,]*B[^./,]*x[./]*\Z")  # at the reply's end: C、D均可排除
_ALONE = re.compile(r"u[^./]*\Z")  # 唯一不符合的是C
_NAMED = re.compile(r"[!./]S:[\^\[(b]*\Z")  # 答案： at the head of a line or sentence
_NAMED_SET = re.compile(r"[!/][^./]{0,2}S['_]?[:=][\^\[(b]*\Z")  # 答案：, 答案是 at the head of a line
_ENDS_LINE, _BREAKS = re.compile(r"[.)\]]*(?:/|$)"), re.compile(r"[/b(,.]*")
_CALLED = re.compile(r"[+]['_]:\Z")  # 不符的有: where the wrong ones are asked for
_BUT = re.compile(r"V[^./,MTQG]*\Z")
_SUPERLATIVE = re.compile(r"最|(?<![a-z])(?:most|best)(?![a-z])")


class Verdict(NamedTuple):
    """The decision on one block; `start:end` is a span of the clean text."""

    status: Status
    options: tuple[int, ...] = ()
    rule: str = ""
    start: int = 0
    end: int = 0


def _without_facts(found: Sequence[Hit], tape: Tape, question: QuestionText) -> Sequence[Hit]:
    """The hits, without facts (所以孩子吃了药) that a reply concludes before it judges options, if the wrong ones are asked for."""
    if not question.negative:
        return found
    last = max([hit.at for hit in found if hit.rule in _ITEMS or _CALLED.search(hit.before)], default=0)
    return [h for h in found if not (h.rule == "conclusion" and h.at < last and tape.tokens[h.at] in "TW")]


def _union(found: Sequence[Hit]) -> tuple[int, ...]:
    """The distinct options of hits, in order."""
    if len(found) == 1:
        return found[0].options
    return tuple(dict.fromkeys([option for hit in found for option in hit.options]))


def resolve(
    found: Sequence[Hit], tape: Tape, low: str, cut: bool, count: int, question: QuestionText
) -> Verdict | None:
    """The last explicit choice, else the only stated one, else the only option left (rules 3, 6, 8, 18); None if none.
    `cut`: the reply was cut off, so a plain statement may be mid-reasoning and decides nothing."""
    found, end = _without_facts(found, tape, question), tape.spans[-1][1]
    letters = 1 < count <= len(found) and not any(hit.end - hit.start > 3 for hit in found)
    if letters and _LETTERS.fullmatch(tape.tokens) and len(_union(found)) == count:
        return Verdict(Status.SEVERAL, _union(found), "several", found[0].start, end)
    if cut and found and found[-1].verdict == LINE and not WORD.search(low, found[-1].end, end):
        found = found if "!" in found[-1].before[-3:] else found[:-1]  # an option that was about to be discussed
    settled = _settled(found, low) if cut else found
    current = _explicit(found, tape, low, cut, not question.wrong) or _stated(settled, low)
    if not (current and current[-1].strength > 2) and not cut and (judged := judged_in_turn(tape, count, 1)):
        right = [option for option in range(count) if judged.get(option, True)]
        if len(right) == 1 and len(found) > 1:
            own = [hit for hit in found if hit.options == (right[0],)]
            rule, span = ("in-turn", own[-1:]) if right[0] in judged and own else ("elimination", found)
            return Verdict(Status.PARSED, (right[0],), rule, span[0].start, span[-1].end)
    if not current:
        return _left(found, count, cut) or (None if cut else _only_named(found, tape, low, question))
    first, last, options = current[0], current[-1], _union(current)
    doubted = found[-1].rule == "supposed" and found[-1].options == last.options and tape.tokens[-1] not in "./"
    if doubted and "K" in tape.tokens[last.at : found[-1].at]:
        return None  # 那就应该是a。等等，如果是a的话，他没必要…: it breaks off in doubt
    kind = (last.verdict, last.rule)
    # The choice stands on lines of its own, with other lines between.
    apart = last.verdict == LINE and len(current) == 1
    alike = [hit.options for hit in found if (hit.explicit or apart) and (hit.verdict, hit.rule) == kind]
    if len({*alike}) > 2 and not last.firm:  # an answer for each of many things
        in_order = alike[:count] == [(n,) for n in range(count)]
        if first.verdict != ANSWER or len(first.options) != 1 or in_order:
            return None  # otherwise answers to other questions follow the first one
        current = [next(hit for hit in found if hit.explicit and hit.rule == last.rule)]
        first, last, options = current[0], current[0], current[0].options
    if last.verdict == NONE:
        return Verdict(Status.UNPARSED, (), last.rule, last.start, last.end)
    if any(hit.conflict for hit in current):
        return Verdict(Status.CONFLICT, (), "label-against-text", last.start, last.end)
    if len(options) == 1:
        known = options[0] >= 0
        if not known and len(current) > 1 and last.verdict == LINE:
            return None  # a list of other things
        status, rule = (Status.PARSED, last.rule) if known else (Status.UNPARSED, "outside")
        return Verdict(status, options if known else (), rule, last.start, last.end)
    listed = len(current) > 1 and all(hit.verdict == LINE and hit.end - hit.start > 3 for hit in current)
    if listed and (cut or len(options) == count):  # a list of the options
        return None
    return Verdict(Status.SEVERAL, tuple(o for o in options if o >= 0), "several", first.start, last.end)


def _explicit(found: Sequence[Hit], tape: Tape, low: str, cut: bool, doubts: bool) -> list[Hit]:
    """The last explicit choice, or option that stands alone, and those added to it. `doubts`: an answer by name is taken back
    by calling it wrong."""
    current: list[Hit] = []
    last_end = 0
    # Whether the answer by name was called wrong, or a correction began, behind it.
    doubted = False
    for index, new in enumerate(found):
        strength = current[-1].strength if current else 0
        between = tape.tokens[current[-1].at : new.at] if strength == 4 else ""
        doubted = strength == 4 and (
            doubted or "K" in between or (doubts and new.verdict == NOT and {*_union(current)} <= {*new.options})
        )
        if new.verdict == CANCEL or (new.verdict == NOT and strength < 3 and {*_union(current)} <= {*new.options}):
            current = []
        elif new.verdict == NONE and (strength < 3 or new.rule == "no-answer"):
            current = [new]
        elif new.verdict == ALL and not cut:
            current = [hit for hit in found[:index] if (hit.picks or hit.verdict == NAME) and hit.options]
            current = current or [new][: new.start < 12]
        elif new.picks and not current:
            current = [new][: new.strength > 1]
        elif new.picks and ((beside := new.adds and _BESIDE.search(new.before)) or new.strength > 1):
            # In a ranking, and in a list with one line marked right, the other lines do not count.
            explained = current[-1].before == "!" and "R" in tape.tokens[current[-1].at : new.at]
            # 答案：A, and B and C on lines of their own
            lined = new.verdict == LINE and new.end - new.start < 4 and between.rstrip("/") == "M"
            if (strength == 4 or (explained and not new.firm and new.verdict != ANSWER)) and not (
                doubted or new.decides or beside or lined
            ):
                continue  # an answer by name, or at the head with its reason, outranks a statement about it
            above = current[-1].rule == "choose" or _SUPERLATIVE.search(low, current[-1].end, new.start)
            if beside and new.rule == "weak" and above:
                continue  # (c)最合适，(d)也合理; 我选(c)，(d)也有可能
            marked = strength == 3 and new.verdict in (LINE, HEAD) and not new.adds
            items = _ITEM.search(new.before) and _ITEM.search(current[-1].before)
            ranks = current[-1].rule == "ranking" and not new.explicit
            if not ranks and not (marked and (items or new.start - last_end <= 6)):
                current = [*current, new] if _added(current[-1], new) else [new]
        last_end = new.end
    return current


def _added(last: Hit, new: Hit) -> bool:
    """Whether a choice is added to the one before it: by 也, on the next line of a list, or as in 也许是a，也许是b."""
    listed = new.verdict in (LINE, HEAD) and new.start - last.end <= 12
    repeats = new.rule == "is" or (new.rule == "right" and len(last.options) > 1)  # A和B正确，C正确
    again = repeats and new.rule == last.rule and _BESIDE.search(new.before)
    return bool(new.adds or listed or again) and not new.firm


def _stated(found: Sequence[Hit], low: str) -> list[Hit]:
    """Options stated without an explicit word and not rejected elsewhere; without any, the one in a question."""
    found = [hit for hit in found if not _is_step(hit, low)]
    gone = {*_union([hit for hit in found if hit.verdict == NOT])}
    stated, asked = ([hit for hit in found if hit.verdict == v and not {*hit.options} <= gone] for v in (STATE, ASK))
    alone = len(_union([hit for hit in found if hit.verdict in (ASK, NAME)])) == 1
    if len(_union(stated)) > 1:
        best = [hit for hit in stated if hit.rule == "item-right" and _BEST.match(hit.behind)]
        stated = best if len(_union(best)) == 1 else [stated[-1]] if stated[-1].firm else stated
    return stated or (asked if alone else [])


def _is_step(hit: Hit, low: str) -> bool:
    """Whether a statement is the value of an equation in the middle of a derivation: = 16, with more behind it."""
    equals = _EQUALS.search(low, max(hit.start - 4, 0), hit.start)
    return bool(equals and low[hit.start : hit.end].replace(".", "").isdigit() and WORD.search(low, hit.end))


def _settled(found: Sequence[Hit], low: str) -> list[Hit]:
    """The hits of a reply that was cut off that are no step of its reasoning: rejections, conclusions, labels with texts."""
    walk = any(hit.rule == "discussed" for hit in found)

    def settled(hit: Hit) -> bool:
        if hit.firm:
            return not walk and ("." in hit.behind or "/" in hit.behind)
        labelled = low[hit.start].isascii() and hit.end - hit.start > 3
        return hit.rule == "statement" and labelled and hit.behind.lstrip("'")[:1] in {*",./"}

    return [hit for hit in found if hit.verdict == NOT or (len(hit.options) == 1 and settled(hit))]


def _left(found: Sequence[Hit], count: int, cut: bool) -> Verdict | None:
    """The only option left when all others are rejected (rule 6). In a reply that was cut off, it must also be chosen."""
    gone = [hit for hit in found if hit.verdict == NOT]
    if not gone:
        return None
    pairs = [hit for hit in found if hit.rule in ("among", "listed") and len(hit.options) > 1]
    if pairs and not cut:  # 在a和c之间。a可以排除
        kept = {*pairs[-1].options} - {-1, *_union([hit for hit in gone if hit.start > pairs[-1].end])}
        if len(kept) == 1:
            return Verdict(Status.PARSED, tuple(kept), "elimination", 0, gone[-1].end)
    left = {*range(count)} - {*_union(gone)}
    if len(left) != 1 or (cut and not any(hit.picks and {*hit.options} == left for hit in found)):
        return None
    return Verdict(Status.PARSED, tuple(left), "elimination", gone[0].start, gone[-1].end)


def _only_named(found: Sequence[Hit], tape: Tape, low: str, question: QuestionText) -> Verdict | None:
    """The only option in a sentence in the question's words; else the only one that a reply names, by a label in brackets, with
    its text or at the head where nobody speaks, or by its text in a short sentence or at the end (rule 9)."""
    apart = [hit for hit in found if hit.rule == "named" and len(hit.options) == 1]
    answers = [hit for hit in (*apart[:1], *apart[-_LOOKED:]) if _answers(low, hit, tape, question)]
    ends = bool(apart) and {*"MTQGWm"}.isdisjoint(tape.tokens[apart[-1].at + 1 :])
    if len(_union(answers)) == 1 and (apart[0] in answers or (ends and apart[-1] in answers)):
        found = answers  # at the head or in conclusion
    if not found or any(hit.rule not in ("named", "spoken") or hit.conflict for hit in found):
        return None
    found = [hit for hit in found if not low.endswith("是否", 0, hit.start)] or found  # 要判断这句话是否可信
    last, options = found[-1], _union(found)
    alone: object = low[last.start] in "([【" or (last.labelled and last.end - last.start > 3)
    alone = alone or answers or _SHORT.fullmatch(tape.tokens) or _ENDS_FIRST.match(tape.tokens)
    final: object = tape.tokens[last.at] == "T" and _ENDS.fullmatch(tape.tokens, last.at + 1) and "@" not in tape.tokens
    alone = alone or (final and not _DOUBTS.search(last.before) and not low[last.start - 1 : last.start].isascii())
    alone = alone or (question.spoken is False and found[0].before == "!" and tape.tokens[found[0].at] == "M")
    if len(options) > 1 or options == (-1,) or not alone:
        return None
    return Verdict(Status.PARSED, options, "only-named", last.start, last.end)


def _answers(low: str, hit: Hit, tape: Tape, question: QuestionText) -> bool:
    """Whether the words before or behind an option, in its sentence, are the question's: 男的最可能在大使馆, to 男的最可能在哪儿?"""
    asks = bare(_STOP.split(question.text.rstrip("。!?. _()\n"))[-1])
    if tape.tokens[hit.at] not in "MTm" or not asks or bare(low[hit.start : hit.end]) in asks:
        return False
    before = bare(_STOP.split(low[max(hit.start - 2 * TAIL, 0) : hit.start])[-1])
    behind = bare(_STOP.split(low[hit.end : hit.end + 2 * TAIL])[0])
    gap = _WHICH.search(asks)
    if gap and gap.start() > 2 and before.endswith(asks[: gap.start()]):
        return True  # 婚礼在6月 answers 婚礼在几月?
    if gap and len(rest := asks[gap.end() :]) > 1:
        lead = asks[max(gap.start() - 2, 0) : gap.start()]
        rest = rest[rest[0] == bare(low[hit.start : hit.end])[-1:] :]  # 1968年建成 answers 哪年建成?
        if behind.removeprefix("的").startswith(rest[:1] if len(lead) > 1 and before.endswith(lead) else rest):
            return True  # 会去篮子里找, to 会去哪里找球?; 会有感激的感觉, to 会有什么感觉?
    for passed in range(4):  # characters between the two: a copula, an article
        for said, words in ((before[::-1], asks[::-1]), (behind, asks)):
            size = 2 * _RESTATED if said[passed : passed + _RESTATED].isascii() else _RESTATED
            if len(said) >= passed + size and said[passed : passed + size] in words:
                return True
    return False


_WHICH = re.compile(r"哪[里儿个些]?|什么|谁|多少|几")
_STOP = re.compile(r"[\n。!?;]|\.\s")
_LOOKED = 40  # the most hits that are compared with the question
_RESTATED = 5  # characters of the question beside an option that show that its sentence answers; twice as many letters


def _chosen(found: Sequence[Hit], tape: Tape, low: str, everything: tuple[int, ...]) -> list[Hit]:
    """The hits that choose options of a set. Explicit words replace weaker ones before them."""
    chosen: list[Hit] = []
    item: Hit | None = None  # the last that heads a line
    for before, hit in zip((None, *found), found, strict=False):
        last = chosen[-1] if chosen else None
        item = hit if hit.before.rstrip("b(")[-1:] in "!/^" else item
        if hit.rule == "and" and before is not last:
            if before is None or before.before != "!":
                continue  # added to an option that was not chosen
            chosen, last = [before], before
        whole = not chosen or len(_union(chosen)) == 1 or _EVERY.search(low, 0, hit.start)
        if hit.verdict == BUT or (hit.verdict == ALL and whole and not _SUPPOSED.search(hit.before)):
            said = hit.at - len(_SAID.search(hit.before)[0])  # type: ignore[index]  # it matches nothing as well
            rest = tape.tokens[hit.at] == "O" or _LEFT.search(hit.before)  # 只有B得不出，别的都行
            said_of = [other for other in found if said <= other.at < hit.at and hit.verdict == ALL]
            of = _union([other for other in said_of if not (other.explicit if rest else other.verdict == NOT)])
            others = tuple(n for n in everything if n not in (*hit.options, *of))
            left = of if of and not rest else others  # B、C…，均符合
            chosen = [Hit(PICK, hit.rule, left, hit.start, hit.end)]
        elif hit.verdict == NONE and (hit.rule == "no-answer" or hit is found[-1]):
            chosen = []
        elif last and last.rule in _ANSWERS and _REMARK.search(hit.before):
            continue  # 答案:A、B (也可以考虑C)
        elif last and (hit.rule == "ranking" or (hit.rule == "statement" and hit.before[-1:] == "u")):
            continue  # ABD都选，按可能性排列为B > A > D; A到D都危险，只有E是安全的
        elif last and _explains(hit, last, tape.tokens[last.at + 1 : hit.at]):
            continue  # 【答案】CD, and 解析 below
        elif hit.picks and not (last and hit.verdict == LINE and _REASONS.search(hit.before)):
            # A √ 高代谢表现：怕热多汗; B、D两项有误：前者…
            gloss = tape.tokens[hit.at] in "TWQ" and {*hit.options} <= {*_union(chosen[-1:])}
            again = hit.rule in _ANSWERS and last is not None and last.rule in _ITEMS and not gloss
            again = again or bool(
                last and last.rule != "all-listed" and _NAMED.search(hit.before) and not _NAMED.search(last.before)
            )
            # A选项：…，因此A正确 concludes no more than its item.
            own = item and item.options == hit.options and "/" not in tape.tokens[item.at : hit.at]
            concludes = again or (hit.explicit and not own and (hit.firm or _BUT.search(hit.before) is not None))
            anew = last is None or (hit.verdict == LINE and _ANEW.search(hit.before) is not None)
            adds = hit.adds or hit.rule == "and"
            beside = last and (adds or hit.strength == last.strength or (hit.verdict == LINE and last.explicit))
            wider = hit.firm and {*_union(chosen)} < {*hit.options}  # 所以A、B以及C都可以得知, behind 所以A成立
            if (
                anew
                or wider
                or (concludes and not chosen[-1].firm)
                or (hit.strength > chosen[0].strength and not beside)
            ):
                chosen = [hit]
            elif beside or hit.strength == chosen[0].strength:
                chosen.append(hit)
    return chosen


def _explains(hit: Hit, last: Hit, between: str) -> bool:
    """Whether a hit belongs to what explains the answer before it: it judges one option or heads a line, and the answer stands by
    name on a line of its own, with several options (【答案】CD) or with 解析: below. `between`: the tape from that answer on."""
    named = last.rule in _ANSWERS and _NAMED_SET.search(last.before) and _ENDS_LINE.match(last.behind)
    whole = named and (len(last.options) > 1 or _EXPLAINS.match(between))
    judges = hit.rule in _ITEMS or (hit.verdict != ANSWER and not hit.explicit)
    return bool(whole) and judges and not hit.adds and _BREAKS.fullmatch(between) is None


def _in_passing(hit: Hit, tape: Tape, low: str) -> bool:
    """Whether an option is chosen between other paragraphs without the form of an answer: most likely one of several that the
    reply names in other words."""
    first, last = tape.spans[0][0], tape.spans[-1][1]
    if hit.verdict == ANSWER or (tape.tokens[hit.at] == "M" and (hit.verdict == LINE or hit.rule in _ANSWERS)):
        return False
    return "\n" in low[first : hit.start].strip() and "\n" in low[hit.end : last].strip()


def _items_kept(found: Sequence[Hit], gone: Sequence[Hit], everything: tuple[int, ...]) -> Verdict | None:
    """The options of a list, where all others are rejected below it: - A. …, - C. …, and B和D没有提到."""
    items = [hit for hit in found if hit.verdict in (NAME, STATE) and hit.labelled and _ITEM.search(hit.before)]
    if not items or not gone or items[-1].at > gone[0].at or {*_union(items)} != {*everything} - {*_union(gone)}:
        return None
    return Verdict(Status.PARSED, tuple(sorted(_union(items))), "elimination", items[0].start, gone[-1].end)


def resolve_set(
    found: Sequence[Hit], tape: Tape, low: str, cut: bool, count: int, question: QuestionText
) -> Verdict | None:
    """All options that a block chooses and does not reject."""
    found, everything = _without_facts(found, tape, question), tuple(range(count))
    concludes = bool(found) and found[-1].explicit and len(found[-1].options) > 1
    concludes = concludes or any([hit.verdict == ANSWER for hit in found])
    judged = None if concludes or not found else sorted_by_verdict(tape, count) or judged_in_turn(tape, count)
    judged = judged or (None if concludes or cut else judged_by_two_values(tape, low, count, question))
    if judged:
        right = tuple(option for option in everything if judged[option])
        status, rule = (Status.PARSED, "in-turn") if right else (Status.UNPARSED, "none")
        span = (found[0].start, found[-1].end) if found else (tape.spans[0][0], tape.spans[-1][1])
        return Verdict(status, right, rule, *span)
    chosen = _chosen(found, tape, low, everything)
    picked = {*_union(chosen)}  # AC，而不是ABC rejects neither A nor C
    # An answer by name and a conclusion outrank what is before them.
    first = chosen[0] if chosen else None
    named = first.start if first and (first.strength == 4 or first.firm) else -1
    # Behind an answer by name, or a set at the head, texts are explained, not taken back: A、D（玻璃破碎没有新物质）.
    heads = first and (named >= 0 or first.rule in _ANSWERS or (first.before == "!" and len(first.options) > 1))
    explained = first.start if first and heads else tape.spans[-1][1]
    gone = [hit for hit in found if hit.verdict == NOT and hit.start > named]
    gone = [hit for hit in gone if hit.start < explained or tape.tokens[hit.at] not in "TWm"]
    wrong = {*_union([hit for hit in gone if not set() < picked < {*hit.options}])}
    options = tuple(option for option in _union(chosen) if option not in wrong)
    supposed = [hit for hit in found if hit.picks and _SUPPOSED.search(hit.before)]
    if chosen and chosen[-1] in supposed and len({hit.options for hit in supposed}) > 1:
        return None  # 如果按旧法，应选A、C；如果按新法，则选A、D
    if len(options) < 2 and not cut and (kept := _items_kept(found, gone, everything)):
        return kept
    if not options:
        left = tuple(n for n in everything if n not in _union(found))
        ends = gone and (_RULED_OUT.match(found[-1].behind) or _ALONE.search(found[-1].before))
        if ends and left and not cut and found[-1] is gone[-1] and not any(hit.verdict == NONE for hit in found):
            return Verdict(Status.PARSED, left, "elimination", gone[0].start, gone[-1].end)
        none = [hit for hit in found if hit.verdict == NONE or wrong >= {*everything}]
        listed = [hit for hit in found if hit.rule == "named" and hit.options and not _DOUBTED.match(hit.behind)]
        tagged = len(listed) == 1 < len(listed[0].options) and low[listed[0].end - 1] == ")"
        if tagged and not cut and not _DOUBTS.search(listed[0].before):
            named_alone = tuple(sorted(listed[0].options))
            return Verdict(Status.PARSED, named_alone, "only-named", listed[0].start, listed[0].end)
        only = None if cut or len(_union(found)) > 1 else _only_named(found, tape, low, question)
        return Verdict(Status.UNPARSED, (), "none", none[0].start, found[-1].end) if none else only
    start, end = chosen[0].start, chosen[-1].end
    every = options == everything and chosen[-1].rule == "all-of-them"
    if (len(options) == 1 or every) and _in_passing(chosen[-1], tape, low):
        return None
    if any(hit.conflict for hit in chosen):
        return Verdict(Status.CONFLICT, (), "label-against-text", start, end)
    if -1 in options:
        return Verdict(Status.UNPARSED, (), "outside", start, end)
    if cut and not WORD.search(low, end, tape.spans[-1][1]):
        return Verdict(Status.TRUNCATED, (), "cut-off", start, end)
    return Verdict(Status.PARSED, tuple(sorted(options)), chosen[-1].rule, start, end)
