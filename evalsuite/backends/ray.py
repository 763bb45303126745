"""Replicas of a local model (hf, vllm) on a Ray cluster: each an actor with an engine of its own, fed in blocks.

A block is one of LocalModel.plan: asked alone it gives what it gives in a local run, so it does not matter which replica
answers it, or whether one was lost on the way. Replies are handed to the caller here, on the driver, as blocks come back.
"""

from __future__ import annotations

import logging
import os
import socket
import textwrap
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from evalsuite.backends.base import Backend, Loader, LocalModel
from evalsuite.backends.model import Model
from evalsuite.backends.registry import backend_named, load
from evalsuite.common.errors import BackendError
from evalsuite.types import Request, Response

log = logging.getLogger(__name__)

AHEAD = 2  # blocks that a replica holds: one that it works on, one so that it need not wait for us
TRIES = 3  # replicas that may die over one block, or one after the other while they load, before we give up on it
PATIENCE = 300.0  # seconds to wait for room on the cluster while there is no replica at all


def cluster(engine: Loader, address: str | None, replicas: int | None) -> Loader:
    """A loader that puts local models (hf, vllm) on the cluster; the others, which need none, come from `engine`."""

    def placed(model: Model) -> Backend:
        return Replicas(model, address, replicas) if backend_named(model.backend).local else engine(model)

    return placed


@dataclass(frozen=True, slots=True)
class Facts:
    """What a replica says of itself once its model is loaded."""

    host: str
    fingerprint: str
    settings: dict[str, Any]
    context: int | None
    parameters: int | None


class Replica:
    """What runs in an actor."""

    def place(self) -> None:
        """Comes back as soon as the actor has its place on the cluster."""

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


class _Lost(Exception):
    """The actor or its node is dead, and its replacement asked for."""


@dataclass(eq=False, slots=True)
class _Member:
    """The driver's side of a replica."""

    actor: Any
    placed: Any  # reference of place()
    attempt: int  # 2 if one died while it loaded and this is its replacement
    facts: Facts | None = None  # None: still loading
    calls: dict[Any, list[int]] = field(default_factory=dict)  # reference -> block, in the order sent; of load(): []


class Replicas:
    """A model on the cluster. Needs the extra `[ray]`, here and on every node."""

    def __init__(self, model: Model, address: str | None, replicas: int | None) -> None:
        self._name, self._model = model.name, for_actors(model)
        self._members: list[_Member] = []
        self._facts: Facts | None = None  # of the first replica; all must have its fingerprint
        self._loss = ""  # why the last replica was lost
        self._joined = join(model.name, address)
        try:
            count, self._needs = _shape(self._model, replicas)
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
            except _Lost:
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
        import ray

        # An engine with processes of its own (vllm) ends them best itself; one that is busy is not waited for.
        calls = [m.actor.close.remote() for m in self._members if m.facts and not m.calls]
        if calls:
            ray.wait(calls, num_returns=len(calls), timeout=10)
        for member in self._members:
            ray.kill(member.actor)
        self._members = []
        if self._joined:
            ray.shutdown()

    def _start(self, attempt: int) -> None:
        """Ask for one more actor. It waits until the cluster has room for it, and takes part once it is loaded."""
        import ray

        actor = ray.remote(Replica).options(scheduling_strategy="SPREAD", **self._needs).remote()
        self._members.append(_Member(actor, actor.place.remote(), attempt, calls={actor.load.remote(self._model): []}))

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
                call = member.actor.answer.remote([requests[n] for n in block], [done[n] for n in block])
                member.calls[call] = block

    def _loaded(self) -> _Member:
        """A replica that is ready to be asked; waits for one."""
        while not (ready := [m for m in self._members if m.facts]):
            self._welcome(*self._event())
        return ready[0]

    def _ask(self, method: str, *arguments: Any) -> Any:
        """Ask any replica; another one if it dies."""
        for _ in range(TRIES):
            member = self._loaded()
            try:
                return self._result(member, getattr(member.actor, method).remote(*arguments))
            except _Lost:
                continue
        raise BackendError(f"model {self._name}: {TRIES} replicas died over {method}(), the last: {self._loss}")

    def _event(self) -> tuple[_Member, Any]:
        """Wait for the next call that ends, well or not. Of each replica it is the oldest: they run in the order sent."""
        import ray

        if not self._members:
            raise BackendError(f"model {self._name}: no replica is left on the Ray cluster; the last: {self._loss}")
        if not ray.wait([m.placed for m in self._members], timeout=PATIENCE)[0]:
            before = f"the last replica was lost ({self._loss}), and " if self._loss else ""
            raise BackendError(
                f"model {self._name}: {before}the Ray cluster has had no room for {PATIENCE:.0f} s: a replica needs "
                f"{self._needs} on one node; see `ray status`, or give other --replicas"
            )
        calls = {next(iter(member.calls)): member for member in self._members if member.calls}
        call = ray.wait(list(calls), num_returns=1)[0][0]
        return calls[call], call

    def _result(self, member: _Member, call: Any) -> Any:
        """What the call gave. Raises _Lost if the replica died, BackendError for an error in it."""
        import ray

        member.calls.pop(call, None)
        try:
            return ray.get(call)
        except ray.exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, BackendError):
                raise BackendError(str(cause)) from error
            log.error("model %s: an error in a replica: %s", self._name, error)  # with the actor's trace
            raise BackendError(f"model {self._name}: an error in a replica: {type(cause).__name__}: {cause}") from error
        except ray.exceptions.RayError as error:  # the actor, its node, or what it gave is not there any more
            self._drop(member, brief(error))
            if member.facts:
                self._start(attempt=1)
            elif member.attempt < TRIES:
                self._start(member.attempt + 1)
            raise _Lost from error

    def _welcome(self, member: _Member, call: Any) -> None:
        """A replica has loaded its model, or failed to."""
        try:
            facts = self._result(member, call)
        except _Lost:
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
        import ray

        self._loss = reason
        self._members.remove(member)
        ray.kill(member.actor)  # it may be cut off only, and still hold its place
        where = f" on {member.facts.host}" if member.facts else ""
        log.warning("model %s: a replica%s is lost: %s", self._name, where, reason)


