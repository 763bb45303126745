"""Stage 1, strip: removes markup and thinking (rules 1 and 5), and splits the rest into blocks (rules 4 and 9).

Thinking, special tokens, HTML, markdown, LaTeX and emoji, but not the stars of a rating, are removed; an offset map leads from
the clean text back to the raw reply. One pass with one regular expression without nested repeats: linear in the length of the
reply.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from functools import lru_cache
from itertools import accumulate, chain, islice, starmap
from typing import NamedTuple

from evalsuite.parse.chars import BOX_CLOSE, BOX_OPEN, ENCLOSED, TURN, WORD, fold, inner_character, lower

WINDOW = 2000  # characters read from the head and from the tail of a longer text

_THOUGHTS = "think|thinking|thought|thoughts|reasoning|analysis|reflection|scratchpad|rationale|思考"
# Tags around thinking, some with a prefix (seed:think, mm:think) or a suffix (think:6124c78e of Hunyuan). Each alternative
# begins with a character, so that `re` is fast.
_THINK = re.compile(
    rf"<(?:\|?/?(?:[a-z]{{1,8}}:)?(?:{_THOUGHTS})(?::\w{{1,20}})?\|?>|\|channel\|>\s?(?:analysis|commentary|final)\s?<\|message\|>"
    r"|\|channel>\s?thought|channel\|>|\|(?:start|end)_thinking\|>|\|(?:open|close)\|>think<\|sep\|>"
    r"|\|?(?:begin|end)_of_(?:thought|thinking|reasoning)\|?>?)|\[/?think\]|◁/?think▷"
    r"|begin_of_(?:thought|thinking|reasoning)\|?>?|end_of_(?:thought|thinking|reasoning)\|?>?"
    r"|<details type=\"reasoning\"[^<>\n]{0,100}>|</details>|<\|im_start\|>\s?(?:think|answer)\n|【/?思考】"
    # The Harmony format without its special tokens; the marks that command-line programs print around thinking.
    r"|\Aanalysis(?=[a-z])|assistant(?:analysis|commentary|final)(?=\W|[^\W\d_])|\A\s{0,9}thinking\.\.\.\n|\.\.\.done thinking\.?\n"
)
# A quick check, since each of these tags holds a bracket, _of_, think, analysis or assistant.
_MAY_THINK = re.compile(r"[<\[◁【_ta](?:(?<=[<\[◁【])|(?<=_)of_|(?<=t)hink|(?<=a)(?:nalysis|ssistant))")
_SHUTS = re.compile(r"[<\[◁|【]*(?:/|end|close|channel\|>(?:\s?final|$)|assistantfinal|im_start\|>\s?answer|\.)")

# The beginning of thinking without tags: some chat templates open the tag in the prompt, and a long reply may be cut off before
# the tag that closes it. A reply that is no thinking may begin with the same words, but it says the answer at once, or ends with
# the answer or with a mark (_ENDED).
_MONOLOGUE = re.compile(
    r"\s{0,9}(?:ok|okay|alright|hmm+|好的?|嗯+)[,.。!…](?![^\n]{0,40}(?:答案是|我选|应选|answer is))"
)
_ENDED = re.compile(r"(?:[.。!?…:*|)\]}>”\"'`~]|(?:答案|选|综上|answer|option|choice)[^。!?\n]{0,40})\s*\Z")

# Special tokens of tokenizers; they are no text of the reply.
_SPECIAL = (
    r"<\|(?!(?:begin|end)_of_box)[^|<>\n]{1,40}\|>|</?s>|</?(?:bos|eos|eop|sop|eom|eot|eoc|eor|eoh|eod|pad|unk|end)>|<(?:start|end)_of_(?:turn|text)>"
    r"|<eos_token>|<reserved_\d{1,4}>|<_(?:user|bot|end)_?>|</?(?:bot|human|user|assistant)>|\[[gs]MASK\]|\[/?(?:INST|CLS|SEP|PAD|UNK|BOS|EOS|eos|bos)\]|<</?SYS>>"
)
_EDGE = re.compile(rf"(?:{_SPECIAL}|\s)+")
# A text without any of _TOKENS, as most replies are.
_ORDINARY = re.compile(
    r"(?:[0-9a-zA-Z\u4e00-\u9fff\n,.。:、;!?()“”'\"%/ ‘’《》「」『』…·+|→×]++|[-=—](?![-*=_─—]))*+\Z"
)
# Behind a box that belongs to the letter before it: the line's end, or more letters with boxes.
_BOXES = r"(?=(?:[ ,;]{0,3}[A-Ha-h][ :](?:\[[ xX√]\]|[☐☑])){0,10}[ ]*$)"
_TOKENS = re.compile(
    r"(?=[^a-zA-Z\u4e00-\u9fff\n,。:、;!?()“” ]|[ ]{0,3}[-*=_─—#>])(?:"  # most characters begin no token: one look is enough
    rf"(?P<bracketed>(?<=[(]){ENCLOSED.pattern}(?=[)]))|(?P<enclosed>{ENCLOSED.pattern}\ufe0f?)"
    rf"|(?P<turn>(?:{_SPECIAL}):?(?:\s?(?:assistant|model|bot|sop)\b[ :]*)?)"
    r"|(?P<box>(?<=Finish)\[|<\|(?:begin|end)_of_box\|>|</?(?:answer|final|final_answer|option|choice|result|output|solution|response|ans|答案|回答)>)"
    r"|(?P<block></?(?:p|div|br|li|ul|ol|h[1-6]|tr|td|th|table|section|n|eo[ael])(?:\s[^<>]{0,200})?/?>)"
    r"|(?P<heading>[【\[](?:正确|最终|参考|标准|初步|综合)?(?:答案|结论|判断|选择)[】\]][ ]?:?|[【\[](?:解析|分析|详解)[】\]][ ]?:?)"
    r"|(?P<slot>\[[A-Za-h1-9](?:[ ]?[/|][ ]?[A-Za-h1-9])+\](?=[ ]?:?[ ]?\[[A-Za-h1-9]\]))"  # [A/B] [B]
    r"|(?P<tag></?(?:[abipqsu]|[a-zA-Z][a-zA-Z0-9:_-]{1,30})(?:\s[^<>]{0,200})?/?>|<!--|-->)"
    r"|(?P<entity>&(?:[a-zA-Z]{2,8}|#\d{1,6});)"
    r"|(?P<struck>~~[^~\n]{1,100}~~)"
    r"|(?P<boxed>\\(?:boxed|fbox|framebox)\s?\{)"
    r"|(?P<command>\\(?:text(?:bf|it|rm|sf)?|math(?:rm|bf|it|sf|cal)|operatorname|bf|rm|it)\s?\{)"
    r"|(?P<escape>\\n(?![a-z])|\\\\)"
    r"|(?P<latex>\\[a-zA-Z]{1,20}|\\[(){}\[\],;!> ])"
    r"|(?P<open>\{)|(?P<shut>\})"
    r"|(?P<fence>```[a-zA-Z]{0,12}|`{1,3})"
    r"|(?P<separator>^[ ]?(?:#{2,}[ ]?$|[【\[]易错[^】\]\n]{0,6}[】\]]))"
    r"|(?P<rule>^[ ]?[-*=_─—]{3,}[ ]?$)"
    r"|(?P<mark>^[ ]{0,3}(?:#{1,6}[ ]+|>[ ]))"
    r"|(?P<stars>\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<![A-Za-z0-9_])_{1,3}(?=\w)|(?<=\S)_{1,3}(?![A-Za-z0-9_])|\$+)"
    r"|(?P<keycap>[0-9]\ufe0f?\u20e3|\U0001f51f)"
    r"|(?P<first>\U0001f947)|(?P<later>[\U0001f948\U0001f949])"
    rf"|(?P<yes>[✅✔☑√✓👍🟢]\ufe0f?|\[[xX√]\](?<=[A-Ha-h][ :]\[[xX√]\]){_BOXES})|(?P<ticked>(?<![^\s*-])\[[xXvV√]\](?=[ ]?\S))|(?P<unticked>(?<![^\s*-])\[ ?\](?=[ ]?\S)|☐(?=[ ]?[(A-Ha-h]))|(?P<no>[❌✗✘❎✖👎🔴]\ufe0f?|(?:\[ ?\](?<=[A-Ha-h][ :]\[ \])|☐(?<=[A-Ha-h][ :]☐)){_BOXES})"
    r"|(?P<emoji>[\U0001f000-\U0001f0ff\U0001f200-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe00-\ufe0f\u200b-\u200f\u2060\ufeff]+))",
    re.MULTILINE,
)
_BRACES = {"open": "{}", "boxed": BOX_OPEN + BOX_CLOSE, "command": ("", "")}
_SIGNS: dict[str, str] = dict(  # LaTeX's names of signs
    re.findall(
        r"(\S+) (\S+)",
        "cap ∩ cup ∪ in ∈ notin ∉ subset ⊂ subseteq ⊆ perp ⊥ parallel ∥ angle ∠ triangle △ cdot · sin sin cos cos tan tan le ≤"
        " leq ≤ ge ≥ geq ≥ Rightarrow → implies → therefore ∴ checkmark √ times ×",
    )
)
_PLAIN = {
    "separator": TURN,
    "block": "\n",
    "rule": "\n",
    "escape": "\n",
    "latex": " ",
    "yes": "√",
    "ticked": "选",
    "unticked": "排除",
    "no": "×",
    "first": "第一名:",
    "later": "第二名:",
}


class Clean(NamedTuple):
    """A reply without its wrapping. `text` is folded (width, script) but keeps its case; `raw_span` maps back."""

    text: str
    thinking: bool  # the reply ends inside an unclosed thought
    pieces: tuple[tuple[int, int, int], ...]  # (start of a piece in `text`, its start and its end in the raw reply)

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """Map a span of the clean text to the span of the raw reply."""
        if end <= start or not self.pieces:
            return 0, 0
        first, last = bisect_left(self.pieces, (start + 1,)), bisect_left(self.pieces, (end,))
        here, begin, stop = self.pieces[first - 1]
        begin = min(begin + start - here, stop - 1)
        here, copied, stop = self.pieces[last - 1]
        whole = end == (self.pieces[last][0] if last < len(self.pieces) else len(self.text))
        return begin, stop if whole else copied + end - here


def after_thinking(text: str) -> tuple[list[tuple[int, int]], bool]:
    """The parts of a folded text outside thoughts, and whether the text ends inside a thought (rule 5). A closing tag alone
    ends a thought from the start: some chat templates put the opening tag in the prompt. A long monologue without tags that
    was cut off is a thought, too."""
    kept: list[tuple[int, int]] = []
    start, inside, opened = 0, False, ""
    low = lower(text)
    may_think = _MAY_THINK.search(low) is not None
    if not may_think and len(low) <= WINDOW:
        return ([] if not low or low.isspace() else [(0, len(low))]), False
    for tag in _THINK.finditer(low) if may_think else ():
        if tag.group() == "</details>" and not opened.startswith("<details"):
            continue  # it folds something else
        shuts, opened = _SHUTS.match(tag.group()) is not None, tag.group()
        if shuts and not inside:
            kept.clear()
        elif not inside:
            kept.append((start, tag.start()))
        inside, start = not shuts, tag.end()
    if not start and len(low) > WINDOW and _MONOLOGUE.match(low) and not _ENDED.search(low):
        return [], True
    if not inside:
        kept.append((start, len(text)))
    return [piece for piece in kept if not text[slice(*piece)].isspace() and piece[0] < piece[1]], inside


def thinking_share(raw: str, apart: str = "") -> float:
    """The share of a reply's characters that are thinking, without blanks and the tags around thoughts.

    apart: thinking that the engine returned beside the reply.

    >>> thinking_share("<think>他很累</think>\\n\\n选 (a)"), thinking_share("<think>\\n</think>选 (a)"), thinking_share("(a)", "他很累")
    (0.42857142857142855, 0.0, 0.5)
    """
    text = fold(raw)
    answer = sum(_letters(text[start:end]) for start, end in after_thinking(text)[0])
    whole = _letters(_THINK.sub(" ", lower(text))) + _letters(apart)
    return (whole - answer) / whole if whole else 0.0


def _letters(text: str) -> int:
    return sum(map(len, text.split()))


def strip(raw: str) -> Clean:
    """Remove all wrapping. Markup with a meaning (a box, the end of a turn) becomes a sentinel character."""
    text = fold(raw)
    kept, thinking = after_thinking(text)
    if kept == [(0, len(text))] and len(text) <= 2 * WINDOW and _ORDINARY.match(text):
        return Clean(text, thinking, ((0, 0, len(text)),))
    parts: list[tuple[str, int, int]] = []  # a piece of the clean text, its start and its end in the raw reply
    stack: list[str] = []  # open braces; a closing one ends the last
    for number, (start, end) in enumerate(_windows(kept)):
        if number:
            parts.append((TURN, start, start + 1))
        for token in () if _ORDINARY.match(text, start, end) else _TOKENS.finditer(text, start, end):
            begin, stop = token.span()
            if begin > start:
                parts.append((text[start:begin], start, begin))
            start, kind = stop, token.lastgroup or ""
            if kind in _BRACES:
                stack.append(kind)
                piece = _BRACES[kind][0]
            elif kind == "shut":
                piece = _BRACES[stack.pop() if stack else "open"][1]
            else:
                piece = _replacement(kind, token[0])
            if piece:
                parts.append((piece, begin, stop))
        if start < end:
            parts.append((text[start:end], start, end))
    texts = [part[0] for part in parts]
    starts = accumulate(map(len, texts), initial=0)
    pieces = tuple([(at, begin, stop) for at, (_, begin, stop) in zip(starts, parts, strict=False)])
    return Clean("".join(texts), thinking, pieces)


def _windows(kept: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The parts of a text that are read: of a long one a window at its head and one at its tail, where answers stand."""
    total = sum(end - start for start, end in kept)
    if total <= 2 * WINDOW:
        return kept
    cuts = (WINDOW, total - WINDOW)
    first, last = (next(islice(chain.from_iterable(starmap(range, kept)), cut, None)) for cut in cuts)
    head = [(start, min(end, first)) for start, end in kept if start < first]
    return head + [(max(start, last), end) for start, end in kept if end > last]


