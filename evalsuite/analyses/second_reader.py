"""A second reader beside the parser, which is the first: its replies in the store -> second/*.jsonl, and counts of the replies
on which the two differ (docs/second_reader.md).

All other figures are the parser's. A second reader is a model that was shown replies and asked what they chose
(evaluation/second_reader.py); no model is asked here. Its own replies have a fixed form, which is compared exactly and never
parsed. A reply in another form is "unreadable", which is no verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from statistics import fmean
from typing import Annotated, Literal, get_args

from pydantic import Field

from evalsuite.analyses.stored_reply import StoredReply
from evalsuite.analyses.value_columns import Columns, ValueColumn, cell_names, table
from evalsuite.benchmarks.languages import reply_text
from evalsuite.benchmarks.registry import TASKS, benchmark_of, metric_named, set_order, task_order
from evalsuite.common.dialogue import sources
from evalsuite.common.fences import defuse_fences
from evalsuite.common.files import safe_name
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.metrics.agreement import cohen_kappa, kappa_interval
from evalsuite.results.analysis import Analysis, Results, ScoredCell, ScoredRun
from evalsuite.results.outcomes import ScoredReply
from evalsuite.results.records import name_parts, reply_name
from evalsuite.results.schema.base import (
    CellFields,
    Count,
    Hash,
    IntervalFields,
    Located,
    Name,
    Number,
    Rows,
    SettingsFields,
    Share,
    Strict,
    TaskName,
)
from evalsuite.results.schema.record import AnswerRead
from evalsuite.results.scoring import ScoredItems, intervals, score_cell
from evalsuite.results.store import ReaderRow
from evalsuite.results.words import estimate_marks, metric_heading, outcome_words, task_heading, titled
from evalsuite.types import Answer, Item, Place, Response, Status, Trial

ReadingRelation = Literal["same", "other", "first_only", "second_only", "neither"]
ReadingOutcome = Literal["answer", "none", "refused", "several", "unreadable", "failed", "missing"]
Why = Literal["unread", "long", "sample"]


class Agreed(Strict):
    """Counts of replies that got the same reading."""

    n: Count = Field(description="Replies with a verdict.")
    agree: Count


class ReaderCounts(Strict):
    """Counts of the replies that the second reader was asked about, by how its verdict agrees with the parser's answer."""

    asked: Count = Field(description="Replies that the second reader was asked about.")
    n: Count = Field(description="Replies with a verdict: the others are unreadable, failed or missing.")
    agreement: Share | None = Field(description="Share of the n with the same answer, or with none by either.")
    relations: dict[ReadingRelation, Count] = Field(description="Who found an answer, and whether it is the same.")
    statuses: dict[str, dict[ReadingOutcome, Count]] = Field(
        description="The parser's status -> the second reader's verdict."
    )
    reasons: dict[Why, Agreed] = Field(
        description="Why they were asked: the parser found no answer, the reply is long, or it was drawn at random."
    )


class SecondTask(ReaderCounts, IntervalFields, Located):
    """One second reader on one task, over all models, sets and ways of asking."""

    reader: Name
    task: TaskName
    measure: Literal["kappa", "f1"] = Field(
        description="Measure of `value`: Cohen's kappa of choices; mean F1 of the two answers to spans and texts."
    )


class ReadingDifference(Strict):
    """A reply that the readers read differently."""

    item: str
    rotation: Count
    sample: Count
    relation: ReadingRelation
    first: str = Field(description="The parser's answer: labels, the beginning of a text, or without one the status.")
    second: str = Field(description="The second reader's answer, or its verdict.")


class ReadingFacts(Strict):
    """The hashes and settings that the verdicts depend on."""

    template: Hash
    fingerprint: str
    backend: str
    chat: bool
    sampling: SettingsFields
    max_new_tokens: Count
    longer: Count = Field(description="Characters of a reply beyond which the second reader is asked about it.")
    sample: Count = Field(description="Number of other replies that were drawn from the whole run.")
    seed: int


