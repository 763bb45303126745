"""Fixtures that tests share: the sample, the embedded model, a browser, and the real data where they are."""

from __future__ import annotations

import asyncio
import fcntl
import gc
import io
import os
import shutil
import signal
import ssl
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import environment
import processes
import pytest
from cpu import BUDGET, Costs
from shared_fixtures import workers_folder
from sweeps import sweep  # noqa: F401 - a fixture of several modules

from evalsuite.benchmarks.corecode import BENCHMARK
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.common.resources import bundled

# Property tests try the same examples every time, and none is too slow for them. (Environments of single tests lack hypothesis.)
with suppress(ImportError):
    from hypothesis import settings

    settings.register_profile("steady", deadline=None, derandomize=True, print_blob=True)
    settings.load_profile("steady")

environment.scrub()

# A shell starts background jobs with SIGINT ignored, and so do their children: tests of Ctrl-C could stop nothing.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", type=int, default=0, metavar="N", help="tell the N tests that cost most CPU seconds")
    parser.addoption("--budget", action="store_true", help="write what files cost into tests/budget.toml")
    parser.addoption("--shuffle", metavar="SEED", help="files, and the tests of a file, in an order drawn by this seed")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Costs(config))
    gc.disable()  # nothing that a collection makes is garbage


LOADED = pytest.StashKey[int]()  # the number of loaded modules at the last `_freeze`


def pytest_collection_finish(session: pytest.Session) -> None:
    """Collect garbage seldom, and leave out the objects loaded so far: collecting them takes a fifth of the tests' time."""
    _freeze(session.config)
    gc.enable()
    gc.set_threshold(20_000, 10, 20)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Leave out the objects of libraries that a test loaded, too: closing a model collects all garbage, which takes a third of a
    second once torch is loaded."""
    if len(sys.modules) > item.config.stash[LOADED] + 200:
        _freeze(item.config)


def _freeze(config: pytest.Config) -> None:
    gc.collect()
    gc.freeze()
    config.stash[LOADED] = len(sys.modules)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[Any]:
    """Let one worker rewrite the assertions of changed test files for all: it takes twice as long as the rest of collection."""
    if "PYTEST_XDIST_WORKER" not in os.environ or not (stale := _stale_assertions()):
        return (yield)
    with (stale / "collection.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _stale_assertions():  # another worker has rewritten them meanwhile
            fcntl.flock(lock, fcntl.LOCK_UN)
        return (yield)


def _stale_assertions() -> Path | None:
    """The folder of the compiled tests if one of them is older than its source and the folder can be written; else None."""
    tests = Path(__file__).parent
    folder = tests / "__pycache__"
    end = f".{sys.implementation.cache_tag}-pytest-{pytest.__version__}.pyc"
    made = {path.name.removesuffix(end): path.stat().st_mtime for path in folder.glob(f"test_*{end}")}
    stale = any(made.get(path.stem, 0) < path.stat().st_mtime for path in tests.glob("test_*.py"))
    return folder if stale and os.access(folder, os.W_OK) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the files that cost most first: a worker that began one of them last would keep the others waiting. Files with tests
    on the cluster come before all others.

    A shuffled order depends on the seed and the test's name alone: pytest-xdist needs the same order in every worker."""
    for item in items:
        if "browse" in getattr(item, "fixturenames", ()):  # a page costs a second to open
            item.add_marker("slow")
    if seed := config.getoption("shuffle"):
        items.sort(key=lambda item: [Random(f"{seed}:{name}").random() for name in (item.path.name, item.nodeid)])
        return
    budget = tomllib.loads(BUDGET.read_text(encoding="utf-8"))
    cost = {name: sum(row) for name, row in budget["files"].items()}
    few = sum(budget["other files"])
    together = cluster_files()
    items.sort(key=lambda item: (item.path.name not in together, -cost.get(item.path.name, few), item.path.name))


