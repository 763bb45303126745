"""`evalsuite compare` of two settings and of two runs: what is paired, and that the tests are those of scipy."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy import stats

import evalsuite
from evalsuite.common.errors import ConfigError
from evalsuite.metrics.statistics import holm
from evalsuite.results.compare import compare
from evalsuite.results.store import Store
from evalsuite.types import Cell, Item, Place, Request, Response, Trial

TALKS = [
    "今天怎么回来得这么晚？", "地铁坏在半路上了。", "这部电影你看过没有？", "明天要考试，我还没复习。",
    "冰箱里什么吃的都没有。", "周末去爬山好不好？", "老板又让我加班到半夜。", "我的手机掉进水里了。", "邻居家的狗叫了一整晚。",
]  # fmt: skip


def items(options: tuple[str, str] = ("科幻片", "恐怖片"), gold: int = 1) -> list[Item]:
    """Items with a dialogue of their own each."""
    return [
        Item(f"i/{n}", "knowledge_filling", "easy", "test", (f"A: {talk}",), "请选择。", options, ("(a)", "(b)"), gold, (options[gold],))
        for n, talk in enumerate(TALKS)
    ]  # fmt: skip


def put_cell(folder: Path, replies: str, asked: list[Item] | None = None, samples: int = 1, **place: Any) -> None:
    """A cell in a run's store, a letter per reply; "!" failed, "?" was not asked yet, "." is not in the plan."""
    folder.mkdir(parents=True, exist_ok=True)
    facts = {"data": place.pop("data", "file"), "backend": place.pop("backend", "hf")}
    full = {
        "model": "m",
        "set": "easy",
        "variant": "paper",
        "shots": 0,
        "scoring": "generate",
        "perturb": "none",
    } | place
    where = Place(task="knowledge_filling", split="test", **full)
    trials, said = [], []
    rows = [(i, s) for i in (asked or items()) for s in range(samples)]
    for (item, sample), reply in zip(rows, replies, strict=True):
        if reply == ".":
            continue
        request = Request(item.id, "", (), 8, labels=item.labels, options=item.options, sample=sample)
        trials.append((f"{where.name}{item.id}{sample}", Trial(item, request, where.variant, perturb=where.perturb)))
        if reply != "?":
            said.append(Response("", "error", error="down") if reply == "!" else Response(reply, "stop"))
        else:
            said.append(None)
    with Store(folder / "store.sqlite") as store:
        store.plan(Cell(where, facts), trials)
        store.put((key, r) for (key, _), r in zip(trials, said, strict=True) if r is not None)


SETTINGS: list[tuple[str, str, Any, list[Any]]] = [
    # keyword, part of the place, B's value there, the two values
    ("models", "model", "n", ["m", "n"]),
    ("shots", "shots", 5, [0, 5]),
    ("prompt", "variant", "plain", ["paper", "plain"]),
    ("scoring", "scoring", "constrained", ["generate", "constrained"]),
    ("perturb", "perturb", "shuffle", ["none", "shuffle"]),
]


@pytest.mark.parametrize(("keyword", "part", "value", "values"), SETTINGS)
def test_any_two_settings_are_compared_by_the_same_test(
    tmp_path: Path, keyword: str, part: str, value: Any, values: list[Any]
) -> None:
    put_cell(tmp_path, "bbbbbbabb")
    put_cell(tmp_path, "aaaabbbab", **{part: value})
    (row,) = compare(tmp_path, **{keyword: values})
    only_a, only_b = 5, 1  # items 0 … 3 and 7; item 6
    assert (row.items, row.left_out, row.test, row.a, row.b) == (9, 0, "McNemar", 8 / 9, 4 / 9)
    assert row.p == pytest.approx(stats.binomtest(only_a, only_a + only_b).pvalue)
    assert [(f.item.id, f.a, f.b) for f in row.flips][-1] == ("i/6", "a", "b") and len(row.flips) == only_a + only_b
    assert (row.by, row.a_name, row.b_name, getattr(row, part)) == (keyword, *map(str, values), None)
    (swapped,) = compare(tmp_path, **{keyword: values[::-1]})
    assert (swapped.difference, swapped.p) == (-row.difference, row.p)


