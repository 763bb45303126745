"""The reply of a judge or a second reader, as the lines of judged/*.jsonl and second/*.jsonl hold it."""

from __future__ import annotations

from pydantic import Field

from evalsuite.results.schema.base import Count, Hash, Strict
from evalsuite.types import Response


class StoredReply(Strict):
    """A reply to a question about a candidate's reply, or the failure of its request."""

    key: Hash
    reply: str | None
    finish: str
    error: str | None
    prompt_tokens: Count
    new_tokens: Count
    reasoning: str | None = Field(default=None, description="The thinking, where an endpoint returns it apart.")

    @staticmethod
    def of(key: str, response: Response) -> StoredReply:
        """The reply to the question with this key."""
        return StoredReply(
            key=key,
            reply=response.text if response.error is None else None,
            finish=response.finish,
            error=response.error,
            prompt_tokens=response.prompt_tokens,
            new_tokens=response.new_tokens,
            reasoning=response.reasoning,
        )

    def response(self) -> Response:
        """The reply, or the failure of the request."""
        return Response(self.reply or "", self.finish, self.prompt_tokens, self.new_tokens, self.error, self.reasoning)
