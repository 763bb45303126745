"""CORECODE's tasks, one row each, in the order of the paper's section 4."""

from __future__ import annotations

from evalsuite.benchmarks.corecode import option_names
from evalsuite.benchmarks.kinds import CHOICE, SPAN, TEXT
from evalsuite.types import Answer, Item, Kind, OptionNames, Response, Task

# Kind -> (folder in the official layout, metrics, most tokens of a reply). The tokens allow a sentence of reasoning before the
# answer; longer replies count as truncated.
_KINDS = {
    CHOICE: ("multiple_choice", ("accuracy",), 64),
    SPAN: ("span_extraction", ("f1", "em"), 64),
    TEXT: ("generation", ("f1", "em"), 96),
}


def _row(
    name: str, short: str, zh: str, en: str, kind: Kind, whole: bool = True, names: OptionNames | None = None
) -> Task:
    folder, metrics, tokens = _KINDS[kind]
    return Task(
        name,
        short,
        zh,
        en,
        kind,
        _FILES[name],
        folder,
        metrics,
        tokens,
        "corecode",
        whole=whole,
        marking=_STRICT if kind is SPAN else None,
        official=_listed_forms if kind is CHOICE else None,
        option_names=names,
    )


def _listed_forms(item: Item, response: Response) -> Answer:
    """Read a reply by the answer forms in the paper's section 5 alone."""
    from evalsuite.parse import parse_option

    return parse_option(response.text, dict(zip(item.labels, item.options, strict=True)), mode="paper")


# The instruction for people who mark spans, in Chinese and English.
_STRICT = (
    "应为对话中与上下文常识不符的那段文本；多出整句对话或解释而未指明的算错。",
    "It should be the piece of the dialogue at odds with commonsense; a whole turn or an explanation that names no "
    "piece is wrong.",
)


# Task -> the name of its official files; the path is <set>/<folder>/<split>/<file>.jsonl.
_FILES = {
    "knowledge_filling": "Commonsense_Knowledge_Filling",
    "knowledge_generation": "Commonsense_Knowledge_Generation",
    "conflict_detection": "Commonsense_Conflict_Phrase_Detection",
    "domain_identification": "Domain_Identification",
    "slot_identification": "Slot_Identification",
    "event_cause": "Event_Causal_Inference--Event_Cause_Inference",
    "subsequent_event": "Event_Causal_Inference--Subsequent_Event_Inference",
    "clipped_subsequent_event": "Event_Causal_Inference--Clipped_Subsequent_Event_Inference",
}
TASKS_CORECODE: dict[str, Task] = {
    task.local: task
    for task in (
        _row("knowledge_filling", "CKF", "常识知识填充", "Knowledge filling", CHOICE, False),
        _row("knowledge_generation", "CKG", "常识知识生成", "Knowledge generation", TEXT),
        _row("conflict_detection", "CCPD", "常识冲突短语检测", "Conflict phrase detection", SPAN, False),
        _row("domain_identification", "DI", "领域识别", "Domain identification", CHOICE, names=option_names.DOMAINS),
        _row("slot_identification", "SI", "槽位识别", "Slot identification", CHOICE, names=option_names.SLOTS),
        _row("event_cause", "EC", "事件原因推断", "Event cause", TEXT),
        _row("subsequent_event", "SE", "后续事件推断", "Subsequent event", TEXT),
        _row("clipped_subsequent_event", "CSE", "后续事件推断（截断对话）", "Clipped subsequent event", TEXT, False),
    )
}
