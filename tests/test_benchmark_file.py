"""Benchmarks as YAML files: what they may say, the formats of their data, errors that name the place, and bounds for
strangers'."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from as_json import cells_of

import evalsuite
from evalsuite.analyses.saved import load_results
from evalsuite.benchmarks import registry
from evalsuite.benchmarks.file import rows
from evalsuite.benchmarks.file.benchmark import load_benchmark
from evalsuite.benchmarks.file.expressions import ExpressionError, RowField
from evalsuite.benchmarks.file.items import lettered
from evalsuite.benchmarks.registry import TASKS, add_file, add_run, open_corpus
from evalsuite.common.errors import ConfigError, DataError, EvalsuiteError
from evalsuite.setup.benchmark import write_benchmark
from evalsuite.types import Item

QUIZ = """
name: quiz
data: questions.csv
tasks:
  pick:
    kind: choice
    question: question
    options: [A, B, C, D]
    gold: answer
"""
CSV = """id,question,A,B,C,D,answer
1,中秋节吃什么？,月饼,粽子,汤圆,饺子,A
2,端午节吃什么？,月饼,粽子,汤圆,,B
"""


def write(folder: Path, yaml: str = QUIZ, **files: str | bytes) -> Path:
    """A benchmark file with its data; `questions_csv` is questions.csv."""
    for name, content in ({"questions_csv": CSV} | files).items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    (folder / "quiz.yaml").write_text(yaml, encoding="utf-8")
    return folder / "quiz.yaml"


def items_of(path: Path, split: str = "test", skip_bad: bool = False) -> tuple[Item, ...]:
    """The items of the file's first task and set."""
    benchmark = load_benchmark(path)
    corpus = benchmark.loader(benchmark, path.parent, skip_bad=skip_bad)
    found: tuple[Item, ...] = corpus.file(benchmark.tasks[0], benchmark.sets[0], split).items
    return found


def test_ten_lines_and_a_table_are_items(tmp_path: Path) -> None:
    first, second = items_of(write(tmp_path))
    assert (first.id, first.question, first.gold) == ("quiz/quiz/test/pick/0", "中秋节吃什么？", 0)
    # an empty cell is no option
    assert second.options == ("月饼", "粽子", "汤圆") and second.labels == ("(A)", "(B)", "(C)")
    assert (second.gold, second.references, second.target) == (1, ("粽子",), "B")


ROWS = [
    {"q": "天上有几个太阳？", "options": ["一个", "两个"], "label": 0},
    {"q": "一年有几季？", "options": ["两季", "四季"], "label": 1},
]
TABLE = """
name: quiz
data: DATA
tasks:
  pick: {kind: choice, question: q, options: options, gold: label}
"""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows_jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)),
        ("rows_json", "\ufeff" + json.dumps(ROWS)),
        ("rows_json", json.dumps({"a": ROWS[0], "b": ROWS[1]})),
        ("rows_json", json.dumps({"version": "1.1", "about": {"by": "us"}, "data": ROWS})),
        ("rows_ndjson", "".join(json.dumps(row) + "\n" for row in ROWS)),
        ("rows_tsv", 'q\toptions\tlabel\n天上有几个太阳？\t一个|两个\t0\n一年有"几季？\t两季|四季\t1\n'),
    ],
)
def test_formats_hold_the_same_items(tmp_path: Path, name: str, content: str) -> None:
    text = TABLE.replace("DATA", name.replace("_", "."))
    if name == "rows_tsv":
        text = text.replace("options: options", "options: \"{{ options.split('|') }}\"")
    first, second = items_of(write(tmp_path, text, **{name: content}))
    assert (first.options, first.gold, second.options, second.gold) == (("一个", "两个"), 0, ("两季", "四季"), 1)


def test_parquet_and_saved_folders_hold_the_same_items(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs evalsuite[frames]")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.Table.from_pylist(ROWS)
    parquet.write_table(table, tmp_path / "rows.parquet")
    (tmp_path / "saved" / "test").mkdir(parents=True)
    place = str(tmp_path / "saved" / "test" / "data-0.arrow")
    with arrow.OSFile(place, "wb") as file, arrow.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table)
    state = {"_data_files": [{"filename": "data-0.arrow"}]}
    (tmp_path / "saved" / "test" / "state.json").write_text(json.dumps(state))
    for data in ("rows.parquet", "saved/test"):
        first, second = items_of(write(tmp_path, TABLE.replace("DATA", data)))
        assert (first.options, first.gold, second.gold) == (("一个", "两个"), 0, 1), data
    for n, row in enumerate(ROWS):
        parquet.write_table(arrow.Table.from_pylist([row]), tmp_path / f"test-0000{n}-of-00002.parquet")
    assert [item.gold for item in items_of(write(tmp_path, TABLE.replace("DATA", "test-00000-of-00002.parquet")))] == [
        0,
        1,
    ]
    assert [row.index for row in rows.read_rows(tmp_path, "test-00000-of-00002.parquet").rows] == ["[0]", "[1]"]
    (tmp_path / "saved" / "dataset_dict.json").write_text("{}")
    with pytest.raises(DataError, match="of several splits, name one"):
        items_of(write(tmp_path, TABLE.replace("DATA", "saved")))
    with pytest.raises(DataError, match="not Parquet"):
        items_of(write(tmp_path, TABLE.replace("DATA", "bad.parquet"), bad_parquet="PAR1"))


# fmt: skip.
GOLDS = [("A", 0), ("b", 1), ("(B)", 1), ("B.", 1), (0, 0), ("1", 1), ("两个", 1), (["A"], 0)]


