"""The typed settings of one model: an entry of models.yaml, which models.py reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from evalsuite.common.finite import not_finite
from evalsuite.common.secrets import hide
from evalsuite.types import SAMPLING

TokenCount = Annotated[int, Field(ge=0, le=10**9)]


class StrictSettings(BaseModel):
    """A frozen settings class: an unknown key, a value of another type, NaN or infinity is an error.

    The docstrings of its fields are the help that editors show.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )

    @field_validator("*")
    @classmethod
    def _finite(cls, value: Any) -> Any:
        """Refuse NaN and infinity, also inside dicts that the suite passes on unread."""
        if where := not_finite(value):
            raise ValueError(f"{where}: expected a finite number")
        return value


def _number_or_text(schema: dict[str, Any]) -> None:
    """Allow a text such as 2e-4, too: YAML 1.1 reads a number without a dot as a text."""
    number = {key: schema.pop(key) for key in ("type", "exclusiveMinimum")}
    schema["anyOf"] = [number, {"type": "string", "pattern": r"^[0-9.]+[eE][-+]?[0-9]+$"}]


def _suggested(*names: str) -> Callable[[dict[str, Any]], None]:
    """Have editors suggest these names for a field that takes any text."""

    def extra(schema: dict[str, Any]) -> None:
        schema["anyOf"] = [{"enum": [*names]}, {"type": schema.pop("type")}]

    return extra


class Generation(StrictSettings):
    """Settings of generation (docs/sampling.md). The default is greedy decoding."""

    max_new_tokens: int | None = Field(default=None, ge=1)
    """The longest reply in tokens, thoughts included, for all tasks. Default: each task's own limit."""
    stop: list[Annotated[str, Field(min_length=1)]] = []
    """Texts; a reply ends before the first one of them."""
    temperature: float | None = Field(default=0.0, ge=0)
    """0 is greedy, above 0 samples; null is not sent (endpoints only)."""
    top_p: float = Field(default=1.0, gt=0, le=1)
    """Sample from the likeliest tokens that together have this probability; 1: from all. Needs a temperature."""
    top_k: int = Field(default=0, ge=0)
    """Sample from so many of the likeliest tokens; 0: from all. Needs a temperature."""
    repetition_penalty: float = Field(default=1.0, gt=0)
    """Above 1, tokens that stand in prompt or reply already become less likely; also changes greedy decoding."""
    beams: int = Field(default=1, ge=1)
    """Beams of a beam search; 1: none. Not for endpoints, nor with a temperature."""
    samples: int = Field(default=1, ge=1)
    """Replies to each request, with seeds of their own. Needs a temperature."""
    seed: int | None = Field(default=0, ge=0, lt=2**31)
    """The seed of all samples; null is not sent (endpoints only)."""
    batch_tokens: int = Field(default=16384, ge=1)
    """The most tokens of a batch: prompts, replies and padding (hf only). Lower it if memory runs out."""

    @property
    def changed(self) -> list[str]:
        """The names in SAMPLING whose settings are not those of greedy decoding."""
        return [name for name in SAMPLING if getattr(self, name) != Generation.model_fields[name].default]

    @property
    def decoding(self) -> dict[str, Any] | Literal["greedy"]:
        """The settings by which tokens are chosen, part of a reply's key in the store: "greedy", or those that differ from it.

        `samples` is not among them: a further sample changes no earlier one.
        """
        names = [name for name in self.changed if name not in ("temperature", "samples", "seed")]
        names += ["temperature", "seed"] if self.temperature else []
        return {name: getattr(self, name) for name in names} or "greedy"


class HF(StrictSettings):
    """Settings of transformers."""

    attention: str | None = Field(default=None, examples=["sdpa", "eager", "flash_attention_2"])
    """sdpa, eager, flash_attention_2 … Default: transformers' choice."""
    static_cache: bool = False
    """A cache of fixed size; with compile, fewer and larger kernels on a GPU."""
    compile: bool = False
    """Compile the network with torch.compile."""
    threads: int | None = Field(default=None, ge=1)
    """CPU threads. Default: all that this process may use."""


