"""The metrics, a row each: names, presentation and, for text metrics, computation.

A benchmark's own metrics are rows of its tasks (`Task.own_metrics`). Importing this module loads neither numpy nor jieba,
which its functions import when they are called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from evalsuite.common.plugins import lazy
from evalsuite.metrics.exact import NORMALISATION, char_f1, exact_match
from evalsuite.metrics.profiles import Profile
from evalsuite.metrics.tokens import token_signature
from evalsuite.types import Metric

if TYPE_CHECKING:
    from evalsuite.metrics.counts import Floats, Ints, Numbers, TokenTable

# In the order in which the page offers metrics.
METRICS = {
    row.name: row
    for row in (
        Metric("accuracy", "准确率", "Acc.", "acc %", is_share=True),
        Metric("paper.accuracy", "准确率（论文解析）", "Acc. (the paper's reading)", "acc %", is_share=True),
        Metric(
            "paper.parts",
            "与论文解析不一致",
            "Read otherwise than by the paper",
            "differ %",
            lower_is_better=True,
            is_share=True,
        ),
        Metric("vote", "多数票正确率", "Majority vote", "vote %"),
        Metric(
            "paper.vote", "多数票正确率（论文解析）", "Majority vote (the paper's reading)", "vote %", is_share=True
        ),
        Metric("accuracy_sum", "准确率（未归一化）", "Acc. (sum)", is_share=True),
        Metric("accuracy_token", "准确率（按词元数）", "Acc. (per token)", is_share=True),
        Metric("accuracy_char", "准确率（按字数）", "Acc. (per char.)", is_share=True),
        Metric("accuracy_prior", "准确率（减先验）", "Acc. (less prior)", is_share=True),
        Metric("semsim", "Sem-Sim"),
        Metric("macro_f1", "宏平均 F1", "Macro F1", is_mean=False),
        Metric("weighted_f1", "加权 F1", "Weighted F1", is_mean=False),
        Metric("precision", "精确率", "Precision", is_mean=False),
        Metric("recall", "召回率", "Recall", is_mean=False),
        Metric("macro_precision", "宏平均精确率", "Macro precision", is_mean=False),
        Metric("macro_recall", "宏平均召回率", "Macro recall", is_mean=False),
        Metric("no_match", "无匹配", "No match", lower_is_better=True),
        Metric("set_accuracy", "全对率", "Exact sets", "set acc %", is_share=True),
        Metric("answer_f1", "各答案 F1", "F1 of answers", is_mean=False),
        Metric("answer_precision", "各答案精确率", "Precision of answers", is_mean=False),
        Metric("answer_recall", "各答案召回率", "Recall of answers", is_mean=False),
        Metric("contains", "含标准答案", "Holds the reference", "holds %", is_share=True),
        Metric("delta_nll", "ΔNLL", maximum=None, percent=False, unit="nats"),
    )
}


# --- texts

# (profile, number of items) -> the signature's fields (tokenisation, definition, …), in order.
_Fields = Callable[[Profile, int], dict[str, str]]


class Texts(Protocol):
    """The members of `texts.TextCorpus` that metrics use."""

    @property
    def hypotheses(self) -> Sequence[str]: ...
    @property
    def references(self) -> Sequence[Sequence[str]]: ...
    def table(self, tokenisation: str) -> TokenTable: ...


class Counting(Protocol):
    """A module of a metric with sufficient statistics: bleu.py, chrf.py, meteor15.py."""

    @property
    def COLUMNS(self) -> tuple[str, ...]: ...
    def statistics(self, table: TokenTable) -> Ints: ...


@dataclass(frozen=True, slots=True)
class Counts:
    """Sufficient statistics that are summed over a corpus before the metric is computed. Metrics may share them."""

    name: str
    module: Callable[[], Counting]
    tokens: Callable[[Profile], str | None]  # the tokenisation; None: not in this profile
    # (..., columns) sums -> (...) one metric, or (..., metrics) all that share the sums.
    pooled: Callable[[Numbers], Floats]
    single: Callable[[Numbers], Floats]  # (N, columns) rows -> the same metrics of each item, named s<name>


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMetric(Metric):
    """A metric of texts, which is either the mean of `values` or computed from sums of `counts`."""

    fields: _Fields
    # The fields of Profile on which `values` depends; profiles with the same values of these share the result.
    reads: tuple[str, ...] = ()
    values: Callable[[Texts, Profile], Floats] | None = None  # (N,)
    counts: Counts | None = None
    column: int | None = None  # index among the metrics that share the counts
    single_fields: _Fields | None = None
    stated_as: str = ""  # the name in results.json, if it is different
    ours: bool = True  # reported under our profile
    papers: bool = False  # reported under the paper's profile, as "paper.<name>"


def _tokens(name: str, definition: str, case: str = "mixed", **more: str) -> _Fields:
    """A function that makes a signature's fields. `name`: the field of Profile with the tokenisation."""
    return lambda profile, items: {
        "case": case,
        "tok": token_signature(getattr(profile, name)),
        **more,
        "def": definition,
    }


