"""The keys of a benchmark file, as pydantic models, and reading one with errors that name file, line and field.

A file may come from anyone, so YAML aliases are refused, and every path in it stays in its folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PositiveInt, ValidationError, model_validator

from evalsuite.benchmarks.file.expressions import RowField
from evalsuite.benchmarks.file.readers import READERS
from evalsuite.benchmarks.kinds import KINDS
from evalsuite.common.errors import ConfigError, DataError, unknown
from evalsuite.common.plainfile import read_plain
from evalsuite.common.yamltext import explained, line_and_problem, parse_yaml

LARGEST = 2**20  # the most bytes of a benchmark file
MOST = 1_000  # the most tasks, sets or groups


def _path(text: str) -> str:
    parts = text.split("/")
    if any(part in ("", ".", "..") or part.startswith("~") for part in parts) or re.search(r"[\\\x00-\x1f:]", text):
        raise ValueError(f"{text!r}: expected a path below the folder of this file, such as data/test.csv")
    return text


@lru_cache(1024)
def _expression(text: str) -> str:
    try:
        RowField(text)
    except ConfigError as error:
        raise ValueError(str(error)) from None
    return text


def _text_or_expression(text: str) -> str:
    return _expression(text) if "{{" in text else text


def _pattern(text: str) -> str:
    if not _LABEL.fullmatch(text):
        raise ValueError(f"{text!r}: expected the first label: (A), A, (a), a, (1) or 1")
    return text


_LABEL = re.compile(r"\([Aa1]\)|[Aa1]")
Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
SetIdentifier = Annotated[str, Field(pattern=r"^[\w.-]+$", max_length=60)]
PathInside = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_path)]
ColumnOrExpression = Annotated[str, Field(min_length=1, max_length=10_000), AfterValidator(_expression)]
TextOrExpression = Annotated[str, Field(min_length=1, max_length=10_000), AfterValidator(_text_or_expression)]
SplitName = Literal["train", "dev", "test"]


class Section(BaseModel):
    """A frozen section of the file. The docstrings of its fields are the help that editors show."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


class Bilingual(Section):
    """A text in Chinese and in English."""

    zh: str
    en: str


def both(words: str | Bilingual) -> tuple[str, str]:
    """(Chinese, English); one text stands for both."""
    return (words, words) if isinstance(words, str) else (words.zh, words.en)


class JoinedFile(Section):
    """A second file whose rows belong to those of the data. Expressions have its row as a variable with the name of the join."""

    data: PathInside
    """The path of the file; {set}, {split} and {task} are replaced. A file that is not there has no rows."""
    key: ColumnOrExpression
    """Column or expression on a row of this file; it equals the `id` of the row that it belongs to."""


class RowFields(Section):
    """The fields that make an item of a row. Each value is the name of a column, or a Jinja expression in {{ }} on the row."""

    where: ColumnOrExpression | None = None
    """Only rows for which this is true: "{{ language == set }}". The texts false, no, off and 0 are not."""
    each: ColumnOrExpression | None = None
    """A list in the row: each of its elements is a row, `parent` the row itself, `number` the index from 1."""
    id: ColumnOrExpression | None = None
    """The number of the item, each once in its file. Default: the index of its row from 0."""
    dialogue: ColumnOrExpression | None = None
    """The turns: a list, or a text with a turn a line."""
    context: ColumnOrExpression | None = None
    """A text that the question is about; items that share it count as one sample. Instead of `dialogue`."""
    question: ColumnOrExpression | None = None
    """The question."""
    options: list[ColumnOrExpression] | ColumnOrExpression | dict[str | int | bool, TextOrExpression] | None = None
    """A list of columns, a column with a list, or a mapping from each value of `gold` to the option's text or expression. Empty
    cells at the end of a list are left out. A list may be JSON in a text, a text "A. … B. …", an object {"A": …, "B": …}, or as
    Hugging Face has it, with text and label of each option; then `gold` is a label."""
    gold: ColumnOrExpression | list[ColumnOrExpression] | None = None
    """The right answer: for options an index from 0, a letter or the text; for texts the text, or a list of right ones."""
    gold_is: Literal["index", "number", "letter", "text"] | None = None
    """Says how to read `gold` where a value could be read in two ways; number counts from 1."""
    references: ColumnOrExpression | list[ColumnOrExpression] | None = None
    """Further right answers of texts: a column with a list, which may be JSON in a text, or several columns."""
    votes: ColumnOrExpression | None = None
    """A list: the number of people who gave each of the `references`. A reference that is itself a list holds synonyms."""
    group: ColumnOrExpression | None = None
    """The category of an item, by which results are broken down; a list of several, or several with |."""


