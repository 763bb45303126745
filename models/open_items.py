"""Task items made from plain dialogues, for training tiny-zh only: no person has judged them, nothing is scored on them.

* words: a word of the dialogue is masked among two random words of its length, or replaced by one (filling, conflict);
* clauses: what comes next in a turn is taken as the consequence, what comes before as the cause. Often wrong, but in form.
"""

from __future__ import annotations

import json
import random
import re
from itertools import pairwise
from pathlib import Path

import jieba

from evalsuite.authoring import Annotation, write_task_files
from evalsuite.benchmarks.corecode import BENCHMARK
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.benchmarks.corecode.ontology import Slot, slots
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE
from evalsuite.types import Item

_WORD = re.compile(r"[\u4e00-\u9fff]{2,4}")
_CLAUSE = re.compile(r"[^，。！？；：,.!?;: ~]{4,16}")


def open_items(paths: list[Path], folder: Path) -> list[Item]:
    """All items, built by evalsuite.authoring into `folder` and read back as any data are."""
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    dialogues = {(row := json.loads(line))["id"]: tuple(row["dialogue"]) for line in lines}
    words = {name: _words(dialogue) for name, dialogue in dialogues.items()}
    pool: dict[int, list[str]] = {n: [] for n in (2, 3, 4)}
    for found in words.values():
        for word in found:
            pool[len(word)].append(word)
    by_name = {slot.en: slot for slot in slots()}
    on_words, on_clauses = [], []
    for number, (name, dialogue) in enumerate(dialogues.items()):
        rng = random.Random(f"open:{name}")
        item_set = BENCHMARK.sets[number % 2]
        for word in rng.sample(words[name], min(3, len(words[name]))):
            others = [w for w in rng.sample(pool[len(word)], 6) if w not in "\n".join(dialogue)]
            if len(set(others)) >= 2:
                first, second = sorted(set(others))[:2]
                on_words.append(Annotation(name, item_set, dialogue, by_name["Has"], word, word, word, (first, second)))
        on_clauses += _clauses(name, item_set, dialogue, by_name, rng)
    no_split = (1.0, 0.0)
    write_task_files(on_words, folder / "words", shares=no_split)
    write_task_files(on_clauses, folder / "clauses", shares=no_split)
    wanted = {"words": ("knowledge_filling", "conflict_detection"),
              "clauses": ("knowledge_generation", "domain_identification", "slot_identification", "event_cause",
                          "subsequent_event", "clipped_subsequent_event")}  # fmt: skip
    return [
        item
        for part, names in wanted.items()
        for name in names
        for item_set in BENCHMARK.sets
        for item in CorecodeCorpus(BENCHMARK, folder / part).file(TASKS_CORECODE[name], item_set, "train").items
    ]


def _words(dialogue: tuple[str, ...]) -> list[str]:
    """Words of two to four characters that stand once in the dialogue, in order."""
    text = "\n".join(dialogue)
    return [w for w in dict.fromkeys(jieba.cut(text)) if _WORD.fullmatch(w) and text.count(w) == 1]


def _clauses(
    name: str, item_set: str, dialogue: tuple[str, ...], by_name: dict[str, Slot], rng: random.Random
) -> list[Annotation]:
    """Up to two neighbouring clauses of one turn, as cause or as consequence."""
    text = "\n".join(dialogue)
    pairs = []
    for turn in dialogue[2:]:
        parts = _CLAUSE.findall(turn[3:])
        pairs += [(a, b) for a, b in pairwise(parts) if text.count(a) == text.count(b) == 1]
    found = []
    for a, b in rng.sample(pairs, min(2, len(pairs))):
        slot, instance, value = rng.choice((("Event Cause", b, a), ("Subsequent Event", a, b)))
        found.append(
            Annotation(name, item_set, dialogue, by_name[slot], instance, value, value, (value[:-1], value[1:]))
        )
    return found
