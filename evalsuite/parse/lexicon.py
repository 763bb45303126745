"""The words that the reader of choices knows: cue words, words of the same meaning, phrases that decline.

Words are in simplified Chinese and lower-case English, as `chars.fold` and `chars.lower` return text; "_" is a blank. A
labelled reply needs each of them: tests/test_parse_needed.py takes one out at a time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from evalsuite.parse.chars import key

# Class, a character of the tape -> words. Of overlapping words the longest counts.
CUES: dict[str, str] = {
    # a noun that stands for the answer itself
    "S": """
        final: final_label prediction 答案 正确选项 正确的选项 正确的一项 正确答案 最终答案 最佳选项 最佳答案 正确领域 正确的领域 最终选择 我的选择 答: 回答: 回复: 结论: 结论是 标准答案 参考答案 第一选择 首要选择 第一可能 最优选项 选择: 选择了: 正解 结果: 作答: 输出: 回应:
        最后回答 最终回答 最终结果 我的回答 我的判断 最终判断 answer correct_option correct_choice right_option best_option best_choice final_choice my_choice response:
        output: result: my_pick verdict correct_one right_choice right_one ans: ans. answer: 最终结论
    """,
    # the word 选项 before a name
    "p": """
        选项 option choice
    """,
    # a noun that stands for the answer if a copula follows
    "s": """
        领域 关系 类型 类别 [mask] 空格处 空格 空白处 空白 横线处 横线 填空 mask处 遮盖处 掩码 判断 归属 结论 relation relationship domain category blank label mask 处应 缺失的内容 缺失处 所缺内容
        被遮盖 此处 这里应
    """,
    # a verb of choosing
    "C": """
        stick_with sticking_with label_this_as 选 选择 选取 选定 选出 应选 应选择 故选 挑选 挑 填 填入 填写 填上 填的是 倾向于 倾向 归为 归类为 归入 归到 归于 改为 改选 改成 改填 更正为 修正为 纠正为 更改为 定为 猜 锁定 首选 判定为 判断为 确定为 敲定 选用 补上 填充 补充 不得不选
        不能不选 不妨选 选了 选的是 我会说 投 押 choose chose choosing pick picked select selecting selected go_with going_with went_with opt_for opting_for settle_on
        settling_on lean_toward lean_towards leaning_toward leaning_towards lean_to guess vote_for change_to changing_to switch_to i'd_say i_would_say
        bet_on my_bet_is filled_with fill_in 非 认准 硬要说 硬要选 非要说 非要选 一定要选 勉强算 答 得出 圈 站 而是 乃 当选的是 没有比 没有什么比 没有哪个比 敲定为 i_mean i_meant 我是说 我的意思是 我是指
    """,
    # a verb of opinion
    "o": """
        inclined_towards inclined_to 认为 觉得 我想 感觉 看来 估计 think believe feel
    """,
    # a hedge
    "h": """
        probably maybe perhaps possibly 说不定 没准 八成 多半 十有八九 大约 大概 应该会 可能会选
    """,
    # contrasts with the option rejected before
    "V": """
        but 而 却 rather
    """,
    # precedes the object that is chosen or filled in (将 b 填入)
    "J": """
        将 把
    """,
    # rejects what stands before (a 不如 b)
    "U": """
        不如 不及 还不如
    """,
    # a copula
    "=": """
        falls_under fall_under 是 为 应为 应是 应该是 应当是 应该为 应该属于 属于 属 即 即为 就是 正是 便是 乃是 可能是 大概是 大概率是 或许是 也许是 估计是 肯定是 一定是 必然是 无疑是 显然是 像是 似乎是 只能是 仍是 仍然是 仍为 还是 描述的是 对应的是 体现的是 表示的是
        指的是 说的是 是属于 才是 归属于 构成 对应 对应于 要数 当属 就要算 应 应该 is are be 's would_be should_be must_be could_be might_be may_be was belongs_to has_to_be
        can_only_be 就选 称为 毫无疑问是 无非是 莫过于
    """,
    # leaves what follows
    "l": """
        leaves_just leaves_us_with leaves_us leaves_only 只剩 只剩下 剩下 剩
    """,
    # rejects what follows
    "X": """
        误选 错选 与其 与其说 不是 并不是 并非 绝非 不选 不应选 不能选 不属于 不应是 不应该是 不应该选 不可能是 不会是 不太可能是 不像是 不该选 不考虑 不建议选 不该是 不应当是 不可以选 不会选 不为 别选 不要选 不再选 不支持 不认为是 不认为 不觉得是 不觉得 没选
        没有选 不再是 不太像 不应为 不应填 不能填 不填 无法选 不应归为 不能归为 称不上 算不上 谈不上 而不选 也不是 更不是 不是说 并没有 绝不是 肯定不是 决不是 未必是 不一定是 isn't is_not neither nor wouldn't_pick
        wouldn't_choose don't_think unlike cannot_be can't_be 不仅仅是
    """,
    # rejects what follows, as a contrast to what stands before
    "n": """
        而不是 而非 没有 not rather_than instead_of not_the
    """,
    # rejects what stands before or behind
    "x": """
        排除 排除了 排除掉 可排除 可以排除 被排除 除去 剔除 去掉 否定 否定了 否决 淘汰 去除 划掉 删去 删掉 pass掉 rule_out rules_out ruled_out ruling_out eliminate eliminated eliminates
        eliminating exclude excluded excludes excluding rejected discard cross_out 先排除
    """,
    # negates the word that follows
    "N": """
        没有理由 没理由 没有必要 没必要 不宜 不值得 不 没 未 并不 不太 不够 不能 不会 不应 不应该 不应当 不可 不该 不像 不怎么 无法 并未 不大 不是很 don't doesn't can't cannot won't wouldn't never no_longer
        aren't didn't does_not do_not can_not shouldn't
    """,
    # calls what stands before right
    "+": """
        完全符合 正确 是对的 对的 合适 恰当 贴切 准确 确切 最符合 更符合 最吻合 更吻合 最为符合 最合理 更合理 可能性最大 可能性最高 可能性更大 最可能 最有可能 更可能 更有可能 最大可能 概率最大 概率最高 最高 最大 胜出 最佳 最好 更好 最优 最接近 更接近 最贴近
        更贴近 为佳 为宜 为准 莫属 没错 无误 没有错 不会错 错不了 没问题 √ 当选 入选 最适合 更适合 最匹配 更匹配 最相关 最恰当 最像 更像 最对 最强 最说得通 更说得通 不二之选 不二选择 唯一 更为合适 更贴合 最贴合 correct right best
        most_appropriate more_appropriate most_suitable more_suitable most_likely more_likely likeliest most_accurate most_fitting fits_best best_fit
        true better closest most_plausible most_reasonable
    """,
    # calls it right weakly; may hold of several options
    "w": """
        符合 吻合 相符 合理 说得通 匹配 可行 成立 通顺 讲得通 适合 一致 有道理 都行 不错 契合 贴合 相关 plausible fits fit matches match suitable appropriate makes_sense makes_perfect_sense reasonable
        consistent
    """,
    # possible
    "y": """
        行 有可能 可能 可以 likely possible
    """,
    # calls what stands before wrong
    "-": """
        错误 错 错的 有误 不对 不正确 不准确 不合适 不恰当 不符 不符合 不妥 不行 不成立 不合理 不匹配 不相符 不吻合 不一致 不契合 无关 不相关 矛盾 相悖 说不通 讲不通 不合常识 不合 不通 没有依据 没有任何依据 没有根据 无依据 缺乏依据 没有提到 未提到
        没提到 未提及 没有提及 没有涉及 没有体现 没有出现 不涉及 未涉及 × 不可能 不存在 不可取 不适合 不贴切 不够准确 牵强 出局 不可选 不可以 不大可能 不太可能 不通顺 没道理 没有道理 站不住脚 否 没有关系 没关系 不搭 不沾边 不靠谱 wrong less_suitable less_likely less_appropriate incorrect
        inappropriate irrelevant false unlikely not_correct not_right not_mentioned doesn't_fit does_not_fit doesn't_match doesn't_make_sense
        contradict contradicts makes_no_sense inaccurate unsuitable unrelated implausible impossible
    """,
    # also
    "a": """
        也
    """,
    # adds to the choice before
    "A": """
        还 还有 同样 另外 此外 又 亦 或者 或 以及 also too as_well or and 再加上
    """,
    # introduces a conclusion
    "F": """
        综上 综上所述 因此 所以 故 故而 因而 总之 最终 最后 综合来看 综合考虑 综合分析 由此可见 可见 总的来说 总结 那么 那就 于是 这样一来 据此 由此 总体而言 总体来看 归根结底 说到底 therefore thus so hence finally
        in_conclusion overall in_summary ultimately in_short to_sum_up consequently
    """,
    # corrects what was said before
    "K": """
        等等 等一下 等下 等会 更正 更正一下 纠正 修正 抱歉 对不起 不好意思 错了 说错了 我错了 写错了 搞错了 看错了 弄错了 哦不 噢不 啊不 不不 再想想 仔细想想 仔细一想 重新考虑 重新看 其实 实际上 改口 准确地说 准确来说 确切地说 再看看 wait
        actually sorry correction scratch_that on_second_thought my_mistake my_bad no, hold_on hmm, let_me_correct i_was_wrong 经复核 经过重新 重新思考 应当更正
    """,
    # begins a reason
    "R": """
        因为 由于 理由 原因是 是因为 是由于 because since due_to 毕竟 as_the as_it as_a explanation reason
    """,
    # if
    "I": """
        如果 假如 若 若是 要是 倘若 if
    """,
    # grants something
    "H": """
        initially 即使 即便 哪怕 虽然 尽管 虽说 固然 除非 一旦 看似 看起来像 乍一看 表面上 有人 很多人 容易误选 容易误认 误以为 以为 容易选 初看 although though even_if suppose assuming unless some_might one_might
        some_people at_first_glance at_first 一开始 起初 最初 while
    """,
    # asks
    "?": """
        吗 ?
    """,
    # asks, without a question mark
    "q": """
        是否 是不是 要不要 能不能 whether 哪个 哪一个 哪项 哪一项 什么 如何
    """,
    # introduces a list of the choices
    "L": """
        候选选项 候选项 候选领域 候选 可选项 备选 备选项 备选答案 可能的选项 可能的答案 可能选项 选项有 选项包括 选项分别 选项如下 分析选项 分析各选项 分析各个选项 分析每个选项 选项分析 比较选项 看选项 看各选项 给出的选项 以下选项 有以下 分别是 分别为
        选项列表 给定选项 给定的选项 所有选项 选项中有 选项为: options_are options: the_options choices_are choices: candidates candidate possible_options possible_answers
        given_options available_options
    """,
    # introduces some of the choices
    "i": """
        包括 包含 从 在 from between among out_of
    """,
    # introduces a ranking
    "P": """
        排序 排名 从高到低 从大到小 按可能性 依次是 依次为 依次 优先级 可能性由大到小 可能性从高到低 由高到低 ranking ranked rank in_order descending
    """,
    # a second choice
    "D": """
        其次 次之 次选 第二可能 排第二 再次 第三可能 第三是 第二是 第二选择 第三选择 第二可能是 排第三 然后是 再者 最后才是 最不可能 最低 备选是 followed_by secondly runner-up next_is second_choice then_comes
        second_is least_likely second_most
    """,
    # except
    "E": """
        除了 除 除开 except except_for apart_from other_than besides
    """,
    # the others
    "O": """
        其他 其它 其余 别的 剩下的 剩余的 剩余 另外两个 另两个 另外两项 另两项 另外几个 余下 其他选项 其余选项 others other_options the_rest the_other the_others 另一个 remaining
    """,
    # none
    "0": """
        以上都不 以上皆不 以上均不 以上都没 没有正确 无正确 没有一个 没有合适 没有符合 全错 全都不 全不 无一 没有答案 没有任何选项 没有哪个 不存在正确 没有适合 没有一项 none_of none no_correct no_option neither_option
        not_any 无一正确 一个都不 哪个都不 哪一个都不
    """,
    # none of those named
    "z": """
        都不对 都不是 都不正确 都不合适 都不符合 均不 皆不 都错 都不选 都不能 都不行 都不准确 都不恰当 都不成立 都不合理 都不太 都无法 都没 都没有
    """,
    # all
    "B": """
        都 均 皆 全都 全部 都是 both all either 两者 二者 三者 同时
    """,
    # words that contain a cue word but are none
    "~": """
        比较 选手 选秀 选拔 选题 选举 选修 选择题 单选题 多选题 挑战 支持者 对话 对于 对比 对象 对方 对手 但是 可是 总是 只是 凡是 是的 是啊 是呀 是吧 行为 成为 作为 为了 为什么 因为这 较为 最为 更为 变为 为主 以为是 不同 不过 不仅 不但 不只 不管
        不论 不错过 不断 不禁 从而 从事 从小 从来 自从 现在 存在 正在 在于 所在 在一起 实在 还有人 故事 故意 故障 答复 回答问题 错过 不久 不少 没事 未来 未免 投入 投资 站在 站点 押金 若干 即将 立即 随即 当即 即可 非常 除夕 排除万难 圈子 朋友圈
        属性 属相 家属 金属 选择题目 或许 也许 还没 只要 只有在 填空题 为此 认为他 对应届 应对 反应 适应 应用 应届 供应 响应 效应 应该说 在线 内在 潜在 从中 没法 睡不着 睡不好 看不到 看不见 看不懂 看不清 听不懂 受不了 忍不住 吃不下 吃不了 离不开
        来不及 舍不得 找不到 想不到 用不着 停不下来 下面 可以看出 可以看到 可以知道 可以推断 可以推测 可以得知 可以得出 可以判断 可能会 对x 对y 曾经是 曾是 以前是 原来是 原本是 不好看 对他 对她 对我 对你
    """,
    # only
    "u": """
        只有 仅有 唯有 only
    """,
    # compares: a 比 b
    "c": """
        比
    """,
    # chooses the option under discussion
    "1": """
        选这个 选它 选这一项 选此项 选该项 this_one
    """,
    # a sentence with the gap filled in
    "e": """
        填法 完整的句子 完整句子 完整的对话 填入后 补全后 填充后 填好的句子 合理的说法
    """,
    # yes
    "Y": """
        yes ✓ ✔ ☑
    """,
    # no
    "Z": """
        no ✗ ✘ ☒
    """,
}

LEXICON: dict[str, str | tuple[str, ...]] = {
    # Changing one of these characters for another may reverse a statement, so that is never a slip (rule 2);
    "opposed": "不没无未非别零一二三四五六七八九十百千万两半几多少大小高低长短前后早晚上下左右内外增减加升降好坏有男女父母爸妈爷奶哥姐弟妹"
    "冷热贵贱快慢远近新旧胖瘦强弱胜负输赢买卖开关进出来去东西南北春夏秋冬甲乙丙丁xyXY",
    # nor is adding, dropping or changing one of these.
    "decisive": "不没无未非别零一二三四五六七八九十百千万两半被xyXY0123456789",
    # What may follow an option's text where an answer is due.
    "tails": ("吧", "了", "的", "这个选项", "这一项", "选项", "关系", "这个", "领域", "才对"),
    # What a word of the same meaning may carry.
    "suffixes": (
        "这个选项",
        "这个领域",
        "这一选项",
        "的关系",
        "关系",
        "领域",
        "选项",
        "类型",
        "类",
        "方面",
        "吧",
        "了",
        "relation",
        "relationship",
    ),
    "prefixes": ("应该是", "就是", "属于", "是", "为", "the", "an", "a"),
}

# Each line is one meaning (rule 11). A word picks an option only if exactly one option has that meaning; ambiguous words
# (因果关系, 包含关系) are in no line and pick nothing.
MEANINGS = """
西红柿 番茄
土豆 马铃薯
自行车 单车 脚踏车
公交车 公共汽车
医生 大夫
手机 移动电话
喜剧片 搞笑片 喜剧 喜剧电影 搞笑电影 搞笑类 喜剧类 笑片 comedy comedyfilm comedymovie comedies comedyfilms comedymovies
恐怖片 鬼片 惊悚片 恐怖电影 恐怖类 吓人的电影 惊悚电影 horror horrorfilm horrormovie horrorfilms horrormovies
科幻片 科幻电影 科幻类 科学幻想片 科幻大片 sciencefiction sciencefictionfilm scifi scififilm scifimovie
动作片 打斗片 武打片 动作电影 action actionfilm actionmovie
爱情片 言情片 浪漫片 爱情电影 romance romancefilm romanticfilm lovestory
纪录片 纪实片 纪录电影 documentary documentaryfilm documentaries
动画片 卡通片 动漫 动画电影 卡通 cartoon animation animatedfilm
比较 对比 相比 对照 比较关系 比较类 相互比较 comparison compare comparing contrast comparative
属性 性质 特征 特性 特点 属性关系 attribute attributes property properties characteristic feature
空间 位置 地点 方位 空间关系 空间位置 位置关系 空间领域 地理位置 space spatial location place spatialrelation
时间 时间关系 时间领域 时刻 time temporal timing temporalrelation
原因 起因 缘由 缘故 成因 诱因 导因 原由 cause reason causes
后果 结果 后续结果 产生的结果 影响 造成的结果 result results consequence consequences outcome effect aftermath
前提 前提条件 先决条件 必要条件 条件 precondition prerequisite premise condition
事件原因 事件的原因 事情的原因 事件起因 causeofevent eventcause reasonoftheevent causeoftheevent eventreason
情绪原因 情绪的原因 情感原因 心情原因 情绪起因 emotionalcause causeofemotion emotionalreason emotioncause
时间原因 时间的原因 时间上的原因 temporalcause timereason
空间位置原因 空间原因 位置原因 地点原因 空间位置的原因 spatialcause
后续事件 随后的事件 之后的事件 接下来的事件 后来的事件 后续的事件 subsequentevent followupevent nextevent
后续情绪反应 情绪反应 后续情绪 情绪变化 后续的情绪反应 subsequentemotionalreaction emotionalreaction emotionalresponse
后续时间改变 时间改变 后续时间变化 时间变化 subsequenttimechange
后续空间位置改变 位置改变 空间位置改变 后续位置改变 位置变化 空间位置变化 后续空间位置变化 locationchange
发生时间 发生的时间 发生时刻 何时发生 occurrencetime timeofoccurrence
开始时间 起始时间 开始的时间 起始时刻 starttime startingtime beginningtime
结束时间 终止时间 结束的时间 完成时间 截止时间 endtime endingtime
持续时长 时长 持续时间 持续的时间 时间长度 duration
频率 频次 频度 次数 发生频率 frequency
发生位置 发生地点 发生的地点 发生的位置 事发地点 地点 placeofoccurrence eventlocation
用途 用处 作用 功用 功能用途 purpose usage use usedfor function
能力 本领 技能 才能 ability capability capableof skill
相同物 同义词 同一物 同一事物 同义 相同 相同的东西 相同事物 同一个东西 synonym synonyms identical samething same sameas
相似物 近义词 相似 类似物 近似物 相像物 相似的东西 相似事物 近义 similar similarthing similarto similarity similarthings
相反物 反义词 反义 相反 对立物 对立面 相反的东西 反义关系 相反事物 antonym antonyms opposite opposites oppositeof
由制成 由什么制成 材料 材质 原料 制作材料 madeof madefrom
是的一部分 组成部分 一部分 部分与整体 局部 partof apartof
在某个位置 所在位置 位于某处 位于 所处位置 在某处 位置 locatedin locatedat atlocation location
空间上相邻 相邻 邻近 毗邻 相邻关系 空间相邻 空间上邻近 adjacent adjacentto nextto spatiallyadjacent
空间上包含 空间包含 spatiallycontains spatialcontainment
空间上包含于 被包含 空间上被包含 空间包含于 被空间包含 空间上被包含于 被空间上包含 spatiallycontainedin
是一个 isa 属于一种 是一种 下位词 下义词
包括类型 包含类型 类型包括 上位词 上义词
x的属性 x的性质 x的特征 x的特点 attributeofx
x的意图 x的目的 x的动机 x的打算 intentionofx xsintention xsintent
x需要做的事 x要做的事 x应该做的事 x需要做的事情 xneedstodo
x的反应 x的感受 x的情绪反应 reactionofx xsreaction
对x的影响 x受到的影响 effectonx
y的反应 y的感受 y的情绪反应 reactionofy ysreaction
对y的影响 y受到的影响 effectony
偷税漏税 逃税 逃税漏税 偷税 漏税 偷漏税 taxevasion
依法纳税 守法纳税 合法纳税 按时纳税 依法交税 依法缴税 paytaxes payingtaxes
慈善捐款 捐款 慈善捐赠 捐钱 做慈善 捐赠 charity donation charitabledonation
老师 教师 教员 先生 teacher teachers
学生 学子 student students
护士 护理人员 nurse nurses
医生 大夫 医师 doctor doctors
教练 主教练 教头 coach
球员 运动员 队员 player players
裁判 裁判员 referee
养父母 领养的父母 养父养母 收养他的父母 adoptiveparents fosterparents adoptiveparent
亲生父母 生父母 生身父母 亲爹亲妈 生父生母 亲父母 biologicalparents birthparents
养老院 敬老院 老人院 nursinghome
骑自行车 骑单车 骑脚踏车 自行车 单车 脚踏车 ridingabike ridingabicycle cycling bicycle bike
骑摩托车 摩托车 摩托 骑摩托 骑机车 ridingamotorcycle motorcycle motorbike
骑马 马术 ridingahorse horseriding horse
大城市里 大都市 城市里 都市里 大城市 城里 inthecity bigcity
大山里 山区 山里 深山里 山沟里 山区里 inthemountains mountains
山里的别墅 别墅 villa
很帅 英俊 帅气 很英俊 帅 很帅气 handsome
很丑 难看 很难看 丑 丑陋 ugly
很矮 个子矮 矮 个子不高 short
很腼腆 害羞 内向 很害羞 很内向 腼腆 shy
很开朗 外向 开朗 很外向 outgoing cheerful
很自信 自信 有自信 confident
火箭队 火箭 rockets houstonrockets therockets
湖人队 湖人 lakers thelakers losangeleslakers
勇士队 勇士 warriors thewarriors
飞机 航班 客机 airplane plane aircraft
飞船 宇宙飞船 航天器 太空船 spaceship spacecraft
飞碟 不明飞行物 ufo
钢琴曲 钢琴音乐 pianomusic pianopiece
小提琴曲 小提琴音乐 violinmusic violinpiece
流行曲 流行歌曲 流行音乐 流行歌 popmusic popsong
全额奖学金 全奖 fullscholarship
半额奖学金 半奖 halfscholarship partialscholarship
学费账单 tuitionbill
去吃饭 吃饭 用餐 eating
去晨练 晨练 早锻炼 晨跑 morningexercise
去睡觉 睡觉 休息 sleeping
梅西 messi lionelmessi
内马尔 neymar
c罗 罗纳尔多 克里斯蒂亚诺罗纳尔多 cristianoronaldo ronaldo
刺激 兴奋 刺激的
便宜 廉价 不贵 cheap
很贵的 昂贵的 贵的 expensive
很乖的 乖巧的 温顺的 听话的 乖的
很凶猛的 凶猛的 凶狠的 凶的
天太热了 太热 天气太热 太热了 天气太热了 天气炎热
天太冷了 太冷 天气太冷 太冷了 天气太冷了 天气寒冷
动物园太远了 太远 太远了 动物园远
entailment entails entailed entail entailsit itentails isentailed true yes itistrue thestatementistrue itisentailed supported
contradiction contradicts contradicted contradict contradictory itcontradicts contradictsit false no itisfalse thestatementisfalse notentailed
3d电影 立体电影 3d 3dmovie 3dfilm
"""


@lru_cache(maxsize=1)
def _meanings() -> dict[str, frozenset[int]]:
    table: dict[str, set[int]] = {}
    for number, line in enumerate(MEANINGS.strip().splitlines()):
        for word in line.split():
            table.setdefault(key(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in table.items()}


@lru_cache(maxsize=4096)
def _meaning(word: str) -> frozenset[int]:
    table = _meanings()
    forms = [word]
    forms += [word[: -len(end)] for end in LEXICON["suffixes"] if len(word) > len(end) and word.endswith(end)]
    forms += [word[len(head) :] for head in LEXICON["prefixes"] if len(word) > len(head) + 1 and word.startswith(head)]
    return next((table[form] for form in forms if form in table), frozenset())


def same_meaning(text: str, options: Sequence[str]) -> int | None:
    """The only option with the same meaning as a text, both given as keys; None if none or several.

    >>> same_meaning("搞笑片", ["科幻片", "恐怖片", "喜剧片"])
    2
    """
    meaning = _meaning(text)
    found = [index for index, option in enumerate(options) if meaning & _meaning(option)] if meaning else []
    return found[0] if len(found) == 1 else None


DECLINES = re.compile(
    "|".join(
        (
            r"作为(?:一[个名款]|人工)?.{0,8}(?:ai|人工智能|语言模型|大模型|智能助手|聊天机器人)"
            r"|我(?:只)?是一个?.{0,8}(?:ai|人工智能|语言模型|助手|机器人)",
            r"(?:我|暂时|目前|实在|很抱歉,?|抱歉,?|对不起,?|恐怕)?(?:无法|不能|没办法|没法|难以"
            r"|不便)(?:直接|准确|为[您你]|给出|从中|根据|就此|对此|明确|完全|据此"
            r"|替[您你]){0,3}(?:地)?(?:回答|判断|确定|选择|作答|给出|提供|得出|推断|做出|作出|回复|完成"
            r"|识别|理解|处理|协助|讨论|满足|帮助)",
            r"我?(?:真的|也|并)?不(?:太)?(?:知道|清楚|确定|明白|懂|会做|了解)(?!的)|信息不足|缺(?:乏"
            r"|少)(?:足够|必要|相关)?的?(?:信息|上下文|背景)|请(?:您|你)?(?:再)?(?:提供|补充|告诉我"
            r"|给出)(?:更多|完整|具体|相关|一下|选项|对话|问题)",
            r"没有(?:提供)?(?:足够|充分|完整)的?(?:信息|上下文|内容|选项)|(?:有什么|什么问题"
            r"|需要什么)?.{0,4}(?:可以|能)(?:帮助|帮到|为)(?:您|你).{0,6}[吗的?]|很高兴(?:为您|为你|能"
            r"|认识)|拒绝回答|无可奉告|不予(?:置评|回答)|涉及(?:敏感|隐私)|违反.{0,8}(?:政策|规定|准则)"
            r"|换个?话题|我还在学习|尚未学会|无法(?:判断|确定|回答|得知)",
            r"i(?:'m| am) (?:sorry|unable|not able|not sure|just an ai)|i (?:can't|cannot|can not|do not"
            r"|don't) (?:answer|determine|help|provide|know|assist|comply|decide|tell|say)",
            r"as an ai|as a language model|cannot be determined|not enough (?:information|context)"
            r"|insufficient (?:information|context)|unable to (?:answer|determine|provide)|no idea"
            r"|how (?:can|may) i (?:help|assist)|sorry, (?:but )?i",
        )
    )
)


def declines(low: str, start: int, end: int) -> tuple[int, int] | None:
    """Where a folded lower-case text declines to answer; None if it does not."""
    found = DECLINES.search(low, start, end)
    return found.span() if found else None
