"""The estimate of a run before it starts: the run lies in the range, and nothing that is known is counted twice."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from needs import needs
from tiers import thorough_but

import evalsuite
from evalsuite.backends.model import API, Model, Price
from evalsuite.backends.openai.faults import Server
from evalsuite.backends.openai.spending import cost_of
from evalsuite.common.errors import ConfigError
from evalsuite.evaluation.costs import CostEstimate, Range, as_row, foresee_replies
from evalsuite.evaluation.prompt_tokens import by_rule
from evalsuite.evaluation.stored_samples import CountedReply, Kinship
from evalsuite.evaluation.token_forecast import ContextSample, forecast
from evalsuite.results.store import open_store
from evalsuite.types import Message, Request

needs("openai", "openai", "tenacity", "aiolimiter")

TASKS = ("knowledge_filling", "event_cause")


def reply(prompt: str) -> str:
    """A reply that is short as a rule; one in twelve runs on."""
    draw = Random(prompt)
    return "因为" * draw.choice([1, 2, 3, 4]) if draw.random() < 11 / 12 else "所以" * 15


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(mix={}, reply=reply) as server:
        yield server


@pytest.fixture
def models(server: Server, tmp_path: Path) -> Callable[..., Path]:
    def write(more: str = "", name: str = "far") -> Path:
        path = tmp_path / f"{name}.yaml"
        api = f"base_url: {server.url}, key_env: null, price: {{input: 1, output: 8}}{more}"
        path.write_text(f"models:\n  - {{name: {name}, backend: openai, path: p, chat: true, api: {{{api}}}}}\n")
        return path

    return write


def settings_for(path: Path, **more: Any) -> dict[str, Any]:
    return {"models": path, "tasks": TASKS, "set": "easy", "data": "bundled:sample", "seed": 3, **more}


def total(rows: list[CostEstimate]) -> CostEstimate:
    return rows[-1]


def spent_cost(run: Path) -> float:
    with open_store(run) as store:
        return store.spent()


# The whole way ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_lies_in_the_range_and_only_what_is_left_is_counted(models: Any, server: Server, tmp_path: Path) -> None:
    path, run = models(), tmp_path / "run"
    before = total(evalsuite.estimate_cost(**settings_for(path), out=run))
    assert before.cost and before.cost.mean is None and before.reply_tokens and before.replies == 0
    evalsuite.run(**settings_for(path, limit=6), out=run)
    first = spent_cost(run)
    rows = evalsuite.estimate_cost(**settings_for(path), out=run)
    assert [(row.model, row.task) for row in rows] == [("far", TASKS[0]), ("far", TASKS[1]), ("far", None)]
    said = total(rows)
    assert said.left == before.left - 12 and said.requests == before.requests and said.replies == 12
    assert said.kinships == (Kinship.SAME,) and said.prompts == "replies"
    evalsuite.run(**settings_for(path), out=run)
    assert said.cost and said.cost.mean and said.most
    assert said.cost.low <= spent_cost(run) - first <= said.cost.high < said.most
    assert said.cost.high - said.cost.low < before.cost.high - before.cost.low
    assert before.cost.low <= spent_cost(run) <= before.cost.high < (before.most or 0)
    # Each task by itself, as the run's own results count them.
    after = total(evalsuite.estimate_cost(**settings_for(path), out=run))
    assert after.left == 0 and after.cost and after.cost.low == after.cost.high == 0
    assert server.account()["requests"] == said.requests


def test_other_settings_of_the_model_are_asked_anew(models: Any, tmp_path: Path) -> None:
    """A model that thinks now, under the same name, is asked anew: replies without thinking say little about those to come."""
    run = tmp_path / "run"
    evalsuite.run(**settings_for(models(), limit=6), out=run)
    row = total(evalsuite.estimate_cost(**settings_for(models(", parameters: {think: true}"), limit=6), out=run))
    assert row.left == 12 and row.kinships == (Kinship.MODEL,)
    more = total(evalsuite.estimate_cost(**settings_for(models(", reasoning_tokens: 4000"), limit=6), out=run))
    assert more.left == 12 and more.reply_tokens and more.reply_tokens.high > 12 * 4000


@pytest.mark.parametrize(
    ("asked", "kinship"),
    [
        ({"set": "hard"}, Kinship.ITEMS),
        ({"perturb": ["shuffle"]}, Kinship.ITEMS),
        ({"prompt": ["plain"]}, Kinship.WAY),
        ({"shots": [1]}, Kinship.WAY),
        ({"tasks": ["domain_identification"]}, Kinship.TASK),
        ({"tasks": ["domain_identification"], "prompt": ["plain"]}, None),
    ],
)
def test_the_closest_replies_are_taken_and_named(
    asked: dict[str, Any], kinship: Kinship | None, models: Any, tmp_path: Path
) -> None:
    path, run = models(), tmp_path / "run"
    evalsuite.run(**settings_for(path, limit=4, tasks=TASKS[:1]), out=run)
    more = {"limit": 4, "tasks": TASKS[:1], **asked}
    row = total(evalsuite.estimate_cost(**settings_for(path, **more), out=tmp_path / "new", samples=[run]))
    assert row.kinships == ((kinship,) if kinship else ()) and row.replies == (4 if kinship else 0)
    assert row.reply_tokens and (row.reply_tokens.mean is None) == (kinship is None)
    price, prompt = Price(input=1, output=8), row.prompt_tokens
    assert row.cost and prompt
    assert row.cost.low == cost_of(price, prompt.low, row.reply_tokens.low)
    assert row.cost.high == cost_of(price, prompt.high, row.reply_tokens.high)
    # The first run is no sample of these requests: the range still goes to the limit.
    nothing = total(evalsuite.estimate_cost(**settings_for(path, **more), out=tmp_path / "new"))
    assert nothing.reply_tokens and row.reply_tokens.high == nothing.reply_tokens.high


def test_replies_of_another_model(models: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    evalsuite.run(**settings_for(models(), limit=4), out=run)
    row = total(
        evalsuite.estimate_cost(**settings_for(models(name="other"), limit=4), samples=[run], out=tmp_path / "new")
    )
    assert row.kinships == (Kinship.MODEL,) and row.left == 8 and row.prompts == "estimated"
    with pytest.raises(ConfigError, match="no such folder"):
        evalsuite.estimate_cost(**settings_for(models(), limit=4), samples=[tmp_path / "nowhere"])


@pytest.mark.slow
def test_a_setting_that_is_named_twice_counts_once() -> None:
    asked: dict[str, Any] = {"model": ["tiny-zh"], "tasks": ["knowledge_filling"], "set": "hard", "limit": 2}
    for twice in ({"shots": [0, 0]}, {"scoring": ["labels", "labels"]}, {"perturb": ["none", "none"]}):
        once = {name: values[:1] for name, values in twice.items()}
        assert evalsuite.estimate_cost(**asked, **twice) == evalsuite.estimate_cost(**asked, **once)


def test_a_local_model_is_counted_and_has_no_price(tmp_path: Path) -> None:
    """Prompts are counted as the run counts them; what compares likelihoods writes nothing; a baseline takes nothing."""
    needs("hf", "torch", "transformers")
    asked: dict[str, Any] = {
        "tasks": TASKS[:1],
        "limit": 3,
        "data": "bundled:sample",
        "scoring": ["generate", "labels"],
    }
    rows = evalsuite.estimate_cost(model=["tiny-zh", "random"], out=tmp_path / "run", **asked)
    tiny, random = (next(r for r in rows if (r.model, r.task) == (name, None)) for name in ("tiny-zh", "random"))
    assert random.requests == 6 and random.prompt_tokens is random.reply_tokens is random.cost is None
    assert tiny.prompts == "counted" and tiny.cost is None and tiny.most is None and tiny.prompt_tokens
    evalsuite.run(model=["tiny-zh"], out=tmp_path / "run", **asked)
    with open_store(tmp_path / "run") as store:
        told = [r.prompt_tokens for cell in store.cells() for _, _, r in store.read(cell) if r and not r.likelihoods]
    assert len(told) == 6 and tiny.prompt_tokens.low == tiny.prompt_tokens.high == 2 * sum(told)
    (only,) = (
        r
        for r in evalsuite.estimate_cost(model=["tiny-zh"], out=tmp_path / "new", **{**asked, "scoring": ["labels"]})
        if r.task
    )
    assert only.reply_tokens and only.reply_tokens.high == 0 and only.requests == 6
    assert total(evalsuite.estimate_cost(model=["tiny-zh"], out=tmp_path / "run", **asked)).left == 0


# The statistics ---------------------------------------------------------------------------------------------------

LENGTHS: dict[str, tuple[int, Callable[[np.random.Generator, int], Any]]] = {
    "always the same": (48, lambda rng, n: np.full(n, 5)),
    "labels": (48, lambda rng, n: rng.choice([1, 2, 3, 7], n, p=[0.5, 0.3, 0.15, 0.05])),
    "one in fifty runs on": (1024, lambda rng, n: np.where(rng.random(n) < 0.02, 1024, 5)),
    "thoughts": (8192, lambda rng, n: np.minimum(np.exp(rng.normal(6.5, 1.2, n)), 8192)),
    "half are cut": (320, lambda rng, n: np.where(rng.random(n) < 0.5, 320, rng.integers(1, 100, n))),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", thorough_but(1, LENGTHS))
@pytest.mark.parametrize("size", [10, 40])
@pytest.mark.parametrize("alike", [1, 4], ids=["alone", "four of a dialogue"])
def test_the_range_covers_what_it_claims(name: str, size: int, alike: int) -> None:
    """At least 95 % of 150 totals lie in the range, also where the lengths of a dialogue's replies go together."""
    limit, draw = LENGTHS[name]
    rng = np.random.default_rng(7)
    inside = 0
    for time in range(150):
        lengths = draw(rng, 60).repeat(alike).reshape(60, alike).astype(float)
        lengths = np.where(rng.random(lengths.shape) < 0.5, lengths, draw(rng, lengths.size).reshape(lengths.shape))
        seen, rest = lengths[:size], lengths[size:]
        found = forecast([ContextSample(row.sum(), alike) for row in seen], rest.size, 1, limit, f"{time}")
        low, high = found.ends
        inside += low - 1e-6 <= rest.sum() <= high + 1e-6
        assert found.mean == pytest.approx(seen.mean() * rest.size)
    assert inside >= 0.95 * 150