def test_items_without_two_answers_are_left_out_and_counted(tmp_path: Path) -> None:
    put_cell(tmp_path, "bbbbbb!.?")
    put_cell(tmp_path, "a!bbbbbbb", shots=5)
    (row,) = compare(tmp_path, shots=[0, 5])
    assert (row.items, row.left_out, row.a, row.b) == (5, 4, 1.0, 4 / 5)


def test_samples_count_as_their_mean(tmp_path: Path) -> None:
    put_cell(tmp_path, "ab" * 9, samples=2)
    put_cell(tmp_path, "b" * 9, shots=5)
    (row,) = compare(tmp_path, shots=[0, 5])
    assert (row.items, row.a, row.b, row.test) == (9, 0.5, 1.0, "permutation")
    assert row.p == pytest.approx(2 / 2**9)


def test_items_that_are_others_are_no_pairs(tmp_path: Path) -> None:
    """Equal ids in another file, or with other texts, are not the same item."""
    put_cell(tmp_path, "b" * 9)
    put_cell(tmp_path, "b" * 9, items(("喜剧片", "爱情片")), shots=5)
    put_cell(tmp_path, "a" * 9, items(gold=0), perturb="shuffle", data="another file")
    with pytest.raises(ConfigError, match="share no answered item"):
        compare(tmp_path, shots=[0, 5])
    with pytest.raises(ConfigError, match="share no answered item"):
        compare(tmp_path, perturb=["none", "shuffle"])


def test_a_wording_in_another_language_asks_the_same_items(tmp_path: Path) -> None:
    put_cell(tmp_path, "b" * 9)
    put_cell(tmp_path, "b" * 8 + "a", items(("science fiction", "horror")), variant="en", data="translated")
    (row,) = compare(tmp_path, prompt=["paper", "en"])
    assert row.items == 9 and row.flips[0].b_item is not None and row.flips[0].b_item.options[1] == "horror"
    put_cell(tmp_path, "b" * 9, items(gold=0), variant="other", data="other file")
    with pytest.raises(ConfigError, match="share no answered item"):
        compare(tmp_path, prompt=["paper", "other"])


def test_perturbed_items_are_paired_with_their_originals_and_show_both_golds(
    tmp_path: Path, cli: Callable[..., Any]
) -> None:
    put_cell(tmp_path, "bbbbbbbbb")
    put_cell(tmp_path, "bbbbbbbbb", items(gold=0), perturb="shuffle")
    (row,) = compare(tmp_path, perturb=["none", "shuffle"])
    assert (row.a, row.b, row.items) == (1.0, 0.0, 9)
    assert "gold A b, B a" in cli("compare", tmp_path, "--perturb", "none,shuffle").stdout


def test_each_row_is_otherwise_equal_and_corrected_with_its_like(tmp_path: Path, cli: Callable[..., Any]) -> None:
    rng = Random(1)
    for model in ("m", "n"):
        for shots in (0, 5):
            for variant in ("paper", "plain"):
                put_cell(tmp_path, "".join(rng.choices("ab", k=9)), model=model, shots=shots, variant=variant)
    # no 0-shot cell has this wording
    put_cell(tmp_path, "".join(rng.choices("ab", k=9)), model="m", shots=5, variant="cot")
    rows = compare(tmp_path, shots=[0, 5])
    assert [(r.model, r.variant) for r in rows] == [("m", "paper"), ("m", "plain"), ("n", "paper"), ("n", "plain")]
    assert all(r.p_holm == r.p for r in rows)  # each row is the only one of its model and wording
    (one,) = compare(tmp_path, shots=[0, 5], models="n", prompt="plain")
    assert one == rows[3]
    stdout = cli("compare", tmp_path, "--shots", "0,5", "--flips", "0", COLUMNS="200").stdout
    assert stdout.startswith("A (0-shot) less B (5-shot)") and stdout.index("\n  m ") < stdout.index(
        "EASY CKF paper"
    ) < stdout.index("\n  n ")
    content = json.loads(cli("compare", tmp_path, "--shots", "0,5", "--prompt", "paper", "--json").stdout)
    assert [(r["by"], r["a_name"], r["b_name"], r["model"], r["shots"]) for r in content] == [
        ("shots", "0", "5", "m", None), ("shots", "0", "5", "n", None),
    ]  # fmt: skip


