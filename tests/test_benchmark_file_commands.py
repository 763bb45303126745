"""Every command takes a benchmark file: what it leaves in a run's folder is enough for what comes later, in another process."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from run_files import data_in_page
from shared_fixtures import shared_folder
from typer.testing import CliRunner

import evalsuite
from evalsuite.analyses.saved import load_results
from evalsuite.backends.models import load_models
from evalsuite.benchmarks import registry
from evalsuite.benchmarks.registry import Corpora, add_files, add_run
from evalsuite.cli.app import app
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.resources import bundled
from evalsuite.evaluation.plan import prepare
from evalsuite.exchange.export import callbacks
from evalsuite.exchange.submit.data import Official, OfficialCell
from evalsuite.exchange.submit.submission import make_submission
from evalsuite.exchange.submit.verdict import check_submission
from evalsuite.finetuning.settings import Sweep
from evalsuite.finetuning.sweep import as_asked, make_pools, row_prompts
from evalsuite.review.audit import make_sample, write_answer_page

FIVE = """
name: five
title: Five kinds
data: {train: train.jsonl, test: test.jsonl}
citation: "@misc{five, title={Five kinds}}"
templates: prompts
every_task: {id: nr, dialogue: turns}
tasks:
  pick: {kind: choice, question: where, options: places, gold: "{{ 'A' }}", variables: {polite: "{{ '请' }}"}}
  several: {kind: choices, question: where, options: places, gold: said}
  words: {kind: span, question: where, gold: place}
  tell: {kind: text, question: "{{ '他们怎么约的？' }}", gold: all}
  count: {kind: answer, question: "{{ '有几棵树？' }}", gold: trees, references: more}
"""
HEAD = {"name": "Five", "who": "somebody", "contact": "a@example.org", "licence": "CC-BY-4.0", "notes": "none"}
ABOUT = {"trained_on": [], "statement": "rules", "hub": None, "revision": None, "parameters": None}


def row(n: int) -> dict[str, object]:
    return {
        "nr": n, "turns": [f"甲: 第{n}天去哪里？", f"乙: 公园{n}有{n}棵树。", f"甲: 好，{n}点见。"], "where": f"第{n}天去哪里？",
        "place": f"公园{n}", "places": [f"公园{n}", "学校", "医院", "车站"], "said": [f"公园{n}", "车站"],
        "all": f"{n}点在公园{n}见面", "trees": f"{n}棵", "more": [f"{n}", f"{n}棵树"],
    }  # fmt: skip


@shared_folder
def home(folder: Path) -> Path:
    """A benchmark of all kinds with its data."""
    for split, numbers in (("train", range(10, 18)), ("test", range(4))):
        lines = (json.dumps(row(n), ensure_ascii=False) + "\n" for n in numbers)
        (folder / f"{split}.jsonl").write_text("".join(lines), encoding="utf-8")
    (folder / "prompts" / "pick").mkdir(parents=True)
    (folder / "prompts" / "pick" / "polite.j2").write_text(
        "{{ polite }}回答。{{ question }}\n{{ listed }}", encoding="utf-8"
    )
    (folder / "five.yaml").write_text(FIVE, encoding="utf-8")
    return folder


@shared_folder
def run(home: Path, folder: Path) -> Path:
    """A run of the benchmark file five.yaml; the run's manifest names the path of the file."""
    asked = {"benchmark": [home / "five.yaml"], "perturb": ["none", "shuffle"], "shots": [0, 1], "out": folder}
    assert not evalsuite.run({"a": lambda request: "A", "b": lambda request: "公园1"}, **asked).problems
    registry.forget_files()
    return folder


@pytest.fixture(autouse=True)
def _new_process() -> Iterator[None]:
    """Each test begins without the benchmark, as a new process, and leaves none."""
    registry.forget_files()
    yield
    registry.forget_files()


def test_a_run_of_files_alone_names_no_folder_of_data(run: Path, home: Path, tmp_path: Path) -> None:
    """The page would call it a run on the bundled sample, which is the default."""
    both = {"benchmark": [home / "five.yaml"], "tasks": ["five", "knowledge_filling"], "limit": 1}
    evalsuite.run({"a": lambda request: "A"}, out=tmp_path / "both", **both)
    told = [json.loads((f / "manifest.json").read_bytes())["settings"]["data"] for f in (run, tmp_path / "both")]
    assert told == [None, "bundled:sample"]


