"""Sweeps as tasks on a cluster: a whole one on a real Ray cluster of two nodes, which must end with a local one's bytes though
a task dies; real trainings on a cluster within this process, stopped, failing, or on a node that is not like the others.

Trainings that stand for real ones are in test_cluster.py.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from in_process import InProcess
from needs import needs
from sweeps import LARGE, SMALL, WHAT, models_file, weights

import evalsuite
from evalsuite.backends.cluster import WorkerLostError
from evalsuite.backends.model import Model
from evalsuite.backends.models import load_models
from evalsuite.benchmarks.registry import Corpora
from evalsuite.common.errors import BackendError
from evalsuite.common.resources import bundled
from evalsuite.evaluation.display import Display, TrainingStep
from evalsuite.evaluation.settings import Settings
from evalsuite.finetuning import ray as finetune_ray
from evalsuite.finetuning import sweep as sweeping
from evalsuite.finetuning import training
from evalsuite.finetuning.jobs import Job, finished
from evalsuite.finetuning.sweep import Sweep, make_jobs, make_pools

needs("finetune", "peft", "accelerate")


def cards(run: Path) -> list[dict[str, Any]]:
    found = [training.read_card(folder) or {} for folder in sorted(run.glob("adapters/*"))]
    return [{key: value for key, value in card.items() if key != "seconds"} for card in found]


def mortal_trainer(folder: Path) -> type[finetune_ray.Trainer]:
    """A trainer whose process dies, once, when it is to begin the larger adapter."""

    class Mortal(finetune_ray.Trainer):  # within the function: Ray then sends its code along
        def begin(self, *job: Any) -> Any:
            if job[2].name == LARGE and not (folder / "died").exists():
                (folder / "died").touch()
                os._exit(1)
            return super().begin(*job)

    return Mortal


@pytest.mark.thorough
def test_two_nodes_train_what_one_process_trains(
    two_nodes: Any,
    sweep: Path,
    tiny: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A lost task is tried again. The evaluation that follows is asked for on the cluster, too, and is done here,
    with one model: test_ray.py has adapters on two nodes."""
    run, evaluate = tmp_path / "run", sweeping.evaluate

    def evaluate_locally(settings: Settings, chosen: Sequence[Model], *rest: Any) -> Any:
        assert (settings.executor, settings.ray_address) == ("ray", two_nodes.address)
        return evaluate(replace(settings, executor="local"), chosen[-1:], *rest)

    monkeypatch.setattr(finetune_ray, "Trainer", mortal_trainer(tmp_path))
    monkeypatch.setattr(sweeping, "evaluate", evaluate_locally)
    asked = {**WHAT, "out": run, "executor": "ray", "ray_address": two_nodes.address}
    assert evalsuite.finetune(models_file(tmp_path, tiny), **asked).exit_code == 0

    log = (run / "finetune.log").read_text()
    assert "each adapter takes {'num_cpus': 1}" in log and log.count("training on") == 3
    assert log.count("tried again from its last checkpoint") == 1 and f"{LARGE} is lost on" in log
    assert weights(run) == weights(sweep) and cards(run) == cards(sweep)
    assert [card["threads"] for card in cards(sweep)] == [1, 1]
    assert (run / "models.yaml").read_bytes() == (sweep / "models.yaml").read_bytes()
    records = list((run / "records").iterdir())
    assert len(records) == 4 and all(p.read_bytes() == (sweep / "records" / p.name).read_bytes() for p in records)
    import ray

    assert not ray.is_initialized(), "it did not leave the cluster"


def all_of(file: Path, out: Path, sizes: Sequence[int]) -> list[Job]:
    given = Sweep(**{**WHAT, "sizes": sizes}, out=out)
    return list(make_jobs(load_models(file)[0], make_pools(Corpora(bundled("sample") / "data"), given), given))


def train(file: Path, out: Path, sizes: Sequence[int]) -> None:
    """The trainings of a sweep, on a cluster within this process."""
    with Display() as display:
        todo = [job for job in all_of(file, out, sizes) if not finished(job, display)]
        finetune_ray.train_all(todo, display, InProcess(), None)


