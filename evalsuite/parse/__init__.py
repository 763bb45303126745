"""Reads the answer out of a model's raw reply: Response -> Answer.

    raw reply -> strip -> mentions -> tape -> rules -> resolve -> read     (one option, or a set of options)
                       -> spanrules -> span, english                       (a stretch of the reply)

Of a reply that was asked to reason first, `reasoned` finds the part that answers, which is read as any reply. `confidence` reads
the confidence that a reply states in its answer.

Each stage is a module and can be tested alone. Docstrings cite these labelling rules, by which the test sets were made:

1. Read the commitment, right or wrong; case, width, brackets, markup and special tokens do not matter.
2. An option is named by label, by text (exact, or within a one-character slip) or by position (第二项, the last one).
3. The last explicit commitment wins.
4. Text that runs on after a complete answer (a new question or turn) is ignored.
5. Thinking is ignored; an unclosed thought is no answer.
6. Rejected options do not count; if all but one are rejected, that one is the answer.
7. No answer: refusal, none of the above, empty, echo of the prompt, cut off before the choice, a label or text that is
   not among the options.
8. Several options at once are no answer; of probabilities the unique maximum counts, of a ranking the first.
9. No labels: speaker marks (A:) of dialogues that have such, letters in words (A股), articles, list numbers, digits in
   dates and counts.
10. 是 and 有 as verbs do not pick the options 是 and 有.
11. A synonym or translation counts if exactly one option has that meaning.
12. Spans: cut lead-ins, restated questions, list markers, quotes, speaker marks and outer punctuation. Of 因为X，Y and
   other causal sentences, whatever leads in, the half that restates the event of the question is cut, and only that.
13. Spans: cut explanations, glosses and proposed corrections that follow; after long reasoning take the conclusion.
14. Several spans: keep the whole list.
15. No span: "nothing found", refusal, echo, continued dialogue, cut off before the span. Echo: the question again, or
   nothing but the event that it names, whatever leads in.
16. A label and an adjoining text of different options are a conflict, not a choice.
17. A label followed by a text that is no option counts as the label.
18. Of contradictory statements without a correcting word, the last explicit one counts.
"""

from evalsuite.parse.confidence import stated_confidence
from evalsuite.parse.english import parse_sentence, parse_verbatim
from evalsuite.parse.read import Choices, parse_option, parse_options
from evalsuite.parse.reasoned import answer_part
from evalsuite.parse.span import parse_span
from evalsuite.parse.strip import whole_reply

PARSER_VERSION = "26"

__all__ = [
    "PARSER_VERSION",
    "Choices",
    "answer_part",
    "parse_option",
    "parse_options",
    "parse_sentence",
    "parse_span",
    "parse_verbatim",
    "stated_confidence",
    "whole_reply",
]
