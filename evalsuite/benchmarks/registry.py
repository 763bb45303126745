"""All benchmarks and tasks: the shipped ones, then those of installed packages (entry points `evalsuite.benchmarks`)."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from evalsuite.benchmarks import blend, c3, cedar, charm, cicero, cider, corecode, glucose
from evalsuite.benchmarks.corpus import Corpus, File
from evalsuite.benchmarks.groups import groups
from evalsuite.common.errors import ConfigError, DataError, unknown
from evalsuite.common.plugins import LazyMapping, installed, load_plugin, origin_of
from evalsuite.common.resources import bundled, packaged, resolve
from evalsuite.metrics.rows import METRICS, TEXT_METRICS
from evalsuite.types import Benchmark, Item, Kind, Language, Metric, Task

log = logging.getLogger(__name__)


def _of_file(name: str) -> Benchmark:
    """The benchmark of a file that ships: benchmarks/<name>/benchmark.yaml."""
    from evalsuite.benchmarks.file.benchmark import load_benchmark  # late, since `--help` needs no benchmark files

    return load_benchmark(packaged(f"benchmarks/{name}/{FILE}"))


# In the order of tables. A benchmark file is read on the first use of BENCHMARKS.
SHIPPED: tuple[Benchmark | Callable[[], Benchmark], ...] = (
    corecode.BENCHMARK,
    charm.BENCHMARK,
    partial(_of_file, "xcopa"),
    c3.benchmark,
    partial(_of_file, "cmmlu"),
    blend.benchmark,
    partial(_of_file, "fewclue"),
    partial(_of_file, "tombench"),
    partial(_of_file, "halluqa"),
    cicero.BENCHMARK,
    cider.BENCHMARK,
    glucose.BENCHMARK,
    cedar.BENCHMARK,
)
DEFAULT = "corecode"  # the benchmark of a command that names none
GROUP = "evalsuite.benchmarks"
FILE = "benchmark.yaml"  # the name of a benchmark file in a run's folder: benchmarks/<name>/benchmark.yaml

SPLITS = ("train", "dev", "test")
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@cache
def shipped() -> tuple[Benchmark, ...]:
    """The benchmarks that ship."""
    return tuple(row if isinstance(row, Benchmark) else row() for row in SHIPPED)


_files: dict[str, Benchmark] = {}  # the benchmarks of the benchmark files that this process has read, by name


def _benchmarks() -> dict[str, Benchmark]:
    benchmarks = {b.name: b for b in shipped()}
    origins = dict.fromkeys((*benchmarks, *(t.name for b in benchmarks.values() for t in b.tasks)), "evalsuite")
    for point in installed(GROUP):
        benchmark, origin = load_plugin(point), origin_of(point)
        _check(point.name, benchmark, origin)
        for name in (point.name, *(t.name for t in benchmark.tasks)):
            if name in origins:
                raise ConfigError(
                    f"{origin}: {name!r} is the name of a benchmark or task of {origins[name]}; rename it"
                )
            origins[name] = origin
        benchmarks[point.name] = benchmark
    return {**benchmarks, **_files}


def _check(name: str, benchmark: object, origin: str) -> None:
    """Raise ConfigError if a package's benchmark is not one that the suite can run."""
    if not isinstance(benchmark, Benchmark):
        raise ConfigError(f"{origin}: expected an evalsuite.types.Benchmark, found {type(benchmark).__name__}")
    if benchmark.name != name or not _NAME.fullmatch(name):
        raise ConfigError(
            f"{origin}: the entry point is {name!r} and its benchmark {benchmark.name!r}: "
            "expected one name of small letters, digits and _"
        )
    for task in benchmark.tasks:
        if not task.name.startswith(f"{name}_") or not _NAME.fullmatch(task.name):
            raise ConfigError(f"{origin}: task {task.name!r}: expected {name}_… of small letters, digits and _")
        if not isinstance(task.kind, Kind):
            raise ConfigError(
                f"{origin}: task {task.name!r}: its kind is {task.kind!r}: expected a row of evalsuite.benchmarks.kinds"
            )
    if not isinstance(benchmark.language, Language):
        raise ConfigError(
            f"{origin}: its language is {benchmark.language!r}: expected a row of evalsuite.benchmarks.languages"
        )
    for item_set in benchmark.sets:
        if not re.fullmatch(r"[\w.-]+", item_set) or item_set in ("all", "both"):
            raise ConfigError(f"{origin}: set {item_set!r}: expected letters, digits, _, . and -, not all or both")
    for split in benchmark.splits:
        if split not in SPLITS:
            raise ConfigError(f"{origin}: {unknown('split', split, SPLITS)}")


