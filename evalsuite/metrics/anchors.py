"""Anchor items: a few items with weights, so that their weighted mean estimates the mean over all. Tables are (models, items).

    random        items drawn at random, equal weights: the baseline
    stratified    items in order of how many models get them right, cut into as many strata; one item of each, which weighs as
                  much as its stratum
    answers       strata among the items with the same right answer, for models that prefer a label
    medoids       k-medoids of the items' columns (Vivek et al. 2024, Polo et al. 2024): a medoid weighs as much as its cluster
    regression    the items of `stratified`; ridge regression of the models' means on these items gives the weights (as good as
                  any method in Zhang et al. 2025), shrunk towards the strata's weights. They sum to 1 and may be negative
    medoid-regression  the same with the items and weights of `medoids`

Errors are those of models whose results did not decide the choice: `curve` leaves groups of models out. The best method is chosen
by the remaining models, so that its error is not the smallest of several errors by luck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evalsuite.metrics.counts import Floats
from evalsuite.metrics.statistics import t_quantile

Indices = NDArray[np.intp]

FEWEST = 5  # the fewest models: after leaving out one, and another one within the rest, three choose the items
# The most folds of cross-validation over models: outer ones, and inner ones within the remaining models.
FOLDS, INNER = 10, 5
MOST_MEDOIDS = 6000  # most items whose pairwise distances are computed (some 300 MB)
# The largest noise added to a distance between columns: squared distances of right/wrong items are whole numbers, with many ties.
_JITTER = 0.01
_ROUNDS = 30  # the most alternations between clusters and medoids; most end after five
_PENALTIES = np.geomspace(1e-3, 1e3, 19)  # candidates for the ridge penalty, in units of the mean eigenvalue
MOST_WEIGHT = 3.0  # the largest sum of absolute weights, so that a few items cannot decide the estimate


@dataclass(frozen=True, slots=True)
class Anchors:
    """Chosen items, in increasing order, with weights that sum to 1."""

    items: Indices
    weights: Floats

    @classmethod
    def of(cls, items: Indices, weights: Floats) -> Anchors:
        order = np.argsort(items)
        return cls(items[order], weights[order])

    def estimate(self, table: Floats) -> Floats:
        """The estimated mean of each model."""
        return np.asarray(table[..., self.items] @ self.weights, dtype=float)


class KnownModels:
    """The models whose results decide the choice of items. `answers`: the index of each item's right answer, if known."""

    def __init__(self, table: Floats, answers: Indices | None = None) -> None:
        self.table, self.answers = table, answers
        self.count: int = table.shape[1]

    @cached_property
    def shares(self) -> Floats:
        """(items,) the share of models that get each item right."""
        return np.asarray(self.table.mean(axis=0), dtype=float)

    @cached_property
    def distances(self) -> NDArray[np.float32]:
        """(items, items) squared distances of the columns, with jitter. Without it, the first of several medoids with equal
        columns would get all items with that column."""
        columns = self.table.T.astype(np.float32)
        squares = (columns * columns).sum(axis=1)
        apart: NDArray[np.float32] = np.maximum(squares[:, None] + squares - 2 * columns @ columns.T, 0)
        apart += np.float32(_JITTER) * np.random.default_rng(0).random(apart.shape, dtype=np.float32)
        np.fill_diagonal(apart, 0)
        return apart


# --- methods: (known models, number of items, generator) -> anchors


def random(models: KnownModels, size: int, rng: np.random.Generator) -> Anchors:
    return Anchors.of(rng.choice(models.count, size, replace=False), np.full(size, 1 / size))


def stratified(models: KnownModels, size: int, rng: np.random.Generator) -> Anchors:
    return _one_of_each(np.lexsort((rng.random(models.count), models.shares)), size, rng)


def by_answer(models: KnownModels, size: int, rng: np.random.Generator) -> Anchors:
    answers = models.answers if models.answers is not None else np.zeros(models.count, dtype=np.intp)
    return _one_of_each(np.lexsort((rng.random(models.count), models.shares, answers)), size, rng)


def _one_of_each(order: Indices, size: int, rng: np.random.Generator) -> Anchors:
    """One random item of each of `size` strata: consecutive parts of an order, of sizes as equal as possible."""
    ends = np.linspace(0, len(order), size + 1).astype(np.intp)
    return Anchors.of(order[rng.integers(ends[:-1], ends[1:])], np.diff(ends) / len(order))