def test_more_replies_narrow_the_range() -> None:
    lengths = np.random.default_rng(1).integers(1, 60, 400)
    widths = []
    for size in (10, 50, 400):
        seen = [ContextSample(float(x), 1) for x in lengths[:size]]
        low, high = forecast(seen, 1000, 1, 64, "a").ends
        widths.append(high - low)
    assert widths[0] > 2 * widths[1] > 3 * widths[2] > 0


# Tokens of one item of six tasks, in the wording of the paper, as these tokenizers count them: the first about a waiting room
# of CORECODE's, the first of the others.
COUNTED = {
    "cl100k_base": (676, 648, 661, 409, 168, 96),
    "o200k_base": (501, 475, 478, 289, 125, 95),
    "deepseek": (399, 377, 379, 218, 103, 95),
    "tekken": (554, 525, 527, 325, 136, 96),
    "qwen2": (436, 413, 416, 251, 115, 96),
    "qwen3.6": (392, 371, 373, 230, 106, 97),
}
COUNTED_TASKS = ("knowledge_filling", "conflict_detection", "event_cause", "charm_nli", "c3_reading", "cider_dnli")


def test_the_rule_against_tokenizers() -> None:
    count = by_rule(Model(name="m", backend="openai", path="p"))
    for n, task in enumerate(COUNTED_TASKS):
        _, trials = next(evalsuite.preview(model=["random"], tasks=[task], data="bundled:sample"))
        trial = next((one for one in trials if "候车大厅" in one.request.prompt), trials[0])
        found = count(trial.request)
        told = [counts[n] for counts in COUNTED.values()]
        assert found.low <= min(told) and max(told) <= found.high, task
        assert found.mean == pytest.approx(float(np.median(told)), rel=0.2), task


