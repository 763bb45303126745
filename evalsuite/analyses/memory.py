"""Knowledge and reasoning of a model told apart (docs/memory.md).

Items may rest on facts that other items ask for (`Item.rests_on`). A model's accuracy on items all of whose facts it knows says
how it reasons; on the others, a lacking fact may be why it is wrong. FRMM and MIB, which CHARM's authors compute from the same
outcomes, are in metrics/independence.py.

A fact is known if its item, asked with 0 shots, unperturbed, is right: in more than half of its samples, by the task's first
metric; or, for tasks whose official scoring is a judge, by the verdict of a judge where there is one. Judges read the first
sample. An item that failed, or that the judge gave no verdict on, is neither known nor lacking.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from pydantic import Field

from evalsuite.analyses.item_mean import ItemMean, item_mean, value_or_dash
from evalsuite.analyses.judged.summary import Verdicts, verdicts
from evalsuite.analyses.value_columns import MODEL, Columns, table
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, task_order
from evalsuite.common.dialogue import sources
from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import About, Chart, Column, Row, Sheet, Text, Value
from evalsuite.results.analysis import Analysis, Results, ScoredCell, ScoredRun
from evalsuite.results.outcomes import item_values
from evalsuite.results.schema.base import (
    CellFields,
    Count,
    Located,
    Name,
    Number,
    Perturb,
    PlainName,
    Rows,
    Scoring,
    Set,
    Split,
    Strict,
    TaskName,
)
from evalsuite.results.words import asked_words, task_and_set, titled, with_notes
from evalsuite.types import Coordinates, Place

RIGHT = 0.5  # an item is right if its value, the mean of its samples, is above this

_Positive = Annotated[int, Field(ge=1)]
_Rank = _Positive | None


class KnowledgeWay(Strict):
    """The way in which a model was asked for facts, and the judge of what it knows."""

    facts_of: TaskName = Field(description="The task that asks for them, with 0 shots and unperturbed.")
    wording: PlainName = Field(description="The prompt template's name.")
    metric: str = Field(description="The rule: a metric of the task; of a judge, the scale of its rubric.")
    judge: Name | None = Field(description="The judge whose verdicts count; null: the rule.")


class AccuracyByKnowledge(Strict):
    """A model's items by what it knows of the facts that they rest on: all = known + rest + free + unclear."""

    metric: str = Field(description="The reasoning task's first metric.")
    knowledge: Rows[KnowledgeWay]
    facts: ItemMean | None = Field(description="The facts that the items rest on: the share that the model knows.")
    all: ItemMean | None = Field(description="Every answered item.")
    known: ItemMean | None = Field(description="Items all of whose facts the model knows; null: there are none.")
    rest: ItemMean | None = Field(description="Items of whose facts one or more are lacking; null: there are none.")
    free: Count = Field(description="Items that rest on no fact.")
    unclear: Count = Field(
        description="Items no fact of which is lacking, but one was not asked, failed or got no verdict."
    )


class CellByKnowledge(CellFields, AccuracyByKnowledge):
    """The accuracy of one cell of reasoning items, by what the model knows."""


class _Group(Located):
    """Tasks of a benchmark, asked in one way."""

    benchmark: str
    split: Split
    variant: PlainName
    shots: Count
    scoring: Scoring
    perturb: Perturb
    tasks: Rows[TaskName]
    sets: Rows[Set]


class PooledByKnowledge(_Group, AccuracyByKnowledge):
    """All reasoning items of a model over several tasks."""

    model: Name


class PairedItems(Strict):
    """A pair of models on the items that both retain."""

    against: Name
    items: Count
    margin: Number = Field(description="The model's accuracy less the other's; null: no items.")


