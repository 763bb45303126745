"""Replicas of a local model (hf, vllm) on a cluster: each is an actor with its own engine, which answers blocks of requests.

A block is a batch of LocalModel.plan, which gives the same replies alone as in a local run. So the replies depend neither on
which replica answers a block, nor on deaths of replicas. They return to the driver block by block.
"""

from __future__ import annotations

import logging
import socket
import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from evalsuite.backends import cluster as clusters
from evalsuite.backends.base import Backend, Loader, LocalModel, Replies
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
from evalsuite.backends.registry import backend_named, load_backend
from evalsuite.common.errors import BackendError
from evalsuite.types import Request, Response

log = logging.getLogger(__name__)

AHEAD = 2  # blocks per replica: one in work, and one queued so that it never waits for the driver


def cluster(engine: Loader, address: str | None, replicas: int | None) -> Loader:
    """A loader that puts local models (hf, vllm) on the Ray cluster and loads all others with `engine`."""

    def placed(model: Model) -> Backend:
        if not backend_named(model.backend).local:
            return engine(model)
        return Replicas(model, Ray(model.name, address), replicas)

    return placed


@dataclass(frozen=True, slots=True)
class ReplicaReport:
    """A replica's report once its model is loaded."""

    host: str
    fingerprint: str
    settings: dict[str, Any]
    context: int | None
    parameters: int | None


class Replica(Actor):
    """A loaded model on a node."""

    def load(self, model: Model) -> ReplicaReport:
        # Not in the constructor: waiting for room has a time limit, loading a large model has none.
        host = socket.gethostname()
        try:
            self.engine = cast(LocalModel, load_backend(model))
        except BackendError as error:
            raise BackendError(f"{error} (on node {host})") from None
        return ReplicaReport(
            host, self.engine.fingerprint, self.engine.settings, self.engine.context, self.engine.parameters
        )

    def plan(self, requests: Sequence[Request]) -> list[list[int]]:
        return self.engine.plan(requests)

    def tokens(self, request: Request) -> int:
        return self.engine.tokens(request)

    def answer(self, requests: Sequence[Request], done: Sequence[bool]) -> list[tuple[int, Response]]:
        return [pair for group in self.engine.generate(requests, done) for pair in group]

    def close(self) -> None:
        self.engine.close()


class _Member(Worker):
    """The driver's view of a replica. A call's purpose is its block of requests; [] for load() and close()."""

    def __init__(self, cluster: Cluster, needs: Needs, model: Model, attempt: int) -> None:
        super().__init__(cluster, Replica, needs)
        self.attempt = attempt  # 2 for the replacement of a replica that died while loading
        self.report: ReplicaReport | None = None  # None: still loading
        self.send([], "load", model)


