"""A vLLM engine that gets its requests one by one, so that it never idles, and gives results at every step."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from evalsuite.backends.base import require_extra
from evalsuite.backends.checkpoint import Checkpoint
from evalsuite.backends.model import Model
from evalsuite.common.errors import BackendError

MOST_LOGPROBS = 128  # the most of the likeliest next tokens that a request may ask for, as beam search does


@dataclass(frozen=True, slots=True)
class EngineRequest:
    """One request to the engine."""

    ids: Sequence[int]  # the prompt's token ids
    params: Any  # vllm.SamplingParams
    adapter: Any = None  # vllm's LoRARequest


# A job: a generator that yields requests, receives vLLM's outputs in the same order, and returns its result. A job that waits
# for another one yields an empty list, and resumes after the engine's next step.
JobSteps = Generator[list[EngineRequest], list[Any], Any]


@dataclass(frozen=True, slots=True)
class FailedJob:
    """The result of a job with a request that the engine refused or did not finish."""

    error: str


@dataclass(slots=True)
class _RunningJob:
    """A job in progress."""

    number: int
    steps: JobSteps
    names: list[str] = field(default_factory=list)  # ids of its requests at the engine
    outputs: dict[str, Any] = field(default_factory=dict)  # id of a request -> vLLM's output


@dataclass(slots=True)
class _JobQueue:
    """The jobs of one call of `Engine.run`."""

    in_flight: dict[str, _RunningJob] = field(default_factory=dict)  # id of a request at the engine -> its job
    waiting: list[_RunningJob] = field(default_factory=list)  # jobs that wait for another job's result
    ready: list[tuple[int, Any]] = field(default_factory=list)  # (number, result) of jobs that have ended


class Engine:
    """A vllm.LLM, shared by models that differ only in adapter, prompts and decoding."""

    def __init__(self, model: Model, checkpoint: Checkpoint) -> None:
        # vLLM's log is verbose; errors are reported here.
        os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
        require_extra(model, "vllm", "vllm.platforms")
        import vllm
        from vllm.platforms import current_platform

        self.device = str(current_platform.device_type)
        if model.device not in ("auto", self.device):
            raise BackendError(
                f"model {model.name}: device: {model.device}, but this vLLM runs on {self.device}; set device: auto"
            )
        self.model, v = model, model.vllm
        self.lora = model.adapter is not None
        arguments: dict[str, Any] = {
            "model": checkpoint.path,
            "revision": model.revision,
            "tokenizer_revision": model.revision,
            "trust_remote_code": model.trust_remote_code,
            "dtype": model.dtype,
            **v.model_dump(exclude={"max_lora_rank", "engine"}),
            "enable_prefix_caching": True,
            "max_logprobs": MOST_LOGPROBS,
            # Not the checkpoint's settings: its repetition penalty, for one, would distort the decoding.
            "generation_config": "vllm",
            # The library that hf uses (hf/pattern.py), so that patterns mean the same on both.
            "structured_outputs_config": {"backend": "guidance"},
            **({"enable_lora": True, "max_lora_rank": v.max_lora_rank} if self.lora else {}),
            **v.engine,
        }
        try:
            self._llm = vllm.LLM(**arguments)
        except Exception as error:  # many types are raised: settings, memory, a dead worker
            raise BackendError(
                f"model {model.name}: vLLM cannot load {checkpoint.path}: {error} (the cause is in its log on stderr; "
                "set VLLM_LOGGING_LEVEL=INFO for more)"
            ) from None
        self._core = self._llm.llm_engine
        config = self._llm.model_config
        self.context = int(config.max_model_len)
        self.facts = {
            "dtype": str(config.dtype),
            "quantization": config.quantization,
            "device": self.device,
            **{name: value for name, value in v.engine.items() if name != "distributed_executor_backend"},
        }
        # Twice the size of a batch: the engine refills its batch after each step, from requests that it has already.
        self._window = 2 * v.max_num_seqs
        self._names = (str(n) for n in count())
        self._adapters: dict[str, int] = {}

    def adapter(self, model: Model) -> Any:
        """Load the adapter of a model and return vLLM's LoRARequest; None if it has none. Raises BackendError."""
        if not model.adapter:
            return None
        from vllm.lora.request import LoRARequest

        number = self._adapters.setdefault(model.adapter, len(self._adapters) + 1)
        request = LoRARequest(model.adapter, number, model.adapter)
        try:
            self._core.add_lora(request)
        except Exception as error:  # a worker's error, of any type
            raise BackendError(f"model {model.name}: cannot load adapter {model.adapter}: {error}") from None
        return request

    def run(self, jobs: Iterable[tuple[int, JobSteps]]) -> Iterator[list[tuple[int, Any]]]:
        """Groups of (number of a job, its result or FailedJob), as they become ready. Only one call may run at a time.

        Cancels requests in flight if the caller stops early. Raises BackendError if the engine dies.
        """
        todo, run = iter(jobs), _JobQueue()
        try:
            while True:
                resumed, run.waiting = run.waiting, []
                for job in resumed:
                    self._resume(run, job, [])
                while len(run.in_flight) < self._window and (drawn := next(todo, None)):
                    self._resume(run, _RunningJob(*drawn), None)
                # The caller takes time to store results, so they are yielded once the engine has its next requests.
                if run.ready:
                    yield run.ready
                    run.ready = []
                elif not run.in_flight and not run.waiting:
                    return
                if not run.in_flight:
                    continue
                for output in self._step():
                    if output.request_id not in run.in_flight:  # cancelled
                        continue
                    job = run.in_flight.pop(output.request_id)
                    job.outputs[output.request_id] = output
                    if output.outputs[0].finish_reason in ("error", "abort"):
                        self._fail(run, job, "vLLM gave up this request")
                    elif len(job.outputs) == len(job.names):
                        self._resume(run, job, [job.outputs[name] for name in job.names])
        finally:
            self._cancel(list(run.in_flight))

    def _resume(self, run: _JobQueue, job: _RunningJob, outputs: list[Any] | None) -> None:
        """Resume a job and send its next requests."""
        from vllm.inputs.engine import tokens_input
        from vllm.v1.engine.exceptions import EngineDeadError

        try:
            requests = job.steps.send(outputs)  # type: ignore[arg-type]
        except StopIteration as end:
            run.ready.append((job.number, end.value))
            return
        job.names, job.outputs = [], {}
        if not requests:
            run.waiting.append(job)
        for request in requests:
            name = next(self._names)
            try:
                self._core.add_request(
                    name, tokens_input(list(request.ids)), request.params, lora_request=request.adapter
                )
            except EngineDeadError as error:
                raise self._dead(error) from None
            except Exception as error:  # vLLM refuses this request; others go on
                self._fail(run, job, str(error))
                return
            job.names.append(name)
            run.in_flight[name] = job

    def _fail(self, run: _JobQueue, job: _RunningJob, error: str) -> None:
        """End a job with a failed request, and cancel its other requests."""
        self._cancel([name for name in job.names if run.in_flight.pop(name, None)])
        job.steps.close()
        run.ready.append((job.number, FailedJob(error)))

    def _step(self) -> list[Any]:
        try:
            return [output for output in self._core.step() if output.finished]
        except Exception as error:  # any type may be raised: an engine whose step failed cannot go on
            raise self._dead(error) from None

    def _dead(self, error: Exception) -> BackendError:
        return BackendError(
            f"model {self.model.name}: the vLLM engine died: {error} (every reply so far is kept; run again to go on)"
        )

    def _cancel(self, names: list[str]) -> None:
        from vllm.v1.engine.exceptions import EngineDeadError

        if names:
            with suppress(EngineDeadError):
                self._core.abort_request(names)

    def close(self) -> None:
        """Shut the engine down, for all models that share it."""
        if self._llm is None:
            return
        import gc

        self._core.engine_core.shutdown()
        self._llm = self._core = None
        gc.collect()
