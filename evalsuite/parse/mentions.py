"""Stage 2, mentions: the options of an item, and where a reply names them (rules 2, 8, 9, 10, 11, 16 and 17).

An option is named by its label, its text (exact, within a slip, or by a synonym) or its position. `rules`
decides whether it is chosen.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, compress
from operator import itemgetter
from typing import NamedTuple

from evalsuite.parse.chars import BOX_CLOSE, BOX_OPEN, TURN, bare, ends, fold, inner_character, key, lower
from evalsuite.parse.lexicon import LEXICON, same_meaning
from evalsuite.parse.strip import strip

_PREDICATE_SIZE = 4  # the fewest characters of an option's text that stand for it without its subject
NONE = re.compile(  # an option that says that no other is right, and a reply that says so
    r"(?:(?:以上|上述|这[些几三四]|[前其][余他三四]?|[三四]个|选项|答案)[^,。;\n]{0,8}|\A)[都均皆](?:不|没|非)|没有(?:一个|任何)?[^,。;\n]{0,4}(?:答案|选项)|皆非"
    r"|none of (?:the|these|them)|no (?:correct )?(?:option|answer)"
)
_SAYS_NONE = 18  # only options with fewer characters say that no other is right
# Words at the head of an option's text that a reply may leave out.
_LIGHT = re.compile(r"(?:为了|因为|经过|昨[晚天]|今[早天]|[他她我它们在去要想会是很到])*")
LIMIT = 200  # the most mentions of a kind that are kept of a text: half from its head, half from its tail
FORMER, LATTER = -2, -3  # in place of an option's index: 前者 and 后者, until it is known what they refer to
HAN = re.compile(r"[一-鿿㐀-䶿]")
_GAP = re.compile(r"……*|\.\.\.+|__+|~~+|\[.{0,3}\]|\(\s*\)")  # a gap in an option text that replies fill in: 由…制成
_FORMULA = re.compile(r"[\\\\$]")
_SIGN = re.compile(r"[\\$√<>=^]|[-+][\da-z]")  # a formula that its key may share with another
_STEMS = "甲乙丙丁戊己庚辛壬癸"
OPEN, CLOSE = "(\\[{【「『《〈<〔“\"'‘\ue001", ")\\]}】」』》〉>〕”\"'’\ue002"
_OPENED = re.compile(rf"(?:(?<![a-z])[{OPEN}]|\[)[ ]?\Z")


@dataclass(frozen=True, slots=True, eq=False)
class OptionKeys:
    """An item's options: labels without brackets and texts as keys (`chars.key`), both indexed by the option's index."""

    labels: tuple[str, ...]
    keys: tuple[str, ...]
    texts: tuple[str, ...]
    by_label: Mapping[str, int]  # label -> option
    # text with its punctuation -> option, without texts that two options share and without texts that are also a label
    verbatim: Mapping[str, int]
    digits: bool  # the labels are numbers
    label: re.Pattern[str]  # matches any label, of these options or not
    by_text: Mapping[str, int]  # key -> option, without texts that two options share
    templates: tuple[tuple[str, int], ...]  # patterns of option texts with a gap: 由…制成
    # (first character, length) and (last character, length) of every text within a slip of an option: a quick check
    slips: frozenset[tuple[str, int]]
    initials: frozenset[str]  # first characters of the texts
    finals: frozenset[str]  # their last characters
    formulas: Mapping[str, int]  # text with its signs (`_signed`) -> option, if a text has any
    none: int | None  # the option that says that no other is right: 以上都不对
    capital: bool  # the labels are capitals
    longest: int  # the most characters of a passage that is compared with the texts, with punctuation

    def labelled(self, core: str) -> int:
        """The option with this label; -1 for a label of the same kind outside the list (rule 7)."""
        return self.by_label.get(core.lstrip("0") or "0", -1)

    def exact(self, text: str) -> int | None:
        """The option with this text, given as a key; None if there is none."""
        found = self.by_text.get(text)
        return found if found is not None else next((n for gap, n in self.templates if re.fullmatch(gap, text)), None)

    def near(self, text: str) -> int | None:
        """The one option within a one-character slip of a key, else the one with the same meaning; None if neither."""
        slips: list[int] = []
        if (text[:1], len(text)) in self.slips or (text[-1:], len(text)) in self.slips:
            slips = [n for n, option in enumerate(self.keys) if is_slip(text, option)]
        found = slips[0] if len(slips) == 1 else None if slips else same_meaning(text, self.keys)
        if found is None and not slips and text[-1:] in self.finals:
            found = self.without_head(text)
        if found is None or sum(text in key_ for key_ in self.keys) > 1:  # 父母 of 养父母 and 亲生父母
            return None
        return found

    def without_head(self, text: str) -> int | None:
        """The one option that a key is without its first words, the subject: 加班到很晚 of 小李加班到很晚; None if there is none."""
        if not HAN.match(text):
            return None
        said = text[_LIGHT.match(text).end() :]  # type: ignore[union-attr]  # it matches nothing as well
        if len(said) < 2:
            return None
        fits = [n for n, option in enumerate(self.keys) if option.endswith(said)]
        if len(fits) != 1:
            return None
        head = self.keys[fits[0]][: -len(said)]
        light = _LIGHT.fullmatch(head) or (len(said) >= _PREDICATE_SIZE and len(head) <= len(said) + 1)
        return fits[0] if light and not any(c in LEXICON["decisive"] for c in head) else None


def is_slip(text: str, option: str) -> bool:
    """Whether two keys differ by one character, and not in numbers, negations, opposites or a short text (rule 2)."""
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


def prepare(options: Mapping[str, str]) -> OptionKeys:
    """An item's options, from label -> text in order; cached for items with the same options."""
    return options_of(tuple(options.items()))


