"""Load networks and adapters, and raise an error if any of their weights are missing.

transformers initialises tensors that a checkpoint lacks at random, peft leaves those of an adapter at their initial values, and
both only warn. This module raises a BackendError that names the tensors. Other exceptions become a BackendError, too, except
out-of-memory errors, which callers handle.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from traceback import walk_tb
from typing import Any

from evalsuite.common.errors import BackendError

log = logging.getLogger(__name__)
_SHOWN = 8  # the most names of tensors in a message
WAY_ROUND = "serve the model with the transformers release that its code was written for, and use backend: openai"

# Buffers that transformers' own classes compute, so a checkpoint may lack them.
_COMPUTED = re.compile(r"(^|\.)(position_ids|inv_freq)$")
# Tensors that a quantised checkpoint may lack: group indices, zero points of symmetric schemes, activation scales.
_OPTIONAL = re.compile(r"\.(g_idx|qzeros|\w*zero_point|(input|output|[qkv](_proj)?)_scale)$")


def load_network(auto: Any, path: str, owner: str, *, encoder: bool = False, **arguments: Any) -> Any:
    """Load the network in the folder or hub repository `path`.

    `auto`: a class of transformers with `from_pretrained`, which gets the `arguments`. `owner` begins messages ("model
    NAME"). `encoder`: only an encoder's last hidden states are used, so its pooler and a decoder may be missing.
    Raises BackendError if it cannot be loaded, or if tensors are missing or differ in shape from the network's.
    """
    with as_backend_errors(f"{owner}: cannot load {path}", arguments.get("trust_remote_code", False)):
        net, info = auto.from_pretrained(path, output_loading_info=True, ignore_mismatched_sizes=True, **arguments)
    if getattr(net, "_hf_peft_config_loaded", False):
        raise BackendError(
            f"{owner}: {path} holds an adapter beside the network or in its place; give the network's folder as path, and "
            "the adapter's as adapter"
        )
    _refuse_incomplete(net, info, f"{owner}: cannot load {path}", encoder)
    _let_write(net)
    return net


def _let_write(net: Any) -> None:
    """Add `generate` to a network that a checkpoint's own, older code defines.

    transformers 5.23 does so only when it loads the code for the first time in a process.
    """
    if type(net).__module__.startswith("transformers_modules.") and not net.can_generate():
        from transformers import GenerationConfig
        from transformers.models.auto.auto_factory import add_generation_mixin_to_remote_model

        net.__class__ = add_generation_mixin_to_remote_model(type(net))
        if net.can_generate():
            net.generation_config = GenerationConfig.from_model_config(net.config)


def add_adapter(net: Any, adapter: str, owner: str, **arguments: Any) -> Any:
    """`net` with the adapter in the folder or hub repository `adapter`, for inference.

    For `arguments` see `load_adapter_weights`. Raises BackendError if peft is not installed or the adapter cannot be loaded.
    """
    try:
        import peft
    except ImportError as error:
        raise BackendError(f"{owner}: an adapter needs `pip install 'evalsuite[finetune]'` ({error})") from None
    with as_backend_errors(f"{owner}: cannot load adapter {adapter}"):
        config = peft.PeftConfig.from_pretrained(adapter)
        config.inference_mode = True
        net = peft.get_peft_model(net, config)
    load_adapter_weights(net, adapter, owner, **arguments)
    return net


def load_adapter_weights(net: Any, adapter: str, owner: str, **arguments: Any) -> None:
    """Load the weights of a peft network's active adapter from the folder or hub repository `adapter`.

    `arguments` go to peft's `load_adapter`. Raises BackendError if the adapter cannot be read, if tensors are missing or
    differ in shape, or if it has tensors for modules that the network lacks.
    """
    what = f"{owner}: cannot load adapter {adapter}"
    prompts = net.active_peft_config.is_prompt_learning
    with as_backend_errors(what):
        # As in PeftModel.from_pretrained: transformers 5 renamed modules of some networks.
        names = {} if prompts else getattr(net.get_base_model(), "_checkpoint_conversion_mapping", {})
        loaded = net.load_adapter(adapter, net.active_adapter, key_mapping=names, **arguments)
    if prompts:  # `loaded` does not list its one tensor; peft raises if it is missing
        return
    # A vector bank is stored once and shared by all layers.
    missing = sorted(name for name in loaded.missing_keys if "vblora_vector_bank" not in name)
    unknown = sorted(loaded.unexpected_keys)
    if missing or unknown:
        parts = [f"{_count(missing)} missing in it ({_some(missing)})"] if missing else []
        if unknown:
            parts.append(f"{_count(unknown)} for modules that the network does not have ({_some(unknown)})")
        raise BackendError(f"{what}: {', and '.join(parts)}; was it made for another network, or renamed?")


def check_tensors(
    config: Any, shapes: Mapping[str, Sequence[int]] | None, path: str, owner: str, adapter: str | None, code: bool
) -> None:
    """Check names and shapes of a causal LM's tensors, and its adapter, for an engine that has a loader of its own (vLLM).

    No tensor is read: the network is built on torch's meta device. `config`: the checkpoint's; `shapes`: tensor name ->
    shape, None if unknown. `code`: trust_remote_code. Raises BackendError like `load_network` and `add_adapter`.
    Not checked: quantised checkpoints, which need their engine's libraries, and networks that transformers cannot build.
    """
    import torch
    from transformers import AutoModelForCausalLM

    quantised = getattr(config, "quantization_config", None)
    info: Mapping[str, Collection[Any]] = {}
    try:
        with torch.device("meta"):
            net = AutoModelForCausalLM.from_config(config, trust_remote_code=code)
        if shapes is not None and not quantised and type(net).__name__ in (config.architectures or ()):
            net, info = type(net).from_pretrained(
                None,
                config=config,
                state_dict={name: torch.empty(tuple(shape), device="meta") for name, shape in shapes.items()},
                device_map="meta",  # needs accelerate, as peft does
                output_loading_info=True,
                ignore_mismatched_sizes=True,
            )
    except Exception as error:  # the engine may be able to load it all the same
        log.warning("%s: %s is loaded without a check of its tensors: %s%s", owner, path, error, _unconverted(error))
        return
    if info:
        _refuse_incomplete(net, info, f"{owner}: cannot load {path}")
    if adapter:
        add_adapter(net, adapter, owner, torch_device="cpu")


def _refuse_incomplete(net: Any, info: Mapping[str, Collection[Any]], what: str, encoder: bool = False) -> None:
    """Raise BackendError if tensors are missing or differ in shape. `info`: from_pretrained's output_loading_info."""
    missing = sorted(name for name in info["missing_keys"] if not _dispensable(net, name, encoder))
    shapes = sorted(info["mismatched_keys"])
    if not missing and not shapes:
        return
    parts = [f"{_count(missing)} missing in the checkpoint ({_some(missing)})"] if missing else []
    if shapes:
        differing = [f"{name}: {tuple(there)}, not {tuple(needed)}" for name, there, needed in shapes]
        parts.append(f"{_count(shapes)} of another shape than the network's ({_some(differing)})")
    if missing and (unknown := sorted(info["unexpected_keys"])):
        parts.append(f"{_count(unknown)} that the network does not know ({_some(unknown)})")
    raise BackendError(f"{what}: {'; '.join(parts)}. Their weights would be random: mend or fetch the checkpoint again")


def _dispensable(net: Any, name: str, encoder: bool) -> bool:
    """Whether a tensor may be missing. Tied weights are not asked about: transformers does not list them as missing."""
    if getattr(net.config, "quantization_config", None) and _OPTIONAL.search(name):
        return True
    if encoder and (
        name.startswith("pooler.") or (getattr(net.config, "is_encoder_decoder", False) and name.startswith("decoder."))
    ):
        return True
    if not type(net).__module__.startswith("transformers."):  # buffers of custom code are not recomputed on loading
        return False
    # Pegasus and others compute their position embeddings; checkpoints of transformers 4 lack them.
    return bool(_COMPUTED.search(name)) or "Sinusoidal" in type(net.get_submodule(name.rpartition(".")[0])).__name__


def is_out_of_memory(error: Exception) -> bool:
    """Whether an exception of torch says that memory ran out: some of them are plain RuntimeErrors."""
    import torch

    message = str(error)  # an "illegal memory access" is a fault of a kernel, and no smaller batch avoids it
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or (
        "memory" in message and "memory access" not in message
    )


@contextmanager
def as_backend_errors(what: str, own_code: bool = False) -> Iterator[None]:
    """Turn every exception in the block, except out-of-memory errors, into a BackendError. `own_code`: trust_remote_code."""
    import torch

    try:
        with warnings.catch_warnings():
            # peft uses a name that transformers 5 deprecates, and compares paths with those of the training.
            warnings.filterwarnings("ignore", ".*gradient_checkpointing", FutureWarning)
            warnings.filterwarnings("ignore", ".*base_model_name_or_path")
            warnings.filterwarnings("ignore", ".*to a meta parameter")  # check_tensors loads onto torch's meta device
            yield
    except (torch.OutOfMemoryError, MemoryError):
        raise
    except OSError as error:
        message = " ".join(str(error).split())  # the hub client's messages have several lines
        raise BackendError(f"{what}: {message}") from None
    except (ValueError, ImportError) as error:
        message = str(error).partition("\nModel type should be one of")[0]  # transformers lists all it has, in 3 kB
        raise BackendError(f"{what}: {message}{way_round(own_code)}") from None
    except (Exception, SystemExit) as error:  # torch, safetensors and a checkpoint's own code share no base class
        log.info("%s", what, exc_info=True)
        raise BackendError(
            f"{what}: {type(error).__name__}: {error}{_unconverted(error)}{way_round(own_code)}"
        ) from None


def way_round(own_code: bool) -> str:
    """Advice, to end an error message, if a checkpoint's own code (trust_remote_code) may be the cause; else ""."""
    return f". If the checkpoint's own code is older than this transformers: {WAY_ROUND}" if own_code else ""


def _unconverted(error: BaseException) -> str:
    """Names of tensors that transformers could not convert (such as merged experts), which it reports in its log only."""
    for frame, _ in walk_tb(error.__traceback__):
        if names := getattr(frame.f_locals.get("loading_info"), "conversion_errors", None):
            return f" ({_some(sorted(names))})"
    return ""


def _count(names: Collection[Any]) -> str:
    return "1 tensor" if len(names) == 1 else f"{len(names)} tensors"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
