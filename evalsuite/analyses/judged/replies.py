"""A judge's reply -> scores. A reply that does not clearly state one score of the scale is invalid; it never counts as 0.

The prompt asks for a score on the first line and reasons below it. Accepted are

    first line   the line is a score or begins with one: "4", "４分", "**4**", "得分：4", "4/5", "4分。因为…", "4：答案…"
    stated       a score elsewhere that is named as such: "评分：4", "因此给4分", "Score: 4 out of 5"

Digits of lists, dates and criteria are ignored. Contradicting scores and scores outside the scale are invalid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evalsuite.analyses.judged.scale import JudgeScale, JudgeStatus
from evalsuite.parse.strip import Clean, strip

VERSION = 1  # version of these rules; part of signatures


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
    """A judge's reply as read."""

    status: JudgeStatus
    scores: tuple[int, ...] = ()  # one score per scale, in the scales' order; empty unless scored
    reasons: str = ""
    rule: str = ""  # the rule that read the score, or the reason why none was read
    start: int | None = None  # position of the first score in the raw reply
    end: int | None = None


class _Bad(Exception):
    """The reply has no valid score; the message says why."""


@dataclass(frozen=True, slots=True)
class _ScoreMark:
    """A score, and its position in the text."""

    value: int
    start: int
    end: int  # end of the number
    after: int  # end with its unit: "分", "/5"
    rule: str


_NUMERALS = {c: n for n, c in enumerate("零一二三四五六七八九十")} | {"两": 2, "〇": 0}
_I = re.IGNORECASE
_EDGE = r"\s?"  # the blank that `_squeeze` leaves of quotes, brackets and blanks
_NUM = rf"(?<![\d.])(?P<num>[-−]?\d{{1,3}}(?:\.\d+)?|[{''.join(_NUMERALS)}](?=分))(?![\d%])"
# "4分", "4/5", "4 out of 5", "4分(满分5分)"; the maximum must be that of the scale. Not "5分制", "4分之一".
_UNIT = (
    r"(?P<unit>\s*(?:分(?![制数以之])|points?\b)?"
    r"(?:\s*\(?(?:/|out of\b)\s*(?P<most>\d{1,3})(?![\d./])\)?|\s*[(,]?\s*(?:满分|总分|共)\s*(?:为|是|:)?\s*(?P<full>\d{1,3})\s*分?\)?)?"
    r"(?:\s*(?:分(?![制数以之])|points?\b))?)"
)
_LABEL = r"(?:(?:得分|评分结果|评分|分数|打分结果|打分|给分|分值)|\b(?:scores?|rating|grade)\b)"
_IS = rf"{_EDGE}(?:应该|应当|应|可以|可)?(?:为|是|给|[:=→]|(?:is|of|as)\b)?{_EDGE}[:=]?{_EDGE}"
_BEFORE_LABEL = r"(?:最终|最后|综合|总体|总|我的|候选答案的?|该?答案的?|本题|the|my|final|overall|\s)*"
_HEAD = re.compile(rf"{_EDGE}(?P<label>{_BEFORE_LABEL}{_LABEL}{_IS}|答{_IS})?{_NUM}{_UNIT}", _I)
_CHINESE = re.compile(
    rf"{_EDGE}(?P<num>[{''.join(_NUMERALS)}])(?P<unit>)(?P<label>)(?P<most>)(?P<full>){_EDGE}[.。]?{_EDGE}"
)
_ONLY_LABEL = re.compile(rf"{_EDGE}{_BEFORE_LABEL}{_LABEL}{_EDGE}:?{_EDGE}", _I)
_NO_RANGE = r"(?!\s*(?:[-~、或至到]|or\b|to\b)\s*\d)"
_LABELLED = re.compile(rf"{_LABEL}{_IS}{_NUM}{_UNIT}{_NO_RANGE}", _I)
_GIVEN = re.compile(
    rf"(?:给|打|评|得|判)(?:它|其|出|予|了|定|为|该答案|这个答案|候选答案|一个|\s)*{_NUM}(?=\s*(?:分|/)){_UNIT}{_NO_RANGE}"
    rf"|\b(?:give|rate|assign|award)\w*\s(?:\w+\s){{0,4}}?{_NUM.replace('num', 'num2')}(?=\s*(?:/|out of|points?|[.,;]|$))",
    _I | re.MULTILINE,
)
# Before a number that is no score: "不能给5分", "如果更具体，可以得5分", "要求评分为4", "满分5分".
_NOT = re.compile(
    r"(?:不|未|无法|没有?|别|才|要求|满|[:：]?\s*\d\s*[-~至到]|not|n't|never|cannot)[\s能会应该可以得给打到出个的a-z]{0,12}$"
    r"|(?:如果|若|假如|要是|假设|本来?可|原本|\bif\b|\bcould have\b)[^。;!?]*$",
    _I,
)
_SEVERAL = re.compile(r"\s*(?:[-~、,/]|和|或|至|到|or\b|to\b|and\b)?\s*[-−]?\d", _I)
_REST = re.compile(rf"{_EDGE}(?P<mark>[:,;。!]|[-–—](?=\s)|\.(?=\s|[^\d\s])|\(|$)?(?P<more>.*)", re.DOTALL)


