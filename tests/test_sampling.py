"""Sampling and beam search: settings, seeds, keys, and what several samples of an item make of a cell."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from statistics import stdev
from typing import Any

import pytest
from as_json import cells_of, content_of
from pydantic import ValidationError
from tiers import thorough_but

import evalsuite
from evalsuite.analyses.items import list_records
from evalsuite.analyses.saved import results_file
from evalsuite.backends.base import Limits, sample_seed
from evalsuite.backends.model import API, Generation, Model
from evalsuite.backends.models import load_models
from evalsuite.backends.openai.backend import OpenAI
from evalsuite.backends.openai.faults import Server
from evalsuite.backends.registry import load_backend
from evalsuite.backends.vllm.beams import beam_search, candidates
from evalsuite.common.errors import BackendError, ConfigError
from evalsuite.exchange.parity import parity
from evalsuite.results.records import read_records
from evalsuite.results.schema.record import Record
from evalsuite.results.store import open_store, request_key
from evalsuite.types import Message, Request

TEXTS = ("你好", "今天天气很好，我们去公园玩吧。请问", "A: 我想看电影。\nB: 好的", "问：小明为什么哭？\n答：")
KEY = "sk-marker-9f8e7d6c5b4a"


def request(text: str, **changed: Any) -> Request:
    return replace(Request(text[:9], text, (Message("user", text),), 12), **changed)


ASKED = [request(text) for text in TEXTS]


def hf(tiny: Path, **generation: Any) -> Any:
    pytest.importorskip("torch", reason="needs evalsuite[hf]")
    made = Generation(**generation)
    return load_backend(Model(name="t", backend="hf", path=str(tiny), dtype="float32", device="cpu", generation=made))


def replies(backend: Any, asked: Sequence[Request] = ASKED, done: Sequence[bool] = ()) -> dict[int, str]:
    found = dict(chain.from_iterable(backend.generate(asked, done or [False] * len(asked))))
    assert not any(response.error for response in found.values())
    return {n: response.text for n, response in found.items()}


# --- settings


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"generation": {"samples": 3}}, "generation.samples: has no effect at temperature 0"),
        ({"generation": {"top_p": 0.9}}, "generation.top_p: has no effect at temperature 0"),
        ({"generation": {"top_k": 5}}, "generation.top_k: has no effect at temperature 0"),
        ({"generation": {"beams": 2, "temperature": 0.5}}, "beam search is not random"),
        ({"generation": {"temperature": 0.5}, "api": {"temperature": 0.7}}, "keep the first"),
        ({"generation": {"temperature": -1.0}}, "greater than or equal to 0"),
        ({"generation": {"top_p": 0.0}}, "greater than 0"),
        ({"generation": {"samples": 0}}, "greater than or equal to 1"),
        ({"api": {"parameters": {"top_p": 0.9}}}, "top_p: set by evalsuite"),
    ],
)
def test_settings_that_do_not_fit(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        Model(name="m", backend="openai", path="x", **settings)


def test_temperature_under_its_older_name() -> None:
    both = {"generation": {"temperature": 0.7}, "api": {"temperature": 0.7}}
    for settings in ({"api": {"temperature": 0.7}}, {"generation": {"temperature": 0.7}}, both):
        model = Model.model_validate({"name": "m", "backend": "openai", "path": "x", **settings})
        assert (model.generation.temperature, model.generation.decoding) == (0.7, {"temperature": 0.7, "seed": 0})
        assert Model.model_validate(model.model_dump()) == model
    assert Model(name="m", backend="openai", path="x", api=API(temperature=None)).generation.decoding == "greedy"


@pytest.mark.parametrize(
    ("backend", "generation", "says"),
    [
        ("openai", "beams: 4", "backend openai does not take generation.beams; backends hf, vllm do"),
        ("baseline", "temperature: 1.0", "backend baseline does not take generation.temperature"),
        ("hf", "temperature: null", r"generation.temperature: null \(not sent\) is for endpoints"),
        ("vllm", "{temperature: 1.0, seed: null}", r"generation.seed: null \(not sent\) is for endpoints"),
    ],
)
def test_a_backend_that_cannot(tmp_path: Path, backend: str, generation: str, says: str) -> None:
    made = generation if generation.startswith("{") else f"{{{generation}}}"
    (tmp_path / "m.yaml").write_text(f"models:\n  - {{name: m, backend: {backend}, path: x, generation: {made}}}\n")
    with pytest.raises(ConfigError, match=f"m.yaml:2: .*{says}"):
        load_models(tmp_path / "m.yaml")


def test_parity_is_not_of_samples(tmp_path: Path) -> None:
    models = tmp_path / "m.yaml"
    models.write_text("models: [{name: m, backend: hf, path: x, generation: {temperature: 0.7}}]")
    with pytest.raises(ConfigError, match="engines draw other samples from one seed"):
        parity(models, "m")


# --- keys and seeds


def test_the_key_of_a_greedy_reply_is_that_of_earlier_versions(tiny: Path) -> None:
    settings = hf(tiny).settings
    assert settings == {"decoding": "greedy", "stop": []}
    # The key names no sampling: a greedy run that a version without sampling began goes on with its replies.
    assert (
        request_key("f", ASKED[0], False, settings)
        == "3f9b842fa34ba3c174ace30c92846186b26ac4dae8e96fc08f749ba7eee5f352"
    )


def test_what_changes_a_reply_changes_its_key(tiny: Path) -> None:
    ways: list[dict[str, Any]] = [
        {},
        {"temperature": 0.7},
        {"temperature": 0.7, "seed": 1},
        {"temperature": 0.7, "top_p": 0.9},
        {"temperature": 0.7, "top_k": 9},
        {"repetition_penalty": 1.1},
        {"beams": 2},
    ]
    settings = [
        {"decoding": Model(name="m", backend="hf", path="x", generation=Generation(**w)).generation.decoding}
        for w in ways
    ]
    keys = {request_key("f", replace(ASKED[0], sample=n), False, s) for s in settings for n in (0, 1)}
    assert len(keys) == 2 * len(ways)
    more = Model(name="m", backend="hf", path="x", generation=Generation(temperature=0.7, samples=9))
    assert more.generation.decoding == settings[1]["decoding"]  # more samples leave the first ones' keys as they are


def test_a_seed_follows_from_seed_prompt_and_sample() -> None:
    first = sample_seed(0, ASKED[0])
    assert 0 <= first < 2**31 and sample_seed(0, replace(ASKED[0], id="other", batch=("x",))) == first
    others = [sample_seed(1, ASKED[0]), sample_seed(0, ASKED[1]), sample_seed(0, replace(ASKED[0], sample=1))]
    assert len({first, *others}) == 4
    assert first != sample_seed(0, request("\ud83d")) < 2**31  # half a character is hashed, too


# --- transformers

WARM = {"temperature": 1.0, "top_p": 0.95, "top_k": 200, "repetition_penalty": 1.2}


@pytest.mark.slow
def test_a_sampled_reply_depends_on_its_seed_alone(tiny: Path) -> None:
    """The reply depends neither on its batch nor on what a run had asked before it was interrupted."""
    backend = hf(tiny, **WARM)
    asked = [replace(r, sample=n) for r in ASKED for n in range(3)]
    found = replies(backend, asked)
    assert replies(backend, asked) == found
    assert len(set(found.values())) == len(asked)
    assert [replies(backend, [r])[0] for r in asked[:6]] == [found[n] for n in range(6)]
    done = [n % 2 == 0 for n in range(len(asked))]
    assert replies(backend, asked, done) == {n: text for n, text in found.items() if n % 2}
    assert all(a != b for a, b in zip(replies(hf(tiny, **WARM, seed=1), asked).values(), found.values(), strict=True))


@pytest.mark.slow
def test_a_sample_follows_the_probabilities(tiny: Path) -> None:
    """The first token of 300 samples at top_k 3, beside the softmax of the three largest logits."""
    import torch

    backend = hf(tiny, temperature=0.7, top_k=3)
    asked = [request(TEXTS[2], max_new_tokens=1, sample=n) for n in range(300)]
    ids = torch.tensor([backend.ids(asked[0])])
    top = backend.net(ids).logits[0, -1].detach().topk(3)
    expected = {
        backend.checkpoint.tokenizer.decode([token], skip_special_tokens=True): float(share)
        for token, share in zip(top.indices.tolist(), (top.values / 0.7).softmax(-1), strict=True)
    }
    said = list(replies(backend, asked).values())
    assert all(abs(said.count(text) / len(said) - share) < 0.1 for text, share in expected.items())


def test_hardly_any_temperature_is_greedy(tiny: Path) -> None:
    assert replies(hf(tiny, temperature=1e-4)) == replies(hf(tiny))


@pytest.mark.parametrize("settings", [{"num_beams": 4}, {"repetition_penalty": 3.0}], ids=["beams", "penalty"])
def test_beams_and_penalty_are_those_of_transformers(tiny: Path, settings: dict[str, Any]) -> None:
    """The backend asks in one padded batch, transformers' `generate` prompt by prompt."""
    import torch
    import transformers

    backend = hf(tiny, **{name.removeprefix("num_"): value for name, value in settings.items()})
    found = replies(backend)
    tokenizer = backend.checkpoint.tokenizer
    config = transformers.GenerationConfig(
        max_new_tokens=12, eos_token_id=backend.checkpoint.stop_ids, pad_token_id=tokenizer.pad_token_id, **settings
    )
    for n, asked in enumerate(ASKED):
        ids = torch.tensor([backend.ids(asked)])
        out = backend.net.generate(input_ids=ids, attention_mask=torch.ones_like(ids), generation_config=config)
        assert found[n] == tokenizer.decode(out[0, ids.shape[1] :], skip_special_tokens=True)
    assert found != replies(hf(tiny))


