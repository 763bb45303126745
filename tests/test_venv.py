"""tools/venv.py and tools/install.py, by which `make run` and `make test` get their environments."""

from __future__ import annotations

import os
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAKE = ROOT / "tools" / "venv.py"
INSTALL = ROOT / "tools" / "install.py"
sys.path.append(str(MAKE.parent))
from install import share_compiled, variables  # noqa: E402 - a script


def make(*words: object, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    return subprocess.run([python, str(MAKE), *map(str, words)], capture_output=True, text=True)


@pytest.mark.thorough
def test_one_that_was_begun_and_not_finished_is_remade(tmp_path: Path) -> None:
    folder = tmp_path / "an environment" / "环境"
    for left in ("killed before pip came", "killed before all"):
        shutil.rmtree(folder, ignore_errors=True)
        if left == "killed before all":
            (folder / "bin").mkdir(parents=True)
            (folder / "bin" / "python").symlink_to(sys.executable)
        else:
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
        assert make(folder, "--is-this").returncode == 1
    assert make(folder).returncode == 0
    assert subprocess.run([folder / "bin" / "pip", "--version"], capture_output=True).returncode == 0
    # A whole one is left alone, with what was installed into it.
    (folder / "mark").touch()
    assert make(folder).returncode == make(folder, "--this").returncode == make(folder, "--is-this").returncode == 0
    assert (folder / "mark").exists()


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.10"])
def test_an_old_python_is_told_in_one_line(version: str, tmp_path: Path) -> None:
    found = shutil.which(f"python{version}")
    if found is None:
        pytest.skip(f"needs python{version} on the PATH")
    if subprocess.run([found, "-c", ""], capture_output=True).returncode:
        pytest.skip(f"python{version} does not run here")
    done = make(tmp_path / "venv", python=found)
    assert done.returncode == 1 and done.stdout == "" and not (tmp_path / "venv").exists()
    (line,) = done.stderr.splitlines()
    assert line.startswith("evalsuite needs Python 3.11 or later, and ") and "make run PYTHON=" in line
    assert make(sys.prefix, python=found).returncode == 0  # a newer Python made this environment


def test_the_oldest_python_is_that_of_the_package() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = project["requires-python"].removeprefix(">=")
    assert f"OLDEST = ({oldest.replace('.', ', ')})" in MAKE.read_text(encoding="utf-8")


def test_uv_takes_the_settings_of_pip() -> None:
    listed = (
        ":env:.find-links='/opt/wheels /mnt/more'\n:env:.default-timeout='180'\n"
        "global.find-links='/elsewhere'\nglobal.index-url='https://pypi.tuna.tsinghua.edu.cn/simple'\n"
        "install.index-url='https://mirror.example/simple'\nglobal.extra-index-url='https://a/simple\\nhttps://b/simple'\n"
    )
    assert variables(listed) == {
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_FIND_LINKS": "/opt/wheels,/mnt/more",
        "UV_DEFAULT_INDEX": "https://mirror.example/simple",
        "UV_INDEX": "https://a/simple https://b/simple",
    }


@pytest.mark.slow
def test_pip_installs_where_uv_cannot() -> None:
    """pip takes over where uv cannot install, and says in its own words what is wrong."""
    words = [sys.executable, str(INSTALL), "--no-index", "no-such-package"]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "UV": "false"})
    assert done.returncode == 1 and done.stderr.startswith("uv cannot, so pip tries:")
    assert "No matching distribution found for no-such-package" in done.stderr


def test_compiled_modules_are_shared_where_the_sources_are_the_same_file(tmp_path: Path) -> None:
    """Sources are links, as uv installs them. One of another version is compiled anew, and the first environment's file stays."""
    own, other = tmp_path / "own", tmp_path / "other"
    for folder in (own / "package", other / "package"):
        folder.mkdir(parents=True)
    for name in ("same", "different"):
        (own / "package" / f"{name}.py").write_text("value = 1\n")
        py_compile.compile(str(own / "package" / f"{name}.py"))
    os.link(own / "package" / "same.py", other / "package" / "same.py")
    (other / "package" / "different.py").write_text("value = 22\n")
    share_compiled(own, other)
    (shared,) = (other / "package" / "__pycache__").iterdir()
    made = own / "package" / "__pycache__" / shared.name
    assert shared.name.startswith("same.") and shared.samefile(made)
    before = made.read_bytes()
    (other / "package" / "same.py").unlink()
    (other / "package" / "same.py").write_text("value = 333\n")
    code = "from package import different, same; print(same.value, different.value)"
    done = subprocess.run([sys.executable, "-c", code], cwd=other, capture_output=True, text=True)
    assert done.stdout == "333 22\n" and made.read_bytes() == before and not shared.samefile(made)
