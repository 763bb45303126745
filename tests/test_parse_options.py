"""Sets of options: why there is none, and what is left of one cut off. What they are: fixtures/tables/sets.jsonl."""

from __future__ import annotations

import pytest
from labelled import choices, is_right

from evalsuite.parse import inturn, parse_option, parse_options, question
from evalsuite.types import Status

TEXTS = (
    "The speaker wants to buy a new phone.",
    "The speaker does not want a phone.",
    "The speaker's old phone was stolen.",
    "The listener sells cars.",
    "The speaker is hungry.",
)
DIGITS = dict(zip(("(0)", "(1)", "(2)", "(3)", "(4)"), TEXTS, strict=True))  # as the official input has them


@pytest.mark.parametrize(
    ("output", "status", "rule"),
    [
        ("I'm sorry, but I can't help with that.", Status.REFUSED, "declines"),
        ("None of the above.", Status.UNPARSED, "none"),
        ("0 and 9", Status.UNPARSED, "outside"),  # the reply cannot be right, and leaving 9 out would make it so
        ("", Status.EMPTY, "nothing"),
    ],
)
def test_why_there_is_no_answer(output: str, status: Status, rule: str) -> None:
    answer = parse_options(output, DIGITS)
    assert (answer.choices, answer.status, answer.rule) == ((), status, rule)


@pytest.mark.parametrize(
    ("output", "chosen"),
    [
        ("The answers are 0, 2", ()),  # a third may have been to come
        ("The answers are 0 and 2, because the speaker", (0, 2)),
    ],
)
def test_a_list_that_was_cut_off_is_no_answer(output: str, chosen: tuple[int, ...]) -> None:
    answer = parse_options(output, DIGITS, finish="length")
    assert answer.choices == chosen
    assert chosen or answer.status is Status.TRUNCATED


def test_of_two_options_with_one_text_the_first_is_read() -> None:
    twins = {"(0)": "It rains.", "(1)": "It snows.", "(2)": "It rains."}
    assert parse_options("It rains. It snows.", twins).choices == (0, 1)
    assert parse_options("(2)", twins).choices == (2,)


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("B：辛酉", 1), ("b: 辛酉", 1), ("B：丙辰", 1), ("B：", 1), ("B：乙酉", Status.CONFLICT),
        ("A：辛酉", 1), ("A：(C)", 2), ("A：让我们一步一步来思考。所以答案是(C)。", 2),  # the answer of "Q：…"
    ],
)  # fmt: skip
def test_a_letter_with_a_colon_is_a_label_where_nobody_speaks(reply: str, read: int | Status) -> None:
    options = {"(A)": "乙酉", "(B)": "辛酉", "(C)": "癸酉", "(D)": "丁亥"}
    for dialogue in ((), ("男：今年是哪一年？", "女：我算算。")):
        answer = parse_option(reply, options, dialogue=dialogue)
        assert (answer.choice if answer.status is Status.PARSED else answer.status) == read
        assert answer.start is None or answer.text == reply[answer.start : answer.end]
    spoken = parse_option("B：乙酉", options, dialogue=("A: 今年是哪一年？", "B: 我算算。"))
    assert spoken.choice == 0


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("- [x] A 过于绝对\n- [ ] B\n- [x] C\n- [ ] D", (0, 2)),
        (
            "| 选项 | 理由 | 是否排除 |\n|---|---|---|\n| A | 甲 | 否 |\n| B | 乙 | 是 |\n| C | 丙 | 否 |\n| D | 丁 | 是 |",
            (0, 2),
        ),
        (
            "| 选项 | 理由 | 是否错误 |\n|---|---|---|\n| A | 甲 | 是 |\n| B | 乙 | 否 |\n| C | 丙 | 是 |\n| D | 丁 | 否 |",
            (0, 2),
        ),
        ("C、D均可排除。", (0, 1)),
        ("C、D不能都排除。", ()),
        ("B与D都可以排除，其余两项我再想想。", ()),
        ("D首先可以排除。", ()),  # more of them may be right, and more wrong
        ("D是条文原意，其余三项都是。", (0, 1, 2)),
        ("选A。另外C也能从条文看出来。", (0, 2)),
        ("选A。另外C也没有错。", (0,)),
    ],
)
def test_which_options_are_ticked_left_or_added(reply: str, chosen: tuple[int, ...]) -> None:
    """A ticked box chooses what the question asks for, also where it asks for what is wrong."""
    options = {"A": "全部有效", "B": "可以附期限", "C": "一律无效", "D": "可以追认"}
    assert parse_options(reply, options, question="关于合同的效力，下列说法错误的有：").choices == chosen


