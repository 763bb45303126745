"""Stage 3, mentions: where a reply names an option, by label, by text or by place (rules 2, 9, 10).

A mention is no choice yet; `commit` looks at the words around it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import lru_cache

from .catalog import Catalog
from .chars import ends, lower, squeeze

LIMIT = 200  # mentions kept: half from the head of a text, half from its tail

FORMER, LATTER = -2, -3  # 前者, 后者 before it is known of which pair

OPEN, CLOSE = "(\\[{【「『《〈<〔“\"'‘\ue001", ")\\]}】」』》〉>〕”\"'’\ue002"


@dataclass(frozen=True, slots=True)
class Mention:
    """An option named at `start:end` of the clean text. `option` is -1 for a label outside the list."""

    start: int
    end: int
    option: int
    kind: str  # "label", "text", "place"
    sure: bool = True  # False for a bare capital, which could be a person
    against: int | None = None  # the other option that an adjoining text names (rule 16)


@lru_cache(maxsize=64)
def _label_pattern(core: str, digits: bool) -> re.Pattern[str]:
    before = r"(?<![a-z0-9_])(?<!\d[.:])" if digits else "(?<![a-z0-9_])"
    after = r"(?![a-z0-9_%‰℃])(?![.:]\d)" if digits else r"(?![a-z0-9_+'’#])"
    return re.compile(
        rf"(?P<open>(?<![a-z])[{OPEN}][ ]?)?{before}(?P<core>{core})"
        rf"(?:(?P<shut>[ ]?[{CLOSE}])|{after})(?P<dot>[ ]?[.、:)])?"
    )


_AFTER_UPPER = re.compile(  # what may follow a bare capital in Chinese: it is then an option, not a person
    r"选项|项|这[个一项]|[是为]?(?:最|更|比较|较为)?(?:正确|合适|恰当|贴切|准确|符合|合理|对的|答案|可能)|才|最|更(?![喜爱想关看愿希倾加])|也[是对]|[不也]?对(?![话他她你我])"
    r"|[不错]|就(?:是|行|对)|符合|因为|由于|理由|而[不非]|[和或与跟、,/]\s?(?:选项)?[(]?[a-z](?![a-z])(?![一-鿿](?<![均皆都也不选项]))|[吧呢了啊呀]|可以|被排除|排除|[都均皆较没]|未|与对话|明显|显然|相对|跟对话|对应"
)
_PERSON = re.compile(
    r"说|问|答|提|讲|表|认|觉|喜|想|回|道|在|们|从|先|去|把|给|同意|建议|推荐|很|的[朋妈爸同老家手猫狗]|明确|前面|后面"
)
_WORD_AFTER = re.compile(
    r"[股站罗恤级型座牌区队组轮照超盘键屏版面柱轴字罩杯咖货胎簿币套餐铁宝端链圈杠]|(?:计划|大调|小调)"
)
_CUE_BEFORE = '选项是为案择即于填成入和或与及非除不对到个答、,。;:!?)]】”"(\n ⋯…→—-=√×|/>'
_WORD_BEFORE = re.compile(r"(?:素|户|者|话人|角色|级|型|语|划|乘客|同学|先生|女士|小|甲|老)[ ]?$")
_ENGLISH_BEFORE = re.compile(
    r"(?:speaker|user|vitamin|plan|grade|phase|person|phrase|type|group|team|party|character|hepatitis|argument|mr|ms|student|"
    r"event|part|series|turn|block|brand|title|class|unit|version)s?[ ]$"
)
_NAMED_BEFORE = re.compile(
    r"(?:option|choice|answer|letter|label|select|choose|pick|choosing|selecting|item|alternative)s?[ ]?[(:]?[ ]?$"
)
_CHOSEN_BEFORE = re.compile(
    r"(?:is|be|was|are|[:=]|not|than|or|and|nor|neither|either|with|for|out|of|on|say|to|both|between|guess)[ ]$"
)
_VERB_AFTER = re.compile(
    r"[ ](?:is|isn't|isnt|seems?|fits?|because|as|since|and|or|nor|would|looks|makes|matches|but|not|best|correct|rather|instead|"
    r"over|which|can|cannot|can't|does|doesn't|are|were|was|describes|works|if|due|in|based|when|after|only|too|also|here|wins|"
    r"should|must|has|to|then|from|however|so|while|for|by|the)\b"
)
_VERDICT_AFTER = re.compile(
    r"[ ](?:(?:is|was|seems|looks|would be|must be|should be|isn't|is not|are)(?: (?:clearly|definitely|obviously|probably|likely|not|also|both))?"
    r"(?: (?:the|my|more|most|an? (?:wrong|incorrect|better)))?[ ]"
    r"(?:correct|right|best|better|answer|most|wrong|incorrect|choice|true|false|ruled|fit|appropriate|likely|out|suitable|final|closest)"
    r"|(?:because|as|since|but not|not|rather|instead|fits|matches|and [a-z]\b|or [a-z]\b|best))"
)
_UNIT_AFTER = re.compile(
    r"[ ]?(?:[个人句部场米年月日点次名岁天位元块分秒度届集季周件种条只张本篇段步层楼例万亿倍kg]|号(?!选项|答案|项)|[.:比]\d)"
)
_DIGIT_BEFORE = "选项是为案择即于填成入和或与及非除不对答、,。;:!?([【“\"'\n\ue000\ue001 —-→=√×|/>"
_HAN = re.compile(r"[一-鿿㐀-䶿]")


def _bare_ok(low: str, text: str, start: int, end: int, digits: bool) -> bool:
    """Whether a label without brackets is a label, going by its neighbours (rule 9)."""
    left, right = text[start - 1 : start], text[end : end + 1]
    before, after = low[max(start - 14, 0) : start], low[end : end + 40]
    if digits:
        if (left and left not in _DIGIT_BEFORE) or _UNIT_AFTER.match(after):
            return False
        return not re.search(r"(?:短语|步骤|phrase|step|question|例题|例|问题|part|round)[ :]?$", before)
    if _HAN.match(right):
        if _WORD_AFTER.match(after) or _PERSON.match(after):
            return False
        if text[start].isupper() and not _AFTER_UPPER.match(after):
            return False
    if _HAN.match(left) and (_WORD_BEFORE.search(before) or (text[start].isupper() and left not in _CUE_BEFORE)):
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
    """Whether a capital and a colon introduce a speaker, at the head of a line or after a full stop (rule 9)."""
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
    """Where a label's own text ends if it follows at once, else 0; it is a label then, whatever else it looks like."""
    if len(option) < 2 or not low.startswith(option[0], end):
        return 0
    squeezed, here, there = squeeze(low[end : end + len(option) + 8])
    if not squeezed.startswith(option):
        return 0
    run = bisect_right(here, len(option) - 1) - 1
    return end + there[run] + len(option) - here[run]


