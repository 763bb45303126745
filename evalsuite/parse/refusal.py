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
