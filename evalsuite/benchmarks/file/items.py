"""A row of data -> an Item, as the fields of a benchmark file say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from evalsuite.benchmarks.file.expressions import ExpressionError, RowField, listed, text_of, texts_of
from evalsuite.benchmarks.file.format import BenchmarkFile, RowFields
from evalsuite.benchmarks.file.rows import DataRow
from evalsuite.benchmarks.kinds import KINDS
from evalsuite.common.errors import unknown
from evalsuite.types import Item

_Made = TypeVar("_Made")

_ID = re.compile(r"[^/\x00-\x20\x7f]{1,200}")
_LETTERED = re.compile(r"(?:^|\s|[;；])\(?([A-Z])[.．、:：)）]\s*")
_LETTER = re.compile(r"\W*([A-Za-z])\W*")
_ALPHABET = 26  # the most options that letters can label
_YES, _NO = {"true", "yes", "on"}, {"false", "no", "off"}  # words that YAML 1.1 reads as true, and as false


class RowFault(ExpressionError):
    """A row of which no item can be made. `field`: the column at fault, or the key of the benchmark file."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


class ExpandedRow(NamedTuple):
    """A row of the data, or, with `each`, one of the elements that count as rows."""

    value: Any  # a mapping of columns; of JSON any value
    variables: dict[str, Any]  # variables of expressions besides its columns: set, split, task, parent …


