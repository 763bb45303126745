"""What `evalsuite build agree` shows, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from evalsuite.authoring.agree import Found


def agreement_tables(found: Found, most: int) -> Iterator[Table | Text]:
    """Kappas step by step, their means, and the first `most` disagreements."""
    yield Text(", ".join(f"{name}: {n} dialogues" for name, n in found.annotators.items()) + "\n")
    table = _table("Agreement step by step", "who", "step", "n", "same %", "kappa", "F1 %")
    for s in found.steps:
        kappa, f1 = ("–" if x is None else f"{x:.3f}" for x in (s.kappa, s.f1 and 100 * s.f1))
        table.add_row(Text(", ".join(s.who)), s.step, str(s.n), f"{100 * s.same:.1f}", kappa, f1.split(".")[0])
    yield table
    for a, b, value in found.means:
        yield Text(
            f"{a}, {b}: mean kappa over the steps {100 * value:.1f} % (the paper: reviewers 80.7, inspectors 59.4)"
        )
    if found.disagreements:
        count = len(found.disagreements)
        title = f"{count} disagreements" + (f", the first {most}; --out writes all" if count > most else "")
        table = _table(title, "dialogue", "step", "about", "one", "other")
        for d in found.disagreements[:most]:
            table.add_row(Text(d.dialogue), d.step, Text(d.about), *(Text(x or "–") for x in d.said))
        yield table
    for note in found.notes:
        yield Text(note, style="yellow")


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold", justify="right" if column in ("n", "same %", "kappa", "F1 %") else "left")  # fmt: skip
    return table
