"""No network with random weights is evaluated or trained: checkpoints and adapters with tensors missing, misnamed or of
another shape."""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from as_json import cells_of
from needs import needs
from tiers import thorough_but

import evalsuite
from evalsuite.authoring.discriminator import NetworkFeatures
from evalsuite.backends import registry
from evalsuite.backends.base import Backend, Replies, WithoutEngine
from evalsuite.backends.checkpoint import Checkpoint, folder_hash
from evalsuite.backends.hf.backend import HuggingFace
from evalsuite.backends.model import Finetune, Model
from evalsuite.common.errors import BackendError
from evalsuite.common.weights import as_backend_errors, load_network
from evalsuite.finetuning import training
from evalsuite.metrics import semsim
from evalsuite.types import Request

needs("hf", "torch", "transformers")

UP = "model.layers.1.mlp.up_proj.weight"
Tensors = dict[str, Any]


def changed_copy(
    source: Path, folder: Path, change: Callable[[Tensors], Tensors], file: str = "model.safetensors"
) -> Path:
    """A copy of a checkpoint or an adapter, with its tensors changed."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(source, folder)
    save_file(change(load_file(source / file)), folder / file, {"format": "pt"})
    return folder


def without_tensors(name: str) -> Callable[[Tensors], Tensors]:
    return lambda tensors: {key: value for key, value in tensors.items() if name not in key}


def with_prefix(tensors: Tensors) -> Tensors:
    return {f"module.{name}": value for name, value in tensors.items()}


def narrower(tensors: Tensors) -> Tensors:
    """The first tensor and the one of a layer, each without its last column."""
    cut = {next(iter(tensors)), UP} & tensors.keys()
    return {name: value[..., :-1].contiguous() if name in cut else value for name, value in tensors.items()}


def with_head_names(tensors: Tensors) -> Tensors:
    """The tensors with the head's name for the tied weights."""
    return {name.replace("model.embed_tokens", "lm_head"): value for name, value in tensors.items()}


def without_prefix(tensors: Tensors) -> Tensors:
    """The tensors under the names that they have in the checkpoint of a network without a head."""
    return {name.removeprefix("model."): value for name, value in tensors.items()}


def in_half_precision(tensors: Tensors) -> Tensors:
    return {name: value.half() for name, value in tensors.items()}


def with_further_tensor(tensors: Tensors) -> Tensors:
    import torch

    return {**tensors, "mtp.weight": torch.zeros(3)}


def model_of(path: Path, **more: Any) -> Model:
    return Model(**{"name": "m", "backend": "hf", "path": str(path), "dtype": "float32", "device": "cpu", **more})


# change of the tensors -> words of the message; None: nothing is wrong
CHECKPOINTS: list[tuple[Callable[[Tensors], Tensors], str | None]] = [
    (without_tensors(UP), rf"1 tensor missing in the checkpoint \({UP}\)"),
    (without_tensors("embed_tokens"), r"2 tensors missing .*lm_head.weight, model.embed_tokens.weight"),
    (with_prefix, r"55 tensors missing .* and 47 more\); 54 tensors that the network does not know \(module.model"),
    (narrower, rf"2 tensors of another shape .*{UP}: \(512, 191\), not \(512, 192\)"),
    (lambda tensors: {}, r"55 tensors missing"),
    (with_head_names, None),
    (without_prefix, None),
    (in_half_precision, None),
    (with_further_tensor, None),
]
NAMES = ["one missing", "tied missing", "prefix", "shape", "empty", "tied head", "no prefix", "dtype", "unknown"]


