"""Tests for whether a model has read a benchmark: the statistics, the texts, and the likelihoods they rest on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evalsuite
from benchmarks.contamination import clean, clean_table
from evalsuite.analyses.contamination import ExposureTest, keep_rows, read_rows, row_sheets
from evalsuite.analyses.saved import load_results, results_file
from evalsuite.analyses.table import sheets
from evalsuite.backends.base import TokenScores, WithoutEngine
from evalsuite.backends.hf import backend as hf_backend
from evalsuite.backends.hf.backend import HuggingFace
from evalsuite.backends.model import Model
from evalsuite.benchmarks.corpus import File
from evalsuite.benchmarks.registry import TASKS, Corpora
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.resources import bundled
from evalsuite.common.sheet import Text, english
from evalsuite.evaluation.display import Display
from evalsuite.exposure import items
from evalsuite.exposure.arrangements import Arrangements, exact_test, order_of_items, order_of_options
from evalsuite.exposure.completion import Overlap, overlap
from evalsuite.exposure.exact import differ_p, greater_p, positive_p, stratified_p
from evalsuite.exposure.items import ProbeText, compare, kept_apart
from evalsuite.exposure.journey import ContaminationResult, _ModelTests
from evalsuite.exposure.likelihoods import LikelihoodScores, measure
from evalsuite.exposure.probes import ArrangementProbe, CompletionProbe, ItemProbe, ProbedFile
from evalsuite.exposure.settings import ContaminationSettings
from evalsuite.exposure.texts import Entries, FileEntry, arranged, orders, read_entries, shards
from evalsuite.metrics.statistics import holm
from evalsuite.page.report import _sheets as page_sheets
from evalsuite.results.store import Store
from evalsuite.types import Item, Request

TEXTS = ["你好，今天天气怎么样？", "A: 我想去看电影。\nB: 好啊，什么时候去？", "猫" * 40, "一"]


@pytest.fixture(scope="module")
def base(tiny: Path) -> HuggingFace:
    return HuggingFace(Model(name="t", backend="hf", path=str(tiny), dtype="float32"))


def reference(backend: HuggingFace, text: str, share: float) -> tuple[float, float, float]:
    """Mean log-probability, Min-K % and Min-K %++ as the authors' script computes them, on plain transformers."""
    import torch

    tokenizer, net = backend.checkpoint.tokenizer, backend.net
    start = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else backend.checkpoint.stop_ids[0]
    own = tokenizer(text)["input_ids"]
    ids = torch.tensor([own if own[0] == start else [start, *own]])
    with torch.no_grad():
        logits = net(ids).logits.double()
    targets = ids[0][1:].unsqueeze(-1)
    probs, log_probs = logits[0, :-1].softmax(-1), logits[0, :-1].log_softmax(-1)
    token = log_probs.gather(dim=-1, index=targets).squeeze(-1)
    mu = (probs * log_probs).sum(-1)
    sigma = (probs * log_probs.square()).sum(-1) - mu.square()
    plus = (token - mu) / sigma.sqrt()
    count = max(1, int(len(token) * share))
    return float(token.mean()), float(np.sort(token)[:count].mean()), float(np.sort(plus)[:count].mean())


def test_scores_are_the_authors(base: HuggingFace) -> None:
    found = measure(base, [("", text) for text in TEXTS])
    for text, scores in zip(TEXTS, found, strict=True):
        mean, mink, minkpp = reference(base, text, 0.2)
        assert scores.mean == pytest.approx(mean, abs=1e-4)
        assert scores.mink == pytest.approx(mink, abs=1e-3)
        assert scores.minkpp == pytest.approx(minkpp, abs=1e-3)


def test_scores_equal_nll(base: HuggingFace) -> None:
    pairs = [("问：你好吗？\n", "我很好。"), ("", TEXTS[1])]
    for scores, nll in zip(measure(base, pairs), base.nll(pairs), strict=True):
        assert (scores.logprob, scores.tokens) == (pytest.approx(-sum(nll), abs=1e-3), len(nll))