def test_replies_may_grow_to_the_largest_limit() -> None:
    known = [CountedReply(("A",), Request("1", "?", (), 64), 5, 1)]
    near, far = (foresee_replies(known, rooms, "a").ends[1] for rooms in ([8, 8], [8, 64]))
    assert near <= 2 * 8 < far <= 2 * 64


def test_a_chat_template_takes_tokens() -> None:
    chat, plain = (by_rule(Model(name="m", backend="openai", path="p", chat=chat)) for chat in (True, False))
    request = Request("1", "你好", (Message("user", "你好"),), 8)
    assert plain(request).mean == 1.5 and chat(request).mean == 1.5 + 5 + 8


def test_a_run_ends_with_what_it_has_spent(
    server: Server, models: Callable[..., Path], tmp_path: Path, cli: Callable[..., Any]
) -> None:
    words = ("run", "--models", models(), "--tasks", "CKF", "--set", "easy", "--limit", "2", "--out", tmp_path / "run")
    stdout = cli(*words, "--budget", "1").stdout
    found = re.search(r"^cost: (\S+) \(budget 1\)$", stdout, re.MULTILINE)
    paid = (server.prompt_tokens + 8 * server.new_tokens) / 1e6
    assert found and paid > 0 and float(found[1]) == pytest.approx(paid, rel=0.05)
    with open_store(tmp_path / "run") as store:
        for lent in (0.1, 0.2, -0.3):  # their sum is no 0
            store.lend(lent)
        assert store.bound() > 0
    assert re.search(rf"^cost: {found[1]}$", cli(*words).stdout, re.MULTILINE)  # the second command asks nothing
    local = cli("run", "--model", "random", "--tasks", "CKF", "--limit", "2", "--out", tmp_path / "local").stdout
    assert "cost:" not in local


