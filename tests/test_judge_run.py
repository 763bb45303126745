"""Whole judgings, as a user makes them, against a real server that misbehaves on purpose."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kill_points
import pytest
from as_json import content_of
from needs import needs
from run_files import results_json
from shared_fixtures import shared_folder
from typer.testing import CliRunner

import evalsuite
from evalsuite.analyses.judged import details
from evalsuite.analyses.judged.replies import read_verdict
from evalsuite.analyses.judged.scale import JudgeScale
from evalsuite.backends.openai.faults import MIX, Server, judgement_to, prompt_id
from evalsuite.cli.app import app
from evalsuite.common.errors import ConfigError, PromptError
from evalsuite.common.sheet import Value, spell
from evalsuite.results.analysis import Results

needs("openai", "openai", "tenacity", "aiolimiter")

FIVE = [JudgeScale("score", 0, 5)]
TASKS = ["knowledge_generation", "event_cause"]


@shared_folder
def generations(folder: Path) -> Path:
    """Three baselines' generations."""
    evalsuite.run(model=["lexical", "random", "majority"], tasks=TASKS, set="hard", limit=10, out=folder / "run")
    return folder / "run"


@pytest.fixture
def run(generations: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(generations, tmp_path / "run"))


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[tuple[Server, Path]]:
    """A bad endpoint that judges, and the models.yaml that names it three times."""
    calm = {kind: share for kind, share in MIX.items() if "stall" not in kind}  # so that no reply is late
    with Server(
        retry_after=0.2, mix={**calm, "echo": 0.02, "filtered": 0.02, "400": 0.02}, reply=judgement_to
    ) as server:
        api = f"base_url: '{server.url}', key_env: null, timeout: 600, backoff: 0.02, attempts: 12, max_concurrency: 8, price: {{input: 1, output: 2}}"  # fmt: skip
        path = tmp_path / "models.yaml"
        path.write_text(
            "models:\n"
            f"  - {{name: one, backend: openai, path: lexical-judge, chat: true, api: {{{api}}}}}\n"
            f"  - {{name: two, backend: openai, path: other, chat: true, family: two, api: {{{api}, temperature: 0.7}}}}\n"
            "  - {name: random, backend: baseline, path: random}\n"
        )
        yield server, path


