"""Bodies of an endpoint's answers, read and unpacked only up to a limit of memory."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

# The most bytes read of a reply's body. Its text of up to 1 MiB (evaluation/ask.py) takes six times as much if all is escaped.
OF_REPLY = 8 * 2**20
_OF_ERROR = 2**20  # the most bytes read of an error's body, which begins with the message
_CUT = "evalsuite.cut"


def bound(client: Any, most: Callable[[], int]) -> None:
    """Have an HTTP client of the openai package read at most `most()` bytes of a body; `is_cut` tells of a longer one."""
    send = client.send

    def bounded(request: Any, *, stream: bool = False, **options: Any) -> Any:
        request.headers["accept-encoding"] = "identity"
        answer = send(request, stream=True, **options)
        body = _Body(answer, most())
        try:
            for chunk in answer.iter_raw():
                if body.take(chunk):
                    break
        finally:
            answer.close()
        return body.whole()

    client.send = bounded


def bound_async(client: Any, most: int) -> None:
    """`bound` for an asynchronous client, with a fixed limit."""
    send = client.send

    async def bounded(request: Any, *, stream: bool = False, **options: Any) -> Any:
        request.headers["accept-encoding"] = "identity"
        answer = await send(request, stream=True, **options)
        body = _Body(answer, most)
        try:
            async for chunk in answer.aiter_raw():
                if body.take(chunk):
                    break
        finally:
            await answer.aclose()
        return body.whole()

    client.send = bounded


def is_cut(answer: Any) -> bool:
    """Whether the body of a successful answer was longer than the limit, or packed in a way that was not asked for."""
    return bool(answer.extensions.get(_CUT))


class _Body:
    """The body of an HTTP answer as far as it was read, unpacked."""

    def __init__(self, answer: Any, most: int) -> None:
        self._answer, self._most = answer, most if answer.status_code < 300 else _OF_ERROR
        self._content, self._cut = bytearray(), False
        packed = answer.headers.get("content-encoding", "identity").strip().lower()
        # Some servers pack although they are asked not to.
        self._unpack = zlib.decompressobj(zlib.MAX_WBITS | 32) if packed in ("gzip", "x-gzip", "deflate") else None
        self._unknown = self._unpack is None and packed not in ("identity", "")

    def take(self, chunk: bytes) -> bool:
        """Add received bytes. Returns whether to stop reading."""
        room = self._most + 1 - len(self._content)
        try:
            self._content += self._unpack.decompress(chunk, room) if self._unpack else chunk[:room]
        except zlib.error:
            self._unknown = True
        self._cut = self._unknown or len(self._content) > self._most
        return self._cut

    def whole(self) -> Any:
        """The HTTP response with the part of its body that was read."""
        plain = {n: v for n, v in self._answer.headers.items() if n.lower() not in _ABOUT_THE_WIRE}
        return type(self._answer)(
            self._answer.status_code,
            headers=plain,
            content=bytes(self._content[: self._most]),
            request=self._answer.request,
            extensions={**self._answer.extensions, _CUT: self._cut},
        )


_ABOUT_THE_WIRE = ("content-encoding", "content-length", "transfer-encoding")
