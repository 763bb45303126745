"""Replicas and trainings on a cluster within this process: what happens when workers die, files differ, or room is short.

That Ray does the same is tested by the contract below (one real cluster), by test_ray.py and by test_finetune_ray.py.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path
from typing import Any

import pytest
from in_process import InProcess

from evalsuite.backends import cluster as clusters
from evalsuite.backends.base import BackendRow, Loader
from evalsuite.backends.cluster import Actor, Cluster, Worker, WorkerLostError, equal_share, wait_for_call
from evalsuite.backends.model import HF, VLLM, Model
from evalsuite.backends.ray import AHEAD, Replicas
from evalsuite.backends.registry import BACKENDS, load_backend
from evalsuite.common.errors import BackendError
from evalsuite.evaluation.display import Display, TrainingStep
from evalsuite.finetuning import ray as finetune_ray
from evalsuite.finetuning.jobs import Job

TWO = ({"CPU": 1}, {"CPU": 1})

# --- what a cluster has to do


@pytest.fixture(params=["in process", pytest.param("two_nodes", marks=pytest.mark.thorough)])
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    if request.param == "in process":
        yield InProcess(TWO)
    else:
        joined = clusters.Ray("m", request.getfixturevalue("two_nodes").address)
        yield joined
        joined.leave()


def test_the_contract_of_a_cluster(cluster: Cluster) -> None:
    in_process = isinstance(cluster, InProcess)

    class Counting(Actor):  # within the function: Ray then sends its code along
        count = 0

        def add(self, number: int) -> int:
            self.count += number
            return self.count

        def fail(self) -> None:
            raise KeyError("nothing there")

        def refuse(self) -> None:
            raise BackendError("model m: no such file")

        def die(self) -> None:
            if in_process:
                raise WorkerLostError("it died")
            os._exit(1)

    def outcome_of(call: Any, worker: Worker) -> Any:
        assert cluster.wait([call]) == call
        return worker.result(call, "an error in it")

    assert sum(node["CPU"] for node in cluster.nodes()) == 2
    one, two = (Worker(cluster, Counting, {"num_cpus": 1}) for _ in range(2))
    calls = [one.send(n, "add", n) for n in (1, 2, 3)]
    assert wait_for_call(cluster, [one], str) == (one, calls[0])
    assert [outcome_of(call, one) for call in calls] == [1, 3, 6] and not one.calls

    # An error leaves the worker as it was.
    for method, message in [
        ("refuse", "^model m: no such file$"),
        ("fail", "^an error in it: KeyError: .nothing there"),
    ]:
        with pytest.raises(BackendError, match=message):
            outcome_of(one.send("", method), one)

    # No room for a third, until one is killed.
    cluster.wait([two.placed])
    three = Worker(cluster, Counting, {"num_cpus": 1})
    assert cluster.wait([three.placed], timeout=0.2) is None
    two.kill()
    assert cluster.wait([three.placed], timeout=600) == three.placed

    # A death takes the calls behind it along, and leaves other workers alone.
    for call in [three.send("", method) for method in ("die", "host_name")]:
        with pytest.raises(WorkerLostError):
            outcome_of(call, three)
    assert outcome_of(one.send("", "add", 1), one) == 7
    one.kill()


# --- replicas


class Engine:
    """A model that answers in capitals, in blocks of two."""

    def __init__(self, name: str, dies: Counter[str], fingerprint: str = "f") -> None:
        self.dies = dies  # request -> how many more replicas die over it
        self.fingerprint, self.settings, self.context, self.parameters = fingerprint, {"t": 0}, 512, 7
        self.answered: list[str] = []

    def plan(self, requests: list[str]) -> list[list[int]]:
        return [list(range(len(requests)))[n : n + 2] for n in range(0, len(requests), 2)]

    def tokens(self, request: str) -> int:
        self._die(request)
        return len(request)

    def generate(self, requests: list[str], done: list[bool]) -> Iterator[list[tuple[int, str]]]:
        for n, (request, skip) in enumerate(zip(requests, done, strict=True)):
            if not skip:
                self._die(request)
                yield [(n, request.upper())]

    def close(self) -> None: ...

    def _die(self, request: str) -> None:
        if self.dies[request] > 0:
            self.dies[request] -= 1
            raise WorkerLostError("it died")


class Engines:
    """The engines that loading a model gives, in turn; the last one again and again. An exception is raised."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.dies: Counter[str] = Counter()
        self.script: list[Any] = []
        self.loads = 0
        row = BackendRow("hf", lambda model, train, limits: self.load(model), local=True)
        monkeypatch.setitem(BACKENDS, "hf", row)

    def load(self, model: Model) -> Any:
        self.loads += 1
        outcome = self.script[min(self.loads, len(self.script)) - 1] if self.script else "f"
        if isinstance(outcome, Exception):
            raise outcome
        return Engine(model.name, self.dies, outcome)


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> Engines:
    return Engines(monkeypatch)


