"""Labels in a text, told apart from other letters and digits (rule 9)."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from evalsuite.parse.catalog import Catalog
from evalsuite.parse.chars import ends, squeeze
from evalsuite.parse.mention import CLOSE, HAN, LIMIT, OPEN, Mention


@lru_cache(maxsize=64)
def _label_pattern(core: str, digits: bool) -> re.Pattern[str]:
    before = r"(?<![a-z0-9_])(?<!\d[.:])" if digits else "(?<![a-z0-9_])"
    after = r"(?![a-z0-9_%‰℃])(?![.:]\d(?!\.\d))" if digits else r"(?![a-z0-9_+'’#])"
    return re.compile(
        rf"(?P<open>(?<![a-z])[{OPEN}][ ]?)?{before}(?P<core>{core})"
        rf"(?:(?P<shut>[ ]?[{CLOSE}])|{after})(?P<dot>[ ]?[.、:)])?"
    )


_AFTER_UPPER = re.compile(  # follows a bare capital in Chinese that is an option, not a person
    r"选项|项|这[个一项]|[是为]?(?:最|更|比较|较为)?(?:正确|合适|恰当|贴切|准确|符合|合理|对的|答案|可能)"
    r"|才|最|更(?![喜爱想关看愿希倾加])|也[是对]|[不也]?对(?![话他她你我])"
    r"|[不错]|就(?:是|行|对)|符合|因为|由于|理由|而[不非]"
    r"|[和或与跟、,/]\s?(?:选项)?[(]?[a-z甲乙丙丁戊己庚辛壬癸](?![a-z])(?![一-鿿](?<![均皆都也不选项]))|[吧呢了啊呀]|可以"
    r"|被排除|排除|[都均皆较没]|未|与对话|明显|显然|相对|跟对话|对应"
)
_PERSON = re.compile(
    r"说|问|答|提|讲|表|认|觉|喜|想|回|道|在|们|从|先|去|把|给|同意|建议|推荐|很|的[朋妈爸同老家手猫狗]|明确|前面|后面"
)
_WORD_AFTER = re.compile(
    r"[股站罗恤级型座牌区队组轮照超盘键屏版面柱轴字罩杯咖货胎簿币套餐铁宝端链圈杠]|(?:计划|大调|小调)"
)
_CUE_BEFORE = '选项是为案择即于填成入和或与及非除不对到个答、,。;:!?)]】”"(\n ⋯…→—-=√×|/>'
_WORD_BEFORE = re.compile(r"(?:素|户|(?<!或)者|话人|角色|级|型|语|划|乘客|同学|先生|女士|小|甲|老)[ ]?$")
_ENGLISH_BEFORE = re.compile(
    r"(?:speaker|user|vitamin|plan|grade|phase|person|phrase|type|group|team|party|character|hepatitis"
    r"|argument|mr|ms|student|"
    r"event|part|series|turn|block|brand|title|class|unit|version)s?[ ]$"
)
_NAMED_BEFORE = re.compile(
    r"(?:option|choice|answer|letter|label|select|choose|pick|choosing|selecting|item|alternative)s?[ ]?[(:]?[ ]?$"
)
_CHOSEN_BEFORE = re.compile(
    r"(?:is|be|was|are|[:=]|not|than|or|and|nor|neither|either|with|for|out|of|on|say|to|both|between|guess)[ ]$"
)
_VERB_AFTER = re.compile(
    r"[ ](?:is|isn't|isnt|seems?|fits?|because|as|since|and|or|nor|would|looks|makes|matches|but|not|best"
    r"|correct|rather|instead|"
    r"over|which|can|cannot|can't|does|doesn't|are|were|was|describes|works|if|due|in|based|when|after"
    r"|only|too|also|here|wins|"
    r"should|must|has|to|then|from|however|so|while|for|by|the)\b"
)
_VERDICT_AFTER = re.compile(
    r"[ ](?:(?:is|was|seems|looks|would be|must be|should be|isn't|is not|are)(?: (?:clearly|definitely"
    r"|obviously|probably|likely|not|also|both))?"
    r"(?: (?:the|my|more|most|an? (?:wrong|incorrect|better)))?[ ]"
    r"(?:correct|right|best|better|answer|most|wrong|incorrect|choice|true|false|ruled|fit|appropriate"
    r"|likely|out|suitable|final|closest)"
    r"|(?:because|as|since|but not|not|rather|instead|fits|matches|and [a-z]\b|or [a-z]\b|best))"
)
_UNIT_AFTER = re.compile(
    r"[ ]?(?:[个人句部场米年月日点次名岁天位元块分秒度届集季周件种条只张本篇段步层楼例万亿倍kg]|号(?!选项"
    r"|答案|项)|[.:比]\d(?!\.\d))"
)
_DIGIT_BEFORE = "选项是为案择即于填成入和或与及非除不对答、,。;:!?([【“\"'\n\ue000\ue001 —-→=√×|/>"


def _bare_ok(low: str, text: str, start: int, end: int, digits: bool) -> bool:
    """Whether a letter or digit without brackets is a label, judged by its neighbours (rule 9)."""
    left, right = text[start - 1 : start], text[end : end + 1]
    before, after = low[max(start - 14, 0) : start], low[end : end + 40]
    if digits:
        if (left and left not in _DIGIT_BEFORE) or _UNIT_AFTER.match(after):
            return False
        return not re.search(r"(?:短语|步骤|phrase|step|question|例题|例|问题|part|round)[ :]?$", before)
    wordlike = text[start].isupper() or HAN.match(
        text[start]
    )  # A座, 甲骨文: part of a word unless its neighbours are a label's
    if HAN.match(right):
        if _WORD_AFTER.match(after) or _PERSON.match(after):
            return False
        if wordlike and not _AFTER_UPPER.match(after):
            return False
    if HAN.match(left) and (_WORD_BEFORE.search(before) or (wordlike and left not in _CUE_BEFORE)):
        return False
    if _ENGLISH_BEFORE.search(before) or (before.strip() == "is" and not after.strip(". ")):
        return False
    if re.match(r"[ ][a-z]{2}", after) or right in ("'", "’"):
        if _NAMED_BEFORE.search(before):
            return True
        if text[start].isupper() or low[start] == "i":
            return bool(_VERDICT_AFTER.match(after))
        if low[start] == "a" and not _CHOSEN_BEFORE.search(before):
            return bool(_VERDICT_AFTER.match(after))
        return bool(_VERB_AFTER.match(after)) and not after.startswith(" is a ")
    return not (re.search(r"[a-z][ ]$", before) and low[start] == "a" and not re.match(r"[ ]?(?:[.,;:!?)\n]|$)", after))


_NOT_SPOKEN = re.compile(
    r"[ ]?(?:因为|由于|理由|正确|错误|对(?=[,。;\n]|$)|不[对符正合]|[√×\d高中低]|符合|可能|because|correct|wrong)"
)


def _speaks(low: str, text: str, start: int, end: int, option: str) -> bool:
    """Whether a capital with a colon marks a speaker: at the start of a line or after a full stop (rule 9)."""
    if not text[start].isupper() or not re.match(r"[ ]?:", text[end : end + 2]):
        return False
    head = low[max(start - 2, 0) : start]
    if head.strip(' "“「*-') and not re.search(r"[\n。!?~.\ue000][ ]?$", head):
        return False
    after = low.index(":", end) + 1
    return not (
        _NOT_SPOKEN.match(low, after)
        or (option and squeeze(low[after : after + len(option) + 8])[0].startswith(option))
    )


def _own_text(low: str, end: int, option: str) -> int:
    """Where the label's own option text ends if it follows directly, else 0. Such a letter is surely a label."""
    if len(option) < 2 or not low.startswith(option[0], end):
        return 0
    squeezed, here, there = squeeze(low[end : end + len(option) + 8])
    if not squeezed.startswith(option):
        return 0
    run = bisect_right(here, len(option) - 1) - 1
    return end + there[run] + len(option) - here[run]


