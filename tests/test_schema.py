"""The published JSON Schemas: they are what the code generates, real files have them, broken ones do not."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from shared_fixtures import shared_folder
from test_learning import adapter, base, label_counts, learning

import evalsuite
from evalsuite import types
from evalsuite.backends.openai.faults import Server, judgement_to
from evalsuite.results.schema.record import Record
from tools.generated.schemas import SCHEMAS, json_schema

jsonschema = pytest.importorskip("jsonschema", reason="needs evalsuite[dev]")


@cache
def reader(name: str) -> Any:
    return jsonschema.Draft202012Validator(json_schema(name))


def valid(name: str, content: Any) -> bool:
    """Whether a content is valid by our models and by an independent validator of the schema, which have to agree."""
    try:
        SCHEMAS[name].model_validate(content)
        ours = True
    except ValidationError:
        ours = False
    theirs = reader(name).is_valid(content)
    assert ours == theirs, (ours, theirs)
    return ours


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def records(run: Path, folder: str = "records") -> list[Any]:
    return [json.loads(line) for path in sorted(run.glob(f"{folder}/*")) for line in path.open(encoding="utf-8")]


@shared_folder
def run(folder: Path) -> Path:
    out = folder
    evalsuite.run(model=["lexical", "random"], perturb=["none", "shuffle", "circular", "traditional"], shots=[0, 1],
                  prompt=["paper", "plain"], tasks=["domain_identification", "event_cause"], limit=2, out=out)  # fmt: skip
    return out


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_valid(name: str) -> None:
    schema = json_schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"].endswith("2020-12/schema") and schema["$id"] == f"urn:evalsuite:schema:{name}:1"
    assert schema["title"] and schema["description"] and schema["additionalProperties"] is False


@pytest.mark.thorough
def test_baselines_with_perturbations_shots_and_wordings(run: Path) -> None:
    results = load(run / "results.json")
    told = results["robustness"]
    assert told["drops"] and told["positions"] and told["wordings"] and told["shots"]
    assert valid("results", results) and valid("manifest", load(run / "manifest.json"))
    assert all(valid("record", record) for record in records(run)[::7])


@pytest.mark.slow
def test_runs_of_every_scoring_are_valid(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs evalsuite[hf]")
    scorings = ["generate", "labels", "texts", "constrained"]
    tasks = ["knowledge_filling", "conflict_detection", "event_cause"]  # a task of each kind
    evalsuite.run(model=["tiny-zh"], tasks=tasks, scoring=scorings, limit=1, out=tmp_path)
    found = records(tmp_path)
    assert {record["scoring"] for record in found} == set(scorings)
    assert valid("results", load(tmp_path / "results.json")) and all(valid("record", record) for record in found)


@pytest.mark.thorough
def test_a_judged_run_is_valid(tmp_path: Path) -> None:
    for package in ("openai", "tenacity", "aiolimiter"):
        pytest.importorskip(package, reason="needs evalsuite[openai]")
    run = tmp_path / "run"
    evalsuite.run(model=["lexical", "random", "majority"], tasks=["event_cause"], limit=3, out=run)
    with Server(latency=0, mix={"500": 0.05, "400": 0.02}, reply=judgement_to) as server:
        api = f"base_url: '{server.url}', key_env: null, backoff: 0.02, attempts: 9"
        models = tmp_path / "models.yaml"
        models.write_text("models:\n" + "".join(
            f"  - {{name: {name}, backend: openai, path: {name}, chat: true, api: {{{api}, temperature: {heat}}}}}\n"
            for name, heat in (("lexical-judge", 0), ("other", 0.7))
        ))  # fmt: skip
        evalsuite.judge(run, ["lexical-judge", "other"], models=models, blind=True, repeats=3, attacks=1)
    results = load(run / "results.json")
    assert all(results["judged"]["controls"].values())
    assert valid("results", results)
    assert all(valid("judged-record", record) for record in records(run, "judged"))
    joint = next(c["scales"]["score"]["joint"] for c in results["judged"]["cells"] if c["control"] == "plain")
    joint["f1"]["5"] = "1 2 3"
    assert not valid("results", results)


@pytest.mark.slow
def test_a_sweep_is_valid(run: Path) -> None:
    cells = [base(), adapter(8, 1, 0.75), adapter(8, 2, 0.5), adapter(4, 1, 0.25)]
    answers = [label_counts(name, [2, 6, 2, 0], [2, 3, 2, 3]) for name in ("m+8-s1", "m+8-s2", "m+4-s1")]
    curves = learning(cells, answers)
    assert curves[0]["points"][0]["labels"] and curves[0]["before"]
    results = load(run / "results.json") | {"learning": curves}
    trained = cells[1]["facts"]["trained"] | {"left_out": 3, "too_long": 0}
    results["cells"][0]["facts"]["trained"] = trained
    assert valid("results", results)


CORRELATED = {
    "task": "event_cause", "set": "easy", "split": "test", "variant": "paper", "shots": 0, "basis": "items", "models": 2,
    "n": 3, "of": 3, "metrics": ["f1", "em"], "spearman": [0.5], "kendall": [None],
}  # fmt: skip


def test_correlations_leave_baselines_out(run: Path) -> None:
    """A run of baselines has no correlations of metrics, which leave baselines out."""
    results = load(run / "results.json")
    assert results["breakdowns"] and results["confusions"] and not results["metric_correlations"]
    assert valid("results", results | {"metric_correlations": [CORRELATED]})


MEAN = {
    "model": "m", "task": "cider_dnli", "split": "test", "variant": "paper", "shots": 0, "scoring": "generate", "perturb": "none",
    "sets": ["fold1", "fold2"], "items": 4, "metrics": {"macro_f1": {"value": 0.5, "low": 0.4, "high": 0.6, "sd": 0.1}},
}  # fmt: skip


def test_runs_of_sister_benchmarks_are_valid(tmp_path: Path) -> None:
    """Sets of right answers, groups, means over folds; and what a probe's record holds beside them."""
    evalsuite.run(
        model=["lexical"], tasks=["cicero_all_answers", "cider_dnli", "glucose_general_rule"], limit=3, out=tmp_path
    )
    results, found = load(tmp_path / "results.json"), records(tmp_path)
    assert results["means"] and any("groups" in entry for entry in results["breakdowns"])
    assert valid("results", results) and all(valid("record", record) for record in found)
    several = next(record for record in found if record["task"] == "cicero_all_answers")
    assert several["answer"]["choices"] and "group" in several
    probe = {
        "pairs": [["Why?", " a"], ["Why?", " b"]], "finish": "nll", "scoring": "nll", "pattern": "a|b",
        "scores": {"accuracy": 0.0, "delta_nll": -1.5}, "likelihoods": [{"logprob": -2.0, "tokens": 1, "prior": None}] * 2,
    }  # fmt: skip
    assert valid("record", several | probe)
    cell = results["cells"][0]
    negative = {"value": -0.5, "low": -1.0, "high": 0.5, "n": 3, "signature": "x"}
    assert valid("results", results | {"cells": [cell | {"metrics": {"delta_nll_logical": negative}}]})
    assert valid("results", results | {"means": [MEAN]})


