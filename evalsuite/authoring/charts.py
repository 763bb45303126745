"""Bar and line charts as SVG documents, to save as files or to put into a page.

Colours are `currentColor` and a blue that is legible on white and on black.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

_BLUE = "#2f7ed8"
_HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {w} {h}" width="{w}" height="{h}" '
    'font-family="sans-serif" font-size="12" fill="currentColor"><title>{title}</title>'
)


def bar_chart(title: str, rows: Sequence[tuple[str, int]]) -> str:
    """Horizontal bars of (name, count) rows, scaled to the largest count."""
    wide, step, left = 640, 20, 240
    most = max((count for _, count in rows), default=1) or 1
    parts = [_HEAD.format(w=wide, h=step * len(rows) + 4, title=escape(title))]
    for n, (name, count) in enumerate(rows):
        y, length = step * n + 2, (wide - left - 60) * count / most
        parts.append(
            f'<text x="{left - 8}" y="{y + 13}" text-anchor="end">{escape(name)}</text>'
            f'<rect x="{left}" y="{y + 2}" width="{length:.1f}" height="{step - 6}" fill="{_BLUE}"/>'
            f'<text x="{left + length + 6:.1f}" y="{y + 13}">{count:,}</text>'
        )
    return "".join([*parts, "</svg>"])


def line_chart(title: str, values: Sequence[float], chance: float) -> str:
    """Shares in [0, 1] over iterations 0, 1, …, with a dashed line at `chance`."""
    wide, high, left, low = 560, 300, 48, 36
    across, up = wide - left - 80, high - low - 24

    def point(n: float, value: float) -> tuple[float, float]:
        return left + across * n / max(1, len(values) - 1), high - low - up * value

    parts = [_HEAD.format(w=wide, h=high, title=escape(title)), f'<text x="{left}" y="14">{escape(title)}</text>']
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = point(0, share)[1]
        parts.append(
            f'<path d="M{left} {y:.1f}H{left + across}" stroke="currentColor" stroke-opacity=".15"/>'
            f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{100 * share:.0f} %</text>'
        )
    y = point(0, chance)[1]
    parts.append(
        f'<path d="M{left} {y:.1f}H{left + across}" stroke="currentColor" stroke-dasharray="4 4"/>'
        f'<text x="{left + across + 6}" y="{y + 4:.1f}">chance</text>'
    )
    points = [point(n, value) for n, value in enumerate(values)]
    parts.append(
        f'<polyline fill="none" stroke="{_BLUE}" stroke-width="2" points="'
        + " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        + '"/>'
    )
    every = max(1, len(values) // 10)
    for n, ((x, y), value) in enumerate(zip(points, values, strict=True)):
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{_BLUE}"><title>{n}: {value:.3f}</title></circle>')
        if n % every == 0:
            parts.append(f'<text x="{x:.1f}" y="{high - low + 16}" text-anchor="middle">{n}</text>')
    return "".join(
        [*parts, f'<text x="{left + across / 2:.0f}" y="{high - 4}" text-anchor="middle">iteration</text></svg>']
    )
