"""A run on a real Ray cluster of two nodes on this machine: undisturbed, with a node lost, with the command stopped.

What else can go wrong is in test_cluster.py, which needs no cluster. Where the network is not the point, the model is that
of engine/prompt_engine.py, which waits at the block that the test names.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from conftest import ENGINE, ON_NODES
from needs import needs
from run_files import compared_files, reply_counts
from shared_fixtures import shared_folder
from sweeps import LARGE

from evalsuite.backends.model import HF, Generation, Model
from evalsuite.backends.ray import cluster
from evalsuite.backends.registry import load_backend
from evalsuite.types import Message, Request

needs("ray", "ray")

MODELS = """models:
  - {name: prompt, backend: prompt_engine, path: PATH}
  - {name: random, backend: baseline, path: random}
"""
# 32 requests to each model: eight blocks.
FEW = ["--tasks", "knowledge_filling,event_cause,slot_identification,conflict_detection", "--limit", "4"]


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ENGINE))


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """The command. Files in the folder `model` hold the engines."""
    (tmp_path / "model").mkdir()
    (tmp_path / "models.yaml").write_text(MODELS.replace("PATH", str(tmp_path / "model")))
    return ["run", "--models", str(tmp_path / "models.yaml"), "--out", str(tmp_path / "run"), *FEW]


@shared_folder
def local(folder: Path, cli: Callable[..., Any]) -> Path:
    """The run that all others must equal, byte for byte."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ENGINE))
        (folder / "models.yaml").write_text(MODELS.replace("PATH", str(folder)))
        cli("run", "--models", folder / "models.yaml", "--out", folder / "run", *FEW)
    return folder / "run"


def hold_nodes(folder: Path, blocks: int, *nodes: str) -> None:
    """Let the engines on these nodes wait once they have answered so many blocks."""
    for node in nodes:
        (folder / f"hold-{node}").write_text(str(blocks))


def release_nodes(folder: Path, *nodes: str) -> None:
    for node in nodes:
        (folder / f"hold-{node}").unlink()


def are_held(folder: Path, *nodes: str) -> bool:
    return all((folder / f"held-{node}").exists() for node in nodes)


def wait_for(true: Callable[[], bool], ended: Callable[[], bool]) -> None:
    while not true():
        assert not ended(), "the run ended too early"
        time.sleep(0.02)


@contextmanager
def act_when(true: Callable[[], bool], act: Callable[[], None]) -> Iterator[None]:
    """Run a thread beside the block, which waits until a condition is true and then acts."""
    over = Event()
    with ThreadPoolExecutor(1) as pool:
        acted = pool.submit(lambda: (wait_for(true, over.is_set), act()))
        try:
            yield
        finally:
            over.set()
        acted.result()


@pytest.mark.thorough
def test_two_nodes_give_what_one_process_gives(
    two_nodes: Any, local: Path, words: list[str], tmp_path: Path, cli: Callable[..., Any], capfd: Any
) -> None:
    model = tmp_path / "model"
    hold_nodes(model, 1, "head", "worker")  # so that each has its share, however late it is
    with act_when(lambda: are_held(model, "head", "worker"), lambda: release_nodes(model, "head", "worker")):
        done = cli(*words, "--executor", "ray", "--ray-address", two_nodes.address)
    assert compared_files(tmp_path / "run") == compared_files(local)
    assert reply_counts(tmp_path / "run") == reply_counts(local)
    assert all(line.startswith("✓") for line in done.stderr.splitlines())
    assert capfd.readouterr() == ("", ""), "Ray talks on the terminal"
    log = (tmp_path / "run" / "run.log").read_text()
    assert "for 2 replicas with {'num_cpus': 1}" in log and log.count("is ready") == 2
    import ray

    assert not ray.is_initialized(), "it did not leave the cluster"