def test_baselines_are_compared_only_where_they_are_meant(tmp_path: Path) -> None:
    for shots in (0, 5):
        put_cell(tmp_path, "b" * 9, shots=shots)
        put_cell(tmp_path, "a" * 9, shots=shots, model="random", backend="baseline")
    assert [r.model for r in compare(tmp_path, shots=[0, 5])] == ["m"]
    assert [r.model for r in compare(tmp_path, shots=[0, 5], models=["random"])] == ["random"]
    assert len(compare(tmp_path, "m", "random")) == 2


def test_two_runs_are_compared_cell_by_cell(tmp_path: Path, cli: Callable[..., Any]) -> None:
    put_cell(tmp_path / "old", "bbbbbbabb")
    put_cell(tmp_path / "new", "aaaabbbab")
    put_cell(tmp_path / "new", "aaaabbbab", shots=5)
    (row,) = compare(tmp_path / "old", other=tmp_path / "new")
    assert (row.by, row.model, row.shots, row.items) == ("run", "m", 0, 9)
    assert row.p == pytest.approx(stats.binomtest(5, 6).pvalue)
    stdout = cli("compare", tmp_path / "old", tmp_path / "new", "--prompt", "paper").stdout
    assert "EASY CKF" in stdout
    assert (
        "5: expected one value"
        not in cli("compare", tmp_path / "old", tmp_path / "new", "--shots", "5", expect=2).stderr
    )


WRONG = [
    ({}, "nothing to compare; give two values of one of them: --models A,B"),
    ({"shots": [0]}, "nothing to compare"),
    ({"shots": [0, 5], "prompt": ["paper", "plain"]}, "--shots, --prompt have two values each"),
    ({"shots": [0, 3, 5]}, "--shots 0,3,5: expected two different values"),
    ({"shots": [0, 0]}, "--shots 0,0: expected two different values"),
    ({"shots": [0, 7]}, "unknown number of shots of this run '7'. Known: 0, 5."),
    ({"prompt": ["paper", "plian"]}, "unknown prompt of this run 'plian'. Known: paper."),
    ({"shots": [0, 5], "models": ["x"]}, "unknown model of this run 'x'. Known: m."),
    ({"shots": [0, 5], "tasks": ["DI"]}, "unknown task of this run 'DI'. Known: knowledge_filling."),
    ({"shots": [0, 5], "other": "."}, "--shots 0,5: two runs are compared, so expected one value"),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "said"), WRONG)
def test_what_is_not_clear_is_said(tmp_path: Path, asked: dict[str, Any], said: str) -> None:
    put_cell(tmp_path, "b" * 9)
    put_cell(tmp_path, "b" * 9, shots=5)
    if "other" in asked:
        asked = asked | {"other": tmp_path}
    with pytest.raises(ConfigError) as error:
        compare(tmp_path, **asked)
    assert said in str(error.value)


def test_settings_that_were_never_asked_otherwise_alike_are_said(tmp_path: Path) -> None:
    put_cell(tmp_path, "b" * 9)
    put_cell(tmp_path, "b" * 9, shots=5, variant="plain")
    with pytest.raises(ConfigError, match="0 and 5 share no answered item"):
        compare(tmp_path, shots=[0, 5])


def test_the_value_that_the_narrowed_cells_lack_is_said_and_how_to_add_it(tmp_path: Path) -> None:
    put_cell(tmp_path, "b" * 9)
    put_cell(tmp_path, "b" * 9, shots=1, model="n")
    said = rf"none of the cells chosen is of 1; `evalsuite run … --shots 0,1 --out {re.escape(str(tmp_path))}`"
    with pytest.raises(ConfigError, match=said):
        compare(tmp_path, shots=[0, 1], models=["m"])
    with pytest.raises(ConfigError, match="chosen is of 0;"):
        compare(tmp_path, shots=[0, 1], models=["n"])


def test_the_heading_names_the_model_and_flips_left_out_are_counted(tmp_path: Path, cli: Callable[..., Any]) -> None:
    put_cell(tmp_path, "bbbbbbabb")
    put_cell(tmp_path, "aaaabbbab", shots=5)
    stdout = cli("compare", tmp_path, "--shots", "0,5").stdout
    assert "m: A (0-shot) less B (5-shot)" in stdout
    assert "… 3 more; --flips 6" in stdout and stdout.count("gold") == 3  # items 0 … 3, 6 and 7 differ
    assert "more; --flips" not in cli("compare", tmp_path, "--shots", "0,5", "--flips", "6").stdout
    put_cell(tmp_path, "bbbbbbabb", model="n")
    put_cell(tmp_path, "aaaabbbab", shots=5, model="n")
    assert cli("compare", tmp_path, "--shots", "0,5").stdout.startswith(
        "A (0-shot) less B (5-shot)"
    )  # above their rows
    assert "\nA (m) less B (n)" in "\n" + cli("compare", tmp_path, "--models", "m,n", "--shots", "5").stdout


