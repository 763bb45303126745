"""Log-probabilities on a transformers network, with the common prefix of prompts computed once.

Rows are padded on the right. Without a cache they need no attention mask, which the fastest attention kernels do not take:
under causal attention no real token sees the padding. Logarithms are natural and computed in float32.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from itertools import chain
from typing import Any

Ids = Sequence[int]
OptionIds = Sequence[Ids]  # token ids of each option


def continuations(net: Any, contexts: Sequence[Ids], options: Sequence[OptionIds]) -> list[list[list[float]]]:
    """Log-probability of every token of every option after its row's context: row -> option -> token.

    Each context takes one forward pass if its options are single tokens (labels: "a", " a") or differ in their last token only;
    else a second pass reads all options on copies of the context's cache. On a CPU, where batching gains nothing, rows run one by
    one in sorted order, and each reuses the cache of the prefix that it shares with the row before.
    """
    import torch

    chains = [_chains(row) for row in options]
    with torch.inference_mode():
        if net.device.type == "cpu" and (logprobs := _one_by_one(net, contexts, options, chains)):
            return logprobs
        return _at_once(net, contexts, options, chains)


def _chains(options: OptionIds) -> list[tuple[int, ...]]:
    """The options without their last tokens; of these sequences only those that are no prefix of another."""
    chains: list[tuple[int, ...]] = []
    for prefix in sorted({tuple(o[:-1]) for o in options}, reverse=True):
        if not (chains and chains[-1][: len(prefix)] == prefix):
            chains.append(prefix)
    return chains


def _at_once(
    net: Any, contexts: Sequence[Ids], options: Sequence[OptionIds], chains: Sequence[Sequence[Ids]]
) -> list[list[list[float]]]:
    """All rows in one forward pass, or two if a row has several chains."""
    if all(len(row) == 1 for row in chains):
        rows = [[*c, *chain] for c, (chain,) in zip(contexts, chains, strict=True)]
        ends = [range(len(c) - 1, len(row)) for c, row in zip(contexts, rows, strict=True)]
        return [_flat(x, row) for x, row in zip(_logprobs_at(net, rows, ends)[0], options, strict=True)]
    if len(lengths := {len(c) for c in contexts}) > 1 and _counts_by_index(net):
        scores_of: dict[int, list[list[float]]] = {}
        for length in lengths:
            group = [n for n, c in enumerate(contexts) if len(c) == length]
            part = _at_once(net, [contexts[n] for n in group], [options[n] for n in group], [chains[n] for n in group])
            scores_of |= dict(zip(group, part, strict=True))
        return [scores_of[n] for n in range(len(contexts))]
    ends = [range(len(c) - 1, len(c)) for c in contexts]
    nexts, cache = _logprobs_at(net, contexts, ends, use_cache=True)
    if not _splits(cache):
        pairs = [(c, o) for c, row in zip(contexts, options, strict=True) for o in row]
        scores = iter(targets(net, pairs))
        return [[next(scores) for _ in row] for row in options]
    return _branch(net, cache, [len(c) for c in contexts], nexts, options)


def _counts_by_index(net: Any) -> bool:
    """Whether distances of tokens may count the padding between a context and its option, since the network does not take them
    from `position_ids`: MPT's biases and the windows of GPT-Neo do not, and a checkpoint's own code may not."""
    inner = net.get_base_model() if hasattr(net, "get_base_model") else net
    own_code = not type(inner).__module__.startswith("transformers.")
    return own_code or inner.config.model_type in ("gpt_neo", "mpt")


class _OneByOne:
    """A network that reads one row after another, each on the cache of the prefix that it shares with the row before."""

    def __init__(self, net: Any) -> None:
        self.net = net
        self.cache: Any = None
        self.row: Ids = ()  # the row whose keys and values the cache holds

    def logits(self, row: Ids, since: int) -> Any:
        """The logits (positions x vocabulary) of a row from position `since` on; None if the cache cannot be cropped."""
        pairs = enumerate(zip(self.row, row[:since], strict=False))
        shared = next((k for k, (a, b) in pairs if a != b), min(len(self.row), since))
        if self.cache is not None and shared < len(self.row):  # to transformers 5.0, 0 is the length to keep
            self.cache.crop(shared - len(self.row))
        positions = list(range(since - shared, len(row) - shared))
        ids = _tensor(self.net, [row[shared:]])
        out = _forward(self.net, positions, input_ids=ids, past_key_values=self.cache, use_cache=True)
        self.cache, self.row = getattr(out, "past_key_values", None), row
        return out.logits[0] if _splits(self.cache) else None


def prompt_cache(net: Any, prompts: Sequence[Ids], copies: int = 1) -> Any:
    """The cache of all but the last token of each prompt, padded on the left, for `generate`; None if it cannot be made.

    It saves time on a CPU: `generate` alone would also compute padding, and a common prefix once for each row. `copies`: number
    of copies of each row, one for each beam.
    """
    import torch

    if min(map(len, prompts)) < 2:
        return None
    width = max(map(len, prompts)) - 1
    run = _OneByOne(net)
    whole: list[list[Any]] = []  # layer -> keys and values (rows x heads x width x head size)
    with torch.inference_mode():
        for n in sorted(range(len(prompts)), key=lambda n: [*prompts[n]]):
            row = prompts[n][:-1]
            if run.logits(row, len(row) - 1) is None:
                return None
            layers = [[layer.keys, layer.values] for layer in run.cache.layers]
            whole = whole or [
                [x.new_zeros(len(prompts), x.shape[1], width, x.shape[3]) for x in pair] for pair in layers
            ]
            for padded, filled in zip(chain.from_iterable(whole), chain.from_iterable(layers), strict=True):
                padded[n, :, width - len(row) :] = filled[0]
    for layer, (keys, values) in zip(run.cache.layers, whole, strict=True):
        layer.keys, layer.values = keys, values
    if copies > 1:
        run.cache.batch_repeat_interleave(copies)
    return run.cache


_FEW = 2  # the most chains of a context that run faster one by one than on copies of its cache


def _one_by_one(
    net: Any, contexts: Sequence[Ids], options: Sequence[OptionIds], chains: Sequence[Sequence[Ids]]
) -> list[list[list[float]]] | None:
    """`continuations` one row at a time, in sorted order; None if the cache cannot be cropped. A row is a context with one of
    its chains, or, if it has more than _FEW, the context alone."""
    logprobs: list[list[list[float]]] = [[[] for _ in row] for row in options]
    run = _OneByOne(net)
    rows = [
        (n, prefix)
        for n, row_chains in enumerate(chains)
        for prefix in (row_chains if len(row_chains) <= _FEW else [()])
    ]
    for n, prefix in sorted(rows, key=lambda row: [*contexts[row[0]], *row[1]]):
        row = [*contexts[n], *prefix]
        logits = run.logits(row, len(contexts[n]) - 1)
        if logits is None:
            return None
        nexts = logits.float().log_softmax(-1)
        if len(chains[n]) <= _FEW:
            indices = [k for k, o in enumerate(options[n]) if tuple(o[:-1]) == tuple(prefix[: max(len(o) - 1, 0)])]
            for k, values in zip(indices, _flat(nexts, [options[n][k] for k in indices]), strict=True):
                logprobs[n][k] = values
        else:
            logprobs[n] = _branch(net, run.cache, [len(row)], [nexts], [options[n]])[0]
            run.cache.crop(len(row) - run.cache.get_seq_length())
            run.cache.batch_select_indices(_tensor(net, [0]))
    return logprobs


def _flat(nexts: Any, options: OptionIds) -> list[list[float]]:
    """Option -> token log-probabilities, for the options of one chain; `nexts`: positions x vocabulary."""
    import torch

    spots = [(at, token) for o in options for at, token in enumerate(o)]
    # `reshape` is for empty texts alone, which give no pairs. One gather and one copy to the CPU serve all options.
    indices = torch.tensor(spots, dtype=torch.long, device=nexts.device).reshape(-1, 2)
    values = iter(nexts[indices[:, 0], indices[:, 1]].tolist())
    return [[next(values) for _ in o] for o in options]


def _branch(
    net: Any, cache: Any, lengths: Sequence[int], nexts: Sequence[Any], options: Sequence[OptionIds]
) -> list[list[list[float]]]:
    """Row -> option -> token log-probabilities after the row's cached context.

    `lengths`: tokens of each context; `nexts`: for each row the log-probabilities (1 x vocabulary) of the token after it.
    """
    import torch

    device = net.device
    scores = [
        [[float(first[0, token]) for token in o[:1]] for o in row] for first, row in zip(nexts, options, strict=True)
    ]
    # Options of more than one token take a forward pass; options with the same prefix share a row.
    rows = sorted({(n, tuple(o[:-1])) for n, row in enumerate(options) for o in row if len(o) > 1})
    if not rows:
        return scores
    cache.batch_select_indices(_tensor(net, [n for n, _ in rows]))
    width, steps = max(lengths), max(len(prefix) for _, prefix in rows)
    out = net(
        input_ids=_tensor(net, [padded_row(prefix, steps) for _, prefix in rows]),
        attention_mask=_tensor(
            net, [padded_row([1] * lengths[n], width) + padded_row([1] * len(prefix), steps) for n, prefix in rows]
        ),
        position_ids=_tensor(net, [list(range(lengths[n], lengths[n] + steps)) for n, _ in rows]),
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
                scores[n][k] += after.gather(-1, wanted[:, None])[:, 0].tolist()
    return scores


def _splits(cache: Any) -> bool:
    """Whether the cache's rows can be copied and its padding masked: not with recurrent or sliding-window layers."""
    from transformers.cache_utils import DynamicLayer

    return all(type(layer) is DynamicLayer for layer in getattr(cache, "layers", [None]))


