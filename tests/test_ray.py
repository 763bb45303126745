"""The same run on a real Ray cluster of two nodes on this machine, undisturbed and with what can go wrong."""

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
from once import made_once

from evalsuite.backends import load
from evalsuite.backends import ray as executor
from evalsuite.backends.models import HF, Generation, Model
from evalsuite.backends.ray import cluster, share
from evalsuite.benchmarks.corecode.loader import Corpus
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import BackendError
from evalsuite.common.resources import bundled
from evalsuite.prompt import Prompt
from evalsuite.types import Item, Message, Request

pytest.importorskip("torch", reason="needs evalsuite[hf]")
pytest.importorskip("ray", reason="needs evalsuite[ray]")

ENV = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
# A lost node is noticed in a second instead of 15.
HEALTH = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 500, "health_check_failure_threshold": 2}
MODELS = """models:
  - {name: tiny, backend: hf, path: PATH, chat: true, dtype: float32, device: cpu, generation: {batch_tokens: 2048}}
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


def models(folder: Path, path: Path, more: str = "") -> Path:
    file = folder / "models.yaml"
    file.write_text(MODELS.replace("PATH", str(path)).replace("float32,", f"float32, {more}"))
    return file


def start(out: Path, file: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "evalsuite.cli", "run", "--models", str(file), "--out", str(out), *words]
    env = {**{name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}, **ENV}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def finish(process: subprocess.Popen[str], expect: int = 0) -> str:
    _, errors = process.communicate(timeout=300)
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


@made_once
def local(tiny: Path, folder: Path) -> Path:
    """The run that all others must equal, byte for byte."""
    finish(start(folder / "run", models(folder, tiny), *FEW))
    return folder / "run"


@pytest.mark.slow
def test_two_nodes_give_what_one_process_gives(two: Any, local: Path, tmp_path: Path, tiny: Path) -> None:
    errors = finish(
        start(tmp_path / "run", models(tmp_path, tiny), *FEW, "--executor", "ray", "--ray-address", two.address)
    )
    assert produce(tmp_path / "run") == produce(local)
    assert replies(tmp_path / "run") == replies(local)
    assert all(line.startswith("✓") for line in errors.splitlines()), "Ray talks on the terminal"
    assert "for 2 replicas with {'num_cpus': 1}" in (tmp_path / "run" / "run.log").read_text()


@pytest.mark.slow
def test_a_node_lost_in_the_middle(two: Any, local: Path, tmp_path: Path, tiny: Path) -> None:
    run = tmp_path / "run"
    process = start(run, models(tmp_path, tiny), *FEW, "--executor", "ray", "--ray-address", two.address)
    # Both work: the one that is lost, too.
    until(lambda: replies(run)[0] > 0 and (run / "run.log").read_text().count("is ready") == 2, process)
    two.remove_node(next(iter(two.worker_nodes)), allow_graceful=False)
    assert process.poll() is None, "it ended before the node was lost"
    errors = finish(process)
    assert "a replica on" in errors and "is lost" in errors
    assert produce(run) == produce(local)
    assert replies(run) == replies(local) and replies(run)[1] == 1


@pytest.mark.slow
def test_killed_and_resumed(two: Any, local: Path, tmp_path: Path, tiny: Path) -> None:
    """The driver dies; what it had stored is not asked again, neither by other replicas."""
    run, file = tmp_path / "run", models(tmp_path, tiny)
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


POISON = """
import os
from transformers import LlamaForCausalLM

class Poison(LlamaForCausalLM):
    def forward(self, input_ids=None, **rest):
        if input_ids is not None and input_ids.shape[1] >= {width}:
            os._exit(1)
        return super().forward(input_ids=input_ids, **rest)
"""


@pytest.mark.slow
def test_a_block_that_kills_every_replica(two: Any, local: Path, tmp_path: Path, tiny: Path) -> None:
    """A model that dies of the longest prompt: that prompt's block fails, the others are answered as ever."""
    name = next(n for n in produce(local) if "tiny" in n and "easy" in n and "knowledge_filling" in n)
    whole = [json.loads(line) for line in produce(local)[name].splitlines()]
    lengths = [record["prompt_tokens"] for record in whole]
    model = tmp_path / "model"
    shutil.copytree(tiny, model)
    (model / "poison.py").write_text(POISON.format(width=max(lengths)))
    config = json.loads((model / "config.json").read_text())
    config["auto_map"] = {"AutoModelForCausalLM": "poison.Poison"}
    (model / "config.json").write_text(json.dumps(config))
    errors = finish(
        start(tmp_path / "run", models(tmp_path, model, "trust_remote_code: true,"), "--model", "tiny",
              "--tasks", "knowledge_filling", "--set", "easy", "--limit", "12",
              "--executor", "ray", "--ray-address", two.address),
        expect=1,
    )  # fmt: skip
    assert errors.count("is lost") == 3 and "3 replicas died over the block" in errors
    (path,) = (tmp_path / "run").glob("records/*")
    found = [json.loads(line) for line in path.read_text().splitlines()]
    failed = {n for n, record in enumerate(found) if record["error"]}
    assert lengths.index(max(lengths)) in failed and len(failed) < 6
    for n, record in enumerate(found):
        assert record["reply"] == (None if n in failed else whole[n]["reply"])