def test_a_run_that_was_killed_before_it_asked_has_nothing_to_compare(tmp_path: Path) -> None:
    with Store(tmp_path / "store.sqlite"):
        pass
    with pytest.raises(ConfigError, match="has no cells: nothing was asked"):
        compare(tmp_path, prompt=["paper", "plain"])


def test_items_that_differ_are_counted_however_little(tmp_path: Path, cli: Callable[..., Any]) -> None:
    """A is nearer on six of nine texts, on one of them by half; B on two."""
    gold = "他摔倒了以后去医院看病"
    texts = [replace(i, task="event_cause", options=(), labels=(), gold=None, references=(gold,)) for i in items()]
    for model, cuts in (("m", (9, 9, 9, 9, 9, 11, 2, 2, 3)), ("n", (8, 8, 8, 8, 8, 2, 3, 3, 3))):
        where = Place(model, "event_cause", "easy", "test", "paper", 0)
        trials = [(f"{model}{i.id}", Trial(i, Request(i.id, "", (), 8), "paper")) for i in texts]
        with Store(tmp_path / "store.sqlite") as store:
            store.plan(Cell(where, {"data": "file", "backend": "hf"}), trials)
            store.put((key, Response(gold[:cut], "stop")) for (key, _), cut in zip(trials, cuts, strict=True))
    (row,) = compare(tmp_path, models=["m", "n"])
    assert (row.a_higher, row.b_higher, len(row.flips)) == (6, 2, 1)
    stdout = cli("compare", tmp_path, "--models", "m,n", COLUMNS="200").stdout
    assert "8 of 9 items differ, 6 for A, 2 for B; by 0.5 or more 1, 1 for A, 0 for B" in stdout
    (told,) = json.loads(cli("compare", tmp_path, "--models", "m,n", "--json").stdout)
    assert (told["a_higher"], told["b_higher"], len(told["flips"])) == (6, 2, 1)
    zh = cli("compare", tmp_path, "--models", "m,n", EVALSUITE_LANG="zh", COLUMNS="200").stdout
    assert "简单 事件原因推断" in zh and "EASY EC" not in zh
    assert "9 题中有 8 题得分不同，A 较高 6 题，B 较高 2 题；其中相差 0.5 及以上的有 1 题，A 1 题，B 0 题" in zh


def test_an_interval_without_0_beside_no_significance_is_explained(tmp_path: Path, cli: Callable[..., Any]) -> None:
    """Six items differ in one of two rows: p is 0.031, and 0.0625 after Holm."""
    put_cell(tmp_path, "bbbbbbbbb")
    put_cell(tmp_path, "aaaaaabbb", model="n")
    explained = "but not after Holm over its family"
    alone = cli("compare", tmp_path, "--models", "m,n").stdout
    assert "corrected over 1 row;" in alone and explained not in " ".join(alone.split())
    put_cell(tmp_path, "bbbbbbbbb", set="hard")
    put_cell(tmp_path, "bbbbbbbab", set="hard", model="n")
    both = " ".join(cli("compare", tmp_path, "--models", "m,n").stdout.split())
    assert "corrected over 2 rows;" in both and explained in both
    first, second = compare(tmp_path, models=["m", "n"])
    assert (first.p, first.p_holm, first.least_p_holm, first.family) == (
        2 / 2**6,
        4 / 2**6,
        4 / 2**6,
        2,
    ) and first.low > 0
    assert (second.least_p, second.least_p_holm) == (1.0, 1.0)


# --- a real run, computed again from its records


@pytest.fixture(scope="module")
def sample_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("compare") / "run"
    # A model that guesses by the prompt, so that another wording may change its answer.
    guess = {"m": lambda request: Random(request.prompt).choice(request.labels)}
    evalsuite.run(guess, tasks=["knowledge_filling"], shots=[0, 2], prompt=["paper", "plain"], perturb=["none", "circular"],
                  baselines=[], limit=80, out=out)  # fmt: skip
    return out


