"""Wrong options of knowledge filling: those that annotators wrote, or those that a discriminator finds hard.

Adversarial filtering (Zellers et al. 2018), as CIDER (appendix A) and CICERO (section on alternate choices) have it: a
discriminator learns to tell the right phrase from the wrong ones, and wrong ones that it sees through are replaced by
candidates that it takes for right, again and again, until its accuracy falls no further. What it then cannot use any more are
traits of style that give an answer away. Three things differ from theirs, each to use all questions and few of them:

* candidates are phrases of the same slot from other dialogues of the split (right ones and conflict phrases), not generated;
* the discriminator's features are frozen and only its head is fitted, so that every question is scored in every iteration by
  a head that has not seen its dialogue (folds drawn anew each time), where theirs scores a third or a fifth;
* a question's candidates come from its own group of dialogues, and folds are made of whole groups: a head that knows a
  candidate as another question's right phrase would take it for right, and filtering would gather such phrases instead of
  hard ones;
* it stops at chance, and changes a part of the questions at a time to land there: below chance the right phrase would be
  known by scoring lowest.

A candidate may happen to be right: candidates in the dialogue or much like the right phrase are left out, but a person should
look at what comes out, as CICERO's annotators did.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from evalsuite.authoring.charts import line
from evalsuite.authoring.classifier import ConditionalLogit, bags
from evalsuite.authoring.classifier import pieces as ngrams
from evalsuite.authoring.task_files import Annotation
from evalsuite.backends.baseline import pairs
from evalsuite.common.errors import ConfigError, unknown

KINDS = ("annotated", "adversarial")
# (utterance with [MASK], option) each -> (N, F) features, dense or scipy.sparse, rows about as long as 1: what a discriminator
# sees of them.
Filled = tuple[str, str]
Features = Callable[[Sequence[Filled]], Any]
_ALIKE = 0.5  # shared character pairs (Jaccard) from which a candidate is taken for the right phrase again
MASK = "[MASK]"
_FOLDS = 3  # as CIDER, which trains on two thirds


@dataclass(frozen=True, slots=True)
class Question:
    """What is filtered for one annotation: the utterance with [MASK] where the options go."""

    group: int  # of dialogues; heads that score it are fitted on other groups
    text: str
    right: str
    wrong: tuple[str, ...]  # to begin with
    candidates: tuple[str, ...]  # what these may be replaced by


@dataclass(frozen=True, slots=True)
class Filtered:
    """`wrong` of each question after filtering. Entry n of the others is about the state before iteration n's changes."""

    wrong: tuple[tuple[str, ...], ...]
    accuracy: tuple[float, ...]  # of heads on dialogues that they have not seen
    loss: tuple[float, ...]  # their mean cross-entropy, in nats
    replaced: tuple[int, ...]  # wrong options changed after it
    kept: int  # the state that `wrong` is
    chance: float
    converged: bool  # False: the iterations ran out before

    def plot(self, title: str) -> str:
        """The accuracy per iteration, as SVG."""
        return line(title, self.accuracy, self.chance, "chance")


def ngram_features(filled: Sequence[Filled]) -> Any:
    """Length and character n-grams of the option, alone and with its neighbours: a discriminator that needs no network."""

    def row(text: str, option: str) -> Iterator[str]:
        before, _, after = text.partition(MASK)
        yield f"length {len(option)}"
        yield from ngrams(option)
        yield from ngrams(f"{before[-2:]}{option}{after[:2]}")

    return bags(row(*each) for each in filled)