@pytest.mark.parametrize(
    ("wrong", "reply", "chosen"),
    [
        (True, "A项错误：口头也有效。\nB项正确：数据电文。\nC项错误：可以追认。\nD项正确：可附条件。", (0, 2)),
        (True, "错误：A、C\n正确：B、D", (0, 2)),
        (True, "B项正确，不当选。故C项错误，当选。", (2,)),
        (False, "A选项：口头也有效，因此A错误。\nB选项：符合规定，因此B正确。\nD选项：符合规定，因此D正确。", (1, 3)),
        (False, "B选项：符合规定，B正确。\nD选项：有明文，D正确。\n\n因此B正确。", (1,)),
        (False, "B、书面合同可以采用邮件，B正确；\nD、可以附期限，D正确", (1, 3)),
        (False, "正确的说法：\n- B：数据电文，而A没有依据。\n- D：有明文", (1, 3)),
        (False, "答案是：\n\n- B\n- D\n\n解析：\n- A没有依据\n- C已追认", (1, 3)),
        (False, "Plausible:\n- B – by law.\n- D – by law.\n\nNot plausible:\n- A – by word.\n- C – later.", (1, 3)),
        (False, "A [ ]\nB [x]\nC [ ]\nD [x]", (1, 3)),
        (False, "A——属于\nB——不属于\nC——不属于\nD——属于", (0, 3)),
        (False, "选B。另外D也值得商榷。", (1,)),
        (False, "D项：符合第143条第二项。", (3,)),
    ],
)
def test_verdicts_judge_the_option_whose_item_they_stand_in(wrong: bool, reply: str, chosen: tuple[int, ...]) -> None:
    options = {"A": "口头一律无效", "B": "书面合同可以采用电子邮件", "C": "一律无效", "D": "可以附期限"}
    question = "关于合同的效力，下列说法" + ("错误的有：" if wrong else "正确的有：")
    assert parse_options(reply, options, question=question).choices == chosen


@pytest.mark.parametrize(
    ("question", "reply", "choice"),
    [
        ("两人是什么关系？", "A: 还没改完吗？\nB: 差两本。\nA: 对，明天发。", None),
        ("A: 还没改完吗？\nB: 差两本。\n两人是什么关系？", "B: 我去吃饭了。\n\n也就是选项A：同事。", 0),
        ("两人是什么关系？", "他在 B 站上看到的。", None),
        ("两人是什么关系？", "只有B站得住脚。", 1),
    ],
)
def test_letters_of_turns_and_of_a_site_are_no_labels(question: str, reply: str, choice: int | None) -> None:
    assert parse_option(reply, {"A": "同事", "B": "夫妻", "C": "师生"}, question=question).choice == choice


LAW = {"A": "当事人具有行为能力", "B": "经过公证", "C": "意思表示真实", "D": "不违背公序良俗"}


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        # The verdict stands anywhere before the next option.
        ("先看A，法条第一项有规定，吻合；再看B，法律没有要求，不吻合；然后看C，吻合；最后看D，也吻合。", (0, 2, 3)),
        ("A：第143条第（一）项有要求，选。B：公证不是必须的，不选。C：第（二）项，选。D：第（三）项，选。", (0, 2, 3)),
        (
            "### A\n- 分析：第143条\n- 结论：正确\n\n### B\n- 结论：错误\n\n### C\n- 结论：正确\n\n### D\n- 结论：正确",
            (0, 2, 3),
        ),
        ("A属于，B不属于，C属于，D属于。", (0, 2, 3)),
        ("A：合适吗？合适。B：合适吗？不合适。C：合适。D：合适。", (0, 2, 3)),
        # A conclusion of several options behind the verdicts counts.
        ("A对，B对，C对，D对。\n选ACD", (0, 2, 3)),
        # One option without a verdict, or with two that differ: nothing is concluded from the others.
        ("A对。B？C对。D对。", (0, 2, 3)),
        # Headings sort the options.
        ("可选的有：\nA 行为能力\nC 意思真实\nD 公序良俗\n不可选的有：\nB 公证", (0, 2, 3)),
        ("**正确选项**\n- A：法条\n- C：法条\n- D：法条\n\n**错误选项**\n- B：没有要求", (0, 2, 3)),
        # Labels in brackets behind words that are listed.
        (
            "The conditions are capacity (A), true intent (C) and public order (D); notarization (B) is not required.",
            (0, 2, 3),
        ),
        ("唯一不符合的是B。", (0, 2, 3)),
        ("B可以直接去掉，剩下的全选。", (0, 2, 3)),
        ("如果放宽标准，那么四个选项都说得通；如果收紧，又都差一点。", ()),
        ("**答案：A、C**\n\n（题外话：实务里也可以考虑D。）", (0, 2)),
        ("[x] A [ ] B [x] C [x] D", (0, 2, 3)),
        ("A [x] B [ ] C [x] D [x]", (0, 2, 3)),
        ("BD当选。", (1, 3)),
    ],
)
def test_options_are_judged_in_turn_or_sorted(reply: str, chosen: tuple[int, ...]) -> None:
    assert parse_options(reply, LAW, question="合同有效需要具备哪些条件？").choices == chosen


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("C和E不是，其余三个是。", (0, 1, 3)),  # the question's own predicate
        ("第一、第二和第四个是哺乳动物。", (0, 1, 3)),
        ("鲸、蝙蝠、海豚是哺乳动物。", (0, 1, 3)),
    ],
)
def test_verdicts_in_the_words_of_the_question(reply: str, chosen: tuple[int, ...]) -> None:
    options = {"A": "鲸", "B": "蝙蝠", "C": "企鹅", "D": "海豚", "E": "鳄鱼"}
    assert parse_options(reply, options, question="下列哪些是哺乳动物？").choices == chosen


