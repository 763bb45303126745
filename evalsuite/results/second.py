"""A second reader beside the parser: its replies in the store -> second/*.jsonl and the key "second" of results.json.

The parser is the first reader: all other figures are its own. A second reader is a model that was shown replies and asked what
they chose (evaluation/second_reader.py). Its own replies have a fixed form, which is compared exactly and never parsed: one in another
form is "unreadable", no verdict. No model is asked here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean
from typing import Any

from evalsuite.benchmarks.languages import reply_text
from evalsuite.benchmarks.registry import TASKS, benchmark_of
from evalsuite.common.dialogue import sources
from evalsuite.common.fences import defuse_fences
from evalsuite.common.files import safe_name
from evalsuite.metrics.agreement import cohen_kappa, kappa_interval
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.cells import without_prompt
from evalsuite.results.estimates import counted_places
from evalsuite.results.outcomes import ScoredRun
from evalsuite.results.records import answer_row, name_parts
from evalsuite.results.scoring import Scored, intervals, read_answer, score_cell
from evalsuite.types import Answer, Cell, Item, Place, Reading, Response, Status, Trial

SHOWN = 8_000  # characters of a reply that a second reader sees: a longer one without its middle
_WORDS = {"NONE": Status.UNPARSED, "REFUSED": Status.REFUSED}
_VERDICTS = {Status.PARSED: "answer", Status.UNPARSED: "none", Status.REFUSED: "refused", Status.SEVERAL: "several"}
AGREE = ("same", "neither")


def shown_reply(response: Response) -> str:
    """The reply as a second reader sees it: without thinking, unless it is all thinking; fences inside are defused."""
    text = reply_text(response) or response.text.strip()
    if len(text) > SHOWN:
        half = SHOWN // 2
        text = f"{text[:half]}\n[… {len(text) - SHOWN} …]\n{text[-half:]}"
    return defuse_fences(text)


def read_form(item: Item, shown: str, response: Response) -> Answer | None:
    """The answer that a second reader's reply states; None for a reply that is not in the form, or was cut off.

    The form: labels of options, separated by commas, or one option's line; for spans and texts a stretch of `shown`, verbatim; NONE; REFUSED.
    """
    said = reply_text(response)
    if response.finish == "length" or not said:
        return None
    if said in _WORDS:
        return Answer(_WORDS[said], rule="second reader")
    kind = TASKS[item.task].kind
    if not kind.options:
        return Answer(Status.PARSED, text=said, rule="second reader") if said in shown else None
    forms = {form: n for n, both in enumerate(zip(item.labels, item.indicators, strict=True)) for form in both}
    # An option's whole line, as it was shown, is one of the forms, too.
    lines = {
        label + gap + option: n
        for n, (label, option) in enumerate(zip(item.labels, item.options, strict=True))
        for gap in ("", " ")
    }
    named = [lines[said]] if said in lines else [forms.get(part.strip()) for part in said.split(",")]
    chosen = tuple(sorted(n for n in named if n is not None))
    if None in named or len(set(chosen)) < len(chosen):
        return None
    text = "；".join(item.options[n] for n in chosen)
    if kind.several:
        return Answer(Status.PARSED, text=text, rule="second reader", choices=chosen)
    if len(chosen) > 1:
        return Answer(Status.SEVERAL, rule="second reader")
    return Answer(Status.PARSED, chosen[0], text, rule="second reader")


@dataclass(frozen=True, slots=True)
class Pair:
    """What both readers make of one reply."""

    trial: Trial
    why: str  # the second reader was asked: "unread" | "long" | "sample"
    first: Answer
    second: Answer | None  # None: no verdict
    verdict: str  # a value of _VERDICTS, or "unreadable" | "failed" | "missing"

    @property
    def relation(self) -> str:
        """ "same" | "other" | "first_only" | "second_only" | "neither": who found an answer; "" without a verdict."""
        if self.second is None:
            return ""
        found = (self.first.status is Status.PARSED, self.second.status is Status.PARSED)
        if all(found):
            return "same" if self.overlap["em"] == 1 else "other"
        return {(True, False): "first_only", (False, True): "second_only", (False, False): "neither"}[found]

    @property
    def overlap(self) -> Mapping[str, float]:
        """F1 and EM of the two answers: of texts by the task's own measure; of choices 1 or 0; of no answers 1."""
        item, second = self.trial.item, self.second or self.first
        if TASKS[item.task].kind.options or Status.PARSED not in (self.first.status, second.status):
            return dict.fromkeys(("f1", "em"), float(category(self.first) == category(second)))
        return benchmark_of(item.task).language.score(second.text or "", [self.first.text or ""])


