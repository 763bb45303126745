"""Other systems: Windows without its calls of Unix (simulated), a locale without Chinese, Chinese paths with blanks, no torch."""

from __future__ import annotations

import io
import json
import os
import pkgutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import processes
import pytest

import evalsuite
from evalsuite.cli.app import main
from evalsuite.common import files, plainfile
from evalsuite.common.errors import DataError
from evalsuite.common.lock import locked
from evalsuite.common.threads import one_thread
from evalsuite.setup import packages
from evalsuite.setup.machine import free_disk, hub_cache

# Modules and functions that Windows lacks, beside names in `os`.
UNIX_ONLY = ("fcntl", "resource", "pwd", "grp", "termios", "readline")
WARNED = {"PYTHONWARNDEFAULTENCODING": "1"}  # Python warns of a file that is opened without an encoding
PLAIN = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "HF_HUB_OFFLINE": "1"}

# The exit code of `doctor` where the disk is nearly full.
FULL = int(min(free_disk(Path()), free_disk(hub_cache())) < 10**9)

ROOT = str(Path(evalsuite.__file__).parents[1])
PYTHON, PATH = [sys.executable], ROOT
if not ROOT.isascii():  # Python 3.11 ends at a .pth file of site-packages that its locale cannot decode
    PYTHON, PATH = [sys.executable, "-S"], os.pathsep.join([ROOT, *filter(None, sys.path)])


def run_python(*words: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "EVALSUITE_"))} | more
    env |= {"PYTHONPATH": PATH}
    return subprocess.run([*PYTHON, *words], cwd=cwd, env=env, capture_output=True)


# ---------------------------------------------------------------- Windows, simulated


@pytest.mark.thorough
def test_every_module_is_imported_without_what_only_unix_has(tmp_path: Path) -> None:
    code = f"""
import importlib, os, signal, sys
import jieba, numpy, platform, pydantic, rich.progress, sacrebleu, scipy.stats, subprocess, tempfile, typer  # have ways of their own there
for name in {UNIX_ONLY}: sys.modules[name] = None
for name in ("getuid", "geteuid", "fork", "register_at_fork", "sched_getaffinity", "O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK", "O_CLOEXEC", "killpg"):
    if hasattr(os, name): delattr(os, name)
for name in ("SIGPROF", "SIGALRM", "SIGKILL", "SIGHUP", "SIGUSR1", "setitimer"):
    if hasattr(signal, name): delattr(signal, name)
for name in {sorted(modules())}:
    try: importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("evalsuite") or error.name in {UNIX_ONLY}: raise
from evalsuite.common.files import cache_folder
assert cache_folder() is not None
"""
    done = run_python("-c", code, cwd=tmp_path, HOME=str(tmp_path), XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert done.returncode == 0, done.stderr.decode()[-2000:]


def modules() -> set[str]:
    """The names of all modules that import no package of an extra at the top."""
    found = {m.name for m in pkgutil.walk_packages(evalsuite.__path__, "evalsuite.")}
    heavy = (
        "evalsuite.exchange.export.shipped",
        "evalsuite.backends.hf",
        "evalsuite.backends.vllm",
        "evalsuite.cli.__main__",
    )
    return {name for name in found if not name.startswith(heavy)} | {"evalsuite.backends.hf.backend"}


@pytest.fixture
def no_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """`os.open` opens no folders and knows no dir_fd; syncing a file wants the right to write; no fcntl."""
    import sacrebleu  # noqa: F401 - has another way of its own there

    real = os.open

    def opened(path: str | Path, flags: int, mode: int = 0o777) -> int:
        if Path(path).is_dir():
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "supports_dir_fd", set())
    monkeypatch.setattr(files, "_FOR_SYNC", os.O_RDWR)
    monkeypatch.delattr(os, "O_DIRECTORY")
    monkeypatch.setitem(sys.modules, "fcntl", None)