def labels(low: str, text: str, options: Catalog) -> list[Mention]:
    """Labels in every dress: (a), 「a」, a), a., bare, and labels outside the list."""
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
            or (option < 0 and (_HAN.match(text[end : end + 1]) or text[start - 1 : start] not in _CUE_BEFORE))
        ):
            found.append(Mention(start, match.end("core"), option, "label", not text[start].isupper()))
    return found


_HEADS = {  # words that are options in one place and plain Chinese in another
    "原因": re.compile(r"[ ]?(?::(?!\s*$)|是因为|是由于|在于|如下|有[:二三])"),
    "前提": re.compile(r"[ ]?(?::(?!\s*$)|是[^的])"),
    "比较": re.compile(r"(?!关系|领域|类|[是更最也都吧的])[一-鿿]"),
    "时间": re.compile(r"[上里内点段长]"),
    "空间": re.compile(r"[里内]"),
    "时间原因": re.compile(r"(?!)"),
}
_TAILS = {
    "比较": re.compile(r"(?:经过|通过|相|做个?|进行|来|加以|我|也|都|可以)$"),
    "时间": re.compile(r"[段一些]$"),
    "原因": re.compile(r"(?:什么|的主要)$"),
}
_VERBS = frozenset(["是", "有", "是一个", "包括类型", "能力", "用途"])


def _delimited(low: str, start: int, end: int) -> bool:
    """Whether nothing but punctuation touches a short word, or a verb form that asks for it stands before (rule 10)."""
    after, before = low[end : end + 1], low[max(start - 1, 0) : start]
    if after and after not in ",。.;!?\n)]】」』”\"'’》 \ue000\ue002}":
        return False
    return not before or not (_HAN.match(before) or before.isalnum()) or before in "是选为填择项"


