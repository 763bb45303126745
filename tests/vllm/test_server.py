"""The openai backend against vLLM's own server with the embedded model: it says what the hf backend says, greedily."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from responses import responses
from run_files import read_jsonl

from evalsuite.backends.base import Limits
from evalsuite.backends.hf.backend import HuggingFace
from evalsuite.backends.model import API, Model
from evalsuite.backends.openai.backend import OpenAI
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE as TASKS
from evalsuite.common.resources import bundled
from evalsuite.prompt import Prompt, Shots
from evalsuite.types import Request

# A module of it: the name alone would find this folder.
pytest.importorskip("vllm.entrypoints", reason="needs vllm")
for name in ("torch", "openai", "tenacity", "aiolimiter"):
    pytest.importorskip(name, reason="needs evalsuite[hf,openai]")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """vLLM's server on the CPU."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["--model", str(bundled("models/tiny-zh")), "--served-model-name", "tiny", "--port", str(port)]
    words += ["--host", "127.0.0.1", "--dtype", "float32", "--enforce-eager", "--max-model-len", "2048"]
    # Without this the checkpoint's own sampling settings would be mixed into ours.
    words += ["--generation-config", "vllm"]
    env = {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "VLLM_LOGGING_LEVEL": "ERROR", **os.environ}
    log = tmp_path_factory.mktemp("vllm") / "log"
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", *words]
    with log.open("w") as out:
        # A session of its own, so that its engine goes with it.
        process = subprocess.Popen(command, stdout=out, stderr=out, env=env, start_new_session=True)
    try:
        for _ in range(600):
            assert process.poll() is None, log.read_text()[-3000:]
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
                break
            except (urllib.error.URLError, OSError):
                time.sleep(0.5)
        else:
            pytest.fail(f"the server does not start: {log.read_text()[-3000:]}")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def requests(sample: CorecodeCorpus, shots: int) -> list[Request]:
    """Two requests of each task."""
    asked = []
    for t in TASKS.values():
        prompt, drawn = Prompt(bundled("prompts"), t, "paper"), Shots(sample.train(t.name, "easy"), 0)
        items = sample.file(t, "easy", "test").items[:2]
        asked += [prompt.request(item, drawn.draw(item, shots)) for item in items]
    return asked


@pytest.mark.parametrize("chat", [True, False], ids=["chat", "completions"])
def test_the_same_replies_as_hf(url: str, sample: CorecodeCorpus, tiny: Path, chat: bool) -> None:
    asked = requests(sample, shots=0 if chat else 1)
    api = API(base_url=url, key_env=None, max_concurrency=4)
    served = OpenAI(Model(name="served", backend="openai", path="tiny", chat=chat, api=api), Limits())
    local = HuggingFace(Model(name="local", backend="hf", path=str(tiny), chat=chat, dtype="float32", device="cpu"))
    ours, theirs = responses(served, asked), responses(local, asked)
    assert len(ours) == 16 and not any(r.error for r in ours)
    assert [r.text for r in ours] == [r.text for r in theirs]
    assert [(r.finish, r.prompt_tokens, r.new_tokens) for r in ours] == [
        (r.finish, r.prompt_tokens, r.new_tokens) for r in theirs
    ]


def test_errors_of_the_server_are_told_apart(url: str, sample: CorecodeCorpus) -> None:
    """A prompt that is too long fails alone; a model that is not there stops everything."""
    from dataclasses import replace

    from evalsuite.common.errors import BackendError
    from evalsuite.types import Message

    (first, *_) = requests(sample, 0)
    long = replace(first, messages=(Message("user", "很长" * 3000),))
    api = API(base_url=url, key_env=None)
    model = Model(name="served", backend="openai", path="tiny", chat=True, api=api)
    good, bad = responses(OpenAI(model, Limits()), [first, long])
    assert good.error is None and good.text
    assert bad.error and bad.error.startswith("400: ") and "context length" in bad.error
    with pytest.raises(BackendError, match="does not know this model"):
        responses(OpenAI(model.model_copy(update={"path": "nothing"}), Limits()), [first])


def test_its_batches_are_a_run(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`vllm run-batch` on the requests of a run, which the server was asked, too: the same results and records, byte for byte."""
    import json

    import evalsuite
    from evalsuite.exchange.replies import read_replies
    from evalsuite.exchange.reply_lines import read_line
    from evalsuite.exchange.requests import write_requests

    models, out, replies = tmp_path / "models.yaml", tmp_path / "out", tmp_path / "out" / "replies.jsonl"
    entry = f"{{name: served, backend: openai, path: tiny, chat: true, api: {{base_url: '{url}', key_env: null}}}}"
    models.write_text(f"models:\n  - {entry}\n")
    asked = {"tasks": ["event_cause", "slot_identification"], "limit": 4}
    write_requests(models, out, **asked)
    lines = (out / "served.batch.jsonl").read_text().splitlines()
    long = json.loads(lines[0]) | {"custom_id": "long"}
    long["body"]["messages"][0]["content"] = "很长" * 3000
    (tmp_path / "in.jsonl").write_text("\n".join([*lines, json.dumps(long)]))
    run_batch(tmp_path / "in.jsonl", replies, monkeypatch)
    rows = read_jsonl(replies)
    (bad,) = (found for row in rows if row["custom_id"] == "long" if (found := read_line(row)))
    assert bad[1].error and bad[1].error.startswith("400: ") and "context length" in bad[1].error
    replies.write_text("".join(json.dumps(row) + "\n" for row in rows if row["custom_id"] != "long"))
    done = read_replies(out, tmp_path / "made")
    assert done.stored == len(lines) == 16 and done.exit_code == 0
    assert evalsuite.run(models, out=tmp_path / "direct", **asked).exit_code == 0
    made, direct = (
        [run / "results.json", *sorted((run / "records").iterdir())] for run in (tmp_path / "made", tmp_path / "direct")
    )
    assert [path.read_bytes() for path in made] == [path.read_bytes() for path in direct]


def run_batch(asked: Path, replies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`vllm run-batch`, in this process, which has imported most of it: alone that takes as long as its work."""
    from vllm.entrypoints.launchers.run_batch import main, parse_args

    words = [
        "-i",
        str(asked),
        "-o",
        str(replies),
        "--model",
        str(bundled("models/tiny-zh")),
        "--served-model-name",
        "tiny",
    ]
    words += ["--dtype", "float32", "--enforce-eager", "--max-model-len", "2048", "--generation-config", "vllm"]
    monkeypatch.setattr(sys, "argv", ["run-batch", *words])
    monkeypatch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")
    asyncio.run(main(parse_args()))
