"""`evalsuite parse --explain`: the reading of a reply step by step: its tapes, the rule at each mention, the decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evalsuite.common.grouping import by_key
from evalsuite.parse import rules, spanrules, stated_confidence
from evalsuite.parse.chars import BOX_CLOSE, BOX_OPEN, TURN
from evalsuite.parse.mentions import prepare
from evalsuite.parse.question import read_question
from evalsuite.parse.read import Choices, ReplyBlocks, parse_option, parse_options, prepare_set, reply_blocks
from evalsuite.parse.rules import Hit, Rule, hits, matching
from evalsuite.parse.span import read_span
from evalsuite.parse.strip import Block, strip
from evalsuite.parse.tape import TOKENS, Tape
from evalsuite.types import Answer

# The verdict of a rule on its mention -> (the verdict in words, the reason why it decides)
VERDICTS = {
    rules.ANSWER: ("the answer by name", "nothing later replaces it"),
    rules.PICK: ("chosen explicitly", "nothing later takes it back"),
    rules.LINE: ("alone on a line", "nothing is chosen explicitly"),
    rules.HEAD: ("at the reply's head", "nothing is chosen explicitly"),
    rules.STATE: ("stated", "nothing is chosen or stands alone"),
    rules.ASK: ("in a question", "nothing else is named"),
    rules.NOT: ("rejected", ""),
    rules.NAME: ("only named", ""),
    rules.NONE: ("none is right", "nothing later is chosen"),
    rules.ALL: ("all are right", "nothing later is chosen"),
    rules.BUT: ("all but these", "nothing later is chosen"),
    rules.CANCEL: ("the choice before is taken back", ""),
}
# A rule that is no row of the table -> the reason why it decides
WHY_RULE = {
    "whole-reply": "the whole reply is the text of one option",
    "elimination": "left over: all other options are rejected",
    "only-named": "nothing is chosen or stated: the only option named",
    "in-turn": "each option is judged by what is said behind it",
    "loosely": "a sentence says its text with other words between",
    "several": "several options are chosen, where one is asked for",
    "outside": "the label chosen is not in the list",
    "label-against-text": "a label and the text beside it are of different options",
    "marked": "the options marked with 1 in a table of 1 and 0",
    "begun": "the reply is the beginning of one option's text",
    "probability": "the greatest of the numbers given to options",
    "probability-tie": "two options have the greatest number",
    "filled-in": "the dialogue's gap is filled in with it",
    "repeated": "the reply repeats it over and over",
    "inference": "the verbs of inference name it",
    "declines": "the reply declines to answer",
    "nothing": "the reply has no words",
    "none": "all options are rejected",
    "unclosed-thought": "the reply ends inside a thought",
    "cut-off": "the reply was cut off before its choice",
    "undecided": "no option is chosen, stated or left over",
}

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_SHOWN = str.maketrans({TURN: "‹end of turn›", BOX_OPEN: "‹box›", BOX_CLOSE: "‹/box›"})


@dataclass(frozen=True, slots=True)
class ExplainedMention:
    """A position in a block where a rule fired or an option is named."""

    number: int
    hit: Hit  # the verdict that counts: the rule's, unless other mentions change it
    words: str
    options: tuple[str, ...]  # the options that the words name, as label and text; none for a cue word
    tape: str  # the tape that the rules match, with the mention's token between ‹ and ›
    matched: tuple[Rule, ...]  # the rows that match: the first fired, and shadows the others
    rank: int  # the rank in the table of the row that fired, from 1; 0 if none
    rows: int  # rows in the table


@dataclass(frozen=True, slots=True)
class ExplainedBlock:
    """A block of the clean text."""

    text: str  # with its mentions between ⟦ and ⟧
    note: str  # the reason why the block counts less, or not at all
    tape: str
    tokens: tuple[tuple[str, str, str], ...]  # (token, words of the reply, meaning of the token)
    mentions: tuple[ExplainedMention, ...]


@dataclass(frozen=True, slots=True)
class ExplainedRule:
    """A rule for spans that matched."""

    name: str
    act: str  # an act of parse/spanrules.py
    words: str  # the matched words
    example: str  # a reply that needs the rule


@dataclass(frozen=True, slots=True)
class Walkthrough:
    """The reading of one reply, step by step."""

    reply: str  # with the answer between ⟦ and ⟧
    blocks: tuple[ExplainedBlock, ...]  # none for a span
    steps: tuple[ExplainedRule, ...]  # only for a span
    result: str  # status and choice
    rule: str
    why: str
    confidence: float | None = None  # the confidence in its choice that the reply states, in [0, 1]


def explain(
    output: str,
    options: Mapping[str, str],
    finish: str = "stop",
    dialogue: Sequence[str] | None = None,
    several: bool = False,
    question: str = "",
) -> Walkthrough:
    """Explain the reading of a reply to a question with options; `several`: more than one may be right."""
    clean, labels = strip(output), list(options)
    known = read_question(question, None if dialogue is None else tuple(dialogue))
    reply = reply_blocks(clean.text, prepare_set(clean, options) if several else prepare(options), known, several)
    answer: Answer | Choices
    if several:
        answer = parse_options(output, options, question=question, finish=finish, dialogue=dialogue)
        chosen = [labels[n] for n in answer.choices]
    else:
        answer = parse_option(output, options, question=question, finish=finish, dialogue=dialogue)
        chosen = [] if answer.choice is None else [labels[answer.choice]]
    blocks: list[ExplainedBlock] = []
    decided, is_behind, number = "", False, 1
    for block in reply.parts:
        note = "the prompt's words: only an explicit choice counts" if block.echo else ""
        tape = reply.tape(block)
        mentions = list(_mentions(reply, tape, block, several, [f"{k} {options[k]}" for k in labels], number))
        note = "run-on, behind the answer" if is_behind else note
        blocks.append(_block(reply, block, tape, note, mentions))
        for mention in [] if is_behind else mentions:
            hit = mention.hit
            if hit.rule == answer.rule and clean.raw_span(hit.start, hit.end)[1] == answer.end:
                decided = f"mention {mention.number}: {'; '.join(VERDICTS[hit.verdict])}"
        number += len(mentions)
        is_behind = is_behind or (answer.end is not None and answer.end <= clean.raw_span(block.start, block.end)[1])
    result = f"{answer.status.value} {', '.join(chosen)}".strip()
    stated = stated_confidence(output, answer.start or 0, answer.end or 0) if chosen else None
    why = WHY_RULE.get(answer.rule) or decided
    return Walkthrough(_marked(output, answer), tuple(blocks), (), result, answer.rule, why, stated)


def explain_span(output: str, dialogue: Sequence[str], question: str, finish: str = "stop") -> Walkthrough:
    """Explain how a span is read from a reply: the rows that matched, in order, and the name of the rule in records."""
    answer, used = read_span(output, dialogue, question, finish == "length", spanrules.rules())
    examples = {row[0]: row[4] for row in spanrules.ROWS}
    steps = dict.fromkeys(
        ExplainedRule(rule.name, rule.act, words.strip(), examples[rule.name]) for rule, words in used
    )
    result = f"{answer.status.value} {answer.text or ''}".strip()
    return Walkthrough(_marked(output, answer), (), tuple(steps), result, answer.rule, "")


def _marked(output: str, answer: Answer | Choices) -> str:
    if answer.start is None or answer.end is None:
        return output
    return f"{output[: answer.start]}⟦{output[answer.start : answer.end]}⟧{output[answer.end :]}"


def _mentions(
    reply: ReplyBlocks, tape: Tape, block: Block, several: bool, options: Sequence[str], first: int
) -> Iterator[ExplainedMention]:
    """The positions in a block that `hits` finds, numbered from `first`."""
    rows = (*rules.SETS, *rules.RULES) if several else tuple(rules.RULES)
    for n, hit in enumerate(hits(tape, len(options), block.echo, several), first):
        token = tape.tokens[tape.spans.index((hit.start, hit.end))]
        matched = tuple(matching(token, hit.before, hit.behind, several))
        words = reply.text[hit.start : hit.end].translate(_SHOWN)
        rank = rows.index(matched[0]) + 1 if matched else 0
        named = tuple("a label outside the list" if option < 0 else options[option] for option in hit.options)
        yield ExplainedMention(n, hit, words, named, f"{hit.before}‹{token}›{hit.behind}", matched, rank, len(rows))


def _block(
    reply: ReplyBlocks, block: Block, tape: Tape, note: str, mentions: Sequence[ExplainedMention]
) -> ExplainedBlock:
    text, at, pieces = reply.text, block.start, list[str]()
    for mention in mentions:
        pieces += [text[at : mention.hit.start], f"⟦{mention.words}⟧{str(mention.number).translate(_SUBSCRIPTS)}"]
        at = mention.hit.end
    words = by_key(
        (token, text[start:end].strip(" ").replace("\n", "⏎").translate(_SHOWN))
        for token, (start, end) in zip(tape.tokens, tape.spans, strict=True)
    )
    words_of = {token: " · ".join(dict.fromkeys(filter(None, texts))) for token, texts in words.items()}
    legend = tuple((token, words_of[token], TOKENS.get(token, "")) for token in words_of)
    shown = "".join((*pieces, text[at : block.end])).strip().translate(_SHOWN)
    return ExplainedBlock(shown, note, tape.tokens, legend, tuple(mentions))
