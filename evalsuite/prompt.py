"""Item + shots + template -> Request. Evaluation and finetuning render their prompts with the same code.

A template (prompts/<benchmark>/<task>/<variant>.j2, or prompts/<benchmark>/<variant>.j2 for all tasks) renders one item up to
where its answer begins. A shot is such a text followed by its answer. A base model gets the shots joined by blank lines, a chat
model gets them as earlier turns. The variables of a template are VARIABLES and those of the benchmark (`Corpus.given`).

A template may begin with a YAML comment, whose keys are the fields of Head:

    {#- tokens: 1024
        answer_after: 答案： -#}
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

from evalsuite.common.dialogue import alike, is_copy
from evalsuite.common.errors import PromptError, unknown
from evalsuite.common.grouping import by_key
from evalsuite.common.resources import bundled
from evalsuite.common.templates import TemplateFile
from evalsuite.types import Item, Message, Request, Task

# docs/prompts.md has this table.
VARIABLES = {
    "dialogue": "the turns, a list of texts such as “A: 你好。”; empty where an item has no dialogue",
    "question": "the item's question or instruction, as the data have it",
    "options": "a list of (label, text), such as (“(a)”, “科幻片”); empty where there are no options",
    "listed": "the question with its options as the file prints them",
    "kind": "the name of the task's kind, such as choice, span or text",
}


class Head(BaseModel):
    """The keys of the comment at the top of a template, all optional."""

    model_config = ConfigDict(extra="forbid", strict=True)
    tokens: PositiveInt | None = Field(None, description="the longest reply, in tokens; default: the task's")
    answer_after: str = Field(
        "",
        description="the reply reasons first, and its answer follows these words; shots show them before the right answer",
    )
    system: str = Field(
        "", description="a system message before the prompt; for base models it stands in front of the text"
    )
    option_after: str | None = Field(
        None,
        description="the prompt's text goes on with this and an option; only the likelihoods of the options are asked",
    )


def wordings(folder: Path, task: Task) -> dict[str, Path]:
    """Wording -> path of its template for a task. Templates of `folder` take precedence over those that ship, and in each folder
    the task's own over those for all tasks of its benchmark. Names of wordings from other people's files are looked up in this
    mapping, so that they never become paths."""
    local = task.prompts or task.local
    built_in = [bundled("prompts") / "any" / task.built_in] if task.built_in else []
    shipped = (*built_in, *([task.templates] if task.templates else []), bundled("prompts") / task.benchmark)
    folders = dict.fromkeys((*shipped, folder / task.benchmark))
    return {path.stem: path for base in folders for part in (base, base / local) for path in sorted(part.glob("*.j2"))}


def usual_wording(folder: Path, task: Task, variant: str) -> str:
    """`variant`, but "plain" in place of "paper" if the task is a benchmark file's and has no wording "paper"."""
    return "plain" if variant == "paper" and task.built_in and "paper" not in wordings(folder, task) else variant


class Prompt:
    """A compiled template with its name and hash."""

    def __init__(
        self, folder: Path, task: Task, variant: str, given: Mapping[str, str] | None = None, system: str = ""
    ) -> None:
        """`folder`: a prompts folder, whose templates take precedence over those that ship. `given`: the benchmark's variables
        (`Corpus.given`). `system`: the model's system message, which stands before the wording's.

        Raises PromptError if the template is missing or broken; the message lists the task's templates.
        """
        known = wordings(folder, task)
        if variant not in known:
            looked = folder / task.benchmark / (task.prompts or task.local)
            raise PromptError(
                f"{unknown(f'prompt of {task.name}', variant, sorted(known))} A wording of yours: {looked / f'{variant}.j2'}, "
                "with --prompts (docs/prompts.md)."
            )
        self.path, self.variant, self.task = known[variant], variant, task
        self._template, self._given = TemplateFile(self.path), dict(given or {})
        head = self._template.head(Head)
        self.tokens, self.answer_after = head.tokens or task.max_new_tokens, head.answer_after
        self.option_after = head.option_after
        self.system = "\n\n".join(filter(None, (system, head.system.strip())))
        self.sha256 = self._template.sha256
        if self._given or system:
            facts = json.dumps([self.sha256, self._given, *([system] if system else [])], sort_keys=True)
            self.sha256 = hashlib.sha256(facts.encode()).hexdigest()

    @property
    def scorings(self) -> tuple[str, ...]:
        """The only scorings that fit the wording; () if all do."""
        return ("generate",) if self.answer_after else () if self.option_after is None else ("texts",)

    def render(self, item: Item) -> str:
        """The item's prompt, up to where its answer begins. Raises PromptError if the template cannot be rendered."""
        options = list(zip(item.labels, item.options, strict=True))
        values = (list(item.dialogue), item.question, options, item.listed, self.task.kind.name)
        return self._template.render(dict(zip(VARIABLES, values, strict=True)) | self._given, f"item {item.id}")

    def target(self, item: Item) -> str:
        """The right reply to the item's prompt, as shots show it and finetuning teaches it."""
        if self.option_after is not None:
            return self.option_after + item.references[0]
        form = self.task.forms.get(self.variant)
        return self.answer_after + (form.shown(item) if form else item.target)

    def request(self, item: Item, shots: Sequence[Item] = (), limit: int | None = None) -> Request:
        """The request for an item after its shots, in their order. `limit` replaces the wording's limit of tokens."""
        shown = [(self.render(shot), self.target(shot)) for shot in shots]
        last = self.render(item)
        messages = [m for text, answer in shown for m in (Message("user", text), Message("assistant", answer))]
        return Request(
            id=item.id,
            prompt="\n\n".join([*filter(None, [self.system]), *(text + answer for text, answer in shown), last]),
            messages=(
                *([Message("system", self.system)] if self.system else []),
                *messages,
                Message("user", last),
            ),
            max_new_tokens=limit or self.tokens,
            labels=item.labels,
            options=tuple((self.option_after or "") + option for option in item.options),
            answer_after=self.answer_after,
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
    dropped first; the question is never cut. A request that is too long without shots is returned, too: the engine fails it,
    so that it is recorded as failed, not as wrong.
    """
    for count in range(len(shots), 0, -1):
        request = prompt.request(item, shots[:count], limit)
        if tokens is None or context is None or tokens(request) + request.max_new_tokens <= context:
            return request, count
    return prompt.request(item, (), limit), 0


class Shots:
    """Draws few-shot examples from a training split. An item's id seeds its draw, so that draws do not depend on other items."""

    def __init__(self, train: Sequence[Item], seed: int) -> None:
        self.seed = seed
        self._groups = by_key((",".join(item.labels[gold] for gold in item.golds), item) for item in train)

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
            for label in list(labels):  # each round draws one example of each label
                shot = self._pick(unseen[label], rng, (item, *drawn))
                if shot is None:
                    labels.remove(label)
                else:
                    drawn.append(shot)
        return tuple(drawn[:count])

    @staticmethod
    def _pick(candidates: list[Item], rng: random.Random, others: Sequence[Item]) -> Item | None:
        """Remove random items of `candidates` up to one whose dialogue none of `others` shares; that item, or None."""
        while candidates:
            index = rng.randrange(len(candidates))
            candidates[index], candidates[-1] = candidates[-1], candidates[index]
            shot = candidates.pop()
            if not any(_are_alike(shot, other) for other in others):
                return shot
        return None


def _are_alike(first: Item, second: Item) -> bool:
    """Whether one item is too similar to be a shot of the other. Options in common, such as true and false, do not make items
    without a dialogue similar."""
    judge = is_copy if first.options and not first.dialogue else alike
    return judge(first.context, second.context)
