"""The mechanisms of the catalogue: channels from secrets, their limits, and many observations.

A mechanism knows secrets only; which secret a person has is the API's matter.

>>> Response(as_labels(range(100)), 891.0).limits()[0].value
90.0
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from math import comb, exp, inf, log, log2, sqrt
from operator import add, mul
from typing import Any, final

import numpy as np

from quiff.apis.base import Api, Limit
from quiff.core.channel import Channel
from quiff.core.compose import repeat
from quiff.core.composite_labels import ProductLabels
from quiff.core.kernels import DenseKernel, ProductKernel
from quiff.core.kernels.one_hot import OneHotKernel
from quiff.core.labels import Labels, as_labels
from quiff.core.limits import check_fits, check_memory
from quiff.core.numbers import Array
from quiff.errors import ParameterError, SizeError, counted
from quiff.theory.mechanisms import Forms, gaussian_ball_bits, membership, randomised_response
from quiff.theory.parameters import Real

_MOST_CELLS = 100_000  # up to which a channel is made: the number of its outputs has millions of digits


class Mechanism(ABC):
    """What happens between a secret and an observation."""

    @abstractmethod
    def channel(self, secrets: Labels) -> Channel:
        """Return the channel from secrets to one observation."""

    @abstractmethod
    def limits(self) -> tuple[Limit, ...]:
        """Return what one observation reveals at most, over all secrets and priors."""

    def over_time(self, secrets: Labels, n: int) -> Channel:
        """Return the channel from secrets to n independent observations, or to what tells as much."""
        return repeat(self.channel(secrets), n)


class ByMechanism(Api):
    """An API that is declared by its mechanism, from which channel and limits follow."""

    @property
    @abstractmethod
    def mechanism(self) -> Mechanism:
        """What the API does with a secret."""

    def observe(self, secrets: object) -> Channel:
        """Return the mechanism's channel."""
        return self.mechanism.channel(as_labels(secrets))

    def over_time(self, secrets: Labels, n: int) -> Channel:
        """Return the mechanism's channel to n observations of a secret that stays the same."""
        still = n == 1 or self.redraws == "nothing"
        return self.observe(secrets) if still else self.mechanism.over_time(secrets, n)

    def limits(self) -> tuple[Limit, ...]:
        """Return the limits of the mechanism, with the API's source."""
        return tuple(replace(limit, source=limit.source or self.source) for limit in self.mechanism.limits())


QUANTITIES = ("bayes_capacity", "epsilon", "max_case_capacity", "shannon_capacity_bits")


def limits_from(forms: Mapping[str, Real], formulas: Sequence[str], assumes: str = "") -> tuple[Limit, ...]:
    """Return closed forms as limits: those of `QUANTITIES` that are known, each with its formula."""
    return tuple(
        Limit(quantity, forms[quantity], formula, assumes=assumes)
        for quantity, formula in zip(QUANTITIES, formulas, strict=False)
        if quantity in forms
    )


def in_parallel(parts: Sequence[tuple[Limit, ...]]) -> tuple[Limit, ...]:
    """Return the limits of several observations at once: factors multiply, and their logarithms add up.

    >>> yes_or_no = Response(as_labels(["yes", "no"]), 3.0)
    >>> [limit] = in_parallel([yes_or_no.limits()[:1]] * 2)
    >>> limit.value
    2.25
    """
    combined = []
    for quantity in QUANTITIES:
        limits = [limit for part in parts for limit in part if limit.quantity == quantity and not limit.stage]
        if len(limits) < len(parts):
            continue
        factor = quantity.endswith("_capacity")
        formulas = [limit.formula for limit in limits]
        formula = (" " if factor else " + ").join(f"({formula})" for formula in formulas)
        if len(set(formulas)) == 1:
            formula = f"{'product' if factor else 'sum'} over the parts of {formulas[0]}"
        value = reduce(mul if factor else add, (limit.value for limit in limits))
        assumes = "; ".join(dict.fromkeys(limit.assumes for limit in limits if limit.assumes))
        combined.append(Limit(quantity, value, formula, assumes=assumes))
    return tuple(combined)


@final
@dataclass(frozen=True, eq=False)
class Deterministic(Mechanism):
    """A map: every secret has one output.

    Attributes
    ----------
    size
        How many outputs there are over all secrets; infinite where there is one for everybody.
    formula
        How they are counted.
    outputs
        They themselves.
    places
        Returns the position of each secret's output.
    """

    size: Real
    formula: str
    outputs: Any
    places: Callable[[Labels], Any]
    assumes: str = ""

    def channel(self, secrets: Labels) -> Channel:
        if self.size < inf:
            check_memory(f"the probabilities of {counted(int(self.size), 'output')} need", 2 * int(self.size))
        return Channel.deterministic_from_codes(secrets, self.places(secrets), self.outputs)

    def limits(self) -> tuple[Limit, ...]:
        several = self.size > 1
        bits = "log2 N" if self.size == inf else "log2 of the outputs"
        limits = (
            Limit("bayes_capacity", self.size, self.formula),
            Limit("epsilon", inf if several else 0.0, "inf: no noise" if several else "0: one output"),
            Limit("max_case_capacity", inf if several else 1, "inf" if several else "1"),
            Limit("shannon_capacity_bits", log2(self.size), bits),
        )
        return tuple(replace(limit, assumes=self.assumes) for limit in limits)