@lru_cache(maxsize=4096)
def options_of(pairs: tuple[tuple[str, str], ...]) -> OptionKeys:
    """The same as `prepare`, from pairs of label and text."""
    labels = tuple(label_core(label) for label, _ in pairs)
    keys = tuple(key(strip(text).text if _FORMULA.search(text) else text) for _, text in pairs)
    by_text = {text: index for index, text in enumerate(keys) if text and keys.count(text) == 1}
    templates: list[tuple[str, int]] = []
    for index in by_text.values():
        parts = _GAP.split(fold(pairs[index][1]))
        if len(parts) == 2 and all(sides := [key(part) for part in parts]):
            templates.append((sides[0] + r"[^\W_]{1,12}?" + sides[1], index))
    signs = any(map(_SIGN.search, dict(pairs).values()))
    signed = [_signed(lower(strip(text).text)) for _, text in pairs] if signs else []
    formulas = {text: n for n, text in enumerate(signed) if signed.count(text) == 1}
    digits = all(label.isdigit() for label in labels)
    slips = frozenset((c, len(k) + n) for k in keys if len(k) > 2 for c in (k[0], k[-1]) for n in (-1, 0, 1))
    longest = max(map(len, keys), default=0) + 24
    initials = frozenset(text[0] for text in keys if text)
    finals = frozenset(text[-1] for text in keys if text)
    none = [n for n, text in enumerate(keys) if len(text) < _SAYS_NONE and NONE.match(text)]
    capital = all(label.strip("()").isupper() for label, _ in pairs)
    label, texts = _label(labels, digits), tuple(text for _, text in pairs)
    only = none[0] if len(none) == 1 else None
    by_label = {label: n for n, label in reversed([*enumerate(labels)])}  # the first of two equal labels counts
    stripped, shown = [text.strip() for text in texts], {label.strip("()（）").lower() for label, _ in pairs}
    verbatim = {
        text: n for n, text in enumerate(stripped) if text and stripped.count(text) == 1 and text.lower() not in shown
    }
    return OptionKeys(
        labels=labels,
        keys=keys,
        texts=texts,
        by_label=by_label,
        verbatim=verbatim,
        digits=digits,
        label=label,
        by_text=by_text,
        templates=tuple(templates),
        slips=slips,
        initials=initials,
        finals=finals,
        formulas=formulas,
        none=only,
        capital=capital,
        longest=longest,
    )


@lru_cache(maxsize=256)
def _label(labels: tuple[str, ...], digits: bool) -> re.Pattern[str]:
    """A pattern of all labels of the same kind as these: of any letter, if these are letters."""
    # A label has no rest of a word or of a number behind it, nor of C# or i.e.
    after = r"(?![a-z0-9_%‰℃])(?![.:]\d(?!\.\d))" if digits else r"(?![a-z0-9_+'’])(?!#(?!include|\s*$))(?!\.[a-z]\.)"
    # Nor has it a part of one before it. This is asked behind its first character: `re` is fast if a pattern begins with one.
    before = r"(?<![a-z0-9_].)(?<!\d[.:].)"
    if digits:
        core = rf"\d{before}\d?"
    elif all(len(label) == 1 and "a" <= label <= "z" for label in labels):
        core = f"[a-z]{before}"
    elif {*"".join(labels)} <= {*_STEMS}:
        core = f"[{_STEMS}]{before}"
    else:
        others = "|".join(sorted(map(re.escape, {*labels} - {""}), key=len, reverse=True)) or "(?!)"
        core = rf"(?<![a-z0-9_])(?<!\d[.:])(?:{others})"
    return re.compile(rf"(?P<core>{core})(?:(?P<shut>[ ]?[{CLOSE}])|{after})", re.MULTILINE)


@lru_cache(maxsize=1024)
def label_core(label: str) -> str:
    """A label without brackets, dots and width: "(a)", "Ａ.", "①", "甲、" -> a, a, 1, 甲."""
    core = key("".join(inner_character(char) or char for char in lower(fold(label))))
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


class MentionGroup(NamedTuple):
    """Mentions joined by 和, or, commas or nothing; `ranked` if joined by ">"."""

    start: int
    end: int
    members: tuple[Mention, ...]
    ranked: bool = False

    @property
    def options(self) -> tuple[int, ...]:
        """The distinct options, in order."""
        if len(self.members) == 1:
            return (self.members[0].option,)
        return tuple(dict.fromkeys([mention.option for mention in self.members]))

    @property
    def conflict(self) -> bool:
        """Whether a label and the text beside it name different options (rule 16)."""
        if len(self.members) == 1:
            return self.members[0].against is not None
        beside = len(self.options) == 2 and [m.kind for m in self.members] == ["label", "text"]
        return beside or any([m.against is not None for m in self.members])


