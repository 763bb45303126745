"""CICERO: contextualised commonsense inferences in English dialogues, to generate and to select."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evalsuite.benchmarks.cicero.rubric import RUBRIC
from evalsuite.benchmarks.cicero.tasks import QUESTIONS, SETS, TASKS_CICERO
from evalsuite.benchmarks.languages import EN
from evalsuite.types import Archives, Benchmark

if TYPE_CHECKING:
    from evalsuite.benchmarks.corpus import Corpus
    from evalsuite.common.sheet import Sheet


def _corpus(benchmark: Benchmark, folder: Path, *, skip_bad: bool = False) -> Corpus:
    from evalsuite.benchmarks.cicero.loader import Corpus

    return Corpus(benchmark, folder, skip_bad=skip_bad)


def _references() -> Sequence[Sheet]:
    from evalsuite.benchmarks.cicero.reference import reference_sheets

    return reference_sheets()


BENCHMARK = Benchmark(
    "cicero",
    "CICERO",
    EN,
    sets=SETS,
    splits=("train", "dev", "test"),
    sets_zh="版本",
    sets_en="version",
    tasks=tuple(TASKS_CICERO.values()),
    loader=_corpus,
    # The git repository does not contain v1's files.
    address=Archives(
        {
            "v1": "https://github.com/declare-lab/CICERO/releases/download/v1.0.0/data.zip",
            "v2": "https://github.com/declare-lab/CICERO/releases/download/v2.0.0/data.zip",
        },
        ("train.json", "val.json", "test.json"),
    ),
    groups=tuple(QUESTIONS),
    rubric="cicero_en",
    audit=RUBRIC,
    published=Path(__file__).with_name("published.csv"),
    # The official code scores what the model wrote, whole and raw, as our profile "cicero" does.
    published_as={
        "accuracy": "accuracy",
        "set_accuracy": "set_accuracy",
        "set_accuracy_single": "set_accuracy_single",
        "set_accuracy_multiple": "set_accuracy_multiple",
        "paper.bleu1": "bleu1",
        "paper.bleu2": "bleu2",
        "paper.meteor15": "meteor",  # the paper used METEOR 1.5 (the Java program)
        "paper.rouge_l": "rouge_l",
        "paper.cider": "cider",
        "paper.semsim": "semsim",
    },
    references=_references,
    licence="MIT; the dialogues come from DailyDialog, MuTual and DREAM, which have terms of their own",
)
