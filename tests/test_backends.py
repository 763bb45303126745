"""Baselines, and the Hugging Face backend on the embedded model for real."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from needs import needs

from evalsuite.backends.base import Answering
from evalsuite.backends.baseline import Baseline, lexical, pieces
from evalsuite.backends.checkpoint import Checkpoint, labels_response, locate, texts_response
from evalsuite.backends.hf import prefill
from evalsuite.backends.hf.backend import HuggingFace, plan_batches
from evalsuite.backends.model import HF, Generation, Model
from evalsuite.backends.registry import load_backend
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE as TASKS
from evalsuite.common.errors import BackendError
from evalsuite.common.resources import bundled
from evalsuite.finetuning.training import training_row
from evalsuite.perturb import PERTURBATIONS
from evalsuite.prompt import Prompt
from evalsuite.results.scoring import read_answer
from evalsuite.types import Item, Message, Request, Response, Trial


def requests(sample: CorecodeCorpus, task: str = "knowledge_filling", count: int = 8) -> list[Request]:
    prompt = Prompt(bundled("prompts"), TASKS[task], "paper")
    return [prompt.request(item) for item in sample.file(TASKS[task], "easy", "test").items[:count]]


def trials(sample: CorecodeCorpus, task: str = "knowledge_filling", count: int = 8) -> list[Trial]:
    items = sample.file(TASKS[task], "easy", "test").items
    return [Trial(i, r, "paper") for i, r in zip(items, requests(sample, task, count), strict=False)]


def answers(backend: object, asked: list[Request], done: list[bool] | None = None) -> dict[int, Response]:
    groups = backend.generate(asked, done or [False] * len(asked))  # type: ignore[attr-defined]
    return dict(chain.from_iterable(groups))


@pytest.mark.slow
def test_an_adapter_of_soft_prompts_is_refused(tiny: Path, tmp_path: Path) -> None:
    """It moves all positions, so that likelihoods were those of other tokens."""
    needs("finetune", "peft")
    import peft
    import transformers

    net = transformers.AutoModelForCausalLM.from_pretrained(tiny)
    config = peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=2)
    peft.get_peft_model(net, config).save_pretrained(tmp_path)
    with pytest.raises(BackendError, match="PROMPT_TUNING puts tokens of its own before a prompt"):
        HuggingFace(Model(name="m", backend="hf", path=str(tiny), adapter=str(tmp_path)))


def save_bert_gpt2(folder: Path) -> None:
    """A tiny GPT-2 with a BERT tokenizer, as the Chinese ones of uer have: its tokenizer ends each text with [SEP], and its
    config names the end of text of OpenAI's tokenizer."""
    import torch
    import transformers

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"问题答案你我他：ab()"]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer"}')
    torch.manual_seed(0)
    config = transformers.GPT2Config(vocab_size=len(words), n_positions=64, n_embd=16, n_layer=2, n_head=2)
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)


def test_a_prompt_of_a_bert_tokenizer_is_left_open(tmp_path: Path) -> None:
    save_bert_gpt2(tmp_path)
    backend = HuggingFace(Model(name="m", backend="hf", path=str(tmp_path), device="cpu"))
    words = backend.checkpoint.tokenizer
    text = "问题\n答案："
    asked = Request("1", text, (Message("user", text),), 3, labels=("(a)", "(b)"), options=("你", "我"))
    prompt = [words.cls_token_id, *words(text, add_special_tokens=False)["input_ids"]]
    assert backend.ids(asked) == prompt and backend.checkpoint.pair(text, "他") == (
        prompt,
        words.convert_tokens_to_ids(["他"]),
    )
    # The end of text is [SEP], which a constrained reply needs and a trained one writes.
    assert backend.checkpoint.stop_ids == [words.sep_token_id]
    assert training_row(backend.checkpoint, asked, "a").ids == (
        *prompt,
        words.convert_tokens_to_ids("a"),
        words.sep_token_id,
    )
    assert answers(backend, [replace(asked, scoring="constrained")])[0].text in ("a", "b", "( a )", "( b )")
    plain = [float(row) for row in _next_logprobs(backend, prompt)[words.convert_tokens_to_ids(["你", "我"])]]
    likelihoods = answers(backend, [replace(asked, scoring="texts")])[0].likelihoods
    assert [x.logprob for x in likelihoods] == pytest.approx(plain, abs=1e-4)


