"""One table for each labelling rule of spans: what a human would cut out of a reply."""

from __future__ import annotations

import pytest

from evalsuite.parse import parse_span
from evalsuite.types import Status

CONFLICT = "请从对话中抽取出在常识上与对话上下文不符的文本。注意不要重述问题或解释原因，直接写出答案即可。"
CAUSE = "请不要重述问题或解释原因，而是尽可能简短地回答下面的问题：根据对话内容可以看出，导致事件“x开心”的原因是什么？"
EFFECT = "请不要重述问题或解释原因：根据对话内容可以看出，事件“少子化冲击台湾”导致的后续事件是什么？"
OFTEN = "请根据对话内容，直接回答下面问题的答案，不要重述问题或解释原因：事件“x出去打球”的频率是什么？"
PLACE = "请根据对话内容，直接回答下面问题的答案，不要重述问题或解释原因：事件“A玩开心消消乐”的发生位置是什么？"
INSIDE = "请根据对话内容，直接回答下面问题的答案，不要重述问题或解释原因：“军队”在空间上包含什么？"
KIND = "请根据对话内容，直接回答下面问题的答案，不要重述问题或解释原因：“乒乓球”是一个或一种什么？"
USE = "请根据对话内容，直接回答下面问题的答案，不要重述问题或解释原因：“桑塔纳”的用途是什么？"
TALK = ("A: 天气越来越热了，买点羽绒服吧。", "B: 也是，这个天快热死人了。", "A: 很凶猛的。")

Row = tuple[str, str, str]

