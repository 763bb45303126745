"""One test on one file: the texts that models score or continue, and the resulting row of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
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

    def row(self, p: float | None, why: str, listed: Sequence[str] = (), **columns: Any) -> ProbeRow:
        """A row of results. `why`: the reason why it has no p-value, else ""."""
        return asdict(self) | columns | {"p": None if why else p, "why": why, "listed": list(listed)}

    def rng(self, seed: int) -> Random:
        return Random(f"{seed}:{self.task}:{self.set}:{self.split}:{self.test}:{self.form}")


@dataclass(frozen=True, slots=True)
class ArrangementProbe:
    """A test of published arrangements against others."""

    file: ProbedFile
    arrangements: Arrangements

    @property
    def pairs(self) -> list[TextPair]:
        return self.arrangements.pairs

    def row(
        self, scores: Sequence[LikelihoodScores], reference: Sequence[LikelihoodScores] | None, seed: int
    ) -> ProbeRow:
        logprobs = [x.logprob for x in scores]
        reference_logprobs = [x.logprob for x in reference or ()]
        moves = (
            [a - b for a, b in zip(logprobs, reference_logprobs, strict=True)] if reference is not None else logprobs
        )
        test = exact_test(self.arrangements, moves, self.file.rng(seed))
        why = "" if self.arrangements.chance else "not left to chance"
        if not self.arrangements.strata:
            why = "nothing to compare"
        reference_columns = None
        if reference is not None:
            alone = exact_test(self.arrangements, reference_logprobs, self.file.rng(seed))
            reference_columns = {"value": _share(alone.higher, alone.pairs), "p": alone.p}
        return self.file.row(
            n=self.arrangements.items,
            left_out=self.arrangements.left_out,
            units=test.strata,
            tokens=sum(x.tokens for x in scores),
            value=_share(test.higher, test.pairs),
            expected=0.5,
            figures={"gain": test.gain, "pairs": test.pairs, "detectable": test.detectable},
            checks=dict(self.arrangements.checks),
            p=test.p,
            why=why,
            reference=reference_columns,
        )


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True, slots=True)
class ItemProbe:
    """A test of a score of single items, official against control. `figures`: further scores of the same texts."""

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
        by_text, reference_by_text = self._by_text(scores), self._by_text(reference or ())
        has_minkpp = all(x.minkpp is not None for x in (*scores, *(reference or ())))
        tested = items.mink if self.score is items.minkpp and not has_minkpp else self.score
        compared = self._compared(by_text, reference_by_text, tested, seed)
        named: dict[str, float | None] = {"detectable": compared.detectable}
        for name, score in self.figures.items():
            other = self._compared(by_text, reference_by_text, score, seed)
            named |= {name: other.value, f"{name} control": other.control}
        if tested is items.minkpp:
            named |= {"minkpp": compared.value, "minkpp control": compared.control}
        checks = dict(items.checks(self.official, self.control, self.file.rng(seed)))
        why = reason(checks, compared)
        reference_columns = None
        if reference is not None:
            alone = self._compared(reference_by_text, [], tested, seed)
            reference_columns = {"value": alone.value, "p": alone.p}
        return self.file.row(
            n=len(self.official),
            left_out=self.left_out,
            units=compared.dialogues[0],
            tokens=sum(x.tokens for x in scores),
            value=compared.value,
            expected=compared.control,
            figures=named,
            checks=checks,
            p=compared.p,
            why=why,
            reference=reference_columns,
        )

    def _by_text(self, scores: Sequence[LikelihoodScores]) -> list[list[LikelihoodScores]]:
        scores_left = iter(scores)
        return [[next(scores_left) for _ in text.pairs] for text in (*self.official, *self.control)] if scores else []

    def _compared(
        self,
        scores: Sequence[Sequence[LikelihoodScores]],
        reference: Sequence[Sequence[LikelihoodScores]],
        score: Callable[[Sequence[LikelihoodScores]], float],
        seed: int,
    ) -> items.ControlComparison:
        values = (
            [score(x) - score(y) for x, y in zip(scores, reference, strict=True)]
            if reference
            else [score(x) for x in scores]
        )
        count = len(self.official)
        return compare(self.official, values[:count], self.control, values[count:], self.file.rng(seed))


Probe = ArrangementProbe | ItemProbe  # a test by likelihood


def reason(checks: Mapping[str, float], compared: items.ControlComparison) -> str:
    """The reason why a comparison with control items has no p-value; "" if it has one."""
    if compared.p is None:
        return "nothing to compare" if compared.dialogues[1] else "no control"
    return "not left to chance" if len(checks) * min(checks.values(), default=1.0) < items.SUSPECT else ""


@dataclass(frozen=True, slots=True)
class CompletionProbe:
    """A test of completions: one request for each official, then each control item, or a guided and a general one."""

    file: ProbedFile
    official: Sequence[ProbeText]
    control: Sequence[ProbeText]
    requests: Sequence[Request]
    seconds: Sequence[str]  # the continuation in the file, for each request
    left_out: int

    def row(self, overlaps: Sequence[Overlap | None], reference: Sequence[Overlap | None], seed: int) -> ProbeRow:
        """A row of results. overlaps, reference: the overlap of each request's reply; None for a failed request."""
        count = len(self.official)
        # Requests of each text: one, or a guided and a general one.
        step = max(1, len(self.requests) // max(1, count + len(self.control)))
        rouges, reference_rouges = self._values(overlaps, step), self._values(reference, step)
        pairs = zip(rouges, reference_rouges, strict=True) if reference_rouges else ((x, 0.0) for x in rouges)
        moves = [None if x is None or y is None else x - y for x, y in pairs]
        official, values = _answered(self.official, moves[:count])
        rng = self.file.rng(seed)
        compared = compare(official, values, *_answered(self.control, moves[count:]), rng)
        checks = dict(items.checks(self.official, self.control, rng))
        why = reason(checks, compared)
        near = [overlap is not None and overlap.near for overlap in overlaps[::step]]
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
        reference_columns = None
        if reference_rouges:
            answered = [x for x in reference_rouges[:count] if x is not None]
            reference_columns = {"value": fmean(answered) if answered else None, "p": None}
        return self.file.row(
            n=len(official),
            left_out=self.left_out + count - len(official),
            units=compared.dialogues[0],
            tokens=0,
            value=compared.value,
            expected=compared.control,
            figures=figures,
            checks=checks,
            p=compared.p,
            why=why,
            reference=reference_columns,
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
    answered = [(text, move) for text, move in zip(texts, moves, strict=True) if move is not None]
    return [text for text, _ in answered], [move for _, move in answered]
