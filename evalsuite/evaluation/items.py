"""The items of `--items FILE`: a file of `evalsuite anchors`, or a list of ids, one a line."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsuite.benchmarks.corpus import File
from evalsuite.benchmarks.registry import Corpora
from evalsuite.common.errors import DataError
from evalsuite.common.files import read_bytes
from evalsuite.common.jsonl import parse_model
from evalsuite.types import Item, Task

if TYPE_CHECKING:
    from evalsuite.results.schema.anchors import AnchorSet

_FileKey = tuple[str, str, str]  # task, set, split
_NAMED = 5  # the most ids that an error names
# The settings in which the models were asked by which the anchor items of a set were chosen: fields of AnchorSet.
_WAY = ("variant", "template", "shots", "scoring", "perturb")


@dataclass(frozen=True, slots=True)
class SelectedItems:
    """The selected items of one task and set, in the order of the data."""

    items: tuple[Item, ...]
    _facts: Mapping[str, Any]
    _way: Mapping[str, Any]  # the values of _WAY; empty for a list of ids

    def facts(self, baseline: bool, **asked: Any) -> dict[str, Any]:
        """The fact "items" of a cell. `asked`: the cell's values of _WAY.

        For anchor items, "otherwise" lists the settings that differ from those in which the items were chosen, and "baseline" for
        a baseline, since the weights are fitted to models.
        """
        otherwise = [name for name, value in self._way.items() if asked[name] != value]
        otherwise += ["baseline"] if baseline and self._way else []
        return {**self._facts, **({"otherwise": otherwise} if otherwise else {})}


@dataclass(frozen=True, slots=True)
class Selection:
    """The items that a file of --items names."""

    path: Path
    sha256: str
    sets: Mapping[_FileKey, AnchorSet]  # empty for a list of ids
    ids: frozenset[str]  # the listed ids; empty for sets of anchor items

    def has(self, task: Task, item_set: str, split: str, file: File) -> bool:
        """Whether items of the data `file` of a task, set and split are selected."""
        if self.sets:
            return (task.name, item_set, split) in self.sets
        return any(item.id in self.ids for item in file.items)

    def pick(self, task: Task, item_set: str, split: str, corpus: Corpora, items: Sequence[Item]) -> SelectedItems:
        """Pick the selected items from `items`, which would be asked without `--items`. Raises DataError if anchor items were
        chosen from other data, or `items` lack some of them."""
        facts = {"sha256": self.sha256, "of": len(items)}
        if not self.sets:
            return SelectedItems(tuple(item for item in items if item.id in self.ids), facts, {})
        chosen = self.sets[task.name, item_set, split]
        file = corpus.reworded(task, item_set, split, chosen.variant)
        if chosen.data != file.sha256:
            raise DataError(
                f"its items of {task.name} {item_set} {split} were chosen from a data file with the hash {chosen.data[:12]}…, "
                f"but {file.path} has {file.sha256[:12]}…",
                self.path,
            )
        weights = {item.id: item.weight for item in chosen.items}
        self.require(weights, [item.id for item in items])
        if len(items) != chosen.of:
            raise DataError(
                f"its items of {task.name} {item_set} {split} stand for {chosen.of} items, but {len(items)} would be asked: "
                "--drop-leaked or --skip-bad are not as they were in the runs that they were chosen from",
                self.path,
            )
        picked = tuple(item for item in items if item.id in weights)
        anchors = {
            "weights": [weights[item.id] for item in picked],
            "method": chosen.method,
            "error": chosen.error.mean,
            "half": chosen.error.half,
            "models": len(chosen.models),
            "seen": list(chosen.seen),
        }
        return SelectedItems(picked, facts | {"anchors": anchors}, {name: getattr(chosen, name) for name in _WAY})

    def require(self, ids: Mapping[str, Any] | frozenset[str], there: Sequence[str]) -> None:
        """Raise DataError if `there` lacks some of the ids."""
        known = {*there}
        if missing := [name for name in sorted(ids) if name not in known]:
            more = ", …" if len(missing) > _NAMED else ""
            raise DataError(
                f"the items asked for lack {len(missing)} of its ids: {', '.join(missing[:_NAMED])}{more}", self.path
            )


def read_selection(path: str | Path) -> Selection:
    """The selection in a file. Raises DataError if it is no plain file, or neither one of anchor items nor a list of ids."""
    from evalsuite.results.schema.anchors import AnchorFile

    path = Path(path)
    if path.exists() and not path.is_file():  # a pipe or a device may never end
        raise DataError("is no plain file", path)
    raw = read_bytes(path)
    digest = hashlib.sha256(raw).hexdigest()
    if raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        anchors = parse_model(AnchorFile, raw, path)
        sets: dict[_FileKey, AnchorSet] = {
            (anchor_set.task, anchor_set.set, anchor_set.split): anchor_set for anchor_set in anchors.sets
        }
        return Selection(path, digest, sets, frozenset())
    try:
        ids = [line.strip() for line in raw.decode("utf-8-sig").splitlines() if line.strip()]
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 at byte {error.start}", path) from None
    if not ids:
        raise DataError("names no items: expected a file of `evalsuite anchors`, or ids, one a line", path)
    return Selection(path, digest, {}, frozenset(ids))
