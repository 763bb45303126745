"""C3: questions of Chinese examinations about dialogues and mixed texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evalsuite.benchmarks.c3.tasks import KINDS_OF_KNOWLEDGE, SETS, SPLITS, TASKS_C3
from evalsuite.benchmarks.languages import ZH
from evalsuite.types import Benchmark

if TYPE_CHECKING:
    from evalsuite.benchmarks.corpus import Corpus
    from evalsuite.common.sheet import Sheet


def _corpus(benchmark: Benchmark, folder: Path, *, skip_bad: bool = False) -> Corpus:
    from evalsuite.benchmarks.c3.loader import Corpus

    return Corpus(benchmark, folder, skip_bad=skip_bad)


def _references() -> Sequence[Sheet]:
    from evalsuite.benchmarks.c3.reference import reference_sheets

    return reference_sheets()


BENCHMARK = Benchmark(
    "c3",
    "C3",
    ZH,
    sets=SETS,
    splits=SPLITS,
    sets_zh="子集",
    sets_en="subset",
    tasks=tuple(TASKS_C3.values()),
    loader=_corpus,
    address="https://github.com/nlpdata/c3.git",
    commit="1f41682ebb684d63afe7c583c8f38e137fc8a826",
    licence="for non-commercial research only (license.txt); do not pass the files on",
    groups=tuple(KINDS_OF_KNOWLEDGE),
    group_names=KINDS_OF_KNOWLEDGE,
    references=_references,
)
