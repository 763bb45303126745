"""Stage 2, mentions: the options of an item, and where a reply names them (rules 2, 8, 9, 10, 11, 16 and 17).

An option is named by its label, its text (exact, or within a slip, or by a word of the same meaning) or its position. A
mention is not yet a choice: `rules` reads the words around it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from evalsuite.parse.chars import enclosed, ends, fold, key, lower, squeeze
from evalsuite.parse.lexicon import LEXICON, same_meaning

LIMIT = 200  # mentions of a kind kept of a text: half from its head, half from its tail
FORMER, LATTER = -2, -3  # 前者, 后者 before they are resolved
OPEN, CLOSE = "(\\[{【「『《〈<〔“\"'‘\ue001", ")\\]}】」』》〉>〕”\"'’\ue002"
HAN = re.compile(r"[一-鿿㐀-䶿]")


_GAP = re.compile(r"…+|\.{3,}|_{2,}|~{2,}|\[.{0,3}\]|\(\s*\)")  # a gap in an option text that replies fill in: 由…制成
_STEMS = "甲乙丙丁戊己庚辛壬癸"


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """An item's options: labels without brackets and texts as keys (`chars.key`), both indexed by the option's index."""

    labels: tuple[str, ...]
    keys: tuple[str, ...]
    core: str  # regular expression of labels: [a-z], \d{1,2}
    digits: bool  # the labels are numbers
    texts: re.Pattern[str]  # matches any option text in squeezed lower-case text, longest first
    by_text: Mapping[str, int]  # key -> option, without texts that two options share
    templates: tuple[tuple[re.Pattern[str], int], ...]  # option texts with a gap: 由…制成

    def label(self, core: str) -> int:
        """The option with this label; -1 for a label of the same kind outside the list (rule 7)."""
        core = core.lstrip("0") or "0"
        return self.labels.index(core) if core in self.labels else -1

    def exact(self, text: str) -> int | None:
        """The option with this text, given as a key; None if there is none."""
        found = self.by_text.get(text)
        return found if found is not None else next((n for gap, n in self.templates if gap.fullmatch(text)), None)

    def near(self, text: str) -> int | None:
        """The one option within a one-character slip of a key, else the one with the same meaning; None if neither."""
        if sum(text in option for option in self.keys) > 1:  # 父母 of 养父母 and 亲生父母
            return None
        size = len(text)
        slips = [n for n, key_ in enumerate(self.keys) if abs(len(key_) - size) < 2 and is_slip(text, key_)]
        return slips[0] if len(slips) == 1 else None if slips else same_meaning(text, self.keys)


def is_slip(text: str, option: str) -> bool:
    """Whether two keys differ by one character that is a plausible slip (rule 2).

    Numbers, negations and opposites are never slips; neither is any change of a short text (科教片 is not 科幻片).
    """
    longer, shorter = (text, option) if len(text) > len(option) else (option, text)
    if len(option) < 3 or text == option:
        return False
    at = next((n for n, (one, other) in enumerate(zip(longer, shorter, strict=False)) if one != other), len(shorter))
    same = len(longer) == len(shorter)
    if longer[at + 1 :] != shorter[at + same :]:
        return False
    changed = longer[at] + (shorter[at] if same else "")
    if same and ((len(option) == 3 and at == 0) or all(c in LEXICON["opposed"] for c in changed)):
        return False
    return not any(c.isascii() or c in LEXICON["decisive"] for c in changed)


@lru_cache(maxsize=1024)
def _options(pairs: tuple[tuple[str, str], ...]) -> Options:
    labels = tuple(label_core(label) for label, _ in pairs)
    keys = tuple(key(text) for _, text in pairs)
    by_text = {text: index for index, text in enumerate(keys) if text and keys.count(text) == 1}
    templates: list[tuple[re.Pattern[str], int]] = []
    patterns = [(len(text), re.escape(text)) for text in by_text]
    for index, (_, text) in enumerate(pairs):
        parts = [key(part) for part in _GAP.split(fold(text))]
        if len(parts) == 2 and all(parts) and keys[index] in by_text:
            pattern = re.escape(parts[0]) + r"[^\W_]{1,12}?" + re.escape(parts[1])
            templates.append((re.compile(pattern), index))
            patterns.append((len(keys[index]) + 1, pattern))
    texts = re.compile("|".join(pattern for _, pattern in sorted(patterns, reverse=True)) or "(?!)")
    digits = all(label.isdigit() for label in labels)
    core = r"\d{1,2}" if digits else "[a-z]"
    if not digits and not all(len(label) == 1 and label.isascii() and label.isalpha() for label in labels):
        others = "|".join(sorted(map(re.escape, {*labels} - {""}), key=len, reverse=True)) or "(?!)"
        core = f"[{_STEMS}]" if all(label in _STEMS for label in labels if label) else f"(?:{others})"
    return Options(labels, keys, core, digits, texts, by_text, tuple(templates))


def prepare(options: Mapping[str, str]) -> Options:
    """An item's options, from label -> text in order; cached for items with the same options."""
    return _options(tuple(options.items()))


