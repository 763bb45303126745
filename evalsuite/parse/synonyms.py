"""Synonyms of option texts (rule 11), and words that are never a slip (rule 2).

Each line of the table is one meaning. A word picks an option only if exactly one option has that meaning; ambiguous
words (因果关系, 包含关系) are in no line and pick nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from evalsuite.parse.chars import key

_MEANINGS = """
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
# Changing one of these characters may reverse a statement, so that is never a slip.
OPPOSED = re.compile(
    "[不没无未非别零一二三四五六七八九十百千万两半几多少大小高低长短前后早晚上下左右内外增减加升降好坏有男女父母爸妈爷奶哥姐弟妹"
    "冷热贵贱快慢远近新旧胖瘦强弱胜负输赢买卖开关进出来去东西南北春夏秋冬甲乙丙丁xyXY]"
)
DECISIVE = re.compile(
    "[不没无未非别零一二三四五六七八九十百千万两半被xyXY]"
)  # adding or dropping one of these changes the meaning
_SUFFIXES = (
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
)
_PREFIXES = ("应该是", "就是", "属于", "是", "为", "the", "an", "a")


@lru_cache(maxsize=1)
def _meanings() -> dict[str, frozenset[int]]:
    table: dict[str, set[int]] = {}
    for number, line in enumerate(_MEANINGS.strip().splitlines()):
        for word in line.split():
            table.setdefault(key(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in table.items()}


@lru_cache(maxsize=4096)
def _meaning(word: str) -> frozenset[int]:
    table = _meanings()
    found = table.get(word)
    if found is None:
        for suffix in _SUFFIXES:
            if len(word) > len(suffix) and word.endswith(suffix) and word[: -len(suffix)] in table:
                return table[word[: -len(suffix)]]
        for prefix in _PREFIXES:
            if len(word) > len(prefix) + 1 and word.startswith(prefix) and word[len(prefix) :] in table:
                return table[word[len(prefix) :]]
    return found or frozenset()


def same_meaning(text: str, options: Sequence[str]) -> int | None:
    """The only option with the same meaning as a text, both given as keys; None if none or several.

    >>> same_meaning("搞笑片", ["科幻片", "恐怖片", "喜剧片"])
    2
    """
    meaning = _meaning(text)
    found = [index for index, option in enumerate(options) if meaning & _meaning(option)] if meaning else []
    return found[0] if len(found) == 1 else None
