"""`evalsuite show RUN --item ID`: the item as a chat, and its record in every cell that asked it.

No information is in colour alone. Long texts are cut in the middle. Replies have frames, so that a reply cannot imitate
the verdict printed below it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from rich.box import ROUNDED, SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text as Styled

from evalsuite.analyses.items import ItemRecords, chosen, golds, option_shares, outcome
from evalsuite.benchmarks.registry import TASKS, benchmark_of
from evalsuite.cli.tables.terminal import in_terminal_language
from evalsuite.common.language import chinese
from evalsuite.common.numbers import fixed
from evalsuite.common.terminal import one_line, safe
from evalsuite.results.records import entry_name
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.schema.record import OpinionFields, RecordFields, SecondFields
from evalsuite.results.tokens import reply_tokens
from evalsuite.results.words import outcome_words, set_title, split_words

MOST = 2000  # characters: longer replies are cut to the beginning, the end and the answer that was read
OTHER = 600  # characters: the limit of a turn, an option or a reason
PROMPT = (2, 3)  # lines shown of a prompt: at its beginning and at its end
LINE = 160  # the most characters shown of a line of a prompt
CELLS = 40  # the most cells shown without --all
LEFT, RIGHT = "⟦", "⟧"  # brackets around the answer that was read
# Outcome -> the mark before it and its colour.
_MARKS = {"right": ("✓", "green"), "partial": ("◐", "yellow"), "wrong": ("✗", "red")}
_TURN = re.compile(r"\s*([^:：\s]{1,12})[:：]\s?(.*)", re.DOTALL)  # speaker and words of a turn: "A: 你好。"


def _words(zh: str, en: str) -> str:
    return zh if chinese() else en


def evidence_tables(name: str, entries: Sequence[ItemRecords], prompt: bool, full: bool) -> Iterator[RenderableType]:
    """Each form of the item (perturbations change it), followed by the cells that asked it in this form."""
    forms: dict[str, list[tuple[ItemRecords, RecordFields]]] = {}
    for entry in entries:
        for record in entry.records:
            shape = json.dumps([record[k] for k in ("dialogue", "question", "labels", "options", "references")])
            forms.setdefault(shape, []).append((entry, record))
    yield Styled(one_line(name), style="bold")
    ways, models = len({_way(entry.cell) for entry in entries}), len({entry.cell.model for entry in entries})
    en = f"asked in {_many(ways, 'way')}, of {_many(models, 'model')}"
    yield Styled(_words(f"{models} 个模型，共 {ways} 种问法", en), style="dim")
    for n, cells in enumerate(forms.values(), 1):
        if len(forms) > 1:
            yield Rule(
                Styled(_words(f"题目形式 {n}/{len(forms)}", f"form {n} of {len(forms)}"), style="bold"), characters="━"
            )
        yield from _item(cells, full)
        above = None
        for entry, record in cells:
            yield from _cell(entry, record, above, prompt, full)
            above = (record.get("prompt"), record.get("messages"))


def _many(count: int, noun: str) -> str:
    return f"one {noun}" if count == 1 else f"{count} {noun}s"


def snippets(cell: CellResult, record: RecordFields) -> Styled:
    """One line of `show --list`: outcome, item, cell, and the beginning of the reply."""
    mark, style = _MARKS.get(came := outcome(record), ("·", "yellow"))
    number = entry_name(record).removeprefix(record["item"])
    text = Styled(f"{mark} {one_line(came, 9):9} ", style=style)
    text.append(f"{one_line(record['item'])}{number}", style="bold")
    text.append(f"  {one_line(cell.model, 40)} {_way(cell)}  ", style="dim")
    beginning = record.get("reply") or record.get("error") or record["answer"].get("text") or ""
    return text.append(one_line(str(beginning)[:60]))


def _way(cell: CellResult) -> str:
    coordinates = [x for x in (cell.scoring, cell.perturb) if x not in ("generate", "none")]
    return one_line(" ".join([cell.variant, f"{cell.shots}-shot", *coordinates]))


def _item(cells: Sequence[tuple[ItemRecords, RecordFields]], full: bool) -> Iterator[RenderableType]:
    entry, record = cells[0]
    task = TASKS[entry.cell.task]
    title = _words(task.zh, f"{task.en} · {task.zh}")
    item_set = set_title(benchmark_of(entry.cell.task), entry.cell.set)
    where = _words(f"{item_set.zh}，{split_words(entry.cell.split).zh}", f"{item_set.en}, {entry.cell.split}")
    yield Styled(f"\n{title} · {where}\n", style="bold")
    yield from _chat(record["dialogue"], record["references"] if task.kind.quoted else [], full)
    yield Styled("")
    yield Styled.assemble((_words("问题  ", "question  "), "dim"), _cut(record["question"], OTHER, full))
    if record["options"] and task.kind.written:  # a probe's options are in its table of losses
        yield Styled("")
        yield _options(cells, full)
    else:
        for reference in record["references"]:
            yield Styled.assemble((_words("✓ 正确答案  ", "✓ gold    "), "green"), _cut(reference, OTHER, full))


def _chat(turns: Sequence[str], spans: Sequence[str], full: bool) -> Iterator[RenderableType]:
    """The turns of a dialogue with their speakers' names; speakers after the first are indented."""
    spoken = [match.groups() if (match := _TURN.fullmatch(turn)) else ("", turn) for turn in turns]
    for who, words in spoken:
        first = who == spoken[0][0]
        name = Styled(f"{one_line(who)} {'▏' if first else '▎'} ", style="bold cyan" if first else "bold magenta")
        shown = _cut(words, OTHER, full)
        shown.highlight_words(["[MASK]", *map(safe, filter(None, spans))], "bold reverse")
        # Speaker and turn are two cells: in one text, a turn that is longer than the line and has no blank would begin below its
        # speaker.
        turn = Table.grid()
        turn.add_column(no_wrap=True)
        turn.add_row(name, shown)
        yield Padding(turn, (0, 0 if not first else 12, 0, 0 if first else 12))


