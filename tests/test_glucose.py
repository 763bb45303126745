"""GLUCOSE: the official files, and BLEU equal to the official notebook's."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest
from as_json import cells_of
from glucose_notebook import answered_bleu, cells_bleu, notebook_bleu, rating_correlations, submission_cells

import evalsuite
from evalsuite.benchmarks.glucose import BENCHMARK
from evalsuite.benchmarks.glucose import loader as glucose
from evalsuite.benchmarks.glucose.slots import prompted, statement
from evalsuite.benchmarks.glucose.tasks import TASKS_GLUCOSE
from evalsuite.common.errors import DataError
from evalsuite.common.resources import bundled, packaged
from evalsuite.prompt import Prompt, Shots
from evalsuite.types import Item, Task

SPECIFIC, GENERAL = TASKS_GLUCOSE


@pytest.fixture(scope="module")
def folder() -> Path:
    return bundled("sample") / "glucose"


@pytest.fixture(scope="module")
def official(real_data: Path) -> Path:
    path = real_data / "glucose"
    if not path.is_dir():
        pytest.skip("needs glucose/, the official files, in EVALSUITE_DATA")
    return path


def all_items(folder: Path, task: Task, split: str = "test") -> list[Item]:
    corpus = glucose.GlucoseCorpus(BENCHMARK, folder)
    return [item for name in glucose.SETS for item in corpus.file(task, name, split).items]


def test_an_answered_cell_becomes_an_item(folder: Path) -> None:
    (item,) = glucose.GlucoseCorpus(BENCHMARK, folder).file(GENERAL, "d10", "test").items
    assert item.id == "glucose/d10/test/general_rule/4"
    assert item.dialogue[2] == "*She washed it with soap and warm water.*"
    assert item.question.startswith("#10: Other change in attribute that X results in, as a general rule")
    assert item.references[1] == "Someone_A washes Something_A with soap >Results in> Something_A is clean"


def test_rows_are_answered_or_escaped(folder: Path) -> None:
    rows = len(glucose.read_rows(folder / glucose.FILES["test"])[0])
    facts = glucose.GlucoseCorpus(BENCHMARK, folder).file(GENERAL, "d10", "test").facts
    assert facts == {"answered": 1, "escaped": rows - 1} and rows > 1


@pytest.mark.parametrize("split", ["test", "train"])
@pytest.mark.parametrize("task", TASKS_GLUCOSE, ids=lambda task: task.name)
def test_the_sample_has_every_dimension_and_its_connective(folder: Path, task: Task, split: str) -> None:
    items = all_items(folder, task, split)
    assert {item.set for item in items} == set(glucose.SETS)
    for item in items:
        connective = glucose.DIMENSIONS[glucose.SETS.index(item.set)].connective
        assert len(item.references) == (3 if split == "test" else 1)
        assert all(reference.count(f" >{connective}> ") == 1 for reference in item.references), item.id


def test_the_paper_prompt_is_the_official_input_line(folder: Path) -> None:
    item = all_items(folder, SPECIFIC)[0]
    text = Prompt(bundled("prompts"), SPECIFIC, "paper").render(item)
    assert text.startswith("#1: Nora built a kite out of old newspapers. She took") and text.count("*") == 2
    train = all_items(folder, SPECIFIC, "train")
    shot = Prompt(bundled("prompts"), SPECIFIC, "plain").request(item, Shots(train, 0).draw(item, 2))
    assert shot.prompt.count("Statement:") == 3 and shot.prompt.endswith("Statement: ")


BROKEN = [
    # the column, its new value (None: the column is gone), a part of the message
    ("1_specificNL", None, "no such column"),
    ("selected_sentence", "Rain fell.", "is not sentence 2"),
    ("unique_id", "kite", "NAME__INDEX"),
    ("unique_id", "kite__7", "index below 5"),
    ("story", "One.****", "a sentence is blank"),
    ("6_generalNL", " ", "is blank"),
    ("6_generalNL", "****", "has no reference"),
]


@pytest.mark.parametrize(("field", "value", "message"), BROKEN)
def test_broken_rows_are_named(folder: Path, tmp_path: Path, field: str, value: str | None, message: str) -> None:
    with (folder / glucose.FILES["test"]).open(encoding="utf-8", newline="") as file:
        row = next(csv.DictReader(file))
    row = {k: v for k, v in row.items() if k != field} | ({} if value is None else {field: value})
    path = tmp_path / glucose.FILES["test"]
    path.parent.mkdir()
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(row))
        writer.writeheader()
        writer.writerow(row)
    with pytest.raises(DataError, match=message) as caught:
        glucose.read_rows(path)
    assert caught.value.field == field and caught.value.line == (1 if value is None else 2)
    if value is not None:
        file_ = glucose.GlucoseCorpus(BENCHMARK, tmp_path, skip_bad=True).file(SPECIFIC, "d1", "test")
        assert (len(file_.items), len(file_.skipped)) == (0, 1)


def test_a_split_that_it_lacks_is_a_mistake_and_no_defect(folder: Path) -> None:
    with pytest.raises(DataError, match="GLUCOSE has no dev data"):
        glucose.GlucoseCorpus(BENCHMARK, folder).file(SPECIFIC, "d1", "dev")


def test_a_submission_of_right_answers_is_perfect_and_blank_ones_cost(folder: Path) -> None:
    rows, *_ = glucose.read_rows(folder / glucose.FILES["test"])
    key = [row.cells for row in rows]
    replies = {item.id: item.references[2] for task in TASKS_GLUCOSE for item in all_items(folder, task)}
    right = submission_cells(rows, replies)
    assert set(map(round, notebook_bleu(key, right).values())) == {100}
    assert {round(value or 0) for value in answered_bleu(key, right).values()} == {100}
    one_blank = submission_cells(rows, {**replies, "glucose/d6/test/general_rule/0": ""})
    assert notebook_bleu(key, one_blank)["6_specificNL"] > 99
    replies.pop("glucose/d6/test/general_rule/0")
    with pytest.raises(ValueError, match="no reply to glucose/d6/test/general_rule/0"):
        submission_cells(rows, replies)


def test_escaped_rows_help_whoever_leaves_them_standing() -> None:
    key = [{"1_specificNL": "a b c d e****a b c d****a b c d f"}, *[{"1_specificNL": "escaped"}] * 20]
    said = [{"1_specificNL": "a b c d x y z"}, *[{"1_specificNL": "escaped"}] * 20]
    (whole,), (answered,) = notebook_bleu(key, said).values(), answered_bleu(key, said).values()
    assert answered is not None and whole > answered + 4
    nothing_answered = answered_bleu([{"9_generalNL": "escaped"}], [{"9_generalNL": "escaped"}])
    assert nothing_answered == {"9_generalNL": None}
    with pytest.raises(ValueError, match="1 rows for a key of 21"):
        notebook_bleu(key, said[:1])


def test_only_three_references_count_and_case_does() -> None:
    assert cells_bleu(["d e f g"], ["x y z q****a b c h****k l m n****d e f g"]) == 0
    assert cells_bleu(["A dog barks loudly"], ["a dog barks loudly****r****s"]) < 80


# The values of the official notebook's code with the sacreBLEU that it was run with (1.4.14), for the key handed in as a
# submission as it is (each cell with its three references and the signs between them), and over answered rows only for one of
# them. Made by running that version on the official files, not by this module.
KEY_BY_ITSELF = {
    "1_specificNL": 46.9020, "1_generalNL": 52.9154, "2_specificNL": 45.5431, "2_generalNL": 51.1549,
    "3_specificNL": 44.3806, "3_generalNL": 52.5502, "4_specificNL": 42.7758, "4_generalNL": 46.8209,
    "5_specificNL": 51.5984, "5_generalNL": 60.3629, "6_specificNL": 45.0505, "6_generalNL": 52.9333,
    "7_specificNL": 41.3144, "7_generalNL": 49.9990, "8_specificNL": 42.7618, "8_generalNL": 47.6548,
    "9_specificNL": 44.1283, "9_generalNL": 45.5712, "10_specificNL": 50.5453, "10_generalNL": 49.4173,
}  # fmt: skip


@pytest.mark.thorough
def test_the_official_key_scored_by_itself(official: Path) -> None:
    key = [row.cells for row in glucose.read_rows(official / glucose.FILES["test"])[0]]
    found = notebook_bleu(key, key)
    assert {name: round(value, 4) for name, value in found.items()} == KEY_BY_ITSELF
    some = key[::5]
    for part in range(3):  # each of the three references is a perfect answer
        said = [{k: v.split("****")[part] if v != "escaped" else v for k, v in row.items()} for row in some]
        assert {round(value, 6) for value in notebook_bleu(some, said).values()} == {100}


@pytest.mark.slow
def test_the_official_file_has_the_published_counts(official: Path) -> None:
    counts = Counter(item.set for item in all_items(official, SPECIFIC))
    assert list(counts.values()) == [187, 107, 103, 144, 9, 196, 158, 61, 33, 4]
    assert Counter(item.set for item in all_items(official, GENERAL)) == counts
    rows, *_ = glucose.read_rows(official / glucose.FILES["test"])
    assert (len(rows), len({row.story for row in rows})) == (500, 294)
    blank, *_ = glucose.read_rows(official / "test/test_set_no_answers.csv")
    assert [row.marked for row in blank] == [row.marked for row in rows]
    replies = {item.id: "" for task in TASKS_GLUCOSE for item in all_items(official, task)}
    for mine, theirs in zip(submission_cells(rows, replies), blank, strict=True):
        assert {k for k, v in mine.items() if v == "escaped"} == {k for k, v in theirs.cells.items() if v == "escaped"}


def test_the_inputs_are_written_as_the_official_ones_of_t5(official: Path) -> None:
    """Their stories overlap with the key's, their sentences X do not: so any sentence of a story of the key is marked."""
    text = (official / "t5_data/t5_test_data.txt").read_text(encoding="utf-8")
    lines = [row[0] for row in csv.reader(text.splitlines(), quotechar='"', delimiter="\x00")]
    rows, *_ = glucose.read_rows(official / glucose.FILES["test"])
    stories = {" ".join(row.story) for row in rows}
    mine = {" ".join(glucose.StoryRow(0, row.story, n, {}).marked) for row in rows for n in range(len(row.story))}
    theirs = [line.partition(": ")[2] for line in lines]
    shared = [line for line in theirs if line.replace("*", "") in stories]
    assert (len(lines), len(shared)) == (4334, 365)
    assert sum(line in mine for line in shared) == 361  # in four, X stands twice in the story and both are marked


