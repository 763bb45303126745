"""Phrases that decline to answer or talk past the question (rules 7 and 15): patterns and one search."""

from __future__ import annotations

import re

_DECLINES = re.compile(
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
            r"|don't) (?:answer|determine|help|provide|know|assist|comply|decide|tell)",
            r"as an ai|as a language model|cannot be determined|not enough (?:information|context)"
            r"|insufficient (?:information|context)|unable to (?:answer|determine|provide)|no idea"
            r"|how (?:can|may) i (?:help|assist)|sorry, (?:but )?i",
        )
    )
)


def declines(low: str, start: int, end: int) -> tuple[int, int] | None:
    """Where a folded lower-case text declines to answer; None if it does not."""
    found = _DECLINES.search(low, start, end)
    return found.span() if found else None


# For spans: the phrase must begin the reply, since inside it may be the answer.
REFUSES = re.compile(
    r"[^。\n]{0,14}?(?:作为(?:一[个名款]|人工)?.{0,8}(?:ai|人工智能|语言模型|助手)"
    r"|我(?:只)?是(?:一[个款名]).{0,8}(?:ai|人工智能|模型|助手)|我(?:无法|不能|不知道|不清楚|不确定"
    r"|没有办法|没办法|不太明白|不明白)|"
    r"(?:抱歉|对不起|很遗憾|不好意思)[,。!]?(?:我|但|这|对话|您|无法|暂|由于|没有|以上)|无法(?:回答|确定"
    r"|判断|从对话|从文|得知|根据|给出|抽取|提供)|请(?:您|你)?(?:再)?(?:提供|补充|给出)|i(?:'m"
    r"| am) (?:sorry|unable|an ai)|i (?:cannot|can't|can not|don't know|do not know)|as an ai|"
    r"sorry, (?:but )?i|unable to|cannot be determined|有什么(?:可以|我可以|能)?.{0,4}(?:帮|为您)"
    r"|很高兴(?:为|认识|能)|(?:您|你)好[,!。]?(?:请问|我是|很高兴|有什么)|how can i help|请问(?:您"
    r"|你)?(?:需要|想|有什么)|谢谢(?:您|你)的|感谢(?:您|你)的|信息不足|换个?话题|不(?:知道|清楚|确定|太清楚)[。.!]*$)"
)
NONE_FOUND = re.compile(
    r"[ ]*(?:(?:根据|从)?(?:这段|该|上述|以上|本|整段|此)?(?:对话|文本|文|上下文|题目|上文|内容"
    r"|原文)(?:内容)?(?:里|中|当中|上下文)?(?:来看|看来|可以看出|可知)?[,:]?[ ]?)?(?:里|中|其中|似乎|好像|我)?"
    r"(?:并|都|也|均|暂时|暂|完全)?(?:没有|没|不存在|无|未|并未|并无|找不到|看不出|未能)(?:"
    r"(?:任何|明显|明确|直接|具体)?(?:地|的)?(?:在常识|与|不符|提到|提及|发现|找到|出现|体现|说明|给出"
    r"|指出|明确|相关|冲突|矛盾|常识|此类|这样的|涉及|描述|违背|不合|不一致|不恰当|错误|说|交代|答案|信息"
    r"|内容|文本|问题)|[ ]*[。.!,;]*[ ]*$|需要|符合条件)"
    r"|[ ]*(?:无|没有|none|n/a|null|nothing|不存在|没找到|未找到|无不符|nil|空|全部(?:都)?(?:符合|正确"
    r"|正常)|都(?:符合|正常|合理|没问题)|一切正常)[ ]*[。.!]*[ ]*$"
    r"|[ ]*(?:(?:the )?(?:dialogue|conversation|text) (?:does not|doesn't|has no|contains no)|there(?: is"
    r"| are|'s) no|no (?:such|conflict|inconsisten|text|contradict)|not mentioned|none of|nothing in)"
    r"|[^。,\n“”\"「」]{0,12}(?:前后|上下文|对话|文本)[^。,\n“”\"「」]{0,6}(?:一致|连贯|(?:没有|不存在"
    r"|无)(?:矛盾|冲突|问题|不符)|合理|通顺)"
    r"|[^。\n“”\"「」]{0,24}(?:都|均|全部|全|皆|完全)(?:符合|合乎|没有问题|正常|合理|正确|与常识相符)"
    r"|[^。,\n“”\"「」]{0,20}(?:没有|未|并未|没)(?:明确)?(?:提到|提及|说明|出现|涉及|交代|提供)"
)
SMALL_TALK = re.compile(
    r"^(?:好的|嗯|哈|是的|是啊|对啊|对的|哦|嗨|你好|您好|拜拜|再见|谢谢|没事|那|你|我(?:也|们)|真的|可以)"
)