def medoids(models: KnownModels, size: int, rng: np.random.Generator) -> Anchors:
    """Draw seeds as k-means++ does, then find clusters and their medoids in turn until nothing changes."""
    distances = models.distances
    chosen = [int(rng.integers(models.count))]
    near = distances[chosen[0]].astype(float)
    while len(chosen) < size:
        chosen.append(int(rng.choice(models.count, p=near / near.sum())))
        near = np.minimum(near, distances[chosen[-1]])
    centres = np.array(chosen, dtype=np.intp)
    for _ in range(_ROUNDS):
        clusters = _clusters(distances, centres)
        moved = np.array([_middle(distances, members) for members in clusters])
        if (moved == centres).all():
            break
        centres = moved
    return Anchors.of(centres, np.array([len(members) for members in _clusters(distances, centres)]) / models.count)


def _middle(distances: NDArray[np.float32], members: Indices) -> int:
    """The medoid of a cluster."""
    if len(members) < 3:  # most clusters are that small; of two members either is a medoid
        return int(members[0])
    return int(members[distances[members][:, members].sum(axis=0).argmin()])


def _clusters(distances: NDArray[np.float32], centres: Indices) -> list[Indices]:
    """For each centre the items nearest to it, itself among them."""
    nearest = distances[:, centres].argmin(axis=1)
    nearest[centres] = np.arange(len(centres))
    order = np.argsort(nearest, kind="stable")
    return np.split(order, np.searchsorted(nearest[order], np.arange(1, len(centres))))


def regression(models: KnownModels, size: int, rng: np.random.Generator) -> Anchors:
    return _regressed(models, stratified(models, size, rng))


def medoid_regression(models: KnownModels, size: int, rng: np.random.Generator) -> Anchors:
    return _regressed(models, medoids(models, size, rng))


def _regressed(seen: KnownModels, start: Anchors) -> Anchors:
    """Weights u + v: u are the weights of `start`, and v, which sums to 0, is fitted to the models' means less their estimates
    by u. The penalty on v is the candidate with the least leave-one-model-out error, which is computed in closed form."""
    values = seen.table[:, start.items]
    residuals = seen.table.mean(axis=1) - values @ start.weights
    values = values - values.mean(axis=1, keepdims=True)  # so that v sums to 0
    spectrum, vectors = np.linalg.eigh(values @ values.T)
    spectrum, along = np.maximum(spectrum, 0), vectors.T @ residuals
    unit = spectrum.mean()
    if unit <= 0:
        return start
    shrunk = spectrum / (spectrum + _PENALTIES[:, None] * unit)  # (penalties, models)
    fitted, leverage = (shrunk * along) @ vectors.T, shrunk @ (vectors**2).T
    left_out = np.abs((residuals - fitted) / np.maximum(1 - leverage, 1e-9)).mean(axis=1)
    penalty = _PENALTIES[left_out.argmin()] * unit
    weights = start.weights + values.T @ (vectors @ (along / (spectrum + penalty)))
    return Anchors(start.items, weights) if np.abs(weights).sum() <= MOST_WEIGHT else start


Method = Callable[[KnownModels, int, np.random.Generator], Anchors]

METHODS: Mapping[str, Method] = {
    "random": random,
    "stratified": stratified,
    "answers": by_answer,
    "medoids": medoids,
    "regression": regression,
    "medoid-regression": medoid_regression,
}
SIGNED = ("regression", "medoid-regression")  # methods that may give weights below 0
_BY_DISTANCE = {"medoids", "medoid-regression"}
# The number of random choices over which a method's error is averaged. Medoids take long to find, and hardly vary.
_DRAWS = {"random": 40, "stratified": 20, "answers": 20, "medoids": 1, "regression": 10, "medoid-regression": 1}


def methods_for(table: Floats, answers: Indices | None) -> list[str]:
    """The methods that can choose among these items."""
    left_out = {"answers"} if answers is None or len(np.unique(answers)) < 2 else set()
    return [
        name for name in METHODS if name not in left_out | (_BY_DISTANCE if table.shape[1] > MOST_MEDOIDS else set())
    ]


def choose(method: str, table: Floats, answers: Indices | None, size: int, seed: int) -> Anchors:
    """`size` items by a method. The seed of the generator depends on neither the models nor the method."""
    return METHODS[method](KnownModels(table, answers), size, _generator(seed, size, 0))


def _generator(seed: int, size: int, draw: int) -> np.random.Generator:
    return np.random.default_rng([seed, size, draw])


