"""The tables of a run's replies, from records/, judged/ and second/: one row per reply, with the place of its cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from evalsuite.analyses.judged.values import JudgedRecord
from evalsuite.analyses.second_reader import SecondRecord
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.frames.columns import FrameColumn, Leaf, fields_of
from evalsuite.results.records import rows_of
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.schema.record import Record
from evalsuite.types import PLACE

# Columns with these names, or names that end so, hold long texts: they are read only if they are named.
_LONG = (
    "prompt",
    "question",
    "key",
    "pattern",
    "reasoning",
    "reasons",
    "candidate",
    "candidate_key",
    "reply_key",
    "settings",
)
_KEPT_LISTS = ("answer_choices",)
_RENAMED = {"shots": "examples"}  # a record's `shots` are ids; `shots` is the number of examples in every table


@dataclass(frozen=True, slots=True)
class ReplyTable:
    """A table of replies: its columns, and the path to the rows of results.json that name its files."""

    name: str
    meaning: str
    model: type[BaseModel]
    section: tuple[str, ...]  # path of keys to these rows in results.json
    place: tuple[Leaf, ...]  # columns that are read from the row of results.json
    leaves: tuple[Leaf, ...]  # columns that are read from each record
    light: tuple[str, ...]  # names of the columns that are read if none is named

    @property
    def columns(self) -> tuple[FrameColumn, ...]:
        return (*(leaf.column for leaf in self.place), *(leaf.column for leaf in self.leaves))

    def only(self, wanted: Sequence[str] | None) -> ReplyTable:
        """The table with the wanted columns, in its own order: None are those of `light`, ["all"] are all.

        Raises ConfigError for an unknown name.
        """
        known = [column.name for column in self.columns]
        for name in wanted or ():
            if name not in known and name != "all":
                raise ConfigError(unknown(f"column of {self.name}", name, ["all", *known]))
        names = {*known} if wanted and "all" in wanted else {*(self.light if wanted is None else wanted)}
        place, leaves = (tuple(x for x in each if x.column.name in names) for each in (self.place, self.leaves))
        return replace(self, place=place, leaves=leaves)

    def files(self, content: Mapping[str, Any]) -> Iterator[tuple[list[Any], str]]:
        """(values of the columns `place`, path in the run's folder) of every file."""
        rows: Any = content
        for key in self.section:
            rows = (rows or {}).get(key)
        for row in rows or ():
            yield [leaf.read(row) for leaf in self.place], row["records"]

    def rows(self, folder: Path, place: list[Any], file: str) -> Iterator[list[Any]]:
        """The rows of one file, each beginning with `place`."""
        for record in rows_of(self.model, folder, file):
            values = record.model_dump()
            yield [*place, *(leaf.read(values) for leaf in self.leaves)]


@cache
def replies() -> dict[str, ReplyTable]:
    """The tables of replies by name."""
    kinds = (
        _replies("records", Record, ("cells",), ()),
        _replies("judged_records", JudgedRecord, ("judged", "cells"), ("judge", "rubric", "control")),
        _replies("second_records", SecondRecord, ("second", "cells"), ("reader",)),
    )
    return {table.name: table for table in kinds}


def _replies(name: str, model: type[BaseModel], section: tuple[str, ...], also: tuple[str, ...]) -> ReplyTable:
    keys = (*PLACE, *also)
    cell = {leaf.column.name: leaf for leaf in fields_of(CellResult).leaves}
    for key in also:
        meaning = "plain, blind, attack or repeat/N." if key == "control" else f"The {key}'s name."
        cell[key] = Leaf(FrameColumn(key, "text", meaning, null=False), (key,))
    leaves = []
    for leaf in fields_of(model, lists=True).leaves:
        if leaf.column.name in _RENAMED and leaf.column.depth:
            leaves.append(replace(leaf, column=replace(leaf.column, name=_RENAMED[leaf.column.name])))
        elif leaf.column.name not in (*keys, "asked_shots"):
            leaves.append(leaf)
    if model is Record:
        meaning = "The labels of the options that the reply chose, as in gold; null: none."
        leaves.append(_Chosen(FrameColumn("chosen", "text", meaning), ()))
    light = [leaf.column.name for leaf in leaves if _is_light(leaf.column)]
    meaning = " ".join((model.__doc__ or "").split())
    return ReplyTable(name, meaning, model, section, tuple(cell[key] for key in keys), tuple(leaves), (*keys, *light))


def _is_light(column: FrameColumn) -> bool:
    return column.name in _KEPT_LISTS or not (column.depth or column.name.endswith(_LONG))


class _Chosen(Leaf):
    """The labels of the chosen options."""

    __slots__ = ()

    def read(self, row: Any) -> Any:
        answer = row["answer"]
        chosen = answer["choices"] or ([] if answer["choice"] is None else [answer["choice"]])
        return ", ".join(row["labels"][i] for i in chosen) or None
