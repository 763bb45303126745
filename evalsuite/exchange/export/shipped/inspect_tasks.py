"""Tasks of evalsuite in inspect_ai: the data lie beside this file, evalsuite parses and scores the replies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai import Task, task  # noqa: F401  (used by the functions that `evalsuite export` appends)
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, GenerateConfig
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState, generate

try:
    from evalsuite.benchmarks.registry import add_run
    from evalsuite.exchange.export import callbacks
except ImportError as error:
    raise ImportError(
        "these tasks read replies with evalsuite (a version with `evalsuite export`), which is not in this "
        f"environment: pip install it, from its checkout with `pip install -e DIR` ({error})"
    ) from None

HERE = Path(__file__).parent
add_run(HERE)  # the benchmark files of the exported tasks, if they have any
# inspect_ai's stop reason -> evalsuite's finish; all others are "stop".
FINISH = {"max_tokens": "length", "model_length": "length", "content_filter": "content_filter"}


def sample(row: callbacks.ExportedRow, shots: int) -> Sample:
    """Turn a row of data into a sample: the first `shots` shots as turns, then the prompt."""
    if shots > len(row["shots"]):
        exported = len(row["shots"])
        raise ValueError(f"{shots} shots asked for, {exported} exported: use `evalsuite export --shots {shots}`")
    turns: list[ChatMessage] = []
    for shot in row["shots"][:shots]:
        turns += [ChatMessageUser(content=shot["prompt"]), ChatMessageAssistant(content=shot["target"])]
    turns.append(ChatMessageUser(content=row["prompt"]))
    return Sample(id=row["id"], input=turns, target=row["target"], metadata=row)


@scorer(metrics={"*": [mean(), stderr()]})
def evalsuite_reading() -> Scorer:
    """Parse and score a reply with evalsuite; the answer, its status and the rule are kept beside the score."""

    async def score(state: TaskState, target: Target) -> Score:
        finish = FINISH.get(state.output.stop_reason, "stop")
        answer, values = callbacks.read_reply(state.metadata, state.output.completion, finish)
        return Score(
            value={name: values[name] for name in callbacks.mean_names(state.metadata["task"])},
            answer=answer.text or "",
            explanation=f"{answer.status}: {answer.rule}",
            metadata={"reply": state.output.completion, "finish": finish},
        )

    return score


@metric(scores="unreduced")
def of_all() -> Metric:
    """The metrics that are no means over items: they are computed from all replies together."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        replies = [
            callbacks.read(each.sample_metadata, each.score.metadata["reply"], each.score.metadata["finish"])
            for each in scores
        ]
        values = callbacks.cell_values(tuple(replies))
        return {name: values[name] for name in scores[0].sample_metadata["pooled"] if name in values}

    return compute


def exported(file: str, shots: int, max_tokens: int, facts: dict[str, Any]) -> Task:
    samples = [sample(row, shots) for row in callbacks.read_rows(HERE / file)]
    return Task(
        dataset=MemoryDataset(samples, name=Path(file).stem),
        solver=generate(),
        scorer=evalsuite_reading(),
        metrics=[{"*": [mean(), stderr()]}, of_all()] if samples[0].metadata["pooled"] else None,
        config=GenerateConfig(max_tokens=max_tokens, temperature=0.0),
        version=facts["version"],
        metadata=facts,
    )
