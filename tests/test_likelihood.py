"""Scoring by likelihood, on the embedded model: every number against one plain forward a candidate."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of
from responses import responses
from tiers import thorough_but

import evalsuite
from evalsuite.backends import checkpoint as tokens
from evalsuite.backends.hf import prefill
from evalsuite.backends.hf.backend import HuggingFace, _only_labels
from evalsuite.backends.model import Generation, Model
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.benchmarks.kinds import most_likely
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import ConfigError
from evalsuite.common.resources import bundled
from evalsuite.parse import parse_option
from evalsuite.prompt import Prompt
from evalsuite.results.scoring import FULL, read_answer, score_cell
from evalsuite.types import Item, Likelihood, Request, Response, Status, label_forms

ITEM = Item(
    "c", "knowledge_filling", "easy", "test", ("A: 看什么？", "B: 看[MASK]。"), "请选择。", ("科幻片", "恐怖片", "爱"), ("(a)", "(b)", "(c)"), 1,
    ("恐怖片",),
)  # fmt: skip


@pytest.fixture(scope="module")
def hf(tiny: Path) -> HuggingFace:
    return HuggingFace(Model(name="t", backend="hf", path=str(tiny), dtype="float32", chat=True))


@pytest.fixture(scope="module")
def base(tiny: Path) -> HuggingFace:
    return HuggingFace(Model(name="t", backend="hf", path=str(tiny), dtype="float32"))


def likelihood_requests(
    sample: CorecodeCorpus, scoring: str, task: str = "slot_identification", count: int = 5
) -> list[Request]:
    prompt = Prompt(bundled("prompts"), TASKS[task], "paper")
    items = sample.file(TASKS[task], "hard", "test").items[:count]
    return [replace(prompt.request(item), scoring=scoring) for item in items]


def plain_logprob(backend: HuggingFace, context: list[int], continuation: list[int]) -> float:
    """The log-probability of a continuation by one forward over all that its last token follows."""
    logits = _forward(backend, (*context, *continuation[:-1]))
    return sum(float(logits[len(context) - 1 + n, token]) for n, token in enumerate(continuation))


@lru_cache(maxsize=4)
def _forward(backend: HuggingFace, ids: tuple[int, ...]) -> Any:
    import torch

    with torch.inference_mode():
        return backend.net(torch.tensor([ids])).logits[0].double().log_softmax(-1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", thorough_but(1, ["hf", "base"]))
@pytest.mark.parametrize("task", ["knowledge_filling", "slot_identification"])
def test_labels_add_up_their_forms(
    kind: str, task: str, sample: CorecodeCorpus, request: pytest.FixtureRequest
) -> None:
    backend: HuggingFace = request.getfixturevalue(kind)
    requests = likelihood_requests(sample, "labels", task, count=2)
    for r, response in zip(requests, responses(backend, requests), strict=True):
        forms = backend.checkpoint.label_begins(r)
        assert [len(f) for f in forms] == [3] * len(r.options)  # "a", " a" and "(a"
        want = [math.log(sum(math.exp(plain_logprob(backend, backend.ids(r), f)) for f in option)) for option in forms]
        assert [x.logprob for x in response.likelihoods] == pytest.approx(want, abs=1e-4)
        assert (response.text, response.finish, response.new_tokens) == ("", "labels", 0)
        assert response.prompt_tokens == len(backend.ids(r))


@pytest.mark.slow
def test_labels_of_several_tokens(hf: HuggingFace, sample: CorecodeCorpus) -> None:
    """甲乙丙 may be several tokens, "选项一" surely is; options 1 and 10 begin alike."""
    marks = ["1", "10", "选项一", "选项二", "甲", "①", "第十一个选项"]
    r = likelihood_requests(sample, "labels", count=1)[0]
    r = replace(r, labels=tuple(marks), options=r.options[: len(marks)])
    (response,) = responses(hf, [r])
    forms = hf.checkpoint.label_begins(r)
    assert max(len(f) for option in forms for f in option) > 2
    probabilities = [sum(math.exp(plain_logprob(hf, hf.ids(r), f)) for f in option) for option in forms]
    if forms[1][0][: len(forms[0][0])] == forms[0][0]:  # "1" and "0", not a token "10"
        probabilities[0] -= probabilities[1]
    want = [math.log(p) for p in probabilities]
    assert [x.logprob for x in response.likelihoods] == pytest.approx(want, abs=1e-4)


def test_a_label_that_begins_another() -> None:
    """ "1" as the first token is "1", "10" or "11"; "(a" and "(b" share nothing but the bracket."""
    p = math.log
    forms = [[[1]], [[1, 0]], [[1, 1]], [[7]]]
    response = tokens.labels_response(forms, [[p(0.6)], [p(0.6), p(0.25)], [p(0.6), p(0.5)], [p(0.3)]], 5)
    assert [math.exp(x.logprob) for x in response.likelihoods] == pytest.approx([0.15, 0.15, 0.3, 0.3])
    # "100" is a part of "10", and is subtracted from "1" with it alone.
    nested = [[p(0.6)], [p(0.6), p(0.5)], [p(0.6), p(0.5), p(0.2)]]
    response = tokens.labels_response([[[1]], [[1, 0]], [[1, 0, 0]]], nested, 5)
    assert [math.exp(x.logprob) for x in response.likelihoods] == pytest.approx([0.3, 0.24, 0.06])
    whole = tokens.labels_response([[[1]], [[1, 0]]], [[p(0.6)], [p(0.6), 0.0]], 5)
    assert whole.likelihoods[0].logprob < -20 and whole.likelihoods[1].logprob == pytest.approx(p(0.6))


def test_an_option_without_tokens_is_an_error() -> None:
    """Its probability would be 1, so that it would be chosen."""
    response = tokens.texts_response([[-0.5], []], [-1.0, 0.0], 5)
    assert response.error == "option 1: its text has no tokens" and response.finish == "error"


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        (
            "GPTNeo",
            {"hidden_size": 16, "num_layers": 2, "num_heads": 2, "attention_types": [[["local"], 2]], "window_size": 4},
        ),
        ("Mpt", {"d_model": 16, "n_layers": 2, "n_heads": 2, "max_seq_len": 64}),
    ],
)
def test_padding_adds_no_distance(name: str, sizes: dict[str, Any]) -> None:
    """These networks take distances from the indices of tokens."""
    import torch
    import transformers

    torch.manual_seed(0)
    config = getattr(transformers, f"{name}Config")(vocab_size=32, initializer_range=0.5, **sizes)
    net = transformers.AutoModelForCausalLM.from_config(config).eval()
    contexts, options = [[*range(1, 13)], [*range(1, 4)]], [[[5, 6], [7, 8], [9, 10, 11]]] * 2
    with torch.inference_mode():
        found = prefill._at_once(net, contexts, options, [prefill._chains(row) for row in options])
        for context, row in zip(contexts, found, strict=True):
            for option, scores in zip(options[0], row, strict=True):
                logits = net(torch.tensor([[*context, *option]])).logits[0].log_softmax(-1)
                want = [float(logits[len(context) - 1 + n, token]) for n, token in enumerate(option)]
                assert scores == pytest.approx(want, abs=1e-4)


def test_a_prompt_that_begins_another_stays_in_the_cache(base: HuggingFace, monkeypatch: pytest.MonkeyPatch) -> None:
    """transformers 5.0 crops to a length from 0 on, and by a number of tokens below it."""

    def crop(layer: Any, length: int) -> None:
        end = length if length >= 0 else layer.get_seq_length() + length
        layer.keys, layer.values = layer.keys[..., :end, :], layer.values[..., :end, :]

    monkeypatch.setattr("transformers.cache_utils.DynamicLayer.crop", crop)
    contexts = [[5, 6], [5, 6, 7, 8]]
    for context, row in zip(contexts, prefill.continuations(base.net, contexts, [[[9], [10]]] * 2), strict=True):
        want = [plain_logprob(base, context, [token]) for token in (9, 10)]
        assert [logprob for (logprob,) in row] == pytest.approx(want, abs=1e-4)


@pytest.mark.parametrize("at_once", [False, True])
def test_no_tokens_have_no_log_probabilities(hf: HuggingFace, monkeypatch: pytest.MonkeyPatch, at_once: bool) -> None:
    if at_once:
        monkeypatch.setattr(prefill, "_one_by_one", lambda *_: None)
    (row,) = prefill.continuations(hf.net, [[5, 6]], [[[7, 8], [9, 8], [], [10, 8]]])
    assert [len(scores) for scores in row] == [2, 2, 0, 2]


@pytest.mark.slow
@pytest.mark.parametrize("way", ["one by one", "at once", "a forward an option"])
@pytest.mark.parametrize("kind", thorough_but(1, ["hf", "base"]))
def test_texts_and_their_priors(
    kind: str, way: str, sample: CorecodeCorpus, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend: HuggingFace = request.getfixturevalue(kind)
    if way != "one by one":
        monkeypatch.setattr(prefill, "_one_by_one", lambda *_: None)
    if way == "a forward an option":
        monkeypatch.setattr(prefill, "_splits", lambda cache: False)
    monkeypatch.setattr(backend, "_priors", {})
    requests = likelihood_requests(sample, "texts", "knowledge_filling", count=2)
    for r, response in zip(requests, responses(backend, requests), strict=True):
        ids = backend.checkpoint.option_ids(r)
        assert [x.tokens for x in response.likelihoods] == [len(i) for i in ids]
        want = [plain_logprob(backend, backend.ids(r), i) for i in ids]
        assert [x.logprob for x in response.likelihoods] == pytest.approx(want, abs=1e-3)
        pairs = backend.checkpoint.prior_pairs(r)
        assert not any("对话" in backend.checkpoint.tokenizer.decode(context) for context, _ in pairs)
        want = [plain_logprob(backend, [*context], [*option]) for context, option in pairs]
        assert [x.prior for x in response.likelihoods] == pytest.approx(want, abs=1e-3)


def test_tokens_of_an_option_are_those_it_has_behind_its_prompt(
    hf: HuggingFace, base: HuggingFace, sample: CorecodeCorpus
) -> None:
    for backend in (hf, base):
        r = likelihood_requests(sample, "texts")[0]
        for option, ids in zip(r.options, backend.checkpoint.option_ids(r), strict=True):
            assert backend.checkpoint.encode(backend.checkpoint.text(r) + option) == backend.ids(r) + ids


def test_a_melting_boundary_keeps_the_context(base: HuggingFace) -> None:
    """If context and target together have other tokens than one after the other, the context keeps the tokens that the model
    got."""
    context = next(
        word[:1]
        for word in ("正确", "我们", "什么", "可以")
        if len(base.checkpoint.encode(word)) == len(base.checkpoint.encode(word[:1]))
    )
    (ids,) = base.checkpoint.after(context, ["们"])
    assert base.checkpoint.tokenizer.decode(ids) == "们"


@pytest.mark.slow
def test_memory_running_out_halves_the_batch(
    hf: HuggingFace, sample: CorecodeCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    from evalsuite.backends.hf import backend as module

    requests = likelihood_requests(sample, "labels", count=5)
    whole = responses(hf, requests)

    def fail_on_large_batches(
        net: object, contexts: list[list[int]], options: list[list[list[int]]]
    ) -> list[list[list[float]]]:
        if len(contexts) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return prefill.continuations(net, contexts, options)

    monkeypatch.setattr(module, "continuations", fail_on_large_batches)
    monkeypatch.setattr(hf, "_limit", hf._budget)
    got = responses(hf, requests)
    for mine, theirs in zip(got, whole, strict=True):
        assert [x.logprob for x in mine.likelihoods] == pytest.approx([x.logprob for x in theirs.likelihoods], abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("kind", thorough_but(1, ["hf", "base"]))
def test_constrained_can_say_labels_only(kind: str, sample: CorecodeCorpus, request: pytest.FixtureRequest) -> None:
    backend: HuggingFace = request.getfixturevalue(kind)
    requests = likelihood_requests(sample, "constrained", count=6)
    for r, response in zip(requests, responses(backend, requests), strict=True):
        assert response.text.strip() in chain.from_iterable(label_forms(r.labels))
        options = dict(zip(r.labels, r.options, strict=True))
        assert parse_option(response.text, options, finish=response.finish).status is Status.PARSED


def test_what_may_follow_in_a_constrained_reply() -> None:
    allowed = _only_labels([[[[1]], [[1, 0]], [[7, 8]]]], stop=[99], width=2)

    class Ids(list):  # type: ignore[type-arg]
        def __getitem__(self, cut: slice) -> Ids:  # type: ignore[override]
            return Ids(list.__getitem__(self, cut))

        def tolist(self) -> list[int]:
            return list(self)

    after = {tuple(said): allowed(0, Ids([5, 5, *said])) for said in ([], [1], [1, 0], [7], [7, 8], [1, 0, 99])}
    assert after == {(): [1, 7], (1,): [0, 99], (1, 0): [99], (7,): [8], (7, 8): [99], (1, 0, 99): [99]}


def test_nll_is_that_of_every_token(hf: HuggingFace) -> None:
    pairs = [
        ("A: 你想看什么电影？ B: ", "我想看科幻片。"),
        ("", "天气很好"),
        ("今天", "是星期一，我要去上班。"),
        ("甲", "乙"),
    ]
    for (context, target), nll in zip(pairs, hf.nll(pairs), strict=True):
        ids, wanted = hf.checkpoint.pair(context, target)
        assert len(nll) == len(wanted) and sum(nll) == pytest.approx(-plain_logprob(hf, ids, wanted), abs=1e-3)
    alone = hf.nll(pairs[:1])[0]
    assert alone == pytest.approx(hf.nll(pairs)[0], abs=1e-4)


def test_a_network_that_gives_all_logits(
    hf: HuggingFace, sample: CorecodeCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Models with code of their own may not know `logits_to_keep`."""
    requests = likelihood_requests(sample, "labels", count=2)
    want = responses(hf, requests)
    forward = hf.net.forward

    def plain_forward(
        input_ids: object,
        attention_mask: object = None,
        position_ids: object = None,
        past_key_values: object = None,
        use_cache: bool = False,
    ) -> object:
        return forward(
            input_ids=input_ids,
            attention_mask=attention_mask,
            position_ids=position_ids,
            past_key_values=past_key_values,
            use_cache=use_cache,
        )

    monkeypatch.setattr(hf.net, "forward", plain_forward)
    got = responses(hf, requests)
    want_all = [x.logprob for r in want for x in r.likelihoods]
    assert [x.logprob for r in got for x in r.likelihoods] == pytest.approx(want_all, abs=1e-4)


