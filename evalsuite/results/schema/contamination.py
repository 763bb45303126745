"""The key "contamination" of results.json, the rows of contamination.json (docs/contamination.md)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from evalsuite.results.schema.base import Count, Name, Number, Rows, Set, Share, Split, Strict, Task


class Beside(Strict):
    """The reference model alone, on the same texts."""

    name: Name
    fingerprint: str
    value: Number
    p: Share | None = Field(description="Of the same test: small where texts favour the published form for any model.")


class Tested(Strict):
    """One test of one model on one file: is what was published likelier than it would be if the model had never seen it?"""

    model: Name
    fingerprint: str
    task: Task
    set: Set
    split: Split
    test: Literal["order", "options", "mink", "names", "completion", "guided"]
    form: Literal["raw", "prompt"] = Field(description="The file's own lines, or our prompt and the right reply.")
    n: Count = Field(description="Entries or items of the file that were tested.")
    left_out: Count = Field(description="Those that do not fit the context, were not drawn or have nothing to compare.")
    units: Count = Field(description="Shards, items or dialogues that the test takes as independent.")
    tokens: Count = Field(description="Scored by the model.")
    value: Number = Field(
        description="Of the published form: share of other orders that are less likely, mean score, or overlap; less the reference's, of scores."
    )
    expected: Number = Field(description="The same if the model has seen nothing: one half, or the control items'.")
    figures: dict[str, Number] = Field(description="Further figures of the test (docs/contamination.md).")
    checks: dict[str, Share] = Field(
        description="What could tell published from other forms without a model -> p-value."
    )
    p: Share | None = Field(description="One-sided; null where it would mean nothing.")
    why: str = Field(description="Why there is no p-value; empty if there is one.")
    reference: Beside | None
    listed: Rows[str] = Field(description="Items whose second half the model wrote nearly exactly, for reading.")
    p_holm: Share | None = Field(description="p, corrected by Holm over all tests of the model in this file.")
