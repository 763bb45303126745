"""The page on which a person answers a benchmark's items. Its export is a file of replies for the backend `scripted`.

A run with this backend parses and scores people's answers as it does a model's replies, for rows such as "Human" in CIDER's
Table 6 and in CEDAR's Tables 1 and 2.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from evalsuite.benchmarks.registry import Corpora
from evalsuite.common.errors import ConfigError, PromptError
from evalsuite.common.files import replace_file
from evalsuite.common.jsonl import JsonObject
from evalsuite.common.resources import resolve
from evalsuite.evaluation.plan import EvalSet, prepare
from evalsuite.page.report import assemble
from evalsuite.prompt import Prompt
from evalsuite.review.audit.folder import STYLES
from evalsuite.types import Item


@dataclass(frozen=True, slots=True)
class AnswerPage:
    """The outcome of `write_answer_page`."""

    page: Path
    items: int
    tasks: tuple[str, ...]


def write_answer_page(out: str | Path, prompt: str = "plain", **settings: Any) -> AnswerPage:
    """Write the page for the items that a run with these `settings` (fields of `Settings`) would ask.

    `prompt`: the wording whose instructions the page shows. Raises ConfigError, DataError or PromptError for settings, data or
    templates that a run would refuse, too.
    """
    out = Path(out)
    if out.suffix != ".html":
        raise ConfigError(f"--out {out}: expected a name that ends in .html")
    checked, _, corpora, eval_sets = prepare("bundled:models.yaml", **settings, prompt=[prompt])
    data = answer_page_data(eval_sets, corpora, resolve(checked.prompts), prompt, out.stem)
    out.parent.mkdir(parents=True, exist_ok=True)
    replace_file(out, assemble(data, "audit", STYLES))
    return AnswerPage(out, len(data["outputs"]), tuple(t["name"] for t in data["tasks"]))


def answer_page_data(
    eval_sets: Sequence[EvalSet], corpora: Corpora, prompts: Path, prompt: str, name: str
) -> JsonObject:
    """Data of the audit page with `answering`. It holds no right answer."""
    tasks = {e.task.name: e.task for e in eval_sets}
    rows = []
    for e in eval_sets:
        wording = Prompt(prompts, e.task, prompt, corpora.given(e.task, e.set, prompt))
        rows += [_page_row(item, wording) for item in e.items]
    if not rows:
        raise ConfigError("no items to answer; name tasks with --tasks")
    hashed = hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]
    return {
        "answering": True,
        "sample": hashed,
        "name": name,
        "tasks": [{"name": t.name, "zh": t.zh, "en": t.en, "kind": t.kind.name} for t in tasks.values()],
        "outputs": rows,
    }


def _page_row(item: Item, wording: Prompt) -> JsonObject:
    """An item as a person sees it, and for each option the reply that chooses it.

    The dialogue is left out where models do not see it. A probe's options are shown in random order, since its first option is
    always the valid explanation.
    """
    written = wording.task.kind.written
    order = list(range(len(item.options)))
    if not written:
        Random(f"answer:{item.id}").shuffle(order)
    seen = wording.render(item)
    hidden = written and not all(turn.strip() in seen for turn in item.dialogue)
    return {
        "id": item.id,
        "task": item.task,
        "set": item.set,
        "dialogue": [] if hidden else item.dialogue,
        "question": _instructions(item, wording) if written else "",
        "labels": item.labels,
        "options": [item.options[n] for n in order],
        "replies": [item.labels[n] for n in order],
    }


def _instructions(item: Item, wording: Prompt) -> str:
    """The prompt without dialogue and options, which the page shows beside it; the question if the template needs them."""
    try:
        text = wording.render(replace(item, dialogue=(), options=(), labels=()))
    except PromptError:
        return item.question
    return re.sub(r"\n\s*\n+", "\n", text).strip()
