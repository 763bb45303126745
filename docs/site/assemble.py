"""Gather what the documentation site is made of in build/docs: python docs/site/assemble.py (`make site` runs it).

docs/ is copied. Its pages also link to files beside docs/, so that they can be read in a checkout: those of design/ become pages
of the site, any other file or folder a page that shows it. A link whose text is the name of a page's file, as a reader of a
checkout wants it, gets the page's title. Links to what is not there are an error.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
OUT = ROOT / "build/docs"
# The path of an inline link or picture, without a title; code is left out by `prose`.
LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)([^)\s#]+)(?=[)\s#])")
FENCE = re.compile(r"^( *)(`{3,}|~{3,})")
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
# Code, or, as `path`, where a link leads whose text is the name of a file.
CODE_OR_NAMED = re.compile(CODE.pattern + r"|\[[\w./-]+\.md\](?=\((?!https?:)(?P<path>[^)\s#]+\.md)[)#])")
# Ends of files -> the language they are coloured as.
COLOURED = {
    ".py": "python",
    ".yaml": "yaml",
    ".toml": "toml",
    ".json": "json",
    ".j2": "jinja",
    ".ipynb": "json",
    ".csv": "text",
}


def prose(text: str) -> Iterator[tuple[str, bool]]:
    """The lines of a Markdown text, and whether each is outside fenced code."""
    fence = ""
    for line in text.splitlines(keepends=True):
        fence_mark = FENCE.match(line)
        if not fence and fence_mark:
            fence = fence_mark[2]
            yield line, False
        elif fence:
            if fence_mark and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            yield line, False
        else:
            yield line, True


def links(text: str) -> Iterator[str]:
    """The paths that a Markdown text links to, or shows, in its own words: no addresses, no places in the same page."""
    for line, outside in prose(text):
        if outside:
            yield from LINK.findall(CODE.sub("", line))


class Config(yaml.SafeLoader):
    """mkdocs.yml, without the values that its own tags make."""


Config.add_multi_constructor("", lambda *_: None)


def nav_titles(config: Path) -> dict[str, tuple[str, str]]:
    """The title of each page that has one in the navigation, in English and Chinese."""
    if not config.exists():
        return {}
    settings = yaml.load(config.read_text(encoding="utf-8"), Config)
    plugins = {name: more for each in settings["plugins"] if isinstance(each, dict) for name, more in each.items()}
    chinese = next(x for x in plugins["i18n"]["languages"] if x["locale"] == "zh")["nav_translations"]

    def titles(nav: list[Any]) -> Iterator[tuple[str, tuple[str, str]]]:
        for entry in nav:
            for title, inner in entry.items() if isinstance(entry, dict) else ():
                if isinstance(inner, str):
                    yield inner, (title, chinese[title])
                else:
                    yield from titles(inner)

    return dict(titles(settings["nav"]))


@dataclass
class Site:
    """The pages so far, by their path in the site."""

    root: Path = ROOT
    out: Path = OUT
    missing: list[str] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)

    @cached_property
    def nav(self) -> dict[str, tuple[str, str]]:
        return nav_titles(self.root / "mkdocs.yml")

    def make(self) -> None:
        """Write everything anew. Raises SystemExit with the links that lead nowhere."""
        shutil.rmtree(self.out, ignore_errors=True)
        shutil.copytree(
            self.root / "docs", self.out, ignore=shutil.ignore_patterns("*.py", "__pycache__", "examples", "site")
        )
        for path in sorted((self.root / "design").glob("*.md")):
            self.page(path.relative_to(self.root), f"design/{path.name}")
        for path in sorted((self.root / "docs").rglob("*.md")):
            self.page(path.relative_to(self.root), path.relative_to(self.root / "docs").as_posix())
        if self.missing:
            raise SystemExit("links to what is not there:\n" + "\n".join(self.missing))

    def page(self, source: Path, place: str) -> None:
        """Write a page, with links that hold on the site."""

        def moved(match: re.Match[str]) -> str:
            return self.moved(match[1], source, place)

        def line(text: str) -> str:
            # GitHub wants bars in the code of a table escaped, Python-Markdown shows the escape.
            if text.lstrip().startswith("|"):
                text = CODE.sub(lambda match: match[0].replace("\\|", "|"), text)
            text = CODE_OR_NAMED.sub(lambda match: self.titled(match, source) if match["path"] else match[0], text)
            code = [match.span() for match in CODE.finditer(text)]
            return LINK.sub(
                lambda match: match[0] if any(a <= match.start() < b for a, b in code) else moved(match), text
            )

        text = (self.root / source).read_text(encoding="utf-8")
        self.write(place, "".join(line(part) if outside else part for part, outside in prose(text)))

    def titled(self, match: re.Match[str], source: Path) -> str:
        """The text of a link, `[runs.md]`, as the title of the page: of the navigation, or its heading before a colon."""
        target = Path(os.path.normpath(source.parent / match["path"]))
        if not (self.root / target).exists():
            return match[0]
        english = target.with_name(target.name.replace(".zh.md", ".md"))
        chinese = source.name.endswith(".zh.md")
        place = english.relative_to("docs").as_posix() if english.parts[0] == "docs" else english.as_posix()
        if place in self.nav:
            return f"[{self.nav[place][chinese]}]"
        theirs = english.with_suffix(".zh.md")
        page = self.root / (theirs if chinese and (self.root / theirs).exists() else target)
        heading = re.search(
            r"^# +(.*?)(?:[:：;,] .*?)?(?: +\{#[\w-]+\})?$", page.read_text(encoding="utf-8"), re.MULTILINE
        )
        return f"[{heading[1]}]" if heading else match[0]

    def moved(self, link: str, source: Path, place: str) -> str:
        """A link of a file as a link of the page at this place."""
        target = Path(os.path.normpath(source.parent / link))
        if not (self.root / target).exists() or ".." in target.parts:
            self.missing.append(f"{source}: {link}")
            return link
        return PurePosixPath(os.path.relpath(self.place(target), Path(place).parent)).as_posix()

    def place(self, target: Path) -> str:
        """The place of a file or folder of the checkout on the site."""
        if target.parts[0] == "docs" and "examples" not in target.parts and target.suffix != ".py":
            return target.relative_to("docs").as_posix()
        if target.parts[0] == "design" and target.suffix == ".md":
            return target.as_posix()
        name = target.as_posix() if target.suffix == ".md" else target.as_posix().replace(".", "_") + ".md"
        place = f"source/{name}"
        if place not in self.shown:
            self.shown.add(place)
            if target.suffix == ".md":
                self.page(target, place)
            else:
                self.write(place, self.source(target))
        return place

    def source(self, target: Path) -> str:
        """A page that shows a file, or the files of a folder."""
        path = self.root / target
        folder = path.is_dir()
        files = sorted(p for p in path.rglob("*") if p.is_file() and "__pycache__" not in p.parts) if folder else [path]
        lines = ["---", "search: {exclude: true}", "hide: [navigation, toc]", "---", "", f"# {target.as_posix()}", ""]
        for file in files:
            code = file.read_text(encoding="utf-8").rstrip()
            fence = "`" * max(3, *(len(ticks) + 1 for ticks in re.findall("`+", code)), 3)
            block = [f"{fence}{COLOURED.get(file.suffix, 'text')}", *code.split("\n"), fence, ""]
            if folder:
                lines += [
                    f'??? note "{file.relative_to(path).as_posix()}"',
                    "",
                    *(f"    {part}".rstrip() for part in block),
                ]
            else:
                lines += block
        return "\n".join(lines)

    def write(self, place: str, text: str) -> None:
        path = self.out / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    Site(out=Path(sys.argv[1]) if sys.argv[1:] else OUT).make()
