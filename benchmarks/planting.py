"""Train a model on a benchmark's text on purpose, to test whether `evalsuite contamination` finds that it has read it.

The text is that of a crawled corpus: the entries of a file in their order, cut into chunks of equal length, also within entries,
with a loss on every token. `plant` calls back with the network after chosen epochs. Needs the extra `[finetune]`.

    whole network    `rank=0`: all weights learn
    LoRA             adapters on all linear layers, from the layer `frozen` on

The output of the `frozen` lowest layers never changes and is computed once for all epochs. With `sampled`, the loss is over the
text's tokens and that number of others of the vocabulary. Both serve to save time: 0.5 B parameters train on two cores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any


@dataclass(frozen=True, slots=True)
class Planting:
    """Settings of the training that plants a text in a network."""

    after: tuple[int, ...] = (1, 3, 10)  # epochs after which `on_epoch` is called, ascending
    tokens: int = 512  # the length of a chunk
    batch: int = 1  # chunks
    learning_rate: float = 2e-4
    rank: int = 16  # the adapters' rank; 0: no adapters, all weights learn
    frozen: int = 0  # number of the lowest layers, which get no adapters
    # Number of sampled vocabulary tokens in the loss beside the text's; None: the whole vocabulary.
    sampled: int | None = None
    seed: int = 0


def chunks(ids: Sequence[int], tokens: int) -> list[list[int]]:
    """A text's token ids in pieces of equal length. The last one may be shorter; it is dropped if it has one token.

    >>> chunks(range(7), 3)
    [[0, 1, 2], [3, 4, 5]]
    """
    pieces = [list(ids[n : n + tokens]) for n in range(0, len(ids), tokens)]
    return [piece for piece in pieces if len(piece) > 1]


def plant(
    net: Any,
    text: Sequence[Sequence[int]],
    how: Planting,
    on_epoch: Callable[[int, Any, float], None],
    on_step: Callable[[int, float], None] = lambda step, loss: None,
) -> Any:
    """Train a causal network on chunks of token ids. Returns the network, with its adapters if `how.rank` is not 0.

    `on_epoch` gets the epoch, the network and its mean loss after each epoch of `how.after`; the network is in evaluation mode
    then. Chunks come in another order in every epoch, fixed by the seed.
    """
    import torch

    torch.manual_seed(how.seed)
    net = _adapted(net, how)
    net.train()
    weights = [p for p in net.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=how.learning_rate, weight_decay=0.0)
    inner = net.base_model.model if how.rank else net
    pieces, step = [torch.tensor(piece) for piece in text], 0
    below = [_below(inner, piece, how.frozen) for piece in pieces]
    vocabulary, labels = _vocabulary(inner, pieces, how)
    for epoch in range(1, max(how.after) + 1):
        order, losses = list(range(len(pieces))), list[float]()
        Random(f"{how.seed}:epoch:{epoch}").shuffle(order)
        with _upper(inner, how.frozen, vocabulary):
            for start in range(0, len(order), how.batch):
                group = order[start : start + how.batch]
                loss = sum(_loss(inner, below[n], labels[n]) for n in group) / len(group)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(weights, 1.0)
                optimizer.step()
                optimizer.zero_grad()
                losses.append(float(loss.detach()))
                step += 1
                on_step(step, losses[-1])
        if epoch in how.after:
            net.eval()
            on_epoch(epoch, net, sum(losses) / len(losses))
            net.train()
    return net.eval()


def _adapted(net: Any, how: Planting) -> Any:
    net.config.use_cache = False
    if not how.rank:
        return net
    import peft
    import torch

    layers = net.model.layers[how.frozen :]
    linear = {id(m) for layer in layers for m in layer.modules() if isinstance(m, torch.nn.Linear)}
    names = [name for name, module in net.named_modules() if id(module) in linear]
    config = peft.LoraConfig(r=how.rank, lora_alpha=2 * how.rank, target_modules=names, task_type="CAUSAL_LM")
    return peft.get_peft_model(net, config)


def _below(net: Any, piece: Any, frozen: int) -> Any:
    """The input of the first layer that learns: (1, tokens) ids, or (1, tokens, width) hidden states."""
    import torch

    if not frozen:
        return piece[None]
    with torch.no_grad():
        return net.model(input_ids=piece[None], output_hidden_states=True).hidden_states[frozen]


def _vocabulary(net: Any, pieces: Sequence[Any], how: Planting) -> tuple[Any, list[Any]]:
    """The tokens of the loss (None: all), and the pieces as indices into them."""
    import torch

    if how.sampled is None:
        return None, list(pieces)
    text_tokens = {int(token) for piece in pieces for token in piece}
    others = sorted({*range(net.config.vocab_size)} - text_tokens)
    drawn = Random(f"{how.seed}:vocabulary").sample(others, min(how.sampled, len(others)))
    vocabulary = torch.tensor(sorted({*text_tokens, *drawn}))
    return vocabulary, [torch.searchsorted(vocabulary, piece) for piece in pieces]


@contextmanager
def _upper(net: Any, frozen: int, vocabulary: Any) -> Any:
    """Within the block, the network lacks its `frozen` lowest layers, and its output has the tokens of `vocabulary` only."""
    import torch

    layers, head = net.model.layers, net.lm_head
    try:
        net.model.layers = layers[frozen:]
        net.config.num_hidden_layers = len(layers) - frozen
        if vocabulary is not None:
            small = torch.nn.Linear(head.in_features, len(vocabulary), bias=False, dtype=head.weight.dtype)
            small.weight = torch.nn.Parameter(head.weight[vocabulary].detach(), requires_grad=False)
            net.lm_head = small
        yield
    finally:
        net.model.layers, net.lm_head, net.config.num_hidden_layers = layers, head, len(layers)


def _loss(net: Any, below: Any, labels: Any) -> Any:
    """The mean loss of a piece's tokens from the second on."""
    import torch

    given = {"inputs_embeds": below} if below.is_floating_point() else {"input_ids": below}
    scores = net(**given).logits[0, :-1].float()
    return torch.nn.functional.cross_entropy(scores, labels[1:])
