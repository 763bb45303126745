"""The real engine, started once a session, on a CPU if there is nothing else: `make test-vllm`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from evalsuite.backends.base import Backend
from evalsuite.backends.model import VLLM, Model
from evalsuite.backends.registry import load_backend

_found = find_spec("vllm")
# Without an origin it is this very folder, taken for a package.
WHY = "" if _found and _found.origin else "vllm is not installed: make test-vllm sets up a venv that has it"
if not WHY and " " in sys.prefix:
    WHY = "vLLM for CPUs preloads a library by LD_PRELOAD, whose list is separated by blanks: its venv needs a path without"
if not WHY:
    # A share of the machine is enough for a 5 MB model, whatever else runs there.
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
    # The engine that most tests share runs in this process, and the server's in two instead of three: each process more imports
    # torch and vllm again. The command line runs as everybody's (`test_parity_of_the_command_line`).
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"

SMALL = VLLM(enforce_eager=True, max_num_seqs=16, gpu_memory_utilization=0.1, max_lora_rank=8)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if WHY and Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=WHY))


@pytest.fixture(scope="session")
def adapters(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two LoRAs with random weights: they change what the model says."""
    peft = pytest.importorskip("peft", reason="needs evalsuite[finetune]")
    import torch
    import transformers

    found = []
    for seed, modules in enumerate((["q_proj", "v_proj"], "all-linear")):
        torch.manual_seed(seed)
        net = transformers.AutoModelForCausalLM.from_pretrained(tiny, dtype=torch.float32)
        config = peft.LoraConfig(r=4, target_modules=modules, init_lora_weights=False, task_type="CAUSAL_LM")
        found.append(tmp_path_factory.mktemp("adapters") / str(seed))
        peft.get_peft_model(net, config).save_pretrained(found[-1])
    return found


@pytest.fixture(scope="session")
def spec(tiny: Path, adapters: list[Path]) -> Model:
    return Model(
        name="tiny", backend="vllm", path=str(tiny), chat=True, dtype="float32", vllm=SMALL, adapter=str(adapters[0])
    )


@pytest.fixture(scope="session")
def first(spec: Model) -> Iterator[Backend]:
    """The model with an adapter, whose engine all others share."""
    backend = load_backend(spec)
    yield backend
    backend.close()
