"""A first benchmark file (`evalsuite init --benchmark DATA`), from the names and values of the columns of a data file."""

from __future__ import annotations

import json
import os
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.file.benchmark import load_benchmark
from evalsuite.benchmarks.file.expressions import ExpressionError, RowField, listed, texts_of
from evalsuite.benchmarks.file.items import options_in
from evalsuite.benchmarks.file.rows import read_rows
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.files import replace_file
from evalsuite.common.linebreaks import is_chinese
from evalsuite.common.resources import bundled
from evalsuite.common.yamltext import packaged_yaml
from evalsuite.setup.entries import flow_text

Cells = Sequence[Mapping[str, Any]]
# Split -> words in the names of its files.
_SPLITS = {"train": ("train", "training"), "dev": ("dev", "val", "valid", "validation")}
_NUMBERS = "  # write what each number means, such as {0: 否, 1: 是}"
_FEW = 6  # a gold column with at most this many different values is a choice among fixed options


def write_benchmark(data: Path, out: Path | None = None) -> Path:
    """Write a benchmark file beside its data file, and return its path.

    Raises ConfigError if the file is there already, if `out` is in another folder, or if no column is known as the question or
    the right answer; DataError for a broken data file.
    """
    out = out or data.with_suffix(".yaml")
    if os.path.lexists(out):
        raise ConfigError(f"{out}: exists already and is left as it is; name another file with --out")
    if out.parent.resolve() != data.parent.resolve():
        raise ConfigError(f"{out}: a benchmark file stands beside its data, in {data.parent}")
    encoding, rows = _rows(data)
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise ConfigError(f"{data}: has no rows with columns: write the file by hand (docs/benchmark_file.md)")
    task = _task(data, rows)
    head = {"name": _name(data), "title": data.stem, "language": _language(rows)}
    if encoding != "utf-8":
        head["encoding"] = encoding
    replace_file(out, _text(head, _splits(data), task, out))
    load_benchmark(out)
    return out