@lru_cache(maxsize=2048)
def _replacement(kind: str, token: str) -> str:
    """The text that stands for a token in the clean text. `kind`: its group in _TOKENS."""
    if kind == "turn":
        return "" if "unk" in token.lower() or "pad" in token.lower() else TURN
    if kind == "box":
        return BOX_CLOSE if token[1:2] == "/" or "end_of" in token else BOX_OPEN
    if kind == "entity":
        char = html.unescape(token)
        return fold(char) if len(char) == 1 else " "
    if kind == "bracketed":  # (①)
        return inner_character(token)
    if kind in ("keycap", "enclosed"):
        inner = "10" if token == "\U0001f51f" else token[0] if token[0].isascii() else inner_character(token[0])
        return f"({inner})" if inner else ""
    if kind == "latex":
        return _SIGNS.get(token[1:], " ")
    if kind == "heading":
        return "解析:" if re.search("[解分详][析解]", token) else "答案:"
    if kind == "emoji" and (stars := sum(map(token.count, "★⭐"))) and (stars > 1 or "☆" in token):
        return "★" * stars  # a rating
    return _PLAIN.get(kind, "")


def strip_tokens(raw: str) -> tuple[int, int]:
    """The span of a reply without blanks, special tokens and thinking at its ends; its inside is not changed."""
    text = fold(raw)
    kept, _ = after_thinking(text)
    start, stop = begin, end = kept[0] if kept else (0, 0)
    for edge in _EDGE.finditer(text, begin, end):
        if edge.start() == begin:
            start = edge.end()
        elif edge.end() == end:
            stop = edge.start()
    return start, stop


