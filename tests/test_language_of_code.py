"""The language of the code: docstrings and comments name their subject, a type name has one meaning, `place` is a `Place`."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "evalsuite"
PAGES = ROOT / "leaderboard/src"

# Their tables have a row per line, however long its pattern or its words, between "fmt: off" and "fmt: on".
TABLES = {"parse/lexicon.py", "parse/rules.py", "parse/spanrules.py", "parse/tape.py"}
_TABLE = re.compile(r"^# fmt: off\n.*?^# fmt: on\n", re.DOTALL | re.MULTILINE)
LONGEST = 130
# A relative clause or a bare genitive has no subject: "What of a cell was asked", "Of parts with the same price".
_NO_SUBJECT = re.compile(
    r"(?:What|Those|Of|That|How|Whose|Where|Which|Who|As (?!many)|Why|When|Also|And|Or|Else|Then|Not)\b"
)
_NO_SUBJECT_IN_COMMENTS = re.compile(
    r"(?:what|those|of|that|how|whose|which|who|why|or|else|then)\b|Where\b", re.IGNORECASE
)
# Sources without a match need not be read token by token, which takes long.
_MAY_HAVE_SUCH = re.compile(rf"#[#: ]*(?:{_NO_SUBJECT_IN_COMMENTS.pattern})", re.IGNORECASE)
_FORMATTER_OFF = re.compile(r"# fmt: ?(?:skip|off)")
_OF_A_PLACE = re.compile(r"\b(?:Shared)?Place(?:Fields)?\b|\.place\b|\bPLACE\b")
_PLACE = re.compile(r"(?:^|_)[Pp]laces?(?:$|_)")
# The attribute of a syntax node that holds a name.
CALLED: dict[type[ast.AST], str] = {
    ast.Name: "id", ast.arg: "arg", ast.FunctionDef: "name", ast.AsyncFunctionDef: "name", ast.ClassDef: "name"
}  # fmt: skip
Parsed = dict[str, tuple[str, ast.Module]]
_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


FILES = [p.relative_to(PACKAGE).as_posix() for p in sorted(PACKAGE.rglob("*.py"))]


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, text) of the docstrings of a module, its classes and functions, and of fields (a string below them)."""
    for node in ast.walk(tree):
        if isinstance(node, _Documented) and (text := ast.get_docstring(node, clean=False)):
            yield getattr(node, "lineno", 1), text.strip()
        if isinstance(node, ast.ClassDef):
            for field, below in zip(node.body, node.body[1:], strict=False):
                constant = below.value if isinstance(below, ast.Expr) else None
                if isinstance(field, ast.AnnAssign) and isinstance(constant, ast.Constant):
                    yield below.lineno, str(constant.value).strip()


