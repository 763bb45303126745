"""Facts about the question that decide how a reply is read: who speaks, and whether the wrong option is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from evalsuite.parse.chars import bare, fold, lower
from evalsuite.parse.tape import Cue

# The most characters of a question's end, without punctuation, by which a reply that repeats the question is recognised.
TAIL = 24
_ASKING = 60  # characters at the end of a question that are searched for its verb and its negation
_ASKING_WORD = re.compile(r"哪|下列|以下|\?|(?<![a-z])(?:which|what|who)(?![a-z])")  # in the sentence that asks
_COMPARING = 140  # characters at the end that are searched for what is compared
_TURN = re.compile(r"\s*[A-Pa-p][:：]")
# It speaks of a dialogue, or turns stand before it.
_TALK = re.compile(r"(?m)对话|\[mask\]|dialogue|conversation|utterance|speaker|(?:^[a-p]:.*[。!?~]\n){2}[^:\n]*\?\Z")
# A question that asks which option is wrong.
_WRONG = re.compile(
    r"(?:错误|有误|不(?:正确|对|恰当|准确|妥|相?符|一致))的?[^。,;!\n]{0,12}(?:[是为有哪项:?(_]|$)|(?:哪|下列|以下)[^。;!\n]{0,24}(?:错误|有误|不(?:正确|对|恰当|准确|妥))"
    r"|(?<![a-z])(?:incorrect|false|wrong|untrue|inaccurate|not (?:true|correct|accurate))(?![a-z])"
)
# The two values of a verdict that it asks for: true/false, 正确或错误. They ask for no wrong option.
_VALUES = re.compile(
    r"(?:true|correct|正确|对)[”\"’]?[ ]?(?:[/、,|]|或者?|还是|和|与|or|and)[ ]?[“\"‘]?(?:false|incorrect|wrong|错误?|不正确|不对)"
    r"|正确的[写填标][^。;\n]{1,8}错误的[写填标][^。;\n]*"
)
# Words that say that an option fits, and words that say that it does not.
_FIT = "推出|推断出|得出|成立|属实|符合|相符|一致|吻合|合理|合适|适合|恰当|妥当"
_KNOWN = "推断|推知|得知|判断|看出"  # alone, and in 由此可以看出, they judge nothing
_FIT_ENGLISH = (
    "inferred|supported|hold|holds|follow|follows|fit|fits|consistent|likely|possible|appropriate|suitable|reasonable"
    "|plausible"
)
_UNFIT = "矛盾|冲突|相悖"
_UNFIT_ENGLISH = (
    "contradict|contradicts|contradictory|conflict|conflicts|inconsistent|incompatible|unlikely|impossible|implausible"
    "|unsupported|inappropriate|unsuitable|unreasonable"
)
_FITS = rf"(?:{_FIT}|可能(?=[ ]?(?:发生|[,。;:?()\n]|做?什么|$))|(?<![a-z])(?:{_FIT_ENGLISH})(?![a-z]))"
_UNFITS = rf"(?:{_UNFIT}|(?<=[一-鿿])相反|(?<![a-z])(?:{_UNFIT_ENGLISH})(?![a-z]))"
_DENIED = (  # a word of fitting that is denied: 不能推出, cannot be inferred
    rf"(?:最?(?:不(?:能|可能|可以?|会|太|应该?)?|无法|没法|难以)(?:[从由][^,。;?\n]{{1,10}}?)?(?:{_FITS}|{_KNOWN})|推断?不出"
    rf"|(?:(?<![a-z])(?:cannot|not|least)|n't)[ ](?:be )?{_FITS})"
)
_SAYS_UNFIT = rf"(?:{_DENIED}|[与和跟同][^,。?\n不没]{{1,20}}?(?:{_UNFIT}|相反)|(?<!not)(?<!n.t)[ ](?!conflicts?(?! with)){_UNFITS})"
_CAUSE = "的?[^?]{0,4}(?:原因|起因|表现)"  # 两人矛盾的原因
# A question that asks which options do not fit.
_ASKS_UNFIT = re.compile(
    rf"(?:哪(?![儿里])|下列|以下|which|what)(?:(?!导致|造成|引起|使|让|说明|因为|原因)[^。,;!?\n]){{0,60}}?{_SAYS_UNFIT}(?!{_CAUSE})"
    rf"[^。,;!?\n]{{0,40}}(?:[?:。(\n]|$)|{_SAYS_UNFIT}(?:的?[是为有]|做)?(?:哪|什么)"
    rf"|{_SAYS_UNFIT}(?!{_CAUSE})[^,。?\n”\"]{{0,14}}的[^,。?\n]{{0,4}}[是有项][^\w\n]*$"
)
# A question that asks what can be inferred, or what does not contradict.
_ASKS_FIT = re.compile(rf"推出|推断出|(?:能|可以?)[^,。?\n]{{0,10}}(?:{_KNOWN})|inferred|不[相互]?(?:{_UNFIT})")
_OWN_WORDS = r"(?:[与和跟同][^,。;:\na-z与和跟同]{1,12}的话)?"  # 与小鲁的话 before 矛盾
_CALLED_UNFIT = rf"{_DENIED}|{_UNFITS}|the (?:false|wrong|incorrect|untrue) (?:one|statement)"
_CALLED_FIT = rf"(?:(?:不|没有)[相互]?|(?:(?<![a-z])not|n't)[ ]){_UNFITS}|(?<![此话中们])(?:能够?|可以?)(?:[从由][^,。;?\n]{{1,10}}?)?(?:{_KNOWN})|(?:能够?|可以?)?{_FITS}"
# A mark beside such words says the same: 无法推断 ×.
_UNFIT_OR_FIT, _FIT_OR_UNFIT = (
    re.compile(rf"(?:[√×][ ]?)?{_OWN_WORDS}(?:{right}|({wrong}))(?:[ ]?[(]?[√×])?")
    for right, wrong in ((_CALLED_UNFIT, _CALLED_FIT), (_CALLED_FIT, _CALLED_UNFIT))
)


class QuestionText(NamedTuple):
    """A question in the form of clean text (folded, lower case). `words`: the same without punctuation; `tail`: the end of
    `words`."""

    text: str = ""
    words: str = ""
    tail: str = ""
    wrong: bool = False  # it asks which option is wrong: 错误 chooses an option
    spoken: bool | None = None  # letters with a colon are speakers (A: 你好); None: unknown
    # Words of the question that call an option right; wrong where the group before them matches a negation.
    verdicts: tuple[re.Pattern[str], ...] = ()
    asking: str = ""  # the end of the question, without the dialogue before it

    @property
    def negative(self) -> bool:
        """Whether it asks which option does not hold."""
        return self.wrong or _UNFIT_OR_FIT in self.verdicts


@lru_cache(maxsize=4096)
def read_question(question: str, dialogue: tuple[str, ...] | None) -> QuestionText:
    """The facts about an item's question. `dialogue`: its turns; None where it is not known whether it has a dialogue.

    >>> read_question("下列说法错误的是？", ()).wrong, read_question("", ("A: 你好。",)).spoken, read_question("", None).spoken
    (True, True, None)
    """
    text = lower(fold(question)).strip()
    spoken = _speak(dialogue) if dialogue is not None else bool(_TALK.search(text)) if text else None
    words, last = bare(text), bare(text.rpartition("\n")[2])
    asked = [0, *(match.start() for match in _ASKING_WORD.finditer(text))][-1]
    sentence = max([text.rfind(stop, 0, asked) for stop in "。!?;\n"]) + 1
    asking = text[sentence:][-_ASKING:]
    wrong = _WRONG.search(_VALUES.sub("", asking)) is not None
    tail = (last if len(last) > 7 else words)[-TAIL:]
    return QuestionText(text, words, tail, wrong, spoken, tuple(_verdicts(text[sentence:], wrong)), asking)


def _verdicts(text: str, wrong: bool) -> Iterator[re.Pattern[str]]:
    if (verb := _VERB.search(text[-_ASKING:])) and not wrong:  # a verdict in the question's verb: 违反, 不违反
        yield re.compile(rf"((?:并?不|未|没有?)?){verb[1]}了?(?:{re.escape(verb[2])}|(?=[ ]?(?:[,。;\n]|$)))")
    if not wrong and _ASKS_UNFIT.search(text[-_COMPARING:]):
        yield _UNFIT_OR_FIT
    elif not wrong and _ASKS_FIT.search(text[-_ASKING:]):
        yield _FIT_OR_UNFIT
    # “Which is heavier?” makes “heavier” call an option right.
    if asked := _COMPARES.search(text[-_COMPARING:]):
        degree = re.escape(asked[1] or asked[2])
        yield re.compile(rf"()(?<![a-z]){degree}(?![a-z])" if degree.isascii() else f"(){degree}")


def _speak(dialogue: Sequence[str]) -> bool:
    """Whether letters with a colon begin turns: A: 你好."""
    return any(_TURN.match(turn) for turn in dialogue)


# Behind 正确 or 错误: a noun that it belongs to (正确答案), or words that announce an option (正确的是, 正确的有A).
_NAMES = re.compile(r"的?(?:选?项|答案)| (?:answer|option|choice)s?(?![a-z])")
_ANNOUNCES = re.compile(
    r"(?:的|[ ](?=[so]))?(?:说法|表述|一项|(?:statement|one)s?)?(?:有?[是为:]|有(?=[(\[]?[a-i1-9])| is)"
)


def reclassify(said: list[Cue], low: str, question: QuestionText) -> list[Cue]:
    """The cues of a reply, with the classes that they have for this question. Where it asks for the wrong option, 错误 calls
    an option right and 正确 calls it wrong; words that repeat the question's own negation (不属于…) call an option right."""
    head = _REJECTS.search(low) if "是否" in low else None
    if head and (head[1] or not question.wrong):
        cells = {cell.start(1): "Z" if cell[1] == "是" else "=" for cell in _CELL.finditer(low, head.end())}
        said = [(cells.get(start, kind), start, end) for kind, start, end in said]
    matches = chain.from_iterable(pattern.finditer(low) for pattern in question.verdicts)
    if verdicts := [("-" if match[1] else "+", *match.span()) for match in matches]:
        said = [cue for cue in said if not any(s < cue[2] and cue[1] < e for _, s, e in verdicts)]
        said = sorted(verdicts + said, key=itemgetter(1))
    if "错了" in low:
        said = [("-", *cue[1:]) if cue[0] == "K" and _ERRS.match(low, cue[1]) else cue for cue in said]
    if not question.text:
        return said
    if not question.wrong:
        return [("+", *cue[1:]) if cue[0] in "NX-" and _repeats(low, cue, question) else cue for cue in said]
    found = list[Cue]()
    opposed = _OPPOSED.search(low) is not None
    for kind, start, end in said:
        last = found[-1] if found else ("", 0, 0)
        if kind in "-+w" and low[end - 1] != "选" and not low.startswith("题意", end):
            owned = _OWNED.search(low, max(start - 8, 0), start)
            announces, names = not owned and _ANNOUNCES.match(low, end) is not None, _NAMES.match(low, end) is not None
            if (last[0] == "N" and last[2] == start) or (last[0] == "n" and not low[last[2] : start].strip()):
                found[-1] = ("-" if kind == "-" else "+" if announces or names else "w", last[1], end)  # 没有错误
            elif kind == "-":
                found.append(("+" if announces or names else "w", start, end))
            else:
                found.append((kind if names else "w" if announces and not opposed else "-", start, end))
        else:
            found.append((kind, start, end))
    return found


