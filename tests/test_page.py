"""The leaderboard page, in a real browser from file://: what a reader does, and what hostile replies must not do."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from page_checks import HOSTILE_FEW, no_sideways_scrolling, percent_text
from run_files import read_jsonl, results_json
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.backends.registry import BACKENDS
from evalsuite.types import SCORINGS as ALL_SCORINGS
from evalsuite.types import Likelihood, Request, Response

sync_api = pytest.importorskip("playwright.sync_api", reason="needs evalsuite[dev]")

SCORINGS = [way for way in ALL_SCORINGS if way != "nll"]  # the ways of scoring a choice


@shared_folder
def page_file(folder: Path) -> Path:
    """A run of three baselines, one of them given a hostile name and hostile replies."""
    run = folder / "run"
    evalsuite.run(model=["random", "majority", "lexical"], limit=8, out=run)
    results = results_json(run)
    for cell in results["cells"]:
        if cell["model"] != "lexical":
            continue
        cell["model"] = HOSTILE_FEW[0]
        cell["facts"].update(backend="hf", tags=[])  # so that it stands among the models, not the baselines
        change(run, cell, lambda records: [r.update(reply=x) for r, x in zip(records, HOSTILE_FEW, strict=False)])
    (run / "results.json").write_text(json.dumps(results))
    return evalsuite.report([run])


def change(run: Path, cell: dict[str, Any], how: Callable[[list[dict[str, Any]]], object]) -> None:
    """Change a cell's records in place."""
    path = run / cell["records"]
    records = read_jsonl(path)
    how(records)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def reply_by_length(request: Request) -> Response:
    """Likelihoods, or one of the labels, by the length of the prompt."""
    seed, names = len(request.prompt), request.options if request.scoring == "texts" else request.labels
    if request.scoring in ("labels", "texts"):
        prior = -2.5 if request.scoring == "texts" else None
        found = (Likelihood(-1.0 - (seed * (n + 2)) % 7, 1 + n % 3, prior) for n in range(len(names)))
        return Response("", request.scoring, likelihoods=tuple(found))
    return Response(names[seed % len(names)] if names else "因为下雨了", "stop")


@shared_folder
def ways(folder: Path) -> Path:
    """A model asked in every way, and a baseline. One cell's first replies become one after hostile thoughts, and one
    that a content filter withheld."""
    run = folder / "run"
    tasks = ["knowledge_filling", "knowledge_generation", "domain_identification", "slot_identification", "event_cause"]
    evalsuite.run(model=["random"], tasks=tasks, limit=3, out=run)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(BACKENDS, "scripted", replace(BACKENDS["scripted"], scorings=ALL_SCORINGS))
        evalsuite.run({"tiny-zh": reply_by_length}, tasks=tasks, scoring=SCORINGS, limit=3, out=run)
    results = results_json(run)

    def think(records: list[dict[str, Any]]) -> None:
        records[0]["reasoning"] = "\n".join(HOSTILE_FEW)
        records[1] |= {"reply": "", "finish": "content_filter", "scores": {"accuracy": 0.0}}
        records[1]["answer"] |= {"status": "filtered", "choice": None, "text": None, "start": None, "end": None}

    cell = find(results, "easy", "domain_identification", "generate")
    change(run, cell, think)
    cell["status"] = {"parsed": 2, "filtered": 1}
    (run / "results.json").write_text(json.dumps(results))
    evalsuite.report([run])
    return run


def find(results: dict[str, Any], item_set: str, task: str, scoring: str) -> dict[str, Any]:
    place = ("tiny-zh", item_set, task, scoring)
    return next(c for c in results["cells"] if (c["model"], c["set"], c["task"], c["scoring"]) == place)


@pytest.fixture
def page(page_file: Path, browse: Any) -> Iterator[Any]:
    with browse(page_file) as tab:
        yield tab


@pytest.fixture
def ways_page(ways: Path, browse: Any) -> Iterator[Any]:
    with browse(ways / "page" / "index.html") as tab:
        yield tab


