"""Choose the sentence that answers, and cut it to its span (rules 12, 13 and 15)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from evalsuite.parse.chars import WORD, key
from evalsuite.parse.leads import cut_lead
from evalsuite.parse.question import Asked
from evalsuite.parse.refusal import NONE_FOUND
from evalsuite.parse.segment import SPEAKER, lines
from evalsuite.parse.shapes import CONCLUDES, EXPLAINS, after_marker, listed, sentences
from evalsuite.parse.tails import AFTERWARDS, cut_causal, cut_correction, cut_gloss, cut_tail
from evalsuite.parse.trim import Place, trim

_CORRECTS = re.compile(
    r"(?:更正|纠正|修正|抱歉|对不起|等等|等一下|不对[,。:]|不[,。!]|哦不|我错了|说错了|重新|准确地说|wait"
    r"|actually|correction|sorry)"
)
_SHOULD_BE = re.compile(r"[,][ ]?(?=应该?是|应为|而是|正确的?是|答案(?:应该?)?是)")
_INSTEAD = re.compile(r"[ ]*(?:而?应该?(?:是|为)|应当是|正确的?(?:答案)?应?该?是|答案(?:应该)?是|真正的[^,。]{0,6}是)")
_FINAL = re.compile(
    r"[ ]*(?:综上|因此|所以|总之|由此可见|可见|最终|故|总的来说|综合|therefore|thus|so\b|in conclusion)"
)


def choose(
    text: str, low: str, head: int, place: Place, ask: Asked, dialogue: Sequence[str] | None
) -> tuple[Place, str] | None:
    """The span of a block and the rule that found it; None if there is none.

    `head` is the start of the block, `place` the block without outer blanks and punctuation.
    """
    said = key(low[place[0] : place[1]])
    quoted = len(said) >= 3 and WORD.match(low, place[0]) and any(said in _spoken(turn) for turn in dialogue or ())
    if ask.kind == "conflict" and quoted and not NONE_FOUND.match(low, *place):
        return place, "verbatim"  # 因为大雾: a quoted span keeps its 因为
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
    corrects: object = None
    for position, sentence in enumerate(rows):
        concludes = CONCLUDES.search(low, *sentence) or (
            ask.noun and re.search(rf"{re.escape(ask.noun)}.{{0,4}}(?:是|为|:)", low[sentence[0] : sentence[1]])
        )
        corrects = position and (
            _CORRECTS.match(low, sentence[0], sentence[1]) or (corrects and _INSTEAD.match(low, *sentence))
        )
        final = _FINAL.match(low, *sentence)
        if ask.kind == "conflict":
            concludes = concludes or (final and _JUDGED.search(low, *sentence))
            if position and concluding is None and _nothing(text, low, sentence):
                if _reasons_first(low, rows[0], ask, dialogue):
                    return sentence, "none-found"
                continue
        sure = final is not None
        if position == 0 or not (concludes or corrects or (final and ask.kind != "conflict")):
            continue
        begin = sentence[0]
        if corrects:  # 不对，问的是时长，应该是两个小时
            begin = max((m.end() for m in _SHOULD_BE.finditer(low, *sentence)), default=begin)
        else:
            begin = _after_reasons(low, sentence, ask)[0]
            sure |= begin > sentence[0] and ask.kind == "conflict"
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
        sure = sure or (found is not None and _said_only(low, rows[0], found, ask, dialogue))
        if found and (corrects or sure or _reasons_first(low, rows[0], ask, dialogue)):
            concluding = (found, "corrected" if corrects else "conclusion")
    if concluding:
        return concluding
    preamble = False
    for position, sentence in enumerate(rows[:4]):
        none = ask.kind == "conflict" and _NO_CONFLICT.search(low, *sentence) and not _QUOTED.search(text, *sentence)
        none = none or (ask.kind == "conflict" and _nothing(text, low, sentence))
        however = None if none else _HOWEVER.search(low, *sentence)
        if however:  # 没有直接说明，但可以推断是因为…
            sentence = (however.end(), sentence[1])
        if none or NONE_FOUND.match(low, *trim(text, sentence)) or _none_after(text, low, sentence, ask):
            return sentence, "none-found"
        if _unfinished(low, sentence) and position + 1 < len(rows):
            continue
        if _FILLER.fullmatch(low, *trim(text, sentence)):
            continue
        if position == 0 and _PREAMBLE.match(low, *sentence):
            preamble = True
            continue
        if preamble and _NARRATES.match(low, *sentence):
            continue
        whole = sentence
        if position == 0 and not however and ask.kind in ("cause", "effect") and "\n" not in text[place[0] : place[1]]:
            comment = next((row[0] for row in rows[1:] if _COMMENTS.match(low, *row)), place[1])
            whole = trim(text, (place[0], comment))
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
_HOWEVER = re.compile(
    r"(?:没有?|未)(?:明确|直接)?(?:地)?(?:说明?|提到|提及|给出|指出)[^。,“”]{0,8},(?:但是?|不过|然而)"
    r"(?=[^。,“”]{0,10}(?:推断|推测|看出|知道|判断|推出|推知)[^。“”]*(?:是|为|因为|由于)[^。“”])"
)
_COMMENTS = re.compile(
    r"[ ]*(?:从|根据|由(?!于)|在?对话|文中|原文|这(?:是|一|个|里|样|件|也|句|就|说|可)|[ab](?:[^,。“”]{0,3}(?:说|提到|问)|的|在|还|也|原)|其中|也就是说|换句话说|可以看出"
    r"|由此|注意|虽然|至于|需要说明|以上|如(?:果|对话|上)|the|this|according|from|as|in|because)"
)
_NO_CONFLICT = re.compile(
    r"(?:没有|并无|无|不存在|未发现|没发现|看不出)(?:任何|明显|发现|需要|什么|明确)?的?"
    r"[^。,“”]{0,8}(?:不符|矛盾|冲突|不合|问题|不一致|抽取)"
)
_PREAMBLE = re.compile(
    r"[ ]*(?:好的?[,!。]?[ ]?|嗯[,。]?)?(?:首先|让我们?|我们?(?:先|来|需要|要|可以|一起)|下面|接下来|为了|要(?:回答|找出|解决|判断)|题目|问题(?:要求|是让)|这道题"
    r"|okay, |let me|let's|first|to answer|we need)[^“”「」:]{0,30}?"
    r"(?:理解|分析|看|阅读|通读|读|找出|梳理|了解|明确|回顾|确定|判断|回答|解决|考虑|抽取|要求|read|analy|look|understand|find|identify)"
    r"[^“”「」:]{0,40}$"
)
_NARRATES = re.compile(
    r"[ ]*(?:首先|然后|接着|其次|接下来|最后|在|通过|我们|让|根据|从|对话|这段|题目|整个|这里|双方|两人|可以)|[^“”「」:]{0,8}[ab](?:说|问|提到|回答|告诉|表示|先|在|又|接着|和)"
)
_FILLER = re.compile(
    r"好的?|当然(?:可以)?|可以|嗯+|明白了?|没问题|了解|收到|您好|你好|sure|okay|ok|certainly|of course"
    r"|hello|hi|great|got it"
)
_JUDGED = re.compile(
    r"[^“”]*“[^“”]{1,60}”[^“”]{0,24}(?:不符|矛盾|冲突|不合|错误|不当|不一致|有误|违背|不通|不对|不正确|不恰当|有问题)[^“”]*"
)
_STRONG_NONE = re.compile(
    r"(?:没有|并无|不存在|未发现|没发现|没有发现|找不到|无)(?:任何|明显|发现|什么|明确)?的?[^。,:“”其除]{0,16}"
    r"(?:不符|矛盾|冲突|不合|不一致|违背)[^。,:“”]{0,12}(?:文本|内容|地方|之处|处|部分|表述|矛盾|冲突|常识|情况)[了的]?[ ]*"
)


def _nothing(text: str, low: str, sentence: Place) -> bool:
    """Whether a sentence ends by stating that nothing was found, whatever it quotes before (rule 15)."""
    start, end = trim(text, sentence)
    start = max((low.rfind(mark, start, end) for mark in ",:”"), default=start) + 1 or start
    found = _STRONG_NONE.search(low, start, end)
    return found is not None and found.end() >= end - 1 and not re.search("其他|其它|除", low[sentence[0] : end])


_THEREFORE = re.compile(
    r"[,][ ]?(?:所以|因此|因而|故|由此可见|可见|综上|由此可知)[,]?[ ]?(?P<rest>[^,。\n“「]{0,40}?(?:是|为|:|(?=[“「])))"
)


def _after_reasons(low: str, sentence: Place, ask: Asked) -> Place:
    """The conclusion of a sentence that reasons first: A说…，所以频率是每天 (rule 13)."""
    found = None
    for match in _THEREFORE.finditer(low, *sentence):
        if ask.kind not in ("cause", "effect") or re.search("原因|事件|答案|结果", match["rest"]):
            found = match
    return (found.start() + 1, sentence[1]) if found else sentence


def _none_after(text: str, low: str, sentence: Place, ask: Asked) -> bool:
    start, end = cut_lead(text, low, sentence, ask)
    return start < end and bool(NONE_FOUND.match(low, start, end))


_HEADING = re.compile(
    r"[ ]*(?:[\d一二三四五六]{1,2}[.、][ ]?)?(?:我的|最终|正确|参考|抽取)?的?(?:答案|回答|结论|结果|输出|答"
    r"|(?:不符|矛盾|冲突|有问题|错误|不合常识|不符合常识)的?(?:文本|内容|地方|部分|之处)|(?:final[ ])?answer|result|conclusion)[ ]*"
)


def _unfinished(low: str, sentence: Place) -> bool:
    if low[sentence[1] : sentence[1] + 1] == "\n" and _HEADING.fullmatch(low, *sentence):
        return True
    return low[sentence[0] : sentence[1]].rstrip().endswith((":", "是", "为"))


def _before_explanation(text: str, low: str, place: Place) -> Place:
    """Cut at the line that begins an explanation, if an answer stands before it."""
    for start, end in lines(text, *place)[1:]:
        if EXPLAINS.match(low, after_marker(text, start, end), end + 1) and WORD.search(text, place[0], start):
            return trim(text, (place[0], start))
    return place


def _reasons_first(low: str, sentence: Place, ask: Asked, dialogue: Sequence[str] | None) -> bool:
    """Whether the first sentence is reasoning, not the answer: long, or about the dialogue."""
    words = low[sentence[0] : sentence[1]]
    said = key(words)
    if dialogue and any(said in _spoken(turn) for turn in dialogue):
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


def _said_only(low: str, first: Place, last: Place, ask: Asked, dialogue: Sequence[str] | None) -> bool:
    """Whether a concluding span is quoted from the dialogue and the first sentence is not.

    Then the first sentence is reasoning, not the answer.
    """
    if ask.kind != "conflict" or not dialogue:
        return False
    spoken = [_spoken(turn) for turn in dialogue]
    words, head = key(low[slice(*last)]), key(re.split("[,(:]", low[slice(*first)])[0])
    return (
        any(words in turn for turn in spoken)
        and not any(head in turn for turn in spoken)
        and "“" not in low[first[0] : first[1]]
    )


def quotes_turn(words: str, dialogue: Sequence[str] | None, near: bool = True) -> bool:
    """Whether words repeat a whole turn of the dialogue, which is never cut; `near` allows small copying errors."""
    said = key(words)
    if not dialogue or not said:
        return False
    near = near and len(said) >= 8
    for turn in dialogue:
        other = _spoken(turn)
        if said == other:
            return True
        if near and abs(len(said) - len(other)) <= 0.2 * len(other):
            # A copy begins like the turn: a lead-in before a long turn would pass the count below.
            begins = len(set(said[:5]) & set(other[:12])) >= 3
            if begins and 2 * (Counter(said) & Counter(other)).total() >= 0.85 * (len(said) + len(other)):
                return True
    return False


@lru_cache(maxsize=2**14)  # more turns than one task and set has; every variant asks about the same ones
def _spoken(turn: str) -> str:
    """A turn without its speaker, squeezed, for comparison with the sentences of a reply."""
    return key(SPEAKER.sub("", turn, count=1))


_BACK = re.compile(
    r"(?:[…—~.]{1,4}|[,;。!?])[ ]?(?:(?:哦|啊|噢|呃|嗯|额)[,]?不(?:对|是)?|等等|等一下|更正(?:一下)?|纠正一下|说错了|我说错了|抱歉|不好意思"
    r"|wait|sorry|no wait|correction)[,。…!:~ ]|(?:…+|——?|\.{3,})[ ]?不对?[,。…!:]"
)
_THEN = re.compile(r"[,。…][ ]?(?=(?:那么?就?|应该?|应当|正确的?|答案|其实)*(?:应该)?(?:是|为))")


def _taken_back(low: str, place: Place) -> Place:
    """What a correction within a sentence puts in place of the words before it: 十五次……哦不，那就是四十分钟."""
    back = None
    for match in _BACK.finditer(low, place[0] + 1, place[1]):
        if low.count("“", place[0], match.start()) == low.count("”", place[0], match.start()):
            back = match
    if back is None or not WORD.search(low, back.end(), place[1]):
        return place
    start = max((m.end() for m in _THEN.finditer(low, back.end() - 1, place[1])), default=back.end())
    return start, place[1]


def _cut(text: str, low: str, place: Place, ask: Asked, dialogue: Sequence[str] | None) -> Place | None:
    """Cut a sentence to its span; None if nothing is left."""
    conflict = ask.kind in ("conflict", "")
    start, end = trim(text, _taken_back(low, place))
    said = after_marker(text, start, end)
    speaker = SPEAKER.match(text, said, end)
    said = speaker.end() if speaker else said
    # 因为 before a cause is cut, even if the turn begins with it.
    if quotes_turn(low[said:end], dialogue, near=conflict) and (conflict or not _BECAUSE.match(low, said)):
        return trim(text, (said, end))
    if conflict:
        corrected = cut_correction(text, low, (start, end))
        if corrected != (start, end):
            return corrected
    start, end = cut_gloss(text, low, (start, end))
    start, end = cut_causal(text, low, (start, end), ask)
    before = start
    start, end = cut_lead(text, low, (start, end), ask)
    if start >= end:
        return None
    because = _BECAUSE_LAST.search(low, before, start)
    if because:  # 答案：因为X，Y is cut as 因为X，Y is
        whole = (because.start(), end)
        halves = cut_causal(text, low, whole, ask)
        start, end = halves if halves != whole else (start, end)
    if conflict and quotes_turn(low[start:end], dialogue):
        return start, end
    if ask.kind != "effect" or not _ANNOUNCED.search(low, before, start):
        start, end = cut_causal(text, low, (start, end), ask)  # 后续事件是… announces the whole answer, causes included
    start, end = _quoted(text, low, (start, end), conflict)
    start, end = cut_tail(text, low, (start, end), ask.kind)
    comma = low.find(",", start, end)
    if conflict and comma - start >= 2 and low.find(low[start:comma], comma, end) >= 0:  # 晒太阳，下雨天不会晒太阳
        end = comma
    return (start, end) if start < end and WORD.search(text, start, end) else None


_BECAUSE = re.compile("是?因为|由于")
_BECAUSE_LAST = re.compile(r"(?:因为|由于)[ ,:]*\Z")
_ANNOUNCED = re.compile(r"(?:原因|事件|结果|后果|影响|反应)[”\"」]?(?:就?是|为|:)")
_QUOTED = re.compile(
    r"“([^“”\n]{1,80})”|「([^「」\n]{1,80})」|『([^『』\n]{1,80})』|\"([^\"\n]{1,80})\"|‘([^‘’\n]{1,80})’"
)


def _quoted(text: str, low: str, place: Place, conflict: bool) -> Place:
    """The quotation that a sentence begins with, or the only one in a sentence about a quotation."""
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
        between = low[start : quotes[0].start()] if quotes else ""
        if (
            len(quotes) == 1
            and not WORD.search(low, quotes[0].end(), end)
            and re.search("但是?$|却是?$|可是$|而$|偏偏$", between)
        ):
            return quotes[0].span(quotes[0].lastindex or 0)
        if quotes and AFTERWARDS.search(low, start + 1, quotes[0].start()):
            return place
        if quotes and re.search(
            r"不符|矛盾|冲突|不合|错误|不当|不一致|有误|违背|不通|不对|不正确|不恰当|conflict|contradict"
            r"|inconsistent|wrong",
            low[quotes[0].end() : end],
        ):
            return quotes[0].span(quotes[0].lastindex or 0)
    return place
