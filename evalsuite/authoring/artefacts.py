"""Artefact checks: can a benchmark be answered without reading its dialogues? A check is a guesser and its score.

Guessers are partial-input baselines (Gururangan et al. 2018, Poliak et al. 2018). They are fitted on the training items
(dev items if there are none) whose dialogues do not occur in the tested split; leaked dialogues have a check of their own.
Choices are scored by accuracy, texts by character F1 and exact match.

A check is above chance if p < 0.05 in a one-sided binomial test at the effective number of independent items
(`metrics.statistics.effective_size`, and `few_size` of fewer than 30 dialogues), after Holm's correction over the report.
For guessers fitted on the tested file itself (label and position prior), p is first multiplied by the number of labels or of
positions (Bonferroni).
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module

from evalsuite.authoring.classifier import ConditionalLogit, char_ngrams, hashed_features, nearest_texts
from evalsuite.backends.baseline import bigrams, lexical, pieces
from evalsuite.benchmarks.corpus import Corpus
from evalsuite.common.dialogue import asked_event, sources
from evalsuite.metrics.exact import char_f1, exact_match
from evalsuite.metrics.statistics import RESAMPLED, effective_size, few_size, holm, wilson
from evalsuite.types import Item, Kind, Task

Guess = tuple[int, ...] | str  # tied option indices (empty: no answer), or a text
Items = Sequence[Item]
Guesser = Callable[[Items, Items], list[Guess] | None]  # (training items, tested items); None: does not apply
_DRAWS = 20  # random answers per item, for the chance level of texts
SOLVED = 0.5  # gain above which a task counts as solved without the dialogue


@dataclass(frozen=True, slots=True)
class ArtefactCheck:
    """A guesser with its name, its description, and what it sees."""

    name: str
    says: str  # its description, for the page
    guess: Guesser
    reads: bool = False  # whether it sees the dialogue
    inside: bool = False  # whether it is fitted on the tested file itself
    lookup: bool = False  # whether it also sees training items of leaked dialogues


@dataclass(frozen=True, slots=True)
class GuesserScore:
    """Score of a guesser on one file. Figures are in [0, 1]; low and high are Wilson's 95 % interval."""

    task: str
    set: str
    split: str
    check: str
    measure: str  # "accuracy" | "f1" | "exact"
    items: int
    value: float
    low: float
    high: float
    chance: float  # expected score of a random option, training answer or (spans) piece of the dialogue
    p: float  # one-sided, Holm-adjusted over the report
    verdict: str

    @property
    def gain(self) -> float:
        """(value - chance) / (1 - chance): 0 is chance, 1 is perfect."""
        return (self.value - self.chance) / (1 - self.chance) if self.chance < 1 else 0.0

    @property
    def above(self) -> bool:
        return self.p < 0.05


def run_checks(corpus: Corpus, split: str = "test") -> tuple[GuesserScore, ...]:
    """Run all checks on all files of a split, in the order of tasks and sets. Raises DataError for malformed lines."""
    scores = [f for task, item_set in corpus.files(split) for f in _check_file(corpus, task, item_set, split)]
    adjusted = holm({str(n): f.p for n, f in enumerate(scores)})
    return tuple(_with_verdict(replace(f, p=adjusted[str(n)])) for n, f in enumerate(scores))


def _with_verdict(f: GuesserScore) -> GuesserScore:
    check = CHECKS[f.check]
    if not f.above:
        words = "no better than chance"
    elif check.lookup:
        words = "can be looked up in what is given for training"
    else:
        how = "understanding" if check.reads else "reading"
        words = (
            f"can be solved without {how} the dialogue"
            if f.gain >= SOLVED
            else f"{100 * f.gain:.0f} % of what guessing misses is had without {how} the dialogue"
        )
    return replace(f, verdict=words)


