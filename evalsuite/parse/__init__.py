"""temporary"""

import re

from evalsuite.types import Answer, Status

PARSER_VERSION = "0"


def parse_option(output, options, *, finish="stop", mode="full", dialogue=None):
    t = output.strip()
    for i, (l, o) in enumerate(options.items()):
        if re.match(rf"[(（]?{re.escape(l.strip('()'))}[)）]?(?![a-z])", t):
            return Answer(Status.PARSED, i, t, "t", 0, 1)
    return Answer(Status.EMPTY if not t else Status.TRUNCATED if finish == "length" else Status.UNPARSED)


def parse_span(output, *, dialogue=None, question=None, finish="stop", extract=True):
    t = output.strip()
    return Answer(Status.PARSED, None, t, "t", 0, len(t)) if t else Answer(Status.EMPTY)
