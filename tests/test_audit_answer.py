"""A person answers a benchmark's items on a page; the export is scored as a model's replies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of

import evalsuite
from evalsuite.benchmarks.registry import Corpora, task_named
from evalsuite.cli.show import print_results
from evalsuite.common.errors import ConfigError
from evalsuite.common.resources import bundled
from evalsuite.page.report import pack_json
from evalsuite.review.audit import write_answer_page
from evalsuite.review.audit.outputs import population

ASKED: dict[str, Any] = {
    "tasks": [
        "event_cause", "cider_span_extraction", "cider_span_selection_question", "cedar_inference_probing", "cicero_all_answers"
    ],
    "set": "easy,fold1,sample,v1",
    "limit": 1,
}  # fmt: skip
CORPORA = Corpora(bundled("sample"))


def item(task: str, item_set: str) -> Any:
    return CORPORA.file(task_named(task), item_set, "test").items[0]


def models(folder: Path, replies: str) -> Path:
    path = folder / "models.yaml"
    path.write_text(f"models:\n  - {{name: human, backend: scripted, path: {replies}}}\n", encoding="utf-8")
    return path


def cells(done: Any) -> dict[str, dict[str, float]]:
    return {c["task"]: {name: m["value"] for name, m in c["metrics"].items()} for c in cells_of(done)}


def test_answers_are_scored_as_replies(tmp_path: Path, browse: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """All kinds of items, all answered rightly; a reload keeps the answers; the file comes back; no right answer is marked."""
    made = write_answer_page(tmp_path / "answer.html", **ASKED)
    assert made.items == 5 and set(made.tasks) == set(ASKED["tasks"])
    with browse(made.page, "#name") as tab:
        tab.fill("#name", "林小雨")
        tab.keyboard.press("Enter")
        for _ in range(made.items):
            task = tab.locator("#output").get_attribute("data-id").split("/")
            name = task[3] if task[0] == "corecode" else f"{task[0]}_{task[3]}"
            one = item(name, task[1])
            assert (tab.locator(".talk").count() == 0) == (name == "cider_span_selection_question")
            right = {*one.references}
            if one.options:
                for n, text in enumerate(tab.locator(".marks .mark span > span").all_text_contents()):
                    if text in right:
                        tab.locator(".marks .mark").nth(n).click()
                if name == "cicero_all_answers":
                    tab.keyboard.press("ArrowRight")
            elif name == "cider_span_extraction":
                tab.evaluate("""(text) => {
                    const walk = document.createTreeWalker(document.querySelector(".talk"), NodeFilter.SHOW_TEXT);
                    let node = walk.nextNode();
                    while (!node.textContent.includes(text)) node = walk.nextNode();
                    const at = node.textContent.indexOf(text);
                    getSelection().setBaseAndExtent(node, at, node, at + text.length);
                }""", one.references[0])  # fmt: skip
                tab.locator(".talk").dispatch_event("mouseup")
                assert tab.input_value("#answer") == one.references[0]
                tab.keyboard.press("ArrowRight")
            else:
                tab.fill("#answer", one.references[0])
                tab.keyboard.press("Enter")
        tab.reload()
        tab.wait_for_selector("#done")
        with tab.expect_download() as download:
            tab.click("#export")
        replies = tmp_path / download.value.suggested_filename
        download.value.save_as(replies)
        tab.set_input_files("#file", replies)
        tab.locator("#told", has_text="5 answers imported").wait_for()
    assert replies.name == "answer.林小雨.jsonl"
    done = evalsuite.run(models(tmp_path, replies.name), **ASKED, out=tmp_path / "run")
    assert not done.problems
    found = cells(done)
    assert found["event_cause"]["em"] == found["cider_span_extraction"]["em"] == 1
    assert found["cider_span_selection_question"]["accuracy"] == found["cicero_all_answers"]["set_accuracy"] == 1
    assert found["cedar_inference_probing"]["accuracy"] == found["cedar_inference_probing"]["accuracy_logical"] == 1
    assert not [name for name in found["cedar_inference_probing"] if "nll" in name]  # a choice has no likelihoods
    print_results(done)
    assert "human" in capsys.readouterr().out
    evalsuite.report([tmp_path / "run"])


def test_a_chosen_explanation_that_is_wrong_or_none(tmp_path: Path) -> None:
    """(b) is the corrupted one; what was left out is a failed request, not a wrong answer."""
    first, second, third = CORPORA.file(task_named("cedar_inference_probing"), "sample", "test").items[:3]
    lines = [{"item": first.id, "text": "(b)"}, {"item": second.id, "text": "(a)"}]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    asked = {"tasks": ["cedar_inference_probing"], "set": "sample", "limit": 3}
    done = evalsuite.run(models(tmp_path, "r.jsonl"), **asked, out=tmp_path / "run")
    (cell,) = cells_of(done)
    assert cell["status"] == {"parsed": 2, "failed": 1} and cell["metrics"]["accuracy"]["value"] == 0.5
    assert "parser:" in cell["metrics"]["accuracy"]["signature"] and third.id in json.dumps(cell["errors"])
    assert population(tmp_path / "run") == ()  # nothing to audit


def test_the_page_holds_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The place of a probe's options does not give the answer away, either; a page is the same each time."""
    packed: list[Any] = []
    monkeypatch.setattr("evalsuite.page.report.pack_json", lambda data: packed.append(data) or pack_json(data))
    for _ in range(2):
        write_answer_page(tmp_path / "a.html", tasks=["cedar", "event_cause"], set="sample,easy", limit=12)
    one, other = packed
    assert one == other and not {"gold", "golds", "references"} & {key for row in one["outputs"] for key in row}
    probes = [row for row in one["outputs"] if row["task"].startswith("cedar")]
    assert {row["replies"][0] for row in probes} == {"(a)", "(b)"}
    with pytest.raises(ConfigError, match=r"ends in \.html"):
        write_answer_page(tmp_path / "a.txt", **ASKED)


def test_the_command(tmp_path: Path, cli: Any) -> None:
    done = cli("audit", "answer", "--tasks", "cider_dnli", "--set", "fold1", "--limit", 2, "--out", tmp_path / "d.html")
    assert "2 items of cider_dnli" in done.stdout
    assert "{name: human, backend: scripted, path: d.NAME.jsonl}" in " ".join(done.stdout.split())
