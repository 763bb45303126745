"""`evalsuite export RUN`: files, a model's card, trackers. What is read back equals results.json and the records."""

from __future__ import annotations

import json
import platform
import re
import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from everything import change, everything
from needs import needs, needs_frames_venv
from run_files import results_json
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.analyses.saved import load_results
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import ConfigError
from evalsuite.common.secrets import keep_secret
from evalsuite.exchange.publish import logged as log
from evalsuite.exchange.publish.trackers import _artifact, _final_state
from evalsuite.frames import libraries
from evalsuite.frames.run import described

pytestmark = pytest.mark.slow
OTHER_DATA = "0" * 64  # the hash of no file of the sample


made = shared_folder(everything, "made")


@pytest.fixture(scope="module")
def folder(made: Path) -> Path:
    """A run of all items: without --limit, and with official data."""

    def make_official(results: dict[str, Any]) -> None:
        for cell in results["cells"]:
            cell["facts"] |= {"limit": None, "data": OTHER_DATA}

    change(made, make_official)
    return made


@pytest.fixture
def run_copy(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "run", ignore=shutil.ignore_patterns("store*", "page")))


def cells(run: Path) -> list[dict[str, Any]]:
    content: dict[str, Any] = results_json(run)
    return list(content["cells"])


# --- files


@pytest.mark.parametrize("to", ["parquet", "arrow"])
def test_files_read_back(folder: Path, tmp_path: Path, to: str) -> None:
    needs_frames_venv("pyarrow")
    from pyarrow import feather, parquet

    run, out = evalsuite.load(folder, "arrow"), tmp_path / "out"
    done = evalsuite.export_results(to, folder, out)
    written = {path.stem: path for path in out.iterdir()}
    assert len(done.lines) == len(written) and {"cells", "records", "judged_records", "robustness_drops"} <= {*written}
    for name in run.tables:
        whole = run.table(name, ["all"])
        assert (name in written) == (len(whole) > 0)
        if name in written:
            back = parquet.read_table(written[name]) if to == "parquet" else feather.read_table(written[name])
            assert back.equals(whole) and back.schema.names == [column.name for column in described(name, ["all"])]
            assert back.schema.metadata[b"table"].decode() == name
            assert back.schema.metadata[b"meaning"]
            for column in described(name, ["all"]):
                assert (back.schema.field(column.name).metadata or {}).get(b"meaning", b"").decode() == column.meaning
    if to == "parquet":
        footer = parquet.read_metadata(written["records"])
        assert {footer.row_group(0).column(i).compression for i in range(footer.num_columns)} == {"ZSTD"}


def test_duckdb_reads_the_files(folder: Path, tmp_path: Path) -> None:
    needs_frames_venv("pyarrow", "duckdb")
    import duckdb

    evalsuite.export_results("parquet", [folder], tmp_path / "out")
    asked = f"""select c.model, c.task, c.value, avg(r.scores_f1) from '{tmp_path}/out/cells.parquet' c
        join '{tmp_path}/out/records.parquet' r using (run, model, task, "set", split, variant, shots, scoring, perturb)
        where c.task = 'conflict_detection' and c.metric = 'f1' and r.answer_status != 'failed' group by all"""
    found = duckdb.sql(asked).fetchall()
    assert len(found) >= 5 and all(abs(value - mean) < 1e-9 for model, _, value, mean in found if model != "lexical")


