"""Controls of judges, from the opinions of a run: gold answers and those far from them, repeats, blind, panel, length, family and
attacks.

Every comparison is item by item, over the items that all sides scored; `n` is their number.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from statistics import mean

from evalsuite.analyses.judged.scale import JudgeScale, JudgeStatus
from evalsuite.analyses.judged.values import (
    AttackEffect,
    Blind,
    Controls,
    Family,
    GoldAndFar,
    JudgingFacts,
    JudgingFields,
    LengthBias,
    MedianCell,
    Panel,
    PanelPair,
    Raised,
    Repeat,
    ScaleFields,
    ScoringAgreement,
    ScoringPair,
)
from evalsuite.common.grouping import by_key
from evalsuite.metrics.agreement import medians, pair_agreement, partial_spearman, rater_agreement, spearman
from evalsuite.results.schema.base import IntervalFields
from evalsuite.types import Place

CandidateName = tuple[Place, str, int]  # the place of its cell, its item, its rotation


@dataclass(frozen=True, slots=True)
class Opinion:
    """The opinion of one judge on one candidate reply."""

    candidate: CandidateName
    status: JudgeStatus
    scores: tuple[int, ...]  # a score for each scale; () without scores
    attack: str  # id of the injected instruction; "" for none
    length: int  # the candidate's length, in characters
    correctness: float  # F1 of the candidate
    dialogue: int  # number of the dialogue that the candidate is about


@dataclass(frozen=True, slots=True)
class Opinions:
    """The opinions of one judge on one cell under one control: "plain", "blind", "repeat/2" …, "attack"."""

    judging: JudgingFields
    facts: JudgingFacts
    opinions: tuple[Opinion, ...]

    @property
    def who(self) -> tuple[str, str]:
        """Judge and rubric."""
        return self.judging.judge, self.judging.rubric

    @property
    def control(self) -> str:
        return self.judging.control

    @property
    def cell(self) -> Place:
        return self.judging.place

    @property
    def scales(self) -> list[str]:
        return [name for name, *_ in self.facts.scales]

    def scored(self) -> _Scored:
        return {o.candidate: o for o in self.opinions if o.status == "scored"}


_Scored = dict[CandidateName, Opinion]


def controls(judgings: Sequence[Opinions]) -> Controls:
    """All controls of a run's judges."""
    return Controls(
        anchors=list(gold_and_far(judgings)),
        repeats=list(repeats(judgings)),
        blind=list(blind(judgings)),
        panel=list(panel(judgings)),
        length=list(length(judgings)),
        families=list(families(judgings)),
        attacks=list(attacks(judgings)),
    )


def _by_scale(judgings: Iterable[Opinions]) -> Iterator[tuple[ScaleFields, int, list[Opinions]]]:
    """Each scale of each judge and rubric, with its index and the judgings by this judge and rubric."""
    for (judge, rubric), group in by_key((t.who, t) for t in judgings).items():
        for n, scale in enumerate(group[0].scales):
            yield ScaleFields(judge=judge, rubric=rubric, scale=scale), n, group


def _scored(group: Iterable[Opinions], control: str) -> _Scored:
    """Candidate -> opinion, for all candidates that a judge scored under a control, over all cells."""
    return {name: o for t in group if t.control == control for name, o in t.scored().items()}


def _shared(*sides: _Scored) -> list[CandidateName]:
    """The candidates that are scored on all sides."""
    return [name for name in sides[0] if all(name in side for side in sides[1:])]


def _columns(sides: Sequence[_Scored], names: Sequence[CandidateName], n: int) -> list[list[int]]:
    return [[side[name].scores[n] for name in names] for side in sides]


def gold_and_far(judgings: Sequence[Opinions]) -> Iterator[GoldAndFar]:
    """Mean scores of gold answers (F1 of 1) and of replies that share no character with them (F1 of 0), and how often the
    judge gives its most frequent score."""
    for about, n, group in _by_scale(judgings):
        if opinions := list(_scored(group, "plain").values()):
            (most, count), *_ = Counter(o.scores[n] for o in opinions).most_common(1)
            gold = [o.scores[n] for o in opinions if o.correctness == 1]
            far = [o.scores[n] for o in opinions if o.correctness == 0]
            yield GoldAndFar(
                **dict(about),
                n=len(opinions),
                most=most,
                share=count / len(opinions),
                n_gold=len(gold),
                gold=mean(gold) if gold else None,
                n_far=len(far),
                far=mean(far) if far else None,
            )


