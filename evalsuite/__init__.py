"""evalsuite: how well do LLMs do commonsense reasoning over Chinese dialogues?

    import evalsuite
    results = evalsuite.run("models.yaml", model=["tiny-zh"], tasks=["event_cause"], limit=20, out="runs/try")

The public functions are named like the commands. Each is imported on first use (PEP 562), so that `import evalsuite`
loads neither torch nor transformers nor jieba.

    run, preview, score, report     evaluate; show prompts; score stored replies again; write the page
    estimate_cost                   the tokens and the cost of a run before it is started
    Settings                        the keywords of `run`
    finetune                        train LoRA adapters and evaluate them
    judge                           rate the generations of a run with a judge model
    contamination                   test whether models have read a benchmark's files
    compare                         test the difference between two models, settings or runs for significance
    load                            the results and replies of runs as data frames
    export_results                  a run's results as Parquet files, for a model's card, or for a tracker of experiments
    export                          write tasks for other evaluation harnesses
    parse_option, parse_span        parse the answer in a reply
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalsuite.evaluation.costs import estimate_cost as estimate_cost
    from evalsuite.evaluation.journey import preview as preview
    from evalsuite.evaluation.journey import run as run
    from evalsuite.evaluation.journey import score as score
    from evalsuite.evaluation.settings import Settings as Settings
    from evalsuite.exchange.export.task_folder import export as export
    from evalsuite.exchange.publish.export import export_results as export_results
    from evalsuite.exposure.journey import contamination as contamination
    from evalsuite.finetuning.sweep import finetune as finetune
    from evalsuite.frames.run import load as load
    from evalsuite.page.report import report as report
    from evalsuite.parse import parse_option as parse_option
    from evalsuite.parse import parse_span as parse_span
    from evalsuite.results.compare import compare as compare
    from evalsuite.review.judge.judging import judge as judge

_HOME = {
    "Settings": "evaluation.settings",
    "compare": "results.compare",
    "contamination": "exposure.journey",
    "estimate_cost": "evaluation.costs",
    "export": "exchange.export.task_folder",
    "export_results": "exchange.publish.export",
    "finetune": "finetuning.sweep",
    "judge": "review.judge.judging",
    "load": "frames.run",
    "parse_option": "parse",
    "parse_span": "parse",
    "preview": "evaluation.journey",
    "report": "page.report",
    "run": "evaluation.journey",
    "score": "evaluation.journey",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from evalsuite.metrics.signatures import package_version

        return package_version()
    if name not in _HOME:
        raise AttributeError(f"module 'evalsuite' has no attribute {name!r}")
    value = getattr(import_module(f"evalsuite.{_HOME[name]}"), name)
    globals()[name] = value  # so that the next access does not call this function
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
