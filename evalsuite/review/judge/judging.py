"""Judging on one page: a run's replies -> prompts of a rubric -> a judge's replies -> "judged" of results.json.

The judge's replies are saved in the run's store.sqlite before they are scored: a killed judging resumes, and
`evalsuite score` scores again without asking. Replies are parsed when results are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from evalsuite.analyses.journey import write_results
from evalsuite.analyses.judged.replies import read_verdict
from evalsuite.analyses.judged.scale import again
from evalsuite.analyses.saved import require_cells
from evalsuite.backends.base import Backend, Loader
from evalsuite.backends.model import Model
from evalsuite.backends.model_paths import require_present
from evalsuite.backends.models import Models, models_of
from evalsuite.backends.registry import load_backend, load_in_turn
from evalsuite.backends.scripted import ReplyFunctions, scripted_loader
from evalsuite.benchmarks.registry import TASKS, benchmark_of
from evalsuite.common.errors import BackendError, ConfigError, unknown
from evalsuite.common.flags import from_keywords
from evalsuite.common.lock import locked
from evalsuite.common.resources import resolve
from evalsuite.evaluation.ask import RequestGroup, ask, collect_problems, limits_of
from evalsuite.evaluation.display import Display, Line, log_to
from evalsuite.page.report import require_own_page, write_page
from evalsuite.parse import answer_part
from evalsuite.parse.chars import fold
from evalsuite.parse.strip import after_thinking
from evalsuite.results.analysis import Results
from evalsuite.results.records import reading_of
from evalsuite.results.store import JudgingRow, Store, find_store, open_store, request_key
from evalsuite.review.judge.attacks import draw_candidates, load_attacks
from evalsuite.review.judge.rubric import RubricTemplate
from evalsuite.review.judge.settings import JudgeSettings
from evalsuite.types import Cell, Item, Message, Request, Response


@dataclass(frozen=True, slots=True)
class Candidate:
    """A reply to be judged."""

    item: Item
    rotation: int
    key: str  # the reply's key in the store
    text: str  # without thinking and reasoning; may be empty


@dataclass(frozen=True, slots=True)
class CellJudging:
    """The questions to one judge about one cell under one control: plain, blind, repeat/2 …, attack."""

    control: str
    cell: Cell
    rows: tuple[tuple[Candidate, str, str], ...]  # (candidate, prompt, id of the attack)


def judge(
    run: str | Path, judge: str | Sequence[str], models: Models = "bundled:models.yaml", **settings: Any
) -> Results:
    """Let judge models score a run's replies (docs/judge.md); the keywords are the flags of the command.

    `judge` names one or several of `models`: a models.yaml, or a mapping from names to functions that take a `Request` and return
    the reply as a text.
    Raises ConfigError for settings that do not fit the run. Returns the run's results, with `problems` of the judges.

    >>> judge("runs/try", "gpt", models="endpoints.yaml", limit=50, blind=True)  # doctest: +SKIP
    """
    replies = None if isinstance(models, str | Path) else models
    file = models if isinstance(models, str | Path) else "functions"
    s = from_keywords(JudgeSettings, {"models": file, "judge": judge} | settings)
    out = Path(run)
    listed = {m.name: m for m in models_of(models)}
    judges = models_of(models, s.judge)
    for model in judges:
        if model.backend == "baseline":
            raise ConfigError(f"--judge {model.name}: a baseline cannot judge; name a model on hf, vllm or openai")
    require_present(judges)
    find_store(out)
    with locked(out):
        return _judge(out, s, judges, listed, replies)


def _judge(
    out: Path, s: JudgeSettings, judges: Sequence[Model], listed: dict[str, Model], replies: ReplyFunctions | None
) -> Results:
    problems: list[str] = []
    require_own_page(out / "page")
    with open_store(out) as store, log_to(out / "judge.log", s.verbose), Display() as display:
        require_cells(out, store.cells())
        groups = group_by_rubric(candidates(store, s), s)
        engine: Loader = partial(load_backend, limits=lambda: limits_of(store, display, s.budget, s.max_concurrency))
        if replies is not None:
            engine = scripted_loader(replies)
        for model, backend in load_in_turn(judges, engine):
            with collect_problems(problems, model, out / "judge.log"):
                if isinstance(backend, BackendError):
                    raise backend
                for rubric, cells in groups:
                    asked = []
                    for judging in judgings(s, rubric, backend, cells):
                        asked.append((judging, store_judging(store, s, rubric, model, backend, judging, listed)))
                    for attempt in range(1, s.attempts + 1):
                        groups_open = _unanswered(store, rubric, model, asked, attempt)
                        ask(groups_open, backend.generate, store, display, partial(_readable, rubric))
    results = write_results(out, reading_of(out))
    write_page([out], out / "page")
    return replace(results, problems=(*problems, *results.problems))


def candidates(store: Store, s: JudgeSettings) -> list[tuple[Cell, list[Candidate]]]:
    """The replies to judge, by cell: those without error, the first `limit` of each cell, and the first sample of each item.

    Raises ConfigError for an unknown model, or if there is nothing to judge.
    """
    every = store.cells()
    names = list(dict.fromkeys(cell.place.model for cell in every))
    for name in s.model:
        if name not in names:
            raise ConfigError(unknown("model of the run", name, names))
    found = []
    for cell in every:
        if (
            s.wants(cell.place.task)
            and cell.place.perturb in s.perturb
            and (not s.model or cell.place.model in s.model)
        ):
            rows = []
            first = [row for row in store.read(cell) if not row[1].request.sample]
            for name, trial, response in first[: s.limit]:
                if response is not None and response.error is None:
                    text = judged_text(response, trial.request.answer_after)
                    rows.append(Candidate(trial.item, trial.rotation, name, text))
            found.append((cell, rows))
    if not any(rows for _, rows in found):
        raise ConfigError(f"nothing to judge: no replies to {', '.join(s.tasks) or 'generation tasks'} in this run")
    return found


def group_by_rubric(
    cells: Sequence[tuple[Cell, list[Candidate]]], s: JudgeSettings
) -> list[tuple[RubricTemplate, list[tuple[Cell, list[Candidate]]]]]:
    """Group cells by rubric: the one named in the settings, else that of the cell's benchmark."""
    groups: dict[str, list[tuple[Cell, list[Candidate]]]] = {}
    for cell, rows in cells:
        name = s.rubric or benchmark_of(cell.place.task).rubric
        if not name:
            raise ConfigError(
                f"{cell.place.task}: {benchmark_of(cell.place.task).title} has no rubric of its own; name one: --rubric"
            )
        groups.setdefault(name, []).append((cell, rows))
    return [(RubricTemplate(resolve(s.prompts), name), mine) for name, mine in groups.items()]


