"""Requests out, replies in: the files are what a run would send, and a run made of them is the one that asks directly."""

from __future__ import annotations

import asyncio
import json
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from run_files import compared_files
from tiers import thorough_but

import evalsuite
from evalsuite.backends.openai.faults import Server, reply_to
from evalsuite.backends.openai.lines import LineError
from evalsuite.common.errors import BackendError, ConfigError, DataError
from evalsuite.exchange.replies import ImportedReplies, read_files, read_replies
from evalsuite.exchange.reply_lines import read_line
from evalsuite.exchange.requests import write_requests
from evalsuite.results.store import Store

needs("openai", "openai", "tenacity", "aiolimiter")

Row = dict[str, Any]
KEY = "sk-marker-1a2b3c4d5e6f"
ASKED: Row = {"tasks": ["event_cause", "slot_identification"], "limit": 8, "shots": [0, 1]}
# Replies of every kind, and requests that fail for good; which prompt gets what depends on the prompt alone.
KINDS = {
    "reasoning": 0.1, "length": 0.1, "filtered": 0.05, "surrogate": 0.1, "no-usage": 0.1, "duplicate": 0.1,
    "400-filter": 0.05, "400": 0.1,
}  # fmt: skip


@dataclass(slots=True)
class Recording(Server):
    """A server that keeps the requests it gets: (path, body)."""

    bodies: list[tuple[str, Row]] = field(default_factory=list)

    async def _answer(self, first: str, key: str, body: bytes, writer: asyncio.StreamWriter) -> bool:
        self.bodies.append((first.split(" ")[1], json.loads(body)))
        return await Server._answer(self, first, key, body, writer)

    def _kind(self, name: str, times: int) -> str:
        return Server._kind(self, name, 0)  # samples of one prompt come in any order


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recording]:
    monkeypatch.setenv("MARKER_KEY", KEY)
    with Recording(mix=KINDS, seed=5) as server:
        yield server


@pytest.fixture
def models(server: Recording, tmp_path: Path) -> Path:
    """A chat model and a base model, which samples, behind the server."""
    path = tmp_path / "models.yaml"
    api = f"base_url: {server.url}, key_env: MARKER_KEY, price: {{input: 1, output: 2}}"
    path.write_text(
        f"models:\n"
        f"  - {{name: talks, backend: openai, path: big, chat: true, chat_template_kwargs: {{think: false}}, api: {{{api}}}}}\n"
        f"  - {{name: base/1, backend: openai, path: small, api: {{{api}, reasoning_tokens: 7}}, "
        "generation: {temperature: 0.7, top_p: 0.9, top_k: 20, samples: 2, stop: [甲]}}\n"
        "  - {name: lexical, backend: baseline, path: lexical}\n"
    )
    return path


def write(models: Path, folder: Path, **more: Any) -> Path:
    write_requests(models, folder, **{**ASKED, "model": ["talks", "base/1"], **more})
    return folder


def lines(folder: Path, kind: str) -> list[Row]:
    return [json.loads(x) for path in sorted(folder.glob(f"*.{kind}*.jsonl")) for x in path.read_text().splitlines()]


def post(server: Server, line: Row) -> Row:
    """A line of a batch's output: the answer of the endpoint to this body."""
    url = server.url.removesuffix("/v1") + line["url"]
    head = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    asked = urllib.request.Request(url, json.dumps(line["body"]).encode(), head, method=line["method"])
    try:
        with urllib.request.urlopen(asked) as answer:
            status, body = 200, json.load(answer)
    except urllib.error.HTTPError as error:
        status, body = error.code, json.load(error)
    response = {"status_code": status, "request_id": "r", "body": body}
    return {"id": "b", "custom_id": line["custom_id"], "response": response, "error": None}