def _next_logprobs(backend: HuggingFace, prompt: list[int]) -> Any:
    """The log-probabilities of the token after a prompt."""
    import torch

    with torch.inference_mode():
        return backend.net(torch.tensor([prompt])).logits[0, -1].log_softmax(-1)


@pytest.mark.parametrize("kind", ["random", "majority", "lexical", "oracle"])
@pytest.mark.parametrize("task", TASKS)
def test_baselines_answer_every_task(sample: CorecodeCorpus, kind: str, task: str) -> None:
    asked = trials(sample, task)
    backend = load_backend(Model(name="b", backend="baseline", path=kind), sample.train)
    assert isinstance(backend, Answering)
    first = dict(chain.from_iterable(backend.answer(asked, [False] * len(asked))))
    assert sorted(first) == list(range(len(asked)))
    assert all(r.text and r.error is None for r in first.values())
    assert dict(chain.from_iterable(backend.answer(asked, [False] * len(asked)))) == first
    if kind == "oracle":
        assert [first[n].text for n in range(len(asked))] == [t.item.target for t in asked]
    with pytest.raises(BackendError, match="answers a benchmark's items, not prompts"):
        backend.generate([t.request for t in asked], [False] * len(asked))


def test_majority_is_the_trainings_most_frequent_answer(sample: CorecodeCorpus) -> None:
    train = sample.train("slot_identification", "easy")
    counts: dict[str, int] = {}
    for item in train:
        counts[item.target] = counts.get(item.target, 0) + 1
    backend = load_backend(Model(name="b", backend="baseline", path="majority"), sample.train)
    assert isinstance(backend, Answering)
    (((_, reply),),) = backend.answer(trials(sample, "slot_identification", 1), [False])
    assert counts[reply.text] == max(counts.values())


@pytest.mark.parametrize("change", ["none", "reindicate", "reindicate_stems", "shuffle", "both"])
def test_majority_answers_the_item_that_is_asked(sample: CorecodeCorpus, change: str) -> None:
    """The most frequent position, in the labels of the item: of options called 1, 2, 3 it is a digit."""
    task = TASKS["slot_identification"]
    train = sample.train(task.name, "easy")
    places = [item.gold for item in train]
    favourite = max(places, key=places.count)
    assert favourite is not None
    backend = load_backend(Model(name="b", backend="baseline", path="majority"), sample.train)
    assert isinstance(backend, Answering)
    for item in sample.file(task, "easy", "test").items[:5]:
        (asked,) = PERTURBATIONS[change].items(item)
        trial = Trial(asked, Prompt(bundled("prompts"), task, "paper").request(asked), "paper")
        (((_, reply),),) = backend.answer([trial], [False])
        assert reply.text == asked.indicators[favourite]
        assert read_answer(asked, reply).choice == favourite


def test_majority_without_training_data_fails_and_says_why(sample: CorecodeCorpus) -> None:
    backend = load_backend(Model(name="b", backend="baseline", path="majority"), lambda task, item_set: ())
    assert isinstance(backend, Answering)
    (((_, reply),),) = backend.answer(trials(sample, count=1), [False])
    assert reply.error and "no training or dev file" in reply.error


def test_lexical_looks_before_the_event_for_a_cause_and_after_it_for_a_consequence() -> None:
    dialogue = ("A: 昨晚下大雨，路滑，他摔了一跤，腿断了。",)
    backend = load_backend(Model(name="b", backend="baseline", path="lexical"))
    assert isinstance(backend, Answering)
    told = {"event_cause": "路滑", "subsequent_event": "腿断了"}
    endings = {"event_cause": "的原因是什么？", "subsequent_event": "导致的后续事件是什么？"}
    for task, expected in told.items():
        question = f"请不要重述问题或解释原因：事件“他摔了一跤”{endings[task]}"  # the official lead-in names 原因, too
        item = Item("i", task, "easy", "test", dialogue, question, references=("x",))
        trial = Trial(item, Prompt(bundled("prompts"), TASKS[task], "paper").request(item), "paper")
        (((_, reply),),) = backend.answer([trial], [False])
        assert reply.text == expected


