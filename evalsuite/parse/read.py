"""Last stage, read: runs all stages on a raw reply and returns one answer (rules 3, 4 and 7)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from operator import itemgetter
from typing import NamedTuple

from evalsuite.parse.chars import SENTINELS, TURN, WORD, bare, ends, key, lower
from evalsuite.parse.inturn import typeset
from evalsuite.parse.lexicon import DECLINES
from evalsuite.parse.lists import cut_list, listing, without_numbered
from evalsuite.parse.mentions import (
    HAN,
    NONE,
    MentionGroup,
    OptionKeys,
    alike,
    alnum,
    grouped,
    heads,
    mentions,
    names_any,
    names_label,
    options_of,
    prepare,
    spelled,
    turns,
    with_near,
    words_of,
)
from evalsuite.parse.question import TAIL, QuestionText, read_question, reclassify
from evalsuite.parse.resolve import Verdict, resolve, resolve_set
from evalsuite.parse.rules import ANSWER, Hit, hits
from evalsuite.parse.strip import SPEAKER, Block, Clean, blocks, quotations, strip
from evalsuite.parse.tape import Cue, Tape, cues, make_tape
from evalsuite.types import Answer, Status

# The most characters of a reply whose answer is cached: a run has many equal short replies.
CACHED = 1000
Turns = Sequence[str] | None
_DUE = "SspC=l+FoRuE"  # classes of cue words (lexicon.CUES) that an answer may follow
_TENTHS = "(?P<tenths>[一二两三四五六七八九])"
_SHARE = r"(?<![\d.^×*])(?P<number>\d{1,3}(?:\.\d{1,6})?)"
_OF = re.compile(rf"(?:{_SHARE}[ ]?%[ ]?|{_TENTHS}成)(?=\w|:)[^%。;,\n]{{1,14}}\Z")
_WEIGHS = re.compile(r"概率|可能性|置信度|得分|评分|probab|likel|confidence|score|0\.\d")
_RATES = re.compile(r"[得评总]分|[合总]计|投票|(?:scores?|votes?|total)(?![a-z])")
_LEVEL = re.compile(
    r"[ ]?[:=|(][ ]?(?:(?:置信度|可能性|confidence)[ ]?[:=]?[ ]?)?(?P<very>[很非极最常较]*)(?P<level>高|中|低|high|medium|low)(?!\w)"
)
_NUMBER = re.compile(
    r"[^\w。;\n]{0,4}的?(?:(?:大?约|大概|概率|可能性|置信度|得分|几率|probability|score|confidence|p|[为是占有打])[ :=]{0,2}){0,3}"
    rf"(?:{_SHARE}[ ]?(?P<percent>%|分(?![钟析别之])|票)?(?!\w)|{_TENTHS}[成票])"
)
_LATER = re.compile(
    rf"(?:[^。;\n]{{0,40}}?(?<![\w.])|[^。;]{{0,80}}?(?:概率|可能性|置信度|probability)[^\d\n]{{0,6}}){_SHARE}(?:[ ]?%|(?<=0\.\d)|(?<=0\.\d\d))"
)
# Numbers in a table's cells, the last of which is the total; and an option's stars.
_CELLS = re.compile(r"[ ]?(?:\|[ ]*[\d.]+[ ]*(?:/[ ]?\d+[ ]*|分[ ]*)?(?=\|)){2,}")
_STARS = re.compile(r"[^\n★]{0,24}(★+)")
# A quick check, since a text with a share or a level holds one of these: a digit, 七成, 高, 中 or 低 behind a character that
# _LEVEL lets stand there (not 对话中), high, medium, low, a star.
_SCORED = re.compile(
    r"[\d成票高中低★hml](?:(?<=[\d★])|(?<=[一二两三四五六七八九][成票])|(?<=[:=|( 很非极最常较度性e][高中低])|(?<=h)igh|(?<=m)edium|(?<=l)ow)"
)
_INFERS = re.compile(
    r"(?<![a-z])(?:(?P<entailment>entail(?:s|ed|ing)?|follows from|(?:is|are) true|true(?=[,.:;]))"
    r"|(?P<contradiction>contradict(?:s|ed|ing|ory)?|(?:is|are) (?:false|not true|untrue)|false(?=[,.:;])))(?![a-z])"
)
_UNSURE = re.compile(
    r"(?:(?<![a-z])(?:not|never|cannot|neither|nor|or)|n['’]t) (?:[a-z]+ ){0,2}$|(?<![a-z])(?:if|whether) [^.\n]{0,80}$"
)


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
    question: str = "",
    finish: str = "stop",
    mode: str = "full",
    dialogue: Turns = None,
) -> Answer:
    """The option that a reply commits to.

    `options` maps labels to texts in order; the answer's `choice` is an index into them, None unless exactly one option
    is chosen. With the `question`, what repeats it is no answer, and "(b) is wrong" chooses (b) where the wrong option
    is asked for. `finish` is the reply's finish reason ("length": cut off). With `dialogue`, a reply that repeats the
    [MASK] turn with an option filled in is recognised, and "B:" is a label if no turn begins so (rule 9).

    `mode`: "paper" accepts only the forms that the paper lists, "strict" only a reply that is nothing but the answer,
    "full" reads everything. Raises ValueError for any other mode.

    >>> options = {"(a)": "科幻片", "(b)": "恐怖片", "(c)": "喜剧片"}
    >>> answer = parse_option("不是科幻片，应该选(b)。", options)
    >>> answer.status.value, answer.choice, answer.text
    ('parsed', 1, '(b)')
    >>> parse_option("(a)或(b)都可以。", options).choice is None
    True
    """
    if mode not in ("full", "strict", "paper"):
        raise ValueError(f"mode is {mode!r}, not 'full', 'strict' or 'paper'")
    if mode == "paper":
        return _paper(output, options)
    if mode == "strict":
        return _answer(output, clean := strip(output), _strict(clean, prepare(options)))
    read = read_one if len(output) <= CACHED else read_one.__wrapped__
    turns = None if dialogue is None else tuple(dialogue)
    return read(output, tuple(options.items()), finish, turns, read_question(question, turns))


@lru_cache(maxsize=2**13)
def read_one(
    output: str,
    options: tuple[tuple[str, str], ...],
    finish: str,
    dialogue: tuple[str, ...] | None,
    question: QuestionText,
) -> Answer:
    """The option that a reply commits to, as the parser "full" reads it."""
    known = options_of(options)
    whole = None if finish == "length" else _verbatim(output, known)
    if whole is not None:
        return whole
    clean = strip(output)
    answer = _answer(output, clean, _decide(clean, known, question, finish, dialogue or (), several=False))
    if answer.status is not Status.UNPARSED:
        return answer
    said = clean.text.rstrip(TURN + " \n")
    return _one_marked(output[: clean.raw_span(0, len(said))[1]], known) or answer


def _answer(output: str, clean: Clean, verdict: Verdict) -> Answer:
    choice = verdict.options[0] if verdict.status is Status.PARSED else None
    return Answer(verdict.status, choice, *_place(output, clean, verdict))


def _place(output: str, clean: Clean, verdict: Verdict) -> tuple[str | None, str, int | None, int | None]:
    """The words of the raw reply that decide (None if the verdict has none), the rule, and the words' start and end."""
    if verdict.end <= verdict.start:
        return None, verdict.rule, None, None
    start, end = clean.raw_span(verdict.start, verdict.end)
    return output[start:end], verdict.rule, start, end


