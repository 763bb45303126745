"""GLUCOSE's ten dimensions of explanation (Mostafazadeh et al. 2020, Tables 1 and 6)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dimension, with the wording and connective of Table 6."""

    number: int
    text: str
    connective: str

    @property
    def set(self) -> str:
        """The set of its items: "d1"."""
        return f"d{self.number}"


DIMENSIONS = (
    Dimension(1, "An event that directly causes or enables X", "Causes/Enables"),
    Dimension(2, "An emotion or basic human drive that motivates X", "Motivates"),
    Dimension(3, "A location state that enables X", "Enables"),
    Dimension(4, "A possession state that enables X", "Enables"),
    Dimension(5, "Other attribute that enables X", "Enables"),
    Dimension(6, "An event that is directly caused or enabled by X", "Causes/Enables"),
    Dimension(7, "An emotion that is caused by X", "Causes"),
    Dimension(8, "A change of location that X results in", "Results in"),
    Dimension(9, "A change of possession that X results in", "Results in"),
    Dimension(10, "Other change in attribute that X results in", "Results in"),
)
SETS = tuple(dimension.set for dimension in DIMENSIONS)