def test_a_cost_says_which_part_of_it_is_an_upper_bound(
    server: Server,
    models: Callable[..., Path],
    tmp_path: Path,
    cli: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ("run", "--models", models(), "--tasks", "CKF", "--set", "easy", "--out", tmp_path / "run")
    counted = spent_at_end(cli(*words, "--limit", "2"))
    assert re.fullmatch(r"cost: \S+", counted)
    server.mix = {"no-usage": 1}
    said = spent_at_end(cli(*words, "--limit", "4", "--budget", "1"))
    found = re.fullmatch(
        r"cost: at most (\S+) \(budget 1\); (\S+) of it is an upper bound: .* without token counts", said
    )
    assert found and float(found[2]) < float(found[1]) == pytest.approx(spent_cost(tmp_path / "run"), rel=0.05)
    monkeypatch.setenv("EVALSUITE_LANG", "zh")
    chinese = spent_at_end(cli(*words, "--limit", "4"))
    assert re.fullmatch(rf"费用：至多 {found[1]}；其中 {found[2]} 按最高可能计：.*没有词元计数", chinese)


def test_the_cost_of_a_lost_try_is_an_upper_bound(server: Server, models: Callable[..., Path], tmp_path: Path) -> None:
    server.mix = {"drop-middle": 0.5}
    evalsuite.run(**settings_for(models(), limit=6), out=tmp_path / "run")
    with open_store(tmp_path / "run") as store:
        counted = [response for cell in store.cells() for *_, response in store.read(cell) if response]
        paid = sum(response.prompt_tokens + 8 * response.new_tokens for response in counted) / 1e6
        assert store.spent() - store.bound() == pytest.approx(paid) and store.bound() > 0


def spent_at_end(done: Any) -> str:
    (line,) = [line for line in done.stdout.splitlines() if line.startswith(("cost:", "费用："))]
    return str(line)


def test_a_price_is_of_a_million_tokens() -> None:
    price = Price(input=2, output=10)
    assert cost_of(price, 1_000_000, 500_000) == 7 and cost_of(None, 9, 9) == 0
    assert API(price=price).charged == price


# The command ------------------------------------------------------------------------------------------------------


def test_a_row_has_whole_tokens_and_costs_to_six_digits() -> None:
    tokens, cost = Range(1.4, None, 2.6), Range(0.123456789, 0.2, 1234567.0)
    made = CostEstimate("m", None, 9, 8, tokens, Range(3.0, 4.0, 5.0), cost, 7.5, "counted", 2, (Kinship.SAME,))
    assert as_row(made) == {
        "model": "m", "task": None, "requests": 9, "left": 8, "prompt_tokens": {"low": 1, "mean": None, "high": 3},
        "reply_tokens": {"low": 3, "mean": 4, "high": 5}, "cost": {"low": 0.123457, "mean": 0.2, "high": 1234570.0},
        "most": 7.5, "prompts": "counted", "replies": 2, "kinships": ["same"],
    }  # fmt: skip


def test_the_table_has_tokens_and_costs(models: Any, tmp_path: Path, cli: Any) -> None:
    run = tmp_path / "run"
    path = models()
    evalsuite.run(**settings_for(path, limit=6), out=run)
    words = [
        "preview",
        "--models",
        path,
        "--tasks",
        ",".join(TASKS),
        "--set",
        "easy",
        "--data",
        "bundled:sample",
        "--out",
        run,
    ]
    words += ["--seed", "3"]
    stdout = cli(*words, "--cost", "--budget", "5", COLUMNS="80").stdout
    assert "Left to ask" in stdout and "95% prediction interval" in stdout and "all tasks" in stdout
    assert "━━" not in stdout and max(map(len, stdout.splitlines())) <= 80
    assert "which covers the range" in stdout
    whole = cli(*words, COLUMNS="80").stdout
    assert "━━" in whole and whole.index("━━") < whole.index("Left to ask")
    rows = [json.loads(line) for line in cli(*words, "--cost", "--json").stdout.splitlines()]
    assert [row["task"] for row in rows] == [*TASKS, None] and rows[-1]["kinships"] == ["same"]
    assert set(rows[0]["cost"]) == {"low", "mean", "high"}
    assert {*json.loads(cli(*words, "--json").stdout.splitlines()[0])} >= {"item", "prompt"}
    unknown = cli(*words[:-3], tmp_path / "new", "--cost", COLUMNS="80").stdout
    assert "limit: no replies to go by" in unknown and "~" in unknown


def test_a_missing_price_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    endpoint = {
        "backend": "openai",
        "path": "x",
        "chat": True,
        "api": {"base_url": "http://127.0.0.1:9/v1", "key_env": None},
    }
    priced = {**endpoint, "api": {**endpoint["api"], "price": {"input": 1, "output": 1}}}
    models = tmp_path / "models.yaml"
    models.write_text(json.dumps({"models": [priced | {"name": "first"}, endpoint | {"name": "second"}]}))
    with pytest.raises(ConfigError, match=r"^model second: --budget needs to know"):
        evalsuite.run(models, tasks=TASKS[:1], limit=1, budget=1.0, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