@pytest.mark.parametrize(("gold", "index"), GOLDS)
def test_gold_is_a_letter_an_index_or_a_text(tmp_path: Path, gold: Any, index: int) -> None:
    (item,) = items_of(write(tmp_path, TABLE.replace("DATA", "r.jsonl"), r_jsonl=json.dumps(ROWS[0] | {"label": gold})))
    assert item.gold == index


OPTIONS = [
    ("A. 月饼 B. 粽子", "B"), ("(A)月饼\n(B)粽子", 1), ('["月饼", "粽子"]', "粽子"), ("['月饼', '粽子']", "B"),
    ({"text": ["月饼", "粽子"], "label": ["1", "2"]}, "2"), ([{"text": "月饼", "label": "甲"}, {"text": "粽子", "label": "乙"}], "乙"),
    ({"text": ["月饼", "粽子"], "label": ["A", "B"]}, 1), ({"A": "月饼", "B": "粽子"}, "B"), ({"1": "月饼", "2": "粽子"}, "2"),
]  # fmt: skip


def test_more_options_than_eight_have_letters(tmp_path: Path) -> None:
    options = " ".join(f"{letter}. 第{letter}项" for letter in "ABCDEFGHIJ")
    row = json.dumps({"q": "？", "options": options, "label": "J"})
    (item,) = items_of(write(tmp_path, TABLE.replace("DATA", "r.jsonl"), r_jsonl=row))
    assert item.options == tuple(f"第{letter}项" for letter in "ABCDEFGHIJ") and item.gold == 9


LETTERED = [
    ("A. 维生素 K. 一种 B. 粽子", ["维生素 K. 一种", "粽子"]),  # K is no letter of these options
    ("A. 见 B. 项 B. 粽子", None), ("A. 月饼 C. 粽子", None), ("甲 A. 月饼 B. 粽子", None),
    ("A. 月饼 B. 粽子 D. 汤圆", None), ("A. 月饼 C. 粽子 B. 汤圆", None),  # C is missing, or before its turn
]  # fmt: skip


@pytest.mark.parametrize(("text", "options"), LETTERED)
def test_letters_begin_options_where_they_leave_nothing_open(text: str, options: list[str] | None) -> None:
    assert lettered(text) == (options or text)


def test_a_number_that_is_no_label_is_not_taken_for_an_index(tmp_path: Path) -> None:
    rows = [
        {"q": "？", "options": {"text": ["一", "二", "三"], "label": ["1", "2", "3"]}, "label": n} for n in range(3)
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    text = TABLE.replace("DATA", "r.jsonl")
    with pytest.raises(DataError, match=r"0 is none of the options' labels: 1, 2, 3; .* gold_is: index"):
        items_of(write(tmp_path, text, r_jsonl=lines))
    by_index = text.replace("gold: label", "gold: label, gold_is: index")
    assert [item.gold for item in items_of(write(tmp_path, by_index, r_jsonl=lines))] == [0, 1, 2]
    by_text = json.dumps(rows[0] | {"label": "二"})
    assert items_of(write(tmp_path, text, r_jsonl=by_text))[0].gold == 1


VOTES = "name: polls\ndata: r.jsonl\ntasks:\n  tell: {kind: answer, question: q, references: said, votes: people}\n"


def test_votes_are_of_references(tmp_path: Path) -> None:
    row = {"q": "？", "said": ["月饼", "粽子"], "people": [3, 2], "options": ["月饼", "粽子"], "label": 0}
    (item,) = items_of(write(tmp_path, VOTES, r_jsonl=json.dumps(row)))
    assert (item.references, item.votes) == (("月饼", "粽子"), (3, 2))
    for old, new in (
        ("kind: answer", "kind: choice, options: options, gold: label"),  # would have no right option
        ("references: said", "gold: said"),
        ("references: said", "references: said, gold: said"),
    ):
        with pytest.raises(ConfigError, match="votes are counts of people for each of the references"):
            load_benchmark(write(tmp_path, VOTES.replace(old, new)))
    with pytest.raises(DataError, match="field 'said': is blank: expected a right answer"):
        items_of(write(tmp_path, VOTES, r_jsonl=json.dumps(row | {"said": [], "people": []})))


def test_a_condition_reads_the_words_of_tables(tmp_path: Path) -> None:
    text = "name: checked\ndata: r.csv\ntasks:\n  tell: {kind: answer, question: q, gold: a, where: ok}\n"
    table = "q,a,ok\n" + "".join(
        f"{word or 'blank'}？,a,{word}\n" for word in ("true", "1", "x", "false", "False", "0", "no", "")
    )
    assert [item.question for item in items_of(write(tmp_path, text, r_csv=table))] == ["true？", "1？", "x？"]


def test_a_column_that_an_expression_does_not_read_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """`split` in an expression is the item's split, so that rows of the training split would be test items unnoticed."""
    text = "name: checked\ndata: r.csv\ntasks:\n  tell: {kind: answer, question: q, gold: a, where: \"{{ WHERE == 'test' }}\"}\n"
    table = "q,a,split\n一？,a,train\n二？,a,test\n"
    assert (
        len(items_of(write(tmp_path, text.replace("WHERE", "row['split']"), r_csv=table))) == 1 and not caplog.messages
    )
    assert len(items_of(write(tmp_path, text.replace("WHERE", "split"), r_csv=table))) == 2
    (message,) = caplog.messages
    assert "expressions read the item's split; the column of this name is row[NAME]" in message
    items_of(write(tmp_path / "other", text.replace("WHERE", "split"), r_csv=table.replace("train", "test")))
    assert len(caplog.messages) == 1


@pytest.mark.parametrize(
    ("options", "where", "said"),
    [(["A. 一个", "B. 两个"], "true", True), (["一个", "B. 两个"], "true", False), (["一个", "两个"], "false", False)],
)
def test_letters_that_shuffled_options_keep_are_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, options: list[str], where: str, said: bool
) -> None:
    """A set without rows has no such letters."""
    row = json.dumps(ROWS[0] | {"options": options})
    text = TABLE.replace("DATA", "r.jsonl").replace("kind: choice,", f'kind: choice, where: "{{{{ {where} }}}}",')
    assert len(items_of(write(tmp_path, text, r_jsonl=row))) == (where == "true")
    assert ["begin with letters of their own" in message for message in caplog.messages] == [True] * said