class IndependentModel(Located):
    """The authors' measures of one model. Shares, rounded to four decimals as theirs are, in percent, to two."""

    model: Name
    items: Count
    accuracy: Number
    rank: _Rank = Field(description="By accuracy; models that tie share a rank.")
    retained: Count = Field(
        description="Items no fact of which the model lacks; items that rest on none are among them."
    )
    unclear: Count = Field(description="Items not retained only because a fact was not asked or got no verdict.")
    frmm: Number = Field(description="Accuracy on the retained items; null: there are none.")
    frmm_rank: _Rank
    mib: Number = Field(description="Mean of the margins, the model's own zero included; null: no other model.")
    mib_rank: _Rank
    battles: Rows[PairedItems]


class Independent(_Group):
    """FRMM and MIB of the models asked in one way, on facts decided in one way. Baselines and adapters are left out."""

    knowledge: Rows[KnowledgeWay]
    models: Rows[IndependentModel]
    left_out: Rows[Name] = Field(description="Models with replies that failed or are still to be made.")


class Memory(Strict):
    """Items that rest on facts, beside the items that ask for these."""

    tasks: Rows[CellByKnowledge]
    pooled: Rows[PooledByKnowledge]
    independent: Rows[Independent]


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that a model was asked for."""

    known: bool
    context: tuple[str, ...]  # the context of its item, by which intervals find items of one dialogue


@dataclass(frozen=True, slots=True)
class KnownFacts:
    """The facts that one task asks for, which a model knows or lacks."""

    facts: Mapping[str, Fact]  # item's id -> its fact
    way: KnowledgeWay
    whole: bool  # no request failed or is still to be made


@dataclass(frozen=True, slots=True)
class Question:
    """An answered item, and the state of its facts: "known", "rest" (one or more are lacking), "free" (it rests on none) or
    "unclear" (none is lacking, but one was not asked, failed, or got no verdict)."""

    item: str
    value: float
    context: tuple[str, ...]
    state: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """One or more cells of one model, asked in one way, whose items rest on facts."""

    cells: tuple[Place, ...]
    questions: tuple[Question, ...]
    facts: Mapping[str, Fact]  # item's id -> its fact, of the facts with a verdict
    ways: tuple[KnowledgeWay, ...]
    whole: bool  # no request failed or is still to be made, of these cells and of the facts

    @property
    def key(self) -> Coordinates:
        """The key by which models are compared: benchmark, way of asking, tasks and sets."""
        first = self.cells[0]
        place = first.without("model", "task", "set")
        tasks, sets = (tuple(dict.fromkeys(getattr(cell, name) for cell in self.cells)) for name in ("task", "set"))
        return ("benchmark", TASKS[first.task].benchmark), *place, ("tasks", tasks), ("sets", sets)


def compute(run: ScoredRun) -> Memory | None:
    """The analysis of a run; None if the run asks for no fact that its items rest on."""
    return memory(run.cells, partial(verdicts, run.replies))


def memory(
    cells: Sequence[ScoredCell], judged: Callable[[Mapping[str, str]], Iterable[Verdicts]] = lambda rubrics: ()
) -> Memory | None:
    """The analysis of scored cells; None if they ask for no fact that their items rest on.

    judged: a function from task -> rubric of its official scoring to the verdicts of judges by these rubrics.
    """
    plain = [cell for cell in cells if cell.place.perturb == "none"]
    resting = [cell for cell in plain if any(o.item.rests_on for o in cell.outcomes.outcomes)]
    if not resting:
        return None
    known = _knowledge(plain, _facts(resting), judged)
    reasonings = [reasoning for cell in resting if (reasoning := _reasoning(cell, known))]
    if not reasonings:
        return None
    groups = by_key(
        ((TASKS[reasoning.cells[0].task].benchmark, reasoning.cells[0].without("task", "set")), reasoning)
        for reasoning in reasonings
    )
    pools = [_pool(group) for group in groups.values()]
    left_out = {cell.place.model for cell in cells if cell.result.is_baseline or cell.result.is_adapter}
    return Memory(
        tasks=[
            CellByKnowledge(**reasoning.cells[0].as_dict(), **dict(_by_knowledge(reasoning)))
            for reasoning in reasonings
        ],
        pooled=[
            PooledByKnowledge(model=p.cells[0].model, **_about(p.key), **dict(_by_knowledge(p)))
            for p in pools
            if len(p.cells) > 1
        ],
        independent=list(_independent(pools, left_out)),
    )


def _facts(cells: Iterable[ScoredCell]) -> set[str]:
    """The ids of the items that ask for the facts on which the cells' items rest."""
    return {fact for cell in cells for o in cell.outcomes.outcomes for fact in o.item.rests_on}