def parse_options(
    output: str, options: Mapping[str, str], *, question: str = "", finish: str = "stop", dialogue: Turns = None
) -> Choices:
    """All options that a reply chooses. `options` maps labels to texts in order; `choices` are indices into them.

    A reply that names an option outside the list has no answer (rule "outside"); nor has a reply that was cut off
    inside its list of options.

    >>> parse_options("A, C and D.", {"(a)": "rain", "(b)": "snow", "(c)": "hail", "(d)": "sleet"}).choices
    (0, 2, 3)
    """
    clean, known = strip(output), read_question(question, None if dialogue is None else tuple(dialogue))
    keys = prepare_set(clean, options)
    if finish != "length" and (marked := typeset(output, keys.keys, known)):
        return Choices(Status.PARSED, marked, None, "typeset")
    verdict = _decide(clean, keys, known, finish, (), several=True)
    return Choices(verdict.status, verdict.options, *_place(output, clean, verdict))


def prepare_set(clean: Clean, options: Mapping[str, str]) -> OptionKeys:
    """The options where several may be right, by label, or by position from 1 if a reply names them so: "1 and 3" of a, b, c."""
    keys = [key(text) for text in options.values()]
    # One of two equal texts is emptied: a shared text would name neither option.
    texts = ["" if keys[n] in keys[:n] else text for n, text in enumerate(options.values())]
    lettered, numbered = (prepare(dict(zip(labels, texts, strict=False))) for labels in (options, map(str, count(1))))
    low = lower(clean.text)
    listed = [(int(item[1]), key(item[2])) for item in _OWN_ITEMS.finditer(low)]
    own = len(listed) > 1 and all(0 < n <= len(keys) and text.startswith(keys[n - 1] or " ") for n, text in listed)
    if own and not lettered.digits and not names_label(clean.text, low, lettered):
        return numbered  # 1. and the first option's text
    named: object = lettered.digits or names_any(clean.text, low, lettered) or _ITEMS.search(low)
    return lettered if named or not names_any(clean.text, low, numbered) else numbered


