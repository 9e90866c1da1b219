"""Which parameters of the Topics API meet a budget or keep up a utility, and the least that it must cost.

A budget (capacity, max-case capacity, epsilon) asks for the least noise r that keeps to it, which spares
utility; a utility floor for the most noise that keeps to it, which spares privacy.
Sets of the whole taxonomy (s = m) are left out: every user has the same one, so that an observation
says nothing and the formulas of the worst case do not apply.

Utility is u = (1-r) + r s/m, the probability that an observed topic is genuine. In terms of it the Topics
API has ``capacity = (m/s) u`` and ``max-case capacity = u (m-s)/((1-u) s)``. When all s-subsets of
the taxonomy are equally likely, no mechanism whatever that works on a set does better: merge the
outputs that lead to the same best guess and average over all permutations of the topics; the
capacity and the max-case capacity do not grow, the utility stays, and what is left shows
each topic with a probability that depends only on whether it is in the set.

A target that no parameters meet is a ParameterError that names the nearest one that can be met; a utility
must be one that some noise brings about, between s/m (r = 1) and 1 (r = 0).
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import exp, expm1, inf, isclose, isfinite
from typing import Literal, Self

from quiff.errors import ParameterError
from quiff.theory.parameters import (
    Real,
    at_most_one,
    check_number,
    check_probability,
    check_sizes,
    check_whole,
    follow,
)
from quiff.theory.topics import bayes_capacity, epsilon, genuine_probability, max_case_capacity


def noise_for_capacity(n_topics: int, top_s: int, capacity: Real) -> Real:
    """Least noise whose Bayes capacity is at most L: ``(m - s L)/(m - s)``, or 0 if L >= m/s.

    L is at least 1, what a constant output leaks.

    >>> noise_for_capacity(n_topics=349, top_s=5, capacity=Fraction(1659, 25))
    Fraction(1, 20)
    >>> round(noise_for_capacity(n_topics=629, top_s=6, capacity=66.36), 4)
    0.3705
    """
    m, s = check_sizes(n_topics, top_s)
    limit = check_number("capacity", capacity, 1, inf)
    if limit >= follow(Fraction(m, s), limit):
        return follow(Fraction(0), limit)
    return (m - s * limit) / (m - s)


def noise_for_max_case(n_topics: int, top_s: int, max_case: Real) -> Real:
    """Least noise whose max-case capacity is at most L: ``m/(m + s (L - 1))``.

    L is at least 1, as of a constant output.

    >>> noise_for_max_case(n_topics=349, top_s=5, max_case=Fraction(6636, 5))
    Fraction(1, 20)
    """
    m, s = check_sizes(n_topics, top_s)
    return m / (m + s * (check_number("max_case", max_case, 1, inf) - 1))


def noise_for_epsilon(n_topics: int, top_s: int, epsilon: Real) -> float:
    """Least noise whose epsilon is at most the given one: ``m/(m + s (e^epsilon - 1))``.

    >>> round(noise_for_epsilon(n_topics=349, top_s=5, epsilon=7.190827), 6)
    0.05
    """
    m, s = check_sizes(n_topics, top_s)
    e = float(check_number("epsilon", epsilon, 0, inf))
    shrunk = m * exp(-e)  # numerator and denominator times e^-epsilon: no overflow
    return shrunk / (shrunk - s * expm1(-e))


def noise_for_utility(n_topics: int, top_s: int, utility: Real) -> Real:
    """Most noise whose utility is at least u: ``m (1 - u)/(m - s)``, or 1 if u <= s/m.

    >>> noise_for_utility(n_topics=349, top_s=5, utility=Fraction(1659, 1745))
    Fraction(1, 20)
    """
    m, s = check_sizes(n_topics, top_s)
    u = check_probability("utility", utility)
    if u <= follow(Fraction(s, m), u):
        return follow(Fraction(1), u)
    return at_most_one(m * (1 - u) / (m - s))  # a float may round above 1


Measure = Literal["capacity", "epsilon", "max_case", "utility"]
_Formula = Callable[[int, int, Real], Real]

_MOST_TOPICS = 100_000


@dataclass(frozen=True)
class _Goal:
    """What can be a target: its closed form, the noise that meets it, its field of a `Design`."""

    value: _Formula
    noise: _Formula
    field: str
    extreme: int  # the least that a budget can be, which a constant output meets, or the most of a utility


_GOALS: dict[Measure, _Goal] = {
    "capacity": _Goal(bayes_capacity, noise_for_capacity, "bayes_capacity", 1),
    "epsilon": _Goal(epsilon, noise_for_epsilon, "epsilon", 0),
    "max_case": _Goal(max_case_capacity, noise_for_max_case, "max_case_capacity", 1),
    "utility": _Goal(genuine_probability, noise_for_utility, "utility", 1),
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

    def spec(self) -> str:
        """Return the setting as ``--api`` takes it."""
        return f"topics:n_topics={self.n_topics},top_s={self.top_s},noise={self.noise}"

    def record(self) -> dict[str, Real]:
        """Return the parameters to be chosen and all figures, by the names of JSON."""
        numbers = asdict(self)
        del numbers["n_topics"]
        return {"top": numbers.pop("top_s"), **numbers}


def design_options(n_topics: int, measure: Measure, target: Real) -> tuple[Design, ...]:
    """For each s < m, the noise that meets ``target`` as tightly as can be, and what it gives.

    ``measure`` is a budget not to be exceeded (``"capacity"``, ``"epsilon"``, ``"max_case"``) or a
    floor to be kept (``"utility"``). Every s can meet every possible target. Source: paper, Sec. 6,
    the question how s and r should follow the taxonomy's growth.

    >>> options = design_options(629, "capacity", 66.36)
    >>> {option.top_s: round(option.noise, 4) for option in options[4:9]}
    {5: 0.4763, 6: 0.3705, 7: 0.2644, 8: 0.158, 9: 0.0512}
    """
    m = check_whole("n_topics", n_topics, 2)
    solve = _goal(measure).noise
    return tuple(Design.of(m, s, solve(m, s, target)) for s in range(1, m))


@dataclass(frozen=True)
class Designs:
    """The settings of an API that meet a target."""

    # What is not changed, in words, and the columns of a design's record in words.
    about: str
    headings: tuple[str, ...]
    # For each size of the sets, the noise that meets the target as tightly as can be.
    options: tuple[Design, ...]
    # The smallest size that keeps to the target at the API's own noise; None if there is none.
    strict: Design | None
    # The size that comes closest to it, on either side; None if none comes finitely close.
    nearest: Design | None
    missing: str | None  # why there is no strict one, and what the nearest possible target would be
    notes: tuple[str, ...]


def designs_for(n_topics: int, noise: Real, measure: Measure, target: Real) -> Designs:
    """Find the sizes s < m and the noises r that keep to a target.

    >>> designs = designs_for(469, 0.05, "capacity", 66.36)
    >>> designs.strict.top_s, round(designs.options[4].noise, 4)
    (7, 0.2957)
    """
    m = check_whole("n_topics", n_topics, 2, _MOST_TOPICS)
    r = check_probability("noise", noise)
    if measure in _GOALS:  # the options refuse any other, and say which there are
        _check_possible(measure, target)
    options = design_options(m, measure, target)
    strict, missing = _strict(m, r, measure, target)
    return Designs(
        f"{m} topics",
        ("top s", "noise r", "capacity", "max-case capacity", "epsilon", "utility u"),
        options,
        strict,
        _nearest(m, r, measure, target),
        missing,
        (
            "Utility is the probability that an observed topic is genuine.",
            "If all s-subsets of the topics are equally probable, no mechanism whatever does better: the"
            " least capacity at utility u is max(1, m u/s), and these options have it.",
            "The proof is in docs/theory/optimal-design.md.",
        ),
    )


def _check_possible(measure: Measure, target: Real) -> None:
    extreme = _GOALS[measure].extreme
    if measure == "utility":
        possible, allowed = 0 <= target <= extreme, "between 0 and 1"
        nearest = 0 if target < 0 else extreme
    else:
        possible, allowed, nearest = target >= extreme, f"of at least {extreme}", extreme
    if not possible:
        raise ParameterError(
            f"{measure} must be a number {allowed}, not {target!r}; the nearest possible is {nearest}",
            what=measure,
            value=target,
            allowed=allowed,
        )


def _strict(m: int, r: Real, measure: Measure, target: Real) -> tuple[Design | None, str | None]:
    """Return the smallest s that keeps to the target, or why there is none."""
    try:
        return Design.of(m, strict_top_s(m, r, measure, target), r), None
    except ParameterError as error:  # all parameters are checked: only the target can be out of reach
        return None, str(error)


def _nearest(m: int, r: Real, measure: Measure, target: Real) -> Design | None:
    """Return the s that comes closest to the target, if distances to it are finite."""
    if not isfinite(target) or not isfinite(getattr(Design.of(m, m - 1, r), _goal(measure).field)):
        return None
    return Design.of(m, nearest_top_s(m, r, measure, target), r)


def strict_top_s(n_topics: int, noise: Real, measure: Measure, target: Real) -> int:
    """Smallest s < m that, at this noise, keeps strictly to ``target``.

    A larger s lowers capacity, epsilon and max-case capacity and raises utility. Figures that are
    floats may miss the target by a rounding error.

    The paper's question, for its 629 topics and for the 469 that the taxonomy really has:

    >>> strict_top_s(629, 0.05, "capacity", 66.36), strict_top_s(469, 0.05, "capacity", 66.36)
    (10, 7)
    """
    m = check_whole("n_topics", n_topics, 2)
    goal = _goal(measure)
    goal.noise(m, 1, target)  # refuses what no parameters can meet
    for s in range(1, m):
        if _meets(goal.value(m, s, noise), measure, target):
            return s
    nearest = float(goal.value(m, m - 1, noise))
    raise ParameterError(
        f"no top_s below n_topics={m} meets {measure} {target!r} with noise {noise!r};"
        f" the nearest possible {measure} is {nearest:.4g}, at top_s={m - 1}"
    )


def nearest_top_s(n_topics: int, noise: Real, measure: Measure, target: Real) -> int:
    """Size s < m whose figure at this noise is closest to ``target``, on either side.

    The paper's answer, s=9, exceeds the budget slightly, by 66.44 to 66.36:

    >>> nearest_top_s(629, 0.05, "capacity", 66.36), nearest_top_s(469, 0.05, "capacity", 66.36)
    (9, 7)
    """
    m = check_whole("n_topics", n_topics, 2)
    goal = _goal(measure)
    goal.noise(m, 1, target)  # refuses what no parameters can meet
    # Of two that are equally near, the larger s, which keeps to the target.
    return min(range(m - 1, 0, -1), key=lambda s: abs(float(goal.value(m, s, noise) - target)))


def _goal(measure: Measure) -> _Goal:
    if measure not in _GOALS:
        raise ParameterError(what="measure", value=measure, allowed=f"one of {', '.join(_GOALS)}")
    return _GOALS[measure]


def _meets(value: Real, measure: Measure, target: Real) -> bool:
    """Tell whether ``value`` keeps to ``target``, up to rounding unless both are exact."""
    chosen = value >= target if measure == "utility" else value <= target
    exact = isinstance(value, Fraction) and isinstance(target, int | Fraction)
    return chosen or (not exact and isclose(value, target, rel_tol=1e-12))


def capacity_at_utility(n_topics: int, top_s: int, utility: Real) -> Real:
    """Bayes capacity of the Topics API whose utility is u: ``m u/s``.

    Source: the capacity of the paper, Sec. 4.1.2, with r written in terms of u.

    >>> capacity_at_utility(n_topics=349, top_s=5, utility=Fraction(1659, 1745))
    Fraction(1659, 25)
    """
    m, s = check_sizes(n_topics, top_s)
    return Fraction(m, s) * _reachable(m, s, utility)  # (m/s) u


def max_case_at_utility(n_topics: int, top_s: int, utility: Real) -> Real:
    """Max-case capacity of the Topics API whose utility is u: ``u (m-s)/((1-u) s)``.

    Source: the max-case capacity of the paper, Sec. 4.1.3, with r written in terms of u. Infinite at
    u = 1. Assumes s < m: a set of all topics has utility 1 under any noise.

    >>> max_case_at_utility(n_topics=349, top_s=5, utility=Fraction(1659, 1745))
    Fraction(6636, 5)
    """
    m = check_whole("n_topics", n_topics, 2)
    s = check_whole("top_s", top_s, 1, m - 1)
    u = _reachable(m, s, utility)
    return inf if u == 1 else u * (m - s) / ((1 - u) * s)


def least_capacity(n_topics: int, top_s: int, utility: Real) -> Real:
    """Least Bayes capacity of any mechanism whose utility is at least u: ``max(1, m u/s)``.

    Assumes that all s-subsets are equally likely. An actual population may allow less. The
    Topics API reaches it for u >= s/m; below, a constant output does.

    >>> least_capacity(n_topics=349, top_s=5, utility=Fraction(1659, 1745))
    Fraction(1659, 25)
    >>> least_capacity(n_topics=349, top_s=5, utility=0.001)
    1.0
    """
    m, s = check_sizes(n_topics, top_s)
    u = check_probability("utility", utility)
    return follow(max(Fraction(1), Fraction(m, s) * u), u)


def largest_utility(n_topics: int, top_s: int, max_case: Real) -> Real:
    """Largest utility of any mechanism with max-case capacity L: ``s L/(s L + m - s)``.

    Assumes that all s-subsets are equally likely. The Topics API reaches it. For a given epsilon
    take L = e^epsilon.

    >>> largest_utility(n_topics=349, top_s=5, max_case=Fraction(6636, 5))
    Fraction(1659, 1745)
    >>> largest_utility(n_topics=349, top_s=5, max_case=float("inf"))
    1.0
    """
    m, s = check_sizes(n_topics, top_s)
    limit = check_number("max_case", max_case, 1, inf)
    return s / (s + (m - s) / limit)  # s L/(s L + m - s), for infinite L too


def _reachable(m: int, s: int, utility: Real) -> Real:
    """Return u if some noise gives the Topics API this utility."""
    u = check_probability("utility", utility)
    if u < follow(Fraction(s, m), u):
        raise ParameterError(
            what="utility", value=utility, allowed=f"between {s}/{m} (noise 1) and 1 (noise 0)"
        )
    return u
