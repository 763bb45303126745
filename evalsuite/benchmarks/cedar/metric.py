"""CEDAR's two metrics (section 4.1): accuracy and ΔNLL, by corruption and by group of corruptions.

The loss is the mean negative log-likelihood of the target's tokens in nats. Accuracy is the share of probes whose loss is
lower with the valid explanation than with the corrupted one (ties count as wrong). ΔNLL is the loss with the corrupted
explanation minus the loss with the valid one. Chance has accuracy 0.5 and ΔNLL 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalsuite.benchmarks.cedar.corruptions import CORRUPTIONS, corruption_of
from evalsuite.benchmarks.kinds import choice_method, delta_nll, was_chosen
from evalsuite.types import Answered, Metric, Part


@dataclass(frozen=True, slots=True)
class Probes:
    """The probes of N items, as an `Additive`. The columns for each corruption: number of probes, number of right ones, sum
    of ΔNLL in nats.

    A group's value is the mean over its corruptions, not over its probes, so that a corruption's weight does not depend on
    the number of explanations that it applies to. The paper says only "average"; both means are equal if all corruptions apply
    to all explanations.
    """

    statistics: Any  # (N, 3 * corruptions)
    corruptions: tuple[str, ...]  # names of the corruptions that occur
    groups: tuple[tuple[str, tuple[str, ...]], ...]  # group -> its corruptions

    @classmethod
    def of(cls, corruptions: Sequence[str], groups: Mapping[str, str], deltas: Sequence[float]) -> Probes:
        """Build it from the corruption and the ΔNLL of each probe. groups: corruption -> group."""
        import numpy as np

        names = tuple(name for name in groups if name in corruptions)
        rows = np.zeros((len(deltas), len(names), 3))
        for n, (name, delta) in enumerate(zip(corruptions, deltas, strict=True)):
            rows[n, names.index(name)] = 1, delta > 0, delta
        by_group = {
            group: tuple(name for name in names if groups[name] == group) for group in dict.fromkeys(groups.values())
        }
        return cls(
            rows.reshape(len(deltas), -1), names, tuple((g, members) for g, members in by_group.items() if members)
        )

    def finish(self, sums: Any) -> dict[str, Any]:
        """(..., 3 * corruptions) sums -> accuracy_<group or corruption> and delta_nll_<group or corruption>, each (...).

        A corruption without probes in a resample gets the chance values: accuracy 0.5, ΔNLL 0.
        """
        import numpy as np

        cut = np.asarray(sums, dtype=float).reshape((*np.shape(sums)[:-1], len(self.corruptions), 3))
        many = np.maximum(cut[..., 0], 1.0)
        accuracy = np.where(cut[..., 0] > 0, cut[..., 1] / many, 0.5)
        delta = np.where(cut[..., 0] > 0, cut[..., 2] / many, 0.0)
        values: dict[str, Any] = {}
        for group, members in self.groups:
            at = [self.corruptions.index(name) for name in members]
            values[f"accuracy_{group}"] = accuracy[..., at].mean(axis=-1)
            values[f"delta_nll_{group}"] = delta[..., at].mean(axis=-1)
        for n, name in enumerate(self.corruptions):
            values |= {f"accuracy_{name}": accuracy[..., n], f"delta_nll_{name}": delta[..., n]}
        return values


def probe_part(answered: Answered) -> Part:
    """The metrics of a cell, for each group of corruptions and each corruption. Without likelihoods, when explanations were
    chosen, there are accuracies only."""
    groups = {corruption.name: corruption.group for corruption in CORRUPTIONS.values()}
    chosen = was_chosen(answered)
    deltas = (
        [1.0 if answer.choice == item.gold else -1.0 for item, answer in answered.pairs]
        if chosen
        else [delta_nll(response) for response in answered.responses]
    )
    probes = Probes.of([corruption_of(item) for item in answered.items], groups, deltas)
    values = probes.finish(probes.statistics.sum(axis=0))
    names = {name: name for name in values if not (chosen and name.startswith("delta_nll"))}
    return Part("probes", probes, names, {name: f"{name}|{choice_method(answered)}" for name in names})


# Group or corruption -> its Chinese and English names.
_WORDS = {
    "logical": ("逻辑", "logical"),
    "complete": ("整体", "complete"),
    "swapped": ("互换", "swapped"),
    "negation": ("否定", "negation"),
    "invalid": ("错误解释", "invalid"),
    "shuffled": ("乱序", "shuffled"),
    "dropped": ("删词", "dropped"),
    "reversed": ("倒序", "reversed"),
}
METRICS = tuple(
    metric
    for name, (zh, en) in _WORDS.items()
    for metric in (
        Metric(f"accuracy_{name}", f"准确率（{zh}）", f"Acc. ({en})", f"{name} %", is_mean=False),
        Metric(
            f"delta_nll_{name}",
            f"ΔNLL（{zh}）",
            f"ΔNLL ({en})",
            f"{name}\nΔNLL",
            maximum=None,
            percent=False,
            is_mean=False,
            unit="nats",
        ),
    )
)
