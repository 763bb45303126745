"""The plan of a run, without a model: `prepare` checks settings, models and data, `plan_cells` makes cells and their trials."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from evalsuite.backends.base import Backend, settings_of
from evalsuite.backends.model import Model
from evalsuite.backends.models import Models, models_of
from evalsuite.backends.registry import BACKENDS, backend_named
from evalsuite.benchmarks.corpus import File
from evalsuite.benchmarks.groups import groups
from evalsuite.benchmarks.probing import request_of
from evalsuite.benchmarks.registry import BENCHMARKS, DEFAULT, Corpora, names_of_files, takes_shots, tasks_named
from evalsuite.common.dialogue import copied
from evalsuite.common.errors import ConfigError, DataError, PromptError, unknown
from evalsuite.common.flags import from_keywords
from evalsuite.common.grouping import by_key
from evalsuite.common.resources import resolve
from evalsuite.evaluation.items import SelectedItems, Selection, read_selection
from evalsuite.evaluation.settings import Settings
from evalsuite.perturb import Perturbation, perturbation_named
from evalsuite.prompt import Prompt, Shots, fit_shots, usual_wording, wordings
from evalsuite.types import WRITTEN, Cell, Item, Place, Task, Trial

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EvalSet:
    """The items of one task and set to evaluate on."""

    task: Task
    set: str
    file: File
    items: tuple[Item, ...]  # after --drop-leaked, --limit and --items
    # The number of items, dropped ones included, whose dialogue the training split has; None: there is no such split.
    leaked: int | None
    picked: SelectedItems | None = None  # the items of --items
    undrawn: tuple[int, ...] = ()  # numbers of shots that are left out, since there is no training split to draw from


def prepare(models: Models, **settings: Any) -> tuple[Settings, list[Model], Corpora, list[EvalSet]]:
    """Check settings, models and data before any model is loaded; `settings` are the fields of `Settings`.

    Raises ConfigError or DataError for the first thing that is wrong.
    """
    s = from_keywords(Settings, {"models": models if isinstance(models, str | Path) else "functions"} | settings)
    chosen = models_of(models, s.model)
    if s.until_ranked is not None and sum(m.backend != "baseline" for m in chosen) < 2:
        raise ConfigError("--until-ranked: tells models apart, and fewer than two are named; baselines take no part")
    corpus = Corpora(folders_of(s), skip_bad=s.skip_bad)
    eval_sets = []
    scored = False  # whether any model can be asked any task in a scoring that was asked for
    selection = read_selection(s.items) if s.items else None
    pairs = _selected(selection, _pairs(s, corpus), s, corpus) if selection else _pairs(s, corpus)
    for t, item_set in pairs:
        file = corpus.file(t, item_set, s.split)
        # In the training split itself, every dialogue would count as leaked.
        is_training = s.split == corpus.of(t).benchmark.training
        if is_training and s.drop_leaked:
            raise ConfigError(
                f"--drop-leaked: {s.split} is the split that the shots of {t.name} come from, so nothing would be left"
            )
        leaked = None if is_training else leaks(corpus, t, item_set, file.items)
        if s.drop_leaked and leaked is None:
            path = corpus.path(t, item_set, corpus.of(t).benchmark.training)
            raise DataError("--drop-leaked needs the training split, which is not there", path)
        items, count = without_leaks(file.items, leaked, s.limit, s.drop_leaked)
        picked = selection.pick(t, item_set, s.split, corpus, items) if selection else None
        if selection and picked:
            items = picked.items
            # As in `without_leaks`, the listed items that --drop-leaked leaves out count, too.
            count = None if leaked is None else len(leaked & {*selection.ids, *(item.id for item in items)})
        undrawn = () if corpus.training(t, item_set) is not None else _counts_of_shots(s, chosen, t)
        eval_sets.append(EvalSet(t, item_set, file, items, count, picked, undrawn))
        for change in _perturbations(s, t) if items else ():
            try:  # with the item with the most options, since some styles have few labels
                change.items(max(items, key=lambda item: len(item.options)), s.seed)
            except ConfigError as error:
                raise ConfigError(f"--perturb {change.name}: {error}") from None
        for prompt in _checked_prompts(s, chosen, corpus, eval_sets[-1]):
            scored = scored or any(_scorings(s, m, t, prompt.scorings) for m in chosen)
    _require_shots(s, chosen, corpus, eval_sets)
    if not any(_perturbations(s, source.task) for source in eval_sets):
        raise ConfigError(
            f"--perturb {','.join(s.perturb)}: makes no sense for {', '.join({t.name: t for t, _ in pairs})}"
        )
    if not scored:
        raise ConfigError(
            f"--scoring {','.join(s.scoring)}: likelihoods are only for choice tasks (probes have a scoring of their "
            "own, nll) in wordings that do not ask to reason first, on "
            f"{' and '.join(b.name for b in BACKENDS.values() if 'labels' in b.scorings)}. A wording whose text goes "
            "on with the options, such as lm-eval, is for texts only: --scoring texts."
        )
    return s, chosen, corpus, eval_sets


def _checked_prompts(s: Settings, chosen: Sequence[Model], corpus: Corpora, source: EvalSet) -> Iterator[Prompt]:
    """The prompts of all wordings that these models are asked in; each has rendered its first item. Raises PromptError."""
    t = source.task
    asked = [m for m in chosen if m.tasks is None or t.name in m.tasks]
    ways = [(m, wording) for m in asked for wording in _fitting(s, t, _wordings(s, m))]
    named_by = {wording: f"model {m.name}: prompt: " * bool(m.prompt) for m, wording in ways}
    for wording in named_by:
        try:
            prompt = Prompt(resolve(s.prompts), t, wording, corpus.given(t, source.set, wording))
            for item in _asked_in(corpus, source, s.split, wording)[1][:1]:
                prompt.render(item)
            if any(any(_shots(s, m, source)) for m, other in ways if other == wording):
                corpus.training(t, source.set, wording)
        except PromptError as error:
            raise PromptError(f"{named_by[wording]}{error}{_elsewhere(s, t, wording)}") from None
        yield prompt


def _require_shots(s: Settings, chosen: Sequence[Model], corpus: Corpora, eval_sets: Sequence[EvalSet]) -> None:
    """Raise DataError if a named task, or every task, is asked with shots only, and none can be drawn."""
    lacking = [x for x in eval_sets if not any(_shots(s, m, x) for m in chosen)]
    named = lacking if len(lacking) == len(eval_sets) else [x for x in lacking if x.task.name in s.tasks]
    if named:
        names = ", ".join(dict.fromkeys(x.task.short for x in named))
        first = named[0]
        raise DataError(
            f"shots are drawn from the training split, which is not there; run {names} with --shots 0, in a command of its own",
            corpus.path(first.task, first.set, corpus.of(first.task).benchmark.training),
        )


def warn_of_skipped(eval_sets: Sequence[EvalSet]) -> None:
    """Log the number of lines left out of each file (`--skip-bad`), and the shots that cannot be drawn. `prepare` runs before
    the log is open."""
    for file in {x.file.path: x.file for x in eval_sets if x.file.skipped}.values():
        log.warning("%s: left out %d broken lines, first: %s", file.path, len(file.skipped), file.skipped[0])
    for undrawn, sources in by_key((x.undrawn, x) for x in eval_sets if x.undrawn).items():
        names, shots = ", ".join(f"{x.task.name} {x.set}" for x in sources), ",".join(map(str, undrawn))
        log.warning("left out: %s with --shots %s, since the data lack the training split", names, shots)


def _pairs(s: Settings, corpus: Corpora) -> list[tuple[Task, str]]:
    """The (task, set) pairs that are asked for and have a file.

    Raises ConfigError for an unknown set, DataError if a named task, or every task, has no file.
    """
    wanted = tasks_named(s.tasks or [DEFAULT])
    _require_groups(s, corpus)
    sets = [name.strip() for name in s.set.split(",")]
    every = "all" in sets or "both" in sets
    files = [pair for name in dict.fromkeys(t.benchmark for t in wanted) for pair in corpus.files(name, s.split)]
    known = dict.fromkeys(name for t in wanted for name in (*BENCHMARKS[t.benchmark].sets, *corpus.of(t).sets))
    for name in sets:
        if name not in (*known, "all", "both"):
            raise ConfigError(unknown("set", name, [*known, "all"]))
    pairs = []
    for t in wanted:
        present = [item_set for other, item_set in files if other == t and (every or item_set in sets)]
        sets_of_task = [name for name in BENCHMARKS[t.benchmark].sets if every or name in sets]
        if t.name in s.tasks and not present and sets_of_task:  # a benchmark named as a whole may lack tasks
            corpus.file(t, sets_of_task[0], s.split)  # raises an error that names the missing file
            raise DataError(f"no {s.split} items of {t.name} for --set {s.set}", corpus.of(t).root)
        pairs += [(t, item_set) for item_set in present]
    if not pairs:
        raise DataError(f"no {s.split} file of any task for --set {s.set}", corpus.root)
    return pairs


def _require_groups(s: Settings, corpus: Corpora) -> None:
    """Raise DataError if the data have some benchmarks of a named group, but not all."""
    for group in (groups()[name] for name in s.tasks if name in groups()):
        lacking = [name for name in group.benchmarks if not corpus.has_some(name)]
        if lacking and len(lacking) < len(group.benchmarks):
            there = [name for name in group.benchmarks if name not in lacking]
            raise DataError(
                f"no data of {', '.join(lacking)} here, of the group {group.name}; `evalsuite doctor` says how to get them; "
                f"without them: --tasks {','.join(there)}",
                corpus.root,
            )


def _selected(
    selection: Selection, pairs: Sequence[tuple[Task, str]], s: Settings, corpus: Corpora
) -> list[tuple[Task, str]]:
    """The (task, set) pairs with selected items. Raises DataError if there are none, or none of a named task, or if an id is in
    no file."""
    files = [corpus.file(t, item_set, s.split) for t, item_set in pairs]
    selected = [pair for pair, file in zip(pairs, files, strict=True) if selection.has(*pair, s.split, file)]
    there = {t.name for t, _ in selected}
    lacking = [t.name for t, _ in pairs if t.name in s.tasks and t.name not in there]
    if lacking or not selected:
        names = ", ".join(dict.fromkeys(lacking or [t.name for t, _ in pairs]))
        raise DataError(f"names no {s.split} item of {names} (--set {s.set})", selection.path)
    selection.require(selection.ids, [item.id for file in files for item in file.items])
    return selected


def without_leaks(
    items: Sequence[Item], leaked: set[str] | None, limit: int | None, drop_leaked: bool
) -> tuple[tuple[Item, ...], int | None]:
    """(items after --drop-leaked and --limit, number of leaked items among these and the dropped ones)."""
    kept: list[Item] = []
    count = 0
    for item in items:
        if len(kept) == limit:
            break
        leaks = leaked is not None and item.id in leaked
        count += leaks
        if not (leaks and drop_leaked):
            kept.append(item)
    return tuple(kept), None if leaked is None else count


def leaks(corpus: Corpora, t: Task, item_set: str, items: Sequence[Item]) -> set[str] | None:
    """Ids of the items with a copy of their dialogue in the training split; None if there is no training split."""
    train = corpus.training(t, item_set)
    if train is None:
        return None
    is_copy = copied((i.context for i in train), [i.context for i in items])
    return {item.id for item, leaked in zip(items, is_copy, strict=True) if leaked}


def _fitting(s: Settings, t: Task, named: Sequence[str]) -> list[str]:
    """The `named` wordings without those that only other tasks of the run have. If the task would be left with none, all are
    returned, so that `Prompt` raises the error about the unknown wording."""
    known = wordings(resolve(s.prompts), t)
    named = list(dict.fromkeys(usual_wording(resolve(s.prompts), t, name) for name in named))
    if known.keys() >= {*named}:
        return named
    every = {name for other in tasks_named(s.tasks or [DEFAULT]) for name in wordings(resolve(s.prompts), other)}
    return [name for name in named if name in known or name not in every] or named


def _elsewhere(s: Settings, t: Task, wording: str) -> str:
    """Advice about a wording that only other tasks of the run have; else ""."""
    if wording in wordings(resolve(s.prompts), t):
        return ""
    others = [x.name for x in tasks_named(s.tasks or [DEFAULT]) if wording in wordings(resolve(s.prompts), x)]
    names = ", ".join(others)
    return f" Of the tasks asked, {names} have it: name these alone, or add a wording that all have." if others else ""


def _asked_in(corpus: Corpora, source: EvalSet, split: str, wording: str) -> tuple[File, Sequence[Item]]:
    """The file and the items that a wording asks. A wording may have a file of its own, with the same items in other words.
    Raises DataError if that file lacks some of the items, unless `--skip-bad` leaves out broken lines."""
    file = corpus.reworded(source.task, source.set, split, wording)
    if file is source.file:
        return file, source.items
    reworded = {item.id: item for item in file.items}
    lacking = [item.id for item in source.items if item.id not in reworded]
    if lacking and not corpus.of(source.task).skip_bad:
        raise DataError(
            f"lacks {len(lacking)} of the items that wording {wording} asks, first: {lacking[0]}", file.path
        )
    return file, [reworded[item.id] for item in source.items if item.id in reworded]


def plan_cells(
    s: Settings, model: Model, backend: Backend | None, corpus: Corpora, eval_sets: Sequence[EvalSet]
) -> Iterator[tuple[Cell, list[Trial]]]:
    """Each cell of a model with its trials, whose prompts have as many shots as fit into the backend's context.

    Without a backend no shot is dropped, and the facts lack the fingerprint.
    """
    for source in eval_sets:
        if model.tasks is not None and source.task.name not in model.tasks:
            continue
        if (model.backend, model.path) == ("baseline", "majority") and not corpus.of(source.task).benchmark.training:
            continue  # without a training split there is no majority to know
        for wording in _fitting(s, source.task, _wordings(s, model)):
            given = corpus.given(source.task, source.set, wording)
            prompt = Prompt(resolve(s.prompts), source.task, wording, given, model.system or "")
            file, items = _asked_in(corpus, source, s.split, wording)
            ways = product(
                _shots(s, model, source),
                _scorings(s, model, source.task, prompt.scorings),
                _perturbations(s, source.task),
            )
            for count, scoring, change in ways:
                pool = corpus.training(source.task, source.set, wording) if count else ()
                shots = Shots(pool or (), s.seed)
                trials = list(_trials(s, model, backend, items, prompt, shots, count, scoring, change))
                facts = {
                    "data": file.sha256,
                    **file.facts,
                    "template": prompt.sha256,
                    "fingerprint": _fingerprint(backend, source) if backend else None,
                    "backend": model.backend,
                    "chat": model.chat,
                    "sampling": settings_of(backend, scoring) if backend else None,
                    **({"samples": several} if (several := _samples(model, scoring)) > 1 else {}),
                    "seed": s.seed,
                    "limit": s.limit,
                    "skipped_lines": len(source.file.skipped) + len(source.items) - len(items),
                    "leaked": source.leaked,
                    "drop_leaked": s.drop_leaked,
                    "tags": model.tags,
                    **({"perturb_version": change.version} if change.version > 1 else {}),
                    **({"parameters": size} if (size := getattr(backend, "parameters", None)) else {}),
                    **({"recorded": recorded} if (recorded := getattr(backend, "recorded", None)) else {}),
                    **({"trained": model.trained} if model.trained else {}),
                    **({"price": price.model_dump()} if (price := model.api.charged) else {}),
                    **({"until": s.stops} if s.stops else {}),
                }
                if source.picked:
                    facts["items"] = source.picked.facts(
                        model.backend == "baseline",
                        variant=wording,
                        template=prompt.sha256,
                        shots=count,
                        scoring=scoring,
                        perturb=change.name,
                    )
                place = Place(model.name, source.task.name, source.set, s.split, wording, count, scoring, change.name)
                yield Cell(place, facts), trials


def _fingerprint(backend: Backend, source: EvalSet) -> str:
    """The backend's fingerprint, or its own one for the task and set, whose training items the baseline `majority` knows."""
    known: dict[tuple[str, str], str] = getattr(backend, "fingerprints", {})
    return known.get((source.task.name, source.set), backend.fingerprint)