def _logprobs_at(
    net: Any, rows: Sequence[Ids], positions: Sequence[range], use_cache: bool = False
) -> tuple[list[Any], Any]:
    """A forward pass over whole rows: log-probabilities (positions x vocabulary) at each row's positions; the cache."""
    logits, indices, cache = _logits_at(net, rows, positions, use_cache)
    return [logits[n, row].float().log_softmax(-1) for n, row in enumerate(indices)], cache


def _logits_at(
    net: Any, rows: Sequence[Ids], positions: Sequence[range], use_cache: bool = False
) -> tuple[Any, list[list[int]], Any]:
    """A forward pass over whole rows: logits (rows x needed positions x vocabulary); for each row the indices of its positions
    on the second axis; the cache."""
    width = max(map(len, rows))
    needed = sorted({position for row in positions for position in row})
    where = {position: n for n, position in enumerate(needed)}
    out = _forward(net, needed, input_ids=_tensor(net, [padded_row(row, width) for row in rows]), use_cache=use_cache)
    return out.logits, [[where[p] for p in row] for row in positions], getattr(out, "past_key_values", None)


def _forward(net: Any, positions: list[int], **inputs: Any) -> Any:
    """The output of the network with logits only at the `positions`: those of all positions might not fit in memory."""
    inner = net.get_base_model() if hasattr(net, "get_base_model") else net  # the network under an adapter
    if "logits_to_keep" in inspect.signature(inner.forward).parameters:
        return net(logits_to_keep=_tensor(net, positions), **inputs)
    out = net(**inputs)  # some models with custom code cannot select positions
    out.logits = out.logits[:, positions]
    return out


