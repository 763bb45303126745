"""Spans: the stretch of a reply that a human would cut out as the answer, verbatim (rules 12 - 15).

First the stretch is chosen (a box, a JSON value, a list, the concluding sentence, the first sentence), then it is cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..types import Answer, Status
from .chars import SENTINELS, WORD, key, lower
from .cut import MARKER, Asked, Place, asked, cut_causal, cut_correction, cut_lead, cut_tail, trim
from .segment import SPEAKER, Block, blocks, lines
from .strip import Clean, strip, strip_tokens


def parse_span(
    output: str,
    *,
    dialogue: Sequence[str] | None = None,
    question: str | None = None,
    finish: str = "stop",
    extract: bool = True,
) -> Answer:
    """The span that a reply answers with; its `text` is `output[start:end]`, or None if there is none.

    With `dialogue`, a reply that only goes on talking is told from one that quotes a turn; with `question`, what a reply
    restates of it is cut. `extract=False` takes the whole reply without blanks, thinking and special tokens.
    """
    cut = finish == "length"
    if not extract:
        start, end = strip_tokens(output)
        if start >= end:
            return Answer(Status.TRUNCATED if cut else Status.EMPTY, rule="nothing")
        return Answer(Status.PARSED, None, output[start:end], "whole-reply", start, end)
    clean = strip(output)
    if clean.thinking and not WORD.search(clean.text):
        return Answer(Status.TRUNCATED if cut else Status.UNPARSED, rule="unclosed-thought")
    if not clean.text.strip(SENTINELS + " \n"):
        return Answer(Status.EMPTY, rule="nothing")
    return _read(output, clean, dialogue, asked(question), question or "", cut)


def _read(output: str, clean: Clean, dialogue: Sequence[str] | None, ask: Asked, question: str, cut: bool) -> Answer:
    text = clean.text
    low = lower(text)
    nothing = Answer(Status.TRUNCATED if cut else Status.UNPARSED, rule="cut-off" if cut else "no-span")
    asked_key = key(question)
    for block in blocks(text):
        place = trim(text, (block.start, block.end))
        if place[0] >= place[1] or block.echo or (asked_key and _echoes(key(low[place[0] : place[1]]), asked_key)):
            continue
        if _talks_on(text, block, dialogue):
            return Answer(nothing.status, rule="continued-dialogue")
        refusal = _REFUSES.match(low, *place)
        if refusal:
            start, end = clean.raw_span(refusal.start(), refusal.end())
            return Answer(Status.REFUSED, rule="declines", start=start, end=end)
        found = _boxed(text, low, (block.start, block.end), ask) or _choose(
            text, low, block.start, place, ask, dialogue
        )
        if found is None:
            continue
        (start, end), rule = found
        if rule == "none-found":
            return Answer(
                Status.UNPARSED, rule=rule, start=clean.raw_span(start, end)[0], end=clean.raw_span(start, end)[1]
            )
        if start < end and WORD.search(text, start, end):
            raw_start, raw_end = clean.raw_span(start, end)
            return Answer(Status.PARSED, None, output[raw_start:raw_end], rule, raw_start, raw_end)
    return nothing


_REFUSES = re.compile(
    r"[^。\n]{0,14}?(?:作为(?:一[个名款]|人工)?.{0,8}(?:ai|人工智能|语言模型|助手)|我(?:只)?是(?:一[个款名]).{0,8}(?:ai|人工智能|模型|助手)|我(?:无法|不能|不知道|不清楚|不确定|没有办法|没办法|不太明白|不明白)|"
    r"(?:抱歉|对不起|很遗憾|不好意思)[,。!]?(?:我|但|这|对话|您|无法|暂|由于|没有|以上)|无法(?:回答|确定|判断|从对话|从文|得知|根据|给出|抽取|提供)|请(?:您|你)?(?:再)?(?:提供|补充|给出)|i(?:'m| am) (?:sorry|unable|an ai)|i (?:cannot|can't|can not|don't know|do not know)|as an ai|"
    r"sorry, (?:but )?i|unable to|cannot be determined|有什么(?:可以|我可以|能)?.{0,4}(?:帮|为您)|很高兴(?:为|认识|能)|(?:您|你)好[,!。]?(?:请问|我是|很高兴|有什么)|how can i help|请问(?:您|你)?(?:需要|想|有什么)|谢谢(?:您|你)的|感谢(?:您|你)的|信息不足|换个?话题)"
)
_NONE = re.compile(
    r"[ ]*(?:(?:根据|从)?(?:这段|该|上述|以上|本|整段|此)?(?:对话|文本|文|上下文|题目|上文|内容|原文)(?:内容)?(?:里|中|当中|上下文)?(?:来看|看来|可以看出|可知)?[,:]?[ ]?)?(?:里|中|其中|似乎|好像|我)?"
    r"(?:并|都|也|均|暂时|暂|完全)?(?:没有|没|不存在|无|未|并未|并无|找不到|看不出|未能)(?:"
    r"(?:任何|明显|明确|直接|具体)?(?:地|的)?(?:在常识|与|不符|提到|提及|发现|找到|出现|体现|说明|给出|指出|明确|相关|冲突|矛盾|常识|此类|这样的|涉及|描述|违背|不合|不一致|不恰当|错误|说|交代|答案|信息|内容|文本|问题)|[ ]*[。.!,;]*[ ]*$|需要|符合条件)"
    r"|[ ]*(?:无|没有|none|n/a|null|nothing|不存在|没找到|未找到|无不符|nil|空|全部(?:都)?(?:符合|正确|正常)|都(?:符合|正常|合理|没问题)|一切正常)[ ]*[。.!]*[ ]*$"
    r"|[ ]*(?:(?:the )?(?:dialogue|conversation|text) (?:does not|doesn't|has no|contains no)|there (?:is|are) no|no (?:such|conflict|inconsisten|text|contradict)|not mentioned|none of|nothing in)"
    r"|[^。\n“”\"「」]{0,24}(?:都|均|全部|全|皆|完全)(?:符合|合乎|没有问题|正常|合理|正确|与常识相符)|[^。,\n“”\"「」]{0,20}(?:没有|未|并未|没)(?:明确)?(?:提到|提及|说明|出现|涉及|交代|提供)"
)


def _echoes(reply: str, question: str) -> bool:
    """Whether a reply is the question, or a piece of it, and nothing else (rule 15)."""
    return len(reply) >= 6 and reply in question


def _talks_on(text: str, block: Block, dialogue: Sequence[str] | None) -> bool:
    """Whether a block goes on with the dialogue: two turns or more, or a turn that the dialogue does not have."""
    rows = lines(text, block.start, block.end)
    turns = sum(1 for start, end in rows if SPEAKER.match(text, start, end))
    if not rows or not SPEAKER.match(text, *rows[0]):
        return False
    turns += len(re.findall(r"(?<=[。!?~… ])[ ]?[AB][ ]?:", text[block.start : block.end]))
    if turns > 1:
        return True
    speaker = SPEAKER.match(text, *rows[0])
    said = key(text[speaker.end() if speaker else rows[0][0] : rows[0][1]])
    return bool(dialogue) and not any(said in key(turn) for turn in dialogue or ()) and bool(_SMALL_TALK.search(said))


_SMALL_TALK = re.compile(
    r"^(?:好的|嗯|哈|是的|是啊|对啊|对的|哦|嗨|你好|您好|拜拜|再见|谢谢|没事|那|你|我(?:也|们)|真的|可以)"
)
_VALUE = re.compile(
    r"[\"'](?P<key>[^\"'\n:]{1,20})[\"'][ ]?:[ ]?(?:\"(?P<text>[^\"\n]*)\"|'(?P<single>[^'\n]*)'|\[(?P<list>[^\]]*)\]|(?P<quote>“[^”\n]*”))"
)
_KEYS = (
    "answer",
    "答案",
    "span",
    "text",
    "文本",
    "result",
    "extracted",
    "output",
    "response",
    "回答",
    "结果",
    "原因",
    "cause",
    "effect",
    "content",
    "抽取",
)


def _boxed(text: str, low: str, place: Place, ask: Asked) -> tuple[Place, str] | None:
    """What stands in \\boxed{}, <answer> or the answer's value of a JSON object."""
    close = text.rfind("\ue002", *place)
    start = text.rfind("\ue001", place[0], close if close >= 0 else place[1])
    if start >= 0:
        inner = (start + 1, close if close >= 0 else place[1])
        if WORD.search(text, *inner):
            if _NONE.match(low, *trim(text, inner)):
                return inner, "none-found"
            return cut_lead(text, low, inner, ask), "boxed"
    if "{" not in text[place[0] : place[1]] and not text[place[0] : place[1]].lstrip().startswith("["):
        return None
    values = list(_VALUE.finditer(text, *place))[:40]
    for match in sorted(values, key=lambda m: not any(word in m["key"].lower() for word in _KEYS)):
        name = next(name for name in ("text", "single", "list", "quote") if match[name] is not None)
        inner = trim(text, match.span(name))
        if inner[0] >= inner[1] or _NONE.match(low, *inner):
            return match.span(name), "none-found"
        return inner, "json"
    return None


