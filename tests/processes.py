"""Commands of evalsuite, each in a process of its own.

Each is forked from a process that has loaded all modules, since loading takes longer than most commands. One such process, the
parent of all commands, serves all tests of a run and all workers of pytest-xdist: the worker that needs it first starts it,
under a lock, and it ends after the last session. Its CPU time counts with the file whose test started it.

    python tests/processes.py FOLDER  # listens on a socket in the folder, for sessions of a test each

A session begins with a line of JSON: the modules to load if they are not loaded yet, and its environment variables. Each
further line is a command: its folder, further variables, its words, and the number of rows after which it holds still
(tests/kill_points.py), or -1. The answer is [exit code, output]; the id of a process that holds still comes before it."""

from __future__ import annotations

import atexit
import fcntl
import gc
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from runpy import run_path
from select import select
from typing import IO, Any

TORCH = "torch", "transformers", "transformers.models.llama.modeling_llama", "evalsuite.backends.hf.backend"


class _SharedParent:
    """The folder of the socket, the environment that the parent is started with, and the connection that keeps it alive."""

    folder: Path | None = None
    environment: Mapping[str, str] = os.environ
    kept: tuple[object, ...] = ()


def share(folder: Path) -> None:
    """Share one parent of commands with every process that names this folder."""
    _SharedParent.folder, _SharedParent.environment = folder, dict(os.environ)


@contextmanager
def session(
    *modules: str, python: Sequence[str] = (sys.executable,), **environment: str
) -> Iterator[Callable[..., Iterator[Any]]]:
    """`answers(words, folder, variables, rows)` yields the answers to a command. With `environment` or another
    `python`, the session has its own parent process, which gets these variables before it loads anything."""
    with ExitStack() as stack:
        if environment or python != (sys.executable,) or _SharedParent.folder is None:
            own = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            process = stack.enter_context(_start(own, python, os.environ | environment))
            stack.enter_context(process.stdout)  # type: ignore[arg-type]
            lines = _connection(own, modules)
        else:
            if not _SharedParent.kept:
                _SharedParent.kept = _join(_SharedParent.folder)
            lines = _connection(_SharedParent.folder, modules)
        assert lines is not None
        stack.enter_context(lines)

        def answers(
            words: Sequence[object], folder: Path | None = None, variables: dict[str, str] | None = None, rows: int = -1
        ) -> Iterator[Any]:
            order = [str(folder or Path.cwd()), variables or {}, [str(word) for word in words], rows]
            print(json.dumps(order), file=lines, flush=True)
            for line in lines:
                yield (answer := json.loads(line))
                if isinstance(answer, list):
                    return

        yield answers


@contextmanager
def commands(
    *modules: str, python: Sequence[str] = (sys.executable,), **environment: str
) -> Iterator[Callable[..., tuple[int, str]]]:
    """`run(folder, *words)` runs a command in a folder, or a Python program if the first word ends in .py, and returns its exit
    code and its output on both streams. Keywords are environment variables. Bytes that are not UTF-8 are decoded as by
    `os.fsdecode`."""
    with session(*modules, python=python, **environment) as answers:

        def run(folder: Path, *words: object, **variables: str) -> tuple[int, str]:
            ((code, said),) = answers(words, folder, variables)
            return code, said

        yield run


