"""A training job of a sweep, and the check whether its adapter is already trained."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsuite.backends.model import Model
from evalsuite.common.files import remove
from evalsuite.evaluation.display import Display

if TYPE_CHECKING:
    from evalsuite.backends.checkpoint import Checkpoint
    from evalsuite.finetuning.training import TrainingRow

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Job:
    """One adapter of the sweep: its base, training rows, and folder."""

    model: Model  # the row of models.yaml after training, with its adapter
    base: Model
    checkpoint: Checkpoint  # the base model's
    rows: Sequence[TrainingRow]
    made_by: dict[str, Any]  # everything that determines the weights; kept on the card

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def seed(self) -> int:
        return int(self.made_by["seed"])

    @property
    def folder(self) -> Path:
        return Path(str(self.model.adapter))


def finished(job: Job, display: Display) -> bool:
    """Whether the adapter exists with the same `made_by`; if so, its checkpoints are removed."""
    from evalsuite.finetuning import training

    card = training.read_card(job.folder)
    if card is None:
        return False
    if card["made_by"] != job.made_by:
        changed = [key for key, value in job.made_by.items() if card["made_by"].get(key) != value]
        log.warning("%s: trained again, because its %s changed", job.name, ", ".join(changed))
        return False
    remove(job.folder, ["checkpoints"])  # a killed training may have left them
    display.say(f"{job.name}  ", "trained already")
    return True
