"""Replies that reason before they answer: what a person takes for their answer, and where the reasoning ends."""

from __future__ import annotations

import pytest

from evalsuite.benchmarks.languages import reply_text
from evalsuite.parse import answer_part
from evalsuite.results.scoring import read_answer
from evalsuite.types import Answer, Item, Reading, Response, Status

ZH, EN = "答案：", "Answer: "
TALK = ("A: 天气越来越热了，买点羽绒服吧。", "B: 也是，这个天快热死人了。", "A: 那我们周末去商场。")
SHOP = ("A: The bus was late again .", "B: So you missed the interview ?", "A: Yes . I will take a taxi next time .")


def item(task: str, dialogue: tuple[str, ...], question: str, *options: str, first: str = "a") -> Item:
    labels = tuple(f"({chr(ord(first) + n)})" for n in range(len(options)))
    return Item("x/1", task, "easy", "test", dialogue, question, options, labels, 0 if options else None, ("x",))


FILM = item("knowledge_filling", TALK, "请选择填入[MASK]的词。", "科幻片", "恐怖片", "喜剧片")
SLOT = item("slot_identification", TALK, "短语1和短语2是什么关系？", "前提", "原因", "后果", "时间")
SPAN = item("conflict_detection", TALK, "请从对话中抽取出在常识上与对话上下文不符的文本。")
CAUSE = item("event_cause", TALK, "根据对话内容可以看出，导致事件“x很开心”的原因是什么？")
NEXT = item("subsequent_event", TALK, "根据对话内容可以看出，事件“连下三天大雨”导致的后续事件是什么？")
PICK = item(
    "cider_span_selection", SHOP, "What causes 'missed the interview'?", "a taxi", "the bus was late", "next time"
)
SETS = item(
    "cicero_all_answers", SHOP, "What is or could be the cause of target?", "The bus broke down.", "The speaker was ill.",
    "The traffic was heavy.", "The listener drove.", first="0",
)  # fmt: skip
WORDS = item("cider_span_extraction", SHOP, "What causes 'missed the interview'?")
WHY = item("cicero_cause", SHOP, "What is or could be the cause of target?\ntarget: So you missed the interview ?")

Row = tuple[Item, str, str | tuple[int, ...] | Status]

