"""Cutting a span out of a sentence: what stands before it and what follows it (rules 12 and 13).

Every function takes a place in the text and gives a smaller one; nothing is rewritten, so a span stays verbatim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .chars import WORD, key, squeeze
from .segment import SPEAKER

Place = tuple[int, int]

PAIRS = {
    "“": "”",
    "「": "」",
    "『": "』",
    "‘": "’",
    "《": "》",
    "【": "】",
    "[": "]",
    "(": ")",
    '"': '"',
    "'": "'",
    "{": "}",
    "<": ">",
    "\ue001": "\ue002",
}
_EDGE = " \n\t,，。.、;；:：!！?？~～…·\ue000\ue001\ue002*`#|=-—"
_OUTER = _EDGE + "”」』’》】"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the question asks for, as far as cutting needs it."""

    kind: str = ""  # "conflict", "cause", "effect", "fact" or ""
    leads: tuple[str, ...] = ()  # the question up to its 什么, squeezed: what a reply restates
    event: str = ""  # the event that it names, squeezed
    noun: str = ""  # 频率, 发生位置
    a_kind: bool = False  # it asks 是一个或一种什么


_WHAT = re.compile(r"(?:是)?(?:什么|哪里|哪儿|谁|多久|多少|几|怎么样|怎样|如何|哪)")
_EVENT = re.compile(r"[“\"「『']([^”\"」』']{1,80})[”\"」』']")


def asked(question: str | None) -> Asked:
    """Reads the question: official wording is known, but nothing depends on it being exact."""
    if not question:
        return Asked()
    tail = re.split(r"[:：]", question)[-1]
    event = _EVENT.findall(tail)
    if re.search("抽取|不符|矛盾|冲突|不一致", question):
        return Asked("conflict")
    kind = "fact"
    if re.search("原因|为什么|导致事件|前提|目的|为何", tail):
        kind = "cause"
    elif re.search("导致的|后续|结果|后果|影响|反应", tail):
        kind = "effect"
    clause = (
        re.split(r"[,，]", tail)[-1]
        if not event
        else tail[max(tail.rfind("，", 0, tail.find(event[0])), tail.rfind(",", 0, tail.find(event[0]))) + 1 :]
    )
    what = _WHAT.search(clause)
    lead = key(clause[: what.start()]) if what else ""
    leads = (
        tuple(
            dict.fromkeys(
                lead.replace("是一个或一种", word) for word in ("是一个或一种", "是一种", "是一个", "是", "属于")
            )
        )
        if lead
        else ()
    )
    noun = re.search(r"的([^的“”\"]{2,8}?)是?什么", clause)
    return Asked(
        kind,
        leads,
        key(event[-1]) if event else "",
        key(noun[1]) if noun else "",
        "一个或一种" in tail or "一种什么" in tail or "一个什么" in tail,
    )


def trim(text: str, place: Place) -> Place:
    """Without blanks and punctuation at either edge, and without quotes or brackets around the whole."""
    start, end = place
    while True:
        before = (start, end)
        while (
            start < end and text[start] in _EDGE and not (text[start] == "-" and text[start + 1 : start + 2].isdigit())
        ):
            start += 1
        while start < end and text[end - 1] in _EDGE:
            end -= 1
        if end - start >= 2:
            close = PAIRS.get(text[start])
            if close and text[end - 1] == close and _matched(text, start, end):
                start, end = start + 1, end - 1
            elif close and close not in text[start + 1 : end] and text[start] not in "([<{":
                start += 1
            elif (
                text[end - 1] in "”」』’》】)"
                and not any(opener in text[start:end] for opener, shut in PAIRS.items() if shut == text[end - 1])
            ) or (text[end - 1] in '"' and text.count('"', start, end) == 1):
                end -= 1
        elif end - start == 1 and (text[start] in PAIRS or text[start] in _OUTER):
            start = end
        if (start, end) == before:
            return start, end


