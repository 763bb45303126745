"""The labelled replies of the project, on which its reader of choices is tested.

`tables`: short forms, written for the labelling rules and for the rules and words of the reader.
`adversarial`, `replies`, `long_replies`, `third_replies`: written by annotators who had not seen the reader.
`real_replies`: written by models under many instructions. Its `held_choices` were labelled twice, and were not looked at before
the reader was done.
`strong_replies`: in the manner of models of 2026, with and without thinking, labelled before the reader read them. Of the last
836 before the tenth writing, 195 have forms of replies that were misread, 404 are of kinds that were not covered, 103 have no
answer, 80 have forms that a tenth and an eleventh draw showed, and 54 are short Chinese prose. The tenth writing is of kinds not
covered before and of forms that rows and words need. The eleventh is of 65 replies of kinds not covered before, all of them, also those
that are still misread, and of forms that rows and words need. The twelfth is of 119 replies as models commonly answer, by one who had
not seen the reader; `tables` has the variants of what it showed that are read rightly, `strong_replies` the others. The
thirteenth is of 99 replies by another, half of whose questions ask for what does not hold, with its variants in the same places.
The fourteenth is of 77 replies by a third, after which nothing was mended. The fifteenth and the sixteenth are of 155 replies by two
others, half of them of kinds that their writers took to be new, all of them, also those that are still misread."""

from __future__ import annotations

import json
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

from evalsuite.parse import parse_option, parse_options, read, rules

FIXTURES = Path(__file__).parent / "fixtures"
CHOICES = (
    "tables/choices.jsonl", "tables/sets.jsonl", "tables/cues.jsonl", "adversarial/choices.jsonl", "replies/options.jsonl", "long_replies/options.jsonl",
    "third_replies/options.jsonl", "strong_replies/choices.jsonl", "real_replies/choices.jsonl", "real_replies/held_choices.jsonl",
)  # fmt: skip

Row = dict[str, Any]  # output, options, label (or labels), and where they are known finish and status


@lru_cache(maxsize=1)
def choices() -> list[Row]:
    """Every labelled reply to a question with options."""
    found: list[Row] = []
    for name in CHOICES:
        path = FIXTURES / name
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        kind = path.stem if path.stem == "held_choices" else path.parent.name
        found += [json.loads(line) | {"set": kind, "file": name} for line in lines]
    return found


def read_choice(row: Row) -> tuple[Any, str]:
    """The choice that the reader finds in a reply: a label, or a list of them, and the status."""
    finish, question, labels = row.get("finish", "stop"), row.get("question", ""), list(row["options"])
    if "labels" in row:
        several = parse_options(row["output"], row["options"], question=question, finish=finish)
        return [labels[n] for n in several.choices], several.status
    answer = parse_option(row["output"], row["options"], question=question, finish=finish)
    return None if answer.choice is None else labels[answer.choice], answer.status


def is_right(row: Row) -> bool:
    """Whether a reply is read as it was labelled, its status included."""
    choice, status = read_choice(row)
    return choice == row.get("label", row.get("labels")) and status == row.get("status", status)


def clear_reader_caches() -> None:
    """Clear the reader's caches, after its words or rules were changed."""
    read.read_one.cache_clear()
    rules.first_match.cache_clear()


def main() -> None:
    """Print the agreement of each set and the confusion of statuses, separately for the held-back half."""
    for held in (False, True):
        statuses: Counter[tuple[str, str]] = Counter()
        right: Counter[str] = Counter()
        replies: Counter[str] = Counter()
        for row in choices():
            if (row["set"] == "held_choices") != held:
                continue
            choice, status = read_choice(row)
            wanted = row.get("label", row.get("labels"))
            replies[row["file"]] += 1
            right[row["file"]] += choice == wanted
            if labelled_status := row.get("status") or ("parsed" if wanted else None):
                statuses[str(labelled_status), str(status)] += 1
        for name, count in replies.items():
            print(f"{name}: {right[name]} of {count} agree")
        for (wanted, found), count in sorted(statuses.items()):
            print(f"  {wanted} read as {found}: {count}")


if __name__ == "__main__":
    main()
