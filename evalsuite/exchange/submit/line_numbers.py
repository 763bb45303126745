"""Line numbers of values in a JSON file, for messages."""

from __future__ import annotations

import json
import re
from collections.abc import Collection

JsonPath = tuple[str | int, ...]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def lines_of(text: str, paths: Collection[JsonPath]) -> dict[JsonPath, int]:
    """Line of each path in a valid JSON text, found in one pass. A missing path gets the line of its nearest parent.

    >>> lines_of('{"a": [1,\\n 2]}', [("a", 1), ("a", 5)])
    {('a', 1): 2, ('a', 5): 1}
    """
    wanted = {path[:n] for path in paths for n in range(len(path) + 1)}
    lines: dict[JsonPath, int] = {}
    at: list[str | int] = []  # the path of the value to come
    kinds: list[str] = []  # brackets of the objects and lists around it
    line, seen, key = 1, 0, False
    for token in _TOKEN.finditer(text):
        line += text.count("\n", seen, token.start())
        seen = token.start()
        word = token.group()
        if word == "," and kinds[-1] == "[":
            at[-1] = int(at[-1]) + 1
        elif word == "," or word == ":":
            key = word == ","
        elif word in "}]":
            kinds.pop()
            at.pop()
        elif key and kinds[-1] == "{":
            at[-1] = json.loads(word)
        else:
            here = tuple(at)
            if here in wanted:
                lines.setdefault(here, line)
            if word in "{[":
                kinds.append(word)
                at.append("" if word == "{" else 0)
                key = word == "{"
    return {path: next((lines[path[:n]] for n in range(len(path), -1, -1) if path[:n] in lines), 1) for path in paths}
