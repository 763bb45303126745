"""Annotations files -> a benchmark folder in the official layout, with build.json to record its inputs and settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from evalsuite.authoring.distractors import DISTRACTOR_KINDS, make_distractors
from evalsuite.authoring.merging import Merged, merge
from evalsuite.authoring.task_files import SHARES, annotated_distractors, assign_splits, flatten, write_task_files
from evalsuite.benchmarks.corecode import BENCHMARK as CORECODE
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus, path_of
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE
from evalsuite.common.errors import ConfigError
from evalsuite.common.files import remove, replace_file

_RECORD = "build.json"


@dataclass(frozen=True, slots=True)
class BuiltBenchmark:
    """The outcome of `build_benchmark`: the folder that it wrote, and its counts."""

    data: Path
    counts: dict[str, int]  # "set/split/task" -> items
    dialogues: dict[str, int]  # "set/split" -> dialogues
    gold: dict[str, dict[str, int]]  # "set/split" -> label -> items of knowledge filling whose right option has it
    merged: Merged
    distractors: tuple[Path, ...]  # logs of adversarial filtering; empty for annotated distractors


def build_benchmark(
    files: Sequence[Path],
    out: Path,
    annotator: str = "",
    distractors: str = DISTRACTOR_KINDS[0],
    discriminator: str = "ngrams",
    models: str = "bundled:models.yaml",
    seed: int = 0,
    shares: tuple[float, float] = SHARES,
) -> BuiltBenchmark:
    """Write out/data/…, out/build.json and the logs of the distractors; the same files and settings give the same bytes.

    Raises DataError for annotations that break a rule, ConfigError for invalid settings, or if `out` has data that no
    build wrote.
    """
    if not all(share >= 0 for share in shares) or not sum(shares) <= 1:  # also if one is NaN
        raise ConfigError(f"shares {shares[0]}, {shares[1]}: expected two numbers from 0, at most 1 together")
    if (out / "data").exists() and not (out / _RECORD).exists():
        raise ConfigError(f"--out {out}: has data that no build wrote; choose another folder")
    choose = make_distractors(distractors, discriminator, models)
    merged = merge(files, annotator)
    annotations = flatten(merged.dialogues)
    out.mkdir(parents=True, exist_ok=True)
    is_rebuild = (out / _RECORD).exists()
    # Marks the folder as that of a build, so that an interrupted build can be repeated, and no longer states its earlier data.
    replace_file(out / _RECORD, "{}\n")
    if is_rebuild:
        remove(out, _written(out))
    counts = write_task_files(annotations, out, seed, shares, choose or annotated_distractors)
    logs = tuple(choose.write(out)) if choose and choose.results else ()
    split_of = assign_splits(annotations, seed, shares)
    set_splits = [f"{item_set}/{split_of[item_set, d]}" for item_set, d in split_of]
    dialogues = {name: set_splits.count(name) for name in dict.fromkeys(c.rpartition("/")[0] for c in counts)}
    record = {
        "format": 1,
        "annotations": [{"file": f.name, "sha256": hashlib.sha256(f.read_bytes()).hexdigest()} for f in files],
        "settings": {
            "annotator": annotator,
            "distractors": distractors,
            "seed": seed,
            "shares": list(shares),
            **({"discriminator": discriminator} if choose else {}),
        },
        "dialogues": dialogues,
        "items": counts,
        "merged": {f.name: getattr(merged, f.name) for f in fields(merged) if f.name != "dialogues"},
    }
    replace_file(out / _RECORD, json.dumps(record, ensure_ascii=False, indent=1) + "\n")
    return BuiltBenchmark(out / "data", counts, dialogues, {p: _gold(out / "data", p) for p in dialogues}, merged, logs)


def _written(out: Path) -> Iterator[str]:
    """Paths in `out` of all files that an earlier build may have written, but for build.json."""
    yield "distractors.json"
    for item_set in CORECODE.sets:
        for split in CORECODE.splits:
            yield f"distractors.{item_set}.{split}.svg"
            for task in TASKS_CORECODE.values():
                yield path_of(out / "data", task, item_set, split).relative_to(out).as_posix()


def _gold(data: Path, file: str) -> dict[str, int]:
    """Label -> the number of items of knowledge filling whose right option has it; `file` is "set/split"."""
    items = CorecodeCorpus(CORECODE, data).file(TASKS_CORECODE["knowledge_filling"], *file.split("/")).items
    labels = dict.fromkeys(label for item in items for label in sorted(item.labels))
    return {label: sum(i.gold is not None and i.labels[i.gold] == label for i in items) for label in labels}