def _sentences(text: str, place: Place) -> Iterator[Place]:
    """Sentences, not cut inside quotes."""
    start, depth = place[0], 0
    for match in re.compile(r"[“「『]|[”」』]|[。!?;]+[”」』\"]?|\n+|(?<!\d)\.(?=\s|$)").finditer(text, *place):
        mark = match.group()
        if mark in "“「『":
            depth += 1
        elif mark in "”」』":
            depth = max(depth - 1, 0)
        elif "\n" in mark or depth == 0 or mark[-1] in "”」』":
            depth = 0
            if WORD.search(text, start, match.start()):
                yield start, match.end() if mark[-1] in '”」』"' else match.start()
            start = match.end()
    if WORD.search(text, start, place[1]):
        yield start, place[1]


_EXPLAINS = re.compile(
    r"[ ]*[(【\[]?(?:解释|理由|分析|解析|说明|原因(?=[:\n])|依据|注|备注|修改|改正|修改后|改为|建议|应改为|正确(?:的)?(?:文本|说法|表述)?|explanation|reason|note|because|analysis|rationale|corrected)[】\])]?[ ]?[:：\n]"
)
_CONCLUDES = re.compile(
    r"(?:不符|矛盾|冲突|不一致|不合理|不合常识|错误|不当|不恰当|有误|不正确|不对)的?(?:文本段?|地方|内容|部分|词语?|是|为|句子|表述|说法|描述|片段|话|处|短语)|(?:文本|答案|片段|回答|结论)(?:就?应?该?是|为|:)|(?:最终|正确)?答案?[ ]?:|answer[ ]?(?:is|:)|(?:text|span|phrase|part|word|cause|reason|event)[^.\n]{0,60}(?:is|are)[ ]?:?[ ]?[“\"「']"
)
_CORRECTS = re.compile(
    r"(?:更正|纠正|修正|抱歉|对不起|等等|等一下|不对[,。:]|哦不|我错了|说错了|重新|准确地说|wait|actually|correction|sorry)"
)
_FINAL = re.compile(
    r"[ ]*(?:综上|因此|所以|总之|由此可见|可见|最终|故|总的来说|综合|therefore|thus|so\b|in conclusion)"
)


