"""What a page's results say, in sentences: who is above chance, what a baseline gets without a model, who is ahead, how much
harder the harder set is. Each sentence names its test and the cell that it rests on.

Of a benchmark with levels the harder one is told, else its last set on the page; of each, the way of asking that most models
were asked in, unperturbed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import zip_longest

from evalsuite.analyses import chance, gaps
from evalsuite.analyses.chance import Chance
from evalsuite.analyses.gaps import Gap
from evalsuite.analyses.ranking import ALPHA, Group, Rated
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, metric_rows
from evalsuite.common.sheet import Text
from evalsuite.results.analysis import Results
from evalsuite.results.schema.cell import CellResult
from evalsuite.types import Benchmark, Place, Task

NAMED = 3  # tasks named in one sentence


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence in both languages, what it rests on in small print, and the number of the page's cell that shows it."""

    zh: str
    en: str
    test_zh: str  # the test, "" if there is none
    test_en: str
    cell: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A cell of the page that is looked at: whole, unperturbed, in the usual way of asking."""

    number: int
    id: str  # of the model: run and name
    run: int  # of the page's runs
    cell: CellResult
    rated: Rated | None  # None for baselines, and for a model that is not ranked

    @property
    def task(self) -> Task:
        return TASKS[self.cell.task]

    @property
    def name(self) -> str:
        return self.cell.model

    @property
    def score(self) -> float:
        return self.cell.headline.value or 0.0


def findings(runs: Sequence[Results], rated: Iterable[Rated], groups: Sequence[Group]) -> list[Finding]:
    """The sentences of a page, first the one to begin with; of several benchmarks by turns. `rated` are the cells' scores an item,
    `groups` the significance groups of the page's columns."""
    ranked, cells = rankable(rated), numbered(runs)
    found: list[list[Finding]] = []
    for benchmark in BENCHMARKS.values():
        mine = [one for one in cells if TASKS[one.cell.task].benchmark == benchmark.name]
        if benchmark.averaged or not mine:
            continue
        here, title = looked_at(benchmark, mine, ranked)
        found.append(
            _chance(here, runs, title)
            + _baseline(here, title)
            + _ahead(here, groups, title)
            + gap_found(here, runs, benchmark)
        )
    return [one for turn in zip_longest(*found) for one in turn if one]


def numbered(runs: Sequence[Results]) -> list[Shown]:
    """All cells of a page, in its order."""
    cells = ((run, cell) for run, results in enumerate(runs) for cell in results.cells)
    return [Shown(n, f"{run}\t{cell.model}", run, cell, None) for n, (run, cell) in enumerate(cells)]


def rankable(rated: Iterable[Rated]) -> dict[Place, Rated]:
    """Complete cells of models that are not adapters."""
    return {cell.place: cell for cell in rated if cell.whole and not cell.adapter}


def looked_at(benchmark: Benchmark, cells: Sequence[Shown], rated: Mapping[Place, Rated]) -> tuple[list[Shown], str]:
    """The cells of a benchmark that sentences are about, and the name of their set."""
    item_set = _hardest(benchmark, {c.cell.set for c in cells})
    title = f"{benchmark.title} {item_set.upper() if benchmark.levels else item_set}"
    return _usual([c for c in cells if c.cell.set == item_set], rated), title


def _hardest(benchmark: Benchmark, there: set[str]) -> str:
    """The harder level, or the last set on the page."""
    return max(there, key=lambda name: (name in benchmark.sets and benchmark.sets.index(name), name))


def _usual(cells: Sequence[Shown], rated: Mapping[Place, Rated]) -> list[Shown]:
    """The complete, unperturbed cells in the way that most were asked in."""

    def way(cell: CellResult) -> tuple[str, str, int, str]:
        scoring = cell.scoring.replace("nll", "generate")  # probes are asked in no other way
        return cell.split, cell.variant, cell.shots, scoring

    plain = [
        c
        for c in cells
        if c.cell.perturb == "none"
        and c.cell.is_complete
        and not c.cell.is_adapter
        and c.cell.headline.value is not None
    ]
    if not plain:
        return []
    most = Counter(way(c.cell) for c in plain).most_common(1)[0][0]
    return [replace(c, rated=rated.get(replace(c.cell.place, model=c.id))) for c in plain if way(c.cell) == most]


def models(cells: Sequence[Shown]) -> list[Shown]:
    return [c for c in cells if c.rated is not None and not c.cell.is_baseline]


