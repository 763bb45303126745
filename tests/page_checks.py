"""Checks and texts that the tests of several pages share: axe, sideways scrolling, numbers as pages write them, hostile texts."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from everything import UNFOLD
from needs import needs

# Replies and names that attack; tests/hostile.py has a hundred.
HOSTILE_FEW = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "b\u202e)a(\u0000\u0007\u200b",
    "{{constructor.constructor('alert(3)')()}}",
    '"><svg onload=alert(4)>',
]


def percent_text(value: float | None) -> str:
    """A share as the page writes it."""
    return "–" if value is None else f"{100 * value:.1f}"


def no_sideways_scrolling(page: Any) -> bool:
    """Whether nothing scrolls sideways in a narrow, a usual and a wide window. The present width comes first, since a new layout
    takes long."""
    seen = []
    now = page.viewport_size["width"]
    for width in sorted((390, 1280, 1920), key=lambda width: width != now):
        page.set_viewport_size({"width": width, "height": 900})
        seen.append(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
    return all(seen)


def unfold(tab: Any) -> None:
    """Open all folds, but not the menu of sections, which lies over what is below it."""
    tab.evaluate(UNFOLD)
    tab.evaluate("document.querySelector('#contents.menu')?.removeAttribute('open')")


# Marks two of the texts that look the same: in elements, classes, ink, size, and what is painted behind them.
LOOKS = """() => {
    for (const x of document.querySelectorAll("[data-look]")) delete x.dataset.look;
    const seen = {}, grounds = new Map([[null, ""]]);
    const ground = (x) => {
        if (!grounds.has(x)) {
            const { backgroundColor: colour, backgroundImage: image, opacity, position } = getComputedStyle(x);
            const clear = colour === "rgba(0, 0, 0, 0)" && image === "none" && opacity === "1" && position === "static";
            const hides = colour.startsWith("rgb(") && opacity === "1";
            grounds.set(x, clear ? ground(x.parentElement) : [colour, image, opacity, position, hides ? "" : ground(x.parentElement)].join());
        }
        return grounds.get(x);
    };
    for (const x of document.body.querySelectorAll("*")) {
        if (![...x.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim())) continue;
        const { color, fontSize, fontWeight } = getComputedStyle(x);
        const look = [x.localName, x.getAttribute("class"), color, fontSize, fontWeight, ground(x)].join();
        if ((seen[look] = (seen[look] ?? 0) + 1) <= 2) x.dataset.look = "";
    }
}"""
AXE = """async ([within, drawn]) => {
    const run = (where, more) => axe.run(where, { resultTypes: ["violations"], ...more });
    const rest = drawn ? { runOnly: ["target-size", "scrollable-region-focusable"] }
        : { rules: { "target-size": { enabled: true }, "color-contrast": { enabled: false } } };
    const found = [await run(within, rest), await run({ include: [[`${within} [data-look]`]] }, { runOnly: ["color-contrast"] })];
    return found.flatMap((x) => x.violations);
}"""


def violations(tab: Any, within: str = "html", drawn: bool = False) -> list[str]:
    """Violations that axe finds, a line each; of `drawn` pages only those that depend on theme and width.

    Contrast is checked once for texts that look the same: axe looks for all layers behind a text, which takes longest."""
    needs("dev", "axe_playwright_python")
    if not tab.evaluate("'axe' in globalThis"):
        tab.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    tab.evaluate(LOOKS)
    found = tab.evaluate(AXE, [within, drawn])
    return [f"{v['id']}: {n['target']} {n['failureSummary']}" for v in found for n in v["nodes"]]


# axe takes long on large pages. So of rows, and of parts of charts, that look alike, only two stay. Two look alike if they have
# the same elements, classes and names of attributes, and text in the same places.
THIN = """() => {
    const look = (x) => [x.localName, x.getAttribute("class"), [...x.attributes].map((a) => a.name).sort(),
        x.firstElementChild ? [...x.children].map(look) : Boolean(x.textContent.trim())].join();
    for (const group of document.querySelectorAll("#main tbody, #main ul, #main ol, #main svg, #main svg g")) {
        const seen = {};
        for (const x of [...group.children]) if ((seen[look(x)] = (seen[look(x)] ?? 0) + 1) > 2) x.remove();
    }
}"""
