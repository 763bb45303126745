"""The majority vote of an item's askings in several orders of its options: the metrics `vote` and `paper.vote`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from evalsuite.benchmarks.kinds import HEADLINE, choice_method
from evalsuite.benchmarks.languages import parser_of
from evalsuite.metrics.votes import majority
from evalsuite.types import Answer, Answered, Item, Part, Reading


def votes_part(answered: Answered, askings: Sequence[Sequence[int]]) -> Part:
    """The votes of a cell's items. `askings`: for each item the indices of its askings, in order.

    vote: 1 if the right option has most votes; options that tie for first place share the credit. A reply without an answer
    casts no vote.
    paper.vote: the same of the answers that the paper's program reads, for tasks that have one. If options tie, the one given
    first wins, and "no answer" is an option like the others, as in ToMBench's get_results.py.
    """
    from evalsuite.metrics.statistics import Means

    items, answers = answered.items, answered.answers
    chosen = [[_chosen_text(items[n], answers[n]) for n in rows] for rows in askings]
    right = [items[rows[0]].references[0] for rows in askings]
    columns = {"vote": [_credit(texts, gold) for texts, gold in zip(chosen, right, strict=True)]}
    signatures = {"vote": f"vote|ties:shared|{choice_method(answered)}"}
    if answered.task.official and answered.responses[0].finish not in HEADLINE:
        paper, task = Reading("paper"), answered.task
        replies = zip(items, answered.responses, strict=True)
        read = [_chosen_text(i, task.answer(i, reply, paper, answered.language)) for i, reply in replies]
        # If options tie, `most_common` returns the one that was given first.
        most = [Counter(read[n] for n in rows).most_common(1)[0][0] for rows in askings]
        columns["paper.vote"] = [float(won == gold) for won, gold in zip(most, right, strict=True)]
        signatures["paper.vote"] = f"vote|ties:first|parser:{parser_of(paper)}"
    return Part("votes", Means.of(columns), {name: name for name in columns}, signatures)


def _chosen_text(item: Item, answer: Answer) -> str | None:
    """The text of the chosen option, None if none is chosen."""
    return None if answer.choice is None else item.options[answer.choice]


def _credit(chosen: Sequence[str | None], gold: str) -> float:
    counts = Counter(text for text in chosen if text is not None)
    won = counts.pop(gold, 0)
    return majority(len(chosen), won, tuple(sorted(counts.values())), len(chosen)).credit
