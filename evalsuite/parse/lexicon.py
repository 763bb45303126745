"""The words that the reader of choices knows: cue words, words of the same meaning, phrases that decline.

Words are in simplified Chinese and lower-case English, as `chars.fold` and `chars.lower` return text. "_" is a blank;
"(no|not)_a" is two words, "no a" and "not a". A labelled reply needs each word and each alternative of a bracket:
tests/test_words_needed.py takes them out one at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product

from evalsuite.parse.chars import key

# fmt: off
# Class, a character of the tape -> words. Of overlapping words the longest counts.
CUES: dict[str, str] = {
    "S":  # a noun that stands for the answer itself
        "答案 正确(|的)选项 prediction (我的|最终)判断 正解 (回复|结果|输出): answer(|s) antwort_(ist|lautet) respuesta_correcta (resposta|alternativa)_correta (final|my)_choice print return 정답 (ans|response|output|result): (choices|selection)\": verdict (majority|final_vote):",
    "p": "选项 候选项 句子 观点 option choice letra alternativa",  # the word 选项 before a name
    "s": "(他|她|”)指的 领域 关系 类型 类别 结论 判断 mask 空格 横线 relation(|ship) domain category blank label",  # a noun that stands for the answer if a copula follows
    "C":  # a verb of choosing
        "选 取众数 (后|应|故)取 推荐 填 挑 猜 答 站 我投 支持 同意 果断 指向 (倾|偏)向 归(入|到) 改(成|为) 不得不选 我是说 cho(ose|se) (pick|select)(|ed) supports go_for (go|going|went|stick)_with opt_for lean(|ing) point(|s)_to "
        "(change|switch)_to guess i('d|_would)_(say|keep) i_meant",
    "o": "必须 觉得 感觉 看来 估计 我想 (definite|clear|obvious)ly think believe inclined_to",  # a verb of opinion
    "h": "说不定 八成 多半 大概 probably maybe perhaps possibly",  # a hedge
    "V": "而 但 but rather",  # contrasts with the option rejected before
    "J": "将 把",  # precedes the object that is chosen or filled in (将 b 填入)
    "U": "不如",  # rejects what stands before (a 不如 b)
    "=": "是 为 即 ”指 (合|总|共)计 (总|一)共 出自 属于 对应 应该(|是) 原因有 (主要|首要|根本|直接)原因是 主要是 还是 大概率是 莫过于 梗系 est es refer(|s)_to is are be was 's you_should should_be belongs_to falls_under",  # a copula
    "l": "剩 留下 what_remains_is that_leaves leaves_us",  # leaves what follows
    "X": "不(是|认为|考虑|建议|看好|太像|像) 并非 绝非 与其 误选 别选 (称|算)不上 neither nor",  # rejects what follows
    "n": "而非 优于 大于 没有 not rather_than",  # rejects what follows, as a contrast to what stands before
    "x": "(|可以)排除 剔除 去掉 pass 淘汰 划掉 ruled_out rule_out (eliminat|exclud|reject)(e|es|ed|ing) discard",  # rejects what stands before or behind
    "N":  # negates the word that follows
        "不(|能|应该|应当|一定) 没 未 无法 没有(理由|必要) (do|does|did|is|are|was|ca|wo|would|could|should)n't (do|does)_not can(|_)not never no_longer",
    "+":  # calls what stands before right
        "排第一 放在第一位 正确 对的 合适 恰当 贴切 准确 完全符合 可能性最大 是唯一 最能 保留 是(主要|首要|根本|直接)原因 才是真正的原因 (当|入)选 (最|更)(|为|有)(贴近|直接|符合|吻合|合理|可能|接近|适合|匹配|充分|像|好|说得通) 最(佳|优) 更优 不二之选 为(准|主) 莫属 都没(错|问题) should_be_(chosen|selected) 没错 无误 没问题 √ 胜出 correct right best better "
        "true closest (most|more)_(likely|probable|appropriate|suitable|accurate|fitting|plausible|reasonable)",
    "w":  # calls it right, weakly: it may be said of several options
        "符合 吻合 相符 合理 一致 (说|讲)得通 说得过去 匹配 成立 通顺 适合 有道理 找到依据 靠谱 有据可依 不错 契合 贴合 同义 相关 切题 于法有据 plausible fit(|s) match(|es) suitable appropriate supported explain(|s) make(|s)_(|perfect_)sense reasonable "
        "consistent",
    "y": "可能 可以 likely possible",  # says that an option is possible
    "-":  # says that what stands before is wrong
        "错(|误) 误 落选 无从谈起 去不成 不(可能|太可能|对|符|符合|妥|通|通顺|存在) 站不住脚 无关 商榷 于法无据 没(|有)关系 矛盾 相悖 牵强 过于绝对 值得怀疑 难以成立 (没有|缺乏|无|找不到)(依据|根据|道理) (没有|没|未)(提到|提及|涉及|体现|出现) wrong "
        "less_(suitable|appropriate) incorrect inappropriate irrelevant false unlikely inaccurate unsuitable unrelated implausible impossible no_support incorreta "
        "contradict(|s)",
    "a": "也",  # also
    "A": "还 同样 另外 或 以及 also or and",  # adds to the choice before
    "F":  # introduces a conclusion
        "综上(|所述) ∴ 因此 所以 故 总之 最终 综合来看 可见 合起来 总的来说 therefore thus so hence finally overall in_(conclusion|summary)",
    "f": "那么 那就 的话",  # introduces a conclusion from a supposition
    "K":  # corrects what was said before
        "等等 等一下 (更|修|纠)正 改一下 抱歉 对不起 错了 (哦|啊)不 (再|仔细)想想 重新考虑 其实 实则 实际上 准确地说 wait actually sorry correction edit: scratch_that on_second_thought my_mistake no, hold_on "
        "hmm, 硬要选 (如果|若|要是)(必须|只能|一定要|非要|是单选|题目是单选) if_only_one if_i_(had|have)_to",
    "R": "因为 由于 理由 解析 解释 原因是 是因为 毕竟 because who_was since due_to as_(the|it) reason",  # begins a reason
    "I": "如果 假如 若 要是 要不是 例如 if would_be_(right|correct)_if",  # if
    "H": "即使 哪怕 虽然 尽管 看似 乍一看 以为 一开始 起初 初看 (有人|有的同学|有同学|网友|很多人)(|会|可能会)(认为|说|选|觉得) tempting one_might (some|readers)_(might|would) (many|most)_people people_(are|tend|often) although though while at_first initially",  # concedes something
    "?": "吗",  # asks
    "L":  # introduces a list of the choices
        "候选 以下选项 选项有 给出的选项 分别(是|为) (options|choices)_are candidate(|s) the_options",
    "i": "包(括|含) 从 在 from between among",  # introduces some of the choices
    "P": "排序 第一名 (从|由)(高到低|大到小) 按可能性 依次 rank(ing|ed)",  # introduces a ranking
    "D": "其次 再次 次(之|选) 第(二|三|四|五)(名|:) 排第二 第二选择 备选 alternatives 然后是 最不可能 也是原因之一 secondly",  # a second choice
    "E": "除(|了) except other_than apart_from",  # except
    "O": "其(他|它|余) 别的 the_(others|rest)",  # the others
    "0": "以上(|选项)(都|均)不 不下结论 (没有|未能|未)(形成结论|达成一致) neither_(option|one|is) 无(正确|直接适用) 没有(正确|合适|任何选项|一个) none no_(correct|option)",  # none
    "z": "都没",  # none of those named
    "B": "都 均 皆 全(部|选) 两者 everything both all either",  # all
    "~": "(他|她|们)的选择 问的是 需要是 若(干|无) 可是 总是 只是 原来是 成为 作为 行为 为了 不过 不仅 不妨 现在 故事 错过 过错 也许 如果我没理解错 候选人 故意 是否 没有(足够|更多) which_(|one_)is_correct",  # words that contain a cue word but are none
    "u": "唯一 只有 只能 唯有 only",  # only
    "c": "比",  # compares: a 比 b
    "1": "选(这个|它|这一项) 填它 一并选上 this_one",  # chooses the option under discussion
    "e": "填法 完整的(句子|对话) 填入后",  # a sentence with the gap filled in
    "Y": "yes",  # yes
    "Z": "no",  # no
}

LEXICON: dict[str, str | tuple[str, ...]] = {
    # To exchange one of these characters for another of them is never a slip (rule 2): it may reverse a statement.
    "opposed": "不没无未非别零一二三四五六七八九十百千万两半几多少大小高低长短前后早晚上下左右内外增减加升降好坏有男女父母爸妈爷奶哥姐弟妹"
    "冷热贵贱快慢远近新旧胖瘦强弱胜负输赢买卖开关进出来去东西南北春夏秋冬甲乙丙丁xyXY",
    # To add, drop or change one of these characters is never a slip.
    "decisive": "不没无未非别零一二三四五六七八九十百千万两半被xyXY0123456789",
    # Dropped before a synonym: "the cause".
    "prefixes": ("the", "an", "a"),
    # Dropped behind a synonym or an option's text that is one character off: 起因的关系.
    "tails": ("吧", "的关系", "关系", "领域", "选项", "类型", "类"),
}

# Words between slashes have one meaning (rule 11); they are keys (`chars.key`). A word picks an option only if exactly one
# option has that meaning; ambiguous words (因果关系, 包含关系) are left out and pick nothing.
MEANINGS = """
比较 对比 comparison contrast / 属性 特(征|点) 性质 attribut(e|ion) / 空间 地点 位置 space / 时间 time / 原因 起因 cause reason /
后果 结果 影响 result consequence effect / 前提 条件 prerequisite premise precondition / 事件原因 eventcause / 情绪原因 emotionalcause /
时间原因 temporalcause / 空间位置原因 spatialcause / 后续事件 (随后|之后)的事件 subsequentevent /
后续情绪反应 情绪变化 (subsequent|)emotionalreaction / 后续时间改变 时间变化 subsequenttimechange /
后续空间位置改变 位置变化 (subsequent|)locationchange / 发生时间 occurrencetime / 开始时间 starttime / 结束时间 终止时间 endtime /
持续时长 时长 duration / 频率 频次 次数 frequency / 发生位置 发生地点 地点 location / 用途 用处 作用 (be|)usedto purpose / 能力 本领 capableof /
相同物 同义词 equivalententity synonym / 相似物 近义词 similarentity / 相反物 反义词 oppositeentity antonym / 由制成 (材|原)料 (is|)madeof /
是的一部分 组成部分 (is|)partof / 在某个位置 所在位置 位于 atlocation / 空间上相邻 相邻 locatednear / 空间上包含 spatiallycontains /
空间上包含于 被包含 isspatiallycontained / 包括类型 hastype / x的属性 xattr / x的意图 x的(目的|动机) xintent(|ion) / x需要做的事 xneedto /
x的反应 x的感受 xreact(|ion) / 对x的影响 xeffect / y的反应 yreact / 对y的影响 yeffect / entailment true yes / contradiction false no /
西红柿 番茄 / 土豆 马铃薯 / 喜剧片 搞笑片 comedy / 恐怖片 鬼片 horrorfilm / 科幻片 科幻电影 / 偷税漏税 逃税
"""

# "…" is a gap of up to six characters.
_DECLINES = r"""
(作为|我是)…(ai|人工智能|语言模型|助手(?!段))
(无法|不能|难以)…(回答|作答|判断|选择|提供|确定)
不(?<![^\W我也还实]不)(知道|清楚|确定|明白|太会) 没有看到…对话 信息不足 缺少相关的上下文 请(|您)(提供|补充)
能(帮|为)(您|你) 很高兴(为|认识) 涉及…隐私
i('m|_am)_(sorry|unable|not_able|not_sure) i_(can't|cannot|do_not|don't)_(answer|determine|help|know|say|have) as_an_ai
cannot_be_determined (not_enough|insufficient)_(information|context) how_can_i_help
"""
# fmt: on


def expand(entries: str) -> Iterator[str]:
    """All words of entries that are separated by blanks.

    >>> [*expand("(no|not)_a fit(|s)")]
    ['no a', 'not a', 'fit', 'fits']
    """
    for entry in entries.split():
        parts = re.split(r"[()]", entry.replace("_", " "))
        yield from map("".join, product(*(part.split("|") for part in parts)))


def phrases(entries: str) -> re.Pattern[str]:
    """A pattern of any of the entries, in which "…" is a gap. Brackets at an entry's head are multiplied out: `re` passes quickly
    over characters that begin no alternative."""
    heads = re.compile(r"(?<!\S)\((\S+?)\)(\S*)")
    spelled = heads.sub(lambda entry: " ".join(head + entry[2] for head in entry[1].split("|")), entries)
    return re.compile("|".join(spelled.split()).replace("_", " ").replace("…", ".{0,6}"))


DECLINES = phrases(_DECLINES)


@lru_cache(maxsize=1)
def _meanings() -> dict[str, frozenset[int]]:
    return meanings(MEANINGS)


def meanings(entries: str) -> dict[str, frozenset[int]]:
    """Word -> the numbers of its meanings."""
    table: dict[str, set[int]] = {}
    for number, listed in enumerate(entries.split("/")):
        for word in expand(listed):
            table.setdefault(key(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in table.items()}


def _meaning(word: str) -> frozenset[int]:
    table = _meanings()
    if word not in table and word.startswith(LEXICON["prefixes"]):
        word = next((form for head in LEXICON["prefixes"] if (form := word.removeprefix(head)) in table), word)
    return table.get(word, _NO_MEANING)


_NO_MEANING = frozenset[int]()


def same_meaning(text: str, options: Sequence[str]) -> int | None:
    """The only option with the same meaning as a text, both given as keys; None if none or several.

    >>> same_meaning("搞笑片", ["科幻片", "恐怖片", "喜剧片"])
    2
    """
    if not (meaning := _meaning(text)):
        return None
    found = [index for index, option in enumerate(options) if meaning & _meaning(option)]
    return found[0] if len(found) == 1 else None