def test_tables_have_long_texts(tmp_path: Path) -> None:
    text = "name: long\ndata: r.csv\ntasks:\n  tell: {kind: answer, question: q, gold: a}\n"
    assert len(items_of(write(tmp_path, text, r_csv=f"q,a\n{'长' * 200_000},a\n"))[0].question) == 200_000
    assert rows.plain([b"\xe7\x94\xb2"]) == ["甲"]  # a text of Parquet that is not marked as one


def test_a_wording_changes_all_that_it_names(tmp_path: Path) -> None:
    """A wording may say how its gold is read, and have a text in place of the dialogue."""
    text = TABLE.replace("DATA", "r.jsonl").replace(
        "gold: label", "gold: label, dialogue: turns, wordings: {told: {data: t.jsonl, gold_is: number, context: told}}"
    )
    row = ROWS[1] | {"turns": ["A: 一年有几季？"]}
    path = write(tmp_path, text, r_jsonl=json.dumps(row), t_jsonl=json.dumps(row | {"told": "甲问乙。", "label": 2}))
    benchmark = load_benchmark(path)
    corpus = benchmark.loader(benchmark, path.parent)
    usual, told = (corpus.reworded(benchmark.tasks[0], "quiz", "test", name).items[0] for name in ("plain", "told"))
    assert (usual.gold, usual.dialogue, told.gold, told.dialogue) == (1, ("A: 一年有几季？",), 1, ("甲问乙。",))


EXAMPLES = """
name: capitals
sets: [asia, europe]
data: {train: train.jsonl, test: test.jsonl}
tasks:
  tell:
    kind: answer
    where: "{{ place == set }}"
    question: q
    gold: a
    wordings: {shown: {examples: {count: 2, text: "{{ q }}{{ a }}；"}}}
"""


def test_examples_are_rows_that_are_asked(tmp_path: Path) -> None:
    rows = [{"q": f"{place}{n}", "a": "是", "place": place} for place in ("asia", "europe") for n in range(3)]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path = write(tmp_path, EXAMPLES, train_jsonl=lines, test_jsonl=lines)
    benchmark = load_benchmark(path)
    corpus = benchmark.loader(benchmark, path.parent)
    assert corpus.given(benchmark.tasks[0], "europe", "shown") == {"examples": "europe0是；europe1是；"}
    own = EXAMPLES.replace("{examples:", "{data: {train: en.jsonl, test: test.jsonl}, examples:")
    path = write(tmp_path, own, en_jsonl=lines.replace("是", "yes"))
    benchmark = load_benchmark(path)
    corpus = benchmark.loader(benchmark, path.parent)
    assert corpus.given(benchmark.tasks[0], "europe", "shown") == {"examples": "europe0yes；europe1yes；"}
    with pytest.raises(ConfigError, match="examples are rows of the training split, and there is none"):
        load_benchmark(write(tmp_path, EXAMPLES.replace("train: train.jsonl, ", "")))


@pytest.mark.parametrize(("options", "gold"), OPTIONS)
def test_options_come_in_the_forms_of_data_sets(tmp_path: Path, options: Any, gold: Any) -> None:
    row = json.dumps({"q": "？", "options": options, "label": gold})
    (item,) = items_of(write(tmp_path, TABLE.replace("DATA", "r.jsonl"), r_jsonl=row))
    assert (item.options, item.gold) == (("月饼", "粽子"), 1)


def test_tables_may_have_an_encoding_of_spreadsheets(tmp_path: Path) -> None:
    for encoding in ("gb18030", "utf-16"):
        text = QUIZ.replace("tasks:", f"encoding: {encoding}\ntasks:")
        first, _ = items_of(write(tmp_path, text, questions_csv=CSV.encode(encoding)))
        assert first.options[0] == "月饼"
    with pytest.raises(ConfigError, match="encoding: Input should be 'utf-8', 'gb18030'"):
        load_benchmark(write(tmp_path, text.replace("utf-16", "idna")))


def test_options_of_a_mapping_may_be_expressions(tmp_path: Path) -> None:
    text = TABLE.replace("DATA", "r.jsonl").replace(
        "options: options", "options: {L: '{{ left }}', R: '{{ right }}', N: 都不是}"
    )
    row = {"q": "？", "left": "月饼", "right": "粽子", "label": "R"}
    (item,) = items_of(write(tmp_path, text, r_jsonl=json.dumps(row)))
    assert (item.options, item.gold) == (("月饼", "粽子", "都不是"), 1)
    blank = write(tmp_path, text, r_jsonl=json.dumps(row | {"right": " "}))
    with pytest.raises(DataError, match="two options or more"):
        items_of(blank)
    with pytest.raises(ConfigError, match="no Jinja expression"):
        load_benchmark(write(tmp_path, text.replace("{{ left }}", "{{ left")))


