"""One run of the sister benchmarks on the sample, and all that is done with a run: judge, audit, compare, show, preview."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of, content_of
from run_files import read_jsonl, results_json
from shared_fixtures import shared_folder
from typer.testing import CliRunner

import evalsuite
from evalsuite.analyses.judged.scale import again
from evalsuite.analyses.judged.values import Judged
from evalsuite.backends.openai.faults import Server, prompt_id
from evalsuite.benchmarks.registry import TASKS
from evalsuite.cli.app import app
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.resources import bundled
from evalsuite.evaluation.journey import preview, score
from evalsuite.finetuning.sweep import finetune
from evalsuite.results.compare import compare
from evalsuite.results.store import open_store
from evalsuite.review import audit
from evalsuite.review.audit.marks import read_marks
from evalsuite.review.audit.outputs import population
from evalsuite.review.audit.sample import Drawn, RunTotals, Sample, load_sample
from evalsuite.review.judge.rubric import RubricTemplate
from evalsuite.types import Likelihood, Response

TASKS_HERE = ["cicero", "cider", "glucose"]
SETS = "v1,fold1,d1,d2,d6"
PERTURBED = ("none", "shuffle", "both", "reverse", "reindicate_upper", "circular")
MODELS = """models:
  - {name: oracle, backend: baseline, path: oracle}
  - {name: lexical, backend: baseline, path: lexical}
  - {name: random, backend: baseline, path: random}
  - {name: tiny-zh, backend: hf, path: bundled:models/tiny-zh, dtype: float32, device: cpu}