@pytest.mark.thorough
def test_a_tab_lent_again_is_as_new(tmp_path: Path, browse: Any) -> None:
    """A tab has nothing of the test before when the next one gets it; two tests at once get two tabs."""
    file = tmp_path / "page.html"
    file.write_text("<p id=drawn>text</p>")
    for _ in range(2):
        with browse(file, "#drawn") as tab, browse(file, "#drawn") as other:
            assert other is not tab
            assert tab.evaluate("[localStorage.length, sessionStorage.length, innerWidth]") == [0, 0, 1280]
            tab.evaluate("localStorage.x = sessionStorage.x = 1")
            tab.set_viewport_size({"width": 300, "height": 300})
    with pytest.raises(AssertionError, match="noise"), browse(file, "#drawn") as tab:
        tab.evaluate("console.log('noise')")


FAILING = {
    "script error": ("<p id=other>text</p><script>setTimeout(() => { throw Error('torn'); })</script>", "torn"),
    "not drawn": ("<p id=notice role=alert>no data</p>", "no data"),
    "drawn without it": ("<script>document.documentElement.dataset.drawn = 'all'</script>text", "no #drawn: text"),
}


@pytest.mark.parametrize(("html", "told"), FAILING.values(), ids=FAILING)
def test_what_cannot_come_is_not_waited_for(tmp_path: Path, browse: Any, html: str, told: str) -> None:
    file = tmp_path / "page.html"
    file.write_text(html)
    with pytest.raises(AssertionError, match=told), browse(file, "#drawn"):
        pass


def test_a_script_error_ends_every_wait(tmp_path: Path, browse: Any) -> None:
    file = tmp_path / "page.html"
    file.write_text("<button id=drawn onclick='throw Error(1 + 1)'>text</button>")
    with pytest.raises(AssertionError, match="2"), browse(file, "#drawn") as tab:
        tab.click("#drawn")
        tab.wait_for_selector("#never")


def test_the_overview_has_tables_of_both_sets(page: Any) -> None:
    tables_of_both_sets(page)
    all_figures_are_exported(page)
    assert no_sideways_scrolling(page)
    language_and_theme(page)


def tables_of_both_sets(page: Any) -> None:
    assert page.inner_text("h1") == "CORECODE leaderboard"
    for item_set in ("easy", "hard"):
        table = page.inner_text(f"table[data-set={item_set}]")
        assert "random" in table and "majority" in table and HOSTILE_FEW[0] in table
    assert "ChatGLM-6B" in page.inner_text("table[data-set=hard] tbody.paper")
    page.click("[data-keep=published]")
    assert page.locator("tbody.paper").count() == 0
    heading = "table[data-set=hard] button[data-sort=domain_identification]"
    for order in ("descending", "ascending"):
        page.click(heading)
        assert page.locator(heading).locator("xpath=ancestor::th").get_attribute("aria-sort") == order


def language_and_theme(page: Any) -> None:
    page.click("#lang")
    assert page.inner_text("h1").startswith("CORECODE 排行榜")
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def step(page: Any) -> None:
    """Go to the next item, which the page draws when its address has changed."""
    turned = 'addEventListener("hashchange", () => setTimeout(done), { once: true })'
    page.evaluate(f"() => {{ globalThis.turned = new Promise((done) => {turned}); }}")
    page.keyboard.press("j")
    page.evaluate("() => globalThis.turned")


def all_figures_are_exported(page: Any) -> None:
    rows = exported_table(page)
    assert {"random", "majority"} <= {row["model"] for row in rows}
    assert any(row["signature"].startswith("accuracy|parser:full") for row in rows)


def test_evidence_and_hostile_replies(page: Any) -> None:
    row = page.locator("table[data-set=hard] tbody.own tr", has_text="<img")
    row.locator("button.cell").first.click()
    page.wait_for_selector("#panes")
    for number, reply in enumerate(HOSTILE_FEW):
        step(page)
        page.wait_for_function("n => location.hash.endsWith('%2F' + n)", arg=number)
        text = page.inner_text("pre.reply >> nth=0")
        if "\u202e" in reply:
            assert "\u202e" not in text and "U+202E" in text and "U+0000" in text
        else:
            assert text == reply
    assert page.locator(".chat").count() == 1
    assert page.locator("#main img, #main svg[onload]").count() == 0
    link = page.url
    page.click(".detail summary")
    assert "候选选项" in page.inner_text(".promptbox pre")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.wait_for_selector("table.overview")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(".chat")
    page.evaluate("() => { location.hash = ''; }")
    page.wait_for_selector("table.overview")
    what_was_read_is_highlighted(page)