_OWN_ITEMS = re.compile(r"^[ ]*(\d{1,2})[.、)](.{1,200})", re.MULTILINE)
_ITEMS = re.compile(r"^[ ]*\d{1,2}[.、][ ]*(?:[^\W\d]{3}|[a-z]\W)", re.MULTILINE)  # the numbers are a list's


def _paper(output: str, options: Mapping[str, str]) -> Answer:
    """Accept only the forms that the paper lists: a, A, (a), (A), a), A), (a)premise, (a) premise, premise."""
    reply = output.strip()
    start = len(output) - len(output.lstrip())
    if not reply:
        return Answer(Status.EMPTY, rule="nothing")
    for index, (label, text) in enumerate(options.items()):
        core = label.strip("()")
        forms = [form for c in {core, core.lower(), core.upper()} for form in (c, f"({c})", f"{c})")]
        if reply in (*forms, f"({core}){text}", f"({core}) {text}", text):
            return Answer(Status.PARSED, index, reply, "paper", start, start + len(reply))
    return Answer(Status.UNPARSED, rule="not-a-listed-form")


def _strict(clean: Clean, options: OptionKeys) -> Verdict:
    """Accept a reply that is a label, an option text, or both, once markup and outer punctuation are removed."""
    low = lower(clean.text)
    words = words_of(low)
    if not words:
        empty = not clean.text.strip(SENTINELS + " \n")
        return Verdict(Status.EMPTY, rule="nothing") if empty else Verdict(Status.UNPARSED, rule="more-than-the-answer")
    found = [n for n, label in enumerate(options.labels) if label and words in (label, label + options.keys[n])]
    if not found and (exact := options.exact(words)) is not None:
        found = [exact]
    if not found:
        return Verdict(Status.UNPARSED, rule="more-than-the-answer")
    said = [match.start() for match in WORD.finditer(low)]
    return Verdict(Status.PARSED, (found[-1],), "whole-reply", said[0], said[-1] + 1)


def _verbatim(output: str, options: OptionKeys) -> Answer | None:
    """Parse a reply that is exactly the text of one option, even if that text contains labels, refusals or markup."""
    said = output.strip()
    option = options.verbatim.get(said)
    if option is None:
        return None
    start = len(output) - len(output.lstrip())
    return Answer(Status.PARSED, option, said, "whole-reply", start, start + len(said))


def _one_marked(output: str, options: OptionKeys) -> Answer | None:
    """The option of the one bold line, or line with a plus, in a reply that is the list of all options."""
    listed = ends(_LINE.finditer(output), 2 * len(options.keys))
    if not any(_LINE_MARK.match(line[0]) for line in listed):
        return None
    said = [(words, line) for line in listed if (words := key(line[0])) and not line[0].startswith("```")]
    marked = [n for n, (_, line) in enumerate(said) if _LINE_MARK.match(line[0])]
    own = [label + text for label, text in zip(options.labels, options.keys, strict=True)]
    if len(marked) != 1 or [words for words, _ in said] != own:
        return None
    line = said[marked[0]][1]
    return Answer(Status.PARSED, marked[0], line[0], "one-marked", line.start(), line.end())


_LINE = re.compile(r"[^\n]+")
_LINE_MARK = re.compile(r"[ ]*(?:[-*] )?(?:\*\*|__|\+ )")
UNASKED = QuestionText()
_START = itemgetter(1)  # the start of a cue word


class ReplyBlocks(NamedTuple):
    """A clean text with its blocks, the mentions of options and the cue words. `low`: the text in lower case."""

    text: str
    low: str
    parts: list[Block]
    options: OptionKeys
    question: QuestionText
    groups: list[MentionGroup]
    cues: list[Cue]
    quoted: list[tuple[int, int]]

    def tape(self, block: Block) -> Tape:
        inside = [group for group in self.groups if block.start <= group.start and group.end <= block.end]
        first = bisect_left(self.cues, block.start, key=_START)
        last = bisect_left(self.cues, block.end, key=_START)
        return make_tape(self.low, block, inside, self.cues[first:last], self.quoted)


