"""models.yaml -> typed, strict settings. An unknown key is an error that names it, its line, and the keys there are."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.resources import resolve


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Generation(_Strict):
    """How replies are made. Decoding is greedy."""

    max_new_tokens: int | None = Field(default=None, ge=1)  # None: the task's own
    stop: list[str] = []  # a reply ends before the first of these
    batch_tokens: int = Field(default=16384, ge=1)  # prompt and reply tokens of a batch, padding included (hf)


class HF(_Strict):
    """How transformers runs a model."""

    attention: str | None = None  # sdpa, eager, flash_attention_2 …; None: transformers' choice
    static_cache: bool = False  # with compile: fewer, larger kernels on a GPU
    compile: bool = False
    threads: int | None = Field(default=None, ge=1)  # on a CPU; None: as many as this process may use


class VLLM(_Strict):
    """How vLLM runs a model; the names are vLLM's own."""

    tensor_parallel_size: int = Field(default=1, ge=1)
    max_model_len: int | None = Field(default=None, ge=1)
    gpu_memory_utilization: float = Field(default=0.9, gt=0, le=1)
    max_num_seqs: int = Field(default=256, ge=1)
    quantization: str | None = None
    enforce_eager: bool = False
    max_lora_rank: int = Field(default=64, ge=1)
    engine: dict[str, Any] = {}  # any other argument of vllm.LLM


class Finetune(_Strict):
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


class Price(_Strict):
    """What an endpoint charges for a million tokens, in any one currency."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class API(_Strict):
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


class Model(_Strict):
    """A model to run: one entry under `models:`."""

    name: str = Field(min_length=1)
    backend: Literal["baseline", "hf", "vllm", "openai"]
    path: str  # a folder, "bundled:…", a hub id, an endpoint's model name; for baseline: random, majority, lexical, oracle
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


class _File(_Strict):
    models: list[Model] = Field(min_length=1)


_SECTIONS: dict[str, type[BaseModel]] = {
    "models": Model, "generation": Generation, "hf": HF, "vllm": VLLM, "api": API, "price": Price,
    "finetune": Finetune,
}  # fmt: skip


def load_models(path: Path, names: list[str] | None = None) -> list[Model]:
    """The models of a file, all or those named, paths resolved. Raises ConfigError with file, line and field."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(
            f"{path}: no such file; give --models FILE (the shipped one is bundled:models.yaml)"
        ) from None
    try:
        tree, node = yaml.safe_load(text), yaml.compose(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: {error}") from None
    try:
        models = _File.model_validate(tree).models
    except ValidationError as error:
        raise ConfigError("\n".join(_explain(path, node, e) for e in error.errors())) from None
    seen = [m.name for m in models]
    for name in seen:
        if seen.count(name) > 1:
            raise ConfigError(f"{path}: two models are called {name!r}")
    for name in names or []:
        if name not in seen:
            raise ConfigError(f"{path}: {unknown('model', name, seen)}")
    return [_located(m, path.parent) for m in models if not names or m.name in names]


def _located(model: Model, base: Path) -> Model:
    """Paths in the file are meant from the file; what is no folder there is a hub id."""

    def place(path: str) -> str:
        found = resolve(path, base)
        return str(found) if found.exists() or path.startswith("bundled:") else path

    if model.backend in ("baseline", "openai"):
        return model
    adapter = place(model.adapter) if model.adapter else None
    return model.model_copy(update={"path": place(model.path), "adapter": adapter})


def _explain(path: Path, node: Any, error: Any) -> str:
    """One line for one of pydantic's errors: file:line: place: what is wrong."""
    place = ""
    line = 1
    for step in error["loc"]:
        place += f"[{step}]" if isinstance(step, int) else f"{'.' if place else ''}{step}"
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            node = node.value[step]
            line = node.start_mark.line + 1
        elif isinstance(node, yaml.MappingNode):
            key, node = next(((k, v) for k, v in node.value if k.value == step), (None, None))
            line = key.start_mark.line + 1 if key else line
    message = error["msg"]
    if error["type"] == "extra_forbidden":
        owner: type[BaseModel] = _File
        for step in error["loc"][:-1]:
            owner = _SECTIONS.get(str(step), owner) if isinstance(step, str) else owner
        message = unknown("key", str(error["loc"][-1]), owner.model_fields)
    elif "input" in error and error["type"] != "missing":
        message += f", found {error['input']!r}"[:80]
    return f"{path}:{line}: {place}: {message}"
