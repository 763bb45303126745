"""`evalsuite show`, and that no text of a model, of data or of a file's name acts on the terminal that shows it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from unicodedata import category

import pytest
import terminals
from everything import two_baselines
from hostile import HOSTILE
from rich.cells import cell_len
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text
from run_files import results_json
from shared_fixtures import shared_folder
from tiers import thorough_but

from evalsuite.analyses import items
from evalsuite.analyses.saved import load_results
from evalsuite.cli.tables.export import FORMATS, export, markdown, words
from evalsuite.cli.tables.items import MOST
from evalsuite.cli.tables.terminal import folded, listing
from evalsuite.common import linebreaks
from evalsuite.common.sheet import Column, Row, Sheet
from evalsuite.common.terminal import console, json_mark, one_line, print_all, safe
from evalsuite.evaluation.display import Display, ProgressLine
from evalsuite.types import PLACE, Response

ITEM = "corecode/easy/test/slot_identification/0"


# ---------------------------------------------------------------- runs


run = shared_folder(two_baselines, "run")


JUDGING = {
    "template": "0" * 64, "scales": [], "reminder": "", "attempts": 1, "limit": None, "seed": 0, "fingerprint": "f", "backend": "hf",
    "chat": True, "sampling": {}, "max_new_tokens": 8, "repeats_by": "wording", "family": "", "of_family": "",
}  # fmt: skip


def _without_surrogates(text: str) -> str:
    """The text without lone surrogates, with which results.json is refused."""
    return text.encode("utf-8", "replace").decode()


@shared_folder
def hostile(run: Path, folder: Path) -> Path:
    """A submission by an attacker: a hundred models with hostile names; every text in it is hostile."""
    out = folder / "handed\x1b[31min\u202e"
    (out / "records").mkdir(parents=True)
    (out / "judged").mkdir()
    results = results_json(run)
    cell = next(c for c in results["cells"] if c["task"] == "slot_identification" and c["perturb"] == "none")
    record = json.loads((run / cell["records"]).read_text().splitlines()[0])
    row = results["robustness"]["drops"][0]
    cells, drops, judged, slices, confused, correlated = [], [], [], [], [], []
    for n, text in enumerate(HOSTILE):
        name = _without_surrogates(text)[:900]  # names in results.json have up to 1,000 characters
        path, opinion = f"records/{n}.jsonl", f"judged/{n}.jsonl"
        cells.append(deepcopy(cell) | {"model": name or "?", "records": path, "errors": {name: 1}, "missing": 1})
        drops.append(row | {"model": name or "?"})
        slices.append(results["breakdowns"][0] | {"model": name or "?", "task": cell["task"], "metric": name})
        confused.append(results["confusions"][0] | {"model": name or "?", "names": [[name, name]] * 99})
        correlated.append(
            {"task": "event_cause", "set": "easy", "split": "test", "variant": "paper", "shots": 0, "basis": "items", "models": 1,
             "n": 3, "of": 3, "metrics": ["f1", name], "spearman": [0.5], "kendall": [None]}
        )  # fmt: skip
        part = text[:100_000]  # a record, a line of JSON, is no longer than 16 MiB
        said = deepcopy(record) | {
            "item": ITEM, "model": name, "reply": text, "reasoning": part, "prompt": part, "messages": None, "shots": [name],
            "dialogue": [f"{name}: {part}", part], "question": part, "options": [part, name], "labels": ["(a)", name],
            "gold": "(a)", "references": [part], "error": part if n % 3 == 0 and "⟦" not in part else None, "finish": name,
            "scores": {name: 0.5}, "answer": {"status": "parsed", "choice": n % 2, "text": part, "rule": name, "start": 1, "end": 3},
        }  # fmt: skip
        other = said | {"item": f"{ITEM}/{name}", "answer": {**said["answer"], "status": name or "?"}}
        (out / path).write_text("".join(json.dumps(r) + "\n" for r in (said, other)))
        place = {k: cells[-1][k] for k in PLACE} | {"judge": name or "?", "rubric": "r", "control": "plain"}
        (out / opinion).write_text(
            json.dumps({**place, "item": ITEM, "status": name, "scores": {name: 1}, "reasons": text})
        )
        scales = {
            name: {
                "value": 1,
                "low": 1,
                "high": 1,
                "n": 1,
                "histogram": {name: 1},
                "metrics": {},
                "length": {"spearman": 1, "partial": None},
            }
        }
        judged.append(
            {
                **place,
                "items": 1,
                "status": {"failed": 1},
                "asked_again": 0,
                "errors": {name: 1},
                "scales": scales,
                "signature": "",
                "records": opinion,
                "facts": JUDGING,
            }
        )
    controls = {name: [] for name in ("anchors", "repeats", "blind", "panel", "length", "families", "attacks")}
    rest = {"positions": [], "wordings": [], "shots": []}
    results |= {
        "cells": cells,
        "robustness": {"drops": drops} | rest,
        "judged": {"cells": judged, "models": [], "controls": controls},
    }
    results |= {"breakdowns": slices, "confusions": confused, "metric_correlations": correlated}
    (out / "results.json").write_text(json.dumps(results))
    return out


@shared_folder
def hostile_columns(run: Path, folder: Path) -> Path:
    """Models that can be compared, two a wording, and one that cannot; the wordings have hostile names, too."""
    out = Path(shutil.copytree(run, folder / "run"))
    results = results_json(out)
    plain = [c for c in results["cells"] if (c["model"], c["set"], c["perturb"]) == ("random", "easy", "none")]
    assert len(plain) == 2  # two tasks: with one, nothing is ranked
    results["cells"] = [
        deepcopy(cell) | {"model": _without_surrogates(text)[:900] + more, "variant": f"w{n}", "missing": int(more == "!")}
        | {"facts": cell["facts"] | {"backend": "hf", "tags": []}}
        for n, text in enumerate(HOSTILE[::3]) for more in ("", "?", "!") for cell in plain  # a third has all kinds
    ]  # fmt: skip
    (out / "results.json").write_text(json.dumps(results))
    return out


# ---------------------------------------------------------------- what a terminal gets

SGR = re.compile(r"\x1b\[[0-9;]*m")
LIVE = re.compile(r"\x1b\[(\?25[lh]|1A|2K)|\r")  # the codes by which rich moves a live line


@pytest.fixture(scope="module")
def on_terminal() -> Iterator[Callable[..., str]]:
    """All that a command of evalsuite, or a program, writes to a real pseudo-terminal."""
    commands = subprocess.Popen([sys.executable, terminals.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # fmt: skip
    assert commands.stdin and commands.stdout

    def run(*argv: str, code: str = "", cwd: Path | None = None) -> str:
        ours, theirs = os.openpty()
        commands.stdin.write(json.dumps([os.ttyname(theirs), str(cwd or Path.cwd()), argv, code]) + "\n")
        commands.stdin.flush()
        assert commands.stdout.readline() == "open\n"
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux says so when the other end is closed
                break
            if not part:
                break
            parts.append(part)
        os.close(ours)
        return b"".join(parts).decode("utf-8").replace("\r\n", "\n")

    yield run
    commands.stdin.close()
    commands.wait()


def is_calm(text: str, live: bool = False) -> None:
    """Check that a text has nothing but words, newlines and rich's own colours, which no hostile text uses."""
    assert "\x1b[38;5;201m" not in text and "\x1b[5;7;41m" not in text and "\x1b[1;31;9" not in text
    rest = SGR.sub("", text)
    rest = LIVE.sub("", rest) if live else rest
    loud = {c for c in set(rest) if c != "\n" and category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")}
    assert not loud, (loud, [m.group() for m in re.finditer(r".{0,40}[\x00-\x09\x0b-\x1f].{0,40}", rest)][:3])


# Every fifth has all kinds but two; `make test-thorough` tries the others.
SOME_ALWAYS = thorough_but(20, sorted(range(len(HOSTILE)), key=lambda n: (n % 5 > 0, n)))
SHOWN = [
    # arguments after `show RUN`, what must be there to see
    ("tables", ["--tables", "results"], ["U+001B[38;5;201mcoloured", "[red]red[/red]", "[link=https://evil.example/]", ":skull:"]),
    ("robustness", ["--tables", "robustness"], ["U+202E", "back\\[red]slash"]),
    ("breakdowns", ["--tables", "breakdowns"], ["U+001B[38;5;201mcoloured", "[red]red[/red]"]),
    ("confusions", ["--tables", "confusions"], ["U+001B[38;5;201mcoloured", "[/nothing]", "taken for another"]),
    ("correlations", ["--tables", "correlations"], ["U+001B[38;5;201mcoloured", "[/nothing]", "Spearman"]),
    ("judge", ["--tables", "judge"], ["U+009B", "[/nothing]"]),
    ("item", ["--item", ITEM, "--all"], ["⟦", "U+001B]52;c;", "U+27E6", "characters left out", "judged by"]),
    ("list", ["--list", "--all"], ["U+0000", "U+D83D", "<script>XSS()</script>"]),
    ("csv", ["--as", "csv"], ["U+001B", "XSS"]),
    ("latex", ["--as", "latex"], ["U+001B", "textbackslash"]),
    ("markdown", ["--as", "markdown"], ["U+001B", "&lt;script"]),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("args", "seen"), thorough_but(1, [r[1:] for r in SHOWN]), ids=[r[0] for r in SHOWN])
def test_show_is_calm_on_a_terminal(
    on_terminal: Callable[..., str], hostile: Path, args: list[str], seen: list[str]
) -> None:
    text = on_terminal("show", hostile.name, *args, cwd=hostile.parent)
    is_calm(text)
    plain = SGR.sub("", text)
    assert "Traceback" not in plain and "error:" not in plain.splitlines()[0]
    assert not [x for x in seen if x not in plain and x not in re.sub(r"\s*\n[ │]*", "", plain)]


@pytest.mark.slow
@pytest.mark.parametrize("form", thorough_but(1, ["table", "csv", "latex", "markdown"]))
def test_groups_and_ranks_are_calm_on_a_terminal(
    on_terminal: Callable[..., str], hostile_columns: Path, form: str
) -> None:
    text = on_terminal("show", str(hostile_columns), "--tables", "groups,ranks", "--as", form)
    is_calm(text)
    plain = SGR.sub("", text)
    assert "Traceback" not in plain and "error:" not in plain.splitlines()[0]
    assert "mean rank over 2 tasks" in plain and "incomplete" in plain and "U+001B" in plain


DISPLAY = """
import logging, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from hostile import HOSTILE
from evalsuite.evaluation.display import Display, ProgressLine, log_to
from evalsuite.types import Response
with log_to(Path(sys.argv[2]), verbose=True), Display() as display:
    for text in [text[:100_000] for text in HOSTILE]:
        progress = display.model([(ProgressLine(text, "easy EC", text[:99], "f1"), 2)])
        progress.advance(0, Response("", "error", error=text), 0.0)
        display.progress.refresh()
        progress.advance(0, Response(text, "stop"), 0.5)
        progress.finish()
        display.say(f"{text}  trained already")
        with display.training(text) as training:
            display.progress.refresh()
            training.done({"loss": {}, "steps": 1, "seconds": 1.0})
        logging.getLogger("evalsuite.x").error("model %s: %s", text[:999], text[:999])
"""


@pytest.mark.slow
def test_progress_and_log_are_calm_on_a_terminal(on_terminal: Callable[..., str], tmp_path: Path) -> None:
    text = on_terminal(str(Path(__file__).parent), str(tmp_path / "run.log"), code=DISPLAY)
    is_calm(text, live=True)
    plain = SGR.sub("", text)
    assert (
        "Traceback" not in plain and "1 failed" in plain and "[link=https://evil.example/]click[/link] easy EC" in plain
    )
    is_calm((tmp_path / "run.log").read_text(encoding="utf-8"))


BAD = "\x1b[38;5;201m\u202e\x9b\x07[red]"
ERRORS = [
    # arguments, the exit's words
    ("path", ["show", BAD], "no such folder"),
    ("model", ["run", "--model", BAD], "unknown model"),
    ("models file", ["models", "--models", BAD], "U+202E"),
    ("usage", ["show", f"--{BAD}"], "No such option"),
    ("command", [BAD], "No such command"),
    ("value", ["run", "--shots", BAD], "expected numbers"),
    ("data", ["data", "check", BAD], "U+202E"),
    ("parse", ["parse", BAD], "cannot read"),
    ("compare", ["compare", ".", "--models", f"{BAD},b"], "no run here"),
    ("judge", ["judge", ".", "--judge", BAD], "error:"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("args", "seen"), [r[1:] for r in ERRORS], ids=[r[0] for r in ERRORS])
def test_errors_are_calm_on_a_terminal(
    on_terminal: Callable[..., str], tmp_path: Path, args: list[str], seen: str
) -> None:
    text = on_terminal(*args, cwd=tmp_path)
    is_calm(text)
    assert seen in SGR.sub("", text) and "Traceback" not in text


def test_a_trace_is_calm(on_terminal: Callable[..., str]) -> None:
    code = f"from evalsuite.common.terminal import safe_trace\ntry:\n    raise ValueError({BAD!r})\nexcept ValueError as e:\n    print(safe_trace(e))"
    text = on_terminal(code=code)
    is_calm(text)
    assert "ValueError: U+001B[38;5;201mU+202E" in text


@pytest.mark.slow
def test_programs_get_the_exact_text_and_terminals_the_safe_one(
    on_terminal: Callable[..., str], tmp_path: Path
) -> None:
    outputs = [{"output": f"(a){text}", "options": {"a": "x", "b": "y"}} for text in HOSTILE[:99]]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in outputs))
    code = "import sys; sys.argv = ['evalsuite', 'parse', 'replies.jsonl']; from evalsuite.cli.app import main; main()"
    env = {**os.environ, "PYTHONUTF8": "1"}
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=tmp_path, env=env, check=True).stdout
    assert [json.loads(x)["output"] for x in piped.decode().split("\n") if x] == [row["output"] for row in outputs]
    assert "\u202e".encode() in piped
    text = on_terminal("parse", "replies.jsonl", cwd=tmp_path)
    is_calm(text)
    assert [json.loads(x)["output"] for x in text.split("\n") if x] == [row["output"] for row in outputs]


