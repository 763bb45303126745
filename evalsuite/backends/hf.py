"""Hugging Face transformers, on a CPU or a GPU: greedy decoding in batches under a token budget."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from evalsuite.config import Model
from evalsuite.errors import BackendError
from evalsuite.types import Request, Response

log = logging.getLogger(__name__)


class HuggingFace:
    """A causal LM with its tokenizer. Needs the extra `[hf]`."""

    def __init__(self, model: Model) -> None:
        try:
            import torch
            import transformers
        except ImportError as error:
            raise BackendError(
                f"model {model.name}: backend hf needs `pip install 'evalsuite[hf]'` ({error})"
            ) from None
        transformers.utils.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        self.spec = model
        source: dict[str, Any] = {"revision": model.revision, "trust_remote_code": model.trust_remote_code}
        try:
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(model.path, padding_side="left", **source)
            dtype = model.dtype if model.dtype == "auto" else getattr(torch, model.dtype)
            net = transformers.AutoModelForCausalLM.from_pretrained(model.path, dtype=dtype, **source)
        except (OSError, ValueError) as error:
            raise BackendError(f"model {model.name}: cannot load {model.path}: {error}") from None
        if model.adapter:
            net = _with_adapter(net, model)
        self.device = _device(model.device)
        self.net = net.to(self.device).eval()
        if model.chat and not self.tokenizer.chat_template:
            raise BackendError(
                f"model {model.name}: chat: true, but {model.path} has no chat template; set chat: false"
            )
        if self.tokenizer.pad_token_id is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        self.stop_ids = _stop_ids(self.tokenizer, net)
        # Replaced whole: a checkpoint's own settings (a repetition penalty, say) would bend greedy decoding.
        net.generation_config = transformers.GenerationConfig(
            do_sample=False, pad_token_id=self.tokenizer.pad_token_id, eos_token_id=self.stop_ids or None
        )
        self.context: int | None = _context(self.tokenizer, net)
        self.settings: dict[str, Any] = {"decoding": "greedy", "stop": model.generation.stop}
        self.fingerprint = _fingerprint(model, net, self.device)
        self._limit = model.generation.batch_tokens

    def text(self, request: Request) -> str:
        """The exact text that is tokenised: the prompt, or the turns in the model's chat template."""
        if not self.spec.chat:
            return request.prompt
        turns = [{"role": m.role, "content": m.content} for m in request.messages]
        return str(self.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))

    def _ids(self, request: Request) -> list[int]:
        # A chat template writes its own special tokens.
        return list(self.tokenizer(self.text(request), add_special_tokens=not self.spec.chat)["input_ids"])

    def tokens(self, request: Request) -> int:
        return len(self._ids(request))

    def generate(self, requests: Sequence[Request], done: Sequence[bool]) -> Iterator[Sequence[tuple[int, Response]]]:
        prompts = [self._ids(r) for r in requests]
        fits: list[int] = []
        for index, (ids, request) in enumerate(zip(prompts, requests, strict=True)):
            if self.context and len(ids) + request.max_new_tokens > self.context:
                if not done[index]:
                    message = f"prompt of {len(ids)} tokens and reply of {request.max_new_tokens} exceed {self.context}"
                    yield [(index, Response("", "error", error=message))]
            else:
                fits.append(index)
        lengths = {i: len(prompts[i]) + requests[i].max_new_tokens for i in fits}
        for batch in plan(lengths, self.spec.generation.batch_tokens):
            todo = [i for i in batch if not done[i]]
            # After an out-of-memory the smaller limit holds for all later batches.
            per_batch = max(1, self._limit // lengths[batch[0]])
            rows = iter(todo)
            while part := list(islice(rows, per_batch)):
                yield from self._answer(part, prompts, requests)

    def _answer(
        self, part: list[int], prompts: list[list[int]], requests: Sequence[Request]
    ) -> Iterator[list[tuple[int, Response]]]:
        """Decode one batch; halve it if memory runs out."""
        import torch

        try:
            answers = self._decode(part, prompts, requests)
        except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
            if not (isinstance(error, torch.OutOfMemoryError | MemoryError) or "memory" in str(error)):
                raise
        else:
            yield answers
            return
        if self.device.startswith("cuda"):
            torch.cuda.empty_cache()
        if len(part) == 1:
            length = len(prompts[part[0]])
            yield [(part[0], Response("", "error", error=f"out of memory on a single prompt of {length} tokens"))]
            return
        half = len(part) // 2
        self._limit = min(self._limit, half * max(len(prompts[i]) + requests[i].max_new_tokens for i in part))
        log.warning("out of memory with %d prompts at once: going on with %d", len(part), half)
        yield from self._answer(part[:half], prompts, requests)
        yield from self._answer(part[half:], prompts, requests)

    def _decode(
        self, part: list[int], prompts: list[list[int]], requests: Sequence[Request]
    ) -> list[tuple[int, Response]]:
        import torch

        width = max(len(prompts[i]) for i in part)
        pad = self.tokenizer.pad_token_id or 0
        ids = torch.tensor([[pad] * (width - len(prompts[i])) + prompts[i] for i in part], device=self.device)
        mask = torch.tensor([[0] * (width - len(prompts[i])) + [1] * len(prompts[i]) for i in part], device=self.device)
        limit = max(requests[i].max_new_tokens for i in part)
        with torch.inference_mode():
            out = self.net.generate(input_ids=ids, attention_mask=mask, max_new_tokens=limit)
        answers = []
        for index, row in zip(part, out[:, width:].tolist(), strict=True):
            row = row[: requests[index].max_new_tokens]
            end = next((n for n, token in enumerate(row) if token in self.stop_ids), None)
            text = self.tokenizer.decode(row[:end], skip_special_tokens=True, clean_up_tokenization_spaces=False)
            new_tokens = len(row) if end is None else end + 1
            finish = "length" if end is None else "stop"
            cut = min((place for s in self.spec.generation.stop if (place := text.find(s)) >= 0), default=None)
            if cut is not None:
                text, finish = text[:cut], "stop"
            answers.append((index, Response(text, finish, len(prompts[index]), new_tokens)))
        return answers

    def close(self) -> None:
        import gc

        import torch

        del self.net
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()


def plan(lengths: dict[int, int], budget: int) -> list[list[int]]:
    """Indices in batches, longest first: rows times the longest row stay within `budget`, one row at least.

    >>> plan({0: 10, 1: 30, 2: 10}, 60)
    [[1, 0], [2]]
    """
    batches: list[list[int]] = []
    room = 0
    for index in sorted(lengths, key=lambda i: (-lengths[i], i)):
        if room < 1:
            batches.append([])
            room = max(1, budget // lengths[index])
        batches[-1].append(index)
        room -= 1
    return batches


def _device(name: str) -> str:
    import torch

    if name != "auto":
        return name
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _with_adapter(net: Any, model: Model) -> Any:
    try:
        from peft import PeftModel
    except ImportError as error:
        raise BackendError(
            f"model {model.name}: an adapter needs `pip install 'evalsuite[finetune]'` ({error})"
        ) from None
    try:
        return PeftModel.from_pretrained(net, str(model.adapter))
    except (OSError, ValueError) as error:
        raise BackendError(f"model {model.name}: cannot load adapter {model.adapter}: {error}") from None


def _stop_ids(tokenizer: Any, net: Any) -> list[int]:
    """Every end-of-text id that the tokenizer or the checkpoint's own generation settings name."""
    own = net.generation_config.eos_token_id if net.generation_config else None
    ids = own if isinstance(own, list) else [own]
    return sorted({i for i in [*ids, tokenizer.eos_token_id] if i is not None})


def _context(tokenizer: Any, net: Any) -> int | None:
    """The smaller of what the network and the tokenizer allow; tokenizers without a limit state a huge one."""
    config = net.config.get_text_config()
    limits = [getattr(config, "max_position_embeddings", None), tokenizer.model_max_length]
    return min((n for n in limits if n and n < 10_000_000), default=None)


_WHOLE = 64 * 2**20  # files up to this size are hashed whole, larger ones in 64 blocks of 1 MiB


def _fingerprint(model: Model, net: Any, device: str) -> str:
    """A hash of the files of a local model (or the hub's commit), its adapter, dtype and kind of device."""
    parts: dict[str, Any] = {
        "chat": model.chat,
        "dtype": str(net.dtype),
        "device": device.partition(":")[0],
        "adapter": _folder_hash(Path(model.adapter))
        if model.adapter and Path(model.adapter).is_dir()
        else model.adapter,
    }
    if Path(model.path).is_dir():
        parts["files"] = _folder_hash(Path(model.path))
    else:
        parts["hub"] = [model.path, getattr(net.config, "_commit_hash", None) or model.revision]
    return "hf:" + hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:24]


def _folder_hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(
        p for p in folder.iterdir() if p.suffix in {".json", ".safetensors", ".bin", ".jinja", ".model", ".txt"}
    ):
        size = path.stat().st_size
        digest.update(f"{path.name}:{size}\n".encode())
        with path.open("rb") as file:
            if size <= _WHOLE:
                digest.update(file.read())
            else:
                for n in range(64):
                    file.seek((size - 2**20) * n // 63)
                    digest.update(file.read(2**20))
    return digest.hexdigest()