def texts(low: str, options: Catalog) -> list[Mention]:
    """Option texts, the longest first, punctuation and blanks left out of the comparison."""
    found: list[Mention] = []
    if options.texts is None:
        return found
    squeezed, here, there = squeeze(low)
    for match in ends(options.texts, squeezed, LIMIT):
        word = match.group()
        option = options.exact(word)
        if option is None:
            continue
        first = bisect_right(here, match.start()) - 1
        last = bisect_right(here, match.end() - 1) - 1
        start = there[first] + match.start() - here[first]
        end = there[last] + match.end() - here[last]
        if end - start > len(word) + 8 or "\n" in low[start:end] or "\ue000" in low[start:end]:
            continue
        if word[0].isascii() and low[max(start - 1, 0) : start].isascii() and low[max(start - 1, 0) : start].isalnum():
            continue
        if word[-1].isascii() and low[end : end + 1].isascii() and low[end : end + 1].isalnum():
            continue
        if len(word) == 1 or (word in _VERBS and len(word) < 4 and word.startswith(("是", "有"))):
            if not _delimited(low, start, end):
                continue
        elif word in _HEADS and (
            _HEADS[word].match(low, end) or (word in _TAILS and _TAILS[word].search(low[max(start - 4, 0) : start]))
        ):
            continue
        found.append(Mention(start, end, option, "text"))
    return found


_NUMBERS = {
    word: number
    for number, words in enumerate(["一1", "二2两", "三3", "四4", "五5", "六6", "七7", "八8", "九9", "十"], 1)
    for word in words
}
_NUMBER = r"十[一二三四五]|1[0-5]|[一二三四五六七八九十1-9]"
_ENGLISH = {
    w: n for n, w in enumerate(["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"], 1)
}
_ENGLISH |= {w: n for n, w in enumerate(["1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th"], 1)}
_ENGLISH |= {w: n for n, w in enumerate(["one", "two", "three", "four", "five", "six", "seven", "eight"], 1)}
_UNIT = r"(?:个?(?:选项|候选|答案|领域)|个选择|项|个(?=[是更最才吧应,。;!?也和或与、肯显比正符对不了呢\n]|答案|选项|合适|$)|种关系(?=[,。;!?\n]|$)|条(?=[,。;!?\n]|$))"
_PLACES = re.compile(
    rf"(?P<back>倒数)?第[ ]?(?P<nth>{_NUMBER})[ ]?{_UNIT}|(?P<last>最后(?:面)?(?:的)?(?:那|这)?(?:一个|一项|一种|个|项)(?:选项|答案|候选|领域)?|末项|尾项|末尾那个)"
    rf"|选项[ ]?(?P<named>十[一二三四五]|[一二三四五六七八九十](?![一-鿿])|[一二三四五六七八九十](?=[是为更最才也不正符对]))|(?P<first>首项|首个选项|头一个|第一个|首个答案|最前面的?(?:一个|那个))(?!短语|句|人|问)"
    rf"|(?P<middle>(?:最)?(?:中间|居中|当中)(?:的)?(?:那|这|一)?(?:个|项|一个)(?:选项|答案)?|中间(?:的)?选项)"
    rf"|(?P<english>\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|1st|2nd|3rd|4th|5th|6th|7th|8th|last|middle)\b)[ ](?:option|choice|one|answer|candidate|item)\b"
    rf"|(?P<pair>前者|后者|\bformer\b|\blatter\b)"
    rf"|\b(?:option|choice)[ ](?:number[ ])?(?P<word>one|two|three|four|five|six|seven|eight)\b"
)
_NOUN_AFTER = re.compile(r"短语|句|人|说话|对话|方面|问题|月|原因|词|步|次|阶段|部分|例|事件|段|世界|季")


def _number(word: str) -> int:
    if word.isdigit():
        return int(word)
    return 10 + _NUMBERS[word[1]] if len(word) == 2 else _NUMBERS[word]


def places(low: str, options: Catalog) -> list[Mention]:
    """第二项, 选项四, 倒数第二个, 中间那个, the last one. A word for a place that is an option's text is text (rule 2)."""
    found: list[Mention] = []
    count = len(options.keys)
    for match in ends(_PLACES, low, LIMIT):
        if _NOUN_AFTER.match(low, match.end()):
            continue
        place: int | None = None
        if match["nth"]:
            number = _number(match["nth"])
            place = count - number if match["back"] else number - 1
        elif match["named"]:
            place = _number(match["named"]) - 1
        elif match["first"]:
            place = 0
        elif match["last"] or match["english"] == "last":
            place = count - 1
        elif match["middle"] or match["english"] == "middle":
            place = count // 2 if count % 2 else None
        elif match["pair"]:
            found.append(
                Mention(match.start(), match.end(), FORMER if match["pair"] in ("前者", "former") else LATTER, "place")
            )
        else:
            place = _ENGLISH[match["english"] or match["word"]] - 1
        if place is not None:
            found.append(Mention(match.start(), match.end(), place if 0 <= place < count else -1, "place"))
    return found