def _matched(text: str, start: int, end: int) -> bool:
    """Whether the first and the last character of a place are one pair, not two: “a”和“b”."""
    opener, closer = text[start], PAIRS[text[start]]
    if opener == closer:
        return text.count(opener, start, end) == 2
    depth = 0
    for position in range(start, end):
        if text[position] == opener:
            depth += 1
        elif text[position] == closer:
            depth -= 1
            if depth == 0:
                return position == end - 1
    return False


MARKER = re.compile(
    r"[ ]*(?:[-*•·●○▪]|[(]?\d{1,2}[.、):](?!\d)|[(][一二三四五六七八九十a-e][)]|[a-eA-E][.、)]|[一二三四五六七八九十][、.]|第[一二三四五][,:、])[ ]*(?=\S)"
)

_SLOTS = (
    "文本段?|文字|内容|部分|片段|词语?|字眼|短语|句子|地方|表述|说法|描述|语句|话|词汇|答案|回答|回复|结论|结果|原因|起因|缘由|理由|后续事件|事件|后果|影响|反应|时间|时刻|日期|地点|位置|频率|时长|用途|作用|能力|属性|意图|目的|前提(?:条件)?|条件|"
    "材料|类型|相反物|相同物|相似物|反义词|同义词|情绪|心情|答"
)
_COPULA = r"(?:就?应?该?是(?:指|说|一句)?|应?为|即|如下|在于|有|包括|可能是|大概是)"
# A lead-in: up to its colon, or a subject with a copula.
_LEADS = [
    re.compile(pattern)
    for pattern in (
        r"[ ]*(?:好的|当然|嗯+|明白了?|可以|没问题|了解|sure|okay|ok|certainly|of course|hello|您好|你好)[,。!.~:][ ]?",
        r"[ ]*(?:综上(?:所述)?|因此|所以|总之|由此可见|可见|最终|最后|总的来说|综合来看|综合以上(?:分析)?|那么|故|therefore|thus|so|hence|in conclusion|finally)[,:]?[ ]?",
        r"[ ]*(?:更正(?:一下)?|纠正|修正|抱歉|对不起|不好意思|等等|等一下|不对|哦不|不是?|我错了|说错了|重新看|准确地说|sorry|wait|actually|correction|no)[,:。!]+[ ]?",
        r"[ ]*(?:【[^】\n]{1,8}】|\[(?:答案|回答|answer)\])[ ]*[:]?[ ]*",
        r"[ ]*(?:我的)?(?:最终|正确|参考|标准)?(?:答案?|回答|回复|答复|结论|结果|输出|抽取结果|抽取的?文本|抽取|文本|原文|原句|原文本|错误文本|错误|错误处|不符文本|不符之处|不符处|不符合常识的文本|错误的?文本|矛盾文本|冲突文本|问题文本|片段|原因|后续事件|事件)[ ]?(?:是|为|如下)?[ ]?:[ ]*",
        r"[ ]*(?:the[ ])?(?:final[ ]|correct[ ]|extracted[ ])?(?:answer|text|span|output|result|response|cause|reason|effect|original|conflicting text)[ ]?(?:is|are)?[ ]?:[ ]*",
        r"[ ]*(?:the|a)[ ][a-z ,'’-]{2,90}?[ ](?:is|are|was|would be|should be)[ ]*:?[ ]*(?=[“\"「'’‘]|[^\x00-\x7f])",
        r"[ ]*(?:it|this|that|answer|so it)[ ]?(?:is|'s)[ ]*:?[ ]*(?=[“\"「']|[^\x00-\x7f])",
        r"[ ]*(?:because|since|due to)[ ]+",
        r"[ ]*(?:根据|从|由|依据|基于|按照|通过|结合)(?:以上|上述|上面|这段|该|本|整个|整段)?(?:的)?(?:对话|上下文|文本|内容|题目|文中|上文|前文|a|b|语境)[^,:\n。“「]{0,14}?(?:(?:我们|我)?(?:可以|可|能)?(?:看出|得知|知道|推断|推测|判断|得出|发现|了解到|看到|可知|来看|可见)(?:出|来)?)?[,:][ ]?",
        r"[ ]*(?:可以看出|可知|由此可知|由此看出|可以推断(?:出)?|可以推测(?:出)?|对话(?:中|内容)(?:可以看出|提到|显示|表明|说)|文中提到)[,:]?[ ]?",
        r"[ ]*(?:以下|下面|这)(?:就)?是[^:\n。]{0,40}:[ ]*",
        r"[ ]*[^:\n。“”\"]{0,40}(?:如下|抽取出的文本|以下(?:几处|文本|内容|部分|几个)?|分别(?:是|为))[ ]?:[ ]*",
        r"[ ]*(?:我(?:认为|觉得|想|的判断是|找到的|抽取的)|个人认为|i think|i believe)[,:]?[ ]?",
        rf"[ ]*(?:在?对话中?|文中|这段话中?|上文中?|其中)?[^:。\n“”\"「」]{{0,44}}?(?:{_SLOTS})[ ]?{_COPULA}[ ]?:?[ ]*(?=\S)",
        rf"[ ]*[^:。\n“”\"「」,]{{0,30}}?(?:{_SLOTS})[ ]?:[ ]*",
        rf"[ ]*[^:。\n“”\"「」]{{0,30}}(?:不符|矛盾|冲突|不一致|不合理|错误|不合常识|不当|不恰当|有误|不对|有问题|不正确|不合适)的[^,:。\n“”\"「」]{{0,8}}?{_COPULA}[ ]?:?[ ]*(?=\S)",
        rf"[ ]*(?:导致|引起|造成)?(?:了)?(?:事件)?[“\"「『][^”\"」』\n]{{1,60}}[”\"」』][^:。,\n“”\"「」]{{0,24}}?(?:(?:{_SLOTS})[ ]?{_COPULA}|是因为|是由于|{_COPULA}|在空间上(?:包含|相邻)|的后续事件是?|的原因是?)[ ]?:?[ ]*(?=\S)",
        r"[ ]*(?:是因为|因为|由于|是由于|缘于|原因在于|之所以[^,。\n]{1,60}[,]?(?:是|就是)?(?:因为|由于))[ ]?[,:]?[ ]?",
        r"[ ]*(?:应该是|就是|即|应为|是(?=[“\"「]))[ ]?:?[ ]*",
    )
]


