"""Oddities in the official files of CHARM, XCOPA (Chinese) and C3, by the rules that docs/data_findings.md names.

    python benchmarks/data_findings.py DATA

DATA holds charm/data/CHARM, xcopa/{data,data-gmt}/zh and c3/{data,annotation}; those that are missing are passed over. It reads
the raw files, not the suite's loaders. Items are named by their number in their file, from 0, or by document and question.
The classifier that sees C3's choices alone needs scikit-learn (the extra `authoring`).
"""

from __future__ import annotations

import argparse
import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.check import chi_square_p

LINE = re.compile(r"^\s*[(（]\s*([A-H])\s*[)）]\s*", re.MULTILINE)
TYPE = re.compile(r"(?:m|l|s|c-[aoeipdhn])(?:\|(?:m|l|s|c-[aoeipdhn]))*\|\|[012]")
Row = dict[str, Any]


def plain_text(text: str) -> str:
    """The text without blanks, punctuation and case."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).lower()


def options(text: str) -> list[tuple[str, str]]:
    """(letter, text) of the options that begin a line."""
    found = list(LINE.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)]
    return [(match.group(1), text[match.end() : end].strip()) for match, end in zip(found, ends, strict=False)]


def grams(text: str, n: int = 3) -> set[str]:
    """The n-grams of characters."""
    text = plain_text(text)
    return {text[i : i + n] for i in range(len(text) - n + 1)}


def likeness(one: str, other: str) -> float:
    """The Jaccard index of the 3-grams of characters."""
    a, b = grams(one), grams(other)
    return len(a & b) / max(1, len(a | b))


def show(finding: str, where: Iterable[object]) -> None:
    places = [str(place) for place in where]
    print(f"{finding}: {len(places)}\n    {'; '.join(places) or '–'}")


def charm(root: Path) -> None:
    def read(folder: str) -> dict[str, list[Row]]:
        return {
            p.stem: json.loads(p.read_text(encoding="utf-8"))["examples"]
            for p in sorted((root / folder).glob("*.json"))
        }

    zh, en, facts = read("reasoning"), read("reasoning_Translate-EN"), read("memorization")
    for title, files in (("reasoning", zh), ("Translate-EN", en)):
        print(f"\n== CHARM, {title}")
        rows = [
            (f"{name} {n}", row, options(row["input"])) for name, file in files.items() for n, row in enumerate(file)
        ]
        show(
            "options that do not run from (A) on",
            (
                at
                for at, _, found in rows
                if "".join(letter for letter, _ in found) != "ABCDEFGH"[: len(found)] or len(found) < 2
            ),
        )
        show("two options of the same text, * one of them right", twins(rows))
        letter = {at: row["target"].strip().strip("()") for at, row, _ in rows}
        show("target that no option bears", (at for at, _, found in rows if letter[at] not in dict(found)))
        show("target with a line break", Counter(at.split()[0] for at, row, _ in rows if "\n" in row["target"]).items())
    asked = [(name, n, row) for name, file in zh.items() for n, row in enumerate(file)]
    gold = {row["id"]: dict(options(row["input"])).get(row["target"].strip("()"), "") for *_, row in asked}
    print("\n== CHARM, between items")
    reading = [item for item in asked if item[0].endswith("Reading_Comprehension")]
    pairs = [
        (a, b) for a, b in combinations(reading, 2) if a[0] == b[0] and likeness(a[2]["input"], b[2]["input"]) > 0.7
    ]
    show(
        "reading: the same text twice, ! with another answer",
        (
            f"{a[0]} {a[1]}, {b[1]}"
            + " !" * (a[2]["target"] != b[2]["target"] and likeness(gold[a[2]["id"]], gold[b[2]["id"]]) < 0.5)
            for a, b in pairs
        ),
    )
    show(
        "Translate-EN: another target",
        (
            f"{name} {n}"
            for name, file in zh.items()
            for n, row in enumerate(file)
            if row["target"].strip() != en[name][n]["target"].strip()
        ),
    )
    show(
        "Translate-EN: a question without its question mark",
        (
            f"{name} {n}"
            for name, file in zh.items()
            for n, row in enumerate(file)
            if re.search("[?？]", stem(row)) and not re.search("[?？]", stem(en[name][n]))
        ),
    )
    show(
        "Translate-EN: Chinese left",
        Counter(
            name for name, file in en.items() for row in file if re.search("[\u4e00-\u9fff]", row["input"])
        ).items(),
    )
    show(
        "Translate-EN: names of entailment",
        Counter(
            options(row["input"])[0][1].lower()
            for name, file in en.items()
            if name.endswith("Inference")
            for row in file
        ).items(),
    )
    said = {name: [row["target"] for row in file] for name, file in read("memorization_Translate-EN").items()}
    show(
        "Translate-EN: references with dates in brackets or of over 60 characters",
        Counter(
            name for name, texts in said.items() for text in texts if re.search(r"\(\S*\d", text) or len(text) > 60
        ).items(),
    )
    premises = [(name, row["input"].partition("\n")[0].strip()) for name, _, row in asked if name.endswith("Inference")]
    show(
        "premises of several items (set, number of items)",
        Counter((name.partition("_")[0], n) for (name, _), n in Counter(premises).items() if n > 1).items(),
    )
    print("\n== CHARM, memory")
    mids = {(row["id"], fact) for *_, row in asked for fact in row.get("mids", [])}
    rids = {(item, row["id"]) for file in facts.values() for row in file for item in row["rids"]}
    show("links that stand in one direction only", mids ^ rids)
    show(
        "links that stand twice",
        (
            f"{name} {n}"
            for files in (zh, facts)
            for name, file in files.items()
            for n, row in enumerate(file)
            for key in ("mids", "rids")
            if len({*row.get(key, [])}) < len(row.get(key, []))
        ),
    )
    by_question = defaultdict(list)
    for name, file in facts.items():
        for n, row in enumerate(file):
            by_question[plain_text(row["input"])].append((f"{name} {n}", row["target"]))
    again = [found for found in by_question.values() if len(found) > 1]
    show("asked more than once", (", ".join(at for at, _ in found) for found in again))
    show("of them with one and the same reference", (found[0][0] for found in again if len({t for _, t in found}) == 1))
    negated = [row for file in facts.values() for row in file if row["target"].startswith("[not]")]
    print(f"references [not]x: {len(negated)} of {sum(map(len, facts.values()))}")
    print("\n== CHARM, examples")
    show(
        "examples that are test items",
        (f"{path.name}: {n} ({score:.2f})" for path, n, score in leaked_examples(root, zh)),
    )


def twins(rows: Iterable[tuple[str, Row, list[tuple[str, str]]]]) -> Iterator[str]:
    for at, row, found in rows:
        texts = Counter(plain_text(text) for _, text in found)
        right = plain_text(dict(found).get(row["target"].strip().strip("()"), ""))
        if any(n > 1 for n in texts.values()):
            yield f"{at}{'*' * (texts[right] > 1)}"


def stem(row: Row) -> str:
    """The text before the options."""
    return LINE.split(row["input"])[0]


def leaked_examples(root: Path, zh: dict[str, list[Row]]) -> Iterator[tuple[Path, int, float]]:
    """The direct examples of each task whose question has a likeness of 0.82 and more with an item's."""
    for path in sorted((root / "few-shot-examples").glob("*_Direct.txt")):
        for block in re.split(r"\n\s*\nQ[:：]", path.read_text(encoding="utf-8"))[1:]:
            question = re.split(r"\nA[:：]", block)[0]
            for n, row in enumerate(zh[path.stem.removesuffix("_Direct")]):
                if (score := likeness(question, row["input"])) >= 0.82:
                    yield path, n, score


