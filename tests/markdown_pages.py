"""Markdown pages: their headings, blocks of code, commands and links; and a runner of their commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cpu import cpu_seconds

_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<lang>[\w+-]*)(?P<rest>[^`]*)$")
_HEADING = re.compile(r"^(#{1,6}) +(.*?)(?: +\{#([\w-]+)\})? *$")
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_LINK = re.compile(r"\]\((?P<target>[^)\s]+)(?: +\"[^\"]*\")?\)")
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True)
class Block:
    """A fenced block of code."""

    lang: str
    title: str  # the file that the block writes, or continues if its text begins with a blank; "" for none
    text: str
    line: int

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands of a console, each on one line."""
        if self.lang != "console":
            return ()
        joined = re.sub(r" *\\\n *(?:> )?", " ", self.text)
        return tuple(line[2:].strip() for line in joined.splitlines() if line.startswith("$ "))


@dataclass(frozen=True)
class Page:
    path: Path
    headings: tuple[tuple[int, str, str], ...]  # level, text, explicit id
    blocks: tuple[Block, ...]
    prose: str  # without code

    @property
    def links(self) -> tuple[str, ...]:
        return tuple(found["target"] for found in _LINK.finditer(self.prose))

    @property
    def anchors(self) -> set[str]:
        """The targets of links: explicit ids, or those that GitHub makes."""
        return {told or slug(text) for _, text, told in self.headings}


def read(path: Path) -> Page:
    headings: list[tuple[int, str, str]] = []
    blocks: list[Block] = []
    prose: list[str] = []
    inside: re.Match[str] | None = None
    held: list[str] = []
    begun = 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if inside:
            if line.strip() == inside["ticks"]:
                title = re.search(r'title="([^"]+)"', inside["rest"])
                indent = len(inside["indent"])
                text = "".join(f"{each[indent:]}\n" for each in held)
                blocks.append(Block(inside["lang"], title[1] if title else "", text, begun))
                inside = None
            else:
                held.append(line)
        elif found := _FENCE.match(line):
            inside, held, begun = found, [], number
        else:
            if heading := _HEADING.match(line):
                headings.append((len(heading[1]), heading[2], heading[3] or ""))
            prose.append(_CODE.sub("", line))
    assert inside is None, f"{path}:{begun}: a block without an end"
    return Page(path, tuple(headings), tuple(blocks), "\n".join(prose))


def slug(heading: str) -> str:
    """The id that GitHub gives to a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


def without_comment(line: str) -> str:
    return re.sub(r"(?:^|\s+)#\s.*$", "", line).rstrip()


def difference(one: Block, other: Block) -> str:
    """A difference between a Chinese block and the English one; "" if only comments and lines with Chinese words differ."""
    if (one.lang, one.title) != (other.lang, other.title):
        return f"{one.lang} {one.title!r} is {other.lang} {other.title!r}"
    if one.lang == "console":
        pairs: Sequence[tuple[str, str]] = list(zip(one.commands, other.commands, strict=False))
        if len(one.commands) != len(other.commands):
            return f"{len(one.commands)} commands are {len(other.commands)}"
    elif one.title or one.lang in ("python", "yaml"):
        texts = [[kept for line in each.text.splitlines() if (kept := without_comment(line))] for each in (one, other)]
        if len(texts[0]) != len(texts[1]):
            return f"{len(texts[0])} lines are {len(texts[1])}"
        pairs = list(zip(*texts, strict=True))
    else:
        return ""
    for here, there in pairs:
        if without_comment(here) != without_comment(there) and not _HAN.search(there):
            return f"{here!r} is {there!r}"
    return ""


# ---------------------------------------------------------------- running


@dataclass(frozen=True)
class Instead:
    """A replacement, on a test machine, of a text that a page names."""

    pattern: str
    text: str
    why: str

    def __call__(self, shown: str, places: Mapping[str, str]) -> str:
        return re.sub(self.pattern, self.text.format(**places), shown)


@dataclass(frozen=True)
class NotRun:
    pattern: str
    why: str


@dataclass
class Runner:
    """Runs a page from its top to its bottom in a folder."""

    folder: Path
    instead: Sequence[Instead]
    not_run: Sequence[NotRun]
    places: Mapping[str, str]
    evalsuite: Callable[..., tuple[int, str]]  # folder, words, environment
    shell: Callable[[Path, str, Mapping[str, str]], tuple[int, str]]
    python: Callable[[Path, str, Mapping[str, str]], tuple[int, str]]
    parse: Callable[[str], None]
    codes: Mapping[str, Sequence[int]]  # beginning of a command -> exit codes that are no fault, beside 0

    def run(self, page: Page) -> list[str]:
        """Run every block; the failures."""
        return [f"{page.path.name}:{block.line}: {wrong}" for block in page.blocks for wrong in self._block(block)]

    def __post_init__(self) -> None:
        self.environment: dict[str, str] = {}
        self.said = ""  # the Python code of the blocks so far

    def _block(self, block: Block) -> Iterator[str]:
        if block.title:
            path = self.folder / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            before = path.read_text(encoding="utf-8") if block.text.startswith(" ") else ""
            path.write_text(before + self._with_replacements(block.text), encoding="utf-8")
        elif block.lang == "python":
            code, said = self.python(self.folder, self._with_replacements(block.text), self.environment)
            if code:
                yield f"python: {said[-1500:]}"
        for command in block.commands:
            yield from self._command(command)

    def _command(self, shown: str) -> Iterator[str]:
        if any(re.search(rule.pattern, shown) for rule in self.not_run):
            if "evalsuite " in shown:
                try:
                    self.parse(shown)
                except Exception as error:
                    yield f"$ {shown}: {error}"
            return
        command = self._with_replacements(without_comment(shown))
        if export := re.match(r"export (\w+)=(\S+)$", command):
            self.environment[export[1]] = export[2]
            return
        start = cpu_seconds()
        code, said = self._execute(command)
        print(f"{cpu_seconds() - start:5.1f} s  $ {command}")  # pytest -s, to see where the time goes
        allowed = {0, *(code for begin, codes in self.codes.items() if command.startswith(begin) for code in codes)}
        if code not in allowed:
            yield f"$ {shown}\nas {command}: exit code {code}\n{said[-1500:]}"

    def _execute(self, command: str) -> tuple[int, str]:
        plain = command.startswith("evalsuite ") and not re.search(r"[|<>;&*]", command)
        if plain:
            return self.evalsuite(self.folder, *shlex.split(command)[1:], **self.environment)
        return self.shell(self.folder, command, self.environment)

    def _with_replacements(self, shown: str) -> str:
        for each in self.instead:
            shown = each(shown, self.places)
        return shown
