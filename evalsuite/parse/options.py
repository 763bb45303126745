"""Sets of options: "A, C and D", "(a) (c)", "1 and 3", JSON lists, one verdict per line, all but one.

    raw reply -> strip -> blocks -> runs of names -> the words around a run -> Choices
                                                  -> `option.parse_several` if no shape below fits

A run is a sequence of names (labels in any form, option texts, positions) joined by commas, "and", bullets and the
like. One option per sentence, corrections and rejections are left to the stages of `parse_option`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evalsuite.parse.catalog import Catalog, catalog
from evalsuite.parse.chars import BOX_CLOSE, BOX_OPEN, TURN, WORD, key, lower
from evalsuite.parse.mentions import masked, texts
from evalsuite.parse.read import Choices, parse_several
from evalsuite.parse.segment import Block, blocks
from evalsuite.parse.strip import Clean, strip
from evalsuite.types import Status


@dataclass(frozen=True, slots=True)
class _Name:
    """An option named at `start:end`; -1 for a label outside the list. `by` is "text", "label" or "place"."""

    start: int
    end: int
    option: int
    by: str


@dataclass(frozen=True, slots=True)
class _Run:
    """Names in a row at `start:end`."""

    start: int
    end: int
    options: tuple[int, ...]  # each once, as first named


def parse_options(output: str, options: Mapping[str, str], *, finish: str = "stop") -> Choices:
    """All options that a reply chooses. `options` maps labels to texts in order; `choices` are indices into them.

    A reply that names an option outside the list has no answer (rule "outside"); nor has a reply that was cut off
    inside its list of options.

    >>> parse_options("A, C and D.", {"(a)": "rain", "(b)": "snow", "(c)": "hail", "(d)": "sleet"}).choices
    (0, 2, 3)
    """
    clean, known = strip(output), catalog(_apart(options))
    low = lower(clean.text)
    for block in blocks(clean.text) if options else ():
        if block.echo:
            break
        found = _read_block(low, block, known, finish == "length")
        if found is not None:
            return _choices(output, clean, *found)
        if WORD.search(low, block.start, block.end):
            break  # the rest may be run-on: `parse_several` decides
    return parse_several(output, options, finish=finish)


def _apart(options: Mapping[str, str]) -> dict[str, str]:
    """The options, with the text of a duplicate emptied: a shared text would name neither option."""
    keys = [key(text) for text in options.values()]
    return {label: "" if keys[n] in keys[:n] else text for n, (label, text) in enumerate(options.items())}


def _choices(
    output: str, clean: Clean, status: Status, chosen: tuple[int, ...], rule: str, at: tuple[int, int]
) -> Choices:
    start, end = clean.raw_span(*at)
    return Choices(status, tuple(sorted(chosen)), output[start:end], rule, start, end)


_Found = tuple[Status, tuple[int, ...], str, tuple[int, int]]


def _read_block(low: str, block: Block, known: Catalog, cut: bool) -> _Found | None:
    """The answer of a block in the first shape that fits, surest first; None if none fits."""
    runs = list(_runs(low, block, known))
    everything = tuple(range(len(known.keys)))

    def answer(run: _Run, rule: str) -> _Found:
        place = run.start, run.end
        if -1 in run.options:
            return Status.UNPARSED, (), "outside", place
        if cut and not WORD.search(low, run.end, block.end):
            return Status.TRUNCATED, (), "cut-off", place
        return Status.PARSED, run.options, rule, place

    def follows(cue: re.Pattern[str], run: _Run) -> bool:
        return cue.search(low, max(block.start, run.start - 60), run.start) is not None

    for run in reversed(runs):
        if follows(_CUE, run) and not follows(_BAD_CUE, run) and _CLOSED.match(low, run.end, block.end):
            return answer(run, "cue")
    if (
        len(runs) == 1
        and _ALONE_BEFORE.fullmatch(low, block.start, runs[0].start)
        and _ALONE_AFTER.fullmatch(low, runs[0].end, block.end)
    ):
        return answer(runs[0], "list")
    for but in _ALL_BUT.finditer(low, block.start, block.end):
        for run in runs:
            if run.start >= but.end() and not WORD.search(low, but.end(), run.start) and -1 not in run.options:
                left = tuple(option for option in everything if option not in run.options)
                return answer(_Run(but.start(), run.end, left), "all-but")
    right = [run for run in runs if _RIGHT.match(low, run.end, block.end)]
    wrong = {
        option
        for run in runs
        if _WRONG.match(low, run.end, block.end) or follows(_BAD_CUE, run)
        for option in run.options
    }
    chosen = tuple(dict.fromkeys(option for run in right for option in run.options if option not in wrong))
    if chosen and (len(right) + len(wrong) > 1 or any(len(run.options) > 1 for run in right)):
        judged = [run for run in runs if not {*run.options}.isdisjoint(chosen)]
        return answer(_Run(judged[0].start, right[-1].end, chosen), "verdicts")
    if wrong == {*everything}:
        return Status.UNPARSED, (), "none", (runs[0].start, runs[-1].end)
    none = _NONE.search(low, block.start, block.end)
    if none is not None and not right:
        return Status.UNPARSED, (), "none", none.span()
    whole = _ALL.search(low, block.start, block.end)
    if whole is not None and not wrong:
        return answer(_Run(*whole.span(), everything), "all")
    return None


# Names ------------------------------------------------------------------------------------------------------------

_OPEN, _SHUT = rf"[(\[{{「『【<\"'“‘{BOX_OPEN}]", rf"[)\]}}」』】>\"'”’{BOX_CLOSE}]"
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_PLACE = re.compile(rf"(?<![a-z])(?:{'|'.join(_ORDINALS)})(?![a-z])|第[一二三四五六七八](?:个|项)?")
_NUMBER = re.compile(r"(?<![\w.])\d{1,2}(?![\w%]|\.\d)")
_HAN_NUMBERS = "一二三四五六七八"


def _names(low: str, block: Block, known: Catalog) -> list[_Name]:
    """Every name in order. Texts come first, since they may contain letters and numbers."""
    named = [m for m in texts(low, known) if block.start <= m.start and m.end <= block.end]
    found = [_Name(m.start, m.end, m.option, "text") for m in named]
    rest = masked(low, named)
    for match in re.compile(rf"(?<![\w.]){known.core}(?![\w%’]|'[a-z]|\.\d)").finditer(rest, block.start, block.end):
        option = known.label(match.group())
        if option is not None and (known.digits or _is_label(low, match.end(), block.end)):
            found.append(_Name(match.start(), match.end(), option, "label"))
    for match in _PLACE.finditer(rest, block.start, block.end):
        word = match.group()
        place = _HAN_NUMBERS.index(word[1]) if word[0] == "第" else _ORDINALS.index(word)
        if place < len(known.keys):
            found.append(_Name(match.start(), match.end(), place, "place"))
    if not found and not known.digits:  # "1 and 3" for options a, b, c: positions from 1
        for match in _NUMBER.finditer(rest, block.start, block.end):
            place = int(match.group()) - 1
            found.append(_Name(match.start(), match.end(), place if 0 <= place < len(known.keys) else -1, "place"))
    found.sort(key=lambda name: name.start)
    return [name for n, name in enumerate(found) if not _numbers_a_line(low, name, found[n + 1 : n + 2])]


_ARTICLE = re.compile(
    r"[ ](?!(?:and|or|but|is|are|because|since|as|both|also|not|seems?|fits?|n|while|to|through)(?![a-z]))[a-z]{2,}"
)


def _is_label(low: str, after: int, end: int) -> bool:
    """Whether a letter is a label and not a word ("a phone", "I think"), judged by what follows it."""
    return low[after : after + 1] in tuple(")]}.:\"',;") or not _ARTICLE.match(low, after, end)


def _numbers_a_line(low: str, name: _Name, following: list[_Name]) -> bool:
    """Whether "2." only numbers a line of a list, so that the name after it is the choice."""
    if name.by != "label" or not low[name.start].isdigit() or not following:
        return False
    begins = not low[low.rfind("\n", 0, name.start) + 1 : name.start].strip()
    return begins and bool(_NUMBERS.fullmatch(low, name.end, following[0].start))


_NUMBERS = re.compile(rf"\.[ ]{{0,2}}(?:{_OPEN}|[*])*")


# Runs -------------------------------------------------------------------------------------------------------------

# Possessive `*+`: a quote both opens and closes, so backtracking over thousands of quotes would be exponential.
_JOIN = re.compile(
    rf"(?:\((?!.{{1,3}}\))[^()\n]{{1,160}}\)|[\s,;、./&+|*•·\-:=?!\\{TURN}]|{_OPEN}|{_SHUT}"
    r"|(?<![a-z])(?:and(?:/or)?|or|plus|also|both|as[ ]well[ ]as|n|the|options?|choices?|answers?|numbers?)(?![a-z])"
    r"|和|与|跟|及|以及|还有|选项|\d{1,2}\.(?=\s*[(\[]))*+"
)

_NEXT = re.compile(r"[;.][ ](?:the[ ])?(?:options?|choices?|answers?)(?![a-z])")  # a new sentence
_RANGE = re.compile(rf"{_SHUT}?[ ]?(?:-|~|to|through|至|到)[ ]?{_OPEN}?")


def _runs(low: str, block: Block, known: Catalog) -> Iterator[_Run]:
    """Sequences of names with nothing but joiners between them."""
    start = end = -1
    options: list[int] = []
    for name in _names(low, block, known):
        gap = low[end : name.start]
        if options and _RANGE.fullmatch(gap) and 0 <= options[-1] < name.option:
            options.extend(range(options[-1] + 1, name.option))
            end = name.end
        elif options and _JOIN.fullmatch(gap) and not _NEXT.search(gap):
            end = name.end
        else:
            if options:
                yield _Run(start, end, tuple(dict.fromkeys(options)))
            start, end, options = name.start, name.end, []
        options.append(name.option)
    if options:
        yield _Run(start, end, tuple(dict.fromkeys(options)))


# Words around a run -----------------------------------------------------------------------------------------------

_GOOD = (
    r"(?:yes|true|correct|right|accurate|plausible|possible|valid|reasonable|likely|appropriate|suitable|fits?|good"
    r"|acceptable|probable|✓|✔|✅|√|☑|对|正确|合理|是)"
)
_UP_TO = rf"(?:[\s*]|{_OPEN}|(?<![a-z])(?:both|the|options?|choices?|numbers?|answers?)(?![a-z])|选项|-)*+"
_CUE = re.compile(
    r"(?<![a-z])(?:(?:yes|answers?|options?|choices?|ones?|correct|right|plausible|solutions?|selections?|response|result|答案|选项|答)"
    r"(?:[ ](?:to[ ]the[ ]question|here|numbers?))?[\"'”]?[ ]?(?:(?:is|are|were|was|would[ ]be|include|includes|should[ ]be)"
    r"(?:[ ]both)?[ ]?:?|:|是|为)"
    r"|(?:choose|pick|select|chose|go[ ]with|going[ ]with|选择?)(?:[ ]both)?[ ]?:?)"
    rf"{_UP_TO}$"
)
_BAD_CUE = re.compile(
    r"(?<![a-z])(?:no|not|incorrect|wrong|false|implausible|invalid|rejected|excluded)(?:[ ](?:options?|choices?|answers?|ones?))?"
    rf"[\"'”]?[ ]?(?:(?:is|are)?[ ]?:|(?:is|are)(?![a-z])|(?<=not)(?=[ ])){_UP_TO}$"
)
_CLOSED = re.compile(
    rf"(?:{_SHUT}|[ *.])*+(?:$|[\n(;,!。{TURN}]|因为"
    r"|(?<=[ .])(?:because|since|as|for|while|but|and[ ]not|are|is|based|given)(?![a-z])|(?<=[.][ ]))"
)
_LEAD = (
    r"(?:sure|okay|ok|yes|certainly|of[ ]course|the|my|final|correct|right|possible|plausible|all|only|both|just|option|options"
    r"|choice|choices|answer|answers|is|are|would[ ]be|i|think|say|believe|答案?|选|是|为)"
)
_ALONE_BEFORE = re.compile(rf"(?:[\s,:.!*•·\-#=>→]|{_OPEN}|(?<![a-z]){_LEAD}(?![a-z])|\d{{1,2}}\.(?=\s*[(\[]))*+")
_ALONE_AFTER = re.compile(
    rf"(?:[\s,;:.!?=/*\-{TURN}]|{_SHUT}|(?<![a-z])(?:only|options?|choices?|answers?|ones?)(?![a-z]))*+"
)
_BE = r"(?:is|are|seems?(?:[ ]to[ ]be)?|looks?|would[ ]be|could[ ]be|can[ ]be|may[ ]be|might[ ]be|were|was|(?:=|→|->))?[ ]?"
_MUCH = r"(?:(?:both|all|also|each|very|quite|most|clearly|definitely|highly|equally|the|a|an|answers?)[ ])*"
_IT = r"(?:(?:options?|choices?|answers?|ones?|this|it|which|that|these)(?:[ ]|$))?"
_RIGHT = re.compile(rf"(?:{_SHUT}|[\s*:=\-–—.,(|])*+{_IT}{_BE}[*(]*{_MUCH}[*]*{_GOOD}(?![a-z])")
_WRONG = re.compile(
    rf"(?:{_SHUT}|[\s*:=\-–—.,(|])*+{_IT}(?:{_BE}[*(]*{_MUCH}[*]*"
    r"(?:no|not|false|wrong|incorrect|implausible|impossible|invalid|unlikely|inaccurate|unsupported|irrelevant"
    r"|inappropriate|unreasonable|ruled[ ]out|neither)(?![a-z])"
    r"|(?:isn['’]t|aren['’]t|contradicts?|conflicts?|does[ ]not|doesn['’]t|do[ ]not|don['’]t|cannot|can['’]t)(?![a-z])"
    r"|✗|✘|❌|×|☒|错|不)"
)
_ALL = re.compile(
    r"(?<!not )(?<![a-z])(?:all[ ](?:of[ ])?(?:the[ ]|these[ ]|those[ ])?(?:above|options?|choices|answers|statements|of[ ]them"
    r"|two|three|four|five|six|seven|eight)(?:[ ](?:options?|choices|answers|statements))?|every[ ](?:option|choice|answer))"
    rf"(?:[ ](?:listed|given|above))?(?:[ ]?[.!]|\s*$|[ ](?:are|is|seem|could[ ]be|can[ ]be)[ ]{_MUCH}{_GOOD})"
)
_ALL_BUT = re.compile(
    r"(?<![a-z])(?:all|every(?:thing|[ ](?:option|choice|answer))?)(?:[ ](?:of[ ])?(?:the[ ])?(?:above|options?|choices|answers))?"
    r"(?:[ ](?:are|is)[ ](?:correct|right|plausible))?,?[ ](?:but|except(?:[ ]for)?|besides|other[ ]than)(?:[ ](?:options?|for))?"
    r"|除了?"
)
_NONE = re.compile(
    r"(?<![a-z])(?:none(?:[ ]of[ ](?:the[ ]|these|them)?(?:above|options?|choices|answers)?)?|no[ ](?:option|choice|answer)"
    r"|neither[ ]of[ ](?:them|the[ ]options))[ ]?(?:(?:is|are|seems?)[ ](?:correct|right|plausible|valid)|[.!]|$)"
)
