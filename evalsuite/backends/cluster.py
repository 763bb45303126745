"""The cluster on which model replicas and adapter trainings run: its actors, their placement, and their deaths.

`Ray` is a Ray cluster. The tests have another `Cluster`, without processes or time (tests/in_process.py).
"""

from __future__ import annotations

import logging
import os
import socket
import textwrap
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from evalsuite.backends.model import Model
from evalsuite.common.errors import BackendError

log = logging.getLogger(__name__)

TRIES = 3  # workers that may die over one piece of work before it fails
PATIENCE = 300.0  # seconds to wait for room on the cluster while no worker is placed

Needs = dict[str, int]  # resources of a worker: "num_cpus", "num_gpus"


class WorkerLostError(Exception):
    """The worker or its node died; the message says why."""


class Actor:
    """Base class of everything that runs on a node. Methods are called by name; arguments and results are copied."""

    def host_name(self) -> str:
        """The host name of the node; returns once the actor is placed."""
        return socket.gethostname()


class Cluster(Protocol):
    """Actors on nodes. Actors and calls are opaque values; calls are hashable."""

    def start(self, kind: type[Actor], needs: Needs) -> Any:
        """Start an actor. It waits until a node has room for it."""

    def call(self, actor: Any, method: str, *arguments: Any) -> Any:
        """Send a call. An actor runs its calls one at a time, in the order sent."""

    def wait(self, calls: Sequence[Any], timeout: float | None = None) -> Any | None:
        """The first call that has ended, with a result or an error; None if none has within `timeout` seconds."""

    def get(self, call: Any) -> Any:
        """The result of a call. Raises WorkerLostError if its actor died, else the error raised in the actor."""

    def kill(self, actor: Any) -> None:
        """End an actor at once and free its resources."""

    def nodes(self, free: bool = False) -> list[dict[str, int]]:
        """The number of "CPU" and "GPU" of each node: in total, or currently free."""

    def leave(self) -> None:
        """Disconnect; shut the cluster down if it was started for this process."""


class Worker:
    """The driver's view of an actor."""

    def __init__(self, cluster: Cluster, kind: type[Actor], needs: Needs) -> None:
        self._cluster = cluster
        self.needs = needs
        self.actor = cluster.start(kind, needs)
        self.placed = cluster.call(self.actor, "host_name")
        self.calls: dict[Any, Any] = {}  # calls in flight, oldest first -> purpose

    def send(self, purpose: Any, method: str, *arguments: Any) -> Any:
        """Send a call and record its purpose in `calls`."""
        call = self._cluster.call(self.actor, method, *arguments)
        self.calls[call] = purpose
        return call

    def result(self, call: Any, what: str) -> Any:
        """The result of a call.

        Raises WorkerLostError if the worker died, and BackendError for an error in the worker; `what` begins its message.
        """
        self.calls.pop(call, None)
        try:
            return self._cluster.get(call)
        except (WorkerLostError, BackendError):
            raise
        except Exception as error:
            log.error("%s: %s", what, error.__cause__ or error)  # the cause holds the actor's traceback
            raise BackendError(f"{what}: {type(error).__name__}: {error}") from error

    def kill(self) -> None:
        self._cluster.kill(self.actor)


AnyWorker = TypeVar("AnyWorker", bound=Worker)


def wait_for_call(
    cluster: Cluster, workers: Sequence[AnyWorker], no_room: Callable[[Needs], str]
) -> tuple[AnyWorker, Any]:
    """Wait until the oldest call of any worker ends, with a result or an error; return the worker and the call.

    Raises BackendError if no worker was placed for PATIENCE seconds. `no_room`: a worker's needs -> the error's message.
    """
    if cluster.wait([w.placed for w in workers], PATIENCE) is None:
        raise BackendError(no_room(workers[0].needs))
    oldest = {next(iter(worker.calls)): worker for worker in workers if worker.calls}
    call = cluster.wait(list(oldest))
    return oldest[call], call