BENCHMARKS: LazyMapping[Benchmark] = LazyMapping(_benchmarks)
TASKS: LazyMapping[Task] = LazyMapping(lambda: {t.name: t for b in BENCHMARKS.values() for t in b.tasks})
# Short name in small letters -> task. A name of several benchmarks means the first one's task: CORECODE's.
_SHORT_NAMES: LazyMapping[Task] = LazyMapping(lambda: {t.short.lower(): t for t in reversed([*TASKS.values()])})
_SET_INDICES = LazyMapping(lambda: _indices(dict.fromkeys(name for b in BENCHMARKS.values() for name in b.sets)))
_TASK_INDICES = LazyMapping(lambda: _indices(TASKS))


def _indices(names: Iterable[str]) -> dict[str, int]:
    return {name: n for n, name in enumerate(names)}


def add_file(path: Path) -> Benchmark:
    """Read a benchmark file, given as the file or its folder; add its benchmark to BENCHMARKS and its tasks to TASKS.

    The benchmark replaces one of the same name from an earlier file. Raises ConfigError, with file, line and field, for faults
    in the file and for names that are taken.
    """
    from evalsuite.benchmarks.file.benchmark import load_benchmark  # late, since `--help` needs no benchmark files

    path = path / FILE if path.is_dir() else path
    for known in shipped():
        if known.file is not None and known.file.resolve() == path.resolve():
            return known
    benchmark = load_benchmark(path)
    others = [b for name, b in BENCHMARKS.items() if name != benchmark.name or name not in _files]
    taken = {*groups(), *(b.name for b in others), *(t.name for b in others for t in b.tasks)}
    _check(benchmark.name, benchmark, str(path))
    for name in (benchmark.name, *(t.name for t in benchmark.tasks)):
        if name in taken or bundled(f"prompts/{name}").exists():
            raise ConfigError(f"{path}: name: {name!r} is taken by evalsuite or another benchmark; choose another")
    _register(benchmark)
    return benchmark


def add_files(paths: Iterable[str | Path]) -> list[str]:
    """Read benchmark files, those that ship as bundled:…, and return the names of their benchmarks. Raises as `add_file`, and for
    metrics that a task cannot have. (Those of a run that was made before stay.)"""
    from evalsuite.benchmarks.file.benchmark import require_metrics  # late, since `--help` needs no benchmark files

    added = [add_file(resolve(path)) for path in paths]
    for benchmark in added:
        require_metrics(benchmark)
    return [benchmark.name for benchmark in added]


def add_run(run: Path) -> None:
    """Add the benchmarks whose files lie in a run's folder. Tasks that an earlier file of the same benchmark has are kept.

    Warns where the two files differ: names, groups and metrics are then those of this run's file.
    """
    for path in sorted(run.glob(f"benchmarks/*/{FILE}")):
        if not path.resolve().is_relative_to(run.resolve()):
            raise DataError("is a link out of the folder", path)
        before = _files.get(path.parent.name)
        added = add_file(path)
        if before is not None and before.file is not None and before.file != path:
            _warn_of_other(before.name, before.file, path)
        if before is not None and (lost := [t for t in before.tasks if t.name not in {x.name for x in added.tasks}]):
            _register(replace(added, tasks=(*added.tasks, *lost)))


@cache
def _warn_of_other(name: str, earlier: Path, later: Path) -> None:
    """Warn, once, if two files of one benchmark differ."""
    if not earlier.is_file() or earlier.read_bytes() == later.read_bytes():
        return
    earlier_hash, later_hash = (hashlib.sha256(path.read_bytes()).hexdigest()[:12] for path in (earlier, later))
    log.warning(
        "%s: two benchmark files have this name: %s (sha256 %s) and %s (%s). Names, groups and metrics are those of the second; "
        "if they are no versions of one benchmark, rename one",
        name,
        earlier,
        earlier_hash,
        later,
        later_hash,
    )


