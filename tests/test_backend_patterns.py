"""Replies held to a regular expression (scoring constrained), on the embedded model. Judged by Python's own `re`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from responses import responses
from tiers import thorough_but

from evalsuite.backends.hf.backend import HuggingFace
from evalsuite.backends.model import Generation, Model
from evalsuite.benchmarks.glucose import slots as slots
from evalsuite.types import Message, Request

needs("hf", "torch", "llguidance")

PLAIN = [
    "是|否",
    "[一-龥]{2,4}",
    "因为[^。\\n]{1,12}。",
    "(?:in|in front of) the car",
    "[0-9]{3}-[0-9]{4}",
    "🙂{3}",  # more than one token, each half a character
]  # fmt: skip
GLUCOSE = [make(d) for d in range(1, 11) for make in (slots.statement, slots.prompted)]


def constrained_request(pattern: str, prompt: str = "Gage was riding his bike. 请回答：", room: int = 40) -> Request:
    return Request("g/0", prompt, (Message("user", prompt),), room, scoring="constrained", pattern=pattern)


@pytest.fixture(scope="module", params=thorough_but(1, ["chat", "base"]))
def hf(tiny: Path, request: pytest.FixtureRequest) -> HuggingFace:
    generation = Generation(batch_tokens=600)  # several rows per batch, several batches
    return HuggingFace(
        Model(name="t", backend="hf", path=str(tiny), dtype="float32", device="cpu", chat=request.param == "chat", generation=generation)
    )  # fmt: skip


def is_beginning(pattern: str, text: str) -> bool:
    """Whether some text that begins so matches: Python's `re` cannot tell, `regex` can."""
    return bool(pytest.importorskip("regex", reason="needs evalsuite[hf]").fullmatch(pattern, text, partial=True))


@pytest.mark.slow
@pytest.mark.parametrize("patterns", [PLAIN, GLUCOSE], ids=["plain", "glucose"])
def test_replies_match_or_are_cut(hf: HuggingFace, patterns: list[str]) -> None:
    asked = [constrained_request(p) for p in patterns]
    replies = responses(hf, asked)
    for pattern, reply in zip(patterns, replies, strict=True):
        assert reply.error is None and reply.text
        if reply.finish == "stop":
            assert re.fullmatch(pattern, reply.text), (pattern, reply.text)
        else:
            assert (reply.finish, reply.new_tokens) == ("length", 40)
            assert is_beginning(pattern, reply.text.rstrip("\ufffd")), (pattern, reply.text)
    assert {r.finish for r in replies} >= {"stop"}
    free = responses(hf, [replace(r, scoring="generate", pattern="") for r in asked])
    assert sum(bool(re.fullmatch(p, r.text)) for p, r in zip(patterns, free, strict=True)) < len(patterns) / 2


def test_a_reply_is_the_greedy_one_of_what_may_be_said(hf: HuggingFace) -> None:
    """The reply is the likeliest of four words of one token each: nothing else of the probabilities is touched."""
    import torch

    words = [w for w in ("他", "我", "天", "不", "是", "人") if len(hf.checkpoint.tokenizer(w)["input_ids"]) == 1]
    assert len(words) >= 4
    request = constrained_request("|".join(words))
    with torch.inference_mode():
        logits = hf.net(torch.tensor([hf.ids(request)])).logits[0, -1]
    best = max(words, key=lambda w: float(logits[hf.checkpoint.tokenizer(w)["input_ids"][0]]))
    assert [r.text for r in responses(hf, [request])] == [best]


def test_a_reply_that_matches_may_end(hf: HuggingFace) -> None:
    """A reply that matches the pattern may end, or go on where the pattern allows it. Here the model ends it."""
    (short,) = responses(hf, [constrained_request("是[^\\s\\S]?")])
    assert (short.text, short.finish, short.new_tokens) == ("是", "stop", 2)


@pytest.mark.slow
def test_replies_do_not_hang_on_the_batch(hf: HuggingFace) -> None:
    asked = [constrained_request(p, room=room) for p in PLAIN for room in (6, 24)]
    assert [responses(hf, [r])[0] for r in asked] == responses(hf, asked)


@pytest.mark.parametrize("pattern", ["(", "a(?=b)", "(.)\\1"])
def test_a_pattern_that_cannot_be_used_fails_alone(hf: HuggingFace, pattern: str) -> None:
    good, bad = responses(hf, [constrained_request("是|否"), constrained_request(pattern)])
    assert good.text in ("是", "否")
    assert (bad.finish, bad.text) == ("error", "") and f"pattern {pattern!r}" in (bad.error or "")


def test_with_neither_options_nor_a_pattern(hf: HuggingFace) -> None:
    (reply,) = responses(hf, [constrained_request("")])
    assert "neither options nor a pattern" in (reply.error or "")


def test_choices_and_patterns_in_a_batch_keep_their_own_form(hf: HuggingFace) -> None:
    """Should one cell hold both, each row is held to its own."""
    choice = replace(constrained_request(""), options=("甲", "乙"), labels=("(a)", "(b)"))
    alone = responses(hf, [choice])[0]
    assert alone.text.strip() in ("a", "b", "(a)", "(b)")
    both = responses(hf, [choice, constrained_request("是|否")])
    assert both[0].text.strip() in ("a", "b", "(a)", "(b)") and both[1].text in ("是", "否")


def test_without_the_library_it_says_what_to_install(hf: HuggingFace, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from evalsuite.backends.hf.pattern import Patterns

    monkeypatch.setitem(sys.modules, "llguidance.hf", None)
    monkeypatch.setattr(hf, "_patterns", Patterns(hf.checkpoint))
    (reply,) = responses(hf, [constrained_request("是|否")])
    assert "pip install 'evalsuite[hf]'" in (reply.error or "")


def sentencepiece(words: list[str]) -> Callable[[], Any]:
    """A tokenizer like Llama 2's: spaces are ▁, and what has no token is bytes."""

    def tokenizer() -> Any:
        import transformers
        from tokenizers import Tokenizer, decoders, models, normalizers

        vocabulary = ["<unk>", "<s>", "</s>", *(f"<0x{n:02X}>" for n in range(256)), *words]
        bpe = models.BPE({w: n for n, w in enumerate(vocabulary)}, [], unk_token="<unk>", byte_fallback=True)
        found = Tokenizer(bpe)
        found.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        found.decoder = decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        )
        return transformers.PreTrainedTokenizerFast(
            tokenizer_object=found, bos_token="<s>", eos_token="</s>", unk_token="<unk>"
        )

    return tokenizer


def test_a_tokenizer_of_pieces_and_bytes(tmp_path: Path) -> None:
    """A network with random weights and more rows than tokens; 是 has no token of its own."""
    import torch
    import transformers

    words = sentencepiece(["▁", "a", "b", "▁a", "▁b"])()
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(words) + 7, hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        bos_token_id=1, eos_token_id=2, max_position_embeddings=128,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(tmp_path)
    words.save_pretrained(tmp_path)
    backend = HuggingFace(Model(name="l", backend="hf", path=str(tmp_path), dtype="float32", device="cpu"))
    patterns = ["ab{2} a", "是{2}", "(?:a|b){3}"]
    for pattern, reply in zip(
        patterns, responses(backend, [constrained_request(p, "a b") for p in patterns]), strict=True
    ):
        assert reply.finish == "stop" and re.fullmatch(pattern, reply.text), (pattern, reply)
