"""Build task files in CIDER's official layout from annotations, as the paper describes (section 5).

This made the bundled sample from its data/cider_main.json; a test rebuilds it and compares the bytes. Unlike in the
official files, wrong options are other spans of the dialogue, without adversarial filtering, and spans are not lemmatised.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from evalsuite.benchmarks.cider import files
from evalsuite.benchmarks.cider.dnli import Triplet
from evalsuite.benchmarks.cider.relations import RELATIONS, question_for
from evalsuite.benchmarks.cider.tasks import FOLDS, TASKS_CIDER
from evalsuite.common.files import replace_file

_HEADER = (
    "Unnamed: 0",
    "video-id",
    "fold-ind",
    "startphrase",
    "sent1",
    "sent2",
    "gold-source",
    "ending0",
    "ending1",
    "ending2",
    "ending3",
    "label",
)


def build_sample(root: Path) -> None:
    """Write the test files of five folds beside data/cider_main.json. Dialogues are assigned to the folds in turn."""
    dialogues = files.read_annotations(files.annotations_path(root)).dialogues
    numbers = count()  # continuous over the folds, as in the official files
    for number, fold in enumerate(FOLDS):
        own = dialogues[number :: len(FOLDS)]
        asked = [(d, t, question) for d in own for t in d.triplets if (question := question_for(t.head, t.relation))]
        _write_json(
            files.test_path(root, TASKS_CIDER["span_extraction"], fold),
            [_span(d, t, question) for d, t, question in asked],
        )
        choices = (_choice(n, d, t, question) for n, (d, t, question) in enumerate(asked))
        _write_csv(files.test_path(root, TASKS_CIDER["span_selection"], fold), _HEADER, [row for row in choices if row])
        _write_csv(
            files.test_path(root, TASKS_CIDER["relation_prediction"], fold),
            ("id", "sentence1", "sentence2", "label"),
            [
                (next(numbers), _spoken(d), f"{t.head.lower()} [SEP] {t.tail.lower()}", t.relation)
                for d in own
                for t in d.triplets
            ],
        )
    names = root / TASKS_CIDER["relation_prediction"].folder / "relations.txt"
    replace_file(names, "".join(f"{name}\n" for name in RELATIONS))


def _spoken(dialogue: files.RelationDialogue) -> str:
    """The utterances without speaker marks."""
    return " ".join(turn[3:] for turn in dialogue.turns)


def _context(dialogue: files.RelationDialogue) -> str:
    """The utterances without speaker marks, followed by the spans that do not occur in them."""
    spoken = _spoken(dialogue)
    spans = dict.fromkeys(span for t in dialogue.triplets for span in (t.head, t.tail))
    return " ".join([spoken, *(span for span in spans if span not in spoken)])


def _span(dialogue: files.RelationDialogue, true: Triplet, question: str) -> dict[str, Any]:
    context = _context(dialogue)
    answers = [{"text": true.tail, "answer_start": context.index(true.tail)}]
    return {
        "context": context,
        "qas": [{"id": _number(dialogue, true), "is_impossible": False, "question": question, "answers": answers}],
    }


def _choice(n: int, dialogue: files.RelationDialogue, true: Triplet, question: str) -> tuple[object, ...] | None:
    """A row of span selection; None if the dialogue has fewer than three wrong spans."""
    right = {t.tail for t in dialogue.triplets if (t.head, t.relation) == (true.head, true.relation)}
    wrong = sorted({span for t in dialogue.triplets for span in (t.head, t.tail)} - right - {true.head})
    if len(wrong) < 3:
        return None
    number = _number(dialogue, true)
    rng = Random(f"0:options:{number}")
    options = [true.tail, *rng.sample(wrong, 3)]
    rng.shuffle(options)
    context = _context(dialogue)
    return n, number, 0, question, context, question, "gen", *options, options.index(true.tail)


def _number(dialogue: files.RelationDialogue, true: Triplet) -> str:
    return f"{dialogue.id}-triplet-{true.origin}"


def _write_json(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, json.dumps(rows, ensure_ascii=False, indent=1) + "\n")


def _write_csv(path: Path, header: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    replace_file(path, text.getvalue())
