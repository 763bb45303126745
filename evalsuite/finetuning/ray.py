"""Train a sweep's adapters on a Ray cluster, several at a time: each on one GPU, or on one CPU per thread.

A training writes into the sweep's folder, which must be on a disk that all nodes share. A training whose process or node
dies is retried on any node, from its last complete checkpoint.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from socket import gethostname
from typing import Any

from evalsuite.backends import cluster as clusters
from evalsuite.backends.checkpoint import Checkpoint
from evalsuite.backends.cluster import (
    TRIES,
    Actor,
    Cluster,
    Needs,
    Ray,
    Worker,
    WorkerLostError,
    equal_share,
    for_actors,
    wait_for_call,
)
from evalsuite.backends.model import Model
from evalsuite.common.errors import BackendError
from evalsuite.common.files import replace_file
from evalsuite.evaluation.display import Display, TrainingProgress, TrainingStep
from evalsuite.finetuning.jobs import Job, finished
from evalsuite.finetuning.training import TrainingRow, require_packages, start_checkpoints, train

log = logging.getLogger(__name__)
_CLAIM = "claim"  # file in the checkpoints folder: token of the only actor that may write there
_EVERY = 1.0  # seconds between reported steps


def train_on_ray(todo: Iterable[Job], display: Display, name: str, address: str | None, replicas: int | None) -> None:
    """Train all jobs on the Ray cluster at an address. `name`: the first model's, for errors. Raises BackendError."""
    ray = Ray(name, address)
    try:
        train_all(todo, display, ray, replicas)
    finally:
        ray.leave()


def train_all(todo: Iterable[Job], display: Display, cluster: Cluster, replicas: int | None) -> None:
    """Train all jobs, `replicas` at a time, or as many as fit.

    Raises BackendError for trainings that failed; after a failure no job is started, and running ones are finished first.
    """
    trainings = _Trainings(todo, display, cluster, replicas)
    try:
        while trainings.send():
            trainings.receive()
    finally:
        trainings.cancel()
    if trainings.errors:
        raise BackendError("\n".join(dict.fromkeys(trainings.errors)))


class Trainer(Actor):
    """The actor that trains on a node. The driver pulls its reports one by one: steps, then the adapter's card."""

    def begin(self, *job: Any) -> TrainingStep | dict[str, Any]:
        self._reports = train_on_node(*job)
        return self.next()

    def next(self) -> TrainingStep | dict[str, Any]:
        return next(self._reports)


class _Training(Worker):
    """The driver's side of one training, with one call in flight."""

    def __init__(self, cluster: Cluster, job: Job, needs: Needs, attempt: int) -> None:
        super().__init__(cluster, Trainer, needs)
        self.job, self.attempt = job, attempt
        self.host: str | None = None  # None while the training waits for room
        self.progress: TrainingProgress | None = None
        self.calls[self.placed] = None
        self._line = ExitStack()  # keeps the display line open while the training runs

    def begin(self, host: str, display: Display) -> None:
        log.info("%s: training on %s", self.job.name, host)
        self.host = host
        self.progress = self._line.enter_context(display.training(self.job.name))
        job, token = self.job, uuid.uuid4().hex
        replace_file(start_checkpoints(job.folder, job.made_by) / _CLAIM, token)
        model = for_actors(job.base)
        if "num_gpus" not in self.needs:
            model = model.model_copy(update={"hf": model.hf.model_copy(update={"threads": self.needs["num_cpus"]})})
        self.send(None, "begin", model, job.rows, job.folder.absolute(), job.made_by, token)

    def end(self) -> None:
        self._line.close()
        self.kill()