CHOICES_ZH: list[Row] = [
    # the line that was asked for
    (FILM, "对话里两人说要去看吓人的电影。\n答案：(b)", "(b)"),
    (FILM, "对话里两人说要去看吓人的电影。\n答案：b", "(b)"),
    (FILM, "对话里两人说要去看吓人的电影。\n\n答案: B", "(b)"),
    (FILM, "(a)科幻片讲未来，与“吓人”无关。\n(b)恐怖片让人害怕。\n(c)喜剧片让人笑。\n答案：(b) 恐怖片", "(b)"),
    (FILM, "首先，A说想看刺激的。其次，B胆子大。所以是恐怖片。\n答案：恐怖片", "(b)"),
    (FILM, "1. A提到晚上不敢睡。\n2. B说电影太吓人。\n3. 只有恐怖片会这样。\n\n答案：（b）", "(b)"),
    (FILM, "### 步骤一\n看上下文。\n### 步骤二\n排除(a)和(c)。\n\n### 答案\n(b)", "(b)"),
    (FILM, "**分析**：对话提到鬼。\n\n**答案：** (b)", "(b)"),
    (FILM, "**分析**：对话提到鬼。\n\n**答案**：(b)", "(b)"),
    (FILM, "**分析**：对话提到鬼。\n\n**答案：(b) 恐怖片**", "(b)"),
    (FILM, "对话提到鬼，应选与害怕有关的一项。\n【答案】(b)", "(b)"),
    (FILM, "【分析】对话提到鬼。\n【答案】\n(b)", "(b)"),
    (FILM, "对话提到鬼，选项(a)和(c)都不合适。\n最终答案：(b)", "(b)"),
    (FILM, "对话提到鬼，选项(a)和(c)都不合适。\n**最终答案：(b)。**", "(b)"),
    (FILM, "对话提到鬼，选项(a)和(c)都不合适。\n答案：\n(b)", "(b)"),
    (FILM, "对话提到鬼，选项(a)和(c)都不合适。\n答案：\n\n**(b) 恐怖片**", "(b)"),
    (FILM, "对话提到鬼，选项(a)和(c)都不合适。\n答案：选项(b)", "(b)"),
    (FILM, "对话提到鬼，选项(a)和(c)都不合适。\n答案：\\boxed{b}", "(b)"),
    (FILM, "对话提到鬼，选项(a)和(c)都不合适。\n答案：“(b)”", "(b)"),
    (FILM, "对话提到鬼。\n正确答案：(b)", "(b)"),
    (FILM, "对话提到鬼。\nAnswer: (b)", "(b)"),
    (FILM, "对话提到鬼。 答案：b。", "(b)"),
    (FILM, "对话提到鬼，所以答案：b", "(b)"),
    # several
    (FILM, "看到“未来”，先猜\n答案：(a)\n但后文说晚上不敢睡，这与科幻无关。\n答案：(b)", "(b)"),
    (FILM, "初步答案：(a)。再检查：后文说不敢睡，(a)不成立。\n最终答案：(b)", "(b)"),
    (FILM, "答案：(a)。不对，重新看一下，A说的是鬼，所以答案应该是(b)。", "(b)"),
    (FILM, "答案：(b)\n\n解释：A说晚上不敢睡，说明看的是恐怖片，而不是(a)科幻片。", "(b)"),
    (FILM, "晚上不敢睡。\n答案：(b)\n\n理由：(a)讲的是未来，(c)讲的是笑话，所以都不是。", "(b)"),
    (FILM, "晚上不敢睡。\n答案：(b)\n\n希望我的回答对你有帮助！", "(b)"),
    # the word used otherwise
    (FILM, "要找到答案，先看上下文。答案显然与“吓人”有关。\n答案：(b)", "(b)"),
    (FILM, "题目要求最后另起一行，以“答案：”开头，写出所选选项的编号。我先分析：A怕鬼。\n答案：(b)", "(b)"),
    (FILM, "A怕鬼，所以应选(b)。按要求，最后一行要以“答案：”开头，再写编号。\n\n答案：(b)", "(b)"),
    (FILM, "格式是“答案：X”。\n(a)与未来有关，不符；(c)不吓人。\n答案：(b)", "(b)"),
    (FILM, "答案是什么呢？我们一步一步看。(a)讲未来，(c)好笑，都不吓人。\n所以选(b)。", "(b)"),
    # no line of that kind
    (FILM, "A怕鬼，晚上不敢睡。综上，选B。", "(b)"),
    (FILM, "A怕鬼，晚上不敢睡。\n综上所述，正确答案是(b)。", "(b)"),
    (FILM, "A怕鬼，晚上不敢睡。因此，答案是恐怖片。", "(b)"),
    (FILM, "A怕鬼，晚上不敢睡。所以我选择(b)恐怖片。", "(b)"),
    (FILM, "首先，(a)不对。其次，(c)不对。因此，最合适的选项是 (b)。", "(b)"),
    (FILM, "A怕鬼。因此答案为：\n\n$\\boxed{b}$", "(b)"),
    (SLOT, "短语1发生在前，短语2由它引起，因此短语2是短语1的后果。\n所以，答案为(c)。", "(c)"),
    (
        SLOT,
        "步骤1：短语1是下雨。\n步骤2：短语2是没带伞。\n步骤3：两者之间的关系是因果，前者是后者的原因。\n答案：(b)原因",
        "(b)",
    ),
    (SLOT, "1. 前提：不成立。\n2. 原因：成立。\n3. 后果：不成立。\n4. 时间：不成立。\n\n答案：b", "(b)"),
    # thinking
    (
        FILM,
        "<think>题目要“答案：”开头。先想(a)：不对。答案：(a)？不，是(b)。</think>\n\n对话提到鬼。\n答案：(b)",
        "(b)",
    ),
    (FILM, "<think>\n答案：(a)\n</think>\n答案：(b)", "(b)"),
    (FILM, "先看(a)，不对。\n答案：(a)\n</think>\n\n对话提到鬼。\n\n答案：(b)", "(b)"),
    (FILM, "<think>\n应该是恐怖片，选b。\n</think>\n(b)", "(b)"),
    # run-on: a base model goes on with another question
    (
        FILM,
        "A怕鬼。\n答案：b\n\n下面是A和B两个人的一段对话。\n\nA: 你好。\nB: 看电影吗？\n\n(a) 东 (b) 西 (c) 南\n答案：c",
        "(b)",
    ),
    (FILM, "答案：b\n\n问题：请选择填入[MASK]的词。\n选项：(a) 东 (b) 西 (c) 南\n答案：a", "(b)"),
    (FILM, "A怕鬼。\n答案：b<|im_end|>\n<|im_start|>user\n再来一题。<|im_end|>\n<|im_start|>assistant\n答案：c", "(b)"),
    # no answer: all of it is thinking
    (FILM, "<think>\n先看(a)，再看(b)，应该是(b)。答案：(b)", Status.UNPARSED),
    (FILM, "对话没有说看的是什么电影。\n答案：无法确定", Status.REFUSED),
    (FILM, "(a)和(b)都说得通。\n答案：(a)和(b)", Status.SEVERAL),
    (FILM, "都不合适。\n答案：(e)", Status.UNPARSED),
    (FILM, "三个选项都不合适。\n答案：以上都不对", Status.UNPARSED),
    (FILM, "A怕鬼，晚上不敢睡，应该从吓人的电影里找。\n答案：", Status.UNPARSED),
    (FILM, "", Status.EMPTY),
]
CUT_ZH: list[Row] = [  # cut off at the token limit
    (FILM, "首先，我们看对话。A说天气很热，B说", Status.TRUNCATED),
    (FILM, "首先，我们看对话。A怕鬼，晚上不敢睡。\n答案：", Status.TRUNCATED),
    (FILM, "首先，我们看对话。A怕鬼，晚上不敢睡。\n\n**答案：", Status.TRUNCATED),
    (FILM, "A怕鬼，晚上不敢睡。\n答案：(b)\n\n解释：因为A提到了", "(b)"),
    (FILM, "<think>先看(a)，讲的是未来，答案：(a)", Status.TRUNCATED),
    (SPAN, "首先，A说天气越来越热，然后建议买羽绒服，这里", Status.TRUNCATED),
    (SPAN, "首先，A说天气越来越热，却要买羽绒服。\n答案：", Status.TRUNCATED),
    (SPAN, "首先，A说天气越来越热，却要买羽绒服。\n答案：羽绒服\n\n解释：天气热的时候人们", "羽绒服"),
    (CAUSE, "要找出答案，先看A说的话。A说自己瘦了。答案应该与减肥有关，因为", Status.TRUNCATED),
    (CAUSE, "首先，我们需要理解对话。A说瘦了很多，", Status.TRUNCATED),
    (CAUSE, "<think>x减肥成功了，所以开心。", Status.TRUNCATED),
]
TEXTS_ZH: list[Row] = [
    (SPAN, "天气热不会买羽绒服，所以这里矛盾。\n答案：羽绒服", "羽绒服"),
    (SPAN, "天气热不会买羽绒服，所以这里矛盾。\n答案：“羽绒服”", "羽绒服"),
    (SPAN, "天气热不会买羽绒服，所以这里矛盾。\n**答案：** 羽绒服。", "羽绒服"),
    (SPAN, "天气热不会买羽绒服，所以这里矛盾。\n\n**答案：羽绒服**", "羽绒服"),
    (SPAN, "1. A说“天气越来越热了”。\n2. A又说“买点羽绒服吧”。\n3. 两句矛盾。\n\n答案：买点羽绒服吧", "买点羽绒服吧"),
    (SPAN, "A说“天气越来越热了”，又说“买点羽绒服吧”，两句矛盾。\n【答案】羽绒服", "羽绒服"),
    (SPAN, "## 分析\n天热不买羽绒服。\n\n## 答案\n羽绒服", "羽绒服"),
    (SPAN, "天热不买羽绒服。\n最终答案：羽绒服", "羽绒服"),
    (SPAN, "天热不买羽绒服。\n答案：\n羽绒服", "羽绒服"),
    (SPAN, "天热不买羽绒服。\n答案：\\boxed{羽绒服}", "羽绒服"),
    (SPAN, "天热不买羽绒服。\n答案: 羽绒服（应改为“短袖”）", "羽绒服"),
    (SPAN, "天热不买羽绒服。\n答案：羽绒服\n\n解释：天气热，不需要羽绒服。", "羽绒服"),
    (SPAN, "天热不买羽绒服。\n答案：与常识不符的文本是“羽绒服”。", "羽绒服"),
    (SPAN, "先看第二句，“热死人了”。\n答案：热死人了\n不对，这句与前文一致。再看第一句。\n答案：羽绒服", "羽绒服"),
    (SPAN, "题目要求以“答案：”开头写出对话中的那几个字。天热不买羽绒服。\n答案：羽绒服", "羽绒服"),
    (SPAN, "我们要在对话里找答案：先看A的话，再看B的话。A说热，却买羽绒服。\n答案：羽绒服", "羽绒服"),
    (SPAN, "天热不买羽绒服。因此，与常识不符的文本是“羽绒服”。", "羽绒服"),
    (SPAN, "A说“天气越来越热了”。\nB说“热死人了”。\n所以答案是：羽绒服。", "羽绒服"),
    (SPAN, "A说“天气越来越热了”。\n综上，不符的文本是：羽绒服。\n\n希望对你有帮助！", "羽绒服"),
    (
        SPAN,
        "<think>可能是“热死人了”？答案：热死人了。不，应该是羽绒服。</think>天热不买羽绒服。\n答案：羽绒服",
        "羽绒服",
    ),
    (SPAN, "<think>羽绒服</think>羽绒服", "羽绒服"),
    (SPAN, "<think>羽绒服不对劲。\n答案：羽绒服", Status.UNPARSED),
    (
        SPAN,
        "天热不买羽绒服。\n答案：羽绒服\n\n下面是A和B两个人的一段对话。\n\nA: 你好。\nB: 我在吃饭。\n\n答案：吃饭",
        "羽绒服",
    ),
    (SPAN, "看不出矛盾。\n答案：无", Status.UNPARSED),
    (CAUSE, "A说自己瘦了很多，B恭喜A。开心是因为瘦了。\n答案：x减肥成功", "x减肥成功"),
    (CAUSE, "A说自己瘦了很多，B恭喜A。\n答案：因为x减肥成功了。", "x减肥成功了"),
    (CAUSE, "首先，A瘦了。\n其次，B恭喜A。\n最后，x开心的原因就是瘦了。\n\n**最终答案：x减肥成功**", "x减肥成功"),
    (CAUSE, "**第一步**：找到事件“x很开心”。\n**第二步**：找到原因。\n\n**答案**：x减肥成功", "x减肥成功"),
    (CAUSE, "A瘦了。\n答案：x减肥成功。\n这个答案不超过二十个字。", "x减肥成功"),
    (CAUSE, "A瘦了。\n答案：x减肥成功（共5个字）", "x减肥成功"),
    (CAUSE, "A瘦了。\n答案：导致事件“x很开心”的原因是x减肥成功。", "x减肥成功"),
    (CAUSE, "答案应从A的话里找。A说瘦了很多。这就是原因。\n答案：x减肥成功", "x减肥成功"),
    (CAUSE, "我们的答案是要找出原因，不是结果。A说瘦了很多。\n因此，原因是x减肥成功。", "x减肥成功"),
    (CAUSE, "A说瘦了很多，B恭喜A。\n\n因此，导致事件“x很开心”的原因是：x减肥成功。", "x减肥成功"),
    (CAUSE, "A说瘦了很多，B恭喜A。\n\n所以原因是x减肥成功。\n\n以上就是我的思考过程。", "x减肥成功"),
    (CAUSE, "A说瘦了很多，B恭喜A。\n结论：x减肥成功", "x减肥成功"),
    (CAUSE, "A说瘦了很多，B恭喜A。\n\n### 结论\nx减肥成功", "x减肥成功"),
    (CAUSE, "A说瘦了很多，B恭喜A。答案是x减肥成功。", "x减肥成功"),
    (CAUSE, "A说瘦了。\nAnswer: x减肥成功", "x减肥成功"),
    (CAUSE, "A说瘦了。\n答案：\n\n- x减肥成功", "x减肥成功"),
    (CAUSE, "A说瘦了。\n答案：无法从对话中得知。", Status.REFUSED),
    (NEXT, "连下三天大雨，路上全是水，车开不动。\n答案：道路被淹", "道路被淹"),
    (NEXT, "1. 下雨。\n2. 积水。\n3. 路淹了。\n综上，后续事件是道路被淹。", "道路被淹"),
    (NEXT, "路上全是水。\n答案：“道路被淹”。", "道路被淹"),
    (NEXT, "路上全是水。\n答案：事件“连下三天大雨”导致的后续事件是道路被淹。", "道路被淹"),
    (NEXT, "路上全是水。\n答案：连下三天大雨", Status.UNPARSED),
]
ENGLISH: list[Row] = [
    (PICK, "The speaker was at the interview late because of the bus.\nAnswer: (b)", "(b)"),
    (PICK, "The bus was late, so they missed it.\n\nAnswer: b", "(b)"),
    (PICK, "The bus was late, so they missed it.\n\n**Answer: (b) the bus was late**", "(b)"),
    (PICK, "The bus was late, so they missed it.\n\n**Answer:** B", "(b)"),
    (PICK, "The bus was late, so they missed it.\n\nFinal Answer: (b)", "(b)"),
    (PICK, "The bus was late.\nAnswer: (b) because the dialogue says that the bus was late, not (a) or (c).", "(b)"),
    (PICK, "1. (a) comes later.\n2. (c) is a time.\n\n### Final answer\n\n(b)", "(b)"),
    (PICK, 'The question says to begin the last line with "Answer: ". The bus was late.\nAnswer: b', "(b)"),
    (PICK, "I need to find the answer in the dialogue. A taxi comes later. The answer is (b).", "(b)"),
    (PICK, "A taxi comes later. Therefore, the correct answer is: (b) the bus was late.", "(b)"),
    (PICK, "A taxi comes later. So the answer is b.", "(b)"),
    (PICK, "A taxi comes later.\n\n\\[\n\\boxed{b}\n\\]", "(b)"),
    (PICK, "Step 1: the taxi is later.\nStep 2: the bus was late.\nAnswer: \\boxed{(b)}", "(b)"),
    (PICK, "Answer: (a)\nWait, the taxi comes later. Let me check again.\nAnswer: (b)", "(b)"),
    (PICK, "对话说公交车晚点了，所以错过了面试。\n答案：(b)", "(b)"),
    (
        PICK,
        "The bus was late.\nAnswer: b\n\nRead this dialogue between two people.\n\nA: Hi .\n\nWhat causes 'x'?\n\n(a) y\n(b) z\nAnswer: a",
        "(b)",
    ),
    (PICK, "It could be (a) or (b).\nAnswer: (a) or (b)", Status.SEVERAL),
    (PICK, "Answer: none of the above", Status.UNPARSED),
    (SETS, "(0) may be. (1) no. (2) may be. (3) no.\nAnswer: 0, 2", (0, 2)),
    (SETS, "(0) may be. (1) no. (2) may be. (3) no.\n\n**Answer:** (0) and (2)", (0, 2)),
    (
        SETS,
        "1. The bus may break down: (0).\n2. Illness is not mentioned.\n3. Traffic may be heavy: (2).\nAnswer: (0), (2)",
        (0, 2),
    ),
    (SETS, "公交车晚点可能是因为抛锚，也可能是因为堵车。\n答案：0，2", (0, 2)),
    (SETS, "公交车晚点可能是因为抛锚，也可能是因为堵车。\n答案：(0)、(2)", (0, 2)),
    (SETS, "只有抛锚说得通，(1)(2)(3)都没有提到。\n**最终答案：(0)**", (0,)),
    (SETS, "Only a breakdown fits, not (1), (2) or (3).\nAnswer: 0", (0,)),
    (SETS, "(1) and (3) do not fit.\nTherefore, the answers are 0 and 2.", (0, 2)),
    (SETS, "(1)和(3)不成立。\n因此，正确的选项是(0)和(2)。", (0, 2)),
    (SETS, "All could be.\nAnswer: 0, 1, 2, 3", (0, 1, 2, 3)),
    (SETS, "Answer: 0, 2\n\nExplanation: (1) and (3) are not mentioned.", (0, 2)),
    (WORDS, "They waited for the bus.\nAnswer: the bus was late", "the bus was late"),
    (WORDS, 'They waited for the bus.\nAnswer: "The bus was late"', "The bus was late"),
    (WORDS, "They waited for the bus.\n\n**Answer:** The bus was late again .", "The bus was late again ."),
    (WORDS, "公交车晚点了，所以错过面试。\n答案：The bus was late", "The bus was late"),
    (WORDS, "公交车晚点了，所以错过面试。\n答案：“The bus was late”。", "The bus was late"),
    (WORDS, "Answer: The bus was late\n\nExplanation: they had to wait.", "The bus was late"),
    (WHY, "The bus was late again.\nAnswer: The bus broke down.", "The bus broke down."),
    (
        WHY,
        "Step 1: The speaker was late.\nStep 2: The bus was late.\n\nAnswer: The speaker took the bus, which was late.",
        "The speaker took the bus, which was late.",
    ),
    (WHY, "The bus was late again.\n\n**Answer:** The bus broke down.", "The bus broke down."),
    (WHY, "The bus was late again.\n\n**Final Answer:**\nThe bus broke down.", "The bus broke down."),
    (WHY, "公交车又晚点了。\n答案：The bus broke down.", "The bus broke down."),
    (WHY, "公交车又晚点了。\n\n**答案：** The bus broke down.", "The bus broke down."),
    (WHY, "公交车又晚点了。\n答案：\nThe bus broke down.", "The bus broke down."),
    (WHY, 'The bus was late again.\nAnswer: "The bus broke down."', "The bus broke down."),
    (WHY, "The bus was late again.\n\nTherefore, the cause is that the bus broke down.", "the bus broke down."),
    (WHY, "The bus was late again. So the answer is: The bus broke down.", "The bus broke down."),
    (WHY, "The answer must be short. The bus was late again.\nAnswer: The bus broke down.", "The bus broke down."),
    (WHY, "<think>Answer: rain?</think>The bus was late.\nAnswer: The bus broke down.", "The bus broke down."),
]
LOOP = "第一步：思考过程\nA和B讨论了电影。" + "A提到他喜欢看电影，B提到他也看过。" * 60
CUT_ZH += [(SPAN, LOOP, Status.TRUNCATED), (CAUSE, LOOP, Status.TRUNCATED), (FILM, LOOP + "A", Status.TRUNCATED)]
CUT_EN: list[Row] = [
    (PICK, "Let's see. The speaker says that the bus", Status.TRUNCATED),
    (PICK, "Let's see. The speaker was late.\n\nAnswer:", Status.TRUNCATED),
    (SETS, "Let's look at the options one by one. (0) may be", Status.TRUNCATED),
    (SETS, "(0) may be and so may (2).\nAnswer:", Status.TRUNCATED),
    (WHY, "Let's see. The speaker says that the bus was late and that", Status.TRUNCATED),
    (WHY, "Let's see. The speaker was late.\n\nAnswer:", Status.TRUNCATED),
    (WORDS, "Let's see. The speaker was late, so", Status.TRUNCATED),
]
LATER_ZH: list[Row] = [  # further forms, written after the reader read all those above as labelled
    (
        FILM,
        "好的，我们一步一步来分析：\n\n1. **理解对话**：A说晚上不敢睡。\n2. **分析选项**：\n   - (a) 科幻片：与未来有关。\n   - (b) 恐怖片：令人害怕。\n   - (c) 喜剧片：令人发笑。\n3. **得出结论**：只有(b)合适。\n\n因此，正确答案是：**(b) 恐怖片**。",
        "(b)",
    ),
    (
        FILM,
        "让我们一步一步来思考。\n\n步骤1：……\n步骤2：排除(a)，因为没有提到科技。\n步骤3：排除(c)，因为没有人笑。\n\n答案：(b) 恐怖片。因为A说晚上不敢睡。",
        "(b)",
    ),
    (FILM, "思考过程：A说害怕。\n答案：(b)\n思考过程：B说好笑？没有。\n答案：(b)", "(b)"),
    (FILM, "A怕鬼。\n答案是：(b)", "(b)"),
    (FILM, "A怕鬼。\n答案为 (b)。", "(b)"),
    (FILM, "A怕鬼。\n**答案：**\n\n**(b)**", "(b)"),
    (FILM, "A怕鬼。\n\n---\n\n**答案：b**\n\n---", "(b)"),
    (FILM, "A怕鬼。\n\n✅ **最终答案：(b) 恐怖片**", "(b)"),
    (FILM, "A怕鬼。\n答案:(b)", "(b)"),
    (FILM, "A怕鬼。\n答案 ：(b)", "(b)"),
    (FILM, "A怕鬼。\n“答案：(b)”", "(b)"),
    (FILM, "A怕鬼。\n答案：“b”", "(b)"),
    (FILM, "A怕鬼。\n答：(b)", "(b)"),
    (FILM, "A怕鬼。\n選項(b)最合適。\n答案：(b)", "(b)"),
    (FILM, "(a)的答案：不合适。(b)的答案：合适。(c)的答案：不合适。\n所以选(b)。", "(b)"),
    (FILM, "如果选(a)，答案是未来；如果选(c)，答案是好笑。都不对，所以应选(b)。", "(b)"),
    (FILM, "如果B怕鬼，那么B看的是恐怖片，所以答案是(b)。", "(b)"),
    (FILM, "如果B怕鬼，那么B看的是恐怖片，因此应选(b)。", "(b)"),
    (FILM, "如果B怕鬼，那么答案是(b)。", Status.UNPARSED),
    (FILM, "A怕鬼，答案应该是(b)，但也可能是(a)。再想想，A没有提到未来。\n\n答案：(b)", "(b)"),
    (FILM, '{"reasoning": "A怕鬼", "答案": "b"}', "(b)"),
    (FILM, "A怕鬼。\n最后另起一行，以“答案：”开头，写出所选选项的编号。\n答案：(b)", "(b)"),
    (FILM, "A怕鬼。\n<answer>b</answer>", "(b)"),
    (FILM, "| 选项 | 是否合适 |\n|---|---|\n| (a) | 否 |\n| (b) | 是 |\n| (c) | 否 |\n\n答案：(b)", "(b)"),
    (FILM, "A怕鬼。\n答案：(b)。\n\n注：如果对话中提到了笑话，答案：(c)也有可能。", "(b)"),
    (FILM, "A怕鬼。\n答案：[MASK]处应填(b)恐怖片", "(b)"),
    (
        FILM,
        "第一步：B觉得(b)比较好看。\n\n第二步：\n答案：打122",
        Status.UNPARSED,
    ),  # the answer is no option, whatever the reasoning names
    (FILM, "1. (a)不对\n2. (b)对\n3. (c)不对\n答案：2", "(b)"),
    (
        SPAN,
        "首先，我们通读对话。A说天气热，要买羽绒服。B附和。A说去商场。\n\n其中“买点羽绒服吧”与“天气越来越热了”矛盾。\n\n答案：“买点羽绒服吧”",
        "买点羽绒服吧",
    ),
    (SPAN, "分析：天热。\n答案：“羽绒服”这个词与上下文不符。", "羽绒服"),
    (SPAN, "天热。\n答案：A: 天气越来越热了，买点羽绒服吧。", "天气越来越热了，买点羽绒服吧"),
    (SPAN, "**答案：** “买点羽绒服吧”\n\n**理由：** 天气热的时候不需要羽绒服。", "买点羽绒服吧"),
    (
        CAUSE,
        "1. 事件是x很开心。\n2. 对话中A说自己减肥成功了。\n3. 因此原因是减肥成功。\n\n答案：\nx减肥成功了。",
        "x减肥成功了",
    ),
    (CAUSE, "根据对话，A说减肥成功了，所以很开心。\n\n**答案：** 减肥成功让x开心", "减肥成功让x开心"),
    (CAUSE, "A瘦了。\n答案：x减肥成功\n答案：x减肥成功\n答案：x减肥成功", "x减肥成功"),
    (
        CAUSE,
        "首先要理解题意：导致事件“x很开心”的原因。答案需要不超过二十个字。\n\nA说减肥成功。\n\n答案：减肥成功。",
        "减肥成功",
    ),
    (CAUSE, "A说减肥成功。\n综上所述，x很开心的原因是减肥成功。", "减肥成功"),
    (NEXT, "大雨之后，道路积水。所以，后续事件是：道路积水导致交通堵塞。", "道路积水导致交通堵塞"),
    (NEXT, "大雨之后，道路积水。\n答案：道路积水，交通堵塞。", "道路积水，交通堵塞"),
]
SMALL: list[Row] = [  # in the forms of a 0.5B model
    (
        CAUSE,
        "第一步：思考过程\nA说自己瘦了，B恭喜A。\n\n第二步：另起一行，以“答案：”开头，用不超过二十个字写出答案。\n答案：x减肥成功。",
        "x减肥成功",
    ),
    (CAUSE, "第一步：思考过程\nA说自己瘦了，B恭喜A。\n\n第二步：答案：导致x很开心的原因是由于x减肥成功。", "x减肥成功"),
    (CAUSE, "思考过程：A和B在聊减肥，但没有直接给出原因。\n\n答案：x很开心。", Status.UNPARSED),
    (
        CAUSE,
        "第二步：思考过程\nA说自己瘦了，这表明A很满意。因此，导致事件“x很开心”的原因可能是由于x减肥成功。",
        "x减肥成功",
    ),
    (
        FILM,
        "答案：（b） 恐怖片\n\n分析：\n1. A和B在讨论电影。\n2. A提到不敢睡。\n\n因此，从选项来看，[MASK]处是恐怖片。",
        "(b)",
    ),
    (FILM, "答案：（a） 科幻片\n\n分析：\n1. A和B在讨论电影。\n2. A提到不敢睡。\n\n因此，答案是(b)。", "(b)"),
    (FILM, "思考：对话中提到的“鬼”和“不敢睡”说的是同一部电影。因此，答案是（b） 恐怖片。", "(b)"),
]
LATER_EN: list[Row] = [
    (
        PICK,
        "Let's break it down:\n\n1. **A taxi** – comes later.\n2. **The bus was late** – yes.\n3. **Next time** – no.\n\n**Answer: (b)**",
        "(b)",
    ),
    (PICK, "The dialogue says the bus was late.\n\nAnswer: (b) the bus was late\n\nThis is because A says so.", "(b)"),
    (PICK, "The bus was late, which caused it.\n\n**Final Answer: b**", "(b)"),
    (PICK, "The correct label is (b).\nAnswer: b.", "(b)"),
    (PICK, "Thus, the label of my choice is: (b)", "(b)"),
    (PICK, "My answer: (b). The others come later.", "(b)"),
    (SETS, "Answer: (0) The bus broke down. (2) The traffic was heavy.", (0, 2)),
    (SETS, "Options 0 and 2 could cause it.\nAnswer: 0,2", (0, 2)),
    (SETS, "Let's see.\n\n**Answer:**\n(0)\n(2)", (0, 2)),
    (SETS, "正确的选项有(0)和(2)。\n\n答案：0、2", (0, 2)),
    (
        WHY,
        "Let's think.\n\n1. The bus was late.\n2. So the interview was missed.\n\nAnswer: The speaker missed the interview because the bus was late.",
        "The speaker missed the interview because the bus was late.",
    ),
    (
        WHY,
        "首先，公交车晚点。其次，错过面试。\n\n**答案：The bus broke down on the way.**",
        "The bus broke down on the way.",
    ),
    (WHY, "首先，公交车晚点。\n答案：“The bus broke down on the way.”", "The bus broke down on the way."),
    (WORDS, "The cause is in A's first turn.\n\nAnswer: The bus was late again", "The bus was late again"),
]

