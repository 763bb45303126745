"""The same sweep as tasks on a real Ray cluster of two nodes on this machine: same bytes, whatever dies on the way."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from once import made_once

import evalsuite
from evalsuite.backends.models import load_models
from evalsuite.benchmarks.registry import Corpora, task_named
from evalsuite.common.errors import BackendError
from evalsuite.common.resources import bundled
from evalsuite.evaluation.display import Display
from evalsuite.finetuning import ray as finetune_ray
from evalsuite.finetuning import training
from evalsuite.finetuning.jobs import Job, finished
from evalsuite.finetuning.sweep import Sweep, make_jobs, make_pool

pytest.importorskip("peft", reason="needs evalsuite[finetune]")
pytest.importorskip("accelerate", reason="needs evalsuite[finetune]")
pytest.importorskip("ray", reason="needs evalsuite[ray]")

ENV = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
ENTRY = """\
models:
  - name: tiny
    backend: hf
    path: {path}
    dtype: float32
    device: cpu
    trust_remote_code: true
    hf: {{threads: {threads}}}
    finetune: {{rank: 4, learning_rate: 2e-2, epochs: 2, batch: 2, gradient_accumulation: 2, checkpoint_steps: 1{more}}}
"""
WHAT: dict[str, Any] = {
    "model": ["tiny"], "tasks": ["knowledge_filling"], "sizes": [2, 12], "set": "easy", "test_size": 2,
}  # fmt: skip


def listed(folder: Path, path: Path, more: str = "", threads: int = 1) -> Path:
    file = folder / "given.yaml"
    file.write_text(ENTRY.format(path=path, more=more, threads=threads), encoding="utf-8")
    return file


def weights(run: Path) -> dict[str, bytes]:
    return {str(p.relative_to(run)): p.read_bytes() for p in sorted(run.glob("adapters/*/adapter_*"))}


def cards(run: Path) -> list[dict[str, Any]]:
    found = [training.read_card(folder) or {} for folder in sorted(run.glob("adapters/*"))]
    return [{key: value for key, value in card.items() if key != "seconds"} for card in found]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Two nodes with a CPU each."""
    from ray.cluster_utils import Cluster

    args = {"num_cpus": 1, "env_vars": ENV}
    # Ray would end tasks where others fill the machine's memory.
    config = {"memory_monitor_refresh_ms": 0}
    cluster = Cluster(True, head_node_args={**args, "include_dashboard": False, "_system_config": config})
    cluster.add_node(**args)
    cluster.wait_for_nodes()
    yield str(cluster.address)
    cluster.shutdown()


@made_once
def local(tiny: Path, folder: Path) -> Path:
    """The sweep that all others must equal."""
    assert evalsuite.finetune(listed(folder, tiny), **WHAT, out=folder / "run").exit_code == 0
    return folder / "run"


def all_of(file: Path, out: Path, sizes: list[int]) -> list[Job]:
    sweep = Sweep(**{**WHAT, "sizes": sizes}, out=out)
    found = make_pool(Corpora(bundled("sample") / "data"), task_named("knowledge_filling"), sweep)
    return list(make_jobs(load_models(file)[0], {"knowledge_filling": found}, sweep))


def train(address: str, file: Path, out: Path, sizes: list[int], replicas: int | None = None) -> None:
    """The sweep without its evaluation, which takes longer and is test_ray.py's."""
    with finetune_ray.cluster_trainer("tiny", address, replicas) as on_ray, Display() as display:
        on_ray([job for job in all_of(file, out, sizes) if not finished(job, display)], display)


@pytest.mark.slow
def test_two_nodes_train_what_one_process_trains(address: str, local: Path, tiny: Path, tmp_path: Path) -> None:
    asked = {**WHAT, "out": tmp_path / "run", "executor": "ray", "ray_address": address}
    assert evalsuite.finetune(listed(tmp_path, tiny), **asked).exit_code == 0
    assert weights(tmp_path / "run") == weights(local) and cards(tmp_path / "run") == cards(local)
    assert [card["threads"] for card in cards(local)] == [1, 1]
    for name in ("results.json", "models.yaml"):
        assert (tmp_path / "run" / name).read_bytes() == (local / name).read_bytes()
    log = (tmp_path / "run" / "finetune.log").read_text()
    assert "each adapter takes {'num_cpus': 1}" in log and log.count("training on") == 2
    import ray

    assert not ray.is_initialized(), "it did not leave the cluster"


POISON = """
import os
from pathlib import Path
from transformers import LlamaForCausalLM

COUNT = Path({count!r})

class Poison(LlamaForCausalLM):
    def forward(self, *args, **rest):
        if self.training:
            done = len(COUNT.read_text()) if COUNT.exists() else 0
            if done == {dies}:
                COUNT.write_text("x" * {dies} + "!")
                os._exit(1)
            COUNT.write_text("x" * (done + 1))
        return super().forward(*args, **rest)
"""


def poisoned(tiny: Path, folder: Path, dies: int) -> Path:
    """The model as one that dies, once, of the training's batch `dies`."""
    model = folder / tiny.name
    shutil.copytree(tiny, model)
    (model / "poison.py").write_text(POISON.format(count=str(folder / "count"), dies=dies))
    config = json.loads((model / "config.json").read_text())
    config["auto_map"] = {"AutoModelForCausalLM": "poison.Poison"}
    (model / "config.json").write_text(json.dumps(config))
    return model