def cluster_files() -> set[str]:
    """Names of the files with tests on the cluster. One worker gets them all: each worker that has one starts a cluster."""
    return {path.name for path in Path(__file__).parent.glob("test_*.py") if "two_nodes" in path.read_text("utf-8")}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give a worker whole files, since tests of a file share what they make, and the files on the cluster together."""
    from xdist.scheduler import LoadScopeScheduling

    together = cluster_files()

    class ByFile(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return "on the cluster" if Path(file).name in together else file

    config.option.loadscopereorder = False  # files are in the order of their costs
    return ByFile(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Iterator[Any]:
    """Write lone surrogates in messages as escapes: a worker cannot send them, and the whole run would end."""
    return _whole_characters((yield))


def _whole_characters(data: Any) -> Any:
    if isinstance(data, str):
        return data if data.isascii() else data.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(data, dict):
        return {_whole_characters(key): _whole_characters(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return type(data)(map(_whole_characters, data))
    return data


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Show the files that differ and the position of the first difference, not all their bytes."""
    if op != "==":
        return None
    if isinstance(left, bytes) and isinstance(right, bytes):
        return ["the bytes differ", *_difference(left, right)]
    if isinstance(left, dict) and isinstance(right, dict) and any(isinstance(x, bytes) for x in left.values()):
        told = ["the files differ"]
        for name in sorted(left.keys() | right.keys(), key=str):
            if name not in left or name not in right:
                told.append(f"{name}: only on the {'left' if name in left else 'right'}")
            elif left[name] != right[name]:
                told += [f"{name}:", *_difference(left[name], right[name])]
        return told[:20]
    return None


def _difference(left: bytes, right: bytes) -> list[str]:
    """The first line that differs, around the first character that does."""
    lines, others = ([*each.splitlines(keepends=True), b""] for each in (left, right))
    number = next(n for n, (one, other) in enumerate(zip(lines, others, strict=False)) if one != other)
    one, other = (each[number].decode(errors="backslashreplace") for each in (lines, others))
    start = max(0, next(n for n in range(len(one) + 1) if one[: n + 1] != other[: n + 1]) - 40)
    return [f"  line {number + 1}, from character {start + 1}"] + [
        f"  {side} {text[start : start + 120]!r}" for side, text in (("left: ", one), ("right:", other))
    ]


@pytest.fixture
def no_finalizers() -> Iterator[None]:
    """No garbage collection, for tests of texts nested 100,000 deep: finalizers of another test's garbage would run while the
    stack is full, and pytest would fail the test for their errors."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(scope="session")
def sample() -> CorecodeCorpus:
    return CorecodeCorpus(BENCHMARK, bundled("sample"))


@pytest.fixture(scope="session")
def tiny() -> Path:
    return bundled("models/tiny-zh")


@pytest.fixture
def oracle_and_majority(tmp_path: Path) -> Path:
    """A models.yaml of these two baselines."""
    rows = (f"{{name: {name}, backend: baseline, path: {name}}}" for name in ("oracle", "majority"))
    path = tmp_path / "models.yaml"
    path.write_text(f"models: [{', '.join(rows)}]\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of the real data sets; licences forbid shipping them."""
    folder = os.environ.get("EVALSUITE_TEST_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs the real data: set EVALSUITE_DATA to a folder with corecode/, … (CONTRIBUTING.md)")
    return Path(folder).resolve()


@pytest.fixture(scope="session")
def empty_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """An empty folder for tests that write nothing. They share one until something is written into it: a new one takes as long as
    a short test."""
    folders = [tmp_path_factory.mktemp("empty")]

    def empty() -> Path:
        if any(folders[-1].iterdir()):
            folders.append(tmp_path_factory.mktemp("empty"))
        return folders[-1]

    return empty


@pytest.fixture
def tokens_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of tokens in each forward pass of hf/prefill.py."""
    from evalsuite.backends.hf import prefill

    sizes: list[int] = []
    forward = prefill._forward

    def forward_and_count(net: object, kept: list[int], **given: Any) -> object:
        sizes.append(given["input_ids"].numel())
        return forward(net, kept, **given)

    monkeypatch.setattr(prefill, "_forward", forward_and_count)
    return sizes


@pytest.fixture(autouse=True)
def own_folder(
    request: pytest.FixtureRequest, empty_folder: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test works in a folder of its own: none reads what the checkout holds beside tracked files, or writes there."""
    own: bool = "tmp_path" in request.fixturenames
    monkeypatch.chdir(request.getfixturevalue("tmp_path") if own else empty_folder())


@pytest.fixture(autouse=True)
def free_space(monkeypatch: pytest.MonkeyPatch) -> None:
    """Free space for `doctor`, however full this machine's disk is."""
    monkeypatch.setattr("evalsuite.setup.machine.free_disk", lambda _: 10**12)


@dataclass(frozen=True)
class Done:
    """The exit code and the output of a command."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture(scope="session", autouse=True)
def named_models_only() -> Iterator[None]:
    """Runs in tests ask only the models that they name, without the usual baselines; tests/test_baselines.py tests
    those."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evalsuite.evaluation.journey.additional_baselines", lambda *_: [])
        yield


@pytest.fixture(scope="session", autouse=True)
def shared_certificates() -> Iterator[None]:
    """Clients of endpoints share the certificates of authorities: to read them takes as long as a short test, and the servers of
    tests have none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        if find_spec("httpcore2"):
            patch.setattr("httpcore2.default_ssl_context", cache(import_module("httpcore2").default_ssl_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def shared_parent(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All commands that need a process of their own are forked from one, whichever worker's test runs them."""
    processes.share(workers_folder(tmp_path_factory))


