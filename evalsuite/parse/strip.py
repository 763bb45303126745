"""Stage 1, strip: remove what surrounds an answer (rules 1 and 5), and split what is left into blocks (rules 4 and 9).

Thinking, special tokens, HTML, markdown, LaTeX and emoji are removed; an offset map leads from the clean text back to
the raw reply. One pass with one regular expression without nested repeats: linear in the length of the reply.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from evalsuite.parse.chars import BOX_CLOSE, BOX_OPEN, ENCLOSED, TURN, WORD, enclosed, fold

WINDOW = 2000  # characters read from the head and from the tail of a longer text

_THOUGHTS = "think|thinking|thought|thoughts|reasoning|analysis|reflection|scratchpad|rationale|思考"
_THINK = re.compile(
    # With a name before it (seed:think, mm:think) or after it (think:6124c78e of Hunyuan).
    rf"<\|?(?P<shut>/)?(?:[a-z]{{1,8}}:)?(?:{_THOUGHTS})(?::\w{{1,20}})?\|?>|\[(?P<shut2>/)?THINK\]|◁(?P<shut3>/)?think▷"
    r"|<?\|?(?:begin|(?P<shut4>end))_of_(?:thought|thinking|reasoning)\|?>?"
    r"|<\|channel\|>\s?(?:analysis|commentary|(?P<shut5>final))\s?<\|message\|>|<\|channel>\s?thought|(?P<shut6><channel\|>)"
    r"|<\|(?:START|(?P<shut7>END))_THINKING\|>|<\|(?:open|(?P<shut8>close))\|>think<\|sep\|>",
    re.IGNORECASE,
)

_TOKENS = re.compile(
    r"(?=[^a-zA-Z\u4e00-\u9fff\n,。:、;!?()“” ]|[ ]{0,3}[-*=_─—#>])(?:"  # most characters begin no token: one look is enough
    + "|".join(
        (
            r"(?P<turn><\|[^|<>\n]{1,40}\|>:?(?:\s?(?:assistant|model|bot)\b[ :]*)?"
            r"|</?s>|</?(?:bos|eos|eop|sop|eom|eot|eoc|eor|eoh|eoa|eod|pad|unk|end)>|<(?:start"
            r"|end)_of_(?:turn|text)>(?:model\b)?"
            r"|<eos_token>|<reserved_\d{1,4}>|<_(?:user|bot|end)_?>|\[[gs]MASK\](?:sop\b)?|\[/?(?:INST|CLS"
            r"|SEP|PAD|UNK|BOS|EOS|eos|bos)\]|<</?SYS>>)",
            r"(?P<box></?(?:answer|final|final_answer|option|choice|result|output|solution|response|ans|答案|回答)>)",
            r"(?P<block></?(?:p|div|br|li|ul|ol|h[1-6]|tr|td|th|table|section|n)(?:\s[^<>]{0,200})?/?>)",
            r"(?P<tag></?(?:[abipqsu]|[a-zA-Z][a-zA-Z0-9:_-]{1,30})(?:\s[^<>]{0,200})?/?>|<!--|-->)",
            r"(?P<entity>&(?:[a-zA-Z]{2,8}|#\d{1,6});)",
            r"(?P<struck>~~[^~\n]{1,100}~~)",
            r"(?P<boxed>\\(?:boxed|fbox|framebox)\s?\{)",
            r"(?P<command>\\(?:text|textbf|textit|textrm|textsf|mathrm|mathbf|mathit|mathsf|mathcal"
            r"|operatorname|bf|rm|it)\s?\{)",
            r"(?P<escape>\\n(?![a-z])|\\\\)",
            r"(?P<latex>\\[a-zA-Z]{1,20}|\\[()\[\],;!> ])",
            r"(?P<open>\{+)",
            r"(?P<shut>\}+)",
            r"(?P<fence>```[a-zA-Z]{0,12}|`{1,3})",
            r"(?P<separator>^[ ]?#{2,}[ ]?$)",
            r"(?P<rule>^[ ]?[-*=_─—]{3,}[ ]?$)",
            r"(?P<heading>^[ ]{0,3}(?:#{1,6}[ ]+|>[ ]))",
            r"(?P<stars>\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<![A-Za-z0-9_])_{1,3}(?=\w)|(?<=\S)_{1,3}(?![A-Za-z0-9_])|\$+)",
            r"(?P<keycap>[0-9]\ufe0f?\u20e3|\U0001f51f)",
            rf"(?P<enclosed>{ENCLOSED.pattern}\ufe0f?)",
            r"(?P<yes>[✅✔☑√✓]\ufe0f?|(?<![^\s*-])\[[xXvV√]\](?=[ ]?\S))",
            r"(?P<no>[❌✗✘❎✖]\ufe0f?)",
            r"(?P<emoji>[\U0001f000-\U0001f0ff\U0001f200-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe00-\ufe0f\u200b-\u200f\u2060\ufeff]+)",
        )
    )
    + ")",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Clean:
    """A reply without its wrapping. `text` is folded (width, script) but keeps its case; `raw_span` maps back."""

    text: str
    thinking: bool  # the reply ends inside an unclosed thought
    starts: tuple[int, ...]  # where each piece begins in `text`,
    raws: tuple[int, ...]  # where each begins in the raw reply,
    raw_ends: tuple[int, ...]  # where each ends there; copied pieces have the same length in both

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """Map a place in the clean text to its place in the raw reply."""
        if end <= start or not self.starts:
            return (0, 0)
        first, last = bisect_right(self.starts, start) - 1, bisect_right(self.starts, end - 1) - 1
        begin = min(self.raws[first] + start - self.starts[first], self.raw_ends[first] - 1)
        whole = end == (self.starts[last + 1] if last + 1 < len(self.starts) else len(self.text))
        return begin, self.raw_ends[last] if whole else self.raws[last] + end - self.starts[last]


def after_thinking(text: str) -> tuple[list[tuple[int, int]], bool]:
    """The parts of a folded text outside thoughts, and whether the text ends inside a thought (rule 5).

    A closing tag without an opening tag ends a thought from the start: some chat templates put the opening tag in the
    prompt.
    """
    kept: list[tuple[int, int]] = []
    start, inside = 0, False
    for tag in _THINK.finditer(text):
        shut = any(text for name, text in tag.groupdict().items() if name.startswith("shut"))
        if shut and not inside:
            kept.clear()
        elif not inside:
            kept.append((start, tag.start()))
        inside, start = not shut, tag.end()
    if not inside:
        kept.append((start, len(text)))
    return [piece for piece in kept if text[piece[0] : piece[1]].strip()], inside


def strip(raw: str) -> Clean:
    """Remove all wrapping. Markup with a meaning (a box, the end of a turn) becomes a sentinel character."""
    text = fold(raw)
    kept, thinking = after_thinking(text)
    texts: list[str] = []
    starts: list[int] = []
    raws: list[int] = []
    ends: list[int] = []
    length = 0
    for piece, begin, end in _pieces(text, _windows(kept)):
        if piece:
            texts.append(piece)
            starts.append(length)
            raws.append(begin)
            ends.append(end)
            length += len(piece)
    return Clean("".join(texts), thinking, tuple(starts), tuple(raws), tuple(ends))


def _windows(kept: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Keep head and tail of a text longer than two windows: answers stand at either end."""
    total = sum(end - start for start, end in kept)
    if total <= 2 * WINDOW:
        return kept
    pieces: list[tuple[int, int]] = []
    position = 0
    for start, end in kept:
        for low, high in ((0, WINDOW), (total - WINDOW, total)):
            first, last = max(low - position, 0), min(high - position, end - start)
            if first < last:
                pieces.append((start + first, start + last))
        position += end - start
    return pieces