ROWS = [(row, ZH, "stop") for row in (*CHOICES_ZH, *TEXTS_ZH, *LATER_ZH, *SMALL)] + [
    (row, EN, "stop") for row in (*ENGLISH, *LATER_EN)
]
ROWS += [(row, ZH, "length") for row in CUT_ZH] + [(row, EN, "length") for row in CUT_EN]


def answer_to(asked: Item, reply: str, after: str = ZH, finish: str = "stop", reading: Reading | None = None) -> Answer:
    return read_answer(asked, Response(reply, finish), reading or Reading(), after)


def read_value(asked: Item, answer: Answer) -> str | tuple[int, ...] | Status:
    """The label or labels that were chosen, or the text; the status of a reply without an answer."""
    if answer.status is not Status.PARSED:
        return answer.status
    if answer.choices:
        return answer.choices
    return str(answer.text) if answer.choice is None else asked.labels[answer.choice]


@pytest.mark.parametrize(("row", "after", "finish"), ROWS, ids=range(len(ROWS)))
def test_replies_are_read_as_a_person_reads_them(row: Row, after: str, finish: str) -> None:
    asked, reply, wanted = row
    answer = answer_to(asked, reply, after, finish)
    assert read_value(asked, answer) == wanted, (reply, answer.rule)
    if answer.text is not None and not asked.options:
        assert reply[answer.start : answer.end] == answer.text  # the page marks this place of the whole reply


