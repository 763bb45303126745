"""A benchmark file -> `Benchmark`, and the corpus that reads its data."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.corpus import Corpus, File, collect
from evalsuite.benchmarks.file.expressions import ExpressionError, RowField, text_of
from evalsuite.benchmarks.file.format import BenchmarkFile, Examples, Reworded, TaskRow, both, read_benchmark_file
from evalsuite.benchmarks.file.items import ItemMaker, RowFault, has_own_letters
from evalsuite.benchmarks.file.readers import READERS
from evalsuite.benchmarks.file.rows import DataRow, read_rows
from evalsuite.benchmarks.file.rubric import RUBRIC
from evalsuite.benchmarks.kinds import KINDS
from evalsuite.benchmarks.languages import LANGUAGES
from evalsuite.common.errors import ConfigError, DataError, unknown
from evalsuite.common.resources import packaged
from evalsuite.metrics.rows import TEXT_METRICS, TextMetric
from evalsuite.types import Benchmark, Item, Task

log = logging.getLogger(__name__)

# Kind -> the metric of a task that names none.
HEADLINES = {"choice": "accuracy", "choices": "set_accuracy", "span": "f1", "text": "f1", "answer": "contains"}
_TOKENS = {"text": 128, "answer": 128}  # kind -> the longest reply in tokens; other kinds: 64
_SIMILARITY = ("semsim", "paper.semsim")  # rated kinds have them, if a run has an encoder


# Kind -> the metrics that its tasks can have beside HEADLINES; those of the text kinds also depend on the language.
_METRICS: Mapping[str, tuple[str, ...]] = {
    "choice": (
        *("paper.accuracy", "paper.parts", "vote", "paper.vote", "rotation.accuracy"),
        *("accuracy_sum", "accuracy_token", "accuracy_char", "accuracy_prior"),
    ),
    "choices": (
        *("answer_f1", "answer_precision", "answer_recall"),
        *("macro_precision", "macro_recall", "macro_f1"),
    ),
    "span": (),
    "text": _SIMILARITY,
    "answer": _SIMILARITY,
}

DataPaths = str | Mapping[Any, str]  # the key `data` of a benchmark file: one path, or one for each split


def load_benchmark(path: Path) -> Benchmark:
    """The benchmark of a file, whose other files lie beside it. Raises ConfigError with file, line and field."""
    return make_benchmark(read_benchmark_file(path), path)


def make_benchmark(file: BenchmarkFile, path: Path) -> Benchmark:
    """The benchmark of a file that was read from `path`."""
    zh, en = both(file.set_word)
    note_zh, note_en = both(file.published.note) if file.published else ("", "")
    home = path.parent
    if file.published:
        _require_inside(home / file.published.file, path, "published.file")
    if file.templates:
        for template in (home / file.templates, *(home / file.templates).rglob("*")):
            _require_inside(template, path, "templates")
    return Benchmark(
        name=file.name,
        title=file.title or file.name,
        language=LANGUAGES[file.language],
        sets=tuple(file.sets) or (file.name,),
        splits=file.splits,
        sets_zh=zh,
        sets_en=en,
        tasks=tuple(_task(file, name, row) for name, row in file.tasks.items()),
        loader=partial(FileCorpus, file),
        address=file.source.git if file.source else "",
        commit=file.source.commit if file.source else "",
        no_address="" if file.source else f"{path} names no source",
        averaged=file.averaged,
        training=file.training_split,
        levels=tuple(file.levels),
        set_names={name: both(words) for name, words in file.set_names.items()},
        groups=tuple(file.groups),
        group_names={name: both(words) for name, words in file.groups.items()},
        rubric=file.rubric or ("reference" if file.language == "zh" else "reference_en"),
        audit=RUBRIC,
        published=home / file.published.file if file.published else None,
        published_as=file.published.same if file.published else None,
        published_zh=note_zh,
        published_en=note_en,
        templates=home / file.templates if file.templates else None,
        licence=file.licence,
        citation=file.citation,
        file=path,
    )


def require_metrics(benchmark: Benchmark) -> None:
    """Raise ConfigError if a task of a benchmark file names a metric that it cannot have, so that its column would be empty."""
    texts = [name for row in TEXT_METRICS.values() for name in _stated(row)]
    for task in benchmark.tasks:
        kind = task.kind.name
        known = [HEADLINES[kind], *_METRICS[kind], *(metric.name for metric in task.own_metrics)]
        if kind == "span" and benchmark.language.name == "en":
            known += ["em", "no_match", "paper.f1", "paper.em", "paper.no_match"]
        elif kind in ("span", "text"):
            known += texts
        for name in task.metrics:
            if name not in known:
                raise ConfigError(
                    f"{benchmark.file}: tasks.{task.local}.metrics: {unknown('metric', name, dict.fromkeys(known))}"
                )


def _stated(row: TextMetric) -> list[str]:
    """The names of a text metric in results.json: under our profile, and under the paper's."""
    name = row.stated_as or row.name
    return [*([name] if row.ours else []), *([f"paper.{name}"] if row.papers else [])]


