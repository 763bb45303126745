"""Errors of the token counts that `evalsuite preview` predicts, on stored replies and on made-up lengths with long tails.

    python benchmarks/cost.py runs/a runs/b …

In every cell with at least 20 replies, the tokens of some replies (random ones, or the first of the file) predict those of the
others."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from evalsuite.backends.model import Model
from evalsuite.evaluation.costs import foresee_prompts, foresee_replies
from evalsuite.evaluation.prompt_tokens import by_rule
from evalsuite.evaluation.stored_samples import CountedReply, read_samples
from evalsuite.evaluation.token_forecast import Total
from evalsuite.types import Request

TIMES = 20  # draws of a sample from each cell
SHARES = (0.1, 0.2, 0.5)
LEAST = 3  # least number of replies in a sample


def split_replies(
    replies: Sequence[CountedReply], share: float, rng: np.random.Generator | None
) -> tuple[list[CountedReply], list[CountedReply]]:
    """The replies of some contexts, at least `share` of all, and the other replies. The contexts are random, or with no `rng` the
    first ones."""
    contexts = list(dict.fromkeys(reply.context for reply in replies))
    if rng is not None:
        rng.shuffle(contexts)
    taken: set[tuple[str, ...]] = set()
    for context in contexts:
        if sum(reply.context in taken for reply in replies) >= max(LEAST, share * len(replies)):
            break
        taken.add(context)
    return [r for r in replies if r.context in taken], [r for r in replies if r.context not in taken]


def range_check(total: Total, truth: float) -> tuple[bool, float]:
    """Whether the predicted range has the true total, and the range's width divided by the total."""
    low, high = total.ends
    return low - 1e-6 <= truth <= high + 1e-6, (high - low) / max(truth, 1)


def trial(
    seen: Sequence[CountedReply], others: Sequence[CountedReply], seed: str
) -> tuple[tuple[bool, float], tuple[bool, float]]:
    """The checks of the ranges of `others`, predicted from `seen`: of the tokens of replies, and of prompts."""
    count = by_rule(Model(name="m", backend="openai", path="m", chat=True))
    rooms = [max(r.request.max_new_tokens, r.new_tokens) for r in others]
    replies = range_check(foresee_replies(seen, rooms, seed), sum(r.new_tokens for r in others))
    prompts = foresee_prompts(seen, [count(r.request) for r in others], count, seed)
    return replies, range_check(prompts, sum(r.prompt_tokens for r in others))


def made_up(rng: np.random.Generator) -> Iterator[tuple[str, int, Callable[[int], np.ndarray]]]:
    """(name, token limit, function that draws lengths)."""
    yield "always 5, limit 48", 48, lambda n: np.full(n, 5)
    yield "labels, limit 48", 48, lambda n: rng.choice([1, 2, 3, 7], n, p=[0.5, 0.3, 0.15, 0.05])
    yield "2 % run on to 128", 128, lambda n: np.where(rng.random(n) < 0.02, 128, 5)
    yield "0.5 % run on to 4096", 4096, lambda n: np.where(rng.random(n) < 0.005, 4096, 20)
    yield (
        "thoughts, median 665, limit 4096",
        4096,
        lambda n: np.minimum(np.exp(rng.normal(6.5, 0.6, n)), 4096).astype(int),
    )
    yield "thoughts, wide, limit 8192", 8192, lambda n: np.minimum(np.exp(rng.normal(6.5, 1.2, n)), 8192).astype(int)
    yield "half cut at 320", 320, lambda n: np.where(rng.random(n) < 0.5, 320, rng.integers(1, 100, n))


def main(runs: Sequence[Path]) -> None:
    rng = np.random.default_rng(0)
    cells = [
        s.replies
        for run in runs
        for s in read_samples(run)
        if len(s.replies) >= 20 and all(r.prompt_tokens for r in s.replies)
    ]
    print(f"{len(cells)} cells of {len(runs)} runs, {sum(map(len, cells)):,} replies")
    for way in ("at random", "the first"):
        for share in SHARES:
            trials = []
            for n, replies in enumerate(cells):
                for time in range(TIMES if way == "at random" else 1):
                    seen, others = split_replies(replies, share, rng if way == "at random" else None)
                    if others:
                        trials.append(trial(seen, others, f"{n}:{time}"))
            for name, index in (("replies", 0), ("prompts", 1)):
                inside, width = zip(*(pair[index] for pair in trials), strict=True)
                print(
                    f"{share:4.0%} {way:9} {name}: {np.mean(inside):6.1%} of {len(inside):,} within; median width "
                    f"{np.median(width):.2f}"
                )
    for name, limit, draw in made_up(rng):
        for size in (10, 30, 100):
            inside, width = zip(
                *(_made(draw, limit, size, f"{name}:{size}:{time}") for time in range(200)), strict=True
            )
            print(f"{name:34} {size:3} seen: {np.mean(inside):6.1%} within; median width {np.median(width):.2f}")


def _made(draw: Callable[[int], np.ndarray], limit: int, size: int, seed: str) -> tuple[bool, float]:
    request = Request("", "", (), limit)
    seen = [CountedReply(request, (str(n),), 1, int(x)) for n, x in enumerate(draw(size))]
    others = draw(300 - size)
    return range_check(foresee_replies(seen, [limit] * len(others), seed), float(others.sum()))


if __name__ == "__main__":
    main([Path(x) for x in sys.argv[1:]])