def _choose(
    text: str, low: str, head: int, place: Place, ask: Asked, dialogue: Sequence[str] | None
) -> tuple[Place, str] | None:
    """The stretch that holds the answer, cut to the answer."""
    place = _before_explanation(text, low, place)
    listed = _list(text, low, (head, place[1]))
    if listed:
        return listed, "list"
    sentences = list(_sentences(text, place))[:200]
    if not sentences:
        return None
    concluding: tuple[Place, str] | None = None
    for position, sentence in enumerate(sentences):
        concludes = _CONCLUDES.search(low, *sentence) or (
            ask.noun and re.search(rf"{re.escape(ask.noun)}.{{0,4}}(?:是|为|:)", low[sentence[0] : sentence[1]])
        )
        corrects = position and _CORRECTS.match(low, sentence[0], sentence[1])
        final = _FINAL.match(low, *sentence)
        if position == 0 or not (concludes or corrects or (final and ask.kind != "conflict")):
            continue
        found = _cut(
            text,
            low,
            (
                sentence[0],
                sentences[position + 1][1]
                if _unfinished(low, sentence) and position + 1 < len(sentences)
                else sentence[1],
            ),
            ask,
            dialogue,
        )
        if found and (corrects or final or _reasons_first(low, sentences[0], ask, dialogue)):
            concluding = (found, "corrected" if corrects else "conclusion")
    if concluding:
        return concluding
    for position, sentence in enumerate(sentences[:4]):
        if _NONE.match(low, *trim(text, sentence)) or _none_after(text, low, sentence, ask):
            return sentence, "none-found"
        if _unfinished(low, sentence) and position + 1 < len(sentences):
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
    r"答案?|回答|answer|the answer(?: is)?|[^。\n]{0,60}(?:文本|内容|部分|答案|原因|事件|频率|位置|时间|时长|用途|地方|片段|文字|的)[ ]?(?:就?应?该?是|为)(?:因为|由于)?|[^。\n]{0,40}(?:如下|text is|answer is|cause is)"
)
_THEREFORE = re.compile(r"[,][ ]?(?:所以|因此|因而|故|可见|综上|由此可知)(?P<rest>[^,。\n]{0,40}?(?:是|为|:))")


def _after_reasons(low: str, sentence: Place, ask: Asked) -> Place:
    """From the conclusion on, in a sentence that reasons first: A说…，所以频率是每天 (rule 13)."""
    found = None
    for match in _THEREFORE.finditer(low, *sentence):
        if ask.kind not in ("cause", "effect") or re.search("原因|事件|答案|结果", match["rest"]):
            found = match
    return (found.start() + 1, sentence[1]) if found else sentence


