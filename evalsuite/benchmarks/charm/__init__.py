"""CHARM: reasoning with global or Chinese commonsense, and questions about the facts that it rests on."""

from __future__ import annotations

from pathlib import Path

from evalsuite.benchmarks.charm.rubric import RUBRIC
from evalsuite.benchmarks.charm.tasks import ASPECTS, SETS, TASKS_CHARM
from evalsuite.benchmarks.languages import ZH
from evalsuite.common.plugins import lazy
from evalsuite.types import Benchmark

BENCHMARK = Benchmark(
    "charm",
    "CHARM",
    ZH,
    sets=SETS,
    splits=("test",),
    sets_zh="领域",
    sets_en="domain",
    tasks=tuple(TASKS_CHARM.values()),
    loader=lazy("evalsuite.benchmarks.charm.loader:CharmCorpus"),
    address="https://github.com/opendatalab/CHARM",
    training="",  # the release has ready-made examples, and no training split
    levels=SETS,
    set_names={"global": ("全球常识", "GLOBAL"), "chinese": ("中国常识", "CHINESE")},
    groups=tuple(ASPECTS),
    group_names={zh: (zh, en) for zh, en in ASPECTS.items()},
    rubric="charm",
    audit=RUBRIC,
    published=Path(__file__).with_name("published.csv"),
    # The release reads the first letter of a reply (`Task.official`).
    published_as={"paper.accuracy": "accuracy"},
    references=lazy("evalsuite.benchmarks.charm.reference:reference_sheets"),
    published_zh="论文的领先榜：中文模型用 ZH-CoT（即本套件的 paper），其他模型用 XLT。",
    published_en="The paper's leaderboard asks Chinese models by ZH-CoT (our wording paper), others by XLT.",
    licence="Apache-2.0",
)