RULE_12: list[Row] = [
    (CAUSE, "一个人太孤单", "一个人太孤单"),
    (KIND, "是一种球类运动。", "球类运动"),
    (CONFLICT, "羽绒服", "羽绒服"),
    (CONFLICT, "羽绒服。", "羽绒服"),
    (CONFLICT, "“羽绒服”", "羽绒服"),
    (CONFLICT, "『羽绒服』。", "羽绒服"),
    (CONFLICT, "【羽绒服】", "羽绒服"),
    (CONFLICT, '"羽绒服"', "羽绒服"),
    (CONFLICT, "（羽绒服）", "羽绒服"),
    (CONFLICT, "\n 羽绒服 \n", "羽绒服"),
    (CONFLICT, "羽绒服？", "羽绒服"),
    (CONFLICT, "羽绒服……", "羽绒服"),
    (CONFLICT, "答案：羽绒服", "羽绒服"),
    (CONFLICT, "答：羽绒服。", "羽绒服"),
    (CONFLICT, "答案是羽绒服。", "羽绒服"),
    (CONFLICT, "Answer: 羽绒服", "羽绒服"),
    (CONFLICT, "【答案】羽绒服", "羽绒服"),
    (CONFLICT, "【不符处】羽绒服", "羽绒服"),
    (CONFLICT, "与常识不符的文本是“羽绒服”。", "羽绒服"),
    (CONFLICT, "在常识上与对话上下文不符的文本是：羽绒服", "羽绒服"),
    (CONFLICT, "不符合常识的部分是：“羽绒服”", "羽绒服"),
    (CONFLICT, "对话中与上下文矛盾的内容为“羽绒服”。", "羽绒服"),
    (CONFLICT, "抽取结果：羽绒服", "羽绒服"),
    (CONFLICT, "以下是抽取出的文本：“羽绒服”", "羽绒服"),
    (CONFLICT, "好的，答案是：羽绒服。", "羽绒服"),
    (CONFLICT, "根据对话内容，与常识不符的文本是：羽绒服。", "羽绒服"),
    (CONFLICT, "The conflicting text is “羽绒服”.", "羽绒服"),
    (CONFLICT, 'The answer is "羽绒服".', "羽绒服"),
    (CONFLICT, "1. 羽绒服", "羽绒服"),
    (CONFLICT, "（1）羽绒服", "羽绒服"),
    (CONFLICT, "• 羽绒服", "羽绒服"),
    (CONFLICT, "① 羽绒服", "羽绒服"),
    (CONFLICT, "1、羽绒服。", "羽绒服"),
    (CONFLICT, "**羽绒服**", "羽绒服"),
    (CONFLICT, "`羽绒服`", "羽绒服"),
    (CONFLICT, "<answer>羽绒服</answer>", "羽绒服"),
    (CONFLICT, "\\boxed{羽绒服}", "羽绒服"),
    (CONFLICT, '{"answer": "羽绒服"}', "羽绒服"),
    (CONFLICT, '```json\n{"text": "羽绒服"}\n```', "羽绒服"),
    (CONFLICT, "<p>羽绒服</p>", "羽绒服"),
    (CONFLICT, '["羽绒服"]', "羽绒服"),
    (CONFLICT, "羽绒服</s>", "羽绒服"),
    (CONFLICT, "羽绒服<|im_end|>", "羽绒服"),
    (CONFLICT, "<think>也许是热</think>羽绒服", "羽绒服"),
    (CONFLICT, "想想。</think>\n羽绒服", "羽绒服"),
    (CONFLICT, "A: 羽绒服", "羽绒服"),
    (CONFLICT, "B：很凶猛的", "很凶猛的"),
    (CONFLICT, "A: 天气越来越热了，买点羽绒服吧。", "天气越来越热了，买点羽绒服吧"),
    (CONFLICT, "買點羽絨服吧", "買點羽絨服吧"),
    (CONFLICT, "答案：「羽絨服」", "羽絨服"),
    (CONFLICT, "我认为是“羽绒服”", "羽绒服"),
    (CONFLICT, "应该是羽绒服", "羽绒服"),
    (CONFLICT, "原文本：羽绒服", "羽绒服"),
    (CONFLICT, "笑了", "笑了"),
    (CONFLICT, "太能吃了，很乖的", "太能吃了，很乖的"),
    (CONFLICT, "不符之处：羽绒服", "羽绒服"),
    (CONFLICT, "错误文本：“羽绒服”。", "羽绒服"),
    (CONFLICT, "抽取的文本是：\n羽绒服", "羽绒服"),
    (CAUSE, "因为x减肥成功", "x减肥成功"),
    (CAUSE, "由于x减肥成功了。", "x减肥成功了"),
    (CAUSE, "是因为x减肥成功", "x减肥成功"),
    (CAUSE, "原因是x减肥成功", "x减肥成功"),
    (CAUSE, "原因：x减肥成功", "x减肥成功"),
    (CAUSE, "导致事件“x开心”的原因是x减肥成功。", "x减肥成功"),
    (CAUSE, "x开心是因为x减肥成功", "x减肥成功"),
    (CAUSE, "x开心的原因是x减肥成功", "x减肥成功"),
    (CAUSE, "因为x减肥成功，所以x开心。", "x减肥成功"),
    (CAUSE, "之所以x开心，是因为x减肥成功。", "x减肥成功"),
    (CAUSE, "x减肥成功导致x开心", "x减肥成功"),
    (CAUSE, "x减肥成功，所以x很开心。", "x减肥成功"),
    (CAUSE, "根据对话内容可以看出，导致事件“x开心”的原因是x减肥成功", "x减肥成功"),
    (CAUSE, "x减肥成功", "x减肥成功"),
    (CAUSE, "没有时间陪妻子。", "没有时间陪妻子"),
    (CAUSE, "The reason is that x减肥成功", "x减肥成功") if False else (CAUSE, "The cause is: x减肥成功", "x减肥成功"),
    (CAUSE, "根据对话，x减肥成功了", "x减肥成功了"),
    (CAUSE, "Because x减肥成功", "x减肥成功"),
    (CAUSE, "x开心，因为x减肥成功。", "x减肥成功"),
    (CAUSE, "由于x减肥成功，x很开心", "x减肥成功"),
    (CAUSE, "不敢一个人睡觉", "不敢一个人睡觉"),
    (CAUSE, "事件“x开心”的原因：x减肥成功", "x减肥成功"),
    (EFFECT, "台湾很多高校停招", "台湾很多高校停招"),
    (EFFECT, "后续事件是台湾很多高校停招", "台湾很多高校停招"),
    (EFFECT, "事件“少子化冲击台湾”导致的后续事件是台湾很多高校停招。", "台湾很多高校停招"),
    (EFFECT, "少子化冲击台湾导致台湾很多高校停招甚至裁撤了", "台湾很多高校停招甚至裁撤了"),
    (EFFECT, "后续事件：台湾很多高校停招", "台湾很多高校停招"),
    (EFFECT, "因为少子化冲击台湾，所以很多高校停招。", "很多高校停招"),
    (EFFECT, "导致的后续事件是：高校停招", "高校停招"),
    (EFFECT, "结果是高校停招", "高校停招"),
    (OFTEN, "每天", "每天"),
    (OFTEN, "频率是每天。", "每天"),
    (OFTEN, "频率：每天", "每天"),
    (OFTEN, "事件“x出去打球”的频率为每天", "每天"),
    (OFTEN, "x出去打球的频率是每天", "每天"),
    (OFTEN, "每天都出去打会球", "每天都出去打会球"),
    (OFTEN, "根据对话内容，x出去打球的频率是每天。", "每天"),
    (OFTEN, "The frequency is 每天.", "每天"),
    (PLACE, "发生位置是地铁上", "地铁上"),
    (PLACE, "地铁上", "地铁上"),
    (PLACE, "事件“A玩开心消消乐”发生在地铁上", "地铁上") if False else (PLACE, "位置：地铁上。", "地铁上"),
    (INSIDE, "“军队”在空间上包含食堂", "食堂"),
    (INSIDE, "军队在空间上包含“食堂”。", "食堂"),
    (INSIDE, "食堂", "食堂"),
    (KIND, "是一个运动", "运动"),
    (KIND, "“乒乓球”是一种运动。", "运动"),
    (KIND, "一种运动", "运动"),
    (KIND, "乒乓球是一种运动", "运动"),
    (KIND, "运动", "运动"),
    (USE, "桑塔纳的用途是代步", "代步"),
    (USE, "用途：代步", "代步"),
    (USE, "“桑塔纳”的用途是家里代步用。", "家里代步用"),
    (USE, "家里代步", "家里代步"),
    (CONFLICT, "下降了25.7%", "下降了25.7%"),
    (CONFLICT, "价格挺便宜的呢，光是运费就要一千多块钱", "价格挺便宜的呢，光是运费就要一千多块钱"),
    (CONFLICT, "-沙漠", "沙漠"),
    (CONFLICT, "> 羽绒服", "羽绒服"),
    (CONFLICT, "# 羽绒服", "羽绒服"),
    (CONFLICT, "文本：“羽绒服”", "羽绒服"),
    (CONFLICT, "对话中不符合常识的文本：羽绒服", "羽绒服"),
    (CONFLICT, "不符的文本是买点羽绒服吧", "买点羽绒服吧"),
    (CONFLICT, "与上下文不符的是：“羽绒服”", "羽绒服"),
]
RULE_13: list[Row] = [
    (CONFLICT, "羽绒服，因为天气很热。", "羽绒服"),
    (CONFLICT, "羽绒服。因为天气很热，不需要羽绒服。", "羽绒服"),
    (CONFLICT, "羽绒服（天气热不会买羽绒服）", "羽绒服"),
    (CONFLICT, "羽绒服 (down jacket)", "羽绒服"),
    (CONFLICT, "“羽绒服”应改为“短袖”", "羽绒服"),
    (CONFLICT, "羽绒服 → 短袖", "羽绒服"),
    (CONFLICT, "羽绒服->短袖", "羽绒服"),
    (CONFLICT, "羽绒服应改为短袖。", "羽绒服"),
    (CONFLICT, "应将“羽绒服”改为“短袖”。", "羽绒服"),
    (CONFLICT, "把羽绒服改成短袖", "羽绒服"),
    (CONFLICT, "不应该是“羽绒服”，而应该是“短袖”。", "羽绒服"),
    (CONFLICT, "不是羽绒服，而是短袖", "羽绒服"),
    (CONFLICT, "“羽绒服”不符合常识，因为天气热。", "羽绒服"),
    (CONFLICT, "“羽绒服”与上下文不符。", "羽绒服"),
    (CONFLICT, "羽绒服与上下文不符", "羽绒服"),
    (CONFLICT, "“羽绒服”这个词与常识矛盾。", "羽绒服"),
    (CONFLICT, "对话中的“羽绒服”与天气热矛盾。", "羽绒服"),
    (CONFLICT, "原文：羽绒服\n修改：短袖", "羽绒服"),
    (CONFLICT, "羽绒服\n\n理由：天气热。", "羽绒服"),
    (CONFLICT, "羽绒服\n解析：A说天气越来越热，与常识不符的是羽绒服保暖。", "羽绒服"),
    (
        CONFLICT,
        "A说“天气越来越热了”，天气热应该穿短袖，而A却要买“羽绒服”，不合常理。因此，与常识不符的文本是“羽绒服”。",
        "羽绒服",
    ),
    (CONFLICT, "通读对话，A提到天气热，“热死人了”也是这个意思。综上，不符的文本是：羽绒服。", "羽绒服"),
    (CONFLICT, "“热死人了”。不对，应该是“羽绒服”。", "羽绒服"),
    (CONFLICT, "天气。抱歉，更正一下，答案是羽绒服。", "羽绒服"),
    (CONFLICT, "羽绒服\n\n问题：下一题\n答案：短袖", "羽绒服"),
    (CONFLICT, "羽绒服\nA: 你好\nB: 你好", "羽绒服"),
    (CONFLICT, "羽绒服<|im_end|>\n<|im_start|>user\n谢谢", "羽绒服"),
    (CONFLICT, "羽绒服\n###\n对话内容：A: 你好", "羽绒服"),
    (CONFLICT, "羽绒服——天气热时不会买羽绒服", "羽绒服"),
    (CONFLICT, "“羽绒服”，应为“短袖”", "羽绒服"),
    (CONFLICT, "Replace “羽绒服” with “短袖”.", "羽绒服"),
    (CONFLICT, "“羽绒服” should be “短袖”.", "羽绒服"),
    (CONFLICT, "羽绒服，这与天气热不符", "羽绒服"),
    (CONFLICT, '"羽绒服" conflicts with the hot weather.', "羽绒服"),
    (CAUSE, "x减肥成功，因为A说变成90斤了。", "x减肥成功") if False else (CAUSE, "x减肥成功（变成90斤）", "x减肥成功"),
    (CAUSE, "x减肥成功。\n解释：A说自己变成90斤了。", "x减肥成功"),
    (OFTEN, "每天，因为A说每天都出去打会球", "每天"),
    (OFTEN, "每天（A说每天都去）", "每天"),
    (CAUSE, "对话中A说自己很开心，B问是不是又减肥成功，A说对啊。因此，导致x开心的原因是x减肥成功。", "x减肥成功"),
    (OFTEN, "A说“每天都出去打会球”，所以频率是每天。", "每天"),
    (PLACE, "A说再地铁上玩玩，因此发生位置是地铁上。", "地铁上"),
]
RULE_14: list[Row] = [
    (CONFLICT, "1. 羽绒服\n2. 热死人了", "1. 羽绒服\n2. 热死人了"),
    (CONFLICT, "- 羽绒服\n- 热死人了", "- 羽绒服\n- 热死人了"),
    (CONFLICT, "有以下两处：\n1. 羽绒服\n2. 热死人了。", "1. 羽绒服\n2. 热死人了"),
    (CONFLICT, "① 羽绒服\n② 热死人了", "① 羽绒服\n② 热死人了"),
    (CONFLICT, "（1）羽绒服；（2）热死人了", "（1）羽绒服；（2）热死人了"),
    (CONFLICT, "1. 羽绒服；2. 热死人了。", "1. 羽绒服；2. 热死人了"),
    (CONFLICT, "羽绒服、热死人了", "羽绒服、热死人了"),
    (USE, "代步、载人", "代步、载人"),
    (USE, "1、代步\n2、载人\n3、载物", "1、代步\n2、载人\n3、载物"),
    (USE, "用途是代步和载人", "代步和载人"),
    (CONFLICT, "不符的文本有：\n- 羽绒服\n- 热死人了", "- 羽绒服\n- 热死人了"),
]
RULE_15: list[Row] = [
    (CONFLICT, "", ""),
    (CONFLICT, "无", ""),
    (CONFLICT, "没有", ""),
    (CONFLICT, "没有不符的文本。", ""),
    (CONFLICT, "对话中没有与常识不符的文本。", ""),
    (CONFLICT, "答案：无", ""),
    (CONFLICT, "不存在与上下文不符的内容。", ""),
    (CONFLICT, "该对话没有明显的矛盾。", ""),
    (CONFLICT, "None", ""),
    (CONFLICT, "There is no conflicting text.", ""),
    (CONFLICT, "对话内容都符合常识。", ""),
    (CONFLICT, "抱歉，我无法回答。", ""),
    (CONFLICT, "作为一个AI语言模型，我不能完成。", ""),
    (CONFLICT, "我不知道。", ""),
    (CONFLICT, "请提供对话内容。", ""),
    (CONFLICT, "您好，请问有什么可以帮您？", ""),
    (CONFLICT, "请从对话中抽取出在常识上与对话上下文不符的文本。", ""),
    (CONFLICT, CONFLICT, ""),
    (CONFLICT, "<think>羽绒服", ""),
    (CONFLICT, "<think>羽绒服</think>", ""),
    (CONFLICT, "</s>", ""),
    (CONFLICT, "B: 好的，那我们走吧。\nA: 走。", ""),
    (CONFLICT, "与常识不符的文本是", ""),
    (CONFLICT, "答：", ""),
    (CONFLICT, "与常识不符的文本是：“", ""),
    (CONFLICT, "……", ""),
    (OFTEN, "对话中没有提到频率。", ""),
    (OFTEN, "未提及", ""),
    (OFTEN, "事件“x出去打球”的频率是", ""),
    (CAUSE, "根据对话内容，无法确定原因。", ""),
    (CAUSE, "对话没有说明原因。", ""),
    (CAUSE, "导致事件“x开心”的原因是", ""),
    (PLACE, "文中未提到发生位置", ""),
    (CONFLICT, "[gMASK]<sop>", ""),
    (CONFLICT, '{"answer": ""}', ""),
    (CONFLICT, '{"answer": "无"}', ""),
    (CAUSE, "您问的是x为什么开心，还是x为什么变瘦？", ""),
    (CAUSE, "Could you clarify which event you mean?", ""),
]

