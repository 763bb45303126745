"""CEDAR's probes with chosen likelihoods in a run's store, as if a model had answered them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import evalsuite
from evalsuite.benchmarks.cedar import BENCHMARK
from evalsuite.benchmarks.cedar.loader import CedarCorpus
from evalsuite.benchmarks.probing import request_of
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.resources import bundled
from evalsuite.prompt import Prompt
from evalsuite.results.store import Store, request_key
from evalsuite.types import Cell, Likelihood, Place, Response, Trial

TASK, SET = TASKS["cedar_inference_probing"], "sample"


def add_probes(run: Path, losses: Callable[[int], tuple[float, float]], limit: int = 12) -> None:
    """Add probes of the sample, answered by the run's first model, and score the run. `losses(n)`: the losses of the n-th
    item's two targets, in nats."""
    file, prompt = (
        CedarCorpus(BENCHMARK, bundled("sample")).file(TASK, SET, "test"),
        Prompt(bundled("prompts"), TASK, "paper"),
    )
    with Store(run / "store.sqlite") as store:
        cell = store.cells()[0]
        facts = cell.facts | {"data": file.sha256, "template": prompt.sha256, "limit": limit, "leaked": None}
        facts = {name: value for name, value in facts.items() if name not in ("answered", "escaped")}
        cell = Cell(Place(cell.place.model, TASK.name, SET, "test", "paper", 0, scoring="nll"), facts)
        asked = [Trial(item, request_of(prompt, item), prompt.variant) for item in file.items[:limit]]
        keys = [request_key(facts["fingerprint"], t.request, facts["chat"], facts["sampling"]) for t in asked]
        store.plan(cell, list(zip(keys, asked, strict=True)))
        store.put(
            (name, Response("", "nll", 9, 0, likelihoods=tuple(Likelihood(-loss, 4) for loss in losses(n))))
            for n, name in enumerate(keys)
        )
    evalsuite.score(run)
