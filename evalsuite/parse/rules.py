"""The table of rules for choices: what stands before and behind a mention on the tape, and what that says of it.

Of the rules that match a mention the first in the table counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from evalsuite.parse.tape import Tape

# What a rule says of its mention.
PICK, LINE, HEAD, STATE, ASK = "pick", "line", "head", "state", "ask"  # chosen: explicitly, as a line, at the head, by a statement, in a question
NOT, EXCEPT, NAME, QUOTE = "not", "except", "name", "quote"
NONE, THOSE, ALL, THIS, CANCEL, BUT = "none", "those", "all", "this", "cancel", "but"  # of all options, or of the mention before


# Last explicit words count; else an option that stands alone; else a statement.
STRENGTH = {PICK: 3, NOT: 3, NONE: 3, THOSE: 3, CANCEL: 3, LINE: 2, HEAD: 2, STATE: 1, ASK: 1, ALL: 1}


class Rule(NamedTuple):
    name: str
    verdict: str
    focus: str  # tokens that it speaks of
    before: str
    behind: str
    example: str = ""


Z = r"[:,()\[\]|b^]*"  # marks that part nothing
G1 = rf"{Z}'?{Z}"
G4 = rf"{Z}(?:['_][aAB]?)?{Z}"
G14 = rf"{Z}(?:['_~ABahpso]{Z}){{0,2}}"
ZN = r"[:(\[\]|b)^]*"  # the same without a comma
Y = r"[^./MTQGWm?@]*?"  # within the sentence, no other mention
YY = r"[^./]*?"  # within the sentence
V = r"[^./MTQGWm?@,RO:]{0,6}?"  # within the clause
PLAIN, ANY = "MTQGW", "MTQGWm"
LABEL = "MQG"
TEXT = "TW"
END = r"[ST'sp)\],:.|]*(?:[./]|$)"

RULES = [
    # --- of all options
    Rule("none-of-them", NONE, "0", r"[!./][^OEIH./]*", r"[^OEIH./]*"),
    Rule("neither", THOSE, "z", r"[!./,][^MTQGWmOEIH./]*", r""),
    Rule("all-of-them", ALL, "B", r"[!./,][FADa:'_B]*[sp]?", r"[=wyAa_']*[+wy]"),
    Rule("taken-back", CANCEL, "-", r"[!./,]", r"[,./]|$"),
    # --- except
    Rule("ranking", PICK, ANY, r"[!/]b", r"[:(,]*['_]?\+['_]?[)]*/b"),
    Rule("ranking", PICK, ANY, rf"P(?:[^./MTQGW]{{0,8}}[:b]{Z}|{Z}['_]?{Z}=?{Z})", r""),
    Rule("kept", NAME, ANY, r"", r"[NX]['_]?x"),
    Rule("kept", NAME, ANY, rf"[NX]x['_~]?=?{G14}", r""),
    Rule("all-but-it", PICK, PLAIN, rf"E{G4}", rf"{Z}_?{Z}(?:O{Y}[-0xzX]|O{Y}N{Y}[+wyC]|N{Y}O|B{Y}[-0x]|z|B?=?[-0]|{V}[-0xz])"),
    Rule("except", EXCEPT, PLAIN, rf"E{G4}", r""),
    # --- rejected, by what stands behind
    Rule("wrong", NOT, ANY, r"", rf"{V}(?:[NXn]['_]?[+wyC=S]|(?<![NXn])(?<![NXn]')(?:[-0x]|z)|U)"),
    Rule("item-wrong", NOT, ANY, r"[!/^][b(=]*", rf"[^/MTQGW]*[,.:_~'](?:N['_]?[+wyC]|[-xXz])[.)\]]*(?:/|$)"),
    Rule("wrong", NOT, ANY, r"", r"X(?:[./,]|$)|[^./MTQGWm]*[,:]F?Z(?:[./,]|$)"),
    Rule("item-wrong", NOT, ANY, r"[!/^][b(=]*", r"[.,]?[_~']?:['_]?(?:N['_]?[+wy]|[-xXz])[,./(]|:N['_]?[.,]*(?:/|$)"),
    Rule("wrong-next", NOT, ANY, r"", rf"{V}[,(]['_]?(?:[XNB=Aa]*(?<![NX])[-0x]|[XN][=B]?[+wy])(?![:'_~]*[MTQGWm])"),
    # --- rejected, by what stands before
    Rule("no-less", PICK, PLAIN, rf"n{Z}", r"F(?:[+w]|['_])(?:[,./]|$)"),
    Rule("not-be", NOT, ANY, rf"(?:[XNn]'?|-['_]?)={ZN}['_~]?{ZN}", r""),
    Rule("not", NOT, ANY, rf"(?:[Xxn]{ZN}['_~]?{ZN}|N|N['_]?[Co]{ZN}['_~]?{ZN}|-['_]?[Ss]{G4}|N['_]?[+]{ZN}|-{ZN}'?:{ZN})", r""),
    # --- lists and ranks
    Rule("listed", NAME, ANY, rf"L(?:{Z}['_~]?{Z}=?{Z}|[^./MTQGW]*:{Z})", r""),
    Rule("listed", NAME, "GW", r"\(", r"\)"),
    Rule("listed", NAME, PLAIN, r"\^b*", r"[:,][^/]+/+[b|]*[MTQ]"),
    Rule("among", NAME, "GW", rf"i{Z}['_~]?{Z}", r""),
    Rule("second", NAME, ANY, r"D[^./K]*", r""),
    Rule("second", NAME, ANY, r"", rf"{V}D"),
    # --- in doubt
    Rule("written-out", PICK, "m", r"[!./,][F+'_~]*e['_]?[=:]+['_~#,:]*", r""),
    Rule("quoted", QUOTE, "m", r"", r""),
    Rule("line", LINE, PLAIN, rf"[!/^][b,.:(|\[@^]*'?", r"[)\],.|]*(?:/|$)"),
    Rule("spoken", NAME, TEXT, rf"@{Y}", r""),
    Rule("asked", ASK, PLAIN, r"", rf"[^./MTQGWm@,]{{0,6}}\?"),
    Rule("asked", ASK, PLAIN, rf"q[^./,MTQGWm?@]*", r""),
    Rule("supposed", NAME, PLAIN, rf"(?:I[^./,MTQGWm?@]*|I(?!['_]?C)[^./MTQGWm?@K]*|H[^./MTQGWm?@FK]*)", r""),
    Rule("granted", NAME, PLAIN, r"", r"[B'_a]*H"),
    # --- called right
    Rule("compared", NAME, PLAIN, rf"[MTQ]c{Z}", r""),
    Rule("right", PICK, PLAIN, r"", r"c[MTQ]['_]?[+w]"),
    Rule("right", PICK, PLAIN, r"", rf"{V}(?:[+]|=['_]?S)"),
    Rule("this-one", PICK, PLAIN, r"", r"[^/MTQGW]*[,F:]['_]?1"),
    Rule("only", PICK, PLAIN, rf"[lu]{Z}", rf"{V}[wy+]"),
    # --- chosen
    Rule("no-less", PICK, PLAIN, rf"n{Z}", r"F(?:[+w]|['_])(?:[,./]|$)"),
    Rule("put-in", PICK, PLAIN, r"J", rf"{V}[C=]"),
    Rule("answer-is", PICK, PLAIN, rf"(?:[Ss+C]|(?<![MTQ])p){Y}[=l]{Z}(?:['_~s]{Z}){{0,3}}", r""),
    Rule("is", PICK, LABEL, rf"[!./,]['_]?={Z}", r"[,./()R]|$"),
    Rule("concluded", PICK, PLAIN, rf"[FK](?:{YY}C{G14}|{Z}['_]?={G1})", r""),
    Rule("concluded", PICK, LABEL, rf"[FK]{Z}['_]?={G4}", r""),
    Rule("fits", PICK, PLAIN, rf"[+]{G1}|[+w]['_]?s{Z}", r""),
    Rule("answer", PICK, PLAIN, rf"(?:S{Z}[:\[]{Z}['_]?|[!/,.b|][sp]{Z}:){Z}", r""),
    Rule("answer", PICK, LABEL, rf"S{Z}['_]?{Z}", r""),
    Rule("answer", PICK, LABEL, rf"s{Z}", r"(?:[./,]|$)"),
    Rule("answer", PICK, TEXT, rf"S{G1}", r""),
    Rule("choose", PICK, LABEL, rf"C{G14}", r""),
    Rule("choose", PICK, TEXT, rf"C{G4}", r""),
    Rule("boxed", PICK, PLAIN, rf"\[{Z}['_]?", r""),
    Rule("conclusion", PICK, PLAIN, rf"[FK]{Z}", r""),
    Rule("but", PICK, PLAIN, rf"[XxnN]['_~=]*[MTQGW],?V{Z}", r""),
    Rule("rather", PICK, PLAIN, rf"U{G1}", r""),
    Rule("opinion", PICK, LABEL, rf"o{G1}", r""),
    Rule("left", PICK, PLAIN, rf"l{G1}", r""),
    # --- alone
    Rule("head", HEAD, LABEL, r"[!/][b,.:(|\[]*", r":/"),
    Rule("ticked", PICK, PLAIN, rf"[!/][b|]*\+{Z}", r""),
    Rule("head", HEAD, PLAIN, r"![b,.:(|\[]*", r"[,.(;)|nxR]"),
    Rule("head", HEAD, "M", r"![b,.:(|\[]*", r"['_~]{1,2}(?:[/.]|$)"),
    # --- stated
    Rule("contrast", STATE, PLAIN, r"", r"[nX]['_=]*[MTQGW]"),
    Rule("weak", STATE, PLAIN, r"", rf"{V}w|['_aB]*y(?![~#_])"),
    Rule("item-right", STATE, PLAIN, r"[!/^][b(=]*", r"[.,]?['_]?:['_]?[+wy]|[^/MTQGW]*[,._~'][+wy]\.?[+]?(?:/|$)"),
    Rule("statement", STATE, LABEL, rf"[=u]{G4}", r""),
    Rule("statement", STATE, TEXT, rf"[=u]{G14}", r"[s'p]?[,./()RaA]|[s'p]?$"),
    Rule("hedge", STATE, PLAIN, rf"[hyow]{G1}", r""),
    Rule("alone", STATE, PLAIN, rf"[!,./:^][FKo]?{Z}", r"(?:,['_])?[.,]?(?:/|$)"),
    Rule("alone", STATE, "TQGW", rf"[!,./:][FKo]?{Z}", r"[./]"),
]


# Where several options may be right: these first, then RULES. An item of a list is judged on its own, and all may be chosen.
SETS = [
    Rule("all-but-these", BUT, PLAIN, rf"(?:B{Y}|[!./,]_?~?)(?:E|V){Z}", r""),
    Rule("all-of-them", ALL, "B", r"[!./,]['_]?", r"['_L~]*(?:[./,]|$)|['_L~]*=?['_B]*[+wy]"),
    Rule("none-of-them", NONE, "0", r"", r""),
    Rule("item-wrong", NOT, ANY, r"", rf"(?:{Z}|\.?[^./MTQGW]*[|])['_]?{Z}Z|[^/MTQGWm]*{Z}[:.=]{{1,2}}['_]?Z"),
    Rule("item-right", PICK, ANY, r"", rf"(?:{Z}|\.?[^./MTQGW]*[|])['_]?{Z}Y"),
    Rule("ranked", NAME, ANY, rf"P[^/]*:(?:[^/]*/)*[b.]*{Z}", r""),
    Rule("judged-wrong", NOT, ANY, r"[!/,.|][b(|]*", r"\.?[:=(|]*(?:=|[_']=?)?(?:[-x]|[XN]['_]?[+wy])"),
    Rule("judged-right", PICK, ANY, r"[!/,.|][b(|]*", r"\.?[:=(|]*(?:=|[_']=?)?A?[+wy]"),
    Rule("judged-wrong", NOT, ANY, r"", r"[-x](?:[MTQGW./,]|$)"),
    Rule("judged-right", PICK, ANY, r"", r"\+(?:[MTQGW./,]|$)"),
    Rule("listed-wrong", NOT, ANY, rf"[-xXZ]L?_?=?{Z}:{Z}|[-xXZ]['_L]*={Z}", r""),
    Rule("answers", PICK, ANY, rf"[+CSwyY](?:[LspB~]['_]?)*[=B]*{Z}:?{Z}", r""),
    Rule("answers", PICK, ANY, rf"(?:[+CSY][^./MTQGW]*:{Z}|[+CS]['_LBsp=]*)B?{Z}", r""),
    Rule("line", LINE, PLAIN, rf"[!/.][b,.:(|\[]*'?", r"[)\],.|]*(?:[/.]|$)"),
    Rule("and", STATE, ANY, rf"[MTQGW](?:\([^()]*)?\),?A?{Z}", r"(?!=?-)"),
    Rule("options", LINE, PLAIN, r"[!/]['_~]?[LspB]*", r"\.?(?:/|$)"),
]


class _Row(NamedTuple):
    rule: Rule
    before: re.Pattern[str]
    behind: re.Pattern[str]


def compiled(rules: Sequence[Rule]) -> dict[str, list[_Row]]:
    """Focus token -> its rules, in rank."""
    table: dict[str, list[_Row]] = {}
    for rule in rules:
        row = _Row(rule, re.compile(rf"(?:{rule.before})\Z"), re.compile(rule.behind))
        for token in rule.focus:
            table.setdefault(token, []).append(row)
    return table


@lru_cache(maxsize=2)
def _table(several: bool) -> dict[str, list[_Row]]:
    return compiled((*SETS, *RULES) if several else RULES)


BACK, AHEAD = 48, 24  # tokens that rules see before and behind


@lru_cache(maxsize=2**16)
def _fired(token: str, before: str, behind: str, several: bool) -> Rule | None:
    """The first rule that matches."""
    for row in _table(several).get(token, ()):
        if row.behind.match(behind) and row.before.search(before):
            return row.rule
    return None


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule says of the options named at `start:end` of the clean text."""

    verdict: str
    rule: str
    options: tuple[int, ...]
    start: int
    end: int
    before: str = ""  # the tape before it
    behind: str = ""
    conflict: bool = False

    @property
    def strength(self) -> int:
        return STRENGTH.get(self.verdict, 0)

    @property
    def picks(self) -> bool:
        return self.verdict in (PICK, LINE, HEAD, STATE)

    @property
    def adds(self) -> bool:
        """Whether it is chosen beside the option before: 也."""
        return bool(self.options and (_ALSO.search(self.before) or _ALSO_BEHIND.match(self.behind)))

    @property
    def firm(self) -> bool:
        """Whether it stands in a conclusion or a correction."""
        return _FIRM.search(self.before) is not None


