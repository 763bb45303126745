"""No API key leaves the process, whatever an endpoint does with it; and what an endpoint sends is bounded."""

from __future__ import annotations

import base64
import gzip
import html
import json
import logging
import re
import sqlite3
import threading
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from needs import needs

import evalsuite
from evalsuite.backends.base import Limits
from evalsuite.backends.model import API, Model
from evalsuite.backends.models import load_models
from evalsuite.backends.openai.backend import OpenAI
from evalsuite.backends.openai.bodies import OF_REPLY
from evalsuite.backends.openai.replies import EndpointError, RequestError, TransientError, read_error, read_reply
from evalsuite.common.errors import BackendError, ConfigError
from evalsuite.common.secrets import hidden_start, hide, keep_secret
from evalsuite.common.terminal import one_line, safe
from evalsuite.evaluation.ask import received
from evalsuite.evaluation.display import log_to
from evalsuite.types import Message, Request, Response

needs("openai", "openai")

KEY = "zk-TOP/SECRET+9f8e7d6c5b4a&3210=="


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOP_KEY", KEY)
    keep_secret(KEY)


def leaks(text: str) -> bool:
    """Whether a text holds four characters of the key's beginning, or eight of it anywhere."""
    return KEY[:4] in text or any(KEY[n : n + 8] in text for n in range(len(KEY) - 7))