@pytest.mark.slow
@pytest.mark.parametrize("beams", thorough_but(1, [2, 5]))
def test_vllms_beam_search_is_transformers_one(tiny: Path, beams: int) -> None:
    """The search itself, over the same network, without vLLM."""
    import torch

    backend = hf(tiny, beams=beams)
    stop = backend.checkpoint.stop_ids

    def likeliest(prompt: list[int], tokens: tuple[int, ...]) -> Mapping[int, float]:
        with torch.inference_mode():
            row = backend.net(torch.tensor([[*prompt, *tokens]])).logits[0, -1].float().log_softmax(-1)
        top = row.topk(candidates(beams, stop))
        return dict(zip(top.indices.tolist(), top.values.tolist(), strict=True))

    def search_reply(asked: Request) -> str:
        prompt, search = backend.ids(asked), beam_search(beams, asked.max_new_tokens, stop)
        running = next(search)
        while True:
            try:
                running = search.send([likeliest(prompt, tokens) for tokens in running])
            except StopIteration as end:
                return str(backend.checkpoint.reply(end.value, len(prompt), asked.max_new_tokens).text)

    assert {n: search_reply(asked) for n, asked in enumerate(ASKED)} == replies(backend)


def test_constrained_replies_are_drawn_among_the_labels(tiny: Path) -> None:
    asked = [request(TEXTS[3], scoring="constrained", labels=("(a)", "(b)"), options=("甲", "乙"), sample=n)
             for n in range(20)]  # fmt: skip
    said = {text.strip() for text in replies(hf(tiny, temperature=2.0), asked).values()}
    assert said == {"a", "b"} or (said <= {"a", "b", "(a)", "(b)"} and len(said) > 1)
    ((_, response),) = chain.from_iterable(hf(tiny, beams=2).generate(asked[:1], [False]))
    assert response.error == "scoring constrained: not with beam search; leave out generation.beams"


