"""The judge's prompt template with its scales: prompts/judge/<name>.j2. A new rubric is a new file, no code.

The file begins with a YAML comment: scales, language (default zh), the longest reply in tokens, and the number of wordings of
the instruction. NAME_en is the English version of NAME. (The criteria that people see are `types.Rubric`.)

    {#- scales: [{name: creativity, zh: 创造性, low: 1, high: 5}]     # or words: {"[正确]": 1, "[错误]": 0}, for one scale
        language: en
        tokens: 256
        wordings: 3 -#}

The template sees `dialogue` (list of turns), `question`, `references` (list; empty where the judge is blind to the gold
answer), `candidate`, `task` (its name), and `wording` (0 for the first). Texts stand between fences such as [候选答案开始]
and [候选答案结束]. Fences inside the texts are defused, so that no candidate can close its own fence; all else is rendered byte
for byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evalsuite.analyses.judged.scale import JudgeScale
from evalsuite.benchmarks.registry import BENCHMARKS
from evalsuite.common.errors import PromptError, unknown
from evalsuite.common.fences import defuse_fences
from evalsuite.common.resources import bundled
from evalsuite.common.templates import TemplateFile
from evalsuite.types import Item


class _ScaleEntry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
    name: str = Field(min_length=1)
    low: int
    high: int
    zh: str = ""
    words: dict[str, int] = {}

    @model_validator(mode="after")
    def _rises(self) -> _ScaleEntry:
        if self.low >= self.high:
            raise ValueError(f"low {self.low} is not below high {self.high}")
        if any(not self.low <= score <= self.high for score in self.words.values()):
            raise ValueError(f"words: expected scores from {self.low} to {self.high}")
        if len({*self.words.values()}) == 1:
            raise ValueError("words: expected words of two scores or more")
        self.words = {word.lower(): score for word, score in self.words.items()}
        return self


class _RubricHead(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
    scales: list[_ScaleEntry] = Field(min_length=1)
    language: Literal["zh", "en"] = "zh"
    tokens: int = Field(default=256, ge=1)
    wordings: int = Field(default=1, ge=1)


class RubricTemplate:
    """A compiled template with its name, scales and hash."""

    def __init__(self, folder: Path, name: str) -> None:
        """Load <folder>/judge/<name>.j2, else the template that ships, else that of an installed benchmark package.

        Raises PromptError, which lists the known names, if no such template is there, and for a malformed one.
        """
        folders = [
            root / "judge"
            for root in (folder, bundled("prompts"), *(b.templates for b in BENCHMARKS.values() if b.templates))
        ]
        known = {path.stem: path for folder_ in reversed(folders) for path in sorted(folder_.glob("*.j2"))}
        if name not in known:
            looked = ", ".join(map(str, folders))
            raise PromptError(f"{unknown('rubric', name, sorted(known))} Looked in {looked}.")
        self.name, self.path = name, known[name]
        self._template = TemplateFile(self.path)
        if not self._template.source.lstrip().startswith("{#"):
            raise PromptError(f"{self.path}: expected a comment {{#- scales: … -#}} at the top")
        head = self._template.head(_RubricHead)
        if any(scale.words for scale in head.scales) and len(head.scales) > 1:
            raise PromptError(f"{self.path}: scales: words are for a rubric of one scale")
        self.scales = tuple(JudgeScale(s.name, s.low, s.high, s.zh, s.words) for s in head.scales)
        self.language, self.tokens, self.wordings = head.language, head.tokens, head.wordings
        self.sha256 = self._template.sha256

    def render(self, item: Item, candidate: str, blind: bool = False, wording: int = 0) -> str:
        """The prompt that asks for a score of `candidate` as an answer to the item; `blind` hides the references."""
        seen = {
            "dialogue": [defuse_fences(turn) for turn in item.dialogue],
            "question": defuse_fences(item.question),
            "references": [] if blind else [defuse_fences(text) for text in item.references],
            "candidate": defuse_fences(candidate),
            "task": item.task,
            "wording": wording,
        }
        return self._template.render(seen, f"item {item.id}")

    @property
    def reminder(self) -> str:
        """The text appended to the prompt when a reply had no readable score."""
        if words := self.scales[0].words:
            first, score = next(iter(words.items()))
            other = next(word for word in words if words[word] != score)
            return f"Note: the last line is {first} or {other}, and nothing else."
        return _REMINDERS[self.language](self.scales)


def _chinese_reminder(scales: Sequence[JudgeScale]) -> str:
    if len(scales) == 1:
        (scale,) = scales
        return f"注意：第一行只能是一个{scale.low}到{scale.high}之间的整数，不要有其他文字；从第二行起再作解释。"
    lines = "、".join(f"“{s.zh or s.name}：”加一个{s.low}到{s.high}之间的整数" for s in scales)
    return f"注意：请先输出{len(scales)}行，依次为{lines}，不要有其他文字；之后再作解释。"


def _english_reminder(scales: Sequence[JudgeScale]) -> str:
    if len(scales) == 1:
        (scale,) = scales
        first = f"the first line may be a whole number from {scale.low} to {scale.high} only"
    else:
        lines = ", ".join(f'"{s.name.capitalize()}: " and a whole number from {s.low} to {s.high}' for s in scales)
        first = f"the first {len(scales)} lines are {lines}"
    return f"Note: {first}, and nothing else; explain from the next line on."


_REMINDERS = {"zh": _chinese_reminder, "en": _english_reminder}