def padded_row(row: Ids, width: int, filler: int = 0, left: bool = False) -> list[int]:
    """A row of `width` tokens, filled up on the right, or on the left."""
    filling = [filler] * (width - len(row))
    return [*filling, *row] if left else [*row, *filling]


def _tensor(net: Any, values: Any) -> Any:
    import torch

    return torch.tensor(values, device=net.device)


def targets(net: Any, pairs: Sequence[tuple[Ids, Ids]]) -> list[list[float]]:
    """Log-probability of every token of each target after its context, in one forward pass: pair -> token.

    Contexts have at least one token.
    """
    import torch

    with torch.inference_mode():
        nexts, _ = _logprobs_at(net, *_target_rows(pairs))
        return [_flat(x, [target])[0] for x, (_, target) in zip(nexts, pairs, strict=True)]


def _target_rows(pairs: Sequence[tuple[Ids, Ids]]) -> tuple[list[list[int]], list[range]]:
    """The rows of (context, target) pairs, and for each row the positions whose logits predict the target's tokens."""
    rows = [[*context, *target] for context, target in pairs]
    return rows, [range(len(context) - 1, len(row) - 1) for (context, _), row in zip(pairs, rows, strict=True)]


_AT_ONCE = 128  # positions whose values over the whole vocabulary are in memory at once, in float32 and several copies


def spreads(net: Any, pairs: Sequence[tuple[Ids, Ids]]) -> list[tuple[list[float], list[float]]]:
    """`targets`, plain and standardised (Min-K%++, Zhang et al. 2024): pair -> (plain, standardised), in one forward pass.

    A standardised value is (x - mean) / deviation: mean and standard deviation of the vocabulary's log-probabilities at the
    position, under the network's own distribution.
    """
    import torch

    scores = []
    with torch.inference_mode():
        logits, indices, _ = _logits_at(net, *_target_rows(pairs))
        for n, (positions, (_, target)) in enumerate(zip(indices, pairs, strict=True)):
            plain: list[float] = []
            standard: list[float] = []
            for at in range(0, len(target), _AT_ONCE):
                logprobs = logits[n, positions[at : at + _AT_ONCE]].float().log_softmax(-1)
                probs = logprobs.exp()
                # A token that the network excludes has probability 0 and log-probability -inf.
                logprobs = logprobs.clamp_min(-1e9)
                mean = (probs * logprobs).sum(-1)
                deviation = (probs * (logprobs - mean[:, None]).square()).sum(-1).sqrt().clamp_min(1e-6)
                of_target = logprobs.gather(-1, _tensor(net, list(target[at : at + _AT_ONCE]))[:, None])[:, 0]
                plain += of_target.tolist()
                standard += ((of_target - mean) / deviation).tolist()
            scores.append((plain, standard))
    return scores