class SecondCell(CellFields, ReaderCounts):
    """One second reader on one cell."""

    reader: Name
    metric: str = Field(description="The task's headline.")
    replies: Count = Field(description="Number of replies of the cell; the second reader gave a verdict on n.")
    first: Number = Field(description="Value of the headline in `cells`.")
    second: IntervalFields = Field(
        description="Value of the headline with the second reader's answers to the n replies, the parser's to the others."
    )
    parted: Rows[ReadingDifference]
    errors: dict[str, Count]
    records: str = Field(pattern=r"^second/[^/\\]+\.jsonl$")
    facts: ReadingFacts


class SecondReaders(Strict):
    """Second readers beside the parser. No other figure depends on them."""

    tasks: Rows[SecondTask]
    cells: Rows[SecondCell]


class _AskedReply(CellFields):
    reader: Name
    item: str
    rotation: Count
    sample: Count
    reply_key: Hash = Field(description="The key of the reply's own record.")
    why: Why
    prompt: str


class SecondRecord(StoredReply, _AskedReply):  # the fields of the last base come first
    """A line of second/*.jsonl: one reply, what the second reader was asked about it and said, and both readings."""

    first: AnswerRead
    verdict: ReadingOutcome
    second: AnswerRead | None
    relation: Annotated[str, Field(pattern="^(same|other|first_only|second_only|neither|)$")]


SHOWN = 8_000  # the most characters of a reply that a second reader sees: a longer one loses its middle
# The replies in the form that name no option -> the status that they state.
_WORDS = {"NONE": Status.UNPARSED, "REFUSED": Status.REFUSED}
_READ_AS: dict[Status, ReadingOutcome] = {
    Status.PARSED: "answer",
    Status.UNPARSED: "none",
    Status.REFUSED: "refused",
    Status.SEVERAL: "several",
}
AGREE = ("same", "neither")  # the relations of readings that count as agreement


def shown_reply(response: Response) -> str:
    """The reply as a second reader sees it: without thinking, unless there is nothing else; fences inside are defused."""
    text = reply_text(response) or response.text.strip()
    if len(text) > SHOWN:
        half = SHOWN // 2
        text = f"{text[:half]}\n[… {len(text) - SHOWN} …]\n{text[-half:]}"
    return defuse_fences(text)


def read_form(item: Item, shown: str, response: Response) -> Answer | None:
    """The answer that a second reader's reply states; None for a reply that is not in the form, or was cut off.

    The form: labels of options, separated by commas, or one option's line; for spans and texts a stretch of `shown`, verbatim;
    NONE; REFUSED.
    """
    reply = reply_text(response)
    if response.finish == "length" or not reply:
        return None
    if reply in _WORDS:
        return Answer(_WORDS[reply], rule="second reader")
    kind = TASKS[item.task].kind
    if not kind.options:
        return Answer(Status.PARSED, text=reply, rule="second reader") if reply in shown else None
    forms = {form: n for n, both in enumerate(zip(item.labels, item.indicators, strict=True)) for form in both}
    # An option's whole line, as it was shown, is in the form, too.
    lines = {
        label + gap + option: n
        for n, (label, option) in enumerate(zip(item.labels, item.options, strict=True))
        for gap in ("", " ")
    }
    named = [lines[reply]] if reply in lines else [forms.get(part.strip()) for part in reply.split(",")]
    chosen = tuple(sorted(n for n in named if n is not None))
    if None in named or len(set(chosen)) < len(chosen):
        return None
    text = "；".join(item.options[n] for n in chosen)
    if kind.several:
        return Answer(Status.PARSED, text=text, rule="second reader", choices=chosen)
    if len(chosen) > 1:
        return Answer(Status.SEVERAL, rule="second reader")
    return Answer(Status.PARSED, chosen[0], text, rule="second reader")


@dataclass(frozen=True, slots=True)
class ReadingPair:
    """The readings of one reply by both readers."""

    trial: Trial
    why: Why  # the reason why the second reader was asked
    first: Answer
    second: Answer | None  # the second reader's answer; None without a verdict
    verdict: ReadingOutcome

    @property
    def relation(self) -> ReadingRelation | None:
        """Whether both readers found an answer, and the same one, or only one did; None without a verdict."""
        if self.second is None:
            return None
        answered = (self.first.status is Status.PARSED, self.second.status is Status.PARSED)
        if all(answered):
            return "same" if self.overlap["em"] == 1 else "other"
        return "first_only" if answered[0] else "second_only" if answered[1] else "neither"

    @property
    def overlap(self) -> Mapping[str, float]:
        """F1 and EM between the two answers: for texts by the task's measure, for choices 1 or 0; 1 if neither has an answer."""
        item, second = self.trial.item, self.second or self.first
        if TASKS[item.task].kind.options or Status.PARSED not in (self.first.status, second.status):
            return dict.fromkeys(("f1", "em"), float(category(self.first) == category(second)))
        return benchmark_of(item.task).language.score(second.text or "", [self.first.text or ""])


