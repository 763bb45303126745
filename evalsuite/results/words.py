"""Names, headings and titles that the sheets of several analyses share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from evalsuite.benchmarks.registry import benchmark_of
from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import About, Column, Sheet, Text
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.schema.cell import CellResult
from evalsuite.types import Benchmark, Metric, Place, Task

# Descriptions of two fields that every row of results.json with a test within a family has.
LEAST_P_HOLM = "The smallest p_holm that the family's dialogues can give: at 0.05 or more, too few to tell."
FAMILY = "Number of tests that p_holm is corrected over."
WAY = ("variant", "shots", "scoring", "perturb")  # the parts of a place that say how items are asked


def task_heading(task: Task) -> Text:
    """The heading of a task's column."""
    return Text(task.zh, task.short)


def metric_heading(metric: Metric) -> Text:
    """The heading of a metric's column: 准确率 %, "acc %"."""
    return Text(f"{metric.zh} %" if metric.percent else metric.zh, metric.heading)


def set_name(benchmark: Benchmark, item_set: str) -> Text:
    """A set's name in the label of a row or a column: 困难, "HARD"; 折 3, "fold 3"."""
    if names := benchmark.set_names.get(item_set):
        return Text(*names)
    number = re.fullmatch(r"[a-z]+(\d+)", item_set) if benchmark.averaged else None
    if number:
        return Text(f"{benchmark.sets_zh} {number[1]}", f"{benchmark.sets_en} {number[1]}")
    name = item_set.upper() if item_set in benchmark.levels else item_set
    return Text(name, name)


def set_title(benchmark: Benchmark, item_set: str) -> Text:
    """A set's name in a title, in Chinese with the English one, by which papers and flags know it: 困难（HARD）."""
    name = set_name(benchmark, item_set)
    return (
        name if name.zh == name.en or item_set not in benchmark.set_names else Text(f"{name.zh}（{name.en}）", name.en)
    )


def task_and_set(task: Task, item_set: str, before: str = "", after: str = "") -> Text:
    """Set and task as the label of a row: 困难 常识知识填充, "HARD CKF"."""
    name = set_name(benchmark_of(task.name), item_set)
    return Text(f"{before}{name.zh} {task.zh}{after}", f"{before}{name.en} {task.short}{after}")


SPLITS = {"test": Text("测试集", "test"), "dev": Text("开发集", "dev"), "train": Text("训练集", "train")}


def perturb_name(name: str) -> Text:
    """The name of a perturbation in a row: 改标号（reindicate）."""
    row = PERTURBATIONS.get(name)
    return Text(f"{row.short}（{name}）" if row else name, name)


def perturb_column(name: str, **more: Any) -> Column:
    """The column of a perturbation; in Chinese its short name above the name that is typed."""
    row = PERTURBATIONS.get(name)
    return Column(Text(row.short if row else name, name), Text(name if row else "", ""), **more)


# The outcomes of replies, as the pages and docs/numbers.zh.md call them.
_OUTCOMES = {
    "right": "正确",
    "partial": "部分匹配",
    "wrong": "错误",
    "parsed": "已解析",
    "unparsed": "未能解析",
    "refused": "拒答",
    "truncated": "截断",
    "several": "选了多项",
    "conflict": "矛盾",
    "empty": "空回复",
    "filtered": "内容过滤",
    "failed": "请求失败",
    "missing": "尚未提问",
}


def outcome_words(name: str) -> Text:
    """The name of a reply's outcome or status."""
    return Text(_OUTCOMES.get(name, name), name)


def split_words(split: str) -> Text:
    """The name of a split."""
    return SPLITS.get(split, Text(split, split))


def split_order(split: str) -> int:
    """The position of a split in tables: test comes first, since its figures are those that count."""
    return list(SPLITS).index(split)