def equal_share(sizes: Sequence[int], count: int) -> int:
    """The largest equal share of `count` workers on nodes of these sizes; at least 1.

    >>> equal_share([8, 8], 2), equal_share([8, 8], 3), equal_share([4, 64], 2)
    (8, 4, 32)
    """
    return max((n for n in range(1, max(sizes, default=0) + 1) if sum(size // n for size in sizes) >= count), default=1)


def for_actors(model: Model) -> Model:
    """The model with absolute paths, since actors have another working directory, and with vLLM's workers as processes of its
    actor."""
    update: dict[str, Any] = {}
    for key in ("path", "adapter"):
        value = getattr(model, key)
        if value and Path(value).exists():
            update[key] = str(Path(value).absolute())
    if model.backend == "vllm" and model.vllm.tensor_parallel_size > 1:
        # Inside an actor vLLM would ask Ray for more actors; this actor already has all GPUs it needs.
        engine = {"distributed_executor_backend": "mp", **model.vllm.engine}
        update["vllm"] = model.vllm.model_copy(update={"engine": engine})
    return model.model_copy(update=update)


class Ray:
    """A Ray cluster, joined on construction. Needs the extra `[ray]` here and on every node."""

    def __init__(self, name: str, address: str | None) -> None:
        """`name`: the model's, for errors. `address`: HOST:PORT or auto; None: RAY_ADDRESS, else a local cluster."""
        # Ray reads this variable when it starts a local cluster.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            import ray
        except ImportError as error:
            raise BackendError(f"model {name}: --executor ray needs `pip install 'evalsuite[ray]'` ({error})") from None
        self._ray: Any = ray
        self._joined = not ray.is_initialized()  # False: the process was in a cluster before, and stays in it
        cluster_address = address or os.environ.get("RAY_ADDRESS") or "local"
        try:
            if self._joined:
                _join(cluster_address)
        except (OSError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
            raise BackendError(
                f"model {name}: cannot join the Ray cluster at {cluster_address} (--ray-address, RAY_ADDRESS): {error}"
            ) from None

    def start(self, kind: type[Actor], needs: Needs) -> Any:
        # No restarts by Ray: we must see every loss, and Ray would restart forever where memory is too small.
        return self._ray.remote(kind).options(max_restarts=0, scheduling_strategy="SPREAD", **needs).remote()

    def call(self, actor: Any, method: str, *arguments: Any) -> Any:
        return getattr(actor, method).remote(*arguments)

    def wait(self, calls: Sequence[Any], timeout: float | None = None) -> Any | None:
        return next(iter(self._ray.wait(list(calls), num_returns=1, timeout=timeout)[0]), None)

    def get(self, call: Any) -> Any:
        try:
            return self._ray.get(call)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except self._ray.exceptions.OutOfMemoryError as error:  # the node's memory, not a GPU's
            why = "Ray ended it because its node is low on memory; try fewer --replicas, or make room there"
            raise WorkerLostError(why) from error
        except self._ray.exceptions.RayError as error:  # the actor, its node, or its result is gone
            raise WorkerLostError(_brief(error)) from error

    def kill(self, actor: Any) -> None:
        self._ray.kill(actor)

    def nodes(self, free: bool = False) -> list[dict[str, int]]:
        if not free:
            return [_sizes(node["Resources"]) for node in self._ray.nodes() if node["Alive"]]
        # Ray's public API gives only the free sum over all nodes.
        from ray._private.state import available_resources_per_node

        for _ in range(20):  # resources of a model just closed are freed within seconds
            available = list(available_resources_per_node().values())
            total = self._ray.cluster_resources()
            if all(sum(node.get(kind, 0) for node in available) >= total.get(kind, 0) for kind in ("CPU", "GPU")):
                break
            time.sleep(0.25)
        return [_sizes(node) for node in available]

    def leave(self) -> None:
        if self._joined:
            self._ray.shutdown()


def _join(address: str) -> None:
    import ray

    if "://" in address:
        raise ValueError("expected HOST:PORT or auto, and this command on a node of the cluster")
    host, _, port = address.rpartition(":")
    if host:  # fail early: Ray itself tries for minutes
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, include_dashboard=False)


def _sizes(resources: dict[str, float]) -> dict[str, int]:
    return {kind: int(resources.get(kind, 0)) for kind in ("CPU", "GPU")}


def _brief(error: Exception) -> str:
    """The first and the last line of a message of Ray's: the error and its cause."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    return " … ".join(dict.fromkeys(textwrap.shorten(line, 160, placeholder=" …") for line in (lines[0], lines[-1])))
