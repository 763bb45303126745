"""The leaderboard page of several benchmarks, in a real browser: what is shown is what results.json and the papers have."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import probes
import pytest
from page_checks import THIN, unfold, violations
from run_files import results_json
from shared_fixtures import shared_folder
from stand_ins import stand_in_models

import evalsuite
from evalsuite.benchmarks.published import published_figures
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, metric_rows
from evalsuite.types import Metric

TASKS_RUN = ["domain_identification", "cicero_single_answer", "cicero_all_answers", "cider_dnli", "cider_span_extraction",
             "glucose_general_rule"]  # fmt: skip
MODELS = ["lexical", "random"]


def losses(n: int) -> tuple[float, float]:
    """Losses of four tokens: the valid explanation's target is likelier in two of three items; item 2 is a tie."""
    return [(8.0, 9.0), (10.0, 9.5), (6.0, 6.0), (4.0, 12.0)][n % 4]


@shared_folder
def run(folder: Path) -> Path:
    """A run of two baselines that pass for models, and of probes."""
    entries = stand_in_models(
        folder, {name: name for name in MODELS}, TASKS_RUN, tags={name: ["chat"] for name in MODELS}
    )
    (folder / "models.yaml").write_text(json.dumps({"models": entries}))
    out = folder / "run"
    evalsuite.run(folder / "models.yaml", tasks=TASKS_RUN, limit=8, out=out)
    probes.add_probes(out, losses)
    return out


