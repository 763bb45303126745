"""One model's settings, typed and strict: an entry of models.yaml (models.py reads the file)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator


class Strict(BaseModel):
    """Frozen; an unknown key or a value of another type is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Generation(Strict):
    """How replies are made. Decoding is greedy."""

    max_new_tokens: int | None = Field(default=None, ge=1)  # None: the task's own
    stop: list[str] = []  # a reply ends before the first of these
    batch_tokens: int = Field(default=16384, ge=1)  # prompt and reply tokens of a batch, padding included (hf)


class HF(Strict):
    """How transformers runs a model."""

    attention: str | None = None  # sdpa, eager, flash_attention_2 …; None: transformers' choice
    static_cache: bool = False  # with compile: fewer, larger kernels on a GPU
    compile: bool = False
    threads: int | None = Field(default=None, ge=1)  # on a CPU; None: as many as this process may use


class VLLM(Strict):
    """How vLLM runs a model; the names are vLLM's own."""

    tensor_parallel_size: int = Field(default=1, ge=1)
    max_model_len: int | None = Field(default=None, ge=1)
    gpu_memory_utilization: float = Field(default=0.9, gt=0, le=1)
    max_num_seqs: int = Field(default=256, ge=1)
    quantization: str | None = None
    enforce_eager: bool = False
    max_lora_rank: int = Field(default=64, ge=1)
    engine: dict[str, Any] = {}  # any other argument of vllm.LLM


class Finetune(Strict):
    """How `evalsuite finetune` trains a LoRA adapter on a model (docs/finetune.md). The defaults suit a 7B model."""

    rank: int = Field(default=16, ge=1)
    alpha: float = Field(default=32, gt=0)
    dropout: float = Field(default=0.05, ge=0, lt=1)
    target_modules: str | list[str] = "all-linear"  # every linear layer but the head; or names such as q_proj
    learning_rate: float = Field(default=2e-4, gt=0)
    epochs: int = Field(default=3, ge=1)
    schedule: Literal["cosine", "linear", "constant", "constant_with_warmup"] = "cosine"
    warmup: float = Field(default=0.03, ge=0, lt=1)  # share of the steps
    weight_decay: float = Field(default=0, ge=0)
    max_grad_norm: float = Field(default=1, gt=0)
    batch: int = Field(default=4, ge=1)  # rows at once
    gradient_accumulation: int = Field(default=4, ge=1)  # batches a step
    gradient_checkpointing: bool = True  # a third slower, for much less memory
    bf16: bool | None = None  # None: on a GPU that can
    max_length: int | None = Field(
        default=2048, ge=1
    )  # tokens of prompt and answer; longer items are left out, counted
    checkpoint_steps: int = Field(default=100, ge=1)  # what a killed sweep can lose

    @field_validator("learning_rate", mode="before")
    @classmethod
    def _exponent(cls, value: Any) -> Any:
        """YAML 1.1 takes 2e-4 (no dot) for a string."""
        try:
            return float(value) if isinstance(value, str) else value
        except ValueError:
            return value


class Price(Strict):
    """What an endpoint charges for a million tokens, in any one currency."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class API(Strict):
    """An OpenAI-compatible endpoint (docs/endpoints.md)."""

    base_url: str = "https://api.openai.com/v1"
    key_env: str | None = "OPENAI_API_KEY"  # the environment variable that holds the key; null: the endpoint wants none
    max_concurrency: int = Field(default=32, ge=1)
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)
    timeout: float = Field(default=120, gt=0)  # seconds for one request
    attempts: int = Field(default=6, ge=1)  # the first included
    backoff: float = Field(default=1, gt=0)  # seconds before the second; doubles, where the endpoint names no time
    temperature: float | None = 0.0  # null where the endpoint takes none (reasoning models)
    reasoning_tokens: int = Field(default=0, ge=0)  # granted on top of the reply's, for models that think first
    price: Price | None = None
    parameters: dict[str, Any] = {}  # sent along as they are, e.g. {enable_thinking: false}

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, value: str) -> str:
        if not value.startswith(("http://", "https://")) or "@" in value or "?" in value:
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
            "stop",
        }
        if taken := sorted(ours & value.keys()):
            raise ValueError(f"{', '.join(taken)}: set by evalsuite (temperature and reasoning_tokens under api, "
                             "max_new_tokens and stop under generation)")  # fmt: skip
        return value


class Model(Strict):
    """A model to run: one entry under `models:`."""

    name: str = Field(min_length=1)
    backend: str  # a name in backends/registry.py, or of an entry point evalsuite.backends
    # A folder, "bundled:…", a hub id, an endpoint's model name; for baseline random, majority, lexical or oracle; for
    # scripted a file of replies.
    path: str
    hub: Literal["huggingface", "modelscope"] = "huggingface"
    chat: bool = False  # through the model's own chat template, shots as turns
    chat_template_kwargs: dict[str, Any] = {}  # what that template takes, e.g. {enable_thinking: false}
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
    trained: dict[str, Any] | None = None  # what `evalsuite finetune` trained its adapter on; goes into results.json
    tasks: list[str] | None = None  # it is asked no others of a run's
    shots: list[int] | None = None  # overrides --shots for this model
    tags: list[str] = []
    family: str | None = None  # of judges and those they judge, e.g. qwen; None: as the name or path begins

    @field_validator("shots")
    @classmethod
    def _not_negative(cls, value: list[int] | None) -> list[int] | None:
        if value is not None and (not value or min(value) < 0):
            raise ValueError("expected one number or more, none negative")
        return value
