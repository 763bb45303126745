"""The tests of `evalsuite contamination` beside a run's scores (docs/contamination.md): contamination.json in the run's folder,
whose rows results.json repeats. The words of the tables accuse nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from evalsuite.analyses.value_columns import MODEL, Columns, headings, row_of
from evalsuite.benchmarks.registry import TASKS, benchmark_of, metric_named, set_order, task_order
from evalsuite.common.errors import ConfigError
from evalsuite.common.files import replace_file
from evalsuite.common.finite import finite_json
from evalsuite.common.grouping import by_key
from evalsuite.common.jsonl import first_fault
from evalsuite.common.numbers import fixed, p_words
from evalsuite.common.plainfile import read_json
from evalsuite.common.sheet import Column, Row, Sheet, Text
from evalsuite.common.yamltext import packaged_yaml
from evalsuite.results.analysis import Analysis, Results, ScoredRun
from evalsuite.results.schema.base import Count, Located, Name, Number, Rows, Set, Share, Split, Strict
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.words import estimate_flags, set_name, split_words, task_and_set, titled

NAME = "contamination.json"
ORDER = ("order", "options", "mink", "names", "completion", "guided")  # the order of the tests in tables
LEVEL = 0.05  # corrected p below which a test is a sign that a file was read


class ReferenceResult(Strict):
    """The reference model alone, on the same texts."""

    name: Name
    fingerprint: str
    value: Number
    p: Share | None = Field(
        description="p of the same test: small where texts favour the published form for any model."
    )


class ExposureTest(Located):
    """One test of one model on one file: does the model favour the published texts more than one that never saw them would?"""

    model: Name
    fingerprint: str
    task: Name = Field(description="A name of `evalsuite tasks`; of a package that is not installed, too.")
    set: Set
    split: Split
    test: Literal["order", "options", "mink", "names", "completion", "guided"]
    form: Literal["raw", "prompt"] = Field(description="The file's own lines, or our prompt and the right reply.")
    n: Count = Field(description="Entries or items of the file that were tested.")
    left_out: Count = Field(
        description="Entries or items that do not fit the context, were not drawn or have nothing to compare."
    )
    units: Count = Field(description="Shards, items or dialogues that the test takes as independent.")
    tokens: Count = Field(description="Tokens that the model scored.")
    value: Number = Field(
        description="For the published form: share of other orders that are less likely, mean score, or "
        "overlap; less the reference's, of scores."
    )
    expected: Number = Field(
        description="The value expected of a model that has seen nothing: one half, or the control items'."
    )
    figures: dict[str, Number] = Field(description="Further figures of the test (docs/contamination.md).")
    checks: dict[str, Share] = Field(
        description="What could tell published from other forms without a model -> p-value."
    )
    p: Share | None = Field(description="One-sided p; null where it would mean nothing.")
    why: str = Field(description="Why there is no p-value; empty if there is one.")
    reference: ReferenceResult | None
    listed: Rows[str] = Field(description="Items whose second half the model wrote nearly exactly, for reading.")
    p_holm: Share | None = Field(description="p, corrected by Holm over all tests of the model in this file.")

    @property
    def file(self) -> tuple[str, str, str]:
        """Task, set and split."""
        return self.task, self.set, self.split

    @property
    def is_sign(self) -> bool:
        """Whether the result is a sign that the model read the file: the corrected p is below LEVEL."""
        return self.p_holm is not None and self.p_holm < LEVEL


class _File(Strict):
    """contamination.json."""

    format: Literal[1]
    rows: Rows[ExposureTest]


def read_rows(out: Path) -> list[ExposureTest]:
    """The rows of a run's folder; [] if nothing was tested. Raises ConfigError for a file that is not evalsuite's."""
    if not (out / NAME).is_file():
        return []
    try:
        return _File.model_validate(read_json(out, NAME)).rows
    except ValidationError as error:
        raise ConfigError(f"{first_fault(error, out / NAME)}: not a file of evalsuite") from None


def keep_rows(out: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows into the folder's contamination.json. They replace rows of the same model, file, test and form, and all rows of
    another model with the same name. p-values are corrected over all rows of a model (Holm).

    The caller holds the folder's lock.
    """
    from evalsuite.metrics.statistics import holm

    new = [ExposureTest.model_validate({**row, "p_holm": None}) for row in rows]
    prints = {row.model: row.fingerprint for row in new}
    old = [row for row in read_rows(out) if prints.get(row.model) in (None, row.fingerprint)]
    by_test = {(row.model, *row.file, row.test, row.form): row for row in (*old, *new)}
    every = sorted(by_test.values(), key=_order)
    corrected: dict[int, float] = {}
    for model in {row.model for row in every}:
        corrected |= holm({n: row.p for n, row in enumerate(every) if row.model == model and row.p is not None})
    written = [row.model_copy(update={"p_holm": corrected.get(n)}).written() for n, row in enumerate(every)]
    path = out / NAME
    replace_file(path, finite_json({"format": 1, "rows": written}, path, indent=1) + "\n")


