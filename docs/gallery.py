"""Make the pictures of docs/gallery.md and of the front pages: python docs/gallery.py. Needs evalsuite[dev] and a Chromium on the
PATH.

The models are stand-ins on the bundled sample. In a known share of items their replies are right; in the other items they are a
baseline's. The pictures show the page, and compare no models.
"""

from __future__ import annotations

import base64
import json
import shutil
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import evalsuite
from evalsuite.backends.baseline import Baseline
from evalsuite.backends.model import Model
from evalsuite.benchmarks.registry import Corpora
from evalsuite.common.resources import bundled

FOLDER = Path(__file__).parent / "pictures"
PERTURB = ["none", "reindicate", "shuffle"]
TASKS = ["knowledge_filling", "knowledge_generation", "conflict_detection", "domain_identification", "slot_identification",
         "event_cause", "subsequent_event", "clipped_subsequent_event"]  # fmt: skip
# Name -> shares of right replies on EASY, on HARD and under perturbation; tokens of a reply and of its thinking.
STAND_INS = {
    "stand-in-large": (0.9, 0.75, 0.7, 900, 800), "stand-in-base": (0.7, 0.55, 0.35, 220, 0), "stand-in-small": (0.5, 0.4, 0.3, 40, 0),
    "stand-in-tiny": (0.1, 0.05, 0.0, 6, 0),
}  # fmt: skip
# Picture -> the selector of its part of the page, and the picture's greatest height in pixels.
SECTIONS = {
    "findings": (".intro", 520), "overview": ("#part-tables", 1150), "accuracy": ("#part-accuracy", 900), "ranks": ("#part-ranks", 700),
    "gaps": ("#part-leveled", 700), "tokens": ("#part-tokens", 700), "robustness": ("#part-robust", 1500), "breakdown": ("#part-slices", 1000),
    "confusion": ("#part-confused", 900), "statuses": ("#part-statuses", 800),
}  # fmt: skip
# Picture for a front page -> the language that the browser asks for. It shows the beginning of the page and the HARD table.
# The filters, notes and list of sections between the two are hidden, so that the picture stays small.
FRONTS = {"front": "en-US", "front.zh": "zh-CN"}
HIDDEN = "#sections, #part-tables p, #part-tables h2, #part-tables .controls"
LAST = "#part-tables tr >> nth=14"  # the last row on these pictures, below some of the paper's rows
WINDOW = {"width": 1280, "height": 900}


def replies(folder: Path) -> Path:
    """Write a file of replies for each stand-in, and their models.yaml. Returns the path of the latter."""
    cells = evalsuite.preview(model=["random"], tasks=TASKS, perturb=PERTURB, data="bundled:sample")
    trials = [trial for _, cell_trials in cells for trial in cell_trials]
    corpus = Corpora(bundled("sample"))
    texts_of = {kind: ["" for _ in trials] for kind in ("oracle", "random")}
    for kind, texts in texts_of.items():
        baseline = Baseline(Model(name=kind, backend="baseline", path=kind), corpus.labelled)
        for group in baseline.answer(trials, [False] * len(trials)):
            for at, reply in group:
                texts[at] = reply.text
    models = []
    for name, (easy, hard, perturbed, new, thinking) in STAND_INS.items():
        rows = []
        for at, trial in enumerate(trials):
            share = perturbed if trial.perturb != "none" else hard if "/hard/" in trial.item.id else easy
            kind = "oracle" if Random(f"{name} {trial.item.id}").random() < share else "random"
            rows.append(
                {
                    "item": trial.item.id,
                    "perturb": trial.perturb,
                    "rotation": trial.rotation,
                    "text": texts_of[kind][at],
                    "prompt_tokens": len(trial.request.prompt),
                    "new_tokens": new + at % 10,
                    "thinking_tokens": thinking,
                }
            )
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        models.append({"name": name, "backend": "scripted", "path": path.name})
    models += [
        {"name": kind, "backend": "baseline", "path": kind, "tags": ["baseline"]} for kind in ("lexical", "random")
    ]
    file = folder / "models.yaml"
    file.write_text(json.dumps({"models": models}), encoding="utf-8")
    return file


def take(page: Path) -> None:
    """Take the pictures of a page in a window of 1280 pixels: those for front pages in both languages, the others in English."""
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name, locale in FRONTS.items():
            tab = _open_page(browser, page, locale, "#set=hard")
            tab.evaluate(
                "(which) => { for (const x of document.querySelectorAll(which)) x.style.display = 'none'; }", HIDDEN
            )
            row = _clip(tab, LAST, WINDOW["height"])
            _shoot(tab, name, {"x": 0, "y": 0, "width": WINDOW["width"], "height": row["y"] + row["height"]})
        tab = _open_page(browser, page, "en-US")
        # Otherwise the list of sections covers other parts.
        tab.evaluate("() => { document.getElementById('sections').style.position = 'static'; }")
        for name, (selector, high) in SECTIONS.items():
            _shoot(tab, name, _clip(tab, selector, high))
        tab.locator("table[data-set=hard] tbody.own button.cell").first.click()
        tab.wait_for_selector("#panes")
        tab.keyboard.press("ArrowRight")
        tab.wait_for_selector("#detail .chat")
        _shoot(tab, "evidence", _clip(tab, "#panes", 900))
        browser.close()


def _open_page(browser: Any, page: Path, locale: str, state: str = "") -> Any:
    tab = browser.new_page(viewport=WINDOW, locale=locale)
    tab.goto(page.as_uri() + state)
    tab.wait_for_selector("html[data-drawn=all]")
    return tab


def _clip(tab: Any, selector: str, high: float) -> dict[str, float]:
    """The rectangle of an element on the page, at most `high` pixels high."""
    # The browser lays out a section only near the window.
    tab.locator(selector).scroll_into_view_if_needed()
    box = tab.locator(selector).evaluate(
        "(x) => { const r = x.getBoundingClientRect(); return [r.left + scrollX - 16, r.top + scrollY, r.width + 32, r.height]; }"
    )
    clip = dict(zip(("x", "y", "width", "height"), box, strict=True))
    return clip | {"height": min(clip["height"], high)}


def _shoot(tab: Any, name: str, clip: dict[str, float]) -> None:
    camera = tab.context.new_cdp_session(tab)
    settings = {"format": "webp", "quality": 80, "clip": clip | {"scale": 1}, "captureBeyondViewport": True}
    shot = camera.send("Page.captureScreenshot", settings)
    (FOLDER / f"{name}.webp").write_bytes(base64.b64decode(shot["data"]))


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = folder / "stand-ins"
        evalsuite.run(
            models=replies(folder), tasks=TASKS, perturb=PERTURB, data="bundled:sample", baselines=(), out=run
        )
        take(run / "page" / "index.html")


if __name__ == "__main__":
    main()
