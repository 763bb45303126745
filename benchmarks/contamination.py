"""Power and false alarms of `evalsuite contamination`: models trained on test files on purpose, and simulations.

    python benchmarks/contamination.py [--parts caught,power,alarms,clean] [--seed 0] [--out build/contamination]
    python benchmarks/contamination.py --parts caught --large MODEL-FOLDER     # one more model, by LoRA
    python benchmarks/contamination.py --parts "" --write docs/contamination.md   # the tables, from what is in --out

    caught  tiny-zh, untrained and after 1, 3 and 10 epochs on a file, by LoRA and all its weights: every test of the command
    power   the share of repetitions in which a test finds a leak (p < 0.05), by items, epochs, and share of the leak in the text
            that the model learnt. Items and their order are drawn for each repetition: without training, no test can find them
    alarms  the same for the untrained model, thousands of times; the order and the items taken as published are drawn
    clean   the untrained model on every official file with its real order, options and splits; for contrast, two comparisons that
            give small p-values for any model (texts of another source; items against the same items with other names)

Files are those in EVALSUITE_DATA, for `caught` the sample's as well. One thread, and the seed decides everything.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

EPOCHS = (1, 3, 10)
TINY = "bundled:models/tiny-zh"
# The file whose items `power` and `alarms` plant: it has many short items.
PLANTED = ("xcopa_cause_effect", "zh")
BLOCK = 25  # items of a block; a file is one block or several
SIZES = (25, 50, 100, 200)
CONTROLS = 100
ROOM = 512  # the most tokens of a shard
LEVEL = 0.05
JsonRows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class PlantedFile:
    """The first entries of a file, on which a model is trained."""

    task: str
    set: str
    entries: int
    data: str  # "official" or "sample"


LEAKS = (
    PlantedFile("xcopa_cause_effect", "zh", 100, "official"),
    PlantedFile("clipped_subsequent_event", "hard", 30, "official"),
    PlantedFile("knowledge_filling", "easy", 20, "sample"),
)


def folder(data: str, official: str | None) -> str:
    return "bundled:sample" if data == "sample" else str(official)


# --- texts and networks


def entries_of(leak: PlantedFile, data: str, split: str = "test") -> Any:
    """The first entries of a file, in the form in which a crawler finds them."""
    from evalsuite.benchmarks.registry import TASKS, Corpora
    from evalsuite.common.resources import resolve
    from evalsuite.exposure.texts import read_entries

    return read_entries(Corpora(resolve(data)).file(TASKS[leak.task], leak.set, split), leak.entries)


def text_of(entries: Any) -> str:
    return str(entries.join(entries.entries)) + str(entries.between)


def network(path: str) -> tuple[Any, Any]:
    """(network, tokenizer), float32 if it is small."""
    import torch
    import transformers

    from evalsuite.common.resources import resolve

    small = (Path(resolve(path)) / "model.safetensors").stat().st_size < 2**27
    tokenizer = transformers.AutoTokenizer.from_pretrained(resolve(path))
    net = transformers.AutoModelForCausalLM.from_pretrained(
        resolve(path), dtype=torch.float32 if small else torch.bfloat16
    )
    return net, tokenizer


def ways(path: str) -> dict[str, Any]:
    """Ways to train a model: name -> Planting."""
    from planting import Planting

    if path == TINY:
        return {
            "all weights": Planting(EPOCHS, rank=0, learning_rate=5e-4),
            "LoRA": Planting(EPOCHS, rank=16, learning_rate=2e-3),
        }
    # Half of the layers and an eighth of the vocabulary cost 270 seconds of processor time for 100 short items.
    return {"LoRA": Planting(EPOCHS, tokens=256, learning_rate=3e-4, frozen=12, sampled=16_384)}


# --- caught: the command itself, on models that were trained


def caught(
    path: str, leaks: Sequence[PlantedFile], seed: int, official: str | None, out: Path, limits: dict[str, Any]
) -> JsonRows:
    rows: JsonRows = []
    for leak in leaks:
        if leak.data == "official" and official is None:
            continue
        data = folder(leak.data, official)
        place = out / f"{Path(path).name}-{leak.data}-{leak.task}"
        models = planted_models(path, leak, data, seed, place)
        rows += [row | {"leak": leak.data} for row in test_models(models, leak, data, seed, place, limits)]
    return rows


def planted_models(path: str, leak: PlantedFile, data: str, seed: int, place: Path) -> dict[str, dict[str, Any]]:
    """Name -> settings in a models.yaml: the untrained model, and each way of training after each number of epochs. The trained
    models are stored in `place`."""
    from planting import chunks, plant

    base = {"backend": "hf", "path": path, "device": "cpu", "hf": {"threads": 1}}
    base["dtype"] = "float32" if path == TINY else "bfloat16"
    models: dict[str, dict[str, Any]] = {"untrained": base}
    for way, how in ways(path).items():
        name = way.replace(" ", "-").lower()
        for epoch in EPOCHS:
            folder_name = str(place / f"{name}-{epoch}")
            models[f"{name}-{epoch}"] = base | ({"adapter": folder_name} if how.rank else {"path": folder_name})
        if (place / f"{name}-{EPOCHS[-1]}" / "done").is_file():
            continue
        net, tokenizer = network(path)
        ids = tokenizer(text_of(entries_of(leak, data)), verbose=False)["input_ids"]

        def keep(epoch: int, net: Any, loss: float, name: str = name, tokenizer: Any = tokenizer) -> None:
            net.save_pretrained(place / f"{name}-{epoch}")
            tokenizer.save_pretrained(place / f"{name}-{epoch}")
            (place / f"{name}-{epoch}" / "done").write_text(str(loss))
            print(f"{place.name}: {name}, epoch {epoch}: loss {loss:.3f}", flush=True)

        plant(net, chunks(ids, how.tokens), replace(how, seed=seed), keep)
    return models


def test_models(
    models: dict[str, dict[str, Any]], leak: PlantedFile, data: str, seed: int, place: Path, limits: dict[str, Any]
) -> JsonRows:
    import yaml

    import evalsuite

    file = place / "models.yaml"
    file.write_text(yaml.safe_dump({"models": [{"name": name, **settings} for name, settings in models.items()]}))
    result = evalsuite.contamination(
        list(models),
        file,
        tasks=[leak.task],
        set=leak.set,
        data=data,
        limit=leak.entries,
        seed=seed,
        out=place / "run",
        window=ROOM,
        **limits,
    )
    assert not result.problems, result.problems
    return [row.model_dump(mode="json") for row in result.rows]


# --- scores of a network in memory


class Scorer:
    """A backend of transformers that scores texts with its own network or another one."""

    def __init__(self, path: str) -> None:
        from evalsuite.backends.hf.backend import HuggingFace
        from evalsuite.backends.model import HF, Model
        from evalsuite.common.resources import resolve

        self.backend = HuggingFace(
            Model(name="m", backend="hf", path=str(resolve(path)), dtype="float32", device="cpu", hf=HF(threads=1))
        )
        self.tokenizer = self.backend.checkpoint.tokenizer

    def count(self, text: str) -> int:
        return len(self.tokenizer(text, verbose=False)["input_ids"])

    def scores(self, pairs: Sequence[tuple[str, str]], net: Any = None) -> list[Any]:
        from evalsuite.exposure.likelihoods import measure

        network_before = self.backend.net
        self.backend.net = net or network_before
        try:
            return measure(self.backend, pairs)
        finally:
            self.backend.net = network_before


@dataclass(frozen=True, slots=True)
class DrawnFile:
    """Items of a file, drawn at random in a random order, and other items of the file as controls."""

    blocks: tuple[Any, ...]  # Entries
    controls: Any  # Entries

    @property
    def text(self) -> str:
        return "".join(text_of(block) for block in self.blocks)


def draw(every: Any, count: int, rng: Random) -> DrawnFile:
    from evalsuite.exposure.texts import Entries

    chosen = rng.sample(list(every.entries), count + CONTROLS)
    numbered = [replace(e, number=str(n)) for n, e in enumerate(chosen[:count])]  # in the drawn order
    blocks = [tuple(numbered[n : n + BLOCK]) for n in range(0, count, BLOCK)]
    return DrawnFile(
        tuple(Entries(block, every.between, True) for block in blocks),
        Entries(tuple(chosen[count:]), every.between, True).numbered_like(Entries(tuple(numbered), "", True), rng),
    )


@dataclass(frozen=True, slots=True)
class FileLikelihoods:
    """The likelihoods that a network gives to a drawn file."""

    strata: list[list[list[float]]]  # block -> the log-probabilities of the orders of its shards
    items: dict[str, list[list[float]]]  # score -> block -> item
    controls: dict[str, list[float]]


def score_file(scorer: Scorer, drawn: DrawnFile, others: int, seed: int, net: Any = None) -> FileLikelihoods:
    from evalsuite.exposure import items
    from evalsuite.exposure.arrangements import order_of_items

    arrangements = [order_of_items(block, scorer.count, ROOM, others, seed) for block in drawn.blocks]
    likelihoods = iter(scorer.scores([pair for m in arrangements for pair in m.pairs], net))
    strata = [[[next(likelihoods).logprob for _ in stratum] for stratum in m.strata] for m in arrangements]
    singles = [
        scorer.scores([(some.between, e.text) for e in some.entries], net) for some in (*drawn.blocks, drawn.controls)
    ]
    named = {"Min-K %++": items.minkpp, "Min-K %": items.mink}
    values = {name: [[score([x]) for x in block] for block in singles] for name, score in named.items()}
    return FileLikelihoods(
        strata, {name: v[:-1] for name, v in values.items()}, {name: v[-1] for name, v in values.items()}
    )


def p_values(values: FileLikelihoods, size: int, rng: Random) -> Iterator[dict[str, float]]:
    """The p-values of each test for files of `size` items: blocks that follow one another."""
    from evalsuite.exposure.exact import greater_p, stratified_p

    step = size // BLOCK
    for start in range(0, len(values.strata) - step + 1, step):
        several = slice(start, start + step)
        p_of_test = {"order": stratified_p([row for block in values.strata[several] for row in block], rng, 4_999)}
        for name, blocks in values.items.items():
            p_of_test[name] = greater_p(
                [x for block in blocks[several] for x in block], values.controls[name], rng, 1_999
            )
        yield p_of_test


# --- power


def power(seed: int, official: str, out: Path, slices: dict[float, tuple[int, int]]) -> JsonRows:
    """The p-values of all tests after training. `slices`: share of the leak in the text -> (items, repetitions). Each repetition is
    stored in `out`, and is not run again."""
    from planting import Planting, chunks, plant

    every, other = entries_of(PlantedFile(*PLANTED, 10_000, "official"), official), _other(official)
    scorer, rows = Scorer(TINY), list[dict[str, Any]]()
    for share, (count, repetitions) in slices.items():
        for number in range(repetitions):
            file = out / "slices" / f"{seed}-{share:g}-{count}-{number}.json"
            file.parent.mkdir(exist_ok=True)
            if file.is_file():
                rows += json.loads(file.read_text())
                continue
            began, slice_rows = time.perf_counter(), list[dict[str, Any]]()
            drawn = draw(every, count, Random(f"{seed}:power:{share}:{number}"))
            net, tokenizer = network(TINY)
            ids = tokenizer(drawn.text, verbose=False)["input_ids"]
            how = Planting(EPOCHS, rank=0, learning_rate=5e-4, seed=seed + number)
            text = chunks(ids, how.tokens) + filler(other, len(ids) * (1 / share - 1), how.tokens, tokenizer, number)

            def test_epoch(
                epoch: int,
                net: Any,
                loss: float,
                slice_rows: JsonRows = slice_rows,
                drawn: DrawnFile = drawn,
                share: float = share,
                number: int = number,
            ) -> None:
                values = score_file(scorer, drawn, 5, seed, net)
                for size in (size for size in SIZES if size <= len(drawn.blocks) * BLOCK):
                    for p in p_values(values, size, Random(f"{seed}:{number}:{epoch}")):
                        slice_rows.append({"share": share, "slice": number, "epochs": epoch, "items": size, "p": p})

            test_epoch(0, None, 0.0)
            plant(net, text, how, test_epoch)
            file.write_text(json.dumps(slice_rows))
            rows += slice_rows
            print(f"power: share {share:g}, {count} items, {number}: {time.perf_counter() - began:.0f} s", flush=True)
    return rows


def _other(official: str) -> list[str]:
    """The lines of the text, in the folder `other`, that dilutes a leak."""
    place = Path(official) / "other"
    return [line for file in sorted(place.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]


def filler(lines: Sequence[str], tokens: float, size: int, tokenizer: Any, number: int) -> list[list[int]]:
    """Chunks of `size` tokens of other text, `tokens` in all."""
    from planting import chunks

    ids: list[int] = []
    for line in Random(f"filler:{number}").sample(list(lines), len(lines)):
        if len(ids) >= tokens:
            break
        ids += tokenizer(line + "\n", verbose=False)["input_ids"]
    return chunks(ids[: math.ceil(tokens)], size)


# --- false alarms


def alarms(seed: int, official: str, repetitions: int) -> JsonRows:
    """The p-values of each repetition. The published order of each shard, and which items are official, is drawn anew."""
    from evalsuite.exposure.exact import greater_p, stratified_p
    from evalsuite.metrics.statistics import holm

    every = entries_of(PlantedFile(*PLANTED, 10_000, "official"), official)
    rng, rows = Random(f"{seed}:alarms"), list[dict[str, Any]]()
    values = score_file(Scorer(TINY), draw(every, max(SIZES), rng), 23, seed)
    strata = [row for block in values.strata for row in block]
    per_block = len(strata) / len(values.strata)
    scores = [x for block in values.items["Min-K %++"] for x in block] + values.controls["Min-K %++"]
    for number in range(repetitions):
        size = SIZES[number % len(SIZES)]
        shards = rng.sample(strata, round(size / BLOCK * per_block))
        drawn = [rng.sample(row, min(6, len(row))) for row in shards]  # the first is the published one
        people = rng.sample(scores, size + CONTROLS)
        p = {
            "order": stratified_p(drawn, rng, 1_999),
            "Min-K %++": greater_p(people[:size], people[size:], rng, 1_999),
        }
        rows.append({"items": size, "p": p, "any": min(holm(p).values())})
    return rows


# --- the untrained model on real files


def clean(seed: int, official: str, out: Path) -> JsonRows:
    """Rows that the command gives for the untrained model on the official files, unchanged."""
    import evalsuite

    result = evalsuite.contamination(
        "tiny-zh",
        tasks=["corecode", "xcopa", "c3", "charm"],
        data=official,
        limit=20,
        items=16,
        window=1024,
        shuffles=5,
        tests=("order", "options", "mink"),
        form=("raw",),
        seed=seed,
        out=out / "clean",
    )
    for problem in result.problems:
        print("problem:", problem)
    return [row.model_dump(mode="json") for row in result.rows]


def naive(seed: int, official: str) -> JsonRows:
    """Two comparisons that the command leaves out, since their p-values are small for every model, here of the untrained one."""
    from evalsuite.benchmarks.registry import TASKS, Corpora
    from evalsuite.common.resources import resolve
    from evalsuite.exposure import items
    from evalsuite.exposure.exact import greater_p, positive_p
    from evalsuite.prompt import Prompt

    scorer, rng, rows = Scorer(TINY), Random(f"{seed}:naive"), list[dict[str, Any]]()
    corpora = Corpora(resolve(official))
    task = TASKS["event_cause"]
    prompt = Prompt(resolve("bundled:prompts"), task, "paper")
    for item_set in ("easy", "hard"):
        some = corpora.file(task, item_set, "test").items[:60]
        texts = items.renamed_texts(some, lambda item: (prompt.render(item), prompt.target(item)))
        text_scores = [scorer.scores(one.pairs) for one in texts]
        moves = [items.renamed(scores) for scores in text_scores]
        rows.append(
            {
                "what": f"names as published against swapped, {item_set} event_cause",
                "n": len(moves),
                "p": positive_p(moves, rng),
                "check": None,
            }
        )
    one = items.raw_texts(entries_of(PlantedFile("event_cause", "hard", 60, "official"), official))
    other = items.raw_texts(entries_of(PlantedFile("xcopa_cause_effect", "zh", 60, "official"), official))
    for name, pair in (("event_cause against xcopa", (one, other)), ("xcopa against event_cause", (other, one))):
        scores_a, scores_b = ([items.minkpp(scorer.scores(t.pairs)) for t in texts] for texts in pair)
        checks = items.checks(*pair, rng)
        rows.append(
            {
                "what": f"Min-K %++, {name}",
                "n": len(scores_a),
                "p": greater_p(scores_a, scores_b, rng),
                "check": min(checks.values()),
            }
        )
    return rows


# --- tables


def interval(hits: int, count: int) -> tuple[float, float]:
    """Clopper-Pearson's 95 % interval of a share."""
    from scipy.stats import binomtest

    ends = binomtest(hits, count).proportion_ci(method="exact")
    return float(ends.low), float(ends.high)