def category(answer: Answer) -> tuple[int, ...] | None:
    """What kappa compares: the chosen options; None for no answer."""
    if answer.status is not Status.PARSED:
        return None
    return answer.choices or (() if answer.choice is None else (answer.choice,))


def section(run: ScoredRun) -> dict[str, Any]:
    """The key "second" of results.json; absent if no second reader was asked."""
    entries = {cell.outcomes.cell.place: cell.entry for cell in run.cells}
    cells = {cell.outcomes.cell.place: cell.outcomes.cell for cell in run.cells}
    rows: list[dict[str, Any]] = []
    by_task: dict[tuple[str, str], list[Pair]] = {}
    for place, facts, asked in run.source.second_readings():
        cell = cells[Place.of(place)]
        replies = _answered(run, cell)
        lines, pairs = [], {}
        for row in asked:
            name = (row["item"], row["rotation"], row["sample"])
            if name not in replies or replies[name][0] != row["key"]:
                continue  # the reply was replaced since
            _, trial, response, first = replies[name]
            said = run.source.response(row["asked"])
            pairs[name] = _pair(trial, row["why"], response, first, said)
            lines.append(_record(place, row, pairs[name], said))
        if not pairs:
            continue
        path = f"second/{safe_name(place['reader'], *name_parts(cell.place))}.jsonl"
        with run.write_records(path) as write_record:
            for line in lines:
                write_record(line)
        errors = Counter(line["error"] for line in lines if line["error"] is not None)
        rows.append({
            **place, **counts(list(pairs.values())), **_scores(cell, run.reading, replies, pairs, entries[cell.place]),
            "parted": [_parting(pair) for pair in pairs.values() if pair.relation not in ("", *AGREE)],
            "errors": dict(errors.most_common(5)), "records": path, "facts": facts,
        })  # fmt: skip
        by_task.setdefault((place["reader"], cell.place.task), []).extend(pairs.values())
    tasks = [
        {"reader": reader, "task": task, **counts(pairs), **agreement(pairs)}
        for (reader, task), pairs in by_task.items()
    ]
    return {"second": {"tasks": tasks, "cells": rows}} if rows else {}


_Name = tuple[str, int, int]  # item, rotation, sample
_Replies = Mapping[_Name, tuple[str, Trial, Response, Answer]]  # with the reply's key and the first reader's answer


def _answered(run: ScoredRun, cell: Cell) -> dict[_Name, tuple[str, Trial, Response, Answer]]:
    kept = counted_places(run.source, cell)
    return {
        (t.item.id, t.rotation, t.request.sample): (
            key,
            without_prompt(t),
            r,
            read_answer(t.item, r, run.reading, t.request.answer_after),
        )
        for place, (key, t, r) in enumerate(run.source.read(cell))
        if r is not None and r.error is None and (kept is None or place in kept)
    }


def _pair(trial: Trial, why: str, response: Response, first: Answer, said: Response | None) -> Pair:
    if said is None or said.error is not None:
        return Pair(trial, why, first, None, "missing" if said is None else "failed")
    second = read_form(trial.item, shown_reply(response), said)
    return Pair(trial, why, first, second, "unreadable" if second is None else _VERDICTS[second.status])


def counts(pairs: Sequence[Pair]) -> dict[str, Any]:
    """How many replies were asked, why, and how the readers part."""
    read = [pair for pair in pairs if pair.second is not None]
    statuses: dict[str, Counter[str]] = {}
    for pair in pairs:
        statuses.setdefault(pair.first.status.value, Counter())[pair.verdict] += 1
    relations = Counter(pair.relation for pair in read)
    return {
        "asked": len(pairs),
        "n": len(read),
        "agreement": fmean(pair.relation in AGREE for pair in read) if read else None,
        "relations": {name: relations[name] for name in ("same", "other", "first_only", "second_only", "neither")},
        "statuses": {status: dict(sorted(verdicts.items())) for status, verdicts in sorted(statuses.items())},
        "reasons": {
            why: {"n": len(mine), "agree": sum(pair.relation in AGREE for pair in mine)}
            for why in ("unread", "long", "sample")
            if (mine := [pair for pair in read if pair.why == why])
        },
    }


