"""Tasks of evalsuite in OpenCompass: its data are the exported rows, evalsuite parses and scores the replies.

The exported configuration names these two classes by their path; OpenCompass imports them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from datasets import Dataset, DatasetDict
from opencompass.datasets.base import BaseDataset
from opencompass.openicl.icl_evaluator import BaseEvaluator

from evalsuite.benchmarks.registry import add_run
from evalsuite.exchange.export import callbacks


class ExportedDataset(BaseDataset):
    """The rows of a file: the prompt and those of its shots as columns, all the rest as JSON in the column `row`."""

    @staticmethod
    def load(path: str, file: str, shots: int, **_: Any) -> DatasetDict:
        columns = []
        for row in callbacks.read_rows(Path(path) / file):
            shown = row["shots"][:shots]
            prompts = {f"shot{n}": shot["prompt"] for n, shot in enumerate(shown)}
            targets = {f"target{n}": shot["target"] for n, shot in enumerate(shown)}
            columns.append({"prompt": row["prompt"], "row": json.dumps(row), **prompts, **targets})
        dataset = Dataset.from_list(columns)
        return DatasetDict(train=dataset, test=dataset)  # OpenCompass asks for both splits; none of the first is shown


class ExportedEvaluator(BaseEvaluator):
    """Parses and scores replies with evalsuite. Figures are percentages, as OpenCompass prints them."""

    def __init__(self, path: str) -> None:
        super().__init__()
        add_run(Path(path))  # the benchmark files of the exported tasks, if they have any

    def score(self, predictions: list[str], references: list[str]) -> Any:
        rows = [json.loads(line) for line in references]
        replies = [callbacks.read(row, text) for row, text in zip(rows, predictions, strict=True)]
        values = [callbacks.reply_values(each) for each in replies]
        means = {
            name: 100 * sum(value[name] for value in values) / len(values)
            for name in callbacks.mean_names(rows[0]["task"])
        }
        whole = callbacks.cell_values(tuple(replies)) if rows[0]["pooled"] else {}
        details = [
            {"pred": each.answer.text or "", "status": str(each.answer.status), "reply": each.response.text, **value}
            for each, value in zip(replies, values, strict=True)
        ]
        return {**means, **{name: 100 * whole[name] for name in rows[0]["pooled"] if name in whole}, "details": details}