Piece = tuple[str, int, int]  # clean text, start and end in the raw text


def _pieces(text: str, kept: list[tuple[int, int]]) -> Iterator[Piece]:
    """The clean pieces in order. A stack holds open braces, since a closing brace ends whatever the last one opened."""
    stack: list[str] = []
    for number, (start, end) in enumerate(kept):
        if number:
            yield TURN, start, start + 1
        position = start
        for token in _TOKENS.finditer(text, start, end):
            if token.start() > position:
                yield text[position : token.start()], position, token.start()
            position = token.end()
            kind = token.lastgroup or ""
            if kind in _OPENERS:
                piece = _OPENERS[kind] * (1 if kind != "open" else len(token.group()))
                stack.extend([kind] * max(len(piece), 1))
            elif kind == "shut":
                piece = "".join(_SHUTTERS[stack.pop() if stack else "open"] for _ in token.group())
            else:
                piece = _replacement(kind, token.group())
            yield piece, token.start(), token.end()
        if position < end:
            yield text[position:end], position, end


_OPENERS = {"open": "{", "boxed": BOX_OPEN, "command": ""}
_SHUTTERS = {"open": "}", "boxed": BOX_CLOSE, "command": ""}
_PLAIN = {
    "turn": TURN,
    "separator": TURN,
    "block": "\n",
    "rule": "\n",
    "escape": "\n",
    "latex": " ",
    "yes": "√",
    "no": "×",
}