def slot_shares(items: list[Item]) -> list[float]:
    """The share of references, a dimension, that fill their slots as Table 6 has it."""
    fits: dict[str, list[bool]] = {}
    for item in items:
        pattern = statement(glucose.SETS.index(item.set) + 1)
        texts = [re.sub(" +", " ", reference.strip()) for reference in item.references]
        fits.setdefault(item.set, []).extend(re.fullmatch(pattern, text) is not None for text in texts)
    return [sum(found) / len(found) for found in fits.values()]


@pytest.mark.parametrize("task", TASKS_GLUCOSE, ids=lambda task: task.name)
def test_references_of_the_sample_fill_the_slots_of_table_6(folder: Path, task: Task) -> None:
    assert slot_shares(all_items(folder, task)) == [1.0] * 10


@pytest.mark.parametrize("task", TASKS_GLUCOSE, ids=lambda task: task.name)
def test_references_of_the_key_fill_the_slots_of_table_6(official: Path, task: Task) -> None:
    assert min(slot_shares(all_items(official, task))) > 0.95  # the rest slipped by the annotation tool: "is outside"


SLOTS = [
    # dimension, an explanation, whether it fills the slots
    (2, "Gage wants safety >Motivates> Gage turned his bike", True),
    (2, "Gage needs safety >Motivates> Gage turned his bike", False),
    (2, "Gage wants safety >Causes> Gage turned his bike", False),
    (3, "Gage was close to a car >Enables> Gage turned his bike", False),  # Table 1's own: no preposition of Table 6
    (3, "Gage was in front of a car >Enables> Gage turned his bike", True),
    (8, "Gage turned his bike >Results in> Gage is far from the car", True),
    (8, "Gage is far from the car >Results in> Gage turned his bike", False),
    (6, "Gage turned his bike >Causes/Enables> He fell off his bike", True),
    (6, "Gage turned his bike >Causes/Enables> He fell >Causes/Enables> He cried", False),
]