# file, what is done to it
MUTATIONS: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("an unknown key", "results", lambda r: r.update(cell=[])),
    ("another format", "results", lambda r: r.update(format=2)),
    ("no cells", "results", lambda r: r.pop("cells")),
    ("an unknown key of a cell", "results", lambda r: r["cells"][0].update(score=1)),
    ("a share above 1", "results", lambda r: r["cells"][0].update(chance=1.5)),
    ("a negative count", "results", lambda r: r["cells"][0].update(items=-1)),
    ("a count that is a share", "results", lambda r: r["cells"][0].update(items=0.5)),
    ("a count in words", "results", lambda r: r["cells"][0].update(items="3")),
    ("true for a number", "results", lambda r: r["cells"][0].update(missing=True)),
    ("an unknown task", "results", lambda r: r["cells"][0].update(task="chess")),
    ("an unknown perturbation", "results", lambda r: r["cells"][0].update(perturb="burn")),
    ("an unknown scoring", "results", lambda r: r["cells"][0].update(scoring="guess")),
    ("no set", "results", lambda r: r["cells"][0].update(set="")),
    ("an unknown status", "results", lambda r: r["cells"][0]["status"].update(brilliant=1)),
    ("a value in words", "results", lambda r: next(iter(r["cells"][0]["metrics"].values())).update(value="high")),
    ("no signature", "results", lambda r: next(iter(r["cells"][0]["metrics"].values())).pop("signature")),
    ("a path", "results", lambda r: r["cells"][0].update(records="../records/x.jsonl")),
    ("no hash", "results", lambda r: r["cells"][0]["facts"].update(data="abc")),
    ("no model", "results", lambda r: r["cells"][0].update(model="")),
    ("no cells", "results", lambda r: r.pop("cells")),
    ("a mean of one set", "results", lambda r: r.update(means=[MEAN | {"sets": ["fold1"]}])),
    ("a mean of no model", "results", lambda r: r.update(means=[MEAN | {"model": ""}])),
    ("half a drop", "results", lambda r: r["robustness"]["drops"][0].pop("p")),
    ("a bias of 2", "results", lambda r: r["robustness"]["positions"][0].update(bias=2)),
    ("a bin above 1", "results", lambda r: r["breakdowns"][0]["turns"][0].update(value=1.1)),
    ("a bin of nothing", "results", lambda r: r["breakdowns"][0]["turns"][0].update(n=0)),
    ("half an interval", "results", lambda r: r["breakdowns"][0]["turns"][0].update(interval=[0.2])),
    ("a breakdown of no model", "results", lambda r: r["breakdowns"][0].pop("model")),
    ("a pair without a count", "results", lambda r: r["confusions"][0]["pairs"][0].pop()),
    ("a name in one language", "results", lambda r: r["confusions"][0]["names"][0].pop()),
    ("no offers", "results", lambda r: r["confusions"][0].pop("offers")),
    ("a correlation of 2", "results", lambda r: r.update(metric_correlations=[CORRELATED | {"spearman": [2.0]}])),
    ("another basis", "results", lambda r: r.update(metric_correlations=[CORRELATED | {"basis": "runs"}])),
    ("parameters in words", "results", lambda r: r["cells"][0]["facts"].update(parameters={"enable_thinking": False})),
    ("no settings", "manifest", lambda m: m.pop("settings")),
    ("a limit of 0", "manifest", lambda m: m["settings"].update(limit=0)),
    ("no hash of data", "manifest", lambda m: next(iter(m["data"].values())).update(sha256="")),
    ("no reply and no null", "record", lambda r: r.pop("reply")),
    ("a reply that is a number", "record", lambda r: r.update(reply=5)),
    ("no dialogue", "record", lambda r: r.pop("dialogue")),
    ("no reference", "record", lambda r: r.update(references=[])),
    ("a score of 2", "record", lambda r: r["scores"].update(f1=2)),
    ("a choice before the first", "record", lambda r: r["answer"].update(choice=-1)),
    ("an unknown score", "record", lambda r: r["scores"].update(charm=1)),
    ("a chosen option before the first", "record", lambda r: r["answer"].update(choices=[-1])),
    ("a pair of one", "record", lambda r: r.update(pairs=[["context"], ["context"]])),
    ("another finish", "record", lambda r: r.update(finish="tired")),
    ("a turn of nobody", "record", lambda r: r.update(messages=[{"role": "nobody", "content": ""}])),
    ("an unknown key of a record", "record", lambda r: r.update(note="")),
]  # fmt: skip


