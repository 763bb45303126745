"""One item's options, prepared for recognition: labels, texts, near texts, synonyms (rules 2 and 11)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from evalsuite.parse.chars import enclosed, fold, key, lower
from evalsuite.parse.synonyms import DECISIVE, OPPOSED, same_meaning

_GAP = re.compile(r"…+|\.{3,}|_{2,}|~{2,}|\[.{0,3}\]|\(\s*\)")  # a gap in an option text that replies fill in: 由…制成
_ORDINALS = "甲乙丙丁戊己庚辛壬癸"


@dataclass(frozen=True, slots=True)
class Catalog:
    """Labels without brackets and texts as keys (`chars.key`), both indexed by the option's index."""

    labels: tuple[str, ...]
    keys: tuple[str, ...]
    core: str  # regular expression of labels: [a-z], \d{1,2}
    digits: bool  # the labels are numbers
    texts: re.Pattern[str] | None  # matches any option text in squeezed lower-case text, longest first
    by_text: Mapping[str, int]  # key -> option, without texts that two options share
    templates: tuple[tuple[re.Pattern[str], int], ...]  # option texts with a gap: 由…制成

    def label(self, core: str) -> int | None:
        """The option with this label; -1 for a label of the same kind outside the list (rule 7), None for no label."""
        core = core.lower().lstrip("0") or "0"
        if core in self.labels:
            return self.labels.index(core)
        return -1 if self.labels and re.fullmatch(self.core, core) else None

    def exact(self, text: str) -> int | None:
        """The option with this text, given as a key; None if there is none."""
        found = self.by_text.get(text)
        if found is None:
            for template, index in self.templates:
                if template.fullmatch(text):
                    return index
        return found

    def near(self, text: str) -> int | None:
        """The one option within a one-character slip of a key, else the one with the same meaning; None if neither."""
        if not text or len(text) > 60:
            return None
        found = self.exact(text)
        if found is not None:
            return found
        if sum(text in option for option in self.keys) > 1:  # 父母 of 养父母 and 亲生父母
            return None
        slips = [index for index, option in enumerate(self.keys) if is_slip(text, option)]
        if len(slips) == 1:
            return slips[0]
        if slips:
            return None
        return same_meaning(text, self.keys)


def is_slip(text: str, option: str) -> bool:
    """Whether two keys differ by one character that is a plausible slip (rule 2).

    Numbers, negations and opposites are never slips; neither is any change of a short text (科教片 is not 科幻片).
    """
    if min(len(text), len(option)) < 2 or len(option) < 3 or abs(len(text) - len(option)) > 1:
        return False
    start = 0
    shorter = min(len(text), len(option))
    while start < shorter and text[start] == option[start]:
        start += 1
    if len(text) == len(option):
        if text[start + 1 :] != option[start + 1 :] or start == len(text):
            return False
        changed = text[start] + option[start]
        if all(OPPOSED.search(c) for c in changed):
            return False
        if len(option) == 3 and start == 0:
            return False
    elif len(text) < len(option):
        if text[start:] != option[start + 1 :]:
            return False
        changed = option[start]
    else:
        if text[start + 1 :] != option[start:]:
            return False
        changed = text[start]
    return not (any(c.isdigit() or c.isascii() for c in changed) or DECISIVE.search(changed))


@lru_cache(maxsize=1024)
def _catalog(pairs: tuple[tuple[str, str], ...]) -> Catalog:
    labels = tuple(label_core(label) for label, _ in pairs)
    keys = tuple(key(text) for _, text in pairs)
    by_text: dict[str, int] = {}
    for index, text in enumerate(keys):
        if text:
            by_text[text] = -1 if text in by_text else index
    by_text = {text: index for text, index in by_text.items() if index >= 0}
    templates: list[tuple[re.Pattern[str], int]] = []
    patterns = [(len(text), re.escape(text)) for text in by_text]
    for index, (_, text) in enumerate(pairs):
        parts = [key(part) for part in _GAP.split(fold(text))]
        if len(parts) == 2 and all(parts) and keys[index] in by_text:
            pattern = re.escape(parts[0]) + r"[^\W_]{1,12}?" + re.escape(parts[1])
            templates.append((re.compile(pattern), index))
            patterns.append((len(keys[index]) + 1, pattern))
    patterns.sort(reverse=True)
    digits = bool(labels) and all(label.isdigit() for label in labels)
    if digits:
        core = r"\d{1,2}"
    elif all(len(label) == 1 and label.isascii() and label.isalpha() for label in labels):
        core = "[a-z]"
    else:
        others = "|".join(sorted(map(re.escape, {*labels} - {""}), key=len, reverse=True)) or "(?!)"
        core = f"[{_ORDINALS}]" if labels and all(label in _ORDINALS for label in labels if label) else f"(?:{others})"
    texts = re.compile("|".join(pattern for _, pattern in patterns)) if patterns else None
    return Catalog(labels, keys, core, digits, texts, by_text, tuple(templates))


def catalog(options: Mapping[str, str]) -> Catalog:
    """The catalogue of an item's options, cached for items with the same options."""
    return _catalog(tuple(options.items()))


def label_core(label: str) -> str:
    """A label without brackets, dots and width: "(a)", "Ａ.", "①", "甲、" -> a, a, 1, 甲."""
    plain = "".join(enclosed(char) or char for char in lower(fold(label)))
    core = key(plain)
    for word in ("选项", "option", "choice"):
        core = core.removeprefix(word) or core
    return (core.lstrip("0") or core) if core.isdigit() else core
