"""Adapters of a sweep as tasks on a Ray cluster, several at a time: each on one GPU, or on as many CPUs as it has threads.

A task trains into the sweep's own folder, which must lie on a disk that all nodes share: so a task that is lost with its
worker or node goes on, wherever it is tried again, from its last whole checkpoint. It tells of its steps by yielding them.
"""

from __future__ import annotations

import logging
import socket
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from evalsuite.backends import ray as executor
from evalsuite.backends.checkpoint import Checkpoint
from evalsuite.backends.model import Model
from evalsuite.common.errors import BackendError
from evalsuite.evaluation.display import Display, Step, TrainingProgress
from evalsuite.finetuning.sweep import Job, finished
from evalsuite.finetuning.training import Row, begin, require, train

log = logging.getLogger(__name__)
_CLAIM = "claim"  # in a training's checkpoints: the token of the one task that may write there
_EVERY = 1.0  # seconds between two steps that are told of


@contextmanager
def cluster(name: str, address: str | None, replicas: int | None) -> Iterator[Callable[[Iterable[Job], Display], None]]:
    """Joins the cluster, for the training and for what else is done within; gives what trains jobs on it."""
    ours = executor.join(name, address)
    try:
        yield partial(train_all, replicas=replicas)
    finally:
        if ours:
            import ray

            ray.shutdown()


@dataclass(slots=True)
class _Task:
    """A job on the cluster."""

    job: Job
    attempt: int
    needs: dict[str, int]
    host: str | None = None  # None: it waits for room
    progress: TrainingProgress | None = None
    line: ExitStack = field(default_factory=ExitStack)  # holds the display's line while it is at work


def train_all(todo: Iterable[Job], display: Display, replicas: int | None) -> None:
    """Train all, `replicas` at a time, or as many as there is room for.

    After an error no more are begun, as in a local sweep; those at work are finished, and then it is raised.
    """
    tasks = _Tasks(todo, display, replicas)
    try:
        while tasks.send():
            tasks.receive()
    finally:
        tasks.cancel()
    if tasks.errors:
        raise BackendError("\n".join(dict.fromkeys(tasks.errors)))


class _Tasks:
    """The driver's side of the tasks."""

    def __init__(self, todo: Iterable[Job], display: Display, replicas: int | None) -> None:
        self.errors: list[str] = []
        self._todo, self._display, self._replicas = iter(todo), display, replicas
        self._again: list[_Task] = []  # lost ones
        self._at_work: dict[Any, _Task] = {}  # Ray's generator -> task
        self._needs: dict[str, dict[str, int]] = {}  # model -> what each of its tasks takes, the same to the end

    def send(self) -> bool:
        """Send tasks while there is room for more. False: nothing is at work, and nothing left to do."""
        while not self.errors and self._room() and (task := self._next()):
            self._start(task)
        return bool(self._at_work)

    def _room(self) -> bool:
        """Without a number to keep to, one more than have begun is sent: it begins as soon as the cluster has room."""
        if self._replicas:
            return len(self._at_work) < self._replicas
        return all(task.host for task in self._at_work.values())

    def _next(self) -> _Task | None:
        while self._again:
            task = self._again.pop(0)
            if not finished(task.job, self._display):  # it may have been lost between its last byte and saying so
                return task
        job = next(self._todo, None)
        if job is None:
            return None
        if job.base.name not in self._needs:
            self._needs[job.base.name] = _needs(job.base, self._replicas)
            log.info("model %s: each adapter takes %s", job.base.name, self._needs[job.base.name])
        return _Task(job, 1, self._needs[job.base.name])

    def _start(self, task: _Task) -> None:
        import ray

        job, token = task.job, uuid.uuid4().hex
        (begin(job.folder, job.made_by) / _CLAIM).write_text(token)
        model = executor.for_actors(job.base)
        if "num_gpus" not in task.needs:
            model = model.model_copy(update={"hf": model.hf.model_copy(update={"threads": task.needs["num_cpus"]})})
        # Tried again by us, not by Ray: its driver must know, and it would try without end where memory is too small.
        remote = ray.remote(max_retries=0, scheduling_strategy="SPREAD", **task.needs)(_train)
        generator = remote.remote(model, job.rows, job.folder.absolute(), job.made_by, token)
        self._at_work[generator] = task

    def receive(self) -> None:
        """Wait for the next that a task tells of, and act on it."""
        import ray

        begun = any(task.host for task in self._at_work.values())
        ready, _ = ray.wait(list(self._at_work), num_returns=1, timeout=None if begun else executor.PATIENCE)
        if not ready:
            task = next(iter(self._at_work.values()))
            raise BackendError(
                f"model {task.job.base.name}: the Ray cluster has had no room for {executor.PATIENCE:.0f} s: an adapter's "
                f"training needs {task.needs} on one node; see `ray status`"
            )
        generator = ready[0]
        task = self._at_work[generator]
        try:
            told = ray.get(next(generator))
        except (ray.exceptions.RayError, StopIteration) as error:
            del self._at_work[generator]
            task.line.close()
            self._failed(task, error)
        else:
            self._told(generator, task, told)

    def _told(self, generator: Any, task: _Task, told: str | Step | dict[str, Any]) -> None:
        if isinstance(told, str):
            log.info("%s: trained on %s", task.job.name, told)
            task.host, task.progress = told, task.line.enter_context(self._display.training(task.job.name))
        elif task.progress and isinstance(told, Step):
            task.progress.step(told)
        elif task.progress and isinstance(told, dict):
            del self._at_work[generator]
            task.progress.done(told)
            task.line.close()

    def _failed(self, task: _Task, error: Exception) -> None:
        import ray

        name = task.job.name
        if isinstance(error, ray.exceptions.RayTaskError):
            cause = error.cause
            if isinstance(cause, BackendError):
                self._give_up(str(cause))
            else:
                log.error("%s: an error in its task: %s", name, error)  # with the task's trace
                self._give_up(f"{name}: an error in its training: {type(cause).__name__}: {cause}")
            return
        why = executor.brief(error)
        if isinstance(error, ray.exceptions.OutOfMemoryError):  # of the node, not of a GPU
            why = "Ray ended it because its node is low on memory; try fewer --replicas, or make room there"
        reason = f"{name} is lost on {task.host or 'its way to a node'}: {why}"
        if task.attempt < executor.TRIES:
            log.warning("%s; it is tried again from its last checkpoint", reason)
            self._again.append(_Task(task.job, task.attempt + 1, task.needs))
        else:
            self._give_up(f"{reason} (tried {executor.TRIES} times)")

    def _give_up(self, error: str) -> None:
        waiting = "; those at work are finished first" if self._at_work and not self.errors else ""
        log.error("%s%s", error, waiting)
        self.errors.append(error)
        for generator in [g for g, task in self._at_work.items() if not task.host]:
            self._drop(generator)

    def cancel(self) -> None:
        """Nothing goes on once the command has ended, on a cluster that does not end with it either."""
        for generator in list(self._at_work):
            self._drop(generator)

    def _drop(self, generator: Any) -> None:
        import ray

        self._at_work.pop(generator).line.close()
        ray.cancel(generator, force=True)


