"""Commands of evalsuite and programs on pseudo-terminals: one process imports the modules, and a fork of it runs each command.

Reads requests from its input: a line of JSON, [terminal, folder, arguments, program]; without a program it runs the command
of evalsuite. Answers "open" once the terminal is open."""

from __future__ import annotations

import json
import os
import pkgutil
import sys
from importlib import import_module

SET = {"TERM": "xterm-256color", "COLUMNS": "100", "PYTHONUTF8": "1"}


def run(terminal: str, folder: str, arguments: list[str], program: str) -> None:
    from evalsuite.cli.app import main

    os.setsid()
    end = os.open(terminal, os.O_RDWR)
    print("open", flush=True)
    for stream in range(3):
        os.dup2(end, stream)
    os.close(end)
    for stream, name in ((1, "stdout"), (2, "stderr")):
        setattr(sys, name, open(stream, "w", encoding="utf-8", buffering=1, closefd=False))  # noqa: SIM115
    os.chdir(folder)
    sys.argv = ["evalsuite", *arguments]
    if program:
        exec(program, {"__name__": "__main__"})
    else:
        main()


if __name__ == "__main__":
    os.environ.update(SET)
    for package in ("evalsuite.cli", "evalsuite.results"):
        for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    for line in sys.stdin:
        if os.fork() == 0:
            run(*json.loads(line))
            break
        os.wait()