def test_options_are_judged_in_turn_where_one_is_right() -> None:
    options = {"A": "堵车", "B": "起晚了", "C": "下雨", "D": "生病"}
    reply = "A：路上很顺，不可能堵车。B：闹钟没响，有可能。C：天气晴朗，没有下雨。D：身体很好，没有生病。"
    assert parse_option(reply, options, question="说话人为什么迟到？").choice == 1
    assert parse_option("A不成立；B不成立；C不成立；D也不成立。", options).choice is None


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("是恐怖片吗？不是。", None),
        ("那(b)呢？也不是，没有人害怕。", None),
        ("是(a)吗？不，是(b)。", 1),
        ("(a)科幻片\n**(b)恐怖片**\n(c)喜剧片", 1),
        ("```diff\n- a. 科幻片\n+ b. 恐怖片\n- c. 喜剧片\n```", 1),
        ("**(a)科幻片**\n**(b)恐怖片**\n(c)喜剧片", None),
        ("+ a. 科幻片\n+ b. 恐怖片\n+ c. 喜剧片", None),
        ("status=done prediction=B latency_ms=412", 1),
        ("【答案】c\n【易错提示】有考生便选恐怖片。", 2),
        ("应该是(b)。等等，如果是(b)的话，没有人会笑，可是", None),
    ],
)
def test_an_option_denied_after_a_question_doubted_or_marked_alone_in_the_list(reply: str, chosen: int | None) -> None:
    options = {"a": "科幻片", "b": "恐怖片", "c": "喜剧片"}
    assert parse_option(reply, options, question="他们看的是什么电影？").choice == chosen


@pytest.mark.parametrize(("reply", "chosen"), [("嗯，完全可信。", 0), ("不可信，他打篮球。", 1)])
def test_credible_says_yes(reply: str, chosen: int) -> None:
    assert parse_option(reply, {"A": "可信", "B": "不可信"}, question="这个句子可信吗？").choice == chosen


def test_a_text_said_with_other_words_between_is_the_options() -> None:
    options = {"A": "他去医院看病", "B": "他请假回家休息", "C": "他继续加班工作"}
    assert parse_option("他会请假，回家躺着休息。", options).choice == 1
    assert parse_option("他不会请假，也没有回家休息。", options).choice is None
    assert parse_option("他会请假回家休息吗？", options).choice is None


@pytest.mark.parametrize(("table", "entry"), [(t, e) for t in ("_OPPOSITES", "_NEGATIONS") for e in getattr(inturn, t)])
def test_a_labelled_reply_needs_each_pair_of_values(table: str, entry: object, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row for row in choices() if row["file"] == "tables/sets.jsonl" and is_right(row)]
    monkeypatch.setattr(inturn, table, tuple(other for other in getattr(inturn, table) if other != entry))
    assert not all(map(is_right, rows))


SLEEP = {"A": "睡前喝浓茶", "B": "固定起床时间", "C": "白天适量锻炼", "D": "躺着刷手机"}


@pytest.mark.parametrize(
    "reply",
    [
        "- 茶让人兴奋 👉 可行\n- 生物钟稳 👉 可行\n- 睡得沉 👉 可行\n- 蓝光 👉 可行",  # nothing is opposed
        "- 茶让人兴奋 👉 不可行\n- 生物钟稳 👉 可行\n- 睡得沉 👉 看情况\n- 蓝光 👉 不可行",  # one has neither value
        "- 茶让人兴奋 👉 不可行，否\n- 生物钟稳 👉 可行，否\n- 睡得沉 👉 可行，是\n- 蓝光 👉 不可行，否",  # two pairs
        "**睡前喝浓茶**不利于入睡。\n固定起床时间最有效。\n白天适量锻炼要看强度。\n躺着刷手机很常见。",  # nothing says what bold means
    ],
)
def test_values_and_type_that_decide_nothing(reply: str) -> None:
    assert parse_options(reply, SLEEP, question="下列做法有助于改善睡眠的有").choices == ()