def category(answer: Answer) -> tuple[int, ...] | None:
    """The category that kappa compares: the chosen options; None for no answer."""
    return answer.chosen if answer.status is Status.PARSED else None


def compute(run: ScoredRun) -> SecondReaders | None:
    """The second readers' results, with a file of records for each reader and cell; None if none was asked."""
    scored = {cell.place: cell for cell in run.cells}
    rows: list[SecondCell] = []
    by_task: dict[tuple[str, str], list[ReadingPair]] = {}
    for place, facts, asked in run.replies.questions("reader"):
        reader, cell = place["reader"], scored.get(Place.of(place))
        if cell is None:
            continue
        replies: _Replies = {
            (reply[0].item.id, reply[0].rotation, reply[0].request.sample): (key, reply)
            for key, reply in run.replies.of(cell.outcomes.cell)
            if reply[1].error is None
        }
        lines, pairs = list[SecondRecord](), dict[_Name, ReadingPair]()
        for row in asked:
            name = (row["item"], row["rotation"], row["sample"])
            if name not in replies or replies[name][0] != row["key"]:
                continue  # the reply was replaced since
            trial, response, first, _ = replies[name][1]
            reading = run.replies.response(row["asked"])
            pairs[name] = _pair(trial, row["why"], response, first, reading)
            lines.append(_record(reader, cell.place, row, pairs[name], reading))
        if not pairs:
            continue
        path = f"second/{safe_name(reader, *name_parts(cell.place))}.jsonl"
        with run.write_records(path) as write_record:
            for line in lines:
                write_record(line)
        errors = Counter(line.error for line in lines if line.error is not None)
        first_value, second = _scores(
            run, cell, [reply for _, reply in replies.values()], [pairs.get(n) for n in replies]
        )
        rows.append(
            SecondCell(
                **cell.place.as_dict(),
                reader=reader,
                **dict(counts(list(pairs.values()))),
                metric=cell.outcomes.headline,
                replies=len(replies),
                first=first_value,
                second=second,
                parted=[_reading_difference(pair) for pair in pairs.values() if pair.relation not in (None, *AGREE)],
                errors=dict(errors.most_common(5)),
                records=path,
                facts=ReadingFacts.model_validate(facts),
            )
        )
        by_task.setdefault((reader, cell.place.task), []).extend(pairs.values())
    tasks = [
        SecondTask(
            reader=reader, task=task, measure=_measure(task), **dict(counts(pairs)), **dict(agreement(task, pairs))
        )
        for (reader, task), pairs in by_task.items()
    ]
    return SecondReaders(tasks=tasks, cells=rows) if rows else None


_Name = tuple[str, int, int]  # item, rotation, sample
_Replies = Mapping[_Name, tuple[str, ScoredReply]]  # (reply's key, the scored reply)


def _pair(trial: Trial, why: Why, response: Response, first: Answer, reading: Response | None) -> ReadingPair:
    if reading is None or reading.error is not None:
        return ReadingPair(trial, why, first, None, "missing" if reading is None else "failed")
    second = read_form(trial.item, shown_reply(response), reading)
    return ReadingPair(trial, why, first, second, "unreadable" if second is None else _READ_AS[second.status])


def counts(pairs: Sequence[ReadingPair]) -> ReaderCounts:
    """Counts of the replies that a second reader was asked about: by reason, by status, and by agreement with the parser."""
    read = [pair for pair in pairs if pair.second is not None]
    statuses: dict[str, Counter[ReadingOutcome]] = {}
    for pair in pairs:
        statuses.setdefault(pair.first.status.value, Counter())[pair.verdict] += 1
    relations = Counter(pair.relation for pair in read)
    reasons = {why: [pair for pair in read if pair.why == why] for why in get_args(Why)}
    return ReaderCounts(
        asked=len(pairs),
        n=len(read),
        agreement=fmean(pair.relation in AGREE for pair in read) if read else None,
        relations={name: relations[name] for name in get_args(ReadingRelation)},
        statuses={status: dict(sorted(verdicts.items())) for status, verdicts in sorted(statuses.items())},
        reasons={
            why: Agreed(n=len(pairs_asked), agree=sum(pair.relation in AGREE for pair in pairs_asked))
            for why, pairs_asked in reasons.items()
            if pairs_asked
        },
    )