class _Trainings:
    """The driver's side of all trainings."""

    def __init__(self, todo: Iterable[Job], display: Display, cluster: Cluster, replicas: int | None) -> None:
        self.errors: list[str] = []
        self._todo, self._display, self._cluster, self._replicas = iter(todo), display, cluster, replicas
        self._again: list[_Training] = []  # trainings that were lost, to be retried
        self._sent: list[_Training] = []
        self._needs: dict[str, Needs] = {}  # model -> resources of each of its trainings, fixed for the sweep

    def send(self) -> bool:
        """Start trainings while there is room. Returns False if none runs and none is left."""
        while not self.errors and self._has_room() and (training := self._next()):
            self._sent.append(training)
        return bool(self._sent)

    def _has_room(self) -> bool:
        """Whether another training may be sent. Without `replicas`, one training is sent ahead; it starts once the cluster has
        room."""
        if self._replicas:
            return len(self._sent) < self._replicas
        return all(training.host for training in self._sent)

    def _next(self) -> _Training | None:
        while self._again:
            lost = self._again.pop(0)
            if not finished(lost.job, self._display):  # the job may have finished before it was lost
                return _Training(self._cluster, lost.job, lost.needs, lost.attempt + 1)
        job = next(self._todo, None)
        if job is None:
            return None
        if job.base.name not in self._needs:
            self._needs[job.base.name] = training_needs(job.base, self._cluster, self._replicas)
            log.info("model %s: each adapter takes %s", job.base.name, self._needs[job.base.name])
        return _Training(self._cluster, job, self._needs[job.base.name], 1)

    def receive(self) -> None:
        """Wait for the next report of any training and handle it."""
        training, call = wait_for_call(self._cluster, self._sent, self._no_room)
        try:
            report = training.result(call, f"{training.job.name}: an error in its training")
        except WorkerLostError as why:
            self._drop(training)
            self._retry_or_give_up(training, str(why))
        except BackendError as error:
            self._drop(training)
            self._give_up(str(error))
        else:
            self._handle(training, report)

    def _no_room(self, needs: Needs) -> str:
        return (
            f"model {self._sent[0].job.base.name}: the Ray cluster has had no room for {clusters.PATIENCE:.0f} s: an "
            f"adapter's training needs {needs} on one node; see `ray status`"
        )

    def _handle(self, training: _Training, report: str | TrainingStep | dict[str, Any]) -> None:
        if isinstance(report, str):
            training.begin(report, self._display)
        elif training.progress and isinstance(report, TrainingStep):
            training.progress.step(report)
            training.send(None, "next")
        elif training.progress and isinstance(report, dict):
            training.progress.done(report)
            self._drop(training)

    def _retry_or_give_up(self, training: _Training, why: str) -> None:
        reason = f"{training.job.name} is lost on {training.host or 'its way to a node'}: {why}"
        if training.attempt < TRIES:
            log.warning("%s; it is tried again from its last checkpoint", reason)
            self._again.append(training)
        else:
            self._give_up(f"{reason} (tried {TRIES} times)")

    def _give_up(self, error: str) -> None:
        running = any(training.host for training in self._sent)
        waiting = "; running trainings are finished first" if running and not self.errors else ""
        log.error("%s%s", error, waiting)
        self.errors.append(error)
        for training in [t for t in self._sent if not t.host]:
            self._drop(training)

    def cancel(self) -> None:
        """Stop all trainings: the cluster may outlive the command."""
        for training in list(self._sent):
            self._drop(training)

    def _drop(self, training: _Training) -> None:
        self._sent.remove(training)
        training.end()


def training_needs(model: Model, cluster: Cluster, replicas: int | None) -> Needs:
    """Resources of a training: one GPU, else one CPU per thread of a local training.

    The number of threads affects an adapter's last bits, so it does not depend on which CPUs happen to be free.
    """
    import torch

    from evalsuite.backends.hf.backend import threads

    nodes = cluster.nodes()
    if model.device != "cpu" and any(node["GPU"] for node in nodes):
        return {"num_cpus": 1, "num_gpus": 1}
    sizes = [node["CPU"] for node in nodes]
    if model.hf.threads:
        return {"num_cpus": model.hf.threads}
    if replicas:
        return {"num_cpus": equal_share(sizes, replicas)}
    return {"num_cpus": max(1, min(threads(torch.get_num_threads()), max(sizes, default=1)))}


def train_on_node(
    model: Model, rows: Sequence[TrainingRow], folder: Path, made_by: dict[str, Any], token: str
) -> Iterator[TrainingStep | dict[str, Any]]:
    """Train on a node; yields steps, then the adapter's card. Raises BackendError, naming the node."""
    try:
        require_packages(model)
        if not _holds(folder, token):
            raise BackendError(
                f"{folder}: is another folder on this node; --out must be on a disk that all nodes of the "
                "cluster share, at the same path"
            )
        checkpoint = Checkpoint(model)
        if checkpoint.fingerprint() != made_by["base_fingerprint"]:
            raise BackendError(
                f"model {model.name}: other files of {model.path} than where the command runs; copy them"
            )
        steps: SimpleQueue[TrainingStep | None] = SimpleQueue()
        report = _Reporter(steps, folder, token)
        # Training runs in a thread, since its callbacks cannot yield.
        with ThreadPoolExecutor(1) as pool:
            card = pool.submit(train, model, checkpoint, rows, made_by["seed"], folder, made_by, report)
            card.add_done_callback(lambda _: steps.put(None))
            while (step := steps.get()) is not None:
                yield step
            yield card.result()
    except BackendError as error:
        raise BackendError(f"{error} (on node {gethostname()})") from None


class _Reporter:
    """Queues the last step, and of the others at most one a second; stops a training that lost its claim.

    A node that was disconnected, or whose command was killed, keeps training after its job was given to another node. The two
    must not write the same checkpoints.
    """

    def __init__(self, steps: SimpleQueue[TrainingStep | None], folder: Path, token: str) -> None:
        self._steps, self._folder, self._token = steps, folder, token
        self._last = float("-inf")

    def __call__(self, step: TrainingStep) -> None:
        now = time.monotonic()
        if now < self._last + _EVERY and step.step < step.steps:
            return
        if not _holds(self._folder, self._token):
            raise BackendError(f"{self._folder}: another task or command trains this adapter now")
        self._last = now
        self._steps.put(step)


def _holds(folder: Path, token: str) -> bool:
    """Whether the adapter's folder has a claim with this token."""
    try:
        return (folder / "checkpoints" / _CLAIM).read_text(encoding="utf-8") == token
    except OSError:
        return False