@final
@dataclass(frozen=True, eq=False)
class Response(Mechanism):
    """Randomised response: one of k answers, the truth `ratio` times as probable as any other."""

    answers: Labels
    ratio: Real
    what: str = "answer"
    formulas: tuple[str, ...] = (
        "k e^epsilon/(k-1+e^epsilon)",
        "epsilon",
        "e^epsilon",
        "log2 k - h(f) - f log2(k-1), f = (k-1)/(k-1+e^epsilon)",
    )

    @classmethod
    def of_truth(cls, answers: Labels, truth: Real, what: str = "answer") -> "Response":
        """Return the one whose answer is the truth with a given probability p."""
        ratio = truth * (answers.size - 1) / (1 - truth) if truth < 1 else inf
        formulas = "k p", "ln p (k-1)/(1-p)", "p (k-1)/(1-p)", "log2 k - h(p) - (1-p) log2(k-1)"
        return cls(answers, ratio, what, formulas)

    def channel(self, secrets: Labels) -> Channel:
        k = self.answers.size
        check_fits(k, 1)
        codes = self.answers.positions(list(secrets), self.what).reshape(-1, 1)
        lie = 1 / (k - 1 + self.ratio)
        truth = 1 if self.ratio == inf else self.ratio * lie
        return Channel.membership_from_codes(secrets, codes, self.answers, inside=truth, outside=lie)

    def limits(self) -> tuple[Limit, ...]:
        """Return the closed forms; none are known if a lie is more probable than the truth."""
        k = self.answers.size
        if self.ratio < 1:
            return ()
        forms: Forms = dict(zip(QUANTITIES, (k, inf, inf, log2(k)), strict=True))
        if self.ratio < inf:
            forms = randomised_response(k, ratio=self.ratio)
        return limits_from(forms, self.formulas)


@final
@dataclass(frozen=True, eq=False)
class Responses(Mechanism):
    """Several randomised responses at once, independent of one another; a secret is a tuple."""

    parts: tuple[Response, ...]

    def channel(self, secrets: Labels) -> Channel:
        columns = zip(*secrets, strict=True)
        channels = [part.channel(part.answers) for part in self.parts]
        kernels = [
            C.kernel.take_rows(C.inputs.positions(list(column)))
            for C, column in zip(channels, columns, strict=True)
        ]
        outputs = ProductLabels(tuple(C.outputs for C in channels))
        return Channel.from_kernel(secrets, outputs, ProductKernel(kernels))

    def limits(self) -> tuple[Limit, ...]:
        return in_parallel([part.limits() for part in self.parts])


@final
@dataclass(frozen=True, eq=False)
class Membership(Mechanism):
    """An output of the secret's set of s, each with the probability p, or another one of m, each with q."""

    m: int
    s: int
    p: Real
    q: Real
    codes: Callable[[Any], tuple[Array, Labels]]
    """Returns the positions of each set's members among the outputs, and these."""
    words: tuple[str, str] = ("p", "q")

    def channel(self, secrets: Labels) -> Channel:
        codes, outputs = self.codes(secrets)
        return Channel.membership_from_codes(secrets, codes, outputs, self.p, self.q)

    def limits(self) -> tuple[Limit, ...]:
        p, q = self.words
        shannon = f"log2 m + s p log2 p + (m-s) q log2 q, p = {p}, q = {q}"
        formulas = f"m max({p}, {q})", f"ln ({p})/({q})", f"({p})/({q})", shannon
        return limits_from(membership(self.m, self.s, self.p, self.q), formulas)


@dataclass(frozen=True)
class CellLaws:
    """The law of a noisy cell without a mark and with one, and the error of cutting it (`Channel.slack`)."""

    base: Array
    marked: Array
    outputs: Labels
    slack: float = 1.0