class ItemMaker:
    """Makes the items of a task, set and split. The fields are compiled once."""

    def __init__(self, file: BenchmarkFile, local: str, instead: RowFields | None, item_set: str, split: str) -> None:
        """`local`: the task's name in the benchmark file. `instead`: the fields of a wording, which replace the task's."""
        self._task = task = file.tasks[local]
        self._name, self._set, self._split = f"{file.name}_{local}", item_set, split
        self._base = f"{file.name}/{item_set}/{split}/{local}"
        self._known_groups = tuple(file.groups)
        fields = {key: getattr(task, key) for key in RowFields.model_fields}
        if instead:
            changed = {key: getattr(instead, key) for key in instead.model_fields_set if key in fields}
            fields |= ({"dialogue": None} if "context" in changed else {}) | changed
        self._fields: dict[str, Any] = {key: _compiled(key, value) for key, value in fields.items()}
        self._kind = KINDS[task.kind]

    def rows(self, row: DataRow) -> Iterator[tuple[ExpandedRow, bool]]:
        """(row, whether `where` selects it) of a row of the file, or of each of its elements (`each`)."""
        given = {"set": self._set, "split": self._split, "task": self._name}
        expanded_rows = [ExpandedRow(row.value, given)]
        if self._fields["each"] is not None:
            elements = self._value("each", expanded_rows[0])
            if not isinstance(elements, list):
                raise self._fault("each", "expected a list")
            expanded_rows = [
                ExpandedRow(expanded, given | {"parent": row.value, "number": n})
                for n, expanded in enumerate(elements, 1)
            ]
        for expanded in expanded_rows:
            yield expanded, self._fields["where"] is None or _is_true(self._value("where", expanded))

    def hidden(self, rows: Sequence[DataRow]) -> list[str]:
        """The columns that expressions without `row` name, but do not read: `set`, `split` and `task` are those of the item."""
        given = {"set": self._set, "split": self._split, "task": self._name}
        differing = {
            name
            for name in given
            if any(isinstance(row.value, Mapping) and row.value.get(name, given[name]) != given[name] for row in rows)
        }
        fields = [field for value in self._fields.values() for field in _row_fields(value)] if differing else []
        return sorted({name for field in fields if "row" not in field.names for name in differing & field.names})

    def number(self, row: ExpandedRow, index: int) -> str:
        """The item's number within its file."""
        if self._fields["id"] is None:
            return f"{index}-{row.variables['number']}" if "number" in row.variables else str(index)
        number = text_of(self._value("id", row))
        if not _ID.fullmatch(number):
            raise self._fault("id", f"expected up to 200 characters without blanks and /, found {number[:60]!r}")
        return number

    def item(self, row: ExpandedRow, number: str) -> Item:
        """The item of a row. Raises RowFault."""
        options, keys = self._options(row)
        gold, votes = None, tuple[int, ...]()
        if self._fields["votes"] is None:
            gold, references = self._right(row, options, keys)
        else:
            references, votes = self._voted(row)
        return Item(
            id=f"{self._base}/{number}",
            task=self._name,
            set=self._set,
            split=self._split,
            dialogue=self._dialogue(row),
            question=self._text("question", row),
            options=options,
            labels=labels_from(self._task.labels, len(options)),
            gold=gold,
            references=references,
            votes=votes,
            group="|".join(self._groups(row)),
        )

    def _right(
        self, row: ExpandedRow, options: Sequence[str], keys: Sequence[Any]
    ) -> tuple[int | None, tuple[str, ...]]:
        """(index of the right option, right answers as texts). The index is None unless the kind has a single right option."""
        if self._kind.single:
            gold = self._gold(self._field_value("gold", row), options, keys)
            return gold, (options[gold],)
        if self._kind.options:
            chosen = sorted({self._gold(value, options, keys) for value in self._several_golds(row, options)})
            if not chosen:
                raise self._fault("gold", "names no right option")
            return None, tuple(options[n] for n in chosen)
        texts = dict.fromkeys((*self._texts("gold", row), *self._texts("references", row)))
        if not texts:
            raise self._fault("gold", "is blank: expected a right answer")
        return None, tuple(texts)

    def _voted(self, row: ExpandedRow) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """(answers, votes of each). A repeated answer gets its highest number of votes."""
        counts, lists = self._value("votes", row), self._field_value("references", row)
        several = lists if isinstance(self._fields["references"], list) else [lists]
        if not isinstance(counts, list) or not all(isinstance(count, int) and count > 0 for count in counts):
            raise self._fault("votes", "expected a list of whole numbers above 0")
        votes_of: dict[str, int] = {}
        for answers in several:
            if not isinstance(answers, list) or len(answers) != len(counts):
                raise self._fault("votes", f"has {len(counts)} numbers; expected one for each element of references")
            for each, count in zip(answers, counts, strict=True):
                for text in texts_of(each):
                    votes_of[text] = max(count, votes_of.get(text, 0))
        if not votes_of:
            raise self._fault("references", "is blank: expected a right answer")
        return tuple(votes_of), tuple(votes_of.values())

    # --- values of fields

    def _value(self, key: str, row: ExpandedRow, field: RowField | None = None) -> Any:
        used: RowField = field or self._fields[key]
        try:
            return used.value(row.value, row.variables)
        except ExpressionError as error:
            raise RowFault(str(error), used.column or key) from None

    def _field_value(self, key: str, row: ExpandedRow) -> Any:
        """The value of a field; a list of values if the field names several columns."""
        fields = self._fields[key]
        if isinstance(fields, list):
            return [self._value(key, row, field) for field in fields]
        return self._value(key, row)

    def _text(self, key: str, row: ExpandedRow) -> str:
        """A text that is not blank."""
        text = self._converted(key, text_of, self._value(key, row))
        if not text.strip():
            raise self._fault(key, "is blank")
        return text

    def _texts(self, key: str, row: ExpandedRow) -> list[str]:
        """The texts of a field that are not blank; [] for a field that the file lacks."""
        if self._fields[key] is None:
            return []
        value = self._field_value(key, row)
        return self._converted(key, texts_of, listed(value) if key == "references" else value)

    def _converted(self, key: str, convert: Callable[[Any], _Made], value: Any) -> _Made:
        """The converted value. Raises RowFault, with the field, if `convert` raises ExpressionError."""
        try:
            return convert(value)
        except ExpressionError as error:
            raise self._fault(key, str(error)) from None

    def _groups(self, row: ExpandedRow) -> list[str]:
        names = [name for text in self._texts("group", row) for name in text.split("|")]
        for name in names:
            if self._known_groups and name not in self._known_groups:
                raise self._fault("group", unknown("group", name, self._known_groups))
        return names

    def _dialogue(self, row: ExpandedRow) -> tuple[str, ...]:
        key = "dialogue" if self._fields["dialogue"] is not None else "context"
        if self._fields[key] is None:
            return ()
        value = self._value(key, row)
        if key == "dialogue":
            value = listed(value)
            value = [turn for turn in value.splitlines() if turn.strip()] if isinstance(value, str) else value
        turns = tuple(self._converted(key, _each_text, value if isinstance(value, list) else [value]))
        if not turns or not all(turn.strip() for turn in turns):
            raise self._fault(key, "is blank, or has a blank turn")
        return turns

    def _options(self, row: ExpandedRow) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """(texts of the options, the values by which `gold` may name them)."""
        fields = self._fields["options"]
        if fields is None:
            return (), ()
        mapped = isinstance(fields, dict)
        if mapped:
            values, keys = self._mapped(fields, row), tuple(fields)
        else:
            values, labels = options_in(self._field_value("options", row))
            keys = tuple(self._converted("options", _each_text, labels))
        if not isinstance(values, list):
            raise self._fault("options", "expected a list of options; separate columns are named as [A, B, C]")
        texts = self._converted("options", _each_text, values)
        while texts and not texts[-1].strip() and not mapped:
            texts.pop()
        if len(texts) < 2 or not all(text.strip() for text in texts):
            columns = [field.column for field in fields] if isinstance(fields, list) else []
            blank = next((n for n, text in enumerate(texts) if not text.strip()), len(texts))
            column = columns[blank] if blank < len(columns) else ""
            raise RowFault("is blank: expected two options or more", column or self.column("options"))
        if len(texts) > _ALPHABET and "1" not in self._task.labels:
            raise self._fault("options", f"{len(texts)} options are more than there are letters: give labels: (1)")
        return tuple(texts), keys[: len(texts)]

    def _mapped(self, fields: Mapping[Any, str | RowField], row: ExpandedRow) -> list[Any]:
        """The options of a mapping: its fixed texts and the values of its expressions."""
        return [text if isinstance(text, str) else self._value("options", row, text) for text in fields.values()]

    def _several_golds(self, row: ExpandedRow, options: Sequence[str]) -> list[Any]:
        """The values of `gold` in a row: a list, or letters such as ABD and A,B."""
        value = listed(self._field_value("gold", row))
        if isinstance(value, list):
            return value
        if isinstance(value, str) and value not in options and re.fullmatch(r"[A-Za-z\s,，、;；]+", value):
            return re.findall(r"[A-Za-z]", value)
        return [value]

    def _gold(self, value: Any, options: Sequence[str], keys: Sequence[Any]) -> int:
        """The index of the right option. Raises RowFault if there is none, or if the value can be read in two ways."""
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        mapped = isinstance(self._fields["options"], dict)
        if mapped or self._fields["gold_is"] is None:
            indices_of_key = {n for n, key in enumerate(keys) if _is_key(key, value)}
            if len(indices_of_key) == 1:
                return indices_of_key.pop()
            if mapped:
                known = ", ".join(map(text_of, keys))
                raise self._fault("gold", f"{value!r} is none of the keys of options: {known}")
        if value is None or isinstance(value, list | dict | bool):
            hint = "; give options as a mapping such as {true: 是, false: 否}" if isinstance(value, bool) else ""
            raise self._fault("gold", "is blank" if value is None else f"expected one option, found {value!r}{hint}")
        ways = {
            way: index for way, index in _readings(text_of(value), options) if way == (self._fields["gold_is"] or way)
        }
        if self._fields["gold_is"] is None:
            ways.pop("number", None)
            # An index is an error where labels are numbers, since an index of another row would be read as a label.
            if "index" in ways and any(map(str.isdecimal, keys)):
                known = ", ".join(keys)
                raise self._fault(
                    "gold",
                    f"{value!r} is none of the options' labels: {known}; where it is an index, add gold_is: index",
                )
        indices = {index for index in ways.values() if 0 <= index < len(options)}
        if len(indices) == 1:
            return indices.pop()
        shown = text_of(value)[:60]
        if indices:
            raise self._fault("gold", f"{shown!r} can be read as {' and as '.join(ways)}: say which with gold_is")
        hint = "; where they count from 1, add gold_is: number" if ways.get("index") == len(options) else ""
        last = chr(ord("A") + len(options) - 1)
        raise self._fault(
            "gold", f"{shown!r} is no option: expected its text, A to {last}, or 0 to {len(options) - 1}{hint}"
        )

    def column(self, key: str) -> str:
        """The name of a field in errors: its column, or its key if it is an expression."""
        field = self._fields[key]
        return field.column or key if isinstance(field, RowField) else key

    def _fault(self, key: str, message: str) -> RowFault:
        return RowFault(message, self.column(key))


