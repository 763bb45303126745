"""A line of records/*.jsonl: one request, its reply, and all that a reviewer needs to check its reading and score."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import ConfigDict, Field, model_validator
from typing_extensions import TypedDict  # pydantic refuses that of `typing` before Python 3.12

from evalsuite import types
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.jsonl import Fault
from evalsuite.results.schema.base import (
    Count,
    Hash,
    ItemText,
    Name,
    Perturb,
    PlainName,
    Rows,
    Scoring,
    Set,
    Share,
    Split,
    StatusName,
    Strict,
    TaskName,
)

_LongText = Annotated[str, Field(max_length=2_000_000)]  # a prompt with many shots, or a reply that did not end
_AnswerText = Annotated[str, Field(max_length=1_000)]


class Turn(Strict):
    """A chat turn."""

    role: Literal["user", "assistant", "system"]
    content: _LongText


class OptionLikelihood(Strict):
    """The likelihood of one option. Natural logarithms."""

    logprob: float
    tokens: Annotated[int, Field(ge=1)]
    prior: float | None


class AnswerRead(Strict):
    """The answer read out of the reply."""

    status: StatusName
    choice: Count | None = Field(description="Index into the options.")
    text: str | None
    rule: str = Field(description="The rule that read it.")
    start: Count | None = Field(description="Position of the answer in the reply, in characters.")
    end: Count | None
    choices: Annotated[Rows[Count], Field(max_length=100)] = Field(
        description="Indices of the chosen options, for tasks that ask for all right ones."
    )
    reasoned: Count = Field(
        default=0,
        description="Characters of reasoning that the prompt asked for, before the part that was read; absent for none.",
    )
    confidence: Share | None = Field(
        default=None,
        description="Probability of being right that the reply states for its choice; absent if it states none.",
    )

    @classmethod
    def of(cls, answer: types.Answer) -> AnswerRead:
        fields = {name: getattr(answer, name) for name in cls.model_fields}
        return cls.model_construct(**fields | {"status": answer.status.value, "choices": list(answer.choices)})


class ItemMetrics(TypedDict, total=False):
    """The metrics of a single item."""

    __pydantic_config__ = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)  # type: ignore[misc]

    accuracy: Share
    set_accuracy: Share
    answer_f1: Share
    f1: Share
    em: Share
    contains: Share
    delta_nll: float  # nats a token


_NotEmpty = Annotated[str, Field(min_length=1)]


# --- lines as they are read, without validation; earlier versions wrote fewer fields


class ReplyName(TypedDict):
    """The fields that name a reply within a cell."""

    item: str
    rotation: NotRequired[int]
    sample: NotRequired[int]


class AnswerFields(TypedDict):
    """The fields of `AnswerRead`, as a line has them."""

    status: str
    choice: int | None
    text: str | None
    rule: str
    start: int | None
    end: int | None
    choices: NotRequired[list[int]]


class LikelihoodFields(TypedDict):
    """The fields of `OptionLikelihood`, as a line has them."""

    logprob: float
    tokens: int
    prior: float | None


class TurnFields(TypedDict):
    """The fields of `Turn`, as a line has them."""

    role: str
    content: str


class RecordFields(ReplyName):
    """The fields of `Record`, as a line has them."""

    dialogue: list[str]
    question: str
    labels: list[str]
    options: list[str]
    references: list[str]
    gold: str | None
    shots: list[str]
    asked_shots: int
    prompt: str
    messages: list[TurnFields] | None
    reply: str | None
    reasoning: NotRequired[str | None]
    likelihoods: NotRequired[list[LikelihoodFields] | None]
    finish: str
    error: str | None
    answer: AnswerFields
    scores: dict[str, float]
    pairs: NotRequired[list[list[str]]]
    pattern: NotRequired[str]
    prompt_tokens: int
    new_tokens: NotRequired[int]
    thinking_tokens: NotRequired[int]


class OpinionFields(ReplyName):
    """The fields of a line of judged/."""

    judge: str
    rubric: str
    control: str
    status: str
    scores: dict[str, int]
    reasons: str


class SecondFields(ReplyName):
    """The fields of a line of second/."""

    reader: str
    verdict: str
    relation: str
    reply: str | None
    error: str | None
    prompt: str


class Record(Strict):
    """One request about one item."""

    item: Name = Field(description="Benchmark/set/split/task/number in its file.")
    model: Name
    variant: PlainName
    shots: Annotated[Rows[Name], Field(max_length=1_000)] = Field(description="Ids of the examples shown, in order.")
    asked_shots: Count
    max_new_tokens: Annotated[int, Field(ge=1)] = Field(description="The longest reply, in tokens.")
    key: Hash = Field(description="Hash of the model's fingerprint, the exact prompt, and the sampling settings.")
    prompt: _LongText = Field(description="The whole prompt, examples included, as a base model gets it.")
    messages: Annotated[Rows[Turn], Field(max_length=2_001)] | None = Field(
        description="The same as chat turns; null for a base model."
    )
    reply: _LongText | None = Field(description="The reply; null if the request failed.")
    reasoning: str | None
    likelihoods: Annotated[Rows[OptionLikelihood], Field(max_length=100)] | None = Field(
        description="Likelihoods, one for each option, where nothing was written."
    )
    scoring: Scoring
    perturb: Perturb
    rotation: Count
    finish: Literal["stop", "length", "content_filter", "error", "labels", "texts", "nll"]
    error: str | None
    prompt_tokens: Count
    new_tokens: Count = Field(description="Generated tokens, thinking included; 0: not counted.")
    answer: AnswerRead
    scores: ItemMetrics = Field(description="The item's own metrics; empty if the request failed.")
    gold: str | None = Field(
        description='The right option\'s label, or those of all right ones, by ", "; null for spans and texts.'
    )
    task: TaskName
    set: Set
    split: Split
    dialogue: Annotated[Rows[ItemText], Field(max_length=200)] = Field(
        description="Turns, each with its speaker mark; none where there is no dialogue."
    )
    question: ItemText
    labels: Annotated[Rows[Annotated[str, Field(max_length=20)]], Field(max_length=100)]
    options: Annotated[Rows[_AnswerText], Field(max_length=100)]
    references: Annotated[Rows[_AnswerText], Field(min_length=1, max_length=30)] = Field(
        description="Right answers as text."
    )
    group: _NotEmpty | None = Field(
        default=None, description="Relation category, inference type or dimension; several with |."
    )
    rests_on: list[_NotEmpty] | None = Field(
        default=None, description="Ids of the items that ask for the facts that this one rests on."
    )
    votes: Annotated[list[Annotated[int, Field(ge=0, lt=2**53)]], Field(max_length=30)] | None = Field(
        default=None, description="People who gave each of the references."
    )
    pairs: Annotated[Rows[Annotated[Rows[str], Field(min_length=2, max_length=2)]], Field(min_length=2)] | None = Field(
        default=None,
        description="The pairs of a probe: [context, target] with the valid explanation, and with the corrupted one.",
    )
    pattern: _NotEmpty | None = Field(default=None, description="The regular expression that the reply was held to.")
    answer_after: _NotEmpty | None = Field(
        default=None, description="The reply reasons first; its answer follows these words."
    )
    option_after: _NotEmpty | None = Field(
        default=None, description="The prompt goes on with these words and an option, whose likelihood is asked."
    )
    sample: Count = Field(default=0, description="Index among the samples of the prompt; absent for the first.")
    thinking_tokens: Count | None = Field(
        default=None,
        description="Tokens of thinking among new_tokens; absent where the endpoint does not count them.",
    )

    @model_validator(mode="after")
    def _chosen(self) -> Record:
        """Require that the chosen options are among the item's."""
        if max(*self.answer.choices, self.answer.choice or 0, 0) >= max(1, len(self.options)):
            raise Fault("names an option that the item lacks", "answer")
        return self

    @classmethod
    def of(
        cls,
        cell: types.Cell,
        key: str,
        trial: types.Trial,
        response: types.Response,
        answer: types.Answer,
        score: types.Score,
    ) -> Record:
        """The record of a scored reply. The methods `trial` and `response` restore what scoring needs."""
        item, request = trial.item, trial.request
        chat = cell.facts.get("chat")
        return cls.model_construct(
            item=item.id,
            model=cell.place.model,
            variant=trial.variant,
            shots=list(trial.shots),
            asked_shots=trial.asked_shots,
            max_new_tokens=request.max_new_tokens,
            key=key,
            prompt=request.prompt,
            messages=[Turn.model_construct(role=m.role, content=m.content) for m in request.messages] if chat else None,
            reply=response.text if response.error is None else None,
            reasoning=response.reasoning,
            likelihoods=[
                OptionLikelihood.model_construct(logprob=x.logprob, tokens=x.tokens, prior=x.prior)
                for x in response.likelihoods
            ]
            or None,
            scoring=cell.place.scoring,
            perturb=trial.perturb,
            rotation=trial.rotation,
            finish=response.finish,
            error=response.error,
            prompt_tokens=response.prompt_tokens,
            new_tokens=response.new_tokens,
            answer=AnswerRead.of(answer),
            scores=score.values,
            gold=", ".join(item.labels[gold] for gold in item.golds) or None,
            task=item.task,
            set=item.set,
            split=item.split,
            dialogue=list(item.dialogue),
            question=item.question,
            labels=list(item.labels),
            options=list(item.options),
            references=list(item.references),
            group=item.group or None,
            rests_on=list(item.rests_on) or None,
            votes=list(item.votes) or None,
            pairs=[list(pair) for pair in request.pairs] or None,
            pattern=request.pattern or None,
            answer_after=request.answer_after or None,
            option_after=request.options[0].removesuffix(item.options[0]) if request.options != item.options else None,
            sample=request.sample,
            thinking_tokens=response.thinking_tokens,
        )

    def trial(self, with_prompt: bool = True) -> types.Trial:
        """The item as it was asked, with its request; without `with_prompt` the request has no prompt and no chat turns."""
        kind = TASKS[self.task].kind
        # The references say which options are right where several are.
        gold = None if self.gold is None or kind.several else self.labels.index(self.gold)
        stated = {name: value for name, value in self if value is not None}
        item = types.Item.of(stated | {"id": self.item, "gold": gold})
        request = types.Request(
            id=item.id,
            prompt=self.prompt if with_prompt else "",
            messages=tuple(types.Message(m.role, m.content) for m in self.messages or () if with_prompt),
            max_new_tokens=self.max_new_tokens,
            scoring=self.scoring,
            labels=item.labels,
            options=tuple((self.option_after or "") + option for option in item.options),
            pairs=tuple((context, target) for context, target in self.pairs or ()),
            pattern=self.pattern or "",
            answer_after=self.answer_after or "",
            sample=self.sample,
        )
        return types.Trial(
            item, request, self.variant, tuple(self.shots), self.asked_shots, self.perturb, self.rotation
        )

    def response(self) -> types.Response:
        """The reply, or the failure of the request."""
        return types.Response(
            self.reply or "",
            self.finish,
            self.prompt_tokens,
            self.new_tokens,
            self.error,
            self.reasoning,
            likelihoods=tuple(types.Likelihood(x.logprob, x.tokens, x.prior) for x in self.likelihoods or ()),
            thinking_tokens=self.thinking_tokens,
        )
