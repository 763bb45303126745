"""The exceptions of the suite. Every message says what is wrong, where, and what to do.

EvalsuiteError
├── ConfigError   a wrong models.yaml, flag or setting; nothing was run
├── DataError     a data file is missing or broken; carries file, line and field
├── PromptError   a template is missing, broken or uses a variable that does not exist
└── BackendError  a model cannot be loaded
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path


class EvalsuiteError(Exception):
    """Base class of all errors that a user can fix."""


class ConfigError(EvalsuiteError):
    pass


class DataError(EvalsuiteError):
    def __init__(self, message: str, file: Path, line: int | None = None, field: str | None = None) -> None:
        self.message, self.file, self.line, self.field = message, file, line, field
        position = f"{file}:{line}" if line else str(file)
        super().__init__(f"{position}: {f'field {field!r}: ' if field else ''}{message}")

    def __reduce__(self) -> tuple[type[DataError], tuple[str, Path, int | None, str | None]]:
        """Pickle the error by its fields, since worker processes raise it, too."""
        return type(self), (self.message, self.file, self.line, self.field)


class PromptError(EvalsuiteError):
    pass


class BackendError(EvalsuiteError):
    pass


def nearest(name: str, known: Sequence[str]) -> str | None:
    """The known name that was probably meant: the most similar one, or else one that contains `name`; case does not count.

    >>> nearest("EVENT", ["domain_identification", "event_cause", "subsequent_event"])
    'event_cause'
    """
    by_case = {each.lower(): each for each in reversed(known)}
    typed = name.lower()
    similar = get_close_matches(typed, list(by_case), n=1)
    parts = [each for each in known if len(typed) > 2 and typed in each.lower()]
    parts.sort(key=lambda each: not each.lower().startswith(typed))
    return by_case[similar[0]] if similar else next(iter(parts), None)


def unknown(what: str, name: str, known: Iterable[str], lists: str = "") -> str:
    """The message for an unknown name: the closest known name, if there is one, and all known names. `lists`: a command that
    lists them, which is named in place of many names."""
    names = list(known)
    hint = f" Did you mean {near!r}?" if (near := nearest(name, names)) else ""
    if lists:
        return f"unknown {what} {name!r}.{hint} `{lists}` lists all."
    return f"unknown {what} {name!r}.{hint} Known: {', '.join(names)}."
