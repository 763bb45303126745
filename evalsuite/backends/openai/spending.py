"""Costs and budget. A request is sent only if its highest cost fits the budget, which is therefore never exceeded."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

from evalsuite.backends.model import Model, Price
from evalsuite.common.errors import BackendError, ConfigError

log = logging.getLogger(__name__)


def cost_of(price: Price | None, prompt_tokens: float, new_tokens: float) -> float:
    """The cost of a number of tokens; 0 without a price."""
    return (prompt_tokens * price.input + new_tokens * price.output) / 1e6 if price else 0.0


def missing_price(model: Model, budget: float | None) -> str | None:
    """The message for an endpoint without a price if there is a budget, else None."""
    if budget is None or model.backend != "openai" or model.api.price is not None:
        return None
    return (
        f"model {model.name}: --budget needs to know what the endpoint charges for a million tokens; "
        "add to its entry in models.yaml: api: {price: {input: …, output: …}}, 0 and 0 for a server of your own"
    )


def require_prices(models: Iterable[Model], budget: float | None) -> None:
    """Raise ConfigError if an endpoint without a price has a budget."""
    if wrong := [problem for model in models if (problem := missing_price(model, budget))]:
        raise ConfigError("\n".join(wrong))


def budget_spent(model: Model, budget: float | None, unaffordable: int) -> BackendError:
    """The error of a run whose budget was too small for `unaffordable` requests."""
    return BackendError(
        f"model {model.name}: budget of {budget:g} spent: {unaffordable} requests not asked; raise --budget and run again"
    )


class BudgetSpentError(Exception):
    """The highest cost of a request exceeds the rest of the budget, and no open reservation can free more."""


class Spending:
    """The costs of one call of `generate`, for the event loop's thread. The thread that stores replies sets `recorded`."""

    def __init__(self, budget: float | None) -> None:
        """`budget`: the amount left to spend; None: no limit."""
        self._budget = budget
        self._open = 0  # open reservations
        self._freed = asyncio.Event()
        self.committed = 0.0  # settled costs and open reservations
        self.recorded = 0.0  # the part that the store holds as the cost of replies
        self.lent = 0.0  # the part that the store holds as stakes of requests in flight

    async def reserve(self, amount: float) -> None:
        """Reserve `amount` as soon as it fits. Raises BudgetSpentError if it never will."""
        while self._budget is not None and self.committed + amount > self._budget:
            if not self._open:
                raise BudgetSpentError
            self._freed.clear()
            await self._freed.wait()
        self._open += 1
        self.committed += amount

    def settle(self, reserved: float, cost: float) -> None:
        """Replace a reservation by the actual `cost`."""
        if cost > reserved * (1 + 1e-9):
            log.warning(
                "a request was charged %.6g, more than the %.6g set aside for it: does the model think first? "
                "Set api: {reasoning_tokens: …} to the most that it may think",
                cost,
                reserved,
            )
        self._open -= 1
        self.committed += cost - reserved
        self._freed.set()

    def to_lend(self) -> float:
        """The part of the committed cost that the store does not have yet."""
        return max(0.0, self.committed - self.recorded - self.lent)