def test_yes_and_no_are_no_verdicts_where_wrong_options_are_asked_for() -> None:
    """是 may say that the statement is true, or that it is to be chosen."""
    reply = "- 茶让人兴奋 👉 是\n- 生物钟稳 👉 否\n- 睡得沉 👉 否\n- 蓝光 👉 是"
    assert parse_options(reply, SLEEP, question="下列说法错误的有").choices == ()


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("正确：A\n错误：B、E", (0,)),
        ("Wrong: (a), (e)\nRight: (b)", (1,)),
        ("可以排除的选项：A、E\n保留的选项：B", (1,)),
    ],
)
def test_a_label_outside_the_list_is_no_verdict_on_an_option(reply: str, chosen: tuple[int, ...]) -> None:
    """As many labels are judged as there are options, but one option is not among them."""
    assert parse_options(reply, {"(a)": "科幻片", "(b)": "恐怖片", "(c)": "喜剧片"}).choices == chosen


@pytest.mark.parametrize("word", question._FIT.split("|"))
def test_a_question_for_what_does_not_fit_reverses_each_word_of_fitting(word: str) -> None:
    reply = f"A能{word}，B不能{word}，C能{word}，D不能{word}。"
    for asks, right in ((f"下列哪些做法不能{word}？", (1, 3)), (f"下列哪些做法能{word}？", (0, 2))):
        assert parse_options(reply, SLEEP, question=asks).choices == right


@pytest.mark.parametrize("word", question._KNOWN.split("|"))
def test_a_question_for_what_is_not_known_chooses_what_is_called_so_whatever_the_mark_beside_it(word: str) -> None:
    for known, unknown in (("", ""), (" ✅", " ❌"), (" ❌", " ✅")):
        reply = f"A：可以{word}{known}\nB：无法{word}{unknown}\nC：能{word}{known}\nD：不能{word}{unknown}"
        assert parse_options(reply, SLEEP, question=f"下列哪些做法无法从对话{word}？").choices == (1, 3)
    lead = f"由此可以{word}，答案是A、C。"
    assert parse_options(lead, SLEEP, question=f"下列哪些做法无法从对话{word}？").choices == (0, 2)


@pytest.mark.parametrize("word", question._UNFIT.split("|"))
def test_a_question_for_what_contradicts_chooses_what_is_called_so(word: str) -> None:
    reply = f"A与医生的话不{word}，B与医生的话{word}，C不{word}，D也{word}。"
    for asks, right in ((f"哪些做法与医生的话{word}？", (1, 3)), (f"哪些做法与医生的话不{word}？", (0, 2))):
        assert parse_options(reply, SLEEP, question=asks).choices == right


@pytest.mark.parametrize("word", question._FIT_ENGLISH.split("|"))
def test_the_same_in_english(word: str) -> None:
    reply = f"A: {word}\nB: not {word}\nC: {word}\nD: not {word}"
    assert parse_options(reply, SLEEP, question=f"Which of the options are not {word}?").choices == (1, 3)


@pytest.mark.parametrize("word", ["false", "wrong", "incorrect", "untrue"])
def test_the_false_one_is_the_answer_where_what_does_not_hold_is_asked_for(word: str) -> None:
    for noun in ("one", "statement"):
        reply = f"Statement B is the {word} {noun}. The others hold."
        assert parse_option(reply, SLEEP, question="Which one does NOT hold?").choice == 1


@pytest.mark.parametrize("word", question._UNFIT_ENGLISH.split("|"))
def test_a_question_for_what_is_unfit_in_english(word: str) -> None:
    reply = f"A: not {word}\nB: {word}\nC: not {word}\nD: {word}"
    assert parse_options(reply, SLEEP, question=f"Which of the options are {word} with the rest?").choices == (1, 3)


@pytest.mark.parametrize(
    "asks",
    [
        "下列哪项是两人矛盾的原因？",
        "哪些原因导致他们不可能和好？",
        "小王：这跟合同相矛盾。\n小李：我再看看。\n接下来可能发生哪些事？",
        "小王：你说的不正确。\n接下来可能做什么？",
        "与文中“供需矛盾突出”意思最接近的是：",
        "逐项判断正误（正确/错误）。",
        "Mark each option true or false.",
        "Which of them is the cause of the conflict?",
    ],
)
def test_a_question_that_only_holds_such_words_reverses_nothing(asks: str) -> None:
    assert parse_options(
        "A：合适，正确\nB：不合适，错误\nC：合适，正确\nD：不合适，错误", SLEEP, question=asks
    ).choices == (0, 2)
