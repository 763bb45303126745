"""Log-probabilities on a transformers network with as little computing as can be: every prompt is prefilled once.

Rows are padded on the right and carry no attention mask in the prefill: under causal attention no real token sees a pad,
and without a mask the fastest attention kernels serve. Natural logarithms, taken in float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Options = Sequence[Sequence[int]]  # token ids of each


def continuations(net: Any, contexts: Sequence[Sequence[int]], options: Sequence[Options]) -> list[list[list[float]]]:
    """Log-probability of every token of every option after its row's context: row -> option -> token.

    One forward if all options are single tokens; else a second one, in which each row's cache serves all its options.
    """
    import torch

    several = any(len(option) > 1 for row in options for option in row)
    device = net.device
    lengths = torch.tensor([len(c) for c in contexts], device=device)
    with torch.inference_mode():
        first, cache = _prefill(net, contexts, lengths, use_cache=several)
        found = [[[float(first[n, option[0]])] for option in row] for n, row in enumerate(options)]
        if not several:
            return found
        # Only options with more than their first token need the second forward.
        rows = [(n, k) for n, row in enumerate(options) for k, option in enumerate(row) if len(option) > 1]
        cache.batch_select_indices(torch.tensor([n for n, _ in rows], device=device))
        width = int(lengths.max())
        steps = max(len(options[n][k]) for n, k in rows) - 1
        ids = torch.zeros((len(rows), steps), dtype=torch.long, device=device)
        mask = torch.zeros((len(rows), width + steps), dtype=torch.long, device=device)
        places = torch.zeros((len(rows), steps), dtype=torch.long, device=device)
        for r, (n, k) in enumerate(rows):
            given = options[n][k][:-1]
            ids[r, : len(given)] = torch.tensor(given, device=device)
            mask[r, : len(contexts[n])] = 1
            mask[r, width : width + len(given)] = 1
            places[r] = len(contexts[n]) + torch.arange(steps, device=device)
        out = net(input_ids=ids, attention_mask=mask, position_ids=places, past_key_values=cache, use_cache=True)
        logprobs = out.logits.float().log_softmax(-1)
        for r, (n, k) in enumerate(rows):
            wanted = torch.tensor(options[n][k][1:], device=device)
            found[n][k] += logprobs[r, : len(wanted)].gather(-1, wanted[:, None])[:, 0].tolist()
    return found


def _prefill(net: Any, contexts: Sequence[Sequence[int]], lengths: Any, use_cache: bool) -> tuple[Any, Any]:
    """Log-probabilities of what comes next after each context (rows x vocabulary), and the cache."""
    import torch

    width = int(lengths.max())
    ids = torch.tensor([[*c, *[0] * (width - len(c))] for c in contexts], device=net.device)
    # Logits at the last places only: over the whole prompt they would need more memory than the network.
    ends, which = torch.unique(lengths - 1, return_inverse=True)
    out = net(input_ids=ids, use_cache=use_cache, logits_to_keep=ends)
    last = out.logits[torch.arange(len(contexts), device=net.device), which]
    return last.float().log_softmax(-1), out.past_key_values if use_cache else None


def targets(net: Any, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[list[float]]:
    """Log-probability of every token of each target after its context, in one forward. Contexts have a token or more."""
    import torch

    width = max(len(c) + len(t) for c, t in pairs)
    ids = torch.tensor([[*c, *t, *[0] * (width - len(c) - len(t))] for c, t in pairs], device=net.device)
    begin = min(len(c) for c, _ in pairs) - 1
    with torch.inference_mode():
        kept = torch.arange(begin, width, device=net.device)
        logits = net(input_ids=ids, use_cache=False, logits_to_keep=kept).logits
        found = []
        for row, (context, target) in zip(logits, pairs, strict=True):
            start = len(context) - 1 - begin
            logprobs = row[start : start + len(target)].float().log_softmax(-1)
            found.append(logprobs.gather(-1, torch.tensor(target, device=net.device)[:, None])[:, 0].tolist())
    return found