def as_plain(row: Row) -> Row:
    """The replies in plain lines, as a user's own program would write them."""
    body = row["response"]["body"]
    if body.get("error", {}).get("code") == "content_filter":
        return {"key": row["custom_id"], "text": "", "finish_reason": "content_filter"}
    if "error" in body:
        return {"key": row["custom_id"], "error": body["error"]["message"]}
    choice = body["choices"][0]
    text = choice["message"]["content"] if "message" in choice else choice["text"]
    thoughts = choice.get("message", {}).get("reasoning_content")
    more = {"reasoning": thoughts} if thoughts else {}
    return {
        "key": row["custom_id"],
        "text": text,
        "finish_reason": choice["finish_reason"],
        "usage": body.get("usage"),
        **more,
    }


def write_replies(folder: Path, rows: list[Row], name: str = "out.jsonl") -> None:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def rows_of(run: Path) -> list[Any]:
    """All that the store knows of replies."""
    with Store(run / "store.sqlite") as store:
        cells = store.cells()
        return [(cell, list(store.read(cell)), store.spent()) for cell in cells]


def remarks(done: ImportedReplies) -> dict[str, int]:
    return {name: len(found) for name, found in done.remarks.items() if found}


@pytest.mark.thorough
def test_replies_count_at_the_price_of_their_entry(server: Recording, models: Path, tmp_path: Path) -> None:
    """Costs are those of a run that asks directly."""
    server.mix = {}
    out = write(models, tmp_path / "out")
    write_replies(out, [post(server, line) for line in lines(out, "batch")])
    read_replies(out, tmp_path / "run")
    evalsuite.run(models, model=["talks", "base/1"], out=tmp_path / "direct", **ASKED)
    with Store(tmp_path / "run" / "store.sqlite") as one, Store(tmp_path / "direct" / "store.sqlite") as other:
        assert one.spent() == pytest.approx(other.spent()) and one.spent() > 0


@pytest.mark.slow
def test_files_hold_no_more_lines_than_the_endpoint_takes(models: Path, tmp_path: Path) -> None:
    whole = lines(write(models, tmp_path / "whole"), "batch")
    models.write_text(models.read_text().replace("output: 2}", "output: 2}, batch: {requests: 20}"))
    out = write(models, tmp_path / "parts")
    sizes = [path.read_bytes().count(b"\n") for path in sorted(out.glob("talks.batch-*.jsonl"))]
    assert len(sizes) > 1 and sizes[0] == 20 and not (out / "talks.batch.jsonl").exists()
    assert sorted(map(json.dumps, lines(out, "batch"))) == sorted(map(json.dumps, whole))


@pytest.mark.slow
def test_the_files_hold_what_a_run_sends(server: Recording, models: Path, tmp_path: Path) -> None:
    """Byte for byte, from the client's own JSON; without a call, a key or a second line for one key."""
    out = write(models, tmp_path / "out")
    assert not server.bodies
    batch = lines(out, "batch")
    evalsuite.run(models, model=["talks", "base/1"], out=tmp_path / "direct", **ASKED)
    said = [json.dumps([x["url"], x["body"]], sort_keys=True) for x in batch]
    assert sorted(said) == sorted(json.dumps(x, sort_keys=True) for x in server.bodies)
    assert {x["method"] for x in batch} == {"POST"} and len({x["custom_id"] for x in batch}) == len(batch) > 90
    with Store(tmp_path / "direct" / "store.sqlite") as store:
        keys = {key for cell in store.cells() for key, _, _ in store.read(cell)}
    assert {x["custom_id"] for x in batch} == keys == {x["key"] for x in lines(out, "prompts")}
    assert {path.name for path in out.iterdir()} >= {"talks.batch.jsonl", "talks.prompts.jsonl", "plan.sqlite"}
    assert not any(KEY.encode() in path.read_bytes() for path in out.iterdir())


def test_plain_lines_have_prompt_and_sampling(models: Path, tmp_path: Path) -> None:
    out = write(models, tmp_path / "out")
    of = {x["key"]: x for x in lines(out, "prompts")}
    for line in lines(out, "batch"):
        body, plain = line["body"], of[line["custom_id"]]
        assert {**plain["sampling"], **plain.get("parameters", {})} == {
            name: value for name, value in body.items() if name not in ("model", "messages", "prompt")
        }
        assert plain.get("prompt") == body.get("prompt") and plain.get("messages") == body.get("messages")
    base = next(x for x in of.values() if "prompt" in x)
    assert base["sampling"].keys() == {"max_tokens", "temperature", "seed", "top_p", "top_k", "stop"}
    talks = next(x for x in of.values() if "messages" in x)
    assert talks["parameters"] == {"chat_template_kwargs": {"think": False}}


