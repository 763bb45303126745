"""A benchmark in a package of its own: the documented example is installed, run to the page, and what can clash is named."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import processes
import pytest
from run_files import results_json

from evalsuite.benchmarks import registry
from evalsuite.common.errors import ConfigError

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "docs" / "examples" / "evalsuite-tone"
GUIDE = (ROOT / "docs" / "own_benchmark.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the example is installed into."""
    folder = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(folder), str(EXAMPLE)], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def evalsuite(site: Path) -> Iterator[Callable[..., str]]:
    with processes.commands(PYTHONPATH=f"{site}{os.pathsep}{ROOT}", COLUMNS="200") as run:

        def command(*arguments: str, cwd: Path, code: int = 0) -> str:
            ended, said = run(cwd, *arguments)
            assert ended == code, said
            return said

        yield command


def test_the_guide_shows_the_files_of_the_example() -> None:
    shown = re.findall(r"`([\w/.]+\.\w+)`[^`]*?:\n\n```\w+\n(.*?)```", GUIDE, re.S)
    assert {name for name, _ in shown} >= {"pyproject.toml", "evalsuite_tone/__init__.py"}
    for name, text in shown:
        assert text == (EXAMPLE / name).read_text(encoding="utf-8").rstrip() + "\n", name


def test_the_example_is_short() -> None:
    code = [path for path in EXAMPLE.rglob("*") if path.suffix in (".py", ".toml", ".j2", ".csv")]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in code) < 120


@pytest.mark.slow
def test_it_runs_to_the_page(evalsuite: Callable[..., str], tmp_path: Path) -> None:
    out = evalsuite(
        "run", "--tasks", "tone", "--model", "lexical,random,majority", "--perturb", "none,shuffle", "--shots", "0,1",
        "--out", "run", cwd=tmp_path,
    )  # fmt: skip
    assert "page: run/page/index.html" in out
    results = results_json(tmp_path / "run")
    assert {(c["task"], c["set"], c["items"], c["shots"], c["perturb"]) for c in results["cells"]} == {
        ("tone_reply", "daily", 4, shots, perturb) for shots in (0, 1) for perturb in ("none", "shuffle")
    }
    assert all(c["metrics"]["accuracy"]["value"] is not None for c in results["cells"])
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))
    assert list(manifest["data"]) == ["tone/daily/test/reply"]
    assert "Tone" in evalsuite("show", "run", cwd=tmp_path)
    assert "你的记性可真好" in evalsuite("show", "run", "--item", "tone/daily/test/reply/0", cwd=tmp_path)
    evalsuite("report", "run", "--out", "page", cwd=tmp_path)
    assert (tmp_path / "page" / "index.html").is_file()


@pytest.mark.slow
def test_its_own_data_are_read_and_broken_lines_named(evalsuite: Callable[..., str], tmp_path: Path) -> None:
    data = tmp_path / "data" / "tone"
    data.mkdir(parents=True)
    good = {"id": 0, "dialogue": ["A: 又加班。", "B: 真羡慕你。"], "tone": "ironic"}
    bad = {**good, "id": 1, "tone": "sad"}
    (data / "test.jsonl").write_text(f"{json.dumps(good)}\n{json.dumps(bad)}\n", encoding="utf-8")
    run = ("run", "--tasks", "tone", "--data", "data", "--model", "random", "--out", "run")
    assert "test.jsonl:2: field 'tone'" in evalsuite(*run, cwd=tmp_path, code=2)
    evalsuite(*run, "--skip-bad", cwd=tmp_path)
    assert "its data come with the package" in evalsuite("data", "pull", "tone", cwd=tmp_path, code=2)


