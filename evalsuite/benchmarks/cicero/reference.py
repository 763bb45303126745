"""The paper's figures that no run measures: human evaluation (Tables 6 and 12) and transfer (14, 15)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evalsuite.benchmarks.cicero.rubric import RUBRIC
from evalsuite.benchmarks.cicero.tasks import QUESTIONS, TASKS_CICERO
from evalsuite.common.csvfile import read_texts
from evalsuite.common.sheet import CellValue, Column, Row, Sheet, Text, Value

_HERE = Path(__file__).parent
_ITEMS = {"one": Text("一个答案", "one answer"), "several": Text("多个答案", "several"), "both": Text("全部", "both")}
_TITLES = {
    14: Text("CICERO 表 14：按训练题与测试题的选择", "CICERO's Table 14: selection, by items trained and tested on"),
    15: Text(
        "CICERO 表 15：未训练过的题型（零样本）", "CICERO's Table 15: selection of types not trained on (zero-shot)"
    ),
}
_NOTES = {
    14: Text(
        "单选为准确率，其余为全对率，%。以全部题训练者即表 9，与成绩并列。",
        "Accuracy where one answer is right, else exact sets, in %. Those trained on both are Table 9's, which stand "
        "beside scores.",
    ),
    15: Text(
        "训练：原因、前提、情绪反应；测试：后续事件、动机。",
        "Trained on causes, prerequisites and reactions; tested on subsequent events and motivations.",
    ),
}


def human() -> list[dict[str, str]]:
    """The rows of Table 12: model, and its mean on each scale, from 1 to 5."""
    return read_texts(_HERE / "human.csv")


def selection(table: int) -> list[dict[str, str]]:
    """The rows of Table 14 or 15: model, items (one, several, both) trained and evaluated on, and % by type of question."""
    return [row for row in read_texts(_HERE / "selection.csv") if row["table"] == str(table)]


def reference_sheets() -> Sequence[Sheet]:
    """Tables 12 (Table 6 is a part of it), 14 and 15."""
    columns = (Column(Text(s.zh, s.en), kind="number", digits=1, range=(s.low, s.high)) for s in RUBRIC.scales)
    rated = Sheet(
        "cicero-table12",
        Text("CICERO 表 12：人工评价", "CICERO's Table 12: human evaluation"),
        (Column(Text("模型", "model")), *columns),
        tuple(
            Row(
                (row["model"], *(Value(float(row[s.name])) for s in RUBRIC.scales)),
                "apart" if row["model"] == "Gold" else "",
            )
            for row in human()
        ),
        (
            Text(
                "每类推断 40 条，三人评，1–5 分。表 6 为其一部分，只是 T5 的流畅性为 4.8。自己的评价：evalsuite audit --rubric cicero。",
                "40 inferences of each type, three people, 1 to 5. Table 6 is a part of it, but for T5's fluency, "
                "which is 4.8 there. Ratings of your own: evalsuite audit --rubric cicero.",
            ),
        ),
    )
    return rated, _selection(14), _selection(15)


def _selection(table: int) -> Sheet:
    names = [Text(TASKS_CICERO[name].zh, TASKS_CICERO[name].en) for name in QUESTIONS]
    return Sheet(
        f"cicero-table{table}",
        _TITLES[table],
        (
            Column(Text("模型", "model")),
            Column(Text("训练", "trained on"), key=True),
            Column(Text("测试", "tested on"), key=True),
            *(Column(name, kind="percent", digits=2) for name in (*names, Text("平均", "mean"))),
        ),
        tuple(
            Row((row["model"], _ITEMS[row["trained"]], _ITEMS[row["evaluated"]], *(_percent(row[n]) for n in _FIGURES)))
            for row in selection(table)
        ),
        (_NOTES[table],),
    )


_FIGURES = (*QUESTIONS, "avg")


def _percent(text: str) -> CellValue:
    return Value(float(text) / 100 if text else None)
