"""Each family of models/*.yaml, as a tiny random network of its architecture: it loads, renders its chat format, answers, and
trains a LoRA step whose adapter loads again."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from tiers import thorough_but

from evalsuite.backends.checkpoint import Checkpoint
from evalsuite.backends.hf.backend import HuggingFace
from evalsuite.backends.model import Finetune, Generation, Model
from evalsuite.backends.models import load_models
from evalsuite.common.resources import bundled
from evalsuite.finetuning import training
from evalsuite.parse.strip import after_thinking
from evalsuite.types import Message, Request

needs("finetune", "torch", "transformers", "peft")
pytestmark = pytest.mark.slow

SMALL = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2, "max_position_embeddings": 256}
HEADS = {"num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16}
LATENT = {"q_lora_rank": None, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 16}
EXPERTS = {"n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
GROUPS = {"n_group": 1, "topk_group": 1, "first_k_dense_replace": 1}
CHATML = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant{{ '\n' }}"

# family -> configuration class, its sizes, chat format (of the checkpoint, unless a file of models/), "甲" rendered in it,
# end of turn
FAMILIES: dict[str, tuple[str, dict[str, Any], str, str, str]] = {
    "qwen3": (
        "Qwen3Config", {**SMALL, **HEADS},
        CHATML + "{% if enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}",
        "<|im_start|>user\n甲<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n", "<|im_end|>",
    ),
    "qwen3.5": (
        "Qwen3_5TextConfig",
        {**SMALL, **HEADS, "layer_types": ["linear_attention", "full_attention"], "linear_key_head_dim": 8,
         "linear_value_head_dim": 8, "linear_num_key_heads": 2, "linear_num_value_heads": 2},
        CHATML, "<|im_start|>user\n甲<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>",
    ),
    "qwen3-moe": (
        "Qwen3MoeConfig", {**SMALL, **HEADS, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16},
        CHATML, "<|im_start|>user\n甲<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>",
    ),
    "deepseek-v2": (
        "DeepseekV2Config", {**SMALL, "num_attention_heads": 2, "num_key_value_heads": 2, **LATENT, **EXPERTS, **GROUPS},
        "<｜begin▁of▁sentence｜>{% for m in messages %}{{ 'User: ' + m.content + '\n\nAssistant:' }}{% endfor %}",
        "<｜begin▁of▁sentence｜>User: 甲\n\nAssistant:", "<｜end▁of▁sentence｜>",
    ),
    "deepseek-v3": (
        "DeepseekV3Config", {**SMALL, "num_attention_heads": 2, "num_key_value_heads": 2, **LATENT, **EXPERTS, **GROUPS},
        "<｜begin▁of▁sentence｜>{% for m in messages %}<｜User｜>{{ m.content }}<｜Assistant｜>{% endfor %}</think>",
        "<｜begin▁of▁sentence｜><｜User｜>甲<｜Assistant｜></think>", "<｜end▁of▁sentence｜>",
    ),
    "glm-4": (
        "Glm4Config", {**SMALL, **HEADS, "pad_token_id": 0},
        "[gMASK]<sop>{% for m in messages %}<|{{ m.role }}|>\n{{ m.content }}{% endfor %}<|assistant|>{{ '\n' }}",
        "[gMASK]<sop><|user|>\n甲<|assistant|>\n", "<|user|>",
    ),
    "glm-4.5": (
        "Glm4MoeConfig", {**SMALL, **HEADS, **EXPERTS, **GROUPS, "pad_token_id": 0},
        "[gMASK]<sop>{% for m in messages %}<|{{ m.role }}|>\n{{ m.content }}{% endfor %}<|assistant|>\n"
        "{% if enable_thinking is false %}<think></think>\n{% endif %}",
        "[gMASK]<sop><|user|>\n甲<|assistant|>\n<think></think>\n", "<|user|>",
    ),
    "internlm3": (
        "InternLM3Config", {**SMALL, **HEADS},
        "<s>" + CHATML, "<s><|im_start|>user\n甲<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>",
    ),
    "hunyuan": (
        "HunYuanDenseV1Config", {**SMALL, **HEADS},
        "<｜hy_begin▁of▁sentence｜>{% for m in messages %}<｜hy_User｜>{{ m.content }}{% endfor %}<｜hy_Assistant｜>",
        "<｜hy_begin▁of▁sentence｜><｜hy_User｜>甲<｜hy_Assistant｜>", "<｜hy_place▁holder▁no▁2｜>",
    ),
    "minicpm3": (
        "MiniCPM3Config",
        {**SMALL, "num_attention_heads": 2, "num_key_value_heads": 2, **LATENT, "q_lora_rank": 16, "head_dim": 8},
        CHATML, "<|im_start|>user\n甲<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>",
    ),
    "llama": (
        "LlamaConfig", {**SMALL, **HEADS},
        "<|begin_of_text|>{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>\n\n{{ m.content }}<|eot_id|>"
        "{% endfor %}<|start_header_id|>assistant<|end_header_id|>{{ '\n\n' }}",
        "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\n甲<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>",
    ),
    "gemma3": (
        "Gemma3TextConfig", {**SMALL, **HEADS, "sliding_window": 64},
        "<bos>{% for m in messages %}<start_of_turn>{{ m.role }}\n{{ m.content }}<end_of_turn>\n{% endfor %}"
        "<start_of_turn>model{{ '\n' }}",
        "<bos><start_of_turn>user\n甲<end_of_turn>\n<start_of_turn>model\n", "<end_of_turn>",
    ),
    "seed-oss": (
        "SeedOssConfig", {**SMALL, **HEADS},
        "{% for m in messages %}<seed:bos>{{ m.role }}\n{{ m.content }}<seed:eos>{% endfor %}<seed:bos>assistant{{ '\n' }}",
        "<seed:bos>user\n甲<seed:eos><seed:bos>assistant\n", "<seed:eos>",
    ),
    "bloom": (  # the architecture of BELLE
        "BloomConfig", {"hidden_size": 32, "n_layer": 2, "n_head": 2, "seq_length": 256},
        "belle.jinja", "Human: 甲\n\nAssistant:", "</s>",
    ),
    "chinese-alpaca": (
        "LlamaConfig", {**SMALL, **HEADS},
        "alpaca.jinja",
        "<s>Below is an instruction that describes a task. Write a response that appropriately completes the request.\n\n"
        "### Instruction:\n\n甲\n\n### Response:\n\n", "</s>",
    ),
}  # fmt: skip


def checkpoint(folder: Path, tiny: Path, family: str) -> Model:
    """A checkpoint of the family with tiny-zh's tokenizer and the family's special tokens."""
    import torch
    import transformers

    name, sizes, template, rendered, end = FAMILIES[family]
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny)
    marks = re.findall(r"<[^<>\s]+>|\[gMASK\]", rendered + end)
    tokenizer.add_special_tokens({"extra_special_tokens": list(dict.fromkeys(marks)), "eos_token": end})
    tokenizer.bos_token = marks[0]
    tokenizer.chat_template = None if template.endswith(".jinja") else template
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = getattr(transformers, name)(vocab_size=len(tokenizer), eos_token_id=tokenizer.eos_token_id, **sizes)
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    entry = f"models:\n  - {{name: {family}, backend: hf, path: ., chat: true, device: cpu, dtype: float32"
    if template.endswith(".jinja"):
        entry += f", chat_template: 'bundled:models/{template}'"
    (folder / "models.yaml").write_text(entry + ", chat_template_kwargs: {enable_thinking: false}}\n")
    return load_models(folder / "models.yaml")[0]


@pytest.mark.parametrize("family", thorough_but(2, FAMILIES))
def test_a_family_answers_and_trains(family: str, tiny: Path, tmp_path: Path) -> None:
    model = checkpoint(tmp_path, tiny, family)
    rendered, end = FAMILIES[family][3:]
    request = Request("i/0", "甲", (Message("user", "甲"),), 6)
    backend = HuggingFace(model)
    tokenizer = backend.checkpoint.tokenizer
    assert backend.checkpoint.text(request) == rendered
    assert tokenizer.decode(backend.ids(request)) == rendered
    assert backend.context == 256 and tokenizer.convert_tokens_to_ids(end) in backend.checkpoint.stop_ids
    # prompts of two lengths: the batch is padded
    asked = [request, Request("i/1", "甲乙丙", (Message("user", "甲乙丙"),), 6)]
    replies = dict(chain.from_iterable(backend.generate(asked, [False] * 2)))
    assert [replies[n].error for n in (0, 1)] == [None, None] and replies[0].new_tokens > 0

    settings = Finetune(
        rank=2, dropout=0, batch=2, gradient_accumulation=1, epochs=1, bf16=False, gradient_checkpointing=False
    )
    trained = model.model_copy(update={"finetune": settings})
    rows = [training.training_row(backend.checkpoint, each, "乙") for each in asked]
    card = training.train(
        trained, Checkpoint(trained), rows, 1, tmp_path / "adapter", {"base": family, "task": "t", "size": 2, "seed": 1}
    )
    assert card["steps"] == 1 and card["loss"][1] > 0
    HuggingFace(model.model_copy(update={"adapter": str(tmp_path / "adapter")}))


@pytest.mark.parametrize(
    ("marks", "written"),
    [
        (("<|channel|>", "<|message|>"), "<|channel|>analysis<|message|>想<|im_end|><|channel|>final<|message|>甲"),
        (("<|channel>", "<channel|>"), "<|channel>thought\n想<channel|>甲"),
        (("<think>", "</think>"), "<think>想</think>甲"),
    ],
    ids=["gpt-oss", "gemma4", "think"],
)
def test_thoughts_between_special_tokens_reach_the_reader(
    marks: tuple[str, str], written: str, tiny: Path, tmp_path: Path
) -> None:
    """Decoding without special tokens would make thoughts part of the answer."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny)
    tokenizer.add_special_tokens({"extra_special_tokens": list(marks)})
    tokenizer.save_pretrained(tmp_path)
    (tmp_path / "config.json").write_bytes((tiny / "config.json").read_bytes())
    made = Checkpoint(Model(name="m", backend="hf", path=str(tmp_path), generation=Generation()))
    made.stop_ids = []
    text = made.reply(made.encode(written), 1, 99).text
    ((start, end),), inside = after_thinking(text)
    assert text[start:end] == "甲" and not inside and "<|im_end|>" not in text


def test_chat_templates_of_the_shipped_models_render_shots_as_turns(tiny: Path) -> None:
    turns = tuple(Message(role, text) for role, text in (("user", "甲"), ("assistant", "乙"), ("user", "丙")))
    request = Request("i/0", "", turns, 4)
    expected = {
        "belle": "Human: 甲\n\nAssistant: 乙\n\nHuman: 丙\n\nAssistant:",
        "alpaca": "甲\n\n### Response:\n\n乙\n\n### Instruction:\n\n丙\n\n### Response:\n\n",
    }
    for name, text in expected.items():
        template = bundled(f"models/{name}.jinja").read_text(encoding="utf-8")
        model = Model(name="m", backend="hf", path=str(tiny), chat=True, chat_template=template)
        assert Checkpoint(model).text(request).endswith(text)