def _needs(model: Model, replicas: int | None) -> dict[str, int]:
    """What a task takes: a GPU; without one a CPU for each thread, which a local run here would have.

    The number of threads decides an adapter's last bits, so what happens to be free has no say in it.
    """
    import ray
    import torch

    from evalsuite.backends.hf.backend import _threads

    if model.device != "cpu" and ray.cluster_resources().get("GPU"):
        return {"num_cpus": 1, "num_gpus": 1}
    sizes = [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
    if model.hf.threads:
        return {"num_cpus": model.hf.threads}
    if replicas:
        return {"num_cpus": executor.share(sizes, replicas)}
    return {"num_cpus": max(1, min(_threads(torch.get_num_threads()), max(sizes, default=1)))}


def _train(
    model: Model, rows: Sequence[Row], folder: Path, made_by: dict[str, Any], token: str
) -> Iterator[str | Step | dict[str, Any]]:
    """What runs in a task: yields its host's name, then steps, then the adapter's card."""
    host = socket.gethostname()
    yield host
    try:
        require(model)
        if not _holds(folder, token):
            raise BackendError(
                f"{folder}: not the folder that the command sees under this name: --out must be on a disk that all nodes "
                "of the cluster share, at the same path"
            )
        checkpoint = Checkpoint(model)
        if checkpoint.fingerprint() != made_by["base_fingerprint"]:
            raise BackendError(
                f"model {model.name}: other files of {model.path} than where the command runs; make them the same"
            )
        steps: SimpleQueue[Step | None] = SimpleQueue()
        tell = _Telling(steps, folder, token)
        # A thread of its own, since what is called back from within a training cannot yield.
        with ThreadPoolExecutor(1) as pool:
            card = pool.submit(train, model, checkpoint, rows, made_by["seed"], folder, made_by, tell)
            card.add_done_callback(lambda _: steps.put(None))
            while (step := steps.get()) is not None:
                yield step
            yield card.result()
    except BackendError as error:
        raise BackendError(f"{error} (on node {host})") from None


class _Telling:
    """Puts steps into a queue, the last and at most one a second, and ends a training that is no longer wanted.

    A node that is cut off goes on for a while after its task was given to another, and so does one whose command was
    killed: two must not write the same checkpoints.
    """

    def __init__(self, steps: SimpleQueue[Step | None], folder: Path, token: str) -> None:
        self._steps, self._folder, self._token = steps, folder, token
        self._last = float("-inf")

    def __call__(self, step: Step) -> None:
        now = time.monotonic()
        if now < self._last + _EVERY and step.step < step.steps:
            return
        if not _holds(self._folder, self._token):
            raise BackendError(f"{self._folder}: another task or command trains this adapter now")
        self._last = now
        self._steps.put(step)


def _holds(folder: Path, token: str) -> bool:
    try:
        return (folder / "checkpoints" / _CLAIM).read_text() == token
    except OSError:
        return False