def label_core(label: str) -> str:
    """A label without brackets, dots and width: "(a)", "Ａ.", "①", "甲、" -> a, a, 1, 甲."""
    core = key("".join(enclosed(char) or char for char in lower(fold(label))))
    for word in ("选项", "option", "choice"):
        core = core.removeprefix(word) or core
    return core.lstrip("0") or core


class Mention(NamedTuple):
    """An option named at `start:end` of the clean text. `option` is -1 for a label outside the list."""

    start: int
    end: int
    option: int
    kind: str  # "label", "text", "place"
    against: int | None = None  # the option of an adjoining text that differs (rule 16)


class Group(NamedTuple):
    """Mentions joined by 和, or, commas or nothing; `ranked` if joined by ">"."""

    start: int
    end: int
    members: tuple[Mention, ...]
    ranked: bool = False

    @property
    def options(self) -> tuple[int, ...]:
        """The distinct options, in order."""
        return tuple(dict.fromkeys(m.option for m in self.members))

    @property
    def with_text(self) -> bool:
        """Whether an option is named by its text, or by its label and its text."""
        return any(m.kind == "text" or m.end - m.start > 3 for m in self.members)

    @property
    def conflict(self) -> bool:
        """Whether a label and the text beside it name different options (rule 16)."""
        beside = tuple(m.kind for m in self.members) == ("label", "text") and len(self.options) == 2
        return beside or any(m.against is not None for m in self.members)


@lru_cache(maxsize=64)
def _label_pattern(core: str, digits: bool) -> re.Pattern[str]:
    after = r"(?![a-z0-9_%‰℃])(?![.:]\d(?!\.\d))" if digits else r"(?![a-z0-9_+'’#])"
    return re.compile(
        rf"(?P<open>(?<![a-z])[{OPEN}][ ]?)?(?<![a-z0-9_])(?<!\d[.:])(?P<core>{core})"
        rf"(?:(?P<shut>[ ]?[{CLOSE}])|{after})(?P<dot>[ ]?[.、:)])?"
    )


