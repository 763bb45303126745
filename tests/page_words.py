"""Lists what the pages say in one language only: `python tests/page_words.py`.

The words of the pages are in words.json files, the titles of tasks, benchmarks, metrics and perturbations in their rows, those of
tables in sheets. No script holds words of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from messages import templates

from evalsuite.benchmarks.groups import groups
from evalsuite.benchmarks.kinds import KINDS
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS
from evalsuite.metrics.rows import METRICS
from evalsuite.perturb import PERTURBATIONS

PAGES = Path(__file__).parents[1] / "leaderboard"
SOURCES = PAGES / "src"
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_ENGLISH = re.compile(r"[A-Za-z]{2}")
_NO_WORDS = {"CORECODE · evalsuite", "/*EVALSUITE_SHARDS*/"}
_BEFORE_A_LANGUAGE_IS_KNOWN = {"old", "broken"}
# Some words in a row, one of them of those that names of classes and keys have not.
_SENTENCE = re.compile(
    r"\b(?=(\w+ )*(the|a|an|of|to|is|are|in|on|and|or|no|not|for|with|by|this|all)\b)[A-Za-z]+( [a-z]+){2,}"
)
_DATA = {"事件"}  # a value in CORECODE's files, which the page shows as it is
# Names and signs, which are the same in Chinese.
_SAME = re.compile(
    r"(\s|\d|\W|_|\{\d\}|EASY|HARD|Accuracy|BLEU|ROUGE|METEOR|CIDEr|chrF|F1|EM|nDCG|MIB|FRMM|log p|exp|Brier|Holm|Spearman|Pearson"
    r"|Kendall|Wilson|kappa|QWK|Sem-Sim|ΔNLL|SD|CD|Friedman|API|JSON|CSV|SVG|PNG|GPU|tok|acc|corr|pp|[A-Za-z]\b)*"
)
_PRINT = ("analyses/anchors.py", "analyses/items.py", "analyses/saved.py")  # no tables of the page, messages alone
_PRINTED = {
    "{error}: not a file of evalsuite",
    "{a} and {b}, {name}: neither told apart nor within ±{margin} after {asked} of {of} items: the same run goes on",
}


def in_one_language() -> list[str]:
    """A line for each text that lacks a language: where it stands, and the text."""
    return list(chain(_words(), _rows(), _sheets(), _scripts(), _pages()))


def _words() -> Iterator[str]:
    for path in sorted(SOURCES.rglob("words.json")):
        for key, both in json.loads(path.read_text("utf-8")).items():
            where = f"{path.relative_to(PAGES)}: {key}"
            if len(both) != 2:
                if key not in _BEFORE_A_LANGUAGE_IS_KNOWN:
                    yield f"{where}: {both}"
            elif key != "language":  # the name of the other one
                yield from _problems(where, *both)
                if sorted(set(re.findall(r"\{\d\}", both[0]))) != sorted(set(re.findall(r"\{\d\}", both[1]))):
                    yield f"{where}: the languages have other places: {both}"


def _rows() -> Iterator[str]:
    """Titles that Python gives to the pages."""
    named: dict[str, Any] = {"tasks": TASKS, "kinds": KINDS, "metrics": METRICS, "perturbations": PERTURBATIONS, "groups": groups()}  # fmt: skip
    for kind, rows in named.items():
        for name, row in rows.items() if hasattr(rows, "items") else ((row.name, row) for row in rows):
            yield from _problems(f"{kind}: {name}", row.zh, row.en or row.zh)
    for name, benchmark in BENCHMARKS.items():
        yield from _problems(f"benchmarks: {name}, its sets", benchmark.sets_zh, benchmark.sets_en)


def _problems(where: str, zh: str, en: str) -> Iterator[str]:
    if not zh and not en:  # left blank on purpose, or a name alone
        return
    if not zh or not (_CHINESE.search(zh) or _SAME.fullmatch(zh)):
        yield f"{where}: no Chinese: {zh or en}"
    if not en or _CHINESE.search(re.sub("[“《].*?[”》]|（.*?）|called .*", "", en)):
        yield f"{where}: no English: {en or zh}"


def _sheets() -> Iterator[str]:
    """Texts of the page's tables that are in English alone: sentences, so names of metrics are none."""
    for text, where in templates().items():
        page = where.startswith("analyses/") and not where.startswith(_PRINT) and text not in _PRINTED
        if page and len(re.findall(r"\b[a-z]{3,}\b", re.sub(r"\{.*?\}", "", text))) > 1:
            yield f"evalsuite/{where}: no Chinese: {text}"


def _scripts() -> Iterator[str]:
    """Words in scripts: Chinese, or three English words in a row; and keys that no words.json has."""
    known = {key for path in SOURCES.rglob("words.json") for key in json.loads(path.read_text("utf-8"))}
    for path in sorted(SOURCES.rglob("*.ts")):
        if "types" in path.parts:
            continue
        code = re.sub(r"(?<![:\"'`])//.*", "", path.read_text("utf-8"))
        code = re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL)
        for text in re.findall(r"\"([^\"\n]*)\"|`([^`]*)`", code):
            said = "".join(text)
            plain = re.sub(r"\$\{.*?\}", "", said)
            if said not in _DATA and (_CHINESE.search(plain) or _SENTENCE.search(plain)) and plain[:1] != "%":
                yield f"{path.relative_to(PAGES)}: words of its own: {said}"
        for key in re.findall(r"\bt\(\"([\w.-]+)\"", code):
            if key not in known:
                yield f"{path.relative_to(PAGES)}: no words: {key}"


def _pages() -> Iterator[str]:
    """Texts of the pages before their scripts run."""
    for path in (PAGES / "index.html",):
        body = re.sub(r"<(script|style)\b.*?</\1>|\{\{.*?\}\}|\{%.*?%\}", "", path.read_text("utf-8"), flags=re.DOTALL)
        for text in filter(str.strip, re.findall(r">([^<]+)<", body)):
            if (
                bool(_CHINESE.search(text)) != bool(_ENGLISH.search(text))
                and not _SAME.fullmatch(text)
                and text.strip() not in _NO_WORDS
            ):
                yield f"{path.relative_to(PAGES)}: {text.strip()}"


if __name__ == "__main__":
    print("\n".join(in_one_language()) or "everything has both languages")