def _each_text(values: Sequence[Any]) -> list[str]:
    return [text_of(value) for value in values]


def lettered(value: Any) -> Any:
    """The options of a text that has a letter before each, in order; any other value as it is.

    >>> lettered("A. 月饼 B. 粽子\\nC、汤圆"), lettered("A. 月饼 C. 粽子"), lettered(["A"])
    (['月饼', '粽子', '汤圆'], 'A. 月饼 C. 粽子', ['A'])
    """
    if not isinstance(value, str):
        return value
    text = value.strip()
    marks = list(_LETTERED.finditer(text))
    in_order: list[re.Match[str]] = []
    for mark in marks:
        if ord(mark[1]) - ord("A") == len(in_order):
            in_order.append(mark)
    if len(in_order) < 2 or in_order[0].start():
        return value
    # A letter that stands there again, or whose predecessor is missing, leaves open where the options begin. Only letters far
    # beyond the last option are words of the texts (维生素 K).
    near = max("H", chr(ord(in_order[-1][1]) + 2))
    if sum(mark[1] <= near for mark in marks) > len(in_order):
        return value
    ends = [*(mark.start() for mark in in_order[1:]), len(text)]
    return [text[mark.end() : end].strip(" \t\r\n;；") for mark, end in zip(in_order, ends, strict=True)]