# --- spellings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        KEY, quote(KEY), quote(KEY, safe=""), re.sub("%..", lambda found: found[0].lower(), quote(KEY, safe="")), json.dumps(KEY), json.dumps(KEY).replace("/", "\\/"),
        html.escape(KEY), repr(KEY),
        *(base64.b64encode((before + KEY + after).encode()).decode() for before in ("", "u", "us", "user:") for after in ("", "@", "xyz")),
        *(base64.urlsafe_b64encode((before + KEY).encode()).decode() for before in ("", "u", "us")),
    ],
)  # fmt: skip
def test_a_key_is_masked_in_every_spelling(text: str) -> None:
    shown = hide(f"before {text} after")
    assert shown.startswith("before ") and shown.endswith(" after") and text not in shown and not leaks(shown)
    for code in shown.split():
        for start in range(4):
            part = code[start : start + (len(code) - start) // 4 * 4]
            try:
                assert not leaks(base64.urlsafe_b64decode(part).decode("latin-1"))
            except ValueError:
                continue


def test_a_key_cut_anywhere_is_masked() -> None:
    for n in range(4, len(KEY)):
        assert hide(f"x {KEY[:n]}", cut=True) == "x ***"
        assert not leaks(hidden_start("x" * 200 + KEY, 200 + n))
        assert not leaks(one_line("x" * (100 - n) + KEY + "y" * 300))
    # Not cut: four characters may be a word.
    assert hide(f"{KEY[:12]}… {KEY}{KEY} {KEY[:4]}") == f"***… ****** {KEY[:4]}"


def test_what_is_no_key_stays() -> None:
    keep_secret("short")
    assert hide("short zk-T zebra") == "short zk-T zebra"


@pytest.mark.parametrize(
    "key", ["sk-proj-Ab1cdEfGhIjKlMnOpQr", "gsk_abcdefghijklmnopqrst", "hf_AbCdEfGhIjKlMnOpQrStUv", "sk-" + "x" * 20]
)
def test_what_looks_like_a_key_is_masked(key: str) -> None:
    assert hide(f"key provided: {key}.") == "key provided: ***."


@pytest.mark.parametrize(
    "text",
    [
        "task-knowledge_filling_easy",
        "sk-learn-based-approach-of-2024",
        "ask-me-anything-you-like",
        "chf_abcdefghijklmnopqrstuvw",
    ],
)
def test_names_that_begin_like_a_key_stay(text: str) -> None:
    assert hide(text) == text


# --- answers of endpoints --------------------------------------------------------------------------------------------


def message_of(call: Callable[..., Response], *more: Any) -> str:
    try:
        reply = call(*more)
    except (TransientError, RequestError, EndpointError) as error:
        return str(error)
    return f"{reply.text} {reply.reasoning} {reply.error}"


def test_no_cut_of_an_answer_leaves_a_part_of_the_key() -> None:
    for n in range(150, 510, 12):
        for inner in (
            f"{'x' * n} Bearer {KEY}",
            "字" * (n // 3) + KEY,
            f"{'x' * n}{KEY}"[: n + 9],
            f"{'x' * n}{KEY}"[: n + 5],
        ):
            for body in (inner, json.dumps({"error": {"message": inner}}), json.dumps({"error": inner}),
                         json.dumps({"detail": inner}), json.dumps({"error": {"message": inner}}).replace("S", "\\u0053")):  # fmt: skip
                for status in (400, 401, 404, 429, 500):
                    assert not leaks(message_of(read_error, status, {}, body.encode(), {}))
                for kind in ("text/plain", "application/json", f"text/{KEY}"):
                    assert not leaks(message_of(read_reply, {"content-type": kind}, body.encode()))
    choice = {"message": {"content": f"a {KEY}", "reasoning": f"b {KEY}"}}
    assert message_of(read_reply, {}, json.dumps({"choices": [choice]}).encode()) == "a *** b *** None"


@contextmanager
def endpoint(answer: Callable[[Any], tuple[int, dict[str, str], bytes]]) -> Iterator[str]:
    """An endpoint whose every answer is (status, headers, body) as the function says, and its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            status, headers, body = answer(self)
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def reply(text: str, **usage: Any) -> tuple[int, dict[str, str], bytes]:
    body = {"choices": [{"message": {"content": text}}], "usage": usage}
    return 200, {"content-type": "application/json"}, json.dumps(body).encode()


def ask(url: str, **api: Any) -> Response:
    model = Model(name="m", backend="openai", path="x", chat=True,
                  api=API(**{"base_url": url, "key_env": "TOP_KEY", "attempts": 1, "backoff": 0.01, "timeout": 30.0, **api}))  # fmt: skip
    (((_, found),),) = OpenAI(model, Limits()).generate([Request("1", "p", (Message("user", "p"),), 8)], [False])
    return found


def models_file(folder: Path, url: str) -> Path:
    path = folder / "models.yaml"
    path.write_text(
        f"models: [{{name: m, backend: openai, path: x, chat: true, api: {{base_url: '{url}', key_env: TOP_KEY, attempts: 1}}}}]"
    )
    return path


@pytest.mark.slow
def test_a_run_and_its_judge_leave_no_part_of_the_key(tmp_path: Path, cli: Any) -> None:
    """No file and no line of output has a part of the key, though the endpoint repeats it where texts are cut, in three kinds of
    answer."""
    count = iter(range(10_000))

    def reply_that_quotes_the_key(request: Any) -> tuple[int, dict[str, str], bytes]:
        n = next(count)
        text = "x" * (195 - n % 12 - 20) + request.headers["authorization"] + " and more"
        kinds = [(500, {"content-type": "text/html"}, text.encode()), (200, {"content-type": "text/plain"}, text.encode()),
                 (400, {}, json.dumps({"error": {"message": "x" * 300 + text}}).encode()), reply(f"3 {text}")]  # fmt: skip
        return kinds[n % 4]

    out = tmp_path / "run"
    with endpoint(reply_that_quotes_the_key) as url:
        models = models_file(tmp_path, url)
        first = cli("run", "--models", models, "--tasks", "event_cause", "--limit", "8", "--out", out, "-v", expect=1)
        second = cli("judge", out, "--judge", "m", "--models", models, "-v", expect=1)
        sent = cli("submit", "make", out, tmp_path / "sent")
    told = "".join(done.stdout + done.stderr for done in (first, second, sent))
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert not leaks(told) and "***" in told and len(files) > 10
    for file in files:
        assert not leaks(file.read_bytes().decode("latin-1")), file


def test_the_keys_of_all_models_of_the_file_are_masked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_KEY", "other-endpoints-key-77")
    segment = "4f9d8e7c6b5a49382716abcd"
    (tmp_path / "m.yaml").write_text(
        "models:\n  - {name: a, backend: baseline, path: lexical}\n"
        f"  - {{name: b, backend: openai, path: x, api: {{base_url: 'https://gate.example/{segment}/v1', key_env: OTHER_KEY}}}}\n"
    )
    load_models(tmp_path / "m.yaml", ["a"])
    assert safe(f"other-endpoints-key-77 https://gate.example/{segment}/v1") == "*** https://gate.example/***/v1"


# --- redirections, proxies, waits ------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirections_are_not_followed(status: int) -> None:
    asked = []

    def reply_elsewhere(request: Any) -> tuple[int, dict[str, str], bytes]:
        asked.append(request.path)
        return reply("from elsewhere")

    with endpoint(reply_elsewhere) as elsewhere:
        target = {"location": f"{elsewhere}/chat/completions?key={quote(KEY)}"}
        with endpoint(lambda _: (status, target, b"")) as url, pytest.raises(BackendError, match=r"redirects to 127\.0\.0\.1") as caught:  # fmt: skip
            ask(url)
    assert not asked and not leaks(str(caught.value)) and "not followed" in str(caught.value)


def test_no_proxy_between_this_machine_and_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def proxy(request: Any) -> tuple[int, dict[str, str], bytes]:
        asked.append(request.path)
        return reply("from the proxy")

    with endpoint(proxy) as address, endpoint(lambda _: reply("direct")) as url:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, address.removesuffix("/v1"))
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        assert ask(url).text == ask(url.replace("127.0.0.1", "localhost")).text == "direct"
        assert not asked
        assert ask("http://endpoint.example/v1").text == "from the proxy"
        assert asked == ["http://endpoint.example/v1/chat/completions"]


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_a_wait_of_hours_stops_the_model_whatever_the_error(status: int) -> None:
    with pytest.raises(EndpointError, match="asks to wait for 3600 s"):
        read_error(status, {"retry-after": "3600"}, b"", {})


def test_long_waits_are_told_once(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    from evalsuite.backends.openai import asking

    async def at_once(self: Any, seconds: float) -> None:
        self._log_wait(seconds)

    monkeypatch.setattr(asking.GenerateCall, "_sleep", at_once)
    monkeypatch.setattr(asking.Throttle, "pause", lambda *_: None)
    with endpoint(lambda _: (503, {"retry-after": "30"}, b"busy")) as url:
        assert "503" in str(ask(url, attempts=3).error)
    (line,) = [r.getMessage() for r in caplog.records if "waits" in r.getMessage()]
    assert line.startswith("model m: waits 30 s before")


# --- sizes and counts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2**63, 10**30, -1, True, 2.5, float("nan"), float("inf"), "7", [], {}])
def test_what_is_no_number_of_tokens_is_0(count: Any) -> None:
    _, headers, body = reply("a", prompt_tokens=count, completion_tokens=3)
    found = read_reply(headers, body)
    # 0 stands for unknown: the highest possible cost counts
    assert (found.text, found.prompt_tokens, found.new_tokens) == ("a", 0, 0)
    other = received(Response("a", "stop", count, 3, thinking_tokens=count))
    assert (other.prompt_tokens, other.new_tokens, other.thinking_tokens) == (0, 3, 0)


def test_usage_beyond_sqlite_keeps_the_reply(tmp_path: Path) -> None:
    with endpoint(lambda _: reply("好", prompt_tokens=2**63, completion_tokens=2**70)) as url:
        done = evalsuite.run(models_file(tmp_path, url), tasks=["event_cause"], limit=1, out=tmp_path / "run")
    assert done.exit_code == 0
    with sqlite3.connect(tmp_path / "run" / "store.sqlite") as db:
        assert set(db.execute("SELECT text, prompt_tokens FROM replies")) == {("好", 0)}


@pytest.mark.parametrize("encoding", ["identity", "gzip", "deflate"])
def test_a_body_is_read_and_unpacked_up_to_the_limit(encoding: str) -> None:
    pack = {"identity": bytes, "gzip": gzip.compress, "deflate": zlib.compress}[encoding]
    whole = json.dumps({"choices": [{"message": {"content": "好"}}]}).encode()
    head = {"content-type": "application/json", "content-encoding": encoding}
    for size in (OF_REPLY, OF_REPLY + 1):
        body = pack(whole.ljust(size))
        with endpoint(lambda _, body=body: (200, head, body)) as url:
            found = ask(url)
        if size == OF_REPLY:
            assert (found.text, found.error) == ("好", None)
        else:
            assert found.text == "" and "the reply is over 8 MiB" in (found.error or "")


@pytest.mark.parametrize("status", [200, 500])
def test_a_large_body_takes_no_memory(status: int) -> None:
    """100 kB of gzip that unpack to 100 MB."""
    body = gzip.compress(bytes(100_000_000))
    with endpoint(lambda _: (status, {"content-type": "application/json", "content-encoding": "gzip"}, body)) as url:
        tracemalloc.start()
        error = ask(url).error or ""
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert ("over 8 MiB" if status == 200 else "500") in error and peak < 50_000_000


def test_packing_that_nobody_asked_for_is_a_failure() -> None:
    for encoding in ("br", "gzip"):
        with endpoint(
            lambda _, e=encoding: (200, {"content-type": "application/json", "content-encoding": e}, b"x" * 20)
        ) as url:
            assert "packed otherwise than asked for" in (ask(url).error or "")


def test_a_file_of_a_batch_is_no_larger_than_its_lines_can_be() -> None:
    from evalsuite.backends.openai.provider import Provider

    class Files(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-length", str(2 * OF_REPLY))
            self.end_headers()
            with suppress(OSError):  # the client hangs up
                self.wfile.write(bytes(2 * OF_REPLY))

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Files) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        provider = Provider(API(base_url=f"http://127.0.0.1:{server.server_port}/v1"), "")
        assert len(provider.content("f", 2)) == len(provider.content("f")) == 2 * OF_REPLY
        with pytest.raises(RequestError, match="over 8 MiB"):
            provider.content("f", 1)
        provider.close()
        server.shutdown()


def test_a_reply_without_end_is_a_failure_and_the_run_stays_readable(tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = evalsuite.run({"m": lambda request: "长" * 700_000}, tasks=["event_cause"], limit=1, out=out)
    assert "reply of 2.0 MiB: over the limit of 1 MiB" in done.problems[0]
    evalsuite.report([out], tmp_path / "page")
    assert received(Response("x" * 2**20, "stop")).error is None
    assert received(Response("x" * 2**19, "stop", reasoning="y" * (2**19 + 1))).error


# --- models.yaml -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("url", [f"https://user:{KEY}@x/v1", f"https://x/v1?key={KEY}", f"https://x/v1#{KEY}", f"ftp://{KEY}"])  # fmt: skip
def test_a_refused_address_is_not_printed(tmp_path: Path, url: str) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(f"models:\n  - {{name: a, backend: openai, path: x, api: {{base_url: 'tell{url[4:]}'}}}}\n")
    secret = "SECRET+9f8e"
    with pytest.raises(ConfigError, match=r"m\.yaml:2: models\[0\]\.api\.base_url") as caught:
        load_models(path)
    assert secret not in str(caught.value)
    path.write_text(f"models:\n  - {{name: a, backend: openai, path: x, api: {{base_url: {url}: }}\n")
    with pytest.raises(ConfigError) as caught:  # no YAML: the line is not quoted either
        load_models(path)
    assert secret not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["api_key", "apiKey", "x-api-key", "key", "token", "access_token", "accessToken", "secret", "client_secret",
             "password", "Authorization", "proxy-authorization", "auth", "Cookie", "aws_credentials", "Bearer"],
)  # fmt: skip
def test_parameters_named_like_secrets_are_refused(tmp_path: Path, name: str) -> None:
    for parameters in ({name: "zz-12345678"}, {"extra": [{"headers": {name: "zz-12345678"}}]}):
        path = tmp_path / "m.yaml"
        path.write_text(
            f"models: [{{name: a, backend: openai, path: x, api: {{parameters: {json.dumps(parameters)}}}}}]"
        )
        with pytest.raises(ConfigError, match="looks like a secret") as caught:
            load_models(path)
        assert "zz-12345678" not in str(caught.value)


def test_other_parameters_are_not() -> None:
    names = ["thinking_budget", "budget_tokens", "min_tokens", "prompt_cache_key", "stop_token_ids", "top_k", "monkey",
             "skip_special_tokens", "reasoning_effort", "logit_bias", "author", "tokenizer", "keyword", "token_limit"]  # fmt: skip
    assert API(parameters={"extra": dict.fromkeys(names, 1)}).parameters


# --- the terminal and the log ----------------------------------------------------------------------------------------


def test_broken_lines_left_out_are_in_the_log_and_calm_on_the_terminal(tmp_path: Path, cli: Any) -> None:
    import shutil

    from evalsuite.common.resources import bundled

    shutil.copytree(bundled("sample/data"), tmp_path / "data\x1b]52;c;eA==\x07" / "corecode" / "data")
    path = next(tmp_path.glob("data*")) / "corecode/data/easy/multiple_choice/test/Slot_Identification.jsonl"
    path.write_text('{"\x9b31m\u202e": 1}\n' + path.read_text(), encoding="utf-8")
    done = cli("run", "--model", "lexical", "--tasks", "slot_identification", "--limit", "1", "--skip-bad",
               "--data", next(tmp_path.glob("data*")), "--out", tmp_path / "run")  # fmt: skip
    log = (tmp_path / "run" / "run.log").read_text(encoding="utf-8")
    for text in (done.stderr, log):
        assert text.count("left out 1 broken lines") == 1
        assert not set(text) & set("\x1b\x07\x9b\u202e")


def test_log_lines_are_masked(tmp_path: Path) -> None:
    with log_to(tmp_path / "run.log", False):
        logging.getLogger("evalsuite.x").info("asked with %s", KEY)
    assert "asked with ***" in (tmp_path / "run.log").read_text()


def test_warnings_of_packages_are_calm(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def warn_loudly(*_: Any, **__: Any) -> None:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("always")
            logging.captureWarnings(True)
            warnings.warn(f"\x1b[31m{KEY}", stacklevel=1)
        logging.getLogger("transformers_like").warning("\x1b[31mred")
        raise SystemExit(0)

    monkeypatch.setattr("evalsuite.score", warn_loudly)
    stderr = cli("score", "run").stderr
    assert "U+001B[31mred" in stderr and "\x1b" not in stderr and not leaks(stderr)
