"""A recording: a folder of two files with a model's earlier replies, each found by the hash of its request.

    recording.json   the model, its licence, the dates and versions (`Recording`)
    replies.jsonl    a line for each reply: the hash of its request (`asked`), text, finish, tokens

A reply answers the exact prompt that it was given to: after a change of template, item, shots or reply limit, a recording has
no reply. A run leaves out cells with a prompt that is not recorded (evaluation/replay.py). models/record.py makes recordings.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from evalsuite.backends.base import Replies, WithoutEngine, in_groups
from evalsuite.backends.model import Model, StrictSettings, TokenCount
from evalsuite.common import jsonl
from evalsuite.common.errors import BackendError, DataError
from evalsuite.common.files import read_bytes, read_json
from evalsuite.types import Request, Response

ABOUT, REPLIES = "recording.json", "replies.jsonl"
NOT_RECORDED = "not recorded: this prompt was not asked when the replies were recorded"

_Hash = Annotated[str, Field(min_length=24, max_length=24)]


class Session(StrictSettings):
    """One session of recording."""

    date: str  # YYYY-MM-DD
    versions: dict[str, str]  # name -> version: evalsuite, the engine, torch
    replies: Annotated[int, Field(ge=0)]  # number of replies recorded


class Recording(StrictSettings):
    """The content of recording.json."""

    model: str  # the model's name at its publisher
    revision: str | None  # the file or commit of the model
    licence: str
    chat: bool  # asked through its chat template
    settings: dict[str, Any]  # the settings of sampling, as the engine's backend states them
    parameters: Annotated[int, Field(ge=0)] | None
    command: str  # the command that made the recording
    runs: list[dict[str, Any]]  # settings of the runs whose prompts were recorded
    sessions: list[Session] = Field(min_length=1)


class RecordedReply(StrictSettings):
    """A line of replies.jsonl."""

    asked: _Hash
    text: str
    finish: str
    prompt_tokens: TokenCount = 0
    new_tokens: TokenCount = 0

    @property
    def response(self) -> Response:
        return Response(self.text, self.finish, self.prompt_tokens, self.new_tokens)


def request_hash(request: Request, chat: bool) -> str:
    """The hash of a request: its prompt, token limit, scoring and sample; its id does not count.

    >>> request_hash(Request("1", "你好", (), 8), chat=False) == request_hash(Request("2", "你好", (), 8), chat=False)
    True
    """
    prompt: Any = [[m.role, m.content] for m in request.messages] if chat else request.prompt
    how = (request.scoring, request.labels, request.options) if request.scoring != "generate" else ()
    parts = [prompt, request.max_new_tokens, *how, request.pairs, request.pattern, request.sample]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:24]


def read_recording(folder: Path) -> tuple[Recording, dict[str, RecordedReply]]:
    """The content of recording.json, and `read_lines` of the folder. Raises DataError with file, line and field."""
    about = folder / ABOUT
    try:
        recording = Recording.model_validate(read_json(about))
    except ValidationError as error:
        raise jsonl.first_fault(error, about) from None
    return recording, read_lines(folder)


def read_lines(folder: Path) -> dict[str, RecordedReply]:
    """Hash of a request -> the recorded reply. Raises DataError with file, line and field."""
    lines: dict[str, RecordedReply] = {}
    for number, row in jsonl.read_objects(folder / REPLIES, surrogates=True):
        try:
            line = RecordedReply.model_validate(row)
        except ValidationError as error:
            raise jsonl.first_fault(error, folder / REPLIES, number) from None
        if line.asked in lines:
            raise DataError("an earlier line replies to the same", folder / REPLIES, number, "asked")
        lines[line.asked] = line
    return lines


def hash_of_replies(path: Path) -> str | None:
    """SHA-256 of a recording's replies, or of a file of scripted ones; None if it is not there."""
    file = path / REPLIES if path.is_dir() else path
    return hashlib.sha256(read_bytes(file)).hexdigest() if file.is_file() else None


class RecordedModel(WithoutEngine):
    """A model that answers by a recording."""

    def __init__(self, model: Model) -> None:
        """Raises DataError for a file that is no recording, BackendError if models.yaml has another `chat` than it."""
        folder = Path(model.path)
        self.recording, self._lines = read_recording(folder)
        if model.chat != self.recording.chat:
            raise BackendError(
                f"model {model.name}: was recorded with chat: {str(self.recording.chat).lower()}; set it so"
            )
        self.settings: dict[str, Any] = self.recording.settings
        self.parameters = self.recording.parameters
        digest = hashlib.sha256(read_bytes(folder / ABOUT) + read_bytes(folder / REPLIES)).hexdigest()
        self.fingerprint = f"recorded:{digest[:24]}"

    @property
    def recorded(self) -> dict[str, Any]:
        """Facts for tables and the page. Date and versions are those of the session with the most replies."""
        about = self.recording
        most = max(about.sessions, key=lambda session: session.replies)
        return {"model": about.model, "revision": about.revision, "date": most.date, "versions": most.versions}

    def missing(self, requests: Sequence[Request]) -> int:
        """The number of these requests without a recorded reply."""
        return sum(request_hash(request, self.recording.chat) not in self._lines for request in requests)

    def generate(self, requests: Sequence[Request], done: Sequence[bool]) -> Replies:
        return in_groups((n, self._find(request)) for n, request in enumerate(requests) if not done[n])

    def _find(self, request: Request) -> Response:
        line = self._lines.get(request_hash(request, self.recording.chat))
        return line.response if line else Response("", "error", error=NOT_RECORDED)
