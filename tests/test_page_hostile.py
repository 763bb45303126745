"""A hundred texts that attack, wherever a page gets its words from: none may act, hide, fetch anything or break the page."""

from __future__ import annotations

import copy
import csv
import io
import json
import re
import shutil
import unicodedata
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from everything import UNFOLD, change, change_records, everything
from hostile import HOSTILE
from needs import needs
from run_files import results_json
from shared_fixtures import shared_folder
from tiers import thorough_but

import evalsuite

needs("openai", "openai", "tenacity", "aiolimiter")

pytestmark = pytest.mark.slow
TEXTS = HOSTILE[:99]  # the hundredth is a million characters long


def as_stored(text: str) -> str:
    """A text as stores keep it: half a character as its escape, for no file takes it."""
    return text.encode("utf-8", "backslashreplace").decode()


# Texts of a kind stand together in the list: every fifth of them has all kinds but two, of which each part gets one. A place of
# the page gets one part, the next place another: each place meets each kind, and each text stands in many places.
FEW = ["high \ud83d alone", "error: \nerror: "]
PARTS = [[*dict.fromkeys(map(as_stored, [*TEXTS[n::5], *FEW]))] for n in range(5)]
NAMES = PARTS[0]  # names of models
TASKS = ["domain_identification", "event_cause"]
NO_CELLS = {"format": 1, "evalsuite": "0", "reading": {"parser": "full", "extract": True}, "cells": []}
LISTS = ("drops", "positions", "wordings", "shots")


base = shared_folder(everything, "base")


@shared_folder
def site(base: Path, folder: Path) -> Path:
    """A page of the run with every name a hostile one, and of runs without cells in folders of hostile names."""
    run = folder / "run"
    shutil.copytree(base, run)
    change(run, lambda results: put_hostile_texts(run, results, cycle(PARTS)))
    runs = [run]
    for i, text in enumerate(PARTS[1]):
        name = re.sub(r"[/\0]", "∕", text).encode("utf-8", "replace")[:200].decode("utf-8", "ignore")
        runs.append(folder / str(i) / (name if name.strip(". ") else f"{name} {i}"))
        runs[-1].mkdir(parents=True)
        (runs[-1] / "results.json").write_text(json.dumps(NO_CELLS))
    for each, text in zip(runs, cycle(PARTS[2]), strict=False):
        told = {"started": text, "python": text, "platform": text, "settings": {text: text, "data": text}}
        told |= {"packages": {text: text, "torch": text}, "data": {text: {"sha256": text, "items": 1}}}
        (each / "manifest.json").write_text(json.dumps(told))
    return evalsuite.report(runs)


