"""Tables that other installed packages can add rows to, by entry points of a group such as `evalsuite.benchmarks`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from evalsuite.common.errors import ConfigError

Row = TypeVar("Row")


class Table(Mapping[str, Row]):
    """A mapping that is made when it is first looked at: imports do no work."""

    def __init__(self, make: Callable[[], dict[str, Row]]) -> None:
        self._make = make
        self._made: dict[str, Row] | None = None

    @property
    def _rows(self) -> dict[str, Row]:
        if self._made is None:
            self._made = self._make()
        return self._made

    def __getitem__(self, name: str) -> Row:
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def installed(group: str) -> Iterator[tuple[str, Any, str]]:
    """(name, object, "package (module:object)") of each entry point of a group, by name.

    Raises ConfigError, naming the package, for an object that cannot be imported.
    """
    from importlib.metadata import entry_points

    for point in sorted(entry_points(group=group), key=lambda p: (p.name, p.value)):
        origin = f"{point.dist.name if point.dist else 'unknown package'} ({point.value})"
        try:
            yield point.name, point.load(), origin
        except Exception as error:
            raise ConfigError(
                f"{origin}: entry point {point.name!r} of {group} cannot be loaded: {type(error).__name__}: {error}; "
                "mend or uninstall the package"
            ) from error