def _require_inside(named: Path, path: Path, key: str) -> None:
    """Raise ConfigError if a path in the benchmark file does not exist or is a link out of the file's folder."""
    if not named.exists():
        raise ConfigError(f"{path}: {key}: {named}: no such file or folder")
    if not named.resolve().is_relative_to(path.parent.resolve()):
        raise ConfigError(f"{path}: {key}: {named}: is a link out of the folder of the benchmark file; copy it there")


def _task(file: BenchmarkFile, name: str, row: TaskRow) -> Task:
    title = file.title or file.name
    heading = row.title or (title if len(file.tasks) == 1 else name.replace("_", " ").capitalize())
    zh, en = both(heading)
    return Task(
        name=f"{file.name}_{name}",
        short=row.short or en,
        zh=zh,
        en=en,
        kind=KINDS[row.kind],
        file="",
        folder="",
        metrics=tuple(row.metrics) or (HEADLINES[row.kind],),
        max_new_tokens=row.tokens or _TOKENS.get(row.kind, 64),
        benchmark=file.name,
        whole=row.whole,
        prompts=row.prompts or "",
        official=READERS[row.reader] if row.reader else None,
        built_in=file.language,
    )


class FileCorpus(Corpus):
    """The data of a benchmark file, in its own folder or in another one with the same paths."""

    def __init__(self, file: BenchmarkFile, benchmark: Benchmark, folder: Path, *, skip_bad: bool = False) -> None:
        self._file = file
        self.expected = ", ".join(sorted({*self._paths()})[:5])
        super().__init__(benchmark, folder, skip_bad=skip_bad)

    def _paths(self) -> list[str]:
        """The relative path of every file of data."""
        return [
            path
            for name, row in self._file.tasks.items()
            for item_set in self._file.sets or [self._file.name]
            for split in self._file.splits
            if (path := self._relative(name, row.data, item_set, split))
        ]

    def _relative(self, name: str, paths: DataPaths | None, item_set: str, split: str) -> str:
        """The relative path of the rows of a task; "" if the benchmark file names none for the split."""
        data = self._file.data if paths is None else paths
        by_split: Mapping[Any, str] = {"test": data} if isinstance(data, str) else data
        return _filled(by_split.get(split, ""), name, item_set, split)

    def is_root(self, folder: Path) -> bool:
        return any((folder / path).exists() for path in self._paths())

    def path(self, task: Task, set: str, split: str) -> Path:
        row = self._file.tasks[task.local]
        return self.root / (self._relative(task.local, row.data, set, split) or f"no {split} data of {task.local}")

    def has(self, task: Task, set: str, split: str) -> bool:
        relative = self._relative(task.local, self._file.tasks[task.local].data, set, split)
        return bool(relative) and (self.root / relative).exists()

    def load(self, task: Task, set: str, split: str) -> File:
        return self._load(task, set, split, None)

    def load_reworded(self, task: Task, set: str, split: str, wording: str) -> File | None:
        other = self._file.tasks[task.local].wordings.get(wording)
        if other is None or not other.model_fields_set - {"examples"}:
            return None
        if other.data is not None and not self._relative(task.local, other.data, set, split):
            hint = "; ask it with --shots 0, in a command of its own" if split == self.benchmark.training else ""
            raise DataError(f"wordings.{wording}.data names no {split} file{hint}", self.benchmark.file or self.root)
        return self._load(task, set, split, other)

    def given(self, task: Task, set: str, wording: str) -> Mapping[str, str]:
        row = self._file.tasks[task.local]
        more = {"set": set, "task": task.name}
        try:
            variables = {name: text_of(RowField(text).value({}, more)) for name, text in row.variables.items()}
        except ExpressionError as error:
            raise DataError(str(error), self.root, None, "variables") from None
        other = row.wordings.get(wording)
        if other is not None and other.examples is not None:
            variables["examples"] = self._examples(task, set, other, other.examples)
        return variables

    def _examples(self, task: Task, set: str, other: Reworded, examples: Examples) -> str:
        """The texts of the training split's first rows that are asked, in the wording's own file if it has one. Raises DataError
        if the split is missing, or lacks a column."""
        split = self.benchmark.training
        own = other.data is not None and self._relative(task.local, other.data, set, split)
        relative = own or self._relative(task.local, self._file.tasks[task.local].data, set, split)
        rows = read_rows(self.root, relative, self._file.encoding).rows
        maker, field = ItemMaker(self._file, task.local, other, set, split), RowField(examples.text)
        asked = (row for at in rows for row, is_asked in maker.rows(at) if is_asked)
        try:
            return "".join(text_of(field.value(row.value, row.variables)) for row in islice(asked, examples.count))
        except ExpressionError as error:
            raise DataError(str(error), self.root / relative, None, "examples.text") from None

    def _load(self, task: Task, set: str, split: str, instead: Reworded | None) -> File:
        usual = self._file.tasks[task.local].data
        paths = instead.data if instead and instead.data is not None else usual
        relative = self._relative(task.local, paths, set, split)
        if not relative:
            raise DataError(f"{self._file.title or self._file.name} has no {split} data", self.root)
        if not (self.root / relative).exists():
            hint = " (the rows that the wording asks)" if instead else ""
            raise DataError(f"no such {self._file.title or self._file.name} file{hint}", self.root / relative)
        rows = read_rows(self.root, relative, self._file.encoding)
        joined = {
            name: _Joined.read(self.root, _filled(join.data, task.local, set, split), join.key, self._file.encoding)
            for name, join in self._file.join.items()
        }
        maker = ItemMaker(self._file, task.local, instead, set, split)
        for name in maker.hidden(rows.rows):
            _warn_of_hidden(rows.path, name)
        seen: dict[str, DataRow] = {}

        def items(index: int, at: DataRow) -> tuple[Item, ...]:
            items_of_row = []
            try:
                for row, is_asked in maker.rows(at):
                    if not is_asked and not joined:
                        continue
                    row.variables.update(dict.fromkeys(joined))
                    number = maker.number(row, index)
                    if not is_asked:
                        for table in joined.values():
                            table.take(number)
                        continue
                    if number in seen:
                        where = f"line {seen[number].line}" if seen[number].line else seen[number].index
                        raise RowFault(f"{number} is also the id of {where}", maker.column("id"))
                    row.variables.update({name: table.take(number) for name, table in joined.items()})
                    items_of_row.append(maker.item(row, number))
                    seen[number] = at
            except RowFault as fault:
                field = f"{at.index}.{fault.field}" if at.index else fault.field
                raise DataError(str(fault), rows.path, at.line, field) from None
            return tuple(items_of_row)

        items_of_rows, skipped = collect(enumerate(rows.rows), items, self.skip_bad)
        all_items = tuple(item for each in items_of_rows for item in each)
        # The page of a benchmark that ships says what is odd in its files.
        ships = self.benchmark.file is not None and self.benchmark.file.is_relative_to(packaged("benchmarks"))
        if not ships and all_items and all(has_own_letters(item.options) for item in all_items):
            _warn_of_letters(rows.path)
        if not skipped:
            for table in joined.values():
                table.require_taken(rows.path)
        sha256 = hashlib.sha256()
        for raw in (*rows.raw, *(raw for table in joined.values() for raw in table.raw)):
            sha256.update(raw)
        return File(rows.path, all_items, skipped, sha256.hexdigest())


