"""Install packages into an environment with uv, which takes half of pip's time and shares files between environments.

    .venv/bin/python tools/install.py -c constraints.txt -e '.[hf]'           # into .venv
    .venv/bin/python tools/install.py --python .venv-vllm/bin/python pytest   # into another one

The arguments are those of `pip install`, and pip's settings (mirrors, folders of wheels) hold. uv is the program that the variable
UV names, or else the one beside this Python. Without uv, or if uv fails, pip installs. Another environment also gets this one's
compiled modules of the files that both have: compiling torch and transformers takes ten seconds of the processor.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
# Option of pip -> uv's variable, and the separator of several values in it.
VARIABLES = {
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "no-index": ("UV_NO_INDEX", " "),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "cert": ("SSL_CERT_FILE", " "),
    "proxy": ("ALL_PROXY", " "),
}


def variables(listed: str) -> dict[str, str]:
    """uv's variables for the settings in the output of `pip config list`. The environment's override those of `pip install`, and
    these the global ones."""
    # By this strategy uv takes the best version of a package from all indexes, like pip.
    variables_of_uv = {"UV_INDEX_STRATEGY": "unsafe-best-match"}
    rows = [line.partition("=") for line in listed.splitlines()]
    for section in ("global", "install", ":env:"):
        for key, _, value in rows:
            of, _, option = key.rpartition(".")
            if of == section and option in VARIABLES:
                name, separator = VARIABLES[option]
                variables_of_uv[name] = separator.join(str(ast.literal_eval(value)).split())
    return variables_of_uv


def uv() -> str | None:
    """The path of uv; None if there is none."""
    beside = Path(sys.executable).with_name("uv")
    return os.environ.get("UV") or (str(beside) if beside.exists() else None)


def share_compiled(here: Path, target: Path) -> None:
    """Link the compiled modules of one site-packages into another, for sources that are links to the same file.

    Sharing them is safe: Python compares a source's time and size with those in the compiled file, and replaces that file instead
    of writing into it."""
    for compiled in here.rglob("__pycache__/*.pyc"):
        source = compiled.parent.with_name(compiled.name.partition(".")[0] + ".py")
        theirs, there = (target / path.relative_to(here) for path in (source, compiled))
        with suppress(OSError):
            if os.path.samefile(source, theirs) and not there.exists():
                there.parent.mkdir(exist_ok=True)
                os.link(compiled, there)


def site_packages(python: str) -> Path:
    """The folder of an environment's packages."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(subprocess.check_output([python, "-c", code], text=True).strip())


def main(words: list[str]) -> int:
    """Install; returns the exit code."""
    python = sys.executable
    if words[:1] == ["--python"]:
        python, *words = words[1:]
    code = install(python, words)
    if code == 0 and python != sys.executable:
        share_compiled(site_packages(sys.executable), site_packages(python))
    return code


def install(python: str, words: list[str]) -> int:
    """Install into an environment with uv, else with pip; returns the exit code."""
    target = ["--python", python]
    if program := uv():
        listed = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True).stdout
        command = [program, "pip", "install", "--quiet", *target, *words]
        done = subprocess.run(command, env=variables(listed) | os.environ, capture_output=True, text=True)
        if done.returncode == 0:
            return 0
        print(f"uv cannot, so pip tries:\n{done.stderr}", file=sys.stderr)
    return subprocess.call([*PIP, *target, "-q", "install", "--no-compile", *words])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
