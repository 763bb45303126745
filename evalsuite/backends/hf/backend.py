"""Hugging Face transformers on a CPU or GPU, in batches under a token budget."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from evalsuite.backends.base import Replies, TextPair, TokenScores, require_extra
from evalsuite.backends.checkpoint import NO_BEAMS, Checkpoint, IdPair, labels_response, nll_response, texts_response
from evalsuite.backends.hf import seq2seq
from evalsuite.backends.hf.pattern import Patterns
from evalsuite.backends.hf.prefill import continuations, padded_row, prompt_cache, spreads, targets
from evalsuite.backends.hf.sampling import processors
from evalsuite.backends.model import Model
from evalsuite.common.errors import BackendError
from evalsuite.common.processes import cores
from evalsuite.common.weights import WAY_ROUND, add_adapter, is_out_of_memory, load_network
from evalsuite.types import Request, Response

log = logging.getLogger(__name__)

_LOGITS = 2**28  # the most numbers in a batch's logits over the whole vocabulary: 1 GB at float32


class HuggingFace:
    """A causal or encoder-decoder language model (T5, BART) with its tokenizer. Needs the extra `[hf]`."""

    def __init__(self, model: Model) -> None:
        require_extra(model, "torch", "transformers")
        import transformers

        transformers.utils.logging.disable_progress_bar()
        self.checkpoint = checkpoint = Checkpoint(model)
        self.device = _device(model.device)
        net = network(model, checkpoint, _dtype(model.dtype, self.device))
        if not net.can_generate():
            raise BackendError(f"model {model.name}: transformers cannot write with {type(net).__name__}; {WAY_ROUND}")
        self.model = model
        # These replace all settings of the checkpoint: its repetition penalty, for one, would distort the decoding.
        net.generation_config = transformers.GenerationConfig(
            do_sample=False,  # see hf/sampling.py
            num_beams=model.generation.beams,
            pad_token_id=checkpoint.tokenizer.pad_token_id,
            eos_token_id=checkpoint.stop_ids or None,
            cache_implementation="static" if model.hf.static_cache else None,
            disable_compile=not model.hf.compile,
            **(seq2seq.decoder_start(net) if checkpoint.seq2seq else {}),
        )
        if model.adapter:  # after the settings: peft's encoder-decoders read those of the network within
            net = add_adapter(net, model.adapter, f"model {model.name}")
            kind = net.active_peft_config
            if kind.is_prompt_learning:  # likelihoods would be those of other tokens
                raise BackendError(
                    f"model {model.name}: adapter {model.adapter}: {kind.peft_type.value} puts tokens of its own before a "
                    "prompt, which this backend does not know; adapters that change weights, such as LoRA, work"
                )
        self.net = net.to(self.device).eval()
        self._check_first_logits()
        self._continuations = continuations
        self._targets = targets
        if checkpoint.seq2seq:
            self._continuations = partial(seq2seq.continuations, opening=checkpoint.opening)
            self._targets = partial(seq2seq.targets, opening=checkpoint.opening)
        self._patterns = Patterns(checkpoint)
        self.context = checkpoint.context
        self.settings: dict[str, Any] = {"decoding": model.generation.decoding, "stop": model.generation.stop}
        self.fingerprint = checkpoint.fingerprint(dtype=str(net.dtype), device=self.device.partition(":")[0])
        self.parameters = checkpoint.parameters
        self._budget = self._limit = model.generation.batch_tokens
        self._priors: dict[IdPair, float] = {}  # (context, text) -> log-probability of the text

    def _check_first_logits(self) -> None:
        """Make the first forward pass raise BackendError if all its logits are NaN."""
        head = self.net.get_output_embeddings()
        if head is None:
            return

        def check(_module: Any, _inputs: Any, logits: Any) -> None:
            hook.remove()
            if bool(logits.isnan().all()):
                raise BackendError(
                    f"model {self.model.name}: its first logits are all NaN: its weights are broken, or dtype "
                    f"{str(logits.dtype).removeprefix('torch.')} is too narrow for them"
                )

        hook = head.register_forward_hook(check)

    def ids(self, request: Request) -> list[int]:
        return self.checkpoint.ids(request)

    def tokens(self, request: Request) -> int:
        return len(self.ids(request))

    def plan(self, requests: Sequence[Request]) -> list[list[int]]:
        """Batches of one scoring and one `Request.batch`: the largest requests first, or, on a CPU, sorted by token ids, so that
        prompts with a common prefix share a batch."""
        return [batch for batch, _ in self._batches(requests, [self.ids(r) for r in requests])]

    def _batches(
        self, requests: Sequence[Request], prompts: list[list[int]]
    ) -> Iterator[tuple[list[int], dict[int, int]]]:
        """Each batch, with the size (`_size`) of each request of its group. Requests that are too long are included."""
        groups: dict[tuple[str | int, ...], dict[int, int]] = {}
        for n, (request, ids) in enumerate(zip(requests, prompts, strict=True)):
            groups.setdefault((request.scoring, *request.batch), {})[n] = self._size(request, len(ids))
        for sizes in groups.values():
            first = requests[next(iter(sizes))]
            by_prefix = self.device == "cpu" and first.scoring != "nll"  # hf/prefill.py computes a common prefix once
            order = sorted(sizes, key=lambda n: (prompts[n], n)) if by_prefix else None
            for batch in plan_batches(sizes, self._budget, order):
                yield batch, sizes

    def _size(self, request: Request, prompt: int) -> int:
        """The number of tokens whose keys and values a request holds in memory; `prompt`: number of its prompt's tokens."""
        if request.scoring == "labels":  # two copies of the cache: the label after " " and after "("
            return 2 * prompt
        if request.scoring == "nll":
            return max(1, len(request.pairs) * prompt)  # a probe may have no pairs
        if request.scoring == "texts":  # one copy of the prompt's cache per option
            return len(request.options) * (prompt + max(map(len, request.options)))
        return self.model.generation.beams * (prompt + request.max_new_tokens)

    def generate(self, requests: Sequence[Request], done: Sequence[bool]) -> Replies:
        prompts = [self.ids(r) for r in requests]
        for batch, sizes in self._batches(requests, prompts):
            todo = []
            for n in batch:
                if done[n]:
                    continue
                if error := self._refusal(requests[n], len(prompts[n])):
                    yield [(n, Response("", "error", error=error))]
                else:
                    todo.append(n)
            # After memory ran out, `_limit` is smaller than the budget by which the batch was planned.
            per_batch = max(1, self._limit // max(sizes[n] for n in batch))
            rows = iter(todo)
            while group := list(islice(rows, per_batch)):
                yield from self._answer(group, prompts, requests, sizes)

    def _refusal(self, request: Request, length: int) -> str | None:
        """The reason why this model cannot answer the request; None if it can."""
        if request.scoring == "constrained":
            if self.model.generation.beams > 1:
                return NO_BEAMS
            if error := self._patterns.refusal(request):
                return error
        return self.checkpoint.too_long(request, length, self.context)

    def _answer(
        self, group: list[int], prompts: list[list[int]], requests: Sequence[Request], sizes: dict[int, int]
    ) -> Iterator[list[tuple[int, Response]]]:
        """Answer one batch; halve it when memory runs out."""
        methods = {"labels": self._labels, "texts": self._texts, "nll": self._nll}
        answer = methods.get(requests[group[0]].scoring, self._decode)
        try:
            answers = answer([requests[n] for n in group], [prompts[n] for n in group])
        except (MemoryError, RuntimeError) as error:
            if not is_out_of_memory(error):
                raise
        else:
            yield list(zip(group, answers, strict=True))
            return
        import torch

        if self.device.startswith("cuda"):
            torch.cuda.empty_cache()
        if len(group) == 1:
            length = len(prompts[group[0]])
            yield [(group[0], Response("", "error", error=f"out of memory on a single prompt of {length} tokens"))]
            return
        half = len(group) // 2
        self._limit = min(self._limit, half * max(sizes[n] for n in group))
        log.warning("out of memory with %d prompts at once: going on with %d", len(group), half)
        yield from self._answer(group[:half], prompts, requests, sizes)
        yield from self._answer(group[half:], prompts, requests, sizes)

    def _decode(self, requests: list[Request], prompts: list[list[int]]) -> list[Response]:
        import torch

        width = max(map(len, prompts))
        pad = self.checkpoint.tokenizer.pad_token_id or 0
        # Causal replies continue on the right of prompts; encoders count positions from the left.
        left = not self.checkpoint.seq2seq
        ids = torch.tensor([padded_row(p, width, pad, left) for p in prompts], device=self.device)
        mask = torch.tensor([padded_row([1] * len(p), width, 0, left) for p in prompts], device=self.device)
        arguments: dict[str, Any] = {
            "logits_processor": processors(self.model.generation, requests, mask == 0 if left else None)
        }
        begin = width if left else 1  # after the decoder's start token
        # A pattern applies to the text alone, so the decoder is given the special tokens before it.
        if not left and requests[0].scoring == "constrained":
            given = [seq2seq.start_id(self.net), *self.checkpoint.opening]
            arguments["decoder_input_ids"] = torch.tensor([given] * len(prompts), device=self.device)
            begin = len(given)
        if any(r.pattern for r in requests):
            arguments["logits_processor"].insert(0, self._patterns.processor(requests, begin))
        elif requests[0].scoring == "constrained":
            labels = [self.checkpoint.label_forms(r) for r in requests]
            arguments["prefix_allowed_tokens_fn"] = _only_labels(labels, self.checkpoint.stop_ids, begin)
        limit = max(r.max_new_tokens for r in requests)
        if self.device == "cpu" and left and len(prompts) > 1 and not self.model.hf.static_cache:
            arguments["past_key_values"] = prompt_cache(self.net, prompts, self.model.generation.beams)
        with torch.inference_mode():
            out = self.net.generate(input_ids=ids, attention_mask=mask, max_new_tokens=limit, **arguments)
        return [
            self.checkpoint.reply(row, len(prompt), request.max_new_tokens)
            for row, prompt, request in zip(out[:, begin:].tolist(), prompts, requests, strict=True)
        ]

    def _labels(self, requests: list[Request], prompts: list[list[int]]) -> list[Response]:
        forms = [self.checkpoint.label_begins(r) for r in requests]
        flat = [[form for option in row for form in option] for row in forms]
        logprobs = self._continuations(self.net, prompts, flat)
        return [
            labels_response(row, scores, len(prompt))
            for row, scores, prompt in zip(forms, logprobs, prompts, strict=True)
        ]

    def _texts(self, requests: list[Request], prompts: list[list[int]]) -> list[Response]:
        options = [self.checkpoint.option_ids(r) for r in requests]
        logprobs = self._continuations(self.net, prompts, options)
        pairs = [self.checkpoint.prior_pairs(r) for r in requests]
        for row in pairs:  # the same few options recur, so their priors are kept
            if unknown := [pair for pair in row if pair not in self._priors]:
                scores = self._continuations(self.net, [unknown[0][0]], [[text for _, text in unknown]])[0]
                self._priors |= {pair: sum(each) for pair, each in zip(unknown, scores, strict=True)}
        return [
            texts_response(scores, [self._priors[pair] for pair in row], len(prompt))
            for scores, row, prompt in zip(logprobs, pairs, prompts, strict=True)
        ]

    def _nll(self, requests: list[Request], prompts: list[list[int]]) -> list[Response]:
        values = iter(self.nll([pair for r in requests for pair in r.pairs]))
        return [
            nll_response(r, [next(values) for _ in r.pairs], len(p)) for r, p in zip(requests, prompts, strict=True)
        ]

    def nll(self, pairs: Sequence[TextPair]) -> list[list[float]]:
        """See `LocalModel.nll`. In an encoder-decoder, the encoder reads the context, and the decoder the target.

        Neither kind of network scores the end-of-text token: CEDAR (Zhou et al. 2022, equation 1 and section 4.1) averages
        over the response's own tokens y_1 … y_m, and one table compares models of both kinds.
        """
        rows = [self.checkpoint.pair(context, target) for context, target in pairs]
        token_nlls: list[list[float]] = [[] for _ in rows]
        sizes = {n: len(c) + len(t) for n, (c, t) in enumerate(rows) if t}  # empty targets need no network
        for batch in plan_batches(sizes, self._budget):
            for n, scores in zip(batch, self._targets(self.net, [rows[n] for n in batch]), strict=True):
                token_nlls[n] = [-s for s in scores]
        return token_nlls

    def surprisal(self, pairs: Sequence[TextPair], done: Sequence[bool]) -> Iterator[Sequence[tuple[int, TokenScores]]]:
        """See `Surprisal`. The logits of a batch's tokens have at most `_LOGITS` numbers, or belong to a single text."""
        if self.checkpoint.seq2seq:
            raise BackendError(
                f"model {self.model.name}: an encoder-decoder gives no likelihood to a text without a prompt"
            )
        rows = [self.checkpoint.pair(context, target) for context, target in pairs]
        sizes = {n: len(c) + len(t) for n, (c, t) in enumerate(rows)}
        vocabulary = self.net.config.get_text_config().vocab_size
        for whole in plan_batches(sizes, min(self._budget, max(1, _LOGITS // vocabulary))):
            batch = [n for n in whole if not done[n]]
            if not batch:
                continue
            token_scores = spreads(self.net, [rows[n] for n in batch])
            yield [(n, TokenScores(*scores)) for n, scores in zip(batch, token_scores, strict=True)]

    def close(self) -> None:
        import gc

        import torch

        del self.net
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()


def plan_batches(sizes: dict[int, int], budget: int, order: Sequence[int] | None = None) -> list[list[int]]:
    """Batches of indices, largest first or in `order`: the number of rows times the largest size stays within `budget`.

    `sizes`: index -> size. A row larger than the budget gets a batch of its own.

    >>> plan_batches({0: 10, 1: 30, 2: 10}, 60)
    [[1, 0], [2]]
    """
    batches: list[list[int]] = []
    largest = 0
    for index in sorted(sizes, key=lambda i: (-sizes[i], i)) if order is None else order:
        if not batches or (len(batches[-1]) + 1) * max(largest, sizes[index]) > budget:
            batches.append([])
            largest = 0
        batches[-1].append(index)
        largest = max(largest, sizes[index])
    return batches


def _only_labels(labels: list[list[list[list[int]]]], stop: list[int], width: int) -> Callable[[int, Any], list[int]]:
    """A `prefix_allowed_tokens_fn` for `generate` that allows only a label, then only an end-of-text token.

    `labels`: row -> option -> forms -> ids; `width`: number of ids in each row before the reply begins.
    """

    def allowed(row: int, ids: Any) -> list[int]:
        written = ids[width:].tolist()
        forms = [form for option in labels[row] for form in option]
        after = {form[len(written)] for form in forms if len(form) > len(written) and form[: len(written)] == written}
        return sorted(after | set(stop)) if written in forms else sorted(after) or stop

    return allowed


def network(model: Model, checkpoint: Checkpoint, dtype: Any) -> Any:
    """The network of a model's checkpoint, without adapter. On the CPU, torch gets the model's number of threads."""
    import torch

    if _device(model.device) == "cpu":
        torch.set_num_threads(model.hf.threads or threads(torch.get_num_threads()))
    return load_network(
        checkpoint.auto,
        checkpoint.path,
        f"model {model.name}",
        dtype=dtype,
        attn_implementation=model.hf.attention,
        revision=model.revision,
        trust_remote_code=model.trust_remote_code,
    )


def _dtype(name: str, device: str) -> Any:
    """The torch dtype of a setting. "auto": bfloat16 on a GPU, elsewhere the dtype of the checkpoint."""
    import torch

    if name == "auto":
        return torch.bfloat16 if device.startswith("cuda") else "auto"
    return getattr(torch, name)


def threads(default: int) -> int:
    """The CPU threads for torch: at most the cores that this process may use; its `default` if OMP_NUM_THREADS is set."""
    return default if "OMP_NUM_THREADS" in os.environ else min(default, cores())


def _device(name: str) -> str:
    import torch

    if name != "auto":
        return name
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"
