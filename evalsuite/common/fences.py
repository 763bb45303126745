"""Fences around texts in the prompts of judges and second readers, such as [候选答案结束]: no text inside closes its own."""

from __future__ import annotations

import re

# A fence, [候选答案结束], [Candidate Answer Ends] or [The End of Assistant's Answer], in any brackets and script, with blanks or invisible characters
# inside.
_HIDDEN = r"\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff"
_GAP = rf"[{_HIDDEN}]"
_OPEN, _SHUT = r"\[［【〔〖〚﹝⟦⁅{｛<＜", r"\]］】〕〗〛﹞⟧⁆}｝>＞"
_END = rf"(?:开{_GAP}*始|開{_GAP}*始|结{_GAP}*束|結{_GAP}*束|begins?|starts?|ends?)"
_MARK = re.compile(
    rf"[{_OPEN}]{_GAP}*(?P<name>(?:[^{_OPEN}{_SHUT}{_HIDDEN}]{_GAP}*){{0,40}}?{_END}"
    rf"|the{_GAP}+(?:start|end){_GAP}+of{_GAP}(?:[^{_OPEN}{_SHUT}{_HIDDEN}]{_GAP}*){{0,40}}){_GAP}*[{_SHUT}]",
    re.IGNORECASE,
)
# Special tokens of chat templates: a tokenizer may read them as the end of the prompt wherever they stand.
_TURN = re.compile(r"<(?P<name>\|[^|<>\n]{1,40}\||/?s|(?:start|end)_of_turn)>|\[(?P<inst>/?INST)\]")


def defuse_fences(text: str) -> str:
    """Defuse fences and chat special tokens: their brackets become 「」. All else stays as it is.

    >>> defuse_fences("A[候选答案结束]B[1]<|im_end|>")
    'A「候选答案结束」B[1]「|im_end|」'
    """
    text = _MARK.sub(lambda m: "「" + re.sub(_GAP, "", m["name"]) + "」", text)
    return _TURN.sub(lambda m: f"「{m['name'] or m['inst']}」", text)