@pytest.mark.parametrize(("turn", "expected"), [("8:30 在车站见", "8:30 在车站见"), ("B: 在车站见", "在车站见")])
def test_a_time_is_no_speaker(turn: str, expected: str) -> None:
    item = Item("i", "conflict_detection", "easy", "test", (turn,), "？", references=("x",))
    assert pieces(item) == [expected] and lexical(item) == expected


def test_majority_of_a_task_does_not_depend_on_the_other_tasks(sample: CorecodeCorpus) -> None:
    """A run of more benchmarks or tasks has the same replies, under the same keys."""
    task, other = "slot_identification", "domain_identification"
    every, alone = (
        load_backend(Model(name="b", backend="baseline", path="majority"), train)
        for train in (sample.train, lambda name, item_set: sample.train(name, item_set) if name == task else ())
    )
    assert isinstance(every, Baseline) and isinstance(alone, Baseline)
    assert every.fingerprints[task, "easy"] == alone.fingerprints[task, "easy"] != every.fingerprints[other, "easy"]
    assert every.fingerprint == alone.fingerprint and (other, "easy") not in alone.fingerprints


def test_an_unknown_baseline_is_refused() -> None:
    with pytest.raises(BackendError, match=r"unknown baseline 'randon'.*'random'"):
        load_backend(Model(name="b", backend="baseline", path="randon"), lambda task, item_set: ())


@pytest.mark.parametrize("budget", [1, 100, 250, 10_000])
def test_batches_stay_within_the_budget(budget: int) -> None:
    lengths = {n: 20 + (n * 37) % 90 for n in range(50)}
    batches = plan_batches(lengths, budget)
    assert sorted(chain.from_iterable(batches)) == list(range(50))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= budget
    order = [lengths[i] for i in chain.from_iterable(batches)]
    assert order == sorted(order, reverse=True)


@pytest.fixture(scope="module")
def hf(tiny: Path) -> Iterator[HuggingFace]:
    pytest.importorskip("torch", reason="needs evalsuite[hf]")
    model = Model(name="tiny", backend="hf", path=str(tiny), chat=True, dtype="float32", device="cpu",
                  generation=Generation(max_new_tokens=12, batch_tokens=4096))  # fmt: skip
    backend = HuggingFace(model)
    yield backend
    backend.close()


@pytest.mark.slow
def test_batched_replies_are_what_a_bare_generate_loop_gives(hf: HuggingFace, sample: CorecodeCorpus) -> None:
    """The reference is transformers' own generate on one unpadded prompt at a time."""
    import torch

    asked = requests(sample, "event_cause", 6) + requests(sample, "knowledge_filling", 6)
    batched = answers(hf, asked)
    for n, request in enumerate(asked):
        turns = [{"role": m.role, "content": m.content} for m in request.messages]
        ids = hf.checkpoint.tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_tensors="pt")[
            "input_ids"
        ]
        with torch.inference_mode():
            out = hf.net.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=request.max_new_tokens)
        text = hf.checkpoint.tokenizer.decode(out[0, ids.shape[1] :], skip_special_tokens=True)
        assert (batched[n].text, batched[n].prompt_tokens) == (text, ids.shape[1])


@pytest.mark.slow
def test_what_prompts_share_is_read_once(
    hf: HuggingFace, sample: CorecodeCorpus, monkeypatch: pytest.MonkeyPatch, tokens_read: list[int]
) -> None:
    """Items of one dialogue in a batch: fewer tokens through the network than prompts have, the same replies."""
    asked = requests(sample, "knowledge_generation", 8)
    shared = answers(hf, asked)
    assert 0 < sum(tokens_read) < 0.5 * sum(map(hf.tokens, asked))
    monkeypatch.setattr(prefill, "_splits", lambda cache: False)  # as for networks whose cache cannot be cropped
    assert answers(hf, asked) == shared


