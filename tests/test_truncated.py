"""Replies that were cut at their limit of tokens: a line below the tables if they are more than 2 % of a cell, and a run that
asks them again with a higher limit."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from as_json import a_cell
from needs import needs
from run_files import compared_files, read_jsonl

import evalsuite
from evalsuite.analyses.saved import load_results
from evalsuite.analyses.scores import cut, leaks, notes
from evalsuite.backends.openai.faults import Server, prompt_id
from evalsuite.backends.scripted import Scripted
from evalsuite.common.errors import ConfigError
from evalsuite.evaluation.settings import Settings
from evalsuite.evaluation.truncated import _longer, command_again
from evalsuite.exchange.submit.submission import make_submission
from evalsuite.exchange.submit.verdict import check_submission
from evalsuite.results.analysis import Results
from evalsuite.results.schema.cell import CellResult, RepeatedRequests
from evalsuite.results.store import open_store
from evalsuite.types import Reading, Request, Response


def results(*cells: CellResult) -> Results:
    return Results(Path(), "0", Reading(), cells, {})


def test_more_than_two_percent_of_a_cell_are_told() -> None:
    many = a_cell(model="a", status={"parsed": 90, "truncated": 10})
    some = a_cell(model="a", set="hard", status={"parsed": 97, "truncated": 3})
    few = a_cell(model="a", task="slot_identification", status={"parsed": 98, "truncated": 2})
    (line,) = cut(results(many, some, few))
    assert (
        line.en.startswith("a: replies cut at their limit before they answered")
        and "EASY CKF, 10 %" in line.en
        and "--again truncated" in line.en
    )
    assert "（最多的是 简单 常识知识填充，10%）" in line.zh
    assert line.zh.startswith("a：13 条回复") and line in notes(results(many, some, few))
    assert cut(results(few)) == []
    (line,) = cut(results(few.model_copy(update={"status": {"parsed": 48, "truncated": 2, "failed": 50}})))
    assert "SI, 4 %" in line.en  # 2 of 50 replies, beside 50 failed requests


def test_leaked_items_of_one_file_are_told_once() -> None:
    one, more = ({"leaked": count} for count in (1, 3))
    found = leaks(results(a_cell(facts=one), a_cell(facts=one, model="b"), a_cell(facts=more, task="event_cause")))
    assert [line.en.partition(" a dialogue")[0] for line in found] == [
        "EASY CKF: 1 test item shares",
        "EASY EC: 3 test items share",
    ]


def test_leaked_items_are_those_of_one_split() -> None:
    found = leaks(results(a_cell(facts={"leaked": 3}), a_cell(split="dev", facts={"leaked": 2})))
    assert [line.en.partition(" a dialogue")[0] for line in found] == [
        "EASY CKF: 3 test items share",
        "EASY CKF: 2 dev items share",
    ]
    assert [line.zh.partition(" 道题")[0] for line in found] == [
        "简单 常识知识填充：测试集中 3",
        "简单 常识知识填充：开发集中 2",
    ]


def test_models_have_a_line_each_and_baselines_none() -> None:
    status = {"parsed": 1, "truncated": 1}
    cells = [a_cell(model=name, status=status) for name in ("a", "b")]
    cells.append(a_cell(model="random", status=status, facts={"backend": "baseline"}))
    cells.append(a_cell(model="c", status={}))
    assert [line.en[:2] for line in cut(results(*cells))] == ["a:", "b:"]


# --- asked again

NEEDED = 200  # tokens of a reply that thinks
ASKED: dict[str, Any] = {"tasks": ["knowledge_filling"], "set": "easy", "limit": 20}
AGAIN: dict[str, Any] = {"again": "truncated", "max_new_tokens": 512}


class Thinker:
    """Thinks before it answers each third item, for NEEDED tokens; keeps the limits that it was asked with."""

    def __init__(self, stops_after: int | None = None) -> None:
        self.limits: Counter[int] = Counter()
        self.stops_after = stops_after

    def __call__(self, request: Request) -> Response:
        if self.limits[512] == self.stops_after:
            raise KeyboardInterrupt
        self.limits[request.max_new_tokens] += 1
        if int(request.id.rpartition("/")[2]) % 3 == 0 and request.max_new_tokens < NEEDED:
            return Response("让我想一想，", "length", new_tokens=request.max_new_tokens)
        return Response("(a)", "stop", new_tokens=2)


def asked_cell(out: Path, thinker: Thinker, **settings: Any) -> CellResult:
    (cell,) = evalsuite.run({"m": thinker}, out=out, **ASKED, **settings).cells
    return cell


def test_only_truncated_replies_are_asked_again(tmp_path: Path) -> None:
    out, thinker = tmp_path / "run", Thinker()
    first = asked_cell(out, thinker)
    (limit,) = thinker.limits
    cut_off = first.status["truncated"]
    assert cut_off == 7 and limit < NEEDED and "|again:" not in first.headline.signature
    before = compared_files(out)
    with open_store(out) as store:
        keys = [key for key, _, _ in store.read(first.cell)]

    second = asked_cell(out, thinker, **AGAIN)
    assert thinker.limits == {limit: 20, 512: cut_off} and second.status == {"parsed": 20}
    assert second.facts.again and second.facts.again.replies == cut_off
    assert "|again:truncated,max_new_tokens=512,replies=7|" in second.headline.signature
    assert "|max_new_tokens:" not in second.headline.signature  # the first item's limit is the longer one
    records = read_jsonl(out / second.records)
    assert Counter(record["max_new_tokens"] for record in records) == {limit: 13, 512: 7}
    with open_store(out) as store:  # the first replies are kept
        assert [reply.finish for key in keys if (reply := store.response(key))].count("length") == cut_off

    after = compared_files(out)
    assert asked_cell(out, thinker, **AGAIN) == second and compared_files(out) == after
    evalsuite.score(out)
    assert compared_files(out) == after
    assert (
        asked_cell(out, thinker) == first and compared_files(out) == before
    )  # without the flag, the first replies count
    assert thinker.limits == {limit: 20, 512: cut_off}


def test_an_interrupted_command_goes_on(tmp_path: Path) -> None:
    whole, out = tmp_path / "whole", tmp_path / "run"
    thinker = Thinker()
    asked_cell(whole, thinker, **AGAIN)  # the same in one command
    with pytest.raises(KeyboardInterrupt):
        asked_cell(out, Thinker(stops_after=3), **AGAIN)
    (cell,) = evalsuite.score(out).cells
    assert cell.missing == 4 and cell.status == {"parsed": 16}
    again = Thinker()
    asked_cell(out, again, **AGAIN)
    assert again.limits == {512: 4}
    assert compared_files(out) == compared_files(whole)


def test_a_failed_second_request_has_no_score(tmp_path: Path) -> None:
    class Failing(Thinker):
        def __call__(self, request: Request) -> Response:
            if request.max_new_tokens == 512 and not self.limits[512]:
                self.limits[512] += 1
                return Response("", "error", error="no room")
            return super().__call__(request)

    out, thinker = tmp_path / "run", Failing()
    cell = asked_cell(out, thinker, **AGAIN)
    assert cell.status == {"parsed": 19, "failed": 1} and cell.headline.n == 19
    assert asked_cell(out, thinker, **AGAIN).status == {"parsed": 20}


def test_a_submission_of_it_is_checked(tmp_path: Path) -> None:
    asked_cell(tmp_path / "run", Thinker(), **AGAIN)
    made = make_submission(tmp_path / "run", tmp_path / "made", {}, {})
    verdict = check_submission(made.out)
    assert [problem for problem in verdict.problems if "to be filled in" not in problem] == []


def test_a_context_leaves_less() -> None:
    ((_, (trial, *_)),) = evalsuite.preview(model=["random"], **ASKED)

    class Small(Scripted):
        def tokens(self, request: Request) -> int:
            return 100

    backend = Small("m", lambda request: "")
    for context, limit in ((None, 512), (300, 200), (100 + trial.request.max_new_tokens, None)):
        backend.context = context
        longer = _longer(trial, 512, backend)
        assert (longer and longer.request.max_new_tokens) == limit


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"again": "refused", "max_new_tokens": 9}, "unknown --again"),
        ({"again": "truncated"}, "--max-new-tokens 1024"),
        ({"max_new_tokens": 9}, "goes with --again"),
        ({"again": "truncated", "max_new_tokens": 0}, "--max-new-tokens: expected 1 or more"),
        ({"again": "truncated", "max_new_tokens": 9, "until": "2"}, "stop by the first replies"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Settings(**settings)


class Thinks(Server):
    """A model that writes a token for each character and is cut at the limit; for some items it fails when it is
    asked for more."""

    def _charged_reply(self, kind: str, prompt: str, asked: dict[str, Any], *rest: Any) -> dict[str, Any]:
        made = super()._charged_reply(kind, prompt, asked, *rest)
        text = "我想一想。" * (40 if int(prompt_id(prompt), 16) % 3 == 0 else 0) + "答案：(a)"
        made["choices"][0]["message"]["content"] = text[: asked["max_tokens"]]
        made["choices"][0]["finish_reason"] = "stop" if len(text) <= asked["max_tokens"] else "length"
        return made

    def _kind(self, name: str, times: int) -> str:
        return "400" if times == 1 and int(name, 16) % 2 == 0 else "ok"


@pytest.mark.slow
def test_the_command_below_the_tables(cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs("openai", "openai", "tenacity", "aiolimiter")
    monkeypatch.setenv("MARKER_KEY", "sk-marker-1a2b3c4d5e6f")
    out, models = tmp_path / "a run", tmp_path / "models.yaml"
    with Thinks(mix={}) as server:
        api = f"{{base_url: '{server.url}', key_env: MARKER_KEY}}"
        models.write_text(f"models: [{{name: m, backend: openai, path: x, chat: true, api: {api}}}]", encoding="utf-8")
        words = ["--models", models, "--tasks", "CKF", "--set", "easy", "--limit", "30", "--out", out]
        stdout = cli("run", *words).stdout
        command = re.search(r"again: (evalsuite run .*)$", stdout, re.M)
        assert command and command[1] in cli("show", out).stdout
        done = load_results(out)
        once = RepeatedRequests(status="truncated", max_new_tokens=512, replies=1)  # the first item is not among them
        cell = done.cells[0].model_copy(update={"facts": done.cells[0].facts.model_copy(update={"again": once})})
        assert "--max-new-tokens 2048 " in (command_again(replace(done, cells=(cell,))) or "")
        manifest = (out / "manifest.json").read_text(encoding="utf-8")
        (out / "manifest.json").write_text(manifest.replace('"set": "easy"', '"set": "hard"'), encoding="utf-8")
        assert command_again(load_results(out)) is None  # the latest start did not ask the set with such replies
        (out / "manifest.json").write_text(manifest.replace('"until": null', '"until": "2"'), encoding="utf-8")
        assert command_again(load_results(out)) is None  # --until refuses --again
        (out / "manifest.json").write_text(manifest, encoding="utf-8")
        (first,) = load_results(out).cells
        asked_before = server.account()["requests"]
        cli(*shlex.split(command[1])[1:], expect=1)
        (failed,) = load_results(out).cells
        assert failed.failed and server.account()["requests"] == asked_before + first.status["truncated"]
        stdout = cli(*shlex.split(command[1])[1:]).stdout
        (second,) = load_results(out).cells
    assert second.status == {"parsed": 30} and "again:" not in stdout
    assert (out / "page" / "index.html").exists()