def _trials(
    s: Settings,
    model: Model,
    backend: Backend | None,
    items: Sequence[Item],
    prompt: Prompt,
    shots: Shots,
    count: int,
    scoring: str,
    change: Perturbation,
) -> Iterator[Trial]:
    """The trials of one cell: for each item, in order, a trial for each rotation of the perturbation `change` and each sample.
    `count`: number of shots."""
    task, limit = prompt.task, model.generation.max_new_tokens
    tokens, context = (backend.tokens, backend.context) if backend else (None, None)
    pattern_of = task.pattern if scoring == "constrained" else None
    for item in items:
        # Shots are perturbed, too, so that a model sees one form throughout.
        shown = [change.items(shot, s.seed)[0] for shot in shots.draw(item, count)]
        for rotation, perturbed in enumerate(change.items(item, s.seed)):
            if not task.kind.written:
                yield Trial(perturbed, request_of(prompt, perturbed), prompt.variant)
                continue
            request, shots_kept = fit_shots(prompt, perturbed, shown, tokens, context, limit)
            pattern = pattern_of(perturbed, prompt.variant) if pattern_of else ""
            for sample in range(_samples(model, scoring)):
                yield Trial(
                    perturbed,
                    replace(request, scoring=scoring, pattern=pattern, sample=sample),
                    prompt.variant,
                    tuple(shot.id for shot in shown[:shots_kept]),
                    count,
                    change.name,
                    rotation,
                )