def _measure(task: str) -> Literal["kappa", "f1"]:
    return "kappa" if TASKS[task].kind.options else "f1"


def agreement(task: str, pairs: Sequence[ReadingPair]) -> IntervalFields:
    """Cohen's kappa of the chosen options, "no answer" being one; of spans and texts mean F1 of the two answers instead.

    The 95 % interval is by dialogues; low and high are None with one dialogue, those of kappa with fewer than thirty.
    """
    from evalsuite.metrics.statistics import scale_mean

    read = [pair for pair in pairs if pair.second is not None]
    value = low = high = None
    if read:
        clusters = sources([pair.trial.item.context for pair in read])
        rng = Random(f"second:{task}")
        if _measure(task) == "kappa":
            both = [category(p.first) for p in read], [category(p.second or p.first) for p in read]
            value, (low, high) = cohen_kappa(*both), kappa_interval(*both, clusters, rng)
        else:
            overlaps = [pair.overlap["f1"] for pair in read]
            value, (low, high) = fmean(overlaps), scale_mean(overlaps, clusters, rng)
    return IntervalFields(value=value, low=low, high=high)


def _scores(
    run: ScoredRun, cell: ScoredCell, replies: Sequence[ScoredReply], pairs: Sequence[ReadingPair | None]
) -> tuple[float | None, IntervalFields]:
    """The cell's headline metric by the parser, and by the second reader, with the parser's answers where it has no verdict.

    In an estimated cell, both cover the items asked, without weights and interval, so that they differ by the reading alone.
    """
    place, metric = cell.place, cell.outcomes.headline
    trials, responses, firsts, _ = zip(*replies, strict=True)
    seconds = [pair.second if pair and pair.second else first for pair, first in zip(pairs, firsts, strict=True)]

    def by(answers: Sequence[Answer]) -> ScoredItems:
        return score_cell(
            [t.item for t in trials],
            responses,
            run.reading,
            answers,
            place.perturb,
            cell.outcomes.cell.facts,
            [t.request.sample for t in trials],
            place.variant,
        )

    scored, first = by(seconds), cell.result.headline.value
    if not scored.items:  # every item has a rotation that failed
        return first, IntervalFields(value=None, low=None, high=None)
    if cell.result.is_estimate:
        return by(firsts).value(metric), IntervalFields(value=scored.value(metric), low=None, high=None)
    figure = intervals(scored, f"0:bootstrap:{place.task}:{place.set}:{place.split}")[metric]
    return first, IntervalFields(value=figure.value, low=figure.low, high=figure.high)


def _record(reader: str, place: Place, row: ReaderRow, pair: ReadingPair, reading: Response | None) -> SecondRecord:
    """One line of second/: all that a reviewer needs to check a verdict."""
    return SecondRecord(
        reader=reader,
        **place.as_dict(),
        item=row["item"],
        rotation=row["rotation"],
        sample=row["sample"],
        reply_key=row["key"],
        why=pair.why,
        prompt=row["prompt"],
        **dict(StoredReply.of(row["asked"], reading or Response("", ""))),
        first=AnswerRead.of(pair.first),
        verdict=pair.verdict,
        second=AnswerRead.of(pair.second) if pair.second else None,
        relation=pair.relation or "",
    )


def _reading_difference(pair: ReadingPair) -> ReadingDifference:
    trial, second = pair.trial, pair.second or pair.first
    assert pair.relation
    return ReadingDifference(
        item=trial.item.id,
        rotation=trial.rotation,
        sample=trial.request.sample,
        relation=pair.relation,
        first=_says(trial.item, pair.first) or pair.first.status.value,
        second=_says(trial.item, second) or pair.verdict,
    )


def _says(item: Item, answer: Answer) -> str:
    """An answer in a few words: its labels, or the beginning of its text; "" for none."""
    return ", ".join(item.labels[n] for n in category(answer) or ()) or (answer.text or "")[:80]