@pytest.mark.slow
def test_a_run_is_judged_audited_tested_and_shown_by_its_folder_alone(run: Path, home: Path, tmp_path: Path) -> None:
    out = Path(shutil.copytree(run, tmp_path / "run"))
    asked: list[str] = []
    judged = evalsuite.judge(
        out, "judge", {"judge": lambda request: asked.append(request.prompt) or "1\n好"}, model=["b"]
    )
    assert not judged.problems and "公园2" in "".join(asked)
    assert all("1：候选答案正确，与其中一个标准答案意思一致。" in prompt for prompt in asked) and len(asked) == 8
    registry.forget_files()
    _, sample = make_sample(out, 10)
    assert sample.rubric == "reference" and {drawn.output.task for drawn in sample.drawn} <= set(sample.tasks)
    registry.forget_files()
    found = evalsuite.contamination(["a"], {"a": lambda request: "A"}, benchmark=[home / "five.yaml"], out=out)
    assert not found.problems and {row.task for row in found.rows} == {
        f"five_{name}" for name in ["pick", "several", "words", "tell", "count"]
    }
    registry.forget_files()
    result = CliRunner().invoke(app, ["show", str(out)])
    assert result.exit_code == 0 and "five Pick" in result.output
    registry.forget_files()
    page = evalsuite.report([out], tmp_path / "page")
    assert "@misc{five" in data_in_page(page)["citations"]


def test_contamination_alone_leaves_a_folder_that_can_be_read(home: Path, tmp_path: Path) -> None:
    asked = {"benchmark": [home / "five.yaml"], "tasks": ["five_pick"], "out": tmp_path / "c"}
    evalsuite.contamination(["a"], {"a": lambda request: "A"}, **asked)
    assert (tmp_path / "c" / "benchmarks" / "five" / "prompts" / "pick" / "polite.j2").is_file()


def test_exported_tasks_know_their_benchmark(home: Path, tmp_path: Path) -> None:
    asked = {"benchmark": [home / "five.yaml"], "limit": 1}
    for to in ("lm-eval", "inspect"):
        evalsuite.export(to, tmp_path / to, **asked)
        shipped = (tmp_path / to / {"lm-eval": "utils.py", "inspect": "five.py"}[to]).read_text(encoding="utf-8")
        assert "add_run(HERE)" in shipped
    registry.forget_files()
    add_run(tmp_path / "lm-eval")
    files = sorted((tmp_path / "lm-eval" / "data").iterdir())
    for path in files:
        line = json.loads(path.read_text(encoding="utf-8"))
        assert callbacks.read_reply(line, line["target"])[1]["answered"] == 1
    assert len(files) == 5


@pytest.mark.thorough
def test_a_submission_carries_its_benchmark(run: Path, home: Path, tmp_path: Path) -> None:
    assert make_submission(run, tmp_path / "s", HEAD, ABOUT).unfilled == ()
    assert "CORECODE" not in (tmp_path / "s" / "submission.yaml").read_text(encoding="utf-8")
    assert str(home) not in (tmp_path / "s" / "manifest.json").read_text(encoding="utf-8")
    registry.forget_files()
    verdict = check_submission(tmp_path / "s")
    assert not verdict.problems and "the benchmark file of five, its items, shots and prompts: they" in " ".join(
        verdict.unverified
    )
    registry.forget_files()
    verdict = check_submission(tmp_path / "s", benchmark=[home / "five.yaml"])
    assert not verdict.problems and "items and their shots are those of" in " ".join(verdict.verified)
    assert "benchmark file" not in " ".join(verdict.unverified)
    other = Path(shutil.copytree(home, tmp_path / "other"))
    (other / "five.yaml").write_text(FIVE.replace("Five kinds", "Six kinds"), encoding="utf-8")
    registry.forget_files()
    verdict = check_submission(tmp_path / "s", benchmark=[other / "five.yaml"])
    assert "benchmarks/five/benchmark.yaml: is not that of the benchmark file given" in verdict.problems[0]


