"""A cluster within this process, without threads or time: tests of lost workers need neither Ray nor waiting."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evalsuite.backends.cluster import Actor, Needs, WorkerLostError


@dataclass(eq=False, slots=True)
class _Actor:
    """An actor of InProcess."""

    kind: type[Actor]
    needs: Needs
    waiting: deque[tuple[object, str, tuple[Any, ...]]] = field(default_factory=deque)
    node: int | None = None  # None: waits for room
    self_: Actor | None = None  # the object that runs its calls; None: not placed yet
    death: str = ""  # the reason why it died; "": it lives


class InProcess:
    """A cluster within this process, without threads or time: calls run when waited for, and actors take turns.

    An actor dies when one of its methods raises WorkerLostError, when it is killed, or when `remove` takes its node away.
    """

    def __init__(self, nodes: Sequence[dict[str, int]] = ({"CPU": 2},)) -> None:
        self._free = [{"CPU": 0, "GPU": 0, **node} for node in nodes]
        self._all = [dict(node) for node in self._free]
        self._actors: deque[_Actor] = deque()  # the next actor to serve first
        self._ended: dict[object, tuple[Any, Exception | None]] = {}
        self.left = False

    def start(self, kind: type[Actor], needs: Needs) -> _Actor:
        actor = _Actor(kind, needs)
        self._actors.append(actor)
        return actor

    def call(self, actor: _Actor, method: str, *arguments: Any) -> object:
        call = object()
        if actor.death:
            self._ended[call] = None, WorkerLostError(actor.death)
        else:
            actor.waiting.append((call, method, arguments))
        return call

    def wait(self, calls: Sequence[object], timeout: float | None = None) -> object | None:
        while (ended := next((c for c in calls if c in self._ended), None)) is None:
            self._fill()
            actor = next((a for a in self._actors if a.self_ and a.waiting), None)
            if actor is None:
                assert timeout is not None, "waits for a call that no actor can run"
                return None
            self._actors.remove(actor)
            self._actors.append(actor)
            self._run(actor)
        return ended

    def get(self, call: object) -> Any:
        value, error = self._ended[call]
        if error:
            raise error
        return value

    def kill(self, actor: _Actor) -> None:
        self._die(actor, "killed")

    def nodes(self, free: bool = False) -> list[dict[str, int]]:
        return [dict(node) for node in (self._free if free else self._all)]

    def leave(self) -> None:
        self.left = True

    def remove(self, node: int) -> None:
        """Remove a node with the actors on it."""
        self._all[node] = {"CPU": 0, "GPU": 0}
        for actor in [a for a in self._actors if a.node == node]:
            self._die(actor, f"node {node} is gone")
        self._free[node] = dict(self._all[node])

    def _fill(self) -> None:
        """Place waiting actors, each on the node with the most free CPUs that fits it."""
        for actor in (a for a in self._actors if a.node is None):
            take = {"CPU": actor.needs.get("num_cpus", 0), "GPU": actor.needs.get("num_gpus", 0)}
            fits = [n for n, free in enumerate(self._free) if all(free[kind] >= size for kind, size in take.items())]
            if fits:
                actor.node = max(fits, key=lambda n: self._free[n]["CPU"])
                self._take(actor, -1)
                actor.self_ = actor.kind()

    def _take(self, actor: _Actor, sign: int) -> None:
        if actor.node is not None:
            self._free[actor.node]["CPU"] += sign * actor.needs.get("num_cpus", 0)
            self._free[actor.node]["GPU"] += sign * actor.needs.get("num_gpus", 0)

    def _run(self, actor: _Actor) -> None:
        call, method, arguments = actor.waiting.popleft()
        try:
            value = f"node {actor.node}" if method == "host_name" else getattr(actor.self_, method)(*arguments)
            self._ended[call] = value, None
        except WorkerLostError as error:
            self._ended[call] = None, error
            self._die(actor, str(error))
        except Exception as error:
            self._ended[call] = None, error

    def _die(self, actor: _Actor, why: str) -> None:
        if actor in self._actors:
            actor.death = why
            self._actors.remove(actor)
            self._take(actor, 1)
            for call, *_ in actor.waiting:
                self._ended[call] = None, WorkerLostError(why)