def has_own_letters(options: Sequence[str]) -> bool:
    """Whether the texts of the options begin with A, B … in order.

    >>> has_own_letters(["A. 月饼", "B、粽子"]), has_own_letters(["A. 月饼", "粽子"]), has_own_letters([])
    (True, False, False)
    """
    letters = [mark[1] if (mark := _LETTERED.match(option)) else "" for option in options]
    return bool(letters) and letters == [chr(ord("A") + n) for n in range(len(letters))]


def options_in(value: Any) -> tuple[Any, tuple[Any, ...]]:
    """(list of options, their labels in the data) of a value that holds options; (value, ()) for any other.

    Forms: a list, JSON, lettered text, {A: …, B: …}, {text: […], label: […]}, and [{text: …, label: …}, …], the last two as on
    Hugging Face.
    """
    value = lettered(listed(value))
    if isinstance(value, Mapping) and all(isinstance(value.get(key), list) for key in ("text", "label")):
        return value["text"], tuple(value["label"])
    if isinstance(value, Mapping) and len(value) > 1 and all(re.fullmatch(r"[A-Za-z]|\d", name) for name in value):
        return [*value.values()], tuple(value)
    if (
        isinstance(value, list)
        and value
        and all(isinstance(x, Mapping) and {"text", "label"} <= x.keys() for x in value)
    ):
        return [x["text"] for x in value], tuple(x["label"] for x in value)
    return value, ()


def _compiled(key: str, value: Any) -> Any:
    if key == "gold_is" or value is None:
        return value
    if isinstance(value, dict):
        return {name: RowField(text) if "{{" in text else text for name, text in value.items()}
    return [RowField(each) for each in value] if isinstance(value, list) else RowField(value)


def _row_fields(compiled: Any) -> list[RowField]:
    """The expressions and columns of a compiled field."""
    each = compiled.values() if isinstance(compiled, dict) else compiled if isinstance(compiled, list) else [compiled]
    return [field for field in each if isinstance(field, RowField)]


def _readings(text: str, options: Sequence[str]) -> Iterator[tuple[str, int]]:
    """(way, index of the option) for each way in which a gold value can be read. Of two equal options the first is right."""
    if text in options:
        yield "text", options.index(text)
    if letter := _LETTER.fullmatch(text):
        yield "letter", ord(letter[1].upper()) - ord("A")
    if re.fullmatch(r"-?\d{1,3}", text):
        yield "index", int(text)
        yield "number", int(text) - 1


def _is_true(value: Any) -> bool:
    """Whether a condition holds. Cells of tables are texts, of which "false" and "0" are false, too."""
    return value.strip().lower() not in {"", "0", *_NO} if isinstance(value, str) else bool(value)


def _is_key(key: Any, value: Any) -> bool:
    """Whether a value of the data equals a key of the YAML. YAML reads true, yes and on as one key, and false, no and off."""
    text = text_of(value).strip().lower() if not isinstance(value, list | dict) else ""
    if isinstance(key, bool):
        return text in (_YES if key else _NO)
    return text == text_of(key).strip().lower()


def labels_from(first: str, count: int) -> tuple[str, ...]:
    """`count` labels, of which `first` is the first: (a), (b) …

    >>> labels_from("(a)", 3)
    ('(a)', '(b)', '(c)')
    """
    character = first.strip("()")
    names = [str(n) if character == "1" else chr(ord(character) + n - 1) for n in range(1, count + 1)]
    return tuple(first.replace(character, name) for name in names)