@cache
def _warn_of_hidden(path: Path, name: str) -> None:
    """Warn, once, of a column that an expression may mean, although it reads the variable of the same name."""
    log.warning(
        "%s: expressions read the item's %s; the column of this name is row[NAME], with the name in quotes", path, name
    )


@cache
def _warn_of_letters(path: Path) -> None:
    """Warn, once, of letters that go with the options' texts."""
    log.warning(
        "%s: the options begin with letters of their own (A. …): these go with them when options are shuffled", path
    )


class _Joined:
    """The rows of a joined file (`join`): the id of a row of the data -> the row that belongs to it."""

    def __init__(self, path: Path, raw: tuple[bytes, ...], rows: Mapping[str, Any]) -> None:
        self.path, self.raw, self._rows = path, raw, rows
        self._left = {*rows}

    @classmethod
    def read(cls, root: Path, relative: str, key: str, encoding: str) -> _Joined:
        """Read a file; a missing file has no rows. Raises DataError for a row without a key, and for a repeated key."""
        path = root / relative
        if not path.exists():
            return cls(path, (), {})
        data_rows, field, rows = read_rows(root, relative, encoding), RowField(key), dict[str, Any]()
        for row in data_rows.rows:
            try:
                name = text_of(field.value(row.value, {}))
            except ExpressionError as error:
                raise DataError(str(error), path, row.line, row.index or None) from None
            if name in rows:
                raise DataError(f"{name} stands here twice", path, row.line, row.index or None)
            rows[name] = row.value
        return cls(path, data_rows.raw, rows)

    def take(self, number: str) -> Any:
        """The row that belongs to an id, or None. The row then counts as taken."""
        self._left.discard(number)
        return self._rows.get(number)

    def require_taken(self, path: Path) -> None:
        """Raise DataError if a row was not taken: it belongs to no row of the data at `path`."""
        if self._left:
            number = min(self._left)
            raise DataError(f"{number} is no question of {path.name}", self.path)


def _filled(path: str, task: str, item_set: str, split: str) -> str:
    return path.replace("{task}", task).replace("{set}", item_set).replace("{split}", split)
