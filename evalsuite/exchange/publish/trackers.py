"""Log models of a run to Weights & Biases, MLflow or SwanLab. Their own environment variables say where and as whom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from evalsuite.common.files import name_hash
from evalsuite.common.terminal import say
from evalsuite.exchange.publish.logged import LoggedModel, tables_of
from evalsuite.frames.libraries import need

_SWANLAB_NAME = 250  # the most characters of a name that SwanLab takes
_LONGEST = 500  # the most characters of a value that every version of MLflow takes


def log_to_wandb(run: Path, model: LoggedModel, project: str) -> None:
    """Log a model as a run of Weights & Biases.

    WANDB_MODE=offline writes to WANDB_DIR, for `wandb sync`. The settings keep its client from sending code, the state
    of git or facts of this machine.
    """
    wandb = need("wandb")
    quiet = {
        "console": "off",
        "save_code": False,
        "disable_git": True,
        "disable_code": True,
        "silent": True,
        "x_disable_meta": True,
        "x_disable_stats": True,
        "x_disable_machine_info": True,
        "host": "-",
    }
    known = wandb.Settings.model_fields  # the names with x_ differ between versions
    settings = wandb.Settings(**{key: value for key, value in quiet.items() if key in known})
    with (
        wandb.init(
            project=project,
            name=model.name,
            group=model.run,
            job_type="evaluation",
            config=model.config,
            notes="\n".join(model.remarks),
            settings=settings,
            reinit="finish_previous",
        ) as logged,
        tables_of(run, model.model) as files,
    ):
        logged.summary.update(model.metrics)
        artifact = wandb.Artifact(_artifact(model.name), type="evaluation")
        for file in files:
            artifact.add_file(str(file), name=file.name)
        logged.log_artifact(artifact)


def log_to_mlflow(run: Path, model: LoggedModel, project: str) -> None:
    """Log a model as a run of MLflow, in the experiment `project`.

    MLFLOW_TRACKING_URI says where, such as sqlite:///mlflow.db.
    """
    need("mlflow", "mlflow-skinny")
    from mlflow import MlflowClient
    from mlflow.entities import Metric, Param

    client: Any = MlflowClient()
    known = client.get_experiment_by_name(project)
    experiment = known.experiment_id if known else client.create_experiment(project)
    tags = {**model.tags, "model": model.model, "run": model.run}
    if model.remarks:
        tags["mlflow.note.content"] = "\n".join(model.remarks)
    info = client.create_run(experiment, tags=tags, run_name=model.name).info
    with _final_state(client, info.run_id), tables_of(run, model.model) as files:
        _in_parts(client, info.run_id, [Param(key, _cut(key, value)) for key, value in model.params.items()], "params")
        _in_parts(client, info.run_id, [Metric(k, v, info.start_time, 0) for k, v in model.metrics.items()], "metrics")
        for file in files:
            client.log_artifact(info.run_id, str(file), "tables")


def log_to_swanlab(run: Path, model: LoggedModel, project: str) -> None:
    """Log a model as a run of SwanLab, without tables, since SwanLab would keep links to the files in place of their content.

    SWANLAB_MODE=offline writes to SWANLAB_LOG_DIR, for `swanlab sync`. The settings keep its client from sending
    facts of this machine.
    """
    swanlab = need("swanlab")
    probes = ("hardware", "runtime", "requirements", "conda", "git", "swanlab", "monitor")
    settings = swanlab.Settings(interactive=False, probe=dict.fromkeys(probes, False), terminal={"proxy_type": "none"})
    logged = swanlab.init(
        project=project,
        name=model.name.replace("/", " ")[:_SWANLAB_NAME],
        group=model.run,
        job_type="evaluation",
        description="\n".join(model.remarks)[:_SWANLAB_NAME] or None,
        config=model.config,
        settings=settings,
        reinit=True,
    )
    try:
        logged.log(model.metrics)
    except BaseException as error:
        logged.finish(state="crashed", error=type(error).__name__)
        raise
    logged.finish()


@contextmanager
def _final_state(client: Any, run: str) -> Iterator[None]:
    """Tell MLflow how its run ended, since MLflow would show a run that broke off as running."""
    try:
        yield
    except BaseException:
        with suppress(Exception):  # the failing server may not accept the end of the run
            client.set_terminated(run, "FAILED")
        raise
    client.set_terminated(run)


def _in_parts(client: Any, run_id: str, values: list[Any], kind: str) -> None:
    """Log in parts of 100: a server takes no more parameters at once."""
    for start in range(0, len(values), 100):
        client.log_batch(run_id, **{kind: values[start : start + 100]})


def _artifact(name: str) -> str:
    """The name with "_" for each character that names of artifacts of Weights & Biases may not have. If more than "/" is replaced
    or the name is cut, a hash keeps it apart from the names of other models."""
    plain = re.sub(r"[^A-Za-z0-9_.-]", "_", name)
    return plain if plain == name.replace("/", "_") and len(plain) <= 128 else f"{plain[:100]}_{name_hash(name)}"


def _cut(key: str, value: str) -> str:
    if len(value) > _LONGEST:
        say(f"{key}: only the first {_LONGEST} characters are logged", err=True)
    return value[:_LONGEST]
