"""GLUCOSE's BLEU, as in the official notebook and over answered cells only.

The notebook (test/evaluate_GLUCOSE_submissions.ipynb, with sacreBLEU 1.4.14) computes, for each dimension and level,
sacreBLEU's corpus BLEU with its defaults (13a, exponential smoothing, cased, 4-grams) over ALL rows. Rows that were not
answered have the word "escaped" as their three references, and a submission repeats it: each adds one matching unigram and
no longer n-grams. `sacrebleu` leaves these rows out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalsuite.benchmarks.languages import OF_REPLY, parser_of, whole_replies
from evalsuite.types import Answered, Metric, Part

ESCAPED, JOINED, REFERENCES = "escaped", "****", 3

_ESCAPED_ROW = (1, 1, 1, 0, 0, 0, 1, 0, 0, 0)  # statistics of an escaped row, in the order of metrics.bleu.COLUMNS


@dataclass(frozen=True, slots=True)
class CellBleu:
    """BLEU of one dimension and level in both variants, as an `Additive`; in [0, 1].

    statistics: (N, 20): `bleu.COLUMNS` under sacreBLEU's 13a of the answers, then of the whole replies, which the notebook
    scores. escaped: the number of escaped rows of the file, which are not resampled; None if some other row was not asked: then
    the notebook's variant is undefined.
    """

    statistics: Any
    escaped: int | None

    @classmethod
    def of(
        cls, answers: Sequence[str], replies: Sequence[str], references: Sequence[Sequence[str]], escaped: int | None
    ) -> CellBleu:
        import numpy as np

        from evalsuite.metrics import bleu
        from evalsuite.metrics.counts import TokenTable
        from evalsuite.metrics.tokens import tokenise

        first_references = [refs[:REFERENCES] for refs in references]
        flat = iter(tokenise([text for refs in first_references for text in refs], "13a"))
        grouped = [[next(flat) for _ in refs] for refs in first_references]
        counts = [
            bleu.statistics(TokenTable(tokenise(texts, "13a"), grouped)).astype(float) for texts in (answers, replies)
        ]
        return cls(np.concatenate(counts, axis=1), escaped)

    def finish(self, sums: Any) -> dict[str, Any]:
        """(..., 20) sums -> metric name -> (...) values."""
        import numpy as np

        from evalsuite.metrics.bleu import corpus_bleu_exp

        values = {"sacrebleu": corpus_bleu_exp(sums[..., :10])}
        if self.escaped is not None:
            values["sacrebleu_notebook"] = corpus_bleu_exp(sums[..., 10:] + self.escaped * np.array(_ESCAPED_ROW))
        return values


def bleu_part(answered: Answered) -> Part:
    """The metrics of a cell. The notebook's BLEU needs all items of the file. A reply that is a part of an explanation is first
    completed to an explanation (forms.py)."""
    facts, items = answered.facts, answered.items
    escaped = facts.get("escaped") if facts.get("answered") == len(items) else None
    form = answered.task.forms.get(answered.variant)

    def explanations(texts: Sequence[str]) -> Sequence[str]:
        return [form.whole(item, text) for item, text in zip(items, texts, strict=True)] if form else texts

    answers = explanations([a.text or "" for a in answered.answers])
    replies = explanations(whole_replies(answered))
    bleu = CellBleu.of(answers, replies, [item.references for item in items], escaped)
    names = {name: name for name in bleu.finish(bleu.statistics.sum(axis=0))}
    sources = {"sacrebleu": f"parser:{parser_of(answered.reading)}", "sacrebleu_notebook": OF_REPLY}
    form_field = "|form:completed.1" if form else ""
    signatures = {name: f"{name}|def:13a.exp.best-ref{form_field}|{sources[name]}" for name in names}
    # The notebook's BLEU counts rows that are not items, so single items have no value of it.
    of_items = {"sacrebleu": bleu.finish(bleu.statistics)["sacrebleu"]}
    return Part("glucose", bleu, names, signatures, of_items)


METRICS = (
    Metric("sacrebleu", "sacreBLEU", short="BLEU", is_mean=False, published=100.0),
    Metric(
        "sacrebleu_notebook",
        "sacreBLEU（官方 notebook）",
        "sacreBLEU (notebook)",
        "BLEU",
        is_mean=False,
        published=100.0,
    ),
)