_AFTER_UPPER = re.compile(  # follows a bare capital in Chinese that is an option, not a person
    r"选项|项|这[个一项]|[是为]?(?:最|更(?![喜爱想关看愿希])|比较|较)?(?:正确|合适|恰当|贴切|贴合|准确|符合|合理|靠谱|好(?![a-z一-鿿])|对的|答案|可能(?!会|在|对)|不)"
    r"|才|最|也(?:[是对]|有道理)|比[a-z](?![a-z])|不如|[不也]?对(?![话他她你我a-z])|就(?:是|行|对)|排第|[之以]?外|的可能|还是[(]?[a-z]|因为|由于|而[不非]|[错吧呢了啊呀都均皆较没未]|可以|被?排除|[与跟]对话"
    r"|[和或与跟、,/]\s?(?:选项)?[(]?[a-z甲乙丙丁戊己庚辛壬癸](?![a-z])(?![一-鿿](?<![均皆都也不选项]))"
)
_PERSON = re.compile(r"[说问答提讲表认觉喜想回在们从去]|很|的[朋妈爸同老家手]|前面")
_WORD_AFTER = re.compile(r"[股站罗级型座队组盘键屏版柱轴字罩杯咖货套餐]|计划|大调")
_CUE_BEFORE = '有就概下投得然但如比选项是为案择即于填成入和或与及非除不对到个答、,。;:!?)]】”"(\n ⋯…→—-=√×|/>'
_WORD_BEFORE = re.compile(r"(?:素|户|(?<!或)者|话人|角色|级|型|语|划|小|甲|老)[ ]?$")
_ENGLISH_BEFORE = re.compile("(?:speaker|user|person) $")
_NAMED_BEFORE = re.compile(
    r"(?:option|choice|answer|letter|label|select|choose|pick|choosing|selecting|item)s?[ ]?[(:]?[ ]?$"
)
_VERDICT_AFTER = re.compile(
    r"[ ](?:(?:is|was|seems|looks|(?:would|must|should) be|isn't|are)(?: (?:clearly|definitely|probably|not|also|both))?"
    r"(?: (?:the|my|more|most|an?))?[ ](?:correct|right|best|better|answer|most|wrong|incorrect|choice|true|false|ruled|fit"
    r"|likely|out|suitable|plausible|possible|reasonable)|(?:could|might|may|can) (?:both|also|be)\b|(?:through|to|and|or|nor) [a-z]\b"
    r"|because|as|since|but not|not|rather|instead|fits|matches|best)"
)
_UNIT_AFTER = re.compile(
    r"[ ]?(?:[个人句部场米年月日点次名岁天位元块分秒度届集季周件种条只张本篇段步层楼例万亿倍kg]|号(?!选项|答案|项)"
    r"|[.:比]\d(?!\.\d))|[ ](?:options|choices|answers|statements|of)\b"
)
_STEP_BEFORE = re.compile(r"(?:短语|步骤|phrase|step|question|例题|例|问题|part|round)[ :]?$")


def _bare_number(low: str, start: int, end: int) -> bool:
    """Whether a digit without brackets is a label, judged by its neighbours (rule 9)."""
    if start and HAN.match(low, start - 1) and low[start - 1] not in _CUE_BEFORE + "上":
        return False
    return not (_UNIT_AFTER.match(low, end) or _STEP_BEFORE.search(low, max(start - 14, 0), start))


def _bare_letter(low: str, text: str, start: int, end: int) -> bool:
    """Whether a letter or stem without brackets is a label, judged by its neighbours (rule 9)."""
    left, right = text[start - 1 : start], text[end : end + 1]
    before, after = low[max(start - 14, 0) : start], low[end : end + 40]
    # A座, 甲骨文: part of a word unless its neighbours are a label's
    wordlike = bool(text[start].isupper() or HAN.match(text[start]))
    if HAN.match(right) and (
        _WORD_AFTER.match(after)
        or (low[start] in "abxy" and _PERSON.match(after))
        or (wordlike and not _AFTER_UPPER.match(after))
    ):
        return False
    if HAN.match(left) and (_WORD_BEFORE.search(before) or (wordlike and left not in _CUE_BEFORE)):
        return False
    if _ENGLISH_BEFORE.search(before):
        return False
    if re.match(r"[ ][a-z]{2}", after) or right in ("'", "’"):
        if _NAMED_BEFORE.search(before):
            return True
        if text[start].isupper() or low[start] in "ai":  # a person, an article, a pronoun
            return bool(_VERDICT_AFTER.match(after))
        return True
    article = low[start] == "a" and re.search("[a-z] $", before)
    return not article or re.match(r" ?(?:[.,;:!?)\n]|$)| (?:through|to) [a-z]\b", after) is not None