_ABOUT_EVENT = _LEADS[-3]


def cut_lead(text: str, low: str, place: Place, question: Asked) -> Place:
    """Without lead-ins, restated questions, speaker, and the marker of a single item."""
    start, end = trim(text, place)
    for _ in range(8):
        before = start
        start = _after_restated(low, start, end, question)
        speaker = SPEAKER.match(text, start, end)
        if speaker and speaker.end() < end:
            start = speaker.end()
        for pattern in _LEADS:
            if pattern is _ABOUT_EVENT and question.kind in ("conflict", ""):
                continue
            found = pattern.match(low, start, min(end, start + 160))
            if found and found.end() > start and (found.end() < end or _is_head(found.group())):
                start = found.end()
        marker = MARKER.match(text, start, end)
        if marker:
            start = marker.end()
        start, end = trim(text, (start, end))
        if start == before or start >= end:
            break
    if question.a_kind and start < end:
        found = re.compile(r"(?:是)?一[个种](?:属于)?").match(low, start, end)
        if found and found.end() < end:
            start = found.end()
    return start, end


def _is_head(lead: str) -> bool:
    return lead.rstrip()[-1:] in ":是为"


def _after_restated(low: str, start: int, end: int, question: Asked) -> int:
    """After what a reply repeats of its question: 事件“x”的频率是, or only 频率是."""
    squeezed, here, there = squeeze(low[start : min(end, start + 200)])
    for lead in question.leads:
        for size in range(len(lead), 2, -1):
            if not squeezed.startswith(lead[-size:]) or not (
                size == len(lead) or size >= 4 or lead[-size:] == question.noun
            ):
                continue
            rest = squeezed[size:]
            copula = next(
                (
                    word
                    for word in ("是因为", "是由于", "应该是", "就是", "可能是", "是", "为", "了")
                    if rest.startswith(word)
                ),
                "",
            )
            at = start + _there(here, there, size)
            if not copula and size < len(lead) and not re.match(r"[ ]?[:,]", low[at : at + 2]):
                continue
            return start + _there(here, there, size + len(copula)) if size + len(copula) < len(squeezed) else end
    return start