# --- the facts that a model knows


def _knowledge(
    every: Iterable[ScoredCell], wanted: set[str], judged: Callable[[Mapping[str, str]], Iterable[Verdicts]]
) -> dict[str, list[KnownFacts]]:
    """Model -> its knowledge of the `wanted` facts, an entry for each task that asks for them."""
    asked: dict[tuple[str, str], dict[str, list[ScoredCell]]] = {}  # (model, task) -> wording -> cells
    for cell in every:
        place = cell.place
        if (place.shots, place.scoring) == (0, "generate") and any(o.item.id in wanted for o in cell.outcomes.outcomes):
            asked.setdefault((place.model, place.task), {}).setdefault(place.variant, []).append(cell)
    rubrics = {task: TASKS[task].judged_by for _, task in asked if TASKS[task].judged_by}
    opinions = list(judged(rubrics)) if rubrics else []
    # The judge with most verdicts on the task counts, so that all models are compared by the same judge.
    weights = Counter((v.place.task, v.judge) for v in opinions for _ in v.right)
    known: dict[str, list[KnownFacts]] = {}
    for (model, task), by_wording in asked.items():
        cells = by_wording[min(by_wording, key=lambda name: (name != "paper", name))]
        places = [cell.place for cell in cells]
        opinions_here = [v for v in opinions if v.place in places and v.right]
        best = min((v.judge for v in opinions_here), key=lambda judge: (-weights[task, judge], judge), default=None)
        whole = all(cell.result.is_complete for cell in cells)
        known.setdefault(model, []).append(_known_facts(cells, [v for v in opinions_here if v.judge == best], whole))
    return known


def _known_facts(cells: Sequence[ScoredCell], opinions: Sequence[Verdicts], whole: bool) -> KnownFacts:
    """The facts that a task's cells ask for, known or lacking: by the verdicts of one judge, or without these by the metric."""
    verdicts_at = {v.place: v.right for v in opinions}
    facts: dict[str, Fact] = {}
    for cell in cells:
        if opinions:
            right = verdicts_at.get(cell.place, {})
        else:
            right = {item: of_item.value > RIGHT for item, of_item in item_values(cell.outcomes).items()}
        contexts = {o.item.id: o.item.context for o in cell.outcomes.outcomes}
        facts |= {item: Fact(known, contexts[item]) for item, known in right.items() if item in contexts}
    place = cells[0].place
    way = KnowledgeWay(
        facts_of=place.task,
        wording=place.variant,
        metric=opinions[0].scale if opinions else TASKS[place.task].item_metrics[0],
        judge=opinions[0].judge if opinions else None,
    )
    return KnownFacts(facts, way, whole)


# --- the answers of a model to items that rest on facts


def _reasoning(cell: ScoredCell, known: Mapping[str, Sequence[KnownFacts]]) -> Reasoning | None:
    """A cell whose items rest on facts; None if the model was asked for none of these."""
    place, wanted = cell.place, _facts([cell])
    known_facts = [of_task for of_task in known.get(place.model, ()) if not wanted.isdisjoint(of_task.facts)]
    if not known_facts:
        return None
    facts = {name: fact for of_task in known_facts for name, fact in of_task.facts.items() if name in wanted}
    questions = tuple(
        Question(name, of_item.value, of_item.first.item.context, _state({*of_item.first.item.rests_on}, facts))
        for name, of_item in item_values(cell.outcomes).items()
    )
    whole = cell.result.is_complete and all(of_task.whole for of_task in known_facts)
    return Reasoning((place,), questions, facts, tuple(of_task.way for of_task in known_facts), whole)