def names_of_files() -> list[str]:
    """The names of the benchmarks that come from files of users."""
    return list(_files)


def forget_files() -> None:
    """Forget all benchmark files that this process has read."""
    _files.clear()
    _warn_of_other.cache_clear()
    _forget_tables()


def _register(benchmark: Benchmark) -> None:
    _files[benchmark.name] = benchmark
    _forget_tables()


def _forget_tables() -> None:
    for table in (BENCHMARKS, TASKS, _SHORT_NAMES, _SET_INDICES, _TASK_INDICES):
        table.forget()
    metric_rows.cache_clear()


def whole_name(name: str) -> str:
    """The name of the task with this short name, in any case; any other name is returned unchanged.

    >>> whole_name("SI"), whole_name("se"), whole_name("cider"), whole_name("c3")
    ('slot_identification', 'subsequent_event', 'cider', 'c3')
    """
    if name in TASKS or name in BENCHMARKS or name in groups():
        return name
    task = _SHORT_NAMES.get(name.lower())
    return task.name if task else name


def task_named(name: str) -> Task:
    """The task with this name or short name. Raises ConfigError, which lists the names."""
    if whole_name(name) not in TASKS:
        raise ConfigError(unknown("task", name, TASKS, "evalsuite tasks"))
    return TASKS[whole_name(name)]


def tasks_named(names: Iterable[str]) -> list[Task]:
    """The tasks with these names or short names. A benchmark's name means all its tasks, a group's those of its benchmarks.

    Raises ConfigError for an unknown name.

    >>> [t.name for t in tasks_named(["glucose", "EC"])]
    ['glucose_specific_statement', 'glucose_general_rule', 'event_cause']
    """
    tasks: dict[str, Task] = {}
    for name in map(whole_name, names):
        if name in BENCHMARKS or name in groups():
            benchmarks = groups()[name].benchmarks if name in groups() else (name,)
            tasks |= {t.name: t for benchmark in benchmarks for t in BENCHMARKS[benchmark].tasks}
        elif name in TASKS:
            tasks[name] = TASKS[name]
        else:
            raise ConfigError(
                unknown("task, benchmark or group", name, [*groups(), *BENCHMARKS, *TASKS], "evalsuite tasks")
            )
    return list(tasks.values())


def benchmark_of(task: str) -> Benchmark:
    """The benchmark of a task, by the task's name."""
    return BENCHMARKS[TASKS[task].benchmark]


def takes_shots(task: Task) -> bool:
    """Whether the task can be asked with shots: not probes, as in the paper, nor tasks of benchmarks without a training split."""
    return task.kind.written and bool(BENCHMARKS[task.benchmark].training)


def metric_named(name: str) -> Metric:
    """The row of a metric's name in results.json ("paper.bleu2" is BLEU-2 under the paper's profile), or a new row for an
    unknown name.

    >>> metric_named("paper.cider").maximum, metric_named("f1").heading, metric_named("accuracy").heading
    (10.0, 'f1 %', 'acc %')
    """
    rows, name = metric_rows(), name.removeprefix("rotation.")
    unprefixed = name.removeprefix("paper.")
    return rows.get(name) or rows.get(unprefixed) or Metric(unprefixed, unprefixed)


@cache
def metric_rows() -> dict[str, Metric]:
    """The rows of all metrics by name in results.json, in the order in which the page offers them."""
    texts = {row.stated_as or row.name: row for row in TEXT_METRICS.values()}
    return texts | METRICS | {row.name: row for t in TASKS.values() for row in t.own_metrics}


def set_order(item_set: str) -> tuple[int, str]:
    """Sort key of sets: the papers' order, then other sets by name."""
    return (_SET_INDICES.get(item_set, len(_SET_INDICES)), item_set)


def task_order(name: str) -> int:
    """Sort key of tasks: their order in TASKS."""
    return _TASK_INDICES[name]


# --- data


def open_corpus(benchmark: str, folder: Path, *, skip_bad: bool = False) -> Corpus:
    """Open a benchmark's data in `folder`. Raises DataError if there are none, ConfigError for an unknown benchmark."""
    if benchmark not in BENCHMARKS:
        raise ConfigError(unknown("benchmark", benchmark, BENCHMARKS))
    known = BENCHMARKS[benchmark]
    if known.sample and folder == bundled("sample"):  # the bundled sample folder holds the shipped benchmarks only
        folder = known.sample
    corpus: Corpus = known.loader(known, folder, skip_bad=skip_bad)
    return corpus


