"""The kinds of task, a row each: how replies are parsed and items scored, and the metrics of a cell.

Choice: accuracy, by our parser and by the paper's program. Several choices: exact match of the set, and F1 of single answers.
Span and text: F1 and exact match, and the text metrics of the language. Answer: whether the reply contains a reference. Probe:
accuracy and ΔNLL. A benchmark's own metrics are in the rows of its tasks (`Task.own_part`).
"""

from __future__ import annotations

from evalsuite.benchmarks.languages import means_part, parser_of
from evalsuite.types import Answer, Answered, Item, Kind, Language, Part, Reading, Response, Score, Status

# --- options

# Scoring -> the way of comparing options, `by` of `most_likely`, that the headline accuracy uses.
HEADLINE = {"labels": "sum", "texts": "token", "nll": "token"}


def most_likely(item: Item, response: Response, by: str) -> int:
    """The index of the most likely option. `by`: "sum" compares log-probabilities, "token" and "char" their means per token or
    character, and "prior" subtracts the log-probability without the question (PMI, Holtzman et al. 2021)."""
    values = {
        "sum": [x.logprob for x in response.likelihoods],
        "token": [x.logprob / x.tokens for x in response.likelihoods],
        "char": [x.logprob / max(1, len(o)) for x, o in zip(response.likelihoods, item.options, strict=True)],
        "prior": [x.logprob - (x.prior or 0.0) for x in response.likelihoods],
    }[by]
    best = max(range(len(values)), key=values.__getitem__)
    # The valid explanation of a probe is the first option. A tie counts as wrong.
    return 1 if response.finish == "nll" and values[0] == values[1] else best


def _read_choice(item: Item, response: Response, reading: Reading, language: Language) -> Answer:
    from evalsuite.parse import parse_option

    if response.likelihoods:
        choice = most_likely(item, response, HEADLINE[response.finish])
        return Answer(Status.PARSED, choice, item.options[choice], f"{response.finish}: most likely")
    options = dict(zip(item.labels, item.options, strict=True))
    return parse_option(
        response.text,
        options,
        question=item.question,
        finish=response.finish,
        mode=reading.parser,
        dialogue=item.dialogue,
    )


def _is_right(item: Item, answer: Answer) -> float:
    return float(answer.choice is not None and answer.choice == item.gold)


def _score_choice(item: Item, answer: Answer, response: Response | None, language: Language) -> Score:
    return Score({"accuracy": _is_right(item, answer)})


def choice_method(answered: Answered) -> str:
    """The signature's field that says how choices were determined: "parser:<name>", or "by:<comparison of options>"."""
    scoring = answered.responses[0].finish
    return f"by:{HEADLINE[scoring]}" if scoring in HEADLINE else f"parser:{parser_of(answered.reading)}"


def _choice_parts(answered: Answered) -> tuple[Part, ...]:
    pairs = list(zip(answered.items, answered.responses, strict=True))
    columns = {"accuracy": [_is_right(item, answer) for item, answer in answered.pairs]}
    signatures = {"accuracy": f"accuracy|{choice_method(answered)}"}
    scoring = answered.responses[0].finish
    for by in ("sum", "token", "char", "prior") if scoring == "texts" else ():
        columns[f"accuracy_{by}"] = [float(most_likely(i, r, by) == i.gold) for i, r in pairs]
        signatures[f"accuracy_{by}"] = f"accuracy|by:{by}"
    if scoring not in HEADLINE and answered.task.official:
        paper, task = Reading("paper"), answered.task
        official = [task.answer(i, r, paper, answered.language).choice for i, r in pairs]
        columns["paper.accuracy"] = [float(b == i.gold) for (i, _), b in zip(pairs, official, strict=True)]
        signatures["paper.accuracy"] = f"accuracy|parser:{parser_of(paper)}"
        columns["paper.parts"] = [float(a.choice != b) for a, b in zip(answered.answers, official, strict=True)]
        signatures["paper.parts"] = f"parts|{choice_method(answered)}|parser:{parser_of(paper)}"
    return (means_part("choices", columns, signatures),)


# --- several options


def _read_choices(item: Item, response: Response, reading: Reading, language: Language) -> Answer:
    from evalsuite.parse import parse_options

    options = dict(zip(item.labels, item.options, strict=True))
    read = parse_options(response.text, options, question=item.question, finish=response.finish, dialogue=item.dialogue)
    text = "；".join(item.options[n] for n in read.choices) if read.choices else None
    return Answer(read.status, None, text, read.rule, read.start, read.end, read.choices)


def _chosen(item: Item, answer: Answer) -> list[str]:
    return [item.options[n] for n in answer.choices]


def _score_choices(item: Item, answer: Answer, response: Response | None, language: Language) -> Score:
    from evalsuite.metrics.sets import count_answers  # loads numpy

    chosen, right = _chosen(item, answer), item.references
    hits, chosen_count, right_count = count_answers(chosen, right)
    f1 = 2 * hits / (chosen_count + right_count)
    return Score({"set_accuracy": float({*chosen} == {*right}), "answer_f1": f1})