BROKEN_GOLD = [
    (2, ["一个", "两个"], "'2' is no option.*gold_is: number"),
    ("C", ["一个", "两个"], "'C' is no option: expected its text, A to B, or 0 to 1"),
    (1, ["1", "2"], "can be read as text and as index: say which with gold_is"),
    (True, ["是", "否"], "mapping such as {true: 是, false: 否}"),
    (None, ["是", "否"], "blank"),
    ("A", ["是"], "two options or more"),
    ("A", ["", "否"], "two options or more"),
    ("A", "是", "expected a list of options"),
    ("C", {"A": "是", "B": "否", "C": ""}, "'C' is no option"),  # an empty cell at the end is none
    ("C", {"text": ["是", "否", ""], "label": ["A", "B", "C"]}, "'C' is no option"),
    ("A", [f"第{n}项" for n in range(27)], "27 options are more than there are letters"),
    (["A", "B"], ["是", "否"], "expected one option"),
]


@pytest.mark.parametrize(("gold", "options", "says"), BROKEN_GOLD)
def test_a_gold_that_is_no_option_is_named(tmp_path: Path, gold: Any, options: Any, says: str) -> None:
    bad = {"q": "？", "options": options, "label": gold}
    content = "".join(json.dumps(row) + "\n" for row in (ROWS[0], bad))
    path = write(tmp_path, TABLE.replace("DATA", "r.jsonl"), r_jsonl=content)
    with pytest.raises(DataError, match=says) as error:
        items_of(path)
    assert error.value.line == 2 and error.value.field in ("label", "options")
    assert len(items_of(path, skip_bad=True)) == 1


def test_gold_is_says_how_to_read(tmp_path: Path) -> None:
    row = json.dumps({"q": "？", "options": ["1", "2", "3"], "label": 2})
    for way, index in (("text", 1), ("index", 2), ("number", 1)):
        text = TABLE.replace("DATA", "r.jsonl").replace("gold: label", f"gold: label, gold_is: {way}")
        assert items_of(write(tmp_path, text, r_jsonl=row))[0].gold == index


@pytest.mark.parametrize(("value", "gold"), [(True, 0), ("yes", 0), ("no", 1), ("False", 1)])
def test_options_of_all_items_are_named_once(tmp_path: Path, value: Any, gold: int) -> None:
    text = TABLE.replace("DATA", "r.jsonl").replace("options: options", "options: {yes: 是, no: 否}")
    (item,) = items_of(write(tmp_path, text, r_jsonl=json.dumps({"q": "？", "label": value})))
    assert (item.options, item.gold) == (("是", "否"), gold)
    with pytest.raises(DataError, match="none of the keys of options: true, false"):
        items_of(write(tmp_path, text, r_jsonl=json.dumps({"q": "？", "label": "maybe"})))


@pytest.mark.parametrize("question", ["{{ q }}（{{ year }}{{ hint }}）", "{{ q ~ '（' ~ year ~ hint }}）"])
def test_an_empty_cell_is_no_word_of_a_text(tmp_path: Path, question: str) -> None:
    text = f'name: quiz\ndata: r.jsonl\ntasks:\n  tell: {{kind: answer, question: "{question}", gold: a}}\n'
    row = {"q": "谁？", "hint": None, "year": 2020.0, "a": "甲"}
    assert items_of(write(tmp_path, text, r_jsonl=json.dumps(row)))[0].question == "谁？（2020）"


FIELDS = """
name: quiz
language: zh
sets: [a, b]
data: {train: "{set}/train.jsonl", test: "{set}/test.jsonl"}
join: {notes: {data: "{set}/notes.tsv", key: "{{ doc }}-{{ n }}"}}
tasks:
  ask:
    kind: answer
    each: parts
    where: "{{ lang == 'zh' }}"
    id: "{{ parent.doc }}-{{ number }}"
    dialogue: "{{ parent.turns }}"
    question: "{{ row['the question'] }}（{{ set }}）"
    gold: answer
    references: [other, more]
    group: "{{ notes.kind.split('|') if notes else '' }}"
"""


def test_rows_become_items_by_expressions(tmp_path: Path) -> None:
    part = {"the question": "几点？", "answer": "八点", "other": "8点", "more": ["八点", "晚上八点"], "lang": "zh"}
    row = {"doc": "d1", "turns": ["A: 走吧。", "B: 好。"], "parts": [part | {"lang": "en"}, part]}
    path = write(
        tmp_path, FIELDS, b__test_jsonl=json.dumps(row), a__train_jsonl="", b__notes_tsv="doc\tn\tkind\nd1\t2\tx|y\n"
    )
    benchmark = load_benchmark(path)
    corpus = benchmark.loader(benchmark, tmp_path)
    (task,) = benchmark.tasks
    assert corpus.files("test") == [(task, "b")] and benchmark.training == "train"
    (item,) = corpus.file(task, "b", "test").items
    assert item == Item(
        "quiz/b/test/ask/d1-2", "quiz_ask", "b", "test", ("A: 走吧。", "B: 好。"), "几点？（b）",
        references=("八点", "8点", "晚上八点"), group="x|y",
    )  # fmt: skip
    (tmp_path / "b" / "notes.tsv").write_text("doc\tn\tkind\nd2\t1\tx\n")
    with pytest.raises(DataError, match=r"d2-1 is no question of test\.jsonl"):
        benchmark.loader(benchmark, tmp_path).file(task, "b", "test")


def test_sets_of_right_options(tmp_path: Path) -> None:
    text = QUIZ.replace("kind: choice", "kind: choices")
    for gold in ("AC", '"A,C"', '"[A]; C"'):
        try:
            (item,) = items_of(write(tmp_path, text, questions_csv=f"question,A,B,C,D,answer\n？,一,二,三,四,{gold}\n"))
        except DataError as error:
            assert gold == '"[A]; C"' and "no option" in str(error)
        else:
            assert (item.gold, item.references, item.golds) == (None, ("一", "三"), (0, 2))


