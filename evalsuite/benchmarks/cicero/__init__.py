"""CICERO: contextualised commonsense inferences in English dialogues, to generate and to select."""

from __future__ import annotations

from pathlib import Path

from evalsuite.benchmarks.cicero.rubric import RUBRIC
from evalsuite.benchmarks.cicero.tasks import QUESTIONS, SETS, TASKS_CICERO
from evalsuite.benchmarks.languages import EN
from evalsuite.common.plugins import lazy
from evalsuite.types import Archives, Benchmark

BENCHMARK = Benchmark(
    "cicero",
    "CICERO",
    EN,
    sets=SETS,
    splits=("train", "dev", "test"),
    sets_zh="版本",
    sets_en="version",
    tasks=tuple(TASKS_CICERO.values()),
    loader=lazy("evalsuite.benchmarks.cicero.loader:CiceroCorpus"),
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
    # The official code scores the whole raw reply, as our profile "cicero" does.
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
    references=lazy("evalsuite.benchmarks.cicero.reference:reference_sheets"),
    licence="MIT; the dialogues come from DailyDialog, MuTual and DREAM, which have terms of their own",
)
