"""An endpoint's HTTP answer -> a Response, or an exception: retry, give up this request, or stop the model.

OpenAI-compatible servers differ most in their errors, which the tables here and refusals.yaml list. Some repeat the API key, so
all that is taken from an answer is masked before it is cut (common/secrets.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from evalsuite.backends.model import Model
from evalsuite.common.errors import BackendError
from evalsuite.common.secrets import hidden_start, hide
from evalsuite.common.text import escape_surrogates
from evalsuite.common.yamltext import packaged_yaml
from evalsuite.types import Response


class TransientError(Exception):
    """No reply this time; the request may be sent again."""

    def __init__(
        self, kind: str, message: str, after: float | None = None, lost: bool = False, overrun: bool = False
    ) -> None:
        """after: seconds that the endpoint asks to wait. lost: it may have answered, and charged. overrun: it is overloaded."""
        super().__init__(message)
        self.kind, self.after, self.lost, self.overrun = kind, after, lost, overrun


class RequestError(Exception):
    """This request never gets a reply; other requests may."""


class EndpointError(Exception):
    """No request of this model can get a reply; the message says why and what to do."""


LIMIT_NAMES = ("max_tokens", "max_completion_tokens")  # the names of the limit on a reply; the first is tried first


class LimitNameError(Exception):
    """The endpoint wants max_completion_tokens instead of max_tokens."""


def endpoint_stopped(model: Model, stop: EndpointError, unanswered: int) -> BackendError:
    """The error of a run whose endpoint can answer nothing more."""
    name, url = model.name, model.api.base_url
    message = f"model {name} at {url}: {stop}"
    if unanswered:
        message = f"model {name} at {url}: {stop}; {unanswered} requests have no reply"
    return BackendError(hide(message))


def failed_response(error: str, times: int, cost: float = 0.0, bound: float = 0.0) -> Response:
    """The response to a request that was asked `times` times, the last time with this error."""
    text = error if times <= 1 else f"{error} (asked {times} times)"
    return Response("", "error", error=text, cost=cost, bound=bound)


# Errors of DashScope's reasoning models, and what to do.
_WANTS = {
    "enable_thinking": "set api: {parameters: {enable_thinking: false}}",
    "support stream": "it answers in a stream only, which evalsuite does not read",
}
_FINISH = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",  # Mistral: the context is full; Zhipu: model_context_window_exceeded
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "sensitive": "content_filter",
}
# DeepSeek, OpenRouter and Mistral, vLLM and SGLang, Zhipu: the reply is broken off.
_BROKEN_OFF = ("insufficient_system_resource", "error", "abort", "network_error")
LONGEST_WAIT = 600  # seconds; if the endpoint asks for more (a daily limit), the model stops
_MOST_TOKENS = 10**9  # the highest count for one request; more is no count


@cache
def _refusals() -> dict[str, list[str]]:
    """Reason of refusals.yaml -> the words that give it."""
    words: dict[str, list[str]] = packaged_yaml("backends/openai/refusals.yaml")
    return words


def is_about(words: str, reason: str) -> bool:
    """Whether a refusal's text, in lower case, gives a reason of refusals.yaml."""
    return any(word in words for word in _refusals()[reason])