def what_was_read_is_highlighted(page: Any) -> None:
    row = page.locator("table[data-set=easy] tbody tr", has_text="random").first
    row.locator("button.cell").first.click()
    page.wait_for_selector("#panes")
    page.click(".rows .row >> nth=0")
    page.wait_for_selector(".chat")
    assert page.inner_text(".two mark.read").strip("()") in "abc"


def exported_table(page: Any) -> list[dict[str, str]]:
    with page.expect_download() as download:
        page.click("#csv")
    return list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8-sig"))))


@pytest.mark.thorough
def test_each_scoring_has_its_table(ways: Path, ways_page: Any) -> None:
    """Under each scoring, the table has the choices of that scoring; spans and texts are always generated, and the paper's rows
    stand beside generated choices only. A further table has all scorings side by side."""
    results = results_json(ways)
    for task in ("", "slot_identification", "domain_identification"):
        compare_scorings(results, ways_page, task)
    ways_page.select_option("[data-keep=metric] select", "paper.f1")  # the metric of the paper's figures
    for scoring in SCORINGS:
        choose_scoring(results, ways_page, scoring)
    likelihoods_do_not_scroll_sideways(ways_page)


def choose_scoring(results: dict[str, Any], ways_page: Any, scoring: str) -> None:
    ways_page.select_option("[data-keep=scoring] select", scoring)
    offered = ways_page.locator("[data-keep=metric-choice] option").all_inner_texts()
    assert ("Accuracy less the prior" in offered) == (scoring == "texts")
    assert any("the paper reads" in name for name in offered) == (scoring in ("generate", "constrained"))
    row = ways_page.locator("table[data-set=hard] tbody.own tr:not(.group) td")
    for place, task in ((0, "knowledge_filling"), (2, "domain_identification"), (1, "knowledge_generation")):
        cell = find(results, "hard", task, "generate" if task == "knowledge_generation" else scoring)
        metric = cell["metrics"]["paper.f1" if task == "knowledge_generation" else "accuracy"]
        assert row.nth(place).locator(".num").inner_text() == percent_text(metric["value"])
    told = "always generated" in ways_page.inner_text("#profile") if scoring != "generate" else False
    assert told == (scoring != "generate")
    ways_page.select_option("[data-keep=metric] select", "paper.f1")
    rows = exported_table(ways_page)
    assert {r["scoring"] for r in rows if r["group"] == "model" and r["task"] == "slot_identification"} == {scoring}
    paper = {r["task"] for r in rows if r["group"] == "published"}
    assert "event_cause" in paper and ("slot_identification" in paper) == (scoring == "generate")
    baselines = {r["task"] for r in rows if r["group"] == "baseline"}
    assert ("slot_identification" in baselines) == (scoring == "generate")


def compare_scorings(results: dict[str, Any], ways_page: Any, task: str) -> None:
    names = [task] if task else ["knowledge_filling", "domain_identification", "slot_identification"]
    ways_page.select_option("[data-keep=way-task] select", task)
    ways_page.select_option("[data-keep=way-set] select", "easy")
    rows = ways_page.locator("table.scorings tbody:not(.chance) tr")
    assert rows.count() == 1  # a baseline has nothing to compare
    columns = {
        "generate": ("generate", "accuracy"), "constrained": ("constrained", "accuracy"), "labels": ("labels", "accuracy"),
        "perToken": ("texts", "accuracy_token"), "perSum": ("texts", "accuracy_sum"), "perChar": ("texts", "accuracy_char"),
        "lessPrior": ("texts", "accuracy_prior"),
    }  # fmt: skip
    for way, (scoring, metric) in columns.items():
        values = [find(results, "easy", name, scoring)["metrics"][metric]["value"] for name in names]
        assert rows.locator(f"[data-way={way}] .num").inner_text() == percent_text(sum(values) / len(values)), way
    silent = rows.locator("[data-way=silent]").inner_text()
    assert silent.startswith(
        {"domain_identification": "33.3", "": "11.1"}.get(task, "0.0")
    )  # the filtered one, of 3 or 9