@pytest.fixture(scope="module")
def results(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = results_json(run)
    return found


@pytest.fixture(scope="module")
def page(run: Path, browse: Any) -> Iterator[Any]:
    """One tab for all tests, without the page's policy, which would keep axe out; others test that it holds."""
    with browse(evalsuite.report([run]), bypass_csp=True) as tab:
        yield tab


def go_to(page: Any, place: str, wait: str = "table.overview", flags: str = "") -> None:
    address = page.url.partition("#")[0].partition("?")[0]
    page.goto("about:blank")
    page.goto(f"{address}{flags}#{place}")
    page.wait_for_selector(wait)


def table(page: Any, name: str) -> dict[str, list[str]]:
    """Row -> the figures of its columns, without intervals."""
    rows = page.locator(f"table.overview[data-set='{name}'] tbody tr:not(.group)")
    return {
        rows.nth(n).locator("th").inner_text(): rows.nth(n).locator("td .num").all_inner_texts()
        for n in range(rows.count())
    }


def percent(value: float) -> str:
    return f"{100 * value:.1f}"


def value(results: dict[str, Any], key: str, metric: str, **place: Any) -> float:
    found = [e["metrics"][metric]["value"] for e in results[key] if all(e[k] == v for k, v in place.items())]
    assert len(found) == 1
    return float(found[0])


def test_folds_beside_their_mean_and_the_papers(page: Any, results: dict[str, Any]) -> None:
    go_to(page, "lang=en&benchmark=cider")
    rows = table(page, "cider_dnli")
    for model in MODELS:
        mean = value(results, "means", "macro_f1", model=model, task="cider_dnli")
        folds = [
            value(results, "cells", "macro_f1", model=model, task="cider_dnli", set=f"fold{n}") for n in range(1, 6)
        ]
        assert rows[model] == [percent(mean), *map(percent, folds)]
    assert rows["RoBERTa-MNLI"] == ["69.8", "69.2", "71.1", "68.1", "71.3", "69.5"]  # Table 4
    heads = page.locator("table[data-set=cider_dnli] thead button.sort").all_inner_texts()
    assert heads[1].startswith("Mean of folds") and heads[2] == "fold 1"
    assert page.locator("table.overview").evaluate_all("all => all.map((x) => x.dataset.set)") == [
        "cider_dnli",
        "cider_span_extraction",
    ]
    page.click("#lang")
    assert page.locator("table[data-set=cider_dnli] thead button.sort").all_inner_texts()[2] == "折 1"


def test_the_best_mean_is_bold_and_the_order_of_rows_is_told(page: Any) -> None:
    go_to(page, "lang=en")
    best = page.locator("table.overview span.num.best")
    assert best.count() and {*best.evaluate_all("all => all.map((x) => getComputedStyle(x).fontWeight)")} == {"750"}
    words = page.inner_text("#part-others")
    assert "the benchmark's last set" in words and "columns of the harder set" not in words


def test_a_benchmark_is_picked_and_kept_in_the_address(page: Any) -> None:
    go_to(page, "lang=en")
    names = page.locator("table.overview").evaluate_all("all => all.map((x) => x.dataset.set)")
    assert names == [
        "hard",
        "easy",
        "v1",
        "v2",
        "cider_dnli",
        "cider_span_extraction",
        "glucose_general_rule",
        "sample",
    ]
    page.select_option("[data-keep=benchmark] select", "glucose")
    assert "benchmark=glucose" in page.url
    page.reload()
    page.wait_for_selector("table.overview")
    assert (
        page.locator("table.overview").count() == 1
        and "Mean of dimensions"
        in page.locator("table.overview thead").inner_text().replace("\u00ad", "")  # soft hyphens
    )
    assert page.locator("[data-keep=only-set] option").count() == 11


@pytest.mark.thorough
def test_less_is_better_of_some_metrics(page: Any, results: dict[str, Any]) -> None:
    go_to(page, "lang=en&benchmark=cider")
    page.select_option("[data-keep=metric-cider_span_extraction] select", "paper.no_match")
    means = {m: value(results, "means", "paper.no_match", model=m, task="cider_span_extraction") for m in MODELS}
    rows = page.locator("table[data-set=cider_span_extraction] tbody.own tr:not(.group)")
    best = [
        rows.nth(n).locator("th").inner_text() for n in range(len(MODELS)) if rows.nth(n).locator(".num.best").count()
    ]
    assert best == [m for m in MODELS if means[m] == min(means.values())] and len(best) == 1
    assert "metrics=" in page.url and "less is better" in page.locator("#profile").inner_text()
    page.reload()
    page.wait_for_selector("table.overview")
    assert table(page, "cider_span_extraction")["SpanBERT"][0] == "49.1"  # Table 5
    page.select_option("[data-keep=metric-cider_span_extraction] select", "no_match")
    assert "SpanBERT" not in table(page, "cider_span_extraction")  # the figures of SpanBERT are of whole replies


def test_a_set_of_one_benchmark_leaves_the_others_out(page: Any) -> None:
    go_to(page, "lang=en&set=hard", "html[data-drawn=all]")
    titles = page.locator("#charts figcaption strong").all_inner_texts()
    assert any(title.startswith("CORECODE") for title in titles)
    assert not any(title.startswith("CICERO") for title in titles)


def test_a_set_that_the_filters_hide_is_not_chosen_among_statuses(page: Any) -> None:
    go_to(page, "lang=en&benchmark=cider&status.set=hard&open=section-statuses", "html[data-drawn=all]")
    assert page.locator("#status table[data-sheet=status] tbody tr:not(.group)").count() > 0


def test_every_figure_is_exported(page: Any, results: dict[str, Any]) -> None:
    go_to(page, "lang=en")
    with page.expect_download() as saved:
        page.click("#csv")
    rows = list(csv.DictReader(io.StringIO(Path(saved.value.path()).read_text(encoding="utf-8-sig"))))
    assert saved.value.suggested_filename == "evalsuite-leaderboard.csv"
    own = {(r["model"], r["task"], r["set"]): r for r in rows if r["group"] == "model"}
    requests = {(c["model"], c["task"], c["set"]): c["items"] for c in results["cells"]}
    assert all(int(own[place]["requests"]) == n for place, n in requests.items() if n)
    assert len(own) == len(results["cells"]) + len(results["means"])
    mean = value(results, "means", "sacrebleu", model="lexical", task="glucose_general_rule")
    assert float(own["lexical", "glucose_general_rule", "mean"]["value"]) == mean
    delta = float(own["lexical", "cedar_inference_probing", "sample"]["value"])
    assert delta == value(results, "cells", "accuracy_logical", model="lexical", task="cedar_inference_probing")


def test_all_of_a_section_is_exported_whatever_is_picked(page: Any, results: dict[str, Any]) -> None:
    go_to(page, "lang=en", "html[data-drawn=all]")
    page.evaluate("document.querySelectorAll('details.section').forEach((x) => { x.open = true; })")
    with page.expect_download() as saved:
        page.click("[data-all=breakdown]")
    text = Path(saved.value.path()).read_text(encoding="utf-8-sig")
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["row"] in MODELS]
    bins = [
        (by, e, bin)
        for e in results["breakdowns"]
        for by in ("turns", "distance", "options", "groups")
        for bin in e.get(by) or ()
    ]
    ends: dict[tuple[str, ...], set[Any]] = {}  # a task whose items are all in one bin is left out
    for by, e, bin in bins:
        ends.setdefault((by, e["task"], e["set"]), set()).add(bin.get("name", bin.get("low")))
    wanted = {
        (e["model"], e["task"], e["set"], bin["value"]) for by, e, bin in bins if len(ends[by, e["task"], e["set"]]) > 1
    }
    found = {(r["model"], r["task"], r["set"], float(r["value"])) for r in rows if r["value"]}
    assert wanted and len({task for _, task, *_ in wanted}) > 1 and wanted <= found