def _options(cells: Sequence[tuple[ItemRecords, RecordFields]], full: bool) -> Table:
    """A table of the options, with a mark for gold and the models that chose each."""
    record = cells[0][1]
    table = Table.grid(padding=(0, 2))
    for n, option in enumerate(record["options"]):
        gold = record["labels"][n] in golds(record)
        chose = dict.fromkeys(one_line(a.cell.model, 40) for a, r in cells if n in chosen(r))
        table.add_row(
            Styled(safe(record["labels"][n]), style="bold"),
            _cut(option, OTHER, full),
            Styled(_words("✓ 正确答案", "✓ gold") if gold else "", style="green"),
            Styled(f"● {', '.join(chose)}" if chose else ""),
        )
    return table


def _cell(
    entry: ItemRecords, record: RecordFields, above: object, prompt: bool, full: bool
) -> Iterator[RenderableType]:
    numbered = ((_words("轮换", "rotation"), record.get("rotation")), (_words("采样", "sample"), record.get("sample")))
    turned = "".join(f" · {word} {number}" for word, number in numbered if number)
    title = Styled(f"{one_line(entry.cell.model, 60)} · {_way(entry.cell)}{turned}", style="bold")
    yield Styled("")
    yield Rule(title, align="left")
    yield _facts(record, full)
    if (error := record.get("error")) is not None:
        yield _frame(_words("没有回复：请求失败", "no reply: the request failed"), _cut(error, MOST, full))
    elif record.get("likelihoods"):
        yield (_losses if record.get("pairs") else _likelihoods)(record, full)
    else:
        yield _frame(_words("回复", "reply"), _reply(record, full))
    if reasoning := record.get("reasoning"):
        yield _frame(_words("思考过程", "reasoning"), _cut(reasoning, MOST, full))
    if not record.get("pairs"):  # a probe's pairs are its prompt
        same = (record.get("prompt"), record.get("messages")) == above
        above_too = Styled(_words("提示词   同上", "prompt   as above"), style="dim")
        yield above_too if same else _frame(_words("提示词", "prompt"), _prompt(_asked(record), prompt))
    for opinion in entry.judged:
        if opinion.get("rotation", 0) == record.get("rotation", 0) and not record.get("sample"):
            yield _opinion(opinion, full)
    for reading in entry.second:
        if entry_name(reading) == entry_name(record):
            yield _second(reading, prompt)


def _tokens(record: RecordFields) -> str:
    spent = reply_tokens(record)
    about, about_zh = ("about ", "约 ") if spent.guessed else ("", "")
    thinking = f", {about}{spent.thinking} of them thinking" if spent.thinking else ""
    thinking_zh = f"（其中思考{about_zh or ' '}{spent.thinking}）" if spent.thinking else ""
    zh = f"生成 {spent.new}{thinking_zh}；提示词 {spent.prompt}"
    return _words(zh, f"{spent.new} generated{thinking}; {spent.prompt} of the prompt")