# --- chance


@dataclass(frozen=True, slots=True)
class Guess:
    """A model's choices of a cell, with its row of "chance" in results.json."""

    cell: Shown
    row: Chance
    p: float  # of its own choices in a random order, corrected by Holm over all that are told together

    @property
    def above(self) -> bool:
        """Whether it is right significantly more often than its own choices in a random order."""
        return self.p < ALPHA

    @property
    def reference(self) -> float:
        """The accuracy that needs no knowledge of an item: of guessing, or of the best constant answer, if that is higher."""
        return max(self.row.chance, self.row.constant)

    def who(self) -> Text:
        """Whose accuracy the reference is."""
        if self.row.guided:
            return Text(f"全选 {self.row.label} 可得", f"always {self.row.label}")
        return Text("随机水平", "guessing")


def guesses(cells: Sequence[Shown], runs: Sequence[Results]) -> tuple[list[Guess], bool]:
    """The models' cells that are tested against chance, and whether others come from too few dialogues: a model that knows
    these says little about others. Runs of earlier versions have no such tests."""
    from evalsuite.metrics.statistics import FEWEST, holm

    at = {(run, row.place): row for run, results in enumerate(runs) for row in results.of(chance.ANALYSIS) or ()}
    rows = [(cell, at.get((cell.run, cell.cell.place))) for cell in models(cells)]
    known = [(cell, row) for cell, row in rows if row is not None]
    tested = [(cell, row) for cell, row in known if row.dialogues >= FEWEST]
    p = holm({cell.number: row.p for cell, row in tested})
    return [Guess(cell, row, p[cell.number]) for cell, row in tested], len(tested) < len(known)


def _chance(cells: Sequence[Shown], runs: Sequence[Results], title: str) -> list[Finding]:
    """On which choice tasks no model is above chance; where there is none such, who is above it on all."""
    tested, _ = guesses(cells, runs)
    if not tested:
        return []
    above = {g.cell.number for g in tested if g.above}
    names = sorted({g.cell.task.name for g in tested}, key=[*TASKS].index)
    dark = [name for name in names if not any(g.cell.task.name == name and g.above for g in tested)]
    told = [g for g in tested if g.cell.task.name in dark] or tested
    best = max(told, key=lambda g: (g.cell.score - g.reference, -g.cell.number))
    test = f"Permutation of a model's own choices, Holm over {_many(len(tested), 'test')}"
    test_zh = f"模型自身选择的置换检验，{len(tested)} 次检验经 Holm 校正"
    if dark:
        least = min(g.p for g in told)
        en, zh = _nobody([g.cell for g in told], dark, names)
        en, zh = f"{en} of {title}.", f"{title}：{zh}。"
        test, test_zh = f"{test}: p ≥ {least:.2g}", f"{test_zh}，p ≥ {least:.2g}"
        place, place_zh = "comes nearest", "最接近的是"
    else:
        en, zh = _everybody([g.cell for g in tested], above, names)
        en, zh = f"{en} of {title}.", f"{title}：{zh}。"
        place, place_zh = "is furthest above", "高出最多的是"
    cell, who, items = best.cell, best.who(), best.row.items
    zh_score, score = (percent(cell.score, language) for language in ("zh", "en"))
    zh_guess, guess = (percent(best.reference, language) for language in ("zh", "en"))
    several = len({g.cell.id for g in tested}) > 1
    where_zh = f"{cell.task.zh}上的 {cell.name}" if several else cell.task.zh
    return [
        Finding(
            f"{zh}{place_zh}{where_zh}：{items} 题，{zh_score}，{who.zh} {zh_guess}。",
            f"{en} {cell.name if several else 'It'} {place} on {cell.task.en}: {score} of {items} items, where {who.en} gets {guess}.",
            test_zh,
            test,
            cell.number,
        )
    ]


def _nobody(told: Sequence[Shown], dark: Sequence[str], names: Sequence[str]) -> tuple[str, str]:
    """That no model is above chance on the tasks `dark` of `names`."""
    every = len(dark) == len(names) > 1
    where = f"any of the {len(names)} choice tasks" if every else _list(dark, "en")
    where_zh = f"全部 {len(names)} 项选择题" if every else _list(dark, "zh")
    if len({c.id for c in told}) > 1:
        return f"No model here is significantly above chance on {where}", f"在{where_zh}上，没有模型显著高于随机水平"
    return (
        f"{told[0].name} is not significantly above chance on {where}",
        f"在{where_zh}上，{told[0].name} 未显著高于随机水平",
    )