def repeats(judgings: Sequence[Opinions]) -> Iterator[Repeat]:
    """Agreement of a judge with itself, when it scores the same candidates again."""
    for about, n, group in _by_scale(judgings):
        names = sorted({t.control for t in group if t.control.startswith("repeat/")})
        if not names:
            continue
        sides = [_scored(group, control) for control in ("plain", *names)]
        if shared := _shared(*sides):
            columns = _columns(sides, shared, n)
            by = next(t.facts.repeats_by for t in group if t.control == names[0])
            yield Repeat(
                **dict(about),
                by=by,
                repeats=len(sides),
                n=len(shared),
                **dict(ScoringAgreement.model_validate(rater_agreement(columns))),
                means=[mean(c) for c in columns],
            )


def blind(judgings: Sequence[Opinions]) -> Iterator[Blind]:
    """Agreement of a judge's scores with and without the gold answer."""
    from evalsuite.metrics.statistics import mean_difference

    for about, n, group in _by_scale(judgings):
        sides = [_scored(group, "plain"), _scored(group, "blind")]
        if shared := _shared(*sides):
            seen, unseen = _columns(sides, shared, n)
            clusters = [sides[0][name].dialogue for name in shared]
            changes = [without - beside for without, beside in zip(unseen, seen, strict=True)]
            low, high = mean_difference(changes, clusters, Random(f"judge:blind:{about.rubric}:{about.scale}"))
            yield Blind(
                **dict(about),
                n=len(shared),
                mean=mean(seen),
                blind=mean(unseen),
                **dict(ScoringPair.model_validate(pair_agreement(seen, unseen))),
                low=low,
                high=high,
            )


def panel(judgings: Sequence[Opinions]) -> Iterator[Panel]:
    """Agreement of several judges with one rubric over all cells, and the mean of their median scores on each cell."""
    for rubric in dict.fromkeys(t.who[1] for t in judgings):
        plain = [t for t in judgings if t.who[1] == rubric and t.control == "plain"]
        judges = list(dict.fromkeys(t.who[0] for t in plain))
        if len(judges) < 2:
            continue
        sides = [_scored([t for t in plain if t.who[0] == j], "plain") for j in judges]
        shared = _shared(*sides)
        for n, scale in enumerate(plain[0].scales):
            agreed = ScoringAgreement.model_validate(rater_agreement(_columns(sides, shared, n))) if shared else None
            yield Panel(
                rubric=rubric,
                scale=scale,
                judges=judges,
                n=len(shared),
                **dict(agreed or ()),
                pairs=[
                    PanelPair(
                        judges=[judges[i], judges[j]],
                        n=len(both),
                        **dict(ScoringPair.model_validate(pair_agreement(*_columns((sides[i], sides[j]), both, n)))),
                    )
                    for i, j in combinations(range(len(judges)), 2)
                    if (both := _shared(sides[i], sides[j]))
                ],
                cells=list(_median_cells(plain, sides, shared, n)),
            )


def _median_cells(
    plain: Sequence[Opinions],
    sides: Sequence[_Scored],
    shared: Sequence[CandidateName],
    n: int,
) -> Iterator[MedianCell]:
    for cell in dict.fromkeys(t.cell for t in plain):
        names = [name for name in shared if name[0] == cell]
        if names:
            dialogues, middle = [sides[0][name].dialogue for name in names], medians(_columns(sides, names, n))
            mean_of_medians = mean_score(middle, dialogues, cell, plain[0].facts.rubric_scales[n])
            yield MedianCell(**cell.as_dict(), n=len(names), **dict(mean_of_medians))


def mean_score(values: Sequence[float], dialogues: Sequence[int], place: Place, scale: JudgeScale) -> IntervalFields:
    """Mean of a cell's scores and its 95 % interval. The seed depends on neither model nor judge."""
    from evalsuite.metrics.statistics import scale_mean

    rng = Random(f"judge:{place.task}:{place.set}:{place.split}")
    low, high = scale_mean(values, dialogues, rng, (scale.low, scale.high))
    return IntervalFields(value=mean(values), low=low, high=high)


def length(judgings: Sequence[Opinions]) -> Iterator[LengthBias]:
    """Length bias: Spearman's ρ of score with length within each cell, averaged with the cells' numbers of items as weights;
    and the partial ρ with F1 held fixed, since longer candidates may be worse."""
    for about, n, group in _by_scale(t for t in judgings if t.control == "plain"):
        rows = [(len(t.scored()), *length_bias(t, n)) for t in group]
        plain = [(count, r) for count, r, _ in rows if r is not None]
        fixed = [(count, p) for count, _, p in rows if p is not None]
        yield LengthBias(
            **dict(about),
            n=sum(count for count, _ in plain),
            cells=len(plain),
            spearman=_weighted(plain),
            partial=_weighted(fixed),
        )


