"""evalsuite: how well do LLMs do commonsense reasoning over Chinese dialogues?

    import evalsuite
    results = evalsuite.run("models.yaml", model=["tiny-zh"], tasks=["event_cause"], limit=20, out="runs/try")

What the command line does can be done from here with the same names. Everything is loaded when first used: importing
this loads neither torch nor transformers nor jieba, nor anything else that takes time.

    run, score, report, preview     the journey and its parts; Settings: the keywords of `run`
    finetune                        LoRA adapters for a model, and how they do
    export                          CORECODE's tasks for other harnesses
    judge                           a model scores a run's generations
    compare                         one model of a run against another
    parse_option, parse_span        an answer out of any reply
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalsuite.evaluation.journey import Settings as Settings
    from evalsuite.evaluation.journey import preview as preview
    from evalsuite.evaluation.journey import run as run
    from evalsuite.evaluation.journey import score as score
    from evalsuite.exchange.export.task_folder import export as export
    from evalsuite.finetuning.sweep import finetune as finetune
    from evalsuite.page.report import report as report
    from evalsuite.parse import parse_option as parse_option
    from evalsuite.parse import parse_span as parse_span
    from evalsuite.results.compare import compare as compare
    from evalsuite.review.judge.judging import judge as judge

_HOME = {
    "Settings": "evaluation.journey",
    "compare": "results.compare",
    "export": "exchange.export.task_folder",
    "finetune": "finetuning.sweep",
    "judge": "review.judge.judging",
    "parse_option": "parse",
    "parse_span": "parse",
    "preview": "evaluation.journey",
    "report": "page.report",
    "run": "evaluation.journey",
    "score": "evaluation.journey",
}
__all__ = list(_HOME)


class _Package(ModuleType):
    """Some functions are called as their modules are (`run` in run.py): importing the module must not hide the function."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'evalsuite' has no attribute {name!r}")
        value = getattr(import_module(f"evalsuite.{_HOME[name]}"), name)
        setattr(self, name, value)
        return value


sys.modules[__name__].__class__ = _Package
