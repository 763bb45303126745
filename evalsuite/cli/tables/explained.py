"""The explanation of how a reply was parsed, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text as Styled

from evalsuite.common.numbers import fixed
from evalsuite.common.terminal import safe
from evalsuite.exchange.explain import VERDICTS, ExplainedMention, Walkthrough


def draw_explanation(explanation: Walkthrough) -> Iterator[RenderableType]:
    yield _grid(("reply", explanation.reply), *[("", "")] * bool(explanation.blocks))
    for n, block in enumerate(explanation.blocks, 1):
        yield _grid((f"block {n}", block.text), *[("", block.note)] * bool(block.note), ("tape", block.tape))
        yield _grid(*(("", token, _short(words), meaning) for token, words, meaning in block.tokens))
        for mention in block.mentions:
            yield _grid(*_mention(mention))
        yield ""
    if explanation.steps:
        yield _grid(
            *(
                ("", step.name, step.act, _short(step.words), _short(f"as in: {step.example}"))
                for step in explanation.steps
            )
        )
    stated = (
        [] if explanation.confidence is None else [("stated", f"confidence {fixed(100 * explanation.confidence, 1)} %")]
    )
    yield _grid(
        ("result", explanation.result),
        ("rule", explanation.rule),
        *[("why", explanation.why)] * bool(explanation.why),
        *stated,
    )


def _short(text: str) -> str:
    text = text.replace("\n", "⏎")
    return text if len(text) < 60 else f"{text[:59]}…"


def _mention(mention: ExplainedMention) -> Iterator[tuple[str, str]]:
    named = f" = {', '.join(mention.options)}" if mention.options else ""
    yield f"{mention.number:>3}", f"{mention.words}{named}    {mention.tape}"
    counts = mention.hit.rule, VERDICTS[mention.hit.verdict][0]
    if not mention.matched:
        yield "", f"no row of {mention.rows} matches: {counts[1]}"
        return
    rule, *shadowed = mention.matched
    fired = rule.name, VERDICTS[rule.verdict][0]
    example = f". As in: {rule.example}".replace("\n", "⏎") if rule.example else ""
    yield "", f"{fired[0]}, row {mention.rank} of {mention.rows}, fired: {fired[1]}{example}"
    if counts != fired:
        yield "", f"counts as {counts[0]}: {counts[1]}"
    if shadowed:
        yield "", f"shadows: {', '.join(row.name for row in shadowed)}"


def _grid(*rows: tuple[str, ...]) -> Table:
    """A table without lines, whose first column is as wide as "block 1". Control characters of a reply are made visible."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(min_width=8, no_wrap=True, style="bold")
    for _ in rows[0][1:]:
        grid.add_column(overflow="fold")
    for row in rows:
        grid.add_row(*(Styled(safe(cell)) for cell in row))
    return grid
