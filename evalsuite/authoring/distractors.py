"""Wrong options of knowledge filling: those that annotators wrote, or those that a discriminator finds hard.

Adversarial filtering (Zellers et al. 2018), as in CIDER (appendix A) and CICERO (alternate choices): a discriminator is
trained to tell the right phrase from the wrong ones; wrong options that it recognizes are replaced by candidates that it
scores higher, until its accuracy stops falling. This removes stylistic cues that give the answer away. Differences from
those papers, so that it works with few questions:

* Candidates are phrases of the same slot from other dialogues of the split (right and conflict phrases), not generated.
* The discriminator's features are frozen and only its head is fitted, so that in every iteration every question is scored
  by a head that has not seen its dialogue (new folds each time); the papers score a third or a fifth.
* A question's candidates come from its own group of dialogues, and folds consist of whole groups. Otherwise a head would
  know a candidate as the right phrase of another question, and filtering would collect such phrases.
* It stops at chance, and changes only some questions per iteration to stop close to it: below chance, the right phrase
  would be recognizable by its lowest score.

A candidate may happen to be right. Candidates in the dialogue or similar to the right phrase are left out, but a person
should review the result, as CICERO's annotators did.
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

from evalsuite.authoring.charts import line_chart
from evalsuite.authoring.classifier import ConditionalLogit, char_ngrams, hashed_features
from evalsuite.authoring.task_files import Annotation
from evalsuite.backends.baseline import bigrams
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.files import replace_file

DISTRACTOR_KINDS = ("annotated", "adversarial")
Filled = tuple[str, str]  # (utterance with [MASK], option)
# N pairs -> (N, F) features, dense or scipy.sparse, with rows of length about 1
Features = Callable[[Sequence[Filled]], Any]
_ALIKE = 0.5  # Jaccard similarity of character bigrams from which a candidate counts as the right phrase
MASK = "[MASK]"
_FOLDS = 3  # each classifier trains on two thirds, as CIDER's do
_ITERATIONS, _PATIENCE = 35, 5  # the most iterations, and the most in a row without progress
_PART = 0.1  # share of the questions that an iteration changes
_TOLERANCE = 0.005  # a fall of the accuracy by less is no progress
_GROUPS = 6  # the most groups of dialogues
# A question with fewer candidates than the first number gets a wider pool; it gets at most the second.
_CANDIDATES = (8, 30)


@dataclass(frozen=True, slots=True)
class FillingQuestion:
    """A knowledge filling question to filter."""

    group: int  # number of its group of dialogues; its scores come from classifiers fitted on other groups
    text: str  # the utterance with [MASK]
    right: str
    wrong: tuple[str, ...]  # before filtering
    candidates: tuple[str, ...]  # possible replacements


@dataclass(frozen=True, slots=True)
class Filtered:
    """Result of filtering. Entry n of accuracy, loss and replaced belongs to iteration n, before its changes."""

    wrong: tuple[tuple[str, ...], ...]  # the wrong options of each question, after filtering
    accuracy: tuple[float, ...]  # on held-out dialogues
    loss: tuple[float, ...]  # mean cross-entropy on them, in nats
    replaced: tuple[int, ...]  # wrong options replaced in the iteration
    kept: int  # the iteration whose options are `wrong`
    chance: float
    converged: bool  # False if the iterations ran out


def ngram_features(filled: Sequence[Filled]) -> Any:
    """Features without a network: the option's length and character n-grams, alone and with two characters of context."""

    def row(text: str, option: str) -> Iterator[str]:
        before, _, after = text.partition(MASK)
        yield f"length {len(option)}"
        yield from char_ngrams(option)
        yield from char_ngrams(f"{before[-2:]}{option}{after[:2]}")

    return hashed_features(row(*each) for each in filled)