FAULTS = [
    ("gold: answer", "gold: antwort", "questions.csv:2: field 'antwort': unknown column 'antwort'. Did you mean 'answer'"),
    ("question: question", "question: \"{{ frage }}\"", "questions.csv:2: field 'question': {{ frage }}: UndefinedError"),
    ("    gold: answer", "    golt: answer", "quiz.yaml:9: tasks.pick.golt: unknown key 'golt'. Did you mean 'gold'"),
    ("    gold: answer\n", "", "quiz.yaml:5: tasks.pick: needs gold"),
    ("kind: choice", "kind: choose", "quiz.yaml:6: tasks.pick.kind: Input should be 'choice', 'choices'"),
    ("name: quiz", "name: Quiz", "quiz.yaml:2: name: String should match"),
    ("name: quiz", "name: quiz\nname: quiz", "quiz.yaml:3: not YAML: the key 'name' stands here twice"),
    ("name: quiz", "name: quiz\nsets: [&a a, *a]", "holds an alias"),
    ("name: quiz", "name: quiz\ntrainig: train", "unknown key 'trainig'. Did you mean 'training'"),
    ("    question: question", "    question: \"{{ a \"", "no Jinja expression"),
    ("    question: question", "    question: \"{% for x in y %}{% endfor %}\"", "no statements"),
    ("questions.csv", "absent.csv", "no quiz data here: expected absent.csv"),
    ("questions.csv", "../questions.csv", "expected a path below the folder of this file"),
    ("questions.csv", "/etc/passwd", "expected a path below the folder of this file"),
    ("questions.csv", "questions.docx", "no quiz data here"),
    ("name: quiz", "name: quiz\ntemplates: absent", "templates: .*absent: no such file or folder"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "says"), FAULTS)
def test_a_fault_is_named_with_file_line_and_field(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = write(tmp_path, QUIZ.replace(old, new, 1))
    with pytest.raises(EvalsuiteError) as error:
        items_of(path)
    assert re.search(re.escape(says).replace(r"\.\*", ".*"), str(error.value)), str(error.value)


BROKEN_CSV = [
    ("question,A,B,C,D,answer\n吃什么,好吗？,一,二,三,四,A\n", "has 7 cells, and the header 6: a text with a comma"),
    ("question,A,A,C,D,answer\n？,一,二,三,四,A\n", "two columns have one name"),
    ('question,A,B,C,D,answer\n"？,一,二,三,四,A\n', "not CSV"),
    (CSV.encode("gbk"), "save it as “CSV UTF-8”"),
]


@pytest.mark.parametrize(("content", "says"), BROKEN_CSV)
def test_a_broken_table_is_named(tmp_path: Path, content: str | bytes, says: str) -> None:
    with pytest.raises(DataError, match=says):
        items_of(write(tmp_path, questions_csv=content))


def test_an_id_stands_once(tmp_path: Path) -> None:
    text = QUIZ + "    id: id\n"
    assert [item.id[-1] for item in items_of(write(tmp_path, text))] == ["1", "2"]
    with pytest.raises(DataError, match="1 is also the id of line 2") as error:
        items_of(write(tmp_path, text, questions_csv=CSV.replace("\n2,", "\n1,")))
    assert (error.value.line, error.value.field) == (3, "id")
    with pytest.raises(DataError, match="without blanks and /"):
        items_of(write(tmp_path, text, questions_csv=CSV.replace("\n2,", "\n../2,")))


# Strangers' files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expression",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ row.__class__ }}",
        "{{ question.__init__.__globals__ }}",
        "{{ cycler.__init__.__globals__.os }}",
        "{{ range(10**5) | list }}",
        "{{ 'a' * 10**9 }}",
        "{{ 'a' | center(1000000000) }}",
        "{{ 'a'.ljust(1000000000) }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ '%1000000000d' | format(1) }}",
        "{{ '{:1000000000}'.format(1) }}",
        "{{ lipsum(1000) }}",
        "{{ [].append(1) }}",
        "{{ question | replace('吃', 'a' ~ '%999999d' % 1) | replace(' ', '%99999d' % 1) }}",
        "{{ question.replace('吃', '%999999d' % 1).replace(' ', '%99999d' % 1) }}",
        "{{ ('%99999d' % 1).join(('%9999d' % 1) | list) }}",
        "{{ range(9999) | map('string') | map('replace', '1', '%9999d' % 1) | join }}",
        "{{ question.translate({21507: 'a'}) }}",
        "{{ [row] | map(attribute='__class__.__mro__') | list }}",
        "{{ row | attr('__class__') }}",
    ],
)
def test_an_expression_reaches_nothing_and_ends(tmp_path: Path, expression: str) -> None:
    with pytest.raises(DataError):
        items_of(write(tmp_path, QUIZ.replace("question: question", f'question: "{expression}"')))


@pytest.mark.slow
@pytest.mark.parametrize(
    "expression",
    [
        " ~ ".join(["question"] * 1000),
        " + ".join(["question"] * 50),
        f"[{', '.join(['question ~ 1'] * 1000)}] | length",
        f"[{', '.join(['question | list'] * 1000)}] | length",
        f"[{', '.join(['question.split(at)'] * 1000)}] | length",
        " }}{{ ".join(["question"] * 1000),
    ],
    ids=["~", "+", "many", "lists", "parts", "text"],
)
def test_a_huge_cell_makes_nothing_larger(expression: str) -> None:
    """An expression over a text of 200,000 characters takes memory of about its size, not a thousand times as much."""
    row, field = {"question": "问 " * 100_000}, RowField(f"{{{{ {expression} }}}}")
    tracemalloc.start()
    try:
        with pytest.raises(ExpressionError, match="more than"):
            field.value(row, {"at": " "})
        assert tracemalloc.get_traced_memory()[1] < 120_000_000
    finally:
        tracemalloc.stop()


