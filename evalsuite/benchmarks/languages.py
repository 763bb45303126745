"""The languages of the benchmarks, a row each: how spans and short texts are parsed, and their metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evalsuite.metrics import squad
from evalsuite.metrics.exact import char_f1, exact_match
from evalsuite.metrics.rows import TEXT_METRICS
from evalsuite.types import Answer, Answered, Item, Language, Part, Reading, Response


def parser_of(reading: Reading) -> str:
    """The parser's name in signatures: with its version, and "-whole" if spans and texts are not extracted."""
    from evalsuite.parse import PARSER_VERSION

    return f"{reading.parser}-{PARSER_VERSION}{'' if reading.extract else '-whole'}"


def _read_chinese(item: Item, response: Response, reading: Reading) -> Answer:
    from evalsuite.parse import parse_span

    return parse_span(
        response.text, dialogue=item.dialogue, question=item.question, finish=response.finish, extract=reading.extract
    )


def _read_english_span(item: Item, response: Response, reading: Reading) -> Answer:
    from evalsuite.parse import parse_verbatim

    return parse_verbatim(
        response.text, dialogue=item.dialogue, question=item.question, finish=response.finish, extract=reading.extract
    )


def _read_english_text(item: Item, response: Response, reading: Reading) -> Answer:
    from evalsuite.parse import parse_sentence

    if not reading.extract:
        return _read_chinese(
            item, response, reading
        )  # without extraction the whole reply is the answer, in any language
    return parse_sentence(response.text, finish=response.finish)


def _score_characters(answer: str, references: Sequence[str]) -> dict[str, float]:
    return {"f1": char_f1(answer, references), "em": exact_match(answer, references)}


def _score_words(answer: str, references: Sequence[str]) -> dict[str, float]:
    return {"f1": squad.f1(answer, references), "em": squad.exact_match(answer, references)}


def reply_text(response: Response, answer: Answer | None = None) -> str:
    """The reply as the papers' programs score it: whole, but without special tokens and thinking; "" if a content filter cut it.
    `answer`: the answer read from the reply; the reasoning before it, which the prompt asked for, is left out, too."""
    from evalsuite.parse import whole_reply

    text = response.text[answer.reasoned :] if answer else response.text
    return "" if response.finish == "content_filter" else whole_reply(text)


def whole_replies(answered: Answered) -> list[str]:
    """(N,) `reply_text` of the replies."""
    return [reply_text(response, answer) for response, answer in zip(answered.responses, answered.answers, strict=True)]


def means_part(name: str, columns: Mapping[str, Sequence[float]], signatures: Mapping[str, str]) -> Part:
    """A part whose metrics are means over items: a column of item values for each, by its name."""
    from evalsuite.metrics.statistics import Means

    return Part(name, Means.of(columns), {metric: metric for metric in columns}, signatures)


# The signature's field of metrics that score `whole_replies`; other signatures name the parser in its place.
OF_REPLY = "in:reply.1"


def _text_metrics(answered: Answered, profile: str, papers: str) -> tuple[Part, Part]:
    """The text metrics of the answers under `profile`, and of the whole replies under the profile `papers`: "paper.<name>"."""
    from evalsuite.metrics.texts import TextCorpus

    references = [item.references for item in answered.items]
    answers, replies = [a.text or "" for a in answered.answers], whole_replies(answered)
    corpus = TextCorpus(answers, references)
    rows = TEXT_METRICS.values()

    def part(name: str, corpus: TextCorpus, profile: str, names: dict[str, str], source: str) -> Part:
        scores = corpus.score(profile, names=names.values())
        names = {stated: metric for stated, metric in names.items() if metric in scores.corpus}
        # Without the version, which is appended to every signature of a cell.
        signatures = {
            stated: f"{scores.signatures[metric].rpartition('|version:')[0]}|{source}"
            for stated, metric in names.items()
        }
        return Part(name, scores, names, signatures, {s: scores.of_items(metric) for s, metric in names.items()})

    ours = {row.stated_as or row.name: row.name for row in rows if row.ours}
    theirs = {f"paper.{row.stated_as or row.name}": row.name for row in rows if row.papers}
    whole = corpus if replies == answers else TextCorpus(replies, references)  # equal texts share tokens and counts
    return (
        part("default", corpus, profile, ours, f"parser:{parser_of(answered.reading)}"),
        part("paper", whole, papers, theirs, OF_REPLY),
    )


def _chinese_parts(answered: Answered) -> tuple[Part, ...]:
    return _text_metrics(answered, "default", "paper")


def _squad_part(answered: Answered, names: Sequence[str], papers: Sequence[str]) -> Part:
    """Metrics of `squad.span_values`: `names` of the answers; `papers` of the whole replies, named "paper.<name>"."""
    references = [item.references for item in answered.items]
    answers = [a.text or "" for a in answered.answers]
    columns: dict[str, list[float]] = {}
    signatures: dict[str, str] = {}
    for prefix, metrics, texts, source in (
        ("", names, answers, f"parser:{parser_of(answered.reading)}"),
        ("paper.", papers, whole_replies(answered), OF_REPLY),
    ):
        rows = [squad.span_values(text, refs) for text, refs in zip(texts, references, strict=True)]
        for name in metrics:
            stated = prefix + name.removeprefix("paper.")
            columns[stated] = [row[name] for row in rows]
            signatures[stated] = f"{name}|norm:{squad.NORMALISATION}|{source}"
    return means_part("squad", columns, signatures)


def _english_span_parts(answered: Answered) -> tuple[Part, ...]:
    """F1 and exact match as in SQuAD, and the metrics of CIDER's official code, "paper.<name>"."""
    return (_squad_part(answered, ("f1", "em", "no_match"), ("paper.f1", "paper.em", "no_match")),)


def _english_text_parts(answered: Answered) -> tuple[Part, ...]:
    """F1 and EM as in SQuAD, on words, and the other text metrics."""
    words = _squad_part(answered, ("f1", "em"), ("f1", "em"))
    return words, *(
        replace(part, names={stated: metric for stated, metric in part.names.items() if stated not in words.names})
        for part in _text_metrics(answered, "english", "cicero")
    )


ZH = Language(
    "zh", _read_chinese, _read_chinese, _score_characters, _chinese_parts, _chinese_parts, gap="", altered=True
)
EN = Language(
    "en", _read_english_span, _read_english_text, _score_words, _english_span_parts, _english_text_parts, gap=" "
)
LANGUAGES = {row.name: row for row in (ZH, EN)}
