"""Which dialogues are rich in commonsense: the screening of section 3, after Zhou et al. (2021).

Of each utterance the nouns, verbs and adjectives are its candidate concepts. A match is a triple of ConceptNet from a concept
of one utterance to a concept of the next. Dialogues with more than three matches are kept.

What the paper leaves open, and what is done here: concepts are a set, so a word said twice in an utterance counts once; two
relations between the same words are two triples; the same triple counts again at the next pair of utterances that has it;
a word is no link to itself. Triples lead from the earlier utterance to the later one, unless `either_way`.

A folder of results holds screen.json (what was screened, by hash), matches.jsonl (a dialogue a line, all of them, in order),
kept.jsonl (the dialogues to annotate) and counts.json (Table 8). None of them holds a time or a path, nor depends on --jobs.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from evalsuite.authoring.concepts import Tagger, tagger_named, tagger_signature
from evalsuite.authoring.dialogues import Dialogue, files_of, read_dialogues
from evalsuite.authoring.knowledge import Knowledge, Triple, indexed, simplified
from evalsuite.common.errors import ConfigError, EvalsuiteError
from evalsuite.common.files import replace_file, replacing
from evalsuite.common.lock import locked
from evalsuite.evaluation.display import Work, silent

_CHUNK = (
    16  # dialogues a worker takes at once: few enough to lose little when killed, enough to make handing over cheap
)


@dataclass(frozen=True, slots=True)
class Match:
    """A triple that links utterance `turn` (from 0) to the next one; `back` if its head stands in that next one."""

    turn: int
    triple: Triple
    back: bool = False

    def row(self) -> dict[str, Any]:
        return {"turn": self.turn, **self.triple._asdict(), **({"back": True} if self.back else {})}


@dataclass(frozen=True, slots=True)
class Screener:
    tagger: Tagger
    knowledge: Knowledge
    either_way: bool = False
    without: frozenset[str] = frozenset()  # relations that make no match

    def matches(self, utterances: Sequence[str]) -> list[Match]:
        """All matches of a dialogue, in order. Utterances come without speakers."""
        concepts = [sorted({*self.tagger(simplified(text))}) for text in utterances]
        found = []
        for turn, (here, there) in enumerate(pairwise(concepts)):
            found += [Match(turn, triple) for triple in self._links(here, there)]
            if self.either_way:
                found += [Match(turn, triple, back=True) for triple in self._links(there, here)]
        return found

    def _links(self, heads: list[str], tails: list[str]) -> Iterator[Triple]:
        return (triple for triple in self.knowledge.links(heads, tails) if triple.relation not in self.without)


@dataclass(frozen=True, slots=True)
class Count:
    """A row of Table 8: how many dialogues of a source have how many matches."""

    source: str
    histogram: dict[int, int]  # matches -> dialogues

    @property
    def dialogues(self) -> int:
        return sum(self.histogram.values())

    def more_than(self, matches: int) -> int:
        """The table's column "# k triple matches" is dialogues with more than k (its caption, and section 3 for k = 3)."""
        return sum(n for k, n in self.histogram.items() if k > matches)


@dataclass(frozen=True, slots=True)
class Screening:
    out: Path
    more_than: int
    counts: tuple[Count, ...]  # a source each

    @property
    def total(self) -> Count:
        return Count("Total", dict(sum((Counter(c.histogram) for c in self.counts), Counter())))


@dataclass(frozen=True, slots=True)
class _Settings:
    """What a worker needs to make its Screener; a tagger by name, as functions of anywhere cannot be sent."""

    index: Path
    tagger: str
    either_way: bool
    without: frozenset[str]

    def screener(self) -> Screener:
        return Screener(tagger_named(self.tagger), Knowledge(self.index), self.either_way, self.without)


def screen(
    dialogues: Iterable[Path],
    knowledge: Path,
    out: Path,
    *,
    more_than: int = 3,
    jobs: int = 1,
    tagger: str = "jieba",
    either_way: bool = False,
    without: Iterable[str] = (),
    index: Path | None = None,
    progress: Work = silent,
) -> Screening:
    """Screen dialogues (files, or folders of them) and write the folder `out`; goes on where it was if it was interrupted.

    `without`: names of relations to leave out, such as RelatedTo. `index`: where the knowledge file's index is, or is to be;
    else beside it. Another `more_than` takes the matches that are there.
    """
    if jobs < 1 or more_than < 0:
        raise ConfigError(f"--jobs {jobs}, --more-than {more_than}: expected 1 or more, and none negative")
    files = files_of(dialogues)
    tagger_named(tagger)  # is there, before anything is read
    total = sum(1 for _ in read_dialogues(files))  # all of them are sound before the first is screened
    with progress(f"reading {knowledge.name}", _size(knowledge), "B") as advance:
        path, digest = indexed(knowledge, index, advance)
    settings = _Settings(path, tagger, either_way, frozenset(without))
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"--out {out}: {error.strerror}") from None
    facts = {
        "dialogues": {file.stem: _digest(file) for file in files}, "knowledge": digest, "tagger": tagger_signature(tagger),
        "either_way": either_way, "without": sorted(settings.without),
    }  # fmt: skip
    matches = out / "matches.jsonl"
    with locked(out):
        _same_as_before(out / "screen.json", facts)
        done = _whole_lines(matches)
        if done < total:
            rest = islice(read_dialogues(files), done, None)
            with progress("screening", total, "", done) as advance, matches.open("ab") as lines:
                for chunk in _in_order(_chunks(rest), jobs, settings):
                    lines.write("".join(chunk).encode())
                    lines.flush()
                    advance(len(chunk))
        return _write(out, files, more_than)


