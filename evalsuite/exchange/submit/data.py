"""Compare a submission with the official data: make its items, shots and prompts again, and report differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from evalsuite.benchmarks.probing import request_of
from evalsuite.benchmarks.registry import TASKS, Corpora
from evalsuite.common.errors import EvalsuiteError
from evalsuite.common.resources import bundled
from evalsuite.evaluation.plan import leaks, without_leaks
from evalsuite.exchange.submit.record_checks import Faults, Unscorable
from evalsuite.perturb import perturbation_of
from evalsuite.prompt import Prompt, Shots
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.schema.record import Record
from evalsuite.types import Item, Trial

_ITEM_FIELDS = ("dialogue", "question", "options", "labels", "gold", "references", "group", "rests_on", "votes")


class Official:
    """The official data that a submission is compared with. Counts the comparisons."""

    def __init__(self, corpus: Corpora) -> None:
        self.corpus = corpus
        self.compared: Counter[str] = Counter()  # "items" and "prompts" -> how many were compared
        self.unknown_templates: set[str] = set()
        self._leaks: dict[tuple[str, str, str], set[str] | None] = {}  # (task, set, split) -> ids of its leaked items

    def cell(self, cell: CellResult) -> OfficialCell | str:
        """The content that a cell of results.json must have; or a problem, as a text: why the cell cannot be compared."""
        try:
            return self._cell(cell)
        except EvalsuiteError as error:
            return f"cannot be compared with the data: {error}"

    def has_own_file(self, cell: CellResult) -> bool:
        """Whether the cell's wording asks the items of another data file than most wordings (`Corpus.reworded`)."""
        task = TASKS[cell.task]
        try:
            usual = self.corpus.file(task, cell.set, cell.split)
            return self.corpus.reworded(task, cell.set, cell.split, cell.variant) is not usual
        except EvalsuiteError:
            return False

    def _cell(self, cell: CellResult) -> OfficialCell | str:
        facts, task = cell.facts, TASKS[cell.task]
        file = self.corpus.reworded(task, cell.set, cell.split, cell.variant)
        if file.sha256 != facts.data:
            return (
                f"facts.data: is {facts.data[:12]}…, but the data's {file.path.name} has the hash {file.sha256[:12]}…"
            )
        original = self.corpus.file(task, cell.set, cell.split)
        key = cell.task, cell.set, cell.split
        if key not in self._leaks:
            is_training = cell.split == self.corpus.of(task).benchmark.training
            self._leaks[key] = None if is_training else leaks(self.corpus, task, cell.set, original.items)
        asked, leaked = without_leaks(original.items, self._leaks[key], facts.limit, facts.drop_leaked)
        reworded = {item.id: item for item in file.items}
        items = [reworded[item.id] for item in asked if item.id in reworded]
        left_out = len(original.skipped) + len(asked) - len(items)
        # A submitter may lack the training split; then `leaked` is null.
        for name, expected in (("leaked", leaked), ("skipped_lines", left_out)):
            if None not in (expected, stated := getattr(facts, name)) and stated != expected:
                return f"facts.{name}: is {stated}, but the data give {expected}"
        return OfficialCell(self, cell, {item.id: item for item in items})


class OfficialCell:
    """The items, shots and prompts that one cell must have, made from the official data."""

    def __init__(self, official: Official, cell: CellResult, expected: dict[str, Item]) -> None:
        self._official, self._cell, self._expected = official, cell, expected
        self._positions = {name: n for n, name in enumerate(expected)}
        self._last = (-1, 0, 0)  # the position of the item, the rotation and the sample of the record before
        self._change = perturbation_of(cell.perturb, cell.facts.perturb_version)
        self._seed = cell.facts.seed
        task = TASKS[cell.task]
        pool = official.corpus.training(task, cell.set, cell.variant) if cell.shots else ()
        self._shots = Shots(pool or (), self._seed)
        self._seen: Counter[str] = Counter()
        self._prompt: Prompt | None = None
        try:
            given = official.corpus.given(task, cell.set, cell.variant)
            prompt = Prompt(bundled("prompts"), task, cell.variant, given)
            self._prompt = prompt if prompt.sha256 == cell.facts.template else None
        except EvalsuiteError:
            pass
        if self._prompt is None:
            official.unknown_templates.add(cell.variant)

    def compare(self, record: Record, trial: Trial) -> Faults:
        """Yield (field, problem) for each field of a record that differs from the data."""
        original = self._expected.get(trial.item.id)
        if original is None:
            raise Unscorable("item", f"{trial.item.id!a} is none of the cell's {len(self._expected)} items")
        self._seen[original.id] += 1
        position = self._positions[original.id], trial.rotation, trial.request.sample
        if position < self._last:
            yield (
                "item",
                "is out of order: in the data it comes before the item of the line above, "
                "and bootstrap intervals depend on the order",
            )
        self._last = position
        rotations = self._change.items(original, self._seed)
        if trial.rotation >= len(rotations):
            yield "rotation", f"is {trial.rotation}, but the item has {len(rotations)}"
            return
        item = rotations[trial.rotation]
        differ = [name for name in _ITEM_FIELDS if getattr(item, name) != getattr(trial.item, name)]
        for name in differ:
            yield name, f"is not what the data's item {item.id} has"
        self._official.compared["items"] += 1
        try:
            shots = self._shots.draw(original, trial.asked_shots)[: len(trial.shots)]
        except EvalsuiteError as error:
            yield "shots", str(error)
            return
        if tuple(shot.id for shot in shots) != trial.shots:
            yield "shots", "are not those that the seed draws from the data's training split"
        elif self._prompt is not None and not differ:
            shown = [self._change.items(shot, self._seed)[0] for shot in shots]
            request = trial.request
            expected = request_of(self._prompt, item, shown, request.max_new_tokens)
            for name in (
                "options",
                "pairs",
                "answer_after",
                "prompt",
                *(["messages"] if record.messages is not None else []),
            ):
                if getattr(expected, name) != getattr(request, name):
                    yield name, f"is not what the template {self._cell.variant} makes of the item"
            pattern = self._prompt.task.pattern if request.scoring == "constrained" else None
            if request.pattern != (pattern(item, self._cell.variant) if pattern else ""):
                yield "pattern", "is not the pattern of the item's task and template"
            self._official.compared["prompts"] += 1

    def missing(self) -> Iterator[str]:
        """Yield a problem if the cell lacks items of the data."""
        samples = self._cell.facts.samples or 1
        lost = [name for name, item in self._expected.items() if self._seen[name] < samples * self._change.count(item)]
        if lost:
            yield f"{len(lost)} of {len(self._expected)} items of the data are missing, the first: {lost[0]}"