def problems(second: SecondReaders) -> Iterator[str]:
    """A line for each cell with requests that failed, and for each with requests that are still to be made."""
    for cell in second.cells:
        name = f"second reader {cell.reader}, {cell.place.name}"
        failed, missing = (
            sum(verdicts.get(kind, 0) for verdicts in cell.statuses.values()) for kind in ("failed", "missing")
        )
        if failed:
            yield f"{name}: {failed} of {cell.asked} requests failed: {'; '.join(cell.errors)}"
        if missing:
            yield f"{name}: {missing} of {cell.asked} not asked yet: the same command goes on"


def second_cells(results: Results) -> list[SecondCell]:
    """The cells that second readers read; none in a run without them."""
    return second.cells if (second := results.of(ANALYSIS)) else []


# --- tables

_RELATIONS: dict[ReadingRelation, Text] = {
    "same": Text("答案相同", "same"),
    "other": Text("答案不同", "other"),
    "first_only": Text("仅解析器", "parser only"),
    "second_only": Text("仅第二读者", "reader only"),
    "neither": Text("都无", "neither"),
}
_VERDICTS = {"answer": "答案", "none": "无答案", "unreadable": "不合格式"}
_ASKED_WHY: dict[Why, Text] = {
    "unread": Text("无答案", "no answer"),
    "long": Text("长", "long"),
    "sample": Text("抽样", "sample"),
}
_LEGEND = Text(
    "一致：答案相同，或都未找到答案。κ：选项任务的 Cohen’s kappa，“无答案”算一类；F1：片段与短文本两个答案之间的平均重合，代替 κ。均附按对话的 "
    "95% 置信区间。缺：没有判断的回复（不合格式、请求失败或尚未询问）。所问的回复不是随机的（见上），故一致率不是整个运行的一致率。",
    "agree: the same answer, or none by either. κ: Cohen's kappa of choices, “no answer” being one; F1: mean overlap of the two "
    "answers to spans and texts, in place of κ; both with the 95 % interval over dialogues. lost: replies without a verdict "
    "(not in the form, failed, or not asked yet). The replies asked are no random ones, so this is not the agreement on the run.",
)
_SCORES = Text(
    "“第二读者”：它有判断的回复按它的读法计分，其余仍按解析器的读法。成绩、记录与排行榜一律按解析器。",
    "second reader: the score with its reading of the replies that it gave a verdict on, and the parser's reading of all others. "
    "Every score elsewhere, the records and the leaderboard are the parser's alone.",
)


def sheets(results: Results) -> Iterator[Sheet]:
    """Sheets for each second reader: agreement by task, statuses of both readers, and the headline scores by both."""
    if not (second := results.of(ANALYSIS)):
        return
    marks = estimate_marks(results.cells)
    for reader in dict.fromkeys(row.reader for row in second.tasks):
        tasks = [row for row in second.tasks if row.reader == reader]
        yield _tasks(reader, sorted(tasks, key=lambda row: task_order(row.task)))
        yield _statuses(tasks)
        yield _sheet_of_scores([row for row in second.cells if row.reader == reader], marks)


def _tasks(reader: str, tasks: Sequence[SecondTask]) -> Sheet:
    def count_of(relation: ReadingRelation) -> ValueColumn[SecondTask]:
        return Column(_RELATIONS[relation], kind="count"), lambda row: row.relations[relation]

    columns: Columns[SecondTask] = (
        (Column(""), lambda row: task_heading(TASKS[row.task])),
        (Column(Text("所问", "asked"), kind="count"), lambda row: row.asked),
        (Column(Text("缺", "lost"), kind="count"), lambda row: row.asked - row.n),
        (Column(Text("一致", "agree"), "%", "percent"), lambda row: Value(row.agreement)),
        (
            Column("κ, F1", kind="number"),
            lambda row: replace(row.as_value, asides=(" F1",) if row.measure == "f1" else ()),
        ),
        *map(count_of, _RELATIONS),
    )
    asked = {why: [row.reasons[why] for row in tasks if why in row.reasons] for why in _ASKED_WHY}
    sums = {why: (sum(r.agree for r in agreed), sum(r.n for r in agreed)) for why, agreed in asked.items() if agreed}
    why = Text(
        "一致的条数，按所问缘由：" + "；".join(f"{_ASKED_WHY[k].zh} {a}/{n}" for k, (a, n) in sums.items()),
        "agree, by why they were asked: " + "; ".join(f"{_ASKED_WHY[k].en} {a} of {n}" for k, (a, n) in sums.items()),
    )
    title = Text(f"第二读者 {reader} 与解析器", f"Second reader {reader} beside the parser")
    return Sheet("second", title, *table(columns, tasks), (why, _LEGEND) if sums else (_LEGEND,))


