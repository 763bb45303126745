"""Choosing the sentence that answers, and cutting it to its span (rules 12, 13 and 15)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from .chars import WORD, key
from .leads import cut_lead
from .question import Asked
from .refusal import NONE_FOUND
from .segment import SPEAKER, lines
from .shapes import CONCLUDES, EXPLAINS, after_marker, listed, sentences
from .tails import AFTERWARDS, cut_causal, cut_correction, cut_tail
from .trim import Place, trim

_CORRECTS = re.compile(
    r"(?:更正|纠正|修正|抱歉|对不起|等等|等一下|不对[,。:]|不[,。!]|哦不|我错了|说错了|重新|准确地说|wait"
    r"|actually|correction|sorry)"
)
_SHOULD_BE = re.compile(r"[,][ ]?(?=应该?是|应为|而是|正确的?是|答案(?:应该?)?是)")
_FINAL = re.compile(
    r"[ ]*(?:综上|因此|所以|总之|由此可见|可见|最终|故|总的来说|综合|therefore|thus|so\b|in conclusion)"
)


def choose(
    text: str, low: str, head: int, place: Place, ask: Asked, dialogue: Sequence[str] | None
) -> tuple[Place, str] | None:
    """The stretch that holds the answer, cut to the answer."""
    said = key(low[place[0] : place[1]])
    quoted = len(said) >= 3 and WORD.match(low, place[0]) and any(said in _spoken(turn)[0] for turn in dialogue or ())
    if ask.kind == "conflict" and quoted and not NONE_FOUND.match(low, *place):
        return place, "verbatim"  # 因为大雾: a span is what it quotes, 因为 and all
    place = _before_explanation(text, low, place)
    items = listed(text, low, (head, place[1]))
    if items:
        return items, "list"
    rows = list(sentences(text, place))[:200]
    if not rows:
        return None
    if 1 < len(rows) <= 6 and dialogue and ask.kind == "conflict":
        spoken = key(" ".join(dialogue))
        if all(len(key(low[start:end])) >= 2 and key(low[start:end]) in spoken for start, end in rows):
            return trim(text, (rows[0][0], rows[-1][1])), "several"
    concluding: tuple[Place, str] | None = None
    for position, sentence in enumerate(rows):
        concludes = CONCLUDES.search(low, *sentence) or (
            ask.noun and re.search(rf"{re.escape(ask.noun)}.{{0,4}}(?:是|为|:)", low[sentence[0] : sentence[1]])
        )
        corrects = position and _CORRECTS.match(low, sentence[0], sentence[1])
        final = _FINAL.match(low, *sentence)
        if position == 0 or not (concludes or corrects or (final and ask.kind != "conflict")):
            continue
        begin = sentence[0]
        if corrects:  # 不对，问的是时长，应该是两个小时
            begin = max((m.end() for m in _SHOULD_BE.finditer(low, *sentence)), default=begin)
        found = _cut(
            text,
            low,
            (
                begin,
                rows[position + 1][1] if _unfinished(low, sentence) and position + 1 < len(rows) else sentence[1],
            ),
            ask,
            dialogue,
        )
        if found and (corrects or final or _reasons_first(low, rows[0], ask, dialogue)):
            concluding = (found, "corrected" if corrects else "conclusion")
    if concluding:
        return concluding
    for position, sentence in enumerate(rows[:4]):
        none = ask.kind == "conflict" and _NO_CONFLICT.search(low, *sentence) and not _QUOTED.search(text, *sentence)
        if none or NONE_FOUND.match(low, *trim(text, sentence)) or _none_after(text, low, sentence, ask):
            return sentence, "none-found"
        if _unfinished(low, sentence) and position + 1 < len(rows):
            continue
        if _FILLER.fullmatch(low, *trim(text, sentence)):
            continue
        whole = sentence
        if position == 0 and ask.kind in ("cause", "effect") and "\n" not in text[place[0] : place[1]]:
            whole = place
        found = _cut(text, low, _after_reasons(low, whole, ask), ask, dialogue)
        if found is not None and _HEAD_ONLY.fullmatch(low, *found) and not WORD.search(text, found[1], place[1]):
            return None
        if found is not None:
            return found, "first-sentence"
    return None


_HEAD_ONLY = re.compile(
    r"答案?|回答|answer|the answer(?: is)?|[^。\n]{0,60}(?:文本|内容|部分|答案|原因|事件|频率|位置|时间"
    r"|时长|用途|地方|片段|文字|的)[ ]?(?:就?应?该?是|为)(?:因为|由于)?|[^。\n]{0,40}(?:如下|text is"
    r"|answer is|cause is)"
)
_NO_CONFLICT = re.compile(
    r"(?:没有|并无|无|不存在|未发现|没发现|看不出)(?:任何|明显|发现|需要|什么|明确)?的?"
    r"[^。,“”]{0,8}(?:不符|矛盾|冲突|不合|问题|不一致|抽取)"
)
_FILLER = re.compile(
    r"好的?|当然(?:可以)?|可以|嗯+|明白了?|没问题|了解|收到|您好|你好|sure|okay|ok|certainly|of course"
    r"|hello|hi|great|got it"
)
_THEREFORE = re.compile(
    r"[,][ ]?(?:所以|因此|因而|故|由此可见|可见|综上|由此可知)[,]?[ ]?(?P<rest>[^,。\n“「]{0,40}?(?:是|为|:|(?=[“「])))"
)


def _after_reasons(low: str, sentence: Place, ask: Asked) -> Place:
    """From the conclusion on, in a sentence that reasons first: A说…，所以频率是每天 (rule 13)."""
    found = None
    for match in _THEREFORE.finditer(low, *sentence):
        if ask.kind not in ("cause", "effect") or re.search("原因|事件|答案|结果", match["rest"]):
            found = match
    return (found.start() + 1, sentence[1]) if found else sentence


def _none_after(text: str, low: str, sentence: Place, ask: Asked) -> bool:
    start, end = cut_lead(text, low, sentence, ask)
    return start < end and bool(NONE_FOUND.match(low, start, end))


def _unfinished(low: str, sentence: Place) -> bool:
    return low[sentence[0] : sentence[1]].rstrip().endswith((":", "是", "为"))


def _before_explanation(text: str, low: str, place: Place) -> Place:
    """Up to the line that begins an explanation, if an answer stands before it."""
    for start, end in lines(text, *place)[1:]:
        if EXPLAINS.match(low, after_marker(text, start, end), end + 1) and WORD.search(text, place[0], start):
            return trim(text, (place[0], start))
    return place


def _reasons_first(low: str, sentence: Place, ask: Asked, dialogue: Sequence[str] | None) -> bool:
    """Whether the first sentence is reasoning, not the answer: long, or about the dialogue."""
    words = low[sentence[0] : sentence[1]]
    said = key(words)
    if dialogue and any(said in _spoken(turn)[0] for turn in dialogue):
        return False
    if words.lstrip()[:1] in '“「『"' and len(words) < 30:
        return False
    return len(words) > 24 or bool(
        re.search(
            r"对话|通读|分析|首先|可以看|可以发现|提到|我们|上下文|[ab]说|短语|:$|根据|让我|先看|看一下"
            r"|dialogue|speaker",
            words,
        )
    )


def quotes_turn(words: str, dialogue: Sequence[str] | None) -> bool:
    """Whether words are a turn of the dialogue, give or take what a careless copy changes: a turn is cut nowhere."""
    said = key(words)
    if not dialogue or not said:
        return False
    bag = Counter(said)
    for turn in dialogue:
        other, others = _spoken(turn)
        if said == other:
            return True
        if len(said) >= 8 and abs(len(said) - len(other)) <= 0.2 * len(other):
            shared = sum((bag & others).values())
            if 2 * shared >= 0.85 * (len(said) + len(other)):
                return True
    return False


@lru_cache(maxsize=512)
def _spoken(turn: str) -> tuple[str, Counter[str]]:
    """A turn without its speaker, squeezed, and its characters; every sentence of a reply is held against it."""
    said = key(SPEAKER.sub("", turn, count=1))
    return said, Counter(said)


def _cut(text: str, low: str, place: Place, ask: Asked, dialogue: Sequence[str] | None) -> Place | None:
    """A sentence cut to its span; None if nothing is left."""
    conflict = ask.kind in ("conflict", "")
    start, end = trim(text, place)
    speaker = SPEAKER.match(text, start, end)
    said = speaker.end() if speaker else start
    if quotes_turn(low[said:end], dialogue):
        return trim(text, (said, end))
    if conflict:
        corrected = cut_correction(text, low, (start, end))
        if corrected != (start, end):
            return corrected
    start, end = cut_causal(text, low, (start, end), ask)
    before = start
    start, end = cut_lead(text, low, (start, end), ask)
    if start >= end:
        return None
    if conflict and quotes_turn(low[start:end], dialogue):
        return start, end
    if not _ANNOUNCED.search(low, before, start):  # what 后续事件是 announces is the answer, causes and all
        start, end = cut_causal(text, low, (start, end), ask)
    start, end = _quoted(text, low, (start, end), conflict)
    start, end = cut_tail(text, low, (start, end), conflict)
    comma = low.find(",", start, end)
    if conflict and comma - start >= 2 and low.find(low[start:comma], comma, end) >= 0:  # 晒太阳，下雨天不会晒太阳
        end = comma
    return (start, end) if start < end and WORD.search(text, start, end) else None


_ANNOUNCED = re.compile(r"(?:原因|事件|结果|后果|影响|反应)[”\"」]?(?:就?是|为|:)")
_QUOTED = re.compile(
    r"“([^“”\n]{1,80})”|「([^「」\n]{1,80})」|『([^『』\n]{1,80})』|\"([^\"\n]{1,80})\"|‘([^‘’\n]{1,80})’"
)


def _quoted(text: str, low: str, place: Place, conflict: bool) -> Place:
    """The quotation that a sentence begins with, or the only one of a sentence about a quotation."""
    start, end = place
    if start and text[start - 1] in '“「『"‘':
        start -= 1
    found = _QUOTED.match(text, start, min(end + 1, len(text)))
    if found:
        tail = low[found.end() : end]
        again = _QUOTED.search(text, found.end(), end)
        if again and re.fullmatch(r"[ ]?(?:[、,和与及]|以及|;|还有)?[ ]?", text[found.end() : again.start()]):
            return start, end
        if not WORD.search(tail) or conflict or tail[:1] in ",。(;—-→":
            return found.span(found.lastindex or 0)
        return place
    if conflict:
        quotes = list(_QUOTED.finditer(text, start, end))
        if quotes and AFTERWARDS.search(low, start + 1, quotes[0].start()):
            return place
        if quotes and re.search(
            r"不符|矛盾|冲突|不合|错误|不当|不一致|有误|违背|不通|不对|不正确|不恰当|conflict|contradict"
            r"|inconsistent|wrong",
            low[quotes[0].end() : end],
        ):
            return quotes[0].span(quotes[0].lastindex or 0)
    return place
