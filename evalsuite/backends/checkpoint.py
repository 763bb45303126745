"""A model's files, tokenizer and chat template, and the token ids of prompts and options, for hf and vllm.

Both backends send exactly these ids to the network and decode replies with this tokenizer, so that a model gives the same
replies on both.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any

from evalsuite.backends.model import Model
from evalsuite.common.errors import BackendError
from evalsuite.common.weights import WAY_ROUND, as_backend_errors
from evalsuite.types import Likelihood, Message, Request, Response, label_begins, label_forms

# Keys of the context limit in config.json: of most models, of BLOOM and ChatGLM2, of ChatGLM and GLM. vLLM reads the same keys.
_LENGTHS = ("max_position_embeddings", "seq_length", "max_sequence_length")
_THOUGHTS = re.compile("think|thought|reason|channel|message", re.IGNORECASE)
IdPair = tuple[tuple[int, ...], tuple[int, ...]]  # token ids of a context, and of a text after it
NO_BEAMS = "scoring constrained: not with beam search; leave out generation.beams"


def locate(model: Model) -> str:
    """The local folder or Hugging Face hub id of a model. Downloads models of ModelScope; raises BackendError if that fails."""
    if model.hub == "huggingface" or Path(model.path).is_dir():
        return model.path
    try:
        from modelscope import snapshot_download
    except ImportError as error:
        raise BackendError(f"model {model.name}: hub: modelscope needs `pip install modelscope` ({error})") from None
    try:
        return str(snapshot_download(model.path, revision=model.revision))
    except Exception as error:  # ModelScope's errors share no base class
        raise BackendError(f"model {model.name}: cannot fetch {model.path} from ModelScope: {error}") from None


class Checkpoint:
    """A model's tokenizer, chat template, configuration and end-of-text ids."""

    def __init__(self, model: Model) -> None:
        """Raises BackendError if the tokenizer cannot be loaded, or the chat template that `chat: true` needs is missing."""
        import transformers

        transformers.utils.logging.set_verbosity_error()
        self.model, self.path = model, locate(model)
        source: dict[str, Any] = {"revision": model.revision, "trust_remote_code": model.trust_remote_code}
        with as_backend_errors(f"model {model.name}: cannot load {self.path}", model.trust_remote_code):
            self.tokenizer: Any = transformers.AutoTokenizer.from_pretrained(self.path, padding_side="left", **source)
            self.config: Any = transformers.AutoConfig.from_pretrained(self.path, **source)
        if model.chat_template:
            self.tokenizer.chat_template = model.chat_template
        if model.chat and not self.tokenizer.chat_template:
            raise BackendError(
                f"model {model.name}: chat: true, but {self.path} has no chat template; give it one (chat_template), or set "
                "chat: false"
            )
        if self.tokenizer.pad_token_id is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        try:
            eos = transformers.GenerationConfig.from_pretrained(self.path, revision=model.revision).eos_token_id
        except OSError:  # the file is optional
            eos = getattr(self.config, "eos_token_id", None)
        # All end-of-text ids of the tokenizer and of the checkpoint's generation settings. GPT-2's default id is in its settings
        # beside a BERT tokenizer, too, which has no such id, and ends texts with [SEP].
        named = eos if isinstance(eos, list) else [eos]
        size = getattr(self.config.get_text_config(), "vocab_size", None)
        ids = {i for i in [*named, self.tokenizer.eos_token_id] if i is not None and not (size and i >= size)}
        self.stop_ids = sorted(ids or {i for i in [self._separator] if i is not None})

    @property
    def context(self) -> int | None:
        """The smaller context limit of network and tokenizer, in tokens; None if neither has one."""
        limits = [  # tokenizers without a limit state a huge one
            *(getattr(self.config.get_text_config(), name, None) for name in _LENGTHS),
            self.tokenizer.model_max_length,
        ]
        return min((n for n in limits if n and n < 10_000_000), default=None)

    @property
    def parameters(self) -> int | None:
        """The number of parameters; None if the weights are quantised or not in safetensors."""
        if getattr(self.config, "quantization_config", None):
            return None  # packed tensors: shapes do not count parameters
        shapes = self.shapes
        return None if shapes is None else sum(map(math.prod, shapes.values()))

    @property
    def shapes(self) -> dict[str, list[int]] | None:
        """Tensor name -> shape, from the file headers. None if not in safetensors or not downloaded yet."""
        index = self._file("model.safetensors.index.json")
        names = json.loads(index.read_bytes())["weight_map"].values() if index else ["model.safetensors"]
        files = [self._file(name) for name in sorted(set(names))]
        return {name: shape for file in files if file for name, shape in _shapes(file)} if all(files) else None

    def _file(self, name: str) -> Path | None:
        """A file of the checkpoint, in its folder or in the hub's cache; None if it is not there."""
        from huggingface_hub import try_to_load_from_cache

        if Path(self.path).is_dir():
            return path if (path := Path(self.path) / name).is_file() else None
        cached = try_to_load_from_cache(self.path, name, revision=self.model.revision)
        return Path(cached) if isinstance(cached, str) else None

    def text(self, request: Request) -> str:
        """The exact text that is tokenised: the prompt, or the turns in the model's chat template."""
        if not self.model.chat:
            return request.prompt
        from jinja2 import TemplateError

        turns = [{"role": m.role, "content": m.content} for m in request.messages]
        try:
            return str(
                self.tokenizer.apply_chat_template(
                    turns, tokenize=False, add_generation_prompt=True, **self.model.chat_template_kwargs
                )
            )
        except TemplateError as error:
            if turns[0]["role"] != "system":
                raise
            raise BackendError(
                f"model {self.model.name}: its chat template refuses a system message ({error}): leave `system` out, and ask a "
                "wording without one"
            ) from None

    def encode(self, text: str) -> list[int]:
        """Token ids of a prompt. Those of a chat get no special tokens here, since its template contains them."""
        return self._open(self.tokenizer(text, add_special_tokens=not self.model.chat)["input_ids"], self.model.chat)

    def _open(self, ids: Sequence[int], plain: bool = False) -> list[int]:
        """Token ids without the end-of-text tokens that the tokenizer has appended. `plain`: it was asked for no special ones."""
        return list(ids[: len(ids) - (0 if plain else self._closing)])

    @property
    def _separator(self) -> int | None:
        """BERT's [SEP]; not all tokenizers have such a token."""
        return getattr(self.tokenizer, "sep_token_id", None)

    @cached_property
    def _closing(self) -> int:
        """The number of end-of-text tokens that the tokenizer appends to a text, such as BERT's [SEP]. A causal network would
        take a prompt with them for a finished text; encoders expect them."""
        if self.seq2seq:
            return 0
        encoded = self.tokenizer("a", return_special_tokens_mask=True)
        ends = {self.tokenizer.eos_token_id, self._separator} - {None}
        last = zip(reversed(encoded["input_ids"]), reversed(encoded["special_tokens_mask"]), strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[1] and pair[0] in ends, last))

    @property
    def seq2seq(self) -> bool:
        """Whether the network is an encoder-decoder: T5, BART, BlenderBot."""
        return bool(getattr(self.config, "is_encoder_decoder", False))

    @property
    def auto(self) -> Any:
        """The class of transformers that loads the network.

        A checkpoint with its own code names the class in its config (`auto_map`): GLM-10B and ChatGLM-6B name
        AutoModelForSeq2SeqLM or AutoModel, although they are no encoder-decoders. Raises BackendError if no named class
        generates text.
        """
        import transformers

        usual = "AutoModelForSeq2SeqLM" if self.seq2seq else "AutoModelForCausalLM"
        if type(self.config).__module__.startswith("transformers."):
            return getattr(transformers, usual)
        mapped = getattr(self.config, "auto_map", {})
        for name in (usual, "AutoModelForCausalLM", "AutoModelForSeq2SeqLM", "AutoModel"):
            if name in mapped:
                return getattr(transformers, name)
        raise BackendError(
            f"model {self.model.name}: the own code of {self.path} has no network that writes (auto_map in config.json: "
            f"{', '.join(mapped)}); {WAY_ROUND}"
        )

    def ids(self, request: Request) -> list[int]:
        """The prompt's token ids. For scoring "nll": those of the longest pair, context and target."""
        if request.scoring == "nll":
            return max(([*c, *t] for c, t in (self.pair(*pair) for pair in request.pairs)), key=len, default=[])
        return self.encode(self.text(request))

    def too_long(self, request: Request, length: int, limit: int | None) -> str | None:
        """The reason why a prompt of `length` tokens and its reply exceed `limit` tokens; None if they fit."""
        if not limit:
            return None
        if request.scoring == "nll":
            return f"a pair of {length} tokens exceeds {limit}" if length > limit else None
        if self.room(length, request.max_new_tokens) <= limit:
            return None
        return f"prompt of {length} tokens and reply of {request.max_new_tokens} exceed {limit}"

    def room(self, prompt: int, reply: int) -> int:
        """The tokens of context that a prompt and its reply need. Encoder and decoder have separate contexts."""
        return max(prompt, reply) if self.seq2seq else prompt + reply

    def after(self, context: str, texts: Sequence[str], plain: bool = False) -> list[list[int]]:
        """The token ids that each text adds after `context`, when both are tokenised together.

        If the tokenizer merges the end of the context with the start of the text into one token, the text is tokenised
        alone, since the network is given the context's own ids. `plain`: the context is not a chat. An encoder-decoder's
        texts are always tokenised alone.
        """
        if self.seq2seq:
            return [list(self.tokenizer(text_target=t, add_special_tokens=False)["input_ids"]) for t in texts]
        bare = self.model.chat and not plain
        rows = self.tokenizer([context, *(context + t for t in texts)], add_special_tokens=not bare)["input_ids"]
        before, *wholes = (self._open(row, bare) for row in rows)
        return [
            whole[len(before) :]
            if len(whole) > len(before) and whole[: len(before)] == before
            else list(self.tokenizer(text, add_special_tokens=False)["input_ids"])
            for text, whole in zip(texts, wholes, strict=True)
        ]

    def label_forms(self, request: Request) -> list[list[list[int]]]:
        """Token ids of each option's label: option -> distinct surface forms ("a", " a", "(a)") -> ids."""
        return self._ids_of_forms(request, label_forms(request.labels))

    def label_begins(self, request: Request) -> list[list[list[int]]]:
        """Token ids that tell each option's label apart: "a", " a" and "(a", without the closing bracket.

        Which form a model prefers depends on its tokenizer and training, so the probabilities of the forms are added.
        """
        return self._ids_of_forms(request, label_begins(request.labels))

    def _ids_of_forms(self, request: Request, forms: Sequence[Sequence[str]]) -> list[list[list[int]]]:
        ids = iter(self.after(self.text(request), [form for row in forms for form in row]))
        return [_distinct([next(ids) for _ in row]) for row in forms]

    def option_ids(self, request: Request) -> list[list[int]]:
        """Token ids of each option's text after the prompt."""
        return self.after(self.text(request), request.options)

    def prior_pairs(self, request: Request) -> list[IdPair]:
        """For each option the ids of the prompt's last line alone ("答："), and the option's ids after it.

        The probability of an option after that line is its prior, independent of the question. For a prompt of one line, an
        empty text takes the place of the line.
        """
        _, several, last = request.messages[-1].content.rpartition("\n")
        line = last if several else ""
        bare = replace(request, prompt=line, messages=(Message("user", line),))
        context = tuple(self.ids(bare)) or (self._start,)  # a network needs at least one token of context
        return [(context, tuple(ids)) for ids in self.option_ids(bare)]

    def pair(self, context: str, target: str) -> tuple[list[int], list[int]]:
        """Token ids of a context and of the target after it; both are plain text even for chat models.

        An empty context becomes a begin-of-text token. For an encoder-decoder, the target is tokenised alone. The
        target has no end-of-text token: see HuggingFace.nll.
        """
        ids = self._open(self.tokenizer(context)["input_ids"]) or [self._start]
        return ids, self.after(context, [target], plain=True)[0]

    @property
    def end(self) -> int:
        """The token that ends a text. Raises BackendError if the checkpoint has none."""
        usual: int | None = self.tokenizer.eos_token_id
        if usual is None and not self.stop_ids:
            raise BackendError(
                f"model {self.model.name}: {self.path} has no end-of-text token, so nothing can be tuned on it"
            )
        return self.stop_ids[0] if usual is None else usual

    @property
    def opening(self) -> list[int]:
        """Special tokens between a decoder's start token and its text: BART's <s>; T5 and causal networks have none."""
        if not self.seq2seq:
            return []
        encoded = self.tokenizer(text_target="a", return_special_tokens_mask=True)
        return list(encoded["input_ids"][: encoded["special_tokens_mask"].index(0)])

    @property
    def _start(self) -> int:
        """The begin-of-text token, else an end-of-text token."""
        begin = self.tokenizer.bos_token_id
        return int(self.stop_ids[0] if begin is None else begin)

    def reply(self, new: Sequence[int], prompt_tokens: int, max_new_tokens: int) -> Response:
        """Decode a reply from generated ids, which may continue after an end-of-text id."""
        row = list(new[:max_new_tokens])
        end = next((n for n, token in enumerate(row) if token in self.stop_ids), None)
        text = self._text_of(row[:end])
        new_tokens = len(row) if end is None else end + 1
        finish = "length" if end is None else "stop"
        cut = min((start for s in self.model.generation.stop if (start := text.find(s)) >= 0), default=None)
        if cut is not None:
            text, finish = text[:cut], "stop"
        return Response(text, finish, prompt_tokens, new_tokens)

    def _text_of(self, ids: Sequence[int]) -> str:
        """The text of generated ids. Of special tokens it keeps only those that mark thoughts, which the parser looks for."""

        def decode(run: Iterator[int], special: bool) -> str:
            # `special`: the run consists of the special tokens that stay in the text.
            return str(
                self.tokenizer.decode(list(run), skip_special_tokens=not special, clean_up_tokenization_spaces=False)
            )

        return "".join(decode(run, marks) for marks, run in groupby(ids, self._thought_marks.__contains__))

    @cached_property
    def _thought_marks(self) -> set[int]:
        """Ids of special tokens around thoughts: <|channel|> and <|message|> of gpt-oss, <|channel> of Gemma 4 …"""
        added = getattr(self.tokenizer, "added_tokens_decoder", {})
        return {n for n, token in added.items() if token.special and _THOUGHTS.search(token.content)}

    def fingerprint(self, **facts: Any) -> str:
        """A hash of the model's files (or hub commit), its adapter, its chat settings and `facts` (dtype, device …)."""
        model = self.model
        adapter = model.adapter
        parts = {
            **facts,
            "chat": model.chat,
            "chat_template_kwargs": model.chat_template_kwargs,
            "adapter": folder_hash(Path(adapter)) if adapter and Path(adapter).is_dir() else adapter,
            **({"chat_template": model.chat_template} if model.chat_template else {}),
            **({"open": True} if self._closing else {}),  # earlier versions left the end of text in prompts
        }
        if Path(self.path).is_dir():
            parts["files"] = folder_hash(Path(self.path), model.trust_remote_code)
        else:
            parts["hub"] = [self.path, _commit(self.path, model.revision)]
        return f"{model.backend}:" + hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:24]