@pytest.mark.slow
@pytest.mark.parametrize("form", thorough_but(1, ["batch", "plain"]))
def test_a_run_of_files_is_the_run_that_asks(form: str, server: Recording, models: Path, tmp_path: Path) -> None:
    direct = evalsuite.run(models, model=["talks", "base/1"], out=tmp_path / "direct", **ASKED)
    kinds = server.account()["kinds"]
    assert kinds.keys() == {*KINDS, "ok"} and direct.exit_code == 1
    out = write(models, tmp_path / "out")
    rows = [post(server, line) for line in lines(out, "batch")]
    if form == "plain":
        rows = [as_plain(row) for row in rows]
    write_replies(out, rows[::-1])  # replies may come in any order
    done = read_replies(out, tmp_path / "made")
    failed = kinds["400"]
    assert remarks(done) == {"failed": failed} and done.stored == len(rows) - failed and done.exit_code == 1
    if form == "plain":  # errors are in the words of who wrote them
        again = [cell | {"errors": {}} for cell in json.loads((tmp_path / "made/results.json").read_bytes())["cells"]]
        assert again == [
            cell | {"errors": {}} for cell in json.loads((tmp_path / "direct/results.json").read_bytes())["cells"]
        ]
    else:
        assert compared_files(tmp_path / "made") == compared_files(tmp_path / "direct")
    assert (tmp_path / "made/page/index.html").is_file()
    settings = [json.loads((tmp_path / run / "manifest.json").read_text())["settings"] for run in ("made", "direct")]
    other = {"out": "", "budget": None, "baselines": []}  # settings that are not asked elsewhere
    assert settings[0] | other == settings[1] | other


def answered_requests(models: Path, folder: Path) -> list[Row]:
    """Requests of one model, and a good reply to each, in plain lines."""
    write(models, folder, model=["talks"], shots=[0])
    return [
        {"key": x["custom_id"], "text": reply_to("\n".join(m["content"] for m in x["body"]["messages"]))}
        for x in lines(folder, "batch")
    ]


def test_a_second_import_changes_nothing(models: Path, tmp_path: Path) -> None:
    out, run = tmp_path / "out", tmp_path / "run"
    rows = answered_requests(models, out)
    write_replies(out, rows)
    assert (first := read_replies(out, run)).exit_code == 0 and first.stored == len(rows)
    before, page, stored = compared_files(run), (run / "page/index.html").read_bytes(), rows_of(run)
    write_replies(out, rows, "copy.jsonl")
    done = read_replies(out, run)
    assert (done.stored, done.already, remarks(done)) == (0, len(rows), {"double": len(rows)}) and done.exit_code == 0
    assert (compared_files(run), (run / "page/index.html").read_bytes(), rows_of(run)) == (before, page, stored)


def test_a_repeated_reply_that_another_contradicts_counts_nowhere(models: Path, tmp_path: Path) -> None:
    out, run = tmp_path / "out", tmp_path / "run"
    rows = answered_requests(models, out)
    write_replies(out, [*rows, rows[0], {**rows[0], "text": "另一个"}])
    assert remarks(read_replies(out, run)) == {"missing": 1, "contradicting": 1}


