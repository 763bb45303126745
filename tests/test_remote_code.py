"""Checkpoints with code of their own (trust_remote_code): loaded by what their config maps, or refused with the way round."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml
from as_json import cells_of
from needs import needs

import evalsuite
from evalsuite.backends.checkpoint import Checkpoint
from evalsuite.backends.hf.backend import HuggingFace
from evalsuite.backends.model import Finetune, Model
from evalsuite.common.errors import BackendError
from evalsuite.finetuning import training
from evalsuite.types import Message, Request

needs("hf", "torch", "transformers")

CONFIGURATION = """
from transformers import PretrainedConfig

class OwnConfig(PretrainedConfig):
    model_type = "own"

    def __init__(self, vocab_size=4800, max_sequence_length=1024, **others):
        self.vocab_size, self.max_sequence_length, self.num_hidden_layers = vocab_size, max_sequence_length, 1
        super().__init__(**others)
"""
# As code of 2023: it inherits PreTrainedModel alone, and names the inputs of generate.
MODELING = """
import torch
from transformers import PreTrainedModel
from transformers.modeling_outputs import CausalLMOutputWithPast
from .configuration_own import OwnConfig

class OwnModel(PreTrainedModel):
    config_class = OwnConfig

    def __init__(self, config):
        super().__init__(config)
        self.embed = torch.nn.Embedding(config.vocab_size, 8)
        self.post_init()

class OwnForConditionalGeneration(PreTrainedModel):
    config_class = OwnConfig

    def __init__(self, config):
        super().__init__(config)
        self.embed = torch.nn.Embedding(config.vocab_size, 8)
        self.head = torch.nn.Linear(8, config.vocab_size, bias=False)
        self.post_init()

    def forward(self, input_ids, attention_mask=None, labels=None, **kwargs):
        logits = self.head(self.embed(input_ids))
        loss = None if labels is None else torch.nn.functional.cross_entropy(logits[:, :-1].mT, labels[:, 1:])
        return CausalLMOutputWithPast(loss=loss, logits=logits)

    def prepare_inputs_for_generation(self, input_ids, **kwargs):
        return {"input_ids": input_ids}
"""
TOKENIZER = """
from transformers import PreTrainedTokenizerFast

class OwnTokenizer(PreTrainedTokenizerFast):
    def _pad(self, inputs, max_length=None):
        return super()._pad(inputs)
