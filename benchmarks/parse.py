"""The time in which the readers read 10 kB of the worst kinds of text, random texts, and the tests' labelled replies.

    python benchmarks/parse.py [--random 2000]

Prints CPU times of one core, the best of five. Aims: 10 kB under 10 ms, 100,000 typical replies under 15 s.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from pathlib import Path

from evalsuite.parse import parse_option, parse_span

FIXTURES = Path(__file__).parents[1] / "tests" / "fixtures"
OPTIONS = {f"({c})": text for c, text in zip("abc", ("科幻片", "恐怖片", "喜剧片"), strict=True)}
PIECES = [
    "(a",
    "(b)",
    "①",
    "不是",
    "是",
    "<think>",
    "</think>",
    "答案：",
    "恐怖片",
    "不是a，",
    "选b。",
    '{"answer": ',
    "[[[",
    "A: 你好。\n",
    "因为",
    "所以",
    "“",
    "a和c",
    "\\boxed{",
    "*",
    "\n",
    "| a |",
    "答：后\n",
    "不符的文本是",
    "可能是",
    "60%",
    "第二项",
    "，",
    "。",
    "x",
]
QUESTION = "根据对话内容可以看出，导致事件“x离婚了”的原因是什么？"
DIALOGUE = ["A: 我最近心情不好，离婚了。", "B: 为什么？你老公出轨？"] * 10


def best_milliseconds(read: Callable[[str], object], text: str) -> float:
    times = []
    for _ in range(5):
        began = time.process_time()
        read(text)
        times.append(time.process_time() - began)
    return 1000 * min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--random", type=int, default=2000)
    count = parser.parse_args().random
    readers: dict[str, Callable[[str], object]] = {
        "option": lambda text: parse_option(text, OPTIONS, dialogue=DIALOGUE),
        "span": lambda text: parse_span(text, dialogue=DIALOGUE, question=QUESTION),
    }
    for name, read in readers.items():
        read("b")  # the first call makes tables
        times = [(best_milliseconds(read, (piece * 10_000)[:10_000]), piece) for piece in PIECES]
        worst = sorted(times, reverse=True)[:3]
        print(
            f"{name:7} 10 kB, worst of {len(PIECES)}: " + ", ".join(f"{ms:.1f} ms of {piece!r}" for ms, piece in worst)
        )
    rng = random.Random("parse")
    slowest = 0.0
    for _ in range(count):
        text = "".join(rng.choice(PIECES) for _ in range(rng.randrange(1, 400)))
        for read in readers.values():
            began = time.process_time()
            read(text)
            slowest = max(slowest, time.process_time() - began)
    replies = [
        json.loads(line) for path in sorted(FIXTURES.glob("*/*choices.jsonl")) for line in path.open(encoding="utf-8")
    ]
    replies = [row for row in replies if "label" in row]
    for name, blanks in (("each new", 3), ("as they come again", 0)):
        began = time.process_time()
        for turn in range(3):
            for row in replies:  # with other blanks at its end, a reply is not in the reader's cache
                parse_option(
                    row["output"] + " " * (blanks and turn + 1), row["options"], finish=row.get("finish", "stop")
                )
        each = (time.process_time() - began) / (3 * len(replies))
        size = sum(len(row["output"]) for row in replies) / len(replies)
        print(f"{len(replies)} labelled replies of {size:.0f} characters, {name}: {1e5 * each:.0f} s for 100,000")
    print(f"{count} random texts of up to 400 pieces, both readers: no error, slowest {1000 * slowest:.1f} ms")


if __name__ == "__main__":
    main()
