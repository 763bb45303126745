"""A mention: one option named in a reply. Found by `labels`, `places` and `mentions`."""

from __future__ import annotations

import re
from dataclasses import dataclass

LIMIT = 200  # mentions kept of a text: half from its head, half from its tail
FORMER, LATTER = -2, -3  # 前者, 后者 before they are resolved
OPEN, CLOSE = "(\\[{【「『《〈<〔“\"'‘\ue001", ")\\]}】」』》〉>〕”\"'’\ue002"
HAN = re.compile(r"[一-鿿㐀-䶿]")


@dataclass(frozen=True, slots=True)
class Mention:
    """An option named at `start:end` of the clean text. `option` is -1 for a label outside the list."""

    start: int
    end: int
    option: int
    kind: str  # "label", "text", "place"
    sure: bool = True  # False for a bare capital, which may be a person
    against: int | None = None  # the option of an adjoining text that differs (rule 16)