"""
VALID, CORRUPTED = Likelihood(-10.0, 10), Likelihood(-15.0, 10)  # a nat a token, and one and a half


@shared_folder
def shared_run(folder: Path) -> Path:
    out = folder
    (out / "models.yaml").write_text(MODELS, encoding="utf-8")
    names = ["oracle", "lexical", "random"]
    done = evalsuite.run(out / "models.yaml", model=names, tasks=TASKS_HERE, set=SETS, limit=2, perturb=PERTURBED, out=out / "run")  # fmt: skip
    assert not done.problems
    # No model that gives likelihoods is at hand everywhere: the likelihoods are ours, the second probe failed.
    probes = preview(out / "models.yaml", model=["tiny-zh"], tasks=["cedar"], set="sample", limit=3)
    with open_store(out / "run") as store:
        for cell, trials in probes:
            keys = [f"{n:064x}" for n in range(hash_of(cell.place.task), hash_of(cell.place.task) + len(trials))]
            told = {**cell.facts, "fingerprint": "none", "sampling": {}}
            store.plan(replace(cell, facts=told), list(zip(keys, trials, strict=True)))
            pairs = [(VALID, CORRUPTED), (CORRUPTED, VALID), (VALID, CORRUPTED)]
            store.put((key, Response("", "nll", likelihoods=pair)) for key, pair in zip(keys, pairs, strict=True))
    score(out / "run")
    return out


def hash_of(task: str) -> int:
    return 1000 * list(TASKS).index(task)


@pytest.fixture
def run(shared_run: Path, tmp_path: Path) -> Path:
    """A copy of the run for a test that writes into it."""
    return Path(shutil.copytree(shared_run / "run", tmp_path / "run"))


# Perturbations ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_is_right_stays_right_wherever_it_stands(shared_run: Path) -> None:
    cells = [c for c in results_json(shared_run / "run")["cells"] if c["model"] == "oracle"]
    ways = {kind: {c["perturb"] for c in cells if TASKS[c["task"]].kind.name == kind} for kind in ("choice", "choices", "text", "span")}  # fmt: skip
    assert ways == {"choice": {*PERTURBED}, "choices": {*PERTURBED} - {"circular"}, "text": {"none"}, "span": {"none"}}
    for cell in cells:
        name = {"choice": "accuracy", "choices": "set_accuracy"}.get(TASKS[cell["task"]].kind.name, "em")
        assert cell["metrics"][name]["value"] == 1, (cell["task"], cell["perturb"])
    # In an item that is right only if all rotations are there is no class to tell an F1 of.
    assert "circular" not in {c["perturb"] for c in cells if c["task"] == "cider_dnli"}
    drops = [d for d in results_json(shared_run / "run")["robustness"]["drops"] if d["model"] == "oracle"]
    assert {d["task"] for d in drops} >= {"cicero_all_answers", "cicero_single_answer", "cider_relation_prediction"}
    for row in drops:
        assert (row["drop"], row["flip_rate"]) == (0, 0)
        assert row["consistency" if row["perturb"] == "circular" else "same_choice"] == 1


def test_the_same_choice_is_the_same_set_of_texts(shared_run: Path) -> None:
    """The same choices are counted again from the records alone."""

    def chosen_options(perturb: str) -> list[set[str]]:
        found = records(shared_run / "run", "random", "cicero_all_answers", perturb)
        return [{r["options"][n] for n in r["answer"]["choices"]} for r in found]

    drops = results_json(shared_run / "run")["robustness"]["drops"]
    rows = [row for row in drops if (row["model"], row["task"]) == ("random", "cicero_all_answers")]
    assert {row["perturb"] for row in rows} == {*PERTURBED} - {"none", "circular"}
    for row in rows:
        pairs = [(a, b) for a, b in zip(chosen_options("none"), chosen_options(row["perturb"]), strict=True) if a and b]
        assert row["parsed_in_both"] == len(pairs) == 2
        assert row["same_choice"] == sum(a == b for a, b in pairs) / len(pairs)


def test_all_that_is_right_and_chosen_counts_by_position(shared_run: Path) -> None:
    results = results_json(shared_run / "run")
    (row,) = (
        p
        for p in results["robustness"]["positions"]
        if (p["model"], p["task"], p["perturb"]) == ("oracle", "cicero_all_answers", "reverse")
    )
    golds: Counter[str] = Counter()
    for record in records(shared_run / "run", "oracle", "cicero_all_answers", "reverse"):
        golds.update(record["gold"].split(", "))
    assert row["gold"] == row["right"] == row["chosen"] == [golds[label] for label in row["labels"]]
    assert sum(row["gold"]) > 2 and row["silent"] == 0
    assert not [p for p in results["robustness"]["positions"] if TASKS[p["task"]].kind.name == "probe"]


def records(run: Path, model: str, task: str, perturb: str = "none") -> list[dict[str, Any]]:
    # One set each.
    (cell,) = (c for c in results_json(run)["cells"] if (c["model"], c["task"], c["perturb"]) == (model, task, perturb))
    return read_jsonl(run / cell["records"])


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"tasks": ["cider_relation_prediction"], "perturb": ["reindicate_stems"]}, "reindicate_stems: .* 31 options, .*only 22"),
        ({"tasks": ["cicero_cause"], "perturb": ["swap_speakers"]}, "makes no sense for cicero_cause"),
        ({"tasks": ["cedar"], "perturb": ["traditional"]}, "makes no sense for cedar"),
        ({"tasks": ["cider_dnli"], "perturb": ["circular"]}, "makes no sense for cider_dnli"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_before_a_model_is_loaded(tmp_path: Path, settings: dict[str, Any], says: str) -> None:
    (tmp_path / "models.yaml").write_text("models: [{name: none, backend: hf, path: nowhere/there}]", encoding="utf-8")
    with pytest.raises(ConfigError, match=says):
        evalsuite.run(tmp_path / "models.yaml", out=tmp_path / "run", **settings)


# Judge ------------------------------------------------------------------------------------------------------------


def english_judge(prompt: str) -> str:
    """Scores in the form that the prompt asks for; now and then, unless reminded, none."""
    number = int(prompt_id(prompt), 16)
    if number % 4 == 0 and "Note: " not in prompt:
        return "It reads well."
    if "Creativity:" in prompt:
        names = ("Creativity", "Contextuality", "Fluency")
        return "\n".join(f"{name}: {1 + number // 5**n % 5}" for n, name in enumerate(names)) + "\nIt says little."
    return f"{number % 4}\nBecause."


@pytest.fixture
def judges() -> Iterator[str]:
    pytest.importorskip("openai", reason="needs evalsuite[openai]")
    with Server(mix={}, reply=english_judge) as server:
        yield f"  - {{name: judge, backend: openai, path: judge, chat: true, api: {{base_url: '{server.url}', key_env: null}}}}\n"


@pytest.mark.thorough
def test_each_benchmark_is_judged_by_its_own_rubric(judges: str, tmp_path: Path) -> None:
    from scipy import stats

    # Baselines would not count among the systems.
    writers = {
        "repeats the end": lambda request: request.prompt.strip()[-60:],
        "repeats the beginning": lambda request: request.prompt.strip()[:60],
        "says the same": lambda request: "Someone is happy that they did it.",
    }
    run, models = tmp_path / "run", tmp_path / "models.yaml"
    assert not evalsuite.run(writers, tasks=["cicero", "glucose"], set="v1,d1,d2,d6", limit=2, out=run).problems
    models.write_text(MODELS + judges, encoding="utf-8")
    done = evalsuite.judge(run, "judge", models=models, tasks=["cicero", "glucose"])
    assert not done.problems and Judged.model_validate_json(json.dumps(content_of(done, "judged")))
    cells = content_of(done, "judged")["cells"]
    texts = {
        t.name: t.benchmark for t in TASKS.values() if t.kind.name == "text" and t.benchmark in ("cicero", "glucose")
    }
    rubrics = {"cicero": "cicero_en", "glucose": "glucose_en"}
    assert {(c["task"], c["rubric"]) for c in cells} == {(name, rubrics[of]) for name, of in texts.items()}
    ranges = {"cicero_en": (1, 5, 3), "glucose_en": (0, 3, 1)}
    for cell in cells:
        low, high, scales = ranges[cell["rubric"]]
        assert len(cell["scales"]) == scales and not cell["status"].get("invalid")
        assert all(list(x["histogram"]) == [str(n) for n in range(low, high + 1)] for x in cell["scales"].values())
    lines = [
        json.loads(x) for path in (run / "judged").iterdir() for x in path.read_text(encoding="utf-8").splitlines()
    ]
    added = {a["added"] for x in lines for a in x["attempts"]}
    assert len(added) > 1 and all(text.isascii() for text in added)

    # As GLUCOSE's section 5: a point per system on a dimension and level, three coefficients; scipy's own.
    (row,) = (r for r in content_of(done, "judged")["systems"] if r["benchmark"] == "glucose")
    values = {
        tuple(c[k] for k in ("model", "task", "set")): c["metrics"] for c in cells_of(done) if c["perturb"] == "none"
    }
    mine = [c for c in cells if c["rubric"] == "glucose_en" and c["control"] == "plain"]
    ratings = [c["scales"]["correctness"]["value"] for c in mine]
    bleu = [values[c["model"], c["task"], c["set"]]["sacrebleu"]["value"] for c in mine]
    expected = (stats.spearmanr(ratings, bleu)[0], stats.pearsonr(ratings, bleu)[0], stats.kendalltau(ratings, bleu)[0])
    assert (row["models"], row["points"]) == (3, len(mine)) == (3, 3 * 2 * 3)
    assert [row["metrics"]["sacrebleu"][n] for n in ("spearman", "pearson", "kendall")] == pytest.approx(expected)
    text = output_of("show", run, "--tables", "judge")
    assert "metrics beside judges" in text and "sacrebleu" in text and "creativity" in text


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"tasks": ["cedar_inference_probing"]}, "a probe has no written reply to judge"),
        ({"tasks": ["cicero_all_answers"]}, "right or wrong without a judge"),
        ({"tasks": ["cider_span_extraction"]}, "CIDER has no rubric of its own.*--rubric"),
    ],
)
def test_what_is_not_judged(shared_run: Path, settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        evalsuite.judge(shared_run / "run", "tiny-zh", models=shared_run / "models.yaml", **settings)


@pytest.mark.parametrize(
    ("name", "reminder"),
    [
        ("corecode", "注意：第一行只能是一个0到5之间的整数，不要有其他文字；从第二行起再作解释。（第3次）"),
        ("glucose_en", "Note: the first line may be a whole number from 0 to 3 only, and nothing else; explain from the next line on. (attempt 3)"),
        ("cicero_en", 'Note: the first 3 lines are "Creativity: " and a whole number from 1 to 5, "Contextuality: " and a whole number from 1 to 5, '
                      '"Fluency: " and a whole number from 1 to 5, and nothing else; explain from the next line on. (attempt 3)'),
    ],
)  # fmt: skip
def test_a_reminder_is_in_the_rubrics_language(name: str, reminder: str) -> None:
    assert again("?", RubricTemplate(bundled("prompts"), name).reminder, 3) == f"?\n\n{reminder}"


# Audit ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_audit_of_choices_that_are_several(run: Path, tmp_path: Path) -> None:
    from scipy import stats

    page, _ = audit.make_sample(run, n=1000, tasks=["cicero"], models=["lexical", "oracle"])
    sample = load_sample(page.parent / "sample.json")
    assert sample.rubric == "cicero" and {d.output.kind.name for d in sample.drawn} == {"choice", "choices", "text"}
    rows: list[dict[str, Any]] = []
    rating = count()
    for d in sample.drawn:
        o = d.output
        row: dict[str, Any] = {"sample": sample.hash, "output": o.id, "annotator": "p"}
        if o.kind.name == "choices":
            assert o.gold is None and o.golds and all(o.options[n] in o.references for n in o.golds)
            row["said"] = [o.labels[n] for n in o.choices] or "none"
        elif o.kind.name == "choice":
            row["said"] = "none" if o.choice is None else o.labels[o.choice]
        else:
            scales = ("creativity", "contextuality", "fluency")
            row |= {"right": o.right, **{s: 1 + next(rating) * 7 % 5 for s in scales}}
        rows.append(row)
    file = tmp_path / "marks.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = audit.summarize_marks([file], run=run)
    whole = {(w.model, w.kind): (w.outputs, w.filtered) for w in sample.whole}
    assert {(r.model, r.kind): (r.n, r.actual) for r in found.correct} == whole  # the marks agree with the parser
    assert all(r.raw == r.n for r in found.correct if r.model == "oracle")
    (reader,) = (r for r in found.readers if (r.model, r.kind) == ("oracle", "choices"))
    assert reader.option and reader.option[0].interval and reader.option[0].interval.value == 1

    fluent = [d.output for d in sample.drawn if d.output.kind.name == "text"]
    marks = {row["output"]: row for row in rows}
    match = next(m for m in found.metrics if (m.scale, m.metric, m.basis) == ("fluency", "em", "items"))
    ratings, exact = zip(*((marks[o.id]["fluency"], float(o.right)) for o in fluent), strict=True)
    assert match.n == len(fluent) and match.spearman == pytest.approx(stats.spearmanr(ratings, exact)[0])
    assert {m.basis for m in found.metrics} == {"items", "systems"} and "bleu2" in {m.metric for m in found.metrics}


def test_probes_are_not_audited_and_rubrics_not_mixed(shared_run: Path) -> None:
    run = shared_run / "run"
    assert "probe" not in {o.kind.name for o in population(run)}
    with pytest.raises(ConfigError, match="a probe has no written reply to mark"):
        audit.make_sample(run, tasks=["cedar_inference_probing"])
    with pytest.raises(ConfigError, match=r"cicero, glucose.*--rubric"):
        audit.make_sample(run, n=500, models=["oracle", "lexical", "random"])


@pytest.mark.parametrize(
    ("said", "right"),
    [
        (lambda a, b, c: [a, b], True),
        (lambda a, b, c: f"{b}, {a}", True),
        (lambda a, b, c: f"{a} {b}".replace("(", "").replace(")", ""), True),
        (lambda a, b, c: [a], False),
        (lambda a, b, c: [a, b, c], False),
        (lambda a, b, c: "none", False),
        (lambda a, b, c: [a, "none"], None),
        (lambda a, b, c: [a, "(99)"], None),
    ],
)
def test_marks_of_several_options(
    shared_run: Path, said: Callable[..., Any], right: bool | None, tmp_path: Path
) -> None:
    output = next(o for o in population(shared_run / "run") if (o.model, len(o.golds)) == ("oracle", 2))
    wrong = next(label for n, label in enumerate(output.labels) if n not in output.golds)
    whole = (RunTotals("oracle", "choices", 1, 1, 1),)
    sample = Sample("s", 0, "cicero", (output.task,), (Drawn(output, "all", 1, 1),), whole)
    file = tmp_path / "marks.jsonl"
    row = {"sample": sample.hash, "output": output.id, "annotator": "p"}
    row["said"] = said(*(output.labels[n] for n in output.golds), wrong)
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    if right is None:
        with pytest.raises(DataError, match=r"said.*all that it names"):
            read_marks([file], sample)
    else:
        assert [mark.right for mark in read_marks([file], sample).marks] == [right]


# Show, compare, preview -------------------------------------------------------------------------------------------


def output_of(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.output


def test_show_opens_what_has_several_right_options(shared_run: Path) -> None:
    record = max(records(shared_run / "run", "oracle", "cicero_all_answers"), key=lambda r: len(r["gold"]))
    text = output_of("show", shared_run / "run", "--item", record["item"], "--perturb", "none")
    golds = len(record["gold"].split(", "))
    assert text.count("✓ gold") == len(re.findall("● .*oracle", text)) == golds > 1 and "✓ parsed, right" in text


def test_show_opens_a_probe(shared_run: Path) -> None:
    right, wrong, _ = records(shared_run / "run", "tiny-zh", "cedar_inference_probing")
    text = output_of("show", shared_run / "run", "--item", wrong["item"], "--full")
    flat = re.sub(r"\s+", " ", text)
    assert "✗ parsed, wrong" in text and "1.50" in text and "1.00" in text
    assert "corrupted: " + wrong["item"].rpartition(".")[2] in flat and "● likelier" in flat
    assert "✓ parsed, right" in output_of("show", shared_run / "run", "--item", right["item"])
    listed = output_of("show", shared_run / "run", "--status", "wrong", "--tasks", "IP")
    assert wrong["item"] in listed and right["item"] not in listed


def test_a_set_is_partly_right(shared_run: Path) -> None:
    told = {"right": 0, "partial": 0, "wrong": 0}
    for record in (r for m in ("lexical", "random") for r in records(shared_run / "run", m, "cicero_all_answers")):
        kind = "right" if record["scores"]["set_accuracy"] else "partial" if record["scores"]["answer_f1"] else "wrong"
        told[kind] += record["answer"]["status"] == "parsed"
    for status, number in told.items():
        text = output_of("show", shared_run / "run", "--status", status, "--tasks", "AAS", "--perturb", "none", "--model", "lexical", "--model", "random") if number else ""  # fmt: skip
        assert text.count("cicero/v1/test/all_answers/") == number


def test_models_are_compared_on_sister_benchmarks(shared_run: Path) -> None:
    rows = compare(shared_run / "run", "oracle", "random")
    assert {TASKS[r.task].benchmark for r in rows} == {*TASKS_HERE} and all(r.a >= r.b for r in rows)
    (several,) = (r for r in rows if r.task == "cicero_all_answers" and r.perturb == "none")
    assert (several.metric, several.a) == ("set_accuracy", 1)


def test_preview_shows_both_pairs_and_the_pattern(shared_run: Path) -> None:
    of = ("preview", "--models", shared_run / "models.yaml", "--model", "tiny-zh", "--limit", "1")
    text = output_of(*of, "--tasks", "cedar_inference_probing", "--set", "sample")
    assert text.count("likelihood of") == 2 and "── corrupted: context" in text
    text = output_of(*of, "--tasks", "glucose_specific_statement", "--set", "d1", "--scoring", "constrained")
    assert "── the reply must match" in text and ">Causes/Enables>" in text.replace("\\", "")


def test_metrics_beside_each_other_are_of_texts_alone(shared_run: Path) -> None:
    found = results_json(shared_run / "run")["metric_correlations"]
    assert not {TASKS[e["task"]].kind.name for e in found} & {"choice", "choices", "probe"}
    assert not [e for e in found if "sacrebleu_notebook" in e["metrics"] and e["basis"] == "items"]


# Fine-tuning ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"tasks": ["cedar_attribution_probing"], "set": "sample"}, r"train\.jsonl"),
        ({"tasks": ["cider_dnli"]}, "--set hard: cider_dnli: name one fold or more of fold1, .*or all"),
        ({"tasks": ["cider_dnli"], "set": "both"}, "--set both: cider_dnli: name one fold or more of fold1, .*or all"),
        (
            {"tasks": ["cider_dnli"], "set": "fold1", "sizes": [10**6]},
            r"--sizes 1000000: cider_dnli \(fold1\) in .* has",
        ),
    ],
)
def test_finetune_refuses(tmp_path: Path, settings: dict[str, Any], says: str) -> None:
    with pytest.raises((ConfigError, DataError), match=says):
        finetune("bundled:models.yaml", model=["tiny-zh"], out=tmp_path, **settings)


@pytest.mark.thorough
def test_finetune_on_a_fold_and_on_sets_of_choices(tmp_path: Path) -> None:
    pytest.importorskip("peft", reason="needs evalsuite[finetune]")
    (tmp_path / "models.yaml").write_text(MODELS.rstrip("}\n") + ", finetune: {epochs: 1}}\n", encoding="utf-8")
    settings: dict[str, Any] = {"model": ["tiny-zh"], "sizes": [2], "test_size": 1, "out": tmp_path / "sweep"}
    for task, item_set in (("cider_dnli", "fold1"), ("cicero_all_answers", "v2")):
        done = finetune(tmp_path / "models.yaml", tasks=[task], set=item_set, **settings)
        assert not done.problems
        cells = [c for c in cells_of(done) if c["facts"].get("trained", {}).get("task") == task]
        (trained,) = (c["facts"]["trained"] for c in cells)
        assert trained["set"] == item_set and trained["size"] == 2
        golds = sum(trained["labels"].values())
        # Items of this task have two options: every right one counts.
        assert golds == (2 if task == "cider_dnli" else 4)
    assert {c["set"] for c in cells_of(done)} == {"fold1", "v2"}