@pytest.mark.thorough
def test_a_stopped_command_and_a_lost_task_go_on_from_the_checkpoint(
    sweep: Path,
    tiny: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file, run, steps = models_file(tmp_path, tiny), tmp_path / "run", []
    shutil.copytree(sweep / "adapters" / SMALL, run / "adapters" / SMALL)

    class Reporter(finetune_ray._Reporter):
        def __call__(self, step: TrainingStep) -> None:
            steps.append(step.step)
            if steps == [1, 2]:
                raise KeyboardInterrupt
            if steps == [1, 2, 2, 3]:
                raise WorkerLostError("it died")
            super().__call__(step)

    monkeypatch.setattr(finetune_ray, "_Reporter", Reporter)
    with pytest.raises(KeyboardInterrupt):
        train(file, run, [2, 6])
    assert not (run / "adapters" / LARGE / training.CARD).exists()
    train(file, run, [2, 6])
    assert steps == [1, 2, 2, 3, 3]
    assert weights(run) == weights(sweep) and cards(run) == cards(sweep)


def test_an_error_in_a_task_keeps_what_is_finished(tiny: Path, tmp_path: Path) -> None:
    other = tmp_path / "adapters" / LARGE / training.CARD
    other.parent.mkdir(parents=True)
    other.touch()
    with pytest.raises(BackendError, match=r"finetune: target_modules \['nope'\].*\(on node"):
        train(models_file(tmp_path, tiny, ", target_modules: [nope]"), tmp_path, [2])
    assert other.exists() and training.read_card(tmp_path / "adapters" / SMALL) is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"token": "of another"}, r"--out must be on a disk that all nodes of the cluster share.*\(on node"),
        ({"base_fingerprint": "hf:0"}, r"model tiny: other files of .* than where the command runs.*\(on node"),
    ],
)
def test_a_node_that_is_not_like_the_others(tiny: Path, tmp_path: Path, changed: dict[str, str], message: str) -> None:
    (job,) = all_of(models_file(tmp_path, tiny), tmp_path, [2])
    made_by = {**job.made_by, **{key: value for key, value in changed.items() if key in job.made_by}}
    (training.start_checkpoints(job.folder, made_by) / "claim").write_text("mine")
    with pytest.raises(BackendError, match=message):
        list(finetune_ray.train_on_node(job.base, job.rows, job.folder, made_by, changed.get("token", "mine")))
    assert training.read_card(job.folder) is None


def test_a_task_ends_when_another_has_taken_its_place(tmp_path: Path) -> None:
    (tmp_path / "checkpoints").mkdir()
    claim, steps = tmp_path / "checkpoints" / "claim", finetune_ray.SimpleQueue()
    claim.write_text("mine")
    report = finetune_ray._Reporter(steps, tmp_path, "mine")
    report(first := TrainingStep(1, 9, None, 1, 1.0))
    claim.write_text("of another")
    with pytest.raises(BackendError, match="another task or command trains this adapter now"):
        report(TrainingStep(9, 9, None, 1, 1.0))
    claim.unlink()
    with pytest.raises(BackendError, match="another task or command trains this adapter now"):
        report(TrainingStep(9, 9, None, 1, 1.0))
    assert steps.get() == first and steps.empty()


def test_nothing_is_waited_for_where_no_training_runs(caplog: pytest.LogCaptureFixture) -> None:
    """A training that waits for room is dropped, so that it is not among those that are finished first."""
    waiting: Any = SimpleNamespace(host=None, end=lambda: None)
    running: Any = SimpleNamespace(host="node", end=lambda: None)
    for sent, said in (([waiting], "lost"), ([waiting, running], "lost; running trainings are finished first")):
        trainings = finetune_ray._Trainings([], Display(), InProcess(), None)
        trainings._sent = [*sent]
        caplog.clear()
        trainings._give_up("lost")
        assert [record.getMessage() for record in caplog.records] == [said]
