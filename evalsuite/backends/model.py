"""The typed settings of one model: an entry of models.yaml, which models.py reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from evalsuite.common.finite import not_finite


class Strict(BaseModel):
    """A frozen settings class: an unknown key, a value of another type, NaN or infinity is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    @field_validator("*")
    @classmethod
    def _finite(cls, value: Any) -> Any:
        """Also in dicts that are passed on as they are."""
        if where := not_finite(value):
            raise ValueError(f"{where}: expected a finite number")
        return value


class Generation(Strict):
    """How replies are generated (docs/sampling.md). The default is greedy decoding."""

    max_new_tokens: int | None = Field(default=None, ge=1)  # None: the task's limit
    stop: list[str] = []  # strings; a reply is cut before the first one
    temperature: float | None = Field(default=0.0, ge=0)  # 0: greedy; null: not sent (endpoints only)
    top_p: float = Field(default=1.0, gt=0, le=1)  # 1: all tokens
    top_k: int = Field(default=0, ge=0)  # 0: all tokens
    repetition_penalty: float = Field(default=1.0, gt=0)  # 1: none; also changes greedy decoding
    beams: int = Field(default=1, ge=1)  # of beam search; 1: none
    samples: int = Field(default=1, ge=1)  # replies to each request, with seeds of their own
    seed: int | None = Field(default=0, ge=0, lt=2**31)  # of all samples; null: not sent (endpoints only)
    batch_tokens: int = Field(default=16384, ge=1)  # maximum tokens of a batch: prompts, replies, padding (hf)

    @property
    def changed(self) -> list[str]:
        """The names in SAMPLING whose settings are not those of greedy decoding."""
        return [name for name in SAMPLING if getattr(self, name) != Generation.model_fields[name].default]

    @property
    def decoding(self) -> dict[str, Any] | Literal["greedy"]:
        """How tokens are chosen, part of a reply's key in the store: "greedy", or the settings that differ from it.

        `samples` is not among them: a further sample changes no earlier one.
        """
        names = [name for name in self.changed if name not in ("temperature", "samples", "seed")]
        names += ["temperature", "seed"] if self.temperature else []
        return {name: getattr(self, name) for name in names} or "greedy"


SAMPLING = ("temperature", "top_p", "top_k", "repetition_penalty", "beams", "samples", "seed")  # of Generation


class HF(Strict):
    """Settings of transformers."""

    attention: str | None = None  # sdpa, eager, flash_attention_2 …; None: transformers' choice
    static_cache: bool = False  # with compile: fewer and larger kernels on a GPU
    compile: bool = False
    threads: int | None = Field(default=None, ge=1)  # CPU threads; None: all that this process may use


class VLLM(Strict):
    """Settings of vLLM, under vLLM's own names."""

    tensor_parallel_size: int = Field(default=1, ge=1)
    max_model_len: int | None = Field(default=None, ge=1)
    gpu_memory_utilization: float = Field(default=0.9, gt=0, le=1)
    max_num_seqs: int = Field(default=256, ge=1)
    quantization: str | None = None
    enforce_eager: bool = False
    max_lora_rank: int = Field(default=64, ge=1)
    engine: dict[str, Any] = {}  # other arguments of vllm.LLM


class Finetune(Strict):
    """How `evalsuite finetune` trains a LoRA adapter (docs/finetune.md). The defaults suit a 7B model."""

    rank: int = Field(default=16, ge=1)
    alpha: float = Field(default=32, gt=0)
    dropout: float = Field(default=0.05, ge=0, lt=1)
    target_modules: str | list[str] = "all-linear"  # all linear layers except the head; or names such as q_proj
    learning_rate: float = Field(default=2e-4, gt=0)
    epochs: int = Field(default=3, ge=1)
    schedule: Literal["cosine", "linear", "constant", "constant_with_warmup"] = "cosine"
    warmup: float = Field(default=0.03, ge=0, lt=1)  # fraction of all steps
    weight_decay: float = Field(default=0, ge=0)
    max_grad_norm: float = Field(default=1, gt=0)
    batch: int = Field(default=4, ge=1)  # rows per device
    gradient_accumulation: int = Field(default=4, ge=1)  # batches per optimizer step
    gradient_checkpointing: bool = True  # a third slower, much less memory
    bf16: bool | None = None  # None: on GPUs that support it
    max_length: int | None = Field(
        default=2048, ge=1
    )  # tokens of prompt and answer; longer items are left out, counted
    checkpoint_steps: int = Field(default=100, ge=1)  # steps between checkpoints: the most that a killed sweep loses

    @field_validator("learning_rate", mode="before")
    @classmethod
    def _exponent(cls, value: Any) -> Any:
        """Accept strings: YAML 1.1 reads 2e-4 (no dot) as a string."""
        try:
            return float(value) if isinstance(value, str) else value
        except ValueError:
            return value


class Price(Strict):
    """Price of a million tokens, in any one currency."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


_SECRET = re.compile(
    r"(?i:.*(secret|passw|authori[sz]ation|credential|bearer|cookie|api.?key).*|(.*[^a-z])?(key|token|auth))|.*[a-z](Key|Token)"
)
_NO_SECRET = {"prompt_cache_key", "bos_token", "eos_token", "pad_token", "unk_token"}


def _secret_names(value: Any) -> Iterator[str]:
    """The names, at any depth, that a secret would have: x-api-key, accessToken, Authorization … but not budget_tokens."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if _SECRET.fullmatch(str(name)) and name not in _NO_SECRET:
                yield str(name)
            yield from _secret_names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _secret_names(inner)


