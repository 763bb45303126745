"""Test whether a model continues the first half of an item as its file does.

Local models get the first half of the file's entry, byte for byte. Endpoints are asked in words to continue it, once with the
name of the benchmark and its split (guided), once without (general; Golchin & Surdeanu 2023).
"""

from __future__ import annotations

from dataclasses import dataclass

from evalsuite.common.templates import TemplateFile
from evalsuite.metrics.counts import lcs_length
from evalsuite.types import Message, Request

TOKENS = 64  # the limit of a reply
# A completion is near-exact if at least _LEAST characters are compared, with a ROUGE-L of at least NEAR.
_LEAST = 20
NEAR = 0.9


@dataclass(frozen=True, slots=True)
class Halves:
    """The two halves of an item's text, of which a model sees the first."""

    item: str
    first: str
    second: str


def halves(item: str, text: str) -> Halves | None:
    """The text cut near its middle, if possible at the end of a line; None if it is too short."""
    middle = len(text) // 2
    ends = [n + 1 for n, char in enumerate(text) if char == "\n" and abs(n - middle) <= len(text) // 4]
    cut = min(ends, key=lambda n: abs(n - middle), default=middle)
    return Halves(item, text[:cut], text[cut:]) if len(text) - cut >= _LEAST and cut else None


def plain_request(half: Halves) -> Request:
    """The request with the first half as its whole prompt."""
    return Request(half.item, half.first, (Message("user", half.first),), TOKENS, batch=("completion",))


def asked_request(half: Halves, template: TemplateFile, name: str, split: str) -> Request:
    """The request to continue the first half. `name`: the benchmark's name, or "" to name none."""
    text = template.render({"text": half.first, "name": name, "split": split}, f"item {half.item}")
    return Request(half.item, text, (Message("user", text),), 4 * TOKENS, batch=("completion", name))


@dataclass(frozen=True, slots=True)
class Overlap:
    """The overlap of a reply with the continuation in the file."""

    rouge: float  # ROUGE-L's F1 on characters, with a part of the second half as long as the reply
    compared: int  # length of that part in characters

    @property
    def near(self) -> bool:
        """Whether the reply equals the second half except for a few characters."""
        return self.rouge >= NEAR and self.compared >= _LEAST


def overlap(reply: str, second: str) -> Overlap:
    """Compare a reply with as many characters of the second half as it has, but at least _LEAST. Whitespace is left out.

    >>> overlap("我去看电影了。", "我去看电影了。你呢？我们下次再一起去吧，好不好呀？").rouge
    0.5185185185185185
    """
    written, want = ("".join(text.split()) for text in (reply, second))
    want = want[: max(len(written), _LEAST)]
    written = written[: max(len(want), 1)]
    if not written or not want:
        return Overlap(0.0, len(want))
    return Overlap(2 * lcs_length(written, want) / (len(written) + len(want)), len(want))
