"""Probes (scoring nll) on causal and on encoder-decoder networks: every number against a plain transformers loop."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from coders import save_bart, save_t5
from needs import needs
from responses import responses

from evalsuite.backends.base import LocalModel
from evalsuite.backends.checkpoint import nll_response
from evalsuite.backends.hf.backend import HuggingFace
from evalsuite.backends.hf.seq2seq import continuations
from evalsuite.backends.model import Generation, Model
from evalsuite.common.errors import BackendError
from evalsuite.types import Message, Request

needs("hf", "torch")

PAIRS = [
    (("今天下雨了，因为有云。B: ", "我要带伞。"), ("今天下雨了，因为没有云。B: ", "我要带伞。")),
    (("甲", "乙"), ("甲。", "乙")),
    (("", "天气很好"), ("今天", "是星期一，我要去上班，你呢？")),
    (("A: 你好 B: ", "再见"), ("A: 你好吗 B: ", "再见。"), ("A: ", "好。")),  # a probe may have three pairs
]


def probe(*pairs: tuple[str, str], number: int = 0) -> Request:
    return Request(f"p/{number}", "", (Message("user", ""),), 64, scoring="nll", pairs=pairs)


def tokenizer(opening: str = "") -> Any:
    """One token per character, </s> behind each text, as T5's; with `opening` <s> before it, as BART's."""
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    texts = "".join(chain.from_iterable(chain.from_iterable(chain.from_iterable(PAIRS))))
    words = ["<pad>", "</s>", "<unk>", "<s>", *sorted(set(texts + "人"))]
    made = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    made.post_processor = processors.TemplateProcessing(
        f"{opening} $A </s>".strip(), special_tokens=[("</s>", 1), ("<s>", 3)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", bos_token="<s>", model_max_length=64
    )  # fmt: skip


SAVED: dict[str, Callable[[Path], None]] = {
    "t5": lambda folder: save_t5(folder, tokenizer()),
    "bart": lambda folder: save_bart(folder, tokenizer("<s>")),
}


def model(path: Path, chat: bool = False, batch_tokens: int = 400) -> HuggingFace:
    generation = Generation(max_new_tokens=8, batch_tokens=batch_tokens)
    return HuggingFace(
        Model(name="m", backend="hf", path=str(path), dtype="float32", device="cpu", chat=chat, generation=generation)
    )


@pytest.fixture(scope="module", params=["base", "chat"])
def causal(tiny: Path, request: pytest.FixtureRequest) -> HuggingFace:
    return model(tiny, request.param == "chat")


@pytest.fixture(scope="module", params=SAVED)
def seq2seq(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> HuggingFace:
    SAVED[request.param](folder := tmp_path_factory.mktemp("seq2seq"))
    return model(folder)


@pytest.fixture(scope="module", params=["base", "chat", *SAVED])
def backend(request: pytest.FixtureRequest, tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> HuggingFace:
    if request.param not in SAVED:
        return model(tiny, request.param == "chat")
    SAVED[request.param](folder := tmp_path_factory.mktemp("network"))
    return model(folder)


def plain_causal(backend: HuggingFace, context: str, target: str) -> list[float]:
    """transformers' own loss, token by token, of the whole plain text; nothing of ours but the split."""
    import torch

    words = backend.checkpoint.tokenizer
    before = words(context)["input_ids"] or [words.eos_token_id if words.bos_token_id is None else words.bos_token_id]
    ids = torch.tensor([before + words(target, add_special_tokens=False)["input_ids"]])
    with torch.inference_mode():
        logits = backend.net(ids).logits[0, len(before) - 1 : -1]
        return torch.nn.functional.cross_entropy(logits, ids[0, len(before) :], reduction="none").tolist()


def plain_seq2seq(backend: HuggingFace, context: str, target: str) -> list[float]:
    """The loss of each token, computed plainly: the decoder is called anew for every token, with those before it."""
    import torch

    net, words = backend.net, backend.checkpoint.tokenizer
    start = {"t5": [0], "bart": [1, 3]}[net.config.model_type]
    encoded = torch.tensor([words(context)["input_ids"]])
    found = []
    said = list(start)
    for token in words(target, add_special_tokens=False)["input_ids"]:
        with torch.inference_mode():
            logits = net(input_ids=encoded, decoder_input_ids=torch.tensor([said])).logits[0, -1]
        found.append(-float(logits.double().log_softmax(-1)[token]))
        said.append(token)
    return found


def test_a_probes_likelihoods_are_those_of_a_plain_loop(backend: HuggingFace) -> None:
    plain = plain_seq2seq if backend.checkpoint.seq2seq else plain_causal
    assert isinstance(backend, LocalModel)
    for response, pairs in zip(
        responses(backend, [probe(*p, number=n) for n, p in enumerate(PAIRS)]), PAIRS, strict=True
    ):
        assert (response.error, response.text, response.finish, response.new_tokens) == (None, "", "nll", 0)
        wanted = [plain(backend, *pair) for pair in pairs]
        assert [x.tokens for x in response.likelihoods] == [len(w) for w in wanted]
        assert [x.logprob for x in response.likelihoods] == pytest.approx([-sum(w) for w in wanted], abs=1e-4)