def _rows(data: Path) -> tuple[str, list[Any]]:
    """(encoding, rows) of a data file: UTF-8, or an encoding that spreadsheets write (UTF-16, GB 18030). Raises DataError."""
    try:
        return "utf-8", [row.value for row in read_rows(data.parent, data.name).rows]
    except DataError as error:
        if not error.message.startswith("not UTF-8") or data.suffix not in (".csv", ".tsv", ".txt"):
            raise
    other = "utf-16" if data.read_bytes()[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "gb18030"
    return other, [row.value for row in read_rows(data.parent, data.name, other).rows]


def _task(data: Path, rows: Cells) -> dict[str, Any]:
    """The fields of the task, guessed from the columns. Raises ConfigError if the question or the right answer is not found."""
    columns = list(rows[0])
    options = _options(rows)
    references = _references(rows)
    gold = _named("gold", [name for name in columns if name != references]) or next(
        (name for name in columns if all(isinstance(row.get(name), bool) for row in rows)), ""
    )
    taken = {gold, *(options if isinstance(options, list) else [options])}
    free = [name for name in columns if name not in taken]
    named = {_named(key, free) for key in ("dialogue", "context", "id", "group")}
    question = _named("question", free) or _longest(rows, taken | named) or _longest(rows, taken)
    if not question or not (gold or references):
        lacking = "the question" if not question else "the right answer"
        known = ", ".join(_usual_names()["gold" if question else "question"][:4])
        raise ConfigError(
            f"{data}: cannot tell which column is {lacking}: {', '.join(columns)}; give it one of these names: {known}; "
            "or write the file by hand (docs/benchmark_file.md)"
        )
    question_text = question
    if isinstance(rows[0][question], dict) and {"stem", "choices"} <= rows[0][question].keys():  # CommonsenseQA's form
        question_text, options = _part(question, "stem"), _part(question, "choices")
    elif isinstance(rows[0][question], dict):
        question_text = next(
            (_part(question, key) for key in ("text", "question", "content") if key in rows[0][question]), question
        )
    values = [row[gold] for row in rows if row.get(gold) is not None] if gold else []
    kind = "answer"
    if options:
        kind = "choices" if any(_is_several(value) for value in values) else "choice"
    elif gold and not references and _are_labels(values):
        kind, options = "choice", {x: _word(x, rows) for x in sorted({*map(_key, values)}, key=str)}
        if len(options) < 2 or all(re.fullmatch("[A-Z]", str(value)) for value in options):
            letters = ", ".join(sorted({str(value) for value in values}))
            raise ConfigError(
                f"{data}: gold is {letters}, and no columns are options: {', '.join(columns)}; write the file by hand "
                "(docs/benchmark_file.md)"
            )
    elif _in_context(rows, references or gold):
        kind = "span"
    others = [name for name in columns if name not in (*taken, question)]
    task: dict[str, Any] = {"kind": kind}
    if number := _named("id", others):
        values_of = [str(row.get(number)) for row in rows]
        if len({*values_of}) == len(values_of) and all(re.fullmatch(r"[^/\s]+", value) for value in values_of):
            task["id"] = number
    for key in ("dialogue", "context"):
        if (column := _named(key, others)) and not {"dialogue", "context"} & task.keys():
            task[key] = column
    task |= {"question": question_text, **({"options": options} if options else {}), **({"gold": gold} if gold else {})}
    if options and gold and (gold_is := _numbers_as(gold, options, rows)):
        task["gold_is"] = gold_is
    if kind == "choice" and gold:
        task["options"], task["gold"] = _without_letters(options, gold, rows)
    if references and not options:
        task["references"] = references
    if group := _named("group", others):
        task["group"] = group
    return task


def _are_labels(values: Sequence[Any]) -> bool:
    """Whether the values are labels: few, most of which recur.

    >>> _are_labels(["蕴含", "矛盾", "中立", "蕴含", "矛盾"]), _are_labels(["北京", "上海", "北京", "西安", "广州"])
    (True, False)
    """
    counts = Counter(map(str, values)).values()
    return len(counts) <= 2 or (len(counts) <= _FEW and 2 * sum(n for n in counts if n > 1) > len(values))


def _without_letters(options: Any, gold: str, rows: Cells) -> tuple[Any, str]:
    """(options, gold) as expressions without the letters of options such as "A. 月饼"; unchanged if not all have theirs."""
    if not isinstance(options, list):
        return options, gold
    for mark in (". ", ".", "、", "．", "：", ": ", ":"):
        marks = [f"{chr(ord('A') + n)}{mark}" for n in range(len(options))]
        cells = [
            (str(row.get(name) or ""), letter) for row in rows for name, letter in zip(options, marks, strict=True)
        ]
        if all(cell.startswith(letter) for cell, letter in cells if cell):
            golds = [str(row.get(gold)) for row in rows]
            first = all(any(text.startswith(letter) for letter in marks) for text in golds)
            shorter = [
                f'{{{{ ({_cell(name)} or "").removeprefix("{letter}") }}}}'
                for name, letter in zip(options, marks, strict=True)
            ]
            return shorter, f"{{{{ {_cell(gold)}[0] }}}}" if first else gold
    return options, gold


def _in_context(rows: Cells, right: Any) -> bool:
    """Whether the right answers of every row are parts of its context. `right`: their column or expression."""
    context = _named("context", list(rows[0]))
    if not context or not isinstance(right, str):
        return False
    values = zip(rows, _values(right, rows), strict=True)
    return all(text in str(row.get(context)) for row, value in values for text in texts_of(listed(value)))


def _numbers_as(gold: str, options: Any, rows: Cells) -> str:
    """The meaning of gold where it is a digit in every row, as `gold_is` has it; "" where it needs none.

    It is "text" if every gold is an option's text, and "number" if none is 0 or a label of the data and one is the number of
    options.
    """
    golds = [str(row.get(gold)) for row in rows]
    if not isinstance(options, list | str) or not all(re.fullmatch(r"\d", value) for value in golds):
        return ""
    by_row = (
        [[row.get(name) for name in options] for row in rows] if isinstance(options, list) else _values(options, rows)
    )
    offered = [(texts if isinstance(texts, list) else [], labels) for texts, labels in map(options_in, by_row)]
    if not {str(label) for _, labels in offered for label in labels}.isdisjoint(golds):
        return ""
    if all(value in map(str, texts) for value, (texts, _) in zip(golds, offered, strict=True)):
        return "text"
    most = max(len(texts) for texts, _ in offered)
    return "number" if "0" not in golds and str(most) in golds else ""


def _values(field: str, rows: Cells) -> Iterator[Any]:
    """The value of a column or an expression on each row; None where the row lacks it."""
    compiled = RowField(field)
    for row in rows:
        try:
            yield compiled.value(row, {})
        except ExpressionError:
            yield None


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


@cache
def _usual_names() -> dict[str, list[str]]:
    """The fields of column_names.yaml, each with the names that columns for it have in data sets."""
    names: dict[str, list[str]] = packaged_yaml("setup/column_names.yaml")
    return names


def _named(key: str, columns: Sequence[str]) -> str:
    """The column with the likeliest name for a field of a benchmark file; "" if no column has one of its usual names."""
    plain = {_plain(name): name for name in reversed(columns)}
    usual = _usual_names()[key]
    exact = (plain[name] for name in usual if name in plain)
    parts = (column for name in usual if not name.isascii() for column in columns if name in column)
    return next(chain(exact, parts), "")


def _options(rows: Cells) -> Any:
    """The column with a list of options, or the columns with one option each, in order; None if there are none."""
    columns = list(rows[0])
    if (column := _named("options", columns)) and isinstance(options_in(rows[0][column])[0], list):
        return column
    series: dict[str, dict[str, str]] = {}
    for name in columns:
        if marked := re.fullmatch(r"(.*?)[\s_-]?([A-Za-z]|\d)", name):
            series.setdefault(_plain(marked[1]), {})[marked[2].upper()] = name
    for prefix, found_names in series.items():
        first = next((start for start in ("A", "1", "0") if start in found_names), None)
        if first is None or (prefix and not re.search(r"option|choice|opt|answer|sol|ending|选项|^op$", prefix)):
            continue
        names: list[str] = []
        while (mark := chr(ord(first) + len(names))) in found_names:
            names.append(found_names[mark])
        if len(names) > 1:
            return names
    return None


def _references(rows: Cells) -> Any:
    """The column, or expression, with a list of right answers, or the columns with one each; "" if there are none."""
    columns = list(rows[0])
    column = _named("references", columns)
    if column and isinstance(listed(rows[0][column]), list):
        return column
    if column and isinstance(rows[0][column], dict) and isinstance(rows[0][column].get("text"), list):  # SQuAD's form
        return _part(column, "text")
    named = [name for name in columns if re.fullmatch(r"(ref|reference|answer|alias)[\s_-]?\d", name.lower())]
    return named if len(named) > 1 else ""


def _part(column: str, key: str) -> str:
    """The expression for a key of a column that holds mappings."""
    return f"{{{{ {_cell(column)}.{key} }}}}"


def _cell(column: str) -> str:
    """The expression of a column, row["NAME"]: YAML's single-quoted texts need no escape for double quotes."""
    return f"row[{json.dumps(column, ensure_ascii=False)}]"


def _longest(rows: Cells, taken: set[Any]) -> str:
    """The column with the longest texts."""
    lengths = {
        name: sum(len(row.get(name) or "") for row in rows if isinstance(row.get(name), str))
        for name in rows[0]
        if name not in taken
    }
    return max(lengths, key=lambda name: lengths[name], default="") if any(lengths.values()) else ""


def _is_several(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, str) and bool(re.fullmatch(r"[A-H]([,;、]?[A-H])+", value)))