@pytest.mark.parametrize(("dimension", "text", "fits"), SLOTS)
def test_explanations_fill_the_slots_of_table_6(dimension: int, text: str, fits: bool) -> None:
    assert bool(re.fullmatch(statement(dimension), text)) is fits


PROMPTED = [
    (1, "because a car turned", True),
    (2, "because he wants to be safe", True),
    (2, "because he hopes to be safe", False),
    (3, "since she is across from the car", True),
    (8, ". As a result it was between two cars", True),
    (9, ". As a result they have a bike", True),
    (9, ". As a result they had a bike", False),
]


@pytest.mark.parametrize(("dimension", "text", "fits"), PROMPTED)
def test_prompted_slots_of_table_8(dimension: int, text: str, fits: bool) -> None:
    assert bool(re.fullmatch(prompted(dimension), text)) is fits


def table_4() -> dict[tuple[str, str, str, str], float]:
    with packaged("benchmarks/glucose/published.csv").open(encoding="utf-8", newline="") as file:
        return {(r["model"], r["task"], r["set"], r["metric"]): float(r["value"]) for r in csv.DictReader(file)}


def test_people_and_bleu_agree_in_table_4_about_as_the_paper_says() -> None:
    """Section 5 has 0.891, 0.855 and 0.705, all p < 0.001, without saying over which points; Table 4, rounded, has 60."""
    table = table_4()
    points = [(table[*place, "human"], table[*place, "sacrebleu"]) for *place, name in table if name == "sacrebleu"]
    found = rating_correlations(*zip(*points, strict=True))
    assert len(points) == 60
    for mine, paper in ((found.spearman, 0.891), (found.pearson, 0.855), (found.kendall, 0.705)):
        assert abs(mine.statistic - paper) < 0.04 and mine.pvalue < 0.001