def _state(rests_on: set[str], facts: Mapping[str, Fact]) -> str:
    """The state of an item's facts, as `Question` lists them."""
    verdicts = [facts[name].known for name in rests_on if name in facts]
    if not rests_on:
        return "free"
    if not all(verdicts):
        return "rest"
    return "known" if len(verdicts) == len(rests_on) else "unclear"


def _pool(parts: Sequence[Reasoning]) -> Reasoning:
    """The reasoning of one model over several tasks, which come in the registry's order."""
    order = list(TASKS)
    parts = sorted(parts, key=lambda part: (order.index(part.cells[0].task), part.cells[0]))
    return Reasoning(
        tuple(cell for part in parts for cell in part.cells),
        tuple(question for part in parts for question in part.questions),
        {name: fact for part in parts for name, fact in part.facts.items()},
        tuple({str(row): row for part in parts for row in part.ways}.values()),
        all(part.whole for part in parts),
    )


def _by_knowledge(reasoning: Reasoning) -> AccuracyByKnowledge:
    """A model's accuracy on all items, and on those whose facts it knows or lacks."""
    states = Counter(question.state for question in reasoning.questions)
    return AccuracyByKnowledge(
        metric=TASKS[reasoning.cells[0].task].item_metrics[0],
        knowledge=list(reasoning.ways),
        facts=_mean([(float(fact.known), fact.context) for fact in reasoning.facts.values()]),
        all=_mean([(q.value, q.context) for q in reasoning.questions]),
        known=_mean([(q.value, q.context) for q in reasoning.questions if q.state == "known"]),
        rest=_mean([(q.value, q.context) for q in reasoning.questions if q.state == "rest"]),
        free=states["free"],
        unclear=states["unclear"],
    )


def _mean(rows: Sequence[tuple[float, tuple[str, ...]]]) -> ItemMean | None:
    """The mean of values, from (value, context) pairs, with dialogues as units, over all tasks; None without pairs."""
    if not rows:
        return None
    values, contexts = zip(*rows, strict=True)
    return item_mean([*zip(values, sources(contexts), strict=True)])


def _about(key: Coordinates) -> About:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in key}


# --- the authors' measures


def _independent(pools: Iterable[Reasoning], left_out: set[str]) -> Iterator[Independent]:
    """FRMM and MIB of each group of models that were asked the same tasks and facts in the same way. Models in `left_out`
    (baselines and adapters) take no part, nor do models some of whose replies failed or are missing."""
    from evalsuite.metrics.independence import Solved, frmm, mib

    groups = by_key(((pool.key, str(pool.ways)), pool) for pool in pools if pool.cells[0].model not in left_out)
    for (key, _), group in groups.items():
        unclear = {pool.cells[0].model: sum(q.state == "unclear" for q in pool.questions) for pool in group}
        models = {
            pool.cells[0].model: Solved(
                {q.item: q.value > RIGHT for q in pool.questions},
                {q.item for q in pool.questions if q.state in ("known", "free")},
            )
            for pool in group
            if pool.whole
        }
        if not models:
            continue
        battles = mib(models) if len(models) > 1 else {}
        yield Independent(
            **_about(key),
            knowledge=list(group[0].ways),
            models=[
                IndependentModel(
                    model=model,
                    items=alone.items,
                    accuracy=_share(alone.accuracy),
                    rank=alone.rank,
                    retained=alone.retained,
                    unclear=unclear[model],
                    frmm=_share(alone.retained_accuracy),
                    frmm_rank=alone.retained_rank,
                    mib=_share(battles[model].mean) if model in battles else None,
                    mib_rank=battles[model].rank if model in battles else None,
                    battles=[
                        PairedItems(against=other, items=battle.items, margin=_share(battle.margin))
                        for other, battle in (battles[model].against.items() if model in battles else ())
                    ],
                )
                for model, alone in frmm(models).items()
            ],
            left_out=[pool.cells[0].model for pool in group if not pool.whole],
        )