@pytest.mark.slow
def test_a_lost_task_goes_on_from_its_checkpoint(
    address: str, local: Path, tiny: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    train(address, listed(tmp_path, poisoned(tiny, tmp_path, dies=5)), tmp_path / "run", [12])
    assert caplog.text.count("is lost on") == 1 and "tried again from its last checkpoint" in caplog.text
    name = "adapters/tiny+knowledge_filling-12-s1/adapter_model.safetensors"
    assert weights(tmp_path / "run")[name] == weights(local)[name]
    # Of 12 batches, two a step, the fifth was never done; the first four were not done again.
    assert len((tmp_path / "count").read_text()) == 5 + 1 + 12 - 4


@pytest.mark.slow
def test_an_error_in_a_task_keeps_what_is_finished(address: str, local: Path, tiny: Path, tmp_path: Path) -> None:
    shutil.copytree(local / "adapters", tmp_path / "run" / "adapters")
    shutil.rmtree(tmp_path / "run" / "adapters" / "tiny+knowledge_filling-2-s1")
    file = listed(tmp_path, tiny, ", target_modules: [nope]")
    with pytest.raises(BackendError, match=r"finetune: target_modules \['nope'\].*\(on node"):
        train(address, file, tmp_path / "run", [2], replicas=1)
    assert list(weights(tmp_path / "run")) == [name for name in weights(local) if "-12-" in name]


@pytest.mark.slow
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_command(address: str, local: Path, tiny: Path, tmp_path: Path, blow: signal.Signals) -> None:
    """Nothing goes on without it, and the same command ends with the same bytes."""
    file, out = listed(tmp_path, tiny), tmp_path / "run"
    words = [
        "--models",
        str(file),
        "--model",
        "tiny",
        "--tasks",
        "knowledge_filling",
        "--sizes",
        "2,12",
        "--set",
        "easy",
    ]
    words += ["--test-size", "2", "--out", str(out), "--executor", "ray", "--ray-address", address]
    command = [sys.executable, "-m", "evalsuite.cli", "finetune", *words]
    process = subprocess.Popen(command, env={**os.environ, **ENV}, stderr=subprocess.PIPE, text=True)
    work = out / "adapters" / "tiny+knowledge_filling-12-s1" / "checkpoints"
    while not (work / "checkpoint-1" / "whole.json").exists():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    process.send_signal(blow)
    said = process.communicate(timeout=1500)[1]
    if blow == signal.SIGINT:
        assert process.returncode == 130 and said.splitlines()[-1].startswith("stopped;"), said
    ends = time.monotonic() + 600
    while (left := at_work(address)) and time.monotonic() < ends:
        time.sleep(0.1)
    assert not left and work.is_dir()
    train(address, file, out, [2, 12])
    assert weights(out) == weights(local) and cards(out) == cards(local)


def at_work(address: str) -> list[Path]:
    """Processes that train on the cluster: Ray gives them their actor's name, and their parent knows the address."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cmdline").read_bytes().startswith(b"ray::Trainer"):
                parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
                if address.encode() in Path("/proc", parent, "cmdline").read_bytes():
                    found.append(process)
        except OSError:  # it ended meanwhile
            continue
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"token": "of another"}, r"--out must be on a disk that all nodes of the cluster share.*\(on node"),
        ({"base_fingerprint": "hf:0"}, r"model tiny: other files of .* than where the command runs.*\(on node"),
    ],
)
def test_a_node_that_is_not_like_the_others(tiny: Path, tmp_path: Path, changed: dict[str, str], message: str) -> None:
    (job,) = all_of(listed(tmp_path, tiny), tmp_path, [2])
    made_by = {**job.made_by, **{key: value for key, value in changed.items() if key in job.made_by}}
    (training.start_checkpoints(job.folder, made_by) / "claim").write_text("mine")
    with pytest.raises(BackendError, match=message):
        list(finetune_ray.train_on_node(job.base, job.rows, job.folder, made_by, changed.get("token", "mine")))
    assert training.read_card(job.folder) is None


@pytest.mark.slow
def test_a_task_ends_when_another_has_taken_its_place(tiny: Path, tmp_path: Path) -> None:
    (job,) = all_of(listed(tmp_path, tiny), tmp_path, [2])
    claim = training.start_checkpoints(job.folder, job.made_by) / "claim"
    claim.write_text("mine")
    found = finetune_ray.train_on_node(job.base, job.rows, job.folder, job.made_by, "mine")
    (card,) = [x for x in found if isinstance(x, dict)]
    assert card["steps"] == 1 and card == training.read_card(job.folder)
    shutil.rmtree(job.folder)
    claim = training.start_checkpoints(job.folder, job.made_by) / "claim"
    claim.write_text("of another")
    with pytest.raises(BackendError, match="another task or command trains this adapter now"):
        finetune_ray._Reporter(finetune_ray.SimpleQueue(), job.folder, "mine")(training.Step(1, 9, None, 1, 1.0))