# The official readme has the same figures under other dimensions: its D1 to D10 are the paper's columns 1, 3, 5, 7, 9,
# 2, 4, 6, 8, 10 (docs/glucose.md). One figure differs: Enc-Dec, general, 77.6 in the paper's column 6.
README_ORDER = (1, 3, 5, 7, 9, 2, 4, 6, 8, 10)
README = {
    ("Full-LM", "specific_statement", "sacrebleu"): (54.7, 51.0, 50.5, 66.2, 32.7, 55.3, 64.4, 58.8, 73.4, 67.0),
    ("Full-LM", "general_rule", "sacrebleu"): (56.4, 57.5, 59.6, 65.8, 53.7, 55.8, 62.7, 59.0, 67.7, 56.2),
    ("Enc-Dec", "specific_statement", "sacrebleu"): (72.5, 73.8, 70.5, 81.1, 71.7, 73.9, 79.3, 80.2, 86.6, 66.9),
    ("Enc-Dec", "general_rule", "sacrebleu"): (66.4, 68.5, 69.8, 76.8, 68.6, 67.6, 73.0, 77.0, 86.8, 57.5),
    ("Full-LM", "specific_statement", "human"): (1.8, 2.0, 1.7, 2.1, 1.6, 2.0, 2.2, 2.0, 2.2, 2.1),
    ("Full-LM", "general_rule", "human"): (1.6, 1.8, 1.8, 1.9, 1.1, 1.6, 2.1, 1.9, 2.1, 1.5),
    ("Enc-Dec", "specific_statement", "human"): (2.7, 2.6, 2.5, 2.7, 2.2, 2.7, 2.7, 2.6, 2.8, 2.5),
    ("Enc-Dec", "general_rule", "human"): (2.3, 2.4, 2.3, 2.5, 1.9, 2.3, 2.5, 2.4, 2.7, 1.7),
}


@pytest.mark.parametrize("row", README, ids=" ".join)
def test_the_published_figures_are_the_readmes(row: tuple[str, str, str]) -> None:
    table, (model, task, metric) = table_4(), row
    mine = [table[model, task, f"d{n}", metric] for n in README_ORDER]
    differ = {(n, a, b) for n, a, b in zip(README_ORDER, mine, README[row], strict=True) if a != b}
    assert differ == ({(6, 77.6, 77.0)} if row == ("Enc-Dec", "general_rule", "sacrebleu") else set())
    assert len(table) == 140


