"""The same run on a real Ray cluster of two nodes on this machine: undisturbed, with a node lost, with the command killed.

What else can go wrong is in test_cluster.py, which needs no cluster.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from evalsuite.backends.model import Generation, Model
from evalsuite.backends.ray import cluster
from evalsuite.backends.registry import load_backend
from evalsuite.types import Message, Request

pytest.importorskip("torch", reason="needs evalsuite[hf]")
pytest.importorskip("ray", reason="needs evalsuite[ray]")

ENV = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
# A lost node is noticed in a second instead of 15.
HEALTH = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 500, "health_check_failure_threshold": 2}
MODELS = """models:
  - name: tiny
    backend: hf
    path: PATH
    chat: true
    dtype: float32
    device: cpu
    trust_remote_code: true
    generation: {batch_tokens: 2048}
  - {name: random, backend: baseline, path: random}
"""
FEW = ["--tasks", "knowledge_filling,event_cause,slot_identification,conflict_detection", "--limit", "12"]


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A head and a worker with a CPU each, and with Hugging Face caches of their own."""
    from ray.cluster_utils import Cluster

    caches = tmp_path_factory.mktemp("caches")
    args = [{"num_cpus": 1, "env_vars": {**ENV, "HF_HOME": str(caches / name)}} for name in ("head", "worker")]
    found = Cluster(True, head_node_args={**args[0], "include_dashboard": False, "_system_config": HEALTH})
    found.caches, found.second = caches, args[1]
    yield found
    found.shutdown()


@pytest.fixture
def two(nodes: Any) -> Any:
    """The cluster, mended if an earlier test took a node away."""
    if not nodes.worker_nodes:
        nodes.add_node(**nodes.second)
    nodes.wait_for_nodes()
    return nodes


WAITS = """
import os, time
from pathlib import Path
from transformers import LlamaForCausalLM

FOLDER = Path({folder!r})

class Waits(LlamaForCausalLM):
    def forward(self, *args, **rest):
        while (FOLDER / "waits").exists() and os.environ.get("HF_HOME", "").endswith("worker"):
            (FOLDER / "waiting").touch()
            time.sleep(0.05)
        return super().forward(*args, **rest)
"""


@pytest.fixture(scope="module")
def model(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model; while there is a file `waits` beside it, it writes a file `waiting` and waits, on the worker node."""
    folder = tmp_path_factory.mktemp("model")
    shutil.copytree(tiny, folder / "tiny")
    (folder / "tiny" / "waits.py").write_text(WAITS.format(folder=str(folder)))
    config = json.loads((tiny / "config.json").read_text())
    config["auto_map"] = {"AutoModelForCausalLM": "waits.Waits"}
    (folder / "tiny" / "config.json").write_text(json.dumps(config))
    return folder / "tiny"


def models(folder: Path, path: Path) -> Path:
    file = folder / "models.yaml"
    file.write_text(MODELS.replace("PATH", str(path)))
    return file


def start(out: Path, file: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "evalsuite.cli", "run", "--models", str(file), "--out", str(out), *words]
    env = {**{name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}, **ENV}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def finish(process: subprocess.Popen[str], expect: int = 0) -> str:
    _, errors = process.communicate(timeout=1500)  # a hang, whatever else the machine does
    assert process.returncode == expect, errors
    return errors


def produce(run: Path) -> dict[str, bytes]:
    return {str(p.relative_to(run)): p.read_bytes() for p in [run / "results.json", *sorted(run.glob("records/*"))]}


def replies(run: Path) -> tuple[int, int]:
    """How many replies are stored, and the most often any was answered."""
    if not (run / "store.sqlite").is_file():
        return 0, 0
    with sqlite3.connect(run / "store.sqlite") as db:
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'replies'").fetchone():
            return 0, 0
        count, most = db.execute("SELECT count(*), max(asked) FROM replies").fetchone()
        return count, most or 0


def until(true: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    while not true():
        assert process.poll() is None, f"it ended too early: {process.communicate()[1]}"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def local(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run that all others must equal, byte for byte."""
    folder = tmp_path_factory.mktemp("local")
    finish(start(folder / "run", models(folder, model), *FEW))
    return folder / "run"


@pytest.mark.slow
def test_two_nodes_give_what_one_process_gives(two: Any, local: Path, tmp_path: Path, model: Path) -> None:
    errors = finish(
        start(tmp_path / "run", models(tmp_path, model), *FEW, "--executor", "ray", "--ray-address", two.address)
    )
    assert produce(tmp_path / "run") == produce(local)
    assert replies(tmp_path / "run") == replies(local)
    assert all(line.startswith("✓") for line in errors.splitlines()), "Ray talks on the terminal"
    assert "for 2 replicas with {'num_cpus': 1}" in (tmp_path / "run" / "run.log").read_text()


@pytest.mark.slow
def test_a_node_lost_in_the_middle(two: Any, local: Path, tmp_path: Path, model: Path) -> None:
    """The worker node's replica waits in its first block until its node is gone."""
    run, waits = tmp_path / "run", model.with_name("waits")
    waits.touch()
    process = start(run, models(tmp_path, model), *FEW, "--executor", "ray", "--ray-address", two.address)
    until(lambda: model.with_name("waiting").exists(), process)
    two.remove_node(next(iter(two.worker_nodes)), allow_graceful=False)
    waits.unlink()
    errors = finish(process)
    assert "a replica on" in errors and "is lost" in errors
    assert produce(run) == produce(local)
    assert replies(run) == replies(local) and replies(run)[1] == 1


@pytest.mark.slow
def test_killed_and_resumed(two: Any, local: Path, tmp_path: Path, model: Path) -> None:
    """The driver dies; what it had stored is not asked again, neither by other replicas."""
    run, file = tmp_path / "run", models(tmp_path, model)
    ray = ("--executor", "ray", "--ray-address", two.address)
    process = start(run, file, *FEW, *ray)
    until(lambda: replies(run)[0] >= 20, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    kept = replies(run)[0]
    assert not (run / "results.json").exists()
    finish(start(run, file, *FEW, *ray, "--replicas", "1"))
    assert produce(run) == produce(local)
    assert replies(run) == replies(local) and replies(run)[1] == 1 and kept >= 20


def hf(path: str, **settings: Any) -> Model:
    return Model(name="m", backend="hf", path=path, chat=True, dtype="float32", device="cpu", **settings)


@pytest.mark.slow
def test_probes_and_patterns_on_two_nodes(two: Any, tiny: Path) -> None:
    """Bit by bit what one process says."""
    model = hf(str(tiny), generation=Generation(batch_tokens=256))
    asked = [
        Request("p", "你好", (Message("user", "你好"),), 8, scoring="nll",
                pairs=(("今天下雨，" + "因为" * (n % 9), "我要带伞。"), ("天晴，", "我要带伞" if n != 7 else "")))
        for n in range(40)
    ]  # fmt: skip
    asked += [
        replace(r, scoring="constrained", pairs=(), pattern=f"[是否]{{{n + 1}}}") for n, r in enumerate(asked[:6])
    ]
    found = []
    for backend in (load_backend(model), cluster(load_backend, two.address, 2)(model)):
        try:
            found.append(dict(chain.from_iterable(backend.generate(asked, [False] * len(asked)))))
        finally:
            backend.close()
    assert found[0] == found[1] and len(found[0]) == len(asked)
    assert [n for n, r in found[0].items() if r.error] == [7]