_WORDS_AFTER = re.compile(r"[一-鿿㐀-䶿]|[ ][a-z]{2}")
_NOT_SPOKEN = re.compile(
    r"[ ]?(?:因为|由于|理由|正确|错误|对(?=[,。;\n]|$)|不[对符正合]|[√×\d高中低]|符合|可能|because|correct|wrong"
    r"|(?:yes|no|true|false)[ ]?[.,]?(?:\n|$))"
)


def _speaks(low: str, text: str, start: int, end: int, option: str) -> bool:
    """Whether a capital with a colon marks a speaker: at the start of a line or after a full stop (rule 9)."""
    if not text[start].isupper() or not re.match(r"[ ]?:", text[end : end + 2]):
        return False
    head = low[max(start - 2, 0) : start]
    if head.strip(' "“「*-') and not re.search(r"[\n。!?~.\ue000][ ]?$", head):
        return False
    after = low.index(":", end) + 1
    own = option and squeeze(low[after : after + len(option) + 8])[0].startswith(option)
    return not (_NOT_SPOKEN.match(low, after) or own)


def _labels(low: str, text: str, options: Options) -> Iterator[Mention]:
    """Labels in all forms: (a), 「a」, a), a., bare; also labels outside the list."""
    for match in ends(_label_pattern(options.core, options.digits), low, LIMIT) if options.labels else ():
        start, stop = match.span("core")
        option = options.label(match["core"])
        end = match.end("shut") if match["shut"] is not None else stop
        if match["shut"] is not None and (match["open"] is not None or match["shut"].strip() in ")]】"):
            yield Mention(match.start() if match["open"] is not None else start, end, option, "label")
        elif not (_bare_number(low, start, stop) if options.digits else _bare_letter(low, text, start, stop)):
            continue
        elif not _speaks(low, text, start, stop, options.keys[option] if option >= 0 else "") and (
            option >= 0 or (text[start - 1 : start] in _CUE_BEFORE and not _WORDS_AFTER.match(low, end))
        ):
            yield Mention(start, stop, option, "label")


_COUNTS = {
    word: number
    for number, words in enumerate(
        ["一 1 first 1st one", "二 两 2 second 2nd two", "三 3 third 3rd three", "四 4 fourth 4th four",
         "五 5 fifth 5th five", "六 6 sixth 6th six", "七 7 seventh 7th seven", "八 8 eighth 8th eight", "九 9", "十"], 1)
    for word in words.split()
}  # fmt: skip
_NTH = r"十[一二三四五]|1[0-5]|[一二三四五六七八九十1-9]"
_NTH_EN = "first|second|third|fourth|fifth|sixth|seventh|eighth|1st|2nd|3rd|4th|5th|6th|7th|8th"
_THING = "(?:option|choice|one|answer|candidate|item|statement)s?\\b"
_PLACES = re.compile(
    rf"(?=[倒第最末尾选首头中居当前后\da-z])(?:(?P<back>倒数)?第[ ]?(?P<nth>{_NTH})[ ]?(?:个?(?:选项|候选|答案|领域)|个选择|项"
    r"|个(?=[是更最才吧应,。;!?也和或与、比符对不\n]|合适|$)|[种条](?:关系)?(?=[,。;!?\n]|$))"
    r"|(?P<last>最后面?的?[那这]?(?:一个|一项|一种|个|项)(?:选项|答案|领域)?|[末尾]项|末尾那个)"
    r"|选项[ ]?(?P<named>十[一二三四五]|[一二三四五六七八九十](?:(?![一-鿿])|(?=[是为更最才也不正符对])))"
    r"|(?P<first>首项|首个选项|头一个|第一个|最前面的?(?:一个|那个))(?!短语|句|人)"
    r"|(?P<middle>最?(?:中间|居中|当中)的?[那这]?一?[个项](?:选项|答案)?|中间的?选项)"
    rf"|\b(?:the[ ](?:very[ ])?)?(?P<english>(?:{_NTH_EN}|last|middle)(?:(?=[ ]?(?:,|and|&)[^.,]{{0,12}}[ ]{_THING})"
    rf"|(?=[ ]{_THING})))(?:[ ]{_THING})?|(?P<pair>[前后](?:者|一[种个项]|面[那这一]个)|\bformer\b|\blatter\b)"
    r"|\b(?:(?:option|choice)[ ](?:number[ ])?|number[ ])(?P<word>one|two|three|four|five|six|seven|eight)\b)"
)