class Replicas:
    """A model with replicas on a cluster. Closing the model leaves the cluster."""

    def __init__(self, model: Model, cluster: Cluster, replicas: int | None) -> None:
        self._name, self._model, self._cluster = model.name, for_actors(model), cluster
        self._members: list[_Member] = []
        self._report: ReplicaReport | None = None  # the first replica's; all others must have the same fingerprint
        self._loss = ""  # the reason why the last replica was lost
        try:
            count, self._needs = plan_replicas(self._model, cluster, replicas)
            log.info("model %s: asking the cluster for %d replicas with %s", model.name, count, self._needs)
            for _ in range(count):
                self._start(attempt=1)
            report = cast(ReplicaReport, self._loaded().report)
        except BaseException:
            self.close()
            raise
        self.fingerprint, self.settings, self.context = report.fingerprint, report.settings, report.context
        self.parameters = report.parameters

    def tokens(self, request: Request) -> int:
        return cast(int, self._ask("tokens", request))

    def generate(self, requests: Sequence[Request], done: Sequence[bool]) -> Replies:
        if all(done):
            return
        plan = self._ask("plan", list(requests))
        blocks: deque[list[int]] = deque(block for block in plan if not all(done[n] for n in block))
        deaths: Counter[int] = Counter()  # first request of a block -> replicas that died over it
        while blocks or any(block for member in self._members for block in member.calls.values()):
            self._feed(blocks, deaths, requests, done)
            member, call = self._next_call()
            block = member.calls[call]
            if not block:
                self._register(member, call)
                continue
            try:
                answers = self._result(member, call)
            except WorkerLostError:
                # It died over its oldest block; the queued ones were not begun.
                blocks.extendleft(reversed(list(member.calls.values())))
                deaths[block[0]] += 1
                if deaths[block[0]] < TRIES:
                    blocks.append(block)  # to the end of the queue: it may kill the next replica, too
                else:
                    error = f"{TRIES} replicas died over this request's block of {len(block)} requests"
                    log.error("model %s: %s, the last: %s", self._name, error, self._loss)
                    yield [(n, Response("", "error", error=error)) for n in block if not done[n]]
            else:
                yield [(block[index], response) for index, response in answers]

    def close(self) -> None:
        # Idle replicas end the processes of their engines (vllm) themselves. Busy ones are killed without waiting.
        ends = time.monotonic() + 10
        for call in [m.send([], "close") for m in self._members if m.report and not m.calls]:
            self._cluster.wait([call], timeout=max(0.0, ends - time.monotonic()))
        for member in self._members:
            member.kill()
        self._members = []
        self._cluster.leave()

    def _start(self, attempt: int) -> None:
        """Request one more replica. It takes part once it is placed and loaded."""
        self._members.append(_Member(self._cluster, self._needs, self._model, attempt))

    def _feed(
        self, blocks: deque[list[int]], deaths: Counter[int], requests: Sequence[Request], done: Sequence[bool]
    ) -> None:
        """Send blocks to the replicas: one to each, then a second one to each."""
        for depth in range(1, AHEAD + 1):
            for member in self._members:
                if not (blocks and member.report and len(member.calls) < depth):
                    continue
                if depth > 1 and deaths[blocks[0][0]]:
                    return  # a replica that dies over this block would lose its earlier block, too
                block = blocks.popleft()
                member.send(block, "answer", [requests[n] for n in block], [done[n] for n in block])

    def _loaded(self) -> _Member:
        """A loaded replica; waits for one."""
        while not (ready := [m for m in self._members if m.report]):
            self._register(*self._next_call())
        return ready[0]

    def _ask(self, method: str, argument: Any) -> Any:
        """Call a method on any replica; on another one if it dies."""
        for _ in range(TRIES):
            member = self._loaded()
            call = self._cluster.call(member.actor, method, argument)
            self._cluster.wait([call])
            try:
                return self._result(member, call)
            except WorkerLostError:
                continue
        raise BackendError(f"model {self._name}: {TRIES} replicas died over {method}(), the last: {self._loss}")

    def _next_call(self) -> tuple[_Member, Any]:
        if not self._members:
            raise BackendError(f"model {self._name}: no replica is left on the Ray cluster; the last: {self._loss}")
        return wait_for_call(self._cluster, self._members, self._no_room)

    def _no_room(self, needs: Needs) -> str:
        before = f"the last replica was lost ({self._loss}), and " if self._loss else ""
        return (
            f"model {self._name}: {before}the Ray cluster has had no room for {clusters.PATIENCE:.0f} s: a replica needs "
            f"{needs} on one node; see `ray status`, or give other --replicas"
        )

    def _result(self, member: _Member, call: Any) -> Any:
        """The result of a call. Raises BackendError, and WorkerLostError if the replica died, after requesting a replacement."""
        try:
            return member.result(call, f"model {self._name}: an error in a replica")
        except WorkerLostError as error:
            self._drop(member, str(error))
            if member.report:
                self._start(attempt=1)
            elif member.attempt < TRIES:
                self._start(member.attempt + 1)
            raise

    def _register(self, member: _Member, call: Any) -> None:
        """Take the result of load(): register the replica, or drop it if loading failed."""
        try:
            report = self._result(member, call)
        except WorkerLostError:
            return
        except BackendError as error:  # e.g. files missing on one node; the others continue
            self._drop(member, str(error))
            return
        self._report = self._report or report
        if report.fingerprint != self._report.fingerprint:
            raise BackendError(
                f"model {self._name}: nodes {self._report.host} and {report.host} hold different files of {self._model.path}, "
                "or have different devices: replies would not be one model's; make them the same"
            )
        member.report = report
        log.info("model %s: a replica on %s is ready", self._name, report.host)

    def _drop(self, member: _Member, reason: str) -> None:
        self._loss = reason
        self._members.remove(member)
        member.kill()  # a member that is only cut off would keep its resources
        where = f" on {member.report.host}" if member.report else ""
        log.warning("model %s: a replica%s is lost: %s", self._name, where, reason)


def plan_replicas(model: Model, cluster: Cluster, replicas: int | None) -> tuple[int, Needs]:
    """(number of replicas, resources of each).

    Without `replicas`: as many as there are GPUs for; on CPUs one per node, or as many as the model's `threads` leave room for.
    """
    free = cluster.nodes(free=True)
    if model.device != "cpu" and any(node["GPU"] for node in cluster.nodes()):
        gpus = model.vllm.tensor_parallel_size if model.backend == "vllm" else 1
        return replicas or max(1, sum(node["GPU"] // gpus for node in free)), {"num_cpus": 1, "num_gpus": gpus}
    sizes = [node["CPU"] for node in free if node["CPU"]]
    cpus = model.hf.threads or equal_share(sizes, replicas or len(sizes))
    return replicas or max(1, sum(size // cpus for size in sizes)), {"num_cpus": cpus}