def _key(value: Any) -> bool | int | str:
    """A gold value as the key of its option."""
    return value if isinstance(value, bool | int) else str(value)


def _word(value: Any, rows: Cells) -> str:
    """The option's text for a gold value: yes and no in the language of the data, else the value."""
    word = str(value).lower()
    chinese = _language(rows) == "zh"
    if word in ("true", "yes", "1") and isinstance(value, bool | str):
        return "是" if chinese else "yes"
    if word in ("false", "no", "0") and isinstance(value, bool | str):
        return "否" if chinese else "no"
    return str(value)


def _language(rows: Cells) -> str:
    text_of_rows = "".join(text for row in rows[:100] for text in _leaves(row))
    return "zh" if sum(map(is_chinese, text_of_rows)) * 4 > len(re.findall("[A-Za-z]", text_of_rows)) else "en"


def _leaves(value: Any) -> Iterator[str]:
    """The texts in a value of JSON, without the keys."""
    if isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _leaves(each)
    elif isinstance(value, str):
        yield value


def _name(data: Path) -> str:
    stem = re.sub(r"-\d{5}-of-\d{5}$", "", data.stem.lower())  # the number of a part of a file
    stem = re.sub(r"[^a-z0-9]+", "_", stem).strip("_")
    stem = stem if stem and stem[0].isalpha() else f"mine_{stem}".rstrip("_")
    return f"{stem}_data" if bundled(f"prompts/{stem}").exists() or stem in ("test", "train", "dev") else stem


def _splits(data: Path) -> dict[str, str]:
    """Split -> file: the data file is the test split, and a file beside it whose name says train or dev is that split."""
    splits = {}
    for split, words in _SPLITS.items() if "test" in data.stem.lower() else ():
        names = (re.sub("test", word, data.name, flags=re.IGNORECASE) for word in words)
        if there := next((name for name in names if (data.parent / name).exists()), None):
            splits[split] = there
    return splits | {"test": data.name}


def _text(head: Mapping[str, Any], splits: Mapping[str, str], task: Mapping[str, Any], out: Path) -> str:
    schema = bundled("schema") / "benchmark.schema.json"
    data: Any = dict(splits) if len(splits) > 1 else splits["test"]
    lines = [
        f"# yaml-language-server: $schema={schema}",
        f"# `evalsuite data check {out.name}` shows three prompts, `evalsuite run --benchmark {out.name}` asks models.",
        *_lines({**head, "data": data}),
        "tasks:",
        "  ask:",
        *(f"    {line}{_NUMBERS if _is_numbers(line) else ''}" for line in _lines(task)),
    ]
    return "\n".join(lines) + "\n"


def _is_numbers(line: str) -> bool:
    return bool(re.fullmatch(r"options: \{('?\d+'?: '\d+'(, )?)+\}", line))


def _lines(values: Mapping[str, Any]) -> Iterator[str]:
    return (f"{key}: {flow_text(value)}" for key, value in values.items())