class Corpora:
    """The data of all benchmarks in one folder or in several: directly, or in subfolders with the benchmarks' names. A
    benchmark's data are opened on first use. A task is looked for in all folders, and its data may be in one of them only."""

    def __init__(self, folders: Path | Sequence[Path], *, skip_bad: bool = False) -> None:
        self.roots = (folders,) if isinstance(folders, Path) else tuple(dict.fromkeys(folders))
        self._skip_bad = skip_bad
        self._opened: dict[tuple[str, Path], Corpus] = {}
        self._owners: dict[str, Corpus] = {}  # task -> the corpus that has it

    @property
    def root(self) -> Path:
        """The first folder, which error messages name."""
        return self.roots[0]

    def all(self, benchmark: str) -> list[Corpus]:
        """The data of a benchmark in every folder that has some. Raises DataError if none has, or if a folder is not there."""
        corpora: list[Corpus] = []
        missing: DataError | None = None
        for folder in self.roots:
            try:
                corpora.append(self._open(benchmark, folder))
            except DataError as error:
                if not folder.is_dir():
                    raise
                missing = missing or error
        file = BENCHMARKS[benchmark].file
        if not corpora and file is not None:  # the data may lie beside the benchmark file
            with suppress(DataError):
                corpora.append(self._open(benchmark, file.parent))
        if not corpora:
            assert missing is not None
            others = "".join(f", nor in {folder}" for folder in self.roots[1:])
            raise DataError(f"{missing.message}{others}", missing.file) if others else missing
        return corpora

    def _open(self, benchmark: str, folder: Path) -> Corpus:
        if (benchmark, folder) not in self._opened:
            self._opened[benchmark, folder] = open_corpus(benchmark, folder, skip_bad=self._skip_bad)
        return self._opened[benchmark, folder]

    def has_some(self, benchmark: str) -> bool:
        """Whether any folder has data of a benchmark."""
        try:
            return bool(self.all(benchmark))
        except DataError:
            return False

    def of(self, task: Task) -> Corpus:
        """The data with a task; if none have it, the first data of its benchmark. Raises DataError if two folders have it."""
        if task.name not in self._owners:
            every = self.all(task.benchmark)
            having = [c for c in every if len(every) == 1 or c.holds(task)]
            if len(having) > 1:
                raise DataError(
                    f"{task.name} is in {having[1].root}, too: a task is asked from one folder; name --tasks that are in one "
                    "of them only, or leave one --data out",
                    having[0].root,
                )
            self._owners[task.name] = (having or every)[0]
        return self._owners[task.name]

    def files(self, benchmark: str, split: str) -> list[tuple[Task, str]]:
        """(task, set) of every file of the split, in the paper's order."""
        every = self.all(benchmark)
        if len(every) == 1:
            return every[0].files(split)
        return [(t, s) for t in BENCHMARKS[benchmark].tasks for c in every for s in c.sets if c.has(t, s, split)]

    def path(self, task: Task, set: str, split: str) -> Path:
        return self.of(task).path(task, set, split)

    def has(self, task: Task, set: str, split: str) -> bool:
        return self.of(task).has(task, set, split)

    def file(self, task: Task, set: str, split: str) -> File:
        return self.of(task).file(task, set, split)

    def reworded(self, task: Task, set: str, split: str, wording: str) -> File:
        return self.of(task).reworded(task, set, split, wording)

    def given(self, task: Task, set: str, wording: str) -> Mapping[str, str]:
        return self.of(task).given(task, set, wording)

    def training(self, task: Task, set: str, wording: str = "") -> tuple[Item, ...] | None:
        """The items from which shots are drawn, as a wording asks them; None if the data have no training split."""
        split = self.of(task).benchmark.training
        if not split or not self.has(task, set, split):
            return None
        return (self.reworded(task, set, split, wording) if wording else self.file(task, set, split)).items

    def labelled(self, task: str, set: str) -> tuple[Item, ...]:
        return self.of(TASKS[task]).labelled(task, set)
