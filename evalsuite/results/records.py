"""Records of a run or a submission, line by line: records/*.jsonl and judged/*.jsonl, plain or gzip'd.

Nobody vouches for a submission: paths are taken only as the format has them, links are not followed, and what unpacks to
more than a limit is not unpacked.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.files import safe_name
from evalsuite.common.jsonl import parse_object
from evalsuite.types import Answer, Cell, Likelihood, Message, Response, Score, Trial

LINE = 2**24  # bytes: a reply of 1 MB, all of it escaped, with its prompt
FILE = 2**30  # bytes of one file, unpacked
COUNT = 1_000_000  # lines of one file
RATIO, FREE = 300, 2**26  # what is larger than FREE may not be more than RATIO times its packed size: text is about 10

_PLACE = re.compile(r"(records|judged)/[^/\\\x00-\x1f]+\.jsonl")


def file_name(cell: Cell) -> str:
    """For people; nothing is ever read back from it."""
    return f"{safe_name(cell.place.model)}.{cell.place.set}.{cell.place.split}.{cell.place.task}.{cell.place.way.replace(' ', '.')}.jsonl"


def find_results(folder: Path) -> Path:
    """results.json of a run or a submission. Raises ConfigError if there is none."""
    path = folder / "results.json"
    if not path.is_file():
        raise ConfigError(f"{folder}: no results.json; `evalsuite score {folder}` writes it")
    return path


def record_of(cell: Cell, key: str, trial: Trial, response: Response, answer: Answer, score: Score) -> dict[str, Any]:
    """One line of records/: all that a reviewer needs to check the item."""
    item, request = trial.item, trial.request
    return {
        "item": item.id,
        "model": cell.place.model,
        "variant": trial.variant,
        "shots": list(trial.shots),
        "asked_shots": trial.asked_shots,
        "max_new_tokens": request.max_new_tokens,
        "key": key,
        "prompt": request.prompt,
        "messages": [_flat(m) for m in request.messages] if cell.facts.get("chat") else None,
        "reply": response.text if response.error is None else None,
        "reasoning": response.reasoning,
        "likelihoods": [_flat(x) for x in response.likelihoods] or None,
        "scoring": cell.place.scoring,
        "perturb": trial.perturb,
        "rotation": trial.rotation,
        "finish": response.finish,
        "error": response.error,
        "prompt_tokens": response.prompt_tokens,
        "new_tokens": response.new_tokens,
        "answer": _flat(answer),
        "scores": score.values,
        "gold": ", ".join(item.labels[gold] for gold in item.golds) or None,
        **{
            name: getattr(item, name)
            for name in ("task", "set", "split", "dialogue", "question", "labels", "options", "references")
        },
        **({"group": item.group} if item.group else {}),
        **({"pairs": request.pairs} if request.pairs else {}),
        **({"pattern": request.pattern} if request.pattern else {}),
    }


def _flat(value: Message | Likelihood | Answer) -> dict[str, Any]:
    """`asdict` of what holds plain values: it would copy every one of them, a hundred times a record."""
    return {name: getattr(value, name) for name in value.__slots__}


def find(folder: Path, place: str) -> Path:
    """The file of a place that results.json names ("records/….jsonl"): as it is called there, or with .gz behind.

    Raises DataError if it is none, is not there, or is there twice.
    """
    if not isinstance(place, str) or not _PLACE.fullmatch(place):
        raise DataError(f"{place!a}: expected records/NAME.jsonl or judged/NAME.jsonl", folder)
    found = [p for p in (folder / place, folder / f"{place}.gz") if p.is_symlink() or p.exists()]
    if len(found) == 2:
        raise DataError("is there plain and as .gz: leave one", found[0])
    if not found:
        raise DataError("no such file", folder / place)
    if found[0].is_symlink() or found[0].parent.is_symlink() or not found[0].is_file():
        raise DataError("is no plain file", found[0])
    return found[0]


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """(number, line) of a file that is not blank, one at a time; raises DataError for what is broken or too large."""
    number = size = 0
    try:
        most = min(FILE, max(FREE, RATIO * path.stat().st_size))
        with path.open("rb") as raw:
            file = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if path.suffix == ".gz" else raw
            while text := file.readline(LINE + 1):
                number += 1
                size += len(text)
                if len(text) > LINE:
                    raise DataError(f"is longer than {LINE >> 20} MiB", path, number)
                if size > most or number > COUNT:
                    raise DataError(
                        f"unpacks to more than {most >> 20} MiB, or more than {COUNT:,} lines", path, number
                    )
                if text.strip():
                    yield number, text
    except (OSError, EOFError, zlib.error) as error:  # gzip's own errors are of these kinds
        raise DataError(f"cannot be read: {error}", path, number + 1) from None


def read(folder: Path, place: str) -> Iterator[dict[str, Any]]:
    """The records of a place, one at a time. Raises DataError with file and line for what is no object of JSON."""
    path = find(folder, place)
    for number, text in lines(path):
        yield parse_object(text, path, number)
