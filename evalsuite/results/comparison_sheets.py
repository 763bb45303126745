"""The sheet of `evalsuite compare`, and the items on which A and B differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.numbers import fixed, p_words
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.compare import COMPARED, Comparison
from evalsuite.results.outcomes import FLIP
from evalsuite.results.words import WAY, family_size, task_and_set
from evalsuite.types import PLACE

_KEYWORDS = {part: keyword for keyword, part in COMPARED.items()}  # part of a place -> the flag that chooses it


def comparison_sheets(rows: Sequence[Comparison], flips: int) -> Iterator[Sheet | Text | str]:
    """The sheet of differences; then, as text for each row, the number of items on which A and B differ, and up to `flips` of
    those on which they differ by FLIP or more."""
    yield _differences(rows)
    for r in rows:
        differ = r.a_higher + r.b_higher
        if not flips or not differ:
            continue
        model = f"{name} " if (name := _model(rows, r)) else ""
        where = _label(rows, r, model)
        yield ""
        yield Text(
            f"{where.zh}：{r.items} 题中有 {differ} 题得分不同，A 较高 {r.a_higher} 题，B 较高 {r.b_higher} 题{_by_half(r).zh}",
            f"{where.en}: {differ} of {r.items} items differ, {r.a_higher} for A, {r.b_higher} for B{_by_half(r).en}",
        )
        half = max(1, flips // 2)
        shown = r.flips if len(r.flips) <= flips else (*r.flips[: flips - half], *r.flips[-half:])
        for f in shown:
            b_item = f.b_item or f.item
            gold = f.item.target if b_item.target == f.item.target else f"A {f.item.target}, B {b_item.target}"
            yield Text(f"  {f.item.id}  正确答案 {gold}", f"  {f.item.id}  gold {gold}")
            yield f"    A {f.a_score:.2f} {_short(f.a)}"
            yield f"    B {f.b_score:.2f} {_short(f.b)}"
        if len(r.flips) > len(shown):
            more, every = len(r.flips) - len(shown), len(r.flips)
            yield Text(f"  … 另有 {more} 题；--flips {every}", f"  … {more} more; --flips {every}")


def _by_half(row: Comparison) -> Text:
    """The number of differing items that differ by FLIP or more; empty if all do."""
    far = len(row.flips)
    if far == row.a_higher + row.b_higher:
        return Text("", "")
    a = sum(flip.a_score > flip.b_score for flip in row.flips)
    higher = Text(f"，A {a} 题，B {far - a} 题", f", {a} for A, {far - a} for B") if far else Text("", "")
    return Text(f"；其中相差 {FLIP} 及以上的有 {far} 题{higher.zh}", f"; by {FLIP} or more {far or 'none'}{higher.en}")


def _short(reply: str) -> str:
    """The beginning of a reply in one line, with control characters escaped."""
    return repr(reply[:100] + ("…" if len(reply) > 100 else ""))


def _model(rows: Sequence[Comparison], row: Comparison) -> str:
    """The row's model if the rows have several, else ""."""
    return row.model or "" if len({r.model for r in rows}) > 1 else ""


def _label(rows: Sequence[Comparison], row: Comparison, before: str = "") -> Text:
    """Set and task of a row, after `before`; then those parts of its split and way in which the rows differ."""
    varying = [name for name in ("split", *WAY) if len({getattr(r, name) for r in rows}) > 1]
    words = (f"{row.shots}-shot" if name == "shots" else str(getattr(row, name)) for name in varying)
    way = "".join(f" {word}" for word in words if word not in ("generate", "none"))
    return task_and_set(TASKS[row.task], row.set, before, way)