# ---------------------------------------------------------------- one text


@pytest.mark.parametrize("n", SOME_ALWAYS)
def test_hostile_text_becomes_safe(n: int) -> None:
    text = HOSTILE[n]
    is_calm(safe(text))
    is_calm(one_line(text))
    assert "\n" not in one_line(text) and len(one_line(text)) < 200 * 8
    assert json.loads(f'"{safe(json.dumps(text, ensure_ascii=False)[1:-1], mark=json_mark)}"') == text


@pytest.mark.parametrize("text", ["plain", "全角　空格\n新行", "é😀→", ""])
def test_ordinary_words_stay(text: str) -> None:
    assert safe(text) == text


@pytest.mark.parametrize("n", SOME_ALWAYS)
def test_the_console_lets_no_control_through(n: int) -> None:
    """Texts that nobody made safe, in whatever rich has: neither markup nor controls get through the console."""
    text, out = HOSTILE[n][:3000], io.StringIO()
    found = Table(text, "", title=text, caption=text)
    found.add_row(text, Text(text))
    shown = console(file=out, force_terminal=True, width=100, color_system="truecolor")
    for thing in (text, Text(text), found, Panel(Text(text), title=Text(text)), Rule(Text(text))):
        shown.print(thing)
    is_calm(out.getvalue())
    assert "\x1b]8" not in out.getvalue()