def _choices_parts(answered: Answered) -> tuple[Part, ...]:
    from evalsuite.metrics.sets import SetScores

    chosen = [_chosen(item, answer) for item, answer in answered.pairs]
    sets = SetScores.of(chosen, [item.references for item in answered.items])
    names = list(sets.corpus)
    signatures = {name: f"{name}|def:cicero-v2|parser:{parser_of(answered.reading)}" for name in names}
    # Here they are means over items; CIDER's metrics of the same names are means over classes.
    means = frozenset({"macro_precision", "macro_recall"})
    return (Part("sets", sets, {name: name for name in names}, signatures, means=means),)


# --- spans and short texts


def _read_span(item: Item, response: Response, reading: Reading, language: Language) -> Answer:
    return language.read_span(item, response, reading)


def _read_text(item: Item, response: Response, reading: Reading, language: Language) -> Answer:
    return language.read_text(item, response, reading)


def _score_words(item: Item, answer: Answer, response: Response | None, language: Language) -> Score:
    return Score(language.score(answer.text or "", item.references))


def _span_parts(answered: Answered) -> tuple[Part, ...]:
    return answered.language.span_parts(answered)


def _text_parts(answered: Answered) -> tuple[Part, ...]:
    return answered.language.text_parts(answered)


# --- short answers that are right if they contain a reference


def _read_answer(item: Item, response: Response, reading: Reading, language: Language) -> Answer:
    """Take the whole reply without thinking as the answer, since the words of a reference may stand anywhere in it."""
    from evalsuite.parse import whole_reply

    text = whole_reply(response.text)
    if not text:
        return language.read_text(item, response, reading)
    # The last occurrence, since thinking may contain the same text; -1: special tokens interrupt the text.
    start = response.text.rfind(text)
    span = (None, None) if start < 0 else (start, start + len(text))
    return Answer(Status.PARSED, None, text, "whole reply", *span)


def _contains_reference(item: Item, answer: Answer) -> float:
    from evalsuite.metrics.contains import contains

    return contains(answer.text or "", item.references)


def _score_answer(item: Item, answer: Answer, response: Response | None, language: Language) -> Score:
    return Score({"contains": _contains_reference(item, answer)})


def _answer_parts(answered: Answered) -> tuple[Part, ...]:
    from evalsuite.metrics.contains import DEFINITION

    columns = {"contains": [_contains_reference(item, answer) for item, answer in answered.pairs]}
    signature = f"contains|def:{DEFINITION}|parser:{parser_of(answered.reading)}"
    return (means_part("contains", columns, {"contains": signature}),)


# --- probes


def delta_nll(response: Response) -> float:
    """ΔNLL of a probe in nats per token: the loss with the corrupted explanation minus the loss with the valid one."""
    valid, corrupted = (x.logprob / x.tokens for x in response.likelihoods)
    return valid - corrupted


def _score_probe(item: Item, answer: Answer, response: Response | None, language: Language) -> Score:
    if response is None:
        return Score()
    accuracy = {"accuracy": _is_right(item, answer)}
    return Score(accuracy | {"delta_nll": delta_nll(response)} if response.likelihoods else accuracy)


def was_chosen(answered: Answered) -> bool:
    """Whether explanations were chosen, as a person does, rather than compared by likelihoods."""
    return not any(response.likelihoods for response in answered.responses)


def _probe_parts(answered: Answered) -> tuple[Part, ...]:
    columns = {"accuracy": [_is_right(item, answer) for item, answer in answered.pairs]}
    if not was_chosen(answered):
        columns["delta_nll"] = [delta_nll(response) for response in answered.responses]
    method = choice_method(answered)
    return (means_part("means", columns, {name: f"{name}|{method}" for name in columns}),)


CHOICE = Kind(
    "choice",
    "单选",
    "choices",
    _read_choice,
    _score_choice,
    _choice_parts,
    ("accuracy",),
    ("generate", "labels", "texts", "constrained"),
    options=True,
    unjudged="a choice is right or wrong without a judge",
)
CHOICES = Kind(
    "choices",
    "多选",
    "sets of choices",
    _read_choices,
    _score_choices,
    _choices_parts,
    ("set_accuracy", "answer_f1"),
    options=True,
    several=True,
    unjudged="a set of choices is right or wrong without a judge",
)
SPAN = Kind("span", "片段", "spans", _read_span, _score_words, _span_parts, ("f1", "em"), quoted=True)
TEXT = Kind("text", "短文本", "texts", _read_text, _score_words, _text_parts, ("f1", "em"), rated=True)
ANSWER = Kind("answer", "简答", "short answers", _read_answer, _score_answer, _answer_parts, ("contains",), rated=True)
PROBE = Kind(
    "probe",
    "探测",
    "probes",
    _read_choice,
    _score_probe,
    _probe_parts,
    ("accuracy", "delta_nll"),
    ("nll",),
    options=True,
    written=False,
    unjudged="a probe has no written reply to judge",
)
KINDS = {row.name: row for row in (CHOICE, CHOICES, SPAN, TEXT, ANSWER, PROBE)}
