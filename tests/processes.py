"""Commands of evalsuite, each in a process of its own.

    python tests/processes.py openai …  # loads evalsuite and these modules; then runs each line on stdin: [{}, FOLDER, "run", …]

Each process is forked from one that has loaded all: loading takes longer than most commands. What a command ends with and
prints is a line of JSON on stdout."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from runpy import run_path


@contextmanager
def commands(
    *modules: str, python: Sequence[str] = (sys.executable,), **environment: str
) -> Iterator[Callable[..., tuple[int, str]]]:
    """`run(folder, *words)` runs a command in a folder, or a program in Python if the first word is a file's name, and returns its
    exit code and what it printed on both streams. Keywords are variables of its environment. Bytes that are no UTF-8 are
    returned as `os.fsdecode` has them."""
    pipe = subprocess.PIPE
    env = os.environ | environment
    with subprocess.Popen([*python, __file__, *modules], stdin=pipe, stdout=pipe, text=True, env=env) as process:

        def run(folder: Path, *words: object, **variables: str) -> tuple[int, str]:
            assert process.stdin and process.stdout
            print(json.dumps([variables, str(folder), *map(str, words)]), file=process.stdin, flush=True)
            code, said = json.loads(process.stdout.readline())
            return code, said

        yield run
        assert process.stdin
        process.stdin.close()


def _serve() -> None:
    import evalsuite
    from evalsuite.cli.app import COMMANDS, main

    for name in evalsuite.__all__:  # loaded on demand
        getattr(evalsuite, name)
    for module in [*sys.argv[1:], *{f"evalsuite.cli.{file}" for file, _ in COMMANDS.values()}]:
        import_module(module)
    gc.collect()
    gc.freeze()  # what is loaded is not looked through, and so not copied, by each process
    for line in sys.stdin:
        variables, folder, *words = json.loads(line)
        folder, *words = (os.fsdecode(word.encode()) for word in (folder, *words))  # as this locale has arguments
        with tempfile.TemporaryFile() as said:
            if not (child := os.fork()):
                os.chdir(folder)
                os.environ |= variables
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # not the commands to come
                os.dup2(said.fileno(), 1)
                os.dup2(said.fileno(), 2)
                if words[0].endswith(".py"):
                    sys.path.insert(0, folder)
                    run_path(words[0], run_name="__main__")
                    sys.exit(0)
                sys.argv = ["evalsuite", *words]
                main()
                sys.exit(0)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            said.seek(0)
            print(json.dumps([code, said.read().decode(errors="surrogateescape")]), flush=True)


if __name__ == "__main__":
    _serve()
