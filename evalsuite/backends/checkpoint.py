"""What hf and vllm share: where a model's files are, its tokenizer and chat template, the tokens of prompts and options.

Both backends send exactly these token ids to the network and read replies with this tokenizer, so that the same model says
the same on both.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evalsuite.backends.model import Model
from evalsuite.common.errors import BackendError
from evalsuite.types import Likelihood, Message, Request, Response, label_begins, label_forms


def locate(model: Model) -> str:
    """A local folder or a Hugging Face hub id. Fetches from ModelScope where `hub` says so."""
    if model.hub == "huggingface" or Path(model.path).is_dir():
        return model.path
    try:
        from modelscope import snapshot_download
    except ImportError as error:
        raise BackendError(f"model {model.name}: hub: modelscope needs `pip install modelscope` ({error})") from None
    try:
        return str(snapshot_download(model.path, revision=model.revision))
    except Exception as error:  # its errors share no base class
        raise BackendError(f"model {model.name}: cannot fetch {model.path} from ModelScope: {error}") from None


class Checkpoint:
    """A model's tokenizer, chat template and end-of-text ids."""

    def __init__(self, model: Model) -> None:
        """Raises BackendError if there is no tokenizer, or no chat template where one is asked for."""
        import transformers

        transformers.utils.logging.set_verbosity_error()
        self.model, self.path = model, locate(model)
        source: dict[str, Any] = {"revision": model.revision, "trust_remote_code": model.trust_remote_code}
        try:
            self.tokenizer: Any = transformers.AutoTokenizer.from_pretrained(self.path, padding_side="left", **source)
            self.config: Any = transformers.AutoConfig.from_pretrained(self.path, **source)
        except (OSError, ValueError) as error:
            raise BackendError(f"model {model.name}: cannot load {self.path}: {error}") from None
        if model.chat and not self.tokenizer.chat_template:
            raise BackendError(f"model {model.name}: chat: true, but {self.path} has no chat template; set chat: false")
        if self.tokenizer.pad_token_id is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        try:
            own = transformers.GenerationConfig.from_pretrained(self.path, revision=model.revision).eos_token_id
        except OSError:  # a checkpoint need not have the file
            own = getattr(self.config, "eos_token_id", None)
        # Every end-of-text id that the tokenizer or the checkpoint's own generation settings name.
        named = own if isinstance(own, list) else [own]
        self.stop_ids = sorted({i for i in [*named, self.tokenizer.eos_token_id] if i is not None})

    @property
    def context(self) -> int | None:
        """The smaller of what the network and the tokenizer allow; tokenizers without a limit state a huge one."""
        limits = [
            getattr(self.config.get_text_config(), "max_position_embeddings", None),
            self.tokenizer.model_max_length,
        ]
        return min((n for n in limits if n and n < 10_000_000), default=None)

    @property
    def parameters(self) -> int | None:
        """How many numbers the weights hold. None if quantised, or not in safetensors."""
        if getattr(self.config, "quantization_config", None):
            return None  # several numbers are packed in one
        shapes = self.shapes
        return None if shapes is None else sum(map(math.prod, shapes.values()))

    @property
    def shapes(self) -> dict[str, list[int]] | None:
        """The shape of every tensor, from the heads of the files. None if not in safetensors, or not fetched yet."""
        index = self._file("model.safetensors.index.json")
        names = json.loads(index.read_bytes())["weight_map"].values() if index else ["model.safetensors"]
        files = [self._file(name) for name in sorted(set(names))]
        return {name: shape for file in files if file for name, shape in _shapes(file)} if all(files) else None

    def _file(self, name: str) -> Path | None:
        """A file of the checkpoint, as it lies here or in the hub's cache."""
        from huggingface_hub import try_to_load_from_cache

        if Path(self.path).is_dir():
            return path if (path := Path(self.path) / name).is_file() else None
        found = try_to_load_from_cache(self.path, name, revision=self.model.revision)
        return Path(found) if isinstance(found, str) else None

    def text(self, request: Request) -> str:
        """The exact text that is tokenised: the prompt, or the turns in the model's chat template."""
        if not self.model.chat:
            return request.prompt
        turns = [{"role": m.role, "content": m.content} for m in request.messages]
        return str(
            self.tokenizer.apply_chat_template(
                turns, tokenize=False, add_generation_prompt=True, **self.model.chat_template_kwargs
            )
        )

    def encode(self, text: str) -> list[int]:
        # A chat template writes its own special tokens.
        return list(self.tokenizer(text, add_special_tokens=not self.model.chat)["input_ids"])

    @property
    def seq2seq(self) -> bool:
        """An encoder reads the prompt, a decoder writes: T5, BART, BlenderBot."""
        return bool(getattr(self.config, "is_encoder_decoder", False))

    def ids(self, request: Request) -> list[int]:
        """The prompt's token ids; of a probe those of its longest pair, context and target."""
        if request.scoring == "nll":
            return max(([*c, *t] for c, t in (self.pair(*pair) for pair in request.pairs)), key=len, default=[])
        return self.encode(self.text(request))

    def too_long(self, request: Request, length: int, limit: int | None) -> str | None:
        """Why a prompt of that many tokens and its reply do not fit `limit` tokens; None if they do."""
        room = request.max_new_tokens
        if not limit:
            return None
        if request.scoring == "nll":
            return f"a pair of {length} tokens exceeds {limit}" if length > limit else None
        # An encoder and its decoder have a context each.
        if (max(length, room) if self.seq2seq else length + room) <= limit:
            return None
        return f"prompt of {length} tokens and reply of {room} exceed {limit}"

    def after(self, context: str, texts: Sequence[str], plain: bool = False) -> list[list[int]]:
        """The token ids of each text where it follows `context`: those that tokenising both together adds.

        Where the tokenizer would melt the last of the context and the first of the text into one token, the text is
        tokenised for itself: the context's ids are those that the model is really given. `plain`: the context is no chat.
        """
        before, *wholes = self.tokenizer(
            [context, *(context + t for t in texts)], add_special_tokens=plain or not self.model.chat
        )["input_ids"]
        return [
            list(whole[len(before) :])
            if len(whole) > len(before) and whole[: len(before)] == before
            else list(self.tokenizer(text, add_special_tokens=False)["input_ids"])
            for text, whole in zip(texts, wholes, strict=True)
        ]

    def label_forms(self, request: Request) -> list[list[list[int]]]:
        """Token ids of each option's label: option -> surface forms ("a", " a", "(a)", different ones only) -> ids."""
        forms = label_forms(request.labels)
        ids = iter(self.after(self.text(request), [form for row in forms for form in row]))
        return [_distinct([next(ids) for _ in row]) for row in forms]

    def label_begins(self, request: Request) -> list[list[list[int]]]:
        """The same as far as they tell labels apart: "a", " a" and "(a" without what closes it.

        Which form a model prefers depends on its tokenizer and on how it was trained, so their probabilities are added.
        """
        forms = label_begins(request.labels)
        ids = iter(self.after(self.text(request), [form for row in forms for form in row]))
        return [_distinct([next(ids) for _ in row]) for row in forms]

    def option_ids(self, request: Request) -> list[list[int]]:
        """Token ids of each option's text after the prompt."""
        return self.after(self.text(request), request.options)

    def prior(self, request: Request) -> tuple[list[int], list[list[int]]]:
        """The prompt's last line alone ("答："), and each option's token ids after it: how likely the text is by itself."""
        line = request.prompt.rpartition("\n")[2]
        bare = replace(request, prompt=line, messages=(Message("user", line),))
        # A network needs one token at least to say what comes next.
        return self.ids(bare) or [self._start], self.option_ids(bare)

    def pair(self, context: str, target: str) -> tuple[list[int], list[int]]:
        """Token ids of a context and of a target after it: plain text, for chat models, too.

        An empty context becomes a begin-of-text token. Where an encoder reads the context, the target is tokenised for
        itself. In neither case has it an end-of-text token: see HuggingFace.nll.
        """
        ids = list(self.tokenizer(context)["input_ids"]) or [self._start]
        if self.seq2seq:
            return ids, list(self.tokenizer(text_target=target, add_special_tokens=False)["input_ids"])
        return ids, self.after(context, [target], plain=True)[0]

    @property
    def opening(self) -> list[int]:
        """Special tokens with which a decoder's texts begin, behind its start token: BART's <s>; T5 has none."""
        found = self.tokenizer(text_target="a", return_special_tokens_mask=True)
        return list(found["input_ids"][: found["special_tokens_mask"].index(0)])

    @property
    def _start(self) -> int:
        """What texts begin with: a begin-of-text token, or an end-of-text one where a tokenizer has no other."""
        begin = self.tokenizer.bos_token_id
        return int(self.stop_ids[0] if begin is None else begin)

    def reply(self, new: Sequence[int], prompt_tokens: int, max_new_tokens: int) -> Response:
        """The reply of the generated ids, which may go on after an end-of-text id."""
        row = list(new[:max_new_tokens])
        end = next((n for n, token in enumerate(row) if token in self.stop_ids), None)
        text = self.tokenizer.decode(row[:end], skip_special_tokens=True, clean_up_tokenization_spaces=False)
        new_tokens = len(row) if end is None else end + 1
        finish = "length" if end is None else "stop"
        cut = min((place for s in self.model.generation.stop if (place := text.find(s)) >= 0), default=None)
        if cut is not None:
            text, finish = text[:cut], "stop"
        return Response(text, finish, prompt_tokens, new_tokens)

    def fingerprint(self, **facts: Any) -> str:
        """A hash of the files of a local model (or the hub's commit), of its adapter and `facts` (dtype, device …)."""
        model = self.model
        adapter = model.adapter
        parts = {
            **facts,
            "chat": model.chat,
            "chat_template_kwargs": model.chat_template_kwargs,
            "adapter": folder_hash(Path(adapter)) if adapter and Path(adapter).is_dir() else adapter,
        }
        if Path(self.path).is_dir():
            parts["files"] = folder_hash(Path(self.path), model.trust_remote_code)
        else:
            parts["hub"] = [self.path, _commit(self.path, model.revision)]
        return f"{model.backend}:" + hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:24]


