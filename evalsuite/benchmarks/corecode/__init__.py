"""CORECODE: commonsense reasoning over Chinese dialogues. Eight tasks, two sets (EASY, HARD)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsuite.benchmarks.corecode.rubric import RUBRIC
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE
from evalsuite.benchmarks.languages import ZH
from evalsuite.types import Benchmark

if TYPE_CHECKING:
    from evalsuite.benchmarks.corpus import Corpus
    from evalsuite.common.sheet import Sheet


def _corpus(benchmark: Benchmark, folder: Path, *, skip_bad: bool = False) -> Corpus:
    from evalsuite.benchmarks.corecode.loader import Corpus

    return Corpus(benchmark, folder, skip_bad=skip_bad)


def _references() -> Sequence[Sheet]:
    from evalsuite.benchmarks.corecode.reference import reference_sheets

    return reference_sheets()


def _audited() -> Sequence[Mapping[str, Any]]:
    from evalsuite.benchmarks.corecode.reference import table4

    return table4()


BENCHMARK = Benchmark(
    "corecode",
    "CORECODE",
    ZH,
    sets=("easy", "hard"),
    levels=("easy", "hard"),
    splits=("train", "dev", "test"),
    sets_zh="题集",
    sets_en="set",
    tasks=tuple(TASKS_CORECODE.values()),
    loader=_corpus,
    address="https://github.com/danshi777/CORECODE.git",
    commit="b38f6f38cdc1491b8b9e6c1e7a058739a2d9f12f",
    rubric="corecode",
    audit=RUBRIC,
    published=Path(__file__).with_name("published.csv"),
    # The paper scored whole replies, as our profile "paper" does; its accuracy is of the answers that its filters found,
    # not of the nine forms that it lists as examples ("paper.accuracy").
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
    references=_references,
    audited=_audited,
    files="{set}/{task.folder}/{split}/{task.file}.jsonl",  # the official file
)
