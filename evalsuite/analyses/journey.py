"""The second half of the journey on one page: replies -> answers -> scores -> records/*.jsonl and results.json.

Scoring needs the store of a run and nothing else: no model, no data files. results.json holds no time and no path: two runs with
the same settings write the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from evalsuite.analyses.saved import Earlier, problems_of, record_files, require_cells, require_replies, to_json
from evalsuite.analyses.table import SECTIONS
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.files import Drafts, open_draft, remove, replacing_together, sweep
from evalsuite.common.finite import finite_json
from evalsuite.common.garbage import rare_collections
from evalsuite.common.grouping import by_key
from evalsuite.common.processes import cores, map_in_processes
from evalsuite.common.threads import one_thread
from evalsuite.results.analysis import Results, ScoredCell, ScoredRun
from evalsuite.results.cells import cell_results
from evalsuite.results.estimates import counted_indices
from evalsuite.results.outcomes import ScoredReply
from evalsuite.results.records import file_name
from evalsuite.results.schema.base import Strict
from evalsuite.results.schema.record import Record
from evalsuite.results.scoring import NO_REPLY, read_answer, score_answer
from evalsuite.results.signature import VERSION
from evalsuite.results.similarity import kept_similarity
from evalsuite.results.store import Asker, RecordWriter, Source, StoredQuestions, open_store
from evalsuite.types import PARSERS, Answer, Cell, Place, Reading, Response, Score, Trial

if TYPE_CHECKING:
    from evalsuite.metrics.semsim import Encoder

_PROCESSES = 8  # the most processes that score: more save little, since one process computes the analyses
_WORTH = 5000  # requests for each process: fewer are scored before one more process has started


def write_results(out: Path, reading: Reading, encoder: Encoder | None = None, processes: int | None = None) -> Results:
    """Score every cell of the store in `out`; write records/, judged/, second/ and results.json.

    The caller holds the folder's lock.

    encoder: adds the similarity of short texts. Without one, that of an earlier scoring of the same texts is kept.
    processes: the number that read and score; by default one a core, but no more than are worth it for so many requests. With an
    encoder it is one.

    Raises ConfigError if there is no store or the parser is unknown.
    """
    if reading.parser not in PARSERS:
        raise ConfigError(unknown("parser", reading.parser, PARSERS))
    before = Earlier.of(out)
    path = out / "results.json"
    with open_store(out) as store, replacing_together(path) as draft:
        cells = store.cells()
        require_cells(out, cells, before)
        (out / "records").mkdir(exist_ok=True)
        if processes is None:
            processes = min(cores(), _PROCESSES, store.requests // _WORTH)
        scored = score_in_processes(out, cells, reading, draft, processes) if processes > 1 and not encoder else None
        results = score_run(store, reading, partial(_records, out, draft), encoder, before, out, scored)
        require_replies(out, before, results)
        with draft(path) as file:
            file.write(finite_json(to_json(results), path, indent=1).encode() + b"\n")
    remove(out, {*before.files} - {*record_files(results)})
    return results


@contextmanager
def _records(out: Path, draft: Drafts, place: str) -> Iterator[Callable[[Strict], None]]:
    """Open the draft of a file of records for a `RecordWriter`."""
    (out / place).parent.mkdir(exist_ok=True)
    with draft(out / place) as file:
        yield lambda row: file.writelines([finite_json(row.written(), out / place).encode(), b"\n"])


@one_thread()
@rare_collections()
def score_run(
    source: Source,
    reading: Reading,
    write_records: RecordWriter,
    encoder: Encoder | None = None,
    before: Earlier | None = None,
    out: Path | None = None,
    scored: Iterable[ScoredCell] | None = None,
) -> Results:
    """The results, computed from a run's store or from the records of a submission.

    before: earlier results; their similarities of the same texts are kept.
    out: the run's folder.
    scored: the cells, if other processes score them.
    """
    replies = ReadReplies(source)
    if scored is None:
        groups = groups_of_models(source.cells())
        scored = (score_replies(source, each, reading, write_records, encoder) for group in groups for each in group)
    for cell in scored:
        kept = kept_similarity(cell.result, before.metrics(cell.place) if before else {})
        replies.scored[cell.place] = replace(cell, result=kept)
    cells = tuple(replies.scored[place] for place in sorted(replies.scored))
    run = ScoredRun(out, reading, replies, write_records, cells)
    contents = {row.key: content for row in SECTIONS if (content := run.of(row)) is not None}
    results = Results(out or Path(), VERSION, reading, tuple(run.results), contents)
    return replace(results, problems=tuple(problems_of(results)))


def groups_of_models(cells: Iterable[Cell]) -> list[list[Cell]]:
    """Groups of the cells of all models on the same items: scored together, models share what is prepared for an item."""
    return [
        *by_key((cell.place.without("model"), cell) for cell in sorted(cells, key=lambda cell: cell.place)).values()
    ]


def score_in_processes(
    out: Path, cells: Sequence[Cell], reading: Reading, draft: Drafts, processes: int
) -> Iterator[ScoredCell]:
    """Score a run's cells in several processes, a group of models at a time. They write the drafts of records."""
    score = partial(_group_scorer, out, reading)
    try:
        with closing(map_in_processes(score, groups_of_models(cells), processes)) as groups:
            for scored, part in chain.from_iterable(groups):
                with draft(out / scored.result.records, part):
                    yield scored
    except BaseException:
        sweep(out)  # drafts of workers that did not hand them over
        raise