_AFTER_UPPER = re.compile(  # follows a bare capital in Chinese that is an option, not a person
    r"选?项|这[个一项两三四几些]|[二两三四五六]?[个项]|[是为]?(?:唯一)?[最更较]?为?(?:正确|合适|恰当|贴切|准确|符合|合理|靠谱|优|好(?:一?[些点]|(?![a-z一-鿿]))|对的|答案|可能(?![会在对])|不)|[才最]|也[是对正合符没不能可]|比[a-z](?![a-z])|不如|就[是行对]|以及"
    r"|解[析释]|无[疑误法]|能[推得]出|(?:矛盾|冲突)[,。;]|优于|莫属|啦|一票|排第|[之以]?外|的可能|是(?:主要|首要|根本|直接)的?原因|还是[(]?[a-z]|因为|由于|而[不非]|[错吧呢了啊呀哦啦都均皆较没未]|可以|被?排除|对(?![话他她你我a-z])"
    r"|[和或与跟、,/]\s?(?:选项)?[(]?[a-z甲乙丙丁戊己庚辛壬癸](?![a-z])(?!(?!正确|错误|符合|当选)[一-鿿](?<![均皆都也不选项以这]))"
)
_PERSON = re.compile(
    r"[ ]?(?:要(?!选)|想)(?![求素点])| 很(?!可能)|说(?!法|得[通过])|讲(?!得通)|[问答提表认觉喜回在们从去很]|的[朋妈爸同老家手]"
)
_POINT_AFTER = re.compile("的(?:[横纵]?坐标|斜率|方程|元素)")  # a point, a line, a set
_WORD_AFTER = "股罗级型座队组盘键屏版柱轴字罩杯咖货套餐"
_STATION = re.compile("[ ]?站(?![得不]住)")  # B 站, not B站得住脚
_WORD_BEFORE = "素户色级型语划小老甲"
_CUE_BEFORE = '看掉剩外猜断持意站有就概下投得然但如比选项题是为案择即于填成入和或与及非除不对到个答曰、,。;:!?)]】”"(\n ⋯…→—-=√×|/>'
# A line headed "ii" shows that statements are numbered in Roman numerals, so that "I" is no label.
_ROMAN = re.compile(r"^[ (*]*ii[ ]?[.:)]", re.MULTILINE)
_NOUN_BEFORE = re.compile(r"(?:[倾偏指]向|对应|正确|句子|观点|说法|[表陈叙]述|情形|序号|字母|方案|论点|行为|除了)\Z")
_OPERAND_BEFORE = re.compile(r"(?:[∩∪∈∉⊂⊆⊥∥∠△·^_]|\+(?<![:是为选] [a-z] \+))\s*(?:[a-z]\s)*\Z|(?:sin|cos|tan)\s*\Z")
# Behind a letter of a formula.
_OPERAND = re.compile(r"(?:\s[a-z])*\s*(?:[∩∪∈∉⊂⊆⊥∥·^_]|=\s*[a-z{(\[+-]|[≤≥]\s*[\dk-z])")
_OPERATORS, _OPERATED = " =≤≥∩∪∈∉⊂⊆⊥∥·^_", " ∩∪∈∉⊂⊆⊥∥∠△+·^_ns"
_NAME, _WITHIN = re.compile("-[A-Z][a-z]"), re.compile(r"(?:[a-z,.][ ]|[ ][(]|[-–—][ ])\Z")  # A-Wu, within a line
_ENGLISH_BEFORE = ("speaker ", "user ", "person ")
_NAMED_BEFORE = re.compile(
    r"(?:option|choice|answer|letter|label|item|select|choose|pick|go with)(?:s|ing)? ?[(:]? ?$|[a-z]{4}=$"
)
_VERDICT_AFTER = re.compile(
    r" (?:(?:is|was|seems|are|(?:would|must|should) be)(?: [a-z]+){0,2}? (?:correct|right|best|better|answer|most|wrong|incorrect|choice|true|false|ruled|fit|likely|probable"
    r"|suitable|plausible|possible|reasonable|mentioned|supported|selected|chosen)|(?:could|might|may|can) (?:both|also|be)\b|(?:could|would|might|may|can|does)(?: not|n't| also| both)? (?:explain|fit|match|work|follow|contradict)\b|(?:explain|follow|contradict)s|(?:through|to|and|or|nor) (?:[a-z]\b|\d)|it is|because|since|but not|not|rather|fits|matches)"
)
_UNIT_AFTER = re.compile(
    r"[ ]?(?:[个人句部场米年月日点次名岁天位元块分秒度届集季周件种条只张本篇段步层楼例万亿倍kg]|号(?!选项|答案|项)|[.:比]\d(?!\.\d))"
    r"|[ ](?:options|choices|answers|statements|of)\b"
)
_COUNTED_ON = re.compile(r"(?:[、,和][ ]?\d)+[ ]?[个项]")  # behind a number: 第1、3、5项
_WORDS_AFTER = re.compile(r"[一-鿿㐀-䶿]|[ ][a-z]{2}")
_NOT_SPOKEN = re.compile(
    r"[ ]?(?:★|因为|由于|理由|正确|错误|对(?=[,。;\n]|$)|不[对符正合]|(?:不[能可]|无法|能够?|可以?)(?:[推得看]出|推[断知]|得知|判断)|推断?不出|不?属实|不?(?:矛盾|冲突)|合[适理]|[√×\d高中低]|符合|可能|because|correct|wrong|(?:yes|no|true|false|[是否])[ ]?[.,。]?(?:\n|$))"
)
# Turns of a dialogue: A, B, A again. It is asked of every letter, and a long text is searched once.
turns = lru_cache(maxsize=1)(re.compile(r"(?m)^[ ]*([a-z]):.*\n+[ ]*(?!\1)[a-z]:.*\n+[ ]*\1:").search)
_IS = re.compile(r" (?:is|are|isn't|aren't|does|doesn't|appl(?:ies|y)|holds)\b")
_WORD_NEXT = re.compile(" [a-z]{2}")
_COUNTED_NEXT = re.compile(r" \d+(?:-\d+)?[- ][a-z]")  # a 3-year policy, a 14-16 gauge needle
_ALONE = re.compile(r" ?(?:[.,;:!?)\n]|$)| (?:through|to) [a-z]\b")
_STEP_BEFORE = re.compile(r"(?:短语|步骤|phrase|step|question|例题?|问题|part|round)[ :]?$")


def _bare_number(low: str, start: int, end: int) -> bool:
    """Whether a digit without brackets is a label, judged by its neighbours (rule 9)."""
    stuck = HAN.match(low[start - 1 : start]) and low[start - 1] not in _CUE_BEFORE + "上"
    stuck = stuck and not (low[start - 1] == "第" and _COUNTED_ON.match(low, end))
    return not (stuck or _UNIT_AFTER.match(low, end) or _STEP_BEFORE.search(low, max(start - 14, 0), start))


def _bare_letter(low: str, text: str, start: int, end: int, spoken: bool) -> bool:
    """Whether a letter or stem without brackets is a label, judged by its neighbours (rule 9)."""
    left, right, letter = text[start - 1 : start], text[end : end + 1], text[start]
    before, after = low[max(start - 14, 0) : start], low[end : end + 40]
    if (right and right in _OPERATORS and _OPERAND.match(after)) or (
        left and left in _OPERATED and _OPERAND_BEFORE.search(before)
    ):
        return False
    # A座, 甲骨文: part of a word unless its neighbours are a label's
    wordlike = letter.isupper() or letter >= "一"
    if (low[start] in "abxy" and _PERSON.match(after)) or ("站" in after[:2] and _STATION.match(after)):
        return False
    if HAN.match(right) and (
        right in _WORD_AFTER
        or (wordlike and _POINT_AFTER.match(after))
        or (wordlike and spoken and left != "选" and not _AFTER_UPPER.match(after))
    ):
        return False
    if letter == "I" and _ROMAN.search(low):
        return False
    if (left in _WORD_BEFORE or (wordlike and left not in _CUE_BEFORE)) and HAN.match(left):
        named = _NOUN_BEFORE.search(before) or (
            left in "么则实先次前后中过" and (after[:1] in ".,、" or _AFTER_UPPER.match(after))
        )
        # 所以B。, 因此B、C选项…
        ends_or_lists = after.lstrip(" ")[:1] in ("", ".", "。", ";", "\n") or (
            after[:1] in "、和与" and _AFTER_UPPER.match(after)
        )
        concluded = left in "此以故" and ends_or_lists
        return bool(named or concluded) or (not spoken and (left in "此以故了的把将则才均只么" or after[:1] == ":"))
    if before.endswith(_ENGLISH_BEFORE) or (_NAME.match(text, end) and _WITHIN.search(before)):
        return bool(_NAMED_BEFORE.search(before) or _NAMED_ANSWER.search(before))
    worded = right == " " and (_WORD_NEXT.match(after) or (low[start] == "a" and _COUNTED_NEXT.match(after)))
    if worded or right in ("'", "’"):
        person = letter.isupper() or letter in "ai"  # a person, an article or a pronoun
        person = person and (spoken or letter in "ai" or not _IS.match(after))
        return not person or bool(_NAMED_BEFORE.search(before) or _VERDICT_AFTER.match(after))
    article = (
        low[start] == "a" and not _NAMED_BEFORE.search(before) and before[-1:] == " " and "a" <= before[-2:-1] <= "z"
    )
    return not article or _ALONE.match(after) is not None


