"""Headings and titles shared by the sheets of several analyses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from evalsuite.common.sheet import Sheet, Text
from evalsuite.types import Place, Task

WAY = ("variant", "shots", "scoring", "perturb")  # the parts of a place that say how items are asked


def task_heading(task: Task) -> Text:
    """The heading of a task's column."""
    return Text(task.zh, task.short)


def way(entry: Mapping[str, Any]) -> str:
    """`Place.way` of a row without model, task, set or split: "plain 5-shot labels shuffle"."""
    return Place.of(entry, model="", task="", set="", split="").way


def place_words(entry: Mapping[str, Any], between: str = " ") -> str:
    """Set, split and way: "EASY, test paper 0-shot labels"."""
    unusual = [entry[k] for k, usual in (("scoring", "generate"), ("perturb", "none")) if entry[k] != usual]
    split, variant, shots = entry["split"], entry["variant"], f"{entry['shots']}-shot"
    if between == " ":
        return f"{entry['set'].upper()}, {' '.join([split, variant, shots, *unusual])}"
    return between.join([entry["set"].upper(), split, f"{variant} {shots}", *unusual])


def estimate_flags(entry: Mapping[str, Any]) -> list[str]:
    """The mark of a cell of results.json of which only a part of the items was asked."""
    if not (estimate := entry.get("estimate")):
        return []
    doubt = "?" if estimate.get("beyond") or estimate.get("otherwise") else ""
    return [f"≈{estimate['asked']}/{estimate['of']}{doubt}"]


def estimate_marks(cells: Iterable[Mapping[str, Any]]) -> dict[Place, list[str]]:
    """The marks of such cells by their places, for tables of other figures on the same replies."""
    return {Place.of(cell): flags for cell in cells if (flags := estimate_flags(cell))}


def titled(before: str, zh: str, en: str) -> Text:
    """A title that begins alike in both languages."""
    return Text(before + zh, before + en)


def too_few(row: Mapping[str, Any]) -> bool:
    """Whether so few dialogues differ that a row of "robustness" or "gaps" cannot be significant after Holm's correction. Runs
    of earlier versions say only how many differ, or the smallest p."""
    least = row.get("least_p_holm")
    if least is None:
        differ = row.get("differ")
        least = row.get("least_p", 0.0) if differ is None else 2.0 ** (1 - differ)
    return bool(least >= 0.05)


def family_size(rows: Iterable[Mapping[str, Any]]) -> str:
    """The number of tests that Holm's correction is over: "122", "8–16"; "" in runs of earlier versions, which do not say it."""
    sizes = sorted({row["family"] for row in rows if row.get("family")})
    return "–".join(map(str, dict.fromkeys([*sizes[:1], *sizes[-1:]])))


def with_notes(sheets: Iterable[Sheet], *notes: Text | str) -> Iterator[Sheet]:
    """The same sheets; the last one also gets the notes."""
    last = None
    for sheet in sheets:
        if last is not None:
            yield last
        last = sheet
    if last is not None:
        yield replace(last, notes=(*last.notes, *notes))