def _comments(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of comments; of a comment of several lines the first one."""
    last = -1
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            alone = token.line.lstrip().startswith("#")
            if not (alone and token.start[0] == last + 1):
                yield token.start[0], token.string.lstrip("#: ")
            last = token.start[0] if alone else last


def _script_comments(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of the comments that stand on lines of their own; of a comment of several lines the first one."""
    last = -1
    for number, line in enumerate(source.splitlines(), 1):
        if found := re.match(r"\s*(//|/\*\*?)\s*(.*)", line):
            if not (found[1] == "//" and number == last + 1):
                yield number, found[2]
            last = number if found[1] == "//" else last


def test_the_rules_find_what_they_forbid() -> None:
    source = 'class A:\n    """What of a cell was asked."""\n\n    b: int  # of parts\n    """How it is."""\n# and\n# of lines\n'
    assert [text for _, text in _docstrings(ast.parse(source)) if _NO_SUBJECT.match(text)] == [
        "What of a cell was asked.",
        "How it is.",
    ]
    assert [n for n, text in _comments(source) if _NO_SUBJECT_IN_COMMENTS.match(text)] == [4]
    script = "/** What it is. */\nconst a = 1;\n// Marks,\n// of which some\n"
    assert [n for n, text in _script_comments(script) if _NO_SUBJECT_IN_COMMENTS.match(text)] == [1]
    assert [bool(_PLACE.search(name)) for name in ("place", "ref_place", "Places", "placed", "replace")] == [
        True,
        True,
        True,
        False,
        False,
    ]


@pytest.fixture(scope="module")
def sources_and_trees() -> Parsed:
    """The text and the tree of each file of the package."""
    sources = {name: (PACKAGE / name).read_text("utf-8") for name in FILES}
    return {name: (source, ast.parse(source)) for name, source in sources.items()}


@pytest.mark.slow
def test_docstrings_and_comments_name_their_subject(sources_and_trees: Parsed) -> None:
    wrong = []
    others = [p for folder in ("tests", "benchmarks", "tools") for p in sorted((ROOT / folder).rglob("*.py"))]
    sources = {p.relative_to(ROOT).as_posix(): p.read_text("utf-8") for p in others}
    for name, (source, tree) in (
        sources_and_trees | {name: (text, ast.parse(text)) for name, text in sources.items()}
    ).items():
        wrong += [f"{name}:{n}: {text}" for n, text in _docstrings(tree) if _NO_SUBJECT.match(text)]
        comments = _comments(source) if _MAY_HAVE_SUCH.search(source) else ()
        wrong += [f"{name}:{n}: # {text}" for n, text in comments if _NO_SUBJECT_IN_COMMENTS.match(text)]
    assert not wrong


def test_the_formatter_is_never_switched_off_and_lines_are_short(sources_and_trees: Parsed) -> None:
    """A regular expression may be longer: a break in it would be no easier to read."""
    wrong = []
    for name, (source, _) in sources_and_trees.items():
        text = _TABLE.sub("", source) if name in TABLES else source
        if "fmt:" in text or max(map(len, text.splitlines()), default=0) > LONGEST:
            wrong += [f"{name}: {line}" for line in text.splitlines() if _is_long(line) or _FORMATTER_OFF.search(line)]
    assert not wrong


def _is_long(line: str) -> bool:
    return len(line) > LONGEST and not re.search(r"\b(?:r|rf)\"", line)


def test_a_place_is_a_cells_coordinates(sources_and_trees: Parsed) -> None:
    """No index, path, pair, span, position or field is called a place: such a name stands only where a `Place` does."""
    wrong = []
    for name, (source, tree) in sources_and_trees.items():
        if name.startswith("parse/") or not re.search("[Pp]lace", source) or _OF_A_PLACE.search(source):
            continue  # the reader calls positions in a reply places
        for node in ast.walk(tree):
            called = getattr(node, CALLED[type(node)]) if type(node) in CALLED else ""
            if _PLACE.search(called):
                wrong.append(f"{name}:{node.lineno}: {called}")  # type: ignore[attr-defined]
    assert not wrong


def _types(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(name, definition) of the public classes and type aliases of a module; a class is its own definition ("")."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name, ""
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            is_type = isinstance(node.value, ast.Subscript | ast.BinOp)
            if is_type and re.match(r"[A-Z][a-z]", node.targets[0].id):
                yield node.targets[0].id, ast.unparse(node.value)


def test_a_type_name_has_one_meaning(sources_and_trees: Parsed) -> None:
    defined: dict[str, dict[str, str]] = defaultdict(dict)
    for name, (_, tree) in sources_and_trees.items():
        for type_name, definition in _types(tree):
            if not type_name.startswith("_"):
                defined[type_name][name] = definition or name
    several = {name: files for name, files in defined.items() if len({*files.values()}) > 1}
    assert {name: sorted(files) for name, files in several.items()} == {}


def test_comments_of_the_pages_scripts_name_their_subject() -> None:
    wrong = []
    for path in sorted(PAGES.rglob("*.ts")):
        if (PAGES / "types") not in path.parents:  # generated files are left out
            comments = _script_comments(path.read_text("utf-8"))
            wrong += [f"{path.name}:{n}: {text}" for n, text in comments if _NO_SUBJECT_IN_COMMENTS.match(text)]
    assert not wrong


# Rooms and commands that make CORECODE's own form of benchmark, and an argument's default.
NAMES_A_BENCHMARK = ("authoring/", "cli/build.py", "cli/data.py")
# Names of metrics and profiles, too.
NAMES_OF_METRICS = {"cider", "cicero"}


def test_no_benchmark_is_named_outside_benchmarks() -> None:
    packages = {p.parent.name for p in (PACKAGE / "benchmarks").glob("*/__init__.py")} - {"file"}
    assert {"corecode", "cedar"} <= packages
    named = []
    for name in [p.relative_to(PACKAGE).as_posix() for p in sorted(PACKAGE.rglob("*.py"))]:
        if name.startswith("benchmarks/") or name.startswith(NAMES_A_BENCHMARK):
            continue
        for node in ast.walk(ast.parse((PACKAGE / name).read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                parts = (node.module or "").split(".")
                named += [f"{name}:{node.lineno}"] * (
                    parts[:2] == ["evalsuite", "benchmarks"] and {*parts[2:3]} <= packages and len(parts) > 2
                )
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                head = node.value.partition("/")[0]
                named += [f"{name}:{node.lineno}"] * (head in packages - NAMES_OF_METRICS and " " not in node.value)
    assert named == []


# Values have types; a dictionary of anything stands where JSON, YAML or keywords come in or go out.
UNTYPED = re.compile(r"(?:dict|Mapping)\[str, (?:Any|object)\]")
BORDERS = 60  # the most lines that may name such a dictionary


def test_results_and_all_that_reads_them_are_values() -> None:
    files = [
        p for room in ("analyses", "exchange", "page", "results", "review") for p in (PACKAGE / room).rglob("*.py")
    ]
    untyped = [line for p in files for line in p.read_text("utf-8").splitlines() if UNTYPED.search(line)]
    assert 0 < len(untyped) < BORDERS


# --- what a Chinese reader sees


def _chinese_texts() -> Iterator[tuple[str, str]]:
    """(place, text) of messages, help, words of pages, and Chinese pages of the documentation without code."""
    for name in ("common/zh.json", "cli/help.zh.json"):
        for english, zh in json.loads((PACKAGE / name).read_text(encoding="utf-8")).items():
            rows = zh if isinstance(zh, dict) else {english: zh}
            yield from ((f"{name}: {row}", text) for row, text in rows.items())
    for path in PAGES.rglob("words.json"):
        for key, (zh, *_) in json.loads(path.read_text(encoding="utf-8")).items():
            yield f"{path.relative_to(PAGES)}: {key}", zh
    for path in (ROOT / "README.zh.md", *(ROOT / "docs").rglob("*.zh.md")):
        text = re.sub(r"```.*?```|`[^`]*`", "`", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        yield path.name, text


def test_one_chinese_word_for_one_thing() -> None:
    """The glossary of design/languages.md holds, and blanks stand between Chinese and Latin letters."""
    glossary = (
        (ROOT / "design/languages.md").read_text(encoding="utf-8").partition("| English |")[2].partition("\n\n")[0]
    )
    refused = [word for row in glossary.splitlines()[2:] for word in row.split("|")[3].strip().split("、") if word]
    assert len(refused) > 20
    han = "[\u4e00-\u9fff]"
    wrong = re.compile("|".join([*refused, f"{han}[A-Za-z0-9]", f"[A-Za-z0-9]{han}"]))
    assert [f"{place}: {found[0]}" for place, text in _chinese_texts() for found in wrong.finditer(text)] == []


def _foreign_names(tree: ast.Module) -> Iterator[str]:
    """Names of code in the English of a call's (Chinese, English) words that the Chinese does not have."""
    for node in ast.walk(tree):
        texts = [x.value for x in node.args[:2] if isinstance(x, ast.Constant)] if isinstance(node, ast.Call) else []
        if len(texts) == 2 and all(isinstance(text, str) for text in texts) and re.search("[\u4e00-\u9fff]", texts[0]):
            yield from {*re.findall(r"[a-z]+_\w+", texts[1])} - {*re.findall(r"[a-z]+_\w+", texts[0])}


def test_no_name_of_the_code_slips_into_words_for_people(sources_and_trees: Parsed) -> None:
    """A rename that also changes texts leaves names such as "option_shares" in the words of one language."""
    assert [*_foreign_names(ast.parse('_words("占比", "option_shares")'))] == ["option_shares"]
    assert [*_foreign_names(ast.parse('Text("见 max_new_tokens", "see max_new_tokens")'))] == []
    assert {name: found for name, (_, tree) in sources_and_trees.items() if (found := [*_foreign_names(tree)])} == {}
