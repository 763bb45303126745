"""Select dialogues rich in commonsense: the screening of section 3, after Zhou et al. (2021).

The nouns, verbs and adjectives of an utterance are its candidate concepts. A match is a ConceptNet triple from a concept of
one utterance to a concept of the next. Dialogues with more than three matches are kept.

The paper leaves some details open; here: a word repeated in an utterance counts once; two relations between the same words
are two matches; a triple counts again for each pair of utterances that has it; a word does not match itself. Triples lead
from the earlier utterance to the later one, unless `either_way`.

The output folder holds screen.json (hashes of the inputs), matches.jsonl (all dialogues, one per line, in order), kept.jsonl
(the dialogues to annotate) and counts.json (Table 8). They hold no times or paths and do not depend on --jobs.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from evalsuite.authoring.concepts import Tagger, tagger_named, tagger_signature
from evalsuite.authoring.dialogues import RawDialogue, dialogue_files, read_dialogues
from evalsuite.authoring.knowledge import KnowledgeIndex, Triple, build_index, simplified
from evalsuite.common.errors import ConfigError
from evalsuite.common.files import read_json, replace_file, replacing
from evalsuite.common.lock import locked
from evalsuite.common.processes import map_in_processes
from evalsuite.evaluation.display import ShowProgress, silent

_CHUNK = 16  # dialogues per task of a worker: small enough to lose little when killed, large enough to be cheap to send


@dataclass(frozen=True, slots=True)
class Match:
    """A triple that links utterance `turn` (from 0) to the next; `back` if its head is in the later one."""

    turn: int
    triple: Triple
    back: bool = False

    def row(self) -> dict[str, Any]:
        return {"turn": self.turn, **self.triple._asdict(), **({"back": True} if self.back else {})}


@dataclass(frozen=True, slots=True)
class Screener:
    """Finds the matches of a dialogue."""

    tagger: Tagger
    knowledge: KnowledgeIndex
    either_way: bool = False
    without: frozenset[str] = frozenset()  # relations to ignore

    def matches(self, utterances: Sequence[str]) -> list[Match]:
        """All matches of a dialogue, in order. Utterances have no speaker prefix."""
        concepts = [sorted({*self.tagger(simplified(text))}) for text in utterances]
        matches = []
        for turn, (here, there) in enumerate(pairwise(concepts)):
            matches += [Match(turn, triple) for triple in self._links(here, there)]
            if self.either_way:
                matches += [Match(turn, triple, back=True) for triple in self._links(there, here)]
        return matches

    def _links(self, heads: list[str], tails: list[str]) -> Iterator[Triple]:
        return (triple for triple in self.knowledge.links(heads, tails) if triple.relation not in self.without)


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """A row of Table 8: the histogram of matches per dialogue of a source."""

    source: str
    histogram: dict[int, int]  # matches -> dialogues
    tags: int = 0  # turns whose persona tag was removed (DuLeMon)

    @property
    def dialogues(self) -> int:
        return sum(self.histogram.values())

    def more_than(self, matches: int) -> int:
        """Dialogues with more than `matches` matches: the column "# k triple matches" of Table 8 (its caption)."""
        return sum(n for k, n in self.histogram.items() if k > matches)


@dataclass(frozen=True, slots=True)
class Screening:
    """The result of a screening, written to `out`."""

    out: Path
    more_than: int
    counts: tuple[MatchCounts, ...]  # one count per source

    @property
    def total(self) -> MatchCounts:
        histogram = sum((Counter(c.histogram) for c in self.counts), Counter())
        return MatchCounts("Total", dict(histogram), sum(c.tags for c in self.counts))


def screen_dialogues(
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
    progress: ShowProgress = silent,
) -> Screening:
    """Screen dialogues (files, or folders of them) into the folder `out`; an interrupted screening resumes.

    `without`: relations to ignore, such as RelatedTo. `index`: path of the knowledge file's index, by default beside it.
    A changed `more_than` reuses the matches. Raises DataError for malformed files, ConfigError for invalid settings or
    an `out` with other inputs.
    """
    if jobs < 1 or more_than < 0:
        raise ConfigError(f"--jobs {jobs}, --more-than {more_than}: expected 1 or more, and none negative")
    files = dialogue_files(dialogues)
    tagger_named(tagger)  # fail before anything is read
    total = sum(1 for _ in read_dialogues(files))  # checks all dialogues before the first is screened
    with progress(f"reading {knowledge.name}", _size(knowledge), "B") as advance:
        path, digest = build_index(knowledge, index, advance)
    ignored = frozenset(without)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"--out {out}: {error.strerror}") from None
    facts = {
        "dialogues": {file.stem: _digest(file) for file in files},
        "knowledge": digest,
        "tagger": tagger_signature(tagger),
        "either_way": either_way,
        "without": sorted(ignored),
    }
    matches = out / "matches.jsonl"
    with locked(out):
        _check_same_inputs(out / "screen.json", facts)
        done = _count_lines(matches)
        if done < total:
            remaining = islice(read_dialogues(files), done, None)
            with progress("screening", total, "", done) as advance, matches.open("ab") as lines:
                write_lines = partial(_line_writer, path, tagger, either_way, ignored)
                for chunk in map_in_processes(write_lines, _chunks(remaining), jobs):
                    lines.write("".join(chunk).encode())
                    lines.flush()
                    advance(len(chunk))
        return _write_results(out, files, more_than)


def _size(knowledge: Path) -> int:
    return knowledge.stat().st_size if knowledge.is_file() else 0


def _digest(file: Path) -> str:
    with file.open("rb") as raw:
        return hashlib.file_digest(raw, "sha256").hexdigest()


def _check_same_inputs(path: Path, facts: dict[str, Any]) -> None:
    """Write screen.json, or raise ConfigError if the folder holds a screening of other inputs."""
    if not path.is_file():
        replace_file(path, json.dumps(facts, ensure_ascii=False, indent=1) + "\n")
        return
    before = read_json(path)
    if not isinstance(before, dict):
        raise ConfigError(f"{path}: no screening of evalsuite; name another folder with --out")
    other = [name for name in facts if before.get(name) != facts[name]]
    if other:
        raise ConfigError(
            f"{path.parent} holds a screening with other {', '.join(other)}; name another folder with --out"
        )


def _count_lines(path: Path) -> int:
    """Count the complete lines; an incomplete last line is removed."""
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


def _match_line(screener: Screener, dialogue: RawDialogue) -> str:
    rows = [match.row() for match in screener.matches(dialogue.utterances)]
    row = {"source": dialogue.source, "id": dialogue.id, "matches": rows}
    return json.dumps(row, ensure_ascii=False) + "\n"


def _chunks(dialogues: Iterator[RawDialogue]) -> Iterator[list[RawDialogue]]:
    while chunk := list(islice(dialogues, _CHUNK)):
        yield chunk


def _line_writer(
    index: Path, tagger: str, either_way: bool, without: frozenset[str]
) -> Callable[[list[RawDialogue]], list[str]]:
    """A worker process's function from dialogues to lines. `tagger` is a name, since functions may not pickle."""
    screener = Screener(tagger_named(tagger), KnowledgeIndex(index), either_way, without)
    return lambda chunk: [_match_line(screener, dialogue) for dialogue in chunk]


def _write_results(out: Path, files: Sequence[Path], more_than: int) -> Screening:
    """Write kept.jsonl and counts.json from matches.jsonl."""
    histograms: dict[str, Counter[int]] = {file.stem: Counter() for file in files}
    tags: Counter[str] = Counter()
    with (out / "matches.jsonl").open(encoding="utf-8") as lines, replacing(out / "kept.jsonl") as kept_file:
        for line, dialogue in zip(lines, read_dialogues(files), strict=True):
            count = len(json.loads(line)["matches"])
            histograms[dialogue.source][count] += 1
            tags[dialogue.source] += dialogue.tags
            if count > more_than:
                row = {"id": dialogue.id, "dialogue": dialogue.turns}
                kept_file.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
    counts = tuple(
        MatchCounts(source, dict(sorted(histogram.items())), tags[source]) for source, histogram in histograms.items()
    )
    summary = {
        "more_than": more_than,
        "kept": sum(c.more_than(more_than) for c in counts),
        "sources": [*map(asdict, counts)],
    }
    replace_file(out / "counts.json", json.dumps(summary, ensure_ascii=False, indent=1) + "\n")
    return Screening(out, more_than, counts)