def _there(here: list[int], there: list[int], position: int) -> int:
    run = max((i for i, at in enumerate(here) if at <= position), default=0)
    return there[run] + position - here[run] if there else 0


_GLOSS = re.compile(r"[ ]?[(（\[【][^()（）]*[)）\]】]?$")
_FOLLOWS = re.compile(
    r"[,;—–-]{1,2}[ ]?(?:因为|由于|理由|原因|这是?因为|因此|所以|这(?:与|和|句|里|个|是|显然|不|说|表|一|样|种)|而(?!且)|与(?:上下文|常识|前|后|对话|语境)|和(?:上下文|常识|前|后文)|不符|不合|说明|应(?:该)?(?:改|是|为)|改为|改成|可以改|属于|并不|其实|但是?|because|since|as|which|this|it|应当|正确的|通常|明显|显然|从而|实际|不是|和前|跟)"
    r"|[ ]?(?:->|=>|→|——>|-->|=)[ ]?|[ ]--[ ]|——"
    r"|[”\"」』]?[ ]?(?:应(?:该)?(?:改为|改成|替换为|换成|修改为|更正为|为)|改为|改成|替换为|换成|修改为|更正为|应该?是|应当(?:是|为|改为))(?=[ “\"「:]|\S)"
    r"|[”\"」』][ ]?(?:这[个一]?(?:词|句|部分|说法|处|文本|里|表述|描述)|一词|一句|(?:这|该)?(?:与|和|跟)(?:上下文|常识|对话|前|后|语境|实际|.{1,30}?(?:矛盾|不符|冲突|不一致))|不符|不合|有误|是?错误|是不|不太|明显|显然|不正确|不恰当|不对|存在|违背|,|应|在常识|不通|里|中|跟|conflicts|contradicts|is|does|should|doesn't|which)"
    r"|[ ]?(?:与|和|跟)(?:上下文|常识|对话内容|对话上下文|前文|后文|上文|语境|前后文|实际情况|事实)[^,。]{0,12}?(?:不符|矛盾|冲突|不一致|相悖|不吻合)|[ ]?(?:不符合|违背|不合|有悖于?)(?:常识|逻辑|上下文|对话|语境|事实|常理)|这(?:个词|句话|一说法|个说法|部分|一部分|一表述|个表述)"
    r"|[ ](?:conflicts?|contradicts?|is (?:wrong|inconsistent|incorrect|not)|should be|does not|because|since|instead of)\b"
)
_REPLACED = re.compile(
    r"(?:应该?|需要?|可以?|建议|最好|请|要|should)?(?:把|将|change|replace)[ ]?[“\"「『']?(?P<span>[^“”\"「」『』\n]{1,60}?)[”\"」』']?[ ]?(?:这[个一]?[词句](?:话)?)?(?:改|换|替换|修改|更正|写|to|with|by)"
)
_NOT_BUT = re.compile(
    r"(?:这里|此处|应该|对话中)?(?:不应该?是?|不应当是|不该是|不会是|不可能是|不是|not)[ ]?[“\"「『']?(?P<span>[^“”\"「」『』,\n]{1,60}?)[”\"」』']?[ ]?[,]?[ ]?(?:而(?:应该?|应当)?是|应该?是|应为|而是|but)"
)


