"""What figures of closed forms show: capacity and epsilon against noise or utility, and counting."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite, log
from typing import Any, Literal

from quiff.theory.counting import all_bits_right, best_count_right, prior_count_right, raw_count_right
from quiff.theory.design import Design, Measure, least_capacity, max_case_at_utility
from quiff.theory.parameters import Real, check_probability, check_sizes, check_whole
from quiff.theory.topics import bayes_capacity, epsilon

_USUAL_SIZES = (1, 2, 5, 10, 20)
_STEPS = 200  # from 0 to 1
Point = dict[str, Any]
"""The name of a line as ``series``, then ``x``, ``capacity`` and ``epsilon``; what is infinite is None."""


@dataclass(frozen=True)
class Curves:
    """Lines of capacity and epsilon against something between 0 and 1."""

    # What the axis is, and in what the lines differ.
    x: str
    series: str
    # The lines in order, and their points.
    names: tuple[str, ...]
    lines: tuple[Point, ...]
    dots: tuple[Point, ...]  # points to be marked
    most: tuple[float, float | None]  # the largest capacity, and the largest epsilon if the axis ends there
    # A line across: which axis, and where.
    rule: tuple[Literal["x", "capacity", "epsilon"], float] | None = None


def sizes_to_show(n_topics: int, *chosen: int) -> list[int]:
    """Return a few sizes of top sets that make a readable figure, the chosen ones among them.

    >>> sizes_to_show(349, 7), sizes_to_show(4, 3)
    ([1, 2, 5, 7, 10, 20], [1, 2, 3])
    """
    wanted = sorted(set(chosen))
    usual = [size for size in _USUAL_SIZES if size < n_topics and size not in wanted]
    return sorted([*wanted, *usual[: 7 - len(wanted)]])


def noise_curves(n_topics: int, top_s: int, noise: Real) -> Curves:
    """Return the capacity and epsilon of the Topics API against its noise, for some sizes of the sets.

    >>> noise_curves(469, 7, 0.05).names
    ('1', '2', '5', '7', '10', '20')
    """
    m, s = check_sizes(n_topics, top_s)
    r = float(check_probability("noise", noise))

    def point(size: int, x: float) -> Point:
        worst = epsilon(m, size, x)
        capacity = float(bayes_capacity(m, size, x))
        return _point(size, x, capacity, worst if isfinite(worst) else None)

    sizes = sizes_to_show(m, s)
    return Curves(
        "noise r (probability of a random topic)",
        "topics in a set (s)",
        tuple(map(str, sizes)),
        tuple(point(size, step / _STEPS) for size in sizes for step in range(_STEPS + 1)),
        (point(s, r),),
        (float(m), None),
    )


def frontier_curves(
    n_topics: int, measure: Measure, target: Real, designs: tuple[Design, ...], sizes: tuple[int, ...] = ()
) -> Curves:
    """Return the least capacity and epsilon at each utility, for some s, with a target and what meets it.

    A line is the frontier for one size of the sets, met by the Topics API at some noise; below it there is
    nothing. Dots are those of the designs whose line is drawn; `sizes` are drawn besides the usual ones.

    >>> frontier_curves(469, "capacity", 66.36, (Design.of(469, 7, 0.05),), (7,)).rule
    ('capacity', 66.36)
    """
    m = check_whole("n_topics", n_topics, 2)
    drawn = sizes_to_show(m, *sizes)
    lines = tuple(point for s in drawn for point in _frontier(m, s))
    highest = max(point["epsilon"] or 0 for point in lines)  # a budget beyond it stays out of sight
    return Curves(
        "utility u (probability that an observed topic is genuine)",
        "topics in a set (s)",
        tuple(map(str, drawn)),
        lines,
        tuple(
            _point(
                entry.top_s,
                float(entry.utility),
                float(entry.bayes_capacity),
                entry.epsilon if entry.epsilon <= highest else None,
            )
            for entry in designs
            if entry.top_s in drawn
        ),
        (float(m), highest),
        _rule(measure, float(target)),
    )


def _point(size: int, x: float, capacity: float, worst: float | None) -> Point:
    return {"series": str(size), "x": x, "capacity": capacity, "epsilon": worst}


def _frontier(m: int, s: int) -> list[Point]:
    """Return the points of one line; epsilon starts where a constant output ends, at u = s/m."""
    first = s / m
    utilities = sorted({first, *(step / _STEPS for step in range(1, _STEPS + 1)), 0.998, 0.999})

    def worst(u: float) -> float | None:
        if first < u < 1:
            return log(max_case_at_utility(m, s, u))
        return 0.0 if u <= first else None

    return [_point(s, u, float(least_capacity(m, s, u)), worst(u)) for u in utilities]


def _rule(measure: Measure, target: float) -> tuple[Literal["x", "capacity", "epsilon"], float] | None:
    """Return where the target is, on which axis."""
    if not isfinite(target):
        return None
    if measure == "utility":
        return "x", target
    if measure == "capacity":
        return "capacity", target
    return "epsilon", log(target) if measure == "max_case" else target


def counting_points(
    n_topics: int, top_s: int, noise: Real, share: Real, users: Iterable[int]
) -> tuple[dict[str, float], ...]:
    """Return the probabilities to count right who of N users has a topic, from one observation of each.

    They are floats: exact powers of millions are of use to nobody.

    >>> round(counting_points(349, 5, 0.05, 0.5, [10])[0]["best_count_right"], 5)
    0.25492
    """
    r = float(noise)
    return tuple(
        {
            "n_users": N,
            "all_bits_right": float(all_bits_right(n_topics, top_s, r, N, share)),
            "raw_count_right": float(raw_count_right(n_topics, top_s, r, N, share)),
            "best_count_right": float(best_count_right(n_topics, top_s, r, N, share)),
            "prior_count_right": float(prior_count_right(N, share)),
        }
        for N in users
    )
