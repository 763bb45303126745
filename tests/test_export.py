"""Files that `evalsuite export` writes, without the harnesses; tests/neighbours runs them."""

from __future__ import annotations

import ast
import importlib.util
import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from as_json import cells_of
from run_files import read_jsonl
from tiers import thorough_but

import evalsuite
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE as CORECODE
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import ConfigError, DataError, PromptError
from evalsuite.common.resources import bundled
from evalsuite.exchange.export import callbacks, inspect_ai, lm_eval
from evalsuite.exchange.export.cells import ExportedTask
from evalsuite.prompt import Prompt
from evalsuite.types import Cell, Item, Trial

COMMON: dict[str, Any] = {"data": "bundled:sample", "shots": 2, "prompt": ["paper", "plain"], "limit": 4}
# One wording reasons before it answers.
CHAIN: dict[str, Any] = {**COMMON, "prompt": ["paper", "cot-en"], "set": "easy"}
# Every kind of task but probes, in English; CIDER's metrics of classes and GLUCOSE's own BLEU.
SISTERS: dict[str, Any] = {
    **COMMON,
    "tasks": [
        "cicero_single_answer", "cicero_all_answers", "cicero_cause", "cider_dnli", "cider_span_extraction",
        "glucose_specific_statement",
    ],
    "set": "v1,fold1,fold2,d1",
}  # fmt: skip
WHAT = {"corecode": COMMON, "chain": CHAIN, "sisters": SISTERS}


