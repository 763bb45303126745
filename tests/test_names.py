"""Names from data, flags and files become paths of one form, and templates of strangers come to an end."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of
from hypothesis import given
from hypothesis import strategies as st

import evalsuite
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.common import templates
from evalsuite.common.errors import DataError, PromptError
from evalsuite.common.files import draft_of, safe_name
from evalsuite.common.templates import TemplateFile
from evalsuite.exchange.export.cells import foreign_name
from evalsuite.prompt import Prompt

ODD = (
    "..",
    ".",
    "",
    "a/b",
    "a\\b",
    "a\nb",
    "a\0b",
    "字" * 90,
    "x" * 300,
    "NUL",
    "nul.txt",
    "a.",
    "-x",
    "=1",
    "a b",
    "\ud800",
)


@pytest.mark.parametrize("name", ODD)
def test_any_name_becomes_a_name_of_one_file(name: str, tmp_path: Path) -> None:
    made = safe_name(name, "easy", name)
    path = tmp_path / f"{made}.jsonl.gz"
    path.write_text("x")  # whether the file system takes such a name
    assert path.parent == tmp_path and path.is_file() and made.isascii() and made != safe_name(name, "easy", "other")
    assert len(draft_of(path).name) <= 255


@pytest.mark.parametrize("name", ["lexical", "Qwen3-8B", "qwen2.5-7b", "tiny-zh+event_cause-20-s1", "gpt_4o"])
def test_ordinary_names_stay(name: str) -> None:
    assert safe_name(name) == name
    assert (
        safe_name(name, "easy", "test", "event_cause", "paper", "0-shot")
        == f"{name}.easy.test.event_cause.paper.0-shot"
    )


@given(st.lists(st.text("a./-\\é", max_size=4), min_size=2, max_size=2, unique=True))
def test_other_names_give_other_names(names: list[str]) -> None:
    assert len({safe_name("m", name) for name in names}) == len({foreign_name(name) for name in names}) == 2
    assert safe_name("a.b", "c") != safe_name("a", "b.c")
    hashed = safe_name("a/b")
    assert safe_name(hashed) != hashed  # a name that looks like another's hash gets a hash of its own


def test_a_run_with_hostile_names_can_be_scored_and_read(tmp_path: Path) -> None:
    names = ["../up", "a/b", "n\nl", "x" * 300]
    done = evalsuite.run({name: lambda request: "(a)" for name in names}, tasks=["event_cause"], set="easy", limit=2,
                         out=tmp_path / "run")  # fmt: skip
    assert len({cell["records"] for cell in cells_of(done) if cell["model"] in names}) == len(names)
    evalsuite.score(tmp_path / "run")
    evalsuite.report([tmp_path / "run"])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run"]


@pytest.mark.parametrize("variant", ["../event_cause/paper", "sub/mine", "/etc/passwd", "a\0b", "x" * 300])
def test_a_wording_is_looked_up_and_never_a_path(variant: str, tmp_path: Path, sample: CorecodeCorpus) -> None:
    task = sample.benchmark.task("event_cause")
    place = tmp_path / "corecode" / "event_cause"
    (place / "sub").mkdir(parents=True)
    for file in (place / "sub/mine.j2", place / "中文.j2"):
        file.write_text("{{ question }}")
    with pytest.raises(PromptError, match="unknown prompt"):
        Prompt(tmp_path, task, variant)
    assert Prompt(tmp_path, task, "中文").variant == "中文"


def test_a_set_is_looked_up_and_never_a_path(sample: CorecodeCorpus) -> None:
    with pytest.raises(DataError, match="unknown set"):
        sample.file(sample.benchmark.task("event_cause"), "../easy", "test")


NESTED = "".join(f"{{% for {name} in range(99999) %}}" for name in "ab") + "{% endfor %}" * 2
TEMPLATES = {
    "loops": (NESTED, 1, "passes"),
    "a loop around lists": ("\n{% set r = range(999)|list %}\n{% for a in r %}{% for b in r %}{% for c in r %}{% endfor %}"
                            "{% endfor %}{% endfor %}", 3, "passes"),
    "calls": ("{% macro m(n) %}\n{% if n %}{{ m(n-1) }}{{ m(n-1) }}{% endif %}{% endmacro %}\n{{ m(60) }}", 2, "passes"),
    "ranges": ("{% for a in range(9999) %}{{ range(99999)|sum }}{% endfor %}", 1, "passes"),
    "output": ("{% for a in range(9999) %}" + "x" * 1999 + "{% endfor %}", 1, "characters"),
    "repetition": ("\n{{ 'x' * 9999999999 }}", 2, "numbers below"),
    "powers": ("{{ 9 ** 9 ** 9 }}", 1, "numbers below"),
    "division": ("\n\n{{ 1 / (question|length - question|length) }}", 3, "ZeroDivisionError"),
    "include": ("{% include 'other' %}", 1, "TypeError"),
    "undefined": ("\n{{ nothing }}", 2, "'nothing' is undefined"),
    "attribute": ("{{ question.__class__.__mro__ }}", 1, "unsafe"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", TEMPLATES)
def test_a_template_ends_and_its_error_names_the_line(case: str, tmp_path: Path, monkeypatch: Any) -> None:
    source, line, told = TEMPLATES[case]
    monkeypatch.setattr(templates, "LOOPS", 20_000)
    path = tmp_path / "mine.j2"
    path.write_text(source)
    with pytest.raises(PromptError, match=told) as error:
        TemplateFile(path).render({"question": "why?"}, "item 7")
    assert str(error.value).startswith(f"{path}:{line}: ") and "item 7" in str(error.value)


def test_a_template_that_cannot_be_compiled(tmp_path: Path) -> None:
    for source in (
        "\n{% for x in y recursive %}{% endfor %}",
        "\n{{ 1 + }}",
        "\n" + "(" * 9999,
        "\n{{" + "(" * 9999 + "}}",
    ):
        (tmp_path / "mine.j2").write_text(source)
        if "{" in source:
            with pytest.raises(PromptError, match=r"mine\.j2"):
                TemplateFile(tmp_path / "mine.j2")
    (tmp_path / "mine.j2").write_bytes("问题".encode("gbk"))
    with pytest.raises(PromptError, match="not UTF-8"):
        TemplateFile(tmp_path / "mine.j2")


def test_loops_know_their_length(tmp_path: Path) -> None:
    (tmp_path / "t.j2").write_text("{% for x in items %}{{ loop.index }}/{{ loop.length }}{{ x }}{% endfor %}")
    assert TemplateFile(tmp_path / "t.j2").render({"items": ["a", "b"]}, "") == "1/2a2/2b"


def test_the_suite_s_own_templates_are_unchanged(sample: CorecodeCorpus) -> None:
    """Rendered by Jinja's plain environment they give the same prompts."""
    import jinja2

    from evalsuite.common.resources import bundled

    for task, variant in itertools.product(sample.benchmark.tasks, ("paper", "plain")):
        prompt = Prompt(bundled("prompts"), task, variant)
        item = sample.file(task, "easy", "test").items[0]
        plain: Callable[..., str] = (
            jinja2.Environment(autoescape=False).from_string(prompt.path.read_text("utf-8")).render
        )
        options = list(zip(item.labels, item.options, strict=True))
        assert prompt.render(item) == plain(dialogue=list(item.dialogue), question=item.question, options=options)