def _count(word: str) -> int:
    if word.isdigit():
        return int(word)
    return 10 + _COUNTS[word[1]] if len(word) == 2 and word[0] == "十" else _COUNTS[word]


def _positions(low: str, options: Options) -> Iterator[Mention]:
    """Every option named by position: 第二项, 选项四, 倒数第二个, 中间那个, the last one (rule 2)."""
    count = len(options.keys)
    for match in ends(_PLACES, low, LIMIT):
        if match["pair"]:
            yield Mention(*match.span(), FORMER if match["pair"][0] in "前f" else LATTER, "place")
            continue
        nth = match["nth"] or match["named"] or match["word"] or match["english"] or ("first" if match["first"] else "")
        if match["last"] or nth == "last":
            place = count - 1
        elif match["middle"] or nth == "middle":
            if count % 2 == 0:
                continue
            place = count // 2
        else:
            place = count - _count(nth) if match["back"] else _count(nth) - 1
        yield Mention(*match.span(), place if 0 <= place < count else -1, "place")


_HEADS = {  # option texts that are also ordinary words: what stands before and behind the ordinary word
    "原因": ("什么|的主要", r"[ ]?(?::(?!\s*$)|是因为|是由于|在于|如下|有[:二三])"),
    "比较": ("经过|通过|相|做个?|进行|来|加以|我|也|都|可以", r"(?!关系|领域|类|[是更最也都吧的])[一-鿿]"),
}


def _ordinary(low: str, start: int, end: int, word: str) -> bool:
    """Whether an option text is an ordinary word here: a verb (rule 10), or 原因 in 原因如下."""
    if len(word) == 1 or word == "是一个":  # stands between punctuation, or after a verb that takes an answer
        after, before = low[end : end + 1], low[max(start - 1, 0) : start]
        if (after and after not in ",。.;!?\n)]】」』”\"'’》 \ue000\ue002}") or (
            word == "是" and before in ("项", "案")
        ):
            return True
        return before.isalnum() and before not in "是选为填择项"
    before_word, behind = _HEADS.get(word, ("(?!)", "(?!)"))
    return bool(
        re.match(behind, low[end : end + 6]) or re.search(rf"(?:{before_word})$", low[max(start - 4, 0) : start])
    )


def _texts(low: str, options: Options) -> Iterator[Mention]:
    """Option texts in a reply, longest first, compared without punctuation and blanks."""
    squeezed, here, there = squeeze(low)
    for match in ends(options.texts, squeezed, LIMIT):
        word = match.group()
        option = options.exact(word)
        first, last = bisect_right(here, match.start()) - 1, bisect_right(here, match.end() - 1) - 1
        start = there[first] + match.start() - here[first]
        end = there[last] + match.end() - here[last]
        if option is None or "\n" in low[start:end] or "\ue000" in low[start:end]:
            continue
        latin = (low[start - 1 : start] + word[0], word[-1] + low[end : end + 1])  # inside a longer word
        inside = any(len(pair) == 2 and pair.isascii() and pair.isalnum() for pair in latin)
        if not inside and not _ordinary(low, start, end, word):
            yield Mention(start, end, option, "text")


_NAME = r"[ ]?[:]?[ ]?[“\"「『【*(\ue001]?[ ]?"
_SPOT = re.compile(rf"{_NAME}([^\n,。;:!?“”\"「」『』【】()\ue000-\ue002]{{2,40}})")
_LINE = re.compile(r"[^\n\ue000]+")
_EDGES = " \"“”'‘’()[]【】「」『』《》:,、。.!?*-—…~\ue001\ue002"