def test_the_end_of_text_is_no_part_of_a_target(seq2seq: HuggingFace) -> None:
    """Against transformers' own loss: with </s> among the labels it is another number."""
    import torch

    words, (context, target) = seq2seq.checkpoint.tokenizer, PAIRS[0][0]
    labels = torch.tensor([words(text_target=target)["input_ids"]])
    with torch.inference_mode():
        loss = seq2seq.net(input_ids=torch.tensor([words(context)["input_ids"]]), labels=labels).loss
    (nll,) = seq2seq.nll([(context, target)])
    special = {"t5": 1, "bart": 2}[seq2seq.net.config.model_type]
    assert len(nll) == len(target) == labels.shape[1] - special
    assert abs(float(loss) * labels.shape[1] - sum(nll)) > 0.1


def test_what_is_asked_with_it_changes_nothing(backend: HuggingFace) -> None:
    asked = [probe(*p, number=n) for n, p in enumerate(PAIRS)]
    together = responses(backend, asked)
    for one, response in zip(asked, together, strict=True):
        (alone,) = responses(backend, [one])
        assert [x.logprob for x in alone.likelihoods] == pytest.approx(
            [x.logprob for x in response.likelihoods], abs=1e-4
        )
    found = dict(chain.from_iterable(backend.generate(asked, [True, False, True, True])))
    assert list(found) == [1]
    assert [x.logprob for x in found[1].likelihoods] == pytest.approx(
        [x.logprob for x in together[1].likelihoods], abs=1e-4
    )


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ((("你好", "好"), ("你好", "")), "pair 1: its target has no tokens"),
        ((("你好", ""), ("你", "")), "pair 0: its target has no tokens"),
        ((), "without pairs"),
        ((("你好", "好"), ("好" * 9000, "好")), "a pair of 900.* exceeds"),
        ((("你好", "好"), ("好", "好" * 9000)), "a pair of 900.* exceeds"),
    ],
)
def test_a_probe_that_cannot_be_asked_fails_alone(
    backend: HuggingFace, pairs: tuple[tuple[str, str], ...], message: str
) -> None:
    good, bad, other = responses(backend, [probe(*PAIRS[0]), probe(*pairs), probe(*PAIRS[1])])
    assert good.error is None and other.error is None
    assert responses(backend, [probe(*pairs)]) == [bad]  # also where it is the only request
    assert bad.finish == "error" and bad.likelihoods == () and re.search(message, bad.error or "")


def test_no_likelihood_is_made_of_nan() -> None:
    response = nll_response(probe(*PAIRS[0]), [[1.0], [math.nan]], 5)
    assert "no finite likelihood" in (response.error or "") and response.likelihoods == ()


def test_batches_of_probes_stay_within_the_budget(tiny: Path) -> None:
    backend = model(tiny, batch_tokens=200)
    asked = [probe(*PAIRS[n % 3], number=n) for n in range(60)]
    blocks = backend.plan(asked)
    assert sorted(chain.from_iterable(blocks)) == list(range(60)) and len(blocks) > 3
    for block in blocks:
        longest = max(len(backend.ids(asked[n])) for n in block)
        assert sum(len(asked[n].pairs) for n in block) * longest <= 200
    groups = list(backend.generate(asked, [False] * 60))
    assert [len(g) for g in groups] == [len(b) for b in blocks]


