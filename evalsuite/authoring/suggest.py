"""A model proposes annotations (prompts/build/suggest.j2).

Until a person accepts a proposal, it is marked as one, and `evalsuite build check` and the build reject it.
Replies are saved in a store first, as in a run, so that the same command resumes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalsuite.backends.base import Backend
from evalsuite.backends.model import Model
from evalsuite.backends.model_paths import require_present
from evalsuite.backends.models import models_of
from evalsuite.backends.registry import loaded
from evalsuite.benchmarks.corecode.ontology import find_slot, ontology
from evalsuite.common.errors import ConfigError
from evalsuite.common.files import make_folder, replace_file
from evalsuite.common.lock import locked
from evalsuite.common.resources import bundled
from evalsuite.common.templates import TemplateFile
from evalsuite.evaluation.ask import RequestGroup, ask, loader_of
from evalsuite.evaluation.display import Display, ProgressLine
from evalsuite.results.schema.annotation import AnnotatedDialogue, Knowledge
from evalsuite.results.store import Store, request_key
from evalsuite.review.judge.judging import text_after_thinking
from evalsuite.types import Message, Request

_TOKENS = 1500  # longest reply, unless the model sets max_new_tokens
_TEXTS = ("dimension", "instance", "domain", "slot", "value", "phrase", "conflict1", "conflict2")


@dataclass(frozen=True, slots=True)
class Proposals:
    """All dialogues, with a model's proposals for those that had no annotations."""

    dialogues: tuple[AnnotatedDialogue, ...]
    summary: str  # one line for the terminal
    file: Path  # the dialogues with proposals, as an annotations file


def propose_annotations(
    rows: Sequence[AnnotatedDialogue],
    name: str,
    stem: Path,
    models: str | Path = "bundled:models.yaml",
    budget: float | None = None,
) -> Proposals:
    """Ask the model `name` about each dialogue without annotations; writes stem.proposals.{sqlite,jsonl}.

    Raises ConfigError for an unknown model or a baseline, BackendError if the model cannot be loaded.
    """
    (model,) = models_of(models, [name])
    require_present([model])
    if model.backend == "baseline":
        raise ConfigError(f"--suggest {name}: a baseline cannot write; name a model on hf, vllm or openai")
    make_folder(stem.parent)
    with locked(stem.parent, f".{stem.name}.proposals.lock"):
        return _propose(rows, model, models, stem, budget)


def _propose(
    rows: Sequence[AnnotatedDialogue], model: Model, models: str | Path, stem: Path, budget: float | None
) -> Proposals:
    wanted = [row for row in rows if not row.annotations and not row.nothing]
    template = TemplateFile(bundled("prompts") / "build" / "suggest.j2")
    requests = [_request(template, model, row) for row in wanted]
    with (
        Store(stem.with_name(f"{stem.name}.proposals.sqlite")) as store,
        Display() as display,
        loaded(model, loader_of(models, store, display, budget)) as backend,
    ):
        fitting = [request for request in requests if _fits(backend, request)]
        keys = [request_key(backend.fingerprint, request, model.chat, backend.settings) for request in fitting]
        if fitting:
            group = RequestGroup(ProgressLine(model.name, "proposals", "suggest"), fitting, keys)
            ask([group], backend.generate, store, display)
        replies = {request.id: store.response(k) for request, k in zip(fitting, keys, strict=True)}
    dialogues, taken, dropped, failed = [], 0, 0, len(requests) - len(fitting)
    for row in rows:
        reply = replies.get(row.id)
        if reply is None or reply.error is not None:
            failed += row.id in replies
            dialogues.append(row)
            continue
        objects = list(_objects(text_after_thinking(reply)))
        proposed = [k for o in objects if (k := _knowledge(o, row, model.name)) is not None]
        taken, dropped = taken + len(proposed), dropped + len(objects) - len(proposed)
        dialogues.append(row.model_copy(update={"annotations": proposed}))
    file = stem.with_name(f"{stem.name}.proposals.jsonl")
    replace_file(file, "".join(_line(row) for row in dialogues if row.annotations))
    summary = f"{taken} proposals of {model.name} for {len(wanted)} dialogues"
    summary += f", {dropped} left out (no such slot, or no text)" if dropped else ""
    return Proposals(tuple(dialogues), summary + (f", {failed} dialogues too long or failed" if failed else ""), file)


def _line(row: AnnotatedDialogue) -> str:
    return json.dumps(row.model_dump(exclude_defaults=True), ensure_ascii=False) + "\n"


def _request(template: TemplateFile, model: Model, row: AnnotatedDialogue) -> Request:
    seen = {"dialogue": row.dialogue, "set": row.set, "ontology": ontology()}
    prompt = template.render(seen, f"dialogue {row.id}")
    return Request(row.id, prompt, (Message("user", prompt),), model.generation.max_new_tokens or _TOKENS)


def _fits(backend: Backend, request: Request) -> bool:
    return backend.context is None or backend.tokens(request) + request.max_new_tokens <= backend.context


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every complete JSON object of a reply: in a list, in a code fence, one per line, or in a truncated reply.

    >>> [o["a"] for o in _objects('好的：```json\\n[{"a": 1}, {"a": {"b": 2}}, {"a": ')]
    [1, {'b': 2}]
    """
    decoder, at = json.JSONDecoder(), 0
    while (at := text.find("{", at)) >= 0:
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):  # no JSON, or nested too deeply
            at += 1
        else:
            yield value


def _knowledge(fields: dict[str, Any], row: AnnotatedDialogue, proposer: str) -> Knowledge | None:
    """A proposed annotation; None if its slot is not in the ontology or a text is missing."""
    texts = {name: fields[name].strip() for name in _TEXTS if isinstance(fields.get(name), str)}
    if len(texts) < len(_TEXTS) or not all(texts.values()):
        return None
    if find_slot(texts["dimension"], texts["domain"], texts["slot"]) is None:
        return None
    whole = "\n".join(row.dialogue)
    spans = fields.get("evidence")
    evidence = [s.strip() for s in spans if isinstance(s, str) and s.strip()] if isinstance(spans, list) else []
    return Knowledge(**texts, evidence=[s for s in evidence if whole.count(s) == 1], proposer=proposer, proposed=True)
