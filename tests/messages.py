"""Collects from the code every message that reaches a user, as templates with named places.

`f"{path}: no such folder"` is the template "{path}: no such folder". Where a message is raised or printed, the collector
follows names to the values assigned to them, calls to the values that the suite's functions return, and conditions both ways.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1] / "evalsuite"

_ALL = "*"
# Callables that take a message -> positions and keywords of their messages.
_TAKES: dict[str, tuple[int | str, ...]] = {
    **dict.fromkeys(("EvalsuiteError", "ConfigError", "DataError", "PromptError", "BackendError"), (0,)),
    **dict.fromkeys(("Fault", "fail", "LineError", "EndpointError", "WorkerLostError", "Endless", "BadParameter", "Broken", "ExpressionError", "RowFault"), (0,)),
    **dict.fromkeys(("note", "work", "prompt", "confirm", "unknown", "DatabaseError"), (0,)),
    **dict.fromkeys(("TransientError", "Unscorable", "wrong", "stop"), (1,)),
    **dict.fromkeys(("say", "words", "translated", "_numbers", "warning", "_end"), (_ALL,)),
    "MarkedYAMLError": ("problem",),
    "listing": (0, 1),
    "Sheet": (1, 4, "title", "notes"),
    "Column": (0, 1, "heading", "below"),
    **dict.fromkeys(("Check", "_verdict", "ArtefactCheck"), (0, 1, 3, 4, 5)),
    "row": (1, 2),
    "ModelServer": ("problem",),
    "_disk": (0, 2),
}  # fmt: skip
_ELSEWHERE = {("benchmarks/file/format.py", "ValueError"), ("backends/model.py", "ValueError"), ("results/schema/base.py", "ValueError"), ("common/jsonl.py", "ValueError")}  # fmt: skip
# Functions whose texts are all shown, although no call leads to them: their results stand in tables, or have another name there.
_SHOWN = {
    ("setup/packages.py", "__str__"),
    ("evaluation/cost_sheet.py", "_notes"),
    ("setup/entries.py", "words"),
    ("backends/ray.py", "_no_room"),
    ("backends/checkpoint.py", "too_long"),
    ("backends/hf/pattern.py", "refusal"),
    ("analyses/ranked_pairs.py", "open"),
    ("results/schema/cell.py", "why_partial"),
}
# Parameters that take a message or a part of one.
_PARAMETERS = {"what", "missing", "absent", "why", "message", "owner", "hint", "problem", "reason", "use", "expected", "title", "note"}  # fmt: skip
# Names of local variables whose texts are put into fields of results that hold messages.
_LOCAL = {"notes", "remarks", "problems", "warnings", "summary", "words", "verdict", "before"}
_NO_SHEETS = "frames/"  # its Column is one of a data frame
_SILENT = {"len", "sorted", "isinstance", "getattr", "get", "Path", "range", "replace", "removeprefix", "strip", "Text", "open", "min", "max", "sum", "set", "info", "entry", "named", "value", "asdict", "read", "of", "list", "load", "check", "text_of"}  # fmt: skip
# Fields of results that hold messages: where they are given as keywords or assigned, those are messages, too.
_FIELDS = {"problems", "notes", "warnings", "summary", "remarks", "verified", "unverified", "problem", "words", "why", "lines"}  # fmt: skip


def templates() -> dict[str, str]:
    """Every template -> the file and line from which it was found."""
    return _Collector().found


def places(template: str) -> list[str]:
    """The names of a template's placeholders, in order."""
    return re.findall(r"\{(\w+)(?:![ra])?(?::zh)?\}", template.replace("{{", "").replace("}}", ""))