def _samples(model: Model, scoring: str) -> int:
    """The number of replies to each prompt: 1 for likelihoods, which do not vary."""
    return model.generation.samples if scoring in WRITTEN else 1


def _wordings(s: Settings, model: Model) -> Sequence[str]:
    return (model.prompt,) if model.prompt else s.prompt


def _shots(s: Settings, model: Model, source: EvalSet) -> list[int]:
    """The numbers of shots for a model, without those that cannot be drawn."""
    wanted = model.shots or s.shots if takes_shots(source.task) else (0,)
    return [count for count in dict.fromkeys(wanted) if count not in source.undrawn]


def _counts_of_shots(s: Settings, chosen: Sequence[Model], t: Task) -> tuple[int, ...]:
    """The numbers of shots above 0 for any model, baselines included."""
    counts = {*s.shots, *(count for m in chosen for count in m.shots or ())} if takes_shots(t) else set()
    return tuple(sorted(counts - {0}))


def _scorings(s: Settings, model: Model, t: Task, only: Sequence[str]) -> list[str]:
    """The scorings of `--scoring` that the task, the model's backend and the wording support.

    `only`: the scorings that the wording supports; () if it supports all. A wording that asks to reason first supports no
    likelihoods, since its replies do not begin with the answer.
    """
    can = backend_named(model.backend).scorings
    if not t.kind.written:
        return [name for name in t.kind.scorings if name in can]
    wanted = dict.fromkeys(s.scoring)
    return [name for name in wanted if name in t.scorings and name in can and name in (only or t.scorings)]


