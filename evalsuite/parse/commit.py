"""Stage 4, commitments: which of the named options a reply picks, and which it rejects (rules 3, 6, 8, 16).

A block is read clause by clause. `evidence` reads the cue words around each group of mentions; this module adjusts that
evidence by where the group stands: alone on a line, in a quotation, a question, a hypothetical, an echoed prompt.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from evalsuite.parse.chars import WORD
from evalsuite.parse.cues import Cue
from evalsuite.parse.evidence import EXPLICIT, NAMED, STANDING, STATED, Before, Evidence, after, distance
from evalsuite.parse.groups import Group, after_trail, ends_clause, line_start, standing
from evalsuite.parse.segment import SPEAKER, Block


@dataclass(frozen=True, slots=True)
class Commitment:
    """What a clause says of a group of options, or of all options.

    `what` is "pick", "reject", "question" or "name" for a group; "none", "all" or "cancel" (不对) for all options.
    """

    what: str
    strength: int
    options: tuple[int, ...]
    start: int
    end: int
    rule: str
    adds: bool = False  # 也: added to the options picked before
    conflict: bool = False
    firm: bool = False  # in a conclusion or a correction


@dataclass(slots=True)
class _Sentence:
    """State of the sentence that is being read."""

    subject: bool = False  # mentions the answer: 答案, 选项
    final: bool = False  # contains a word of conclusion: 综上
    back: bool = False  # contains a word of correction: 等等
    supposes: bool = False  # contains a word of supposition: 如果
    imagines: bool = False  # supposes anything but "if I had to choose"
    ranked: bool = False  # named a second choice: options from here on rank lower
    turned: bool = False  # the last group was rejected
    named: set[int] = field(default_factory=set)  # options named so far
    carried: list[Cue] = field(default_factory=list)  # cues at the end of a clause, for the next mention


@dataclass(frozen=True, slots=True)
class _Around:
    """A group's context: cue words before and after it in its clause, and cue words of the next clause."""

    left: list[Cue]
    right: list[Cue]
    following: list[Cue]
    asks: bool
    named: bool  # an earlier group in the clause
    more: bool  # a later group in the clause


_ALL = re.compile("^[FAD:]*s?B[=wA]*[+w]|sB")  # matched on the kinds of a clause's cues: 三个选项都是正确的
_ALL_BUT = re.compile("O.*[-0x]|O.*N[+w]|N.*O|B.*[-0]|^[B=]*[-0]")  # after 除了a: 其他都不对
_MUST = re.compile("选|答|猜|必须|只能|一定|非|让我|choose|pick|choice|guess|answer|ha(?:d|ve) to")  # 如果必须选一个
_THIS_ONE = re.compile("(?:就|故|应|应该|所以|因此)?选(?:这个|它|这一项|此项|该项)$")
_TAKEN_BACK = ("不对", "错", "错误", "不正确", "有误", "wrong", "incorrect", "not right", "不行")
_ONLY = re.compile(r"(?:只有|唯有|仅有)[ ]?(?:选项)?[ \"“「(]*")
_NUMBERS = re.compile(r"[(]?\d{1,2}[ ]?[.、)][ ]?[^\W\d]")  # 1. 短语含义
_AMONG = re.compile(
    r"[ ]?[)\]]?[ ]?等?(?:这)?[一二两三四五六七八九十\d]*[个项类种]?(?:候选|备选|可能的?)?(?:选项|领域|答案|关系)?"
    r"(?:之中|之间|当中|中的|中选|中,|中找|中挑|里面|里,|里选|中间|内选|中进行|中(?!间)|选项中)"
    r"|[ ]?等(?:选项|领域|候选)"
)