def test_nothing_is_computed_twice(base: HuggingFace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    whole = type(base).surprisal

    def counted(self: HuggingFace, pairs: Sequence[tuple[str, str]], done: Sequence[bool]) -> Any:
        asked.append(done.count(False))
        return whole(self, pairs, done)

    monkeypatch.setattr(type(base), "surprisal", counted)
    pairs = [("", text) for text in (*TEXTS, TEXTS[0])]
    with Store(tmp_path / "s.sqlite") as store:
        first = measure(base, pairs[:2], store)
        second = measure(base, pairs, store)
        again = measure(base, pairs, store)
    assert asked == [2, 2] and second[:2] == first and second == again and second[4] == second[0]


def test_stratified_p_is_uniform_without_contamination() -> None:
    """The p-values are uniform also for strata of different sizes, ties and scales, none of which the test may assume away."""
    rng = np.random.default_rng(0)
    p = []
    for n in range(400):
        strata = [
            rng.normal(scale=10.0**scale, size=size).round(1).tolist()
            for size, scale in zip((2, 3, 6, 6, 24), (0, 1, 0, 1, 0), strict=True)
        ]
        p.append(stratified_p(strata, Random(n), 999))
    for level in (0.01, 0.05, 0.2, 0.5):
        share = np.mean(np.array(p) <= level)
        assert share <= level + 3 * (level * (1 - level) / 400) ** 0.5
    assert np.mean(p) == pytest.approx(0.5, abs=0.06)


def test_stratified_p_against_all_choices() -> None:
    from itertools import product

    strata = [[3.0, 1.0, 2.0], [0.5, 0.9], [2.0, 2.0, -1.0, 0.0]]
    sums = [sum(row) for row in product(*strata)]
    exact = np.mean([total >= sum(row[0] for row in strata) - 1e-12 for total in sums])
    assert stratified_p(strata, Random(1)) == pytest.approx(exact, abs=0.005)


def test_greater_p_is_one_sided_and_uniform() -> None:
    rng = np.random.default_rng(1)
    assert greater_p([0.0] * 10 + [-1.0], [1.0] * 10, Random(0)) > 0.99
    p = np.array(
        [greater_p(rng.normal(size=12).tolist(), rng.normal(size=9).tolist(), Random(n), 499) for n in range(300)]
    )
    assert np.mean(p <= 0.05) <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5 and p.mean() == pytest.approx(0.5, abs=0.06)


def test_differ_p_is_two_sided() -> None:
    high, low, seed = [1.0] * 20, [0.0] * 20, Random(0).getrandbits(64)
    one = greater_p(high, low, Random(seed))
    assert differ_p(high, low, Random(0)) == differ_p(low, high, Random(0)) == 2 * one
    assert differ_p([1.0, 0.0], [1.0, 0.0], Random(0)) == 1.0


def test_hundreds_of_tests_can_still_find_what_is_there() -> None:
    p = dict.fromkeys(range(1000), greater_p([1.0] * 20, [0.0] * 20, Random(0)))
    assert max(holm(p).values()) < 0.05


def test_positive_p_counts_flips() -> None:
    assert positive_p([1.0] * 4, Random(0)) == pytest.approx(1 / 16, abs=0.003)
    assert positive_p([-1.0] * 8, Random(0)) > 0.99


def test_a_score_that_is_no_number_gives_no_p() -> None:
    """A network that overflows must not look like one that has read everything."""
    with pytest.raises(ValueError, match="finite"):
        stratified_p([[float("nan"), 0.0]] * 5, Random(0))
    with pytest.raises(ValueError, match="finite"):
        greater_p([float("nan"), 0.0], [0.0, 1.0], Random(0))

    class Overflowing:
        fingerprint = "f"

        def surprisal(self, pairs: Any, done: Any) -> Any:
            yield [(n, TokenScores([-1.0, float("nan")], [0.0, 0.0])) for n in range(len(pairs))]

    with pytest.raises(FloatingPointError, match="no finite likelihood"):
        measure(Overflowing(), [("", "一二")])  # type: ignore[arg-type]


def test_naming_is_tested_dialogue_by_dialogue() -> None:
    """Ten items of one dialogue are no ten witnesses."""
    texts = [ProbeText(str(n), "one dialogue", (("", f"text {n}"),)) for n in range(10)]
    asked = [Request(text.item, "", (), 8) for text in texts for _ in range(2)]
    made = CompletionProbe(ProbedFile("event_cause", "easy", "test", "guided"), texts, [], asked, [""] * 20, 0)
    row = made.row([Overlap(1.0, 30), Overlap(0.0, 30)] * 10, [], 0)
    assert row["figures"]["naming p"] == pytest.approx(0.5, abs=0.01)


def test_without_official_texts_there_is_no_mean() -> None:
    control = [ProbeText("c", n, (("", f"{n}"),)) for n in range(3)]
    compared = compare([], [], control, [1.0, 2.0, 3.0], Random(0))
    assert (compared.value, compared.control, compared.p, compared.dialogues) == (None, 2.0, None, (0, 3))
    file = ProbedFile("event_cause", "easy", "test", "guided")
    text = ProbeText("a", "a", (("", "你好" * 20),))
    failed = CompletionProbe(file, [text], [], [Request("a", "", (), 1)] * 2, ["", ""], 0).row([None, None], [], 0)
    assert failed["value"] is None and failed["n"] == 0 and failed["why"] == "no control"
    # There is a control item, and no official one.
    asked = [Request(name, "", (), 1) for name in ("a", "a", "c", "c")]
    both = CompletionProbe(file, [text], control[:1], asked, [""] * 4, 0)
    row = both.row([None, None, Overlap(1.0, 9), Overlap(0.0, 9)], [], 0)
    assert row["n"] == 0 and row["expected"] == 1 and row["why"] == "nothing to compare"


# --- texts of files


def test_a_line_may_hold_other_ends_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "test.jsonl"
    lines = [json.dumps({"text": f"第{n}条\u2028完\x85了"}, ensure_ascii=False) for n in range(3)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert [entry.text for entry in read_entries(File(path, (), (), "")).entries] == lines


def test_entries_of_every_layout(tmp_path: Path) -> None:
    lines = [{"id": n, "dialogue": [f"A: {n}"]} for n in range(4)]
    listed = json.dumps(
        [{"text": f"第{n}条，[含]括号", "id": str(3 - n)} for n in range(3)], ensure_ascii=False, indent=1
    )
    held = json.dumps({"canary": "x", "few": [1], "examples": [{"id": f"u{n}"} for n in range(3)]}, indent=2)
    paths = {name: tmp_path / name for name in ("a.jsonl", "b.json", "c.json")}
    paths["a.jsonl"].write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    paths["b.json"].write_text(listed, encoding="utf-8")
    paths["c.json"].write_text(held, encoding="utf-8")
    found = {name: read_entries(File(path, (), (), "")) for name, path in paths.items()}
    assert [e.text for e in found["a.jsonl"].entries] == [json.dumps(line) for line in lines] and found[
        "a.jsonl"
    ].numbered
    for name, text in (("b.json", listed), ("c.json", held)):
        whole = found[name].join(found[name].entries)
        assert whole in text and len(found[name].entries) == 3 and not found[name].numbered


def test_the_rows_of_a_table_are_entries_without_its_header(tmp_path: Path) -> None:
    rows = ['0,"一问，\n两行",甲', "1,二问,乙", "2,三问,丙"]
    tables = {"a.csv": "number,question,answer", "a.tsv": "number\tquestion\tanswer", "plain.csv": "question,answer"}
    for name, head in tables.items():
        lines = [row.replace("\n", "").replace(",", "\t") for row in rows] if name == "a.tsv" else rows
        lines = [row[2:] for row in rows] if name == "plain.csv" else lines
        path = tmp_path / name
        path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
        found = read_entries(File(path, (), (), ""))
        assert [entry.text for entry in found.entries] == lines and found.numbered == (name != "plain.csv")
    found = read_entries(File(tmp_path / "a.csv", (), (), ""))
    assert found.join([found.entries[n] for n in (1, 2, 0)]) == '0,二问,乙\n1,三问,丙\n2,"一问，\n两行",甲'


def test_a_line_without_quotes_is_a_row_however_long(tmp_path: Path) -> None:
    """`csv` takes cells of up to 131,072 characters, and a row of a TSV file may have two of them."""
    path = tmp_path / "a.tsv"
    long = "问" * 70_000 + "\t" + "答" * 70_000
    path.write_text(f"question\tanswer\n{long}\n", encoding="utf-8")
    assert [entry.text for entry in read_entries(File(path, (), (), "")).entries] == [long]


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    """Benchmark files may be Parquet, or a folder of `datasets`; it was said of them that they are not UTF-8."""
    (tmp_path / "a.parquet").write_bytes(b"PAR1\xff")
    for path in (tmp_path / "a.parquet", tmp_path):
        with pytest.raises(DataError, match="is no text"):
            read_entries(File(path, (), (), ""))


@pytest.mark.parametrize(("benchmark", "task"), [("cmmlu", "exam"), ("halluqa", "choose"), ("xcopa", "cause_effect")])
def test_numbers_of_shipped_benchmarks_stay_in_place(benchmark: str, task: str) -> None:
    """A model that has read nothing expects 6 after 5, and would find the published order likelier."""
    corpus = Corpora(bundled("sample")).all(benchmark)[0]
    chosen = corpus.benchmark.task(task)
    found = read_entries(corpus.file(chosen, corpus.sets[0], "test"))
    assert found.numbered and all(entry.items for entry in found.entries)


def test_a_json_file_without_a_list_is_read_by_lines(tmp_path: Path) -> None:
    """An object without a list has no entries in it; lines of JSON may be named .json."""
    for lines in (['{"text": "一"}'], ['{"text": "一"}', '{"text": "二"}'], ['"[一]"']):
        path = tmp_path / "a.json"
        path.write_text("\n".join(lines), encoding="utf-8")
        assert [entry.text for entry in read_entries(File(path, (), (), "")).entries] == lines


def test_running_numbers_stay_in_place(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        "\n".join(json.dumps({"id": n, "x": x}) for n, x in ((8, "a"), (9, "b"), (10, "c"))), encoding="utf-8"
    )
    found = read_entries(File(path, (), (), ""))
    (shard,) = shards(found, len, 1000)
    assert arranged(found, shard, (0, 1, 2)) == path.read_text(encoding="utf-8")
    assert [json.loads(line) for line in arranged(found, shard, (2, 0, 1)).splitlines()] == [
        {"id": 8, "x": "c"}, {"id": 9, "x": "a"}, {"id": 10, "x": "b"},
    ]  # fmt: skip


@pytest.mark.slow
def test_official_files_are_read_byte_for_byte(real_data: Path) -> None:
    corpora, seen = Corpora(real_data), set()
    for benchmark in ("corecode", "xcopa", "c3", "charm"):
        try:
            corpus = corpora.all(benchmark)[0]
        except DataError:
            continue
        for task, item_set in corpus.files("test"):
            file = corpus.file(task, item_set, "test")
            found = read_entries(file)
            text = file.path.read_text(encoding="utf-8")
            assert found.join(found.entries) in text.replace("\r\n", "\n"), file.path
            assert sum(len(entry.items) for entry in found.entries) == len(file.items), file.path
            seen.add(benchmark)
    assert seen


@pytest.mark.slow
@given(st.lists(st.integers(1, 40), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_who_shares_a_shard_does_not_depend_on_the_order_in_it(sizes: list[int], rng: Random) -> None:
    entries = tuple(FileEntry("x" * size, "", "", n) for n, size in enumerate(sizes))
    found = shards(Entries(entries, "", False), len, 50)
    moved = [unit for shard in found for unit in rng.sample(shard, len(shard))]
    kept = {unit[0].context for shard in found for unit in shard}
    # lines in no shard stay where they are
    rest = iter(moved)
    again = tuple(next(rest)[0] if entry.context in kept else entry for entry in entries)
    assert [{*shard} for shard in shards(Entries(again, "", False), len, 50)] == [{*shard} for shard in found]


def test_orders_are_different_and_the_first_is_the_published() -> None:
    for count, others in ((2, 5), (3, 5), (4, 5), (7, 9)):
        drawn = orders(count, others, Random(count))
        assert drawn[0] == tuple(range(count)) and len({*drawn}) == len(drawn) == min(
            others + 1, [0, 1, 2, 6, 24][count] if count < 5 else 99
        )


# --- whether the published arrangement was left to chance


def choice(n: int, options: tuple[str, ...], gold: int) -> Item:
    labels = tuple(f"({c})" for c in "abcdef"[: len(options)])
    return Item(
        f"c/{n}", "knowledge_filling", "easy", "test", (f"A: {n}",), "问？", options, labels, gold, (options[gold],)
    )


def test_options_in_a_fixed_order_are_noticed() -> None:
    rng = Random(0)
    words = [["".join(rng.sample("天地玄黄宇宙洪荒日月盈昃辰宿列张", 3)) for _ in range(3)] for _ in range(90)]
    shown = lambda item: ("".join(item.options), item.target)  # noqa: E731
    free = [choice(n, tuple(some), rng.randrange(3)) for n, some in enumerate(words)]
    fixed = [choice(n, ("是", "否", "不知道"), rng.randrange(3)) for n in range(90)]
    longer = [choice(n, ("短", "长一点", "还要更长一点" + str(n)), rng.randrange(3)) for n in range(90)]
    first = [choice(n, tuple(some), 0) for n, some in enumerate(words)]
    assert order_of_options(free, shown, 5, 0).chance
    assert not any(order_of_options(items, shown, 5, 0).chance for items in (fixed, longer, first))


def test_a_sorted_file_is_noticed() -> None:
    rng = Random(0)
    topics = ["".join(rng.sample("天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往", 12)) for _ in range(6)]
    texts = [topics[n // 12] + "".join(rng.sample("秋收冬藏闰余成岁律吕调阳", 8)) for n in range(72)]
    mixed = rng.sample(texts, len(texts))
    made = {
        name: order_of_items(Entries(tuple(FileEntry(t, "", "", t) for t in some), "\n", False), len, 300, 5, 0)
        for name, some in (("sorted", texts), ("mixed", mixed))
    }
    assert made["mixed"].chance and made["mixed"].checks["similar neighbours"] > 0.01
    # 14 in a shard, 12 of a topic
    assert not made["sorted"].chance


@pytest.mark.parametrize("falling", [False, True])
def test_a_file_sorted_by_length_is_noticed_where_shards_hold_two(falling: bool) -> None:
    """The likeness of two neighbours is the same in either order: it says nothing."""
    rng = Random(0)
    words = [chr(n) for n in range(0x4E00, 0x5E00)]
    texts = sorted(("".join(rng.sample(words, n)) for n in range(10, 50)), key=len, reverse=falling)
    found = Entries(tuple(FileEntry(t, "", "", t) for t in texts), "\n", False)
    made = order_of_items(found, lambda text: 30, 60, 5, 0)
    assert {len(stratum) for stratum in made.strata} == {2}  # an order and its reverse
    assert made.checks["similar neighbours"] == made.checks["neighbours of similar length"] == 1.0
    assert not made.chance


# --- on a network


@pytest.mark.thorough
def test_order_p_is_uniform_for_a_model_that_has_read_nothing(base: HuggingFace) -> None:
    """The bundled model and texts in random order: the p-values of 30 such files do not pile up at either end."""
    rng = Random(3)
    words = "我你他她想去看听说吃喝买卖电影音乐书饭茶今天明天昨天早上晚上好坏大小多少了吗呢吧啊的"
    p = []
    for n in range(30):
        texts = ["A: " + "".join(rng.choices(words, k=rng.randint(6, 14))) for _ in range(12)]
        found = Entries(tuple(FileEntry(text, "", "", text) for text in texts), "\n", False)
        made = order_of_items(found, lambda text: len(base.checkpoint.encode(text)), 60, 3, n)
        scores = measure(base, made.pairs)
        p.append(exact_test(made, [x.logprob for x in scores], Random(n)).p)
    found_p = np.array(p)
    assert abs(found_p.mean() - 0.5) < 3.3 / (12 * 30) ** 0.5
    assert np.mean(found_p <= 0.1) <= 0.1 + 3 * (0.09 / 30) ** 0.5


def test_a_model_that_knows_the_order_is_found() -> None:
    entries = tuple(FileEntry(f"句{n}", "", "", n) for n in range(40))
    found = Entries(entries, "\n", False)
    made = order_of_items(found, len, 24, 5, 0)
    known = found.join(entries)
    knows = [float(pair[1] in known) + Random(pair[1]).random() for pair in made.pairs]
    ignorant = [Random(pair[1]).random() for pair in made.pairs]
    assert exact_test(made, knows, Random(0)).p < 0.001 < 0.05 < exact_test(made, ignorant, Random(0)).p


# --- single items and completion


def test_control_entries_are_not_told_by_their_numbers() -> None:
    """Official files of 500 entries beside control files of 100: three digits beside two make every text less likely."""
    official, control = (
        Entries(tuple(FileEntry("{", f"{n}", f"{side}{n}", n) for n in range(some)), "\n", True)
        for side, some in (("a", 500), ("b", 100))
    )
    like = control.numbered_like(official, Random(0))
    digits = [len(e.number) for e in like.entries]
    assert abs(digits.count(3) - 80) < 15  # four in five of the official ones
    assert [e.tail for e in like.entries] == [e.tail for e in control.entries]
    plain = Entries(tuple(FileEntry(e.text, "", "", e.context) for e in official.entries), "\n", False)
    assert control.numbered_like(plain, Random(0)) is control


def test_items_against_control() -> None:
    rng = Random(0)
    texts = [[ProbeText(f"{side}{n}", f"{side}{n // 2}", (("", f"{side}{n}"),)) for n in range(60)] for side in "ab"]
    low, high = ([rng.gauss(mean, 1) for _ in range(60)] for mean in (0, 1))
    assert compare(texts[0], high, texts[1], low, Random(1)).p == pytest.approx(0.0001, abs=0.001)
    assert (compare(texts[0], low, texts[1], high, Random(1)).p or 0) > 0.95
    assert compare(texts[0], low, [], [], Random(1)).p is None
    shared = kept_apart(texts[0], [*texts[1], texts[0][0]])
    assert len(shared[0]) == 58 and len(shared[1]) == 60


def _texts(side: str, texts: Sequence[str]) -> list[ProbeText]:
    return [ProbeText(f"{side}{n}", f"{side}{n}", (("", text),)) for n, text in enumerate(texts)]


def test_clues_that_need_no_model() -> None:
    """Longer texts are told by their length, rarer characters by their frequency; what does not differ has p = 1. A text of no
    characters is counted, too."""
    common, rare = ["的的的的"] * 12, ["".join(chr(0x4E00 + 4 * n + k) for k in range(4)) for n in range(12)]
    found = items.checks(_texts("a", common), _texts("b", rare), Random(0))
    assert found["length"] == 1.0 and found["frequency of characters"] < 0.01
    found = items.checks(_texts("a", common), _texts("b", ["的"] * 12), Random(0))
    assert found["length"] < 0.01 and found["frequency of characters"] == 1.0
    found = items.checks(_texts("a", [*common, ""]), _texts("b", [*common, ""]), Random(0))
    assert found == {"length": 1.0, "frequency of characters": 1.0}
    assert items.checks(_texts("a", common), [], Random(0)) == {}


def test_overlap() -> None:
    second = "B: 我也是，我特别喜欢看科幻片，尤其是老片子。"
    assert overlap(second, second).near and overlap(second + "\nA: 好。", second).near
    assert not overlap("B: 我不知道。", second).near and overlap("", second).rouge == 0
    assert overlap("猫" * 40, second).rouge == 0


# --- rows of results, from scores that are written here

OFFICIAL, CONTROL = ([ProbeText(f"{side}{n}", f"{side}{n}", (("", "字词" * 9),)) for n in range(8)] for side in "ab")
FILE = ProbedFile("event_cause", "easy", "test", "completion")


def likely(mean: float, minkpp: float | None = None) -> LikelihoodScores:
    """The scores of a text of two tokens."""
    return LikelihoodScores(2 * mean, 2, mean - 1, minkpp)


def completed(asked: int, overlaps: Sequence[Overlap | None], beside: Sequence[Overlap | None] = ()) -> dict[str, Any]:
    """The row of so many requests for each official and each control item."""
    requests = [Request(text.item, "", (), 8) for text in (*OFFICIAL, *CONTROL) for _ in range(asked)]
    made = CompletionProbe(FILE, OFFICIAL, CONTROL, requests, [""] * len(requests), 3)
    return made.row(overlaps, beside, 0)


def test_completions_beside_control() -> None:
    whole, some, none = Overlap(1.0, 30), Overlap(0.5, 30), Overlap(0.0, 30)
    row = completed(1, [None, *[whole] * 7, whole, *[none] * 7])
    assert (row["n"], row["left_out"], row["units"]) == (7, 3 + 1, 7)
    assert (row["value"], row["expected"], row["reference"]) == (1.0, 0.125, None)
    assert row["p"] < 0.01 and row["why"] == "" and row["checks"] == {"length": 1.0, "frequency of characters": 1.0}
    assert {name: row["figures"][name] for name in ("near", "near control", "failed")} == {
        "near": 7, "near control": 1, "failed": 1,
    }  # fmt: skip
    assert row["listed"] == [f"a{n}" for n in range(1, 8)]
    row = completed(1, [whole] * 8 + [none] * 8, [some] * 8 + [none] * 8)
    assert (row["value"], row["reference"]) == (0.5, {"value": 0.5, "p": None})


def test_a_file_without_texts_that_are_long_enough() -> None:
    row = CompletionProbe(FILE, [], [], [], [], 5).row([], [], 0)
    assert (row["n"], row["left_out"], row["p"], row["why"]) == (0, 5, None, "no control")


def test_guided_completions_are_those_beyond_the_general_ones() -> None:
    guided, general = Overlap(0.75, 30), Overlap(0.25, 30)
    row = completed(2, [guided, general] * 8 + [general, general] * 8)
    assert (row["value"], row["expected"]) == (0.5, 0.0)
    assert (row["figures"]["guided"], row["figures"]["general"]) == (0.75, 0.25) and row["figures"]["naming p"] < 0.01


def test_items_are_scored_by_the_best_score_that_both_models_have() -> None:
    made = ItemProbe(FILE, OFFICIAL, CONTROL, 2, items.minkpp, {"mean": items.mean})
    own = [likely(-1.0, 2.0)] * 8 + [likely(-3.0, 1.0)] * 8
    row = made.row(own, None, 0)
    assert (row["n"], row["left_out"], row["units"], row["tokens"]) == (8, 2, 8, 32) and row["p"] < 0.01
    assert (row["value"], row["expected"]) == (row["figures"]["minkpp"], row["figures"]["minkpp control"]) == (2.0, 1.0)
    assert (row["figures"]["mean"], row["figures"]["mean control"]) == (-1.0, -3.0)
    # The reference has no Min-K++: both are scored by Min-K.
    row = made.row(own, [likely(-2.5)] * 8 + [likely(-2.0)] * 8, 0)
    assert (row["value"], row["expected"], "minkpp" in row["figures"]) == (1.5, -1.0, False)
    assert row["reference"]["value"] == -3.5 and row["reference"]["p"] > 0.9
    assert ItemProbe(FILE, OFFICIAL, [], 0, items.mean).row(own[:8], None, 0)["why"] == "no control"


def test_the_published_order_beside_others() -> None:
    strata = tuple((("", f"{n} first"), ("", f"{n} second"), ("", f"{n} third")) for n in range(6))
    made = ArrangementProbe(FILE, Arrangements(strata, 18, 1, {"length": 0.5}))
    own, other = [likely(-1.0), likely(-2.0), likely(-3.0)] * 6, [likely(-3.0), likely(-2.0), likely(-1.0)] * 6
    row = made.row(own, None, 0)
    assert (row["n"], row["left_out"], row["units"], row["tokens"]) == (18, 1, 6, 36)
    assert (row["value"], row["expected"], row["figures"]["gain"], row["figures"]["pairs"]) == (1.0, 0.5, 3.0, 12)
    assert row["p"] < 0.01 and (row["why"], row["reference"]) == ("", None)
    row = made.row(own, other, 0)
    assert (row["figures"]["gain"], row["reference"]["value"]) == (6.0, 0.0) and row["reference"]["p"] > 0.9
    for made_of, why in (
        ((strata, 18, 1, {"length": 1e-6}), "not left to chance"),
        (((), 0, 9, {}), "nothing to compare"),
    ):
        row = ArrangementProbe(FILE, Arrangements(*made_of)).row(own[: 3 * len(made_of[0])], None, 0)
        assert (row["why"], row["p"]) == (why, None)


# --- a model's work


class Reader(WithoutEngine):
    """A local model to which each of these texts has a known log-probability a token, and each other one -3."""

    parameters = None
    settings: ClassVar[dict[str, Any]] = {}

    def __init__(self, name: str, known: dict[str, float], context: int | None = None) -> None:
        self.fingerprint, self.known, self.context = name, known, context
        self.scored: list[str] = []

    def tokens(self, request: Request) -> int:
        return len(request.prompt)

    def surprisal(self, pairs: Sequence[tuple[str, str]], done: Sequence[bool]) -> Any:
        for n, (_, text) in enumerate(pairs):
            if not done[n]:
                self.scored.append(text)
                yield [(n, TokenScores([self.known.get(text, -3.0)] * len(text)))]

    def generate(self, requests: Sequence[Request], done: Sequence[bool]) -> Any:
        yield from ()

    def ids(self, request: Request) -> list[int]:
        return [*map(ord, request.prompt)]

    def plan(self, requests: Sequence[Request]) -> list[list[int]]:
        return [[*range(len(requests))]]

    def nll(self, pairs: Sequence[tuple[str, str]]) -> list[list[float]]:
        return [[-self.known.get(text, -3.0)] * len(text) for _, text in pairs]


def test_a_models_work_and_that_of_the_reference(tmp_path: Path) -> None:
    """The model knows the official texts, the reference knows them as little as the control: the difference is the model's."""
    official, control = _texts("a", [f"第{n}条文字" for n in range(8)]), _texts("b", [f"对照{n}条文" for n in range(8)])
    probe = ItemProbe(FILE, official, control, 1, items.mean)
    model = Reader("m", {text.pairs[0][1]: -1.0 for text in official}, context=10)
    settings = ContaminationSettings()
    with Store(tmp_path / "s.sqlite") as store, Display() as display:
        work = _ModelTests([probe], [], [], [], model.fingerprint)
        work.ask(model, store, display, "m")
        (row,) = work.rows(settings, "m", {})
        assert (row["model"], row["fingerprint"], row["n"], row["left_out"], row["reference"]) == ("m", "m", 8, 1, None)
        assert (row["value"], row["expected"]) == (-1.0, -3.0) and row["p"] < 0.01
        work.ask(Reader("r", {}), store, display, "r")
        (row,) = work.rows(settings, "m", {"name": "r", "fingerprint": "r"})
        assert (row["value"], row["expected"]) == (2.0, 0.0) and row["p"] < 0.01
        assert {name: row["reference"][name] for name in ("name", "fingerprint", "value")} == {
            "name": "r", "fingerprint": "r", "value": -3.0,
        }  # fmt: skip
        assert row["reference"]["p"] == 1.0 and len(model.scored) == 16
        again = _ModelTests([probe], [], [], [], model.fingerprint)
        again.ask(model, store, display, "m")
        assert again.scores == work.scores[:1] and len(model.scored) == 16  # stored ones are not asked again


def test_a_model_that_cannot_score_the_texts_is_named(tmp_path: Path) -> None:
    """A text takes its tokens and one more; a backend without likelihoods can only continue texts."""
    probe = ItemProbe(FILE, _texts("a", ["五个字长的"]), [], 0, items.mean)
    with Store(tmp_path / "s.sqlite") as store, Display() as display:
        work = _ModelTests([probe], [], [], [], "f")
        work.ask(Reader("fits", {}, context=6), store, display, "m")
        with pytest.raises(ConfigError, match="a text has 5 tokens, and its context 5: --window 2"):
            work.ask(Reader("short", {}, context=5), store, display, "m")
        with pytest.raises(ConfigError, match="model m: its backend gives no likelihoods of texts; --tests guided"):
            work.ask(WithoutEngine(), store, display, "m")  # type: ignore[arg-type]


# --- the command


FEW: dict[str, Any] = {"shards": 3, "shuffles": 2, "window": 1500, "items": 4, "completions": 2}


@pytest.mark.thorough
def test_the_command_resumes_and_stands_beside_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "run"
    some: dict[str, Any] = {"data": "bundled:sample", "tasks": ["knowledge_filling"], "set": "easy", "out": out}
    evalsuite.run({"tiny-zh": lambda request: "(a)"}, limit=4, **some)
    before = (out / "results.json").read_bytes()
    found = evalsuite.contamination("tiny-zh", "bundled:models.yaml", **some, **FEW)
    assert not found.problems and [row.test for row in found.rows] == [
        "order",
        "options",
        "mink",
        "mink",
        "names",
        "completion",
    ]
    content = json.loads((out / "results.json").read_bytes())
    assert (
        content["contamination"]
        == json.loads((out / "contamination.json").read_bytes())["rows"]
        == [r.written() for r in found.rows]
    )
    assert {k: v for k, v in content.items() if k != "contamination"} == json.loads(before)
    for row in found.rows:
        assert (row.p is None) == bool(row.why) == (row.p_holm is None)
    ps = [row.p for row in found.rows if row.p is not None]
    assert max(row.p_holm for row in found.rows if row.p == min(ps)) == pytest.approx(min(1, len(ps) * min(ps)))
    results_file().model_validate(content)
    (sheet,) = sheets(load_results(out), ["contamination"])
    heading = sheet.rows[0].cells[0]
    assert isinstance(heading, Text) and heading.zh.startswith("常识知识填充 简单") and "test" not in heading.zh
    accuracy = next(iter(content["cells"][0]["metrics"].values()))["value"]
    assert f"{100 * accuracy:.1f}" in str(sheet.rows[1].cells) and "有迹象" not in str(sheet.rows)
    assert "contamination" in {row["analysis"] for row in page_sheets(load_results(out))}

    monkeypatch.setattr(HuggingFace, "surprisal", None)
    monkeypatch.setattr(HuggingFace, "_decode", None)
    again = evalsuite.contamination("tiny-zh", "bundled:models.yaml", **some, **FEW)
    assert again.rows == found.rows
    evalsuite.score(out)
    assert json.loads((out / "results.json").read_bytes()) == content


@pytest.mark.thorough
def test_an_interrupted_command_goes_on_to_the_same_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = HuggingFace.surprisal
    scored: list[int] = []

    def stops(self: HuggingFace, pairs: Sequence[tuple[str, str]], done: Sequence[bool]) -> Any:
        for group in whole(self, pairs, done):
            scored.extend(n for n, _ in group)
            yield group
            if len(scored) == 2:
                raise KeyboardInterrupt

    some: dict[str, Any] = {"data": "bundled:sample", "tasks": ["knowledge_filling"], "set": "easy", "tests": ["mink"]}
    some |= {"items": 3, "form": ["raw"]}
    rows = evalsuite.contamination("tiny-zh", "bundled:models.yaml", out=tmp_path / "whole", **some).rows
    monkeypatch.setattr(hf_backend, "_LOGITS", 4800 * 600)  # a text per batch
    monkeypatch.setattr(HuggingFace, "surprisal", stops)
    with pytest.raises(KeyboardInterrupt):
        evalsuite.contamination("tiny-zh", "bundled:models.yaml", out=tmp_path / "cut", **some)
    assert len(scored) == 2 and not (tmp_path / "cut" / "contamination.json").exists()
    again = evalsuite.contamination("tiny-zh", "bundled:models.yaml", out=tmp_path / "cut", **some).rows
    assert len(scored) == len(set(scored)) == 6
    old, new = (json.dumps([row.written() for row in written]) for written in (rows, again))
    assert json.loads(new, parse_float=_rounded) == json.loads(old, parse_float=_rounded)


def _rounded(number: str) -> float:
    return round(float(number), 4)


@pytest.mark.thorough
def test_a_reference_is_subtracted(tmp_path: Path) -> None:
    """A model less itself is nothing: no pair differs, and no p is small."""
    models = tmp_path / "models.yaml"
    row = "{{name: {}, backend: hf, path: 'bundled:models/tiny-zh', dtype: float32, device: cpu}}"
    models.write_text(f"models: [{row.format('a')}, {row.format('b')}]", encoding="utf-8")
    found = evalsuite.contamination(
        "a", models, reference="b", tasks=["knowledge_filling"], set="easy", data="bundled:sample", out=tmp_path,
        **FEW | {"shards": 2, "shuffles": 1, "items": 2, "completions": 1},
    )  # fmt: skip
    assert not found.problems
    for row in found.rows:
        assert row.reference.name == "b" and row.p in (1.0, None)
        if row.test in ("order", "options"):
            assert row.value == 0.5 and row.figures["gain"] == 0


def test_guided_completion(tmp_path: Path) -> None:
    """One model writes what the file has, if the file is named; the other never."""
    corpus = Corpora(bundled("sample"))
    texts = [e.text for e in read_entries(corpus.file(TASKS["event_cause"], "easy", "test")).entries]

    def knows(request: Request) -> str:
        first = request.prompt.split("[前半部分]\n")[1].split("\n[后半部分]")[0]
        return next(
            (t[len(first) :] for t in texts if t.startswith(first) and "CORECODE" in request.prompt), "我不知道"
        )

    replies = {"knows": knows, "other": lambda request: "我不知道"}
    found = evalsuite.contamination(
        ["knows", "other"],
        replies,
        tasks=["event_cause"],
        set="easy",
        data="bundled:sample",
        out=tmp_path,
        control="none",
        completions=10,
    )
    knowing, other = found.rows
    assert knowing.figures["near"] == knowing.n == len(knowing.listed) > 2 and knowing.figures["guided"] == 1
    assert other.figures["near"] == 0 == other.value and {row.why for row in found.rows} == {"no control"}
    (sheet,) = row_sheets(found.rows)
    assert any("word for word" in english(note) for note in sheet.notes)


def test_words_of_a_sign(tmp_path: Path) -> None:
    base = {
        "model": "m", "fingerprint": "f", "task": "event_cause", "set": "easy", "split": "test", "form": "raw", "n": 9,
        "left_out": 0, "units": 9, "tokens": 9, "expected": 0.5, "figures": {}, "checks": {}, "why": "", "reference": None,
        "listed": [],
    }  # fmt: skip
    keep_rows(
        tmp_path, [base | {"test": "order", "value": 1.0, "p": 0.001}, base | {"test": "names", "value": 0.1, "p": 0.4}]
    )
    rows = read_rows(tmp_path)
    assert [row.p_holm for row in rows] == [0.002, 0.4]
    (sheet,) = row_sheets(rows)
    said = [english(note) for note in sheet.notes]
    assert said[0] == (
        "m, EASY EC test: the published order of items is likelier than 100.0 % of other orders: unlikely (corrected p = 0.002) "
        "if the model had never read the file in this order"
    )
    assert "no sign does not prove that a file was never read" in said
    keep_rows(tmp_path, [base | {"test": "order", "value": 0.5, "p": 0.6}])
    assert [row.p_holm for row in read_rows(tmp_path)] == [0.8, 0.8]
    keep_rows(tmp_path, [base | {"fingerprint": "trained anew", "test": "order", "value": 0.5, "p": 0.3}])
    assert [row.p_holm for row in read_rows(tmp_path)] == [0.3]  # nothing of the other model


def test_rows_of_a_package_that_is_not_installed_are_left_out(tmp_path: Path) -> None:
    row = {
        "model": "m", "fingerprint": "f", "set": "easy", "split": "test", "test": "order", "form": "raw", "n": 9,
        "left_out": 0, "units": 9, "tokens": 9, "value": 0.5, "expected": 0.5, "figures": {}, "checks": {}, "p": 0.4,
        "why": "", "reference": None, "listed": [],
    }  # fmt: skip
    keep_rows(tmp_path, [row | {"task": task} for task in ("event_cause", "task_of_a_package")])
    rows = read_rows(tmp_path)
    assert [row.task for row in rows] == ["event_cause", "task_of_a_package"]
    (sheet,) = row_sheets(rows)
    assert len(sheet.rows) == 2 and list(row_sheets(rows[1:])) == []  # a heading and the test


def test_each_reference_is_noted_with_its_own_tests(tmp_path: Path) -> None:
    """Two references: of the one's three tests two have p, one of them below 0.05; of the other's two tests both are below."""
    base = {
        "fingerprint": "f", "task": "event_cause", "set": "easy", "split": "test", "form": "raw", "n": 9, "left_out": 0,
        "units": 9, "tokens": 9, "value": 0.5, "expected": 0.5, "figures": {}, "checks": {}, "why": "", "p": 0.5, "listed": [],
    }  # fmt: skip
    own = {("m", "order"): ("old", 0.01), ("m", "names"): ("old", 0.9), ("m", "options"): ("old", None),
           ("n", "order"): ("tiny", 0.02), ("n", "names"): ("tiny", 0.04)}  # fmt: skip
    keep_rows(
        tmp_path,
        [
            base
            | {"model": model, "test": test, "reference": {"name": name, "fingerprint": name, "value": 0.5, "p": p}}
            for (model, test), (name, p) in own.items()
        ],
    )
    (sheet,) = row_sheets(read_rows(tmp_path))
    said = [english(note) for note in sheet.notes]
    assert "tested is the difference from old; of its own 2 tests 1 have p < 0.05" in said
    assert "tested is the difference from tiny; of its own 2 tests 2 have p < 0.05" in said


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"tests": ["nose"]}, "nose"),
        ({"control": "test"}, "--control test"),
        ({"form": ["page"]}, "page"),
        ({"tests": ["guided"]}, "backend hf takes"),
        ({"shuffles": 0}, "--shuffles"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=said):
        evalsuite.contamination("tiny-zh", "bundled:models.yaml", data="bundled:sample", out=tmp_path, **settings)
    with pytest.raises(ConfigError, match="has read nothing"):
        evalsuite.contamination("random", "bundled:models.yaml", data="bundled:sample", out=tmp_path)


def test_the_script_writes_what_the_command_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = ExposureTest.model_construct(model="m", test="order", p=0.2, p_holm=0.4, why="")
    result = ContaminationResult(tmp_path, [row], ())
    monkeypatch.setattr(evalsuite, "contamination", lambda *_, **__: result)
    rows = json.loads(json.dumps(clean(0, "", tmp_path)))
    assert clean_table(rows).splitlines()[-1] == "| order | 1 | 0 | 1 | 0 | 0.400 |"