def judged_section(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = results_json(run)["judged"]
    return found


def records(run: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for file in sorted(run.glob("judged/*"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]


def command(run: Path, models: Path, *more: str) -> list[str]:
    return ["judge", str(run), "--models", str(models), "--judge", "one", *more]


def replies(run: Path) -> set[str]:
    with sqlite3.connect(run / "store.sqlite") as db:
        return {key for (key,) in db.execute("SELECT key FROM replies")}


@pytest.mark.thorough
def test_a_judging_with_all_controls(run: Path, endpoint: tuple[Server, Path]) -> None:
    server, models = endpoint
    server.mix = {"500": 0.05}
    before = results_json(run)
    done = evalsuite.judge(run, ["one", "two"], models=models, blind=True, repeats=3, attacks=1, limit=3)
    assert done.exit_code == 0 and content_of(done, "judged") == judged_section(run)
    after = results_json(run)
    assert {k: v for k, v in after.items() if k != "judged"} == before
    # a cell: judge, control, model, set, task
    cells = content_of(done, "judged")["cells"]
    controls = {"plain", "blind", "repeat/2", "repeat/3", "attack"}
    assert {c["control"] for c in cells} == controls
    assert len([c for c in cells if c["control"] == "plain"]) == 2 * 3 * 2
    for cell in cells:
        assert sum(cell["status"].values()) == cell["items"] and "missing" not in cell["status"]
        if cell["control"] != "attack":
            numbers = cell["scales"]["score"]
            assert (
                sum(numbers["histogram"].values()) == numbers["n"] == cell["items"] - cell["status"].get("invalid", 0)
            )
            mean = sum(int(k) * v for k, v in numbers["histogram"].items()) / numbers["n"]
            assert numbers["value"] == pytest.approx(mean)
            low, high = (
                mean if numbers[end] is None else numbers[end] for end in ("low", "high")
            )  # None: one dialogue
            assert low <= mean <= high
            if cell["control"] in ("plain", "blind"):
                assert {"f1", "em", "rouge_l", "paper.bleu1"} <= numbers["metrics"].keys() == numbers["joint"].keys()
                scored = {score: n for score, n in numbers["histogram"].items() if n}
                for metric, counts in numbers["joint"].items():
                    assert {score: sum(map(int, row.split())) for score, row in counts.items()} == scored
                    rho, low = (numbers["metrics"][metric][k] for k in ("spearman", "spearman_low"))
                    assert low is None or low < rho < numbers["metrics"][metric]["spearman_high"]
    assert sum(c["status"].get("invalid", 0) for c in cells) > 0
    # a record: all that was asked and answered
    found = records(run)
    assert len(found) == sum(c["items"] for c in cells)
    for record in found:
        last = record["attempts"][-1]
        verdict = read_verdict(last["reply"], FIVE)
        assert (record["status"], record["reasons"], list(record["scores"].values())) == (
            verdict.status, verdict.reasons, list(verdict.scores))  # fmt: skip
        prompt = "\n\n".join(filter(None, (record["prompt"], last["added"])))
        assert last["reply"] == judgement_to(prompt)
        assert len(record["attempts"]) == 3 or record["status"] == "scored"
        assert all(read_verdict(a["reply"], FIVE).status == "invalid" for a in record["attempts"][:-1])
        assert record["candidate"] in record["prompt"] or record["attack"]
        assert ("标准答案" in record["prompt"]) == (record["control"] != "blind")
    told = content_of(done, "judged")["controls"]
    assert {r["judge"]: r["by"] for r in told["repeats"]} == {"one": "wording", "two": "sampling"}
    assert [r["attacks"] for r in told["attacks"]] == [50, 50] and all(r["asked"] == 50 for r in told["attacks"])
    assert [r["judges"] for r in told["panel"]] == [["one", "two"]]
    assert [(r["judge"], r["own_models"]) for r in told["families"]] == [("one", ["lexical"])]
    assert content_of(done, "judged")["models"] == []  # the candidates are of baselines
    tables_of_details(done)
    # the same prompt was sampled three times by one judge
    plain = {r["prompt"] for r in found if r["judge"] == "two" and r["control"] == "plain"}
    again = {r["prompt"] for r in found if r["judge"] == "two" and r["control"] == "repeat/3"}
    assert plain == again and {
        r["prompt"] for r in found if r["judge"] == "one" and r["control"] == "repeat/3"
    }.isdisjoint(plain)
    # the same again asks nothing, and gives the same bytes; so does scoring
    asked, wrote = server.account()["requests"], {f: f.read_bytes() for f in run.rglob("*.json*")}
    evalsuite.judge(run, ["one", "two"], models=models, blind=True, repeats=3, attacks=1, limit=3)
    assert server.account()["requests"] == asked
    for file in run.glob("judged/*"):
        file.unlink()
    evalsuite.score(run)
    assert {f: f.read_bytes() for f in run.rglob("*.json*")} == wrote


def tables_of_details(done: Results) -> None:
    """A table for each attacked judge, one for the panel, and one for each judge and task with every model's correlations."""
    found = [*details.sheets(done)]
    names = Counter(sheet.name for sheet in found)
    assert names == {"judge-attacks": 2, "judge-medians": 1, "judge-correlations": 2 * 2}
    cells = {
        (c["judge"], c["task"], c["model"]): c for c in content_of(done, "judged")["cells"] if c["control"] == "plain"
    }
    shown = 0
    for sheet in found:
        if sheet.name != "judge-correlations":
            continue
        assert spell(sheet.rows[0].cells[0], sheet.columns[0])[0][0] == "F1"
        assert len(sheet.columns) == 1 + 3  # the metric, three models
        for column, value in zip(sheet.columns[1:4], sheet.rows[0].cells[1:4], strict=True):
            numbers = cells[sheet.about["judge"], sheet.about["task"], column.about["model"]]["scales"]["score"]
            assert isinstance(value, Value) and value.value == numbers["metrics"]["f1"]["pearson"]
            shown += value.value is not None
    assert shown > 0
    attacks = next(sheet for sheet in found if sheet.name == "judge-attacks")
    effect = next(r for r in content_of(done, "judged")["controls"]["attacks"] if r["judge"] == attacks.about["judge"])
    assert [row.cells[3] for row in attacks.rows] == [kind["n"] for kind in effect["by_kind"].values()]


@pytest.mark.thorough
def test_a_killed_judging_loses_and_repeats_nothing(run: Path, endpoint: tuple[Server, Path], cli: Any) -> None:
    """Killed twice: none lost, none asked again that was stored, all charges known, what cannot be read counted."""
    server, models = endpoint
    before = replies(run)
    flags = ["--blind", "--attacks", "1"]
    lost = 0  # replies that came through whole and were not stored yet
    with kill_points.commands("openai") as kill:
        for goal in (40, 90):
            kill(goal, command(run, models, *flags))
            lost += sum(asked.whole > 0 for asked in server.asked.values()) - len(replies(run) - before)
    assert len(replies(run) - before) > 70
    done = cli(*command(run, models, *flags), expect=1)
    assert "requests failed: 400" in done.stderr  # the server refuses prompts that are too long
    with sqlite3.connect(run / "store.sqlite") as db:
        assert db.execute("SELECT max(asked) FROM replies").fetchone() == (1,)
        (spent,) = db.execute("SELECT sum(cost) FROM spent").fetchone()
    assert spent >= (server.prompt_tokens + 2 * server.new_tokens) / 1e6 - 1e-12
    assert sum(asked.whole > 1 for asked in server.asked.values()) <= lost
    found = records(run)
    assert len(found) == 3 * 2 * 10 * 2 + 50
    statuses = [r["status"] for r in found]
    assert "missing" not in statuses and min(map(statuses.count, ("scored", "invalid", "failed"))) > 0
    for record in found:
        for attempt in record["attempts"]:
            prompt = "\n\n".join(filter(None, (record["prompt"], attempt["added"])))
            assert (
                attempt["error"]
                or attempt["finish"] == "content_filter"
                or attempt["reply"].startswith(judgement_to(prompt))
            )
            assert prompt_id(prompt) in server.asked
        if record["status"] == "invalid":
            assert len(record["attempts"]) == 3 and record["scores"] == {}
    cells = judged_section(run)["cells"]
    assert sum(c["status"].get("invalid", 0) for c in cells) == statuses.count("invalid")
    # failed requests are asked again, no others, and then no problem is left
    server.mix = {}
    asked = server.account()["requests"]
    done = cli(*command(run, models, *flags))
    assert "problem" not in done.stderr
    failed = statuses.count("failed")
    assert failed <= server.account()["requests"] - asked <= 3 * failed


@pytest.mark.slow
def test_the_budget_is_never_passed(run: Path, endpoint: tuple[Server, Path]) -> None:
    server, models = endpoint
    server.mix, server.worst = {"drop-middle": 0.1}, True
    missing = []
    for budget in (0.025, 0.025, 0.06):
        done = evalsuite.judge(run, "one", models=models, budget=budget)
        assert any(f"budget of {budget:g} spent" in problem for problem in done.problems) and done.exit_code == 1
        assert (server.prompt_tokens + 2 * server.new_tokens) / 1e6 <= budget
        missing.append(sum(c["status"].get("missing", 0) for c in content_of(done, "judged")["cells"]))
    assert missing[0] >= missing[1] > missing[2] > 0


@pytest.mark.slow
def test_an_empty_candidate_is_not_asked(run: Path, endpoint: tuple[Server, Path]) -> None:
    server, models = endpoint
    server.mix = {}
    with sqlite3.connect(run / "store.sqlite") as db:
        db.execute("UPDATE replies SET text = ' \n' WHERE rowid % 2")
        db.execute("DELETE FROM digests")  # as earlier versions stored replies
    evalsuite.score(run)
    done = evalsuite.judge(run, "one", models=models, model=["lexical"], blind=True)
    plain = [c for c in content_of(done, "judged")["cells"] if c["control"] == "plain"]
    empty = sum(c["status"].get("empty", 0) for c in plain)
    assert 0 < empty < 20 and len(plain) == 2
    for cell in plain:
        assert cell["scales"]["score"]["histogram"]["0"] >= cell["status"].get("empty", 0)
    blind = [c for c in content_of(done, "judged")["cells"] if c["control"] == "blind"]
    assert sum(c["items"] for c in blind) == 20 - empty


@pytest.mark.slow
def test_another_rubric_beside_the_first(run: Path, endpoint: tuple[Server, Path], tmp_path: Path) -> None:
    server, models = endpoint
    server.mix = {}
    server.reply = lambda prompt: "创造性：4\n语境契合度：5\n流畅性：3\n好" if "创造性" in prompt else "3"
    evalsuite.judge(run, "one", models=models, limit=2)
    done = evalsuite.judge(run, "one", models=models, rubric="cicero", limit=2)
    assert {c["items"] for c in content_of(done, "judged")["cells"]} == {2}
    assert {c["rubric"] for c in content_of(done, "judged")["cells"]} == {"corecode", "cicero"}
    cell = next(c for c in content_of(done, "judged")["cells"] if c["rubric"] == "cicero")
    assert {name: x["value"] for name, x in cell["scales"].items()} == {
        "creativity": 4,
        "contextuality": 5,
        "fluency": 3,
    }
    mine = tmp_path / "prompts/judge/mine.j2"
    mine.parent.mkdir(parents=True)
    mine.write_text("{#- scales: [{name: ok, low: 1, high: 3}] -#}\n{{ question }}{{ candidate }}")
    done = evalsuite.judge(run, "one", models=models, rubric="mine", prompts=tmp_path / "prompts", limit=2)
    assert {
        x["value"] for c in content_of(done, "judged")["cells"] if c["rubric"] == "mine" for x in c["scales"].values()
    } == {3}


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"judge": "three"}, "unknown model 'three'"),
        ({"judge": "random"}, "a baseline cannot judge"),
        ({"judge": "one", "rubric": "corcode"}, "Did you mean 'corecode'"),
        ({"judge": "one", "model": ["lexica"]}, "Did you mean 'lexical'"),
        ({"judge": "one", "tasks": ["subsequent_event"]}, "nothing to judge: no replies to subsequent_event"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_asked(
    run: Path, endpoint: tuple[Server, Path], settings: dict[str, Any], message: str
) -> None:
    server, models = endpoint
    with pytest.raises((ConfigError, PromptError), match=message):
        evalsuite.judge(run, models=models, **settings)
    assert not server.asked and "judged" not in results_json(run)


def test_more_repeats_than_wordings(run: Path, endpoint: tuple[Server, Path]) -> None:
    server, models = endpoint
    done = evalsuite.judge(run, "one", models=models, repeats=6)
    assert any("has 5" in problem and "temperature" in problem for problem in done.problems) and not server.asked


@pytest.mark.thorough
def test_the_table_fits_80_columns(run: Path, endpoint: tuple[Server, Path]) -> None:
    server, models = endpoint
    server.mix = {}
    args = [
        "judge",
        str(run),
        "--judge",
        "one,two",
        "--models",
        str(models),
        "--blind",
        "--attacks",
        "1",
        "--limit",
        "4",
    ]
    done = CliRunner().invoke(app, args, env={"COLUMNS": "80"})
    assert done.exit_code == 0, done.output
    assert all(len(line.rstrip()) <= 80 for line in done.stdout.splitlines() if not line.startswith("page:"))
    for words in ("one judges: corecode", "lexical HARD CKG", "raised", "without", "within 1", "own family"):
        assert words in done.stdout
    with pytest.raises(ConfigError):
        evalsuite.judge(run.parent / "none", "one", models=models)