def replicas(cluster: InProcess, number: int | None = None, **settings: Any) -> Replicas:
    return Replicas(Model(name="m", backend="hf", path="p", device="cpu", **settings), cluster, number)


TEXTS = [f"text {n}" for n in range(20)]


def answers(backend: Replicas, requests: list[str] = TEXTS, done: tuple[int, ...] = ()) -> dict[int, Any]:
    flags = [n in done for n in range(len(requests))]
    pairs = list(chain.from_iterable(backend.generate(requests, flags)))  # type: ignore[arg-type]
    assert len(dict(pairs)) == len(pairs), "answered twice"
    return dict(pairs)


RIGHT = {n: text.upper() for n, text in enumerate(TEXTS)}


def test_replicas_answer_what_a_model_answers(engines: Engines) -> None:
    cluster = InProcess(TWO)
    backend = replicas(cluster)
    assert (backend.fingerprint, backend.settings, backend.context, backend.parameters) == ("f", {"t": 0}, 512, 7)
    assert backend.tokens("abc") == 3  # type: ignore[arg-type]
    assert answers(backend) == RIGHT
    assert answers(backend, done=(3, 4, 5)) == {n: text for n, text in RIGHT.items() if n not in (3, 4, 5)}
    assert answers(backend, done=tuple(range(20))) == {}
    backend.close()
    assert engines.loads == 2 and cluster.left
    assert cluster.nodes(free=True) == cluster.nodes()


@pytest.mark.parametrize("deaths", [1, 2])
def test_a_replica_that_dies_is_replaced_and_its_block_asked_again(
    engines: Engines, caplog: pytest.LogCaptureFixture, deaths: int
) -> None:
    engines.dies["text 6"] = deaths
    assert answers(replicas(InProcess(TWO))) == RIGHT
    assert caplog.text.count("is lost: it died") == deaths


def test_a_block_over_which_replicas_die_three_times_is_given_up(
    engines: Engines, caplog: pytest.LogCaptureFixture
) -> None:
    engines.dies["text 6"] = 99
    found = answers(replicas(InProcess(TWO)))
    failed = {n: found.pop(n) for n in (6, 7)}
    assert found == {n: text for n, text in RIGHT.items() if n not in (6, 7)}
    assert {r.error for r in failed.values()} == {"3 replicas died over this request's block of 2 requests"}
    assert {r.finish for r in failed.values()} == {"error"}
    assert caplog.text.count("is lost") == 3


def test_a_request_of_a_lost_block_that_has_a_reply_does_not_fail(engines: Engines) -> None:
    engines.dies["text 6"] = 99
    found = answers(replicas(InProcess(TWO)), done=(7,))
    assert found[6].error and 7 not in found


def test_a_node_taken_away_in_the_middle(engines: Engines, caplog: pytest.LogCaptureFixture) -> None:
    cluster = InProcess(TWO)
    backend = replicas(cluster)
    found, steps = {}, backend.generate(TEXTS, [False] * 20)  # type: ignore[arg-type]
    for n in count():
        if n == 4:
            cluster.remove(1)
        group = next(steps, None)
        if group is None:
            break
        assert not found.keys() & dict(group).keys()
        found.update(dict(group))
    assert found == RIGHT and "is lost: node 1 is gone" in caplog.text