def _facts(record: RecordFields, full: bool) -> Table:
    answer, came = record["answer"], outcome(record)
    mark, style = _MARKS.get(came, ("·", "yellow"))
    read = came in _MARKS
    options = [f"{record['labels'][n]} {record['options'][n]}" for n in chosen(record) if n < len(record["options"])]
    answer_text = "\n● ".join(options) if options else answer.get("text")
    shots = record.get("shots") or []
    lost = record.get("asked_shots", len(shots)) - len(shots)
    became = in_terminal_language(outcome_words(came))
    parsed = _words("已解析，", "parsed, ") if read else ""
    more = _words(f"另有 {lost} 个放不下", f"{lost} more did not fit")
    rows = [
        (_words("状态", "status"), Styled(f"{mark} {parsed}{one_line(became)}", style=style)),
        (
            _words("解析结果", "read as"),
            _cut(f"● {answer_text}", OTHER, full) if read and answer_text is not None else None,
        ),
        (_words("规则", "rule"), Styled(one_line(answer.get("rule") or "–"))),
        (
            _words("得分", "scores"),
            Styled(" · ".join(f"{one_line(k)} {v:.3f}" for k, v in record["scores"].items()) or _words("无", "none")),
        ),
        (_words("结束原因", "finish"), Styled(one_line(str(record.get("finish"))))),
        (_words("词元", "tokens"), Styled(_tokens(record)) if record.get("new_tokens") else None),
        (_words("格式约束", "pattern"), _cut(record["pattern"], OTHER, full) if record.get("pattern") else None),
        (
            _words("示例", "shots"),
            Styled("\n".join(map(one_line, shots)) + (f"\n{more}" if lost else "")) if shots or lost else None,
        ),
    ]
    table = Table.grid(padding=(0, 2))
    for head, text in rows:
        if text is not None:
            table.add_row(Styled(head, style="dim"), text)
    return table


