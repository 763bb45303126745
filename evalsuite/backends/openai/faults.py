"""An OpenAI-compatible server that misbehaves on purpose, to test clients.

    python -m evalsuite.backends.openai.faults --port 8123 --seed 0 --mix '429=0.03,500=0.05,drop=0.02'

The outcome of a request depends only on the seed, its prompt and how often that prompt was asked before. The reply is
derived from the prompt (`reply_to`), so that a client can be checked for mixed-up answers. GET /account reports the
outcome of every prompt. Errors repeat the Authorization header, as careless endpoints do.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, NamedTuple


class ServerFault(NamedTuple):
    """A kind of answer. Kinds with a share in MIX are transient; all other kinds are permanent errors, or replies."""

    what: str  # its description in --help
    share: float = 0.0  # the part of all answers under MIX; 0: none
    error: Mapping[str, str] = {}  # the answer's JSON; its status is the beginning of the kind
    lost: bool = False  # no whole reply arrives, although a real endpoint may charge for it


_RATE_LIMIT = {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}
FAULTS = {
    "429": ServerFault("429 without Retry-After", 0.03, error=_RATE_LIMIT),
    "429-seconds": ServerFault("429 with Retry-After in seconds", 0.01, error=_RATE_LIMIT),
    "429-date": ServerFault("429 with Retry-After as a date", 0.002, error=_RATE_LIMIT),
    "408": ServerFault("408", 0.01, error={"message": "Request timeout"}),
    "500": ServerFault("500", 0.05, error={"message": "The server had an error", "type": "server_error"}),
    "503": ServerFault("503 with an HTML page", 0.04),
    "drop": ServerFault("the connection is cut before the reply", 0.03, lost=True),
    "drop-middle": ServerFault("the connection is cut in the middle of the reply", 0.03, lost=True),
    "stall": ServerFault("no reply for `stall` seconds, then the connection is cut", 0.004, lost=True),
    "stall-middle": ServerFault("the same in the middle of the reply", 0.004, lost=True),
    "truncated": ServerFault("a complete HTTP message with half the JSON", 0.03, lost=True),
    "malformed": ServerFault("invalid JSON", 0.02, lost=True),
    "content-type": ServerFault("an HTML page with status 200", 0.02, lost=True),
    "no-choices": ServerFault("an empty list of choices", 0.02, lost=True),
    "no-message": ServerFault("a choice without a message", 0.01, lost=True),
    "duplicate": ServerFault("a reply with its choice twice, and a wrong one", 0.03),
    "echo": ServerFault("a reply that repeats the Authorization header"),
    "surrogate": ServerFault("a reply with half a character in it"),
    "reasoning": ServerFault("a reply with thoughts in reasoning_content"),
    "length": ServerFault("a reply cut at the limit"),
    "no-usage": ServerFault("a reply without token usage"),
    "filtered": ServerFault("a reply withheld: finish_reason content_filter"),
    "400-filter": ServerFault(
        "400, content filter",
        error={"message": "The response was filtered", "param": "prompt", "code": "content_filter"},
    ),
    "400": ServerFault(
        "400, prompt too long",
        error={"message": "This model's maximum context length is 64 tokens", "code": "context_length_exceeded"},
    ),
    "400-temperature": ServerFault(
        "400 if temperature is sent, else a reply",
        error={"message": "Unsupported value: 'temperature' does not support 0", "param": "temperature"},
    ),
    "400-max_tokens": ServerFault(
        "400 if max_tokens is sent, else a reply",
        error={
            "message": "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            "param": "max_tokens",
        },
    ),
    "401": ServerFault("401", error={"message": "Incorrect API key provided", "code": "invalid_api_key"}),
    "404": ServerFault("404, no such model", error={"message": "The model does not exist", "code": "model_not_found"}),
    "429-quota": ServerFault(
        "429, insufficient_quota", error={"message": "You exceeded your current quota", "code": "insufficient_quota"}
    ),
}
KINDS = {kind: fault.what for kind, fault in FAULTS.items()}
MIX = {kind: fault.share for kind, fault in FAULTS.items() if fault.share}
ERRORS = {kind: (int(kind[:3]), fault.error) for kind, fault in FAULTS.items() if fault.error}
LOST = {kind for kind, fault in FAULTS.items() if fault.lost}


def reply_to(prompt: str) -> str:
    """The reply to a prompt. A chat prompt is its turns joined by line breaks."""
    return reply_of(prompt_id(prompt))


def reply_of(name: str) -> str:
    """The reply to the prompt with this id."""
    return f"答：{name}"


def judgement_to(prompt: str) -> str:
    """A judge's reply to a prompt: a score from 0 to 5 and a reason, or, in three of ten cases, words without a score."""
    draw = random.Random(prompt_id(prompt))
    if draw.random() < 0.3:
        return f"答案大体通顺。{prompt_id(prompt)}"
    return f"{draw.randint(0, 5)}\n理由：{prompt_id(prompt)}"