def share(hits: int, count: int) -> str:
    low, high = interval(hits, count)
    return f"{100 * hits / count:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def p_text(p: float | None) -> str:
    return "–" if p is None else f"{p:.1e}" if p < 0.001 else f"{p:.3f}"


def caught_table(rows: JsonRows) -> str:
    """p after Holm of each test by epochs, bold below LEVEL. The untrained model's is repeated for each way of training."""
    trained = {(row["network"], way) for row in rows if (way := row["model"].rpartition("-")[0])}
    cells_of_row: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        way, _, epochs = row["model"].rpartition("-")
        ways = [way] if way else sorted(way for network, way in trained if network == row["network"])
        test = row["test"] + (f", {row['form']}" if row["test"] == "mink" else "")
        for each in ways:
            key = (row["network"], f"{row['leak']} {row['task']}", each, test)
            cells_of_row.setdefault(key, {})[epochs if way else "0"] = caught_text(row)
    return table(
        ("model", "file", "trained", "test", "untrained", *(f"{n} epoch{'s' * (n > 1)}" for n in EPOCHS)),
        [[*key, *(by.get(n, "") for n in ("0", *map(str, EPOCHS)))] for key, by in cells_of_row.items()],
    )


def caught_text(row: dict[str, Any]) -> str:
    p = row["p_holm"]
    if p is None:
        return f"– ({row['why']})"
    return f"**{p_text(p)}**" if p < LEVEL else p_text(p)


