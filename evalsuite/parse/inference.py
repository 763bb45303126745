"""What says of a statement that it follows or not, where the options are entailment and contradiction (CIDER's DNLI)."""

from __future__ import annotations

import re

from evalsuite.parse.catalog import Catalog
from evalsuite.parse.weigh import Verdict
from evalsuite.types import Status

_ENTAILS = r"entail(?:s|ed|ing)?|follows[ ]from|(?:is|are)[ ]true|true(?=[,.:;])"
_CONTRADICTS = r"contradict(?:s|ed|ing|ory)?|(?:is|are)[ ](?:false|not[ ]true|untrue)|false(?=[,.:;])"
_SAID = re.compile(rf"(?<![a-z])(?:(?P<entailment>{_ENTAILS})|(?P<contradiction>{_CONTRADICTS}))(?![a-z])")
_NOT = re.compile(r"(?:(?<![a-z])(?:not|never|cannot|neither|nor|if|whether|or)|n['’]t)[ ](?:[a-z]+[ ]){0,2}$")


def inferred(low: str, options: Catalog) -> Verdict | None:
    """The option that all verbs of a reply say: "the dialogue contradicts this". None where one of them is denied or
    doubted: what does not contradict need not follow."""
    if {"entailment", "contradiction"} - {*options.keys}:
        return None
    found = list(_SAID.finditer(low))
    said = {match.lastgroup for match in found}
    if len(said) != 1 or any(_NOT.search(low, 0, match.start()) for match in found):
        return None
    option = options.keys.index(str(found[0].lastgroup))
    return Verdict(Status.PARSED, (option,), "inference", found[0].start(), found[0].end())