"""
WRITES = "modeling_own.OwnForConditionalGeneration"
WAY_ROUND = "serve the model with the transformers release that its code was written for, and use backend: openai"


@pytest.fixture(autouse=True)
def modules(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """transformers copies the code of checkpoints into a folder of its own: here a temporary one."""
    folder = tmp_path_factory.getbasetemp() / "modules"
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(folder))
    yield


def checkpoint(folder: Path, tiny: Path, auto_map: dict[str, str], **files: str) -> Model:
    """A checkpoint with the tokenizer of tiny-zh. `files`: name -> text of further .py files, which may replace the
    files above."""
    import torch
    from safetensors.torch import save_file

    folder.mkdir()
    shutil.copy(tiny / "tokenizer.json", folder)
    tokenizer = json.loads((tiny / "tokenizer_config.json").read_text())
    if "tokenization_own" in files:
        tokenizer |= {"auto_map": {"AutoTokenizer": [None, "tokenization_own.OwnTokenizer"]}}
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    maps = {"AutoConfig": "configuration_own.OwnConfig", **auto_map}
    (folder / "config.json").write_text(json.dumps({"model_type": "own", "auto_map": maps}))
    for name, text in {"configuration_own": CONFIGURATION, "modeling_own": MODELING, **files}.items():
        (folder / f"{name}.py").write_text(text)
    torch.manual_seed(0)
    save_file({name: torch.randn(4800, 8) for name in ("embed.weight", "head.weight")}, folder / "model.safetensors")
    return Model(name="m", backend="hf", path=str(folder), device="cpu", trust_remote_code=True)


def request_for(text: str = "甲乙丙丁") -> Request:
    return Request("i/0", text, (Message("user", text),), 4)


@pytest.mark.parametrize("name", ["AutoModelForCausalLM", "AutoModelForSeq2SeqLM", "AutoModel"])
def test_what_the_config_maps_is_loaded(name: str, tiny: Path, tmp_path: Path) -> None:
    """GLM-10B and ChatGLM-6B do so: they are mapped to AutoModelForSeq2SeqLM, but the reply continues the prompt."""
    backend = HuggingFace(checkpoint(tmp_path / name, tiny, {name: WRITES}))
    assert type(backend.net).__name__ == "OwnForConditionalGeneration" and backend.context == 1024
    ((_, reply),) = chain.from_iterable(backend.generate([request_for()], [False]))
    assert reply.error is None and reply.new_tokens == 4 and "甲乙" not in reply.text
    assert Checkpoint(backend.checkpoint.model).auto.__name__ == name


FORMATS = {  # chat formats of the paper's models with code of their own -> "甲" in it
    "chatglm": (
        "{% for m in messages %}{% if m.role == 'user' %}[Round {{ loop.index // 2 + 1 }}]\n\n问：{{ m.content }}\n\n答："
        "{% else %}{{ m.content + '\n\n' }}{% endif %}{% endfor %}",
        "[Round 1]\n\n问：甲\n\n答：",
    ),
    "moss": (
        "{% for m in messages %}{% if m.role == 'user' %}<|Human|>: {{ m.content }}<eoh>\n<|MOSS|>:"
        "{% else %} {{ m.content }}<eom>\n{% endif %}{% endfor %}",
        "<|Human|>: 甲<eoh>\n<|MOSS|>:",
    ),
    "baichuan": ("{{ messages | map(attribute='content') | join }}", "甲"),
}


@pytest.mark.parametrize("family", FORMATS)
def test_it_is_given_a_format_and_trains(family: str, tiny: Path, tmp_path: Path) -> None:
    pytest.importorskip("peft", reason="needs evalsuite[finetune]")
    template, rendered = FORMATS[family]
    settings = Finetune(rank=2, batch=2, gradient_accumulation=1, epochs=1, bf16=False, gradient_checkpointing=False)
    settings = settings.model_copy(update={"target_modules": ["head"]})
    own = checkpoint(tmp_path / family, tiny, {"AutoModelForCausalLM": WRITES})
    model = own.model_copy(update={"chat": True, "chat_template": template, "finetune": settings})
    backend = HuggingFace(model)
    assert backend.checkpoint.text(request_for("甲")) == rendered
    ((_, reply),) = chain.from_iterable(backend.generate([request_for("甲")], [False]))
    assert reply.error is None
    rows = [training.training_row(backend.checkpoint, request_for("甲"), "乙")] * 2
    made_by = {"base": "m", "task": "t", "size": 2, "seed": 1}
    card = training.train(model, Checkpoint(model), rows, 1, tmp_path / "adapter", made_by)
    assert card["steps"] == 1 and card["loss"][1] > 0
    HuggingFace(model.model_copy(update={"adapter": str(tmp_path / "adapter")}))


def test_without_trust_it_is_refused(tiny: Path, tmp_path: Path) -> None:
    model = checkpoint(tmp_path / "own", tiny, {"AutoModel": WRITES})
    with pytest.raises(BackendError, match=r"model m: cannot load [\s\S]*trust_remote_code=True"):
        HuggingFace(model.model_copy(update={"trust_remote_code": False}))


CANNOT: list[tuple[str, dict[str, str], dict[str, str], str]] = [
    (
        "headless",
        {"AutoModel": "modeling_own.OwnModel"},
        {},
        rf"model m: transformers cannot write with OwnModel; {WAY_ROUND}",
    ),
    (
        "other_kind",
        {"AutoModelForSequenceClassification": WRITES},
        {},
        rf"model m: .* no network that writes \(auto_map in config.json: .*Classification\); {WAY_ROUND}",
    ),
    (
        "removed_name",
        {"AutoModel": WRITES},
        {"modeling_own": "from transformers.modeling_utils import gone"},
        rf"model m: cannot load .*'gone'.*own code is older than this transformers: {WAY_ROUND}",
    ),
    (
        "tokenizer",
        {"AutoModel": WRITES},
        {"tokenization_own": TOKENIZER.replace("def _pad", "def __init__(self): raise TypeError('old')\n    def _pad")},
        rf"model m: cannot load .*TypeError: .*{WAY_ROUND}",
    ),
    (
        "exit",
        {"AutoModel": WRITES},
        {"configuration_own": "import sys; sys.exit('transformers is too new')"},
        rf"model m: cannot load .*SystemExit: transformers is too new.*{WAY_ROUND}",
    ),
    (
        "forward",
        {"AutoModel": WRITES},
        {"modeling_own": MODELING.replace("def forward(self, input_ids", "def forward(self, input_ids, position_ids")},
        rf"model m: TypeError: .*position_ids.*{WAY_ROUND}",
    ),
]


@pytest.mark.parametrize(("name", "auto_map", "files", "message"), CANNOT, ids=[row[0] for row in CANNOT])
def test_whatever_it_raises_is_the_models_problem(
    name: str, auto_map: dict[str, str], files: dict[str, str], message: str, tiny: Path, tmp_path: Path
) -> None:
    """The run goes on with the other models, and says in one line what to do."""
    model = checkpoint(tmp_path / name, tiny, auto_map, **files)
    entries: list[dict[str, Any]] = [
        model.model_dump(exclude_defaults=True),
        {"name": "lexical", "backend": "baseline", "path": "lexical"},
    ]
    (tmp_path / "models.yaml").write_text(yaml.safe_dump({"models": entries}))
    done = evalsuite.run(tmp_path / "models.yaml", tasks=["event_cause"], limit=1, set="easy", out=tmp_path / "out")
    problem = done.problems[0]
    assert re.search(message, problem), problem
    assert "\n" not in problem
    assert [c["status"] for c in cells_of(done) if c["model"] == "lexical"] == [{"parsed": 1}]
