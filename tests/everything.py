"""Runs that the tests of several modules share: one with everything that the leaderboard page can draw, and a small one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from run_files import read_jsonl
from stand_ins import stand_in_models

import evalsuite
from evalsuite.analyses.learning import learning
from evalsuite.analyses.robustness import PositionCounts
from evalsuite.backends.openai.faults import Server
from evalsuite.results.schema.cell import CellResult

TASKS = ["domain_identification", "slot_identification", "conflict_detection", "event_cause"]
MODELS = {"lexical": "lexical", "oracle": "oracle", "random": "random", "random+LoRA": "random"}  # fmt: skip
STATUSES = ["unparsed", "refused", "truncated", "several", "conflict", "empty", "filtered", "failed"]

# Opens every fold and menu, and those inside them. A fold draws its content at the `toggle` event, for which the script waits.
UNFOLD = """async () => {
    for (let shut; (shut = [...document.querySelectorAll("details:not([open])")]).length;) {
        await Promise.all(shut.map((x) => new Promise((done) => {
            x.addEventListener("toggle", done, { once: true });
            x.open = true;
        })));
        await new Promise((done) => setTimeout(done));  // after the work that the page itself postponed at that event
    }
}"""


def everything(folder: Path) -> Path:
    """Run five baselines that pass for models (one of them for a trained adapter) and one marked as a baseline, under
    perturbations, in two wordings and numbers of shots, with a judge; one model's replies have every status.

    Returns the run's folder; its page is not made."""
    run, models, perturb = folder / "run", folder / "models.yaml", ["none", "shuffle"]
    tags = {name: ["chat", "small"] if name == "oracle" else ["chat"] for name in MODELS}
    entries = stand_in_models(folder, MODELS, TASKS, perturb, tags)
    entries.append({"name": "chance", "backend": "baseline", "path": "random", "tags": ["baseline"]})
    models.write_text(json.dumps({"models": entries}))
    for more in ({"prompt": ["plain"]}, {"shots": [2]}):  # first, for each command scores the whole folder
        evalsuite.run(models=models, model=["lexical", "oracle"], tasks=TASKS[:2], limit=5, out=run, **more)
    evalsuite.run(models=models, tasks=TASKS, limit=5, perturb=perturb, out=run)
    judges = folder / "judges.yaml"
    with Server(mix={}, reply=lambda prompt: f"{len(prompt) % 5}\n因为{len(prompt)}") as server:
        api = f"{{base_url: '{server.url}', key_env: null, backoff: 0.02}}"
        judges.write_text(f"models: [{{name: judge, backend: openai, path: a, chat: true, api: {api}}}]")
        evalsuite.judge(
            run, "judge", models=judges, model=["lexical", "oracle", "random"], blind=True, repeats=2, attacks=1
        )
    change(run, _train)
    change(run, lambda results: _fail(run, results))
    return run


def change(run: Path, how: Callable[[dict[str, Any]], object]) -> None:
    """Change results.json in place."""
    path = run / "results.json"
    results = json.loads(path.read_text(encoding="utf-8"))
    how(results)
    path.write_text(json.dumps(results), encoding="utf-8")


def change_records(path: Path, how: Callable[[list[dict[str, Any]]], object]) -> None:
    records = read_jsonl(path)
    how(records)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def _train(results: dict[str, Any]) -> None:
    """Have results.json say that one model was trained, on twelve items per task."""
    for cell in results["cells"]:
        if cell["model"] == "random+LoRA":
            cell["facts"]["trained"] = {"base": "random", "task": cell["task"], "size": 12, "seed": 0, "set": "both",
                                        "allow_leak": False, "labels": {"a": 5, "b": 7}}  # fmt: skip
    cells = [CellResult.model_validate(cell) for cell in results["cells"]]
    places = [PositionCounts.model_validate(row) for row in results["robustness"]["positions"]]
    results["learning"] = [curve.written() for curve in learning(cells, places)]


def _fail(run: Path, results: dict[str, Any]) -> None:
    """Give the replies in two cells of one model every status but parsed."""

    def fail(records: list[dict[str, Any]]) -> None:
        for record, status in zip(records, statuses, strict=False):
            error = "timed out" if status == "failed" else None
            record |= {"reply": None if error else f"回复 {status}", "error": error, "reasoning": "想想"}
            record["scores"] = dict.fromkeys(record["scores"], 0.0)
            record["answer"] |= {"status": status, "choice": None, "text": None, "start": None, "end": None}

    mine = [c for c in results["cells"] if (c["model"], c["variant"], c["shots"], c["perturb"], c["set"]) == ("lexical", "paper", 0, "none", "hard")]  # fmt: skip
    for cell, statuses in zip(mine, (STATUSES[:4], STATUSES[4:]), strict=False):
        change_records(run / cell["records"], fail)
        cell["status"] = {"parsed": cell["items"] - len(statuses), **dict.fromkeys(statuses, 1)}
        cell["errors"] = {"timed out": 1} if "failed" in statuses else {}


def two_baselines(folder: Path) -> Path:
    """Run two baselines on four items of two tasks, as they are and shuffled."""
    out = folder / "run"
    tasks = ["slot_identification", "event_cause"]
    evalsuite.run(model=["random", "lexical"], tasks=tasks, limit=4, perturb=["none", "shuffle"], out=out)
    return out