def _cider_fields(definition: str) -> _Fields:
    return lambda profile, items: {
        "case": "mixed",
        "tok": token_signature(profile.cider),
        "idf": f"references[{items}]",
        "def": definition,
    }


def _rouge_l_fields(profile: Profile, items: int) -> dict[str, str]:
    definition = {
        "lin": "mean.lin2004.f1.best-ref",
        "coco": "mean.pycocoevalcap.beta1.2",
        "rouge-chinese": _ROUGE_CHINESE,
    }[profile.rouge_by]
    return _tokens("rouge", definition)(profile, items)


def _rouge_n_fields(profile: Profile, items: int) -> dict[str, str]:
    as_rouge_chinese = profile.rouge_by == "rouge-chinese"
    return _tokens("rouge", _ROUGE_CHINESE if as_rouge_chinese else "mean.lin2004.f1.clipped.best-ref")(profile, items)


_ROUGE_CHINESE = "mean.rouge-chinese.f.best-ref"


def _chrf_fields(how: str) -> _Fields:
    fields = {"case": "mixed", "nc": "6", "nw": "0", "space": "no", "eff": "yes", "def": f"{how}.popovic2015.beta2"}
    return lambda profile, items: fields


def _each(score: Callable[[str, Sequence[str]], float]) -> Callable[[Texts, Profile], Floats]:
    def values(texts: Texts, profile: Profile) -> Floats:
        import numpy as np

        return np.array([score(hyp, refs) for hyp, refs in zip(texts.hypotheses, texts.references, strict=True)])

    return values


def _of_table(function: str, tokens: str, **how: Any) -> Callable[[Texts, Profile], Floats]:
    """The `values` of a metric that applies `function` ("module:function" of this package) to the table of the texts. `tokens`:
    the field of Profile with the table's tokenisation."""
    compute = lazy(f"evalsuite.metrics.{function}")
    return lambda texts, profile: compute(texts.table(getattr(profile, tokens)), **how)


def _rouge_l(texts: Texts, profile: Profile) -> Floats:
    from evalsuite.metrics.rouge import rouge_chinese, rouge_l, rouge_l_coco

    table = texts.table(profile.rouge)
    if profile.rouge_by == "rouge-chinese":
        return rouge_chinese(table, "rouge-l")
    return {"lin": rouge_l, "coco": rouge_l_coco}[profile.rouge_by](table)


def _rouge(order: int) -> TextMetric:
    def values(texts: Texts, profile: Profile) -> Floats:
        from evalsuite.metrics.rouge import rouge_chinese, rouge_n

        table = texts.table(profile.rouge)
        return rouge_chinese(table, f"rouge-{order}") if profile.rouge_by == "rouge-chinese" else rouge_n(table, order)

    name, heading, reads = f"rouge{order}", f"ROUGE-{order}", ("rouge", "rouge_by")
    return TextMetric(name, heading, reads=reads, values=values, fields=_rouge_n_fields)


def _bleu(order: int, papers: bool = False) -> TextMetric:
    return TextMetric(
        f"bleu{order}",
        f"BLEU-{order}",
        papers=papers,
        counts=_BLEU,
        column=order - 1,
        is_mean=False,
        fields=_tokens("bleu", "pooled.papineni2002", smooth="none"),
        single_fields=_tokens("bleu", "mean.nltk-method1", smooth="floor[0.10]"),
    )