# --- endpoints


class Listening(Server):
    """A server that keeps the requests it gets."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.bodies: list[dict[str, Any]] = []

    async def _reply(self, *given: Any) -> bool:
        self.bodies.append(given[2])
        return await super()._reply(*given)


def endpoint(server: Server, generation: Generation, **api: Any) -> OpenAI:
    pytest.importorskip("openai", reason="needs evalsuite[openai]")
    made = API(base_url=server.url, key_env=None, backoff=0.02, **api)
    return OpenAI(Model(name="m", backend="openai", path="x", chat=True, api=made, generation=generation), Limits())


def test_an_endpoint_is_sent_the_settings() -> None:
    asked = [replace(ASKED[0], sample=n) for n in range(3)]
    with Listening(mix={}) as server:
        backend = endpoint(
            server, Generation(temperature=0.7, top_p=0.8, top_k=20, repetition_penalty=1.05, samples=3, seed=5)
        )
        replies(backend, asked)
        greedy = endpoint(server, Generation())
        replies(greedy, asked[:1])
        unsent = endpoint(server, Generation(temperature=None, seed=None))
        replies(unsent, asked[:1])
    *sampled, plain, bare = server.bodies
    assert {body["seed"] for body in sampled} == {sample_seed(5, r) for r in asked}
    assert all(
        (b["temperature"], b["top_p"], b["top_k"], b["repetition_penalty"]) == (0.7, 0.8, 20, 1.05) for b in sampled
    )
    assert {*plain} == {"model", "messages", "temperature", "max_tokens"} and plain["temperature"] == 0
    assert {*bare} == {"model", "messages", "max_tokens"}
    assert greedy.settings == {"temperature": 0.0, "stop": [], "parameters": {}, "reasoning_tokens": 0}
    assert backend.fingerprint == greedy.fingerprint and backend.settings != greedy.settings


@pytest.mark.parametrize("name", ["seed", "top_k"])
def test_an_endpoint_that_takes_a_setting_not(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from evalsuite.backends.openai import faults

    error = (400, {"message": f"Unrecognized request argument supplied: {name}", "param": name})
    monkeypatch.setitem(faults.KINDS, f"400-{name}", "")
    monkeypatch.setitem(faults.ERRORS, f"400-{name}", error)
    advice = {"seed": "set generation: {seed: null}", "top_k": "leave generation: top_k out"}[name]
    with Server(mix={f"400-{name}": 1.0}) as server, pytest.raises(BackendError, match=advice):
        replies(endpoint(server, Generation(temperature=0.7, top_k=20)))


# --- cells of several samples

MADE = {"knowledge_filling": [(0, 0), (0, 1), (1, 1)]}  # item -> whether each sample is wrong


def scripted_models(folder: Path, samples: int = 2, **lines: Any) -> Path:
    """A models.yaml with replies: of three items one right in both samples, one in the first, one in none."""
    path = folder / "replies.jsonl"
    rows = []
    for record in evalsuite.preview(tasks=["knowledge_filling"], set="easy", limit=3, model=["random"]):
        for trial, wrong in zip(record[1], MADE["knowledge_filling"], strict=True):
            labels = trial.item.labels
            for sample in range(samples):
                text = labels[((trial.item.gold or 0) + wrong[sample % 2]) % len(labels)]
                rows.append({"item": trial.item.id, "sample": sample, "text": text})
    for row in rows:
        row.update(lines.get(f"{row['item'].rpartition('/')[2]}_{row['sample']}", {}))
        if "error" in row:
            del row["text"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    models = folder / "models.yaml"
    models.write_text(f"models: [{{name: m, backend: scripted, path: replies.jsonl, "
                      f"generation: {{temperature: 0.7, samples: {samples}}}}}]")  # fmt: skip
    return models


def test_a_cell_has_the_mean_and_the_spread_of_its_samples(tmp_path: Path) -> None:
    models = scripted_models(tmp_path)
    done = evalsuite.run(models, tasks=["knowledge_filling"], set="easy", limit=3, out=tmp_path / "run")
    (cell,) = cells_of(done)
    accuracy = cell["metrics"]["accuracy"]
    assert (accuracy["value"], accuracy["n"]) == (0.5, 3)  # the items' values: 1, 0.5, 0
    assert accuracy["spread"] == pytest.approx(stdev([2 / 3, 1 / 3]))
    assert "wilson" not in accuracy  # a mean of samples is no count
    assert (cell["items"], cell["status"], cell["facts"]["samples"]) == (6, {"parsed": 6}, 2)
    assert "|decoding:samples=2|" in accuracy["signature"]
    rows = [r for _, r in list_records(done, "")]
    assert [r.get("sample", 0) for r in rows] == [0, 1] * 3
    assert [r["scores"]["accuracy"] for r in rows] == [1, 1, 1, 0, 0, 0]
    for row in rows:
        Record.model_validate(row)
    results_file().model_validate(json.loads((tmp_path / "run/results.json").read_text()))
    (bins,) = content_of(done, "breakdowns")
    assert sum(b["n"] for b in bins["options"]) == 3
    one = evalsuite.score(tmp_path / "run")
    assert cells_of(one) == cells_of(done)


def test_a_failed_sample_leaves_its_item_the_others(tmp_path: Path) -> None:
    models = scripted_models(tmp_path, **{"1_1": {"error": "lost"}, "2_0": {"error": "lost"}, "2_1": {"error": "lost"}})
    done = evalsuite.run(models, tasks=["knowledge_filling"], set="easy", limit=3, out=tmp_path / "run")
    accuracy = cells_of(done)[0]["metrics"]["accuracy"]
    assert (accuracy["value"], accuracy["n"]) == (1.0, 2)
    assert cells_of(done)[0]["status"] == {"parsed": 3, "failed": 3}


def test_more_samples_are_added_to_those_there(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"tasks": ["knowledge_filling"], "set": "easy", "limit": 3, "out": tmp_path / "run"}
    models = scripted_models(tmp_path, samples=3)
    models.write_text(models.read_text().replace("samples: 3", "samples: 2"))
    evalsuite.run(models, **asked)
    with open_store(tmp_path / "run") as store:
        before = {key for cell in store.cells() for key, _, _ in store.read(cell)}
    models.write_text(models.read_text().replace("samples: 2", "samples: 3"))
    (cell,) = cells_of(evalsuite.run(models, **asked))
    assert cell["metrics"]["accuracy"]["value"] == pytest.approx((2 + 1 + 2) / 9)
    with open_store(tmp_path / "run") as store:
        after = {key for cell in store.cells() for key, _, _ in store.read(cell)}
        assert before < after and len(after) == 9
        assert store._db.execute("SELECT count(*) FROM replies WHERE asked > 1").fetchone() == (0,)


def test_models_of_several_samples_are_compared_by_their_means(tmp_path: Path) -> None:
    models = scripted_models(tmp_path)
    text = models.read_text().removesuffix("]")
    # a model of one sample reads the first ones
    models.write_text(f"{text}, {{name: one, backend: scripted, path: replies.jsonl}}]")
    evalsuite.run(models, tasks=["knowledge_filling"], set="easy", limit=3, out=tmp_path / "run")
    (row,) = evalsuite.compare(tmp_path / "run", "m", "one")
    assert (row.items, row.a, row.b) == (3, pytest.approx(1 / 2), pytest.approx(2 / 3))
    assert [(flip.a_score, flip.b_score) for flip in row.flips] == [(0.5, 1.0)]


def test_samples_under_perturbations(tmp_path: Path) -> None:
    """A sample counts as right if it is right in all rotations; the drop is over pairs of samples."""
    models = scripted_models(tmp_path)
    done = evalsuite.run(models, tasks=["knowledge_filling"], set="easy", limit=3, out=tmp_path / "run",
                         perturb=["none", "circular"])  # fmt: skip
    circular = next(cell for cell in cells_of(done) if cell["perturb"] == "circular")
    metrics = circular["metrics"]
    assert metrics["accuracy"]["n"] == 3 and metrics["accuracy"]["spread"] is not None
    assert metrics["accuracy"]["value"] <= metrics["rotation.accuracy"]["value"]
    (drop,) = content_of(done, "robustness")["drops"]
    assert drop["items"] == 3 and drop["base"] == 0.5 and drop["value"] == metrics["accuracy"]["value"]


@pytest.mark.slow
def test_a_run_samples_each_prompt_and_resumes(tmp_path: Path, tiny: Path) -> None:
    pytest.importorskip("torch", reason="needs evalsuite[hf]")
    models = tmp_path / "models.yaml"
    models.write_text(f"models: [{{name: t, backend: hf, path: {tiny}, dtype: float32, device: cpu, "
                      "generation: {temperature: 0.9, samples: 2, max_new_tokens: 8, batch_tokens: 1500}}]")  # fmt: skip
    asked: dict[str, Any] = {"tasks": ["event_cause", "slot_identification"], "set": "easy", "limit": 3,
                             "scoring": ["generate", "labels"]}  # fmt: skip
    whole = evalsuite.run(models, **asked, out=tmp_path / "whole")
    assert {(c["task"], c["scoring"]): c["items"] for c in cells_of(whole)} == {
        ("event_cause", "generate"): 6, ("slot_identification", "generate"): 6, ("slot_identification", "labels"): 3,
    }  # fmt: skip
    labels = next(cell for cell in cells_of(whole) if cell["scoring"] == "labels")
    assert labels["facts"]["sampling"]["decoding"] == "greedy" and "samples" not in labels["facts"]
    # Interrupted after its first batch, then gone on with.
    from evalsuite.evaluation import ask as asking

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asking, "generate_of", lambda backend: lambda trials, done: _first_reply(backend, trials, done))
        cut = evalsuite.run(models, **asked, out=tmp_path / "cut")
    assert any(cell["missing"] for cell in cells_of(cut))
    again = evalsuite.run(models, **asked, out=tmp_path / "cut")
    assert not again.problems and cells_of(again) == cells_of(whole)
    for cell in cells_of(whole):
        rows = [list(read_records(tmp_path / out, cell["records"])) for out in ("whole", "cut")]
        assert rows[0] == rows[1]


def _first_reply(backend: Any, trials: Any, done: Sequence[bool]) -> Iterator[Any]:
    batches: Generator[Any] = backend.generate([trial.request for trial in trials], done)
    yield next(batches)


def test_a_judge_reads_the_first_sample(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    items = [
        t.item.id
        for _, ts in evalsuite.preview(tasks=["event_cause"], set="easy", limit=2, model=["random"])
        for t in ts
    ]
    rows = [{"item": item, "sample": n, "text": f"下雨了{n}"} for item in dict.fromkeys(items) for n in range(2)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    models = tmp_path / "models.yaml"
    models.write_text(
        "models: [{name: m, backend: scripted, path: replies.jsonl, generation: {temperature: 1.0, samples: 2}}]"
    )
    evalsuite.run(models, tasks=["event_cause"], set="easy", limit=2, out=tmp_path / "run")
    read: list[str] = []
    done = evalsuite.judge(tmp_path / "run", "judge", models={"judge": lambda r: read.append(r.prompt) or "4"})
    assert not done.problems and [c["items"] for c in content_of(done, "judged")["cells"]] == [2]
    assert len(read) == 2 and all("下雨了0" in prompt for prompt in read)


def test_the_table_shows_the_spread(tmp_path: Path, cli: Any) -> None:
    models = scripted_models(tmp_path)
    out = tmp_path / "run"
    cli("run", "--models", models, "--tasks", "knowledge_filling", "--set", "easy", "--limit", 3, "--out", out)
    stdout = cli("show", out, COLUMNS="200").stdout
    assert "±23.6" in stdout and "standard deviation between the samples' scores" in stdout


def test_the_page_shows_spread_and_samples(tmp_path: Path, browse: Any) -> None:
    evalsuite.run(scripted_models(tmp_path), tasks=["knowledge_filling"], set="easy", limit=3, out=tmp_path / "run")
    with browse(tmp_path / "run/page/index.html") as page:
        assert "n=3" in page.locator("table.overview thead").first.inner_text()  # n counts items, not replies
        value = page.locator("button.cell").first
        assert "SD of samples 23.6" in value.get_attribute("title")
        value.click()
        page.wait_for_selector("#panes")
        assert "SD of samples 23.6" in page.locator("dl.facts").inner_text()
        page.locator("#rows").get_by_text("~sample1").first.click()
        page.locator(".itemid").wait_for()
        assert page.locator(".itemid").inner_text().endswith("· sample 2")