def test_what_does_not_fit_is_said_and_not_stored(models: Path, tmp_path: Path) -> None:
    out, run = tmp_path / "out", tmp_path / "run"
    rows = answered_requests(models, out)
    keys = [row["key"] for row in rows]
    other = {**rows[1], "text": "另一个"}
    write_replies(
        out, [*rows[:-1], rows[0], other, {"key": "0" * 64, "text": "甲"}, {"text": "乙"}, {"key": keys[3], "text": 5}]
    )
    with (out / "out.jsonl").open("ab") as file:
        file.write(b'{"key": "cut\n\n\xff\n[]\n')
    done = read_replies(out, run)
    assert remarks(done) == {"missing": 2, "double": 1, "contradicting": 1, "foreign": 1, "broken": 5}
    assert done.stored == len(rows) - 2 and done.exit_code == 1
    (where,) = done.remarks["contradicting"]
    assert f"out.jsonl:2 and {out / 'out.jsonl'}:{len(rows) + 1}" in where
    assert [keys[-1] in x or keys[1] in x for x in done.remarks["missing"]] == [True, True]
    assert all(f"out.jsonl:{len(rows) + n}" in x for n, x in zip((3, 4, 5, 7, 8), done.remarks["broken"], strict=True))
    assert [line.partition(":")[0] for line in done.lines] == [
        "stored", "missing", "double", "contradicting", "foreign", "broken",
    ]  # fmt: skip
    with Store(run / "store.sqlite") as store:
        assert {key for key in keys if store.response(key) is None} == {keys[1], keys[-1]}


def test_the_reply_of_the_run_stays(models: Path, tmp_path: Path) -> None:
    out, run = tmp_path / "out", tmp_path / "run"
    rows = answered_requests(models, out)
    usage = {"usage": {"prompt_tokens": 1000, "completion_tokens": 10}}
    write_replies(out, [{**rows[0], **usage}, *rows[1:]])
    read_replies(out, run)
    with Store(run / "store.sqlite") as store:
        assert store.spent() == pytest.approx((1000 * 1 + 10 * 2) / 1e6)  # prices are those of a million tokens
    before = compared_files(run)
    write_replies(out, [{**rows[0], "text": "另一个"}, {**rows[1], "finish_reason": "length"}, *rows[2:]])
    done = read_replies(out, run)
    assert remarks(done) == {"contradicting": 2} and done.exit_code == 1 and compared_files(run) == before
    assert "the run, which keeps its own" in done.remarks["contradicting"][0]


def test_an_error_gives_way_to_a_reply(models: Path, tmp_path: Path) -> None:
    """An error gives way to a reply in the same files, whatever their order, and in later ones."""
    out, run = tmp_path / "out", tmp_path / "run"
    rows = answered_requests(models, out)
    lost = [
        {"custom_id": row["key"], "response": None, "error": {"code": "batch_expired", "message": "too late"}}
        for row in rows[:3]
    ]
    write_replies(out, [*lost[:2], *rows[1:2], *rows[3:]])
    write_replies(out, [lost[1]], "zz.jsonl")
    done = read_replies(out, run)
    assert remarks(done) == {"failed": 1, "missing": 1} and done.exit_code == 1
    assert "batch_expired: too late" in done.remarks["failed"][0]
    write_replies(out, rows)
    assert read_replies(out, run).exit_code == 0
    (out / "out.jsonl").unlink()  # only the error is left, and the run has a reply
    done = read_replies(out, run)
    assert (done.stored, remarks(done), done.exit_code) == (0, {}, 0)
    with Store(run / "store.sqlite") as store:
        assert all(store.response(row["key"]).error is None for row in rows)  # type: ignore[union-attr]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone\.jsonl: cannot read: No such file"):
        read_files([tmp_path / "gone.jsonl"], [])


@pytest.mark.slow
def test_only_what_the_run_lacks_is_written(server: Recording, models: Path, tmp_path: Path) -> None:
    out, run = tmp_path / "out", tmp_path / "run"
    rows = answered_requests(models, out)
    write_replies(out, rows[2:])
    read_replies(out, run)
    rest = write(models, tmp_path / "rest", model=["talks"], shots=[0], run=run)
    assert [x["custom_id"] for x in lines(rest, "batch")] == [row["key"] for row in rows[:2]]
    write_replies(rest, rows[:2])
    assert (done := read_replies(rest, run)).exit_code == 0 and not remarks(done)
    none = write(models, tmp_path / "none", model=["talks"], shots=[0], run=run)
    assert not list(none.glob("*.jsonl"))
    evalsuite.run(models, model=["talks"], out=run, **ASKED | {"shots": [0]})  # the same run goes on, and asks nothing
    assert not server.bodies


