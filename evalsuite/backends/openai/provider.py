"""Calls for files and batches of an OpenAI-compatible endpoint, with lenient parsing and distinct errors.

This module hides the differences between providers: statuses in capitals or under other names (Novita, Together), a
batch within `job` (Together), request_counts that are no object (Zhipu), lists without has_more or that ignore `after`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeGuard

from evalsuite.backends.model import API
from evalsuite.backends.openai.asking import broken_connection, unproxied
from evalsuite.backends.openai.bodies import OF_REPLY, bound, is_cut
from evalsuite.backends.openai.replies import LONGEST_WAIT, RequestError, TransientError, asked_wait, read_error
from evalsuite.common.secrets import hidden_start
from evalsuite.common.text import escape_surrogates

_ENDED = {"completed", "failed", "expired", "cancelled"}
_OTHER_NAMES = {"canceled": "cancelled", "complete": "completed", "error": "failed", "timeout": "expired"}
_PAGES = 200  # the most pages of a list, of 100 batches each
_TRIES = 8  # the most attempts for a page
# An id becomes part of an address, so it must be a safe one; Gemini's have a slash: files/abc.
_ID = re.compile(r"(?!.*\.\.)[\w.:/+=@~-]{1,500}", re.ASCII)
_LARGEST = 2**30  # the most bytes of a file, enough for 50,000 replies of 20 KiB each
_MOST = 2**53  # the highest number that is believed to be a count of lines
_MARK = "evalsuite"  # the key in a batch's metadata that holds its name


class NotFoundError(Exception):
    """The endpoint has no such batch, file or address."""


class Problem(NamedTuple):
    """The reason why a batch was not begun."""

    code: str
    message: str
    line: int | None  # line number in the file, from 1

    def __str__(self) -> str:
        return ": ".join(part for part in (self.code, self.message) if part) or "no reason given"


@dataclass(frozen=True, slots=True)
class Seen:
    """The state of a batch as the endpoint shows it."""

    id: str
    status: str  # one of OpenAI's after its end; before that any text
    files: tuple[str, ...] = ()  # ids of the files of replies and of errors
    total: int | None = None  # number of lines; None: unknown
    completed: int | None = None  # number of lines with a reply; None: unknown
    failed: int = 0
    problems: tuple[Problem, ...] = ()
    input: str | None = None  # id of its input file; None: unknown

    @property
    def ended(self) -> bool:
        return self.status in _ENDED


class Provider:
    """Calls to one endpoint.

    Each raises TransientError if a later call may succeed (`lost`: the endpoint may have carried this one out), RequestError for
    a fault of this request, EndpointError for a fault of every request, and NotFoundError.
    """

    def __init__(self, api: API, key: str) -> None:
        from openai import DefaultHttpxClient, OpenAI

        http = DefaultHttpxClient(follow_redirects=False, mounts=unproxied(api.base_url), timeout=api.timeout)
        self._most = OF_REPLY  # the most bytes of the next answer
        bound(http, lambda: self._most)
        self._client = OpenAI(
            api_key=key or "none", base_url=api.base_url, max_retries=0, timeout=api.timeout, http_client=http
        )
        self._api = api

    def close(self) -> None:
        self._client.close()

    def upload(self, name: str, data: bytes) -> str:
        """The id of the new file."""
        file = (f"{name}.jsonl", data, "application/jsonl")
        return _id_of(_object(self._call(self._client.files.with_raw_response.create, file=file, purpose="batch")))

    def create(self, name: str, file: str, endpoint: str, window: str) -> Seen:
        """Begin a batch. Its name is sent as the idempotency key, too, which some providers obey."""
        create: Callable[..., Any] = self._client.batches.with_raw_response.create
        body = {"input_file_id": file, "endpoint": endpoint, "completion_window": window, "metadata": {_MARK: name}}
        return _batch_state(_object(self._call(create, **body, extra_headers={"Idempotency-Key": name})))

    def look(self, batch: str) -> Seen:
        """The present state of a batch."""
        return _batch_state(_object(self._call(self._client.batches.with_raw_response.retrieve, batch)))

    def find(self, name: str, file: str) -> Seen | None:
        """The listed batch with this name or input file, or None. Raises NotFoundError if the endpoint has no list."""
        for row in self._listed():
            metadata = row.get("metadata")
            if row.get("input_file_id") == file or (isinstance(metadata, dict) and metadata.get(_MARK) == name):
                return _batch_state(row)
        return None

    def content(self, file: str, lines: int | None = None) -> bytes:
        """The content of a file of so many `lines`; None: unknown. Raises RequestError if it is larger than they can be."""
        self._most = _LARGEST if lines is None else min(_LARGEST, max(1, lines) * OF_REPLY)
        try:
            return self._call(self._client.files.with_raw_response.content, file)
        finally:
            self._most = OF_REPLY

    def _listed(self) -> Iterator[dict[str, Any]]:
        from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_fixed

        # Each page is tried again by itself: beginning anew after every fault might never reach the last page.
        retrying = Retrying(
            retry=retry_if_exception(lambda error: isinstance(error, TransientError) and not error.after),
            stop=stop_after_attempt(_TRIES),
            wait=wait_fixed(min(1.0, self._api.backoff)),
            reraise=True,
        )
        after: dict[str, Any] = {}
        met = set[str]()
        for _ in range(_PAGES):
            answer, rows = retrying(self._page, after)
            new = [row for row in rows if isinstance(row, dict) and row.get("id") not in met]
            yield from new
            met.update(str(row.get("id")) for row in new)
            if not new or (isinstance(answer, dict) and answer.get("has_more") is False):
                return
            after = {"after": str(new[-1].get("id"))}

    def _page(self, after: dict[str, Any]) -> tuple[Any, list[Any]]:
        answer = json_of(self._call(self._client.batches.with_raw_response.list, limit=100, **after))
        rows = answer.get("data") if isinstance(answer, dict) else answer
        if not isinstance(rows, list):
            raise TransientError("list", "the list of batches has no data")
        return answer, rows

    def _call(self, send: Callable[..., Any], *words: Any, **fields: Any) -> bytes:
        import openai

        try:
            answer = send(*words, **fields).http_response
            if is_cut(answer):
                raise RequestError(f"the answer is over {self._most >> 20} MiB, or packed otherwise than asked for")
            body: bytes = answer.content
            return body
        except openai.APIStatusError as error:
            raise _refusal(error.response.status_code, error.response.headers, error.response.content) from None
        except openai.APITimeoutError:
            raise TransientError("time-out", f"no answer within {self._api.timeout:g} s", lost=True) from None
        except openai.OpenAIError as error:
            raise broken_connection(error, self._api) from None


def json_of(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        start = hidden_start(body.decode("utf-8", "replace"), 200)
        raise TransientError("unreadable", f"the answer is no whole JSON: {start}", lost=True) from None


def _refusal(status: int, headers: Mapping[str, str], body: bytes) -> Exception:
    message = f"{status}: {hidden_start(body.decode('utf-8', 'replace'), 300)}"
    if status in (404, 405, 410, 501):
        return NotFoundError(message)
    wait = asked_wait(headers)
    if wait is not None and wait > LONGEST_WAIT:  # a batch takes hours anyway
        return TransientError(str(status), message, wait)
    try:
        read_error(status, headers, body, {})
    except TransientError as error:
        error.lost = status not in (408, 429)  # after other statuses the call may have been carried out
        return error
    except Exception as error:
        return error
    return RequestError(message)


def _object(body: bytes) -> dict[str, Any]:
    answer = json_of(body)
    if isinstance(answer, dict) and isinstance(answer.get("job"), dict):
        answer = answer["job"]
    if not isinstance(answer, dict):
        raise TransientError("unreadable", "the answer is no JSON object", lost=True)
    return answer


def _id_of(answer: dict[str, Any]) -> str:
    if not _is_id(answer.get("id")):
        raise TransientError("unreadable", f"the answer has no id: {hidden_start(json.dumps(answer), 200)}", lost=True)
    return str(answer["id"])


def _is_id(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and bool(_ID.fullmatch(value))


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < _MOST else None


def _batch_state(answer: dict[str, Any]) -> Seen:
    status = str(answer.get("status")).lower()
    counts = answer.get("request_counts")
    counts = counts if isinstance(counts, dict) else {}
    if counts.get("total") == 0:  # no batch is without lines, so they are not counted yet
        counts = {}
    files, made_of = (answer.get("output_file_id"), answer.get("error_file_id")), answer.get("input_file_id")
    return Seen(
        _id_of(answer),
        _OTHER_NAMES.get(status, status),
        tuple(dict.fromkeys(file for file in files if _is_id(file))),
        _count(counts.get("total")),
        _count(counts.get("completed")),
        _count(counts.get("failed")) or 0,
        tuple(_problems(answer.get("errors"))),
        made_of if _is_id(made_of) else None,
    )


def _problems(errors: Any) -> Iterator[Problem]:
    rows = errors.get("data") if isinstance(errors, dict) and "data" in errors else errors
    for row in rows if isinstance(rows, list) else [rows]:
        if isinstance(row, dict):
            line = row.get("line")
            code, message = (_masked(row.get(name) or "") for name in ("code", "message"))
            yield Problem(code, message, line if type(line) is int else None)
        elif row:
            yield Problem("", _masked(row), None)


def _masked(value: Any) -> str:
    return hidden_start(escape_surrogates(str(value)), 300)