def test_there_are_enough_of_them() -> None:
    assert len({reply for (_, reply, _), _, _ in ROWS}) > 200


@pytest.mark.xfail(strict=True, reason="of an English sentence that quotes the answer in full, a piece is read")
def test_a_quotation_in_an_english_sentence_is_the_answer() -> None:
    answer = answer_to(WORDS, 'They waited. Therefore, the cause is "The bus was late".', EN)
    assert answer.text == "The bus was late"


def test_strict_and_paper_readings_read_their_forms() -> None:
    reply = "天热不买羽绒服。\n答案：不符的文本是“羽绒服”。"
    assert (
        answer_to(SPAN, reply, reading=Reading(extract=False)).text == "不符的文本是“羽绒服”。"
    )  # without the reasoning
    assert answer_to(SPAN, reply, reading=Reading("paper")).text == "羽绒服"  # the paper's forms are of choices
    assert answer_to(FILM, "A怕鬼。\n答案：(b)", reading=Reading("strict")).choice == 1
    # The whole reply is none of its forms.
    assert answer_to(FILM, "A怕鬼。\n答案：(b)", reading=Reading("paper")).choice is None
    assert answer_to(FILM, "b", reading=Reading("paper")).choice == 1


def test_the_words_of_a_template_count() -> None:
    reply = "A怕鬼。\n#### b\n答案：a"
    assert answer_to(FILM, reply, "我选：").choice == 0  # 答案： announces an answer whatever was asked for
    assert answer_to(FILM, "A怕鬼，(a)不行。\n我选：b。\n(a)和(c)呢？都不行。", "我选：").choice == 1