def _join(folder: Path) -> tuple[object, ...]:
    """A connection to the shared parent, which stays until this process ends, and the parent if it was started here."""
    with (folder / "commands.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if kept := _connection(folder, ()):
            return (kept,)
        process = _start(folder, [sys.executable], _SharedParent.environment)
        return _connection(folder, ()), process


def _start(folder: Path, python: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a parent of commands and return it once it listens. Ctrl-C on the terminal does not reach it.

    It works in a folder that stays: a test's own folder is removed after the test, and oneMKL ends a process whose working
    folder is gone."""
    process = subprocess.Popen(
        [*python, __file__, str(folder)],
        cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment, start_new_session=True,
    )  # fmt: skip
    assert process.stdout and process.stdout.readline() == b"ready\n"
    return process


def _connection(folder: Path, modules: Sequence[str]) -> IO[str] | None:
    """A new session; None if no parent listens."""
    with suppress(OSError), socket.socket(socket.AF_UNIX) as connected:
        with _address(folder) as address:
            connected.connect(address)
        lines = connected.makefile("rw", encoding="utf-8")
        print(json.dumps([modules, dict(os.environ)]), file=lines, flush=True)
        if lines.readline() == "begun\n":  # another answer means that the parent was about to end
            return lines
    return None


@contextmanager
def _address(folder: Path) -> Iterator[str]:
    """The address of a folder's socket. On Linux it names the folder by its descriptor: a path may be too long for an address."""
    if sys.platform != "linux":
        yield str(folder / "commands")
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        yield f"/proc/self/fd/{opened}/commands"
    finally:
        os.close(opened)


# ---------------------------------------------------------------- the parent


def _serve(folder: Path) -> None:
    import evalsuite.benchmarks
    import evalsuite.cli.tables
    import evalsuite.metrics
    from evalsuite.cli.app import COMMANDS
    from evalsuite.metrics.tokens import jieba_tokenizer

    for name in evalsuite.__all__:  # public functions are loaded on demand
        getattr(evalsuite, name)
    for file, _ in COMMANDS.values():
        import_module(f"evalsuite.cli.{file}")
    for package in (evalsuite.metrics, evalsuite.benchmarks, evalsuite.cli.tables):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    jieba_tokenizer()  # its dictionary takes a second
    (folder / "commands").unlink(missing_ok=True)  # left by a parent that has ended
    with socket.socket(socket.AF_UNIX) as listening:
        with _address(folder) as address:
            listening.bind(address)
        listening.listen(64)
        os.write(1, b"ready\n")
        os.dup2(2, 1)
        sessions: set[int] = set()  # pipes whose other end closes with a session
        while True:
            for each in select([listening, *sessions], [], [])[0]:
                if each is listening:
                    sessions.add(_accept_session(listening))
                else:
                    sessions.remove(each)
                    os.close(each)
                    os.wait()
            if not sessions:
                return


def _accept_session(listening: socket.socket) -> int:
    connected, _ = listening.accept()
    with connected, connected.makefile("rw", encoding="utf-8") as lines:
        modules, environment = json.loads(lines.readline())
        for module in modules:
            import_module(module)
        gc.collect()
        gc.freeze()  # the children do not look through the loaded objects, and so do not copy them
        over, held = os.pipe()
        if not os.fork():
            listening.close()
            os.environ.clear()
            _set_variables(environment)
            print("begun", file=lines, flush=True)
            _session(lines, held)
            os._exit(0)
        os.close(held)
    return over


def _set_variables(variables: Mapping[str, str]) -> None:
    """Set variables as UTF-8, whatever this process's locale can encode."""
    for name, value in variables.items():
        os.environb[name.encode()] = value.encode(errors="surrogateescape")


def _session(lines: IO[str], held: int) -> None:
    while line := lines.readline():
        with tempfile.TemporaryFile() as said:
            if not (child := os.fork()):
                os.close(held)
                _run_and_exit(lambda: _command(*json.loads(line), said.fileno(), lines))
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            said.seek(0)
            print(json.dumps([code, said.read().decode(errors="surrogateescape")]), file=lines, flush=True)


def _command(folder: str, variables: dict[str, str], words: list[str], rows: int, said: int, lines: IO[str]) -> None:
    from evalsuite.cli.app import main

    # Decoded in this process's locale, as arguments are.
    folder, *words = (os.fsdecode(word.encode()) for word in (folder, *words))
    os.chdir(folder)
    _set_variables(variables)
    os.dup2(said, 1)
    os.dup2(said, 2)
    if words[0].endswith(".py"):
        sys.path.insert(0, folder)
        run_path(words[0], run_name="__main__")
        return
    if rows >= 0:
        import kill_points

        kill_points.hold(rows, lambda: print(os.getpid(), file=lines, flush=True))
    sys.argv = ["evalsuite", *words]
    main()


def _run_and_exit(work: Callable[[], None]) -> None:
    """Do the work and end as a program does, but leave the memory to the system: freeing it takes Python as long as a command."""
    code: object = 0
    try:
        work()
    except SystemExit as stop:
        code = stop.code or 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