def _shapes(path: Path) -> Iterator[tuple[str, list[int]]]:
    """Name and shape of each tensor of a safetensors file, from its header (a length, then JSON)."""
    with path.open("rb") as file:
        head = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return ((name, tensor["shape"]) for name, tensor in head.items() if name != "__metadata__")


def labels_response(
    forms: Sequence[Sequence[Sequence[int]]], scores: Sequence[Sequence[float]], prompt_tokens: int
) -> Response:
    """The Response of scoring "labels".

    `forms`: option -> surface forms -> ids; `scores`: the token log-probabilities of each form, option after option.
    A label may be a prefix of another ("1" of "10"): then the probability of "10" is subtracted from that of "1". That of "10"
    includes "100", which is subtracted from "10" alone.
    """
    rows = iter(scores)
    logprobs = [{tuple(ids): sum(next(rows)) for ids in option} for option in forms]
    likelihoods = []
    for n, option in enumerate(logprobs):
        others = {ids: x for m, other in enumerate(logprobs) if m != n for ids, x in other.items()}
        exclusive = [_difference(x, [others[longer] for longer in _next(ids, others)]) for ids, x in option.items()]
        likelihoods.append(Likelihood(_logsumexp(exclusive), min(map(len, option))))
    return _likelihoods_response("labels", prompt_tokens, tuple(likelihoods))