_DECORATION = re.compile(r"[\s\"'“”‘’「」『』【】\[\]()<>*_#`={}\ue000-\ue00f]+")


def _squeeze(text: str) -> tuple[str, list[int]]:
    """Replace each run of blanks, quotes, brackets and other decoration by one blank, or by a line break if it has one.

    Returns the text and the original position of each character (and of the end). Patterns need no repetition over
    decoration then, so that none can backtrack for long.
    """
    parts: list[str] = []
    origins: list[int] = []
    done = 0
    for run in _DECORATION.finditer(text):
        parts += text[done : run.start()], "\n" if "\n" in run.group() else " "
        origins += [*range(done, run.start()), run.start()]
        done = run.end()
    parts.append(text[done:])
    return "".join(parts), [*origins, *range(done, len(text)), len(text)]


def read_verdict(text: str, scales: Sequence[JudgeScale]) -> JudgeVerdict:
    """Read the scores of a judge's reply, one per scale.

    >>> read_verdict("4\\n答案正确，但与标准答案不一致。", [JudgeScale("score", 0, 5)]).scores
    (4,)
    """
    clean = strip(text)
    if clean.thinking:
        return JudgeVerdict("invalid", rule="thinking was not ended")
    if not clean.text.strip():
        return JudgeVerdict("invalid", rule="empty")
    if scales[0].words:
        return _worded(text, clean, scales[0].words)
    squeezed, origins = _squeeze(clean.text)
    try:
        marks = [_one(squeezed, scales[0])] if len(scales) == 1 else _each(squeezed, scales)
    except _Bad as why:
        return JudgeVerdict("invalid", rule=str(why))
    marks = [
        replace(f, start=origins[f.start], end=origins[f.end - 1] + 1, after=origins[f.after - 1] + 1) for f in marks
    ]
    start, end = clean.raw_span(marks[0].start, marks[0].end)
    return JudgeVerdict(
        "scored", tuple(f.value for f in marks), _reasons(text, clean, marks), marks[0].rule, start, end
    )


def _worded(text: str, clean: Clean, words: Mapping[str, int]) -> JudgeVerdict:
    """The score whose word the reply writes in brackets, wherever it stands; words of two scores contradict each other."""
    plain = {word.strip("[]"): score for word, score in words.items()}
    matches = list(re.finditer(rf"[\[【［]\s?({'|'.join(map(re.escape, plain))})\s?[\]】］]", clean.text, _I))
    if not matches:
        return JudgeVerdict("invalid", rule="no score")
    values = {plain[match.group(1).lower()] for match in matches}
    if len(values) > 1:
        return JudgeVerdict("invalid", rule="several scores")
    start, end = clean.raw_span(matches[-1].start(), matches[-1].end())
    reasons = (text[:start] + text[end:]).strip()
    return JudgeVerdict("scored", (values.pop(),), reasons, "word", start, end)


def _one(text: str, scale: JudgeScale) -> _ScoreMark:
    first = _first_line(text, scale)
    # A score on the first line, as asked for, is contradicted only by a labelled score.
    stated = list(_stated(text, scale, _LABELLED if first else None))
    scores = [first, *stated] if first else stated
    if not scores:
        raise _Bad("no score")
    if len({f.value for f in scores}) > 1:
        raise _Bad("several scores")
    return scores[0]