def reply_blocks(
    text: str, options: OptionKeys, question: QuestionText = UNASKED, several: bool = False
) -> ReplyBlocks:
    """Find the blocks, the mentions and the cue words of a clean text. `several`: more than one option may be right."""
    low = lower(text)
    spoken = True if ":" in low and turns(low) else question.spoken
    if spoken is None:
        spoken = ":" not in low or not heads(low, options)
    quoted = quotations(text)
    said = reclassify(cues(low), low, question)
    groups = spelled(grouped(mentions(text, low, options, spoken), low, several), text, low, options)
    groups = with_near(groups, low, [end for kind, _, end in said if kind in _DUE], quoted, options)
    return ReplyBlocks(text, low, _parts(text, low, spoken, question, options), options, question, groups, said, quoted)


def _parts(text: str, low: str, spoken: bool, question: QuestionText, options: OptionKeys) -> list[Block]:
    """The blocks of a reply. A piece of it that repeats the question is a block of its own, an echo."""
    parts, said = blocks(low, spoken), words_of(low) if len(question.tail) > 7 else ""
    if not said:
        return parts
    goes_on = _goes_on(said, question.words)
    asks_on = low.find("\n" + question.text[:_HEAD])
    if not goes_on and question.tail not in said and asks_on < 1:
        return parts
    places = alnum(low)
    echoes: list[tuple[int, int]] = []
    if said[:goes_on] in options.by_text:
        goes_on = 0  # an option that the question ends with
    if goes_on and _ASKED.match(low, last := places[goes_on - 1] + 1):
        echoes.append((0, last))
    for match in re.finditer(re.escape(question.tail), said):
        first = places[match.end() - _alike_ends(said, match.end(), question.words)]
        last = places[match.end() - 1] + 1
        if _ASKED.match(low, last):  # otherwise it is a statement in the question's words
            labelled = _LABEL.search(low, max(first - _LED, 0), first)
            line = low.rfind("\n", 0, first) + 1  # a label that the question's words follow is no answer
            echoes.append((labelled.start() if labelled else line if first - line < _LED else first, last))
    if asks_on > 0 and (end := low.find("\n", asks_on + 1)) > 0 and _LISTS.match(low, end):
        echoes.append((asks_on, end))  # the next question
    split: list[Block] = []
    for block in parts:
        start, echo = block.start, block.echo
        for first, last in sorted(echoes):
            if start < last <= block.end:
                behind = _MARKS.match(low, last, block.end)
                split += [Block(start, max(first, start), echo), Block(max(first, start), last, True)]
                start, echo = behind.end() if behind else last, False
        split.append(Block(start, block.end, echo))
    return [block for block in split if WORD.search(text, block.start, block.end)]


def _goes_on(said: str, words: str) -> int:
    """Count the characters at the head of a reply that end the question too: the reply goes on with the prompt. Up to
    `_GOES_ON` such characters count as none."""
    if said[: _GOES_ON + 1] not in words[-TAIL:]:
        return 0
    sizes = range(min(len(said), len(words), TAIL) - 1, _GOES_ON, -1)
    return next((size for size in sizes if words.endswith(said[:size])), 0)


def _alike_ends(said: str, end: int, words: str) -> int:
    """Count the characters before `end` that are the last ones of `words`."""
    size = 0
    while size < min(end, len(words)) and said[end - size - 1] == words[-size - 1]:
        size += 1
    return size


_ASKED = re.compile(r"[ )]*(?:[?:。(_.\n\ue000]|$|[(\[]?[a-z1-9][)\]]?[ ]?[.:、])")
_LABEL = re.compile(r"(?<![a-z])[a-z][ ]?[:.、][ ]*\Z")
_LISTS = re.compile(r"\s+[(\[]?[a1甲][)\].:、 ]")  # options follow
_ASKS = re.compile(r"\s*(?:问题|题目|question|q)[ ]?\d*[ ]?:")
_GOES_ON = 5  # characters of the question's end that show that a reply goes on with it
_HEAD = 12  # characters of the question's head with which the next question of the same kind begins
_LED = 8  # the most characters of a label or a list's mark before the question's words
_MARKS = re.compile(r"[\s?:。.,;)_]+")
_CUT_OFF, _UNDECIDED = Verdict(Status.TRUNCATED, rule="cut-off"), Verdict(Status.UNPARSED, rule="undecided")


