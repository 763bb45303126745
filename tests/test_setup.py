"""`evalsuite init` and `evalsuite doctor`: what they find, ask, write and say."""

from __future__ import annotations

import io
import json
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

from evalsuite.backends.models import load_models
from evalsuite.backends.openai.faults import Server as FaultServer
from evalsuite.benchmarks.registry import TASKS, _benchmarks
from evalsuite.common.errors import ConfigError
from evalsuite.common.plugins import LazyMapping
from evalsuite.common.resources import bundled
from evalsuite.setup import checks, entries, machine, packages

SECRET = "sk-0123456789abcdefABCDEF"


@pytest.fixture(autouse=True)
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide the keys, servers and GPUs of this machine; the working folder is a new one."""
    for variable in (*machine._ALIASES, *machine._OTHERS, *(name for name, _ in entries.providers()), "EVALSUITE_DATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(machine, "PORTS", {})
    monkeypatch.setattr(machine, "gpus", lambda: [])
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    with FaultServer(mix={}, models=("Qwen/Qwen3-8B", "odd: [name]")) as running:
        monkeypatch.setattr(machine, "PORTS", {running.port: "vLLM"})
        yield running


def _answers(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


@contextmanager
def _strange_server(
    status: int, body: bytes, headers: dict[str, str] | None = None
) -> Iterator[tuple[str, list[str | None]]]:
    """A server that answers everything in one way, and the keys that it was sent."""
    sent: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent.append(self.headers.get("Authorization"))
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None: ...

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=running.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{running.server_port}/v1", sent
    finally:
        running.shutdown()
        running.server_close()


# ---------------------------------------------------------------- init


def test_a_running_server_is_found_and_its_file_runs(
    server: FaultServer, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai", reason="needs evalsuite[openai]")
    _answers(monkeypatch, "")  # the first that is found
    done = cli("init")
    assert f"1  Qwen/Qwen3-8B, served at http://localhost:{server.port}/v1" in done.stdout
    (model,) = load_models(Path("models.yaml"))
    assert (model.name, model.backend, model.path) == ("Qwen3-8B", "openai", "Qwen/Qwen3-8B")
    assert model.api.key_env is None and model.chat
    assert "then: evalsuite run --models models.yaml --limit 5 --out runs/first" in done.stdout
    cli(*["run", "--models", "models.yaml", "--limit", "1", "--tasks", "EC", "--set", "easy", "--out", "runs/first"])
    cells = json.loads(Path("runs/first/results.json").read_text())["cells"]
    assert [c["status"] for c in cells if c["model"] == "Qwen3-8B"] == [{"parsed": 1}]


def test_odd_names_stay_what_they_are(server: FaultServer, cli: Any) -> None:
    cli("init", "--yes", "--model", server.url, "--served", "odd: [name]")
    assert load_models(Path("models.yaml"))[0].path == "odd: [name]"


def test_a_key_in_the_environment_is_named_never_shown(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASHSCOPE_API_KEY", SECRET)
    done = cli("init", "--yes")
    (model,) = load_models(Path("models.yaml"))
    assert model.api.key_env == "DASHSCOPE_API_KEY" and "dashscope" in model.api.base_url
    assert SECRET not in done.stdout + done.stderr + Path("models.yaml").read_text()
    listed = entries.listed()[model.name]  # the settings of the entry that ships
    assert yaml.safe_load(Path("models.yaml").read_text())["models"] == [listed]


def test_another_name_of_a_key(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZHIPUAI_API_KEY", SECRET)
    cli("init", "--yes")
    (model,) = load_models(Path("models.yaml"))
    assert model.api.key_env == "ZHIPUAI_API_KEY" and model.name == "glm-5.2"


def test_a_folder_is_asked_about_once(tiny: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mistyped ones are asked for again; whether it is a chat model is seen in its files."""
    _answers(monkeypatch, "./nowhere", str(tiny), "")
    done = cli("init", "--out", "lists/mine.yaml")
    assert "no such folder" in done.stderr and done.stdout.count("Which model?") == 2
    (model,) = load_models(Path("lists/mine.yaml"))
    assert (model.backend, Path(model.path), model.chat) == ("hf", tiny, True)


def test_a_folder_below_is_written_from_the_file(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "models" / "mine").mkdir(parents=True)
    (tmp_path / "models" / "mine" / "config.json").write_text("{}")
    cli("init", "--model", "models/mine", "--name", "first")
    assert yaml.safe_load(Path("models.yaml").read_text())["models"] == [
        {"name": "first", "backend": "hf", "path": "models/mine", "chat": False}
    ]
    assert Path(load_models(Path("models.yaml"))[0].path).absolute() == tmp_path / "models" / "mine"