def _speaks(low: str, text: str, start: int, end: int, option: str) -> bool:
    """Whether a capital with a colon marks a speaker: at the start of a line or after a full stop (rule 9)."""
    if not text[start].isupper() or not text[end : end + 2].lstrip(" ").startswith(":"):
        return False
    head = low[max(start - 2, 0) : start]
    if head.strip(' "“「*-') and not re.search(r"[\n。!?~.\ue000][ ]?$", head):
        return False
    after = low.index(":", end) + 1
    own = option and bare(low[after : after + len(option) + 8]).startswith(option)
    return not (own or (_NOT_SPOKEN.match(low, after) and not turns(low)))


# Stands before a small letter that is a label, although the labels are capitals.
_CHOSEN = re.compile(
    r"(?:^|\n|[选填项:是为>]|answer|option|choice|(?<![a-z])is)[ ]?(?:[a-p][ ]?(?:[,、/&]|and)[ ]?){0,9}\Z"
)
_LINE_END = re.compile(f"[\n{TURN}]")
_BEGINS_TEXT = re.compile(r"[ ]?[-.、:,)\]】]{0,2}[ ]{0,2}[^\w\s√×]{0,3}")
# A slip: how many characters are skipped in the reply and in the option's text.
_SHIFTS = ((1, 1), (0, 1), (1, 0), (2, 2), (0, 2), (2, 0), (3, 3), (0, 3), (3, 0))
_RESUMES = 3  # characters that are alike again behind a slip


def alike(said: str, text: str) -> int:
    """Count the characters of `said` that repeat the beginning of an option's text, with few slips; both are keys.

    >>> alike("对无效行政行为任何人都可提起诉讼因为", "对无效行政行为任何人可以提起诉讼")
    16
    """
    if said.startswith(text):
        return len(text)
    at = i = slips = 0
    while at < len(said) and i < len(text):
        if said[at] == text[i]:
            at, i = at + 1, i + 1
            continue
        slips += 1
        if at < 2 or slips > 1 + len(text) // 8:
            break
        ahead = said[at : at + 6]
        for a, b in _SHIFTS:
            if len(same := ahead[a : a + _RESUMES]) == _RESUMES and text.startswith(same, i + b):
                at, i = at + a, i + b
                break
        else:
            break
    return at


def _own_text(low: str, end: int, option: int, options: OptionKeys) -> tuple[int, int | None]:
    """(end, other): the end of the option's own text behind its label, which may be cut off or have slips; and another option
    whose text begins there instead, or None (rule 16; `_merge` handles whole texts)."""
    text = options.keys[option]
    begin = _BEGINS_TEXT.match(low, end).end()  # type: ignore[union-attr]  # it matches nothing as well
    first = low[begin : begin + 1]
    if begin == end or first in "√×" or (first.isalnum() and first not in options.initials):
        return end, None  # nothing that a text begins with
    line = _LINE_END.split(low[begin : begin + 2 * options.longest], maxsplit=1)[0]
    said = bare(line)
    if said[:1] not in options.initials:
        return end, None
    count = alike(said, text)
    exact = max([len(k) for n, k in enumerate(options.keys) if n != option and said.startswith(k)], default=0)
    if count > exact and (
        count > 3 or (count == len(said) < len(text) and said not in (*options.labels, "no", "yes"))
    ):  # the text may have been cut off
        rest = len(said) - count
        # The rest of the line differs from the text.
        judged = (at := said.find(options.labels[option], count)) > 0 and not said[at + 1 : at + 2].isascii()
        judged = judged or _JUDGES.search(said, count) is not None  # A正确; 不成立
        slips = count < len(text) and rest <= _SLIPS and 2 * count > len(text) and not judged
        return begin + alnum(line)[-1 if slips else count - 1] + 1, None
    if count > 1 and is_slip(clause := bare(_CLAUSE.split(line)[0]), text):
        return begin + alnum(line)[len(clause) - 1] + 1, None
    others = [n for n, k in enumerate(options.keys) if len(k) > _BEGUN and k[:_BEGUN] == said[:_BEGUN]]
    # The option's own text begins, perhaps behind a subject.
    own = count > 1 or text[:_BEGUN] in said[: 3 * _BEGUN]
    return end, others[0] if not own and len(others) == 1 and exact == 0 else None


_CLAUSE = re.compile("[,、;。(]")
_JUDGES = re.compile(r"(?:正确|错误|成立|符合)\Z")
_SLIPS = 6  # most characters at the end of a line that may differ from the option's text
_TEXT = 4  # a letter is a label, whatever stands beside it, if more characters of its option's text follow
_BEGUN = 6  # a label and the text behind it disagree if this many characters begin another option's text


def heads(low: str, options: OptionKeys) -> bool:
    """Whether a letter with a colon at the head of a line is a label: its option's text follows, and nobody speaks."""
    found = ((options.labelled(head["core"]), head.end("core")) for head in _HEAD.finditer(low))
    return any(option >= 0 and _own_text(low, end, option, options)[0] > end + 2 for option, end in found)


_HEAD = re.compile(r"^[ ]*(?P<core>[a-z])[ ]?:", re.MULTILINE)