def cut_correction(text: str, low: str, place: Place) -> Place:
    """What is to be corrected, out of a sentence that proposes the correction (rule 13)."""
    for pattern in (_REPLACED, _NOT_BUT):
        found = pattern.search(low, *place)
        if found:
            return trim(text, found.span("span"))
    return place


def cut_tail(text: str, low: str, place: Place, conflict: bool) -> Place:
    """Without explanation, gloss and correction after the span."""
    start, end = place
    opener = PAIRS.get(text[start - 1 : start] or " ")
    found = _FOLLOWS.search(low, start + 1, end)
    while (
        found
        and not conflict
        and found.group()[:1] in "应改"
        and not found.group().startswith(("应改", "改为", "改成"))
    ):
        found = _FOLLOWS.search(low, found.end(), end)
    if found:
        end = found.start()
        if opener and text[end : end + 1] == opener:
            return trim(text, (start, end))
    gloss = _GLOSS.search(low, start, end)
    if gloss and WORD.search(low, start, gloss.start()):
        end = gloss.start()
    return trim(text, (start, end))


_CAUSAL = [  # (pattern with cause and effect), the words between them
    re.compile(r"^(?:之所以)(?P<effect>[^,\n]{1,80}?)[,]?(?:是|就是|都是)?(?:因为|由于)(?P<cause>.+)$", re.S),
    re.compile(
        r"^(?:是?因为|由于|正因为|就是因为)(?P<cause>.+?)[,。]?[ ]?(?:所以|因此|因而|故|于是|才(?:导致|会|使)?|从而|就?导致了?|使得?)(?P<effect>.+)$",
        re.S,
    ),
    re.compile(
        r"^(?P<cause>.+?)[,。]?[ ]?(?:从而|所以|因此|就|会|才|进而)?(?:导致|造成|引起|引发|使得|致使)了?(?:事件)?(?P<effect>.+)$",
        re.S,
    ),
    re.compile(r"^(?P<cause>.+?)[,。][ ]?(?:所以|因此|因而|于是|从而)(?P<effect>.+)$", re.S),
    re.compile(r"^(?P<effect>.+?)[,]?[ ]?(?:的原因)?(?:是因为|是由于|主要是因为|因为|由于)(?P<cause>.+)$", re.S),
]


_NO_EVENT = re.compile(r"^(?:根据|从)[^,]*$|^(?:因此|所以|综上|可见)[,]?$|对话内容|可以看出|的原因$")


def cut_causal(text: str, low: str, place: Place, question: Asked) -> Place:
    """The cause or the effect out of a sentence that has both; the restated half goes (rule 12)."""
    if question.kind not in ("cause", "effect"):
        return place
    start, end = place
    body = low[start : min(end, start + 400)]
    for pattern in _CAUSAL:
        found = pattern.match(body)
        if not found:
            continue
        wanted, other = ("cause", "effect") if question.kind == "cause" else ("effect", "cause")
        if (
            len(found[wanted].strip()) < 2
            or _NO_EVENT.search(found[wanted])
            or "原因" in found[other]
            or "后续" in found[other]
        ):
            continue
        if likeness(found[other], question.event) >= 0.6 and likeness(found[wanted], question.event) < 0.9:
            return trim(text, (start + found.start(wanted), start + found.end(wanted)))
    lead = re.match(r"(?:是?因为|由于)(?P<cause>[^,]+),(?P<effect>.+)$", body)
    if lead and likeness(lead["effect"], question.event) >= 0.6:
        part = "cause" if question.kind == "cause" else "effect"
        return trim(text, (start + lead.start(part), start + lead.end(part)))
    return place


def likeness(text: str, event: str) -> float:
    """How much of an event's characters a text has."""
    letters = set(key(text))
    return sum(c in letters for c in event) / len(event) if event else 0.0