def _repeats(low: str, cue: Cue, question: QuestionText) -> bool:
    """Whether a negation with the words behind it is the question's: 不属于, to 哪项不属于…"""
    _, start, end = cue
    return end - start < 4 and low[start : end + 2] in question.asking and _HAN.match(low, start, end + 2) is not None


# 错了 behind an option judges it; it corrects what was said where it begins a sentence: 错了, 我错了.
_ERRS = re.compile(r"错了(?:(?<=[a-j\d)项条句”\"]错了)|(?<=[a-j\d)项条句”\"] 错了))")
_OPPOSED = re.compile(r"^[^\w\n]*错误的?(?:选?项|说法)?[是有]?:", re.MULTILINE)  # 错误: B、D, beside 正确: A、C
# The label of the option that a verdict judges: A项错误：…
_OWNED = re.compile(r"(?:(?<![a-z])[a-i]|\(\d\))(?:选?项)?(?:的?(?:说法|表述|叙述))?[)\].:、 ]*\Z")
# The question's verb with the two characters behind it: 违反 and 劳动 in 哪些行为违反劳动法.
_VERB = re.compile(
    r"(?:哪[些几][^,。?不]{0,5}?|(?=[^,。?]{0,16}哪[些几]))(属于|违反|构成|体现|侵犯|涉及|(?<=哪些)是)([^,。?()\n]{2})"
)
_COMPARES = re.compile(
    r"(?<![a-z])(?:which|who)(?: [a-z]+){0,4}? (?:is|was|are) (?!her|(?:n?ev|und|ov|oth)er)((?:more |less )?[a-z]+er|(?:more|less) [a-z]+)(?=[,?:]| than |$)"
    r"|(?:哪一?[个种位件边方者]|谁)[^,。?不]{0,4}?((?:更|比较)[^\W\da-z]{1,2})(?=[,?:]|$)"
)
# The last column of a table, in which 是 rejects the option and 否 keeps it.
_REJECTS = re.compile(r"是否[被可应]?(?:(排除)|错误|有误)[ ]?\|?[ ]*\n")
_CELL = re.compile(r"(?<=\|)[ ]?([是否])[ ]*(?:\||$)", re.MULTILINE)
_HAN = re.compile(r"[一-鿿]{3}")
