"""The table of analyses: a row for each, in the order in which terminal, exports and page show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evalsuite.analyses import (
    abstention,
    aspects,
    average_ranks,
    breakdown,
    calibration,
    chance,
    confusion,
    contamination,
    correlations,
    detectable,
    difficulty,
    extraction,
    gaps,
    judge_correction,
    learning,
    learning_details,
    means,
    memory,
    overview,
    ranked_pairs,
    robustness,
    robustness_details,
    scores,
    second_reader,
    significance,
    stability,
    token_details,
    tokens,
    votes,
)
from evalsuite.analyses.blame import damage_named
from evalsuite.analyses.findings import journey as findings
from evalsuite.analyses.judged import details as judge_details
from evalsuite.analyses.judged import sheets as judged
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.sheet import Sheet, Text
from evalsuite.results.analysis import Analysis, Results

ANALYSES: tuple[Analysis[Any], ...] = (
    findings.ANALYSIS,
    overview.ANALYSIS,
    scores.ANALYSIS,
    means.ANALYSIS,
    ranked_pairs.ANALYSIS,
    average_ranks.ANALYSIS,
    significance.ANALYSIS,
    tokens.ANALYSIS,
    token_details.DETAILS,
    extraction.ANALYSIS,
    detectable.ANALYSIS,
    gaps.ANALYSIS,
    chance.ANALYSIS,
    robustness.ANALYSIS,
    robustness_details.DETAILS,
    stability.ANALYSIS,
    votes.ANALYSIS,
    abstention.ANALYSIS,
    calibration.ANALYSIS,
    calibration.DIAGRAMS,
    memory.ANALYSIS,
    contamination.ANALYSIS,
    breakdown.ANALYSIS,
    aspects.ANALYSIS,
    difficulty.ANALYSIS,
    difficulty.SUSPICIOUS,
    confusion.ANALYSIS,
    confusion.MATRICES,
    correlations.ANALYSIS,
    correlations.MATRICES,
    judged.ANALYSIS,
    judge_details.DETAILS,
    judge_correction.ANALYSIS,
    second_reader.ANALYSIS,
    second_reader.DIFFERENCES,
    learning.ANALYSIS,
    learning_details.DETAILS,
)
# The analyses with a key in results.json.
SECTIONS = tuple(row for row in ANALYSES if row.model is not None)
# The analyses of `show --tables`, by name.
TABLES = {row.name: row for row in ANALYSES if row.sheets is not None}


def at_end() -> list[str]:
    """The tables that are printed at the end of a run."""
    return [row.name for row in TABLES.values() if row.at_end]


def other_tables(results: Results) -> list[str]:
    """The tables that are not printed at the end of a run, but have sheets. `only_named` ones, which may take long to make, are
    taken to have some."""
    others = (row for row in TABLES.values() if not row.at_end)
    return [row.name for row in others if row.only_named or next(sheets(results, [row.name]), None)]


def tables_help() -> Text:
    """The help of `show --tables`."""
    reasons = {row.name: row.only_named for row in TABLES.values() if row.only_named}
    zh = "、".join(f"{name}（{reason.zh}）" for name, reason in reasons.items())
    en = ", ".join(f"{name} ({reason.en})" for name, reason in reasons.items())
    return Text(
        f"表格，用逗号分隔：{'、'.join(TABLES)}；all：除 {zh}之外的全部。"
        f"默认：{'、'.join(at_end())}；用 csv、latex 或 markdown 时为全部。",
        f"Tables, comma-separated: {', '.join(TABLES)}; all: all but {en}. "
        f"Default: {', '.join(at_end())}; as csv, latex or markdown all.",
    )


def sheets(results: Results, names: Sequence[str] = ()) -> Iterator[Sheet]:
    """The sheets of the named analyses; if none is named, of all but the `only_named` ones.

    Raises ConfigError for an unknown name.
    """
    for name in names:
        if name not in TABLES:
            raise ConfigError(unknown("table", name, TABLES))
    for name, row in TABLES.items():
        if row.sheets and (name in names if names else not row.only_named):
            with damage_named(results):
                yield from row.sheets(results)
