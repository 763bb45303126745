"""Verbs of entailment and contradiction, where those are the options (CIDER's DNLI)."""

from __future__ import annotations

import re

from evalsuite.parse.mentions import Options
from evalsuite.parse.verdict import Verdict
from evalsuite.types import Status

_ENTAILS = r"entail(?:s|ed|ing)?|follows[ ]from|(?:is|are)[ ]true|true(?=[,.:;])"
_CONTRADICTS = r"contradict(?:s|ed|ing|ory)?|(?:is|are)[ ](?:false|not[ ]true|untrue)|false(?=[,.:;])"
_SAID = re.compile(rf"(?<![a-z])(?:(?P<entailment>{_ENTAILS})|(?P<contradiction>{_CONTRADICTS}))(?![a-z])")
_NOT = re.compile(r"(?:(?<![a-z])(?:not|never|cannot|neither|nor|if|whether|or)|n['’]t)[ ](?:[a-z]+[ ]){0,2}$")


def inferred(low: str, options: Options) -> Verdict | None:
    """The option named by all verbs of a reply: "the dialogue contradicts this".

    None if any of the verbs is negated or in doubt: a statement that does not contradict need not follow.
    """
    if {"entailment", "contradiction"} - {*options.keys}:
        return None
    found = list(_SAID.finditer(low))
    said = {match.lastgroup for match in found}
    if len(said) != 1 or any(_NOT.search(low, 0, match.start()) for match in found):
        return None
    option = options.keys.index(str(found[0].lastgroup))
    return Verdict(Status.PARSED, (option,), "inference", found[0].start(), found[0].end())
