"""Item + shots + template -> Request. The same code renders what models are tested on and trained on.

A template (prompts/<benchmark>/<task>/<variant>.j2) renders one item up to the place where the answer goes. Shots are
that text with the answer behind it: a base model gets them joined by a blank line, a chat model as earlier turns.
Templates see `dialogue` (list of turns), `question`, and `options` (list of (label, text)), nothing else.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from evalsuite.common.dialogue import same_source
from evalsuite.common.errors import PromptError, unknown
from evalsuite.types import Item, Message, Request, Task


class Prompt:
    """A compiled template with its name and hash."""

    def __init__(self, folder: Path, task: Task, variant: str) -> None:
        """`folder` is the prompts folder; where it has none for the task, the benchmark's own templates are looked at.

        Raises PromptError, naming what there is, if the template is not there.
        """
        place = folder / task.benchmark / task.local
        if task.templates and not place.is_dir():  # a benchmark of another package brings its own
            place = task.templates / task.local
        self.path, self.variant, self.task = place / f"{variant}.j2", variant, task
        try:
            source = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            message = unknown(f"prompt of {task.name}", variant, sorted(p.stem for p in place.glob("*.j2")))
            raise PromptError(f"{message} Looked in {place}.") from None
        self.sha256 = hashlib.sha256(source.encode()).hexdigest()
        try:
            # Nothing in the data is markup, and a prompt must be the official bytes: no escaping.
            self._template: Template = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False).from_string(
                source
            )
        except TemplateError as error:
            raise PromptError(f"{self.path}: {error}") from None

    def render(self, item: Item) -> str:
        """The item as the model sees it, up to where its answer goes."""
        options = list(zip(item.labels, item.options, strict=True))
        try:
            return self._template.render(dialogue=list(item.dialogue), question=item.question, options=options)
        except TemplateError as error:
            raise PromptError(f"{self.path}: {error} (item {item.id})") from None

    def request(self, item: Item, shots: Sequence[Item] = (), limit: int | None = None) -> Request:
        """The request with those shots, in that order, before the item; `limit` replaces the task's reply length."""
        shown = [(self.render(shot), shot.target) for shot in shots]
        last = self.render(item)
        messages = [m for text, answer in shown for m in (Message("user", text), Message("assistant", answer))]
        return Request(
            id=item.id,
            prompt="\n\n".join([*(text + answer for text, answer in shown), last]),
            messages=(*messages, Message("user", last)),
            max_new_tokens=limit or self.task.max_new_tokens,
            labels=item.labels,
            options=item.options,
        )


def fit(
    prompt: Prompt,
    item: Item,
    shots: Sequence[Item],
    tokens: Callable[[Request], int] | None = None,
    context: int | None = None,
    limit: int | None = None,
) -> tuple[Request, int]:
    """The request with as many shots as leave prompt and reply within `context` tokens, and how many those are.

    Shots drawn last go first; the question is never cut. If even the bare question is too long it is returned as it
    is: the engine then fails it, which is recorded as a failure and never as a wrong answer.
    """
    for kept in range(len(shots), 0, -1):
        request = prompt.request(item, shots[:kept], limit)
        if tokens is None or context is None or tokens(request) + request.max_new_tokens <= context:
            return request, kept
    return prompt.request(item, (), limit), 0


class Shots:
    """Draws examples from a training split: seeded by the item's id, so that nothing depends on order or on other items."""

    def __init__(self, train: Sequence[Item], seed: int) -> None:
        self.seed = seed
        self._groups: dict[str, list[Item]] = {}
        for item in train:
            self._groups.setdefault(",".join(item.labels[gold] for gold in item.golds), []).append(item)

    def draw(self, item: Item, count: int) -> tuple[Item, ...]:
        """`count` examples, none of the item's own dialogue, no two of one dialogue, gold labels as even as can be.

        The first k of a larger draw are the smaller draw. Raises PromptError if the split has too few dialogues.
        """
        rng = random.Random(f"{self.seed}:shots:{item.id}")
        labels = sorted(self._groups)
        rng.shuffle(labels)
        unseen = {label: list(self._groups[label]) for label in labels}
        drawn: list[Item] = []
        while len(drawn) < count:
            if not labels:
                raise PromptError(
                    f"{item.id}: {count} shots asked for, but the training split has only {len(drawn)} of other dialogues"
                )
            for label in list(labels):  # one of each label in turn
                shot = self._pick(unseen[label], rng, (item, *drawn))
                if shot is None:
                    labels.remove(label)
                elif len(drawn) < count:
                    drawn.append(shot)
        return tuple(drawn)

    @staticmethod
    def _pick(left: list[Item], rng: random.Random, others: Sequence[Item]) -> Item | None:
        """Take a random item out of `left` that shares its dialogue with none of the others; None if there is none."""
        while left:
            place = rng.randrange(len(left))
            left[place], left[-1] = left[-1], left[place]
            shot = left.pop()
            if not any(same_source(shot.dialogue, other.dialogue) for other in others):
                return shot
        return None