def test_all_right_options_and_all_chosen_are_marked(page: Any, run: Path, results: dict[str, Any]) -> None:
    cell = next(
        c for c in results["cells"] if (c["model"], c["task"], c["set"]) == ("random", "cicero_all_answers", "v1")
    )
    for line in (run / cell["records"]).read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        place = f"lang=en&run=0&model=random&set=v1&task=cicero_all_answers&split=test&prompt=paper&shots=0&item={record['item']}"
        go_to(page, place, ".opts li")
        marked = {kind: [n for n in range(len(record["options"])) if page.locator(".opts li").nth(n).locator(f".pill.{kind}").count()] for kind in ("gold", "chosen")}  # fmt: skip
        assert marked["chosen"] == record["answer"]["choices"]
        assert [record["options"][n] for n in marked["gold"]] == [
            o for o in record["options"] if o in record["references"]
        ]
        assert page.locator("#group .data").inner_text() == record["group"]
        if len(record["references"]) > 1:
            return
    raise AssertionError("no item with several right answers")


def test_a_probe_with_both_losses(page: Any) -> None:
    go_to(page, f"lang=en&{PROBE}", ".rows button")
    for n, (lower, outcome, delta) in enumerate(
        [(0, "Right", "+0.25"), (1, "Wrong", "−0.13"), (None, "Wrong", "0.00")]
    ):
        page.locator(".rows button").nth(n).click()
        page.locator(".stepper", has_text=f"{n + 1} of ").wait_for()
        options = page.locator(".probe li")
        texts = [options.nth(i).inner_text() for i in range(2)]
        assert all(f"{loss / 4:.3f}" in text for loss, text in zip(losses(n), texts, strict=True))
        assert [i for i in range(2) if "▼ lower" in texts[i]] == ([] if lower is None else [lower])
        assert (
            outcome in page.locator(".settings .badge").last.inner_text()
            and delta in page.locator("#detail").inner_text()
        )
        assert "valid explanation" in texts[0] and ("swapped", "negated", "rated wrong")[n] in texts[1]
        context = options.nth(1).locator("pre").text_content()
        assert texts[1].split("\n")[0] in context and options.nth(1).locator("pre mark").text_content() in context


def test_groups_have_their_scores(page: Any, results: dict[str, Any]) -> None:
    go_to(page, "lang=en&benchmark=cider&tasks=cider_dnli")
    entry = next(
        e for e in results["breakdowns"] if (e["model"], e["task"], e["set"]) == ("lexical", "cider_dnli", "fold5")
    )
    page.wait_for_selector("#breakdown [data-panel='By group']")
    names = [x["name"] for x in entry["groups"]]
    order = BENCHMARKS["cider"].groups
    assert len(names) > 2 and names == [x for x in order if x in names]
    spots = page.locator("#breakdown [data-panel='By group'] .series[data-series=lexical] .spot")
    for name, group, spot in zip(names, entry["groups"], spots.all(), strict=True):
        assert spot.get_attribute("aria-label").startswith(f"lexical, {name}: {percent(group['value'])} %")