def labels(low: str, text: str, options: Catalog) -> list[Mention]:
    """Labels in all forms: (a), 「a」, a), a., bare; also labels outside the list."""
    found: list[Mention] = []
    if not options.labels:
        return found
    for match in ends(_label_pattern(options.core, options.digits), low, LIMIT):
        start, end = match.start("core"), match.end("core")
        option = options.label(match["core"])
        if option is None:
            continue
        if match["shut"] is not None:
            end = match.end("shut")
        if match["open"] is not None and match["shut"] is not None:
            found.append(Mention(match.start(), end, option, "label"))
        elif match["shut"] is not None and match["shut"].strip() in ")]】":
            found.append(Mention(start, end, option, "label"))
        elif option >= 0 and _own_text(low, match.end("core"), options.keys[option]):
            found.append(Mention(start, _own_text(low, match.end("core"), options.keys[option]), option, "label"))
        elif _bare_ok(low, text, start, match.end("core"), options.digits) and not (
            _speaks(low, text, start, match.end("core"), options.keys[option] if option >= 0 else "")
            or (option < 0 and (HAN.match(text[end : end + 1]) or text[start - 1 : start] not in _CUE_BEFORE))
        ):
            found.append(Mention(start, match.end("core"), option, "label", not text[start].isupper()))
    return found
