"""Items a second of the hf backend and of lm-evaluation-harness, which score choices by their labels, on the same items.

    pip install 'lm_eval[hf]==0.4.13'
    python benchmarks/likelihood.py [--items 100] [--options 3,15] [--labels bracket,letter] [--repeats 3]

Both get the same network object (random weights, 29 M parameters, float32), the same prompts and the same number of rows at once.
lm-eval scores every label as a continuation of its prompt: "(a)" as printed (bracket: three tokens), or " a" as in its
multiple-choice tasks (letter: one token after a blank, so that one forward pass serves all options). The hf backend always adds
up the forms "a", " a" and "(a". The log-probabilities of " a" are compared.
"""

from __future__ import annotations

import argparse
import logging
import os
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")


def network(folder: Path) -> None:
    """A random Llama with the bundled model's tokenizer."""
    import torch
    import transformers

    from evalsuite.common.resources import bundled

    tokenizer = transformers.AutoTokenizer.from_pretrained(bundled("models/tiny-zh"))
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=512,
        intermediate_size=1536,
        num_hidden_layers=7,
        num_attention_heads=8,
        max_position_embeddings=2048,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    net = transformers.LlamaForCausalLM(config)
    print(f"{sum(p.numel() for p in net.parameters()) / 1e6:.1f} M parameters, {torch.get_num_threads()} threads")
    net.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def prompts(options: int, count: int) -> list[Any]:
    """The sample's items of that many options, all sets and splits, as requests."""
    from evalsuite.benchmarks.corecode import BENCHMARK
    from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
    from evalsuite.benchmarks.registry import SPLITS
    from evalsuite.common.resources import bundled
    from evalsuite.prompt import Prompt

    corpus = CorecodeCorpus(BENCHMARK, bundled("sample"))
    requests = []
    for t in BENCHMARK.tasks:
        prompt = Prompt(bundled("prompts"), t, "paper")
        for item_set in BENCHMARK.sets:
            for split in SPLITS:
                items = corpus.file(t, item_set, split).items if t.kind.single else ()
                requests += [replace(prompt.request(i), scoring="labels") for i in items if len(i.options) == options]
    return list({r.prompt: r for r in requests}.values())[:count]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--options", default="3,15")
    parser.add_argument("--labels", default="bracket,letter")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rows", type=int, default=8, help="prompts in a batch")
    args = parser.parse_args()

    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    from evalsuite.backends.hf.backend import HuggingFace
    from evalsuite.backends.model import Generation, Model
    from evalsuite.types import label_forms

    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as name:
        network(Path(name))
        for options in map(int, args.options.split(",")):
            requests = prompts(options, args.items)
            model = Model(name="random", backend="hf", path=name, dtype="float32", device="cpu")
            longest = max(HuggingFace(model).tokens(r) for r in requests)
            model = model.model_copy(update={"generation": Generation(batch_tokens=args.rows * longest)})
            ours = HuggingFace(model)
            theirs = HFLM(pretrained=ours.net, tokenizer=ours.checkpoint.tokenizer, batch_size=args.rows, device="cpu")
            for label in args.labels.split(","):
                texts = [
                    [f"({x})" if label == "bracket" else f" {x}" for x, *_ in label_forms(r.labels)] for r in requests
                ]
                instances = [
                    Instance("loglikelihood", {}, (r.prompt, text), k)
                    for r, row in zip(requests, texts, strict=True)
                    for k, text in enumerate(row)
                ]
                times: dict[str, list[float]] = {"ours": [], "lm-eval": []}
                for _ in range(args.repeats):
                    began = time.perf_counter()
                    replies = dict(pair for group in ours.generate(requests, [False] * len(requests)) for pair in group)
                    times["ours"].append(time.perf_counter() - began)
                    began = time.perf_counter()
                    scores = theirs.loglikelihood(instances, disable_tqdm=True)
                    times["lm-eval"].append(time.perf_counter() - began)
                assert len(replies) == len(requests)
                ratios = [b / a for a, b in zip(times["ours"], times["lm-eval"], strict=True)]
                print(
                    f"{len(requests)} items of {options} options, label {texts[0][0]!r}: "
                    f"ours {len(requests) / min(times['ours']):.1f} items/s, lm-eval {len(requests) / min(times['lm-eval']):.1f}; "
                    f"ratio {statistics.median(ratios):.1f} ({min(ratios):.1f}–{max(ratios):.1f})"
                )
                if label == "letter":
                    compare(ours, requests, replies, texts, [s[0] for s in scores])


def compare(ours: Any, requests: list[Any], replies: Any, texts: list[list[str]], theirs: list[float]) -> None:
    """Print the largest difference between both log-probabilities of " a"."""
    from evalsuite.backends.hf.prefill import continuations

    ids = [ours.checkpoint.after(r.prompt, row) for r, row in zip(requests, texts, strict=True)]
    log_probabilities = [
        sum(o) for n, r in enumerate(requests) for o in continuations(ours.net, [ours.ids(r)], [ids[n]])[0]
    ]
    print(
        f"    log-probabilities differ by {max(abs(a - b) for a, b in zip(log_probabilities, theirs, strict=True)):.1e} at most"
    )


if __name__ == "__main__":
    main()