def test_likelihoods_thoughts_and_filtered_replies_are_evidence(ways: Path, ways_page: Any) -> None:
    thoughts_and_filtered_replies(ways_page)
    for scoring in ("texts", "labels"):
        likelihoods(ways, ways_page, scoring)


def likelihoods(ways: Path, ways_page: Any, scoring: str) -> None:
    cell = find(results_json(ways), "hard", "knowledge_filling", scoring)
    records = read_jsonl(ways / cell["records"])
    link = f"#run=0&model=tiny-zh&set=hard&task=knowledge_filling&split=test&prompt=paper&shots=0&scoring={scoring}"
    ways_page.goto("about:blank")
    ways_page.goto((ways / "page" / "index.html").as_uri() + link)
    ways_page.wait_for_selector("#panes")
    for record in records:
        step(ways_page)
        ways_page.wait_for_function("n => location.hash.endsWith('%2F' + n)", arg=record["item"].rpartition("/")[2])
        assert ways_page.locator(".two pre.reply").count() == 0
        assert "Nothing was written" in ways_page.inner_text(".two")
        options = ways_page.locator(".likely li")
        parts = [math.exp(x["logprob"]) for x in record["likelihoods"]]
        for n, part in enumerate(parts):
            assert float(options.nth(n).locator(".share b").inner_text().split()[0]) == pytest.approx(
                100 * part / sum(parts), abs=0.06
            )
        chosen = record["answer"]["choice"]
        assert "chosen" in options.nth(chosen).inner_text()
        assert "gold" in options.nth(record["labels"].index(record["gold"])).inner_text()
        best = options.nth(chosen).locator(".most").all_inner_texts()
        assert any(text.startswith("per token" if scoring == "texts" else "log p") for text in best)
        assert ("prior" in options.first.inner_text()) == (scoring == "texts")
    others = ways_page.locator(".cards").inner_text()  # the same model asked otherwise, and nobody in another way
    assert all(way in others for way in SCORINGS if way != scoring) and "random" not in others
    ways_page.goto("about:blank")
    # a link without the way of scoring, as older pages wrote it
    ways_page.goto((ways / "page" / "index.html").as_uri() + link.rpartition("&")[0])
    ways_page.wait_for_selector("#panes")
    assert "scoring generate" in ways_page.inner_text(".cellhead")


def thoughts_and_filtered_replies(ways_page: Any) -> None:
    ways_page.locator("table[data-set=easy] tbody.own button.cell[aria-label*='Domain identification']").click()
    ways_page.wait_for_selector("#panes")
    assert "filtered 1" in ways_page.inner_text(".cellhead")
    step(ways_page)
    ways_page.wait_for_selector(".reasoning")
    block = ways_page.locator(".reasoning")
    assert block.get_attribute("open") is None  # folded until asked for
    ways_page.click(".reasoning summary")
    text = block.locator("pre").inner_text()
    assert HOSTILE_FEW[0] in text and HOSTILE_FEW[1] in text and "U+202E" in text and "\u202e" not in text
    assert ways_page.locator("#main img, #main svg[onload], #main script").count() == 0
    assert ways_page.evaluate(
        "document.querySelector('.reasoning').compareDocumentPosition(document.querySelector('.two .reply:not(.reasoning *)')) & 4"
    )
    ways_page.click(".listtools [data-value=filtered]")
    assert ways_page.locator(".rows .row").count() == 1
    ways_page.click(".rows .row")
    ways_page.wait_for_selector("text=withheld the reply")
    assert ways_page.locator(".two .reasoning, .two pre.reply").count() == 0