def _shapes(path: Path) -> Iterator[tuple[str, list[int]]]:
    """The name and shape of each tensor of a safetensors file, whose head is a length and JSON."""
    with path.open("rb") as file:
        head = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return ((name, tensor["shape"]) for name, tensor in head.items() if name != "__metadata__")


def labels_response(
    forms: Sequence[Sequence[Sequence[int]]], scores: Sequence[Sequence[float]], prompt_tokens: int
) -> Response:
    """`forms`: option -> surface forms -> ids; `scores`: the log-probabilities of their tokens, all forms in one row.

    Whatever begins with "10" begins with "1", too: the longer label's probability is taken off the shorter one's.
    """
    rows = iter(scores)
    logprobs = [{tuple(ids): sum(next(rows)) for ids in option} for option in forms]
    found = []
    for n, option in enumerate(logprobs):
        others = [(ids, x) for m, other in enumerate(logprobs) if m != n for ids, x in other.items()]
        own = [
            _difference(x, [y for longer, y in others if len(longer) > len(ids) and longer[: len(ids)] == ids])
            for ids, x in option.items()
        ]
        found.append(Likelihood(_sum_of_probabilities(own), min(map(len, option))))
    return _compared("labels", prompt_tokens, tuple(found))


def _difference(logprob: float, parts: Sequence[float]) -> float:
    """log(exp(x) - sum(exp(parts))); as good as nothing where rounding leaves nothing."""
    rest = 1 - sum(math.exp(part - logprob) for part in parts)
    return logprob + math.log(max(rest, 1e-9)) if parts else logprob