def _check_file(corpus: Corpus, task: Task, item_set: str, split: str) -> Iterator[GuesserScore]:
    tested = corpus.file(task, item_set, split).items
    if not tested or not task.kind.written or task.kind.several:
        return
    known = corpus.labelled(task.name, item_set) if split == "test" else corpus.train(task.name, item_set)
    numbers = sources([i.context for i in (*tested, *known)])
    of_tested = numbers[: len(tested)]
    fresh = [i for i, source in zip(known, numbers[len(tested) :], strict=True) if source not in {*of_tested}]
    measures = _measures(task.kind)
    chances = {name: measure.chance(tested, fresh) for name, measure in measures.items()}
    for check in CHECKS.values():
        guesses = check.guess(known if check.lookup else fresh, tested)
        if guesses is None:
            continue
        for name, measure in measures.items():
            if check.lookup and name == "f1":  # a looked-up answer is exact or missing
                continue
            values = [measure.value(i, g) for i, g in zip(tested, guesses, strict=True)]
            chance = 0.0 if check.lookup else chances[name]
            size = few_size if 1 < len({*of_tested}) < RESAMPLED else effective_size
            n, value = size(values, of_tested), math.fsum(values) / len(values)
            interval = wilson(value * n, n)
            # Chance is at least one hit in all draws, since zero hits do not mean probability 0.
            drawn = 1 / (_DRAWS * len(tested)) if not task.kind.options and not check.lookup else 0.0
            p = _at_least(value * n, n, max(chance, drawn))
            if check.inside:
                positions = max(len(i.options) for i in tested)
                p = min(1.0, p * (len({i.references for i in tested}) if check.name == "label" else positions))
            yield GuesserScore(
                task.name,
                item_set,
                split,
                check.name,
                name,
                len(tested),
                round(value, 6),
                round(interval.low, 6),
                round(interval.high, 6),
                round(chance, 6),
                p,
                "",
            )


def _at_least(right: float, n: float, chance: float) -> float:
    """Upper tail of the binomial distribution: P(at least `right` of n) at probability `chance`; n need not be whole."""
    if right <= 1e-9 or chance >= 1:
        return 1.0
    return float(import_module("scipy.special").betainc(right, n - right + 1, chance))


# --- scores of guesses, and chance levels


@dataclass(frozen=True, slots=True)
class _Measure:
    """A score of guesses, and the expected score of random ones."""

    value: Callable[[Item, Guess], float]
    chance: Callable[[Items, Items], float]  # tested, training


def _credit(item: Item, guess: Guess) -> float:
    """1 for the right option, shared equally among tied guesses."""
    return 1 / len(guess) if item.gold in guess else 0.0


def _random_option(tested: Items, known: Items) -> float:
    """The accuracy of random options."""
    return math.fsum(1 / len(i.options) for i in tested) / len(tested)


def _text_score(metric: Callable[[str, Sequence[str]], float], item: Item, guess: Guess) -> float:
    assert isinstance(guess, str)
    return metric(guess, item.references)


def _random_answers(metric: Callable[[str, Sequence[str]], float], span: bool, tested: Items, known: Items) -> float:
    """Mean score of random answers: pieces of the dialogue for spans, else answers of training (or tested) items."""
    answers = [i.references[0] for i in known or tested]
    total = 0.0
    for item in tested:
        rng = random.Random(f"artefacts:chance:{item.id}")
        pool = (pieces(item) or [""]) if span else answers
        total += math.fsum(metric(rng.choice(pool), item.references) for _ in range(_DRAWS))
    return total / _DRAWS / len(tested)


_METRICS = {"f1": char_f1, "exact": exact_match}


def _measures(kind: Kind) -> dict[str, _Measure]:
    if kind.options:
        return {"accuracy": _Measure(_credit, _random_option)}
    return {
        name: _Measure(partial(_text_score, m), partial(_random_answers, m, kind.quoted))
        for name, m in _METRICS.items()
    }


# --- the guessers


def _label(known: Items, tested: Items) -> list[Guess] | None:
    """The most frequent right option of the tested file; no answer where it is not offered."""
    return _constant(tested, tested) if tested[0].options else None


def _majority(known: Items, tested: Items) -> list[Guess] | None:
    return _constant(known, tested) if known else None


def _constant(known: Items, tested: Items) -> list[Guess]:
    favourite = Counter(i.references[0] for i in known).most_common(1)[0][0]
    return [tuple(n for n, o in enumerate(i.options) if o == favourite) if i.options else favourite for i in tested]


def _position(known: Items, tested: Items) -> list[Guess] | None:
    if not tested[0].options:
        return None
    favourite = Counter(i.gold or 0 for i in tested).most_common(1)[0][0]
    return [(favourite,) if favourite < len(i.options) else () for i in tested]


def _longest(item: Item, sign: int) -> Guess:
    lengths = [sign * len(o) for o in item.options]
    return tuple(n for n, length in enumerate(lengths) if length == max(lengths))


def _middle(item: Item) -> Guess:
    mean = sum(map(len, item.options)) / len(item.options)
    away = [abs(len(o) - mean) for o in item.options]
    return tuple(n for n, distance in enumerate(away) if distance == min(away))


_BY_LENGTH: tuple[Callable[[Item], Guess], ...] = (partial(_longest, sign=1), partial(_longest, sign=-1), _middle)


def _length(known: Items, tested: Items) -> list[Guess] | None:
    """Longest, shortest or nearest to the mean length, whichever is right most often in training."""
    if not tested[0].options or not known:
        return None
    best = max(_BY_LENGTH, key=lambda rule: sum(_credit(i, rule(i)) for i in known))
    return [best(i) for i in tested]


