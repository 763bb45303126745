"""`evalsuite requests`: the requests of a run as files, to be answered elsewhere.

`evalsuite replies` reads the replies (replies.py).

    plan.sqlite             the plan, a store without replies: `replies` needs neither models.yaml nor data
    keys.json               names of the environment variables with the endpoints' keys: `replies` masks their values
    manifest.json           settings, versions and hashes of the data, for the run that will be made
    MODEL.batch.jsonl       lines of OpenAI's batch API, which vLLM's run-batch takes, too; MODEL.batch-1.jsonl, … if they
                            exceed the largest file
    MODEL.prompts.jsonl     the same for any other program: key, prompt or messages, sampling

A request has the key that a run gives it, so a run takes its reply wherever that was made.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalsuite.backends.model import BatchAPI, Model
from evalsuite.backends.openai.backend import OpenAI, without_key
from evalsuite.backends.openai.batches import endpoint_of, under_way
from evalsuite.backends.openai.lines import in_files, request_line
from evalsuite.backends.openai.replies import LIMIT_NAMES
from evalsuite.backends.registry import engine_errors
from evalsuite.common.errors import ConfigError
from evalsuite.common.files import new_folder, replace_file, replacing, require_new, safe_name
from evalsuite.common.jsonl import JsonObject
from evalsuite.evaluation.journey import store_plan
from evalsuite.evaluation.manifest import keep_benchmark_files, write_manifest
from evalsuite.evaluation.plan import data_read, named_files, plan_cells, prepare, warn_of_skipped
from evalsuite.evaluation.settings import Settings
from evalsuite.results.store import Store
from evalsuite.types import SAMPLING, WRITTEN, Request

log = logging.getLogger(__name__)

PLAN = "plan.sqlite"
KEYS = "keys.json"
# Keys of a request's body; vLLM's and SGLang's engines use the same names.
_SAMPLING = (*LIMIT_NAMES, *SAMPLING, "stop")
_PROMPT = ("model", "messages", "prompt")

RequestsByKey = Mapping[str, Request]  # a reply's key -> its request


@dataclass(frozen=True, slots=True)
class WrittenRequests:
    """The requests of one model that were written."""

    model: str
    requests: int
    stored: int  # requests not written, since the run has their replies
    files: tuple[str, ...]  # within the folder; none if there was nothing to write


def write_requests(
    models: str | Path,
    folder: str | Path,
    run: str | Path | None = None,
    limit_name: str = "max_tokens",
    **settings: Any,
) -> list[WrittenRequests]:
    """Write the requests of a run into the new folder `folder`, all of it or nothing; `settings` are fields of `Settings`.

    run: the run's folder; requests that have a reply there are not written. limit_name: one of LIMIT_NAMES.
    Raises ConfigError for a folder that is not empty, for models that are not behind an endpoint and for scorings that no
    text can answer, and whatever `run` raises for its settings.
    """
    out = Path(folder)
    require_new(out)
    s, chosen, corpus, eval_sets = prepare(models, baselines=(), **settings, **({"out": run} if run else {}))
    if s.stops:
        raise ConfigError(
            "--until, --until-ranked: stop on what the replies say, and requests for elsewhere are written before; run it here"
        )
    _require_written(s, chosen)
    warn_of_skipped(eval_sets)
    done = []
    with new_folder(out) as draft:
        keep_benchmark_files(draft, {x.task.benchmark for x in eval_sets})
        write_manifest(draft, s, data_read(s, eval_sets), named_files(s, chosen, corpus, eval_sets))
        replace_file(draft / KEYS, json.dumps(sorted({m.api.key_env for m in chosen if m.api.key_env})) + "\n")
        with Store(draft / PLAN) as plan:
            seen: set[str] = set()
            for model in chosen:
                with engine_errors(model):
                    backend = without_key(model)
                cells = store_plan(plan_cells(s, model, backend, corpus, eval_sets), model, backend, plan)
                requests = {
                    key: trial.request
                    for _, trials, keys in cells
                    for trial, key in zip(trials, keys, strict=True)
                    if key not in seen  # written already for another entry of the same model
                }
                seen |= requests.keys()
                stored = _stored(run, backend, requests)
                left = {key: request for key, request in requests.items() if key not in stored}
                files = _write(draft, backend, left, limit_name) if left else ()
                done.append(WrittenRequests(model.name, len(left), len(stored), files))
    return done


def _require_written(s: Settings, models: Sequence[Model]) -> None:
    for model in models:
        if model.backend != "openai":
            raise ConfigError(
                f"model {model.name}: backend {model.backend} sends no requests, and its replies hang on what it loads; "
                "name an entry of backend: openai, whose path is the name that the other program knows the model by"
            )
    for name in s.scoring:
        if name not in WRITTEN:
            raise ConfigError(
                f"--scoring {name}: compares likelihoods, and a reply from elsewhere is a text; run it here"
            )
        if name == "constrained":
            raise ConfigError(
                "--scoring constrained: backend openai sends no such constraint, as servers spell it differently; "
                "--scoring generate reads free replies"
            )


def _stored(run: str | Path | None, backend: OpenAI, requests: RequestsByKey) -> set[str]:
    """The keys of requests to which the run has a reply; none if the run's folder does not exist yet."""
    if not run or not (path := Path(run) / "store.sqlite").is_file():
        return set()
    with Store(path) as store:
        done = store.done(requests)
        left = [request for key, request in requests.items() if key not in done]
        if twice := under_way(backend, left, store):
            log.warning(
                "model %s: %d of these requests are under way in batches of %s: sent once more, they are paid twice; run it "
                "again to take their replies",
                backend.model.name,
                twice,
                run,
            )
    return done


def _write(folder: Path, backend: OpenAI, requests: RequestsByKey, limit_name: str) -> tuple[str, ...]:
    """Write the files of a model; returns their names."""
    name, limits = safe_name(backend.model.name), backend.model.api.batch or BatchAPI()
    url = limits.endpoint or endpoint_of(backend.model)
    batch_lines = (request_line(key, url, backend.whole_body(r, limit_name)) for key, r in requests.items())
    batches = list(in_files(batch_lines, limits.requests, limits.megabytes))
    numbers = [""] if len(batches) == 1 else [f"-{n}" for n in range(1, len(batches) + 1)]
    files = {f"{name}.batch{n}.jsonl": lines for n, lines in zip(numbers, batches, strict=True)}
    files[f"{name}.prompts.jsonl"] = [
        json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in _plain_lines(backend, requests)
    ]
    for name, lines in files.items():
        with replacing(folder / name) as file:
            file.writelines(lines)
    return tuple(files)


def _plain_lines(backend: OpenAI, requests: RequestsByKey) -> Iterator[JsonObject]:
    for key, request in requests.items():
        body = backend.whole_body(request)
        prompt = {name: body[name] for name in _PROMPT if name in body}
        sampling = {name: body[name] for name in _SAMPLING if name in body}
        parameters = {name: value for name, value in body.items() if name not in (*_PROMPT, *_SAMPLING)}
        yield {"key": key, **prompt, "sampling": sampling, **({"parameters": parameters} if parameters else {})}
