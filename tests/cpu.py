"""CPU seconds that each test file costs, reported at the end of a run beside its budget in tests/budget.toml. `--budget` writes
the measured seconds there, for the commit that changes them.

CPU seconds stay the same on a busy machine; seconds of the clock do not. Servers, browsers and clusters count with the test
that starts them, a fixture with the file whose test needs it first. No test fails for its cost: other machines are slower."""

from __future__ import annotations

import os
import resource
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from operator import gt
from pathlib import Path
from typing import Any

import pytest

START = "start and collection"  # the row of what all workers spend before their first test
TICKS = os.sysconf("SC_CLK_TCK")
# pytest's -m expression -> the target of make that runs it.
TIERS = {"not thorough": "test", "not slow and not thorough": "test-fast", "thorough": "test-thorough"}
BUDGET = Path(__file__).with_name("budget.toml")
NEAR = 1.3, 2.0  # a file is over its budget above 1.3 times its seconds plus 2 seconds


def cpu_seconds(alone: bool = False) -> float:
    """CPU seconds of this process and, unless `alone`, of its descendants. Ended descendants count if their parent
    waited for them."""
    if alone:
        return time.process_time()
    ended = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in ended) + sum(_descendants())


def _descendants() -> Iterator[float]:
    """CPU seconds of each process below this one, and of those that it waited for."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:  # this process has no children
        return
    children: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    with suppress(FileNotFoundError):  # only Linux has /proc
        for name in os.listdir("/proc"):
            with suppress(ValueError, OSError):
                fields = Path(f"/proc/{int(name)}/stat").read_bytes().rpartition(b")")[2].split()
                children[int(fields[1])].append((int(name), sum(map(int, fields[11:15])) / TICKS))
    left = children[os.getpid()]
    while left:
        pid, seconds = left.pop()
        yield seconds
        left += children[pid]


class Costs:
    """Counts CPU seconds in each worker; the process that started the workers reports them."""

    def __init__(self, config: pytest.Config) -> None:
        self.config, self.by_file, self.by_test = config, Counter[str](), Counter[str]()
        self.file, self.before = START, 0.0
        self.has_workers = bool(config.getoption("tx", None))  # each worker counts its own seconds alone

    def begin_file(self, file: str) -> float:
        """Assign the seconds spent so far to the previous file; return them."""
        now = cpu_seconds(alone=self.has_workers)
        seconds, self.before = max(0.0, now - self.before), now
        self.by_file[self.file] += seconds
        self.file = file
        return seconds

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        file = item.nodeid.partition("::")[0]
        each = self.config.getoption("--costs")
        if each or file != self.file:  # measuring takes some milliseconds
            self.begin_file(file)
        result = yield
        if each:
            self.by_test[item.nodeid] += self.begin_file(file)
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        self.begin_file("the end")
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["cpu"] = [dict(self.by_file), dict(self.by_test)]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        for mine, theirs in zip(
            (self.by_file, self.by_test), getattr(node, "workeroutput", {}).get("cpu", ()), strict=False
        ):
            mine.update(theirs)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if hasattr(self.config, "workeroutput"):
            return
        budget = tomllib.loads(BUDGET.read_text(encoding="utf-8"))
        for line in self.lines(budget):
            terminalreporter.write_line(line)
        if self.config.getoption("--budget"):
            BUDGET.write_text(self.budget_text(BUDGET.read_text(encoding="utf-8")), encoding="utf-8")

    @property
    def tier(self) -> str:
        return TIERS.get(self.config.getoption("markexpr"), "all")

    @property
    def is_whole_run(self) -> bool:
        return not self.config.getoption("keyword") and self.config.args_source.name == "TESTPATHS"

    def lines(self, budget: dict[str, Any]) -> Iterator[str]:
        most = f" of {budget['sums'][self.tier]}" if self.is_whole_run else ""
        files = {name: seconds for name, seconds in self.by_file.most_common() if seconds >= 0.05}
        yield f"{sum(files.values()):.0f}{most} CPU seconds"
        for place, (name, seconds) in enumerate(files.items()):
            test, thorough = budget["files"].get(name.removeprefix("tests/"), budget["other files"])
            allowed = {"all": test + thorough, "test-thorough": thorough}.get(self.tier, test)
            over = seconds > NEAR[0] * allowed + NEAR[1]
            if place < 10 or over:
                yield f"{seconds:7.1f} of {allowed:<4} {name}{'  OVER ITS BUDGET' if over else ''}"
        for name, seconds in self.by_test.most_common(self.config.getoption("--costs")):
            yield f"{seconds:7.1f} {name}"

    def budget_text(self, text: str) -> str:
        """The text of the budget with the costs of this run: `make test`, `make test-thorough`, or some files with the same -m.
        Files that did not run keep their rows; of a whole run they get 0, except those in folders, which run elsewhere."""
        column = ("test", "test-thorough").index(self.tier)
        budget = tomllib.loads(text)
        rows: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for name, row in budget["files"].items():
            if name == START or (BUDGET.parent / name).exists():
                rows[name] = [
                    0 if n == column and self.is_whole_run and "/" not in name else x for n, x in enumerate(row)
                ]
        for name, seconds in self.by_file.items():
            if self.is_whole_run or name != START:
                rows[name.removeprefix("tests/")][column] = round(seconds)
        kept = {name: row for name, row in rows.items() if any(map(gt, row, budget["other files"]))}
        return text[: text.index("[files]")] + "".join(
            ["[files]\n", *(f'"{name}" = {row}\n' for name, row in sorted(kept.items()))]
        )
