"""Cue words around a mention that show whether it is chosen: the word lists, and one scan that finds them.

Words are in simplified Chinese and lower-case English, as `chars.fold` and `chars.lower` return text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from evalsuite.parse.chars import ends

# kind -> words. A kind is one letter, so that a sequence of cues is a string that regular expressions can match.
WORDS: dict[str, str] = {
    # S: a noun that stands for the answer itself
    "S": """
        答案 正确选项 正确的选项 正确的一项 正确答案 最终答案 最佳选项 最佳答案 正确领域 正确的领域 最终选择
        我的选择 答: 回答: 回复: 结论: 结论是 标准答案 参考答案 第一选择 首要选择 第一可能 最优选项 选择:
        选择了: 正解 结果: 作答: 输出: 回应: 最后回答 最终回答 最终结果 我的回答 我的判断 最终判断 answer
        correct_option correct_choice right_option best_option best_choice final_choice my_choice response:
        output: result: my_pick verdict correct_one right_choice right_one ans: ans. answer: 最终结论
    """,
    # s: a noun that stands for the answer if a copula follows
    "s": """
        选项 领域 关系 类型 类别 [mask] 空格处 空格 空白处 空白 横线处 横线 填空 mask处 遮盖处 掩码 判断 归属
        结论 option choice relation relationship domain category blank  label mask 处应 缺失的内容
        缺失处 所缺内容 被遮盖 此处 这里应
    """,
    # C: a verb of choosing
    "C": """
        选 选择 选取 选定 选出 应选 应选择 故选 挑选 挑 填 填入 填写 填上 填的是 倾向于 倾向 归为 归类为 归入
        归到 归于 改为 改选 改成 改填 更正为 修正为 纠正为 更改为 定为 猜 锁定 首选 判定为 判断为 确定为 敲定
        选用 补上 填充 补充 不得不选 不能不选 不妨选 选了 选的是 我会说 投 押 choose chose choosing pick picked
        select selecting selected go_with going_with went_with opt_for opting_for settle_on settling_on
        lean_toward lean_towards leaning_toward leaning_towards lean_to guess vote_for change_to changing_to
        switch_to i'd_say i_would_say bet_on my_bet_is filled_with fill_in 非 唯有 认准 硬要说 硬要选 非要说 非要选 一定要选 勉强算 答 得出 圈 站 而是 乃
        当选的是 没有比 没有什么比 没有哪个比 敲定为 i_mean i_meant 我是说 我的意思是 我是指
    """,
    # o: a verb of opinion
    "o": """
        认为 觉得 我想 感觉 看来 估计 think believe feel
    """,
    # h: a hedge
    "h": "probably maybe perhaps possibly 说不定 没准 八成 多半 十有八九 大约 大概 应该会 可能会选",
    # V: contrasts with the option rejected before
    "V": "but 而 却 rather",
    # J: precedes the object that is chosen or filled in (将 b 填入); U: rejects what stands before (a 不如 b)
    "J": "将 把",
    "U": "不如 不及 还不如",
    # =: a copula
    "=": """
        是 为 应为 应是 应该是 应当是 应该为 应该属于 属于 属 即 即为 就是 正是 便是 乃是 可能是 大概是 大概率是
        或许是 也许是 估计是 肯定是 一定是 必然是 无疑是 显然是 像是 似乎是 只能是 只有 仅有 只剩 只剩下 剩下 剩 仍是
        仍然是 仍为 还是 描述的是 对应的是 体现的是 表示的是 指的是 说的是 是属于 才是 归属于 构成 对应 对应于
        要数 当属 就要算 应 应该 is are be 's would_be should_be must_be could_be might_be may_be was belongs_to
        has_to_be can_only_be 就选 称为 毫无疑问是 无非是 莫过于
    """,
    # X: rejects what follows
    "X": """
        与其 与其说 不是 并不是 并非 绝非 而不是 而非 不选 不应选 不能选 不属于 不应是 不应该是 不应该选
        不可能是 不会是 不太可能是 不像是 不该选 不考虑 不建议选 不该是 不应当是 不可以选 不会选 不为 别选
        不要选 不再选 不支持 不认为是 不认为 不觉得是 不觉得 没选 没有选 不再是 不太像 不应为 不应填 不能填 不填
        无法选 不应归为 不能归为 称不上 算不上 谈不上 而不选 也不是 更不是 不是说 没有 并没有 绝不是 肯定不是
        决不是 未必是 不一定是 not isn't is_not rather_than instead_of neither nor wouldn't_pick wouldn't_choose
        don't_think unlike not_the cannot_be can't_be 不仅仅是
    """,
    # x: rejects what stands before or after
    "x": """
        排除 排除了 排除掉 可排除 可以排除 被排除 除去 剔除 去掉 否定 否定了 否决 淘汰 去除 划掉 删去 删掉
        pass掉 rule_out rules_out ruled_out ruling_out eliminate eliminated eliminates eliminating exclude
        excluded excludes excluding discard cross_out 先排除
    """,
    # N: negates the word that follows
    "N": """
        没有理由 没理由 没有必要 没必要 不宜 不值得 不 没 未 并不 不太 不够 不能 不会 不应 不应该 不应当 不可
        不该 不像 不怎么 无法 并未 不大 不是很 don't doesn't can't cannot won't wouldn't never no_longer aren't
        didn't does_not do_not can_not shouldn't
    """,
    # +: calls what stands before right
    "+": """
        正确 是对的 对的 合适 恰当 贴切 准确 确切 最符合 更符合 最吻合 更吻合 最为符合 最合理 更合理 可能性最大
        可能性最高 可能性更大 最可能 最有可能 更可能 更有可能 最大可能 概率最大 概率最高 最高 最大 胜出 最佳
        最好 更好 最优 最接近 更接近 最贴近 更贴近 为佳 为宜 为准 莫属 没错 无误 没有错 不会错 错不了 没问题 √
        当选 入选 选这个 选它 选这一项 选此项 选该项 最适合 更适合 最匹配 更匹配 最相关 最恰当 最像 更像 最对 最强 最说得通 更说得通 不二之选
        不二选择 唯一 更为合适 更贴合 最贴合 correct right best most_appropriate more_appropriate most_suitable
        more_suitable most_likely more_likely likeliest most_accurate most_fitting fits_best best_fit true
        better closest most_plausible most_reasonable
    """,
    # w: calls it right weakly; may hold of several options
    "w": """
        符合 吻合 相符 合理 说得通 匹配 可行 成立 通顺 讲得通 适合 一致 有道理 有可能 可能 也行 也对 也可以 可以
        都行 不错 契合 贴合 相关 likely plausible fits fit matches match suitable appropriate makes_sense
        possible reasonable consistent
    """,
    # -: calls what stands before wrong
    "-": """
        错误 错 错的 有误 不对 不正确 不准确 不合适 不恰当 不符 不符合 不妥 不行 不成立 不合理 不匹配 不相符
        不吻合 不一致 不契合 无关 不相关 矛盾 相悖 说不通 讲不通 不合常识 不合 不通 没有依据 没有任何依据
        没有根据 无依据 缺乏依据 没有提到 未提到 没提到 未提及 没有提及 没有涉及 没有体现 没有出现 不涉及 未涉及
        × 不可能 不存在 不可取 不适合 不贴切 不够准确 牵强 出局 不可选 不可以 不大可能 不太可能 不通顺 没道理
        没有道理 站不住脚 否 没有关系 没关系 不搭 不沾边 不靠谱 wrong incorrect inappropriate irrelevant false
        unlikely not_correct not_right not_mentioned doesn't_fit does_not_fit doesn't_match doesn't_make_sense
        contradict contradicts makes_no_sense inaccurate unsuitable unrelated implausible impossible
    """,
    # A: adds to the choice before
    "A": "也 还 还有 同样 另外 此外 又 亦 或者 或 以及 also too as_well or and 再加上",
    # F: introduces a conclusion
    "F": """
        综上 综上所述 因此 所以 故 故而 因而 总之 最终 最后 综合来看 综合考虑 综合分析 由此可见 可见 总的来说
        总结 那么 那就 于是 这样一来 据此 由此 总体而言 总体来看 归根结底 说到底 therefore thus so hence finally
        in_conclusion overall in_summary ultimately in_short to_sum_up consequently
    """,
    # K: corrects what was said before
    "K": """
        等等 等一下 等下 等会 更正 更正一下 纠正 修正 抱歉 对不起 不好意思 错了 说错了 我错了 写错了 搞错了
        看错了 弄错了 哦不 噢不 啊不 不不 再想想 仔细想想 仔细一想 重新考虑 重新看 其实 实际上 改口 准确地说
        准确来说 确切地说 再看看 wait actually sorry correction scratch_that on_second_thought my_mistake my_bad
        no, hold_on hmm, let_me_correct i_was_wrong 经复核 经过重新 重新思考 应当更正
    """,
    # R: begins a reason
    "R": """
        因为 由于 理由 原因是 是因为 是由于 because since due_to 毕竟 as_the as_it as_a explanation reason
    """,
    # H: supposes or grants something
    "H": """
        如果 假如 假设 若 若是 要是 倘若 即使 即便 哪怕 虽然 尽管 虽说 固然 除非 一旦 看似 看起来像 乍一看
        表面上 有人 很多人 容易误选 容易误认 误以为 以为 容易选 初看 if although though even_if suppose assuming
        unless some_might one_might some_people at_first_glance while
    """,
    "?": "吗 是否 是不是 要不要 能不能 whether 哪个 哪一个 哪项 哪一项 什么 which what 如何 ?",
    # L: introduces a list of the choices
    "L": """
        候选选项 候选项 候选领域 候选 可选项 备选 备选项 备选答案 可能的选项 可能的答案 可能选项 选项有 选项包括
        选项分别 选项如下 分析选项 分析各选项 分析各个选项 分析每个选项 选项分析 比较选项 看选项 看各选项 给出的选项 以下选项 有以下 包括 包含 分别是 分别为 选项列表 给定选项 给定的选项
        所有选项 选项中有 选项为: 从 在 options_are options: the_options choices_are choices: candidates
        candidate from between among out_of possible_options possible_answers given_options available_options
    """,
    # P: introduces a ranking
    "P": """
        排序 排名 从高到低 从大到小 按可能性 依次是 依次为 依次 优先级 可能性由大到小 可能性从高到低 由高到低
        ranking ranked rank in_order descending
    """,
    "D": """
        其次 次之 次选 第二可能 排第二 再次 第三可能 第三是 第二是 第二选择 第三选择 第二可能是 排第三 然后是
        再者 最后才是 最不可能 最低 备选是 followed_by secondly runner-up next_is second_choice then_comes
        second_is least_likely second_most
    """,
    "E": "除了 除 除开 except except_for apart_from other_than besides",
    "O": """
        其他 其它 其余 别的 剩下的 剩余的 剩余 另外两个 另两个 另外两项 另两项 另外几个 余下 其他选项 其余选项
        others other_options the_rest the_other the_others 另一个 remaining
    """,
    "0": """
        以上都不 以上皆不 以上均不 以上都没 都不对 都不是 都不正确 都不合适 都不符合 没有正确 无正确 没有一个
        没有合适 没有符合 均不 皆不 都错 全错 全都不 全不 无一 没有答案 没有任何选项 没有哪个 都不选 都不能
        都不行 都不准确 都不恰当 都不成立 都不合理 都不太 不存在正确 没有适合 没有一项 都无法 none_of none
        no_correct no_option neither_option not_any 无一正确 都没 都没有 一个都不 哪个都不 哪一个都不
    """,
    "B": "都 均 皆 全都 全部 都是 both all either 两者 二者 三者 同时",
    # ~: words that contain a cue word but are none
    "~": """
        选手 选秀 选拔 选题 选举 选修 选择题 单选题 多选题 挑战 支持者 对话 对于 对比 对象 对方 对手 但是 可是
        总是 只是 凡是 是的 是啊 是呀 是吧 行为 成为 作为 为了 为什么 因为这 较为 最为 更为 变为 为主 以为是
        不同 不过 不仅 不但 不只 不管 不论 不错过 不断 不禁 从而 从事 从小 从来 自从 现在 存在 正在 在于 所在
        在一起 实在 还有人 故事 故意 故障 答复 回答问题 错过 不久 不少 没事 未来 未免 投入 投资 站在 站点 押金
        若干 即将 立即 随即 当即 即可 非常 除夕 排除万难 圈子 朋友圈 属性 属相 家属 金属 选择题目 或许 也许 还没
        只要 只有在 填空题 为此 认为他 对应届 应对 反应 适应 应用 应届 供应 响应 效应 应该说 在线 内在 潜在 从中
        没法 睡不着 睡不好 看不到 看不见 看不懂 看不清 听不懂 受不了 忍不住 吃不下 吃不了 离不开 来不及 舍不得 找不到 想不到 用不着 停不下来 下面 可以看出 可以看到 可以知道 可以推断 可以推测 可以得知 可以得出 可以判断 可能会 对x 对y 曾经是
        曾是 以前是 原来是 原本是 不好看 对他 对她 对我 对你
    """,
}


LIMIT = 600  # cues kept of a text


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue word at `start:end`; `kind` is its letter in WORDS, or punctuation: "," a pause, "." a full stop, ":"."""

    kind: str
    start: int
    end: int


