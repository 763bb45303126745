"""F1 of bags of tokens, from a table of counts. For one pair of strings use `exact.char_f1`."""

from __future__ import annotations

from evalsuite.metrics.counts import Floats, TokenTable, ratio


def token_f1(table: TokenTable) -> Floats:
    """(N,) F1 in [0, 1] of the bags of tokens, the maximum over the references.

    SQuAD's F1 (Rajpurkar et al. 2016) without its normalisation of tokens.
    """
    return table.best(ratio(2.0 * table.overlap(1), table.hyp_length[table.ref_item] + table.ref_length))