# likelihoods of the three options -> the one chosen by each norm
NORMS = [
    ("sum", [(-3.0, 1, -9.0), (-2.0, 2, -1.0), (-4.0, 9, -3.0)], 1),
    ("token", [(-3.0, 1, -9.0), (-2.0, 2, -1.0), (-4.0, 9, -3.0)], 2),
    ("char", [(-3.0, 1, -9.0), (-6.0, 2, -1.0), (-2.0, 9, -3.0)], 0),
    ("prior", [(-3.0, 1, -3.5), (-2.0, 2, -1.0), (-4.0, 9, -9.0)], 2),
]


@pytest.mark.parametrize(("by", "scores", "chosen"), NORMS, ids=[n[0] for n in NORMS])
def test_each_norm_chooses_by_hand(by: str, scores: list[tuple[float, int, float]], chosen: int) -> None:
    response = Response("", "texts", likelihoods=tuple(Likelihood(*s) for s in scores))
    assert most_likely(ITEM, response, by) == chosen


def test_a_cell_by_texts_is_scored_by_every_norm() -> None:
    responses = [Response("", "texts", likelihoods=tuple(Likelihood(*s) for s in scores)) for _, scores, _ in NORMS]
    answer = read_answer(ITEM, responses[0])
    assert (answer.status, answer.choice, answer.rule) == (Status.PARSED, 2, "texts: most likely")
    (part,) = score_cell([ITEM] * 4, responses, FULL).parts
    norms = sorted(name for name in part.names if name.startswith("accuracy"))
    assert norms == ["accuracy", "accuracy_char", "accuracy_prior", "accuracy_sum", "accuracy_token"]
    labels = [replace(r, finish="labels") for r in responses]
    assert read_answer(ITEM, labels[0]).choice == 1
    (part,) = score_cell([ITEM] * 4, labels, FULL).parts
    assert [name for name in part.names if name.startswith("accuracy")] == ["accuracy"]


