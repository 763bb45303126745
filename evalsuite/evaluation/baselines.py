"""The baselines that a run evaluates beside its models."""

from __future__ import annotations

from collections.abc import Sequence

from evalsuite.backends.model import Model
from evalsuite.backends.models import Models, baseline_named, models_of
from evalsuite.benchmarks.registry import Corpora
from evalsuite.evaluation.settings import Settings
from evalsuite.types import Task


def come_along(
    s: Settings, models: Models, chosen: Sequence[Model], corpus: Corpora, pairs: Sequence[tuple[Task, str]]
) -> list[Model]:
    """The baselines of `--baselines` that are not among `chosen`.

    None is added if `--model` names a baseline, and none that has the name of a user's model. `majority` is asked only the tasks
    with training or dev items, from which it learns the majority.
    """
    here = {m.path for m in chosen if m.backend == "baseline"}
    if s.model and here:
        return []
    taken = {m.name for m in models_of(models) if m.backend != "baseline"}
    found = [baseline_named(name) for name in s.baselines if name not in here | taken]
    return [made for made in (_knowing(model, corpus, pairs) for model in found) if made.tasks != []]


def _knowing(model: Model, corpus: Corpora, pairs: Sequence[tuple[Task, str]]) -> Model:
    """The baseline; `majority` only with the tasks that have training or dev items."""
    if model.path != "majority":
        return model
    lacking = {t.name for t, item_set in pairs if not any(corpus.has(t, item_set, split) for split in ("train", "dev"))}
    if not lacking:
        return model
    known = dict.fromkeys(t.name for t, _ in pairs if t.name not in lacking)
    return model.model_copy(update={"tasks": [*known]})
