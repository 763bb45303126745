"""What extraction adds to a score: F1 and EM of the answers less those of the whole replies, by the same measure.

Our metrics of spans and texts are of the answer that was read out of a reply; those named "paper.…" are of the whole reply. The
key "extraction" of results.json has a row for each cell of such a task.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from evalsuite.benchmarks.languages import reply_text
from evalsuite.benchmarks.registry import TASKS, benchmark_of
from evalsuite.common.dialogue import sources
from evalsuite.results.outcomes import ScoredRun, is_baseline
from evalsuite.types import Answer, Cell, Response, Score, Status, Trial


def section(run: ScoredRun) -> dict[str, Any]:
    """The key "extraction" of results.json."""
    return {"extraction": [cell.extraction for cell in run.cells if cell.extraction]}


def extraction(cell: Cell, answered: Sequence[tuple[Trial, Response, Answer, Score]]) -> dict[str, Any] | None:
    """The row of a cell; None for choices, probes and baselines, and without answered requests. Values are in [0, 1].

    `gain` is the mean over items of F1 of the answer less F1 of the whole reply, with its bootstrap interval; low and high
    are None where no item has a difference, or with one dialogue.
    """
    from evalsuite.metrics.statistics import Means, bootstrap

    place = cell.place
    if not answered or "f1" not in TASKS[place.task].item_metrics or is_baseline(cell.facts):
        return None
    score = benchmark_of(place.task).language.score
    of_reply, cut = [], 0
    for trial, response, answer, own in answered:
        reply = reply_text(response)
        same = reply == (answer.text or "")
        cut += answer.status is Status.PARSED and not same
        of_reply.append(own.values if same else score(reply, trial.item.references))
    items: dict[str, list[int]] = {}  # item -> its replies: one, or one for each sample
    for n, (trial, *_) in enumerate(answered):
        items.setdefault(trial.item.id, []).append(n)

    def by_item(values: Sequence[float]) -> list[float]:
        return [sum(values[n] for n in replies) / len(replies) for replies in items.values()]

    columns = {
        name: (by_item([own.values[name] for *_, own in answered]), by_item([x[name] for x in of_reply]))
        for name in ("f1", "em")
    }
    gains = [x - y for x, y in zip(*columns["f1"], strict=True)]
    clusters = sources([answered[replies[0]][0].item.context for replies in items.values()])
    # The seed names no model: two models with the same replies get the same interval.
    rng = Random(f"extraction:{place.task}:{place.set}:{place.split}")
    gain = bootstrap(Means.of({"gain": gains}), clusters, rng)["gain"]
    sampled = any(gains) and len(set(clusters)) > 1
    means = {name: [sum(side) / len(items) for side in both] for name, both in columns.items()}
    return {
        **place.as_dict(),
        "items": len(items),
        "cut": cut / len(answered),
        "f1": means["f1"][0],
        "f1_reply": means["f1"][1],
        "em": means["em"][0],
        "em_reply": means["em"][1],
        "gain": gain.value,
        "low": gain.low if sampled else None,
        "high": gain.high if sampled else None,
    }