class VLLM(StrictSettings):
    """Settings of vLLM, under vLLM's own names."""

    tensor_parallel_size: int = Field(default=1, ge=1)
    """GPUs that share the model's weights."""
    max_model_len: int | None = Field(default=None, ge=1)
    """The longest prompt and reply together, in tokens. Default: the checkpoint's."""
    gpu_memory_utilization: float = Field(default=0.9, gt=0, le=1)
    """The share of the GPU's memory that vLLM takes; on a CPU, of main memory."""
    max_num_seqs: int = Field(default=256, ge=1)
    """Replies generated at once."""
    quantization: str | None = Field(default=None, examples=["awq", "gptq", "fp8"])
    """awq, gptq, fp8 … Default: as the checkpoint says."""
    enforce_eager: bool = False
    """Without CUDA graphs: starts sooner, runs slower."""
    max_lora_rank: int = Field(default=64, ge=1)
    """The largest rank of an adapter."""
    engine: dict[str, Any] = {}
    """Other arguments of vllm.LLM; part of the model's fingerprint."""


class Finetune(StrictSettings):
    """Settings with which `evalsuite finetune` trains a LoRA adapter (docs/finetune.md). The defaults suit a 7B model."""

    rank: int = Field(default=16, ge=1)
    """Rank of the adapter."""
    alpha: float = Field(default=32, gt=0)
    """The adapter's weights are scaled by alpha / rank."""
    dropout: float = Field(default=0.05, ge=0, lt=1)
    """Dropout of the adapter's input; 0 for mixtures of experts."""
    target_modules: str | list[str] = "all-linear"
    """all-linear: all linear layers except the head; or names such as q_proj."""
    learning_rate: float = Field(default=2e-4, gt=0, json_schema_extra=_number_or_text)
    """The largest learning rate."""
    epochs: int = Field(default=3, ge=1)
    """Passes over the training items."""
    schedule: Literal["cosine", "linear", "constant", "constant_with_warmup"] = "cosine"
    """The schedule by which the learning rate falls."""
    warmup: float = Field(default=0.03, ge=0, lt=1)
    """The share of all steps in which the learning rate rises."""
    weight_decay: float = Field(default=0, ge=0)
    """Weight decay of AdamW."""
    max_grad_norm: float = Field(default=1, gt=0)
    """Gradients with a larger norm are clipped to this one."""
    batch: int = Field(default=4, ge=1)
    """Rows per device."""
    gradient_accumulation: int = Field(default=4, ge=1)
    """Batches per optimizer step."""
    gradient_checkpointing: bool = True
    """A third slower, much less memory."""
    bf16: bool | None = None
    """Train in bfloat16. Default: on GPUs that support it."""
    max_length: int | None = Field(default=2048, ge=1)
    """The most tokens of prompt and answer; longer items are left out and counted."""
    checkpoint_steps: int = Field(default=100, ge=1)
    """Steps between checkpoints: the most that a killed sweep loses."""

    @field_validator("learning_rate", mode="before")
    @classmethod
    def _exponent(cls, value: Any) -> Any:
        """Accept strings: YAML 1.1 reads 2e-4 (no dot) as a string."""
        try:
            return float(value) if isinstance(value, str) else value
        except ValueError:
            return value


class Price(StrictSettings):
    """Price of a million tokens, in any one currency."""

    input: float = Field(ge=0)
    """The price of a million tokens of prompts."""
    output: float = Field(ge=0)
    """The price of a million tokens of replies, thoughts included."""


class BatchAPI(StrictSettings):
    """Settings of an endpoint's batch API (docs/endpoints.md). The defaults are OpenAI's."""

    discount: float = Field(default=0.5, ge=0, lt=1)
    """Share of the price that a batch costs less."""
    requests: int = Field(default=50_000, ge=1)
    """The most lines of a file."""
    megabytes: float = Field(default=200, gt=0)
    """The largest size of a file, in millions of bytes."""
    at_once: int = Field(default=20, ge=1)
    """The most batches under way."""
    window: str = Field(default="24h", min_length=1)
    """`completion_window` of a batch: when the endpoint gives up."""
    endpoint: str | None = None
    """`url` of each line; null: /v1/chat/completions or /v1/completions."""
    poll: float = Field(default=60, gt=0)
    """The most seconds between two looks at a batch; the first looks come sooner."""
    patience: float = Field(default=6 * 3600, gt=0)
    """Seconds without any useful answer, after which the run stops."""


_SECRET = re.compile(
    r"(?i:.*(secret|passw|authori[sz]ation|credential|bearer|cookie|api.?key).*|(.*[^a-z])?(key|token|auth))|.*[a-z](Key|Token)"
)
_NO_SECRET = {"prompt_cache_key", "bos_token", "eos_token", "pad_token", "unk_token"}