def test_two_files_of_one_name_are_told_apart(run: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Two runs with different files of one benchmark are shown together with a warning that names both."""
    other = Path(shutil.copytree(run, tmp_path / "other"))
    file = other / "benchmarks" / "five" / "benchmark.yaml"
    file.write_text(FIVE.replace("Five kinds", "Six kinds"), encoding="utf-8")
    same = Path(shutil.copytree(run, tmp_path / "same"))
    evalsuite.report([run, same], tmp_path / "page")
    assert caplog.messages == []
    evalsuite.report([run, other], tmp_path / "page2")
    (said,) = caplog.messages
    assert "five: two benchmark files have this name" in said
    for path in (run / "benchmarks" / "five" / "benchmark.yaml", file):
        assert str(path) in said and hashlib.sha256(path.read_bytes()).hexdigest()[:12] in said


def test_parity_takes_a_benchmark_file(home: Path, tmp_path: Path) -> None:
    """The flag makes its tasks known; their requests are asked on both backends."""
    asked = [
        "--benchmark",
        str(home / "five.yaml"),
        "--tasks",
        "five_pick",
        "--model",
        "tiny-zh",
        "--backends",
        "hf,hf",
    ]
    done = CliRunner().invoke(app, ["parity", *asked, "--limit", "2", "--out", str(tmp_path / "p.json")])
    assert done.exit_code == 0 and "five" in done.output, done.output


def test_a_submission_holds_no_other_benchmark_and_no_link(run: Path, home: Path, tmp_path: Path) -> None:
    make_submission(run, tmp_path / "s", HEAD, ABOUT)
    (tmp_path / "s" / "benchmarks" / "more").mkdir()
    (tmp_path / "s" / "benchmarks" / "more" / "notes.txt").write_text("?")
    (tmp_path / "s" / "benchmarks" / "linked").symlink_to(home, target_is_directory=True)
    registry.forget_files()
    problems = " ".join(check_submission(tmp_path / "s").problems)
    assert "benchmarks/more/notes.txt: no cell of results.json is of this benchmark" in problems
    assert "benchmarks/linked: is a link" in problems and "five.yaml" not in problems


def test_adapters_are_trained_on_it(home: Path, tmp_path: Path) -> None:
    settings = Sweep(
        model=["tiny-zh"], benchmark=[home / "five.yaml"], tasks=["five_pick"], sizes=[8], prompt="polite", out=tmp_path
    )
    assert settings.set == "all"
    (pool,) = make_pools(Corpora(home), settings)
    model = load_models(bundled("models.yaml"), ["tiny-zh"])[0]
    prompts = row_prompts(model, pool, settings)
    assert {prompts[item.task, item.set].render(item).split("。")[0] for item in pool.items} == {"请回答"}  # a variable
    add_files([home / "five.yaml"])
    assert Sweep(model=["m"], benchmark=[home / "five.yaml"]).tasks == tuple(
        t.name for t in registry.BENCHMARKS["five"].tasks
    )
    with pytest.raises(ConfigError, match="expected one or more, or --benchmark"):
        Sweep(model=["m"])


def test_adapters_are_trained_on_the_columns_of_their_wording(home: Path, tmp_path: Path) -> None:
    """The run that evaluates them asks these columns, too."""
    shutil.copytree(home, tmp_path / "home")
    text = FIVE.replace("gold: \"{{ 'A' }}\",", "gold: \"{{ 'A' }}\", wordings: {polite: {question: all}},")
    (tmp_path / "home" / "five.yaml").write_text(text, encoding="utf-8")
    asked = {"benchmark": [tmp_path / "home" / "five.yaml"], "tasks": ["five_pick"], "sizes": [8]}
    model = load_models(bundled("models.yaml"), ["tiny-zh"])[0]
    questions = {}
    for wording in ("polite", "plain"):
        settings = Sweep(model=["tiny-zh"], prompt=wording, out=tmp_path, **asked)
        (pool,) = make_pools(Corpora(tmp_path / "home"), settings)
        items = as_asked(pool, row_prompts(model, pool, settings), pool.items)
        questions[wording] = items[0].question
    assert questions == {"polite": "10点在公园10见面", "plain": "第10天去哪里？"}


def test_metrics_are_those_that_a_task_can_have(run: Path, home: Path, tmp_path: Path) -> None:
    """An unknown metric would be an empty column, after the models were asked. Those of all kinds in a run are known."""
    shutil.copytree(home, tmp_path / "home")
    file = tmp_path / "home" / "five.yaml"
    metrics = {
        c.task: [name for name in c.metrics if name not in ("answered", "chance")] for c in load_results(run).cells
    }
    for task in ("five_tell", "five_count"):  # with an encoder
        metrics[task] += ["semsim", "paper.semsim"]
    metrics["five_pick"] += ["vote", "rotation.accuracy"]  # in all rotations
    registry.forget_files()
    named = FIVE
    for task, kind in {
        "pick": "choice",
        "several": "choices",
        "words": "span",
        "tell": "text",
        "count": "answer",
    }.items():
        named = named.replace(
            f"{task}: {{kind: {kind},", f"{task}: {{kind: {kind}, metrics: [{', '.join(metrics[f'five_{task}'])}],"
        )
    file.write_text(named, encoding="utf-8")
    assert add_files([file]) == ["five"]
    for task, name in (("pick", "acuracy"), ("several", "accuracy"), ("words", "semsim"), ("tell", "contains")):
        file.write_text(FIVE.replace(f"{task}: {{", f"{task}: {{metrics: [{name}], "), encoding="utf-8")
        with pytest.raises(ConfigError, match=rf"five\.yaml: tasks\.{task}\.metrics: unknown metric '{name}'"):
            add_files([file])


def test_a_wording_with_a_file_of_its_own(home: Path, tmp_path: Path) -> None:
    """The manifest names the file; items that it lacks, or that are broken there, count as lines left out."""
    shutil.copytree(home, tmp_path / "home")
    text = FIVE.replace("gold: \"{{ 'A' }}\",", "gold: \"{{ 'A' }}\", wordings: {polite: {data: {test: other.jsonl}}},")
    (tmp_path / "home" / "five.yaml").write_text(text, encoding="utf-8")
    lines = [json.dumps(row(n) | ({"places": []} if n == 2 else {}), ensure_ascii=False) + "\n" for n in range(3)]
    (tmp_path / "home" / "other.jsonl").write_text("".join(lines), encoding="utf-8")
    asked = {"tasks": ["five_pick"], "prompt": ["plain", "polite"], "skip_bad": True, "out": tmp_path / "run"}
    done = evalsuite.run({"a": lambda request: "A"}, benchmark=[tmp_path / "home" / "five.yaml"], **asked)
    assert {c.variant: (c.facts.skipped_lines, c.items) for c in done.cells} == {"plain": (0, 4), "polite": (2, 2)}
    official = Official(Corpora(tmp_path / "home", skip_bad=True))
    assert all(isinstance(official.cell(cell), OfficialCell) for cell in done.cells)
    named = json.loads((tmp_path / "run" / "manifest.json").read_bytes())["data"]
    digest = hashlib.sha256("".join(lines).encode()).hexdigest()
    assert named["five/five/test/pick/polite"] == {"sha256": digest, "items": 2} and len(named) == 2


def test_a_wording_without_training_rows_is_asked_without_shots(home: Path, tmp_path: Path) -> None:
    """It is an error before any model is loaded; the run had asked nothing, in no wording."""
    shutil.copytree(home, tmp_path / "home")
    text = FIVE.replace("gold: \"{{ 'A' }}\",", "gold: \"{{ 'A' }}\", wordings: {polite: {data: test.jsonl}},")
    (tmp_path / "home" / "five.yaml").write_text(text, encoding="utf-8")
    asked = {"benchmark": [tmp_path / "home" / "five.yaml"], "tasks": ["five_pick"], "prompt": ["plain", "polite"]}
    with pytest.raises(DataError, match=r"wordings\.polite\.data names no train file; ask it with --shots 0"):
        prepare("bundled:models.yaml", model=["random"], shots=[0, 1], **asked)
    assert prepare("bundled:models.yaml", model=["random"], **asked)


def test_rows_without_the_columns_of_a_wording_count_as_lines_left_out(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home, tmp_path / "home")
    text = FIVE.replace("gold: \"{{ 'A' }}\",", "gold: \"{{ 'A' }}\", wordings: {polite: {question: all}},")
    (tmp_path / "home" / "five.yaml").write_text(text, encoding="utf-8")
    rows = [row(0), {name: value for name, value in row(1).items() if name != "all"}]
    lines = (json.dumps(each, ensure_ascii=False) + "\n" for each in rows)
    (tmp_path / "home" / "test.jsonl").write_text("".join(lines), encoding="utf-8")
    asked = {"benchmark": [tmp_path / "home" / "five.yaml"], "tasks": ["five_pick"], "prompt": ["plain", "polite"]}
    cells = list(evalsuite.preview(model=["random"], skip_bad=True, **asked))
    assert [(c.place.variant, len(trials), c.facts["skipped_lines"]) for c, trials in cells] == [
        ("plain", 2, 0),
        ("polite", 1, 1),
    ]


def test_people_answer_a_benchmark_file(home: Path, tmp_path: Path) -> None:
    made = write_answer_page(tmp_path / "a.html", "polite", benchmark=[home / "five.yaml"], tasks=["five_pick"])
    assert made.items == 4 and data_in_page(made.page)["outputs"][2]["question"].startswith("请回答。第2天去哪里？")


@pytest.mark.slow
def test_tasks_and_cite_take_it(home: Path) -> None:
    listed = CliRunner().invoke(app, ["tasks", "--benchmark", str(home / "five.yaml")])
    assert "five_count" in listed.output and "five 4" in listed.output
    other = home / "more, and other.yaml"
    other.write_text(
        (home / "five.yaml").read_text(encoding="utf-8").replace("name: five", "name: six"), encoding="utf-8"
    )
    both = CliRunner().invoke(app, ["tasks", "--benchmark", f"{home / 'five.yaml'},{home / 'nope.yaml'}"])
    assert str(home / "nope.yaml") in str(both.exception) and "five.yaml" not in str(both.exception)
    both = CliRunner().invoke(app, ["tasks", "--benchmark", str(other)])
    assert "six_count" in both.output
    cited = CliRunner().invoke(app, ["cite", "--benchmark", str(home / "five.yaml")])
    assert cited.output.rstrip().endswith("@misc{five, title={Five kinds}}")
