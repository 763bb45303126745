"""Trim a span: blanks, punctuation, and quotes or brackets around the whole (rule 12)."""

from __future__ import annotations

Place = tuple[int, int]  # start and end in the clean text

PAIRS = {
    "“": "”",
    "「": "」",
    "『": "』",
    "‘": "’",
    "《": "》",
    "【": "】",
    "[": "]",
    "(": ")",
    '"': '"',
    "'": "'",
    "{": "}",
    "<": ">",
    "\ue001": "\ue002",
}
_EDGE = " \n\t,，。.、;；:：!！?？~～…·\ue000\ue001\ue002*`#|=-—"
_OUTER = _EDGE + "”」』’》】"


def trim(text: str, place: Place) -> Place:
    """Cut blanks and punctuation at both ends, and quotes or brackets around the whole."""
    start, end = place
    while True:
        before = (start, end)
        while (
            start < end and text[start] in _EDGE and not (text[start] == "-" and text[start + 1 : start + 2].isdigit())
        ):
            start += 1
        while start < end and text[end - 1] in _EDGE:
            end -= 1
        if end - start >= 2:
            close = PAIRS.get(text[start])
            if close and text[end - 1] == close and _matched(text, start, end):
                start, end = start + 1, end - 1
            elif close and close not in text[start + 1 : end] and text[start] not in "([<{":
                start += 1
            elif (
                text[end - 1] in "”」』’》】)"
                and not any(opener in text[start:end] for opener, shut in PAIRS.items() if shut == text[end - 1])
            ) or (text[end - 1] in '"' and text.count('"', start, end) == 1):
                end -= 1
        elif end - start == 1 and (text[start] in PAIRS or text[start] in _OUTER):
            start = end
        if (start, end) == before:
            return start, end


def _matched(text: str, start: int, end: int) -> bool:
    """Whether the first and the last character of a place are one pair: not in “a”和“b”."""
    opener, closer = text[start], PAIRS[text[start]]
    if opener == closer:
        return text.count(opener, start, end) == 2
    depth = 0
    for position in range(start, end):
        if text[position] == opener:
            depth += 1
        elif text[position] == closer:
            depth -= 1
            if depth == 0:
                return position == end - 1
    return False