def texts_response(scores: Sequence[Sequence[float]], priors: Sequence[float], prompt_tokens: int) -> Response:
    """`scores`: option -> the log-probabilities of its tokens; `priors`: option -> log-probability by itself."""
    found = tuple(Likelihood(sum(row), len(row), prior) for row, prior in zip(scores, priors, strict=True))
    return _compared("texts", prompt_tokens, found)


def nll_response(request: Request, nll: Sequence[Sequence[float]], prompt_tokens: int) -> Response:
    """`nll`: pair -> the negative log-likelihoods of its target's tokens. A target without tokens has none: an error."""
    empty = [n for n, row in enumerate(nll) if not row]
    if empty or not nll:
        error = (
            f"pair {empty[0]}: its target has no tokens" if empty else "a probe without pairs: there is nothing to ask"
        )
        return Response("", "error", prompt_tokens, error=error)
    return _compared("nll", prompt_tokens, tuple(Likelihood(-math.fsum(row), len(row)) for row in nll))


def _compared(finish: str, prompt_tokens: int, found: tuple[Likelihood, ...]) -> Response:
    if not all(math.isfinite(x.logprob) and math.isfinite(x.prior or 0.0) for x in found):
        error = "the network gave a text no finite likelihood: try dtype float32 or bfloat16"
        return Response("", "error", prompt_tokens, error=error)
    return Response("", finish, prompt_tokens, likelihoods=found)


