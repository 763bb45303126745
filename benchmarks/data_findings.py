"""Oddities in the official files of CHARM, XCOPA (Chinese) and C3, by the rules that docs/data_findings.md names.

    python benchmarks/data_findings.py DATA

DATA has charm/data/CHARM, xcopa/{data,data-gmt}/zh and c3/{data,annotation}, or some of them. The script reads the raw files
without the suite's loaders. Items are named by their number in their file, from 0, or by document and question. The classifier
of C3's choices without text and question needs scikit-learn (the extra `authoring`).
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
RawItem = dict[str, Any]


def plain_text(text: str) -> str:
    """The text in lower case without blanks and punctuation, after NFKC."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).lower()


def options(text: str) -> list[tuple[str, str]]:
    """(letter, text) of the options that begin a line."""
    matches = list(LINE.finditer(text))
    ends = [*(match.start() for match in matches[1:]), len(text)]
    return [(match.group(1), text[match.end() : end].strip()) for match, end in zip(matches, ends, strict=False)]


def grams(text: str, n: int = 3) -> set[str]:
    """The n-grams of characters."""
    text = plain_text(text)
    return {text[i : i + n] for i in range(len(text) - n + 1)}


def likeness(first: str, second: str) -> float:
    """The Jaccard index of the 3-grams of characters."""
    a, b = grams(first), grams(second)
    return len(a & b) / max(1, len(a | b))


def show(finding: str, where: Iterable[object]) -> None:
    names = [str(name) for name in where]
    print(f"{finding}: {len(names)}\n    {'; '.join(names) or '–'}")


def charm(root: Path) -> None:
    def read(folder: str) -> dict[str, list[RawItem]]:
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
        letters = [(where, "".join(letter for letter, _ in choices)) for where, _, choices in rows]
        wrong = (where for where, text in letters if text != "ABCDEFGH"[: len(text)] or len(text) < 2)
        show("options that do not run from (A) on", wrong)
        show("two options of the same text, * one of them right", twins(rows))
        target = {where: row["target"].strip().strip("()") for where, row, _ in rows}
        show("target that no option bears", (w for w, _, choices in rows if target[w] not in dict(choices)))
        broken = Counter(where.split()[0] for where, row, _ in rows if "\n" in row["target"])
        show("target with a line break", broken.items())
    questions = [(name, n, row, en[name][n]) for name, file in zh.items() for n, row in enumerate(file)]
    gold = {row["id"]: dict(options(row["input"])).get(row["target"].strip("()"), "") for _, _, row, _ in questions}
    print("\n== CHARM, between items")
    reading = [(name, n, row) for name, n, row, _ in questions if name.endswith("Reading_Comprehension")]
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
    other = (f"{name} {n}" for name, n, row, english in questions if row["target"].strip() != english["target"].strip())
    show("Translate-EN: another target", other)
    mark = re.compile("[?？]")
    unmarked = (
        f"{f} {n}" for f, n, row, english in questions if mark.search(stem(row)) and not mark.search(stem(english))
    )
    show("Translate-EN: a question without its question mark", unmarked)
    chinese = Counter(name for name, _, _, english in questions if re.search("[\u4e00-\u9fff]", english["input"]))
    show("Translate-EN: Chinese left", chinese.items())
    entailment = (english for name, _, _, english in questions if name.endswith("Inference"))
    names = Counter(options(english["input"])[0][1].lower() for english in entailment)
    show("Translate-EN: names of entailment", names.items())
    references = [(name, row["target"]) for name, file in read("memorization_Translate-EN").items() for row in file]
    long = Counter(name for name, text in references if re.search(r"\(\S*\d", text) or len(text) > 60)
    show("Translate-EN: references with dates in brackets or of over 60 characters", long.items())
    premises = Counter(
        (name, row["input"].partition("\n")[0].strip()) for name, _, row, _ in questions if name.endswith("Inference")
    )
    several = Counter((name.partition("_")[0], n) for (name, _), n in premises.items() if n > 1)
    show("premises of several items (set, number of items)", several.items())
    print("\n== CHARM, memory")
    mids = {(row["id"], fact) for _, _, row, _ in questions for fact in row.get("mids", [])}
    rids = {(item, row["id"]) for file in facts.values() for row in file for item in row["rids"]}
    show("links that stand in one direction only", mids ^ rids)
    linked = (
        (f"{name} {n}", row) for files in (zh, facts) for name, file in files.items() for n, row in enumerate(file)
    )
    links = ((where, row.get(key, [])) for where, row in linked for key in ("mids", "rids"))
    show("links that stand twice", (where for where, ids in links if len({*ids}) < len(ids)))
    by_question = defaultdict(list)
    for name, file in facts.items():
        for n, row in enumerate(file):
            by_question[plain_text(row["input"])].append((f"{name} {n}", row["target"]))
    again = [rows for rows in by_question.values() if len(rows) > 1]
    show("asked more than once", (", ".join(where for where, _ in rows) for rows in again))
    same = (rows[0][0] for rows in again if len({target for _, target in rows}) == 1)
    show("of them with one and the same reference", same)
    negated = [row for file in facts.values() for row in file if row["target"].startswith("[not]")]
    print(f"references [not]x: {len(negated)} of {sum(map(len, facts.values()))}")
    print("\n== CHARM, examples")
    leaked = (f"{path.name}: {n} ({score:.2f})" for path, n, score in leaked_examples(root, zh))
    show("examples that are test items", leaked)


