"""Accuracy of other suites' extractors on the labelled corpus of real replies, beside the reader of this one.

    EVALSUITE_ANSWERS=<folder> python benchmarks/extractors.py [--opencompass CHECKOUT] [--evalscope CHECKOUT]

The extractors are imported from an installed package or from a checkout of its repository; a suite without either is left out.
From a checkout only the extractors' file is loaded, with empty stand-ins for the modules that it imports for registries and
types. Every suite gets the same replies, without those from which this reader's rules were made. A letter that no option has is no
answer.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import corpus

Extract = Callable[[corpus.Row], set[str]]  # returns the letters that a reply chooses


def load_module(
    package: str, module: str, checkout: Path | None, stand_ins: dict[str, dict[str, Any]]
) -> ModuleType | None:
    """A module of a package, from a checkout or as installed; None if neither has it."""
    if checkout is None:
        try:
            return importlib.import_module(module)
        except ImportError:
            return None
    names = [".".join(name.split(".")[:n]) for name in stand_ins for n in range(1, name.count(".") + 2)]
    for name in (package, *names):
        sys.modules.setdefault(name, ModuleType(name))
    for name, values in stand_ins.items():
        vars(sys.modules[name]).update(values)
    spec = importlib.util.spec_from_file_location(module, checkout / f"{module.replace('.', '/')}.py")
    if spec is None or spec.loader is None:
        return None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


class Registry:
    """A registry whose decorator leaves functions as they are."""

    def register_module(self, *_: object, **__: object) -> Callable[[Any], Any]:
        return lambda function: function


def opencompass(checkout: Path | None, several: bool) -> dict[str, Extract]:
    module = load_module(
        "opencompass", "opencompass.utils.text_postprocessors", checkout,
        {"opencompass.registry": {"TEXT_POSTPROCESSORS": Registry()}},
    )  # fmt: skip
    if module is None:
        return {}

    def one(name: str) -> Extract:
        function = getattr(module, name)
        return lambda row: {*function(row["output"], "".join(row["options"]))[:1]}

    if several:
        return {
            "OpenCompass multiple_select_postprocess": lambda row: {*module.multiple_select_postprocess(row["output"])}
        }
    return {f"OpenCompass {name}": one(name) for name in ("first_option_postprocess", "last_option_postprocess")}


def evalscope(checkout: Path | None) -> dict[str, Extract]:
    module = load_module(
        "evalscope", "evalscope.utils.multi_choices", checkout,
        {"evalscope.api.evaluator": dict.fromkeys(("Choices", "Target", "TaskState"), object)},
    )  # fmt: skip
    if module is None:
        return {}

    def read(function: Callable[..., set[str]]) -> Extract:
        def extract(row: corpus.Row) -> set[str]:
            state = SimpleNamespace(output=SimpleNamespace(completion=row["output"]), choices=[*row["options"]])
            return {*function(state, multiple_correct="labels" in row)}

        return extract

    return {f"evalscope {name}": read(getattr(module, name)) for name in ("parse_answers_zh", "parse_answers")}


def our_letters(row: corpus.Row) -> set[str]:
    letters_read = corpus.read_label(row)
    return {*letters_read} if isinstance(letters_read, list) else {letters_read} - {None}


def kind(row: corpus.Row, letters_read: set[str]) -> str:
    letters = {letter for letter in letters_read if re.fullmatch("[A-Z]", letter)} & {*row["options"]}
    if "label" in row and len(letters) > 1:
        letters = set()  # several letters are no answer where one is asked for
    wanted = {*row["labels"]} if "labels" in row else {row["label"]} - {None}
    return "right" if letters == wanted else "invented" if not wanted else "wrong" if letters else "missed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opencompass", type=Path, help="a checkout of open-compass/opencompass")
    parser.add_argument("--evalscope", type=Path, help="a checkout of modelscope/evalscope")
    given = parser.parse_args()
    try:
        rows = [row for row in corpus.replies() if row["blind"]]
    except corpus.MissingReplies as missing:
        sys.exit(str(missing))
    for several in (False, True):
        extractors = {"evalsuite": our_letters, **opencompass(given.opencompass, several), **evalscope(given.evalscope)}
        of_kind = [row for row in rows if ("labels" in row) == several]
        none = sum(not row.get("label", row.get("labels")) for row in of_kind)
        print(
            f"| {'several options' if several else 'one option'}, {len(of_kind)} ({none} without an answer) | right | wrong | invented | missed |"
        )
        print("|---|--:|--:|--:|--:|")
        for name, extract in extractors.items():
            counts = Counter(kind(row, extract(row)) for row in of_kind)
            print(
                f"| {name} | {counts['right'] / len(of_kind):.1%} | "
                + " | ".join(str(counts[k]) for k in corpus.KINDS[1:])
                + " |"
            )
        print()


if __name__ == "__main__":
    main()
