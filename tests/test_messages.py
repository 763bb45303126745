"""Every message has its Chinese, which says the same of the same things."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from messages import places, templates
from page_words import in_one_language

import evalsuite
from evalsuite.common.errors import ConfigError
from evalsuite.common.language import chinese, rows, translated
from evalsuite.common.resources import packaged

TABLE = json.loads(packaged("common/zh.json").read_text("utf-8"))
ROWS = {**TABLE["others"], **TABLE["ours"]}
# Words that are the same in both languages: names, flags and commands.
_NAMES = """
    CPU EM FRMM GPU Kendall MIB Ollama Pearson RUN SGLang Total accuracy accuracy_char accuracy_prior
    accuracy_sum accuracy_token answer character constrained content context conversation dialogue evalsuite
    generate guided hf hub kendall labels llama.cpp local manifest.json messages openai out pearson perturb
    project python question records red results.json rotation run sample schema shots spearman submission.yaml
    texts token torch vLLM variant vllm
"""
SAME = {
    *_NAMES.split(),
    " labels",
    " {variant} {shots}-shot",
    "--models",
    "--perturb",
    "--prompt",
    "--scoring",
    "--shots",
    "--split",
    "--data, EVALSUITE_DATA",
    "--semsim use",
    "Correct Answers",
    "GPU {n}",
    "Hugging Face",
    "Human Written Answer",
    "LM Studio",
    "documentID\tquestionIndex\ttype",
    "evalsuite data pull {default}",
    "evalsuite data pull {name}",
    "export NAME=…",
    "export {key_env}=…",
    "pip install 'evalsuite[finetune]'",
    "pip install 'evalsuite[modelscope]'",
    "pip install 'evalsuite[{extra}]'",
    "pip install evalsuite",
    "unset HF_HUB_OFFLINE",
    "{items}, key {key}",
    "backend: {name}",
    "{place}-shot",
    "{shots}-shot",
    "{pull} && export EVALSUITE_DATA=$PWD/data",
}
CHINESE = r"[\u4e00-\u9fff]"


@pytest.fixture(scope="module")
def message_templates() -> dict[str, str]:
    return {english: where for english, where in templates().items() if english not in SAME}


@pytest.mark.slow
def test_every_message_has_a_row_and_every_row_a_message(message_templates: dict[str, str]) -> None:
    assert {
        f"{where}: {english}" for english, where in message_templates.items() if english not in TABLE["ours"]
    } == set()
    assert set(TABLE["ours"]) - set(message_templates) == set()
    assert not set(TABLE["ours"]) & set(TABLE["others"])


def test_both_languages_have_the_same_places() -> None:
    for english, zh in ROWS.items():
        assert not set(places(zh)) - set(places(english)), english
        # Messages of libraries may say more than is of use.
        assert english in TABLE["others"] or not set(places(english)) - set(places(zh)), english


def with_names(template: str) -> str:
    """The template with marks in its places."""
    return "".join(text + (f"'{name}'" if name else "") for text, name, *_ in Formatter().parse(template))


def with_numbers(template: str) -> str:
    return re.sub("'[a-z_0-9]+'", "12", with_names(template))


def test_every_message_is_recognised_as_itself() -> None:
    # A row with few letters is meant for messages with numbers, so it is filled with numbers.
    wrong = [x for x in ROWS if _differ(rows().translated(with_names(x)), with_names(ROWS[x]))]
    assert [x for x in wrong if _differ(rows().translated(with_numbers(x)), with_numbers(ROWS[x]))] == []


def _differ(one: str, other: str) -> bool:
    return one.replace(" ", "") != other.replace(" ", "")  # blanks follow what stands in a place


def test_chinese_is_set_as_chinese() -> None:
    for zh in ROWS.values():
        shown = re.sub(r"\[[^]]*\]|\{\{.*?\}\}|\"[^\"]*\"|\S+\|\S+|95 %：", "", zh)  # without code and examples
        assert not re.search(rf"{CHINESE} ?[,;:?!]|[,;:?!] ?{CHINESE}|\d %|{CHINESE} {CHINESE}", shown), zh


def test_language_follows_the_variable_then_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EVALSUITE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    assert not chinese()
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert chinese()
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert not chinese()
    monkeypatch.setenv("EVALSUITE_LANG", "zh")
    assert chinese()
    monkeypatch.setenv("EVALSUITE_LANG", "en")
    assert not chinese()


@pytest.mark.slow
def test_everything_on_the_pages_has_both_languages() -> None:
    assert in_one_language() == []


@pytest.fixture
def in_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALSUITE_LANG", "zh")


@pytest.mark.usefixtures("in_chinese")
def test_what_a_message_quotes_stays_as_it_is() -> None:
    assert (
        translated("unknown model 'no such folder'. Known: missing, none.")
        == "模型 'no such folder' 不存在。可用：missing, none。"
    )
    assert (
        translated("a: b/no such file.jsonl:3: field 'missing': missing")
        == "a：b/no such file.jsonl:3：字段 'missing'：缺失"
    )
    said = "The model said: expected nothing, and there was no such thing as a folder"
    assert translated(said) == said
    assert translated("") == ""


@pytest.mark.usefixtures("in_chinese")
def test_a_message_inside_another_is_translated_too() -> None:
    whole = "model a: cannot load adapter b: [Errno 13] Permission denied"
    assert translated(whole) == "模型 a：无法加载适配器 b：没有权限"
    assert (
        translated("x.jsonl:2: not JSON: Expecting value: line 1 column 1 (char 0)")
        == "x.jsonl:2：不是 JSON：此处应有一个值（第 1 行第 1 列）"
    )
    assert (
        translated("Invalid value for '--limit': 'x' is not a valid integer.") == "'--limit' 的值无效：'x' 不是整数。"
    )


@pytest.mark.usefixtures("in_chinese")
def test_output_for_programs_and_logs_stay_english(cli: Any, tmp_path: Path) -> None:
    out = tmp_path / "run"
    completed = cli("run", "--model", "lexical", "--tasks", "SI", "--limit", "1", "--shots", "0", "--out", out)
    assert "2 个单元格，已问 2" in completed.stderr and "页面：" in completed.stdout
    assert not re.search(CHINESE, (out / "run.log").read_text("utf-8"))
    table, csv = cli("show", out).stdout, cli("show", out, "--tables", "results", "--as", "csv").stdout
    assert "模型" in table and csv.splitlines()[1].startswith('"model",') and not re.search(CHINESE, csv)
    shown = cli("doctor", "--json").stdout
    for folder in (tmp_path, Path(__file__).parents[1], sys.prefix, Path.home()):  # the path may be Chinese
        shown = shown.replace(str(folder), "")
    assert not re.search(CHINESE, shown)
    assert cli("run", "--model", "nobody", expect=2).stderr.startswith("错误：")
    with pytest.raises(ConfigError, match="unknown model 'nobody'"):
        evalsuite.run(model=["nobody"], out=out)


@pytest.mark.parametrize(("language", "usage", "title"), [("en", "Usage:", "Error"), ("zh", "用法：", "错误")])
def test_usage_errors_have_the_language_of_the_user(
    cli: Any, monkeypatch: pytest.MonkeyPatch, language: str, usage: str, title: str
) -> None:
    monkeypatch.setenv("EVALSUITE_LANG", language)
    stderr = cli("run", "--limt", "2", expect=2).stderr
    assert usage in stderr and title in stderr and "--limit" in stderr
    assert usage in cli("show", "--help").stdout and usage in cli("--help").stdout