def read_reply(headers: Mapping[str, str], body: bytes) -> Response:
    """Parse a successful answer; the caller sets `cost`. Raises TransientError, with `lost`, if it holds no complete reply."""
    kind = headers.get("content-type", "application/json")
    if kind.startswith("text/event-stream"):
        raise TransientError(
            "content type", "the endpoint streams its reply, which was not asked for: turn that off there", lost=True
        )
    if "json" not in kind:
        raise TransientError(
            "content type", f"the reply is {hidden_start(kind, 80)}, not JSON: {_start(body)}", lost=True
        )
    try:
        answer = json.loads(body)
    except ValueError as error:  # malformed, truncated, or not UTF-8
        raise TransientError("unreadable", f"the reply is no whole JSON ({error}): {_start(body)}", lost=True) from None
    except RecursionError:
        raise TransientError("unreadable", f"the reply is nested too deep: {_start(body)}", lost=True) from None
    choices = answer.get("choices") if isinstance(answer, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        raise TransientError("no choices", f"the reply has no choices: {_start(body)}", lost=True)
    if choice.get("finish_reason") in _BROKEN_OFF:
        raise TransientError("broken off", f"the endpoint broke off its reply: {choice['finish_reason']}", lost=True)
    message = choice.get("message", choice if "text" in choice else None)
    if not isinstance(message, dict):
        raise TransientError("no message", f"the reply's first choice has no message: {_start(body)}", lost=True)
    used = _usage(answer.get("usage"))
    finish = _FINISH.get(str(choice.get("finish_reason")), "stop")
    text = _text(message.get("text") if "text" in message else message.get("content")) or _text(message.get("refusal"))
    reasoning = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    if finish == "content_filter":
        text = ""
    return Response(text, finish, used.prompt, used.new, reasoning=reasoning or None, thinking_tokens=used.thinking)


def read_error(status: int, headers: Mapping[str, str], body: bytes, parameters: Mapping[str, Any]) -> Response:
    """Parse an error. The refusal of a content filter is a reply; any other error raises TransientError, RequestError,
    EndpointError or LimitNameError. `parameters`: those that were sent."""
    message, words, param = _error(body)
    refusal = f"{status}: {message}"
    if is_about(words, "unpaid") or status == 402:
        raise EndpointError(
            f"the endpoint wants to be paid first ({refusal}); pay there, or name another key in key_env"
        )
    if status in (408, 409, 429) or status >= 500:
        after = asked_wait(headers)
        if after is not None and after > LONGEST_WAIT:
            raise EndpointError(f"the endpoint asks to wait for {after:.0f} s; run again then ({refusal})")
        kind = "429, Retry-After" if status == 429 and after is not None else str(status)
        raise TransientError(kind, refusal, after, overrun=status == 429)
    if 300 <= status < 400:  # another host would get the prompts, and its replies would count as this model's
        raise EndpointError(
            f"the endpoint redirects to {_host(headers)}, which is not followed; set api: {{base_url: …}} "
            f"to the address itself ({status})"
        )
    if status != 401 and is_about(words, "filtered"):
        return Response("", "content_filter")
    if status in (401, 403):
        raise EndpointError(f"the endpoint refuses the key ({refusal}); check the variable that key_env names")
    if status == 404:
        raise EndpointError(
            f"the endpoint does not know this model, or has no such address ({refusal}); check path and api: base_url "
            "in models.yaml"
        )
    if status in (400, 422) and not is_about(words, "too_long"):
        if "max_tokens" in parameters and "max_completion_tokens" in words:
            raise LimitNameError(refusal)
        for name in parameters:
            if param == name or re.search(
                rf"['\"`‘“]{name}['\"`’”]" + ("" if name == "stop" else rf"|\b{name}\b"), words
            ):
                raise EndpointError(f"the endpoint does not take {name} ({refusal}){_advice(name)}")
        for word, advice in _WANTS.items():
            if word in words:
                raise EndpointError(f"the endpoint refuses this model's requests ({refusal}); {advice}")
    raise RequestError(refusal)


def read_unanswered(error: Any) -> Response:
    """Parse the error of a batch's line without an answer of the model, such as batch_expired. Raises as `read_error`."""
    answer = error if isinstance(error, dict) else {"message": error}
    refusal = _some(
        ": ".join(str(answer[name]) for name in ("code", "message") if answer.get(name)) or "no reason given"
    )
    words = refusal.lower()
    if is_about(words, "filtered"):
        return Response("", "content_filter")
    if is_about(words, "unpaid"):
        raise EndpointError(
            f"the endpoint wants to be paid first ({refusal}); pay there, or name another key in key_env"
        )
    if "invalid" in words or is_about(words, "too_long"):
        raise RequestError(refusal)
    raise TransientError("unanswered", refusal)


def _advice(name: str) -> str:
    settings = {
        "temperature": "set generation: {temperature: null}",
        "seed": "set generation: {seed: null}",
        "top_p": "leave generation: top_p out",
        "top_k": "leave generation: top_k out",
        "repetition_penalty": "leave generation: repetition_penalty out",
        "stop": "leave generation: stop out",
        "max_tokens": "set generation: {max_new_tokens: …} or api: {reasoning_tokens: …} to what it allows",
    }
    settings["max_completion_tokens"] = settings["max_tokens"]
    return "; " + settings.get(name, f"take {name} out of api: parameters, or change it")


def _error(body: bytes) -> tuple[str, str, str | None]:
    """(message of an error, all its texts in lower case, the parameter that it names)."""
    try:
        answer: Any = json.loads(body)
    except (ValueError, RecursionError):
        text = _start(body)
        return text, text.lower(), None
    error = (answer.get("error") or answer) if isinstance(answer, dict) else answer
    if not isinstance(error, dict):
        text = _some(str(error))
        return text, text.lower(), None
    inner = error.get("innererror") or {}
    parts = [error.get("message") or error.get("detail"), error.get("code"), error.get("type")]
    parts += [inner.get("code")] if isinstance(inner, dict) else []
    words = [str(part) for part in parts if part] or [_start(body)]
    param = error.get("param")
    return _some(words[0]), "\n".join(words).lower(), param if isinstance(param, str) else None


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that the endpoint asks to wait, by retry-after-ms or Retry-After (seconds or a date); None if it does not ask."""
    value = headers.get("retry-after", "").strip()
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        if re.fullmatch(r"\d+(\.\d+)?", value):
            return float(value)
        until = parsedate_to_datetime(value)
        # The endpoint's clock counts if it sends its time: this machine's may differ.
        now = parsedate_to_datetime(headers["date"]) if "date" in headers else datetime.now(UTC)
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):  # missing, or in an unknown form
        return None


def _text(value: Any) -> str:
    """A message's text; some servers send a list of parts."""
    if isinstance(value, list):
        value = "".join(p["text"] for p in value if isinstance(p, dict) and isinstance(p.get("text"), str))
    return hide(escape_surrogates(value)) if isinstance(value, str) else ""


class _Usage(NamedTuple):
    """Tokens of the prompt, of the reply (0: unknown), and of its thinking (None: not counted)."""

    prompt: int = 0
    new: int = 0
    thinking: int | None = None


def _usage(usage: Any) -> _Usage:
    """The endpoint's counts of tokens; 0 and 0 if one of them is no count.

    OpenAI, DeepSeek and DashScope count thinking among `completion_tokens`. xAI and Gemini do not: there the total exceeds prompt
    and completion by the thinking, which is charged like the rest of the reply.
    """
    usage = usage if isinstance(usage, dict) else {}
    prompt, new = (0 if usage.get(name) is None else usage[name] for name in ("prompt_tokens", "completion_tokens"))
    if not (_is_count(prompt) and _is_count(new)):
        return _Usage()
    details, total = usage.get("completion_tokens_details"), usage.get("total_tokens")
    thinking = details.get("reasoning_tokens") if isinstance(details, dict) else None
    beside = total - prompt - new if _is_count(total) and prompt and total > prompt + new else 0
    if not _is_count(thinking):
        thinking = beside if beside and usage.get("completion_tokens") is not None else None
    return _Usage(prompt, new + beside, None if thinking is None else min(thinking, new + beside))


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _MOST_TOKENS


def _host(headers: Mapping[str, str]) -> str:
    """The host of the address that a redirection names."""
    try:
        host = urlsplit(headers.get("location", "")).hostname
    except ValueError:
        return "no readable address"
    return hidden_start(host, 200) if host else "another address of its own"


def _some(text: str) -> str:
    return hidden_start(escape_surrogates(text), 500)


def _start(body: bytes) -> str:
    # On one line, since messages list several errors after one another.
    return hidden_start(" ".join(body.decode("utf-8", "replace").split()), 200)