def _differences(rows: Sequence[Comparison]) -> Sheet:
    """A row per comparison, below its model where there are several: scores of A and B, their difference, and p-values."""
    some_left = any(r.left_out for r in rows)
    lines: list[Row] = []
    model = ""
    for r in rows:
        holm = Value(r.p_holm, asides=("*" if r.p_holm < 0.05 else "?" if r.least_p_holm >= 0.05 else "",))
        left = [r.left_out or None] if some_left else []
        cells = (_label(rows, r), r.items, *left, r.a, r.b, r.difference, Value(None, r.low, r.high), r.p, holm)
        if (heading := _model(rows, r)) != model:
            lines.append(Row((heading, *[None] * (len(cells) - 1)), "group", {"model": heading}))
            model = heading
        lines.append(Row(cells, about=r.place))
    columns = (
        Column("task"),
        Column("n", kind="count"),
        *([Column("left out", kind="count")] if some_left else []),
        Column("A %", kind="percent"),
        Column("B %", kind="percent"),
        Column("A-B", kind="percent", signed=True),
        Column(Text("95%", "95 %"), kind="percent", signed=True, interval="alone"),
        Column("p", kind="p"),
        Column("p Holm", kind="p"),
    )
    a, b = (f"{name}-shot" if rows[0].by == "shots" else name for name in (rows[0].a_name, rows[0].b_name))
    names = {r.model for r in rows}
    only = names.pop() if len(names) == 1 else None  # several models have headings above their rows
    title = Text(f"A（{a}）减 B（{b}）", f"A ({a}) less B ({b})")
    if only:
        title = Text(f"{only}：{title.zh}", f"{only}: {title.en}")
    return Sheet("comparison", title, columns, tuple(lines), tuple(_notes(rows, some_left)))


def _detectable(rows: Sequence[Comparison]) -> Text:
    """A sentence on the smallest difference that each row could detect; for more than four rows, their range."""
    known = [(r, 100 * r.detectable) for r in rows if r.detectable is not None]
    if not known:
        return Text(
            "对话不足 6 段：再大的差异也检不出。", "Fewer than 6 dialogues: no difference is large enough to be found."
        )
    if len(known) > 4:
        differences = [value for _, value in known]
        spread = f"{fixed(min(differences), 1)}–{fixed(max(differences), 1)}"
        shown = Text(spread, spread)
    else:
        each = [(_label(rows, r), fixed(value, 1)) for r, value in known]
        shown = Text("、".join(f"{x.zh} {n}" for x, n in each), ", ".join(f"{x.en} {n}" for x, n in each))
    return Text(
        f"能检出的差异：以这些题和对话，真实差异达到以下百分点时，有 80% 的机会得到 p < 0.05（单独一行）：{shown.zh}。",
        "What they can show: true differences from here on have an 80 % chance of p < 0.05 (of the row alone), in points: "
        f"{shown.en}.",
    )


def _notes(rows: Sequence[Comparison], some_left: bool) -> Iterator[Text]:
    several = [n for n in PLACE if n not in ("task", "set") and len({getattr(r, n) for r in rows}) > 1]
    alike = ", ".join(f"--{_KEYWORDS.get(name, name)}" for name in several)
    many = family_size(r.family for r in rows)
    rows_en = "row" if many == "1" else "rows"
    family = (
        Text(f" {alike} 相同的 {many} 行", f"{many} {rows_en} with the same {alike}")
        if alike
        else Text(f"上表 {many} 行", f"{many} {rows_en}")
    )
    yield Text("n：A 与 B 均已作答、可配对的题数。", "n: items that both answered, as pairs.")
    if some_left:
        yield Text(
            "略去：其中一方没有作答或尚未提问的题数。",
            "left out: items that one of the two did not answer, or was not asked.",
        )
    yield Text(
        "95%：单独一行的 95% 置信区间，以对话为单位；p ≥ 0.05 时区间包含 0。p：每题各属一段对话时用 McNemar 检验，否则用按对话的配对置换检验。",
        "95 %: of the row alone, dialogues are the units; 0 is inside if p is 0.05 or more. p: McNemar where each item has "
        "its own dialogue, else permutation of dialogues.",
    )
    yield Text(
        f"p Holm：对{family.zh}作 Holm 校正；* 小于 0.05。只选部分任务或题集时，仅对所选各行校正。?：得分不同的对话太少，p Holm 不可能低于 0.05，无法判断。",
        f"p Holm: corrected over {family.en}; * below 0.05. Chosen tasks or sets are a family of their own. ?: too few "
        "to tell; so few dialogues differ that p Holm cannot be below 0.05.",
    )
    least = min(r.least_p_holm for r in rows)
    if least >= 0.05:
        yield Text(
            f"以这些对话，任何一行的 p Holm 都不可能低于 {p_words(least)}。",
            f"With these dialogues, p Holm of no row can be below {p_words(least)}.",
        )
    yield _detectable(rows)
    if any(r.p < 0.05 <= r.p_holm for r in rows):
        yield Text(
            "区间不含 0 而 p Holm ≥ 0.05：单独一行看差异明显，作 Holm 校正后则不然。",
            "An interval without 0 beside p Holm of 0.05 or more: the row differs by itself, but not after Holm over its family.",
        )