def place_words(about: About, benchmark: Benchmark, between: str = " ") -> Text:
    """Set, split and way: "EASY, test paper 0-shot labels". `about`: these parts of a place. `between` separates the English
    words."""
    unusual = [about[k] for k, usual in (("scoring", "generate"), ("perturb", "none")) if about[k] != usual]
    split, variant, shots = about["split"], about["variant"], f"{about['shots']}-shot"
    name = set_title(benchmark, about["set"])
    zh = f"{name.zh}，{asked_words(about)}"
    if between == " ":
        return Text(zh, f"{name.en}, {' '.join([split, variant, shots, *unusual])}")
    return Text(zh, between.join([name.en, split, f"{variant} {shots}", *unusual]))


def asked_words(about: About) -> str:
    """Split and way in Chinese: 测试集，提示词 paper，零样本，作答方式 labels. Missing and usual parts are left out."""
    usual = {"scoring": "generate", "perturb": "none"}
    names = [
        name
        for name in ("split", "variant", "shots", "scoring", "perturb")
        if about.get(name) not in (None, usual.get(name))
    ]
    return "，".join(_part_words(name, about[name]).zh for name in names)


def _part_words(name: str, value: Any) -> Text:
    """The words for a place's split, or for a part of its way."""
    return {
        "split": split_words(str(value)),
        "variant": Text(f"提示词 {value}", str(value)),
        "shots": Text(f"{value} 例" if value else "零样本", f"{value}-shot"),
        "scoring": Text(f"作答方式 {value}", str(value)),
        "perturb": Text(
            f"扰动 {value}" if value != "none" else "未扰动", str(value) if value != "none" else "unperturbed"
        ),
    }[name]


def with_distinct_titles(sheets: Iterable[Sheet]) -> Iterator[Sheet]:
    """Make titles that several sheets share distinct: add the parts of their places in which these sheets differ."""
    every = list(sheets)
    alike = by_key(((sheet.name, sheet.title), sheet.about) for sheet in every)
    for sheet in every:
        abouts = alike[sheet.name, sheet.title]
        parts = [name for name in ("split", *WAY) if len({about.get(name) for about in abouts}) > 1]
        words = [_part_words(name, sheet.about[name]) for name in parts if name in sheet.about]
        zh, en = (
            "".join(f" · {word}" for word in in_language)
            for in_language in ([w.zh for w in words], [w.en for w in words])
        )
        yield replace(sheet, title=titled(sheet.title, zh, en)) if words else sheet


def estimate_flags(cell: CellResult) -> list[str]:
    """The mark of an estimated cell: "≈40/200", with ? if the estimate is doubtful; [] for other cells."""
    if not (estimate := cell.estimate):
        return []
    doubt = "?" if estimate.beyond or estimate.otherwise else ""
    return [f"≈{estimate.asked}/{estimate.of}{doubt}"]


def estimate_marks(cells: Iterable[CellResult]) -> dict[Place, list[str]]:
    """Place -> `estimate_flags` of its cell, for the estimated cells."""
    return {cell.place: flags for cell in cells if (flags := estimate_flags(cell))}


def titled(before: str | Text, zh: str, en: str) -> Text:
    """A title: `before`, then the words in each language."""
    begin = before if isinstance(before, Text) else Text(before, before)
    return Text(begin.zh + zh, begin.en + en)


def too_few(least_p_holm: float | None, least_p: float | None, differ: int | None = None) -> bool:
    """Whether so few dialogues differ that a test cannot be significant after Holm's correction. Runs of earlier versions have
    only the smallest p without correction, or the number of differing dialogues."""
    if least_p_holm is not None:
        return least_p_holm >= 0.05
    return (least_p or 0.0 if differ is None else 2.0 ** (1 - differ)) >= 0.05


def family_size(sizes: Iterable[int | None]) -> str:
    """The number of tests that Holm's correction is over: "122", "8–16"; "" in runs of earlier versions, which do not say it."""
    known = sorted({size for size in sizes if size})
    return "–".join(map(str, dict.fromkeys([*known[:1], *known[-1:]])))


def with_notes(sheets: Iterable[Sheet], *notes: Text | str) -> Iterator[Sheet]:
    """The sheets, the last of them with more notes below it."""
    every = list(sheets)
    yield from every[:-1]
    for last in every[-1:]:
        yield replace(last, notes=(*last.notes, *notes))