class Reader:
    """Reads the commitments of the blocks of one reply. `count`: how many options there are; 0 if all may be right."""

    def __init__(
        self, low: str, groups: Sequence[Group], cues: Sequence[Cue], count: int, quoted: Sequence[tuple[int, int]]
    ) -> None:
        self.low, self.count, self.groups = low, count, groups
        self._quote_starts, self._quote_ends = [start for start, _ in quoted], [end for _, end in quoted]
        starts = [group.start for group in groups]
        self.cues = []
        for cue in cues:
            at = bisect_right(starts, cue.start) - 1
            inside = (at >= 0 and cue.start < groups[at].end) or (at + 1 < len(starts) and starts[at + 1] < cue.end)
            if not inside and (cue.kind in ",.:" or not self._quoted(cue.start, cue.end)):
                self.cues.append(cue)

    def _quoted(self, start: int, end: int) -> bool:
        """Whether a place is part of a longer quotation."""
        at = bisect_right(self._quote_starts, start) - 1
        if at < 0 or self._quote_ends[at] < end:
            return False
        rest = self.low[self._quote_starts[at] : start] + self.low[end : self._quote_ends[at]]
        return bool(WORD.search(rest))

    def read(self, block: Block) -> list[Commitment]:
        """All commitments of a block, in order."""
        groups = [g for g in self.groups if block.start <= g.start and g.end <= block.end]
        cues = [c for c in self.cues if block.start <= c.start and c.end <= block.end]
        events: list[Cue | Group] = sorted([*groups, *cues], key=lambda event: event.start)
        walk = _Walk(self, block, standing(self.low, groups, block))
        clause: list[Cue | Group] = []
        for position, event in enumerate(events):
            mark = event.kind if isinstance(event, Cue) else ""
            asks = mark == "?" and self.low[event.start] == "?"
            stop, pause = mark == "." or asks, mark != "" and mark in ",("
            if not (stop or pause) or (stop and self.low[event.start] == "\n" and self._waits(clause, event.start)):
                if not stop:
                    clause.append(event)
                continue
            walk.clause(clause, self._following(events, position + 1) if pause else [], asks)
            clause = []
            if stop:
                recent = any(isinstance(e, Group) for e in events[max(position - 3, 0) : position])
                walk.state = _Sentence(back=walk.state.back and not recent)
        walk.clause(clause, [], False)
        return walk.found

    def _waits(self, clause: list[Cue | Group], end: int) -> bool:
        """Whether the line ends in a cue whose answer comes on the next line: 答案是\\n."""
        last = clause[-1] if clause else None
        if not isinstance(last, Cue):
            return False
        return last.kind == ":" or (last.kind in "SC=" and distance(self.low, last.end, end) == 0)

    def _following(self, events: list[Cue | Group], position: int) -> list[Cue]:
        """The cues of the next clause if it names no option, since they may judge this clause."""
        found: list[Cue] = []
        for event in events[position : position + 5]:
            if isinstance(event, Group):
                return []
            if (event.kind in ",.?" and found) or event.kind == ".":
                break
            if event.kind not in ",(":
                found.append(event)
        return found

    def quoted(self, group: Group) -> bool:
        """Whether a group is part of a longer quotation."""
        return self._quoted(group.start, group.end)


