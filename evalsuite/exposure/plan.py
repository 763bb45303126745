"""Plan the tests of a benchmark's files for one model: the texts that the model scores or continues for each test."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from evalsuite.backends.base import Backend
from evalsuite.backends.model import Model
from evalsuite.backends.registry import backend_named
from evalsuite.benchmarks.corpus import File
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, Corpora
from evalsuite.common.errors import ConfigError, EvalsuiteError
from evalsuite.common.resources import resolve
from evalsuite.common.templates import TemplateFile
from evalsuite.evaluation.plan import EvalSet
from evalsuite.exposure import items
from evalsuite.exposure.arrangements import Arrangements, order_of_items, order_of_options
from evalsuite.exposure.completion import asked_request, halves, plain_request
from evalsuite.exposure.items import ProbeText, PromptAndReply
from evalsuite.exposure.likelihoods import LikelihoodScores
from evalsuite.exposure.probes import ArrangementProbe, CompletionProbe, ItemProbe, Probe, ProbedFile
from evalsuite.exposure.settings import TESTS, ContaminationSettings
from evalsuite.exposure.texts import Entries, read_entries
from evalsuite.prompt import Prompt, usual_wording
from evalsuite.types import Item, Request

log = logging.getLogger(__name__)
_EDGE = 8  # tokens of a model's context that are left free, since joined texts may have more tokens than their parts
_Score = Callable[[Sequence[LikelihoodScores]], float]


def tests_for(s: ContaminationSettings, model: Model) -> list[str]:
    """The requested tests that the model's backend can take. Raises ConfigError if there are none."""
    row = backend_named(model.backend)
    able = [name for name in TESTS if name != "guided"] if row.local else ["guided"]
    if model.backend == "baseline" or not (row.local or "generate" in row.scorings):
        raise ConfigError(
            f"model {model.name}: backend {model.backend} has read nothing; name a model on hf, vllm or openai"
        )
    tests = [name for name in able if name in (s.tests or TESTS)]
    if not tests:
        raise ConfigError(f"--tests {','.join(s.tests)}: backend {model.backend} takes {', '.join(able)} only")
    return tests