def adversarial(
    questions: Sequence[Question],
    features: Features,
    seed: str = "0",
    iterations: int = 35,
    part: float = 0.1,
    patience: int = 5,
    tolerance: float = 0.005,
) -> Filtered:
    """Filter until the accuracy is down to chance, or has not fallen by more than `tolerance` for `patience` iterations, or
    nothing is left to replace. An iteration changes a `part` of the questions, those that are answered with most certainty:
    their easiest wrong option (as CIDER's) becomes the candidate with the highest score (as CICERO's). Raises ConfigError if
    there is one group of dialogues only."""
    groups = sorted({q.group for q in questions})
    if len(groups) < 2:
        raise ConfigError(
            "adversarial distractors: expected annotations of two dialogues or more, to train and to test on"
        )
    chance = sum(1 / (1 + len(q.wrong)) for q in questions) / len(questions)
    texts = [[q.right, *dict.fromkeys((*q.wrong, *q.candidates))] for q in questions]
    filled = [(q.text, option) for q, options in zip(questions, texts, strict=True) for option in options]
    place = {pair: n for n, pair in enumerate(dict.fromkeys(filled))}
    seen = features(list(place))
    # Of the right phrase and all that may be wrong.
    rows = [np.array([place[q.text, o] for o in options]) for q, options in zip(questions, texts, strict=True)]
    # Indices into texts[n]: 0 is the right phrase.
    wrong = [[options.index(w) for w in q.wrong] for q, options in zip(questions, texts, strict=True)]
    states: list[list[list[int]]] = []
    accuracy: list[float] = []
    loss: list[float] = []
    replaced: list[int] = []
    best, converged = 0, False
    for iteration in range(iterations):
        order = groups[:]
        random.Random(f"{seed}:distractors:folds:{iteration}").shuffle(order)
        fold_of = {group: n % _FOLDS for n, group in enumerate(order)}
        scores = _scores([fold_of[q.group] for q in questions], seen, rows, wrong)
        states.append([w[:] for w in wrong])
        right, nats = zip(*(_outcome(x, w) for x, w in zip(scores, wrong, strict=True)), strict=True)
        accuracy.append(math.fsum(right) / len(right))
        loss.append(math.fsum(nats) / len(nats))
        if accuracy[-1] < accuracy[best] - tolerance:
            best = iteration
        changes = {n: change for n, (x, w) in enumerate(zip(scores, wrong, strict=True)) if (change := _harder(x, w))}
        converged = accuracy[-1] <= chance or iteration - best >= patience or not changes
        certain = sorted(changes, key=lambda n: (nats[n], n))[: max(1, round(part * len(questions)))]
        replaced.append(0 if converged else len(certain))
        if converged:
            break
        for n in certain:
            wrong[n][changes[n][0]] = changes[n][1]
    kept = min(range(len(accuracy)), key=lambda n: (accuracy[n], loss[n]))
    return Filtered(
        tuple(tuple(options[i] for i in w) for options, w in zip(texts, states[kept], strict=True)),
        tuple(round(a, 6) for a in accuracy), tuple(round(x, 6) for x in loss), tuple(replaced), kept,
        chance, converged,
    )  # fmt: skip


def _scores(
    folds: Sequence[int], seen: Any, rows: Sequence[Any], wrong: Sequence[Sequence[int]]
) -> list[np.ndarray[Any, Any]]:
    """For each question how its right phrase, wrong options and candidates score with a head fitted on other folds."""
    found: list[np.ndarray[Any, Any]] = [np.empty(0)] * len(rows)
    for fold in sorted(set(folds)):
        others = [n for n, f in enumerate(folds) if f != fold]
        known = np.concatenate([rows[n][[0, *wrong[n]]] for n in others])
        head = ConditionalLogit.fit(seen[known], [1 + len(wrong[n]) for n in others], [0] * len(others), penalty=0.1)
        for n, f in enumerate(folds):
            if f == fold:
                found[n] = np.round(seen[rows[n]] @ head.weights, 9)
    return found


def _outcome(scores: np.ndarray[Any, Any], wrong: Sequence[int]) -> tuple[float, float]:
    """Whether the right phrase scores highest (a tie is shared), and its negative log-likelihood."""
    mine = scores[[0, *wrong]]
    top = mine.max()
    right = float(mine[0] == top) / int((mine == top).sum())
    return right, float(top + np.log(np.exp(mine - top).sum()) - mine[0])


def _harder(scores: np.ndarray[Any, Any], wrong: Sequence[int]) -> tuple[int, int] | None:
    """(which of the wrong options, by which candidate): the easiest, if the right phrase beats it, by the one that scores
    highest of those that score higher than it. None: leave them."""
    easiest = min(range(len(wrong)), key=lambda n: (scores[wrong[n]], n))
    free = [n for n in range(1, len(scores)) if n not in wrong]
    if not free or scores[wrong[easiest]] >= scores[0]:
        return None
    hardest = max(free, key=lambda n: (scores[n], -n))
    return (easiest, hardest) if scores[hardest] > scores[wrong[easiest]] else None


# --- annotations