def twins(rows: Iterable[tuple[str, RawItem, list[tuple[str, str]]]]) -> Iterator[str]:
    """The items with two options of the same text; * marks an item whose right option is one of the two."""
    for where, row, choices in rows:
        texts = Counter(plain_text(text) for _, text in choices)
        right = plain_text(dict(choices).get(row["target"].strip().strip("()"), ""))
        if any(n > 1 for n in texts.values()):
            yield f"{where}{'*' * (texts[right] > 1)}"


def stem(row: RawItem) -> str:
    """The text before the options."""
    return LINE.split(row["input"])[0]


def leaked_examples(root: Path, zh: dict[str, list[RawItem]]) -> Iterator[tuple[Path, int, float]]:
    """(file, number of the item, likeness) of the direct examples whose likeness to an item of their task is 0.82 or more."""
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
        equal = (n for n, row in enumerate(rows) if plain_text(row["choice1"]) == plain_text(row["choice2"]))
        show("two equal choices", equal)
    pairs = (
        (f"{split} {n}", *pair)
        for split in ("val", "test")
        for n, pair in enumerate(zip(files["data", split], files["data-gmt", split], strict=True))
    )
    other = (at for at, row, translated in pairs if any(row[k] != translated[k] for k in ("label", "question", "idx")))
    show("the translation has another label", other)
    rows = [(f"{split} {n}", row) for split in ("val", "test") for n, row in enumerate(files["data", split])]
    premises = [(where, plain_text(row["premise"])) for where, row in rows]
    show("premises that stand twice", (f"{a}, {b}" for (a, x), (b, y) in combinations(premises, 2) if x == y))
    texts = [(where, grams("".join((row["premise"], row["choice1"], row["choice2"])), 2)) for where, row in rows]
    near = (f"{a}, {b}" for (a, x), (b, y) in combinations(texts, 2) if len(x & y) >= 0.6 * len(x | y))
    show("nearly equal items", near)


def c3(root: Path) -> None:
    print("\n== C3")
    files = {
        (kind, split): json.loads((root / "data" / f"c3-{kind}-{split}.json").read_text(encoding="utf-8"))
        for kind in "dm"
        for split in ("train", "dev", "test")
    }
    asked_questions = [
        (f"{kind} {split} {name}/{n}", q)
        for (kind, split), documents in files.items()
        for _, questions, name in documents
        for n, q in enumerate(questions, 1)
    ]
    odd = (where for where, q in asked_questions if q["choice"].count(q["answer"]) != 1)
    show("answers that are not exactly one of the choices", odd)
    equal = (where for where, q in asked_questions if len({*q["choice"]}) < len(q["choice"]))
    show("questions with two equal choices", equal)
    show("documents of which the larger part (8 in 10 of the shorter one's 6-grams) stands twice", copies(files))
    names: dict[str, set[str]] = defaultdict(set)
    for (kind, split), documents in files.items():
        for *_, name in documents:
            names[name].add(f"{kind}-{split}")
    print(f"ids that two files give to different documents: {sum(len(where) > 1 for where in names.values())}")
    for (kind, split), documents in files.items():
        questions = [q for _, of_document, _ in documents for q in of_document if q["choice"].count(q["answer"]) == 1]
        for size in (2, 3, 4):
            positions = Counter(q["choice"].index(q["answer"]) for q in questions if len(q["choice"]) == size)
            if n := positions.total():
                p = chi_square_p(positions, dict.fromkeys(range(size), n / size))
                print(f"right of {size} choices, {kind} {split}: {[positions[n] for n in range(size)]} p = {p:.2g}")
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
    """Print the accuracy of a logistic regression on the choices' 1- to 3-grams of characters, without text and question."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    for kind in "dm":
        questions_of = {split: [q for _, qs, _ in files[kind, split] for q in qs] for split in ("train", "dev", "test")}
        shown = [(choice, choice == q["answer"]) for q in questions_of["train"] for choice in q["choice"]]
        features = TfidfVectorizer(analyzer="char", ngram_range=(1, 3), min_df=3, sublinear_tf=True)
        model = LogisticRegression(max_iter=400).fit(features.fit_transform(c for c, _ in shown), [y for _, y in shown])
        for split in ("dev", "test"):
            right = sum(
                q["choice"][model.decision_function(features.transform(q["choice"])).argmax()] == q["answer"]
                for q in questions_of[split]
            )
            print(f"choices alone, {kind} {split}: {right / len(questions_of[split]):.1%}")


def copies(files: dict[tuple[str, str], list[Any]]) -> Iterator[str]:
    """The pairs of documents that share eight 6-grams or more, and eight in ten of those of the shorter one."""
    texts = [
        (f"{kind} {split} {name}", grams("".join(lines), 6))
        for (kind, split), documents in files.items()
        for lines, _, name in documents
    ]
    holders: dict[str, list[int]] = defaultdict(list)
    for n, (_, of_text) in enumerate(texts):
        for gram in of_text:
            holders[gram].append(n)
    common = Counter(pair for numbers in holders.values() if len(numbers) < 30 for pair in combinations(numbers, 2))
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
