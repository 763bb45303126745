"""Judging: a run's replies -> prompts of a rubric -> a judge's replies -> "judged" of results.json.

The judge's replies are saved in the run's store.sqlite before they are scored: a killed judging resumes, and
`evalsuite score` scores again without asking. Replies are parsed when results are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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
from evalsuite.evaluation.display import Display, ProgressLine, log_to
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


CellCandidates = tuple[Cell, list[Candidate]]


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
    families = {model.name: family(model) for model in models_of(models)}
    judges = models_of(models, s.judge)
    for model in judges:
        if model.backend == "baseline":
            raise ConfigError(f"--judge {model.name}: a baseline cannot judge; name a model on hf, vllm or openai")
    require_present(judges)
    find_store(out)
    with locked(out):
        return _judge(out, s, judges, families, replies)


def _judge(
    out: Path, s: JudgeSettings, judges: Sequence[Model], families: Mapping[str, str], replies: ReplyFunctions | None
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
                    judge = RubricJudge(s, rubric, model, backend)
                    planned = [(judging, judge.plan(judging, store, families)) for judging in judge.judgings(cells)]
                    for attempt in range(1, s.attempts + 1):
                        ask(judge.requests(planned, store, attempt), backend.generate, store, display, judge.readable)
    results = write_results(out, reading_of(out))
    write_page([out], out / "page")
    return replace(results, problems=(*problems, *results.problems))


def candidates(store: Store, s: JudgeSettings) -> list[CellCandidates]:
    """The replies to judge, by cell: of the first sample of each item, the first `limit` of the cell, without failed ones.

    Raises ConfigError for an unknown model, or if there is nothing to judge.
    """
    every = store.cells()
    names = list(dict.fromkeys(cell.place.model for cell in every))
    for name in s.model:
        if name not in names:
            raise ConfigError(unknown("model of the run", name, names))
    by_cell = []
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
            by_cell.append((cell, rows))
    if not any(rows for _, rows in by_cell):
        raise ConfigError(f"nothing to judge: no replies to {', '.join(s.tasks) or 'generation tasks'} in this run")
    return by_cell


def group_by_rubric(
    cells: Sequence[CellCandidates], s: JudgeSettings
) -> list[tuple[RubricTemplate, list[CellCandidates]]]:
    """Group cells by rubric: the one named in the settings, else that of the cell's benchmark."""
    groups: dict[str, list[CellCandidates]] = {}
    for cell, rows in cells:
        name = s.rubric or benchmark_of(cell.place.task).rubric
        if not name:
            raise ConfigError(
                f"{cell.place.task}: {benchmark_of(cell.place.task).title} has no rubric of its own; name one: --rubric"
            )
        groups.setdefault(name, []).append((cell, rows))
    return [(RubricTemplate(resolve(s.prompts), name), of_rubric) for name, of_rubric in groups.items()]


def text_after_thinking(response: Response) -> str:
    """The reply verbatim, without the thinking before it."""
    pieces, _ = after_thinking(fold(response.text))  # folding keeps character offsets
    return "".join(response.text[start:end] for start, end in pieces).strip()


def judged_text(response: Response, answer_after: str = "") -> str:
    """The part of a reply that a judge sees: the reply without its thinking.

    If the model was asked to reason first (`answer_after`), a judge sees only the answer behind the reasoning: "" if the reply
    was cut off before it.
    """
    if answer_after:
        part = answer_part(response.text, answer_after, response.finish == "length")
        response = replace(response, text=response.text[part.start : part.end] if part else "")
    return text_after_thinking(response)


