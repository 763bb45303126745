"""Options judged in turn, each by what is said behind it: A项…吻合；B项…不吻合. It is asked of the whole reply, as a person reads
it, since the verdict may stand anywhere before the next option."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_lowercase

from evalsuite.parse.chars import key
from evalsuite.parse.question import QuestionText
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
    in_turn = _in_turn(tape, count, spared)
    return _judged(tape.tokens, *in_turn) if in_turn else None


def _in_turn(tape: Tape, count: int, spared: int) -> tuple[list[OptionsAt], list[int]] | None:
    """The items of a list of all options but `spared`, and where other options are named behind each; None if there is none."""
    if len(tape.groups) < 2 or len({o for group in tape.groups.values() for o in group.options}) < count - spared:
        return None
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
                return items, ends
    return None


# The two values of a verdict, the right one first; and words before a value that make the other one of it: 可行, 不可行.
_OPPOSITES = (
    *(("是", "否"), ("真", "假"), ("对", "错"), ("t", "f")),
    *(("yes", "no"), ("true", "false"), ("√", "×"), ("correct", "wrong")),
)
_NEGATIONS = ("不", "非", "没", "not ", "un", "in")
_EITHER = frozenset(("是", "yes", "√"))  # the option is true, or it is chosen
_CLAUSE = re.compile(r"[a-z][a-z '’]*(?<! )|[^\W\da-z_]+|[√×]")  # between Chinese words a blank ends one
_LETTERED = re.compile(r"^[ ]*(?:[-*•][ ]*)?[(\[]?([a-j])(?![a-z0-9])", re.MULTILINE)  # a letter heads a line
_BULLETS = re.compile(r"^[ ]*(?:[-*•·●]|\d{1,2}[.、)])[ ]*(.+)", re.MULTILINE)


def judged_by_two_values(tape: Tape, low: str, count: int, question: QuestionText) -> dict[int, bool] | None:
    """Option -> whether it is right, if of two opposite values each option has one, as a clause of its own: 👉可行, 👉不可行. Without
    names, the options are the items of a list in their order; options that head a table's columns have the cells of a row."""
    start, end = tape.spans[0][0], tape.spans[-1][1]
    every: list[tuple[int, ...]] = [(n,) for n in range(count)]
    heading = [group for group in tape.groups.values() if group.options == (*range(count),)]
    heading = [group for group in heading if "|" in low[group.start : group.end]]
    rows = low[heading[-1].end : end].split("\n") if heading else []
    forms = [[*zip(every, row.strip("| ").split("|")[1:], strict=False)] for row in rows if row.count("|") > count]
    heads = [*_LETTERED.finditer(low, start, end)]
    if heads and "".join(head[1] for head in heads) == ascii_lowercase[:count]:
        stops = [*(head.start() for head in heads[1:]), end]
        forms.append([(n, low[h.end() : stop]) for n, h, stop in zip(every, heads, stops, strict=True)])
    if in_turn := _in_turn(tape, count, 0):
        spans = (*tape.spans, (end, end))
        forms.append([(of, low[spans[at][1] : spans[stop][0]]) for (at, of), stop in zip(*in_turn, strict=True)])
    if len(lines := _BULLETS.findall(low, start, end)) == count:
        forms.append([*zip(every, lines, strict=True)])
    for said in forms:
        right = opposed([frozenset(_CLAUSE.findall(text)) for _, text in said], question)
        judged = {n: value for (options, _), value in zip(said, right, strict=False) for n in options}
        if len(judged) == count and right:
            return judged
    return None


def opposed(said: Sequence[frozenset[str]], question: QuestionText) -> list[bool]:
    """For each option whether its value is the right one; empty unless each has exactly one of two opposite values."""
    every = frozenset[str]().union(*said)
    pairs = [(right, wrong) for right, wrong in _OPPOSITES if {right, wrong} <= every]
    pairs += [(word, form) for word in every for head in _NEGATIONS if (form := head + word) in every]
    found = [pair for pair in pairs if all((pair[0] in words) != (pair[1] in words) for words in said)]
    if len(found) != 1 or (question.wrong and found[0][0] in _EITHER):
        return []
    right, wrong = found[0]
    return [(right in words) != (question.wrong or wrong in question.asking) for words in said]


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
        if not found and not (denied and (said.lstrip("a")[:1] == "=" or _DENIES.match(said))):
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
        if opens or (not first and head.strip("b!/^")):
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
    return judged if {*judged} == {*range(count)} and len({*judged.values()}) == 2 else None


_TAG = re.compile(r"<[^<>]*>")
_CLASS = re.compile(r"<[^<>]*\bclass=[\"']?([\w-]+)")
_STRUCK = re.compile(r"\W*(?:~~|<(?:del|s|strike)>)")
_BOLD = re.compile(r"\W*(?:\*\*|<b>|<strong>)")
_SAYS_BOLD = re.compile(r"加粗|粗体|in bold")


def typeset(output: str, keys: Sequence[str], question: QuestionText) -> tuple[int, ...]:
    """The options that a raw reply marks by its type where it lists all, each on one line: those not struck through, those in
    bold if it says what bold means, those of the right one of two classes. Empty if it does not."""
    lines: dict[int, str] = {}
    for line in output.splitlines() if "~~" in output or "<" in output or "**" in output else ():
        said = key(_TAG.sub("", line))
        found = [n for n, text in enumerate(keys) if len(text) > 1 and text in said]
        if len(found) == 1 and lines.setdefault(found[0], line) != line:
            return ()  # named again
    if len(lines) != len(keys):
        return ()
    listed = [lines[n] for n in range(len(keys))]
    kept = [not _STRUCK.match(line) for line in listed]
    bold = [_BOLD.match(line) is not None for line in listed] if _SAYS_BOLD.search(output) else []
    classes = opposed([frozenset(_CLASS.findall(line.lower())) for line in listed], question)
    return next((tuple(n for n, mark in enumerate(m) if mark) for m in (kept, bold, classes) if len({*m}) == 2), ())