def likelihoods_do_not_scroll_sideways(ways_page: Any) -> None:
    ways_page.select_option("[data-keep=scoring] select", "texts")
    assert no_sideways_scrolling(ways_page)
    ways_page.locator("table[data-set=hard] tbody.own button.cell[aria-label*='Slot identification']").click()
    ways_page.wait_for_selector("#panes")
    ways_page.click(".rows .row >> nth=0")
    ways_page.wait_for_selector(".likely")
    assert no_sideways_scrolling(ways_page)


def test_numbers_that_are_none(ways: Path, tmp_path: Path, browse: Any) -> None:
    """A network gone wrong says nan, for which JSON has no word: the page must open all the same."""
    run = tmp_path / "run"
    shutil.copytree(ways, run)
    results = results_json(run)
    change(
        run,
        find(results, "hard", "knowledge_filling", "texts"),
        lambda r: r[0]["likelihoods"][0].update(logprob=math.nan),
    )
    (run / "results.json").write_text(json.dumps(results))
    with browse(evalsuite.report([run])) as tab:
        tab.select_option("[data-keep=scoring] select", "texts")
        tab.locator("table[data-set=hard] tbody.own button.cell").first.click()
        tab.wait_for_selector("#panes")
        tab.click(".rows .row >> nth=0")
        tab.wait_for_selector(".likely")
        assert "NaN" not in tab.inner_text(".likely")


@shared_folder
def perturbed_run(folder: Path) -> Path:
    """A baseline under perturbations, in two wordings and numbers of shots."""
    run = folder / "run"
    names = ["none", "reindicate", "shuffle", "circular"]
    evalsuite.run(
        model=["random", "majority"],
        tasks=["domain_identification"],
        limit=6,
        perturb=names,
        prompt=["paper", "plain"],
        shots=[0, 2],
        out=run,
    )
    evalsuite.run(model=["random", "majority"], limit=6, perturb=names, out=run)
    return run


@pytest.fixture
def perturbed_page(perturbed_run: Path, browse: Any) -> Iterator[Any]:
    with browse(perturbed_run / "page" / "index.html") as tab:
        yield tab


def is_at_place(row: dict[str, Any], **more: Any) -> bool:
    wanted = {"set": "easy", "task": "domain_identification", "variant": "paper", "shots": 0, "scoring": "generate"}
    return all(row.get(name, value) == value for name, value in (wanted | more).items())


@pytest.mark.thorough
def test_perturbed_cells_are_shown_and_stepped_through(perturbed_run: Path, perturbed_page: Any) -> None:
    tables_of_robustness(perturbed_run, perturbed_page)
    robustness_does_not_scroll_sideways(perturbed_page)
    for perturb in ("circular", "shuffle"):
        choose_perturbation(perturbed_run, perturbed_page, perturb)


def tables_of_robustness(perturbed: Path, perturbed_page: Any) -> None:
    found = results_json(perturbed)["robustness"]
    perturbed_page.select_option("[data-keep=robustness-task] select", "domain_identification")
    perturbed_page.select_option("[data-keep=robustness-set] select", "easy")
    for table in ("drops", "wordings", "shots"):
        perturbed_page.click(f"[data-unfold=tables-{table}] summary")
        perturbed_page.wait_for_selector(f"[data-unfold=tables-{table}] table")
    kinds = list(dict.fromkeys(row["perturb"] for row in found["drops"] if is_at_place(row)))
    for perturb in ("reindicate", "shuffle", "circular"):
        rows = [row for row in found["drops"] if is_at_place(row, perturb=perturb)]
        for n, model in enumerate(("majority", "random")):
            (row,) = [row for row in rows if row["model"] == model]
            block = perturbed_page.locator("[data-sheet=drops] tbody").nth(kinds.index(perturb))
            text = block.locator("tr:not(.group)").nth(n).inner_text()
            assert model in text
            drop = f"{'−' if row['drop'] < 0 else '+'}{abs(100 * row['drop']):.1f}"
            same = row.get("same_choice", row.get("consistency"))
            assert percent_text(row["value"]) in text and drop in text and percent_text(same) in text
            assert f"✓→✕ {row['right_to_wrong']} · ✕→✓ {row['wrong_to_right']}" in text
    for row in found["positions"]:
        if is_at_place(row, perturb="none"):
            panel = perturbed_page.locator(f".positions [data-block={row['model']}]")
            assert f"bias {percent_text(row['bias'])} %" in panel.inner_text()
            lines = panel.locator("tbody tr").all_inner_texts()
            shares = [percent_text(n / sum(row["chosen"])) for n in row["chosen"]]
            assert [line.split()[:2] for line in lines] == [list(x) for x in zip(row["labels"], shares, strict=True)]
    wordings = perturbed_page.locator("[data-sheet=wordings] tbody tr:not(.group)").all_inner_texts()
    rows = [row for row in found["wordings"] if is_at_place(row, set=row["set"], perturb="none")]
    assert len(wordings) == len(rows) == 4  # two models on two sets
    assert all(any(row["worst"] in text and row["model"] in text for text in wordings) for row in rows)
    assert perturbed_page.locator("[data-sheet=shots] tbody tr:not(.group)").count() == 4


