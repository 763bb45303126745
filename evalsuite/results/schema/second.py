"""The key "second" of results.json, and the lines of second/*.jsonl (docs/second_reader.md)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evalsuite.results.schema.base import (
    Cell,
    Count,
    Hash,
    Interval,
    Name,
    Number,
    Rows,
    Settings,
    Share,
    Strict,
    Task,
)
from evalsuite.results.schema.record import AnswerRead

Relation = Literal["same", "other", "first_only", "second_only", "neither"]
Verdict = Literal["answer", "none", "refused", "several", "unreadable", "failed", "missing"]
Why = Literal["unread", "long", "sample"]


class Agreed(Strict):
    n: Count = Field(description="Replies with a verdict.")
    agree: Count


class Counts(Strict):
    """How the second reader and the parser, the first reader, part."""

    asked: Count = Field(description="Replies that the second reader was asked about.")
    n: Count = Field(description="Those with a verdict: the others are unreadable, failed or missing.")
    agreement: Share | None = Field(description="Share of the n with the same answer, or with none by either.")
    relations: dict[Relation, Count] = Field(description="Who found an answer, and whether it is the same.")
    statuses: dict[str, dict[Verdict, Count]] = Field(description="The parser's status -> the second reader's verdict.")
    reasons: dict[Why, Agreed] = Field(
        description="Why they were asked: the parser found no answer, the reply is long, or it was drawn at random."
    )


class SecondTask(Counts, Interval):
    """One second reader on one task, over all models, sets and ways of asking."""

    reader: Name
    task: Task
    measure: Literal["kappa", "f1"] = Field(
        description="Of `value`: Cohen's kappa of choices; mean F1 of the two answers to spans and texts."
    )


class Parting(Strict):
    """A reply that the readers read differently."""

    item: str
    rotation: Count
    sample: Count
    relation: Relation
    first: str = Field(description="The parser's answer: labels, the beginning of a text, or without one the status.")
    second: str = Field(description="The second reader's, or its verdict.")


class ReadingFacts(Strict):
    """The hashes and settings that the verdicts depend on."""

    template: Hash
    fingerprint: str
    backend: str
    chat: bool
    sampling: Settings
    max_new_tokens: Count
    longer: Count = Field(description="Longer replies were asked, in characters.")
    sample: Count = Field(description="Other replies drawn from the whole run.")
    seed: int


class SecondCell(Cell, Counts):
    """One second reader on one cell."""

    reader: Name
    metric: str = Field(description="The task's headline.")
    replies: Count = Field(description="Of the cell; the second reader gave a verdict on n.")
    first: Number = Field(description="The headline: its value in `cells`.")
    second: Interval = Field(
        description="The same with the second reader's answers to the n, the parser's to the others."
    )
    parted: Rows[Parting]
    errors: dict[str, Count]
    records: str = Field(pattern=r"^second/[^/\\]+\.jsonl$")
    facts: ReadingFacts


class Second(Strict):
    """Second readers beside the parser. No other figure depends on them."""

    tasks: Rows[SecondTask]
    cells: Rows[SecondCell]


class SecondRecord(Cell):
    """A line of second/*.jsonl: one reply, what the second reader was asked about it and said, and both readings."""

    reader: Name
    item: str
    rotation: Count
    sample: Count
    reply_key: Hash = Field(description="The key of the reply's own record.")
    why: Why
    prompt: str
    key: Hash
    reply: str | None
    finish: str
    error: str | None
    prompt_tokens: Count
    new_tokens: Count
    first: AnswerRead
    verdict: Verdict
    second: AnswerRead | None
    relation: Annotated[str, Field(pattern="^(same|other|first_only|second_only|neither|)$")]
    reasoning: str | None = Field(default=None, description="Where an endpoint returns it apart.")