class API(Strict):
    """An OpenAI-compatible endpoint (docs/endpoints.md)."""

    base_url: str = "https://api.openai.com/v1"
    key_env: str | None = "OPENAI_API_KEY"  # environment variable with the API key; null: no key
    max_concurrency: int = Field(default=32, ge=1)
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)
    timeout: float = Field(default=120, gt=0)  # seconds per request
    attempts: int = Field(default=6, ge=1)  # attempts per request, including the first
    backoff: float = Field(
        default=1, gt=0
    )  # seconds before the second attempt, then doubling; Retry-After takes precedence
    # An older name of generation.temperature; "generation": not given.
    temperature: Annotated[float, Field(ge=0)] | Literal["generation"] | None = "generation"
    reasoning_tokens: int = Field(default=0, ge=0)  # added to max_new_tokens for models that think first
    price: Price | None = None
    parameters: dict[str, Any] = {}  # sent unchanged with every request, e.g. {enable_thinking: false}

    @property
    def charged(self) -> Price | None:
        """What a million tokens cost in the way that the requests go."""
        return self.price

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, value: str) -> str:
        if not re.fullmatch(r"https?://[^\s@?#]+", value):
            raise ValueError("expected http://… or https://…, without user, password or query: keys belong in key_env")
        return value.rstrip("/")

    @field_validator("parameters")
    @classmethod
    def _not_ours(cls, value: dict[str, Any]) -> dict[str, Any]:
        ours = {
            "model",
            "messages",
            "prompt",
            "stream",
            "n",
            "max_tokens",
            "max_completion_tokens",
            "temperature",
            "top_p",
            "top_k",
            "repetition_penalty",
            "seed",
            "stop",
        }
        if taken := sorted(ours & value.keys()):
            raise ValueError(f"{', '.join(taken)}: set by evalsuite (reasoning_tokens under api, the others, "
                             "such as max_new_tokens, stop, temperature and top_p, under generation)")  # fmt: skip
        for name in _secret_names(value):
            raise ValueError(
                f"{name}: looks like a secret, and parameters are published in results.json; keys belong in key_env"
            )
        return value


class Model(Strict):
    """A model to run: one entry under `models:`."""

    name: str = Field(min_length=1)
    backend: str  # a name in backends/registry.py, or an entry point evalsuite.backends
    # A folder, "bundled:…", a hub id, or an endpoint's model name. For backend baseline: random, majority, lexical or
    # oracle. For backend scripted: a file of replies.
    path: str
    hub: Literal["huggingface", "modelscope"] = "huggingface"
    chat: bool = False  # use the model's chat template, with shots as turns
    # A Jinja text, or a file beside models.yaml that holds one (load_models reads it); None: the checkpoint's own.
    chat_template: str | None = Field(default=None, min_length=1)
    chat_template_kwargs: dict[str, Any] = {}  # arguments of the template, e.g. {enable_thinking: false}
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    device: str = "auto"
    revision: str | None = None
    adapter: str | None = None
    trust_remote_code: bool = False
    generation: Generation = Generation()
    hf: HF = HF()
    vllm: VLLM = VLLM()
    api: API = API()
    finetune: Finetune = Finetune()
    trained: dict[str, Any] | None = (
        None  # the adapter's training data, written by `evalsuite finetune`; copied to results.json
    )
    tasks: list[str] | None = None  # the only tasks of a run to ask this model; None: all
    shots: list[int] | None = None  # overrides --shots for this model
    prompt: str | None = Field(default=None, min_length=1)  # a wording; overrides --prompt for this model
    tags: list[str] = []
    family: str | None = None  # e.g. qwen, to detect judges of their own family; None: from the name or path

    @model_validator(mode="after")
    def _one_temperature(self) -> Model:
        """`api.temperature` is an older name of `generation.temperature`, which holds it from here on."""
        older, made = self.api.temperature, self.generation
        if older != "generation" and older != made.temperature:
            if "temperature" in made.model_fields_set:
                raise ValueError(
                    f"generation.temperature is {made.temperature} and api.temperature is {older}: keep the first, "
                    "api.temperature is its older name"
                )
            object.__setattr__(self, "generation", Generation(**{**made.model_dump(), "temperature": older}))
        return self

    @model_validator(mode="after")
    def _settings_agree(self) -> Model:
        """Settings that contradict each other, or would have no effect, are errors."""
        made = self.generation
        if made.beams > 1 and (made.temperature != 0 or made.samples > 1):
            raise ValueError("generation.beams: beam search is not random; it needs temperature 0 and samples 1")
        for name in made.changed:
            if made.temperature == 0 and name in ("top_p", "top_k", "samples"):
                raise ValueError(
                    f"generation.{name}: has no effect at temperature 0 (greedy); set generation.temperature"
                )
        return self

    @field_validator("chat_template")
    @classmethod
    def _of_a_chat(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is not None and not info.data.get("chat"):
            raise ValueError("has no effect without chat: true")
        return value

    @field_validator("shots")
    @classmethod
    def _not_negative(cls, value: list[int] | None) -> list[int] | None:
        if value is not None and (not value or min(value) < 0):
            raise ValueError("expected one or more numbers, none negative")
        return value
