"""Work in several processes: its order, its errors, and its end."""

from __future__ import annotations

import operator
import os
import pickle
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evalsuite.common.errors import DataError, EvalsuiteError
from evalsuite.common.processes import map_in_processes


def worker_for(function: Callable[..., Any], *given: Any) -> Any:
    """Prepare a worker that calls `function` with what is given and its work."""
    return partial(partial, function, *given)


def test_results_come_in_the_order_of_the_work() -> None:
    assert [*map_in_processes(worker_for(operator.sub, 50), range(40), 3)] == [50 - n for n in range(40)]


def test_one_process_is_this_one() -> None:
    assert [*map_in_processes(worker_for(lambda n: (n, os.getpid())), [7], 1)] == [(7, os.getpid())]


def test_what_a_worker_prints_is_no_result(capfd: pytest.CaptureFixture[str]) -> None:
    assert [*map_in_processes(worker_for(print), ["loading"], 2)] == [None]
    assert capfd.readouterr() == ("", "loading\n")


def test_an_error_of_a_worker_is_raised_with_its_trace() -> None:
    with pytest.raises(ZeroDivisionError) as error:
        [*map_in_processes(worker_for(divmod, 6), [3, 0, 2], 2)]
    assert "serve" in error.value.__notes__[0]


def test_an_error_that_cannot_be_sent_is_told() -> None:
    with pytest.raises(RuntimeError, match=r"E\(1, 2\)"):
        [
            *map_in_processes(
                worker_for(exec), ["class E(Exception):\n  def __init__(self, a, b): pass\nraise E(1, 2)"], 2
            )
        ]


def test_an_error_with_fields_keeps_them() -> None:
    error = DataError("no number", Path("a.jsonl"), 3, "label")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.file, again.line, again.field) == (str(error), error.file, 3, "label")


def test_a_killed_worker_is_named() -> None:
    with pytest.raises(EvalsuiteError, match="a worker process was killed"):
        [*map_in_processes(worker_for(os._exit), [9], 2)]


def test_workers_end_with_the_iterator() -> None:
    workers = map_in_processes(worker_for(eval), ["__import__('os').getpid()", "__import__('time').sleep(1e6)"], 2)
    first = next(workers)  # while the other sleeps
    workers.close()
    if sys.platform != "win32":
        with pytest.raises(ProcessLookupError):
            os.kill(first, signal.SIG_DFL)
