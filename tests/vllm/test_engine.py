"""vLLM beside transformers on the embedded model at float32: the same ids, replies and probabilities."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from responses import responses
from run_files import read_jsonl

import evalsuite
from evalsuite.backends.base import LocalModel, Sharing
from evalsuite.backends.model import Generation, Model
from evalsuite.backends.models import load_models
from evalsuite.backends.registry import load_backend
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE as TASKS
from evalsuite.benchmarks.glucose import slots as slots
from evalsuite.common.errors import BackendError
from evalsuite.common.resources import bundled
from evalsuite.prompt import Prompt
from evalsuite.results.store import Store
from evalsuite.types import Message, Request, label_forms

CLOSE = 1e-4  # the largest difference in a natural logarithm; 2e-5 was seen


def requests(sample: CorecodeCorpus, scoring: str = "generate", per_cell: int = 2) -> list[Request]:
    found = []
    for task in TASKS.values():
        if scoring == "generate" or task.kind.name == "choice":
            prompt = Prompt(bundled("prompts"), task, "paper")
            for item_set in ("easy", "hard"):
                items = sample.file(task, item_set, "test").items[:per_cell]
                found += [replace(prompt.request(item), scoring=scoring) for item in items]
    return found


Pair = Callable[..., tuple[Any, Any]]


@pytest.fixture(scope="module")
def pair(first: Any, spec: Model) -> Iterator[Pair]:
    """(vllm, hf) for the model without its adapter, changed by the keywords."""
    known: dict[str, tuple[Any, Any]] = {}

    def made(**changed: Any) -> tuple[Any, Any]:
        model = spec.model_copy(update={"adapter": None, **changed})
        name = model.model_dump_json()
        if name not in known:
            shared = first.share(model)
            assert shared and shared.engine is first.engine
            known[name] = shared, load_backend(model.model_copy(update={"backend": "hf", "device": "cpu"}))
        return known[name]

    yield made
    for _, hf in known.values():
        hf.close()


def test_it_is_what_the_suite_expects_of_a_local_model(first: Any) -> None:
    assert isinstance(first, LocalModel) and isinstance(first, Sharing)


@pytest.mark.parametrize("chat", [True, False], ids=["chat", "base"])
def test_ids_and_greedy_replies_are_those_of_hf(pair: Pair, sample: CorecodeCorpus, chat: bool) -> None:
    vllm, hf = pair(chat=chat)
    asked = requests(sample)
    assert [vllm.ids(r) for r in asked] == [hf.ids(r) for r in asked]
    assert vllm.context == hf.context
    assert responses(vllm, asked) == responses(hf, asked)


@pytest.mark.parametrize("stop", [["的"], ["，", "是"], ["e", "ve"]], ids=" ".join)
def test_a_reply_ends_before_a_stop_text(pair: Pair, sample: CorecodeCorpus, stop: list[str]) -> None:
    asked = requests(sample, per_cell=1)
    whole = responses(pair()[0], asked)
    vllm, hf = pair(generation=Generation(stop=stop))
    cut, expected = responses(vllm, asked), responses(hf, asked)
    assert [(r.text, r.finish) for r in cut] == [(r.text, r.finish) for r in expected]
    assert [r.text for r in cut] == [min((r.text.partition(s)[0] for s in stop), key=len) for r in whole]


def test_some_reply_is_cut(pair: Pair, sample: CorecodeCorpus) -> None:
    """The table above would show nothing if no reply held a stop text."""
    asked = requests(sample, per_cell=1)
    whole = responses(pair()[0], asked)
    letter = next(r.text[2] for r in whole if len(r.text) > 3)
    cut = responses(pair(generation=Generation(stop=[letter]))[0], asked)
    assert any(len(a.text) < len(b.text) and a.new_tokens < b.new_tokens for a, b in zip(cut, whole, strict=True))


def test_constrained_replies_are_labels_and_those_of_hf(pair: Pair, sample: CorecodeCorpus) -> None:
    vllm, hf = pair()
    asked = requests(sample, "constrained")
    replies = responses(vllm, asked)
    assert all(
        a.text.strip() in chain.from_iterable(label_forms(r.labels)) for a, r in zip(replies, asked, strict=True)
    )
    assert [a.text for a in replies] == [a.text for a in responses(hf, asked)]


@pytest.mark.parametrize("chat", [True, False], ids=["chat", "base"])
def test_replies_match_their_patterns_and_are_those_of_hf(pair: Pair, sample: CorecodeCorpus, chat: bool) -> None:
    vllm, hf = pair(chat=chat)
    patterns = ["是|否", "[一-龥]{2,4}", "(?:in|in front of) the car", "🙂{2}"]
    patterns += [make(d) for d in range(1, 11) for make in (slots.prompted, slots.statement)]
    (request, *_) = requests(sample, per_cell=1)
    asked = [replace(request, scoring="constrained", pattern=p, max_new_tokens=40) for p in patterns]
    replies = responses(vllm, asked)
    assert replies == responses(hf, asked)
    for pattern, reply in zip(patterns, replies, strict=True):
        assert reply.finish == "length" or re.fullmatch(pattern, reply.text), (pattern, reply)
    assert sum(r.finish == "stop" for r in replies) >= 14


@pytest.mark.parametrize("pattern", ["(", "a(?=b)", "(.)\\1"])
def test_a_pattern_that_cannot_be_used_fails_alone(pair: Pair, sample: CorecodeCorpus, pattern: str) -> None:
    asked = [
        replace(r, scoring="constrained", pattern=p)
        for r, p in zip(requests(sample)[:3], ("是", pattern, "否"), strict=True)
    ]
    for backend in pair():
        good, bad, other = responses(backend, asked)
        assert (good.text, other.text) == ("是", "否")
        assert "regex" in (bad.error or "")


@pytest.mark.parametrize("chat", [True, False], ids=["chat", "base"])
def test_probes_are_answered_as_on_hf(pair: Pair, sample: CorecodeCorpus, chat: bool) -> None:
    vllm, hf = pair(chat=chat)
    (request, *rest) = requests(sample, per_cell=1)
    probes: list[tuple[tuple[str, str], ...]] = [
        ((r.prompt, "好的。"), ("", "好的。"), ("你好，", "再见。")) for r in rest
    ]
    probes += [(("你好", ""),), (), (("字" * 9000, "。"),)]
    asked = [replace(request, scoring="nll", pairs=p) for p in probes]
    for ours, theirs in zip(responses(vllm, asked), responses(hf, asked), strict=True):
        assert (ours.text, ours.finish, ours.prompt_tokens) == ("", theirs.finish, theirs.prompt_tokens)
        assert ours.error == theirs.error
        assert [x.tokens for x in ours.likelihoods] == [x.tokens for x in theirs.likelihoods]
        logprobs = [[x.logprob for x in r.likelihoods] for r in (ours, theirs)]
        assert logprobs[0] == pytest.approx(logprobs[1], abs=1e-3)  # sums of up to dozens of tokens


@pytest.mark.parametrize("chat", [True, False], ids=["chat", "base"])
@pytest.mark.parametrize("scoring", ["labels", "texts"])
def test_likelihoods_are_those_of_hf(pair: Pair, sample: CorecodeCorpus, scoring: str, chat: bool) -> None:
    vllm, hf = pair(chat=chat)
    asked = requests(sample, scoring)
    for ours, theirs in zip(responses(vllm, asked), responses(hf, asked), strict=True):
        assert (ours.text, ours.finish, ours.prompt_tokens) == (theirs.text, theirs.finish, theirs.prompt_tokens)
        for a, b in zip(ours.likelihoods, theirs.likelihoods, strict=True):
            assert a.tokens == b.tokens
            assert a.logprob == pytest.approx(b.logprob, abs=CLOSE)
            assert a.prior == (b.prior if b.prior is None else pytest.approx(b.prior, abs=CLOSE))


def test_labels_of_several_tokens_and_more_than_one_request_may_ask_for(pair: Pair, sample: CorecodeCorpus) -> None:
    """200 options with labels such as (第17项): vLLM takes 128 tokens per request."""
    vllm, hf = pair()
    (request, *_) = requests(sample, "labels", 1)
    many = "".join(chr(0x4E00 + 7 * n) for n in range(200))
    for labels in ([f"({c})" for c in many], [f"(第{n}项)" for n in range(12)]):
        request = replace(request, labels=tuple(labels), options=tuple(f"选{n}" for n in range(len(labels))))
        (ours,), (theirs,) = (responses(backend, [request]) for backend in (vllm, hf))
        assert ours.error is None and len(ours.likelihoods) == len(labels)
        for a, b in zip(ours.likelihoods, theirs.likelihoods, strict=True):
            assert a.logprob == pytest.approx(b.logprob, abs=CLOSE)


def test_a_label_is_as_likely_whatever_else_may_not_be_said(pair: Pair, sample: CorecodeCorpus) -> None:
    """Log-probabilities are those of the whole vocabulary: those of all labels add up to less than one."""
    import math

    for response in responses(pair()[0], requests(sample, "labels", 1)):
        assert 0 < sum(math.exp(x.logprob) for x in response.likelihoods) < 1


def test_scores_of_texts_are_those_of_hf(pair: Pair, first: Any, sample: CorecodeCorpus) -> None:
    """Token by token; without the vocabulary's mean and deviation, which vLLM would send as one object per token."""
    vllm, hf = pair(chat=False)
    items = sample.file(TASKS["event_cause"], "easy", "test").items[:2]
    pairs = [*(("", "\n".join((*item.dialogue, item.question))) for item in items), ("问：", "你好。")]
    ours, theirs = (dict(chain.from_iterable(backend.surprisal(pairs, [False] * 3))) for backend in (vllm, hf))
    assert sorted(ours) == sorted(theirs) == list(range(3))
    for n, scores in theirs.items():
        assert ours[n].logprobs == pytest.approx(scores.logprobs, abs=1e-3) and ours[n].standard is None
        assert scores.standard is not None
    assert sorted(dict(chain.from_iterable(vllm.surprisal(pairs, [True, False, True])))) == [1]
    adapted = dict(chain.from_iterable(first.surprisal(pairs[-1:], [False])))
    assert adapted[0].logprobs == pytest.approx([-x for x in first.nll(pairs[-1:])[0]], abs=1e-3)


