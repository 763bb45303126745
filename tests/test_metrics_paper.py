"""The paper profile has the properties of CORECODE's tables, and the script that looks for them there finds them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from evalsuite.metrics.texts import TextCorpus

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "paper_profile.py"


def answers(exact: int, n: int = 200) -> tuple[list[str], list[list[str]]]:
    """n unsegmented references; `exact` answers are equal to theirs, the others lack its last two characters."""
    refs = [f"他喜欢{chr(0x4E00 + i)}{chr(0x5E00 + 3 * i)}的电影" for i in range(n)]
    return [ref if i < exact else ref[:-2] for i, ref in enumerate(refs)], [[ref] for ref in refs]


@pytest.mark.parametrize("exact", [1, 40, 120, 200])
def test_one_answer_is_one_token(exact: int) -> None:
    scores = TextCorpus(*answers(exact)).score("paper").corpus
    em = exact / 200
    assert scores["em"] == em
    assert scores["bleu1"] == pytest.approx(em)
    assert scores["rouge_l"] == pytest.approx(em)
    assert [scores[f"bleu{n}"] for n in (2, 3, 4)] == [0, 0, 0]
    assert scores["cider"] == pytest.approx(2.5 * em)
    assert scores["cider_plain"] == pytest.approx(2.5 * em)


def test_f1_and_meteor_see_smaller_units() -> None:
    corpus = TextCorpus(*answers(40))
    paper, default = corpus.score("paper").corpus, corpus.score("char").corpus
    assert paper["f1_token"] == default["f1_token"] > 0.8
    assert paper["meteor"] == default["meteor"] > 0.8
    assert default["bleu1"] > 0.7 > 0.2 == pytest.approx(paper["bleu1"])
    assert default["rouge_l"] > 0.8


def test_meteor_1_5_can_be_below_em_and_2005_cannot() -> None:
    # In 9 rows of the tables METEOR is below EM. Pooled, each scattered match of the wrong answers weighs on all.
    refs = [[f"{chr(0x4E00 + i)}{chr(0x5E00 + 3 * i)}" for _ in range(1)] for i in range(100)]
    hyps = [ref[0] if i < 50 else "今天天气很好我们出去玩吧" for i, ref in enumerate(refs)]
    scores = TextCorpus(hyps, refs).score("paper").corpus
    assert scores["meteor15"] < scores["em"] == 0.5
    assert scores["meteor"] > 0.9375 * scores["em"] - 1e-9


def test_a_blank_in_an_answer_breaks_the_pattern() -> None:
    hyps, refs = answers(40)
    hyps[150] += " 很好"
    scores = TextCorpus(hyps, refs).score("paper").corpus
    assert scores["bleu1"] < scores["em"]
    assert scores["bleu2"] == 0


def test_a_line_break_parts_tokens_for_bleu_and_cider_but_not_for_rouge_l() -> None:
    # As in pycocoevalcap, and in 11 of the 12 rows of the tables where CIDEr is not 2.5 ROUGE-L.
    hyps, refs = answers(40)
    before, after = (TextCorpus(texts, refs).score("paper").corpus for texts in (hyps, [f"{hyp}\n" for hyp in hyps]))
    assert [after[name] for name in ("bleu1", "cider", "em")] == [before[name] for name in ("bleu1", "cider", "em")]
    assert (before["rouge_l"], after["rouge_l"]) == (pytest.approx(0.2), 0.0)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("paper_profile", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["paper_profile"] = module
    spec.loader.exec_module(module)
    return module


def test_the_script_tells_the_two_kinds_of_tables_apart(script: ModuleType, tmp_path: Path) -> None:
    lines = ["source,split,task,model,shots,metric,value"]
    for exact in (10, 40, 80):
        for profile in ("paper", "char"):
            scores = TextCorpus(*answers(exact)).score(profile).corpus
            row = {"f1": "f1_token", "em": "em", "bleu1": "bleu1", "bleu2": "bleu2", "meteor": "meteor"}
            row |= {"rouge_l": "rouge_l", "cider": "cider"}
            lines += [f"{profile},hard,generation,m{exact},0,{name},{scores[key]:.3f}" for name, key in row.items()]
    path = tmp_path / "results.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    rows = script.read(path)
    for profile, expected in (("paper", 3), ("char", 0)):
        claims = script.claims(row for name, row in rows.items() if name.startswith(profile))
        assert [claim.holds for claim in claims[:5]] == [expected] * 5, profile
