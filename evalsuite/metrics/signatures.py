"""A number's signature in sacreBLEU's style: metric, references, tokenisation with version, definition, our version.

Two corpora with the same texts and the same signature give the same number.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from evalsuite.metrics.exact import NORMALISATION
from evalsuite.metrics.profiles import Profile
from evalsuite.metrics.tokens import token_signature


@cache
def package_version() -> str:
    """The version of evalsuite, or "source" if it runs without being installed."""
    try:
        return version("evalsuite")
    except PackageNotFoundError:
        return "source"


def signature(metric: str, references: str, **fields: str) -> str:
    """`metric|nrefs:1|key:value|…|version:…`.

    >>> signature("em", "1", norm="outer-punct.1").split("|")[:3]
    ['em', 'nrefs:1', 'norm:outer-punct.1']
    """
    parts = [metric, f"nrefs:{references}", *(f"{key}:{value}" for key, value in fields.items())]
    return "|".join([*parts, f"version:{package_version()}"])


def count_references(references: Sequence[Sequence[str]]) -> str:
    """Their number if all items have as many, else "var", as sacreBLEU says."""
    numbers = {len(refs) for refs in references}
    return str(numbers.pop()) if len(numbers) == 1 else "var"


def text_signatures(profile: Profile, references: str, items: int) -> dict[str, str]:
    """The signature of every number of a profile, by its name in `TextScores`."""
    table = {
        "em": {"norm": NORMALISATION, "def": "mean"},
        "f1_char": {"norm": NORMALISATION, "tok": token_signature("char"), "def": "mean.squad.best-ref"},
        "f1_token": {"case": "mixed", "tok": token_signature(profile.f1), "def": "mean.squad.best-ref"},
        "rouge_l": {
            "case": "mixed",
            "tok": token_signature(profile.rouge),
            "def": {"f1": "mean.lin2004.f1.best-ref", "coco": "mean.pycocoevalcap.beta1.2"}[profile.rouge_l],
        },
        "meteor": {
            "case": "lc",
            "tok": token_signature(profile.meteor),
            "def": "mean.banerjee-lavie2005.exact-only.nltk-alignment.best-ref",
        },
        "chrf": {"case": "mixed", "nc": "6", "nw": "0", "space": "no", "eff": "yes", "def": "pooled.popovic2015.beta2"},
        "schrf": {"case": "mixed", "nc": "6", "nw": "0", "space": "no", "eff": "yes", "def": "mean.popovic2015.beta2"},
    }
    for order in range(1, 5):
        bleu = {"case": "mixed", "tok": token_signature(profile.bleu)}
        table[f"bleu{order}"] = bleu | {"smooth": "none", "def": "pooled.papineni2002"}
        table[f"sbleu{order}"] = bleu | {"smooth": "floor[0.10]", "def": "mean.nltk-method1"}
    for order in (1, 2):
        rouge = {"case": "mixed", "tok": token_signature(profile.rouge)}
        table[f"rouge{order}"] = rouge | {"def": "mean.lin2004.f1.clipped.best-ref"}
    for name, definition in (("cider", "mean.pycocoevalcap.cider-d"), ("cider_plain", "mean.vedantam2015")):
        idf = {"tok": token_signature(profile.cider), "idf": f"references[{items}]"}
        table[name] = {"case": "mixed", **idf, "def": definition}
    if profile.meteor15 is not None:
        fields = {"case": "lc", "tok": token_signature(profile.meteor15)}
        table["meteor15"] = fields | {"def": "pooled.denkowski-lavie2014.exact-only"}
        table["smeteor15"] = fields | {"def": "mean.denkowski-lavie2014.exact-only"}
    return {name: signature(name, references, **fields) for name, fields in table.items()}
