"""The speed of the leaderboard at full size: 20 models, 16 sets of tasks, 12 perturbations, 100,000 replies.

    python benchmarks/page.py [--models 20] [--replies 100000] [--keep DIR]

The requests are real (the sample's items, repeated with different turns); the replies are of stand-ins, each of which gives
the right answer to a share of the items. The suite's own code stores, scores and reports them. Prints seconds and peak memory of
scoring and of the report, the site's size, and in Chromium the time until the table is drawn and the time from each action to
the next frame (`--browser` measures an existing site)."""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from load import write

import evalsuite
from evalsuite.analyses.journey import write_results
from evalsuite.results.store import Store
from evalsuite.types import Cell, Item, Reading, Response

# A fixed list, so that times of different versions can be compared.
PERTURBED = (
    "none reindicate reindicate_upper reindicate_circled reindicate_stems shuffle both derange derange_both reverse "
    "swap_speakers drop_turns traditional"
)


def build(folder: Path, models: int, replies: int) -> Path:
    """A run's folder with its store."""
    write(folder / "corpus", 16 * 400)
    first = folder / "first"
    settings: dict[str, Any] = {
        "model": ["random"],
        "perturb": PERTURBED.split(),
        "data": folder / "corpus",
        "out": first,
    }
    probe = sum(c.items for c in evalsuite.run(**settings, limit=1).cells)
    shutil.rmtree(first)
    evalsuite.run(**settings, limit=max(1, round(replies / models / probe)))
    run = folder / "run"
    run.mkdir()
    shutil.copy(first / "manifest.json", run)
    with Store(first / "store.sqlite") as source, Store(run / "store.sqlite") as target:
        for cell in source.cells():
            rows = [(trial, response) for _, trial, response in source.read(cell)]
            for n in range(models):
                name = f"model-{n + 1:02d}-{(n % 7 + 1) * 2}b"
                copy = Cell(
                    replace(cell.place, model=name), {**cell.facts, "backend": "hf", "fingerprint": name, "tags": []}
                )
                keyed = [(f"{name}:{cell.place.name}:{i}", trial) for i, (trial, _) in enumerate(rows)]
                target.plan(copy, keyed)
                target.put(
                    (
                        key,
                        Response(
                            stand_in_reply(trial.item, (response.text if response else ""), n / models, key), "stop"
                        ),
                    )
                    for (key, trial), (_, response) in zip(keyed, rows, strict=True)
                )
    return run


def stand_in_reply(item: Item, guess: str, skill: float, key: str) -> str:
    """The right answer with the probability `skill`, else the guess, with a reason from the dialogue; sometimes a refusal."""
    draw = Random(key)
    if draw.random() < 0.02:
        return draw.choice(["抱歉，我无法回答这个问题。", "", "作为一个人工智能语言模型，我不知道。"])
    answer = item.target if draw.random() < skill else guess
    turns = item.dialogue or [item.question]  # a perturbation leaves the dialogue out
    return f"{answer}\n因为对话里说：{draw.choice(turns)}，{draw.choice(turns)}"


def measure(what: str, run: Path) -> None:
    began = time.perf_counter()
    if what == "score":
        write_results(run, Reading())
    else:
        evalsuite.report([run], run / "page")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{what:8} {time.perf_counter() - began:6.1f} s   {peak:.2f} GiB peak", flush=True)


# Actions of a reader: [name, script that performs the action, selector of a node that must be there afterwards].
ACTIONS = [
    ("sort by a task", "click('[data-sort=slot_identification]')", "table.overview"),
    ("intervals off", "click('[data-keep=intervals] input')", "table.overview"),
    ("metric", "pick('[data-keep=metric] select', 'em')", "table.overview"),
    ("perturbation", "pick('[data-keep=perturb] select', 'shuffle')", "table.overview"),
    ("language", "click('#lang')", "table.overview"),
    ("theme", "click('#theme')", "table.overview"),
    ("open a cell", "click('table.overview tbody.own tr:last-child button.cell')", "#panes .row"),
    ("first item", "press('j')", ".chat"),
    ("next item", "press('j')", ".chat"),
    ("filter", "click('.listtools [data-value=wrong]')", ".row"),
    ("search", "type('#search', '因为')", ".row"),
    ("back", "press('Escape'); press('Escape')", "table.overview"),
]
DOING = """async ([action, wanted]) => {
  const $ = (x) => document.querySelector(x);
  const click = (x) => $(x).click();
  const pick = (x, value) => { $(x).value = value; $(x).dispatchEvent(new Event("change", {bubbles: true})); };
  const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  const type = (x, text) => { $(x).value = text; $(x).dispatchEvent(new Event("input", {bubbles: true})); };
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const began = performance.now();
  new Function("click", "pick", "press", "type", action)(click, pick, press, type);
  do {
    await frame();
    if (performance.now() - began > 10_000) throw Error(`${wanted} does not appear`);
  } while (!$(wanted));
  return performance.now() - began;
}"""


def browse(page: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell") or shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu"],
        )
        context = chromium.new_context(viewport={"width": 1280, "height": 900}, locale="en-US", bypass_csp=True)
        for attempt in range(2):
            tab = context.new_page()
            began = time.perf_counter()
            tab.goto(page.as_uri(), wait_until="commit")
            tab.wait_for_selector("table.overview")
            seen = time.perf_counter() - began
            paint = tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
            tab.wait_for_selector("html[data-drawn=all]", timeout=60_000)
            print(
                f"open {attempt + 1}: first paint {paint or 0:.0f} ms, table {1000 * seen:.0f} ms, "
                f"everything {1000 * (time.perf_counter() - began):.0f} ms",
                flush=True,
            )
            if attempt < 1:
                tab.close()
        for name, action, wanted in ACTIONS:
            tab.wait_for_timeout(500)
            print(f"{name:16} {tab.evaluate(DOING, [action, wanted]):6.0f} ms", flush=True)
        print(f"nodes {tab.evaluate('document.querySelectorAll(`*`).length'):,}")
        chromium.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--replies", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, help="make it here and leave it")
    parser.add_argument("--browser", type=Path, help="only browse this page")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.measure[0], Path(arguments.measure[1]))
        return
    if arguments.browser:
        browse(arguments.browser.resolve())
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        run = build(folder, arguments.models, arguments.replies)
        for what in ("score", "report"):
            subprocess.run([sys.executable, __file__, "--measure", what, str(run)], check=True)
        files = [p for p in (run / "page").rglob("*") if p.is_file()]
        page = run / "page" / "index.html"
        print(f"site {sum(p.stat().st_size for p in files) / 2**20:.1f} MiB in {len(files)} files", end=", ")
        print(f"index.html {page.stat().st_size / 2**20:.1f} MiB")
        browse(page)


if __name__ == "__main__":
    main()
