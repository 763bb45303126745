"""Write tasks for lm-evaluation-harness (0.4.13 or later): a YAML file for each task and group, utils.py and README.md.

Choices are exported three times: as written replies, which our parser reads; by the likelihood of labels, which we score; and
by the likelihood of the options' texts, which lm-eval scores. Its acc and acc_norm are our accuracy_sum and accuracy_char.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import yaml

from evalsuite.benchmarks.registry import metric_named
from evalsuite.common.files import replace_file
from evalsuite.common.jsonl import JsonObject
from evalsuite.exchange.export.callbacks import mean_names
from evalsuite.exchange.export.cells import SHIPPED, ExportedTask, listed


class _Function(str):
    """Name of a function in utils.py, written as `!function utils.NAME`."""


class _Dumper(yaml.SafeDumper):
    pass


_Dumper.add_representer(_Function, lambda dumper, name: dumper.represent_scalar("!function", f"utils.{name}"))

# Scoring -> suffix of the names of its tasks and group.
_SCORINGS = {"generate": "", "labels": "_labels", "texts": "_texts"}


def write_tasks(folder: Path, cells: Sequence[ExportedTask]) -> None:
    """Write the files of lm-evaluation-harness into a folder that already has the data."""
    replace_file(folder / "utils.py", (SHIPPED / "lm_eval_utils.py").read_bytes())
    groups: dict[str, list[str]] = {}
    for cell in cells:
        for scoring, suffix in _SCORINGS.items():
            if scoring in cell.scorings:
                _write(folder / f"{cell.name}{suffix}.yaml", _task(cell, scoring))
                groups.setdefault(f"{cell.group}{suffix}", []).append(f"{cell.name}{suffix}")
    for group, names in groups.items():
        _write(folder / f"_{group}.yaml", {"group": group, "task": names})
    replace_file(folder / "README.md", _readme(cells, list(groups)))


def _task(cell: ExportedTask, scoring: str) -> JsonObject:
    common = {
        "task": f"{cell.name}{_SCORINGS[scoring]}",
        "custom_dataset": _Function("data"),
        "dataset_kwargs": {"file": cell.file},
        "test_split": "test",
        # Shots are stored with each item: "test" makes lm-eval hand the item to the sampler.
        "fewshot_split": "test",
        "num_fewshot": cell.cell.place.shots,
        "doc_to_text": "prompt",
        "target_delimiter": "",
        "fewshot_delimiter": "\n\n",
        "metadata": cell.facts,
    }
    # A shot shows the right reply, also where likelihoods are compared.
    fewshot = {"sampler": _Function("Shown"), "doc_to_choice": None, "doc_to_target": "target", "target_delimiter": ""}
    if scoring == "generate":
        return {
            **common,
            "output_type": "generate_until",
            "doc_to_target": "target",
            "fewshot_config": fewshot,
            "generation_kwargs": {"until": [], "do_sample": False, "max_gen_toks": cell.max_new_tokens},
            "process_results": _Function("read"),
            "metric_list": [
                *map(_mean, mean_names(cell.task.name)),
                *({**_mean(name), "aggregation": _Function("of_all")} for name in cell.pooled),
            ],
        }
    if scoring == "labels":
        return {
            **common,
            "output_type": "multiple_choice",
            "doc_to_target": "target",
            "doc_to_choice": _Function("label_forms"),
            "fewshot_config": fewshot,
            "process_results": _Function("read_labels"),
            "metric_list": [_mean("accuracy")],
        }
    return {
        **common,
        "output_type": "multiple_choice",
        "doc_to_target": "gold",
        "doc_to_choice": "options",
        "target_delimiter": cell.option_after,
        "fewshot_config": fewshot,
        "metric_list": [_mean("acc"), _mean("acc_norm")],
    }


def _mean(metric: str) -> JsonObject:
    return {"metric": metric, "aggregation": "mean", "higher_is_better": not metric_named(metric).lower_is_better}


def _write(path: Path, content: JsonObject) -> None:
    text = yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    replace_file(path, text)


def _readme(cells: Sequence[ExportedTask], groups: Sequence[str]) -> str:
    return f"""# {", ".join(dict.fromkeys(cell.benchmark.title for cell in cells))} for lm-evaluation-harness

Written by `evalsuite export --to lm-eval`. Needs `evalsuite` in the environment that `lm_eval` runs in: it reads the replies.

```console
$ lm_eval run --include_path . --tasks {groups[0]} --model hf --model_args pretrained=MODEL --apply_chat_template
```

Groups: {", ".join(f"`{group}`" for group in groups)}. 
Shots: `--num_fewshot N`, up to {max(cell.cell.place.shots for cell in cells)} here.
`…_labels` and `…_texts` compare likelihoods. What equals evalsuite's own numbers, and what does not: docs/export.md there.

{listed(cells)}"""
