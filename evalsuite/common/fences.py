"""Fences around texts in the prompts of judges and second readers, such as [候选答案结束]: no text inside closes its own.

Fences are searched for in a folded text, without invisible characters and accents, and with compatibility characters as
their plain ones (Unicode's NFKD), so that ［候选⁠答案結束］ is found, too.
"""

from __future__ import annotations

import re
import unicodedata

_OPEN, _SHUT = r"\[【〔〖〚⟦⁅{<", r"\]】〕〗〛⟧⁆}>"
_END = r"(?:开\s*始|開\s*始|结\s*束|結\s*束|begins?|starts?|ends?)"
# A fence, [候选答案结束], [Candidate Answer Ends] or [The End of Assistant's Answer], in any of these brackets.
_FENCE = (
    rf"[{_OPEN}]\s*(?P<fence>(?:[^{_OPEN}{_SHUT}\s]\s*){{0,40}}?{_END}"
    rf"|the\s+(?:start|end)\s+of\s(?:[^{_OPEN}{_SHUT}\s]\s*){{0,40}})\s*[{_SHUT}]"
)
# Texts use these brackets for other things that begin and end, such as （比赛结束）: only the subjects of fences count here.
_OWN = "对话内容 对话 问题 打分标准 评分标准 标准答案 参考答案 候选答案 答案 回复 选项 故事 對話內容 對話 問題 標準答案 參考答案 候選答案 回覆 選項"
_WORDS = "|".join(r"\s*".join(word) for word in _OWN.split())
_OTHER_FENCE = (
    rf"[(《〈«⟨‹❬❮]\s*(?P<other>(?:{_WORDS})\s*{_END}|(?:(?:candidate|reference)\s+)?(?:dialogue|question|story|answer|reply|options)\s+{_END}"
    rf"|the\s+(?:start|end)\s+of\s+(?:reference|assistant's)\s+answer)\s*[)》〉»⟩›❭❯]"
)
_MARK = re.compile(f"{_FENCE}|{_OTHER_FENCE}", re.IGNORECASE)
# Special tokens of chat templates: a tokenizer may read them as the end of a turn wherever they stand. [MASK] is none of them.
_TURN = re.compile(
    r"<(?P<tag>\|[^<>\n]{1,40}|[^<>\n]{1,40}\||/?s|/?[be]os|[es]op|eo[ah]|_\w{1,20}|seed:\w{1,20}|(?:start|end)_of_turn"
    r"|reserved_\d+|TOKENS_UNUSED_\d+|用户|AI)>"
    r"|\[(?P<word>[gs]MASK|/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS|TOOL_CONTENT|THINK)|\|[^\[\]\n]{1,40}\|)\]"
    r"|<<(?P<llama>/?SYS)>>|\](?P<minimax>~!?b)[\[\]]|\[(?P<end>e~)\["
)


def defuse_fences(text: str) -> str:
    """Defuse fences and special tokens of chats: their brackets become 「」. All else stays as it is.

    >>> defuse_fences("A[候选答案结束]B[1]<|im_end|>")
    'A「候选答案结束」B[1]「|im_end|」'
    """
    return _defused(_defused(text, _TURN), _MARK)


def _defused(text: str, marks: re.Pattern[str]) -> str:
    folded = text.translate(_FOLDED)
    if not marks.search(folded):
        return text
    positions = [
        n for n, char in enumerate(text) for _ in _FOLDED[ord(char)]
    ]  # index in `text` of each folded character
    pieces, done = [], 0
    for match in marks.finditer(folded):
        name = next(name for name in match.groups() if name)
        pieces += [
            text[done : positions[match.start()]],
            "「",
            unicodedata.normalize("NFC", re.sub(r"\s", "", name)),
            "」",
        ]
        done = positions[match.end() - 1] + 1
    return "".join([*pieces, text[done:]])


class _Folded(dict[int, str]):
    """Code of a character -> what it is folded to, computed when it is first met."""

    def __missing__(self, code: int) -> str:
        plain = unicodedata.normalize("NFKD", chr(code))
        self[code] = "".join(c for c in plain if unicodedata.category(c) not in _HIDDEN and not _IGNORABLE.match(c))
        return self[code]


_FOLDED = _Folded()
_HIDDEN = ("Mn", "Me", "Cf")
# Characters with Default_Ignorable_Code_Point in Unicode 16 that are in no category of _HIDDEN, and the blank of Braille.
_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
