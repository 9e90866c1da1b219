"""What a program may draw: each draw is a list of options with their probabilities, and one is taken."""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations
from math import comb, factorial, inf
from numbers import Rational, Real
from typing import Any, TypeVar, final

from quiff.core.limits import work_allowed
from quiff.core.prior import Prior
from quiff.errors import ParameterError, SizeError, how_many

T = TypeVar("T")
Expand = Callable[[tuple[Any, ...]], tuple[Any, ...]]
_FEW = 1_000  # options that fit any limit
MOST_DRAWS = 1_000
"""How many draws a path may have: a loop that goes on longer is taken for endless."""
NUMBERS_A_DRAW = 250
"""How many numbers of `quiff.work_limit` a draw counts as."""


@final
class Options:
    """The values that a draw may have, and their probabilities; None is the same for all."""

    __slots__ = ("folded", "values", "weights")

    def __init__(
        self, values: tuple[Any, ...], weights: tuple[Any, ...] | None, folded: bool = False
    ) -> None:
        self.values, self.weights, self.folded = values, weights, folded

    def weight(self, place: int) -> Any:
        """Return the probability of one of them."""
        return _one_of(len(self.values)) if self.weights is None else self.weights[place]


class Draw(ABC):
    """The random choices of a program; every draw is independent of the others.

    Items may be any iterable; those of a set are taken in sorted order. Probabilities that are whole numbers
    or fractions keep the channel exact.
    """

    def flip(self, p: Any = Fraction(1, 2)) -> bool:
        """Return True with probability p, else False."""
        coin = _fair_share(p.numerator, p.denominator) if type(p) is Fraction else _coin(type(p).__name__, p)
        return bool(self._choose(coin))

    def uniform(self, items: Iterable[T]) -> T:
        """Return one of the items, each with the same probability."""
        return self._over(items, _same)  # type: ignore[no-any-return]

    def sample(self, items: Iterable[T], k: int) -> frozenset[T]:
        """Return k of the items, drawn without replacement and without order."""
        return self._over(items, Subsets(k))  # type: ignore[no-any-return]

    def permutation(self, items: Iterable[T]) -> tuple[T, ...]:
        """Return the items in any order, each with the same probability."""
        return self._over(items, orders)  # type: ignore[no-any-return]

    def weighted(self, weights: Mapping[T, Any]) -> T:
        """Return an item with a probability proportional to its weight."""
        if not isinstance(weights, Mapping):
            raise ParameterError(
                f"weighted() takes a mapping from item to weight, not {type(weights).__name__}",
                what="weights",
            )
        for weight in weights.values():
            if isinstance(weight, bool) or not isinstance(weight, Real) or not 0 <= float(weight) < inf:
                raise ParameterError(what="a weight", value=weight, allowed="a finite number, not negative")
        total = sum(weights.values())
        if not total:
            raise ParameterError("the weights of weighted() sum to 0; give at least one item some weight")
        whole = isinstance(total, Rational)
        shares = {x: Fraction(w) / Fraction(total) if whole else w / total for x, w in weights.items()}
        return self._choose(Options(*_positive(shares)))  # type: ignore[no-any-return]

    def distribution(self, prior: Prior) -> Hashable:
        """Return a label of a prior with its probability."""
        if not isinstance(prior, Prior):
            raise ParameterError(
                f"distribution() takes a quiff.Prior, not {type(prior).__name__}", what="prior", value=prior
            )
        return self._choose(Options(*_positive(dict(prior.items()))))  # type: ignore[no-any-return]

    def geometric(self, p: Any, bound: int) -> int:
        """Return how often an event of probability p fails before it happens, and `bound` if more often.

        P(k) = p (1-p)^k below the bound. The difference of two such draws is the two-sided geometric noise.
        """
        _check_probability("the probability of geometric()", p)
        if isinstance(bound, bool) or not isinstance(bound, int) or bound < 0:
            raise ParameterError(
                what="the bound of geometric()", value=bound, allowed="a whole number from 0"
            )
        self._check_size(bound * (1 if isinstance(p, float) else 1 + bound // 64))  # of 64 bits each
        shares = {k: p * (1 - p) ** k for k in range(bound)} | {bound: (1 - p) ** bound}
        return int(self._choose(Options(*_positive(shares))))

    @abstractmethod
    def fold(self, step: Callable[[Any, Any], Any], items: Iterable[Any], start: Any) -> Any:
        """Return step(... step(step(start, a), b) ..., z) for the items, where the steps may draw.

        Equal states are merged after each step, so that a counter over 200 coins has 201 states and not
        2^200 paths. A step may depend on its two arguments and on draws, and change nothing outside.
        """

    @abstractmethod
    def _choose(self, options: Options) -> Any:
        """Return one of the options."""

    def _over(self, items: Any, expand: Expand) -> Any:
        """Return one of the options that are made of some items, each with the same probability."""
        return self._choose(self._made(listed(items), expand))

    def _made(self, items: tuple[Any, ...], expand: Expand) -> Options:
        size = comb(len(items), expand.k) if isinstance(expand, Subsets) else len(items)
        self._check_size(factorial(len(items)) if expand is orders else size)
        return Options(expand(items), None)

    def _check_size(self, size: int) -> None:
        if size > _FEW and size * NUMBERS_A_DRAW > work_allowed():
            raise SizeError(
                f"a draw has {how_many(size)} options, too many to enumerate; draw its parts one by one",
                what="options",
                value=size,
            )


@final
class Sampler(Draw):
    """Draws by a random generator: the function is run once, as a browser would run it."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def flip(self, p: Any = 0.5) -> bool:
        _check_probability("the probability of flip()", p)
        return bool(self._rng.random() < p)

    def fold(self, step: Callable[[Any, Any], Any], items: Iterable[Any], start: Any) -> Any:
        for item in items:
            start = step(start, item)
        return start

    def _choose(self, options: Options) -> Any:
        if options.weights is None:
            return self._rng.choice(options.values)
        return self._rng.choices(options.values, [float(weight) for weight in options.weights])[0]

    def _over(self, items: Any, expand: Expand) -> Any:
        values = listed(items)
        if isinstance(expand, Subsets):
            expand.check(values)
            return frozenset(self._rng.sample(values, expand.k))
        return (
            self._rng.choice(_same(values))
            if expand is _same
            else tuple(self._rng.sample(values, len(values)))
        )


@lru_cache(1000)
def _one_of(n: int) -> Fraction:
    return Fraction(1, n)


@lru_cache(1000)
def _fair_share(numerator: int, denominator: int) -> Options:  # a fraction takes long to hash
    return _coin("Fraction", Fraction(numerator, denominator))


@lru_cache(1000)
def _coin(_: str, p: Any) -> Options:  # of 1/2 and 0.5, which are equal, each its own
    _check_probability("the probability of flip()", p)
    return Options(*_positive({True: p, False: 1 - p}))


def _same(items: tuple[Any, ...]) -> tuple[Any, ...]:
    if not items:
        raise ParameterError("there is nothing to draw from; check for it before")
    return items


def orders(items: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return all orders of some items."""
    return tuple(permutations(items))


@final
class Subsets:
    """All subsets of k items; equal if the k are."""

    def __init__(self, k: int) -> None:
        if isinstance(k, bool) or not isinstance(k, int) or k < 0:
            raise ParameterError(
                what="the number of items of sample()", value=k, allowed="a whole number from 0"
            )
        self.k = k

    def check(self, items: tuple[Any, ...]) -> None:
        """Raise an error unless there are k different items."""
        if len(set(items)) < max(len(items), self.k):
            raise ParameterError(
                f"sample() of {self.k} needs as many items, all different; there are {len(set(items))}"
                f" different among {len(items)}",
                what="k",
                value=self.k,
                allowed=f"at most {len(set(items))}",
            )

    def __call__(self, items: tuple[Any, ...]) -> tuple[Any, ...]:
        self.check(items)
        return tuple(map(frozenset, combinations(items, self.k)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Subsets) and self.k == other.k

    def __hash__(self) -> int:
        return hash(("subsets", self.k))


def listed(items: Any) -> tuple[Any, ...]:
    """Return items in their order, those of a set sorted."""
    if type(items) is tuple:
        return items
    if isinstance(items, set | frozenset):
        return tuple(in_order(items))
    if not isinstance(items, Iterable):
        raise ParameterError(f"a draw needs a list of items, not {type(items).__name__}", what="items")
    return tuple(items)


def in_order(values: Iterable[Any]) -> list[Any]:
    """Sort values of any kind: numbers and texts as such, tuples and sets by their parts.

    >>> in_order([(2, "b"), "a", (2, "a"), frozenset({3})])
    [frozenset({3}), 'a', (2, 'a'), (2, 'b')]
    """
    values = list(values)
    plain = set(map(type, values))
    return sorted(values, key=None if len(plain) == 1 and plain <= {int, str} else _place)


def _place(value: Any) -> tuple[Any, ...]:
    if isinstance(value, Real):
        return "", value
    if isinstance(value, str):
        return "str", value
    if isinstance(value, tuple):
        return "tuple", tuple(map(_place, value))
    if isinstance(value, frozenset):
        return "frozenset", sorted(map(_place, value))
    return f"~{type(value).__name__}", repr(value)


def _positive(shares: Mapping[Any, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the items that have a probability, and the probabilities: fractions, or floats."""
    kept = {x: Fraction(p) if isinstance(p, Rational) else float(p) for x, p in shares.items() if p > 0}
    return tuple(kept), tuple(kept.values())


def _check_probability(what: str, p: Any) -> None:
    if isinstance(p, bool) or not isinstance(p, Real) or not 0 <= float(p) <= 1:
        raise ParameterError(what=what, value=p, allowed="a number between 0 and 1")