def _decide(
    clean: Clean, options: OptionKeys, question: QuestionText, finish: str, dialogue: Sequence[str], several: bool
) -> Verdict:
    """The first block with an answer is the reply; the rest is run-on (rule 4). `several`: more than one may be right."""
    text, cut = clean.text.rstrip(TURN + " \n"), finish == "length"
    ended = TURN in clean.text[len(text) :]  # a token ends the reply
    nothing = _CUT_OFF if cut else _UNDECIDED
    if not WORD.search(text):
        if clean.thinking:
            return nothing._replace(rule="unclosed-thought")
        # A reply without text that was cut off was all thinking, which the engine returned apart.
        return nothing if cut else Verdict(Status.EMPTY, rule="nothing")
    reply = reply_blocks(text, options, question, several)
    low, parts = reply.low, reply.parts
    # The reply repeats the question: all of it, or its end (or 问题:) until it was cut off in the first option.
    listed = _cut_off(low, parts, options, question)
    for before, block in zip((None, *parts), parts, strict=False):
        shut = ended or TURN in text[block.start :].lstrip(SENTINELS + " \n")
        cut_here = cut and block is parts[-1] and not shut
        asked_again = before is not None and before.echo and block is parts[-1]
        verdict = _block(reply, block, cut_here, several, asked_again, listed)
        listed = listed or (before is not None and before.echo and verdict is None)
        unsure = verdict is None or verdict.status in (Status.SEVERAL, Status.UNPARSED)
        declined = _declined(reply, block) if unsure and not block.echo else None
        if declined and (verdict is None or verdict.status is Status.SEVERAL or declined.start() < verdict.start):
            return _filled(low, options, dialogue) or Verdict(Status.REFUSED, (), "declines", *declined.span())
        if verdict is not None:
            none = _none_of_them(low, block, options) if verdict.status is Status.UNPARSED else None
            return none or verdict
    return (
        _none_of_them(low, parts[-1], options)
        or _filled(low, options, dialogue)
        or _repeated(low, options)
        or _begun(low, options, not reply.groups)
        or _counted(low, options)
        or (_letters_first(text, options) if several else None)
        or (None if cut else _spoken(reply))
        or (None if several else _polar(low, options))
        or (None if several or reply.groups else _loosely(low, options))
        or _inferred(low, options)
        or nothing
    )


def _declined(reply: ReplyBlocks, block: Block) -> re.Match[str] | None:
    """The words with which a block declines to answer, outside of quotations of the dialogue."""
    said = DECLINES.finditer(reply.low, block.start, block.end)
    return next((m for m in said if not any(start < m.start() < end for start, end in reply.quoted)), None)


def _block(
    reply: ReplyBlocks, block: Block, cut: bool, several: bool, asked_again: bool, listed: bool
) -> Verdict | None:
    """The verdict of one block; None if it has no answer. `asked_again`: it follows a repeated question and ends the reply.
    `listed`: the reply repeated the question with its options before."""
    tape, count = reply.tape(block), len(reply.options.keys)
    groups = [*tape.groups.values()]
    found = without_numbered(hits(tape, count, block.echo, several), reply.low, several)
    # A block that names no option may still have a verdict for each, if several may be right.
    readable = found or (several and block.end - block.start >= 2 * count)
    if not readable or (asked_again and listing(found, listed)):
        return None
    if len(groups) == 1 and groups[0].options == (0,) and _breaks_off(reply.low, groups[0], block.end):
        return None
    if asked_again and found and found[0].rule == "line" and _FILLED.match(reply.low, found[0].start):
        return Verdict(Status.PARSED, found[0].options, "answer", found[0].start, found[0].end)
    marked = _marked(reply.low, groups, count)
    if marked is not None and (several or len(marked.options) == 1):
        return marked
    scaled = None if several or block.echo else _probable(reply.low, groups, block.end, count)
    if scaled is not None and scaled.options and not any(_contradicts(h, scaled) for h in found):
        return scaled
    if not several and cut_list(found, reply.low, block.end, reply.options):
        return None
    verdict = (resolve_set if several else resolve)(found, tape, reply.low, cut, count, reply.question)
    if verdict and block.echo and verdict.rule == "only-named" and verdict.start > block.start:
        verdict = None  # a word of the question
    return scaled if scaled and not (verdict and verdict.start >= scaled.end) else verdict


def _breaks_off(low: str, first: MentionGroup, end: int) -> bool:
    """Whether a block ends with the first option behind a line that says that each will be judged: 逐项分析如下:"""
    line = re.split(r"[\n。.]", low[max(first.start - 80, 0) : first.start].rstrip(" \n-*•(0123456789.、"))[-1]
    judges = line.endswith(":") and _JUDGES_EACH.search(line) and not _CONCLUDES.search(line)
    return bool(judges) and not WORD.search(low, first.end, end)


_JUDGES_EACH = re.compile(
    r"逐[一项个条]|(?:接下来|下面|我们来)[^\n]{0,6}(?:分析|判断|看)|分析如下|let(?:'s| us| me) |one by one|each (?:option|choice)"
)
_CONCLUDES = re.compile("答案|所以|因此|综|以上|经过|therefore|answer")  # 经过逐项分析，正确的是:
_FILLED = re.compile(r"[(][ ]?\w[ ]?[)]")  # the gap at the end of a question: 正确的是( C )