@dataclass(frozen=True, slots=True)
class RubricJudge:
    """One judge with one rubric."""

    settings: JudgeSettings
    rubric: RubricTemplate
    model: Model
    backend: Backend

    def judgings(self, cells: Sequence[CellCandidates]) -> Iterator[CellJudging]:
        """All judgings: each cell plain, then under every control of the settings."""
        s, rubric, by_wording = self.settings, self.rubric, repeats_by(self.backend) == "wording"
        if by_wording and s.repeats > rubric.wordings:
            raise ConfigError(
                f"--repeats {s.repeats}: the judge decodes greedily, so each repeat takes another wording, and rubric "
                f"{rubric.name} has {rubric.wordings}; lower --repeats, or set the judge's generation: {{temperature: …}} above 0"
            )

        def render(c: Candidate, **how: Any) -> str:
            return rubric.render(c.item, c.text, **how)

        by_cell = {cell.place.name: [c for c in rows if c.text] for cell, rows in cells}
        for cell, rows in cells:
            with_text = by_cell[cell.place.name]
            yield CellJudging("plain", cell, tuple((c, render(c) if c.text else "", "") for c in rows))
            if s.blind:
                yield CellJudging("blind", cell, tuple((c, render(c, blind=True), "") for c in with_text))
            for n in range(2, s.repeats + 1):
                wording = n - 1 if by_wording else 0
                yield CellJudging(f"repeat/{n}", cell, tuple((c, render(c, wording=wording), "") for c in with_text))
        if s.attacks:
            yield from self._attacks([cell for cell, _ in cells], by_cell)

    def _attacks(self, cells: Sequence[Cell], by_cell: Mapping[str, list[Candidate]]) -> Iterator[CellJudging]:
        """Every attack, put into `attacks` candidates drawn from all cells."""
        pool = [(cell.place.name, c) for cell in cells for c in by_cell[cell.place.name]]
        names = [f"{name}:{c.item.id}:{c.rotation}" for name, c in pool]
        rows: dict[str, list[tuple[Candidate, str, str]]] = {}
        most = max(scale.high for scale in self.rubric.scales)
        for attack in load_attacks():
            for n in draw_candidates(attack, names, self.settings.attacks, self.settings.seed):
                name, c = pool[n]
                prompt = self.rubric.render(c.item, attack.apply(c.text, most))
                rows.setdefault(name, []).append((c, prompt, attack.id))
        for cell in cells:  # a cell without attacks, too, so that the attacks of an earlier draw are replaced
            yield CellJudging("attack", cell, tuple(rows.get(cell.place.name, ())))

    def plan(self, judging: CellJudging, store: Store, families: Mapping[str, str]) -> list[JudgingRow]:
        """Save a judging in the store, with the reply keys of all attempts; returns its rows. `families`: the families of models
        by name."""
        s, rubric, model, backend = self.settings, self.rubric, self.model, self.backend
        settings = dict(backend.settings)
        if judging.control.startswith("repeat") and repeats_by(backend) == "sampling":
            settings["repeat"] = judging.control  # gives the same prompt another key
        rows = list[JudgingRow]()
        for c, prompt, attack in judging.rows:
            tries = [again(prompt, rubric.reminder, n) for n in range(1, s.attempts + 1)] if prompt else []
            requests = [self._request(judging, c.item.id, text) for text in tries]
            keys = [request_key(backend.fingerprint, r, model.chat, settings) for r in requests]
            rows.append(
                JudgingRow(item=c.item.id, rotation=c.rotation, key=c.key, attack=attack, prompt=prompt, keys=keys)
            )
        subject = judging.cell.place.model
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
            "max_new_tokens": self._max_new_tokens,
            "repeats_by": repeats_by(backend),
            "family": family(model),
            "of_family": families.get(subject) or _leading_letters(subject),
        }
        place = {"judge": model.name, "rubric": rubric.name, "control": judging.control, **judging.cell.place.as_dict()}
        store.plan_judging(place, facts, rows)
        return rows

    def requests(
        self, planned: Sequence[tuple[CellJudging, list[JudgingRow]]], store: Store, attempt: int
    ) -> list[RequestGroup[Request]]:
        """The requests of an attempt: all in the first, and later only those whose replies so far had no readable score.

        Requests are grouped by task and set; a group has a line of the display.
        """
        groups: dict[tuple[str, str], tuple[list[Request], list[str]]] = {}
        for judging, rows in planned:
            requests, keys = groups.setdefault((judging.cell.place.task, judging.cell.place.set), ([], []))
            for row in rows:
                if row["keys"] and all(self._is_invalid(store.response(k)) for k in row["keys"][: attempt - 1]):
                    prompt = again(row["prompt"], self.rubric.reminder, attempt)
                    request = self._request(judging, row["item"], prompt)
                    requests.append(replace(request, sample=int(judging.control.partition("/")[2] or 1) - 1))
                    keys.append(row["keys"][attempt - 1])
        way = self.rubric.name if attempt == 1 else f"{self.rubric.name} again/{attempt}"
        return [
            RequestGroup(
                ProgressLine(self.model.name, f"{item_set} {TASKS[name].short}", way, "readable"), requests, keys
            )
            for (name, item_set), (requests, keys) in groups.items()
        ]

    @property
    def _max_new_tokens(self) -> int:
        """Tokens that the judge may generate."""
        return self.model.generation.max_new_tokens or self.rubric.tokens

    def _request(self, judging: CellJudging, item: str, prompt: str) -> Request:
        batch = (self.rubric.name, judging.control, judging.cell.place.name)
        return Request(item, prompt, (Message("user", prompt),), self._max_new_tokens, batch=batch)

    def _is_invalid(self, response: Response | None) -> bool:
        return response is not None and response.error is None and self._status(response) == "invalid"

    def readable(self, request: Request, response: Response) -> float:
        """1 for a reply with a readable score, 0 for another."""
        return float(self._status(response) == "scored")

    def _status(self, response: Response) -> str:
        return read_verdict(response.text, self.rubric.scales).status


def repeats_by(backend: Backend) -> str:
    """The source of differences between repeats: "sampling", or "wording" for a judge that decodes greedily (temperature 0)."""
    decoding = backend.settings.get("decoding")
    settings = backend.settings | (decoding if isinstance(decoding, dict) else {})
    return "sampling" if settings.get("temperature", 0) != 0 else "wording"


def family(model: Model) -> str:
    """The family of a model, for the test of self-preference: its key `family`, else the leading letters of its path's last
    part."""
    return model.family or _leading_letters(Path(model.path).name) or model.name


def _leading_letters(name: str) -> str:
    """The leading letters of a model's name, in lower case.

    >>> _leading_letters("Qwen2.5-0.5B-Instruct"), _leading_letters("tiny-zh")
    ('qwen', 'tiny')
    """
    match = re.match(r"[^\W\d_]+", name)
    return match.group().lower() if match else name