def xcopa(root: Path) -> None:
    print("\n== XCOPA")
    files = {
        (folder, split): [
            json.loads(line)
            for line in (root / folder / "zh" / f"{split}.zh.jsonl").read_text(encoding="utf-8").splitlines()
        ]
        for folder in ("data", "data-gmt")
        for split in ("val", "test")
    }
    for (folder, split), rows in files.items():
        print(folder, split, Counter(row["label"] for row in rows), Counter(row["question"] for row in rows))
        show(
            "two equal choices",
            (n for n, row in enumerate(rows) if plain_text(row["choice1"]) == plain_text(row["choice2"])),
        )
    keys = ("label", "question", "idx")
    show(
        "the translation has another label",
        (
            f"{split} {n}"
            for split in ("val", "test")
            for n, pair in enumerate(zip(files["data", split], files["data-gmt", split], strict=True))
            if any(pair[0][k] != pair[1][k] for k in keys)
        ),
    )
    rows = [(f"{split} {n}", row) for split in ("val", "test") for n, row in enumerate(files["data", split])]
    show(
        "premises that stand twice",
        (
            f"{a}, {b}"
            for (a, x), (b, y) in combinations(rows, 2)
            if plain_text(x["premise"]) == plain_text(y["premise"])
        ),
    )
    texts = [(at, grams("".join((row["premise"], row["choice1"], row["choice2"])), 2)) for at, row in rows]
    show(
        "nearly equal items",
        (f"{a}, {b}" for (a, x), (b, y) in combinations(texts, 2) if len(x & y) >= 0.6 * len(x | y)),
    )