def join(name: str, address: str | None) -> bool:
    """Connect to the cluster. False if this process is in one already, which then is not ours to leave."""
    # Read when Ray starts a cluster of its own.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise BackendError(f"model {name}: --executor ray needs `pip install 'evalsuite[ray]'` ({error})") from None
    if ray.is_initialized():
        return False
    place = address or os.environ.get("RAY_ADDRESS") or "local"
    try:
        if "://" in place:
            raise ValueError("expected HOST:PORT or auto, and this command on a node of the cluster")
        host, _, port = place.rpartition(":")
        if host:  # Ray itself tries for minutes
            socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
        ray.init(address=place, log_to_driver=False, logging_level=logging.ERROR, include_dashboard=False)
    except (OSError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        raise BackendError(
            f"model {name}: cannot join the Ray cluster at {place} (--ray-address, RAY_ADDRESS): {error}"
        ) from None
    return True


def for_actors(model: Model) -> Model:
    """The same model as an actor must be told of it."""
    update: dict[str, Any] = {}
    for key in ("path", "adapter"):  # actors have another working directory
        value = getattr(model, key)
        if value and Path(value).exists():
            update[key] = str(Path(value).absolute())
    if model.backend == "vllm" and model.vllm.tensor_parallel_size > 1:
        # Inside an actor vLLM would ask Ray for more actors; this one has all GPUs that it needs.
        engine = {"distributed_executor_backend": "mp", **model.vllm.engine}
        update["vllm"] = model.vllm.model_copy(update={"engine": engine})
    return model.model_copy(update=update)


def _shape(model: Model, replicas: int | None) -> tuple[int, dict[str, int]]:
    """How many replicas, and what each takes: as many as there is room for; on CPUs as many as there are nodes."""
    import ray

    free = _free()
    if model.device != "cpu" and ray.cluster_resources().get("GPU"):
        gpus = model.vllm.tensor_parallel_size if model.backend == "vllm" else 1
        room = sum(int(node.get("GPU", 0)) // gpus for node in free)
        return replicas or max(1, room), {"num_cpus": 1, "num_gpus": gpus}
    sizes = [cpus for node in free if (cpus := int(node.get("CPU", 0)))]
    cpus = model.hf.threads or share(sizes, replicas or len(sizes))
    return replicas or max(1, sum(size // cpus for size in sizes)), {"num_cpus": cpus}


def share(sizes: Sequence[int], count: int) -> int:
    """The most that `count` equal replicas can each have of nodes of these sizes; 1 at least.

    >>> share([8, 8], 2), share([8, 8], 3), share([4, 64], 2)
    (8, 4, 32)
    """
    return max((n for n in range(1, max(sizes, default=0) + 1) if sum(size // n for size in sizes) >= count), default=1)


def _free() -> list[dict[str, float]]:
    """What each node has free. What a model just closed held comes free within seconds."""
    import ray
    from ray._private.state import available_resources_per_node  # public is their sum only, which may be in fragments

    for _ in range(20):
        nodes = list(available_resources_per_node().values())
        total = ray.cluster_resources()
        if all(sum(node.get(kind, 0) for node in nodes) >= total.get(kind, 0) for kind in ("CPU", "GPU")):
            break
        time.sleep(0.25)
    return nodes


def brief(error: Exception) -> str:
    """The first and the last line of Ray's long messages: what happened, and why."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    return " … ".join(dict.fromkeys(textwrap.shorten(line, 160, placeholder=" …") for line in (lines[0], lines[-1])))