def _reply(record: RecordFields, full: bool) -> Styled:
    """The raw reply with the answer in brackets. A long reply is cut to its beginning, its end and the answer's surroundings."""
    reply, answer = record.get("reply") or "", record["answer"]
    start, end = answer.get("start"), answer.get("end")
    if not reply:
        return Styled(_words("（空）", "(nothing)"), style="dim")
    if start is None or end is None or not 0 <= start <= end <= len(reply):
        return _cut(reply, MOST, full)
    length = MOST // 4
    keep = [
        (0, length),
        (start - length // 2, min(end, start + length)),
        (max(start, end - length), end + length // 2),
        (len(reply) - length, len(reply)),
    ]
    if full or len(reply) <= MOST:
        keep = [(0, len(reply))]
    text, at = Styled(), 0
    for low, high in sorted(keep):
        low, high = max(low, at), min(high, len(reply))
        if low >= high and not (start == end == low):
            continue
        if low > at:
            text.append_text(_left_out(low - at))
        # Brackets in the reply itself are escaped, so that there is one pair.
        for a, b, inside in (
            (low, min(high, start), False),
            (max(low, start), min(high, end), True),
            (max(low, end), high, False),
        ):
            if inside and (a < b or start == end):
                text.append(LEFT if a == start else "", style="bold")
                text.append(_plain(reply[a:b]), style="bold reverse")
                text.append(RIGHT if b == end else "", style="bold")
            elif a < b:
                text.append(_plain(reply[a:b]))
        at = high
    return text


def _plain(text: str) -> str:
    return safe(text).replace(LEFT, f"U+{ord(LEFT):04X}").replace(RIGHT, f"U+{ord(RIGHT):04X}")


def _asked(record: RecordFields) -> str:
    """The prompt, or the chat turns."""
    if turns := record.get("messages"):
        return "\n\n".join(f"[{m['role']}]\n{m['content']}" for m in turns)
    return str(record.get("prompt") or "")


def _prompt(prompt: str, all_lines: bool) -> Styled:
    if all_lines:
        return Styled(safe(prompt))
    lines = prompt.split("\n")
    first, last = PROMPT
    left_out = len(lines) - first - last
    if left_out <= 1:  # the note that replaces the lines left out takes a line itself
        left_out = 0
    shown = [_cut(x, LINE, False, "--whole-prompt") for x in (lines if not left_out else lines[:first] + lines[-last:])]
    if left_out:
        shown.insert(first, Styled(_cut_words(left_out, "行", "lines", "--whole-prompt").strip(), style="italic"))
    return Styled("\n").join(shown)


def _likelihoods(record: RecordFields, full: bool) -> Table:
    texts = record.get("finish") == "texts"
    title = _words("没有生成文本：各选项的概率", "nothing was written: how likely each option was")
    table = Table(title=Styled(title), title_justify="left", box=SIMPLE_HEAD)
    table.add_column(_words("选项", "option"))
    of_text = (_words("词元", "tokens"), _words("log p\n/词元", "log p\n/token"), _words("先验", "prior"))
    for head in (_words("选项间\n占比", "share of\noptions"), "log p", *(of_text if texts else ())):
        table.add_column(head, justify="right")
    table.add_column("")
    likelihoods = record.get("likelihoods") or []
    for n, (x, share) in enumerate(zip(likelihoods, option_shares(likelihoods), strict=True)):
        numbers = [_number(None if share is None else 100 * share, "%"), _number(x["logprob"])]
        if texts:
            numbers += [str(x["tokens"]), _number(x["logprob"] / max(1, x["tokens"])), _number(x["prior"])]
        gold = _words("✓ 正确答案", "✓ gold") if record["labels"][n] in golds(record) else ""
        chose = _words("● 所选", "● chosen") if n in chosen(record) else ""
        option = _cut(f"{record['labels'][n]} {record['options'][n]}", OTHER, full)
        table.add_row(option, *numbers, Styled("  ".join(filter(None, (gold, chose)))))
    return table


def _losses(record: RecordFields, full: bool) -> Table:
    """Table of a probe: each context with its target, and the target's loss in nats a token."""
    title = _words("没有生成文本：各目标的概率", "nothing was written: how likely each target was")
    table = Table(title=Styled(title), title_justify="left", box=SIMPLE_HEAD)
    table.add_column(_words("上文 ⟶ 目标", "context ⟶ target"))
    for head in (_words("词元", "tokens"), _words("nats\n/词元", "nats\n/token"), ""):
        table.add_column(head, justify="right")
    corruption = record["item"].rpartition(".")[2]
    for n, (context, target) in enumerate(record["pairs"]):
        pair = _cut(context, OTHER, full).append(" ⟶ ", style="bold").append_text(_cut(target, OTHER, full))
        x = (record["likelihoods"] or [])[n : n + 1]
        loss = -x[0]["logprob"] / max(1, x[0]["tokens"]) if x else None
        corrupted = _words(f"已破坏：{one_line(corruption)}", f"corrupted: {one_line(corruption)}")
        kind = corrupted if n else _words("✓ 原样", "✓ valid")
        marks = (kind, _words("● 概率较高", "● likelier") if n in chosen(record) else "")
        table.add_row(pair, str(x[0]["tokens"]) if x else "–", _number(loss), Styled("\n".join(filter(None, marks))))
    return table


def _number(value: float | None, unit: str = "") -> str:
    if value is None:
        return "–"
    return _words(f"{fixed(value, 1)}{unit}", f"{fixed(value, 1)} {unit}") if unit else fixed(value, 2)


def _opinion(opinion: OpinionFields, full: bool) -> Panel:
    scores = " · ".join(f"{one_line(k)} {v}" for k, v in (opinion.get("scores") or {}).items())
    text = Styled(f"{one_line(str(opinion.get('status')))}  {scores}", style="bold")
    if opinion.get("reasons"):
        text.append("\n").append_text(_cut(opinion["reasons"], OTHER, full))
    who = " · ".join(one_line(str(x), 40) for x in (opinion["judge"], opinion["rubric"], opinion["control"]))
    return _frame(_words(f"评审：{who}", f"judged by {who}"), text)


def _second(reading: SecondFields, prompt: bool) -> Panel:
    text = Styled(f"{one_line(reading['relation'] or reading['verdict'])}\n", style="bold")
    text.append_text(_cut(reading["reply"] or reading["error"] or _words("（空）", "(nothing)"), OTHER, False))
    text.append("\n\n").append_text(_prompt(reading["prompt"], prompt))
    reader, verdict = one_line(str(reading["reader"]), 40), one_line(str(reading["verdict"]))
    return _frame(_words(f"二次判读 {reader}：{verdict}", f"second reader {reader}: {verdict}"), text)


def _frame(title: str, text: Styled) -> Panel:
    text.stylize_before("not bold")
    return Panel(Group(text), title=Styled(title), title_align="left", box=ROUNDED, border_style="dim")


def _cut(text: str, most: int, full: bool, flag: str = "--full") -> Styled:
    """The text; if it is longer than `most` characters, its beginning, how much is left out, and its end."""
    text = str(text)
    if full or len(text) <= most:
        return Styled(safe(text))
    half = most // 2
    return Styled(safe(text[:half])).append_text(_left_out(len(text) - 2 * half, flag)).append(safe(text[-half:]))


def _left_out(count: int, flag: str = "--full") -> Styled:
    return Styled(_cut_words(count, "字", "characters", flag), style="italic")


def _cut_words(count: int, unit_zh: str, unit: str, flag: str) -> str:
    return _words(
        f" …（略去 {count:,} {unit_zh}，{flag} 显示全部）… ", f" … {count:,} {unit} left out; {flag} shows all … "
    )