_GLOSS = re.compile(r"^\([_'~#,]*\)")  # (a) premise (前提)
_ALSO = re.compile(r"[aA][^MTQGW./,]*\Z")
_ALSO_BEHIND = re.compile(r"['_]?a")
_FIRM = re.compile(r"[FK][^./]*\Z")
_ITEM = re.compile(r"[!/][b,.:(|\[]*\Z")


def hits(tape: Tape, count: int, echo: bool, several: bool = False) -> list[Hit]:
    """What the rules say of each mention and each cue of a block, in order.

    `count`: how many options the item has; `echo`: the block repeats the prompt, so only an explicit answer counts.
    """
    found: list[Hit] = []
    items: set[tuple[int, ...]] = set()  # options that head a line
    for at, token in enumerate(tape.tokens):
        before, behind = tape.tokens[max(at - BACK, 0) : at], _GLOSS.sub("", tape.tokens[at + 1 : at + 1 + AHEAD])
        rule = _fired(token, before, behind, several)
        group = tape.groups.get(at)
        if group is None:
            if rule is not None:
                found.append(Hit(rule.verdict, rule.name, (), *tape.places[at], before, behind))
            continue
        verdict, name = (rule.verdict, rule.name) if rule else (NAME, "named")
        options = group.options
        if (group.ranked or name == "ranking") and verdict in (PICK, NAME, LINE, HEAD, STATE):
            verdict, name, options = PICK, "ranking", options[:1]
        everything = not several and len(options) == count > 1 and (verdict in (LINE, HEAD) or echo and verdict == PICK)
        if (everything and group.with_text) or (echo and verdict in (LINE, HEAD, STATE, ASK)):
            verdict, name = NAME, "echo"
        if options == (-1,) and (verdict == STATE or name == "is"):
            verdict, name = NAME, "outside"
        if verdict != LINE and _ITEM.search(before):
            items.add(options)
        found.append(Hit(verdict, name, options, *tape.places[at], before, behind, group.conflict))
    if len(items) > 1 and not several:  # each option in turn is discussed, not chosen
        found = [replace(hit, verdict=NAME, rule="discussed") if hit.verdict == HEAD else hit for hit in found]
    return found