def _sum_of_probabilities(logprobs: Sequence[float]) -> float:
    """log(sum(exp(x))), without underflow."""
    top = max(logprobs)
    if not math.isfinite(top):
        return top
    return top + math.log(sum(math.exp(x - top) for x in logprobs))


def _commit(path: str, revision: str | None) -> str | None:
    """The commit of a hub model in the cache, which the file's place names: models--…/snapshots/COMMIT/config.json."""
    from huggingface_hub import try_to_load_from_cache

    file = try_to_load_from_cache(path, "config.json", revision=revision)
    return Path(file).parent.name if isinstance(file, str) else revision


def _distinct(rows: list[list[int]]) -> list[list[int]]:
    return [row for n, row in enumerate(rows) if row not in rows[:n]]


_WHOLE = 64 * 2**20  # files up to this size are hashed whole, larger ones in 64 blocks of 1 MiB


def folder_hash(folder: Path, code: bool = False) -> str:
    """A hash of those files of a model or an adapter that can change a reply; of large ones it reads samples (design/store.md).

    `code`: the folder's own code is run (trust_remote_code). Files that few folders have come last, so that the hashes of
    all others stay what they were before these were looked at.
    """
    ordinary = [
        p for p in folder.iterdir() if p.suffix in {".json", ".safetensors", ".bin", ".jinja", ".model", ".txt"}
    ]
    digest = hashlib.sha256()
    for path in [*sorted(ordinary), *sorted(_further(folder, code).difference(ordinary))]:
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder).as_posix()}:{size}\n".encode())
        with path.open("rb") as file:
            if size <= _WHOLE:
                digest.update(file.read())
            else:
                for n in range(64):
                    file.seek((size - 2**20) * n // 63)
                    digest.update(file.read(2**20))
    return digest.hexdigest()


def _further(folder: Path, code: bool) -> set[Path]:
    """Less common files that a loader may read, in subfolders, too."""
    found = {p for p in folder.iterdir() if p.suffix in {".spm", ".codes", ".tiktoken"}}  # tokenizers'
    found.update(folder.glob("additional_chat_templates/*.jinja"))
    for index in folder.glob("*.index.json"):  # shards may lie anywhere
        found.update(folder / name for name in json.loads(index.read_bytes()).get("weight_map", {}).values())
    if code:
        found.update(
            p for p in folder.rglob("*.py") if not any(part.startswith(".") for part in p.relative_to(folder).parts)
        )
    usual = any(folder.glob("*.safetensors")) or any(folder.glob("*model*.bin"))
    if code or not usual:  # beside the usual weights these are a training's state
        found.update(p for p in folder.iterdir() if p.suffix in {".pt", ".pth"})
    return {p for p in found if p.is_file()}