PROBE = "run=0&model=lexical&set=sample&task=cedar_inference_probing&split=test&prompt=paper&shots=0&scoring=nll"


@pytest.mark.thorough
@pytest.mark.parametrize("place", ["benchmark=cider", f"{PROBE}&item=cedar/sample/test/inference_probing/0.0.swapped"])
@pytest.mark.parametrize(("lang", "theme", "width"), [("en", "light", 1280), ("zh", "dark", 390)])
def test_axe_finds_no_fault(page: Any, lang: str, theme: str, width: int, place: str) -> None:
    pytest.importorskip("axe_playwright_python", reason="needs evalsuite[dev]")

    page.set_viewport_size({"width": width, "height": 900})
    go_to(page, place, ".probe li" if "probing" in place else "html[data-drawn=all]", f"?lang={lang}&theme={theme}")
    unfold(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if "probing" not in place:
        page.evaluate(THIN)
    assert violations(page, drawn=theme == "dark") == []
    page.set_viewport_size({"width": 1280, "height": 900})


def every_figure() -> list[dict[str, Any]]:
    return [row for benchmark in BENCHMARKS.values() for row in published_figures(benchmark)]


# task, set, metric, model, group -> the value in the paper's table
PUBLISHED = [
    ("knowledge_generation", "hard", "f1", "GLM-10B", None, 0.023),
    ("cider_dnli", "avg", "macro_f1", "RoBERTa-MNLI", None, 0.6983),
    ("cider_dnli", "avg", "macro_f1", "RoBERTa-MNLI (not fine-tuned)", None, 0.1776),
    ("glucose_specific_statement", "d1", "sacrebleu", "PT-LM", None, 0.407),
    ("cicero_cause", "v1", "bleu2", "T5", None, 0.1493),
    ("cedar_inference_probing", "DailyDialog", "delta_nll_logical", "DialoGPT", None, -0.01),
]


@pytest.mark.parametrize(("task", "item_set", "metric", "model", "group", "wanted"), PUBLISHED)
def test_published_figures_are_those_of_the_papers(
    task: str, item_set: str, metric: str, model: str, group: str | None, wanted: float
) -> None:
    place = task, item_set, metric, model, group
    found = [
        p["value"]
        for p in every_figure()
        if tuple(p.get(k) for k in ("task", "set", "metric", "model", "group")) == place
    ]
    assert found and all(x == pytest.approx(wanted) for x in found)


def test_published_figures_are_of_our_tasks_and_sets() -> None:
    figures = every_figure()
    assert len(figures) > 1000
    for row in figures:
        b = BENCHMARKS[TASKS[row["task"]].benchmark]
        assert row["set"] in (*b.sets, "avg") and row.get("group", b.groups[:1] and b.groups[0]) in (*b.groups, ())
        assert (
            -2 < row["value"] <= 1
            or row["metric"].startswith("delta_nll")
            or row["metric"] in ("cider", "human", "judge")
        )


@pytest.mark.thorough
def test_a_metric_needs_no_more_than_its_row(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browse: Any
) -> None:
    """The page shows a metric that only Python's table of metrics knows, with its name, scale and direction."""
    copied = copytree(run, tmp_path / "run")
    found = results_json(copied)
    for cell in found["cells"]:
        if cell["task"] == "cider_dnli":
            cell["metrics"]["surprise"] = cell["metrics"]["macro_f1"] | {"value": 2.5, "low": 2.0, "high": 3.0}
    (copied / "results.json").write_text(json.dumps(found), encoding="utf-8")
    row = Metric("surprise", "意外度", "Surprise", maximum=8.0, percent=False, lower_is_better=True)
    monkeypatch.setattr("evalsuite.page.report.metric_rows", lambda: {**metric_rows(), "surprise": row})
    with browse(evalsuite.report([copied])) as page:
        for lang, name in (("en", "Surprise ↓"), ("zh", "意外度 ↓")):
            go_to(page, f"lang={lang}&benchmark=cider&tasks=cider_dnli&metrics=cider_dnli:surprise")
            assert f"{name} ×1" in page.locator("option").all_inner_texts()
            assert "2.50" in page.locator("table.overview td .num").all_inner_texts()