def _labels(low: str, text: str, options: OptionKeys, spoken: bool) -> Iterator[Mention]:
    """Labels in all forms: (a), 「a」, a), a., bare; also labels outside the list."""
    for match in ends(options.label.finditer(low), LIMIT) if options.labels else ():
        start, stop = match.span("core")
        option = options.labelled(match["core"])
        end, shut = match.end(), match["shut"]
        if shut in ("'", "’") and low[end : end + 1].isalpha():
            continue  # I'll
        if option < 0 and ((options.capital and text[start].islower()) or low.startswith("(", end)):
            continue  # part of a formula: v = G(m)
        opened = _OPENED.search(low, max(start - 3, 0), start) if shut else None
        if opened and options.digits and _CITED.search(low, max(start - 4, 0), start):
            continue
        if shut and (opened or shut.strip() in ")]】"):
            stop, other = _own_text(low, end, option, options) if option >= 0 else (end, None)
            yield Mention(opened.start() if opened else start, stop, option, "label", other)
        elif not (_bare_number(low, start, stop) if options.digits else _bare_letter(low, text, start, stop, spoken)):
            named = option >= 0 and text[start].isupper()
            if named and (end := _own_text(low, stop, option, options)[0]) > stop + _TEXT:
                yield Mention(start, end, option, "label")  # therefore D Tourists
        elif options.capital and text[start].islower() and not _CHOSEN.search(low, max(start - 40, 0), start):
            continue  # a variable or a unit: x, g
        elif option < 0:
            if (
                text[start - 1 : start] in _CUE_BEFORE
                and not _WORDS_AFTER.match(low, end)
                and not (spoken and _speaks(low, text, start, stop, ""))
            ):
                yield Mention(start, stop, option, "label")
        elif not (spoken and _speaks(low, text, start, stop, options.keys[option])):
            end, other = _own_text(low, stop, option, options)
            yield Mention(start, end, option, "label", other)


_CITED = re.compile(
    rf"(?:[\d\]][ ]?|[一-鿿](?<![{re.escape(_CUE_BEFORE)}]))\[\Z"
)  # before a citation mark: 1957年通车[2]


_COUNTED = """一 1 1st first one/二 2 2nd second two/三 3 3rd third three/四 4 4th fourth four/五 5 5th fifth five/六 6 6th sixth six
七 7 7th seventh seven/八 8 8th eighth eight/九 9/十 10/十一 11/十二 12/十三 13/十四 14/十五 15"""
_NUMBERS = {word: n for n, words in enumerate(re.split("[/\n]", _COUNTED), 1) for word in words.split()}
_ORDINAL = "|".join(word for word in _NUMBERS if word[-2:] in ("st", "nd", "rd", "th"))
_THING = "(?:option|choice|one|answer|candidate|item|statement)s?\\b"
_HEADS = {  # option texts that are also ordinary words: what stands before and behind the ordinary word
    "原因": re.compile(r"(?<=什么)|(?<=的主要)|原因[ ]?(?::(?!\s*$)|是因为|是由于|在于|如下|有[:二三])"),
    "比较": re.compile(r"(?<=[过相做个行来以我也都])|比较(?!关系|领域|类|[是更最也都吧的])[一-鿿]"),
}
# Each alternative of Chinese begins with a character, so that `re` passes quickly over those that begin none.
_CHINESE_PLACES = re.compile(
    r"第(?<![条款]第)[ ]?(?P<nth>十[一二三四五]|1[0-5]|[一二三四五六七八九十1-9])[ ]?"
    r"(?:[个种条]?(?:选项|候选|答案|领域|关系)|个选择|项|[个种条](?=[是更最才吧应有,。;!?也和或与、比符对不\n\ue000-\ue002]|$)|(?<=一)个(?!短语|句|人)|(?=[、和与]第[一二三四五六七八九十1-9]))"
    r"|首(?:项|个选项)(?P<first>)|头(?P<one>一)个"
    r"|最后面?的?[那这]?一?[个项种](?:选项|答案)?(?P<last>)|末尾?项(?P<end>)"
    r"|中间的?[那这]?一?(?:[个项](?:选项)?|选项)(?P<middle>)"
    r"|选项[ ]?(?P<named>十[一二三四五]|[一二三四五六七八九十](?![一-鿿](?<![是为更最才也不正符对])))"
    r"|前(?:者|一[种个项]|面[那这一]个)(?P<former>)|后(?:者|一[种个项]|面[那这一]个)(?P<latter>)"
)
_ENGLISH_PLACES = re.compile(
    rf"\b(?:the[ ](?:very[ ])?)?(?P<nth>(?:{_ORDINAL}|last|middle)(?=[ ]{_THING}|[ ]?(?:,|and|&)[^.,]{{0,12}}[ ]{_THING}))(?:[ ]{_THING})?"
    r"|\b(?:option|choice|number)[ ](?:number[ ])?(?P<named>one|two|three|four|five|six|seven|eight)\b|\b(?:former(?P<former>)|latter(?P<latter>))\b"
)
# Each English place holds one of these.
_ENGLISH = re.compile(rf"{_ORDINAL}|last|middle|former|latter|option |choice |number ")


def _positions(low: str, options: OptionKeys) -> Iterator[Mention]:
    """Every option named by position: 第二项, 选项四, 倒数第二个, 中间那个, the last one (rule 2)."""
    english = _ENGLISH_PLACES.finditer(low) if _ENGLISH.search(low) else ()
    found = ends((*_CHINESE_PLACES.finditer(low), *english), LIMIT)
    if not found:
        return
    count = len(options.keys)
    places = {"last": count, "end": count, "former": FORMER + 1, "latter": LATTER + 1} | _NUMBERS
    places["middle"] = (count + 1) // 2 if count % 2 else 0
    for match in found:
        start, end = match.span()
        place = places[match[str(match.lastgroup)] or str(match.lastgroup)]
        if low.startswith("倒数", max(start - 2, 0)):
            start, place = start - 2, max(count + 1 - place, 0)
        yield Mention(start, end, -1 if place == 0 or place > count else place - 1, "place")


def _ordinary(low: str, start: int, end: int, word: str) -> bool:
    """Whether an option's text is used here as an ordinary word, which names no option: a verb (rule 10), or 原因 in 原因如下."""
    if word in ("yes", "no"):  # no lives can be saved; no yes-or-no answer
        hyphened = low.startswith("-or-", end) or low.endswith("-or-", 0, start)
        return hyphened or (word == "no" and _DETERMINES.match(low, end) is not None)
    if len(word) == 1 or word == "是一个":  # stands between punctuation, or after a verb that takes an answer
        after, before = low[end : end + 1], low[max(start - 1, 0) : start]
        if after and after not in ",、。.;!?~…(\n)]】」』”\"'’》 \ue000\ue002}":
            return True
        return before.isalnum() and (before not in "是选为填择项" or (word == "是" and before == "项"))
    return word in _HEADS and _HEADS[word].match(low, start) is not None


