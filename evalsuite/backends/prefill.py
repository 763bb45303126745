"""Log-probabilities on a transformers network with as little computing as can be: every prompt is prefilled once.

Rows are padded on the right and carry no attention mask in the prefill: under causal attention no real token sees a pad,
and without a mask the fastest attention kernels serve. Natural logarithms, taken in float32.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

Options = Sequence[Sequence[int]]  # token ids of each


def continuations(net: Any, contexts: Sequence[Sequence[int]], options: Sequence[Options]) -> list[list[list[float]]]:
    """Log-probability of every token of every option after its row's context: row -> option -> token.

    One forward if the options of each row differ in their last token only, or are single tokens (labels: "a", " a");
    else a second one, in which each row's cache serves all its options.
    """
    import torch

    # What has to be read before each option's last token: where that is one chain of tokens, it goes behind the context.
    chains = [max((o[:-1] for o in row), key=len) for row in options]
    flat = all(o[:-1] == chain[: len(o) - 1] for row, chain in zip(options, chains, strict=True) for o in row)
    with torch.inference_mode():
        if not flat:
            return _branching(net, contexts, options)
        found = []
        for row, logprobs in zip(options, _read(net, contexts, chains)[0], strict=True):
            # One gather and one copy to the CPU a row.
            spots = torch.tensor([(at, token) for o in row for at, token in enumerate(o)], device=logprobs.device)
            values = iter(logprobs[spots[:, 0], spots[:, 1]].tolist())
            found.append([[next(values) for _ in o] for o in row])
        return found


def _branching(net: Any, contexts: Sequence[Sequence[int]], options: Sequence[Options]) -> list[list[list[float]]]:
    import torch

    device = net.device
    nexts, cache = _read(net, contexts, [()] * len(contexts), use_cache=True)
    if not _splits(cache):
        pairs = [(c, o) for c, row in zip(contexts, options, strict=True) for o in row]
        scores = iter(targets(net, pairs))
        return [[next(scores) for _ in row] for row in options]
    found = [[[float(first[0, o[0]])] for o in row] for first, row in zip(nexts, options, strict=True)]
    # Options with more than their first token take the second forward, those with the same beginning together.
    rows = sorted({(n, tuple(o[:-1])) for n, row in enumerate(options) for o in row if len(o) > 1})
    cache.batch_select_indices(torch.tensor([n for n, _ in rows], device=device))
    width, steps = max(map(len, contexts)), max(len(given) for _, given in rows)
    ids = torch.zeros((len(rows), steps), dtype=torch.long)
    mask = torch.zeros((len(rows), width + steps), dtype=torch.long)
    places = torch.zeros((len(rows), steps), dtype=torch.long)
    for r, (n, given) in enumerate(rows):
        ids[r, : len(given)] = torch.tensor(given)
        mask[r, : len(contexts[n])] = 1
        mask[r, width : width + len(given)] = 1
        places[r] = len(contexts[n]) + torch.arange(steps)
    out = net(
        input_ids=ids.to(device),
        attention_mask=mask.to(device),
        position_ids=places.to(device),
        past_key_values=cache,
        use_cache=True,
    )
    logprobs = out.logits.float().log_softmax(-1)
    number = {row: r for r, row in enumerate(rows)}
    for n, row in enumerate(options):
        for k, option in enumerate(row):
            if len(option) > 1:
                wanted = torch.tensor(option[1:], device=device)
                after = logprobs[number[n, tuple(option[:-1])], : len(wanted)]
                found[n][k] += after.gather(-1, wanted[:, None])[:, 0].tolist()
    return found


def _splits(cache: Any) -> bool:
    """Whether rows of the cache can be copied, and pads in it masked: not in recurrent or sliding-window layers."""
    from transformers.cache_utils import DynamicLayer

    return all(type(layer) is DynamicLayer for layer in getattr(cache, "layers", [None]))


def _forward(net: Any, ids: list[list[int]], kept: list[int], use_cache: bool = False) -> Any:
    """The network's output with logits at the `kept` places only: all of them might need more memory than the network."""
    import torch

    rows = torch.tensor(ids, device=net.device)
    places = torch.tensor(kept, device=net.device)
    own = net.get_base_model() if hasattr(net, "get_base_model") else net  # under an adapter
    if "logits_to_keep" in inspect.signature(own.forward).parameters:
        return net(input_ids=rows, use_cache=use_cache, logits_to_keep=places)
    out = net(input_ids=rows, use_cache=use_cache)  # some models with code of their own
    out.logits = out.logits[:, places]
    return out


def _read(
    net: Any, contexts: Sequence[Sequence[int]], chains: Sequence[Sequence[int]], use_cache: bool = False
) -> tuple[list[Any], Any]:
    """For each row the log-probabilities (places x vocabulary) of what follows its context, and each further token of
    its chain; and the cache."""
    width = max(len(c) + len(chain) for c, chain in zip(contexts, chains, strict=True))
    ids = [[*c, *chain, *[0] * (width - len(c) - len(chain))] for c, chain in zip(contexts, chains, strict=True)]
    ends = [range(len(c) - 1, len(c) + len(chain)) for c, chain in zip(contexts, chains, strict=True)]
    kept = sorted({place for row in ends for place in row})
    where = {place: n for n, place in enumerate(kept)}
    out = _forward(net, ids, kept, use_cache)
    rows = [out.logits[n, [where[p] for p in row]].float().log_softmax(-1) for n, row in enumerate(ends)]
    return rows, getattr(out, "past_key_values", None)


def targets(net: Any, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[list[float]]:
    """Log-probability of every token of each target after its context, in one forward. Contexts have a token or more."""
    import torch

    width = max(len(c) + len(t) for c, t in pairs)
    ids = [[*c, *t, *[0] * (width - len(c) - len(t))] for c, t in pairs]
    begin = min(len(c) for c, _ in pairs) - 1
    with torch.inference_mode():
        logits = _forward(net, ids, list(range(begin, width))).logits
        found = []
        for row, (context, target) in zip(logits, pairs, strict=True):
            start = len(context) - 1 - begin
            logprobs = row[start : start + len(target)].float().log_softmax(-1)
            found.append(logprobs.gather(-1, torch.tensor(target, device=net.device)[:, None])[:, 0].tolist())
    return found
