"""The models that a run evaluates: baselines are added, and shipped models whose packages are missing are left out."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from evalsuite.backends.model import Model
from evalsuite.backends.models import Models, baseline_named, models_of
from evalsuite.backends.registry import backend_named
from evalsuite.benchmarks.registry import Corpora
from evalsuite.evaluation.settings import Settings
from evalsuite.types import Task

_SHIPPED = "bundled:models.yaml"


def leave_out_missing(s: Settings, models: Models, chosen: Sequence[Model]) -> tuple[list[Model], tuple[str, ...]]:
    """The models that can run here, and a line for each one left out, with the command that adds it.

    No model is left out that `--model` names or that a user's models.yaml lists: it is a problem of the run if it cannot be
    loaded.
    """
    if str(models) != _SHIPPED or s.model or s.executor != "local":
        return [*chosen], ()
    lacking = {m.name: [x for x in backend_named(m.backend).modules if find_spec(x) is None] for m in chosen}
    lines = tuple(
        f"model {m.name} needs {' and '.join(lacking[m.name])}: `pip install 'evalsuite[{m.backend}]'`, then the same "
        "command adds it"
        for m in chosen
        if lacking[m.name]
    )
    return [m for m in chosen if not lacking[m.name]], lines


def additional_baselines(
    s: Settings, models: Models, chosen: Sequence[Model], corpus: Corpora, pairs: Sequence[tuple[Task, str]]
) -> list[Model]:
    """The baselines of `--baselines` that are not among `chosen`.

    None is added if `--model` names a baseline, nor one with the name of a user's model. `majority` is asked only the tasks with
    training or dev items, from which it learns the majority.
    """
    here = {m.path for m in chosen if m.backend == "baseline"}
    if s.model and here:
        return []
    taken = {m.name for m in models_of(models) if m.backend != "baseline"}
    baselines = [baseline_named(name) for name in s.baselines if name not in here | taken]
    return [model for model in (_with_known_majority(b, corpus, pairs) for b in baselines) if model.tasks != []]


def _with_known_majority(model: Model, corpus: Corpora, pairs: Sequence[tuple[Task, str]]) -> Model:
    """The baseline; `majority` only with the tasks that have training or dev items."""
    if model.path != "majority":
        return model
    lacking = {t.name for t, item_set in pairs if not any(corpus.has(t, item_set, split) for split in ("train", "dev"))}
    if not lacking:
        return model
    known = dict.fromkeys(t.name for t, _ in pairs if t.name not in lacking)
    return model.model_copy(update={"tasks": [*known]})
