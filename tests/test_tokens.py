"""Tokens of replies: what endpoints count, what of it is thinking, the entry of a cell, its tables, and its proof in a
submission."""

from __future__ import annotations

import json
import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from as_json import a_cell, cells_of
from run_files import read_jsonl, results_json

import evalsuite
from evalsuite.analyses import scores, token_details, tokens
from evalsuite.analyses.saved import results_file
from evalsuite.analyses.tokens import tokens_column
from evalsuite.backends.openai.faults import Server
from evalsuite.backends.openai.replies import read_reply
from evalsuite.common.sheet import Value, english
from evalsuite.exchange.submit.submission import make_submission
from evalsuite.exchange.submit.verdict import check_submission
from evalsuite.parse.strip import thinking_share
from evalsuite.results.analysis import Results
from evalsuite.results.schema.cell import CellResult, TokenPrice
from evalsuite.results.store import open_store
from evalsuite.results.tokens import thinking_tokens, tokens_of
from evalsuite.types import Reading, Request, Response

TASK = "domain_identification"


def response_with(new: int, prompt: int = 100, text: str = "(a)", **more: Any) -> Response:
    return Response(text, "stop", prompt, new, **more)


# --- what endpoints count


@pytest.mark.parametrize(
    "usage, want",
    [
        # OpenAI's own example of reasoning (its guide): thinking is among completion_tokens.
        ({"prompt_tokens": 75, "completion_tokens": 1186, "total_tokens": 1261, "completion_tokens_details": {"reasoning_tokens": 1024}}, (75, 1186, 1024)),
        # xAI, as in vercel/ai#12425: thinking is beside them, and in the total.
        ({"prompt_tokens": 12, "completion_tokens": 1, "total_tokens": 399, "completion_tokens_details": {"reasoning_tokens": 386}}, (12, 387, 386)),
        # Gemini, as in mozilla-ai/any-llm#1290: only the total tells of it.
        ({"prompt_tokens": 20, "completion_tokens": 198, "total_tokens": 623}, (20, 603, 405)),
        ({"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}, (7, 3, None)),
        ({"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10, "completion_tokens_details": {"reasoning_tokens": 0}}, (7, 3, 0)),
        # No numbers of tokens.
        ({"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": "99", "completion_tokens_details": {"reasoning_tokens": -1}}, (7, 3, None)),
        ({"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 5, "completion_tokens_details": [1]}, (7, 3, None)),
        ({"prompt_tokens": 7, "completion_tokens": 3, "completion_tokens_details": {"reasoning_tokens": 8}}, (7, 3, 3)),
        ({"prompt_tokens": 7, "completion_tokens": None, "total_tokens": 9}, (7, 2, None)),
        ({"prompt_tokens": None, "completion_tokens": 3, "total_tokens": 9}, (0, 3, None)),
        ({"prompt_tokens": 7, "completion_tokens": -3, "total_tokens": 9}, (0, 0, None)),
        (None, (0, 0, None)),
    ],
)  # fmt: skip
def test_thinking_counts_as_generated(usage: Any, want: tuple[int, int, int | None]) -> None:
    body = json.dumps({"choices": [{"message": {"content": "(a)"}}], "usage": usage})
    reply = read_reply({"content-type": "application/json"}, body.encode())
    assert (reply.prompt_tokens, reply.new_tokens, reply.thinking_tokens) == want


# --- what is thinking


@pytest.mark.parametrize(
    "text, apart, share",
    [
        ("(a)", "", 0),
        ("(a)", "他很 累", 3 / 6),
        ("<think>他很累</think>\n\n(a)", "", 3 / 6),
        ("他很累</think>(a)", "", 3 / 6),  # the chat template opened the thinking
        ("<think>他很累", "", 1),  # cut off while thinking
        ("<think>\n\n</think>\n\n(a)", "", 0),  # Qwen3 told not to think
        ("<|channel|>analysis<|message|>he is<|channel|>final<|message|>(a)", "", 4 / 7),
        ("<think>他很累</think>(a)", "是", 4 / 7),
        ("＜think＞他很累＜/think＞(a)", "", 3 / 6),
        ("", "", 0),
        (" \n", "", 0),
        ("", "想", 1),
    ],
)
def test_shares_of_thinking(text: str, apart: str, share: float) -> None:
    assert thinking_share(text, apart) == pytest.approx(share)


def test_the_endpoints_count_of_thinking_comes_first() -> None:
    assert thinking_tokens(response_with(60, thinking_tokens=50)) == 50  # thoughts that the endpoint does not show
    assert thinking_tokens(response_with(60, thinking_tokens=50, reasoning="想")) == 50
    # The endpoint counts no thinking, but there is some.
    assert thinking_tokens(response_with(60, thinking_tokens=0, reasoning="想一想")) == 30
    assert thinking_tokens(response_with(60, reasoning="想一想")) == 30
    assert thinking_tokens(response_with(60)) == 0


# --- the entry of a cell


def test_an_entry_has_mean_median_and_thinking() -> None:
    new = [5, 9, 12, 40, 41, 300, 7, 7, 8, 1000]
    replies = [response_with(n, prompt=100 + n) for n in new]
    replies[5] = response_with(300, 400, thinking_tokens=240)
    replies[9] = response_with(1000, 1100, "<think>他很累</think>(a)")
    found = tokens_of("generate", replies, TokenPrice(input=2.0, output=8.0))
    assert found is not None and found.written() == {
        "replies": 10,
        "mean": statistics.fmean(new),
        "median": statistics.median(new),
        "p90": pytest.approx(statistics.quantiles(new, n=10, method="inclusive")[-1]),
        "total": sum(new),
        "thinking": pytest.approx((240 + 500) / sum(new)),
        "by_characters": 1,
        "prompt": 100 + statistics.fmean(new),
        "cost": pytest.approx((2 * (1000 + sum(new)) + 8 * sum(new)) / 1e6),
    }
    (one,) = [tokens_of("constrained", [response_with(4)])]
    assert one is not None and (one.mean, one.median, one.p90, one.cost) == (4, 4, 4, None)


def test_no_entry_without_counts() -> None:
    """A cell has no entry if nothing was written or the endpoint counted nothing; replies without a count are left out of the
    others."""
    assert tokens_of("generate", []) is None
    assert tokens_of("generate", [response_with(0), response_with(0)]) is None
    assert tokens_of("labels", [response_with(3)]) is None
    found = tokens_of("generate", [response_with(6), response_with(0, 0, ""), response_with(2)])
    assert found is not None and (found.replies, found.mean, found.uncounted) == (2, 4, 1)
    withheld = Response("", "content_filter")  # costs nothing
    found = tokens_of("generate", [response_with(6), withheld])
    assert found is not None and found.uncounted == 0
    # An empty reply, or one that a filter withheld, may cost its prompt.
    empty = [response_with(6), response_with(0, text=""), Response("", "content_filter", 50)]
    found = tokens_of("generate", empty, TokenPrice(input=1e6, output=1.0))
    assert found is not None and (found.replies, found.total, found.uncounted) == (3, 6, 0)
    assert found.cost == pytest.approx(250 + 6e-6)


def thinker(request: Request) -> Response:
    """Thinks over every item, 20 tokens per letter of its answer; one request fails, and one reply has no counts."""
    number = int(request.id.rsplit("/", 1)[1])
    if number == 1:
        return Response("", "error", error="lost")
    if number == 2:
        return Response(request.labels[0], "stop")
    return Response(request.labels[-1], "stop", 50, 20 * (number + 1), reasoning="想" * 9)


def test_a_run_counts_tokens_per_reply(tmp_path: Path) -> None:
    """Failures are left out, every rotation is a reply, and a model without counts has no entry."""
    models = {"thinker": thinker, "silent": lambda request: request.labels[0]}
    done = evalsuite.run(models, tasks=[TASK], set="easy", limit=5, perturb=["none", "circular"], out=tmp_path)
    results_file().model_validate(results_json(tmp_path))
    assert not any("tokens" in c for c in cells_of(done) if c["model"] == "silent")
    plain, circular = [c for c in cells_of(done) if c["model"] == "thinker"][::-1]
    assert (plain["perturb"], plain["status"]) == ("none", {"parsed": 4, "failed": 1})
    assert plain["tokens"]["replies"] == 3 and plain["tokens"]["total"] == 20 + 80 + 100
    assert plain["tokens"]["thinking"] == pytest.approx(9 / 12) and plain["tokens"]["by_characters"] == 3
    answered = read_jsonl(tmp_path / circular["records"])
    counted = [record["new_tokens"] for record in answered if record["new_tokens"]]
    assert circular["tokens"]["replies"] == len(counted) > 3 and circular["tokens"]["total"] == sum(counted)
    again = evalsuite.score(tmp_path)
    assert [c.get("tokens") for c in cells_of(again)] == [c.get("tokens") for c in cells_of(done)]


# --- the proof in a submission


def test_an_endpoint_that_thinks_and_charges(tmp_path: Path) -> None:
    """The cost is what the endpoint charged; a submission of the run gives the same figures, and other counts are found."""
    out, sent = tmp_path / "run", tmp_path / "sent"
    with Server(mix={"reasoning": 1.0}) as server:
        models = tmp_path / "models.yaml"
        api = f"{{base_url: '{server.url}', key_env: null, price: {{input: 2, output: 8}}}}"
        models.write_text(f"models: [{{name: m, backend: openai, path: x, chat: true, api: {api}}}]")
        done = evalsuite.run(models=models, tasks=[TASK], set="easy", limit=4, out=out)
        charged = (2 * server.prompt_tokens + 8 * server.new_tokens) / 1e6
    (entry,) = cells_of(done)
    assert entry["tokens"]["cost"] == pytest.approx(charged) and entry["facts"]["price"] == {
        "input": 2.0,
        "output": 8.0,
    }
    assert 0 < entry["tokens"]["thinking"] < 1 and entry["tokens"]["total"] == server.new_tokens
    make_submission(out, sent, {}, {})
    assert not [p for p in check_submission(sent).problems if "submission.yaml" not in p]
    results = sent / "results.json"
    results.write_text(results.read_text().replace('"thinking": 0.', '"thinking": 0.1'))
    assert any("cells[0].tokens.thinking" in p for p in check_submission(sent).problems)


def test_counts_of_thinking_are_stored(tmp_path: Path) -> None:
    """Counts of thinking stand in the store and in the record, where there are any."""
    counts = iter([7, 0, None])

    def hidden(request: Request) -> Response:
        return response_with(9, text=request.labels[0], thinking_tokens=next(counts))

    done = evalsuite.run({"m": hidden}, tasks=[TASK], set="easy", limit=3, out=tmp_path)
    with open_store(tmp_path) as store:
        kept = [response for _, _, response in store.read(store.cells()[0])]
    assert [r and r.thinking_tokens for r in kept] == [7, 0, None]
    lines = (tmp_path / cells_of(done)[0]["records"]).read_text().splitlines()
    assert [json.loads(line).get("thinking_tokens", "absent") for line in lines] == [7, 0, "absent"]
    assert (
        cells_of(done)[0]["tokens"]["thinking"] == pytest.approx(7 / 27)
        and cells_of(done)[0]["tokens"]["by_characters"] == 0
    )


# --- tables


def entry(mean: float | None, thinking: float = 0.0, **more: Any) -> CellResult:
    spent = None if mean is None else {
        "replies": 10, "mean": mean, "median": mean, "p90": mean, "total": round(10 * mean), "thinking": thinking,
        "by_characters": 10 if thinking else 0, "prompt": 200.0,
    }  # fmt: skip
    return a_cell(task=TASK, metrics={"accuracy": {"value": 0.5}}, tokens=spent, **more)


@pytest.mark.parametrize(
    "means, thinking, shown",
    [
        ([5, 150], 0.0, True),  # an answer, and a chain of thought
        ([100, 150], 0.0, False),
        ([2, 10], 0.0, False),  # both kinds of reply are short
        ([100, 150], 0.3, True),
        ([None, 150], 0.0, False),
        ([None, None], 0.0, False),
    ],
)
def test_the_column_stands_where_it_says_something(means: list[float | None], thinking: float, shown: bool) -> None:
    columns, values = tokens_column([[entry(mean, thinking)] for mean in means])
    assert bool(columns) == shown
    assert [[v.value for v in row] for row in values] == ([[m] for m in means] if shown else [[], []])


def test_tables_show_tokens_and_thinking(tmp_path: Path) -> None:
    def brief(request: Request) -> Response:
        return response_with(4, text=request.labels[0])

    done = evalsuite.run({"brief": brief, "thinker": thinker}, tasks=[TASK], set="easy", limit=4, out=tmp_path)
    (main,) = list(scores.sheets(done))
    assert main.columns[-1].about == {} and [row.cells[-1].value for row in main.rows if row.kind == ""] == [4, 50]  # type: ignore[union-attr]
    assert {len(row.cells) for row in main.rows} == {len(main.columns)}
    (sheet,) = tokens.sheets(done)
    assert [row.about["model"] for row in sheet.rows] == ["brief", "thinker"]
    assert [row.cells[2] for row in sheet.rows] == [4, 50] and len(sheet.notes) == 3
    # A reply without counts is in neither total nor cost: the sheet says so.
    assert [row.cells[7] for row in sheet.rows] == [Value(16), Value(100, asides=(" +",))]
    assert sheet.notes[-1] == tokens.UNCOUNTED
    assert not list(tokens.sheets(replace(done, cells=(entry(None),))))
    # A score of a part of the items is marked as in the main results.
    (sheet,) = tokens.sheets(replace(done, cells=(entry(5, missing=3, status={"parsed": 6, "failed": 1}),)))
    assert sheet.rows[0].cells[1] == Value(0.5, flags=("!4",))


def cell_with_tokens(model: str, task: str, value: float, mean: float | None, **more: Any) -> CellResult:
    """A cell with a score and, where its tokens were counted, with ten replies of `mean` tokens each."""
    spent = {"replies": 10, "median": mean, "p90": mean, "thinking": 0.0, "by_characters": 0, "prompt": 100.0}
    counts = {"mean": mean, "total": 10 * mean, **spent, **more.pop("tokens", {})} if mean else None
    metrics = {"accuracy": {"value": value, "low": value - 0.1, "high": value + 0.1}}
    return a_cell(model=model, task=task, set="hard", metrics=metrics, **({"tokens": counts} if counts else {}), **more)


def test_ways_of_asking_beside_tokens() -> None:
    """A point for each model and way: baselines are left out and counted, likelihoods have none; of tasks, the means of ways that
    all were asked in."""
    one, other = "domain_identification", "event_cause"
    cells = (
        cell_with_tokens("small", one, 0.3, 5, tokens={"cost": 0.5}),
        cell_with_tokens("small", one, 0.5, 300, variant="cot", tokens={"thinking": 0.8, "cost": 0.25}),
        cell_with_tokens("small", one, 0.4, None, scoring="labels"),
        cell_with_tokens("big", one, 0.6, 40, shots=3),
        cell_with_tokens("random", one, 0.2, None),
        cell_with_tokens("small", "slot_identification", 0.7, 15, tokens={"cost": 1}),
        cell_with_tokens("small", "slot_identification", 0.9, 500, variant="cot"),
        cell_with_tokens("big", other, 0.6, 40, perturb="shuffle"),
    )
    results = Results(Path(), "0", Reading(), cells, {})
    means, domains, slots = token_details.sheets(results)
    assert [(s.about["task"], s.about["set"]) for s in (means, domains, slots)] == [
        ("mean", "hard"),
        (one, "hard"),
        ("slot_identification", "hard"),
    ]
    points = {(row.about["model"], row.about["variant"], row.about["scoring"]): row.cells for row in domains.rows}
    assert [*points] == [
        ("small", "paper", "generate"),
        ("small", "cot", "generate"),
        ("small", "paper", "labels"),
        ("big", "paper", "generate"),
    ]
    assert points["small", "cot", "generate"][4] == Value(0.5, 0.4, 0.6)
    assert points["small", "paper", "labels"][5] == Value(None)
    partial = [cells[0].model_copy(update={"missing": 2}), *cells[1:]]
    _, domains, _ = token_details.sheets(replace(results, cells=tuple(partial)))
    assert [row.cells[4].flags for row in domains.rows] == [("!2",), (), (), ()]  # type: ignore[union-attr]
    said = [english(note) for note in domains.notes]
    assert said[0].startswith("0 at the left edge") and said[-1].endswith("such as baselines: 1")
    paper, cot = means.rows
    assert [cot.cells[4], cot.cells[5]] == [Value(0.7), Value(400)]
    # One way has no cost.
    assert cot.cells[6] == Value(0.8 * 3000 / 8000) and cot.cells[-2:] == (Value(8000), Value(None))
    assert paper.cells[-1] == Value(1.5) and any("some of the tasks only: 2" in english(x) for x in means.notes)
