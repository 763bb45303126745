"""OpenCC's tables, whichever of the two packages named `opencc` is installed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from evalsuite.common import script
from evalsuite.common.errors import ConfigError
from evalsuite.common.script import converter, simplified_characters
from evalsuite.parse.chars import _Fold

# As the package OpenCC: no table that can be read, a converter of whole texts.
COMPILED = """
import json, pathlib
TABLE = json.loads((pathlib.Path(__file__).parent / "clib.json").read_text("utf-8"))
class OpenCC:
    def __init__(self, config="t2s"):
        self.config = config
    def convert(self, text):
        return "".join(TABLE.get(char, char) for char in text)
"""


@pytest.fixture
def other_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package `opencc` of another kind, in place of the installed one."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "opencc"]:
        monkeypatch.delitem(sys.modules, name)
    (tmp_path / "opencc").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    caches = converter, simplified_characters
    for cached in caches:
        cached.cache_clear()
    yield tmp_path / "opencc"
    for cached in caches:
        cached.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "opencc"]:
        del sys.modules[name]


TEXTS = simplified_characters()  # from opencc-python-reimplemented


def test_compiled_tables_give_the_same_characters(other_package: Path) -> None:
    (other_package / "__init__.py").write_text(COMPILED, encoding="utf-8")
    (other_package / "clib.json").write_text(json.dumps(TEXTS), encoding="utf-8")
    found = simplified_characters()
    assert found == {sign: to for sign, to in TEXTS.items() if sign != to and found.get(sign)}
    assert len(found) > 0.99 * sum(sign != to for sign, to in TEXTS.items())
    assert "繼續選擇".translate(_Fold()) == "继续选择"
    assert converter("s2twp").config == "s2twp"


def test_a_broken_package_is_an_error_and_no_other_reading(other_package: Path) -> None:
    (other_package / "__init__.py").write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match="force-reinstall opencc-python-reimplemented"):
        simplified_characters()
    with pytest.raises(ConfigError, match="opencc is missing or not whole"):
        "繼".translate(_Fold())


def test_the_installed_package_has_words_of_taiwan() -> None:
    assert converter("s2twp").convert("软件和出租车") == "軟體和計程車"
    assert (resources.files("opencc") / "dictionary" / "TSCharacters.txt").is_file()
    assert script.simplified_characters()["龍"] == "龙"
