"""Which parameters of the Topics API meet a budget: the question behind ``quiff design``."""

from math import isfinite

from quiff import theory
from quiff.errors import ParameterError
from quiff.results.design_answer import DesignAnswer
from quiff.theory.design import Design, Measure
from quiff.theory.parameters import Real, check_probability, check_whole

_MOST_TOPICS = 100_000
_FIGURES: dict[Measure, str] = {
    "capacity": "bayes_capacity",
    "epsilon": "epsilon",
    "max_case": "max_case_capacity",
    "utility": "utility",
}
# The least that a budget can be, which a constant report meets, and the most that a utility can be.
_EXTREMES: dict[Measure, int] = {"capacity": 1, "epsilon": 0, "max_case": 1, "utility": 1}


def meet_budget(n_topics: int, measure: Measure, target: Real, noise: Real = 0.05) -> DesignAnswer:
    """Find the sizes s < m and the noises r that keep to a target.

    Parameters
    ----------
    n_topics
        The taxonomy's size m.
    measure, target
        A budget for ``"capacity"``, ``"epsilon"`` or ``"max_case"``, or a floor for ``"utility"``.
    noise
        The noise at which to find the smallest s that keeps to the target, and the nearest one.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range, or nothing meets the target; the message names the
        nearest target that can be met.

    Examples
    --------
    >>> answer = meet_budget(469, "capacity", 66.36)
    >>> answer.strict.top_s, round(answer.options[4].noise, 4)
    (7, 0.2957)
    >>> meet_budget(469, "capacity", 0.5)
    Traceback (most recent call last):
    quiff.errors.ParameterError: capacity must be a number of at least 1, not 0.5; the nearest possible is 1
    """
    m = check_whole("n_topics", n_topics, 2, _MOST_TOPICS)
    r = check_probability("noise", noise)
    if measure in _EXTREMES:  # the options refuse any other, and say which there are
        _check_possible(measure, target)
    options = theory.design_options(m, measure, target)
    strict, missing = _strict(m, r, measure, target)
    nearest = _nearest(m, r, measure, target)
    return DesignAnswer(m, measure, target, options, r, strict, nearest, missing)


def _check_possible(measure: Measure, target: Real) -> None:
    extreme = _EXTREMES[measure]
    if measure == "utility":
        possible, allowed = 0 <= target <= extreme, "between 0 and 1"
        nearest = 0 if target < 0 else extreme
    else:
        possible, allowed, nearest = target >= extreme, f"of at least {extreme}", extreme
    if not possible:
        raise ParameterError(
            f"{measure} must be a number {allowed}, not {target!r}; the nearest possible is {nearest}"
        )


def _strict(m: int, r: Real, measure: Measure, target: Real) -> tuple[Design | None, str | None]:
    """Return the smallest s that keeps to the target, or why there is none."""
    try:
        return Design.of(m, theory.strict_top_s(m, r, measure, target), r), None
    except ParameterError as error:  # all parameters are checked: only the target can be out of reach
        return None, str(error)


def _nearest(m: int, r: Real, measure: Measure, target: Real) -> Design | None:
    """Return the s that comes closest to the target, if distances to it are finite."""
    if not isfinite(target) or not isfinite(getattr(Design.of(m, m - 1, r), _FIGURES[measure])):
        return None
    return Design.of(m, theory.nearest_top_s(m, r, measure, target), r)
