"""Replicas of a local model (hf, vllm) on a cluster: each an actor with an engine of its own, fed in blocks.

A block is one of LocalModel.plan: asked alone it gives what it gives in a local run, so it does not matter which replica
answers it, or whether one was lost on the way. Replies are handed to the caller here, on the driver, as blocks come back.
"""

from __future__ import annotations

import logging
import socket
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from evalsuite.backends import cluster as clusters
from evalsuite.backends.base import Backend, Loader, LocalModel
from evalsuite.backends.cluster import TRIES, Actor, Cluster, Lost, Needs, Ray, Worker, event, for_actors, share
from evalsuite.backends.model import Model
from evalsuite.backends.registry import backend_named, load
from evalsuite.common.errors import BackendError
from evalsuite.types import Request, Response

log = logging.getLogger(__name__)

AHEAD = 2  # blocks that a replica holds: one that it works on, one so that it need not wait for us


def cluster(engine: Loader, address: str | None, replicas: int | None) -> Loader:
    """A loader that puts local models (hf, vllm) on the Ray cluster; the others, which need none, come from `engine`."""

    def placed(model: Model) -> Backend:
        if not backend_named(model.backend).local:
            return engine(model)
        return Replicas(model, Ray(model.name, address), replicas)

    return placed


@dataclass(frozen=True, slots=True)
class Facts:
    """What a replica says of itself once its model is loaded."""

    host: str
    fingerprint: str
    settings: dict[str, Any]
    context: int | None
    parameters: int | None


class Replica(Actor):
    """What runs on a node."""

    def load(self, model: Model) -> Facts:
        # No part of the constructor: waiting for room has an end, loading a large model takes what it takes.
        host = socket.gethostname()
        try:
            self.engine = cast(LocalModel, load(model))
        except BackendError as error:
            raise BackendError(f"{error} (on node {host})") from None
        return Facts(host, self.engine.fingerprint, self.engine.settings, self.engine.context, self.engine.parameters)

    def plan(self, requests: Sequence[Request]) -> list[list[int]]:
        return self.engine.plan(requests)

    def tokens(self, request: Request) -> int:
        return self.engine.tokens(request)

    def answer(self, requests: Sequence[Request], done: Sequence[bool]) -> list[tuple[int, Response]]:
        return [pair for group in self.engine.generate(requests, done) for pair in group]

    def close(self) -> None:
        self.engine.close()


class _Member(Worker):
    """The driver's side of a replica. The purpose of a call is its block; of load() it is []."""

    def __init__(self, cluster: Cluster, needs: Needs, model: Model, attempt: int) -> None:
        super().__init__(cluster, Replica, needs)
        self.attempt = attempt  # 2 if one died while it loaded and this is its replacement
        self.facts: Facts | None = None  # None: still loading
        self.send([], "load", model)


