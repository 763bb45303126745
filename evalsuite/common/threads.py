"""The threads that numpy multiplies matrices with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress


@contextmanager
def one_thread() -> Iterator[None]:
    """Multiply matrices in one thread while the block runs.

    The matrices of a run are small: threads that wait for the next one cost more time than they save (a third of the time
    of scoring 20,000 replies on two cores). And one thread adds in the same order on every machine.
    """
    import numpy  # noqa: F401 - the limit holds for libraries that are loaded
    from threadpoolctl import threadpool_limits

    with ExitStack() as stack:
        with suppress(UnicodeError):  # threadpoolctl cannot read a library whose path the locale cannot write
            stack.enter_context(threadpool_limits(1, "blas"))
        yield
