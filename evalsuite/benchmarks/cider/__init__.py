"""CIDER: dialogue-level NLI, span extraction and selection, and relation prediction, in five folds."""

from __future__ import annotations

from pathlib import Path

from evalsuite.benchmarks.cider.relations import CATEGORIES
from evalsuite.benchmarks.cider.tasks import FOLDS, SPLITS, TASKS_CIDER
from evalsuite.benchmarks.languages import EN
from evalsuite.common.plugins import lazy
from evalsuite.types import Benchmark

# The paper scores whole replies of span extraction, with its own definitions of F1 and exact match (squad.paper_f1). Its other
# metrics equal ours.
_SAME = {name for task in TASKS_CIDER.values() for name in task.metrics} - {"f1", "em", "no_match"}

BENCHMARK = Benchmark(
    "cider",
    "CIDER",
    EN,
    sets=FOLDS,
    splits=SPLITS,
    sets_zh="折",
    sets_en="fold",
    tasks=tuple(TASKS_CIDER.values()),
    loader=lazy("evalsuite.benchmarks.cider.loader:CiderCorpus"),
    address="https://github.com/declare-lab/CIDER.git",
    commit="4907cb247c2e9428e0d2b55f780b2611580b8f12",
    averaged=True,
    groups=CATEGORIES,
    published=Path(__file__).with_name("published.csv"),
    published_as={name: name for name in sorted(_SAME | {"paper.f1", "paper.em"})} | {"paper.no_match": "no_match"},
    licence="MIT; the dialogues come from DailyDialog, MuTual and DREAM, which have terms of their own",
)