def _secret_names(value: Any) -> Iterator[str]:
    """Names at any depth that look like those of secrets: x-api-key, accessToken, Authorization … but not budget_tokens."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if _SECRET.fullmatch(str(name)) and name not in _NO_SECRET:
                yield str(name)
            yield from _secret_names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _secret_names(inner)


# The fields of a request that evalsuite sets itself.
_OURS = (
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
)
_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
_ADDRESS = r"https?://[^\s@?#]+"


class API(StrictSettings):
    """An OpenAI-compatible endpoint (docs/endpoints.md)."""

    base_url: str = Field(default="https://api.openai.com/v1", json_schema_extra={"pattern": f"^{_ADDRESS}$"})
    """Address of the server, usually with /v1 at its end. No user, password or query: keys belong in key_env."""
    key_env: str | None = Field(default="OPENAI_API_KEY", json_schema_extra={"pattern": f"^{_VARIABLE}$"})
    """Name of the environment variable that holds the API key, never the key itself; null: no key."""
    max_concurrency: int = Field(default=32, ge=1)
    """Requests under way at once."""
    requests_per_minute: float | None = Field(default=None, gt=0)
    """The most requests in a minute. Default: no limit."""
    tokens_per_minute: float | None = Field(default=None, gt=0)
    """The most tokens in a minute. Default: no limit."""
    timeout: float = Field(default=120, gt=0)
    """Seconds per request."""
    attempts: int = Field(default=6, ge=1)
    """Attempts per request, including the first."""
    backoff: float = Field(default=1, gt=0)
    """Seconds before the second attempt, then doubling; the server's Retry-After takes precedence."""
    temperature: Annotated[float, Field(ge=0)] | Literal["generation"] | None = Field(default="generation")
    """An older name of generation.temperature; "generation": not given here."""
    reasoning_tokens: int = Field(default=0, ge=0)
    """Added to each task's limit on the reply, for models that think first."""
    price: Price | None = None
    """Price of a million tokens, in any one currency: for --budget and the costs that a run shows."""
    batch: BatchAPI | None = None
    """true, or settings: ask through the batch API; null or false: directly."""
    parameters: dict[str, Any] = Field(default={}, json_schema_extra={"propertyNames": {"not": {"enum": [*_OURS]}}})
    """Sent unchanged with every request, e.g. {enable_thinking: false}."""

    @property
    def charged(self) -> Price | None:
        """The prices per million tokens, less the discount if requests go as batches; None: no price is given."""
        if self.price is None or self.batch is None:
            return self.price
        share = 1 - self.batch.discount
        return Price(input=self.price.input * share, output=self.price.output * share)

    @field_validator("batch", mode="before")
    @classmethod
    def _on_or_off(cls, value: Any) -> Any:
        return {True: BatchAPI(), False: None}[value] if isinstance(value, bool) else value

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, value: str) -> str:
        if not re.fullmatch(_ADDRESS, value):
            raise ValueError("expected http://… or https://…, without user, password or query: keys belong in key_env")
        return value.rstrip("/")

    @field_validator("key_env")
    @classmethod
    def _a_variable(cls, value: str | None) -> str | None:
        # The value may be a key that was pasted here by mistake, so the message does not quote it.
        if value is not None and (not re.fullmatch(_VARIABLE, value) or hide(value) != value):
            raise ValueError(
                "expected the name of an environment variable, of letters, digits and _, and not a key itself"
            )
        return value

    @field_validator("parameters")
    @classmethod
    def _not_ours(cls, value: dict[str, Any]) -> dict[str, Any]:
        if taken := sorted({*_OURS} & value.keys()):
            raise ValueError(
                f"{', '.join(taken)}: set by evalsuite (reasoning_tokens under api, the others, "
                "such as max_new_tokens, stop, temperature and top_p, under generation)"
            )
        for name in _secret_names(value):
            raise ValueError(
                f"{name}: looks like a secret, and parameters are published in results.json; keys belong in key_env"
            )
        return value


# The settings that a vLLM engine is created with. All others concern prompts, decoding, adapters or names.
_OF_THE_ENGINE = {"path", "hub", "revision", "trust_remote_code", "dtype", "device", "vllm"}
# Models that `--model` and `--baselines` name beside those of any models.yaml.
BASELINES = ("random", "majority", "lexical", "oracle")


def _of_an_entry(schema: dict[str, Any]) -> None:
    """Add to the schema of `Model` the checks of its validators that a schema can state; drop the long defaults of sections."""
    for field in schema["properties"].values():
        if "$ref" in field:
            field.pop("default", None)
    chat_template = {"properties": {"chat_template": {"type": "string"}}, "required": ["chat_template"]}
    baseline = {"properties": {"backend": {"const": "baseline"}}, "required": ["backend"]}
    schema["allOf"] = [
        {"if": chat_template, "then": {"properties": {"chat": {"const": True}}, "required": ["chat"]}},
        {"if": baseline, "then": {"properties": {"path": {"enum": [*BASELINES]}}}},
    ]