@pytest.mark.slow
@pytest.mark.parametrize(("change", "message"), thorough_but(2, CHECKPOINTS), ids=NAMES)
def test_broken_checkpoints_are_refused(
    change: Callable[[Tensors], Tensors],
    message: str | None,
    tiny: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Broken weights are refused on hf, by finetune, and before vLLM is started."""
    path = changed_copy(tiny, tmp_path / "net", change)
    monkeypatch.setattr("evalsuite.backends.vllm.backend.Engine", Started)
    ways: list[Callable[[], Any]] = [
        lambda: HuggingFace(model_of(path)),
        lambda: training._network(model_of(path), Checkpoint(model_of(path)), False),
        lambda: registry.load_backend(model_of(path, backend="vllm")),
    ]
    pytest.importorskip("peft", reason="needs evalsuite[finetune]")
    for way in ways:
        if message:
            with pytest.raises(BackendError, match=f"model m: cannot load {path}: {message}"):
                way()
        else:
            way()
    assert not caplog.records


def test_weights_that_are_no_numbers_give_no_replies(tiny: Path, tmp_path: Path) -> None:
    import torch

    path = changed_copy(
        tiny, tmp_path / "net", lambda tensors: {n: torch.full_like(x, torch.nan) for n, x in tensors.items()}
    )
    models = tmp_path / "models.yaml"
    models.write_text(f"models:\n  - {{name: m, backend: hf, path: {path}, chat: true, device: cpu}}\n")
    answered = evalsuite.run(models, tasks=["event_cause"], set="hard", limit=1, out=tmp_path / "run", baselines=())
    assert any("logits are all NaN" in problem for problem in answered.problems)


class Started:
    """vLLM, had it come so far."""

    context, lora, facts = 2048, True, {"dtype": "float32"}

    def __init__(self, model: Model, checkpoint: Checkpoint) -> None: ...

    def adapter(self, model: Model) -> None: ...

    def close(self) -> None: ...


def test_what_cannot_be_read(tiny: Path, tmp_path: Path) -> None:
    """A broken download, and files of another kind."""
    broken = changed_copy(tiny, tmp_path / "net", dict)
    (broken / "model.safetensors").write_bytes((tiny / "model.safetensors").read_bytes()[:-100])
    for load in (HuggingFace, lambda m: training._network(m, Checkpoint(m), False)):
        with pytest.raises(BackendError, match=r"model m: cannot load .*: SafetensorError: .*incomplete"):
            load(model_of(broken))
    (broken / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(BackendError, match=r"model m: cannot load .*: SafetensorError"):
        HuggingFace(model_of(broken))
    (broken / "model.safetensors").unlink()
    (broken / "pytorch_model.bin").write_bytes(b"no pickle of tensors either")
    with pytest.raises(BackendError, match="model m: cannot load "):
        HuggingFace(model_of(broken))


def test_broken_shards_are_refused(tiny: Path, tmp_path: Path) -> None:
    import transformers

    net = transformers.AutoModelForCausalLM.from_pretrained(tiny)
    shutil.copytree(tiny, tmp_path / "net")
    (tmp_path / "net" / "model.safetensors").unlink()
    net.save_pretrained(tmp_path / "net", max_shard_size="3MB")
    assert HuggingFace(model_of(tmp_path / "net")).parameters
    index = tmp_path / "net" / "model.safetensors.index.json"
    content = json.loads(index.read_text())
    shard = sorted(set(content["weight_map"].values()))[-1]
    kept = {name: file for name, file in content["weight_map"].items() if file != shard}
    index.write_text(json.dumps({**content, "weight_map": kept}))
    with pytest.raises(BackendError, match=r"tensors missing in the checkpoint \(model\.layers"):
        HuggingFace(model_of(tmp_path / "net"))


def test_missing_experts_are_named(tmp_path: Path, tiny: Path) -> None:
    """transformers stacks them; the one that is missing is told by the name of the stack."""
    import transformers

    config = transformers.MixtralConfig(
        vocab_size=4800, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=2,
        intermediate_size=16, num_local_experts=3,
    )  # fmt: skip
    shutil.copytree(tiny, tmp_path / "whole")
    transformers.MixtralForCausalLM(config).save_pretrained(tmp_path / "whole")
    HuggingFace(model_of(tmp_path / "whole"))
    broken = changed_copy(tmp_path / "whole", tmp_path / "broken", without_tensors("experts.1.w1"))
    with pytest.raises(BackendError, match=r"cannot load .*model\.layers\.0\.mlp\.experts\.gate_up_proj"):
        HuggingFace(model_of(broken))


def test_encoder_decoders_may_lack_computed_tables(tiny: Path, tmp_path: Path) -> None:
    """A table of positions that Pegasus computes may be missing, a layer may not."""
    import torch
    import transformers

    small = {"vocab_size": 4800, "d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "max_position_embeddings": 64}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16}
    config = transformers.PegasusConfig(**small, **heads, pad_token_id=0, eos_token_id=2)
    shutil.copytree(tiny, tmp_path / "whole")
    transformers.PegasusForConditionalGeneration(config).save_pretrained(tmp_path / "whole")
    whole = HuggingFace(model_of(tmp_path / "whole")).net.state_dict()
    lean = HuggingFace(
        model_of(changed_copy(tmp_path / "whole", tmp_path / "lean", without_tensors("embed_positions")))
    ).net.state_dict()
    assert all(torch.equal(whole[name], lean[name]) for name in whole)
    broken = changed_copy(tmp_path / "whole", tmp_path / "broken", without_tensors("encoder.layers.0.fc1.weight"))
    with pytest.raises(
        BackendError, match=r"1 tensor missing in the checkpoint \(model\.encoder\.layers\.0\.fc1\.weight"
    ):
        HuggingFace(model_of(broken))


@pytest.fixture(scope="module")
def lora(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    import transformers

    peft = pytest.importorskip("peft", reason="needs evalsuite[finetune]")
    torch.manual_seed(0)
    net = transformers.AutoModelForCausalLM.from_pretrained(tiny, dtype=torch.float32)
    config = peft.LoraConfig(r=4, target_modules="all-linear", init_lora_weights=False, task_type="CAUSAL_LM")
    folder = tmp_path_factory.mktemp("adapters") / "lora"
    peft.get_peft_model(net, config).save_pretrained(folder)
    return folder


LAYER = "base_model.model.model.layers.1.self_attn.q_proj.lora_A"
ADAPTERS: list[tuple[Callable[[Tensors], Tensors], str | None]] = [
    (dict, None),
    (without_tensors(LAYER), rf"1 tensor missing in it \({LAYER}"),
    (lambda tensors: {}, r"56 tensors missing in it"),
    (
        with_prefix,
        r"56 tensors missing in it .* and 56 tensors for modules that the network does not have \(module.base",
    ),
    (
        lambda tensors: {
            **tensors,
            (name := f"{LAYER}.weight").replace("layers.1", "layers.9"): tensors[name].clone(),
        },
        r"1 tensor for modules that the network does not have \(base_model.model.model.layers.9",
    ),
    (narrower, r"RuntimeError: [\s\S]*size mismatch for base_model.model.model.layers.0"),
]


@pytest.mark.parametrize(
    ("change", "message"), ADAPTERS, ids=["good", "one missing", "empty", "prefix", "one too many", "shape"]
)
def test_broken_adapters_are_refused(
    change: Callable[[Tensors], Tensors],
    message: str | None,
    tiny: Path,
    lora: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    recwarn: pytest.WarningsRecorder,
) -> None:
    """Broken adapters are refused on hf, before vLLM is started, and where finetune continues from a checkpoint."""
    import torch
    import transformers
    from peft import PeftModel

    path = changed_copy(lora, tmp_path / "adapter", change, "adapter_model.safetensors")
    monkeypatch.setattr("evalsuite.backends.vllm.backend.Engine", Started)
    for backend in ("hf", "vllm"):
        model = model_of(tiny, adapter=str(path), backend=backend)
        if message:
            with pytest.raises(BackendError, match=f"model m: cannot load adapter {path}: {message}"):
                registry.load_backend(model)
        else:
            loaded = registry.load_backend(model)
            if isinstance(loaded, HuggingFace):
                net = transformers.AutoModelForCausalLM.from_pretrained(tiny, dtype=torch.float32)
                theirs, ours = PeftModel.from_pretrained(net, path).state_dict(), loaded.net.state_dict()
                assert theirs.keys() == ours.keys() and all(torch.equal(theirs[name], ours[name]) for name in ours)
    assert not [w for w in recwarn if "adapter keys" in str(w.message) or "meta parameter" in str(w.message)]


def test_what_is_no_adapter(tiny: Path, lora: Path, tmp_path: Path) -> None:
    """An adapter is refused if its weights are cut off or of no known type, or if the network's own folder holds one."""
    path = tmp_path / "adapter"
    shutil.copytree(lora, path)
    (path / "adapter_model.safetensors").write_bytes((lora / "adapter_model.safetensors").read_bytes()[:-100])
    with pytest.raises(BackendError, match=r"model m: cannot load adapter .*: SafetensorError"):
        HuggingFace(model_of(tiny, adapter=str(path)))
    config = json.loads((path / "adapter_config.json").read_text())
    (path / "adapter_config.json").write_text(json.dumps({**config, "peft_type": "NEW"}))
    with pytest.raises(BackendError, match=r"model m: cannot load adapter .*: KeyError: 'NEW'"):
        HuggingFace(model_of(tiny, adapter=str(path)))
    shutil.copytree(lora, tmp_path / "both")
    shutil.copytree(tiny, tmp_path / "both", dirs_exist_ok=True)
    with pytest.raises(BackendError, match="both holds an adapter beside the network"):
        HuggingFace(model_of(tmp_path / "both"))


@pytest.mark.slow
def test_a_training_goes_on_from_whole_checkpoints_only(tiny: Path, tmp_path: Path) -> None:
    pytest.importorskip("accelerate", reason="needs evalsuite[finetune]")
    settings = Finetune(rank=2, batch=1, gradient_accumulation=1, epochs=1, checkpoint_steps=1, bf16=False)
    model = model_of(tiny, finetune=settings)
    rows = [training.TrainingRow((5, 6, 7, 2), 2)] * 3
    made_by = {"base": "m", "task": "t", "size": 3, "seed": 1}

    def stopped(step: training.Step) -> None:
        if step.step == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        training.train(model, Checkpoint(model), rows, 1, tmp_path / "a", made_by, stopped)
    (start,) = (tmp_path / "a" / "checkpoints").glob("checkpoint-*")
    whole = (start / "adapter_model.safetensors").read_bytes()
    for change, message in (
        (without_tensors(LAYER), rf"1 tensor missing in it \({LAYER}"),
        (with_prefix, "56 tensors missing"),
    ):
        from safetensors.torch import load, save_file

        save_file(change(load(whole)), start / "adapter_model.safetensors", {"format": "pt"})
        with pytest.raises(BackendError, match=f"model m: cannot load adapter {start}: {message}"):
            training.train(model, Checkpoint(model), rows, 1, tmp_path / "a", made_by)
    (start / "adapter_model.safetensors").write_bytes(whole)
    resumed = training.train(model, Checkpoint(model), rows, 1, tmp_path / "a", made_by)
    unbroken = training.train(model, Checkpoint(model), rows, 1, tmp_path / "b", made_by)
    assert resumed["adapter_sha256"] == unbroken["adapter_sha256"]


def test_encoders_may_lack_a_pooler(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A discriminator's, and that of semantic similarity: nobody reads a pooler, so it may be missing."""
    import transformers

    config = transformers.BertConfig(
        vocab_size=4800, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    whole = tmp_path / "whole"
    shutil.copytree(tiny, whole)
    transformers.BertForMaskedLM(config).save_pretrained(whole)
    broken = changed_copy(whole, tmp_path / "broken", without_tensors("query.weight"))
    assert NetworkFeatures(model_of(whole))([("甲[MASK]", "乙"), ("甲[MASK]", "丙")]).shape == (2, 16)
    missing = r"1 tensor missing in the checkpoint \(encoder\.layer\.0\.attention\.self\.query\.weight\)"
    with pytest.raises(BackendError, match=f"discriminator m: cannot load {broken}: {missing}"):
        NetworkFeatures(model_of(broken))([("甲[MASK]", "乙")])

    class Library:
        class SentenceTransformer:
            def __init__(self, *args: Any, **more: Any) -> None: ...

            encode = staticmethod(len)

    monkeypatch.setattr(semsim, "import_module", lambda name: Library)
    (whole / "1_Pooling").mkdir()
    (whole / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    for folder in (whole, broken):
        (folder / "modules.json").write_text("[]")
    assert semsim.load_encoder(str(whole)).name == "whole"
    with pytest.raises(BackendError, match=f"encoder {broken}: cannot load {broken}: {missing}"):
        semsim.load_encoder(str(broken))


def test_one_broken_model_does_not_stop_a_run(tiny: Path, tmp_path: Path) -> None:
    changed_copy(tiny, tmp_path / "missing", without_tensors(UP))
    (changed_copy(tiny, tmp_path / "torn", dict) / "model.safetensors").write_bytes(b"12345678{")
    (tmp_path / "models.yaml").write_text(
        "models:\n"
        "  - {name: lexical, backend: baseline, path: lexical}\n"
        "  - {name: missing, backend: hf, path: missing, chat: true}\n"
        "  - {name: torn, backend: hf, path: torn, chat: true}\n"
        "  - {name: random, backend: baseline, path: random}\n"
    )
    done = evalsuite.run(tmp_path / "models.yaml", tasks=["event_cause"], limit=3, out=tmp_path / "out")
    assert done.exit_code == 1
    missing, torn = done.problems
    assert missing.startswith("model missing: cannot load ") and UP in missing
    assert torn.startswith("model torn: cannot load ") and "SafetensorError" in torn
    assert [(c["model"], c["set"], sum(c["status"].values())) for c in cells_of(done)] == [
        (name, item_set, 3) for name in ("lexical", "random") for item_set in ("easy", "hard")
    ]
    assert UP in (tmp_path / "out" / "run.log").read_text()


def test_whatever_an_engine_raises_is_its_models_problem(caplog: pytest.LogCaptureFixture) -> None:
    models = [Model(name=name, backend="baseline", path="random") for name in ("one", "two")]

    def engine(model: Model) -> Backend:
        if model.name == "one":
            raise KeyError("peft_type")
        return registry.load_backend(model)

    caplog.set_level(logging.INFO, "evalsuite")
    (_, error), (_, two) = list(registry.load_in_turn(models, engine))
    assert isinstance(error, BackendError) and str(error) == "model one: KeyError: 'peft_type'"
    assert not isinstance(two, BackendError)
    assert "Traceback" in caplog.text


class _NeverCloses(WithoutEngine):
    """A backend whose engine cannot be closed, as after an error of the GPU."""

    fingerprint = "test"
    settings: ClassVar[dict[str, Any]] = {}

    def generate(self, requests: Sequence[Request], done: Sequence[bool]) -> Replies:
        return iter(())

    def close(self) -> None:
        raise RuntimeError("CUDA error")


def test_an_engine_that_does_not_close_is_no_problem_of_other_models(caplog: pytest.LogCaptureFixture) -> None:
    models = [Model(name=name, backend="baseline", path="random") for name in ("one", "two")]
    backends = [backend for _, backend in registry.load_in_turn(models, lambda model: _NeverCloses())]
    assert [type(backend) for backend in backends] == [_NeverCloses] * 2
    assert caplog.messages == ["an engine did not close: RuntimeError: CUDA error"] * 2


def hash_of_earlier_versions(folder: Path) -> str:
    """The hash of a folder as all stored replies of ordinary models have it in their keys."""
    suffixes = {".json", ".safetensors", ".bin", ".jinja", ".model", ".txt"}
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.iterdir() if p.suffix in suffixes):
        digest.update(f"{path.name}:{path.stat().st_size}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def test_ordinary_folders_keep_their_hash(tiny: Path, lora: Path, tmp_path: Path) -> None:
    assert folder_hash(tiny) == folder_hash(tiny, code=True) == hash_of_earlier_versions(tiny)
    assert folder_hash(tiny) == "7175fd8c6c31a9929197b6a830f9a87ecc8773db040ccee8e6fe88fa7caf34d6"
    assert folder_hash(lora) == hash_of_earlier_versions(lora)
    net = tmp_path / "net"
    shutil.copytree(tiny, net)
    for name in ("modeling.py", "optimizer.pt", "README.md", "original/consolidated.00.pth", "original/params.json"):
        (net / name).parent.mkdir(exist_ok=True)
        (net / name).write_text("no part of a reply")
    assert folder_hash(net) == hash_of_earlier_versions(tiny)


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("qwen.tiktoken", False),
        ("source.spm", False),
        ("bpe.codes", False),
        ("merges.txt", False),
        ("additional_chat_templates/tool_use.jinja", False),
        ("parts/model-2.safetensors", False),
        ("modeling.py", True),
        ("layers/attention.py", True),
        ("weights.pt", True),
    ],
)
def test_every_file_that_is_read_counts(file: str, code: bool, tiny: Path, tmp_path: Path) -> None:
    net = tmp_path / "net"
    shutil.copytree(tiny, net)
    (net / "model.safetensors.index.json").write_text('{"weight_map": {"a": "parts/model-2.safetensors"}}')
    hashes = [folder_hash(net, code)]
    for content in ("one", "two"):
        (net / file).parent.mkdir(exist_ok=True)
        (net / file).write_text(content)
        hashes.append(folder_hash(net, code))
    assert len(set(hashes)) == 3


def test_weights_of_other_suffixes_count_where_they_are_the_only_ones(tmp_path: Path) -> None:
    (tmp_path / "adapter_model.pt").write_text("one")
    one = folder_hash(tmp_path)
    (tmp_path / "adapter_model.pt").write_text("two")
    assert folder_hash(tmp_path) != one
    (tmp_path / "adapter_model.bin").write_text("weights")
    assert folder_hash(tmp_path) == hash_of_earlier_versions(tmp_path)


@pytest.mark.slow
def test_a_network_that_writes_no_text_is_refused_in_a_line(tmp_path: Path) -> None:
    import transformers

    transformers.CLIPConfig().save_pretrained(tmp_path)
    with pytest.raises(BackendError, match="CLIPConfig") as refused:
        load_network(transformers.AutoModelForCausalLM, str(tmp_path), "model m")
    assert len(str(refused.value).replace(str(tmp_path), "")) < 250


def test_why_a_model_cannot_be_loaded_is_one_line() -> None:
    with pytest.raises(BackendError) as found, as_backend_errors("model m: cannot load a/b"):
        raise OSError("No connection.\nCheck it at\n 'https://x'.")
    assert str(found.value) == "model m: cannot load a/b: No connection. Check it at 'https://x'."
