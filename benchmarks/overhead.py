"""The time that the suite takes beside the engine: `evalsuite run` on the bundled sample against the bare engine on the same
prompts.

    python benchmarks/overhead.py --backend vllm|hf [--repeats 5] [--limit N]

The model is a Llama of 25 million random weights with tiny-zh's tokenizer; its loading is not measured. The bare engine gets the
same token ids and limits in one `LLM.generate` call (vllm), or in a loop of `net.generate` over length-sorted batches of
the same size (hf). The two take turns; the prefix cache is emptied before each. Prints the ratio pair by pair, and a profile of
one run. Aim: at most 1.03.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

import evalsuite
from evalsuite.backends.hf.backend import plan_batches
from evalsuite.backends.models import load_models
from evalsuite.backends.registry import load_backend
from evalsuite.common.resources import bundled
from evalsuite.evaluation import ask
from evalsuite.evaluation.plan import plan_cells, prepare
from evalsuite.types import Request


def make(folder: Path) -> int:
    """Write the model into the folder; returns its number of weights."""
    import torch
    import transformers

    transformers.utils.logging.disable_progress_bar()
    tiny = bundled("models/tiny-zh")
    for name in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "generation_config.json"):
        (folder / name).write_bytes((tiny / name).read_bytes())
    config = transformers.AutoConfig.from_pretrained(tiny)
    for name, value in {
        "hidden_size": 512,
        "intermediate_size": 1536,
        "num_hidden_layers": 7,
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "head_dim": 64,
    }.items():
        setattr(config, name, value)
    torch.manual_seed(0)
    net = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    net.save_pretrained(folder)
    return sum(p.numel() for p in net.parameters())


def bare_vllm(backend: Any, requests: list[Request]) -> Callable[[], None]:
    from vllm import SamplingParams

    llm, stop = backend.engine._llm, backend.checkpoint.stop_ids
    prompts = [{"prompt_token_ids": backend.ids(r)} for r in requests]
    params = [
        SamplingParams(temperature=0, max_tokens=r.max_new_tokens, stop_token_ids=stop, detokenize=False)
        for r in requests
    ]
    return lambda: llm.generate(prompts, params, use_tqdm=False)


def bare_hf(backend: Any, requests: list[Request]) -> Callable[[], None]:
    import torch

    prompts = [backend.ids(r) for r in requests]
    groups: dict[Any, dict[int, int]] = {}
    for n, r in enumerate(requests):  # one cell's replies have one limit
        groups.setdefault(r.batch, {})[n] = len(prompts[n]) + r.max_new_tokens
    budget, pad = backend.checkpoint.model.generation.batch_tokens, backend.checkpoint.tokenizer.pad_token_id

    def loop() -> None:
        for sizes in groups.values():
            for batch in plan_batches(sizes, budget):
                width = max(len(prompts[n]) for n in batch)
                ids = torch.tensor([[pad] * (width - len(prompts[n])) + prompts[n] for n in batch])
                mask = torch.tensor([[0] * (width - len(prompts[n])) + [1] * len(prompts[n]) for n in batch])
                with torch.inference_mode():
                    backend.net.generate(
                        input_ids=ids, attention_mask=mask, max_new_tokens=requests[batch[0]].max_new_tokens
                    )

    return loop


def seconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=["vllm", "hf"], required=True)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        (folder / "model").mkdir()
        weights = make(folder / "model")
        entry = {
            "name": "random-25m",
            "backend": arguments.backend,
            "path": "model",
            "chat": True,
            "dtype": "float32",
            "vllm": {"enforce_eager": True, "gpu_memory_utilization": 0.2},
        }
        models = folder / "models.yaml"
        models.write_text(json.dumps({"models": [entry]}), encoding="utf-8")
        settings: dict[str, Any] = {"data": "bundled:sample", "limit": arguments.limit, "baselines": ()}
        (model,) = load_models(models)
        backend: Any = load_backend(model)
        s, _, corpus, sources = prepare(models, **settings)
        requests = [t.request for _, trials in plan_cells(s, model, backend, corpus, sources) for t in trials]
        print(f"{weights / 1e6:.1f} million weights, {len(requests)} requests, {arguments.backend}", flush=True)
        bare = {"vllm": bare_vllm, "hf": bare_hf}[arguments.backend](backend, requests)

        close, backend.close = backend.close, lambda: None  # the engine serves all repeats

        def suite(out: Path) -> Any:
            with mock.patch.object(ask, "load_backend", lambda model, **_: backend):
                return evalsuite.run(models, out=out, **settings)

        def clear() -> None:
            if arguments.backend == "vllm":
                backend.engine._core.reset_prefix_cache()

        bare()  # warm up
        ratios, profile = [], cProfile.Profile()
        for n in range(arguments.repeats):
            clear()
            alone = seconds(bare)
            clear()
            whole = seconds(lambda n=n: suite(folder / f"run{n}"))  # type: ignore[misc]
            ratios.append(whole / alone)
            print(f"bare {alone:6.2f} s   suite {whole:6.2f} s   {whole / alone:.3f} ×", flush=True)
        clear()
        profile.runcall(suite, folder / "profiled")
        close()
        print(f"ratio: median {median(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f} (aim: 1.03)")
        pstats.Stats(profile).sort_stats("cumulative").print_stats("evalsuite", 25)


if __name__ == "__main__":
    main()