def test_a_reply_ends_before_a_stop_text(
    hf: HuggingFace, sample: CorecodeCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = requests(sample, "event_cause", 1)
    whole = answers(hf, asked)[0].text
    stop = whole[2]
    spec = hf.checkpoint.model.model_copy(
        update={"generation": hf.checkpoint.model.generation.model_copy(update={"stop": [stop]})}
    )
    monkeypatch.setattr(hf.checkpoint, "model", spec)
    cut = answers(hf, asked)[0]
    assert (cut.text, cut.finish) == (whole[: whole.index(stop)], "stop")


def test_only_what_is_not_done_is_asked(hf: HuggingFace, sample: CorecodeCorpus) -> None:
    asked = requests(sample, count=5)
    whole = answers(hf, asked)
    part = answers(hf, asked, [True, False, True, False, True])
    assert part == {n: whole[n] for n in (1, 3)}


def test_a_prompt_that_is_too_long_fails_alone(hf: HuggingFace, sample: CorecodeCorpus) -> None:
    asked = requests(sample, count=3)
    long = "A: " + "字" * 9000 + asked[1].prompt
    asked[1] = replace(asked[1], prompt=long, messages=(Message("user", long),))
    replies = answers(hf, asked)
    assert "exceed" in (replies[1].error or "")
    assert replies[0].error is None and replies[2].error is None


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["cuda", "cpu", "other", "kernel"])
def test_out_of_memory_halves_the_batch_and_goes_on(
    hf: HuggingFace, sample: CorecodeCorpus, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A network that runs out of memory above two rows: same replies, no item lost. Other errors are not swallowed."""
    import torch

    asked = requests(sample, count=7)
    whole = answers(hf, asked)
    generate = hf.net.generate
    errors = {
        "cuda": torch.OutOfMemoryError("CUDA out of memory"),
        "cpu": RuntimeError("DefaultCPUAllocator: can't allocate memory"),
        "other": RuntimeError("shapes do not match"),
        "kernel": RuntimeError("CUDA error: an illegal memory access was encountered"),
    }

    def fail_on_large_batches(input_ids: torch.Tensor, **rest: object) -> torch.Tensor:
        if len(input_ids) > 2:
            raise errors[kind]
        return generate(input_ids=input_ids, **rest)

    monkeypatch.setattr(hf.net, "generate", fail_on_large_batches)
    monkeypatch.setattr(hf, "_limit", hf.checkpoint.model.generation.batch_tokens)
    if kind in ("other", "kernel"):
        with pytest.raises(RuntimeError, match=r"shapes|illegal"):
            answers(hf, asked)
    else:
        assert answers(hf, asked) == whole


def test_the_fingerprint_tells_models_apart(hf: HuggingFace, tiny: Path, tmp_path: Path) -> None:
    base = Model(name="other name", backend="hf", path=str(tiny), chat=True, dtype="float32", device="cpu")
    assert HuggingFace(base).fingerprint == hf.fingerprint  # a name is no part of it
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in tiny.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    weights = bytearray((copy / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (copy / "model.safetensors").write_bytes(weights)
    assert HuggingFace(base.model_copy(update={"path": str(copy)})).fingerprint != hf.fingerprint
    assert HuggingFace(base.model_copy(update={"dtype": "bfloat16"})).fingerprint != hf.fingerprint
    assert HuggingFace(base.model_copy(update={"chat": False})).fingerprint != hf.fingerprint


def test_parameters_are_counted_in_the_files(hf: HuggingFace, tmp_path: Path) -> None:
    """Parameters are counted as the network has them, in one file or several; they are unknown without a safetensors file."""
    assert hf.parameters == hf.net.num_parameters()
    hf.net.save_pretrained(tmp_path, max_shard_size="3MB")
    hf.checkpoint.tokenizer.save_pretrained(tmp_path)
    model = Model(name="x", backend="hf", path=str(tmp_path))
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    assert Checkpoint(model).parameters == hf.parameters
    for file in tmp_path.glob("*.safetensors"):
        file.unlink()
    assert Checkpoint(model).parameters is None


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs evalsuite[hf]")
    with pytest.raises(BackendError, match="model gone: cannot load"):
        HuggingFace(Model(name="gone", backend="hf", path=str(tmp_path / "nowhere")))


def test_the_embedded_model_gives_every_character_back(tiny: Path) -> None:
    """The tokenizer is loaded by AutoTokenizer: some tokenizers are rebuilt on loading, and lose characters."""
    transformers = pytest.importorskip("transformers", reason="needs evalsuite[hf]")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny)
    text = "".join(
        map(chr, chain(range(0x20, 0x7F), range(0x3000, 0x3040), range(0x4E00, 0xA000), range(0xFF00, 0xFFF0)))
    )
    text += "🙂𠮷\u200b\ufffc™♂°┏"
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert tokenizer.decode(ids, clean_up_tokenization_spaces=False) == text


def test_the_embedded_model_is_small(tiny: Path) -> None:
    assert sum(f.stat().st_size for f in tiny.iterdir()) <= 6 * 2**20


@pytest.mark.slow
def test_an_adapter_is_loaded_and_told_apart(
    hf: HuggingFace, sample: CorecodeCorpus, tiny: Path, tmp_path: Path
) -> None:
    """A LoRA with random weights: it changes what the model says, and the fingerprint."""
    peft = pytest.importorskip("peft", reason="needs evalsuite[finetune]")
    import torch
    import transformers

    torch.manual_seed(0)
    net = transformers.AutoModelForCausalLM.from_pretrained(tiny, dtype=torch.float32)
    config = peft.LoraConfig(r=4, target_modules="all-linear", init_lora_weights=False, task_type="CAUSAL_LM")
    peft.get_peft_model(net, config).save_pretrained(tmp_path / "adapter")
    adapted = HuggingFace(hf.checkpoint.model.model_copy(update={"adapter": str(tmp_path / "adapter")}))
    assert adapted.fingerprint != hf.fingerprint
    asked = requests(sample, "event_cause", 6)
    assert answers(adapted, asked) != answers(hf, asked)
    with pytest.raises(BackendError, match="cannot load adapter"):
        HuggingFace(hf.checkpoint.model.model_copy(update={"adapter": str(tmp_path / "nowhere")}))


def test_no_option_is_the_most_likely_of_nan() -> None:
    """Half precision gives NaN where it overflows: that is a failure that says what to do, not an answer drawn from nothing."""
    nan = float("nan")
    for response in (
        labels_response([[[1]], [[2]]], [[nan], [-1.0]], 5),
        texts_response([[-1.0], [-2.0, nan]], [-1.0, -1.0], 5),
        texts_response([[-1.0], [-2.0]], [-1.0, nan], 5),
    ):
        assert response.error and "dtype" in response.error and response.likelihoods == ()
    assert labels_response([[[1]], [[2]]], [[-3.0], [-1.0]], 5).error is None


def test_models_are_fetched_from_modelscope(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fetched by the package's own snapshot_download; without the package the message says what to install."""
    model = Model(name="m", backend="hf", hub="modelscope", path="org/tiny", revision="v1")
    monkeypatch.setitem(sys.modules, "modelscope", None)
    with pytest.raises(BackendError, match=r"model m: hub: modelscope needs `pip install modelscope`"):
        locate(model)
    asked = []

    def snapshot_download(name: str, revision: str | None) -> str:
        asked.append((name, revision))
        if name == "org/gone":
            raise ValueError("404")
        return str(tiny)

    monkeypatch.setitem(sys.modules, "modelscope", SimpleNamespace(snapshot_download=snapshot_download))
    assert Checkpoint(model).path == str(tiny) and asked == [("org/tiny", "v1")]
    assert locate(model.model_copy(update={"path": str(tiny)})) == str(tiny)
    with pytest.raises(BackendError, match="model m: cannot fetch org/gone from ModelScope: 404"):
        locate(model.model_copy(update={"path": "org/gone"}))


def test_a_static_cache_says_the_same(hf: HuggingFace, sample: CorecodeCorpus) -> None:
    asked = requests(sample, "event_cause", 3)
    static = HuggingFace(hf.checkpoint.model.model_copy(update={"hf": HF(static_cache=True)}))
    assert [r.text for r in answers(static, asked).values()] == [r.text for r in answers(hf, asked).values()]