def _counts(name: str, module: str, tokens: Callable[[Profile], str | None], pooled: str, single: str) -> Counts:
    """The `Counts` of a module of this folder, which is imported when they are first needed."""
    path = f"evalsuite.metrics.{module}"
    return Counts(name, partial(import_module, path), tokens, lazy(f"{path}:{pooled}"), lazy(f"{path}:{single}"))


_BLEU = _counts("bleu", "bleu", lambda profile: profile.bleu, "corpus_bleu", "sentence_bleu")
_SACRE = _counts("sacre", "bleu", lambda profile: profile.sacre, "corpus_bleu_exp", "corpus_bleu_exp")
_CHRF = _counts("chrf", "chrf", lambda profile: "char", "chrf", "chrf")
_METEOR15 = _counts("meteor15", "meteor15", lambda profile: profile.meteor15, "meteor15", "meteor15")


# In the order of results.json.
TEXT_METRICS = {
    row.name: row
    for row in (
        TextMetric(
            "f1_char",
            "F1",
            short="f1 %",
            stated_as="f1",
            papers=True,
            values=_each(char_f1),
            fields=lambda profile, items: {
                "norm": NORMALISATION,
                "tok": token_signature("char"),
                "def": "mean.squad.best-ref",
            },
        ),
        TextMetric(
            "em",
            "EM",
            short="em %",
            papers=True,
            values=_each(exact_match),
            fields=lambda profile, items: {"norm": NORMALISATION, "def": "mean"},
        ),
        TextMetric(
            "f1_token",
            "F1（词）",
            "F1 of words",
            reads=("f1",),
            fields=_tokens("f1", "mean.squad.best-ref"),
            # SQuAD's F1 of bags of tokens (Rajpurkar et al. 2016), without its normalisation, is ROUGE-1's.
            values=_of_table("rouge:rouge_n", "f1", order=1),
        ),
        _bleu(1, papers=True),
        _bleu(2, papers=True),
        _bleu(3),
        _bleu(4),
        TextMetric(
            "bleu_sacre_zh",
            "BLEU（sacreBLEU zh）",
            "BLEU (sacreBLEU zh)",
            counts=_SACRE,
            is_mean=False,
            fields=_tokens("sacre", "pooled.sacrebleu", smooth="exp"),
            single_fields=_tokens("sacre", "mean.sacrebleu", smooth="exp"),
        ),
        _rouge(1),
        _rouge(2),
        TextMetric(
            "rouge_l", "ROUGE-L", papers=True, reads=("rouge", "rouge_by"), fields=_rouge_l_fields, values=_rouge_l
        ),
        TextMetric(
            "meteor15",
            "METEOR 1.5",
            ours=False,
            papers=True,
            counts=_METEOR15,
            is_mean=False,
            fields=_tokens("meteor15", "pooled.denkowski-lavie2014.exact-only", "lc"),
            single_fields=_tokens("meteor15", "mean.denkowski-lavie2014.exact-only", "lc"),
        ),
        TextMetric(
            "meteor",
            "METEOR",
            papers=True,
            reads=("meteor",),
            values=_of_table("meteor:meteor", "meteor"),
            fields=_tokens("meteor", "mean.banerjee-lavie2005.exact-only.nltk-alignment.best-ref", "lc"),
        ),
        TextMetric(
            "cider",
            "CIDEr",
            maximum=10.0,
            percent=False,
            papers=True,
            reads=("cider",),
            fields=_cider_fields("mean.pycocoevalcap.cider-d"),
            values=_of_table("cider:cider", "cider"),
        ),
        TextMetric(
            "cider_plain",
            "CIDEr（原始）",
            "CIDEr (plain)",
            maximum=10.0,
            percent=False,
            ours=False,
            reads=("cider",),
            values=_of_table("cider:cider", "cider", clipped=False),
            fields=_cider_fields("mean.vedantam2015"),
        ),
        TextMetric(
            "chrf",
            "chrF",
            counts=_CHRF,
            is_mean=False,
            fields=_chrf_fields("pooled"),
            single_fields=_chrf_fields("mean"),
        ),
    )
}
