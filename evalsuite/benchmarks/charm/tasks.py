"""CHARM's tasks (Sun et al. 2024, section 3), a row each: seven of reasoning, and four about the facts that it rests on."""

from __future__ import annotations

from evalsuite.benchmarks.charm.reading import first_letter
from evalsuite.benchmarks.kinds import ANSWER, CHOICE
from evalsuite.types import Task

SETS = ("global", "chinese")  # the domains of commonsense

# The aspects of Chinese culture, in the order of section 3.1. Items of the global domain have none.
ASPECTS = {
    "历史": "history",
    "传统文化和艺术": "culture and arts",
    "日常生活和习俗": "life and customs",
    "娱乐": "entertainment",
    "公众人物": "public figures",
    "地理": "geography",
    "汉语语言": "language",
}

_TOKENS = 512  # as in the release's settings


def _reasoning(name: str, short: str, zh: str, en: str, file: str) -> Task:
    return Task(
        f"charm_{name}",
        short,
        zh,
        en,
        CHOICE,
        file,
        "reasoning",
        ("accuracy",),
        _TOKENS,
        "charm",
        prompts="reasoning",
        official=first_letter,
    )


def _memory(name: str, short: str, zh: str, en: str, file: str, judged_by: str = "charm") -> Task:
    return Task(
        f"charm_memory_{name}",
        short,
        zh,
        en,
        ANSWER,
        file,
        "memorization",
        ("contains",),
        _TOKENS,
        "charm",
        prompts="memory",
        judged_by=judged_by,
    )


_AJ, _TU = "Anachronisms_Judgment", "Time_Understanding"
_MMR, _SPU = "Movie_and_Music_Recommendation", "Sport_Understanding"

# `folder` and `file` make the path <folder>/<Set>_<file>.json.
TASKS_CHARM: dict[str, Task] = {
    task.local: task
    for task in (
        _reasoning("anachronisms", "AJ", "时代错误判断", "Anachronism judgment", _AJ),
        _reasoning("time", "TU", "时间理解", "Time understanding", _TU),
        _reasoning("sequence", "SqU", "顺序理解", "Sequence understanding", "Sequence_Understanding"),
        _reasoning("recommendation", "MMR", "影视音乐推荐", "Movie and music recommendation", _MMR),
        _reasoning("sport", "SpU", "体育理解", "Sport understanding", _SPU),
        _reasoning("nli", "NLI", "自然语言推断", "Natural language inference", "Natural_Language_Inference"),
        _reasoning("reading", "RC", "阅读理解", "Reading comprehension", "Reading_Comprehension"),
        _memory("anachronisms", "AJ-M", "时代错误判断（知识记忆）", "Anachronism judgment, facts", _AJ),
        _memory("time", "TU-M", "时间理解（知识记忆）", "Time understanding, facts", _TU),
        _memory(
            "recommendation", "MMR-M", "影视音乐推荐（知识记忆）", "Movie and music recommendation, facts", _MMR, ""
        ),
        _memory("sport", "SpU-M", "体育理解（知识记忆）", "Sport understanding, facts", _SPU),
    )
}