def test_memory_running_out_halves_the_batch(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from evalsuite.backends.hf import backend as module

    backend = model(tiny, batch_tokens=4000)
    asked = [probe(*PAIRS[n % 2], number=n) for n in range(7)]
    whole = responses(backend, asked)
    plain = module.targets

    def fail_on_large_batches(net: object, rows: list[tuple[list[int], list[int]]]) -> list[list[float]]:
        if len(rows) > 4:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return plain(net, rows)

    monkeypatch.setattr(module, "targets", fail_on_large_batches)
    for mine, theirs in zip(responses(backend, asked), whole, strict=True):
        assert [x.logprob for x in mine.likelihoods] == pytest.approx([x.logprob for x in theirs.likelihoods], abs=1e-4)


def test_probes_beside_other_requests(causal: HuggingFace) -> None:
    written = Request("p/0", "你好", (Message("user", "你好"),), 4)
    alone = responses(causal, [written])
    mixed = responses(causal, [probe(*PAIRS[0]), written, probe(*PAIRS[1])])
    assert mixed[1] == alone[0]
    assert mixed[0].finish == mixed[2].finish == "nll"


def test_a_chat_model_reads_a_probe_as_plain_text(tiny: Path) -> None:
    base, chat = (responses(model(tiny, chat), [probe(*p) for p in PAIRS]) for chat in (False, True))
    assert base == chat


def test_what_an_encoder_decoder_writes_is_what_transformers_writes(seq2seq: HuggingFace) -> None:
    import torch

    prompts = ["今天下雨了，因为有云。", "你好", "A: 你好吗 B: ", "乙"]
    asked = [Request("p/0", text, (Message("user", text),), 8) for text in prompts]
    for text, response in zip(prompts, responses(seq2seq, asked), strict=True):
        words = seq2seq.checkpoint.tokenizer
        ids = torch.tensor([words(text)["input_ids"]])
        start = {"t5": [0], "bart": [1, 3]}[seq2seq.net.config.model_type]
        said = list(start)
        while len(said) < 9 and (len(said) == len(start) or said[-1] != 1):
            with torch.inference_mode():
                logits = seq2seq.net(input_ids=ids, decoder_input_ids=torch.tensor([said])).logits[0, -1]
            said.append(int(logits.argmax()))
        wanted = words.decode(said[1:], skip_special_tokens=True, clean_up_tokenization_spaces=False)
        assert (response.text, response.prompt_tokens) == (wanted, ids.shape[1])
        assert response.finish == ("stop" if said[-1] == 1 else "length")


def choice(scoring: str, text: str, **more: Any) -> Request:
    return Request(
        "p/0",
        text,
        (Message("user", text),),
        8,
        scoring,
        ("(甲)", "(乙)", "(我)"),
        ("天气很好", "再见", "我要带伞。"),
        **more,
    )


CONTEXTS = ["今天下雨了，因为有云。\n甲", "你好", "A: 你好吗\nB: "]


def test_an_encoder_decoder_compares_labels_and_texts(seq2seq: HuggingFace) -> None:
    """Contexts of several lengths in one batch, each option against transformers' own loss."""
    for scoring in ("labels", "texts"):
        for text, response in zip(CONTEXTS, responses(seq2seq, [choice(scoring, x) for x in CONTEXTS]), strict=True):
            assert response.error is None and len(response.likelihoods) == 3
            for n, found in enumerate(response.likelihoods):
                if scoring == "texts":
                    nll, prior = (
                        plain_seq2seq(seq2seq, x, choice("texts", x).options[n])
                        for x in (text, text.rpartition("\n")[2] if "\n" in text else "")
                    )
                    assert (found.logprob, found.prior) == (
                        pytest.approx(-sum(nll), abs=1e-4),
                        pytest.approx(-sum(prior), abs=1e-4),
                    )
                    assert found.tokens == len(nll)
                else:  # the forms "甲", " 甲" and "(甲"
                    forms = ["甲乙我"[n], f" {'甲乙我'[n]}", f"({'甲乙我'[n]}"]
                    said = [sum(plain_seq2seq(seq2seq, text, form)) for form in forms]
                    assert found.logprob == pytest.approx(math.log(sum(math.exp(-x) for x in said)), abs=1e-4)


def test_an_encoder_decoder_is_held_to_labels(seq2seq: HuggingFace) -> None:
    for response in responses(seq2seq, [choice("constrained", x) for x in CONTEXTS]):
        assert response.finish == "stop" and re.fullmatch(r"\W*[甲乙我]\W?", response.text)


@pytest.mark.parametrize("save", [save_t5, save_bart])
def test_an_encoder_decoder_is_held_to_a_pattern(tiny: Path, tmp_path: Path, save: Callable[[Path, Any], None]) -> None:
    import transformers

    save(tmp_path, transformers.AutoTokenizer.from_pretrained(tiny))
    for response in responses(model(tmp_path), [choice("constrained", x, pattern="下雨|再见") for x in CONTEXTS]):
        assert (response.error, response.finish) == (None, "stop") and response.text in ("下雨", "再见")


def test_a_decoder_is_given_the_start_token_of_its_checkpoint(seq2seq: HuggingFace) -> None:
    """mBART shifts labels by their last token, so the network's own shift is not used."""
    import transformers

    config = transformers.MBartConfig(
        vocab_size=len(seq2seq.checkpoint.tokenizer), d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, max_position_embeddings=64, pad_token_id=0,
        bos_token_id=3, eos_token_id=1, decoder_start_token_id=3,
    )  # fmt: skip
    import torch

    net = transformers.MBartForConditionalGeneration(config).eval()
    ((found,),) = continuations(net, [[5, 6, 1]], [[[7, 8]]], opening=[9])
    with torch.inference_mode():
        logits = net(input_ids=torch.tensor([[5, 6, 1]]), decoder_input_ids=torch.tensor([[3, 9, 7]])).logits[0]
    wanted = [float(logits.log_softmax(-1)[1, 7]), float(logits.log_softmax(-1)[2, 8])]
    assert found == pytest.approx(wanted, abs=1e-5)
    net.config.decoder_start_token_id = net.generation_config.decoder_start_token_id = None
    with pytest.raises(BackendError, match="without decoder_start_token_id"):
        continuations(net, [[5, 6, 1]], [[[7, 8]]])
