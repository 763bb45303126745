"""The official CHARM files -> Items: {reasoning,reasoning_Translate-EN,memorization}/{Chinese,Global}_<task>.json.

Properties of the official files, and their treatment:
* `input` is one string with question and options, with blanks and line breaks that differ from item to item. `Item.layout` keeps
  these, so that prompts equal the release's byte for byte while options can be shuffled and renamed;
* the translation into English has the items in the same order with the same ids. Eight translated items have an option twice or
  within a line, two lack options, and one names a right option that it does not have. Therefore gold, missing options and the
  aspect of culture come from the Chinese item;
* `mids` of a reasoning item name the memorization items that ask for its facts: `Item.rests_on`;
* references of memorization items are a text, a list of texts as a string, or "[not]x".
An Item's number is the official id, so that reviewers find it in the release.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from evalsuite.benchmarks.corpus import Corpus, File, collect, parse_json
from evalsuite.benchmarks.fields import NotBlank
from evalsuite.common.errors import DataError
from evalsuite.common.files import read_bytes, read_text
from evalsuite.common.jsonl import first_fault
from evalsuite.types import Item, Task

TRANSLATED = "translate-en"  # the wording with the items in English
# Wording -> the ending of the names of its example files.
EXAMPLES = {
    "paper": "ZH-CoT",
    "direct": "Direct",
    "zh-cot": "ZH-CoT",
    "en-cot": "EN-CoT",
    "xlt": "XLT",
    TRANSLATED: "Translate-EN",
}

_LABEL = re.compile(r"\(([A-Z])\)")
_LINE = re.compile(r"^[ \t]*\(([A-Z])\)", re.MULTILINE)
_HEADING = re.compile(r"\s*(?:(?:选项|Options?)\s*[:：])?\s*\Z")


class _CharmRow(BaseModel):
    """An item of an official file. Reasoning items may have `category` and `mids`; memorization items have `rids`, not read."""

    id: NotBlank
    input: NotBlank
    target: NotBlank
    category: str = ""
    mids: list[NotBlank] = []


class CharmCorpus(Corpus):
    """A clone of the official repository, its folder data/CHARM, or a parent of one."""

    expected = "data/CHARM/{reasoning,memorization}/{Chinese,Global}_….json"
    subfolders = ("", "data/CHARM", "charm/data/CHARM", "CHARM")

    def is_root(self, folder: Path) -> bool:
        return (folder / "reasoning").is_dir() or (folder / "memorization").is_dir()

    def path(self, task: Task, set: str, split: str) -> Path:
        return self.root / task.folder / f"{set.capitalize()}_{task.file}.json"

    def load(self, task: Task, set: str, split: str) -> File:
        path = self.path(task, set, split)
        rows, sha256 = _read_rows(path)
        seen: dict[str, int] = {}  # id -> index of its row

        def item(index: int, raw: Any) -> Item:
            row = _parse(raw, path, index)
            if seen.setdefault(number := row.id, index) != index:
                raise DataError(f"{number} stands there twice", path, field=f"examples[{index}].id")
            return _item(task, set, row, path, index)

        items, skipped = collect(enumerate(rows), item, self.skip_bad)
        return File(path, items, skipped, sha256)

    def load_reworded(self, task: Task, set: str, split: str, wording: str) -> File | None:
        if wording != TRANSLATED or not task.kind.options:
            return None
        file = self.file(task, set, split)
        path = self.root / "reasoning_Translate-EN" / file.path.name
        rows, sha256 = _read_rows(path)
        parsed, skipped = collect(enumerate(rows), lambda index, row: _parse(row, path, index), self.skip_bad)
        texts = {row.id: row.input for row in parsed}
        items = tuple(
            _translated(item, texts[uuid]) for item in file.items if (uuid := item.id.rpartition("/")[2]) in texts
        )
        return File(path, items, skipped, sha256)

    def given(self, task: Task, set: str, wording: str) -> Mapping[str, str]:
        if not task.kind.options or wording not in EXAMPLES:
            return {}
        ending = EXAMPLES[wording]
        folder = "few-shot-examples" + ("_Translate-EN" if wording == TRANSLATED else "")
        path = self.root / folder / f"{set.capitalize()}_{task.file}_{ending}.txt"
        return {"examples": read_text(path)}


def _read_rows(path: Path) -> tuple[list[Any], str]:
    """(rows, SHA-256) of a file."""
    raw = read_bytes(path, "no such CHARM file")
    content = parse_json(raw, path)
    rows = content.get("examples") if isinstance(content, dict) else None
    if not isinstance(rows, list):
        raise DataError("expected an object with a list of items", path, field="examples")
    return rows, hashlib.sha256(raw).hexdigest()


def _parse(row: Any, path: Path, index: int) -> _CharmRow:
    try:
        return _CharmRow.model_validate(row)
    except ValidationError as error:
        fault = first_fault(error, path)
        raise DataError(fault.message, path, field=f"examples[{index}].{fault.field or ''}") from None


def _item(task: Task, set: str, row: _CharmRow, path: Path, index: int) -> Item:
    name = f"charm/{set}/test/{task.local}/{row.id}"
    if not task.kind.options:
        return Item(name, task.name, set, "test", (), row.input, references=references(row.target))
    parts = split_options(row.input)
    letter = _LABEL.search(row.target)
    if parts is None:
        raise DataError("expected options (A), (B) … in the text", path, field=f"examples[{index}].input")
    question, labels, options, layout = parts
    if letter is None or letter.group() not in labels:
        message = f"expected one of {' '.join(labels)}, found {row.target!r}"
        raise DataError(message, path, field=f"examples[{index}].target")
    gold = labels.index(letter.group())
    facts = tuple(f"charm/{set}/test/memory_{task.local}/{uuid}" for uuid in row.mids)
    return Item(
        name,
        task.name,
        set,
        "test",
        (),
        question,
        options,
        labels,
        gold,
        (options[gold],),
        row.category,
        layout,
        facts,
    )


def _translated(item: Item, text: str) -> Item:
    """The item with its English text. If the text lacks options, the Chinese options stay."""
    parts = split_options(text)
    if parts is None or parts[1] != item.labels:
        return replace(item, question=text, layout=())
    question, _, options, layout = parts
    return replace(item, question=question, options=options, layout=layout, references=(options[item.gold or 0],))


def split_options(text: str) -> tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]] | None:
    """(question, labels, options, layout) of an official text, as in `Item`; None without two or more options (A), (B) ….

    If letters in brackets occur elsewhere in the text, too, the options are the lines that begin with one, from the last line
    with (A) on.

    >>> split_options("哪年？\\n选项：\\n (A) 北宋 \\n (B)东汉")
    ('哪年？', ('(A)', '(B)'), ('北宋', '东汉'), ('\\n选项：\\n ', ' ', ' \\n ', '', ''))
    """
    letters = list(_LABEL.finditer(text))
    if not _are_consecutive(letters):
        letters = list(_LINE.finditer(text))
        letters = letters[max((n for n, match in enumerate(letters) if match.group(1) == "A"), default=0) :]
        if not _are_consecutive(letters):
            return None
    starts = [match.start(1) - 1 for match in letters]
    layout, options = [], []
    head = _HEADING.search(text, 0, starts[0])
    end = head.start() if head else starts[0]
    question = text[:end]
    for start, after in zip(starts, [*starts[1:], len(text)], strict=True):
        body = text[start + 3 : after]
        option = body.strip()
        first = start + 3 + body.index(option)
        layout += [text[end:start], text[start + 3 : first]]
        options.append(option)
        end = first + len(option)
    labels = tuple(text[start : start + 3] for start in starts)
    return question, labels, tuple(options), (*layout, text[end:])


def _are_consecutive(letters: list[re.Match[str]]) -> bool:
    """Whether the letters are A, B … in this order, two or more."""
    return len(letters) > 1 and [match[1] for match in letters] == [chr(ord("A") + n) for n in range(len(letters))]


def references(target: str) -> tuple[str, ...]:
    """The references of a memorization item: "黄渤", "[not]黄渤" or "['东汉','汉']".

    >>> references("['东汉', '汉']"), references("[not]黄渤")
    (('东汉', '汉'), ('[not]黄渤',))
    """
    if target.startswith("['"):
        return tuple(str(text) for text in ast.literal_eval(target))
    return (target,)
