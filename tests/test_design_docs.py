"""CONTRIBUTING and design/ name files and things that are there."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "design").glob("*.md"))]
# A path may leave out the folder that the text is about.
HOMES = (
    "",
    "evalsuite",
    "leaderboard",
    "leaderboard/src",
    "leaderboard/src/leaderboard",
    "docs",
    "design",
    "tests",
    "evalsuite/benchmarks",
)
# Files and names of other projects, and of plans that were not followed.
NOT_OURS = {
    "finetune/",
    "run/",
    "additional_chat_templates/",
    "catsim",
    "girth",
    "py_irt",
    "deepirtools",
    "mirt",
    "ActorPool",
    "kmedoids",
    "group_by",
    "from_dict",
    "start_run",
}
_SUFFIX = r"\.(?:py|tsx?|mjs|md|j2|yaml|yml|jsonl?|csv|css|toml|html|txt)"
_PATH = re.compile(rf"`?((?:[\w.-]+/)*[\w-]+{_SUFFIX}|(?:[\w-]+/)+)`?")
# A name of code in backticks: `SHIPPED`, `_planned`, `own_metrics`, `Benchmark.references`, `h()`.
_NAME = re.compile(r"(_?[A-Za-z]\w*(?:\.\w+)*)(?:\(.*\))?")
_CODE = ("evalsuite/**/*.py", "evalsuite/**/*.json", "tests/**/*.py", "tools/**/*.py", "benchmarks/*.py", "leaderboard/src/**/*.ts", "leaderboard/*.mjs",
         "leaderboard/*.json", "Makefile", "pyproject.toml", "docs/**/*.py", "models.yaml", "evalsuite/**/*.yaml", "prompts/**/*.j2", ".github/**/*.yml")  # fmt: skip


@cache
def words() -> frozenset[str]:
    """Every word of the code."""
    texts = (path.read_text("utf-8") for pattern in _CODE for path in ROOT.glob(pattern))
    return frozenset(word for text in texts for word in re.findall(r"\w+", text))


@cache
def files() -> frozenset[str]:
    """The files and folders of the checkout, without what is installed or made in it; a folder ends in a slash."""
    kept: list[str] = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [
            name for name in folders if name not in ("node_modules", ".git", "runs") and not name.startswith(".venv")
        ]
        home = Path(folder).relative_to(ROOT)
        kept += [*((home / name).as_posix() for name in names), *((home / name).as_posix() + "/" for name in folders)]
    return frozenset(kept)


def is_there(path: str) -> bool:
    return any(f"{home}/{path}".lstrip("/") in files() for home in HOMES) or any(
        f.endswith(f"/{path}") for f in files()
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_paths_are_there(page: Path) -> None:
    text = re.sub(r"(?ms)^ *```.*?^ *```", "", page.read_text("utf-8"))
    text = re.sub(r"https?://\S+", "", text)
    said = {m[1] for m in re.finditer(r"`([^`\n]+)`|\]\(([^)#\s]+)", text) if m[1]} | set(
        re.findall(r"\]\(([^)#\s]+)", text)
    )
    paths = {s for s in said if _PATH.fullmatch(s) and not re.search(r"[A-Z<>{}…*]{4,}|NAME|\bmine\b", s)}
    assert sorted(path for path in paths - NOT_OURS if not is_there(path.removeprefix("../"))) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_names_are_in_the_code(page: Path) -> None:
    text = re.sub(r"(?ms)^ *```.*?^ *```", "", page.read_text("utf-8"))
    names = {
        found[1]
        for said in re.findall(r"`([^`\n]+)`", text)
        if (found := _NAME.fullmatch(said)) and not _PATH.fullmatch(said)
    }
    assert sorted(name for name in names - NOT_OURS if not {*name.split(".")} <= words()) == []


# A name and its file: `ANALYSES` of `analyses/table.py`, `Mark` in [types.py](…).
_NAME_IN_FILE = re.compile(r"`(_?[A-Za-z]\w*)` (?:in|of) (?:\[|`)([\w/-]+\.(?:py|ts))[`\]]")


def test_names_are_in_the_files_that_are_named_with_them() -> None:
    """A name that moved or was renamed may still be a word elsewhere in the code."""
    pairs = [(page.name, *pair) for page in PAGES for pair in _NAME_IN_FILE.findall(page.read_text("utf-8"))]
    code = {f: (ROOT / f).read_text("utf-8") for f in files() if f.endswith((".py", ".ts"))}
    gone = [
        (page, name, file)
        for page, name, file in pairs
        if not any(f"/{f}".endswith(f"/{file}") and re.search(rf"\b{name}\b", text) for f, text in code.items())
    ]
    assert len(pairs) > 20 and gone == []
