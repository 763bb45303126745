"""Stage 3, mentions: where a reply names an option by label, text or position (rules 2, 9, 10).

A mention is not yet a choice; `commit` reads the words around it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace

from evalsuite.parse.catalog import Catalog
from evalsuite.parse.chars import ends, lower, squeeze
from evalsuite.parse.labels import labels
from evalsuite.parse.mention import FORMER, HAN, LATTER, LIMIT, Mention
from evalsuite.parse.places import places

_HEADS = {  # option texts that are also ordinary words, and what follows the ordinary word
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
    """Whether a short word stands between punctuation, or after a verb that takes an answer (rule 10)."""
    after, before = low[end : end + 1], low[max(start - 1, 0) : start]
    if after and after not in ",。.;!?\n)]】」』”\"'’》 \ue000\ue002}":
        return False
    if low[start] == "是" and before in ("项", "案"):
        return False  # 正确的选项是: a copula without its answer
    return not before or not (HAN.match(before) or before.isalnum()) or before in "是选为填择项"


def texts(low: str, options: Catalog) -> list[Mention]:
    """Option texts in a reply, longest first, compared without punctuation and blanks."""
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
        words = low.count(" ", start, end)  # blanks are not compared, and a long English text has many
        if end - start - words > len(word) + 8 or "\n" in low[start:end] or "\ue000" in low[start:end]:
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


_JOIN = re.compile(r"[ ]?(?:[-.、:)=—|,][ ]?)?(?:是|为|即|也就是)?[ ]?[“\"'「『【(<《〈*\ue001\ue002]{0,2}[ ]?")
_SOFT = re.compile(r"[ ]?[\"”'’]?[ ]?(?:[-.、:)—|][ ]?|-{2,})?[“\"'「『【(<《〈]{0,2}[ ]?\n?")
_BOUNDARY = re.compile(r"[^\w(]|[吧了呢啊]|$|[是为]|选项|这|因|最|正确|符合|才|\(")


def _merged(found: list[Mention], low: str, text: str) -> list[Mention]:
    """Merge labels with adjoining texts; where the two differ, `against` is the option of the other (rules 16, 17)."""
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
    """Resolve 前者 and 后者 to the last two options named; drop them if there are not two."""
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
    """Every option named in a clean text, in order, without overlaps. Texts hide labels inside them (CBA, C罗)."""
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
    """The text with its mentions masked, so that no cue word spans their edges (原因而是 does not contain 因而)."""
    parts: list[str] = []
    position = 0
    for mention in found:
        parts.append(low[position : mention.start])
        parts.append("\ue003" * (mention.end - mention.start))
        position = mention.end
    return "".join((*parts, low[position:]))