_JOIN = re.compile(r"[ ]?(?:[-.、:)=—|,][ ]?)?(?:是|为|即|也就是)?[ ]?[“\"'「『【(<《〈*\ue001\ue002]{0,2}[ ]?")
_SOFT = re.compile(r"[ ]?[\"”'’]?[ ]?(?:[-.、:)—|][ ]?|-{2,})?[“\"'「『【(<《〈]{0,2}[ ]?\n?")
_BOUNDARY = re.compile(r"[^\w(]|[吧了呢啊]|$|[是为]|选项|这|因|最|正确|符合|才|\(")


def _merged(found: list[Mention], low: str, text: str) -> list[Mention]:
    """Labels and the texts that adjoin them become one mention; where they disagree, it says so (rules 16, 17)."""
    merged: list[Mention] = []
    for mention in found:
        last = merged[-1] if merged else None
        if (
            last is None
            or last.end > mention.start
            or {last.kind, mention.kind} != {"label", "text"}
            or last.against is not None
        ):
            merged.append(mention)
            continue
        gap = low[last.end : mention.start]
        same = last.option == mention.option
        joint = replace(last, end=mention.end, kind="label", sure=True)
        if last.kind == "label":
            if len(gap) <= 5 and (_SOFT.fullmatch(gap) or (same and _JOIN.fullmatch(gap))):
                if "\n" in gap and not same:
                    merged.append(mention)
                elif same:
                    merged[-1] = joint
                elif last.option < 0 or not _BOUNDARY.match(low, mention.end):
                    merged[-1] = replace(last, end=mention.end)
                elif (
                    text[last.start].isupper() and ":" in gap and (last.start == 0 or low[last.start - 1] in "\n\ue000")
                ):
                    merged[-1] = mention  # "A: 恐怖片": a speaker, not an option (rule 9)
                else:
                    merged[-1] = replace(joint, against=mention.option)
                continue
        elif (
            len(gap) <= 5
            and re.fullmatch(r"[ ]?[”\"'」』】]?[ ]?[(\[]?[ ]?(?:即|对应|也就是)?(?:选项)?[ ]?", gap)
            and (low[mention.start] in "([【（" or "(" in gap or "[" in gap or "选项" in gap)
        ):
            merged[-1] = replace(joint, option=mention.option, against=None if same else last.option)
            continue
        merged.append(mention)
    return merged


def _resolved(found: list[Mention]) -> list[Mention]:
    """前者 and 后者 are the last two options named before; without two they name nothing."""
    resolved: list[Mention] = []
    pair: list[int] = []
    for mention in found:
        if mention.option in (FORMER, LATTER):
            if len(pair) == 2:
                resolved.append(replace(mention, option=pair[0 if mention.option == FORMER else 1]))
            continue
        resolved.append(mention)
        if mention.option >= 0:
            pair = [*[option for option in pair if option != mention.option], mention.option][-2:]
    return resolved


def mentions(text: str, options: Catalog) -> list[Mention]:
    """Every option named in a clean text, in order, without overlaps: texts cover labels inside them (CBA, C罗)."""
    low = lower(text)
    named = texts(low, options)
    covered = [(m.start, m.end) for m in named]
    starts = [start for start, _ in covered]

    def free(mention: Mention) -> bool:
        at = bisect_right(starts, mention.start) - 1
        for place in (at, at + 1):
            if 0 <= place < len(covered) and covered[place][0] < mention.end and mention.start < covered[place][1]:
                return (
                    mention.start <= covered[place][0] and mention.end >= covered[place][1] and mention.kind == "label"
                )
        return True

    found = [m for m in labels(low, text, options) if free(m)] + [m for m in places(low, options) if free(m)]
    found = sorted(found + named, key=lambda m: (m.start, -m.end))
    if len(found) > LIMIT:
        found = found[: LIMIT // 2] + found[-LIMIT // 2 :]
    plain: list[Mention] = []
    for mention in found:
        if not plain or mention.start >= plain[-1].end:
            plain.append(mention)
    return _resolved(_merged(plain, low, text))


def masked(low: str, found: list[Mention]) -> str:
    """The text with its mentions blotted out, so that no cue word is read across their edges: 原因而是 is not 因而."""
    parts: list[str] = []
    position = 0
    for mention in found:
        parts.append(low[position : mention.start])
        parts.append("\ue003" * (mention.end - mention.start))
        position = mention.end
    return "".join((*parts, low[position:]))
