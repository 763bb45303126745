"""manifest.json: the settings, machine, versions and data of the latest start of a run."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evalsuite.results.schema.base import Count, Hash, Perturb, Rows, Scoring, Split, Strict, TaskOrBenchmark


class RunSettings(Strict):
    """The flags of the latest start; paths are null in a submission."""

    models: str | None
    model: Rows[str]
    baselines: Rows[str] = Field(
        default_factory=list, description="Baselines evaluated beside the models, unless `model` names some."
    )
    tasks: Rows[TaskOrBenchmark]
    benchmark: Rows[str] | None = Field(default_factory=list, description="Benchmark files (docs/benchmark_file.md).")
    set: str = Field(description="Sets, comma-separated; both or all for all of them.")
    split: Split
    shots: Rows[Count]
    prompt: Rows[str]
    scoring: Rows[Scoring]
    perturb: Rows[Perturb]
    limit: Annotated[int, Field(ge=1)] | None
    items: str | None = None
    until_ranked: str | None = None
    until: str | None = Field(
        default=None,
        description="Half width in points of a cell's interval at which its asking stops; absent in older files.",
    )
    again: Literal["truncated"] | None = None
    max_new_tokens: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="The limit of replies that are asked again."
    )
    data: str | Rows[str] | None = Field(
        description="The folder of the data; a list of several; null if all tasks are of benchmark files."
    )
    out: str | None
    seed: int
    skip_bad: bool
    drop_leaked: bool
    prompts: str | None
    semsim: str | None = None
    budget: Annotated[float, Field(gt=0)] | None = Field(
        description="Limit on the total cost, in the currency of the models' prices."
    )
    max_concurrency: Annotated[int, Field(ge=1)] | None
    executor: Literal["local", "ray"]
    ray_address: str | None
    replicas: Annotated[int, Field(ge=1)] | None
    verbose: bool


class DataFile(Strict):
    """An official file of data."""

    sha256: Hash
    items: Count


class Manifest(Strict):
    """manifest.json: settings, versions, and hashes of the data files of the latest start."""

    started: str = Field(description="Local time, ISO 8601.")
    settings: RunSettings
    python: str
    platform: str
    packages: dict[str, str] = Field(description="Package -> version.")
    data: dict[str, DataFile] = Field(
        description="Data file, as set/folder/split/file -> its hash and number of items. The file of a wording that has one "
        "of its own ends with /wording."
    )
    replies: dict[str, Hash] | None = Field(
        default=None, description="Model -> hash of the file that its replies come from (backend scripted)."
    )
    scrubbed: dict[str, str] | None = Field(default=None, description="In a submission: what was removed, and why.")
