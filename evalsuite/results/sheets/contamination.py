"""The sheet of what models may have read, beside the scores that it may have raised. Its words accuse nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalsuite.benchmarks.registry import TASKS, metric_named
from evalsuite.common.sheet import Column, Row, Sheet, Text
from evalsuite.results.contamination import LEVEL
from evalsuite.results.saved import Results
from evalsuite.results.sheets.words import estimate_flags

Entry = Mapping[str, Any]

_TESTS = {
    "order": Text("条目顺序", "order of items"),
    "options": Text("选项顺序", "order of options"),
    "mink": Text("Min-20% 概率", "Min-20 % probability"),
    "minkpp": Text("Min-20%++", "Min-20 %++"),
    "names": Text("原名与换名", "names changed"),
    "completion": Text("续写后半", "second halves"),
    "guided": Text("点名续写", "guided completion"),
}
_WHY = {
    "not left to chance": Text(
        "不作判断（非偶然）：不看模型也能看出发布的形式并非出于偶然（例如排过序），任何模型都会偏好它",
        "no judgement, not by chance: the texts themselves show that the published form was not left to chance (sorted, say): any model prefers it",
    ),
    "no control": Text(
        "不作判断（无对照）：没有可比的对照条目，单看数值说明不了什么",
        "no judgement, no control: there are no items to compare with, and the figure alone says nothing",
    ),
    "nothing to compare": Text(
        "不作判断（无从比较）：文件中没有可以换序的内容，或一个窗口（--window）放不下两条",
        "no judgement, nothing to compare: nothing in the file can stand in another order, or no two entries fit one --window",
    ),
}
_SHORT = {
    "not left to chance": Text("不作判断：非偶然", "not judged: not by chance"),
    "no control": Text("不作判断：无对照", "not judged: no control"),
    "nothing to compare": Text("不作判断：无从比较", "not judged: too little"),
}
_SIGN = {
    "order": Text("发布时的条目顺序，其似然高于 {share} 的其他顺序；若模型从未按此顺序读过此文件",
                  "the published order of items is likelier than {share} of other orders: {unlikely} if the model had never read the file in this order"),
    "options": Text("发布时的选项顺序，其似然高于 {share} 的其他顺序；若模型从未读过这些题",
                    "the published order of options is likelier than {share} of other orders: {unlikely} if the model had never read these items"),
    "mink": Text("这些条目的似然高于对照条目；若模型两者都没读过（或同样读过）",
                 "these items are likelier than the control items: {unlikely} if the model had read neither, or both alike"),
    "names": Text("与换名相比，模型对原文的偏好高于对照条目；若模型两者都没读过（或同样读过）",
                  "the names as published are preferred more than in the control items: {unlikely} if the model had read neither, or both alike"),
    "completion": Text("续写与原文的重合高于对照条目；若模型两者都没读过（或同样读过）",
                       "second halves are closer to the file than those of the control items: {unlikely} if the model had read neither, or both alike"),
    "guided": Text("点名数据集使续写更接近原文，程度高于对照条目；若模型两者都没读过（或同样读过）",
                   "naming the data set brings second halves closer to the file, more than of the control items: {unlikely} if the model had read neither, or both alike"),
}  # fmt: skip
_LEGEND = Text(
    "p：若模型从未见过此文件，检验统计量至少如此之大的概率（单侧）；校正后 p：对该模型的所有检验作 Holm 校正，低于 0.05 才称为迹象。迹象只说明与“从未读过”不符，"
    "不说明怎样读到、是否有意，也不说明分数因此高了多少。若对照条目也被读过，则看不出差别",
    "p: how probable so large a statistic is if the model never saw the file, one-sided; corrected: by Holm over all tests of the model, below 0.05 it is called a sign. "
    "A sign says that 'never read' does not fit; it does not say how the text was read, nor that anyone meant it, nor by how much a score is higher for it. "
    "Where control items were read, too, there is no difference to see",
)


def contamination_sheets(done: Results) -> Iterator[Sheet]:
    """The tests of a run, each beside the model's score on the file; no sheets without tests."""
    scores: dict[tuple[str, ...], Any] = {}
    for cell in sorted(done.cells, key=lambda cell: "estimate" in cell):  # a whole one rather than an estimate
        place = (cell["model"], cell["task"], cell["set"], cell["split"])
        if cell["perturb"] == "none" and cell["metrics"]:
            scores.setdefault(place, (*next(iter(cell["metrics"].items())), *estimate_flags(cell)))
    yield from row_sheets(done.contamination, scores)


