"""CICERO's tasks (Ghosal et al. 2022, section 3), a row each, and their questions."""

from __future__ import annotations

from evalsuite.benchmarks.cicero.metric import METRICS, answers_part
from evalsuite.benchmarks.kinds import CHOICE, CHOICES, TEXT
from evalsuite.types import Kind, Task

SETS = ("v1", "v2")

# The five questions (section 4), as the files spell them.
QUESTIONS = {
    "cause": "What is or could be the cause of target?",
    "subsequent_event": "What subsequent event happens or could happen following the target?",
    "prerequisite": "What is or could be the prerequisite of target?",
    "motivation": "What is or could be the motivation of target?",
    "reaction": "What is the possible emotional reaction of the listener in response to target?",
}

# Task -> the questions it asks. The two selection tasks ask all five.
ASKED = {
    **{name: (name,) for name in QUESTIONS},
    "clipped_subsequent_event": ("subsequent_event",),
    "chained_cause": ("cause",),
    "chained_subsequent_event": ("subsequent_event",),
    "single_answer": tuple(QUESTIONS),
    "all_answers": tuple(QUESTIONS),
}

# A chained task gives another event of the dialogue besides the target: the answer to another question about the target.
# Chained task -> (the event's name in the prompt, the question that it answers).
CHAINED = {"chained_cause": ("subsequent event", "subsequent_event"), "chained_subsequent_event": ("cause", "cause")}


def _row(name: str, short: str, zh: str, en: str, kind: Kind = TEXT, subset: str = "all") -> Task:
    metrics, tokens = {
        # The columns of Tables 4 and 5 without Sem-Sim, which needs an encoder.
        TEXT: (("bleu2", "meteor", "rouge_l", "cider"), 96),
        CHOICE: (("accuracy",), 64),
        # Room for the texts of all options, which the official models write.
        CHOICES: (("set_accuracy", "answer_f1", "answer_precision", "answer_recall"), 256),
    }[kind]
    return Task(
        f"cicero_{name}",
        short,
        zh,
        en,
        kind,
        "{split}.json",
        "",
        metrics,
        tokens,
        "cicero",
        subset=subset,
        own_part=answers_part if kind is CHOICES else None,
        own_metrics=METRICS if kind is CHOICES else (),
    )


_BOTH = "targets with cause and subsequent event"

# The order is that of Tables 4, 5, 8 and 9.
TASKS_CICERO: dict[str, Task] = {
    task.local: task
    for task in (
        _row("cause", "C", "原因", "Cause"),
        _row("subsequent_event", "SE", "后续事件", "Subsequent event"),
        _row("clipped_subsequent_event", "SEC", "后续事件（截断对话）", "Subsequent event, clipped"),
        _row("prerequisite", "P", "前提", "Prerequisite"),
        _row("motivation", "M", "动机", "Motivation"),
        _row("reaction", "R", "情绪反应", "Emotional reaction"),
        _row("chained_cause", "CC", "链式原因", "Chained cause", subset=_BOTH),
        _row("chained_subsequent_event", "CSEv", "链式后续事件", "Chained subsequent event", subset=_BOTH),
        _row("single_answer", "SAS", "单选", "Single answer selection", CHOICE, "one right answer"),
        _row("all_answers", "AAS", "多选", "All answers selection", CHOICES),
    )
}