# --- errors on models left out


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors of a method on models left out. absolute, squared: (models,) means over the draws of the absolute error and of its
    square. by_draw: (draws,) means over the models of the absolute error."""

    absolute: Floats
    squared: Floats
    by_draw: Floats

    @property
    def mean(self) -> float:
        return float(self.absolute.mean())

    @classmethod
    def of(cls, signed: Floats) -> Errors:
        """Build it from (models, draws) signed errors."""
        size = np.abs(signed)
        return cls(size.mean(axis=1), (size**2).mean(axis=1), size.mean(axis=0))


ErrorsByMethod = Mapping[tuple[str, int], Errors]  # (method, number of items) -> errors


def errors(
    table: Floats,
    answers: Indices | None,
    sizes: Sequence[int],
    folds: Iterable[Indices],
    methods: Sequence[str],
    seed: int,
) -> ErrorsByMethod:
    """The errors of every method and size on the models of each fold, from items that the other models chose."""
    signed = {(m, k): np.full((len(table), _DRAWS[m]), np.nan) for m in methods for k in sizes}
    tested = []
    for fold in folds:
        tested += list(fold)
        seen, new = KnownModels(np.delete(table, fold, axis=0), answers), table[fold]
        truth = new.mean(axis=1)
        for (method, size), cells in signed.items():
            for draw in range(_DRAWS[method]):
                anchors = METHODS[method](seen, size, _generator(seed, size, draw))
                cells[fold, draw] = anchors.estimate(new) - truth
    return {key: Errors.of(cells[sorted(tested)]) for key, cells in signed.items()}


def random_folds(models: int, folds: int, seed: int) -> list[Indices]:
    """The models in random groups of sizes as equal as possible, at most `folds`."""
    order = np.random.default_rng([seed, models]).permutation(models)
    return [np.sort(order[n :: min(folds, models)]) for n in range(min(folds, models))]


def best(errors_by_method: ErrorsByMethod, methods: Sequence[str], size: int) -> str:
    """The method to use. A method replaces the one chosen so far, at first `stratified`, if its error is smaller by more than a
    standard error of the difference over the models. The method with the smallest error might be lucky on a few models."""
    taken = "stratified"
    for method in methods:
        gain = errors_by_method[taken, size].absolute - errors_by_method[method, size].absolute
        if gain.mean() > gain.std(ddof=1) / np.sqrt(len(gain)):
            taken = method
    return taken


@dataclass(frozen=True, slots=True)
class SizeError:
    """The accuracy of scores estimated from k items: errors on models left out, in the metric's unit."""

    size: int
    method: str  # the method with the lowest error over all models, to be given to `choose`
    error: float  # mean absolute error of the best method, which is chosen without the models left out
    rms: float  # root mean square error of the best method
    half: float  # half width of the 95 % interval for the score of a new model of the same kind
    worst: float  # the largest of the models' mean errors
    methods: dict[str, float]
    random: tuple[float, float]  # 5th and 95th percentile of the error of single random sets
    # Errors on the best quarter of models, estimated from the others: by the best method, and by random items.
    stronger: tuple[float, float] | None


def curve(table: Floats, answers: Indices | None, sizes: Sequence[int], seed: int = 0) -> list[SizeError]:
    """The errors by number of items. Raises ValueError with fewer than FEWEST models, or a size below 1 or above the number of
    items."""
    models, items = table.shape
    if models < FEWEST:
        raise ValueError(f"{models} models; errors on models left out need {FEWEST} or more")
    if not sizes or min(sizes) < 1 or max(sizes) > items:
        raise ValueError(f"sizes {sizes} of {items} items")
    methods = methods_for(table, answers)
    outer = random_folds(models, FOLDS, seed)
    by_method = errors(table, answers, sizes, outer, methods, seed)
    taken = dict[tuple[int, int], str]()  # (model, size) -> the method that the other models choose
    for fold in outer:
        best_of_others = _best_without(fold, table, answers, sizes, methods, seed)
        taken |= {(int(model), size): name for size, name in best_of_others.items() for model in fold}
    top = np.argsort(table.mean(axis=1), kind="stable")[models - models // 4 :]
    beyond = errors(table, answers, sizes, [top], methods, seed) if models - len(top) >= FEWEST else None
    for_top = _best_without(top, table, answers, sizes, methods, seed) if beyond else {}
    points = []
    for size in sizes:
        chosen = [by_method[taken[model, size], size] for model in range(models)]
        absolute = np.array([of_model.absolute[model] for model, of_model in enumerate(chosen)])
        rms = float(np.sqrt(np.mean([of_model.squared[model] for model, of_model in enumerate(chosen)])))
        points.append(
            SizeError(
                size,
                best(by_method, methods, size),
                float(absolute.mean()),
                rms,
                rms * t_quantile(0.975, models - 1),
                float(absolute.max()),
                {name: by_method[name, size].mean for name in methods},
                tuple(np.percentile(by_method["random", size].by_draw, (5, 95)).tolist()),
                (beyond[for_top[size], size].mean, beyond["random", size].mean) if beyond else None,
            )
        )
    return points


def _best_without(
    left_out: Indices, table: Floats, answers: Indices | None, sizes: Sequence[int], methods: Sequence[str], seed: int
) -> dict[int, str]:
    """Size -> the best method by the models that are not left out."""
    others = np.delete(table, left_out, axis=0)
    by_method = errors(others, answers, sizes, random_folds(len(others), INNER, seed), methods, seed)
    return {size: best(by_method, methods, size) for size in sizes}
