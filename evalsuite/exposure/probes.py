"""One test on one file: the texts that models score or continue, and the resulting row of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import fmean
from typing import Any

from evalsuite.backends.base import TextPair
from evalsuite.exposure import items
from evalsuite.exposure.arrangements import Arrangements, exact_test
from evalsuite.exposure.completion import Overlap
from evalsuite.exposure.exact import positive_p
from evalsuite.exposure.items import ProbeText, compare
from evalsuite.exposure.likelihoods import LikelihoodScores
from evalsuite.types import Request

ProbeRow = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ProbedFile:
    """A file under one test, in one form."""

    task: str
    set: str
    split: str
    test: str  # a name in settings.TESTS
    form: str = "raw"  # a name in settings.FORMS

    def row(self, **more: Any) -> ProbeRow:
        return {"task": self.task, "set": self.set, "split": self.split, "test": self.test, "form": self.form} | more

    def rng(self, seed: int) -> Random:
        return Random(f"{seed}:{self.task}:{self.set}:{self.split}:{self.test}:{self.form}")


@dataclass(frozen=True, slots=True)
class Arranged:
    """The published arrangement against others."""

    file: ProbedFile
    made: Arrangements

    @property
    def pairs(self) -> list[TextPair]:
        return self.made.pairs

    def row(
        self, scores: Sequence[LikelihoodScores], reference: Sequence[LikelihoodScores] | None, seed: int
    ) -> ProbeRow:
        own = [x.logprob for x in scores]
        theirs = [x.logprob for x in reference or ()]
        moves = [a - b for a, b in zip(own, theirs, strict=True)] if reference is not None else own
        test = exact_test(self.made, moves, self.file.rng(seed))
        why = "" if self.made.chance else "not left to chance"
        if not self.made.strata:
            why = "nothing to compare"
        beside = None
        if reference is not None:
            alone = exact_test(self.made, theirs, self.file.rng(seed))
            beside = {"value": _share(alone.higher, alone.pairs), "p": alone.p}
        return self.file.row(
            n=self.made.items,
            left_out=self.made.left_out,
            units=test.strata,
            tokens=sum(x.tokens for x in scores),
            value=_share(test.higher, test.pairs),
            expected=0.5,
            figures={"gain": test.gain, "pairs": test.pairs, "detectable": test.detectable},
            checks=dict(self.made.checks),
            p=None if why else test.p,
            why=why,
            reference=beside,
            listed=[],
        )


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True, slots=True)
class Single:
    """A score of single items, official and control. `figures` are further scores of the same texts."""

    file: ProbedFile
    official: Sequence[ProbeText]
    control: Sequence[ProbeText]
    left_out: int
    score: Callable[[Sequence[LikelihoodScores]], float]
    figures: Mapping[str, Callable[[Sequence[LikelihoodScores]], float]] = field(default_factory=dict)

    @property
    def pairs(self) -> list[TextPair]:
        return [pair for text in (*self.official, *self.control) for pair in text.pairs]

    def row(
        self, scores: Sequence[LikelihoodScores], reference: Sequence[LikelihoodScores] | None, seed: int
    ) -> ProbeRow:
        own, theirs = self._by_text(scores), self._by_text(reference or ())
        plus = all(x.minkpp is not None for x in (*scores, *(reference or ())))
        tested = items.mink if self.score is items.minkpp and not plus else self.score
        compared = self._compared(own, theirs, tested, seed)
        named: dict[str, float | None] = {"detectable": compared.detectable}
        for name, score in self.figures.items():
            other = self._compared(own, theirs, score, seed)
            named |= {name: other.value, f"{name} control": other.control}
        if tested is items.minkpp:
            named |= {"minkpp": compared.value, "minkpp control": compared.control}
        checks = dict(items.checks(self.official, self.control, self.file.rng(seed)))
        why = reason(checks, compared.p)
        beside = None
        if reference is not None:
            alone = self._compared(theirs, [], tested, seed)
            beside = {"value": alone.value, "p": alone.p}
        return self.file.row(
            n=len(self.official),
            left_out=self.left_out,
            units=compared.dialogues[0],
            tokens=sum(x.tokens for x in scores),
            value=compared.value,
            expected=compared.control,
            figures=named,
            checks=checks,
            p=None if why else compared.p,
            why=why,
            reference=beside,
            listed=[],
        )

    def _by_text(self, scores: Sequence[LikelihoodScores]) -> list[list[LikelihoodScores]]:
        rest = iter(scores)
        return [[next(rest) for _ in text.pairs] for text in (*self.official, *self.control)] if scores else []

    def _compared(
        self,
        own: Sequence[Sequence[LikelihoodScores]],
        theirs: Sequence[Sequence[LikelihoodScores]],
        score: Callable[[Sequence[LikelihoodScores]], float],
        seed: int,
    ) -> items.Compared:
        values = [score(x) - score(y) for x, y in zip(own, theirs, strict=True)] if theirs else [score(x) for x in own]
        count = len(self.official)
        return compare(self.official, values[:count], self.control, values[count:], self.file.rng(seed))


Probe = Arranged | Single  # a test by likelihood


def reason(checks: Mapping[str, float], p: float | None) -> str:
    """The reason why a comparison with control items has no p-value; "" if it has one."""
    if p is None:
        return "no control"
    return "not left to chance" if len(checks) * min(checks.values(), default=1.0) < items.SUSPECT else ""


@dataclass(frozen=True, slots=True)
class CompletionProbe:
    """Items to complete: requests for official, then for control items. Each has one request, or a guided and a general one."""

    file: ProbedFile
    official: Sequence[ProbeText]
    control: Sequence[ProbeText]
    requests: Sequence[Request]
    seconds: Sequence[str]  # the continuation in the file, for each request
    left_out: int

    def row(self, overlaps: Sequence[Overlap | None], reference: Sequence[Overlap | None], seed: int) -> ProbeRow:
        """The results, from the overlap of each reply; None: it failed."""
        count = len(self.official)
        # Requests of each text: one, or a guided and a general one.
        step = max(1, len(self.requests) // max(1, count + len(self.control)))
        own, theirs = self._values(overlaps, step), self._values(reference, step)
        pairs = zip(own, theirs, strict=True) if theirs else ((x, 0.0) for x in own)
        moves = [None if x is None or y is None else x - y for x, y in pairs]
        official, values = _answered(self.official, moves[:count])
        rng = self.file.rng(seed)
        compared = compare(official, values, *_answered(self.control, moves[count:]), rng)
        checks = dict(items.checks(self.official, self.control, rng))
        why = reason(checks, compared.p)
        near = [one is not None and one.near for one in overlaps[::step]]
        figures: dict[str, float | None] = {
            "detectable": compared.detectable,
            "near": sum(near[:count]),
            "near control": sum(near[count:]),
            "failed": overlaps.count(None),
        }
        if step == 2:
            guided, general = ([x for x in overlaps[first : 2 * count : 2] if x] for first in (0, 1))
            figures |= {
                "guided": fmean(x.rouge for x in guided) if guided else None,
                "general": fmean(x.rouge for x in general) if general else None,
                "naming p": positive_p(items.by_dialogue(official, values), rng),
            }
        beside = None
        if theirs:
            rest = [x for x in theirs[:count] if x is not None]
            beside = {"value": fmean(rest) if rest else None, "p": None}
        return self.file.row(
            n=len(official),
            left_out=self.left_out + count - len(official),
            units=compared.dialogues[0],
            tokens=0,
            value=compared.value,
            expected=compared.control,
            figures=figures,
            checks=checks,
            p=None if why else compared.p,
            why=why,
            reference=beside,
            listed=[text.item for text, is_near in zip(self.official, near, strict=False) if is_near][:20],
        )

    @staticmethod
    def _values(overlaps: Sequence[Overlap | None], step: int) -> list[float | None]:
        """The overlaps of texts; with guided requests, the overlap of the guided reply less that of the general one."""
        if step != 2:
            return [x.rouge if x else None for x in overlaps]
        return [a.rouge - b.rouge if a and b else None for a, b in zip(overlaps[::2], overlaps[1::2], strict=True)]


def _answered(texts: Sequence[ProbeText], moves: Sequence[float | None]) -> tuple[Sequence[ProbeText], Sequence[float]]:
    """The texts whose requests did not fail, and their values."""
    kept = [(text, move) for text, move in zip(texts, moves, strict=True) if move is not None]
    return [text for text, _ in kept], [move for _, move in kept]