# The words of a whole reply; several steps ask for them.
words_of = lru_cache(maxsize=1)(bare)


def alnum(low: str) -> list[int]:
    """The positions in a text of the characters that `bare(low)` keeps."""
    return list(compress(range(len(low)), map(str.isalnum, low)))


_DETERMINES = re.compile(r" (?!because|since|as |for )[a-z]")
_INSIDE = re.compile("(?<=[a-z0-9])(?=[a-z0-9])")  # inside a word or a number
_SCRIPT = re.compile(r"[a-z0-9)][_^]\Z")  # before an index or exponent: x_1


def _starts(text: str, said: str) -> Iterator[int]:
    at = said.find(text)
    while at >= 0:
        yield at
        at = said.find(text, at + 1)


def _signed(text: str) -> str:
    """A formula without blanks; √2 as strip leaves \\sqrt{2}."""
    return _ROOT.sub(r"{\1}", "".join(text.split()))


_ROOT = re.compile(r"√(\w+)")
_BOX = re.compile(rf"{BOX_OPEN}([^{BOX_OPEN}{BOX_CLOSE}\n]{{1,80}}){BOX_CLOSE}")
_EQUATES = re.compile(r"[a-z]=")  # z = 1 + i


def _boxes(low: str, formulas: Mapping[str, int]) -> Iterator[Mention]:
    """Boxes that hold an option's formula, signs included: -1-i is not 1-i."""
    for box in _BOX.finditer(low):
        text = _signed(box[1])
        option = formulas.get(text, formulas.get(_EQUATES.sub("", text, count=1)))
        if option is not None:
            yield Mention(*box.span(1), option, "text")


def _texts(low: str, options: OptionKeys) -> Iterator[Mention]:
    """Option texts in a reply, longest first, compared without punctuation and blanks."""
    if options.formulas and BOX_OPEN in low:
        yield from _boxes(low, options.formulas)
    said = words_of(low)
    found = [(at, -len(t), n) for t, n in options.by_text.items() if t in said for at in _starts(t, said)]
    for gap, n in options.templates:
        found += [(match.start(), -len(match.group()), n) for match in re.finditer(gap, said)]
    places, position = alnum(low) if found else [], 0
    numbered = "(1)" in low and "(2)" in low
    for at, size, option in ends(sorted(found), 2 * LIMIT):
        start, end, word = places[at], places[at - size - 1] + 1, said[at : at - size]
        if at < position:
            continue
        position = at - size
        if "\n" in low[start:end] or TURN in low[start:end]:
            continue
        inside: object = word[0].isascii() and _INSIDE.match(low, start)
        inside = inside or (word[-1].isascii() and _INSIDE.match(low, end))
        inside = inside or (word.isdigit() and _SCRIPT.search(low, max(start - 2, 0), start))
        # ① … ② … number statements
        inside = inside or (numbered and word.isdigit() and low[start - 1 : end + 1] == f"({word})")
        if not inside and not _ordinary(low, start, end, word):
            yield Mention(start, end, option, "text")


_SPOT = re.compile(r"[ :“\"「『【*(\ue001]{0,4}([^\n,。;:!?“”\"「」『』【】()\ue000-\ue002]{2,40})")
_BESIDE = re.compile(r"(?:^|[\n。,;:])([^\n。,;:、和与]{2,40})[、和与]\Z")
_EDGES = r" \"“”'‘’()\[\]【】「」『』《》:,、。.!?*\-—…~\ue001\ue002\n\ue000"
_FIELD = re.compile(r"[一-鿿]{2,6}[:→][ ]*([一-鿿]+)[。.]?\s*\Z")  # 地点: 机场
_LINE = re.compile(rf"[^{_EDGES}](?:[^\n\ue000]*[^{_EDGES}])?")


def with_near(
    groups: list[MentionGroup], low: str, spots: Sequence[int], quoted: Sequence[tuple[int, int]], options: OptionKeys
) -> list[MentionGroup]:
    """Add synonyms, and texts within a slip of an option, where an answer is due and no option is named (rules 2, 11).

    `spots`: the positions behind cue words."""
    places = [line.span() for line in _LINE.finditer(low)][:40]
    places += [(start + 1, end - 1) for start, end in quoted[:40]]
    for group in groups[:40]:  # Items of a list that an option's text ends: 行为能力、意思表示真实
        ends_list = low.endswith(("、", "和", "与"), 0, group.start) and group.members[0].kind == "text"
        if ends_list and (beside := _BESIDE.search(low, max(group.start - options.longest, 0), group.start)):
            places.append(beside.span(1))
    places += [field.span(1)] if (field := _FIELD.match(low)) else []
    places += [spot.span(1) for at in spots[:80] if (spot := _SPOT.match(low, at))]
    shut = [group.end for group in groups]
    found: list[MentionGroup] = []
    for start, end in dict.fromkeys(places):
        at = bisect_right(shut, start)  # the group that ends behind the start
        if 1 < end - start <= options.longest and (at == len(groups) or groups[at].start >= end):
            glossed = at < len(groups) and groups[at].start == end + 1 and low[end] == "("  # 欧洲联盟(欧盟)
            option = None if glossed else _near(low[start:end], options)
            if option is not None and not any(g.start < end and start < g.end for g in found):
                found.append(MentionGroup(start, end, (Mention(start, end, option, "text"),)))
    return sorted(groups + found, key=itemgetter(0)) if found else groups


_CUT_SHORT = 6  # the fewest characters of an option's beginning that name it with … behind them


def _near(text: str, options: OptionKeys) -> int | None:
    words, tails = bare(text), LEXICON["tails"]
    if len(words) >= _CUT_SHORT and text.endswith(("…", "...")):  # “行为人没有代理权…”
        begun = [n for n, option in enumerate(options.keys) if option.startswith(words)]
        return begun[0] if len(begun) == 1 else None
    if (option := options.near(words)) is not None or not words.endswith(tails):
        return option
    forms = [words[: -len(tail)] for tail in tails if words.endswith(tail)]
    return next((option for form in forms if (option := options.near(form)) is not None), None)