@pytest.fixture(scope="session")
def cli() -> Callable[..., Done]:
    """Runs a command of `evalsuite` in this process, as its entry point does: `cli("run", …, expect=2, COLUMNS="80")`.

    A process of its own would only add the seconds that imports take."""
    from evalsuite.cli.app import main

    def run(*words: object, expect: int = 0, **environment: str) -> Done:
        __tracebackhide__ = True  # a failure is reported in one line
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        code: int | str | None = 0
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.setattr(sys, "argv", ["evalsuite", *map(str, words)])
            patch.setattr(sys, "excepthook", sys.excepthook)  # the command sets it
            for name, value in environment.items():
                patch.setenv(name, value)
            try:
                main()
            except SystemExit as stop:
                code = stop.code
        said, told = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
        what = f"evalsuite {' '.join(map(str, words))}"
        assert (code or 0) == expect, f"{what}: ended with {code or 0}, expected {expect}\n{(said + told)[-3000:]}"
        return Done(expect, said, told)

    return run


ENGINE = Path(__file__).parent / "engine"  # a local model without a network, as another package's backend
ON_NODES = {
    "OMP_NUM_THREADS": "1",
    "HF_HUB_OFFLINE": "1",
    "PYTHONPATH": os.pathsep.join(filter(None, (str(ENGINE), os.environ.get("PYTHONPATH")))),
}
# Ray gives up a node that refuses five calls within a second. No living process refuses calls: a busy one answers late. Ray
# ends no tasks when other programs fill the machine's memory, and restarts a worker that died while it started before evalsuite
# gives up (cluster.PATIENCE).
PATIENT: dict[str, Any] = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 200,
    "health_check_failure_threshold": 5,
    "health_check_timeout_ms": 600_000,
    "worker_register_timeout_seconds": 120,
    "memory_monitor_refresh_ms": 0,
    # Nobody reads the metrics, and no process needs to wait for work: an actor starts its own.
    "enable_metrics_collection": False,
    "prestart_worker_first_driver": False,
}
UNWATCHED = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}


@pytest.fixture(scope="session")
def nodes_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The working folder of a cluster's processes. A test's own folder is removed after the test, and oneMKL ends a process whose
    working folder is gone."""
    return tmp_path_factory.mktemp("nodes")


@pytest.fixture(scope="session")
def nodes(nodes_folder: Path) -> Iterator[Any]:
    """A real Ray cluster on this machine: `head` and `worker` (the variable NODE of their processes) with a CPU each."""
    pytest.importorskip("ray", reason="needs evalsuite[ray]")
    from ray.cluster_utils import Cluster

    found = Cluster()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(nodes_folder)
        for name in ("RAY_raylet_start_wait_time_s", "RAY_gcs_server_port_wait_time_s"):
            patch.setenv(name, "600")
        head = {"num_cpus": 1, "env_vars": {**ON_NODES, "NODE": "head"}}
        found.add_node(wait=False, **head, **UNWATCHED, _system_config=PATIENT)
    yield found
    found.shutdown()


@pytest.fixture
def two_nodes(nodes: Any, nodes_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The cluster with both nodes, and with nothing on them: an earlier test may have taken one away."""
    from evalsuite.backends.cluster import Ray

    if not nodes.worker_nodes:
        with monkeypatch.context() as patch:
            patch.chdir(nodes_folder)
            nodes.add_node(wait=False, num_cpus=1, env_vars={**ON_NODES, "NODE": "worker"}, **UNWATCHED)
    nodes.wait_for_nodes(timeout=600)
    joined = Ray("none", nodes.address)
    while joined.nodes(free=True) != joined.nodes() or len(joined.nodes()) < 2:
        pass  # each question takes Ray some milliseconds, so that this loop does not spin
    joined.leave()
    return nodes


# The page draws parts out of sight when the browser idles; in tests it draws them at once, so that none waits.
AT_ONCE = "globalThis.requestIdleCallback = (work) => work();"
# The browser lays out a part when it comes near; in tests at once, except in those that draw many pages and measure nothing.
LAID_OUT = """
const seen = new CSSStyleSheet();
seen.replaceSync(".part { content-visibility: visible !important; }");
document.adoptedStyleSheets.push(seen);
"""
# Folded parts are shown, unless a test asks for the page as a reader gets it.
UNFOLDED = """
const shown = new CSSStyleSheet();
shown.replaceSync(`:is(#pickers, #findings-more, .section)::details-content { content-visibility: visible !important; }
  tbody.folded > tr { display: table-row !important; }`);
document.adoptedStyleSheets.push(shown);
"""


