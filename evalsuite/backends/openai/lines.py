"""Lines of the files of OpenAI's batch API: requests out, replies and errors in.

vLLM's run-batch reads and writes the same lines, but has an error's message in place of its code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from evalsuite.backends.openai.replies import read_error, read_reply, read_unanswered
from evalsuite.types import Response

JsonLine = dict[str, Any]
_BREAKS = {ord(char): f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"}  # some servers end lines at these


class LineError(ValueError):
    """A line that is no reply, no error and no request."""


def request_line(name: str, url: str, body: JsonLine) -> bytes:
    """A line of the file that is uploaded. `name` comes back with the reply."""
    line = {"custom_id": name, "method": "POST", "url": url, "body": body}
    return json.dumps(line, ensure_ascii=False).translate(_BREAKS).encode() + b"\n"


def in_files(lines: Iterable[bytes], requests: int, megabytes: float) -> Iterator[list[bytes]]:
    """Group consecutive lines into files of up to `requests` lines and `megabytes` million bytes."""
    file, size = list[bytes](), 0
    for line in lines:
        if file and (len(file) == requests or size + len(line) > megabytes * 1e6):
            yield file
            file, size = [], 0
        file.append(line)
        size += len(line)
    if file:
        yield file


def read_batch_line(row: JsonLine, parameters: Mapping[str, Any]) -> Response | None:
    """The reply of a line; None if the line is a request. `parameters`: those that were sent.

    Raises LineError, and the exceptions of `read_reply` and `read_error`. These two read direct answers, too, so that the same
    answer gives the same reply.
    """
    response, error = row.get("response"), row.get("error")
    if response is None and error is None:
        if isinstance(row.get("body"), dict):
            return None
        raise LineError("expected response or error")
    if response is None:
        return read_unanswered(error)
    if not isinstance(response, dict):
        raise LineError("field 'response': expected an object")
    if "body" not in response and "choices" in response:  # the answer itself
        response = {"body": response}
    status, body = response.get("status_code", 200), response.get("body")
    if isinstance(status, str) and re.fullmatch(r"\d{3}", status, re.ASCII):
        status = int(status)
    if type(status) is not int:
        raise LineError("field 'response.status_code': expected a whole number")
    if error is None and 200 <= status < 300:
        return read_reply({}, json.dumps(body).encode())
    return read_error(status, {}, json.dumps(body or error).encode(), parameters)
