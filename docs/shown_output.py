"""Write the present output of commands on the bundled sample into the pages that show them:

    python docs/shown_output.py                         # docs/start.md and its Chinese page
    python docs/shown_output.py runs/default            # the READMEs: a table of the run that `make run` left
    python docs/shown_output.py runs/default --check    # only compare; exit code 1 if they differ

In docs/start.md `qwen-0.5b` is the bundled model with recorded replies, and `my-api` is the embedded model. tests/test_docs.py
compares that page and its Chinese one with the output.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

DOCS = Path(__file__).parent
PAGES = {"en": DOCS / "start.md", "zh": DOCS / "start.zh.md"}
READMES = {"en": DOCS.parent / "README.md", "zh": DOCS.parent / "README.zh.md"}
MODELS = """models:
  - {name: qwen-0.5b, backend: scripted, path: "bundled:models/qwen2.5-coder-0.5b-recorded", chat: true}
  - {name: my-api, backend: hf, path: "bundled:models/tiny-zh", chat: true, dtype: float32, device: cpu}
"""
# Command -> the width of its terminal, and the beginnings of the first and the last line of each part that is shown.
PARTS: dict[str, tuple[int, list[tuple[str, str]]]] = {
    "preview": (160, [("Left to ask|尚未提问", " *(?:all models|全部模型)"), ("At the very most|最多", "")]),
    "run": (300, [("HARD|困难", "(?:page|页面)[:：]"), ("qwen-0.5b is best|CORECODE 困难|.*最好", "$")]),
    "show": (80, [("A ▏ 我要搬家了", " *B ▎"), ("question|问题", ".*✓"), ("qwen-0.5b ·", "╰")]),
    "compare": (
        140,
        [("A ?[(（]qwen-0.5b", " *(?:HARD SI|困难 槽位识别)"), ("p Holm", ""), ("HARD DI|困难 领域识别", "")],
    ),
}
_SHOWN = re.compile(
    r"(?<=```console\n\$ )evalsuite (?P<name>\w+) (?P<words>[^\n]*)\n```\n\n```text\n(?P<output>.*?)(?=```)", re.S
)
Command = Callable[..., str]  # words, and environment variables as keywords -> the command's output


def shown_commands(text: str) -> Iterator[re.Match[str]]:
    """The commands of PARTS with their output, in a page's text."""
    return (match for match in _SHOWN.finditer(text) if match["name"] in PARTS)


def parts(name: str, printed: str) -> str:
    """The parts of a command's output that a page shows, with `…` for lines left out. Raises AssertionError if one is missing."""
    lines = [line.rstrip() for line in printed.splitlines()]
    shown: list[str] = []
    at = 0
    for first, last in PARTS[name][1]:
        start = next((n for n in range(at, len(lines)) if re.match(first, lines[n])), None)
        assert start is not None, f"{name} prints no line with {first!r}:\n{printed}"
        end = next((n for n in range(start, len(lines)) if re.match(last, lines[n])), start)
        end = len(lines) - 1 if last == "$" else end
        # Before the first part, `run` always prints progress; lines that other commands but `show` print there are not marked.
        is_gap = start > at if shown or name == "show" else name == "run"
        shown += ["…"] * is_gap + lines[start : end + 1]
        at = end + 1
    return "\n".join([*shown, *(["…"] if at < len(lines) else []), ""])


def with_output(text: str, command: Command, folder: Path, language: str) -> str:
    """A page's text with the present output of its commands, which run in `folder`."""
    (models,) = re.findall(r'```yaml title="models.yaml"\n(.*?)```', text, re.S)
    (folder / "models.yaml").write_text(models, encoding="utf-8")
    (folder / "asked.yaml").write_text(MODELS, encoding="utf-8")
    for match in shown_commands(text):
        words = shlex.split(match["words"])
        if match["name"] == "run":
            words = ["asked.yaml" if word == "models.yaml" else word for word in words]
        width = PARTS[match["name"]][0]
        printed = command(match["name"], *words, EVALSUITE_LANG=language, COLUMNS=str(width))
        text = text.replace(match["output"], parts(match["name"], printed))
    return text


_TABLE = re.compile(r"(?<=```text\n…\n)(?:HARD|困难).*?(?=…\n```)", re.S)


def with_table(text: str, printed: str) -> str:
    """A README's text with the table of HARD from `printed`, the output of `evalsuite show`."""
    lines = [line.rstrip() for line in printed.splitlines()]
    start = next(n for n, line in enumerate(lines) if line.startswith(("HARD", "困难")))
    end = next(n for n, line in enumerate(lines) if n > start and re.match(r" *95 ?%", line))
    new_text, count = _TABLE.subn(lambda _: "\n".join([*lines[start : end + 1], ""]), text)
    assert count == 1, f"{count} places for the table"
    return new_text


def evalsuite(folder: Path, *words: str, **variables: str) -> str:
    """The output of a command in a folder. It runs on the bundled sample: the EVALSUITE_ variables of this machine are not in its
    environment."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("EVALSUITE_")}
    done = subprocess.run(
        [Path(sys.executable).with_name("evalsuite"), *words],
        cwd=folder,
        env=inherited | {"HF_HUB_OFFLINE": "1"} | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def main() -> int:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="?", type=Path, help="the folder that `make run` left")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    given = parser.parse_args()
    other = []
    with tempfile.TemporaryDirectory() as folder:
        for language, page in (READMES if given.run else PAGES).items():
            text = page.read_text(encoding="utf-8")
            if given.run:
                # Chinese headings are wider than English ones.
                columns = {"en": "80", "zh": "160"}[language]
                printed = evalsuite(Path.cwd(), "show", str(given.run), EVALSUITE_LANG=language, COLUMNS=columns)
                new = with_table(text, printed)
            else:
                new = with_output(text, partial(evalsuite, Path(folder)), Path(folder), language)
            if new != text:
                other.append(page.name)
                if not given.check:
                    page.write_text(new, encoding="utf-8")
    if given.check and other:
        print(
            f"{', '.join(other)}: other output than today's; python {sys.argv[0]} {given.run or ''} writes it",
            file=sys.stderr,
        )
    return int(given.check and bool(other))


if __name__ == "__main__":
    sys.exit(main())
