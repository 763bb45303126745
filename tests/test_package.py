"""The release: the wheel with its files, light imports, the README's example."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest
from test_release import dist  # noqa: F401 - a fixture

ROOT = Path(__file__).parents[1]
HEAVY = ("torch", "transformers", "vllm", "jieba", "numpy", "scipy", "ray", "peft", "openai")
# Take a third of the time of `evalsuite --help`, with all else that it loads.
FOR_HELP_OF_A_COMMAND = ("typer.rich_utils", "markdown_it", "pygments")


def python(code: str, cwd: Path, **more: str) -> str:
    env = {**os.environ, "HF_HUB_OFFLINE": "1", **more}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=cwd, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


# Command -> the heavy package that it needs.
COMMANDS = {
    "--help": None,
    "run --help": None,
    "parse --help": None,
    "models": None,
    "tasks": "jieba",  # cuts CEDAR's Chinese corruptions into words
    "data check bundled:sample": "jieba",
    "show nowhere": None,
    "cite": None,
}
# Each command in a process that is forked from one which has loaded the command line.
LOADED = """
import os, sys
def told(name):
    print("LOADED", name, *(m for m in {packages} if m in sys.modules), sep="|", flush=True)
import evalsuite
told("import evalsuite")
from evalsuite.cli.app import main
for words in {commands}:
    if child := os.fork():
        os.waitpid(child, 0)
        continue
    sys.argv = ["evalsuite", *words.split()]
    try:
        main()
    except SystemExit:
        pass
    told(words)
    os._exit(0)
"""


@pytest.mark.thorough
def test_nothing_heavy_is_loaded(tmp_path: Path) -> None:
    out = python(LOADED.format(packages=HEAVY + FOR_HELP_OF_A_COMMAND, commands=[*COMMANDS]), tmp_path)
    loaded = {line.split("|")[1]: {*line.split("|")[2:]} for line in out.splitlines() if line.startswith("LOADED|")}
    assert {*loaded} == {"import evalsuite", *COMMANDS}
    for name, found in loaded.items():
        rendering = set() if name in ("import evalsuite", "--help") else {*FOR_HELP_OF_A_COMMAND}
        assert found <= {COMMANDS.get(name), *rendering}, name


@pytest.mark.thorough
def test_a_wheel_runs_from_elsewhere(dist: Path, tmp_path: Path) -> None:  # noqa: F811
    """Built, installed into an empty folder, run from another: prompts, sample, model and page come along. Its files, one by one:
    test_release.py."""
    (wheel,) = dist.glob("*.whl")
    site = tmp_path / "site"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--no-compile",
        "--target",
        str(site),
        str(wheel),
    ]
    subprocess.run(pip, check=True, capture_output=True)
    code = (
        "import evalsuite; print(evalsuite.__file__)\n"
        "done = evalsuite.run(model=['lexical', 'random'], tasks=['event_cause'], limit=2, out='run')\n"
        "print(done.exit_code, len(done.cells))\n"
        "from evalsuite.backends.models import load_models\n"
        "from evalsuite.common.resources import bundled\n"
        "print(load_models(bundled('models.yaml'), ['tiny-zh'])[0].path)"
    )
    (tmp_path / "cwd").mkdir()
    out = python(code, tmp_path / "cwd", PYTHONPATH=str(site)).splitlines()
    assert out[0].startswith(str(site)) and out[1] == "0 4"
    assert (tmp_path / "cwd" / "run" / "page" / "index.html").is_file()
    model = Path(out[2])
    assert model.is_relative_to(site) and (model / "model.safetensors").is_file() and (model / "config.json").is_file()


@pytest.mark.slow
def test_the_readmes_python_example(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", readme, re.S)
    lines = python(f"{code}print(done)\nprint(done.cells[0])", tmp_path).splitlines()
    assert len(lines) == 4 + 2 and max(map(len, lines)) <= 120, "\n".join(lines)


@pytest.mark.slow
def test_public_names_are_functions_whatever_is_imported(tmp_path: Path) -> None:
    """No module is called like a public function: importing it would put it in the function's place."""
    code = (
        "import evalsuite, importlib, pkgutil\n"
        "first = {name: getattr(evalsuite, name) for name in evalsuite.__all__}\n"
        "assert not {m.name for m in pkgutil.iter_modules(evalsuite.__path__)} & {*first}\n"
        "for name, value in first.items():\n"
        "    importlib.import_module(value.__module__)\n"
        "    assert callable(value) and getattr(evalsuite, name) is value and name in dir(evalsuite)\n"
        "try: evalsuite.nothing\n"
        "except AttributeError as error: print(error)"
    )
    assert python(code, tmp_path) == "module 'evalsuite' has no attribute 'nothing'\n"


def pinned_versions() -> dict[str, str]:
    """The pins of constraints.txt: name -> version."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return {name.lower().replace("_", "-"): version for name, version in (x.split("==") for x in lines if x[0] != "#")}


def test_every_pin_admits_the_oldest_python_that_is_promised() -> None:
    """The metadata of installed packages say so; a package that is not installed, or in another version, is not checked."""
    from packaging.specifiers import SpecifierSet

    looked_at = 0
    for name, pin in pinned_versions().items():
        try:
            package = metadata(name)
        except PackageNotFoundError:
            continue
        if package["Version"] == pin:
            looked_at += 1
            wanted = SpecifierSet(package["Requires-Python"] or "")
            assert wanted.contains("3.11.0"), f"{name}=={pin} wants Python {wanted}"
    assert looked_at > 50


def test_constraints_fit_what_users_may_install() -> None:
    """Every dependency has a pinned version, and each is within the range of pyproject.toml."""
    from packaging.requirements import Requirement

    pins = pinned_versions()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    # In venvs of their own, or not installed for the tests; torch is pinned in the Makefile.
    others = {"torch", "vllm", "modelscope", "pyarrow", "evalsuite"}
    listed = [*project["dependencies"], *(x for name in extras for x in extras[name])]
    for needed in map(Requirement, listed):
        if needed.name not in others:
            assert pins[needed.name.lower()] in needed.specifier, needed


def test_npm_trusts_the_machines_authorities_and_its_reason_is_told(tmp_path: Path) -> None:
    """npm's node is told to trust the authorities that pip trusts, as it must be behind a proxy with an authority of its own."""
    if shutil.which("make") is None:
        pytest.skip("needs make")
    npm = tmp_path / ".venv" / "bin" / "npm"
    npm.parent.mkdir(parents=True)
    npm.write_text('#!/bin/sh\necho "npm error code CERT_$NODE_USE_SYSTEM_CA" >&2\nexit 1\n')
    npm.chmod(0o755)
    (tmp_path / ".venv" / "test").touch()
    (tmp_path / "leaderboard").mkdir()
    (tmp_path / "leaderboard" / "package.json").touch()
    make = ["make", "-f", ROOT / "Makefile", "-o", ".venv/test", ".venv/node"]
    stdout = subprocess.run(make, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "npm's registry cannot be reached (CERT_1)" in stdout
    assert (tmp_path / ".venv" / "node").read_text().startswith("skipped: ")
