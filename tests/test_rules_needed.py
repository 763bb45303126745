"""Every rule of the reader of choices is needed: without it, a labelled reply is read wrongly."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import pytest
from labelled import Row, choices, clear_reader_caches, is_right

from evalsuite.parse import read, rules
from evalsuite.parse.rules import NAME, PICK, RULES, SETS, Rule


@lru_cache(maxsize=1)
def read_rightly() -> list[Row]:
    """The labelled replies that are read as they are labelled; shortest first, for they are read most quickly."""
    return sorted((row for row in choices() if is_right(row)), key=lambda row: len(row["output"]))


@lru_cache(maxsize=1)
def rows_by_rule() -> dict[Rule, list[Row]]:
    """Rule -> the replies in which it fires: only these are read otherwise without it."""
    found: dict[Rule, list[Row]] = {}
    with pytest.MonkeyPatch.context() as patch:
        seen: set[Rule] = set()
        fired = rules.first_match

        def note_rule(token: str, before: str, behind: str, several: bool) -> Rule | None:
            if rule := fired(token, before, behind, several):
                seen.add(rule)
            return rule

        patch.setattr(rules, "first_match", note_rule)
        for row in read_rightly():
            seen.clear()
            read.read_one.cache_clear()
            is_right(row)
            for rule in seen:
                found.setdefault(rule, []).append(row)
    return found


def needs(monkeypatch: pytest.MonkeyPatch, several: bool, left: Sequence[Rule], rows: Sequence[Row]) -> Row | None:
    """A labelled reply that is read wrongly if these are the rules."""
    table = rules.compile_rules(left)
    monkeypatch.setattr(rules, "table", lambda sets: table if sets == several else rules.compile_rules(RULES))
    clear_reader_caches()
    try:
        return next((row for row in rows if ("labels" in row) == several and not is_right(row)), None)
    finally:
        monkeypatch.undo()
        clear_reader_caches()


@pytest.mark.thorough
@pytest.mark.parametrize("rule", [*RULES, *SETS], ids=lambda rule: f"{rule.name}: {rule.example[:20]!r}")
def test_a_labelled_reply_needs_the_rule(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    several = rule in SETS
    everything = (*SETS, *RULES) if several else RULES
    row = needs(
        monkeypatch, several, [other for other in everything if other is not rule], rows_by_rule().get(rule, [])
    )
    assert row is not None, (
        f"no labelled reply needs the rule {rule.name!r} ({rule.before!r}, {rule.behind!r}): it can go"
    )


@pytest.mark.thorough
def test_a_rule_that_nothing_needs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    useless = Rule("useless", NAME, "MTQGW", r"~h~h~", r"", "")
    assert needs(monkeypatch, False, [useless, *RULES], read_rightly()) is None
    harmful = Rule("harmful", PICK, "MTQGW", r"", r"", "")
    assert needs(monkeypatch, False, [harmful, *RULES], read_rightly()) is not None


@pytest.mark.parametrize("rule", [*RULES, *SETS], ids=lambda rule: rule.name)
def test_the_example_is_a_labelled_reply(rule: Rule) -> None:
    assert rule.example and any(row["output"].startswith(rule.example.removesuffix("…")) for row in choices())