def _contradicts(hit: Hit, scaled: Verdict) -> bool:
    """Whether an answer by name, or an explicit choice of another option, follows the option with the greatest number."""
    other = hit.explicit and hit.rule != "is" and hit.options != scaled.options  # 两成是a chooses nothing
    return hit.start > scaled.start and (hit.verdict == ANSWER or other)


def _cut_off(low: str, parts: Sequence[Block], options: OptionKeys, question: QuestionText) -> bool:
    """Whether a reply goes on with the prompt, and was cut off in the text of its first option."""
    if len(parts) != 2 or not parts[0].echo or not options.keys:
        return False
    asks = len(bare(low[: parts[0].end])) < len(question.tail) or _ASKS.match(low)
    return bool(asks) and len(bare(low[parts[1].start :])) <= 1 + 3 * len(options.keys[0]) // 4


def _none_of_them(low: str, block: Block, options: OptionKeys) -> Verdict | None:
    """The option 以上都不对, if the item has one and the reply says that no other is right."""
    if options.none is None or block.echo or (said := NONE.search(low, block.start, block.end)) is None:
        return None
    return Verdict(Status.PARSED, (options.none,), "none-of-them", *said.span())


_MARK = re.compile(r"[ ]?[:=|][ ]?([01])(?![\w.%])")


def _marked(low: str, groups: Sequence[MentionGroup], count: int) -> Verdict | None:
    """The options marked with 1 where each has a 1 or a 0: A: 1, B: 0; None if there is no such table."""
    if len(groups) < count or "1" not in low:
        return None
    marks = {group.options: (mark[1], group) for group in groups[:60] if (mark := _MARK.match(low, group.end))}
    right = [group for mark, group in marks.values() if mark == "1"]
    if {*marks} != {(n,) for n in range(count)} or not right:
        return None
    chosen = tuple(sorted(group.options[0] for group in right))
    return Verdict(Status.PARSED, chosen, "marked", right[0].start, right[-1].end)


def _score(before: str, after: str) -> tuple[float, bool] | None:
    """The number that a reply gives an option, and whether it is surely a share: 60%是a, a：60%, b=0.5, c：七成, a：★★."""
    if level := None if (of := _OF.search(before)) else _LEVEL.match(after):
        return "低l中m高h".index(level["level"][0]) // 2 + 0.1 * len(level["very"]), True
    if stars := _STARS.match(after):
        return float(len(stars[1])), True
    if cells := _CELLS.match(after):
        return float(re.findall(r"\|[ ]*(\d+(?:\.\d+)?)", cells[0])[-1]), False
    match = of or _NUMBER.match(after)
    if match and (tenths := match["tenths"]):
        return 10.0 * (1 + "一二三四五六七八九".index(tenths.replace("两", "二"))), True
    if match and match.re is _NUMBER:
        return float(match["number"]), bool(match["percent"])
    match = match or _LATER.match(after)
    return (float(match["number"]), True) if match else None


def _probable(low: str, groups: Sequence[MentionGroup], end: int, count: int) -> Verdict | None:
    """The option with the greatest number after it (or before), if at least two options have numbers (rule 8)."""
    scores: dict[int, tuple[float, MentionGroup]] = {}
    shares = 0
    for position, group in enumerate(groups[:60] if len(groups) > 1 and _SCORED.search(low) else ()):
        option = group.members[-1].option
        if len(group.options) != 1 or option < 0:
            continue
        limit = groups[position + 1].start if position + 1 < len(groups) else end
        head = max(group.start - 24, groups[position - 1].end if position else 0)
        found = _score(low[head : group.start], low[group.end : limit])
        if found is not None:
            shares += found[1]
            if option not in scores or found[0] > scores[option][0]:
                scores[option] = (found[0], group)
    if len(scores) < 2:
        return None
    numbers = [score for score, _ in scores.values()]
    weighed: object = shares or (_WEIGHS.search(low) and (max(numbers) <= 1 or 97 <= sum(numbers) <= 103))
    weighed = weighed or (len(scores) == count and _RATES.search(low))
    if not weighed:
        return None
    top = [(option, group) for option, (score, group) in scores.items() if score == max(numbers)]
    if len(top) > 1:
        return Verdict(Status.SEVERAL, (), "probability-tie", top[0][1].start, top[-1][1].end)
    return Verdict(Status.PARSED, (top[0][0],), "probability", top[0][1].start, top[0][1].end)


