"""Published figures of C3, which are of both parts together, so that no cell of a run compares with them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evalsuite.common.csvfile import read_texts
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value

_SOURCES = {"abstract": Text("论文摘要", "the paper's abstract"), "CLUE": Text("CLUE 的 README", "CLUE's README")}


def figures() -> list[dict[str, str]]:
    """The rows: source, model, and accuracy in percent."""
    return read_texts(Path(__file__).with_name("figures.csv"), ("source", "model", "accuracy"))


def reference_sheets() -> Sequence[Sheet]:
    """One sheet of all figures."""
    columns = (
        Column(Text("模型", "model")),
        Column(Text("出处", "source"), key=True),
        Column(Text("准确率", "accuracy"), kind="percent", digits=1),
    )
    rows = (
        Row(
            (row["model"], _SOURCES[row["source"]], Value(float(row["accuracy"]) / 100)),
            "apart" if row["model"] == "Human" else "",
        )
        for row in figures()
    )
    note = Text(
        "全部 3,892 道测试题（对话与混合文本合计）；模型均为在训练集上微调的编码器。本工具分别给出两部分的成绩。",
        "All 3,892 test questions, dialogues and mixed texts together; the models are encoders tuned on the training "
        "files. Scores here are of each part.",
    )
    return (Sheet("c3-published", Text("C3：已发表的结果", "C3: published figures"), columns, tuple(rows), (note,)),)