def with_near(
    groups: list[Group], low: str, spots: Sequence[int], quoted: Sequence[tuple[int, int]], options: Options
) -> list[Group]:
    """Add texts within a slip of an option, and synonyms, where an answer is due and no option stands (rules 2, 11).

    `spots`: where a cue word ends that an answer may follow. Lines and quotations are tried, too.
    """
    places: list[tuple[int, int]] = []
    for line in list(_LINE.finditer(low))[:40]:
        text = line.group().strip(_EDGES)
        start = low.index(text, line.start())
        places.append((start, start + len(text)))
    places += [(start + 1, end - 1) for start, end in quoted[:40]]
    places.extend(spot.span(1) for at in spots[:80] if (spot := _SPOT.match(low, at)))
    found: list[Group] = []
    for start, end in places:
        if not any(g.start < end and start < g.end for g in (*groups, *found)):
            option = _near(low[start:end], options)
            if option is not None:
                found.append(Group(start, end, (Mention(start, end, option, "text"),)))
    return sorted(groups + found, key=lambda g: g.start)


@lru_cache(maxsize=2**12)
def _near(text: str, options: Options) -> int | None:
    words = key(text)
    tails = ("", *(tail for tail in LEXICON["tails"] if words.endswith(tail) and len(words) > len(tail) + 1))
    return next((o for tail in tails if (o := options.near(words[: len(words) - len(tail)])) is not None), None)


_JOIN = re.compile(r"[ ]?(?:[-.、:)=—|,][ ]?)?(?:是|为|即|也就是)?[ ]?[“\"'「『【(<《〈*\ue001\ue002]{0,2}[ ]?")
_SOFT = re.compile(r"[ ]?[\"”'’]?[ ]?(?:[-.、:)—|][ ]?|-{2,})?[“\"'「『【(<《〈]{0,2}[ ]?\n?")
_BOUNDARY = re.compile(r"[^\w(]|[吧了呢啊]|$|[是为]|选项|这|因|最|正确|符合|才|\(")
_SENTENCE = re.compile(r"[.。][ ]?[“\"「]")  # (b). "薯片" looks similar
_LABEL_LAST = re.compile(r"[ ]?[”\"」』】]?[ ]?[(\[]?[ ]?(?:即|对应|也就是)?(?:选项)?[ ]?")


def _merge(last: Mention, mention: Mention, low: str) -> Mention | None:
    """A label and an adjoining text as one mention; `against` is the other's option where they differ (rules 16, 17)."""
    gap, same = low[last.end : mention.start], last.option == mention.option
    if {last.kind, mention.kind} != {"label", "text"} or (not same and _SENTENCE.match(gap)):
        return None
    joint = last._replace(end=mention.end, kind="label")
    if last.kind == "text":
        marked = low[mention.start] in "([【" and _LABEL_LAST.fullmatch(gap)
        return joint._replace(option=mention.option, against=None if same else last.option) if marked else None
    if same:
        return joint if _JOIN.fullmatch(gap) else None
    if not _SOFT.fullmatch(gap):
        return None
    if last.option < 0 or not _BOUNDARY.match(low, mention.end):
        return joint
    return joint._replace(against=mention.option)


def _resolved(found: list[Mention]) -> list[Mention]:
    """Resolve 前者 and 后者 to the last two options named; drop them if there are not two."""
    resolved: list[Mention] = []
    pair: list[int] = []
    for mention in found:
        if mention.option in (FORMER, LATTER):
            if len(pair) == 2:
                resolved.append(mention._replace(option=pair[0 if mention.option == FORMER else 1]))
            continue
        resolved.append(mention)
        pair = [*[option for option in pair if option != mention.option], mention.option][-2:]
    return resolved


