"""Reads what a question asks for, as far as cutting a span needs it (rules 12 and 13)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evalsuite.parse.chars import key


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for, as far as cutting a span needs it."""

    kind: str = ""  # "conflict", "cause", "effect", "fact" or ""
    leads: tuple[str, ...] = ()  # the question before its 什么, squeezed, which replies restate
    event: str = ""  # the event that the question names, squeezed
    noun: str = ""  # the attribute it asks for: 频率, 发生位置
    verbal: bool = False  # asks 包含什么, not 是什么
    a_kind: bool = False  # asks 是一个或一种什么


_WHAT = re.compile(r"(?:是)?(?:什么|哪里|哪儿|谁|多久|多少|几|怎么样|怎样|如何|哪)")
_EVENT = re.compile(r"[“\"「『']([^”\"」』']{1,80})[”\"」』']")


def parse_question(question: str | None) -> Asked:
    """Parse a question. Knows the official wording but does not depend on it; None or "" gives an empty `Asked`."""
    if not question:
        return Asked()
    tail = re.split(r"[:：]", question)[-1]
    event = _EVENT.findall(tail)
    if re.search("抽取|不符|矛盾|冲突|不一致", question):
        return Asked("conflict")
    kind = "fact"
    if re.search("原因|为什么|导致事件|前提|目的|为何", tail):
        kind = "cause"
    elif re.search("导致的|后续|结果|后果|影响|反应", tail):
        kind = "effect"
    clause = (
        re.split(r"[,，]", tail)[-1]
        if not event
        else tail[max(tail.rfind("，", 0, tail.find(event[0])), tail.rfind(",", 0, tail.find(event[0]))) + 1 :]
    )
    # Search behind the event, which may itself contain 什么 or 谁.
    what = _WHAT.search(clause, clause.find(event[-1]) + len(event[-1]) if event and event[-1] in clause else 0)
    lead = key(clause[: what.start()]) if what else ""
    leads = (
        tuple(
            dict.fromkeys(
                lead.replace("是一个或一种", word) for word in ("是一个或一种", "是一种", "是一个", "是", "属于")
            )
        )
        if lead
        else ()
    )
    noun = re.search(r"的([^的“”\"]{2,8}?)是?什么", clause)
    return Asked(
        kind,
        leads,
        key(event[-1]) if event else "",
        key(noun[1]) if noun else "",
        what is not None and not what.group().startswith("是"),
        "一个或一种" in tail or "一种什么" in tail or "一个什么" in tail,
    )


def likeness(text: str, event: str) -> float:
    """The share of an event's characters that occur in a text, 0 to 1."""
    letters = set(key(text))
    return sum(c in letters for c in event) / len(event) if event else 0.0