def _next(ids: tuple[int, ...], others: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The others that begin with `ids` and are longer, without any that begins with another one of these."""
    longer = sorted(other for other in others if len(other) > len(ids) and other[: len(ids)] == ids)
    shortest: list[tuple[int, ...]] = []
    for other in longer:  # a text stands before those that it begins
        if not (shortest and other[: len(shortest[-1])] == shortest[-1]):
            shortest.append(other)
    return shortest


def _difference(logprob: float, longer_logprobs: Sequence[float]) -> float:
    """log(exp(logprob) - sum(exp(longer_logprobs))), at least log(1e-9) below `logprob`, as rounding may leave zero or less."""
    share_left = 1 - sum(math.exp(longer - logprob) for longer in longer_logprobs)
    return logprob + math.log(max(share_left, 1e-9)) if longer_logprobs else logprob


def texts_response(scores: Sequence[Sequence[float]], priors: Sequence[float], prompt_tokens: int) -> Response:
    """The Response of scoring "texts".

    `scores`: option -> token log-probabilities; `priors`: option -> log-probability without the question. An option without
    tokens, whose probability would be 1, gives a Response with `error`.
    """
    if not all(scores):
        empty = [bool(row) for row in scores].index(False)
        error = f"option {empty}: its text has no tokens"
        return Response("", "error", prompt_tokens, error=error)
    likelihoods = tuple(Likelihood(sum(row), len(row), prior) for row, prior in zip(scores, priors, strict=True))
    return _likelihoods_response("texts", prompt_tokens, likelihoods)


def nll_response(request: Request, nll: Sequence[Sequence[float]], prompt_tokens: int) -> Response:
    """The Response of scoring "nll". `nll`: pair -> negative log-likelihood of each target token, in nats.

    A request without pairs, or with a target without tokens, gives a Response with `error`.
    """
    empty = [n for n, row in enumerate(nll) if not row]
    if empty or not nll:
        error = (
            f"pair {empty[0]}: its target has no tokens" if empty else "a probe without pairs: there is nothing to ask"
        )
        return Response("", "error", prompt_tokens, error=error)
    return _likelihoods_response("nll", prompt_tokens, tuple(Likelihood(-math.fsum(row), len(row)) for row in nll))


def _likelihoods_response(finish: str, prompt_tokens: int, likelihoods: tuple[Likelihood, ...]) -> Response:
    """The Response with these likelihoods, or with an error if one is not finite."""
    if not all(math.isfinite(x.logprob) and math.isfinite(x.prior or 0.0) for x in likelihoods):
        error = "the network gave a text no finite likelihood: try dtype float32 or bfloat16"
        return Response("", "error", prompt_tokens, error=error)
    return Response("", finish, prompt_tokens, likelihoods=likelihoods)


def _logsumexp(logprobs: Sequence[float]) -> float:
    """log(sum(exp(x))), without underflow."""
    top = max(logprobs)
    if not math.isfinite(top):
        return top
    return top + math.log(sum(math.exp(x - top) for x in logprobs))


def _commit(path: str, revision: str | None) -> str | None:
    """The commit of a cached hub model, from the file's path: models--…/snapshots/COMMIT/config.json."""
    from huggingface_hub import try_to_load_from_cache

    file = try_to_load_from_cache(path, "config.json", revision=revision)
    return Path(file).parent.name if isinstance(file, str) else revision


def _distinct(rows: list[list[int]]) -> list[list[int]]:
    return [row for n, row in enumerate(rows) if row not in rows[:n]]


_WHOLE = 64 * 2**20  # files up to this size are hashed whole, larger ones in 64 blocks of 1 MiB


def folder_hash(folder: Path, code: bool = False) -> str:
    """A hash of the files of a model or an adapter that can change a reply; large files are sampled (design/store.md).

    `code`: the folder's own code runs (trust_remote_code). Less common files are hashed last, so that folders without
    them keep the hashes of earlier versions.
    """
    ordinary = [
        p for p in folder.iterdir() if p.suffix in {".json", ".safetensors", ".bin", ".jinja", ".model", ".txt"}
    ]
    digest = hashlib.sha256()
    for path in [*sorted(ordinary), *sorted(_less_common_files(folder, code).difference(ordinary))]:
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


def _less_common_files(folder: Path, code: bool) -> set[Path]:
    """Files beside the ordinary ones that a loader may read, also in subfolders. `code`: the folder's own code runs."""
    files = {p for p in folder.iterdir() if p.suffix in {".spm", ".codes", ".tiktoken"}}  # files of tokenizers
    files.update(folder.glob("additional_chat_templates/*.jinja"))
    for index in folder.glob("*.index.json"):  # shards may be in any folder
        files.update(folder / name for name in json.loads(index.read_bytes()).get("weight_map", {}).values())
    if code:
        files.update(
            p for p in folder.rglob("*.py") if not any(part.startswith(".") for part in p.relative_to(folder).parts)
        )
    has_usual_weights = any(folder.glob("*.safetensors")) or any(folder.glob("*model*.bin"))
    if code or not has_usual_weights:  # beside the usual weights, .pt files are training state
        files.update(p for p in folder.iterdir() if p.suffix in {".pt", ".pth"})
    return {p for p in files if p.is_file()}