@lru_cache(maxsize=2048)
def _replacement(kind: str, token: str) -> str:
    if kind == "turn":
        return "" if "unk" in token.lower() or "pad" in token.lower() else TURN
    if kind == "box":
        return BOX_CLOSE if token[1] == "/" else BOX_OPEN
    if kind == "entity":
        char = html.unescape(token)
        return fold(char) if len(char) == 1 else " "
    if kind == "keycap":
        return "(10)" if token == "\U0001f51f" else f"({token[0]})"
    if kind == "enclosed":
        inner = enclosed(token[0])
        return f"({inner})" if inner and ENCLOSED.match(token) else ""
    return _PLAIN.get(kind, "")


# What tokenizers mark off as special, with nothing that a model wrote as text.
_SPECIAL = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|</?s>|</?(?:bos|eos|eop|sop|eom|eot|eoc|eor|eoh|eoa|eod|pad|unk|end)>"
    r"|<(?:start|end)_of_(?:turn|text)>|<eos_token>|<reserved_\d{1,4}>|<_(?:user|bot|end)_?>|\[[gs]MASK\]"
    r"|\[/?(?:INST|CLS|SEP|PAD|UNK|BOS|EOS|eos|bos)\]|<</?SYS>>"
)
_BARE = re.compile(rf"{_SPECIAL.pattern}|\s+")


def strip_tokens(raw: str) -> tuple[int, int]:
    """The place of a reply without blanks, special tokens and thinking at its ends; its inside is not changed."""
    text = fold(raw)
    kept, _ = after_thinking(text)
    if not kept:
        return 0, 0
    start, end = kept[0]
    pieces = [match.span() for match in _BARE.finditer(text, start, end)]
    for first, last in pieces:
        if first != start:
            break
        start = last
    for first, last in reversed(pieces):
        if last != end or first < start:
            break
        end = first
    return start, end


def whole_reply(raw: str) -> str:
    """The whole text of a reply: what decoding without special tokens gives, less thinking and blanks at its ends.

    Special tokens are left out wherever they stand; lead-ins, quotes, markup and reasons stay. Thinking is between special
    tokens, and engines that part it from the reply give none. An unclosed thought leaves nothing.

    >>> whole_reply("<think>先看对话</think>答案是：“他累了”。<|im_end|>")
    '答案是：“他累了”。'
    """
    text, pieces = fold(raw), []
    for start, end in after_thinking(text)[0]:
        for token in _SPECIAL.finditer(text, start, end):
            pieces.append(raw[start : token.start()])
            start = token.end()
        pieces.append(raw[start:end])
    return "".join(pieces).strip()


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