class Model(StrictSettings):
    """A model to run: one entry under `models:`."""

    model_config = ConfigDict(json_schema_extra=_of_an_entry)

    name: str = Field(min_length=1)
    """The model's name in tables and on the page, each once in a file."""
    backend: str = Field(json_schema_extra=_suggested("hf", "vllm", "openai", "scripted", "baseline"))
    """hf: transformers on this machine; vllm: vLLM on this machine; openai: any OpenAI-compatible endpoint; scripted: replies
    from a file; baseline: no model; or another package's."""
    path: str
    """hf and vllm: a folder (relative to this file), a hub id such as Qwen/Qwen3-8B, or bundled:models/tiny-zh. openai: the
    name that the endpoint knows the model by. scripted: a file of replies, or a folder of recorded ones. baseline: random,
    majority, lexical or oracle."""
    hub: Literal["huggingface", "modelscope"] = "huggingface"
    """The hub that a hub id is fetched from."""
    chat: bool = False
    """Use the model's own chat template, with shots as turns. Needed for chat models; false for base models."""
    chat_template: str | None = Field(default=None, min_length=1)
    """A chat format for a checkpoint without one: a Jinja text, or a file beside this one that holds it. Needs chat: true."""
    chat_template_kwargs: dict[str, Any] = {}
    """Arguments of the chat template, e.g. {enable_thinking: false}."""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """Precision of the network. auto: on a GPU bfloat16, on a CPU the checkpoint's own; CPUs with bfloat16 are faster in it."""
    device: str = Field(default="auto", examples=["auto", "cpu", "cuda", "cuda:1"])
    """auto, cpu, cuda, cuda:1 … (hf)."""
    revision: str | None = None
    """Branch, tag or commit of a hub id."""
    adapter: str | None = None
    """A LoRA adapter on top of the model: a folder or a hub id."""
    trust_remote_code: bool = False
    """Run the Python files of the checkpoint. Only for checkpoints whose code you have read."""
    generation: Generation = Generation()
    hf: HF = HF()
    vllm: VLLM = VLLM()
    api: API = API()
    finetune: Finetune = Finetune()
    trained: dict[str, Any] | None = None
    """The adapter's training data, written by `evalsuite finetune`; copied to results.json."""
    tasks: list[str] | None = None
    """The only tasks of a run to ask this model, by name, short name or benchmark. Default: all."""
    shots: list[int] | None = Field(default=None, json_schema_extra={"minItems": 1, "items": {"minimum": 0}})
    """Numbers of shots for this model, in place of --shots."""
    prompt: str | None = Field(default=None, min_length=1)
    """A wording for this model, in place of --prompt."""
    system: str | None = Field(default=None, min_length=1)
    """A system message before every prompt of a benchmark's task; a wording's own follows it. For a base model it begins the
    text. Prompts to judges and second readers have none."""
    tags: list[str] = []
    """Words by which the page groups and filters models: 8B, base …"""
    family: str | None = None
    """The model's family, e.g. qwen, to detect judges of their own family. Default: from name or path."""

    @model_validator(mode="after")
    def _one_temperature(self) -> Model:
        """Move `api.temperature`, an older name, to `generation.temperature`."""
        older, generation = self.api.temperature, self.generation
        if older != "generation" and older != generation.temperature:
            if "temperature" in generation.model_fields_set:
                raise ValueError(
                    f"generation.temperature is {generation.temperature} and api.temperature is {older}: keep the first, "
                    "api.temperature is its older name"
                )
            object.__setattr__(self, "generation", Generation(**{**generation.model_dump(), "temperature": older}))
        return self

    @model_validator(mode="after")
    def _settings_agree(self) -> Model:
        """Refuse settings that contradict each other or have no effect."""
        generation = self.generation
        if generation.beams > 1 and (generation.temperature != 0 or generation.samples > 1):
            raise ValueError("generation.beams: beam search is not random; it needs temperature 0 and samples 1")
        for name in generation.changed:
            if generation.temperature == 0 and name in ("top_p", "top_k", "samples"):
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

    @property
    def engine_key(self) -> str:
        """A key of the settings that a vLLM engine is created with; equal for models that can share one."""
        return self.model_dump_json(include=_OF_THE_ENGINE)
