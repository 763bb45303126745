"""The paper's figures on the data set, on screening and on annotators, and its Table 4."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evalsuite.common.csvfile import read_texts
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value

# Mean Cohen's kappa over the annotation tasks (section 3, "Annotation Quality Control").
REVIEWERS, INSPECTORS = 0.807, 0.594

_HERE = Path(__file__).parent
_DATASET = _HERE / "dataset.csv"  # Table 1, with the names of its rows in English and Chinese
_SETS = {"hard": Text("HARD", "HARD"), "easy": Text("EASY", "EASY"), "total": Text("合计", "total")}


def table1(item_set: str) -> dict[str, str]:
    """Row of Table 1 -> its figure, as printed, for "easy", "hard" or "total"; {} for another set.

    The paper's "tokens" are characters, speaker marks included: their counts come closest to its figures.
    """
    if item_set not in _SETS:
        return {}
    return {row["name"]: _number(row[item_set]) for row in read_texts(_DATASET)}


def table8() -> list[dict[str, str]]:
    """The rows of Table 8: source, and numbers of dialogues: all, with more than 1, 2 and 3 matches, and in the data set."""
    return read_texts(_HERE / "screening.csv")


def table4() -> list[dict[str, Any]]:
    """The rows of Table 4: model, and how many of 100 outputs are correct when read raw, when filtered, and in fact."""
    rows = read_texts(_HERE / "filter_audit.csv")
    return [{name: cell if name == "model" else int(cell) for name, cell in row.items()} for row in rows]


def _number(text: str) -> str:
    return f"{float(text):,.{len(text.partition('.')[2])}f}"


def reference_sheets() -> Sequence[Sheet]:
    """Tables 1, 4 and 8, and the annotators' kappas."""
    rows = tuple(
        Row((Text(row["zh"], row["name"]), *(_number(row[name]) for name in _SETS))) for row in read_texts(_DATASET)
    )
    data = Sheet(
        "paper-table1",
        Text("论文表 1：数据集", "The paper's Table 1: the data set"),
        (Column(""), *(Column(name, kind="count") for name in _SETS.values())),
        rows,
        (
            Text(
                "论文所说的 token 是字符（含说话人标记）。自己数据的这些数字：evalsuite build stats。",
                "What the paper calls tokens are characters, speaker marks included. The same for data of your own: "
                "evalsuite build stats.",
            ),
        ),
    )
    screening = Sheet(
        "paper-table8",
        Text("论文表 8：筛选", "The paper's Table 8: screening"),
        (
            Column(Text("来源", "source")),
            Column(Text("对话", "dialogues"), kind="count"),
            *(Column(Text(f"多于 {n} 个匹配", f"more than {n} matches"), kind="count") for n in (1, 2, 3)),
            Column(Text("收入 CORECODE", "in CORECODE"), kind="count"),
        ),
        tuple(
            Row((_SOURCES.get(row["source"], row["source"]), *(f"{int(v):,}" for v in list(row.values())[1:])))
            for row in table8()
        ),
        (Text("自己的筛选：evalsuite build screen。", "For screenings of your own: evalsuite build screen."),),
    )
    kappas = Sheet(
        "paper-kappas",
        Text("论文第 3 节：标注者之间的一致性", "The paper's section 3: agreement between annotators"),
        (Column(Text("标注者", "annotators")), Column(Text("平均 Cohen κ", "mean Cohen's κ"), "%", "percent")),
        (
            Row(
                (Text("两名审核员（培训 200 段对话后）", "two reviewers, trained with 200 dialogues"), Value(REVIEWERS))
            ),
            Row((Text("六名质检员", "six quality inspectors"), Value(INSPECTORS))),
        ),
        (Text("自己标注者的一致性：evalsuite build agree。", "For annotators of your own: evalsuite build agree."),),
    )
    filtering = Sheet(
        "paper-table4",
        Text("论文表 4：100 条输出中判为正确的", "The paper's Table 4: of 100 outputs, those counted as correct"),
        (
            Column(Text("模型", "model")),
            Column(Text("原样", "raw"), kind="count"),
            Column(Text("过滤后", "filtered"), kind="count"),
            Column(Text("实际", "in fact"), kind="count"),
        ),
        tuple(Row(tuple(row.values())) for row in table4()),
        (
            Text(
                "表 3 的准确率按过滤后的答案计算，接近实际，故与本工具的“准确率”并列；只认论文所列九种形式的准确率接近“原样”一列。",
                "Table 3's accuracy is of the filtered outputs, which are near the facts, so it stands beside our "
                "accuracy; accuracy by the nine listed forms alone is near the column “raw”.",
            ),
        ),
    )
    return data, screening, kappas, filtering


_SOURCES = {"Total": Text("合计", "total")}