def _filled(low: str, options: OptionKeys, dialogue: Sequence[str]) -> Verdict | None:
    """The option with which a reply fills in the [MASK] turn of the dialogue (rule 9)."""
    for turn in dialogue:
        before, mark, after = turn.partition("[MASK]")
        if not mark:
            continue
        head, tail = key(before)[-6:], key(after.split("[MASK]")[0])[:6]
        if len(head) + len(tail) > 2:
            said = words_of(low)
            fits = [n for n, text in enumerate(options.keys) if text and head + text + tail in said]
            if len(fits) == 1:
                text, places = options.keys[fits[0]], alnum(low)
                at = said.index(head + text + tail) + len(head)
                return Verdict(Status.PARSED, (fits[0],), "filled-in", places[at], places[at + len(text) - 1] + 1)
    return None


def _spoken(reply: ReplyBlocks) -> Verdict | None:
    """The option in a reply that is the [MASK] turn filled in: one option text inside a long sentence (rule 9)."""
    low, texts = reply.low, [g for g in reply.groups if all(m.kind == "text" for m in g.members)]
    if len({option for group in texts for option in group.options}) != 1 or not SPEAKER.match(low):
        return None
    group = texts[0]
    before, after = re.split(r"[\n。!?]", low[: group.start])[-1], re.split(r"([\n。!?])", low[group.end :], maxsplit=1)
    doubted = before[-1:] in {*"不没未无非"} or re.match(r"[^,。!\n]{0,12}?[?吗]", "".join(after[:2]))
    if doubted or len(key(before + after[0])) < 8:
        return None
    return Verdict(Status.PARSED, group.options, "filled-in", group.start, group.end)