LONG_REPLIES: list[Row] = [  # forms of long replies
    (CONFLICT, "天气热了应该穿短袖，这是大家都知道的事情。“热死人了”是正常的。不正常的是“羽绒服”。", "羽绒服"),
    (CONFLICT, "夏天要买的是短袖，冬天才会穿得很厚。“热死人”也没有问题，所以不符合常识的是：羽绒服。", "羽绒服"),
    (CONFLICT, "天热的时候没人穿得厚。“热死人了”没有问题。不合理的地方是“买点羽绒服吧”。", "买点羽绒服吧"),
    (CONFLICT, "我们一句一句地看。“热死人了”是合理的。因此，“羽绒服”这一处有问题。", "羽绒服"),
    (CONFLICT, "羽绒服。天气热了没有人会买它。B也说“这个天快热死人了”，可见天气很热。", "羽绒服"),
    (CAUSE, "x减肥成功。从B的话“又减肥成功啦”可以看出，x是因为变瘦才开心的。", "x减肥成功"),
    (CAUSE, "x减肥成功。这是A自己说的：“变成90斤了”。", "x减肥成功"),
    (OFTEN, "每天（A原话：“每天都出去打会球”）。B没有说多久去一次。", "每天"),
    (USE, "代步（B说：“家里代步用的”）", "代步"),
    (OFTEN, "事件“x出去打球”的频率是每天，也就是一周七次。", "每天"),
    (CAUSE, "原因是x减肥成功，换句话说就是x变瘦了。", "x减肥成功"),
    (OFTEN, "一个小时……哦不，问的是频率，那就是每天。", "每天"),
    (OFTEN, "两次，等等，我看错了，应该是每天。", "每天"),
    (CAUSE, "x变瘦了。不对，那是结果。应该是x坚持运动。", "x坚持运动"),
    (CONFLICT, "不符的文本是B说的：“这个天快冷死人了”", "这个天快冷死人了"),
    (CONFLICT, "与上下文不符的是A最后提到的“很凶猛的”。", "很凶猛的"),
    (CONFLICT, "1. 天气越来越热了，买点羽绒服吧", "天气越来越热了，买点羽绒服吧"),
    (CONFLICT, "• “也是，这个天快热死人了。”", "也是，这个天快热死人了"),
    (CONFLICT, "看完以后，“热死人了”“很凶猛”都很通顺，没有在常识上与上下文不符的文本。", ""),
    (CONFLICT, "A说天气热，要买衣服；B同意A的看法，也觉得很热。因此，对话中没有与常识不符的内容。", ""),
    (CONFLICT, "首先，我们需要理解对话的内容。在对话中，A说天气很热，B也同意。然后A说", ""),
    (CONFLICT, "让我们来分析一下这段对话。", ""),
    (CONFLICT, "让我们来看一下这段对话。\n羽绒服", "羽绒服"),
    (CONFLICT, "## 答案\n\n**羽绒服**\n\n## 解析\n\n天热不用买。", "羽绒服"),
    (OFTEN, "### 最终答案\n每天", "每天"),
    (USE, "The car is mainly used for 代步.", "代步"),
    (CAUSE, "x is happy because of x减肥成功.", "x减肥成功"),
    (CAUSE, "x变瘦了。A自己说“减肥成功”，B也说“恭喜”。", "x变瘦了"),
    (CAUSE, "事件“x开心”是由x减肥成功引起的。", "x减肥成功"),
    (CAUSE, "对话里没有直接提到，但可以推测是因为x减肥成功。", "x减肥成功"),
    (OFTEN, "对话里没有直接提到频率，只提到了一次一个小时。", ""),
    (EFFECT, "As a result, 很多高校停招.", "很多高校停招"),
    (OFTEN, "一周两次，具体来说是周二和周四。", "一周两次"),
    (USE, "桑塔纳主要是用来代步的。", "代步"),
    (CONFLICT, "矛盾点在于：A说天气热，却“买点羽绒服吧”。", "买点羽绒服吧"),
    (USE, "“桑塔纳”可以用来代步和载人。", "代步和载人"),
    (OFTEN, "好问题！每天。", "每天"),
]