_JOIN = re.compile(r"[ ]?(?:[-.、:)=—|,][ ]?)?(?:是|为|即|也就是)?[ ]?[“\"'「『【(<《〈*\ue001\ue002]{0,2}[ ]?")
_SOFT = re.compile(r"[ ]?[\"”'’]?[ ]?(?:[-.、:)—|][ ]?|-{2,})?[“\"'「『【(<《〈]{0,2}[ ]?\n?")
_BOUNDARY = re.compile(r"[^\w(]|[吧了呢啊是为这因最才]|选项|正确|符合|$|\(")
_ENDS_LINE = re.compile(rf"[^\w\n]*(?:[\n{TURN}]|$)")
_SENTENCE = re.compile(r"[.。][ ]?[“\"「]")  # (b). "薯片" looks similar
_LABELLED = re.compile(r"[ ]?[(\[][a-p1-9甲乙丙丁戊][)\]]")  # 高血压(A)、糖尿病(B)
_LABEL_LAST = re.compile(r"[ ]?[”\"」』】]?[ ]?[(\[]?[ ]?(?:即|对应|也就是)?(?:选项|option)?[ ]?")


def _merge(last: Mention, mention: Mention, low: str) -> Mention | None:
    """A label and an adjoining text as one mention; `against` is the other's option where they differ (rules 16, 17)."""
    if mention.start < last.end or last.kind == mention.kind or "place" in (last.kind, mention.kind):
        return None
    gap, same = low[last.end : mention.start], last.option == mention.option
    if not same and (_SENTENCE.match(gap) or (last.kind == "label" and _LABELLED.match(low, mention.end))):
        return None
    joint = Mention(last.start, mention.end, last.option, "label", last.against)
    if last.kind == "text":
        marked = (low[mention.start] in "([【" or "(" in gap) and _LABEL_LAST.fullmatch(gap)
        return joint._replace(option=mention.option, against=None if same else last.option) if marked else None
    if not (_JOIN if same else _SOFT).fullmatch(gap):
        return None
    differs = not same and last.option >= 0 and _BOUNDARY.match(low, mention.end)
    if not same and "\n" in gap and not (differs and _ENDS_LINE.match(low, mention.end)):
        return None  # a sentence about another option
    return joint._replace(against=mention.option) if differs else joint


def _resolved(found: list[Mention], count: int) -> list[Mention]:
    """Resolve 前者 and 后者 to the last two options named, or where none is named to the only two; drop them if there are not two."""
    if all([mention.option >= -1 for mention in found]):
        return found
    pair = [0, 1] if count == 2 and all(mention.option in (FORMER, LATTER) for mention in found) else []
    resolved: list[Mention] = []
    for mention in found:
        if mention.option not in (FORMER, LATTER):
            resolved.append(mention)
            pair = [*[option for option in pair if option != mention.option], mention.option][-2:]
        elif len(pair) == 2:
            resolved.append(mention._replace(option=pair[0 if mention.option == FORMER else 1]))
    return resolved


def _answers(last: Mention, mention: Mention, low: str) -> bool:
    """Whether the last mention is no label but the head of an answer ("A: "), which names another option."""
    head = low[: mention.start].lstrip().rstrip('( "“')
    return last.option != mention.option and _ANSWERS.fullmatch(head) is not None


_ANSWERS = re.compile(r"a[ ]?:")


def names_any(text: str, low: str, options: OptionKeys) -> bool:
    """Whether a clean text names an option. It stops at the first, which costs far less than `mentions`."""
    return any(True for _ in chain(_labels(low, text, options, True), _texts(low, options), _positions(low, options)))


def names_label(text: str, low: str, options: OptionKeys) -> bool:
    """Whether a clean text names an option by its label."""
    return any(mention.option >= 0 for mention in _labels(low, text, options, True))


def mentions(text: str, low: str, options: OptionKeys, spoken: bool = True) -> list[Mention]:
    """Every option named in a clean text, in order, without overlaps. Texts hide labels inside them (CBA, C罗).

    `spoken`: a capital with a colon at the head of a line is a speaker, no label."""
    named = (*_labels(low, text, options, spoken), *_texts(low, options), *_positions(low, options))
    plain: list[Mention] = []
    for mention in sorted(named, key=lambda m: (m.start, -m.end)):
        if plain and not spoken and _answers(plain[-1], mention, low):
            plain[-1] = mention  # "A: (b)" answers "Q: …"
        elif plain and (joint := _merge(plain[-1], mention, low)):
            plain[-1] = joint
        elif not plain or mention.start >= plain[-1].end:
            plain.append(mention)
    resolved = _resolved(plain, len(options.keys))
    return [_asking(mention, low, options) for mention in resolved] if "?" in low else resolved


def _asking(mention: Mention, low: str, options: OptionKeys) -> Mention:
    """The mention with the question mark that ends its option's text: (b) "Shall we talk?" asks nothing."""
    whole = low.startswith("?", mention.end) and mention.end - mention.start > 3 and mention.option >= 0
    asks = whole and _ASKS.search(options.texts[mention.option])
    return mention._replace(end=mention.end + 1) if asks else mention


_ASKS = re.compile(r"[?？]\W*\Z")