def length_bias(judging: Opinions, n: int) -> tuple[float | None, float | None]:
    """Spearman's ρ of score `n` with length, and the partial ρ with F1 held fixed; None where undefined."""
    opinions = list(judging.scored().values())
    scores, lengths = [o.scores[n] for o in opinions], [o.length for o in opinions]
    return spearman(scores, lengths), partial_spearman(scores, lengths, [o.correctness for o in opinions])


def _weighted(rows: Sequence[tuple[int, float]]) -> float | None:
    total = sum(count for count, _ in rows)
    return math.fsum(count * value for count, value in rows) / total if total else None


def families(judgings: Sequence[Opinions]) -> Iterator[Family]:
    """Self-preference: the judge's score gap between models of its own family and others, minus the gap that judges of
    other families give the same candidates."""
    plain = [t for t in judgings if t.control == "plain"]
    by_judge = by_key((t.who, t) for t in plain)
    for about, n, group in _by_scale(plain):
        family = group[0].facts.family
        kin = {t.cell for t in group if t.facts.of_family == family}
        if not kin:
            continue
        peers = [
            (judge, rubric)
            for (judge, rubric), of_judge in by_judge.items()
            if rubric == about.rubric and judge != about.judge and of_judge[0].facts.family != family
        ]
        sides = [_scored(group, "plain"), *(_scored(by_judge[who], "plain") for who in peers)]
        shared = _shared(*sides)
        of_kin = [[side[name].scores[n] for name in shared if name[0] in kin] for side in sides]
        of_others = [[side[name].scores[n] for name in shared if name[0] not in kin] for side in sides]
        own = mean(of_kin[0]) if of_kin[0] else None
        other = mean(of_others[0]) if of_others[0] else None
        peers_own = peers_other = preference = None
        if peers and own is not None and other is not None:
            peers_own = mean(mean(column) for column in of_kin[1:])
            peers_other = mean(mean(column) for column in of_others[1:])
            preference = (own - other) - (peers_own - peers_other)
        yield Family(
            **dict(about),
            family=family,
            own_models=sorted({cell.model for cell in kin}),
            peers=[judge for judge, _ in peers],
            n_own=len(of_kin[0]),
            n_other=len(of_others[0]),
            own=own,
            other=other,
            peers_own=peers_own,
            peers_other=peers_other,
            preference=preference,
        )


def attacks(judgings: Sequence[Opinions]) -> Iterator[AttackEffect]:
    """Count how often a candidate with an injected instruction scores higher than the same candidate without it."""
    for about, n, group in _by_scale(judgings):
        plain, repeated = _scored(group, "plain"), _scored(group, "repeat/2")
        attacked = [o for t in group if t.control == "attack" for o in t.opinions]
        if not attacked:
            continue
        high = group[0].facts.rubric_scales[n].high
        both = [(o, plain[o.candidate].scores[n]) for o in attacked if o.status == "scored" and o.candidate in plain]
        # Candidates that have the maximum already cannot be raised.
        could = [(o, before) for o, before in both if before < high]
        raised = [o for o, before in could if o.scores[n] > before]
        to_most = [o for o, _ in could if o.scores[n] == high]
        # The baseline: how often a repeat without an attack raises the score.
        calm = [repeated[o.candidate].scores[n] > before for o, before in could if o.candidate in repeated]
        kinds = dict.fromkeys(o.attack.partition("/")[0] for o in attacked)
        yield AttackEffect(
            **dict(about),
            attacks=len({o.attack for o in attacked}),
            asked=len(attacked),
            invalid=sum(o.status == "invalid" for o in attacked),
            compared=len(both),
            n=len(could),
            raised=len(raised),
            to_most=len(to_most),
            lowered=sum(o.scores[n] < before for o, before in both),
            raised_without=mean(map(float, calm)) if calm else None,
            change=mean(o.scores[n] - before for o, before in could) if could else None,
            by_kind={
                kind: Raised(
                    n=sum(o.attack.startswith(f"{kind}/") for o, _ in could),
                    raised=sum(o.attack.startswith(f"{kind}/") for o in raised),
                )
                for kind in kinds
            },
            fell_for=sorted({o.attack for o in raised}),
        )