TABLES = {name: rows for name, rows in list(globals().items()) if name.startswith(("RULE_", "LONG_"))}
CASES = [pytest.param(*row, id=f"{name}-{number}") for name, rows in TABLES.items() for number, row in enumerate(rows)]


@pytest.mark.parametrize(("question", "output", "span"), CASES)
def test_each_rule_cuts_its_span(question: str, output: str, span: str) -> None:
    answer = parse_span(output, question=question, dialogue=TALK)
    assert (answer.text or "") == span, answer
    if answer.text is not None:
        assert output[answer.start : answer.end] == answer.text


def test_replies_without_a_span_have_a_status() -> None:
    assert parse_span("").status is Status.EMPTY
    assert parse_span("抱歉，我无法回答这个问题。").status is Status.REFUSED
    assert parse_span("<think>还没", finish="length").status is Status.TRUNCATED
    assert parse_span("无").status is Status.UNPARSED


def test_extraction_can_be_left_out() -> None:
    assert parse_span(" <s>答：羽绒服。</s>\n", extract=False).text == "答：羽绒服。"
    assert parse_span("<think>a</think>\n你好 啊", extract=False).text == "你好 啊"
    assert parse_span("</s>", extract=False).status is Status.EMPTY


# fmt: skip.
TURNS = [
    "A: 你喜欢哪个队？",
    "B: 我从初中开始就是上港队的球迷，毕竟我是上海人，肯定要支持本土的球队。",
    "A: 你的围巾上写着“上港必胜”，是一条红的。",
]
CAUSE = "根据对话内容可以看出，导致事件“B是上港队的球迷”的原因是什么？"
CONFLICT = "请从对话中抽取出在常识上与对话上下文不符的文本。"
QUOTING = [
    # question, a reply that quotes a turn more or less, what is read
    (CAUSE, "因为B从初中开始就是上港队的球迷，毕竟B是上海人。", "B从初中开始就是上港队的球迷，毕竟B是上海人"),
    (CONFLICT, "B: 我从初中开始就是上港队的球迷，毕竟是上海人，肯定要支持本土球队。",
     "我从初中开始就是上港队的球迷，毕竟是上海人，肯定要支持本土球队"),
    (CONFLICT, "不符的文本是：我从初中开始就是上港队的球迷，毕竟我是上海人，肯定要支持本土的球队。",
     "我从初中开始就是上港队的球迷，毕竟我是上海人，肯定要支持本土的球队"),
    (CONFLICT, "不符的文本是：A: 你的围巾上写着“上港必胜”，是一条红的。", "你的围巾上写着“上港必胜”，是一条红的"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "reply", "span"), QUOTING)
