"""The ontology's names of domains and slots in options that are English or simplified or traditional Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

from evalsuite.benchmarks.corecode.ontology import slots
from evalsuite.types import OptionNames


@lru_cache(maxsize=4096)  # most items of a task have the same options
def domain_names(options: tuple[str, ...]) -> tuple[str, ...]:
    """The simplified Chinese names of domains in any of the forms; options that are no domains are unchanged.

    空间 names a domain of entities and one of events; the other options decide which is meant.

    >>> domain_names(("属性", "比較", "Space", "天气"))
    ('属性', '比较', '空间', '天气')
    >>> domain_names(("属性", "比较", "空间"))
    ('属性', '比较', '空间（实体）')
    """
    names = _simplified(options, domains())
    dimensions: dict[str, set[str]] = {}
    for slot in slots():
        dimensions.setdefault(slot.dimension_zh, set()).add(slot.domain_zh)
    fits = [name for name, of_dimension in dimensions.items() if of_dimension.issuperset(names)]
    ambiguous = {zh for zh in names if sum(zh in of_dimension for of_dimension in dimensions.values()) > 1}
    return tuple(f"{zh}（{fits[0]}）" if zh in ambiguous and len(fits) == 1 else zh for zh in names)


@lru_cache(maxsize=4096)
def slot_names(options: tuple[str, ...]) -> tuple[str, ...]:
    """The simplified Chinese names of slots, as `domain_names`."""
    return _simplified(options, slots_in_english())


def _simplified(options: tuple[str, ...], english: Mapping[str, str]) -> tuple[str, ...]:
    from evalsuite.parse.chars import key

    known = {key(form): zh for zh, en in english.items() for form in (zh, en)}
    return tuple(known.get(key(option), option.strip()) for option in options)


@cache
def domains() -> dict[str, str]:
    """The domains, Chinese name -> English name; a name of two dimensions also with each dimension in brackets."""
    names: dict[str, str] = {}
    dimensions = {(s.domain_zh, s.domain, s.dimension_zh, s.dimension): None for s in slots()}
    for zh, en, dimension_zh, dimension in dimensions:
        names[zh] = en
        if sum(zh == other for other, *_ in dimensions) > 1:
            names[f"{zh}（{dimension_zh}）"] = f"{en} ({dimension.lower()})"
    return names


@cache
def slots_in_english() -> dict[str, str]:
    """The slots, Chinese name -> English name."""
    return {slot.zh: slot.en for slot in slots()}


DOMAINS = OptionNames(domain_names, domains)
SLOTS = OptionNames(slot_names, slots_in_english)
