"""Stage 2, segment: split a reply into blocks (at invented turns or questions), lines, quotations (rules 4 and 9)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evalsuite.parse.chars import TURN, WORD

# The beginning of a prompt: an echo of the one asked, or one that the model invents. Possessive `*+` before its words: two
# repeats of blanks side by side would try every way to share a run of them.
_PROMPT = re.compile(
    r"[ ]*+(?:[-*\d.、]{1,4}+[ ]*+)?(?:"
    r"短语[ ]?[12一二][ ]?:|对话(?:内容|历史|上文|如下)?[ ]?\d*[ ]?[:=]|候选(?:选项|领域|项|答案)?[ ]?:"
    r"|问题?[ ]?\d*[ ]?:|题目?[ ]?\d*[ ]?[:.]|例题?[ ]?\d*[ ]?[:.、]|示例[ ]?\d*[ ]?:"
    r"|请(?:根据|从|阅读|选择|判断|抽取|回答)|根据(?:以上|上述|上面的?)?对话(?:内容)?,(?:从|请|回答)|从(?:[a-z][、,/ ]*){2,}|从[(]?[1甲][)]?[、,/ ]+[(]?[2乙]|下一[题个]"
    r"|第[ ]?[一二三四五六七八九十\d]+[ ]?题|【?(?:下一题|新题|题目|问题|对话)】"
    r"|(?:q|question|user|human|instruction|input|dialogue|conversation|context|options|system|problem"
    r"|example)[ ]?\d*[ ]?[:】\]]|用户[ ]?[:说问]|人类[ ]?:|\[?round[ ]\d+|</?dialogue"
    r"|instruction$|input$|user$|human$|query[ ]?:|提问[ ]?:|输入[ ]?:|指令[ ]?:|选项[ ]?:[ ]*[(a-d1-4].{1,40}[(]?[b2]"
    r")",
    re.IGNORECASE,
)
_ANSWER = re.compile(
    r"答(?:案|复|)?[ ]?[:是为]|回答[ ]?:|正确|answer|response|assistant|故选|应选|选项?[ ]?:"
    r"|处?应填入的?选项(?:是|为|:)|###|请回答[ ]?:[ ]?\S"
    r"|(?:[\d一二三四五六]{1,2}[.、][ ]?)?(?:最终|我的)?(?:答案|结论|结果|回答|判断|选择)[ ]?:?$",
    re.IGNORECASE,
)
SPEAKER = re.compile(
    r"[ ]*+(?:[-*•][ ]*+)?(?:[A-Za-z]|[xy甲乙丙]|(?:用户|说话人|说话者|角色|speaker|user"
    r"|person)[ ]?[A-Za-z甲乙12一二]|对方|男|女)[ ]?[:][ ]?",
    re.IGNORECASE,
)
_QUOTE = re.compile(
    r"“[^“”\n]{1,300}”|「[^「」\n]{1,300}」|『[^『』\n]{1,300}』|\"[^\"\n]{1,300}\"|‘[^‘’\n]{1,300}’"
    r"|《[^《》\n]{1,100}》"
)


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of text that is read on its own. `echo`: it repeats the prompt, so only an explicit answer counts."""

    start: int
    end: int
    echo: bool


def lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The lines of a stretch of text without their line ends; ends of turns split lines, too."""
    found: list[tuple[int, int]] = []
    for match in re.compile(f"[^\n{TURN}]+").finditer(text, start, end):
        if text[match.start() : match.end()].strip():
            found.append(match.span())
    return found


def blocks(text: str) -> list[Block]:
    """Split the text before every line that begins a prompt and after every end of a turn.

    The first block with an answer is the reply to the item; the rest is run-on (rule 4).
    """
    found: list[Block] = []
    start, echo, spoken, previous = 0, False, False, 0

    def close(end: int) -> None:
        if WORD.search(text, start, end):
            found.append(Block(start, end, echo))

    for first, last in lines(text, 0, len(text)):
        turned = TURN in text[previous:first]
        prompt = bool(_PROMPT.match(text, first, last))
        speaks = bool(SPEAKER.match(text, first, last))
        answers = echo and bool(
            _ANSWER.match(text, first + len(text[first:last]) - len(text[first:last].lstrip()), last)
        )
        if turned or prompt or answers or (speaks and not spoken and WORD.search(text, start, first)):
            close(first)
            start, echo = first, prompt
        spoken, previous = speaks, last
    close(len(text))
    return found


def quotations(text: str) -> list[tuple[int, int]]:
    """Quoted stretches, except quotes around a whole line."""
    found: list[tuple[int, int]] = []
    for match in _QUOTE.finditer(text):
        start, end = match.span()
        line_start = text.rfind("\n", 0, start) + 1
        line_end = text.find("\n", end)
        rest = text[line_start:start] + text[end : line_end if line_end >= 0 else len(text)]
        if len(rest) > 12 or WORD.search(rest):
            found.append((start, end))
    return found
