"""The stages of the reader one by one, the statuses, the modes, and the positions in the raw reply."""

from __future__ import annotations

import pytest

from evalsuite.parse import Choices, parse_option, parse_options, parse_span
from evalsuite.parse.chars import fold, key, lower
from evalsuite.parse.lexicon import same_meaning
from evalsuite.parse.mentions import grouped, is_slip, label_core, mentions, prepare
from evalsuite.parse.read import reply_blocks
from evalsuite.parse.strip import blocks, quotations, strip
from evalsuite.parse.tape import cues
from evalsuite.types import Status

FILM = {"(a)": "科幻片", "(b)": "恐怖片", "(c)": "喜剧片"}


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("<think>a</think>b", "b"),
        ("a</think>b", "b"),
        ("<think>a", ""),
        ("**b**", "b"),
        ("\\boxed{\\text{b}}", "\ue001b\ue002"),
        ("<answer>b</answer>", "\ue001b\ue002"),
        ("b</s>", "b\ue000"),
        ("②", "(2)"),
        ("2️⃣", "(2)"),
        ("應選（Ｂ）", "应选(B)"),
        ("~~a~~ b", " b"),
        ("{{b}}", "{{b}}"),
        ("a\u200bb", "ab"),
    ],
)
def test_markup_and_thinking_are_stripped(raw: str, clean: str) -> None:
    assert strip(raw).text == clean


def test_places_lead_back_to_the_raw_reply() -> None:
    raw = "<think>选a</think>\n**答案：** ② 恐怖片"
    clean = strip(raw)
    start = clean.text.index("(2)")
    assert raw[slice(*clean.raw_span(start, start + 3))] == "②"
    answer = parse_option(raw, {"①": "科幻片", "②": "恐怖片"})
    assert answer.choice == 1
    assert answer.start is not None
    assert raw[answer.start : answer.end] == answer.text == "② 恐怖片"


def test_the_place_of_a_tag_is_the_whole_tag() -> None:
    raw = "<result>C</result>"
    clean = strip(raw)
    assert clean.raw_span(0, len(clean.text)) == (0, len(raw))


def test_characters_without_meaning_are_blanks() -> None:
    """Private-use characters stand for markup inside the reader, so those of a reply must not; surrogates are no text."""
    assert fold("\ue000\ue002\ud800\udfff") == "    "
    assert parse_option("b\ue000不对，选a", FILM).choice == 0  # no new turn: the correction counts


def test_fold_changes_each_character_once() -> None:
    # The superscript minus becomes a minus sign, and a minus sign becomes a hyphen.
    assert fold("\u207b\u2212") == "\u2212-"
    assert fold("\u2212\u207b" + "".join(map(chr, range(0xFF01, 0xFF5F)))) == "-\u2212" + "".join(
        map(chr, range(0x21, 0x7F))
    )


def test_fold_keeps_length() -> None:
    for text in ("ＡＢ①㍿ﬁ…㈠İ", "選項", "\r\n\t"):
        assert len(fold(text)) == len(text)
    assert key("票房，口碑 都爆棚！") == "票房口碑都爆棚"


@pytest.mark.parametrize(
    ("label", "core"),
    [("(a)", "a"), ("Ａ.", "a"), ("①", "1"), ("(12)", "12"), ("甲、", "甲"), ("选项B", "b"), ("(01)", "1")],
)
def test_a_label_has_its_core(label: str, core: str) -> None:
    assert label_core(label) == core


@pytest.mark.parametrize(
    ("text", "option", "slip"),
    [
        ("偷税露税", "偷税漏税", True),
        ("靠自己走两三小时到学校", "靠自己走两三个小时到学校", True),
        ("2018年", "2019年", False),
        ("不喜欢足球", "喜欢足球", False),
        ("悲剧片", "喜剧片", False),
        ("喜剧", "喜剧片", True),
        ("时间", "空间", False),
        ("增加了节奏", "减加了节奏", False),
        ("后续事", "后续事件", True),
    ],
)
def test_a_slip_is_told_from_another_text(text: str, option: str, slip: bool) -> None:
    assert is_slip(text, option) is slip


def test_synonyms_need_one_option() -> None:
    assert same_meaning("搞笑片", ["科幻片", "喜剧片"]) == 1
    assert same_meaning("搞笑片", ["喜剧片", "comedy"]) is None
    assert same_meaning("因果关系", ["原因", "后果"]) is None