class ControlFiles:
    """The files with control items."""

    def __init__(self, s: ContaminationSettings, corpora: Corpora) -> None:
        """Raises ConfigError or DataError for a folder that holds no data."""
        self.split = s.control if s.control in ("train", "dev", "test") else s.split
        self._corpora: Corpora | None = corpora
        if s.control == "none":
            self._corpora = None
        elif self.split == s.split:
            self._corpora = Corpora(resolve(s.control), skip_bad=s.skip_bad)

    def file(self, source: EvalSet) -> File | None:
        """The control file of the same task and set; None if there is none."""
        try:
            if self._corpora and self._corpora.has(source.task, source.set, self.split):
                return self._corpora.file(source.task, source.set, self.split)
        except EvalsuiteError as error:
            log.warning("no control items of %s: %s", source.task.name, error)
        return None


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans the tests of one model."""

    s: ContaminationSettings
    tests: Sequence[str]  # names in settings.TESTS
    backend: Backend
    corpora: Corpora
    control: ControlFiles

    def probes(self, source: EvalSet) -> Iterator[Probe | CompletionProbe]:
        """The tests of one file."""
        s, task = self.s, source.task
        if not task.kind.written:
            return  # the texts of probes are items of other tasks
        file = partial(ProbedFile, task.name, source.set, s.split)
        entries = read_entries(source.file, s.limit)
        shown = self._prompt_of(source)
        if "order" in self.tests:
            arrangements = order_of_items(entries, self._count, self._room, s.shuffles, s.seed, s.shards)
            yield ArrangementProbe(file("order"), arrangements)
        if "options" in self.tests and task.kind.single:
            yield ArrangementProbe(file("options", "prompt"), self._options(source.items, shown))
        other = self.control.file(source)
        control = read_entries(other, s.limit) if other else Entries((), "", False)
        control = control.numbered_like(entries, Random(f"{s.seed}:numbers"))
        raw = (items.raw_texts(entries), items.raw_texts(control))
        sides = (source.items, other.items[: s.limit] if other else ())  # official items, control items
        if "mink" in self.tests:
            for form in s.form:
                official, control_texts = raw if form == "raw" else (items.prompt_texts(side, shown) for side in sides)
                figures = {"mean": items.mean, "mink": items.mink}
                yield self._single(file("mink", form), official, control_texts, items.minkpp, figures)
        if "names" in self.tests:
            official, control_texts = (items.renamed_texts(side, shown) for side in sides)
            if official:
                yield self._single(file("names", "prompt"), official, control_texts, items.renamed, {})
        for test in ("completion", "guided"):
            if test in self.tests:
                yield self._completion(file(test), *raw)

    @property
    def _context(self) -> int:
        """The tokens of the model's context, or of a shard if the backend does not state them."""
        return self.backend.context or self.s.window

    @property
    def _room(self) -> int:
        """The most tokens of a shard."""
        return min(self.s.window, self._context - _EDGE)

    def _count(self, text: str) -> int:
        return self.backend.tokens(Request("", text, (), 0))

    def _prompt_of(self, source: EvalSet) -> PromptAndReply:
        folder = resolve(self.s.prompts)
        wording = usual_wording(folder, source.task, self.s.prompt)
        prompt = Prompt(folder, source.task, wording, self.corpora.given(source.task, source.set, wording))
        return lambda item: (prompt.render(item), prompt.target(item))

    def _options(self, candidates: Sequence[Item], shown: PromptAndReply) -> Arrangements:
        """Orders of the options of at most `s.items` items, chosen by a hash of their ids, without items that are too long."""
        s = self.s
        by_hash = sorted(candidates, key=lambda item: hashlib.sha256(f"{s.seed}:options:{item.id}".encode()).digest())
        chosen = {item.id for item in by_hash[: s.items]}
        some = [item for item in candidates if item.id in chosen]
        short = [item for item in some if self._count("".join(shown(item))) < self._room]
        arrangements = order_of_options(short, shown, s.shuffles, s.seed)
        return replace(arrangements, left_out=arrangements.left_out + len(some) - len(short))

    def _single(
        self,
        file: ProbedFile,
        official: Sequence[ProbeText],
        control: Sequence[ProbeText],
        score: _Score,
        figures: Mapping[str, _Score],
    ) -> ItemProbe:
        """A test of texts drawn from both sides, without dialogues that both have, and without texts that are too long."""
        room = self._context - _EDGE
        official_texts, control_texts = (
            [t for t in items.drawn(side, self.s.items, self.s.seed) if all(self._count(x) < room for _, x in t.pairs)]
            for side in items.kept_apart(official, control)
        )
        return ItemProbe(file, official_texts, control_texts, len(official) - len(official_texts), score, figures)

    def _completion(
        self, file: ProbedFile, official: Sequence[ProbeText], control: Sequence[ProbeText]
    ) -> CompletionProbe:
        s, benchmark = self.s, BENCHMARKS[TASKS[file.task].benchmark]
        language = "zh" if benchmark.language.name == "zh" else "en"
        template = TemplateFile(resolve(s.prompts) / "contamination" / f"{language}.j2")
        sides, requests, seconds = list[list[ProbeText]](), list[Request](), list[str]()
        splits = (file.split, self.control.split)
        for texts, split in zip(items.kept_apart(official, control), splits, strict=True):
            usable = []
            for text in items.drawn(texts, s.completions, s.seed):
                half = halves(text.item, text.pairs[0][1])
                if half is None:
                    continue
                usable.append(text)
                if file.test == "completion":
                    requests.append(plain_request(half))
                    seconds.append(half.second)
                else:
                    requests += [asked_request(half, template, name, split) for name in (benchmark.title, "")]
                    seconds += [half.second] * 2
            sides.append(usable)
        return CompletionProbe(file, sides[0], sides[1], requests, seconds, len(official) - len(sides[0]))
