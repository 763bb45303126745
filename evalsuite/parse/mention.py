"""One mention: an option named in a reply. `labels`, `places` and `mentions` find them."""

from __future__ import annotations

import re
from dataclasses import dataclass

LIMIT = 200  # mentions kept: half from the head of a text, half from its tail
FORMER, LATTER = -2, -3  # 前者, 后者 before it is known of which pair
OPEN, CLOSE = "(\\[{【「『《〈<〔“\"'‘\ue001", ")\\]}】」』》〉>〕”\"'’\ue002"
HAN = re.compile(r"[一-鿿㐀-䶿]")


@dataclass(frozen=True, slots=True)
class Mention:
    """An option named at `start:end` of the clean text. `option` is -1 for a label outside the list."""

    start: int
    end: int
    option: int
    kind: str  # "label", "text", "place"
    sure: bool = True  # False for a bare capital, which could be a person
    against: int | None = None  # the other option that an adjoining text names (rule 16)
