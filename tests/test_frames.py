"""`evalsuite.load`: frames equal what results.json and the records say, in every library that is installed."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from everything import change, everything
from run_files import read_jsonl, results_json
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.analyses.saved import load_results, results_file
from evalsuite.analyses.table import sheets
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.sheet import Text, Value, english
from evalsuite.frames import libraries
from evalsuite.frames.libraries import LIBRARIES
from evalsuite.frames.replies import replies
from evalsuite.frames.run import Run, table_named
from evalsuite.frames.tables import _tables, tables
from evalsuite.results.schema.base import IntervalFields, Strict
from evalsuite.types import PLACE

pytestmark = pytest.mark.slow


folder = shared_folder(everything, "folder")


@pytest.fixture(params=[
    pytest.param(name, marks=pytest.mark.skipif(find_spec(module) is None, reason=f"{module} is not installed: make test-frames"))
    for name, module in LIBRARIES.items()
])  # fmt: skip
def library(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def run_copy(folder: Path, tmp_path: Path) -> Path:
    """A copy of the run, to change."""
    return Path(shutil.copytree(folder, tmp_path / "run", ignore=shutil.ignore_patterns("store*", "page")))


def rows(frame: Any) -> list[dict[str, Any]]:
    """The rows of a frame of any library, as plain Python values."""
    if hasattr(frame, "to_pylist"):
        return list(frame.to_pylist())
    if hasattr(frame, "to_dicts"):
        return list(frame.to_dicts())
    import pandas as pd

    def plain(value: Any) -> Any:
        missing = not isinstance(value, list) and pd.isna(value)
        return None if missing else value.item() if hasattr(value, "item") else value

    return [{key: plain(value) for key, value in row.items()} for row in frame.to_dict("records")]


def place(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in PLACE)


def test_cells_equal_results_json(folder: Path, library: str) -> None:
    found = {(place(row), row["metric"]): row for row in rows(evalsuite.load(folder, library).cells)}
    cells = results_json(folder)["cells"]
    assert len(found) == sum(len(cell["metrics"]) for cell in cells) > 500
    for cell in cells:
        for name, metric in cell["metrics"].items():
            row = found[place(cell), name]
            assert {key: row[key] for key in ("value", "low", "high", "n")} == {
                key: metric.get(key) for key in ("value", "low", "high", "n")
            }
            assert (row["wilson_low"], row["wilson_high"]) == tuple(metric.get("wilson") or (None, None))
            assert row["status_parsed"] == cell["status"].get("parsed", 0)
            assert row["status_failed"] == cell["status"].get("failed", 0)
            facts = cell["facts"]
            assert (row["facts_seed"], row["facts_data"], row["facts_limit"]) == (
                facts["seed"], facts["data"], facts["limit"],
            )  # fmt: skip
            assert row["facts_trained_size"] == facts.get("trained", {}).get("size")
            assert json.loads(row["facts_sampling"]) == facts["sampling"]
            assert row["tokens_mean"] == cell.get("tokens", {}).get("mean")
            assert row["facts_tags"] == facts["tags"]
        headline = [name for name in cell["metrics"] if found[place(cell), name]["headline"]]
        assert headline == [TASKS[cell["task"]].metrics[0]]


def test_records_equal_their_files(folder: Path, library: str) -> None:
    run = evalsuite.load(folder, library)
    found = iter(rows(run.table("records", ["all"])))
    statuses = set()
    for cell in results_json(folder)["cells"]:
        for record in read_jsonl(folder / cell["records"]):
            row, answer = next(found), record["answer"]
            assert place(row) == place(cell)
            for key in ("item", "reply", "gold", "new_tokens", "error", "prompt", "dialogue", "options", "reasoning"):
                assert row[key] == record[key], key
            assert (row["answer_status"], row["answer_choice"]) == (answer["status"], answer["choice"])
            assert row["examples"] == record["shots"]
            turns = record["messages"]
            assert row["messages_content"] == (turns and [turn["content"] for turn in turns])
            for metric in ("accuracy", "f1", "em"):
                assert row[f"scores_{metric}"] == record["scores"].get(metric)
            if record["gold"] and answer["choice"] is not None:
                assert (row["chosen"] == record["gold"]) == (record["scores"]["accuracy"] == 1)
            statuses.add(row["answer_status"])
    assert next(found, None) is None
    assert {"parsed", "refused", "failed", "conflict"} <= statuses


def test_long_texts_are_read_if_named(folder: Path) -> None:
    run = evalsuite.load(folder)
    light = rows(run.records)[0]
    assert "reply" in light and not {"prompt", "dialogue", "messages_content", "options"} & light.keys()
    assert [*rows(run.table("records", ["prompt", "item"]))[0]] == ["run", "item", "prompt"]


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    elif isinstance(value, str) and value[:1] in ("{", "["):  # an object of any form, as text
        yield from leaves(json.loads(value))
    else:
        yield value


def test_every_figure_of_the_file_is_in_a_table(folder: Path, library: str) -> None:
    run = evalsuite.load(folder, library)
    content = results_json(folder)
    for section in content.keys() - {"format", "evalsuite", "reading"}:
        shown = {
            x
            for name in tables()
            if name.startswith(section) or name == "tokens"
            for x in leaves(rows(run.table(name)))
        }
        wanted = {x for x in leaves(content[section]) if isinstance(x, (float, str))}
        assert wanted <= shown, section


def test_rows_within_rows_have_tables(folder: Path) -> None:
    run, content = evalsuite.load(folder), results_json(folder)
    bins = rows(run.breakdowns)
    wanted = [
        (place(row), by, bin["low"], bin["high"], bin["n"], bin["value"], *(bin["interval"] or (None, None)))
        for row in content["breakdowns"]
        for by in ("turns", "distance", "options", "answers")
        for bin in row.get(by) or ()
    ]
    names = ("by", "low", "high", "n", "value", "interval_low", "interval_high")
    assert sorted(map(str, wanted)) == sorted(str((place(row), *(row[key] for key in names))) for row in bins)
    wordings = {
        (row["model"], row["task"], row["set"], row["variant"]): row["value"] for row in rows(run.robustness_wordings)
    }
    for row in content["robustness"]["wordings"]:
        for variant, value in row["values"].items():
            assert wordings[row["model"], row["task"], row["set"], variant] == value
    shots = rows(run.robustness_shots)
    assert {row["shots"] for row in shots} == {0, 2}
    seeds = [(point["size"], seed["seed"], seed["value"]) for curve in content["learning"] for point in curve["points"] for seed in point["seeds"]]  # fmt: skip
    assert seeds and seeds == [(row["size"], row["seed"], row["value"]) for row in rows(run.learning_points_seeds)]
    assert run.robustness.equals(run.robustness_drops) and len(run.robustness) == len(content["robustness"]["drops"])


class Section(Strict):
    """A section that the schema may get."""

    model: str
    value: float | None
    price: IntervalFields | None = None
    figures: dict[str, float | None]
    checks: dict[str, float]
    metrics: dict[str, IntervalFields]


class File(Strict):
    tested: list[Section]


def test_a_new_section_becomes_a_table() -> None:
    made = {table.name: table for table in _tables(File, "", "", ())}
    one = {"value": 1.0, "low": 0.5, "high": None}
    content = {"tested": [
        {"model": "甲", "value": 0.5, "figures": {"a": 1.0, "b": None}, "checks": {"c": 0.1}, "metrics": {"f1": one}},
        {"model": "乙", "value": None, "price": one, "figures": {}, "checks": {}, "metrics": {}},
    ]}  # fmt: skip
    found = {
        name: [dict(zip([c.name for c in t.columns], row, strict=True)) for row in t.rows(content)]
        for name, t in made.items()
    }
    shared = {"price_value": None, "price_low": None, "price_high": None, "tested_value": 0.5}
    assert found == {
        "tested": [
            {"model": "甲", "metric": "f1", **one, **shared},
            {"model": "乙", "metric": None, "value": None, "low": None, "high": None,
             "price_value": 1.0, "price_low": 0.5, "price_high": None, "tested_value": None},
        ],
        "tested_figures": [{"model": "甲", "name": "a", "value": 1.0}, {"model": "甲", "name": "b", "value": None}],
        "tested_checks": [{"model": "甲", "name": "c", "value": 0.1}],
    }  # fmt: skip


def test_types_do_not_depend_on_rows(folder: Path, run_copy: Path, library: str) -> None:
    def empty(results: dict[str, Any]) -> None:
        for key, value in results.items():
            if isinstance(value, list):
                results[key] = []
        results["robustness"] = {key: [] for key in results["robustness"]}
        del results["judged"]

    change(run_copy, empty)
    full, bare = (evalsuite.load(path, library) for path in (folder, run_copy))
    for name in full.tables:
        one, other = full.table(name), bare.table(name)
        assert len(other) == 0
        types = (lambda frame: frame.schema) if library != "pandas" else (lambda frame: list(frame.dtypes.items()))
        assert types(one) == types(other), name


def test_columns_of_pandas_have_their_types(folder: Path) -> None:
    pytest.importorskip("pandas")
    cells = evalsuite.load(folder, "pandas").cells
    kinds = {"value": "float64", "low": "float64", "n": "Int64", "items": "int64", "shots": "int64", "model": "string",
             "facts_chat": "boolean", "headline": "bool", "facts_limit": "Int64", "facts_tags": "object"}  # fmt: skip
    assert {name: str(cells.dtypes[name]) for name in kinds} == kinds
    means = cells[cells.headline & (cells.perturb == "none")].groupby("model").value.mean()
    mine = [c["metrics"][TASKS[c["task"]].metrics[0]]["value"] for c in results_json(folder)["cells"] if c["model"] == "oracle" and c["perturb"] == "none"]  # fmt: skip
    assert math.isclose(means["oracle"], sum(mine) / len(mine))


def test_several_runs_are_one_frame(folder: Path, run_copy: Path, library: str) -> None:
    one, both = (evalsuite.load(paths, library) for paths in (folder, [folder, run_copy]))
    found = rows(both.cells)
    assert len(found) == 2 * len(rows(one.cells))
    names = list(dict.fromkeys(row["run"] for row in found))
    assert len(names) == 2 and all(name.endswith("/run") for name in names)
    strip = [{key: value for key, value in row.items() if key != "run"} for row in found]
    assert strip[: len(strip) // 2] == strip[len(strip) // 2 :]


def test_records_come_in_batches(folder: Path, library: str) -> None:
    run = evalsuite.load(folder, library)
    parts = list(run.batches("records", size=60))
    assert [len(part) for part in parts[:-1]] == [60] * (len(parts) - 1) and len(parts) > 5
    assert [row for part in parts for row in rows(part)] == rows(run.records)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("model", "半个字\ud83d"),
        ("items", "five"),
        ("items", 2**64),
        ("metrics", [1]),
        ("status", [1]),
        ("facts", "none"),
    ],
)
def test_a_changed_file_is_named(run_copy: Path, library: str, key: str, value: Any) -> None:
    change(run_copy, lambda results: results["cells"][0].update({key: value}))
    with pytest.raises((DataError, ConfigError), match=str(run_copy)):
        _ = evalsuite.load(run_copy, library).cells


def test_frames_of_ranks_equal_the_shown_tables(folder: Path, library: str) -> None:
    """Ranks are computed when they are shown: the frame has what the terminal and the CSV file show."""
    found = rows(evalsuite.load(folder, library).drawn("ranks"))
    mean = {(row["sheet"], row["row"]): row["value"] for row in found if row["column"].startswith("mean")}
    wanted = {}
    for sheet in sheets(load_results(folder), ["ranks"]):
        (at,) = (i for i, column in enumerate(sheet.columns) if english(column.heading).startswith("mean"))
        for row in sheet.rows:
            cell = row.cells[at]
            # Words, such as "incomplete", are no value.
            wanted[english(sheet.title), english(row.cells[0])] = (
                None if isinstance(cell, Text) else cell.value if isinstance(cell, Value) else cell
            )
    assert mean == wanted and len(mean) >= 4
    changes = [row for row in rows(evalsuite.load(folder, library).drawn("robustness")) if row["perturb"] == "shuffle"]
    drops = [row for row in results_json(folder)["robustness"]["drops"] if row["perturb"] == "shuffle"]
    assert sorted(row["value"] for row in changes if row["value"] is not None) == sorted(row["value"] for row in drops)
    assert all(row["remarks"] for row in changes)
    with pytest.raises(ConfigError, match="Did you mean 'ranks'"):
        evalsuite.load(folder, library).drawn("rank")


def test_tables_are_attributes_and_typos_get_a_suggestion(folder: Path) -> None:
    run = evalsuite.load(folder)
    assert not {*run.tables} & {*dir(Run)} - {"cells", "records"}
    assert {"cells", "records", "tokens", "robustness_drops"} <= {*dir(run)}
    sections = {name.split("_")[0] for name in tables()}
    assert {name.split("_")[0] for name in results_file().model_fields} - {"format", "evalsuite", "reading"} <= sections
    with pytest.raises(AttributeError, match="Did you mean 'robustness_drops'"):
        _ = run.robustness_drop
    with pytest.raises(ConfigError, match="Did you mean 'reply'"):
        run.table("records", ["repl"])
    with pytest.raises(ConfigError, match="Did you mean 'value'"):
        run.table("cells", ["valu"])


def test_a_section_is_its_first_table_with_numbers() -> None:
    """The first table within it has none: whole numbers, and names."""
    first = next(name for name in tables() if name.startswith("memory_independent_"))
    assert (
        first == "memory_independent_knowledge"
        and table_named("memory_independent").name == "memory_independent_models"
    )


def test_columns_have_a_meaning() -> None:
    """Names alone do not tell what a number is. A few of the judges' controls are told in docs/judge.md."""
    whole = {name: t.columns for name, t in tables().items()} | {name: t.columns for name, t in replies().items()}
    for name, columns in whole.items():
        assert len({column.name for column in columns}) == len(columns), name
        if not name.startswith(("judged", "groups")):
            assert [column.name for column in columns if not column.meaning] == [], name


def test_without_a_library_the_message_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install pandas"):
        evalsuite.load(folder)
    with pytest.raises(ConfigError, match=r"pip install 'polars'"):
        evalsuite.load(folder, "polars")
    with pytest.raises(ConfigError, match="unknown library of frames 'spark'"):
        evalsuite.load(folder, "spark")


def test_the_first_that_is_installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "find_spec", lambda name: None if name == "pandas" else name)
    assert evalsuite.load(folder).library == "polars"


def test_nothing_else_is_loaded(folder: Path, library: str) -> None:
    code = f"import sys, evalsuite; evalsuite.load({str(folder)!r}, {library!r}).cells; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    others = {"torch", "transformers", "vllm", *LIBRARIES.values()} - {LIBRARIES[library]}
    if library != "polars":
        others -= {"pyarrow", "pandas"}  # each of the two imports the other where it is installed
    assert not others & {*done.stdout.split()}


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no results\.json"):
        evalsuite.load(tmp_path)
    with pytest.raises(ConfigError, match="no run"):
        evalsuite.load([])
    with pytest.raises(ConfigError, match="is named twice"):
        evalsuite.load([tmp_path, str(tmp_path)])
