"""Commands of evalsuite in processes that a loaded one forks: loading takes longer than most commands.

python tests/forked.py           # for each line on stdin, [FOLDER, "run", …], prints exit code and output as JSON
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def commands(**environment: str) -> Iterator[Callable[..., tuple[int, str]]]:
    """`run(folder, *words)` runs a command in a folder and returns its exit code and what it printed on both streams."""
    pipe = subprocess.PIPE
    env = os.environ | environment
    with subprocess.Popen([sys.executable, __file__], stdin=pipe, stdout=pipe, text=True, env=env) as process:

        def run(folder: Path, *words: object) -> tuple[int, str]:
            assert process.stdin and process.stdout
            print(json.dumps([str(folder), *map(str, words)]), file=process.stdin, flush=True)
            code, said = json.loads(process.stdout.readline())
            return code, said

        yield run
        assert process.stdin
        process.stdin.close()


def _serve() -> None:
    import evalsuite
    from evalsuite.cli.app import main

    for name in evalsuite.__all__:  # loaded on demand
        getattr(evalsuite, name)
    for line in sys.stdin:
        folder, *words = json.loads(line)
        with tempfile.TemporaryFile() as said:
            if not (child := os.fork()):
                os.chdir(folder)
                os.dup2(said.fileno(), 1)
                os.dup2(said.fileno(), 2)
                sys.argv = ["evalsuite", *words]
                main()
                sys.exit(0)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            said.seek(0)
            print(json.dumps([code, said.read().decode()]), flush=True)


if __name__ == "__main__":
    _serve()
