"""Replies without an engine: from a Python function, or from a file of JSON lines."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from evalsuite.backends.base import Loader, Replies, WithoutEngine, in_groups
from evalsuite.backends.model import Model, StrictSettings, TokenCount
from evalsuite.common import jsonl
from evalsuite.common.errors import BackendError, DataError, EvalsuiteError, unknown
from evalsuite.types import Request, Response, Trial

ReplyFunction = Callable[[Request], str | Response]
ReplyFunctions = Mapping[str, ReplyFunction]  # model name -> reply function


class Scripted(WithoutEngine):
    """A model whose replies come from a Python function.

    The function is called once per request, and each reply is stored before the next call. An exception, or a value that is no
    text, fails that request; the same run asks it again. An EvalsuiteError other than BackendError stops the model.

    >>> backend = Scripted("parrot", lambda request: request.prompt[:1])
    >>> list(backend.generate([Request("1", "你好", (), 8)], [False]))[0][0][1].text
    '你'
    """

    def __init__(self, name: str, reply: ReplyFunction) -> None:
        self._reply = reply
        self.settings: dict[str, Any] = {}
        # The name is included, since closures from one line of code share their source but may reply differently.
        digest = hashlib.sha256(f"{name}\n{_source(reply)}".encode()).hexdigest()
        self.fingerprint = f"scripted:{digest[:24]}"

    def generate(self, requests: Sequence[Request], done: Sequence[bool]) -> Replies:
        for n, request in enumerate(requests):
            if not done[n]:
                yield [(n, self._response(request))]

    def _response(self, request: Request) -> Response:
        try:
            reply = self._reply(request)
        except BackendError as error:
            return Response("", "error", error=str(error))
        except EvalsuiteError:
            raise
        except Exception as error:
            return Response("", "error", error=f"the function raised {type(error).__name__}: {error}")
        if isinstance(reply, Response):
            return reply
        if not isinstance(reply, str):
            wrong = f"the function returned {type(reply).__name__}: expected the reply as a text"
            return Response("", "error", error=wrong)
        return Response(reply, "stop")


def _source(reply: ReplyFunction) -> str:
    try:
        return inspect.getsource(reply)
    except (OSError, TypeError):  # defined in an interpreter, or not a plain function
        return str(getattr(reply, "__qualname__", type(reply).__qualname__))


def scripted_models(replies: ReplyFunctions) -> list[Model]:
    """One model per reply function."""
    return [Model(name=name, backend="scripted", path="a function") for name in replies]


def scripted_loader(replies: ReplyFunctions) -> Loader:
    """A loader for the models of `scripted_models`."""
    return lambda model: Scripted(model.name, replies[model.name])


class ReplyLine(StrictSettings):
    """A line of a reply file. It answers the trials of its item that meet its conditions, the optional fields from `task` on."""

    item: str
    text: str | None = None
    finish: Literal["stop", "length", "content_filter"] = "stop"
    error: str | None = None  # instead of `text`: why there is no reply
    reasoning: str | None = None
    prompt_tokens: TokenCount = 0
    new_tokens: TokenCount = 0  # generated, thinking included; 0: not counted
    thinking_tokens: TokenCount | None = None  # the thinking among new_tokens
    task: str | None = None
    set: str | None = None
    split: str | None = None
    variant: str | None = None
    shots: int | None = None  # number of shots asked for
    scoring: str | None = None
    perturb: str | None = None
    rotation: int | None = None
    sample: int | None = None

    @property
    def conditions(self) -> dict[str, str | int]:
        """The conditions that a trial must meet: field -> value."""
        return {name: value for name in _CONDITIONS if (value := getattr(self, name)) is not None}

    @property
    def response(self) -> Response:
        if self.error is not None:
            return Response("", "error", error=self.error)
        tokens = (self.prompt_tokens, self.new_tokens)
        return Response(
            self.text or "", self.finish, *tokens, reasoning=self.reasoning, thinking_tokens=self.thinking_tokens
        )


_CONDITIONS = ("task", "set", "split", "variant", "shots", "scoring", "perturb", "rotation", "sample")


class ReplyFile(WithoutEngine):
    """A model whose replies are lines of a file. A trial gets the matching line with the most conditions.

    A trial without a matching line is a failed request, never an empty answer.
    """

    def __init__(self, path: Path) -> None:
        """Raises DataError with file, line and field."""
        self._path = path
        self._lines: dict[str, list[tuple[int, ReplyLine]]] = {}
        for number, row in jsonl.read_objects(path, surrogates=True):
            self._keep(number, row)
        self.settings: dict[str, Any] = {"by": "item"}  # items with the same prompt may have different replies
        self.fingerprint = f"scripted:{hashlib.sha256(path.read_bytes()).hexdigest()[:24]}"

    def _keep(self, number: int, row: dict[str, Any]) -> None:
        try:
            line = ReplyLine.model_validate(row)
        except ValidationError as error:
            first = error.errors()[0]
            if first["type"] != "extra_forbidden":
                raise jsonl.first_fault(error, self._path, number) from None
            field = str(first["loc"][0])
            raise DataError(unknown("field", field, ReplyLine.model_fields), self._path, number, field) from None
        if (line.text is None) == (line.error is None):
            raise DataError("expected either a text or an error", self._path, number, "text")
        others = self._lines.setdefault(line.item, [])
        for other, known in others:
            if known.conditions == line.conditions:
                hint = f"tell the two apart by {', '.join(_CONDITIONS)}"
                raise DataError(f"line {other} replies to the same already; {hint}", self._path, number, "item")
        others.append((number, line))

    def generate(self, requests: Sequence[Request], done: Sequence[bool]) -> Replies:
        """Match by item id only, since a request alone has no task, set or wording."""
        return in_groups((n, self._find(r.id, {})) for n, r in enumerate(requests) if not done[n])

    def answer(self, trials: Sequence[Trial], done: Sequence[bool]) -> Replies:
        return in_groups((n, self._find(t.item.id, _conditions(t))) for n, t in enumerate(trials) if not done[n])

    def _find(self, item: str, conditions: dict[str, str | int]) -> Response:
        fitting = [(n, line) for n, line in self._lines.get(item, ()) if line.conditions.items() <= conditions.items()]
        most = max((len(line.conditions) for _, line in fitting), default=0)
        best = [(n, line) for n, line in fitting if len(line.conditions) == most]
        if len(best) == 1:
            return best[0][1].response
        if best:
            numbers = " and ".join(str(n) for n, _ in best)
            return Response("", "error", error=f"{self._path}: lines {numbers} both fit {item}")
        return Response("", "error", error=f"{self._path}: no reply to {item}")


def _conditions(trial: Trial) -> dict[str, str | int]:
    item = trial.item
    values = (
        item.task,
        item.set,
        item.split,
        trial.variant,
        trial.asked_shots,
        trial.request.scoring,
        trial.perturb,
        trial.rotation,
        trial.request.sample,
    )
    return dict(zip(_CONDITIONS, values, strict=True))