def test_replies_that_quote_a_turn(question: str, reply: str, span: str) -> None:
    """A quoted turn is the whole answer about a conflict, even if it is miscopied. Before a cause 因为 is cut, even in a
    quotation."""
    assert parse_span(reply, dialogue=TURNS, question=question).text == span


WEEPS = ("A: 你今天怎么哭了？", "B: 我的自行车在楼下被人偷了，我就哭了。", "A: 别难过。")
# Ways to say only the event again. {} is the event.
ECHOES = [
    "{}", "{}。", "“{}”", "“{}”。", "「{}」", "事件“{}”", "事件“{}”的原因", "事件“{}”的后续事件是{}。", "因为{}", "因为{}。", "由于{}", "是因为{}", "原因是{}",
    "原因是：{}。", "答案：{}", "答案：因为{}。", "答案是“{}”。", "好的，答案是“{}”。", "{}的原因是{}", "根据对话，{}。", "所以{}。", "因此，{}", "因为{}，所以{}。",
]  # fmt: skip


@pytest.mark.parametrize("form", ECHOES)
@pytest.mark.parametrize("event", ["B哭了", "B的自行车被人偷了"])
@pytest.mark.parametrize("asked", ["的原因是什么？", "导致的后续事件是什么？"])
def test_the_event_again_is_no_answer_however_it_is_written(form: str, event: str, asked: str) -> None:
    question = f"请根据对话内容回答问题：事件“{event}”{asked}"
    answer = parse_span(form.replace("{}", event), dialogue=WEEPS, question=question)
    assert (answer.status, answer.rule, answer.text) == (Status.UNPARSED, "echo", None)


