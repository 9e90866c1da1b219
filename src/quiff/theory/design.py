"""Which parameters of the Topics API meet a budget, or keep up a utility.

Sets of the whole taxonomy (s = m) are left out: every user has the same one, so that a report
says nothing and the formulas of the worst case do not apply.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isclose
from typing import Literal, Self

from quiff.errors import ParameterError
from quiff.theory.noise import noise_for_capacity, noise_for_epsilon, noise_for_max_case, noise_for_utility
from quiff.theory.parameters import Real, check_probability, check_whole
from quiff.theory.pipeline import bayes_capacity
from quiff.theory.utility import genuine_probability
from quiff.theory.worst_case import epsilon, max_case_capacity

__all__ = ["Design", "Measure", "design_options", "nearest_top_s", "strict_top_s"]

Measure = Literal["capacity", "epsilon", "max_case", "utility"]
_Formula = Callable[[int, int, Real], Real]

_VALUE_AT: dict[Measure, _Formula] = {
    "capacity": bayes_capacity,
    "epsilon": epsilon,
    "max_case": max_case_capacity,
    "utility": genuine_probability,
}
_NOISE_FOR: dict[Measure, _Formula] = {
    "capacity": noise_for_capacity,
    "epsilon": noise_for_epsilon,
    "max_case": noise_for_max_case,
    "utility": noise_for_utility,
}


@dataclass(frozen=True, slots=True)
class Design:
    """Parameters of the Topics API with the privacy and the utility that they give."""

    n_topics: int
    top_s: int
    noise: Real
    bayes_capacity: Real
    max_case_capacity: Real
    epsilon: float
    utility: Real

    @classmethod
    def of(cls, n_topics: int, top_s: int, noise: Real) -> Self:
        """Evaluate the closed forms at these parameters.

        Raises
        ------
        ParameterError
            If a parameter lies outside its range.

        Examples
        --------
        >>> Design.of(n_topics=349, top_s=5, noise=Fraction(1, 20)).bayes_capacity
        Fraction(1659, 25)
        """
        return cls(
            n_topics=n_topics,
            top_s=top_s,
            noise=check_probability("noise", noise),
            bayes_capacity=bayes_capacity(n_topics, top_s, noise),
            max_case_capacity=max_case_capacity(n_topics, top_s, noise),
            epsilon=epsilon(n_topics, top_s, noise),
            utility=genuine_probability(n_topics, top_s, noise),
        )


def design_options(n_topics: int, measure: Measure, target: Real) -> tuple[Design, ...]:
    """For each s < m, the noise that meets ``target`` as tightly as can be, and what it gives.

    ``measure`` is a budget not to be exceeded (``"capacity"``, ``"epsilon"``, ``"max_case"``) or a
    floor to be kept (``"utility"``). Every s can meet every possible target. Source: paper, Sec. 6,
    the question how s and r should follow the taxonomy's growth.

    Raises
    ------
    ParameterError
        If ``n_topics < 2``, or no parameters at all can meet the target.

    Examples
    --------
    >>> options = design_options(629, "capacity", 66.36)
    >>> [(option.top_s, round(option.noise, 4)) for option in options[4:9]]
    [(5, 0.4763), (6, 0.3705), (7, 0.2644), (8, 0.158), (9, 0.0512)]
    """
    m = check_whole("n_topics", n_topics, 2)
    solve = _NOISE_FOR[_check_measure(measure)]
    return tuple(Design.of(m, s, solve(m, s, target)) for s in range(1, m))


def strict_top_s(n_topics: int, noise: Real, measure: Measure, target: Real) -> int:
    """Smallest s < m that, at this noise, keeps strictly to ``target``.

    A larger s lowers capacity, epsilon and max-case capacity and raises utility. Figures that are
    floats may miss the target by a rounding error.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range, or no s meets the target; the message names the
        nearest target that can be met.

    Examples
    --------
    The paper's question, for its 629 topics and for the 469 that the taxonomy really has:

    >>> strict_top_s(629, 0.05, "capacity", 66.36), strict_top_s(469, 0.05, "capacity", 66.36)
    (10, 7)
    """
    m = check_whole("n_topics", n_topics, 2)
    value_at = _VALUE_AT[_check_measure(measure)]
    _NOISE_FOR[measure](m, 1, target)  # refuses what no parameters can meet
    found = next((s for s in range(1, m) if _meets(value_at(m, s, noise), measure, target)), None)
    if found is None:
        nearest = float(value_at(m, m - 1, noise))
        raise ParameterError(
            f"no top_s below n_topics={m} meets {measure} {target!r} with noise {noise!r};"
            f" the nearest possible {measure} is {nearest:.6g}, at top_s={m - 1}"
        )
    return found


def nearest_top_s(n_topics: int, noise: Real, measure: Measure, target: Real) -> int:
    """Size s < m whose figure at this noise is closest to ``target``, on either side.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range, or no parameters at all can meet the target.

    Examples
    --------
    The paper's answer, s=9, exceeds the budget slightly, by 66.44 to 66.36:

    >>> nearest_top_s(629, 0.05, "capacity", 66.36), nearest_top_s(469, 0.05, "capacity", 66.36)
    (9, 7)
    """
    m = check_whole("n_topics", n_topics, 2)
    value_at = _VALUE_AT[_check_measure(measure)]
    _NOISE_FOR[measure](m, 1, target)  # refuses what no parameters can meet
    # Of two that are equally near, the larger s, which keeps to the target.
    return min(range(m - 1, 0, -1), key=lambda s: abs(float(value_at(m, s, noise) - target)))


def _check_measure(measure: Measure) -> Measure:
    """Return ``measure`` if there is one of that name."""
    if measure not in _VALUE_AT:
        raise ParameterError(f"measure must be one of {', '.join(_VALUE_AT)}, not {measure!r}")
    return measure


def _meets(value: Real, measure: Measure, target: Real) -> bool:
    """Tell whether ``value`` keeps to ``target``, up to rounding unless both are exact."""
    kept = value >= target if measure == "utility" else value <= target
    exact = isinstance(value, Fraction) and isinstance(target, int | Fraction)
    return kept or (not exact and isclose(value, target, rel_tol=1e-12))
