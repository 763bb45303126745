"""Gather the sources of the documentation site in build/docs: python docs/site/assemble.py (`make site` runs it).

docs/ is copied. Its pages also link to files outside of docs/, for readers of a checkout: pages of design/ become pages of the
site, and for any other file or folder a page is made that shows it. A link whose text is the name of a page's file gets the page's
title as its text. Links to missing files are an error.
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
# The path of an inline link or picture, without its title.
LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)([^)\s#]+)(?=[)\s#])")
FENCE = re.compile(r"^( *)(`{3,}|~{3,})")
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
# Code, or a link whose text is the name of a file; `path` is its target.
CODE_OR_NAMED = re.compile(CODE.pattern + r"|\[[\w./-]+\.md\](?=\((?!https?:)(?P<path>[^)\s#]+\.md)[)#])")
# Suffix of a file -> the language of its colours.
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
    """The paths that a Markdown text links to, or shows, in its own words: no addresses, no positions in the same page."""
    for line, outside in prose(text):
        if outside:
            yield from LINK.findall(CODE.sub("", line))


class Config(yaml.SafeLoader):
    """A loader for mkdocs.yml: values with tags of mkdocs are None."""


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
    """A site's sources. `missing`: links that lead nowhere; `shown`: paths of the pages that show other files."""

    root: Path = ROOT
    out: Path = OUT
    missing: list[str] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)

    @cached_property
    def nav(self) -> dict[str, tuple[str, str]]:
        return nav_titles(self.root / "mkdocs.yml")

    def make(self) -> None:
        """Write all pages. Raises SystemExit with the links that lead nowhere."""
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

    def page(self, source: Path, site_path: str) -> None:
        """Write a page, with the links that it needs on the site."""

        def moved(match: re.Match[str]) -> str:
            return self.moved(match[1], source, site_path)

        def line(text: str) -> str:
            # In the code of a table, GitHub needs bars to be escaped; Python-Markdown would show the backslash.
            if text.lstrip().startswith("|"):
                text = CODE.sub(lambda match: match[0].replace("\\|", "|"), text)
            text = CODE_OR_NAMED.sub(lambda match: self.titled(match, source) if match["path"] else match[0], text)
            code = [match.span() for match in CODE.finditer(text)]
            return LINK.sub(
                lambda match: match[0] if any(a <= match.start() < b for a, b in code) else moved(match), text
            )

        text = (self.root / source).read_text(encoding="utf-8")
        self.write(site_path, "".join(line(part) if outside else part for part, outside in prose(text)))

    def titled(self, match: re.Match[str], source: Path) -> str:
        """The text of a link such as `[runs.md]`, replaced by the page's title in the navigation, or its heading up to a colon."""
        target = Path(os.path.normpath(source.parent / match["path"]))
        if not (self.root / target).exists():
            return match[0]
        english = target.with_name(target.name.replace(".zh.md", ".md"))
        chinese = source.name.endswith(".zh.md")
        site_path = english.relative_to("docs").as_posix() if english.parts[0] == "docs" else english.as_posix()
        if site_path in self.nav:
            return f"[{self.nav[site_path][chinese]}]"
        theirs = english.with_suffix(".zh.md")
        page = self.root / (theirs if chinese and (self.root / theirs).exists() else target)
        heading = re.search(
            r"^# +(.*?)(?:[:：;,] .*?)?(?: +\{#[\w-]+\})?$", page.read_text(encoding="utf-8"), re.MULTILINE
        )
        return f"[{heading[1]}]" if heading else match[0]

    def moved(self, link: str, source: Path, site_path: str) -> str:
        """A link in `source` as a link in the page at `site_path`."""
        target = Path(os.path.normpath(source.parent / link))
        if not (self.root / target).exists() or ".." in target.parts:
            self.missing.append(f"{source}: {link}")
            return link
        return PurePosixPath(os.path.relpath(self.site_path(target), Path(site_path).parent)).as_posix()

    def site_path(self, target: Path) -> str:
        """The path on the site of a file or folder of the checkout."""
        if target.parts[0] == "docs" and "examples" not in target.parts and target.suffix != ".py":
            return target.relative_to("docs").as_posix()
        if target.parts[0] == "design" and target.suffix == ".md":
            return target.as_posix()
        name = target.as_posix() if target.suffix == ".md" else target.as_posix().replace(".", "_") + ".md"
        site_path = f"source/{name}"
        if site_path not in self.shown:
            self.shown.add(site_path)
            if target.suffix == ".md":
                self.page(target, site_path)
            else:
                self.write(site_path, self.source(target))
        return site_path

    def source(self, target: Path) -> str:
        """A page that shows a file, or the files of a folder."""
        path = self.root / target
        folder = path.is_dir()
        files = sorted(p for p in path.rglob("*") if p.is_file() and "__pycache__" not in p.parts) if folder else [path]
        lines = ["---", "search: {exclude: true}", "hide: [navigation, toc]", "---", "", f"# {target.as_posix()}", ""]
        for file in files:
            code = file.read_text(encoding="utf-8").rstrip()
            fence = "`" * max([3, *(len(ticks) + 1 for ticks in re.findall("`+", code))])
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

    def write(self, site_path: str, text: str) -> None:
        path = self.out / site_path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    Site(out=Path(sys.argv[1]) if sys.argv[1:] else OUT).make()