# ---------------------------------------------------------------- tables elsewhere


def sheet(*cells: str) -> Sheet:
    columns = (Column("model"), Column("acc", "%", "percent"))
    return Sheet("x", cells[0], columns, tuple(Row((cell, cell)) for cell in cells))


@pytest.mark.parametrize("n", SOME_ALWAYS)
def test_hostile_cells_are_harmless(n: int) -> None:
    text = HOSTILE[n][:3000]
    found = sheet(text, "30.0")
    shown = words(found)
    for form in FORMATS:
        is_calm(export([found, text], form).replace("\r\n", "\n"))
    rows = [r for r in csv.reader(io.StringIO(export([found], "csv"), newline=""))]
    assert [r for r in rows if len(r) == 2][1:] == [[x if x == y else f"'{x}" for x, y in zip(a, b, strict=True)] for a, b in zip(shown, rows[2:], strict=True)]  # fmt: skip
    assert not [x for r in rows for x in r if re.match(r"[=+\-@\t\r]", x)]
    check_markdown(export([found], "markdown"), shown[0][0])
    check_latex(export([found, text], "latex"))


def check_markdown(text: str, cell: str) -> None:
    """Check, with a parser that lets HTML through, that the Markdown is one table of words alone, and that they are the
    cell's."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    inline = [t for t in tokens if t.type == "inline"]
    kinds = {t.type for t in tokens} | {c.type for t in inline[-4:] for c in t.children or ()}
    blocks = {"paragraph", "table", "thead", "tbody", "tr", "th", "td"}
    assert (
        not kinds - {f"{b}_{way}" for b in blocks for way in ("open", "close")} - {"inline", "text", "text_special"}
    ), kinds
    assert "".join(c.content for c in inline[-4].children or ()) == " ".join(cell.split())


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("-3.0 *", r"-3.0 \*"),
        ("+12", "+12"),
        ("30.0", "30.0"),
        ("- 3", r"\- 3"),
        ("+", r"\+"),
        ("==", r"\=="),
        ("2. Korrektur", r"2\. Korrektur"),
        ("10) zehn", r"10\) zehn"),
        ("3.", r"3\."),
        ("a | b", r"a \| b"),
    ],
)
def test_a_text_in_markdown_stays_a_text_and_a_number_a_number(text: str, escaped: str) -> None:
    """No list, heading or rule begins: Markdown's reader finds one paragraph with the text itself."""
    from markdown_it import MarkdownIt

    assert markdown(text) == escaped
    tokens = MarkdownIt("commonmark").parse(f"{escaped}\n")
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert "".join(child.content for child in tokens[1].children or ()) == text


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("用GPT做题", ["用", "GPT", "做", "题"]),
        ("see note", ["see ", "note"]),
        ("（见表）。好", ["（见", "表）。", "好"]),
        ("5\N{NO-BREAK SPACE}%，低", ["5\N{NO-BREAK SPACE}%，", "低"]),
        ("Ｇ５\uf9b4x", ["Ｇ", "５", "\uf9b4", "x"]),  # full-width signs, and a compatibility ideograph
        ("a", ["a"]),
        ("", []),
    ],
)
def test_lines_break_beside_every_chinese_character(text: str, pieces: list[str]) -> None:
    """But not before ，。） nor after （, and in Latin words at blanks alone."""
    assert [text[start:end] for start, end, _ in linebreaks.words(text)] == pieces
    assert [word for *_, word in linebreaks.words(text)] == pieces