def row_sheets(rows: Sequence[Entry], scores: Mapping[tuple[str, ...], Any] | None = None) -> Iterator[Sheet]:
    """The sheet of rows of contamination.json."""
    if not rows:
        return
    columns = (
        Column(Text("模型", "model")),
        Column(Text("检验", "test"), key=True),
        Column("n", kind="count"),
        Column(Text("已发布", "published"), align="right"),
        Column(Text("对照", "control"), align="right"),
        Column("p", align="right"),
        Column(Text("校正后 p", "corrected"), align="right"),
        Column(Text("得分", "score"), align="right"),
        Column(Text("结论", "seen")),
    )
    lines = list[Row]()
    files = dict.fromkeys((row["task"], row["set"], row["split"]) for row in rows)
    for task, item_set, split in files:
        heading = Text(f"{TASKS[task].zh} {item_set} {split}", f"{TASKS[task].short} {item_set} {split}")
        lines.append(Row((heading, *(None for _ in columns[1:])), "group"))
        for row in rows:
            if (row["task"], row["set"], row["split"]) == (task, item_set, split):
                about = {"model": row["model"], "task": task, "set": item_set, "split": split}
                lines.append(Row(_line(row, scores or {}), about=about))
    yield Sheet(
        "contamination",
        Text("读过测试数据的迹象，按文件列出", "Signs of having been read, file by file"),
        columns,
        tuple(lines),
        (*_sentences(rows), *_references(rows), _LEGEND),
    )


def _line(row: Entry, scores: Mapping[tuple[str, ...], Any]) -> tuple[Any, ...]:
    name = _TESTS["minkpp" if row["figures"].get("minkpp") is not None else row["test"]]
    form = _form(row)
    score = scores.get((row["model"], row["task"], row["set"], row["split"]))
    return (
        row["model"],
        Text(name.zh + form.zh, name.en + form.en),
        row["n"],
        _number(row, row["value"]),
        _number(row, row["expected"]),
        _p(row["p"]),
        _p(row["p_holm"]),
        _score(*score) if score else None,
        _said(row),
    )


def _form(row: Entry) -> Text:
    """How the model was shown the items, where that may differ between tests of the same kind."""
    in_prompt = row["form"] == "prompt" and row["test"] == "mink"
    return Text(" 提示词", " prompt") if in_prompt else Text("", "")


def _number(row: Entry, value: float | None) -> str:
    if value is None:
        return "–"
    if row["test"] in ("mink", "names"):
        return f"{value:.3f}"
    return f"{100 * value:.1f} %"


def _p(value: float | None) -> str:
    return "–" if value is None else "< 0.0001" if value < 1e-4 else f"{value:.4f}"


def _score(name: str, metric: Entry, *marks: str) -> str:
    row, value = metric_named(name), metric["value"]
    figure = "–" if value is None else f"{100 * value:.1f}" if row.percent else f"{value:.2f}"
    return " ".join([row.heading.removesuffix(" %"), figure, *marks])


def _said(row: Entry) -> Text:
    """What the test says of the file, in short."""
    if row["p"] is None:
        return _SHORT.get(row["why"], Text(row["why"], row["why"]))
    return Text("有迹象", "a sign") if _is_sign(row) else Text("未见迹象", "no sign")


def _is_sign(row: Entry) -> bool:
    return row["p_holm"] is not None and row["p_holm"] < LEVEL


def _sentences(rows: Sequence[Entry]) -> Iterator[Text]:
    """The signs in words, then why some tests are not judged, and what no sign means."""
    for row in rows:
        words, form = _SIGN[row["test"]], _form(row)
        where = f"{row['set']} {row['split']}"
        zh = f"{row['model']}，{TASKS[row['task']].zh} {where}{form.zh and '（按提示词的形式）'}"
        en = f"{row['model']}, {TASKS[row['task']].short} {where}{form.en and ', in our' + form.en}"
        near = int(row["figures"].get("near") or 0)
        if _is_sign(row):
            p = _p(row["p_holm"])
            share, is_ = _number(row, row["value"]), "" if p.startswith("<") else "= "
            yield Text(
                f"{zh}：{words.zh.format(share=share)}，这种结果不大可能出现（校正后 p {is_}{p}）",
                f"{en}: {words.en.format(share=share, unlikely=f'unlikely (corrected p {is_}{p})')}",
            )
        if near:
            beyond, n = int(row["figures"].get("near control") or 0), row["n"]
            yield Text(
                f"{zh}：{n} 条中有 {near} 条续写与原文几乎逐字相同（对照中 {beyond} 条）；原文列在 contamination.json 中，请自行核对",
                f"{en}: {near} of {n} second halves are written nearly word for word ({beyond} of the control items'); contamination.json lists them, for reading",
            )
    for why in dict.fromkeys(row["why"] for row in rows if row["p"] is None):
        if why in _WHY:
            yield _WHY[why]
    if any(row["p"] is not None and not _is_sign(row) for row in rows):
        yield Text("未见迹象，不等于没有读过", "no sign does not prove that a file was never read")


def _references(rows: Sequence[Entry]) -> list[Text]:
    """The reference models, and where the published form is likelier for them, too."""
    notes = []
    for name in dict.fromkeys(row["reference"]["name"] for row in rows if row["reference"]):
        theirs = [row["reference"]["p"] for row in rows if row["reference"] and row["reference"]["name"] == name]
        theirs = [p for p in theirs if p is not None]
        small = sum(p < LEVEL for p in theirs)
        notes.append(
            Text(
                f"检验的是与 {name} 之差；{name} 单独的 {len(theirs)} 个检验中有 {small} 个 p < 0.05",
                f"tested is the difference from {name}; of its own {len(theirs)} tests {small} have p < 0.05",
            )
        )
    return notes