def test_nll_is_that_of_hf(pair: Pair, sample: CorecodeCorpus) -> None:
    vllm, hf = pair()
    pairs = [(r.prompt, "好的。") for r in requests(sample, per_cell=1)] + [("", "你好。"), ("你好", "")]
    for ours, theirs in zip(vllm.nll(pairs), hf.nll(pairs), strict=True):
        assert ours == pytest.approx(theirs, abs=CLOSE)
    with pytest.raises(BackendError, match="pair 1"):
        vllm.nll([("你好", "。"), ("字" * 9000, "。")])


def test_replies_stream_and_the_engine_is_fed_as_it_goes(
    pair: Pair, sample: CorecodeCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    vllm, _ = pair()
    asked = requests(sample, per_cell=3)
    core, sent = vllm.engine._core, []
    add = core.add_request

    def counted(name: str, *rest: Any, **more: Any) -> Any:
        sent.append(name)
        return add(name, *rest, **more)

    monkeypatch.setattr(core, "add_request", counted)
    groups = vllm.generate(asked, [False] * len(asked))
    first_group = next(groups)
    assert first_group and len(sent) < len(asked)
    rest = list(chain.from_iterable(groups))
    assert len(sent) == len(asked) == len(first_group) + len(rest)


def test_a_caller_that_stops_leaves_nothing_in_flight(pair: Pair, sample: CorecodeCorpus) -> None:
    vllm, _ = pair()
    asked = requests(sample)
    groups = vllm.generate(asked, [False] * len(asked))
    kept = dict(next(groups))
    groups.close()
    assert vllm.engine._core.get_num_unfinished_requests() == 0
    rest = responses(vllm, asked, [n in kept for n in range(len(asked))])
    assert len(rest) + len(kept) == len(asked)


@pytest.mark.parametrize("scoring", ["generate", "labels", "texts"])
def test_a_prompt_that_is_too_long_fails_alone(pair: Pair, sample: CorecodeCorpus, scoring: str) -> None:
    asked = requests(sample, scoring, 1)[:3]
    long = "A: " + "字" * 9000 + asked[1].prompt
    asked[1] = replace(asked[1], prompt=long, messages=(Message("user", long),))
    replies = responses(pair()[0], asked)
    assert "exceed" in (replies[1].error or "")
    assert replies[0].error is None and replies[2].error is None


def test_what_the_engine_refuses_fails_alone(pair: Pair, sample: CorecodeCorpus) -> None:
    """An option that is longer than the context: only the engine sees it."""
    asked = requests(sample, "texts", 1)[:3]
    asked[1] = replace(asked[1], options=("字" * 3000, *asked[1].options[1:]))
    replies = responses(pair()[0], asked)
    assert replies[1].error and replies[0].error is None and replies[2].error is None


def test_the_plan_brings_one_beginning_together(pair: Pair, sample: CorecodeCorpus) -> None:
    vllm, _ = pair()
    asked = requests(sample)
    order = list(chain.from_iterable(vllm.plan(asked)))
    assert sorted(order) == list(range(len(asked)))
    prompts = [vllm.ids(asked[n]) for n in order]
    assert prompts == sorted(prompts)


def test_models_on_one_engine_are_told_apart(
    pair: Pair, first: Any, spec: Model, adapters: list[Path], sample: CorecodeCorpus
) -> None:
    base, _ = pair()
    other = first.share(spec.model_copy(update={"adapter": str(adapters[1])}))
    three = [base, first, other]
    assert len({b.fingerprint for b in three}) == 3
    asked = requests(sample, per_cell=1)
    replies = [[r.text for r in responses(b, asked)] for b in three]
    assert replies[0] != replies[1] != replies[2] != replies[0]
    hf = load_backend(spec.model_copy(update={"backend": "hf", "device": "cpu"}))
    assert replies[1] == [r.text for r in responses(hf, asked)]
    hf.close()


def test_an_adapter_that_is_not_there(first: Any, spec: Model, sample: CorecodeCorpus) -> None:
    with pytest.raises(BackendError, match="cannot load adapter"):
        first.share(spec.model_copy(update={"adapter": "/nowhere"}))
    assert all(r.error is None for r in responses(first, requests(sample, per_cell=1)))  # the engine lives on


def test_other_engine_settings_want_another_engine(first: Any, spec: Model) -> None:
    assert first.share(spec.model_copy(update={"dtype": "bfloat16"})) is None
    assert first.share(spec.model_copy(update={"backend": "hf"})) is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [({"path": "/nowhere/at/all"}, "cannot load"), ({"device": "cuda:7"}, "set device: auto")],
)
def test_what_cannot_be_loaded_says_why(spec: Model, changed: dict[str, str], message: str) -> None:
    with pytest.raises(BackendError, match=f"model tiny: .*{message}"):
        load_backend(spec.model_copy(update=changed))