def check_latex(text: str) -> None:
    """Check that LaTeX has no command but ours, that every brace is closed, and that a comment ends with its line."""
    body = "\n".join(x for x in text.splitlines() if not x.startswith("% "))
    ours = "begin|end|centering|caption|toprule|midrule|bottomrule|textbf|underline|symbol|ldots|to|neq|pm|cdot|Delta|rho|kappa|tau"
    ours += "|textbackslash|textasciicircum|textasciitilde|textless|textgreater|textbar|textasciigrave|textendash"
    commands = set(re.findall(r"\\([a-zA-Z]+|.)", body.replace(r"\\", "")))
    assert not commands - set(ours.split("|")) - set("{}$&#%_"), commands
    bare = re.sub(r"\\[{}$&#%_\\]", "", body)
    assert bare.count("{") == bare.count("}") and bare.count("$") % 2 == 0
    assert not re.search(r"[%#^~_`]|--", bare.replace("&", "")), bare
    assert not re.search(r"\\\\\s*[\[*]", body)


def test_long_replies_are_cut_and_what_was_read_is_seen(hostile: Path) -> None:
    done = load_results(hostile)
    name = HOSTILE[-1][:900]
    (asked,) = [a for a in items.item_records(done, ITEM) if a.cell.model == name]
    assert len(asked.records[0]["reply"]) > 1_000_000 and asked.judged[0]["reasons"] == HOSTILE[-1]
    from rich.console import Console

    from evalsuite.cli.tables.items import _reply

    record = {"reply": "x" * 500_000 + "the answer" + "y" * 500_000, "answer": {"start": 500_000, "end": 500_010}}
    text = _reply(record, full=False).plain
    assert "⟦the answer⟧" in text and text.count("characters left out") == 2 and len(text) < 2 * MOST
    left = sum(int(n.replace(",", "")) for n in re.findall(r"([\d,]+) characters", text))
    assert left + text.count("x") + text.count("y") + len("the answer") > 1_000_000
    assert _reply(record, full=True).plain == record["reply"].replace("the answer", "⟦the answer⟧")
    assert Console(width=80).measure(_reply(record, full=False)).minimum > 0