PLACE = ("model", "task", "set", "split", "variant", "shots", "scoring", "perturb")


def scores(run: Path) -> dict[tuple[Any, ...], dict[str, tuple[float, str]]]:
    """Place -> item -> (score, dialogue), from results.json and records alone. All rotations must be right."""
    found, talks = {}, list[set[str]]()
    for cell in json.loads((run / "results.json").read_bytes())["cells"]:
        own: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for line in (run / cell["records"]).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            value = record["scores"]["accuracy" if record["options"] else "f1"]
            talk = {*record["dialogue"]}  # the turns, one of which an item may mask
            at = next((n for n, t in enumerate(talks) if len(t & talk) > len(talk) / 2), len(talks))
            talks.extend([talk] * (at == len(talks)))
            own[record["item"]].append((value, str(at)))
        found[tuple(cell[name] for name in PLACE)] = {name: min(values) for name, values in own.items()}
    return found


def partners(run: Path, part: str, a: Any, b: Any) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    every, at = scores(run), PLACE.index(part)
    for place, ours in every.items():
        other = (*place[:at], b, *place[at + 1 :])
        if place[at] == a and other in every:
            yield place, ours, every[other]


REAL = [("shots", "shots", 0, 2), ("prompt", "variant", "paper", "plain"), ("perturb", "perturb", "none", "circular")]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("keyword", "part", "a", "b"), REAL)
def test_a_real_run_is_compared_as_scipy_does(sample_run: Path, keyword: str, part: str, a: Any, b: Any) -> None:
    rows = {
        tuple(a if name == part else getattr(r, name) for name in PLACE): r
        for r in compare(sample_run, **{keyword: [a, b]})
    }
    expected = list(partners(sample_run, part, a, b))
    assert rows.keys() == {place for place, *_ in expected} and rows
    tested = 0
    for place, ours, theirs in expected:
        row, both = rows[place], [name for name in ours if name in theirs]
        assert (row.items, row.left_out) == (len(both), 0)
        assert row.a == pytest.approx(np.mean([ours[n][0] for n in both]))
        assert row.b == pytest.approx(np.mean([theirs[n][0] for n in both]))
        moves: dict[str, float] = defaultdict(float)
        for name in both:
            moves[ours[name][1]] += ours[name][0] - theirs[name][0]
        moved = [m for m in moves.values() if abs(m) > 1e-12]
        assert row.differ == len(moved)
        if len(moved) < 2:
            assert row.p == 1
            continue
        tested += 1
        theirs_p = stats.permutation_test(
            (np.array(moved), np.zeros(len(moved))), lambda x, y, axis: np.mean(x - y, axis=axis), vectorized=True,
            permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(1),
        ).pvalue  # fmt: skip
        assert row.test == "permutation"
        assert row.p == pytest.approx(theirs_p, abs=1e-9 if len(moved) <= 12 else 0.015)
    assert tested > 1
    families: dict[Any, dict[Any, float]] = defaultdict(dict)
    for place, row in rows.items():
        families[tuple(v for n, v in zip(PLACE, place, strict=True) if n not in ("task", "set", part))][place] = row.p
    for family in families.values():
        corrected = holm({str(n): p for n, p in family.items()})
        assert all(rows[place].p_holm == pytest.approx(corrected[str(place)]) for place in family)


def test_drops_of_the_robustness_table_are_the_same_differences(sample_run: Path) -> None:
    drops = json.loads((sample_run / "results.json").read_bytes())["robustness"]["drops"]
    rows = compare(sample_run, perturb=["circular", "none"])
    assert len(rows) == len(drops) > 0
    key = lambda place: [place[n] for n in PLACE if n != "perturb"]  # noqa: E731
    for row, drop in zip(
        sorted(rows, key=lambda r: str(key(r.place))), sorted(drops, key=lambda d: str(key(d))), strict=True
    ):
        assert (row.items, row.differ) == (drop["items"], drop["differ"])
        assert (row.difference, row.a, row.b) == pytest.approx((drop["drop"], drop["value"], drop["base"]))
        assert row.p == pytest.approx(drop["p"], abs=0.01)
