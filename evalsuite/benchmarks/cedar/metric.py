"""CEDAR's two figures (section 4.1): does a model find its target likelier with the valid explanation, and by how much?

A loss is the mean negative log-likelihood of a target's tokens, in nats. Accuracy: how often the loss with the valid
explanation is the lower one; an equal one is not. ΔNLL: the loss with the corrupted less that with the valid explanation.
Guessing has accuracy 0.5 and ΔNLL 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalsuite.benchmarks.cedar.corruptions import CORRUPTIONS, corruption_of
from evalsuite.benchmarks.kinds import delta_nll
from evalsuite.types import Answered, Metric, Part


@dataclass(frozen=True, slots=True)
class Probes:
    """The probes of N items, as `stats.Additive` wants it: for each corruption how many there are, how many of them the
    model told apart, and their ΔNLL in nats.

    A group's figures are the means of its corruptions' figures, not of the probes: where some explanations have no invalid
    neighbour, the other corruptions do not gain weight by it. The paper says "average" only; with all corruptions there
    for all explanations, both are one.
    """

    statistics: Any  # (N, 3 * corruptions)
    corruptions: tuple[str, ...]  # those that occur
    groups: tuple[tuple[str, tuple[str, ...]], ...]  # group -> its corruptions

    @classmethod
    def of(cls, corruptions: Sequence[str], groups: Mapping[str, str], deltas: Sequence[float]) -> Probes:
        """From each probe's corruption and ΔNLL; `groups` says which group a corruption is of."""
        import numpy as np

        names = tuple(name for name in groups if name in corruptions)
        rows = np.zeros((len(deltas), len(names), 3))
        for n, (name, delta) in enumerate(zip(corruptions, deltas, strict=True)):
            rows[n, names.index(name)] = 1, delta > 0, delta
        of = {group: tuple(name for name in names if groups[name] == group) for group in dict.fromkeys(groups.values())}
        return cls(rows.reshape(len(deltas), -1), names, tuple((g, mine) for g, mine in of.items() if mine))

    def finish(self, sums: Any) -> dict[str, Any]:
        """(..., 3 * corruptions) sums -> accuracy_<group or corruption> and delta_nll_<…>, (...).

        A corruption that no resampled dialogue has counts as guessed: accuracy 0.5, ΔNLL 0.
        """
        import numpy as np

        cut = np.asarray(sums, dtype=float).reshape((*np.shape(sums)[:-1], len(self.corruptions), 3))
        many = np.maximum(cut[..., 0], 1.0)
        accuracy = np.where(cut[..., 0] > 0, cut[..., 1] / many, 0.5)
        delta = np.where(cut[..., 0] > 0, cut[..., 2] / many, 0.0)
        found: dict[str, Any] = {}
        for group, mine in self.groups:
            at = [self.corruptions.index(name) for name in mine]
            found[f"accuracy_{group}"] = accuracy[..., at].mean(axis=-1)
            found[f"delta_nll_{group}"] = delta[..., at].mean(axis=-1)
        for n, name in enumerate(self.corruptions):
            found |= {f"accuracy_{name}": accuracy[..., n], f"delta_nll_{name}": delta[..., n]}
        return found


def probe_part(answered: Answered) -> Part:
    """The metrics of a cell: of each group of corruptions, and of each corruption."""
    groups = {corruption.name: corruption.group for corruption in CORRUPTIONS.values()}
    deltas = [delta_nll(response) for response in answered.responses]
    probes = Probes.of([corruption_of(item) for item in answered.items], groups, deltas)
    names = {name: name for name in probes.finish(probes.statistics.sum(axis=0))}
    return Part("probes", probes, names, {name: f"{name}|by:token" for name in names})


# Of a group or a corruption, by the Chinese and the English words for it. ΔNLL is in nats.
_WORDS = {
    "logical": ("逻辑", "logical"), "complete": ("整体", "complete"), "swapped": ("互换", "swapped"), "negation": ("否定", "negation"),
    "invalid": ("错误解释", "invalid"), "shuffled": ("乱序", "shuffled"), "dropped": ("删词", "dropped"), "reversed": ("倒序", "reversed"),
}  # fmt: skip
METRICS = tuple(
    metric
    for name, (zh, en) in _WORDS.items()
    for metric in (
        Metric(f"accuracy_{name}", f"正确率（{zh}）", f"Acc. ({en})", f"{name} %"),
        Metric(f"delta_nll_{name}", f"ΔNLL（{zh}）", f"ΔNLL ({en})", f"{name}\nΔNLL", top=None, percent=False),
    )
)
