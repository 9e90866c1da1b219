"""What is known of a surface from few numbers: its entropy alone, its parts, or how often it answers falsely.

A surface is a map from people to values, such as fonts or screen sizes; D is how many values it has. With a
uniform prior an observation multiplies the probability to guess a person by D, whatever the shape.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, log1p, log2, prod
from typing import final

from quiff.errors import ParameterError
from quiff.theory.parameters import check_number, check_whole


@final
@dataclass(frozen=True)
class Range:
    """Two numbers between which something lies for certain."""

    low: float
    high: float


def largest_unique_share(entropy: float, n_users: int) -> float:
    """Return the largest share of N people who may be alone where the entropy is H bits.

    It is the root u of H = u log2 N + (1 - u) log2 (1/(1 - u)): a share u alone, all others alike.

    >>> tuple(round(largest_unique_share(H, 10**9), 8) for H in (1, 8, 20))
    (0.03193178, 0.25693387, 0.65122791)
    """
    N = check_whole("n_users", n_users, 2)
    H = float(check_number("entropy", entropy, 0, log2(N) + 1e-9))

    def entropy_of(u: float) -> float:
        return u * log2(N) - (1 - u) * log1p(-u) / log(2)

    if log2(N) <= H:
        return 1.0
    from scipy.optimize import brentq

    return float(brentq(lambda u: entropy_of(u) - H, 0.0, 1 - 1e-15, xtol=1e-14))


def values_at_entropy(entropy: float, n_users: int) -> Range:
    """Return between what the number of values lies where only the entropy is known: 2^H to uN + 1.

    >>> known = values_at_entropy(1, 10**9)
    >>> known.low, round(known.high / 10**9, 8)
    (2.0, 0.03193178)
    """
    share = largest_unique_share(entropy, n_users)
    return Range(2.0**entropy, min(share * n_users + 1, n_users))


def joint_values(parts: Sequence[int], n_users: int) -> Range:
    """Return between what the number of values of several surfaces together lies: max D_i, min(N, prod D_i).

    >>> joint_values([3, 6, 6], 50)
    Range(low=6.0, high=50.0)
    """
    sizes = [check_whole("values", size, 1) for size in parts]
    return Range(float(max(sizes)), float(min(n_users, prod(sizes))))


def chow_liu(entropies: Sequence[float], information: Mapping[tuple[int, int], float]) -> float:
    """Return the most that several surfaces' joint entropy can be, in bits, where some pairs are known.

    It is the sum of their entropies less the mutual information along a maximum spanning tree; for a tree it
    is the joint entropy (Chow and Liu 1968).

    >>> chow_liu([1, 1, 1], {(0, 1): 0.5, (1, 2): 0.25, (0, 2): 0.125})
    2.25
    """
    group = list(range(len(entropies)))
    shared = 0.0
    for (i, j), bits in sorted(information.items(), key=lambda edge: -edge[1]):
        if group[i] != group[j]:
            shared += bits
            group = [group[i] if name == group[j] else name for name in group]
    return sum(entropies) - shared


@final
@dataclass(frozen=True)
class FalseAnswers:
    """A surface that with probability p shows a uniform value instead of the true one, as plausible as any.

    Examples
    --------
    >>> answers = FalseAnswers(96, 0.1)
    >>> round(answers.factor, 1), round(answers.epsilon, 9)
    (86.5, 6.762729507)
    >>> round(FalseAnswers(100, 0.1).true_probability(0.001), 10)
    0.4736842105
    """

    values: int
    probability: float

    def __post_init__(self) -> None:
        check_whole("values", self.values, 1)
        p = check_number("fake", self.probability, 0, 1)
        if p == 0:
            raise ParameterError(what="fake", value=self.probability, allowed="above 0")

    @property
    def factor(self) -> float:
        """What an observation multiplies a guess by: (1 - p) D + p."""
        return (1 - self.probability) * self.values + self.probability

    @property
    def epsilon(self) -> float:
        """The worst-case log-ratio: ln(1 + (1 - p) D / p)."""
        return log1p((1 - self.probability) * self.values / self.probability)

    def true_probability(self, share: float) -> float:
        """Return how probable a value is true that is shown, and that a share q of people has.

        It is (1 - p) q / ((1 - p) q + p/D): a rare value can be denied, a common one cannot.
        """
        true = (1 - self.probability) * share
        return true / (true + self.probability / self.values)