def _share(percent: float | None) -> float | None:
    """Percent with two decimals -> a share with four."""
    return None if percent is None else round(percent / 100, 4)


# --- tables

_LEGEND = Text(
    "知道的事实：推理题所依据的事实中，模型知道的 %；其余三列：推理题答对的 % 与题数 n——事实全知的题：模型知道其全部事实；有未知事实的题：至少有一条不知道；"
    "不依据任何事实的题和某条事实尚无判定的题只计入“全部题”。区间为 95% 置信区间（Wilson，以对话为单位）",
    "facts known: % that the model knows of the facts which the items rest on; all items, known, rest: % of reasoning items that "
    "are right, and their number n. known: items all of whose facts the model knows; rest: one or more are lacking; items that "
    "rest on no fact, or on one without a verdict, are in 'all items' only. 95 % intervals (Wilson, dialogues as units)",
)
_MEASURES = Text(
    "FRMM：在模型知道其全部事实的题（保留）上的准确率；MIB：两模型都保留的题上，与每个模型准确率之差的平均（百分点，含与自身之差 0）。按 CHARM "
    "作者的脚本计算；不依据事实的题总是保留",
    "FRMM: accuracy on the items all of whose facts the model knows (kept); MIB: mean difference of accuracies, in "
    "points, on the items that both models keep, over all models, itself included with 0. As CHARM's authors' script "
    "computes them; items that rest on no fact are always kept",
)
_ALL = Text("各任务合计", "all tasks")


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet for each way of asking, over all tasks and models; then sheets of FRMM and MIB, and of the pairs behind MIB."""
    if not (memory := results.of(ANALYSIS)):
        return
    every: list[CellByKnowledge | PooledByKnowledge] = [*memory.tasks, *memory.pooled]
    groups = by_key(((row.split, row.way), row) for row in every)
    yield from with_notes((_sheet(*place, rows) for place, rows in groups.items()), _LEGEND)
    yield from with_notes(_measured(memory.independent), _MEASURES)


def _sheet(split: str, asked: str, rows: Sequence[CellByKnowledge | PooledByKnowledge]) -> Sheet:
    single = [row for row in rows if isinstance(row, CellByKnowledge)]
    pooled = [row for row in rows if isinstance(row, PooledByKnowledge)]
    lines: list[Row] = []
    for task, item_set in sorted({(row.task, row.set) for row in single}, key=lambda x: (task_order(x[0]), x[1])):
        lines.append(_heading(task_and_set(TASKS[task], item_set)))
        rows_here = [row for row in single if (row.task, row.set) == (task, item_set)]
        lines += [_line(row, {"model": row.model, "task": task, "set": item_set}) for row in rows_here]
    for benchmark in dict.fromkeys(row.benchmark for row in pooled):
        lines.append(_heading(titled(BENCHMARKS[benchmark].title, f" {_ALL.zh}", f" {_ALL.en}")))
        lines += [_line(row, {"model": row.model}) for row in pooled if row.benchmark == benchmark]
    facts = Column(Text("知道的事实", "facts known"), "%", "percent")
    whole, known, rest = (
        (Column(Text(zh, en), "%", "percent", range=(0, 1)), Column("n", kind="count"))
        for zh, en in (("全部题", "all items"), ("事实全知的题", "known"), ("有未知事实的题", "rest"))
    )
    # The figure of the reasoning items comes first: the link to the cell's evidence stands behind the first figure.
    columns = (Column(Text("模型", "model")), *whole, facts, *known, *rest)
    about = dict(rows[0].without("model", "task", "set"))
    title = Text(f"记忆与推理：{asked_words(dict(rows[0].without()))}", f"Memory and reasoning, {split} {asked}")
    chart = Chart("scatter", across=3, up=(1,))
    return Sheet("memory", title, columns, tuple(lines), (_decided(rows),), about, chart)


def _heading(words: Text) -> Row:
    return Row((words, *(None for _ in range(7))), "group")


def _line(row: CellByKnowledge | PooledByKnowledge, about: Mapping[str, str]) -> Row:
    whole, known, rest = ((value_or_dash(mean), mean.n if mean else 0) for mean in (row.all, row.known, row.rest))
    return Row((row.model, *whole, value_or_dash(row.facts), *known, *rest), about=about)


def _decided(rows: Sequence[CellByKnowledge | PooledByKnowledge | Independent]) -> Text:
    """A note that names for each task who decided whether a fact is known: a judge, or the rule."""
    judges: dict[str, dict[str, None]] = {}
    for row in rows:
        for way in row.knowledge:
            judges.setdefault(way.judge or "", {})[way.facts_of] = None
    zh, en = [], []
    for judge, tasks in judges.items():
        names = [TASKS[task] for task in sorted(tasks, key=task_order)]
        zh.append(f"{'、'.join(task.zh for task in names)}：{f'由 {judge} 评判' if judge else '按规则'}")
        en.append(f"{', '.join(task.short for task in names)} by {judge or 'rule'}")
    return Text("是否知道该事实：" + "；".join(zh), "whether a fact is known: " + "; ".join(en))


# --- tables of the authors' measures


def _measured(entries: Sequence[Independent]) -> Iterator[Sheet]:
    for entry in entries:
        yield _measures(entry)
        if len(entry.models) > 1:
            yield _battles(entry)


def _title(entry: Independent, zh: str, en: str) -> Text:
    name = BENCHMARKS[entry.benchmark].title
    return Text(f"{name}：{zh}，{asked_words(dict(entry.without()))}", f"{name}, {entry.split} {entry.way}: {en}")


def _measures(entry: Independent) -> Sheet:
    rank = Column(Text("名次", "rank"), kind="count")
    columns: Columns[IndependentModel] = (
        MODEL,
        (Column(Text("准确率", "accuracy"), "%", "percent", digits=2, better="more"), lambda m: m.accuracy),
        (rank, lambda m: m.rank),
        (Column(Text("保留", "kept"), "n", kind="count"), lambda m: m.retained),
        (Column("FRMM", "%", "percent", digits=2, better="more"), lambda m: Value(m.frmm)),
        (rank, lambda m: m.frmm_rank),
        (Column("MIB", kind="percent", digits=2, signed=True, better="more"), lambda m: Value(m.mib)),
        (rank, lambda m: m.mib_rank),
    )
    models = sorted(entry.models, key=lambda m: (m.frmm_rank is None, m.frmm_rank or 0))
    left_out = entry.left_out
    notes = (
        [Text(f"未计（回复不全）：{'、'.join(left_out)}", f"left out, replies missing: {', '.join(left_out)}")]
        if left_out
        else []
    )
    title = _title(entry, "与记忆无关的推理", "reasoning independent of memory")
    return Sheet("independence", title, *table(columns, models), (_decided([entry]), *notes), entry.coordinates())


def _battles(entry: Independent) -> Sheet:
    models = sorted(entry.models, key=lambda m: (m.mib_rank is None, m.mib_rank or 0))
    names = [m.model for m in models]
    columns = [Column(Text("模型", "model")), *(Column(name, kind="percent", digits=2, signed=True) for name in names)]
    rows = []
    for model in models:
        margins = {battle.against: Value(battle.margin, asides=(f" ({battle.items})",)) for battle in model.battles}
        rows.append(Row((model.model, *map(margins.get, names)), about={"model": model.model}))
    title = _title(entry, "MIB 逐对之差与题数", "MIB, margins and items of each pair")
    return Sheet("independence", title, tuple(columns), tuple(rows), (), entry.coordinates())


ANALYSIS = Analysis("memory", sheets, Memory, compute, help="Reasoning by what a model knows of the facts.")
