"""The languages of the benchmarks, a row each: how spans and short texts are parsed, and their metrics."""

from __future__ import annotations

from collections.abc import Sequence
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
        response.text,
        dialogue=item.dialogue,
        question=item.question,
        finish=response.finish,
        extract=reading.extract,
    )


def _read_english_span(item: Item, response: Response, reading: Reading) -> Answer:
    from evalsuite.parse import parse_verbatim

    return parse_verbatim(
        response.text,
        dialogue=item.dialogue,
        question=item.question,
        finish=response.finish,
        extract=reading.extract,
    )


def _read_english_text(item: Item, response: Response, reading: Reading) -> Answer:
    from evalsuite.parse import parse_sentence

    if not reading.extract:
        return _read_chinese(item, response, reading)  # takes the whole reply
    return parse_sentence(response.text, finish=response.finish)


def _score_characters(said: str, references: Sequence[str]) -> dict[str, float]:
    return {"f1": char_f1(said, references), "em": exact_match(said, references)}


def _score_words(said: str, references: Sequence[str]) -> dict[str, float]:
    return {"f1": squad.f1(said, references), "em": squad.exact_match(said, references)}


def _corpus(answered: Answered, profile: str, papers: str) -> tuple[Part, Part]:
    """All text metrics under two profiles: ours, and the paper's with names "paper.<name>"."""
    from evalsuite.metrics.texts import TextCorpus

    corpus = TextCorpus([a.text or "" for a in answered.answers], [item.references for item in answered.items])
    rows = TEXT_METRICS.values()

    def part(name: str, profile: str, names: dict[str, str]) -> Part:
        scores = corpus.score(profile)
        # The cell appends the version to every signature.
        own = {name: scores.signatures[of].rpartition("|version:")[0] for name, of in names.items()}
        signatures = {name: f"{text}|parser:{parser_of(answered.reading)}" for name, text in own.items()}
        return Part(name, scores, names, signatures, {name: scores.of_items(of) for name, of in names.items()})

    return (
        part("default", profile, {row.stated_as or row.name: row.name for row in rows if row.ours}),
        part("paper", papers, {f"paper.{row.name}": row.name for row in rows if row.papers}),
    )


def _chinese_parts(answered: Answered) -> tuple[Part, ...]:
    return _corpus(answered, "default", "paper")


def _squad(answered: Answered, names: Sequence[str] | None = None) -> Part:
    """SQuAD's metrics; `names` selects some of them."""
    from evalsuite.metrics.statistics import Means

    rows = [
        squad.span_values(a.text or "", item.references)
        for a, item in zip(answered.answers, answered.items, strict=True)
    ]
    names = names or list(rows[0])
    parser = parser_of(answered.reading)
    signatures = {name: f"{name}|norm:{squad.NORMALISATION}|parser:{parser}" for name in names}
    means = Means.of({name: [row[name] for row in rows] for name in names})
    return Part("squad", means, {name: name for name in names}, signatures)


def _english_span_parts(answered: Answered) -> tuple[Part, ...]:
    return (_squad(answered),)


def _english_text_parts(answered: Answered) -> tuple[Part, ...]:
    """F1 and EM as in SQuAD, on words, and the other text metrics."""
    words = _squad(answered, ("f1", "em"))
    ours, papers = _corpus(answered, "english", "cicero")
    rest = {name: of for name, of in ours.names.items() if name not in words.names}
    return words, replace(ours, names=rest), papers


ZH = Language(
    "zh", _read_chinese, _read_chinese, _score_characters, _chinese_parts, _chinese_parts,
    gap="", paper_forms=True, altered=True,
)  # fmt: skip
EN = Language(
    "en", _read_english_span, _read_english_text, _score_words, _english_span_parts, _english_text_parts, gap=" "
)
LANGUAGES = {row.name: row for row in (ZH, EN)}