def text_after_thinking(response: Response) -> str:
    """The reply verbatim, without the thinking before it."""
    pieces, _ = after_thinking(fold(response.text))  # folding keeps character offsets
    return "".join(response.text[start:end] for start, end in pieces).strip()


def judged_text(response: Response, answer_after: str = "") -> str:
    """The part of a reply that a judge sees: the reply without its thinking.

    If the model was asked to reason first (`answer_after`), only the part that answers; "" if the reply was cut off while it
    reasoned."""
    if answer_after:
        part = answer_part(response.text, answer_after, response.finish == "length")
        response = replace(response, text=response.text[part.start : part.end] if part else "")
    return text_after_thinking(response)


def judgings(
    s: JudgeSettings, rubric: RubricTemplate, backend: Backend, cells: Sequence[tuple[Cell, list[Candidate]]]
) -> Iterator[CellJudging]:
    """All judgings by one judge on one rubric: each cell plain, then under every control of the settings."""
    if repeats_by(backend) == "wording" and s.repeats > rubric.wordings:
        raise ConfigError(
            f"--repeats {s.repeats}: the judge decodes greedily, so each repeat takes another wording, and rubric "
            f"{rubric.name} has {rubric.wordings}; lower --repeats, or set the judge's generation: {{temperature: …}} above 0"
        )

    def render(c: Candidate, **how: Any) -> str:
        return rubric.render(c.item, c.text, **how)

    by_cell = {cell.place.name: [c for c in rows if c.text] for cell, rows in cells}
    for cell, rows in cells:
        whole = by_cell[cell.place.name]
        yield CellJudging("plain", cell, tuple((c, render(c) if c.text else "", "") for c in rows))
        if s.blind:
            yield CellJudging("blind", cell, tuple((c, render(c, blind=True), "") for c in whole))
        for n in range(2, s.repeats + 1):
            wording = n - 1 if repeats_by(backend) == "wording" else 0
            yield CellJudging(f"repeat/{n}", cell, tuple((c, render(c, wording=wording), "") for c in whole))
    if s.attacks:
        yield from _attack_judgings(s, rubric, cells, by_cell)


def _attack_judgings(
    s: JudgeSettings,
    rubric: RubricTemplate,
    cells: Sequence[tuple[Cell, list[Candidate]]],
    by_cell: dict[str, list[Candidate]],
) -> Iterator[CellJudging]:
    """Every attack, put into `s.attacks` candidates drawn from all cells."""
    pool = [(cell.place.name, c) for cell, _ in cells for c in by_cell[cell.place.name]]
    names = [f"{name}:{c.item.id}:{c.rotation}" for name, c in pool]
    rows: dict[str, list[tuple[Candidate, str, str]]] = {}
    most = max(scale.high for scale in rubric.scales)
    for attack in load_attacks():
        for n in draw_candidates(attack, names, s.attacks, s.seed):
            name, c = pool[n]
            rows.setdefault(name, []).append((c, rubric.render(c.item, attack.apply(c.text, most)), attack.id))
    for cell, _ in cells:  # also cells without attacks, to replace an earlier draw
        yield CellJudging("attack", cell, tuple(rows.get(cell.place.name, ())))