class Replicas:
    """A model on a cluster, which is left when the model is closed."""

    def __init__(self, model: Model, cluster: Cluster, replicas: int | None) -> None:
        self._name, self._model, self._cluster = model.name, for_actors(model), cluster
        self._members: list[_Member] = []
        self._facts: Facts | None = None  # of the first replica; all must have its fingerprint
        self._loss = ""  # why the last replica was lost
        try:
            count, self._needs = shape(self._model, cluster, replicas)
            log.info("model %s: asking the cluster for %d replicas with %s", model.name, count, self._needs)
            for _ in range(count):
                self._start(attempt=1)
            facts = cast(Facts, self._loaded().facts)
        except BaseException:
            self.close()
            raise
        self.fingerprint, self.settings, self.context = facts.fingerprint, facts.settings, facts.context
        self.parameters = facts.parameters

    def tokens(self, request: Request) -> int:
        return cast(int, self._ask("tokens", request))

    def generate(self, requests: Sequence[Request], done: Sequence[bool]) -> Iterator[Sequence[tuple[int, Response]]]:
        if all(done):
            return
        plan = self._ask("plan", list(requests))
        blocks: deque[list[int]] = deque(block for block in plan if not all(done[n] for n in block))
        deaths: Counter[int] = Counter()  # first request of a block -> replicas that died over it
        while blocks or any(block for member in self._members for block in member.calls.values()):
            self._feed(blocks, deaths, requests, done)
            member, call = self._event()
            block = member.calls[call]
            if not block:
                self._welcome(member, call)
                continue
            try:
                answers = self._result(member, call)
            except Lost:
                # It died over this block, its oldest; those behind it were not begun.
                blocks.extendleft(reversed(list(member.calls.values())))
                deaths[block[0]] += 1
                if deaths[block[0]] < TRIES:
                    blocks.append(block)  # behind the others, which need not suffer for it
                else:
                    error = f"{TRIES} replicas died over the block of {len(block)} requests that this one is of"
                    log.error("model %s: %s, the last: %s", self._name, error, self._loss)
                    yield [(n, Response("", "error", error=error)) for n in block if not done[n]]
            else:
                yield [(block[place], response) for place, response in answers]

    def close(self) -> None:
        # An engine with processes of its own (vllm) ends them best itself; one that is busy is not waited for.
        ends = time.monotonic() + 10
        for call in [m.send([], "close") for m in self._members if m.facts and not m.calls]:
            self._cluster.wait([call], timeout=max(0.0, ends - time.monotonic()))
        for member in self._members:
            member.kill()
        self._members = []
        self._cluster.leave()

    def _start(self, attempt: int) -> None:
        """Ask for one more replica. It takes part once it has its place and is loaded."""
        self._members.append(_Member(self._cluster, self._needs, self._model, attempt))

    def _feed(
        self, blocks: deque[list[int]], deaths: Counter[int], requests: Sequence[Request], done: Sequence[bool]
    ) -> None:
        """Hand out blocks: a first one to every replica, then a second."""
        for depth in range(1, AHEAD + 1):
            for member in self._members:
                if not (blocks and member.facts and len(member.calls) < depth):
                    continue
                if depth > 1 and deaths[blocks[0][0]]:
                    return  # behind another it might take that one's replies along
                block = blocks.popleft()
                member.send(block, "answer", [requests[n] for n in block], [done[n] for n in block])

    def _loaded(self) -> _Member:
        """A replica that is ready to be asked; waits for one."""
        while not (ready := [m for m in self._members if m.facts]):
            self._welcome(*self._event())
        return ready[0]

    def _ask(self, method: str, argument: Any) -> Any:
        """Ask any replica; another one if it dies."""
        for _ in range(TRIES):
            member = self._loaded()
            call = self._cluster.call(member.actor, method, argument)
            self._cluster.wait([call])
            try:
                return self._result(member, call)
            except Lost:
                continue
        raise BackendError(f"model {self._name}: {TRIES} replicas died over {method}(), the last: {self._loss}")

    def _event(self) -> tuple[_Member, Any]:
        if not self._members:
            raise BackendError(f"model {self._name}: no replica is left on the Ray cluster; the last: {self._loss}")
        return event(self._cluster, self._members, self._no_room)

    def _no_room(self, needs: Needs) -> str:
        before = f"the last replica was lost ({self._loss}), and " if self._loss else ""
        return (
            f"model {self._name}: {before}the Ray cluster has had no room for {clusters.PATIENCE:.0f} s: a replica needs "
            f"{needs} on one node; see `ray status`, or give other --replicas"
        )

    def _result(self, member: _Member, call: Any) -> Any:
        """What the call gave. Raises Lost if the replica died, with its replacement asked for; BackendError."""
        try:
            return member.result(call, f"model {self._name}: an error in a replica")
        except Lost as error:
            self._drop(member, str(error))
            if member.facts:
                self._start(attempt=1)
            elif member.attempt < TRIES:
                self._start(member.attempt + 1)
            raise

    def _welcome(self, member: _Member, call: Any) -> None:
        """A replica has loaded its model, or failed to."""
        try:
            facts = self._result(member, call)
        except Lost:
            return
        except BackendError as error:  # files missing on one node, say: the others go on
            self._drop(member, str(error))
            return
        self._facts = self._facts or facts
        if facts.fingerprint != self._facts.fingerprint:
            raise BackendError(
                f"model {self._name}: nodes {self._facts.host} and {facts.host} hold different files of {self._model.path}, "
                "or have different devices: replies would not be one model's; make them the same"
            )
        member.facts = facts
        log.info("model %s: a replica on %s is ready", self._name, facts.host)

    def _drop(self, member: _Member, reason: str) -> None:
        self._loss = reason
        self._members.remove(member)
        member.kill()  # it may be cut off only, and still hold its place
        where = f" on {member.facts.host}" if member.facts else ""
        log.warning("model %s: a replica%s is lost: %s", self._name, where, reason)


def shape(model: Model, cluster: Cluster, replicas: int | None) -> tuple[int, Needs]:
    """How many replicas, and what each takes: as many as there is room for; on CPUs as many as there are nodes."""
    free = cluster.nodes(free=True)
    if model.device != "cpu" and any(node["GPU"] for node in cluster.nodes()):
        gpus = model.vllm.tensor_parallel_size if model.backend == "vllm" else 1
        return replicas or max(1, sum(node["GPU"] // gpus for node in free)), {"num_cpus": 1, "num_gpus": gpus}
    sizes = [node["CPU"] for node in free if node["CPU"]]
    cpus = model.hf.threads or share(sizes, replicas or len(sizes))
    return replicas or max(1, sum(size // cpus for size in sizes)), {"num_cpus": cpus}