def _repeated(low: str, options: OptionKeys) -> Verdict | None:
    """The option whose text the reply repeats over and over, cut off in the last repetition or not (rule 8)."""
    said = words_of(low)
    for option, text in enumerate(options.keys):
        if len(text) > 1 and len(said) > 2 * len(text) and said == (text * (len(said) // len(text) + 1))[: len(said)]:
            return Verdict(Status.PARSED, (option,), "repeated", 0, len(low.rstrip()))
    return None


_YES, _NO = re.compile(r"(?:是|对|正确|可信|会|能|yes|true)的?\Z"), re.compile(r"不|没|否|错|no\Z|false\Z")
_AT = r"(?:\A\s*|(?:所以|因此|结论)[,:]?[ ]?)"
_POLAR = re.compile(
    rf"{_AT}(?:嗯[,。])?(?:完全)?(?:(?P<no>(?:并?不(?:是|对|会|能|正确|可信)?|并非)(?:如此|这样)?的?|否|错误?|no|false)|[是对会能]的?|没错|正确|可信|yes|true)[ ]?(?:[,。.!\n\ue000]|$)"
    rf"|{_AT}[^\n。]{{0,40}}(?:指的?(?:就|正)?是[“\"「]|(?P<other>(?:不|并非)是?指|指的并?不是))"
)


def _polar(low: str, options: OptionKeys) -> Verdict | None:
    """The option that says yes or no as the reply does at its head or in conclusion, if the two options are yes and no."""
    yes, no = ([n for n, text in enumerate(options.keys) if says.match(text)] for says in (_YES, _NO))
    said = _POLAR.search(low) if len(options.keys) == 2 and len(yes) == len(no) == 1 else None
    if said is None:
        return None
    return Verdict(Status.PARSED, tuple(no if said["no"] or said["other"] else yes), "polar", *said.span())


_CLAUSE = re.compile("[,，]")
_CUT = 12  # fewest characters of an option's text at a reply's end that show that it was cut off in that text
_COUNT = re.compile(r"(\d+)([^\W\d]+)")
_NUMERALS = "一二三四五六七八九"
_NUMERAL_ALONE = re.compile(rf"[\s(]*([{_NUMERALS}])[\s).。]*")
_NUMBER_ALONE = re.compile(r"\s*(\d+)[。.]?[ ]*(?:\n|$)")


def _counted(low: str, options: OptionKeys) -> Verdict | None:
    """The option whose number alone is the reply's first line, if all are numbers of the same unit: 22 of 22个月; or the
    one whose label is the Chinese numeral that is the whole reply: 三."""
    numeral = _NUMERAL_ALONE.fullmatch(low) if options.digits else None
    if numeral and (option := options.labelled(str(1 + _NUMERALS.index(numeral[1])))) >= 0:
        return Verdict(Status.PARSED, (option,), "number", *numeral.span(1))
    said = _NUMBER_ALONE.match(low)
    counts = [_COUNT.fullmatch(text) for text in options.keys] if said else []
    units = {count and count[2] for count in counts}
    if said is None or len(units) != 1 or None in units:
        return None
    fits = [n for n, count in enumerate(counts) if count and count[1] == said[1]]
    return Verdict(Status.PARSED, (fits[0],), "number", *said.span(1)) if len(fits) == 1 else None


_LETTERS_FIRST = re.compile(r"\s*([A-Z](?:[、,]?[A-Z]){1,9})(?: (?=[一-鿿])|[。.,;:])")


def _letters_first(text: str, options: OptionKeys) -> Verdict | None:
    """The options whose letters, in their order, are the first word of a reply that runs on: ABD 国考报名…"""
    head = _LETTERS_FIRST.match(text)
    letters = re.findall("[a-z]", head[1].lower()) if head else []
    if head is None or letters != sorted({*letters}) or not {*letters} <= {*options.labels}:
        return None
    return Verdict(Status.PARSED, tuple(map(options.labels.index, letters)), "letters", *head.span(1))


def _begun(low: str, options: OptionKeys, alone: bool) -> Verdict | None:
    """The option whose text the reply repeats or begins to repeat.

    If there is none, the option that begins with the reply's first clause. If there is none either and the reply names no option
    (`alone`), the option in the middle of whose text the reply ends. None if several options fit.
    """
    if len(low) > 2 * options.longest:
        return None
    said, clause = words_of(low), bare(low.partition(",")[0])
    fits = [n for n, own in enumerate(options.keys) if min(len(said), len(own)) > 5 and alike(said, own) == len(said)]
    if not fits and len(clause) > 4:
        fits = [n for n, text in enumerate(options.texts) if key(_CLAUSE.split(text)[0]) == clause]
    if not fits and alone:
        sizes = range(_CUT, len(said))  # characters of the text in which the reply ends
        fits = [n for n, own in enumerate(options.keys) if any(said.endswith(own[:m]) for m in sizes if m < len(own))]
    return Verdict(Status.PARSED, (fits[0],), "begun", 0, len(low.rstrip())) if len(fits) == 1 else None


_PIECE = re.compile(r"[^。!?;\n]{4,}\??")
_LOOSE, _APART = 0.7, 0.3  # share of an option's characters that are said in order; how much less of any other option


def _loosely(low: str, options: OptionKeys) -> Verdict | None:
    """The option whose text a sentence says with other words between (她要去医院看病, to 她要去看病), if it is like no other option
    and denies nothing (rule 2)."""
    if any([len(text) < _LEAST or not HAN.match(text) for text in options.keys]):
        return None
    best = [(0.0, 0, 0)] * len(options.keys)
    for piece in ends(_PIECE.finditer(low), 20):
        parts = [piece.span()]
        if len(piece[0]) > _SENTENCE:
            parts = [
                (piece.start() + clause.start(), piece.start() + clause.end()) for clause in _CLAUSES.finditer(piece[0])
            ]
        for start, end in parts:
            said = bare(low[start:end])
            for n, text in enumerate(options.keys):
                if not piece[0].endswith("?") and not any((c in said) != (c in text) for c in _DENIES):
                    best[n] = max(best[n], (in_order(text, said) / len(text), start, end))
    first, second = sorted([share for share, _, _ in best], reverse=True)[:2] if len(best) > 1 else (0.0, 0.0)
    if first < _LOOSE or first - second < _APART:
        return None
    chosen = max(range(len(best)), key=lambda n: best[n][0])
    return Verdict(Status.PARSED, (chosen,), "loosely", *best[chosen][1:])


_CLAUSES = re.compile(r"[^,]{4,}")
_LEAST, _SENTENCE = 4, 40
_DENIES = "不没无未非别"


def in_order(text: str, said: str) -> int:
    """Count the characters of a text that are said in its order, others between them: the longest common subsequence.

    >>> in_order("她要去看病", "她要去医院看病")
    5
    """
    places = dict[str, int]()
    for n, char in enumerate(text):
        places[char] = places.get(char, 0) | 1 << n
    row = every = (1 << len(text)) - 1  # a bit is cleared for each character that is found in order
    for char in said:
        same = row & places.get(char, 0)
        row = ((row + same) | (row - same)) & every
    return len(text) - row.bit_count()


def _inferred(low: str, options: OptionKeys) -> Verdict | None:
    """The option that the first verb of inference names, if the options are entailment and contradiction (CIDER's DNLI)."""
    match = None if {"entailment", "contradiction"} - {*options.keys} else _INFERS.search(low)
    # A denied or doubtful verb of inference chooses nothing: what does not contradict need not be entailed.
    if match is None or _UNSURE.search(low, 0, match.start()):
        return None
    return Verdict(Status.PARSED, (options.keys.index(str(match.lastgroup)),), "inference", *match.span())
