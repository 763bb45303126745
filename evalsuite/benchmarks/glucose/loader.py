"""GLUCOSE (Mostafazadeh et al. 2020), in the official layout -> Items: test/test_set_answer_key.csv.

A row is a story and one of its sentences, X, with a cell for each dimension, specific and general. Properties of the files:
* a cell is "escaped" (the dimension was not answered) or references joined by "****"; stories contain the word, too, so
  whole cells are compared;
* a cell has three references; one official cell has four parts, the second of them empty: the notebook scores against the
  first three parts, an Item has the parts that are not blank;
* spacing is irregular ("goes on  sale"): references are kept byte for byte.

An Item is one answered cell. Its set is its dimension ("d1" to "d10"), so results are reported by dimension; its number is
the row's, from 0. The dialogue is the story, a turn for each sentence, with X in asterisks as in the paper's best model.

Training items come from train/GLUCOSE_training_data_final.csv, which has the same columns and a row for each worker.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evalsuite.benchmarks.corpus import Corpus, File, collect
from evalsuite.benchmarks.glucose.bleu import ESCAPED, JOINED
from evalsuite.benchmarks.glucose.dimensions import DIMENSIONS, SETS, Dimension
from evalsuite.common import csvfile
from evalsuite.common.errors import DataError
from evalsuite.common.files import read_bytes
from evalsuite.types import Item, Task

FILES = {"test": "test/test_set_answer_key.csv", "train": "train/GLUCOSE_training_data_final.csv"}
LEVELS = {"specific_statement": "specific", "general_rule": "general"}


def column_name(dimension: int, level: str) -> str:
    """The name of the column of a dimension and level: "1_specificNL"."""
    return f"{dimension}_{level}NL"


COLUMNS = tuple(column_name(d.number, level) for d in DIMENSIONS for level in ("specific", "general"))


@dataclass(frozen=True, slots=True)
class StoryRow:
    """A story, the index of its sentence X, and the unchanged cells by column."""

    number: int
    story: tuple[str, ...]
    selected: int
    cells: Mapping[str, str]

    @property
    def marked(self) -> tuple[str, ...]:
        """The story with X in asterisks (section 6.2.2)."""
        return tuple(f"*{text}*" if n == self.selected else text for n, text in enumerate(self.story))


class GlucoseCorpus(Corpus):
    """A folder with test/ (and train/), such as a clone of the official repository, or its parent. A file is read once for all
    dimensions."""

    expected = FILES["test"]

    def is_root(self, folder: Path) -> bool:
        return any((folder / name).is_file() for name in FILES.values())

    def path(self, task: Task, set: str, split: str) -> Path:
        return self.root / FILES[split]

    def load(self, task: Task, set: str, split: str) -> File:
        path = self.path(task, set, split)
        rows, skipped, sha256 = self.once(("rows", split), lambda: read_rows(path, self.skip_bad))
        dimension = DIMENSIONS[SETS.index(set)]
        items = tuple(item for row in rows if (item := _item(row, task.local, dimension, split)))
        # The notebook's BLEU counts the escaped rows, too.
        facts = {"answered": len(items), "escaped": len(rows) - len(items)}
        return File(path, items, skipped, sha256, facts)


def read_rows(path: Path, skip_bad: bool = False) -> tuple[tuple[StoryRow, ...], tuple[DataError, ...], str]:
    """(rows, errors of the rows left out, SHA-256) of a file with the official columns: the key, the training data or a
    submission.

    A broken row raises DataError with file, line (of the row's end) and column, or is left out (`skip_bad`).
    """
    raw = read_bytes(path, missing="no such file; fetch the official repository (docs/glucose.md)")
    lines = csvfile.parse_rows(raw, path, ("unique_id", "story", "selected_sentence", *COLUMNS))
    numbered = ((line, (number, cells)) for number, (line, cells) in enumerate(lines))
    rows, skipped = collect(numbered, lambda line, row: _row(*row, path, line), skip_bad)
    return rows, skipped, hashlib.sha256(raw).hexdigest()


def _item(row: StoryRow, task: str, dimension: Dimension, split: str) -> Item | None:
    cell = row.cells[column_name(dimension.number, LEVELS[task])]
    if cell == ESCAPED:
        return None
    return Item(
        id=f"glucose/{dimension.set}/{split}/{task}/{row.number}",
        task=f"glucose_{task}",
        set=dimension.set,
        split=split,
        dialogue=row.marked,
        # "#1:" is the dimension's mark in the input of the paper's best model; the template "paper" uses it.
        question=f"#{dimension.number}: {dimension.text}, as a {task.replace('_', ' ')}: "
        f"antecedent >{dimension.connective}> consequent",
        references=tuple(reference for reference in cell.split(JOINED) if reference.strip()),
    )


def _row(number: int, record: Mapping[str, str | None], path: Path, line: int) -> StoryRow:
    def get(field: str) -> str:
        value = record[field]
        if value is None or not value.strip():
            raise DataError("is blank" if value is not None else "missing: the row is too short", path, line, field)
        return value

    story = tuple(get("story").split(JOINED))
    if any(not sentence.strip() for sentence in story):
        raise DataError("a sentence is blank", path, line, "story")
    unique_id, sentence = get("unique_id"), get("selected_sentence")
    index = unique_id.rpartition("__")[2]
    if not index.isdecimal() or int(index) >= len(story):
        message = f"expected NAME__INDEX with an index below {len(story)}, found {unique_id!r}"
        raise DataError(message, path, line, "unique_id")
    # A story may contain a sentence twice, so the index decides, and the text is checked.
    if story[int(index)] != sentence:
        raise DataError(f"is not sentence {index} of the story: {story[int(index)]!r}", path, line, "selected_sentence")
    cells = {name: get(name) for name in COLUMNS}
    for name, cell in cells.items():
        if cell != ESCAPED and not any(reference.strip() for reference in cell.split(JOINED)):
            raise DataError("has no reference", path, line, name)
    return StoryRow(number, story, int(index), cells)