def _trie(words: list[str]) -> str:
    """One pattern for many words with shared prefixes factored out: far fewer alternatives to try at each position."""
    heads: dict[str, list[str]] = {}
    for word in words:
        heads.setdefault(word[:1], []).append(word[1:])
    optional = "" in heads
    parts = []
    for head in sorted(heads):
        if head:
            tails = heads[head]
            parts.append(re.escape(head) + (_trie(tails) if tails != [""] else ""))
    body = parts[0] if len(parts) == 1 and not optional else f"(?:{'|'.join(parts)})"
    return body + "?" if optional and parts else body


@lru_cache(maxsize=1)
def _scanner() -> tuple[re.Pattern[str], dict[str, str]]:
    kinds: dict[str, str] = {}
    for kind, listed in WORDS.items():
        for word in listed.split():
            kinds.setdefault(word.replace("_", " "), kind)
    han = [word for word in kinds if not word[0].isascii() or not word[0].isalpha()]
    latin = [word for word in kinds if word[0].isascii() and word[0].isalpha()]
    marks = r"[,;。!?\n:=\ue000]|\.(?=\s|$)|--+|——?|\(|\)"
    words = rf"(?P<han>{_trie(han)})|(?<![a-z])(?P<latin>{_trie(latin)})(?![a-z])"
    return re.compile(rf"(?P<mark>{marks})|{words}|(?P<yes>对)(?=[,。;!?\s\ue000]|$)"), kinds


_MARKS = {",": ",", ":": ":", "=": ":", "(": "(", ")": ")", "-": ",", "—": ","}


def cues(low: str) -> list[Cue]:
    """All cue words and punctuation of a folded lower-case text, in order; of overlapping words the longest."""
    pattern, kinds = _scanner()
    found: list[Cue] = []
    for match in ends(pattern, low, LIMIT):
        group = match.lastgroup
        if group == "mark":
            kind = _MARKS.get(match.group()[0], "?" if match.group() == "?" else ".")
        elif group == "yes":
            kind = "+"
        else:
            kind = kinds[match.group()]
        if kind != "~":
            found.append(Cue(kind, match.start(), match.end()))
    return found
