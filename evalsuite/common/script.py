"""Conversion between traditional and simplified Chinese by OpenCC, from either of two packages with the import name `opencc`:
opencc-python-reimplemented, which evalsuite installs and whose tables are texts, or OpenCC, whose tables are compiled."""

from __future__ import annotations

import unicodedata
from functools import cache
from importlib import resources
from typing import Any

from evalsuite.common.errors import ConfigError

_BLOCKS = (range(0x2E80, 0xA000), range(0xF900, 0xFB00), range(0x20000, 0x32000))  # blocks of Chinese characters


@cache
def converter(config: str) -> Any:
    """An OpenCC converter, such as "s2twp". Raises ConfigError if neither package is whole."""
    try:
        from opencc import OpenCC  # type: ignore[import-untyped]

        return OpenCC(config)
    except (ImportError, OSError, RuntimeError) as error:  # RuntimeError: compiled tables are missing
        raise ConfigError(
            f"the package opencc is missing or not whole ({error}): pip install --force-reinstall opencc-python-reimplemented"
        ) from None


@cache
def simplified_characters() -> dict[str, str]:
    """Traditional -> simplified character, by OpenCC's t2s. The first call takes about 4 ms, with compiled tables 100 ms. Raises
    ConfigError if neither package is whole: without the table, traditional replies would be misread unnoticed."""
    try:
        text = (resources.files("opencc") / "dictionary" / "TSCharacters.txt").read_text(encoding="utf-8")
    except (ModuleNotFoundError, OSError):
        signs = [c for block in _BLOCKS for c in map(chr, block) if unicodedata.category(c) in ("Lo", "So")]
        simplified = converter("t2s").convert("\n".join(signs)).split("\n")
        return {sign: to for sign, to in zip(signs, simplified, strict=True) if sign != to and len(to) == 1}
    rows = (line.partition("\t") for line in text.splitlines())
    return {traditional: simplified[0] for traditional, _, simplified in rows if len(traditional) == 1 and simplified}
