"""C3's task (Sun et al. 2020), and the kinds of prior knowledge that its questions are annotated with."""

from __future__ import annotations

from evalsuite.benchmarks.kinds import CHOICE
from evalsuite.types import Answer, Item, Response, Status, Task

SETS = ("d", "m")  # dialogues, and texts of mixed genres
SPLITS = ("train", "dev", "test")

# The abbreviations of the annotations, in the order of the repository's README -> Chinese, English.
KINDS_OF_KNOWLEDGE = {
    "m": ("原文匹配", "Matching"),
    "l": ("语言知识", "Linguistic"),
    "s": ("专门知识", "Domain-specific"),
    "c-a": ("算术", "Arithmetic"),
    "c-o": ("言外之意", "Connotation"),
    "c-e": ("因果", "Cause-effect"),
    "c-i": ("蕴含", "Implication"),
    "c-p": ("部分与整体", "Part-whole"),
    "c-d": ("前提", "Precondition"),
    "c-h": ("情景", "Scenario"),
    "c-n": ("其他", "Other"),
}


def _first_capital(item: Item, response: Response) -> Answer:
    """Read a reply as OpenCompass does: its first capital letter names the option. Labels of renamed options take the
    letters' place."""
    names = item.indicators
    capitals = all(name.isupper() for name in names)
    found = ((n, t) for n, t in enumerate(response.text) if (t.isupper() if capitals else t in names))
    index, letter = next(found, (None, ""))
    if index is None or letter not in names:
        return Answer(Status.UNPARSED, rule="first capital letter")
    choice = names.index(letter)
    return Answer(Status.PARSED, choice, letter, "first capital letter", index, index + 1)


TASKS_C3: dict[str, Task] = {
    task.local: task
    for task in (
        Task(
            "c3_reading",
            "C3",
            "阅读选择",
            "Reading comprehension",
            CHOICE,
            "c3-{set}-{split}.json",
            "data",
            ("accuracy",),
            64,
            "c3",
            whole=True,
            official=_first_capital,
        ),
    )
}