class _Collector:
    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        self._seen: set[ast.AST] = set()
        self._functions: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
        self._calls: dict[str, list[ast.Call]] = {}
        self._fields: dict[str, list[ast.expr]] = {}
        modules = {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in sorted(ROOT.rglob("*.py"))}  # fmt: skip
        self._above = {inner: node for tree in modules.values() for node in ast.walk(tree) for inner in ast.iter_child_nodes(node)}  # fmt: skip
        for tree in modules.values():
            for node in ast.walk(tree):
                self._index(node)
        for path, tree in modules.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef) and _is_shown(node, path):
                    for result in self._results(node):
                        self._follow(result, f"{path}:{node.lineno}")
                for name, value in _assignments(node) if not path.startswith((_NO_SHEETS, "parse/")) else ():
                    if name in _LOCAL and not isinstance(node, ast.For | ast.comprehension):
                        self._follow(value, f"{path}:{value.lineno}")
                if isinstance(node, ast.Call):
                    for message in _messages(node, path):
                        self._follow(message, f"{path}:{node.lineno}")

    def _index(self, node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._functions.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Call):
            self._calls.setdefault(_name(node), []).append(node)
        if isinstance(node, ast.keyword) and node.arg in _FIELDS:
            self._fields.setdefault(node.arg, []).append(node.value)
        elif isinstance(node, ast.Assign) and isinstance(t := node.targets[0], ast.Name) and t.id.isupper():
            self._fields.setdefault(t.id, []).append(node.value)
        elif isinstance(node, ast.Assign) and isinstance(t := node.targets[0], ast.Attribute) and t.attr in _FIELDS:
            self._fields.setdefault(t.attr, []).append(node.value)
        if isinstance(node, ast.Call) and isinstance(f := node.func, ast.Attribute) and f.attr in ("append", "extend"):
            name = getattr(f.value, "attr", "").lstrip("_")
            self._fields.setdefault(name, []).extend(node.args if name in _FIELDS else [])

    def _follow(self, node: ast.AST, where: str) -> None:
        if node in self._seen:
            return
        self._seen.add(node)
        if isinstance(node, ast.Constant | ast.JoinedStr):
            template, inner = _template(node)
            if re.search(r"[A-Za-z]{2}", re.sub(r"\{\w+(![ra])?\}", "", template)):
                self.found.setdefault(template, where)
        elif isinstance(node, ast.Name):
            inner = list(self._assigned_values(node.id, node))
        elif isinstance(node, ast.Attribute):
            inner = self._fields.get(node.attr, []) if node.attr in _FIELDS or node.attr.isupper() else []
        elif isinstance(node, ast.Call):
            inner = list(self._returned_values(node))
        else:
            inner = _parts(node)
        for part in inner:
            self._follow(part, where)

    def _scope(self, node: ast.AST) -> ast.AST:
        while not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module):
            node = self._above[node]
        return node

    def _assigned_values(self, name: str, node: ast.AST) -> Iterator[ast.expr]:
        """The values assigned to a name in the functions around a node; for some parameters, the arguments passed."""
        scope = self._scope(node)
        found = [value for inner in ast.walk(scope) for target, value in _assignments(inner) if target == name]
        if not isinstance(scope, ast.Module):
            names = [a.arg for a in (*scope.args.posonlyargs, *scope.args.args)]
            if name in names or name in (a.arg for a in scope.args.kwonlyargs):
                found += self._passed_arguments(scope, name, names) if name in _PARAMETERS else []
            elif not found:
                yield from self._assigned_values(name, self._above[scope])
        yield from found

    def _passed_arguments(self, function: ast.FunctionDef, name: str, names: list[str]) -> Iterator[ast.expr]:
        """The arguments that calls pass for a parameter, and its default."""
        known = function.name if function.name != "__init__" else getattr(self._above[function], "name", "")
        at = names.index(name) - (names[0] in ("self", "cls")) if name in names else None
        for call in self._calls.get(known, []):
            yield from (word.value for word in call.keywords if word.arg == name)
            if at is not None and at < len(call.args):
                yield call.args[at]
        defaults = dict(zip(reversed(names), reversed(function.args.defaults), strict=False))
        yield from (default for other, default in defaults.items() if other == name)

    def _returned_values(self, call: ast.Call) -> Iterator[ast.expr]:
        name = _name(call)
        if name in ("join", "tuple", "one_line", "safe", "fromkeys", "str", "hide", "filter", "map"):
            yield from call.args
        if name in ("items", "values", "get") and isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name | ast.Attribute | ast.Dict):  # fmt: skip
            yield call.func.value
        functions = [] if name in _SILENT else self._functions.get(name, [])
        near = [function for function in functions if self._module(function) is self._module(call)]
        for function in near or functions if len(near or functions) <= 2 else ():
            yield from self._results(function)

    def _results(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
        for node in ast.walk(function):
            if (
                isinstance(node, ast.Return | ast.Yield | ast.YieldFrom)
                and node.value
                and self._scope(node) is function
            ):
                yield node.value

    def _module(self, node: ast.AST) -> ast.AST:
        while node in self._above:
            node = self._above[node]
        return node


def _is_shown(function: ast.FunctionDef, path: str) -> bool:
    shows = function.returns is not None and "Sheet | str" in ast.unparse(function.returns)
    return shows or (path, function.name) in _SHOWN


def _messages(call: ast.Call, path: str) -> Iterator[ast.AST]:
    name = _name(call)
    takes = (0,) if (path, name) in _ELSEWHERE else _TAKES.get(name, ())
    if name == "Column" and path.startswith(_NO_SHEETS):
        return
    if name == "warning" and call.args and isinstance(text := call.args[0], ast.Constant):
        yield _with_places(text, call.args[1:])
    for key in takes:
        if key == _ALL:
            yield from call.args[1:] if name == "warning" else call.args
        elif isinstance(key, int):
            yield from call.args[key : key + 1]
        else:
            yield from (word.value for word in call.keywords if word.arg == key)


def _with_places(text: ast.Constant, values: list[ast.expr]) -> ast.JoinedStr:
    """A text of logging with its values, as an f-string."""
    pieces = re.split(r"%[.\d]*[sdfg]", str(text.value))
    parts: list[ast.expr] = [ast.Constant(pieces[0])]
    for value, piece in zip(values, pieces[1:], strict=True):
        parts += [ast.FormattedValue(value, -1), ast.Constant(piece)]
    return ast.JoinedStr(parts)


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _parts(node: ast.AST) -> list[ast.expr]:
    """The expressions of which a value may consist."""
    match node:
        case ast.BinOp(left, ast.Add(), right):
            return [left, right]
        case ast.BinOp(left):
            return [left]
        case ast.IfExp(_, one, other):
            return [one, other]
        case ast.BoolOp(_, values) | ast.Dict(_, values):
            return values
        case ast.Tuple(values) | ast.List(values) | ast.Set(values):
            return values
        case ast.GeneratorExp(value) | ast.ListComp(value):
            return [value]
        case ast.Starred(value) | ast.Subscript(value) | ast.NamedExpr(_, value) | ast.FormattedValue(value):
            return [value]
    return []


def _assignments(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The names that a node assigns to, each with the value; of loops the values gone through."""
    match node:
        case ast.Assign(targets=[ast.Name(name)], value=value):
            yield name, value
        case ast.Assign(targets=[ast.Tuple(names)], value=value):
            choices = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
            for choice in choices:
                if not isinstance(choice, ast.Tuple):
                    yield from ((n.id, choice) for n in names if isinstance(n, ast.Name))
                else:
                    yield from ((n.id, v) for n, v in zip(names, choice.elts, strict=False) if isinstance(n, ast.Name))
        case ast.AnnAssign(ast.Name(name), _, value) | ast.AugAssign(ast.Name(name), _, value):
            if value is not None:
                yield name, value
        case ast.NamedExpr(ast.Name(name), value):
            yield name, value
        case ast.For(ast.Name(name), value) | ast.comprehension(ast.Name(name), value):
            yield name, value
        case ast.For(ast.Tuple(names), value) | ast.comprehension(ast.Tuple(names), value):
            yield from ((n.id, value) for n in names if isinstance(n, ast.Name))
        case ast.Call(ast.Attribute(ast.Name(name), "append" | "extend"), values):
            yield from ((name, value) for value in values)


def _template(node: ast.Constant | ast.JoinedStr) -> tuple[str, list[ast.expr]]:
    """(template, the expressions in its places)."""
    made, values, times = "", [], {}
    for part in node.values if isinstance(node, ast.JoinedStr) else [node]:
        if isinstance(part, ast.Constant):
            made += str(part.value).replace("{", "{{").replace("}", "}}") if isinstance(part.value, str) else ""
        elif isinstance(part, ast.FormattedValue):
            name = next(_names(part.value), "x")
            times[name] = times.get(name, 0) + 1
            quoted = {114: "!r", 97: "!a"}.get(part.conversion, "")
            made += f"{{{name}{times[name] if times[name] > 1 else ''}{quoted}}}"
            values.append(part.value)
    return made, values


def _names(node: ast.AST) -> Iterator[str]:
    """Names for a placeholder: the variables in its expression; for a call, the names of its arguments."""
    match node:
        case ast.Call(function, arguments):
            if not arguments and isinstance(function, ast.Attribute):
                yield from _names(function.value)
            elif not arguments and isinstance(function, ast.Name):
                yield function.id.strip("_").lower()
            for argument in arguments:
                yield from _names(argument)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            yield name.strip("_").lower()
        case ast.GeneratorExp() | ast.ListComp():
            yield from _names(node.generators[0].iter)
        case ast.Subscript(value, key):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value
            else:
                yield from _names(value)
        case ast.IfExp(_, one, other):
            yield from _names(one)
            yield from _names(other)
        case _:
            for inner in ast.iter_child_nodes(node):
                yield from _names(inner)
