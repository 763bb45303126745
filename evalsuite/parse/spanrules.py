"""Rules of spans: a ranked table, with a row for each form of reply. Each row has an act, such as REFUSE; of the rows of an act
the first that matches is used.

A pattern is matched against folded lower-case text; `@word` in it stands for any of `WORDS["word"]`. The example is a reply that
uses the row, its span between ⟦ and ⟧. tests/test_span_rules_needed.py checks that some labelled reply needs each row and each
word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from evalsuite.parse.strip import SPEAKER

CONFLICT, CAUSE, EFFECT, FACT, KIND = "conflict", "cause", "effect", "fact", "kind"  # the object of a question
EVENTS, OTHERS, ALL = (CAUSE, EFFECT), (CAUSE, EFFECT, FACT, KIND), (CONFLICT, CAUSE, EFFECT, FACT, KIND)

# The acts of rows, in the order in which they are tried. On the whole reply:
REFUSE, CHAT = "refuse", "chat"  # declines; goes on with the dialogue
FIELD, LIST = "field", "list"  # take the group `span`: the value of a structure, the items of a list
BREAK = "break"  # a line begins an explanation: drop it and what follows
PART, JOIN = "part", "join"  # a sentence ends here; a sentence announces the next and goes with it
# With a sentence, to choose the one that answers:
TURN, INSTEAD = "turn", "instead"  # takes back what came before; goes on after such a sentence
NOTHING, SKIP = "nothing", "skip"  # states that there is no span; does not answer yet
REASON = "reason"  # a first sentence that gives reasons, not the answer
LABEL, LAST = "label", "last"  # begins with a label for the answer; a last sentence that begins with any label
CONCLUDE, FINAL = "conclude", "final"  # names the answer as such; sounds like a conclusion
# With the chosen sentence:
TAKE, QUOTE = "take", "quote"  # take the group `span`: at once, or a quotation after BEFORE
MARK, BEFORE, OPEN = "mark", "before", "open"  # drop what matches at the start: a mark, a lead-in, 因为
HALF = "half"  # the cause and the effect are on the two sides of the match, or in the groups of these names
GLOSS, AFTER = "gloss", "after"  # drop the match and what follows it: GLOSS as the first step, AFTER as the last

WORDS: dict[str, str] = {  # _ is a blank
    "wrong": "不相?符 不合 不一致 不正[常确] 不恰?当 不[对通妥] 矛盾 冲突 相悖 错误 有误 违背 反常 奇怪 (?<!没)有问题 对不上 inconsistent contradict wrong",
    "slot": "文本 文字 片段(?!有) 内容 (?<!大)部分 词语 句子 地方 地点 时间 答案 结论 结果 原因 事件",
    "copula": "(?:应[该当]?|可能|就|主要|大概)?(?:是|为) 即 有 在于",
    "answer": "答案 短语(?!\\d) (?<![ab])(?<![ab]的)回答 (?<!回)答 结论 结果 输出 抽取 最终 answer result span",
    "filler": "好的 当然 可以 嗯 没问题 sure okay certainly hi_there 您好 哈哈 (?:这是一?个?)?很?好的?问题",
    "final": "综上 综上所述 因此 所以 总之 由此可[见知] 可见 最终 故 总的来说 综合[^,。:]{0,10}(?=,) therefore thus so as_a_result",
    "back": "更正 纠正 抱歉 对不起 等等 等一下 不对 哦不 不 说错了 wait sorry actually correction",
    "explain": "解释 理由 分析 解析 说明 依据 注 修改 改为 应为 reason explanation note analysis",
    "because": "因为 由于",
    "therefore": "所以 因此 因而 于是 从而 导致 造成 引起 使得",
    "mention": "提到 提及 说明 给出 指出 交代 涉及 出现",
    "right": "符合 合理 正常 正确 一致 连贯 没有?问题",
    "unable": "无法 不能 没办法",
    "field": "answer 答案 span text cause",
    "aside": "task question reason evidence explanation speaker correct note type 理由 依据 解释 说明 分析 改 类型 问题",
    "infer": "看出 得知 知道 推断 推测 判断 发现",
}

PARTS = {
    "mark": r"[ ]*(?:[-*•·●○▪]|[(]?\d{1,2}[.、):](?!\d)|[(][一二三四五六七八九十a-e][)]|[a-e][.、)]|[一二三四五六七八九十][、.]|第[一二三四五][,:、])[ ]*(?=\S)",
    "speaker": SPEAKER.pattern,
    "item": r"(?:(?!@step|@explain[:\n]|(?:短语|片段|答案)[ ]?:)[^\n]){1,60}",
    "quoted": r"(?:“[^“”\n]{1,80}”|「[^「」\n]{1,80}」|『[^『』\n]{1,80}』|\"[^\"\n]{1,80}\"|‘[^‘’\n]{1,80}’)",
    "step": r"(?:首先|步骤|第[一二三]步|通读|分析|询问|提到|我们|对话中|可以看出|因此|根据)",
    "value": r"[\"'][ ]?:\s?(?:\[(?P<list>[^\]]*)|[\"'“](?P<span>[^\"\n]*?)(?:[\"'”]\s*(?=[,}\]\n])|[\"'”]?\s*$))",
}

SpanRow = tuple[str, str, tuple[str, ...], str, str]
# fmt: off
ROWS: tuple[SpanRow, ...] = (
    ("declines", REFUSE, ALL,
     r"[^。\n]{0,14}?(?:作为(?:一|人工).{0,8}(?:ai|模型|智能|助手)|我只?是一.{0,8}(?:ai|模型|助手)|我(?:@unable|不(?:知道|清楚))|(?:抱歉|对不起|很遗憾)[,。!]?(?:我|但|这|对话|由于)|@unable.{0,4}(?:回答|确定|从|根据|给出|抽取|提供|@infer)|请您?(?:再|先)?(?:提供|补充|[把将][^,。]{0,24}(?:对话|原文|内容)[^,。]{0,6}(?:发|贴|给))|i(?:['’]m| am) (?:sorry|unable|an ai|not able)|i (?:cannot|can['’]t|do not know|don['’]t know)|as an ai|sorry, (?:but )?i|cannot be determined|there is not enough|您好[,!。]?(?:请问|我是|很高兴|有什么)|how can i help|信息不足|不(?:知道|清楚|确定)$|[^。\n]{0,30}?我(?:没有?|未)(?:看|收)到[^,。]{0,8}(?:对话|内容))",
     "抱歉，我无法回答。"),
    ("two turns", CHAT, ALL, r"\s*@speaker[^\n]*(?:\n+@speaker|[。!?~… ][ ]?[ab][ ]?:)|(?:[^\n]*?[。!?~… ][ ]?[ab][ ]?:){3}|[^\n]{0,60}:[ ]*\n+(?:@speaker[^\n]++\n+){4}", "B: 好的，那我们走吧。\nA: 走。"),
    ("box", FIELD, ALL, "\ue001(?P<span>[^\ue001\ue002]*)", "<answer>⟦羽绒服⟧</answer>"),
    ("table", FIELD, OTHERS, r"(?:^|\n)[ ]?\|(?![^\n]*\n[ ]?\|[ :|-]+(?:\n|$))(?P<head>[^|\n]+)\|(?P<span>[^|\n]*[^\W_][^|\n]*)\|", "| 原因 | ⟦x减肥成功⟧ |\n| 说明 | 天热 |"),
    ("table, its only row", FIELD, ALL, r"\|(?:[ ]*(?:正确|最终)?@answer[ ]*\|[^\n]*|[^|\n]+\|[ ]*@explain[ ]*\|)\n[ ]?\|[ :|-]+\n[ ]?\|(?P<span>[^|\n]+)\|[^\n]*(?=$|\n(?!\|))", "| 答案 | 依据 |\n|---|---|\n| ⟦x减肥成功⟧ | “变成90斤了” |"),
    ("json", FIELD, ALL, r"[\"'][^\"'\n:]{0,30}@field[^\"'\n:]{0,30}@value", "{\"answer\": \"⟦羽绒服⟧\"}"),
    ("json, other key", FIELD, ALL, r"[\"'](?![^\"'\n:]*@aside)[^\"'\n:]{1,30}@value", "{\"phrase\": \"⟦羽绒服⟧\"}"),
    ("yaml", FIELD, ALL, r"(?:^|\n)(?=[a-z_]*@field)[a-z_]{2,20}:[ ](?P<span>[^\n]+)(?=\n[a-z_]{2,20}:|$)", "question: x\nspan: ⟦羽绒服⟧"),
    ("list", LIST, ALL, r"\s*+(?:[^\n]*(?::|如下|以下|有)[^\n\w]{0,3}\n+)?(?P<span>(?:@mark@item\n+)+@mark@item)(?=\n*$|\n+(?!@mark)(?![\s\S]*(?:结论|答[案:]|(?:短语|片段|phrase|span)[ ]?:|所以|因此|综上|可以判断|可见)))", "⟦1. 羽绒服\n2. 热死人了⟧"),
    ("turns", LIST, (CONFLICT,), r"[\s\S]{0,60}?:[ ]*\n+(?P<span>(?:[ab]:[^\n]++\n+){1,3}[ab]:[^\n]++)(?!\n+[ab]:)", "不符的文本包括：\n⟦A: 买点羽绒服吧。\nB: 很凶猛的⟧"),
    ("list in a line", LIST, ALL, r"[^\n]*?(?:(?<=[:。\s])|(?<![\s\S]))(?P<span>[(]?1[.、)][ ]?(?!@step)\S.{0,80}?[;,、 。][ ]?[(]?2[.、)][ ]?(?!.*@step)\S.*)", "⟦1. 羽绒服；2. 热死人了⟧"),
    ("explanation", BREAK, ALL, r"[ ]*(?:[-*•]|\d[.、)])?[ ]*[(【\[]?(?:@explain)[】\])]?[ ]?[:\n]", "⟦羽绒服⟧\n\n理由：天气热。"),
    ("sentence end", PART, ALL, r"[。!?;]++(?![”」』\"])|(?<=[。!?;][”」』\"])(?![里中])|\n+|(?<!\d)\.(?=\s|$)", "⟦羽绒服⟧。天气热不用买。"),
    ("cell", PART, (CONFLICT,), r"[ ]?\|[ ]?", "| 片段 | 判断 |\n|---|---|\n| ⟦羽绒服⟧ | 不符 |"),
    ("taken back", PART, ALL, r"(?<![…—~.,;。!?])[…—~.,;。!?]++[ ]?(?=(?:[哦啊噢呃嗯],?)?(?:@back)[,。…!:~ ])", "一个小时……哦不，问的是频率，那就是⟦每天⟧。"),
    ("therefore it is", PART, (CONFLICT, FACT), r",[ ]?(?=(?:所以|因此|因而|故|由此可见|可见|综上),?[^,。\n“「]{0,40}?[是为:“「]|[^,。“”\n]{0,6}(?:抽取|答案|输出)[^,。“”\n]{0,6}[是为:])", "天气很热，所以不符的是⟦羽绒服⟧。"),
    ("therefore the cause is", PART, EVENTS, r",[ ]?(?=(?:所以|因此|因而|故|可见),?(?:[^,。“”]{0,12}的)?(?:@slot)[是为:])", "A说自己瘦了很多，所以原因是⟦x减肥成功⟧。"),
    ("announcement", JOIN, ALL, r"[^\n]*(?::|(?:@slot|的[^\W_]{2,4}|@wrong的)(?:应?该?是|为)|text is|answer is)[“\"「]?[ ]*$|[^\w\n]{0,4}(?:\d[.、][ ]?)?(?:最终|我的|正确|提取)?(?:@answer|(?:@wrong)的?(?:@slot|@answer))[ ]*$", "## 答案\n\n**⟦羽绒服⟧**"),
    ("nothing", NOTHING, ALL, r"(?:无|没有|没找到|未找到|none|n/a|null|nothing|不存在|空|[a-e](?:[,、和 ]+[a-e])+)$", "无"),
    ("nothing is mentioned", NOTHING, ALL, r"[^。,“”\"「」]{0,20}?(?:没有?|未|并未)(?:明确|直接|具体)?地?(?:@mention)(?![^“”]*,(?:但是?|不过|然而)[^“”]{0,10}(?:@infer))", "对话中没有提到频率。"),
    ("cannot be told", NOTHING, ALL, r"[^“”]*,(?:(?:因此|所以)?(?:@unable)[^,“”]{0,10}?(?:确定|回答|@infer)[^,“”]{0,8}|(?!因)[^,“”]{0,12}(?:未|没有)(?:@mention))$", "对话在关键处被截断，看不到比赛带来了什么，因此无法确定。"),
    ("asks back", NOTHING, ALL, r"[^\n]{0,30}?(?:请问[^\n]{0,12}指|[您你]是?(?:想|要|需要|说的|指|问)|(?:could|do|did) you)[^\n]*?(?:还是[^\n]*|对吗|是吗|吗|呢|是谁|什么|哪[^,]{0,6}|[a-z] or [^\n]*|clarify[^\n]*)$", "您要的是原因，还是结果？"),
    ("nothing is wrong", NOTHING, (CONFLICT,), r"(?:.*[,:”])?[^,:“”其除]{0,20}(?:没有?|无|不存在|未发现|找不到)[^,:“”其除]{0,16}(?:@wrong)[^,:“”]{0,12}(?:$|[,:][^“”]*$)", "没有不符的文本。"),
    ("nothing to extract", NOTHING, (CONFLICT,), r"没有(?:任何|需要|符合)", "没有需要抽取的文本。"),
    ("all is right", NOTHING, (CONFLICT,), r"[^。“”\"「」]{0,24}(?:都|均|全部|前后|皆|对话|文本)(?:@right)", "对话内容都符合常识。"),
    ("there is no", NOTHING, ALL, r"(?:therefore |so )?there (?:is|are) no\b|(?:the )?(?:given |provided )?(?:dialogue|conversation|text|context) (?:does(?: not|n't)|has no|contains no)|not mentioned", "There is no conflicting text."),
    ("question to oneself", SKIP, (CONFLICT,), r"[^:]*(?:有没有|是否|哪[些里个])", "我们看看哪些地方有矛盾。"),
    ("row of a table", SKIP, OTHERS, r"[^\n|]*\|", "| 店铺 | 花店 |\n⟦x减肥成功⟧"),
    ("question again", SKIP, OTHERS, r"[您你]是?(?:想|要)?问[^。!?]*$", "您问x为什么开心？⟦x减肥成功⟧。"),
    ("filler", SKIP, ALL, r"(?:@filler)+[ ]*$", "Sure! ⟦羽绒服⟧"),
    ("preamble", SKIP, ALL, r"(?:@filler[,!。]?)?[ ]?(?:首先|让我们?|我们?(?:先|来|需要|要)|下面|接下来|let me|let's|first)[^“”「」:]{0,30}?(?:理解|分析|看|阅读|读|找|判断|回答|analy|look|read|find)[^“”「」:]{0,40}$", "让我们来分析一下这段对话。"),
    ("correction", TURN, ALL, r"[ ]*(?:@back)(?:[,:。!…~ ]|的)", "“热死人了”。不对，应该是“⟦羽绒服⟧”。"),
    ("after a correction", INSTEAD, ALL, r"[ ]*(?:而?应该?(?:是|为)|正确的?(?:答案)?应?该?是|答案(?:应该)?是|真正的[^,。]{0,6}是)", "x变瘦了。不对，那是结果。应该是⟦x坚持运动⟧。"),
    ("conclusion", CONCLUDE, ALL, r"(?:@wrong)(?!的?(?:@explain)[ ]?:)[^,。“”\n]{0,8}?(?:的(?:@slot)|的?(?:@slot)?(?:@copula|:))|(?:其中|这里|里面|这句话?[里中])的?,?@quoted(?:[与和跟同][^“”]{0,8}@quoted)?[^“”没]{0,24}@wrong|(?:文本|短语|片段|答案|结论)(?!有)(?:@copula|:)|抽取[^,。“”]{0,8}[“「]|问题就?出在|(?:最终|正确)?答案?[ ]?:|answer[ ]?(?:is|:)|(?:text|span|phrase|part|word|cause|reason)[^.\n]{0,60}(?:is|are)[ ]?:?[ ]?[“\"「']",
     "通读对话，A提到天气热，“热死人了”也是这个意思。综上，不符的文本是：⟦羽绒服⟧。"),
    ("answer line", LABEL, ALL, r"(?:(?:@final),)?[^:,。!?“”\"「」\n]{0,12}@answer(?!有)[^:,。!?“”\"「」\n]{0,6}[:\n|]", "第一次尝试：“热死人了”。\n\n修正后的答案：⟦羽绒服⟧"),
    ("last line", LAST, ALL, r"(?!.{0,6}(?:@explain))[^:,。!?“”\"「」\n]{1,16}:[ ]*\S", "先看第三句，前后对不上。\n\n最后一行：⟦羽绒服⟧"),
    ("final sentence", FINAL, OTHERS, r"[ ]*(?:@final)(?:(?<![a-z])|(?![a-z]))", "A说自己瘦了很多，B也恭喜A，两个人都高兴地聊了起来。总之，⟦x减肥成功⟧。"),
    ("judged sentence", FINAL, (CONFLICT,), r"“[^“”]{1,60}”[^“”]{0,24}(?:@wrong)", "我们一句一句地看。“热死人了”是合理的。因此，“⟦羽绒服⟧”这一处有问题。"),
    ("reasoning", REASON, ALL, r"对话|通读|分析|[这本]道?题|题目|[这要][^,。]{0,6}问题|思路|首先|以为|可以看|注意看|可以发现|提到|我们|上下文|[ab]说(?!不)|:$|根据|让我|先看|看一下|dialogue|speaker|step|says|instead|let me|\|", "B说很热，A说要买衣服。因此，“⟦羽绒服⟧”这一处有问题。"),
    ("replacement", TAKE, (CONFLICT,), r"(?:把|将|change|replace)[ ]?[“\"「]?(?P<span>[^“”\"「」\n]{1,60}?)[”\"」]?[ ]?(?:这[个一]?[词句]话?)?(?:改|换|替换|修改|更正|with|to)", "应将“⟦羽绒服⟧”改为“短袖”。"),
    ("not this but that", TAKE, (CONFLICT,), r"不(?:(?:应该?|应当|会|可能)是?|是)[ ]?[“\"「]?(?P<span>[^“”\"「」,\n]{1,40}?)[”\"」]?[ ]?,?[ ]?(?:而(?:应该?|应当)?是|应该?是|应为)", "不应该是“⟦羽绒服⟧”，而应该是“短袖”。"),
    ("used for", TAKE, (FACT,), r"(?:用来|用于)(?P<span>[^,。“”]{2,80}?)的?$", "桑塔纳主要是用来⟦代步⟧的。"),
    ("brought about by", TAKE, (CAUSE,), r"由于?(?P<span>[^,。“”]{2,80}?)(?:所|而)?(?:引起|造成|导致|引发)的$", "事件“x开心”是由⟦x减肥成功⟧引起的。"),
    ("only because of", TAKE, (CAUSE,), r"(?<=是)(?:@because)(?P<span>[^,。“”]{2,80}?)[才而][^,。“”]{1,30}的$", "x是因为⟦减肥成功⟧才开心的。"),
    ("phrase", TAKE, (CONFLICT,), r"(?:phrase|text|sentence|part|span)[^\"“\n]{0,20}[\"“](?P<span>[^\"”\n]+)[\"”]", "The phrase \"⟦羽绒服⟧\" is not consistent."),
    ("filled in", TAKE, ALL, r"(?:填|(?<!候)选|写|(?<!的)回答)[^,。“”]{0,4}“(?P<span>[^”\n]+)”", "所以我们填“⟦x减肥成功⟧”就可以了。"),
    ("speaker", MARK, ALL, r"@speaker", "A: ⟦羽绒服⟧"),
    ("list marker", MARK, ALL, r"@mark", "1. ⟦羽绒服⟧"),
    ("bracketed label", BEFORE, ALL, r"【[^】\n]{1,8}】[ ]*:?[ ]*", "【不符处】⟦羽绒服⟧"),
    ("filler before", BEFORE, ALL, r"(?:@filler)[,。!~:]+[ ]*", "好的，答案是：⟦羽绒服⟧。"),
    ("conclusion word", BEFORE, ALL, r"(?:@final)(?:(?<![a-z])|(?![a-z]))[,:]?[ ]*", "所以⟦羽绒服⟧"),
    ("according to", BEFORE, ALL, r"(?:[^,。“”]{0,4}可以?@infer[出到]?|在(?:这段)?对话中|根据|基于|结合|按照|(?:从|由|通过)[^,:。\n“「]{0,10}(?:对话|文|内容))[^,:。\n“「]{0,24},[ ]*|(?:based on|according to|from|in) (?:the|this) [a-z ]{2,30},[ ]*", "根据对话，⟦x减肥成功了⟧"),
    ("inferred although not said", BEFORE, ALL, r"[^“”]{0,20}(?:没有?|未)[^,“”]{0,8}(?:@mention)[^,“”]{0,8},(?:但是?|不过|然而)[^“”]{0,10}?(?:@infer)(?:出|到)?", "对话里没有直接提到，但可以推测是因为⟦x减肥成功⟧。"),
    ("heading", BEFORE, ALL, r"(?:\d[.、][ ]?)?(?:最终|我的|正确|提取)?(?:@answer|@wrong的?(?:@slot|@answer))[ ]*(?:\n+|\|)", "## 答案\n\n**⟦羽绒服⟧**"),
    ("label", BEFORE, ALL, r"(?:[a-z' -]{1,90}|[^:,。!?;\n“”\"「」《]{1,60}?)(?:(?<!\d):|:(?!\d))\s*(?!\d\d)", "抽取结果：⟦羽绒服⟧"),
    ("subject", BEFORE, ALL, r"[^:。!?\n“”\"「」]{0,40}?(?:@slot|@wrong[^,:。\n“”\"「」]{0,10}?)[ ]?(?:@copula)(?:指|说)?[ ]?:?\s*(?=\S)", "不符的文本是⟦买点羽绒服吧⟧"),
    ("about the event", BEFORE, OTHERS, r"(?:导致|引起|造成)?了?(?:事件)?“[^”\n]{1,60}”[^:。,\n“”]{0,24}?(?:@because|(?:@slot)[ ]?(?:@copula)|@copula)[ ]?:?\s*(?=\S)", "事件“x开心”是因为⟦x减肥成功⟧"),
    ("mentioned", BEFORE, (CONFLICT,), r"(?:在?对话|文)中?[^,:。“”]{0,6}?(?:提到|出现|说|写)的|[ab](?:说|提到|表示)[的了]?(?=\w)", "B说⟦这个天快冷死人了⟧"),
    ("within a quotation", BEFORE, (CONFLICT,), r"“[^“”]+”(?:这[一句话]{1,3})?[里中]的?,?(?=“)", "应该是“买点羽绒服吧”中的“⟦羽绒服⟧”。"),
    ("it causes", BEFORE, (EFFECT,), r"(?:这|从而|进而|于是)?(?:导致|造成|使得?)了?", "这导致⟦B嗓子哑了⟧。"),
    ("opinion", BEFORE, ALL, r"我(?:认为|觉得|想)|i (?:think|believe) ", "我认为是“⟦羽绒服⟧”"),
    ("english words", BEFORE, ALL, r"(?:(?:[a-z][a-z'’-]*[, ]+){2,20}?(?:is|are|was|for|of|that|because|text)|(?:[a-z][a-z'’-]* ){0,20}?(?:at|in|on|to|by|before|after|until|from))[ ]*:?[ ]*(?=[“‘\"「]|[abxy]?[^\x00-\x7f])|(?:(?!since|because)[a-z][a-z'’-]*[, ]+){3,20}(?=[“\"「][^“”\"」]+[”\"」][ (]*[^a-z]*$)", "The car is mainly used for ⟦代步⟧."),
    ("english subject", BEFORE, OTHERS, r"the [a-z ]{2,40} (?:is|was)(?: that)? ", "The cause is that ⟦x lost weight⟧."),
    ("it is", BEFORE, ALL, r"(?:就|应该?|可能|其实|那么?|那就)?是(?=[“\"「])|应该是|就是|那就是|应为", "应该是⟦羽绒服⟧"),
    ("therefore", HALF, EVENTS, r",?[ ]?(?:才|就|会|从而)?(?<!之)(?:@therefore)了?(?:事件)?", "⟦x减肥成功⟧，所以x很开心。"),
    ("because", HALF, EVENTS, r",?[ ]?(?:就|都|主要)?是?(?:@because)", "x今天很开心，因为⟦x减肥成功⟧"),
    ("afterwards", HALF, (EFFECT,), r"(?:之后|以后|后|时|的时候),", "B连唱了五首歌之后，⟦嗓子哑了⟧。"),
    ("because of all that", HALF, (CAUSE,), r"^(?:@because)(?P<cause>.+),(?!而|并|且|同时)(?P<effect>(?:(?!,(?:而|并|且|同时)).)+)$", "由于⟦x减肥成功⟧，x很开心"),
    ("because, so", HALF, (EFFECT,), r"^(?:@because)(?P<cause>.+?),(?:结果)?(?P<effect>.+)$", "因为B连唱了五首歌，⟦B说不出话⟧"),
    ("because of", OPEN, ALL, r"(?:(?:可能|应该|主要|正)?(?:就?是)?(?:@because)|之所以|(?:because(?: of)?|due to)[ ])[ ]?[,:]?[ ]*", "因为⟦x减肥成功⟧"),
    ("is", OPEN, OTHERS, r"(?:是(?![的否不])|位于)(?=..)", "是⟦x减肥成功⟧"),
    ("a kind", OPEN, (KIND,), r"(?:是|属于)?一[个种](?:属于)?", "一种⟦运动⟧"),
    ("several quotations", QUOTE, ALL, r"(?P<span>@quoted(?:[ ]?(?:[、,和与及;]|以及|还有)?[ ]?@quoted)+)", "⟦“羽绒服”和“热死人了”⟧"),
    ("quotation before a remark", QUOTE, OTHERS, r"(?P<span>@quoted)(?=[ ]?[,(—-])", "答案是“⟦x减肥成功⟧”，很不容易。"),
    ("quotation", QUOTE, (CONFLICT,), r"(?P<span>@quoted)", "“⟦羽绒服⟧”不该有"),
    ("quotation called wrong", QUOTE, (CONFLICT,), r"(?:[^“”]{0,12}@quoted(?:这[一句话]{1,3})?[里中]的?)?[^“”]{0,12}(?P<span>@quoted)(?=(?:[与和跟同][^“”]{0,8}@quoted)?[^“”没]{0,24}@wrong)", "对话中“⟦羽绒服⟧”一句有误，改为“短袖”就通顺了。"),
    ("but a quotation", QUOTE, (CONFLICT,), r"[^“”]*(?:(?:但是?|却是?|可是|而)|(?<=\w)(?<!应当是)(?<!应为|改为|改成|换成))(?P<span>“[^“”]+”)[^“”]*$", "A说天气热，却“⟦买点羽绒服吧⟧”。"),
    ("probability", AFTER, ALL, r"[ ]?[(]\d{1,3}%[)]", "⟦羽绒服⟧ (70%)，热 (30%)"),
    ("gloss", GLOSS, ALL, r"(?<!:)[ ]?[(\[【][^()]*[)\]】]?$", "⟦羽绒服⟧（天气热不会买）"),
    ("explanation behind", AFTER, ALL, r"[,;—–-]{1,2}[ ]?(?:@because|也就是(?!要|想)|换句话说|即(?!使|将|便)|具体来说|理由|这(?:与|和|句|里|个|就?是|显然|说)|说明|because|since|which)", "⟦羽绒服⟧，因为天气很热。"),
    ("is the cause", AFTER, (CAUSE,), r"就?是[^,。“”]{1,40}的(?:主要|直接)?(?:原因|前提|目的)$", "⟦x减肥成功⟧是x开心的原因。"),
    ("guess", AFTER, EVENTS, r"吧$", "应该是⟦x减肥成功⟧吧。"),
    ("arrow", AFTER, ALL, r"[ ]?(?:->|=>|→|——|--[ ])[ ]?", "⟦羽绒服⟧ → 短袖"),
    ("correction behind", AFTER, (CONFLICT,), r"[”\"」]?[,;]?[ ]?(?:(?:正确|合理)的?[^,。“”]{1,4})?(?:应该?)?(?:改为|改成|替换为|换成|修改为|应?为(?=[“\"「])|应该?是|应当)", "⟦羽绒服⟧应改为短袖。"),
    ("judgment behind", AFTER, (CONFLICT,), r"[”\"」]?,?[ ]?(?:(?:这|一[词句])[^,。“”]{0,8}?)?(?:[与和跟](?:(?!是)[^,。]){1,30}?|是|is[ ])?(?:@wrong)", "⟦羽绒服⟧与上下文不符"),
)
# fmt: on


class SpanRule(NamedTuple):
    """A row of the table with its pattern compiled."""

    name: str
    act: str
    kinds: tuple[str, ...]
    pattern: re.Pattern[str]
    rank: int


@lru_cache(maxsize=1)
def rules() -> tuple[SpanRule, ...]:
    """The table, compiled once."""
    return compile_rows(ROWS, WORDS)


def compile_rows(rows: tuple[SpanRow, ...], words: Mapping[str, str]) -> tuple[SpanRule, ...]:
    """Rows with their words put in and their patterns compiled."""
    lists = {name: sorted(text.replace("_", r"\s").split(), key=len, reverse=True) for name, text in words.items()}
    parts = PARTS | {name: f"(?:{'|'.join(list_)})" for name, list_ in lists.items()}

    def pattern(text: str) -> re.Pattern[str]:
        while "@" in text:
            text = re.sub("@([a-z]+)", lambda part: parts[part[1]], text)
        return re.compile(text)

    return tuple(
        SpanRule(name, act, kinds, pattern(text), rank) for rank, (name, act, kinds, text, _) in enumerate(rows)
    )
