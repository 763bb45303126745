"""The server of faults.py with files and batches, whose calls and lines fail, too.

    python -m evalsuite.backends.openai.batch_faults --port 8123 --seed 0 --calls 'drop-after=0.2,500=0.1' --batches 'expired=0.2'

The outcome of a line depends on the seed, its prompt and how often that was asked before, as in faults.py (`mix`). Calls and
batches draw their faults in order of arrival. GET /account also counts batches, and prompts that were answered twice.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from evalsuite.backends.openai.faults import (
    ERRORS,
    KINDS,
    LOST,
    PromptOutcomes,
    Server,
    drawn,
    head,
    parse_mix,
    prompt_id,
    prompt_of,
    send,
    serve,
)
from evalsuite.backends.openai.lines import JsonLine

# Fault of a call (upload, create, look, list, content) -> its description.
CALLS = {
    "500": "500, nothing is done",
    "429": "429, nothing is done",
    "drop": "the connection is cut, nothing is done",
    "500-after": "500, and all is done",
    "drop-after": "all is done, then the connection is cut",
    "malformed": "all is done, and the answer is no JSON",
    "cut": "the connection is cut in the middle of the answer",
    "half": "a complete HTTP message with half the answer",
}


class Fate(NamedTuple):
    """The fate of a batch."""

    what: str  # the description in --help
    ends: str = "completed"  # its last status; at "expired" and "cancelled" about half of its lines are answered
    silent: bool = False  # its files do not mention the lines that are not answered
    late: bool = False  # its files have no ids until `BatchServer.late` seconds after its end
    half: bool = False  # each file has half its lines until `BatchServer.late` seconds after its end


BATCHES = {
    "failed": Fate("it fails validation, for no reason that it names", "failed"),
    "failed-line": Fate("it fails validation, and names one of its lines", "failed"),
    "expired": Fate("it expires when about half is answered", "expired"),
    "expired-silent": Fate("the same, and its files say nothing of the other lines", "expired", silent=True),
    "expired-late": Fate("it expires, and its files have no ids until `late` seconds later", "expired", late=True),
    "cancelled": Fate("someone cancels it when about half is answered", "cancelled"),
    "no-errors": Fate("its error file is missing"),
    "late": Fate("its files have no ids until `late` seconds after its end", late=True),
    "late-half": Fate("its file has half its lines until then", half=True),
    "uncounted": Fate("its lines are not counted"),
}
# Fate of a line, beside the kinds of faults.py -> its description.
LINES = {
    "missing": "it is answered and charged, and stands in no file and no count",
    "twice": "it stands in the file twice",
    "server_error": "an error without an answer",
}
_RUNS = ("validating", "in_progress", "finalizing")


@dataclass(slots=True)
class _Batch:
    row: JsonLine  # the batch as the endpoint shows it
    lines: list[JsonLine]
    began: float
    kind: str  # a key of BATCHES, or "ok"
    files: JsonLine = field(default_factory=dict)  # the ids of its files, from its end until they are whole
    whole: float = 0.0  # the time at which its files are whole

    @property
    def fate(self) -> Fate:
        return BATCHES.get(self.kind, Fate("ok"))


@dataclass(slots=True)
class BatchServer(Server):
    """A `Server` with files and batches: `with BatchServer(calls={"drop-after": 0.2}) as server:`."""

    mix: Mapping[str, float] = field(default_factory=dict)
    calls: Mapping[str, float] = field(default_factory=dict)
    fates: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.2  # the time that a batch takes
    queue: int | None = None  # the most tokens, counted as characters, of all batches under way; None: no limit
    most: int = 50_000  # the most lines of a batch
    page: int = 3  # batches on a page of the list
    lag: float = 0  # seconds until a new batch appears in the list
    late: float = 0.2  # the delay in seconds of the fates late, late-half and expired-late
    lists: bool = True
    now: Callable[[], float] = time.monotonic
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, _Batch] = field(default_factory=dict)
    counted: Counter[str] = field(default_factory=Counter)  # number of calls, of their faults and of fates, by name
    key: str = ""  # the API key of the last call

    def __post_init__(self) -> None:
        self.check(self.mix, KINDS | LINES)
        self.check(self.calls, CALLS)
        self.check(self.fates, BATCHES)

    def account(self) -> JsonLine:
        for batch in self.batches.values():
            self._advance(batch)
        statuses = Counter(batch.row["status"] for batch in self.batches.values())
        return Server.account(self) | {
            "batches": dict(statuses),
            "files": len(self.files),
            "calls": dict(self.counted),
            "twice": sum(max(0, asked.whole - 1) for asked in self.asked.values()),
        }

    async def _answer(self, first: str, key: str, body: bytes, writer: asyncio.StreamWriter) -> bool:
        method, target, *_ = first.split(" ")
        path, _, query = target.removeprefix("/v1").partition("?")
        steps = path.strip("/").split("/")
        if steps[0] not in ("files", "batches"):
            return await Server._answer(self, first, key, body, writer)
        call = f"{method} {steps[0]}{'/…' if len(steps) > 1 else ''}{'/content' if steps[-1] == 'content' else ''}"
        self.counted[call] += 1
        kind = drawn(self.calls, f"{self.seed}:{call}:{self.counted[call]}")
        self.counted[kind] += kind != "ok"
        self.key = key
        if kind == "drop":
            return False
        if kind in ("500", "429"):
            await send(writer, int(kind), json.dumps({"error": ERRORS[kind][1]}).encode())
            return True
        status, content = self._carry_out(method, steps, dict(re.findall(r"(\w+)=([^&]*)", query)), body)
        answer = content if isinstance(content, bytes) else json.dumps(content).encode()
        if kind == "drop-after":
            return False
        if kind == "cut":
            writer.write(head(200, len(answer)) + answer[: len(answer) // 2])
            await writer.drain()
            return False
        if kind == "500-after":
            status, answer = 500, b'{"error": {"message": "The server had an error"}}'
        elif kind == "malformed":
            answer = answer.replace(b":", b"=")
        elif kind == "half":
            answer = answer[: len(answer) // 2]
        await send(writer, status, answer, "application/octet-stream" if steps[-1] == "content" else "application/json")
        return True

    def _carry_out(
        self, method: str, steps: list[str], query: dict[str, str], body: bytes
    ) -> tuple[int, JsonLine | bytes]:
        match method, *steps:
            case "POST", "files":
                return self._upload(body)
            case "GET", "files", name, "content" if name in self.files:
                return 200, self._content(name)
            case "POST", "batches":
                return self._create(json.loads(body))
            case "GET", "batches" if self.lists:
                return 200, self._list(query)
            case "GET", "batches", name if name in self.batches:
                self._advance(self.batches[name])
                return 200, self.batches[name].row
        return 404, {"error": {"message": f"no such {steps[0]}"}}

    def _upload(self, body: bytes) -> tuple[int, JsonLine]:
        boundary = body[: body.index(b"\r\n")]
        parts = {}
        for part in body.split(boundary)[1:-1]:
            about, _, content = part.strip(b"\r\n").partition(b"\r\n\r\n")
            match = re.search(rb'name="(\w+)"', about)
            parts[match[1].decode() if match else ""] = content
        if parts.get("purpose") != b"batch" or "file" not in parts:
            return 400, {"error": {"message": "expected file and purpose"}}
        name = f"file-{len(self.files)}"
        self.files[name] = parts["file"]
        return 200, {"id": name, "object": "file", "bytes": len(parts["file"]), "purpose": "batch", "filename": "x"}

    def _create(self, fields: JsonLine) -> tuple[int, JsonLine]:
        if fields["input_file_id"] not in self.files:
            return 400, {"error": {"message": "no such file", "param": "input_file_id"}}
        name = f"batch_{len(self.batches)}"
        lines = [json.loads(line) for line in self.files[fields["input_file_id"]].splitlines()]
        row = {
            "id": name,
            "object": "batch",
            "status": "validating",
            "created_at": int(time.time()),
            "errors": None,
            "output_file_id": None,
            "error_file_id": None,
            **fields,
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
        }
        batch = _Batch(row, lines, self.now(), drawn(self.fates, f"{self.seed}:{name}"))
        self.counted[batch.kind] += batch.kind != "ok"
        self.batches[name] = batch
        problem = self._problem(batch)
        if problem:
            row |= {
                "status": "failed",
                "errors": {"object": "list", "data": [{"param": None, "line": None, **problem}]},
            }
        return 200, row

    def _problem(self, batch: _Batch) -> JsonLine | None:
        queued = sum(_size(other) for other in self.batches.values() if other.row["status"] in _RUNS)
        if self.queue is not None and queued > self.queue:
            return {"code": "token_limit_exceeded", "message": f"Enqueued token limit reached. Limit: {self.queue}"}
        if len(batch.lines) > self.most:
            return {"code": "too_many_tasks", "message": f"The batch contains too many requests. Limit: {self.most}"}
        if len({line["custom_id"] for line in batch.lines}) < len(batch.lines):
            return {"code": "duplicate_custom_id", "message": "custom_id is not unique", "line": 1}
        if any(line["url"] != batch.row["endpoint"] for line in batch.lines):
            return {"code": "mismatched_url", "message": "the url is another one than the endpoint", "line": 1}
        if batch.kind == "failed":
            return {"code": "server_error", "message": "The batch could not be validated"}
        if batch.kind == "failed-line":
            return {
                "code": "invalid_json_line",
                "message": "This line is not parseable",
                "line": len(batch.lines) // 2 + 1,
            }
        return None

    def _content(self, name: str) -> bytes:
        lines = self.files[name].splitlines(keepends=True)
        halved = any(batch.fate.half and name in batch.files.values() for batch in self.batches.values())
        return b"".join(lines[: len(lines) // 2] if halved else lines)

    def _list(self, query: dict[str, str]) -> JsonLine:
        names = [name for name, batch in self.batches.items() if self.now() - batch.began >= self.lag][::-1]
        if after := query.get("after"):
            names = names[names.index(after) + 1 :] if after in names else []
        shown = names[: min(self.page, int(query.get("limit", 20)))]
        for name in shown:
            self._advance(self.batches[name])
        return {
            "object": "list",
            "data": [self.batches[name].row for name in shown],
            "has_more": len(names) > len(shown),
        }

    def _advance(self, batch: _Batch) -> None:
        """Bring a batch to its state at this time. All its lines are answered when it ends."""
        if batch.files and self.now() >= batch.whole:
            batch.row |= batch.files
            batch.files = {}
        if batch.row["status"] not in _RUNS:
            return
        progress = (self.now() - batch.began) / max(self.seconds, 1e-9)
        if progress < 1:
            batch.row["status"] = _RUNS[min(int(progress * 3), 2)]
            batch.row["request_counts"] |= {"total": len(batch.lines), "completed": int(progress * len(batch.lines))}
            return
        good, bad = self._answered(batch)
        batch.row["status"] = batch.fate.ends
        completed = len({row["custom_id"] for row in good})
        batch.row["request_counts"] = {"total": len(batch.lines), "completed": completed, "failed": len(bad)}
        if batch.kind == "uncounted":
            batch.row["request_counts"] = None
        if batch.kind == "no-errors":
            bad = []
        for what, rows in (("output", good), ("error", bad)):
            if rows:
                name = batch.files[f"{what}_file_id"] = f"file-{len(self.files)}"
                self.files[name] = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
        batch.whole = self.now() + self.late
        if not batch.fate.late:
            batch.row |= batch.files
            batch.files = batch.files if batch.fate.half else {}

    def _answered(self, batch: _Batch) -> tuple[list[JsonLine], list[JsonLine]]:
        """The lines of the output file and of the error file, in any order."""
        good, bad, ended = list[JsonLine](), list[JsonLine](), batch.fate.ends
        for line in batch.lines:
            name = prompt_id(prompt_of(line["body"]))
            if ended != "completed" and random.Random(f"{self.seed}:{batch.row['id']}:{name}").random() < 0.5:
                if not batch.fate.silent:
                    bad.append(_line(line, None, {"code": f"batch_{ended}", "message": f"The batch was {ended}."}))
                continue
            entry, kind = self._outcome(line["body"])
            self._add(kind, line, entry, good, bad)
        random.Random(f"{self.seed}:{batch.row['id']}").shuffle(good)
        return good, bad

    def _add(self, kind: str, line: JsonLine, entry: PromptOutcomes, good: list[JsonLine], bad: list[JsonLine]) -> None:
        body = line["body"]
        if kind in ERRORS:
            status, error = ERRORS[kind]
            error = {**error, "message": f"{error['message']} ({self.key})"}
            bad.append(_line(line, {"status_code": status, "request_id": "r", "body": {"error": error}}, None))
        elif kind == "server_error":
            bad.append(_line(line, None, {"code": "server_error", "message": "The server had an error"}))
        else:
            reply = self._charged_reply(kind, prompt_of(body), body, "messages" in body, self.key)
            if kind == "missing":
                return
            entry.whole += kind not in LOST
            row = _line(line, {"status_code": 200, "request_id": "r", "body": reply}, None)
            good += [row, row] if kind == "twice" else [row]


def _line(line: JsonLine, response: JsonLine | None, error: JsonLine | None) -> JsonLine:
    return {"id": "batch_req_x", "custom_id": line["custom_id"], "response": response, "error": error}


def _size(batch: _Batch) -> int:
    return sum(len(prompt_of(line["body"])) for line in batch.lines)


def main() -> None:
    fates = {kind: fate.what for kind, fate in BATCHES.items()}
    tables = {"calls": CALLS, "batches": fates, "lines, and those of faults.py": LINES}
    kinds = "\n".join(
        f"{name}:\n" + "\n".join(f"  {k:15} {v}" for k, v in table.items()) for name, table in tables.items()
    )
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=kinds, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8123, help="0: any that is free")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mix", type=parse_mix, default={}, help="of lines: kind=share,…")
    parser.add_argument("--calls", type=parse_mix, default={}, help="kind=share,…")
    parser.add_argument("--batches", dest="fates", type=parse_mix, default={}, help="kind=share,…")
    parser.add_argument("--seconds", type=float, default=0.2, help="that a batch takes")
    parser.add_argument("--late", type=float, default=0.2, help="seconds after its end that a late batch has its files")
    parser.add_argument("--queue", type=int, help="enqueued tokens, by characters, of all batches under way")
    serve(BatchServer(**vars(parser.parse_args())))


if __name__ == "__main__":
    main()