_SPELLED = re.compile(  # alone on its line, or after a cue
    r"^[^\w\n]*(?P<line>[a-z]{2,30}|(?P<digit>\d)(?P=digit){1,29})[^\w\n]*$"
    r"|(?:选[:择]?|答案[是为:]{0,2}|answer(?: is|:)?)[ ]{0,2}(?P<cued>[a-z]{2,30})(?![a-z0-9])",
    re.MULTILINE,
)
_SIDE_BY_SIDE = re.compile("[a-z0-9][a-z0-9]")
_CAPITALS = re.compile(
    r"[A-P]{2,10}(?:(?<=[是为有选:(\"“\ue001][A-P]{2})|(?<=[是为有选:(\"“\ue001][A-P]{3})|(?<=[是为有选:(\"“\ue001][A-P]{4})|(?<=[是为选:] [A-P]{2})|(?<=[是为选:] [A-P]{3})|(?<=[是为选:] [A-P]{4}))(?=[ ]?[。.,;)\"”\n\ue002]|$)|[A-P]{3,10}(?=[ ]?(?:[。.,;)]|是|$))(?<![形体面锥柱段线弧△∠⊥-][A-P]{3})(?<![形体面锥柱段线弧△∠⊥-][A-P]{4})|[A-P]{2,10}(?=[ ]?(?:选?项|[两三四五][个者项]|均|都|皆|正确|错误|解析|解释|[当入落应不]选|[不]?(?:符合|切题|成立|合理|可[选取行])))"
)
_SEVERAL_PLACES = re.compile(r"(前|后)([两三四])(?:个?选项|项|条)")
_AND = re.compile(
    r"[\"”」』]?[ ]?(?:选?项)?[ \ue001\ue002]{0,2}(?:[、,/&+|;~-]{1,2}|与|跟|[,、.]?[ ]?(?:and(?: the)?|or|和|或者?是?|还是|以?及|还有|并且)|x|>{1,3}|≥|(?=[(\[\"'“「a-z0-9]))?"
    r"[ \ue001\ue002]{0,2}(?:选项|候选|option|\(\d\))?[ ]?[\"“「]?"
)
# As many further letters as a question has options at most: without a bound the time of a long list grows as its square.
_PREDICATE = re.compile(
    r"(?:[ ]?[、和与及,/][ ]?[(]?[a-z1-9](?![a-z0-9])[)]?){0,15}[”\"」』)]?[ ]?(?:选?项)?[ ]?(?:错误|正确|有误|[也更才则次不是为错就只最没显明可还似看较比符与]|一般|几乎|完全|根本|it is|is|seems|does)"
)
_JUDGED = re.compile(r"(?:[ ]?[、和与及][ ]?[(]?[a-z1-9](?![a-z0-9])[)]?){0,15}[ ]?选?项?[ ]?[均都皆]")
# The further letters of a list whose options are called wrong: 、C、D均不符合, ", B and D are incorrect".
_JUDGED_WRONG = re.compile(
    r"(?:[ ]?(?:[、和与及]|,?[ ]?(?:and|or)[ ]|,)[ ]?[(]?[a-z1-9](?![a-z0-9])[)]?){0,15}[ ]?选?项?[ ]?"
    r"(?:[均都皆][被可]?(?:[不无没未有错与非]|排除)|错误|(?:are|is|were)(?: all| both)? (?:not|in|un|im|wrong|false|ruled))"
)
_COMMA = re.compile("[,;]")
_RANGE = re.compile(r"[ ]?(?:[-~–至到]|to|through)[ ]?(?:选项|option)?[ ]?")


# Stands between listed words with labels in brackets behind them: patience (A), true intent (C).
_TAG = re.compile(
    r"(?:[ ]?[,、&]|,?[ ](?:and|or)(?= )|和|与|及|以及)"
    r"(?:(?![不没无错但而因]|(?<![a-z])(?:but|not|is|are|it|while|though|although|because|since|option)(?![a-z]))[^.,。;:!?()\[\]\n]){2,60}"
)
# Stands before the option that is chosen: 答案为选项A.
_NAMED_ANSWER = re.compile(r"(?:[是为选:]|答案|(?<![a-z])is)[ ]?(?:选项|option)?[ (\[“\"]{0,2}\Z")


def _joined(group: MentionGroup, mention: Mention, low: str, tags: bool) -> bool:
    """Whether what stands behind a group joins the next mention to it. A comma does if no predicate follows: not in
    相比a，b更贴切, nor, behind options that are joined without a comma or behind a choice, in 选a和d，b、c均无依据 and
    选a；b、c均不符. `tags`: listed words with labels in brackets behind them are joined, too."""
    first = group.members[-1]
    gap = low[first.end : mention.start]
    tagged = (
        tags
        and low[first.end - 1] == ")" == low[mention.end - 1]
        and low[max(first.start - 2, 0) : first.start].strip()[-1:].isalpha()
    )
    if tagged and _TAG.fullmatch(gap):
        return True  # patience (A), true intent (C)
    if not _AND.fullmatch(gap):
        return False
    if not ("," in gap or ";" in gap):
        return True
    said_of = ";" in gap and HAN.match(low, mention.end)  # A、C；B属于…
    if said_of or first.kind > mention.kind == "label" or _PREDICATE.match(low, mention.end):
        return False
    chosen = _NAMED_ANSWER.search(low, max(0, first.start - 12), first.start)
    if chosen and _JUDGED_WRONG.match(low, mention.end):
        return False
    judged = len(group.members) > 1 and _JUDGED.match(low, mention.end)
    return not judged or _COMMA.search(low, group.start, group.end) is not None


def grouped(found: Sequence[Mention], low: str, tags: bool = False) -> list[MentionGroup]:
    """Join mentions into groups. `tags`: also labels in brackets behind words that are listed."""
    groups: list[MentionGroup] = []
    for mention in found:
        last = groups[-1] if groups else None
        through = last and _RANGE.fullmatch(low, last.end, mention.start)
        if last is None or not (through or _joined(last, mention, low, tags)):
            groups.append(MentionGroup(mention.start, mention.end, (mention,)))
            continue
        first, between = last.members[-1], []
        if through and first.kind == mention.kind == "label" and first.option >= 0:
            between = [mention._replace(option=n) for n in range(first.option + 1, mention.option)]
        ranked = last.ranked or ">" in low[last.end : mention.start]
        groups[-1] = MentionGroup(last.start, mention.end, (*last.members, *between, mention), ranked)
    return groups


def spelled(groups: list[MentionGroup], text: str, low: str, options: OptionKeys) -> list[MentionGroup]:
    """Add lines of nothing but labels as groups: "bd", "bbbb" (rule 8); capitals that are judged together: ABC均正确; and 前两项."""
    side_by_side = _SIDE_BY_SIDE.search(low)
    places = [match.span(str(match.lastgroup)) for match in _SPELLED.finditer(low)] if side_by_side else []
    if options.capital and side_by_side:
        known = {place[0] for place in places}
        places += [match.span() for match in _CAPITALS.finditer(text) if match.start() not in known]
    found: list[MentionGroup] = []
    for match in _SEVERAL_PLACES.finditer(low) if "前" in low or "后" in low else ():
        size, every = "两三四".index(match[2]) + 2, range(len(options.keys))
        members = (Mention(*match.span(), n, "place") for n in (every[:size] if match[1] == "前" else every[-size:]))
        found.append(MentionGroup(*match.span(), tuple(members)))
    for start, end in places:
        word = low[start:end]
        again = word in (word + word)[1:-1]  # abcabc, bbbb
        named = word in options.labels or word in options.keys
        if named or not {*word} <= {*options.labels} or not (again or [*word] == sorted({*word})):
            continue
        letters = (Mention(start + n, start + n + 1, options.labels.index(c), "label") for n, c in enumerate(word))
        found.append(MentionGroup(start, end, tuple(letters)))
    return sorted(groups + found[:50], key=itemgetter(0)) if found else groups
