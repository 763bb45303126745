"""The annotation page: one HTML file that holds the dialogues, the ontology and the rules, and needs no network."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evalsuite.authoring.annotations import load_rules
from evalsuite.benchmarks.corecode.ontology import ontology
from evalsuite.common import jsonl
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.files import replace_file
from evalsuite.page.report import assemble
from evalsuite.results.schema.annotation import REASONS, AnnotatedDialogue

_STYLES = ("page", "audit", "annotate")


def load_dialogues(path: Path, item_set: str = "easy") -> list[AnnotatedDialogue]:
    """Load dialogues to annotate: lines of {"id", "dialogue": [turns]}, or an annotations file to continue.

    Unknown keys are dropped. `item_set` is the set of lines that name none. Raises DataError with line and field.
    """
    dialogues: dict[str, AnnotatedDialogue] = {}
    for line, row in jsonl.read_objects(path):
        turns = row.get("dialogue")
        if not isinstance(turns, list) or not turns or not all(isinstance(t, str) and t.strip() for t in turns):
            raise DataError('expected a list of turns, such as "A: 你好。"', path, line, "dialogue")
        id = row.get("id")
        name = str(line) if id in (None, "") else str(id)
        if name in dialogues:
            raise DataError(f"{name} stands in the file already; ids have to differ", path, line, "id")
        known = {k: row[k] for k in AnnotatedDialogue.model_fields if k in row}
        try:
            dialogues[name] = AnnotatedDialogue.model_validate(
                {"set": item_set, "annotations": [], **known, "id": name}
            )
        except ValueError as error:
            raise DataError(f"{error}; `evalsuite build check {path}` says more", path, line) from None
    if not dialogues:
        raise DataError("holds no dialogues: expected JSON Lines, a dialogue a line", path)
    return list(dialogues.values())


def write_annotation_page(
    rows: Sequence[AnnotatedDialogue], out: Path, annotator: str = "", inspect: bool = False
) -> Path:
    """Write the page to `out` and return it; `inspect`: the inspectors' page.

    Raises ConfigError if its name does not end in .html.
    """
    if out.suffix != ".html":
        raise ConfigError(f"--out {out}: expected a name that ends in .html")
    out.parent.mkdir(parents=True, exist_ok=True)
    replace_file(out, assemble(annotation_page_data(rows, out.stem, annotator, inspect), "annotate", _STYLES))
    return out


def annotation_page_data(
    rows: Sequence[AnnotatedDialogue], name: str, annotator: str = "", inspect: bool = False
) -> dict[str, Any]:
    """The page's data. `hash` is in the key under which the browser stores work.

    The hash covers the dialogues only, so that a page with new proposals finds the annotations stored before. On a page for or
    after an inspection it also covers the annotations, so that those of the file replace the stored ones.
    """
    with_annotations = inspect or any(k.verdict for row in rows for k in row.annotations)
    dumped = [row.model_dump(exclude_defaults=True) for row in rows]
    hashed = json.dumps(
        [inspect, dumped] if with_annotations else [[r.id, r.set, r.dialogue] for r in rows], ensure_ascii=False
    )
    return {
        "hash": hashlib.sha256(hashed.encode("utf-8", "surrogatepass")).hexdigest()[:16],
        "name": name,
        "annotator": annotator,
        "inspect": inspect,
        "dialogues": dumped,
        "ontology": ontology(),
        "rules": load_rules(),
        "reasons": REASONS,
    }