def _group_scorer(out: Path, reading: Reading) -> Callable[[Sequence[Cell]], list[tuple[ScoredCell, Path]]]:
    """The function of a worker process, which scores cells and writes a draft of each cell's records."""
    store, parts = open_store(out), dict[Path, Path]()

    @contextmanager
    def draft(path: Path, part: Path | None = None) -> Iterator[BinaryIO]:
        with open_draft(path) as file:
            parts[path] = Path(file.name)
            yield file

    @one_thread()
    @rare_collections()
    def score(cells: Sequence[Cell]) -> list[tuple[ScoredCell, Path]]:
        scored = [score_replies(store, cell, reading, partial(_records, out, draft)) for cell in cells]
        return [(each, parts.pop(out / each.result.records)) for each in scored]

    return score


def score_replies(
    source: Source, cell: Cell, reading: Reading, write_records: RecordWriter, encoder: Encoder | None = None
) -> ScoredCell:
    """Read and score the replies of one cell, and write a record of each."""
    path = f"records/{file_name(cell)}"
    trials, replies, indices = [], list[ScoredReply](), []
    counted = counted_indices(source, cell)
    with write_records(path) as write_record:
        for index, (key, trial, response) in enumerate(source.read(cell)):
            trials.append(trial.without_prompt())
            if response is None or (counted is not None and index not in counted):  # not asked, or not counted
                continue
            answer = read_answer(trial.item, response, reading, trial.request.answer_after)
            score = score_answer(trial.item, answer, response)
            write_record(Record.of(cell, key, trial, response, answer, score))
            replies.append((trials[-1], response, answer, score))
            indices.append(index)
    return cell_results(cell, trials, replies, reading, path, encoder, None if counted is None else indices)


@dataclass(frozen=True, slots=True)
class ReadReplies:
    """The `RunReplies` (results/analysis.py) of a run: texts come from the source once more, answers and scores from the outcomes
    of the scored cells."""

    source: Source
    scored: dict[Place, ScoredCell] = field(default_factory=dict)

    def of(self, cell: Cell) -> Iterator[tuple[str, ScoredReply]]:
        for key, trial, response, read in self._walk(cell):
            if response is not None and read is not None:
                yield key, (trial, response, *read)

    def planned(self, cell: Cell) -> Iterator[tuple[Trial, Response | None, Score | None]]:
        for _, trial, response, read in self._walk(cell):
            yield (trial, response, read[1]) if read else (trial, None, None)

    def _walk(self, cell: Cell) -> Iterator[tuple[str, Trial, Response | None, tuple[Answer, Score] | None]]:
        """Every request of a cell: key, trial, response, and (answer, score) if the response counts."""
        scored = self.scored.get(cell.place)
        outcomes = iter(scored.outcomes.outcomes if scored else ())
        counted = scored.counted if scored else frozenset()
        for index, (key, trial, response) in enumerate(self.source.read(cell)):
            if response is None or (counted is not None and index not in counted):
                yield key, trial, response, None
            elif response.error is not None:
                yield key, trial.without_prompt(), response, (NO_REPLY, Score())
            else:
                outcome = next(outcomes)
                yield key, trial.without_prompt(), response, (outcome.answer, outcome.score)

    def questions(self, by: Asker) -> Iterable[StoredQuestions]:
        return self.source.questions(by)

    def response(self, key: str) -> Response | None:
        return self.source.response(key)