def _first_line(text: str, scale: JudgeScale) -> _ScoreMark | None:
    """The score that the first line is or begins with."""
    lines = [m for m in re.finditer(r"[^\n]+", text) if re.search(r"\w", m.group())]
    if len(lines) > 1 and _ONLY_LABEL.fullmatch(lines[0].group()):
        lines = lines[1:]
    if not lines:
        return None
    line, at = lines[0].group(), lines[0].start()
    if match := _CHINESE.fullmatch(line):
        return _score_of(match, scale, "first line", at)
    match = _HEAD.match(line)
    if not match or _SEVERAL.match(line, match.end()):
        return None
    tail = _REST.match(line, match.end())
    assert tail
    whole = not re.search(r"\w", tail["more"])
    named = bool(match["label"] or match["unit"].strip())
    if any(_other(m.group(), match["num"]) for m in lines[1:]):
        raise _Bad("several scores")
    if not whole:
        # "4：…" and "4分 …" are scores; "4. …", "4、…" and "4个…" are numbers of a list or sentence.
        mark = tail["mark"]
        if not mark and not (named and line[match.end() : match.end() + 1].isspace()):
            return None
        if not named and (mark == "." or re.match(r"\s*\d", tail["more"])):
            return None
    return _score_of(match, scale, "first line" if whole else "head of first line", at)


def _other(line: str, number: str) -> bool:
    """Whether the line is another number, or begins with one as the criteria do ("3：…")."""
    match = re.match(rf"{_EDGE}(\d{{1,2}})\s*分?\s*(?:[:,;。]\s*\D|[.。]?{_EDGE}$)", line)
    return match is not None and match.group(1) != number


def _stated(text: str, scale: JudgeScale, only: re.Pattern[str] | None) -> Iterator[_ScoreMark]:
    """Scores anywhere in the text that are labelled as scores, found by the pattern `only` or else by all such patterns."""
    for pattern in (only,) if only else (_LABELLED, _GIVEN):
        for match in pattern.finditer(text):
            before = text[max(0, match.start() - 40) : match.start()].rpartition("\n")[2]
            if not _NOT.search(before):
                yield _score_of(match, scale, "stated")


def _score_of(match: re.Match[str], scale: JudgeScale, rule: str, at: int = 0) -> _ScoreMark:
    """The score of a match. Raises _Bad if it is not on the scale."""
    parts = match.groupdict()
    group = "num" if parts["num"] is not None else "num2"  # the two forms of _GIVEN
    written = parts[group]
    value = float(_NUMERALS[written]) if written in _NUMERALS else float(written.replace("−", "-"))
    most = parts.get("most") or parts.get("full")
    if most and int(most) != scale.high:
        raise _Bad(f"out of {most}, not {scale.high}")
    if value != int(value):
        raise _Bad(f"no whole number: {written}")
    if not scale.low <= value <= scale.high:
        raise _Bad(f"not from {scale.low} to {scale.high}: {written}")
    return _ScoreMark(int(value), at + match.start(group), at + match.end(group), at + match.end(), rule)


# --- several scales: a line each, "创造性：4"


def _each(text: str, scales: Sequence[JudgeScale]) -> list[_ScoreMark]:
    marks = []
    for scale in scales:
        names = "|".join(re.escape(name) for name in (scale.name, scale.zh) if name)
        pattern = re.compile(rf"(?:{names}){_EDGE}(?:{_LABEL})?{_IS}{_NUM}{_UNIT}{_NO_RANGE}", _I)
        scores = [_score_of(m, scale, "named") for m in pattern.finditer(text)]
        if len({f.value for f in scores}) > 1:
            raise _Bad(f"several scores of {scale.name}")
        marks += scores[:1]
    if len(marks) == len(scales):
        return marks
    if marks:
        raise _Bad(f"{len(marks)} of {len(scales)} scores")
    return _bare(text, scales)


def _bare(text: str, scales: Sequence[JudgeScale]) -> list[_ScoreMark]:
    """Lines that are only a number, one per scale, in the order of the scales."""
    lines = [m for m in re.finditer(r"[^\n]+", text) if re.search(r"\w", m.group())]
    numbers = []
    for line in lines:
        match = _HEAD.fullmatch(line.group().rstrip(" .。"))
        if match is None or match["label"]:
            break
        numbers.append((match, line.start()))
    if len(numbers) != len(scales):
        raise _Bad("no score")
    return [_score_of(m, scale, "lines", at) for (m, at), scale in zip(numbers, scales, strict=True)]


def _reasons(raw: str, clean: Clean, marks: Sequence[_ScoreMark]) -> str:
    """The text after the last score, or the whole reply if the score is stated somewhere in it."""
    if marks[0].rule == "stated":
        return raw.strip()
    last = max(marks, key=lambda f: f.after)
    _, end = clean.raw_span(last.start, last.after)
    return raw[end:].lstrip(' \t\r\n*_`#:：。.,，;；)）]】"”」}').rstrip(" \t\r\n*_`")