def test_mentions_are_found_and_grouped() -> None:
    options = prepare({"(a)": "WCBA", "(b)": "NBA", "(c)": "CBA"})

    def options_in(text: str) -> list[int]:
        return [m.option for m in mentions(text, text.lower(), options)]

    assert options_in("填CBA，不是NBA") == [2, 1]
    assert options_in("A股和维生素C") == []
    text = fold("a和c，或者b")
    assert [g.options for g in grouped(mentions(text, text, options), text)] == [(0, 2, 1)]


def test_cues_take_the_longest_word() -> None:
    assert [kind for kind, _, _ in cues("所以不是")] == ["F", "X"]
    assert [kind for kind, _, _ in cues("对话")] == []


def tape(reply: str, options: dict[str, str]) -> str:
    """The tape of a reply's first block."""
    clean = strip(reply)
    return reply_blocks(clean.text, prepare(options)).tape(blocks(lower(clean.text))[0]).tokens


@pytest.mark.parametrize(
    ("reply", "tokens"),
    [
        ("因此，正确的选项是(b)。", "!F,S=M."),
        ("选项：\n(a)科幻片\n(b)恐怖片", "!p:^M/M"),
        ("B: 我觉得是恐怖片吧", "!@'o=T"),
        ("“我不敢看恐怖片”，这是她说的", "!_m,'=_"),
        ("- a和b都可能", "!bGBy"),
        ("第二个", "!Q"),
    ],
)
def test_a_reply_becomes_a_tape(reply: str, tokens: str) -> None:
    assert tape(reply, FILM) == tokens


def test_a_reply_has_blocks_and_quotations() -> None:
    text = fold("b\n问题：下一题\n答：c")
    assert [(text[b.start : b.end].strip(), b.echo) for b in blocks(text)] == [
        ("b", False),
        ("问题:下一题", True),
        ("答:c", False),
    ]
    assert quotations("B说“我选a”。") == [(2, 7)]
    assert quotations("“b”") == []


@pytest.mark.parametrize(
    ("output", "finish", "status"),
    [
        ("", "stop", Status.EMPTY),
        ("<s></s>\n", "stop", Status.EMPTY),
        ("<think>想", "length", Status.TRUNCATED),
        ("<think>想", "stop", Status.UNPARSED),
        ("正确的选项是", "length", Status.TRUNCATED),
        ("正确的选项是", "stop", Status.UNPARSED),
        ("因为B说害怕，所以", "length", Status.TRUNCATED),
        ("b\n因为", "length", Status.PARSED),
        ("抱歉，我无法回答。", "stop", Status.REFUSED),
        ("信息不足。", "stop", Status.REFUSED),
        ("抱歉，我无法回答。\n\n问题：下一题\n答：b", "stop", Status.REFUSED),
        ("以上都不对。\n\n问题：下一题\n答：b", "stop", Status.UNPARSED),
        ("(e)", "stop", Status.UNPARSED),
        ("a和c", "stop", Status.SEVERAL),
        ("选bc，这两个都符合。", "stop", Status.SEVERAL),
        ("a: 40%, b: 40%", "stop", Status.SEVERAL),
        ("(a)恐怖片", "stop", Status.CONFLICT),
        ("d\n所以，关系是(a)恐怖片。", "stop", Status.CONFLICT),
        ("b", "stop", Status.PARSED),
    ],
)
def test_each_reply_has_its_status(output: str, finish: str, status: Status) -> None:
    assert parse_option(output, FILM, finish=finish).status is status


PREMISE = {"(a)": "premise", "(b)": "cause"}


@pytest.mark.parametrize("output", ["a", "A", "(a)", "(A)", "a)", "A)", "(a)premise", "(a) premise", "premise", " a\n"])
def test_paper_counts_its_forms(output: str) -> None:
    answer = parse_option(output, PREMISE, mode="paper")
    assert (answer.status, answer.choice, answer.text) == (Status.PARSED, 0, output.strip())


@pytest.mark.parametrize(
    "output", ["a.", "The answer is a.", "（a）", "**a**", "(a)cause", "Premise", "a premise", "答案：a"]
)
def test_paper_counts_nothing_else(output: str) -> None:
    assert parse_option(output, PREMISE, mode="paper").choice is None