@pytest.mark.usefixtures("no_folders")
def test_files_are_written_and_read_where_folders_cannot_be_opened(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with files.new_folder(tmp_path / "made") as folder:
        (folder / "records").mkdir()
        files.replace_file(folder / "records" / "a.json", '{"a": 1}')
    with files.replacing_together(tmp_path / "last") as draft:
        for name in ("one", "last"):
            with draft(tmp_path / name) as file:
                file.write(b"x")
    assert plainfile.read_json(tmp_path / "made", "records/a.json") == {"a": 1}
    assert (tmp_path / "one").read_bytes() == b"x"
    with locked(tmp_path):
        assert "this system has no such locks" in caplog.text
    assert not [*tmp_path.rglob("*.part")]


@pytest.mark.usefixtures("no_folders")
def test_no_link_is_followed_there_either(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "a.json").write_text("{}", encoding="utf-8")
    run = tmp_path / "run"
    run.mkdir()
    (run / "records").symlink_to(tmp_path / "secret")
    (run / "a.json").symlink_to(tmp_path / "secret" / "a.json")
    os.mkfifo(run / "pipe")
    for place, why in (("records/a.json", "link"), ("a.json", "link"), ("pipe", "plain"), ("none", "no such file")):
        with pytest.raises(DataError, match=why):
            plainfile.read_plain(run, place, 100)


@pytest.mark.usefixtures("no_folders", "named_models_only")
def test_a_run_and_its_page_where_folders_cannot_be_opened(tmp_path: Path) -> None:
    done = evalsuite.run(model=["lexical"], tasks=["event_cause"], limit=2, out=tmp_path / "run")
    assert done.exit_code == 0 and evalsuite.report([tmp_path / "run"], tmp_path / "site").is_file()


def test_names_that_windows_takes_and_that_differ_in_more_than_case() -> None:
    """The names of records' files: no reserved name, none of its characters, no dot or blank at the end; a case of its own
    is no name."""
    awkward = [
        "CON",
        "nul.txt",
        "aux",
        "COM1",
        "LPT9.x",
        "a:b",
        "a<b",
        'a"b',
        "a|b",
        "a?b",
        "a*b",
        "a\\b",
        "a/b",
        "end.",
        "end ",
        "名",
    ]
    made = [files.safe_name(name) for name in awkward]
    for name in made:
        assert not set(name) & set('<>:"/\\|?* ') and not name.endswith(".") and name.isascii()
        assert name.partition(".")[0].lower() not in {"con", "nul", "aux", "prn", "com1", "lpt9"}
    assert len({name.lower() for name in made}) == len(awkward)


# ---------------------------------------------------------------- a locale without Chinese

# Command -> its exit code.
COMMANDS = {
    "run --model lexical --model random --limit 2 --out 运行 结果": 0,
    "show 运行 结果": 0,
    "show 运行 结果 --as csv": 0,
    "report 运行 结果 --out 页 面": 0,
    "init --yes --model Qwen/Qwen3-8B --out 我的 模型.yaml": 0,
    "models --models 我的 模型.yaml": 0,
    "doctor": FULL,
    "tasks": 0,
    "show 没有": 2,
}


@pytest.mark.thorough
def test_chinese_paths_with_blanks_under_a_locale_of_ascii(tmp_path: Path) -> None:
    """No command crashes, and all files hold Chinese as UTF-8, the folder's name too."""
    place = tmp_path / "中文 目录"
    place.mkdir()
    lists = [
        command.replace("运行 结果", "运行\0结果")
        .replace("页 面", "页\0面")
        .replace("我的 模型", "我的\0模型")
        .split(" ")
        for command in COMMANDS
    ]
    commands = [
        ([word.replace("\0", " ") for word in words], code)
        for words, code in zip(lists, COMMANDS.values(), strict=True)
    ]
    (first, code), *others = commands
    done = run_python("-m", "evalsuite.cli", *first, cwd=place, **PLAIN, **WARNED)
    ends = [(first, code, done.returncode, done.stdout + done.stderr)]
    with processes.commands(python=PYTHON, PYTHONPATH=PATH, **PLAIN, **WARNED) as run_there:
        for words, code in others:
            ended, told = run_there(place, *words)
            ends.append((words, code, ended, os.fsencode(told)))
    for words, code, ended, printed in ends:
        said = printed.decode("ascii")  # raises for anything else
        assert ended == code, (words, said[-1500:])
        assert "evalsuite/" not in "".join(x for x in said.splitlines() if "EncodingWarning" in x), said[-1500:]
    run = place / "运行 结果"
    assert json.loads((run / "manifest.json").read_bytes())["settings"]["out"] == "运行 结果"
    assert "我的 模型.yaml" in (place / "我的 模型.yaml").read_text(encoding="utf-8")
    for file in [*run.rglob("*.json*"), *run.rglob("*.html"), *run.rglob("*.log"), *(place / "页 面").rglob("*.html")]:
        text = file.read_text(encoding="utf-8")
        assert "\\udc" not in text and "\ufffd" not in text, file
    # The bytes are the same as under UTF-8.
    done = run_python(
        "-m",
        "evalsuite.cli",
        *["run", "--model", "lexical", "--model", "random", "--limit", "2", "--out", "other"],
        cwd=place,
        PYTHONUTF8="1",
    )
    assert done.returncode == 0
    for file in [run / "results.json", *(run / "records").iterdir()]:
        assert file.read_bytes() == (place / "other" / file.relative_to(run)).read_bytes()


def test_libraries_under_a_path_that_the_locale_cannot_write_keep_their_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def looked_at(*_: object) -> None:
        "/评测/libopenblas.so".encode("ascii")

    monkeypatch.setattr("threadpoolctl.threadpool_limits", looked_at)
    with one_thread():
        done = True
    assert done


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["gbk", "ascii", "cp1252"])
def test_what_a_terminal_cannot_show_is_escaped(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """GBK, of Chinese Windows, has Chinese; the other two escape it."""
    expected = {"doctor": "evalsuite", "tasks": "中" if encoding == "gbk" else r"\u4e2d"}
    for command, shown in expected.items():
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding, write_through=True) for _ in range(2))
        monkeypatch.setattr(sys, "argv", ["evalsuite", command])
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as stop:
            main()
        assert not stop.value.code, err.buffer.getvalue()  # type: ignore[attr-defined]
        assert shown in out.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["gbk"])