BECAUSE = [
    # reply; the cause of B哭了 and the consequence of B的自行车被偷了 that are read in it
    ("因为B的自行车被偷了，B哭了", "B的自行车被偷了", "B哭了"),
    ("因为B的自行车被偷了，B哭了。", "B的自行车被偷了", "B哭了"),
    ("“因为B的自行车被偷了，B哭了。”", "B的自行车被偷了", "B哭了"),
    ("因为B的自行车被偷了，所以B哭了。", "B的自行车被偷了", "B哭了"),
    ("由于B的自行车被偷了，B哭了。", "B的自行车被偷了", "B哭了"),
    ("答案：因为B的自行车被偷了，B哭了。", "B的自行车被偷了", "B哭了"),
    ("B的自行车被偷了，所以B哭了。", "B的自行车被偷了", "B哭了"),
    ("B哭了，因为B的自行车被偷了。", "B的自行车被偷了", "B哭了"),
    ("B哭了是因为B的自行车被偷了", "B的自行车被偷了", "B哭了"),
    ("之所以B哭了，是因为B的自行车被偷了", "B的自行车被偷了", "B哭了"),
    ("因为B的自行车被偷了，心里很难过，B哭了。", "B的自行车被偷了，心里很难过", "心里很难过，B哭了"),
    ("因为B的自行车被偷了，B就哭了。", "B的自行车被偷了", "B就哭了"),
    ("因为A和B在说自行车，A很平静，而B哭了", "A和B在说自行车，A很平静，而B哭了", "A和B在说自行车，A很平静，而B哭了"),
    ("B的自行车被偷了，B哭了", "B的自行车被偷了，B哭了", "B的自行车被偷了，B哭了"),  # no word of cause: nothing is cut
    ("因为下雨了，路上很滑", "下雨了，路上很滑", "下雨了，路上很滑"),  # neither half restates the event
]


@pytest.mark.parametrize(("reply", "cause", "effect"), BECAUSE)
def test_the_half_that_restates_the_event_is_cut(reply: str, cause: str, effect: str) -> None:
    for event, asked, text in (
        ("B哭了", "的原因是什么？", cause),
        ("B的自行车被偷了", "导致的后续事件是什么？", effect),
    ):
        question = f"请根据对话内容回答问题：事件“{event}”{asked}"
        assert parse_span(reply, dialogue=WEEPS, question=question).text == text