def c3(root: Path) -> None:
    print("\n== C3")
    files = {
        (kind, split): json.loads((root / "data" / f"c3-{kind}-{split}.json").read_text(encoding="utf-8"))
        for kind in "dm"
        for split in ("train", "dev", "test")
    }
    asked = [
        (f"{kind} {split} {name}/{n}", q)
        for (kind, split), documents in files.items()
        for _, questions, name in documents
        for n, q in enumerate(questions, 1)
    ]
    show(
        "answers that are not exactly one of the choices",
        (at for at, q in asked if q["choice"].count(q["answer"]) != 1),
    )
    show("questions with two equal choices", (at for at, q in asked if len({*q["choice"]}) < len(q["choice"])))
    show("documents of which the larger part (8 in 10 of the shorter one's 6-grams) stands twice", copies(files))
    names: dict[str, set[str]] = defaultdict(set)
    for (kind, split), documents in files.items():
        for *_, name in documents:
            names[name].add(f"{kind}-{split}")
    print(f"ids that two files give to different documents: {sum(len(where) > 1 for where in names.values())}")
    for (kind, split), documents in files.items():
        questions = [q for _, asked_here, _ in documents for q in asked_here if q["choice"].count(q["answer"]) == 1]
        for size in (2, 3, 4):
            places = Counter(q["choice"].index(q["answer"]) for q in questions if len(q["choice"]) == size)
            if n := places.total():
                p = chi_square_p(places, dict.fromkeys(range(size), n / size))
                print(
                    f"right of {size} choices, {kind} {split}: {[places[place] for place in range(size)]} p = {p:.2g}"
                )
    blind(files)
    for kind in "dm":
        for split in ("dev", "test"):
            known = {(name, str(n)) for _, questions, name in files[kind, split] for n in range(1, len(questions) + 1)}
            lines = (root / "annotation" / f"c3-{kind}-{split}.txt").read_text(encoding="utf-8").split("\n")[1:]
            notes = [line.split("\t") for line in lines if line.strip()]
            show(
                f"annotation {kind} {split}, {len(notes)} lines: no question, or no type",
                (" ".join(note) for note in notes if (note[0], note[1]) not in known or not TYPE.fullmatch(note[2])),
            )


def blind(files: dict[tuple[str, str], list[Any]]) -> None:
    """The share of items for which a logistic regression on the choices' 1- to 3-grams, without text and question, finds the
    right one."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    for kind in "dm":
        asked = {split: [q for _, qs, _ in files[kind, split] for q in qs] for split in ("train", "dev", "test")}
        shown = [(choice, choice == q["answer"]) for q in asked["train"] for choice in q["choice"]]
        features = TfidfVectorizer(analyzer="char", ngram_range=(1, 3), min_df=3, sublinear_tf=True)
        model = LogisticRegression(max_iter=400).fit(features.fit_transform(c for c, _ in shown), [y for _, y in shown])
        for split in ("dev", "test"):
            right = sum(
                q["choice"][model.decision_function(features.transform(q["choice"])).argmax()] == q["answer"]
                for q in asked[split]
            )
            print(f"choices alone, {kind} {split}: {right / len(asked[split]):.1%}")


def copies(files: dict[tuple[str, str], list[Any]]) -> Iterator[str]:
    texts = [
        (f"{kind} {split} {name}", grams("".join(lines), 6))
        for (kind, split), documents in files.items()
        for lines, _, name in documents
    ]
    holders: dict[str, list[int]] = defaultdict(list)
    for n, (_, parts) in enumerate(texts):
        for part in parts:
            holders[part].append(n)
    common = Counter(pair for found in holders.values() if len(found) < 30 for pair in combinations(found, 2))
    for (a, b), n in sorted(common.items()):
        if n >= max(8, 0.8 * min(len(texts[a][1]), len(texts[b][1]))):
            yield f"{texts[a][0]}, {texts[b][0]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    for check, root in ((charm, data / "charm/data/CHARM"), (xcopa, data / "xcopa"), (c3, data / "c3")):
        if root.is_dir():
            check(root)


if __name__ == "__main__":
    main()
