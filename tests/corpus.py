"""Real replies of 69 models to multiple-choice questions, read and held against their labels.

    EVALSUITE_ANSWERS=<folder> python tests/corpus.py

writes into docs/parsing.md and its Chinese page how they are read, by style of reply and by family of models. The replies are
others' and are not part of the project: `fixtures/corpus/labels.jsonl` has for each its id in `corpus.jsonl` of that folder, the
SHA-256 of its text without blanks at its ends, and its label. Two language models labelled all of them without seeing each
other's labels, by the rules of evalsuite/parse and with the question at hand; a third reading decided where they differed.
`blind`: not looked at, label or reply, before the reader was first measured on it. `draw` 2 and 3: later draws, each labelled by
one reader before it was read, after what was seen before had been mended; they have no style.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

from run_files import read_jsonl

from evalsuite.parse import parse_option, parse_options

LABELS = Path(__file__).parent / "fixtures" / "corpus" / "labels.jsonl"
PARTS = ("grown on", "held back", "second draw", "third draw")
KINDS = ("right", "wrong", "invented", "missed")
STYLES = {
    "bare": "the letter alone", "lead": "答案是X, the answer is X", "letter+text": "letter and text", "text": "the option's text",
    "reasoned": "reasons first", "verdicts": "a verdict on each option", "runon": "goes on with other questions",
    "other": "another style, or no answer",
}  # fmt: skip
FAMILIES = {
    "GPT-4, GPT-4o": r"gpt-?4", "GPT-3.5": r"gpt-?3\.?5", "Gemini 1.5": "gemini", "DeepSeek, Mixtral, Llama 3.1": r"deepseek|mixtral|llama-3",
    "Qwen": "qwen", "GLM, InternLM, Yi": r"^(?:chat)?glm|^internlm|^yi-", "Baichuan, XVERSE": "baichuan|xverse",
    "law models (2023)": r"law|fuzi|wisdom|hanfei|lexi", "Llama 1 and 2, Vicuna and kin": r"llama|vicuna|alpaca|wizard|freewilly|yulan|ziya|gogpt|belle|moss|tigerbot",
}  # fmt: skip

CHINESE = {
    "question": "题型", "style": "回复的写法", "models": "模型", "replies": "回复数", "no answer": "无答案",
    "right": "读对", "wrong": "读错", "invented": "无中生有", "missed": "漏读",
    "one option": "单选", "several options": "多选", "grown on": "开发用", "held back": "留出", "second draw": "第二次抽样", "third draw": "第三次抽样",
    "the letter alone": "只有字母", "答案是X, the answer is X": "答案是 X、the answer is X", "letter and text": "字母加文本", "the option's text": "选项文本",
    "reasons first": "先讲理由", "a verdict on each option": "逐项判断", "goes on with other questions": "接着写别的题", "another style, or no answer": "其他写法或没有答案",
    "GLM, InternLM, Yi": "GLM、书生、Yi", "Baichuan, XVERSE": "百川、元象", "law models (2023)": "法律模型（2023）",
    "DeepSeek, Mixtral, Llama 3.1": "DeepSeek、Mixtral、Llama 3.1", "GPT-4, GPT-4o": "GPT-4、GPT-4o", "Llama 1 and 2, Vicuna and kin": "Llama 1、2，Vicuna 等",
}  # fmt: skip
BEGIN, END = "<!-- confusion, made by tests/corpus.py -->\n", "<!-- end of confusion -->"
DOCS = Path(__file__).parents[1] / "docs"

Row = dict[str, Any]


class MissingReplies(Exception):
    """Raised where the folder of labelled replies is not on this machine."""


@lru_cache(maxsize=1)
def replies() -> list[Row]:
    """The labelled replies, each with its question, options, model, label and style. Raises MissingReplies."""
    path = Path(os.environ.get("EVALSUITE_ANSWERS") or "/nowhere") / "corpus.jsonl"
    if not path.exists():
        raise MissingReplies("needs the replies of others: set EVALSUITE_ANSWERS to the folder of corpus.jsonl")
    known = {row["id"]: row for row in read_jsonl(path)}
    found: list[Row] = []
    for label in read_jsonl(LABELS):
        row = known.get(label["id"])
        if row is None or hashlib.sha256(row["output"].strip().encode()).hexdigest() != label["sha256"]:
            raise MissingReplies(f"{path}: reply {label['id']} is not the one that was labelled")
        found.append(row | label)
    return found


def read_label(row: Row) -> Any:
    """The label that the reader takes a reply to choose, or None; a list of them where several may be right."""
    labels = list(row["options"])
    if "labels" in row:
        return [labels[n] for n in parse_options(row["output"], row["options"], question=row["question"]).choices]
    choice = parse_option(row["output"], row["options"], question=row["question"]).choice
    return None if choice is None else labels[choice]


@lru_cache(maxsize=1)
def kinds() -> dict[str, str]:
    """Reply's id -> how it is read: right, wrong (another answer), invented (it has none), missed."""
    found: dict[str, str] = {}
    for row in replies():
        got, wanted = read_label(row), row.get("label", row.get("labels"))
        found[row["id"]] = "right" if got == wanted else "invented" if not wanted else "wrong" if got else "missed"
    return found


def kind(row: Row) -> str:
    return kinds()[row["id"]]


def part(row: Row) -> str:
    """The part of the corpus that a reply belongs to."""
    return PARTS[int(row["blind"]) + row.get("draw", 1) - 1]


def family(model: str) -> str:
    return next(name for name, pattern in FAMILIES.items() if re.search(pattern, model, re.IGNORECASE))


def table(heading: str, groups: dict[str, list[Row]], words: dict[str, str]) -> str:
    """A table in Markdown: for each group its replies, those without an answer, and how they are read. `words`: translations."""

    def translate(name: str) -> str:
        return words.get(name) or ("，" if words else ", ").join(words.get(part, part) for part in name.split(", "))

    heads = [translate(name) for name in (heading, "replies", "no answer", *KINDS)]
    lines = [f"| {' | '.join(heads)} |", "|---|" + "--:|" * (2 + len(KINDS))]
    for name, rows in groups.items():
        counts = Counter(map(kind, rows))
        none = sum(not row.get("label", row.get("labels")) for row in rows)
        lines.append(
            f"| {translate(name)} | {len(rows)} | {none} | " + " | ".join(str(counts[k] or "") for k in KINDS) + " |"
        )
    return "\n".join(lines)


def tables(words: dict[str, str]) -> str:
    rows = replies()
    halves = {
        f"{question}, {half}": [row for row in rows if ("labels" in row) == several and part(row) == half]
        for half in PARTS
        for question, several in (("one option", False), ("several options", True))
    }
    groups = {
        "question": {name: half for name, half in halves.items() if half},
        "style": {name: [row for row in rows if row.get("style") == key] for key, name in STYLES.items()},
        "models": {name: [row for row in rows if family(row["model"]) == name] for name in FAMILIES},
    }
    return "\n\n".join(table(heading, parts, words) for heading, parts in groups.items()) + "\n"


def main() -> None:
    for name, words in (("parsing.md", {}), ("parsing.zh.md", CHINESE)):
        before, rest = (DOCS / name).read_text("utf-8").split(BEGIN)
        (DOCS / name).write_text(f"{before}{BEGIN}{tables(words)}{END}{rest.split(END)[1]}", "utf-8")


if __name__ == "__main__":
    main()
