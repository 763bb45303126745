"""CORECODE: commonsense reasoning over Chinese dialogues. Eight tasks, two sets (EASY, HARD)."""

from __future__ import annotations

from pathlib import Path

from evalsuite.benchmarks.corecode.rubric import RUBRIC
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE
from evalsuite.benchmarks.languages import ZH
from evalsuite.common.plugins import lazy
from evalsuite.types import Benchmark

BENCHMARK = Benchmark(
    "corecode",
    "CORECODE",
    ZH,
    sets=("easy", "hard"),
    levels=("easy", "hard"),
    set_names={"easy": ("简单", "EASY"), "hard": ("困难", "HARD")},
    splits=("train", "dev", "test"),
    sets_zh="题集",
    sets_en="set",
    tasks=tuple(TASKS_CORECODE.values()),
    loader=lazy("evalsuite.benchmarks.corecode.loader:CorecodeCorpus"),
    address="https://github.com/danshi777/CORECODE.git",
    commit="b38f6f38cdc1491b8b9e6c1e7a058739a2d9f12f",
    rubric="corecode",
    audit=RUBRIC,
    published=Path(__file__).with_name("published.csv"),
    # The paper scored whole replies, as our profile "paper" does. Its accuracy is that of the answers found by its filters,
    # which read more than the nine forms that it lists as examples ("paper.accuracy").
    published_as={
        "paper.f1": "f1",
        "paper.em": "em",
        "accuracy": "accuracy",
        "paper.bleu1": "bleu1",
        "paper.bleu2": "bleu2",
        "paper.rouge_l": "rouge_l",
        "paper.meteor15": "meteor",
        "paper.cider": "cider",
    },
    references=lazy("evalsuite.benchmarks.corecode.reference:reference_sheets"),
    audited=lazy("evalsuite.benchmarks.corecode.reference:table4"),
    files="{set}/{task.folder}/{split}/{task.file}.jsonl",  # the official file
)
