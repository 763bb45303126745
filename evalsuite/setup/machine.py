"""Survey of this machine: servers of models, keys in the environment, GPUs, CPU, memory and disk."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from evalsuite.backends.openai.asking import is_loopback
from evalsuite.common.processes import cores
from evalsuite.common.secrets import keep_secret

# The default ports of servers of models.
PORTS = {8000: "vLLM", 8080: "llama.cpp", 11434: "Ollama", 1234: "LM Studio", 30000: "SGLang"}
_LARGEST = 2**20  # the most bytes of a list of models

# Providers without an entry in models/chinese-2026.yaml: variable of the key -> address.
_OTHERS = {
    "QIANFAN_API_KEY": "https://qianfan.baidubce.com/v2",
    "MINIMAX_API_KEY": "https://api.minimaxi.com/v1",
    "STEPFUN_API_KEY": "https://api.stepfun.com/v1",
    "SPARK_API_PASSWORD": "https://spark-api-open.xf-yun.com/v1",
    "SILICONFLOW_API_KEY": "https://api.siliconflow.cn/v1",
    "OPENROUTER_API_KEY": "https://openrouter.ai/api/v1",
}
# Other names that a provider's own documentation gives the variable.
_ALIASES = {"ZHIPUAI_API_KEY": "ZHIPU_API_KEY", "ZAI_API_KEY": "ZHIPU_API_KEY"}


@dataclass(frozen=True, slots=True)
class ModelServer:
    """An OpenAI-compatible server and the models that it lists."""

    address: str
    models: tuple[str, ...] = ()
    wants_key: bool = False
    problem: str = ""  # the reason why it lists none

    @property
    def answers(self) -> bool:
        """Whether it lists models, or would with a key."""
        return bool(self.models) or self.wants_key


@dataclass(frozen=True, slots=True)
class GPU:
    name: str
    memory: int  # bytes


class _Stay(HTTPRedirectHandler):
    """Follows no redirect, since a key is for one host."""

    def redirect_request(self, *_: Any) -> None:
        return None


def ask_server(address: str, key: str = "", timeout: float = 3) -> ModelServer:
    """The server at an address, with the models that it lists (GET …/models). Never raises: a server that does not answer has a
    `problem`."""
    keep_secret(key)
    try:
        request = Request(f"{address.rstrip('/')}/models", headers={"Authorization": f"Bearer {key}"} if key else {})
        opener = build_opener(_Stay, *([ProxyHandler({})] if is_loopback(address) else []))
        with opener.open(request, timeout=timeout) as reply:
            listed = json.loads(reply.read(_LARGEST))
        names = tuple(row["id"] for row in listed["data"] if isinstance(row["id"], str) and row["id"])
    except HTTPError as error:
        wants = error.code in (401, 403)
        return ModelServer(address, wants_key=wants, problem=f"answers {error.code}")
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        return ModelServer(address, problem=getattr(reason, "strerror", None) or str(reason))
    except (ValueError, KeyError, TypeError, RecursionError):
        return ModelServer(
            address, problem="answers, but with no list of models: is the address that of an OpenAI-compatible API?"
        )
    return ModelServer(address, names, problem="" if names else "lists no model")


def local_servers(ports: Iterable[int] | None = None) -> list[ModelServer]:
    """The servers that answer on this machine, on `ports` or else on PORTS."""
    addresses = [f"http://localhost:{port}/v1" for port in (PORTS if ports is None else ports)]
    with ThreadPoolExecutor(len(addresses) or 1) as pool:
        return [server for server in pool.map(lambda each: ask_server(each, timeout=1), addresses) if server.answers]


def variables(providers: Sequence[tuple[str, str]]) -> list[str]:
    """The variables of keys. `providers`: (variable, address) of providers beside those of _OTHERS."""
    return list(dict.fromkeys([*(variable for variable, _ in providers), *_OTHERS]))


def keys(providers: Sequence[tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Variables of the environment that hold a key: name -> (address, the provider's usual variable). No key is returned.

    `providers`: (variable, address) of providers beside those of _OTHERS.
    """
    addresses = dict(providers) | _OTHERS
    names = {name: name for name in addresses} | {a: name for a, name in _ALIASES.items() if name in addresses}
    return {v: (addresses[name], name) for v, name in names.items() if os.environ.get(v, "").strip()}


def gpus() -> list[GPU]:
    """The NVIDIA GPUs that nvidia-smi lists; none if the program is not there."""
    try:
        done = subprocess.run(
            ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"],
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    rows = (line.rpartition(",") for line in done.stdout.splitlines() if "," in line)
    return [GPU(name.strip(), int(memory) * 2**20) for name, _, memory in rows if memory.strip().isdigit()]


def cpu() -> dict[str, Any]:
    """Cores that this process may use, main memory in bytes (None: not known), and whether the CPU computes bfloat16 itself."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows
        memory = None
    try:
        flags = {*Path("/proc/cpuinfo").read_text(encoding="utf-8").replace("\n", " ").split()}
    except OSError:
        flags = set()
    return {"cores": cores(), "memory": memory, "bfloat16": sorted(flags & {"avx512_bf16", "amx_bf16", "bf16"})}


def free_disk(folder: Path) -> int:
    """Free bytes on the disk of a folder, which need not exist yet."""
    parent = folder.expanduser().absolute()
    while not parent.exists():
        parent = parent.parent
    return shutil.disk_usage(parent).free


def hub_cache() -> Path:
    """The folder in which Hugging Face's library keeps downloads."""
    if cache := os.environ.get("HF_HUB_CACHE"):
        return Path(cache)
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")) / "huggingface"
    return Path(home).expanduser() / "hub"


def is_fetched(hub_id: str) -> bool:
    """Whether the weights of a model of the hub are in the cache. Its configuration and tokenizer may be there without them, and
    a download that stopped leaves some shards."""
    snapshots = (hub_cache() / f"models--{hub_id.replace('/', '--')}" / "snapshots").glob("*")
    return any(_has_weights(folder) for folder in snapshots)


def _has_weights(folder: Path) -> bool:
    """Whether a folder has a file of weights; if they are sharded, whether it has all shards."""
    names = [path.name for path in folder.glob("*") if path.suffix in (".safetensors", ".bin") and path.is_file()]
    shards = Counter((shard[1], int(shard[2])) for name in names if (shard := _SHARD.match(name)))
    return any(present == count for (_, count), present in shards.items()) if shards else bool(names)


_SHARD = re.compile(r"(.+)-\d+-of-(\d+)\.")  # model-00001-of-00004.safetensors
