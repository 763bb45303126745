"""Cut what stands before a span: lead-ins, the restated question, a speaker, the marker of a single item (rule 12).

Every function takes a place in the text and returns a smaller one; no text is rewritten, so spans stay verbatim.
"""

from __future__ import annotations

import re

from evalsuite.parse.chars import key, squeeze
from evalsuite.parse.question import Asked, likeness
from evalsuite.parse.segment import SPEAKER
from evalsuite.parse.trim import Place, trim

MARKER = re.compile(
    r"[ ]*(?:[-*•·●○▪]|[(]?\d{1,2}[.、):](?!\d)|[(][一二三四五六七八九十a-e][)]|[a-eA-E][.、)]"
    r"|[一二三四五六七八九十][、.]|第[一二三四五][,:、])[ ]*(?=\S)"
)

_SLOTS = (
    "文本段?|文字|内容|(?<!大)部分|片段|词语?|字眼|短语|句子|地方|表述|说法|描述|语句|话|词汇|答案|回答|回复"
    "|结论|结果|原因|起因|缘由|理由|后续事件|事件|后果|影响|反应|时间|时刻|日期|地点|位置|频率|时长|用途"
    "|作用|能力|属性|意图|目的|前提(?:条件)?|条件|"
    "材料|类型|相反物|相同物|相似物|反义词|同义词|情绪|心情|答"
)
_COPULA = r"(?:就?应?该?是(?:指|说|一句)?|应?为|即|如下|在于|有|包括|可能是|大概是)"
_ABOUT = (  # 事件“x”的原因是
    r"[ ]*(?:导致|引起|造成)?(?:了)?(?:事件)?[“\"「『][^”\"」』\n]{1,60}[”\"」』][^:。,\n“”\"「」]{0,24}?"
    rf"(?:(?:{_SLOTS})[ ]?{_COPULA}|是因为|是由于|{_COPULA}"
    rf"|(?:主要|一般|通常)?(?:是|可以|能够?|可)?被?(?:用来|用于|拿来)"
    rf"|在空间上(?:包含|相邻)|的后续事件是?|的原因是?)[ ]?:?[ ]*(?=\S)"
)
# A lead-in ends with its colon, or is a subject with a copula.
_LEADS = [
    re.compile(pattern)
    for pattern in (
        r"[ ]*(?:好的|当然|嗯+|明白了?|可以|没问题|了解|sure|okay|ok|certainly|of course|hello|您好|你好)[,。!.~:][ ]?",
        r"[ ]*(?:综上(?:所述)?|因此|所以|总之|由此可见|可见|最终|最后|总的来说|综合来看|综合以上(?:分析)?"
        r"|那么|故|(?:therefore|thus|so|hence|in conclusion|finally|as a result|consequently|in short|overall)(?![a-z]))[,:]?[ ]?",
        r"[ ]*(?:更正(?:一下)?|纠正|修正|抱歉|对不起|不好意思|等等|等一下|不对|哦不|不是?|我错了|说错了"
        r"|重新看|准确地说|sorry|wait|actually|correction|no)[,:。!]+[ ]?",
        r"[ ]*(?:【[^】\n]{1,8}】|\[(?:答案|回答|answer)\])[ ]*[:]?[ ]*",
        r"[ ]*(?:我的)?(?:最终|正确|参考|标准)?(?:答案?|回答|回复|答复|结论|结果|输出|抽取结果|抽取的?文本"
        r"|抽取|文本|原文|原句|原文本|错误文本|错误|错误处|不符|矛盾|冲突|修改前|改前|更正前|改正前"
        r"|不符文本|不符之处|不符处|不符合常识的文本|错误的?文本|矛盾文本|冲突文本|问题文本|片段|原因"
        r"|后续事件|事件)[ ]?(?:是|为|如下)?[ ]?:[ ]*",
        r"[ ]*(?:[\d一二三四五六]{1,2}[.、][ ]?)?(?:我的|最终|正确|参考|抽取)?的?(?:答案|回答|结论|结果|输出|答"
        r"|(?:不符|矛盾|冲突|有问题|错误|不合常识|不符合常识)的?(?:文本|内容|地方|部分|之处)|(?:final[ ])?answer|result|conclusion)[ ]*\n+",
        r"[ ]*(?:the[ ])?(?:final[ ]|correct[ ]|extracted[ ])?(?:answer|text|span|output|result|response"
        r"|cause|reason|effect|original|conflicting text)[ ]?(?:is|are)?[ ]?:[ ]*",
        r"[ ]*(?:the|a)[ ][a-z ,'’-]{2,90}?[ ](?:is|are|was|would be|should be)[ ]*:?[ ]*(?=[“\"「'’‘]|[^\x00-\x7f])",
        r"[ ]*(?:it|this|that|answer|so it)[ ]?(?:is|'s)[ ]*:?[ ]*(?=[“\"「']|[^\x00-\x7f])",
        r"[ ]*(?:based on|according to|from|in)[ ](?:the|this)[ ][a-z ]{2,30},[ ]*",
        r"[ ]*(?:the|a|this)[ ][a-z ,'’-]{2,90}:[ ]*",
        r"[ ]*(?:because|since|due to)[ ]+",
        r"[ ]*(?:根据|从|由|依据|基于|按照|通过|结合)(?:以上|上述|上面|这段|该|本|整个"
        r"|整段)?(?:的)?(?:对话|上下文|文本|内容|题目|文中|上文|前文|a|b"
        r"|语境)[^,:\n。“「]{0,14}?(?:(?:我们|我)?(?:可以|可|能)?(?:看出|得知|知道|推断|推测|判断|得出"
        r"|发现|了解到|看到|可知|来看|可见)(?:出|来)?)?[,:][ ]?",
        r"[ ]*(?:可以看出|可知|由此可知|由此看出|可以推断(?:出)?|可以推测(?:出)?|对话(?:中"
        r"|内容)(?:可以看出|提到|显示|表明|说)|文中提到)[,:]?[ ]?",
        r"[ ]*(?:以下|下面|这)(?:就)?是[^:\n。]{0,40}:[ ]*",
        r"[ ]*[^:\n。“”\"]{0,40}(?:如下|抽取出的文本|以下(?:几处|文本|内容|部分|几个)?|分别(?:是|为))[ ]?:[ ]*",
        r"[ ]*(?:我(?:认为|觉得|想|的判断是|找到的|抽取的)|个人认为|i think|i believe)[,:]?[ ]?",
        rf"[ ]*(?:在?对话中?|文中|这段话中?|上文中?"
        rf"|其中)?[^:。\n“”\"「」]{{0,44}}?(?:{_SLOTS})[ ]?{_COPULA}[ ]?:?[ ]*(?=\S)",
        rf"[ ]*[^:。\n“”\"「」,]{{0,30}}?(?:{_SLOTS})[ ]?:[ ]*",
        rf"[ ]*[^:。\n“”\"「」]{{0,30}}(?:不符(?:合[^,:。的]{{0,8}})?|不正常|不合情理|说不通|反常|违背[^,:。的]{{1,8}}|矛盾|冲突|不一致|不合理|错误|不合常识|不当|不恰当|有误|不对"
        rf"|有问题|不正确|不合适)的[^,:。\n“”\"「」]{{0,8}}?{_COPULA}[ ]?:?[ ]*(?=\S)",
        _ABOUT,
        r"[ ]*(?:可能|应该|大概|主要|也许|或许|正)?(?:就?是)?(?:因为|由于)[ ]?[,:]?[ ]?",
        r"[ ]*(?:是因为|因为|由于|是由于|缘于|原因在于|之所以[^,。\n]{1,60}[,]?(?:是|就是)?(?:因为|由于))[ ]?[,:]?[ ]?",
        r"[ ]*(?:那么?(?:就|应该|应当)+是|其实(?:应该)?是|正确的?(?:应该)?是)[ ]?:?[ ]*(?=\S)",
        r"[ ]*(?:是)?(?:[abxy甲乙]|说话人[ab]|用户[ab]|对方)[^。,:;“”\n]{0,10}?(?:说|提到|讲|表示|提及)(?:的|到的|过的|的话|道)?(?:这?一?句话?)?"
        r"[ ]?:?[ ]?(?=[“\"「][^“”\"「」\n]+[”\"」][ ]?[。.!]?$)",
        r"[ ]*(?:[a-z][a-z'’]*[, ]+){2,20}?(?:is|are|was|were|be|for|to|at|in|on|of|as|that|because|from|by|with)[ ]*:?[ ]*(?=[“‘「]|[abxy]?[^\x00-\x7f])",
        r"[ ]*(?:更正|纠正|修正|改)为[ ]?:?[ ]?",
        r"[ ]*(?:应该是|就是|即|应为|是(?=[“\"「]))[ ]?:?[ ]*",
    )
]


