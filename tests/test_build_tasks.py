"""`evalsuite build tasks`: the official examples made again of annotations, splits, annotators, and what is refused."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from run_files import read_jsonl, write_jsonl
from typer.testing import CliRunner

from evalsuite.authoring.benchmark import BuiltBenchmark, build_benchmark
from evalsuite.authoring.merging import Merged
from evalsuite.authoring.task_files import Annotation, assign_splits, read_annotations, task_rows, write_task_files
from evalsuite.benchmarks.corecode import BENCHMARK as CORECODE
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus, path_of
from evalsuite.benchmarks.corecode.ontology import slots
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE as TASKS
from evalsuite.cli.build import build, notes, overview
from evalsuite.common.dialogue import asked_event
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.resources import bundled

SAMPLE = bundled("sample/annotations.jsonl")
FIGURE = 900_000  # examples of the paper's figures are numbered from here, those of the official README below


def rows(folder: Path, task: str, item_set: str = "easy", split: str = "test") -> list[dict[str, Any]]:
    text = path_of(folder / "data", TASKS[task], item_set, split).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def knowledge(slot: str, instance: str, value: str, phrase: str, *conflicts: str, **more: Any) -> dict[str, Any]:
    (s,) = (s for s in slots() if s.zh == slot)
    names = {"dimension": s.dimension_zh, "domain": s.domain_zh, "slot": slot}
    return {**names, "instance": instance, "value": value, "phrase": phrase, "conflict1": conflicts[0], "conflict2": conflicts[1]} | more  # fmt: skip


# (task, number): what an annotator would have written. What stands in the dialogue before it was masked or altered is the
# official answer where the example has it, and ours in the two examples of conflict detection, which do not show it.
OFFICIAL: dict[tuple[str, int], dict[str, Any]] = {
    ("knowledge_filling", 0): knowledge("是一个", "这部新片子", "科幻片", "科幻片", "恐怖片", "喜剧片", evidence=["但是我很少看科幻片"]),
    ("knowledge_filling", 900001): knowledge("是", "大富翁", "刺激的", "增加了刺激欢快的节奏", "减少了刺激欢快的节奏", "增加了枯燥乏味的节奏"),
    ("knowledge_generation", 173): knowledge("后续事件", "乐视汽车莫干山土地被回收", "乐视汽车需要重新找地块", "重新找地块", "重新找司机", "去海边度假"),
    ("knowledge_generation", 900002): knowledge("事件原因", "三星的手机有自燃事件", "三星手机的电池技术不够成熟", "不够成熟", "足够成熟", "一年比一年好"),
    ("knowledge_generation", 900003): knowledge("是一个", "贝克汉姆", "足球明星", "踢球", "唱歌", "修理洗衣机"),
    ("conflict_detection", 18): knowledge("包括类型", "赛车", "勒芒24小时汽车拉力赛", "赛事", "音乐", "好吃的菜"),
    ("conflict_detection", 900004): knowledge("是", "猫", "乖的", "温顺的", "凶猛的", "会咬断电线的"),
    ("domain_identification", 0): knowledge("是一个", "温格", "教练", "温格可是", "温格不是", "我家的猫才是"),
    ("slot_identification", 0): knowledge("事件原因", "关于国足的比赛B一点都不想看", "国足的比赛太让B失望了", "太失望了", "太满意了", "高兴得睡不着"),
    ("slot_identification", 900005): knowledge("空间上包含", "军队", "食堂", "在食堂里面吃点儿", "在战壕里面吃点儿", "去邻居家里喝粥"),
    ("event_cause", 4192): knowledge("事件原因", "大山里的孩子已经习惯了上学时间要三个小时", "大山里的孩子不读书就没有出路", "没有出路", "没有午饭", "可以开上飞机"),
    ("subsequent_event", 2): knowledge("后续事件", "北京有对情侣买东西不给够钱", "警察通过人像对比一会儿就把他们抓了", "直接通过人像对比一会儿就被抓了", "直接通过人像对比一会儿就被放了", "老板又送了他们一大箱牛奶和面包"),
}  # fmt: skip
# Examples that the figures word otherwise than the README: the figures' text, and the README's, which we have.
OTHER_WORDING = {
    ("knowledge_generation", 900002): (
        "请根据对话内容，对下面的问题作出尽可能简短且不包含无关信息的回答：",
        "请根据对话内容，直接回答下面问题的答案，不要重述问题或解释原因：",
    ),
    ("conflict_detection", 900004): (
        "请从对话中抽取出在常识上与对话上下文不符的文本。",
        "请从对话中抽取出在常识上与对话上下文不符的文本。注意不要重述问题或解释原因，直接写出答案即可。",
    ),
}


def official(folder: Path) -> dict[tuple[str, int], dict[str, Any]]:
    found = {}
    for task in TASKS.values():
        for line in (folder / "corecode" / "README_examples" / f"{task.file}.jsonl").read_text().splitlines():
            row = json.loads(line)
            found[task.name, row["id"]] = row
    return found


def test_the_official_examples_are_made_again(real_data: Path, tmp_path: Path) -> None:
    """Line for line, keys and their order too, but for the number; seeds are tried until the options fall as they do there."""
    examples = official(real_data)
    shown = {**examples, ("clipped_subsequent_event", 2): examples["subsequent_event", 2]}
    assert {*examples} == {*OFFICIAL, ("clipped_subsequent_event", 2)}
    annotated = []
    for (task, number), k in OFFICIAL.items():
        row = shown[task, number]
        wrong = "[MASK]" if task == "knowledge_filling" else row["answer"] if task == "conflict_detection" else ""
        told = [turn.replace(wrong, k["phrase"]) if wrong else turn for turn in row["dialogue"]]
        annotated.append({"id": f"{task}-{number}", "set": "easy", "dialogue": told, "annotations": [k]})
    file = write_jsonl(tmp_path / "annotations.jsonl", *annotated)
    missing: set[tuple[str, int]] = {*examples}
    for seed in range(200):
        build_benchmark([file], tmp_path / "out", shares=(0, 0), seed=seed)
        for task in TASKS:
            made = {json.dumps({**row, "id": 0}, ensure_ascii=False) for row in rows(tmp_path / "out", task)}
            for name in sorted(m for m in missing if m[0] == task):
                theirs, ours = OTHER_WORDING.get(name, ("", ""))
                row = examples[name]
                assert row["question"].startswith(theirs)
                wanted = {**row, "id": 0, "question": ours + row["question"].removeprefix(theirs)}
                if json.dumps(wanted, ensure_ascii=False) in made:
                    missing.remove(name)
        if not missing:
            break
    assert not missing


@pytest.mark.parametrize(("item_set", "split"), [*itertools.product(("easy", "hard"), ("train", "dev", "test"))])
def test_official_event_causal_files_are_made_again(real_data: Path, item_set: str, split: str) -> None:
    """The rules make every line of the public official files again, byte for byte; phrases begin where the official clipped
    dialogues end."""
    slot_of = {"subsequent_event": "Subsequent Event", "event_cause": "Event Cause"}
    official: dict[str, list[str]] = {}
    for task in ("subsequent_event", "clipped_subsequent_event", "event_cause"):
        path = path_of(real_data / "corecode" / "data", TASKS[task], item_set, split)
        official[task] = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
    cuts = [json.loads(line)["dialogue"] for line in official["clipped_subsequent_event"]]
    annotations = []
    for task, name in slot_of.items():
        for n, line in enumerate(official[task]):
            row = json.loads(line)
            cut = cuts[n] if task == "subsequent_event" else [""]
            slot, instance = next(s for s in slots() if s.en == name), asked_event(row["question"]) or ""
            place = (len(cut) - 1, len(cut[-1]))
            about = (str(n), item_set, tuple(row["dialogue"]), slot, instance, row["answer"])
            annotations.append(Annotation(*about, phrase="", position=place, conflicts=("", "")))
    made = task_rows(annotations, "any")
    for task, lines in official.items():
        if lines:
            assert [json.dumps({"id": n, **row}, ensure_ascii=False) for n, row in enumerate(made[task])] == lines
    assert len(official["subsequent_event"]) == len(cuts) > 100


def test_every_slot_has_a_question(real_data: Path) -> None:
    """The official wording where an official example shows it; the form of those everywhere else."""
    asked = [row["question"].partition("：")[2] for (task, _), row in official(real_data).items() if task == "knowledge_generation"]  # fmt: skip
    shown = {s.zh for s in slots() for text in asked for k in OFFICIAL.values() if text == s.question.format(k["instance"])}  # fmt: skip
    assert shown == {s.zh for s in slots() if s.official} == {"后续事件", "事件原因", "是一个"} and len(asked) == 3


def test_questions_are_of_one_form() -> None:
    assert len({s.question for s in slots()}) == len(slots()) == 37
    for s in slots():
        lead = {"Entity": "“{}”", "Event": f"事件“{{}}”的{s.zh}", "Social interaction": f"在社会交往“{{}}”中，{s.zh}"}
        assert s.question.startswith(lead[s.dimension]) and s.question.endswith("？")


@pytest.mark.slow
def test_the_sample_through_the_command(tmp_path: Path) -> None:
    """Byte for byte; and again into the same folder, whatever was built there before."""
    out = tmp_path / "made"
    args = ["tasks", "bundled:sample/annotations.jsonl", "--out", str(out)]
    for more in (["--seed", "7"], []):
        result = CliRunner().invoke(build, args + more, catch_exceptions=False)
        assert result.exit_code == 0 and "699 of 699 annotations, 64 dialogues" in result.output
    built, shipped = (
        {p.relative_to(f): p.read_bytes() for p in f.rglob("*.jsonl")} for f in (out / "data", bundled("sample/data"))
    )
    assert built == shipped
    record = json.loads((out / "build.json").read_text(encoding="utf-8"))
    assert record["dialogues"] == {f"{s}/{p}": n for s in ("easy", "hard") for p, n in (("train", 12), ("dev", 4), ("test", 16))}  # fmt: skip
    assert record["items"]["easy/test/knowledge_filling"] == len(rows(out, "knowledge_filling")) == 175


def test_the_documents_count_the_sample() -> None:
    """docs/benchmarks.md says how many dialogues, annotations, and annotations with alternatives there are."""
    text = (Path(__file__).parents[1] / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    dialogues = read_jsonl(SAMPLE)
    annotations = [k for d in dialogues for k in d["annotations"]]
    further = sum("alternatives" in k for k in annotations)
    assert f"{len(dialogues)} dialogues\nwith {len(annotations)} annotations" in text
    assert f"{further} of the {len(annotations)} annotations list `alternatives`" in text


def test_data_of_others_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "data" / "easy").mkdir(parents=True)
    with pytest.raises(ConfigError, match="has data that no build wrote"):
        build_benchmark([SAMPLE], tmp_path)
    made = build_benchmark([SAMPLE], tmp_path / "mine")
    easy = write_jsonl(tmp_path / "easy.jsonl", *(d for d in read_jsonl(SAMPLE) if d["set"] == "easy"))  # fmt: skip
    (tmp_path / "mine" / "distractors.json").write_text("{}")
    again = build_benchmark([easy], tmp_path / "mine")
    assert sorted(p.name for p in (tmp_path / "mine").iterdir()) == ["build.json", "data"]
    assert again.data == made.data and not list((made.data / "hard").rglob("*.jsonl")), (
        "no file of the build before is left"
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_positions_of_right_options_are_balanced(tmp_path: Path, seed: int) -> None:
    made = build_benchmark([SAMPLE], tmp_path, seed=seed)
    assert len(made.gold) == 6
    for place, golds in made.gold.items():
        assert max(golds.values()) - min(golds.values()) <= 1
        item_set, split = place.split("/")
        annotations = {(tuple(r["dialogue"]), r["question"]): r for r in rows(tmp_path, "conflict_detection", item_set, split)}  # fmt: skip
        firsts = {a.conflicts[0] for a in read_annotations(SAMPLE)}
        minimal = sum(r["answer"] in firsts for r in annotations.values())
        assert abs(2 * minimal - len(annotations)) <= 3  # a phrase may be one annotation's first and another's second


TALK = [f"A: 第{n}件事是这样的，你先听我慢慢说完再开口。" if n % 2 else f"B: 好的，第{n}件事我听着呢，你接着往下说就行。" for n in range(12)]  # fmt: skip


def variant_of_story(name: str, item_set: str, story: int, change: str = "") -> dict[str, Any]:
    told = [f"{turn}{story}号故事" for turn in TALK]
    if change:
        told[3] = f"B: {change}"
    one = knowledge(
        "前提条件", "开始讲故事", "有人愿意听", "第10件事", "第10件衣", "一只小猫和狗", evidence=[told[10][3:]]
    )
    return {"id": name, "set": item_set, "dialogue": told, "annotations": [one]}


@pytest.mark.parametrize("seed", range(8))
def test_dialogues_of_one_source_share_a_split(tmp_path: Path, seed: int) -> None:
    """Near-equal ones, within a set and between EASY and HARD, at any seed; the shares hold all the same."""
    found = [variant_of_story(f"e{n}", "easy", n % 8, "换一句" if n >= 8 else "") for n in range(10)]
    found += [variant_of_story(f"h{n}", "hard", n + 4, "再换一句") for n in range(12)]
    annotations = read_annotations(write_jsonl(tmp_path / "a.jsonl", *found))
    split_of = assign_splits(annotations, seed, (0.4, 0.2))
    story = {(d["set"], d["id"]): d["dialogue"][0] for d in found}
    assert len({(story[d], split) for d, split in split_of.items()}) == len({*story.values()}) == 16
    counts = Counter((item_set, split) for (item_set, _), split in split_of.items())
    assert abs(counts["easy", "train"] - 4) <= 1 and abs(counts["hard", "train"] - 5) <= 2


ROW = {"id": "1", "set": "easy", "dialogue": ["A: 我的充电宝充不进电了。", "B: 是摔过吗？", "A: 昨天掉进洗脸池里了。"]}
WET = knowledge("事件原因", "A的充电宝充不进电", "A的充电宝进了水", "掉进洗脸池", "掉进被窝", "一直锁在抽屉没动过")


def row_by(name: str, *annotations: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**ROW, "annotator": name, "annotations": list(annotations), **more}


# files, --annotator, values that are built, repeated, disputed
MERGES: list[tuple[list[dict[str, Any]], str, list[str], int, int]] = [
    ([row_by("林", WET), row_by("周", WET)], "", ["A的充电宝进了水"], 1, 0),
    (
        [row_by("林", WET), row_by("周", WET | {"value": "A把充电宝弄湿了"})],
        "",
        ["A的充电宝进了水", "A把充电宝弄湿了"],
        0,
        0,
    ),
    ([row_by("林", WET), row_by("周", WET | {"value": "A把充电宝弄湿了"})], "周", ["A把充电宝弄湿了"], 0, 0),
    ([row_by("林", WET, WET | {"value": "B不知道"}), row_by("周", WET | {"slot": "情绪原因"})], "", ["B不知道"], 0, 1),
    ([row_by("林", WET), row_by("周", WET | {"slot": "情绪原因"})], "林", ["A的充电宝进了水"], 0, 0),
    # annotations of one person may disagree
    ([row_by("林", WET, WET | {"slot": "情绪原因"})], "", ["A的充电宝进了水"] * 2, 0, 0),
    ([row_by("林", WET), row_by("周", nothing=True)], "", ["A的充电宝进了水"], 0, 0),
    ([row_by("", WET), row_by("", WET)], "two", ["A的充电宝进了水"], 0, 0),  # nobody named: files are, as in agree
]


@pytest.mark.parametrize(("files", "annotator", "values", "repeated", "disputed"), MERGES)
def test_annotators_together_or_one(
    tmp_path: Path, files: list[dict[str, Any]], annotator: str, values: list[str], repeated: int, disputed: int
) -> None:
    paths = [write_jsonl(tmp_path / f"{name}.jsonl", row) for name, row in zip(("one", "two"), files, strict=False)]
    made = build_benchmark(paths, tmp_path / "out", annotator=annotator, shares=(0, 0))
    assert [r["answer"] for r in rows(tmp_path / "out", "knowledge_generation")] == values
    assert (made.merged.repeated, len(made.merged.disputed)) == (repeated, disputed)
    assert made.merged.shared == (0 if annotator else len(files) - 1)


# files, settings, words of the error
REFUSED: list[tuple[list[dict[str, Any]], dict[str, Any], str]] = [
    ([row_by("林", WET | {"proposed": True, "proposer": "m"})], {}, "a proposal of m that no person has accepted"),
    ([row_by("林", WET), row_by("周", WET, dialogue=["A: 掉进洗脸池。"])], {}, "has other turns in"),
    ([row_by("林", WET | {"instance": "x的充电宝充不进电"})], {}, "EASY set says A and B"),
    ([row_by("林", WET, set="hard")], {}, "HARD set x and y"),
    ([row_by("林", WET)], {"annotator": "淋"}, "unknown annotator '淋'"),
    ([row_by("林", nothing=True)], {}, "no annotations"),
    ([row_by("林", WET), row_by("周", WET | {"slot": "情绪原因"})], {}, "no annotations"),
    ([row_by("林", WET)], {"shares": (0.8, 0.4)}, "at most 1 together"),
    ([row_by("林", WET)], {"shares": (0.1, float("nan"))}, "at most 1 together"),
    ([row_by("林", WET)], {"shares": (float("nan"), 0.1)}, "at most 1 together"),
    ([row_by("林", WET)], {"distractors": "adverserial"}, "Did you mean 'adversarial'"),
    ([row_by("林", WET)], {"distractors": "adversarial", "discriminator": "random"}, "hf"),
]


@pytest.mark.parametrize(("files", "settings", "message"), REFUSED)
def test_unusable_files_and_settings_are_refused(
    tmp_path: Path, files: list[dict[str, Any]], settings: dict[str, Any], message: str
) -> None:
    paths = [write_jsonl(tmp_path / f"{n}.jsonl", row) for n, row in enumerate(files)]
    with pytest.raises((ConfigError, DataError), match=message):
        build_benchmark(paths, tmp_path / "out", **settings)
    assert not (tmp_path / "out").exists(), "nothing is half written"


def test_the_phrase_that_is_meant(tmp_path: Path) -> None:
    """科幻片 stands twice in the official example: the one in its evidence is masked, replaced, and cut at."""
    dialogue = ["A: 我很少看科幻片。", "B: 别提科幻片，我也很少看科幻片，一看就睡着。"]
    k = knowledge("后续事件", "B看电影", "B睡着了", "科幻片", "恐怖片", "天气预报", evidence=["我也很少看科幻片"])
    build_benchmark(
        [write_jsonl(tmp_path / "a.jsonl", {**ROW, "dialogue": dialogue, "annotations": [k]})],
        tmp_path / "out",
        shares=(0, 0),
    )
    assert rows(tmp_path / "out", "knowledge_filling")[0]["dialogue"] == [
        dialogue[0],
        "B: 别提科幻片，我也很少看[MASK]，一看就睡着。",
    ]
    assert rows(tmp_path / "out", "conflict_detection")[0]["dialogue"][0] == dialogue[0]
    assert rows(tmp_path / "out", "clipped_subsequent_event")[0]["dialogue"] == [
        dialogue[0],
        "B: 别提科幻片，我也很少看",
    ]


@pytest.mark.thorough
def test_adversarial_distractors_by_flag(tmp_path: Path) -> None:
    args = ["tasks", str(SAMPLE), "--out", str(tmp_path), "--distractors", "adversarial"]
    result = CliRunner().invoke(build, args, catch_exceptions=False)
    assert result.exit_code == 0 and "distractors.json" in result.output
    went = json.loads((tmp_path / "distractors.json").read_text(encoding="utf-8"))["filtered"]
    assert len(went) == 6 and (tmp_path / "distractors.easy.test.svg").is_file()
    changed = [(r, b) for r, b in zip(rows(tmp_path, "knowledge_filling"), rows(bundled("sample"), "knowledge_filling"), strict=True) if r != b]  # fmt: skip
    assert changed and all(r["answer"] == b["answer"] and r["dialogue"] == b["dialogue"] for r, b in changed)
    assert rows(tmp_path, "slot_identification") == rows(bundled("sample"), "slot_identification")


def test_a_build_that_stops_while_it_removes_the_earlier_data_says_nothing_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, out = write_jsonl(tmp_path / "a.jsonl", row_by("林", WET)), tmp_path / "out"
    build_benchmark([file], out, shares=(0, 0))

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("evalsuite.authoring.benchmark.remove", stop)
        build_benchmark([file], out, shares=(0, 0))
    assert json.loads((out / "build.json").read_text(encoding="utf-8")) == {}
    assert build_benchmark([file], out, shares=(0, 0)).counts


def test_the_command_passes_its_flags(tmp_path: Path) -> None:
    files = [str(write_jsonl(tmp_path / f"{name}.jsonl", row_by(name, WET))) for name in ("林", "周")]
    args = ["tasks", *files, "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(build, [*args, "--annotator", "周", "--seed", "7", "--shares", "0,0.25"])
    assert result.exit_code == 0, result.output
    record = json.loads((tmp_path / "out/build.json").read_text(encoding="utf-8"))
    assert record["settings"] == {"annotator": "周", "distractors": "annotated", "seed": 7, "shares": [0.0, 0.25]}
    result = CliRunner().invoke(build, [*args, "--shares", "0.4;0.1"])
    assert result.exit_code == 2 and "expected two numbers" in result.output


def built_benchmark(merged: Merged, filling: int = 1, logs: Sequence[str] = ()) -> BuiltBenchmark:
    counts = {f"easy/test/{name}": 1234 for name in TASKS} | {"easy/test/knowledge_filling": filling}
    gold = {"easy/test": {"(a)": 3, "(b)": 2}}
    return BuiltBenchmark(Path("data"), counts, {"easy/test": 7}, gold, merged, tuple(map(Path, logs)))


MERGED = Merged((), {"": 2}, shared=0, repeated=0, disputed=(), empty=0)
ALL_SAME = "dialogues annotated by several: {} annotations of theirs are the same"
DISPUTED = tuple((f"d{n}", "猫", "动物") for n in range(6))
LISTED = "; ".join(f"d{n}: 猫 / 动物" for n in range(5))
# A build, and words of the last line that it says of itself.
NOTES = [
    (built_benchmark(MERGED), "0 of 2 annotations, 0 dialogues"),
    (
        built_benchmark(replace(MERGED, annotators={"林": 3, "周": 1, "": 1})),
        "0 of 5 annotations (林 3, 周 1), 0 dialogues",
    ),
    (built_benchmark(replace(MERGED, shared=2)), f"2 {ALL_SAME.format(0)}"),
    (built_benchmark(replace(MERGED, repeated=2)), f"0 {ALL_SAME.format(2)}"),
    (built_benchmark(replace(MERGED, disputed=DISPUTED[:5])), f"lists them): {LISTED}; settle them"),
    (built_benchmark(replace(MERGED, disputed=DISPUTED)), f"{LISTED} and 1 more in build.json; settle them"),
    (built_benchmark(replace(MERGED, returned=3)), "3 annotations left out that an inspector returned"),
    (built_benchmark(replace(MERGED, empty=4)), "4 dialogues left out, without annotations"),
    (built_benchmark(MERGED, filling=0), "nothing in easy/test: too few dialogues"),
    (built_benchmark(MERGED, logs=("a.json", "b.svg")), "how the distractors were filtered: a.json"),
]


@pytest.mark.parametrize(("made", "said"), NOTES, ids=[said for _, said in NOTES])
def test_what_a_build_says(made: BuiltBenchmark, said: str) -> None:
    assert said in notes(made)[-1]


def test_the_table_of_a_build() -> None:
    table = overview(built_benchmark(MERGED, filling=5))
    assert [column.header for column in table.columns] == ["items", "easy test"]
    assert list(map(str, table.columns[1].cells)) == ["7", "5", *["1,234"] * (len(TASKS) - 1), "3/2"]


def test_alternatives_are_further_references(tmp_path: Path) -> None:
    """Only written tasks have further references, and no task file of a file without any has the key."""
    dialogue = json.loads(SAMPLE.read_text(encoding="utf-8").splitlines()[0])
    dialogue["annotations"][0] |= {"value": "A去了甲地", "alternatives": ["A去了乙地", "A去了丙地"]}
    for other in dialogue["annotations"][1:]:
        other.pop("alternatives", None)
    source = tmp_path / "one.jsonl"
    source.write_text(json.dumps(dialogue, ensure_ascii=False) + "\n", encoding="utf-8")
    write_task_files(read_annotations(source), tmp_path, shares=(0.0, 0.0))
    data = tmp_path / "data"
    (item,) = CorecodeCorpus(CORECODE, data).file(TASKS["event_cause"], "easy", "test").items[:1]
    assert item.references == ("A去了甲地", "A去了乙地", "A去了丙地") and item.target == "A去了甲地"
    named = [p.name for p in data.rglob("*.jsonl") if "alternatives" in p.read_text(encoding="utf-8")]
    assert sorted(named) == [
        "Commonsense_Knowledge_Generation.jsonl",
        "Event_Causal_Inference--Event_Cause_Inference.jsonl",
    ]