def test_folders_are_not_overwritten(folder: Path, tmp_path: Path) -> None:
    needs_frames_venv("pyarrow")
    (tmp_path / "mine").write_text("x")
    with pytest.raises(ConfigError, match="exists already"):
        evalsuite.export_results("parquet", folder, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


# --- a model's card


def test_a_card_has_the_metrics_of_each_way_of_asking(folder: Path) -> None:
    needs("hf", "huggingface_hub")
    from huggingface_hub import ModelCard
    from huggingface_hub.repocard_data import eval_results_to_model_index

    done = evalsuite.export_results("hf-card", folder, model="oracle", source="https://example.org/page")
    card = ModelCard(f"---\n{done.lines[0]}\n---\n# A model\n")
    found = card.data.eval_results
    assert card.data.model_name == "oracle"
    # The Hub's own writer joins what it takes for one evaluation: ours keeps apart what was asked differently.
    assert eval_results_to_model_index("oracle", found) == yaml.safe_load(done.lines[0])["model-index"]
    values = {
        (result.dataset_config, result.metric_type): (
            result.metric_value,
            result.dataset_revision,
            result.metric_args["n"],
        )
        for result in found
    }
    wanted = {}
    for cell in cells(folder):
        if cell["model"] == "oracle" and cell["perturb"] == "none":
            for name in TASKS[cell["task"]].metrics:
                figure = cell["metrics"][name]
                config = f"{cell['set']}/{cell['task']}/{cell['variant']}/{cell['shots']}-shot"
                wanted[config, name] = (round(figure["value"], 4), OTHER_DATA, figure["n"])
    # 2 sets: 4 tasks, 2 of them in another wording and with shots.
    assert values == wanted and len({config for config, _ in values}) == 16
    assert {(result.dataset_type, result.dataset_split, result.source_url) for result in found} == {
        ("corecode", "test", "https://example.org/page")
    }


def test_a_card_says_that_the_data_are_a_sample(run_copy: Path) -> None:
    sample = cells(everything_data(run_copy))[0]
    (index,) = yaml.safe_load(evalsuite.export_results("hf-card", run_copy, model="oracle").lines[0])["model-index"]
    names = {
        (result["dataset"]["type"], "not the benchmark" in result["dataset"]["name"]) for result in index["results"]
    }
    assert sample["facts"]["data"] != OTHER_DATA and names == {("corecode-sample", True)}


def everything_data(run: Path) -> Path:
    """The run, with the hash of one of the sample's files as the data of all its cells."""
    from evalsuite.exchange.publish.hf_card import _sample_files

    one = min(_sample_files())
    change(run, lambda results: [cell["facts"].update(data=one) for cell in results["cells"]])
    return run


PARTS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "missing": (lambda cell: cell.update(missing=2), "2 of 5 requests not asked yet"),
    "failed": (lambda cell: cell["status"].update(failed=1), "1 of 5 requests failed"),
    "limit": (lambda cell: cell["facts"].update(limit=5), "only the first 5 items"),
    "skipped": (lambda cell: cell["facts"].update(skipped_lines=3), "3 broken lines"),
    "estimate": (lambda cell: cell.update(estimate={"method": "subset", "asked": 9, "of": 19}), "an estimate"),
}


@pytest.mark.parametrize("part", PARTS)
def test_a_card_states_whole_figures_only(run_copy: Path, part: str) -> None:
    how, why = PARTS[part]
    mine = [c for c in cells(run_copy) if c["model"] == "oracle" and c["perturb"] == "none"]
    change(run_copy, lambda results: how(next(c for c in results["cells"] if c["model"] == "oracle" and c["perturb"] == "none")))  # fmt: skip
    done = evalsuite.export_results("hf-card", run_copy, model="oracle")
    (index,) = yaml.safe_load(done.lines[0])["model-index"]
    assert len(index["results"]) == len(mine) - 1
    assert len(done.remarks) == 1 and why in done.remarks[0]
    change(run_copy, lambda results: [how(cell) for cell in results["cells"]])
    with pytest.raises(ConfigError, match=why):
        evalsuite.export_results("hf-card", run_copy, model="oracle")


