"""Values and CPU seconds of our text metrics and of their reference implementations, on characters.

    python benchmarks/metrics.py [--pairs pairs.jsonl] [--n 20000] [--java]

Without --pairs ({"ref": …, "hyp": …} a line) the pairs are made up. References that are not installed are left out.
--java also runs METEOR 1.5's jar, from pycocoevalcap, on the unsegmented text.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np

from evalsuite.metrics import bleu, chrf, cider, meteor, meteor15, rouge
from evalsuite.metrics import statistics as stats
from evalsuite.metrics.counts import TokenTable
from evalsuite.metrics.texts import TextCorpus
from evalsuite.metrics.tokens import tokenise


def load_pairs(path: Path | None, n: int) -> list[tuple[str, str]]:
    """n pairs (hypothesis, reference); where the file has fewer, its pairs are repeated with random edits."""
    rng = Random("pairs")
    if path is None:
        signs = [chr(0x4E00 + int(3000 * rng.random() ** 3)) for _ in range(5000)]
        refs = ["".join(rng.choices(signs, k=rng.randint(4, 22))) for _ in range(n)]
        return [(edit(ref if rng.random() < 0.7 else rng.choice(refs), rng), ref) for ref in refs]
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    pairs = [(row["hyp"], row["ref"]) for row in rows][:n]
    while len(pairs) < n:
        hyp, ref = pairs[len(pairs) % len(rows)]
        pairs.append((edit(hyp, rng), edit(ref, rng)))
    return pairs


def edit(text: str, rng: Random) -> str:
    """A copy in which up to a fifth of the characters are dropped or doubled."""
    rate = rng.choice([0.0, 0.1, 0.2])
    return "".join(char * rng.choice((0, 2)) if rng.random() < rate else char for char in text) or text


def time_call(function: Callable[[], Any]) -> tuple[Any, float]:
    """Result and CPU seconds."""
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def their_metrics(pairs: list[tuple[str, str]]) -> dict[str, Callable[[], Any]]:
    """The reference implementations, which get the characters separated by blanks."""
    hyps = [" ".join(tokens) for tokens in tokenise([hyp for hyp, _ in pairs], "char")]
    refs = [" ".join(tokens) for tokens in tokenise([ref for _, ref in pairs], "char")]
    split = [([ref.split()], hyp.split()) for hyp, ref in zip(hyps, refs, strict=True)]
    gts, res = dict(enumerate([ref] for ref in refs)), dict(enumerate([hyp] for hyp in hyps))

    def sacrebleu(name: str, **options: Any) -> float:
        metric = getattr(import_module("sacrebleu.metrics"), name)(**options)
        return float(metric.corpus_score(hyps, [refs]).score) / 100

    def nltk_bleu() -> float:
        module = import_module("nltk.translate.bleu_score")
        method = module.SmoothingFunction().method1
        return float(np.mean([module.sentence_bleu(ref, hyp, smoothing_function=method) for ref, hyp in split]))

    def nltk_meteor() -> float:
        score = import_module("nltk.translate.meteor_score").meteor_score
        options = {"stemmer": SimpleNamespace(stem=str), "wordnet": SimpleNamespace(synsets=lambda word: [])}
        return float(np.mean([score(ref, hyp, **options) for ref, hyp in split]))

    def rouge_chinese(kind: str) -> float:
        scores = import_module("rouge_chinese").Rouge(metrics=[kind]).get_scores(hyps, refs, avg=True)
        return float(scores[kind]["f"])

    def rouge_score(kind: str) -> float:
        blanks = SimpleNamespace(tokenize=str.split)
        scorer = import_module("rouge_score.rouge_scorer").RougeScorer([kind], tokenizer=blanks)
        return float(np.mean([scorer.score(ref, hyp)[kind].fmeasure for hyp, ref in zip(hyps, refs, strict=True)]))

    def coco(module: str, name: str, *options: Any, **more: Any) -> Any:
        return getattr(import_module(f"pycocoevalcap.{module}"), name)(*options).compute_score(gts, res, **more)[0]

    return {
        "BLEU-4 corpus (sacrebleu, none)": partial(sacrebleu, "BLEU", tokenize="none", force=True),
        "BLEU-1…4 corpus (pycocoevalcap)": partial(coco, "bleu.bleu", "Bleu", 4, verbose=0),
        "BLEU-4 sentence (nltk method1)": nltk_bleu,
        "ROUGE-1 (rouge-score)": partial(rouge_score, "rouge1"),
        "ROUGE-2 (rouge-score)": partial(rouge_score, "rouge2"),
        "ROUGE-L (rouge-score)": partial(rouge_score, "rougeL"),
        "ROUGE-L (rouge-chinese)": partial(rouge_chinese, "rouge-l"),
        "ROUGE-L beta 1.2 (pycocoevalcap)": partial(coco, "rouge.rouge", "Rouge"),
        "METEOR 2005 (nltk, no WordNet)": nltk_meteor,
        "CIDEr (pycocoevalcap)": partial(coco, "cider.cider", "Cider"),
        "chrF (sacrebleu)": partial(sacrebleu, "CHRF"),
    }


def our_metrics(table: TokenTable) -> dict[str, Callable[[], Any]]:
    """Our metrics under the names of the reference implementations; metrics share their counts."""
    return {
        "BLEU-4 corpus (sacrebleu, none)": lambda: bleu.corpus_bleu(bleu.statistics(table).sum(axis=0))[3],
        "BLEU-1…4 corpus (pycocoevalcap)": lambda: bleu.corpus_bleu(bleu.statistics(table).sum(axis=0)),
        "BLEU-4 sentence (nltk method1)": lambda: bleu.sentence_bleu(bleu.statistics(table))[:, 3].mean(),
        "ROUGE-1 (rouge-score)": lambda: rouge.rouge_n(table, 1).mean(),
        "ROUGE-2 (rouge-score)": lambda: rouge.rouge_n(table, 2).mean(),
        "ROUGE-L (rouge-score)": lambda: rouge.rouge_l(table).mean(),
        "ROUGE-L (rouge-chinese)": lambda: rouge.rouge_l(table).mean(),
        "ROUGE-L beta 1.2 (pycocoevalcap)": lambda: rouge.rouge_l_coco(table).mean(),
        "METEOR 2005 (nltk, no WordNet)": lambda: meteor.meteor(table).mean(),
        "CIDEr (pycocoevalcap)": lambda: cider.cider(table).mean(),
        "chrF (sacrebleu)": lambda: chrf.chrf(chrf.statistics(table).sum(axis=0)),
        "F1 of bags (none)": lambda: rouge.rouge_n(table, 1).mean(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--n", type=int, default=20_000)
    parser.add_argument("--java", action="store_true")
    args = parser.parse_args()
    pairs = load_pairs(args.pairs, args.n)
    hyps, refs = [hyp for hyp, _ in pairs], [[ref] for _, ref in pairs]
    table, seconds = time_call(lambda: TextCorpus(hyps, refs).table("char"))
    print(f"{len(pairs)} pairs, CPU seconds; reading characters into a table: {seconds:.2f}\n")
    print(f"{'metric (reference)':34}{'ours':>12}{'theirs':>12}{'|diff|':>10}{'ours s':>9}{'theirs s':>10}")
    theirs = their_metrics(pairs)
    total = 0.0
    for name, metric in our_metrics(table).items():
        value, seconds = time_call(metric)
        value, cells = np.atleast_1d(value), f"{'-':>12}{'-':>10}{seconds:9.2f}{'-':>10}"
        if name in theirs:
            try:
                other, their_seconds = time_call(theirs[name])
                total += their_seconds
                gap = float(np.abs(value - np.atleast_1d(other)).max())
                cells = f"{np.atleast_1d(other)[-1]:12.6f}{gap:10.1e}{seconds:9.2f}{their_seconds:10.2f}"
            except ImportError as error:
                cells = f"  left out: {error.name}"
        print(f"{name:34}{value[-1]:12.6f}{cells}")
    print(f"\ntheirs, one after the other: {total:.2f} s")
    corpus = TextCorpus(hyps, refs)
    for profile in ("char", "paper", "default"):
        scores, seconds = time_call(partial(corpus.score, profile))
        print(f"ours, all metrics, profile {profile}{', sharing counts' if profile != 'char' else ''}: {seconds:.2f} s")
    corpus = TextCorpus(hyps, refs)
    _, seconds = time_call(lambda: (corpus.score("paper"), corpus.score("default")))
    print(f"ours, paper and default of a new corpus, jieba's dictionary loaded: {seconds:.2f} s")
    half = len(pairs) // 2
    scores = TextCorpus(hyps[:half], refs[:half]).score("default")
    _, seconds = time_call(lambda: stats.bootstrap(scores, [i // 3 for i in range(half)], Random(0)))
    print(f"1,000 resamples of {half} items, all {len(scores.corpus)} metrics at once, by dialogue: {seconds:.2f} s")
    _, seconds = time_call(lambda: stats.bootstrap(scores, None, Random(0)))
    print(f"the same by item: {seconds:.2f} s")
    if args.java:
        mixed = TextCorpus(hyps, refs).table("mixed")
        jar = import_module("pycocoevalcap.meteor.meteor").Meteor()
        gts, res = dict(enumerate([ref[0]] for ref in refs)), dict(enumerate([hyp] for hyp in hyps))
        value = float(meteor15.meteor15(meteor15.statistics(mixed).sum(axis=0)))
        print(f"METEOR 1.5, unsegmented text: ours {value:.6f}, the jar {jar.compute_score(gts, res)[0]:.6f}")


if __name__ == "__main__":
    main()