def _size(knowledge: Path) -> int:
    return knowledge.stat().st_size if knowledge.is_file() else 0


def _digest(file: Path) -> str:
    with file.open("rb") as raw:
        return hashlib.file_digest(raw, "sha256").hexdigest()


def _same_as_before(path: Path, facts: dict[str, Any]) -> None:
    """Set down what is screened; a folder of another screening is left alone."""
    if not path.is_file():
        replace_file(path, json.dumps(facts, ensure_ascii=False, indent=1) + "\n")
        return
    before = json.loads(path.read_text(encoding="utf-8"))
    other = [name for name in facts if before.get(name) != facts[name]]
    if other:
        raise ConfigError(
            f"{path.parent} holds a screening with other {', '.join(other)}; name another folder with --out"
        )


def _whole_lines(path: Path) -> int:
    """How many lines are there; one that was cut off is taken away."""
    if not path.exists():
        return 0
    count = end = 0
    with path.open("rb+") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                count, end = count + 1, end + len(line)
        if lines.tell() > end:
            lines.truncate(end)
    return count


def _line(screener: Screener, dialogue: Dialogue) -> str:
    rows = [match.row() for match in screener.matches(dialogue.utterances)]
    row = {"source": dialogue.source, "id": dialogue.id, "matches": rows}
    return json.dumps(row, ensure_ascii=False) + "\n"


def _chunks(dialogues: Iterator[Dialogue]) -> Iterator[list[Dialogue]]:
    while chunk := list(islice(dialogues, _CHUNK)):
        yield chunk


def _in_order(chunks: Iterator[list[Dialogue]], jobs: int, settings: _Settings) -> Iterator[list[str]]:
    """The lines of each chunk, in order, by so many processes; few chunks are read ahead of those that are done."""
    if jobs == 1:
        screener = settings.screener()
        for chunk in chunks:
            yield [_line(screener, dialogue) for dialogue in chunk]
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    # Spawned, not forked: the same on every system, and no process shares an open SQLite file.
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (settings,))
    try:
        ahead: deque[Future[list[str]]] = deque()
        for chunk in chunks:
            ahead.append(pool.submit(_work, chunk))
            if len(ahead) > 2 * jobs:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    except BrokenProcessPool:
        raise EvalsuiteError(
            "a process that screened was ended, perhaps for want of memory; the same command goes on, try fewer --jobs"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


_screener: Screener  # of a worker process


def _begin(settings: _Settings) -> None:
    import os
    import signal
    from multiprocessing import parent_process
    from threading import Thread

    def follow() -> None:
        if parent := parent_process():
            parent.join()
            os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    Thread(target=follow, daemon=True).start()  # a parent that is killed cannot end its workers
    global _screener
    _screener = settings.screener()


def _work(chunk: list[Dialogue]) -> list[str]:
    return [_line(_screener, dialogue) for dialogue in chunk]


def _write(out: Path, files: Sequence[Path], more_than: int) -> Screening:
    """kept.jsonl and counts.json, from matches.jsonl."""
    histograms: dict[str, Counter[int]] = {file.stem: Counter() for file in files}
    with (out / "matches.jsonl").open(encoding="utf-8") as lines, replacing(out / "kept.jsonl") as kept:
        for line, dialogue in zip(lines, read_dialogues(files), strict=True):
            count = len(json.loads(line)["matches"])
            histograms[dialogue.source][count] += 1
            if count > more_than:
                row = {"id": dialogue.id, "dialogue": dialogue.turns}
                kept.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
    counts = tuple(Count(source, dict(sorted(histogram.items()))) for source, histogram in histograms.items())
    told = {
        "more_than": more_than,
        "kept": sum(c.more_than(more_than) for c in counts),
        "sources": [*map(asdict, counts)],
    }
    replace_file(out / "counts.json", json.dumps(told, ensure_ascii=False, indent=1) + "\n")
    return Screening(out, more_than, counts)