def test_neither_models_nor_data_nor_a_key_are_needed(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any]
) -> None:
    monkeypatch.delenv("MARKER_KEY")
    data = tmp_path / "data"
    from evalsuite.common.resources import resolve

    shutil.copytree(resolve("bundled:sample"), data)
    rows = answered_by_cli(cli, models, tmp_path / "out", data)
    shutil.rmtree(data)
    models.unlink()
    shutil.move(tmp_path / "out", tmp_path / "elsewhere")
    write_replies(tmp_path / "elsewhere", rows)
    completed = cli("replies", tmp_path / "elsewhere", tmp_path / "run")
    assert f"stored: {len(rows)} replies" in completed.stdout
    write_replies(tmp_path / "elsewhere", [*rows, {"key": "x", "text": ""}])
    completed = cli("replies", tmp_path / "elsewhere", tmp_path / "run", expect=1)
    assert f"{len(rows)} were there already" in completed.stdout and "foreign: 1" in completed.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "key, there",
    [("zk-marker-1a2b3c4d5e6f", True), ("sk-proj-Ab1cdEfGhIjKlMnOpQrSt", False)],
    ids=["the variable that the plan names", "what looks like a key"],
)
def test_a_key_that_an_endpoint_repeats_is_not_stored(
    key: str, there: bool, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Callable[..., Any]
) -> None:
    """`replies` is a process of its own, which reads no models.yaml."""
    out, run = tmp_path / "out", tmp_path / "run"
    rows = answered_requests(models, out)
    rows[0] = {"key": rows[0]["key"], "error": f"401 Incorrect API key provided: {key}. Get one at example.org"}
    rows[1] = {**rows[1], "text": f"(a) {key}", "reasoning": f"my key is {key}"}
    write_replies(out, rows)
    monkeypatch.setattr("evalsuite.common.secrets._spellings", {})
    monkeypatch.setenv("MARKER_KEY" if there else "OTHER", key)
    shown = [cli("replies", out, run, expect=1) for _ in range(2)]
    assert not any(key[:8] in told.stdout + told.stderr for told in shown)
    assert "were there already" in shown[1].stdout and "contradicting" not in shown[1].stdout
    assert [path for path in run.rglob("*") if path.is_file() and key[:8].encode() in path.read_bytes()] == []


def test_names_of_keys_are_a_list(models: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_replies(out, answered_requests(models, out))
    assert json.loads((out / "keys.json").read_text()) == ["MARKER_KEY"]
    (out / "keys.json").write_text('{"MARKER_KEY": 1}')
    with pytest.raises(DataError, match="expected a list of names"):
        read_replies(out, tmp_path / "run")
    (out / "keys.json").unlink()  # as older versions wrote the folder
    assert read_replies(out, tmp_path / "run").stored


def answered_by_cli(cli: Callable[..., Any], models: Path, out: Path, data: Path) -> list[Row]:
    words = ("--model", "talks", "--tasks", "event_cause", "--limit", 4, "--limit-name", "max_completion_tokens")
    completed = cli("requests", "--models", models, "--data", data, *words, "--out", out)
    assert "talks: " in completed.stdout and str(out / "talks.batch.jsonl") in completed.stdout
    batch = lines(out, "batch")
    assert all("max_completion_tokens" in x["body"] and "max_tokens" not in x["body"] for x in batch)
    return [{"key": x["custom_id"], "text": "(a)", "finish_reason": "stop"} for x in batch]


@pytest.mark.parametrize(
    "more, says",
    [
        ({"model": ["lexical"]}, "backend baseline sends no requests"),
        ({"model": []}, "backend baseline sends no requests"),
        ({"scoring": ["generate", "labels"]}, "--scoring labels: compares likelihoods"),
        ({"scoring": ["generate", "constrained"]}, "--scoring constrained: backend openai sends no such constraint"),
    ],
)
def test_what_no_file_can_ask_is_refused(more: Row, says: str, models: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=says):
        write(models, tmp_path / "out", **more)
    assert not (tmp_path / "out").exists()


def test_folders_that_hold_something_else_are_refused(models: Path, tmp_path: Path) -> None:
    out = write(models, tmp_path / "out")
    with pytest.raises(ConfigError, match="exists already"):
        write(models, out)
    with pytest.raises(ConfigError, match=r"no replies here; put the files .* \*\.jsonl"):
        read_replies(out, tmp_path / "run")
    assert not (tmp_path / "run").exists()
    write_replies(out, [{"key": "x", "text": ""}])
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "plan.sqlite").write_bytes((out / "plan.sqlite").read_bytes())
    (tmp_path / "bare" / "manifest.json").write_text("[]")
    write_replies(tmp_path / "bare", [{"key": "x", "text": ""}])
    with pytest.raises(DataError, match=r"no manifest of evalsuite"):
        read_replies(tmp_path / "bare", tmp_path / "run2")
    with pytest.raises(ConfigError, match=r"manifest\.json and no store\.sqlite"):
        read_replies(out, out)
    with pytest.raises(ConfigError, match=r"no requests here \(no plan.sqlite\)"):
        read_replies(tmp_path, tmp_path / "run")