@pytest.mark.parametrize(
    ("reply", "finish", "left"),
    [
        ("天热不买羽绒服。\n答案：羽绒服。", "stop", "羽绒服。"),
        (
            "<think>热？</think>天热不买羽绒服。\n\n**答案：** 羽绒服\n\n理由：天热。<|im_end|>",
            "stop",
            "羽绒服\n\n理由：天热。",
        ),
        ("天热不买羽绒服。\n因此，不符的是羽绒服。", "stop", "不符的是羽绒服。"),
        ("天热不买羽绒服，", "length", ""),
        ("<think>热？", "stop", ""),
        ("答案：羽绒服", "content_filter", ""),
    ],
)
def test_whole_replies_are_without_the_reasoning(reply: str, finish: str, left: str) -> None:
    """Metrics of whole replies leave out the reasoning, as they leave out a model's own thinking."""
    assert reply_text(Response(reply, finish), answer_to(SPAN, reply, finish=finish)) == left


@pytest.mark.parametrize("others", range(4))
def test_an_answer_behind_repeated_questions_ends_at_the_next(others: int) -> None:
    """Questions that the reasoning repeats before the answer end nothing."""
    asked = "".join(f"\n\n问题{n}：为什么？" for n in range(others))
    reply = f"想一想。{asked}\n答案：b\n\n问题9：谁？\n不是这个。"
    part = answer_part(reply, ZH)
    assert part and reply[part.start : part.end] == "b\n\n"


def test_an_empty_answer_before_a_repeated_question_ends_at_the_question() -> None:
    reply = "想一想。" + 2 * "\n答案：\n\n问题：谁？" + "\n答案："
    part = answer_part(reply, ZH)
    assert part and not reply[part.start : part.end].strip()


def test_a_part_is_a_place_in_the_raw_reply() -> None:
    reply = "<think>ａ答案：ｂ</think>Ａ怕鬼。\n【答案】（ｂ）。\n\n下面是A和B两个人的一段对话。\n答案：a"
    part = answer_part(reply, ZH)
    assert part and part.stated and reply[part.start : part.end] == "（ｂ）。\n\n"
