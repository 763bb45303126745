"""A line of an annotations file: a dialogue with its annotated commonsense knowledge (docs/build_annotate.md)."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field

from evalsuite.results.schema.base import Strict

Reason = Literal[
    "", "knowledge", "dimension", "instance", "domain", "slot", "value", "evidence", "phrase", "conflict1", "conflict2"
]
REASONS: tuple[str, ...] = get_args(Reason)[1:]


class Knowledge(Strict):
    """One annotation: "domain: slot = value" of an instance, its evidence, and two phrases against commonsense."""

    dimension: str = Field(
        description="In Chinese, as domain and slot: names of evalsuite/benchmarks/corecode/ontology.yaml."
    )
    instance: str = Field(description="The entity, event or social interaction.")
    domain: str
    slot: str
    value: str
    alternatives: list[str] = Field(default=[], description="Other values that answer the slot's question as well.")
    evidence: list[str] = Field(
        default=[], description="Spans that support the annotation; each occurs once in the dialogue."
    )
    phrase: str = Field(description="The span that is rewritten, which occurs once in the dialogue.")
    conflict1: str = Field(description="The phrase with one or two words changed, now against commonsense.")
    conflict2: str = Field(description="The phrase with as much changed as can be, now against commonsense.")
    annotator: str = Field(default="", description="Who wrote or accepted the annotation.")
    proposer: str = Field(default="", description="The model that proposed the annotation; empty if a person wrote it.")
    proposed: bool = Field(default=False, description="Whether no person has accepted it yet.")
    verdict: Literal["", "accepted", "returned", "revised"] = Field(
        default="",
        description="Verdict of an inspector; revised: changed by the inspector, or by the annotator after a verdict.",
    )
    reason: Reason = Field(
        default="",
        description="Reason for the last return: knowledge (the annotation is none), or the field that is wrong.",
    )
    note: str = Field(default="", description="The inspector's words to the annotator.")
    inspector: str = Field(
        default="",
        description="The inspector who gave the verdict; empty if the annotator revised the annotation since.",
    )


class AnnotatedDialogue(Strict):
    """One dialogue with the annotations of one annotator, or of several after adjudication."""

    id: Annotated[str, Field(min_length=1)]
    set: Literal["easy", "hard"]
    topic: str = ""
    dialogue: Annotated[list[str], Field(min_length=1)] = Field(description="Turns, each with its speaker mark.")
    annotations: list[Knowledge]
    annotator: str = Field(default="", description="Who annotated the dialogue.")
    nothing: bool = Field(default=False, description="Whether an annotator found no commonsense knowledge.")

    @property
    def standing(self) -> list[Knowledge]:
        """The annotations that no inspector has returned."""
        return [k for k in self.annotations if k.verdict != "returned"]
