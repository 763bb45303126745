"""CEDAR: causal explanations in dialogues, probed by the likelihood of responses and explanations."""

from __future__ import annotations

from pathlib import Path

from evalsuite.benchmarks.cedar.explanation import DIMENSIONS
from evalsuite.benchmarks.cedar.rubric import RUBRIC
from evalsuite.benchmarks.cedar.tasks import SETS, SPLITS, TASKS_CEDAR
from evalsuite.benchmarks.languages import EN
from evalsuite.common.plugins import lazy
from evalsuite.types import Benchmark

BENCHMARK = Benchmark(
    "cedar",
    "CEDAR",
    EN,
    sets=SETS,
    splits=SPLITS,
    sets_zh="来源",
    sets_en="source",
    tasks=TASKS_CEDAR,
    loader=lazy("evalsuite.benchmarks.cedar.loader:CedarCorpus"),
    no_address="the official data could not be found anywhere: docs/cedar.md says what file to write, and what is bundled",
    groups=DIMENSIONS,
    audit=RUBRIC,
    published=Path(__file__).with_name("published.csv"),
)
