"""Options named by position: 第二项, 选项四, the last one, 后者 (rule 2)."""

from __future__ import annotations

import re

from evalsuite.parse.catalog import Catalog
from evalsuite.parse.chars import ends
from evalsuite.parse.mention import FORMER, LATTER, LIMIT, Mention

_NUMBERS = {
    word: number
    for number, words in enumerate(["一1", "二2两", "三3", "四4", "五5", "六6", "七7", "八8", "九9", "十"], 1)
    for word in words
}
_NUMBER = r"十[一二三四五]|1[0-5]|[一二三四五六七八九十1-9]"
_ENGLISH = {
    w: n for n, w in enumerate(["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"], 1)
}
_ENGLISH |= {w: n for n, w in enumerate(["1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th"], 1)}
_ENGLISH |= {w: n for n, w in enumerate(["one", "two", "three", "four", "five", "six", "seven", "eight"], 1)}
_UNIT = (
    r"(?:个?(?:选项|候选|答案|领域)|个选择|项|个(?=[是更最才吧应,。;!?也和或与、肯显比正符对不了呢\n]"
    r"|答案|选项|合适|$)|种关系(?=[,。;!?\n]|$)|条(?=[,。;!?\n]|$))"
)
_PLACES = re.compile(
    rf"(?P<back>倒数)?第[ ]?(?P<nth>{_NUMBER})[ ]?{_UNIT}|(?P<last>最后(?:面)?(?:的)?(?:那|这)?(?:一个|一项"
    rf"|一种|个|项)(?:选项|答案|候选|领域)?|末项|尾项|末尾那个)"
    rf"|选项[ ]?(?P<named>十[一二三四五]|[一二三四五六七八九十](?![一-鿿])"
    rf"|[一二三四五六七八九十](?=[是为更最才也不正符对]))|(?P<first>首项|首个选项|头一个|第一个|首个答案"
    rf"|最前面的?(?:一个|那个))(?!短语|句|人|问)"
    rf"|(?P<middle>(?:最)?(?:中间|居中|当中)(?:的)?(?:那|这|一)?(?:个|项|一个)(?:选项|答案)?|中间(?:的)?选项)"
    rf"|(?:\bthe[ ]very[ ]|\bthe[ ])?(?P<english>\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|1st|2nd|3rd|4th|5th|6th|7th"
    rf"|8th|last|middle)\b)[ ](?:option|choice|one|answer|candidate|item)\b"
    rf"|(?P<pair>前者|后者|\bformer\b|\blatter\b)"
    rf"|\b(?:(?:option|choice)[ ](?:number[ ])?|number[ ])(?P<word>one|two|three|four|five|six|seven|eight)\b"
)
_NOUN_AFTER = re.compile(r"短语|句|人|说话|对话|方面|问题|月|原因|词|步|次|阶段|部分|例|事件|段|世界|季")


def _number(word: str) -> int:
    if word.isdigit():
        return int(word)
    return 10 + _NUMBERS[word[1]] if len(word) == 2 else _NUMBERS[word]


def places(low: str, options: Catalog) -> list[Mention]:
    """Every option named by position: 第二项, 选项四, 倒数第二个, 中间那个, the last one (rule 2)."""
    found: list[Mention] = []
    count = len(options.keys)
    for match in ends(_PLACES, low, LIMIT):
        if _NOUN_AFTER.match(low, match.end()):
            continue
        place: int | None = None
        if match["nth"]:
            number = _number(match["nth"])
            place = count - number if match["back"] else number - 1
        elif match["named"]:
            place = _number(match["named"]) - 1
        elif match["first"]:
            place = 0
        elif match["last"] or match["english"] == "last":
            place = count - 1
        elif match["middle"] or match["english"] == "middle":
            place = count // 2 if count % 2 else None
        elif match["pair"]:
            found.append(
                Mention(match.start(), match.end(), FORMER if match["pair"] in ("前者", "former") else LATTER, "place")
            )
        else:
            place = _ENGLISH[match["english"] or match["word"]] - 1
        if place is not None:
            found.append(Mention(match.start(), match.end(), place if 0 <= place < count else -1, "place"))
    return found
