"""XCOPA's Chinese part: which of two sentences is the cause or the effect of a third."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evalsuite.benchmarks.languages import ZH
from evalsuite.benchmarks.xcopa.tasks import SETS, SPLITS, TASKS_XCOPA, TRAINING
from evalsuite.types import Benchmark

if TYPE_CHECKING:
    from evalsuite.benchmarks.corpus import Corpus


def _corpus(benchmark: Benchmark, folder: Path, *, skip_bad: bool = False) -> Corpus:
    from evalsuite.benchmarks.xcopa.loader import Corpus

    return Corpus(benchmark, folder, skip_bad=skip_bad)


BENCHMARK = Benchmark(
    "xcopa",
    "XCOPA",
    ZH,
    sets=SETS,
    splits=SPLITS,
    sets_zh="语言",
    sets_en="language",
    tasks=tuple(TASKS_XCOPA.values()),
    loader=_corpus,
    address="https://github.com/cambridgeltl/xcopa.git",
    commit="e2e9d7f105a758ee869cd13e0fe251ef93a29840",
    licence="CC BY 4.0 (LICENSE.md)",
    training=TRAINING,
    groups=("cause", "effect"),
    group_names={"cause": ("原因", "Cause"), "effect": ("结果", "Effect")},
    published=Path(__file__).with_name("published.csv"),
    published_as={"accuracy": "accuracy"},
    published_zh="人以外的数字是在英文 COPA 上微调过的编码器的，见仓库的 README。",
    published_en="All but the human figure are of encoders tuned on the English COPA, from the repository's README.",
)