@pytest.fixture(scope="module", params=[(to, what) for to in ("lm-eval", "inspect") for what in WHAT], ids="-".join)
def folder_and_content(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder, and the files that were exported into it."""
    to, what = request.param
    return evalsuite.export(to, tmp_path_factory.mktemp("out") / to, **WHAT[what]), what


@pytest.fixture
def folder(folder_and_content: tuple[Path, str]) -> Path:
    return folder_and_content[0]


def exported_cells(what: str) -> dict[str, tuple[Cell, list[Trial]]]:
    """Cells that a run asks: name of the exported task -> its cell and trials."""
    found = {}
    for cell, trials in evalsuite.preview(model=["random"], **{**WHAT[what], "shots": [2]}):
        task = TASKS[cell.place.task]
        variant = cell.place.variant.replace("-", "_")
        found[f"{task.benchmark}_{cell.place.set}_{task.local}_{variant}"] = cell, trials
    return found


@pytest.mark.slow
def test_prompts_are_those_of_a_run(folder_and_content: tuple[Path, str]) -> None:
    folder, what = folder_and_content
    written = {path.stem: read_jsonl(path) for path in (folder / "data").iterdir()}
    wanted = exported_cells(what)
    assert set(written) == set(wanted)
    assert len(wanted) == 2 * {"corecode": 2 * len(CORECODE), "chain": len(CORECODE), "sisters": 3 + 2 * 2 + 1}[what]
    for name, (_, trials) in wanted.items():
        assert 2 <= len(trials) == len(written[name]) <= 4
        for row, trial in zip(written[name], trials, strict=True):
            turns = [text for shot in row["shots"] for text in (shot["prompt"], shot["target"])]
            assert [*turns, row["prompt"]] == [message.content for message in trial.request.messages]
            whole = "\n\n".join([*(s["prompt"] + s["target"] for s in row["shots"]), row["prompt"]])
            assert whole.encode() == trial.request.prompt.encode()
            assert Item.of(row) == trial.item
            assert (row["answer_after"] == "Answer: ") == name.endswith("_cot_en")
            assert row["target"] == row["answer_after"] + trial.item.target


class Loader(yaml.SafeLoader):
    pass


Loader.add_constructor("!function", lambda loader, node: ("function", node.value))


def test_yaml_names_what_is_there(folder_and_content: tuple[Path, str]) -> None:
    folder, what = folder_and_content
    if folder.name != "lm-eval":
        pytest.skip("inspect has no YAML")
    code = ast.parse((folder / "utils.py").read_text(encoding="utf-8"))
    named = {f"utils.{node.name}" for node in code.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    imports = (node for node in ast.walk(code) if isinstance(node, ast.ImportFrom))
    named |= {f"utils.{alias.name}" for node in imports for alias in node.names}
    tasks, groups = {}, {}
    for path in folder.glob("*.yaml"):
        content = yaml.load(path.read_text(encoding="utf-8"), Loader)
        (groups if "group" in content else tasks)[path.stem] = content
    wanted, grouped = set(), {}
    for name, (cell, _) in exported_cells(what).items():
        task = TASKS[cell.place.task]
        variant = cell.place.variant.replace("-", "_")
        # A reply that reasons first has no likelihood to compare.
        for end in ("", "_labels", "_texts") if task.kind.single and variant != "cot_en" else ("",):
            wanted.add(name + end)
            grouped.setdefault(f"{task.benchmark}_{variant}{end}", set()).add(name + end)
    assert set(tasks) == wanted
    assert {group["group"]: set(group["task"]) for group in groups.values()} == grouped
    for name, task in tasks.items():
        assert task["task"] == name
        assert (folder / task["dataset_kwargs"]["file"]).is_file()
        functions = [*task.values(), *task["fewshot_config"].values(), *(m["aggregation"] for m in task["metric_list"])]
        assert {value[1] for value in functions if isinstance(value, tuple)} <= named


def test_inspect_has_a_task_for_each(folder_and_content: tuple[Path, str]) -> None:
    folder, what = folder_and_content
    if folder.name != "inspect":
        pytest.skip("lm-eval has no files of tasks")
    assert {path.stem for path in folder.glob("*.py")} == {
        TASKS[c.place.task].benchmark for c, _ in exported_cells(what).values()
    }
    found = []
    for path in folder.glob("*.py"):
        code = ast.parse(path.read_text(encoding="utf-8"))
        tasks = [
            n.name for n in code.body if isinstance(n, ast.FunctionDef) and ast.unparse(n.decorator_list[:1]) == "task"
        ]
        assert all(name.startswith(f"{path.stem}_") for name in tasks)
        found += tasks
    assert sorted(found) == sorted(path.stem for path in (folder / "data").iterdir())


def test_readme_says_whose_the_data_are(folder_and_content: tuple[Path, str]) -> None:
    folder, what = folder_and_content
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert ("- CORECODE: no licence is stated" in text) == (what != "sisters")
    assert ("- GLUCOSE: CC BY-NC 4.0" in text) == ("- CICERO: MIT" in text) == (what == "sisters")
    assert ("CICERO v1, Single answer selection" in text) == (what == "sisters")


@pytest.mark.slow
@pytest.mark.parametrize("what", thorough_but(1, ["corecode", "sisters", "charm"]))
def test_numbers_are_those_of_a_run(what: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Every exported metric of the replies of a baseline, some right and some wrong, is the one in results.json."""
    settings = {**WHAT.get(what, COMMON), "prompt": ["paper"], "shots": [0]}
    if what == "charm":
        real = request.getfixturevalue("real_data")
        settings |= {"data": real, "tasks": ["charm"], "limit": 20, "prompt": ["paper", "direct", "translate-en"]}
    run = evalsuite.run(model=["lexical"], out=tmp_path / "run", **settings)
    folder = evalsuite.export("lm-eval", tmp_path / "out", **{**settings, "shots": 0})
    compared = set()
    for cell in cells_of(run):
        task = TASKS[cell["task"]]
        name = f"{task.benchmark}_{cell['set']}_{task.local}_{cell['variant'].replace('-', '_')}"
        lines = (run.out / cell["records"]).read_text(encoding="utf-8").split("\n")
        replies = [json.loads(line)["reply"] for line in lines if line]
        data = read_jsonl(folder / "data" / f"{name}.jsonl")
        shares = [callbacks.shares(row, reply) for row, reply in zip(data, replies, strict=True)]
        metrics = yaml.load((folder / f"{name}.yaml").read_text(encoding="utf-8"), Loader)["metric_list"]
        assert [each["metric"] for each in metrics] == list(shares[0])
        for metric in metrics:
            values: list[Any] = [share[metric["metric"]] for share in shares]
            found = sum(values) / len(values) if metric["aggregation"] == "mean" else callbacks.of_all(values)
            if metric["metric"] != "answered":
                assert found == pytest.approx(cell["metrics"][metric["metric"]]["value"], abs=1e-12), (name, metric)
                compared.add(metric["metric"])
        # The notebook's BLEU needs the whole official file.
        assert set(task.metrics) - {"sacrebleu_notebook"} <= set(shares[0])
    expected = {
        "corecode": {"accuracy", "paper.accuracy", "paper.parts", "f1", "em"},
        "charm": {"accuracy", "paper.accuracy", "paper.parts", "contains"},
        "sisters": {
            "accuracy", "set_accuracy", "answer_f1", "answer_precision", "answer_recall", "f1", "em", "no_match", "bleu2",
            "meteor", "rouge_l", "cider", "macro_f1", "weighted_f1", "precision", "recall", "sacrebleu",
        },
    }  # fmt: skip
    assert compared == expected[what]


def test_targets_have_the_form_of_their_wording(tmp_path: Path) -> None:
    """GLUCOSE's one-sided wording asks for a part of the explanation."""
    what = {"tasks": ["glucose_specific_statement"], "set": "d1", "prompt": ["one_sided"], "data": "bundled:sample"}
    folder = evalsuite.export("inspect", tmp_path / "out", shots=1, **what)
    ((_, trials),) = evalsuite.preview(model=["random"], **what)
    task = TASKS["glucose_specific_statement"]
    targets = [row["target"] for row in read_jsonl(folder / "data" / "glucose_d1_specific_statement_one_sided.jsonl")]
    assert targets == [task.forms["one_sided"].shown(trial.item) for trial in trials]
    assert targets != [trial.item.target for trial in trials]


def test_folder_names_no_place(folder: Path) -> None:
    """The folder can be moved, and does not name the machine that it was made on."""
    for path in folder.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert str(folder.parent) not in text and str(Path(evalsuite.__file__).parent) not in text


@pytest.mark.slow
def test_right_replies_are_right(sample: CorecodeCorpus) -> None:
    for task in CORECODE.values():
        for item_set in ("easy", "hard"):
            for item in sample.file(task, item_set, "test").items:
                row = json.loads(json.dumps(asdict(item)))
                answer, values = callbacks.read_reply(row, item.target)
                paper = ["paper.accuracy", "paper.parts"] if item.options else []
                assert tuple(values) == (*task.metrics, "answered", *paper)
                assert set(values) == set(callbacks.mean_names(task.name))
                assert values.pop("paper.parts", 0.0) == 0.0
                assert set(values.values()) == {1.0}, (item.id, answer)


ROW = {
    "id": "corecode/easy/test/knowledge_filling/0", "task": "knowledge_filling", "set": "easy", "split": "test",
    "dialogue": ["A: 看什么？", "B: 看[MASK]。"], "question": "请从a、b选项中选择。", "options": ["科幻片", "恐怖片"],
    "labels": ["(a)", "(b)"], "gold": 1, "references": ["恐怖片"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "finish", "values"),
    [
        ("b", "stop", {"accuracy": 1.0, "answered": 1.0, "paper.accuracy": 1.0, "paper.parts": 0.0}),
        (
            "我觉得应该选恐怖片，气氛更合适",
            "stop",
            {"accuracy": 1.0, "answered": 1.0, "paper.accuracy": 0.0, "paper.parts": 1.0},
        ),
        ("a", "stop", {"accuracy": 0.0, "answered": 1.0, "paper.accuracy": 0.0, "paper.parts": 0.0}),
        ("", "stop", {"accuracy": 0.0, "answered": 0.0, "paper.accuracy": 0.0, "paper.parts": 0.0}),
        ("b", "content_filter", {"accuracy": 0.0, "answered": 0.0, "paper.accuracy": 0.0, "paper.parts": 0.0}),
        ("因为他们都", "length", {"accuracy": 0.0, "answered": 0.0, "paper.accuracy": 0.0, "paper.parts": 0.0}),
    ],
)
def test_exported_code_reads_replies_as_a_run_does(reply: str, finish: str, values: dict[str, float]) -> None:
    assert callbacks.read_reply(ROW, reply, finish)[1] == values


@pytest.mark.parametrize(("after", "right"), [("### ", 1.0), ("", 0.0)])
def test_reading_behind_the_reasoning(after: str, right: float) -> None:
    """The answer of a wording that reasons first stands behind its words; a reply to another is read whole."""
    span = {**ROW, "task": "conflict_detection", "options": [], "labels": [], "gold": None, "references": ["鬼片"]}
    for row, reply, metric in ((ROW, "选a。\n### b", "accuracy"), (span, "A说“喜剧片”。\n### 鬼片", "em")):
        assert callbacks.read_reply({**row, "answer_after": after}, reply)[1][metric] == right


@pytest.mark.parametrize(
    ("a", "b", "right"),
    [
        # One form of "a" is likelier than any of "b", but b's three together are likelier still.
        ((0.3, 0.05, 0.05), (0.2, 0.2, 0.1), 1.0),
        ((0.3, 0.15, 0.1), (0.2, 0.2, 0.1), 0.0),
    ],
)
def test_labels_add_up(a: tuple[float, ...], b: tuple[float, ...], right: float) -> None:
    assert callbacks.label_forms(ROW) == ["a", " a", "(a", "b", " b", "(b"]
    assert callbacks.read_labels(ROW, [math.log(p) for p in (*a, *b)]) == {"accuracy": right}


@pytest.mark.parametrize(
    ("to", "settings", "error", "says"),
    [
        ("lmeval", {}, ConfigError, "Did you mean 'lm-eval'"),
        ("lm-eval", {"prompt": ["papers"]}, PromptError, "Did you mean 'paper'"),
        ("inspect", {"tasks": ["event_causes"]}, ConfigError, "Did you mean 'event_cause'"),
        ("inspect", {"data": "no/such"}, DataError, "no such folder"),
        (
            "lm-eval",
            {"tasks": ["cicero_cause", "cedar"]},
            ConfigError,
            "cedar_inference_probing: probes cannot be exported",
        ),
    ],
)
def test_errors_leave_nothing(
    tmp_path: Path, to: str, settings: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        evalsuite.export(to, tmp_path / "out", **{"data": "bundled:sample", **settings})
    assert not (tmp_path / "out").exists()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match="exists already"):
        evalsuite.export("inspect", tmp_path, data="bundled:sample")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_wordings_that_an_option_goes_on(tmp_path: Path) -> None:
    """A wording that has likelihoods only, of options behind a blank, which is no part of their length."""
    ((cell, trials),) = evalsuite.preview(
        model=["random"], data="bundled:sample", tasks=["knowledge_filling"], set="easy", limit=2
    )
    spaced = [
        replace(t, request=replace(t.request, options=tuple(f" {text}" for text in t.item.options))) for t in trials
    ]
    prompt = Prompt(bundled("prompts"), TASKS["knowledge_filling"], "paper")
    made = ExportedTask(cell, tuple(spaced), ("texts",), prompt)
    lm_eval.write_tasks(tmp_path, [made])
    name = "corecode_easy_knowledge_filling_paper_texts"
    assert sorted(path.stem for path in tmp_path.glob("*.yaml")) == ["_corecode_paper_texts", name]
    task = yaml.load((tmp_path / f"{name}.yaml").read_text(encoding="utf-8"), Loader)
    assert (task["target_delimiter"], task["doc_to_choice"]) == (" ", "options")
    assert task["fewshot_config"]["target_delimiter"] == ""  # the shots' replies begin with it
    with pytest.raises(ConfigError, match="asks for likelihoods only"):
        inspect_ai.write_tasks(tmp_path, [made])


def test_names_that_clash_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "prompts" / "corecode" / "event_cause"
    folder.mkdir(parents=True)
    for name in ("my-words", "my_words"):
        (folder / f"{name}.j2").write_text("{{ question }}\n答：")
    what = {"data": "bundled:sample", "tasks": ["event_cause"], "prompts": tmp_path / "prompts", "set": "easy"}
    made = evalsuite.export("inspect", tmp_path / "out", prompt=["my-words"], **what)
    assert [path.stem for path in (made / "data").iterdir()] == ["corecode_easy_event_cause_my_words"]
    with pytest.raises(ConfigError, match="2 tasks would be named corecode_easy_event_cause_my_words"):
        evalsuite.export("inspect", tmp_path / "other", prompt=["my-words", "my_words"], **what)


def test_the_command_exports(tmp_path: Path, cli: Any) -> None:
    what = ["--set", "hard", "--tasks", "event_cause", "--prompt", "plain", "--limit", "3", "--data", "bundled:sample"]
    done = cli("export", "--to", "inspect", tmp_path / "out", *what)
    assert "README.md" in done.stdout
    assert [path.name for path in (tmp_path / "out" / "data").iterdir()] == ["corecode_hard_event_cause_plain.jsonl"]


@pytest.mark.slow
def test_opencompass_has_a_dataset_for_each(tmp_path: Path) -> None:
    """OpenCompass replaces {columns} of a row in the turns; tests/neighbours runs it."""
    folder = evalsuite.export("opencompass", tmp_path / "out", **{**COMMON, "shots": 2})
    found: dict[str, Any] = {}
    exec(compile((folder / "evalsuite_datasets.py").read_text("utf-8"), "config", "exec"), found)
    assert {row["abbr"] for row in found["datasets"]} == {path.stem for path in (folder / "data").iterdir()}
    for row in found["datasets"]:
        first = read_jsonl(folder / row["file"])[0]
        turns = row["infer_cfg"]["prompt_template"]["template"]["round"]
        assert [turn["role"] for turn in turns] == ["HUMAN", "BOT", "HUMAN", "BOT", "HUMAN"]
        named = {turn["prompt"].strip("{}") for turn in turns}
        assert named == {*row["reader_cfg"]["input_columns"]} and row["shots"] == len(first["shots"]) == 2
        assert importlib.util.find_spec(row["type"].rpartition(".")[0])
        assert row["infer_cfg"]["inferencer"]["max_out_len"] > 0
    assert "opencompass my_config.py" in (folder / "README.md").read_text("utf-8")


def test_opencompass_has_no_likelihoods(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="perplexities of whole prompts"):
        evalsuite.export("opencompass", tmp_path / "out", data="bundled:sample", tasks=["xcopa"], prompt=["lm-eval"])