def power_table(rows: JsonRows) -> str:
    """The number of files with p < LEVEL, out of all files. Without intervals: files of one training are not independent."""
    table_rows = []
    for key in sorted({(-row["share"], row["items"], row["epochs"]) for row in rows}):
        of_key = [row for row in rows if (-row["share"], row["items"], row["epochs"]) == key]
        cells = [f"{sum(row['p'][name] < LEVEL for row in of_key)}/{len(of_key)}" for name in of_key[0]["p"]]
        table_rows.append([f"1:{1 / -key[0]:.0f}", *key[1:], len({row["slice"] for row in of_key}), *cells])
    names = list(rows[0]["p"]) if rows else []
    return table(("leak : all text", "items", "epochs", "trainings", *names), table_rows)


def alarms_table(rows: JsonRows) -> str:
    table_rows = []
    for level in (0.01, 0.05, 0.2):
        tests = [[row["p"][name] for row in rows] for name in rows[0]["p"]] + [[row["any"] for row in rows]]
        table_rows.append([level, len(rows), *(share(sum(p <= level for p in some), len(some)) for some in tests)])
    return table(("level", "repetitions", *rows[0]["p"], "any test, after Holm"), table_rows)


def clean_table(rows: JsonRows) -> str:
    table_rows = []
    for test in dict.fromkeys(row["test"] for row in rows):
        of_test = [row for row in rows if row["test"] == test]
        known = [row["p"] for row in of_test if row["p"] is not None]
        refused = sum(row["why"] == "not left to chance" for row in of_test)
        least = min((row["p_holm"] for row in of_test if row["p_holm"] is not None), default=None)
        table_rows.append([test, len(of_test), refused, len(known), sum(p < LEVEL for p in known), p_text(least)])
    return table(("test", "files", "not left to chance", "p-values", "of them < 0.05", "least after Holm"), table_rows)