def _argmax(scores: Sequence[float]) -> Guess:
    return tuple(n for n, score in enumerate(scores) if score == max(scores))


def _likeness(known: Items, tested: Items) -> list[Guess] | None:
    """The option that shares most character bigrams with the others: distractors are often variants of the right one."""
    if not tested[0].options:
        return None
    guesses = []
    for item in tested:
        sets = [bigrams(o) for o in item.options]
        guesses.append(
            _argmax([sum(len(a & b) / len(a | b) for m, b in enumerate(sets) if m != n) for n, a in enumerate(sets)])
        )
    return guesses


def _own_question(item: Item) -> str:
    """The part of a question that differs between items of a task: the lines after the first, or the event."""
    return item.question.partition("\n")[2] or asked_event(item.question) or ""


def _overlap(known: Items, tested: Items) -> list[Guess] | None:
    """The option with the largest share of its character bigrams in the question."""
    if not tested[0].options or not any(map(_own_question, tested)):
        return None
    return [_argmax([len(bigrams(o) & bigrams(_own_question(i))) / len(bigrams(o)) for o in i.options]) for i in tested]


def _classified(known: Items, tested: Items, question: bool) -> list[Guess] | None:
    """A conditional logit over the options' character n-grams, position and length rank; with `question`, also over
    pairs of an option and an n-gram of the question."""
    if not tested[0].options or not known or (question and not any(map(_own_question, tested))):
        return None

    def rows(items: Items) -> Iterator[list[str]]:
        for item in items:
            order = sorted(map(len, item.options))
            question_ngrams = [*char_ngrams(_own_question(item))] if question else []
            for position, option in enumerate(item.options):
                yield [
                    *char_ngrams(option),
                    f"whole {option}",
                    f"place {position}",
                    f"shorter ones {order.index(len(option))} of {len(order)}",
                    *(f"{option} {piece}" for piece in question_ngrams),
                ]

    fitted = ConditionalLogit.fit(
        hashed_features(rows(known)), [len(i.options) for i in known], [i.gold or 0 for i in known]
    )
    chances = iter(fitted.chances(hashed_features(rows(tested)), [len(i.options) for i in tested]))
    return [_argmax([round(next(chances), 9) for _ in i.options]) for i in tested]


def _dialogue(known: Items, tested: Items) -> list[Guess] | None:
    """The option or text with most characters in common with the dialogue: the baseline `lexical`."""
    answers = [(i, lexical(i)) for i in tested]
    return [(i.labels.index(text),) if i.options else text for i, text in answers]


def _nearest(known: Items, tested: Items) -> list[Guess] | None:
    """The answer of the training item with the most similar question."""
    if tested[0].options or not known or len({i.question for i in tested}) == 1:
        return None
    nearest = nearest_texts([i.question for i in known], [i.question for i in tested])
    return [known[n].references[0] for n in nearest]


def _echo(known: Items, tested: Items) -> list[Guess] | None:
    """The event that the question asks about, repeated as the answer."""
    if tested[0].options or not any(asked_event(i.question) for i in tested):
        return None
    return [asked_event(i.question) or "" for i in tested]


def _lookup(known: Items, tested: Items) -> list[Guess] | None:
    if not known:
        return None
    seen = {(i.dialogue, i.question): i.references[0] for i in known}
    answers = [seen.get((i.dialogue, i.question)) for i in tested]
    return [
        tuple(n for n, o in enumerate(i.options) if o == a) if i.options else a or ""
        for i, a in zip(tested, answers, strict=True)
    ]


CHECKS: dict[str, ArtefactCheck] = {
    c.name: c
    for c in (
        ArtefactCheck("label", "always the right option that is most frequent in this file", _label, inside=True),
        ArtefactCheck("majority", "always the most frequent right answer of the training items", _majority),
        ArtefactCheck(
            "position", "always the place where the right option stands most often in this file", _position, inside=True
        ),
        ArtefactCheck("length", "the longest, shortest or middle option, as training has it", _length),
        ArtefactCheck("alike", "the option most like the other options", _likeness),
        ArtefactCheck("options", "a classifier that sees the options alone", partial(_classified, question=False)),
        ArtefactCheck("question overlap", "the option with most characters of the question", _overlap),
        ArtefactCheck(
            "question + options", "a classifier that sees question and options", partial(_classified, question=True)
        ),
        ArtefactCheck("nearest question", "the answer of the training item with the most similar question", _nearest),
        ArtefactCheck("echo", "what the question asks about, said back", _echo),
        ArtefactCheck("dialogue overlap", "what shares most characters with the dialogue", _dialogue, reads=True),
        ArtefactCheck("lookup", "the answer that training has to the same dialogue and question", _lookup, lookup=True),
    )
}
