"""Groups of mentions that belong together: "a和c", "b > a" (rule 8)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evalsuite.parse.mention import Mention
from evalsuite.parse.tape import Group

_BOX = "[ \ue001\ue002]{0,2}"
_AND = re.compile(
    r"[\"”」』]?"
    + _BOX
    + r"(?:[、,/&+|;~-]{1,2}|和|或者?|与|跟|及|以及|还有|并且|and|or|以及选项|>{1,3}|≥|还是|[,.][ ]?(?:and"
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