def whole_reply(raw: str) -> str:
    """The whole text of a reply, without special tokens, thinking and blanks at its ends.

    Special tokens are left out wherever they stand; lead-ins, quotes, markup and reasons stay. Thinking that the
    engine returned apart from the reply is not in it. An unclosed thought leaves nothing.

    >>> whole_reply("<think>先看对话</think>答案是：“他累了”。<|im_end|>")
    '答案是：“他累了”。'
    """
    text, pieces = fold(raw), []
    for start, end in after_thinking(text)[0]:
        for token in re.compile(_SPECIAL).finditer(text, start, end):
            pieces.append(raw[start : token.start()])
            start = token.end()
        pieces.append(raw[start:end])
    return "".join(pieces).strip()


# The patterns of blocks match lower-case text. With re.IGNORECASE, `re` would try each of their alternatives at each line.

# The beginning of a prompt: an echo of the one asked, or one that the model invents. Possessive `*+` before its words: two
# repeats of blanks side by side would try every way to share a run of them.
_PROMPT = re.compile(
    r"[ ]*+(?:[-*\d.、]{1,4}+[ ]*+)?(?:(?:短语[ ]?[12一二]|对话(?:内容|历史|上文|如下)?|候选(?:选项|领域|项|答案)?|问题?|题目?|例题?|示例|用户|人类|提问|输入|指令"
    r"|q|question|user|human|instruction|input|dialogue|conversation|context|options|system|problem|example|query)[ ]?\d*[ ]?[:】\]]"
    r"|对话[ ]?\d*=|题目?[ ]?\d*[ ]?\.|例题?[ ]?\d*[ ]?[.、]|请你?(?:根据|从|阅读|选择|判断|抽取|回答|运用|选出)|请问[ ]?,?[ ]?(?:以下|下列)|please[ ](?:select|choose)|根据(?:以上|上述|上面的?)?对话(?:内容)?,[从请回]|下一[题个]|第[ ]?[一二三四五六七八九十\d]+[ ]?题"
    r"|从(?:[a-z][、,/ ]*){2,}|从[(]?[1甲][)]?[、,/ ]+[(]?[2乙]|【(?:下一题|新题|题目|问题|对话)】|用户[说问]|(?:instruction|input|user|human)$"
    r"|(?:now,?[ ])?let'?s[ ]?(?:summarize|总结)[^\n]{0,8}(?:all|问题)[^\n]{0,16}(?:answers|答案)|</?dialogue|选项[ ]?:[ ]*[(a-d1-4].{1,40}[(]?[b2])"
)
_ANSWER = re.compile(
    r"\s*+(?:答(?:案|复)?[ ]?[:是为]|回答[ ]?:|正确|answer|response|assistant|[故应]选|选项?[ ]?:|处?应填入的?选项[是为:]|###|请回答[ ]?:[ ]?\S"
    r"|(?:[\d一二三四五六]{1,2}[.、][ ]?)?(?:最终|我的)?(?:答案|结论|结果|回答|判断|选择)[ ]?:?$)"
)
SPEAKER = re.compile(
    r"[ ]*+(?:[-*•][ ]*+)?(?:[a-z甲乙丙]|(?:用户|说话[人者]|角色|speaker|user|person)[ ]?[a-z甲乙12一二]|对方|男|女)[ ]?:[ ]?"
)
_QUOTE = re.compile(
    r"“[^“”\n]{1,300}”|「[^「」\n]{1,300}」|『[^『』\n]{1,300}』|\"[^\"\n]{1,300}\"|‘[^‘’\n]{1,300}’|《[^《》\n]{1,100}》"
)
_KEY = re.compile(r'"\w+"[ ]?:')  # a JSON object
_LINE = re.compile(f"[^\n{TURN}]+")


