"""Lists of options that answer nothing: numbered answers to several questions, and lists that were cut off (rule 7)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evalsuite.parse.chars import bare
from evalsuite.parse.mentions import OptionKeys
from evalsuite.parse.rules import HEAD, LINE, NAME, NOT, Hit

# _ITEM_LINE and _ITEM_ANSWER match the tape before a hit, whose characters are tape.TOKENS.
_NUMBERED = re.compile(r"(?<![\w.])(\d{1,2})[ ]?[.、)][ ]{0,2}[(\[]?([a-z])(?![a-z])")  # 1. B 2. D 3. A
_ITEM_LINE = re.compile(r"[!/]b\Z")
_ITEM_ANSWER = re.compile(r"[!/^](?:b['_]?|')S:[\[(]*\Z")  # up to the label in a line such as 1. 答案：b
_GOES_ON = 4  # the fewest characters of the next option's text that show that a list goes on
_HEADS = frozenset("!/^.:b(")  # tokens before an item of a list
_ITEM = "选项"  # the word before a label, behind which a list may be cut off


def without_numbered(found: Sequence[Hit], low: str, several: bool) -> list[Hit]:
    """The hits, with labels behind numbers (1. B 2. D 3. A) only named: they answer several questions. Where several options
    may be right, such labels in the order of the options still choose."""
    if len(found) < 2:
        return [*found]
    if not several and len(found) > 2:
        lines = [hit for hit in found if hit.verdict == LINE and _ITEM_LINE.search(hit.before)]
        lines += [hit for hit in found if hit not in lines and _ITEM_ANSWER.search(hit.before)]
        if len(lines) > 2 and len({hit.options for hit in lines}) > 1:
            found = [hit._replace(verdict=NAME, rule="numbered") if hit in lines else hit for hit in found]
    if "1" not in low or "2" not in low:
        return [*found]
    places = {match.start(2): match for match in _NUMBERED.finditer(low)}
    items = [(n, hit) for n, hit in enumerate(found) if hit.start in places or hit.start + 1 in places]
    numbers = {places[hit.start if hit.start in places else hit.start + 1][1] for _, hit in items}
    answers = [hit.options for _, hit in items]
    in_order = several and answers == sorted(answers) and all(len(options) == 1 for options in answers)
    if not {"1", "2"} <= numbers or len({*answers}) < 2 or in_order:
        return [*found]
    numbered = {n for n, hit in items if hit.verdict in (LINE, HEAD) or hit.rule == "alone"}
    return [hit._replace(verdict=NAME, rule="numbered") if n in numbered else hit for n, hit in enumerate(found)]


def listing(found: Sequence[Hit], again: bool) -> bool:
    """Whether a reply lists the options from the first on, and was cut off in the list. `again`: it listed them before."""
    options = [option for hit in found for option in hit.options]
    in_order = all(hit.labelled for hit in found) and options == [*range(len(options))]
    return in_order and (len(options) > 1 or (len(found) == 1 and (again or found[0].end - found[0].start < 4)))


def cut_list(found: Sequence[Hit], low: str, end: int, options: OptionKeys) -> bool:
    """Whether a reply is nothing but a list of the options from the first on, cut off inside the second or a later one."""
    count = len(found)
    if not count or found[0].options != (0,):
        return False
    in_order = [hit.options for hit in found] == [(n,) for n in range(min(count, len(options.keys)))]
    judged = any(hit.explicit or hit.verdict == NOT or hit.before[-1:] not in _HEADS for hit in found)
    if not in_order or judged or not all(hit.labelled for hit in found[:-1]):
        return False
    last, said = found[-1], bare(low[found[-1].start : end]).removeprefix(_ITEM)
    own = options.labels[count - 1] + options.keys[count - 1]
    if count > 1 and own.startswith(said) and len(said) < len(own):
        return True
    behind = bare(low[last.end : end])
    whole = last.end - last.start > len(own) // 2
    following = options.keys[count] if whole and count < len(options.keys) else ""
    goes_on = len(behind) >= _GOES_ON and following.startswith(behind) and len(behind) < len(following)
    return goes_on or (last.labelled and said.endswith(_ITEM) and count < len(options.keys))