def choose_perturbation(perturbed: Path, perturbed_page: Any, perturb: str) -> None:
    """Choices are shown as perturbed, tasks that it does not apply to as they are; the paper's rows beside the former only where
    it prints them."""
    results = results_json(perturbed)
    perturbed_page.select_option("[data-keep=perturb] select", perturb)
    assert "keep their unperturbed" in perturbed_page.inner_text("#profile")
    rows = exported_table(perturbed_page)
    mine = [row for row in rows if row["group"] == "baseline"]
    choices = {"knowledge_filling", "domain_identification", "slot_identification"}
    assert {row["perturb"] for row in mine if row["task"] in choices} == {perturb}
    assert {row["perturb"] for row in mine if row["task"] not in choices} == {"none"}
    printed = {(row["perturb"], row["task"], row["set"]) for row in rows if row["group"] == "published"}
    assert printed == ({("shuffle", "slot_identification", "hard")} if perturb == "shuffle" else set())
    cell = next(c for c in results["cells"] if is_at_place(c, model="random", perturb=perturb))
    records = read_jsonl(perturbed / cell["records"])
    row = perturbed_page.locator("table[data-set=easy] tr", has_text="random")
    row.locator("button.cell[aria-label*='Domain identification']").click()
    perturbed_page.wait_for_selector("#panes")
    assert f"perturb={perturb}" in perturbed_page.url
    link = perturbed_page.url
    for record in records[:4]:  # rotations of one item are stepped through, each with its own address
        step(perturbed_page)
        name = record["item"].rpartition("/")[2] + (f"~{record['rotation']}" if record["rotation"] else "")
        perturbed_page.wait_for_function("n => decodeURIComponent(location.hash).endsWith('/' + n)", arg=name)
        # Drawn after the address has changed: wait for it.
        sync_api.expect(perturbed_page.locator(".opts li")).to_contain_text(record["options"])
    assert "not perturbed" in perturbed_page.inner_text(".cards")
    (drop,) = [row for row in results["robustness"]["drops"] if is_at_place(row, model="random", perturb=perturb)]
    if perturb == "shuffle":
        perturbed_page.click(".listtools [data-value=flipped]")
        flips = drop["right_to_wrong"] + drop["wrong_to_right"]
        assert flips and perturbed_page.locator(".rows .row").count() == flips
    perturbed_page.goto("about:blank")
    perturbed_page.goto(link)
    perturbed_page.wait_for_selector("#panes")
    assert perturb in perturbed_page.inner_text(".cellhead .lead")
    perturbed_page.keyboard.press("Escape")
    perturbed_page.wait_for_selector("table.overview")


@pytest.mark.parametrize("page", ["common", "common/annotator", "leaderboard", "annotate", "audit"])
def test_each_word_of_a_page_is_defined_once(page: str) -> None:
    path = Path(__file__).parents[1] / "leaderboard" / "src" / page / "words.json"
    pairs = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=list)
    assert pairs and not [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]


def robustness_does_not_scroll_sideways(perturbed_page: Any) -> None:
    for task in ("knowledge_filling", "domain_identification"):
        perturbed_page.select_option("[data-keep=robustness-task] select", task)
        assert no_sideways_scrolling(perturbed_page)
