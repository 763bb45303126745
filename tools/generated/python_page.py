"""docs/reference/python.md: the public functions with their docstrings and keywords, and the classes of their results."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import evalsuite
from evalsuite.common.flags import flags
from evalsuite.evaluation.costs import CostEstimate
from evalsuite.evaluation.second_reader import SecondReader
from evalsuite.evaluation.settings import Settings
from evalsuite.exchange.publish.export import ExportResult
from evalsuite.exposure import journey as exposure
from evalsuite.exposure import settings as exposed
from evalsuite.finetuning.settings import Sweep
from evalsuite.results.analysis import Results
from evalsuite.results.compare import Comparison
from evalsuite.review.judge.settings import JudgeSettings
from evalsuite.types import Answer, Cell, Item, Place, Request, Trial
from tools.generated.markdown import code, head, row, with_code_blocks, with_links

# Heading -> the public names below it.
GROUPS = {
    "Evaluate": ("run", "preview", "estimate_cost", "score", "report"),
    "Results": ("load", "compare", "export_results"),
    "More than a run": ("finetune", "judge", "contamination", "export"),
    "Answers in replies": ("parse_option", "parse_span"),
}
# Function -> the settings class whose fields are its keywords.
KEYWORDS: dict[str, type] = {
    "run": Settings,
    "score": SecondReader,
    "finetune": Sweep,
    "judge": JudgeSettings,
    "contamination": exposed.ContaminationSettings,
}
RETURNED: tuple[type, ...] = (
    Results,
    Comparison,
    CostEstimate,
    ExportResult,
    exposure.ContaminationResult,
    Answer,
    Cell,
    Place,
    Trial,
    Item,
    Request,
)

ABOUT = """\
# Python

Everything that the command line does, with the same names. Each name is imported on first use: `import evalsuite` loads
no torch. What a user can cause is raised as `evalsuite.common.errors.EvalsuiteError`: `ConfigError` (settings),
`DataError` (files of data), `BackendError` (a model cannot be loaded or asked).

```python
import evalsuite

done = evalsuite.run(model=["lexical"], tasks=["slot_identification"], limit=20, out="runs/try")
for cell in done.cells:
    print(cell.model, cell.set, cell.task, cell.metrics["accuracy"].value)
```

Made from the docstrings by `make generated`.
"""


def python_page() -> str:
    lines = [ABOUT]
    for heading, names in GROUPS.items():
        lines += [f"## {heading}", ""]
        for name in names:
            lines += [f"### evalsuite.{name}", "", *_signature(name), "", *_docstring(getattr(evalsuite, name)), ""]
            lines += _keywords(name, KEYWORDS[name]) if name in KEYWORDS else ()
    lines += [
        "## Settings",
        "",
        "`evalsuite.Settings` holds the keywords of `run`; its fields are in the table there.",
        "",
    ]
    lines += ["## What comes back", ""]
    for returned in RETURNED:
        lines += [f"### {returned.__name__}", "", *_docstring(returned), "", *_source(returned), ""]
    return "\n".join(lines).rstrip() + "\n"


def _docstring(documented: Any) -> list[str]:
    return with_code_blocks(with_links(inspect.getdoc(documented) or "", "../"))


def _signature(name: str) -> Iterator[str]:
    """The function's signature as a block of code, with a line for each parameter."""
    signature = inspect.signature(getattr(evalsuite, name))
    yield from ("```python", f"evalsuite.{name}(")
    parameters = [*signature.parameters.values()]
    for before, p in zip([None, *parameters], parameters, strict=False):
        if p.kind is p.KEYWORD_ONLY and (before is None or before.kind is not p.KEYWORD_ONLY):
            yield "    *,"
        stars = "**" if p.kind is p.VAR_KEYWORD else ""
        default = "" if p.default is p.empty else f" = {p.default!r}"
        yield f"    {stars}{p.name}: {p.annotation}{default},"
    yield from (f") -> {signature.return_annotation}", "```")


def _keywords(name: str, settings: type) -> Iterator[str]:
    flag_of: dict[str, Any] = flags(settings)
    yield from head(f"keyword of `{name}`", "type", "default", "meaning")
    for field in fields(settings):
        default = "required" if flag_of[field.name].required else code(repr(field.default))
        yield row(code(field.name), code(str(field.type).replace(" | ", " or ")), default, flag_of[field.name].help)
    yield ""


def _source(documented: type) -> Iterator[str]:
    """The source of a class's fields, between its docstring and its first function, as a block of code."""
    yield from ("```python", f"class {documented.__name__}:")
    for line in inspect.getsource(documented).split('"""', 2)[2].splitlines():
        if re.match(r"    (@|def )", line):
            break
        if line.strip():
            yield line.rstrip()
    yield "```"