def test_no_node_is_left(engines: Engines) -> None:
    cluster = InProcess(TWO)
    backend = replicas(cluster)
    steps = backend.generate(TEXTS, [False] * 20)  # type: ignore[arg-type]
    next(steps)
    for node in (0, 1):
        cluster.remove(node)
    with pytest.raises(BackendError, match=r"^model m: the last replica was lost \(node . is gone\), and .* no room"):
        list(steps)


def test_a_question_over_which_replicas_die(engines: Engines) -> None:
    backend = replicas(InProcess(TWO))
    engines.dies["abc"] = 2
    assert backend.tokens("abc") == 3  # type: ignore[arg-type]
    engines.dies["abc"] = 3
    with pytest.raises(BackendError, match=r"^model m: 3 replicas died over tokens\(\), the last: it died"):
        backend.tokens("abc")  # type: ignore[arg-type]


def test_replicas_that_die_while_they_load(engines: Engines) -> None:
    engines.script = [WorkerLostError("too large"), WorkerLostError("too large"), "f"]
    assert answers(replicas(InProcess(TWO), 1)) == RIGHT
    engines.script, engines.loads = [WorkerLostError("too large")], 0
    with pytest.raises(BackendError, match=r"^model m: no replica is left on the Ray cluster; the last: too large"):
        replicas(InProcess(TWO), 1)
    assert engines.loads == clusters.TRIES


def test_a_model_that_one_node_cannot_load(engines: Engines) -> None:
    engines.script = [BackendError("model m: cannot load p"), "f"]
    assert answers(replicas(InProcess(TWO))) == RIGHT
    assert engines.loads == 2, "asked for again where files are missing"


def test_a_model_that_no_node_can_load(engines: Engines) -> None:
    engines.script = [BackendError("model m: cannot load p")]
    cluster = InProcess(TWO)
    with pytest.raises(BackendError, match=r"no replica is left.*the last: model m: cannot load p \(on node .+\)"):
        replicas(cluster)
    assert cluster.left, "it did not leave the cluster"


def test_nodes_with_different_files(engines: Engines) -> None:
    engines.script = ["f", "g"]
    with pytest.raises(BackendError, match=r"^model m: nodes .* and .* hold different files of p"):
        answers(replicas(InProcess(TWO)))