_USED = re.compile(
    r"[ ]*[“\"「]?(?P<what>[^,。:“”\"「」]{1,20}?)[”\"」]?(?:的用途)?(?:主要|一般|通常)?(?:是|可以|能够?|可)?被?(?:用来|用于|拿来)(?=..)"
)


def cut_lead(text: str, low: str, place: Place, question: Asked) -> Place:
    """Cut lead-ins, restated questions, the speaker, and the marker of a single item."""
    start, end = trim(text, place)
    for _ in range(8):
        before = start
        start = _after_restated(low, start, end, question)
        speaker = SPEAKER.match(text, start, end)
        if speaker and speaker.end() < end:
            start = speaker.end()
        for pattern in _LEADS:
            if pattern.pattern == _ABOUT and question.kind in ("conflict", ""):
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
    if question.kind in ("fact", "cause", "effect") and re.match(r"是(?![的否不])", low[start:end]) and end - start > 2:
        start += 1
    after_event = (
        re.match(r"([^,。]{2,40}?)(?:之后|以后|后|时|之时|的时候)[,]", low[start:end]) if question.event else None
    )
    if after_event and likeness(after_event[1], question.event) >= 0.8:
        start += after_event.end()
    used = _USED.match(low, start, end) if question.noun == "用途" else None
    if used and key(used["what"]) in question.event and key(used["what"]):
        start = used.end()
        end -= low[end - 1] == "的"
    if question.a_kind and start < end:
        found = re.compile(r"(?:是)?一[个种](?:属于)?").match(low, start, end)
        if found and found.end() < end:
            start = found.end()
    return start, end


def _is_head(lead: str) -> bool:
    return lead.rstrip()[-1:] in ":是为"


def _after_restated(low: str, start: int, end: int, question: Asked) -> int:
    """The position after the part of the question that the reply restates: 事件“x”的频率是, or only 频率是."""
    squeezed, here, there = squeeze(low[start : min(end, start + 200)])
    for lead in question.leads:
        for size in range(len(lead), 1 if question.verbal else 2, -1):
            if not squeezed.startswith(lead[-size:]) or not (
                size == len(lead) or size >= 4 or question.verbal or lead[-size:] == question.noun
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
            if not copula and not question.verbal and size < len(lead) and not re.match(r"[ ]?[:,]", low[at : at + 2]):
                continue
            return start + _there(here, there, size + len(copula)) if size + len(copula) < len(squeezed) else end
    return start


def _there(here: list[int], there: list[int], position: int) -> int:
    """Map a position in squeezed text back to the text; `here` and `there` as `chars.squeeze` returns them."""
    run = max((i for i, at in enumerate(here) if at <= position), default=0)
    return there[run] + position - here[run] if there else 0
