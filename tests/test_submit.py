"""Submissions: what is made passes, and whatever is tampered with is found and named."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import probes
import pytest
import yaml
from run_files import results_json
from shared_fixtures import shared_folder
from tiers import thorough_but
from typer.testing import CliRunner

import evalsuite
from evalsuite.analyses.judged.values import JudgeAttempt, JudgedRecord
from evalsuite.analyses.saved import load_results
from evalsuite.backends.openai.faults import Server, judgement_to
from evalsuite.cli.app import app
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.resources import bundled
from evalsuite.exchange.submit import submission
from evalsuite.exchange.submit.line_numbers import lines_of
from evalsuite.exchange.submit.record_checks import Broken, cell_lines
from evalsuite.exchange.submit.source import SubmissionSource
from evalsuite.exchange.submit.submission import SUMS, make_submission, sums
from evalsuite.exchange.submit.verdict import CheckResult, check_submission, differences
from evalsuite.page.citations import citations
from evalsuite.results import records
from evalsuite.results.analysis import Results
from evalsuite.types import Reading

pytestmark = pytest.mark.usefixtures("no_finalizers")
HEAD = {"name": "Baselines", "who": "somebody", "contact": "a@example.org", "licence": "CC-BY-4.0", "notes": "none"}
ABOUT = {"trained_on": [], "statement": "rules, not models"}


@shared_folder
def run(folder: Path) -> Path:
    out = folder
    tasks = ["domain_identification", "event_cause"]
    evalsuite.run(model=["random"], tasks=tasks, set="easy", limit=4, out=out)
    evalsuite.run(model=["lexical"], tasks=tasks, set="easy", shots=[0, 1],
                  perturb=["none", "shuffle", "circular"], limit=4, out=out)  # fmt: skip
    return out


@shared_folder
def made_submission(run: Path, folder: Path) -> Path:
    out = folder / "submission"
    assert make_submission(run, out, HEAD, ABOUT).unfilled == ()
    return out


@pytest.fixture
def folder(made_submission: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_submission, tmp_path / "submission"))


def reseal(folder: Path) -> None:
    (folder / SUMS).write_text("".join(f"{digest}  {name}\n" for name, digest in sums(folder)))


def edit_json(folder: Path, name: str, change: Callable[[Any], Any]) -> None:
    content = json.loads((folder / name).read_text(encoding="utf-8"))
    change(content)
    (folder / name).write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def cell_file(folder: Path, kind: str = "domain_identification.paper.0-shot.jsonl") -> Path:
    return folder / f"records/lexical.easy.test.{kind}.gz"


def edit_lines(path: Path, change: Callable[[list[Any]], Any]) -> None:
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().split("\n") if line]
    rows = change(rows) or rows
    path.write_bytes(gzip.compress("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows).encode()))


# --- what is made


@pytest.mark.parametrize(("status", "last"), [("missing", [""]), ("parsed", []), ("unparsed", [])])
def test_a_judges_missing_reply_is_an_attempt_of_its_own(status: str, last: list[str]) -> None:
    """A record lists the attempts that have a reply; a candidate whose last attempt has none is counted as missing again."""
    said = {"added": "", "finish": "stop", "error": None, "prompt_tokens": 3, "new_tokens": 1}
    record = JudgedRecord.model_construct(
        item="i", rotation=0, candidate_key="c", attack=None, prompt="p", status=status,
        attempts=[JudgeAttempt.model_construct(key=key, reply=key.upper(), **said) for key in ("a", "b")],
    )  # fmt: skip
    source = SubmissionSource(Path(), Results(Path(), "0", Reading(), (), {}))
    row = source._row(record)
    assert row == {"item": "i", "rotation": 0, "key": "c", "attack": "", "prompt": "p", "keys": ["a", "b", *last]}
    found = [source.response(key) for key in row["keys"]]
    assert [reply and reply.text for reply in found] == ["A", "B", *(None for _ in last)]


def test_what_is_made_is_valid(made_submission: Path, run: Path) -> None:
    verdict = check_submission(made_submission)
    assert verdict.problems == () and verdict.more == 0
    told = " ".join(verdict.verified)
    assert "none within --limit is left out" in told and "prompts, made again" in told
    assert (made_submission / "results.json").read_bytes() == (run / "results.json").read_bytes()
    done = subprocess.run(["sha256sum", "-c", SUMS], cwd=made_submission, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.count(": OK") == len(list(made_submission.rglob("*.gz"))) + 2


def test_the_same_run_gives_the_same_bytes(made_submission: Path, run: Path, tmp_path: Path) -> None:
    make_submission(run, tmp_path / "again", HEAD, ABOUT)
    files = sorted(p.relative_to(made_submission) for p in made_submission.rglob("*") if p.is_file())
    assert files and all((made_submission / f).read_bytes() == (tmp_path / "again" / f).read_bytes() for f in files)


def test_the_manifest_tells_nothing_of_the_machine(made_submission: Path, run: Path) -> None:
    text = (made_submission / "manifest.json").read_text(encoding="utf-8")
    content = json.loads(text)
    assert str(run) not in text and content["settings"]["out"] is None and "-" not in content["platform"]
    assert set(content["scrubbed"]) == {"settings.out", "platform"}
    assert content["settings"]["data"] == "bundled:sample" and content["data"]  # other settings stay


def test_what_is_not_given_is_to_be_filled_in(run: Path, tmp_path: Path) -> None:
    done = make_submission(run, tmp_path / "s", {}, {})
    assert len(done.unfilled) == 5  # both models are baselines, of which all is known
    verdict = check_submission(tmp_path / "s")
    assert [p for p in verdict.problems if "still to be filled in" in p] == list(verdict.problems)
    assert "submission.yaml:4: who: still to be filled in" in verdict.problems


def test_without_the_data_it_says_so(folder: Path) -> None:
    edit_json(folder, "manifest.json", lambda m: m["settings"].update(data=None))
    reseal(folder)
    verdict = check_submission(folder)
    assert verdict.problems == () and any("--data DIR" in line for line in verdict.unverified)
    assert any("items and their shots" in line for line in check_submission(folder, bundled("sample")).verified)


def test_a_report_of_a_submission(folder: Path, run: Path, tmp_path: Path) -> None:
    pages = [evalsuite.report([f], tmp_path / "pages" / f.name).read_bytes() for f in (folder, run)]
    assert all(pages) and check_submission(folder).problems == ()
    with pytest.raises(ConfigError, match="give --out"):
        evalsuite.report([folder])


def test_no_submission_of_what_is_unfinished(run: Path, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="exists already"):
        make_submission(run, folder, HEAD, ABOUT)
    with pytest.raises(ConfigError, match=r"no results\.json"):
        make_submission(tmp_path, tmp_path / "s", HEAD, ABOUT)
    other = Path(shutil.copytree(run, tmp_path / "other"))
    edit_json(other, "results.json", lambda r: r["cells"][0].update(missing=3))
    with pytest.raises(ConfigError, match="3 requests were not asked yet"):
        make_submission(other, tmp_path / "s", HEAD, ABOUT)
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("content", [{}, [], {"settings": [], "platform": "", "started": ""}])
def test_no_submission_of_a_run_with_a_foreign_manifest(run: Path, tmp_path: Path, content: Any) -> None:
    other = Path(shutil.copytree(run, tmp_path / "other"))
    (other / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(DataError, match=r"manifest\.json"):
        make_submission(other, tmp_path / "s", HEAD, ABOUT)
    assert not (tmp_path / "s").exists()


def test_names_of_the_machine_are_told(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The host name is a word that occurs in every record.
    monkeypatch.setattr(submission.platform, "node", lambda: "baseline")
    assert any("results.json holds the name" in w for w in make_submission(run, tmp_path / "s", HEAD, ABOUT).warnings)


# --- what is tampered with


def change_first(change: dict[str, Any]) -> Callable[[list[Any]], Any]:
    return lambda rows: rows[0].update(change)


def in_cell(change: Callable[[list[Any]], Any], kind: str = "") -> Callable[[Path], None]:
    return lambda folder: edit_lines(cell_file(folder, *([kind] if kind else [])), change)


def in_results(change: Callable[[Any], Any]) -> Callable[[Path], None]:
    return lambda folder: edit_json(folder, "results.json", change)


def in_manifest(change: Callable[[Any], Any]) -> Callable[[Path], None]:
    return lambda folder: edit_json(folder, "manifest.json", change)


def in_form(old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "submission.yaml"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new, 1))

    return change


def metric(r: Any, name: str = "accuracy") -> Any:
    return next(c["metrics"][name] for c in r["cells"] if name in c["metrics"])


def move_gold(rows: list[Any]) -> None:
    """The gold answer is another option, throughout."""
    row = rows[0]
    n = (row["labels"].index(row["gold"]) + 1) % len(row["labels"])
    row |= {"gold": row["labels"][n], "references": [row["options"][n]]}


def gold_letter(rows: list[Any]) -> None:
    row = rows[0]
    row["gold"] = row["labels"][(row["labels"].index(row["gold"]) + 1) % len(row["labels"])]


def nest(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


def endless(folder: Path) -> None:
    path = folder / "results.json"
    path.write_text(path.read_text().replace('"sampling": {', '"sampling": {"a": ' + "[" * 99_999 + "]" * 99_999, 1))


def bomb(folder: Path) -> None:
    cell_file(folder).write_bytes(gzip.compress(b"\n" * (200 << 20), 9))


def one_long_line(folder: Path) -> None:
    cell_file(folder).write_bytes(gzip.compress(b'{"a": "' + b"x" * (20 << 20), 9))


def link(folder: Path) -> None:
    path = cell_file(folder)
    path.rename(folder.parent / "elsewhere.gz")
    path.symlink_to(folder.parent / "elsewhere.gz")


def linked_folder(folder: Path) -> None:
    (folder / "records").rename(folder.parent / "elsewhere")
    (folder / "records").symlink_to(folder.parent / "elsewhere")


def both_forms(folder: Path) -> None:
    path = cell_file(folder)
    path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))


def cell_less(r: Any) -> None:
    del r["cells"][0]


def traversal(folder: Path) -> None:
    edit_json(folder, "results.json", lambda r: r["cells"][0].update(records="records/../../x.jsonl"))


def bad_data(folder: Path) -> None:
    """Put another hash of the data wherever the submission states it."""
    for name in ("results.json", "manifest.json"):
        text = (folder / name).read_text(encoding="utf-8")
        digest = results_json(folder)["cells"][0]["facts"]["data"]
        (folder / name).write_text(text.replace(digest, "0" * 64).replace(digest[:8], "0" * 8), encoding="utf-8")


TAMPERED: list[tuple[str, Callable[[Path], Any], bool, str]] = [
    # change; whether SHA256SUMS is made anew after it; words of the check
    ("a reply", in_cell(change_first({"reply": "(e)"})), False, "is not the file that SHA256SUMS has the hash of"),
    ("a reply, sealed", in_cell(change_first({"reply": "我不知道"})), True, "answer.status: is \"parsed\", but its reply gives"),
    ("a score", in_cell(change_first({"scores": {"accuracy": 0.5}})), True, "scores.accuracy: is 0.5, but its reply gives"),
    ("an answer", in_cell(lambda r: r[0]["answer"].update(rule="magic")), True, "answer.rule: is \"magic\""),
    ("where the answer stands", in_cell(lambda r: r[0]["answer"].update(start=2)), True, "answer.start: is 2"),
    ("the gold letter", in_cell(gold_letter), True, "gold: is '"),
    ("a gold that is no label", in_cell(change_first({"gold": "(z)"})), True, "gold: '(z)' is none of the labels"),
    ("more shots than there are dialogues", in_results(lambda r: [c.update(shots=9999) for c in r["cells"] if c["shots"]]), True, "but the cell's is 9999"),
    ("a deep nest", lambda f: edit_json(f, "results.json", lambda r: r["cells"][0]["facts"]["sampling"].update(a=nest(900))), True, "nested more than 100 deep"),
    ("a nest without end", endless, True, "results.json: not JSON: maximum recursion depth"),
    ("the gold answer", in_cell(move_gold), True, "gold: is not what the data's item"),
    ("an option", in_cell(lambda r: r[0]["options"].__setitem__(0, "别的")), True, "options: is not what the data's item"),
    ("a turn", in_cell(lambda r: r[0]["dialogue"].append("A: 后来呢？")), True, "dialogue: is not what the data's item"),
    ("the question", in_cell(change_first({"question": "？"})), True, "question: is not what the data's item"),
    ("the prompt", in_cell(lambda r: r[0].update(prompt=r[0]["prompt"] + "a")), True, "key: is not the hash of"),
    ("the key", in_cell(change_first({"key": "0" * 64})), True, "key: is not the hash of"),
    ("the words that an answer follows", in_cell(change_first({"answer_after": "答案："})), True, "answer_after: is not what the template paper makes"),
    ("the number of leaked items", in_results(lambda r: r["cells"][0]["facts"].update(leaked=3)), True, "cells[0].facts.leaked: is 3, but the data give 0"),
    ("the number of skipped lines", in_results(lambda r: r["cells"][0]["facts"].update(skipped_lines=1)), True, "facts.skipped_lines: is 1, but the data give 0"),
    ("the reply's limit", in_cell(change_first({"max_new_tokens": 999})), True, "key: is not the hash of"),
    ("an example", in_cell(change_first({"shots": ["corecode/easy/train/domain_identification/0"] * 1}), "domain_identification.paper.1-shot.jsonl"),
     True, "shots: are not those that the seed draws"),
    ("a record less", in_cell(lambda r: r[1:]), True, "items of the data are missing, the first: corecode/"),
    ("a record twice", in_cell(lambda r: [*r, r[0]]), True, "was asked on line 1 already"),
    ("records in another order", in_cell(lambda r: r[::-1], "event_cause.paper.0-shot.jsonl"), True, "item: is out of order"),
    ("an unknown item", in_cell(lambda r: r[0].update(item=r[0]["item"].rpartition("/")[0] + "/99999")), True, "is none of the cell's 4 items"),
    ("an item of another task", in_cell(change_first({"item": "corecode/easy/test/event_cause/0"})), True, "is none of the cell's 4 items"),
    ("another model's record", in_cell(change_first({"model": "random"})), True, "model: is 'random', but the cell's is 'lexical'"),
    ("no JSON", lambda f: cell_file(f).write_bytes(gzip.compress(b"{}\n{")), True, "jsonl.gz:2: not JSON"),
    ("a name twice", lambda f: cell_file(f).write_bytes(gzip.compress(b'{"item": 1, "item": 2}')), True, "'item' stands twice"),
    ("half a character", lambda f: cell_file(f).write_bytes(gzip.compress(b'{"item": "\\ud800"}')), True, "jsonl.gz:1: not JSON"),
    ("no gzip", lambda f: cell_file(f).write_bytes(b"PK"), True, "cannot be read: Not a gzipped file"),
    ("half a gzip", lambda f: cell_file(f).write_bytes(cell_file(f).read_bytes()[:-9]), True, "cannot be read"),
    ("a field less", in_cell(lambda r: r[0].pop("gold") and None), True, "jsonl.gz:1: gold: Field required"),
    ("an error beside a reply", in_cell(change_first({"error": "500"})), True, "either a reply or an error"),
    ("a metric more", in_results(lambda r: r["cells"][0]["metrics"].update(iq=r["cells"][0]["metrics"]["f1"] if "f1" in r["cells"][0]["metrics"] else metric(r))),
     True, "metrics.iq: is {"),
    ("the seed of a cell", in_results(lambda r: r["cells"][0]["facts"].update(seed=7)), True, "but the records give"),
    ("no confusions", in_results(lambda r: r.pop("confusions")), True, "confusions: is nothing, but the records give"),
    ("a cell less", in_results(cell_less), True, "no cell of results.json names it"),
    ("a cell twice", in_results(lambda r: r["cells"].append(r["cells"][0])), True, "is a duplicate"),
    ("cells in another order", in_results(lambda r: r["cells"].reverse()), True, "but the records give"),
    ("another parser", in_results(lambda r: r["reading"].update(parser="strict")), True, 'answer.rule: is "line"'),
    ("another format", in_results(lambda r: r.update(format=2)), True, "results.json:2: format: Input should be 1"),
    ("another version", in_results(lambda r: r.update(evalsuite="9.9")), True, "made with evalsuite 9.9"),
    ("an unknown key", in_results(lambda r: r["cells"][0].update(best=True)), True, "cells[0].best: Extra inputs"),
    ("a path outside", traversal, True, "cells[0].records: String should match"),
    ("the data's hash", bad_data, True, "but the data's "),
    ("the data's hash in the manifest", in_manifest(lambda m: [f.update(sha256="0" * 64) for f in m["data"].values()]), True, "manifest.json has another hash"),
    ("a path in the manifest", in_manifest(lambda m: m["settings"].update(out="/home/me")), True, "settings.out: holds a path"),
    ("no manifest", lambda f: (f / "manifest.json").unlink(), True, "manifest.json: is missing"),
    ("no results", lambda f: (f / "results.json").unlink(), True, "results.json: is missing"),
    ("no records", lambda f: cell_file(f).unlink(), True, "names it, but it is not there"),
    ("records plain and packed", both_forms, True, "is there plain and as .gz"),
    ("no hashes", lambda f: (f / SUMS).unlink(), False, "SHA256SUMS: is missing"),
    ("a hash", lambda f: (f / SUMS).write_text("0" * 64 + (f / SUMS).read_text()[64:]), False, "is not the file that"),
    ("a hash less", lambda f: (f / SUMS).write_text((f / SUMS).read_text().split("\n", 1)[1]), False, "is not in SHA256SUMS"),
    ("a hash of a file outside", lambda f: (f / SUMS).write_text(f"{'0' * 64}  ../x\n"), False, "SHA256SUMS:1: ../x: is outside"),
    ("a file more", lambda f: (f / "model.bin").write_text("x"), False, "model.bin: has no place"),
    ("a file more of a benchmark", lambda f: (f / "benchmarks/corecode").mkdir(parents=True) or (f / "benchmarks/corecode/x").write_text(""), True,
     "benchmarks/corecode/x: has no place"),
    ("a file more among records", lambda f: (f / "records/x.jsonl").write_text(""), True, "records/x.jsonl: no cell"),
    ("a folder more", lambda f: (f / "page").mkdir(), True, "page/: has no place"),
    ("a folder in records", lambda f: (f / "records/x").mkdir(), True, "records/x/: has no place"),
    ("a link", link, False, "is a link"),
    ("a linked folder", linked_folder, False, "records: is a link"),
    ("a pipe", lambda f: os.mkfifo(f / "records/pipe"), False, "no plain file"),
    ("a bomb", bomb, True, "unpacks to more than"),
    ("a bomb of one line", one_long_line, True, "is longer than 16 MiB"),
    ("an empty field of the form", in_form("who: somebody", "who: '?'"), False, "submission.yaml:4: who: still to be filled in"),
    ("another format of the form", in_form("format: 1", "format: 2"), False, "submission.yaml:2: format: Input should be 1"),
    ("an unknown field of the form", in_form("who:", "rank: 1\nwho:"), False, "submission.yaml:4: rank: Extra inputs"),
    ("a model less in the form", in_form("  lexical:", "  other:"), False, "models: 'lexical' of results.json is not described"),
    ("an alias in the form", in_form("who: somebody", "who: &a b\ncontact2: *a"), False, "holds an alias"),
    ("no YAML", in_form("who: somebody", "who: [}"), False, "submission.yaml:4: not YAML"),
]  # fmt: skip
# Changes of different figures of results.json, which are found in one check.
FIGURES: list[tuple[str, Callable[[Path], Any], str]] = [
    ("a metric", in_results(lambda r: metric(r).update(value=metric(r)["value"] + 0.001)), "metrics.accuracy.value: is"),
    ("an interval", in_results(lambda r: metric(r, "f1").update(low=0.4)), "metrics.f1.low: is 0.4, but the records give"),
    ("a metric's n", in_results(lambda r: metric(r).update(n=40)), "metrics.accuracy.n: is 40"),
    ("a status", in_results(lambda r: r["cells"][0].update(status={"refused": 4})), "status.refused: is 4, but the records give nothing"),
    ("chance", in_results(lambda r: next(c for c in r["cells"] if "chance" in c).update(chance=0.01)), "chance: is 0.01"),
    ("a signature", in_results(lambda r: metric(r).update(signature="accuracy")), "signature: is \"accuracy\""),
    ("a drop", in_results(lambda r: r["robustness"]["drops"][0].update(p=0.0001)), "robustness.drops[0].p: is 0.0001"),
    ("places", in_results(lambda r: r["robustness"]["positions"][0]["gold"].__setitem__(0, 9)), "robustness.positions[0].gold[0]: is 9"),
    ("a breakdown", in_results(lambda r: r["breakdowns"][0]["turns"][0].update(value=0.123)), "breakdowns[0].turns[0].value: is 0.123"),
    ("a breakdown's interval", in_results(lambda r: r["breakdowns"][0]["distance"][0].update(interval=[0.1, 0.9876])), "breakdowns[0].distance[0].interval: is [0.1, 0.9876]"),
    ("a breakdown less", in_results(lambda r: r["breakdowns"].pop()), "breakdowns[9]: is nothing"),
    ("a confusion", in_results(lambda r: r["confusions"][0]["pairs"][0].__setitem__(2, 77)), "confusions[0].pairs[0][2]: is 77"),
    ("what was offered", in_results(lambda r: r["confusions"][0]["offers"][0]["options"].__setitem__(0, 1)), "confusions[0].offers[0].options[0]: is 1"),
]  # fmt: skip


LINES: list[tuple[str, dict[str, Any], str, bool]] = [
    # change of a record, words of its problem, whether it can still be scored
    ("nothing", {}, "", True),
    ("another model", {"model": "random"}, "model: is 'random', but the cell's is 'lexical'", False),
    ("more shots asked for", {"asked_shots": 1}, "shots: is 1, but the cell's is 0", False),
    ("a gold that is no label", {"gold": "(z)"}, "gold: '(z)' is none of the labels", False),
    ("no gold", {"gold": None}, "gold: a choice has one right label, and no label twice", False),
    ("another reference", {"references": ["别的"]}, "but that option is not the reference", True),
    ("an item of another task", {"item": "corecode/easy/test/event_cause/0"}, "is no item of easy test domain_identification", True),
    ("an error beside a reply", {"error": "500"}, "error: a request has either a reply or an error", False),
    ("no reply", {"reply": None}, "error: a request has either a reply or an error", False),
    ("a failure without an error", {"finish": "error"}, "error: a request has either a reply or an error", False),
    ("a second sample", {"sample": 1}, "sample: is 1, but the cell has 1 an item, counted from 0", True),
    ("likelihoods of a written reply", {"likelihoods": [{"logprob": -1.0, "tokens": 1, "prior": None}] * 2}, "likelihoods: do not fit scoring generate and finish stop", False),
    ("compared without likelihoods", {"finish": "labels"}, "likelihoods: do not fit scoring generate and finish labels", False),
    ("chat turns", {"messages": [{"role": "user", "content": "好"}]}, "messages: chat turns are there for chat models only", True),
    ("an example more", {"shots": ["corecode/easy/train/domain_identification/0"]}, "shots: 1 of 0, some twice or too many", True),
    ("another key", {"key": "0" * 64}, "key: is not the hash of the cell's model and settings and of this prompt", True),
    ("another prompt", {"prompt": "选一个。"}, "key: is not the hash of the cell's model and settings and of this prompt", True),
    ("another field", {"best": True}, "best: Extra inputs are not permitted", False),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message", "scored"), [row[1:] for row in LINES], ids=[row[0] for row in LINES])
def test_each_record_fits_itself_and_its_cell(folder: Path, change: dict[str, Any], message: str, scored: bool) -> None:
    """A problem names the line and the field; the others of the file have none."""
    path = cell_file(folder)
    edit_lines(path, lambda rows: rows[1].update(change))
    name = path.relative_to(folder).as_posix()
    (cell,) = (cell for cell in load_results(folder).cells if cell.records == name.removesuffix(".gz"))
    found, broken = list[str](), False
    try:
        found.extend(cell_lines(folder, cell, lambda record, trial: ()))
    except Broken:
        broken = True
    assert message in found[0] if message else not found, found
    assert all(one.startswith(f"{name}:2: ") for one in found) and broken is not scored


DIFFERENCES: list[tuple[Any, Any, list[tuple[Any, ...]]]] = [
    ({"a": [1, {"b": 0.5}]}, {"a": [1, {"b": 0.5}]}, []),
    (0.1 + 0.2, 0.3, []),  # another last bit
    (1e6 / 3, 1e6 / 3 + 1e-9, []),
    (1e6 / 3, 1e6 / 3 + 1e-5, [()]),
    (0.3, 0.3 + 1e-9, [()]),
    (1.0, 1, []),
    (1.0, True, [()]),
    (1, True, [()]),
    (float("nan"), 0.5, [()]),
    (None, 0.0, [()]),
    ({"a": 1}, {}, [("a",)]),
    ({}, {"a": None}, [("a",)]),
    ({"a": [1, 2]}, {"a": [1]}, [("a", 1)]),
    ({"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b": 0}, {"b": 3}]}, [("a", 0, "b"), ("a", 1, "b")]),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}, []),
    ({"metrics": {"a": 1, "b": 2}}, {"metrics": {"b": 2, "a": 1}}, [("metrics",)]),  # the first is the headline
]


@pytest.mark.parametrize(("theirs", "ours", "at"), DIFFERENCES)
def test_figures_differ_where_they_differ_by_more_than_rounding(theirs: Any, ours: Any, at: list[Any]) -> None:
    assert [where for where, *_ in differences(theirs, ours)] == at
    assert [where for where, *_ in differences(ours, theirs)] == at


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tamper", "seal", "message"), thorough_but(12, [t[1:] for t in TAMPERED]), ids=[t[0] for t in TAMPERED]
)
def test_tampering_is_found_and_named(folder: Path, tamper: Callable[[Path], Any], seal: bool, message: str) -> None:
    tamper(folder)
    if seal:
        reseal(folder)
    problems = check_submission(folder).problems
    assert any(message in problem for problem in problems), "\n".join(problems)
    if seal:
        assert not any(SUMS in problem for problem in problems)


@pytest.mark.slow
def test_changed_figures_are_found_and_named(folder: Path) -> None:
    for _, tamper, _ in FIGURES:
        tamper(folder)
    reseal(folder)
    problems = check_submission(folder).problems
    missed = [name for name, _, message in FIGURES if not any(message in problem for problem in problems)]
    assert not missed, "\n".join(problems)


def test_a_prompt_and_its_keys_made_to_fit(folder: Path) -> None:
    """A prompt with a right key is refused if the template makes another one of the item."""
    from evalsuite.results.schema.record import Record
    from evalsuite.results.store import request_key

    facts = results_json(folder)["cells"][0]["facts"]

    def change(rows: list[Any]) -> None:
        for row in rows:
            row["prompt"] += f"（{row['gold']}）"
            request = Record.model_validate(row).trial().request
            row["key"] = request_key(facts["fingerprint"], request, facts["chat"], facts["sampling"])

    edit_lines(cell_file(folder), change)
    reseal(folder)
    problems = check_submission(folder).problems
    assert len(problems) == 4 and all("prompt: is not what the template paper makes" in p for p in problems)


def test_two_replies_to_one_prompt(folder: Path) -> None:
    path = cell_file(folder, "event_cause.paper.0-shot.jsonl")
    edit_lines(path, lambda rows: [rows[0], {**rows[0], "item": rows[1]["item"], "reply": "x"}])
    assert any("another line with the same key has another reply" in p for p in check_submission(folder).problems)


def test_many_problems_are_counted(folder: Path) -> None:
    for path in folder.glob("records/*"):
        edit_lines(path, lambda rows: [row.update(key="0" * 64, question="？") for row in rows] and rows * 3)
    verdict = check_submission(folder)
    assert len(verdict.problems) == 200 and verdict.more > 0


def test_what_was_not_looked_at_is_not_missing(tmp_path: Path) -> None:
    """After twenty problems the rest of a file is skipped; its items are there all the same."""
    run, out = tmp_path / "run", tmp_path / "submission"
    evalsuite.run(model=["lexical"], baselines=(), tasks=["domain_identification"], set="easy", limit=25, out=run)
    make_submission(run, out, HEAD, ABOUT)
    edit_lines(cell_file(out), lambda rows: [row.update(question="？") for row in rows] and rows)
    reseal(out)
    problems = check_submission(out).problems
    assert any("the rest of the file was not looked at" in problem for problem in problems)
    assert not any("are missing" in problem for problem in problems)


@pytest.mark.parametrize("data", [None, "bundled:sample"])
@pytest.mark.parametrize("wordings", [["translate-en"], ["direct", "translate-en"]])
def test_a_wording_may_ask_a_file_of_its_own(wordings: list[str], data: str | None, tmp_path: Path) -> None:
    """The manifest has the hash of the usual file, which a translation does not ask."""
    run, out = tmp_path / "run", tmp_path / "submission"
    evalsuite.run(model=["random"], baselines=(), tasks=["charm_anachronisms"], prompt=wordings, set="chinese", out=run)
    make_submission(run, out, HEAD, ABOUT)
    assert check_submission(out, data).problems == ()


@pytest.mark.slow
def test_models_that_were_asked_other_data_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The manifest has the hash of the data of the latest start: one cell that has it excuses no other cell."""
    monkeypatch.delenv("EVALSUITE_DATA", raising=False)
    data, out = Path(shutil.copytree(bundled("sample/data"), tmp_path / "data")), tmp_path / "submission"
    asked = {"baselines": (), "tasks": ["DI"], "set": "easy", "limit": 2, "data": [data], "out": tmp_path / "run"}
    evalsuite.run(model=["random"], **asked)
    (file,) = data.glob("easy/*/test/Domain_Identification.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[::-1]))
    evalsuite.run(model=["lexical"], **asked)
    make_submission(tmp_path / "run", out, HEAD, ABOUT)
    (problem,) = check_submission(out).problems
    assert "facts.data: manifest.json has another hash of easy" in problem


def test_what_the_results_state_of_a_baseline_stands(run: Path, tmp_path: Path) -> None:
    """Flags describe the models of others: a baseline is not said to be trained."""
    make_submission(run, tmp_path / "s", HEAD, {"trained_on": ["dev"], "statement": "ours", "hub": "a/b"})
    form = yaml.safe_load((tmp_path / "s/submission.yaml").read_text(encoding="utf-8"))
    assert form["models"]["lexical"]["trained_on"] == [] and form["models"]["lexical"]["hub"] is None
    assert form["models"]["lexical"]["statement"] == "a baseline of evalsuite, no trained model"


@pytest.mark.slow
def test_every_order_of_an_item_is_required(tmp_path: Path) -> None:
    """shuffle5 asks an item in five orders, however many options it has; an item without one of them would be in no score."""
    run, out = tmp_path / "run", tmp_path / "submission"
    tasks = ["knowledge_filling", "slot_identification"]  # items of three options, and of fifteen
    evalsuite.run(model=["lexical"], tasks=tasks, set="easy", perturb="shuffle5", limit=2, out=run)
    make_submission(run, out, HEAD, ABOUT)
    assert check_submission(out).problems == ()
    edit_lines(cell_file(out, "knowledge_filling.paper.0-shot.shuffle5.jsonl"), lambda rows: rows[:-1])
    reseal(out)
    assert any("1 of 2 items of the data are missing" in problem for problem in check_submission(out).problems)


@pytest.mark.slow
def test_words_before_the_options_are_part_of_the_key(tmp_path: Path) -> None:
    run, out = tmp_path / "run", tmp_path / "submission"
    settings = {"tasks": "xcopa_cause_effect", "prompt": "lm-eval", "scoring": "texts"}
    evalsuite.run(model=["tiny-zh"], limit=2, out=run, **settings)
    make_submission(run, out, HEAD, ABOUT | {"hub": "a/b", "revision": "1", "parameters": 1})
    assert check_submission(out).problems == ()
    (path,) = out.glob("records/*")
    edit_lines(path, lambda rows: rows[0].update(option_after="因为"))
    reseal(out)
    problems = check_submission(out).problems
    assert any("options: is not what the template lm-eval makes" in problem for problem in problems), problems


# --- sister benchmarks


@shared_folder
def sisters(folder: Path) -> Path:
    """Sets of right answers, folds with their mean, and probes."""
    run, out = folder / "run", folder / "submission"
    evalsuite.run(model=["lexical"], tasks=["cicero_all_answers", "cider_span_extraction"], limit=4, out=run)
    probes.add_probes(run, lambda n: (8.0 + n, 9.0), limit=4)
    make_submission(run, out, HEAD, ABOUT)
    return out


def sister_file(folder: Path, kind: str) -> Path:
    return next(folder.glob(f"records/*.{kind}.*"))


def test_a_submission_of_sister_benchmarks_is_valid(sisters: Path) -> None:
    verdict = check_submission(sisters)
    assert verdict.problems == (), verdict.problems
    assert any("prompts, made again" in line for line in verdict.verified)


def in_sister_cell(kind: str, change: Callable[[list[Any]], Any]) -> Callable[[Path], None]:
    return lambda folder: edit_lines(sister_file(folder, kind), change)


SETS, SPANS, PROBES = "v1.test.cicero_all_answers", "fold1.test.cider_span_extraction", "cedar_inference_probing"
TAMPERED_SISTERS: list[tuple[str, Callable[[Path], Any], str]] = [
    ("the options chosen", in_sister_cell(SETS, lambda r: r[0]["answer"].update(choices=[0, 1, 2, 3])), "answer.choices[1]: is 1, but its reply gives nothing"),
    ("a reply of a set", in_sister_cell(SETS, lambda r: r[0].update(reply="(0), (1), (2), (3)")), "but its reply gives"),
    ("the right options", in_sister_cell(SETS, lambda r: r[0].update(gold="(0), (1)")), "but those are not the references"),
    ("the references", in_sister_cell(SETS, lambda r: r[0].update(references=r[0]["options"][:1])), "references: is not what the data's item"),
    ("no option", in_sister_cell(SETS, lambda r: r[0].update(references=["x"])), "references: are not all among the options"),
    ("the group", in_sister_cell(SETS, lambda r: r[0].update(group="reaction" if r[0]["group"] != "reaction" else "cause")), "group: is not what the data's item"),
    ("a fold", in_sister_cell(SPANS, lambda r: r[0].update(set="fold2")), "set: is 'fold2', but the cell's is 'fold1'"),
    ("a loss", in_sister_cell(PROBES, lambda r: r[0]["likelihoods"][0].update(logprob=-1.0)), "delta_nll"),
    ("a probe's score", in_sister_cell(PROBES, lambda r: r[0]["scores"].update(delta_nll=1.5)), "scores.delta_nll: is 1.5"),
    ("a target", in_sister_cell(PROBES, lambda r: r[0]["pairs"][1].__setitem__(1, " yes")), "pairs"),
    ("no pairs", in_sister_cell(PROBES, lambda r: r[0].pop("pairs") and None), "pairs: 0 for a task of kind probe"),
]  # fmt: skip
SISTERS_FIGURES: list[tuple[str, Callable[[Path], Any], str]] = [
    ("the metric of a set", in_results(lambda r: next(c["metrics"] for c in r["cells"] if c["set"] == "v1")["set_accuracy"].update(value=0.99)), "set_accuracy.value: is 0.99"),
    ("a mean", in_results(lambda r: r["means"][0]["metrics"]["f1"].update(value=0.99)), "means[0].metrics.f1.value: is 0.99"),
    ("the sets of a mean", in_results(lambda r: r["means"][0]["sets"].pop()), "means[0].sets[4]: is nothing"),
    ("a group's score", in_results(lambda r: next(b for b in r["breakdowns"] if "groups" in b)["groups"][0].update(value=0.99)), "groups[0].value: is 0.99"),
]  # fmt: skip


@pytest.mark.parametrize(("tamper", "message"), [t[1:] for t in TAMPERED_SISTERS], ids=[t[0] for t in TAMPERED_SISTERS])
def test_tampering_with_sisters_is_found(
    sisters: Path, tmp_path: Path, tamper: Callable[[Path], Any], message: str
) -> None:
    folder = Path(shutil.copytree(sisters, tmp_path / "submission"))
    tamper(folder)
    reseal(folder)
    problems = check_submission(folder).problems
    assert any(message in problem for problem in problems), "\n".join(problems)


@pytest.mark.slow
def test_changed_figures_of_sisters_are_found(sisters: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(sisters, tmp_path / "submission"))
    for _, tamper, _ in SISTERS_FIGURES:
        tamper(folder)
    reseal(folder)
    problems = check_submission(folder).problems
    missed = [name for name, _, message in SISTERS_FIGURES if not any(message in problem for problem in problems)]
    assert not missed, "\n".join(problems)


# --- judges


def test_a_run_that_named_a_benchmark(tmp_path: Path) -> None:
    run, out = tmp_path / "run", tmp_path / "made"
    evalsuite.run(model=["lexical"], tasks=["glucose"], set="d1", limit=2, out=run)
    make_submission(run, out, HEAD, ABOUT)
    assert not check_submission(out).problems


@pytest.mark.thorough
def test_tampering_with_judgings_is_found(tmp_path: Path) -> None:
    for package in ("openai", "tenacity", "aiolimiter"):
        pytest.importorskip(package, reason="needs evalsuite[openai]")
    run, out = tmp_path / "run", tmp_path / "made"
    evalsuite.run(model=["lexical", "random", "majority"], tasks=["event_cause"], set="easy", limit=4, out=run)
    with Server(latency=0, mix={"500": 0.05, "400": 0.02}, reply=judgement_to) as server:
        api = f"base_url: '{server.url}', key_env: null, backoff: 0.02, attempts: 9"
        models = tmp_path / "models.yaml"
        models.write_text("models:\n" + "".join(
            f"  - {{name: {name}, backend: openai, path: {name}, chat: true, api: {{{api}, temperature: {heat}}}}}\n"
            for name, heat in (("lexical-judge", 0), ("other", 0.7))
        ))  # fmt: skip
        evalsuite.judge(run, ["lexical-judge", "other"], models=models, blind=True, repeats=3, attacks=1)
    make_submission(run, out, HEAD, ABOUT)
    verdict = check_submission(out)
    assert verdict.problems == () and any("judgements" in line for line in verdict.verified)
    assert any("rubrics" in line for line in verdict.unverified)

    def scale(r: Any) -> Any:
        return next(c["scales"]["score"] for c in r["judged"]["cells"] if c["control"] == "plain")

    def lines(judged: str, change: Callable[[list[Any]], Any]) -> Callable[[Path], None]:
        return lambda f: edit_lines(next(f.glob(f"judged/lexical-judge.corecode.plain.{judged}.*")), change)

    together: list[list[tuple[Callable[[Path], Any], str]]] = [
        [
            (lines("lexical", lambda r: r[0]["scores"].update(score=5.5)), "scores.score"),
            (lines("lexical", lambda r: r[3].update(prompt="打5分")), "attempts[0].key: is not the hash"),
            (lines("random", lambda r: r[2].update(attempts=[])), "a judge is asked about every candidate"),
            (lines("random", lambda r: [*r, r[3]]), "was judged on line 4 already"),
        ],
        [
            (lines("lexical", lambda r: r[1].update(reasons="magic")), 'reasons: is "magic"'),
            (lines("lexical", lambda r: r[2]["attempts"][0].update(reply="3\n好", finish="stop", error=None)), "its reply gives"),
            (lines("random", lambda r: r[0].update(candidate="x")), "candidate: is"),
            (lines("random", lambda r: r[1].update(candidate_key="0" * 64)), "but the records give"),
        ],
        [
            (in_results(lambda r: r["judged"]["cells"][-1]["scales"]["score"].update(value=4.9)), "scales.score.value: is 4.9"),
            (in_results(lambda r: r["judged"]["controls"]["attacks"][0].update(raised=0, n=99)), "controls.attacks[0].n: is 99"),
            (in_results(lambda r: r["judged"]["controls"]["panel"][0].update(kappa=0.99)), "controls.panel[0].kappa: is 0.99"),
            (in_results(lambda r: scale(r)["joint"]["f1"].update({"5": "0 0 0 0 0 0 0 0 0 99"})), "scales.score.joint.f1.5: is"),
            (in_results(lambda r: scale(r)["metrics"]["f1"].update(spearman_low=-0.99)), "metrics.f1.spearman_low: is -0.99"),
        ],
        [(in_results(lambda r: r["judged"]["cells"].pop()), "no cell of results.json names it")],
    ]  # fmt: skip
    for n, tampered in enumerate(together):
        folder = Path(shutil.copytree(out, tmp_path / str(n)))
        for tamper, _ in tampered:
            tamper(folder)
        reseal(folder)
        problems = check_submission(folder).problems
        for _, message in tampered:
            assert any(message in problem for problem in problems), "\n".join((message, *problems))


@pytest.mark.slow
def test_tampering_with_correlations_is_found(tmp_path: Path) -> None:
    """The models answer through an endpoint: correlations of metrics leave baselines out."""
    for package in ("openai", "tenacity", "aiolimiter"):
        pytest.importorskip(package, reason="needs evalsuite[openai]")
    run, out = tmp_path / "run", tmp_path / "made"
    names = ["a", "b", "c", "d", "e"]
    with Server(mix={}, reply=lambda prompt: prompt[-60:].split("\n")[0]) as server:
        api = f"base_url: '{server.url}', key_env: null, parameters: {{enable_thinking: false}}"
        models = tmp_path / "models.yaml"
        models.write_text("models:\n" + "".join(
            f"  - {{name: {name}, backend: openai, path: {name}, chat: true, api: {{{api}}}}}\n" for name in names
        ))  # fmt: skip
        evalsuite.run(models=models, model=names, tasks=["event_cause"], set="easy", limit=6, out=run)
    make_submission(run, out, HEAD, ABOUT | {"hub": None, "revision": None, "parameters": None})
    assert check_submission(out).problems == ()
    told = results_json(out)["metric_correlations"]
    assert [entry["basis"] for entry in told] == ["items", "models"]
    changes = (
        (lambda e: e["spearman"].__setitem__(0, 0.4321), "metric_correlations[0].spearman[0]: is 0.4321"),
        (lambda e: e["kendall"].__setitem__(2, -1.0), "metric_correlations[0].kendall[2]: is -1.0"),
        (lambda e: e.update(n=7), "metric_correlations[0].n: is 7"),
    )
    edit_json(out, "results.json", lambda r: [change(r["metric_correlations"][0]) for change, _ in changes])
    reseal(out)
    problems = check_submission(out).problems
    for _, message in changes:
        assert any(message in problem for problem in problems), message


# --- the command line


def invoke(*args: str) -> Any:
    return CliRunner().invoke(app, list(args))


def test_the_commands_make_and_check(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "s"
    done = invoke("submit", "make", str(run), str(out), "--name", "B", "--who", "me", "--trained-on", "none")
    assert done.exit_code == 0 and "contact: still to be filled in" in done.output
    done = invoke("submit", "check", str(out), "--json")
    verdict = CheckResult(**json.loads(done.stdout))
    assert done.exit_code == 1 and "still to be filled in" in verdict.problems[0]
    text = (
        (out / "submission.yaml")
        .read_text()
        .replace("contact: '?'", "contact: me")
        .replace("licence: '?'", "licence: CC0-1.0")
    )
    (out / "submission.yaml").write_text(
        text.replace("notes: '?'", "notes: ''").replace("statement: '?'", "statement: rules")
    )
    done = invoke("submit", "check", str(out))
    assert done.exit_code == 0 and done.stdout.endswith("valid\n") and "not verified: that the replies" in done.stdout


HOSTILE = "\x1b[2J\x1b]0;x\x07\u202e\u2066\x9b31m\r\x00"


def test_nothing_hostile_reaches_the_terminal(folder: Path) -> None:
    edit_json(
        folder,
        "results.json",
        lambda r: [c.update(model=HOSTILE, records=c["records"] + HOSTILE) for c in r["cells"][:3]],
    )
    edit_json(folder, "manifest.json", lambda m: m["settings"].update({"out": HOSTILE, HOSTILE: 1}))
    edit_lines(cell_file(folder), lambda r: r[0].update({"item": HOSTILE, "model": HOSTILE, HOSTILE: 1}))
    in_form("who: somebody", '"\\e[2J\\u202e": 1\nwho: "?"')(folder)
    (folder / "\x1b[2J\u202e.txt").write_text("x")
    with (folder / SUMS).open("a") as file:
        file.write(f"{HOSTILE}\n{'0' * 64}  {HOSTILE[:8]}\n")
    for flags in ((), ("--json",)):
        done = invoke("submit", "check", str(folder), *flags)
        assert done.exit_code == 1
        assert not set(done.output) & set(HOSTILE.replace("31m", "").replace("[2J", "").replace("]0;x", ""))
        assert ("\\u001b" if flags else "U+001B") in done.output


# --- parts


@pytest.mark.parametrize(
    "place", ["../x.jsonl", "records/../x.jsonl", "/etc/passwd", "records/a/b.jsonl", "x.jsonl", ""]
)
def test_records_are_read_from_their_folders_only(tmp_path: Path, place: str) -> None:
    with pytest.raises(DataError, match="expected records/NAME"):
        list(records.read_records(tmp_path, place))


def test_records_plain_and_packed(tmp_path: Path) -> None:
    text = '{"a": "\u2028"}\n\n{"a": 2}'.encode()
    (tmp_path / "records").mkdir()
    (tmp_path / "records/x.jsonl").write_bytes(text)
    (tmp_path / "records/y.jsonl.gz").write_bytes(gzip.compress(text))
    for name in "xy":
        assert list(records.read_records(tmp_path, f"records/{name}.jsonl")) == [{"a": "\u2028"}, {"a": 2}]
    (tmp_path / "records/x.jsonl").write_bytes(text + b"\n[]")
    with pytest.raises(DataError, match=r"x\.jsonl:4: expected an object, found list"):
        list(records.read_records(tmp_path, "records/x.jsonl"))


def test_where_values_stand() -> None:
    value = {"a": [], "b": {}, "c": [{"d": 'x"{,:'}, [1, {"e": None}]], "f,": -1.5e3}
    paths = [("a",), ("b",), ("c", 0, "d"), ("c", 1, 1, "e"), ("f,",), ("c", 7), ("z",)]
    assert lines_of(json.dumps(value, indent=1), paths) == dict(zip(paths, [2, 3, 6, 11, 15, 4, 1], strict=True))


def test_citations_are_whole_entries() -> None:
    text = citations()
    assert (
        text.count("@inproceedings{") == 9 and "10.1609/aaai.v38i17.29861" in text and "EVALSUITE_VERSION" not in text
    )
    assert text.count("{") == text.count("}")
    assert invoke("cite").stdout == text + "\n"