def filter_distractors(questions: Sequence[FillingQuestion], features: Features, seed: str = "0") -> Filtered:
    """Filter the wrong options of questions.

    Stops when the accuracy is at chance, has not fallen by more than _TOLERANCE for _PATIENCE iterations, or nothing is
    left to replace. An iteration changes a share _PART of the questions, those answered with most certainty: the easiest
    wrong option (as in CIDER) is replaced by the candidate with the highest score (as in CICERO). Raises ConfigError for
    fewer than two groups of dialogues.
    """
    groups = sorted({q.group for q in questions})
    if len(groups) < 2:
        raise ConfigError(
            "adversarial distractors: expected annotations of two dialogues or more, to train and to test on"
        )
    chance = math.fsum(1 / (1 + len(q.wrong)) for q in questions) / len(questions)
    texts = [[q.right, *dict.fromkeys((*q.wrong, *q.candidates))] for q in questions]
    filled = [(q.text, option) for q, options in zip(questions, texts, strict=True) for option in options]
    row_of = {pair: n for n, pair in enumerate(dict.fromkeys(filled))}
    seen = features(list(row_of))
    # Feature rows of each question: the right phrase, then all wrong options and candidates.
    rows = [np.array([row_of[q.text, o] for o in options]) for q, options in zip(questions, texts, strict=True)]
    # Indices into texts[n]: 0 is the right phrase.
    wrong = [[options.index(w) for w in q.wrong] for q, options in zip(questions, texts, strict=True)]
    states: list[list[list[int]]] = []
    accuracy: list[float] = []
    loss: list[float] = []
    replaced: list[int] = []
    best, converged = 0, False
    for iteration in range(_ITERATIONS):
        order = groups[:]
        random.Random(f"{seed}:distractors:folds:{iteration}").shuffle(order)
        fold_of = {group: n % _FOLDS for n, group in enumerate(order)}
        scores = _scores([fold_of[q.group] for q in questions], seen, rows, wrong)
        states.append([w[:] for w in wrong])
        right, nats = zip(*(_outcome(x, w) for x, w in zip(scores, wrong, strict=True)), strict=True)
        accuracy.append(math.fsum(right) / len(right))
        loss.append(math.fsum(nats) / len(nats))
        if accuracy[-1] < accuracy[best] - _TOLERANCE:
            best = iteration
        changes = {
            n: change for n, (x, w) in enumerate(zip(scores, wrong, strict=True)) if (change := _replacement(x, w))
        }
        converged = accuracy[-1] <= chance or iteration - best >= _PATIENCE or not changes
        certain = sorted(changes, key=lambda n: (nats[n], n))[: max(1, round(_PART * len(questions)))]
        replaced.append(0 if converged else len(certain))
        if converged:
            break
        for n in certain:
            wrong[n][changes[n][0]] = changes[n][1]
    final = min(range(len(accuracy)), key=lambda n: (accuracy[n], loss[n]))
    return Filtered(
        tuple(tuple(options[i] for i in w) for options, w in zip(texts, states[final], strict=True)),
        tuple(round(a, 6) for a in accuracy),
        tuple(round(x, 6) for x in loss),
        tuple(replaced),
        final,
        chance,
        converged,
    )


def _scores(
    folds: Sequence[int], seen: Any, rows: Sequence[Any], wrong: Sequence[Sequence[int]]
) -> list[np.ndarray[Any, Any]]:
    """The scores of each question's texts (right phrase, wrong options, candidates) by a head fitted on the other folds."""
    scores: list[np.ndarray[Any, Any]] = [np.empty(0)] * len(rows)
    for fold in sorted(set(folds)):
        others = [n for n, f in enumerate(folds) if f != fold]
        known = np.concatenate([rows[n][[0, *wrong[n]]] for n in others])
        head = ConditionalLogit.fit(seen[known], [1 + len(wrong[n]) for n in others], [0] * len(others), penalty=0.1)
        for n, f in enumerate(folds):
            if f == fold:
                scores[n] = np.round(seen[rows[n]] @ head.weights, 9)
    return scores


def _outcome(scores: np.ndarray[Any, Any], wrong: Sequence[int]) -> tuple[float, float]:
    """(1.0 if the right phrase scores highest, shared in ties; its negative log-likelihood in nats)."""
    offered = scores[[0, *wrong]]
    top = offered.max()
    right = float(offered[0] == top) / int((offered == top).sum())
    return right, float(top + np.log(np.exp(offered - top).sum()) - offered[0])


def _replacement(scores: np.ndarray[Any, Any], wrong: Sequence[int]) -> tuple[int, int] | None:
    """(index of the easiest wrong option, index of the highest-scoring candidate to replace it).

    None if the easiest scores at least as high as the right phrase, or no candidate scores higher than the easiest.
    """
    easiest = min(range(len(wrong)), key=lambda n: (scores[wrong[n]], n))
    free = [n for n in range(1, len(scores)) if n not in wrong]
    if not free or scores[wrong[easiest]] >= scores[0]:
        return None
    hardest = max(free, key=lambda n: (scores[n], -n))
    return (easiest, hardest) if scores[hardest] > scores[wrong[easiest]] else None


