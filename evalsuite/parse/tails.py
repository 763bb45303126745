"""Cut what follows a span: explanation, gloss, correction, the other half of a causal sentence (rules 12, 13)."""

from __future__ import annotations

import re

from evalsuite.parse.chars import WORD, key
from evalsuite.parse.question import Asked, likeness
from evalsuite.parse.trim import PAIRS, Place, trim

_GLOSS = re.compile(r"[ ]?[(（\[【][^()（）]*[)）\]】]?$")
AFTERWARDS = re.compile(
    r"[,;—–-]{1,2}[ ]?(?:也就是(?!要|想)|换句话说|换言之|即(?!使|将|便|可)|意思是|具体(?:来说|而言|是|为)|相当于说|因为|由于|理由|原因|这是?因为|因此|所以|这(?:与|和|句|里|个|是|显然|不|说|表|一"
    r"|样|种)|而(?!且)|与(?:上下文|常识|前|后|对话|语境)|和(?:上下文|常识|前|后文)|不符|不合|说明"
    r"|应(?:该)?(?:改|是|为)|改为|改成|可以改|属于|并不|其实|但是?|because|since|as|which|this|it|应当"
    r"|正确的|通常|明显|显然|从而|实际|不是|和前|跟)"
    r"|[ ]?(?:->|=>|→|——>|-->|=)[ ]?|[ ]--[ ]|——"
    r"|[”\"」』]?[ ]?(?:应(?:该)?(?:改为|改成|替换为|换成|修改为|更正为|为)|改为|改成|替换为|换成|修改为"
    r"|更正为|应该?是|应当(?:是|为|改为))(?=[ “\"「:]|\S)"
    r"|[”\"」』][ ]?(?:这[个一]?(?:词|句|部分|说法|处|文本|里|表述|描述)|一词|一句|(?:这|该)?(?:与|和"
    r"|跟)(?:上下文|常识|对话|前|后|语境|实际|.{1,30}?(?:矛盾|不符|冲突|不一致))|不符|不合|有误|是?错误"
    r"|是不|不太|明显|显然|不正确|不恰当|不对|存在|违背|,|应|在常识|不通|里|中|跟|conflicts|contradicts|is"
    r"|does|should|doesn't|which)"
    r"|[ ]?(?:与|和|跟)(?:上下文|常识|对话内容|对话上下文|前文|后文|上文|语境|前后文|实际情况"
    r"|事实)[^,。]{0,12}?(?:不符|矛盾|冲突|不一致|相悖|不吻合)|[ ]?(?:不符合|违背|不合|有悖于?)(?:常识"
    r"|逻辑|上下文|对话|语境|事实|常理)|这(?:个词|句话|一说法|个说法|部分|一部分|一表述|个表述)"
    r"|[ ](?:conflicts?|contradicts?|is (?:wrong|inconsistent|incorrect|not)|should be|does not|because"
    r"|since|instead of)\b"
)
_REPLACED = re.compile(
    r"(?:应该?|需要?|可以?|建议|最好|请|要|should)?(?:把|将|change|replace)[ ]?"
    r"[“\"「『']?(?P<span>[^“”\"「」『』\n]{1,60}?)[”\"」』']?[ ]?(?:这[个一]?[词句](?:话)?)?"
    r"(?:改|换|替换|修改|更正|写|to|with|by)"
)
_NOT_BUT = re.compile(
    r"(?:这里|此处|应该|对话中)?(?:不应该?是?|不应当是|不该是|不会是|不可能是|不是"
    r"|not)[ ]?[“\"「『']?(?P<span>[^“”\"「」『』,\n]{1,60}?)[”\"」』']?[ ]?[,]?[ ]?(?:而(?:应该?|应当)?是"
    r"|应该?是|应为|而是|but)"
)


# Only conflict detection has corrections; elsewhere 但是 or 而 continue the answer.
_GOES_ON = re.compile(
    r"[,;—–-]{0,2}[ ]?(?:应|改|替换|换成|修改|更正|但|而|其实|并不|从而|实际|通常|明显|显然|可以改|属于|不是)"
)

_GOES_ON_TO_EFFECT = re.compile(_GOES_ON.pattern + r"|[,;—–-]{0,2}[ ]?(?:所以|因此)")