def test_filtered_is_a_status_and_not_right() -> None:
    answer = read_answer(ITEM, Response("", "content_filter"))
    assert answer.status is Status.FILTERED


@pytest.mark.slow
def test_a_run_by_every_scoring(tmp_path: Path) -> None:
    """Choices four ways, other tasks generated; again in the same folder asks nothing; a likelihood is in its record."""
    words = {"model": ["tiny-zh"], "tasks": ["knowledge_filling", "event_cause"], "set": "easy", "limit": 3}
    done = evalsuite.run(scoring=["generate", "labels", "texts", "constrained"], out=tmp_path / "run", **words)
    assert done.problems == ()
    assert [(c["task"], c["scoring"]) for c in cells_of(done)] == [
        ("event_cause", "generate"),
        *(("knowledge_filling", way) for way in ("constrained", "generate", "labels", "texts")),
    ]
    by = {c["scoring"]: c for c in cells_of(done) if c["task"] == "knowledge_filling"}
    assert by["labels"]["status"] == by["texts"]["status"] == {"parsed": 3}
    assert "scoring:labels" in by["labels"]["metrics"]["accuracy"]["signature"]
    for way, cell in by.items():
        for line in (tmp_path / "run" / cell["records"]).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            assert record["scoring"] == way
            assert (record["likelihoods"] is None) == (way in ("generate", "constrained"))
    results = (tmp_path / "run" / "results.json").read_bytes()
    evalsuite.run(scoring=["labels"], out=tmp_path / "run", **words)
    assert (tmp_path / "run" / "results.json").read_bytes() == results
    log = (tmp_path / "run" / "run.log").read_text(encoding="utf-8")
    assert " paper 0-shot labels: 0 asked, 3 kept" in log


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"scoring": ["lables"]}, "unknown scoring 'lables'"),
        (
            {"scoring": ["labels"], "tasks": ["event_cause"], "model": ["tiny-zh"]},
            "only for choice tasks .*, on hf and vllm",
        ),
        ({"scoring": ["labels"], "model": ["random"]}, "only for choice tasks .*, on hf and vllm"),
    ],
)
def test_scorings_that_cannot_be(wanted: dict[str, list[str]], message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message):
        evalsuite.run(out=tmp_path, **wanted)


def test_batches_of_texts_count_every_options_copy(tiny: Path, sample: CorecodeCorpus) -> None:
    requests = likelihood_requests(sample, "texts", count=6)
    small = HuggingFace(Model(name="t", backend="hf", path=str(tiny), generation=Generation(batch_tokens=1)))
    assert [len(b) for b in small.plan(requests)] == [1] * 6


@pytest.mark.slow
def test_what_prompts_share_is_computed_once(
    hf: HuggingFace, sample: CorecodeCorpus, monkeypatch: pytest.MonkeyPatch, tokens_read: list[int]
) -> None:
    """Items of one dialogue in a batch: fewer tokens through the network, the same likelihoods."""
    requests = likelihood_requests(sample, "labels", "knowledge_filling", 12)
    shared = responses(hf, requests)
    with_sharing = sum(tokens_read)
    tokens_read.clear()
    monkeypatch.setattr(prefill, "_one_by_one", lambda *_: None)
    alone = responses(hf, requests)
    assert with_sharing < 0.8 * sum(tokens_read)
    for one, other in zip(shared, alone, strict=True):
        assert [x.logprob for x in one.likelihoods] == pytest.approx([x.logprob for x in other.likelihoods], abs=1e-4)
