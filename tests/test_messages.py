"""Every message has its Chinese, which says the same of the same things."""

from __future__ import annotations

import json
import re
from string import Formatter

import pytest

from evalsuite.common.language import Rows, chinese, rows, translated
from evalsuite.common.resources import packaged
from tests.messages import places, templates

TABLE = json.loads(packaged("common/zh.json").read_text("utf-8"))
ROWS = {**TABLE["others"], **TABLE["ours"]}
# What is the same in both languages: names, flags and commands.
SAME = {
    *"""
    -suspicious CPU EM FRMM GPU Kendall MIB Pearson RUN accuracy beams conflict1 conflict2 contains content
    conversation dialogue dimension domain em evalsuite guided hub id instance kendall labels local
    manifest.json messages out pearson perturb phrase project python question records red references
    repetition_penalty reply results.json rotation sample samples schema scoring seed set set_accuracy shots
    slot spearman split task temperature top_k top_p torch value variant
    """.split(),
    "--data, EVALSUITE_DATA",
    "GPU {n}",
    "Hugging Face",
    "documentID\tquestionIndex\ttype",
    "evalsuite data pull {default}",
    "evalsuite data pull {name}",
    "export {key_env}=…",
    "pip install 'evalsuite[finetune]'",
    "pip install 'evalsuite[modelscope]'",
    "pip install 'evalsuite[{extra}]'",
    "pip install --force-reinstall --no-deps evalsuite",
    "pip install -U evalsuite",
    "unset HF_HUB_OFFLINE",
    "{pull} && export EVALSUITE_DATA=$PWD/data",
    "{rubric_name}-{n}-seed{seed}{x}",
}
CHINESE = r"[\u4e00-\u9fff]"


@pytest.fixture(scope="module")
def found() -> dict[str, str]:
    return {english: where for english, where in templates().items() if english not in SAME}


def test_every_message_has_a_row_and_every_row_a_message(found: dict[str, str]) -> None:
    assert {f"{where}: {english}" for english, where in found.items() if english not in TABLE["ours"]} == set()
    assert set(TABLE["ours"]) - set(found) == set()
    assert not set(TABLE["ours"]) & set(TABLE["others"])


@pytest.mark.parametrize("english", ROWS)
def test_both_languages_have_the_same_places(english: str) -> None:
    missing = set(places(english)) - set(places(ROWS[english]))
    assert not set(places(ROWS[english])) - set(places(english))
    assert not missing or english in TABLE["others"]  # those of libraries may say more than is of use


def filled(template: str, **known: str) -> str:
    """The template with marks in its places."""
    return "".join(
        text + (known.get(name, f"⟦{name}⟧") if name else "") for text, name, *_ in Formatter().parse(template)
    )


@pytest.mark.parametrize("english", ROWS)
def test_a_message_is_recognised_as_itself(english: str) -> None:
    assert rows().translated(filled(english)) == filled(ROWS[english])


@pytest.mark.parametrize("chinese", ROWS.values(), ids=ROWS)
def test_the_chinese_is_set_as_chinese(chinese: str) -> None:
    shown = re.sub(r"\[[^]]*\]|\{\{.*?\}\}|\"[^\"]*\"|\S+\|\S+|95 %：", "", chinese)  # code and examples
    assert not re.search(rf"{CHINESE} ?[,;:?!]|[,;:?!] ?{CHINESE}|\d %|{CHINESE} {CHINESE}", shown)


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
