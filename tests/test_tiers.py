"""The tiers of tests: `make test`, `make test-fast`, `make test-thorough` (CONTRIBUTING.md)."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import cpu
import pytest

TESTS = Path(__file__).parent
# Files all of whose tests are thorough, and the file that keeps the core of what they test.
ELSEWHERE = {
    "test_contamination_planted.py": "test_contamination.py",
    "test_page_judge.py": "test_judge_run.py",
    "test_page_ranking.py": "test_ranking.py",
    "test_ray.py": "test_cluster.py",
}


def test_every_test_is_in_a_tier_that_ci_runs() -> None:
    makefile = (TESTS.parent / "Makefile").read_text(encoding="utf-8")
    targets = dict(re.findall(r"^(test\S*): .*\n\t\$\(PYTEST\) (?:\$\(if \$\(ALL\),,)?-m ([^)\n]+)", makefile, re.M))
    assert {targets[target].strip('"'): target for target in targets} == cpu.TIERS
    script = re.sub(r"#.*", "", (TESTS.parent / ".ci/run").read_text(encoding="utf-8"))
    assert "make run && make test ||" in script and "make test-thorough ||" in script


def test_a_file_with_thorough_tests_keeps_others(request: pytest.FixtureRequest) -> None:
    others = {item.path.name for item in request.session.items if not item.get_closest_marker("thorough")}
    files = [*TESTS.glob("test_*.py")]
    if len(others) < len(files) / 2 or "not slow" in request.config.getoption("markexpr"):
        pytest.skip("needs all tests, or those of `make test`")
    marked = {path.name for path in files if "thorough" in path.read_text(encoding="utf-8")}
    assert {ELSEWHERE.get(name, name) for name in marked} <= others


def test_the_budget_is_of_files_that_are_here() -> None:
    budget = tomllib.loads(cpu.BUDGET.read_text(encoding="utf-8"))
    assert {*budget["sums"]} == {*cpu.TIERS.values(), "all"}
    assert not {name for name in budget["files"] if name != cpu.START and not (TESTS / name).exists()}


class Config:
    """A run of `make test`."""

    args_source = pytest.Config.ArgsSource.TESTPATHS

    def getoption(self, name: str, default: object = None) -> Any:
        return {"markexpr": "not thorough", "keyword": "", "costs": 0}.get(name, default)


def test_what_files_cost_is_told_and_written() -> None:
    costs = cpu.Costs(Config())  # type: ignore[arg-type]
    costs.by_file.update({"tests/test_tiers.py": 7.4, "tests/test_cli.py": 1.0})
    text = 'other = 1\n"other files" = [2, 2]\n[sums]\ntest = 9\n[files]\n"test_tiers.py" = [3, 5]\n"test_gone.py" = [9, 9]\n"vllm/test_engine.py" = [8, 0]\n'
    assert [*costs.lines(tomllib.loads(text))] == [
        "8 of 9 CPU seconds",
        "    7.4 of 3    tests/test_tiers.py  OVER ITS BUDGET",
        "    1.0 of 2    tests/test_cli.py",
    ]
    assert costs.budget_text(text).endswith('[files]\n"test_tiers.py" = [7, 5]\n"vllm/test_engine.py" = [8, 0]\n')