def _everybody(tested: Sequence[Shown], above: Set[int], names: Sequence[str]) -> tuple[str, str]:
    """How many models are above chance on all that they were asked."""
    models = {c.id for c in tested}
    whole = sum(all(c.number in above for c in tested if c.id == model) for model in models)
    where = f"all {len(names)} choice tasks" if len(names) > 1 else _list(names, "en")
    where_zh = f"全部 {len(names)} 项选择题" if len(names) > 1 else _list(names, "zh")
    if len(models) == 1:
        return (
            f"{tested[0].name} is significantly above chance on {where}",
            f"在{where_zh}上，{tested[0].name} 显著高于随机水平",
        )
    are = "is" if whole == 1 else "are"
    return (
        f"{whole} of {len(models)} models {are} significantly above chance on {where}",
        f"{len(models)} 个模型中有 {whole} 个在{where_zh}上显著高于随机水平",
    )


# --- baselines

# The suite's baselines, by kind: what they do in words.
_BASELINES = {
    "lexical": ("lexical overlap", "词面重合"),
    "majority": ("the most frequent answer", "最常见的答案"),
    "random": ("the random baseline", "随机基线"),
}


def baseline_kind(cell: Shown) -> str:
    """Of a baseline: random, majority, lexical or oracle, as its fingerprint has it."""
    return cell.cell.facts.fingerprint.removeprefix("baseline:").split(":")[0]


def _baseline(cells: Sequence[Shown], title: str) -> list[Finding]:
    """Where a baseline is ahead of every model: the task with the largest lead."""
    metrics = metric_rows()
    leads = []
    for name in {c.task.name for c in cells if metrics[c.task.metrics[0]].percent}:
        own = [c for c in models(cells) if c.task.name == name]
        base = [c for c in cells if c.task.name == name and c.cell.is_baseline and baseline_kind(c) != "oracle"]
        if own and base:
            top, first = (max(group, key=lambda c: (c.score, -c.number)) for group in (own, base))
            if first.score > top.score:
                leads.append((first.score - top.score, first, top))
    if not leads:
        return []
    _, first, top = max(leads, key=lambda lead: (lead[0], -lead[1].number))
    en, zh = _BASELINES.get(baseline_kind(first), (f"the baseline {first.name}", f"基线 {first.name}"))
    zh_score, score = (percent(first.score, language) for language in ("zh", "en"))
    zh_other, other = (percent(top.score, language) for language in ("zh", "en"))
    metric = metrics[first.task.metrics[0]]
    of, of_zh = ("", "") if metric is metrics["accuracy"] else (f" ({metric.en or metric.zh})", f"（{metric.zh}）")
    several = len(leads) > 1
    more = f" A baseline is ahead of every model on {len(leads)} tasks." if several else ""
    more_zh = f"共有 {len(leads)} 项任务，基线胜过所有模型。" if several else ""
    return [
        Finding(
            f"{title}：{first.task.zh}上，仅靠{zh}即得 {zh_score}{of_zh}，最好的模型 {top.name} 为 {zh_other}。{more_zh}",
            f"{en[0].upper()}{en[1:]} alone gets {score}{of} on {first.task.en} of {title}; the best"
            f" model, {top.name}, {other}.{more}",
            "",
            "",
            first.number,
        )
    ]


# --- models against each other, and the sets


@dataclass(frozen=True, slots=True)
class Win:
    """A task on which one model has the highest score. Ties are no wins."""

    first: Shown
    second: Shown
    alone: bool  # significantly ahead of all others


def wins(cells: Sequence[Shown], groups: Iterable[Group]) -> tuple[list[Win], int]:
    """The tasks that a model wins by their first metric, and the number of tasks on which models are compared."""
    at = {replace(c.cell.place, model=c.id): c for c in models(cells)}
    won, count = [], 0
    for group in groups:
        compared = [at.get(Place(name, **group.coordinates())) for name in group.letters]
        ranked = sorted((c for c in compared if c), key=lambda c: -c.score)
        if len(ranked) < 2 or group.adapters or group.metric != ranked[0].task.metrics[0]:
            continue
        count += 1
        if ranked[0].score > ranked[1].score + 1e-12:
            won.append(Win(ranked[0], ranked[1], not group.not_worse))
    return won, count


