"""Our metrics equal the reference implementations: on the values kept with the project, and on made-up pairs.

The kept values lie in the folder that the environment variable EVALSUITE_METRICS names (pairs.jsonl,
reference_values.json); without it those tests are skipped. The libraries are optional too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from run_files import read_jsonl

from evalsuite.metrics import bleu, chrf, cider, meteor, meteor15, rouge
from evalsuite.metrics.counts import Floats, TokenTable
from evalsuite.metrics.exact import exact_match
from evalsuite.metrics.profiles import PROFILES
from evalsuite.metrics.texts import TextCorpus
from evalsuite.metrics.tokens import tokenise

Value = Callable[[TokenTable], Any]


def table_of(hyps: list[str], refs: list[list[str]], tokenisation: str) -> TokenTable:
    return TokenTable(tokenise(hyps, tokenisation), [tokenise(texts, tokenisation) for texts in refs])


@pytest.fixture(scope="module")
def kept_values() -> tuple[list[str], list[str], dict[str, Any]]:
    folder = os.environ.get("EVALSUITE_METRICS")
    if not folder:
        pytest.skip("needs reference values: set EVALSUITE_METRICS to their folder")
    rows = read_jsonl(Path(folder) / "pairs.jsonl")
    values = json.loads((Path(folder) / "reference_values.json").read_text(encoding="utf-8"))
    return [row["hyp"] for row in rows], [row["ref"] for row in rows], values


def mean_bleu(epsilon: float) -> Callable[[TokenTable], Floats]:
    return lambda table: bleu.sentence_bleu(bleu.statistics(table), epsilon)[:, 3]


def corpus_bleu(table: TokenTable) -> Floats:
    return bleu.corpus_bleu(bleu.statistics(table).sum(0))


# (reference, corpus value of ours from the items, ours for items or None, tolerance, why it is not 1e-9)
KEPT: list[tuple[str, Value | None, Callable[[TokenTable], Floats] | None, float, str]] = [
    ("sacrebleu_corpus_presegmented_tok_none", lambda t: 100 * corpus_bleu(t)[3], None, 1e-9, ""),
    ("coco_Bleu1-4", lambda t: corpus_bleu(t), None, 1e-9, ""),
    ("nltk_sentence_bleu4_method1", None, mean_bleu(0.1), 1e-9, ""),
    ("nltk_sentence_bleu4_nosmooth", None, mean_bleu(0.0), 1e-9, ""),
    ("nltk_meteor_no_wordnet_no_stem", None, meteor.meteor, 1e-9, ""),
    ("rouge_score_rougeL_fmeasure_ws_tok", None, rouge.rouge_l, 1e-9, ""),
    ("rouge_chinese_rouge-l_f", None, rouge.rouge_l, 1e-8, "it adds 1e-8 to P + R"),
    (
        "rouge_chinese_1_2_l_f",
        lambda t: [rouge.rouge_chinese(t, f"rouge-{kind}").mean() for kind in ("1", "2", "l")],
        None,
        1e-8,
        "it adds 1e-8 to P + R",
    ),
    ("coco_Rouge_L_beta1.2", None, rouge.rouge_l_coco, 1e-9, ""),
    ("coco_Cider", None, cider.cider, 1e-9, ""),
    ("bag_F1", None, lambda t: rouge.rouge_n(t, 1), 1e-9, ""),
]


@pytest.mark.parametrize("tokenisation", ["char", "jieba"])
@pytest.mark.parametrize(("name", "corpus", "items", "tolerance", "why"), KEPT, ids=[row[0] for row in KEPT])
def test_kept_values(
    kept_values: tuple[list[str], list[str], dict[str, Any]],
    tokenisation: str,
    name: str,
    corpus: Value | None,
    items: Callable[[TokenTable], Floats] | None,
    tolerance: float,
    why: str,
) -> None:
    hyps, refs, values = kept_values
    expected = values[f"{name}|{tokenisation}"]
    table = table_of(hyps, [[ref] for ref in refs], tokenisation)
    if corpus is not None:
        assert np.abs(np.asarray(corpus(table)) - expected["value"]).max() <= tolerance, why
    if items is not None:
        ours = items(table)
        assert abs(ours.mean() - expected["value"]) <= tolerance, why
        if expected["first20"]:
            assert np.abs(ours[:20] - expected["first20"]).max() <= 5.1e-7  # kept with six decimals


def test_kept_values_of_characters(kept_values: tuple[list[str], list[str], dict[str, Any]]) -> None:
    hyps, refs, values = kept_values
    lists = [[ref] for ref in refs]
    assert np.mean([exact_match(h, r) for h, r in zip(hyps, lists, strict=True)]) == values["EM"]["value"]
    ours = 100 * chrf.chrf(chrf.statistics(table_of(hyps, lists, "char")).sum(0))
    assert abs(ours - values["sacrebleu_chrf"]["value"]) <= 1e-9
    pytest.importorskip("sacrebleu", reason="needs evalsuite[dev]")
    zh = 100 * bleu.corpus_bleu(bleu.statistics(table_of(hyps, lists, "zh")).sum(0))[3]
    assert abs(zh - values["sacrebleu_corpus_zh"]["value"]) <= 1e-9


def test_corpus_bleu_is_not_nltks(kept_values: tuple[list[str], list[str], dict[str, Any]]) -> None:
    # nltk counts one n-gram for a hypothesis that is too short to have any; sacreBLEU and pycocoevalcap do not.
    hyps, refs, values = kept_values
    stats = bleu.statistics(table_of(hyps, [[ref] for ref in refs], "char"))
    theirs = values["nltk_corpus_bleu4|char"]["value"]
    assert abs(bleu.corpus_bleu(stats.sum(0))[3] - theirs) > 1e-5
    stats[:, 6:] = np.maximum(stats[:, 6:], 1)
    assert abs(bleu.corpus_bleu(stats.sum(0))[3] - theirs) <= 1e-9


def test_meteor15_is_close_to_the_jar(kept_values: tuple[list[str], list[str], dict[str, Any]]) -> None:
    # Not equal: the jar discounts English function words ("I", "-"). Its value for jieba's tokens is that for
    # unsegmented text, for it separates the characters itself.
    hyps, refs, values = kept_values
    for tokenisation, name in (("mixed", "coco_Meteor_java1.5|jieba"), ("char", "coco_Meteor_java1.5|char")):
        stats = meteor15.statistics(table_of(hyps, [[ref] for ref in refs], tokenisation))
        assert abs(meteor15.meteor15(stats.sum(0)) - values[name]["value"]) <= 1e-5
        assert np.abs(meteor15.meteor15(stats)[:20] - values[name]["first20"]).max() <= 5.1e-7


def made_up(number: int, most: int) -> tuple[list[str], list[list[str]]]:
    rng = Random(f"references:{number}")
    signs = "的我你好看电影科幻片x是不"
    refs = [
        ["".join(rng.choices(signs, k=rng.randint(1, 12))) for _ in range(rng.randint(1, most))] for _ in range(number)
    ]
    hyps = ["".join(c for c in rng.choice(own) if rng.random() < 0.8) or "好" for own in refs]
    return hyps, refs


SEVERAL = made_up(200, 4)
TABLE = table_of(*SEVERAL, "char")
HYPS = [" ".join(hyp) for hyp in SEVERAL[0]]
REFS = [[" ".join(ref) for ref in refs] for refs in SEVERAL[1]]


def test_several_references_sacrebleu() -> None:
    metrics = pytest.importorskip("sacrebleu.metrics", reason="needs evalsuite[dev]")
    streams = [[refs[i] if i < len(refs) else None for refs in REFS] for i in range(4)]
    theirs = metrics.BLEU(tokenize="none", smooth_method="none", force=True).corpus_score(HYPS, streams).score
    assert abs(100 * bleu.corpus_bleu(bleu.statistics(TABLE).sum(0))[3] - theirs) <= 1e-9
    # Its default smoothing: of all, and where the orders 4, 3 and 4, all of 2 to 4, and all four have no match.
    for hyps, refs in ((HYPS, REFS), (["甲 乙 丙 丁"], [["甲 乙 丙 戊"]]), (["甲 乙 丙 丁"], [["甲 乙 戊 丁"]]),
                       (["甲 乙 丙 丁"], [["丁 丙 乙"]]), (["甲 乙 丙 丁"], [["戊"]])):  # fmt: skip
        lists = [[own[i] if i < len(own) else None for own in refs] for i in range(4)]
        theirs = metrics.BLEU(tokenize="none", force=True).corpus_score(hyps, lists[: max(map(len, refs))]).score
        ours = bleu.corpus_bleu_exp(bleu.statistics(table_of(hyps, refs, "whitespace")).sum(0))
        assert abs(100 * ours - theirs) <= 1e-9, (hyps, refs)
    stats = chrf.statistics(TABLE)
    assert abs(100 * chrf.chrf(stats.sum(0)) - metrics.CHRF().corpus_score(HYPS, streams).score) <= 1e-9
    sentences = [metrics.CHRF().sentence_score(h, r).score for h, r in zip(HYPS, REFS, strict=True)]
    assert np.abs(100 * chrf.chrf(stats) - sentences).max() <= 1e-9


MIXED = ["他昨天在iPhone 11上看电影。", "很好看", "今天天气不错，出去走走吧！", "", "３个人，3.5元"]
MIXED_REFS = [
    ["他昨天看电影。", "他用iPhone 11看了电影"],
    ["好看"],
    ["今天天气好，出去走走", "出去"],
    ["没有"],
    ["三个人，3.5元"],
]


def test_sacrebleu_of_chinese_is_its_own() -> None:
    """The corpus value and every resample equal `corpus_bleu` of the library with its tokeniser zh."""
    sacrebleu = pytest.importorskip("sacrebleu")

    def theirs(index: list[int]) -> float:
        width = max(len(MIXED_REFS[i]) for i in index)
        streams = [[refs[n] if n < len(refs := MIXED_REFS[i]) else None for i in index] for n in range(width)]
        return float(sacrebleu.corpus_bleu([MIXED[i] for i in index], streams, tokenize="zh").score)

    scores = TextCorpus(MIXED, MIXED_REFS).score("default")
    assert abs(100 * scores.corpus["bleu_sacre_zh"] - theirs([*range(5)])) <= 1e-9
    rng = np.random.default_rng(0)
    for _ in range(20):
        drawn = rng.integers(0, 5, 5)
        assert (
            abs(100 * scores.finish(scores.statistics[drawn].sum(axis=0))["bleu_sacre_zh"] - theirs(drawn.tolist()))
            <= 1e-9
        )
    assert "|tok:zh-sacrebleu-" in scores.signatures["bleu_sacre_zh"]
    assert "bleu_sacre_zh" not in TextCorpus(MIXED, MIXED_REFS).score("english").corpus


def test_rouge_chinese_is_the_librarys() -> None:
    """Words by jieba, joined by blanks, best reference; the library takes no empty text."""
    library = pytest.importorskip("rouge_chinese").Rouge()
    pairs = [(hyp, refs) for hyp, refs in zip(MIXED, MIXED_REFS, strict=True) if hyp]
    scores = TextCorpus(MIXED, MIXED_REFS).score("rouge_chinese")
    for name, theirs in (("rouge1", "rouge-1"), ("rouge2", "rouge-2"), ("rouge_l", "rouge-l")):
        own = [
            max(
                library.get_scores(*(" ".join(tokenise([t], "jieba")[0]) for t in (hyp, ref)))[0][theirs]["f"]
                for ref in refs
            )
            for hyp, refs in pairs
        ]
        assert [value for value, hyp in zip(scores.per_item[name].tolist(), MIXED, strict=True) if hyp] == own
        assert scores.per_item[name][MIXED.index("")] == 0 and "rouge-chinese" in scores.signatures[name]
    repeated = TextCorpus(["好好"], [["好"]])  # the library counts a repeated n-gram once
    assert repeated.score(replace(PROFILES["rouge_chinese"], rouge="char")).corpus["rouge1"] == pytest.approx(1)
    assert repeated.score("char").corpus["rouge1"] == pytest.approx(2 / 3)


@pytest.mark.slow
def test_several_references_nltk() -> None:
    module = pytest.importorskip("nltk.translate.bleu_score", reason="needs evalsuite[dev]")
    score = pytest.importorskip("nltk.translate.meteor_score", reason="needs evalsuite[dev]").meteor_score
    split = [([ref.split() for ref in refs], hyp.split()) for hyp, refs in zip(HYPS, REFS, strict=True)]
    method = module.SmoothingFunction().method1
    theirs = [
        [module.sentence_bleu(r, h, weights=(1 / n,) * n, smoothing_function=method) for n in range(1, 5)]
        for r, h in split
    ]
    assert np.abs(bleu.sentence_bleu(bleu.statistics(TABLE)) - theirs).max() <= 1e-9
    options = {"stemmer": SimpleNamespace(stem=str), "wordnet": SimpleNamespace(synsets=lambda word: [])}
    assert np.abs(meteor.meteor(TABLE) - [score(r, h, **options) for r, h in split]).max() <= 1e-9


def test_several_references_rouge() -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer", reason="needs evalsuite[dev]")
    blanks = SimpleNamespace(tokenize=str.split)
    for kind, ours in (
        ("rouge1", rouge.rouge_n(TABLE, 1)),
        ("rouge2", rouge.rouge_n(TABLE, 2)),
        ("rougeL", rouge.rouge_l(TABLE)),
    ):
        rouge_scorer = scorer.RougeScorer([kind], tokenizer=blanks)
        pairs = zip(HYPS, REFS, strict=True)
        theirs = [max(rouge_scorer.score(ref, hyp)[kind].fmeasure for ref in refs) for hyp, refs in pairs]
        assert np.abs(ours - theirs).max() <= 1e-9


def test_several_references_pycocoevalcap() -> None:
    module = pytest.importorskip("pycocoevalcap.cider.cider", reason="needs evalsuite[dev]")
    gts, res = dict(enumerate(REFS)), dict(enumerate([hyp] for hyp in HYPS))
    assert np.abs(cider.cider(TABLE) - module.Cider().compute_score(gts, res)[1]).max() <= 1e-9
    theirs = (
        pytest.importorskip("pycocoevalcap.rouge.rouge", reason="needs evalsuite[dev]")
        .Rouge()
        .compute_score(gts, res)[1]
    )
    assert np.abs(rouge.rouge_l_coco(TABLE) - theirs).max() <= 1e-9
    theirs = (
        pytest.importorskip("pycocoevalcap.bleu.bleu", reason="needs evalsuite[dev]")
        .Bleu(4)
        .compute_score(gts, res, verbose=0)[0]
    )
    assert np.abs(bleu.corpus_bleu(bleu.statistics(TABLE).sum(0)) - theirs).max() <= 1e-9


def test_the_paper_profile_is_pycocoevalcap_on_raw_text() -> None:
    # BLEU and CIDEr split on whitespace, ROUGE-L on single blanks.
    hyps = ["他累了", "他累了\n\n因为加班", "他 累了", "因为  下雨 了", "", "下雨\t了", "没有"]
    refs = ["他累了", "他累了", "他 累了", "因为 下雨 了", "他来了", "下雨 了", "没有票"]
    gts, res = ({n: [text] for n, text in enumerate(texts)} for texts in (refs, hyps))
    score = TextCorpus(hyps, [[ref] for ref in refs]).score("paper")
    for name, metric in (("cider", "cider.cider.Cider"), ("rouge_l", "rouge.rouge.Rouge")):
        module, of = f"pycocoevalcap.{metric}".rsplit(".", 1)
        theirs = getattr(pytest.importorskip(module, reason="needs evalsuite[dev]"), of)().compute_score(gts, res)[1]
        assert np.abs(score.per_item[name] - theirs).max() <= 1e-9, name
    theirs = (
        pytest.importorskip("pycocoevalcap.bleu.bleu", reason="needs evalsuite[dev]")
        .Bleu(4)
        .compute_score(gts, res, verbose=0)[0]
    )
    assert score.corpus["bleu1"] == pytest.approx(theirs[0], abs=1e-9)


def test_plain_cider_is_a_cosine() -> None:
    # vrama91/cider, pyciderevalcap/cider: cosine of TF-IDF vectors, mean over n = 1…4 and references, times 10.
    def grams(text: str, n: int) -> dict[str, int]:
        counts: dict[str, int] = {}
        for i in range(len(text) - n + 1):
            counts[text[i : i + n]] = counts.get(text[i : i + n], 0) + 1
        return counts

    hyps, refs = SEVERAL
    expected = np.zeros(len(hyps))
    for n in range(1, 5):
        holds = [set().union(*(grams(ref, n) for ref in own)) for own in refs]

        def vector(text: str, n: int = n, holds: list[set[str]] = holds) -> dict[str, float]:
            return {
                gram: count * (np.log(len(hyps)) - np.log(max(1, sum(gram in own for own in holds))))
                for gram, count in grams(text, n).items()
            }

        for i, (hyp, own) in enumerate(zip(hyps, refs, strict=True)):
            mine = vector(hyp)
            for ref in own:
                theirs = vector(ref)
                norm = np.sqrt(sum(x * x for x in mine.values()) * sum(x * x for x in theirs.values()))
                dot = sum(x * theirs.get(gram, 0.0) for gram, x in mine.items())
                expected[i] += 10 / 4 * (dot / norm if norm else 0.0) / len(own)
    assert np.abs(cider.cider(TABLE, clipped=False) - expected).max() <= 1e-9


def test_meteor15_finds_the_fewest_chunks() -> None:
    # The greedy alignment, from the end, pairs 又 with the second 又: four chunks. The best one has two: 学医又累 and 苦.
    table = table_of(["学医又累苦"], [["学医又累又苦"]], "char")
    assert meteor.align(table).chunks.tolist() == [4]
    assert meteor15.statistics(table)[0].tolist() == [5, 6, 5, 2]
    whole = table_of(["好看"], [["好看"]], "char")
    assert meteor15.meteor15(meteor15.statistics(whole)).tolist() == [1.0]


def fewest_chunks(hyp: str, ref: str) -> tuple[int, int]:
    """(matches, chunks) of the best alignment, by looking at all: as many matches as possible, then as few chunks."""

    def aligned(at: int, free: frozenset[int], last: int | None) -> tuple[int, int]:
        """(-matches, chunks) from the token `at` on; `last`: the position that the token before it is aligned with."""
        if at == len(hyp):
            return 0, 0
        found = [aligned(at + 1, free, None)]
        for place in free:
            if ref[place] == hyp[at]:
                more, chunks = aligned(at + 1, free - {place}, place)
                found.append((more - 1, chunks + (last is None or place != last + 1)))
        return min(found)

    matches, chunks = aligned(0, frozenset(range(len(ref))), None)
    return -matches, chunks


def test_meteor15_aligns_as_well_as_can_be() -> None:
    rng = Random("alignments")
    pairs = [("".join(rng.choices("又好看x", k=rng.randint(1, 6))), "".join(rng.choices("又好看", k=rng.randint(1, 6)))) for _ in range(300)]  # fmt: skip
    pairs += [("又累", "又累又"), ("很好看", "好看"), ("好看", "很好看"), ("又累x好", "又累又好")]
    table = table_of([hyp for hyp, _ in pairs], [[ref] for _, ref in pairs], "char")
    for (hyp, ref), row in zip(pairs, meteor15.statistics(table).tolist(), strict=True):
        matches, chunks = fewest_chunks(hyp, ref)
        # An identical pair counts no chunk, as in the jar.
        assert row == [len(hyp), len(ref), matches, 0 if hyp == ref else chunks], (hyp, ref)


def test_meteor15_bounds_its_search() -> None:
    """Two texts of one repeated word have as many alignments as pairs of positions: a search of all takes a minute."""
    hyp, ref = list("我" * 2000), list("你我" * 1000)
    table = TokenTable([hyp, list("学医又累苦")], [[ref], [list("学医又累又苦")]])
    stats = meteor15.statistics(table)
    assert stats[0].tolist() == [2000, 2000, 1000, 1000]  # every other word matches: no two matches adjoin
    assert stats[1].tolist() == [5, 6, 5, 2]  # an ordinary pair beside it is searched