class Examples(Section):
    """Examples that a wording shows before every item, as the variable `examples`: the first rows of the training split."""

    count: PositiveInt
    """The number of rows."""
    text: ColumnOrExpression
    """The text of one example, such as "{{ question }}\\n{{ answer }}\\n\\n"; the texts follow each other."""


class TaskRow(RowFields):
    """A task: the question that is asked about the rows, and how replies are scored."""

    kind: Literal["choice", "choices", "span", "text", "answer"]
    """choice: one option; choices: all right options; span: words of the dialogue; text: a short free text, scored by overlap;
    answer: a short answer, right if it holds a reference."""
    title: str | Bilingual | None = None
    """The name on the page. Default: that of the task, or of the benchmark if it has one task."""
    short: str | None = None
    """The name in narrow columns."""
    data: PathInside | dict[SplitName, PathInside] | None = None
    """The file of the rows, or one for each split. Default: that of the benchmark."""
    labels: Annotated[str, AfterValidator(_pattern)] = "(A)"
    """The label of the first option; the others follow."""
    metrics: list[str] = []
    """Metrics of tables, the first is the headline. Default: that of the kind."""
    tokens: PositiveInt | None = None
    """The longest reply, in tokens. Default: 128 for kinds text and answer, 64 for others."""
    reader: str | None = None
    """Another program's way to read choices, beside ours: `first-capital` is that of OpenCompass."""
    whole: bool = False
    """Dialogues are shown whole: none is masked or cut."""
    prompts: PathInside | None = None
    """The folder of its templates in `templates`. Default: the name of the task."""
    variables: dict[Identifier, ColumnOrExpression] = Field(default={}, max_length=20)
    """Variables of its templates beside those of items: expressions on `set` and `task`."""
    wordings: dict[str, Annotated[Reworded, Field()]] = Field(default={}, max_length=MOST)
    """The differences of wordings, by name: a wording that asks the same items in other words, such as a translation, or that
    shows examples."""

    @model_validator(mode="after")
    def _fits_its_kind(self) -> TaskRow:
        kind = KINDS[self.kind]
        if kind.options and self.options is None:
            raise ValueError(f"a task of kind {self.kind} needs options")
        if not kind.options and self.options is not None:
            raise ValueError(f"a task of kind {self.kind} has no options; kinds choice and choices have")
        if self.gold is None and (kind.options or self.references is None):
            message = "needs gold, the right answer"
            raise ValueError(message if kind.options else "needs gold, the right answer, or references")
        if self.question is None:
            raise ValueError("needs question: a column, or a text such as \"{{ 'What is the cause?' }}\"")
        for fields in (self, *self.wordings.values()):
            if fields.votes and (kind.options or self.gold or not (fields.references or self.references)):
                raise ValueError(
                    "votes are counts of people for each of the references: it needs these, and no gold or options"
                )
        if self.dialogue and self.context:
            raise ValueError("has dialogue and context: name one")
        if self.reader not in (None, *READERS):
            raise ValueError(unknown("reader", str(self.reader), READERS))
        return self


class Reworded(RowFields):
    """The fields of a task that a wording changes."""

    data: PathInside | dict[SplitName, PathInside] | None = None
    """The file that has the rows in these words."""
    examples: Examples | None = None
    """Ready-made examples."""


class DataSource(Section):
    """The public place of the data, for `evalsuite data pull`."""

    git: Annotated[str, Field(pattern=r"^https://")]
    """A repository."""
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    """The commit, which is a hash of all its files."""


class PublishedFigures(Section):
    """Figures of papers on the test split, which stand beside those of a run on it."""

    file: PathInside
    """A CSV file: source, set, task, model, metric, value (docs/own_benchmark.md)."""
    same: dict[str, str] | None = None
    """Our metric: the published metric with the same definition. Default: the metric of the same name."""
    note: str | Bilingual = ""
    """A note for readers who compare with these figures."""