def mentions(text: str, low: str, options: Options) -> list[Mention]:
    """Every option named in a clean text, in order, without overlaps. Texts hide labels inside them (CBA, C罗)."""
    named = (*_labels(low, text, options), *_texts(low, options), *_positions(low, options))
    found = sorted(named, key=lambda m: (m.start, -m.end))
    plain: list[Mention] = []
    for mention in found:
        if plain and mention.start < plain[-1].end:
            continue
        merged = _merge(plain[-1], mention, low) if plain else None
        plain[len(plain) - bool(merged) :] = [merged or mention]
    return _resolved(plain)


_AND = re.compile(
    r"[\"”」』]?[ \ue001\ue002]{0,2}(?:[、,/&+|;~-]{1,2}|,? ?and the|和|或者?|与|跟|及|以及|还有|并且|and|or|以及选项|>{1,3}|≥|还是"
    r"|[,.][ ]?(?:and|or)|[,、]?[ ]?(?:或者?是?|以及|还有|和)|x|(?=[(\[\"'“「a-z0-9]))?[ \ue001\ue002]{0,2}(?:选项|option)?[ ]?[\"“「]?"
)
_PREDICATE = re.compile(
    r"[”\"」』)]?[ ]?(?:也|更|才|则|不|是|为|错|就|最|没|显|明|可|还|似|看|较|比|一般|符|与|it is|is|seems|does)"
)
_RANGE = re.compile(r"[ ]?(?:-|~|–|to|through|至|到)[ ]?(?:选项|option)?[ ]?")


def grouped(found: Sequence[Mention], low: str) -> list[Group]:
    """Join mentions into groups. A comma joins only if no predicate follows: not in 相比a，b更贴切."""
    groups: list[Group] = []
    for mention in found:
        last = groups[-1] if groups else None
        gap = low[last.end : mention.start] if last else "\n"
        if last is None or "\n" in gap or not (_AND.fullmatch(gap) or _RANGE.fullmatch(gap)):
            groups.append(Group(mention.start, mention.end, (mention,)))
            continue
        first = last.members[-1]
        through = _RANGE.fullmatch(gap) and first.kind == mention.kind == "label" and first.option >= 0
        between = [mention._replace(option=n) for n in range(first.option + 1, mention.option) if through]
        if ("," in gap or ";" in gap) and (first.kind > mention.kind == "label" or _PREDICATE.match(low, mention.end)):
            groups.append(Group(mention.start, mention.end, (mention,)))
        else:
            members = (*last.members, *between, mention)
            groups[-1] = Group(last.start, mention.end, members, last.ranked or ">" in gap)
    return groups


_SPELLED = re.compile(  # alone on its line, or after a cue
    r"^[^\w\n]*(?P<line>[a-z]{2,30}|(?P<digit>[0-9])(?P=digit){2,29})[^\w\n]*$"
    r"|(?:选|答案(?:是|为|:)?|answer(?: is|:)?)[ ]?(?P<cued>[a-z]{2,30})(?![a-z0-9])",
    re.MULTILINE,
)


def spelled(groups: list[Group], low: str, options: Options) -> list[Group]:
    """Add lines of nothing but labels as groups: "bd", "bbbb" (rule 8)."""
    found: list[Group] = []
    for match in _SPELLED.finditer(low):
        which = "line" if match["line"] else "cued"
        start, word = match.start(which), match[which]
        again = word in (word + word)[1:-1]  # abcabc, bbbb
        if word in options.labels or not {*word} <= {*options.labels} or not (again or [*word] == sorted({*word})):
            continue
        letters = (Mention(start + n, start + n + 1, options.labels.index(c), "label") for n, c in enumerate(word))
        found.append(Group(start, start + len(word), tuple(letters)))
    rest = [g for g in groups if not any(f.start < g.end and g.start < f.end for f in found)]
    return sorted(rest + found[:50], key=lambda g: g.start)


def masked(low: str, found: Sequence[Mention]) -> str:
    """The text with its mentions masked, so that no cue word spans their edges (原因而是 does not contain 因而)."""
    parts: list[str] = []
    position = 0
    for mention in found:
        parts += (low[position : mention.start], "\ue003" * (mention.end - mention.start))
        position = mention.end
    return "".join((*parts, low[position:]))