@final
@dataclass(frozen=True, eq=False)
class OneHot(Mechanism):
    """Noise on each of many cells, of which the secret marks one, or none.

    Attributes
    ----------
    cells
        How many there are.
    place
        Returns the cell that a secret marks, -1 for none.
    laws
        Returns the law of a cell.
    forms, formulas
        The closed forms, and how they are computed.
    """

    cells: int
    place: Callable[[Any], int]
    laws: Callable[[], CellLaws]
    forms: Callable[[], Forms]
    formulas: Sequence[str]
    assumes: str = ""

    def channel(self, secrets: Labels) -> Channel:
        return self._with(self.laws(), secrets)

    def over_time(self, secrets: Labels, n: int) -> Channel:
        """Return n observations; of bits, how often each was set, which tells as much."""
        laws = self.laws()
        if laws.outputs.size != 2:
            return super().over_time(secrets, n)
        base, marked = (
            np.array([comb(n, k) * law[1] ** k * law[0] ** (n - k) for k in range(n + 1)])
            for law in (laws.base, laws.marked)
        )
        return self._with(CellLaws(base, marked, as_labels(range(n + 1))), secrets)

    def _with(self, laws: CellLaws, secrets: Labels) -> Channel:
        if self.cells > _MOST_CELLS:
            raise SizeError(
                f"a noisy histogram of {counted(self.cells, 'key')} has more outputs than can be counted;"
                f" take at most {_MOST_CELLS} keys, or the closed forms (quiff compare), which hold for any"
                " number",
                what="keys",
                value=self.cells,
                allowed=f"at most {_MOST_CELLS}",
            )
        places = np.array([self.place(secret) for secret in secrets], dtype=np.int64)
        kernel = OneHotKernel(laws.base, laws.marked, places, self.cells)
        outputs = ProductLabels((laws.outputs,) * self.cells)
        return Channel.from_kernel(secrets, outputs, kernel).with_slack(laws.slack)

    def limits(self) -> tuple[Limit, ...]:
        return limits_from(self.forms(), self.formulas, self.assumes)


@final
@dataclass(frozen=True, eq=False)
class Laws(Mechanism):
    """The law of the output of each secret, written out."""

    rows: Mapping[Hashable, Sequence[float]]
    outputs: Sequence[Hashable]
    further: tuple[Limit, ...] = ()
    """Closed forms of other quantities than those of two secrets and one output."""

    def channel(self, secrets: Labels) -> Channel:
        places = as_labels(self.rows).positions(list(secrets), "secret")
        matrix = np.array(list(self.rows.values()), dtype=np.float64)
        return Channel.from_kernel(secrets, as_labels(self.outputs), DenseKernel(matrix[places]))

    def limits(self) -> tuple[Limit, ...]:
        columns = list(zip(*self.rows.values(), strict=True))
        worst = max(_ratio(max(column), min(column)) for column in columns)
        most, ratio = (
            "sum over outputs of the largest probability",
            "largest ratio of two secrets' probabilities",
        )
        return (
            Limit("bayes_capacity", sum(map(max, columns)), most),
            Limit("epsilon", log(worst), f"the logarithm of the {ratio}"),
            Limit("max_case_capacity", worst, ratio),
            *self.further,
        )


def _ratio(a: float, b: float) -> float:
    return 1.0 if a == b else inf if b == 0 else a / b


_FINE = 2_000  # cells for twenty standard deviations
_FAR = 9  # standard deviations beyond which nothing is expected


@final
@dataclass(frozen=True, eq=False)
class Gaussian(Mechanism):
    """A point of the unit ball plus Gaussian noise of one sigma in every coordinate."""

    sigma: float
    dimension: int = 1
    assumes: str = ""

    def channel(self, secrets: Labels) -> Channel:
        """Return Gaussian noise in cells, with the error of that as `slack`."""
        return self.over_time(secrets, 1)

    def over_time(self, secrets: Labels, n: int) -> Channel:
        """Return the mean of n noisy points, of sigma/sqrt(n), which tells as much as all of them."""
        from scipy.special import ndtr

        if self.dimension > 1:
            raise ParameterError(
                "a noisy embedding of several dimensions has a closed form only; take dimension=1"
            )
        points: list[Any] = list(secrets)
        if any(not isinstance(x, int | float) or not -1 <= x <= 1 for x in points):
            raise ParameterError("embeddings of one dimension are numbers between -1 and 1")
        s = self.sigma / sqrt(n)
        reach = 1 + _FAR * s
        cells = min(200_000, max(200, int(2 * reach / s * _FINE / 20)))
        edges = np.linspace(-reach, reach, cells + 1)
        below = ndtr((edges[1:-1] - np.array(points, dtype=np.float64).reshape(-1, 1)) / s)
        rows = np.diff(below, axis=1, prepend=0.0, append=1.0)
        # In a cell of width w a likelihood ratio of two points moves by a factor of at most e^(2 w/s^2).
        slack = exp(2 * (2 * reach / cells) / s**2)
        outputs = as_labels(list(pairwise(edges.tolist())))
        return Channel(rows, inputs=secrets, outputs=outputs).with_slack(slack)

    def limits(self) -> tuple[Limit, ...]:
        """Return the capacity over all points of the ball; Gaussian noise has no pure epsilon."""
        bits = gaussian_ball_bits(self.dimension, self.sigma)
        capacity = 2.0**bits if bits < 1000 else inf
        density = "integral of the density of the nearest point of the ball"
        return (
            Limit("bayes_capacity", capacity, density, assumes=self.assumes),
            Limit("epsilon", inf, "inf: Gaussian noise has (epsilon, delta) only", assumes=self.assumes),
            Limit("max_case_capacity", inf, "inf", assumes=self.assumes),
        )