def _perturbations(s: Settings, t: Task) -> list[Perturbation]:
    return [row for name in dict.fromkeys(s.perturb) if (row := perturbation_named(name)).applies(t.name)]


def named_files(s: Settings, chosen: Sequence[Model], corpus: Corpora, eval_sets: Sequence[EvalSet]) -> dict[str, File]:
    """The data files by their names in manifest.json. That of a wording with a file of its own ends with the wording's name."""
    files: dict[str, File] = {}
    for x in eval_sets:
        name = BENCHMARKS[x.task.benchmark].data_name(x.task, x.set, s.split)
        files[name] = x.file
        asked = [m for m in chosen if m.tasks is None or x.task.name in m.tasks]
        for wording in dict.fromkeys(w for m in asked for w in _fitting(s, x.task, _wordings(s, m))):
            file = corpus.reworded(x.task, x.set, s.split, wording)
            if file is not x.file:
                files[f"{name}/{wording}"] = file
    return files


def data_read(s: Settings, eval_sets: Sequence[EvalSet]) -> str | list[str] | None:
    """The folder of the data, for manifest.json; None if all tasks are of benchmark files, which name their own data."""
    return None if {x.task.benchmark for x in eval_sets} <= {*names_of_files()} else data_of(s)


def data_of(s: Settings) -> str | list[str]:
    """The folder of the data, for `resolve`, or a list of several."""
    given = [str(folder) for folder in s.data]
    return given if len(given) > 1 else default_data(given[0] if given else None)


def folders_of(s: Settings) -> list[Path]:
    """The folders of the data."""
    folders = data_of(s)
    return [resolve(folder) for folder in ([folders] if isinstance(folders, str) else folders)]


def default_data(folder: str | None) -> str:
    """`folder` if it is given, else EVALSUITE_DATA, else the bundled sample."""
    return folder or os.environ.get("EVALSUITE_DATA") or "bundled:sample"
