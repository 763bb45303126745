"""`evalsuite replies`: replies that were made elsewhere -> a run. The requests: requests.py; the lines: reply_lines.py."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from evalsuite.analyses.journey import write_results
from evalsuite.analyses.saved import require_cells, require_own
from evalsuite.backends.keys import keep_variables
from evalsuite.backends.model import Price
from evalsuite.backends.openai.lines import LineError
from evalsuite.backends.openai.spending import cost_of
from evalsuite.benchmarks.registry import TASKS, add_run
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.files import make_folder, read_json, replace_file
from evalsuite.common.finite import finite_json
from evalsuite.common.jsonl import numbered_lines, parse_object
from evalsuite.common.lock import locked
from evalsuite.evaluation.ask import received
from evalsuite.evaluation.manifest import keep_benchmark_files
from evalsuite.exchange.reply_lines import read_line
from evalsuite.exchange.requests import KEYS, PLAN
from evalsuite.page.report import require_own_page, write_page
from evalsuite.results.analysis import Results
from evalsuite.results.store import Store
from evalsuite.types import Reading, Response

_TRANSACTION = 500  # replies in one transaction


@dataclass(slots=True)
class ReplyFiles:
    """The content of the files: replies and failures by key, and the lines that cannot be used, each with its file and number."""

    replies: dict[str, Response] = field(default_factory=dict)
    failures: dict[str, Response] = field(default_factory=dict)
    first_lines: dict[str, str] = field(default_factory=dict)  # key -> the first line with a reply, as FILE:NUMBER
    double: list[str] = field(default_factory=list)
    contradicting: dict[str, str] = field(default_factory=dict)  # key -> the two lines whose replies differ
    foreign: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


_MEANINGS = {
    "failed": "requests got an error instead of a reply",
    "missing": "requests have no reply",
    "double": "lines repeat the reply of another line, which counts once",
    "contradicting": "requests have different replies, and no new one was stored",
    "foreign": "lines have a key of no request of this plan, and were left out",
    "broken": "lines cannot be read",
}
_WRONG = ("contradicting", "foreign", "broken")  # remarks on faults of the files themselves, whatever the run has


@dataclass(frozen=True, slots=True)
class ImportedReplies:
    """The outcome of `read_replies`."""

    results: Results
    stored: int
    already: int  # replies that the run had before
    remarks: dict[str, list[str]]  # name in _MEANINGS -> a text for each request or line concerned

    @property
    def lines(self) -> list[str]:
        """The summary: the number of stored replies, and a line for each kind of remark."""
        lines = [f"stored: {self.stored} replies" + (f"; {self.already} were there already" if self.already else "")]
        for name, meaning in _MEANINGS.items():
            if texts := self.remarks[name]:
                lines.append(f"{name}: {len(texts)} {meaning}; first: {texts[0]}")
        return lines

    @property
    def exit_code(self) -> int:
        """1 if a line of the files is faulty (`_WRONG`) or the results have problems, else 0."""
        return 1 if any(self.remarks[name] for name in _WRONG) else self.results.exit_code


def read_replies(folder: str | Path, run: str | Path) -> ImportedReplies:
    """Read every *.jsonl in `folder`, which `write_requests` wrote, and in its subfolders; store the replies in `run`, score
    them and write the page.

    A request with contradicting replies gets none of them. A request that has a reply in the run keeps it. An error is stored for
    a request without a reply, which `evalsuite run` then asks again. Raises ConfigError for a folder without requests or replies.
    """
    folder, out = Path(folder), Path(run)
    if not (folder / PLAN).is_file():
        raise ConfigError(f"{folder}: no requests here (no {PLAN}); `evalsuite requests --out {folder}` writes them")
    _keep_keys(folder / KEYS)
    with Store(folder / PLAN) as plan:
        items, prices = dict[str, str](), dict[str, Price | None]()
        for cell in plan.cells():
            price = Price(**cell.facts["price"]) if cell.facts.get("price") else None
            for key, trial, _ in plan.read(cell):
                items[key], prices[key] = trial.item.id, price
        files = read_files(sorted(path for path in folder.rglob("*.jsonl") if path.is_file()), items)
        if not (files.replies or files.failures or files.contradicting or files.foreign or files.broken):
            raise ConfigError(f"{folder}: no replies here; put the files that hold them into it, named *.jsonl")
        make_folder(out)
        with locked(out):
            require_own(out)
            require_own_page(out / "page")
            with Store(out / "store.sqlite") as store:
                _store_plan(folder, plan, out, store)
                taken = _store_replies(store, files, items, prices)
            results = write_results(out, Reading())
            write_page([out], out / "page")
    return ImportedReplies(results, *taken)


def _keep_keys(path: Path) -> None:
    """Mask the keys in the variables that `write_requests` named: an endpoint may have repeated its key in a reply or error."""
    names = read_json(path) if path.exists() else []  # older versions named none
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DataError("expected a list of names of environment variables", path)
    keep_variables(names)


def read_files(paths: Sequence[Path], keys: Iterable[str]) -> ReplyFiles:
    """Sort the lines of the files into usable replies and remarks. `keys`: the keys of the requests that were asked.

    Raises DataError for a file that cannot be read.
    """
    files, known = ReplyFiles(), frozenset(keys)
    double: list[tuple[str, str]] = []  # (key, remark)
    for where, content in _lines(paths):
        if isinstance(content, str):
            files.broken.append(content)
            continue
        key, response = content
        if key not in known:
            files.foreign.append(f"{where}: {key[:80]}")
        elif response.error is not None:
            files.failures.setdefault(key, response)
        elif key not in files.first_lines:
            files.first_lines[key], files.replies[key] = where, response
        elif key in files.contradicting or not same_reply(files.replies[key], response):
            files.contradicting.setdefault(key, f"{files.first_lines[key]} and {where}")
        else:
            double.append((key, f"{where}, after {files.first_lines[key]}"))
    for key in files.contradicting:
        del files.replies[key]
    files.double = [remark for key, remark in double if key not in files.contradicting]
    files.failures = {key: response for key, response in files.failures.items() if key not in files.first_lines}
    return files


def _lines(paths: Sequence[Path]) -> Iterator[tuple[str, tuple[str, Response] | str]]:
    """(FILE:NUMBER, key and reply) of each line that is no request; if it cannot be read, an error message in place of key and
    reply."""
    for path in paths:
        try:
            with path.open("rb") as file:
                for number, text in numbered_lines(file):
                    where = f"{path}:{number}"
                    try:
                        line = read_line(parse_object(text, path, number, surrogates=True))
                    except DataError as error:
                        yield where, str(error)
                    except LineError as error:
                        yield where, f"{where}: {error}"
                    else:
                        if line is not None:
                            yield where, (line[0], received(line[1]))
        except OSError as error:
            raise DataError(f"cannot read: {error.strerror}", path) from None


def same_reply(a: Response, b: Response) -> bool:
    """Whether two replies have the same text, thinking and end. Servers and programs may count their tokens differently."""
    return (a.text, a.finish, a.reasoning) == (b.text, b.finish, b.reasoning)


def _store_plan(folder: Path, plan: Store, out: Path, store: Store) -> None:
    """Plan the cells in the run's store, as `evalsuite run` does, and write the run's manifest."""
    add_run(folder)
    keep_benchmark_files(out, {TASKS[cell.place.task].benchmark for cell in plan.cells()})
    require_cells(out, store.cells())
    manifest = read_json(folder / "manifest.json")
    try:
        manifest["settings"]["out"] = str(out)
    except (LookupError, TypeError):
        raise DataError("no manifest of evalsuite: its settings are missing", folder / "manifest.json") from None
    replace_file(out / "manifest.json", finite_json(manifest, out / "manifest.json", indent=1) + "\n")
    for cell in plan.cells():
        store.plan(cell, [(key, trial) for key, trial, _ in plan.read(cell)])


def _store_replies(
    store: Store, files: ReplyFiles, items: Mapping[str, str], prices: Mapping[str, Price | None]
) -> tuple[int, int, dict[str, list[str]]]:
    """Store replies to the run's requests, with their cost. Returns the numbers of new and of known replies, and the remarks."""
    known = store.done(items)
    already = 0
    for key in [key for key in files.replies if key in known]:
        if (stored := store.response(key)) and same_reply(stored, files.replies[key]):
            already += 1
        else:
            files.contradicting[key] = f"{files.first_lines[key]} and the run, which keeps its own"
    new = {
        key: replace(response, cost=cost_of(prices[key], response.prompt_tokens, response.new_tokens))
        for key, response in files.replies.items()
        if key not in known
    }
    failures = {key: response for key, response in files.failures.items() if key not in known}
    rows = [*new.items(), *failures.items()]
    for start in range(0, len(rows), _TRANSACTION):
        store.put(rows[start : start + _TRANSACTION])
    answered = store.done(items)
    remarks = {
        "failed": [f"{items[key]}: {response.error}" for key, response in failures.items()],
        "missing": [f"{items[key]}, key {key}" for key in items if key not in answered and key not in failures],
        "double": files.double,
        "contradicting": [f"{items[key]}: {where}" for key, where in files.contradicting.items()],
        "foreign": files.foreign,
        "broken": files.broken,
    }
    return len(new), already, remarks