def test_without_the_extra_it_says_what_to_install(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(BackendError, match=r"pip install 'evalsuite\[openai\]'"):
        write(models, tmp_path / "out")
    assert not (tmp_path / "out").exists()


# Lines as vLLM's run-batch writes them: the message, or the whole error, under "error"; no body.
_VLLM: Row = {"id": "vllm-1", "custom_id": "k"}


@pytest.mark.parametrize(
    "row, error",
    [
        (
            _VLLM | {"response": {"status_code": 400, "request_id": "r"}, "error": "Only /v1/chat/completions …"},
            "Only /v1",
        ),
        (
            _VLLM
            | {
                "response": {"status_code": 400, "request_id": "r", "body": None},
                "error": {"error": {"message": "maximum context length is 8", "type": "BadRequestError", "code": 400}},
            },
            "maximum context",
        ),
        (_VLLM | {"response": {"status_code": 500, "body": {"error": "boom"}}, "error": None}, "500: boom"),
        (_VLLM | {"response": None, "error": {"code": "batch_cancelled"}}, "batch_cancelled"),
        (
            _VLLM
            | {
                "response": {
                    "status_code": 400,
                    "body": {"error": {"message": "Use 'max_completion_tokens'", "param": "max_tokens"}},
                }
            },
            "--limit-name max_completion_tokens",
        ),
        ({"key": "k", "error": "out of memory"}, "out of memory"),
    ],
)
def test_errors_are_read(row: Row, error: str) -> None:
    key, response = read_line(row) or ("", None)
    assert key == "k" and response is not None and response.finish == "error" and error in (response.error or "")


@pytest.mark.parametrize("error", [None, False])
def test_no_error_is_none(error: bool | None) -> None:
    key, response = read_line({"key": "k", "text": "b", "error": error}) or ("", None)
    assert key == "k" and response is not None and (response.text, response.error) == ("b", None)


def test_a_filtered_prompt_is_a_reply_and_a_request_is_none() -> None:
    refusal = {"status_code": 400, "body": {"error": {"message": "Content Exists Risk"}}}
    assert (found := read_line({"custom_id": "k", "response": refusal})) and found[1].finish == "content_filter"
    assert read_line({"custom_id": "k", "method": "POST", "url": "/v1/completions", "body": {}}) is None
    assert read_line({"key": "k", "prompt": "甲", "sampling": {}}) is None


@pytest.mark.parametrize(
    "row",
    [
        {}, {"key": 5, "text": ""}, {"custom_id": ""}, {"custom_id": "k"}, {"key": "k"}, {"key": "k", "text": ["a"]},
        {"custom_id": "k", "response": "a"}, {"custom_id": "k", "response": {"status_code": "200"}},
        {"custom_id": "k", "response": {"status_code": 200, "body": None}},
        {"custom_id": "k", "response": {"status_code": 200, "body": {"choices": []}}},
    ],
    ids=str,
)  # fmt: skip
def test_lines_that_say_nothing_are_broken(row: Row) -> None:
    with pytest.raises(LineError):
        read_line(row)