def questions(
    annotations: Sequence[Annotation], seed: str = "0", groups: int = 6, most: int = 30, least: int = 8
) -> list[Question]:
    """A question an annotation. Dialogues are dealt to `groups` at random; up to `most` candidates are drawn from phrases of
    the slot in other dialogues of the group, where there are fewer than `least` of the domain, then of the dimension, then
    any."""
    dialogues = sorted({a.dialogue_id for a in annotations})
    random.Random(f"{seed}:distractors:groups").shuffle(dialogues)
    # Two dialogues or more in each: a dialogue's candidates come from others.
    group_of = {d: n % max(2, min(groups, len(dialogues) // 2)) for n, d in enumerate(dialogues)}
    found = []
    for number, a in enumerate(annotations):
        whole = "\n".join(a.dialogue)
        near = [
            o
            for o in annotations
            if o.dialogue_id != a.dialogue_id and group_of[o.dialogue_id] == group_of[a.dialogue_id]
        ]
        pool: list[str] = []
        for alike in _WIDER:
            phrases = dict.fromkeys(p for o in near if alike(o) == alike(a) for p in (o.phrase, *o.conflicts))
            pool = [p for p in phrases if p not in a.conflicts and p not in whole and not _same(p, a.phrase)]
            if len(pool) >= least:
                break
        rng = random.Random(f"{seed}:distractors:candidates:{a.dialogue_id}:{number}")
        drawn = tuple(rng.sample(pool, min(most, len(pool))))
        text = a.utterance(MASK)
        found.append(Question(group_of[a.dialogue_id], text, a.phrase, a.conflicts, drawn))
    return found


_WIDER: tuple[Callable[[Annotation], object], ...] = (
    lambda a: a.slot,
    lambda a: (a.slot.dimension, a.slot.domain),
    lambda a: a.slot.dimension,
    lambda a: None,
)


def _same(one: str, other: str) -> bool:
    if one in other or other in one:
        return True
    a, b = pairs(one), pairs(other)
    return len(a & b) / len(a | b) >= _ALIKE


@dataclass
class Adversarial:
    """For `task_files.build(distractors=…)`: filters each split on its own, so that none sees another's phrases, and keeps how
    each went."""

    features: Features
    settings: dict[str, Any] = field(default_factory=dict)  # of `adversarial`
    went: dict[str, Filtered] = field(default_factory=dict)  # by purpose, "seed:set:split"

    def __call__(self, annotations: Sequence[Annotation], purpose: str) -> list[tuple[str, ...]]:
        if len({a.dialogue_id for a in annotations}) < 2:  # too few to train on: as they were written
            return [a.conflicts for a in annotations]
        self.went[purpose] = adversarial(questions(annotations, purpose), self.features, purpose, **self.settings)
        return list(self.went[purpose].wrong)

    def write(self, out: Path) -> list[Path]:
        """out/distractors.json, and an SVG of the accuracy per iteration for each set and split. Their paths."""
        out.mkdir(parents=True, exist_ok=True)
        told = {p: {k: v for k, v in asdict(f).items() if k != "wrong"} for p, f in self.went.items()}
        texts = {"distractors.json": json.dumps({"format": 1, "filtered": told}, ensure_ascii=False, indent=1) + "\n"}
        for purpose, f in self.went.items():
            place = purpose.partition(":")[2]
            texts[f"distractors.{place.replace(':', '.')}.svg"] = f.plot(f"discriminator, {place.replace(':', ' ')}")
        for name, text in texts.items():
            (out / name).write_text(text, encoding="utf-8")
        return [out / name for name in texts]


def chooser(kind: str, discriminator: str = "ngrams", models: str | Path = "bundled:models.yaml") -> Adversarial | None:
    """For `--distractors KIND --discriminator NAME`: None for annotated. A discriminator is "ngrams", or a model of the
    file on the backend hf. Raises ConfigError for others."""
    if kind not in KINDS:
        raise ConfigError(f"--distractors: {unknown('kind', kind, KINDS)}")
    if kind == "annotated":
        return None
    if discriminator == "ngrams":
        return Adversarial(ngram_features)
    from evalsuite.authoring.discriminator import NetworkFeatures
    from evalsuite.backends.models import load_models
    from evalsuite.common.resources import resolve

    return Adversarial(NetworkFeatures(load_models(resolve(models), [discriminator])[0]))
