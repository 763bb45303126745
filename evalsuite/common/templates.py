"""Jinja templates of prompts: sandboxed, with limits on their work, and errors that name template and line.

A template comes with data or a package, so it may be a stranger's. It reaches no Python objects and no files (Jinja's sandbox),
and is stopped after LOOPS passes and calls or LONGEST characters. A single filter over a long list counts as one call.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from functools import lru_cache, wraps
from pathlib import Path
from types import CodeType
from typing import Any

import yaml
from jinja2 import Environment, StrictUndefined, Template, TemplateSyntaxError, UndefinedError, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension, loopcontrols
from jinja2.filters import FILTERS
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment
from pydantic import ValidationError

from evalsuite.common.errors import DataError, PromptError
from evalsuite.common.files import read_text
from evalsuite.common.jsonl import PydanticModel
from evalsuite.common.yamltext import parse_yaml

_HEAD = re.compile(r"\s*\{#-?(.*?)-?#\}", re.DOTALL)
LOOPS = 1_000_000  # the most passes of loops, calls and elements of ranges in one rendering
LONGEST = 10_000_000  # the most characters of a rendering
LARGEST = 1_000_000  # numbers given to operators, filters and methods must be smaller than this
_WIDTH = re.compile(r"[%:][^a-zA-Z%{}]*\d{7}")  # a width in a format: %9999999d, {:9999999}


class TemplateFile:
    """A compiled template with its source and hash."""

    def __init__(self, path: Path) -> None:
        """Read and compile the file. Raises PromptError if it cannot be read or is no template."""
        self.path = path
        try:
            self.source = read_text(path)
        except DataError as error:
            raise PromptError(str(error)) from None
        self.sha256 = hashlib.sha256(self.source.encode()).hexdigest()
        self._environment = _environment()
        try:
            code = _compiled(self.source)
            self._template = Template.from_code(self._environment, code, self._environment.make_globals(None))
        except TemplateSyntaxError as error:
            raise PromptError(f"{path}:{error.lineno}: {error.message}") from None
        except Exception as error:  # such as RecursionError: nested too deeply
            raise PromptError(f"{path}: {type(error).__name__}: {error}") from None

    def head(self, model: type[PydanticModel]) -> PydanticModel:
        """The comment {#- … -#} at the top of the template, as YAML of a pydantic `model`; without one the model's defaults.

        Raises PromptError, which names the field, if it is no such YAML.
        """
        comment = _HEAD.match(self.source)
        # Blanks in front of the text keep the columns right that error messages name.
        text = " " * comment.start(1) + comment.group(1) if comment else ""
        if not any(re.search(rf"(?m)^\s*{name}\s*:", text) for name in model.model_fields):
            return _valid(model, {}, self.path)  # no comment, or one that sets nothing
        try:
            return _valid(model, parse_yaml(text)[0], self.path)
        except yaml.YAMLError as error:
            raise PromptError(f"{self.path}: {error}") from None

    def render(self, variables: dict[str, Any], about: str) -> str:
        """The text. Raises PromptError, which names template, line and `about`, whatever the template raises."""
        self._environment.spent = size = 0
        parts = []
        try:
            for part in self._template.generate(variables):
                parts.append(part)
                size += len(part)
                if size > LONGEST:
                    raise Endless(f"writes more than {LONGEST:,} characters")
        except Exception as error:
            if isinstance(error, UndefinedError):
                message = f"{error} here; docs/prompts.md lists the variables ({about})"
                raise PromptError(f"{self.path}:{_line(error)}: {message}") from None
            kind = "" if isinstance(error, Endless) or not str(error) else f"{type(error).__name__}: "
            message = f"{kind}{error}" or type(error).__name__
            raise PromptError(f"{self.path}:{_line(error)}: {message} ({about})") from None
        return "".join(parts)


def _valid(model: type[PydanticModel], value: Any, path: Path) -> PydanticModel:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise PromptError(f"{path}: {f'{field}: ' if field else ''}{first['msg']}") from None


class _GenerationBlock(Extension):
    """The block that training templates put around a reply; transformers ignores it in prompts."""

    tags = {"generation"}  # noqa: RUF012 - as jinja types it

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def check_chat_template(text: str, path: Path | None = None) -> None:
    """Raise PromptError, with the line, if transformers could not read this chat template. `path`: the file that holds it."""
    try:
        Environment(extensions=[_GenerationBlock, loopcontrols]).parse(text)
    except TemplateSyntaxError as error:
        raise PromptError(f"{f'{path}:' if path else 'line '}{error.lineno}: {error.message}") from None
    except Exception as error:  # such as RecursionError: nested too deeply
        raise PromptError(f"{f'{path}: ' if path else ''}{type(error).__name__}: {error}") from None


class Endless(Exception):
    """A template does more than a prompt can need."""


def _refuse_large(values: Iterable[Any]) -> None:
    """Raise Endless for a large number: a filter or a method, such as `center(10 ** 9)`, could make a text of that length."""
    for value in values:
        if isinstance(value, int | float) and abs(value) >= LARGEST:
            raise Endless("filters and methods are for numbers below a million")


def _refuse_wide(form: str) -> None:
    """Raise Endless for a format that pads to a million characters or more."""
    if _WIDTH.search(form):
        raise Endless("a format is for widths below a million")


def _refuse_growth(method: str, owner: Any, args: Sequence[Any]) -> None:
    """Raise Endless for a call that makes a far longer text of a short one."""
    size = 0
    if method == "translate":
        size = LONGEST + 1
    elif method == "replace" and len(args) > 1:
        size = str(owner).count(str(args[0])) * len(str(args[1]))
    elif method == "join" and args:  # ", ".join(texts), and texts | join(", ")
        texts, mark = (args[0], owner) if isinstance(owner, str) else (owner, str(args[0]))
        size = len(texts) * len(mark) if isinstance(texts, Sized) else 0
    _refuse_long(method, size)


def _refuse_long(name: str, size: int) -> None:
    """Raise Endless if the text that an operator or a call is about to make is too long."""
    if size > LONGEST:
        raise Endless(f"{name} makes a text of more than {LONGEST:,} characters")


class _CountingCompiler(CodeGenerator):
    """Compiles loops so that their passes are counted, and a ~ b so that its length is checked."""

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        self.write("environment.join_parts((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:
        for loop in list(node.find_all(nodes.For)):
            if loop.recursive:  # inner loops of a recursive loop would not be counted
                self.fail("recursive loops are not supported", loop.lineno)
            loop.iter = nodes.Filter(loop.iter, "counted", [], [], None, None, lineno=loop.lineno)
        super().visit_Template(node, frame)


class _Bounded(SandboxedEnvironment):
    """A sandbox that counts the passes of loops, the calls, and the elements of ranges."""

    code_generator_class = _CountingCompiler
    intercepted_binops = frozenset(("*", "**", "%", "+"))

    def __init__(self, passes: int, **settings: Any) -> None:
        super().__init__(**settings)
        self.spent, self.passes = 0, passes
        self.filters = {name: self._bounded(name, func) for name, func in self.filters.items() if name != "random"}
        self.filters["counted"] = self._counted
        self.globals["range"] = self._range
        del self.globals["lipsum"]

    def spend(self, count: int = 1) -> None:
        self.spent += count
        if self.spent > self.passes:
            raise Endless(f"takes more than {self.passes:,} passes through its loops and calls")

    def _counted(self, values: Iterable[Any]) -> Iterator[Any]:
        for value in values:
            self.spend()
            yield value

    def _range(self, *numbers: int) -> range:
        numbers_range = range(*numbers)
        self.spend(min(len(numbers_range), self.passes + 1) if numbers_range else 0)
        return numbers_range

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        bounded = super().wrap_str_format(value)
        if bounded is not None:
            _refuse_wide(str(value.__self__))
        return bounded

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        __self.spend()
        _refuse_large((*args, *kwargs.values()))
        if isinstance(owner := getattr(__obj, "__self__", None), str):
            _refuse_growth(__obj.__name__, owner, args)
        return __self._charged(super().call(__context, __obj, *args, **kwargs))

    def _charged(self, value: Any) -> Any:
        """The value that a filter, a method or an operator made; long texts and lists count as passes, a thousand characters or
        a hundred elements each."""
        if isinstance(value, str | list | tuple | dict):
            self.spend(len(value) // (1000 if isinstance(value, str) else 100))
        return value

    def join_parts(self, parts: Sequence[Any]) -> str:
        """The text of a ~ b ~ c."""
        texts = [str(self.finalize(part) if self.finalize else part) for part in parts]
        _refuse_long("~", sum(map(len, texts)))
        return str(self._charged("".join(texts)))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if operator == "+":
            if isinstance(left, Sized) and isinstance(right, Sized):
                _refuse_long("+", len(left) + len(right))
            return self._charged(super().call_binop(context, operator, left, right))
        if operator == "%" and isinstance(left, str):
            _refuse_wide(left)
            _refuse_large(right if isinstance(right, tuple) else (right,))
        elif not all(isinstance(side, int | float) and abs(side) < LARGEST for side in (left, right)):
            raise Endless(f"{operator} is for numbers below a million")
        return self._charged(super().call_binop(context, operator, left, right))

    def _bounded(self, name: str, func: Callable[..., Any]) -> Callable[..., Any]:
        """A filter that refuses large numbers and growth. `wraps` keeps Jinja's marks, such as that for its first argument."""

        @wraps(func)
        def called(*args: Any, **kwargs: Any) -> Any:
            _refuse_large((*(arg for arg in args[1:] if not isinstance(arg, list)), *kwargs.values()))
            if func is FILTERS["format"]:
                _refuse_wide(str(args[0]))
            if name in ("replace", "join"):  # the environment or its context comes first
                _refuse_growth(name, args[1], (*args[2:], *kwargs.values()))
            return self._charged(func(*args, **kwargs))

        return called


def _environment() -> _Bounded:
    # No escaping: prompts are not HTML, and the official text must stay byte for byte.
    return _Bounded(LOOPS, undefined=StrictUndefined, autoescape=False)


def sandbox(passes: int, shown: Callable[[Any], Any]) -> _Bounded:
    """The same sandbox for expressions. It stops an expression after `passes` passes through loops and calls. `shown`: a value ->
    the value that stands for it in a text."""
    return _Bounded(passes, undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True, finalize=shown)


@lru_cache(256)
def _compiled(source: str) -> CodeType:
    """The code of a template, compiled once for all cells of a run. It runs in any `_environment`."""
    return _environment().compile(source)


def _line(error: BaseException) -> int:
    """The line of the template in which `error` was raised."""
    line, trace = 1, error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