def _statuses(tasks: Sequence[SecondTask]) -> Sheet:
    """The parser's status against the second reader's verdict, over all tasks."""
    counts_of: dict[str, Counter[str]] = {}
    for row in tasks:
        for status, verdicts in row.statuses.items():
            counts_of.setdefault(status, Counter()).update(verdicts)
    names = [name for name in get_args(ReadingOutcome) if any(counter[name] for counter in counts_of.values())]
    rows = tuple(
        Row((_word(status), *(counter[name] for name in names))) for status, counter in sorted(counts_of.items())
    )
    title = Text("解析器的状态（行）与第二读者的判断（列）", "The parser's status, by the second reader's verdict")
    return Sheet("second-statuses", title, (Column(""), *(Column(_word(name), kind="count") for name in names)), rows)


def _word(name: str) -> Text:
    return Text(_VERDICTS[name], name) if name in _VERDICTS else outcome_words(name)


def _sheet_of_scores(cells: Sequence[SecondCell], marks: Mapping[Place, list[str]]) -> Sheet:
    order = sorted(cells, key=lambda c: (c.model, set_order(c.set), task_order(c.task), c.way))
    cell_name = cell_names(cells)

    def name(cell: SecondCell) -> Text:
        heading = metric_heading(metric_named(cell.metric))
        return titled(cell_name(cell), f" {heading.zh}", f" {heading.en}")

    def change(cell: SecondCell) -> Value:
        first, second = cell.first, cell.second.value
        return Value(None if first is None or second is None else second - first)

    columns: Columns[SecondCell] = (
        (Column(""), name),
        (Column(Text("有判断", "verdicts"), kind="count"), lambda cell: cell.n),
        (Column(Text("回复", "replies"), kind="count"), lambda cell: cell.replies),
        (
            Column(Text("解析器", "parser"), kind="percent"),
            lambda cell: Value(cell.first, flags=tuple(marks.get(cell.place, ()))),
        ),
        (Column(Text("第二读者", "second reader"), kind="percent"), lambda cell: cell.second.as_value),
        (Column(Text("差", "change"), kind="percent", signed=True), change),
    )
    title = Text("按两位读者的成绩", "Headline scores by both readers")
    return Sheet("second-scores", title, *table(columns, order), (_SCORES,))


_LENGTH = 30  # the most characters shown of an answer; its record has it whole


def difference_sheets(results: Results) -> Iterator[Sheet]:
    """A sheet for each second reader: the replies that it and the parser read differently, one per row."""
    names = (("条目", "item"), ("模型", "model"), ("", ""), ("解析器", "parser"), ("第二读者", "second reader"))
    cells = second_cells(results)
    for reader in dict.fromkeys(cell.reader for cell in cells):
        rows = [
            Row(
                (
                    reply_name(x.item, x.rotation, x.sample),
                    f"{c.model} {c.way}",
                    _RELATIONS[x.relation],
                    x.first[:_LENGTH],
                    x.second[:_LENGTH],
                ),
                about=c.coordinates() | {"item": reply_name(x.item, x.rotation, x.sample)},
            )
            for c in cells
            for x in c.parted
            if c.reader == reader
        ]
        if rows:
            title = Text(f"解析器与 {reader} 读法不同的回复", f"Replies that the parser and {reader} read differently")
            yield Sheet("parted", title, tuple(Column(Text(*both)) for both in names), tuple(rows))


ANALYSIS = Analysis(
    "second",
    sheets,
    SecondReaders,
    compute,
    help="A second reader beside the parser.",
    estimates=True,
    at_end=True,
    problems=problems,
)
DIFFERENCES: Analysis[None] = Analysis(
    "parted", difference_sheets, help="Replies that a second reader and the parser read differently."
)
