"""The output of `evalsuite preview`: exact prompts, and the candidates of scorings. costs.py forecasts their cost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evalsuite.backends.model_paths import is_hub_id, no_such_folder
from evalsuite.backends.models import Models, models_of
from evalsuite.backends.registry import backend_named
from evalsuite.common.errors import BackendError, ConfigError
from evalsuite.common.resources import resolve
from evalsuite.types import Cell, Request, Trial, label_begins, label_forms

PlannedCells = Iterable[tuple[Cell, list[Trial]]]


def as_lines(cells: PlannedCells, item: str, tokenizer: str) -> Iterator[str]:
    """A JSON object for each trial whose item's id contains `item`. Trials that differ only in model or sample are one."""
    count = token_counter(tokenizer)
    seen = set()
    for cell, trials in cells:
        for trial in trials:
            request = trial.request
            place = cell.place.without("model")
            shown = (place, trial.item.id, trial.rotation)  # samples share their prompt
            if item not in trial.item.id or shown in seen:
                continue
            seen.add(shown)
            line = {
                **dict(place),
                "item": trial.item.id,
                "rotation": trial.rotation,
                "candidates": candidates(request),
                **({"pairs": request.pairs} if request.pairs else {}),
                **({"pattern": request.pattern} if request.pattern else {}),
                "shot_items": list(trial.shots),
                "prompt": request.prompt,
                "messages": [asdict(m) for m in request.messages],
                "gold": trial.item.target,
            }
            yield json.dumps({**line, **count(request)}, ensure_ascii=False)


def as_text(cells: PlannedCells, item: str, tokenizer: str) -> Iterator[str]:
    """The prompt of each cell's first item whose id contains `item`; cells that differ only in their model are shown once."""
    count = token_counter(tokenizer)
    seen, shown = set(), set()
    for cell, trials in cells:
        place = cell.place.without("model")
        trial = next((t for t in trials if item in t.item.id), None)
        if place in seen or trial is None:
            continue
        seen.add(place)
        request = trial.request
        facts = ", ".join(f"{value} {name.replace('_', ' ')}" for name, value in count(request).items())
        way = "".join(f", {x}" for x in (cell.place.scoring, cell.place.perturb) if x not in ("generate", "none"))
        yield f"━━ {trial.item.id}  {cell.place.variant}, {cell.place.shots}-shot{way}{', ' + facts if facts else ''}"
        if request.pairs:
            yield from _pairs(request)
            continue
        prompt = (trial.item.id, request.prompt)
        yield "(the prompt of this item above)" if prompt in shown else request.prompt
        shown.add(prompt)
        if request.pattern:
            yield f"── the reply must match {request.pattern}"
        for label, forms in zip(request.labels, candidates(request) or (), strict=False):
            yield f"── {_MEANING[cell.place.scoring]} {label}: {' or '.join(map(repr, forms))}"
        yield f"── gold: {trial.item.target}"
        if cell.place.shots:
            yield f"── as chat: {len(request.messages)} turns; shots {', '.join(trial.shots)}"
        yield ""


def _pairs(request: Request) -> Iterator[str]:
    """The two pairs of a probe: each target with its context."""
    for name, (context, target) in zip(("valid", "corrupted"), request.pairs, strict=True):
        yield f"── {name}: context\n{context}\n── {name}: likelihood of\n{target}"
    yield ""


# Scoring -> the words between an option's texts and its label.
_MEANING = {"labels": "likelihood of", "texts": "likelihood of", "constrained": "may be written for"}


def candidates(request: Request) -> list[list[str]] | None:
    """The texts of each option: their probabilities are added up (likelihoods), or one of them is written (constrained).

    None for free generation, pairs and patterns.
    """
    if request.scoring == "generate" or request.pairs or request.pattern:
        return None
    if request.scoring == "texts":
        return [[option] for option in request.options]
    forms_of = label_begins if request.scoring == "labels" else label_forms
    return [list(forms) for forms in forms_of(request.labels)]


def tokenizer_named(name: str, models: Models) -> str:
    """The value of `--tokenizer` as a path or hub id: that of the local model with this name in `models`, else `name` itself."""
    if not isinstance(models, str | Path):
        return name
    paths = (m.path for m in models_of(models) if m.name == name and backend_named(m.backend).local)
    return next(paths, name)


def _tokenizer_path(tokenizer: str) -> str:
    """The folder or hub id of a tokenizer. Raises ConfigError for a missing folder, before a hub is asked for it."""
    path = resolve(tokenizer)
    if path.exists():
        return str(path)
    if not is_hub_id(tokenizer, Path()):
        raise ConfigError(
            f"--tokenizer {tokenizer}: no model of --models on hf or vllm has this name, and {no_such_folder(path)}"
        )
    return tokenizer


def token_counter(tokenizer: str) -> Any:
    """A function from a request to token counts of its prompt, plain and in the chat template; {} without a tokenizer."""
    if not tokenizer:
        return lambda request: {}
    try:
        from transformers import AutoTokenizer
    except ImportError as error:
        raise BackendError(f"--tokenizer needs `pip install 'evalsuite[hf]'` ({error})") from None
    try:
        loaded = AutoTokenizer.from_pretrained(_tokenizer_path(tokenizer))
    except (OSError, ValueError) as error:
        raise BackendError(f"--tokenizer {tokenizer}: {error}") from None

    def count(request: Request) -> dict[str, int]:
        counts = {"prompt_tokens": len(loaded(request.prompt)["input_ids"])}
        if loaded.chat_template:
            turns = [asdict(m) for m in request.messages]
            text = loaded.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
            counts["chat_tokens"] = len(loaded(text, add_special_tokens=False)["input_ids"])
        return counts

    return count