@pytest.mark.parametrize(
    ("hub_id", "chat"),
    [("Qwen/Qwen3-8B", True), ("Qwen/Qwen3-8B-Base", False), ("google/gemma-3-4b-it", True), ("bigscience/bloom-7b1", False)],
)  # fmt: skip
def test_a_hub_id_is_a_chat_model_by_its_name(hub_id: str, chat: bool, cli: Any) -> None:
    cli("init", "--model", hub_id)
    (model,) = load_models(Path("models.yaml"))
    assert (model.path, model.chat, model.name) == (hub_id, chat, hub_id.partition("/")[2])


@pytest.mark.parametrize("hub_id", ["Qwen/Qwen3-8B", "zai-org/GLM-Z1-9B-0414", "Qwen/Qwen3-4B", "Qwen/Qwen3-8B-Base"])
def test_a_listed_hub_id_keeps_what_its_thoughts_need(hub_id: str, cli: Any) -> None:
    """A listed model is limited in its thinking: else Qwen3 thinks on to the limit of every reply, and none has an answer."""
    cli("init", "--model", hub_id)
    (made,) = yaml.safe_load(Path("models.yaml").read_text())["models"]
    kept = {key: made[key] for key in ("chat_template_kwargs", "generation") if key in made}
    assert kept == {
        "Qwen/Qwen3-8B": {"chat_template_kwargs": {"enable_thinking": False}},
        "zai-org/GLM-Z1-9B-0414": {
            "generation": {"max_new_tokens": 8192, "temperature": 0.6, "top_p": 0.95, "top_k": 40}
        },
    }.get(hub_id, {})


def test_the_hub_to_fetch_from(cli: Any) -> None:
    cli("init", "--yes", "--model", "Qwen/Qwen3-8B", "--hub", "modelscope")
    (model,) = load_models(Path("models.yaml"))
    assert model.hub == "modelscope"
    assert (
        "is no hub id"
        in cli("init", "--model", "deepseek-v4-flash", "--hub", "modelscope", "--out", "b.yaml", expect=2).stderr
    )
    assert "hub" in cli("init", "--model", "Qwen/Qwen3-8B", "--hub", "nope", "--out", "c.yaml", expect=2).stderr
    assert not Path("b.yaml").exists() and not Path("c.yaml").exists()


def test_why_a_server_does_not_answer_is_told_in_words() -> None:
    problem = machine.ask_server("http://127.0.0.1:1/v1").problem
    assert problem and "Errno" not in problem


def test_a_gpu_and_vllm_make_it_vllm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(entries, "find_spec", lambda name: object())
    made = [entries.local_model("Qwen/Qwen3-8B", None, gpus, tmp_path) for gpus in ([machine.GPU("H100", 80)], [])]
    assert [entry["backend"] for entry in made] == ["vllm", "hf"]


