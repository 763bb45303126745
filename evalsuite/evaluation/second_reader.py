"""A second reader: a model that reads replies beside the parser (`evalsuite score --second-reader`, docs/second_reader.md).

The model is asked about replies in which the parser found no answer, about long ones, and about a random sample of all others. It
sees the options, or the question of a span or text, and the reply, but not the gold answer. The run's store keeps its replies
under keys of their own, so that nothing is asked twice; analyses/second_reader.py reads and compares them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from evalsuite.analyses.saved import require_cells
from evalsuite.analyses.second_reader import shown_reply
from evalsuite.backends.base import Backend
from evalsuite.backends.model import Model
from evalsuite.backends.model_paths import require_present
from evalsuite.backends.models import Models, models_of
from evalsuite.backends.registry import loaded
from evalsuite.benchmarks.registry import TASKS, benchmark_of
from evalsuite.common.errors import ConfigError
from evalsuite.common.fences import defuse_fences
from evalsuite.common.flags import check_budget, check_folder, check_least, flag, max_concurrency_flag, verbose_flag
from evalsuite.common.resources import bundled, resolve
from evalsuite.common.templates import TemplateFile
from evalsuite.evaluation.ask import RequestGroup, ask, collect_problems, loader_of
from evalsuite.evaluation.display import Display, ProgressLine, log_to
from evalsuite.results.scoring import read_answer
from evalsuite.results.store import ReaderRow, Store, open_store, request_key
from evalsuite.results.words import task_and_set
from evalsuite.types import Cell, Item, Message, Reading, Request, Response, Status

# The limits of the reader's reply, in tokens: about an item with options, and about one without.
_CHOICE_TOKENS, _TEXT_TOKENS = 64, 512


@dataclass(frozen=True, slots=True)
class SecondReader:
    """The model that reads, and the choice of the replies that it is asked about: keywords and flags of `evalsuite score`.
    Raises ConfigError for invalid values."""

    second_reader: str = flag(
        "",
        "Let this model of the models file read replies, too, and show where it and the parser differ (docs/second_reader.md).",
        "NAME",
    )
    second_longer: int = flag(
        200, "The second reader is asked about replies of more than N characters, and about all without an answer.", "N"
    )
    second_sample: int = flag(0, "The second reader is also asked about N of the other replies, drawn at random.", "N")
    second_seed: int = flag(0, "Seed of the sample of --second-sample.", "N")
    prompts: str | Path = flag(
        "bundled:prompts",
        "A folder with a prompt of yours for the second reader, second/zh.j2 or en.j2; default: the one that ships.",
        "DIR",
    )
    budget: float | None = flag(
        None,
        "Limit on the total cost of run and second reader, in the currency of the models' prices; never exceeded.",
        "COST",
    )
    max_concurrency: int | None = max_concurrency_flag()
    verbose: bool = verbose_flag()

    def __post_init__(self) -> None:
        check_least(0, second_longer=self.second_longer, second_sample=self.second_sample)
        check_least(1, max_concurrency=self.max_concurrency)
        check_budget(self.budget)
        check_folder(prompts=self.prompts)
        if self.second_sample and not self.second_reader:
            raise ConfigError("--second-sample: name the model that reads: --second-reader NAME")

    def model_of(self, models: Models) -> Model:
        """The model that reads. Raises ConfigError if it is not in the models file, or is a baseline."""
        (model,) = models_of(models, [self.second_reader])
        if model.backend == "baseline":
            raise ConfigError(
                f"--second-reader {model.name}: a baseline reads nothing; name a model on hf, vllm or openai"
            )
        require_present([model])
        return model


def ask_second_reader(out: Path, s: SecondReader, models: Models, reading: Reading) -> list[str]:
    """Ask the second reader about the chosen replies of a run that it has not answered yet. Returns the problems.

    `reading`: the parser's settings. The caller holds the folder's lock. Raises ConfigError if there is nothing to ask.
    """
    model, problems = s.model_of(models), list[str]()
    with open_store(out) as store, log_to(out / "second.log", s.verbose), Display() as display:
        require_cells(out, store.cells())
        engine = loader_of(models, store, display, s.budget, s.max_concurrency)
        drafts = [_draft(store, s, model, cell, reasons) for cell, reasons in choose(store, s, reading)]
        with collect_problems(problems, model, out / "second.log"), loaded(model, engine) as backend:
            groups = [_plan(store, s, model, backend, draft) for draft in drafts]
            ask(groups, backend.generate, store, display)
    return problems


def choose(store: Store, s: SecondReader, reading: Reading) -> list[tuple[Cell, dict[int, str]]]:
    """Each cell of written replies, with the indices of the replies to ask about and the reasons: "unread", "long" or "sample".

    Cells of baselines, and empty, filtered and failed replies, are left out. The sample is drawn from all cells together by a
    hash of seed, cell and item, so that a larger sample includes a smaller one. Raises ConfigError if no reply is chosen.
    """
    chosen: list[tuple[Cell, dict[int, str]]] = []
    others: list[tuple[str, dict[int, str], int]] = []
    for cell in store.cells():
        kind = TASKS[cell.place.task].kind
        # All other metrics compare the whole reply, so there is nothing to read.
        is_read = kind.written and (kind.options or "f1" in kind.item_metrics)
        if not is_read or cell.place.scoring != "generate" or cell.is_baseline:
            continue
        reasons: dict[int, str] = {}
        chosen.append((cell, reasons))
        for position, (_, trial, response) in enumerate(store.read(cell)):
            if response is None:
                continue
            status = read_answer(trial.item, response, reading, trial.request.answer_after).status
            if status in (Status.FAILED, Status.FILTERED, Status.EMPTY):
                continue
            if status is not Status.PARSED:
                reasons[position] = "unread"
            elif len(shown_reply(response)) > s.second_longer:
                reasons[position] = "long"
            else:
                of_item = f"{trial.item.id}:{trial.rotation}:{trial.request.sample}"
                name = f"{s.second_seed}:second:{cell.place.name}:{of_item}"
                others.append((hashlib.sha256(name.encode()).hexdigest(), reasons, position))
    for _, reasons, position in sorted(others, key=lambda row: row[0])[: s.second_sample]:
        reasons[position] = "sample"
    if not any(reasons for _, reasons in chosen):
        raise ConfigError(
            f"--second-reader {s.second_reader}: nothing to ask: the parser found an answer in every reply, and none is longer "
            f"than {s.second_longer} characters; --second-sample N draws some"
        )
    return chosen


@dataclass(frozen=True, slots=True)
class _Draft:
    """The requests about a cell, before the model is loaded."""

    cell: Cell
    template: str  # the template's hash
    requests: tuple[Request, ...]
    rows: tuple[dict[str, Any], ...]  # rows of the store, without their keys


def _draft(store: Store, s: SecondReader, model: Model, cell: Cell, reasons: dict[int, str]) -> _Draft:
    """The prompts of a cell. Raises PromptError for a template that is missing or fails: before the model is loaded."""
    template = _template(resolve(s.prompts), benchmark_of(cell.place.task).language.name)
    usual = _CHOICE_TOKENS if TASKS[cell.place.task].kind.options else _TEXT_TOKENS
    tokens = model.generation.max_new_tokens or usual
    requests, rows = [], []
    for position, (key, trial, response) in enumerate(store.read(cell)):
        if position in reasons and response is not None:
            name = {"item": trial.item.id, "rotation": trial.rotation, "sample": trial.request.sample}
            text = prompt(template, trial.item, response)
            requests.append(
                Request(trial.item.id, text, (Message("user", text),), tokens, batch=("second", cell.place.name))
            )
            rows.append({**name, "key": key, "why": reasons[position], "prompt": text})
    return _Draft(cell, template.sha256, tuple(requests), tuple(rows))


def _plan(store: Store, s: SecondReader, model: Model, backend: Backend, draft: _Draft) -> RequestGroup[Request]:
    """Store the plan of the questions about a cell, in place of the reader's earlier plan. Replies stay."""
    place = draft.cell.place
    keys = [request_key(backend.fingerprint, request, model.chat, backend.settings) for request in draft.requests]
    facts = {
        "template": draft.template,
        "fingerprint": backend.fingerprint,
        "backend": model.backend,
        "chat": model.chat,
        "sampling": backend.settings,
        "max_new_tokens": next((r.max_new_tokens for r in draft.requests), 0),
        "longer": s.second_longer,
        "sample": s.second_sample,
        "seed": s.second_seed,
    }
    rows = [cast(ReaderRow, {**row, "asked": key}) for row, key in zip(draft.rows, keys, strict=True)]
    store.plan_judging({"reader": model.name, **place.as_dict()}, facts, rows)
    what = task_and_set(TASKS[place.task], place.set, f"{place.model} ").en
    return RequestGroup(ProgressLine(model.name, what, "second reading"), draft.requests, keys)


def _template(folder: Path, language: str) -> TemplateFile:
    """second/<language>.j2 of `folder`, else of those that ship, else second/en.j2. Raises PromptError if it is broken."""
    paths = (root / "second" / f"{name}.j2" for name in (language, "en") for root in (folder, bundled("prompts")))
    return TemplateFile(next(path for path in paths if path.is_file()))


def prompt(template: TemplateFile, item: Item, response: Response) -> str:
    """The second reader's prompt: the options, or the question of a span or text, and the reply; never the gold answer."""
    options = [(label, defuse_fences(text)) for label, text in zip(item.labels, item.options, strict=True)]
    seen: dict[str, Any] = {
        "options": options,
        "several": TASKS[item.task].kind.several,
        "question": "" if options else defuse_fences(item.question),
        "reply": shown_reply(response),
    }
    return template.render(seen, f"item {item.id}")
