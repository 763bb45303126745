"""The rows of `evalsuite doctor`."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import metadata, version
from pathlib import Path
from typing import Literal

import evalsuite
from evalsuite.backends.model import Model
from evalsuite.backends.model_paths import missing
from evalsuite.backends.models import load_models
from evalsuite.backends.openai.asking import is_loopback
from evalsuite.backends.registry import GROUP as BACKEND_GROUP
from evalsuite.backends.registry import backend_named
from evalsuite.benchmarks.registry import BENCHMARKS, DEFAULT, Corpora
from evalsuite.benchmarks.registry import GROUP as BENCHMARK_GROUP
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.flags import folders
from evalsuite.common.plugins import installed, origin_of
from evalsuite.common.resources import bundled, resolve
from evalsuite.setup import machine, packages
from evalsuite.setup.entries import providers

# absent: nothing is broken, but something cannot be used; wrong: it must be mended.
CheckState = Literal["ok", "absent", "wrong"]
_GB = 10**9
_LEAST_DISK = _GB  # bytes that must be free for a run
_Row = Callable[..., "Check"]
_WITH_EXTRA = ("hf", "vllm", "openai")  # backends that need the extra of their name


@dataclass(frozen=True, slots=True)
class Check:
    """A row: a thing, its state, what was found, what it is needed for, and the command or step that mends it."""

    group: str
    name: str
    state: CheckState
    found: str
    needed_for: str = ""
    mend: str = ""


def _verdict(
    group: str, name: str, good: bool, found: str, needed_for: str, mend: str, bad: CheckState = "wrong"
) -> Check:
    """The row of a thing that is good, or else in the state `bad`; only a bad one says what mends it."""
    return Check(group, name, "ok", found, needed_for) if good else Check(group, name, bad, found, needed_for, mend)


_MIRROR = "in China: export HF_ENDPOINT=https://hf-mirror.com, or hub: modelscope in models.yaml"


def checks(
    models: str | Path | None = None, data: str | Path | Sequence[str | Path] | None = None, online: bool = False
) -> Iterator[Check]:
    """All rows. `models`: a models.yaml whose models are checked, too; `online`: ask hubs and endpoints whether they answer."""
    gpus = machine.gpus()
    yield from _python()
    for extra, use in packages.EXTRAS.items():
        yield _extra(extra, packages.required(extra), use)
    yield from _machine(gpus)
    yield from _servers_and_keys()
    plugins = list(_plugins())
    yield from plugins
    if not any(check.name == "benchmarks" for check in plugins):  # after an error there, no benchmark is known
        yield from _data(data)
    yield from _hubs(online)
    if models is not None:
        for model in load_models(resolve(models)):
            yield of_model(model, gpus, online)


def _python() -> Iterator[Check]:
    wanted = metadata("evalsuite")["Requires-Python"] or ""
    version_here = platform.python_version()
    fits = packages.in_range(version_here, wanted)
    yield _verdict("python", "python", fits, f"{version_here} ({sys.executable})", "", f"install Python {wanted}")
    folder = Path(evalsuite.__file__).parent
    yield Check("python", "evalsuite", "ok", f"{version('evalsuite')} ({folder})")
    core = packages.required()
    bad = [str(each) for each in core if not each.fits]
    text = ", ".join(bad) or f"{len(core)} packages in their ranges"
    # `-U` would fetch evalsuite itself, which is not on PyPI yet; without it, pip adds what the installed one requires.
    yield _verdict("python", "its packages", not bad, text, "everything", "pip install evalsuite")
    schema = bundled("schema") / "models.schema.json"
    again = "install evalsuite again, as docs/install.md says"
    yield _verdict("python", "schema", schema.is_file(), str(schema), "help for models.yaml in editors", again)


def _extra(extra: str, needs: Sequence[packages.PackageRange], use: str) -> Check:
    """The row of an extra: absent if a package is missing, wrong if all are installed and one is outside its range."""
    bad = [each for each in needs if not each.fits]
    state: CheckState = "absent" if any(each.installed is None for each in bad) else "wrong"
    text = ", ".join(map(str, bad or needs))
    return _verdict("extras", f"[{extra}]", not bad, text, use, f"pip install 'evalsuite[{extra}]'", state)


def _plugins() -> Iterator[Check]:
    """A row for each benchmark and backend of other packages, working or broken."""
    mend = "mend or uninstall the package"
    try:
        tuple(BENCHMARKS)
    except ConfigError as error:
        yield Check("plugins", "benchmarks", "wrong", str(error), "every command", mend)
    else:
        for point in installed(BENCHMARK_GROUP):
            yield Check("plugins", point.name, "ok", f"benchmark of {origin_of(point)}")
    for point in installed(BACKEND_GROUP):
        try:
            backend_named(point.name)
        except ConfigError as error:
            yield Check("plugins", point.name, "wrong", str(error), f"backend: {point.name}", mend)
        else:
            yield Check("plugins", point.name, "ok", f"backend of {origin_of(point)}")


def _machine(gpus: Sequence[machine.GPU]) -> Iterator[Check]:
    cpu = machine.cpu()
    fast = f"computes bfloat16 itself ({', '.join(cpu['bfloat16'])})" if cpu["bfloat16"] else "no bfloat16 of its own"
    cores, memory = cpu["cores"], cpu["memory"]
    has = f"{cores} cores and {memory / _GB:.0f} GB of memory" if memory else f"{cores} cores"
    yield Check("machine", "CPU", "ok", f"{has}: {fast}")
    if not gpus:
        yield Check(
            "machine",
            "GPU",
            "absent",
            "none that nvidia-smi lists",
            "models of some 3B parameters and more on this machine; endpoints and small models need none",
            "an endpoint: evalsuite init --model ADDRESS",
        )
    for n, gpu in enumerate(gpus):
        yield Check("machine", f"GPU {n}", "ok", f"{gpu.name}, {gpu.memory / _GB:.0f} GB")
    if len(gpus) > 1:
        yield Check(
            "machine",
            "GPUs together",
            "ok",
            f"a run uses one of the {len(gpus)} (vllm: tensor_parallel_size of them); with --executor ray it uses all",
        )
    if gpus and packages.installed("torch"):
        yield _torch_sees(len(gpus))
    yield _disk("disk", Path(), "results and replies of a run")
    yield _disk(
        "disk of the hub's cache",
        machine.hub_cache(),
        "weights fetched from a hub: some 2 GB for each billion parameters",
    )


def _torch_sees(listed: int) -> Check:
    import torch

    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    text = f"torch {torch.__version__} sees {count} of {listed} GPUs"
    mend = "install a build of torch with CUDA: https://pytorch.org/get-started/locally"
    return _verdict("machine", "torch", count > 0, text, "models on the GPU", mend)


def _disk(name: str, folder: Path, use: str) -> Check:
    free = machine.free_disk(folder)
    text = f"free space in {folder.absolute()}: {free / _GB:.1f} GB"
    mend = "make room" if name == "disk" else "make room, or set HF_HOME to a larger disk"
    return _verdict("machine", name, free >= _LEAST_DISK, text, use, mend)


def _servers_and_keys() -> Iterator[Check]:
    servers = machine.local_servers()
    for server in servers:
        named = ", ".join(server.models[:5]) + (f" and {len(server.models) - 5} more" if len(server.models) > 5 else "")
        yield Check("endpoints", server.address, "ok", named or "wants a key", "backend: openai")
    if not servers:
        ports = ", ".join(map(str, machine.PORTS))
        use, serve = "models that you serve yourself", "vllm serve MODEL, ollama serve, …"
        yield Check("endpoints", "servers here", "absent", f"none on ports {ports}", use, serve)
    keys = machine.keys(providers())
    for variable, (address, _) in keys.items():
        yield Check("endpoints", variable, "ok", f"is set; the key of {address}", "backend: openai")
    if not keys:
        names = ", ".join(machine.variables(providers()))
        text = f"none of these is set: {names}"
        yield Check("endpoints", "keys", "absent", text, "endpoints of providers", "export NAME=…")


def _data(data: str | Path | Sequence[str | Path] | None) -> Iterator[Check]:
    given = folders(data or os.environ.get("EVALSUITE_DATA"))
    pull = f"evalsuite data pull {DEFAULT}"
    if not given:
        yield Check(
            "data",
            "official data",
            "absent",
            "neither --data nor EVALSUITE_DATA names a folder; the bundled sample is there",
            "figures that compare with the papers'",
            f"{pull} && export EVALSUITE_DATA=$PWD/data",
        )
        return
    every = [resolve(folder) for folder in given]
    present = [folder for folder in every if folder.is_dir()]
    for folder in every:
        if folder not in present:
            yield Check("data", str(folder), "wrong", "no such folder", "--data, EVALSUITE_DATA", pull)
    corpora = Corpora(present)
    rows = [_benchmark(name, corpora) for name in BENCHMARKS if present]
    if any(there for _, there in rows):
        yield from (row for row, _ in rows)
    elif present:
        text = "holds none of the benchmarks" if len(present) == 1 else "hold none of the benchmarks"
        yield Check("data", ", ".join(map(str, present)), "wrong", text, "--data, EVALSUITE_DATA", pull)


def _benchmark(name: str, corpora: Corpora) -> tuple[Check, bool]:
    """(row of a benchmark, whether any of its data are there)."""
    benchmark = BENCHMARKS[name]
    mend = f"evalsuite data pull {name}" if benchmark.address else benchmark.no_address
    try:
        every = corpora.all(name)
    except DataError as error:
        return Check("data", benchmark.title, "absent", error.message, f"--tasks {name}", mend), False
    lacking = [t.short for t in benchmark.tasks if not any(c.has(t, s, "test") for c in every for s in c.sets)]
    training = benchmark.training
    shots = not training or any(c.has(t, s, training) for t in benchmark.tasks for c in every for s in c.sets)
    where = ", ".join(str(c.root) for c in every)
    missing = f"no test items of {', '.join(lacking)}"
    if shots:
        text = f"all its tasks in {where}" if not lacking else f"in part in {where}: {missing}"
    else:
        tests = "all test items" if not lacking else missing
        text = f"no training split in {where}; {tests}"
    use = f"--tasks {name}" + ("" if shots else "; shots and the baseline majority need the training split")
    return _verdict("data", benchmark.title, not lacking and shots, text, use, mend, "absent"), True


def _hubs(online: bool) -> Iterator[Check]:
    if os.environ.get("HF_HUB_OFFLINE", "").lower() in ("1", "true", "yes", "on"):
        text = "HF_HUB_OFFLINE is set: only what is in the cache"
        yield Check("hub", "Hugging Face", "absent", text, "hub ids", "unset HF_HUB_OFFLINE")
        return
    address = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")
    if not online:
        mend = f"evalsuite doctor --online asks; {_MIRROR}"
        yield Check("hub", "Hugging Face", "absent", f"{address}, not asked", "hub ids", mend)
        return
    server = machine.ask_server(f"{address}/api", timeout=5)  # any answer will do, also one that is no list of models
    reached = not server.problem or server.problem.startswith("answers")
    text = f"{address}: {server.problem or 'answers'}"
    yield _verdict("hub", "Hugging Face", reached, text, "hub ids", _MIRROR, "absent")


def of_model(model: Model, gpus: Sequence[machine.GPU], online: bool = False) -> Check:
    """The row of a model: whether it can run here, or the first thing that is missing."""
    row = _row_of(model)
    if (extra := model.backend) in _WITH_EXTRA and not packages.is_installed(extra):
        lacks = ", ".join(str(each) for each in packages.required(extra) if not each.fits)
        return row("wrong", lacks, f"pip install 'evalsuite[{extra}]'")
    if model.adapter and packages.installed("peft") is None:
        return row("wrong", "its adapter needs peft", "pip install 'evalsuite[finetune]'")
    if problem := missing(model):
        return row("wrong", problem, "mend path in models.yaml")
    if model.backend == "openai":
        return _of_endpoint(model, row, online)
    if not backend_named(model.backend).local:
        return row("ok", "needs nothing more")
    folder = Path(model.path)
    if not folder.exists():
        if model.hub == "modelscope" and packages.installed("modelscope") is None:
            return row("wrong", "hub: modelscope needs the package", "pip install 'evalsuite[modelscope]'")
        fetched = model.hub == "huggingface" and machine.is_fetched(model.path)
        return row("ok", f"{model.path} is in the cache" if fetched else f"{model.path} will be fetched from the hub")
    if folder.is_dir() and not (folder / "config.json").is_file():
        return row("wrong", f"{folder}: no checkpoint: it has no config.json", "mend path in models.yaml")
    return _of_weights(model, folder, gpus, row)


def _row_of(model: Model) -> _Row:
    """The function that makes a row about the model."""

    def row(state: CheckState, found: str, mend: str = "") -> Check:
        return Check("models", model.name, state, found, f"backend {model.backend}", mend)

    return row


def _of_endpoint(model: Model, row: _Row, online: bool) -> Check:
    key = os.environ.get(model.api.key_env or "", "").strip()
    if model.api.key_env and not key:
        export = f"export {model.api.key_env}=…"
        mend = f"{export}; key_env: null if the server takes none" if is_loopback(model.api.base_url) else export
        return row("wrong", f"{model.api.key_env} is not set", mend)
    address = model.api.base_url
    here = is_loopback(address)
    if not (here or online):
        return row("ok", f"{address}, not asked; doctor --online asks")
    server = machine.ask_server(address, key)
    if model.path in server.models:
        return row("ok", f"{address}: has the model {model.path}")
    if server.models:
        models = ", ".join(server.models[:5])
        return row("wrong", f"{address}: has no model {model.path}, but {models}", "mend path in models.yaml")
    if server.problem.startswith(("answers 401", "answers 403")):
        text = f"{address} takes the key in {model.api.key_env} for wrong"
        return row("wrong", text, f"export {model.api.key_env}=…")
    if server.problem.startswith(("answers", "lists")):
        return row("ok", f"{address} {server.problem} to a list of models")
    return row("wrong", f"{address}: {server.problem}", "start the server" if here else "check address and network")


def _of_weights(model: Model, folder: Path, gpus: Sequence[machine.GPU], row: _Row) -> Check:
    # Loaders read the .safetensors where both kinds are there, and leave out a second copy, such as consolidated.safetensors.
    kinds = ("model*.safetensors", "*.safetensors", "*.bin")
    files = next((found for kind in kinds if (found := [*folder.glob(kind)])), [])
    size = sum(path.stat().st_size for path in files)
    on_gpu = bool(gpus) and model.device != "cpu"
    room = gpus[0].memory * model.vllm.tensor_parallel_size if on_gpu else machine.cpu()["memory"]
    where = "the GPU" if on_gpu else "main memory"
    text = f"{size / _GB:.1f} GB of weights, {(room or 0) / _GB:.0f} GB in {where}"
    if room and size > room:
        return row("wrong", text, "a smaller model, more GPUs (vllm: tensor_parallel_size), or an endpoint")
    return row("ok", text + ("" if on_gpu else _faster(model, folder)))


def _faster(model: Model, folder: Path) -> str:
    """Advice if a checkpoint's precision is slow on this CPU, else "". The user decides, since it changes some replies."""
    if model.backend != "hf" or model.dtype != "auto":
        return ""
    try:
        config = json.loads((folder / "config.json").read_bytes())
        stored = config.get("dtype") or config.get("torch_dtype") or "float32"
    except (OSError, ValueError, AttributeError):
        return ""
    native = bool(machine.cpu()["bfloat16"])
    if native and stored == "float32":
        return "; dtype: bfloat16 is two to four times as fast on this CPU as its float32"
    if not native and stored == "bfloat16":
        return "; dtype: float32 is faster on this CPU, which computes no bfloat16 itself"
    return ""