def test_an_address_that_wants_a_key(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three questions: the address, the model there, the variable with the key."""
    with _strange_server(401, b"{}") as (address, _):
        _answers(monkeypatch, address, "some-model", "MY_KEY")
        done = cli("init")
        assert sum(done.stdout.count(q) for q in ("Which model?", "Which of its models", "variable with the key")) == 3
        assert "first: MY_KEY is not set: export MY_KEY=…" in done.stdout
        assert "wants a key" in cli("init", "--model", address, "--served", "x", "--out", "b.yaml", expect=2).stderr
    (model,) = load_models(Path("models.yaml"))
    assert (model.path, model.api.base_url, model.api.key_env) == ("some-model", address, "MY_KEY")


def test_what_is_there_is_not_overwritten(cli: Any) -> None:
    Path("models.yaml").write_text("mine")
    assert "models.yaml: exists already" in cli("init", "--yes", "--model", "Qwen/Qwen3-8B", expect=2).stderr
    assert Path("models.yaml").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "secret", "says"),
    [
        (["--model", "http://me:hunter2hunter2@127.0.0.1:1/v1"], "hunter2hunter2", "without user, password"),
        (["--model", "http://127.0.0.1:1/v1", "--served", "m", "--key-env", "sk-abcdefghijklmnopqrstuv"], "sk-abc", "the name of an"),
    ],
    ids=["password", "key"],
)  # fmt: skip
def test_what_is_refused_is_neither_written_nor_shown(words: list[str], secret: str, says: str, cli: Any) -> None:
    refused = cli("init", "--yes", *words, expect=2)
    assert not Path("models.yaml").exists() and says in refused.stderr
    Path("models.yaml").write_text("models: []")
    again = cli("init", "--yes", *words, expect=2)
    assert secret not in refused.stdout + refused.stderr + again.stdout + again.stderr and says in again.stderr


@pytest.mark.parametrize(
    ("group", "code"),
    [("benchmarks", "import sys; sys.exit(0)"), ("backends", "import sys; sys.exit(0)"), ("benchmarks", "ROW = 5")],
)
def test_a_broken_plugin_is_told_of(group: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = f"of_{group}_{len(code)}"
    (tmp_path / f"{module}.py").write_text(code)
    info = tmp_path / "a_package-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: a-package\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[evalsuite.{group}]\nmine = {module}:ROW\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(checks, "BENCHMARKS", LazyMapping(_benchmarks))  # as a new process finds them
    rows = {row.name: row for row in checks.checks() if row.group in ("plugins", "data")}
    bad = rows["benchmarks" if group == "benchmarks" else "mine"]
    assert bad.state == "wrong" and "a-package" in bad.found
    assert ("official data" in rows) == (group == "backends")


def test_the_entry_for_a_file_that_is_there_is_printed(cli: Any) -> None:
    """The entry is printed, so that it can be added to the list: `init … >> models.yaml`."""
    cli("init", "--model", "Qwen/Qwen3-8B")
    before = Path("models.yaml").read_text()
    done = cli("init", "--model", "deepseek-v4-flash", "--name", "second", expect=2)
    assert "the lines above" in done.stderr and Path("models.yaml").read_text() == before
    Path("models.yaml").write_text(before + done.stdout)
    first, second = load_models(Path("models.yaml"))
    assert (first.name, second.name, second.path) == ("Qwen3-8B", "second", "deepseek-v4-flash")


@pytest.mark.parametrize(
    "command",
    [
        ["models"],
        ["doctor"],
        ["preview", "--limit", "1", "--cost", "--tasks", "SI"],
        ["run", "--limit", "1", "--tasks", "SI", "--model", "random"],
    ],
)
def test_a_models_yaml_that_is_not_read_is_told_of(command: list[str], cli: Any) -> None:
    hint = "models.yaml here is not used; add --models models.yaml"
    if command[0] in ("models", "doctor"):
        assert hint not in cli(*command).stderr
    Path("models.yaml").write_text("models: [{name: mine, backend: baseline, path: random}]")
    assert hint in cli(*command).stderr
    Path("models.yaml").write_text("models: [{name: random, backend: baseline, path: random}]")
    assert hint not in cli(*command, "--models", "models.yaml").stderr


def test_what_init_and_doctor_say_holds_without_a_checkout(cli: Any) -> None:
    cli("init", "--model", "Qwen/Qwen3-8B")
    stdout = Path("models.yaml").read_text() + cli("doctor", "--models", "models.yaml", COLUMNS="200").stdout
    assert not re.findall(r"docs/\w+\.md", stdout)


def test_without_a_model_init_writes_nothing(cli: Any) -> None:
    assert "no server and no key found here: name a model" in cli("init", "--yes", expect=2).stderr
    assert "no such folder" in cli("init", "--model", "./nowhere", expect=2).stderr
    assert not Path("models.yaml").exists()


def test_editors_find_the_schema(cli: Any) -> None:
    cli("init", "--model", "Qwen/Qwen3-8B")
    first = Path("models.yaml").read_text().splitlines()[0]
    schema = Path(first.removeprefix("# yaml-language-server: $schema="))
    assert json.loads(schema.read_text())["$id"] == "urn:evalsuite:schema:models:1"


# ---------------------------------------------------------------- servers


STRANGE = [
    (200, b"[]", "no list of models"),
    (200, b"<html>", "no list of models"),
    (200, b'{"data": [{"id": 3}]}', "lists no model"),
    (200, b'{"data": 7}', "no list of models"),
    (200, b"[" * 100_000, "no list of models"),
    (500, b"", "answers 500"),
    (404, b"", "answers 404"),
]


@pytest.mark.parametrize(("status", "body", "problem"), STRANGE)
def test_strange_servers_have_their_problem(status: int, body: bytes, problem: str) -> None:
    with _strange_server(status, body) as (address, _):
        found = machine.ask_server(address)
    assert problem in found.problem and not found.answers


def test_a_server_that_is_not_there() -> None:
    assert machine.ask_server("http://[::1/v1").problem
    assert "refused" in machine.ask_server("http://127.0.0.1:9/v1").problem


def test_a_key_goes_to_no_other_host() -> None:
    moved = {"Location": ""}
    with _strange_server(200, b'{"data": []}') as (other, sent), _strange_server(302, b"", moved) as (address, first):
        moved["Location"] = f"{other}/models"
        found = machine.ask_server(address, SECRET)
    assert first == [f"Bearer {SECRET}"] and sent == [] and found.problem == "answers 302"


# ---------------------------------------------------------------- doctor


def _rows(cli: Any, *words: object, expect: int = 0) -> dict[str, dict[str, str]]:
    return {row["name"]: row for row in json.loads(cli("doctor", "--json", *words, expect=expect).stdout)}


def test_doctor_on_nothing(cli: Any) -> None:
    rows = _rows(cli)
    assert (
        rows["official data"]["state"] == "absent" and "evalsuite data pull corecode" in rows["official data"]["mend"]
    )
    assert rows["servers here"]["state"] == rows["keys"]["state"] == rows["GPU"]["state"] == "absent"
    assert rows["its packages"]["state"] == "ok"
    assert all(row["mend"] for row in rows.values() if row["state"] != "ok")
    text = cli("doctor").stdout
    assert "nothing is broken" in text and "→ evalsuite data pull corecode" in text


def test_doctor_of_what_is_here(server: FaultServer, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOONSHOT_API_KEY", SECRET)
    rows = _rows(cli, "--data", bundled("sample"))
    assert "Qwen/Qwen3-8B" in rows[f"http://localhost:{server.port}/v1"]["found"]
    assert rows["MOONSHOT_API_KEY"]["state"] == "ok" and SECRET not in json.dumps(rows)
    assert rows["CORECODE"]["state"] == "ok" and "all its tasks" in rows["CORECODE"]["found"]


def test_data_in_part_and_none(cli: Any, tmp_path: Path) -> None:
    place = Path("easy") / "generation" / "test" / f"{TASKS['event_cause'].file}.jsonl"
    (tmp_path / "corecode" / "data" / place).parent.mkdir(parents=True)
    (tmp_path / "corecode" / "data" / place).write_bytes((bundled("sample") / "data" / place).read_bytes())
    row = _rows(cli, "--data", tmp_path / "corecode")["CORECODE"]
    assert row["state"] == "absent" and "CKF" in row["found"] and "EC" not in row["found"].split("test items of")[1]
    assert "no training split" in row["found"] and row["mend"] == "evalsuite data pull corecode"
    assert _rows(cli, "--data", tmp_path / "nowhere", expect=1)[str(tmp_path / "nowhere")]["found"] == "no such folder"
    (tmp_path / "empty").mkdir()
    assert (
        "none of the benchmarks" in _rows(cli, "--data", tmp_path / "empty", expect=1)[str(tmp_path / "empty")]["found"]
    )


def test_doctor_of_a_models_file(server: FaultServer, tiny: Path, cli: Any) -> None:
    pytest.importorskip("torch", reason="needs evalsuite[hf]")
    pytest.importorskip("openai", reason="needs evalsuite[openai]")
    api = f"key_env: null, base_url: '{server.url}'"
    Path("models.yaml").write_text(f"""models:
  - {{name: random, backend: baseline, path: random}}
  - {{name: here, backend: hf, path: {tiny}}}
  - {{name: gone, backend: hf, path: ./gone}}
  - {{name: empty, backend: hf, path: ./empty}}
  - {{name: hub, backend: hf, path: org/model}}
  - {{name: served, backend: openai, path: Qwen/Qwen3-8B, api: {{{api}}}}}
  - {{name: mistyped, backend: openai, path: qwen, api: {{{api}}}}}
  - {{name: keyless, backend: openai, path: x, api: {{key_env: NO_SUCH_KEY}}}}
  - {{name: stopped, backend: openai, path: x, api: {{key_env: null, base_url: 'http://localhost:9/v1'}}}}
""")
    Path("empty").mkdir()
    done = cli("doctor", "--models", "models.yaml", expect=1)
    assert "✗ to mend: gone, empty, mistyped, keyless, stopped" in done.stdout
    rows = _rows(cli, "--models", "models.yaml", expect=1)
    assert "no such folder" in rows["gone"]["found"] and "config.json" in rows["empty"]["found"]
    assert "will be fetched" in rows["hub"]["found"] and "has the model Qwen/Qwen3-8B" in rows["served"]["found"]
    assert "has no model qwen, but Qwen/Qwen3-8B" in rows["mistyped"]["found"]
    assert rows["keyless"]["mend"] == "export NO_SUCH_KEY=…"


def test_a_model_that_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ['vllm>=0.32; extra == "vllm"']
    monkeypatch.setattr(packages, "requires", lambda name: lines)
    Path("m.yaml").write_text("models: [{name: m, backend: vllm, path: org/model}]")
    monkeypatch.setattr(packages, "installed", lambda name: "0.30.1")
    row = checks.of_model(load_models(Path("m.yaml"))[0], [])
    assert (row.state, row.found, row.mend) == (
        "wrong",
        "vllm 0.30.1 is outside >=0.32",
        "pip install 'evalsuite[vllm]'",
    )


def test_weights_that_do_not_fit(tmp_path: Path) -> None:
    (tmp_path / "big").mkdir()
    (tmp_path / "big" / "config.json").write_text("{}")
    with (tmp_path / "big" / "model.safetensors").open("wb") as file:
        file.truncate(30 * 10**9)  # a sparse file, which takes no room
    Path("m.yaml").write_text("models: [{name: m, backend: hf, path: big}, {name: two, backend: hf, path: big}]")
    (model, _) = load_models(Path("m.yaml"))
    row = checks._of_weights(model, Path(model.path), [machine.GPU("x", 24 * 10**9)], checks._row_of(model))
    assert row.state == "wrong" and row.found == "30.0 GB of weights, 24 GB in the GPU"


def test_a_tokenizer_alone_is_no_fetched_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    snapshot = tmp_path / "models--Qwen--Qwen3-8B" / "snapshots" / "0123"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    assert not machine.is_fetched("Qwen/Qwen3-8B")
    (snapshot / "model.safetensors").write_bytes(b"")
    assert machine.is_fetched("Qwen/Qwen3-8B")


def test_some_shards_are_no_fetched_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    snapshot = tmp_path / "models--Qwen--Qwen3-8B" / "snapshots" / "0123"
    snapshot.mkdir(parents=True)
    (snapshot / "model-00001-of-00002.safetensors").write_bytes(b"")
    assert not machine.is_fetched("Qwen/Qwen3-8B")
    (snapshot / "model-00002-of-00002.safetensors").write_bytes(b"")
    assert machine.is_fetched("Qwen/Qwen3-8B")


def test_weights_in_two_formats_count_once(tmp_path: Path) -> None:
    for name in ("model.safetensors", "consolidated.safetensors", "pytorch_model.bin"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(15 * 10**9)
    Path("m.yaml").write_text("models: [{name: m, backend: vllm, path: .}]")
    (model,) = load_models(Path("m.yaml"))
    row = checks._of_weights(model, tmp_path, [machine.GPU("x", 24 * 10**9)], checks._row_of(model))
    assert row.state == "ok" and row.found == "15.0 GB of weights, 24 GB in the GPU"


@pytest.mark.parametrize(
    ("stored", "native", "dtype", "said"),
    [
        ("float32", ["amx_bf16"], "auto", "dtype: bfloat16 is two to four times"),
        ("bfloat16", [], "auto", "dtype: float32 is faster"),
        ("bfloat16", ["amx_bf16"], "auto", ""),
        ("float32", [], "auto", ""),
        ("float32", ["amx_bf16"], "float32", ""),
    ],
)
def test_a_precision_that_is_slow_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stored: str, native: list[str], dtype: str, said: str
) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"torch_dtype": stored}))
    Path("m.yaml").write_text(f"models: [{{name: m, backend: hf, path: ., dtype: {dtype}}}]")
    monkeypatch.setattr(machine, "cpu", lambda: {"cores": 1, "memory": 10**9, "bfloat16": native})
    row = checks._of_weights(load_models(Path("m.yaml"))[0], tmp_path, [], lambda state, found, mend="": found)
    assert said in row and bool(said) == ("dtype" in row)


def test_no_advice_fetches_evalsuite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """evalsuite is not on PyPI yet: another package may have its name there."""
    lacking = packages.PackageRange("numpy", ">=999", "2.0")
    monkeypatch.setattr(packages, "required", lambda: [lacking])
    monkeypatch.setattr(checks, "bundled", lambda name: tmp_path / name)
    rows = {row.name: row for row in checks._python()}
    assert rows["its packages"].state == rows["schema"].state == "wrong"
    assert rows["its packages"].mend == "pip install evalsuite"
    assert "pip" not in rows["schema"].mend


def test_a_gpu_that_torch_does_not_see(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch", reason="needs evalsuite[hf]")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    row = next(r for r in checks._machine([machine.GPU("H100", 80 * 10**9)]) if r.name == "torch")
    assert row.state == "wrong" and "sees 0 of 1 GPUs" in row.found


def test_memory_is_told_in_units_of_ten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "cpu", lambda: {"cores": 2, "memory": 16 * 10**9, "bfloat16": []})
    monkeypatch.setattr(machine, "free_disk", lambda _: 10**9 - 1)
    monkeypatch.setattr(packages, "installed", lambda name: None)
    rows = {row.name: row for row in checks._machine([machine.GPU("H100", 80 * 10**9)])}
    assert rows["GPU 0"].found == "H100, 80 GB"
    assert rows["CPU"].found == "2 cores and 16 GB of memory: no bfloat16 of its own"
    assert (rows["disk"].state, rows["disk"].mend) == ("wrong", "make room")
    monkeypatch.setattr(machine, "free_disk", lambda _: 10**9)
    row = next(row for row in checks._machine([]) if row.name == "disk")
    assert row.state == "ok" and row.found.endswith(": 1.0 GB")


@pytest.mark.parametrize(
    ("status", "state", "found"),
    [
        (401, "wrong", "takes the key in MY_KEY for wrong"),
        (403, "wrong", "takes the key in MY_KEY for wrong"),
        (500, "ok", "answers 500"),
    ],
)
def test_a_key_that_an_endpoint_refuses(monkeypatch: pytest.MonkeyPatch, status: int, state: str, found: str) -> None:
    pytest.importorskip("openai", reason="needs evalsuite[openai]")
    monkeypatch.setenv("MY_KEY", "secret")
    with _strange_server(status, b"{}") as (address, sent):
        api = f"{{key_env: MY_KEY, base_url: '{address}'}}"
        Path("m.yaml").write_text(f"models: [{{name: m, backend: openai, path: x, api: {api}}}]")
        row = checks.of_model(load_models(Path("m.yaml"))[0], [])
    assert row.state == state and found in row.found and sent == ["Bearer secret"]


def test_several_gpus_are_used_with_ray_only() -> None:
    one, two = ([r.found for r in checks._machine([machine.GPU("H100", 80 * 10**9)] * n)] for n in (1, 2))
    assert [sum("--executor ray" in said for said in rows) for rows in (one, two)] == [0, 1]


def test_gpus_as_the_driver_lists_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # from here on the machine's own environment, but for PATH
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho 'NVIDIA H100 80GB HBM3, 81559'\necho 'NVIDIA, odd, 10'\n")
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert machine.gpus() == [
        machine.GPU("NVIDIA H100 80GB HBM3", 81559 * 2**20),
        machine.GPU("NVIDIA, odd", 10 * 2**20),
    ]
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert machine.gpus() == []


# ---------------------------------------------------------------- packages


@pytest.mark.parametrize(
    ("version", "wanted", "fits"),
    [
        ("2.10.1", ">=2.6", True),
        ("2.6.0+cpu", ">=2.6", True),
        ("2.7.0.dev20260101", ">=2.6", True),
        ("3.0", ">=2,<3", False),
        ("unknown", ">=2.6", False),
        ("0.1", "", True),
    ],
)
def test_versions_in_a_range(version: str, wanted: str, fits: bool) -> None:
    assert packages.in_range(version, wanted) is fits


def test_extras_as_the_metadata_has_them() -> None:
    names = {r.name for r in packages.required("finetune")}
    assert {"torch", "transformers", "peft", "accelerate"} <= names and "evalsuite" not in names
    assert "numpy" in {r.name for r in packages.required()} and "torch" not in {r.name for r in packages.required()}


def test_every_extra_is_told_of() -> None:
    """An extra that pyproject.toml adds needs a line that says what it is for."""
    import tomllib

    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {*project["optional-dependencies"]} - {"dev", "docs"} == {*packages.EXTRAS}


def test_ready_for_a_file_of_another() -> None:
    with pytest.raises(ConfigError, match="exists already"):
        Path("x.yaml").touch()
        entries.write_models([], Path("x.yaml"))