@pytest.fixture(scope="module")
def written_files(run: Path) -> dict[str, Any]:
    """Name of a schema -> the contents that a run wrote for it, all valid. Of what results.json lists, the first: to check all of
    it takes long, and each test does."""
    found = {"record": records(run)[0], **{name: load(run / f"{name}.json") for name in ("results", "manifest")}}
    results = found["results"]
    for part in (results, results["robustness"]):
        part |= {key: value[:1] for key, value in part.items() if isinstance(value, list)}
    assert all(valid(name, content) for name, content in found.items())
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mutate"), [m[1:] for m in MUTATIONS], ids=[m[0] for m in MUTATIONS])
def test_broken_files_are_refused(written_files: dict[str, Any], name: str, mutate: Callable[[Any], Any]) -> None:
    broken = copy.deepcopy(written_files[name])
    mutate(broken)
    assert not valid(name, broken)


def test_a_record_gives_back_its_trial_and_its_response() -> None:
    """No field is lost between them: none has its default here."""
    item = types.Item(
        "i",
        "knowledge_filling",
        "hard",
        "dev",
        ("A: 好",),
        "哪个？",
        ("甲", "乙"),
        ("(a)", "(b)"),
        1,
        ("乙",),
        "g",
        (),
        ("fact",),
        (2,),
    )
    request = types.Request(
        "i",
        "问",
        (types.Message("user", "问"),),
        9,
        "texts",
        item.labels,
        item.options,
        (("上", "下"),),
        "[ab]",
        "答：",
        sample=3,
    )
    trial = types.Trial(item, request, "plain", ("shot",), 2, "shuffle", 1)
    likelihoods = (types.Likelihood(-1.0, 2, -3.0), types.Likelihood(-2.0, 1))
    response = types.Response("(b)", "stop", 5, 4, None, "想", 0.0, likelihoods, 2)
    cell = types.Cell(types.Place("m", item.task, "hard", "dev", "plain", 2, "texts", "shuffle"), {"chat": True})
    record = Record.of(
        cell, "key", trial, response, types.Answer(types.Status.PARSED, 1), types.Score({"accuracy": 1.0})
    )
    assert record.trial() == trial and record.response() == response and record.gold == "(b)"
    assert record.trial(with_prompt=False).request == replace(trial.request, prompt="", messages=())
