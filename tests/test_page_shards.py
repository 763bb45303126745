"""Many records: shards that load from file:// when an item is opened, lists of which only what is in sight exists."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from run_files import read_jsonl, results_json, write_jsonl
from shared_fixtures import shared_folder
from tiers import thorough_but

import evalsuite
from evalsuite.benchmarks import registry
from evalsuite.common.errors import DataError
from evalsuite.page.report import _load, page_data

sync_api = pytest.importorskip("playwright.sync_api", reason="needs evalsuite[dev]")
CELL = "run=0&model=random&set=easy&task=slot_identification&split=test&prompt=paper&shots=0&scoring=generate"


@shared_folder
def run(folder: Path) -> Path:
    """Two baselines and their shuffled twins on the whole sample; one item's reply is a million characters long."""
    out = folder / "run"
    evalsuite.run(model=["random", "lexical"], tasks=["slot_identification"], perturb=["none", "shuffle"], out=out)
    path = out / record_file(out)
    records = read_jsonl(path)
    records[3]["reply"] = "长" * 500_000 + "答案是(b)" + "尾" * 500_000
    records[3]["answer"] |= {"start": 500_003, "end": 500_006}
    other = (out / record_file(out, "lexical")).read_text().splitlines()
    known = {r["item"] for r in map(json.loads, other) if r["scores"]["accuracy"] == 1}
    next(r for r in records[4:] if r["item"] in known)["scores"]["accuracy"] = 1.0  # an item that both have right
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return out


def record_file(out: Path, model: str = "random") -> str:
    cells = results_json(out)["cells"]
    return next(c["records"] for c in cells if (c["model"], c["set"], c["perturb"]) == (model, "easy", "none"))


