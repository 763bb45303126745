"""Item + shots + template -> Request. Evaluation and finetuning render their prompts with the same code.

A template (prompts/<benchmark>/<task>/<variant>.j2) renders one item up to where its answer begins. A shot is that text
followed by its answer. A base model gets the shots joined by blank lines, a chat model gets them as earlier turns.
The variables of a template are `dialogue` (list of turns), `question` and `options` (list of (label, text)).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

from evalsuite.common.dialogue import alike
from evalsuite.common.errors import PromptError, unknown
from evalsuite.common.templates import TemplateFile
from evalsuite.types import Item, Message, Request, Task


class Prompt:
    """A compiled template with its name and hash."""

    def __init__(self, folder: Path, task: Task, variant: str) -> None:
        """`folder` is the prompts folder. If it has none for the task, the benchmark's own templates (`Task.templates`)
        are used.

        Raises PromptError if the template is missing or broken; the message lists the task's templates.
        """
        place = folder / task.benchmark / task.local
        if task.templates and not place.is_dir():  # of a benchmark in another package
            place = task.templates / task.local
        known = {
            path.stem: path for path in place.glob("*.j2")
        }  # a variant may be a stranger's: it never becomes a path
        if variant not in known:
            message = unknown(f"prompt of {task.name}", variant, sorted(known))
            raise PromptError(f"{message} Looked in {place}.")
        self.path, self.variant, self.task = known[variant], variant, task
        self._template = TemplateFile(self.path)
        self.sha256 = self._template.sha256

    def render(self, item: Item) -> str:
        """The item's prompt, up to where its answer begins. Raises PromptError if the template cannot be rendered."""
        options = list(zip(item.labels, item.options, strict=True))
        shown = {"dialogue": list(item.dialogue), "question": item.question, "options": options}
        return self._template.render(shown, f"item {item.id}")

    def target(self, item: Item) -> str:
        """The right reply to the item's prompt, as shots show it and finetuning teaches it."""
        form = self.task.forms.get(self.variant)
        return form.shown(item) if form else item.target

    def request(self, item: Item, shots: Sequence[Item] = (), limit: int | None = None) -> Request:
        """The request: the shots in the given order, then the item. `limit` replaces the task's `max_new_tokens`."""
        shown = [(self.render(shot), self.target(shot)) for shot in shots]
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


def fit_shots(
    prompt: Prompt,
    item: Item,
    shots: Sequence[Item],
    tokens: Callable[[Request], int] | None = None,
    context: int | None = None,
    limit: int | None = None,
) -> tuple[Request, int]:
    """The request with as many shots as fit, and their number: prompt and reply stay within `context` tokens.

    tokens: counts the prompt tokens of a request. Without `tokens` or `context` all shots are kept. The last shots are
    dropped first; the question is never cut. If it does not fit without shots either, the request is returned all the
    same: the engine then fails it, and it is recorded as failed, not as wrong.
    """
    for kept in range(len(shots), 0, -1):
        request = prompt.request(item, shots[:kept], limit)
        if tokens is None or context is None or tokens(request) + request.max_new_tokens <= context:
            return request, kept
    return prompt.request(item, (), limit), 0


class Shots:
    """Draws few-shot examples from a training split. The item's id seeds its draw, so the draws of items are independent."""

    def __init__(self, train: Sequence[Item], seed: int) -> None:
        self.seed = seed
        self._groups: dict[str, list[Item]] = {}
        for item in train:
            self._groups.setdefault(",".join(item.labels[gold] for gold in item.golds), []).append(item)

    def draw(self, item: Item, count: int) -> tuple[Item, ...]:
        """`count` examples from distinct dialogues, none from the item's own, with gold labels balanced.

        A smaller draw is a prefix of a larger one. Raises PromptError if the split has too few dialogues.
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
            for label in list(labels):  # one example of each label in turn
                shot = self._pick(unseen[label], rng, (item, *drawn))
                if shot is None:
                    labels.remove(label)
                elif len(drawn) < count:
                    drawn.append(shot)
        return tuple(drawn)

    @staticmethod
    def _pick(left: list[Item], rng: random.Random, others: Sequence[Item]) -> Item | None:
        """Remove and return a random item of `left` whose dialogue none of `others` shares; None if there is none."""
        while left:
            place = rng.randrange(len(left))
            left[place], left[-1] = left[-1], left[place]
            shot = left.pop()
            if not any(alike(shot.dialogue, other.dialogue) for other in others):
                return shot
        return None
