"""C3: files, annotations, prompts, the reading of OpenCompass; the sample and the official files lose nothing on the way."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of, content_of, sheets_of

import evalsuite
from evalsuite.analyses import breakdown
from evalsuite.benchmarks.c3.reference import figures, reference_sheets
from evalsuite.benchmarks.check import check_data
from evalsuite.benchmarks.corpus import Corpus, File
from evalsuite.benchmarks.registry import BENCHMARKS, Corpora, open_corpus
from evalsuite.common.errors import DataError
from evalsuite.common.resources import bundled
from evalsuite.common.sheet import Text
from evalsuite.parse import parse_option
from evalsuite.perturb import PERTURBATIONS
from evalsuite.perturb.choice import reindicate
from evalsuite.prompt import Prompt, Shots, wordings
from evalsuite.types import Response, Status

BENCHMARK = BENCHMARKS["c3"]
TASK = BENCHMARK.task("reading")
KINDS_OF_KNOWLEDGE = BENCHMARK.group_names
ASKED = {"question": "女的要去哪儿?", "choice": ["车站", "机场", "学校", "公司"], "answer": "机场"}
SECOND = {"question": "男的几点来?", "choice": ["八点", "九点", "十点"], "answer": "八点"}
DOCUMENT = [["男：我八点来接你去机场。", "女：太好了，谢谢。"], [ASKED, SECOND], "1-2"]
HEAD = "documentID\tquestionIndex\ttype\n"


def write(root: Path, *documents: Any, annotations: str = "", item_set: str = "d") -> Path:
    path = path_of(root, item_set, "test")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(documents, ensure_ascii=False), encoding="utf-8")
    if annotations:
        (root / "annotation").mkdir(exist_ok=True)
        (root / "annotation" / f"c3-{item_set}-test.txt").write_text(HEAD + annotations, encoding="utf-8")
    return path


def path_of(root: Path, item_set: str, split: str) -> Path:
    return root / "data" / f"c3-{item_set}-{split}.json"


def load_file(root: Path, skip_bad: bool = False) -> File:
    return open_corpus("c3", root, skip_bad=skip_bad).file(TASK, "d", "test")


def test_a_question_is_an_item(tmp_path: Path) -> None:
    write(tmp_path, DOCUMENT, annotations="1-2\t2\tc-e|l||1\n")
    first, second = load_file(tmp_path).items
    assert (first.id, first.dialogue) == ("c3/d/test/reading/1-2-1", tuple(DOCUMENT[0]))
    assert (first.options, first.gold, first.target, first.group) == (tuple(ASKED["choice"]), 1, "B", "")
    assert (second.id, second.labels, second.target, second.group) == (
        "c3/d/test/reading/1-2-2", ("(A)", "(B)", "(C)"), "A", "c-e|l",
    )  # fmt: skip


def test_of_two_choices_with_the_right_text_the_first_is_right(tmp_path: Path) -> None:
    """OpenCompass and CLUE look for the first option with the right text, too."""
    write(
        tmp_path,
        [
            ["有六块的，也有五块的。"],
            [{"question": "多少钱?", "choice": ["六块", "五块", "五块"], "answer": "五块"}],
            "m7",
        ],
    )
    assert load_file(tmp_path).items[0].gold == 1


def test_annotations_are_part_of_the_hash(tmp_path: Path) -> None:
    write(tmp_path, DOCUMENT)
    bare = load_file(tmp_path).sha256
    write(tmp_path, DOCUMENT, annotations="1-2\t1\tm||0\n")
    assert load_file(tmp_path).sha256 != bare


BROKEN = [
    ([DOCUMENT[0], [{**ASKED, "answer": "公园"}], "9"], "[1].answer", "'公园' is no option"),
    ([DOCUMENT[0], [{**ASKED, "choice": ["机场"]}], "9"], "[1].choice", "two options or more"),
    ([DOCUMENT[0], [{**ASKED, "question": " "}], "9"], "[1].question", "blank"),
    ([[], [ASKED], "9"], "[1].dialogue", "blank"),
    ([DOCUMENT[0], [ASKED], "1-2"], "[1].id", "also the id of [0]"),
    ("text", "[1].each", "a list"),
]


@pytest.mark.parametrize(("document", "field", "message"), BROKEN)
def test_a_broken_document_is_named(tmp_path: Path, document: Any, field: str, message: str) -> None:
    write(tmp_path, DOCUMENT, document)
    with pytest.raises(DataError) as error:
        load_file(tmp_path)
    assert error.value.field == field and message in error.value.message
    kept = load_file(tmp_path, skip_bad=True)
    assert (len(kept.items), len(kept.skipped)) == (2, 1)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("1-2\t3\tm||0\n", "1-2-3 is no question"),
        ("1-2\t1\tc-x||0\n", "unknown group 'c-x'"),
        ("1-2 1 m||0\n", r"the row has 1 cells, and the header 3"),
    ],
)
def test_a_broken_annotation_is_named(tmp_path: Path, line: str, says: str) -> None:
    write(tmp_path, DOCUMENT, annotations=line)
    with pytest.raises(DataError, match=says):
        load_file(tmp_path)


def test_what_is_not_json_or_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no C3 data here"):
        open_corpus("c3", tmp_path)
    write(tmp_path).write_text("[{", encoding="utf-8")
    with pytest.raises(DataError, match="not JSON"):
        load_file(tmp_path)


# Prompts ----------------------------------------------------------------------------------------------------------

CONTENT = "男：我八点来接你去机场。女：太好了，谢谢。\n"
# The prompts that OpenCompass (CLUE_C3_gen_8c358f, C3Dataset_V2) makes of DOCUMENT.
OFFICIAL = [
    f"{CONTENT}问：女的要去哪儿?\nA. 车站\nB. 机场\nC. 学校\nD. 公司\n请从“A”，“B”，“C”，“D”中进行选择。\n答：",
    f"{CONTENT}问：男的几点来?\nA. 八点\nB. 九点\nC. 十点\nD. [NULL]\n请从“A”，“B”，“C”，“D”中进行选择。\n答：",
]


def test_the_paper_prompt_is_that_of_opencompass(tmp_path: Path) -> None:
    write(tmp_path, DOCUMENT)
    prompt = Prompt(bundled("prompts"), TASK, "paper")
    items = load_file(tmp_path).items
    assert [prompt.render(item) for item in items] == OFFICIAL
    assert "\nA. 公司\nB. 学校\nC. 机场\nD. 车站\n" in prompt.render(*PERTURBATIONS["reverse"].items(items[0]))
    renamed = prompt.render(reindicate(items[1]))
    assert "1. 八点\n2. 九点\n3. 十点\n4. [NULL]\n请从“1”，“2”，“3”，“4”中进行选择。" in renamed


@pytest.mark.parametrize(
    ("reply", "choice"),
    [("B", 1), ("答案是B，不是A", 1), ("I choose B", None), ("机场", None), ("", None), ("D", None)],
)
def test_opencompass_reads_the_first_capital_letter(tmp_path: Path, reply: str, choice: int | None) -> None:
    write(tmp_path, DOCUMENT)
    item = load_file(tmp_path).items[1]  # an item of three choices
    assert TASK.official
    answer = TASK.official(item, Response(reply, "stop"))
    assert (answer.choice, answer.status is Status.PARSED) == (choice, choice is not None)


def test_opencompass_reads_renamed_choices(tmp_path: Path) -> None:
    write(tmp_path, DOCUMENT)
    item = load_file(tmp_path).items[1]
    assert TASK.official
    for style, reply in (("digits", "选2"), ("stems", "选乙"), ("lower", "b"), ("circled", "②")):
        assert TASK.official(reindicate(item, style=style), Response(reply, "stop")).choice == 1, style


def test_every_wording_shows_document_and_choices() -> None:
    corpus = open_corpus("c3", bundled("sample"))
    assert {*wordings(bundled("prompts"), TASK)} == {"paper", "plain", "cot", "cot-en", "confidence"}
    for item_set in BENCHMARK.sets:
        shot, item = corpus.file(TASK, item_set, "train").items[0], corpus.file(TASK, item_set, "test").items[0]
        for wording in wordings(bundled("prompts"), TASK):
            request = Prompt(bundled("prompts"), TASK, wording).request(item, [shot])
            assert all(
                text in request.prompt for text in (*item.dialogue, item.question, *item.options, *shot.dialogue)
            )
            assert request.messages[1].content == request.answer_after + shot.target


# The whole way ----------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_sample_with_all_perturbations(oracle_and_majority: Path, tmp_path: Path) -> None:
    every = [name for name, row in PERTURBATIONS.items() if row.applies(TASK.name)]
    done = evalsuite.run(
        oracle_and_majority,
        model=["oracle"],
        tasks=["c3"],
        prompt=["paper", "cot"],
        perturb=every,
        out=tmp_path / "run",
    )
    assert not done.problems and {cell["set"] for cell in cells_of(done)} == {"d", "m"}
    assert {cell["metrics"]["accuracy"]["value"] for cell in cells_of(done)} == {1}
    official = [c["metrics"]["paper.accuracy"]["value"] for c in cells_of(done) if c["perturb"] == "none"]
    assert official and {*official} == {1}  # both the letter alone and 答案：B are read
    # Only annotated questions are counted by kind, each for all its kinds.
    entry = next(
        b for b in content_of(done, "breakdowns") if (b["set"], b["variant"], b["perturb"]) == ("d", "paper", "none")
    )
    items = open_corpus("c3", bundled("sample")).file(TASK, "d", "test").items
    want = Counter(kind for item in items for kind in item.group.split("|") if kind)
    assert any(not item.group for item in items)
    assert {g["name"]: g["n"] for g in entry["groups"]} == want
    assert [g["name"] for g in entry["groups"]] == [kind for kind in KINDS_OF_KNOWLEDGE if want[kind]]
    (sheet,) = (s for s in sheets_of(breakdown.ANALYSIS, [entry]) if s.title.en.endswith("by group"))
    assert Text(*KINDS_OF_KNOWLEDGE[entry["groups"][0]["name"]]) in [column.heading for column in sheet.columns]


def test_shots_are_of_other_documents() -> None:
    corpus = open_corpus("c3", bundled("sample"))
    for item_set in BENCHMARK.sets:
        pool = corpus.train(TASK.name, item_set)
        assert pool
        for item in (*pool, *corpus.file(TASK, item_set, "test").items):
            drawn = Shots(pool, 0).draw(item, 2)
            assert drawn and all(shot.dialogue != item.dialogue for shot in drawn)


def test_published_figures_are_of_both_parts_together() -> None:
    (sheet,) = reference_sheets()
    assert len(sheet.rows) == len(figures()) == 14
    assert next(row for row in figures() if row["model"] == "Human")["accuracy"] == "96.0"


# Official files ---------------------------------------------------------------------------------------------------


@pytest.fixture
def official(real_data: Path) -> Corpus:
    if not (real_data / "c3").is_dir():
        pytest.skip("needs c3/, the official files, in EVALSUITE_DATA")
    return open_corpus("c3", real_data)


COUNTS = {  # questions and documents, as in the paper's Table 2
    ("d", "train"): (5856, 4885), ("d", "dev"): (1825, 1628), ("d", "test"): (1890, 1627),
    ("m", "train"): (6013, 3138), ("m", "dev"): (1991, 1046), ("m", "test"): (2002, 1045),
}  # fmt: skip


@pytest.mark.thorough
def test_official_files_load_with_the_papers_counts(official: Corpus) -> None:
    found = check_data(Corpora(official.root))
    assert {(c.set, c.split): (c.items, c.dialogues) for c in found.counts} == COUNTS
    assert not found.leaks
    for item_set, split in COUNTS:
        items = official.file(TASK, item_set, split).items
        assert len({item.id for item in items}) == len(items)
        assert sum(bool(item.group) for item in items) == (0 if split == "train" else 150)
        for item in items[::10]:
            options = dict(zip(item.labels, item.options, strict=True))
            assert parse_option(item.target, options).choice == item.gold
            (shuffled,) = PERTURBATIONS["shuffle"].items(item)
            assert shuffled.options[shuffled.gold or 0] == item.references[0]
    twice = [i for s, p in COUNTS for i in official.file(TASK, s, p).items if i.options.count(i.references[0]) > 1]
    assert [item.id for item in twice] == ["c3/d/train/reading/51-157-1", "c3/m/train/reading/m7-65-2"]


@pytest.mark.thorough
def test_official_majority_and_oracle(official: Corpus, oracle_and_majority: Path, tmp_path: Path) -> None:
    """The majority of the training file, counted from the file itself."""
    done = evalsuite.run(oracle_and_majority, tasks=["c3"], data=official.root, limit=200, out=tmp_path / "run")
    for item_set in BENCHMARK.sets:
        got = {c["model"]: c["metrics"]["accuracy"]["value"] for c in cells_of(done) if c["set"] == item_set}
        places = {}
        for split in ("train", "test"):
            raw = json.loads(path_of(official.root, item_set, split).read_text(encoding="utf-8"))
            places[split] = [(q["choice"].index(q["answer"]), len(q["choice"])) for _, qs, _ in raw for q in qs]
        order = [place for place, _ in Counter(place for place, _ in places["train"]).most_common()]
        right = [place == next(p for p in order if p < many) for place, many in places["test"][:200]]
        assert got == {"majority": pytest.approx(sum(right) / len(right)), "oracle": 1}