def repeats_by(backend: Backend) -> str:
    """The source of differences between repeats: "sampling", or "wording" for a judge that decodes greedily (temperature 0)."""
    decoding = backend.settings.get("decoding")
    settings = backend.settings | (decoding if isinstance(decoding, dict) else {})
    return "sampling" if settings.get("temperature", 0) != 0 else "wording"


def store_judging(
    store: Store,
    s: JudgeSettings,
    rubric: RubricTemplate,
    model: Model,
    backend: Backend,
    judging: CellJudging,
    listed: dict[str, Model],
) -> list[JudgingRow]:
    """Save a judging in the store, with the reply keys of all attempts; returns its rows."""
    settings = dict(backend.settings)
    if judging.control.startswith("repeat") and repeats_by(backend) == "sampling":
        settings["repeat"] = judging.control  # gives the same prompt another key
    rows = list[JudgingRow]()
    for c, prompt, attack in judging.rows:
        tries = [again(prompt, rubric.reminder, n) for n in range(1, s.attempts + 1)] if prompt else []
        requests = [_request(rubric, model, judging, c.item.id, text) for text in tries]
        keys = [request_key(backend.fingerprint, r, model.chat, settings) for r in requests]
        rows.append(
            {"item": c.item.id, "rotation": c.rotation, "key": c.key, "attack": attack, "prompt": prompt, "keys": keys}
        )
    subject = listed.get(judging.cell.place.model)
    facts = {
        "template": rubric.sha256,
        "scales": [[x.name, x.low, x.high, x.zh] for x in rubric.scales],
        **({"words": words} if (words := {x.name: dict(x.words) for x in rubric.scales if x.words}) else {}),
        "reminder": rubric.reminder,
        "attempts": s.attempts,
        "limit": s.limit,
        "seed": s.seed,
        "fingerprint": backend.fingerprint,
        "backend": model.backend,
        "chat": model.chat,
        "sampling": backend.settings,
        "max_new_tokens": model.generation.max_new_tokens or rubric.tokens,
        "repeats_by": repeats_by(backend),
        "family": family(model),
        "of_family": family(subject) if subject else _leading_letters(judging.cell.place.model),
    }
    place = {"judge": model.name, "rubric": rubric.name, "control": judging.control, **judging.cell.place.as_dict()}
    store.plan_judging(place, facts, rows)
    return rows


def _unanswered(
    store: Store,
    rubric: RubricTemplate,
    model: Model,
    asked: Sequence[tuple[CellJudging, list[JudgingRow]]],
    attempt: int,
) -> list[RequestGroup[Request]]:
    """Requests of an attempt: all in the first, later only those whose replies so far had no readable score.

    They are grouped by task and set, one display line each.
    """
    found: dict[tuple[str, str], tuple[list[Request], list[str]]] = {}
    for judging, rows in asked:
        requests, keys = found.setdefault((judging.cell.place.task, judging.cell.place.set), ([], []))
        for row in rows:
            if row["keys"] and all(_unreadable(rubric, store.response(k)) for k in row["keys"][: attempt - 1]):
                prompt = again(row["prompt"], rubric.reminder, attempt)
                request = _request(rubric, model, judging, row["item"], prompt)
                requests.append(replace(request, sample=int(judging.control.partition("/")[2] or 1) - 1))
                keys.append(row["keys"][attempt - 1])
    way = rubric.name if attempt == 1 else f"{rubric.name} again/{attempt}"
    return [
        RequestGroup(Line(model.name, f"{item_set} {TASKS[name].short}", way, "readable"), requests, keys)
        for (name, item_set), (requests, keys) in found.items()
    ]


def _request(rubric: RubricTemplate, model: Model, judging: CellJudging, item: str, prompt: str) -> Request:
    limit = model.generation.max_new_tokens or rubric.tokens
    batch = (rubric.name, judging.control, judging.cell.place.name)
    return Request(item, prompt, (Message("user", prompt),), limit, batch=batch)


def _unreadable(rubric: RubricTemplate, response: Response | None) -> bool:
    return (
        response is not None
        and response.error is None
        and read_verdict(response.text, rubric.scales).status == "invalid"
    )


def _readable(rubric: RubricTemplate, request: Request, response: Response) -> float:
    return float(read_verdict(response.text, rubric.scales).status == "scored")


def family(model: Model) -> str:
    """Model family, for the test of self-preference: `family:`, else the leading letters of the path's last part."""
    return model.family or _leading_letters(Path(model.path).name) or model.name


def _leading_letters(name: str) -> str:
    """The leading letters of a model's name, in lower case.

    >>> _leading_letters("Qwen2.5-0.5B-Instruct"), _leading_letters("tiny-zh")
    ('qwen', 'tiny')
    """
    match = re.match(r"[^\W\d_]+", name)
    return match.group().lower() if match else name