def naive_table(rows: JsonRows) -> str:
    return table(
        ("comparison", "items", "p", "p of the check"),
        [[r["what"], r["n"], p_text(r["p"]), p_text(r["check"])] for r in rows],
    )


TABLES: dict[str, Callable[[JsonRows], str]] = {
    "caught": caught_table,
    "power": power_table,
    "alarms": alarms_table,
    "clean": clean_table,
    "naive": naive_table,
}


def show(out: Path, page: Path | None) -> None:
    """Print the tables of the results in `out`, or write each between its marks in a page."""
    text = page.read_text(encoding="utf-8") if page else ""
    for name, draw_table in TABLES.items():
        rows = [row for file in sorted(out.glob(f"{name}*.json")) for row in json.loads(file.read_text())]
        if not rows:
            continue
        table_text = draw_table(rows)
        if page is None:
            print(f"\n{name}\n\n{table_text}")
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        if begin in text:
            head, _, rest = text.partition(begin)
            text = head + begin + table_text + "\n" + end + rest.partition(end)[2]
    if page:
        page.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="caught,power,alarms,clean")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("build/contamination"))
    parser.add_argument("--large", help="the folder of a larger model for `caught`, instead of tiny-zh")
    parser.add_argument("--slices", type=int, default=5, help="repetitions of `power`")
    parser.add_argument("--repetitions", type=int, default=4_000, help="of `alarms`")
    parser.add_argument("--write", type=Path, help="the page whose tables to write")
    a = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    logging.getLogger("transformers").setLevel(logging.ERROR)
    a.out.mkdir(parents=True, exist_ok=True)
    official, parts = os.environ.get("EVALSUITE_DATA"), a.parts.split(",")
    if official is None and {"power", "alarms", "clean"} & {*parts}:
        parser.error("EVALSUITE_DATA names no folder of official data: --parts caught")
    if "caught" in parts:
        path = a.large or TINY
        limits: dict[str, Any] = {"items": 100, "completions": 20, "form": ("raw", "prompt")}
        if a.large:  # minutes a model on two cores
            limits = {"items": 40, "completions": 16, "shards": 8, "shuffles": 3, "form": ("raw",)}
        rows = caught(path, LEAKS[:1] if a.large else LEAKS, a.seed, official, a.out, limits)
        name = Path(path).name
        keep(a.out / f"caught-{name}.json", [row | {"network": name} for row in rows])
    if "alarms" in parts:
        keep(a.out / "alarms.json", alarms(a.seed, str(official), a.repetitions))
    if "power" in parts:
        slices = {1.0: (max(SIZES), a.slices), 0.1: (50, max(1, a.slices // 2))}
        keep(a.out / "power.json", power(a.seed, str(official), a.out, slices))
    if "clean" in parts:
        keep(a.out / "naive.json", naive(a.seed, str(official)))
        keep(a.out / "clean.json", clean(a.seed, str(official), a.out))
    show(a.out, a.write)


def keep(file: Path, rows: JsonRows) -> None:
    file.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