# --- annotations


def make_questions(annotations: Sequence[Annotation], seed: str = "0") -> list[FillingQuestion]:
    """One question per annotation. Dialogues are assigned to groups at random.

    Candidates are drawn from phrases of the same slot in other dialogues of the group; if these are too few, from those of the
    same domain, then of the same dimension, then from all.
    """
    least, most = _CANDIDATES
    dialogues = sorted({a.dialogue_id for a in annotations})
    random.Random(f"{seed}:distractors:groups").shuffle(dialogues)
    # At least two dialogues per group, since candidates come from other dialogues.
    group_of = {d: n % max(2, min(_GROUPS, len(dialogues) // 2)) for n, d in enumerate(dialogues)}
    questions = []
    for number, a in enumerate(annotations):
        whole = "\n".join(a.dialogue)
        near = [
            o
            for o in annotations
            if o.dialogue_id != a.dialogue_id and group_of[o.dialogue_id] == group_of[a.dialogue_id]
        ]
        pool: list[str] = []
        for alike in _POOLS:
            phrases = dict.fromkeys(p for o in near if alike(o) == alike(a) for p in (o.phrase, *o.conflicts))
            pool = [p for p in phrases if p not in a.conflicts and p not in whole and not _is_alike(p, a.phrase)]
            if len(pool) >= least:
                break
        rng = random.Random(f"{seed}:distractors:candidates:{a.dialogue_id}:{number}")
        drawn = tuple(rng.sample(pool, min(most, len(pool))))
        text = a.utterance(MASK)
        questions.append(FillingQuestion(group_of[a.dialogue_id], text, a.phrase, a.conflicts, drawn))
    return questions


# The pools of candidates, each wider than the one before: a pool is the annotations for which the function returns the same.
_POOLS: tuple[Callable[[Annotation], object], ...] = (
    lambda a: a.slot,
    lambda a: (a.slot.dimension, a.slot.domain),
    lambda a: a.slot.dimension,
    lambda a: None,
)


def _is_alike(first: str, second: str) -> bool:
    if first in second or second in first:
        return True
    a, b = bigrams(first), bigrams(second)
    return len(a & b) / len(a | b) >= _ALIKE


@dataclass
class AdversarialDistractors:
    """The `distractors` of `write_task_files`: filters each split separately, so that none sees another's phrases."""

    features: Features
    results: dict[str, Filtered] = field(default_factory=dict)  # "seed:set:split" -> result

    def __call__(self, annotations: Sequence[Annotation], purpose: str) -> list[tuple[str, ...]]:
        if len({a.dialogue_id for a in annotations}) < 2:  # too few to train on
            return [a.conflicts for a in annotations]
        self.results[purpose] = filter_distractors(make_questions(annotations, purpose), self.features, purpose)
        return list(self.results[purpose].wrong)

    def write(self, out: Path) -> list[Path]:
        """Write out/distractors.json and, per set and split, an SVG of the accuracy per iteration; returns the paths."""
        out.mkdir(parents=True, exist_ok=True)
        filtered = {p: {k: v for k, v in asdict(f).items() if k != "wrong"} for p, f in self.results.items()}
        texts = {
            "distractors.json": json.dumps({"format": 1, "filtered": filtered}, ensure_ascii=False, indent=1) + "\n"
        }
        for purpose, f in self.results.items():
            name = purpose.partition(":")[2]
            title = f"discriminator, {name.replace(':', ' ')}"
            texts[f"distractors.{name.replace(':', '.')}.svg"] = line_chart(title, f.accuracy, f.chance)
        for name, text in texts.items():
            replace_file(out / name, text)
        return [out / name for name in texts]


def make_distractors(kind: str, discriminator: str, models: str | Path) -> AdversarialDistractors | None:
    """The filter for `--distractors KIND --discriminator NAME`; None for annotated distractors.

    A discriminator is "ngrams" or an hf model of the file `models`. Raises ConfigError for other names.
    """
    if kind not in DISTRACTOR_KINDS:
        raise ConfigError(f"--distractors: {unknown('kind', kind, DISTRACTOR_KINDS)}")
    if kind == "annotated":
        return None
    if discriminator == "ngrams":
        return AdversarialDistractors(ngram_features)
    from evalsuite.authoring.discriminator import NetworkFeatures
    from evalsuite.backends.models import load_models
    from evalsuite.common.resources import resolve

    return AdversarialDistractors(NetworkFeatures(load_models(resolve(models), [discriminator])[0]))
