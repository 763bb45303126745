"""Tasks of evalsuite in lm-evaluation-harness: the data lie beside this file, evalsuite parses and scores the replies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from datasets import Dataset
from lm_eval.api.samplers import ContextSampler

try:
    from evalsuite.benchmarks.registry import add_run
    from evalsuite.exchange.export import callbacks
    from evalsuite.exchange.export.callbacks import label_forms, of_all  # noqa: F401 - the tasks' files name them
except ImportError as error:
    raise ImportError(
        "these tasks read replies with evalsuite (a version with `evalsuite export`), which is not in this "
        f"environment: pip install it, from its checkout with `pip install -e DIR` ({error})"
    ) from None

HERE = Path(__file__).parent
add_run(HERE)  # the benchmark files of the exported tasks, if they have any


def data(file: str, **_: Any) -> Any:
    """Rows of a file in this folder. lm-eval itself would resolve the path from the working directory, and `load_dataset`
    would make times of texts such as 2008-08-08."""
    return {"test": Dataset.from_list(callbacks.read_rows(HERE / file))}


class Shown(ContextSampler):
    """Few-shot sampler: the first n shots that evalsuite drew for the item, never from the item's own dialogue."""

    def sample(
        self, n: int, eval_doc: callbacks.ExportedRow | None = None, df: Any = None, **_: Any
    ) -> Sequence[callbacks.ExportedShot]:
        shots = eval_doc.get("shots") or [] if eval_doc else []
        if n > len(shots):
            raise ValueError(f"{n} shots asked for, {len(shots)} exported: use `evalsuite export --shots {n}`")
        return shots[:n]


def read(doc: callbacks.ExportedRow, results: Sequence[str]) -> dict[str, float | callbacks.MetricShare]:
    return callbacks.shares(doc, results[0])


def read_labels(doc: callbacks.ExportedRow, results: Sequence[tuple[float, bool]]) -> dict[str, float]:
    return callbacks.read_labels(doc, [logprob for logprob, _ in results])
