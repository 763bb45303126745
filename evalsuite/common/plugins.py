"""Registries that other installed packages can extend, by entry points of a group such as `evalsuite.benchmarks`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeVar

from evalsuite.common.errors import ConfigError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Entry = TypeVar("Entry")


class LazyMapping(Mapping[str, Entry]):
    """A mapping that `make` builds on first access, so that importing the module which holds it does no work."""

    def __init__(self, make: Callable[[], dict[str, Entry]]) -> None:
        self._make = make
        self._made: dict[str, Entry] | None = None

    @property
    def _rows(self) -> dict[str, Entry]:
        if self._made is None:
            self._made = self._make()
        return self._made

    def forget(self) -> None:
        """Forget the table; the next access builds it again."""
        self._made = None

    def __getitem__(self, name: str) -> Entry:
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def lazy(name: str) -> Callable[..., Any]:
    """The function or class of a name such as "package.module:Class", whose module is imported when it is called."""
    return partial(_called, name)


def _called(name: str, *args: Any, **named: Any) -> Any:
    return resolve_name(name)(*args, **named)


def installed(group: str) -> list[EntryPoint]:
    """The entry points of a group, sorted by name. Nothing is imported."""
    from importlib.metadata import entry_points

    return sorted(entry_points(group=group), key=lambda point: (point.name, point.value))


def origin_of(point: EntryPoint) -> str:
    """The package and the object of an entry point, for messages: "package (module:object)"."""
    return f"{point.dist.name if point.dist else 'unknown package'} ({point.value})"


def load_plugin(point: EntryPoint) -> Any:
    """Import the object of an entry point. Raises ConfigError, naming the package, if that fails."""
    try:
        return point.load()
    except (Exception, SystemExit) as error:  # whatever another package's import raises
        raise ConfigError(
            f"{origin_of(point)}: entry point {point.name!r} of {point.group} cannot be loaded: "
            f"{type(error).__name__}: {error}; mend or uninstall the package"
        ) from error