STORY = ("*Gage turned his bike sharply.*", "He fell off his bike.")
COMPLETED = [
    # wording, dimension, reply, the explanation that it makes (Table 1's example)
    ("one_sided", 1, "A car turned in front of him.", "A car turned in front of him >Causes/Enables> Gage turned his bike sharply"),
    ("one_sided", 6, " He fell off his bike", "Gage turned his bike sharply >Causes/Enables> He fell off his bike"),
    ("one_sided", 4, "Gage has it >Enables> Gage turned", "Gage has it >Enables> Gage turned"),
    ("prompted", 1, "because a car turned. He fell.", "a car turned >Causes/Enables> Gage turned his bike sharply"),
    ("prompted", 2, "since he wants safety", "he want(s) safety >Motivates> Gage turned his bike sharply"),
    ("prompted", 3, "because he was near a car\nThe end", "he was near a car >Enables> Gage turned his bike sharply"),
    ("prompted", 4, "because he has a bike that has wheels", "he possess(es) a bike that has wheels >Enables> Gage turned his bike sharply"),
    ("prompted", 6, ". This causes a fall", "Gage turned his bike sharply >Causes/Enables> a fall"),
    ("prompted", 6, ", he falls", "Gage turned his bike sharply >Causes/Enables> he falls"),
    ("prompted", 7, ". As a result he feels sad", "Gage turned his bike sharply >Causes> he feel(s) sad"),
    ("prompted", 9, ". As a result they have a bike", "Gage turned his bike sharply >Results in> they possess(es) a bike"),
    ("prompted_no_story", 10, "As a result, he needs help!", "Gage turned his bike sharply >Results in> he need(s) help"),
    ("prompted", 5, " ", ""),
]  # fmt: skip


@pytest.mark.parametrize(("wording", "dimension", "reply", "explanation"), COMPLETED)
def test_a_reply_that_is_a_part_makes_an_explanation(
    wording: str, dimension: int, reply: str, explanation: str
) -> None:
    item = Item("", SPECIFIC.name, f"d{dimension}", "test", STORY, "")
    assert SPECIFIC.forms[wording].whole(item, reply) == explanation


@pytest.mark.parametrize("wording", sorted(SPECIFIC.forms))
def test_what_shots_teach_makes_the_reference_again(folder: Path, wording: str) -> None:
    prompt = Prompt(bundled("prompts"), SPECIFIC, wording)
    items = all_items(folder, SPECIFIC)
    assert items
    for item in items:
        shown, connective = prompt.target(item), item.question.partition(">")[2].partition(">")[0]
        assert ">" not in shown and shown != item.references[0]
        before = glucose.SETS.index(item.set) < 5
        side = item.references[0].split(f" >{connective}> ")[0 if before else 1]
        made = SPECIFIC.forms[wording].whole(item, shown).split(f" >{connective}> ")
        assert re.sub(r"\((e?s)\)", r"\1", made[0 if before else 1]) == side.rstrip(".")  # the sample has no "want(s)"
        assert made[1 if before else 0] in " ".join(item.dialogue)
        assert (item.dialogue[0].strip("*") in prompt.render(item)) or wording.endswith("_no_story")


def test_parts_score_as_the_explanation_that_they_make(tmp_path: Path) -> None:
    """The side of the first reference scores as that side beside X; a whole reference stays as it is."""
    said = {
        "whole": lambda item: item.references[0],
        "part": lambda item: SPECIFIC.forms["one_sided"].shown(item),
    }
    items = {item.id: item for item in all_items(bundled("sample") / "glucose", SPECIFIC)}
    values = {}
    for name, reply in said.items():
        models = {name: lambda request, reply=reply: reply(items[request.id])}
        done = evalsuite.run(models, tasks=[SPECIFIC.name], set="d1", prompt=["one_sided"], out=tmp_path / name)
        (cell,) = cells_of(done)
        assert "form:completed.1" in cell["metrics"]["sacrebleu"]["signature"]
        values[name] = cell["metrics"]["sacrebleu_notebook"]["value"]
    assert values["whole"] == pytest.approx(1) == values["part"]  # the references of these wordings repeat X


def test_without_its_story_a_prompt_shows_x_alone(folder: Path) -> None:
    item = all_items(folder, SPECIFIC)[0]
    (x,) = (turn.strip("*") for turn in item.dialogue if turn.startswith("*"))
    others = [turn for turn in item.dialogue if not turn.startswith("*")]
    for task in TASKS_GLUCOSE:
        place = bundled("prompts") / "glucose" / task.local
        names = {path.stem for path in place.glob("*.j2")}
        bare = {name for name in names if name.endswith("_no_story")}
        assert {name.removesuffix("_no_story") for name in bare} == names - bare - {"cot", "cot-en"}
        for name in names:
            text = Prompt(bundled("prompts"), task, name).render(item)
            assert x.rstrip(".") in text
            assert all((other in text) is (name not in bare) for other in others)