def test_a_text_that_no_prompt_has_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "LONGEST", 1000)
    (tmp_path / "a.jsonl").write_text('{"a": "x"}\n{"a": ["' + "x" * 1001 + '"]}\n', "utf-8")
    with pytest.raises(DataError, match="row 2 has a text of more than 1,000 characters"):
        rows.read_rows(tmp_path, "a.jsonl")


def test_no_link_leads_out_of_the_folder(tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text(CSV, encoding="utf-8")
    folder = tmp_path / "folder"
    path = write(folder)
    (folder / "questions.csv").unlink()
    (folder / "questions.csv").symlink_to(secret)
    with pytest.raises(DataError, match="is a link"):
        items_of(path)
    (folder / "questions.csv").unlink()
    write(folder, QUIZ + "templates: prompts\n", prompts__plain_j2="{{ question }}")
    (folder / "prompts" / "own.j2").symlink_to(secret)
    with pytest.raises(ConfigError, match="a link out of the folder"):
        load_benchmark(path)
    (folder / "prompts" / "own.j2").unlink()
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "own.j2").write_text("a secret")
    (folder / "prompts" / "pick").symlink_to(tmp_path / "others", target_is_directory=True)
    with pytest.raises(ConfigError, match="a link out of the folder"):
        load_benchmark(path)


def test_no_link_in_a_runs_folder_leads_out_of_it(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere").rename(tmp_path / "elsewhere" / "benchmark.yaml")
    (tmp_path / "run" / "benchmarks").mkdir(parents=True)
    (tmp_path / "run" / "benchmarks" / "quiz").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    with pytest.raises(DataError, match="a link out of the folder"):
        add_run(tmp_path / "run")
    assert "quiz" not in registry.BENCHMARKS


def test_a_runs_folder_adds_its_benchmark_and_keeps_tasks_that_an_earlier_file_has(tmp_path: Path) -> None:
    for run, tasks in (("one", QUIZ), ("two", QUIZ.replace("  pick:", "  choose:"))):
        folder = tmp_path / run / "benchmarks" / "quiz"
        write(folder, tasks).rename(folder / "benchmark.yaml")
    add_run(tmp_path / "one")
    assert [task.name for task in registry.BENCHMARKS["quiz"].tasks] == ["quiz_pick"]
    add_run(tmp_path / "two")
    assert [task.name for task in registry.BENCHMARKS["quiz"].tasks] == ["quiz_choose", "quiz_pick"]
    assert {"quiz_choose", "quiz_pick"} <= TASKS.keys()


def test_large_and_deep_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="larger than 1 MiB"):
        load_benchmark(write(tmp_path, QUIZ + "#" * 2**20))
    with pytest.raises(ConfigError, match="nested more than 50 deep"):
        load_benchmark(write(tmp_path, "a: " + "[" * 1000 + "]" * 1000))
    with pytest.raises(ConfigError, match="expected name, data and tasks"):
        load_benchmark(write(tmp_path, "[]"))
    with pytest.raises(DataError, match="not JSON"):
        items_of(write(tmp_path, TABLE.replace("DATA", "r.json"), r_json="[" * 100_000))


def test_taken_names_are_refused(tmp_path: Path) -> None:
    for name in ("corecode", "chinese", "judge", "c3"):
        with pytest.raises(ConfigError, match="is taken"):
            add_file(write(tmp_path, QUIZ.replace("name: quiz", f"name: {name}")))


# The whole way ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_keeps_what_it_needs_to_be_scored_again(tmp_path: Path) -> None:
    shots = "question,A,B,C,D,answer\n天上有几个月亮？,一个,两个,三个,四个,A\n水在零下会怎样？,变暖,结冰,,,B\n"
    text = QUIZ.replace("data: questions.csv", "data: {train: train.csv, test: questions.csv}") + "templates: prompts\n"
    path = write(tmp_path / "mine", text, train_csv=shots, prompts__own_j2="{{ question }} {{ options }}")
    out = tmp_path / "run"
    done = evalsuite.run(
        {"tiny": lambda request: "A"}, benchmark=[path], model=["tiny", "oracle"], shots=[0, 1], perturb=["none", "shuffle"],
        prompt=["paper", "cot", "own"], out=out,
    )  # fmt: skip
    assert not done.problems and {c["variant"] for c in cells_of(done)} == {"plain", "cot", "own"}
    assert {c["metrics"]["accuracy"]["value"] for c in cells_of(done) if c["model"] == "oracle"} == {1}
    before = (out / "results.json").read_bytes()
    for kept in (tmp_path / "mine").rglob("*"):
        if kept.is_file():
            kept.unlink()
    assert sorted(p.relative_to(out).as_posix() for p in (out / "benchmarks").rglob("*") if p.is_file()) == [
        "benchmarks/quiz/benchmark.yaml", "benchmarks/quiz/prompts/own.j2",
    ]  # fmt: skip
    _forget_files()
    evalsuite.score(out)
    assert (out / "results.json").read_bytes() == before
    _forget_files()
    assert load_results(out).cells and TASKS["quiz_pick"].kind.name == "choice"
    _forget_files()
    evalsuite.report([out])


def _forget_files() -> None:
    """Forget benchmark files, as a new process does not know any."""
    registry.forget_files()
    assert "quiz_pick" not in TASKS


