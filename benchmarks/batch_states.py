"""Every interleaving of faults of three batches, with the real client, a server and a simulated clock in one process.

    python benchmarks/batch_states.py [--faults 2] [--random 5000] [--seed 0] [--lag 5]

A run sends six requests in three batches. Each call of the endpoint may be lost, before or after it is carried out; half of a
file may arrive; and at each call, note and storing of replies the process may be killed and started again, with the same plan or
half of it. A batch may expire, its file may be late or incomplete, and its lines may lack a reply. The list of batches shows a
new batch after `lag` seconds.

All runs with at most `--faults` faults are simulated, then random runs with a fault at every tenth choice. Exits with 1 if a run
loses a request, mixes two up, pays one twice, has booked less than was charged, or leaves a note behind, and prints the choices
of that run."""

from __future__ import annotations

import argparse
import json
import logging
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from evalsuite.backends.base import Limits
from evalsuite.backends.model import API, BatchAPI, Model, Price
from evalsuite.backends.openai.backend import OpenAI
from evalsuite.backends.openai.batch_faults import BatchServer
from evalsuite.backends.openai.batches import Batching
from evalsuite.backends.openai.faults import reply_to
from evalsuite.backends.openai.provider import NotFoundError, Provider
from evalsuite.backends.openai.replies import TransientError
from evalsuite.common.errors import BackendError
from evalsuite.types import Message, Request, Response

REQUESTS = [Request(f"i/{n}", f"提示{n}", (Message("user", f"提示{n}"),), 32) for n in range(6)]
FATES = ("ok", "late", "late-half", "expired", "expired-silent", "expired-late", "uncounted")
LATE = (12, 120, 1800)  # seconds; the last one is longer than a start waits
NumberedChoices = Mapping[int, int]  # number of a choice -> its option, for choices of another option than the first


class Killed(BaseException):
    """Stands for SIGKILL."""


class SimulatedClock:
    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return 1e9 + self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class World:
    """The endpoint, the store and its journal, which outlive the process; `choose` decides the outcome of every event."""

    def __init__(self, choose: Callable[[int], int], lag: float) -> None:
        self.choose, self.clock = choose, SimulatedClock()
        late, self.mix = LATE[choose(len(LATE))], {"no-choices": 0.3} if choose(2) else {}
        self.server = BatchServer(seconds=10, late=late, lag=lag, mix=self.mix, now=self.clock.monotonic)
        self.notes: dict[str, tuple[str, float]] = {}
        self.replies: dict[int, Response] = {}
        self.spent = 0.0
        self.wrong: list[str] = []

    # the journal

    def batches(self) -> dict[str, dict[str, Any]]:
        return {name: json.loads(note) for name, (note, _) in self.notes.items()}

    def put_batch(self, name: str, note: dict[str, Any], stake: float, cost: float = 0.0) -> None:
        self.notes[name] = json.dumps(note), stake
        self.spent += cost
        self.event()

    def end_batch(self, name: str, cost: float = 0.0) -> None:
        del self.notes[name]
        self.spent += cost
        self.event()

    # the store

    def store(self, group: list[tuple[int, Response]]) -> None:
        for n, reply in group:
            if reply.error is not None:
                self.wrong.append(f"request {n} failed: {reply.error}")
            if n in self.replies:
                self.wrong.append(f"request {n} stored twice")
            self.replies[n] = reply
            self.spent += reply.cost
        self.event()

    def event(self) -> None:
        books = self.spent + sum(stake for _, stake in self.notes.values())
        if books < self.charged() - 1e-12:
            self.wrong.append(f"the books show {books:g}, charged were {self.charged():g}")
        if self.choose(2):
            raise Killed

    def charged(self) -> float:
        return 0.5 * (self.server.prompt_tokens + 2 * self.server.new_tokens) / 1e6

    def run(self) -> list[str]:
        """The problems of one run; none if all is well."""
        backend = OpenAI(MODEL, Limits())
        for start in range(50):
            half = bool(start and self.choose(2))
            requests = REQUESTS[:3] if half else REQUESTS
            done = [n in self.replies for n in range(len(requests))]
            try:
                batching = Batching(backend, requests, done, SETTINGS, Limits(journal=self), self.clock)
                for group in batching.all(Calls(self)):
                    self.store(group)
            except Killed:
                continue
            except BackendError:
                self.clock.now += 3600
                continue
            if not half:
                break
        return [*self.wrong, *self.left()]

    def left(self) -> Iterator[str]:
        """The problems at the end of a run: lost or mixed-up requests, double payments, notes, wrong books."""
        if {n: reply.text for n, reply in self.replies.items()} != {
            n: reply_to(r.prompt) for n, r in enumerate(REQUESTS)
        }:
            yield f"{len(REQUESTS) - len(self.replies)} requests are lost, or replies mixed up"
        if twice := sum(max(0, prompt.whole - 1) for prompt in self.server.asked.values()):
            yield f"{twice} prompts paid twice"
        Batching(OpenAI(MODEL, Limits()), REQUESTS, [True] * 6, SETTINGS, Limits(journal=self.quiet()))
        if self.notes:
            yield f"{len(self.notes)} notes are left"
        elif abs(self.spent - self.charged()) > 1e-12 and not self.mix:  # lost replies count at their highest cost
            yield f"spent by the books {self.spent:g}, charged {self.charged():g}"

    def quiet(self) -> World:
        """A copy of the world without further faults."""
        self.choose = lambda options: 0
        return self