def put_hostile_texts(run: Path, results: dict[str, Any], parts: Iterator[list[str]]) -> None:
    """Put the hostile texts, a part each, in place of the names of models, wordings, perturbations, metrics, judges …, and into
    every field of records."""
    models = list(dict.fromkeys(cell["model"] for cell in results["cells"]))
    for rows in rows_of(results):
        usual = {"model": "lexical", "variant": "paper", "shots": 0, "perturb": "none"}
        for row in [r for r in rows if r["task"] in TASKS and all(r.get(k, v) == v for k, v in usual.items())]:
            rows += [{**copy.deepcopy(row), "model": str(n)} for n in range(len(models), len(NAMES))]
    names = dict(zip([*models, *map(str, range(len(models), len(NAMES)))], NAMES, strict=True))
    for rows in (*rows_of(results), results["learning"]):
        for row in rows:
            if "model" in row:
                row["model"] = names.get(row["model"], row["model"])
            if "pool" in row or "points" in row:
                row["base"] = names.get(row["base"], row["base"])
    lexical = names["lexical"]
    mine = [c for c in results["cells"] if c["model"] == lexical and c["task"] in TASKS and c["variant"] == "paper" and not c["shots"] and c["perturb"] == "none"]  # fmt: skip
    for cell in mine:
        change_records(run / cell["records"], lambda records: poison_records(records, items_of(cell["task"])))  # noqa: B023
    tags, facts, signatures = next(parts), next(parts), next(parts)
    for n, cell in enumerate(results["cells"]):
        cell["facts"] |= {
            "tags": [*tags, *cell["facts"]["tags"]],
            "fingerprint": facts[n % len(facts)],
        }
        for i, metric in enumerate(cell["metrics"].values()):
            metric["signature"] = signatures[(n + i) % len(signatures)]
    for key in ("metrics", "errors"):
        for i, text in enumerate(next(parts)):
            cell = mine[i % len(mine)]
            metric = cell["metrics"].get("f1", cell["metrics"].get("accuracy"))
            cell[key][text] = {**metric, "signature": text} if key == "metrics" else 1
    for i, text in enumerate(next(parts)):
        results["cells"].append(copy.deepcopy(mine[i % len(mine)]) | {"variant": file_name(text)})
    (drop,) = [r for r in results["robustness"]["drops"] if r["model"] == lexical][:1]
    for key in ("metric", "test"):
        results["robustness"]["drops"] += [{**drop, key: text} for text in next(parts)]
    for row, part in zip(results["robustness"]["wordings"], parts, strict=False):
        row |= {"values": {**row["values"], **dict.fromkeys(part, 0.5)}, "worst": part[0]}
    for row, part in zip(results["robustness"]["positions"], parts, strict=False):
        row["labels"] = [part[i % len(part)] for i in range(len(row["labels"]))]
    for row in results["learning"][:1]:
        for key in ("base", "trained_on"):
            results["learning"] += [{**row, key: text} for text in next(parts)]
    for row, part in zip(results["confusions"], parts, strict=False):
        row["names"] = [[part[i % len(part)], part[i % len(part)]] for i in range(len(row["names"]))]
    for row, part in zip(results["metric_correlations"], parts, strict=False):
        n = len(part)
        row |= {"metrics": part, "spearman": [0.5] * (n * (n - 1) // 2), "kendall": [-0.5] * (n * (n - 1) // 2)}
    poison_judged(run, results["judged"], parts)


def items_of(task: str) -> list[str]:
    """A task's items have every other text."""
    return TEXTS[TASKS.index(task) :: len(TASKS)]


def rows_of(results: dict[str, Any]) -> list[list[dict[str, Any]]]:
    robust = (results["robustness"][name] for name in LISTS)
    return [results["cells"], *robust, results["breakdowns"], results["confusions"], results["judged"]["cells"]]


def poison_records(records: list[dict[str, Any]], part: list[str]) -> None:
    part = [as_stored(text) for text in part]
    first = records[0]
    records[:] = [copy.deepcopy(first) for _ in part]
    for i, (record, text) in enumerate(zip(records, part, strict=True)):
        other, third = part[(i + 1) % len(part)], part[(i + 2) % len(part)]
        record |= {"item": text, "reply": text, "reasoning": text, "prompt": text, "question": text, "finish": text}
        record |= {"dialogue": [text, f"A: {other}", f"{text[:8]}: {third}", f"A: {text}"], "references": [text, other]}
        record |= {"options": [text, other, third][: len(first["options"])], "error": other if i % 5 == 4 else None}
        record |= {"labels": [third, text, other][: len(first["labels"])], "gold": text if first["gold"] else None}
        record["answer"] |= {"rule": text, "text": text, "start": 0, "end": len(text) // 2}
        record["scores"] = {**record["scores"], text: 1.0}


def file_name(text: str) -> str:
    """A text as the name of a wording or a rubric, which is the name of a file."""
    return re.sub(r"[/\\\x00-\x1f\x7f]", "∕", text) or "?"


def visible_text(text: str) -> str:
    """A text as pages show it: hidden characters as their numbers."""
    nothing = {c for c in text if ord(c) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(c) < 0xFDF0}  # Unicode's noncharacters
    hidden = nothing | {
        c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    }
    return "".join(f"U+{ord(c):04X}" if c in hidden else c for c in text)


def poison_judged(run: Path, judged: dict[str, Any], parts: Iterator[list[str]]) -> None:
    cells = judged["cells"]
    for key in ("judge", "rubric", "errors"):
        for cell in [c for c in cells if c["control"] == "plain"][:2]:
            cells += [
                copy.deepcopy(cell) | {key: {text: 1} if key == "errors" else file_name(text)} for text in next(parts)
            ]
    for cell, part in zip(cells, parts, strict=False):
        for numbers in cell.get("scales", {}).values():
            for found in (numbers.get("metrics", {}), numbers.get("joint", {})):
                found |= {text: found["f1"] for text in part if "f1" in found}
    for rows in judged["controls"].values():
        for row in rows[:1]:
            for key in ("judge", "rubric", "judges"):
                if key in row:
                    part = next(parts)
                    rows += [copy.deepcopy(row) | {key: part if key == "judges" else text} for text in part]
        for row, part in zip(rows, parts, strict=False):
            if "family" in row:
                row["family"] = part[0]
            if "by_kind" in row:
                row["by_kind"] = {text: next(iter(row["by_kind"].values())) for text in part}
    for path in sorted((run / "judged").glob("*.jsonl")):
        task = next(t for t in [*TASKS, ""] if t in path.name)
        change_records(path, lambda records: poison_reasons(records, items_of(task) if task else TEXTS))  # noqa: B023


def poison_reasons(records: list[dict[str, Any]], part: list[str]) -> None:
    part = [as_stored(text) for text in part]
    first = records[0]
    records[:] = [{**first, "item": text, "reasons": text} for text in part]


# Things that a page may not have made of any text, and that no text on it may hold.
CHECK = r"""(places = "#top, #main, #foot") => {
  const wrong = [], hidden = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]/u;
  const foreign = "img, iframe, object, embed, video, audio, script, style, link, base, meta, form, math, template, foreignObject, image, use, animate, set, [href], [src], [srcdoc], [action]";
  for (const x of document.body.querySelectorAll(places)) {
    for (const y of x.querySelectorAll(foreign)) wrong.push("element " + y.outerHTML.slice(0, 200));
    for (const y of x.querySelectorAll("*")) for (const a of y.attributes) {
      if (/^on/i.test(a.name)) wrong.push("handler " + y.outerHTML.slice(0, 200));
      if (a.name === "style" && /url|expression|@|</i.test(a.value)) wrong.push("style " + a.value);
      if (/^(title|placeholder|label|alt|aria-.*)$/.test(a.name) && hidden.test(a.value)) wrong.push("attribute " + a.name + JSON.stringify(a.value.slice(0, 200)));
    }
    const walk = document.createTreeWalker(x, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const text = walk.currentNode.data;
      if (hidden.test(text)) wrong.push("text " + JSON.stringify(text.slice(0, 200)) + " in " + walk.currentNode.parentNode.outerHTML.slice(0, 120));
    }
  }
  if (!["CORECODE leaderboard", "CORECODE 排行榜"].includes(document.title)) wrong.push("title " + document.title);
  if (globalThis.ran.length) wrong.push("ran " + globalThis.ran);
  return [...new Set(wrong)].slice(0, 20);
}"""
# Files are kept where the test finds them, not saved one by one.
KEEP = """globalThis.ran = []; globalThis.XSS = (...x) => ran.push(x); globalThis.files = new Map();
const blobs = new Map(), make = URL.createObjectURL;
URL.createObjectURL = (blob) => { const url = make(blob); blobs.set(url, blob); return url; };
HTMLAnchorElement.prototype.click = function () { files.set(this.download, blobs.get(this.href)); };"""


@pytest.fixture(scope="module")
def tab(site: Path, browse: Any) -> Iterator[Any]:
    with browse(site, script=KEEP, laid_out=False) as tab:  # the checks need no layout
        yield tab


def visit(tab: Any, site: Path, at: str = "", wait: str = "html[data-drawn=all], #panes") -> None:
    tab.goto("about:blank")
    tab.goto(f"{site.as_uri()}#{at}")
    tab.wait_for_selector(wait)


def unfold(tab: Any) -> None:
    tab.evaluate(UNFOLD)


def address(**at: str) -> str:
    return "&".join(f"{k}={quote(v.encode('utf-8', 'replace'))}" for k, v in at.items())


@pytest.mark.thorough
def test_hostile_texts_do_not_act_on_the_overview(tab: Any, site: Path) -> None:
    """The overview with all parts opened, and all files that it saves, in both languages and with the last value of every
    choice."""
    visit(tab, site)
    unfold(tab)
    assert tab.evaluate(CHECK) == []
    harmless_files(tab)
    tab.click("#lang")
    tab.wait_for_selector("html[data-drawn=all]")
    assert tab.evaluate(CHECK) == []
    assert tab.locator("#part-tables tbody.own tr, #part-others tbody.own tr").count() > len(NAMES)
    choose_last(tab)
    assert tab.evaluate(CHECK) == []


def choose_last(tab: Any) -> None:
    """Choose the last option of every picker: hostile names come last."""
    for control in ("perturb", "variant", "metric", "metric-choice", "judge-who", "judge-metric", "mix-model", "curve-pool"):  # fmt: skip
        select = tab.locator(f"[data-keep={control}] select")
        if select.count():
            select.select_option(index=select.locator("option").count() - 1)
            tab.wait_for_selector("html[data-drawn=all]")


@pytest.mark.thorough
def test_hostile_names_can_be_searched(tab: Any, site: Path) -> None:
    visit(tab, site)
    for text in NAMES[::5]:
        tab.fill("#find", text.encode("utf-8", "replace").decode())
        if typed := tab.input_value("#find"):  # a field of one line drops line breaks
            tab.wait_for_function("text => new URLSearchParams(location.hash.slice(1)).get('find') === text", arg=typed)
    assert tab.evaluate(CHECK) == []


@pytest.mark.thorough
def test_hostile_addresses_do_not_act(base: Path, tmp_path: Path, browse: Any) -> None:
    """Each text stands in some parts of an address, and each part gets texts of each kind. The page has little else: it is drawn
    for each anew."""
    run = tmp_path / "run"
    shutil.copytree(base, run)
    change(run, keep_little)
    site = evalsuite.report([run])
    keys = ("find", "size", "tags", "set", "tasks", "sort", "prompt", "shots", "metric", "by", "scoring", "perturb", "split", "lang")  # fmt: skip
    places = ("model", "item", "run", "task", "shots")
    with browse(site, script=KEEP, laid_out=False) as tab:
        for n in range(0, len(TEXTS), 4):
            texts = [*TEXTS[n:], *TEXTS[:n]]
            for at in (dict(zip(keys, texts, strict=False)), dict(zip(places, texts, strict=False))):
                tab.evaluate("hash => { location.hash = hash; }", address(**at))
            tab.wait_for_selector("#gone")
            assert tab.evaluate(CHECK) == [], n


def keep_little(results: dict[str, Any]) -> None:
    """Two models on two tasks: all that can be filtered, and few analyses."""
    kept = {"lexical", "oracle"}, set(TASKS)
    results["cells"] = [cell for cell in results["cells"] if cell["model"] in kept[0] and cell["task"] in kept[1]]
    for name in ("breakdowns", "confusions", "learning", "metric_correlations", "difficulty"):
        results[name] = []
    for name in LISTS:
        results["robustness"][name] = []


# Opens each item by its address, and folds of its; what it thought as the page shows it, and what is wrong with it.
ITEMS = """async (items) => {
    const unfold = UNFOLD, check = CHECK, seen = [], frame = () => new Promise((done) => requestAnimationFrame(done));
    for (const item of items) {
        const before = document.querySelector("#others");
        location.hash = location.hash.split("&item=")[0] + "&" + item;
        while (document.querySelector("#others") === before || !document.querySelector("#others .card")) await frame();
        await unfold();
        seen.push([document.querySelector(".two .reply").textContent, check("#detail")]);
    }
    return seen;
}""".replace("UNFOLD", UNFOLD).replace("CHECK", CHECK)


@pytest.mark.parametrize("task", thorough_but(1, reversed(TASKS)))
def test_hostile_items_do_not_act(tab: Any, base: Path, site: Path, task: str) -> None:
    """Each text stands for the name, dialogue, question, options, reply … of an item, and for the reply of its judges."""
    cells = results_json(base)["cells"]
    lexical = NAMES[list(dict.fromkeys(cell["model"] for cell in cells)).index("lexical")]
    visit(tab, site, address(run="0", model=lexical, set="easy", task=task, split="test", prompt="paper", shots="0"))
    tab.wait_for_selector("#panes")
    unfold(tab)
    assert tab.evaluate(CHECK) == []
    texts = [as_stored(text) for text in items_of(task)]
    seen = tab.evaluate(ITEMS, [address(item=text) for text in texts])
    assert seen == [[visible_text(text), []] for text in texts]  # the first is what it thought
    assert tab.evaluate(CHECK) == []
    tab.click("#lang")
    tab.fill("#search", items_of(task)[-1].encode("utf-8", "replace").decode())
    tab.wait_for_function("() => !document.getElementById('found').textContent.includes('%')")
    assert tab.evaluate(CHECK) == []


def harmless_files(tab: Any) -> None:
    files = tab.evaluate("""async () => {
        for (const x of document.querySelectorAll("[data-save$='.svg'], [data-save=bib], [data-table], #csv, #csv-curves")) x.click();
        return Promise.all([...globalThis.files].map(async ([name, blob]) => [name, await blob.text()]));
    }""")
    kinds = [Path(name).suffix for name, _ in files]
    assert all(kinds.count(kind) >= 5 for kind in (".svg", ".csv", ".tex", ".md"))
    for name, text in files:
        {".svg": harmless_svg, ".csv": harmless_csv, ".tex": harmless_tex, ".md": harmless_markdown}.get(Path(name).suffix, str)(text)  # fmt: skip


def harmless_svg(text: str) -> None:
    for node in ElementTree.fromstring(text).iter():
        name = node.tag.rpartition("}")[2]
        assert name in {"svg", "g", "text", "tspan", "title", "rect", "circle", "line", "path", "polyline", "polygon"}
        for key, value in node.attrib.items():
            assert not key.lower().startswith("on") and not key.endswith(("href", "src", "style"))
            assert key in ("aria-label", "font-family") or "url(" not in value


def harmless_csv(text: str) -> None:
    for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")):
        for value in row:
            assert not re.match(r"[=+\-@＝＋－＠\t\r\n]", value) or re.fullmatch(r"-?\d+(\.\d+)?", value), value


# Commands that tables in LaTeX are made of.
COMMANDS = r"""textbackslash textasciitilde textasciicircum textless textgreater textbar textasciigrave string dots cdot times surd
rightarrow neq approx pm circ bullet triangle rho kappa tau textbf underline textit scriptsize multicolumn cmidrule begin end toprule
midrule bottomrule caption label centering small setlength tabcolsep resizebox ifdim width linewidth else fi par smallskip"""


def harmless_tex(text: str) -> None:
    """Assert that a text outside of comments has no TeX commands but those that the page writes itself."""
    body = "\n".join(line for line in text.split("\n") if not line.startswith("%"))
    assert set(re.findall(r"(?<!\\)(?:\\\\)*\\([A-Za-z]+)", body)) <= set(COMMANDS.split())
    assert set(re.findall(r"\\begin\{(\w+\*?)\}", body)) <= {"table", "table*", "tabular"}
    assert not re.search(r"\^\^", body) and all(len(line) < 100_000 for line in text.split("\n"))


def harmless_markdown(text: str) -> None:
    markdown = pytest.importorskip("markdown_it", reason="needs evalsuite[dev]")
    html = markdown.MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert set(re.findall(r"</?(\w+)", html)) <= {
        "p",
        "strong",
        "em",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "br",
    }
