"""Sem-Sim of a cell's short texts. It needs an encoder, so it is computed only if one is given, and then kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evalsuite.benchmarks.languages import OF_REPLY, parser_of, whole_replies
from evalsuite.types import Answered, Part, Place

if TYPE_CHECKING:
    from evalsuite.metrics.semsim import Encoder

# Name in results.json -> a metric of the same texts, whose signature tells whether they are still the same.
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


def keep_similarity(entry: dict[str, Any], before: Mapping[Place, Mapping[str, Any]]) -> None:
    """Put the Sem-Sim that a cell had into its new entry of results.json, if its texts are the same and it has none.

    They are if another metric of them has the same number of items, value and signature.
    """
    old = before.get(Place.of(entry), {}).get("metrics", {})
    new = entry["metrics"]
    for name, twin in _TWINS.items():
        if name in old and name not in new and twin in new and _same(old.get(twin, {}), new[twin]):
            new[name] = old[name]


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one.get(key) == other[key] for key in ("n", "value", "signature"))
