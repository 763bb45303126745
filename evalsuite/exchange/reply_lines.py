"""A line of a file of replies -> its key and the reply.

A line has one of three forms:

    OpenAI's batch API   custom_id, response, error
    vLLM's run-batch     the same; `error` has the message where OpenAI has a code
    plain                key, text, and if known finish_reason, reasoning and usage; or key and error

The code that reads an endpoint's answers reads these replies, too, so that the same answer is the same reply.
"""

from __future__ import annotations

import json

from evalsuite.backends.openai.lines import JsonLine, LineError, read_batch_line
from evalsuite.backends.openai.replies import EndpointError, LimitNameError, RequestError, TransientError, read_reply
from evalsuite.common.secrets import hidden_start
from evalsuite.common.text import escape_surrogates
from evalsuite.types import Response

_PARAMETERS = dict.fromkeys(("temperature", "top_p", "top_k", "repetition_penalty", "seed", "stop", "max_tokens"))


def read_line(row: JsonLine) -> tuple[str, Response] | None:
    """The key and the reply, with `error` for a request that failed; None if the line is a request. Raises LineError."""
    name = "custom_id" if "custom_id" in row else "key"
    key = row.get(name)
    if not isinstance(key, str) or not key:
        raise LineError("expected custom_id or key, the text that the request has")
    response = _batch_reply(row) if name == "custom_id" else _plain_reply(row)
    return None if response is None else (key, response)


def _batch_reply(row: JsonLine) -> Response | None:
    try:
        return read_batch_line(row, _PARAMETERS)
    except LimitNameError as error:
        return Response("", "error", error=f"{error}; write the requests again with --limit-name max_completion_tokens")
    except (TransientError, RequestError, EndpointError) as error:
        if isinstance(error, TransientError) and error.lost:
            raise LineError(str(error)) from None
        return Response("", "error", error=str(error))


def _plain_reply(row: JsonLine) -> Response | None:
    text, error = row.get("text"), row.get("error")
    if error is not None and error is not False:
        fields = error if isinstance(error, dict) else {"message": error}
        reason = ": ".join(str(fields[name]) for name in ("code", "message") if fields.get(name)) or "no reason given"
        return Response("", "error", error=hidden_start(escape_surrogates(reason), 500))
    if text is None:
        if "prompt" in row or "messages" in row:
            return None
        raise LineError("expected text, the reply, or error")
    if not isinstance(text, str):
        raise LineError("field 'text': expected a string")
    choice = {"text": text, "finish_reason": row.get("finish_reason"), "reasoning": row.get("reasoning")}
    try:
        return read_reply({}, json.dumps({"choices": [choice], "usage": row.get("usage")}).encode())
    except TransientError as fault:
        raise LineError(str(fault)) from None
