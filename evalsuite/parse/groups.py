"""Groups of mentions that belong together ("a和c", "b > a"), and whether a group stands alone (rules 1, 8 and 17)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evalsuite.parse.chars import TURN, WORD
from evalsuite.parse.mention import Mention
from evalsuite.parse.segment import SPEAKER, Block


@dataclass(frozen=True, slots=True)
class Group:
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
    def conflict(self) -> bool:
        """Whether a label and the text beside it name different options (rule 16)."""
        return any(m.against is not None for m in self.members)

    @property
    def by_text(self) -> bool:
        """Whether a member names its option by text: texts, unlike labels, often just belong to the sentence."""
        return any(m.kind == "text" for m in self.members)


_BOX = "[ \ue001\ue002]{0,2}"
_AND = re.compile(
    r"[\"”」』]?"
    + _BOX
    + r"(?:[、,/&+|;~-]{1,2}|和|或者?|与|跟|及|以及|还有|并且|and|or|以及选项|>{1,3}|≥|还是|,[ ]?(?:and"
    r"|or)|,?[ ]?(?:或者?是?)|x"
    r"|(?=[(\[\"'“「a-z0-9]))?" + _BOX + r"(?:选项|option)?[ ]?[\"“「]?",
    re.IGNORECASE,
)
_APART = re.compile(r"(?:相比于?|比起|相较于|较之|除了|除|不同于|至于|虽然|尽管|than|except)[ ]?$")
_PREDICATE = re.compile(
    r"[”\"」』)]?[ ]?(?:也|更|才|则|不|是|为|错|就|最|没|显|明|可|还|似|看|较|比|一般|符|与|is|seems|does)"
)


def grouped(mentions: Sequence[Mention], low: str) -> list[Group]:
    """Join mentions into groups. A comma joins only if no predicate follows: not in 相比a，b更贴切."""
    groups: list[Group] = []
    for mention in mentions:
        if groups:
            last = groups[-1]
            gap = low[last.end : mention.start]
            if len(gap) <= 9 and "\n" not in gap and _AND.fullmatch(gap):
                apart = _APART.search(low, max(last.start - 6, 0), last.start) or _PREDICATE.match(low, mention.end)
                if not ("," in gap and apart):
                    groups[-1] = Group(last.start, mention.end, (*last.members, mention), last.ranked or ">" in gap)
                    continue
        groups.append(Group(mention.start, mention.end, (mention,)))
    return groups


_SHUT = r"\"”'’)\]】」』》}|*"
_TRAIL = re.compile(
    rf"[ ]?[{_SHUT}.,。:;!?、…~—\-√\ue001\ue002 ]*"
    r"(?:吧|的?关系|的?领域|类|号?的?选项|这个选项|这一项|哦|呢|啊|呀|了|项|才对|的|无疑|喔|嘛|哈)?"
    rf"[{_SHUT}.。!?…~√\ue002 ]*"
)
_LEAD = re.compile(
    r"[\s\"“'‘()\]{}\[【】「」『』《》*.,。:;!?、…~—\-•·>→=√|#\ue000\ue001\ue002\d]*"
    r"(?:the\b|选项|option|choice|嗯+|好的?|那么?|选择项)?[\s,:\"“'‘(\[【「『\ue001\-,]*",
    re.IGNORECASE,
)
_HAS_VERB = re.compile("[不没无未非是有说在看想要,。:;!?]")
_SAYS_MORE = re.compile(r"[,:。;?不没是有]|\b(?:is|not|and)\b")


def line_start(low: str, position: int, block: Block) -> int:
    """Where the line around a position begins."""
    return max(low.rfind("\n", block.start, position) + 1, low.rfind(TURN, block.start, position) + 1, block.start)


def _line_end(low: str, position: int, block: Block) -> int:
    end = low.find("\n", position, block.end)
    return end if end >= 0 else block.end


def after_trail(low: str, group: Group, block: Block) -> int:
    """Where the words that may follow an answer end: punctuation, 吧, 这个选项."""
    trail = _TRAIL.match(low, group.end, block.end)
    return trail.end() if trail else group.end


def standing(low: str, groups: Sequence[Group], block: Block) -> dict[int, str]:
    """Groups that stand alone, start -> how: as a "line", at the "head" of the block, as a "title" before a colon."""
    found: dict[int, str] = {}
    heads: list[Group] = []
    for group in groups:
        line = line_start(low, group.start, block)
        if _nearly_line(low, line, group, block):
            found[group.start] = "line"
            heads.append(group)
            continue
        lead = _LEAD.match(low, line, group.start)
        speaker = SPEAKER.match(low, line, group.start)
        if not ((lead and lead.end() == group.start) or (speaker and speaker.end() >= group.start - 1)):
            continue
        heads.append(group)
        kind = _stand(low, group, line, block, bool(speaker))
        if kind:
            found[group.start] = kind
    discussed = {group.options for group in heads if found.get(group.start) != "line"}
    if len(discussed) > 1:  # a discussion of each option in turn
        return {start: kind for start, kind in found.items() if kind == "line"}
    return found


_SECTION = re.compile(
    r"[ ]?[.、)]?[ ]*(?:最终|我的)?(?:答案|结论|结果|判断|回答|选择|总结|分析|排除|理解|解析)[^\n。,]{0,6}\n"
)


def _stand(low: str, group: Group, line: int, block: Block, spoken: bool) -> str:
    end = after_trail(low, group, block)
    if end >= block.end or low[end] in "\n\ue000":
        return "title" if low[group.end : end].rstrip().endswith(":") else "line"
    if spoken or WORD.search(low, block.start, line) or _SECTION.match(low, group.end):
        return ""
    after = low[group.end : group.end + 2].lstrip("\"”'’)】」』 ")[:1]
    if (
        (after and after in ".,。;!\n(—-√")
        or low[end] in ",;("
        or (end > group.end and low[end - 1] == " ")
        or _short(low, group, block)
    ):
        return "head"
    return "title" if after == ":" and not group.by_text else ""


def _short(low: str, group: Group, block: Block) -> bool:
    """Whether a label heads a short reply with other words: (a)威严 (rule 17)."""
    words = low[group.end : _line_end(low, group.end, block)]
    first = group.members[0]
    alone = len(group.members) == 1 and first.kind == "label" and first.sure
    return alone and len(words) <= 12 and not _SAYS_MORE.search(words.rstrip("。. "))


def _nearly_line(low: str, line: int, group: Group, block: Block) -> bool:
    """Whether a text fills its line but for one character (a slip, rule 2; not a negation), 因为, or a phrase in 的."""
    before = low[line : group.start].strip()
    if (
        group.members[0].kind != "text"
        or len(before) > 12
        or WORD.search(low, group.end, _line_end(low, group.end, block))
    ):
        return False
    if before in ("因为", "由于", "是因为"):
        return True
    if len(before) == 1:
        return before not in "不没无未非否是有第" and bool(WORD.match(before))
    return before.endswith("的") and not _HAS_VERB.search(before)


_ENDS = re.compile(
    r"[ ]?[\"”'’)\]】」』]{0,3}(?:的?(?:关系|领域|类型?|选项|范畴|方面|之一)|这[一个]?[种类项]?.{0,4}|吧|了|呢|啊"
    r"|的?(?=[,。.;!?\n\s)(:—]|$)|才)?[ ]?(?:[,。.;!?\n\s)(:—、\ue000-\ue002]|$|而|因)"
)


def ends_clause(low: str, group: Group, block: Block) -> bool:
    """Whether a text ends its clause: 是C罗的球迷 does not pick C罗. True for groups with a label."""
    return not all(m.kind == "text" for m in group.members) or _ENDS.match(low, group.end, block.end) is not None
