"""Sem-Sim of a cell's short texts. It needs an encoder, so it is computed only if one is given, and then kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evalsuite.benchmarks.languages import OF_REPLY, parser_of, whole_replies
from evalsuite.results.schema.cell import CellResult, MetricValue
from evalsuite.types import Answered, Part

if TYPE_CHECKING:
    from evalsuite.metrics.semsim import Encoder

# Name in results.json -> another metric of the same texts, which changes if they change.
_TWINS = {"semsim": "rouge_l", "paper.semsim": "paper.rouge_l"}


def similarity_part(answered: Answered, encoder: Encoder) -> Part:
    """Sem-Sim of the answers ("semsim") and of the whole replies ("paper.semsim"). Texts of both are embedded together."""
    from evalsuite.metrics.semsim import semsim_signature, similarity
    from evalsuite.metrics.signatures import count_references
    from evalsuite.metrics.statistics import Means

    references = [item.references for item in answered.items]
    answers = [answer.text or "" for answer in answered.answers]
    values = similarity([*answers, *whole_replies(answered)], references * 2, encoder)
    of_both = semsim_signature(encoder, count_references(references)).rpartition("|version:")[0]
    sources = {"semsim": f"parser:{parser_of(answered.reading)}", "paper.semsim": OF_REPLY}
    columns = dict(zip(sources, (values[: len(answers)], values[len(answers) :]), strict=True))
    signatures = {name: f"{of_both}|{source}" for name, source in sources.items()}
    return Part("semsim", Means.of(columns), {name: name for name in columns}, signatures)


def kept_similarity(result: CellResult, before: Mapping[str, MetricValue]) -> CellResult:
    """The result with the Sem-Sim of the cell's earlier metrics (`before`), if it has none and its texts have not changed.

    The texts have not changed if their other metric (_TWINS) has the same number of items, value and signature as before.
    """
    new = result.metrics
    earlier = {
        name: before[name]
        for name, twin in _TWINS.items()
        if name in before and name not in new and twin in new and twin in before and _are_equal(before[twin], new[twin])
    }
    return result.model_copy(update={"metrics": {**new, **earlier}}) if earlier else result


def _are_equal(a: MetricValue, b: MetricValue) -> bool:
    return (a.n, a.value, a.signature) == (b.n, b.value, b.signature)