def prompt_id(prompt: str) -> str:
    """The id of a prompt in /account."""
    return hashlib.sha256(prompt.encode("utf-8", "backslashreplace")).hexdigest()[:16]


@dataclass(slots=True)
class PromptOutcomes:
    """The outcomes of one prompt."""

    times: int = 0
    whole: int = 0  # replies sent completely
    kinds: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Server:
    """The server. `with Server(mix={"500": 0.1}) as server:` runs it on a thread; its base_url is `server.url`."""

    mix: Mapping[str, float] = field(default_factory=lambda: MIX)
    seed: int = 0
    port: int = 0  # 0: any free port
    retry_after: float = 1
    stall: float = 5
    latency: float = 0
    reply: Callable[[str], str] = reply_to
    models: tuple[str, ...] = ("served",)  # the list of GET /models
    worst: bool = False  # count the most tokens: one per byte of the prompt, and every reply at its limit
    asked: dict[str, PromptOutcomes] = field(default_factory=dict)
    prompt_tokens: int = 0  # charged, including lost replies
    new_tokens: int = 0
    most_at_once: int = 0
    early: int = 0  # requests during a Retry-After pause, except those in flight when it began
    _at_once: int = 0
    _silence: tuple[float, float] = (0.0, 0.0)  # start and end of the Retry-After pause
    _loop: asyncio.AbstractEventLoop | None = None
    _thread: threading.Thread | None = None
    _listening: asyncio.Server | None = None

    def __post_init__(self) -> None:
        self.check(self.mix, KINDS)

    @staticmethod
    def check(mix: Mapping[str, float], kinds: Mapping[str, Any]) -> None:
        if wrong := mix.keys() - kinds.keys():
            raise ValueError(f"no such kinds: {', '.join(sorted(wrong))}; there are {', '.join(kinds)}")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def account(self) -> dict[str, Any]:
        """Counts of outcomes and charged tokens, in all and by prompt: the JSON of GET /account."""
        return {
            "requests": sum(a.times for a in self.asked.values()),
            "kinds": dict(sum((a.kinds for a in self.asked.values()), Counter[str]())),
            "early": self.early,
            "most_at_once": self.most_at_once,
            "charged": {"prompt_tokens": self.prompt_tokens, "new_tokens": self.new_tokens},
            "prompts": {k: {"times": a.times, "whole": a.whole, "kinds": dict(a.kinds)} for k, a in self.asked.items()},
        }

    async def start(self) -> asyncio.Server:
        server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, limit=2**20)
        self.port = server.sockets[0].getsockname()[1]
        return server

    def __enter__(self) -> Server:
        self._loop = loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=loop.run_forever, daemon=True)
        self._thread.start()
        self._listening = asyncio.run_coroutine_threadsafe(self.start(), loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop and self._thread and self._listening
        self._loop.call_soon_threadsafe(self._listening.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection, request after request."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                first, *lines = head.split("\r\n")
                headers = {k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                self._at_once += 1
                self.most_at_once = max(self.most_at_once, self._at_once)
                try:
                    goes_on = await self._answer(first, headers.get("authorization", ""), body, writer)
                finally:
                    self._at_once -= 1
                if not goes_on:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has gone
        finally:
            with contextlib.suppress(Exception):
                writer.transport.abort()

    async def _answer(self, first: str, key: str, body: bytes, writer: asyncio.StreamWriter) -> bool:
        """Answer one request. False: cut the connection."""
        path = first.split(" ")[1].removeprefix("/v1")
        if path == "/account":
            await send(writer, 200, json.dumps(self.account()).encode())
            return True
        if path == "/models":
            await send(writer, 200, json.dumps({"data": [{"id": name} for name in self.models]}).encode())
            return True
        if path not in ("/chat/completions", "/completions"):
            await send(writer, 404, b'{"error": {"message": "no such address"}}')
            return True
        arrived = time.monotonic()
        fields = json.loads(body)
        chat = path.startswith("/chat")
        prompt = prompt_of(fields)
        entry, kind = self._outcome(fields)
        since, until = self._silence
        self.early += since + 0.2 < arrived < until  # margin for requests in flight on a busy machine
        if self.latency:
            await asyncio.sleep(self.latency * random.Random(f"{prompt_id(prompt)}:{entry.times}").uniform(0.5, 1.5))
        if kind in ERRORS or kind == "503":
            await self._refuse(kind, key, writer)
            return True
        return await self._reply(kind, prompt, fields, chat, key, entry, writer)

    def _outcome(self, fields: Mapping[str, Any]) -> tuple[PromptOutcomes, str]:
        """Draw the kind of the answer to a request with this body, and count it among the outcomes of its prompt."""
        name = prompt_id(prompt_of(fields))
        entry = self.asked.setdefault(name, PromptOutcomes())
        kind = self._kind(name, entry.times)
        entry.times += 1
        entry.kinds[kind] += 1
        refused = kind[4:] if kind.startswith("400-") and kind != "400-filter" else ""  # a parameter
        return entry, "ok" if refused and refused not in fields else kind

    def _kind(self, name: str, times: int) -> str:
        return drawn(self.mix, f"{self.seed}:{name}:{times}")

    async def _refuse(self, kind: str, key: str, writer: asyncio.StreamWriter) -> None:
        if kind == "503":
            await send(writer, 503, f"<html>Service Unavailable {key}</html>".encode(), "text/html")
            return
        status, error = ERRORS[kind]
        headers = {}
        if kind in ("429-seconds", "429-date"):
            until = self.retry_after
            headers["Retry-After"] = f"{self.retry_after:g}"
            if kind == "429-date":
                date = datetime.now(UTC) + timedelta(seconds=self.retry_after)
                until -= date.microsecond / 1e6  # dates have whole seconds
                headers["Retry-After"] = format_datetime(date, usegmt=True)
            now = time.monotonic()
            self._silence = (now if now > self._silence[1] else self._silence[0], max(self._silence[1], now + until))
        body = {**error, "message": f"{error['message']} ({key})"}
        await send(writer, status, json.dumps({"error": body}).encode(), **headers)

    async def _reply(
        self,
        kind: str,
        prompt: str,
        fields: dict[str, Any],
        chat: bool,
        key: str,
        entry: PromptOutcomes,
        writer: asyncio.StreamWriter,
    ) -> bool:
        body = json.dumps(self._charged_reply(kind, prompt, fields, chat, key)).encode()
        if kind in ("drop", "stall"):
            await asyncio.sleep(self.stall if kind == "stall" else 0)
            return False
        if kind in ("drop-middle", "stall-middle"):
            writer.write(head(200, len(body)) + body[: len(body) // 2])
            await writer.drain()
            await asyncio.sleep(self.stall if kind == "stall-middle" else 0.001)
            return False
        if kind == "truncated":
            body = body[: len(body) // 2]
        elif kind == "malformed":
            body = body.replace(b":", b"=")
        elif kind == "content-type":
            await send(writer, 200, b"<html>" + body + b"</html>", "text/html; charset=utf-8")
            return True
        await send(writer, 200, body)
        entry.whole += kind not in LOST
        return True

    def _charged_reply(self, kind: str, prompt: str, fields: dict[str, Any], chat: bool, key: str) -> dict[str, Any]:
        """Make a reply and charge for it."""
        limit = fields.get("max_completion_tokens") or fields.get("max_tokens") or 16
        text = self.reply(prompt) + {"echo": key, "surrogate": "\ud83d"}.get(kind, "")
        used = (len(prompt.encode()), limit) if self.worst else (len(prompt), min(limit, len(text)))
        self.prompt_tokens += used[0]
        self.new_tokens += used[1]
        finish = {"length": "length", "filtered": "content_filter"}.get(kind, "stop")
        message: dict[str, Any] = {"role": "assistant", "content": "" if kind == "filtered" else text}
        if kind == "reasoning":
            message["reasoning_content"] = f"想：{prompt_id(prompt)}"
        choice: dict[str, Any] = {"index": 0, "finish_reason": finish}
        choice |= {"message": message} if chat else {"text": message["content"]}
        choices = [choice]
        if kind == "duplicate":
            choices = [choice, choice, json.loads(json.dumps(choice).replace(json.dumps(text)[1:-1], "wrong"))]
        elif kind == "no-choices":
            choices = []
        elif kind == "no-message":
            choices = [{"index": 0, "finish_reason": "stop"}]
        reply: dict[str, Any] = {"id": "x", "object": "chat.completion", "model": fields["model"], "choices": choices}
        if kind != "no-usage":
            reply["usage"] = {"prompt_tokens": used[0], "completion_tokens": used[1], "total_tokens": sum(used)}
        return reply


def drawn(mix: Mapping[str, float], seed: str) -> str:
    """A kind of `mix`, by its share, or "ok"; the same for the same seed."""
    draw = random.Random(seed).random()
    for kind, share in mix.items():
        draw -= share
        if draw < 0:
            return kind
    return "ok"


def prompt_of(body: Mapping[str, Any]) -> str:
    """The prompt of a request's body; a chat's turns are joined by line breaks."""
    return "\n".join(m["content"] for m in body["messages"]) if "messages" in body else str(body["prompt"])


def head(status: int, length: int, kind: str = "application/json", **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} -", f"Content-Type: {kind}", f"Content-Length: {length}"]
    lines += [f"Date: {format_datetime(datetime.now(UTC), usegmt=True)}"]
    return "\r\n".join([*lines, *(f"{name}: {value}" for name, value in headers.items()), "", ""]).encode("latin-1")


async def send(
    writer: asyncio.StreamWriter, status: int, body: bytes, kind: str = "application/json", **headers: str
) -> None:
    writer.write(head(status, len(body), kind, **headers) + body)
    await writer.drain()


def parse_mix(text: str) -> dict[str, float]:
    """Parse "500=0.1,drop=0.2" into kind -> share; "none" means no faults.

    >>> parse_mix("500=0.1,drop=0.2")
    {'500': 0.1, 'drop': 0.2}
    """
    if text == "none":
        return {}
    return {kind: float(share) for kind, _, share in (part.partition("=") for part in text.split(","))}


def _arguments() -> argparse.Namespace:
    kinds = "\n".join(f"  {kind:16} {what}" for kind, what in KINDS.items())
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=f"kinds:\n{kinds}", formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8123, help="0: any that is free")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mix", type=parse_mix, default=MIX, help="kind=share,…, or none")
    parser.add_argument("--retry-after", type=float, default=1, help="seconds")
    parser.add_argument("--stall", type=float, default=5, help="seconds")
    parser.add_argument(
        "--judge",
        dest="reply",
        action="store_const",
        const=judgement_to,
        default=reply_to,
        help="reply as a judge does: a score, or words without one",
    )
    parser.add_argument("--latency", type=float, default=0, help="seconds before every reply, by half more or less")
    return parser.parse_args()


def main() -> None:
    settings = vars(_arguments())
    try:
        server = Server(**settings)
    except ValueError as error:
        raise SystemExit(f"error: {error}") from None
    serve(server)


def serve(server: Server) -> None:
    """Print the address, and answer until Ctrl-C."""

    async def forever() -> None:
        listening = await server.start()
        print(f"listening at {server.url}", flush=True)
        await listening.serve_forever()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(forever())


if __name__ == "__main__":
    main()
