"""The paper's figures that no cell of a run compares with: accuracy by prompting (Table 6), means over groups of models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evalsuite.common.csvfile import read_texts
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value

_MODELS = {
    "all LLMs": Text("全部模型", "all models"),
    "CN-LLMs": Text("中文模型", "Chinese models"),
    "EN-LLMs": Text("英文模型", "English models"),
}
_DOMAINS = {
    "all domains": Text("全部领域", "both domains"),
    "Chinese domain": Text("中国领域", "Chinese domain"),
    "global domain": Text("全球领域", "global domain"),
}


def reference_sheets() -> Sequence[Sheet]:
    """Table 6: a row for each group of models and domain, a column for each prompting."""
    figures = {
        (row["models"], row["domain"], row["prompting"]): float(row["accuracy"]) / 100
        for row in read_texts(Path(__file__).with_name("prompting.csv"))
    }
    names = list(dict.fromkeys(prompting for *_, prompting in figures))
    rows = dict.fromkeys((models, domain) for models, domain, _ in figures)
    return (
        Sheet(
            "charm-table6",
            Text("CHARM 表 6：各种提示词的平均准确率", "CHARM's Table 6: mean accuracy by prompting"),
            (
                Column(Text("模型", "models"), key=True),
                Column(Text("领域", "domain"), key=True),
                *(Column(Text(name, name), kind="percent", digits=2) for name in names),
            ),
            tuple(
                Row((_MODELS[models], _DOMAINS[domain], *(Value(figures[models, domain, name]) for name in names)))
                for models, domain in rows
            ),
            (
                Text(
                    "各提示词即本套件的 direct、zh-cot、en-cot、translate-en、xlt。",
                    "The promptings are our wordings direct, zh-cot, en-cot, translate-en and xlt.",
                ),
            ),
        ),
    )