def _order(row: ExposureTest) -> tuple[Any, ...]:
    """A key that sorts rows by model, file, test and form; tasks that are not installed come last."""
    task = task_order(row.task) if row.task in TASKS else len(TASKS)
    return row.model, task, row.task, set_order(row.set), row.split, ORDER.index(row.test), row.form


def compute(run: ScoredRun) -> list[ExposureTest] | None:
    """The rows of the run's folder, of the tasks that are installed; None without any."""
    rows = read_rows(run.out) if run.out else []
    return [row for row in rows if row.task in TASKS] or None


# --- tables

_LEGEND = Text(
    "p：若模型从未见过此文件，检验统计量至少如此之大的概率（单侧）；校正后 p：对该模型的所有检验作 Holm 校正，低于 0.05 才称为迹象。迹象只说明与“从未读过”不符，"
    "不说明怎样读到、是否有意，也不说明分数因此高了多少。若对照条目也被读过，则看不出差别",
    "p: how probable so large a statistic is if the model never saw the file, one-sided; corrected: by Holm over all "
    "tests of the model, below 0.05 it is called a sign. A sign says that 'never read' does not fit; it does not say "
    "how the text was read, nor that anyone meant it, nor by how much a score is higher for it. Where control items "
    "were read, too, there is no difference to see",
)


@cache
def _words(part: str) -> dict[str, Text]:
    """The texts of a part of contamination.yaml, by name."""
    return {name: Text(*both) for name, both in packaged_yaml("analyses/contamination.yaml")[part].items()}


def sheets(results: Results) -> Iterator[Sheet]:
    """The tests of a run, each beside the model's score on the file; no sheets without tests."""
    cells = sorted(results.cells, key=lambda cell: cell.is_estimate)  # complete cells before estimates
    scores = by_key(((c.model, *map(str, (c.task, c.set, c.split))), c) for c in cells if c.perturb == "none")
    yield from row_sheets(results.of(ANALYSIS) or [], scores)


def row_sheets(
    rows: Sequence[ExposureTest], scores: Mapping[tuple[str, ...], Sequence[CellResult]] | None = None
) -> Iterator[Sheet]:
    """The sheet of rows of contamination.json, without tasks of packages that are not installed.

    scores: (model, task, set, split) -> cells, of which the first is shown.
    """
    rows = [row for row in rows if row.task in TASKS]
    if not rows:
        return
    columns: Columns[ExposureTest] = (
        MODEL,
        (Column(Text("检验", "test"), key=True), _test_name),
        (Column("n", kind="count"), lambda row: row.n),
        (Column(Text("已发布", "published"), align="right"), lambda row: _number(row, row.value)),
        (Column(Text("对照", "control"), align="right"), lambda row: _number(row, row.expected)),
        (Column("p", align="right"), lambda row: _p(row.p)),
        (Column(Text("校正后 p", "corrected"), align="right"), lambda row: _p(row.p_holm)),
        (Column(Text("得分", "score"), align="right"), lambda row: _score((scores or {}).get((row.model, *row.file)))),
        (Column(Text("结论", "seen")), _verdict),
    )
    lines: list[Row] = []
    for (task, item_set, split), tests in by_key((row.file, row) for row in rows).items():
        heading = Text(
            f"{TASKS[task].zh} {set_name(benchmark_of(task), item_set).zh} {split_words(split).zh}",
            f"{TASKS[task].short} {item_set} {split}",
        )
        lines.append(Row((heading, *(None for _ in columns[1:])), "group"))
        lines += [row_of(columns, row, row.coordinates()) for row in tests]
    yield Sheet(
        "contamination",
        Text("读过测试数据的迹象，按文件列出", "Signs of having been read, file by file"),
        headings(columns),
        tuple(lines),
        (*_sentences(rows), *_references(rows), _LEGEND),
    )


