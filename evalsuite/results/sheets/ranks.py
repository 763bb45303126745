"""Sheets of significance groups, average ranks and correlations between metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results import ranking
from evalsuite.results.ranking import Ranks
from evalsuite.results.saved import Results, load_results
from evalsuite.results.sheets.words import place_words, task_heading, titled
from evalsuite.types import Place

_MODEL = Column(Text("模型", "model"))


def run_groups(done: Results) -> Iterator[Sheet]:
    """Significance groups over all models of the run, as p-values are corrected over them; shows only the models in `done`."""
    shown = _models_at(done, "model")
    for entry in (entries := ranking.groups(list(ranking.rated_run(done.out)))):
        models = shown.get(Place.of(entry, model="").but("model"), set())
        for key in ("letters", "left_out"):
            entry[key] = {model: text for model, text in entry[key].items() if model in models}
    yield from group_sheets([entry for entry in entries if entry["letters"]])


def run_ranks(done: Results) -> Iterator[Sheet]:
    """Average ranks over all models and tasks of the run; shows only the models in `done`."""
    shown = _models_at(done, "model", "task")
    kept = []
    for place, ranked, left_out in ranking.ranks_of(load_results(done.out).cells):
        models = shown.get(tuple(place.items()), set())
        mean = {model: rank for model, rank in ranked.mean.items() if model in models}
        if mean:
            kept.append((place, replace(ranked, mean=mean), [model for model in left_out if model in models]))
    yield from rank_sheets(kept)


def _models_at(done: Results, *names: str) -> dict[tuple[Any, ...], set[str]]:
    """The models at each place, without the parts `names` of it."""
    models: dict[tuple[Any, ...], set[str]] = {}
    for cell in done.cells:
        models.setdefault(Place.of(cell).but(*names), set()).add(cell["model"])
    return models


def group_sheets(entries: Sequence[Mapping[str, Any]]) -> Iterator[Sheet]:
    """A sheet for each set and way of asking: a row a model, a column a task, with the letters of `ranking.groups`.

    Of two entries for a column, the later one, which includes adapters, is shown.
    """
    sheets: dict[tuple[Any, ...], dict[str, Mapping[str, Any]]] = {}
    for entry in entries:
        if entry["metric"] == TASKS[entry["task"]].item_metrics[0]:
            sheets.setdefault(Place.of(entry, model="").but("model", "task"), {})[entry["task"]] = entry
    for place, by_task in sheets.items():
        about = dict(place)
        tasks = [t for t in TASKS.values() if t.name in by_task]
        columns = [Column(task_heading(t), t.item_metrics[0][:3], align="right", about={"task": t.name}) for t in tasks]
        rows = [
            Row((model, *(_letters(by_task[t.name], model) for t in tasks)), about={"model": model})
            for model in sorted({m for e in by_task.values() for m in (*e["letters"], *e["left_out"])})
        ]
        title = titled(
            place_words(about, ", "),
            "：有共同字母的模型没有显著差异（Holm，0.05）",
            ": models that share a letter do not differ (Holm, 0.05)",
        )
        yield Sheet("groups", title, (_MODEL, *columns), tuple(rows), about=about)


def _letters(entry: Mapping[str, Any], model: str) -> str:
    return entry["letters"].get(model) or str(entry["left_out"].get(model, "–"))


def rank_sheets(rows: Iterable[tuple[dict[str, Any], Ranks, list[str]]]) -> Iterator[Sheet]:
    """A sheet for each set and way of asking: a row a model, with its mean, best and worst rank.

    `rows` are those of `ranking.ranks_of`.
    """
    for about, ranked, left_out in rows:
        lines = [
            Row((model, ranked.mean[model], Value(None, *ranked.range[model])), about={"model": model})
            for model in sorted(ranked.mean, key=lambda m: ranked.mean[m])
        ]
        notes: list[str | Text] = []
        if ranked.p is not None and ranked.critical_difference is not None:
            p = f"p = {ranked.p:.3f}" if ranked.p >= 0.001 else "p < 0.001"
            notes.append(f"Friedman χ² = {ranked.statistic:.2f}, {p}; Nemenyi's CD {ranked.critical_difference:.2f}")
        if left_out:
            names = ", ".join(left_out)
            notes.append(Text(f"并非每列都完整：{names}", f"not every column complete: {names}"))
        notes.append(
            Text(
                "名次看不出差距，而且各任务共用对话：先看各列",
                "ranks hide distances, and tasks share their dialogues: see the columns first",
            )
        )
        title = titled(
            place_words(about, ", "), f"：{ranked.columns} 个任务的平均名次", f": mean rank over {ranked.columns} tasks"
        )
        columns = (
            _MODEL,
            Column(Text("平均名次", "mean"), kind="number", better="less"),
            Column(Text("范围", "range"), kind="count", interval="alone"),
        )
        yield Sheet("ranks", title, columns, tuple(lines), (_joined(notes),), about)


def _joined(notes: Sequence[str | Text]) -> Text:
    both = [note if isinstance(note, Text) else Text(note, note) for note in notes]
    return Text("；".join(note.zh for note in both), "; ".join(note.en for note in both))


def correlation_sheets(entries: Sequence[Mapping[str, Any]]) -> Iterator[Sheet]:
    """A sheet for each basis and wording: Spearman's ρ of F1 with every other metric but the paper's; a column a task and set.

    `entries` are "metric_correlations" of results.json.
    """
    sheets: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for entry in entries:
        sheets.setdefault(tuple(entry[k] for k in ("basis", "split", "variant", "shots")), []).append(entry)
    for (basis, split, variant, shots), group in sorted(sheets.items(), key=lambda sheet: sheet[0][0] != "items"):
        values = [
            {frozenset(p): v for p, v in zip(combinations(e["metrics"], 2), e["spearman"], strict=True)} for e in group
        ]
        names = [n for n in dict.fromkeys(n for e in group for n in e["metrics"]) if n != "f1" and not n.startswith("paper.")]  # fmt: skip
        rows = [Row((name, *(Value(rhos.get(frozenset(("f1", name)))) for rhos in values))) for name in names]
        rows.append(Row(("n", *(str(e["n"]) for e in group)), "apart"))
        columns = [
            Column(
                e["set"],
                task_heading(TASKS[e["task"]]),
                "number",
                about={"set": e["set"], "task": e["task"]},
            )
            for e in group
        ]
        points = {"items": Text("逐题", "per item"), "models": Text("跨模型", "over models")}[basis]
        end = f"{split}, {variant} {shots}-shot"
        title = Text(f"与 F1 的 Spearman ρ，{points.zh}：{end}", f"Spearman's ρ with F1, {points.en}: {end}")
        about = {"split": split, "variant": variant, "shots": shots}
        yield Sheet("correlations", title, (Column(Text("指标", "metric")), *columns), tuple(rows), about=about)