def test_a_changed_file_is_read_anew(tmp_path: Path) -> None:
    add_file(write(tmp_path))
    add_file(write(tmp_path, QUIZ.replace("  pick:", "  choose:")))
    assert "quiz_choose" in TASKS and "quiz_pick" not in TASKS
    corpus = open_corpus("quiz", tmp_path)
    assert replace(corpus.benchmark.tasks[0]).local == "choose"


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    yield
    registry.forget_files()


# A first file ---------------------------------------------------------------------------------------------------------

FIRST = [
    (
        "题.csv",
        "编号,题目,选项A,选项B,选项C,答案\nq1,水烧开会怎样？,变冷,沸腾,结冰,B\nq2,太阳从哪边升起？,东,西,南,A\n",
        {"kind": "choice", "id": "编号", "question": "题目", "options": ["选项A", "选项B", "选项C"], "gold": "答案"},
    ),
    (
        "facts.jsonl",
        "".join(
            json.dumps({"passage": "春节在冬天。", "query": f"第{n}问？", "gold": f"答{n}", "ref_1": f"甲{n}", "ref_2": f"乙{n}"}) + "\n"
            for n in range(9)
        ),
        {"kind": "answer", "context": "passage", "question": "query", "gold": "gold", "references": ["ref_1", "ref_2"]},
    ),
    (
        "checks.json",
        json.dumps([{"sentence": f"句子{n}通顺吗？", "label": n % 2 == 0} for n in range(5)]),
        {"kind": "choice", "question": "sentence", "options": {False: "否", True: "是"}, "gold": "label"},
    ),
    (
        "推断.csv",
        "前提,问题,标签\n下雨了,地湿吗？,蕴含\n下雨了,天晴吗？,矛盾\n下雨了,冷吗？,中立\n起风了,树动吗？,蕴含\n起风了,静吗？,矛盾\n",
        {"kind": "choice", "context": "前提", "question": "问题", "options": {"中立": "中立", "矛盾": "矛盾", "蕴含": "蕴含"}, "gold": "标签"},
    ),
    (
        "riddles.csv",
        "no,stem,opt1,opt2,key\n1,什么有头无颈？,鱼,蛇,1\n2,什么落水不见？,雪,雨,2\n",
        {"kind": "choice", "id": "no", "question": "stem", "options": ["opt1", "opt2"], "gold": "key", "gold_is": "number"},
    ),
    (
        "成语.csv",
        "题号,题目内容,选项1,选项2,正确答案,知识点\n1,画蛇添足？,多余,勤奋,1,成语\n2,水滴石穿？,坚持,多余,2,成语\n".encode("gbk"),
        {"kind": "choice", "id": "题号", "question": "题目内容", "options": ["选项1", "选项2"], "gold": "正确答案",
         "gold_is": "number", "group": "知识点"},
    ),
    (
        "lettered.csv",
        '题目,选项,答案\n一加一？,"A. 一\nB. 二",B\n二加二？,A、四；B、五,A\n',
        {"kind": "choice", "question": "题目", "options": "选项", "gold": "答案"},
    ),
    (
        "prefixed.csv",
        "题干,选项A,选项B,正确答案\n一加一？,A. 二,B. 三,A. 二\n二加二？,A. 三,B. 四,B. 四\n",
        {"kind": "choice", "question": "题干", 'gold': '{{ row["正确答案"][0] }}',
         "options": [f'{{{{ (row["选项{x}"] or "").removeprefix("{x}. ") }}}}' for x in "AB"]},
    ),
    (
        "nested.ndjson",
        "".join(json.dumps({"query": {"text": f"？{n}"}, "answer": n, "aliases": [f"甲{n}"]}) + "\n" for n in range(3)),
        {"kind": "answer", "question": '{{ row["query"].text }}', "gold": "answer", "references": "aliases"},
    ),
    (
        "arc.jsonl",
        "".join(
            json.dumps({"question": f"？{n}", "choices": {"text": ["甲", "乙"], "label": labels}, "answerKey": labels[n % 2]}) + "\n"
            for n, labels in enumerate([["A", "B"], ["1", "2"]] * 2)
        ),
        {"kind": "choice", "question": "question", "options": "choices", "gold": "answerKey"},
    ),
    (
        "commonsense.jsonl",
        json.dumps({"question": {"stem": "？", "choices": [{"label": "A", "text": "甲"}, {"label": "B", "text": "乙"}]}, "answerKey": "B"}),
        {"kind": "choice", "question": '{{ row["question"].stem }}', "options": '{{ row["question"].choices }}', "gold": "answerKey"},
    ),
    (
        "numbered.csv",
        '题目,选项,答案\n' + "".join(f'？{n},"[""甲"", ""乙""]",{n}\n' for n in (1, 2)),
        {"kind": "choice", "question": "题目", "options": "选项", "gold": "答案", "gold_is": "number"},
    ),
    (
        "numbered.jsonl",
        "".join(json.dumps({"question": {"stem": f"？{n}", "choices": ["甲", "乙", "丙"]}, "answer": n}) + "\n" for n in (1, 3)),
        {"kind": "choice", "question": '{{ row["question"].stem }}', "options": '{{ row["question"].choices }}', "gold": "answer",
         "gold_is": "number"},
    ),
    (
        "named.jsonl",
        "".join(json.dumps({"question": f"？{n}", "options": {"A": "甲", "B": "乙"}, "answer": "AB"[n]}) + "\n" for n in range(2)),
        {"kind": "choice", "question": "question", "options": "options", "gold": "answer"},
    ),
    (
        "sums.csv",  # gold is the text of an option
        "question,A,B,C,answer\n一加一是几？,3,2,1,2\n一加二是几？,1,2,3,3\n",
        {"kind": "choice", "question": "question", "options": ["A", "B", "C"], "gold": "answer", "gold_is": "text"},
    ),
    (
        "pairs.csv",  # the first sentence is longer than the one that is judged
        "sentence1,sentence2,label\n他昨天坐火车去了北京,他去了北京,蕴含\n他昨天坐火车去了北京,他在家,矛盾\n",
        {"kind": "choice", "context": "sentence1", "question": "sentence2", "options": {"矛盾": "矛盾", "蕴含": "蕴含"}, "gold": "label"},
    ),
    (
        "story.csv",  # a number is no question
        "编号,文章,标签\na1,他笑了,喜\na2,他哭了,悲\na3,她哭了,悲\n",
        {"kind": "choice", "id": "编号", "question": "文章", "options": {"喜": "喜", "悲": "悲"}, "gold": "标签"},
    ),
    (
        "labelled.jsonl",
        "".join(
            json.dumps({"question": f"？{n}", "choices": {"text": ["甲", "乙", "丙"], "label": ["1", "2", "3"]}, "answer": n}) + "\n"
            for n in (1, 3)
        ),
        {"kind": "choice", "question": "question", "options": "choices", "gold": "answer"},
    ),
    (
        "references.jsonl",
        "".join(json.dumps({"qid": n, "query": f"？{n}", "ground_truths": f"['甲{n}', '乙']"}) + "\n" for n in range(3)),
        {"kind": "answer", "id": "qid", "question": "query", "references": "ground_truths"},
    ),
    (
        "squad.jsonl",
        "".join(
            json.dumps({"context": f"在甲{n}。", "question": "在哪？", "answers": {"text": [f"甲{n}"], "answer_start": [1]}}) + "\n"
            for n in range(3)
        ),
        {"kind": "span", "context": "context", "question": "question", "references": '{{ row["answers"].text }}'},
    ),
    (
        "sets.jsonl",
        "".join(json.dumps({"question": f"？{n}", "choices": ["甲", "乙", "丙"], "answer": ["甲", "丙"]}) + "\n" for n in range(3)),
        {"kind": "choices", "question": "question", "options": "choices", "gold": "answer"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "task"), FIRST, ids=lambda value: value if str(value).count(".") == 1 else ""
)
def test_a_first_file_is_written_from_the_columns(
    tmp_path: Path, name: str, content: str | bytes, task: dict[str, Any]
) -> None:
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    written = write_benchmark(tmp_path / name)
    found = yaml.safe_load(written.read_text(encoding="utf-8"))
    assert found["tasks"] == {"ask": task} and found["language"] == "zh"
    assert items_of(written)
    with pytest.raises(ConfigError, match="exists already"):
        write_benchmark(tmp_path / name)


@pytest.mark.parametrize(
    ("column", "answers", "kind"),
    [
        ({"context": "甲在乙见丙。"}, ["甲", "乙", "丙"], "span"),
        ({"options": ["甲", "乙"]}, [1, 2], "choice"),
        ({}, ["是", "否", "是"], "choice"),
    ],
)
def test_a_first_file_is_written_though_a_row_lacks_its_answer(
    tmp_path: Path, column: dict[str, Any], answers: list[Any], kind: str
) -> None:
    rows = [{"question": "？", **column, "answer": answer} for answer in answers] + [{"question": "？", **column}]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    written = write_benchmark(tmp_path / "x.jsonl")
    text = written.read_text(encoding="utf-8")
    assert yaml.safe_load(text)["tasks"]["ask"]["kind"] == kind and "None" not in text
    with pytest.raises(DataError, match="answer"):
        items_of(written)


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-16-le", "utf-16-be"])
def test_a_first_file_names_the_encoding_of_its_data(tmp_path: Path, encoding: str) -> None:
    mark = "\ufeff" if encoding.startswith("utf-16") else ""  # such files are known by their first bytes
    (tmp_path / "quiz.csv").write_bytes((mark + CSV).encode(encoding))
    written = write_benchmark(tmp_path / "quiz.csv")
    named = yaml.safe_load(written.read_text(encoding="utf-8")).get("encoding", "utf-8")
    assert named == ("utf-16" if mark else encoding) and items_of(written)


@pytest.mark.parametrize(
    ("word", "splits"),
    [
        ("train", ("train", "test")),
        ("training", ("train", "test")),
        *((word, ("dev", "test")) for word in ("dev", "val", "valid", "validation")),
        ("other", ("test",)),
    ],
)
def test_a_first_file_knows_the_other_splits_beside_it(tmp_path: Path, word: str, splits: tuple[str, ...]) -> None:
    for name in (f"quiz_{word}.csv", "quiz_test.csv"):
        (tmp_path / name).write_text(CSV, encoding="utf-8")
    written = write_benchmark(tmp_path / "quiz_test.csv")
    assert load_benchmark(written).splits == splits


def test_letters_without_options_are_no_options(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("question,answer\n？,A\n？,B\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="gold is A, B, and no columns are options"):
        write_benchmark(tmp_path / "x.csv")


def test_columns_that_say_nothing_are_named(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a1,b7\n1,2\n", encoding="utf-8")
    with pytest.raises(
        ConfigError, match="cannot tell which column is the right answer: a1, b7; give it one of these names: answer"
    ):
        write_benchmark(tmp_path / "x.csv")


def test_the_prompts_of_a_file_are_shown_with_their_gold(tmp_path: Path, cli: Any) -> None:
    stdout = cli("data", "check", write(tmp_path)).stdout
    assert "(B) 粽子" in stdout and "── gold: A  月饼" in stdout