def _test_name(row: ExposureTest) -> Text:
    form = _form(row)
    return titled(_words("tests")["minkpp" if row.figures.get("minkpp") is not None else row.test], form.zh, form.en)


def _form(row: ExposureTest) -> Text:
    """The words " prompt" for a likelihood test (mink) of items in our prompt, which stands beside one of raw lines; "" else."""
    in_prompt = row.form == "prompt" and row.test == "mink"
    return Text(" 提示词", " prompt") if in_prompt else Text("", "")


def _number(row: ExposureTest, value: float | None) -> str:
    if value is None:
        return "–"
    if row.test in ("mink", "names"):
        return fixed(value, 3)
    return f"{fixed(100 * value, 1)} %"


def _p(value: float | None) -> str:
    return "–" if value is None else p_words(value)


def _score(asked: Sequence[CellResult] | None) -> str | None:
    """The headline of the first cell; with its way where a model was asked in several."""
    if not asked:
        return None
    cell = asked[0]
    way = [cell.way] if len({other.way for other in asked}) > 1 else []
    metric = metric_named(TASKS[cell.task].metrics[0])
    value = cell.headline.value
    figure = "–" if value is None else fixed(100 * value, 1) if metric.percent else fixed(value, 2)
    return " ".join([metric.heading.removesuffix(" %"), figure, *estimate_flags(cell), *way])


def _verdict(row: ExposureTest) -> Text:
    """The result in a word or two: a sign, no sign, or the reason why there is no p-value."""
    if row.p is None:
        return _words("short_reasons").get(row.why, Text(row.why, row.why))
    return Text("有迹象", "a sign") if row.is_sign else Text("未见迹象", "no sign")


def _sentences(rows: Sequence[ExposureTest]) -> Iterator[Text]:
    """Sentences on signs of contamination, on the reasons for tests without a p-value, and on the meaning of "no sign"."""
    for row in rows:
        words, form = _words("signs")[row.test], _form(row)
        task = task_and_set(TASKS[row.task], row.set)
        zh = f"{row.model}，{task.zh} {row.split}{form.zh and '（按提示词的形式）'}"
        en = f"{row.model}, {task.en} {row.split}{form.en and ', in our' + form.en}"
        near = int(row.figures.get("near") or 0)
        if row.is_sign:
            p = _p(row.p_holm)
            share, equals = _number(row, row.value), "" if p.startswith("<") else "= "
            yield Text(
                f"{zh}：{words.zh.format(share=share)}，这种结果不大可能出现（校正后 p {equals}{p}）",
                f"{en}: {words.en.format(share=share, unlikely=f'unlikely (corrected p {equals}{p})')}",
            )
        if near:
            near_control, n = int(row.figures.get("near control") or 0), row.n
            yield Text(
                f"{zh}：{n} 条中有 {near} 条续写与原文几乎逐字相同（对照中 {near_control} 条）；原文列在 contamination.json 中，请自行核对",
                f"{en}: {near} of {n} second halves are written nearly word for word ({near_control} of the control "
                "items'); contamination.json lists them, for reading",
            )
    reasons = _words("reasons")
    yield from (reasons[why] for why in dict.fromkeys(row.why for row in rows if row.p is None) if why in reasons)
    if any(row.p is not None and not row.is_sign for row in rows):
        yield Text("未见迹象，不等于没有读过", "no sign does not prove that a file was never read")


def _references(rows: Sequence[ExposureTest]) -> list[Text]:
    """A note on each reference model: in how many of its own tests it favours the published form, too."""
    notes = []
    for name in dict.fromkeys(row.reference.name for row in rows if row.reference):
        p_values = [row.reference.p for row in rows if row.reference and row.reference.name == name]
        known = [p for p in p_values if p is not None]
        small = sum(p < LEVEL for p in known)
        notes.append(
            Text(
                f"检验的是与 {name} 之差；{name} 单独的 {len(known)} 个检验中有 {small} 个 p < 0.05",
                f"tested is the difference from {name}; of its own {len(known)} tests {small} have p < 0.05",
            )
        )
    return notes


ANALYSIS = Analysis(
    "contamination", sheets, list[ExposureTest], compute, help="Signs that a model read the test data.", estimates=True
)
