"""Reports of failed tests, on their way from a worker of pytest-xdist."""

from __future__ import annotations

import pytest


def test_a_message_with_half_a_character_reaches_the_terminal(pytestconfig: pytest.Config) -> None:
    execnet = pytest.importorskip("execnet")
    report = pytest.TestReport(
        "a.py::test", ("a.py", 1, "test"), {}, "failed", "half of \ud83d and whole 😀", "call", [("out", "\udc00 中")]
    )
    sent = pytestconfig.hook.pytest_report_to_serializable(config=pytestconfig, report=report)
    data = execnet.loads(execnet.dumps(sent))
    assert data["longrepr"] == r"half of \ud83d and whole 😀"
    assert data["sections"] == [("out", r"\udc00 中")]