class BenchmarkFile(Section):
    """A benchmark: its data, its tasks, and how rows become items (docs/benchmark_file.md)."""

    name: Identifier
    """Small letters, digits and _; also the prefix of ids."""
    title: str | None = None
    """The name in tables and on the page. Default: `name`."""
    language: Literal["zh", "en"] = "zh"
    """The language of questions and replies."""
    data: PathInside | dict[SplitName, PathInside]
    """The file of the rows, which is the test split, or one for each split; {set}, {split} and {task} in a path are replaced.
    JSONL, JSON, CSV, TSV, Parquet, or a folder that `datasets` saved."""
    encoding: Literal["utf-8", "gb18030", "utf-16"] = "utf-8"
    """The encoding of CSV and TSV; gb18030 is also that of GBK and GB2312, which spreadsheets write in China."""
    sets: list[SetIdentifier] = Field(default=[], max_length=MOST)
    """Parts of the benchmark, each with its own figures. Default: one, of the benchmark's name."""
    set_word: str | Bilingual = Bilingual(zh="子集", en="subset")
    """The word for one of its sets."""
    set_names: dict[SetIdentifier, str | Bilingual] = Field(default={}, max_length=MOST)
    """The names of sets in tables. Default: the set's own name, in capitals for `levels`."""
    averaged: bool = False
    """Whether the mean over the sets is the main figure, as for folds and subjects."""
    levels: list[SetIdentifier] = Field(default=[], max_length=2)
    """Two sets whose gap is tested, the one that should be easier first."""
    training: SplitName | Literal[""] | None = None
    """The split that shots are drawn from. Default: train if there is one, else dev; "" for none."""
    join: dict[Identifier, JoinedFile] = Field(default={}, max_length=10)
    """Further files whose rows belong to those of the data, by a name of yours."""
    groups: dict[str, str | Bilingual] = Field(default={}, max_length=MOST)
    """The values of `group` in their order, with their names."""
    tasks: dict[Identifier, TaskRow] = Field(min_length=1, max_length=MOST)
    """The tasks by name."""
    every_task: dict[str, Any] = {}
    """Keys of all tasks; a task's own keys take precedence."""
    templates: PathInside | None = None
    """A folder of prompt templates: NAME.j2 for all tasks, TASK/NAME.j2 for one. The wordings plain and cot are built in."""
    rubric: Identifier | None = None
    """The rubric by which judges score short texts: one that ships, or judge/NAME.j2 in `templates`. Default: right or wrong."""
    source: DataSource | None = None
    """The public address of the data, for `evalsuite data pull`."""
    licence: str = ""
    """The licence of the data, as their source states it."""
    citation: str = ""
    """BibTeX of the paper."""
    published: PublishedFigures | None = None
    """Figures of papers."""

    @model_validator(mode="after")
    def _is_whole(self) -> BenchmarkFile:
        for name in (*self.levels, *self.set_names):
            if name not in self.sets:
                raise ValueError(unknown("set", name, self.sets))
        if self.training and self.training not in self.splits:
            raise ValueError(f"training: {self.training}: there is no data of that split")
        for row in self.tasks.values():
            if not self.training_split and any(other.examples for other in row.wordings.values()):
                raise ValueError("examples are rows of the training split, and there is none: data needs train or dev")
        return self

    @property
    def training_split(self) -> str:
        """The split that shots and examples are taken from; "" for none."""
        return self.training if self.training is not None else next((x for x in self.splits if x != "test"), "")

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits that have data, in the order train, dev, test."""
        every = [self.data, *(row.data for row in self.tasks.values() if row.data is not None)]
        named = {split for each in every for split in (each if isinstance(each, Mapping) else {"test"})}
        return tuple(split for split in ("train", "dev", "test") if split in named)


# Key of the file -> the class of its section, whose keys a message about an unknown key lists.
_SECTIONS: dict[str, type[BaseModel]] = {
    "tasks": TaskRow,
    "join": JoinedFile,
    "source": DataSource,
    "published": PublishedFigures,
    "wordings": Reworded,
    "examples": Examples,
}


def read_benchmark_file(path: Path) -> BenchmarkFile:
    """Read a benchmark file. Raises ConfigError, a line for each fault, with file, line and field."""
    if not path.exists() and not path.is_symlink():
        raise ConfigError(
            f"{path}: no such file; --benchmark takes a YAML file, --tasks names a benchmark of the suite"
        )
    try:
        raw = read_plain(path.parent, path.name, LARGEST)
        tree, node = parse_yaml(raw.decode("utf-8-sig"), aliases=False)
    except DataError as error:
        raise ConfigError(str(error)) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}: save it as UTF-8") from None
    except yaml.YAMLError as error:
        line, problem = line_and_problem(error)
        raise ConfigError(f"{path}:{line}: not YAML: {problem}") from None
    if not isinstance(tree, dict):
        raise ConfigError(f"{path}: expected name, data and tasks; docs/benchmark_file.md has an example")
    shared, rows = tree.get("every_task"), tree.get("tasks")
    if isinstance(shared, dict) and isinstance(rows, dict):
        tree = tree | {"tasks": {name: shared | row if isinstance(row, dict) else row for name, row in rows.items()}}
    try:
        return BenchmarkFile.model_validate(tree)
    except ValidationError as error:
        faults = dict.fromkeys(explained(e, (path, node), BenchmarkFile, _SECTIONS) for e in error.errors())
        raise ConfigError("\n".join([*faults][:20])) from None