def cut_correction(text: str, low: str, place: Place) -> Place:
    """The text to be corrected, cut out of a sentence that proposes a correction (rule 13)."""
    for pattern in (_REPLACED, _NOT_BUT):
        found = pattern.search(low, *place)
        if found:
            return trim(text, found.span("span"))
    return place


def cut_tail(text: str, low: str, place: Place, kind: str) -> Place:
    """Cut explanation, gloss and correction after the span. `kind`: of the question, see `Asked`."""
    start, end = place
    opener = PAIRS.get(text[start - 1 : start] or " ")
    found = AFTERWARDS.search(low, start + 1, end)
    goes_on = None if kind in ("conflict", "") else _GOES_ON_TO_EFFECT if kind == "effect" else _GOES_ON
    while found and goes_on and goes_on.match(found.group()):
        found = AFTERWARDS.search(low, found.end(), end)
    if found:
        end = found.start()
        if opener and text[end : end + 1] == opener:
            return trim(text, (start, end))
    return cut_gloss(text, low, (start, end))


def cut_gloss(text: str, low: str, place: Place) -> Place:
    """Cut a bracket at the end."""
    start, end = place
    gloss = _GLOSS.search(low, start, end)
    if gloss and WORD.search(low, start, gloss.start()):
        end = gloss.start()
    return trim(text, (start, end))


_CAUSAL = [  # each names its cause and its effect
    re.compile(
        r"^(?P<effect>[^,\n]{1,80}?)(?:就|都|主要)?是由于?(?P<cause>[^\n]+?)(?:所?引起|所?造成|所?导致|引发)的$"
    ),
    re.compile(r"^(?:之所以)(?P<effect>[^,\n]{1,80}?)[,]?(?:是|就是|都是)?(?:因为|由于)(?P<cause>.+)$", re.S),
    re.compile(
        r"^(?:是?因为|由于|正因为|就是因为)(?P<cause>.+?)[,。]?[ ]?(?:所以|因此|因而|故|于是|才(?:导致|会"
        r"|使)?|从而|就?导致了?|使得?)(?P<effect>.+)$",
        re.S,
    ),
    re.compile(
        r"^(?P<cause>.+?)[,。]?[ ]?(?:从而|所以|因此|就|会|才|进而)?(?:导致|造成|引起|引发|使得"
        r"|致使)了?(?:事件)?(?P<effect>.+)$",
        re.S,
    ),
    re.compile(r"^(?P<cause>.+?)[,。]?[ ]?(?<!之)(?:所以|因此|因而|于是|从而)(?P<effect>.+)$", re.S),
    re.compile(r"^(?P<effect>.+?)[,]?[ ]?(?:的原因)?(?:是因为|是由于|主要是因为|因为|由于)(?P<cause>.+)$", re.S),
    re.compile(r"^(?:因为|由于)(?P<cause>.+?)[,]?而(?P<effect>.+)$", re.S),
]


_NO_EVENT = re.compile(
    r"^(?:根据|从)[^,]*$|^(?:因此|所以|综上|可见)[,]?$|对话内容|可以看出|的原因$|^[^:]{0,12}(?:答案?|回答|结论|结果|事件)[ ]?:$"
)


def cut_causal(text: str, low: str, place: Place, question: Asked) -> Place:
    """The cause or the effect, cut out of a sentence that states both (rule 12).

    The other half, which restates the event of the question, is dropped.
    """
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
        if _restates(found[other], question.event) and likeness(found[wanted], question.event) < 0.9:
            return trim(text, (start + found.start(wanted), start + found.end(wanted)))
    lead = re.match(r"(?:是?因为|由于)(?=[^,])", body)
    commas = [found.start() for found in re.finditer(",", body)] if lead else []
    for at in reversed(commas) if question.kind == "cause" else commas:
        first, second = (start + (lead.end() if lead else 0), start + at), (start + at + 1, end)
        half, restated = (first, second) if question.kind == "cause" else (second, first)
        if _restates(low[slice(*restated)], question.event):
            return trim(text, half)
    return place


def _restates(text: str, event: str) -> bool:
    """Whether a text repeats the question's event, in full or in part (离婚 for x离婚了)."""
    short = len(key(text)) >= 2 and likeness(event, key(text)) == 1
    return likeness(text, event) >= (
        0.4 if short else 0.6
    )  # the subject alone (苏炳添因为…) does not restate the event
