"""Baselines that pass for models: the scripted backend returns their replies from files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import evalsuite
from evalsuite.backends.baseline import Baseline
from evalsuite.backends.model import Model
from evalsuite.benchmarks.registry import Corpora
from evalsuite.common.resources import bundled


def stand_in_models(
    folder: Path,
    models: Mapping[str, str],
    tasks: Sequence[str],
    perturb: Sequence[str] = ("none",),
    tags: Mapping[str, Sequence[str]] | None = None,
) -> list[dict[str, object]]:
    """Entries of a models.yaml. `models`: name -> the baseline whose replies to all items of the sample are written into the
    folder."""
    cells = evalsuite.preview(model=["random"], tasks=tasks, perturb=perturb, data="bundled:sample")
    trials = [trial for _, asked in cells for trial in asked]
    corpus = Corpora(bundled("sample"))
    entries: list[dict[str, object]] = []
    for n, (name, kind) in enumerate(models.items()):
        baseline = Baseline(Model(name=name, backend="baseline", path=kind), corpus.labelled)
        rows = [
            {"item": trials[at].item.id, "perturb": trials[at].perturb, "rotation": trials[at].rotation, "text": reply.text,
             "prompt_tokens": 500, "new_tokens": 1 + len(reply.text)}
            for group in baseline.answer(trials, [False] * len(trials))
            for at, reply in group
        ]  # fmt: skip
        file = folder / f"replies{n}.jsonl"
        file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        entries.append(
            {"name": name, "backend": "scripted", "path": file.name, "tags": list((tags or {}).get(name, ()))}
        )
    return entries
