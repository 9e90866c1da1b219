"""The counting figure: its constants, the points that its description states, and what they mean."""

from fractions import Fraction
from itertools import pairwise
from math import comb

from quiff import theory
from quiff.papers.items import Check, Value
from quiff.papers.settings import NOISE, TOP_S, V1, V2, closed_form, percent, sized
from quiff.papers.verdict import Reading, Rounded, Statement

_POPULATIONS = range(2, 31)


def _all_bits(n_users: int, n_topics: int = V1) -> Value:
    return theory.all_bits_right(n_topics, TOP_S, NOISE, n_users)


def _point(n_users: int) -> Reading:
    return Reading(lambda: _all_bits(n_users))


def _printed_sum() -> tuple[bool, str]:
    p, q = theory.inside_probability(V1, TOP_S, NOISE), theory.outside_probability(V1, NOISE)
    sums = {N: sum(comb(N, n) * p**n * (1 - q) ** (N - n) for n in range(N + 1)) for N in (1, 2, 10)}
    holds = all(value == _all_bits(N) for N, value in sums.items())
    return holds, f"{float(sums[2]):.5g} for N=2, where the figure has {float(_all_bits(2)):.6g}"


def _expected_value() -> tuple[bool, str]:
    """Take the mean of A^n under the binomial distribution, and compare with what is plotted."""
    q = theory.outside_probability(V1, NOISE)
    A = theory.inside_probability(V1, TOP_S, NOISE) / q
    mean = sum(comb(2, n) * A**n * q**n * (1 - q) ** (2 - n) for n in range(3))
    return mean == _all_bits(
        2
    ), f"E[A^n] is {float(mean):.5g} for N=2, the plotted point {float(_all_bits(2)):.6g}"


def _stays_close() -> tuple[bool, str]:
    holds = all(_all_bits(N) < Fraction(1, 40) for N in range(10, 31))
    return holds, f"{float(_all_bits(10)):.5g} at N=10, {float(_all_bits(30)):.6g} at N=30"


def _overlap() -> tuple[bool, str]:
    holds = all(_all_bits(N, V1) == _all_bits(N, V2) == _all_bits(N, 629) for N in _POPULATIONS)
    return holds, "equal for every N from 2 to 30, whatever m is" if holds else "different points"


def _approaches_zero() -> tuple[bool, str]:
    points = [_all_bits(N) for N in _POPULATIONS]
    falling = all(later < earlier for earlier, later in pairwise(points))
    return falling and points[-1] < Fraction(1, 10**6), f"falls to {float(points[-1]):.6g} at N=30"


def _other_ways() -> str:
    before, raw = theory.prior_count_right(10), theory.raw_count_right(V1, TOP_S, float(NOISE), 10)
    return f"without any report {percent(before):.3f}%; for the raw noisy count {percent(raw):.5f}%"


CHECKS: dict[str, Check] = {
    "eq-counting-binomial": Statement(_printed_sum),
    "counting-a-m349": closed_form("max_case_capacity", V1),
    "counting-q-m349": Rounded(lambda: theory.outside_probability(V1, NOISE)),
    "counting-a-m629": closed_form("max_case_capacity", V2),
    "counting-q-m629": Rounded(lambda: theory.outside_probability(V2, NOISE)),
    "counting-m-v2": sized(V2),
    "counting-figure-m-v2": sized(V2),
    **{f"counting-figure-n{n_users}": _point(n_users) for n_users in (2, 3, 4, 5, 10)},
    "counting-figure-n10-to-n30": Statement(_stays_close),
    "counting-figure-overlap": Statement(_overlap),
    "counting-figure-limit": Statement(_approaches_zero),
    "counting-figure-caption": Statement(_expected_value),
    "counting-n10": Rounded(lambda: percent(_all_bits(10))),
    "counting-n10-meaning": Rounded(
        lambda: percent(theory.best_count_right(V1, TOP_S, float(NOISE), 10)), _other_ways
    ),
}