WINDOW = {"width": 1280, "height": 900}
ENDED = "html[data-drawn=all], #notice[role=alert]"  # a leaderboard: wholly drawn, or it says why it cannot be
PATIENCE = 180_000  # milliseconds: what does not come at all ends a test, what comes late on a busy machine does not


@contextmanager
def running_loop(loop: asyncio.AbstractEventLoop | None) -> Iterator[None]:
    """Set the thread's running event loop for a while."""
    before = asyncio._get_running_loop()
    asyncio._set_running_loop(loop)
    try:
        yield
    finally:
        asyncio._set_running_loop(before)


def clean(tab: Any) -> None:
    """Reset a tab to the state of a new one. The page itself clears its storage, after its own writings: the browser would
    clear it at a moment of its own, before a writing that is under way or after the next test's first one."""
    tab.evaluate("() => { try { localStorage.clear(); sessionStorage.clear(); } catch { /* it may keep nothing */ } }")
    tab.goto("about:blank")
    tab.emulate_media(reduced_motion="no-preference")
    tab.context.clear_permissions()
    session = tab.context.new_cdp_session(tab)
    session.send("Page.resetNavigationHistory")
    session.detach()


@pytest.fixture(scope="session")
def browse() -> Iterator[Callable[..., AbstractContextManager[Any]]]:
    """Opens a file in a fresh tab, without history, stored values or permissions. Any dialog, script error, console message or
    network request fails the test. `script` runs before the page's scripts; the tab waits for the selector `drawn`.

    A script error closes the tab, so that a test that waits for the page fails at once. A leaderboard that cannot be drawn, or is
    drawn without `drawn`, fails at once, too.

    All tabs are of one Chromium. A tab is cleaned and lent again, since a new one costs twice as much as a page; the tab of a
    failed test is closed.

    `wait_for_function` must be given a function: an expression would be evaluated by the page, which its policy forbids.

    Playwright leaves its event loop marked as the thread's running one between two calls, which keeps every other loop from
    running. The fixture marks it only while a tab is open."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs evalsuite[dev]")
    # The headless shell needs a quarter less CPU time for a page.
    path = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None)
    if path is None:
        pytest.skip("needs Chromium or Google Chrome on the PATH")
    sync_api.expect.set_options(timeout=PATIENCE)
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu", "--in-process-gpu"], timeout=PATIENCE
        )
        loop = asyncio.get_running_loop()

        idle: dict[str, list[tuple[Any, list[str]]]] = {}

        def new_tab(script: str, **context: Any) -> tuple[Any, list[str]]:
            noise: list[str] = []
            profile = chromium.new_context(**{"locale": "en-US"} | context)
            profile.set_default_timeout(PATIENCE)
            tab = profile.new_page()
            tab.on("console", lambda message: noise.append(message.text))
            tab.on("pageerror", lambda error: (noise.append(str(error)), tab.close()))
            tab.on("dialog", lambda dialog: (noise.append(dialog.message), dialog.dismiss()))
            tab.on("request", lambda r: None if r.url.startswith(("file:", "data:", "blob:")) else noise.append(r.url))
            if script:
                tab.add_init_script(script)
            return tab, noise

        @contextmanager
        def open_tab(
            file: Path,
            drawn: str = "table.overview",
            script: str = AT_ONCE,
            query: str = "",
            viewport: dict[str, int] = WINDOW,
            laid_out: bool = True,
            folded: bool = False,
            **context: Any,
        ) -> Iterator[Any]:
            script += (LAID_OUT if laid_out else "") + ("" if folded else UNFOLDED)
            alike = idle.setdefault(f"{script}{context}", [])
            with running_loop(loop):
                tab, noise = alike.pop() if alike else new_tab(script, **context)
                try:
                    tab.set_viewport_size(viewport)
                    tab.goto(file.as_uri() + query)
                    tab.wait_for_selector(f"{drawn}, {ENDED}")
                    assert tab.is_visible(drawn), f"no {drawn}: {tab.inner_text('body')[:300]}"
                    yield tab
                    clean(tab)
                except BaseException as error:
                    torn = tab.is_closed()
                    tab.context.close()
                    if torn:
                        raise AssertionError(f"a script of the page failed: {noise[:5]}") from error
                    error.add_note(f"The page said: {noise[:5]}" if noise else "The page said nothing.")
                    raise
                if noise:
                    tab.context.close()
                else:
                    alike.append((tab, noise))
            assert not noise

        with running_loop(None):
            yield open_tab
        chromium.close()