def test_what_the_terminal_of_a_process_cannot_show_is_escaped(tmp_path: Path, encoding: str) -> None:
    done = run_python("-m", "evalsuite.cli", "doctor", cwd=tmp_path, PYTHONIOENCODING=encoding)
    assert done.returncode == FULL, done.stderr
    assert done.stdout.decode(encoding)


# ---------------------------------------------------------------- what is not installed


# An import hook hides torch, as in a base installation.
WITHOUT_TORCH = """
import importlib.util, sys
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in ("torch", "transformers") else real(name, *more)
class Absent:
    def find_spec(self, name, *more):
        if name.partition(".")[0] in ("torch", "transformers"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
sys.argv = ["evalsuite", *sys.argv[1:]]
from evalsuite.cli.app import main
main()
"""


@pytest.mark.thorough
def test_a_base_installation_leaves_the_embedded_model_out_and_says_so(tmp_path: Path) -> None:
    words = ["run", "--limit", "1", "--tasks", "SI"]
    done = run_python("-c", WITHOUT_TORCH, *words, cwd=tmp_path)
    stderr = done.stderr.decode()
    assert done.returncode == 0 and "problem" not in stderr, stderr
    assert "skipped: model tiny-zh needs torch and transformers: `pip install 'evalsuite[hf]'`" in stderr
    cells = json.loads((tmp_path / "runs/default/results.json").read_bytes())["cells"]
    assert {"lexical", "random"} <= {cell["model"] for cell in cells} and "tiny-zh" not in {c["model"] for c in cells}
    # Named, it is wanted: a failure.
    done = run_python("-c", WITHOUT_TORCH, *words, "--model", "tiny-zh", "--out", "named", cwd=tmp_path)
    assert done.returncode == 1 and "backend hf needs `pip install 'evalsuite[hf]'`" in done.stderr.decode()


def test_ranges_for_a_newer_python_count_there_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        "numpy>=1.26",
        "numpy>=2.1; python_version >= '3.13'",
        "torch>=2.6; extra == 'hf'",
        "x; python_version < '3.12' and extra == 'hf'",
    ]
    for here, bound, extra in (
        ("3.12.4", ">=1.26", {"torch"}),
        ("3.13.0", ">=1.26,>=2.1", {"torch"}),
        ("3.11.9", ">=1.26", {"torch", "x"}),
    ):
        monkeypatch.setattr(packages.platform, "python_version", lambda here=here: here)
        assert [(r.name, r.range) for r in packages.required("", lines)] == [("numpy", bound)]
        assert {r.name for r in packages.required("hf", lines)} == extra


# ---------------------------------------------------------------- completion


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("evalsuite ru", ["run"]),
        ("evalsuite run --tasks SI,event_", ["SI,event_cause"]),
        ("evalsuite run --model ti", ["tiny-zh"]),
        ("evalsuite run --scoring generate,te", ["generate,texts"]),
        ("evalsuite run --perturb shuff", ["shuffle", "shuffle5"]),
        ("evalsuite run --prompt pl", ["plain", "plain_no_story"]),
        ("evalsuite data p", ["pull"]),
    ],
)
def test_shells_complete_commands_flags_and_names(
    cli: Callable[..., Any], typed: str, completed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A program is called as its file, a module otherwise.
    monkeypatch.setattr(sys.modules["__main__"], "__package__", None)
    assert cli(**completion(typed)).stdout.split() == completed


def completion(typed: str) -> dict[str, str]:
    """The variables that bash sets to ask for completions."""
    count = str(len(typed.split()) - 1)
    return {"_EVALSUITE_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": count}


@pytest.mark.slow
def test_a_process_answers_completion(tmp_path: Path) -> None:
    code = "import sys; sys.argv = ['evalsuite']; from evalsuite.cli.app import main; main()"
    done = run_python("-c", code, cwd=tmp_path, **completion("evalsuite run --tasks SI,event_"))
    assert done.stdout.decode().split() == ["SI,event_cause"], done.stderr.decode()
