"""Several askings of the same items: other samples, wordings or perturbations, or all rotations of the options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import About
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.outcomes import CellOutcomes, Outcome, differing_in
from evalsuite.types import Place


@dataclass(frozen=True, slots=True)
class Askings:
    """The outcomes of the same items under several askings."""

    metric: str
    place: Place  # the place of the first asking
    part: str  # the part of the place in which the askings differ; "" for askings within one cell
    outcomes: Mapping[str, Mapping[str, Outcome]]  # asking -> item -> its outcome

    @property
    def shared_place(self) -> About:
        """The place, with None for the part in which the askings differ."""
        return self.place.as_dict() | ({self.part: None} if self.part else {})

    @property
    def by_item(self) -> dict[str, list[Outcome]]:
        """Item -> its outcome in each asking that answered it."""
        return by_key(pair for items in self.outcomes.values() for pair in items.items())

    @property
    def whole(self) -> dict[str, list[Outcome]]:
        """Item -> its outcome in each asking: of items that were asked more than once, and answered every time."""
        change = PERTURBATIONS[self.place.perturb]

        def askings_of(outcome: Outcome) -> int:
            # The number of rotations may depend on the item's options.
            return change.count(outcome.item) if change.several and not self.part else len(self.outcomes)

        return {name: each for name, each in self.by_item.items() if len(each) == askings_of(each[0]) > 1}


def askings_within(cell: CellOutcomes) -> Askings:
    """A cell's rotations, in its first sample; the samples of a cell without rotations."""
    rotated = PERTURBATIONS[cell.place.perturb].several
    asked = by_key(
        (outcome.rotation if rotated else outcome.sample, (outcome.item.id, outcome))
        for outcome in cell.outcomes
        if not rotated or outcome.sample == 0
    )
    return Askings(cell.metric, cell.place, "", {str(n): dict(asked[n]) for n in sorted(asked)})


def askings_across(
    part: str, cells: Iterable[CellOutcomes], outcomes_of: Callable[[CellOutcomes], Mapping[str, Outcome]]
) -> Iterator[Askings]:
    """The askings of each group of cells whose places differ in `part` alone. `outcomes_of`: cell -> item -> its outcome."""
    for group in differing_in(part, cells):
        outcomes = {str(getattr(cell.place, part)): outcomes_of(cell) for cell in group}
        yield Askings(group[0].metric, group[0].place, part, outcomes)