@pytest.fixture(scope="module", params=thorough_but(1, ["beside", "inside"]))
def site(run: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """The page with its shards in it, and with several small ones as files."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "beside":
            patch.setattr(sys.modules["evalsuite.page.report"], "INSIDE", 0)
            patch.setattr(sys.modules["evalsuite.page.shards"], "SIZE", 20_000)
        return evalsuite.report([run], tmp_path_factory.mktemp("site") / "site")


def in_two_processes(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sys.modules["evalsuite.page.shards"], "WORTH", 1)
    patch.setattr(sys.modules["evalsuite.page.shards"], "cores", lambda: 2)


def test_records_packed_in_two_processes_give_the_same_page(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = evalsuite.report([run], tmp_path / "alone").read_bytes()
    in_two_processes(monkeypatch)
    assert evalsuite.report([run], tmp_path / "two").read_bytes() == alone


def test_a_damaged_record_is_named_by_the_process_that_packs_it(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = Path(shutil.copytree(run, tmp_path / "run"))
    path = damaged / record_file(damaged)
    path.write_text(path.read_text().replace('"question"', '"frage"', 1))
    in_two_processes(monkeypatch)
    with pytest.raises(DataError, match=f"{path.name}:1: field 'question': missing"):
        evalsuite.report([damaged], tmp_path / "two")


def visit(page: Any, address: str) -> None:
    page.goto("about:blank")
    page.goto(address)


def test_items_open_from_their_shards(run: Path, site: Path, browse: Any) -> None:
    with browse(site, "#panes", query=f"#{CELL}") as page:
        a_very_long_reply_is_cut_around_what_was_read(page)
        shards_hold_what_the_records_hold(run, site, page)
        search_goes_through_every_shard(run, page)
        models_disagree(run, page)
        only_lines_in_sight_exist(page)


def shards_hold_what_the_records_hold(run: Path, site: Path, page: Any) -> None:
    records = read_jsonl(run / record_file(run))
    files = sorted((site.parent / "shards").glob("*.js"))
    assert (len(files) >= 4 and page.locator("script[id^=shard-]").count() == 0) or not files
    for record in (records[0], records[-1], records[len(records) // 2]):
        page.evaluate(
            "id => { location.hash = location.hash.split('&item=')[0] + '&item=' + encodeURIComponent(id) }",
            record["item"],
        )
        sync_api.expect(page.locator(".itemid")).to_have_text(record["item"])
        assert page.inner_text(".two pre.reply") == record["reply"]
        assert page.inner_text(".question") == record["question"]
        sync_api.expect(page.locator(".cards .card")).to_have_count(
            2
        )  # lexical, and itself shuffled, from another column's shard
    assert not page.locator("head script").count()


def only_lines_in_sight_exist(page: Any) -> None:
    page.set_viewport_size({"width": 1280, "height": 500})
    page.wait_for_selector(".rows .row")
    there = page.locator(".rows .row").count()
    total = int(page.locator(".rows li").first.get_attribute("aria-setsize"))
    assert there < total
    last = f".rows li[aria-posinset='{total}']"
    assert page.locator(last).count() == 0
    page.evaluate("document.getElementById('rows').scrollTo(0, 1e9)")
    page.wait_for_selector(last)
    sync_api.expect(page.locator(f"{last} .snippet")).not_to_have_text("…")
    page.locator(f"{last} button").click()
    page.wait_for_selector(".chat")
    sync_api.expect(page.locator(f"{last} button")).to_have_attribute("aria-current", "true")


def search_goes_through_every_shard(run: Path, page: Any) -> None:
    records = read_jsonl(run / record_file(run))
    word = records[-1]["dialogue"][0][2:10]
    found = [r for r in records if any(word in turn for turn in r["dialogue"])]
    page.fill("#search", word)
    sync_api.expect(page.locator("#found")).to_contain_text(f"{len(found)} of {len(records)} items")
    page.fill("#search", "")
    sync_api.expect(page.locator("#found")).to_contain_text(f"{len(records)} of {len(records)} items")


def models_disagree(run: Path, page: Any) -> None:
    cells = results_json(run)["cells"]
    right: dict[str, set[bool]] = {}
    for cell in cells:
        if (cell["set"], cell["perturb"]) == ("easy", "none"):
            for line in (run / cell["records"]).read_text().splitlines():
                record = json.loads(line)
                right.setdefault(record["item"], set()).add(record["scores"]["accuracy"] == 1)
    page.click(".listtools [data-value=disagree]")
    both = sum(len(x) == 2 for x in right.values())
    assert {True} in right.values() and {
        False
    } in right.values()  # items that all models have right, or wrong, are not listed
    assert both and page.inner_text("#found").startswith(f"{both} of ")
    page.click(".listtools [data-value=all]")


def a_very_long_reply_is_cut_around_what_was_read(page: Any) -> None:
    page.click(".rows li[aria-posinset='4'] button")
    page.wait_for_selector(".gap")
    assert page.inner_text(".two mark.read") == "(b)" and len(page.inner_text(".two pre.reply")) < 20_000
    page.locator(".two .gap button").first.click()
    assert len(page.inner_text(".two pre.reply")) >= 1_000_006 and page.locator(".two .gap").count() == 0


@pytest.mark.thorough
def test_a_shard_that_is_gone(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browse: Any) -> None:
    monkeypatch.setattr(sys.modules["evalsuite.page.report"], "INSIDE", 0)
    site = evalsuite.report([run], tmp_path / "site")
    for path in (site.parent / "shards").glob("*.js"):
        path.rename(path.with_suffix(".bak"))
    with (
        pytest.raises(AssertionError, match="ERR_FILE_NOT_FOUND"),
        browse(site) as tab,
    ):  # the browser logs these errors itself
        tab.click("#manifest-0 summary")
        tab.click("[data-save=results-0]")  # most of the file is in a shard
        tab.wait_for_selector("#manifest-0 .notice[role=alert]")
        assert "belongs beside this page" in tab.inner_text("#manifest-0 .notice[role=alert]")
        tab.evaluate(f"() => {{ location.hash = '{CELL}'; }}")
        tab.click(".rows .row >> nth=0")
        tab.wait_for_selector(".detail .notice")
        assert "belongs beside this page" in tab.inner_text(".detail")
        tab.fill("#search", "因为")
        tab.wait_for_selector("#found:has-text('belongs beside this page')")
        tab.fill("#search", "")
        tab.wait_for_selector(".rows .row")
        for path in (site.parent / "shards").glob("*.bak"):
            path.rename(path.with_suffix(".js"))
        tab.keyboard.press("j")  # the shard is sent for again
        tab.wait_for_selector(".chat")


ATTEMPTS = {
    "html": "document.body.innerHTML = '<img src=x onerror=globalThis.ran=1>'",
    "script": "document.head.append(Object.assign(document.createElement('script'), {src: 'data:text/javascript,globalThis.ran=1'}))",
    "inline": "document.head.append(Object.assign(document.createElement('script'), {text: 'globalThis.ran=1'}))",
    "handler": "document.body.setAttribute('onclick', 'globalThis.ran=1'); document.body.click()",
    "style": "document.head.append(Object.assign(document.createElement('style'), {textContent: 'body {display: none}'}))",
}


def test_nothing_but_ours_runs(run: Path, browse: Any) -> None:
    """The policy holds even if something of ours went wrong: no HTML from strings, no script or style but the page's."""
    wanted = r"blocked|Trusted|Content Security Policy"
    with (
        pytest.raises(AssertionError, match=wanted),
        browse(run / "page" / "index.html", "#panes", query=f"#{CELL}") as tab,
    ):
        for name, attempt in ATTEMPTS.items():
            with tab.expect_console_message() as said:
                tab.evaluate(f"() => {{ try {{ {attempt} }} catch {{ }} }}")
            assert re.search(wanted, said.value.text), name
            assert tab.evaluate("[globalThis.ran ?? 0, getComputedStyle(document.body).display]") == [0, "block"], name
        assert tab.locator("#panes").count() == 1


@pytest.mark.slow
def test_old_shards_are_removed(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["evalsuite.page.report"], "INSIDE", 0)
    site = evalsuite.report([run], tmp_path / "site")
    before = sorted(p.name for p in (site.parent / "shards").iterdir())
    assert evalsuite.report([run], tmp_path / "site").read_bytes() == site.read_bytes()
    assert before == sorted(p.name for p in (site.parent / "shards").iterdir())
    monkeypatch.setattr(sys.modules["evalsuite.page.report"], "INSIDE", 10**9)
    evalsuite.report([run], tmp_path / "site")
    assert not (site.parent / "shards").exists()


def test_what_is_out_of_sight_is_drawn_later(run: Path, browse: Any) -> None:
    with browse(run / "page" / "index.html", script="") as tab:
        tab.wait_for_selector("html[data-drawn=all]")
        drawn = tab.locator(".part > *").count()
        tab.select_option("[data-keep=perturb] select", "shuffle")
        tab.wait_for_selector("html[data-drawn=all]")
        assert tab.locator(".part > *").count() == drawn >= 5
        tab.locator("table[data-set=hard] button.cell").first.click()
        tab.wait_for_selector("#panes")
        tab.keyboard.press("Escape")
        tab.wait_for_selector("table.overview")


def test_ids_of_items_may_hold_the_sign_of_rotations(tmp_path: Path) -> None:
    """~ stands before the number of a rotation, and a benchmark file's ids may have it, too."""
    rows = [{"n": f"a~{n}", "q": f"第{n}问？", "x": "甲", "y": "乙", "z": "丙", "gold": "乙"} for n in range(8)]
    write_jsonl(tmp_path / "q.jsonl", *rows)
    fields = "{kind: choice, id: n, question: q, options: [x, y, z], gold: gold}"
    (tmp_path / "b.yaml").write_text(f"name: signs\nlanguage: zh\ndata: q.jsonl\ntasks:\n  ask: {fields}\n", "utf-8")
    done = evalsuite.run(
        model=["random"], benchmark=[tmp_path / "b.yaml"], perturb=["none", "circular"], out=tmp_path / "run"
    )
    data = page_data([_load(tmp_path / "run")], lambda packed: "shard")
    registry.forget_files()
    assert data["asked"]["items"] == 8
    circular, plain = (
        {(r["item"], r["rotation"]): r["scores"]["accuracy"] for r in read_jsonl(tmp_path / "run" / c.records)}
        for c in done.cells
    )
    flipped = [n for n, ((item, _), value) in enumerate(circular.items()) if value != plain[item, 0]]
    assert data["cells"][0]["flips"] == flipped and flipped
