"""The page of `evalsuite build stats`: one HTML file with inline style and no scripts."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from evalsuite.authoring.artefacts import CHECKS, GuesserScore
from evalsuite.authoring.charts import bar_chart
from evalsuite.authoring.stats import DIMENSIONS, KnowledgeCounts, Stats
from evalsuite.benchmarks.check import Table1
from evalsuite.benchmarks.corecode.reference import table1
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.files import replace_file


def write_stats_page(stats: Stats, out: Path) -> tuple[Path, Path]:
    """Write out/stats.json and out/stats.html, which needs no network; returns their paths."""
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(stats.to_json(), ensure_ascii=False, indent=1) + "\n"
    written = (out / "stats.json", out / "stats.html")
    for path, content in zip(written, (text, render_page(stats)), strict=True):
        replace_file(path, content)
    return written


def render_page(stats: Stats) -> str:
    """The page as HTML."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    folder = Path(__file__).parent
    css = (folder / "stats.css").read_text(encoding="utf-8")
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(
        (folder / "stats.html.j2").read_text(encoding="utf-8")
    )
    sets = list(dict.fromkeys(s.set for s in stats.spread))
    charts = [
        (
            f"{item_set.upper()}: {what}",
            Markup(bar_chart(f"{item_set}: annotations by {what}", rows)),  # escapes the names itself
        )
        for item_set in sets
        for what, rows in (
            ("domain", [(f"{zh} {en}", n) for (zh, en), n in stats.domains(item_set).items()]),
            ("slot", [(f"{s.slot_zh} {s.slot}", s.count) for s in stats.spread if s.set == item_set]),
        )
    ]
    return template.render(
        css=Markup(css),
        css_hash=base64.b64encode(hashlib.sha256(css.encode()).digest()).decode(),
        sets=table1_heads(stats),
        rows=table1_rows(stats),
        source=stats.source,
        charts=charts,
        split=stats.split,
        groups=[(TASKS[t].en, TASKS[t].zh, s.upper(), scores) for (t, s), scores in grouped(stats)],
        summary=[line for _, line in summary(stats)],
        checks=CHECKS.values(),
    )


def grouped(stats: Stats) -> list[tuple[tuple[str, str], list[GuesserScore]]]:
    """Findings grouped by (task, set): accuracy for choices, F1 for texts, exact match for the lookup check."""
    groups: dict[tuple[str, str], list[GuesserScore]] = {}
    for f in stats.findings:
        if f.measure != "exact" or CHECKS[f.check].lookup:
            groups.setdefault((f.task, f.set), []).append(f)
    return list(groups.items())


def summary(stats: Stats) -> list[tuple[bool, str]]:
    """For each task and set whether a check is above chance, and a line that names the best check that does not read the
    dialogue."""
    lines = []
    for (task, item_set), scores in grouped(stats):
        above = [f for f in scores if f.above and not CHECKS[f.check].reads and not CHECKS[f.check].lookup]
        subject = f"{item_set.upper()} {TASKS[task].en}"
        if above:
            best = max(above, key=lambda f: f.gain)
            measure = "F1" if best.measure == "f1" else best.measure
            text = f"{measure} {100 * best.value:.1f} % by “{best.check}” (chance {100 * best.chance:.1f} %): {best.verdict}"
        else:
            text = "nothing above chance without reading the dialogue"
        looked = [f for f in scores if f.above and CHECKS[f.check].lookup]
        more = "".join(f"; {100 * f.value:.1f} % {f.verdict}" for f in looked)
        lines.append((bool(above or looked), f"{subject}: {text}{more}"))
    return lines


def table1_heads(stats: Stats) -> list[str]:
    """The headings of Table 1's columns: the sets, the total of several, then the same of the paper."""
    return [*(heading for heading, *_ in _columns(stats)), *(f"paper {name.upper()}" for name, _ in _papers(stats))]


def table1_rows(stats: Stats) -> list[tuple[str, list[str]]]:
    """(name, value of each column) in the paper's order. The paper's "tokens" are characters, speaker marks included."""
    papers = [paper for _, paper in _papers(stats)]
    return [(name, [*values, *(paper[name] for paper in papers)]) for name, values in _own_rows(stats)]


def _columns(stats: Stats) -> list[tuple[str, Table1, KnowledgeCounts | None]]:
    """(heading, upper half, lower half) of each column of our own."""
    columns = [(t.set.upper(), t, stats.knowledge.get(t.set)) for t in stats.table1]
    return [*columns, ("Total", *stats.total)] if stats.total else columns


def _papers(stats: Stats) -> list[tuple[str, dict[str, str]]]:
    """(heading, row -> figure) of each column of the paper."""
    names = [*(t.set for t in stats.table1), *(["total"] if stats.total else [])]
    return [(name, paper) for name in names if (paper := table1(name))]


def _own_rows(stats: Stats) -> list[tuple[str, list[str]]]:
    columns = _columns(stats)
    tables, known = [t for _, t, _ in columns], [k for *_, k in columns]
    extremes = ("Max.", "Min.", "Avg.")

    def number(value: float) -> str:
        return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"

    def extreme(values: Sequence[float], n: int) -> str:
        return number(values[n]) if n == 2 else f"{values[n]:,.1f}".removesuffix(".0")

    def phrase(k: KnowledgeCounts | None, n: int) -> str:
        if k is None or k.characters is None:
            return "–"
        return f"{k.characters[n]:.2f}" if isinstance(k.characters, tuple) else f"{k.characters:.2f} (1 and 2)"

    names = {
        "Entity": "annotated entities",
        "Event": "annotated events",
        "Social interaction": "annotated social interactions",
    }
    return [
        ("dialogues", [number(t.dialogues) for t in tables]),
        *((f"{e} turns per dialogue", [extreme(t.turns, n) for t in tables]) for n, e in enumerate(extremes)),
        *((f"{e} characters per dialogue", [extreme(t.tokens, n) for t in tables]) for n, e in enumerate(extremes)),
        ("Avg. characters per turn", [number(t.tokens_per_turn) for t in tables]),
        ("annotated instances (triplets)", ["–" if k is None else number(k.annotations) for k in known]),
        *((names[d], ["–" if k is None else number(k.dimensions[d]) for k in known]) for d in DIMENSIONS),
        (
            "conflict phrases",
            ["–" if k is None or k.conflict_phrases is None else number(k.conflict_phrases) for k in known],
        ),
        *((f"Avg. characters of conflict phrase {n + 1}", [phrase(k, n) for k in known]) for n in (0, 1)),
    ]
