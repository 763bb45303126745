"""The official CIDER repository -> Items, in five dialogue-level folds (Ghosal et al. 2021).

Properties of the official files, and their treatment:
* each fold has a test file, and folds share no dialogue: a fold's training split consists of the test files of the other four
  (section 5.1), so the official training files are not needed;
* the files of span selection count folds from 0, all other files and our sets from 1;
* contexts of spans and choices have no speaker marks and end with the latent spans; they are kept as a single turn;
* the files of relation prediction hold lemmatised spans; those of dialogue-level NLI are not public, so its positives are
  the annotated triplets in the annotators' words and its negatives come from dnli.py;
* several questions may be equal for one dialogue with different answers; they remain separate items, as in the paper.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

from evalsuite.benchmarks.cider import files
from evalsuite.benchmarks.cider.dnli import CLASSES, NEGATIVES, Triplet, negatives
from evalsuite.benchmarks.cider.relations import RELATIONS, parse_question
from evalsuite.benchmarks.cider.tasks import FOLDS, SPLITS, TASKS_CIDER
from evalsuite.benchmarks.corpus import Corpus, File
from evalsuite.common.errors import DataError
from evalsuite.types import Item, Task

SEED = 0  # the seed of the negatives; part of `File.sha256`

# Dialogue without span questions -> its fold in the repository's code/mcq/dataset/ids, which gives the counts of Table 3. (A
# fourth such dialogue, dream-0003, has no triplet of the 31 relations.)
_UNASKED = {"daily-dialogue-0805": "fold1", "daily-dialogue-3480": "fold4", "mutual-0220": "fold5"}


class CiderCorpus(Corpus):
    """A clone of the official repository, or a folder in its layout, or a parent of one."""

    expected = "data/cider_main.json and code/…"

    def is_root(self, folder: Path) -> bool:
        return files.annotations_path(folder).is_file()

    def path(self, task: Task, set: str, split: str) -> Path:
        """The fold's test file, or the annotations. Training items and NLI items come from further files, too."""
        return files.annotations_path(self.root) if task.local == "dnli" else files.test_path(self.root, task, set)

    def has(self, task: Task, set: str, split: str) -> bool:
        if set not in FOLDS or split not in SPLITS:
            return False
        if task.local == "dnli":  # the span questions of all folds tell which fold a dialogue is in
            return all(files.test_path(self.root, TASKS_CIDER["span_extraction"], fold).is_file() for fold in FOLDS)
        return all(files.test_path(self.root, task, fold).is_file() for fold in _sources(set, split))

    def load(self, task: Task, set: str, split: str) -> File:
        file = self._dnli(set, split) if task.local == "dnli" else self._joined(task, set, split)
        return replace(file, items=tuple(replace(item, group=category(item)) for item in file.items))

    def _test(self, task: Task, fold: str) -> File:
        return self.once(
            ("test", task.name, fold), lambda: files.load_test(self.root, task, fold, skip_bad=self.skip_bad)
        )

    def _joined(self, task: Task, set: str, split: str) -> File:
        if split == "test":
            return self._test(task, set)
        tests = [self._test(task, fold) for fold in _sources(set, split)]
        items: dict[str, Item] = {}
        for test in tests:
            for item in test.items:
                new_id = item.id.replace(f"{item.set}/test", f"{set}/train", 1)
                if new_id in items:
                    raise DataError(f"{new_id.rpartition('/')[2]} stands in another fold's file, too", test.path)
                items[new_id] = replace(item, id=new_id, set=set, split=split)
        skipped = tuple(error for test in tests for error in test.skipped)
        return File(tests[0].path, tuple(items.values()), skipped, _hash(*(test.sha256 for test in tests)))

    def _dnli(self, set: str, split: str) -> File:
        path = files.annotations_path(self.root)
        annotations = self.once(("annotations",), lambda: files.read_annotations(path, skip_bad=self.skip_bad))
        spans = [self._test(TASKS_CIDER["span_extraction"], fold) for fold in FOLDS]
        folds = {item.id.split("/")[-1].rpartition("-triplet-")[0]: item.set for file in spans for item in file.items}
        items = tuple(
            item
            for dialogue in annotations.dialogues
            # A dialogue in no fold has no usable triplet.
            if (fold := folds.get(dialogue.id) or _UNASKED.get(dialogue.id)) and fold in _sources(set, split)
            for item in nli_items(dialogue, set, split)
        )
        sha256 = _hash(annotations.sha256, *(file.sha256 for file in spans), f"seed {SEED}")
        # A broken span question may be the only one that tells which fold its dialogue is in.
        skipped = (*annotations.skipped, *(error for file in spans for error in file.skipped))
        return File(path, items, skipped, sha256)


def _sources(set: str, split: str) -> list[str]:
    """The folds whose test files make up a split."""
    return [fold for fold in FOLDS if (fold == set) == (split == "test")]


def _hash(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def nli_items(dialogue: files.RelationDialogue, set: str, split: str) -> Iterator[Item]:
    """Each true triplet of a dialogue, followed by false ones made from it: 2 in training, 8 in testing (section 5.2.1).

    The question is head, relation and tail, separated by tabs. An item's number is that of its true triplet, such as
    "dream-0606-triplet-3", with "-not-1", … appended for a false one. False triplets are distinct within a dialogue, so a draw
    depends on the earlier draws of its dialogue and on no other dialogue.
    """
    taken: list[Triplet] = []
    for true in dialogue.triplets:
        prefix = f"cider/{set}/{split}/dnli/{dialogue.id}-triplet-{true.origin}"
        rng = Random(f"{SEED}:negatives:{prefix}")
        false = [triplet for _, triplet in negatives(true, dialogue.triplets, NEGATIVES[split], rng, taken)]
        taken += false
        for n, triplet in enumerate((true, *false)):
            yield Item(
                f"{prefix}-not-{n}" if n else prefix,
                "cider_dnli",
                set,
                split,
                dialogue.turns,
                f"{triplet.head}\t{triplet.relation}\t{triplet.tail}",
                CLASSES,
                ("(a)", "(b)"),
                int(n > 0),
                (CLASSES[n > 0],),
            )


def relation_of(item: Item) -> str:
    """The relation in an item's question or answer; for a false triplet the claimed one."""
    if item.task == "cider_dnli":
        return item.question.split("\t")[1]
    if item.task.startswith("cider_relation"):
        return item.references[0]
    head_and_relation = parse_question(item.question)
    assert head_and_relation is not None, f"{item.id}: no question of Table 10"  # the loader rejects others
    return head_and_relation[1]


def category(item: Item) -> str:
    """The category of an item's relation, as in the paper's Table 7."""
    return RELATIONS[relation_of(item)].category