def _none_after(text: str, low: str, sentence: Place, ask: Asked) -> bool:
    start, end = cut_lead(text, low, sentence, ask)
    return start < end and bool(_NONE.match(low, start, end))


def _unfinished(low: str, sentence: Place) -> bool:
    return low[sentence[0] : sentence[1]].rstrip().endswith((":", "是", "为"))


def _before_explanation(text: str, low: str, place: Place) -> Place:
    """Up to the line that begins an explanation, if an answer stands before it."""
    for start, end in lines(text, *place)[1:]:
        if _EXPLAINS.match(low, start, end + 1) and WORD.search(text, place[0], start):
            return trim(text, (place[0], start))
    return place


def _reasons_first(low: str, sentence: Place, ask: Asked, dialogue: Sequence[str] | None) -> bool:
    """Whether the first sentence is reasoning, not the answer: long, or about the dialogue."""
    words = low[sentence[0] : sentence[1]]
    said = key(words)
    if dialogue and any(said in key(turn) for turn in dialogue):
        return False
    if words.lstrip()[:1] in '“「『"' and len(words) < 30:
        return False
    return len(words) > 24 or bool(
        re.search(
            r"对话|通读|分析|首先|可以看|可以发现|提到|我们|上下文|[ab]说|短语|:$|根据|让我|先看|看一下|dialogue|speaker",
            words,
        )
    )


def _list(text: str, low: str, place: Place) -> Place | None:
    """A list of two items or more, from its first marker to its last item (rule 14)."""
    rows = lines(text, *place)
    marked = [bool(MARKER.match(text, start, end)) for start, end in rows]
    first = next((i for i, mark in enumerate(marked) if mark), None)
    if first is None:
        return _inline_list(text, low, place)
    last = first
    while last + 1 < len(rows) and marked[last + 1]:
        last += 1
    items = rows[first : last + 1]
    if len(items) < 2:
        return _inline_list(text, low, place)
    head = low[place[0] : rows[first][0]]
    if first > 1 or (first == 1 and not re.search(r"[:]\s*$|如下|以下|有", head)):
        return None
    if any(_STEP.search(low, start, end) or end - start > 60 for start, end in items):
        return None
    if any(_CONCLUDES.search(low, *row) for row in rows[last + 1 :]):
        return None
    marker = re.compile(r"[ ]*").match(text, items[0][0])
    start = marker.end() if marker else items[0][0]
    end = items[-1][1]
    while end > start and text[end - 1] in " 。.,;;!?":
        end -= 1
    return start, end


_STEP = re.compile(r"首先|步骤|第[一二三]步|通读|分析|我们|对话中|可以看出|因此|根据")
_INLINE = re.compile(r"(?:^|(?<=[:。\s]))[ ]?(?P<first>[(]?1[.、)])[ ]?\S.{0,80}?[;,、\s。][ ]?[(]?2[.、)][ ]?\S")


def _inline_list(text: str, low: str, place: Place) -> Place | None:
    """A numbered list in one line: 1. x；2. y."""
    found = _INLINE.search(low, *place)
    if not found or "\n" in text[found.start() : found.end()] or _STEP.search(low, *place):
        return None
    end = text.find("\n", found.end())
    start = found.start("first")
    stop = end if 0 <= end < place[1] else place[1]
    while stop > start and text[stop - 1] in " 。.,;!?":
        stop -= 1
    return start, stop


def _cut(text: str, low: str, place: Place, ask: Asked, dialogue: Sequence[str] | None) -> Place | None:
    """A sentence cut to its span; None if nothing is left."""
    conflict = ask.kind in ("conflict", "")
    start, end = trim(text, place)
    if dialogue and any(key(low[start:end]) == key(SPEAKER.sub("", turn, count=1)) for turn in dialogue):
        return start, end
    if conflict:
        corrected = cut_correction(text, low, (start, end))
        if corrected != (start, end):
            return corrected
    start, end = cut_causal(text, low, (start, end), ask)
    start, end = cut_lead(text, low, (start, end), ask)
    if start >= end:
        return None
    start, end = cut_causal(text, low, (start, end), ask)
    start, end = _quoted(text, low, (start, end), conflict)
    start, end = cut_tail(text, low, (start, end), conflict)
    return (start, end) if start < end and WORD.search(text, start, end) else None


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
        if quotes and re.search(
            r"不符|矛盾|冲突|不合|错误|不当|不一致|有误|违背|不通|不对|不正确|不恰当|conflict|contradict|inconsistent|wrong",
            low[quotes[0].end() : end],
        ):
            return quotes[0].span(quotes[0].lastindex or 0)
    return place
