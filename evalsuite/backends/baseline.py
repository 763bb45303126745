"""Baselines without a model: a floor for models, and `oracle`, a ceiling that checks the suite itself.

They reply in text like a model, so their answers pass through the same parser and metrics.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from evalsuite.backends.base import Replies, TrainingItems, WithoutEngine, in_groups
from evalsuite.backends.model import Model
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS
from evalsuite.common.dialogue import asked_event
from evalsuite.common.errors import BackendError, unknown
from evalsuite.types import Item, Request, Response, Trial

_Answer = tuple[int, ...] | str  # positions of the right options, or a text
_SPEAKER = re.compile(r"^[^\W\d_]{0,2}:")  # a speaker mark; turns of some benchmarks have none, but times such as 8:30
_PIECES = re.compile(r"[^，。！？；,.!?;~～…]+")


class Baseline(WithoutEngine):
    """One of four baselines, chosen by the model's path: random, majority, lexical, oracle."""

    def __init__(self, model: Model, train: TrainingItems) -> None:
        kinds: dict[str, Callable[[Item], str]] = {
            "random": _random,
            "majority": self._majority,
            "lexical": lexical,
            "oracle": lambda item: item.target,
        }
        if model.path not in kinds:
            raise BackendError(f"model {model.name}: {unknown('baseline', model.path, kinds)}")
        # Two items with the same prompt may have different answers, so replies of `oracle` are stored by item.
        self.settings: dict[str, Any] = {"by": "item"} if model.path == "oracle" else {}
        # The number is a version: since 2, `majority` answers by position, and a time is no speaker for `random` and `lexical`.
        self.fingerprint = f"baseline:{model.path}:{1 if model.path == 'oracle' else 2}"
        # (task, set) -> fingerprint there: replies of `majority` depend on the training items of that task and set alone.
        self.fingerprints: dict[tuple[str, str], str] = {}
        self._reply = kinds[model.path]
        self._favourites: dict[tuple[str, str], list[_Answer]] = {}
        if model.path == "majority":
            for pair in ((t.name, item_set) for t in TASKS.values() for item_set in BENCHMARKS[t.benchmark].sets):
                # The answers of the training split (dev if there is none), the most frequent first; ties in their order.
                counts = Counter(item.golds or item.target for item in train(*pair))
                if counts:
                    self._favourites[pair] = favourites = [answer for answer, _ in counts.most_common()]
                    digest = hashlib.sha256(repr(favourites).encode()).hexdigest()
                    self.fingerprints[pair] = f"{self.fingerprint}:{digest[:16]}"

    def generate(self, requests: Sequence[Request], done: Sequence[bool]) -> Replies:
        raise BackendError(f"{self.fingerprint}: a baseline answers a benchmark's items, not prompts")

    def answer(self, trials: Sequence[Trial], done: Sequence[bool]) -> Replies:
        return in_groups((n, self._response(trial.item)) for n, trial in enumerate(trials) if not done[n])

    def _response(self, item: Item) -> Response:
        try:
            return Response(self._reply(item), "stop")
        except BackendError as error:
            return Response("", "error", error=str(error))

    def _majority(self, item: Item) -> str:
        """The most frequent position of the right option, under the item's own labels; without options the most frequent text."""
        if (item.task, item.set) not in self._favourites:
            raise BackendError(f"no training or dev file of {item.task} ({item.set}): no majority to know")
        answers = self._favourites[item.task, item.set]
        if not item.options:
            return next(answer for answer in answers if isinstance(answer, str))
        # Positions, not letters, since a perturbation may change the labels.
        indices = next((a for a in answers if not isinstance(a, str) and max(a) < len(item.options)), (0,))
        return ", ".join(item.indicators[index] for index in indices)


def _random(item: Item) -> str:
    """A random option; for spans and free texts a random piece of the dialogue between punctuation marks."""
    rng = random.Random(f"baseline:random:{item.id}")
    if item.options:
        return rng.choice(item.labels)
    return rng.choice(pieces(item) or [item.question])


def lexical(item: Item) -> str:
    """The option or piece of dialogue with the largest lexical overlap, by character bigrams.

    Choice: the option with the largest share of its bigrams in the dialogue. Causal question: the neighbour of the
    piece most like the event (the piece before for a cause, after for a consequence). Conflict span: the piece with the
    rarest bigrams of the dialogue.
    """
    if item.options:
        known = bigrams("\n".join(item.dialogue) + item.question.partition("\n")[2] if item.dialogue else item.question)
        shares = [len(bigrams(o) & known) / len(bigrams(o)) for o in item.options]
        return item.labels[shares.index(max(shares))]
    candidates = pieces(item)
    if not candidates:
        return item.question
    event = asked_event(item.question)
    if event is None:
        counts = Counter(bigram for piece in candidates for bigram in bigrams(piece))
        return min(candidates, key=lambda p: (sum(counts[bigram] for bigram in bigrams(p)) / len(bigrams(p)), -len(p)))
    wanted = bigrams(event)
    best = max(
        range(len(candidates)),
        key=lambda n: len(bigrams(candidates[n]) & wanted) / len(bigrams(candidates[n]) | wanted),
    )
    # Every official question contains "不要…解释原因" before its event, so look for 原因 only after the event.
    step = -1 if "原因" in item.question.rpartition("”")[2] else 1
    return candidates[min(max(best + step, 0), len(candidates) - 1)]


def pieces(item: Item) -> list[str]:
    """The pieces of the dialogue between punctuation marks, at least two characters long, without speaker marks."""
    turns = (_SPEAKER.sub("", turn) for turn in item.dialogue)
    return [piece.strip() for turn in turns for piece in _PIECES.findall(turn) if len(piece.strip()) > 1]


def bigrams(text: str) -> set[str]:
    """The character bigrams of a text; the text itself if it is shorter."""
    return {text[i : i + 2] for i in range(len(text) - 1)} or {text}
