"""A training job, and whether its adapter is finished."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsuite.backends.model import Model
from evalsuite.evaluation.display import Display

if TYPE_CHECKING:
    from evalsuite.backends.checkpoint import Checkpoint
    from evalsuite.finetuning.training import Row

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Job:
    """One adapter of the sweep: its base, training rows, and folder."""

    model: Model  # as it stands in models.yaml afterwards, adapter included
    base: Model
    checkpoint: Checkpoint  # the base's
    rows: Sequence[Row]
    made_by: dict[str, Any]  # everything that decides its weights; stands on its card

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
    """Whether the adapter exists with the same `made_by`."""
    from evalsuite.finetuning import training

    known = training.card(job.folder)
    if known is None:
        return False
    changed = [key for key, value in job.made_by.items() if known["made_by"].get(key) != value]
    if known["made_by"] != job.made_by:
        log.warning("%s: trained anew, for its %s changed", job.name, ", ".join(changed))
        return False
    shutil.rmtree(job.folder / "checkpoints", ignore_errors=True)  # killed just before it would have gone
    display.say(f"{job.name}  trained already")
    return True
