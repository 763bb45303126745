"""Write datasets for OpenCompass (0.5 or later): a configuration with a dataset for each cell, and README.md.

Only written replies are exported: OpenCompass compares the perplexities of whole prompts, which are no likelihoods of options.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from pprint import pformat
from typing import Any

from evalsuite.common.errors import ConfigError
from evalsuite.common.files import replace_file
from evalsuite.exchange.export.cells import ExportedTask, listed

CONFIG = "evalsuite_datasets.py"
_CLASSES = "evalsuite.exchange.export.shipped.opencompass_tasks"


def write_tasks(folder: Path, cells: Sequence[ExportedTask]) -> None:
    """Write the files of OpenCompass into a folder that already has the data."""
    for cell in cells:
        if "generate" not in cell.scorings:
            raise ConfigError(
                f"{cell.name}: asks for likelihoods only, and OpenCompass compares perplexities of whole prompts"
            )
    datasets = pformat([_dataset(cell) for cell in cells], width=120, sort_dicts=False)
    text = f'"""Written by `evalsuite export --to opencompass`; run it in this folder."""\n\ndatasets = {datasets}\n'
    replace_file(folder / CONFIG, text)
    replace_file(folder / "README.md", _readme(cells))


def _dataset(cell: ExportedTask) -> Any:
    """A cell's entry in OpenCompass's configuration."""
    shots = cell.cell.place.shots
    shown = [
        turn
        for n in range(shots)
        for turn in ({"role": "HUMAN", "prompt": f"{{shot{n}}}"}, {"role": "BOT", "prompt": f"{{target{n}}}"})
    ]
    columns = ["prompt", *(f"{name}{n}" for n in range(shots) for name in ("shot", "target"))]
    return {
        "abbr": cell.name,
        "type": f"{_CLASSES}.ExportedDataset",
        "path": ".",
        "file": cell.file,
        "shots": shots,
        "reader_cfg": {"input_columns": columns, "output_column": "row"},
        "infer_cfg": {
            "prompt_template": {
                "type": "opencompass.openicl.icl_prompt_template.PromptTemplate",
                "template": {"round": [*shown, {"role": "HUMAN", "prompt": "{prompt}"}]},
            },
            "retriever": {"type": "opencompass.openicl.icl_retriever.ZeroRetriever"},
            "inferencer": {
                "type": "opencompass.openicl.icl_inferencer.GenInferencer",
                "max_out_len": cell.max_new_tokens,
            },
        },
        "eval_cfg": {"evaluator": {"type": f"{_CLASSES}.ExportedEvaluator", "path": "."}, "pred_role": "BOT"},
    }


def _readme(cells: Sequence[ExportedTask]) -> str:
    return f"""# {", ".join(dict.fromkeys(cell.benchmark.title for cell in cells))} for OpenCompass

Written by `evalsuite export --to opencompass`. Needs `evalsuite` in the environment that `opencompass` runs in: it reads the
replies. Put your models into a configuration beside `{CONFIG}`, and run it in this folder:

```python
from mmengine.config import read_base

with read_base():
    from .evalsuite_datasets import datasets
    from opencompass.configs.models.qwen2_5.hf_qwen2_5_7b_instruct import models
```

```console
$ opencompass my_config.py
```

Shots are in the data: {cells[0].cell.place.shots} here; `evalsuite export --shots N` writes others.
Numbers that equal evalsuite's own, and others: docs/export.md there.

{listed(cells)}"""