def test_the_reason_for_no_card_is_in_chinese(run_copy: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several reasons were joined, and all but the ends left in English."""
    change(run_copy, lambda results: [cell["facts"].update(limit=6) for cell in results["cells"]])
    monkeypatch.setenv("EVALSUITE_LANG", "zh")
    stderr = cli("export", run_copy, "--to", "hf-card", "--model", "oracle", expect=2).stderr
    assert "只有前 6 题（--limit）" in stderr and "items" not in stderr.replace("--items", "")


# --- trackers


@pytest.fixture
def key_in_settings(run_copy: Path) -> str:
    """A key of this process, which stands in a setting of the run."""
    key = "sk-test-0123456789abcdef"
    keep_secret(key)
    change(
        run_copy,
        lambda results: [c["facts"].update(sampling={"temperature": 0.5, "user": key}) for c in results["cells"]],
    )
    return key


def test_what_is_logged(run_copy: Path, key_in_settings: str) -> None:
    found = {one.model: one for one in log.models_of(run_copy)}
    for cell in load_results(run_copy).cells:
        if cell.model == "lexical":
            for name, figure in cell.metrics.items():
                assert found["lexical"].metrics[f"{log.metric_name(cell)}/{name}"] == figure.value
    assert (
        found["lexical"].params["sampling.temperature"] == "0.5" and found["lexical"].params["sampling.user"] == "***"
    )
    assert any("requests failed" in text for text in found["lexical"].remarks)
    assert found["oracle"].metrics.keys() & found["random"].metrics.keys()  # the same names for all models
    assert str(run_copy.parent) not in repr(found) and key_in_settings not in repr(found)


def test_parameters_are_those_of_all_cells(run_copy: Path) -> None:
    """A limit of one cell is no parameter of the model, whose other cells are of all items."""

    def limit_one(results: dict[str, Any]) -> None:
        next(cell for cell in results["cells"] if cell["model"] == "lexical")["facts"]["limit"] = 3

    assert "seed" in log.models_of(run_copy, "lexical")[0].params
    change(run_copy, limit_one)
    assert "limit" not in log.models_of(run_copy, "lexical")[0].params


def add_lexical_cell(**changes: str) -> Callable[[dict[str, Any]], None]:
    """A change of results.json that adds a cell of `lexical` with other data and `changes`."""

    def add(results: dict[str, Any]) -> None:
        own = next(cell for cell in results["cells"] if cell["model"] == "lexical")
        results["cells"].append(own | {"facts": own["facts"] | {"data": "1" * 64}} | changes)

    return add


def test_the_hash_of_each_split_is_logged(run_copy: Path) -> None:
    change(run_copy, add_lexical_cell(split="dev"))
    (one,) = log.models_of(run_copy, "lexical")
    hashes = {name: value for name, value in one.tags.items() if name.startswith("data.")}
    assert set(hashes.values()) == {OTHER_DATA, "1" * 64}
    (dev,) = (name for name, value in hashes.items() if value == "1" * 64)
    assert dev.endswith(".dev") and hashes[f"{dev.removesuffix('dev')}test"] == OTHER_DATA


def test_a_wording_with_a_file_of_its_own_has_a_hash_of_its_own(run_copy: Path) -> None:
    change(run_copy, add_lexical_cell(variant="translate-en"))
    (one,) = log.models_of(run_copy, "lexical")
    hashes = {name.split(".", 4)[-1]: value for name, value in one.tags.items() if name.count(".") == 4}
    assert hashes == {"paper": OTHER_DATA, "translate-en": "1" * 64}


def test_mlflow_gets_the_figures(
    run_copy: Path, key_in_settings: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_frames_venv("mlflow", "pyarrow")
    from mlflow import MlflowClient
    from pyarrow import parquet

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    done = evalsuite.export_results("mlflow", run_copy, project="试验")
    client = MlflowClient(f"sqlite:///{tmp_path}/mlflow.db")
    made = client.search_runs([client.get_experiment_by_name("试验").experiment_id])
    assert {run.info.run_name for run in made} == {line.split(":")[0] for line in done.lines}
    for one in log.models_of(run_copy):
        (run,) = (run for run in made if run.data.tags["model"] == one.model)
        assert run.data.metrics == pytest.approx(one.metrics, abs=1e-12) and run.data.params == one.params
        assert run.data.tags["evalsuite"] and run.info.status == "FINISHED"
        assert not {"mlflow.user", "mlflow.source.name"} & run.data.tags.keys()
        local = client.download_artifacts(run.info.run_id, "tables")
        records = parquet.read_table(f"{local}/records.parquet")
        assert {*records["model"].to_pylist()} == {one.model} and "prompt" not in records.column_names
    assert_nowhere(key_in_settings, tmp_path, besides=run_copy)


def test_wandb_gets_the_figures(
    run_copy: Path, key_in_settings: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_frames_venv("wandb", "pyarrow")
    monkeypatch.setenv("WANDB_MODE", "offline")
    for name in ("DIR", "CACHE_DIR", "DATA_DIR", "CONFIG_DIR"):
        monkeypatch.setenv(f"WANDB_{name}", str(tmp_path / "wandb"))
    (tmp_path / "wandb").mkdir()
    evalsuite.export_results("wandb", run_copy, model="oracle", project="try")
    (file,) = (tmp_path / "wandb").rglob("run-*.wandb")
    (one,) = log.models_of(run_copy, "oracle")
    summary, config, files = {}, {}, set()
    for record in wandb_records(file):
        for update in record.summary.update:
            summary[update.key or "/".join(update.nested_key)] = json.loads(update.value_json)
        for update in [*record.config.update, *record.run.config.update]:
            config[update.key] = json.loads(update.value_json)
        files |= {entry.path for entry in record.request.log_artifact.artifact.manifest.contents}
        files |= {entry.path for entry in record.artifact.manifest.contents}
        assert not record.HasField("environment")  # the machine, its user, the command line
        assert record.run.host in ("", "-")
    assert {key: value for key, value in summary.items() if key in one.metrics} == pytest.approx(one.metrics)
    assert {key: config[key] for key in one.params} == one.params
    assert {f"version.{key}" for key in one.tags} <= config.keys()
    assert files == {"cells.parquet", "records.parquet"}
    assert_nowhere(key_in_settings, tmp_path, besides=run_copy)


def test_swanlab_gets_the_figures(
    run_copy: Path, key_in_settings: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_frames_venv("swanlab")
    for name, value in {"MODE": "offline", "LOG_DIR": str(tmp_path / "log"), "ROOT": str(tmp_path / "root")}.items():
        monkeypatch.setenv(f"SWANLAB_{name}", value)
    evalsuite.export_results("swanlab", run_copy, model="oracle", project="try")
    (one,) = log.models_of(run_copy, "oracle")
    files = [path for path in (tmp_path / "log").rglob("*") if path.is_file()]
    content = b"".join(path.read_bytes() for path in files)
    assert all(name.encode() in content for name in (*one.metrics, *one.params, *one.tags))
    assert not any(path.is_symlink() for path in files)
    assert platform.node().encode() not in content or len(platform.node()) < 4
    assert_nowhere(key_in_settings, tmp_path, besides=run_copy)


def wandb_records(file: Path) -> Iterator[Any]:
    """The records of an offline run: LevelDB's log format, blocks of 32 KiB with parts of records."""
    from wandb.proto.wandb_internal_pb2 import Record

    content, at, whole = file.read_bytes(), 7, b""
    while at + 7 <= len(content):
        left = 32768 - at % 32768
        if left < 7:
            at += left
            continue
        length, kind = struct.unpack("<xxxxHB", content[at : at + 7])
        whole += content[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):  # a whole record, or the last part of one
            record = Record()
            record.ParseFromString(whole)
            whole = b""
            yield record


def assert_nowhere(key_in_settings: str, folder: Path, besides: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file() and besides not in path.parents:
            assert key_in_settings.encode() not in path.read_bytes(), path


# --- errors


def test_packages_that_are_missing(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "find_spec", lambda name: None)
    for to, command in (("parquet", r"pip install 'evalsuite\[frames\]'"), ("wandb", "pip install 'wandb'"), ("mlflow", "pip install 'mlflow-skinny'")):  # fmt: skip
        with pytest.raises(ConfigError, match=command):
            evalsuite.export_results(to, folder, tmp_path / "out" if to == "parquet" else None)


WRONG = [
    (["RUN", "--to", "lmeval"], "unknown --to 'lmeval'. Did you mean 'lm-eval'?"),
    (["RUN", "--to", "parquet"], "name a new one with --out DIR"),
    (["RUN", "--to", "parquet", "--out", "x", "--tasks", "EC"], "--tasks: of tasks for a harness"),
    (["RUN", "--to", "hf-card"], "name the card's with --model: lexical"),
    (["RUN", "--to", "hf-card", "--model", "orakle"], "Did you mean 'oracle'?"),
    (["RUN", "RUN", "--to", "hf-card"], "takes one run, not 2"),
    (
        ["RUN", "--to", "hf-card", "--model", "oracle", "--project", "p"],
        "takes no --project; wandb, mlflow, swanlab do",
    ),
    (["RUN", "--to", "lm-eval"], "is a run, and --to lm-eval exports tasks"),
    (["new", "--to", "inspect", "--out", "x"], "evalsuite export --to inspect DIR"),
    (["nowhere", "--to", "hf-card"], "nowhere"),
]


@pytest.mark.parametrize(("words", "message"), WRONG)
def test_wrong_commands(
    folder: Path, tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if "parquet" in words:
        needs_frames_venv("pyarrow")
    done = cli("export", *(str(folder) if word == "RUN" else word for word in words), expect=2)
    assert message in " ".join(done.stderr.split()) and "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_models_have_artifacts_of_their_own() -> None:
    """Weights & Biases takes ASCII names of 128 characters; two models with one name would be versions of one artifact."""
    assert _artifact("run/qwen3-8b") == "run_qwen3-8b"
    names = [_artifact(name) for name in ("跑/智谱", "跑/通义", "run/" + "x" * 130, "run/" + "x" * 131)]
    assert len({*names}) == 4 and all(re.fullmatch(r"[\w.-]{1,128}", name, re.ASCII) for name in names)


def test_a_run_of_baselines_has_no_model_for_a_card(run_copy: Path) -> None:
    def make_baseline(results: dict[str, Any]) -> None:
        for cell in results["cells"]:
            cell["facts"]["backend"] = "baseline"

    change(run_copy, make_baseline)
    with pytest.raises(ConfigError, match=r"only baselines: name the card's with --model: .*oracle"):
        evalsuite.export_results("hf-card", run_copy)


def test_no_run_is_not_one_run() -> None:
    with pytest.raises(ConfigError, match="takes one run, not 0"):
        evalsuite.export_results("hf-card", [])


def test_the_commands_export(folder: Path, tmp_path: Path, cli: Any) -> None:
    card = tmp_path / "card.yaml"
    done = cli("export", folder, "--to", "hf-card", "--model", "lexical", "--out", card)
    assert str(card) in done.stdout
    assert "left out: 1 of 5 requests failed" in done.stderr
    assert yaml.safe_load(card.read_text(encoding="utf-8"))["model-index"][0]["name"] == "lexical"


def test_a_card_replaces_no_readme(folder: Path, tmp_path: Path, cli: Any) -> None:
    readme, words = tmp_path / "README.md", ("export", folder, "--to", "hf-card", "--model", "lexical", "--out")
    readme.write_text("---\nlicense: mit\n---\n# My model\n", encoding="utf-8")
    before = readme.read_bytes()
    assert "is no card; name a new file" in " ".join(cli(*words, readme, expect=2).stderr.split())
    assert readme.read_bytes() == before
    for _ in range(2):  # a card of its own is replaced
        cli(*words, tmp_path / "card.yaml")


def test_a_run_of_mlflow_that_breaks_off_is_marked_so() -> None:
    told: list[tuple[str, ...]] = []

    class Client:
        def set_terminated(self, *words: str) -> None:
            told.append(words)

    with _final_state(Client(), "a"):
        pass
    with pytest.raises(KeyboardInterrupt), _final_state(Client(), "b"):
        raise KeyboardInterrupt
    assert told == [("a",), ("b", "FAILED")]