def agreement(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Cohen's kappa of the chosen options, "no answer" being one; of spans and texts mean F1 of the two answers instead.

    With the 95 % interval of a bootstrap over dialogues; low and high are None with one dialogue.
    """
    from evalsuite.metrics.statistics import Means, bootstrap, wilson

    read = [pair for pair in pairs if pair.second is not None]
    task = TASKS[pairs[0].trial.item.task]
    measure = "kappa" if task.kind.options else "f1"
    value = low = high = None
    if read:
        clusters = sources([pair.trial.item.context for pair in read])
        rng, dialogues = Random(f"second:{task.name}"), len(set(clusters))
        if measure == "kappa":
            both = [category(p.first) for p in read], [category(p.second or p.first) for p in read]
            value, (low, high) = cohen_kappa(*both), kappa_interval(*both, clusters, rng)
        else:
            drawn = bootstrap(Means.of({"f1": [pair.overlap["f1"] for pair in read]}), clusters, rng)["f1"]
            value = drawn.value
            if drawn.low == drawn.high:  # all agree wholly, or not at all: no interval of width 0
                drawn = wilson(round(value * dialogues), dialogues)
            low, high = (drawn.low, drawn.high) if dialogues > 1 else (None, None)
    return {"measure": measure, "value": value, "low": low, "high": high}


def _scores(
    cell: Cell, reading: Reading, replies: _Replies, pairs: Mapping[_Name, Pair], entry: Mapping[str, Any]
) -> dict[str, Any]:
    """The cell's headline metric by the first reader, and by the second where it gave a verdict.

    Of an estimate, both are of the items asked, without weights and without an interval, so that they differ by the reading alone.
    """
    metric = TASKS[cell.place.task].metrics[0]
    answers = [
        pair.second if (pair := pairs.get(name)) and pair.second is not None else first
        for name, (_, _, _, first) in replies.items()
    ]
    trials, responses = [row[1] for row in replies.values()], [row[2] for row in replies.values()]

    def by(answers: Sequence[Answer]) -> Scored:
        return score_cell(
            [t.item for t in trials], responses, reading, answers, PERTURBATIONS[cell.place.perturb].several, cell.facts,
            [t.request.sample for t in trials], cell.place.variant,
        )  # fmt: skip

    scored = by(answers)
    first, second = entry["metrics"][metric]["value"], dict[str, Any]({"value": None, "low": None, "high": None})
    if scored.items:  # every item may have a rotation that failed
        found = intervals(scored, f"0:bootstrap:{cell.place.task}:{cell.place.set}:{cell.place.split}")[metric]
        second = {name: found[name] for name in second}
    if "estimate" in entry:
        second |= {"low": None, "high": None}
        if scored.items:
            first = by([first for *_, first in replies.values()]).value(metric)
    return {"metric": metric, "replies": len(replies), "first": first, "second": second}


def _record(place: Mapping[str, Any], row: Mapping[str, Any], pair: Pair, said: Response | None) -> dict[str, Any]:
    """One line of second/: all that a reviewer needs to check a verdict. Its schema: results/schema/second.py."""
    said = said or Response("", "")
    return {
        **place, "item": row["item"], "rotation": row["rotation"], "sample": row["sample"], "reply_key": row["key"],
        "why": row["why"], "prompt": row["prompt"], "key": row["asked"], "reply": said.text if said.error is None else None,
        "finish": said.finish, "error": said.error, "prompt_tokens": said.prompt_tokens, "new_tokens": said.new_tokens,
        "first": answer_row(pair.first), "verdict": pair.verdict,
        "second": answer_row(pair.second) if pair.second else None,
        "relation": pair.relation, **({"reasoning": said.reasoning} if said.reasoning is not None else {}),
    }  # fmt: skip


def _parting(pair: Pair) -> dict[str, Any]:
    trial, second = pair.trial, pair.second or pair.first
    return {
        "item": trial.item.id, "rotation": trial.rotation, "sample": trial.request.sample, "relation": pair.relation,
        "first": _says(trial.item, pair.first) or pair.first.status.value, "second": _says(trial.item, second) or pair.verdict,
    }  # fmt: skip


def _says(item: Item, answer: Answer) -> str:
    """An answer in a few words: its labels, or the beginning of its text; "" for none."""
    return ", ".join(item.labels[n] for n in category(answer) or ()) or (answer.text or "")[:80]


def second_problems(content: Mapping[str, Any]) -> Iterator[str]:
    """A line for each failure in "second" of results.json."""
    for cell in content.get("cells", ()):
        name = f"second reader {cell['reader']}, {Place.of(cell).name}"
        lost = Counter[str]()
        for verdicts in cell["statuses"].values():
            lost.update(verdicts)
        if lost["failed"]:
            yield f"{name}: {lost['failed']} of {cell['asked']} requests failed: {'; '.join(cell['errors'])}"
        if lost["missing"]:
            yield f"{name}: {lost['missing']} of {cell['asked']} not asked yet: the same command goes on"