_NEXT_QUESTION = re.compile(r"[ ]*+\d{1,3}[.、][^\n]{6,300}\n[ ]*+[(]?a[).、]")  # a numbered line, and options below
# A line that announces an example (以下是一个例子:), and the beginning of the question behind it.
_EXAMPLE = re.compile(r"(?:下面|以下)[^\n]{0,8}(?:例子|示例|例题)[ ]?:?[ ]?\Z")
_NOW = re.compile(r"[ ]*(?:(?:现在)?请你?(?:回答|作答)|现在|now[ ,])")
_VISIBLE = re.compile(r"\S")


class Block(NamedTuple):
    """A stretch of text that is read on its own. `echo`: it repeats the prompt, so only an explicit answer counts."""

    start: int
    end: int
    echo: bool


def lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The lines of a stretch of text without their line ends; ends of turns split lines, too."""
    return [match.span() for match in _LINE.finditer(text, start, end) if not match.group().isspace()]


def blocks(low: str, speakers: bool = True) -> list[Block]:
    """The blocks of a lower-case text: it is split before every line that begins a prompt and after every end of a turn (rule 4).
    `speakers`: letters with a colon are speakers."""
    found: list[tuple[int, int, bool]] = []
    # The block that is open: its start, and whether it is an echo. The line before: whether a speaker begins it, and its end.
    start, echo, after_speaker, previous, in_example = 0, False, False, 0, False
    for first, last in lines(low, 0, len(low)):
        after_turn = low.find(TURN, previous, first) >= 0
        if in_example and (in_example := _NOW.match(low, first, last) is None):
            # The example belongs to the prompt and is no block.
            start, echo, after_speaker, previous = last, False, False, last
            continue
        prompt = _PROMPT.match(low, first, last) is not None
        speaks = speakers and SPEAKER.match(low, first, last) is not None
        prompt = prompt or (first > start and _NEXT_QUESTION.match(low, first) is not None)
        answers = echo and _ANSWER.match(low, first, last)
        if after_turn or prompt or answers or (speaks and not after_speaker and WORD.search(low, start, first)):
            found.append((start, first, echo))
            start, echo = first, prompt
        after_speaker, previous = speaks, last
        if in_example := "例" in low[last - 4 : last] and _EXAMPLE.search(low, first, last) is not None:
            found.append((start, last, echo))
            start = last
    found.append((start, len(low), echo))
    return [
        Block(visible.start(), end, echo)
        for start, end, echo in found
        if (visible := _VISIBLE.search(low, start)) and WORD.search(low, visible.start(), end)
    ]


def quotations(text: str) -> list[tuple[int, int]]:
    """Quoted stretches, except quotes around a whole line or a key of JSON."""
    found: list[tuple[int, int]] = []
    for match in _QUOTE.finditer(text):
        start, end = match.span()
        line_end = text.find("\n", end)
        rest = text[text.rfind("\n", 0, start) + 1 : start] + text[end : line_end if line_end >= 0 else len(text)]
        if (len(rest) > 12 or WORD.search(rest)) and not _KEY.match(text, start):
            found.append((start, end))
    return found