def hf(path: str, **settings: Any) -> Model:
    return Model(name="m", backend="hf", path=path, chat=True, dtype="float32", device="cpu", **settings)


@pytest.mark.slow
def test_nodes_with_different_files(two: Any, sample: Corpus, tiny: Path) -> None:
    """A hub model of which the nodes' caches hold different commits."""
    for home, commit in (("head", "a" * 40), ("worker", "b" * 40)):
        place = two.caches / home / "hub" / "models--team--tiny"
        shutil.copytree(tiny, place / "snapshots" / commit)
        (place / "refs").mkdir()
        (place / "refs" / "main").write_text(commit)
    prompt = Prompt(bundled("prompts"), TASKS["event_cause"], "paper")
    requests = [prompt.request(item) for item in sample.file(TASKS["event_cause"], "easy", "test").items] * 20
    backend = cluster(load, two.address, 2)(hf("team/tiny", generation=Generation(batch_tokens=1024)))
    try:
        assert backend.tokens(requests[0]) > 0
        with pytest.raises(BackendError, match=r"nodes .* and .* hold different files of team/tiny"):
            list(chain.from_iterable(backend.generate(requests, [False] * len(requests))))
    finally:
        backend.close()


@pytest.mark.slow
def test_probes_and_patterns_on_two_nodes(two: Any, tiny: Path) -> None:
    """Bit by bit what one process says."""
    model = hf(str(tiny), generation=Generation(batch_tokens=256))
    item = Item("p", "inference_probing", "easy", "test", ("A: 你好。",), "为什么？", references=("x",))
    asked = [
        Request(item, "paper", "你好", (Message("user", "你好"),), (), 0, 8, scoring="nll",
                pairs=(("今天下雨，" + "因为" * (n % 9), "我要带伞。"), ("天晴，", "我要带伞" if n != 7 else "")))
        for n in range(40)
    ]  # fmt: skip
    asked += [
        replace(r, scoring="constrained", pairs=(), pattern=f"[是否]{{{n + 1}}}") for n, r in enumerate(asked[:6])
    ]
    found = []
    for backend in (load(model), cluster(load, two.address, 2)(model)):
        try:
            found.append(dict(chain.from_iterable(backend.generate(asked, [False] * len(asked)))))
        finally:
            backend.close()
    assert found[0] == found[1] and len(found[0]) == len(asked)
    assert [n for n, r in found[0].items() if r.error] == [7]


@pytest.mark.slow
def test_no_room_on_the_cluster(two: Any, tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "PATIENCE", 1.0)
    with pytest.raises(BackendError, match=r"model m: the Ray cluster has had no room for 1 s.*'num_cpus': 64"):
        cluster(load, two.address, None)(hf(str(tiny), hf=HF(threads=64)))
    import ray

    assert not ray.is_initialized(), "it did not leave the cluster"


@pytest.mark.slow
def test_a_model_that_no_node_can_load(two: Any) -> None:
    with pytest.raises(BackendError, match=r"no replica is left.*model m: cannot load /nowhere.*\(on node"):
        cluster(load, two.address, None)(hf("/nowhere"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:1", "model m: cannot join the Ray cluster at 127.0.0.1:1 .*refused"),
        ("nonsense", "model m: cannot join the Ray cluster at nonsense .*[Ii]nvalid"),
        ("host:port", "model m: cannot join the Ray cluster at host:port"),
        ("ray://127.0.0.1:10001", "expected HOST:PORT or auto, and this command on a node"),
    ],
)
def test_a_cluster_that_cannot_be_joined(address: str, message: str) -> None:
    with pytest.raises(BackendError, match=message):
        cluster(load, address, None)(hf("anything"))


@pytest.mark.slow
def test_the_address_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(BackendError, match=r"127\.0\.0\.1:1"):
        cluster(load, None, None)(hf("anything"))


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # what Python itself puts there to forbid an import
    with pytest.raises(BackendError, match=r"needs `pip install 'evalsuite\[ray\]'`"):
        cluster(load, None, None)(hf("anything"))
    assert cluster(load, None, None)(Model(name="b", backend="baseline", path="random")).context is None


@pytest.mark.parametrize(
    ("sizes", "count", "each"),
    [([8, 8], 2, 8), ([8, 8], 4, 4), ([8, 8], 3, 4), ([4, 64], 2, 32), ([2], 5, 1), ([], 1, 1)],
)
def test_equal_shares_of_unequal_nodes(sizes: list[int], count: int, each: int) -> None:
    assert share(sizes, count) == each