def leaders(won: Sequence[Win]) -> dict[str, list[Win]]:
    """The models that win most tasks, and what they win."""
    by_model: dict[str, list[Win]] = {}
    for win in won:
        by_model.setdefault(win.first.id, []).append(win)
    most = max(map(len, by_model.values()), default=0)
    return {model: own for model, own in by_model.items() if len(own) == most}


def each_best(named: Mapping[str, Sequence[Win]], count: int, title: str) -> Text:
    """That several models win as many tasks."""
    names = [own[0].first.name for own in named.values()]
    most = len(next(iter(named.values())))
    return Text(
        f"{title}：{'、'.join(names)} 各在 {count} 项任务中的 {most} 项上最好。",
        f"{', '.join(names[:-1])} and {names[-1]} are each best on {most} of {count} tasks of {title}.",
    )


def _ahead(cells: Sequence[Shown], groups: Sequence[Group], title: str) -> list[Finding]:
    """Who is best on most tasks, and on how many of them nobody is level."""
    won, count = wins(cells, groups)
    if count < 2 or not won:
        return []
    named = leaders(won)
    mine = next(iter(named.values()))
    number = max((win.first for win in mine), key=lambda c: c.score).number
    if len(named) > 1:
        said = each_best(named, count, title)
        return [Finding(said.zh, said.en, "", "", number)]
    name, most, clear = mine[0].first.name, len(mine), sum(win.alone for win in mine)
    lead = f"significantly ahead of every other model on {clear or 'none'} of them"
    lead_zh = f"其中 {clear} 项显著领先于所有其他模型" if clear else "但没有一项显著领先于所有其他模型"
    return [
        Finding(
            f"{title}：{name} 在 {count} 项任务中的 {most} 项上最好，{lead_zh}。",
            f"{name} is best on {'all' if most == count else f'{most} of'} {count} tasks of {title}, {lead}.",
            "以对话为单位的配对置换检验，Holm 校正",
            "Paired permutation test over dialogues, Holm",
            number,
        )
    ]


def gap_found(cells: Sequence[Shown], runs: Sequence[Results], benchmark: Benchmark) -> list[Finding]:
    """How much the best model loses from the easier level to the harder one, over its choice tasks."""
    if not benchmark.levels:
        return []
    losses: dict[str, list[tuple[Shown, Gap]]] = {}
    at = {(c.run, c.cell.place): c for c in models(cells)}
    for number, results in enumerate(runs):
        for row in results.of(gaps.ANALYSIS) or []:
            cell = at.get((number, Place(set=benchmark.levels[1], **row.coordinates())))
            if cell and row.metric == "accuracy":
                losses.setdefault(cell.id, []).append((cell, row))
    if not losses:
        return []
    rows = max(losses.values(), key=lambda rows: (len(rows), sum(cell.score for cell, _ in rows)))
    largest = max(rows, key=lambda pair: abs(pair[1].gap))[0]
    lost = sum(row.gap for _, row in rows) / len(rows)  # a gap is the easier set's score less the harder one's
    clear = sum(row.p_holm < ALPHA for _, row in rows)
    easy, hard = (level.upper() for level in benchmark.levels)
    moved = f"{'loses' if lost >= 0 else 'gains'} {abs(100 * lost):.1f} points"
    moved_zh = f"平均{'下降' if lost >= 0 else '上升'} {abs(100 * lost):.1f} 个百分点"
    told_zh = f"其中 {clear} 项变化显著" if clear else "没有一项变化显著"
    return [
        Finding(
            f"从 {easy} 到 {hard}，{largest.name} 在 {len(rows)} 项选择题上{moved_zh}，{told_zh}。",
            f"From {easy} to {hard}, {largest.name} {moved} on average over {_many(len(rows), 'choice task')}; the change is"
            f" significant on {clear or 'none'}.",
            "以对话为单位的置换检验，Holm 校正",
            "Permutation test over dialogues, Holm",
            largest.number,
        )
    ]


# --- words


def percent(share: float, language: str) -> str:
    return f"{100 * share:.1f}%" if language == "zh" else f"{100 * share:.1f}\u00a0%"


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'s' if count != 1 else ''}"


def _list(names: Sequence[str], language: str) -> str:
    """The tasks' names, the first few of many."""
    shown = [str(getattr(TASKS[name], language)) for name in names[:NAMED]]
    rest = len(names) - len(shown)
    if language == "zh":
        return "、".join(shown) + (f"等 {len(names)} 项" if rest else "")
    if rest:
        return f"{', '.join(shown)} and {rest} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]