class Calls(Provider):
    """The provider's own reading of answers, with calls that reach the server in this process."""

    def __init__(self, world: World) -> None:
        self.world, self._api = world, API.model_construct(backoff=0.0)

        def raw(**calls: Any) -> Any:
            return SimpleNamespace(with_raw_response=SimpleNamespace(**calls))

        self._client: Any = SimpleNamespace(
            files=raw(create=self._upload, content=lambda name: self._get("files", name, "content")),
            batches=raw(create=self._create, retrieve=lambda name: self._get("batches", name), list=self._list),
            close=lambda: None,
        )

    def _upload(self, file: tuple[str, bytes, str], purpose: str) -> tuple[int, Any]:
        name = f"file-{len(self.world.server.files)}"
        self.world.server.files[name] = file[1]
        return 200, {"id": name}

    def _create(self, extra_headers: object, **fields: Any) -> tuple[int, Any]:
        self.world.server.fates = {FATES[self.world.choose(len(FATES))]: 1.0}
        return self.world.server._create(fields)

    def _get(self, *steps: str) -> tuple[int, Any]:
        return self.world.server._carry_out("GET", list(steps), {}, b"")

    def _list(self, limit: int, **query: str) -> tuple[int, Any]:
        return self.world.server._carry_out("GET", ["batches"], query, b"")

    def _call(self, send: Callable[..., Any], *words: Any, **fields: Any) -> bytes:
        is_content = isinstance(words[0] if words else None, str) and words[0].startswith("file")
        choice = self.world.choose(5 if is_content else 4)
        if choice == 1:
            raise TransientError("connection", "lost before it was carried out", lost=True)
        status, answer = send(*words, **fields)
        body: bytes = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        if choice == 2:
            raise TransientError("connection", "its answer was lost", lost=True)
        if choice == 3:
            raise Killed
        if status == 404:
            raise NotFoundError("404")
        return body[: len(body) // 2] if choice == 4 else body


SETTINGS = BatchAPI(requests=2)
MODEL = Model(
    name="m",
    backend="openai",
    path="x",
    chat=True,
    api=API(base_url="http://localhost/v1", key_env=None, attempts=12, price=Price(input=1, output=2), batch=SETTINGS),
)


def run(
    choices: NumberedChoices, lag: float, rng: random.Random | None = None
) -> tuple[list[str], list[int], dict[int, int]]:
    """The problems of one run, the number of options of every choice, and the choices, to which `rng` adds random ones."""
    options, chosen = list[int](), dict(choices)

    def choose(of: int) -> int:
        n = len(options)
        options.append(of)
        if rng is not None and len(options) < 400 and rng.random() < 0.1:
            chosen[n] = rng.randrange(1, of)
        return chosen.get(n, 0)

    random.seed(0)  # the seed of the waits between calls
    return World(choose, lag).run(), options, chosen


def explore(faults: int, lag: float = 5.0) -> Iterator[tuple[list[str], NumberedChoices]]:
    """The problems and choices of all runs in which at most `faults` choices are not the first option."""
    stack: list[dict[int, int]] = [{}]
    while stack:
        choices = stack.pop()
        wrong, options, _ = run(choices, lag)
        yield wrong, choices
        if len(choices) < faults:
            first = max(choices, default=-1) + 1
            stack += [{**choices, n: option} for n in range(first, len(options)) for option in range(1, options[n])]


def sample(count: int, seed: int, lag: float = 5.0) -> Iterator[tuple[list[str], NumberedChoices]]:
    """The problems and choices of `count` random runs with a fault at every tenth choice."""
    for n in range(count):
        wrong, _, choices = run({}, lag, random.Random(f"{seed}:{n}"))
        yield wrong, choices


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=2)
    parser.add_argument("--random", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lag", type=float, default=5, help="seconds after which the list shows a batch")
    arguments = parser.parse_args()
    logging.getLogger("evalsuite").setLevel(logging.CRITICAL)
    bad = 0
    for what, runs in (
        (f"all runs with at most {arguments.faults} faults", explore(arguments.faults, arguments.lag)),
        (f"drawn with seed {arguments.seed}", sample(arguments.random, arguments.seed, arguments.lag)),
    ):
        began, count, problems = time.perf_counter(), 0, Counter[str]()
        for wrong, choices in runs:
            count += 1
            for problem in wrong[:1]:
                problems[problem] += 1
                bad += 1
                if problems[problem] <= 2:
                    print(f"{problem}: {dict(choices)}")
        print(
            f"{what}: {count:,} in {time.perf_counter() - began:.0f} s, {sum(problems.values())} of them wrong",
            flush=True,
        )
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