class _Walk:
    """Walks through the clauses of one block."""

    def __init__(self, reader: Reader, block: Block, stands: dict[int, str]) -> None:
        self.reader, self.low, self.block, self.stands = reader, reader.low, block, stands
        self.state = _Sentence()
        self.found: list[Commitment] = []

    def clause(self, clause: list[Cue | Group], following: list[Cue], asks: bool) -> None:
        """Add the commitments of one clause; cues without an option are carried into the next clause."""
        state = self.state
        groups = [position for position, event in enumerate(clause) if isinstance(event, Group)]
        left: list[Cue] = list(state.carried)
        for position, event in enumerate(clause):
            if isinstance(event, Cue):
                left.append(event)
                state.final |= event.kind == "F"
                state.back |= event.kind == "K"
                if event.kind == "H" and self.low[event.start] in "如假若要倘i":
                    state.supposes = True
                    state.imagines |= not _MUST.search(re.split("[,:]", self.low[event.start : event.end + 24])[0])
                continue
            nth = groups.index(position)
            until = groups[nth + 1] if nth + 1 < len(groups) else len(clause)
            right = [e for e in clause[position + 1 : until] if isinstance(e, Cue)]
            last = nth + 1 == len(groups)
            around = _Around(left, right, following if last else [], asks and last, nth > 0, not last)
            self.found.append(self._judge(event, around))
            state.ranked |= any(c.kind == "D" for c in left)
            state.named.update(event.options)
            state.turned = self.found[-1].what == "reject"
            state.subject |= any(c.kind in "Ss" for c in left)
            left, state.carried = [], []
        if not groups:
            self._verdict(clause, "".join(c.kind for c in left))
            state.subject |= any(c.kind in "Ss" for c in left)
            if left and left[-1].kind in "SsC=:FKPo":
                lists = left[-1].kind == ":"
                state.carried = [c for c in left[-6:] if c.kind in "SsC=:FKPXN+-" or (c.kind == "L" and lists)]

    def _verdict(self, clause: list[Cue | Group], kinds: str) -> None:
        """Add what a clause without options says of the options named before: 以上都不对, 三个都对, 不对."""
        if not kinds or not clause:
            return
        start, end = clause[0].start, clause[-1].end
        named = self.state.named
        both = next((c for c in clause if isinstance(c, Cue) and c.kind == "0"), None)
        if both and "0" in kinds[:2] and self.low[both.start] in "都均皆" and 0 < len(named) < self.reader.count:
            # b…，c…，(所以)都不对: rejects the named options, not all
            self.found.append(Commitment("reject", EXPLICIT, tuple(sorted(named)), start, end, "turned-down"))
        elif "0" in kinds and not set(kinds) & set("OEH"):
            self.found.append(Commitment("none", EXPLICIT, (), start, end, "none-of-them"))
        elif _ALL.search(kinds) and not set(kinds) & set("NXOH?"):
            self.found.append(Commitment("all", STATED, (), start, end, "all-of-them"))
        elif kinds[-1] == "+" and _THIS_ONE.search(self.low[start:end]):
            last = self.found[-1] if self.found else None
            if last and last.what in ("name", "pick") and not re.search("[。\n]", self.low[last.end : start]):
                self.found.append(Commitment("pick", EXPLICIT, last.options, last.start, last.end, "this-one"))
        elif (
            kinds == "-"
            and self.low[start:end] in _TAKEN_BACK
            and self.low[max(start - 1, 0) : start] in ",。.;:!?\n( …—"
        ):
            self.found.append(Commitment("cancel", EXPLICIT, (), start, end, "taken-back"))

    def _judge(self, group: Group, around: _Around) -> Commitment:
        """The commitment to one group."""
        state, low = self.state, self.low
        evidence = Before(low, group, around.left, state.subject, state.turned, around.named).read()
        verdict = after(low, group, around.right, around.following, around.more)
        if (
            evidence.what == "name"
            and around.left
            and around.left[-1].kind == "J"
            and _kinds(around.right)[:1] in ("C", "=")
        ):
            evidence = Evidence("pick", EXPLICIT, "cue-put-in")
        evidence = self._weighed(group, evidence, verdict, around)
        evidence = self._stood(group, evidence)
        evidence = self._placed(group, evidence, verdict, around)
        what, strength, rule = evidence
        options = group.options
        if (group.ranked or rule == "ranking") and what in ("pick", "name"):
            what, strength, rule, options = "pick", EXPLICIT, "ranking", options[:1]
        listed = rule.startswith("standing") or self.block.echo
        if what in ("pick", "question") and len(options) == self.reader.count > 2 and listed:
            what, strength, rule = "name", NAMED, "echo"
        adds = not around.named and self._adds(group, around)
        firm = state.final or state.back
        return Commitment(what, strength, options, group.start, group.end, rule, adds, group.conflict, firm)

    def _weighed(self, group: Group, before: Evidence, verdict: str, around: _Around) -> Evidence:
        """Combine the evidence before a group with the verdict after it."""
        if before.what == "except":
            others = _kinds(around.right) + _kinds(around.following)
            all_but = verdict == "reject" or _ALL_BUT.search(others)
            return Evidence("pick", EXPLICIT, "all-but-it") if all_but else before
        if verdict == "reject" or before.what == "reject":
            return Evidence("reject", EXPLICIT, "turned-down")
        if before.rule == "ranking" or before.what == "listed":
            return before if before.rule == "ranking" else Evidence("name", NAMED, "listed")
        if _AMONG.match(self.low, group.end) and (len(group.members) > 1 or group.members[0].kind == "place"):
            return Evidence("name", NAMED, "among")
        if verdict == "second" or before.rule == "second" or (self.state.ranked and not self.state.back):
            return Evidence("name", NAMED, "second")
        if verdict == "pick":
            return Evidence("pick", EXPLICIT, "verdict")
        if verdict == "weak" and around.left and _ONLY.fullmatch(self.low, around.left[-1].start, group.start):
            return Evidence("pick", EXPLICIT, "the-only-one")
        if verdict == "weak" and before.strength < STATED:
            return Evidence("pick", STATED, "weak-verdict")
        return before

    def _stood(self, group: Group, evidence: Evidence) -> Evidence:
        """Upgrade a group that stands alone to an answer, unless its context says otherwise (rule 1)."""
        settled = evidence.rule in ("among", "listed", "second", "all-but-it")
        if evidence.what not in ("name", "pick") or evidence.strength >= STANDING or settled:
            return evidence
        kind = self.stands.get(group.start, "")
        if kind in ("line", "head"):
            return Evidence("pick", STANDING, f"standing-{kind}")
        return Evidence("pick", STATED, "standing-title") if kind else evidence

    def _placed(self, group: Group, evidence: Evidence, verdict: str, around: _Around) -> Evidence:
        """Downgrade evidence in a quotation, dialogue turn, question, hypothetical or echoed prompt.

        Upgrade it in a conclusion.
        """
        what, strength, rule = evidence
        state, low, block = self.state, self.low, self.block
        if what in ("pick", "name") and self.reader.quoted(group):
            return Evidence("name", -1, "quoted")
        if what == "pick":
            if strength != STANDING and SPEAKER.match(low, line_start(low, group.start, block), group.start):
                answers = state.subject or "S" in _kinds(around.left)
                if not (answers or (strength == EXPLICIT and not group.by_text)):
                    return Evidence("name", NAMED, "spoken")
            if around.asks or verdict == "ask" or "?" in _kinds(around.left):
                return Evidence("question", STATED, rule)
            if "H" in _kinds(around.left) or (strength == STATED and state.supposes):
                return Evidence("name", NAMED, "supposed")
            if state.imagines and rule == "cue-choose":
                return Evidence(what, STATED, "supposed")
            if strength < EXPLICIT and block.echo:
                return Evidence("name", NAMED, "echo")
        if rule == "statement" and not ends_clause(low, group, block):
            what, strength, rule = "name", NAMED, "named"
        firm = state.final or state.back
        if what == "pick" and strength == STATED and firm and rule != "weak-verdict":
            near = around.left and distance(low, around.left[-1].end, group.start) <= 2
            return Evidence(what, EXPLICIT if near or rule != "statement" else STATED, rule)
        if what == "name" and rule == "named" and self._alone(group, around):
            return Evidence("pick", EXPLICIT if firm else STATED, "correction" if state.back else "alone")
        return Evidence(what, strength, rule)

    def _adds(self, group: Group, around: _Around) -> bool:
        """Whether 也 or a similar word belongs to the words that pick the group."""
        left, right, low = around.left, around.right, self.low
        for position, cue in enumerate(left):
            until = left[position + 1].start if position + 1 < len(left) else group.start
            if (cue.kind == "A" or low[cue.start] == "也") and until - cue.end <= 4:
                return True
        first = right[0] if right else None
        return (
            first is not None
            and first.kind in "Aw"
            and low[first.start] in "也都"
            and distance(low, group.end, first.start) == 0
        )

    def _alone(self, group: Group, around: _Around) -> bool:
        """Whether a group fills its clause and the clause ends the sentence: 根据对话，b。"""
        low, left = self.low, around.left
        if line_start(low, group.start, self.block) == group.start and _NUMBERS.match(low, group.start):
            return False
        before = low[max(group.start - 12, self.block.start) : group.start].rstrip("\"“'‘([【「『 *")
        if before and before[-1] not in ",。.!?;:\n—\ue000\ue001":
            cue = left[-1] if left else None
            if cue is None or cue.kind not in "FKo," or distance(low, cue.end, group.start) > 0:
                return False
        end = after_trail(low, group, self.block)
        return end >= self.block.end or (any(mark in low[group.end : end] for mark in "。.!;\n,") and not around.right)


def _kinds(cues: Sequence[Cue]) -> str:
    return "".join(cue.kind for cue in cues)