def test_an_error_in_the_models_code_ends_the_model(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Engine, "tokens", lambda self, request: 1 // 0)
    with pytest.raises(BackendError, match=r"^model m: an error in a replica: ZeroDivisionError"):
        replicas(InProcess(TWO)).tokens("abc")  # type: ignore[arg-type]


def test_no_room_for_a_replica(engines: Engines) -> None:
    cluster = InProcess(TWO)
    with pytest.raises(BackendError, match=r"^model m: the Ray cluster has had no room for 300 s.*'num_cpus': 64"):
        replicas(cluster, hf=HF(threads=64))
    assert cluster.left


@pytest.mark.parametrize(
    ("nodes", "number", "device", "threads", "loads"),
    [
        (TWO, None, "cpu", None, 2),
        (TWO, 1, "cpu", None, 1),
        (({"CPU": 8},), 4, "cpu", None, 4),
        (({"CPU": 8}, {"CPU": 2}), None, "cpu", 2, 5),
        (({"CPU": 8, "GPU": 4},), None, "auto", None, 4),
        (({"CPU": 8, "GPU": 4},), 2, "auto", None, 2),
        (({"CPU": 8, "GPU": 4},), None, "cpu", None, 1),
    ],
)
def test_as_many_replicas_as_fit_or_are_asked_for(
    engines: Engines, nodes: Any, number: int | None, device: Any, threads: int | None, loads: int
) -> None:
    model = Model(name="m", backend="hf", path="p", device=device, hf=HF(threads=threads))
    assert answers(Replicas(model, InProcess(nodes), number)) == RIGHT
    assert engines.loads == loads


def test_a_second_block_is_sent_ahead(engines: Engines) -> None:
    backend = replicas(InProcess(TWO))
    next(backend.generate(TEXTS, [False] * 20))  # type: ignore[arg-type]
    assert max(len(member.calls) for member in backend._members) == AHEAD


@pytest.mark.parametrize(
    ("sizes", "count", "each"),
    [([8, 8], 2, 8), ([8, 8], 4, 4), ([8, 8], 3, 4), ([4, 64], 2, 32), ([2], 5, 1), ([], 1, 1)],
)
def test_equal_shares_of_unequal_nodes(sizes: list[int], count: int, each: int) -> None:
    assert equal_share(sizes, count) == each


# --- trainings


class Trainings:
    """Stands for the training itself: nine steps and a card, which is kept in the adapter's folder."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.dies: Counter[str] = Counter()
        self.fails: Counter[str] = Counter()
        self.begun: list[str] = []
        self.most = self.now = 0
        monkeypatch.setattr(finetune_ray, "train_on_node", self.reports)
        monkeypatch.setattr(finetune_ray, "finished", lambda job, display: (job.folder / "card").exists())

    def reports(self, model: Model, rows: Any, folder: Path, made_by: Any, token: str) -> Iterator[Any]:
        name = folder.name
        assert (folder / "checkpoints" / "claim").read_text() == token
        self.begun.append(name)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            yield TrainingStep(1, 9, 0.5, 10, 1.0)
            if self.dies[name] > 0:
                self.dies[name] -= 1
                raise WorkerLostError("its process died")
            if self.fails[name]:
                raise BackendError("model m: out of memory (on node x)")
            for step in range(2, 10):
                yield TrainingStep(step, 9, 0.4, 20, 2.0)
        finally:
            self.now -= 1
        (folder / "card").touch()
        yield {"steps": 9, "seconds": 2.0, "loss": {1: 0.5, 9: 0.4}}


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> Trainings:
    pytest.importorskip("torch", reason="needs evalsuite[hf]")
    return Trainings(monkeypatch)


def run(folder: Path, names: str, cluster: InProcess, number: int | None = None) -> None:
    base = Model(name="m", backend="hf", path="p", device="cpu", hf=HF(threads=1))
    todo = [
        Job(base.model_copy(update={"name": name, "adapter": str(folder / name)}), base, None, (), {"seed": 1})  # type: ignore[arg-type]
        for name in names.split()
    ]
    with Display() as display:
        finetune_ray.train_all(todo, display, cluster, number)


def test_trainings_fill_the_cluster(trainings: Trainings, tmp_path: Path) -> None:
    cluster = InProcess([{"CPU": 2}, {"CPU": 1}])
    run(tmp_path, "a b c d e f", cluster)
    assert trainings.begun == list("abcdef") and trainings.most == 3
    assert cluster.nodes(free=True) == cluster.nodes()


def test_no_more_trainings_than_asked_for(trainings: Trainings, tmp_path: Path) -> None:
    run(tmp_path, "a b c d", InProcess([{"CPU": 4}]), number=2)
    assert trainings.begun == list("abcd") and trainings.most <= 2


@pytest.mark.parametrize("deaths", [1, 2])
def test_a_lost_training_is_tried_again(
    trainings: Trainings, tmp_path: Path, caplog: pytest.LogCaptureFixture, deaths: int
) -> None:
    trainings.dies["b"] = deaths
    run(tmp_path, "a b c", InProcess(TWO))
    assert Counter(trainings.begun) == {"a": 1, "b": 1 + deaths, "c": 1}
    assert caplog.text.count("b is lost on node") == caplog.text.count("tried again from its last checkpoint") == deaths


def test_a_training_that_is_lost_three_times_is_given_up(trainings: Trainings, tmp_path: Path) -> None:
    trainings.dies["a"] = 99
    with pytest.raises(BackendError, match=r"^a is lost on node .: its process died \(tried 3 times\)$"):
        run(tmp_path, "a b", InProcess(TWO))
    assert (tmp_path / "b" / "card").exists(), "what was at work is finished first"


def test_a_training_lost_after_its_last_byte_is_finished(
    trainings: Trainings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies_at_the_end(*job: Any) -> Iterator[Any]:
        yield from list(trainings.reports(*job))[:-1]
        raise WorkerLostError("its process died")

    monkeypatch.setattr(finetune_ray, "train_on_node", dies_at_the_end)
    run(tmp_path, "a", InProcess(TWO))
    assert trainings.begun == ["a"]


def test_an_error_begins_no_more_and_finishes_those_at_work(trainings: Trainings, tmp_path: Path) -> None:
    trainings.fails["a"] = 1
    with pytest.raises(BackendError, match=r"^model m: out of memory \(on node x\)$"):
        run(tmp_path, "a b c d e", InProcess(TWO))
    assert trainings.begun == ["a", "b"] and (tmp_path / "b" / "card").exists()


def test_no_room_for_a_training(trainings: Trainings, tmp_path: Path) -> None:
    with pytest.raises(BackendError, match=r"^model m: the Ray cluster has had no room for 300 s.*\{'num_cpus': 1\}"):
        run(tmp_path, "a", InProcess([{"CPU": 0}]))


def test_nothing_goes_on_when_the_command_is_stopped(
    trainings: Trainings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*job: Any) -> Iterator[Any]:
        yield TrainingStep(1, 9, 0.5, 10, 1.0)
        raise KeyboardInterrupt

    monkeypatch.setattr(finetune_ray, "train_on_node", stopped)
    cluster = InProcess(TWO)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, "a b c", cluster)
    assert cluster.nodes(free=True) == cluster.nodes()


# --- joining


def hf(path: str) -> Model:
    return Model(name="m", backend="hf", path=path)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:1", "model m: cannot join the Ray cluster at 127.0.0.1:1 .*refused"),
        ("nonsense", "model m: cannot join the Ray cluster at nonsense .*[Ii]nvalid"),
        ("host:port", "model m: cannot join the Ray cluster at host:port"),
        ("ray://127.0.0.1:10001", "expected HOST:PORT or auto, and this command on a node"),
    ],
)
def test_a_cluster_that_cannot_be_joined(address: str, message: str) -> None:
    pytest.importorskip("ray", reason="needs evalsuite[ray]")
    with pytest.raises(BackendError, match=message):
        backends_on(address)(hf("anything"))


def test_the_address_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="needs evalsuite[ray]")
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(BackendError, match=re.escape("127.0.0.1:1")):
        backends_on(None)(hf("anything"))


def test_without_ray_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # Python itself puts None there to forbid an import
    with pytest.raises(BackendError, match=r"needs `pip install 'evalsuite\[ray\]'`"):
        backends_on(None)(hf("anything"))
    assert backends_on(None)(Model(name="b", backend="baseline", path="random")).context is None


def backends_on(address: str | None) -> Loader:
    from evalsuite.backends.ray import cluster as on_cluster

    return on_cluster(load_backend, address, None)


# --- what is sent to a node, and what is told of its errors


@pytest.mark.parametrize(("count", "engine"), [(1, {}), (2, {"distributed_executor_backend": "mp"})])
def test_an_engine_on_several_cards_stays_within_its_actor(count: int, engine: dict[str, str]) -> None:
    model = Model(name="m", backend="vllm", path="org/model", vllm=VLLM(tensor_parallel_size=count))
    sent = clusters.for_actors(model)
    assert sent.vllm.engine == engine and sent.path == "org/model"


def test_paths_are_sent_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").mkdir()
    sent = clusters.for_actors(Model(name="m", backend="hf", path="model", adapter="gone"))
    assert (sent.path, sent.adapter) == (str(tmp_path / "model"), "gone")


def test_an_error_is_told_by_its_first_and_its_last_line() -> None:
    assert (
        clusters._brief(OSError("The actor died.\n\n  a trace\nkilled by signal 9 "))
        == "The actor died. … killed by signal 9"
    )
    assert clusters._brief(OSError("one line")) == "one line" and clusters._brief(OSError()) == "OSError"
