"""Test whether a model continues the first half of an item as its file does.

Local models are given the first half of the file's entry, as it stands there. Endpoints are asked in words, once with the name
of the benchmark and its split (guided), once without (general; Golchin & Surdeanu 2023).
"""

from __future__ import annotations

from dataclasses import dataclass

from evalsuite.common.templates import TemplateFile
from evalsuite.metrics.counts import lcs_length
from evalsuite.types import Message, Request

TOKENS = 64  # the limit of a reply
# A completion is near-exact if at least so many characters are compared, with a ROUGE-L of at least NEAR.
_LEAST = 20
NEAR = 0.9


@dataclass(frozen=True, slots=True)
class Halves:
    """An item's text in two: a model sees the first."""

    item: str
    first: str
    second: str


def halves(item: str, text: str) -> Halves | None:
    """A text cut near its middle, at the end of a turn or line if one is near; None if it is too short."""
    middle = len(text) // 2
    ends = [n + 1 for n, char in enumerate(text) if char in "\n" and abs(n - middle) <= len(text) // 4]
    cut = min(ends, key=lambda n: abs(n - middle), default=middle)
    return Halves(item, text[:cut], text[cut:]) if len(text) - cut >= _LEAST and cut else None


def plain_request(half: Halves) -> Request:
    """The first half alone, for a model to go on with."""
    return Request(half.item, half.first, (Message("user", half.first),), TOKENS, batch=("completion",))


def asked_request(half: Halves, template: TemplateFile, name: str, split: str) -> Request:
    """A request to continue the first half. `name`: the benchmark's name; "": the request names none."""
    text = template.render({"text": half.first, "name": name, "split": split}, f"item {half.item}")
    return Request(half.item, text, (Message("user", text),), 4 * TOKENS, batch=("completion", name))


@dataclass(frozen=True, slots=True)
class Overlap:
    """The overlap of a reply with the continuation in the file."""

    rouge: float  # ROUGE-L's F1 on characters, with as much of the second half as the reply has
    compared: int  # characters of the second half

    @property
    def near(self) -> bool:
        """Whether the reply is the second half, but for a few characters."""
        return self.rouge >= NEAR and self.compared >= _LEAST


def overlap(reply: str, second: str) -> Overlap:
    """Compare a reply with as many characters of the second half as it has, but at least _LEAST. Blanks do not count.

    >>> overlap("我去看电影了。", "我去看电影了。你呢？我们下次再一起去吧，好不好呀？").rouge
    0.5185185185185185
    """
    written, want = ("".join(text.split()) for text in (reply, second))
    want = want[: max(len(written), _LEAST)]
    written = written[: max(len(want), 1)]
    if not written or not want:
        return Overlap(0.0, len(want))
    return Overlap(2 * lcs_length(written, want) / (len(written) + len(want)), len(want))