def test_a_run_of_three_models_makes_one_engine(
    tmp_path: Path, spec: Model, first: Any, adapters: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """base, and two adapters, in the order of the file; then the same command again asks nothing."""
    entry = spec.model_dump(mode="json", exclude={"name", "adapter"}, exclude_defaults=True)
    names: dict[str, Path | None] = {"base": None, "one": adapters[0], "two": adapters[1]}
    rows = [{**entry, "name": name, **({"adapter": str(a)} if a else {})} for name, a in names.items()]
    (tmp_path / "models.yaml").write_text(json.dumps({"models": rows}), encoding="utf-8")
    made: list[str] = []

    def engine(model: Model, **_: Any) -> Any:
        made.append(model.name)
        return first.share(model)

    monkeypatch.setattr("evalsuite.evaluation.ask.load_backend", engine)
    monkeypatch.setattr(type(first), "close", lambda self: None)  # the session's engine goes on
    settings: dict[str, Any] = {
        "tasks": ["knowledge_filling", "event_cause"], "limit": 3, "scoring": ["generate", "labels"], "out": tmp_path / "run",
    }  # fmt: skip
    done = evalsuite.run(tmp_path / "models.yaml", **settings)
    assert made == ["one"] and done.exit_code == 0 and not done.problems
    assert {c.model for c in done.cells} == set(names)
    assert sum(c.items for c in done.cells) == 3 * (2 * 2 * 3 + 2 * 3)
    again = evalsuite.run(tmp_path / "models.yaml", **settings)
    assert [c.metrics for c in again.cells] == [c.metrics for c in done.cells]
    assert "6 asked" not in (tmp_path / "run" / "run.log").read_text().split("kept", 1)[1].partition("\n")[0]


def test_a_sweep_is_evaluated_on_one_engine(
    tmp_path: Path, spec: Model, first: Any, sample: CorecodeCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`finetune` on a vllm model: its adapters are trained here, and say on the engine what they say on hf."""
    pytest.importorskip("accelerate", reason="needs evalsuite[finetune]")
    entry = spec.model_dump(mode="json", exclude={"adapter"}, exclude_defaults=True)
    entry["finetune"] = {"rank": 4, "learning_rate": 0.02, "epochs": 2, "batch": 2, "gradient_accumulation": 1}
    (tmp_path / "models.yaml").write_text(json.dumps({"models": [entry]}), encoding="utf-8")
    made: list[str] = []

    def engine(model: Model, **_: Any) -> Any:
        made.append(model.name)
        return first.share(model)

    monkeypatch.setattr("evalsuite.evaluation.ask.load_backend", engine)
    monkeypatch.setattr(type(first), "close", lambda self: None)  # the session's engine goes on
    done = evalsuite.finetune(
        tmp_path / "models.yaml", model=["tiny"], tasks=["knowledge_filling"], sizes=[2, 6], set="easy", test_size=4,
        out=tmp_path / "run",
    )  # fmt: skip
    assert made == ["tiny+knowledge_filling-2-s1"] and done.exit_code == 0 and not done.problems
    said: dict[str, list[str]] = {}
    for path in (tmp_path / "run" / "records").iterdir():
        for record in read_jsonl(path):
            said.setdefault(record["model"], []).append(record["reply"])
    prompt = Prompt(bundled("prompts"), TASKS["knowledge_filling"], "paper")
    asked = [prompt.request(item) for item in sample.file(prompt.task, "easy", "test").items[:4]]
    listed = load_models(tmp_path / "run" / "models.yaml")
    assert [m.name for m in listed] == ["tiny", "tiny+knowledge_filling-2-s1", "tiny+knowledge_filling-6-s1"]
    for model in listed:
        hf = load_backend(model.model_copy(update={"backend": "hf", "device": "cpu"}))
        assert said[model.name] == [r.text for r in responses(hf, asked)]
        hf.close()
    assert len({tuple(replies) for replies in said.values()}) == 3


def test_an_interrupted_run_goes_on_where_it_was(
    tmp_path: Path, spec: Model, first: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped after some replies: they are kept, none is asked again, and all ends as if it had not been."""
    entry = spec.model_dump(mode="json", exclude={"name"}, exclude_defaults=True)
    (tmp_path / "models.yaml").write_text(json.dumps({"models": [{**entry, "name": "m"}]}), encoding="utf-8")
    monkeypatch.setattr("evalsuite.evaluation.ask.load_backend", lambda model, **_: first.share(model))
    monkeypatch.setattr(type(first), "close", lambda self: None)
    settings: dict[str, Any] = {"tasks": ["domain_identification", "event_cause"], "limit": 12}
    put, kept = Store.put, []

    def stopped(self: Store, responses: Any) -> None:
        kept.extend(responses := list(responses))
        put(self, responses)
        if len(kept) >= 10:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Store, "put", stopped)
        with pytest.raises(KeyboardInterrupt):
            evalsuite.run(tmp_path / "models.yaml", out=tmp_path / "cut", **settings)
    assert 10 <= len(kept) < 48
    evalsuite.run(tmp_path / "models.yaml", out=tmp_path / "cut", **settings)
    evalsuite.run(tmp_path / "models.yaml", out=tmp_path / "whole", **settings)
    with sqlite3.connect(tmp_path / "cut" / "store.sqlite") as store:
        assert store.execute("SELECT count(*), max(asked) FROM replies").fetchone() == (48, 1)
    assert (tmp_path / "cut" / "results.json").read_bytes() == (tmp_path / "whole" / "results.json").read_bytes()


def test_parity_of_the_command_line(tmp_path: Path, spec: Model) -> None:
    """hf and vllm one after the other, in a process of its own: an engine of its own, which is gone afterwards."""
    entry = spec.model_dump(mode="json", exclude={"adapter"}, exclude_defaults=True)
    (tmp_path / "models.yaml").write_text(json.dumps({"models": [entry]}), encoding="utf-8")
    out = tmp_path / "parity.json"
    words = ["parity", "--model", "tiny", "--models", str(tmp_path / "models.yaml"), "--limit", "1", "--out", str(out)]
    done = subprocess.run(
        [sys.executable, "-m", "evalsuite.cli", *words],
        capture_output=True, text=True, env={**os.environ, "HF_HUB_OFFLINE": "1", "COLUMNS": "80", "VLLM_ENABLE_V1_MULTIPROCESSING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert all(len(line) <= 80 for line in done.stdout.splitlines() if str(out) not in line)
    (report,) = json.loads(out.read_text())
    assert (report["a"], report["b"]) == ("hf", "vllm") and len(report["rows"]) == 22
    for row in report["rows"]:
        assert row["items"] == row["same_ids"] == row["same"] == 1 and row["differences"] == []
        assert row["largest"] < CLOSE