@pytest.mark.parametrize(("to", "file"), [("lm-eval", "tone_daily_reply_paper.yaml"), ("inspect", "tone.py")])
def test_it_can_be_exported(evalsuite: Callable[..., str], tmp_path: Path, to: str, file: str) -> None:
    evalsuite("export", "out", "--to", to, "--tasks", "tone", "--shots", "1", cwd=tmp_path)
    assert (tmp_path / "out" / file).is_file()
    lines = (tmp_path / "out" / "data" / "tone_daily_reply_paper.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 4 and all(len(json.loads(line)["shots"]) == 1 for line in lines)


@pytest.mark.thorough
def test_the_page_names_it_in_both_languages(evalsuite: Callable[..., str], tmp_path: Path, browse: Any) -> None:
    run = ("run", "--tasks", "tone,knowledge_filling", "--model", "random", "--limit", "4", "--out", "run")
    evalsuite(*run, cwd=tmp_path)
    with browse(tmp_path / "run" / "page" / "index.html") as page:
        address = page.url
        for language, words in (("en", ("Tone · source daily", "Human")), ("zh", ("Tone · 来源 daily", "语气判断"))):
            page.goto(f"{address.partition('#')[0]}?lang={language}")
            page.wait_for_selector("table.overview")
            text = page.locator("main").inner_text()
            assert all(word in text for word in words), text[:2000]


PLUGIN = """
from evalsuite.benchmarks.kinds import CHOICE
from evalsuite.benchmarks.languages import EN, ZH
from evalsuite.types import Benchmark, Task
def row(name):
    return Task(name, "X", "甲", "X", CHOICE, "", "", ("accuracy",), 8)
"""
CLASHES = [
    ("cider", 'BENCHMARK = Benchmark("cider", "C", EN, ("a",), ("test",), "集", "set", (row("cider_x"),), None)', "of evalsuite; rename"),
    ("event", 'BENCHMARK = Benchmark("event", "E", ZH, ("a",), ("test",), "集", "set", (row("event_cause"),), None)', "'event_cause' is the name"),
    ("mine", 'BENCHMARK = Benchmark("mine", "M", ZH, ("a",), ("test",), "集", "set", (row("task"),), None)', "expected mine_"),
    ("mine", 'BENCHMARK = Benchmark("other", "M", ZH, ("a",), ("test",), "集", "set", (), None)', "the entry point is 'mine'"),
    ("mine", 'BENCHMARK = Benchmark("mine", "M", ZH, ("all",), ("test",), "集", "set", (), None)', "not all or both"),
    ("mine", 'BENCHMARK = Benchmark("mine", "M", ZH, ("a",), ("val",), "集", "set", (), None)', "unknown split 'val'"),
    ("mine", 'BENCHMARK = Benchmark("mine", "M", "zh", ("a",), ("test",), "集", "set", (), None)', "its language is 'zh'"),
    ("mine", "BENCHMARK = {}", "found dict"),
    ("mine", "import nowhere", "No module named 'nowhere'"),
    ("mine", "raise SystemExit(0)", "cannot be loaded: SystemExit: 0"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "code", "message"), CLASHES)
def test_what_does_not_fit_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: str, message: str
) -> None:
    module = f"plugin_{abs(hash((name, code)))}"
    (tmp_path / f"{module}.py").write_text(PLUGIN + code, encoding="utf-8")
    write_entry_point(tmp_path, "a-package", name, module)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ConfigError, match=re.escape(message)) as error:
        registry._benchmarks()
    assert "a-package" in str(error.value)


def test_two_packages_of_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = 'BENCHMARK = Benchmark("mine", "M", ZH, ("a",), ("test",), "集", "set", (row("mine_x"),), None)'
    for n in (1, 2):
        (tmp_path / f"both_{n}.py").write_text(PLUGIN + row, encoding="utf-8")
        write_entry_point(tmp_path, f"package-{n}", "mine", f"both_{n}")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ConfigError, match=r"package-2 .*'mine' is the name .* of package-1"):
        registry._benchmarks()


def write_entry_point(folder: Path, package: str, name: str, module: str) -> None:
    info = folder / f"{package.replace('-', '_')}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{name} = {module}:BENCHMARK\n")


def test_every_shipped_benchmark_opens_its_sample() -> None:
    from evalsuite.common.resources import bundled

    for benchmark in registry.shipped():
        corpus = registry.open_corpus(benchmark.name, bundled("sample"))
        assert corpus.benchmark is benchmark and corpus.files("test")
        assert benchmark.published is None or benchmark.published.is_file()
        assert bool(benchmark.address) != bool(benchmark.no_address)


def test_the_tables_load_nothing_heavy() -> None:
    code = (
        "from evalsuite.benchmarks.registry import TASKS; len(TASKS); import sys\n"
        "print([m for m in ('numpy', 'jieba', 'scipy', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_the_layout_of_corecode_needs_no_loader_of_its_own() -> None:
    from dataclasses import replace

    from evalsuite.benchmarks.corecode.loader import CorecodeCorpus

    shipped = registry.BENCHMARKS["corecode"]
    own = replace(shipped, name="mine", tasks=tuple(replace(t, name=f"mine_{t.name}") for t in shipped.tasks))
    task = own.task("event_cause")
    assert (task.name, task.benchmark, task.local) == ("mine_event_cause", "mine", "event_cause")
    item = CorecodeCorpus(own, ROOT / "sample").file(task, "easy", "test").items[0]
    assert item.id.startswith("mine/easy/test/event_cause/") and item.task == "mine_event_cause"
