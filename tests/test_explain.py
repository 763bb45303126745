"""`evalsuite parse --explain`: how a reply was read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from labelled import Row, choices
from run_files import write_jsonl

from evalsuite.common.errors import ConfigError, DataError
from evalsuite.exchange.batch import explain_row, parse_rows, read_rows, reply_row
from evalsuite.exchange.explain import VERDICTS, WHY_RULE
from evalsuite.parse.lexicon import CUES
from evalsuite.parse.rules import RULES, SETS
from evalsuite.parse.tape import TOKENS

FILMS = "科幻片|恐怖片|喜剧片"


def some_rows(name: str, several: bool) -> list[Row]:
    rows = [row for row in choices() if row["set"] == name and ("labels" in row) == several]
    return rows[:: max(len(rows) // 15, 1)][:15]


KINDS = [*((row, False) for name in ("tables", "replies", "real_replies") for row in some_rows(name, False)), *((row, True) for row in some_rows("tables", True))]  # fmt: skip


@pytest.mark.parametrize(("row", "several"), KINDS, ids=lambda value: repr(value["output"][:20]) if isinstance(value, dict) else str(value))  # fmt: skip
def test_what_is_shown_is_what_is_read(row: Row, several: bool) -> None:
    shown, (answer,) = explain_row(row, several), parse_rows([row], several=several)
    chosen = answer["choices"] if several else [answer["choice"]] if answer["choice"] else []
    assert (shown.rule, shown.result) == (answer["rule"], f"{answer['status']} {', '.join(chosen)}".strip())
    assert shown.why, f"no reason for the rule {shown.rule!r}"
    if shown.rule not in WHY_RULE:  # a mention decided, and a row of the table fired there
        number = int(shown.why.split(":")[0].removeprefix("mention "))
        (mention,) = (m for part in shown.blocks for m in part.mentions if m.number == number)
        assert mention.hit.rule == shown.rule and mention.matched
    for part in shown.blocks:
        assert {token for token, _, meaning in part.tokens if meaning} == {*part.tape}


def test_a_span_with_the_rows_that_cut_it(cli: Callable[..., Any]) -> None:
    row = reply_row("答案是：摔倒了。", question="原因是什么？")
    shown, (answer,) = explain_row(row), parse_rows([row])
    assert (shown.rule, shown.result, shown.blocks) == (answer["rule"], "parsed 摔倒了", ())
    assert shown.reply == "答案是：⟦摔倒了⟧。"
    assert "答案是:" in [step.words for step in shown.steps] and shown.rule in [step.name for step in shown.steps]
    assert "as in:" in cli("parse", "--explain", "--reply", "答案是：摔倒了。", "--question", "原因是什么？").stdout


def test_a_rule_with_those_that_it_shadows() -> None:
    (part,) = explain_row(reply_row("所以(a)不能排除。", FILMS)).blocks
    (mention,) = part.mentions
    assert (part.tape, part.text) == ("!FMNx.", "所以⟦(a)⟧₁不能排除。")
    assert [rule.name for rule in mention.matched] == ["kept", "conclusion"] and mention.hit.rule == "kept"
    assert mention.tape == "!F‹M›Nx." and RULES[mention.rank - 1] is mention.matched[0]


def test_a_mention_without_a_rule(cli: Callable[..., Any]) -> None:
    reply = "我们先看看(a)与对话"
    shown = explain_row(reply_row(reply, FILMS))
    assert [m.matched for m in shown.blocks[0].mentions] == [()]
    assert "no row of" in cli("parse", "--explain", "--reply", reply, "--options", FILMS).stdout


def test_a_mention_that_others_change(cli: Callable[..., Any]) -> None:
    reply = "(a)\n太空里的故事。\n(b)\n吓人的故事。"
    first, second = explain_row(reply_row(reply, FILMS)).blocks[0].mentions
    assert first.matched[0].name == "line"
    assert first.hit.rule == second.hit.rule == "discussed"
    stdout = cli("parse", "--explain", "--reply", reply, "--options", FILMS).stdout
    assert stdout.count("counts as discussed: ") == 2 and stdout.count("counts as") == 2
    unchanged = cli("parse", "--explain", "--reply", "所以(a)不能排除。", "--options", FILMS).stdout
    assert "fired: " in unchanged and "counts as" not in unchanged


def test_text_behind_the_answer_is_run_on() -> None:
    first, second = explain_row(reply_row("(b)<|im_end|>\n问题：下一题 (c)", FILMS)).blocks
    assert first.text == "⟦(b)⟧₁‹end of turn›" and second.note == "run-on, behind the answer"
    assert [m.number for m in second.mentions] == [2]


def test_escapes_are_shown_and_the_lines_fit(cli: Callable[..., Any]) -> None:
    reply = f"答案是(b)\x1b[31m\u202e[bold]{'因为' * 80}"
    stdout = cli("parse", "--explain", "--reply", reply, "--options", FILMS, COLUMNS="100").stdout
    assert "\x1b" not in stdout and "\u202e" not in stdout
    assert "U+001B[31mU+202E[bold]" in stdout
    from rich.cells import cell_len

    assert max(map(cell_len, stdout.split("\n"))) <= 100


@pytest.mark.parametrize(
    "options", ["科幻片", "科幻片|", "|", "|".join("x" * 27), "{", '{"A": "雨"}', '{"A": 1, "B": 2}', "[1]"]
)
def test_bad_options_are_named(options: str, cli: Callable[..., Any]) -> None:
    assert "--options" in cli("parse", "--reply", "b", "--options", options, expect=2).stderr
    with pytest.raises(ConfigError, match="expected two to 26 texts"):
        reply_row("b", options)


def test_flags_that_would_do_nothing_are_refused(cli: Any, tmp_path: Path) -> None:
    """The lines of a file have options and questions of their own, and a reply has no lines."""
    path = write_jsonl(tmp_path / "replies.jsonl", {"output": "b"})
    for words, flag in (
        ((path, "--options", FILMS), "--options"),
        ((path, "--question", "原因是什么？"), "--question"),
        (("--reply", "b", "--options", FILMS, "--line", 1), "--line"),
    ):
        assert flag in cli("parse", *words, expect=2).stderr


def test_labels_of_ones_own() -> None:
    assert reply_row("b", '{"A": "雨", "B": "雪"}')["options"] == {"A": "雨", "B": "雪"}
    assert [*reply_row("b", "|".join("abcdefghijklmnopqrstuvwxyz"))["options"]][-1] == "(z)"


def test_one_line_of_a_file(tmp_path: Path, cli: Callable[..., Any]) -> None:
    path = tmp_path / "f.jsonl"
    rows = [reply_row(reply, FILMS) for reply in ("我选(a)", "我选(b)")]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert "parsed (b)" in (shown := cli("parse", path, "--explain", "--line", 2).stdout) and "parsed (a)" not in shown
    assert json.loads(cli("parse", path, "--line", 2).stdout)["choice"] == "(b)"
    with pytest.raises(DataError, match="no such line"):
        list(read_rows(path, 3))


def test_several_right_options_are_explained(cli: Callable[..., Any]) -> None:
    given = "--reply", "a, b", "--options", FILMS, "--several"
    assert json.loads(cli("parse", *given).stdout)["choices"] == ["(a)", "(b)"]
    assert "parsed (a), (b)" in cli("parse", *given, "--explain").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [((), "FILE.jsonl"), (("f.jsonl", "--reply", "b"), "one of them"), (("--reply", "b", "--explain", "--parser", "paper"), "--parser")],
)  # fmt: skip
def test_flags_that_do_not_go_together(words: tuple[str, ...], said: str, cli: Callable[..., Any]) -> None:
    assert said in cli("parse", *words, expect=2).stderr


def test_every_token_and_verdict_has_a_meaning() -> None:
    assert {*CUES} <= {*TOKENS}
    assert {rule.verdict for rule in (*RULES, *SETS)} <= {*VERDICTS}