@pytest.mark.parametrize(
    ("output", "choice"),
    [
        ("**b**", 1),
        ("（ｂ）", 1),
        ("(b) 恐怖片。", 1),
        ("恐怖片", 1),
        ("答案是b", None),
        ("b，因为", None),
        ("(b)科幻片", None),
    ],
)
def test_strict_takes_a_label_or_a_text_that_stands_alone(output: str, choice: int | None) -> None:
    assert parse_option(output, FILM, mode="strict").choice == choice


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="mode"):
        parse_option("a", FILM, mode="lenient")


@pytest.mark.parametrize(
    ("output", "chosen"),
    [
        ("a", (0,)),
        ("a和c", (0, 2)),
        ("ac", (0, 2)),
        ('["a","c"]', (0, 2)),
        ("选a、b、c", (0, 1, 2)),
        ("以上选项都正确", (0, 1, 2)),
        ("a错误，b和c正确", (1, 2)),
        ("科幻片和喜剧片", (0, 2)),
        ("我选a。更正：选b和c。", (1, 2)),
        ("我不知道", ()),
        ("", ()),
    ],
)
def test_several_answers_are_read_as_a_set(output: str, chosen: tuple[int, ...]) -> None:
    answer = parse_options(output, FILM)
    assert isinstance(answer, Choices)
    assert answer.choices == chosen
    assert (answer.status is Status.PARSED) == bool(chosen)


def test_filled_in_mask_needs_no_speaker_with_the_dialogue() -> None:
    dialogue = ["A: 最近真在上映呢，但是我很少看[MASK]。", "B: 我也是很少看的。"]
    assert parse_option("但是我很少看恐怖片。", FILM, dialogue=dialogue).choice == 1
    assert parse_option("但是我很少看电影。", FILM, dialogue=dialogue).choice is None


def test_span_is_verbatim() -> None:
    raw = "<think>…</think>**答案**：「羽絨服」。"
    answer = parse_span(raw)
    assert answer.text == "羽絨服"
    assert raw[answer.start : answer.end] == "羽絨服"


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Sorry is the hardest word", "Sorry is the hardest word"),
        ("soap and water", "soap and water"),
        ("overallsize", "overallsize"),
        ("So, soap and water", "soap and water"),
        ("Thus he left", "he left"),
        ("所以a没来", "a没来"),
    ],
)
def test_a_lead_is_a_word_not_the_beginning_of_one(text: str, rest: str) -> None:
    assert parse_span(text).text == rest


@pytest.mark.parametrize("thought", ["", "<think>好</think>", "<think>" + "选a。" * 3000 + "</think>"])
def test_head_and_tail_of_a_long_reply_are_read(thought: str) -> None:
    weather = "今天天气" * 1500
    assert parse_option(f"{thought}{weather}\n答案：b", FILM).choice == 1
    assert parse_option(f"{thought}答案：b\n{weather}", FILM).choice == 1


@pytest.mark.parametrize(("finish", "status"), [("length", Status.TRUNCATED), ("content_filter", Status.UNPARSED)])
def test_only_the_finish_length_is_cut_off(finish: str, status: Status) -> None:
    assert parse_span("好的", question="导致事件“x开心”的原因是什么？", finish=finish).status is status
    assert parse_option("好的", FILM, finish=finish).status is status


@pytest.mark.parametrize(
    ("lead", "end", "choice"),
    [
        ("好的，", "答案：B", 1),
        ("好的，", "综上，选恐怖片", 1),
        ("Okay, ", "So the correct option is B", 1),
        ("好的，答案是B。", "另外他们还谈到", 1),
        ("好的，我先看对话。可能是B。", "不过他们还谈到", None),
        ("Okay, maybe it is B. ", "But then they talk about", None),
    ],
)
def test_a_long_reply_that_begins_as_a_monologue_is_thinking_only_if_it_is_cut_off(
    lead: str, end: str, choice: int | None
) -> None:
    reply = lead + "这里提到他害怕黑暗，那部影片让人做噩梦。" * 110 + end
    assert parse_option(reply, {"A": "科幻片", "B": "恐怖片", "C": "喜剧片"}).choice == choice
