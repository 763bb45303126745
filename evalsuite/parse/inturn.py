"""Options judged in turn, each by what is said behind it: A项…吻合；B项…不吻合. It is asked of the whole reply, as a person reads
it, since the verdict may stand anywhere before the next option."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evalsuite.parse.tape import Tape

OptionsAt = tuple[int, tuple[int, ...]]  # the index of a token on the tape, and the options that it stands for

# Patterns over the tokens of a tape (tape.TOKENS).
_HEADS = re.compile(r"(?:[!/^.,|(\])\]]|[!./,]['_~])b?[(|]*\Z")  # an option behind it heads an item
_CALLED = re.compile(r"[-+wCxY]['_=:\[(]*\Z")  # verdicts stand before the options, not behind them
_MARK = re.compile(r"[.,/:^|]")
_ASKED = re.compile(r"[^.,/:^|?]*\?")  # says nothing yet: 可以吗?
_END = r"(?=[.,/|)^]|$)"
# The words of a verdict: 不符合, 排除:是, 不选; 符合, 不能排除, 排除:否.
_VERDICT = re.compile(
    rf"(?P<wrong>[-x]['_]?:['_]?[=Y]{_END}|[NXn]['_]?[+wyCMTQ]|X['_]?S|[-xzZ]|\AK|[NXn]{_END})"
    rf"|(?P<right>[-x]['_]?:['_]?Z|[NXn]['_]?[-x]|[+wY]|C|y{_END}|(?<=[:|])={_END})"
)
_AT_ONCE = re.compile(r"p?[=.:(|,'_]{0,3}")  # between an option and the verdict that it begins with
_DENIES = re.compile(r"=?[NXn]")  # B不是, beside A是法定条件


def judged_in_turn(tape: Tape, count: int, spared: int = 0) -> dict[int, bool] | None:
    """Option -> whether it is called right, if each option is judged before the next is named; None otherwise. `spared`: so many
    options may be left out."""
    named = [(at, group) for at, group in sorted(tape.groups.items()) if tape.tokens[at] != "m"]
    for kinds in ("MG", "MGTW", "MGTWQ"):
        groups = [(at, group) for at, group in named if tape.tokens[at] in kinds]
        heads = [(at, group) for at, group in groups if _HEADS.search(tape.tokens, max(at - 4, 0), at)]
        for chosen in (heads, groups):
            items: list[OptionsAt] = []
            left = {*range(count)}
            for at, group in chosen:
                if group.conflict:
                    return None
                if {*group.options} <= left:
                    items.append((at, group.options))
                    left -= {*group.options}
                elif left and not (items and items[-1][1] == group.options):
                    break  # named again before all are judged
            if len(left) <= spared and len(items) > 1:
                ends = [
                    next((n for n, group in groups if n > at and group.options != options), len(tape.tokens))
                    for at, options in items
                ]
                return _judged(tape.tokens, items, ends)
    return None


def _judged(tokens: str, items: Sequence[OptionsAt], ends: Sequence[int]) -> dict[int, bool] | None:
    """The verdict on each item; None if one has none, or two that differ. `ends`: where other options are named behind them."""
    if _CALLED.search(tokens, 0, items[0][0]):
        return None
    spoken: list[tuple[tuple[int, ...], str]] = []
    for (at, options), stop in zip(items, ends, strict=True):
        said = tokens[at + 1 : stop]
        marks = [mark.end() for mark in _MARK.finditer(said)] if stop < len(tokens) else []
        said = _ASKED.sub("", said[: marks[-1]] if marks else said)  # behind the last mark begins the next item
        if stop == ends[-1] and (paragraph := said.find("//", 1)) > 0 and _VERDICT.search(said[:paragraph]):
            said = said[:paragraph]
        spoken.append((options, said))
    judged: dict[int, bool] = {}
    denied = any([_DENIES.match(said) for _, said in spoken])
    for options, said in spoken:
        found = [*_VERDICT.finditer(said)]
        if not found and not (denied and (said[:1] == "=" or _DENIES.match(said))):
            return None
        if found and _AT_ONCE.fullmatch(said, 0, found[0].start()) and found[0].lastgroup != found[-1].lastgroup:
            return None
        right = found[-1].lastgroup == "right" if found else not _DENIES.match(said)
        judged |= dict.fromkeys(options, right)
    return judged


_PIECE = re.compile(r"[^./^]*[./^]?")
_NAMES = re.compile(r"[MTQGW]")
_OPENS = re.compile(r"[:=|]['_]?[:b(]*\^?\Z")
_TITLE = re.compile(r"[!/]*b?['_NX]*[-+wCS]['_spS]*:?[/^]")  # 正确选项 on a line of its own
_LISTED = re.compile(r"[:,(=b|)]\Z")


def sorted_by_verdict(tape: Tape, count: int) -> dict[int, bool] | None:
    """Option -> whether it is called right, if all options stand behind words that call them right or wrong: 可选的有:… 不可选的有:…;
    None otherwise."""
    judged: dict[int, bool] = {}
    right: bool | None = None  # the verdict of the heading above
    for piece in _PIECE.finditer(tape.tokens):
        first = _NAMES.search(piece[0])
        head = piece[0][: first.start()] if first else piece[0]
        opens = _OPENS.search(head) is not None or (not first and _TITLE.fullmatch(head) is not None)
        if opens or (not first and head.strip("b!/")):
            said = [*_VERDICT.finditer(head)]
            right = said[-1].lastgroup == "right" if opens and said else True if opens and "S" in head else None
        if right is None or not first:
            continue
        for name in _NAMES.finditer(piece[0]):
            if (name.start() > first.start() and not opens) or not _LISTED.search(piece[0][: name.start()] or "b"):
                continue
            for option in tape.groups[piece.start() + name.start()].options:
                if judged.setdefault(option, right) != right:
                    return None
        if opens and piece[0][-1:] == ".":
            right = None  # it spoke of its sentence alone
    return judged if len(judged) == count and len({*judged.values()}) == 2 else None