@pytest.mark.parametrize("width", [12, 20, 33, 40])
def test_chinese_folds_between_characters_but_not_before_a_comma(width: int) -> None:
    text = (
        "CORECODE HARD：qwen-coder-0.5b 在 8 项任务中的 6 项上最好（其中 1 项显著领先），shuffle、both 使答案变动 12%。"
    )
    lines = folded(Text(text), width).plain.split("\n")
    assert all(cell_len(line) <= width for line in lines)
    assert not any(line[0] in "，。；：、）%" or line[-1] in "（" for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    full = [line for line in lines[:-1] if cell_len(line) >= width - 8]
    assert len(full) >= len(lines) // 2  # lines are filled, not only broken at blanks
    english = "a sentence of English words"
    assert folded(Text(english), width).plain == english  # rich folds English itself


def test_words_of_a_list_are_not_cut(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    name = "tombench_completion_of_failed_actions"
    rows = [[name, "Completion of Failed Actions", "补全失败的动作", "choice", "stories 20"]]
    print_all(listing("ToMBench", ["name", "short", "中文", "kind", "items"], rows))
    out = capsys.readouterr().out
    assert {"Completion", "Actions", "choice", "stories"} <= {*out.split()}
    assert max(map(cell_len, out.splitlines())) <= 80


def test_a_mean_that_leaves_out_kept_replies_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with Display() as display:
        progress = display.model(
            [(ProgressLine("m", "easy EC", "paper", "f1"), 2), (ProgressLine("m", "hard EC", "paper", "f1"), 1)]
        )
        progress.skip(0, 1)
        progress.advance(0, Response("a", "stop"), 0.5)
        progress.advance(1, Response("a", "stop"), 0.25)
        progress.finish()
    partly, whole = capsys.readouterr().err.splitlines()
    assert "1 asked, 1 kept" in partly and partly.endswith("f1 50.0 % of those asked")
    assert "1 asked, at" in whole and whole.endswith("f1 25.0 %")