@pytest.mark.thorough
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_command_is_resumed(
    two_nodes: Any, local: Path, words: list[str], tmp_path: Path, cli: Callable[..., Any], blow: signal.Signals
) -> None:
    """The run ends with its command, killed or interrupted. The next run asks none of the stored replies again, and neither do
    its replicas."""
    run, ray = tmp_path / "run", ("--executor", "ray", "--ray-address", two_nodes.address)
    hold_nodes(tmp_path / "model", 1, "head", "worker")
    env = {**{name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}, **ON_NODES}
    command = [sys.executable, "-m", "evalsuite.cli", *words, *ray]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env) as process:
        # A block of either node, which waits in its second.
        wait_for(lambda: reply_counts(run)[0] == 8, lambda: process.poll() is not None)
        process.send_signal(blow)
        said = process.communicate()[1]
    if blow == signal.SIGINT:
        assert process.returncode == 130 and said.splitlines()[-1].startswith("stopped;"), said
    assert reply_counts(run)[0] == 8 and not (run / "results.json").exists()
    while at_work(two_nodes.address):
        time.sleep(0.05)
    release_nodes(tmp_path / "model", "head", "worker")
    cli(*words, *ray, "--replicas", "1")
    assert compared_files(run) == compared_files(local)
    assert reply_counts(run) == reply_counts(local) and reply_counts(run)[1] == 1


def at_work(address: str) -> list[Path]:
    """Replicas on the cluster: Ray gives their processes the actor's name, and their parent knows the address."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cmdline").read_bytes().startswith(b"ray::Replica"):
                parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
                if address.encode() in Path("/proc", parent, "cmdline").read_bytes():
                    found.append(process)
        except OSError:  # the process ended meanwhile
            continue
    return found


@pytest.mark.thorough
def test_probes_patterns_and_adapters_on_two_nodes(two_nodes: Any, tiny: Path, sweep: Path) -> None:
    """The replies on two nodes are bit by bit those of one process."""
    pytest.importorskip("peft", reason="needs evalsuite[finetune]")
    given: dict[str, Any] = {"chat": True, "dtype": "float32", "device": "cpu", "hf": HF(threads=1)}
    model = Model(
        name="m", backend="hf", path=str(tiny), adapter=str(sweep / "adapters" / LARGE),
        generation=Generation(batch_tokens=256), **given,
    )  # fmt: skip
    asked = [
        Request("p", "你好", (Message("user", "你好"),), 8, scoring="nll",
                pairs=(("今天下雨，" + "因为" * (n % 9), "我要带伞。"), ("天晴，", "我要带伞" if n != 7 else "")))
        for n in range(20)
    ]  # fmt: skip
    asked += [replace(r, scoring="generate", pairs=()) for r in asked[:2]]
    asked += [
        replace(r, scoring="constrained", pairs=(), pattern=f"[是否]{{{n + 1}}}") for n, r in enumerate(asked[:6])
    ]
    found = []
    for backend in (load_backend(model), cluster(load_backend, two_nodes.address, 2)(model)):
        try:
            found.append(dict(chain.from_iterable(backend.generate(asked, [False] * len(asked)))))
        finally:
            backend.close()
    assert found[0] == found[1] and len(found[0]) == len(asked)
    assert [n for n, r in found[0].items() if r.error] == [7]


@pytest.mark.thorough
def test_a_node_lost_in_the_middle(
    two_nodes: Any, local: Path, words: list[str], tmp_path: Path, cli: Callable[..., Any]
) -> None:
    """The worker node's replica waits in its first block until its node is gone, the other in its second."""
    run, model = tmp_path / "run", tmp_path / "model"

    def lose_worker_node() -> None:
        two_nodes.remove_node(next(iter(two_nodes.worker_nodes)), allow_graceful=False)
        release_nodes(model, "head")  # the other's process outlives its node a little: it must not answer meanwhile

    hold_nodes(model, 1, "head")
    hold_nodes(model, 0, "worker")
    with act_when(lambda: are_held(model, "worker"), lose_worker_node):
        cli(*words, "--executor", "ray", "--ray-address", two_nodes.address)
    log = (run / "run.log").read_text()
    assert "a replica on" in log and "is lost" in log
    assert compared_files(run) == compared_files(local)
    assert reply_counts(run) == reply_counts(local) and reply_counts(run)[1] == 1
