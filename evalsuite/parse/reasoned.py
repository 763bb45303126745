"""Finds the answering part of a reply that reasons first (chain of thought); it is then read as any reply is.

The answer stands behind the last words that announce it at the head of a line or sentence: the template's own, 答案：, 【答案】,
Answer:, a heading 最终答案. Without such words it stands behind the last 答案是, "the answer is" or 结论, else in a box. Text after
the reply runs on into another question does not count. A reply that announces nothing answers in its last line, from the last
因此 or "therefore" on. Thinking is not read (rule 5).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from evalsuite.parse.chars import WORD, fold
from evalsuite.parse.strip import after_thinking

# All is matched on folded text: a full-width colon is an ordinary one. Every repeat is bounded, so that no text costs much.
_MARKS = r"[ \t*_#`>•-]{0,12}"
_BEHIND = r"[ \t*_`]{0,6}"  # markup of the announcing words that ends behind them: **Answer:** b
_BEGINS = rf"(?:^|(?<=[。.!?;,:])[ ]?){_MARKS}(?:\d{{1,2}}[.、)][ ]?{_MARKS})?"
_NAMED = (
    r"(?:(?:最终|最后|正确|我|参考|标准|简短|修正后)的?){0,2}(?:答案|答复)"
    r"|(?:(?:the|my|final|correct|short|revised)[ ]){0,3}answers?(?![a-z])"
)
_LED = r"(?:(?:所以|因此|因而|故|综上(?:所述)?|总之|最后|so|thus|hence|therefore)[, ]{0,2})?"
# At the head of a line or sentence: 答案: b, 【答案】b, **Answer:** b; or alone on a line: ### 答案.
_LINE = rf"{_BEGINS}[【\[]?{_LED}(?:{_NAMED})(?:{_BEHIND}:|[】\]]{_BEHIND}:?|(?=[ \t*_]{{0,6}}$)){_BEHIND}"
# Anywhere in a sentence: 答案是b, the answer is b. Not 答案是什么, the answer is not …, nor what quotes the form: 以“答案：”开头.
_SAID = (
    r"答案[ *_]{0,4}(?:(?:应该?|就|便|只能|也)?[是为]|:)(?!什么|哪|否|不是|要|显|唯一|明|如何|怎|从|在)[ *_:]{0,6}"
    r"|(?<![a-z])answers?[ *_]{0,4}(?:(?:is|are|would be|must be|should be)(?![a-z]| not | in | to | clear| obvious| what)|:)[ *_:]{0,6}"
    rf"|^{_MARKS}(?:结论|conclusion){_BEHIND}(?::|$){_BEHIND}"
)
_UNQUOTED = r"(?<![“\"「『‘'])"
_NO_FORM = r"(?!开头|开始)"
_BOX = re.compile(r"\\(?:boxed|fbox)\s?\{|<(?:answer|final_answer|答案)>", re.IGNORECASE)
# The reply goes on with another question, or in another's turn (rule 4).
RUN_ON = re.compile(
    r"^[ ]*(?:下面是.{0,20}对话|阅读下面|(?:问题|题目|题|例题|用户|对话内容)[ ]?\d{0,2}[ ]?:|下一题|here is a dialogue|read (?:this|the) (?:dialogue|story)"
    r"|a question about a dialogue|(?:question|user|human)[ ]?\d{0,2}[ ]?:)|<\|(?:im_start|im_end|start_header_id|endoftext|user|eot_id)[^>\n]{0,20}>",
    re.IGNORECASE | re.MULTILINE,
)
_THEREFORE = re.compile(
    r"(?:^|(?<=[。!?.]))[ *_#>-]{0,8}(?:综上所述|综上|因此|所以|故(?=[,是为])|总之|总的来说|由此可见|可见|therefore|thus|hence|so(?=[, ])"
    r"|in conclusion|in summary|overall)[,: ]{0,2}",
    re.IGNORECASE,
)
_TALK = re.compile(  # a last line that does not answer
    r"[ *_#>(-]{0,8}(?:希望|如果|如有|以上(?:就)?是|谢谢|请问|注[:意]|这个(?:答案|回答)|(?:i )?hope|let me know|feel free|note:|if you)",
    re.IGNORECASE,
)
# The words behind it are supposed, not said.
_IF = re.compile(r"(?:如果|假如|若是|(?<![a-z])if )[^。;!?\n]*\Z", re.IGNORECASE)
_ROW = re.compile(r"[^\n]+")


class AnsweringPart(NamedTuple):
    """The part of a raw reply that answers. `stated`: words announce it."""

    start: int
    end: int
    stated: bool


@lru_cache(maxsize=64)
def _cues(answer_after: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of words that announce an answer: at the head of a line or sentence, and in it."""
    own, flags = re.escape(fold(answer_after).strip()), re.IGNORECASE | re.MULTILINE
    head = f"{_BEGINS}{own}{_NO_FORM}{_BEHIND}|{_LINE}{_NO_FORM}"
    return re.compile(head, flags), re.compile(f"{_UNQUOTED}(?:{own}{_BEHIND}|{_SAID}){_NO_FORM}", flags)


def without_thinking(raw: str) -> str:
    """The folded reply with its thinking blanked out, of the same length."""
    text = fold(raw)
    parts, done = [], 0
    for start, end in after_thinking(text)[0]:
        parts += ["\n" * (start - done), text[start:end]]
        done = end
    return "".join((*parts, "\n" * (len(text) - done)))


def _announced(text: str, pattern: re.Pattern[str], last: int, cut: bool) -> tuple[int, int] | None:
    """The span from the end of the last match to where the reply runs on. `last`: the position of the reply's last word.

    A match without words behind it counts only in a reply that was cut off (`cut`)."""
    stops = [stop.start() for stop in RUN_ON.finditer(text)] + [len(text)]
    found, n = None, 0
    for cue in pattern.finditer(text):
        while stops[n] < cue.start():
            if found and WORD.search(text, found, stops[n]):
                return found, stops[n]
            n += 1
        if (cue.end() <= last or cut) and not _IF.search(text, max(0, cue.start() - 60), cue.start()):
            found = cue.end()
    return (found, next(stop for stop in stops if stop >= found)) if found else None


def answer_part(raw: str, answer_after: str, cut: bool = False) -> AnsweringPart | None:
    """The part of a reply that answers; None if it is all thinking, or was cut off (`cut`) in its reasoning.

    `answer_after`: the words behind which the template wants the answer.

    >>> reply = "A说下雨了，所以答案是：没带伞"
    >>> reply[slice(*answer_part(reply, "答案：")[:2])]
    '没带伞'
    """
    text = without_thinking(raw)
    rows = [row for row in _ROW.finditer(text) if WORD.search(row.group())]
    if not rows:
        return None
    last = max(word.start() for word in WORD.finditer(rows[-1].group())) + rows[-1].start()
    for pattern in _cues(answer_after):
        if place := _announced(text, pattern, last, cut):
            return AnsweringPart(*place, True)
    if boxes := [*_BOX.finditer(text)]:
        return AnsweringPart(boxes[-1].start(), len(text), True)
    if cut:
        return None
    row = next((row for row in reversed(rows) if not _TALK.match(row.group())), rows[-1])
    leads = [lead.end() for lead in _THEREFORE.finditer(row.group()) if WORD.search(row.group(), lead.end())]
    return AnsweringPart(row.start() + (leads[-1] if leads else 0), row.end(), False)
